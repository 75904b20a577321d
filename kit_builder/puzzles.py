"""Puzzles from a number: code and checkers, and the four-symbol secret code.

Pure arithmetic. The same number, wishes and secret give the same puzzle on every machine and in
every release with the same `VERSION`: all is drawn from SHA-256 (FIPS 180-4). So whoever has this
program and the number of a puzzle has its code, unless a secret takes part in the draw.

Code and checkers: each checker tells whether a proposed code meets its hidden criterion. A puzzle
is valid if exactly one code meets all criteria, and more than one would without any one of them.
"""

from __future__ import annotations

import hashlib
import json
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, product
from math import perm
from typing import NamedTuple, TypeVar

from kit_builder.criteria import CODES, FAMILIES, Code, Family, Option

# Of everything drawn here, and of the order and meaning of `criteria.FAMILIES`.
VERSION = 1

# How many criteria cards there are for each checker.
MODES = {"classic": 1, "extreme": 2, "nightmare": 1}
CHECKERS = (4, 5, 6)
# How many codes may be the secret one, as far as the cards tell: a puzzle of medium difficulty.
CANDIDATES = range(3, 9)

SYMBOLS = "CTSX"
PLACES = 4

# So many sets of cards are looked at before a wish is given up.
_TRIES = 3000
# So many numbers four bytes can hold.
_DRAWN = 1 << 32
# The cases of `duplicate_cases` that differ.
_CASES = 17

_Item = TypeVar("_Item")
# Some of the 125 codes: bit n, from 0, stands for `CODES[n]`.
_Codes = int


class Criterion(NamedTuple):
    """What a checker checks: one option of one card."""

    family: Family
    option: Option

    @property
    def id(self) -> str:
        """The name of its wording."""
        return f"{self.family.id}.{self.option.id}"


