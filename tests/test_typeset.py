"""Finished card sheets, measured: size, place, backs, marks, patterns, and what a printer adds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import page as page_validation
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit_builder import formats, patterns, units
from kit_builder.formats import CARD_SIZES, Format
from kit_builder.printers import Profile
from kit_builder.printing import Backs
from tests import content_streams, small_kits
from tests.measured import MM, Box, Measured, Page, Placed, Point, Stroke, at
from tests.small_kits import A4, LETTER, deck, flash_cards

HAIR = 0.01
TRUE = 0.05
POKER = (63.0, 88.0)
LONG_SIDE_ACROSS = formats.paper("297 x 210 mm")

Mirror = Callable[[Point], Point]


def cards_of(path: Path, **options: Any) -> Measured:
    return small_kits.cards_only(path, **options)


# --- Size and place ------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", [A4, LETTER, formats.PAPERS["a3"]], ids=lambda each: each.name)
def test_a_poker_card_is_63_by_88_mm_in_the_file_on_every_paper(
    tmp_path: Path, paper: Format
) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(9)), papers=[paper])
    assert len(made.cards) == 9
    for card in made.cards:
        assert (card.width, card.height) == pytest.approx(POKER, abs=HAIR)
        assert sorted((card.box.width, card.box.height)) == pytest.approx(POKER, abs=HAIR)


def darkest(row: list[int], dots_per_mm: float) -> list[float]:
    """The middles of the strokes that cross a row of grey pixels, in mm from its start."""
    middles = []
    weight = moment = 0.0
    for number, grey in enumerate([*row, 255]):
        ink = 255 - grey
        if ink:
            weight, moment = weight + ink, moment + ink * (number + 0.5)
        elif weight:
            middles.append(moment / weight / dots_per_mm)
            weight = moment = 0
    return middles


@pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)
def test_the_cut_lines_of_a_600_dpi_print_are_as_far_apart_as_the_cards_are_large(
    tmp_path: Path, paper: Format
) -> None:
    dots = 600 / 25.4
    (output,) = small_kits.outputs(
        small_kits.write(tmp_path, deck(9)), parts=("cards",), papers=[paper]
    ).values()
    (page,) = Measured(output.pdf).pages
    with pypdfium2.PdfDocument(output.pdf) as document:
        picture = document[0].render(scale=dots / MM, grayscale=True).to_pil()
    width, height = picture.size
    # Twenty millimetres above the foot of a card there is nothing but its edges.
    low = min(card.box.bottom for card in page.cards)
    row = height - round((low + 20) * dots)
    across = darkest(list(picture.crop((0, row, width, row + 1)).tobytes()), dots)
    left = min(card.box.left for card in page.cards)
    column = round((left + 40) * dots)
    down = darkest(list(picture.crop((column, 0, column + 1, height)).tobytes()), dots)
    for found, size, first in (
        (across, POKER[0], left),
        (down, POKER[1], page.height - max(card.box.top for card in page.cards)),
    ):
        edges = [each for each in found if first - 1 < each < first + 3 * size + 1]
        assert len(edges) == 4
        assert [b - a for a, b in pairwise(edges)] == pytest.approx([size] * 3, abs=TRUE)
        assert edges[0] == pytest.approx(first, abs=TRUE)


@pytest.mark.parametrize(("count", "sheets"), [(1, 1), (8, 1), (9, 1), (10, 2), (18, 2)])
def test_a_deck_fills_as_many_sheets_as_it_needs_at_the_same_places(
    tmp_path: Path, count: int, sheets: int
) -> None:
    full = cards_of(small_kits.write(tmp_path / "full", deck(9))).pages[0]
    made = cards_of(small_kits.write(tmp_path / "some", deck(count)))
    assert len(made.pages) == sheets
    assert small_kits.texts(made.cards) == [f"N{number}" for number in range(1, count + 1)]
    for page in made.pages:
        for card, place in zip(page.cards, full.cards, strict=False):
            assert card.matrix == place.matrix


def test_a_deck_of_a_thousand_different_cards_is_printed_whole(tmp_path: Path) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(1000)))
    assert len(made.pages) == 112
    assert small_kits.texts(made.cards) == [f"N{number}" for number in range(1, 1001)]
    places = [card.matrix for card in made.pages[0].cards]
    for page in made.pages[1:-1]:
        assert [card.matrix for card in page.cards] == places
    assert [card.matrix for card in made.pages[-1].cards] == places[:1]


@pytest.mark.parametrize("size", CARD_SIZES.values(), ids=lambda each: each.name)
def test_every_card_size_is_printed_true_and_named_in_mm(tmp_path: Path, size: Format) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(2, size=size.name)))
    for card in made.cards:
        assert (card.width * MM, card.height * MM) == pytest.approx(
            (size.width, size.height), abs=HAIR
        )
    assert size.dimensions in made.pages[0].text


def test_equal_faces_are_one_form_in_the_file(tmp_path: Path) -> None:
    copies = {"cards": [{"name": "Fox", "copies": "20"}], "total": "20"}
    made = cards_of(small_kits.write(tmp_path, deck(1) | copies))
    assert len(made.cards) == 20
    assert len({card.name for card in made.cards}) == 1


# --- Backs ---------------------------------------------------------------------------------------


def lies_behind(face: Placed, back: Placed, mirror: Mirror) -> bool:
    """Whether each point of the back lies behind that of the face, left and right exchanged."""
    width, height = face.width, face.height
    corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)]
    return all(
        mirror(at(back.matrix, point))
        == pytest.approx(at(face.matrix, (width - point[0], point[1])), abs=HAIR)
        for point in corners
    )


def turned_over(page: Page, how: str) -> Mirror:
    """Where a point of the back lies, seen through the front, when the paper is turned over."""
    upright = page.width <= page.height
    if (how == "long-edge") == upright:
        return lambda point: (page.width - point[0], point[1])
    return lambda point: (point[0], page.height - point[1])


def check_backs(fronts: list[Page], backs: list[Page], how: str, count: int) -> None:
    """Every card's answer lies behind its question, on as many sheets as there must be."""
    seen = []
    for front, back in zip(fronts, backs, strict=True):
        assert len(front.cards) == len(back.cards) > 0
        answers = {card.text: card for card in back.cards}
        for face in front.cards:
            assert lies_behind(face, answers[face.text.replace("Q", "A")], turned_over(front, how))
            seen.append(face.text)
    assert sorted(seen) == sorted(f"Q{number}" for number in range(1, count + 1))


