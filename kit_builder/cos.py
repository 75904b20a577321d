"""COS, the object syntax of PDF files, read strictly.

A file is read whole or not at all: every byte of it belongs to an object, to the cross-reference
table or to the trailer, and each of them is where and as long as the file says. Read is what
ReportLab and pypdf write; what else the standard allows is refused, not guessed.

Objects become plain values: numbers, `True`, `None` and dictionaries are Python's, an array is a
tuple, a string a `str` (any string of a file may be a text); the rest is `Name`, `Reference` and
`Stream`.
Standard: ISO 32000-1 (PDF 1.7), sections 7.3 and 7.5.
"""

from __future__ import annotations

import re
import zlib
from codecs import charmap_decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple


class Malformed(ValueError):  # noqa: N818  # raised as cos.Malformed
    """A file is not written as this module reads it."""


class Name(str):
    """A name, with its slash: "/Type"."""

    __slots__ = ()


class Reference(NamedTuple):
    """A reference to the object of a number; its generation is 0.

    Attributes:
        idnum: the number, named as pypdf names it: both are looked into alike.
    """

    idnum: int


class Stream(dict[Any, Any]):
    """The dictionary of a stream, with what follows it.

    Attributes:
        filtered: the bytes in the file.
    """

    def __init__(self, entries: Mapping[Any, Any], filtered: bytes) -> None:
        super().__init__(entries)
        self.filtered = filtered

    @cached_property
    def content(self) -> bytes:
        """What the bytes stand for.

        Raises:
            Malformed: they are filtered otherwise than by deflation, or damaged.
        """
        filters = self.get("/Filter") or ()
        if filters not in ((), ("/FlateDecode",), "/FlateDecode") or self.get("/DecodeParms"):
            raise Malformed(f"a stream filtered by {filters}")
        if not filters:
            return self.filtered
        inflating = zlib.decompressobj()
        try:
            content = inflating.decompress(self.filtered)
        except zlib.error as error:
            raise Malformed(f"a damaged stream ({error})") from error
        if not inflating.eof or inflating.unused_data.strip():
            raise Malformed("a stream that does not end where its bytes do")
        return content


@dataclass(frozen=True, slots=True)
class File:
    """A file, taken apart.

    Attributes:
        objects: every object by its number, in the order of the numbers; also those that nothing
            leads to, but not the streams that objects and cross-references are packed in.
        trailer: what leads to the others, and what identifies the file.
        comments: before the first object and in the trailer; there are none elsewhere.
    """

    objects: Mapping[int, Any]
    trailer: Mapping[Any, Any]
    comments: Sequence[str]


_SPACE = rb"[\0\t\n\f\r ]"
_REGULAR = rb"[^\0\t\n\f\r ()<>\[\]{}/%]"
STRING = rb"\((?:[^()\\]++|\\.)*+\)"
for _ in range(2):  # brackets inside brackets; deeper ones are refused
    STRING = rb"\((?:[^()\\]++|\\.|%b)*+\)" % STRING
# White space, then one token; a byte that begins none is a token by itself, which has no value. An
# array of numbers is one token: every element has one, every font many numbers.
_TOKEN = re.compile(
    rb"""
    %(space)b*+
    ( <<|>>
    | \[[0-9.+\-\0\t\n\f\r\x20]*+\]
    | \[|\]
    | /%(regular)b*+
    | [0-9]++\x20 0\x20 (?:R|obj)(?!%(regular)b)
    | [+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?!%(regular)b)
    | %(string)b
    | <[0-9A-Fa-f\0\t\n\f\r ]*+>
    | stream\r?\n.*+
    | [a-z]++
    | .
    )
    """
    % {b"space": _SPACE, b"regular": _REGULAR, b"string": STRING},
    re.VERBOSE | re.DOTALL,
)
_STREAM_END = re.compile(rb"\r?\n?endstream%b++endobj%b*+" % (_SPACE, _SPACE))
_HEADER = re.compile(rb"%PDF-[12]\.[0-9]\r?\n(?:(%[^\r\n]*+)\r?\n)?")
_END = re.compile(rb"startxref\n([1-9][0-9]{0,9})\n%%EOF\n\Z")
_TABLE = re.compile(rb"xref\s+0 ([0-9]{1,10})\s+([0-9nf\s]*+)trailer\b(.*)", re.DOTALL)
_NUMBER = re.compile(rb"([0-9]{1,10}) 0 obj")
_COMMENT = re.compile(rb"%([^\r\n]*+)")
_IN_USE, _PACKED = 1, 2  # kinds of entries in a cross-reference stream (table 18)
_WIDTHS = (1, 4, 2)

