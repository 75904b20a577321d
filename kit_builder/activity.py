"""What an activity is: values only, and who may see which of them.

`Kit` is what the players get. `HostKey` is what only the host gets. They are separate values, so
a player layout that is handed the `Kit` has nothing to leak. Every `Text` knows its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from kit_builder.errors import Location, Text
from kit_builder.formats import Format


@dataclass(frozen=True, slots=True)
class Range:
    """An inclusive range of whole numbers, such as 2-4 players or 15-20 minutes."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class ComputedTable:
    """A table of facts that is computed from its arguments, never typed.

    Attributes:
        rows: header row first, then body rows; every row has the same number of cells.
    """

    rows: tuple[tuple[str, ...], ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the author's choice, Markdown text below it, and perhaps a computed table."""

    heading: Text
    text: Text | None
    table: ComputedTable | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of card: the fields its face asks for, and how many copies are printed."""

    fields: Mapping[str, Text]
    copies: int
    location: Location


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """One card as it lies on a sheet.

    Attributes:
        fields: of its kind.
        copy, copies: this is copy n of m of its kind (of its owner's block), from 1.
        owner: the number of the player whose block it is in, from 1; 0 in a common deck.
        number: its running number in the deck, from 1.
    """

    fields: Mapping[str, Text]
    copy: int
    copies: int
    owner: int
    number: int
    location: Location


@dataclass(frozen=True, slots=True)
class Back:
    """What the backs of a deck show: one of these, or nothing if all are empty.

    Attributes:
        pattern: the name of an all-over pattern.
        text: the same words on every back.
        face: the name of a card face, filled with the fields of each card.
    """

    pattern: str
    text: str
    face: str


NO_BACK = Back("", "", "")


@dataclass(frozen=True, slots=True)
class Deck:
    """Cards of one size and one face.

    Attributes:
        cut: how they are cut apart: "shared", "dashed", "gutter" or "none".
        gutter, bleed: between two cards, and beyond the trim, in points.
        blocks: how often the whole list of cards is printed, once for each player
            (`per: player`); 0 for a common deck.
    """

    name: Text
    size: Format
    face: Text
    blocks: int
    cards: tuple[Card, ...]
    location: Location
    back: Back = NO_BACK
    cut: str = "shared"
    gutter: float = 0
    bleed: float = 0

    def printed(self) -> Iterator[PrintedCard]:
        """Every card of the deck in printing order: block by block, kind by kind."""
        number = 0
        for owner in range(1, self.blocks + 1) if self.blocks else (0,):
            for card in self.cards:
                for copy in range(1, card.copies + 1):
                    number += 1
                    yield PrintedCard(card.fields, copy, card.copies, owner, number, card.location)

    @property
    def count(self) -> int:
        """How many cards are printed."""
        return sum(card.copies for card in self.cards) * max(self.blocks, 1)


@dataclass(frozen=True, slots=True)
class Boxes:
    """A row of `count` square boxes to tick off or to lay counters on."""

    label: Text
    count: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a record; `width` is its share relative to the other columns."""

    title: Text
    width: float = 1.0


@dataclass(frozen=True, slots=True)
class Record:
    """A table to write in.

    Attributes:
        numbered: "no"; "yes" or "letters": rows are numbered from 1 or lettered from A in the
            first column; "everywhere": the number of its row stands in every cell.
    """

    title: Text
    columns: tuple[Column, ...]
    rows: int
    numbered: str
    note: Text | None


@dataclass(frozen=True, slots=True)
class Step:
    """One field of a strip: a label, and a named shape below it."""

    label: Text
    shape: Text


@dataclass(frozen=True, slots=True)
class Cutout:
    """A piece to cut out that is not a card.

    Attributes:
        piece: "dice" (a cube net with glue tabs), "stand" (a folded card stand), "screen" (a
            folded screen) or "strip" (a row of labelled shapes).
        steps: of a strip; empty for the other pieces.
    """

    piece: Text
    name: Text
    count: int
    steps: tuple[Step, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Puzzle:
    """What the players may know of a puzzle that was drawn for them.

    Attributes:
        number: under which it was drawn; it stands on every page.
        mode: of code and checkers; "" for another puzzle.
        checkers: their letters.
    """

    number: int
    mode: str = ""
    checkers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checker:
    """What the host knows of a checker.

    Attributes:
        card: the name of the criteria card that it belongs to.
        criterion: the true one, in words.
        passes: "1" or "0" for each of the 125 proposals from 111 to 555.
    """

    letter: str
    card: str
    criterion: Text
    passes: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A proposal for the host to try the key on, and what each checker answers to it."""

    proposal: str
    answers: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PuzzleKey:
    """The solution of a puzzle of code and checkers.

    Attributes:
        code: its digits for triangle, square and circle.
        candidates: how many codes the cards alone leave possible.
        version: of the way in which it was drawn.
        has_secret: a secret was mixed in, so the number alone does not give it away.
    """

    code: tuple[int, ...]
    checkers: tuple[Checker, ...]
    trials: tuple[Trial, ...]
    candidates: int
    version: int
    has_secret: bool


@dataclass(frozen=True, slots=True)
class Kit:
    """Everything the players may see of an activity.

    Attributes:
        slug: the file name without its ending; names the PDFs and is what others link to.
        sheet_title: the heading above boxes, lines and ticks.
        related: slugs of other activities of the library.
    """

    slug: str
    title: Text
    language: Text
    category: Text
    summary: Text
    players: Range
    minutes: Range
    practises: Text
    observe: Text
    rules: tuple[Section, ...]
    decks: tuple[Deck, ...]
    cutouts: tuple[Cutout, ...]
    sheet_title: Text | None
    boxes: tuple[Boxes, ...]
    lines: tuple[Text, ...]
    ticks: tuple[Text, ...]
    records: tuple[Record, ...]
    related: tuple[Text, ...]
    puzzle: Puzzle | None
    location: Location

    @property
    def pieces(self) -> int:
        """How many cards and other pieces there are to cut out."""
        cards = sum(deck.count for deck in self.decks)
        return cards + sum(cutout.count for cutout in self.cutouts)


@dataclass(frozen=True, slots=True)
class HostKey:
    """Everything only the host may see.

    Attributes:
        secrets: texts, however short, that must not stand anywhere in a player file.
    """

    sections: tuple[Section, ...]
    records: tuple[Record, ...]
    secrets: tuple[Text, ...]
    puzzle: PuzzleKey | None


@dataclass(frozen=True, slots=True)
class Activity:
    """One file of the library: what the players see, and what only the host sees."""

    kit: Kit
    host: HostKey


def texts(value: object) -> list[Text]:
    """Every text in a value of this module, in its order."""
    found: list[Text] = []
    _gather(value, found)
    return found


def _gather(value: Any, found: list[Text]) -> None:
    if isinstance(value, Text):
        found.append(value)
    elif isinstance(value, ComputedTable):
        found += (Text(cell, value.location) for row in value.rows for cell in row)
    elif isinstance(value, tuple):
        for item in value:
            _gather(item, found)
    elif isinstance(value, Mapping):
        for item in value.values():
            _gather(item, found)
    else:
        kind: Any = type(value)
        for name in _field_names(kind):
            _gather(getattr(value, name), found)


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