class Assignment(NamedTuple):
    """A valid choice of criteria, and the one code that meets them all."""

    code: Code
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle of code and checkers.

    Attributes:
        number, mode, wished, has_secret: what it was made from; the secret itself is not kept.
        groups: the cards: one or two for each checker, in the order of the checkers. In the mode
            nightmare their order says nothing: which card is whose is hidden.
        criteria: the true one of each checker.
        code: the only one that meets all criteria.
    """

    number: int
    mode: str
    wished: range
    has_secret: bool
    groups: tuple[tuple[Family, ...], ...]
    criteria: tuple[Criterion, ...]
    code: Code

    @property
    def cards(self) -> tuple[Family, ...]:
        """All cards, in the order in which they are lettered."""
        return tuple(family for group in self.groups for family in group)

    @property
    def true_cards(self) -> tuple[int, ...]:
        """For each checker the place of its true card among all `cards`, from 0."""
        return tuple(self.cards.index(criterion.family) for criterion in self.criteria)


class Trial(NamedTuple):
    """A proposal, and what each checker answers to it."""

    code: Code
    answers: tuple[bool, ...]


class Feedback(NamedTuple):
    """How many symbols of a guess are right in the right place, and how many right elsewhere."""

    placed: int
    elsewhere: int


class PegCase(NamedTuple):
    """A guess at a code, and the answer to it."""

    code: str
    guess: str
    feedback: Feedback


def generate(
    number: int, mode: str, checkers: int, candidates: range | None = None, secret: str = ""
) -> Puzzle:
    """The puzzle of code and checkers that has this number.

    Args:
        number: from 1.
        mode: one of `MODES`.
        checkers: one of `CHECKERS`.
        candidates: how many codes may be the secret one, as far as the cards tell; 1 means that
            the cards alone give it away. None means `CANDIDATES`.
        secret: a text that the players do not know, or "".

    Raises:
        ValueError: an argument is not what it should be, or no puzzle was found that has this
            number and as many candidates as wished; the nearest that can be had is named.
    """
    wished = CANDIDATES if candidates is None else candidates
    _check_number(number)
    if mode not in MODES:
        raise ValueError(f'there is no mode "{mode}"; write one of {", ".join(MODES)}')
    if checkers not in CHECKERS:
        raise ValueError(f"a puzzle cannot have {checkers} checkers; write 4, 5 or 6")
    if not wished or min(wished) < 1:
        raise ValueError("a puzzle has at least 1 candidate code; write a range such as 3-8")
    # What is wished takes no part in the draw, so the nearest that was seen can be asked for.
    draws = _Draws("code and checkers", number, mode, checkers, _normal(secret))
    size = MODES[mode]
    seen: set[int] = set()
    for _ in range(_TRIES):
        cards = draws.sample(FAMILIES, size * checkers)
        groups = tuple(cards[start : start + size] for start in range(0, len(cards), size))
        valid = assignments(groups)
        codes = _codes(valid)
        if len(codes) in wished:
            break
        seen.add(len(codes))
    else:
        low, high = min(wished), max(wished)
        nearest = min(sorted(seen - {0}), key=lambda found: max(low - found, found - high))
        raise ValueError(
            f"puzzle {number} ({mode}, {checkers} checkers) was not found with "
            f"{low if low == high else f'{low}-{high}'} candidate codes; "
            f"ask for {nearest}, the nearest that was"
        )
    code = draws.one_of(codes)
    criteria = draws.one_of([each.criteria for each in valid if each.code == code])
    if mode == "nightmare":
        criteria = draws.sample(criteria, checkers)
    return Puzzle(number, mode, wished, bool(_normal(secret)), groups, criteria, code)


def assignments(groups: Sequence[Sequence[Family]]) -> tuple[Assignment, ...]:
    """Every valid choice of one criterion from each group of cards."""
    # Kept with each choice: the codes that meet all its criteria, and for each criterion the codes
    # that fail it alone. Once one of these is empty, its checker stays superfluous: stop early.
    choices: list[tuple[_Codes, tuple[_Codes, ...], tuple[Criterion, ...]]]
    choices = [((1 << len(CODES)) - 1, (), ())]
    for group in groups:
        options = [option for family in group for option in _options(family)]
        longer = []
        for met, failed, criteria in choices:
            for criterion, meeting in options:
                both = met & meeting
                if both in (0, met) or (group is groups[-1] and both.bit_count() > 1):
                    continue
                # A list, because a generator would take a third more time.
                still_failed = [codes & meeting for codes in failed]
                if all(still_failed):
                    longer.append((both, (*still_failed, met ^ both), (*criteria, criterion)))
        choices = longer
    return tuple(Assignment(CODES[met.bit_length() - 1], criteria) for met, _, criteria in choices)


def candidates(puzzle: Puzzle) -> tuple[Code, ...]:
    """The codes that may be the secret one, as far as the cards tell, in the order of `CODES`."""
    return _codes(assignments(puzzle.groups))


def answers(puzzle: Puzzle) -> tuple[tuple[bool, ...], ...]:
    """For each checker, whether each of `CODES` meets its criterion."""
    return tuple(tuple(map(criterion.option.holds, CODES)) for criterion in puzzle.criteria)


def trial_lines(puzzle: Puzzle, lines: int = 3) -> tuple[Trial, ...]:
    """Proposals for a host who wants to test their own reading of the criteria.

    Some checkers pass each of them, but not all. Together they show both answers of as many
    checkers as possible, then as many different rows of answers, then rows of about as many passes
    as fails, then different digits: equal ones would not tell a host who mixes up the shapes.
    """
    told = zip(CODES, zip(*answers(puzzle), strict=True), strict=True)
    left = [Trial(code, each) for code, each in told if any(each) and not all(each)]
    chosen: list[Trial] = []
    while left and len(chosen) < lines:
        best = max(left, key=lambda trial: _worth(trial, chosen))
        chosen.append(best)
        left.remove(best)
    return tuple(chosen)


def secret_codes(
    number: int,
    amount: int,
    repeats: bool,
    symbols: str = SYMBOLS,
    length: int = PLACES,
    secret: str = "",
) -> tuple[str, ...]:
    """Different codes of some symbols in a row; fewer of them are the first ones of more.

    Args:
        number: of the puzzle, from 1.
        amount: how many codes.
        repeats: whether a symbol may stand in a code more than once.
        symbols: one character each.
        length: of a code, in symbols.
        secret: a text that the players do not know, or "".

    Raises:
        ValueError: an argument is not what it should be, or there are not so many codes.
    """
    _check_number(number)
    if len(set(symbols)) < len(symbols):
        raise ValueError(f'a symbol stands twice in "{symbols}"; write it once')
    possible = len(symbols) ** length if repeats else perm(len(symbols), length)
    if amount > possible:
        raise ValueError(f"there are not {amount} different codes; ask for at most {possible}")
    draws = _Draws("secret codes", number, repeats, symbols, length, _normal(secret))
    draw = draws.row if repeats else draws.sample
    found: dict[str, None] = {}
    while len(found) < amount:
        found["".join(draw(symbols, length))] = None
    return tuple(found)


def peg_feedback(code: Sequence[str], guess: Sequence[str]) -> Feedback:
    """What the host answers to a guess that is as long as the code."""
    placed = sum(right == put for right, put in zip(code, guess, strict=True))
    return Feedback(placed, (Counter(code) & Counter(guess)).total() - placed)


def duplicate_cases(amount: int, number: int = 1) -> tuple[PegCase, ...]:
    """Guesses that share one symbol with the code that is there two or three times.

    No two cases are alike in how often it is in the code, in the guess, and in the right place.

    Raises:
        ValueError: there are not so many cases that differ.
    """
    _check_number(number)
    if amount > _CASES:
        raise ValueError(f"there are not {amount} different cases; ask for at most {_CASES}")
    draws = _Draws("duplicate cases", number)
    cases: dict[tuple[int, int, int], PegCase] = {}
    while len(cases) < amount:
        code, guess = ("".join(draws.row(SYMBOLS, PLACES)) for _ in range(2))
        times = [(code.count(symbol), guess.count(symbol), symbol) for symbol in SYMBOLS]
        repeated = [each for each in times if min(each[:2]) > 0 and max(each[:2]) > 1]
        if len(repeated) == 1 and max(repeated[0][:2]) < PLACES and code != guess:
            ((in_code, in_guess, symbol),) = repeated
            placed = sum(pair == (symbol, symbol) for pair in zip(code, guess, strict=True))
            case = PegCase(code, guess, peg_feedback(code, guess))
            cases.setdefault((in_code, in_guess, placed), case)
    return tuple(cases.values())


def impossible_pairs() -> tuple[Feedback, ...]:
    """The answers that add up to no more than the places, and that no guess ever gets."""
    codes = tuple(product(SYMBOLS, repeat=PLACES))
    # Other symbols get the same answers, so only codes with new symbols in order are tried.
    typical = [code for code in codes if SYMBOLS.startswith("".join(dict.fromkeys(code)))]
    given = {peg_feedback(code, guess) for code in typical for guess in codes}
    return tuple(
        pair
        for placed in range(PLACES + 1)
        for elsewhere in range(PLACES + 1 - placed)
        if (pair := Feedback(placed, elsewhere)) not in given
    )


class _Draws:
    """What is drawn for one puzzle: four bytes at a time from hashes of its seed and a counter."""

    def __init__(self, *seed: str | int) -> None:
        # In JSON no two seeds are written alike, and what no UTF-8 can hold is escaped.
        self._numbers = self._hashed(json.dumps([VERSION, *seed]).encode())

    @staticmethod
    def _hashed(seed: bytes) -> Iterator[int]:
        for block in count():
            hashed = hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
            yield from struct.unpack(">8I", hashed)

    def below(self, limit: int) -> int:
        """A whole number from 0 to less than `limit`, each of them equally likely."""
        fair = _DRAWN - _DRAWN % limit
        return next(number for number in self._numbers if number < fair) % limit

    def one_of(self, items: Sequence[_Item]) -> _Item:
        """One of some items."""
        return items[self.below(len(items))]

    def row(self, items: Sequence[_Item], length: int) -> tuple[_Item, ...]:
        """Items in a row; each may come again."""
        return tuple(self.one_of(items) for _ in range(length))

    def sample(self, items: Sequence[_Item], length: int) -> tuple[_Item, ...]:
        """Different items in a row."""
        left = list(items)
        return tuple(left.pop(self.below(len(left))) for _ in range(length))


def _check_number(number: int) -> None:
    if number < 1:
        raise ValueError(f"there is no puzzle {number}; write a whole number from 1")


def _normal(secret: str) -> str:
    """The secret however a keyboard composed its accents, without spaces around it."""
    return unicodedata.normalize("NFC", secret).strip()


@cache
def _options(family: Family) -> tuple[tuple[Criterion, _Codes], ...]:
    return tuple(
        (
            Criterion(family, option),
            sum(1 << bit for bit, code in enumerate(CODES) if option.holds(code)),
        )
        for option in family.options
    )


def _codes(valid: Sequence[Assignment]) -> tuple[Code, ...]:
    return tuple(sorted({each.code for each in valid}))


def _worth(trial: Trial, chosen: Sequence[Trial]) -> tuple[int, bool, int, int]:
    """What a trial adds to those chosen before: the greater, the better."""
    shown = {answer for each in chosen for answer in enumerate(each.answers)}
    return (
        len(set(enumerate(trial.answers)) - shown),
        trial.answers not in [each.answers for each in chosen],
        -abs(2 * sum(trial.answers) - len(trial.answers)),
        len(set(trial.code)),
    )
