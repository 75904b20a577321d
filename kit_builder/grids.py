"""Grids: how many cards of one format fit on a sheet of paper, and where they lie.

Pure arithmetic. Lengths in points, origin at the lower left of the sheet, columns counted from the
left and rows from the bottom, from 0.

Paper is never turned: a sheet on its side would hold the same cards as an upright one that holds
them turned by 90 degrees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import floor
from typing import Literal, NamedTuple

from kit_builder.formats import PAPERS, UNPRINTABLE_MARGIN, Format
from kit_builder.units import MM, in_mm

Axis = Literal["x", "y"]

# Common practice for print-and-play: the fold lies at least 5 mm from anything printed.
_FOLD_GAP = 5 * MM

# What a check ruler takes of a free band: what it is given, and the least with which it is legible.
RULER_ROOM, SMALLEST_RULER_ROOM = 1.7 * MM, 0.95 * MM

# The font size of a caption that is read with ease, and the least with which it is legible.
GOOD_CAPTION, SMALLEST_CAPTION = 8.0, 6.0
# The depth of a line of it, in parts of the font size.
CAPTION_LINE = 1.25

# A sum of lengths may miss the exact measure by rounding.
ROUNDING = 1e-6


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def grown(self, by: float) -> Box:
        """The box with `by` points more on each side."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def joined(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def clipped(self, other: Box) -> Box:
        """What of the box lies in the other one."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    def overlaps(self, other: Box) -> bool:
        """Whether they share more than an edge."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > ROUNDING
            and min(self.top, other.top) - max(self.bottom, other.bottom) > ROUNDING
        )


class Span(NamedTuple):
    """From where to where a column or a row reaches."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Grid:
    """How the faces lie on a sheet of one format: centred, alone or beside their backs.

    Attributes:
        x, y: the lower left corner of the faces' block.
        width, height: of a card as it lies.
        turn: 0, or 90 for cards that lie on their side.
        fold: the coordinate that changes when the sheet is folded: "x" if the backs lie to the
            right of the faces, "y" if below; None if the faces are alone.
        side, end: the free bands at the left and right, and at the top and bottom of the sheet.
    """

    columns: int
    rows: int
    x: float
    y: float
    width: float
    height: float
    gutter: float
    turn: int
    fold: Axis | None
    side: float
    end: float

    @property
    def count(self) -> int:
        """How many faces a sheet holds."""
        return self.columns * self.rows

    @property
    def column_spans(self) -> tuple[Span, ...]:
        """The columns, from the left."""
        return _spans(self.x, self.width, self.gutter, self.columns)

    @property
    def row_spans(self) -> tuple[Span, ...]:
        """The rows, from the bottom."""
        return _spans(self.y, self.height, self.gutter, self.rows)

    @property
    def faces(self) -> Box:
        """The block of the faces, without bleed."""
        columns, rows = self.column_spans, self.row_spans
        return Box(columns[0].low, rows[0].low, columns[-1].high, rows[-1].high)


def _spans(start: float, size: float, gutter: float, count: int) -> tuple[Span, ...]:
    # Where cards touch, one card's end must be the very float of the next one's start.
    starts = [start + index * (size + gutter) for index in range(count + 1)]
    if gutter:
        return tuple(Span(low, low + size) for low in starts[:-1])
    return tuple(Span(low, high) for low, high in pairwise(starts))


@dataclass(frozen=True, slots=True)
class _Job:
    """What a grid is sought for; the arguments of `grid`."""

    card: Format
    margin: float
    gutter: float
    bleed: float
    marks: float
    fold: bool
    imprint: float
    offset: tuple[float, float]

    def areas(self, paper: Format) -> Iterator[tuple[Axis | None, float, float]]:
        """The fold and the largest width and height of the faces' block, bleed left out."""
        printed = self.margin + max(self.bleed, self.marks)
        for side_room, end_room in _imprint_rooms(self.imprint):
            side = printed + max(side_room, abs(self.offset[0]))
            end = printed + max(end_room, abs(self.offset[1]))
            if self.fold:
                gap = _FOLD_GAP + self.bleed
                yield "x", paper.width / 2 - side - gap, paper.height - 2 * end
                yield "y", paper.width - 2 * side, paper.height / 2 - end - gap
            else:
                yield None, paper.width - 2 * side, paper.height - 2 * end

    def grids(self, paper: Format) -> Iterator[Grid]:
        """The fullest grid for each fold and either turn of the cards."""
        for fold, free_width, free_height in self.areas(paper):
            for turn in (0, 90):
                width, height = self.card.width, self.card.height
                if turn:
                    width, height = height, width
                columns = _how_many(width, self.gutter, free_width)
                rows = _how_many(height, self.gutter, free_height)
                if columns < 1 or rows < 1:
                    continue
                block_width = columns * (width + self.gutter) - self.gutter
                block_height = rows * (height + self.gutter) - self.gutter
                gap = _FOLD_GAP + self.bleed
                x = side = (paper.width - block_width) / 2
                y = end = (paper.height - block_height) / 2
                if fold == "x":
                    x = side = paper.width / 2 - gap - block_width
                elif fold == "y":
                    y = paper.height / 2 + gap
                    end = paper.height - y - block_height
                yield Grid(columns, rows, x, y, width, height, self.gutter, turn, fold, side, end)


