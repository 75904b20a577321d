"""A finished PDF is read whole: what its pages show, and every other text that is in it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DecodedStreamObject, EncodedStreamObject, NumberObject
from reportlab.pdfbase import pdfmetrics
from typer.testing import CliRunner

from kit_builder import cli, finished, leaks, packing
from kit_builder.cos import Malformed
from kit_builder.errors import Location, Source, Text
from kit_builder.packing import Copy, Pool
from kit_builder.structure import Element
from tests.objects import alike
from tests.sample import (
    ROOT,
    TITLE,
    Change,
    begin,
    box,
    catalog,
    changed,
    entries,
    in_code,
    in_element,
    in_metadata,
    name,
    on_page,
    put,
    sample,
    script,
    text,
    with_a_page_in_no_list,
)

FACE = pdfmetrics.getFont("DejaVu").face.charToGlyph


@cache
def made() -> dict[str, bytes]:
    """Every PDF of the library, a booklet of two of its kits, and the same folded, by name."""
    activities = ROOT / "activities"
    kits = [str(activities / f"{slug}.yaml") for slug in ("hidden-trap-bid", "follow-suit-tricks")]
    with TemporaryDirectory() as folder:
        for arguments in (
            ["build", str(activities), "--no-gallery", "--jobs", "1", "--out", folder],
            ["booklet", *kits, "--out", f"{folder}/booklet.pdf"],
            ["booklet", *kits, "--fold", "--out", f"{folder}/folded.pdf"],
        ):
            assert CliRunner().invoke(cli.app, arguments).exit_code == 0
        return {path.name: path.read_bytes() for path in sorted(Path(folder).rglob("*.pdf"))}


def test_pypdf_sees_the_same_objects_streams_and_strings_in_all_that_is_made() -> None:
    assert len(made()) > 30
    for file_name, pdf in made().items():
        reader = PdfReader(BytesIO(pdf), strict=True)
        objects = finished.read(pdf).objects
        packing = [number for number in numbers(reader) if number not in objects]
        kinds = {reader.get_object(number)["/Type"] for number in packing}  # type: ignore[index]
        assert kinds <= {"/ObjStm", "/XRef"}
        assert all(alike(found, reader.get_object(each)) for each, found in objects.items()), (
            file_name
        )


def numbers(reader: PdfReader) -> set[int]:
    """Of all objects in a file."""
    listed = {number for table in reader.xref.values() for number in table}
    return (listed | reader.xref_objStm.keys()) - {0}


def letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, text))


def test_a_viewer_shows_the_same_letters_on_all_pages_that_are_made() -> None:
    for file_name, pdf in made().items():
        for content, page in zip(
            finished.read(pdf).contents, pypdfium2.PdfDocument(pdf), strict=True
        ):
            assert letters(content.text) == letters(page.get_textpage().get_text_range()), file_name


def test_pypdf_sees_the_same_letters_in_a_booklet() -> None:
    pdf = made()["folded.pdf"]
    pages = PdfReader(BytesIO(pdf)).pages
    for content, page in zip(finished.read(pdf).contents, pages, strict=True):
        assert letters(content.text) == letters(page.extract_text())


def with_a_page_listed_twice(writer: PdfWriter) -> None:
    kids = catalog(writer)["/Pages"]["/Kids"]
    kids.append(kids[0])


def with_an_inherited_box(writer: PdfWriter) -> None:
    catalog(writer)["/Pages"][name("/MediaBox")] = box(0, 0, 1, 1)


@pytest.mark.parametrize("change", [with_a_page_listed_twice, with_an_inherited_box])
def test_pages_that_are_listed_in_another_way_are_refused(change: Change) -> None:
    with pytest.raises(Malformed):
        finished.read(changed(change))


def test_pages_numbered_in_another_style_are_refused() -> None:
    pdf = changed(put("/PageLabels", "/Nums", 3, "/S", value=name("/r")))
    with pytest.raises(Malformed, match="style /r"):
        _ = finished.read(pdf).labels


def test_labels_count_on_from_where_they_start() -> None:
    numbers = ArrayObject(
        [NumberObject(0), entries(P=text("A-"), S=name("/D"), St=NumberObject(7))]
    )
    pdf = changed(put("/PageLabels", "/Nums", value=numbers))
    assert finished.read(pdf).labels == ["A-7", "A-8"]
    assert finished.read(sample()).labels == ["Rules 1", "2"]
    assert finished.read(changed(put("/PageLabels", value=None))).labels == []


def test_an_encrypted_file_is_refused() -> None:
    pdf = changed(lambda writer: writer.encrypt("", "owner", algorithm="RC4-128"))
    with pytest.raises(ValueError, match="the file is encrypted"):
        finished.read(pdf)


def printed(*lines: str, title: str = TITLE) -> bytes:
    root = Element("Document")
    canvas, file = begin(root, title=title)
    with canvas.marked(root.add("P")):
        words = canvas.beginText(60, 700)
        for line in lines or ("Hello",):
            words.textLine(line)
        canvas.drawText(words)
    canvas.save()
    return file.getvalue()


def places(pdf: bytes, sought: str) -> list[str]:
    host = Text(sought, Location(Source("key.yaml", (sought,)), 1, 1))
    return [leak.place for leak in leaks.find([host], finished.read(pdf).texts)]


LIAR = "The liar is certainly Anna."


def test_a_file_without_host_text_has_no_leak() -> None:
    assert places(sample(), LIAR) == []
    assert places(sample(), "CTXS") == []


@pytest.mark.parametrize(
    "lines",
    [
        ("THE LIAR IS CERTAINLY ANNA",),
        ("the liar is", "certainly Anna."),
        ("the liar is cer-", "tainly Anna."),
        ("the liar is cer\u00adtainly Anna.",),
        ("The\u00a0liar \u201cis\u201d: certainly   Anna\u2026",),
    ],
)
def test_a_leak_is_read_however_it_is_printed(lines: tuple[str, ...]) -> None:
    assert places(printed(*lines), LIAR) == ["page 1"]


def test_single_letters_side_by_side_are_no_word_unless_the_secret_is_spaced() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    for column, letter in enumerate("CTXS"):
        with canvas.marked(root.add("P")):
            canvas.drawString(60 + 100 * column, 700, letter)
    canvas.save()
    assert places(file.getvalue(), "CTXS") == []
    assert places(file.getvalue(), "C T X S") == ["page 1"]


def test_a_leak_in_a_form_is_found_on_the_page_where_it_is_placed() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.beginForm("inner", 0, 0, 90, 90)
    canvas.drawString(1, 1, "certainly Anna")
    canvas.endForm()
    canvas.beginForm("card", 0, 0, 99, 99)
    canvas.drawString(1, 1, "The liar is")
    canvas.doForm("inner")
    canvas.endForm()
    with canvas.marked(root.add("P")):
        canvas.drawString(1, 1, "text")
    canvas.showPage()
    with canvas.marked(root.add("Figure", alt="A card")):
        canvas.doForm("card")
    canvas.save()
    assert places(file.getvalue(), LIAR) == ["page 2"]


def test_a_leak_across_two_pages_is_found() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    paragraph = root.add("P")
    with canvas.marked(paragraph):
        canvas.drawString(60, 60, "The liar is")
    canvas.drawString(60, 30, "page 1 of 2")
    canvas.showPage()
    canvas.drawString(60, 30, "page 2 of 2")
    with canvas.marked(paragraph):
        canvas.drawString(60, 700, "certainly Anna.")
    canvas.save()
    assert places(file.getvalue(), LIAR) == ["pages 1-2"]


def test_a_leak_outside_every_tag_is_found() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    with canvas.marked(root.add("P")):
        canvas.drawString(1, 1, "text")
    canvas.drawString(60, 30, LIAR)
    canvas.save()
    assert places(file.getvalue(), LIAR) == ["page 1"]


def test_a_leak_in_the_metadata_is_found() -> None:
    assert sorted(places(printed(title=LIAR), LIAR)) == ["XMP metadata", "metadata"]


def test_a_leak_in_a_bookmark_a_label_a_title_or_an_alternative_text_is_found() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.outline("Rules")
    canvas.outline(LIAR, 1)
    canvas.page_label(LIAR)
    with canvas.marked(root.add("Part", title=LIAR).add("Figure", alt=LIAR)):
        canvas.drawString(1, 1, "text")
    canvas.save()
    assert sorted(places(file.getvalue(), LIAR)) == [
        "alternative text",
        "outline",
        "page label",
        "title of an element or form field",
    ]


def attach(filename: str, content: bytes) -> Change:
    return lambda writer: (writer.add_attachment(filename, content), None)[1]


def annotate(**values: Any) -> Change:
    annotation = entries(Type=name("/Annot"), Subtype=name("/Link"), Rect=box(0, 0, 1, 1), **values)
    return on_page(1, "/Annots", ArrayObject([annotation]))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (attach(f"{LIAR}.txt", b"x"), "attachment"),
        (attach("key.txt", LIAR.encode()), "attachment"),
        (attach("key.txt", LIAR.encode("utf-16")), "attachment"),
        (annotate(Contents=text(LIAR)), "annotation"),
        (annotate(A=entries(S=name("/URI"), URI=text(f"https://x.org/{LIAR}"))), "link"),
        (
            put("/AcroForm", value=entries(Fields=ArrayObject([entries(T=text(LIAR))]))),
            "title of an element or form field",
        ),
        (
            put("/AcroForm", value=entries(Fields=ArrayObject([entries(V=text(LIAR))]))),
            "form field",
        ),
        (in_element("/H1", "/ActualText", text(LIAR)), "replacement text"),
        (
            in_code(b"/Artifact BMC", f"/Artifact <</ActualText ({LIAR})>> BDC".encode()),
            "page 1",
        ),
        (put("/OpenAction", value=script(f"// {LIAR}")), "script"),
        (in_metadata(TITLE.encode(), LIAR.encode()), "XMP metadata"),
    ],
)
def test_a_leak_is_found_wherever_a_pdf_can_hold_text(change: Change, place: str) -> None:
    assert place in places(changed(change), LIAR)


def test_a_leak_in_a_stream_that_nothing_leads_to_is_found() -> None:
    def change(writer: PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(LIAR.encode())
        writer._add_object(stream)

    (place,) = places(changed(change), LIAR)
    assert place.startswith("object ")


def test_what_others_filter_in_another_way_is_found_once_it_is_bound() -> None:
    def change(writer: PdfWriter) -> None:
        stream = EncodedStreamObject()
        stream._data = LIAR.encode().hex().encode() + b">"
        stream[name("/Filter")] = name("/ASCIIHexDecode")
        catalog(writer)[name("/Key")] = writer._add_object(stream)

    foreign = changed(change)
    with pytest.raises(Malformed, match="filtered by /ASCIIHexDecode"):
        _ = finished.read(foreign).texts
    source, pool = packing.opened(foreign), Pool()
    copy = Copy(pool, source)
    root, info = (pool.add(copy.value(each)) for each in (source.catalog, source.info))
    (place,) = places(pool.packed(root, info), LIAR)
    assert place.startswith("object ")


def test_a_leak_in_the_trailer_or_a_comment_is_found() -> None:
    trailer = sample().replace(b"/Size", b"/Key (The liar is certainly Anna.)/Size")
    assert places(trailer, LIAR) == ["trailer"]
    assert places(sample().replace(b"/Size", b"% " + LIAR.encode() + b"\n/Size"), LIAR) == [
        "comment"
    ]


def test_a_leak_on_a_page_that_no_list_leads_to_is_found() -> None:
    def change(writer: PdfWriter) -> None:
        in_code(b"(Hidden trap bid)", f"({LIAR})".encode())(writer)
        with_a_page_in_no_list(writer)
        in_code(f"({LIAR})".encode(), b"(Hidden trap bid)")(writer)

    (place,) = places(changed(change), LIAR)
    assert place.endswith("a page in no page list")


def test_a_leak_in_a_form_that_is_on_no_page_is_found() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.beginForm("card", 0, 0, 99, 99)
    canvas.drawString(1, 1, LIAR)
    canvas.endForm()
    with canvas.marked(root.add("P")):
        canvas.drawString(1, 1, "text")
    canvas.save()
    (place,) = places(file.getvalue(), LIAR)
    assert place.endswith("a form on no page")


@settings(deadline=None)
@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn", "Co"]), max_size=40))
def test_what_is_drawn_is_read_back(drawn: str) -> None:
    known = "".join(each for each in drawn if ord(each) in FACE)
    root = Element("Document")
    canvas, file = begin(root)
    with canvas.marked(root.add("P")):
        canvas.setFont("DejaVu", 12)
        canvas.drawString(60, 700, f"({known}\\)")
    canvas.save()
    content = finished.read(file.getvalue()).contents[0]
    assert content.text.strip("\n ") == f"({known}\\)".replace("\u00a0", " ").strip("\n ")
    assert content.faults == ()
