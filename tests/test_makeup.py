"""Make-up: every block and every card stands on one side of a sheet, fronts before their backs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.banner import BANNER_DEPTH
from kit_builder.decks import Card, Cards, Make
from kit_builder.decks import Side as CardSide
from kit_builder.errors import KitError, Location, Source, Text
from kit_builder.faces import Face
from kit_builder.flowables import Rigid
from kit_builder.formats import CARD_SIZES, PAPERS, Format
from kit_builder.imposition import Sheet
from kit_builder.makeup import Side, frame, is_duplex, make_up, text_box
from kit_builder.printers import LARGEST_MARGIN, SMALLEST_MARGIN, Profile
from kit_builder.printing import BACKS, PARTS, Printing
from kit_builder.story import Flow, Part, Story
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.units import MM
from tests import small_kits

A4 = PAPERS["a4"]
POKER, MINI = CARD_SIZES["poker"], CARD_SIZES["mini"]
PLACE = Location(Source("game.yaml"), 7, 9)


@dataclass(frozen=True)
class Fake(Rigid):
    """A block without anything in it."""

    name: int
    height: float = 60
    before: float = 0
    after: float = 0

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        raise NotImplementedError


def cards(count: int, backs: bool, size: Format = POKER, faces: bool = True) -> Cards:
    make = Make(size, 1, (0, 0), "shared", 0, 0, "", backs)
    side = CardSide(Face(()), Element("P"))
    each = Card(side if faces else None, side if backs else None, None)
    return Cards(make, (each,) * count, None, "Cards", PLACE)


def flow(count: int) -> Flow:
    return Flow(tuple(Fake(number) for number in range(count)))


def story(*parts: Part) -> Story:
    return Story(
        title=Text("Game", PLACE),
        language="en",
        banner="",
        mark="",
        parts=parts,
        root=Element("Document"),
    )


contents = st.lists(
    st.one_of(
        st.integers(1, 40).map(flow),
        st.builds(cards, st.integers(1, 20), st.booleans(), st.sampled_from([POKER, MINI])),
    ),
    min_size=1,
    max_size=4,
).map(tuple)
parts = st.builds(
    Part, st.sampled_from(PARTS), st.just("Part"), st.sampled_from(["", "Set A (1)"]), contents
)
stories = st.lists(parts, min_size=1, max_size=5).map(lambda made: story(*made))
TOGETHER = [each for each in BACKS if each != "separate"]
printings = st.builds(Printing, backs=st.sampled_from(TOGETHER))


def ganged(side: Side) -> tuple[Sheet, Cards]:
    """The cards of a side that has some."""
    assert side.sheet is not None
    assert side.cards is not None
    return side.sheet, side.cards


def numbers(sheet: Sheet) -> list[int]:
    return [placement.item for placement in sheet.placements]


def items(sides: list[Side], content: Cards, *, faces: bool) -> list[int]:
    return sorted(
        placement.item
        for side in sides
        if side.cards is content and side.sheet is not None
        for placement in side.sheet.placements
        if placement.face == faces
    )


@given(stories, printings)
def test_every_block_and_every_card_is_placed_once(told: Story, printing: Printing) -> None:
    sides = make_up(told, printing)
    flows = [each for part in told.parts for each in part.contents if isinstance(each, Flow)]
    placed = [each.block for side in sides for each in side.blocks]
    assert placed == [block for each in flows for block in each.blocks]
    for content in {id(c): c for part in told.parts for c in part.contents}.values():
        if isinstance(content, Cards):
            whole = list(range(len(content.cards)))
            assert items(sides, content, faces=True) == whole
            backs = content.make.backs and printing.backs != "none"
            assert items(sides, content, faces=False) == (whole if backs else [])


@given(stories, printings)
def test_the_parts_follow_each_other_as_in_the_story(told: Story, printing: Printing) -> None:
    sides = make_up(told, printing)
    order = [next(n for n, part in enumerate(told.parts) if part is side.part) for side in sides]
    assert order == sorted(order)
    assert not any(side.blank for side in (sides if not is_duplex(sides, printing) else sides[-1:]))


@given(stories, printings)
def test_a_back_is_on_the_back_of_its_front(told: Story, printing: Printing) -> None:
    sides = make_up(told, printing)
    if not is_duplex(sides, printing):
        assert not any(side.sheet and side.sheet.side == "back" for side in sides)
        return
    for front, back in zip_longest(sides[::2], sides[1::2]):
        assert front.sheet is None or front.sheet.side == "front"
        if back is None or back.blank:
            assert not (front.cards and front.cards.make.backs)
        elif front.cards is not None:
            (sheet, content), (reverse, same) = ganged(front), ganged(back)
            assert same is content
            assert reverse.side == "back"
            assert numbers(reverse) == numbers(sheet)
        else:
            # Two pages of text on one sheet: only of the same part, and only where it is read on.
            assert back.part is front.part and back.part.name == "rules"


def test_records_and_labels_are_printed_on_one_side_also_between_two_sided_sheets() -> None:
    told = story(
        Part("rules", "Rules", "", (flow(20),)),
        Part("cards", "Cards", "", (cards(10, backs=True), flow(1))),
        Part("records", "Records", "", (flow(20),)),
    )
    sides = make_up(told, Printing(backs="long-edge"))
    seen = [side.sheet.side if side.sheet else "text" if side.blocks else "-" for side in sides]
    assert seen == [
        *("text", "text"),
        *("front", "back", "front", "back", "text", "-"),
        *("text", "-", "text"),
    ]


def test_without_backs_nothing_is_two_sided() -> None:
    told = story(
        Part("cards", "Cards", "", (cards(10, backs=False),)), Part("label", "L", "", (flow(1),))
    )
    sides = make_up(told, Printing(backs="long-edge"))
    assert not is_duplex(sides, Printing(backs="long-edge"))
    assert [side.blank for side in sides] == [False] * 3


@given(
    st.lists(
        st.tuples(st.integers(1, 20), st.booleans(), st.sampled_from([POKER, MINI])),
        min_size=1,
        max_size=5,
    )
)
def test_fronts_apart_and_backs_apart_have_their_sheets_on_the_same_pages(
    decks: list[tuple[int, bool, Format]],
) -> None:
    printing = Printing(backs="separate")
    fronts, backs = (
        make_up(
            story(
                Part(
                    "cards",
                    "Cards",
                    "",
                    tuple(cards(count, own, size, faces) for count, own, size in decks),
                )
            ),
            printing,
        )
        for faces in (True, False)
    )
    for front, back in zip_longest(fronts, backs):
        sheet, content = ganged(front)
        assert sheet.side == "front"
        if back is None or back.blank:
            assert not content.make.backs
        else:
            reverse, other = ganged(back)
            assert reverse.side == "back"
            assert other.make == content.make
            assert numbers(reverse) == numbers(sheet)
    assert not (backs and backs[-1].blank)


def test_cards_that_fit_on_no_sheet_are_a_fault_at_their_deck() -> None:
    huge = cards(1, backs=False, size=Format("huge", 300 * MM, 300 * MM))
    with pytest.raises(KitError) as caught:
        make_up(story(Part("cards", "Cards", "", (huge,))), Printing())
    (fault,) = caught.value.faults
    assert fault.location == PLACE
    assert fault.what.startswith('deck "Cards": a card of huge (300 x 300 mm) does not fit on A4')


# --- The room on a page --------------------------------------------------------------------------

papers = st.sampled_from(list(PAPERS.values()))
margins = st.floats(SMALLEST_MARGIN, LARGEST_MARGIN)


@given(papers, margins, st.booleans(), st.booleans())
def test_text_and_pieces_keep_clear_of_the_printers_margin(
    paper: Format, margin: float, large: bool, banner: bool
) -> None:
    printing = Printing(paper, large=large, profile=Profile("office", margin=margin))
    box = text_box(printing, banner=banner)
    room = 4 * MM if banner else 0  # the frame of the host's pages
    head = room + (BANNER_DEPTH if banner else 0)
    assert box.left - room >= margin
    assert paper.width - box.right - room >= margin
    assert box.bottom - room >= margin
    assert paper.height - box.top - head >= margin
    made = frame(printing, banner=banner)
    assert made.pieces <= paper.width - 2 * margin
    assert made.measure <= made.width == pytest.approx(box.right - box.left)
    assert made.height == pytest.approx(box.top - box.bottom)


@given(papers, st.floats(SMALLEST_MARGIN, 5 * MM), st.booleans())
def test_a_printer_that_prints_nearer_to_the_edge_changes_no_page(
    paper: Format, margin: float, banner: bool
) -> None:
    near = Printing(paper, profile=Profile("office", margin=margin))
    assert text_box(near, banner=banner) == text_box(Printing(paper), banner=banner)


def test_running_text_is_60_to_70_characters_wide_where_the_paper_is_wide_enough() -> None:
    for name in ("a4", "letter", "a3", "tabloid"):
        assert frame(Printing(PAPERS[name]), banner=False).measure == pytest.approx(142 * MM)


def test_a_heading_at_the_foot_of_a_page_moves_on_with_its_text(tmp_path: Path) -> None:
    lines = "\n\n".join(f"Line {number} stands here." for number in range(1, 27))
    for more in range(8):
        sections = [
            {"heading": "Before", "text": lines + "\n\nOne more." * more},
            {"heading": "At the foot", "text": "A text that goes with its heading."},
        ]
        made = small_kits.measured(small_kits.write(tmp_path, rules=sections), parts=("rules",))
        (heading,) = (page.number for page in made.pages if "At the foot" in page.text)
        (text,) = (page.number for page in made.pages if "goes with its heading" in page.text)
        assert heading == text
    assert len(made.pages) == 2
