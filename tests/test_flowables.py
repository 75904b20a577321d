"""Blocks know their height, split where readers can bear it, and are drawn where they are put."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import pypdfium2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pypdf import PdfReader
from pypdf.generic import ContentStream
from reportlab.pdfgen.canvas import Canvas

from kit_builder.flowables import (
    BOX_GAP,
    PANEL_PADDING,
    Block,
    Boxes,
    BoxRow,
    Panel,
    Paragraph,
    PieceRow,
    Tick,
    WriteIn,
    stacked_height,
)
from kit_builder.markup import set_label
from kit_builder.structure import Element
from kit_builder.tables import (
    ROW,
    TALLEST_ROW,
    AnswerGrid,
    Cell,
    Record,
    Table,
    column_widths,
    shared_widths,
)
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import Line, Style
from kit_builder.units import MM

STYLE = Style(10, 12, before=3, after=5)
PAGE = (500.0, 700.0)


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(set_label(text, STYLE) for text in texts)


def numbered(count: int, word: str = "line") -> tuple[Line, ...]:
    return lines(*(f"{word}{number}" for number in range(count)))


def shown(block: Block) -> list[str]:
    """The words of the lines of a paragraph, or of the rows of a table."""
    if isinstance(block, Paragraph):
        return [line.words[0].runs[0].text for line in block.lines]
    assert isinstance(block, Table)
    return [row[0].lines[0].words[0].runs[0].text for row in block.rows]


def paragraph(count: int, root: Element | None = None) -> Paragraph:
    return Paragraph(numbered(count), STYLE, (root or Element("Document")).add("P"))


def table(heights: list[int], root: Element | None = None) -> Table:
    """A table whose rows have so many lines, the header's first."""
    grid = (root or Element("Document")).add("Table")
    head, body = grid.add("THead").add("TR"), grid.add("TBody")
    rows = []
    for number, height in enumerate(heights):
        row = body.add("TR") if number else head
        made = row.add("TD") if number else row.add("TH", scope="Column")
        rows.append((Cell(numbered(height, f"row{number}-"), made),))
    return Table((100.0,), tuple(rows), STYLE)


def record(count: int, root: Element | None = None, *, is_numbered: bool = True) -> Record:
    grid = (root or Element("Document")).add("Table")
    head = grid.add("THead").add("TR")
    header = tuple(Cell(lines(word), head.add("TH", scope="Column")) for word in ("Turn", "Bid"))
    body = grid.add("TBody")
    rows = []
    for number in range(count):
        row = body.add("TR")
        first = row.add("TH", scope="Row") if is_numbered else row.add("TD")
        label = lines(str(number)) if is_numbered else ()
        rows.append((Cell(label, first), Cell((), row.add("TD"))))
    return Record((40.0, 60.0), header, tuple(rows), STYLE)


def drawn(root: Element, *blocks: tuple[Block, float]) -> bytes:
    """A page with blocks at x = 50 and these heights above its foot."""
    file = BytesIO()
    canvas = TaggedCanvas(file, PAGE, root, language="en", title="T")
    for block, top in blocks:
        block.draw(canvas, 50, top)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def words_on(pdf: bytes) -> list[tuple[str, float, float]]:
    """Every word on the first page, with its left edge and its baseline or nearly so."""
    with pypdfium2.PdfDocument(pdf) as document:
        page = document[0].get_textpage()
        found: list[tuple[str, float, float]] = []
        for index in range(page.count_chars()):
            character = page.get_text_range(index, 1)
            left, bottom, _, _ = page.get_charbox(index, loose=True)
            if character.isspace():
                continue
            if found and index and not page.get_text_range(index - 1, 1).isspace():
                word, begin, foot = found[-1]
                found[-1] = (word + character, begin, foot)
            else:
                found.append((character, left, bottom))
        page.close()
    return found


Box = tuple[float, float, float, float]


