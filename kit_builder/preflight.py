"""Preflight: does a finished PDF keep its promises?

`check` compares the file with what was expected of it, and lists everything that differs. Pages
count from 1 in its findings, lengths are in mm there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from kit_builder import units
from kit_builder.finished import Finished
from kit_builder.structure import ROLES
from kit_builder.units import MM

_TOLERANCE = 0.01 * MM
_XMP_TITLE = (
    ".//{http://purl.org/dc/elements/1.1/}title//{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
)
_XMP_PART = ".//{http://www.aiim.org/pdfua/ns/id/}part"
_ACTIONS = {"/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/GoToE", "/GoToR"}


class Failed(Exception):  # noqa: N818  # raised as preflight.Failed
    """A finished PDF breaks promises: a fault of the program.

    Attributes:
        findings: all of them.
    """

    def __init__(self, *findings: str) -> None:
        super().__init__("\n".join(findings))
        self.findings = findings


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a file was meant to be.

    Attributes:
        sizes: (width, height) in points; every page has one of them.
        language: a language tag.
        parts: the titles of the top-level bookmarks, in order.
    """

    sizes: Sequence[tuple[float, float]]
    language: str
    title: str
    parts: Sequence[str]


def check(finished: Finished, expected: Expectation) -> None:
    """Compare a finished PDF with what was promised.

    Raises:
        Failed: a promise is broken.
    """
    findings = [
        *_box_findings(finished, expected),
        *_document_findings(finished, expected),
        *_content_findings(finished),
        *_font_findings(finished),
        *_tag_findings(finished),
        *_foreign_findings(finished),
    ]
    if findings:
        raise Failed(*findings)


def _box_findings(finished: Finished, expected: Expectation) -> Iterator[str]:
    def measured(page: dict[Any, Any], box: str) -> list[float]:
        return [float(finished.resolved(edge)) for edge in finished.entry(page, box) or ()]

    def equal(edges: Sequence[float], size: tuple[float, float]) -> bool:
        wanted = (0, 0, *size)
        return len(edges) == 4 and all(
            abs(edge - want) <= _TOLERANCE for edge, want in zip(edges, wanted, strict=True)
        )

    for number, page in enumerate(finished.pages, start=1):
        media = measured(page, "/MediaBox")
        sizes = [size for size in expected.sizes if equal(media, size)] or expected.sizes
        wanted = " or ".join(" x ".join(map(units.in_mm, size)) for size in sizes)
        for box in ("/MediaBox", "/CropBox", "/TrimBox"):
            edges = measured(page, box)
            if not any(equal(edges, size) for size in sizes):
                found = " ".join(map(units.in_mm, edges)) or "missing"
                yield f"page {number}: {box} is {found}, not 0 0 and {wanted} mm"
        for key in ("/Rotate", "/UserUnit"):
            if finished.entry(page, key):
                yield f"page {number}: {key}"


def _document_findings(finished: Finished, expected: Expectation) -> Iterator[str]:
    catalog, entry = finished.catalog, finished.entry
    if entry(catalog, "/ViewerPreferences", "/PrintScaling") != "/None":
        yield "/PrintScaling is not /None"
    if entry(catalog, "/ViewerPreferences", "/DisplayDocTitle") is not True:
        yield "/DisplayDocTitle is not true"
    if entry(catalog, "/Lang") != expected.language:
        yield f"/Lang is {entry(catalog, '/Lang')}, not {expected.language}"
    if entry(finished.info, "/Title") != expected.title:
        yield f"the title is {entry(finished.info, '/Title')!r}, not {expected.title!r}"
    if not finished.xmp:
        yield "no XMP metadata"
    else:
        xmp = ElementTree.fromstring(finished.xmp)
        if {each.text for each in xmp.iterfind(_XMP_TITLE)} != {expected.title}:
            yield f"dc:title is not {expected.title!r}"
        if xmp.findtext(_XMP_PART) != "1":
            yield "pdfuaid:part is not 1"
    titles = finished.bookmarks
    if titles != list(expected.parts):
        yield f"the bookmarks are {titles}, not {list(expected.parts)}"
    labels = finished.labels
    if len(set(labels) - {""}) != len(finished.pages):
        yield f"the page labels are {labels}, not one for each of {len(finished.pages)} pages"


