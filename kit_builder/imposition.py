"""Imposition: where each card lies on which side of which sheet, and where the cuts and folds run.

Pure arithmetic. Lengths in points, origin at the lower left of the sheet side as it is read, cards
counted from 0, columns from the left, rows from the bottom. Every sheet of one format has its cards
at the same positions, so that a pile of sheets can be cut together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Literal, NamedTuple, TypeVar

from kit_builder.formats import UNPRINTABLE_MARGIN, Format
from kit_builder.grids import (
    CAPTION_LINE,
    GOOD_CAPTION,
    ROUNDING,
    RULER_ROOM,
    SMALLEST_CAPTION,
    Axis,
    Box,
    Grid,
    Span,
    grid,
)
from kit_builder.units import MM, in_mm

Side = Literal["front", "back"]
Order = Literal["rows", "stack"]
Cutting = Literal["shared", "dashed", "gutter", "none"]
Backs = Literal["long-edge", "short-edge", "separate", "fold"]

_TICK = 3 * MM
_CROP_MARK_GAP, _SMALLEST_CROP_MARK = 0.5 * MM, 1.5 * MM


class Line(NamedTuple):
    """A straight line. Of an upright line y1 < y2, of a level one x1 < x2."""

    x1: float
    y1: float
    x2: float
    y2: float


_Corners = TypeVar("_Corners", Line, Box)


@dataclass(frozen=True, slots=True)
class Placement:
    """One side of one card on one side of a sheet.

    Attributes:
        item: which card, from 0.
        x, y: the lower left corner of its trim as it lies on the sheet.
        width, height: of its trim as it lies on the sheet.
        turn: 0, 90, 180 or 270 degrees anticlockwise.
        face: its face is up; otherwise its back.
    """

    item: int
    x: float
    y: float
    width: float
    height: float
    turn: int
    face: bool = True

    @property
    def box(self) -> Box:
        """Its trim."""
        return Box(self.x, self.y, self.x + self.width, self.y + self.height)

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """The `cm` operands (PDF 32000-1, 8.3.3) that place a card set upright at the origin."""
        across, up = self.width, self.height
        a, b, e, f = {
            0: (1, 0, 0.0, 0.0),
            90: (0, 1, across, 0.0),
            180: (-1, 0, across, up),
            270: (0, -1, 0.0, up),
        }[self.turn]
        return (a, b, -b, a, self.x + e, self.y + f)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One side of a sheet of paper.

    Attributes:
        side: a back gets no imprint: its front says what the sheet is, and has the rulers for both.
        cuts: lines to cut along, each once. A back has none unless asked for: it is cut by its
            front, and a line that is misprinted by 1 mm would stay on one of two cards.
        ticks: ends of the cuts outside the block, or crop marks.
        folds: lines to fold along.
        block: where the cards of any sheet of this format may lie, bleed included.
        occupied: the block and what its ticks, or crop marks, may reach; the imprint stays out.
        dashed: the cuts are for scissors.
    """

    width: float
    height: float
    side: Side
    placements: tuple[Placement, ...]
    cuts: tuple[Line, ...]
    ticks: tuple[Line, ...]
    folds: tuple[Line, ...]
    block: Box
    occupied: Box
    dashed: bool


