"""Make-up: which blocks and which cards stand on which side of which sheet of paper.

Pure arithmetic on a story. Text pages are filled from the top; cards lie where `imposition` puts
them. In a duplex file every card front is on the front of a sheet, its back right behind it. Where
fronts and backs are files of their own, a sheet is the same page of both.
Lengths in points, origin at the lower left corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kit_builder import imposition, pages
from kit_builder.banner import BANNER_DEPTH
from kit_builder.decks import Cards
from kit_builder.errors import fault, halves
from kit_builder.formats import UNPRINTABLE_MARGIN
from kit_builder.grids import Box
from kit_builder.imposition import Sheet
from kit_builder.printing import Printing
from kit_builder.story import Flow, Frame, Part, Story
from kit_builder.typography import LARGE, NORMAL
from kit_builder.units import MM

# 60 to 70 characters of 13 pt Andika, which is narrow: what clear-print guides ask for.
_MEASURE = 142 * MM
_SIDE = 22 * MM
_LEAST_SIDE = 14 * MM
_PIECES_SIDE = 11 * MM
_HEAD = 14 * MM
_FOOT = 17 * MM
_LARGE_FOOT = 25 * MM

_DUPLEX = ("long-edge", "short-edge")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a sheet of paper: blocks, or cards, or nothing.

    Attributes:
        part: what it belongs to.
    """

    part: Part
    blocks: tuple[pages.Placed, ...] = ()
    sheet: Sheet | None = None
    cards: Cards | None = None

    @property
    def blank(self) -> bool:
        """Nothing is printed on it: it is the empty back of a sheet."""
        return not self.blocks and self.sheet is None

    @property
    def card_stock(self) -> bool:
        """It is to be printed on card rather than on paper."""
        return self.part.name == "cards"


def is_duplex(sides: Sequence[Side], printing: Printing) -> bool:
    """Whether sides follow each other as fronts and backs of the same sheets."""
    return printing.backs in _DUPLEX and any(
        side.sheet is not None and side.sheet.side == "back" for side in sides
    )


def text_box(printing: Printing, *, banner: bool) -> Box:
    """Where text stands on a page, with a banner above it or not."""
    paper, beyond = printing.paper, _beyond(printing)
    side = max(_LEAST_SIDE + beyond, min(_SIDE, (paper.width - _MEASURE) / 2))
    head = (_HEAD + BANNER_DEPTH if banner else _HEAD) + beyond
    foot = (_LARGE_FOOT if printing.large else _FOOT) + beyond
    return Box(side, foot, paper.width - side, paper.height - head)


def _beyond(printing: Printing) -> float:
    """How much more than other printers this one leaves blank at the edges."""
    return max(0, printing.margin - UNPRINTABLE_MARGIN)


def frame(printing: Printing, *, banner: bool) -> Frame:
    """The room for text on a page."""
    box = text_box(printing, banner=banner)
    width = box.right - box.left
    return Frame(
        min(_MEASURE, width),
        width,
        printing.paper.width - 2 * (_PIECES_SIDE + _beyond(printing)),
        box.top - box.bottom,
        LARGE if printing.large else NORMAL,
    )


def make_up(story: Story, printing: Printing) -> list[Side]:
    """Every side of a story in the order of printing.

    Raises:
        KitError: cards that do not fit on the paper.
    """
    duplex = printing.backs in _DUPLEX and any(_has_backs(part) for part in story.parts)
    sides: list[Side] = []
    for part in story.parts:
        for content in part.contents:
            two_sided = part.name == "rules" and isinstance(content, Flow)
            alone = duplex and not two_sided
            if duplex and len(sides) % 2:
                sides.append(Side(sides[-1].part))
            for side in _sides(content, part, printing, story):
                sides.append(side)
                if alone and (side.cards is None or not side.cards.make.backs):
                    sides.append(Side(part))
    while sides and sides[-1].blank:
        sides.pop()
    return sides


def _has_backs(part: Part) -> bool:
    return any(isinstance(content, Cards) and content.make.backs for content in part.contents)


def _sides(content: Flow | Cards, part: Part, printing: Printing, story: Story) -> Iterator[Side]:
    if isinstance(content, Flow):
        box = text_box(printing, banner=bool(story.banner))
        for filled in pages.copyfit(content.blocks, box.top - box.bottom):
            yield Side(part, tuple(filled))
    else:
        unprinted = content.cards[0].face is None and not content.make.backs
        for sheet in _ganged(content, printing):
            yield Side(part) if unprinted else Side(part, sheet=sheet, cards=content)


def _ganged(cards: Cards, printing: Printing) -> list[Sheet]:
    make = cards.make
    profile = printing.profile
    try:
        sheets = imposition.gang(
            len(cards.cards),
            make.size,
            printing.paper,
            margin=printing.margin,
            gutter=make.gutter,
            bleed=make.bleed,
            order=printing.order,
            cutting=make.cut,
            backs=None if printing.backs == "none" or not make.backs else printing.backs,
            offset=(profile.back_x, profile.back_y),
            cut_backs=printing.cut_backs,
            imprint=(LARGE if printing.large else NORMAL).least_imprint,
        )
    except ValueError as error:
        what, instead = halves(error)
        raise fault(cards.location, f'deck "{cards.deck}": {what}', instead) from None
    if printing.backs != "separate" or not make.backs:
        return list(sheets)
    wanted = "front" if cards.cards[0].face else "back"
    return [sheet for sheet in sheets if sheet.side == wanted]
