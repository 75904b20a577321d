"""Marks and imprint: measured in the content stream, and looked at as pixels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder import marks, typography
from kit_builder.formats import CARD_SIZES, PAPERS, UNPRINTABLE_MARGIN, Format
from kit_builder.grids import Box
from kit_builder.imposition import Line, Sheet, gang
from kit_builder.tagging import TaggedCanvas
from kit_builder.units import INCH, MM
from tests import sample

A4, A5, LETTER = PAPERS["a4"], PAPERS["a5"], PAPERS["letter"]
POKER, JUMBO = CARD_SIZES["poker"], CARD_SIZES["jumbo"]
CARD_NAMES = ["poker", "poker-us", "bridge", "mini", "mini-euro", "business", "square-50", "a8"]
TITLES = (
    "Outward-hand signals · Cards · 89 x 127 mm",
    "Class set C (3) · Hidden dice count calls · Records",
)
PIXELS_PER_POINT = 3

both_papers = pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)


def imprint_of(sheet: Sheet, paper: Format) -> marks.Imprint:
    return marks.imprint(
        sheet.width,
        sheet.height,
        sheet.block,
        "Outward-hand signals · Cards",
        f"Page 2 of 6 · {paper.name} · Print at 100 %",
        occupied=sheet.occupied,
        inches=paper.inches,
    )


def text_frame(paper: Format) -> Box:
    """Where text stands on a page in large print."""
    side = 14 * MM if paper is A5 else 22 * MM
    return Box(side, 24 * MM, paper.width - side, paper.height - 14 * MM)


def in_large_print(
    paper: Format, block: Box, occupied: Box | None = None, title: str = TITLES[0]
) -> marks.Imprint:
    return marks.imprint(
        paper.width,
        paper.height,
        block,
        title,
        f"Page 3 of 18 · {paper.name} · Print at 100 %",
        occupied=occupied,
        inches=paper.inches,
        size=16,
        smallest=16,
    )


def boxes(imprint: marks.Imprint) -> list[Box]:
    rulers = [box for ruler in imprint.rulers for box in ruler.boxes]
    return [*rulers, *(caption.box for caption in imprint.captions)]


def are_in_order(first: marks.TextLine, second: marks.TextLine) -> bool:
    """Whether the texts of one band are read in this order: first on a line, or on a line above."""
    if (first.x, first.y)[first.turn == 0] == (second.x, second.y)[first.turn == 0]:
        return first.y < second.y if first.turn else first.x < second.x
    return first.x < second.x if first.turn else first.y > second.y


def pdf(paper: Format, draw: Callable[[TaggedCanvas], object]) -> bytes:
    return sample.printed((paper.width, paper.height), draw)


def code(file: bytes) -> bytes:
    """What draws the page."""
    contents: Any = sample.opened(file).pages[0].get_contents()
    return bytes(contents.get_data())


def lines_in(drawn: bytes) -> list[Line]:
    number = rb"(-?[\d.]+)"
    found = re.findall(rb"%s %s m %s %s l" % ((number,) * 4), drawn)
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
    drawn = lines_in(code(pdf(paper, lambda canvas: marks.draw_imprint(canvas, imprint))))
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

    def draw(canvas: TaggedCanvas) -> None:
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
        texts = [label.word.runs[0].text for label in labels if label]
        assert texts == (["100 mm", "4 in"] * 2 if paper.inches else ["100 mm", "100 mm"])


@both_papers
def test_a_text_page_has_the_same_imprint_in_its_margins(paper: Format) -> None:
    frame = Box(0, 0, paper.width, paper.height).grown(-18 * MM)
    imprint = marks.imprint(paper.width, paper.height, frame, "Rules", "Page 1 of 6", size=12)
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
    (sheet,) = gang(9, POKER, A4)
    imprint = marks.imprint(sheet.width, sheet.height, sheet.block, "Stars ★", "★ A4")
    fonts = [run.font for run in imprint.captions[0].word.runs]
    assert fonts == ["Andika", "DejaVuSans"]
    file = pdf(A4, lambda canvas: marks.draw_imprint(canvas, imprint))
    with pypdfium2.PdfDocument(file) as document:
        assert "Stars ★" in document[0].get_textpage().get_text_range()


def test_a_caption_shrinks_where_its_bands_are_shallow_but_not_below_the_smallest_size() -> None:
    frame = Box(0, 0, A4.width, A4.height).grown(-8.2 * MM)
    space = (A4.width, A4.height, frame, "Rules", "Page 1")
    assert [text.size for text in marks.imprint(*space).captions] == [7, 7]
    assert [text.size for text in marks.imprint(*space, smallest=7).captions] == [7, 7]
    with pytest.raises(ValueError, match="does not fit into a margin; shorten it, or leave more"):
        marks.imprint(*space, smallest=7.5)


def test_a_caption_longer_than_every_edge_of_the_paper_is_an_error() -> None:
    (sheet,) = gang(9, POKER, A4)
    with pytest.raises(ValueError, match="does not fit into a margin; shorten it"):
        marks.imprint(sheet.width, sheet.height, sheet.block, "word " * 100, "Page 1")


def jumbo_sheet(paper: Format) -> Sheet:
    (sheet,) = gang(4, JUMBO, paper, imprint=16)
    return sheet


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize(
    ("paper", "block", "occupied"),
    [
        *((paper, jumbo_sheet(paper).block, jumbo_sheet(paper).occupied) for paper in (A4, LETTER)),
        *((paper, jumbo_sheet(paper).block, jumbo_sheet(paper).block) for paper in (A4, LETTER)),
        *((paper, text_frame(paper), text_frame(paper)) for paper in (A4, LETTER, A5)),
    ],
    ids=["A4 cards", "Letter cards", "A4 bare", "Letter bare", "A4 text", "Letter text", "A5 text"],
)
def test_in_large_print_every_caption_has_16_pt_and_its_ink_touches_nothing(
    paper: Format, block: Box, occupied: Box, title: str
) -> None:
    imprint = in_large_print(paper, block, occupied, title)
    assert [text.size for text in imprint.captions] == [16, 16]
    assert len(imprint.rulers) == (4 if paper.inches else 2)
    printable = Box(0, 0, paper.width, paper.height).grown(-UNPRINTABLE_MARGIN + 0.001)
    for one, other in combinations([*boxes(imprint), occupied], 2):
        assert are_apart(one, other)
        assert printable.joined(one) == printable
    image = picture(pdf(paper, lambda canvas: marks.draw_imprint(canvas, imprint)))
    assert not ink_outside(image, boxes(imprint), paper.height)


def test_a_large_caption_that_needs_two_lines_is_set_as_two_lines_below_a_text() -> None:
    for paper in (A4, LETTER, A5):
        frame = text_frame(paper)
        first, second = in_large_print(paper, frame).captions
        assert first.turn == second.turn == 0
        assert first.x == second.x == pytest.approx(frame.left)
        assert frame.bottom > first.box.top > first.box.bottom >= second.box.top - 0.001


def test_a_large_caption_is_head_and_foot_of_a_sheet_without_room_for_two_lines() -> None:
    sheet = jumbo_sheet(A4)
    first, second = in_large_print(A4, sheet.block, sheet.occupied).captions
    assert first.turn == second.turn == 0
    assert first.box.bottom >= sheet.occupied.top
    assert second.box.top <= sheet.occupied.bottom
    assert (first.x, second.box.right) == pytest.approx((sheet.block.left, sheet.block.right))


def test_a_large_caption_runs_upwards_beside_a_sheet_without_room_above_and_below() -> None:
    sheet = jumbo_sheet(LETTER)
    first, second = in_large_print(LETTER, sheet.block, sheet.occupied).captions
    assert first.turn == second.turn == 90
    assert first.x == second.x > sheet.occupied.right
    assert are_in_order(first, second)


def test_two_texts_that_meet_at_a_corner_leave_each_other_free() -> None:
    # Only above and at the left, where there are no rulers, is a line of 16 pt not too deep.
    frame = Box(13 * MM, 13 * MM, A5.width - 13 * MM, A5.height - 13 * MM)
    left, right = "n" * 40, "n" * 55
    imprint = marks.imprint(A5.width, A5.height, frame, left, right, size=16, smallest=16)
    first, second = imprint.captions
    assert (first.turn, second.turn) == (0, 90)
    assert are_apart(first.box, second.box)


def test_a_ruler_gives_way_to_a_caption_that_would_not_fit_otherwise() -> None:
    frame = Box(10 * MM, 20 * MM, A5.width - 10 * MM, A5.height - 10 * MM)
    imprint = in_large_print(A5, frame)
    across, _ = imprint.rulers
    assert across.box.bottom > frame.top
    assert all(caption.box.top < frame.bottom for caption in imprint.captions)


def test_rulers_in_inches_give_way_to_a_caption_that_would_not_fit_otherwise() -> None:
    frame = Box(0, 0, LETTER.width, LETTER.height).grown(-13 * MM)
    imprint = in_large_print(LETTER, frame)
    labels = [ruler.label.word.runs[0].text for ruler in imprint.rulers if ruler.label]
    assert labels == ["100 mm", "4 in", "100 mm"]
    assert all(caption.box.right < frame.left for caption in imprint.captions)


@pytest.mark.parametrize("cutting", ["shared", "dashed"])
def test_a_back_has_nothing_but_its_ticks_and_they_stay_in_the_printable_area(cutting: Any) -> None:
    shift = (1.5 * MM, -1 * MM)
    for paper in (A4, LETTER):
        _, back = gang(
            4, JUMBO, paper, cutting=cutting, backs="long-edge", offset=shift, imprint=16
        )
        assert back.side == "back"
        file = pdf(paper, lambda canvas, sheet=back: marks.draw(canvas, sheet))  # type: ignore[misc]
        assert len(lines_in(code(file))) == len(back.ticks) > 0
        printable = Box(0, 0, paper.width, paper.height).grown(-UNPRINTABLE_MARGIN - marks.STROKE)
        assert not ink_outside(picture(file), [printable], paper.height)


def test_a_page_without_room_for_a_ruler_is_an_error_that_says_how_much_it_needs() -> None:
    frame = Box(5 * MM, 20 * MM, A4.width - 5 * MM, A4.height - 20 * MM)
    with pytest.raises(ValueError, match=r"right or left edge .*; leave 5\.95 mm free there"):
        marks.imprint(A4.width, A4.height, frame, "left", "right")


def test_cut_lines_are_thin_and_dark_enough_to_be_copied() -> None:
    (sheet,) = gang(9, POKER, A4)
    drawn = code(pdf(A4, lambda canvas: marks.draw(canvas, sheet)))
    assert re.findall(rb"([\d.]+) w", drawn) == [b".425197"]
    assert [float(grey) for grey in re.findall(rb"([\d.]+) G", drawn)] == [0.4]
    lines = lines_in(drawn)
    assert len(lines) == len(sheet.cuts) + len(sheet.ticks) == 8 + 16
    for line, expected in zip(lines, (*sheet.ticks, *sheet.cuts), strict=True):
        assert line == pytest.approx(expected, abs=0.001)


def test_cut_lines_for_scissors_are_dashed_and_a_fold_is_a_chain_line() -> None:
    solid, dashed = (gang(9, POKER, A4, cutting=each)[0] for each in ("shared", "dashed"))
    (folded,) = gang(1, POKER, A4, backs="fold")

    def dashes(sheet: Sheet) -> list[tuple[int, int]]:
        """Of each dash pattern: how many dashes and gaps it has, and how many lines are so."""
        file = code(pdf(A4, lambda canvas: marks.draw(canvas, sheet))).split(b"] 0 d")
        patterns = [len(part.rpartition(b"[")[2].split()) for part in file[:-1]]
        return list(zip(patterns, (len(lines_in(part)) for part in file[1:]), strict=True))

    assert dict(dashes(solid)).get(2) is None
    assert dict(dashes(dashed))[2] == len(dashed.cuts)
    assert dict(dashes(folded))[4] == 1


def words(measure: float) -> str:
    """A text that is not wider than this at a font size of 1 point."""
    return "n" * max(1, int(measure / typography.set_word("n", False).width))


@settings(max_examples=200, deadline=None)
@given(
    paper=st.sampled_from(list(PAPERS.values())),
    bands=st.tuples(*[st.floats(5.95, 40)] * 4),
    measures=st.tuples(*[st.floats(1, 70)] * 2),
    smallest=st.floats(6, 18),
    more=st.floats(0, 6),
    inches=st.booleans(),
)
def test_any_imprint_stays_in_the_margins_and_touches_nothing(
    paper: Format,
    bands: tuple[float, float, float, float],
    measures: tuple[float, float],
    smallest: float,
    more: float,
    inches: bool,
) -> None:
    left, bottom, right, top = (each * MM for each in bands)
    frame = Box(left, bottom, paper.width - right, paper.height - top)
    texts = [words(measure) for measure in measures]
    size = smallest + more
    try:
        imprint = marks.imprint(
            paper.width, paper.height, frame, *texts,
            size=size, smallest=smallest, inches=inches,
        )  # fmt: skip
    except ValueError:
        # No band holds both texts inside its ruler, neither on one line nor on two.
        for depth, edge in zip(bands, (paper.height, paper.width) * 2, strict=True):
            lines = int((depth - 5 - 1.7) * MM / (1.25 * smallest))
            room = edge / smallest - 2 * UNPRINTABLE_MARGIN / smallest
            assert lines < 1 or sum(measures) + 2 > room
            assert lines < 2 or max(measures) > room
        return
    first, second = imprint.captions
    assert smallest <= first.size == second.size <= size
    printable = Box(0, 0, paper.width, paper.height).grown(-UNPRINTABLE_MARGIN + 0.001)
    assert all(printable.joined(each) == printable for each in boxes(imprint))
    for one, other in combinations([*boxes(imprint), frame], 2):
        assert are_apart(one, other)
    if first.turn == second.turn:
        assert are_in_order(first, second)


@settings(max_examples=200, deadline=None)
@given(
    card=st.builds(Format, st.just("any"), *[st.floats(20 * MM, 140 * MM)] * 2),
    paper=st.sampled_from(list(PAPERS.values())),
    backs=st.sampled_from([None, "fold"]),
    size=st.sampled_from([6, 8, 12, 16, 20]),
    share=st.floats(0.1, 0.9),
)
def test_a_sheet_of_any_cards_has_room_for_the_caption_it_was_ganged_for(
    card: Format, paper: Format, backs: Any, size: float, share: float
) -> None:
    try:
        (sheet,) = gang(1, card, paper, backs=backs, imprint=size)
    except ValueError:
        assert max(card.width, card.height) > 50 * MM
        return
    measure = (paper.width - 2 * UNPRINTABLE_MARGIN) / size - 2
    # Ordinary texts share a line; large ones may need one each.
    measures = [measure * share, measure * (1 - share if size <= 8 else 1)]
    imprint = marks.imprint(
        paper.width, paper.height, sheet.block, *map(words, measures),
        occupied=sheet.occupied, inches=paper.inches, size=size, smallest=size,
    )  # fmt: skip
    for one, other in combinations([*boxes(imprint), sheet.occupied], 2):
        assert are_apart(one, other)
