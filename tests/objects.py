"""What pypdf sees in a PDF: a second opinion on its objects, for tests."""

from __future__ import annotations

import math
from typing import Any

from kit_builder import cos
from kit_builder.cos import Reference, Stream


def alike(ours: Any, other: Any) -> bool:
    """Whether a value is what pypdf takes it for."""
    if isinstance(ours, Reference):
        return bool(ours.idnum == other.idnum)
    if isinstance(ours, Stream):
        entries = {key: each for key, each in ours.items() if key != "/Length"}
        kept = {key: dict.__getitem__(other, key) for key in other if key != "/Length"}
        return alike(entries, kept) and ours.content == other.get_data()
    if isinstance(ours, dict):
        raw = {key: dict.__getitem__(other, key) for key in other}
        return ours.keys() == raw.keys() and all(alike(ours[key], raw[key]) for key in ours)
    if isinstance(ours, tuple):
        return len(ours) == len(other) and all(map(alike, ours, list.__iter__(other)))
    if ours is None or isinstance(ours, bool):
        return bool(getattr(other, "value", None) == ours)
    if isinstance(ours, float):
        return math.isclose(ours, float(other))
    return bool(ours == other) or (isinstance(other, bytes) and cos.text_string(other) == ours)
