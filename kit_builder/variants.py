"""The PDFs that are wanted of every activity: editions, papers, parts, sets, and their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kit_builder import formats
from kit_builder.formats import Format
from kit_builder.printing import (
    EDITIONS,
    EVERYTHING,
    HOST,
    PARTS,
    PLAYER,
    THE_KITS_OWN,
    Only,
    Orders,
    Printing,
    PuzzleOrder,
)

_SEPARATE: tuple[Only, ...] = ("pages", "fronts", "backs")
_OF_PARTS = {*PARTS, *_SEPARATE}


@dataclass(frozen=True, slots=True)
class Variant:
    """One PDF of every activity: an edition, printed in one way.

    Attributes:
        marks: what tells its file name from those of other ways to print, such as "letter".
    """

    edition: str
    printing: Printing
    marks: tuple[str, ...] = ()
    orders: Orders = EVERYTHING

    @property
    def way(self) -> str:
        """How it is printed, whichever part it is: "letter.large"; "" as most print it."""
        return ".".join(mark for mark in self.marks if not set(mark.split("-")) <= _OF_PARTS)

    def file_name(self, slug: str, mark: str = "") -> str:
        """Such as "pass-and-pick-shapes.ca.letter.pdf"."""
        host = HOST if self.edition == HOST else ""
        return ".".join(filter(None, (slug, mark, *self.marks, host, "pdf")))


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be built of every activity.

    Attributes:
        editions: PLAYER, HOST or both.
        papers: each makes PDFs of its own.
        split: one PDF for each part of the player edition.
        languages: those wanted; all that an activity has if empty.
        puzzles: those wanted of an activity that has one.
        printing: how; its paper does not count.
    """

    printing: Printing = Printing()
    papers: Sequence[Format] = (formats.PAPERS["a4"],)
    editions: Sequence[str] = EDITIONS
    split: bool = False
    languages: Sequence[str] = ()
    puzzles: Sequence[PuzzleOrder] = (THE_KITS_OWN,)

    def variants(self) -> Iterator[Variant]:
        """Every PDF that is wanted of an activity."""
        for paper in dict.fromkeys(self.papers):
            printing = replace(self.printing, paper=paper)
            marks: tuple[str, ...] = ()
            if len(set(self.papers)) > 1:
                marks += (paper.name.lower().replace(" ", ""),)
            if printing.large:
                marks += ("large",)
            if PLAYER in self.editions:
                yield from _player_variants(printing, marks, self.split)
            if HOST in self.editions and not printing.cards:
                plain = Printing(
                    paper,
                    large=printing.large,
                    profile=printing.profile,
                    school=printing.school,
                )
                yield Variant(HOST, plain, marks)


def _player_variants(printing: Printing, marks: tuple[str, ...], split: bool) -> Iterator[Variant]:
    """The player files of one way to print: one, or one a part, or fronts and backs apart."""
    if printing.sets:
        first, last = printing.sets[0].letter.lower(), printing.sets[-1].letter.lower()
        marks += (f"set-{first}" if first == last else f"sets-{first}-{last}",)
    parts = tuple(part for part in PARTS if part in printing.parts)
    if printing.cards:
        marks += ("reprint",)
        chosen: list[tuple[str, ...]] = [("cards",)]
    elif split:
        chosen = [(part,) for part in parts or PARTS]
    else:
        chosen = [() if parts == PARTS else parts]
    for each in chosen:
        named = marks if printing.cards or not each else (*marks, "-".join(each))
        orders = Orders(
            parts=each,
            cards=printing.cards,
            only="cards" if printing.cards else None,
            backs=printing.backs != "none",
            cut=printing.cut,
            gutter=printing.gutter,
            bleed=printing.bleed,
        )
        if printing.backs != "separate" or (each and "cards" not in each):
            yield Variant(PLAYER, printing, named, orders)
            continue
        for only in _SEPARATE[1:] if printing.cards else _SEPARATE:
            yield Variant(PLAYER, printing, (*named, only), replace(orders, only=only))
