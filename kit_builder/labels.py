"""The words of the tool in each language: those of a library over those of the program."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from kit_builder import definition, formats, templates
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.templates import LABELS, Templates, words

_SUFFIX = ".yaml"
_NAMED = 5  # in a message about all that is missing
_MISSPELT = 0.8  # how like another a name must be to be taken for it


def languages(folder: Templates) -> list[str]:
    """The languages that there are words in."""
    return folder.names(LABELS, _SUFFIX)


def read(language: str, folder: Templates, kind: str = LABELS) -> Mapping[str, Text]:
    """The words of a kind in a language.

    Args:
        language: such as "ca".
        folder: where they stand.
        kind: LABELS or CRITERIA.

    Raises:
        KitError: a file is faulty or lacks words, or there is none in this language.
    """
    files = folder.all(words(language, kind))
    if not files:
        known = folder.names(kind, _SUFFIX)
        raise fault(
            None, f'there are no {kind} in "{language}"', formats.suggestion(language, known)
        )
    found: dict[str, Text] = {}
    own = dict(folder.own).get(words(language, kind))
    for file in files:
        said = definition.labels(file)
        if file is own:
            _refuse_misspelt(said, found, kind)
        found |= said
    if lacking := [name for name in _needed(kind) if name not in found]:
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        raise fault(
            Location(Source(files[-1].shown)),
            f"it lacks {', '.join(lacking[:_NAMED])}{more}",
            f"write all that stand in templates/{kind}/en.yaml of the program",
        )
    return found


def _refuse_misspelt(words: Mapping[str, Text], known: Mapping[str, Text], kind: str) -> None:
    """Looks for names that a layout will not ask for, because another one was meant.

    Names of their own are for the user's own layouts.

    Raises:
        KitError: a name is nearly one of the program's.
    """
    names = {*_needed(kind), *known}
    near = {
        name: get_close_matches(name, names, n=1, cutoff=_MISSPELT)
        for name in words
        if name not in names
    }
    faults = [
        Fault(words[name].location, f'no layout asks for "{name}"', f'did you mean "{meant[0]}"?')
        for name, meant in near.items()
        if meant and meant[0] not in words
    ]
    if faults:
        raise KitError(*faults)


@cache
def _needed(kind: str) -> tuple[str, ...]:
    """What a language must have words for; only the printer test sheet needs its own."""
    (file,) = templates.read().all(words("en", kind))
    return tuple(each for each in definition.labels(file) if not each.startswith("calibrate-"))
