"""A booklet of small pages -> sheets to print, fold and staple: two pages beside each other.

Pages are placed at 100 %, never scaled. What they are tagged as stays, in the order of reading.
Lengths in points; sheets lie with their longer edges level, origin at the lower left corner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from kit_builder import packing
from kit_builder.errors import fault
from kit_builder.finished import Finished
from kit_builder.formats import UNPRINTABLE_MARGIN, Format
from kit_builder.marks import CUT_GREY, STROKE
from kit_builder.markup import set_label
from kit_builder.packing import Copy, Pool, dictionary, number_of
from kit_builder.signatures import FoldedSheet, Spread, saddle_stitch
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import Style, draw_lines
from kit_builder.units import MM, in_mm

_TICK = 3 * MM
_STAPLE, _STAPLE_TICK = 12 * MM, 1.5 * MM
_NOTE = Style(6, 6)
# Pages leave UNPRINTABLE_MARGIN blank beside the fold: the marks stand there, and pages may move.
_MOST_CREEP = UNPRINTABLE_MARGIN - _STAPLE_TICK
_ROUNDING = 0.01
# Strings are passed over, so that nothing inside them is taken for a mark or a name.
_TOKEN = re.compile(
    rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]+>|/MCID (?P<mcid>\d+)|/(?P<name>[^\s()<>\[\]{}/%]+)"
    rb"(?!\s*(?:BMC|BDC|<<))",
    re.DOTALL,
)
_KEPT = ("/Lang", "/MarkInfo", "/Metadata", "/PageMode", "/Outlines")


@dataclass(frozen=True, slots=True)
class Fold:
    """How a booklet is folded.

    Attributes:
        paper: of the sheets.
        sheets: of a signature; None for one signature.
        creep: as in `signatures.saddle_stitch`.
        cover: the last page is the outside of the back cover.
        flip: the words that tell how sheets are turned over, printed in the fold.
    """

    paper: Format
    flip: str
    sheets: int | None = None
    creep: float = 0
    cover: bool = False


def fold(booklet: bytes, how: Fold) -> bytes:
    """The sheets of a booklet: front, back, front, back.

    Args:
        booklet: finished pages of one size, such as A5 for sheets of A4.
        how: it is folded.

    Raises:
        KitError: two pages do not fit on the paper, or pages would creep over the fold.
    """
    source = packing.opened(booklet)
    width, height = map(float, source.entry(source.pages[0], "/MediaBox")[2:])
    across, up = max(how.paper.width, how.paper.height), min(how.paper.width, how.paper.height)
    if 2 * width > across + _ROUNDING or height > up + _ROUNDING:
        raise fault(
            None,
            f"two pages of {in_mm(width)} x {in_mm(height)} mm do not fit on {how.paper.name}",
            "use a larger --paper: A4 for pages of A5",
        )
    sheets = saddle_stitch(len(source.pages), sheets=how.sheets, creep=how.creep, cover=how.cover)
    most = max(sheet.creep for sheet in sheets)
    if most > _MOST_CREEP:
        raise fault(
            None,
            f"the innermost pages would creep by {in_mm(most)} mm",
            "use a smaller --signature, or a smaller creep",
        )
    overlay = packing.opened(_marks(sheets, (across, up), height, how.flip))
    return _Sheets(source, overlay, (across, up), (width, height)).folded(sheets)


def _marks(
    sheets: Sequence[FoldedSheet], size: tuple[float, float], height: float, flip: str
) -> bytes:
    """A page of marks for each side of the sheets."""
    file, root = BytesIO(), Element("Document")
    canvas = TaggedCanvas(file, size, root, language="en", title="")
    middle, up = size[0] / 2, size[1]
    for number, sheet in enumerate(sheets, start=1):
        for front in (True, False):
            canvas.setLineWidth(STROKE)
            canvas.setStrokeGray(CUT_GREY)
            for low in (UNPRINTABLE_MARGIN, up - UNPRINTABLE_MARGIN - _TICK):
                canvas.line(middle, low, middle, low + _TICK)
            if front and not sheet.depth:
                for y in _staples(up / 2, height):
                    canvas.line(middle - _STAPLE_TICK, y, middle + _STAPLE_TICK, y)
            if front:
                place = f"{number}/{len(sheets)} · {flip}"
                line = set_label(place, _NOTE)
                canvas.saveState()
                canvas.translate(middle, up / 2)
                canvas.rotate(90)
                length = line.width * _NOTE.size
                draw_lines(canvas, [line], _NOTE, -length / 2, _NOTE.leading / 2)
                canvas.restoreState()
            canvas.showPage()
    with canvas.marked(root.add("P")):  # a tree needs content; this page is not taken
        canvas.rect(0, 0, 1, 1)
    canvas.save()
    return file.getvalue()


def _staples(middle: float, height: float) -> Iterator[float]:
    """The ends of two staples, a quarter of the height from either end."""
    for centre in (middle - height / 4, middle + height / 4):
        yield from (centre - _STAPLE / 2, centre + _STAPLE / 2)


class _Sheets:
    """The sheets of one booklet in the making."""

    def __init__(
        self,
        source: Finished,
        overlay: Finished,
        size: tuple[float, float],
        page: tuple[float, float],
    ) -> None:
        self._source, self._overlay = source, overlay
        self._size, self._page = size, page
        self._pool = Pool()
        self._copy, self._marks = Copy(self._pool, source), Copy(self._pool, overlay)
        listed = source.entry(source.catalog, "/StructTreeRoot", "/ParentTree", "/Nums")
        self._owners = dict(zip(listed[::2], listed[1::2], strict=True))
        self._sides: list[IndirectObject] = []
        self._side_owners: list[ArrayObject] = []
        self._list = self._pool.add()
        self._labels = ArrayObject()
        self._offsets: dict[int, int] = {}  # the object number of a page -> its first MCID
        self._places: dict[int, tuple[int, float]] = {}  # page -> its side and its left edge

    def folded(self, sheets: Sequence[FoldedSheet]) -> bytes:
        """The file."""
        for sheet in sheets:
            for spread in (sheet.front, sheet.back):
                self._place(spread, sheet.creep)
        for number in range(len(self._sides)):
            self._draw(number)
        pool, source, copy = self._pool, self._source, self._copy
        tree = pool.add()
        old = source.catalog.raw_get("/StructTreeRoot").idnum
        copy.instead(old, tree)
        root = copy.value(source.objects[old].raw_get("/K"))
        self._move_elements()
        owners: list[Any] = list(self._side_owners)
        owners += self._move_links()
        numbers = ArrayObject()
        for key, each in enumerate(owners):
            numbers += [NumberObject(key), each]
        pool.put(
            tree,
            dictionary(
                Type="/StructTreeRoot",
                K=root,
                ParentTree=pool.add(dictionary(Nums=numbers)),
                ParentTreeNextKey=len(owners),
            ),
        )
        sides = ArrayObject(self._sides)
        pool.put(self._list, dictionary(Type="/Pages", Kids=sides, Count=len(sides)))
        catalog = dictionary(
            Type="/Catalog",
            Pages=self._list,
            StructTreeRoot=tree,
            PageLabels=dictionary(Nums=self._labels),
        )
        for name in _KEPT:
            catalog[NameObject(name)] = copy.value(source.catalog.raw_get(name))
        preferences = DictionaryObject(source.entry(source.catalog, "/ViewerPreferences"))
        preferences[NameObject("/Duplex")] = NameObject("/DuplexFlipShortEdge")
        catalog[NameObject("/ViewerPreferences")] = preferences
        return pool.packed(pool.add(catalog), pool.add(copy.value(source.info)))

    def _place(self, spread: Spread, creep: float) -> None:
        """Add a side with its boxes; its pages are known by it from now on."""
        number = len(self._sides)
        box = ArrayObject(map(FloatObject, (0, 0, *self._size)))
        made = dictionary(Type="/Page", Parent=self._list, StructParents=number, Tabs="/S")
        made.update({NameObject(f"/{name}Box"): box for name in ("Media", "Crop", "Trim")})
        side = self._pool.add(made)
        self._sides.append(side)
        middle = self._size[0] / 2
        lefts = middle - self._page[0] + creep, middle - creep
        for page, left in zip(spread, lefts, strict=True):
            if page is not None:
                self._places[page] = number, left
                self._copy.instead(number_of(self._source.pages[page]), side)
        # Labels in the order of the paper: what is at the left and right, as numbers of pages.
        shown = ", ".join("–" if page is None else str(page + 1) for page in spread)
        if spread == (None, None):
            shown = f"– {number + 1}"
        self._labels += [NumberObject(number), dictionary(P=TextStringObject(shown))]

    def _draw(self, number: int) -> None:
        """The pages and marks of a side."""
        resources: dict[str, DictionaryObject] = {}
        owners = ArrayObject()
        content = b""
        bottom = (self._size[1] - self._page[1]) / 2
        for page, (side, left) in sorted(self._places.items()):
            if side != number:
                continue
            found = self._source.pages[page]
            self._offsets[number_of(found)] = len(owners)
            moved = self._taken(self._copy, self._source, found, resources, len(owners))
            width, height = self._page
            content += b"q 1 0 0 1 %.4f %.4f cm 0 0 %.4f %.4f re W n\n%b\nQ\n" % (
                left,
                bottom,
                width,
                height,
                moved,
            )
            owners += self._source.resolved(self._owners[found["/StructParents"]])
        content += self._taken(
            self._marks, self._overlay, self._overlay.pages[number], resources, 0
        )
        made = self._pool.at(self._sides[number])
        named = {NameObject(kind): held for kind, held in resources.items()}
        made[NameObject("/Resources")] = DictionaryObject(named)
        made[NameObject("/Contents")] = self._pool.add(packing.stream(content))
        self._side_owners.append(owners)

    def _taken(
        self,
        copy: Copy,
        source: Finished,
        page: DictionaryObject,
        resources: dict[str, DictionaryObject],
        first: int,
    ) -> bytes:
        """The content of a page, its resources renamed and its MCIDs counted on from `first`."""
        names: dict[bytes, bytes] = {}
        prefix = f"S{sum(map(len, resources.values()))}."
        for kind, named in (source.entry(page, "/Resources") or {}).items():
            found = source.resolved(named)
            if not isinstance(found, dict):
                continue
            held = resources.setdefault(kind, DictionaryObject())
            for name, value in found.items():
                held[NameObject(f"/{prefix}{name[1:]}")] = copy.value(value, shared=True)
                names[name[1:].encode()] = f"/{prefix}{name[1:]}".encode()

        def changed(token: re.Match[bytes]) -> bytes:
            if token["mcid"]:
                return b"/MCID %d" % (first + int(token["mcid"]))
            return names.get(token["name"], token[0]) if token["name"] else token[0]

        contents = source.entry(page, "/Contents")
        return _TOKEN.sub(changed, contents.get_data()) if contents is not None else b""

    def _move_elements(self) -> None:
        """Each piece of content has a new number on its side."""
        for element in self._source.elements:
            made = self._pool.at(self._copy.of(element.number))
            own = getattr(element.entries.get("/Pg"), "idnum", 0)
            kids = ArrayObject()
            for old, kid in zip(element.entries["/K"], made.raw_get("/K"), strict=True):
                if isinstance(kid, NumberObject):
                    kids.append(NumberObject(int(kid) + self._offsets[own]))
                    continue
                if isinstance(old, dict) and "/MCID" in old:
                    page = dict.__getitem__(old, "/Pg").idnum
                    kid[NameObject("/MCID")] = NumberObject(old["/MCID"] + self._offsets[page])
                kids.append(kid)
            made[NameObject("/K")] = kids
        for index, owners in enumerate(self._side_owners):
            self._side_owners[index] = ArrayObject(self._copy.value(each) for each in owners)

    def _move_links(self) -> Iterator[Any]:
        """The links, each in its new place; their elements as the tree of parents lists them."""
        bottom = (self._size[1] - self._page[1]) / 2
        key = len(self._sides)
        for number, page in enumerate(self._source.pages):
            side, left = self._places[number]
            for old in self._source.entry(page, "/Annots") or ():
                link = self._pool.at(self._copy.value(old))
                owner = self._owners[self._source.resolved(old)["/StructParent"]]
                x1, y1, x2, y2 = (float(edge) for edge in link["/Rect"])
                edges = x1 + left, y1 + bottom, x2 + left, y2 + bottom
                rectangle = ArrayObject(FloatObject(round(edge, 4)) for edge in edges)
                link[NameObject("/Rect")] = rectangle
                link[NameObject("/StructParent")] = NumberObject(key)
                held = self._pool.at(self._sides[side])
                held.setdefault(NameObject("/Annots"), ArrayObject()).append(self._copy.value(old))
                yield self._copy.value(owner)
                key += 1
