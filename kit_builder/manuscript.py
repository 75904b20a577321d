"""An author's YAML file as typed: texts, lists and mappings, each with its place.

The only module that reads YAML. Every value stays the text that was typed (012, No, 10:30, 1.10),
composed to NFC. What YAML would change or drop in silence is refused: anchors, aliases, tags, merge
keys, duplicate fields, a second document, escapes, and text after " #".
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import yaml

from kit_builder import characters, syntax
from kit_builder.characters import SPACES
from kit_builder.errors import Fault, KitError, Location, Source, Text
from kit_builder.files import File

DEEPEST_NESTING = 20  # levels; an activity needs six

_QUOTES = ("'", '"')
_BLOCKS = ("|", ">")
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_BLOCK_DIGIT = re.compile(r">[+-]?\d")
_JOINED_FIELD = re.compile(rf"[\w-]+ *(?:\uff1a|:(?=[{SPACES}]))")
_SPACED_FIELD = re.compile(rf"[\w-]+:[{SPACES}]")
_SPACE = re.compile(f"[{SPACES}]")
_HIDDEN = re.compile(f"[\u00ad{SPACES}]")
_NOTE = re.compile("#.*")
_NOTE_BEHIND = re.compile(r"\s#.*")

# Trap: the Python parser ends a plain text in brackets at "?", as in [Who?, When?]; libyaml does
# not, and neither does YAML 1.2. It is shown the last private character instead.
_INNER_QUESTION = re.compile(r"(?<=[^\s\[{,])\?")
_STAND_IN = "\U0010fffd"


@dataclass(frozen=True, slots=True)
class Items:
    """A list.

    Attributes:
        written: how its first line was typed.
    """

    items: tuple[Node, ...]
    location: Location
    written: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping: every field name is there once, in the author's order.

    Attributes:
        written: how its first line was typed.
    """

    pairs: tuple[tuple[Text, Node], ...]
    location: Location
    written: str