def _imprint_rooms(size: float) -> tuple[tuple[float, float], ...]:
    """What an imprint may take of the bands at the sides and of those at the ends.

    The two texts of an ordinary caption stand on one line, where there is no ruler. Larger ones may
    need two bands: the opposite ones, one of them beside a ruler, or two that meet at a corner.
    """
    if not size:
        return ((0, 0),)
    ruler, line = SMALLEST_RULER_ROOM, CAPTION_LINE * size
    if size <= GOOD_CAPTION:
        return (ruler, line), (line, ruler)
    beside_ruler = RULER_ROOM + line
    return (ruler, beside_ruler), (beside_ruler, ruler), (line, line)


def _how_many(size: float, gutter: float, free: float) -> int:
    return int((free + gutter + ROUNDING) // (size + gutter))


def grid(
    card: Format,
    paper: Format,
    margin: float = UNPRINTABLE_MARGIN,
    gutter: float = 0,
    *,
    bleed: float = 0,
    marks: float = 0,
    fold: bool = False,
    imprint: float = 0,
    offset: tuple[float, float] = (0, 0),
) -> Grid:
    """The grid that holds most cards; of equal ones, one with upright cards.

    Args:
        card: the card's trim, upright.
        paper: the sheet.
        margin: what stays free at each edge of the paper.
        gutter: between two cards.
        bleed: by how much a card is printed beyond its trim.
        marks: how far crop marks reach beyond the outer trims, at least.
        fold: every face has its back on the same sheet, beyond a fold. Of equal grids the one
            with the fewest cards between fold and edge is taken, where folding is most exact.
        imprint: leave room for the check rulers and a caption of at least this font size; 0 if
            there is none.
        offset: by how much the backs will be shifted; they must stay inside the margin too.

    Raises:
        ValueError: not even one card fits.
    """
    job = _Job(card, margin, gutter, bleed, marks, fold, imprint, offset)

    def merit(each: Grid) -> tuple[int, int, int]:
        deep = each.columns if each.fold == "x" else each.rows
        return each.count, -deep if fold else 0, -each.turn

    best = max(job.grids(paper), key=merit, default=None)
    if best:
        return best
    larger = sorted(
        (each for each in PAPERS.values() if any(job.grids(each))),
        key=lambda each: each.width * each.height,
    )
    advice = [_described(each) for each in larger[:2]]
    _, width, height = next(job.areas(paper))
    if min(width, height) > 0:
        # To the tenth of a millimetre below: what is advised must fit.
        tenths = (floor(10 * each / MM + ROUNDING) for each in (width, height))
        across, up = (each * MM / 10 for each in tenths)
        advice.append(f"cards of at most {Format('', across, up).dimensions}")
    raise ValueError(
        f"a card of {_described(card)}{' and its back' if fold else ''} does not fit on"
        f" {_described(paper)} with margins of {in_mm(margin)} mm"
        f"; use {' or '.join(advice) or 'a larger paper'}"
    )


def _described(each: Format) -> str:
    return each.dimensions if each.name == each.dimensions else f"{each.name} ({each.dimensions})"
