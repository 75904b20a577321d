"""The arithmetic of the bench: what is timed, in which order, and what comes of the times."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured, and perhaps what is wanted of it.

    Attributes:
        unit: "x" for a ratio, "%" for a share, or a unit.
        most: the greatest value that is wanted; None if any is.
        least: the smallest.
    """

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def wanted(self) -> str:
        """In words; "" if nothing is."""
        if self.most is not None:
            return f"at most {self.most:g} {self.unit}"
        return f"at least {self.least:g} {self.unit}" if self.least is not None else ""

    @property
    def reached(self) -> bool | None:
        """Whether the value is as wanted; None if nothing is."""
        if self.most is None and self.least is None:
            return None
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)

    @property
    def row(self) -> tuple[str, ...]:
        """For a table: what, value, wanted, and whether it is reached."""
        verdict = {True: "reached", False: "NOT REACHED", None: ""}[self.reached]
        return self.what, f"{digits(self.value)} {self.unit}", self.wanted, verdict

    @property
    def facts(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"reached": self.reached}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measurement found.

    Attributes:
        rows: of a table, each with as many cells as there are columns.
        notes: what is to be known about it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: Sequence[Figure]
    notes: Sequence[str] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"figures": [figure.facts for figure in self.figures]}

    def __str__(self) -> str:
        parts = [self.title, *self.notes]
        if self.rows:
            parts += ["", table(self.columns, self.rows)]
        if self.figures:
            found = [figure.row for figure in self.figures]
            parts += ["", table(("figure", "measured", "wanted", ""), found)]
        return "\n".join(parts)


def interleaved(
    calls: Mapping[str, Callable[[int], object]], rounds: int
) -> dict[str, list[float]]:
    """The seconds of calls, round by round: each is made once before any is made again.

    So whatever slows the machine for a while slows all of them. Each round begins with another
    call, so that none always comes after the same one. What a call leaves for the garbage
    collector is collected before the next one begins.

    Args:
        calls: by name; each is given the number of the round.
        rounds: how many.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            gc.collect()
            start = time.perf_counter()
            calls[name](number)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def ratio(seconds: Sequence[float], others: Sequence[float]) -> float:
    """How many times longer: the median over the rounds, each compared with itself."""
    return median(mine / other for mine, other in zip(seconds, others, strict=True))


def difference(seconds: Sequence[float], others: Sequence[float]) -> float:
    """How much longer: the median over the rounds, each compared with itself."""
    return median(mine - other for mine, other in zip(seconds, others, strict=True))


def digits(value: float) -> str:
    """A number with about three digits that count: "0.021", "3.5", "128"."""
    size = abs(value)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{value:.{places}f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Text in columns: words to the left, numbers to the right."""
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]

    numeric = [all(map(_is_number, cells)) for cells in zip(*rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        drawn = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        )
        return "  ".join(drawn).rstrip()

    return "\n".join([line(columns), *map(line, rows)])


def _is_number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] == "-"
