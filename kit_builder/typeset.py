"""Sides of sheets -> PDF bytes. The only module that opens a canvas.

Every side says what it is, for which paper, and carries check rulers. Lengths in points, origin at
the lower left corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import NamedTuple

from kit_builder import banner, makeup, marks, patterns
from kit_builder.decks import STAMP, STAMP_EDGE, Card, Cards, Make
from kit_builder.errors import Text, fault, halves
from kit_builder.faces import Face
from kit_builder.grids import Box
from kit_builder.imposition import Placement, Sheet
from kit_builder.makeup import Side
from kit_builder.printing import Printing
from kit_builder.story import Story
from kit_builder.tagging import Duplex, TaggedCanvas
from kit_builder.typography import LARGE, NORMAL, draw_lines
from kit_builder.units import MM

_SEPARATOR = " · "

# How far a back pattern is printed beyond the block: office duplexers shift by up to 2 mm.
_TOLERANCE = 2 * MM

_DUPLEX: Mapping[str, Duplex] = {
    "long-edge": "DuplexFlipLongEdge",
    "short-edge": "DuplexFlipShortEdge",
}


class Numbering(NamedTuple):
    """The number of each side in the file it will be bound into, and how many pages that has."""

    numbers: Sequence[int]
    total: int


def typeset(
    story: Story,
    sides: Sequence[Side],
    printing: Printing,
    words: Mapping[str, Text],
    numbering: Numbering | None = None,
) -> bytes:
    """The PDF of a story.

    Args:
        story: whose structure tree it gets.
        sides: made up from it.
        printing: as for `make_up`.
        words: the labels of the imprint: "page", "print-at".
        numbering: from 1 if not given.

    Raises:
        KitError: the paper has no room for the imprint.
    """
    counted = Numbering(range(1, len(sides) + 1), len(sides))
    return _Press(story, sides, printing, words, numbering or counted).run()


class _Press:
    """One PDF in the making."""

    def __init__(
        self,
        story: Story,
        sides: Sequence[Side],
        printing: Printing,
        words: Mapping[str, Text],
        numbering: Numbering,
    ) -> None:
        self._story = story
        self._sides = sides
        self._numbering = numbering
        self._printing = printing
        self._words = words
        self._paper = printing.paper
        self._styles = LARGE if printing.large else NORMAL
        self._box = makeup.text_box(printing, banner=bool(story.banner))
        self._forms: dict[tuple[Face, Make], str] = {}
        self._file = BytesIO()
        self._canvas = TaggedCanvas(
            self._file,
            (self._paper.width, self._paper.height),
            story.root,
            language=story.language,
            title=story.title,
            duplex=_DUPLEX[printing.backs] if makeup.is_duplex(sides, printing) else "Simplex",
        )

    def run(self) -> bytes:
        """Draws every side."""
        part = class_set = ""
        for number, side in zip(self._numbering.numbers, self._sides, strict=True):
            if side.part.class_set != class_set:
                class_set, part = side.part.class_set, ""
                self._canvas.outline(class_set)
            if side.part.title != part:
                part = side.part.title
                self._canvas.outline(part, 1 if class_set else 0)
            self._scale()
            if not side.blank:
                self._draw(side, number)
            self._canvas.showPage()
        self._canvas.save()
        return self._file.getvalue()

    def _scale(self) -> None:
        """Makes up for a printer that prints too long or too short, about the sheet's centre."""
        profile = self._printing.profile
        if (profile.scale_x, profile.scale_y) != (1, 1):
            x, y = self._paper.width / 2, self._paper.height / 2
            self._canvas.transform(
                profile.scale_x,
                0,
                0,
                profile.scale_y,
                x * (1 - profile.scale_x),
                y * (1 - profile.scale_y),
            )

    def _draw(self, side: Side, number: int) -> None:
        story = self._story
        school = self._printing.school
        what = [school, story.title, story.mark, side.part.class_set, side.part.title]
        if side.sheet and side.cards:
            self._draw_cards(side.sheet, side.cards)
            marks.draw(self._canvas, side.sheet)
            if side.sheet.side == "back":
                return
            what.append(side.cards.make.size.dimensions)
            self._draw_imprint(what, number, side.sheet.block, side.sheet.occupied)
            return
        for block, offset in side.blocks:
            block.draw(self._canvas, self._box.left, self._box.top - offset)
        edge = banner.draw(self._canvas, story.banner, self._box) if story.banner else self._box
        self._draw_imprint(what, number, edge, edge)

    def _draw_imprint(self, what: Sequence[str], number: int, block: Box, occupied: Box) -> None:
        page = self._words["page"].replace("{page}", str(number))
        page = page.replace("{pages}", str(self._numbering.total))
        try:
            imprint = marks.imprint(
                self._paper.width,
                self._paper.height,
                block,
                _SEPARATOR.join(filter(None, what)),
                _SEPARATOR.join((page, self._paper.name, self._words["print-at"])),
                occupied=occupied,
                inches=self._paper.inches,
                size=self._styles.imprint.size,
                smallest=self._styles.least_imprint,
                margin=self._printing.margin,
            )
        except ValueError as error:
            raise fault(self._story.title.location, *halves(error)) from None
        marks.draw_imprint(self._canvas, imprint)

    def _draw_cards(self, sheet: Sheet, cards: Cards) -> None:
        backs = [placement for placement in sheet.placements if not placement.face]
        if cards.pattern and backs:
            with self._canvas.marked(cards.pattern):
                self._draw_pattern(backs, cards.make)
        for placement in sheet.placements:
            self._draw_side(cards.cards[placement.item], placement, cards.make)

    def _draw_pattern(self, backs: Sequence[Placement], make: Make) -> None:
        """One field of pattern behind all the backs of a sheet, a little larger than they are.

        Where the margin is near, it ends there.
        """
        box = backs[0].box
        for placement in backs:
            box = box.joined(placement.box)
        first = backs[0]
        printable = Box(0, 0, self._paper.width, self._paper.height).grown(-self._printing.margin)
        patterns.draw(
            self._canvas,
            make.pattern,
            box.grown(max(_TOLERANCE, make.bleed)).clipped(printable),
            first.width + make.gutter,
            first.height + make.gutter,
            (first.x + first.width / 2, first.y + first.height / 2),
        )

    def _draw_side(self, card: Card, placement: Placement, make: Make) -> None:
        """One side of a card in its place; equal faces are one form in the file."""
        side = card.face if placement.face else card.back
        if side is None:
            return
        form = self._form(side.face, make)
        left, bottom, right, top = placement.box
        side.element.bbox = (left, bottom, right, top)
        with self._canvas.marked(side.element):
            self._canvas.saveState()
            self._canvas.transform(*placement.matrix)
            self._canvas.doForm(form)
            if card.stamp and placement.face:
                foot = STAMP_EDGE + STAMP.leading
                draw_lines(self._canvas, [card.stamp], STAMP, STAMP_EDGE, foot)
            self._canvas.restoreState()

    def _form(self, face: Face, make: Make) -> str:
        """The form of a face: its trim and bleed, at the size it is printed."""
        known = self._forms.get((face, make))
        if known:
            return known
        name = self._forms[face, make] = f"card-{len(self._forms) + 1}"
        size, bleed = make.size, make.bleed
        canvas = self._canvas
        canvas.beginForm(name, -bleed, -bleed, size.width + bleed, size.height + bleed)
        if make.scale != 1:
            canvas.translate(*make.margins)
            canvas.scale(make.scale, make.scale)
        face.draw(canvas)
        canvas.endForm()
        return name
