"""A teacher's own PDF -> finished pages for a booklet, at 100 % whatever their boxes say.

Each page becomes a picture with an alternative text. What it shows is kept, its links and bookmarks
too; fields and comments are printed as they are shown; scripts and attached files stay behind.
Lengths in points, origin at the lower left corner.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)

from kit_builder import packing
from kit_builder.errors import Location, Source, fault
from kit_builder.foreign import Foreign, Link, Matrix, at
from kit_builder.formats import Format
from kit_builder.packing import Copy, Pool, dictionary, number_of
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas

_FORM = "insert-{}"
_PRINTED = 4  # the flag of an annotation (ISO 32000-1, table 165)
_OF_THE_WEB = ("https:", "http:", "mailto:")
_NOT_OF_A_FORM = ("/Length", "/Filter", "/DecodeParms", "/StructParents", "/StructParent")
# What pypdf and the decoders below it raise where a file is not well-formed.
_DAMAGE = (
    PyPdfError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


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


def insert(path: str, pdf: bytes, pages: str, paper: Format, language: str) -> Insert:
    """Take pages out of a PDF, each in the middle of a page of the booklet.

    Args:
        path: of the file, for messages and its title.
        pdf: its bytes.
        pages: such as "1,3-5"; all of them if "".
        paper: of the booklet.
        language: of the booklet, a language tag.

    Raises:
        KitError: the file is empty, damaged, locked or without pages; it has no page of that
            number; a page is larger than the paper; a font is not embedded; there are hidden
            layers, or fields that would not be printed.
    """
    place = Location(Source(path))
    title = re.sub(r"\.[^.]*$", "", re.split(r"[/\\]", path)[-1])
    if not pdf.strip():
        raise fault(place, "this file is empty", "insert a PDF with at least one page")
    try:
        foreign = Foreign(pdf, place)
        numbers = foreign.chosen(pages)
        frames = _frames(foreign, numbers, title, paper, language)
        made = _Inserted(foreign, numbers, paper, frames).pdf()
    except _DAMAGE as error:
        raise fault(
            place,
            f"this is no PDF, or a damaged one ({type(error).__name__})",
            "open it in a viewer, print it to a new PDF, and insert that",
        ) from error
    return Insert(title, made, len(numbers))


def _frames(
    foreign: Foreign, numbers: Sequence[int], title: str, paper: Format, language: str
) -> bytes:
    """Tagged pages with an empty form each, and the bookmarks that lead to them."""
    file, root = BytesIO(), Element("Document")
    size = paper.width, paper.height
    canvas = TaggedCanvas(file, size, root, language=language, title=title)
    marks: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for page, depth, name in foreign.bookmarks():
        marks[page].append((depth, name))
    level = -1
    for index, number in enumerate(numbers):
        for depth, name in marks.pop(number, ()):
            level = min(depth, level + 1)
            canvas.outline(name, level)
        canvas.beginForm(_FORM.format(index), 0, 0, *size)
        canvas.endForm()
        box = (0.0, 0.0, *size)
        with canvas.marked(root.add("Figure", alt=f"{title}, {number + 1}", bbox=box)):
            canvas.doForm(_FORM.format(index))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


class _Inserted:
    """The frames with the foreign pages in them."""

    def __init__(
        self, foreign: Foreign, numbers: Sequence[int], paper: Format, frames: bytes
    ) -> None:
        self._foreign = foreign
        self._numbers = numbers
        self._paper = paper
        self._frames = packing.opened(frames)
        self._pool = Pool()
        self._copy = Copy(self._pool, self._frames)
        self._taken = Copy(self._pool, foreign.found)
        self._plain: set[int] = set()  # numbers of the forms without marks

    def pdf(self) -> bytes:
        """The file."""
        pool, frames, copy = self._pool, self._frames, self._copy
        catalog = pool.add(copy.value(DictionaryObject(frames.catalog)))
        sheets = [copy.of(number_of(page)) for page in frames.pages]
        tree = pool.at(pool.at(catalog).raw_get("/StructTreeRoot"))
        parents = pool.at(tree.raw_get("/ParentTree")).raw_get("/Nums")
        root = tree.raw_get("/K")
        for index, (number, sheet) in enumerate(zip(self._numbers, sheets, strict=True)):
            matrix = self._foreign.placed(number, self._paper)
            forms = frames.entry(frames.pages[index], "/Resources", "/XObject")
            form = copy.value(forms.raw_get(f"/FormXob.{_FORM.format(index)}"))
            pool.put(form, self._form(number, matrix))
            for link in self._links(number, matrix, sheet, sheets):
                key = NumberObject(len(parents) // 2)
                link[NameObject("/StructParent")] = key
                annotation = pool.add(link)
                held = pool.at(sheet).setdefault(NameObject("/Annots"), ArrayObject())
                held.append(annotation)
                kid = dictionary(Type="/OBJR", Obj=annotation, Pg=sheet)
                element = pool.add(dictionary(S="/Link", P=root, Pg=sheet, K=ArrayObject([kid])))
                pool.at(root).raw_get("/K").append(element)
                parents += [key, element]
        tree[NameObject("/ParentTreeNextKey")] = NumberObject(len(parents) // 2)
        return pool.packed(catalog, pool.add(copy.value(frames.info)))

    def _form(self, number: int, matrix: Matrix) -> StreamObject:
        """A page as a form: what it draws, and what its annotations show in print."""
        foreign = self._foreign
        resources = DictionaryObject(foreign.entry(foreign.found.pages[number], "/Resources") or {})
        shown = DictionaryObject(foreign.entry(resources, "/XObject") or {})
        content = foreign.content(number)
        for index, (form, moved) in enumerate(foreign.appearances(number)):
            shown[NameObject(f"/Shown{index}")] = form
            operands = b" ".join(b"%.4f" % each for each in moved)
            content += b"\nq %b cm /Shown%d Do Q" % (operands, index)
        resources[NameObject("/XObject")] = shown
        foreign.check_fonts(resources, set())
        taken = self._taken.value(resources, shared=True)
        self._unmark(taken)
        entries = {
            "/Type": NameObject("/XObject"),
            "/Subtype": NameObject("/Form"),
            "/BBox": ArrayObject(map(FloatObject, foreign.visible(number))),
            "/Matrix": ArrayObject(FloatObject(round(each, 6)) for each in matrix),
            "/Resources": taken,
        }
        # What the page set is undone at its end, whatever it left open.
        return packing.stream(b"q\n" + content + b"\nQ", entries)

    def _unmark(self, resources: Any) -> None:
        """The forms that a page is composed of, without marks."""
        for reference in (self._pool.at(resources.get("/XObject")) or {}).values():
            form = self._pool.at(reference)
            if reference.idnum in self._plain or form.get("/Subtype") != "/Form":
                continue
            self._plain.add(reference.idnum)
            entries = {key: each for key, each in form.items() if key not in _NOT_OF_A_FORM}
            self._pool.put(reference, packing.stream(self._foreign.unmarked(form), entries))
            inner = self._pool.at(form.get("/Resources"))
            if inner is not None:
                self._unmark(inner)

    def _links(
        self, number: int, matrix: Matrix, sheet: IndirectObject, sheets: Sequence[IndirectObject]
    ) -> Iterator[DictionaryObject]:
        """The links of a page in their new places; those to pages left out stay behind."""
        for each in self._foreign.links(number):
            link = dictionary(
                Type="/Annot",
                Subtype="/Link",
                P=sheet,
                Rect=self._rectangle(each, matrix),
                Border=ArrayObject([NumberObject(0)] * 3),
                F=_PRINTED,
            )
            if each.uri.lower().startswith(_OF_THE_WEB):
                action = dictionary(S="/URI", URI=TextStringObject(each.uri))
                link[NameObject("/A")] = action
                link[NameObject("/Contents")] = TextStringObject(each.uri)
            elif each.page is not None and each.page in self._numbers:
                page = sheets[self._numbers.index(each.page)]
                link[NameObject("/Dest")] = ArrayObject([page, NameObject("/Fit")])
                link[NameObject("/Contents")] = TextStringObject(str(each.page + 1))
            else:
                continue
            yield link

    def _rectangle(self, link: Link, matrix: Matrix) -> ArrayObject:
        x1, y1, x2, y2 = link.box
        xs, ys = zip(at(matrix, x1, y1), at(matrix, x2, y2), strict=True)
        edges = min(xs), min(ys), max(xs), max(ys)
        return ArrayObject(FloatObject(round(edge, 4)) for edge in edges)