def _content_findings(finished: Finished) -> Iterator[str]:
    for number, content in enumerate(finished.contents, start=1):
        for fault in content.faults:
            yield f"page {number}: {fault}"


def _font_findings(finished: Finished) -> Iterator[str]:
    entry = finished.entry
    fonts: dict[int, Any] = {}
    for each in finished.dictionaries:
        if each.get("/Type") == "/Font":
            fonts[id(each)] = each
        if "/Resources" in each:
            for font in (entry(each, "/Resources", "/Font") or {}).values():
                fonts[id(finished.resolved(font))] = finished.resolved(font)
    for font in fonts.values():
        if str(font.get("/Subtype")).startswith("/CIDFont"):
            continue
        missing = [] if "/ToUnicode" in font else ["without ToUnicode"]
        below = entry(font, "/DescendantFonts")
        descriptor = entry(finished.resolved(below[0]) if below else font, "/FontDescriptor")
        if not any(key in (descriptor or {}) for key in ("/FontFile", "/FontFile2", "/FontFile3")):
            missing.insert(0, "not embedded")
        if missing:
            yield f"font {font.get('/BaseFont')}: {', '.join(missing)}"


def _tag_findings(finished: Finished) -> Iterator[str]:
    catalog, entry = finished.catalog, finished.entry
    if entry(catalog, "/MarkInfo", "/Marked") is not True:
        yield "/MarkInfo does not say /Marked true"
    if not finished.elements:
        yield "no structure tree"
        return
    owners: dict[int, dict[int, int]] = defaultdict(dict)  # page -> MCID -> object number
    for element in finished.elements:
        entries = element.entries
        role = str(entries.get("/S"))
        if role[1:] not in ROLES:
            yield f"object {element.number}: {role} is no standard structure type"
        if role == "/Figure" and not str(entry(entries, "/Alt") or "").strip():
            yield f"object {element.number}: a Figure without /Alt"
        if role == "/TH" and entry(entries, "/A", "/Scope") is None:
            yield f"object {element.number}: a TH without /Scope"
        for number, mcid in element.content:
            if number < 0:
                yield f"object {element.number}: content on no page of the file"
            elif mcid in owners[number]:
                yield f"page {number + 1}: MCID {mcid} is in two elements"
            owners[number][mcid] = element.number
    parents = dict(finished.numbers(entry(catalog, "/StructTreeRoot", "/ParentTree")))
    for index, (page, content) in enumerate(zip(finished.pages, finished.contents, strict=True)):
        place, owned = f"page {index + 1}", owners[index]
        for mcid, times in Counter(content.mcids).items():
            if times > 1:
                yield f"{place}: MCID {mcid} is there {times} times"
            if mcid not in owned:
                yield f"{place}: MCID {mcid} is in no element"
        for mcid in owned.keys() - set(content.mcids):
            yield f"{place}: MCID {mcid} of object {owned[mcid]} is not there"
        if entry(page, "/Tabs") != "/S":
            yield f"{place}: /Tabs is not /S"
        key = entry(page, "/StructParents")
        if key is None:
            yield f"{place}: no /StructParents"
            continue
        listed = parents.get(key) or []
        agreed = {mcid: getattr(each, "idnum", None) for mcid, each in enumerate(listed)}
        if agreed != owned:
            yield f"{place}: the ParentTree does not agree with the structure tree"


def _foreign_findings(finished: Finished) -> Iterator[str]:
    if finished.entry(finished.catalog, "/AcroForm") is not None:
        yield "a form to fill in (/AcroForm)"
    inside = finished.dictionaries
    for action in sorted(_ACTIONS & {str(each["/S"]) for each in inside if "/S" in each}):
        yield f"an action of type {action}"
    if any("/EF" in each or each.get("/Type") == "/EmbeddedFile" for each in inside):
        yield "an attached file"
    yield from finished.strays
