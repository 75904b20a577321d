"""Blocks that stand below each other on a text page, each set at its final width.

A block is made from lines that are already broken, so its height is known and it cannot fail
later. All lengths in points; a block is drawn downwards from `top`, the y of its upper edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Protocol

from reportlab.pdfgen.canvas import Canvas

from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import CAPITALS, RULE, SPACE, Line, Style, draw_lines
from kit_builder.units import MM

HAIRLINE = 0.15 * MM

CELL_PADDING = 4 * MM  # left and right together
_ROW_PADDING = 2 * MM
BOX_GAP = 10 * MM
PANEL_PADDING = 5 * MM
_BOX = 12 * MM
_TICK = 5 * MM
LABEL_GAP = 3 * MM
TICK_INDENT = _TICK + LABEL_GAP

ROW = 9 * MM  # low enough for 24 rows on a page, high enough for a child's pencil
TALLEST_ROW = 13 * MM
# Of a row of single marks, in ems: as low as they can be told apart, and as high as reads well.
LEAST_MARK = 0.95
_TALLEST_MARK = 1.8


class Block(Protocol):
    """Something a page is filled with.

    Attributes:
        before, after: space above and below; where two meet the larger counts, at the top and
            foot of a page neither.
        keep_with_next: never the last block of a page.
        stretch: how much taller the block may be made to fill its page.
    """

    @property
    def before(self) -> float: ...
    @property
    def after(self) -> float: ...
    @property
    def keep_with_next(self) -> bool: ...
    @property
    def height(self) -> float: ...
    @property
    def stretch(self) -> float: ...

    def stretched(self, extra: float) -> Block:
        """The same block, `extra` points taller (at most `stretch`)."""
        ...

    def split(self, height: float) -> tuple[Block, Block] | None:
        """The part that fits into `height` and the rest; None if nothing sensible fits."""
        ...

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        """Draws the block with its upper left corner at x, top."""
        ...


class Rigid:
    """What blocks have in common that do not stretch, and do not split unless they say how."""

    __slots__ = ()
    keep_with_next = False
    stretch = 0.0

    def stretched(self, extra: float) -> Block:
        raise AssertionError(f"{type(self).__name__} does not stretch by {extra}")

    def split(self, height: float) -> tuple[Block, Block] | None:
        return None


def _draw_rules(
    canvas: Canvas, segments: Sequence[tuple[float, float, float, float]], width: float = RULE
) -> None:
    canvas.setLineWidth(width)
    canvas.lines(list(segments))


@dataclass(frozen=True, slots=True)
class Paragraph(Rigid):
    """Lines of text.

    Attributes:
        indent: of the whole paragraph.
        marker: a bullet or number before the first line, in its own structure element.
    """

    lines: tuple[Line, ...]
    style: Style
    element: Element
    indent: float = 0
    marker: tuple[Line, Element] | None = None
    keep_with_next: bool = False

    @property
    def before(self) -> float:
        return self.style.before

    @property
    def after(self) -> float:
        return self.style.after

    @property
    def height(self) -> float:
        return len(self.lines) * self.style.leading

    def split(self, height: float) -> tuple[Block, Block] | None:
        """At least two lines stay on either side: no widow, no orphan."""
        fitting = min(int(height / self.style.leading + 1e-6), len(self.lines) - 2)
        if fitting < 2:
            return None
        head, tail = self.lines[:fitting], self.lines[fitting:]
        return replace(self, lines=head), replace(self, lines=tail, marker=None)

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        if self.marker:
            line, element = self.marker
            with canvas.marked(element):
                offset = (line.width + 2 * SPACE) * self.style.size
                draw_lines(canvas, [line], self.style, x + self.indent - offset, top)
        with canvas.marked(self.element):
            draw_lines(canvas, self.lines, self.style, x + self.indent, top)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its lines and its structure element."""

    lines: tuple[Line, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class Table(Rigid):
    """Rows of text in columns; the first row is the header and stands on every page.

    Attributes:
        widths: of the columns.
        rows: header first.
        continued: the header was already tagged on an earlier page.
    """

    widths: tuple[float, ...]
    rows: tuple[tuple[Cell, ...], ...]
    style: Style
    indent: float = 0
    before: float = 4
    after: float = 8
    continued: bool = False

    def _row_height(self, row: Sequence[Cell]) -> float:
        return max(len(cell.lines) for cell in row) * self.style.leading + _ROW_PADDING

    @property
    def height(self) -> float:
        return sum(map(self._row_height, self.rows))

    def split(self, height: float) -> tuple[Block, Block] | None:
        """Between two rows, with at least two body rows before it and one after."""
        reached = list(accumulate(map(self._row_height, self.rows)))
        fitting = min(sum(reach <= height for reach in reached), len(self.rows) - 1)
        if fitting < 3:
            return None
        head = replace(self, rows=self.rows[:fitting])
        tail = replace(self, rows=(self.rows[0], *self.rows[fitting:]), continued=True)
        return head, tail

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        edges = list(accumulate(self.widths, initial=x + self.indent))
        levels = [top]
        for number, row in enumerate(self.rows):
            for left, cell in zip(edges, row, strict=False):
                place = left + CELL_PADDING / 2, levels[-1] - _ROW_PADDING / 2
                if number == 0 and self.continued:
                    draw_lines(canvas, cell.lines, self.style, *place)
                elif any(line.words for line in cell.lines):
                    with canvas.marked(cell.element):
                        draw_lines(canvas, cell.lines, self.style, *place)
            levels.append(levels[-1] - self._row_height(row))
        _draw_rules(
            canvas,
            [(edges[0], level, edges[-1], level) for level in levels]
            + [(edge, levels[0], edge, levels[-1]) for edge in edges],
        )


@dataclass(frozen=True, slots=True)
class Record:
    """A table to write in: a header row, then rows of cells, most of them blank.

    Attributes:
        widths: of the columns.
        header: one cell for each column.
        rows: the same for each row; a cell without lines is to be written in.
        continued: the header was already tagged on an earlier page.
    """

    widths: tuple[float, ...]
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    style: Style
    row_height: float = ROW
    continued: bool = False
    before: float = 4
    after: float = 14
    keep_with_next: bool = False

    @property
    def _header_height(self) -> float:
        lines = max(len(cell.lines) for cell in self.header)
        return max(lines * self.style.leading + _ROW_PADDING, ROW)

    @property
    def height(self) -> float:
        return self._header_height + len(self.rows) * self.row_height

    @property
    def stretch(self) -> float:
        return len(self.rows) * (TALLEST_ROW - self.row_height)

    def stretched(self, extra: float) -> Block:
        return replace(self, row_height=self.row_height + extra / len(self.rows))

    def split(self, height: float) -> tuple[Block, Block] | None:
        """Into pieces of equal length, so that no page holds a lone last row."""
        fitting = int((height - self._header_height) / self.row_height + 1e-6)
        fitting = min(fitting, len(self.rows) - 1)
        if fitting < min(4, len(self.rows)):
            return None
        pieces = -(-len(self.rows) // fitting)
        first = -(-len(self.rows) // pieces)
        head = replace(self, rows=self.rows[:first])
        tail = replace(self, rows=self.rows[first:], continued=True)
        return head, tail

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        edges = list(accumulate(self.widths, initial=x))
        level = top - self._header_height
        for (left, right), cell in zip(pairwise(edges), self.header, strict=True):
            place = (left, top - (self._header_height - len(cell.lines) * self.style.leading) / 2)
            if self.continued:
                _draw_centred(canvas, cell.lines, self.style, *place, right - left)
            else:
                with canvas.marked(cell.element):
                    _draw_centred(canvas, cell.lines, self.style, *place, right - left)
        for number, row in enumerate(self.rows):
            row_top = level - number * self.row_height
            centred = row_top - (self.row_height - self.style.leading) / 2
            for (left, right), cell in zip(pairwise(edges), row, strict=True):
                if cell.lines:
                    with canvas.marked(cell.element):
                        _draw_centred(canvas, cell.lines, self.style, left, centred, right - left)
        levels = [top, *(level - row * self.row_height for row in range(len(self.rows) + 1))]
        _draw_rules(
            canvas,
            [(edges[0], each, edges[-1], each) for each in levels]
            + [(edge, levels[0], edge, levels[-1]) for edge in edges],
        )
        _draw_rules(canvas, [(edges[0], level, edges[-1], level)], 2 * RULE)


def _draw_centred(
    canvas: Canvas, lines: Sequence[Line], style: Style, x: float, top: float, measure: float
) -> None:
    draw_lines(canvas, lines, style, x, top, measure=measure, align=0.5)


@dataclass(frozen=True, slots=True)
class Boxes:
    """A label, and after it square boxes to tick or to lay counters on.

    Attributes:
        label_width: the room of the label, its gap to the boxes included.
        text, figure: the structure elements of the label and of the boxes.
    """

    label: Line
    label_width: float
    count: int
    text: Element
    figure: Element

    @property
    def width(self) -> float:
        """Of the label and its boxes."""
        return self.label_width + self.count * (_BOX + LABEL_GAP) - LABEL_GAP


@dataclass(frozen=True, slots=True)
class BoxRow(Rigid):
    """Labelled boxes beside each other."""

    groups: tuple[Boxes, ...]
    style: Style
    before: float = 4
    after: float = 8
    height: float = _BOX

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        left = x
        for group in self.groups:
            with canvas.marked(group.text):
                label_top = top - (_BOX - self.style.leading) / 2
                draw_lines(canvas, [group.label], self.style, left, label_top)
            group.figure.bbox = (left + group.label_width, top - _BOX, left + group.width, top)
            with canvas.marked(group.figure):
                canvas.setLineWidth(2 * RULE)
                for number in range(group.count):
                    edge = left + group.label_width + number * (_BOX + LABEL_GAP)
                    canvas.rect(edge, top - _BOX, _BOX, _BOX)
            left += group.width + BOX_GAP


@dataclass(frozen=True, slots=True)
class WriteIn(Rigid):
    """Labels beside each other, after each a line to write on; all of one width."""

    labels: tuple[tuple[Line, Element], ...]
    width: float
    style: Style
    before: float = 4
    after: float = 6
    height: float = 10 * MM

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        room = self.width / len(self.labels)
        foot = top - self.height + (self.style.leading - CAPITALS * self.style.size) / 2
        for number, (label, element) in enumerate(self.labels):
            left = x + number * room
            with canvas.marked(element):
                label_top = top - self.height + self.style.leading
                draw_lines(canvas, [label], self.style, left, label_top)
            start = left + label.width * self.style.size + LABEL_GAP
            _draw_rules(
                canvas,
                [(start, foot, left + room - LABEL_GAP * (number + 1 < len(self.labels)), foot)],
            )


@dataclass(frozen=True, slots=True)
class Tick(Rigid):
    """A box to tick, and the words beside it."""

    lines: tuple[Line, ...]
    style: Style
    box: Element
    element: Element
    before: float = 3
    after: float = 5

    @property
    def height(self) -> float:
        return len(self.lines) * self.style.leading

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        with canvas.marked(self.box):
            canvas.setLineWidth(2 * RULE)
            canvas.rect(x, top - (self.style.leading + _TICK) / 2, _TICK, _TICK)
        with canvas.marked(self.element):
            draw_lines(canvas, self.lines, self.style, x + TICK_INDENT, top)


@dataclass(frozen=True, slots=True)
class AnswerGrid:
    """Small tables beside each other, each cell a single mark, to be read in a moment.

    Attributes:
        tables: each its rows of cells, all of one size; the first row and the first column are
            headers, their corner is set in white on black.
        cell: the width of a cell.
        gap: between two tables.
        row_height: the height of a cell.
    """

    tables: tuple[tuple[tuple[Cell, ...], ...], ...]
    style: Style
    cell: float
    gap: float
    row_height: float
    before: float = 2
    after: float = 10
    keep_with_next: bool = False

    @property
    def height(self) -> float:
        return len(self.tables[0]) * self.row_height

    @property
    def width(self) -> float:
        """Of all tables and the gaps between them."""
        columns = len(self.tables[0][0])
        return len(self.tables) * (columns * self.cell + self.gap) - self.gap

    @property
    def stretch(self) -> float:
        tallest = _TALLEST_MARK * self.style.size
        return len(self.tables[0]) * max(0, tallest - self.row_height)

    def stretched(self, extra: float) -> Block:
        return replace(self, row_height=self.row_height + extra / len(self.tables[0]))

    def split(self, height: float) -> tuple[Block, Block] | None:
        return None

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        left = x
        for table in self.tables:
            canvas.rect(left, top - self.row_height, self.cell, self.row_height, stroke=0, fill=1)
            for row, cells in enumerate(table):
                for column, cell in enumerate(cells):
                    canvas.setFillGray(1 if row == column == 0 else 0)
                    with canvas.marked(cell.element):
                        place = left + column * self.cell, top - row * self.row_height
                        self._draw_mark(canvas, cell, *place)
            canvas.setFillGray(0)
            levels = [top - row * self.row_height for row in range(len(table) + 1)]
            edges = [left + column * self.cell for column in range(len(table[0]) + 1)]
            _draw_rules(
                canvas,
                [(left, level, edges[-1], level) for level in levels]
                + [(edge, top, edge, levels[-1]) for edge in edges],
                HAIRLINE,
            )
            _draw_rules(
                canvas,
                [(left, levels[1], edges[-1], levels[1]), (edges[1], top, edges[1], levels[-1])],
                2 * RULE,
            )
            left = edges[-1] + self.gap

    def _draw_mark(self, canvas: TaggedCanvas, cell: Cell, left: float, top: float) -> None:
        centred = top - (self.row_height - self.style.leading) / 2
        _draw_centred(canvas, cell.lines, self.style, left, centred, self.cell)


class Piece(Protocol):
    """A piece to cut out; its lower left corner is drawn at x, y."""

    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        """Draws the piece."""
        ...


@dataclass(frozen=True, slots=True)
class PieceRow(Rigid):
    """Pieces to cut out beside each other, each a figure.

    Attributes:
        width: of the frame the row is centred in; it may be wider than that.
    """

    pieces: tuple[tuple[Piece, Element], ...]
    gap: float
    width: float
    before: float = 8
    after: float = 8

    @property
    def height(self) -> float:
        return max(piece.height for piece, _ in self.pieces)

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        taken = sum(piece.width for piece, _ in self.pieces) + self.gap * (len(self.pieces) - 1)
        left = x + (self.width - taken) / 2
        for piece, element in self.pieces:
            element.bbox = (left, top - piece.height, left + piece.width, top)
            with canvas.marked(element):
                piece.draw(canvas, left, top - piece.height)
            left += piece.width + self.gap


@dataclass(frozen=True, slots=True)
class Panel(Rigid):
    """Blocks in a frame, to be cut out as a whole."""

    blocks: tuple[Block, ...]
    width: float
    before: float = 6
    after: float = 16

    @property
    def height(self) -> float:
        return stacked_height(self.blocks) + 2 * PANEL_PADDING

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        canvas.setLineWidth(HAIRLINE)
        canvas.rect(x, top - self.height, self.width, self.height)
        draw_stack(canvas, self.blocks, x + PANEL_PADDING, top - PANEL_PADDING)


def stacked_height(blocks: Sequence[Block], gaps: float = 1) -> float:
    """The height of blocks below each other, the space between them multiplied by `gaps`."""
    space = sum(max(upper.after, lower.before) for upper, lower in pairwise(blocks))
    return sum(block.height for block in blocks) + gaps * space


def draw_stack(canvas: TaggedCanvas, blocks: Sequence[Block], x: float, top: float) -> None:
    """Draws blocks below each other."""
    previous: Block | None = None
    for block in blocks:
        if previous is not None:
            top -= max(previous.after, block.before)
        block.draw(canvas, x, top)
        top -= block.height
        previous = block


def column_widths(
    least: Sequence[float], natural: Sequence[float], room: float
) -> tuple[float, ...] | None:
    """Widths for columns of text: natural if there is room, else as near to it as there is.

    Args:
        least: for each column the width of its longest word.
        natural: for each column the width that needs no second line.
        room: for all columns.

    Returns:
        The widths, or None if even the least are too wide.
    """
    if sum(natural) <= room:
        return tuple(natural)
    spare = room - sum(least)
    if spare < 0:
        return None
    wanted = [most - few for few, most in zip(least, natural, strict=True)]
    share = spare / sum(wanted)
    return tuple(few + share * want for few, want in zip(least, wanted, strict=True))


def shared_widths(
    least: Sequence[float], shares: Sequence[float], room: float
) -> tuple[float, ...] | None:
    """Widths that fill the room, in the proportion of `shares`, none below its least.

    Returns:
        The widths, or None if even the least are too wide.
    """
    if sum(least) > room:
        return None
    widths = [0.0] * len(shares)
    open_columns = set(range(len(shares)))
    while open_columns:
        unit = room / sum(shares[column] for column in open_columns)
        narrow = {column for column in open_columns if shares[column] * unit < least[column]}
        for column in narrow or open_columns:
            widths[column] = least[column] if narrow else shares[column] * unit
            room -= widths[column]
        open_columns -= narrow or open_columns
    return tuple(widths)
