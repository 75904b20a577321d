"""Tagged PDF: marked content and artifacts, on top of ReportLab's canvas.

`TaggedCanvas` draws in any order for the elements of a structure tree. Whatever is not drawn for
an element is an artifact, by construction. Lengths in points, origin at the lower left corner.

Standards: ISO 32000-1 (PDF 1.7), sections 14.6 to 14.9; ISO 14289-1 (PDF/UA-1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal

from reportlab import rl_config
from reportlab.pdfbase import pdfdoc, pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from kit_builder import structure, tounicode, xmp
from kit_builder.structure import Element

Duplex = Literal["Simplex", "DuplexFlipLongEdge", "DuplexFlipShortEdge"]

# For every document of the program. ReportLab wraps compressed streams in ASCII, a quarter larger,
# for channels that are not 8 bit clean.
rl_config.useA85 = 0
ttfonts.makeToUnicodeCMap = tounicode.write


class TaggedCanvas(Canvas):  # type: ignore[misc]  # ReportLab has no types
    """A canvas whose every page is marked: as content of an element, or as an artifact.

    Draw for an element inside `with canvas.marked(element):`; all else is an artifact. Forms are
    neither: what is drawn in one counts as what it is placed for (`doForm` under `marked`, or
    not). All boxes of a page are its trim, whatever size the page before it had.
    """

    def __init__(
        self,
        file: BinaryIO,
        page_size: tuple[float, float],
        root: Element,
        *,
        language: str,
        title: str,
        font: str,
        duplex: Duplex | None = None,
    ) -> None:
        """Begin a document.

        Args:
            file: where `save` writes the PDF; it is not closed.
            page_size: width and height of the first page in points.
            root: the Document element; its tree may grow until `save`.
            language: of the document, a language tag such as "en" or "ca".
            title: of the document, as shown in the title bar of a viewer.
            font: a registered TrueType font to begin with. Without one ReportLab refers to
                Helvetica, which is not embedded, in every file.
            duplex: what a print dialogue is to preselect; None leaves it alone.

        Raises:
            ValueError: the font is none that is embedded.
        """
        if not pdfmetrics.getFont(font)._dynamicFont:
            raise ValueError(f"{font} is not embedded")
        super().__init__(
            file,
            pagesize=page_size,
            pageCompression=1,
            invariant=1,
            pdfVersion=(1, 7),
            initialFontName=font,
            lang=language,
        )
        self._root = root
        self._packet = xmp.packet(title, language)
        self._marked: Element | None = None
        self._artifact_start = 0  # index into the page's operators of what is not marked yet
        self._owners: list[list[Element]] = [[]]  # page -> MCID -> element
        self._labels: dict[int, str] = {}
        self._outline_count = 0
        self._doc.info = _Info()
        self._doc.info.title = title
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
        if any(map(_paints, code[start:])):
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
        code[self._artifact_start :] = _as_artifacts(code[self._artifact_start :])
        self._artifact_start = len(code)

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

    def showPage(self) -> None:  # noqa: N802  # ReportLab's name
        """End the page.

        Raises:
            RuntimeError: inside `marked`, or inside a form.
        """
        if inside := self._inside():
            raise RuntimeError(f"the page ends inside {inside}")
        self._mark_artifacts()
        self._cropBox = self._trimBox = (0, 0, *self._pagesize)
        super().showPage()
        page = self._doc.Pages.pages[-1]
        page.__NoDefault__ = [*page.__NoDefault__, "StructParents", "Tabs"]
        page.StructParents = len(self._owners) - 1
        page.Tabs = "/S"
        page.Trans = None
        page.Rotate = page.Rotate or None
        self._artifact_start = 0
        self._owners.append([])

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
        for number in range(len(self._owners)):
            label = self._labels.get(number)
            style, start = (None, None) if label else ("ARABIC", number + 1)
            self.addPageLabel(number, style=style, start=start, prefix=label)
        document = self._doc
        catalog = document.Catalog
        catalog.MarkInfo = _Written(b"<</Marked true>>")
        catalog.Metadata = pdfdoc.XMP(creator=lambda _: self._packet)
        catalog.StructTreeRoot = self._structure_tree()
        # The file identifier follows from what is in the file, not only from its title.
        for each in list(document.idToObject.values()):
            document.updateSignature(getattr(each, "stream", None) or getattr(each, "body", b""))
        super().save()

    def _structure_tree(self) -> pdfdoc.PDFObject:
        """Register an object for each element of the tree, and return the tree's root object."""
        document = self._doc
        objects = {element: _Written() for element in self._root.walk()}
        stray = [owner for owners in self._owners for owner in owners if owner not in objects]
        if stray:
            raise ValueError(f"drawn for {stray[0]!r}, which is not in the tree")
        top = _Written()
        top_reference = _reference(document, top)
        references = {each: _reference(document, written) for each, written in objects.items()}
        pages = [_reference(document, page) for page in document.Pages.pages]
        for element, written in objects.items():
            parent = references[element.parent] if element.parent else top_reference
            kids = [references[child] for child in element.children]
            written.body = _entries(document, element, parent, pages, kids)
        numbers = b" ".join(
            b"%d [%b]" % (page, b" ".join(references[owner] for owner in owners))
            for page, owners in enumerate(self._owners)
        )
        top.body = (
            b"<</Type/StructTreeRoot/K %b/ParentTree <</Nums [%b]>>/ParentTreeNextKey %d>>"
            % (references[self._root], numbers, len(self._owners))
        )
        return top


