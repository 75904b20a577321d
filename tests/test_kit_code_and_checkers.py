"""Code and checkers as it is printed: the players can play, the host can answer, nothing leaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby, product
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from kit_builder import (
    briefing,
    build,
    decks,
    faces,
    finished,
    makeup,
    puzzles,
    reading,
    story,
    templates,
)
from kit_builder.activity import Card
from kit_builder.cli import app
from kit_builder.criteria import CODES, FAMILIES, Family
from kit_builder.desk import Desk
from kit_builder.errors import Location, Source, Text
from kit_builder.printing import EDITIONS, HOST, PLAYER, Orders, Printing, PuzzleOrder
from kit_builder.units import MM
from kit_builder.variants import Options

PATH = Path(__file__).parents[1] / "activities" / "codi-i-comprovadors.yaml"
LANGUAGES = ("ca", "en")
PLACE = Location(Source(str(PATH)))

# Number, mode, checkers, language, paper.
PRINTED = [
    (1, "classic", 4, "ca"),
    (7, "classic", 6, "en"),
    (7, "extreme", 5, "en"),
    (18, "extreme", 4, "ca"),
    (2, "nightmare", 6, "ca"),
    (33, "nightmare", 5, "en"),
]
Print = tuple[int, str, int, str]
printed = pytest.mark.parametrize("kit", PRINTED, ids=lambda kit: "-".join(map(str, kit)))


@cache
def labels_in(language: str) -> Mapping[str, Text]:
    return reading.words(language, templates.read())


def criteria_in(language: str) -> Mapping[str, Text]:
    return reading.words(language, templates.read(), templates.CRITERIA)


def outputs(kit: Print) -> dict[str, build.Output]:
    """Both PDFs of a kit, by edition."""
    number, mode, checkers, language = kit
    order = PuzzleOrder(number, mode, checkers)
    (result,) = build.build([PATH], Options(languages=(language,), puzzles=(order,)))
    assert result.faults == ()
    return {each.edition: each for each in result.outputs}


def texts(output: build.Output) -> list[str]:
    """What stands on each page."""
    with pypdfium2.PdfDocument(output.pdf) as document:
        return [page.get_textpage().get_text_range().replace("\xa0", " ") for page in document]


def squeezed(text: str) -> str:
    """Without spaces: lines end where they must."""
    return re.sub(r"\s", "", text)


def drawn(kit: Print) -> puzzles.Puzzle:
    return puzzles.generate(*kit[:3])


def title(kit: Print) -> str:
    """How players and host tell which puzzle it is."""
    labels = labels_in(kit[3])
    return f"{labels['puzzle-name'].replace('{number}', str(kit[0]))} · {labels[f'mode-{kit[1]}']}"


# The players


@printed
def test_no_three_digits_in_the_players_file_can_be_a_code(kit: Print) -> None:
    player = outputs(kit)[PLAYER]
    hidden = [text for every in finished.read(player.pdf).texts.values() for text in every]
    for text in (*texts(player), *hidden, player.path.name):
        assert not re.search(r"(?<!\d)[1-5]{3}(?!\d)", text)


@printed
def test_the_players_cards_show_every_option_once(kit: Print) -> None:
    wording = criteria_in(kit[3])
    shown = squeezed("".join(texts(outputs(kit)[PLAYER]))).replace("•", "")
    for family in drawn(kit).cards:
        options = [wording[f"{family.id}.{option.id}"] for option in family.options]
        assert shown.count(squeezed(wording[family.id] + "".join(options))) == 1


@pytest.mark.parametrize("mode", puzzles.MODES)
@settings(max_examples=10, deadline=None)
@given(number=st.integers(1, 9999))
def test_the_players_are_told_the_same_whatever_the_hidden_choice(mode: str, number: int) -> None:
    wording = criteria_in("en")
    puzzle = puzzles.generate(number, mode, 4)
    told = briefing.brief(puzzle, wording, PLACE)
    for other in puzzles.assignments(puzzle.groups):
        hidden = replace(puzzle, code=other.code, criteria=other.criteria)
        again = briefing.brief(hidden, wording, PLACE)
        assert (again.puzzle, again.cards) == (told.puzzle, told.cards)
        assert again.key.code == other.code


@printed
def test_the_puzzle_is_named_on_every_page_of_players_and_host(kit: Print) -> None:
    for output in outputs(kit).values():
        assert [title(kit) in page for page in texts(output)] == [True] * output.pages


@printed
def test_there_are_as_many_criteria_cards_as_the_mode_asks_for(kit: Print) -> None:
    library = Desk(PATH.parent)
    number, mode, checkers, language = kit
    read = library.read(PATH, language, PuzzleOrder(number, mode, checkers))
    criteria, decisions = read.kit.decks
    assert criteria.count == checkers * (2 if mode == "extreme" else 1)
    assert decisions.count == 2 * read.kit.players.high
    names = [str(card.fields["name"]) for card in criteria.cards]
    letters = "ABCDEF"[:checkers]
    assert (
        names
        == {
            "classic": list(letters),
            "extreme": [f"{letter}{card}" for letter, card in product(letters, "12")],
            "nightmare": [str(card) for card in range(1, checkers + 1)],
        }[mode]
    )


def test_a_note_sheet_is_a_single_page_for_up_to_six_checkers() -> None:
    for kit in PRINTED:
        name = labels_in(kit[3])["records"]
        pages = [page for page in texts(outputs(kit)[PLAYER]) if f"{title(kit)} · {name}" in page]
        assert len(pages) == 1


# The host


@printed
def test_the_host_reads_the_answers_of_each_checker_from_its_tables(kit: Print) -> None:
    """The black digit is the triangle, the row the square, the column the circle."""
    rows = list(rows_of_marks(outputs(kit)[HOST]))
    expected = puzzles.answers(drawn(kit))
    assert len(rows) == 5 * len(expected)
    for checker, answers in enumerate(expected):
        read = [
            rows[5 * checker + square - 1][5 * (triangle - 1) + circle - 1]
            for triangle, square, circle in CODES
        ]
        assert tuple(mark == "●" for mark in read) == answers


def rows_of_marks(output: build.Output) -> Iterator[list[str]]:
    """The rows of 25 marks from the top down, each from left to right."""
    with pypdfium2.PdfDocument(output.pdf) as document:
        for page in document:
            text = page.get_textpage()
            marks = []
            for index in range(text.count_chars()):
                if (mark := text.get_text_range(index, 1)) in "●○":
                    left, bottom, _, top = text.get_charbox(index, loose=True)
                    marks.append((-round((bottom + top) / 2), left, mark))
            for _, row in groupby(sorted(marks), lambda each: each[0]):
                found = [mark for _, _, mark in row]
                if len(found) == 25:
                    yield found


@printed
def test_all_tables_are_on_one_page_with_the_triangle_in_their_corner(kit: Print) -> None:
    heads = [f"{digit} 1 2 3 4 5" for digit in "12345"] * kit[2]
    pages = [page.splitlines() for page in texts(outputs(kit)[HOST])]
    found = [[line for line in page if line in heads] for page in pages]
    assert [page for page in found if page] == [heads]


@printed
def test_the_key_names_the_code_the_cards_and_the_true_criteria(kit: Print) -> None:
    puzzle = drawn(kit)
    labels, wording = (
        labels_in(kit[3]),
        criteria_in(kit[3]),
    )
    first = re.sub(r"\s+", " ", texts(outputs(kit)[HOST])[0])
    code = " · ".join(
        f"{labels[shape]} {digit}"
        for shape, digit in zip(("triangle", "square", "circle"), puzzle.code, strict=True)
    )
    assert code in first
    key = briefing.brief(puzzle, wording, PLACE).key
    for checker, criterion in zip(key.checkers, puzzle.criteria, strict=True):
        assert f"{checker.letter} {checker.card} {wording[criterion.id]}" in first
    for trial in key.trials:
        marks = " ".join(labels["pass" if answer else "fail"] for answer in trial.answers)
        assert f"{trial.proposal} {marks}" in first


# Many puzzles


SHORT = """\
title: Short
language: en
category: Deduction
summary: Find the code.
players: 2
minutes: 5
practises: Counting.
observe: Who counts?
puzzle: {kind: code-and-checkers, checkers: 4}
rules: [{heading: Play, text: Ask.}]
decks: [{name: Criteria cards, face: criteria, size: tarot, cards: puzzle}]
host: {sections: [{heading: Key, text: Answer.}]}
"""


def test_twenty_puzzles_are_twenty_pairs_of_files(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text(SHORT, "utf-8")
    order = ["build", str(path), "--puzzles", "1-20", "--parts", "label", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, order).exit_code == 0
    names = [path.name for edition in EDITIONS for path in (tmp_path / edition).glob("*.pdf")]
    assert sorted(names) == sorted(
        f"short.puzzle-{number}.{end}"
        for number in range(1, 21)
        for end in ("label.pdf", "host.pdf")
    )


def test_an_activity_of_the_library_is_named_by_its_slug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PATH.parents[1])
    told = CliRunner().invoke(app, ["list", "codi-i-comprovadors"])
    assert (told.exit_code, "Codi i comprovadors" in told.stdout) == (0, True)
    assert CliRunner().invoke(app, ["list", "codi"]).exit_code == 1


# The cards


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_of_every_family_is_set_large_enough_to_read_across_a_table(
    language: str, large: bool
) -> None:
    library = Desk(PATH.parent)
    own = library.read(PATH, language)
    titles = {str(slug): "" for slug in own.kit.related}
    printing = Printing(large=large)
    sizes = {}
    for start in range(0, len(FAMILIES), 5):
        families = FAMILIES[start : start + 5]
        deck = replace(own.kit.decks[0], cards=cards_of(families, language))
        kit = replace(own, kit=replace(own.kit, decks=(deck,)))
        document = library.layouts.render(kit, PLAYER, library.labels(language), titles)
        orders = Orders(parts=("cards",), only="cards")
        told = story.build([document], makeup.frame(printing, banner=False), orders)
        ((cards,),) = (part.contents for part in told.parts)
        assert isinstance(cards, decks.Cards)
        for family, card in zip(families, cards.cards, strict=True):
            assert card.face is not None
            boxes = [item for item in card.face.face.items if isinstance(item, faces.TextBox)]
            assert boxes[-1].paragraphs[-1].foot <= deck.size.height - 24 * MM
            sizes[family.id] = cards.make.scale * boxes[-1].paragraphs[0].style.size
    assert len(sizes) == 35
    assert min(sizes.values()) >= (16 if large else 13)


def cards_of(families: tuple[Family, ...], language: str) -> tuple[Card, ...]:
    """Their cards as a puzzle would have them."""
    criteria = tuple(puzzles.Criterion(family, family.options[0]) for family in families)
    groups = tuple((family,) for family in families)
    puzzle = puzzles.Puzzle(1, "nightmare", range(1, 2), False, groups, criteria, CODES[0])
    return briefing.brief(puzzle, criteria_in(language), PLACE).cards
