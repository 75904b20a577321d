"""A cut draws, measures and tells its characters as its face does, the same in every file."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageChops
from pypdf import PdfReader
from reportlab.pdfbase.ttfonts import TTFontFile, TTFontParser

from kit_builder import fonts
from kit_builder.fonts import Cut, Face
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import Word, draw_word, set_word
from tests.sample import printed

FONTS = Path(__file__).parent.parent / "fonts"
FILES = {
    "Andika": FONTS / "andika" / "Andika-Regular.ttf",
    "Andika-Bold": FONTS / "andika" / "Andika-Bold.ttf",
    "DejaVuSans": FONTS / "dejavu" / "DejaVuSans.ttf",
    "DejaVuSans-Bold": FONTS / "dejavu" / "DejaVuSans-Bold.ttf",
}
USUAL = {"Latin": "a", "games": "★", "Cyrillic": "И", "cards": "\U0001f0a1"}
of_every_face = pytest.mark.parametrize("name", FILES)


@cache
def face(name: str) -> Face:
    return Face(name, FILES[name], face("Andika") if name != "Andika" else None)


@cache
def by_reportlab(name: str) -> Any:
    """The same file, read by ReportLab."""
    return TTFontFile(str(FILES[name]))


def cut(name: str, character: str) -> Cut:
    glyph = face(name).glyph(character)
    assert glyph is not None
    return glyph.cut


def objects(of: Cut) -> list[bytes]:
    """The objects that a cut puts into a file, numbered from 1."""
    added: list[bytes] = []

    def add(body: bytes) -> int:
        added.append(body)
        return len(added)

    assert of.embed(add) == len(added)
    return added


def stream(body: bytes) -> bytes:
    return zlib.decompress(body.split(b"stream\n", 1)[1].removesuffix(b"\nendstream"))


def program(of: Cut) -> bytes:
    (found,) = (stream(body) for body in objects(of) if body.startswith(b"<</Length1"))
    return found


def told(cmap: bytes) -> dict[int, str]:
    """Number -> character, as a CMap tells it."""
    found: dict[int, str] = {}
    for first, last, text in re.findall(rb"<(....)> <(....)> <((?:....)+)>", cmap):
        start = ord(bytes.fromhex(text.decode()).decode("utf-16-be"))
        for step, number in enumerate(range(int(first, 16), int(last, 16) + 1)):
            assert number not in found
            found[number] = chr(start + step)
    return found


def characters(of: Cut) -> dict[int, str]:
    *_, cmap, _ = objects(of)
    return told(stream(cmap))


# Faces


@of_every_face
def test_a_face_has_the_characters_and_widths_that_reportlab_finds_in_it(name: str) -> None:
    known = by_reportlab(name)
    for code in range(0x20, 0x20000):
        if code == 0xA0 or 0xD800 <= code < 0xE000:
            continue
        glyph = face(name).glyph(chr(code))
        assert (glyph is not None) is (code in known.charToGlyph), hex(code)
        if glyph:
            assert glyph.width == pytest.approx(known.charWidths[code] / 1000)


@of_every_face
def test_the_room_before_a_glyph_is_that_of_its_outline_in_the_last_ones_too(name: str) -> None:
    (count,) = struct.unpack_from(">H", face(name).table(b"maxp"), 4)
    for number in range(count):
        if outline := face(name).outline(number):
            (left,) = struct.unpack_from(">h", outline, 2)
            assert abs(face(name).metrics(number)[1] - left) <= 1


def test_a_glyph_says_how_far_down_and_up_it_reaches() -> None:
    heights = {each: face("Andika").extent(face("Andika").number(ord(each))) for each in "xpÉ "}
    assert heights["p"][0] < heights["x"][0] <= 0 < heights["x"][1] < heights["É"][1]
    assert heights[" "] == (0, 0)


def test_a_no_break_space_is_copied_as_a_plain_one() -> None:
    assert face("Andika").glyph("\u00a0") == face("Andika").glyph(" ")


def test_a_face_is_not_read_before_it_is_needed(tmp_path: Path) -> None:
    absent = Face("Absent", tmp_path / "absent.ttf")
    with pytest.raises(FileNotFoundError):
        absent.glyph("a")


def test_a_file_without_a_table_of_all_characters_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "old.ttf"
    written = bytearray(FILES["Andika"].read_bytes())
    place = written.index(b"cmap")
    start = int.from_bytes(written[place + 8 : place + 12], "big")
    written[start + 2 : start + 4] = b"\0\1"  # only the first table, which is of the basic plane
    old.write_bytes(written)
    with pytest.raises(ValueError, match="no table of all its characters"):
        Face("Old", old).glyph("a")


# Cuts


@of_every_face
def test_a_cut_is_a_sound_font_file_without_hints(name: str) -> None:
    for character in "aИ":
        made = program(cut(name, character))
        parsed = TTFontParser(BytesIO(made))
        parsed.checksumFile()
        parsed.checksumTables()
        assert sorted(parsed.table) == ["glyf", "head", "hhea", "hmtx", "loca", "maxp"]
        assert len(made) < 40_000


@of_every_face
@pytest.mark.parametrize("character", USUAL.values(), ids=USUAL)
def test_a_cut_tells_exactly_the_characters_that_the_face_has(name: str, character: str) -> None:
    known = by_reportlab(name).charToGlyph
    if ord(character) not in known:
        assert face(name).glyph(character) is None
        return
    found = characters(cut(name, character))
    assert found[32] == " "
    assert character in found.values()
    assert len(set(found.values())) == len(found)
    assert all(ord(each) in known for each in found.values())


def test_latin_letters_are_numbered_as_in_unicode() -> None:
    found = characters(cut("Andika", "a"))
    assert all(ord(text) == number for number, text in found.items() if number < 0x100)
    assert {*"aé·ñçßÿ"} <= set(found.values())


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox, 1234567890 (½) \\ €",
        "Jugar és aprendre: col·lecció, pingüí, força",
        "L’œuvre de Noël “à gagner”, garçon",
        "Die Größe zählt – ä ö ü ß",
        "¿Qué niño juega mañana?",
    ],
)
def test_a_text_of_western_europe_is_of_one_cut(text: str) -> None:
    assert len({face("Andika").glyph(each).cut for each in text}) == 1  # type: ignore[union-attr]


@of_every_face
def test_widths_in_the_file_are_those_of_its_program(name: str) -> None:
    of = cut(name, "a")
    (widths,) = (body for body in objects(of) if b"/CIDFontType2" in body)
    (listed,) = re.findall(rb"/W\[32\[([\d. ]+)\]\]", widths)
    parsed = TTFontParser(BytesIO(program(of)))
    start, _ = parsed.get_table_pos("hmtx")
    units = face(name).units
    for number, width in enumerate(listed.split(), start=32):
        advance = int.from_bytes(program(of)[start + 4 * number : start + 4 * number + 2], "big")
        assert float(width) == pytest.approx(1000 * advance / units, abs=0.01)


def test_every_cut_has_the_space_of_the_text_face() -> None:
    wanted = set_word(" ", False).width * 1000
    for name in FILES:
        for character in "a★" if "DejaVu" in name else "aИ":
            (widths,) = (body for body in objects(cut(name, character)) if b"/W[32[" in body)
            (space,) = re.findall(rb"/W\[32\[([\d.]+) ", widths)
            assert float(space) == pytest.approx(wanted, abs=0.01)


def test_a_cut_is_the_same_in_every_file_and_in_every_process() -> None:
    again = Face("Andika", FILES["Andika"])
    for character in "aИ":
        first = objects(cut("Andika", character))
        glyph = again.glyph(character)
        assert glyph is not None
        assert first == objects(cut("Andika", character)) == objects(glyph.cut)


def test_cuts_of_a_face_have_names_of_their_own() -> None:
    cuts = {each: cut("DejaVuSans", each) for each in ("a", "★", "И", "Ω", "\U0001f0a1")}
    names = {re.findall(rb"/BaseFont/(\S+?)/", objects(of)[-1])[0] for of in cuts.values()}
    assert len(names) == 5
    assert all(re.fullmatch(rb"[A-Z]{6}\+DejaVuSans", each) for each in names)


# On the page


def rendered(pdf: bytes) -> Image.Image:
    picture: Image.Image = pypdfium2.PdfDocument(pdf)[0].render(scale=6, grayscale=True).to_pil()
    return picture


SHOWN = [
    "Ägypten çà ñ ð þ ½ ⅓ €",
    "○●□■△▲☆★✗✓→♠♥♦♣⚀⚅",
    "Играйте Žluťoučký Tiếng Việt",
    "\U0001f0a1 Ωά",
]


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.parametrize("bold", [False, True])
def test_a_cut_draws_its_characters_as_reportlab_draws_the_whole_face(
    text: str, bold: bool
) -> None:
    def ours(canvas: TaggedCanvas, word: Word, x: float) -> None:
        draw_word(canvas, word, 20, x, 20)

    def theirs(canvas: TaggedCanvas, word: Word, x: float) -> None:
        canvas.setFont(word.runs[0].font, 20)
        canvas.drawString(x, 20, word.runs[0].text)

    def each(draw: Callable[[TaggedCanvas, Word, float], None]) -> Callable[[TaggedCanvas], None]:
        # One by one: viewers round the widths of characters, each in its own way.
        def drawn(canvas: TaggedCanvas) -> None:
            for place, character in enumerate(text):
                draw(canvas, set_word(character, bold), 10 + 20 * place)

        return drawn

    size = (700, 60)
    one, other = rendered(printed(size, each(ours))), rendered(printed(size, each(theirs)))
    assert one.getextrema() == (0, 255)
    apart = ImageChops.difference(one, other)
    assert max(apart.tobytes()) < 64  # no more than hints make


@given(st.text(st.characters(min_codepoint=33, max_codepoint=0x1FFFF), min_size=1, max_size=12))
def test_any_text_is_copied_as_it_was_written(text: str) -> None:
    try:
        word = set_word(text, False)
    except LookupError:
        assume(False)
    assume(word.runs)
    pdf = printed((900, 60), lambda canvas: draw_word(canvas, word, 20, 10, 20))
    page = PdfReader(BytesIO(pdf)).pages[0]
    contents: Any = page.get_contents()
    known = {
        str(name): told(font.get_object()["/ToUnicode"].get_data())
        for name, font in page["/Resources"]["/Font"].items()  # type: ignore[index]
    }
    copied, current = "", ""
    for operands, operator in contents.operations:
        if operator == b"Tf":
            current = operands[0]
        elif operator == b"Tj":
            codes = operands[0].original_bytes
            pairs = zip(codes[::2], codes[1::2], strict=True)
            copied += "".join(known[current][256 * high + low] for high, low in pairs)
    assert copied == "".join(run.text for run in word.runs).replace("\u00a0", " ")


def test_a_space_in_a_page_is_the_first_of_every_cut() -> None:
    assert fonts.SPACE.encode("latin-1") == (32).to_bytes(2, "big")