@pytest.mark.parametrize("how", ["long-edge", "short-edge"])
@pytest.mark.parametrize("count", range(1, 11))
def test_each_answer_lies_behind_its_question_when_the_sheet_is_turned_over(
    tmp_path: Path, count: int, how: Backs
) -> None:
    made = cards_of(small_kits.write(tmp_path, flash_cards(count)), backs=how)
    check_backs(made.pages[::2], made.pages[1::2], how, count)
    edge = {"long-edge": "Long", "short-edge": "Short"}[how]
    assert made.duplex == f"/DuplexFlip{edge}Edge"


@pytest.mark.parametrize("how", ["long-edge", "short-edge"])
@pytest.mark.parametrize("order", ["rows", "stack"])
@pytest.mark.parametrize("paper", [LETTER, LONG_SIDE_ACROSS], ids=lambda each: each.name)
def test_backs_match_on_other_papers_and_in_either_order(
    tmp_path: Path, how: Backs, order: str, paper: Format
) -> None:
    made = cards_of(
        small_kits.write(tmp_path, flash_cards(11)), backs=how, order=order, papers=[paper]
    )
    check_backs(made.pages[::2], made.pages[1::2], how, 11)


@pytest.mark.parametrize("count", range(1, 11))
def test_each_answer_lies_behind_its_question_when_the_sheet_is_folded(
    tmp_path: Path, count: int
) -> None:
    made = cards_of(small_kits.write(tmp_path, flash_cards(count)), backs="fold")
    assert made.duplex == "/Simplex"
    seen = []
    for page in made.pages:
        fold = the_fold(page)
        cards = {card.text: card for card in page.cards}
        faces = [card for card in page.cards if card.text.startswith("Q")]
        assert len(cards) == 2 * len(faces)
        for face in faces:
            back = cards[face.text.replace("Q", "A")]
            assert lies_behind(face, back, folded(fold))
            for card in (face, back):
                gap = (
                    min(abs(fold.y1 - card.box.bottom), abs(fold.y1 - card.box.top))
                    if fold.level
                    else min(abs(fold.x1 - card.box.left), abs(fold.x1 - card.box.right))
                )
                assert gap > 5 - HAIR
            seen.append(face.text)
    assert sorted(seen) == sorted(f"Q{number}" for number in range(1, count + 1))


def the_fold(page: Page) -> Stroke:
    (fold,) = (line for line in page.strokes if line.dashed)
    return fold


