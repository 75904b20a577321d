"""Tables on a text page: of text, to write in, and of single marks.

Blocks as in `flowables`: each set at its final width, drawn downwards from `top`. All lengths in
points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from kit_builder.flowables import HAIRLINE, Block, Rigid, draw_rules
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import RULE, Line, Style, draw_lines
from kit_builder.units import MM

CELL_PADDING = 4 * MM  # left and right together
_ROW_PADDING = 2 * MM

ROW = 9 * MM  # low enough for 24 rows on a page, high enough for a child's pencil
TALLEST_ROW = 13 * MM
# Of a row of single marks, in ems: as low as they can be told apart, and as high as reads well.
LEAST_MARK = 0.95
_TALLEST_MARK = 1.8


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
        draw_rules(
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
        draw_rules(
            canvas,
            [(edges[0], each, edges[-1], each) for each in levels]
            + [(edge, levels[0], edge, levels[-1]) for edge in edges],
        )
        draw_rules(canvas, [(edges[0], level, edges[-1], level)], 2 * RULE)


def _draw_centred(
    canvas: TaggedCanvas, lines: Sequence[Line], style: Style, x: float, top: float, measure: float
) -> None:
    draw_lines(canvas, lines, style, x, top, measure=measure, align=0.5)


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
            draw_rules(
                canvas,
                [(left, level, edges[-1], level) for level in levels]
                + [(edge, top, edge, levels[-1]) for edge in edges],
                HAIRLINE,
            )
            draw_rules(
                canvas,
                [(left, levels[1], edges[-1], levels[1]), (edges[1], top, edges[1], levels[-1])],
                2 * RULE,
            )
            left = edges[-1] + self.gap

    def _draw_mark(self, canvas: TaggedCanvas, cell: Cell, left: float, top: float) -> None:
        centred = top - (self.row_height - self.style.leading) / 2
        _draw_centred(canvas, cell.lines, self.style, left, centred, self.cell)


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
