"""A story on sheets: PDF bytes. The only module that opens a canvas.

Text pages are filled from the top; cards lie where `imposition` puts them. Every sheet says what
it is, for which paper, and carries check rulers. Lengths in points, origin at the lower left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from kit_builder import imposition, marks, pages
from kit_builder.errors import Text, fault
from kit_builder.faces import Face
from kit_builder.formats import Format
from kit_builder.imposition import Box, Sheet
from kit_builder.markup import set_label
from kit_builder.story import Cards, Flow, Frame, Story
from kit_builder.structure import Element, TaggedCanvas
from kit_builder.typography import REGULAR, Run, Style, draw_lines, set_word
from kit_builder.units import MM

# 60 to 70 characters of 13 pt Andika, which is narrow: what clear-print guides ask for.
_MEASURE = 142 * MM
_SIDE = 22 * MM
_LEAST_SIDE = 14 * MM
_PIECES_SIDE = 11 * MM
_HEAD = 14 * MM
_FOOT = 17 * MM

_SEPARATOR = " · "

_BANNER = Style(15, 8 * MM, bold=True)
_BANNER_FRAME = 1.6 * MM
_BANNER_GAP = 4 * MM


@dataclass(frozen=True, slots=True)
class _Page:
    """A side of a sheet: its part, and either placed blocks or placed cards."""

    part: str
    blocks: tuple[pages.Placed, ...] = ()
    sheet: Sheet | None = None
    cards: Cards | None = None


def frame(paper: Format, *, banner: bool) -> Frame:
    """The room for text on a page of this paper, with a banner on it or not."""
    box = _text_box(paper, banner)
    width = box.right - box.left
    pieces = paper.width - 2 * _PIECES_SIDE
    return Frame(min(_MEASURE, width), width, pieces, box.top - box.bottom)


def _text_box(paper: Format, banner: bool) -> Box:
    side = max(_LEAST_SIDE, min(_SIDE, (paper.width - _MEASURE) / 2))
    head = _HEAD + _BANNER.leading if banner else _HEAD
    return Box(side, _FOOT, paper.width - side, paper.height - head)


def typeset(story: Story, paper: Format, words: Mapping[str, Text]) -> bytes:
    """The PDF of a story.

    Args:
        story: made for the `frame` of this paper.
        paper: of every page.
        words: the labels of the imprint: "page", "print-at", "part-line".

    Raises:
        KitError: cards that are larger than the paper.
    """
    file = BytesIO()
    canvas = TaggedCanvas(
        file,
        (paper.width, paper.height),
        story.root,
        language=story.language,
        title=story.title,
        font=REGULAR,
    )
    sides = list(_sides(story, paper))
    forms: dict[Face, str] = {}
    box = _text_box(paper, bool(story.banner))
    part = ""
    for number, side in enumerate(sides, 1):
        if side.part != part:
            part = side.part
            canvas.outline(part)
        what = [_filled(words["part-line"], title=story.title, part=part)]
        how = [_filled(words["page"], page=number, pages=len(sides))]
        how += [paper.name, words["print-at"]]
        block, occupied = box, box
        if side.sheet and side.cards:
            _draw_cards(canvas, side.sheet, side.cards, forms)
            marks.draw(canvas, side.sheet)
            what.append(side.cards.size.dimensions)
            block, occupied = side.sheet.block, side.sheet.occupied
        else:
            for block_placed, offset in side.blocks:
                block_placed.draw(canvas, box.left, box.top - offset)
            if story.banner:
                block = occupied = _draw_banner(canvas, story.banner, box)
        _draw_imprint(canvas, paper, block, occupied, what, how)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw_imprint(
    canvas: TaggedCanvas,
    paper: Format,
    block: Box,
    occupied: Box,
    what: Sequence[str],
    how: Sequence[str],
) -> None:
    try:
        imprint = marks.imprint(
            paper.width,
            paper.height,
            block,
            _setting,
            _SEPARATOR.join(what),
            _SEPARATOR.join(how),
            occupied=occupied,
            inches=paper.inches,
        )
    except ValueError as error:
        problem, _, instead = str(error).partition("; ")
        raise fault(None, problem, instead) from None
    marks.draw_imprint(canvas, imprint)


def _setting(text: str) -> Sequence[Run]:
    return set_word(text, False).runs


def _filled(label: Text, **values: object) -> str:
    text = str(label)
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _sides(story: Story, paper: Format) -> Iterator[_Page]:
    """Every side that is printed, in order."""
    box = _text_box(paper, bool(story.banner))
    for part in story.parts:
        for content in part.contents:
            if isinstance(content, Flow):
                for filled in pages.fill(content.blocks, box.top - box.bottom):
                    yield _Page(part.title, tuple(filled))
            else:
                for sheet in _ganged(content, paper):
                    yield _Page(part.title, sheet=sheet, cards=content)


def _ganged(cards: Cards, paper: Format) -> tuple[Sheet, ...]:
    try:
        return imposition.gang(len(cards.cards), cards.size, paper)
    except ValueError as error:
        what, _, instead = str(error).partition("; ")
        raise fault(cards.location, what, instead) from None


def _draw_cards(canvas: TaggedCanvas, sheet: Sheet, cards: Cards, forms: dict[Face, str]) -> None:
    """Each card of a sheet in its place; equal faces are one form in the file."""
    for placement in sheet.placements:
        face, element = cards.cards[placement.item]
        if face not in forms:
            forms[face] = f"card-{len(forms) + 1}"
            canvas.beginForm(forms[face], 0, 0, cards.size.width, cards.size.height)
            face.draw(canvas)
            canvas.endForm()
        _set_box(element, placement.box)
        with canvas.marked(element):
            canvas.saveState()
            canvas.transform(*placement.matrix)
            canvas.doForm(forms[face])
            canvas.restoreState()


def _set_box(element: Element, box: Box) -> None:
    element.bbox = (box.left, box.bottom, box.right, box.top)


def _draw_banner(canvas: TaggedCanvas, words: str, box: Box) -> Box:
    """A heavy frame around the text, with words on black in its head: the key's mark.

    Returns:
        The frame's outer edge.
    """
    left, bottom, right, top = box.grown(_BANNER_GAP)
    outer = Box(left, bottom, right, top + _BANNER.leading)
    canvas.setLineWidth(_BANNER_FRAME)
    canvas.rect(left, bottom, right - left, outer.top - bottom)
    canvas.rect(left, top, right - left, _BANNER.leading, fill=1)
    canvas.setFillGray(1)
    line = set_label(words, _BANNER)
    draw_lines(canvas, [line], _BANNER, left, outer.top, measure=right - left, align=0.5)
    canvas.setFillGray(0)
    return outer