def folded(fold: Stroke) -> Mirror:
    if fold.level:
        return lambda point: (point[0], 2 * fold.y1 - point[1])
    return lambda point: (2 * fold.x1 - point[0], point[1])


SEPARATE = ("game.cards.fronts.pdf", "game.cards.backs.pdf")


def test_fronts_and_backs_apart_are_two_files_whose_pages_belong_together(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(10))
    made = small_kits.outputs(path, parts=("cards",), backs="separate")
    assert tuple(made) == SEPARATE
    fronts, backs = (Measured(output.pdf) for output in made.values())
    check_backs(fronts.pages, backs.pages, "long-edge", 10)
    assert (fronts.duplex, backs.duplex) == ("/Simplex", "/Simplex")


def test_a_sheet_without_backs_keeps_its_page_in_the_file_of_the_backs(tmp_path: Path) -> None:
    decks = [deck(3), flash_cards(4), deck(2, size="mini", name="Small ones")]
    path = small_kits.write(tmp_path, *decks)
    made = small_kits.outputs(path, backs="separate", sets=small_kits.sets(2))
    assert list(made) == [f"game.sets-a-b.{name}.pdf" for name in ("pages", "fronts", "backs")]
    text, fronts, backs = (Measured(output.pdf) for output in made.values())
    assert [len(page.cards) for page in text.pages] == [0] * len(text.pages)
    assert [len(page.cards) for page in fronts.pages] == [3, 4, 2] * 2
    assert [len(page.cards) for page in backs.pages] == [0, 4, 0, 0, 4]
    check_backs(fronts.pages[1:2], backs.pages[1:2], "long-edge", 4)
    check_backs(fronts.pages[4:5], backs.pages[4:5], "long-edge", 4)


def test_a_sheet_without_backs_keeps_its_leaf_in_a_two_sided_file(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(3), flash_cards(4), deck(2, size="mini"))
    made = small_kits.measured(path, backs="long-edge")
    cards = [len(page.cards) for page in made.pages]
    assert cards == [0, 0, 3, 0, 4, 4, 2, 0, 0]
    assert [page.text == "" for page in made.pages] == [
        *(False, True, False, True),
        *(False, False, False, True, False),
    ]


def test_only_a_file_with_backs_asks_for_two_sides(tmp_path: Path) -> None:
    assert cards_of(small_kits.write(tmp_path, deck(3)), backs="long-edge").duplex == "/Simplex"
    path = small_kits.write(tmp_path, flash_cards(3))
    assert cards_of(path).duplex == "/Simplex"


# --- A printer that misplaces and scales ---------------------------------------------------------


def moved(before: Page, after: Page) -> set[tuple[float, float]]:
    """By how much each card and each mark of a page has moved."""
    shifts = [
        (new.matrix[4] - old.matrix[4], new.matrix[5] - old.matrix[5])
        for old, new in zip(before.cards, after.cards, strict=True)
    ]
    shifts += (
        (new.x1 - old.x1, new.y1 - old.y1)
        for old, new in zip(before.strokes, after.strokes, strict=True)
    )
    return {(round(x, 3), round(y, 3)) for x, y in shifts}


@pytest.mark.parametrize("how", ["long-edge", "short-edge", "separate"])
def test_an_offset_moves_the_backs_and_their_marks_and_nothing_else(
    tmp_path: Path, how: Backs
) -> None:
    path = small_kits.write(tmp_path, flash_cards(9))
    profile = Profile("office", back_x=1.5 * units.MM, back_y=-0.5 * units.MM)
    options: dict[str, Any] = {"backs": how, "parts": ("cards",)}
    before = [
        page
        for output in small_kits.outputs(path, **options).values()
        for page in Measured(output.pdf).pages
    ]
    after = [
        page
        for output in small_kits.outputs(path, profile=profile, **options).values()
        for page in Measured(output.pdf).pages
    ]
    (front, back), (same_front, moved_back) = before, after
    assert len(back.strokes) == 16
    assert moved(front, same_front) == {(0, 0)}
    assert moved(back, moved_back) == {(1.5, -0.5)}


def test_an_offset_moves_a_back_pattern(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(9, back={"pattern": "lattice"}))
    profile = Profile("office", back_x=1.5 * units.MM, back_y=-0.5 * units.MM)
    back, moved_back = (
        cards_of(path, backs="long-edge", profile=each).pages[1].patterns[-1].box
        for each in (Profile(), profile)
    )
    shifts = [new - old for old, new in zip(back, moved_back, strict=True)]
    assert shifts == pytest.approx([1.5, -0.5, 1.5, -0.5], abs=HAIR)


