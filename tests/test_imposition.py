"""Imposition as physics: turn the sheet over, fold it, cut it, and look where everything lies."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder.formats import CARD_SIZES, PAPERS, UNPRINTABLE_MARGIN, Format
from kit_builder.grids import Box, grid
from kit_builder.imposition import Backs, Cutting, Line, Order, Placement, Sheet, gang
from kit_builder.units import MM

A4, LETTER = PAPERS["a4"], PAPERS["letter"]
ON_ITS_SIDE = Format("A4 on its side", A4.height, A4.width)
POKER, BRIDGE, MINI, TAROT = (CARD_SIZES[each] for each in ("poker", "bridge", "mini", "tarot"))
HAIR = 0.01 * MM

ORDERS: tuple[Order, ...] = ("rows", "stack")
SOME_BACKS: tuple[Backs | None, ...] = (None, "long-edge", "fold")

both_papers = pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)
sizes = pytest.mark.parametrize("card", CARD_SIZES.values(), ids=lambda each: each.name)

Point = tuple[float, float]


def on_sheet(placement: Placement, point: Point) -> Point:
    """Where a point of the upright card lies on the sheet."""
    a, b, c, d, e, f = placement.matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def turned_over(point: Point, through: Point, along: Point) -> Point:
    """The point after half a turn of the paper around the axis through a point along a vector."""
    x, y = point[0] - through[0], point[1] - through[1]
    share = x * along[0] + y * along[1]
    return (
        through[0] + 2 * share * along[0] - x,
        through[1] + 2 * share * along[1] - y,
    )


def lies_behind(
    face: Placement, back: Placement, card: Format, through: Point, along: Point
) -> bool:
    """Whether each point of the back lies behind that point of the face, left and right changed."""
    corners = [(0.0, 0.0), (card.width, 0.0), (0.0, card.height), (10.0, 20.0)]
    return (face.item, face.face, back.face) == (back.item, True, False) and all(
        turned_over(on_sheet(back, point), through, along)
        == pytest.approx(on_sheet(face, (card.width - point[0], point[1])), abs=HAIR)
        for point in corners
    )


def overlap(line: Line, box: Box) -> float:
    """How much of the line lies in the box or on its edges."""
    x = min(line.x2, box.right) - max(line.x1, box.left)
    y = min(line.y2, box.top) - max(line.y1, box.bottom)
    return x + y if x > -HAIR and y > -HAIR else 0.0


def union(lines: list[Line]) -> list[tuple[str, float, float, float]]:
    """The lines as (direction, place, from, to), joined where they overlap or touch."""
    flat = sorted(
        ("|", round(x1, 3), round(y1, 3), round(y2, 3))
        if x1 == x2
        else ("-", round(y1, 3), round(x1, 3), round(x2, 3))
        for x1, y1, x2, y2 in lines
    )
    joined: list[tuple[str, float, float, float]] = []
    for direction, place, low, high in flat:
        if joined and joined[-1][:2] == (direction, place) and joined[-1][3] >= low:
            _, _, start, end = joined.pop()
            joined.append((direction, place, start, max(end, high)))
        else:
            joined.append((direction, place, low, high))
    return joined


def edges(placements: tuple[Placement, ...]) -> list[Line]:
    """The four edges of every card."""
    found: list[Line] = []
    for left, bottom, right, top in (each.box for each in placements):
        found += [Line(x, bottom, x, top) for x in (left, right)]
        found += [Line(left, y, right, y) for y in (bottom, top)]
    return found


def everything(sheet: Sheet) -> list[Box]:
    """All that is drawn on the sheet."""
    lines = (*sheet.cuts, *sheet.ticks, *sheet.folds)
    return [*(each.box for each in sheet.placements), *(Box(*line) for line in lines)]


def is_inside(box: Box, width: float, height: float, margin: float) -> bool:
    return (
        box.left >= margin - HAIR
        and box.bottom >= margin - HAIR
        and box.right <= width - margin + HAIR
        and box.top <= height - margin + HAIR
    )


@both_papers
@sizes
def test_every_card_lies_on_one_sheet_and_no_sheet_is_empty(card: Format, paper: Format) -> None:
    full = grid(card, paper, imprint=6).count
    for count in range(1, 41):
        for order in ORDERS:
            sheets = gang(count, card, paper, order=order)
            assert len(sheets) == -(-count // full)
            assert all(sheet.placements for sheet in sheets)
            items = sorted(each.item for sheet in sheets for each in sheet.placements)
            assert items == list(range(count))


@pytest.mark.parametrize(("count", "sheets"), [(1, 1), (8, 1), (9, 1), (10, 2), (18, 2), (19, 3)])
def test_exactly_full_sheets_add_no_page_and_lose_none(count: int, sheets: int) -> None:
    assert len(gang(count, POKER, A4)) == sheets
    assert len(gang(count, POKER, A4, backs="long-edge")) == 2 * sheets


def test_no_cards_need_no_sheet() -> None:
    assert gang(0, POKER, A4) == ()


def test_rows_are_filled_as_one_reads() -> None:
    first, second, *_, last = gang(9, POKER, A4)[0].placements
    assert first.x < second.x and first.y == second.y
    assert last.x > first.x and last.y < first.y


@both_papers
@sizes
def test_cards_lie_at_the_same_places_on_every_sheet(card: Format, paper: Format) -> None:
    for backs in SOME_BACKS:
        fronts = [each for each in gang(40, card, paper, backs=backs) if each.side == "front"]
        assert len({(each.block, each.occupied) for each in fronts}) == 1
        places = [
            [(each.x, each.y, each.turn) for each in front.placements if each.face]
            for front in fronts
        ]
        assert all(each == places[0][: len(each)] for each in places)


@both_papers
def test_a_pile_cut_as_one_gives_the_cards_in_order(paper: Format) -> None:
    for count in range(1, 41):
        piles: dict[tuple[float, float], list[int]] = {}
        for sheet in gang(count, POKER, paper, order="stack"):
            for card in sheet.placements:
                piles.setdefault((-card.y, card.x), []).append(card.item)
        collected = [item for place in sorted(piles) for item in piles[place]]
        assert collected == list(range(count))


@pytest.mark.parametrize("paper", [A4, LETTER, ON_ITS_SIDE], ids=lambda each: each.name)
@pytest.mark.parametrize("flip", ["long-edge", "short-edge"])
@sizes
def test_each_back_lies_behind_its_face(card: Format, paper: Format, flip: Backs) -> None:
    upright = paper.height > paper.width
    along = (0.0, 1.0) if upright == (flip == "long-edge") else (1.0, 0.0)
    centre = (paper.width / 2, paper.height / 2)
    for count in range(1, 41):
        sides = gang(count, card, paper, backs=flip)
        assert [side.side for side in sides] == ["front", "back"] * (len(sides) // 2)
        for front, back in zip(sides[::2], sides[1::2], strict=True):
            for pair in zip(front.placements, back.placements, strict=True):
                assert lies_behind(*pair, card, centre, along)


@both_papers
@sizes
def test_each_back_lies_behind_its_face_when_folded(card: Format, paper: Format) -> None:
    for count in range(1, 41):
        for sheet in gang(count, card, paper, backs="fold"):
            (fold,) = sheet.folds
            along = (0.0, 1.0) if fold.x1 == fold.x2 else (1.0, 0.0)
            faces = [each for each in sheet.placements if each.face]
            backs = [each for each in sheet.placements if not each.face]
            for face, back in zip(faces, backs, strict=True):
                assert lies_behind(face, back, card, (fold.x1, fold.y1), along)


@both_papers
def test_faces_and_backs_stay_5_mm_from_the_fold(paper: Format) -> None:
    for card in CARD_SIZES.values():
        for bleed in (0, 2 * MM):
            (sheet,) = gang(
                1, card, paper, backs="fold", gutter=2 * bleed, bleed=bleed, cutting="none"
            )
            (fold,) = sheet.folds
            for each in sheet.placements:
                kept_free = each.box.grown(bleed + 5 * MM - 2 * HAIR)
                assert overlap(fold, kept_free) == 0


def test_a_back_across_a_level_fold_stands_on_its_head() -> None:
    (sheet,) = gang(1, CARD_SIZES["square-50"], A4, backs="fold")
    (fold,) = sheet.folds
    assert fold.y1 == fold.y2 == A4.height / 2
    assert [each.turn for each in sheet.placements] == [0, 180]


def test_separate_backs_come_after_all_fronts_and_are_those_of_the_long_edge() -> None:
    together = gang(20, POKER, A4, backs="long-edge")
    assert gang(20, POKER, A4, backs="separate") == together[::2] + together[1::2]


def test_an_offset_moves_backs_and_their_marks_together() -> None:
    plain = gang(12, POKER, A4, backs="long-edge")
    moved = gang(12, POKER, A4, backs="long-edge", offset=(2 * MM, -1 * MM))
    assert plain[::2] == moved[::2]
    for still, shifted in zip(plain[1::2], moved[1::2], strict=True):
        befores = [*everything(still), still.block, still.occupied]
        afters = [*everything(shifted), shifted.block, shifted.occupied]
        for before, after in zip(befores, afters, strict=True):
            assert after == pytest.approx(
                (
                    before.left + 2 * MM,
                    before.bottom - 1 * MM,
                    before.right + 2 * MM,
                    before.top - 1 * MM,
                )
            )


def test_shifted_backs_and_marks_stay_in_the_printable_area() -> None:
    for paper in (A4, LETTER):
        for card in CARD_SIZES.values():
            sides = gang(40, card, paper, backs="long-edge", offset=(1.3 * MM, -1.2 * MM))
            for box in (box for side in sides for box in everything(side)):
                assert is_inside(box, paper.width, paper.height, UNPRINTABLE_MARGIN)


def test_a_back_is_cut_by_its_front_and_has_no_cut_lines() -> None:
    front, back = gang(9, POKER, A4, backs="long-edge")
    assert front.cuts and not back.cuts
    assert len(front.ticks) == len(back.ticks)


@both_papers
@pytest.mark.parametrize("backs", [None, "fold"])
@sizes
def test_cut_lines_are_exactly_the_edges_of_the_cards_none_twice(
    card: Format, paper: Format, backs: Backs | None
) -> None:
    for count in range(1, 41):
        for sheet in gang(count, card, paper, backs=backs):
            cuts = [*sheet.cuts]
            assert union(cuts) == union(edges(sheet.placements))
            assert len(union(cuts)) == len(cuts)


def test_a_full_3_x_3_sheet_needs_8_cuts() -> None:
    assert [len(sheet.cuts) for sheet in gang(10, POKER, A4)] == [8, 4]


@both_papers
def test_a_back_has_the_cut_lines_behind_those_of_its_front_when_asked(paper: Format) -> None:
    dx, dy = 1.5 * MM, -0.5 * MM
    front, back = gang(7, POKER, paper, backs="long-edge", offset=(dx, dy), cut_backs=True)
    through = {
        (round(paper.width - line.x2 + dx, 6), round(line.y1 + dy, 6), round(line.y2 + dy, 6))
        for line in front.cuts
    }
    assert {(round(line.x1, 6), round(line.y1, 6), round(line.y2, 6)) for line in back.cuts} == (
        through
    )
    assert len(back.cuts) == len(front.cuts) > 0


def test_dashed_cuts_are_the_shared_ones_and_no_cuts_means_no_marks() -> None:
    (shared,) = gang(5, POKER, A4)
    (dashed,) = gang(5, POKER, A4, cutting="dashed")
    assert (shared.cuts, shared.ticks) == (dashed.cuts, dashed.ticks)
    assert dashed.dashed and not shared.dashed
    (bare,) = gang(5, POKER, A4, cutting="none")
    assert (bare.cuts, bare.ticks) == ((), ())


@both_papers
def test_end_ticks_prolong_the_cuts_and_stay_off_the_cards(paper: Format) -> None:
    for count in range(1, 19):
        for sheet in gang(count, POKER, paper):
            assert len(sheet.ticks) == 2 * len(sheet.cuts)
            assert len(union([*sheet.cuts, *sheet.ticks])) == len(sheet.cuts)
            for tick in sheet.ticks:
                assert max(overlap(tick, each.box) for each in sheet.placements) < HAIR


@pytest.mark.parametrize("backs", [None, "long-edge", "fold"])
@pytest.mark.parametrize("bleed", [0, 1 * MM, 2 * MM])
def test_crop_marks_point_at_every_corner_and_touch_no_card(
    bleed: float, backs: Backs | None
) -> None:
    gap = max(bleed, 0.5 * MM)
    for paper in (A4, LETTER):
        for count in (1, 4, 5, 6, 11):
            for sheet in gang(
                count, POKER, paper, gutter=6 * MM, bleed=bleed, cutting="gutter", backs=backs
            ):
                ticks = [*sheet.ticks]
                assert not sheet.cuts
                assert len(union(ticks)) == len(ticks)
                boxes = [each.box for each in sheet.placements]
                for tick in ticks:
                    assert all(overlap(tick, box.grown(gap)) < HAIR for box in boxes)
                # A mark starts at the gap from each corner, in line with both of its edges.
                starts = {(round(x), round(y)) for x, y, _, _ in ticks}
                starts |= {(round(x), round(y)) for _, _, x, y in ticks}
                for left, bottom, right, top in boxes:
                    for x in (left, right):
                        assert (round(x), round(bottom - gap)) in starts
                        assert (round(x), round(top + gap)) in starts
                    for y in (bottom, top):
                        assert (round(left - gap), round(y)) in starts
                        assert (round(right + gap), round(y)) in starts


def test_a_gutter_filled_with_bleed_has_its_marks_in_the_margins_only() -> None:
    (sheet,) = gang(6, POKER, A4, gutter=4 * MM, bleed=2 * MM, cutting="gutter")
    assert sheet.ticks
    assert all(overlap(tick, sheet.block) < HAIR for tick in sheet.ticks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bleed": 2 * MM, "cutting": "gutter", "gutter": 3 * MM}, "use a gutter of at least 4 mm"),
        ({"bleed": 1 * MM}, "use a gutter of at least 2 mm"),
        ({"gutter": 3 * MM}, 'use no gutter, or cutting "gutter"'),
        ({"cutting": "gutter"}, 'use one of 4 mm, or cutting "shared"'),
    ],
)
def test_contradictory_cutting_is_an_error(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gang(9, POKER, A4, **arguments)  # type: ignore[arg-type]


lengths = st.floats(20, 140, allow_nan=False).map(lambda mm: mm * MM)


@settings(max_examples=150, deadline=None)
@given(
    card=st.builds(Format, st.just("any"), lengths, lengths),
    paper=st.sampled_from([*PAPERS.values(), ON_ITS_SIDE]),
    count=st.integers(1, 40),
    gutter=st.sampled_from([0, 2 * MM, 6 * MM]),
    backs=st.sampled_from([None, "long-edge", "short-edge", "separate", "fold"]),
    order=st.sampled_from(["rows", "stack"]),
    imprint=st.sampled_from([0, 6, 16]),
)
def test_any_sheet_keeps_its_promises(
    card: Format,
    paper: Format,
    count: int,
    gutter: float,
    backs: Backs | None,
    order: Order,
    imprint: float,
) -> None:
    cutting: Cutting = "gutter" if gutter else "shared"
    bleed = gutter / 3
    try:
        sheets = gang(
            count, card, paper, gutter=gutter, bleed=bleed, cutting=cutting, order=order,
            backs=backs, imprint=imprint,
        )  # fmt: skip
    except ValueError as misfit:
        assert "does not fit" in str(misfit)
        assert "; use " in str(misfit)
        return
    fronts = [each.item for sheet in sheets for each in sheet.placements if each.face]
    reverses = [each.item for sheet in sheets for each in sheet.placements if not each.face]
    assert sorted(fronts) == list(range(count))
    assert sorted(reverses) == (list(range(count)) if backs else [])
    for sheet in sheets:
        assert (sheet.width, sheet.height) == (paper.width, paper.height)
        for box in (*everything(sheet), sheet.occupied):
            assert is_inside(box, paper.width, paper.height, UNPRINTABLE_MARGIN)
        for placement in sheet.placements:
            around = placement.box.grown(bleed)
            assert is_inside(around, paper.width, paper.height, UNPRINTABLE_MARGIN)
            for line in (*sheet.ticks, *sheet.folds):
                assert overlap(line, around) < HAIR
        for each in everything(sheet):
            assert sheet.occupied.joined(each) == pytest.approx(sheet.occupied)
        boxes = sorted((each.box.grown(bleed) for each in sheet.placements), key=lambda b: b.bottom)
        for lower, upper in pairwise(boxes):
            apart = upper.bottom >= lower.top - HAIR or abs(upper.bottom - lower.bottom) < HAIR
            assert apart
    for front in (sheet for sheet in sheets if sheet.side == "front"):
        assert (front.block.left + front.block.right) / 2 == pytest.approx(paper.width / 2)
        assert (front.block.bottom + front.block.top) / 2 == pytest.approx(paper.height / 2)