def painted(pdf: bytes) -> tuple[list[Box], list[Box]]:
    """The lines and the rectangles on the first page: left, bottom, right, top."""
    reader = PdfReader(BytesIO(pdf))
    contents = reader.pages[0].get_contents()
    assert contents is not None
    found: list[Box] = []
    boxes: list[Box] = []
    start = (0.0, 0.0)
    for operands, operator in ContentStream(contents, reader).operations:
        numbers = [float(each) for each in operands] if operator in (b"m", b"l", b"re") else []
        if operator == b"m":
            start = (numbers[0], numbers[1])
        elif operator == b"l":
            (x, y), (across, up) = start, numbers
            found.append((min(x, across), min(y, up), max(x, across), max(y, up)))
        elif operator == b"re":
            left, bottom, width, height = numbers
            boxes.append((left, bottom, left + width, bottom + height))
    return found, boxes


def grid_of(pdf: bytes) -> tuple[list[float], list[float]]:
    """The edges of the columns and the levels of the rows that rules are drawn at."""
    rules, _ = painted(pdf)
    edges = sorted({round(left, 2) for left, _, right, _ in rules if left == right})
    levels = sorted({round(low, 2) for _, low, _, top in rules if low == top}, reverse=True)
    assert min(left for left, _, _, _ in rules) == pytest.approx(edges[0], abs=0.01)
    for left, low, right, top in rules:
        whole = (edges[0], edges[-1]) if low == top else (levels[-1], levels[0])
        assert ((left, right) if low == top else (low, top)) == pytest.approx(whole, abs=0.01)
    return edges, levels


def middles(pdf: bytes) -> dict[str, tuple[float, float]]:
    """The middle of every word on the first page."""
    with pypdfium2.PdfDocument(pdf) as document:
        page = document[0].get_textpage()
        text = page.get_text_range()
        found = {}
        for word in re.finditer(r"\S+", text):
            boxes = [page.get_charbox(n) for n in range(word.start(), word.end())]
            left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
            low, high = min(box[1] for box in boxes), max(box[3] for box in boxes)
            found[word[0]] = ((left + right) / 2, (low + high) / 2)
        page.close()
    return found


# Splitting


def test_a_paragraph_is_as_high_as_its_lines() -> None:
    assert paragraph(5).height == 60
    assert (paragraph(1).before, paragraph(1).after) == (3, 5)


@pytest.mark.parametrize(
    ("count", "height", "halves"),
    [
        (9, 60, (5, 4)),
        (9, 59.9, (4, 5)),
        (9, 23.9, None),
        (9, 24, (2, 7)),
        (9, 107, (7, 2)),
        (4, 47, (2, 2)),
        (3, 35, None),
        (2, 23, None),
        (9, -10, None),
    ],
)
def test_two_lines_of_a_paragraph_stay_on_either_side(
    count: int, height: float, halves: tuple[int, int] | None
) -> None:
    parts = paragraph(count).split(height)
    if halves is None:
        assert parts is None
        return
    assert parts is not None
    assert tuple(len(shown(part)) for part in parts) == halves
    assert [word for part in parts for word in shown(part)] == shown(paragraph(count))


def test_only_the_first_half_of_an_item_has_its_marker() -> None:
    root = Element("Document")
    marker = (lines("1.")[0], root.add("P"))
    item = Paragraph(numbered(6), STYLE, root.add("P"), indent=20, marker=marker)
    parts = item.split(36)
    assert parts is not None
    head, tail = parts
    assert isinstance(head, Paragraph)
    assert isinstance(tail, Paragraph)
    assert (head.marker, tail.marker) == (marker, None)
    assert head.indent == tail.indent == 20


def test_a_table_is_split_between_rows_and_repeats_its_header() -> None:
    made = table([1, 1, 1, 1, 1])
    row = made.height / 5
    parts = made.split(3 * row + 1)
    assert parts is not None
    assert [shown(part) for part in parts] == [
        ["row0-0", "row1-0", "row2-0"],
        ["row0-0", "row3-0", "row4-0"],
    ]
    head, tail = parts
    assert isinstance(head, Table)
    assert isinstance(tail, Table)
    assert (head.continued, tail.continued) == (False, True)


@pytest.mark.parametrize("rows", [2, 2.9])
def test_a_header_never_stands_alone_or_with_one_row(rows: float) -> None:
    made = table([1, 1, 1, 1, 1])
    assert made.split(rows * made.height / 5) is None


