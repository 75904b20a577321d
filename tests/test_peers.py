"""What goes wrong at other printing tables does not go wrong here: one test for each situation."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from typer.testing import CliRunner

from kit_builder import cli, formats, units
from kit_builder.formats import Format
from kit_builder.printers import Profile
from kit_builder.printing import Backs
from tests import small_kits
from tests.measured import MM, Measured, Page, Placed, Point, Stroke, at
from tests.small_kits import A4, LETTER, deck, flash_cards

HAIR = 0.01
POKER = (63.0, 88.0)


def run(*words: str) -> Any:
    return CliRunner().invoke(cli.app, list(words))


def cards_of(path: Path, **options: Any) -> Measured:
    return small_kits.cards_only(path, **options)


# --- Printed size, paper, margins ----------------------------------------------------------------


def test_a_card_larger_than_the_paper_is_refused_with_deck_size_paper_and_what_would_fit(
    tmp_path: Path,
) -> None:
    path = small_kits.write(tmp_path, deck(3), deck(2, name="Boards", size="200 x 290 mm"))
    (fault,) = small_kits.faults(path)
    assert re.search(r"game\.yaml:\d+:\d+: ", fault)
    assert 'deck "Boards": a card of 200 x 290 mm does not fit on A4 (210 x 297 mm)' in fault
    advised = re.search(r"cards of at most ([\d.]+ x [\d.]+ mm)", fault)
    assert advised is not None
    assert small_kits.faults(small_kits.write(tmp_path, deck(2, size=advised[1]))) == []
    assert "use Legal (215.9 x 355.6 mm)" in fault
    assert small_kits.faults(path, papers=[formats.PAPERS["legal"]]) == []


def test_a_paper_that_does_not_exist_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    path, out = small_kits.write(tmp_path / "activities", deck(3)), tmp_path / "out"
    ran = run("build", str(path), "--paper", "Foo", "--out", str(out))
    assert ran.exit_code in (1, 2)
    assert "Foo" in ran.stderr
    for name in ("a4", "a3", "letter"):
        assert name in ran.stderr.lower()
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "width", "height"),
    [("a4", 210, 297), ("a3", 297, 420), ("a5", 148, 210), ("letter", 215.9, 279.4)],
)
def test_paper_is_neither_rounded_to_whole_points_nor_measured_in_printers_points(
    tmp_path: Path, name: str, width: float, height: float
) -> None:
    size = "mini" if name == "a5" else "poker"
    path = small_kits.write(tmp_path, deck(3, size=size))
    for page in small_kits.measured(path, papers=[formats.PAPERS[name]]).reader.pages:
        for box in (page.mediabox, page.cropbox, page.trimbox):
            measures = float(box.width) / MM, float(box.height) / MM
            assert measures == pytest.approx((width, height), abs=HAIR)


def lowest_ink(pdf: bytes) -> float:
    """How near to any edge of its paper the nearest ink of a PDF is, in mm."""
    dots = 150 / 25.4
    nearest = 1000.0
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            picture = page.render(scale=dots / MM, grayscale=True).to_pil()
            box = picture.point(lambda grey: 255 - grey).getbbox()
            if box is not None:
                left, top, right, bottom = box
                rest = picture.size[0] - right, picture.size[1] - bottom
                nearest = min(nearest, *(each / dots for each in (left, top, *rest)))
    return nearest


@pytest.mark.parametrize("paper", [A4, LETTER], ids=lambda each: each.name)
@pytest.mark.parametrize("size", ["poker", "bridge", "mini", "a7"])
def test_no_mark_is_so_near_to_the_edge_that_a_viewer_would_shrink_the_page(
    tmp_path: Path, paper: Format, size: str
) -> None:
    path = small_kits.write(tmp_path, deck(20, size=size, back={"pattern": "waves"}))
    (output,) = small_kits.outputs(path, papers=[paper], backs="long-edge").values()
    assert lowest_ink(output.pdf) > 5 - 2 * 25.4 / 150


@pytest.mark.parametrize("size", ["poker", "tarot", "square-70", "61.5 x 83 mm"])
def test_the_chosen_card_size_is_what_is_printed(tmp_path: Path, size: str) -> None:
    chosen = formats.card_size(size)
    made = cards_of(small_kits.write(tmp_path, deck(4, size=size)))
    for card in made.cards:
        measures = card.width * MM, card.height * MM
        assert measures == pytest.approx((chosen.width, chosen.height), abs=HAIR)
    assert all(chosen.dimensions in page.text for page in made.pages)


@pytest.mark.parametrize("paper", [A4, LETTER, formats.PAPERS["a3"]], ids=lambda each: each.name)
def test_every_sheet_says_its_paper_and_its_scale_and_can_be_measured(
    tmp_path: Path, paper: Format
) -> None:
    path = small_kits.write(tmp_path, deck(10))
    made = small_kits.measured(path, papers=[paper])
    assert made.catalog["/ViewerPreferences"]["/PrintScaling"] == "/None"
    for page in made.pages:
        assert f"· {paper.name} · Print at 100 %" in page.text
        for lines in (page.levels, page.uprights):
            assert any(line.length == pytest.approx(100, abs=HAIR) for line in lines)


def test_a_printer_that_prints_short_and_off_centre_is_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("HOME", str(tmp_path))
    path = small_kits.write(tmp_path / "activities", flash_cards(4))
    measured_at = ("--back-x", "1.5mm", "--back-y", "-0.5mm", "--scale-y", "1.01")
    assert run("printer", "save", "card-stock", *measured_at).exit_code == 0
    options = (str(path), "--backs", "long-edge", "--parts", "cards", "--out")
    assert run("build", *options, str(tmp_path / "plain"), "--only", "player").exit_code == 0
    made = run(
        "build", *options, str(tmp_path / "made"), "--only", "player", "--printer", "card-stock"
    )
    assert made.exit_code == 0, made.stderr
    plain, corrected = (
        Measured(next((tmp_path / name).rglob("*.pdf")).read_bytes()) for name in ("plain", "made")
    )
    for old, new in zip(plain.cards, corrected.cards, strict=True):
        assert new.box.width == pytest.approx(63, abs=HAIR)
        assert new.box.height == pytest.approx(88 * 1.01, abs=HAIR)
        moved = 1.5 if old.text.startswith("A") else 0
        assert new.box.left - old.box.left == pytest.approx(moved, abs=HAIR)


def test_one_definition_is_printed_on_both_papers_with_cards_of_one_size(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(10))
    made = small_kits.outputs(path, papers=[A4, LETTER], parts=("cards",))
    assert list(made) == ["game.a4.cards.pdf", "game.letter.cards.pdf"]
    for output, width in zip(made.values(), (210, 215.9), strict=True):
        measured = Measured(output.pdf)
        assert measured.pages[0].width == pytest.approx(width, abs=HAIR)
        assert [len(page.cards) for page in measured.pages] == [9, 1]
        for card in measured.cards:
            assert sorted((card.box.width, card.box.height)) == pytest.approx(POKER, abs=HAIR)


# --- Backs that match fronts ---------------------------------------------------------------------


def behind(face: Placed, back: Placed, mirror: Callable[[Point], Point]) -> bool:
    """Whether the back lies right behind the face, and reads upright when the card is turned."""
    corners = ((0.0, 0.0), (face.width, 0.0), (0.0, face.height))
    return all(
        mirror(at(back.matrix, corner))
        == pytest.approx(at(face.matrix, (face.width - corner[0], corner[1])), abs=HAIR)
        for corner in corners
    )


def through(page: Page, how: Backs) -> Callable[[Point], Point]:
    """Where a point of the back of an upright sheet lies as it is seen from the front."""
    if how == "long-edge":
        return lambda point: (page.width - point[0], point[1])
    return lambda point: (point[0], page.height - point[1])


@pytest.mark.parametrize("how", ["long-edge", "short-edge"])
@pytest.mark.parametrize("count", [1, 3, 6, 9, 16, 17])
def test_no_card_carries_the_back_of_another_however_full_its_sheet_is(
    tmp_path: Path, count: int, how: Backs
) -> None:
    made = cards_of(small_kits.write(tmp_path, flash_cards(count, size="mini")), backs=how)
    pairs = 0
    for front, back in zip(made.pages[::2], made.pages[1::2], strict=True):
        answers = {card.text: card for card in back.cards}
        assert len(answers) == len(front.cards)
        for face in front.cards:
            assert behind(face, answers[f"A{face.text[1:]}"], through(front, how))
            pairs += 1
    assert pairs == count


def test_backs_and_their_marks_are_moved_together_against_a_printer_that_misplaces_them(
    tmp_path: Path,
) -> None:
    path = small_kits.write(tmp_path, flash_cards(9))
    profile = Profile("office", back_x=-2 * units.MM, back_y=1 * units.MM)
    old, new = (
        cards_of(path, backs="long-edge", **options).pages[1]
        for options in ({}, {"profile": profile})
    )
    shifts = {
        (round(after[0] - before[0], 3), round(after[1] - before[1], 3))
        for before, after in zip(places(old), places(new), strict=True)
    }
    assert shifts == {(-2, 1)}


def places(page: Page) -> list[Point]:
    return [
        *((card.box.left, card.box.bottom) for card in page.cards),
        *((line.x1, line.y1) for line in page.strokes),
    ]


def test_a_back_pattern_forgives_two_millimetres(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(9, back={"pattern": "stars"}))
    front, back = cards_of(path, backs="long-edge").pages
    field = back.patterns[-1].box
    for card in front.cards:
        for x in (card.box.left, card.box.right):
            assert field.left + 2 <= front.width - x + HAIR
            assert front.width - x - HAIR <= field.right - 2
        assert field.bottom + 2 <= card.box.bottom + HAIR
        assert card.box.top - HAIR <= field.top - 2


def test_a_sheet_that_is_folded_needs_no_printing_on_two_sides(tmp_path: Path) -> None:
    made = cards_of(small_kits.write(tmp_path, flash_cards(5)), backs="fold")
    assert made.duplex == "/Simplex"
    for page in made.pages:
        (fold,) = (line for line in page.strokes if line.dashed)
        faces = [card for card in page.cards if card.text.startswith("Q")]
        backs = {card.text: card for card in page.cards if card.text.startswith("A")}
        assert len(faces) == len(backs) > 0
        for face in faces:
            assert behind(face, backs[f"A{face.text[1:]}"], about(fold))


def about(fold: Stroke) -> Callable[[Point], Point]:
    if fold.level:
        return lambda point: (point[0], 2 * fold.y1 - point[1])
    return lambda point: (2 * fold.x1 - point[0], point[1])


def along_edges(page: Page) -> list[Stroke]:
    """The lines of a page that run on the edge of a card or go on from it."""
    edges = {round(edge, 3) for card in page.cards for edge in card.box}
    return [line for line in page.strokes if round(line.y1 if line.level else line.x1, 3) in edges]


def test_a_part_filled_sheet_has_all_its_cut_guides_and_none_around_empty_places(
    tmp_path: Path,
) -> None:
    _, page = cards_of(small_kits.write(tmp_path, deck(9 + 4))).pages
    assert len(page.cards) == 4
    low, high = min(card.box.bottom for card in page.cards), max(c.box.top for c in page.cards)
    left, right = min(card.box.left for card in page.cards), max(c.box.right for c in page.cards)
    for card in page.cards:
        for x in (card.box.left, card.box.right):
            assert covered(page.uprights, x, card.box.bottom, card.box.top)
        for y in (card.box.bottom, card.box.top):
            assert covered(page.levels, y, card.box.left, card.box.right)
    for line in along_edges(page):
        assert left - 4 < line.x1 <= line.x2 < right + 4
        assert low - 4 < line.y1 <= line.y2 < high + 4
    # The fourth card lies alone in the second row: beside it there is nothing to cut.
    lone = page.cards[3].box
    assert not covered(page.uprights, right, lone.bottom, lone.top)


def covered(lines: list[Stroke], place: float, low: float, high: float) -> bool:
    """Whether one of these parallel lines covers the edge at a place from end to end."""
    for line in lines:
        across, start, end = (
            (line.y1, line.x1, line.x2) if line.level else (line.x1, line.y1, line.y2)
        )
        if abs(across - place) < HAIR and start < low + HAIR and end > high - HAIR:
            return True
    return False


def test_all_fronts_and_then_all_backs_can_be_printed_where_card_stock_jams(
    tmp_path: Path,
) -> None:
    path = small_kits.write(tmp_path, flash_cards(12))
    made = small_kits.outputs(path, backs="separate", parts=("cards",))
    fronts, backs = (Measured(output.pdf) for output in made.values())
    assert [page.number for page in fronts.pages] == [page.number for page in backs.pages] == [1, 2]
    for front, back in zip(fronts.pages, backs.pages, strict=True):
        answers = {card.text: card for card in back.cards}
        for face in front.cards:
            assert behind(face, answers[f"A{face.text[1:]}"], through(front, "long-edge"))


# --- Cutting -------------------------------------------------------------------------------------


def test_a_first_cut_leaves_the_marks_of_the_next_ones(tmp_path: Path) -> None:
    (page,) = cards_of(small_kits.write(tmp_path, deck(9))).pages
    outer = [line for line in along_edges(page) if line.length < 5]
    assert len(outer) == 16  # both ends of each cut, outside of all cards
    for mark in outer:
        for card in page.cards:
            box = card.box
            assert (
                mark.x2 < box.left + HAIR
                or mark.x1 > box.right - HAIR
                or mark.y2 < box.bottom + HAIR
                or mark.y1 > box.top - HAIR
            )


def test_two_cards_share_one_hairline_and_no_card_is_without(tmp_path: Path) -> None:
    (page,) = cards_of(small_kits.write(tmp_path, deck(9))).pages
    lines = [line for line in along_edges(page) if line.length > 50]
    assert len(lines) == 8
    assert {round(line.width, 3) for line in lines} == {0.15}
    for direction in (True, False):
        across = sorted(
            line.y1 if line.level else line.x1 for line in lines if line.level is direction
        )
        gaps = [second - first for first, second in pairwise(across)]
        assert gaps == pytest.approx([88 if direction else 63] * 3, abs=HAIR)


def test_a_pile_of_sheets_can_be_cut_together(tmp_path: Path) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(30)))
    first, *others = [[card.matrix for card in page.cards] for page in made.pages]
    for places_of_sheet in others:
        assert places_of_sheet == first[: len(places_of_sheet)]


@pytest.mark.parametrize("count", [1, 9, 10, 20, 30])
def test_piles_cut_from_a_pile_of_sheets_and_laid_on_each_other_are_in_order(
    tmp_path: Path, count: int
) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(count)), order="stack")
    piles: dict[Point, list[str]] = {}
    for page in made.pages:
        for card in page.cards:
            place = round(-card.box.top, 1), round(card.box.left, 1)
            piles.setdefault(place, []).append(card.text)
    # From left to right and from top to bottom, each pile below the ones before.
    collected = [card for place in sorted(piles) for card in piles[place]]
    assert collected == [f"N{number}" for number in range(1, count + 1)]


# --- Exactly full, partly full -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "size", "sheets"),
    [
        (9, "poker", [9]),
        (18, "poker", [9, 9]),
        (19, "poker", [9, 9, 1]),
        (288, "60 x 45 mm", [18] * 16),
        (287, "60 x 45 mm", [18] * 15 + [17]),
    ],
)
def test_there_is_no_blank_sheet_and_none_is_missing(
    tmp_path: Path, count: int, size: str, sheets: list[int]
) -> None:
    made = cards_of(small_kits.write(tmp_path, deck(count, size=size)))
    assert [len(page.cards) for page in made.pages] == sheets
    assert len({card.text for card in made.cards}) == count


@pytest.mark.parametrize("count", [9, 18])
def test_full_sheets_with_backs_have_no_blank_page_between_them(tmp_path: Path, count: int) -> None:
    made = cards_of(small_kits.write(tmp_path, flash_cards(count)), backs="short-edge")
    assert [len(page.cards) for page in made.pages] == [9] * (2 * count // 9)


# --- Text that does not fit ----------------------------------------------------------------------


def line_of(path: Path, words: str) -> int:
    lines = path.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def test_a_word_too_wide_for_its_card_is_a_fault_that_says_by_how_much(tmp_path: Path) -> None:
    word = "Incomprehensibilitiesandmore" * 2
    cards = {"cards": [{"name": "Fox"}, {"name": word}], "total": "2"}
    path = small_kits.write(tmp_path, deck(2) | cards)
    (fault,) = small_kits.faults(path)
    assert f"game.yaml:{line_of(path, word)}:" in fault
    assert 'card 2 "' in fault
    assert 'deck "Cards"' in fault
    assert re.search(r"[\d.]+ mm too (wide|high)", fault)
    assert "8 pt" in fault  # the floor of this face: nothing is ever set smaller


def test_lines_too_many_for_their_card_are_a_fault_and_never_lost(tmp_path: Path) -> None:
    text = "These words are many more than a card of this size can hold. " * 12
    path = small_kits.write(
        tmp_path,
        {
            "name": "Notes",
            "face": "text",
            "cards": [{"title": "Short", "text": "A note."}, {"title": "Long", "text": text}],
            "total": "2",
        },
    )
    (fault,) = small_kits.faults(path)
    assert re.search(r"game\.yaml:\d+:\d+: the text is [\d.]+ mm too high", fault)
    assert 'card 2 "Long" of deck "Notes"' in fault


def test_text_is_made_smaller_only_down_to_a_floor(tmp_path: Path) -> None:
    sizes = set()
    for count in (1, *range(12, 60)):
        name = "wide " * count
        cards = {"cards": [{"name": name.strip()}], "total": "1"}
        path = small_kits.write(tmp_path, deck(1) | cards)
        if small_kits.faults(path, parts=("cards",)):
            break
        (page,) = cards_of(path).pages
        card = page.cards[0]
        inside = [each for each in page.writings if card.box.holds(each.place)]
        assert "".join(each.text for each in inside).split() == name.split()
        sizes |= {round(each.size, 2) for each in inside}
    else:
        raise AssertionError("any text fits")
    assert min(sizes) == 8
    assert max(sizes) == 16


def test_a_table_cell_too_high_for_a_page_is_a_fault_at_its_place(tmp_path: Path) -> None:
    cell = "many words in one cell " * 400
    table = f"| Rule | Meaning |\n|---|---|\n| One | {cell} |"
    path = small_kits.write(tmp_path, rules=[{"heading": "Play", "text": table}])
    (fault,) = small_kits.faults(path)
    assert re.search(r"game\.yaml:\d+:\d+: ", fault)
    assert re.search(r"[\d.]+ mm too high for a page", fault)


# --- Fonts ---------------------------------------------------------------------------------------

SYMBOLS = "○ ● □ ■ △ ▲ ☆ ★ × ✓ ✗ → ← ↑ ↓ ½ ⅓ ♠ ♥ ♦ ♣ ⚀ ⚁ ⚂ ⚃ ⚄ ⚅ − – “ ” €"
LETTERS = "àçñøßþŁőŽ ΑΩλ Жщѣ ẅ"


def test_every_symbol_is_printed_from_an_embedded_font_and_can_be_copied_out(
    tmp_path: Path,
) -> None:
    cards = {"cards": [{"name": SYMBOLS}], "total": "1"}
    path = small_kits.write(
        tmp_path,
        deck(1, size="tarot") | cards,
        rules=[{"heading": "Play", "text": f"Marks: {SYMBOLS}. Letters: {LETTERS}."}],
    )
    (output,) = small_kits.outputs(path).values()
    with pypdfium2.PdfDocument(output.pdf) as document:
        copied = [page.get_textpage().get_text_range() for page in document]
    rules, sheet = (" ".join(text.split()) for text in copied[:2])
    assert f"Marks: {SYMBOLS}. Letters: {LETTERS}." in rules
    assert all(symbol in sheet for symbol in SYMBOLS.split())
    for page in Measured(output.pdf).reader.pages:
        fonts: Any = page["/Resources"]["/Font"]  # type: ignore[index]
        below = [fonts[name]["/DescendantFonts"][0] for name in fonts]
        assert all("/FontFile2" in each["/FontDescriptor"] for each in below)


def test_no_symbol_is_a_blank_or_a_box(tmp_path: Path) -> None:
    shown = [*SYMBOLS.split(), "\N{NO-BREAK SPACE}"]
    cards = {"cards": [{"name": f"x{symbol}x"} for symbol in shown], "total": str(len(shown))}
    path = small_kits.write(tmp_path, deck(1) | cards)
    (output,) = small_kits.outputs(path, parts=("cards",)).values()
    dots = 8
    pictures = []
    with pypdfium2.PdfDocument(output.pdf) as document:
        for page, sheet in zip(document, Measured(output.pdf).pages, strict=True):
            picture = page.render(scale=dots / MM, grayscale=True).to_pil()
            for card in sheet.cards:
                # The word at the top of the card, moved to where it is the same on every card.
                left, top = card.box.left, sheet.height - card.box.top
                box = tuple(round(each * dots) for each in (left + 3, top + 3, left + 30, top + 14))
                word = picture.crop(box)
                pictures.append(word.crop(word.point(lambda grey: 255 - grey).getbbox()).tobytes())
    assert len(pictures) == len(shown)
    assert len(set(pictures)) == len(shown)


def test_a_character_that_no_font_has_is_a_fault_where_it_stands(tmp_path: Path) -> None:
    rules = [{"heading": "Play", "text": "Take one.\nThen take 漢 two."}]
    path = small_kits.write(tmp_path, rules=rules)
    (fault,) = small_kits.faults(path)
    number = line_of(path, "漢")
    column = path.read_text("utf-8").splitlines()[number - 1].index("漢") + 1
    assert f"game.yaml:{number}:{column}: " in fault
    assert 'no font has the character "漢" (U+6F22' in fault


# --- Answers apart -------------------------------------------------------------------------------

KEY = {"sections": [{"heading": "Solution", "text": "The thief hid behind the green curtain."}]}


def test_a_player_file_does_not_hold_the_answers_and_the_hosts_does(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(3), host=KEY | {"secrets": ["CTXS"]})
    made = small_kits.outputs(path, editions=("player", "host"))
    texts = {name: " ".join(Measured(each.pdf).text.split()) for name, each in made.items()}
    assert "green curtain" not in texts["game.pdf"]
    assert "green curtain" in texts["game.host.pdf"]
    pages = Measured(made["game.host.pdf"].pdf).pages
    assert all("HOST KEY" in page.text for page in pages)


@pytest.mark.parametrize(
    "rules", ["The thief hid behind the green curtain.", "Find it. The code is C-T-X-S."]
)
def test_an_answer_in_the_players_texts_stops_the_build(tmp_path: Path, rules: str) -> None:
    own = {"heading": "Play", "text": "The thief hid behind the red curtain."}
    host = {**KEY, "secrets": ["CTXS", "green curtain"]}
    path = small_kits.write(
        tmp_path / "activities", rules=[own, {"heading": "More", "text": rules}], host=host
    )
    out = tmp_path / "out"
    ran = run("build", str(path), "--out", str(out))
    assert ran.exit_code == 1
    assert "the player file shows" in ran.stderr
    assert not list(out.rglob("*.pdf"))


def test_a_layout_of_the_players_cannot_name_what_is_the_hosts(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, host=KEY)
    layout = tmp_path / "templates" / "player.xml.j2"
    layout.write_text(
        '<document title="x" language="en">\n<part name="rules" title="R">\n'
        "<p>{{ host.sections[0].text }}</p></part></document>",
        "utf-8",
    )
    (fault,) = small_kits.faults(path)
    assert "player.xml.j2:3" in fault
    assert "host fields do not exist in a player layout" in fault
