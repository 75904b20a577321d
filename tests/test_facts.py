"""The computed facts of the library, each figure found a second way."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.errors import Location, Source, Text
from kit_builder.facts import FACTS, NO, YES, Rows

HERE = Location(Source("a.yaml"), 1, 1)
SYMBOLS = st.lists(st.sampled_from("CTSX"), min_size=4, max_size=4)


Words = dict[str, str | list[str]]


def fact(name: str, **arguments: str | list[str]) -> Rows:
    """The table of a fact whose arguments are written as in a definition."""
    return FACTS[name](
        {
            key: Text(value, HERE)
            if isinstance(value, str)
            else tuple(Text(each, HERE) for each in value)
            for key, value in arguments.items()
        }
    )


def feedback(code: str, guess: str) -> tuple[str, str]:
    """The two numbers of one guess."""
    columns = ["Code", "Guess", "Right place", "Right symbol elsewhere"]
    (_, row) = fact("peg-feedback", codes=[code], guesses=[guess], columns=columns)
    return row[2], row[3]


MATCHING: Words = {"letters": ["A", "B"], "ranks": "1-4", "corner": "Top card"}
DEALT: Words = {
    "kinds": "3",
    "copies": "6",
    "labels": ["three alike", "all different", "a pair and another"],
    "corner": "Pattern",
    "columns": ["Results", "Chance"],
}
PEGS: Words = {"codes": ["X T T C"], "guesses": ["T T X S"], "columns": ["Code", "Guess", "P", "M"]}


def test_a_card_matches_the_same_letter_or_the_same_rank() -> None:
    header, *body = fact("matching-cards", **MATCHING)
    assert header == ("Top card", "A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4")
    cells = {
        (row[0], card): mark for row in body for card, mark in zip(header[1:], row[1:], strict=True)
    }
    assert len(cells) == 64
    for (top, card), mark in cells.items():
        assert mark == (YES if set(top) & set(card) else NO), (top, card)
    assert (cells["A2", "A1"], cells["A2", "B2"], cells["A2", "B3"]) == (YES, YES, NO)
    assert [row.count(YES) for row in body] == [5] * 8


def test_ranks_may_be_a_list_and_a_range_may_have_a_dash() -> None:
    assert fact("matching-cards", **MATCHING | {"ranks": ["1", "2", "3", "4"]}) == fact(
        "matching-cards", **MATCHING | {"ranks": "1\N{EN DASH}4"}
    )


@given(st.lists(st.sampled_from("ABCDEF"), min_size=1, unique=True), st.integers(1, 9))
def test_matching_works_both_ways(letters: list[str], highest: int) -> None:
    _, *body = fact("matching-cards", letters=letters, ranks=f"1-{highest}", corner="-")
    marks = [row[1:] for row in body]
    assert marks == list(zip(*marks, strict=True))
    assert all(row.count(YES) == len(letters) + highest - 1 for row in marks)


def test_chances_of_dice_are_those_of_the_binomial_distribution() -> None:
    header, *body = fact("at-least-chances", dice=["4", "6", "8", "10", "12"], corner="Dice")
    assert header == ("Dice", "1", "2", "3", "4", "5", "6")
    assert body == [
        ("4", "52 %", "13 %", "2 %", NO, NO, NO),
        ("6", "67 %", "26 %", "6 %", "1 %", NO, NO),
        ("8", "77 %", "40 %", "13 %", "3 %", NO, NO),
        ("10", "84 %", "52 %", "22 %", "7 %", "2 %", NO),
        ("12", "89 %", "62 %", "32 %", "13 %", "4 %", "1 %"),
    ]


@given(st.integers(1, 5))
def test_chances_of_dice_are_those_of_counting_every_throw(dice: int) -> None:
    (_, row) = fact("at-least-chances", dice=str(dice), corner="Dice")
    throws = [throw.count(6) for throw in product(range(1, 7), repeat=dice)]
    counted = [sum(n >= least for n in throws) / len(throws) for least in range(1, dice + 1)]
    assert row[1:] == tuple(f"{100 * c:.0f} %" for c in counted if c >= 0.005)


@given(st.integers(1, 98))
def test_a_chance_falls_with_the_number_asked_for_and_grows_with_the_dice(dice: int) -> None:
    _, fewer, more = fact("at-least-chances", dice=[str(dice), str(dice + 1)], corner="Dice")
    low, high = ([int(c.strip("% ").replace(NO, "0")) for c in row[1:]] for row in (fewer, more))
    assert low == sorted(low, reverse=True)
    assert all(a <= b for a, b in zip(low, high, strict=True))


def test_chances_of_three_shapes_and_their_ten_results() -> None:
    assert fact("three-of-kinds-chances", **DEALT) == (
        ("Pattern", "Results", "Chance"),
        ("three alike", "3", "7.4 %"),
        ("all different", "1", "26.5 %"),
        ("a pair and another", "6", "66.2 %"),
    )


@given(st.integers(3, 4), st.integers(3, 4))
def test_chances_of_patterns_are_those_of_counting_every_deal(kinds: int, copies: int) -> None:
    _, *body = fact(
        "three-of-kinds-chances", **DEALT | {"kinds": str(kinds), "copies": str(copies)}
    )
    deals = list(combinations([kind for kind in range(kinds) for _ in range(copies)], 3))
    for row, different in zip(body, (1, 3, 2), strict=True):
        found = [deal for deal in deals if len(set(deal)) == different]
        assert row[1] == str(len(set(found)))
        assert row[2] == f"{100 * len(found) / len(deals):.1f} %"


def test_feedback_counts_each_repeated_symbol_once() -> None:
    assert feedback("A B B C", "B B A D") == ("1", "2")
    assert fact("peg-feedback", **PEGS) == (
        ("Code", "Guess", "P", "M"),
        ("X T T C", "T T X S", "1", "2"),
    )


def test_three_in_place_and_one_elsewhere_is_the_only_impossible_sum_of_four() -> None:
    codes = [" ".join(code) for code in product("CTSX", repeat=4)]
    assert len(codes) == 256
    pairs = {tuple(map(int, feedback(code, guess))) for code in codes[:64] for guess in codes}
    assert pairs == {(p, m) for p in range(5) for m in range(5 - p)} - {(3, 1)}


@given(SYMBOLS, SYMBOLS)
def test_feedback_is_what_crossing_off_pair_by_pair_finds(
    code: list[str], guess: list[str]
) -> None:
    open_code = [c for c, g in zip(code, guess, strict=True) if c != g]
    open_guess = [g for c, g in zip(code, guess, strict=True) if c != g]
    placed, elsewhere = 4 - len(open_code), 0
    for symbol in open_guess:
        if symbol in open_code:
            open_code.remove(symbol)
            elsewhere += 1
    assert feedback(" ".join(code), " ".join(guess)) == (str(placed), str(elsewhere))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "matching-cards",
            MATCHING | {"suits": ["A"]},
            'this fact has no "suits"; write only letters, ranks, corner',
        ),
        (
            "matching-cards",
            {"letters": ["A"], "ranks": "1-4"},
            '"corner" is missing; write for example corner: Top card',
        ),
        (
            "matching-cards",
            MATCHING | {"ranks": "4-1"},
            '"ranks: 4-1" runs backwards; write 1-4',
        ),
        (
            "matching-cards",
            MATCHING | {"ranks": "one"},
            '"one" in "ranks" is not a whole number from 1 to 99; write for example ranks: 1-4',
        ),
        (
            "matching-cards",
            MATCHING | {"letters": ["A", "A"]},
            '"A" stands twice in "letters"; write it once',
        ),
        (
            "matching-cards",
            MATCHING | {"corner": ["Top", "card"]},
            '"corner" is not one text; write for example corner: Top card',
        ),
        (
            "at-least-chances",
            {"dice": [], "corner": "Dice"},
            '"dice" is empty, or a text in it is; write for example dice: [4, 6, 8]',
        ),
        (
            "at-least-chances",
            {"dice": ["4", "0"], "corner": "Dice"},
            '"0" in "dice" is not a whole number from 1 to 99; write for example dice: [4, 6, 8]',
        ),
        (
            "three-of-kinds-chances",
            DEALT | {"copies": "2"},
            '"copies: 2" does not fit; write a whole number from 3 to 99',
        ),
        (
            "three-of-kinds-chances",
            DEALT | {"columns": "Chance"},
            '"columns" has 1 text; write 2',
        ),
        (
            "peg-feedback",
            PEGS | {"guesses": ["T T X S", "C C C C"]},
            '"guesses" has 2 texts; write 1',
        ),
        (
            "peg-feedback",
            PEGS | {"guesses": ["T T X"]},
            'the guess "T T X" has 3 symbols and its code "X T T C" has 4; '
            "write equally many, with a space between them",
        ),
    ],
)
def test_a_wrong_argument_is_told_what_to_write(name: str, arguments: Words, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        fact(name, **arguments)
    assert str(raised.value) == message


def test_two_counts_make_their_sum() -> None:
    table = fact("sums", letters=["R", "B"], most="3", corner="Score")
    assert table[0] == ("Score", "R 0", "R 1", "R 2", "R 3")
    assert [row[0] for row in table[1:]] == ["B 0", "B 1", "B 2", "B 3"]
    assert table[-1] == ("B 3", "3", "4", "5", "6")
    with pytest.raises(ValueError, match='"most" is not one number'):
        fact("sums", letters=["R", "B"], most="3-4", corner="Score")
