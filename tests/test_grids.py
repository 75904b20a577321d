"""Grids: how many cards fit, where they lie, and what is left for the imprint."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.formats import CARD_SIZES, PAPERS, Format
from kit_builder.grids import Box, grid
from kit_builder.units import MM

A4, LETTER = PAPERS["a4"], PAPERS["letter"]
POKER, BRIDGE, TAROT = (CARD_SIZES[each] for each in ("poker", "bridge", "tarot"))


# How many cards fit: A4 with margins of 5, 10 and 10 mm and gutters of 0, 0 and 4 mm, then Letter.
@pytest.mark.parametrize(
    ("width", "height", "counts"),
    [
        (63, 88, (9, 9, 8, 9, 8, 6)),
        (63.5, 88.9, (9, 8, 8, 9, 8, 6)),
        (57, 89, (10, 9, 9, 9, 8, 8)),
        (70, 120, (4, 4, 4, 4, 4, 4)),
        (89, 127, (4, 4, 4, 4, 4, 4)),
        (74, 105, (4, 4, 4, 4, 4, 4)),
        (44.5, 63.5, (18, 16, 16, 18, 16, 12)),
        (44, 68, (16, 16, 12, 18, 12, 12)),
        (63.5, 63.5, (12, 8, 8, 12, 12, 6)),
        (50, 50, (20, 15, 15, 20, 15, 12)),
        (85, 55, (10, 10, 9, 9, 9, 8)),
        (89, 51, (10, 10, 10, 12, 10, 8)),
        (52, 74, (10, 10, 10, 10, 9, 9)),
    ],
)
def test_as_many_cards_as_possible_lie_on_a_sheet(
    width: float, height: float, counts: tuple[int, ...]
) -> None:
    card = Format("", width * MM, height * MM)
    found = tuple(
        grid(card, paper, margin * MM, gutter * MM).count
        for paper in (A4, LETTER)
        for margin, gutter in ((5, 0), (10, 0), (10, 4))
    )
    assert found == counts


def test_cards_stay_upright_where_that_holds_as_many() -> None:
    assert grid(Format("", 60 * MM, 60 * MM), A4).turn == 0
    assert (grid(POKER, A4).turn, grid(BRIDGE, A4).turn) == (0, 90)


def test_the_block_is_centred_and_the_free_bands_are_told() -> None:
    a4, letter = grid(POKER, A4), grid(POKER, LETTER)
    assert (a4.side / MM, a4.end / MM) == pytest.approx((10.5, 16.5))
    assert (letter.side / MM, letter.end / MM) == pytest.approx((13.45, 7.7))
    assert letter.faces == pytest.approx(
        (letter.side, letter.end, LETTER.width - letter.side, LETTER.height - letter.end)
    )


@pytest.mark.parametrize("fold", [False, True])
def test_room_for_the_imprint_costs_no_card_of_the_usual_sizes(fold: bool) -> None:
    for name in ("poker", "poker-us", "bridge", "tarot", "mini", "mini-euro", "euro", "a7", "a8"):
        for paper in (A4, LETTER):
            with_imprint = grid(CARD_SIZES[name], paper, fold=fold, imprint=6)
            assert with_imprint.count == grid(CARD_SIZES[name], paper, fold=fold).count


def test_cards_that_leave_no_room_for_a_ruler_down_lose_a_column() -> None:
    square = CARD_SIZES["square-50"]
    assert grid(square, A4).count == 20
    assert grid(square, A4, imprint=6).count == 15


@pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)
@pytest.mark.parametrize("name", ["jumbo", "tarot", "square-70", "a7"])
def test_room_for_a_large_caption_costs_no_card_of_the_large_sizes(
    paper: Format, name: str
) -> None:
    card = CARD_SIZES[name]
    assert grid(card, paper, imprint=16).count == grid(card, paper).count


def test_cards_that_leave_no_room_for_a_large_caption_lose_a_row() -> None:
    assert grid(BRIDGE, A4, imprint=6).count == 10
    assert grid(CARD_SIZES["mini"], LETTER, imprint=6).count == 18
    assert grid(CARD_SIZES["mini"], LETTER, imprint=16).count == 16


def test_a_card_too_large_for_the_paper_is_an_error_that_says_what_fits() -> None:
    with pytest.raises(ValueError) as caught:
        grid(TAROT, Format("index card", 76 * MM, 127 * MM))
    assert str(caught.value) == (
        "a card of tarot (70 x 120 mm) does not fit on index card (76 x 127 mm) with margins of"
        " 5 mm; use A5 (148 x 210 mm) or Letter (215.9 x 279.4 mm)"
        " or cards of at most 66 x 117 mm"
    )


def test_a_card_too_large_for_every_paper_is_an_error_that_says_how_large_it_may_be() -> None:
    with pytest.raises(ValueError, match=r"; use cards of at most 200 x 287 mm$"):
        grid(Format("", 500 * MM, 500 * MM), A4)


lengths = st.floats(20, 140, allow_nan=False).map(lambda mm: mm * MM)


@given(
    card=st.builds(Format, st.just("any"), lengths, lengths),
    paper=st.sampled_from(list(PAPERS.values())),
    fold=st.booleans(),
)
def test_a_larger_caption_never_makes_room_for_more_cards(
    card: Format, paper: Format, fold: bool
) -> None:
    def count(imprint: float) -> int:
        try:
            return grid(card, paper, fold=fold, imprint=imprint).count
        except ValueError:
            return 0

    counts = [count(imprint) for imprint in (0, 6, 8, 8.5, 16, 24)]
    assert counts == sorted(counts, reverse=True)


sides = st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda it: (it[0], it[0] + it[1]))
boxes = st.builds(lambda x, y: Box(x[0], y[0], x[1], y[1]), sides, sides)


@given(one=boxes, other=boxes)
def test_boxes_overlap_where_they_share_a_square(one: Box, other: Box) -> None:
    def squares(box: Box) -> set[tuple[int, int]]:
        across, up = range(int(box.left), int(box.right)), range(int(box.bottom), int(box.top))
        return set(product(across, up))

    assert one.overlaps(other) == bool(squares(one) & squares(other))
