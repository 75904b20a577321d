"""A content stream is read as a viewer would show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import content
from kit_builder.content import Content, Font
from kit_builder.cos import Malformed

FONT = Font("Face", {code: chr(code) for code in range(1, 256)})
WIDE_TEXTS = {7: "x", 0x141: "A", 0x2829: "fi", 0xD83C: "\U0001f0a1", 0xDCA1: "z"}
WIDE = Font("Wide", WIDE_TEXTS, 2)
CARD = Content([(None, "inside")], (), ["an inline image"])


def read(code: bytes) -> Content:
    return content.read(
        code, {"/F1": FONT, "/F 2": WIDE}.get, lambda name: {"/card": CARD}.get(name, Content())
    )


@pytest.mark.parametrize(
    ("string", "text"),
    [
        (rb"(a card)", "a card"),
        (rb"(f(x) and (g) here)", "f(x) and (g) here"),
        (rb"(\(\)\\)", "()\\"),
        (rb"(\101\7z\0612)", "A\x07z12"),
        (b"(a\\\nb\\\r\nc)", "abc"),
        (rb"(a\nb\tc\qd)", "a\nb\tcqd"),
        (rb"<41 4a5>", "AJP"),
        (rb"[(a) -250 (b)]", "ab"),
        (rb"(Tj ET /F2 9 Tf % BT)", "Tj ET /F2 9 Tf % BT"),
        (rb"[(BI ) (x (y) Tj) 3 <45492>]", "BI x (y) TjEI "),
    ],
)
def test_a_string_is_read_as_it_is_meant(string: bytes, text: str) -> None:
    assert read(b"/F1 9 Tf %b TJ" % string).text == text


@pytest.mark.parametrize(
    ("string", "text"),
    [
        (b"<0141>", "A"),
        (b"<01 41 2829>", "Afi"),
        (b"(\\001A\\050\\051)", "Afi"),
        (b"[(\1A) 7 <0141>]", "AA"),
        (b"<D83CDCA1>", "\U0001f0a1z"),
    ],
)
def test_codes_of_two_bytes_are_read_as_their_font_maps_them(string: bytes, text: str) -> None:
    found = read(b"/F#202 9 Tf %b TJ" % string)
    assert (found.text, found.faults) == (text, ())


@pytest.mark.parametrize(
    ("string", "text"),
    [(b"<01410142>", "A"), (b"<014101>", "A"), (b"[<01> <41>]", ""), (b"<000707>", "x")],
)
def test_codes_of_two_bytes_without_a_character_are_told(string: bytes, text: str) -> None:
    found = read(b"/F#202 9 Tf %b TJ" % string)
    assert (found.text, found.faults) == (text, ("a character that Wide lacks",))


@pytest.mark.parametrize("code", [b"(a) Tj", b"[(a)] TJ", b"(a) '", b'1 2 (a) "', b"<61>Tj"])
def test_each_operator_that_shows_text_is_known(code: bytes) -> None:
    assert read(b"/F1 9 Tf " + code).text.strip() == "a"


def test_graphics_show_no_text() -> None:
    code = b"q 1 0 0 1 0 -.5 cm 0 G .4 0 0 rg [3 1] 0 d 0 J /S gs 1 2 m 3 4 l S 1 1 2 2 re W* n Q"
    assert read(code) == Content([], [], ())


def test_each_text_belongs_to_the_innermost_mark_with_a_number() -> None:
    found = read(
        b"/F1 9 Tf (a) Tj /P <</MCID 3>> BDC (b) Tj /Span <</Lang /x>> BDC (c) Tj EMC (d) Tj EMC "
        b"/Artifact BMC (e) Tj EMC"
    )
    assert found.pieces == [(None, "a"), (3, "b"), (3, "c"), (3, "d"), (None, "e")]
    assert found.mcids == [3]


def test_a_replacement_text_is_read_too() -> None:
    found = read(b"/Span <</MCID 0 /ActualText <FEFF2605>>> BDC EMC")
    assert found.text == "\n\u2605\n"


def test_a_new_line_and_a_space_stand_between_what_is_apart() -> None:
    assert read(b"/F1 9 Tf BT 1 0 0 1 5 5 Tm (a) Tj T* (b) Tj ET BT (c) Tj ET").text == "\n a b\nc"


def test_a_form_is_shown_where_it_is_placed_with_its_faults() -> None:
    found = read(b"/F1 9 Tf (a) Tj q 1 0 0 1 0 0 cm /card Do Q /photo Do (b) Tj")
    assert found.text.split() == ["a", "inside", "b"]
    assert found.faults == ("an inline image",)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (b"(a) Tj", "text without a font"),
        (b"/F2 9 Tf (a) Tj", "text without a font"),
        (b"q /F1 9 Tf Q (a) Tj", "text without a font"),
        (rb"/F1 9 Tf (a\000) Tj (\000) Tj", "a character that Face lacks"),
        (b"q BI /W 1 /H 1 ID ( EI Q", "an inline image"),
        (b"1e-18 0 m", "e-18, which is no operator"),
        (b"/F1 9 Tf (a) Tj2", "Tj2, which is no operator"),
        (b"0 0 1 rgb", "rgb, which is no operator"),
        (b"BI", "BI, which is no operator"),
        (b"(a)) q", "), which is no operator"),
    ],
)
def test_what_a_stream_must_not_show_is_told_once(code: bytes, fault: str) -> None:
    assert read(code).faults == (fault,)


@pytest.mark.parametrize("code", [b"q (a", b"(a\\)", b"<61", b"<6x>", b"((((((a))))))"])
def test_a_string_without_an_end_is_refused(code: bytes) -> None:
    with pytest.raises(Malformed, match="a string without an end"):
        read(code)


def test_an_inline_image_in_hexadecimal_is_a_picture_like_any_other() -> None:
    image = rb"BI /W 2 /CS[/I/RGB 1(\(EI )]/F[/AHx]ID 4549 00>" + b"\nEI"
    found = read(b"/F1 9 Tf (a) Tj %b (b) Tj" % image)
    assert (found.text, found.faults) == ("ab", ())


@pytest.mark.parametrize("inside", [b"ID x", b"ID (00>", b"00>"])
def test_an_inline_image_that_may_hold_operators_is_a_fault(inside: bytes) -> None:
    assert "an inline image" in read(b"/F1 9 Tf BI /W 1 %b EI" % inside).faults


def test_a_comment_shows_nothing() -> None:
    assert read(b"/F1 9 Tf % (a) Tj\n(b) Tj").text == "b"


@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_are_read_back(written: bytes, hexadecimal: bool) -> None:
    octal = b"(%b)" % b"".join(b"\\%03o" % byte for byte in written)
    string = b"<%b>" % written.hex().encode() if hexadecimal else octal
    assert read(b"/F1 9 Tf %b Tj" % string).text == written.replace(b"\0", b"").decode("latin-1")


@given(st.lists(st.sampled_from([*WIDE_TEXTS, 8]), max_size=9), st.booleans())
def test_any_codes_of_two_bytes_are_read_back(codes: list[int], hexadecimal: bool) -> None:
    written = b"".join(code.to_bytes(2, "big") for code in codes)
    octal = b"(%b)" % b"".join(b"\\%03o" % byte for byte in written)
    string = b"<%b>" % written.hex().encode() if hexadecimal else octal
    found = read(b"/F#202 9 Tf %b Tj" % string)
    assert found.text == "".join(WIDE_TEXTS.get(code, "") for code in codes)
    assert bool(found.faults) == (8 in codes)


SNIPPETS = (
    b"q 1 0 0 1 5 5 cm",
    b"/F1 9 Tf",
    b"(a \\) BT) Tj",
    b"[<41> -3 (b)] TJ",
    b"BT 1 2 Td",
    b"0 -14 TD T*",
    b"ET",
    b"/P <</MCID 1>> BDC",
    b"/Artifact BMC",
    b"EMC",
    b"0 0 m 1 1 l 2 2 3 3 4 4 c h B*",
    b".5 g 1 0 0 RG /S gs",
    b"% a comment\n",
    b"/card Do Q",
)


@given(
    st.lists(st.sampled_from(SNIPPETS)),
    st.lists(st.sampled_from(SNIPPETS)),
    st.sampled_from([b"TJ2", b"xx", b"bt", b"e-18", b"Tf2", b")", b"}", b"\x80"]),
    st.sampled_from([b" ", b"\n"]),
)
def test_no_word_is_passed_over(
    before: list[bytes], after: list[bytes], word: bytes, space: bytes
) -> None:
    faults = read(space.join([b"/F1 9 Tf", *before, *after])).faults
    assert set(faults) <= {"an inline image"}
    faults = read(space.join([b"/F1 9 Tf", *before, word, *after])).faults
    assert f"{word.decode('latin-1')}, which is no operator" in faults
