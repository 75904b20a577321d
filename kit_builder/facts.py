"""Tables of facts that are computed, so that no figure in a host key can be mistyped.

A fact takes the author's words as arguments and returns a table: the header row first, then body
rows of equally many cells. Only numbers and marks are computed; every word is the author's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb

from kit_builder import puzzles
from kit_builder.errors import Text

Arguments = Mapping[str, Text | tuple[Text, ...]]


class Percent(str):
    """A percentage, written as in English; other languages have marks of their own.

    Attributes:
        figure: the number with a decimal point, such as "7.4".
    """

    __slots__ = ("figure",)
    figure: str

    def __new__(cls, figure: str) -> Percent:
        """The text "7.4 %" of the figure "7.4"."""
        self = super().__new__(cls, f"{figure} %")
        self.figure = figure
        return self


Rows = tuple[tuple[str, ...], ...]
Fact = Callable[[Arguments], Rows]

YES = "✓"
NO = "–"

_EXAMPLES = {
    "codes": "[X T T C, C C T S]",
    "columns": "[Results, Chance], a text for each column",
    "copies": "6",
    "corner": "Top card",
    "dice": "[4, 6, 8]",
    "guesses": "[T T X S, C X C C]",
    "kinds": "3",
    "labels": "[three alike, all different, a pair and another]",
    "letters": "[A, B]",
    "most": "3",
    "ranks": "1-4",
}
_WHOLE = re.compile(r"[1-9][0-9]?")
_RANGE = re.compile(r"([1-9][0-9]?)\s*[-–]\s*([1-9][0-9]?)")


def matching_cards(arguments: Arguments) -> Rows:
    """Which card may lie on which: those of the same letter or the same rank.

    Arguments: `letters` and `ranks` make the kinds (A1, A2 ...), `corner` heads the first column,
    in which the top card stands.

    Raises:
        ValueError: an argument is unknown, missing, or not what its name says.
    """
    _check_names(arguments, "letters", "ranks", "corner")
    letters = _texts(arguments, "letters")
    ranks = _numbers(arguments, "ranks")
    kinds = [(letter, rank) for letter in letters for rank in ranks]
    names = [f"{letter}{rank}" for letter, rank in kinds]
    header = (_text(arguments, "corner"), *names)
    body = (
        (name, *(YES if letter == top[0] or rank == top[1] else NO for letter, rank in kinds))
        for name, top in zip(names, kinds, strict=True)
    )
    return (header, *body)


def at_least_chances(arguments: Arguments) -> Rows:
    """The chance that at least 1, 2, 3 ... of some six-sided dice show one given face.

    Arguments: `dice` are the numbers of dice, one row each; `corner` heads the first column.
    Whole per cent; a chance that rounds to 0 is not printed, and the columns end with the last
    one that has a chance in any row.

    Raises:
        ValueError: an argument is unknown, missing, or not what its name says.
    """
    _check_names(arguments, "dice", "corner")
    numbers = _numbers(arguments, "dice")
    chances = {
        dice: [
            percent
            for least in range(1, dice + 1)
            if (percent := round(100 * _chance_of_at_least(least, dice)))
        ]
        for dice in numbers
    }
    columns = max(map(len, chances.values()))
    header = (_text(arguments, "corner"), *map(str, range(1, columns + 1)))
    body = (
        (str(dice), *(Percent(str(percent)) for percent in row), *(NO,) * (columns - len(row)))
        for dice, row in chances.items()
    )
    return (header, *body)


def three_of_kinds_chances(arguments: Arguments) -> Rows:
    """How likely each pattern is when three cards are dealt at random.

    Arguments: `kinds` of card, with `copies` of each; `labels` name the patterns three alike, all
    different, a pair and another, in this order; `corner` heads the first column, `columns` the
    number of results (order does not matter) and the chance in per cent with one decimal.

    Raises:
        ValueError: an argument is unknown, missing, or not what its name says, or there are fewer
            than three kinds or copies.
    """
    _check_names(arguments, "kinds", "copies", "labels", "corner", "columns")
    kinds = _number(arguments, "kinds", 3)
    copies = _number(arguments, "copies", 3)
    results = (kinds, comb(kinds, 3), kinds * (kinds - 1))
    deals = (comb(copies, 3), copies**3, comb(copies, 2) * copies)
    total = comb(kinds * copies, 3)
    body = (
        (label, str(result), Percent(f"{100 * result * deal / total:.1f}"))
        for label, result, deal in zip(_texts(arguments, "labels", 3), results, deals, strict=True)
    )
    return ((_text(arguments, "corner"), *_texts(arguments, "columns", 2)), *body)


def peg_feedback(arguments: Arguments) -> Rows:
    """How many symbols of a guess are right in the right place, and how many right elsewhere.

    Arguments: `codes` and `guesses` belong together one by one, their symbols stand apart
    ("X T T C"); `columns` head code, guess, right place, right symbol elsewhere.

    Raises:
        ValueError: an argument is unknown, missing, or not what its name says, there are not as
            many guesses as codes, or a guess is not as long as its code.
    """
    _check_names(arguments, "codes", "guesses", "columns")
    codes = _texts(arguments, "codes", distinct=False)
    guesses = _texts(arguments, "guesses", len(codes), distinct=False)
    body = []
    for code, guess in zip(codes, guesses, strict=True):
        secret, guessed = code.split(), guess.split()
        if len(secret) != len(guessed):
            raise ValueError(
                f'the guess "{guess}" has {len(guessed)} symbols and its code "{code}" has '
                f"{len(secret)}; write equally many, with a space between them"
            )
        placed, elsewhere = puzzles.peg_feedback(secret, guessed)
        body.append((code, guess, str(placed), str(elsewhere)))
    return (_texts(arguments, "columns", 4), *body)


def sums(arguments: Arguments) -> Rows:
    """What two counts make together, each from 0.

    Arguments: `letters` are two names, the first for the columns; `most` is the largest count,
    `corner` heads the first column.

    Raises:
        ValueError: an argument is unknown, missing, or not what its name says.
    """
    _check_names(arguments, "letters", "most", "corner")
    across, down = _texts(arguments, "letters", 2)
    numbers = _numbers(arguments, "most")
    if len(numbers) != 1:
        raise ValueError(f'"most" is not one number; {_such_as("most")}')
    counts = range(numbers[0] + 1)
    header = (_text(arguments, "corner"), *(f"{across} {count}" for count in counts))
    body = ((f"{down} {row}", *(str(row + column) for column in counts)) for row in counts)
    return (header, *body)


FACTS: Mapping[str, Fact] = {
    "at-least-chances": at_least_chances,
    "matching-cards": matching_cards,
    "peg-feedback": peg_feedback,
    "sums": sums,
    "three-of-kinds-chances": three_of_kinds_chances,
}


def _chance_of_at_least(least: int, dice: int) -> Fraction:
    ways = sum(comb(dice, showing) * 5 ** (dice - showing) for showing in range(least, dice + 1))
    return Fraction(ways, 6**dice)


def _check_names(arguments: Arguments, *names: str) -> None:
    for name in arguments:
        if name not in names:
            raise ValueError(f'this fact has no "{name}"; write only {", ".join(names)}')
    for name in names:
        if name not in arguments:
            raise ValueError(f'"{name}" is missing; {_such_as(name)}')


def _such_as(name: str) -> str:
    return f"write for example {name}: {_EXAMPLES[name]}"


def _text(arguments: Arguments, name: str) -> str:
    argument = arguments[name]
    if isinstance(argument, tuple) or not argument.strip():
        raise ValueError(f'"{name}" is not one text; {_such_as(name)}')
    return str(argument)


def _texts(
    arguments: Arguments, name: str, count: int | None = None, *, distinct: bool = True
) -> tuple[str, ...]:
    argument = arguments[name]
    texts = argument if isinstance(argument, tuple) else (argument,)
    if not texts or not all(text.strip() for text in texts):
        raise ValueError(f'"{name}" is empty, or a text in it is; {_such_as(name)}')
    if count is not None and len(texts) != count:
        raise ValueError(f'"{name}" has {_texts_in_words(len(texts))}; write {count}')
    for text in texts if distinct else ():
        if texts.count(text) > 1:
            raise ValueError(f'"{text}" stands twice in "{name}"; write it once')
    return tuple(map(str, texts))


def _texts_in_words(count: int) -> str:
    return "1 text" if count == 1 else f"{count} texts"


def _number(arguments: Arguments, name: str, least: int) -> int:
    text = _text(arguments, name)
    if not _WHOLE.fullmatch(text) or int(text) < least:
        raise ValueError(f'"{name}: {text}" does not fit; write a whole number from {least} to 99')
    return int(text)


def _numbers(arguments: Arguments, name: str) -> tuple[int, ...]:
    argument = arguments[name]
    span = None if isinstance(argument, tuple) else _RANGE.fullmatch(argument)
    if span:
        low, high = map(int, span.groups())
        if low > high:
            raise ValueError(f'"{name}: {argument}" runs backwards; write {high}-{low}')
        return tuple(range(low, high + 1))
    texts = _texts(arguments, name)
    for text in texts:
        if not _WHOLE.fullmatch(text):
            raise ValueError(
                f'"{text}" in "{name}" is not a whole number from 1 to 99; {_such_as(name)}'
            )
    return tuple(map(int, texts))
