"""Shapes: rendered as they print, and judged as the eye and a photocopier judge them."""

from __future__ import annotations

import io
from functools import cache
from itertools import combinations
from math import hypot

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageOps
from reportlab.pdfgen.canvas import Canvas

from kit_builder import shapes
from kit_builder.units import MM

PAGE = 200.0
SIZE = 100.0
UPRIGHT = [name for name in shapes.SHAPES if name not in ("arrow-left", "arrow-right")]


@cache
def drawn(
    name: str, fill: str = "solid", size: float = SIZE, x: float = 100.0, y: float = 100.0
) -> Image.Image:
    """The ink on a page of 200 x 200 points, one pixel a point: 0 none, 255 black."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(PAGE, PAGE))
    shapes.draw(canvas, name, x, y, size, fill)
    canvas.save()
    page = pypdfium2.PdfDocument(file.getvalue())[0]
    return ImageOps.invert(page.render().to_pil().convert("L"))


def ink(image: Image.Image) -> float:
    """The black area, in square points."""
    return sum(level * count for level, count in enumerate(image.histogram())) / 255


def centre_of_mass(image: Image.Image) -> tuple[float, float]:
    """From the lower left corner of the page, in points."""
    total = ink(image) * 255
    columns = [ink(image.crop((x, 0, x + 1, 200))) * 255 for x in range(200)]
    rows = [ink(image.crop((0, y, 200, y + 1))) * 255 for y in range(200)]
    return (
        sum((x + 0.5) * weight for x, weight in enumerate(columns)) / total,
        200 - sum((y + 0.5) * weight for y, weight in enumerate(rows)) / total,
    )


@pytest.mark.parametrize("fill", shapes.FILLS)
@pytest.mark.parametrize("name", shapes.SHAPES)
def test_each_shape_stays_within_its_square(name: str, fill: str) -> None:
    left, top, right, bottom = drawn(name, fill).getbbox() or (0, 0, 0, 0)

    assert left >= 50 and top >= 50 and right <= 150 and bottom <= 150


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_the_centre_of_mass_of_each_shape_lies_on_its_point(name: str) -> None:
    assert centre_of_mass(drawn(name)) == pytest.approx((100, 100), abs=0.015 * SIZE)


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_all_fills_of_a_shape_have_the_same_silhouette(name: str) -> None:
    solid = drawn(name).point(lambda level: 255 if level > 127 else 0)
    outline = drawn(name, "outline").point(lambda level: 255 if level > 127 else 0)

    assert outline.getbbox() == solid.getbbox()
    assert ink(ImageChops.subtract(outline, solid)) == 0


def test_a_circle_and_a_square_carry_the_same_ink() -> None:
    assert ink(drawn("square")) == pytest.approx(ink(drawn("circle")), rel=0.01)


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_no_shape_outweighs_the_circle_and_none_looks_small_beside_it(name: str) -> None:
    assert 0.64 * ink(drawn("circle")) <= ink(drawn(name)) <= 1.01 * ink(drawn("circle"))


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_a_pointed_shape_lighter_than_the_circle_fills_its_square(name: str) -> None:
    if ink(drawn(name)) < 0.98 * ink(drawn("circle")):
        left, top, right, bottom = drawn(name).getbbox() or (0, 0, 0, 0)
        assert max(100 - left, right - 100, 100 - top, bottom - 100) == pytest.approx(50, abs=1)


@pytest.mark.parametrize("fill", ["solid", "outline"])
@pytest.mark.parametrize("name", UPRIGHT)
def test_the_left_half_mirrors_the_right(name: str, fill: str) -> None:
    image = drawn(name, fill)

    # Rounding at the edges of pixels: less than one per cent of the ink.
    assert ink(ImageChops.difference(image, ImageOps.mirror(image))) < 0.01 * ink(image)


@pytest.mark.parametrize(
    ("name", "quarters"), [("arrow-left", 1), ("arrow-down", 2), ("arrow-right", 3)]
)
def test_the_arrows_are_one_arrow_turned(name: str, quarters: int) -> None:
    turned = drawn("arrow-up").rotate(90 * quarters)

    assert ink(ImageChops.difference(drawn(name), turned)) < 0.01 * ink(turned)


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("arrow-left", (-1, 0)),
        ("arrow-right", (1, 0)),
        ("arrow-up", (0, 1)),
        ("arrow-down", (0, -1)),
    ],
)
def test_an_arrow_points_where_its_name_says(name: str, direction: tuple[int, int]) -> None:
    tip = max(
        shapes.outline(name).polygon(),
        key=lambda point: point[0] * direction[0] + point[1] * direction[1],
    )

    length = hypot(*tip)
    assert (tip[0] / length, tip[1] / length) == pytest.approx(direction)


@pytest.mark.parametrize("size", [8 * MM, 40 * MM])
@pytest.mark.parametrize("name", shapes.SHAPES)
def test_the_three_fills_are_told_apart_on_a_grey_copy(name: str, size: float) -> None:
    outline, striped, solid = (
        ink(drawn(name, fill, size)) for fill in ("outline", "striped", "solid")
    )

    assert outline + 0.1 * solid < striped < solid - 0.25 * solid


@pytest.mark.parametrize("fill", shapes.FILLS)
@pytest.mark.parametrize("name", shapes.SHAPES)
def test_a_small_shape_is_a_large_one_made_smaller(name: str, fill: str) -> None:
    small = ink(drawn(name, fill, 0.25 * SIZE))

    assert small / 0.25**2 == pytest.approx(ink(drawn(name, fill)), rel=0.03)


@pytest.mark.parametrize(("one", "other"), list(combinations(shapes.SHAPES, 2)))
def test_any_two_shapes_are_told_apart_by_their_silhouettes(one: str, other: str) -> None:
    apart = ink(ImageChops.difference(drawn(one), drawn(other)))

    # The nearest two, circle and hexagon, differ by 7 per cent: in their corners.
    assert apart > 0.07 * max(ink(drawn(one)), ink(drawn(other)))


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_stripes_lie_alike_wherever_the_shape_lies(name: str) -> None:
    here = drawn(name, "striped", 60.0, 40.0, 45.0)
    there = drawn(name, "striped", 60.0, 150.0, 125.0)

    assert ink(ImageChops.difference(ImageChops.offset(here, 110, -80), there)) < 0.005 * ink(there)


@pytest.mark.parametrize("name", ["circle", "square", "plus", "cross", "diamond", "hexagon"])
def test_stripes_look_the_same_upside_down(name: str) -> None:
    image = drawn(name, "striped")

    assert ink(ImageChops.difference(image, image.rotate(180))) < 0.01 * ink(image)


def test_a_white_shape_covers_what_lies_below_it() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(PAGE, PAGE))
    canvas.rect(0, 0, PAGE, PAGE, fill=1)
    shapes.draw(canvas, "circle", 100, 100, 100, "outline")
    canvas.save()

    page = pypdfium2.PdfDocument(file.getvalue())[0].render().to_pil().convert("L")
    assert page.getpixel((100, 100)) == 255
    assert page.getpixel((10, 10)) == 0


def test_drawing_a_shape_leaves_the_pen_as_it_was() -> None:
    def code(shape: bool) -> str:
        canvas = Canvas(io.BytesIO(), pagesize=(PAGE, PAGE))
        canvas.setFillGray(0.5)
        canvas.setLineWidth(3)
        if shape:
            shapes.draw(canvas, "star", 100, 100, 50, "striped")
        before = len(canvas._code)
        canvas.setFillGray(0.5)
        canvas.rect(0, 0, 10, 10, fill=1)
        return " ".join(canvas._code[before:])

    assert code(True) == code(False)


def test_an_unknown_shape_names_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r'^unknown shape "cirlce"; did you mean "circle"\?$'):
        shapes.draw(Canvas(io.BytesIO()), "cirlce", 0, 0, 10)


def test_an_unknown_fill_names_all_fills() -> None:
    with pytest.raises(
        ValueError, match=r'^unknown fill "dots"; write one of solid, outline, striped$'
    ):
        shapes.draw(Canvas(io.BytesIO()), "circle", 0, 0, 10, "dots")


@given(
    st.sampled_from(list(shapes.SHAPES)),
    st.floats(-500, 500),
    st.floats(-500, 500),
    st.floats(1, 500),
)
def test_any_outline_is_closed_and_moves_with_its_square(
    name: str, x: float, y: float, size: float
) -> None:
    placed = shapes.outline(name).moved(x / size, y / size, size)

    points = placed.polygon()
    assert points[-1] == pytest.approx(placed.start)
    assert all(
        abs(px - x) <= size / 2 + 1e-6 and abs(py - y) <= size / 2 + 1e-6 for px, py in points
    )
