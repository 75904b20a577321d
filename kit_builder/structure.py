"""Tagged PDF: the structure tree, marked content and artifacts, on top of ReportLab's canvas.

The tree of `Element`s is built first, in reading order. `TaggedCanvas` then draws in any order and
only notes which element a piece of a page belongs to, so a paragraph that is split over two pages
stays one element, and reading order never depends on drawing order. Whatever is not drawn for an
element is an artifact, by construction. Lengths in points, origin at the lower left corner.

Standards: ISO 32000-1 (PDF 1.7), sections 14.6 to 14.9; ISO 14289-1 (PDF/UA-1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal, TypedDict, Unpack
from xml.sax.saxutils import escape

from reportlab import rl_config
from reportlab.pdfbase import pdfdoc, pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from kit_builder import __version__

PRODUCER = f"Kit Builder {__version__}"

Box = tuple[float, float, float, float]
Duplex = Literal["Simplex", "DuplexFlipLongEdge", "DuplexFlipShortEdge"]

# ISO 32000-1, tables 333 to 340.
# fmt: off
ROLES = frozenset({
    "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index",
    "NonStruct", "Private", "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody",
    "Table", "THead", "TBody", "TFoot", "TR", "TH", "TD", "Span", "Quote", "Note", "Reference",
    "BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP",
    "Figure", "Formula", "Form",
})
# fmt: on
# What may stand directly inside these (ISO 32000-1, tables 336 and 337; PDF/UA-1, 7.5 and 7.6).
_CHILDREN = {
    "Table": {"Caption", "THead", "TBody", "TFoot", "TR"},
    "THead": {"TR"},
    "TBody": {"TR"},
    "TFoot": {"TR"},
    "TR": {"TH", "TD"},
    "L": {"Caption", "L", "LI"},
    "LI": {"Lbl", "LBody"},
    "TOC": {"Caption", "TOC", "TOCI"},
}
_PARENTS = {
    "THead": {"Table"},
    "TBody": {"Table"},
    "TFoot": {"Table"},
    "TR": {"Table", "THead", "TBody", "TFoot"},
    "TH": {"TR"},
    "TD": {"TR"},
    "LI": {"L"},
    "LBody": {"LI"},
    "TOCI": {"TOC"},
}
# These group other elements; nothing is drawn for them themselves.
_GROUPS = {"Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Index", *_CHILDREN}
_MAY_BE_EMPTY = {"TD", "TH"}
_HEADING = re.compile(r"H([1-6])")


class Attributes(TypedDict, total=False):
    """What an element may say about itself besides its role; see `Element`."""

    alt: str
    language: str
    title: str
    scope: Literal["Column", "Row"]
    numbering: Literal["Decimal", "LowerAlpha", "UpperAlpha", "Disc", "Circle", "Square"]
    bbox: Box


class Element:
    """A structure element: what a piece of the document is, and its place in reading order.

    Attributes:
        role: a standard structure type.
        parent: None for the root.
        children: in reading order. What is drawn for the element itself is read before them.
        alt: what a reader hears instead of a figure.
        language: a language tag, where it differs from the document's.
        title: a name for the element, not read with the page.
        scope: of a TH: what it heads.
        numbering: of an L: what its Lbl show.
        bbox: of a Figure: left, bottom, right, top on its page, in points; may be set when drawn.
        content: (page, MCID) of each piece drawn for it, both counted from 0.

    Raises:
        ValueError: no standard role; a Figure without alt; a TH without scope, or a scope, a
            numbering or a bbox where there can be none.
    """

    __slots__ = (
        "alt",
        "bbox",
        "children",
        "content",
        "language",
        "numbering",
        "parent",
        "role",
        "scope",
        "title",
    )

    def __init__(self, role: str, **attributes: Unpack[Attributes]) -> None:
        self.role = role
        self.parent: Element | None = None
        self.children: list[Element] = []
        self.content: list[tuple[int, int]] = []
        self.alt = attributes.get("alt", "")
        self.language = attributes.get("language", "")
        self.title = attributes.get("title", "")
        self.scope = attributes.get("scope")
        self.numbering = attributes.get("numbering")
        self.bbox = attributes.get("bbox")
        if role not in ROLES:
            raise ValueError(f"{role} is no standard structure type")
        if role == "Figure" and not self.alt.strip():
            raise ValueError("a Figure needs alt")
        if (role == "TH") != (self.scope is not None):
            raise ValueError(f"{role} with scope {self.scope}")
        if (self.numbering and role != "L") or (self.bbox and role != "Figure"):
            raise ValueError(f"{role} with numbering {self.numbering}, bbox {self.bbox}")

    def add(self, role: str, **attributes: Unpack[Attributes]) -> Element:
        """Append a child to the element, and return the child.

        Raises:
            ValueError: as the class.
        """
        child = Element(role, **attributes)
        child.parent = self
        self.children.append(child)
        return child

    def walk(self) -> Iterator[Element]:
        """The element and all below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __repr__(self) -> str:
        above = f"{self.parent!r} > " if self.parent else ""
        return f"{above}{self.role}{f' {self.title!r}' if self.title else ''}"


