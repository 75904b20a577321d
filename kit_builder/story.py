"""Markup elements -> what typeset places: blocks on text pages, and cards on sheets.

`ELEMENTS` and `PIECES` are the whole vocabulary of layouts, besides that of card faces. Every text
is broken into lines here, at its final width, so whatever does not fit is found here, where its
place in the author's file is still known. The structure tree is built on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from string import ascii_uppercase
from typing import Literal, NamedTuple

from kit_builder import cutouts, decks, shapes, structure, units
from kit_builder.decks import EVERYTHING, Cards, Orders
from kit_builder.document import Element
from kit_builder.errors import Fault, KitError, Text, fault
from kit_builder.flowables import (
    BOX_GAP,
    CELL_PADDING,
    LABEL_GAP,
    LEAST_MARK,
    PANEL_PADDING,
    TICK_INDENT,
    AnswerGrid,
    Block,
    Boxes,
    BoxRow,
    Cell,
    Panel,
    Paragraph,
    Piece,
    PieceRow,
    Record,
    Table,
    Tick,
    WriteIn,
    column_widths,
    shared_widths,
)
from kit_builder.markup import (
    attributes,
    children,
    converted,
    one_of,
    positive,
    set_label,
    set_lines,
    spans,
    unknown,
    whole_number,
    yes_or_no,
)
from kit_builder.typography import (
    BOLD,
    NORMAL,
    SOFT_HYPHEN,
    Line,
    Span,
    Style,
    Styles,
    break_lines,
    words,
)
from kit_builder.units import MM

_INDENT = 7 * MM
_PIECE_GAP = 4 * MM
_WRITING_ROOM = 40 * MM
_WIDEST_ANSWER = 7 * MM
_ANSWER_GAP = 2 * MM
_DIGITS = ("1", "2", "3", "4", "5")

_HEADINGS = {"title": "H1", "h1": "H1", "h2": "H2", "h3": "H3"}
_PARAGRAPHS = ("p", "lead", "facts", "small")

_LINE = "the text column"

# Of rows or boxes; a layout that asks for more has slipped.
_MOST = 1000


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
                    yield Flow(tuple(blocks))
                    blocks = []
                with self._going_on():
                    yield from decks.read(element, node, self.orders, self._styles, class_set)
            elif self.orders.pages:
                with self._going_on():
                    blocks += self.blocks(element, node)
        if blocks:
            yield Flow(tuple(blocks))

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
        for number, item in enumerate(children(element, "li"), first):
            attributes(item)
            entry = whole.add("LI")
            label = set_label(f"{number}." if ordered else "•", self._styles.body)
            with self._going_on():
                yield from self._item(item, (label, entry.add("Lbl")), entry.add("LBody"))

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
        said = attributes(element, "row-headers?")
        row_headers = "row-headers" in said and converted(said["row-headers"], yes_or_no)
        rows = [_cells(row) for row in children(element, "tr")]
        if len(rows) == 1 or len({len(row) for row in rows}) > 1:
            raise fault(
                element.location,
                "a table without rows, or with rows that differ",
                "write two <tr> or more, each with as many cells as the first",
            )
        columns = list(zip(*rows, strict=True))
        widths = column_widths(
            [max(_longest_word(cell, self._styles.small) for cell in column) for column in columns],
            [
                max(_natural_width(cell, self._styles.small) for cell in column)
                for column in columns
            ],
            self.width - self.indent,
        )
        if widths is None:
            raise _too_many_columns(rows[0][0])
        grid = node.add("Table")
        head, body = grid.add("THead"), grid.add("TBody")
        cells = []
        for number, row in enumerate(rows):
            line = (body if number else head).add("TR")
            made = []
            for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
                heads = number == 0 or (row_headers and column == 0)
                lines = set_lines(
                    cell, width - CELL_PADDING, self._styles.small, "its column", bold=heads
                )
                made.append(Cell(lines, _cell(line, "Row" if number else "Column", heads)))
            cells.append(tuple(made))
        yield Table(widths, tuple(cells), self._styles.small, self.indent)

    def record(self, element: Element, node: structure.Element) -> Iterator[Block]:
        said = attributes(element, "rows", "numbered?")
        columns = children(element, "column")
        widths = shared_widths(
            [_longest_word(column, self._styles.header) for column in columns],
            [converted(attributes(column, "width")["width"], positive) for column in columns],
            self.width,
        )
        if widths is None:
            raise _too_many_columns(columns[0])
        grid = node.add("Table")
        line = grid.add("THead").add("TR")
        header = tuple(
            Cell(
                set_lines(column, width - CELL_PADDING, self._styles.header, "its column"),
                _cell(line, "Column", heads=True),
            )
            for column, width in zip(columns, widths, strict=True)
        )
        body = grid.add("TBody")
        asked = said.get("numbered")
        name = converted(asked, one_of(NUMBERINGS, "numbering")) if asked else "no"
        numbering = NUMBERINGS[name]
        rows = []
        for number in range(converted(said["rows"], _number)):
            row = body.add("TR")
            label = numbering.label(number)
            lines = (set_label(label, self._styles.body),) if label else ()
            rows.append(
                tuple(
                    Cell(
                        lines if numbering.everywhere or not place else (),
                        _cell(row, "Row", bool(label) and not place),
                    )
                    for place in range(len(columns))
                )
            )
        yield Record(widths, header, tuple(rows), self._styles.small)

    def answer_grid(self, element: Element, node: structure.Element) -> Iterator[Block]:
        """The answers to all 125 proposals, from 111 to 555.

        A table for each first digit; its rows are for the second, its columns for the third.
        """
        said = attributes(element, "passes", "first", "yes", "no")
        answers = converted(said["passes"], _answers)
        tables = tuple(
            self._answer_table(node, f"{said['first']} {digit}", str(digit), part, said)
            for digit, part in enumerate(_batched(answers, 25), 1)
        )
        style = self._styles.small
        room = (self.width - 4 * _ANSWER_GAP) / sum(len(table[0]) for table in tables)
        cell = min(room, _WIDEST_ANSWER)
        yield AnswerGrid(tables, style, cell, _ANSWER_GAP, LEAST_MARK * style.size)

    def _answer_table(
        self,
        node: structure.Element,
        title: str,
        corner: str,
        answers: Sequence[bool],
        said: Mapping[str, Text],
    ) -> tuple[tuple[Cell, ...], ...]:
        whole = node.add("Table", title=title)
        head, body = whole.add("THead").add("TR"), whole.add("TBody")

        def mark(text: str, element: structure.Element, style: Style) -> Cell:
            return Cell((set_label(text, style),), element)

        bold, plain = self._styles.header, self._styles.small
        rows = [tuple(mark(each, _cell(head, "Column", True), bold) for each in (corner, *_DIGITS))]
        for digit, part in zip(_DIGITS, _batched(answers, 5), strict=True):
            line = body.add("TR")
            first = mark(digit, _cell(line, "Row", True), bold)
            marks = (said["yes"] if answer else said["no"] for answer in part)
            rows.append((first, *(mark(each, line.add("TD"), plain) for each in marks)))
        return tuple(rows)

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
        count = converted(said["count"], _number)
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
            if child.tag not in PIECES:
                raise unknown(child, PIECES)
            alt, piece = PIECES[child.tag](child, self._styles.small.size)
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


class _Numbering(NamedTuple):
    """What is printed in a row of a record, in its first column or everywhere."""

    label: Callable[[int], str]
    everywhere: bool = False


NUMBERINGS = {
    "no": _Numbering(lambda row: ""),
    "yes": _Numbering(lambda row: str(row + 1)),
    "letters": _Numbering(lambda row: ascii_uppercase[row]),
    "everywhere": _Numbering(lambda row: str(row + 1), everywhere=True),
}


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


def _number(text: str) -> int:
    """How many rows or boxes there are.

    Raises:
        ValueError: none, or more than anyone can mean.
    """
    number = whole_number(text)
    if not 1 <= number <= _MOST:
        raise ValueError(f'"{text}" is not from 1 to {_MOST}; write how many there are')
    return number


def _only(tag: str, parent: Element) -> Iterator[Element]:
    """The elements in another, if any.

    Raises:
        KitError: one is not a `tag`.
    """
    for element in parent.elements():
        if element.tag != tag:
            raise unknown(element, {tag: None})
        yield element


def _answers(text: str) -> list[bool]:
    """As many 0 and 1 as there are proposals.

    Raises:
        ValueError: anything else.
    """
    if len(text) != 125 or set(text) - {"0", "1"}:
        raise ValueError("the answers are not 125 digits 0 and 1; write one for each proposal")
    return [digit == "1" for digit in text]


def _batched(items: Sequence[bool], size: int) -> Iterator[Sequence[bool]]:
    """The items in runs of `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _cell(
    row: structure.Element, scope: Literal["Column", "Row"], heads: bool
) -> structure.Element:
    return row.add("TH", scope=scope) if heads else row.add("TD")


def _cells(row: Element) -> list[Element]:
    attributes(row)
    cells = children(row, "th", "td")
    for cell in cells:
        attributes(cell)
    return cells


def _too_many_columns(first: Element) -> KitError:
    return fault(
        first.text.location,
        "the columns are too wide for the page",
        "use fewer columns, or shorter words in them",
    )


def _longest_word(cell: Element, style: Style) -> float:
    """The least width a cell can have."""
    widest = max((word.width for word in words(spans(cell, True)) if word), default=0)
    return widest * style.size + CELL_PADDING


def _natural_width(cell: Element, style: Style) -> float:
    """The width of a cell whose lines end only where they must."""
    lines = break_lines(words(spans(cell, True)), float("inf"), style.size)
    return max(line.width for line in lines) * style.size + CELL_PADDING


def _dice(element: Element, _least: float) -> tuple[str, Piece]:
    return attributes(element, "alt")["alt"], cutouts.DiceNet()


def _screen(element: Element, _least: float) -> tuple[str, Piece]:
    return attributes(element, "alt")["alt"], cutouts.Screen()


def _stand(element: Element, least: float) -> tuple[str, Piece]:
    said = attributes(element, "alt", "up", "back", "glue")
    labels = [_one_font(said[key]) for key in ("up", "back", "glue")]
    up, back, glue = labels
    try:
        return said["alt"], cutouts.Stand((up, back, glue), BOLD, least)
    except cutouts.OversetError as error:
        raise _overset(error, labels) from None


def _strip(element: Element, least: float) -> tuple[str, Piece]:
    alt = attributes(element, "alt")["alt"]
    steps = []
    for step in children(element, "step"):
        shape = attributes(step, "shape")["shape"]
        steps.append((_one_font(step.text), converted(shape, one_of(shapes.SHAPES, "shape"))))
    try:
        return alt, cutouts.Strip(tuple(steps), BOLD, least)
    except cutouts.OversetError as error:
        labels = [text for text, _ in steps]
        raise _overset(error, labels) from None


def _one_font(label: Text) -> Text:
    """A label of a piece, all of which is set in one font.

    Raises:
        KitError: that font lacks one of its characters.
    """
    for word in words([Span(label, True)]):
        for run in word.runs if word else ():
            if run.font != BOLD:
                raise fault(
                    label.location.of(run.text[0]),
                    f'"{run.text[0]}" cannot stand on a piece to cut out',
                    "write letters and figures there",
                )
    return label


def _overset(error: cutouts.OversetError, labels: Sequence[Text]) -> KitError:
    place = next(text.location for text in labels if text == error.label)
    instead = "shorten it" if len(error.label) > 3 else "make two pieces of it"
    return fault(place, str(error), instead)


ELEMENTS: Mapping[str, Callable[[_Setter, Element, structure.Element], Iterator[Block]]] = {
    **dict.fromkeys(_HEADINGS, _Setter.heading),
    **dict.fromkeys(_PARAGRAPHS, _Setter.paragraph),
    "ul": _Setter.list,
    "ol": _Setter.list,
    "table": _Setter.table,
    "record": _Setter.record,
    "answer-grid": _Setter.answer_grid,
    "box-groups": _Setter.box_groups,
    "write-ins": _Setter.write_ins,
    "tick": _Setter.tick,
    "pieces": _Setter.pieces,
    "panel": _Setter.panel,
}
"""The elements of text pages. `<cards>` besides them starts sheets of its own."""

PIECES: Mapping[str, Callable[[Element, float], tuple[str, Piece]]] = {
    "dice": _dice,
    "screen": _screen,
    "stand": _stand,
    "strip": _strip,
}
"""The pieces to cut out that may stand in `<pieces>`: each with its alternative text."""
