"""A PDF that was made elsewhere, read with care: what of it can be printed as it is shown.

Pages count from 0 inside and from 1 in messages. Lengths in points, origin at the lower left
corner. Standard: ISO 32000-1 (PDF 1.7).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.generic import (
    ArrayObject,
    ContentStream,
    DictionaryObject,
    NameObject,
    NullObject,
    StreamObject,
)

from kit_builder.errors import Location, fault
from kit_builder.formats import Format
from kit_builder.packing import Opened
from kit_builder.units import MM, in_mm

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
# A4 and Letter as other programs round them.
_TOLERANCE = 0.5 * MM
_HIDDEN, _PRINTED = 2, 4  # flags of an annotation (table 165)
_MARKS = (b"BDC", b"BMC", b"EMC", b"MP", b"DP")
_IMAGE = b"INLINE IMAGE"  # pypdf's name for BI, ID and EI
_PROGRAMS = {"/FontFile", "/FontFile2", "/FontFile3"}
# What matters of pypdf's warnings about a file is told as a fault.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

_BY_ITSELF = "print it to a new PDF, and insert that"

Matrix = tuple[float, float, float, float, float, float]


def at(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Where a matrix takes a point."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page.

    Attributes:
        box: left, bottom, right, top on its page.
        uri: where it leads on the web, or "".
        page: where it leads in its file.
    """

    box: Sequence[float]
    uri: str
    page: int | None


