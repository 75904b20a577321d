"""The booklets that are wanted, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kit_builder import formats
from kit_builder.formats import Format
from kit_builder.printing import PLAYER


@dataclass(frozen=True, slots=True)
class Folding:
    """How a booklet is folded: sheets of a signature, all in one if None; creep in points."""

    signature: int | None = None
    creep: float = 0


@dataclass(frozen=True, slots=True)
class Order:
    """A booklet that is wanted.

    Attributes:
        edition: PLAYER or HOST.
        paper: of its pages; of its sheets if it is folded.
        language: "" for the one in which most of its activities are written.
        title: "" for what booklets are called in its language.
        school, date: on the cover if they are not "".
        folding: None if it is not folded.
        inserts: files, and which of their pages, as in `inserts.insert`.
    """

    edition: str = PLAYER
    paper: Format = formats.PAPERS["a4"]
    language: str = ""
    title: str = ""
    school: str = ""
    date: str = ""
    folding: Folding | None = None
    inserts: Sequence[tuple[Path, str]] = ()

    @property
    def page(self) -> Format:
        """The size of a page."""
        return formats.half(self.paper) if self.folding else self.paper
