"""A finished PDF, taken apart: its objects, what its pages show, its tags, and every text in it.

The only module that reads with pypdf; it never writes. What it hands out are plain values and
pypdf's dictionaries and lists, to be looked into with `Finished.entry`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.generic import (
    ByteStringObject,
    DictionaryObject,
    IndirectObject,
    StreamObject,
    TextStringObject,
)

from kit_builder import content, tounicode
from kit_builder.content import Content, Font

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
_NO_TEXT = {"/Image", "/Type1C", "/CIDFontType0C", "/OpenType", "/XRef", "/ObjStm"}
_LATIN_1 = {code: chr(code) for code in range(256)}


@dataclass(frozen=True, slots=True)
class Element:
    """A structure element as found.

    Attributes:
        number: of its object; 0 if it is none of its own.
        content: (page, MCID) of each piece drawn for it, from 0; page -1 is none of the file.
    """

    number: int
    entries: dict[Any, Any]
    content: Sequence[tuple[int, int]]


class Finished:
    """A finished PDF, taken apart; made by `read`.

    Attributes:
        objects: every object of the file by its number, also those that nothing leads to.
        catalog: the object that all others are found from.
        pages: the dictionaries of the pages in order.
    """

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
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
        self._page_numbers = {
            page.indirect_reference.idnum: number
            for number, page in enumerate(self.pages)
            if page.indirect_reference is not None
        }
        self._fonts: dict[int, Font] = {}
        self._forms: dict[int, Content] = {}
        self._read: set[int] = set()  # the identities of the streams whose text is known

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
        return self.entry(self._reader.trailer, "/Info") or {}

    @property
    def xmp(self) -> bytes:
        """The XMP packet; empty if there is none."""
        metadata = self.entry(self.catalog, "/Metadata")
        return metadata.get_data() if isinstance(metadata, StreamObject) else b""

    @property
    def labels(self) -> list[str]:
        """What viewers are to call each page; empty if nothing says so."""
        return self._reader.page_labels if self.entry(self.catalog, "/PageLabels") else []

    @property
    def bookmarks(self) -> list[str]:
        """The titles of the top-level bookmarks."""
        titles: list[str] = []
        item = self.entry(self.catalog, "/Outlines", "/First")
        while item and len(titles) < len(self.objects):
            titles.append(self.entry(item, "/Title"))
            item = self.entry(item, "/Next")
        return titles

    @cached_property
    def contents(self) -> list[Content]:
        """What each page shows, forms included."""
        return [self._content(page) for page in self.pages]

    @cached_property
    def strays(self) -> dict[str, Content]:
        """By place: what pages in no page list, and forms on no page, would show.

        No viewer shows them, but they are in the file for anyone to take out.
        """
        placed = self._forms.keys() if self.contents else set()
        strays: dict[str, Content] = {}
        for number, each in self.objects.items():
            if not isinstance(each, DictionaryObject):
                continue
            if each.get("/Type") == "/Page" and number not in self._page_numbers:
                strays[f"object {number}, a page in no page list"] = self._content(each)
            elif each.get("/Subtype") == "/Form" and id(each) not in placed:
                strays[f"object {number}, a form on no page"] = self._content(each)
        return strays

    @cached_property
    def elements(self) -> list[Element]:
        """The structure tree in reading order."""
        return list(self._below(self.entry(self.catalog, "/StructTreeRoot"), set()))

    def _below(self, entries: Any, seen: set[int]) -> Iterator[Element]:
        for kid in self._kids(entries):
            found = self.resolved(kid)
            if isinstance(found, dict) and "/S" in found and id(found) not in seen:
                seen.add(id(found))
                number = kid.idnum if isinstance(kid, IndirectObject) else 0
                yield Element(number, found, list(self._pieces(found)))
                yield from self._below(found, seen)

    def _kids(self, entries: Any) -> list[Any]:
        kids = self.entry(entries, "/K")
        return kids if isinstance(kids, list) else [entries.get("/K")] if kids is not None else []

    def _pieces(self, entries: dict[Any, Any]) -> Iterator[tuple[int, int]]:
        for kid in map(self.resolved, self._kids(entries)):
            own = kid if isinstance(kid, dict) else {}
            mcid = own.get("/MCID", kid)
            if isinstance(mcid, int):
                page = own.get("/Pg", entries.get("/Pg"))
                yield self._page_numbers.get(getattr(page, "idnum", 0), -1), mcid

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """Every text of the file, by the place where it stands: "page 2", "outline", "link" ..."""
        texts: dict[str, list[str]] = defaultdict(list)
        for number, each in enumerate(self.contents, start=1):
            texts[f"page {number}"].append(each.text)
        for place, each in self.strays.items():
            texts[place].append(each.text)
        for element in self.elements:
            if len(element.content) > 1:  # one piece alone is whole on its page
                numbers = sorted({page + 1 for page, _ in element.content})
                pages = f"pages {numbers[0]}-{numbers[-1]}"
                place = pages if len(numbers) > 1 else f"page {numbers[0]}"
                texts[place].append(self._text_of(element))
        for _, text in _strings(self.info, ""):
            texts["metadata"].append(text)
        for number, found in self.objects.items():
            if found is self.info:
                continue
            for place, text in _strings(found, f"object {number}"):
                texts[place].append(text)
            if isinstance(found, StreamObject) and self._may_hold_text(found):
                place = _STREAMS.get(str(found.get("/Type")), f"object {number}")
                written = found.get_data()
                texts[place] += (
                    unescape(written.decode(encoding, "replace"))
                    for encoding in ("utf-8", "utf-16")
                )
        return texts

    def _text_of(self, element: Element) -> str:
        return " ".join(
            text
            for page, mcid in element.content
            for inside, text in self.contents[page].pieces
            if inside == mcid
        )

    def _may_hold_text(self, stream: StreamObject) -> bool:
        """Whether a stream is neither read already nor a picture, font or pack of objects."""
        kinds = {stream.get("/Type"), stream.get("/Subtype")}
        return not (id(stream) in self._read or kinds & _NO_TEXT or "/Length1" in stream)

    def _content(self, owner: DictionaryObject) -> Content:
        """What a page or a form shows."""
        streams = owner if isinstance(owner, StreamObject) else self.entry(owner, "/Contents")
        parts = [
            self.resolved(part) for part in (streams if isinstance(streams, list) else [streams])
        ]
        self._read.update(map(id, parts))
        resources = self.entry(owner, "/Resources")
        return content.read(
            b"\n".join(part.get_data() for part in parts if isinstance(part, StreamObject)),
            lambda name: self._font(self.entry(resources, "/Font", name)),
            lambda name: self._form(self.entry(resources, "/XObject", name)),
        )

    def _form(self, form: Any) -> Content:
        if self.entry(form, "/Subtype") != "/Form":
            return Content()
        if id(form) not in self._forms:
            self._forms[id(form)] = Content(faults=("a form that places itself",))
            inside = self._content(form)
            if inside.mcids:
                inside = replace(inside, faults=(*inside.faults, "MCIDs in a form"))
            self._forms[id(form)] = inside
        return self._forms[id(form)]

    def _font(self, font: Any) -> Font | None:
        if not isinstance(font, dict):
            return None
        if id(font) not in self._fonts:
            cmap = self.entry(font, "/ToUnicode")
            self._read.update((id(cmap), id(self.entry(font, "/Encoding"))))
            known = isinstance(cmap, StreamObject)
            characters = tounicode.read(cmap.get_data()) if known else _LATIN_1
            self._fonts[id(font)] = Font(str(font.get("/BaseFont")), characters)
        return self._fonts[id(font)]


def read(pdf: bytes) -> Finished:
    """Take a finished PDF apart.

    Raises:
        ValueError: it is encrypted.
        pypdf.errors.PdfReadError: it is no well-formed PDF.
    """
    reader = PdfReader(BytesIO(pdf), strict=True)
    if reader.is_encrypted:
        raise ValueError("the file is encrypted")
    return Finished(reader)


def _strings(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The strings inside an object, each with its place: as its innermost key says, or `place`."""
    if isinstance(value, TextStringObject):
        yield place, str(value)
    elif isinstance(value, ByteStringObject):  # pypdf could not tell that it is a text
        yield place, content.text_string(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, (TextStringObject, ByteStringObject, dict, list)):
                yield from _strings(inner, _KINDS.get(key, place))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, place)