def test_the_last_row_moves_on_even_where_all_would_fit() -> None:
    made = table([1, 1, 1])
    assert made.split(10_000) is None
    longer = table([1, 1, 1, 1]).split(10_000)
    assert longer is not None
    assert [len(shown(part)) for part in longer] == [3, 2]


def rows_of(block: Block) -> int:
    assert isinstance(block, Record)
    return len(block.rows)


@given(st.integers(1, 60), st.floats(-50, 900))
def test_a_record_is_split_into_pieces_of_equal_length(count: int, height: float) -> None:
    made = record(count)
    assume(made.height > height)
    rest: Block = made
    pieces = []
    room = height
    while parts := rest.split(room):
        head, rest = parts
        assert head.height <= room + 1e-4
        pieces.append(rows_of(head))
        room = height
        if rest.height <= room:
            break
    pieces.append(rows_of(rest))
    assert sum(pieces) == count
    assert max(pieces) - min(pieces) <= len(pieces)
    if len(pieces) > 1:
        assert min(pieces) >= 2


@pytest.mark.parametrize(
    ("count", "fitting", "pieces"),
    [
        (30, 24, (15, 15)),
        (25, 24, (13, 12)),
        (7, 6, (4, 3)),
        (5, 4, (3, 2)),
        (4, 3, None),
        (9, 3, None),
    ],
)
def test_no_page_holds_a_lone_last_row(
    count: int, fitting: int, pieces: tuple[int, int] | None
) -> None:
    made = record(count)
    parts = made.split(made.height - (count - fitting) * ROW + 1)
    assert (None if parts is None else tuple(map(rows_of, parts))) == pieces


def test_a_split_record_goes_on_counting() -> None:
    parts = record(6).split(record(6).height - ROW)
    assert parts is not None
    head, tail = parts
    assert isinstance(head, Record)
    assert isinstance(tail, Record)
    counted = [
        [row[0].lines[0].words[0].runs[0].text for row in part.rows] for part in (head, tail)
    ]
    assert counted == [["0", "1", "2"], ["3", "4", "5"]]
    assert (head.continued, tail.continued) == (False, True)


def test_a_record_that_fits_but_for_a_hair_loses_no_row() -> None:
    made = record(8)
    parts = made.split(made.height - 1e-7)
    assert parts is None or all(map(rows_of, parts))


# Stretching


def test_a_record_stretches_up_to_its_tallest_row() -> None:
    made = record(10)
    assert made.stretch == pytest.approx(10 * (TALLEST_ROW - ROW))
    taller = made.stretched(made.stretch)
    assert isinstance(taller, Record)
    assert taller.row_height == pytest.approx(TALLEST_ROW)
    assert taller.height == pytest.approx(made.height + made.stretch)
    assert taller.stretch == pytest.approx(0)


@pytest.mark.parametrize("make", [lambda: paragraph(3), lambda: table([1, 1])])
def test_text_does_not_stretch(make: Callable[[], Block]) -> None:
    block = make()
    assert block.stretch == 0
    with pytest.raises(AssertionError, match="does not stretch"):
        block.stretched(1)


# Blocks below each other


def test_of_two_gaps_that_meet_the_larger_counts() -> None:
    root = Element("Document")
    upper = Paragraph(numbered(1), Style(10, 12, after=5), root.add("P"))
    lower = Paragraph(numbered(2), Style(10, 12, before=9, after=50), root.add("P"))
    assert stacked_height([upper, lower]) == 12 + 9 + 24
    assert stacked_height([lower, upper]) == 24 + 50 + 12
    assert stacked_height([]) == 0


def test_a_panel_frames_its_blocks() -> None:
    root = Element("Document")
    panel = Panel((paragraph(2, root), paragraph(3, root)), 300)
    assert panel.height == pytest.approx(24 + 5 + 36 + 2 * PANEL_PADDING)
    assert panel.split(10) is None
    pdf = drawn(root, (panel, 600))
    (frame,) = painted(pdf)[1]
    assert frame == pytest.approx((50, 600 - panel.height, 350, 600), abs=0.01)
    words = words_on(pdf)
    assert all(left == pytest.approx(50 + PANEL_PADDING, abs=0.1) for _, left, _ in words)
    gaps = [high - low for (_, _, high), (_, _, low) in pairwise(words)]
    assert gaps == pytest.approx([12, 17, 12, 12], abs=0.05)


