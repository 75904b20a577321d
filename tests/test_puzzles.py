"""Puzzles: the same from the same number, valid by a second count, and as difficult as wished."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.criteria import CODES, FAMILIES, Code, Family
from kit_builder.puzzles import (
    CANDIDATES,
    CHECKERS,
    MODES,
    SYMBOLS,
    Puzzle,
    answers,
    assignments,
    candidates,
    duplicate_cases,
    generate,
    impossible_pairs,
    peg_feedback,
    secret_codes,
    trial_lines,
)

ANY = range(1, 126)
KINDS = [(mode, checkers) for mode in MODES for checkers in CHECKERS]

numbers = st.integers(1, 10**6)
kinds = st.sampled_from(KINDS)
secrets = st.text(max_size=8)
pegs = st.text(SYMBOLS, min_size=4, max_size=4)


def told(puzzle: Puzzle) -> str:
    """A puzzle in one line: its code, the true criterion of each checker, all cards."""
    criteria = " ".join(criterion.id for criterion in puzzle.criteria)
    cards = " ".join(family.id for family in puzzle.cards)
    return f"{''.join(map(str, puzzle.code))} {criteria} | {cards}"


def codes_that_meet_all(puzzle: Puzzle, without: int | None = None) -> list[Code]:
    """The codes that meet all true criteria, or all but that of one checker."""
    criteria = [each for place, each in enumerate(puzzle.criteria) if place != without]
    return [code for code in CODES if all(each.option.holds(code) for each in criteria)]


@cache
def option_met(family: Family) -> tuple[str | Code, ...]:
    """For each code the option it meets; where it meets none, the code itself, as no other has."""
    return tuple(
        next((option.id for option in family.options if option.holds(code)), code) for code in CODES
    )


def codes_of_one_card_each(cards: tuple[Family, ...]) -> set[Code]:
    """The codes of all valid choices, where each checker has one card, by a second method.

    A code meets one option of each card: its signature. It is the only one that meets all of them
    if it shares its signature with no other code, and a checker is needed if it shares the rest
    of its signature with another. A code that meets no option of a card has no valid choice.
    """
    signatures = list(zip(*map(option_met, cards), strict=True))
    shorter = [
        Counter(signature[:place] + signature[place + 1 :] for signature in signatures)
        for place in range(len(cards))
    ]
    whole = Counter(signatures)
    return {
        code
        for code, signature in zip(CODES, signatures, strict=True)
        if whole[signature] == 1
        and code not in signature
        and all(
            rest[signature[:place] + signature[place + 1 :]] > 1
            for place, rest in enumerate(shorter)
        )
    }


def codes_by_signatures(puzzle: Puzzle) -> set[Code]:
    """The candidates by the second method: every choice of one card for each checker."""
    return set().union(*map(codes_of_one_card_each, product(*puzzle.groups)))


# These hold for ever: whoever has to change one gives the algorithm a new `VERSION`.
@pytest.mark.parametrize(
    ("number", "mode", "checkers", "wished", "secret", "expected"),
    [
        (
            1,
            "classic",
            4,
            None,
            "",
            """
            343 triangle-and-circle.equal triangle-and-1.more how-many-above-3.1 how-many-even.1
            | triangle-and-circle triangle-and-1 how-many-above-3 how-many-even
        """,
        ),
        (
            7,
            "classic",
            5,
            range(1, 2),
            "",
            """
            225 circle-and-3.more how-many-4.0 order.neither square-and-1.more sum-and-9.equal
            | circle-and-3 how-many-4 order square-and-1 sum-and-9
        """,
        ),
        (
            7,
            "classic",
            6,
            None,
            "maduixa",
            """
            114 square-parity.odd how-many-3.0 triangle-and-square.equal how-many-2.0 repeats.pair
            triangle-plus-circle-and-6.less
            | square-parity how-many-3 triangle-and-square how-many-2 repeats
            triangle-plus-circle-and-6
        """,
        ),
        (
            7,
            "extreme",
            5,
            None,
            "",
            """
            452 steps-of-1.1 how-many-2.1 triangle-and-square.less spread.from-3 order.neither
            | largest steps-of-1 square-and-circle how-many-2 smallest triangle-and-square spread
            triangle-plus-square-and-6 order triangle-and-1
        """,
        ),
        (
            20,
            "nightmare",
            4,
            None,
            "",
            """
            514 how-many-5.1 how-many-above-3.2 smallest.square square-plus-circle-and-6.less
            | smallest square-plus-circle-and-6 how-many-above-3 how-many-5
        """,
        ),
    ],
)
def test_a_number_gives_the_same_puzzle_for_ever(
    number: int, mode: str, checkers: int, wished: range | None, secret: str, expected: str
) -> None:
    assert told(generate(number, mode, checkers, wished, secret)) == " ".join(expected.split())


@pytest.mark.parametrize(("mode", "checkers"), KINDS)
def test_a_thousand_puzzles_are_valid_by_a_second_count(mode: str, checkers: int) -> None:
    for number in range(1, 121):
        puzzle = generate(number, mode, checkers, ANY)
        assert codes_that_meet_all(puzzle) == [puzzle.code]
        for checker in range(checkers):
            assert len(codes_that_meet_all(puzzle, without=checker)) > 1
        # With two cards for each of 6 checkers the second count goes through 64 sets of cards.
        if mode != "extreme" or number % 8 == 0:
            assert set(candidates(puzzle)) == codes_by_signatures(puzzle)


def test_all_sets_of_four_cards_have_the_totals_that_were_counted_elsewhere() -> None:
    sizes = Counter(
        len(assignments([(family,) for family in cards])) for cards in combinations(FAMILIES, 4)
    )
    assert sizes.total() == 52_360
    assert sizes.total() - sizes[0] == 30_590
    assert sum(size * sets for size, sets in sizes.items()) == 145_181
    steps = ((0, 0), (1, 1), (2, 3), (4, 8), (9, 125))
    buckets = [sum(sizes[size] for size in range(low, high + 1)) for low, high in steps]
    assert buckets == [21_770, 5_940, 9_892, 10_506, 4_252]
    assert max(sizes) == 52


def test_known_sets_of_cards_have_their_known_candidates() -> None:
    named = {family.id: family for family in FAMILIES}

    def found(*cards: str) -> list[Code]:
        return [each.code for each in assignments([(named[card],) for card in cards])]

    four = found("square-parity", "circle-and-1", "triangle-and-circle", "sum-by-3")
    assert sorted(four) == [(1, 1, 1), (1, 2, 1), (1, 4, 1), (1, 5, 1)]
    assert found("square-and-1", "how-many-1", "steps-of-1", "how-many-above-3") == [(1, 3, 1)]
    assert found("triangle-parity", "square-parity", "circle-parity", "sum-parity") == []


@given(number=numbers, kind=kinds, secret=secrets)
def test_a_puzzle_has_the_cards_of_its_mode_and_a_true_one_for_each_checker(
    number: int, kind: tuple[str, int], secret: str
) -> None:
    mode, checkers = kind
    puzzle = generate(number, mode, checkers, ANY, secret)
    assert [len(group) for group in puzzle.groups] == [MODES[mode]] * checkers
    assert len(set(puzzle.cards)) == len(puzzle.cards)
    assert [puzzle.cards[place] for place in puzzle.true_cards] == [
        criterion.family for criterion in puzzle.criteria
    ]
    owners = [place // MODES[mode] for place in puzzle.true_cards]
    assert (sorted(owners) if mode == "nightmare" else owners) == list(range(checkers))
    assert puzzle.code in candidates(puzzle)
    assert puzzle == generate(number, mode, checkers, ANY, secret)


@given(number=numbers, kind=kinds, secret=secrets)
def test_trial_lines_are_true_and_tell_something(
    number: int, kind: tuple[str, int], secret: str
) -> None:
    puzzle = generate(number, *kind, ANY, secret)
    lines = trial_lines(puzzle)
    assert len({line.code for line in lines}) == len({line.answers for line in lines}) == 3
    grid = answers(puzzle)
    for line in lines:
        assert line.code != puzzle.code
        assert set(line.answers) == {True, False}
        assert line.answers == tuple(row[CODES.index(line.code)] for row in grid)


def test_the_answers_of_a_checker_are_those_of_its_criterion_code_by_code() -> None:
    puzzle = generate(20, "nightmare", 4)
    fives, large, smallest, sums = answers(puzzle)
    assert fives == tuple(code.count(5) == 1 for code in CODES)
    assert large == tuple(sum(digit in (4, 5) for digit in code) == 2 for code in CODES)
    assert smallest == tuple(b < a and b < c for a, b, c in CODES)
    assert sums == tuple(b + c < 6 for a, b, c in CODES)


@pytest.mark.parametrize(("mode", "checkers"), KINDS)
def test_without_a_wish_3_to_8_codes_are_candidates(mode: str, checkers: int) -> None:
    assert set(CANDIDATES) == {3, 4, 5, 6, 7, 8}
    for number in range(1, 6):
        assert len(candidates(generate(number, mode, checkers))) in CANDIDATES


@pytest.mark.parametrize("mode", ["classic", "nightmare"])
@pytest.mark.parametrize("checkers", CHECKERS)
def test_with_one_candidate_the_cards_alone_give_the_code_away(mode: str, checkers: int) -> None:
    puzzle = generate(3, mode, checkers, range(1, 2))
    assert candidates(puzzle) == (puzzle.code,)


def test_in_the_mode_nightmare_the_order_of_the_cards_says_nothing() -> None:
    orders = Counter(generate(number, "nightmare", 4, ANY).true_cards for number in range(1, 241))
    assert len(orders) == 24


def test_in_the_mode_extreme_the_true_card_is_the_first_or_the_second() -> None:
    puzzles = [generate(number, "extreme", 4, ANY) for number in range(1, 31)]
    assert {place % 2 for puzzle in puzzles for place in puzzle.true_cards} == {0, 1}


def test_a_wish_that_cannot_be_met_names_the_nearest_that_can() -> None:
    with pytest.raises(ValueError) as caught:
        generate(7, "classic", 4, range(60, 71))
    assert str(caught.value) == (
        "puzzle 7 (classic, 4 checkers) was not found with 60-70 candidate codes;"
        " ask for 38, the nearest that was"
    )
    assert len(candidates(generate(7, "classic", 4, range(38, 39)))) == 38


@pytest.mark.parametrize(
    ("number", "mode", "checkers", "wished", "message"),
    [
        (0, "classic", 4, None, "there is no puzzle 0; write a whole number from 1"),
        (
            1,
            "hard",
            4,
            None,
            'there is no mode "hard"; write one of classic, extreme, nightmare',
        ),
        (1, "classic", 3, None, "a puzzle cannot have 3 checkers; write 4, 5 or 6"),
        (
            1,
            "classic",
            4,
            range(3),
            "a puzzle has at least 1 candidate code; write a range such as 3-8",
        ),
        (
            1,
            "classic",
            4,
            range(8, 3),
            "a puzzle has at least 1 candidate code; write a range such as 3-8",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    number: int, mode: str, checkers: int, wished: range | None, message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        generate(number, mode, checkers, wished)
    assert str(caught.value) == message


def test_a_secret_changes_the_puzzle_and_is_not_kept() -> None:
    open_one = generate(7, "classic", 4)
    first, second = (generate(7, "classic", 4, secret=word) for word in ("maduixa", "pera"))
    assert len({told(puzzle) for puzzle in (open_one, first, second)}) == 3
    assert (open_one.has_secret, first.has_secret) == (False, True)
    assert "maduixa" not in repr(first)
    assert secret_codes(7, 3, True) != secret_codes(7, 3, True, secret="maduixa")


def test_a_secret_is_the_same_however_its_accents_were_typed() -> None:
    composed, apart = "llu\u00efsa", " llui\u0308sa\n"
    assert generate(7, "classic", 4, secret=composed) == generate(7, "classic", 4, secret=apart)
    assert generate(7, "classic", 4, secret=" ") == generate(7, "classic", 4)


def test_secret_codes_are_the_same_for_ever() -> None:
    assert secret_codes(7, 4, False) == ("CXTS", "XTCS", "TSXC", "SXTC")
    assert secret_codes(7, 4, True) == ("STTS", "SCSC", "STSX", "TSXT")
    assert secret_codes(7, 2, True, "RGB", 6, "x") == ("BBBBRG", "BGGGBB")


@given(number=numbers, amount=st.integers(0, 24), repeats=st.booleans(), secret=secrets)
def test_secret_codes_differ_and_fewer_are_the_first_of_more(
    number: int, amount: int, repeats: bool, secret: str
) -> None:
    every = secret_codes(number, 24, repeats, secret=secret)
    assert secret_codes(number, amount, repeats, secret=secret) == every[:amount]
    assert len(set(every)) == 24
    assert all(len(code) == 4 and set(code) <= set(SYMBOLS) for code in every)
    assert repeats or {len(set(code)) for code in every} == {4}


@pytest.mark.parametrize(
    ("amount", "repeats", "symbols", "message"),
    [
        (25, False, SYMBOLS, "there are not 25 different codes; ask for at most 24"),
        (257, True, SYMBOLS, "there are not 257 different codes; ask for at most 256"),
        (1, False, "CTS", "there are not 1 different codes; ask for at most 0"),
        (1, True, "CTTX", 'a symbol stands twice in "CTTX"; write it once'),
    ],
)
def test_more_secret_codes_than_there_are_are_refused(
    amount: int, repeats: bool, symbols: str, message: str
) -> None:
    with pytest.raises(ValueError) as caught:
        secret_codes(7, amount, repeats, symbols)
    assert str(caught.value) == message


def test_every_secret_code_can_come() -> None:
    assert set(secret_codes(1, 256, True)) == set(map("".join, product(SYMBOLS, repeat=4)))


def counted_by_crossing_out(code: str, guess: str) -> tuple[int, int]:
    """The answer to a guess as a host finds it with a pencil."""
    placed = [place for place in range(4) if code[place] == guess[place]]
    left = [code[place] for place in range(4) if place not in placed]
    elsewhere = 0
    for place in range(4):
        if place not in placed and guess[place] in left:
            left.remove(guess[place])
            elsewhere += 1
    return len(placed), elsewhere


@given(code=pegs, guess=pegs)
def test_feedback_is_what_crossing_out_gives(code: str, guess: str) -> None:
    assert peg_feedback(code, guess) == counted_by_crossing_out(code, guess)
    assert peg_feedback(code, guess) == peg_feedback(guess, code)


def test_feedback_of_the_worked_examples() -> None:
    assert peg_feedback("ABBC", "BBAD") == (1, 2)
    assert peg_feedback(["X", "T", "T", "C"], ["T", "T", "X", "S"]) == (1, 2)


@given(number=numbers, amount=st.integers(0, 17))
def test_no_two_duplicate_cases_teach_the_same(number: int, amount: int) -> None:
    cases = duplicate_cases(amount, number)
    lessons = set()
    for code, guess, feedback in cases:
        assert feedback == counted_by_crossing_out(code, guess)
        (symbol,) = (
            each
            for each in set(code) & set(guess)
            if max(code.count(each), guess.count(each)) in (2, 3)
        )
        placed = sum(one == other == symbol for one, other in zip(code, guess, strict=True))
        lessons.add((code.count(symbol), guess.count(symbol), placed))
    assert len(lessons) == len(cases) == amount


def test_there_are_17_duplicate_cases_to_tell_apart() -> None:
    times = [pair for pair in product((1, 2, 3), repeat=2) if pair != (1, 1)]
    assert sum(min(pair) - max(0, sum(pair) - 4) + 1 for pair in times) == 17
    with pytest.raises(ValueError, match=r"^there are not 18 different cases; ask for at most 17$"):
        duplicate_cases(18)


def test_three_right_and_one_elsewhere_is_the_only_impossible_answer() -> None:
    guesses = [*map("".join, product(SYMBOLS, repeat=4))]
    answers_given = {counted_by_crossing_out("CCTS", guess) for guess in guesses}
    assert answers_given == {(p, m) for p in range(5) for m in range(5 - p)} - {(3, 1)}
    assert impossible_pairs() == ((3, 1),)
