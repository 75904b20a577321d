"""Tagged PDF: marked content and artifacts, on top of ReportLab's canvas.

`TaggedCanvas` draws in any order for the elements of a structure tree. Whatever is not drawn for
an element is an artifact, by construction. Lengths in points, origin at the lower left corner.

Standards: ISO 32000-1 (PDF 1.7), sections 14.6 to 14.9; ISO 14289-1 (PDF/UA-1).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import accumulate
from typing import Any, BinaryIO, Literal

from reportlab.lib.rl_accel import fp_str
from reportlab.pdfbase import pdfdoc
from reportlab.pdfgen.canvas import Canvas

from kit_builder import structure, xmp
from kit_builder.fonts import Cut
from kit_builder.structure import Element

Duplex = Literal["Simplex", "DuplexFlipLongEdge", "DuplexFlipShortEdge"]

# The second line says that the file is binary (ISO 32000-1, 7.5.2).
_HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
# As small as the usual 6 but for 2 %, in three quarters of its time.
_DEFLATE = 4


class TaggedCanvas(Canvas):  # type: ignore[misc]  # ReportLab has no types
    """A canvas whose every page is marked: as content of an element, or as an artifact.

    Draw for an element inside `with canvas.marked(element):`; all else is an artifact. Forms are
    neither: what is drawn in one counts as what it is placed for (`doForm` under `marked`, or
    not). All boxes of a page are its trim, whatever size the page before it had.

    ReportLab draws; what it would write of pages, forms and elements is written here, in a quarter
    of its time.
    """

    def __init__(
        self,
        file: BinaryIO,
        page_size: tuple[float, float],
        root: Element,
        *,
        language: str,
        title: str,
        duplex: Duplex | None = None,
    ) -> None:
        """Begin a document.

        Args:
            file: where `save` writes the PDF; it is not closed.
            page_size: width and height of the first page in points.
            root: the Document element; its tree may grow until `save`.
            language: of the document, a language tag such as "en" or "ca".
            title: of the document, as shown in the title bar of a viewer.
            duplex: what a print dialogue is to preselect; None leaves it alone.
        """
        super().__init__(file, pagesize=page_size, invariant=1, lang=language)
        self._root = root
        self._title = title
        self._packet = xmp.packet(title, language)
        self._fonts: dict[Cut, str] = {}
        self._bodies: dict[int, bytes] = {}  # of the objects that ReportLab does not write
        self._page_numbers: list[int] = []  # of their objects
        self._marked: Element | None = None
        self._artifact_start = 0  # index into the page's operators of what is not marked yet
        self._owners: list[list[Element]] = [[]]  # page -> MCID -> element
        self._labels: dict[int, str] = {}
        self._outline_count = 0
        self.setViewerPreference("PrintScaling", "None")
        self.setViewerPreference("DisplayDocTitle", "true")
        if duplex is not None:
            self.setViewerPreference("Duplex", duplex)

    @contextmanager
    def marked(self, element: Element) -> Iterator[None]:
        """What is drawn inside belongs to `element`; where nothing is painted there is no mark.

        Raises:
            RuntimeError: inside another `marked`, or inside a form; the graphics state or the page
                is not the same at the end as at the start.
            ValueError: the element is one that only groups others.
        """
        if inside := self._inside():
            raise RuntimeError(f"{element!r} marked inside {inside}")
        if element.role in structure.GROUPS:
            raise ValueError(f"{element!r}: nothing is drawn for a {element.role} itself")
        self._mark_artifacts()
        code, depth = self._code, len(self.state_stack)
        owners = self._owners[-1]
        code.append(f"/{element.role} <</MCID {len(owners)}>> BDC")
        start = len(code)
        self._marked = element
        yield
        self._marked = None
        if code is not self._code or depth != len(self.state_stack):
            raise RuntimeError(f"{element!r} ends in another page, form or graphics state")
        if not all(map(_STATE.fullmatch, code[start:])):
            code.append("EMC")
            element.content.append((len(self._owners) - 1, len(owners)))
            owners.append(element)
        else:
            del code[start - 1]
        self._artifact_start = len(code)

    def _inside(self) -> str:
        if self._formData is not None:
            return "a form"
        return repr(self._marked) if self._marked else ""

    def _mark_artifacts(self) -> None:
        code = self._code
        if len(code) > self._artifact_start:
            code[self._artifact_start :] = _as_artifacts(code[self._artifact_start :])
            self._artifact_start = len(code)

    def font_name(self, cut: Cut) -> str:
        """The name by which pages ask for a font; it comes into the file."""
        if cut not in self._fonts:
            self._fonts[cut] = f"/T{len(self._fonts) + 1}"
        return self._fonts[cut]

    def _make_preamble(self) -> None:
        """Leave out ReportLab's: it asks for Helvetica, which is not embedded, in every file."""
        self._preamble = ""

    def beginForm(  # noqa: N802  # ReportLab's name
        self,
        name: str,
        lowerx: float = 0,
        lowery: float = 0,
        upperx: float | None = None,
        uppery: float | None = None,
    ) -> None:
        """Begin a form, as ReportLab's.

        Raises:
            ValueError: the name has characters that ReportLab writes into the page unescaped,
                where the form would then be missing without an error.
        """
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
            raise ValueError(f"form name {name!r}; write ASCII letters, digits, and _ . - only")
        super().beginForm(name, lowerx, lowery, upperx, uppery)

    def endForm(self) -> None:  # noqa: N802  # ReportLab's name
        """End the form."""
        name, *box = self._formData
        entries = b"/Type/XObject/Subtype/Form/BBox[%b]/Resources%b" % (
            _numbers(*box),
            self._resources(),
        )
        self._doc.addForm(name, _Written(self._stream(entries)))
        self._restartAccumulators()
        self.pop_state_stack()

    def showPage(self) -> None:  # noqa: N802  # ReportLab's name
        """End the page.

        Raises:
            RuntimeError: inside `marked`, or inside a form.
        """
        if inside := self._inside():
            raise RuntimeError(f"the page ends inside {inside}")
        self._mark_artifacts()
        document, box = self._doc, _numbers(0, 0, *self._pagesize)
        contents = self._add(self._stream(b""))
        page = _Written(
            b"<</Type/Page/Parent %b/MediaBox[%b]/CropBox[%b]/TrimBox[%b]/Resources%b"
            b"/Contents %d 0 R/StructParents %d/Tabs/S>>"
            % (
                document.Reference(document.Pages).format(document),
                box,
                box,
                box,
                self._resources(),
                contents,
                len(self._owners) - 1,
            )
        )
        document.addPage(page)
        self._page_numbers.append(document.objectcounter)
        self._startPage()
        self._artifact_start = 0
        self._owners.append([])

    def _stream(self, entries: bytes) -> bytes:
        """What was drawn since the page or form began."""
        packed = zlib.compress("\n".join(self._code).encode("latin-1"), _DEFLATE)
        form = b"<<%b/Filter/FlateDecode/Length %d>>stream\n%b\nendstream"
        return form % (entries, len(packed), packed)

    def _resources(self) -> bytes:
        """What a page or form draws with: all have the same fonts, each its own forms."""
        numbers = self._doc.idToObjectNumberAndVersion
        names = map(pdfdoc.xObjectName, dict.fromkeys(self._formsinuse))
        forms = b"".join(b"/%b %d 0 R" % (name.encode(), numbers[name][0]) for name in names)
        return b"<</Font %d 0 R/XObject<<%b>>>>" % (numbers[pdfdoc.BasicFonts][0], forms)

    def _add(self, body: bytes) -> int:
        """The number of a new object."""
        self._doc.objectcounter += 1
        number: int = self._doc.objectcounter
        self._bodies[number] = body
        return number

    def outline(self, title: str, level: int = 0) -> None:
        """Add a bookmark for the top of this page; level 0 is the top level.

        Raises:
            ValueError: the level is more than one below that of the bookmark before.
        """
        key = f"outline-{self._outline_count}"
        self._outline_count += 1
        self.bookmarkPage(key, fit="XYZ", left=0, top=self._pagesize[1])
        self.addOutlineEntry(title, key, level)

    def page_label(self, label: str) -> None:
        """Name this page as viewers shall name it ("Cards 2, back"); else it has its number."""
        self._labels[len(self._owners) - 1] = label

    def save(self) -> None:
        """End the document and write it.

        Raises:
            ValueError: the tree breaks a rule, as `structure.check` says, or something was drawn
                for an element that is not in it.
        """
        if self._code:
            self.showPage()
        self._owners.pop()
        structure.check(self._root)
        document = self._doc
        self._add_structure()
        self._add_fonts()
        catalog = document.Catalog
        catalog.MarkInfo = b"<</Marked true>>"
        catalog.PageLabels = b"<</Nums[%b]>>" % b"".join(map(self._label, range(len(self._owners))))
        catalog.Metadata = b"%d 0 R" % self._add(
            b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n%b\nendstream"
            % (len(self._packet), self._packet)
        )
        document.Outlines.prepare(document, self)
        if document.Outlines.ready < 0:
            catalog.Outlines = None
        document.Reference(catalog)
        root = document.objectcounter
        # Without dates, and without "anonymous" where nothing is known.
        info = b"<</Title %b/Producer %b>>" % (_string(self._title), _string(xmp.PRODUCER))
        self._filename.write(self._file(root, self._add(info)))

    def _add_fonts(self) -> None:
        listed = self._doc.idToObject[pdfdoc.BasicFonts].dict
        for cut, name in self._fonts.items():
            listed[name[1:]] = b"%d 0 R" % cut.embed(self._add)
        for font in self._doc.delayedFonts:  # those of ReportLab's that something was drawn in
            font.addObjects(self._doc)

    def _label(self, page: int) -> bytes:
        label = self._labels.get(page)
        if label:
            return b"%d<</P %b>>" % (page, _string(label))
        return b"%d<</S/D/St %d>>" % (page, page + 1)

    def _add_structure(self) -> None:
        """Add an object for each element of the tree, and the tree's root."""
        elements = list(self._root.walk())
        top = self._doc.objectcounter + len(elements) + 1
        numbers = {element: top - len(elements) + place for place, element in enumerate(elements)}
        stray = [owner for owners in self._owners for owner in owners if owner not in numbers]
        if stray:
            raise ValueError(f"drawn for {stray[0]!r}, which is not in the tree")
        for element in elements:
            parent = numbers[element.parent] if element.parent else top
            kids = b" ".join([b"%d 0 R" % numbers[child] for child in element.children])
            self._add(_entries(element, parent, self._page_numbers, kids))
        parents = b" ".join(
            b"%d[%b]" % (page, b" ".join([b"%d 0 R" % numbers[owner] for owner in owners]))
            for page, owners in enumerate(self._owners)
        )
        self._add(
            b"<</Type/StructTreeRoot/K %d 0 R/ParentTree<</Nums[%b]>>/ParentTreeNextKey %d>>"
            % (numbers[self._root], parents, len(self._owners))
        )
        self._doc.Catalog.StructTreeRoot = b"%d 0 R" % top

    def _objects(self) -> Iterator[bytes]:
        """The objects of the file in the order of their numbers; writing one may make others."""
        document = self._doc
        number = 1
        while number <= document.objectcounter:
            body = self._bodies.get(number)
            if body is None:
                made = document.idToObject[document.numberToId[number]]
                body = pdfdoc.format(made, document, toplevel=1)
            yield b"%d 0 obj\n%b\nendobj\n" % (number, body)
            number += 1

    def _file(self, root: int, info: int) -> bytes:
        """The file, with a cross-reference table (ISO 32000-1, 7.5)."""
        parts = [_HEADER, *self._objects()]
        *places, end = accumulate(map(len, parts))
        body = b"".join(parts)
        identifier = blake2b(body, digest_size=16).hexdigest().encode()
        return b"".join(
            (
                body,
                b"xref\n0 %d\n0000000000 65535 f \n" % len(parts),
                *[b"%010d 00000 n \n" % place for place in places],
                b"trailer\n<</Size %d/Root %d 0 R/Info %d 0 R" % (len(parts), root, info),
                b"/ID[<%b><%b>]>>\n" % (identifier, identifier),
                b"startxref\n%d\n%%%%EOF\n" % end,
            )
        )


