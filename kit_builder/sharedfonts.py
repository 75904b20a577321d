"""Subsets of one font, joined: a booklet stores each font once, whatever its kits use of it.

Each kit numbers the characters of its subset in its own way. Its texts keep their one-byte codes:
its font becomes a composite one, whose encoding leads from its codes to the glyphs of the one
program that all of them share. Standard: ISO 32000-1 (PDF 1.7), section 9.7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from reportlab.pdfbase import pdfmetrics

from kit_builder import packing, tounicode
from kit_builder.packing import Pool, dictionary

_BLOCK = 100  # codes of a CMap (Adobe Technical Note 5014)
_TAG = "AAAAAA+"


def share(pool: Pool) -> None:
    """Join the subsets of each registered font among the objects of a file."""
    faces = _faces()
    kits: dict[str, list[tuple[DictionaryObject, Mapping[int, str]]]] = defaultdict(list)
    for font in pool.fonts():
        name = str(font.get("/BaseFont")).partition("+")[2]
        characters = pool.at(font.get("/ToUnicode"))
        if font.get("/Subtype") == "/TrueType" and name in faces and characters is not None:
            kits[name].append((font, tounicode.read(characters.get_data())))
    for name, fonts in sorted(kits.items()):
        _join(pool, name, faces[name], fonts)


def _faces() -> Mapping[str, Any]:
    """The faces of the registered TrueType fonts by their PostScript names."""
    fonts = map(pdfmetrics.getFont, pdfmetrics.getRegisteredFontNames())
    return {each.face.name.decode("ascii"): each.face for each in fonts if each._dynamicFont}


def _join(
    pool: Pool, name: str, face: Any, fonts: list[tuple[DictionaryObject, Mapping[int, str]]]
) -> None:
    points = sorted({ord(text) for _, texts in fonts for text in texts.values()})
    glyphs = _glyphs(face, points)
    base = NameObject(f"/{_TAG}{name}")
    descriptor = DictionaryObject(pool.at(fonts[0][0].raw_get("/FontDescriptor")))
    program = face.makeSubset(points)
    descriptor[NameObject("/FontName")] = base
    descriptor[NameObject("/FontFile2")] = pool.add(
        packing.stream(program, {"/Length1": NumberObject(len(program))})
    )
    widths = {glyph: face.getCharWidth(point) for point, glyph in glyphs.items() if glyph}
    shared = pool.add(
        _cid_font(base, pool.add(descriptor), widths, descriptor.raw_get("/MissingWidth"))
    )
    for font, texts in fonts:
        codes = {code: glyphs[ord(text)] for code, text in sorted(texts.items())}
        encoding = pool.add(_encoding({code: glyph for code, glyph in codes.items() if glyph}))
        pool.share(encoding)
        to_unicode = font.raw_get("/ToUnicode")
        font.clear()
        font.update(_composite(base, encoding, shared, to_unicode))


def _glyphs(face: Any, points: list[int]) -> dict[int, int]:
    """Code point -> glyph of the joined subset, as ReportLab numbers them: as they come, from 1."""
    numbers = {0: 0}
    for point in points:
        numbers.setdefault(face.charToGlyph.get(point, 0), len(numbers))
    return {point: numbers[face.charToGlyph.get(point, 0)] for point in points}


def _system() -> DictionaryObject:
    """Glyphs are numbered by the font alone (table 116)."""
    return dictionary(
        Registry=TextStringObject("Adobe"), Ordering=TextStringObject("Identity"), Supplement=0
    )


def _cid_font(
    base: NameObject, descriptor: IndirectObject, widths: Mapping[int, float], missing: Any
) -> DictionaryObject:
    listed = [FloatObject(widths[glyph]) for glyph in sorted(widths)]
    return dictionary(
        Type="/Font",
        Subtype="/CIDFontType2",
        BaseFont=base,
        CIDSystemInfo=_system(),
        CIDToGIDMap="/Identity",
        DW=missing,
        FontDescriptor=descriptor,
        W=ArrayObject([NumberObject(1), ArrayObject(listed)]),
    )


def _composite(
    base: NameObject, encoding: IndirectObject, shared: IndirectObject, to_unicode: Any
) -> DictionaryObject:
    return dictionary(
        Type="/Font",
        Subtype="/Type0",
        BaseFont=base,
        DescendantFonts=ArrayObject([shared]),
        Encoding=encoding,
        ToUnicode=to_unicode,
    )


def _encoding(glyphs: Mapping[int, int]) -> Any:
    """The CMap from the one-byte codes of a kit to glyphs (9.7.5.4)."""
    lines = "\n".join(_blocks(glyphs))
    written = f"""\
%!PS-Adobe-3.0 Resource-CMap
/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo 3 dict dup begin
/Registry (Adobe) def /Ordering (Identity) def /Supplement 0 def
end def
/CMapName /Kit def
/CMapType 1 def
/WMode 0 def
1 begincodespacerange
<00> <FF>
endcodespacerange
{lines}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""
    entries = {
        "/Type": NameObject("/CMap"),
        "/CMapName": NameObject("/Kit"),
        "/CIDSystemInfo": _system(),
        "/WMode": NumberObject(0),
    }
    return packing.stream(written.encode(), entries)


def _blocks(glyphs: Mapping[int, int]) -> Iterator[str]:
    pairs = [f"<{code:02X}> {glyph}" for code, glyph in glyphs.items()]
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        yield f"{len(block)} begincidchar"
        yield from block
        yield "endcidchar"
