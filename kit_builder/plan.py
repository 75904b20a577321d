"""The print plan: what a run will need, before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from kit_builder.build import Output
from kit_builder.imposition import Sheet
from kit_builder.makeup import Side, is_duplex


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


def count(outputs: Iterable[Output]) -> Count:
    """What these PDFs need together."""
    return sum((_count(output) for output in outputs), Count())


def _count(output: Output) -> Count:
    printed = [side for side in output.sides if not side.blank]
    fronts = [side for side in printed if not (side.sheet and side.sheet.side == "back")]
    # Backs alone go onto sheets that are counted with their fronts.
    leaves = _leaves(output) if fronts else []
    card = sum(leaf[0].card_stock for leaf in leaves)
    sheets = [side.sheet for side in fronts if side.sheet]
    return Count(
        len(printed),
        len(leaves) - card,
        card,
        sum(placement.face for sheet in sheets for placement in sheet.placements),
        sum(_cuts(sheet) for sheet in sheets),
    )


def _leaves(output: Output) -> list[Sequence[Side]]:
    """The sheets of paper of a PDF, each as its sides."""
    step = 2 if is_duplex(output.sides, output.printing) else 1
    return [output.sides[start : start + step] for start in range(0, len(output.sides), step)]


def _cuts(sheet: Sheet) -> int:
    """How often a sheet must be cut from edge to edge: once along each trim edge of its cards.

    It is folded first, if it has a fold. Without marks it is not to be cut.
    """
    if not (sheet.cuts or sheet.ticks):
        return 0
    boxes = [placement.box for placement in sheet.placements if placement.face]
    upright = {round(edge, 3) for box in boxes for edge in (box.left, box.right)}
    level = {round(edge, 3) for box in boxes for edge in (box.bottom, box.top)}
    return len(upright) + len(level)
