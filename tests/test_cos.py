"""A PDF is read to the last byte, or refused."""

from __future__ import annotations

import re
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader
from pypdf.generic import TextStringObject

from kit_builder import cos
from kit_builder.cos import Malformed, Name, Reference, Stream
from kit_builder.packing import Pool, dictionary, stream
from tests.objects import alike
from tests.sample import changed, sample

BYTES = st.binary(max_size=40)


def file(*bodies: bytes, trailer: bytes = b"", table: bytes = b"") -> bytes:
    """A file of objects numbered from 1; the first is what its trailer leads to."""
    written, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(bodies, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    size, start = len(bodies) + 1, len(written)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    written += table or b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows)
    written += b"trailer\n<</Size %d/Root 1 0 R%b>>\n" % (size, trailer)
    return bytes(written) + b"startxref\n%d\n%%%%EOF\n" % start


def value(written: bytes) -> Any:
    return cos.read(file(written)).objects[1]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"null", None),
        (b"true", True),
        (b"[ -7 +7 007 ]", (-7, 7, 7)),
        (b"[.5 -.5 4. 595.2756]", (0.5, -0.5, 4.0, 595.2756)),
        (b"/Type", "/Type"),
        (b"/A#20B#2f#e9", "/A B/\xe9"),
        (b"[/A/B(c)/]", ("/A", "/B", "c", "/")),
        (b"(a (b (c)) \\) \\\\)", "a (b (c)) ) \\"),
        (b"(\\101\\7z\\0612\\n\\q)", "A\x07z12\nq"),
        (b"(a\\\nb\\\r\nc)", "abc"),
        (b"(<</Not true>>)", "<</Not true>>"),
        (b"(%is text)", "%is text"),
        (b"<41 4a\n5>", "AJP"),
        (b"<FEFF2605D83CDCA1>", "\u2605\U0001f0a1"),
        (b"(\\376\\377\\046\\005)", "\u2605"),
        (b"<EFBBBFC3A9>", "\xe9"),
        (b"(\xe9\x80\xa0\x92\x1f\xad)", "\xe9\u2022\u20ac\u2122\u02dc\ufffd"),
        (b"<</A<</B[1 0 R[]]>>/C<<>>>>", {"/A": {"/B": (Reference(1), ())}, "/C": {}}),
        (b"<< /A\n1 /B\r\n2 >>", {"/A": 1, "/B": 2}),
    ],
)
def test_a_value_is_read_as_it_is_meant(written: bytes, read: Any) -> None:
    found = value(written)
    assert found == read
    assert type(found) in (Name, type(read))


def test_a_name_is_no_string() -> None:
    name, string = value(b"[/A(/A)]")
    assert (type(name), type(string)) == (Name, str)


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"1 2",
        b"nul",
        b"1 1 R",
        b"1e5",
        b"--1",
        b"[1",
        b"[1-2]",
        b"[1 . 2]",
        b"1]",
        b"[1>>",
        b"<</A 1]",
        b"<</A>>",
        b"<<(A) 1>>",
        b"<</A 1/A 2>>",
        b"<</A 1/#41 2>>",
        b"(a",
        b"(a))",
        b"<4g>",
        b"{1}",
        b"1 % a comment",
        b"((((((too deep))))))",
        b"<</Length 3>>stream\nabcd\nendstream",
        b"<</Length 6>>stream\nabcd\nendstream",
        b"<</Length 4>>stream\nabcd\nendstream 1",
        b"<<>>stream\nabcd\nendstream",
        b"[4]stream\nabcd\nendstream",
        b"9 0 R",
    ],
)
def test_what_is_no_value_is_refused(written: bytes) -> None:
    with pytest.raises(Malformed):
        value(written)


def test_a_stream_is_as_long_as_it_says_whatever_it_holds() -> None:
    hidden = b"endstream\nendobj\n2 0 obj\n(x)\nendobj\n"
    for written in (hidden, b"", b"\r\n"):
        found = value(b"<</Length %d>>stream\n%b\nendstream" % (len(written), written))
        assert isinstance(found, Stream)
        assert found.content == written


def filtered(entries: bytes, written: bytes) -> Stream:
    body = b"<<%b/Length %d>>stream\r\n%bendstream" % (entries, len(written), written)
    found = value(body)
    assert isinstance(found, Stream)
    return found


@given(BYTES)
def test_a_deflated_stream_is_inflated_when_it_is_asked_for(written: bytes) -> None:
    deflated = zlib.compress(written)
    for entries in (b"/Filter/FlateDecode", b"/Filter[/FlateDecode]"):
        found = filtered(entries, deflated)
        assert found.filtered == deflated
        assert found.content == written


@pytest.mark.parametrize(
    ("entries", "written", "message"),
    [
        (b"/Filter/LZWDecode", b"x", "filtered by /LZWDecode"),
        (b"/Filter/FlateDecode/DecodeParms<</Predictor 15>>", b"x", "filtered by"),
        (b"/Filter/FlateDecode", b"xxxx", "a damaged stream"),
        (b"/Filter/FlateDecode", zlib.compress(b"x")[:-4], "does not end where its bytes do"),
        (b"/Filter/FlateDecode", zlib.compress(b"x") + b"The liar", "does not end where its"),
    ],
)
def test_a_stream_that_holds_something_else_is_refused(
    entries: bytes, written: bytes, message: str
) -> None:
    found = filtered(entries, written)
    with pytest.raises(Malformed, match=message):
        _ = found.content


