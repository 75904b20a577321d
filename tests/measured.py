"""A finished PDF as it lies on the table, for tests: texts, lines and forms, and where they are.

Independent of the program: pypdf parses the content streams. Lengths and places in mm from the
lower left corner of the page, font sizes in points. Pages count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from math import hypot
from typing import Any, NamedTuple

from pypdf import PdfReader
from pypdf.generic import ArrayObject, ContentStream, DictionaryObject, IndirectObject

MM = 72 / 25.4

Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]

IN_MM: Matrix = (1 / MM, 0, 0, 1 / MM, 0, 0)
UPRIGHT: Matrix = (1, 0, 0, 1, 0, 0)


def times(first: Matrix, then: Matrix) -> Matrix:
    """What both do one after the other (ISO 32000-1, 8.3.4)."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def at(matrix: Matrix, point: Point) -> Point:
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


class Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    def holds(self, point: Point) -> bool:
        return self.left < point[0] < self.right and self.bottom < point[1] < self.top


def box_of(matrix: Matrix, left: float, bottom: float, right: float, top: float) -> Box:
    """The box of a rectangle that is turned by right angles at most."""
    (x1, y1), (x2, y2) = at(matrix, (left, bottom)), at(matrix, (right, top))
    return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


@dataclass(frozen=True, slots=True)
class Writing:
    """A text on one line, from where its first letter starts; `mcid` is None in an artifact."""

    text: str
    size: float
    matrix: Matrix
    mcid: int | None

    @property
    def place(self) -> Point:
        return self.matrix[4], self.matrix[5]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line with its pen."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    dashed: bool
    mcid: int | None

    @property
    def level(self) -> bool:
        return self.y1 == self.y2

    @property
    def length(self) -> float:
        return hypot(self.x2 - self.x1, self.y2 - self.y1)


@dataclass(frozen=True, slots=True)
class Rectangle:
    box: Box
    mcid: int | None


@dataclass(frozen=True, slots=True)
class Placed:
    """A form in its place.

    Attributes:
        matrix: from mm in the form to mm on the page.
        width, height: of its own box.
        box: that box on the page.
        text: all that is written in it.
    """

    name: str
    matrix: Matrix
    width: float
    height: float
    box: Box
    text: str
    mcid: int | None


@dataclass(slots=True)
class Page:
    number: int
    width: float
    height: float
    writings: list[Writing] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    rectangles: list[Rectangle] = field(default_factory=list)
    forms: list[Placed] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(writing.text for writing in self.writings)

    @property
    def cards(self) -> list[Placed]:
        """The forms that are card faces or backs, in the order of drawing."""
        return [form for form in self.forms if form.name.startswith("card-")]

    @property
    def patterns(self) -> list[Placed]:
        return [form for form in self.forms if form.name.startswith("pattern-")]

    @property
    def uprights(self) -> list[Stroke]:
        return [stroke for stroke in self.strokes if stroke.x1 == stroke.x2]

    @property
    def levels(self) -> list[Stroke]:
        return [stroke for stroke in self.strokes if stroke.level]


@dataclass(slots=True)
class Node:
    """A structure element; `content` is the page and MCID of each piece of its own."""

    role: str
    alt: str
    title: str
    text: str
    scope: str
    content: list[tuple[int, int]]
    rectangles: int
    children: list[Node]

    @property
    def pages(self) -> list[int]:
        return [page for page, _ in self.content]

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def of(self, *roles: str) -> list[Node]:
        return [node for node in self.walk() if node.role in roles]