def gang(
    count: int,
    card: Format,
    paper: Format,
    *,
    margin: float = UNPRINTABLE_MARGIN,
    gutter: float = 0,
    bleed: float = 0,
    order: Order = "rows",
    cutting: Cutting = "shared",
    backs: Backs | None = None,
    offset: tuple[float, float] = (0, 0),
    cut_backs: bool = False,
    imprint: float = SMALLEST_CAPTION,
) -> tuple[Sheet, ...]:
    """Lays `count` cards on as many sheets as they need, the last one filled in part.

    Args:
        count: how many cards.
        card: their trim, upright.
        paper: the sheet.
        margin: what stays free at each edge of the paper.
        gutter: between two cards.
        bleed: by how much a card is printed beyond its trim.
        order: "rows" fills a sheet by rows before the next one. "stack" is for cutting all sheets
            as one pile: collect the small piles from left to right and from top to bottom, each
            under the ones before, and the cards are in order.
        cutting: "shared" is one line between two cards, "dashed" the same for scissors, "gutter"
            crop marks in the gutters and margins, "none" no marks at all.
        backs: where the backs are printed, so that a card reads upright when it is turned over
            around its upright axis. "long-edge" and "short-edge": on the back of the sheet, which
            the printer turns over along that edge of the paper; front, back, front, back.
            "separate": the same for the long edge, but all fronts first, then all backs. "fold":
            on the front too, beyond a fold; both halves have the same marks.
        offset: shifts the backs of sheets and their marks to the right and up, as they are read,
            against a printer that misplaces them. Not for "fold".
        cut_backs: the cut lines stand on the backs of sheets as well.
        imprint: leave room for the check rulers and a caption of at least this font size; 0 if
            there is none.

    Raises:
        ValueError: not even one card fits; a bleed that covers a neighbour (more than half of the
            gutter); lines shared across a gutter, or crop marks without one.
    """
    if bleed > gutter / 2 + ROUNDING:
        raise ValueError(
            f"a bleed of {in_mm(bleed)} mm covers the neighbouring card"
            f"; use a gutter of at least {in_mm(2 * bleed)} mm"
        )
    if gutter and cutting in ("shared", "dashed"):
        raise ValueError(
            f"cards with a gutter of {in_mm(gutter)} mm share no cut line"
            '; use no gutter, or cutting "gutter"'
        )
    if not gutter and cutting == "gutter":
        raise ValueError('crop marks need a gutter; use one of 4 mm, or cutting "shared"')
    fold = backs == "fold"
    shift = (0.0, 0.0) if fold or backs is None else offset
    gap = max(bleed, _CROP_MARK_GAP) if gutter else 0
    marks = gap + _SMALLEST_CROP_MARK if cutting == "gutter" else 0
    layout = grid(
        card,
        paper,
        margin,
        gutter,
        bleed=bleed,
        marks=marks,
        fold=fold,
        imprint=imprint,
        offset=shift,
    )
    reach = _reach(layout, margin, max(bleed, marks), gap, imprint)
    fronts: list[Sheet] = []
    for items in _dealt(count, layout.count, order):
        filled = _filled(layout, items)
        cuts, ticks = _marks(layout, filled, cutting, reach, gap)
        fronts.append(
            Sheet(
                paper.width,
                paper.height,
                "front",
                tuple(filled.values()),
                cuts,
                ticks,
                (),
                layout.faces.grown(bleed),
                reach,
                cutting == "dashed",
            )
        )
    if backs is None:
        return tuple(fronts)
    if layout.fold:
        return tuple(_folded(front, layout.fold) for front in fronts)
    upright = paper.width <= paper.height
    axis: Axis = "y" if upright == (backs == "short-edge") else "x"
    printable = Box(0, 0, paper.width, paper.height).grown(-margin)
    reverses = [_shifted(_turned_over(front, axis), shift, printable) for front in fronts]
    if not cut_backs:
        reverses = [replace(back, cuts=()) for back in reverses]
    if backs == "separate":
        return (*fronts, *reverses)
    return tuple(side for leaf in zip(fronts, reverses, strict=True) for side in leaf)


def _dealt(count: int, per_sheet: int, order: Order) -> Iterator[range]:
    """The cards of each sheet in the order of its positions; only its last positions are empty."""
    sheets = ceil(count / per_sheet)
    for number in range(sheets):
        if order == "stack":
            yield range(number, count, sheets)
        else:
            yield range(number * per_sheet, min((number + 1) * per_sheet, count))


def _filled(layout: Grid, items: Iterable[int]) -> dict[tuple[int, int], Placement]:
    """The placement of each card by its (column, row): as one reads, the top row first."""
    downwards = reversed(range(layout.rows))
    cells = [(column, row) for row in downwards for column in range(layout.columns)]
    columns, rows = layout.column_spans, layout.row_spans
    return {
        (column, row): Placement(
            item, columns[column].low, rows[row].low, layout.width, layout.height, layout.turn
        )
        for item, (column, row) in zip(items, cells, strict=False)
    }


def _reach(layout: Grid, margin: float, least: float, gap: float, imprint: float) -> Box:
    """How far from the faces' block ticks and crop marks may go."""
    side, end = layout.side - margin, layout.end - margin
    if imprint:
        line = CAPTION_LINE * max(imprint, GOOD_CAPTION)
        beside_ruler = RULER_ROOM + line
        if max(side, end) < least + beside_ruler - ROUNDING:
            side, end = side - line, end - line
        elif side > end:
            side, end = side - beside_ruler, end - RULER_ROOM
        else:
            side, end = side - RULER_ROOM, end - beside_ruler
    side, end = (max(least, min(room, gap + _TICK)) for room in (side, end))
    faces = layout.faces
    return Box(
        faces.left - side,
        faces.bottom - (gap + _TICK if layout.fold == "y" else end),
        faces.right + (gap + _TICK if layout.fold == "x" else side),
        faces.top + end,
    )


