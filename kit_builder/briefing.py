"""A puzzle as a kit prints it: what the players are told, and what only the host is told.

The arithmetic is in `puzzles`; here its result gets words, letters and places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import NamedTuple

from kit_builder import puzzles
from kit_builder.activity import Card, Checker, Puzzle, PuzzleKey, Trial
from kit_builder.criteria import Family
from kit_builder.errors import Location, Text


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
    options = "\n".join(f"- {wording[f'{family.id}.{option.id}']}" for option in family.options)
    fields = {"name": name, "question": wording[family.id], "options": options}
    return Card({key: Text(_unbroken(text), location) for key, text in fields.items()}, 1, location)


def _unbroken(text: str) -> str:
    """The text with no line break before a digit: cards are narrow, a lone digit is overlooked."""
    return re.sub(r" (?=\d)", "\N{NO-BREAK SPACE}", text)


class SecretCode(Text):
    """A code, symbols apart, that may repeat symbols or not."""

    __slots__ = ("repeats",)
    repeats: bool


def secret_codes(number: int, symbols: str, secret: str, location: Location) -> list[SecretCode]:
    """The code to begin with, and eight spare ones; the first four of these repeat no symbol.

    Raises:
        ValueError: there are fewer than two symbols, or one of them twice.
    """
    with_repeats = puzzles.secret_codes(number, 5, True, symbols=symbols, secret=secret)
    without = puzzles.secret_codes(number, 4, False, symbols=symbols, secret=secret)
    codes = []
    for code in (with_repeats[0], *without, *with_repeats[1:]):
        made = SecretCode(" ".join(code), location)
        made.repeats = code not in without
        codes.append(made)
    return codes


def code_table(codes: Sequence[SecretCode]) -> Callable[..., tuple[tuple[str, ...], ...]]:
    """The fact "secret-codes": a table of the codes, with the author's words.

    Its arguments are `now` and `spare`, which name the rows; `yes` and `no`; and three `columns`.
    """

    def table(arguments: Mapping[str, Text | tuple[Text, ...]]) -> tuple[tuple[str, ...], ...]:
        words = {"now", "spare", "yes", "no", "columns"}
        columns = arguments.get("columns")
        if arguments.keys() != words or not isinstance(columns, tuple) or len(columns) != 3:
            raise ValueError(
                "it lacks words, or has too many; write now, spare, yes, no and three columns"
            )
        now, spare, yes, no = (str(arguments[word]) for word in ("now", "spare", "yes", "no"))
        names = (now, *(f"{spare} {letter}" for letter in ascii_uppercase[: len(codes) - 1]))
        rows = (
            (name, str(code), yes if code.repeats else no)
            for name, code in zip(names, codes, strict=True)
        )
        return (columns, *rows)

    return table