def test_a_fold_needs_no_offset(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(3))
    profile = Profile("office", back_x=1.5 * units.MM)
    before, after = (
        cards_of(path, backs="fold", profile=each).pages[0] for each in (Profile(), profile)
    )
    assert moved(before, after) == {(0, 0)}


def test_the_scale_of_a_printer_makes_every_length_longer(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(9))
    profile = Profile("office", scale_x=1.002, scale_y=0.997)
    (plain,), (scaled,) = cards_of(path).pages, cards_of(path, profile=profile).pages
    middle = plain.width / 2, plain.height / 2
    assert (scaled.width, scaled.height) == (plain.width, plain.height)
    for old, new in zip(plain.cards, scaled.cards, strict=True):
        assert new.box.width == pytest.approx(63 * 1.002, abs=0.001)
        assert new.box.height == pytest.approx(88 * 0.997, abs=0.001)
        x, y = old.box.centre
        place = middle[0] + (x - middle[0]) * 1.002, middle[1] + (y - middle[1]) * 0.997
        assert new.box.centre == pytest.approx(place, abs=0.001)
    lengths = {round(line.length, 3) for line in scaled.levels}
    assert 100.2 in lengths  # the ruler across
    assert 99.7 in {round(line.length, 3) for line in scaled.uprights}


def blank_edges(pdf: bytes, margin: float) -> bool:
    """Whether nothing is painted within so many mm of the edges of any page."""
    dots = 100 / 25.4
    band = int(margin * dots - 0.5)  # pages are not a whole number of dots
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            picture = page.render(scale=dots / MM, grayscale=True).to_pil()
            width, height = picture.size
            for edge in (
                (0, 0, width, band),
                (0, height - band, width, height),
                (0, 0, band, height),
                (width - band, 0, width, height),
            ):
                if picture.crop(edge).getextrema() != (255, 255):
                    return False
    return True


PROFILES = [
    Profile("scaled", scale_x=1.01, scale_y=1.01),
    Profile("wide", margin=15 * units.MM),
    Profile("wide and scaled", margin=8 * units.MM, scale_x=1.02, scale_y=0.99),
    Profile("shifted", back_x=4 * units.MM, back_y=-4 * units.MM),
]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda each: each.name)
@pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)
def test_nothing_is_drawn_where_the_printer_leaves_blank(
    tmp_path: Path, profile: Profile, paper: Format
) -> None:
    path = small_kits.write(
        tmp_path,
        deck(9, back={"pattern": "waves"}),
        cutouts=[{"piece": "dice", "name": "Dice", "count": "2"}],
        records=[{"title": "Log", "columns": ["A", "B"], "rows": "20"}],
    )
    made = small_kits.outputs(
        path, papers=[paper], profile=profile, backs="long-edge", editions=("player", "host")
    )
    assert len(made) == 2
    for output in made.values():
        assert blank_edges(output.pdf, profile.margin / units.MM)


# --- Marks ---------------------------------------------------------------------------------------


def cut_lines(page: Page) -> list[Stroke]:
    """The lines on the edges of cards, from corner to corner."""
    edges = {round(edge, 3) for card in page.cards for edge in card.box}
    return [
        line
        for line in page.strokes
        if line.length > 40 and round(line.y1 if line.level else line.x1, 3) in edges
    ]


def test_touching_cards_share_one_thin_line_at_each_edge(tmp_path: Path) -> None:
    (page,) = cards_of(small_kits.write(tmp_path, deck(9))).pages
    lines = cut_lines(page)
    assert sorted((line.level, round(line.length, 2)) for line in lines) == [
        *[(False, 264)] * 4,
        *[(True, 189)] * 4,
    ]
    assert len({(line.x1, line.y1, line.x2, line.y2) for line in lines}) == 8
    assert {round(line.width, 3) for line in lines} == {0.15}


@pytest.mark.parametrize("how", ["long-edge", "short-edge"])
def test_cut_lines_are_on_the_front_only(tmp_path: Path, how: Backs) -> None:
    front, back = cards_of(small_kits.write(tmp_path, flash_cards(9)), backs=how).pages
    assert len(cut_lines(front)) == 8
    assert cut_lines(back) == []
    for tick in back.strokes:
        assert not any(crosses(tick, card.box) for card in back.cards)