class _Written(pdfdoc.PDFObject):  # type: ignore[misc]  # ReportLab has no types
    """A page or a form, whose bytes are ready and which ReportLab knows by its name."""

    __RefOnly__ = 1

    def __init__(self, body: bytes) -> None:
        self.body = body

    def format(self, _document: Any) -> bytes:
        return self.body


def _numbers(*numbers: float) -> bytes:
    written: str = fp_str(*numbers)
    return written.encode()


def _string(text: str) -> bytes:
    """A text string (7.9.2.2): as it is, or as UTF-16."""
    if text.isascii() and text.isprintable():
        return b"(%b)" % re.sub(r"([()\\])", r"\\\1", text).encode()
    return b"<FEFF%b>" % text.encode("utf-16-be").hex().upper().encode()


def _entries(element: Element, parent: int, pages: Sequence[int], kids: bytes) -> bytes:
    """The dictionary of a structure element (table 323); `pages` and `kids` are objects."""
    parts = [b"<</S/%b/P %d 0 R" % (element.role.encode(), parent)]
    content: list[bytes] = []
    if element.content:
        first = element.content[0][0]
        parts.append(b"/Pg %d 0 R" % pages[first])
        content = [
            b"%d" % mcid
            if page == first
            else b"<</Type/MCR/Pg %d 0 R/MCID %d>>" % (pages[page], mcid)
            for page, mcid in element.content
        ]
    if kids:
        content.append(kids)
    parts.append(b"/K[%b]" % b" ".join(content))
    for key, text in ((b"Alt", element.alt), (b"Lang", element.language), (b"T", element.title)):
        if text:
            parts.append(b"/%b %b" % (key, _string(text)))
    if element.scope:
        parts.append(b"/A<</O/Table/Scope/%b>>" % element.scope.encode())
    if element.numbering:
        parts.append(b"/A<</O/List/ListNumbering/%b>>" % element.numbering.encode())
    if element.bbox:
        parts.append(b"/A<</O/Layout/Placement/Block/BBox[%b]>>" % _numbers(*element.bbox))
    parts.append(b">>")
    return b"".join(parts)


# An entry of a canvas's code that is one operator and only changes the graphics state: it paints
# nothing and needs no mark. Any other entry may paint: rather too often than too rarely.
_STATE = re.compile(
    r"[-+.\d\s\[\]]*(?:/\S+ )?(?:q|Q|cm|[wJjMdi]|ri|gs|CS|cs|SCN?|scn?|[Gg]|RG|rg|[Kk])\s*"
)


def _as_artifacts(section: Sequence[str]) -> list[str]:
    """Mark what a run of operators paints as artifacts.

    A `q` or `Q` whose partner lies outside the section stays outside the marks, so that marked
    content and graphics states never cross; a run that paints nothing gets no mark.
    """
    alone: set[int] = set()
    saved: list[int] = []
    for index, operators in enumerate(section):
        if operators == "q":
            saved.append(index)
        elif operators == "Q":
            if saved:
                saved.pop()
            else:
                alone.add(index)
    alone.update(saved)
    marked: list[str] = []
    start = 0
    for end in (*sorted(alone), len(section)):
        run = section[start:end]
        if not all(map(_STATE.fullmatch, run)):
            marked += ["/Artifact BMC", *run, "EMC"]
        else:
            marked += run
        marked += section[end : end + 1]
        start = end + 1
    return marked
