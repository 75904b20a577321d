"""The criteria of code and checkers: what a checker may say about a code of three digits.

A code gives a digit from 1 to 5 to each of triangle, square and circle, in this order; digits may
repeat, so there are 125 codes. A family is what one criteria card shows. Its options exclude each
other: a code meets exactly one of them, or none where a tie leaves no single smallest or largest
digit. Their wording stands in `templates/criteria/`, under `family` and `family.option`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product

Code = tuple[int, int, int]
_Measure = Callable[[Code], int]

SHAPES = ("triangle", "square", "circle")
DIGITS = (1, 2, 3, 4, 5)
# 111, 112 ... 115, 121 ... 555.
CODES: tuple[Code, ...] = tuple(product(DIGITS, DIGITS, DIGITS))


@dataclass(frozen=True, slots=True)
class Option:
    """One criterion: `holds` says of which codes it is true."""

    id: str
    holds: Callable[[Code], bool]


@dataclass(frozen=True, slots=True)
class Family:
    """The criteria of one card, at most one of which is true of any code."""

    id: str
    options: tuple[Option, ...]


def _sorted(family: str, measure: _Measure, options: Mapping[str, int]) -> Family:
    """A family that sorts codes by a number measured on them: one option for each number."""

    def option(name: str, number: int) -> Option:
        return Option(name, lambda code: measure(code) == number)

    return Family(family, tuple(option(name, number) for name, number in options.items()))


def _parity(family: str, measure: _Measure) -> Family:
    return _sorted(family, lambda code: measure(code) % 2, {"even": 0, "odd": 1})


def _comparison(family: str, difference: _Measure) -> Family:
    def sign(code: Code) -> int:
        return (difference(code) > 0) - (difference(code) < 0)

    return _sorted(family, sign, {"less": -1, "equal": 0, "more": 1})


def _one_or_more(family: str, measure: _Measure) -> Family:
    return _sorted(family, lambda code: min(measure(code), 2), {"1": 1, "more": 2})


def _count(family: str, measure: _Measure, most: int = 3) -> Family:
    return _sorted(family, measure, {str(count): count for count in range(most + 1)})


def _single(family: str, extreme: Callable[[Code], int]) -> Family:
    def place(code: Code) -> int:
        digit = extreme(code)
        return code.index(digit) if code.count(digit) == 1 else -1

    return _sorted(family, place, {shape: place for place, shape in enumerate(SHAPES)})


def _direction(code: Code) -> int:
    """1 if every step is up, -1 if every step is down, else 0."""
    signs = {(later > earlier) - (later < earlier) for earlier, later in pairwise(code)}
    return signs.pop() if len(signs) == 1 else 0


def _even_digits(code: Code) -> int:
    return sum(digit % 2 == 0 for digit in code)


def _spread(code: Code) -> int:
    """Largest less smallest digit: 1 stands for 0 or 1, 3 for 3 or 4."""
    return min(max(max(code) - min(code), 1), 3)


def _steps_of_1(code: Code) -> int:
    return sum(later - earlier == 1 for earlier, later in pairwise(code))


# The ids stand in the wording files. Puzzles are drawn from this order: whoever changes it, or what
# an option means, changes every puzzle, and so `puzzles.VERSION`.
FAMILIES = (
    _parity("triangle-parity", lambda code: code[0]),
    _parity("square-parity", lambda code: code[1]),
    _parity("circle-parity", lambda code: code[2]),
    _comparison("triangle-and-3", lambda code: code[0] - 3),
    _comparison("square-and-3", lambda code: code[1] - 3),
    _comparison("circle-and-3", lambda code: code[2] - 3),
    _one_or_more("triangle-and-1", lambda code: code[0]),
    _one_or_more("square-and-1", lambda code: code[1]),
    _one_or_more("circle-and-1", lambda code: code[2]),
    _count("how-many-1", lambda code: code.count(1)),
    _count("how-many-2", lambda code: code.count(2)),
    _count("how-many-3", lambda code: code.count(3)),
    _count("how-many-4", lambda code: code.count(4)),
    _count("how-many-5", lambda code: code.count(5)),
    _comparison("triangle-and-square", lambda code: code[0] - code[1]),
    _comparison("triangle-and-circle", lambda code: code[0] - code[2]),
    _comparison("square-and-circle", lambda code: code[1] - code[2]),
    _single("smallest", min),
    _single("largest", max),
    _sorted("majority", lambda code: _even_digits(code) // 2, {"even": 1, "odd": 0}),
    _count("how-many-even", _even_digits),
    _parity("sum-parity", sum),
    _comparison("triangle-plus-square-and-6", lambda code: code[0] + code[1] - 6),
    _comparison("triangle-plus-circle-and-6", lambda code: code[0] + code[2] - 6),
    _comparison("square-plus-circle-and-6", lambda code: code[1] + code[2] - 6),
    _comparison("sum-and-9", lambda code: sum(code) - 9),
    _sorted("sum-by-3", lambda code: sum(code) % 3, {"0": 0, "1": 1, "2": 2}),
    _sorted("repeats", lambda code: len(set(code)), {"none": 3, "pair": 2, "all": 1}),
    _sorted("order", _direction, {"up": 1, "down": -1, "neither": 0}),
    _count("steps-of-1", _steps_of_1, most=2),
    _sorted("spread", _spread, {"up-to-1": 1, "2": 2, "from-3": 3}),
    _comparison("middle-and-3", lambda code: sorted(code)[1] - 3),
    _count("how-many-above-3", lambda code: sum(digit > 3 for digit in code)),
    _sorted("largest-digit", lambda code: max(3, *code), {"up-to-3": 3, "4": 4, "5": 5}),
    _comparison("ends-and-twice-square", lambda code: code[0] + code[2] - 2 * code[1]),
)