def _marks(
    layout: Grid,
    filled: Collection[tuple[int, int]],
    cutting: Cutting,
    reach: Box,
    gap: float,
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The cuts and the ticks of one front: upright lines, then level ones."""
    if cutting == "none":
        return (), ()
    columns, rows = layout.column_spans, layout.row_spans
    turned = {(row, column) for column, row in filled}
    height, width = Span(reach.bottom, reach.top), Span(reach.left, reach.right)
    if cutting == "gutter":
        crops = [
            *_crop_marks(columns, rows, filled, height, gap),
            *map(_swapped, _crop_marks(rows, columns, turned, width, gap)),
        ]
        return (), tuple(crops)
    uprights = [*_shared_edges(columns, rows, filled)]
    levels = [*_shared_edges(rows, columns, turned)]
    ticks = [*_ends(uprights, height), *map(_swapped, _ends(levels, width))]
    return (*uprights, *map(_swapped, levels)), tuple(ticks)


def _swapped(line: Line) -> Line:
    """The line with x and y exchanged: rows are found as if they were columns."""
    return Line(line.y1, line.x1, line.y2, line.x2)


def _shared_edges(
    columns: Sequence[Span], rows: Sequence[Span], filled: Collection[tuple[int, int]]
) -> Iterator[Line]:
    """The upright edges of the filled cells, each once, as long as they go on in one line."""
    for edge in range(len(columns) + 1):
        x = columns[edge].low if edge < len(columns) else columns[-1].high
        run: list[Span] = []
        for row, span in enumerate(rows):
            if (edge - 1, row) in filled or (edge, row) in filled:
                run.append(span)
            elif run:
                yield Line(x, run[0].low, x, run[-1].high)
                run = []
        if run:
            yield Line(x, run[0].low, x, run[-1].high)


def _ends(cuts: Iterable[Line], limit: Span) -> Iterator[Line]:
    """Where upright cuts go on beyond the cards."""
    for x, low, _, high in cuts:
        yield from _within(Line(x, low - _TICK, x, low), limit)
        yield from _within(Line(x, high, x, high + _TICK), limit)


def _crop_marks(
    columns: Sequence[Span],
    rows: Sequence[Span],
    filled: Collection[tuple[int, int]],
    limit: Span,
    gap: float,
) -> Iterator[Line]:
    """The upright crop marks above, below and between the filled cells."""
    gaps = [
        (rows[0].low - gap - _TICK, rows[0].low - gap),
        *((below.high + gap, above.low - gap) for below, above in pairwise(rows)),
        (rows[-1].high + gap, rows[-1].high + gap + _TICK),
    ]
    for column, sides in enumerate(columns):
        for above, (low, high) in enumerate(gaps):
            if (column, above - 1) in filled or (column, above) in filled:
                for x in sides:
                    yield from _within(Line(x, low, x, high), limit)


def _within(upright: Line, limit: Span) -> Iterator[Line]:
    """The part of the line inside the limit, if any."""
    x, low, _, high = upright
    low, high = max(low, limit.low), min(high, limit.high)
    if high - low > ROUNDING:
        yield Line(x, low, x, high)


def _turned_over(front: Sheet, axis: Axis) -> Sheet:
    """The back of the sheet: behind every face its back, behind every mark its mark."""
    return replace(
        front,
        side="back",
        placements=tuple(_behind(each, axis, front) for each in front.placements),
        cuts=tuple(_mirrored(each, axis, front) for each in front.cuts),
        ticks=tuple(_mirrored(each, axis, front) for each in front.ticks),
        block=_mirrored(front.block, axis, front),
        occupied=_mirrored(front.occupied, axis, front),
    )


def _folded(front: Sheet, axis: Axis) -> Sheet:
    """The faces of the sheet with their backs beyond the fold."""
    over = _turned_over(front, axis)
    occupied = front.occupied.joined(over.occupied)
    if axis == "x":
        middle = front.width / 2
        fold = Line(middle, occupied.bottom, middle, occupied.top)
    else:
        middle = front.height / 2
        fold = Line(occupied.left, middle, occupied.right, middle)
    return replace(
        front,
        placements=(*front.placements, *over.placements),
        cuts=(*front.cuts, *over.cuts),
        ticks=(*front.ticks, *over.ticks),
        folds=(fold,),
        block=front.block.joined(over.block),
        occupied=occupied,
    )


def _behind(face: Placement, axis: Axis, sheet: Sheet) -> Placement:
    box = _mirrored(face.box, axis, sheet)
    turn = (-face.turn if axis == "x" else 180 - face.turn) % 360
    return replace(face, x=box.left, y=box.bottom, turn=turn, face=False)


def _mirrored(shape: _Corners, axis: Axis, sheet: Sheet) -> _Corners:
    """The shape seen through the paper, so that its x, or y, runs the other way."""
    x1, y1, x2, y2 = shape
    if axis == "x":
        return type(shape)(sheet.width - x2, y1, sheet.width - x1, y2)
    return type(shape)(x1, sheet.height - y2, x2, sheet.height - y1)


def _shifted(back: Sheet, offset: tuple[float, float], printable: Box) -> Sheet:
    """The back and its marks moved; a mark is cut off where it would leave the printable area."""
    dx, dy = offset

    def moved(shape: _Corners) -> _Corners:
        x1, y1, x2, y2 = shape
        return type(shape)(x1 + dx, y1 + dy, x2 + dx, y2 + dy)

    ticks: list[Line] = []
    for tick in map(moved, back.ticks):
        if tick.x1 == tick.x2:
            ticks += _within(tick, Span(printable.bottom, printable.top))
        else:
            across = Span(printable.left, printable.right)
            ticks += map(_swapped, _within(_swapped(tick), across))
    return replace(
        back,
        placements=tuple(replace(each, x=each.x + dx, y=each.y + dy) for each in back.placements),
        cuts=tuple(map(moved, back.cuts)),
        ticks=tuple(ticks),
        block=moved(back.block),
        occupied=moved(back.occupied),
    )
