"""A puzzle as a kit prints it: what the players are told, and what only the host is told.

The arithmetic is in `puzzles`; here its result gets words, letters and places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import ascii_uppercase
from typing import NamedTuple

from kit_builder import puzzles
from kit_builder.activity import Card, Checker, Puzzle, PuzzleKey, Trial
from kit_builder.criteria import Family
from kit_builder.errors import Location, Text

Arguments = Mapping[str, Text | tuple[Text, ...]]
Rows = tuple[tuple[str, ...], ...]

# What codes are drawn in, whatever symbols the kit has in its language.
_DRAWN = "".join(dict.fromkeys(puzzles.SYMBOLS + ascii_uppercase))
_impossible_pairs = cache(puzzles.impossible_pairs)  # the same for every kit, and take 15 ms
# How many cases with repeated symbols are shown to a host.
_CASES = 5


class Briefing(NamedTuple):
    """A puzzle for both sides of the table.

    Attributes:
        cards: the criteria cards, with the fields `name`, `question` and `options`.
    """

    puzzle: Puzzle
    cards: tuple[Card, ...]
    key: PuzzleKey


def brief(drawn: puzzles.Puzzle, wording: Mapping[str, Text], location: Location) -> Briefing:
    """The players' and the host's view of a puzzle of code and checkers.

    Args:
        drawn: the puzzle.
        wording: of the criteria, by their ids.
        location: of the puzzle in the activity's file.
    """
    letters = tuple(ascii_uppercase[: len(drawn.criteria)])
    names = _names(drawn, letters)
    cards = tuple(
        _card(family, name, wording, location)
        for family, name in zip(drawn.cards, names, strict=True)
    )
    checkers = tuple(
        Checker(letter, names[card], wording[criterion.id], "".join(map(str, map(int, passes))))
        for letter, card, criterion, passes in zip(
            letters, drawn.true_cards, drawn.criteria, puzzles.answers(drawn), strict=True
        )
    )
    trials = tuple(
        Trial(" ".join(map(str, line.code)), line.answers) for line in puzzles.trial_lines(drawn)
    )
    key = PuzzleKey(
        drawn.code,
        checkers,
        trials,
        len(puzzles.candidates(drawn)),
        puzzles.VERSION,
        drawn.has_secret,
    )
    return Briefing(Puzzle(drawn.number, drawn.mode, letters), cards, key)


def _names(drawn: puzzles.Puzzle, letters: Sequence[str]) -> list[str]:
    """What the cards are called: by their checker, or by numbers where that is hidden."""
    if drawn.mode == "nightmare":
        return [str(number) for number in range(1, len(drawn.cards) + 1)]
    return [
        letter + (str(number) if len(group) > 1 else "")
        for letter, group in zip(letters, drawn.groups, strict=True)
        for number in range(1, len(group) + 1)
    ]


def _card(family: Family, name: str, wording: Mapping[str, Text], location: Location) -> Card:
    told = [_unbroken(wording[f"{family.id}.{option.id}"]) for option in family.options]
    fields = {
        "name": name,
        "question": _unbroken(wording[family.id]),
        "options": "\n".join(f"- {each}" for each in told),
    }
    return Card({key: Text(text, location) for key, text in fields.items()}, 1, location)


def _unbroken(text: str) -> str:
    """The text with no line break before a digit: cards are narrow, a lone digit is overlooked."""
    return re.sub(r" (?=\d)", "\N{NO-BREAK SPACE}", text)


class SecretCode(Text):
    """A code, symbols apart, that may repeat symbols or not."""

    __slots__ = ("repeats",)
    repeats: bool


def secret_codes(number: int, symbols: str, secret: str, location: Location) -> list[SecretCode]:
    """The code to begin with, and eight spare ones; the first four of these repeat no symbol.

    All of them differ. In another language, with other letters, they are the same codes.

    Raises:
        ValueError: there are fewer than four symbols, or one of them twice.
    """
    if len(set(symbols)) < len(symbols):
        raise ValueError(f'a symbol stands twice in "{symbols}"; write it once')
    if len(symbols) < puzzles.PLACES:
        raise ValueError(f'"{symbols}" are too few symbols; write {puzzles.PLACES} or more')
    drawn = _DRAWN[: len(symbols)]
    with_repeats = puzzles.secret_codes(number, 5, True, symbols=drawn, secret=secret)
    without = [
        code
        for code in puzzles.secret_codes(number, 9, False, symbols=drawn, secret=secret)
        if code not in with_repeats
    ][:4]
    codes = []
    for code in (with_repeats[0], *without, *with_repeats[1:]):
        made = SecretCode(_in_row(code, symbols), location)
        made.repeats = code not in without
        codes.append(made)
    return codes


def _in_row(code: str, symbols: str) -> str:
    """A code as it was drawn, in the symbols of the kit."""
    return " ".join(symbols[_DRAWN.index(each)] for each in code)


def secret_code_facts(
    number: int, symbols: str, codes: Sequence[SecretCode]
) -> Mapping[str, Callable[[Arguments], Rows]]:
    """The facts of a secret code, by name: each a table with the author's words.

    * `secret-codes`: all codes. `now` and `spare` name the rows; `yes` and `no` say whether
      repeats are allowed; there are three `columns`.
    * `duplicate-cases`: five guesses with their answers, one symbol of each more than once in the
      code or the guess. Four `columns`: code, guess, right place, right symbol elsewhere.
    * `impossible-answers`: those that no guess ever gets. Two `columns`: the last two of these.
    """

    def code_rows(arguments: Arguments) -> Rows:
        columns = _words(arguments, 3, "now", "spare", "yes", "no")
        now, spare, yes, no = (str(arguments[word]) for word in ("now", "spare", "yes", "no"))
        names = (now, *(f"{spare} {letter}" for letter in ascii_uppercase[: len(codes) - 1]))
        rows = (
            (name, str(code), yes if code.repeats else no)
            for name, code in zip(names, codes, strict=True)
        )
        return (columns, *rows)

    def cases(arguments: Arguments) -> Rows:
        columns = _words(arguments, 4)
        _check_symbols(symbols)
        return (
            columns,
            *(
                (
                    _in_row(case.code, symbols),
                    _in_row(case.guess, symbols),
                    *map(str, case.feedback),
                )
                for case in puzzles.duplicate_cases(_CASES, number)
            ),
        )

    def impossible(arguments: Arguments) -> Rows:
        columns = _words(arguments, 2)
        _check_symbols(symbols)
        return (columns, *(tuple(map(str, pair)) for pair in _impossible_pairs()))

    return {"secret-codes": code_rows, "duplicate-cases": cases, "impossible-answers": impossible}


def _words(arguments: Arguments, count: int, *names: str) -> tuple[str, ...]:
    """The titles of as many columns, where these and the named words are all there is.

    Raises:
        ValueError: they are not.
    """
    columns = arguments.get("columns")
    found = isinstance(columns, tuple) and len(columns) == count
    if arguments.keys() != {*names, "columns"} or not found:
        needed = ", ".join((*names, f"{count} columns"))
        raise ValueError(f"it lacks words, or has too many; write {needed}")
    return tuple(map(str, columns or ()))


def _check_symbols(symbols: str) -> None:
    if len(symbols) != len(puzzles.SYMBOLS):
        raise ValueError(
            f"it is counted with {len(puzzles.SYMBOLS)} symbols, and the puzzle has"
            f" {len(symbols)}; remove the table"
        )
