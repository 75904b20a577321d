"""Fonts: the characters a face has, and the cuts of it that files carry.

A cut is a fixed choice of a face's characters, without hints. It is made when it is first wanted,
once in a process, and is the same in every file: no file waits for it, and a booklet stores it once
for all its kits. A file carries the cuts it uses: mostly the Latin ones, and one of symbols.

In a page a character is its number in the cut, in two bytes; that of a Latin one up to U+00FF is
its code point. Widths are for a font size of 1 point; a length in units is a part of the face's em.

Standards: ISO 32000-1 (PDF 1.7), section 9.7; ISO 14289-1 (PDF/UA-1), section 7.21; OpenType 1.9.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import NamedTuple

SPACE = "\0 "
"""The space as a page writes it; every cut has that of the text face, so that none is changed."""

_SPACE, _NO_BREAK_SPACE = 0x20, 0xA0

# What kits usually show: one cut each. All other characters are cut by half rows of Unicode.
_LATIN = (
    *range(0x20, 0x100),
    *(0x152, 0x153, 0x160, 0x161, 0x178, 0x17D, 0x17E),  # of French and Finnish
    *(*range(0x2010, 0x2016), *range(0x2018, 0x201F), 0x2020, 0x2021, 0x2022, 0x2026, 0x202F),
    *(0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2116, 0x2122, 0x2153, 0x2154),
    *(0x2212, 0x221A, 0x221E, 0x2248, 0x2260, 0x2264, 0x2265),
)
_GAMES = (
    *range(0x2190, 0x219A),  # arrows
    *range(0x25A0, 0x2600),  # geometric shapes
    *(0x2605, 0x2606, 0x2610, 0x2611, 0x2612),  # stars, boxes
    *range(0x2660, 0x2668),  # suits
    *range(0x2680, 0x2686),  # dice
    *range(0x2713, 0x2719),  # ticks and crosses
)
_USUAL = {code: usual for usual in (_LATIN, _GAMES) for code in usual}
_HALF_ROW = 128

# The number of the space. Those below stay empty, so that Latin keeps its code points.
_FIRST = 32
# In a literal string (ISO 32000-1, 7.3.4.2) these would end it, or change.
_ESCAPED = str.maketrans({"(": "\\(", ")": "\\)", "\\": "\\\\", "\r": "\\r"})

_SYMBOLIC = 4  # a flag of a font (table 123): its characters are none of a standard set
# Flags of a component of a composite glyph (OpenType, "glyf").
_WORDS, _SCALE, _MORE, _TWO_SCALES, _MATRIX, _HINTED = 0x1, 0x8, 0x20, 0x40, 0x80, 0x100


class Glyph(NamedTuple):
    """A character in a cut: how a page writes it, a byte a letter, and its width."""

    cut: Cut
    code: str
    width: float


class Face:
    """A TrueType face, read when it is first asked for something.

    Attributes:
        name: its PostScript name.
    """

    def __init__(self, name: str, path: Path, spaces: Face | None = None) -> None:
        """Name a face.

        Args:
            name: its PostScript name.
            path: of its file.
            spaces: the face whose space stands between its words; itself if None.
        """
        self.name = name
        self._path = path
        self._spaces = spaces or self
        self._glyphs: dict[int, Glyph] = {}
        self._cuts: dict[int, Cut] = {}

    def glyph(self, character: str) -> Glyph | None:
        """The character in the cut that holds it; None if the face lacks it."""
        code = ord(character)
        if code == _NO_BREAK_SPACE:  # whoever copies or searches the text gets a plain one
            code = _SPACE
        if code not in self._glyphs and self.number(code):
            self._glyphs[code] = self._found(code)
        return self._glyphs.get(code)

    def _found(self, code: int) -> Glyph:
        usual = _USUAL.get(code)
        start = usual[0] if usual else code - code % _HALF_ROW
        if start not in self._cuts:
            self._cuts[start] = Cut(self, usual or range(start, start + _HALF_ROW))
        cut = self._cuts[start]
        return Glyph(cut, cut.code(code), self.metrics(self.number(code))[0] / self.units)

    @cached_property
    def _file(self) -> bytes:
        return self._path.read_bytes()

    @cached_property
    def _tables(self) -> dict[bytes, tuple[int, int]]:
        """The start and the length of each table."""
        (count,) = struct.unpack_from(">H", self._file, 4)
        listed = struct.iter_unpack(">4s4xII", self._file[12 : 12 + 16 * count])
        return {tag: (start, length) for tag, start, length in listed}

    def table(self, tag: bytes) -> bytes:
        """A table as it is in the file."""
        start, length = self._tables[tag]
        return self._file[start : start + length]

    def _read(self, tag: bytes, form: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(form, self._file, self._tables[tag][0] + offset)

    @cached_property
    def units(self) -> int:
        """The units of its em."""
        return self._read(b"head", ">H", 18)[0]

    @cached_property
    def _groups(self) -> list[tuple[int, int, int]]:
        """Its runs of characters: the first one, the last one, and the glyph of the first."""
        (tables,) = self._read(b"cmap", ">H", 2)
        for table in range(tables):
            (start,) = self._read(b"cmap", ">I", 8 + 8 * table)
            if self._read(b"cmap", ">H", start)[0] == 12:  # the form that holds all of Unicode
                (count,) = self._read(b"cmap", ">I", start + 12)
                groups = self.table(b"cmap")[start + 16 :][: 12 * count]
                return list(struct.iter_unpack(">III", groups))
        raise ValueError(f"{self.name} has no table of all its characters")

    def number(self, code: int) -> int:
        """The glyph of a character; 0 if there is none."""
        place = bisect_right(self._groups, (code, 0x110000, 0)) - 1
        first, last, glyph = self._groups[place]
        return glyph + code - first if first <= code <= last else 0

    def metrics(self, glyph: int) -> tuple[int, int]:
        """The advance of a glyph and the room before its outline, in units."""
        (count,) = self._read(b"hhea", ">H", 34)
        (advance,) = self._read(b"hmtx", ">H", 4 * min(glyph, count - 1))
        # After the last advance there is only the room of each glyph.
        place = 4 * glyph + 2 if glyph < count else 4 * count + 2 * (glyph - count)
        (room,) = self._read(b"hmtx", ">h", place)
        return advance, room

    def outline(self, glyph: int) -> bytes:
        """What draws a glyph; nothing where it is blank."""
        (long,) = self._read(b"head", ">h", 50)
        start, end = (
            self._read(b"loca", ">2I", 4 * glyph)
            if long
            else (2 * half for half in self._read(b"loca", ">2H", 2 * glyph))
        )
        place = self._tables[b"glyf"][0]
        return self._file[place + start : place + end]

    def extent(self, glyph: int) -> tuple[int, int]:
        """How far down and up a glyph reaches from the base line, in units."""
        if not (outline := self.outline(glyph)):
            return 0, 0
        bottom, top = struct.unpack_from(">h2xh", outline, 4)
        return bottom, top

    @property
    def space(self) -> int:
        """The advance of the space between its words, in units."""
        other = self._spaces
        return other.metrics(other.number(_SPACE))[0] * self.units // other.units

    def thousandths(self, length: int) -> bytes:
        """A length in units as thousandths of an em."""
        return b"%g" % round(1000 * length / self.units, 2)

    def descriptor(self) -> bytes:
        """What a font descriptor says of it (table 122)."""
        edges = b" ".join(map(self.thousandths, self._read(b"head", ">4h", 36)))
        ascent, descent = map(self.thousandths, self._read(b"hhea", ">2h", 4))
        version, weight = self._read(b"OS/2", ">H2xH", 0)
        capitals = self.thousandths(self._read(b"OS/2", ">h", 88)[0]) if version > 1 else ascent
        stem = 50 + weight**2 // 65**2  # no table says it: estimated from the weight
        return (
            b"/Flags %d/FontBBox[%b]/ItalicAngle 0/Ascent %b/Descent %b/CapHeight %b/StemV %d"
            % (_SYMBOLIC, edges, ascent, descent, capitals, stem)
        )


class Cut:
    """Some characters of a face, as a font of its own.

    Attributes:
        face: whose they are.
    """

    def __init__(self, face: Face, characters: Iterable[int]) -> None:
        self.face = face
        self._codes = (_SPACE, *(code for code in characters if code != _SPACE))
        self._numbers = {code: number for number, code in enumerate(self._codes, start=_FIRST)}

    def code(self, character: int) -> str:
        """A character as a literal string of a page writes it, a byte a letter."""
        high, low = divmod(self._numbers[character], 256)
        return f"{chr(high)}{chr(low)}".translate(_ESCAPED)

    def embed(self, add: Callable[[bytes], int]) -> int:
        """Put the font into a file.

        Args:
            add: takes an object and gives it its number in the file.

        Returns:
            The number of the font.
        """
        program, descriptor, widths, to_unicode = self._parts
        below = add(widths % add(descriptor % add(program)))
        return add(
            b"<</Type/Font/Subtype/Type0/BaseFont/%b/Encoding/Identity-H/DescendantFonts[%d 0 R]"
            b"/ToUnicode %d 0 R>>" % (self._name, below, add(to_unicode))
        )

    @cached_property
    def _name(self) -> bytes:
        """That of the face with a tag of six letters, which says that it is a part (9.6.4)."""
        code = self._codes[1]
        letters = bytes(65 + code // 26**place % 26 for place in range(6))
        return b"%b+%b" % (letters, self.face.name.encode())

    @cached_property
    def _parts(self) -> tuple[bytes, bytes, bytes, bytes]:
        """The objects of the font: its program, its descriptor, its widths, its characters."""
        face = self.face
        glyphs: list[int | None] = [0, *[None] * _FIRST]  # the space has no outline
        glyphs += (face.number(code) or None for code in self._codes[1:])
        outlines = list(_outlines(face, glyphs))
        metrics = [(0, 0) if glyph is None else face.metrics(glyph) for glyph in glyphs]
        metrics[_FIRST] = face.space, 0
        program = _program(face, outlines, metrics)
        shown = metrics[_FIRST : _FIRST + len(self._codes)]
        widths = b" ".join(face.thousandths(advance) for advance, _ in shown)
        return (
            _stream(b"/Length1 %d" % len(program), program),
            b"<</Type/FontDescriptor/FontName/%b%b/FontFile2 %%d 0 R>>"
            % (self._name, face.descriptor()),
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%b/CIDSystemInfo<</Registry(Adobe)"
            b"/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/DW 0/W[%d[%b]]"
            b"/FontDescriptor %%d 0 R>>" % (self._name, _FIRST, widths),
            _stream(b"", self._to_unicode()),
        )

    def _to_unicode(self) -> bytes:
        """The CMap from numbers to characters (9.10.3), a line for each run of both."""
        known = [
            (number, code)
            for code, number in self._numbers.items()
            if code == _SPACE or self.face.number(code)
        ]
        lines = []
        for _, run in groupby(enumerate(known), _run_of):
            (_, (first, code)), *others = run
            last = first + len(others)
            text = chr(code).encode("utf-16-be").hex().upper()
            lines.append(f"<{first:04X}> <{last:04X}> <{text}>\n")
        return _TO_UNICODE.format(len(lines), "".join(lines)).encode()


def _run_of(each: tuple[int, tuple[int, int]]) -> tuple[int, ...]:
    """What the numbers and characters of a run have in common, each after its place in the list.

    A run may not leave a row of 256 (Adobe Technical Note 5014).
    """
    place, (number, code) = each
    return number - place, code - place, number // 256, code // 256


_TO_UNICODE = """\
/CIDInit/ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
/CMapName/Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
{} beginbfrange
{}endbfrange
endcmap
CMapName currentdict/CMap defineresource pop
end
end
"""


def _stream(entries: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    form = b"<<%b/Filter/FlateDecode/Length %d>>stream\n%b\nendstream"
    return form % (entries, len(packed), packed)


def _outlines(face: Face, glyphs: list[int | None]) -> Iterator[bytes]:
    """The outlines of glyphs, of which there become more: those that composite ones are made of."""
    numbers: dict[int | None, int] = {}
    for number, glyph in enumerate(glyphs):
        numbers.setdefault(glyph, number)
    for glyph in glyphs:
        outline = b"" if glyph is None else face.outline(glyph)
        if not outline:
            yield b""
            continue
        (contours,) = struct.unpack_from(">h", outline)
        place = 10 + 2 * max(contours, 0)
        if contours >= 0:
            (hints,) = struct.unpack_from(">H", outline, place)
            yield outline[:place] + b"\0\0" + outline[place + 2 + hints :]
            continue
        parts, flags = [outline[:place]], _MORE
        while flags & _MORE:
            flags, component = struct.unpack_from(">HH", outline, place)
            if component not in numbers:
                numbers[component] = len(glyphs)
                glyphs.append(component)
            end = place + (8 if flags & _WORDS else 6)
            for flag, length in ((_SCALE, 2), (_TWO_SCALES, 4), (_MATRIX, 8)):
                end += length if flags & flag else 0
            parts.append(struct.pack(">HH", flags & ~_HINTED, numbers[component]))
            parts.append(outline[place + 4 : end])
            place = end
        yield b"".join(parts)


def _program(face: Face, outlines: Sequence[bytes], metrics: Sequence[tuple[int, int]]) -> bytes:
    """A font file of these glyphs: only the tables that a PDF needs (ISO 32000-1, 9.9)."""
    count = struct.pack(">H", len(outlines))
    padded = [outline + b"\0" * (len(outline) % 2) for outline in outlines]
    places = accumulate((len(outline) // 2 for outline in padded), initial=0)
    head, short = face.table(b"head"), b"\0\0"
    tables = {
        b"glyf": b"".join(padded),
        b"head": head[:8] + bytes(4) + head[12:50] + short + head[52:],
        b"hhea": face.table(b"hhea")[:34] + count,
        b"hmtx": b"".join(struct.pack(">Hh", *each) for each in metrics),
        b"loca": b"".join(struct.pack(">H", place) for place in places),
        b"maxp": face.table(b"maxp")[:4] + count + face.table(b"maxp")[6:],
    }
    file = struct.pack(">I4H", 0x00010000, len(tables), 64, 2, 32)
    content, start = b"", len(file) + 16 * len(tables)
    for tag, table in tables.items():
        file += struct.pack(">4s3I", tag, _sum(table), start + len(content), len(table))
        content += table + bytes(-len(table) % 4)
    adjusted = struct.pack(">I", 0xB1B0AFBA - _sum(file + content) & 0xFFFFFFFF)
    place = len(tables[b"glyf"]) + -len(tables[b"glyf"]) % 4 + 8
    return file + content[:place] + adjusted + content[place + 4 :]


def _sum(table: bytes) -> int:
    """The checksum of a table (OpenType, "otff")."""
    padded = table + bytes(-len(table) % 4)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
