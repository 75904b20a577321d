"""Saddle stitch: which pages lie on which side of which sheet of a folded booklet.

Pure arithmetic. A sheet holds two pages beside each other on each side. It lies with its longer
edges level, is turned over along its short edge and folded down its middle; the sheets of a
signature are folded as one pile, the first one outermost. Pages count from 0, lengths in points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

PAGES = 4  # of a sheet


class Spread(NamedTuple):
    """The pages on one side of a sheet, as one looks at it; None is blank."""

    left: int | None
    right: int | None


@dataclass(frozen=True, slots=True)
class FoldedSheet:
    """A sheet of a signature.

    Attributes:
        signature: which one it belongs to, from 0.
        depth: how many sheets lie around it.
        creep: how far its pages move towards the fold, so that all fore-edges are trimmed alike: a
            folded sheet reaches farther out than the one around it.
    """

    signature: int
    depth: int
    front: Spread
    back: Spread
    creep: float = 0


def saddle_stitch(
    pages: int,
    *,
    sheets: int | None = None,
    creep: float = 0,
    cover: bool = False,
) -> tuple[FoldedSheet, ...]:
    """The sheets of a booklet in the order of printing.

    Args:
        pages: how many there are to read.
        sheets: of a signature; one signature holds the whole booklet if not given. The last one
            holds what is left.
        creep: how far a sheet reaches out of the one around it: about the thickness of paper.
        cover: the last page is the outside of the back cover and stays last; blank pages go before
            it, else they follow the last page.

    Raises:
        ValueError: no pages, no sheets in a signature, or a negative creep.
    """
    if pages < 1:
        raise ValueError("a booklet without pages; choose at least one")
    if sheets is not None and sheets < 1:
        raise ValueError(f"a signature of {sheets} sheets; write 1 or more")
    if creep < 0:
        raise ValueError("the creep is less than 0; write how thick a sheet is")
    return tuple(_gathered(_padded(pages, cover), sheets, creep))


def _padded(pages: int, cover: bool) -> list[int | None]:
    """The pages with as many blanks as fill the last sheet."""
    order: list[int | None] = list(range(pages))
    place = pages - 1 if cover else pages
    order[place:place] = [None] * (-pages % PAGES)
    return order


def _gathered(order: list[int | None], sheets: int | None, creep: float) -> Iterator[FoldedSheet]:
    size = PAGES * sheets if sheets else len(order)
    for signature, start in enumerate(range(0, len(order), size)):
        held = order[start : start + size]
        for depth in range(len(held) // PAGES):
            low, high = 2 * depth, len(held) - 1 - 2 * depth
            yield FoldedSheet(
                signature,
                depth,
                Spread(held[high], held[low]),
                Spread(held[low + 1], held[high - 1]),
                depth * creep,
            )
