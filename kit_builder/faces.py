"""Card faces: what is drawn inside one card's trim, once, however often the card is printed.

In the markup of a face x and y count from the upper left corner of the trim, to the right and
down; on the canvas from its lower left corner, as everywhere in PDF. Nothing here draws on the
trim itself: cut lines belong to the sheet.

`ELEMENTS` is the whole vocabulary of card faces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from kit_builder import shapes
from kit_builder.document import Element
from kit_builder.errors import Location, fault
from kit_builder.formats import Format
from kit_builder.markup import (
    attributes,
    children,
    converted,
    one_of,
    set_label,
    side,
    spans,
    too_wide,
    unknown,
    whole_number,
    yes_or_no,
)
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import (
    RULE,
    SPACE,
    Line,
    Style,
    TooWideError,
    break_lines,
    draw_lines,
    words,
)
from kit_builder.units import in_mm, length


class Item(Protocol):
    """Something on a card face."""

    def draw(self, canvas: TaggedCanvas) -> None:
        """Draws it; the canvas has its origin at the lower left corner of the trim."""
        ...


@dataclass(frozen=True, slots=True)
class Shape:
    """A named shape; x, y is its centre, `size` the side of the square it is fitted in."""

    name: str
    x: float
    y: float
    size: float
    fill: str

    def draw(self, canvas: TaggedCanvas) -> None:
        shapes.draw(canvas, self.name, self.x, self.y, self.size, self.fill)


@dataclass(frozen=True, slots=True)
class Lines:
    """A paragraph of a text; `top` counts down from the top of the text."""

    lines: tuple[Line, ...]
    style: Style
    top: float
    indent: float = 0
    marker: Line | None = None

    @property
    def foot(self) -> float:
        """Where it ends, counted like `top`."""
        return self.top + len(self.lines) * self.style.leading


@dataclass(frozen=True, slots=True)
class TextBox:
    """Paragraphs below each other in a box; x, y is the box's upper left corner."""

    paragraphs: tuple[Lines, ...]
    x: float
    y: float
    width: float
    align: float

    def draw(self, canvas: TaggedCanvas) -> None:
        for each in self.paragraphs:
            left, top = self.x + each.indent, self.y - each.top
            measure = self.width - each.indent
            draw_lines(canvas, each.lines, each.style, left, top, measure=measure, align=self.align)
            if each.marker:
                offset = (each.marker.width + SPACE) * each.style.size
                draw_lines(canvas, [each.marker], each.style, left - offset, top)


@dataclass(frozen=True, slots=True)
class Rule:
    """A horizontal rule from x, y to the right."""

    x: float
    y: float
    width: float

    def draw(self, canvas: TaggedCanvas) -> None:
        canvas.setLineWidth(RULE)
        canvas.line(self.x, self.y, self.x + self.width, self.y)


@dataclass(frozen=True, slots=True)
class Corners:
    """Items in a corner of the card, and again in the opposite one, turned by 180 degrees.

    However a hand of cards is fanned, one of them can be read.
    """

    items: tuple[Item, ...]
    width: float
    height: float

    def draw(self, canvas: TaggedCanvas) -> None:
        for turned in (False, True):
            canvas.saveState()
            if turned:
                canvas.translate(self.width, self.height)
                canvas.rotate(180)
            draw(canvas, self.items)
            canvas.restoreState()


@dataclass(frozen=True, slots=True)
class Face:
    """A whole card face; equal faces are one form in the file."""

    items: tuple[Item, ...]

    def draw(self, canvas: TaggedCanvas) -> None:
        """Draws it with the lower left corner of the trim at the canvas's origin."""
        draw(canvas, self.items)


def draw(canvas: TaggedCanvas, items: Sequence[Item]) -> None:
    """Draws all items, in order."""
    for item in items:
        item.draw(canvas)


class _Blank(NamedTuple):
    """The empty card a face is set on; see `read`."""

    width: float
    height: float
    name: str
    least: float
    place: Location | None


def read(
    card: Element, size: Format, name: str, least: float = 0, place: Location | None = None
) -> Face:
    """The face a card's markup describes.

    Args:
        card: the element whose children are the items.
        size: of the trim.
        name: what to call the card in a fault.
        least: the smallest size of any text on it.
        place: where the author chose the size, if he did.

    Raises:
        KitError: an unknown element, attribute, shape or fill; text that does not fit at its
            smallest size.
    """
    return Face(tuple(_items(card, _Blank(size.width, size.height, name, least, place))))


def _items(parent: Element, blank: _Blank) -> Iterator[Item]:
    for element in parent.elements():
        if element.tag not in ELEMENTS:
            raise unknown(element, ELEMENTS)
        yield ELEMENTS[element.tag](element, blank)


def _corners(element: Element, blank: _Blank) -> Item:
    attributes(element)
    return Corners(tuple(_items(element, blank)), blank.width, blank.height)


def _shape(element: Element, blank: _Blank) -> Item:
    said = attributes(element, "name", "x", "y", "size", "fill?")
    fill = converted(said["fill"], one_of(shapes.FILLS, "fill")) if said.get("fill") else "solid"
    x, y = (converted(said[key], length) for key in ("x", "y"))
    width = converted(said["size"], side)
    shape = converted(said["name"], one_of(shapes.SHAPES, "shape"))
    _check_inside(element, blank, x - width / 2, y - width / 2, width, width)
    return Shape(shape, x, blank.height - y, width, fill)