class Measured:
    def __init__(self, pdf: bytes) -> None:
        self.reader = PdfReader(BytesIO(pdf))
        self.catalog: Any = self.reader.trailer["/Root"]
        self._fonts: dict[int, dict[int, str]] = {}
        self._parsed: dict[int, Page] = {}
        self.pages: list[Page] = []
        for number, page in enumerate(self.reader.pages, 1):
            made = Page(number, float(page.mediabox.width) / MM, float(page.mediabox.height) / MM)
            contents = page.get_contents()
            if contents is not None:
                self._walk(contents, page, made)
            self.pages.append(made)

    @property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)

    @property
    def cards(self) -> list[Placed]:
        return [card for page in self.pages for card in page.cards]

    @property
    def duplex(self) -> str:
        return str(self.catalog["/ViewerPreferences"].get("/Duplex"))

    @property
    def bookmarks(self) -> list[tuple[int, str]]:
        """Depth from 0 and title of each."""
        found: list[tuple[int, str]] = []

        def read(items: Any, depth: int) -> None:
            for item in items:
                if isinstance(item, list):
                    read(item, depth + 1)
                else:
                    found.append((depth, str(item.title)))

        read(self.reader.outline, 0)
        return found

    def structure(self) -> Node:
        """The tree of structure elements, from its Document."""
        numbers = {
            page.indirect_reference.idnum: number
            for number, page in enumerate(self.reader.pages)
            if page.indirect_reference is not None
        }
        root: Any = self.catalog["/StructTreeRoot"]["/K"]
        return self._node(root.get_object(), numbers)

    def _node(self, entries: Any, numbers: dict[int, int]) -> Node:
        def page_of(holder: Any) -> int:
            return numbers[holder.raw_get("/Pg").idnum]

        attributes = entries.get("/A")
        kids = entries["/K"]
        content: list[tuple[int, int]] = []
        children = []
        for kid in kids if isinstance(kids, ArrayObject) else [kids]:
            each: Any = kid.get_object() if isinstance(kid, IndirectObject) else kid
            if isinstance(each, int):
                content.append((page_of(entries), each))
            elif "/MCID" in each:
                content.append((page_of(each if "/Pg" in each else entries), each["/MCID"]))
            else:
                children.append(self._node(each, numbers))
        marks = [(self.pages[number], mcid) for number, mcid in content]
        return Node(
            role=str(entries["/S"])[1:],
            alt=str(entries.get("/Alt", "")),
            title=str(entries.get("/T", "")),
            text="".join(
                writing.text
                for page, mcid in marks
                for writing in page.writings
                if writing.mcid == mcid
            ),
            scope=str(attributes.get("/Scope", ""))[1:] if attributes else "",
            content=[(page.number, mcid) for page, mcid in marks],
            rectangles=sum(
                rectangle.mcid == mcid for page, mcid in marks for rectangle in page.rectangles
            ),
            children=children,
        )

    def _walk(self, contents: Any, owner: DictionaryObject, page: Page) -> None:
        """Adds what a page or a form shows; for a form `page` is its own space, in points."""
        resources: Any = owner.get("/Resources", {})
        whole = IN_MM if page.number else UPRIGHT
        matrix, saved = whole, []
        pen, dashed = 1.0, False
        mcids: list[int | None] = [None]
        text, size, leading = UPRIGHT, 0.0, 0.0
        characters: dict[int, str] = {}
        path: list[tuple[str, list[float]]] = []
        begun = False
        for operands, operator in ContentStream(contents, self.reader).operations:
            if operator == b"q":
                saved.append((matrix, pen, dashed, characters, size))
            elif operator == b"Q":
                matrix, pen, dashed, characters, size = saved.pop()
            elif operator == b"cm":
                matrix = times(_numbers(operands), matrix)
            elif operator == b"w":
                pen = float(operands[0])
            elif operator == b"d":
                dashed = bool(operands[0])
            elif operator in (b"BDC", b"BMC"):
                properties = operands[1] if len(operands) > 1 else {}
                mcids.append(int(properties["/MCID"]) if "/MCID" in properties else None)
            elif operator == b"EMC":
                mcids.pop()
            elif operator in (b"m", b"l", b"re"):
                path.append((operator.decode(), [float(each) for each in operands]))
            elif operator in (b"S", b"s", b"f", b"f*", b"B", b"B*", b"b", b"n"):
                if operator != b"n":
                    _add_path(page, path, matrix, operator, (pen, dashed), mcids[-1])
                path = []
            elif operator == b"BT":
                text, begun = UPRIGHT, False
            elif operator == b"Tf":
                characters, size = self._characters(resources["/Font"][operands[0]]), operands[1]
            elif operator == b"TL":
                leading = float(operands[0])
            elif operator == b"Tm":
                text, begun = _numbers(operands), False
            elif operator in (b"Td", b"T*"):
                across, up = operands if operator == b"Td" else (0, -leading)
                text, begun = times((1, 0, 0, 1, float(across), float(up)), text), False
            elif operator == b"Tj":
                shown = "".join(characters[code] for code in _codes(operands[0]))
                place = times(text, matrix)
                scale = hypot(place[2], place[3]) * (MM if page.number else 1)
                if begun:
                    last = page.writings[-1]
                    page.writings[-1] = replace(
                        last, text=last.text + shown, size=min(last.size, float(size) * scale)
                    )
                else:
                    page.writings.append(Writing(shown, float(size) * scale, place, mcids[-1]))
                begun = True
            elif operator == b"Do":
                form = resources["/XObject"][operands[0]]
                self._place(form, str(operands[0]), matrix, page, mcids[-1])
            elif operator in (b"TJ", b"'", b'"', b"TD", b"Tz", b"Ts", b"gs"):
                raise AssertionError(f"{operator.decode()} is new here")

    def _place(self, form: Any, name: str, matrix: Matrix, page: Page, mcid: int | None) -> None:
        if id(form) not in self._parsed:
            self._parsed[id(form)] = inside = Page(0, 0, 0)
            self._walk(form, form, inside)
        writings = self._parsed[id(form)].writings
        scale = hypot(matrix[2], matrix[3]) * (MM if page.number else 1)
        page.writings += (
            Writing(each.text, each.size * scale, times(each.matrix, matrix), mcid)
            for each in writings
        )
        left, bottom, right, top = (float(edge) for edge in form["/BBox"])
        in_points = times((MM, 0, 0, MM, 0, 0), matrix)
        page.forms.append(
            Placed(
                re.sub(r"^/FormXob\.", "", name),
                in_points,
                (right - left) / MM,
                (top - bottom) / MM,
                box_of(matrix, left, bottom, right, top),
                "\n".join(each.text for each in writings),
                mcid,
            )
        )

    def _characters(self, font: Any) -> dict[int, str]:
        """Code -> text, from the font's ToUnicode map."""
        if id(font) not in self._fonts:
            known = self._fonts[id(font)] = {}
            runs = re.findall(rb"<(....)> <(....)> <((?:....)+)>", font["/ToUnicode"].get_data())
            for first, last, text in runs:
                start, point = int(first, 16), ord(bytes.fromhex(text.decode()).decode("utf-16-be"))
                for code in range(start, int(last, 16) + 1):
                    known[code] = chr(point + code - start)
        return self._fonts[id(font)]


def _numbers(operands: Any) -> Matrix:
    a, b, c, d, e, f = map(float, operands)
    return a, b, c, d, e, f


def _codes(string: Any) -> Iterator[int]:
    """Two bytes each."""
    codes = bytes(string.original_bytes)
    return (256 * high + low for high, low in zip(codes[::2], codes[1::2], strict=True))


def _add_path(
    page: Page,
    path: list[tuple[str, list[float]]],
    matrix: Matrix,
    operator: bytes,
    pen: tuple[float, bool],
    mcid: int | None,
) -> None:
    """Adds the straight lines and rectangles of a path."""
    here: Point = (0, 0)
    for kind, numbers in path:
        if kind == "re":
            x, y, width, height = numbers
            page.rectangles.append(Rectangle(box_of(matrix, x, y, x + width, y + height), mcid))
            continue
        point = at(matrix, (numbers[0], numbers[1]))
        if kind == "l" and operator in (b"S", b"s"):
            width = pen[0] * hypot(matrix[0], matrix[1])
            page.strokes.append(Stroke(*here, *point, width, pen[1], mcid))
        here = point