_NAME_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LINE_ENDS = {b"\n", b"\r", b"\r\n"}
# PDFDocEncoding (annex D.2): Latin 1, but for these, and for the three codes without a character.
_DOCUMENT_CODES = [*map(chr, range(256))]
_DOCUMENT_CODES[0x18:0x20] = "\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc"
_DOCUMENT_CODES[0x80:0xA1] = (
    "\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d"
    "\u2018\u2019\u201a\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161"
    "\u017e\ufffd\u20ac"
)
_DOCUMENT_CODES[0x7F] = _DOCUMENT_CODES[0xAD] = "\ufffd"
_PDF_DOC_ENCODING = "".join(_DOCUMENT_CODES)


def read(pdf: bytes) -> File:
    """Take a file apart.

    Raises:
        Malformed: it is not written as described above.
        ValueError: it is encrypted.
    """
    header, end = _HEADER.match(pdf), _END.search(pdf, max(0, len(pdf) - 64))
    if header is None or end is None:
        raise Malformed("no header, or no end")
    start, place = header.end(), int(end[1])
    atoms = _Atoms()
    if pdf.startswith(b"xref", place):
        places, trailer, tail = _table(pdf[place : end.start()], atoms)
        objects = _objects(pdf, start, places, place, atoms)
    else:
        tail = b""
        objects, trailer = _packed_file(pdf, start, place, end.start(), atoms)
    if "/Encrypt" in trailer:
        raise ValueError("the file is encrypted")
    if "/Prev" in trailer or "/XRefStm" in trailer:
        raise Malformed("a file that was changed later")
    referred = {each.idnum for each in atoms.values() if type(each) is Reference}
    if lost := sorted(referred - objects.keys()):
        raise Malformed(f"references to objects that are not there: {lost}")
    comments = _COMMENT.findall(header[1] or b"") + _COMMENT.findall(tail)
    return File(objects, trailer, [each.decode("latin-1") for each in comments])


def _table(written: bytes, atoms: _Atoms) -> tuple[dict[int, int], dict[Any, Any], bytes]:
    """Of a cross-reference table: number -> place of each object; the trailer, read and written."""
    found = _TABLE.fullmatch(written)
    if found is None:
        raise Malformed("no whole cross-reference table")
    size, rows = int(found[1]), found[2].split()
    if len(rows) != 3 * size or len(found[2]) != 20 * size:
        raise Malformed("a cross-reference table of another size")
    columns = zip(rows[::3], rows[1::3], rows[2::3], strict=True)
    places = {
        number: int(place)
        for number, (place, generation, kind) in enumerate(columns)
        if kind == b"n" and generation == b"00000"
    }
    if len(places) + rows.count(b"f") != size or 0 in places:
        raise Malformed("objects of several generations")
    trailer = _value(_TOKEN.findall(_COMMENT.sub(b"", found[3])), atoms)
    if not isinstance(trailer, dict) or trailer.get("/Size") != size:
        raise Malformed("a trailer of another table")
    return places, trailer, found[3]


