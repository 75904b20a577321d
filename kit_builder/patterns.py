"""All-over patterns for the backs of cards (being written)."""

from __future__ import annotations

PATTERNS = ("lattice", "waves", "weave")
