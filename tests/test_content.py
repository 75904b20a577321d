"""A content stream is read as a viewer would show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import content
from kit_builder.content import Content, Font

FONT = Font("Face", {code: chr(code) for code in range(1, 256)})
CARD = Content([(None, "inside")], (), ["an inline image"])


def read(code: bytes) -> Content:
    return content.read(code, {"/F1": FONT}.get, lambda name: {"/card": CARD}.get(name, Content()))


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
    ],
)
def test_a_string_is_read_as_it_is_meant(string: bytes, text: str) -> None:
    assert read(b"/F1 9 Tf %b TJ" % string).text == text


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
    ],
)
def test_what_a_stream_must_not_show_is_told_once(code: bytes, fault: str) -> None:
    assert read(code).faults == (fault,)


def test_a_comment_shows_nothing() -> None:
    assert read(b"/F1 9 Tf % (a) Tj\n(b) Tj").text == "b"


@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_are_read_back(written: bytes, hexadecimal: bool) -> None:
    octal = b"(%b)" % b"".join(b"\\%03o" % byte for byte in written)
    string = b"<%b>" % written.hex().encode() if hexadecimal else octal
    assert read(b"/F1 9 Tf %b Tj" % string).text == written.replace(b"\0", b"").decode("latin-1")