def packed() -> bytes:
    """A small file with packed objects."""
    pool = Pool()
    pages = pool.add(dictionary(Type="/Pages", Count=0))
    root = pool.add(dictionary(Type="/Catalog", Pages=pages, Contents=pool.add(stream(b"q Q"))))
    return pool.packed(root, pool.add(dictionary(Title=TextStringObject("Étoile ☆"))))


def test_packed_objects_are_read_as_others() -> None:
    read = cos.read(packed())
    info = read.objects[read.trailer["/Info"].idnum]
    root = read.objects[read.trailer["/Root"].idnum]
    assert info == {"/Title": "Étoile ☆"}
    assert read.objects[root["/Contents"].idnum].content == b"q Q"
    assert all(each.get("/Type") not in ("/ObjStm", "/XRef") for each in read.objects.values())


OLD = file(b"<</A 2 0 R>>", b"(x)")


@pytest.mark.parametrize("whole", [OLD, packed()])
@given(place=st.integers(0), byte=st.integers(0, 255))
def test_one_byte_more_or_less_is_refused(whole: bytes, place: int, byte: int) -> None:
    start = int(whole.split()[-2])  # what leads to the objects has no place of its own inside
    place %= start
    for damaged in (
        whole[:place] + bytes([byte]) + whole[place:],
        whole[:place] + whole[place + 1 :],
        whole[: len(whole) - 1 - place],
        whole + bytes([byte]),
    ):
        with pytest.raises(ValueError):
            cos.read(damaged)


@pytest.mark.parametrize("whole", [OLD, packed(), sample()])
@given(data=st.data())
def test_damage_is_refused_as_malformed_or_does_no_harm(whole: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(whole) - 1))
    noise = data.draw(st.binary(min_size=1, max_size=6))
    try:
        read = cos.read(whole[:place] + noise + whole[place + len(noise) :])
        for each in read.objects.values():
            if isinstance(each, Stream):
                _ = each.content
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("pdf", "message"),
    [
        (b"", "no header"),
        (b"Dear class", "no header"),
        (OLD.replace(b"%%EOF\n", b"%%EOF\nThe liar is Anna"), "no end"),
        (OLD.replace(b"%PDF", b"The liar is Anna\n%PDF"), "no header"),
        (OLD.replace(b"2 0 obj", b"3 0 obj"), "object 2 is somewhere else"),
        (OLD.replace(b"0000000015", b"0000000016"), "before the first object"),
        (OLD.replace(b"00000 n", b"00001 n"), "several generations"),
        (OLD.replace(b"0 3\n", b"0 4\n"), "another size"),
        (OLD.replace(b"/Size 3", b"/Size 4"), "another table"),
        (OLD.replace(b"/A 2 0 R", b"/A 3 0 R"), r"not there: \[3\]"),
        (file(b"<<>>", trailer=b"/Prev 15"), "changed later"),
        (file(b"<<>>", trailer=b"/Encrypt<<>>"), "encrypted"),
        (file(b"1\nendobj\n1 0 obj\n2"), "out of place"),
        (file(b"<<>>\nendobj\nThe liar is Anna"), "out of place"),
    ],
)
def test_a_file_that_hides_or_lacks_something_is_refused(pdf: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cos.read(pdf)


def test_comments_stand_before_the_first_object_and_in_the_trailer_and_are_kept() -> None:
    pdf = file(b"<<>>", trailer=b"\n% The liar\n").replace(b"%\xe2\xe3\xcf\xd3", b"%Anna")
    assert cos.read(pdf).comments == ["Anna", " The liar"]


NAMES = st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=8)
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1000, 1000).map(lambda each: round(each, 4))
    | NAMES.map(lambda each: Name(f"/{each}"))
    | st.text(max_size=20)
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(NAMES.map(lambda each: Name(f"/{each}")), inner, max_size=4)
    ),
    max_leaves=6,
)


def written(value: Any, style: int) -> bytes:
    """A value as a PDF may say it; `style` chooses one of the ways to write a string."""
    match value:
        case None:
            return b"null"
        case bool():
            return b"true" if value else b"false"
        case float():
            return b"%.4f" % value
        case int():
            return b"%d" % value
        case Name():
            inside = re.sub(
                rb"[^A-Za-z]", lambda each: b"#%02x" % ord(each[0]), value[1:].encode("latin-1")
            )
            return b"/" + inside
        case str():
            raw = b"\xfe\xff" + value.encode("utf-16-be", "surrogatepass")
            if style == 0:
                return b"<%b>" % raw.hex().encode()
            if style == 1:
                return b"(%b)" % b"".join(b"\\%03o" % byte for byte in raw)
            return b"(%b)" % re.sub(rb"([()\\\r])", rb"\\\1", raw).replace(b"\\\r", b"\\r")
        case tuple():
            return b"[%b]" % b" ".join(written(each, style) for each in value)
    inside = b" ".join(written(each, style) for pair in value.items() for each in pair)
    return b"<<%b>>" % inside


@given(VALUES, st.integers(0, 2))
def test_any_value_is_read_back(given_value: Any, style: int) -> None:
    assert value(written(given_value, style)) == given_value


@given(st.text(max_size=30))
def test_a_string_of_pypdf_is_read_back(text: str) -> None:
    stream = BytesIO()
    try:
        TextStringObject(text).write_to_stream(stream)
    except UnicodeEncodeError:
        return  # half a surrogate pair
    assert value(stream.getvalue()) == text


@pytest.mark.parametrize("pdf", [sample(), changed(), packed()])
def test_pypdf_sees_the_same_objects(pdf: bytes) -> None:
    read, reader = cos.read(pdf), PdfReader(BytesIO(pdf), strict=True)
    for number, found in read.objects.items():
        assert alike(found, reader.get_object(number)), number