def crosses(line: Stroke, box: Box) -> bool:
    """Whether more of a line than its end lies inside the box or on its edge."""
    across = min(line.x2, box.right) - max(line.x1, box.left)
    up = min(line.y2, box.top) - max(line.y1, box.bottom)
    return across > -HAIR and up > -HAIR and max(across, up) > HAIR


def outside_ticks(page: Page) -> list[Stroke]:
    """Short lines that go on from an edge of a card, beyond all the cards."""
    edges = {round(edge, 3) for card in page.cards for edge in card.box}
    return [
        line
        for line in page.strokes
        if line.length < 5 and round(line.y1 if line.level else line.x1, 3) in edges
    ]


@pytest.mark.parametrize("count", [1, 4, 8, 10])
def test_marks_follow_the_cards_of_a_part_filled_sheet(tmp_path: Path, count: int) -> None:
    page = cards_of(small_kits.write(tmp_path, deck(count))).pages[-1]
    for line in cut_lines(page):
        assert any(crosses(line, card.box) for card in page.cards)
    sides = {(round(card.box[edge], 3), edge % 2) for card in page.cards for edge in range(4)}
    assert {(round(t.y1 if t.level else t.x1, 3), int(t.level)) for t in outside_ticks(page)} == (
        sides
    )
    for tick in outside_ticks(page):
        assert not any(crosses(tick, card.box) for card in page.cards)
    for card in page.cards:
        left, bottom, right, top = card.box
        for edge in (
            Stroke(left, bottom, right, bottom, 0, False, None),
            Stroke(left, top, right, top, 0, False, None),
            Stroke(left, bottom, left, top, 0, False, None),
            Stroke(right, bottom, right, top, 0, False, None),
        ):
            assert any(holds(line, edge) for line in cut_lines(page))


def holds(line: Stroke, part: Stroke) -> bool:
    return (
        line.level == part.level
        and line.x1 <= part.x1 + HAIR
        and line.y1 <= part.y1 + HAIR
        and line.x2 >= part.x2 - HAIR
        and line.y2 >= part.y2 - HAIR
    )


def test_dashed_cuts_are_dashed(tmp_path: Path) -> None:
    (page,) = cards_of(small_kits.write(tmp_path, deck(9, cut="dashed"))).pages
    assert len(cut_lines(page)) == 8
    assert all(line.dashed for line in cut_lines(page))
    (page,) = cards_of(small_kits.write(tmp_path, deck(9))).pages
    assert not any(line.dashed for line in page.strokes)


def test_an_uncut_sheet_has_no_marks(tmp_path: Path) -> None:
    (page,) = cards_of(small_kits.write(tmp_path, deck(9)), cut="none").pages
    assert (cut_lines(page), outside_ticks(page)) == ([], [])
    assert len(page.cards) == 9


def test_a_gutter_parts_the_cards_and_has_crop_marks_only(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(8, cut="gutter", gutter="5 mm", bleed="2 mm"))
    (page,) = cards_of(path).pages
    assert cut_lines(page) == []
    trims = []
    for card in page.cards:
        assert (card.width, card.height) == pytest.approx((67, 92), abs=HAIR)
        left, bottom, right, top = card.box
        trims.append(Box(left + 2, bottom + 2, right - 2, top - 2))
    for trim in trims:
        assert sorted((trim.width, trim.height)) == pytest.approx(POKER, abs=HAIR)
    for first in trims:
        for other in trims:
            if other is first:
                continue
            x = max(first.left, other.left) - min(first.right, other.right)
            y = max(first.bottom, other.bottom) - min(first.top, other.top)
            assert max(x, y) > 5 - HAIR
    assert any(
        other.left - first.right == pytest.approx(5, abs=HAIR) for first in trims for other in trims
    )
    marks = [line for line in page.strokes if line.length < 5 and line.width < 0.16]
    for edge in {round(edge, 2) for trim in trims for edge in (trim.left, trim.right)}:
        assert any(not mark.level and mark.x1 == pytest.approx(edge, abs=HAIR) for mark in marks)
    for line in page.strokes:
        assert not any(crosses(line, trim) for trim in trims)


def test_cards_of_one_bleed_do_not_cover_another_card(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(8))
    (page,) = cards_of(path, cut="gutter", gutter=4 * units.MM, bleed=2 * units.MM).pages
    for first in page.cards:
        for other in page.cards:
            if first is not other:
                x = max(first.box.left, other.box.left) - min(first.box.right, other.box.right)
                y = max(first.box.bottom, other.box.bottom) - min(first.box.top, other.box.top)
                assert max(x, y) > -HAIR
    assert len(small_kits.faults(path, cut="gutter", gutter=3 * units.MM, bleed=2 * units.MM)) == 1


