"""Papers and card sizes are found by name or by measure, true to size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import formats
from kit_builder.formats import CARD_SIZES, PAPERS, Format
from kit_builder.units import MM


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("A4", "210 x 297 mm"),
        ("a4", "210 x 297 mm"),
        ("  Letter ", "215.9 x 279.4 mm"),
        ("legal", "215.9 x 355.6 mm"),
        ("A3", "297 x 420 mm"),
        ("200 x 250 mm", "200 x 250 mm"),
        ("8 x 10 in", "203.2 x 254 mm"),
    ],
)
def test_a_paper_is_true_to_size(name: str, dimensions: str) -> None:
    assert formats.paper(name).dimensions == dimensions


def test_a_paper_is_not_rounded_to_points() -> None:
    assert formats.paper("A4").width == pytest.approx(595.2756, abs=1e-4)
    assert formats.paper("A4").height == pytest.approx(841.8898, abs=1e-4)


def test_every_name_is_of_the_size_that_trade_and_standards_give_it() -> None:
    assert {each.name: each.dimensions for each in PAPERS.values()} == {
        "A3": "297 x 420 mm",
        "A4": "210 x 297 mm",
        "A5": "148 x 210 mm",
        "Letter": "215.9 x 279.4 mm",
        "Legal": "215.9 x 355.6 mm",
        "Tabloid": "279.4 x 431.8 mm",
    }
    assert {each.name: each.dimensions for each in CARD_SIZES.values()} == {
        "poker": "63 x 88 mm",
        "poker-us": "63.5 x 88.9 mm",
        "bridge": "57 x 89 mm",
        "tarot": "70 x 120 mm",
        "jumbo": "89 x 127 mm",
        "mini": "44.5 x 63.5 mm",
        "mini-euro": "44 x 68 mm",
        "euro": "59 x 92 mm",
        "square-70": "70 x 70 mm",
        "square-50": "50 x 50 mm",
        "business": "85 x 55 mm",
        "A7": "74 x 105 mm",
        "A8": "52 x 74 mm",
    }


@pytest.mark.parametrize("name", ["poker", " Poker ", "63 x 88 mm", "6.3 x 8.8 cm"])
def test_a_card_size_is_found_by_name_or_measure(name: str) -> None:
    assert formats.card_size(name).dimensions == "63 x 88 mm"


def test_a_size_of_its_own_is_called_by_its_measures() -> None:
    assert formats.card_size("40x50mm").name == "40 x 50 mm"


@pytest.mark.parametrize(("text", "inches"), [("Letter", True), ("8 x 10 in", True), ("A4", False)])
def test_a_paper_knows_which_ruler_its_users_read(text: str, inches: bool) -> None:
    assert formats.paper(text).inches is inches


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ValueError) as caught:
        formats.card_size("pokker")
    assert str(caught.value) == 'unknown card size "pokker"; did you mean "poker"?'


def test_an_unknown_name_is_refused_with_all_of_them() -> None:
    with pytest.raises(ValueError) as caught:
        formats.paper("Foo")
    message = str(caught.value)
    assert message.startswith('unknown paper "Foo"; write one of a3, a4, a5, letter')
    assert '"210 x 297 mm"' in message


def test_a_measure_without_a_unit_is_refused_as_a_size() -> None:
    with pytest.raises(ValueError, match='"63 x 88" is not a size'):
        formats.card_size("63 x 88")


@pytest.mark.parametrize("known", [PAPERS, CARD_SIZES])
def test_names_are_found_by_their_lower_case(known: dict[str, Format]) -> None:
    assert all(name == each.name.lower() for name, each in known.items())


@pytest.mark.parametrize("card", CARD_SIZES.values(), ids=lambda card: card.name)
def test_a_larger_card_is_larger_both_ways(card: Format) -> None:
    larger = formats.larger(card)
    assert larger.width >= 1.24 * card.width
    assert larger.height >= 1.24 * card.height


def test_a_larger_card_has_a_name_where_there_is_one() -> None:
    assert formats.larger(formats.card_size("poker")).name == "jumbo"
    assert formats.larger(formats.card_size("jumbo")).dimensions == "111.25 x 158.75 mm"


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_a_format_says_its_measures_so_that_they_can_be_typed(width: int, height: int) -> None:
    made = Format("", width / 10 * MM, height / 10 * MM)
    again = formats.card_size(made.dimensions)
    assert (again.width, again.height) == pytest.approx((made.width, made.height))
