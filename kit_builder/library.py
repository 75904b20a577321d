"""A folder of activities, and what lies beside it: translations, templates, labels."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from kit_builder import definition, facts, formats, patterns, resources, translation
from kit_builder.activity import Activity
from kit_builder.catalogue import Catalogue
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.layout import Layouts
from kit_builder.printing import THE_KITS_OWN, PuzzleOrder
from kit_builder.translation import Translation

_SUFFIXES = (".yaml", ".yml")
_LABELS = "labels"
_NAMED = 5  # in a message about all that is missing
_CRITERIA = "criteria"
_MISSPELT = 0.8  # how like another a name must be to be taken for it
# "follow-suit-tricks.ca.yaml" translates "follow-suit-tricks.yaml".
_TRANSLATION = re.compile(r"(?P<slug>.+)\.(?P<language>[a-z]{2,3})")


@dataclass(slots=True)
class Library:
    """A folder of activities, and the templates and labels beside it.

    A `templates/` folder that lies in it comes before the program's own; so does one beside it
    where the folder itself is called `activities`.
    """

    folder: Path
    layouts: Layouts = field(init=False)
    catalogue: Catalogue = field(init=False)
    _own: Path | None = field(init=False)
    _labels: dict[str, Mapping[str, Text]] = field(init=False, default_factory=dict)
    _titles: dict[tuple[str, str], str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        beside = [self.folder / "templates"]
        if self.folder.resolve().name == "activities":
            beside.append(self.folder / ".." / "templates")
        self._own = next((each.resolve() for each in beside if each.is_dir()), None)
        self.layouts = Layouts(self._own)
        self.catalogue = Catalogue(
            faces=self.layouts.faces(),
            languages=sorted({path.stem for path in _label_files(self._own)}),
            slugs=[path.stem for path in definitions_in(self.folder)],
            patterns=list(patterns.PATTERNS),
            labels=self.labels,
            criteria=lambda language: labels_in(language, self._own, _CRITERIA),
            facts=facts.FACTS,
        )

    def languages(self, path: Path) -> list[str]:
        """The languages an activity can be read in: its own, then those of its translations.

        Raises:
            KitError: the file's layout cannot be understood.
        """
        own = definition.language(path, shown(path))
        return [own, *sorted(set(_translations(path)) - {own})]

    def read(self, path: Path, language: str = "", order: PuzzleOrder = THE_KITS_OWN) -> Activity:
        """The activity of a file in the folder, in a language it exists in; "" for its own.

        Raises:
            KitError: it is faulty, or its translation is.
        """
        translated = self._translation(path, language)
        return definition.read(path, shown(path), self.catalogue, translated, order)

    def _translation(self, path: Path, language: str) -> Translation | None:
        own = definition.language(path, shown(path)) if language else ""
        if language == own:
            return None
        file = _translations(path)[language]
        return translation.read(file, shown(file), own, language)

    def labels(self, language: str) -> Mapping[str, Text]:
        """The words of the tool in a language: the program's, those of the user over them.

        Raises:
            KitError: a label file is faulty.
        """
        if language not in self._labels:
            self._labels[language] = labels_in(language, self._own)
        return self._labels[language]

    def title(self, slug: str, language: str) -> str:
        """The title of an activity of the library, in the language if it exists in it.

        The slug where its file is faulty: then it is that file that must be mended.
        """
        if (slug, language) not in self._titles:
            self._titles[slug, language] = self._read_title(slug, language)
        return self._titles[slug, language]

    def _read_title(self, slug: str, language: str) -> str:
        for path in definitions_in(self.folder):
            if path.stem == slug:
                try:
                    known = self.languages(path)
                    return self.read(path, language if language in known else "").kit.title
                except KitError:
                    break
        return slug


def labels_in(language: str, own: Path | None = None, folder: str = _LABELS) -> Mapping[str, Text]:
    """The words of the tool in a language, those of the templates in `own` over its own.

    Raises:
        KitError: a label file is faulty or lacks labels, or there is none in this language.
    """
    found: dict[str, Text] = {}
    for path in _label_files(own, folder):
        if path.stem == language:
            labels = definition.labels(path, shown(path))
            if path.parent.parent == own:
                _refuse_misspelt(labels, found, folder)
            found |= labels
    if not found:
        known = dict.fromkeys(path.stem for path in _label_files(own, folder))
        raise fault(
            None, f'there are no {folder} in "{language}"', formats.suggestion(language, known)
        )
    *_, last = (path for path in _label_files(own, folder) if path.stem == language)
    if lacking := [name for name in _names_of(folder) if name not in found]:
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        raise fault(
            Location(Source(shown(last))),
            f"it lacks {', '.join(lacking[:_NAMED])}{more}",
            f"write all that stand in templates/{folder}/en.yaml of the program",
        )
    return found


def _refuse_misspelt(labels: Mapping[str, Text], known: Mapping[str, Text], folder: str) -> None:
    """Looks for names that a layout will not ask for, because another one was meant.

    Names of their own are for the user's own layouts.

    Raises:
        KitError: a name is nearly one of the program's.
    """
    names = {*_names_of(folder), *known}
    near = {
        name: get_close_matches(name, names, n=1, cutoff=_MISSPELT)
        for name in labels
        if name not in names
    }
    faults = [
        Fault(labels[name].location, f'no layout asks for "{name}"', f'did you mean "{meant[0]}"?')
        for name, meant in near.items()
        if meant and meant[0] not in labels
    ]
    if faults:
        raise KitError(*faults)


@cache
def _names_of(folder: str) -> tuple[str, ...]:
    """What a language must have words for; only the printer test sheet needs its own."""
    path = resources.folder("templates") / folder / "en.yaml"
    names = definition.labels(path, str(path))
    return tuple(name for name in names if not name.startswith("calibrate-"))


def _label_files(own: Path | None, folder: str = _LABELS) -> Iterator[Path]:
    for templates in (resources.folder("templates"), own):
        if templates is not None:
            yield from sorted((templates / folder).glob("*.yaml"))


def shown(path: Path) -> str:
    """A path as messages name it: from the current folder where it is inside, as users type it."""
    absolute = Path(os.path.normpath(path.absolute()))
    here = Path.cwd()
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(absolute)


def definitions_in(folder: Path) -> list[Path]:
    """The activity files in a folder, by name; not their translations."""
    return [path for path in _files_in(folder) if not _TRANSLATION.fullmatch(path.stem)]


def _translations(path: Path) -> dict[str, Path]:
    """The files with the translations of an activity, by language."""
    named = ((each, _TRANSLATION.fullmatch(each.stem)) for each in _files_in(path.parent))
    return {
        found["language"]: each for each, found in named if found and found["slug"] == path.stem
    }


def _files_in(folder: Path) -> list[Path]:
    """The YAML files in a folder, by name.

    Raises:
        KitError: the folder cannot be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if _is_yaml(path) and path.is_file())
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        told = _absent(folder, f"the folder cannot be read ({reason})", "allow reading it")
        raise KitError(told) from None


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES


def find(named: Iterable[Path]) -> list[Path]:
    """The activity files that files and folders name, each once, in the order named.

    Raises:
        KitError: there is no such file or folder, a folder without activities, a file of another
            kind, or two activities of one name.
    """
    found: dict[Path, Path] = {}
    faults = []
    for path in named:
        if path.is_dir():
            inside = definitions_in(path)
            if not inside:
                disguised = next(iter(sorted(path.glob("*.yaml.txt"))), None)
                instead = "put .yaml files into it"
                if disguised is not None:
                    instead = f"rename {disguised.name} to {disguised.stem}"
                faults.append(_absent(path, "the folder holds no activity", instead))
            found |= {each.resolve(): each for each in inside}
            faults += _orphans(path)
        elif path.is_file() and not _is_yaml(path):
            what = "the name of an activity file ends in .yaml"
            faults.append(_absent(path, what, f"rename it to {path.name.partition('.')[0]}.yaml"))
        elif path.is_file() and (of := _TRANSLATION.fullmatch(path.stem)):
            name, language = f"{of['slug']}{path.suffix}", of["language"]
            what = f"this is a translation of {name}"
            faults.append(_absent(path, what, f"name that file, and write --language {language}"))
        elif path.is_file():
            found[path.resolve()] = path
        else:
            faults.append(_absent(path, "there is no such file or folder", _instead_of(path)))
    slugs: dict[str, Path] = {}
    for path in found.values():
        other = slugs.setdefault(path.stem, path)
        if other is not path:
            what = f"{shown(other)} makes PDFs of the same name"
            faults.append(_absent(path, what, "rename one of the two files"))
    if faults:
        raise KitError(*faults)
    return list(found.values())


def _instead_of(missing: Path) -> str:
    names = [each.name for each in missing.parent.glob("*")]
    near = get_close_matches(missing.name, names, n=1, cutoff=_MISSPELT)
    return f'did you mean "{near[0]}"?' if near else "check the name"


def _orphans(folder: Path) -> list[Fault]:
    """The translations in a folder that translate nothing."""
    originals = {path.stem for path in definitions_in(folder)}
    named = ((path, _TRANSLATION.fullmatch(path.stem)) for path in _files_in(folder))
    return [
        _absent(path, f'there is no "{of["slug"]}" to translate', "rename or remove the file")
        for path, of in named
        if of and of["slug"] not in originals
    ]


def _absent(path: Path, what: str, instead: str) -> Fault:
    return Fault(Location(Source(shown(path))), what, instead)
