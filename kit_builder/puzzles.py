"""Puzzles from a number: code and checkers, and the four-symbol secret code.

Pure arithmetic. The same number, wishes and secret give the same puzzle on every machine and in
every release with the same `VERSION`: SHA-256 (FIPS 180-4) is all that is drawn from. So whoever
has this program and a puzzle's number has its code too, unless a secret was mixed in.

Code and checkers: each checker tells whether a proposed code meets its hidden criterion. A puzzle
is valid if exactly one code meets all criteria, and more than one would without any one of them.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import perm
from typing import NamedTuple, TypeVar

from kit_builder.criteria import CODES, FAMILIES, Code, Family, Option

# Of all that is drawn here, and of the order and meaning of `criteria.FAMILIES`.
VERSION = 1

# How many criteria cards there are for each checker.
MODES = {"classic": 1, "extreme": 2, "nightmare": 1}
CHECKERS = (4, 5, 6)
# How many codes may be the secret one, as far as the cards tell: a puzzle of medium difficulty.
CANDIDATES = range(3, 9)

SYMBOLS = "CTSX"
PLACES = 4

# So many sets of cards are drawn before a wish is given up: 0.15 s, in the mode extreme 3 s.
_SETS = 4000
_DRAWN = 1 << 32

_Item = TypeVar("_Item")


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
        groups: the cards, one or two for each checker. They lie before the checker of the same
            place; in the mode nightmare they do not, and which is whose is hidden.
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
        """All cards in the order in which they are lettered."""
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
    """How many symbols of a guess are in the right place, and how many right ones elsewhere."""

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
    """The puzzle of code and checkers with this number.

    Args:
        number: from 1.
        mode: one of `MODES`.
        checkers: one of `CHECKERS`.
        candidates: how many codes may be the secret one, as far as the cards tell; 1 means that
            the cards alone give it away. None means `CANDIDATES`.
        secret: a text that the players do not know; "" for none.

    Raises:
        ValueError: an argument is not what it should be, or no puzzle with this number has as many
            candidate codes as wished; the nearest number that one has is named.
    """
    wished = CANDIDATES if candidates is None else candidates
    _check_number(number)
    if mode not in MODES:
        raise ValueError(f'there is no mode "{mode}"; write one of {", ".join(MODES)}')
    if checkers not in CHECKERS:
        raise ValueError(f"a puzzle cannot have {checkers} checkers; write 4, 5 or 6")
    if not wished or min(wished) < 1:
        raise ValueError("a puzzle has at least 1 candidate code; write a range such as 3-8")
    # The wish takes no part in what is drawn: so the nearest that was met can be had by wishing it.
    draws = _Draws("code and checkers", number, mode, checkers, secret)
    size = MODES[mode]
    met = set()
    for _ in range(_TRIES):
        cards = draws.sample(FAMILIES, size * checkers)
        groups = tuple(cards[start : start + size] for start in range(0, len(cards), size))
        valid = assignments(groups)
        codes = _codes(valid)
        if len(codes) in wished:
            break
        met.add(len(codes))
    else:
        nearest = min(met - {0}, key=lambda size: min(abs(size - each) for each in wished))
        raise ValueError(
            f"no puzzle {number} with {_span(wished)} candidate codes was found in the mode "
            f"{mode} with {checkers} checkers; the nearest has {nearest}"
        )
    code = draws.one_of(codes)
    criteria = draws.one_of([each.criteria for each in valid if each.code == code])
    if mode == "nightmare":
        criteria = draws.sample(criteria, checkers)
    return Puzzle(number, mode, wished, bool(secret), groups, criteria, code)


def assignments(groups: Sequence[Sequence[Family]]) -> tuple[Assignment, ...]:
    """Every valid choice of one criterion from each group of cards."""
    # Beside the codes that meet all criteria so far stand, for each of these, the codes that fail
    # it alone. Without any such code the checker is not needed, however the choice goes on.
    choices: list[tuple[int, tuple[int, ...], tuple[Criterion, ...]]] = [((1 << len(CODES)) - 1, (), ())]
    for families in groups:
        options = [each for family in families for each in _options(family)]
        longer = []
        for meet_all, fail_one, criteria in choices:
            for criterion, meet in options:
                still = (*(codes & meet for codes in fail_one), meet_all & ~meet)
                if meet_all & meet and all(still):
                    longer.append((meet_all & meet, still, (*criteria, criterion)))
        choices = longer
    return tuple(
        Assignment(CODES[meet_all.bit_length() - 1], criteria)
        for meet_all, _, criteria in choices
        if meet_all.bit_count() == 1
    )


def candidates(puzzle: Puzzle) -> tuple[Code, ...]:
    """The codes that may be the secret one, as far as the cards tell, in the order of `CODES`."""
    return _codes(assignments(puzzle.groups))


def answers(puzzle: Puzzle) -> tuple[tuple[bool, ...], ...]:
    """For each checker, whether each of `CODES` meets its criterion."""
    return tuple(tuple(map(each.option.holds, CODES)) for each in puzzle.criteria)


def trial_lines(puzzle: Puzzle, count: int = 3) -> tuple[Trial, ...]:
    """Proposals with which a host can test their own reading of the criteria.

    Each is met by some checkers and not by others. The first ones show as much as they can: both
    answers of as many checkers as possible, then about as many passes as fails, then digits that
    differ, so that a host who mixes up the shapes notices it.
    """
    left = [Trial(*each) for each in zip(CODES, zip(*answers(puzzle), strict=True), strict=True)]
    shown: set[tuple[int, bool]] = set()
    lines: list[Trial] = []
    ...
