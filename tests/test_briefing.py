"""Drawn puzzles in words and letters: secret codes and their facts, and lines on narrow cards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import briefing, puzzles, reading, templates
from kit_builder.criteria import FAMILIES
from tests.conftest import plain

WORDS: briefing.Arguments = {
    "now": plain("Now"),
    "spare": plain("Spare"),
    "yes": plain("yes"),
    "no": plain("no"),
    "columns": (plain("Use"), plain("Code"), plain("Repeats")),
}
COLUMNS = tuple(map(plain, ("Code", "Guess", "P", "M")))

numbers = st.integers(1, 9999)


def codes(number: int = 1, symbols: str = "CTSX", secret: str = "") -> list[briefing.SecretCode]:
    return briefing.secret_codes(number, symbols, secret, plain("puzzle").location)


def fact(name: str, arguments: briefing.Arguments, symbols: str = "CTSX") -> briefing.Rows:
    return briefing.secret_code_facts(1, symbols, codes(1, symbols))[name](arguments)


@given(number=numbers, secret=st.text(max_size=4))
def test_nine_codes_differ_and_the_spares_a_to_d_repeat_no_symbol(number: int, secret: str) -> None:
    made = codes(number, secret=secret)
    assert len(set(made)) == 9
    assert [code.repeats for code in made] == [True, *4 * [False], *4 * [True]]
    assert all(len(set(code.split())) == 4 for code in made if not code.repeats)


@given(number=numbers)
def test_a_code_is_the_same_in_a_language_of_other_letters(number: int) -> None:
    assert [code.replace("S", "Q") for code in codes(number)] == codes(number, "CTQX")


def test_the_table_of_codes_says_which_may_repeat_symbols() -> None:
    head, first, *spares = fact("secret-codes", WORDS)
    assert head == ("Use", "Code", "Repeats")
    assert first == ("Now", codes()[0], "yes")
    assert [row[0] for row in spares] == [f"Spare {letter}" for letter in "ABCDEFGH"]
    assert [row[2] for row in spares] == 4 * ["no"] + 4 * ["yes"]


def test_five_cases_with_repeats_are_counted_in_the_letters_of_the_kit() -> None:
    head, *cases = fact("duplicate-cases", {"columns": COLUMNS}, "CTQX")
    assert (head, len(cases)) == (("Code", "Guess", "P", "M"), 5)
    for code, guess, placed, elsewhere in cases:
        pairs = list(zip(code.split(), guess.split(), strict=True))
        assert int(placed) == sum(right == put for right, put in pairs)
        shared = sum(min(code.count(each), guess.count(each)) for each in "CTQX")
        assert int(placed) + int(elsewhere) == shared
        assert max(code.count(each) + guess.count(each) for each in "CTQX") > 2


def test_three_in_place_and_one_elsewhere_is_the_impossible_answer() -> None:
    assert fact("impossible-answers", {"columns": COLUMNS[2:]}) == (("P", "M"), ("3", "1"))


@pytest.mark.parametrize(
    ("name", "arguments", "symbols", "message"),
    [
        ("impossible-answers", {}, "CTSX", "it lacks words, or has too many; write 2 columns"),
        (
            "secret-codes",
            {**WORDS, "columns": plain("Use")},
            "CTSX",
            "it lacks words, or has too many; write now, spare, yes, no, 3 columns",
        ),
        (
            "duplicate-cases",
            {"columns": COLUMNS},
            "CTSXP",
            "it is counted with 4 symbols, and the puzzle has 5; remove the table",
        ),
    ],
)
def test_a_fact_says_which_words_it_needs(
    name: str, arguments: briefing.Arguments, symbols: str, message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        fact(name, arguments, symbols)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        ("CTS", '"CTS" are too few symbols; write 4 or more'),
        ("CTCX", 'a symbol stands twice in "CTCX"; write it once'),
    ],
)
def test_symbols_that_make_no_codes_are_refused(symbols: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        codes(symbols=symbols)
    assert str(caught.value) == message


@pytest.mark.parametrize("language", ["ca", "en"])
def test_no_line_of_a_criteria_card_starts_with_a_lone_digit(language: str) -> None:
    wording = reading.words(language, templates.read(), templates.CRITERIA)
    for start in range(0, len(FAMILIES), 5):
        families = FAMILIES[start : start + 5]
        criteria = tuple(puzzles.Criterion(each, each.options[0]) for each in families)
        groups = tuple((each,) for each in families)
        puzzle = puzzles.Puzzle(1, "classic", range(1, 2), False, groups, criteria, (1, 1, 1))
        for card in briefing.brief(puzzle, wording, plain("puzzle").location).cards:
            told = f"{card.fields['question']}\n{card.fields['options']}"
            assert not any(word[0].isdigit() for word in told.split(" ") if word)
