"""How a run is printed: the options of the command line as values, checked against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Literal, get_args

from kit_builder import formats, printers
from kit_builder.formats import Format
from kit_builder.printers import Profile

# For whom a PDF is.
PLAYER = "player"
HOST = "host"
EDITIONS = (PLAYER, HOST)

PARTS = ("rules", "cards", "records", "label")

Cut = Literal["shared", "gutter", "dashed", "none"]
Backs = Literal["none", "long-edge", "short-edge", "fold", "separate"]
Order = Literal["rows", "stack"]
Only = Literal["pages", "cards", "fronts", "backs"]

CUTS: tuple[Cut, ...] = get_args(Cut)
BACKS: tuple[Backs, ...] = get_args(Backs)
ORDERS: tuple[Order, ...] = get_args(Order)

MOST_SETS = len(ascii_uppercase)


@dataclass(frozen=True, slots=True)
class ClassSet:
    """One of several complete sets of a kit, told apart by a letter and a number.

    Attributes:
        number: from 1.
    """

    number: int

    @property
    def letter(self) -> str:
        """A for the first one."""
        return ascii_uppercase[self.number - 1]


@dataclass(frozen=True, slots=True)
class PuzzleOrder:
    """Which puzzle is wanted of a kit that has one; None leaves it as the kit's file says.

    Attributes:
        candidates: how many codes may be the secret one, as far as the cards tell.
        secret: a text mixed into the puzzle, so that its number alone does not give it away.
    """

    number: int | None = None
    mode: str | None = None
    checkers: int | None = None
    candidates: range | None = None
    secret: str = ""

    @property
    def mark(self) -> str:
        """What tells the files of this puzzle from others: "puzzle-7-extreme-5-checkers"."""
        number = f"puzzle-{self.number}" if self.number else ""
        wished = self.candidates
        span = f"{min(wished)}-{max(wished)}-candidates" if wished else ""
        checkers = f"{self.checkers}-checkers" if self.checkers else ""
        return "-".join(filter(None, (number, self.mode, checkers, span)))


THE_KITS_OWN = PuzzleOrder()


@dataclass(frozen=True, slots=True)
class Printing:
    """How one PDF of a kit is printed.

    Attributes:
        sets: the class sets, in order; none for a single unmarked kit.
        parts: which of PARTS; all of them if empty.
        cards: the names or running numbers of the only cards to print; all of them if empty.
        cut, gutter, bleed: of all decks; None where each deck decides. Lengths in points.
        cut_backs: the cut lines stand on the backs of sheets as well.
        large: in large print.
        school: is named in the margin of every page, if it is not "".
    """

    paper: Format = formats.PAPERS["a4"]
    sets: Sequence[ClassSet] = ()
    parts: Sequence[str] = ()
    cards: Sequence[str] = ()
    backs: Backs = "none"
    cut: Cut | None = None
    gutter: float | None = None
    bleed: float | None = None
    order: Order = "rows"
    cut_backs: bool = False
    large: bool = False
    profile: Profile = field(default=printers.NONE)
    school: str = ""

    @property
    def margin(self) -> float:
        """What is left blank at each edge of the paper, before the profile scales the print.

        Scaling spreads the print about the middle of the sheet, and must not push it into what
        the printer leaves blank.
        """
        profile, paper = self.profile, self.paper
        scales = (paper.width, profile.scale_x), (paper.height, profile.scale_y)
        spread = (
            side / 2 - (side / 2 - profile.margin) / scale for side, scale in scales if scale > 1
        )
        return max((profile.margin, *spread))


@dataclass(frozen=True, slots=True)
class Orders:
    """What of a document is made, and how cards are.

    Attributes:
        parts: names of the only parts to make; all of them if empty.
        cards: names or running numbers of the only cards to make; all of them if empty.
        only: text pages only, or cards only, or one side of them.
        backs: the cards have backs.
        cut, gutter, bleed: of all decks; None where each deck says it. Lengths in points.
    """

    parts: Sequence[str] = ()
    cards: Sequence[str] = ()
    only: Only | None = None
    backs: bool = False
    cut: Cut | None = None
    gutter: float | None = None
    bleed: float | None = None

    @property
    def pages(self) -> bool:
        """Text pages are made."""
        return self.only in (None, "pages")


EVERYTHING = Orders()
