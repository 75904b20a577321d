"""Printer profiles (being written)."""

from __future__ import annotations

from dataclasses import dataclass

from kit_builder.formats import UNPRINTABLE_MARGIN


@dataclass(frozen=True, slots=True)
class Profile:
    """A printer."""

    name: str = ""
    flip: str = "long-edge"
    back_x: float = 0
    back_y: float = 0
    margin: float = UNPRINTABLE_MARGIN
    scale_x: float = 1
    scale_y: float = 1


NONE = Profile()
