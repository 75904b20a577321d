"""Class sets, reprints, parts and large print, in finished files."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from kit_builder import build, formats, units
from kit_builder.formats import CARD_SIZES, Format
from kit_builder.printing import HOST, PLAYER, ClassSet, Printing
from kit_builder.variants import Options
from tests import small_kits
from tests.measured import MM, Measured, Page, Placed
from tests.small_kits import A4, LETTER, deck, flash_cards

ROOT = Path(__file__).parent.parent
ACTIVITIES = sorted(path for path in (ROOT / "activities").glob("*.yaml") if "." not in path.stem)

SET = re.compile(r"Set ([A-Z]) \((\d+)\)")
STAMP = re.compile(r"Set ([A-Z]) \((\d+)\) · (\d+)/(\d+)")
EIGHT = "ABCDEFGH"


def marked_set(page: Page) -> str:
    """The letter of the only class set that a page names."""
    ((letter, number),) = {found.groups() for found in SET.finditer(page.text)}
    assert letter == EIGHT[int(number) - 1]
    return str(letter)


def stamps(page: Page) -> list[tuple[Placed, str]]:
    """Each card of a page with the only mark that stands on it."""
    found = []
    for card in page.cards:
        inside = [
            writing.text
            for writing in page.writings
            if STAMP.fullmatch(writing.text) and card.box.holds(writing.place)
        ]
        (mark,) = inside
        found.append((card, mark))
    return found


def kit(folder: Path) -> Path:
    """Twelve cards, a record, a sheet and a piece to cut out."""
    return small_kits.write(
        folder,
        deck(10),
        deck(2, size="mini", name="Small cards"),
        cutouts=[{"piece": "stand", "name": "Stand", "count": "1"}],
        sheet={"title": "Player sheet", "lines": ["Total"]},
        records=[{"title": "Round log", "columns": ["Round", "Points"], "rows": "5"}],
    )


# --- Class sets ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return small_kits.measured(kit(tmp_path_factory.mktemp("eight")), sets=small_kits.sets(8))


def test_eight_sets_are_eight_whole_kits_one_after_the_other(eight: Measured) -> None:
    letters = [marked_set(page) for page in eight.pages]
    assert letters == sorted(letters)
    assert Counter(letters) == dict.fromkeys(EIGHT, len(eight.pages) // 8)
    parts = ["Rules", "Cards", "Records", "Label"]
    assert [title for _, title in eight.bookmarks] == [
        title
        for number, letter in enumerate(EIGHT, 1)
        for title in (f"Set {letter} ({number})", *parts)
    ]


def test_every_card_says_its_set_and_which_of_how_many_it_is(eight: Measured) -> None:
    seen: dict[str, list[tuple[int, str]]] = {letter: [] for letter in EIGHT}
    for page in eight.pages:
        for card, mark in stamps(page):
            found = STAMP.fullmatch(mark)
            assert found is not None
            assert (found[1], found[4]) == (marked_set(page), "12")
            seen[found[1]].append((int(found[3]), card.text))
    names = [f"N{number}" for number in (*range(1, 11), 1, 2)]
    for cards in seen.values():
        assert cards == list(enumerate(names, 1))


def test_the_mark_of_a_set_stands_in_the_same_corner_of_every_card(eight: Measured) -> None:
    places = set()
    for page in eight.pages:
        for card in page.cards:
            a, b, _, _, x, y = card.matrix
            (place,) = (
                writing.place
                for writing in page.writings
                if STAMP.fullmatch(writing.text) and card.box.holds(writing.place)
            )
            across, up = place[0] - x, place[1] - y
            places.add((round(a * across + b * up, 2), round(a * up - b * across, 2)))
    ((across, up),) = places
    assert 2 < across < 5
    assert 2 < up < 6


def test_headings_of_records_and_the_label_say_the_set(eight: Measured) -> None:
    headings = Counter(node.text.strip() for node in eight.structure().of("H1", "H2"))
    for number, letter in enumerate(EIGHT, 1):
        name = f"Set {letter} ({number})"
        assert headings[f"Player sheet · {name}"] == 1
        assert headings[f"Round log · {name}"] == 1
        assert headings[name] == 1  # on the label


def test_no_two_sets_share_a_sheet_of_paper(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(4), deck(2, size="mini"))
    made = small_kits.measured(path, sets=small_kits.sets(3), backs="long-edge")
    leaves = list(zip(made.pages[::2], [*made.pages[1::2], None], strict=False))
    for front, back in leaves:
        letter = marked_set(front)
        if back is not None and back.cards:
            assert SET.search(back.text) is None  # the mark is on the face
            assert {card.text[0] for card in back.cards} == {"A"}
            assert len(back.cards) == len(front.cards)
        elif back is not None and back.text:
            assert marked_set(back) == letter
    assert [letter for front, _ in leaves for letter in [marked_set(front)]] == sorted(
        marked_set(front) for front, _ in leaves
    )


def test_one_set_alone_is_the_same_as_among_others(tmp_path: Path, eight: Measured) -> None:
    alone = small_kits.measured(kit(tmp_path), sets=[ClassSet(3)])
    third = [page for page in eight.pages if marked_set(page) == "C"]
    assert len(alone.pages) == len(third)
    for page, same in zip(alone.pages, third, strict=True):
        assert stamped_texts(page) == stamped_texts(same)
        assert [card.matrix for card in page.cards] == [card.matrix for card in same.cards]


def stamped_texts(page: Page) -> list[str]:
    return [writing.text for writing in page.writings if not writing.text.startswith("Game ·")][:-1]


def test_a_kit_without_sets_has_no_marks_of_any(tmp_path: Path) -> None:
    assert SET.search(small_kits.measured(kit(tmp_path)).text) is None


def test_a_card_too_small_for_its_mark_is_a_fault(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(2, size="20 x 30 mm"))
    assert small_kits.faults(path) == []
    (fault,) = small_kits.faults(path, sets=small_kits.sets(2))
    assert re.search(
        r"game\.yaml:\d+:\d+: a card of 20 x 30 mm is too narrow for the mark of its class set;"
        r" choose a larger card size",
        fault,
    )


# --- Some cards only -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "printed"),
    [
        (["N7", "N10"], ["N7", "N10"]),
        (["7", "12"], ["N7", "N2"]),
        (["12", "7", "7"], ["N7", "N2"]),
        (["N1"], ["N1", "N1"]),  # of both decks
    ],
)
def test_a_reprint_holds_the_named_cards_and_nothing_else(
    tmp_path: Path, wanted: list[str], printed: list[str]
) -> None:
    made = small_kits.outputs(kit(tmp_path), cards=wanted, editions=(PLAYER, HOST))
    assert list(made) == ["game.reprint.pdf"]
    measured = Measured(made["game.reprint.pdf"].pdf)
    assert small_kits.texts(measured.cards) == printed
    assert all(page.cards for page in measured.pages)


def test_a_reprinted_card_keeps_the_number_and_the_set_it_had(tmp_path: Path) -> None:
    made = small_kits.measured(kit(tmp_path), cards=["7", "12"], sets=[ClassSet(3)])
    assert [mark for page in made.pages for _, mark in stamps(page)] == [
        "Set C (3) · 7/12",
        "Set C (3) · 12/12",
    ]


def test_a_reprinted_card_has_its_own_back(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(5))
    front, back = small_kits.measured(path, cards=["4"], backs="long-edge").pages
    assert (small_kits.texts(front.cards), small_kits.texts(back.cards)) == (["Q4"], ["A4"])


def test_the_cards_of_a_real_kit_are_reprinted_by_name() -> None:
    path = ROOT / "activities" / "outward-hand-signals.yaml"
    made = small_kits.measured(path, cards=["R2", "B1"])
    spoken = [node.alt for node in made.structure().of("Figure")]
    assert {alt.split(",")[0] for alt in spoken} == {"Card R2", "Card B1"}
    assert len(spoken) == len(made.cards)


@pytest.mark.parametrize("wanted", ["N99", "0", "13"])
def test_an_unknown_card_is_one_clear_fault(tmp_path: Path, wanted: str) -> None:
    (fault,) = small_kits.faults(kit(tmp_path), cards=["N1", wanted], sets=small_kits.sets(2))
    assert fault.endswith(
        f'game.yaml: there is no card "{wanted}"; write a number from 1 to 12, or one of '
        "N1, N2, N3, N4, N5, N6, N7, N8, N9, N10"
    )


def test_a_kit_without_cards_has_none_to_reprint(tmp_path: Path) -> None:
    (fault,) = small_kits.faults(small_kits.write(tmp_path), cards=["N1"])
    assert fault.endswith('game.yaml: there is no card "N1"; this kit has no cards')


# --- Parts ---------------------------------------------------------------------------------------


def test_each_part_can_be_printed_alone_and_all_of_them_apart(tmp_path: Path) -> None:
    path = kit(tmp_path)
    titles = {"rules": "Rules", "cards": "Cards", "records": "Records", "label": "Label"}
    split = small_kits.outputs(path, split=True)
    assert list(split) == [f"game.{part}.pdf" for part in titles]
    whole = small_kits.measured(path)
    assert sum(len(Measured(each.pdf).pages) for each in split.values()) == len(whole.pages)
    for part, title in titles.items():
        alone = small_kits.outputs(path, parts=(part,))
        assert alone.keys() == {f"game.{part}.pdf"}
        assert alone[f"game.{part}.pdf"].pdf == split[f"game.{part}.pdf"].pdf
        assert Measured(split[f"game.{part}.pdf"].pdf).bookmarks == [(0, title)]
    some = small_kits.outputs(path, parts=("records", "rules"))
    assert list(some) == ["game.rules-records.pdf"]
    assert Measured(some["game.rules-records.pdf"].pdf).bookmarks == [(0, "Rules"), (0, "Records")]


def test_a_part_that_a_kit_lacks_makes_no_file(tmp_path: Path) -> None:
    assert small_kits.outputs(small_kits.write(tmp_path), parts=("cards",)) == {}


# --- Cutting and backs: the deck's way and the run's ---------------------------------------------


def test_a_run_decides_for_all_decks_how_they_are_cut(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(9, cut="gutter", gutter="6 mm", bleed="2 mm"))
    own = small_kits.cards_only(path).pages[0]
    shared = small_kits.cards_only(path, cut="shared").pages[0]
    gutter = small_kits.cards_only(path, cut="gutter", gutter=4 * units.MM, bleed=0).pages[0]
    widths = [round(page.cards[0].width, 2) for page in (own, shared, gutter)]
    assert widths == [67, 63, 63]
    first, second = gutter.cards[:2]
    assert second.box.left - first.box.right == pytest.approx(4, abs=0.01)
    first, second = shared.cards[:2]
    assert second.box.left == pytest.approx(first.box.right, abs=0.001)


def test_the_words_of_a_back_stand_on_every_back(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(4, back={"text": "Question"}))
    front, back = small_kits.cards_only(path, backs="long-edge").pages
    assert small_kits.texts(back.cards) == ["Question"] * 4
    assert small_kits.texts(small_kits.cards_only(path).pages[0].cards) == ["N1", "N2", "N3", "N4"]
    assert len(front.cards) == 4


def test_a_reader_hears_what_stands_on_a_back_of_its_own(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(2))
    tree = small_kits.cards_only(path, backs="long-edge").structure()
    spoken = [node.alt for node in tree.of("Figure")]
    assert [alt.split(": ")[-1] for alt in spoken] == ["Q1", "A1", "Q2", "A2"]


def test_decks_that_are_cut_alike_share_their_sheets(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(5), deck(4, name="More"), deck(1, size="mini"))
    assert [len(page.cards) for page in small_kits.cards_only(path).pages] == [9, 1]


# --- Large print ---------------------------------------------------------------------------------

SMALL_ON_PURPOSE = re.compile(r"100 mm|4 in|\w+ [A-Z] \(\d+\) · \d+/\d+")
LABELS = sorted((ROOT / "templates" / "labels").glob("*.yaml"))
RULES = {re.findall(r"(?m)^rules: (.+)$", path.read_text("utf-8"))[0] for path in LABELS}


@pytest.fixture(scope="module")
def large() -> list[tuple[str, Measured]]:
    """Every activity of the library in large print, in its own language, on A4 and on Letter."""
    printing = Printing(large=True, sets=small_kits.sets(1))
    made = []
    for path in ACTIVITIES:
        (language,) = re.findall(r"(?m)^language: (\w+)$", path.read_text("utf-8"))
        options = Options(printing, (A4, LETTER), languages=[language])
        (result,) = build.build([path], options)
        assert [str(fault) for fault in result.faults] == []
        made += [(output.path.name, Measured(output.pdf)) for output in result.outputs]
    return made


def test_large_print_has_nothing_below_16_points(large: list[tuple[str, Measured]]) -> None:
    assert len(large) == 4 * len(ACTIVITIES)
    small = [
        (name, page.number, writing.text, writing.size)
        for name, measured in large
        for page in measured.pages
        for writing in page.writings
        if writing.size < 15.99 and not SMALL_ON_PURPOSE.fullmatch(writing.text)
    ]
    assert small == []


def test_large_print_sets_its_running_text_in_18_points(
    large: list[tuple[str, Measured]],
) -> None:
    for name, measured in large:
        (rules,) = (part for part in measured.structure().of("Part") if part.title in RULES)
        paragraphs = {content for node in rules.of("P") for content in node.content}
        sizes = {
            round(writing.size, 2)
            for page in measured.pages
            for writing in page.writings
            if (page.number, writing.mcid) in paragraphs
        }
        assert sizes == {18.0}, name


@pytest.mark.parametrize(
    ("size", "larger"),
    [
        ("poker", "jumbo"),
        ("mini", "bridge"),
        ("bridge", "jumbo"),
        ("jumbo", "111.25 x 158.75 mm"),
    ],
)
def test_large_print_cards_are_of_the_next_larger_size(
    tmp_path: Path, size: str, larger: str
) -> None:
    path = small_kits.write(tmp_path, deck(2, size=size))
    made = small_kits.cards_only(path, large=True)
    wanted = formats.card_size(larger)
    for card in made.cards:
        measures = card.width * MM, card.height * MM
        assert measures == pytest.approx((wanted.width, wanted.height), abs=0.01)


def test_large_print_has_a_name_of_its_own(tmp_path: Path) -> None:
    assert list(small_kits.outputs(kit(tmp_path), large=True)) == ["game.large.pdf"]


def test_every_named_size_has_a_larger_one() -> None:
    for size in CARD_SIZES.values():
        grown: Format = formats.larger(size)
        assert grown.width >= 1.25 * size.width - 0.01
        assert grown.height >= 1.25 * size.height - 0.01
