"""Patterns: printed as a block of cards, cut out, turned and laid side by side."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageFilter, ImageOps
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from kit_builder import patterns
from kit_builder.formats import CARD_SIZES
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import draw_word, set_word
from kit_builder.units import MM
from tests.content_streams import unmarked

NAMES = list(patterns.PATTERNS)
POKER = (63.0, 88.0)
ANDIKA = Path(__file__).parents[1] / "fonts" / "andika" / "Andika-Regular.ttf"

Pair = tuple[float, float]


@cache
def printed(
    name: str,
    size: Pair,
    pitch: Pair,
    centre: Pair,
    pixels: int,
    left: float = 0,
    bottom: float = 0,
) -> Image.Image:
    """The ink in a box, `pixels` a mm: 0 none, 255 black.

    All in mm: the box has this size and lower left corner on a page as big as itself; the pitch
    and centre of its cards.
    """
    file = io.BytesIO()
    # PDFium counts a pixel that is begun, and stretches the page to fill it.
    canvas = Canvas(file, pagesize=(size[0] * MM - 1e-4, size[1] * MM - 1e-4))
    canvas.translate(-left * MM, -bottom * MM)
    box = left * MM, bottom * MM, (left + size[0]) * MM, (bottom + size[1]) * MM
    pitch_x, pitch_y = pitch
    middle = centre[0] * MM, centre[1] * MM
    patterns.draw(canvas, name, box, pitch_x * MM, pitch_y * MM, middle)
    canvas.save()
    page = pypdfium2.PdfDocument(file.getvalue())[0]
    picture: Image.Image = page.render(scale=pixels / MM, grayscale=True).to_pil()
    assert picture.size == (round(size[0] * pixels), round(size[1] * pixels))
    return ImageOps.invert(picture)


def ink(image: Image.Image) -> float:
    """The black share of the area."""
    return sum(level * count for level, count in enumerate(image.histogram())) / (
        255 * image.width * image.height
    )


def apart(one: Image.Image, other: Image.Image) -> float:
    """By how much of their ink two pictures of one size differ."""
    assert one.size == other.size
    return ink(ImageChops.difference(one, other)) / ink(one)


# Anti-aliasing rounds a pixel at an edge by one or two levels of 255.
SAME = 0.005


def cards(name: str, width: float, height: float, gutter: float, beside: Pair) -> list[Image.Image]:
    """Two by two cards cut from a block with 4 mm more on each side, `beside` their lines; mm."""
    pitch = width + gutter, height + gutter
    size = 2 * pitch[0] - gutter + 8, 2 * pitch[1] - gutter + 8
    block = printed(name, size, pitch, (4 + width / 2, 4 + height / 2), 10)
    cut = []
    for row in range(2):
        for column in range(2):
            left = round(10 * (4 + column * pitch[0] + beside[0]))
            top = round(10 * (4 + row * pitch[1] + beside[1]))
            cut.append(block.crop((left, top, left + round(10 * width), top + round(10 * height))))
    return cut


@pytest.mark.parametrize("card", CARD_SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_all_cards_have_the_same_back_upright_and_upside_down(name: str, card: str) -> None:
    size = CARD_SIZES[card]
    first, *others = cards(name, size.width / MM, size.height / MM, 0, (0, 0))

    assert 0.35 < ink(first) < 0.55
    for other in (*others, first.rotate(180)):
        assert apart(first, other) < SAME


@pytest.mark.parametrize("gutter", [4.0, 5.5])
@pytest.mark.parametrize("name", NAMES)
def test_cards_with_a_gutter_have_the_same_back_upright_and_upside_down(
    name: str, gutter: float
) -> None:
    first, *others = cards(name, *POKER, gutter, (0, 0))

    for other in (*others, first.rotate(180)):
        assert apart(first, other) < SAME


@pytest.mark.parametrize("beside", [(2.0, 0.0), (-2.0, 2.0), (4.0, -4.0)])
@pytest.mark.parametrize("name", NAMES)
def test_cards_cut_beside_their_lines_still_have_the_same_back(name: str, beside: Pair) -> None:
    first, *others = cards(name, *POKER, 0, beside)

    for other in others:
        assert apart(first, other) < SAME


@pytest.mark.parametrize("name", NAMES)
def test_there_is_no_seam_where_four_cards_meet(name: str) -> None:
    pattern = patterns.PATTERNS[name]
    across, up = round(pattern.width, 1), round(pattern.height, 1)
    pitch = 10 * across, 10 * up
    around = printed(name, (40, 40), pitch, (20 + pitch[0] / 2, 20 + pitch[1] / 2), 10)

    right, top = round(10 * across), round(10 * up)
    for x, y in ((right, 0), (0, top), (right, top)):
        here = around.crop((0, 0, 400 - x, 400 - y))
        assert apart(here, around.crop((x, y, 400, 400))) < SAME


@pytest.mark.parametrize("name", NAMES)
def test_the_ink_is_spread_evenly(name: str) -> None:
    card = cards(name, *POKER, 0, (0, 0))[0]

    for column in range(4):
        for row in range(6):
            left, top = 150 * column, 140 * row
            assert 0.33 < ink(card.crop((left, top, left + 150, top + 150))) < 0.58


# The shortest pitch for two periods: the most that a motif is ever made smaller.
@pytest.mark.parametrize("periods", [1.0, 1.51])
@pytest.mark.parametrize("name", NAMES)
def test_a_photocopier_loses_no_line_and_no_gap(name: str, periods: float) -> None:
    pattern = patterns.PATTERNS[name]
    pitch = periods * pattern.width, periods * pattern.height
    image = printed(name, (20, 20), pitch, (10, 10), 30).point(lambda level: 255 * (level > 127))

    # Lines under 0.25 mm and gaps under 0.3 mm; what goes is the tips of points and corners.
    lines = image.filter(ImageFilter.MinFilter(7)).filter(ImageFilter.MaxFilter(7))
    gaps = image.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.MinFilter(9))
    inside = 30, 30, 570, 570
    assert apart(image.crop(inside), lines.crop(inside)) < 0.02
    assert apart(image.crop(inside), gaps.crop(inside)) < 0.02


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_painted_outside_the_box(name: str) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(10 * MM - 1e-4, 10 * MM - 1e-4))
    box = 2.346 * MM, 1.504 * MM, 8.273 * MM, 7.008 * MM
    patterns.draw(canvas, name, box, 63 * MM, 88 * MM, (5 * MM, 5 * MM))
    canvas.save()
    picture = pypdfium2.PdfDocument(file.getvalue())[0].render(scale=100 / MM).to_pil()
    left, top, right, bottom = ImageOps.invert(picture.convert("L")).getbbox() or (0, 0, 0, 0)

    # 100 pixels a mm, from the top.
    assert left >= 234 and top >= 299 and right <= 828 and bottom <= 850


@pytest.mark.parametrize("moved", [(0.0, 0.0), (1.7, 3.1), (3.3, 0.4), (5.2, 5.9)])
@pytest.mark.parametrize("name", NAMES)
def test_a_small_box_is_filled_like_its_part_of_a_large_one(name: str, moved: Pair) -> None:
    large = printed(name, (40, 40), POKER, (0, 0), 10)
    left, bottom = 12 + moved[0], 13 + moved[1]
    small = printed(name, (8, 9), POKER, (0, 0), 10, left, bottom)

    x, y = round(10 * left), round(10 * (40 - bottom - 9))
    # Not its outermost pixels, which the edge of the box cuts.
    part = large.crop((x + 1, y + 1, x + 79, y + 89))
    assert apart(part, small.crop((1, 1, 79, 89))) < SAME


@pytest.mark.parametrize("name", NAMES)
def test_it_does_not_matter_of_which_card_the_centre_is_given(name: str) -> None:
    near = printed(name, (40, 40), POKER, (10, 20), 10)
    far = printed(name, (40, 40), POKER, (10 + 2 * POKER[0], 20 - 3 * POKER[1]), 10)

    assert apart(near, far) < SAME


@given(pitch=st.floats(5, 500), ideal=st.floats(3, 15))
def test_a_whole_number_of_periods_is_a_pitch(pitch: float, ideal: float) -> None:
    fitted = patterns.period(pitch, ideal)

    count = pitch / fitted
    assert count == pytest.approx(round(count), abs=1e-9)
    assert round(count) == 1 or abs(pitch / ideal - count) <= 0.5 + 1e-9
    if pitch >= 1.5 * ideal:
        assert 0.75 <= fitted / ideal <= 1.25 + 1e-9


def backs(name: str, *boxes: tuple[float, float, float, float]) -> bytes:
    """A file with one page for each box, in mm."""
    file = io.BytesIO()
    root = Element("Document")
    canvas = TaggedCanvas(file, (210 * MM, 297 * MM), root, language="en", title="Backs")
    for box in boxes:
        left, bottom, right, top = (edge * MM for edge in box)
        middle = left + 33.5 * MM, bottom + 46 * MM
        with canvas.marked(root.add("Figure", alt="Backs")):
            patterns.draw(canvas, name, (left, bottom, right, top), 63 * MM, 88 * MM, middle)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


BLOCK = (8.5, 14.5, 201.5, 282.5)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_backs_is_small_and_a_second_one_costs_nothing(name: str) -> None:
    one, two = backs(name, BLOCK), backs(name, BLOCK, BLOCK)

    assert len(one) < 5_000
    assert len(two) - len(one) < 700


def test_equal_blocks_are_one_form_wherever_they_lie() -> None:
    moved = tuple(edge + 2.1 for edge in BLOCK)
    smaller = (8.5, 14.5, 201.5, 194.5)

    def forms(*boxes: tuple[float, ...]) -> int:
        reader = PdfReader(io.BytesIO(backs("waves", *boxes)))  # type: ignore[arg-type]
        placed = [page["/Resources"]["/XObject"] for page in reader.pages]  # type: ignore[index]
        return len({each.raw_get(name).idnum for each in placed for name in each})

    assert forms(BLOCK, moved) == 1
    assert forms(BLOCK, moved, smaller) == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_same_back_is_the_same_bytes(name: str) -> None:
    assert backs(name, BLOCK) == backs(name, BLOCK)


def test_the_patterns_are_told_apart_at_a_glance() -> None:
    # As far apart as two patterns of this ink that have nothing in common.
    one = {name: cards(name, *POKER, 0, (0, 0))[0] for name in NAMES}

    assert all(apart(one[a], one[b]) > 0.7 for a in NAMES for b in NAMES if a != b)


@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_is_an_artifact_of_a_tagged_page(name: str) -> None:
    file, root = io.BytesIO(), Element("Document")
    canvas = TaggedCanvas(file, (210 * MM, 297 * MM), root, language="en", title="Backs")
    box = 20 * MM, 20 * MM, 190 * MM, 250 * MM
    for number in (1, 2):
        with canvas.marked(root.add("P")):
            draw_word(canvas, set_word(f"Sheet {number}", False), 12, 50, 800)
        patterns.draw(canvas, name, box, 63 * MM, 88 * MM, (80 * MM, 80 * MM))
        canvas.showPage()
    canvas.save()

    assert unmarked(file.getvalue()) == []
    for page in PdfReader(io.BytesIO(file.getvalue())).pages:
        code = page.get_contents().get_data().decode("latin-1")  # type: ignore[union-attr]
        assert re.search(r"/Artifact BMC\s[^E]*/FormXob\.pattern-\S+ Do[^E]*EMC", code)


@pytest.mark.parametrize("name", NAMES)
def test_the_pen_of_the_page_does_not_change_the_pattern_nor_the_pattern_the_pen(name: str) -> None:
    def page(pen: bool) -> Image.Image:
        file = io.BytesIO()
        canvas = Canvas(file, pagesize=(40 * MM, 40 * MM))
        if pen:
            canvas.setDash(1, 2)
            canvas.setStrokeGray(0.5)
            canvas.setFillGray(0.5)
            canvas.setLineWidth(5)
        code = len(canvas._code)
        patterns.draw(canvas, name, (0, 0, 99, 99), 63 * MM, 88 * MM, (20, 20))
        drawn = canvas._code[code:]
        assert (drawn[0], drawn[-1], len(drawn)) == ("q", "Q", 4)
        canvas.save()
        picture: Image.Image = pypdfium2.PdfDocument(file.getvalue())[0].render().to_pil()
        return picture

    assert ImageChops.difference(page(True), page(False)).getbbox() is None


def test_an_unknown_pattern_names_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r'^unknown pattern "latice"; did you mean "lattice"\?$'):
        patterns.draw(Canvas(io.BytesIO()), "latice", (0, 0, 9, 9), 9, 9, (0, 0))
