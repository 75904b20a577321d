"""A mapping of a manuscript read field by field: text in, values out, every fault collected.

A fault does not stop the reading: a stand-in is handed back, so that one run finds all faults.
Values that were read beside a fault are never used; whoever collects the faults raises them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from kit_builder import units
from kit_builder.activity import Range
from kit_builder.errors import Fault, Location, Text
from kit_builder.formats import nearest, suggestion
from kit_builder.manuscript import Items, Node, Pairs
from kit_builder.syntax import colon, quoted

SOFT_HYPHEN = "\u00ad"

_WHOLE = re.compile(r"[0-9]{1,6}")
_RANGE = re.compile(r"([0-9]{1,6})(?:\s*[-\u2013]\s*([0-9]{1,6}))?")
_RANGE_EXAMPLE = "write a whole number such as 4, or a range such as 3-5"
_DECIMAL = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})?")


def _visible(text: str) -> bool:
    return bool(text.replace(SOFT_HYPHEN, "").strip())


class Fields:
    """The fields of one thing, such as a deck or a card.

    Attributes:
        location: of its first field.
        sound: False for a stand-in, about which nothing more is said.
    """

    def __init__(
        self, node: Node, thing: str, faults: list[Fault], location: Location | None = None
    ) -> None:
        """Reads `node` as a `thing`; a missing field is placed at `location`, else at the node."""
        self.location = location or node.location
        self.sound = isinstance(node, Pairs)
        self._thing = thing
        self._faults = faults
        pairs = node.pairs if isinstance(node, Pairs) else ()
        self._names = tuple(name for name, _ in pairs)
        self._nodes: dict[str, Node] = dict(pairs)
        self._asked: list[str] = []
        self._missing: list[str] = []
        if isinstance(node, Text):
            wrong = colon(node.location) if node else None
            if wrong is not None:
                self._faults.append(wrong)
            elif node or not self._told(node.location):
                self.fault(
                    node.location,
                    f"the fields of the {thing} belong here",
                    'write "name: text", one field to a line',
                )
        elif isinstance(node, Items):
            self.fault(
                node.location,
                f"a list stands where the fields of the {thing} belong",
                'write "name: text", without a "-" or "[" before it',
            )

    def fault(self, location: Location, what: str, instead: str) -> None:
        """Adds a fault to those of the file."""
        self._faults.append(Fault(location, what, instead))

    @property
    def faults(self) -> int:
        """How many faults the file has so far."""
        return len(self._faults)

    def __contains__(self, name: str) -> bool:
        """Whether there is such a field, with something in it."""
        found = self._nodes.get(name)
        return found is not None and not (isinstance(found, Text) and not found.strip())

    def rest(self) -> tuple[Text, ...]:
        """The names of the fields that nobody has asked for yet, in the author's order."""
        return tuple(name for name in self._names if name not in self._asked)

    def where(self, name: str) -> Location:
        """The place of the value of a field; of the whole thing if it has no such field."""
        return self._nodes[name].location if name in self._nodes else self.location

    def node(self, name: str, *, required: bool = True) -> Node | None:
        """The value of a field as it was typed, or None if there is none."""
        self._asked.append(name)
        found = self._nodes.get(name)
        if found is None and required:
            self._missing.append(name)
        return found

    def text(self, name: str) -> Text:
        """A required text."""
        found = self.node(name)
        return self.as_text(found, name) if found is not None else Text("", self.location)

    def optional_text(self, name: str) -> Text | None:
        """A text, or None if there is no such field."""
        found = self.node(name, required=False)
        return None if found is None else self.as_text(found, name)

    def as_text(self, node: Node, name: str) -> Text:
        """A value of field `name` as a text."""
        if isinstance(node, Text):
            if not _visible(node) and not self._told(node.location):
                self._empty(node, name)
            return node
        if isinstance(node, Pairs) and len(node.pairs) <= 1:
            bare = node.written.startswith("{")
            what = (
                "the brackets have a special meaning" if bare else "the colon cuts this text in two"
            )
            self.fault(node.location, what, f"put the text in quotes: {quoted(node.written)}")
        elif isinstance(node, Items) and node.written.startswith("["):
            self.fault(
                node.location,
                "the brackets make this a list, where one text belongs",
                f"put the text in quotes: {quoted(node.written)}",
            )
        else:
            kind = "a list stands" if isinstance(node, Items) else "several fields stand"
            self.fault(
                node.location,
                f"{kind} where one text belongs",
                "write one text, or | and the lines of the text below it",
            )
        return Text("", node.location)

    def texts(self, name: str, *, required: bool = False) -> tuple[Text, ...]:
        """A list of texts."""
        return tuple(self.as_text(item, name) for item in self.items(name, required=required))

    def items(self, name: str, *, required: bool = False) -> tuple[Node, ...]:
        """A list of at least one item; empty if there is no such field."""
        found = self.node(name, required=required)
        if found is None:
            return ()
        if isinstance(found, Items) and found.items:
            return found.items
        if isinstance(found, Items):
            self.fault(
                found.location,
                f'the list "{name}" is empty',
                "write at least one item, or remove the field",
            )
        elif found or not self._told(found.location):
            self.fault(
                found.location,
                f'"{name}" must be a list',
                'begin each item with "- " on a line of its own',
            )
        return ()

    def each(self, name: str, thing: str, *, required: bool = False) -> Iterator[Fields]:
        """The items of a list of things; each one is closed after its turn."""
        for item in self.items(name, required=required):
            fields = self.part(item, thing)
            yield fields
            fields.close()

    def part(self, node: Node, thing: str) -> Fields:
        """The fields of a thing that is an item of a list. It must be closed."""
        return Fields(node, thing, self._faults)

    def inner(self, name: str, thing: str, *, required: bool = False) -> Fields | None:
        """The fields of a thing that is the value of a field. It must be closed."""
        found = self.node(name, required=required)
        return None if found is None else self.part(found, thing)

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`; required unless it has a default."""
        instead = f"write a whole number from {low} to {high}"
        found = self._typed(name, instead, required=default is None)
        if found is None:
            return low if default is None else default
        if _WHOLE.fullmatch(found.strip()) and low <= int(found) <= high:
            return int(found)
        self.fault(found.location, f'"{name}" is "{found}"', instead)
        return low

    def positive(self, name: str, high: int, default: float) -> float:
        """A number above 0, at most `high`."""
        instead = f"write a number above 0, at most {high}, such as 1.5"
        found = self._typed(name, instead, required=False)
        if found is None:
            return default
        if _DECIMAL.fullmatch(found.strip()) and 0 < float(found) <= high:
            return float(found)
        self.fault(found.location, f'"{name}" is "{found}"', instead)
        return default

    def optional_choice(self, name: str, known: Collection[str]) -> Text | None:
        """One of the known names, or None if there is no such field."""
        self._asked.append(name)
        return self.choice(name, known) if name in self._nodes else None

    def length(self, name: str, high: float) -> float:
        """A length from 0 to `high`, in points; 0 if there is no such field."""
        found = self._typed(name, f'write a length such as "{name}: 4 mm"', required=False)
        if found is None:
            return 0
        try:
            points = units.length(found)
        except ValueError:
            points = -1
        if not 0 <= points <= high:
            self.fault(
                found.location,
                f'"{name}" is "{found}"',
                f"write a length such as 4 mm, at most {units.in_mm(high)} mm",
            )
            return 0
        return points

    def range(self, name: str, high: int) -> Range:
        """A required whole number or range from 1 to `high`."""
        found = self._typed(name, _RANGE_EXAMPLE, required=True)
        return Range(1, 1) if found is None else self.as_range(found, name, 1, high)

    def optional_range(self, name: str, high: int) -> Range | None:
        """A whole number or range from 1 to `high`, or None if there is no such field."""
        found = self._typed(name, _RANGE_EXAMPLE, required=False)
        return None if found is None else self.as_range(found, name, 1, high)

    def as_range(
        self,
        typed: Text,
        name: str,
        low: int,
        high: int,
        instead: str = _RANGE_EXAMPLE,
    ) -> Range:
        """The text of field `name` as a whole number or a range from `low` to `high`."""
        match = _RANGE.fullmatch(typed.strip())
        if match is None:
            self.fault(typed.location, f'"{name}" is "{typed}"', instead)
            return Range(low, low)
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            self.fault(
                typed.location,
                f'"{name}" runs backwards: {typed}',
                f"write the smaller number first: {last}-{first}",
            )
        elif first < low or last > high:
            self.fault(
                typed.location, f'"{name}" is {typed}', f"write numbers from {low} to {high}"
            )
        else:
            return Range(first, last)
        return Range(low, low)

    def word(self, name: str, known: Sequence[str]) -> str:
        """One of the known words, in capitals or not; the first one if there is no such field."""
        instead = f"write {', '.join(known[:-1])} or {known[-1]}"
        found = self._typed(name, instead, required=False)
        if found is None:
            return known[0]
        word = found.strip().lower()
        if word not in known:
            self.fault(found.location, f'"{name}" is "{found}"', instead)
            return known[0]
        return word

    def choice(self, name: str, known: Collection[str]) -> Text:
        """One of the known names; required."""
        found = self._typed(name, f"write one of {', '.join(known)}", required=True)
        if found is None:
            return Text("", self.location)
        if found not in known:
            self.fault(found.location, f'there is no {name} "{found}"', suggestion(found, known))
        return found

    def close(self) -> None:
        """Reports the fields nobody asked for, then the missing ones."""
        allowed = list(dict.fromkeys(self._asked))
        free = [name for name in allowed if name not in self._nodes]
        for name in self.rest():
            near = nearest(name, free)
            if near in self._missing:
                self._missing.remove(near)
            wrong = colon(name.location) if ":" in name else None
            if wrong is not None:
                self._faults.append(wrong)
                continue
            advice = f'did you mean "{near}"? ' if near else ""
            self.fault(
                name.location,
                f'the {self._thing} has no field "{name}"',
                f"{advice}its fields are {', '.join(allowed)}",
            )
        if self._missing and self.sound:
            names = " and no ".join(f'"{name}"' for name in self._missing)
            lines = " and ".join(f'"{name}: ..."' for name in self._missing)
            self.fault(self.location, f"the {self._thing} has no {names}", f"add {lines}")

    def _typed(self, name: str, instead: str, *, required: bool) -> Text | None:
        """A text that is to be understood further; None if it is missing or no text."""
        found = self.node(name, required=required)
        if found is None:
            return None
        if not isinstance(found, Text):
            self.fault(found.location, f'"{name}" is "{found.written}"', instead)
            return None
        text = self.as_text(found, name)
        return text if _visible(text) else None

    def _empty(self, node: Text, name: str) -> None:
        marker = node.location.excerpt[node.location.column - 1 :].strip()
        if marker[:1] in ("|", ">"):
            self.fault(
                node.location,
                f'there is no text below "{marker}"',
                "write it there, further right than the field name; a text that begins "
                f'with "{marker[:1]}" needs quotes',
            )
        elif marker[:1] in ("'", '"'):
            inside = "only spaces stand" if node else "nothing stands"
            self.fault(node.location, f"{inside} between these quotes", "write a text between them")
        elif node.location.excerpt[: node.location.column - 1].rstrip().endswith("-"):
            self.fault(node.location, 'nothing stands after this "-"', "write a text, or remove it")
        else:
            self.fault(node.location, f'"{name}" is empty', "write something after the colon")

    def _told(self, location: Location) -> bool:
        """Whether a fault of this very line says already why nothing stands here."""
        return any(
            each.location is not None and each.location.line == location.line
            for each in self._faults
        )
