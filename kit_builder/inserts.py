"""A teacher's own PDF -> finished pages for a booklet, at 100 % whatever their boxes say.

Each page becomes a picture with an alternative text: what it shows is kept, links and bookmarks
too; fields to fill in are printed as they are, scripts and attachments stay behind.
Lengths in points, origin at the lower left corner.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    ContentStream,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    StreamObject,
)

from kit_builder import finished, packing
from kit_builder.errors import KitError, Location, Source, fault
from kit_builder.finished import Finished
from kit_builder.formats import Format
from kit_builder.packing import Copy, Pool
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import REGULAR
from kit_builder.units import MM, in_mm

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
# A4 and Letter as other programs round them.
_TOLERANCE = 0.5 * MM
_FORM = "insert-{}"
_HIDDEN, _PRINT = 2, 4  # flags of an annotation (table 165)
# What pypdf and the decoders below it raise on files that are no well-formed PDFs.
_DAMAGE = (
    PyPdfError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)

Matrix = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Insert:
    """Pages of a foreign PDF, finished like those of a kit.

    Attributes:
        title: the name of the file without its ending.
        pages: how many there are.
    """

    title: str
    pdf: bytes
    pages: int


class _Leaf(NamedTuple):
    """A foreign page and where it lies on the paper.

    Attributes:
        matrix: from its coordinates to those of the paper.
    """

    page: Any
    visible: tuple[float, float, float, float]
    matrix: Matrix


def insert(path: str, pdf: bytes, pages: str, paper: Format, language: str) -> Insert:
    """Take pages out of a PDF, each in the middle of a page of the booklet.

    A page that only fits on its side is turned.

    Args:
        path: of the file, for messages and its title.
        pdf: its bytes.
        pages: such as "1,3-5", counted from 1; all of them if "".
        paper: of the booklet.
        language: of the booklet, a language tag.

    Raises:
        KitError: the file is empty, damaged, locked or without pages; it has no page of that
            number; a page is larger than the paper; a font is not embedded; there are hidden
            layers, or fields that show nothing.
    """
    place = Location(Source(path))
    title = re.split(r"[/\\]", path)[-1].rpartition(".")[0] or path
    if not pdf.strip():
        raise fault(place, "this file is empty", "insert a PDF with at least one page")
    try:
        reader = PdfReader(BytesIO(pdf))
        if reader.is_encrypted:
            raise fault(
                place,
                "this PDF is locked with a password",
                "save a copy of it without the password, and insert that",
            )
        _refuse_layers(reader, place)
        numbers = _chosen(pages, len(reader.pages), place)
        leaves = [_leaf(reader.pages[number], number, paper, place) for number in numbers]
        return Insert(title, _Foreign(reader, numbers, leaves, place).pdf(title, paper, language), len(numbers))
    except _DAMAGE as error:
        raise fault(
            place,
            f"this is no well-formed PDF ({type(error).__name__})",
            "open it in a viewer, print it to a new PDF, and insert that",
        ) from error


def _refuse_layers(reader: PdfReader, place: Location) -> None:
    layers = _entry(reader.root_object, "/OCProperties", "/D")
    if layers and (layers.get("/OFF") or layers.get("/BaseState") == "/OFF"):
        raise fault(
            place,
            "this PDF has hidden layers, which would be printed",
            "print it to a new PDF as it is shown, and insert that",
        )


def _chosen(pages: str, count: int, place: Location) -> list[int]:
    """The numbers of pages, from 0."""
    if not count:
        raise fault(place, "this PDF has no pages", "insert a PDF with at least one page")
    if not pages.strip():
        return list(range(count))
    chosen: list[int] = []
    for part in pages.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise fault(place, f'"{part.strip()}" is no page', 'write pages such as "1,3-5"')
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise fault(
                place,
                f"there is no page {part.strip()}: the file has {count}",
                f"choose pages from 1 to {count}",
            )
        chosen += range(first - 1, last)
    return chosen


def _leaf(page: Any, number: int, paper: Format, place: Location) -> _Leaf:
    """Where a page lies: its visible part, turned as it is shown, in the middle of the paper."""
    media, crop = (tuple(map(float, box)) for box in (page.mediabox, page.cropbox))
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    if right <= left or top <= bottom:
        left, bottom, right, top = media
    unit = float(page.get("/UserUnit", 1))
    turn = int(page.get("/Rotate", 0)) % 360  # clockwise
    across, up = (right - left) * unit, (top - bottom) * unit
    if turn % 180:
        across, up = up, across
    if not _fits(across, up, paper):
        if not _fits(up, across, paper):
            raise fault(
                place,
                f"page {number + 1} is {in_mm(across)} x {in_mm(up)} mm, larger than {paper.name}",
                f"make it {paper.dimensions} in the program it comes from; it is never scaled",
            )
        turn, across, up = (turn + 270) % 360, up, across
    x, y = (paper.width - across) / 2, (paper.height - up) / 2
    a, b, c, d, corner = {
        0: (1, 0, 0, 1, (left, bottom)),
        90: (0, -1, 1, 0, (right, bottom)),
        180: (-1, 0, 0, -1, (right, top)),
        270: (0, 1, -1, 0, (left, top)),
    }[turn]
    a, b, c, d = (unit * each for each in (a, b, c, d))
    e, f = x - a * corner[0] - c * corner[1], y - b * corner[0] - d * corner[1]
    return _Leaf(page, (left, bottom, right, top), (a, b, c, d, e, f))


def _fits(across: float, up: float, paper: Format) -> bool:
    return across <= paper.width + _TOLERANCE and up <= paper.height + _TOLERANCE


class _Foreign:
    """The chosen pages of a foreign PDF."""

    def __init__(
        self,
        reader: PdfReader,
        numbers: Sequence[int],
        leaves: Sequence[_Leaf],
        place: Location,
    ) -> None:
        self._reader = reader
        self._numbers = numbers
        self._leaves = leaves
        self._place = place
        self._pool = Pool()
        self._plain: set[int] = set()  # numbers of the forms whose marks are taken out

    def pdf(self, title: str, paper: Format, language: str) -> bytes:
        """Them as a finished PDF."""
        made = finished.read(self._frames(title, paper, language))
        pool, copy = self._pool, Copy(self._pool, made)
        foreign = Copy(pool, Finished(self._reader))
        for number, page in enumerate(made.pages):
            copy.instead(_number(page), pool.add())
            del number
        catalog = copy.value(made.catalog.indirect_reference)
        for page in made.pages:
            pool.put(copy.of(_number(page)), copy.value(DictionaryObject(page)))
        keys = ArrayObject(made.entry(made.catalog, "/StructTreeRoot", "/ParentTree", "/Nums"))
        nums = copy.value(keys)
        tree = pool.at(pool.at(catalog).raw_get("/StructTreeRoot"))
        figures = [each for each in made.elements if each.entries["/S"] == "/Figure"]
        for number, (page, leaf) in enumerate(zip(made.pages, self._leaves, strict=True)):
            form = made.entry(page, "/Resources", "/XObject").raw_get(
                f"/FormXob.{_FORM.format(number)}"
            )
            pool.put(copy.value(form), self._form(foreign, leaf))
            part = pool.at(pool.at(copy.of(figures[number].number)).raw_get("/P"))
            sheet = copy.of(_number(page))
            for link in self._links(leaf, [copy.of(_number(each)) for each in made.pages]):
                reference = pool.add(link)
                key = len(nums) // 2
                link[NameObject("/P")] = sheet
                link[NameObject("/StructParent")] = NumberObject(key)
                held = pool.at(sheet).setdefault(NameObject("/Annots"), ArrayObject())
                held.append(reference)
                element = pool.add(_link_element(pool.at(copy.of(figures[number].number)), reference, sheet))
                part.raw_get("/K").append(element)
                nums += [NumberObject(key), element]
        tree[NameObject("/ParentTree")] = packing_dictionary({"/Nums": nums})
        tree[NameObject("/ParentTreeNextKey")] = NumberObject(len(nums) // 2)
        return pool.packed(catalog, pool.add(copy.value(made.info)))

    def _frames(self, title: str, paper: Format, language: str) -> bytes:
        """Pages with an empty form each, tagged, with the bookmarks that lead to them."""
        file, root = BytesIO(), Element("Document")
        size = paper.width, paper.height
        canvas = TaggedCanvas(file, size, root, language=language, title=title, font=REGULAR)
        part = root.add("Part", title=title)
        marks = self._bookmarks()
        level = -1
        for index, number in enumerate(self._numbers):
            for depth, name in marks.pop(number, ()):
                level = min(depth, level + 1)
                canvas.outline(name, level)
            canvas.beginForm(_FORM.format(index), 0, 0, *size)
            canvas.endForm()
            with canvas.marked(part.add("Figure", alt=f"{title}, {number + 1}", bbox=(0, 0, *size))):
                canvas.doForm(_FORM.format(index))
            canvas.showPage()
        canvas.save()
        return file.getvalue()

    def _bookmarks(self) -> dict[int, list[tuple[int, str]]]:
        """Depth and title of the bookmarks that lead to each page."""
        marks: dict[int, list[tuple[int, str]]] = {}

        def walk(items: Any, depth: int) -> None:
            for item in items:
                if isinstance(item, list):
                    walk(item, depth + 1)
                    continue
                page = self._reader.get_destination_page_number(item)
                if page is not None and item.title:
                    marks.setdefault(page, []).append((depth, str(item.title)))

        walk(self._reader.outline, 0)
        return marks

    def _form(self, foreign: Copy, leaf: _Leaf) -> StreamObject:
        """A page as a form: what it draws, and what its annotations show when it is printed."""
        page = leaf.page
        resources = DictionaryObject(_entry(page, "/Resources") or {})
        self._check_fonts(resources, set())
        content = self._unmarked(page.get_contents(), resources)
        shown = DictionaryObject(_entry(resources, "/XObject") or {})
        for index, (form, matrix) in enumerate(self._appearances(leaf)):
            shown[NameObject(f"/Shown{index}")] = form
            numbers = b" ".join(b"%.4f" % each for each in matrix)
            content += b"\nq %b cm /Shown%d Do Q" % (numbers, index)
        if shown:
            resources[NameObject("/XObject")] = shown
        taken = foreign.value(resources, shared=True)
        self._unmark_forms(foreign, taken)
        entries = {
            "/Type": NameObject("/XObject"),
            "/Subtype": NameObject("/Form"),
            "/BBox": ArrayObject(map(FloatObject, leaf.visible)),
            "/Matrix": ArrayObject(FloatObject(round(each, 6)) for each in leaf.matrix),
            "/Resources": taken,
        }
        return packing.stream(content, entries)

    def _unmarked(self, contents: Any, resources: Any) -> bytes:
        """Operators without marks: structure stays behind, so MCIDs would mean nothing."""
        if contents is None:
            return b""
        parsed = ContentStream(contents, self._reader)
        kept: list[tuple[Any, bytes]] = []
        for operands, operator in parsed.operations:
            if operator not in (b"BDC", b"BMC", b"EMC", b"MP", b"DP"):
                kept.append((operands, operator))
        parsed.operations = kept
        return parsed.get_data()

    def _unmark_forms(self, foreign: Copy, resources: Any) -> None:
        """The same for the forms a page is composed of."""
        for reference in (self._pool.at(resources.get("/XObject")) or {}).values():
            form = self._pool.at(reference)
            if not isinstance(reference, IndirectObject) or reference.idnum in self._plain:
                continue
            self._plain.add(reference.idnum)
            if isinstance(form, StreamObject) and form.get("/Subtype") == "/Form":
                inner = self._pool.at(form.get("/Resources"))
                plain = self._unmarked(form, inner)
                gone = ("/Length", "/Filter", "/DecodeParms", "/StructParents", "/StructParent")
                entries = {key: value for key, value in form.items() if key not in gone}
                self._pool.put(reference, packing.stream(plain, entries))
                if isinstance(inner, dict):
                    self._unmark_forms(foreign, inner)

    def _check_fonts(self, resources: Any, seen: set[int]) -> None:
        if id(resources) in seen or not isinstance(resources, dict):
            return
        seen.add(id(resources))
        for font in (_entry(resources, "/Font") or {}).values():
            font = _resolved(font)
            below = _entry(font, "/DescendantFonts")
            descriptor = _entry(_resolved(below[0]) if below else font, "/FontDescriptor") or {}
            embedded = {"/FontFile", "/FontFile2", "/FontFile3"} & descriptor.keys()
            if font.get("/Subtype") != "/Type3" and not embedded:
                raise fault(
                    self._place,
                    f"the font {str(font.get('/BaseFont'))[1:]} is not embedded in this PDF",
                    "save it with all fonts embedded (PDF/A does that), and insert that",
                )
        for form in (_entry(resources, "/XObject") or {}).values():
            self._check_fonts(_entry(_resolved(form), "/Resources"), seen)

    def _appearances(self, leaf: _Leaf) -> Iterator[tuple[Any, Matrix]]:
        """What fields and comments show in print, and how it is moved to its place (12.5.5)."""
        for each in map(_resolved, _entry(leaf.page, "/Annots") or ()):
            flags, kind = int(each.get("/F", 0)), each.get("/Subtype")
            if kind in ("/Link", "/Popup") or flags & _HIDDEN:
                continue
            if kind != "/Widget" and not flags & _PRINT:
                continue
            form = _entry(each, "/AP", "/N")
            if form is not None and not isinstance(form, StreamObject):
                form = _entry(form, str(each.get("/AS", "/Off")))
            if isinstance(form, StreamObject):
                matrix = _moved(form, [float(edge) for edge in _entry(each, "/Rect")])
                yield form.indirect_reference or form, matrix
            elif kind == "/Widget" and _entry(each, "/V") not in (None, "", "/Off"):
                raise fault(
                    self._place,
                    f'the field "{_entry(each, "/T") or ""}" would not be printed',
                    "print the file to a new PDF, and insert that",
                )

    def _links(self, leaf: _Leaf, sheets: Sequence[IndirectObject]) -> Iterator[DictionaryObject]:
        """The links of a page in their new places; those to pages left out stay behind."""
        for each in map(_resolved, _entry(leaf.page, "/Annots") or ()):
            if each.get("/Subtype") != "/Link":
                continue
            x1, y1, x2, y2 = (float(edge) for edge in _entry(each, "/Rect"))
            corners = [_at(leaf.matrix, x, y) for x, y in ((x1, y1), (x2, y2))]
            (left, right), (bottom, top) = (sorted(side) for side in zip(*corners, strict=True))
            edges = [FloatObject(round(edge, 4)) for edge in (left, bottom, right, top)]
            link = packing_dictionary(
                {
                    "/Type": NameObject("/Annot"),
                    "/Subtype": NameObject("/Link"),
                    "/Rect": ArrayObject(edges),
                    "/Border": ArrayObject(map(NumberObject, (0, 0, 0))),
                    "/F": NumberObject(_PRINT),
                }
            )
            uri = _entry(each, "/A", "/URI")
            page = self._target(each)
            if uri is not None:
                action = {"/S": NameObject("/URI"), "/URI": uri}
                link[NameObject("/A")] = packing_dictionary(action)
                link[NameObject("/Contents")] = _text(str(uri))
            elif page is not None and page in self._numbers:
                sheet = sheets[self._numbers.index(page)]
                link[NameObject("/Dest")] = ArrayObject([sheet, NameObject("/Fit")])
                link[NameObject("/Contents")] = _text(str(page + 1))
            else:
                continue
            yield link

    def _target(self, link: Any) -> int | None:
        """The page that a link leads to, from 0."""
        target = _entry(link, "/Dest") or _entry(link, "/A", "/D")
        if isinstance(target, str):
            named = self._reader.named_destinations.get(str(target))
            return None if named is None else self._reader.get_destination_page_number(named)
        if not target:
            return None
        wanted = getattr(target[0], "idnum", None)
        pages = enumerate(self._reader.pages)
        return next((index for index, page in pages if _number(page) == wanted), None)


def _link_element(
    figure: Mapping[Any, Any], annotation: IndirectObject, page: IndirectObject
) -> DictionaryObject:
    parent = figure["/P"] if not isinstance(figure, DictionaryObject) else figure.raw_get("/P")
    kid = {"/Type": NameObject("/OBJR"), "/Obj": annotation, "/Pg": page}
    entries = {
        "/S": NameObject("/Link"),
        "/P": parent,
        "/Pg": page,
        "/K": ArrayObject([packing_dictionary(kid)]),
    }
    return packing_dictionary(entries)


def _at(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _moved(form: StreamObject, rectangle: Sequence[float]) -> Matrix:
    """From a form's own box, turned by its own matrix, to the rectangle it fills."""
    own = [float(each) for each in _entry(form, "/Matrix") or (1, 0, 0, 1, 0, 0)]
    x1, y1, x2, y2 = (float(edge) for edge in _entry(form, "/BBox"))
    corners = [_at(tuple(own), x, y) for x in (x1, x2) for y in (y1, y2)]  # type: ignore[arg-type]
    (left, right), (bottom, top) = ((min(side), max(side)) for side in zip(*corners, strict=True))
    to_left, to_right = sorted((rectangle[0], rectangle[2]))
    to_bottom, to_top = sorted((rectangle[1], rectangle[3]))
    across = (to_right - to_left) / (right - left) if right > left else 1
    up = (to_top - to_bottom) / (top - bottom) if top > bottom else 1
    return across, 0, 0, up, to_left - across * left, to_bottom - up * bottom