def check(root: Element) -> None:
    """Refuse a finished tree that breaks a nesting rule, after everything has been drawn.

    Raises:
        ValueError: naming every fault: the root is no Document; a role inside one that cannot
            hold it; a skipped heading level; rows of unequal length; more than one THead, or one
            without TBody; an element other than TD or TH with neither content nor children.
    """
    faults = [] if root.role == "Document" else [f"the root is {root.role}, not Document"]
    level = 0
    for element in root.walk():
        role, parent = element.role, element.parent
        if parent is not None and (
            role not in _CHILDREN.get(parent.role, ROLES)
            or parent.role not in _PARENTS.get(role, ROLES)
        ):
            faults.append(f"{element!r}: {role} cannot stand in {parent.role}")
        if heading := _HEADING.fullmatch(role):
            if int(heading[1]) > level + 1:
                faults.append(f"{element!r}: the heading before it is of level {level}")
            level = int(heading[1])
        if role == "Table":
            faults += _table_faults(element)
        if not (element.children or element.content or role in _MAY_BE_EMPTY):
            faults.append(f"{element!r}: empty")
    if faults:
        raise ValueError("\n".join(faults))


def _table_faults(table: Element) -> Iterator[str]:
    parts = [child.role for child in table.children]
    if parts.count("THead") > 1 or ("THead" in parts and "TBody" not in parts):
        yield f"{table!r}: {', '.join(parts)}"
    rows = [
        row
        for part in table.children
        for row in ([part] if part.role == "TR" else part.children)
        if row.role == "TR"
    ]
    lengths = {len(row.children) for row in rows}
    if len(lengths) > 1:
        yield f"{table!r}: rows of {', '.join(map(str, sorted(lengths)))} cells"


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
        subject: str = "",
        author: str = "",
        keywords: str = "",
        duplex: Duplex | None = None,
    ) -> None:
        """Begin a document.

        Args:
            file: where `save` writes the PDF; it is not closed.
            page_size: width and height of the first page in points.
            root: the Document element; its tree may grow until `save`.
            language: of the document, a language tag such as "en" or "ca".
            title: of the document, as shown in the title bar of a viewer.
            subject: what it is about; "" if nothing is to be said.
            author: who wrote it; "" if nobody is to be named.
            keywords: separated by commas.
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
        self._language = language
        self._marked: Element | None = None
        self._artifact_start = 0  # index into the page's operators of what is not marked yet
        self._owners: list[list[Element]] = [[]]  # page -> MCID -> element
        self._labels: dict[int, str] = {}
        self._outline_count = 0
        info = self._doc.info = _Info()
        info.title, info.subject, info.author, info.keywords = title, subject, author, keywords
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
        if element.role in _GROUPS:
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
            ValueError: the tree breaks a rule (see `check`), or something was drawn for an element
                that is not in it.
        """
        if self._code:
            self.showPage()
        self._owners.pop()
        check(self._root)
        for number in range(len(self._owners)):
            label = self._labels.get(number)
            style, start = (None, None) if label else ("ARABIC", number + 1)
            self.addPageLabel(number, style=style, start=start, prefix=label)
        document = self._doc
        catalog = document.Catalog
        catalog.MarkInfo = _Written(b"<</Marked true>>")
        catalog.Metadata = pdfdoc.XMP(creator=lambda _: self._xmp())
        catalog.StructTreeRoot = self._structure_tree()
        # The file identifier follows from what is in the file, not only from its title.
        for each in list(document.idToObject.values()):
            document.updateSignature(getattr(each, "stream", None) or getattr(each, "body", b""))
        super().save()

    def _structure_tree(self) -> pdfdoc.PDFObject:
        """Register an object for each element of the tree, and return the tree's root object."""
        document = self._doc
        elements = list(self._root.walk())
        objects = {element: _Written() for element in elements}
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

    def _xmp(self) -> bytes:
        """The XMP packet: what the document information says, and the claim of PDF/UA-1."""
        info = self._doc.info
        language = escape(self._language, {'"': "&quot;"})
        title = escape(info.title)
        described = [
            "<dc:title><rdf:Alt>"
            f'<rdf:li xml:lang="x-default">{title}</rdf:li>'
            f'<rdf:li xml:lang="{language}">{title}</rdf:li></rdf:Alt></dc:title>',
            f"<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>",
        ]
        if info.author:
            author = escape(info.author)
            described.append(
                f"<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>"
            )
        if info.subject:
            described.append(
                '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">'
                f"{escape(info.subject)}</rdf:li></rdf:Alt></dc:description>"
            )
        if info.keywords:
            described.append(f"<pdf:Keywords>{escape(info.keywords)}</pdf:Keywords>")
        described.append(f"<pdf:Producer>{escape(PRODUCER)}</pdf:Producer>")
        described.append("<pdfuaid:part>1</pdfuaid:part>")
        return (
            '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
            '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"'
            ' xmlns:pdf="http://ns.adobe.com/pdf/1.3/"'
            ' xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">\n'
            + "\n".join(described)
            + '\n</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>\n'
        ).encode()


