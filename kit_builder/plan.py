"""The print plan: what a run will need, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence

from kit_builder.imposition import Sheet
from kit_builder.job import Count
from kit_builder.makeup import Side, is_duplex
from kit_builder.printing import Printing


def count(sides: Sequence[Side], printing: Printing) -> Count:
    """What a PDF of these sides needs."""
    printed = [side for side in sides if not side.blank]
    fronts = [side for side in printed if not (side.sheet and side.sheet.side == "back")]
    # Backs alone go onto sheets that are counted with their fronts.
    leaves = _leaves(sides, printing) if fronts else []
    card = sum(leaf[0].card_stock for leaf in leaves)
    sheets = [side.sheet for side in fronts if side.sheet]
    return Count(
        len(printed),
        len(leaves) - card,
        card,
        sum(placement.face for sheet in sheets for placement in sheet.placements),
        sum(_cuts(sheet) for sheet in sheets),
    )


def _leaves(sides: Sequence[Side], printing: Printing) -> list[Sequence[Side]]:
    """The sheets of paper of a PDF, each as its sides."""
    step = 2 if is_duplex(sides, printing) else 1
    return [sides[start : start + step] for start in range(0, len(sides), step)]


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
