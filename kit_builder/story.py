"""Markup elements -> what typeset places: blocks on text pages, and cards on sheets.

`ELEMENTS` is the whole vocabulary of text pages; that of pieces is in `pieces`, that of card faces
in `faces`. Every text
is broken into lines here, at its final width, so whatever does not fit is found here, where its
place in the author's file is still known. The structure tree is built on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from kit_builder import decks, pieces, structure, tabular, units
from kit_builder.decks import Cards
from kit_builder.document import Element
from kit_builder.errors import Fault, KitError, Text, fault
from kit_builder.flowables import (
    BOX_GAP,
    LABEL_GAP,
    PANEL_PADDING,
    TICK_INDENT,
    Block,
    Boxes,
    BoxRow,
    Panel,
    Paragraph,
    Piece,
    PieceRow,
    Tick,
    WriteIn,
)
from kit_builder.markup import (
    attributes,
    children,
    converted,
    how_many,
    set_label,
    set_lines,
    unknown,
    whole_number,
)
from kit_builder.printing import EVERYTHING, Orders
from kit_builder.tables import Table
from kit_builder.typography import (
    NORMAL,
    SOFT_HYPHEN,
    Line,
    Style,
    Styles,
)
from kit_builder.units import MM

_INDENT = 7 * MM
_PIECE_GAP = 4 * MM
_WRITING_ROOM = 40 * MM

_HEADINGS = {"title": "H1", "h1": "H1", "h2": "H2", "h3": "H3"}
_PARAGRAPHS = ("p", "lead", "facts", "small")

_LINE = "the text column"


@dataclass(frozen=True, slots=True)
class Frame:
    """The room on a page.

    Attributes:
        measure: the width of running text.
        width: of tables and rows of boxes.
        pieces: of pieces to cut out, which reach into the side margins.
        height: of all of them.
        styles: of all texts.
    """

    measure: float
    width: float
    pieces: float
    height: float
    styles: Styles = NORMAL


@dataclass(frozen=True, slots=True)
class Flow:
    """Blocks that fill pages one after the other, from the top of a new page."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a kit that has its own bookmark and may be printed on its own.

    Attributes:
        name: one of printing.PARTS, or of the host's parts.
        class_set: the name of the class set it belongs to; "" if there are none.
    """

    name: str
    title: str
    class_set: str
    contents: tuple[Flow | Cards, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A whole document, ready to be placed on sheets.

    Attributes:
        banner: the words in the heavy frame of every page; "" for pages without a frame.
        mark: what the caption of every page says besides, such as the puzzle's number; or "".
    """

    title: Text
    language: str
    banner: str
    mark: str
    parts: tuple[Part, ...]
    root: structure.Element


def build(documents: Sequence[Element], frame: Frame, orders: Orders = EVERYTHING) -> Story:
    """The story of one document, or of one for each class set, for pages of the size of `frame`.

    Raises:
        KitError: all elements and attributes that do not exist, and texts that do not fit.
    """
    root = structure.Element("Document")
    faults: list[Fault] = []
    setter = _Setter(frame, orders, faults, frame.measure, frame.width)
    parts: list[Part] = []
    for document in documents:
        if document.tag != "document":
            raise unknown(document, {"document": None})
        said = attributes(document, "title", "language", "banner?", "set?", "mark?")
        title, language = _title(document), converted(said["language"], _language)
        class_set = said.get("set", "")
        whole = root.add("Part", title=class_set) if class_set else root
        parts += setter.parts(document, class_set, whole)
        if not whole.children and class_set:
            root.children.remove(whole)
    if faults:
        raise KitError(*dict.fromkeys(faults))
    return Story(
        title,
        language,
        said.get("banner", ""),
        said.get("mark", ""),
        tuple(parts),
        root,
    )


