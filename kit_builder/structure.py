"""The structure tree of a tagged PDF: its elements in reading order, and the rules of nesting.

The tree is built before anything is drawn; drawing only notes which element a piece of a page
belongs to. So a paragraph that is split over two pages stays one element, and reading order never
depends on drawing order.

Standards: ISO 32000-1 (PDF 1.7), sections 14.7 and 14.8; ISO 14289-1 (PDF/UA-1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypedDict, Unpack

Box = tuple[float, float, float, float]

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
GROUPS = {"Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Index", *_CHILDREN}
_MAY_BE_EMPTY = {"TD", "TH"}
_HEADING = re.compile(r"H([1-6])")


Numbering = Literal["Decimal", "LowerAlpha", "UpperAlpha", "Disc", "Circle", "Square"]


class Attributes(TypedDict, total=False):
    """What an element may say about itself besides its role; see `Element`."""

    alt: str
    language: str
    title: str
    scope: Literal["Column", "Row"]
    numbering: Numbering
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

    def __init__(
        self,
        role: str,
        alt: str = "",
        language: str = "",
        title: str = "",
        scope: Literal["Column", "Row"] | None = None,
        numbering: Numbering | None = None,
        bbox: Box | None = None,
    ) -> None:
        self.role = role
        self.parent: Element | None = None
        self.children: list[Element] = []
        self.content: list[tuple[int, int]] = []
        self.alt = alt
        self.language = language
        self.title = title
        self.scope = scope
        self.numbering = numbering
        self.bbox = bbox
        if role not in ROLES:
            raise ValueError(f"{role} is no standard structure type")
        if role == "Figure" and not alt.strip():
            raise ValueError("a Figure needs alt")
        if (role == "TH") != (scope is not None):
            raise ValueError(f"{role} with scope {scope}")
        if (numbering and role != "L") or (bbox and role != "Figure"):
            raise ValueError(f"{role} with numbering {numbering}, bbox {bbox}")

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