def _packed_file(
    pdf: bytes, start: int, place: int, end: int, atoms: _Atoms
) -> tuple[dict[int, Any], dict[Any, Any]]:
    """The objects and the trailer of a file with a cross-reference stream and packed objects."""
    found = _NUMBER.match(pdf, place)
    if found is None:
        raise Malformed("no cross-reference table")
    number = int(found[1])
    table = _indirect(number, pdf[place:end], atoms)
    if not isinstance(table, Stream) or table.get("/Type") != "/XRef":
        raise Malformed("no cross-reference stream")
    rows = table.content
    size = table.get("/Size", 0)
    if (
        table.get("/W") != _WIDTHS
        or "/Index" in table
        or len(rows) != 7 * size
        or rows[:1] != b"\0"
    ):
        raise Malformed("a cross-reference stream of another shape")
    places: dict[int, int] = {}
    packed: dict[int, tuple[int, int]] = {}
    for each in range(1, size):
        kind, row = rows[7 * each], rows[7 * each + 1 : 7 * each + 7]
        first, second = int.from_bytes(row[:4], "big"), int.from_bytes(row[4:], "big")
        if kind == _IN_USE and second == 0:
            places[each] = first
        elif kind == _PACKED:
            packed[each] = first, second
        else:
            raise Malformed("a cross-reference of another kind")
    if places.pop(number, None) != place:
        raise Malformed("a cross-reference stream that is somewhere else")
    objects = _objects(pdf, start, places, place, atoms)
    unpacked: dict[int, tuple[int, int]] = {}
    for holder in sorted({holder for holder, _ in packed.values()}):
        for index, (each, value) in enumerate(_unpacked(objects.pop(holder, None), atoms)):
            unpacked[each] = holder, index
            objects[each] = value
    if unpacked != packed:
        raise Malformed("packed objects that are somewhere else")
    return dict(sorted(objects.items())), table


def _unpacked(holder: Any, atoms: _Atoms) -> list[tuple[int, Any]]:
    """Number and value of each object in an object stream."""
    if not isinstance(holder, Stream) or holder.get("/Type") != "/ObjStm":
        raise Malformed("no stream of objects")
    first = holder.get("/First")
    head, body = holder.content[:first].split(), holder.content[first:]
    if not all(map(bytes.isdigit, head)) or len(head) != 2 * holder.get("/N", 0):
        raise Malformed("an object stream without its table")
    starts = [*map(int, head[1::2]), len(body)]
    if starts[0] or starts != sorted(set(starts)):
        raise Malformed("an object stream that is not laid out in order")
    return [
        (int(number), _value(_TOKEN.findall(body[start:end]), atoms))
        for number, (start, end) in zip(head[::2], pairwise(starts), strict=True)
    ]


def _objects(
    pdf: bytes, start: int, places: Mapping[int, int], end: int, atoms: _Atoms
) -> dict[int, Any]:
    """The objects that fill a file from `start` to `end`."""
    ordered = sorted(places.items(), key=lambda each: each[1])
    edges = [place for _, place in ordered] + [end]
    if edges[0] != start:
        raise Malformed("something before the first object")
    objects = {
        number: _indirect(number, pdf[place:after], atoms)
        for (number, place), after in zip(ordered, edges[1:], strict=True)
    }
    return dict(sorted(objects.items()))


def _indirect(number: int, written: bytes, atoms: _Atoms) -> Any:
    """The value of an object that is written with its number and its end."""
    tokens = _TOKEN.findall(written)
    if tokens[0] != b"%d 0 obj" % number:
        raise Malformed(f"object {number} is somewhere else")
    last = tokens[-1]
    entries = _value(tokens[1:-1], atoms)
    if last == b"endobj":
        return entries
    length = entries.get("/Length") if isinstance(entries, dict) else None
    if not last.startswith(b"stream") or type(length) is not int:
        raise Malformed(f"object {number} does not end")
    start = last.index(b"\n") + 1
    if not _STREAM_END.fullmatch(last, start + length):
        raise Malformed(f"object {number} is not as long as it says")
    return Stream(entries, last[start : start + length])


