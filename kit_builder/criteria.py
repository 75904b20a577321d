"""The criteria of code and checkers: what a checker can say about a three-digit code.

A code gives a digit from 1 to 5 to each of triangle, square and circle, in this order; digits may
repeat, so there are 125. A family is what stands on one criteria card: its options exclude each
other, so a code meets at most one of them. In all families but `smallest` and `largest`, where a
tie meets none, it meets exactly one. How they are worded stands in `templates/criteria/`, under the
names given here: `family` and `family.option`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from types import MappingProxyType

Code = tuple[int, int, int]
Test = Callable[[Code], bool]
Measure = Callable[[Code], object]

SHAPES = ("triangle", "square", "circle")
DIGITS = range(1, 6)
# Triangle by triangle, then square by square: 111, 112 ... 115, 121 ... 555.
CODES: tuple[Code, ...] = tuple(product(DIGITS, DIGITS, DIGITS))


@dataclass(frozen=True, slots=True)
class Option:
    """One statement of a family: `holds` says of which codes it is true."""

    id: str
    holds: Test


@dataclass(frozen=True, slots=True)
class Family:
    """The statements of one card, of which at most one is true of any code."""

    id: str
    options: tuple[Option, ...]


def _by_value(family: str, measure: Measure, **options: object) -> Family:
    """A family that sorts the codes by a measure of theirs: one option for each value."""

    def option(name: str, value: object) -> Option:
        return Option(name.replace("_", "-"), lambda code: measure(code) == value)

    return Family(family, tuple(option(name, value) for name, value in options.items()))


def _parity(family: str, measure: Callable[[Code], int]) -> Family:
    return _by_value(family, lambda code: measure(code) % 2, even=0, odd=1)


def _against(
    family: str, measure: Callable[[Code], int], other: Callable[[Code], int] | int
) -> Family:
    """A family that compares a measure of the code with another one, or with a number."""

    def sign(code: Code) -> int:
        difference = measure(code) - (other if isinstance(other, int) else other(code))
        return (difference > 0) - (difference < 0)

    return _by_value(family, sign, less=-1, equal=0, more=1)


def _single(family: str, extreme: Callable[[Code], int]) -> Family:
    """A family that asks which shape alone has the smallest or the largest digit."""

    def owner(code: Code) -> int | None:
        digit = extreme(code)
        return code.index(digit) if code.count(digit) == 1 else None

    return _by_value(family, owner, triangle=0, square=1, circle=2)


def _digit(place: int) -> Callable[[Code], int]:
    return lambda code: code[place]


def _sum(*places: int) -> Callable[[Code], int]:
    return lambda code: sum(code[place] for place in places)


def _times(digit: int) -> Callable[[Code], int]:
    return lambda code: code.count(digit)


def _even_digits(code: Code) -> int:
    return sum(digit % 2 == 0 for digit in code)


def _order(code: Code) -> int:
    steps = {(right > left) - (right < left) for left, right in pairwise(code)}
    return steps.pop() if len(steps) == 1 else 0


def _steps_of_one(code: Code) -> int:
    return sum(right - left == 1 for left, right in pairwise(code))


def _spread(code: Code) -> int:
    return (max(code) - min(code)) // 2 if code else 0
