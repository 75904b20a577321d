"""Preflight: does a finished PDF keep its promises, and does a player file keep the host's secrets?

`read` takes a file apart once; `check` and `leaks` then ask different things of it. The module
reads with pypdf and never writes. Pages count from 1 in messages, lengths are in points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from io import BytesIO
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree

from pypdf import PdfReader
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    IndirectObject,
    StreamObject,
    TextStringObject,
)

from kit_builder import units
from kit_builder.errors import Location, Text
from kit_builder.structure import ROLES
from kit_builder.units import MM


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


@dataclass(frozen=True, slots=True)
class Leak:
    """A text of the host's that stands in a player file, and where: "page 2", "metadata" ..."""

    text: Text
    place: str


# --- What a content stream shows ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Font:
    """A font as a content stream uses it: how its codes become text.

    Attributes:
        width: bytes of a code.
        characters: code -> text; empty without a ToUnicode CMap.
    """

    name: str
    width: int
    characters: dict[int, str]

    def decode(self, string: bytes) -> tuple[str, bool]:
        """The text of a string, and whether every code of it has one."""
        if not self.characters:
            return string.decode("latin-1"), True
        if self.width > 1:
            width = self.width
            codes: Iterable[int] = [
                int.from_bytes(string[start : start + width])
                for start in range(0, len(string), width)
            ]
        else:
            codes = string
        texts = [self.characters.get(code, "") for code in codes]
        return "".join(texts), "" not in texts


_CMAP_BLOCK = re.compile(rb"begin(codespacerange|bfchar|bfrange)(.*?)end", re.DOTALL)
_CMAP_CODE = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\[)|(\])")


def _characters(cmap: bytes) -> tuple[int, dict[int, str]]:
    """The bytes of a code, and code -> text, of a ToUnicode CMap (ISO 32000-1, 9.10.3)."""
    width = 1
    characters: dict[int, str] = {}
    for block in _CMAP_BLOCK.finditer(cmap):
        rows: list[Any] = []
        listed: list[bytes] | None = None
        for written, opens, closes in _CMAP_CODE.findall(block[2]):
            if opens:
                listed = []
            elif closes:
                rows.append(listed)
                listed = None
            else:
                (rows if listed is None else listed).append(bytes.fromhex(written.decode()))
        if block[1] == b"codespacerange":
            width = len(rows[0])
        elif block[1] == b"bfchar":
            for code, text in zip(rows[::2], rows[1::2], strict=True):
                characters[int.from_bytes(code)] = text.decode("utf-16-be")
        else:
            for low, high, text in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
                first = int.from_bytes(low)
                for step in range(int.from_bytes(high) - first + 1):
                    one = text[step] if isinstance(text, list) else _stepped(text, step)
                    characters[first + step] = one.decode("utf-16-be")
    return width, characters


def _stepped(text: bytes, step: int) -> bytes:
    return text[:-2] + (int.from_bytes(text[-2:]) + step).to_bytes(2)


@dataclass(frozen=True, slots=True)
class _Content:
    """What a content stream shows.

    Attributes:
        pieces: (MCID or None, text) in the order of drawing. A new line stands before each text
            object, a space where the text may go on elsewhere.
        mcids: each as often as it is opened.
    """

    pieces: Sequence[tuple[int | None, str]]
    mcids: Sequence[int]
    faults: Sequence[str]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


# Numbers and the operators of paths and colours are passed over: only their end matters.
_TOKEN = re.compile(
    rb"""
      (?P<string>\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+\))
    | (?P<hexadecimal><[0-9A-Fa-f\s]*>)
    | /MCID\s+(?P<mcid>\d+)
    | (?P<name>/[^\s()<>\[\]{}/%]+)
    | (?P<comment>%[^\r\n]*)
    | (?<!\S)(?P<image>BI\s.*?\sEI)(?!\S)
    | (?<![^\s()<>\[\]])(?P<operator>T[fjJdDm*]|BT|BDC|BMC|EMC|Do|[qQ'"])(?![^\s()<>\[\]/%])
    """,
    re.VERBOSE | re.DOTALL,
)
_SHOW = {b"Tj", b"TJ", b"'", b'"'}
_NEW_LINE = {b"T*", b"Td", b"TD", b"Tm", b"'", b'"'}
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LINE_ENDS = {b"\n", b"\r", b"\r\n"}