class Foreign:
    """A PDF of somebody else's.

    Attributes:
        count: how many pages it has.

    Raises:
        KitError: it is locked, or has hidden layers.
        pypdf.errors.PyPdfError: it is no PDF.
    """

    def __init__(self, pdf: bytes, place: Location) -> None:
        self._place = place
        self._reader = PdfReader(BytesIO(pdf))
        if self._reader.is_encrypted:
            raise fault(
                place,
                "this PDF is locked with a password",
                "save a copy without the password, and insert that",
            )
        self.found = Opened(self._reader)
        self.count = len(self.found.pages)
        layers = self.entry(self.found.catalog, "/OCProperties", "/D") or {}
        if self.entry(layers, "/OFF") or layers.get("/BaseState") == "/OFF":
            raise fault(place, "this PDF has hidden layers, which would be printed", _BY_ITSELF)

    def entry(self, found: Any, *path: str) -> Any:
        """As `Finished.entry`."""
        return self.found.entry(found, *path)

    def chosen(self, pages: str) -> list[int]:
        """The pages of a choice such as "1,3-5"; all of them if it is "".

        Raises:
            KitError: there are none, or no such ones.
        """
        if not self.count:
            raise fault(self._place, "this PDF has no pages", "insert one with at least one page")
        if not pages.strip():
            return list(range(self.count))
        chosen: list[int] = []
        for part in map(str.strip, pages.split(",")):
            match = _RANGE.fullmatch(part)
            if match is None:
                raise fault(self._place, f'"{part}" is no page', 'write pages such as "1,3-5"')
            first, last = int(match[1]), int(match[2] or match[1])
            if not 1 <= first <= last <= self.count:
                raise fault(
                    self._place,
                    f"there is no page {part}: the file has {self.count}",
                    f"choose pages from 1 to {self.count}",
                )
            chosen += range(first - 1, last)
        return chosen

    def visible(self, number: int) -> tuple[float, float, float, float]:
        """What viewers show of a page: its crop box, as far as there is paper."""
        page = self.found.pages[number]
        media = [float(self.found.resolved(edge)) for edge in self.entry(page, "/MediaBox")]
        cropped = self.entry(page, "/CropBox") or media
        crop = [float(self.found.resolved(edge)) for edge in cropped]
        boxes = [(*sorted(box[::2]), *sorted(box[1::2])) for box in (media, crop)]
        (left, right, bottom, top), inner = boxes
        shown = (
            max(left, inner[0]),
            max(bottom, inner[2]),
            min(right, inner[1]),
            min(top, inner[3]),
        )
        empty = shown[0] >= shown[2] or shown[1] >= shown[3]
        return (left, bottom, right, top) if empty else shown

    def placed(self, number: int, paper: Format) -> Matrix:
        """How a page comes to lie in the middle of the paper, upright as it is shown, at 100 %.

        A page that only fits on its side is turned.

        Raises:
            KitError: it is larger than the paper.
        """
        page = self.found.pages[number]
        left, bottom, right, top = self.visible(number)
        unit = float(self.entry(page, "/UserUnit") or 1)
        turn = int(self.entry(page, "/Rotate") or 0) % 360  # clockwise
        across, up = (right - left) * unit, (top - bottom) * unit
        if turn % 180:
            across, up = up, across
        if not _fits(across, up, paper):
            if not _fits(up, across, paper):
                raise fault(
                    self._place,
                    f"page {number + 1} is {in_mm(across)} x {in_mm(up)} mm, larger than"
                    f" {paper.name}, and nothing is ever scaled",
                    f"set it on {paper.dimensions} in the program it comes from",
                )
            turn, across, up = (turn + 270) % 360, up, across
        a, b, c, d, x, y = {
            0: (unit, 0, 0, unit, left, bottom),
            90: (0, -unit, unit, 0, right, bottom),
            180: (-unit, 0, 0, -unit, right, top),
            270: (0, unit, -unit, 0, left, top),
        }[turn]
        e, f = (paper.width - across) / 2, (paper.height - up) / 2
        return a, b, c, d, e - a * x - c * y, f - b * x - d * y

    def unmarked(self, content: Any) -> bytes:
        """A content stream without marks: without their structure they would mean nothing."""
        if content is None:
            return b""
        parsed = ContentStream(content, self._reader)
        parsed.operations = [
            (_plain_image(operands) if operator == _IMAGE else operands, operator)
            for operands, operator in parsed.operations
            if operator not in _MARKS
        ]
        return parsed.get_data()

    def content(self, number: int) -> bytes:
        """What a page draws."""
        return self.unmarked(self.entry(self.found.pages[number], "/Contents"))

    def check_fonts(self, resources: Any, seen: set[int]) -> None:
        """Refuses what would be printed in another font than it is shown.

        Raises:
            KitError: a font is not embedded.
        """
        if id(resources) in seen:
            return
        seen.add(id(resources))
        for font in map(self.found.resolved, (self.entry(resources, "/Font") or {}).values()):
            below = self.entry(font, "/DescendantFonts")
            descriptor = self.entry(
                self.found.resolved(below[0]) if below else font, "/FontDescriptor"
            )
            if self.entry(font, "/Subtype") != "/Type3" and not _PROGRAMS & set(descriptor or ()):
                raise fault(
                    self._place,
                    f"the font {str(self.entry(font, '/BaseFont'))[1:]} is not in this PDF",
                    "save it with all fonts embedded (as PDF/A does), and insert that",
                )
        for form in (self.entry(resources, "/XObject") or {}).values():
            self.check_fonts(self.entry(self.found.resolved(form), "/Resources"), seen)

    def _annotations(self, number: int) -> Iterator[Any]:
        listed = self.entry(self.found.pages[number], "/Annots") or ()
        return (each for each in map(self.found.resolved, listed) if isinstance(each, dict))

    def appearances(self, number: int) -> Iterator[tuple[Any, Matrix]]:
        """What fields and comments of a page show in print, and how it gets there (12.5.5).

        Raises:
            KitError: a field that is filled in shows nothing.
        """
        for each in self._annotations(number):
            flags, kind = int(self.entry(each, "/F") or 0), each.get("/Subtype")
            field = kind == "/Widget"
            if kind in ("/Link", "/Popup") or flags & _HIDDEN or not (field or flags & _PRINTED):
                continue
            owner, key = self.entry(each, "/AP") or {}, "/N"
            form = self.entry(owner, key)
            if isinstance(form, dict) and not isinstance(form, StreamObject):
                owner, key = form, str(self.entry(each, "/AS") or "/Off")
                form = self.entry(owner, key)
            if isinstance(form, StreamObject):
                box = [float(edge) for edge in self.entry(each, "/Rect")]
                yield dict.__getitem__(owner, key), self._moved(form, box)
            elif field and self.entry(each, "/V") not in (None, "", "/Off"):
                name = self.entry(each, "/T") or ""
                raise fault(self._place, f'the field "{name}" would not be printed', _BY_ITSELF)

    def _moved(self, form: StreamObject, box: Sequence[float]) -> Matrix:
        """From a form's box, turned by its own matrix, to the rectangle it fills."""
        a, b, c, d, e, f = map(float, self.entry(form, "/Matrix") or (1, 0, 0, 1, 0, 0))
        x1, y1, x2, y2 = map(float, self.entry(form, "/BBox"))
        corners = [at((a, b, c, d, e, f), x, y) for x in (x1, x2) for y in (y1, y2)]
        xs, ys = zip(*corners, strict=True)
        left, right = sorted(box[::2])
        bottom, top = sorted(box[1::2])
        across = (right - left) / ((max(xs) - min(xs)) or 1)
        up = (top - bottom) / ((max(ys) - min(ys)) or 1)
        return across, 0, 0, up, left - across * min(xs), bottom - up * min(ys)

    def links(self, number: int) -> Iterator[Link]:
        """The links of a page."""
        for each in self._annotations(number):
            if each.get("/Subtype") == "/Link":
                box = [float(edge) for edge in self.entry(each, "/Rect")]
                yield Link(box, str(self.entry(each, "/A", "/URI") or ""), self._target(each))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        numbered = enumerate(self.found.pages)
        return {page.indirect_reference.idnum: number for number, page in numbered}

    def _target(self, link: Any) -> int | None:
        target = self.entry(link, "/Dest") or self.entry(link, "/A", "/D")
        if isinstance(target, str):
            named = self._reader.named_destinations.get(str(target))
            return None if named is None else self._reader.get_destination_page_number(named)
        return self._numbers.get(getattr(target[0], "idnum", 0)) if target else None

    def bookmarks(self) -> Iterator[tuple[int, int, str]]:
        """Page, depth and title of each bookmark."""

        def walk(items: Any, depth: int) -> Iterator[tuple[int, int, str]]:
            for item in items:
                if isinstance(item, list):
                    yield from walk(item, depth + 1)
                elif item.title:
                    page = self._reader.get_destination_page_number(item)
                    yield -1 if page is None else page, depth, str(item.title)

        yield from walk(self._reader.outline, 0)


def _plain_image(image: Any) -> dict[str, Any]:
    """An inline image of pypdf's (8.9.7) in hexadecimal: none of its bytes can be an operator."""
    settings = DictionaryObject(image["settings"])
    for key, short, first in (
        ("/Filter", "/F", NameObject("/AHx")),
        ("/DecodeParms", "/DP", NullObject()),
    ):
        found = settings.pop(short, settings.pop(key, None))
        if found is not None or short == "/F":
            others = found if isinstance(found, ArrayObject) else [found] if found else []
            settings[NameObject(short)] = ArrayObject([first, *others])
    return {"settings": settings, "data": image["data"].hex().encode() + b">\n"}


def _fits(across: float, up: float, paper: Format) -> bool:
    return across <= paper.width + _TOLERANCE and up <= paper.height + _TOLERANCE
