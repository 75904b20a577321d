"""Pages are filled from the top: nothing is lost, nothing sticks out, headings stay with texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import pages
from kit_builder.flowables import Block, stacked_height
from kit_builder.pages import Placed, copyfit, fill
from kit_builder.tagging import TaggedCanvas

HEIGHT = 100.0


@dataclass(frozen=True)
class Fake:
    """A block of `units` of one height each; it splits anywhere if `breaks`."""

    name: int
    units: int
    unit: float = 10
    before: float = 0
    after: float = 0
    keep_with_next: bool = False
    breaks: bool = False
    elastic: float = 0

    @property
    def height(self) -> float:
        return self.units * self.unit

    @property
    def stretch(self) -> float:
        return self.units * self.elastic

    def stretched(self, extra: float) -> Block:
        return replace(self, unit=self.unit + extra / self.units, elastic=0)

    def split(self, height: float) -> tuple[Block, Block] | None:
        fitting = min(int(height / self.unit + 1e-6), self.units - 1)
        if not self.breaks or fitting < 1:
            return None
        return replace(self, units=fitting), replace(self, units=self.units - fitting)

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        raise NotImplementedError


def fake(placed: Placed) -> Fake:
    assert isinstance(placed.block, Fake)
    return placed.block


def names(pages: list[list[Placed]]) -> list[list[int]]:
    return [[fake(each).name for each in page] for page in pages]


def heading(name: int, units: int = 2) -> Fake:
    return Fake(name, units, keep_with_next=True)


def test_no_blocks_make_no_page() -> None:
    assert fill([], HEIGHT) == []


def test_a_page_is_filled_before_the_next() -> None:
    assert names(fill([Fake(n, 4) for n in range(5)], HEIGHT)) == [[0, 1], [2, 3], [4]]


def test_blocks_that_exactly_fill_a_page_leave_no_blank_one() -> None:
    assert names(fill([Fake(0, 5), Fake(1, 5)], HEIGHT)) == [[0, 1]]
    assert names(fill([Fake(0, 3, 100 / 9), Fake(1, 6, 100 / 9)], HEIGHT)) == [[0, 1]]


def test_a_block_stands_below_the_one_before_it_with_the_larger_gap() -> None:
    (page,) = fill([Fake(0, 2, before=50, after=3), Fake(1, 2, before=7), Fake(2, 1)], HEIGHT)
    assert [each.offset for each in page] == [0, 27, 47]


def test_the_gap_at_the_foot_of_a_page_takes_no_room() -> None:
    assert names(fill([Fake(0, 10, after=30), Fake(1, 10, before=30)], HEIGHT)) == [[0], [1]]


def test_a_heading_moves_on_with_its_text() -> None:
    assert names(fill([Fake(0, 7), heading(1), Fake(2, 3)], HEIGHT)) == [[0], [1, 2]]


def test_headings_below_each_other_move_on_together() -> None:
    blocks = [Fake(0, 5), heading(1), heading(2), Fake(3, 3)]
    assert names(fill(blocks, HEIGHT)) == [[0], [1, 2, 3]]


def test_a_heading_stays_where_its_text_begins() -> None:
    pages = fill([Fake(0, 6), heading(1), Fake(2, 6, breaks=True)], HEIGHT)
    assert names(pages) == [[0, 1, 2], [2]]
    assert [fake(page[-1]).units for page in pages] == [2, 4]


def test_a_block_of_several_pages_is_split_as_often_as_needed() -> None:
    pages = fill([Fake(0, 4), Fake(1, 27, breaks=True)], HEIGHT)
    assert [[fake(each).units for each in page] for page in pages] == [[4, 6], [10], [10], [1]]


def test_a_heading_that_leaves_no_room_on_any_page_goes_ahead_alone() -> None:
    assert names(fill([heading(0), Fake(1, 10)], HEIGHT)) == [[0], [1]]


def test_only_headings_are_placed_as_well() -> None:
    assert names(fill([heading(n, 4) for n in range(5)], HEIGHT)) == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("before", [[], [Fake(0, 3)], [heading(0)]])
def test_a_block_higher_than_a_page_is_a_fault_of_the_program(before: list[Fake]) -> None:
    with pytest.raises(ValueError, match=r"Fake is 110 of 100\.0 pt high"):
        fill([*before, Fake(9, 11)], HEIGHT)


def test_blocks_that_stretch_share_what_is_left_of_their_page() -> None:
    (page,) = fill([Fake(0, 2, elastic=10), Fake(1, 2), Fake(2, 4, elastic=10)], HEIGHT)
    assert [each.block.height for each in page] == pytest.approx([20 + 20 / 3, 20, 40 + 40 / 3])
    assert [each.offset for each in page] == pytest.approx([0, 20 + 20 / 3, 40 + 20 / 3])


def test_no_block_stretches_further_than_it_may() -> None:
    (page,) = fill([Fake(0, 2, elastic=1), Fake(1, 2, before=5)], HEIGHT)
    assert [each.block.height for each in page] == [22, 20]
    assert [each.offset for each in page] == [0, 27]


def test_the_last_page_stretches_as_well() -> None:
    pages = fill([Fake(0, 10), Fake(1, 5, elastic=99)], HEIGHT)
    assert [page[-1].block.height for page in pages] == [100, 100]


BLOCKS = st.lists(
    st.builds(
        Fake,
        name=st.just(0),
        units=st.integers(1, 9),
        unit=st.sampled_from([1, 3.3, 10, 11]),
        before=st.sampled_from([0, 4, 12.5]),
        after=st.sampled_from([0, 3, 20]),
        keep_with_next=st.booleans(),
        breaks=st.booleans(),
        elastic=st.sampled_from([0, 0, 2.5]),
    ),
    max_size=30,
).map(lambda blocks: [replace(block, name=name) for name, block in enumerate(blocks)])


@given(BLOCKS)
def test_every_block_is_placed_once_and_whole_and_in_order(blocks: list[Fake]) -> None:
    placed = [fake(each) for page in fill(blocks, HEIGHT) for each in page]
    assert list(dict.fromkeys(each.name for each in placed)) == list(range(len(blocks)))
    order = [each.name for each in placed]
    assert order == sorted(order)
    for block in blocks:
        parts = [each for each in placed if each.name == block.name]
        assert sum(part.units for part in parts) == block.units
        assert len(parts) == 1 or block.breaks


@given(BLOCKS)
def test_nothing_reaches_below_the_foot_or_into_its_neighbour(blocks: list[Fake]) -> None:
    for page in fill(blocks, HEIGHT):
        assert page
        assert page[0].offset == 0
        assert page[-1].offset + page[-1].block.height <= HEIGHT + 1e-5
        assert stacked_height([each.block for each in page]) <= HEIGHT + 1e-5
        for upper, lower in pairwise(page):
            gap = max(upper.block.after, lower.block.before)
            assert lower.offset == pytest.approx(upper.offset + upper.block.height + gap)


@given(BLOCKS)
def test_a_heading_is_never_the_last_on_a_page_that_has_more(blocks: list[Fake]) -> None:
    pages = fill(blocks, HEIGHT)
    for page, following in pairwise(pages):
        last = fake(page[-1])
        whole = last.name != fake(following[0]).name
        if last.keep_with_next and whole:
            assert all(fake(each).keep_with_next for each in page)


@given(BLOCKS)
def test_no_page_ends_where_the_next_block_would_have_fitted(blocks: list[Fake]) -> None:
    plain = [replace(block, keep_with_next=False, elastic=0) for block in blocks]
    for page, following in pairwise(fill(plain, HEIGHT)):
        held = [each.block for each in page]
        first = fake(following[0])
        if first.name == fake(page[-1]).name:
            first = replace(first, units=1)
            assert stacked_height(held) + first.height > HEIGHT
        else:
            assert stacked_height([*held, first]) > HEIGHT


def test_gaps_shrink_only_where_that_spares_a_page() -> None:
    def spread(count: int) -> list[Fake]:
        return [Fake(n, 1, after=HEIGHT / 20) for n in range(count)]

    usual = len(fill(spread(7), HEIGHT)[0])
    assert names(copyfit(spread(usual), HEIGHT)) == [list(range(usual))]
    one_more = spread(usual + 1)
    assert len(fill(one_more, HEIGHT)) == 2
    (page,) = copyfit(one_more, HEIGHT)
    gap = page[1].offset - page[0].block.height
    assert 0.5 * HEIGHT / 20 < gap < HEIGHT / 20
    alone = [Fake(n, 9) for n in range(3)]
    assert copyfit(alone, HEIGHT) == fill(alone, HEIGHT)


@given(BLOCKS)
def test_no_other_gaps_would_have_spared_more_pages(blocks: list[Fake]) -> None:
    fewest = min(len(fill(blocks, HEIGHT, gaps)) for gaps in pages._GAPS)
    assert len(copyfit(blocks, HEIGHT)) == fewest