def _rule(element: Element, blank: _Blank) -> Item:
    said = attributes(element, "x", "y", "width")
    x, y = (converted(said[key], length) for key in ("x", "y"))
    width = converted(said["width"], side)
    _check_inside(element, blank, x, y, width, 0)
    return Rule(x, blank.height - y, width)


def _text(element: Element, blank: _Blank) -> Item:
    """A text in a box, made smaller until it fits, but never smaller than its floor."""
    said = attributes(
        element, "x", "y", "width", "height", "size", "floor?", "align?", "valign?", "bold?"
    )
    x, y = (converted(said[key], length) for key in ("x", "y"))
    width, height = (converted(said[key], side) for key in ("width", "height"))
    _check_inside(element, blank, x, y, width, height)
    at = max(converted(said["size"], side), blank.least)
    floor = max(converted(said["floor"], side), blank.least) if "floor" in said else at
    align = _ALIGN[converted(said["align"], one_of(_ALIGN, "align"))] if "align" in said else 0
    middle = "valign" in said and converted(said["valign"], one_of(_VALIGN, "valign")) == "middle"
    bold = "bold" in said and converted(said["bold"], yes_or_no)
    while True:
        try:
            paragraphs = _paragraphs(element, width, at, bold)
        except TooWideError as error:
            if at <= floor:
                raise too_wide(error, element, at, blank.name) from None
        else:
            used = paragraphs[-1].foot if paragraphs else 0
            if used <= height:
                break
            if at <= floor:
                raise fault(
                    element.text.location,
                    f"the text is {in_mm(used - height)} mm too high for {blank.name} at {at:g} pt",
                    "shorten it, or choose a larger card size",
                )
        at = max(floor, at - _SHRINK_STEP)
    space_above = (height - used) / 2 if middle else 0
    return TextBox(tuple(paragraphs), x, blank.height - y - space_above, width, align)


def _paragraphs(element: Element, width: float, size: float, bold: bool) -> list[Lines]:
    """The paragraphs of a text below each other.

    Raises:
        TooWideError: a word is wider than its line.
    """
    style = Style(size, _LEADING * size)
    made: list[Lines] = []
    for indent, marker, paragraph in _flattened(element):
        heads = bold or paragraph.tag in _HEADINGS
        broken = break_lines(words(spans(paragraph, heads)), width - indent * _INDENT * size, size)
        top = made[-1].foot + (_LIST_GAP if marker else _GAP) * size if made else 0.0
        label = set_label(marker, style) if marker else None
        made.append(Lines(tuple(broken), style, top, indent * _INDENT * size, label))
    return made


def _flattened(
    element: Element, indent: int = 0, first: str = ""
) -> Iterator[tuple[int, str, Element]]:
    """The paragraphs in an element: how deep in lists, with which marker."""
    blocks = [child for child in element.children if isinstance(child, Element)]
    if not any(child.tag in _BLOCKS for child in blocks):
        yield indent, first, element
        return
    for child in element.elements():
        if child.tag in ("ul", "ol"):
            start = attributes(child, "start?").get("start")
            first_number = converted(start, whole_number) if start else 1
            for number, item in enumerate(children(child, "li"), first_number):
                marker = f"{number}." if child.tag == "ol" else "•"
                yield from _flattened(item, indent + 1, marker)
        elif child.tag in _BLOCKS:
            attributes(child)
            yield indent, first, child
            first = ""
        elif child.tag == "table":
            raise fault(child.text.location, "a card has no room for a table", "write a list")
        else:
            raise unknown(child, _BLOCKS)


def _check_inside(
    element: Element, blank: _Blank, left: float, top: float, width: float, height: float
) -> None:
    """Refuses what reaches beyond the trim, where the neighbour lies; top counts down from there.

    Raises:
        KitError: it does.
    """
    right, foot = blank.width - left - width, blank.height - top - height
    excess = -min(left, top, right, foot)
    if excess > _ROUNDING:
        card = f"{blank.name} ({element.location})" if blank.place else blank.name
        raise fault(
            blank.place or element.location,
            f"this <{element.tag}> reaches {in_mm(excess)} mm beyond the edge of {card}",
            "move it, or choose a larger card size",
        )


_ALIGN = {"left": 0.0, "centre": 0.5, "right": 1.0}
_VALIGN = ("top", "middle")
_HEADINGS = ("h2", "h3")
_BLOCKS = dict.fromkeys(("p", "ul", "ol", *_HEADINGS))
_SHRINK_STEP = 0.5
_LEADING = 1.25
# In ems: the indent of list items, and the gaps above a list item and another paragraph.
_INDENT = 1.3
_LIST_GAP = 0.15
_GAP = 0.4
# A sum of lengths may miss the exact edge by rounding.
_ROUNDING = 1e-6

ELEMENTS: Mapping[str, Callable[[Element, _Blank], Item]] = {
    "text": _text,
    "shape": _shape,
    "rule": _rule,
    "corners": _corners,
}