@dataclass(frozen=True, slots=True)
class _Setter:
    """Turns the elements of parts into blocks.

    Attributes:
        faults: of the elements that were left out.
        measure: the width of running text, from the left edge of what it stands in.
        width: of everything else.
        indent: inside lists.
        levels: of the headings so far; shared by all that are made from one.
    """

    frame: Frame
    orders: Orders
    faults: list[Fault]
    measure: float
    width: float
    indent: float = 0
    levels: list[int] = field(default_factory=list)

    @property
    def _line(self) -> float:
        return self.measure - self.indent

    @property
    def _styles(self) -> Styles:
        return self.frame.styles

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """What stands in it may be faulty: the faults are collected, and the next one is read."""
        try:
            yield
        except KitError as error:
            self.faults.extend(error.faults)

    def parts(self, document: Element, class_set: str, whole: structure.Element) -> Iterator[Part]:
        """The parts of a document that are ordered and hold anything."""
        for element in _only("part", document):
            said = attributes(element, "name", "title")
            title = _title(element)
            if self.orders.parts and said["name"] not in self.orders.parts:
                continue
            node = whole.add("Part", title=title)
            contents = tuple(self._contents(element, node, class_set))
            if contents:
                yield Part(said["name"], title, class_set, contents)
            else:
                whole.children.remove(node)

    def _contents(
        self, part: Element, node: structure.Element, class_set: str
    ) -> Iterator[Flow | Cards]:
        """What a part holds: runs of blocks, and cards between them."""
        blocks: list[Block] = []
        for element in part.elements():
            if element.tag == "cards":
                if blocks:
                    yield Flow(_led(blocks))
                    blocks = []
                with self._going_on():
                    yield from decks.read(element, node, self.orders, self._styles, class_set)
            elif self.orders.pages:
                with self._going_on():
                    blocks += self.blocks(element, node)
        if blocks:
            yield Flow(_led(blocks))

    def blocks(self, element: Element, node: structure.Element) -> Iterator[Block]:
        """The blocks of one element, each of which fits on a page.

        Raises:
            KitError: one of them is higher than a page.
        """
        if element.tag not in ELEMENTS:
            raise unknown(element, ELEMENTS)
        for block in ELEMENTS[element.tag](self, element, node):
            rest = block
            while (excess := rest.height - self.frame.height) > 0:
                parts = rest.split(self.frame.height)
                if parts is None:
                    raise fault(
                        element.text.location,
                        f"this <{element.tag}> is {units.in_mm(excess)} mm too high for a page",
                        "make it shorter, or make two of it",
                    )
                rest = parts[1]
            yield block

    def heading(self, element: Element, node: structure.Element) -> Iterator[Block]:
        attributes(element)
        level = int(_HEADINGS[element.tag][1:])
        above = self.levels[-1] if self.levels else 0
        if level > above + 1:
            raise fault(
                element.location,
                f"<{element.tag}> skips a level of headings",
                f"write <h{above + 1}>, or one before it",
            )
        self.levels.append(level)
        style = getattr(self._styles, element.tag)
        lines = set_lines(element, self._line, style, _LINE)
        made = node.add(_HEADINGS[element.tag])
        yield Paragraph(lines, style, made, self.indent, keep_with_next=True)

    def paragraph(self, element: Element, node: structure.Element) -> Iterator[Block]:
        attributes(element)
        style = getattr(self._styles, element.tag)
        lines = set_lines(element, self._line, style, _LINE)
        if any(line.words for line in lines):
            leads = element.tag == "lead" or element.text.endswith(":")
            yield Paragraph(lines, style, node.add("P"), self.indent, keep_with_next=leads)

    def list(self, element: Element, node: structure.Element) -> Iterator[Block]:
        ordered = element.tag == "ol"
        start = attributes(element, "start?").get("start")
        first = converted(start, whole_number) if start else 1
        whole = node.add("L", numbering="Decimal" if ordered else "Disc")
        made: list[Block] = []
        for number, item in enumerate(children(element, "li"), first):
            attributes(item)
            entry = whole.add("LI")
            label = set_label(f"{number}." if ordered else "•", self._styles.body)
            with self._going_on():
                made += self._item(item, (label, entry.add("Lbl")), entry.add("LBody"))
        if made and isinstance(made[-1], Paragraph) and not self.indent:
            # What follows the list does not belong to its last item.
            style = replace(made[-1].style, after=self._styles.p.after)
            made[-1] = replace(made[-1], style=style)
        yield from made

    def _item(
        self, item: Element, marker: tuple[Line, structure.Element], body: structure.Element
    ) -> Iterator[Block]:
        inner = replace(self, indent=self.indent + _INDENT)
        waiting: tuple[Line, structure.Element] | None = marker
        for child in item.elements():
            for block in inner.blocks(child, body):
                if isinstance(block, Paragraph) and block.marker is None:
                    block = replace(block, style=self._styles.item, marker=waiting)
                    waiting = None
                yield block
        if waiting:
            raise fault(item.text.location, "a list item without text", "write its text")

    def table(self, element: Element, node: structure.Element) -> Iterator[Block]:
        yield tabular.ELEMENTS[element.tag](
            element, node, self._styles, self.width - self.indent, self.indent
        )

    def box_groups(self, element: Element, node: structure.Element) -> Iterator[Block]:
        """Labelled boxes beside each other, as many in a row as there is room for."""
        attributes(element)
        row: list[Boxes] = []
        for child in _only("boxes", element):
            group = self._boxes(child, node)
            used = sum(each.width + BOX_GAP for each in row)
            if row and used + group.width > self.width:
                yield BoxRow(tuple(row), self._styles.label)
                row = []
            row.append(group)
        if row:
            yield BoxRow(tuple(row), self._styles.label)

    def _boxes(self, element: Element, node: structure.Element) -> Boxes:
        said = attributes(element, "count", "alt")
        count = converted(said["count"], how_many)
        label = self._one_line(element, float("inf"), self._styles.label)
        room = label.width * self._styles.label.size + LABEL_GAP
        group = Boxes(label, room, count, node.add("P"), node.add("Figure", alt=said["alt"]))
        excess = group.width - self.width
        if excess > 0:
            raise fault(
                element.text.location,
                f"this label and its {count} boxes are {units.in_mm(excess)} mm too wide",
                "use fewer boxes, or fewer words",
            )
        return group

    def write_ins(self, element: Element, node: structure.Element) -> Iterator[Block]:
        """Lines to write on, two beside each other where both their labels leave room."""
        attributes(element)
        waiting: list[tuple[Line, structure.Element]] = []
        half = self.width / 2 - _WRITING_ROOM
        for child in _only("write-in", element):
            attributes(child)
            label = self._one_line(child, self.width - _WRITING_ROOM, self._styles.body)
            made = label, node.add("P")
            short = label.width * self._styles.body.size <= half
            if waiting and short:
                yield WriteIn((*waiting, made), self.width, self._styles.body)
                waiting = []
                continue
            if waiting:
                yield WriteIn(tuple(waiting), self.width, self._styles.body)
                waiting = []
            if short:
                waiting = [made]
            else:
                yield WriteIn((made,), self.width, self._styles.body)
        if waiting:
            yield WriteIn(tuple(waiting), self.width, self._styles.body)

    def _one_line(self, element: Element, measure: float, style: Style) -> Line:
        first, *more = set_lines(element, measure, style, _LINE)
        if more:
            raise fault(
                element.text.location,
                f"no room is left to write: the words take more than {units.in_mm(measure)} mm",
                "use fewer words",
            )
        return first

    def tick(self, element: Element, node: structure.Element) -> Iterator[Block]:
        said = attributes(element, "alt")
        lines = set_lines(element, self._line - TICK_INDENT, self._styles.body, _LINE)
        yield Tick(lines, self._styles.body, node.add("Figure", alt=said["alt"]), node.add("P"))

    def pieces(self, element: Element, node: structure.Element) -> Iterator[Block]:
        """Pieces beside each other, as many in a row as there is room for."""
        name = attributes(element, "name")["name"]
        row: list[tuple[Piece, structure.Element]] = []
        for child in element.elements():
            if child.tag not in pieces.PIECES:
                raise unknown(child, pieces.PIECES)
            alt, piece = pieces.PIECES[child.tag](child, self._styles.small.size)
            excess = piece.width - self.frame.pieces
            if excess > 0:
                raise fault(
                    name.location,
                    f'"{name}" is {units.in_mm(excess)} mm too wide for the page',
                    "print it on a larger paper",
                )
            used = sum(each.width + _PIECE_GAP for each, _ in row)
            if row and used + piece.width > self.frame.pieces:
                yield PieceRow(tuple(row), _PIECE_GAP, self.width)
                row = []
            row.append((piece, node.add("Figure", alt=alt)))
        if row:
            yield PieceRow(tuple(row), _PIECE_GAP, self.width)

    def panel(self, element: Element, node: structure.Element) -> Iterator[Block]:
        attributes(element)
        inside = node.add("Sect")
        room = self.measure - 2 * PANEL_PADDING
        inner = replace(self, measure=room, width=room)
        blocks = [block for child in element.elements() for block in inner.blocks(child, inside)]
        if not blocks:
            raise fault(element.location, "<panel> is empty", "put <p> into it")
        yield Panel(tuple(blocks), self.measure)