# Drawing


def test_a_paragraph_is_drawn_down_from_its_top() -> None:
    root = Element("Document")
    words = words_on(drawn(root, (paragraph(3, root), 600)))
    assert [word for word, _, _ in words] == ["line0", "line1", "line2"]
    assert all(left == pytest.approx(50, abs=0.1) for _, left, _ in words)
    assert [high - low for (_, _, high), (_, _, low) in pairwise(words)] == pytest.approx(
        [12, 12], abs=0.05
    )
    assert 560 < words[-1][2] < words[0][2] < 600


def test_a_marker_hangs_before_its_paragraph() -> None:
    root = Element("Document")
    item = Paragraph(
        lines("word"), STYLE, root.add("P"), indent=20, marker=(lines("•")[0], root.add("P"))
    )
    (dot, dot_left, _), (word, left, _) = words_on(drawn(root, (item, 600)))
    assert (dot, word) == ("•", "word")
    assert dot_left < left == pytest.approx(70, abs=0.1)


@pytest.mark.parametrize("make", [lambda root: table([1] * 5, root), lambda root: record(8, root)])
def test_the_header_of_a_continued_table_is_an_artifact(make: Callable[[Element], Block]) -> None:
    for part, marks in ((0, 1), (1, 0)):
        root = Element("Document")
        made = make(root)
        parts = made.split(made.height - 20)
        assert parts is not None
        words = [word for word, _, _ in words_on(drawn(root, (parts[part], 690)))]
        assert words[0] in ("row0-0", "Turn")
        heads = [each for each in root.walk() if each.scope == "Column"]
        assert {len(each.content) for each in heads} == {marks}


def test_each_cell_of_a_table_stands_between_its_rules() -> None:
    root = Element("Document")
    grid = root.add("Table")
    rows = []
    for texts in (("Bid", "Legal"), ("three", "yes"), ("four", "perhaps")):
        row = grid.add("TR")
        rows.append(tuple(Cell(lines(text), row.add("TD")) for text in texts))
    made = Table((60, 80), tuple(rows), STYLE, indent=7)
    pdf = drawn(root, (made, 600))
    edges, levels = grid_of(pdf)
    assert edges == pytest.approx([57, 117, 197], abs=0.01)
    assert levels == pytest.approx([600 - n * made.height / 3 for n in range(4)], abs=0.01)
    for word, left, _ in words_on(pdf):
        column = int(word in ("Legal", "yes", "perhaps"))
        assert left == pytest.approx(edges[column] + 2 * MM, abs=0.1)
    for number, words in enumerate((("Bid", "Legal"), ("three", "yes"), ("four", "perhaps"))):
        for word in words:
            middle = (levels[number] + levels[number + 1]) / 2
            assert middles(pdf)[word][1] == pytest.approx(middle, abs=2.5)


def test_a_row_is_as_high_as_its_highest_cell() -> None:
    root = Element("Document")
    made = table([1, 3, 2], root)
    _, levels = grid_of(drawn(root, (made, 600)))
    heights = [upper - lower for upper, lower in pairwise(levels)]
    assert heights == pytest.approx([12 + 2 * MM, 36 + 2 * MM, 24 + 2 * MM], abs=0.02)
    assert made.height == pytest.approx(600 - levels[-1], abs=0.02)


def test_the_cells_of_a_record_are_centred_between_its_rules() -> None:
    root = Element("Document")
    made = record(3, root)
    pdf = drawn(root, (made, 600))
    edges, levels = grid_of(pdf)
    assert edges == pytest.approx([50, 90, 150], abs=0.01)
    assert levels == pytest.approx([600 - n * ROW for n in range(5)], abs=0.01)
    assert made.height == pytest.approx(4 * ROW)
    found = middles(pdf)
    for word, column, row in (("Turn", 0, 0), ("Bid", 1, 0), ("0", 0, 1), ("2", 0, 3)):
        across, up = found[word]
        assert across == pytest.approx((edges[column] + edges[column + 1]) / 2, abs=0.6)
        assert up == pytest.approx((levels[row] + levels[row + 1]) / 2, abs=1)


