"""Marks and imprint: measured in the content stream, and looked at as pixels."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from kit_builder import marks, typography
from kit_builder.formats import CARD_SIZES, PAPERS, UNPRINTABLE_MARGIN, Format
from kit_builder.grids import Box
from kit_builder.imposition import Line, Sheet, gang
from kit_builder.units import INCH, MM

A4, LETTER = PAPERS["a4"], PAPERS["letter"]
POKER = CARD_SIZES["poker"]
CARD_NAMES = ["poker", "poker-us", "bridge", "mini", "mini-euro", "business", "square-50", "a8"]
PIXELS_PER_POINT = 3

both_papers = pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)


def in_andika(text: str) -> Sequence[tuple[str, str]]:
    return [(typography.REGULAR, text)]


def imprint_of(sheet: Sheet, paper: Format) -> marks.Imprint:
    return marks.imprint(
        sheet.width,
        sheet.height,
        sheet.block,
        in_andika,
        "Outward-hand signals · Cards",
        f"Page 2 of 6 · {paper.name} · Print at 100 %",
        occupied=sheet.occupied,
        inches=paper.inches,
    )


def boxes(imprint: marks.Imprint) -> list[Box]:
    labels = [ruler.label for ruler in imprint.rulers if ruler.label]
    return [
        *(ruler.box for ruler in imprint.rulers),
        *(text.box for text in (*labels, *imprint.captions)),
    ]


def pdf(paper: Format, draw: Callable[[Canvas], object]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(paper.width, paper.height), pageCompression=0, invariant=1)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def lines_in(file: bytes) -> list[Line]:
    number = rb"(-?[\d.]+)"
    found = re.findall(rb"n %s %s m %s %s l S" % ((number,) * 4), file)
    return [Line(*map(float, each)) for each in found]


def picture(file: bytes) -> Any:
    with pypdfium2.PdfDocument(file) as document:
        return document[0].render(scale=PIXELS_PER_POINT).to_pil().convert("L")


def ink_outside(image: Any, kept: Sequence[Box], height: float) -> bool:
    """Whether there is ink beyond the boxes; a stroke on an edge reaches half its width over."""
    for box in kept:
        left, bottom, right, top = (each * PIXELS_PER_POINT for each in box.grown(marks.STROKE))
        high = height * PIXELS_PER_POINT
        image.paste(255, (int(left), int(high - top), int(right) + 1, int(high - bottom) + 1))
    return bool(image.getextrema()[0] < 255)


def are_apart(one: Sequence[float], other: Sequence[float]) -> bool:
    return (
        one[2] <= other[0] + 0.001
        or other[2] <= one[0] + 0.001
        or one[3] <= other[1] + 0.001
        or other[3] <= one[1] + 0.001
    )


@both_papers
def test_check_rulers_across_and_down_are_100_mm_long_in_the_file(paper: Format) -> None:
    (sheet,) = gang(9, POKER, paper)
    imprint = imprint_of(sheet, paper)
    drawn = lines_in(pdf(paper, lambda canvas: marks.draw_imprint(canvas, imprint)))
    across = [x2 - x1 for x1, y1, x2, y2 in drawn if y1 == y2 and x2 - x1 > 50 * MM]
    down = [y2 - y1 for x1, y1, x2, y2 in drawn if x1 == x2 and y2 - y1 > 50 * MM]
    lengths = [100 * MM, 4 * INCH] if paper.inches else [100 * MM]
    assert across == pytest.approx(lengths, abs=0.01 * MM)
    assert down == pytest.approx(lengths, abs=0.01 * MM)


@both_papers
def test_ruler_ticks_stand_each_10_mm_and_the_outer_ones_end_the_ruler(paper: Format) -> None:
    (sheet,) = gang(9, POKER, paper)
    ruler = imprint_of(sheet, paper).rulers[0]
    places = [tick.x1 for tick in ruler.ticks]
    assert places == pytest.approx([ruler.base.x1 + number * 10 * MM for number in range(11)])
    assert (places[0], places[-1]) == pytest.approx((ruler.base.x1, ruler.base.x2))
    heights = [tick.y2 - tick.y1 for tick in ruler.ticks]
    assert min(heights[0], heights[5], heights[10]) > 1.3 * max(heights[1:5] + heights[6:10])


@both_papers
@pytest.mark.parametrize("name", CARD_NAMES)
@pytest.mark.parametrize("backs", [None, "fold"])
def test_rulers_texts_ticks_and_cards_do_not_touch(paper: Format, name: str, backs: Any) -> None:
    for sheet in gang(22, CARD_SIZES[name], paper, backs=backs):
        imprint = imprint_of(sheet, paper)
        assert len(imprint.captions) == 2
        for one, other in combinations(boxes(imprint), 2):
            assert are_apart(one, other)
        for each in boxes(imprint):
            assert all(are_apart(each, mark) for mark in (sheet.block, *sheet.ticks, *sheet.folds))


@both_papers
@pytest.mark.parametrize("name", ["poker", "poker-us", "mini-euro", "bridge"])
def test_nothing_is_drawn_within_5_mm_of_the_edge(paper: Format, name: str) -> None:
    (sheet, *_) = gang(18, CARD_SIZES[name], paper)

    def draw(canvas: Canvas) -> None:
        marks.draw(canvas, sheet)
        marks.draw_imprint(canvas, imprint_of(sheet, paper))

    image = picture(pdf(paper, draw))
    assert image.getextrema()[0] < 128
    printable = Box(0, 0, paper.width, paper.height).grown(-UNPRINTABLE_MARGIN - marks.STROKE)
    assert not ink_outside(image, [printable], paper.height)


@both_papers
@pytest.mark.parametrize("name", CARD_NAMES)
def test_the_ink_of_the_imprint_stays_in_the_boxes_it_was_given(paper: Format, name: str) -> None:
    (sheet, *_) = gang(20, CARD_SIZES[name], paper)
    imprint = imprint_of(sheet, paper)
    image = picture(pdf(paper, lambda canvas: marks.draw_imprint(canvas, imprint)))
    assert not ink_outside(image, boxes(imprint), paper.height)


def test_the_imprint_stands_at_the_same_place_on_a_part_filled_sheet() -> None:
    full, part = gang(10, POKER, LETTER)
    assert imprint_of(full, LETTER) == imprint_of(part, LETTER)


def test_on_a4_the_caption_stands_between_the_ruler_and_the_cards() -> None:
    (sheet,) = gang(9, POKER, A4)
    imprint = imprint_of(sheet, A4)
    left, right = imprint.captions
    assert (left.turn, left.size) == (0, 8)
    assert left.x == pytest.approx(sheet.block.left)
    assert right.box.right == pytest.approx(sheet.block.right)
    assert imprint.rulers[0].box.top < left.box.bottom < left.box.top < sheet.occupied.bottom


def test_on_letter_the_caption_runs_upwards_at_the_right() -> None:
    (sheet,) = gang(9, POKER, LETTER)
    left, right = imprint_of(sheet, LETTER).captions
    assert (left.turn, left.size) == (90, 8)
    assert left.box.left > sheet.occupied.right
    assert (left.box.bottom, right.box.top) == pytest.approx((sheet.block.bottom, sheet.block.top))


@both_papers
def test_each_ruler_of_a_usual_sheet_says_its_length(paper: Format) -> None:
    for name in ("poker", "tarot", "a7"):
        (sheet, *_) = gang(9, CARD_SIZES[name], paper)
        labels = [ruler.label for ruler in imprint_of(sheet, paper).rulers]
        assert None not in labels
        texts = [label.runs[0][1] for label in labels if label]
        assert texts == ["100 mm", "100 mm", *(["4 in", "4 in"] if paper.inches else [])]


@both_papers
def test_a_text_page_has_the_same_imprint_in_its_margins(paper: Format) -> None:
    frame = Box(0, 0, paper.width, paper.height).grown(-18 * MM)
    imprint = marks.imprint(
        paper.width, paper.height, frame, in_andika, "Rules", "Page 1 of 6", size=12
    )
    assert [text.size for text in imprint.captions] == [12, 12]
    assert all(are_apart(each, frame) for each in boxes(imprint))


def test_text_is_found_in_the_page() -> None:
    (sheet,) = gang(9, POKER, LETTER)
    imprint = imprint_of(sheet, LETTER)
    file = pdf(LETTER, lambda canvas: marks.draw_imprint(canvas, imprint))
    with pypdfium2.PdfDocument(file) as document:
        text = document[0].get_textpage().get_text_range()
    for expected in ("Outward-hand signals · Cards", "Letter · Print at 100 %", "100 mm", "4 in"):
        assert expected in text


def test_a_text_of_several_fonts_is_set_in_each_of_them() -> None:
    def setting(text: str) -> Sequence[tuple[str, str]]:
        return typography.set_word(text, False).runs

    (sheet,) = gang(9, POKER, A4)
    imprint = marks.imprint(sheet.width, sheet.height, sheet.block, setting, "Stars ★", "★ A4")
    assert [font for font, _ in imprint.captions[0].runs] == ["Andika", "DejaVu"]
    file = pdf(A4, lambda canvas: marks.draw_imprint(canvas, imprint))
    with pypdfium2.PdfDocument(file) as document:
        assert "Stars ★" in document[0].get_textpage().get_text_range()


def test_a_long_caption_is_set_smaller_and_a_too_long_one_is_an_error() -> None:
    (sheet,) = gang(9, POKER, A4)
    space = (sheet.width, sheet.height, sheet.block, in_andika)
    long = marks.imprint(*space, "word " * 22, "Page 1", size=12)
    assert 6 <= long.captions[0].size < 12
    with pytest.raises(ValueError, match="does not fit into a margin; shorten it"):
        marks.imprint(*space, "word " * 100, "Page 1")


def test_a_page_without_room_for_a_ruler_is_an_error_that_says_how_much_it_needs() -> None:
    frame = Box(5 * MM, 20 * MM, A4.width - 5 * MM, A4.height - 20 * MM)
    with pytest.raises(ValueError, match=r"right or left edge .*; leave 5\.95 mm free there"):
        marks.imprint(A4.width, A4.height, frame, in_andika, "left", "right")


def test_cut_lines_are_thin_and_dark_enough_to_be_copied() -> None:
    (sheet,) = gang(9, POKER, A4)
    file = pdf(A4, lambda canvas: marks.draw(canvas, sheet))
    assert re.findall(rb"([\d.]+) w", file) == [b".425197"]
    assert [float(grey) for grey in re.findall(rb"([\d.]+) G", file)] == [0.4]
    drawn = lines_in(file)
    assert len(drawn) == len(sheet.cuts) + len(sheet.ticks) == 8 + 16
    for line, expected in zip(drawn, (*sheet.ticks, *sheet.cuts), strict=True):
        assert line == pytest.approx(expected, abs=0.001)


def test_cut_lines_for_scissors_are_dashed_and_a_fold_is_a_chain_line() -> None:
    solid, dashed = (gang(9, POKER, A4, cutting=each)[0] for each in ("shared", "dashed"))
    (folded,) = gang(1, POKER, A4, backs="fold")

    def dashes(sheet: Sheet) -> list[tuple[int, int]]:
        """Of each dash pattern: how many dashes and gaps it has, and how many lines are so."""
        file = pdf(A4, lambda canvas: marks.draw(canvas, sheet)).split(b"] 0 d")
        patterns = [len(part.rpartition(b"[")[2].split()) for part in file[:-1]]
        return list(zip(patterns, (len(lines_in(part)) for part in file[1:]), strict=True))

    assert dict(dashes(solid)).get(2) is None
    assert dict(dashes(dashed))[2] == len(dashed.cuts)
    assert dict(dashes(folded))[4] == 1


@settings(max_examples=100, deadline=None)
@given(
    paper=st.sampled_from(list(PAPERS.values())),
    bands=st.tuples(*[st.floats(5.95, 40)] * 4),
    size=st.floats(6, 14),
    inches=st.booleans(),
)
def test_any_imprint_stays_in_the_margins_and_touches_nothing(
    paper: Format, bands: tuple[float, float, float, float], size: float, inches: bool
) -> None:
    left, bottom, right, top = (each * MM for each in bands)
    frame = Box(left, bottom, paper.width - right, paper.height - top)
    try:
        imprint = marks.imprint(
            paper.width, paper.height, frame, in_andika, "Left", "Right", size=size, inches=inches
        )
    except ValueError:
        assert max(bands) < 5 + 2.65 + 0.95 + 0.3
        return
    printable = Box(0, 0, paper.width, paper.height).grown(-UNPRINTABLE_MARGIN)
    for each in boxes(imprint):
        assert are_apart(each, frame)
        assert printable.grown(0.001).joined(each) == printable.grown(0.001)
    for one, other in combinations(boxes(imprint), 2):
        assert are_apart(one, other)