def _unescaped(written: bytes) -> bytes:
    """The bytes of a literal string, written with its brackets (ISO 32000-1, 7.3.4.2)."""
    inner = written[1:-1]
    if b"\\" not in inner:
        return inner

    def one(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return bytes([int(match[1], 8) & 0xFF])
        return b"" if match[2] in _LINE_ENDS else _ESCAPED.get(match[2], match[2])

    return _ESCAPE.sub(one, inner)


def _from_hexadecimal(written: bytes) -> bytes:
    digits = "".join(written[1:-1].decode().split())
    return bytes.fromhex(digits + "0" * (len(digits) % 2))


def _text(value: Any) -> str:
    """A text string, also where pypdf could not tell that it is one."""
    if not isinstance(value, bytes):
        return str(value)
    return value.decode(
        "utf-16" if value[:2] in (b"\xfe\xff", b"\xff\xfe") else "latin-1", "replace"
    )


# --- A file, taken apart -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Element:
    """A structure element as found: its object, and (page, MCID) of its content, from 0."""

    number: int
    entries: DictionaryObject
    content: Sequence[tuple[int, int]]


class Finished:
    """A finished PDF, taken apart; made by `read`.

    Attributes:
        objects: every object of the file by its number, also those that nothing leads to.
    """

    def __init__(self, reader: PdfReader) -> None:
        self.reader = reader
        free = reader.xref_free_entry
        numbers = {
            number
            for generation, table in reader.xref.items()
            for number in table
            if number and not free.get(generation, {}).get(number)
        }
        numbers.update(reader.xref_objStm)
        self.objects: dict[int, Any] = {
            number: reader.get_object(number) for number in sorted(numbers)
        }
        self.catalog = reader.root_object
        self.pages: list[DictionaryObject] = list(reader.pages)
        self.page_numbers = {
            page.indirect_reference.idnum: number
            for number, page in enumerate(self.pages)
            if page.indirect_reference is not None
        }
        self._fonts: dict[int, _Font] = {}
        self._forms: dict[int, _Content] = {}

    def entry(self, dictionary: Any, *path: str) -> Any:
        """The value under the keys of `path`, each inside the one before; None if there is none."""
        for key in path:
            value = dictionary.get(key) if isinstance(dictionary, dict) else None
            dictionary = self.resolved(value)
        return dictionary

    def resolved(self, value: Any) -> Any:
        """What a reference refers to; anything else itself."""
        return self.objects.get(value.idnum) if isinstance(value, IndirectObject) else value

    @property
    def info(self) -> Any:
        """The document information."""
        return self.entry(self.reader.trailer, "/Info") or {}

    @cached_property
    def contents(self) -> list[_Content]:
        """What each page shows, forms included."""
        return [self._content(page) for page in self.pages]

    @cached_property
    def strays(self) -> dict[str, _Content]:
        """By place: what pages in no page list, and forms on no page, would show.

        No viewer shows them, but they are in the file for anyone to take out.
        """
        placed = self._forms.keys() if self.contents else set()
        strays: dict[str, _Content] = {}
        for number, each in self.objects.items():
            if not isinstance(each, DictionaryObject):
                continue
            if each.get("/Type") == "/Page" and number not in self.page_numbers:
                strays[f"object {number}, a page in no page list"] = self._content(each)
            elif each.get("/Subtype") == "/Form" and id(each) not in placed:
                strays[f"object {number}, a form on no page"] = self._content(each)
        return strays

    @cached_property
    def elements(self) -> list[_Element]:
        """The structure tree in reading order."""
        elements: list[_Element] = []
        seen: set[int] = set()
        root = self.entry(self.catalog, "/StructTreeRoot")
        waiting = [root.raw_get("/K")] if root and "/K" in root else []
        while waiting:
            reference = waiting.pop()
            entries = self.resolved(reference)
            if isinstance(entries, ArrayObject):
                waiting.extend(reversed(entries))
            if not isinstance(entries, DictionaryObject) or id(entries) in seen:
                continue
            seen.add(id(entries))
            kids = self.entry(entries, "/K")
            content: list[tuple[int, int]] = []
            below: list[Any] = []
            for kid in kids if isinstance(kids, ArrayObject) else [kids]:
                found = self.resolved(kid)
                if isinstance(found, int):
                    content.append((self._page_of(entries), found))
                elif isinstance(found, dict) and "/MCID" in found:
                    page = self._page_of(found if "/Pg" in found else entries)
                    content.append((page, found["/MCID"]))
                elif isinstance(found, dict) and "/S" in found:
                    below.append(kid)
            number = reference.idnum if isinstance(reference, IndirectObject) else 0
            elements.append(_Element(number, entries, content))
            waiting.extend(reversed(below))
        return elements

    def _page_of(self, entries: dict[Any, Any]) -> int:
        page = entries.get("/Pg")
        return self.page_numbers.get(page.idnum, -1) if isinstance(page, IndirectObject) else -1

    def _content(self, owner: DictionaryObject) -> _Content:
        """What a page or a form shows."""
        streams = owner if isinstance(owner, StreamObject) else self.entry(owner, "/Contents")
        parts = streams if isinstance(streams, ArrayObject) else [streams]
        code = b"\n".join(
            part.get_data() for part in map(self.resolved, parts) if isinstance(part, StreamObject)
        )
        resources = self.entry(owner, "/Resources")
        pieces: list[tuple[int | None, str]] = []
        mcids: list[int] = []
        faults: list[str] = []
        font: _Font | None = None
        saved: list[_Font | None] = []
        marks: list[int | None] = [None]
        strings: list[bytes] = []
        name = ""
        mcid: int | None = None
        for token in _TOKEN.finditer(code):
            kind, written = token.lastgroup, token[0]
            if kind == "string":
                strings.append(_unescaped(written))
            elif kind == "hexadecimal":
                strings.append(_from_hexadecimal(written))
            elif kind == "name":
                name = written.decode("latin-1")
            elif kind == "mcid":
                mcid = int(token["mcid"])
            elif kind == "image":
                faults.append("an inline image")
            elif kind == "operator":
                if written in _NEW_LINE:
                    pieces.append((marks[-1], " "))
                if written in _SHOW and font is None:
                    faults.append("text without a font")
                elif written in _SHOW and font is not None:
                    for string in strings:
                        text, known = font.decode(string)
                        pieces.append((marks[-1], text))
                        if not known:
                            faults.append(f"a character that {font.name} lacks")
                elif written == b"BT":
                    pieces.append((marks[-1], "\n"))
                elif written == b"Tf":
                    font = self._font(self.entry(resources, "/Font", name), name)
                elif written == b"q":
                    saved.append(font)
                elif written == b"Q" and saved:
                    font = saved.pop()
                elif written in (b"BDC", b"BMC"):
                    pieces += ((marks[-1], f"\n{_text(string)}\n") for string in strings)
                    marks.append(marks[-1] if mcid is None else mcid)
                    if mcid is not None:
                        mcids.append(mcid)
                elif written == b"EMC" and len(marks) > 1:
                    marks.pop()
                elif written == b"Do":
                    form = self._form(self.entry(resources, "/XObject", name))
                    pieces += ((marks[-1], text) for text in ("\n", form.text, "\n"))
                    faults += form.faults
                strings, mcid = [], None
        return _Content(pieces, mcids, tuple(dict.fromkeys(faults)))

    def _form(self, form: Any) -> _Content:
        if self.entry(form, "/Subtype") != "/Form":
            return _Content((), (), ())
        if id(form) not in self._forms:
            self._forms[id(form)] = _Content((), (), ("a form that places itself",))
            content = self._content(form)
            faults = (*content.faults, "MCIDs in a form") if content.mcids else content.faults
            self._forms[id(form)] = _Content(content.pieces, content.mcids, faults)
        return self._forms[id(form)]

    def _font(self, font: Any, name: str) -> _Font | None:
        if not isinstance(font, dict):
            return None
        if id(font) not in self._fonts:
            cmap = self.entry(font, "/ToUnicode")
            width, characters = (
                _characters(cmap.get_data()) if isinstance(cmap, StreamObject) else (1, {})
            )
            self._fonts[id(font)] = _Font(str(font.get("/BaseFont", name)), width, characters)
        return self._fonts[id(font)]


def read(pdf: bytes) -> Finished:
    """Take a finished PDF apart.

    Raises:
        Failed: it is encrypted.
        pypdf.errors.PdfReadError: it is no well-formed PDF.
    """
    reader = PdfReader(BytesIO(pdf), strict=True)
    if reader.is_encrypted:
        raise Failed("the file is encrypted")
    return Finished(reader)


# --- The promises ------------------------------------------------------------------------------

_TOLERANCE = 0.01 * MM
_XMP_TITLE = (
    ".//{http://purl.org/dc/elements/1.1/}title//{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
)
_XMP_PART = ".//{http://www.aiim.org/pdfua/ns/id/}part"


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
    def measured(page: DictionaryObject, box: str) -> list[float]:
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
    if not _is_true(entry(catalog, "/ViewerPreferences", "/DisplayDocTitle")):
        yield "/DisplayDocTitle is not true"
    if entry(catalog, "/Lang") != expected.language:
        yield f"/Lang is {entry(catalog, '/Lang')}, not {expected.language}"
    if entry(finished.info, "/Title") != expected.title:
        yield f"the title is {entry(finished.info, '/Title')!r}, not {expected.title!r}"
    metadata = entry(catalog, "/Metadata")
    if not isinstance(metadata, StreamObject):
        yield "no XMP metadata"
    else:
        xmp = ElementTree.fromstring(metadata.get_data())
        if {each.text for each in xmp.iterfind(_XMP_TITLE)} != {expected.title}:
            yield f"dc:title is not {expected.title!r}"
        if xmp.findtext(_XMP_PART) != "1":
            yield "pdfuaid:part is not 1"
    titles: list[Any] = []
    item = entry(catalog, "/Outlines", "/First")
    while item and len(titles) < len(finished.objects):
        titles.append(entry(item, "/Title"))
        item = entry(item, "/Next")
    if titles != list(expected.parts):
        yield f"the bookmarks are {titles}, not {list(expected.parts)}"
    labels = finished.reader.page_labels if entry(catalog, "/PageLabels") else []
    if len(set(labels) - {""}) != len(finished.pages):
        yield f"the page labels are {labels}, not one for each of {len(finished.pages)} pages"


def _is_true(value: Any) -> bool:
    return getattr(value, "value", None) is True  # pypdf has a boolean of its own


def _content_findings(finished: Finished) -> Iterator[str]:
    for number, content in enumerate(finished.contents, start=1):
        for fault in content.faults:
            yield f"page {number}: {fault}"


def _font_findings(finished: Finished) -> Iterator[str]:
    entry = finished.entry
    fonts: dict[int, Any] = {}
    for each in finished.objects.values():
        if isinstance(each, dict):
            if each.get("/Type") == "/Font":
                fonts[id(each)] = each
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
    if not _is_true(entry(catalog, "/MarkInfo", "/Marked")):
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
    parents = dict(_numbers(finished, entry(catalog, "/StructTreeRoot", "/ParentTree")))
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
        listed = finished.resolved(parents.get(key)) or []
        agreed = {mcid: getattr(each, "idnum", None) for mcid, each in enumerate(listed)}
        if agreed != owned:
            yield f"{place}: the ParentTree does not agree with the structure tree"


def _numbers(finished: Finished, tree: Any) -> Iterator[tuple[int, Any]]:
    """Key and value of each entry of a number tree (ISO 32000-1, 7.9.7)."""
    for kid in finished.entry(tree, "/Kids") or ():
        yield from _numbers(finished, finished.resolved(kid))
    listed = finished.entry(tree, "/Nums") or []
    yield from zip(listed[::2], listed[1::2], strict=True)


def _foreign_findings(finished: Finished) -> Iterator[str]:
    if finished.entry(finished.catalog, "/AcroForm") is not None:
        yield "a form to fill in (/AcroForm)"
    found = {
        foreign
        for each in finished.objects.values()
        for dictionary in _dictionaries(each)
        for foreign in _foreign(dictionary)
    }
    yield from sorted(found)
    yield from finished.strays


def _dictionaries(value: Any) -> Iterator[dict[Any, Any]]:
    """The dictionaries inside an object, and itself."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, (dict, ArrayObject)):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, (dict, ArrayObject)):
                yield from _dictionaries(inner)


_ACTIONS = {"/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/GoToE", "/GoToR"}


def _foreign(dictionary: dict[Any, Any]) -> Iterator[str]:
    if (action := dictionary.get("/S")) in _ACTIONS:
        yield f"an action of type {action}"
    if "/EF" in dictionary or dictionary.get("/Type") == "/EmbeddedFile":
        yield "an attached file"


# --- What only the host may know ---------------------------------------------------------------

# A host text with fewer letters and digits may stand in a player file by chance.
_LEAST = 12
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)]|#{1,6}|>)\s+")
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_SENTENCE = re.compile(r"\S.*?(?:[.!?…]+[*_\"'”’»)\]]*(?=\s)|$)", re.DOTALL)
_MARKS = " \t*_`"


def _folded(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold())


def _squeezed(text: str) -> str:
    """Letters and digits only: line breaks, hyphens and punctuation hide nothing."""
    return _NOT_ALPHANUMERIC.sub("", _folded(text))


def host_only(
    player_texts: Iterable[str], host_texts: Iterable[Text], secrets: Iterable[Text]
) -> tuple[Text, ...]:
    """What of the host's texts must not stand in a player file.

    Args:
        player_texts: everything a player file says, in the order in which it is printed.
        host_texts: Markdown; each sentence, table cell and list item of it counts by itself if it
            has at least 12 letters and digits and the players do not read the same.
        secrets: these count always, however short.

    Returns:
        The secrets, then the sentences; each with its own place.
    """
    known = _squeezed(" ".join(player_texts))
    found = {_squeezed(secret) or secret: secret for secret in secrets}
    for text in host_texts:
        for sentence in _sentences(text):
            key = _squeezed(sentence)
            if len(key) >= _LEAST and key not in known:
                found.setdefault(key, sentence)
    return tuple(found.values())


def _sentences(text: Text) -> Iterator[Text]:
    """The sentences, table cells and list items of a Markdown text, without its marks."""
    blocks: list[list[tuple[int, str]]] = [[]]  # of (line from 0, words)
    for offset, line in enumerate(text.split("\n")):
        words = _MARKER.sub("", line, count=1) if _MARKER.match(line) else line
        if _CELL_EDGE.search(words):
            blocks += ([(offset, cell)] for cell in _CELL_EDGE.split(words))
            blocks.append([])
        elif words != line or not words.strip():
            blocks.append([(offset, words)])
        else:
            blocks[-1].append((offset, words))
    for block in blocks:
        starts = [0]
        for _, words in block:
            starts.append(starts[-1] + len(words.strip()) + 1)
        joined = " ".join(words.strip() for _, words in block)
        for match in _SENTENCE.finditer(joined):
            sentence = match[0].strip(_MARKS)
            if sentence:
                offset, _ = block[bisect_right(starts, match.start()) - 1]
                yield Text(sentence, _place(text.line(offset), sentence))


def _place(line: Location, sentence: str) -> Location:
    """Where on its line a sentence starts; the line where that cannot be told."""
    start = line.of(sentence.split()[0])
    return start if start.line == line.line else line


def leaks(finished: Finished, filename: str, host_texts: Iterable[Text]) -> tuple[Leak, ...]:
    """Where host-only texts stand in a finished player file.

    Looks at the pages (and forms), metadata, bookmarks, alternative texts, annotations,
    attachments, page labels, form fields, whatever else is a string in the file, and its name.

    Args:
        finished: the player file.
        filename: its name.
        host_texts: as `host_only` returns them. One of fewer than 12 letters and digits is a
            secret: it is found as a whole word, or as such words, however they are spaced.
    """
    keys = [(text, _squeezed(text)) for text in host_texts]
    sentences = [(text, key) for text, key in keys if len(key) >= _LEAST]
    secrets = [(text, _pattern(text)) for text, key in keys if len(key) < _LEAST]
    found: list[Leak] = []
    for place, texts in _places(finished, filename).items():
        squeezed = "\n".join(map(_squeezed, texts))
        folded = "\n".join(map(_folded, texts))
        found += (Leak(text, place) for text, pattern in secrets if pattern.search(folded))
        found += (Leak(text, place) for text, key in sentences if key in squeezed)
    return tuple(found)


def _pattern(secret: str) -> re.Pattern[str]:
    """A secret as whole words of a folded text.

    Its letters may be spaced or hyphenated, but lie in one text object, unless the secret itself
    is spaced: three cards A, B and C side by side are not the word "ABC".
    """
    words = [re.findall(r"[^\W_]", word) for word in _folded(secret).split()]
    if any(words):
        within, between = r"(?:[^\w\n]|_)*", r"[\W_]*"
    else:
        words, within, between = [list(word) for word in secret.split()], r"[^\S\n]*", r"\s*"
    spaced = between.join(within.join(map(re.escape, word)) for word in words if word)
    return re.compile(rf"(?<![^\W_]){spaced}(?![^\W_])")


# What a string is, by the key it stands under.
_KINDS = {
    "/Alt": "alternative text",
    "/ActualText": "replacement text",
    "/E": "expansion of an abbreviation",
    "/Title": "outline",
    "/P": "page label",
    "/Contents": "annotation",
    "/URI": "link",
    "/F": "attachment",
    "/UF": "attachment",
    "/Desc": "attachment",
    "/T": "title of an element or form field",
    "/TU": "form field",
    "/V": "form field",
    "/DV": "form field",
    "/JS": "script",
    "/Names": "name",
}
_STREAMS = {"/Metadata": "XMP metadata", "/EmbeddedFile": "attachment"}


def _places(finished: Finished, filename: str) -> dict[str, list[str]]:
    """Every text of a file by the place where it stands."""
    places: dict[str, list[str]] = defaultdict(list)
    places["file name"].append(filename)
    for number, content in enumerate(finished.contents, start=1):
        places[f"page {number}"].append(content.text)
    for place, content in finished.strays.items():
        places[place].append(content.text)
    for element in finished.elements:
        pages = sorted({page for page, _ in element.content})
        if len(element.content) > 1:
            first, last = pages[0] + 1, pages[-1] + 1
            place = f"page {first}" if first == last else f"pages {first}-{last}"
            places[place].append(_text_of(finished, element))
    places["metadata"] += (_text(text) for _, text in _strings(finished.info, ""))
    seen = {id(finished.info), *_codes(finished)}
    for number, each in finished.objects.items():
        if id(each) in seen:
            continue
        for kind, text in _strings(each, f"object {number}"):
            places[kind].append(_text(text))
        if isinstance(each, StreamObject) and _is_text(each):
            kind = _STREAMS.get(str(each.get("/Type")), f"object {number}")
            written = each.get_data()
            places[kind] += (
                unescape(written.decode(encoding, "replace")) for encoding in ("utf-8", "utf-16")
            )
    return places


def _codes(finished: Finished) -> Iterator[int]:
    """The identities of the streams that are read already: of pages, and of fonts."""
    for each in finished.objects.values():
        if isinstance(each, dict):
            key = "/Contents" if each.get("/Type") == "/Page" else "/ToUnicode"
            streams = finished.entry(each, key)
            for stream in streams if isinstance(streams, ArrayObject) else (streams,):
                yield id(finished.resolved(stream))


def _text_of(finished: Finished, element: _Element) -> str:
    return " ".join(
        text
        for page, mcid in element.content
        for inside, text in finished.contents[page].pieces
        if inside == mcid
    )


_NO_TEXT = {"/Image", "/Form", "/Type1C", "/CIDFontType0C", "/OpenType", "/XRef", "/ObjStm"}


def _is_text(stream: StreamObject) -> bool:
    """Whether a stream may hold text: it is no picture, font program, form or pack of objects."""
    kinds = {stream.get("/Type"), stream.get("/Subtype")}
    return not kinds & _NO_TEXT and "/Length1" not in stream


def _strings(value: Any, kind: str) -> Iterator[tuple[str, Any]]:
    """The strings inside an object, and what they are."""
    if isinstance(value, (TextStringObject, ByteStringObject)):
        yield kind, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, (TextStringObject, ByteStringObject, dict, ArrayObject)):
                yield from _strings(inner, _KINDS.get(key, kind))
    elif isinstance(value, ArrayObject):
        for inner in value:
            yield from _strings(inner, kind)