class _Info(pdfdoc.PDFInfo):  # type: ignore[misc]  # ReportLab has no types
    """Document information without dates, and without "anonymous" where nothing is known."""

    def format(self, document: Any) -> bytes:
        entries = {
            "Title": self.title,
            "Subject": self.subject,
            "Author": self.author,
            "Keywords": self.keywords,
            "Producer": PRODUCER,
        }
        return b"<<%b>>" % b"".join(
            b"/%b %b" % (key.encode(), _string(document, text))
            for key, text in entries.items()
            if text
        )


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


def _to_unicode(name: str, subset: Sequence[int]) -> str:
    """The ToUnicode CMap of a subset font: code (its index) -> code point (ISO 32000-1, 9.10.3)."""
    pairs = [
        f"<{code:02X}> <{chr(point).encode('utf-16-be').hex().upper()}>"
        for code, point in enumerate(subset)
        if point
    ]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin",
            "12 dict begin",
            "begincmap",
            f"/CIDSystemInfo << /Registry ({name}) /Ordering ({name}) /Supplement 0 >> def",
            f"/CMapName /{name} def",
            "/CMapType 2 def",
            "1 begincodespacerange",
            "<00> <FF>",
            "endcodespacerange",
            *(
                line
                for block in blocks
                for line in (f"{len(block)} beginbfchar", *block, "endbfchar")
            ),
            "endcmap",
            "CMapName currentdict /CMap defineresource pop",
            "end",
            "end",
        ]
    )


def _correct_reportlab() -> None:
    """Replace what ReportLab 5.1 gets wrong for every document of the program.

    * Its ToUnicode CMaps map code 0, the missing glyph, to U+0000 (PDF/UA-1, 7.21.7 forbids that),
      write code points above U+FFFF as five hexadecimal digits instead of UTF-16, and put more than
      the 100 pairs of Adobe Technical Note 5014 into one block.
    * It wraps compressed streams in ASCII, a quarter larger, for channels that are not 8 bit clean.
    """
    ttfonts.makeToUnicodeCMap = _to_unicode
    rl_config.useA85 = 0


_correct_reportlab()