def test_a_high_header_of_a_record_pushes_its_rows_down() -> None:
    root = Element("Document")
    made = record(2, root)
    header = (replace(made.header[0], lines=lines("One", "two", "three")), made.header[1])
    tall = replace(made, header=header)
    pdf = drawn(root, (tall, 600))
    _, levels = grid_of(pdf)
    assert levels[1] == pytest.approx(600 - 36 - 2 * MM, abs=0.01)
    assert tall.height == pytest.approx(600 - levels[-1], abs=0.02)
    assert middles(pdf)["Bid"][1] == pytest.approx((600 + levels[1]) / 2, abs=1)


def test_an_empty_cell_is_not_marked() -> None:
    root = Element("Document")
    row = root.add("Table").add("TR")
    cells = (Cell(lines("a"), row.add("TD")), Cell((Line((), 0),), row.add("TD")))
    drawn(root, (Table((40, 40), (cells,), STYLE), 600))
    assert [len(each.content) for each in row.children] == [1, 0]


@pytest.mark.parametrize("is_numbered", [True, False])
def test_a_record_numbers_its_rows(is_numbered: bool) -> None:
    root = Element("Document")
    made = record(3, root, is_numbered=is_numbered)
    words = words_on(drawn(root, (made, 600)))
    assert [word for word, _, _ in words] == ["Turn", "Bid"] + (["0", "1", "2"] * is_numbered)
    if is_numbered:
        tops = [top for word, _, top in words if word.isdigit()]
        assert [high - low for high, low in pairwise(tops)] == pytest.approx([ROW] * 2, abs=0.05)


def test_boxes_stand_beside_each_other_behind_their_label() -> None:
    root = Element("Document")
    label = lines("Clues")[0]
    groups = tuple(
        Boxes(label, 40, count, root.add("P"), root.add("Figure", alt="boxes")) for count in (3, 1)
    )
    pdf = drawn(root, (BoxRow(groups, STYLE), 600))
    first, second = (group.figure.bbox for group in groups)
    assert first is not None
    assert second is not None
    assert first == pytest.approx((90, 600 - 12 * MM, 50 + groups[0].width, 600))
    assert second[0] == pytest.approx(50 + groups[0].width + BOX_GAP + 40)
    assert groups[0].width == pytest.approx(40 + 3 * 12 * MM + 2 * 3 * MM)
    squares = painted(pdf)[1]
    lefts = [90 + n * 15 * MM for n in range(3)] + [second[0]]
    assert squares == [
        pytest.approx((left, 600 - 12 * MM, left + 12 * MM, 600), abs=0.01) for left in lefts
    ]
    assert middles(pdf)["Clues"][1] == pytest.approx(600 - 6 * MM, abs=1)


def test_write_in_lines_share_their_width() -> None:
    root = Element("Document")
    labels = tuple((line, root.add("P")) for line in lines("Names:", "Date:"))
    made = WriteIn(labels, 300, STYLE)
    pdf = drawn(root, (made, 600))
    assert [(word, round(left)) for word, left, _ in words_on(pdf)] == [
        ("Names:", 50),
        ("Date:", 200),
    ]
    first, second = painted(pdf)[0]
    assert first[0] == pytest.approx(50 + labels[0][0].width * 10 + 3 * MM, abs=0.01)
    assert first[2] == pytest.approx(200 - 3 * MM, abs=0.01)
    assert second[2] == pytest.approx(350, abs=0.01)
    foot = 600 - made.height
    for _, low, _, _ in (first, second):
        assert foot < low < foot + STYLE.leading / 2
    for _, up in middles(pdf).values():
        assert up == pytest.approx(foot + STYLE.leading / 2, abs=1.5)