class _Info(pdfdoc.PDFInfo):  # type: ignore[misc]  # ReportLab has no types
    """Document information without dates, and without "anonymous" where nothing is known."""

    def format(self, document: Any) -> bytes:
        title, producer = _string(document, self.title), _string(document, xmp.PRODUCER)
        return b"<</Title %b/Producer %b>>" % (title, producer)


class _Written(pdfdoc.PDFObject):  # type: ignore[misc]  # ReportLab has no types
    """An indirect object whose bytes are ready: a tenth of the time of ReportLab's dictionaries."""

    __RefOnly__ = 1

    def __init__(self, body: bytes = b"") -> None:
        self.body = body

    def format(self, _document: Any) -> bytes:
        return self.body


def _reference(document: Any, written: Any) -> bytes:
    reference: bytes = document.Reference(written).format(document)
    return reference


def _string(document: Any, text: str) -> bytes:
    written: bytes = pdfdoc.PDFString(text).format(document)
    return written


def _entries(
    document: Any, element: Element, parent: bytes, pages: Sequence[bytes], kids: Sequence[bytes]
) -> bytes:
    """The dictionary of a structure element (ISO 32000-1, table 323)."""
    parts = [b"<</S/%b/P %b" % (element.role.encode(), parent)]
    content: list[bytes] = []
    if element.content:
        first = element.content[0][0]
        parts.append(b"/Pg %b" % pages[first])
        content = [
            b"%d" % mcid if page == first else b"<</Type/MCR/Pg %b/MCID %d>>" % (pages[page], mcid)
            for page, mcid in element.content
        ]
    parts.append(b"/K [%b]" % b" ".join([*content, *kids]))
    for key, text in ((b"Alt", element.alt), (b"Lang", element.language), (b"T", element.title)):
        if text:
            parts.append(b"/%b %b" % (key, _string(document, text)))
    if element.scope:
        parts.append(b"/A <</O/Table/Scope/%b>>" % element.scope.encode())
    if element.numbering:
        parts.append(b"/A <</O/List/ListNumbering/%b>>" % element.numbering.encode())
    if element.bbox:
        box = " ".join(f"{length:.4f}" for length in element.bbox).encode()
        parts.append(b"/A <</O/Layout/Placement/Block/BBox [%b]>>" % box)
    parts.append(b">>")
    return b"".join(parts)


# Operators that only change the graphics state: they paint nothing and need no mark.
_STATE = frozenset("q Q cm w J j M d ri i gs CS cs SC SCN sc scn G g RG rg K k".split())  # noqa: SIM905
_FONT = re.compile(r"BT \S+ \S+ Tf \S+ TL ET")


def _paints(operators: str) -> bool:
    """Whether an entry of a canvas's code may paint something; rather too often than too rarely."""
    if _FONT.fullmatch(operators):
        return False
    return any(word[0].isalpha() and word not in _STATE for word in operators.split())


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
        if any(map(_paints, run)):
            marked += ["/Artifact BMC", *run, "EMC"]
        else:
            marked += run
        marked += section[end : end + 1]
        start = end + 1
    return marked
