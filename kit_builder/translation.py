"""A translation of an activity: a file of texts only, as pairs of the original and its translation.

The structure of a kit, its counts, decks and tables, is written once, in the original. The texts
are exchanged before the fields are read, so a translated kit passes every check of the original.
A pair whose original text is not there any more, and a text without a pair, are faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from kit_builder import manuscript
from kit_builder.errors import Fault, KitError, Location, Text
from kit_builder.fields import Fields
from kit_builder.files import File
from kit_builder.manuscript import Items, Node

# Fields whose values are names and numbers of the program, the same in every language.
_NO_WORDS = frozenset(
    "language players minutes size face shape fill piece pattern fact cut gutter bleed "  # noqa: SIM905
    "per related rows numbered width count copies total show-copy cards each puzzle.kind "
    "puzzle.mode".split()
)
# A single letter or a number may stay as it is; a word may not.
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Translation:
    """The texts of an activity in another language.

    Attributes:
        shown: the path of its file in messages.
        pairs: (original, translation), each original once.
    """

    language: str
    shown: str
    pairs: tuple[tuple[Text, Text], ...]

    def of(self, root: Node) -> Node:
        """The activity's file with its texts exchanged, and with the translation's language."""
        return self._exchanged(root, "", dict(self.pairs))

    def _exchanged(self, node: Node, name: str, texts: Mapping[Text, Text]) -> Node:
        if isinstance(node, Text):
            if name == "language":
                return Text(self.language, node.location)
            return node if name in _NO_WORDS else texts.get(node, node)
        if isinstance(node, Items):
            items = tuple(self._exchanged(item, name, texts) for item in node.items)
            return replace(node, items=items)
        pairs = tuple(
            (key, self._exchanged(value, _within(name, key), texts)) for key, value in node.pairs
        )
        return replace(node, pairs=pairs)

    def faults(self, root: Node) -> list[Fault]:
        """The texts of the activity without a translation, and translations without a text."""
        written: dict[str, Text] = {text: text for text in _words(root)}
        known = {str(original) for original, _ in self.pairs}
        faults = [
            Fault(
                text.location,
                f'there is no translation of this text ("{_short(text)}")',
                f"add a pair with it to {self.shown}",
            )
            for text in written.values()
            if text not in known and _WORD.search(text)
        ]
        for original, _ in self.pairs:
            if original not in written:
                near = get_close_matches(original, written, n=1)
                now = f': it now says "{_short(written[near[0]])}"' if near else ""
                faults.append(
                    Fault(
                        original.location,
                        f"the activity has no such text{now}",
                        "translate the text it has, or remove the pair",
                    )
                )
        return faults


def read(file: File, original: str, language: str) -> Translation:
    """The translation in a file.

    Args:
        file: of pairs of texts.
        original: the language of the activity.
        language: that of the translation, as the file's name says it.

    Raises:
        KitError: all faults of the file, in its order.
    """
    made = manuscript.read(file)
    faults = list(made.faults)
    whole = Location(made.source)
    if made.root is None:
        faults.append(Fault(whole, "the file is empty", 'write "language:" and "texts:"'))
        raise KitError(*faults)
    root = Fields(made.root, "translation", faults, whole)
    said = root.text("language")
    if said and said != language:
        root.fault(
            said.location,
            f'the language is "{said}", but the file name says "{language}"',
            f"write language: {language}, or rename the file",
        )
    pairs: dict[Text, Text] = {}
    for pair in root.each("texts", "pair", required=True):
        text, translated = pair.text(original), pair.text(language)
        if text in pairs:
            pair.fault(text.location, "this text is translated already", "remove one of the pairs")
        pairs.setdefault(text, translated)
    root.close()
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return Translation(language, file.shown, tuple(pairs.items()))


def _words(node: Node, name: str = "") -> Iterator[Text]:
    """Every text that may be translated, in the order of the file."""
    if isinstance(node, Text):
        if name not in _NO_WORDS:
            yield node
    elif isinstance(node, Items):
        for item in node.items:
            yield from _words(item, name)
    else:
        for key, value in node.pairs:
            yield from _words(value, _within(name, key))


def _within(parent: str, key: str) -> str:
    """The name of a field; cards may well have words in fields that a puzzle has names in."""
    return f"puzzle.{key}" if parent == "puzzle" else key


def _short(text: str) -> str:
    first = text.split("\n")[0]
    return first if len(first) <= 40 else f"{first[:39]}…"
