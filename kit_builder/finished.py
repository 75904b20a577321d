"""A finished PDF, taken apart: its objects, what its pages show, its tags, and every text in it.

What it hands out are plain values, as `cos` reads them, to be looked into with `Finished.entry`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import unescape
from typing import Any, ClassVar, NamedTuple

from kit_builder import content, cos, tounicode
from kit_builder.content import Content, Font
from kit_builder.cos import File, Malformed, Reference, Stream

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
_NO_TEXT = ("/Image", "/Type1C", "/CIDFontType0C", "/OpenType")
_PARTS = (str, tuple, dict, Stream)
_LATIN_1 = {code: chr(code) for code in range(256)}
# What a page may have from the list it stands in (ISO 32000-1, table 30).
_INHERITED = ("/Resources", "/MediaBox", "/CropBox", "/Rotate")


class Element(NamedTuple):
    """A structure element as found.

    Attributes:
        number: of its object; 0 if it is none of its own.
        content: (page, MCID) of each piece drawn for it, from 0; page -1 is none of the file.
    """

    number: int
    entries: Mapping[Any, Any]
    content: Sequence[tuple[int, int]]


class Finished:
    """A finished PDF, taken apart; made by `read`.

    Attributes:
        reference: the class of what refers to an object by its `idnum`.
        objects: every object of the file by its number, also those that nothing leads to.
        catalog: the object that all others are found from.
        info: the document information.
        pages: the dictionaries of the pages in order.
    """

    reference: ClassVar[Any] = Reference

    def __init__(self, file: File) -> None:
        self.objects = file.objects
        self.catalog = self.entry(file.trailer, "/Root")
        self.info = self.entry(file.trailer, "/Info") or {}
        self._file = file
        listed = list(self._listed())
        self.pages = [page for _, page in listed]
        self._page_numbers = {number: index for index, (number, _) in enumerate(listed)}
        self._fonts: dict[int, Font | None] = {}
        self._forms: dict[int, Content] = {}
        self._read: set[int] = set()  # the identities of the streams whose text is known

    def _listed(self) -> Iterator[tuple[int, Any]]:
        """Number and dictionary of each page in order."""
        root = self.catalog.get("/Pages") if isinstance(self.catalog, dict) else None
        return self._below_list(root, set())

    def _below_list(self, reference: Any, seen: set[Any]) -> Iterator[tuple[int, Any]]:
        found = self.resolved(reference)
        kind = found.get("/Type") if isinstance(found, dict) else None
        if found is reference or reference in seen or kind not in ("/Page", "/Pages"):
            raise Malformed(f"{reference} in the list of pages")
        seen.add(reference)
        if kind == "/Page":
            yield reference.idnum, found
            return
        if any(key in found for key in _INHERITED):
            raise Malformed(f"object {reference.idnum} says something of several pages")
        for kid in self.entry(found, "/Kids") or ():
            yield from self._below_list(kid, seen)

    def entry(self, dictionary: Any, *path: str) -> Any:
        """The value under the keys of `path`, each inside the one before; None if there is none."""
        for key in path:
            if not isinstance(dictionary, dict):
                return None
            dictionary = self.resolved(dictionary.get(key))
        return dictionary

    def resolved(self, value: Any) -> Any:
        """What a reference refers to; anything else itself."""
        return self.objects.get(value.idnum) if isinstance(value, self.reference) else value

    def numbers(self, tree: Any) -> Iterator[tuple[int, Any]]:
        """Key and value of each entry of a number tree (ISO 32000-1, 7.9.7)."""
        for kid in self.entry(tree, "/Kids") or ():
            yield from self.numbers(self.resolved(kid))
        listed = self.entry(tree, "/Nums") or []
        yield from zip(listed[::2], map(self.resolved, listed[1::2]), strict=True)

    @cached_property
    def elements(self) -> list[Element]:
        """The structure tree in reading order."""
        elements: list[Element] = []
        self._add_below(self.entry(self.catalog, "/StructTreeRoot") or {}, elements, [], set())
        return elements

    def _add_below(
        self,
        entries: Mapping[Any, Any],
        elements: list[Element],
        content: list[tuple[int, int]],
        seen: set[int],
    ) -> None:
        """Add the elements below one to `elements`, and what is drawn for itself to `content`."""
        alone = entries.get("/K")
        kids = self.resolved(alone)
        if not isinstance(kids, (tuple, list)):
            kids = () if kids is None else (alone,)
        for kid in kids:
            found = self.resolved(kid)
            if isinstance(found, int):
                content.append((self._page_number(entries.get("/Pg")), found))
            elif not isinstance(found, dict):
                continue
            elif "/MCID" in found:
                page = found.get("/Pg", entries.get("/Pg"))
                content.append((self._page_number(page), found["/MCID"]))
            elif "/S" in found and id(found) not in seen:
                seen.add(id(found))
                below: list[tuple[int, int]] = []
                elements.append(Element(0 if found is kid else kid.idnum, found, below))
                self._add_below(found, elements, below, seen)

    def _page_number(self, reference: Any) -> int:
        return self._page_numbers.get(getattr(reference, "idnum", 0), -1)

    @property
    def xmp(self) -> bytes:
        """The XMP packet; empty if there is none."""
        metadata = self.entry(self.catalog, "/Metadata")
        return metadata.content if isinstance(metadata, Stream) else b""

    @property
    def labels(self) -> list[str]:
        """What viewers are to call each page; empty if nothing says so.

        Raises:
            Malformed: pages are numbered otherwise than in Arabic numerals.
        """
        tree = self.entry(self.catalog, "/PageLabels")
        labels = [""] * len(self.pages if tree else ())
        for start, label in self.numbers(tree):
            if label.get("/S", "/D") != "/D":
                raise Malformed(f"page labels in the style {label['/S']}")
            first = label.get("/St", 1) if "/S" in label else None
            for page in range(start, len(labels)):
                number = "" if first is None else str(first + page - start)
                labels[page] = label.get("/P", "") + number
        return labels

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
            if not isinstance(each, dict):
                continue
            if each.get("/Type") == "/Page" and number not in self._page_numbers:
                strays[f"object {number}, a page in no page list"] = self._content(each)
            elif each.get("/Subtype") == "/Form" and id(each) not in placed:
                strays[f"object {number}, a form on no page"] = self._content(each)
        return strays

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
        for place, text in self._walked.strings:
            texts[place].append(text)
        for number, found in self.objects.items():
            if isinstance(found, Stream) and self._may_hold_text(found):
                place = _STREAMS.get(str(found.get("/Type")), f"object {number}")
                texts[place] += (
                    unescape(found.content.decode(encoding, "replace"))
                    for encoding in ("utf-8", "utf-16")
                )
        texts["comment"] += self._file.comments
        return texts

    def _text_of(self, element: Element) -> str:
        return " ".join(
            text
            for page, mcid in element.content
            for inside, text in self.contents[page].pieces
            if inside == mcid
        )

    def _may_hold_text(self, stream: Stream) -> bool:
        """Whether a stream is neither read already nor a picture or font."""
        known = id(stream) in self._read or "/Length1" in stream
        return not (known or stream.get("/Type") in _NO_TEXT or stream.get("/Subtype") in _NO_TEXT)

    @property
    def dictionaries(self) -> Sequence[Mapping[Any, Any]]:
        """Every dictionary of the file, also inside others, streams included."""
        return self._walked.dictionaries

    @cached_property
    def _walked(self) -> _Walk:
        walk = _Walk()
        for number, found in self.objects.items():
            if found is self.info:
                walk.through(tuple(found.values()), "metadata")
            else:
                walk.through(found, f"object {number}")
        # The identifier of a file is no text: what its bytes look like is chance.
        walk.through({**self._file.trailer, "/ID": None}, "trailer")
        return walk

    def _content(self, owner: Mapping[Any, Any]) -> Content:
        """What a page or a form shows."""
        streams = owner if isinstance(owner, Stream) else self.entry(owner, "/Contents")
        parts = [
            self.resolved(part) for part in (streams if type(streams) is tuple else (streams,))
        ]
        self._read.update(map(id, parts))
        fonts, forms = (self.entry(owner, "/Resources", kind) for kind in ("/Font", "/XObject"))
        return content.read(
            b"\n".join(part.content for part in parts if isinstance(part, Stream)),
            lambda name: self._font(self.entry(fonts, name)),
            lambda name: self._form(self.entry(forms, name)),
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
            encoding, cmap = self.entry(font, "/Encoding"), self.entry(font, "/ToUnicode")
            self._read.update((id(encoding), id(cmap)))
            composite = font.get("/Subtype") == "/Type0"
            width = _width(encoding) if composite else 1
            known = isinstance(cmap, Stream)
            characters = tounicode.read(cmap.content, width) if known else _LATIN_1
            self._fonts[id(font)] = Font(str(font.get("/BaseFont")), characters, width)
        return self._fonts[id(font)]


def _width(encoding: Any) -> int:
    """How many bytes each code of a composite font has."""
    own = isinstance(encoding, Stream)
    return (tounicode.width(encoding.content) if own else None) or 2


class _Walk:
    """A walk through values.

    Attributes:
        dictionaries: all that were met.
        strings: each with its place, as its innermost key says.
    """

    def __init__(self) -> None:
        self.dictionaries: list[Mapping[Any, Any]] = []
        self.strings: list[tuple[str, str]] = []

    def through(self, value: Any, place: str) -> None:
        """Go through an object; `place` is that of its strings without a place of their own."""
        kind = type(value)
        if kind is str:
            self.strings.append((place, value))
        elif kind is tuple:
            for inner in value:
                if type(inner) in _PARTS:
                    self.through(inner, place)
        elif kind is dict or kind is Stream:
            self.dictionaries.append(value)
            for key, inner in value.items():
                if type(inner) in _PARTS:
                    self.through(inner, _KINDS.get(key, place))


def read(pdf: bytes) -> Finished:
    """Take a finished PDF apart.

    Raises:
        ValueError: it is encrypted.
        Malformed: it is not written as `cos` reads it, or its pages are not listed so.
    """
    return Finished(cos.read(pdf))