def _value(tokens: Iterable[bytes], atoms: _Atoms) -> Any:
    """The only value of some tokens."""
    items: list[Any] = []
    outer: list[tuple[_Bracket, list[Any]]] = []
    for value in map(atoms.__getitem__, tokens):
        if type(value) is not _Bracket:
            items.append(value)
        elif value.partner is None:
            outer.append((value, items))
            items = []
        elif outer and outer[-1][0] is value.partner:
            _, around = outer.pop()
            around.append(tuple(items) if value.partner is _ARRAY else _dictionary(items))
            items = around
        else:
            raise Malformed("a bracket without the one before it")
    if outer or len(items) != 1:
        raise Malformed("no single value")
    return items[0]


def _dictionary(items: list[Any]) -> dict[Any, Any]:
    keys = items[::2]
    for key in keys:
        if type(key) is not Name:
            raise Malformed(f"{key!r} as the key of a dictionary")
    made = dict(zip(keys, items[1::2], strict=False))
    if 2 * len(made) != len(items):
        raise Malformed("a dictionary with a key twice, or without a value")
    return made


@dataclass(frozen=True, slots=True, eq=False)
class _Bracket:
    """A bracket around values; a closing one knows its partner."""

    partner: _Bracket | None = None


_ARRAY, _DICTIONARY = _Bracket(), _Bracket()
_KNOWN = {
    b"[": _ARRAY,
    b"]": _Bracket(_ARRAY),
    b"<<": _DICTIONARY,
    b">>": _Bracket(_DICTIONARY),
    b"true": True,
    b"false": False,
    b"null": None,
}


class _Atoms(dict[bytes, Any]):
    """Token -> value. Most tokens of a file come back: each is read once."""

    def __init__(self) -> None:
        super().__init__(_KNOWN)

    def __missing__(self, token: bytes) -> Any:
        value = self[token] = _atom(token)
        return value


@lru_cache(maxsize=4096)  # the same names and numbers come back in every file
def _atom(token: bytes) -> Any:
    match token[:1]:
        case b"/":
            return name(token)
        case b"(" | b"<":
            return text_string(string(token))
        case b"[":
            return tuple(map(_number, token[1:-1].split()))
    return Reference(int(token[:-4])) if token.endswith(b" 0 R") else _number(token)


def _number(token: bytes) -> int | float:
    try:
        return float(token) if b"." in token else int(token)
    except ValueError:
        raise Malformed(f"{token!r} out of place") from None


def name(written: bytes) -> Name:
    """A name, written with its slash (7.3.5)."""
    return Name(_NAME_ESCAPE.sub(_code, written).decode("latin-1"))


def _code(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())


def string(token: bytes) -> bytes:
    """The bytes of a string, as it is written with its brackets (7.3.4).

    Raises:
        Malformed: there is only one of them.
    """
    inner = token[1:-1]
    if token.endswith(b")"):
        return _ESCAPE.sub(_unescaped, inner) if b"\\" in inner else inner
    if not token.endswith(b">"):
        raise Malformed("a string without an end")
    digits = inner.translate(None, b"\0\t\n\f\r ").decode()
    return bytes.fromhex(digits + "0" * (len(digits) % 2))


def _unescaped(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 0xFF])
    return b"" if match[2] in _LINE_ENDS else _ESCAPED.get(match[2], match[2])


def text_string(written: bytes) -> str:
    """The text of a string, whatever it is for (7.9.2.2; UTF-8 since PDF 2.0)."""
    if written.startswith((b"\xfe\xff", b"\xff\xfe")):
        return written.decode("utf-16", "replace")
    if written.startswith(b"\xef\xbb\xbf"):
        return written[3:].decode("utf-8", "replace")
    return charmap_decode(written, "strict", _PDF_DOC_ENCODING)[0]