def test_the_words_of_a_tick_stand_beside_its_box() -> None:
    root = Element("Document")
    tick = Tick(lines("Last", "card"), STYLE, root.add("Figure", alt="Box"), root.add("P"))
    assert tick.height == 24
    pdf = drawn(root, (tick, 600))
    assert all(left == pytest.approx(50 + 8 * MM, abs=0.1) for _, left, _ in words_on(pdf))
    (box,) = painted(pdf)[1]
    assert box == pytest.approx((50, 594 - 2.5 * MM, 50 + 5 * MM, 594 + 2.5 * MM), abs=0.01)
    assert all(each.content for each in root.children)


class Square:
    width = 60.0
    height = 60.0

    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        canvas.rect(x, y, 60, 60)


def test_pieces_are_centred_and_know_their_boxes() -> None:
    root = Element("Document")
    figures = [root.add("Figure", alt="Square") for _ in range(2)]
    row = PieceRow(tuple((Square(), each) for each in figures), 10, 300)
    assert row.height == 60
    pdf = drawn(root, (row, 600))
    assert painted(pdf)[1] == [(135, 540, 195, 600), (205, 540, 265, 600)]
    assert [each.bbox for each in figures] == [(135, 540, 195, 600), (205, 540, 265, 600)]


def test_the_marks_of_an_answer_grid_stand_in_their_cells() -> None:
    root = Element("Document")
    tables = []
    for name in "ab":
        row = root.add("Table").add("TR")
        cells = [(Cell(lines(f"{name}{n}"), row.add("TD"))) for n in range(6)]
        tables.append((tuple(cells[:3]), tuple(cells[3:])))
    grid = AnswerGrid(tuple(tables), STYLE, cell=20, gap=9, row_height=15)
    assert (grid.width, grid.height) == (129, 30)
    pdf = drawn(root, (grid, 600))
    found = middles(pdf)
    for name, left in (("a", 50), ("b", 119)):
        for number in range(6):
            across, up = found[f"{name}{number}"]
            assert across == pytest.approx(left + 20 * (number % 3) + 10, abs=0.6)
            assert up == pytest.approx(600 - 15 * (number // 3) - 7.5, abs=1)
    assert painted(pdf)[1] == [(50, 585, 70, 600), (119, 585, 139, 600)]
    taller = grid.stretched(grid.stretch)
    assert taller.height == pytest.approx(grid.height + grid.stretch)
    assert grid.split(10) is None


# Widths of columns


WIDTHS = st.lists(st.tuples(st.floats(1, 90), st.floats(0, 200)), min_size=1, max_size=8)


@given(WIDTHS, st.floats(1, 1500))
def test_columns_are_as_near_to_their_natural_width_as_there_is_room(
    columns: list[tuple[float, float]], room: float
) -> None:
    least = [few for few, _ in columns]
    natural = [few + more for few, more in columns]
    widths = column_widths(least, natural, room)
    if widths is None:
        assert sum(least) > room
        return
    assert sum(widths) <= room + 1e-6
    for width, few, most in zip(widths, least, natural, strict=True):
        assert few - 1e-6 <= width <= most + 1e-6
    if sum(natural) <= room:
        assert list(widths) == natural
    else:
        assert sum(widths) == pytest.approx(room)


@given(WIDTHS, st.floats(1, 1500))
def test_shared_columns_fill_the_room_and_none_is_below_its_least(
    columns: list[tuple[float, float]], room: float
) -> None:
    least = [few for few, _ in columns]
    shares = [more + 0.1 for _, more in columns]
    widths = shared_widths(least, shares, room)
    if widths is None:
        assert sum(least) > room
        return
    assert sum(widths) == pytest.approx(room)
    assert all(width >= few - 1e-6 for width, few in zip(widths, least, strict=True))
    free = [
        width / share
        for width, few, share in zip(widths, least, shares, strict=True)
        if width > few + 1e-6
    ]
    assert free == pytest.approx([free[0]] * len(free)) if free else True


def test_shares_are_kept_where_there_is_room() -> None:
    assert shared_widths([10, 10, 10], [1, 2, 1], 200) == (50, 100, 50)
    assert shared_widths([80, 10, 10], [1, 2, 1], 200) == (80, 80, 40)
    assert shared_widths([80, 10, 10], [1, 2, 1], 99) is None