def _led(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, a paragraph right before a table kept with it: it says what the table is."""
    followers = (*blocks[1:], None)
    return tuple(
        replace(block, keep_with_next=True)
        if isinstance(block, Paragraph) and isinstance(follower, Table)
        else block
        for block, follower in zip(blocks, followers, strict=True)
    )


def _title(element: Element) -> Text:
    """The title of a document or part; a bookmark has no use for soft hyphens.

    Raises:
        KitError: it is empty, or no font has one of its characters.
    """
    written = element.attributes["title"]
    title = Text(written.replace(SOFT_HYPHEN, ""), written.location)
    if not title.strip():
        raise fault(title.location, f"the title of this <{element.tag}> is empty", "write one")
    set_label(title, NORMAL.imprint)  # the caption of every page shows it
    return title


def _language(text: str) -> str:
    """A language code (BCP 47).

    Raises:
        ValueError: it is none.
    """
    if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", text):
        raise ValueError(f'"{text}" is not the code of a language; write one such as en or pt-BR')
    return text


def _only(tag: str, parent: Element) -> Iterator[Element]:
    """The elements in another, if any.

    Raises:
        KitError: one is not a `tag`.
    """
    for element in parent.elements():
        if element.tag != tag:
            raise unknown(element, {tag: None})
        yield element


ELEMENTS: Mapping[str, Callable[[_Setter, Element, structure.Element], Iterator[Block]]] = {
    **dict.fromkeys(_HEADINGS, _Setter.heading),
    **dict.fromkeys(_PARAGRAPHS, _Setter.paragraph),
    "ul": _Setter.list,
    "ol": _Setter.list,
    **dict.fromkeys(tabular.ELEMENTS, _Setter.table),
    "box-groups": _Setter.box_groups,
    "write-ins": _Setter.write_ins,
    "tick": _Setter.tick,
    "pieces": _Setter.pieces,
    "panel": _Setter.panel,
}
"""The elements of text pages. `<cards>` besides them starts sheets of its own."""
