"""Each broken promise of a finished PDF is found, and no other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
)

from kit_builder import finished, preflight
from kit_builder.preflight import Expectation
from tests.sample import (
    A4,
    LETTER,
    TITLE,
    Change,
    box,
    catalog,
    changed,
    entries,
    first,
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

PARTS = ("Rules", "Cards", "Record")
EXPECTED = Expectation(sizes=(A4,), language="en", title=TITLE, parts=PARTS)


def findings(pdf: bytes, expected: Expectation = EXPECTED) -> tuple[str, ...]:
    try:
        preflight.check(finished.read(pdf), expected)
    except preflight.Failed as failed:
        return tuple(re.sub(r"object \d+", "object n", each) for each in failed.findings)
    return ()


def test_a_finished_file_keeps_every_promise() -> None:
    assert findings(sample()) == ()
    assert findings(changed()) == ()


def test_a_page_may_have_any_of_the_expected_sizes() -> None:
    assert findings(sample(), Expectation((LETTER, A4), "en", TITLE, PARTS)) == ()


def test_a_hundredth_of_a_millimetre_is_true_to_size() -> None:
    width, height = A4
    near = on_page(1, "/TrimBox", box(0, 0, width + 0.02, height))
    assert findings(changed(near)) == ()


def test_a_font_is_restored_with_its_graphics_state() -> None:
    assert findings(changed(in_code(b"(Hidden", b"q /None 9 Tf Q (Hidden"))) == ()


HELVETICA = entries(
    Type=name("/Font"), Subtype=name("/Type1"), BaseFont=name("/Helvetica"), Name=name("/F9")
)


def without_to_unicode(writer: PdfWriter) -> None:
    pages: Any = writer.pages
    for font in pages[0]["/Resources"]["/Font"].values():
        if font.get_object()["/BaseFont"].endswith("Andika-Bold"):
            del font.get_object()["/ToUnicode"]


def with_a_range_of_codes(writer: PdfWriter) -> None:
    pages: Any = writer.pages
    for font in pages[0]["/Resources"]["/Font"].values():
        if font.get_object()["/BaseFont"].endswith("Andika-Bold"):
            font.get_object()["/ToUnicode"].set_data(
                b"1 beginbfrange\n<00> <40> <0020>\nendbfrange"
            )


def with_helvetica(writer: PdfWriter) -> None:
    pages: Any = writer.pages
    pages[0]["/Resources"]["/Font"][NameObject("/F9")] = HELVETICA


def card(writer: PdfWriter) -> Any:
    pages: Any = writer.pages
    return pages[1]["/Resources"]["/XObject"]["/FormXob.card-1"]


def with_helvetica_in_a_form(writer: PdfWriter) -> None:
    resources = card(writer)["/Resources"]
    resources[NameObject("/Font")] = DictionaryObject(resources["/Font"])
    resources["/Font"][NameObject("/F9")] = HELVETICA


def with_tags_in_a_form(writer: PdfWriter) -> None:
    card(writer).set_data(b"/P <</MCID 0>> BDC EMC " + card(writer).get_data())


def with_an_mcid_in_two_elements(writer: PdfWriter) -> None:
    first(writer, "/H1")["/K"].append(NumberObject(1))


def with_a_wrong_parent(writer: PdfWriter) -> None:
    parents = catalog(writer)["/StructTreeRoot"]["/ParentTree"]["/Nums"][1]
    parents[0], parents[1] = parents[1], parents[0]


def without_scope(writer: PdfWriter) -> None:
    del first(writer, "/TH")["/A"]["/Scope"]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (
            on_page(2, "/MediaBox", box(0, 0, *LETTER)),
            "page 2: /MediaBox is 0 0 215.9 279.4, not 0 0 and 210 x 297 mm",
        ),
        (
            on_page(2, "/CropBox", box(0, 0, *LETTER)),
            "page 2: /CropBox is 0 0 215.9 279.4, not 0 0 and 210 x 297 mm",
        ),
        (
            on_page(2, "/TrimBox", box(1, 0, *A4)),
            "page 2: /TrimBox is 0.35 0 210 297, not 0 0 and 210 x 297 mm",
        ),
        (on_page(1, "/TrimBox", None), "page 1: /TrimBox is missing, not 0 0 and 210 x 297 mm"),
        (on_page(1, "/Rotate", NumberObject(90)), "page 1: /Rotate"),
        (on_page(1, "/UserUnit", FloatObject(2)), "page 1: /UserUnit"),
        (
            put("/ViewerPreferences", "/PrintScaling", value=name("/AppDefault")),
            "/PrintScaling is not /None",
        ),
        (
            put("/ViewerPreferences", "/DisplayDocTitle", value=BooleanObject(False)),
            "/DisplayDocTitle is not true",
        ),
        (put("/Lang", value=text("ca")), "/Lang is ca, not en"),
        (
            lambda writer: writer.add_metadata({"/Title": "Other"}),
            "the title is 'Other', not 'Hidden trap bid'",
        ),
        (put("/Metadata", value=None), "no XMP metadata"),
        (in_metadata(b"Hidden trap bid", b"Other"), "dc:title is not 'Hidden trap bid'"),
        (in_metadata(b"part>1<", b"part>2<"), "pdfuaid:part is not 1"),
        (
            put("/Outlines", "/First", "/Title", value=text("Other")),
            "the bookmarks are ['Other', 'Cards', 'Record'], not ['Rules', 'Cards', 'Record']",
        ),
        (put("/PageLabels", value=None), "the page labels are [], not one for each of 2 pages"),
        (
            put("/PageLabels", "/Nums", 3, value=entries(P=text("Rules 1"))),
            "the page labels are ['Rules 1', 'Rules 1'], not one for each of 2 pages",
        ),
        (without_to_unicode, "font /AAAAAA+Andika-Bold: without ToUnicode"),
        (with_helvetica, "font /Helvetica: not embedded, without ToUnicode"),
        (with_helvetica_in_a_form, "font /Helvetica: not embedded, without ToUnicode"),
        (
            in_code(b"(Hidden", b"(\\000Hidden"),
            "page 1: a character that /AAAAAA+Andika-Bold lacks",
        ),
        (in_code(b"(Hidden", b"/None 9 Tf (Hidden"), "page 1: text without a font"),
        (
            in_code(b"/Artifact BMC", b"/Artifact BMC BI /W 1 /H 1 ID x EI", page=1),
            "page 2: an inline image",
        ),
        (with_tags_in_a_form, "page 2: MCIDs in a form"),
        (put("/MarkInfo", value=None), "/MarkInfo does not say /Marked true"),
        (put("/StructTreeRoot", value=None), "no structure tree"),
        (in_element("/H1", "/S", name("/Card")), "object n: /Card is no standard structure type"),
        (in_element("/Figure", "/Alt", None), "object n: a Figure without /Alt"),
        (in_element("/Figure", "/Alt", text(" ")), "object n: a Figure without /Alt"),
        (without_scope, "object n: a TH without /Scope"),
        (on_page(2, "/Tabs", None), "page 2: /Tabs is not /S"),
        (on_page(2, "/StructParents", None), "page 2: no /StructParents"),
        (with_an_mcid_in_two_elements, "page 1: MCID 1 is in two elements"),
        (with_a_wrong_parent, "page 1: the ParentTree does not agree with the structure tree"),
        (put("/AcroForm", value=entries(Fields=ArrayObject())), "a form to fill in (/AcroForm)"),
        (put("/OpenAction", value=script("app.alert(1)")), "an action of type /JavaScript"),
        (lambda writer: writer.add_attachment("key.txt", b"x"), "an attached file"),
        (with_a_page_in_no_list, "object n, a page in no page list"),
    ],
)
def test_each_broken_promise_is_found_and_no_other(change: Change, finding: str) -> None:
    assert findings(changed(change)) == (finding,)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            in_code(b"/MCID 1>>", b"/MCID 0>>"),
            ("page 1: MCID 0 is there 2 times", "page 1: MCID 1 of object n is not there"),
        ),
        (
            in_code(b"/MCID 1>>", b"/MCID 9>>"),
            ("page 1: MCID 9 is in no element", "page 1: MCID 1 of object n is not there"),
        ),
    ],
)
def test_pages_and_both_trees_agree_on_each_mcid(change: Change, expected: tuple[str, ...]) -> None:
    assert findings(changed(change)) == expected


def test_codes_outside_a_range_of_a_map_are_not_passed_over() -> None:
    assert findings(changed(with_a_range_of_codes)) == (
        "page 1: a character that /AAAAAA+Andika-Bold lacks",
        "page 2: a character that /AAAAAA+Andika-Bold lacks",
    )


def test_every_finding_is_listed() -> None:
    pdf = changed(put("/Lang", value=text("ca")), on_page(1, "/Rotate", NumberObject(90)))
    assert findings(pdf) == ("page 1: /Rotate", "/Lang is ca, not en")
