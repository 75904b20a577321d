"""Lengths: the only place that knows how many points a millimetre or an inch has.

Inside the program every length is a float in points (1/72 inch, PDF 32000-1, 8.3.2.3).
"""

from __future__ import annotations

import re
from functools import lru_cache

INCH = 72.0
MM = INCH / 25.4
POINT = 1.0

_UNITS = {"mm": MM, "cm": 10 * MM, "in": INCH, "pt": POINT}
_NUMBER = r"(\d+(?:\.\d+)?)"
_UNIT = r"(mm|cm|in|pt)"
_LENGTH = re.compile(rf"(-?){_NUMBER}\s*{_UNIT}")
_SIZE = re.compile(rf"{_NUMBER}\s*{_UNIT}?\s*[x×]\s*{_NUMBER}\s*{_UNIT}")


def length(text: str) -> float:
    """A length such as "63 mm", "2.5 in" or "-1.5mm", in points.

    Raises:
        ValueError: the text is not a number followed by mm, cm, in or pt.
    """
    return _length(str(text))  # a text that knows its file would keep it in memory


# Card faces say the same few lengths over and over.
@lru_cache(maxsize=1024)
def _length(text: str) -> float:
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'"{text}" is not a length; write a number and a unit, such as "63 mm"')
    sign, number, unit = match.groups()
    return float(sign + number) * _UNITS[unit]


def size(text: str) -> tuple[float, float]:
    """A width and height such as "63 x 88 mm" or "2.5 in x 3.5 in", in points.

    Raises:
        ValueError: the text is not two lengths joined by "x", or one of them is 0.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'"{text}" is not a size; write width x height, such as "63 x 88 mm"')
    width, first_unit, height, unit = match.groups()
    points = float(width) * _UNITS[first_unit or unit], float(height) * _UNITS[unit]
    if not all(points):
        raise ValueError(f'"{text}" has a side of length 0; write both sides, such as "63 x 88 mm"')
    return points


def in_mm(points: float) -> str:
    """A length for people, in mm with at most two decimals: "63", "63.5", "88.9"."""
    return f"{points / MM:.2f}".rstrip("0").rstrip(".")
