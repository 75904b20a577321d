"""Where a text was written, and what is wrong there.

A `Text` carries its place in the author's file through every stage, so that any later fault, a
character no font has or a word too long for its card, still names path, line and column.
Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# So many characters of a long line are drawn, around the caret, so that no terminal breaks them.
_SHOWN = 90


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read: its path as the user wrote it, and its lines without line ends."""

    path: str
    lines: tuple[str, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source. Line 0 means the whole file, column 0 the whole line."""

    source: Source
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = [self.source.path]
        if self.line:
            place.append(str(self.line))
            if self.column:
                place.append(str(self.column))
        return ":".join(place)

    @property
    def excerpt(self) -> str:
        """The source line, or "" where the source has no such line."""
        lines = self.source.lines
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    def of(self, character: str) -> Location:
        """The first place at or after this one where `character` stands; this place if none."""
        for number in range(max(self.line, 1), len(self.source.lines) + 1):
            start = max(self.column - 1, 0) if number == self.line else 0
            found = self.source.lines[number - 1].find(character, start)
            if found >= 0:
                return Location(self.source, number, found + 1)
        return self


class Text(str):
    """A text that remembers where it was written.

    Attributes:
        location: the first character of the text in its file (for a block text, its marker).
        first_line: for a literal block text (`|`), whose lines stand in the file one for one, the
            line number of its first line; otherwise None.
    """

    __slots__ = ("first_line", "location")
    location: Location
    first_line: int | None

    def __new__(cls, text: str, location: Location, first_line: int | None = None) -> Text:
        """A text and its place; see the attributes."""
        self = str.__new__(cls, text)
        self.location = location
        self.first_line = first_line
        return self

    def __getnewargs__(self) -> tuple[str, Location, int | None]:  # type: ignore[override]
        """What a copy in another process is made of."""
        return str(self), self.location, self.first_line

    def line(self, offset: int) -> Location:
        """The place of the text's line `offset` (counted from 0)."""
        if self.first_line is None:
            return self.location
        number = self.first_line + offset
        lines = self.location.source.lines
        written = lines[number - 1] if 0 < number <= len(lines) else ""
        indent = len(written) - len(written.lstrip())
        return Location(self.location.source, number, indent + 1)


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake of the user: where it is, what is wrong, and what to write instead."""

    location: Location | None
    what: str
    instead: str

    def __str__(self) -> str:
        """The fault as one line, then the source line and a caret where both are known."""
        message = f"{self.what}; {self.instead}"
        if self.location is None:
            return message
        drawn = f"{self.location}: {message}"
        excerpt = self.location.excerpt
        if excerpt.strip():
            caret = max(self.location.column - 1, 0)
            begin = max(caret - _SHOWN // 2, 0) if len(excerpt) > _SHOWN else 0
            end = begin + _SHOWN
            number = f"{self.location.line:>5} | {'…' if begin else ''}"
            drawn += f"\n{number}{excerpt[begin:end].rstrip()}{'…' if end < len(excerpt) else ''}"
            if self.location.column:
                before = excerpt[begin:caret]
                padding = "".join("\t" if character == "\t" else " " for character in before)
                drawn += f"\n{' ' * len(number)}{padding}^"
        return drawn


class KitError(Exception):
    """The user's mistakes, all that were found at once; never a fault of the program.

    Attributes:
        faults: in the order of the file.
    """

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


def halves(error: ValueError) -> tuple[str, str]:
    """What is wrong, and what to write instead, of an error that says "what; instead"."""
    what, _, instead = str(error).partition("; ")
    return what, instead


def fault(location: Location | None, what: str, instead: str) -> KitError:
    """A `KitError` of a single fault, ready to be raised."""
    return KitError(Fault(location, what, instead))