Node = Text | Items | Pairs


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A file that could be read: what stands in it, and the faults that were found on the way.

    Attributes:
        root: None in a file without any text.
    """

    source: Source
    root: Node | None
    faults: tuple[Fault, ...]


# A definition is read for its outline and for each language, and so is each translation.
@lru_cache(maxsize=8)
def read(file: File) -> Manuscript:
    """What stands in a file.

    Raises:
        KitError: the file is no text, or its layout cannot be understood.
    """
    source, text, faults = characters.read(file)
    # libyaml is ten times faster; only the Python parser explains itself well enough.
    fast = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        composer = _Composer(text, source, fast, faults)
        root = composer.document()
    except yaml.MarkedYAMLError:
        composer = _Composer(text, source, yaml.BaseLoader, faults)
        try:
            root = composer.document()
        except yaml.MarkedYAMLError as error:
            explained = syntax.explain(composer.complaint(error))
            told = {each.location.line for each in faults if each.location is not None}
            at = explained.location
            # A refused character on the line, or just above it, is the cause: say it once.
            if at is None or not told & {at.line, at.line - 1}:
                faults.append(explained)
            raise KitError(*in_order(faults)) from None
    return Manuscript(source, root, tuple(composer.faults))


def in_order(faults: list[Fault]) -> list[Fault]:
    """The faults of one file from its first line to its last."""
    return sorted(
        faults,
        key=lambda each: (each.location.line, each.location.column) if each.location else (0, 0),
    )


class _Span(NamedTuple):
    """Where a text lies: `[start, end)` in characters of the file, from 0.

    Attributes:
        style: "" for a plain text, else its quote mark or block marker.
        parent: the column from 0 of the name or dash it belongs to.
    """

    start: int
    end: int
    style: str
    parent: int


class _Mark(Protocol):
    """A position of the parser, everything counted in characters from 0."""

    index: int
    line: int
    column: int


def _start(event: yaml.Event) -> _Mark:
    assert event.start_mark is not None  # a parsed event has its marks
    return event.start_mark


def _end(event: yaml.Event) -> int:
    assert event.end_mark is not None
    return event.end_mark.index


class _Composer:
    """Builds nodes from a parser's events, and collects the faults that do not stop it."""

    def __init__(self, text: str, source: Source, loader: type, faults: list[Fault]) -> None:
        self.faults = list(faults)
        self._text = text
        self._source = source
        self._restore = loader is yaml.BaseLoader
        if self._restore:
            text = _INNER_QUESTION.sub(_STAND_IN, text)
        self._parser = loader(text)
        self._end = 0
        self._spans: list[_Span] = []
        self._quoted: Location | None = None
        self._brackets: list[Location] = []

    def document(self) -> Node | None:
        """The root of the file, or None if nothing stands in it.

        Raises:
            YAMLError: the parser gives up.
            KitError: a second document begins, or lists and fields lie too deep.
        """
        root: Node | None = None
        began = False
        while not isinstance(event := self._next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                if began:
                    raise self._end_of_reading(
                        self._location(_start(event)),
                        "three dashes alone begin a second document",
                        'remove the line, or put it in quotes: "---"',
                    )
                began = True
                root = self._node(self._next(), 0, -1)
        self._comments()
        if isinstance(root, Text) and not root:
            return None
        return root

    def complaint(self, error: yaml.MarkedYAMLError) -> syntax.Complaint:
        """The parser's error, with what was read so far."""
        lines = self._source.lines
        mark = error.problem_mark
        place = self._location(mark) if mark is not None else Location(self._source, len(lines), 1)
        return syntax.Complaint(
            error.problem or "",
            place,
            error.context or "",
            self._location(error.context_mark) if error.context_mark is not None else None,
            self._quoted,
            self._brackets[-1] if self._brackets else None,
        )

    def _next(self) -> yaml.Event:
        event: yaml.Event = self._parser.get_event()
        self._end = _end(event)
        return event

    def _location(self, mark: _Mark) -> Location:
        return Location(self._source, mark.line + 1, mark.column + 1)

    def _at(self, index: int) -> Location:
        line = self._text.count("\n", 0, index) + 1
        return Location(self._source, line, index - self._text.rfind("\n", 0, index))

    def _fault(self, location: Location, what: str, instead: str) -> None:
        self.faults.append(Fault(location, what, instead))

    def _end_of_reading(self, location: Location, what: str, instead: str) -> KitError:
        self._fault(location, what, instead)
        return KitError(*in_order(self.faults))

    def _node(self, event: yaml.Event, depth: int, parent: int) -> Node:
        start = _start(event)
        location = Location(self._source, start.line + 1, start.column + 1)
        if depth > DEEPEST_NESTING:
            raise self._end_of_reading(
                location,
                f"lists and fields lie more than {DEEPEST_NESTING} deep in one another",
                "write them flatter",
            )
        if (
            isinstance(event, yaml.AliasEvent)
            or getattr(event, "anchor", None)
            or getattr(event, "tag", None)
        ):
            self.faults.append(syntax.begins(location, location.excerpt[location.column - 1 :]))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, start.index, location, parent)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._items(event, location, depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self._pairs(event, location, depth)
        return Text("", location)

    def _items(self, start: yaml.SequenceStartEvent, location: Location, depth: int) -> Items:
        self._open(start, location)
        items = []
        column = _start(start).column
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1, column))
        self._close(start)
        return Items(tuple(items), location, self._written(start))

    def _pairs(self, start: yaml.MappingStartEvent, location: Location, depth: int) -> Pairs:
        self._open(start, location)
        pairs: dict[Text, Node] = {}
        previous = _start(start).index
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = _start(event)
            between = self._text[previous : key.index]
            if "?" in between and "?" in _NOTE.sub("", between):
                self._fault(
                    self._location(key),
                    'a "?" alone has a special meaning',
                    "put the text with the ? in quotes",
                )
            name = self._node(event, depth + 1, key.column)
            value = self._node(self._next(), depth + 1, key.column)
            previous = self._end
            if isinstance(name, Text):
                self._pair(pairs, name, value)
            else:
                self._fault(
                    name.location,
                    "brackets stand where a field name belongs",
                    f"put the text in quotes: {syntax.quoted(name.written)}",
                )
        self._close(start)
        return Pairs(tuple(pairs.items()), location, self._written(start))

    def _pair(self, pairs: dict[Text, Node], name: Text, value: Node) -> None:
        if not name.isascii() and (hidden := _HIDDEN.search(name)):
            called = characters.name(hidden.group())
            self._fault(
                name.location.of(hidden.group()),
                f"an invisible character ({called}) stands in this field name",
                "delete it, and type a space where one belongs",
            )
            name = Text(_HIDDEN.sub("", name), name.location)
        if name == "<<":
            self._fault(
                name.location, '"<<" would copy fields from elsewhere', "write the fields out"
            )
        elif name in pairs:
            first = next(each for each in pairs if each == name).location.line
            lines = f"lines {first} and {name.location.line}"
            if first == name.location.line:
                lines = f"line {first}"
            self._fault(
                name.location, f'the field "{name}" stands twice, in {lines}', "keep one of them"
            )
        else:
            pairs[name] = value

    def _open(self, start: yaml.CollectionStartEvent, location: Location) -> None:
        # A pair in a list, [a: b], starts a mapping without a bracket of its own.
        if start.flow_style and self._text[_start(start).index] in "[{":
            self._brackets.append(location)

    def _close(self, start: yaml.CollectionStartEvent) -> None:
        if start.flow_style and self._text[_start(start).index] in "[{":
            self._brackets.pop()

    def _written(self, start: yaml.Event) -> str:
        index = _start(start).index
        newline = self._text.find("\n", index, self._end)
        first = self._text[index : newline if newline >= 0 else self._end]
        return _NOTE_BEHIND.sub("", first).strip()

    def _scalar(self, event: yaml.ScalarEvent, start: int, location: Location, parent: int) -> Text:
        end = self._end
        style = event.style or ""
        value = event.value.replace(_STAND_IN, "?") if self._restore else event.value
        first_line = None
        if style in _BLOCKS:
            value = value.rstrip("\n")
            header = self._text[start : self._text.find("\n", start)]
            if style == "|":
                first_line = location.line + 1
            elif _BLOCK_DIGIT.match(header):
                self.faults.append(syntax.begins(location, header))
            # A note after the marker is outside of the text.
            start += len(header)
        elif style in _QUOTES:
            self._quoted = location
            if style == '"':
                self._escapes(start, end)
        else:
            self._plain(self._text[start:end], location)
        self._spans.append(_Span(start, end, style, parent))
        return Text(unicodedata.normalize("NFC", value), location, first_line)

    def _escapes(self, start: int, end: int) -> None:
        for match in _ESCAPE.finditer(self._text[start:end]):
            if match[1] not in ('"', "\\"):
                self.faults.append(syntax.escape(self._at(start + match.start())))

    def _plain(self, written: str, location: Location) -> None:
        """Refuses what a text without quotes may have swallowed."""
        if written.isascii() and "\n" not in written:
            return
        first, *more = written.split("\n")
        if _SPACE.match(first):
            self._fault(
                location,
                f"an invisible character ({characters.name(first[0])}) stands before the text",
                "delete it and press the space bar",
            )
        elif _SPACED_FIELD.match(first) and (found := syntax.colon(location)):
            self.faults.append(found)
        for number, line in enumerate(more, location.line + 1):
            column = len(line) - len(line.lstrip()) + 1
            at = Location(self._source, number, column)
            if line.lstrip().startswith("- "):
                self._fault(
                    at,
                    f"this line was read as part of the text in line {location.line}",
                    'start each "-" of a list exactly below the one before',
                )
            elif _JOINED_FIELD.match(line.lstrip()) and (found := syntax.colon(at)):
                self.faults.append(found)

    def _comments(self) -> None:
        """Refuses a note to oneself that is likely to be text.

        A note takes a line of its own, or stands after a value: then two spaces come before its
        "#" and one after it.
        """
        starts = [span.start for span in self._spans]
        done = 0
        for match in re.finditer("#", self._text):
            index = match.start()
            if index < done:
                continue
            number = bisect_right(starts, index) - 1
            span = self._spans[number] if number >= 0 else None
            if span is not None and index < span.end:
                continue
            newline = self._text.find("\n", index)
            done = newline if newline >= 0 else len(self._text)
            if span is not None:
                self._comment(index, done, span)

    def _comment(self, index: int, end: int, before: _Span) -> None:
        line_start = self._text.rfind("\n", 0, index) + 1
        glued = self._text[index + 1 : index + 2] not in ("", " ", "\n", "#")
        gap = self._text[before.end : index]
        if not self._text[line_start:index].strip():
            if gap.strip() or index - line_start <= before.parent:
                return
            if before.style in _BLOCKS or (glued and not before.style):
                self._fault(
                    self._at(index),
                    'this line begins with "#", so it would be lost',
                    "start it exactly below the text above; or, if it is a note to yourself, at "
                    "the left edge",
                )
        elif glued or (not before.style and not gap.strip() and len(gap) < 2):
            text = self._text[max(before.start, line_start) : end]
            if gap.strip() or before.style:
                text = self._text[index:end]
            self.faults.append(syntax.lost(self._at(index), text))