# --- Patterns ------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
@pytest.mark.parametrize("count", [1, 9])
def test_a_pattern_is_printed_2_mm_beyond_the_cards(
    tmp_path: Path, pattern: str, count: int
) -> None:
    path = small_kits.write(tmp_path, deck(count, back={"pattern": pattern}))
    front, back = cards_of(path, backs="long-edge").pages
    (field,) = (form for form in back.patterns if not form.name.endswith("-row"))
    mirrored = turned_over(front, "long-edge")
    corners = [
        mirrored(corner)
        for card in front.cards
        for corner in ((card.box.left, card.box.bottom), (card.box.right, card.box.top))
    ]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    bottom, top = min(y for _, y in corners), max(y for _, y in corners)
    assert field.box == pytest.approx((left - 2, bottom - 2, right + 2, top + 2), abs=HAIR)


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_every_card_has_the_same_piece_of_a_pattern_on_its_back(
    tmp_path: Path, pattern: str
) -> None:
    path = small_kits.write(tmp_path, deck(4, back={"pattern": pattern}))
    (output,) = small_kits.outputs(path, parts=("cards",), backs="long-edge").values()
    front, _ = Measured(output.pdf).pages
    dots = 4
    with pypdfium2.PdfDocument(output.pdf) as document:
        picture = document[1].render(scale=dots / MM, grayscale=True).to_pil()
    pieces = []
    for card in front.cards:
        left, top = front.width - card.box.right, front.height - card.box.top
        corner = round(left * dots), round(top * dots)
        # One point to each side is left out: there the grid of pixels may cut otherwise.
        box = (corner[0] + 4, corner[1] + 4, corner[0] + 63 * dots - 4, corner[1] + 88 * dots - 4)
        pieces.append(picture.crop(box))
    for piece in pieces[1:]:
        pairs = zip(pieces[0].tobytes(), piece.tobytes(), strict=True)
        differing = sum(abs(one - other) > 96 for one, other in pairs)
        assert differing < 0.01 * piece.size[0] * piece.size[1]
    ink = 1 - sum(pieces[0].tobytes()) / 255 / (pieces[0].size[0] * pieces[0].size[1])
    assert 0.3 < ink < 0.55


# --- However it is printed -----------------------------------------------------------------------

WAYS: dict[str, dict[str, Any]] = {
    "turned over": {"backs": "long-edge"},
    "folded": {"backs": "fold"},
    "apart": {"backs": "separate"},
    "class sets": {"sets": small_kits.sets(2), "backs": "short-edge"},
    "reprint": {"cards": ["2"], "backs": "long-edge"},
    "gutter": {"cut": "gutter", "gutter": 4 * units.MM, "bleed": 2 * units.MM},
    "large": {"large": True, "backs": "long-edge"},
    "scaled": {"profile": Profile("office", scale_x=1.01, back_x=units.MM), "backs": "long-edge"},
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_every_way_to_print_makes_valid_tagged_files(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    decks = [flash_cards(4), deck(3, back={"pattern": "stars"}), deck(2, back={"text": "Game"})]
    made = small_kits.outputs(small_kits.write(tmp_path, *decks), **options)
    assert made
    for output in made.values():
        report = page_validation.validate_pdf_bytes(output.pdf, profile="ua1")
        assert [str(failure) for failure in report.failures] == []
        assert content_streams.unmarked(output.pdf) == []


# --- Any deck ------------------------------------------------------------------------------------

HOW: tuple[Backs, ...] = get_args(Backs)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    width=st.integers(30, 150),
    height=st.integers(30, 150),
    count=st.integers(1, 30),
    how=st.sampled_from(["long-edge", "short-edge"]),
    paper=st.sampled_from([A4, LETTER]),
)
def test_every_card_of_any_size_and_count_is_printed_with_its_back_behind_it(
    tmp_path: Path, width: int, height: int, count: int, how: Backs, paper: Format
) -> None:
    path = small_kits.write(tmp_path, flash_cards(count, size=f"{width} x {height} mm"))
    made = cards_of(path, backs=how, papers=[paper])
    check_backs(made.pages[::2], made.pages[1::2], how, count)
    for card in made.cards:
        assert (card.width, card.height) == pytest.approx((width, height), abs=HAIR)
        assert 5 < card.box.left < card.box.right < card.box.right + 5 < made.pages[0].width
