"""One PDF of one kit, as a job: what it is made of, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Literal

from kit_builder.material import Material
from kit_builder.variants import Variant


@dataclass(frozen=True, slots=True)
class Job:
    """A PDF that is wanted. It depends on nothing that is not in here, but for the program.

    Attributes:
        pictures: for a gallery are wanted as well.
    """

    material: Material
    variant: Variant
    pictures: bool = False

    @property
    def path(self) -> PurePosixPath:
        """Of the PDF in the output folder, such as player/hidden-trap-bid.ca.pdf."""
        name = self.variant.file_name(self.material.definition.stem, self.material.mark)
        return PurePosixPath(self.variant.edition, name)

    @property
    def sources(self) -> tuple[str, ...]:
        """What messages call the files of the activity, the definition first."""
        written = (self.material.definition, self.material.translation)
        return tuple(file.shown for file in written if file)


@dataclass(frozen=True, slots=True)
class Count:
    """What some PDFs need.

    Attributes:
        pages: printed sides of sheets, empty backs not counted.
        paper, card: sheets of plain paper, and of card stock.
        cards: cards to cut out.
        cuts: from edge to edge of a sheet, on all sheets, one by one.
    """

    pages: int = 0
    paper: int = 0
    card: int = 0
    cards: int = 0
    cuts: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(Count))
        )


@dataclass(frozen=True, slots=True)
class About:
    """What a gallery says of a kit, in the language of the kit.

    Attributes:
        mark: which of several puzzles it has; or "".
        players, minutes: the least and the most.
        pieces: decks and cut-outs, each with its count.
    """

    title: str
    mark: str
    category: str
    summary: str
    players: tuple[int, int]
    minutes: tuple[int, int]
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page of a PDF as a PNG; its size in pixels."""

    kind: Literal["page", "cards"]
    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Made:
    """What came of a job.

    Attributes:
        pdf: empty where the variant has nothing to print.
        pages: of the PDF, blank ones counted.
        pictures: of its first text page and its first sheet of cards, if they were wanted.
        used: the names of the templates that it depends on, in their order.
        seconds: that it took.
    """

    pdf: bytes
    pages: int
    count: Count
    used: tuple[str, ...]
    seconds: float
    about: About
    pictures: tuple[Picture, ...] = ()


def picture_name(pdf: str, kind: str) -> str:
    """The name of a picture of a PDF, both from the output folder."""
    path = PurePosixPath(pdf)
    return str(path.parent / "pictures" / f"{path.stem}.{kind}.png")
