"""Lengths with a unit become points, and no other text does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import units
from kit_builder.units import INCH, MM


def test_a_point_is_a_seventy_second_of_an_inch() -> None:
    assert INCH == 72
    assert units.length("25.4 mm") == pytest.approx(72)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("63 mm", 63 * MM),
        ("63mm", 63 * MM),
        (" 6.3 cm ", 63 * MM),
        ("2.5 in", 180),
        ("12 pt", 12),
        ("-1.5 mm", -1.5 * MM),
        ("0 mm", 0),
    ],
)
def test_a_number_and_a_unit_are_a_length(text: str, points: float) -> None:
    assert units.length(text) == pytest.approx(points)


@pytest.mark.parametrize(
    "text",
    ["", "63", "mm", "63 px", "63 m", "6,3 mm", ".5 mm", "1e3 mm", "63 mm 1", "--1 mm", "nan mm"],
)
def test_any_other_text_is_no_length(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        units.length(text)
    assert str(caught.value) == (
        f'"{text}" is not a length; write a number and a unit, such as "63 mm"'
    )


@pytest.mark.parametrize(
    ("text", "width", "height"),
    [
        ("63 x 88 mm", 63 * MM, 88 * MM),
        ("63×88mm", 63 * MM, 88 * MM),
        ("63 mm x 8.8 cm", 63 * MM, 88 * MM),
        ("2.5 x 3.5 in", 180, 252),
    ],
)
def test_two_lengths_are_a_size(text: str, width: float, height: float) -> None:
    assert units.size(text) == pytest.approx((width, height))


@pytest.mark.parametrize(
    "text", ["63 mm", "63 x 88", "63 * 88 mm", "-63 x 88 mm", "63 x 88 x 1 mm"]
)
def test_any_other_text_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size; write width x height, such as"):
        units.size(text)


@pytest.mark.parametrize("text", ["0 x 88 mm", "63 x 0.0 mm"])
def test_a_size_has_two_sides(text: str) -> None:
    with pytest.raises(ValueError, match="has a side of length 0; write both sides"):
        units.size(text)


@pytest.mark.parametrize(
    ("points", "shown"),
    [(63 * MM, "63"), (63.5 * MM, "63.5"), (3.5 * INCH, "88.9"), (100 * MM, "100"), (0, "0")],
)
def test_people_read_millimetres(points: float, shown: str) -> None:
    assert units.in_mm(points) == shown


@given(st.decimals(0, 2000, places=2, allow_nan=False), st.sampled_from(["mm", "cm", "in", "pt"]))
def test_a_length_is_read_as_it_is_written(number: object, unit: str) -> None:
    unit_length = units.length(f"1 {unit}")
    assert units.length(f"{number} {unit}") == pytest.approx(float(str(number)) * unit_length)


@given(st.integers(0, 200_000))
def test_what_people_read_is_the_length_they_can_write(hundredths: int) -> None:
    shown = units.in_mm(hundredths / 100 * MM)
    assert units.length(f"{shown} mm") == pytest.approx(hundredths / 100 * MM)
