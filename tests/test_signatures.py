"""Folding as physics: sheets are printed, turned over, folded, nested, and then read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.signatures import FoldedSheet, Spread, saddle_stitch

Leaf = tuple[int | None, int | None]  # what is printed on its recto and on its verso


def turned_over_along_the_short_edge(back: Spread) -> Spread:
    """The back as it lies behind the front: what is at its right lies behind the front's left."""
    return Spread(back.right, back.left)


def folded(sheet: FoldedSheet) -> tuple[Leaf, Leaf]:
    """The two leaves of a sheet, its front outside, its fold at the left: upper, lower leaf.

    The right half stays; the left half is folded behind it, and so lies under it.
    """
    behind = turned_over_along_the_short_edge(sheet.back)
    upper = sheet.front.right, behind.right
    lower = behind.left, sheet.front.left
    return upper, lower


def read(sheets: tuple[FoldedSheet, ...]) -> list[int | None]:
    """What a reader finds, leaf by leaf, in the sewn booklet."""
    pages: list[int | None] = []
    signatures = dict.fromkeys(sheet.signature for sheet in sheets)
    for signature in signatures:
        pile: list[Leaf] = []
        nested = [sheet for sheet in sheets if sheet.signature == signature]
        for sheet in reversed(nested):  # the innermost first, then one around the other
            upper, lower = folded(sheet)
            pile = [upper, *pile, lower]
        pages += [page for leaf in pile for page in leaf]
    return pages


@pytest.mark.parametrize("pages", range(1, 81))
@pytest.mark.parametrize("signature", [None, 1, 4])
def test_a_folded_booklet_reads_in_order(pages: int, signature: int | None) -> None:
    found = read(saddle_stitch(pages, sheets=signature))
    assert found == [*range(pages), *[None] * (-pages % 4)]


def test_the_outermost_sheet_of_eight_pages() -> None:
    first, second = saddle_stitch(8)
    assert (first.front, first.back) == (Spread(7, 0), Spread(1, 6))
    assert (second.front, second.back) == (Spread(5, 2), Spread(3, 4))


def test_seven_pages_leave_the_back_cover_blank() -> None:
    first, second = saddle_stitch(7)
    assert first.front == Spread(None, 0)
    assert None not in (*first.back, *second.front, *second.back)


def test_a_back_cover_stays_outside_and_blanks_go_before_it() -> None:
    assert read(saddle_stitch(6, cover=True)) == [0, 1, 2, 3, 4, None, None, 5]


def test_the_last_signature_holds_what_is_left() -> None:
    sheets = saddle_stitch(36, sheets=4)
    assert [sheet.signature for sheet in sheets] == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert [sheet.depth for sheet in sheets] == [0, 1, 2, 3, 0, 1, 2, 3, 0]


@given(
    st.integers(1, 300),
    st.none() | st.integers(1, 20),
    st.floats(0, 1),
    st.booleans(),
)
def test_every_page_is_printed_once_and_stands_at_one_distance_from_the_fore_edge(
    pages: int, signature: int | None, creep: float, cover: bool
) -> None:
    sheets = saddle_stitch(pages, sheets=signature, creep=creep, cover=cover)
    printed = [page for sheet in sheets for page in (*sheet.front, *sheet.back)]
    assert sorted(page for page in printed if page is not None) == list(range(pages))
    assert printed.count(None) == -pages % 4 < 4
    assert [page for page in read(sheets) if page is not None] == list(range(pages))
    # A sheet reaches out by its depth times the creep; its pages are moved back by as much.
    assert all(sheet.creep == sheet.depth * creep for sheet in sheets)


def test_every_recto_is_right_of_the_fold_and_every_verso_left() -> None:
    for sheet in saddle_stitch(24, sheets=2):
        for side in (sheet.front, sheet.back):
            assert side.left is not None and side.left % 2 == 1
            assert side.right is not None and side.right % 2 == 0


@pytest.mark.parametrize(("pages", "wrong"), [(0, {}), (4, {"sheets": 0}), (4, {"creep": -0.1})])
def test_what_cannot_be_folded_is_refused(pages: int, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=";"):
        saddle_stitch(pages, **wrong)  # type: ignore[arg-type]
