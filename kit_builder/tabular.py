"""Markup of tables -> blocks: tables of text, records to write in, grids of answers.

`ELEMENTS` is their vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import Literal, NamedTuple

from kit_builder import structure
from kit_builder.document import Element
from kit_builder.errors import KitError, Text, fault
from kit_builder.flowables import Block
from kit_builder.markup import (
    attributes,
    children,
    converted,
    how_many,
    one_of,
    positive,
    set_label,
    set_lines,
    spans,
    yes_or_no,
)
from kit_builder.tables import (
    CELL_PADDING,
    LEAST_MARK,
    AnswerGrid,
    Cell,
    Record,
    Table,
    column_widths,
    shared_widths,
)
from kit_builder.typography import Span, Style, Styles, break_lines, words
from kit_builder.units import MM

_WIDEST_ANSWER = 7 * MM
_ANSWER_GAP = 2 * MM
_DIGITS = ("1", "2", "3", "4", "5")


def _table(
    element: Element, node: structure.Element, styles: Styles, width: float, indent: float
) -> Block:
    said = attributes(element, "row-headers?")
    row_headers = "row-headers" in said and converted(said["row-headers"], yes_or_no)
    rows = [_cells(row) for row in children(element, "tr")]
    if len(rows) == 1 or len({len(row) for row in rows}) > 1:
        raise fault(
            element.location,
            "a table without rows, or with rows that differ",
            "write two <tr> or more, each with as many cells as the first",
        )
    columns = [[_widths(cell, styles.small) for cell in each] for each in zip(*rows, strict=True)]
    widths = column_widths(
        [max(least for least, _ in column) for column in columns],
        [max(natural for _, natural in column) for column in columns],
        width,
    )
    if widths is None:
        raise _too_many_columns(rows[0][0])
    grid = node.add("Table")
    head, body = grid.add("THead"), grid.add("TBody")
    cells = []
    for number, row in enumerate(rows):
        line = (body if number else head).add("TR")
        made = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            heads = number == 0 or (row_headers and column == 0)
            lines = set_lines(cell, width - CELL_PADDING, styles.small, "its column", bold=heads)
            made.append(Cell(lines, _cell(line, "Row" if number else "Column", heads)))
        cells.append(tuple(made))
    return Table(widths, tuple(cells), styles.small, indent)


def _record(
    element: Element, node: structure.Element, styles: Styles, width: float, _indent: float
) -> Block:
    said = attributes(element, "rows", "numbered?")
    columns = children(element, "column")
    widths = shared_widths(
        [_widths(column, styles.header)[0] for column in columns],
        [converted(attributes(column, "width")["width"], positive) for column in columns],
        width,
    )
    if widths is None:
        raise _too_many_columns(columns[0])
    grid = node.add("Table")
    line = grid.add("THead").add("TR")
    header = tuple(
        Cell(
            set_lines(column, width - CELL_PADDING, styles.header, "its column"),
            _cell(line, "Column", heads=True),
        )
        for column, width in zip(columns, widths, strict=True)
    )
    body = grid.add("TBody")
    asked = said.get("numbered")
    name = converted(asked, one_of(NUMBERINGS, "numbering")) if asked else "no"
    numbering = NUMBERINGS[name]
    rows = []
    for number in range(converted(said["rows"], how_many)):
        row = body.add("TR")
        label = numbering.label(number)
        lines = (set_label(label, styles.body),) if label else ()
        rows.append(
            tuple(
                Cell(
                    lines if numbering.everywhere or not place else (),
                    _cell(row, "Row", bool(label) and not place),
                )
                for place in range(len(columns))
            )
        )
    return Record(widths, header, tuple(rows), styles.small)


def _answer_grid(
    element: Element, node: structure.Element, styles: Styles, width: float, _indent: float
) -> Block:
    """The answers to all 125 proposals, from 111 to 555.

    A table for each first digit; its rows are for the second, its columns for the third.
    """
    said = attributes(element, "passes", "first", "yes", "no")
    answers = converted(said["passes"], _answers)
    tables = tuple(
        _answer_table(styles, node, f"{said['first']} {digit}", str(digit), part, said)
        for digit, part in enumerate(_batched(answers, 25), 1)
    )
    style = styles.small
    room = (width - 4 * _ANSWER_GAP) / sum(len(table[0]) for table in tables)
    cell = min(room, _WIDEST_ANSWER)
    return AnswerGrid(tables, style, cell, _ANSWER_GAP, LEAST_MARK * style.size)


def _answer_table(
    styles: Styles,
    node: structure.Element,
    title: str,
    corner: str,
    answers: Sequence[bool],
    said: Mapping[str, Text],
) -> tuple[tuple[Cell, ...], ...]:
    whole = node.add("Table", title=title)
    head, body = whole.add("THead").add("TR"), whole.add("TBody")

    def mark(text: str, element: structure.Element, style: Style) -> Cell:
        return Cell((set_label(text, style),), element)

    bold, plain = styles.header, styles.small
    rows = [tuple(mark(each, _cell(head, "Column", True), bold) for each in (corner, *_DIGITS))]
    for digit, part in zip(_DIGITS, _batched(answers, 5), strict=True):
        line = body.add("TR")
        first = mark(digit, _cell(line, "Row", True), bold)
        marks = (said["yes"] if answer else said["no"] for answer in part)
        rows.append((first, *(mark(each, line.add("TD"), plain) for each in marks)))
    return tuple(rows)


class _Numbering(NamedTuple):
    """What is printed in a row of a record, in its first column or everywhere."""

    label: Callable[[int], str]
    everywhere: bool = False


NUMBERINGS = {
    "no": _Numbering(lambda row: ""),
    "yes": _Numbering(lambda row: str(row + 1)),
    "letters": _Numbering(lambda row: ascii_uppercase[row]),
    "everywhere": _Numbering(lambda row: str(row + 1), everywhere=True),
}


def _answers(text: str) -> list[bool]:
    """As many 0 and 1 as there are proposals.

    Raises:
        ValueError: anything else.
    """
    if len(text) != 125 or set(text) - {"0", "1"}:
        raise ValueError("the answers are not 125 digits 0 and 1; write one for each proposal")
    return [digit == "1" for digit in text]


def _batched(items: Sequence[bool], size: int) -> Iterator[Sequence[bool]]:
    """The items in runs of `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _cell(
    row: structure.Element, scope: Literal["Column", "Row"], heads: bool
) -> structure.Element:
    return row.add("TH", scope=scope) if heads else row.add("TD")


def _cells(row: Element) -> list[Element]:
    attributes(row)
    cells = children(row, "th", "td")
    for cell in cells:
        attributes(cell)
    return cells


def _too_many_columns(first: Element) -> KitError:
    return fault(
        first.text.location,
        "the columns are too wide for the page",
        "use fewer columns, or shorter words in them",
    )


def _widths(cell: Element, style: Style) -> tuple[float, float]:
    """The least width a cell can have, and its width if its lines end only where they must."""
    longest_word, longest_line = _unit_widths(tuple(spans(cell, True)))
    return longest_word * style.size + CELL_PADDING, longest_line * style.size + CELL_PADDING


@lru_cache(maxsize=1024)
def _unit_widths(text: tuple[Span, ...]) -> tuple[float, float]:
    """The unit widths of the longest word and of the longest line."""
    written = words(text)
    lines = break_lines(written, float("inf"), 1)
    longest_word = max((word.width for word in written if word), default=0)
    return longest_word, max(line.width for line in lines)


ELEMENTS: Mapping[str, Callable[[Element, structure.Element, Styles, float, float], Block]] = {
    "table": _table,
    "record": _record,
    "answer-grid": _answer_grid,
}
"""Each from the element, its place in the structure tree, the styles, the width and the indent."""
