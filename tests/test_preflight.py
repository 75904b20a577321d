from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)
from reportlab.pdfbase import pdfmetrics

from kit_builder import preflight
from kit_builder.errors import Location, Source, Text
from kit_builder.preflight import Expectation, Leak, host_only
from kit_builder.structure import Element
from tests.test_structure import A4, LETTER, begin, sample

PARTS = ("Rules", "Cards", "Record")
FACE = pdfmetrics.getFont("DejaVu").face.charToGlyph
EXPECTED = Expectation(sizes=(A4,), language="en", title="Hidden trap bid", parts=PARTS)

Change = Callable[[PdfWriter], None]


def changed(*changes: Change) -> bytes:
    """The sample, after each change."""
    writer = PdfWriter(clone_from=BytesIO(sample()))
    for change in changes:
        change(writer)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def findings(pdf: bytes, expected: Expectation = EXPECTED) -> tuple[str, ...]:
    try:
        preflight.check(preflight.read(pdf), expected)
    except preflight.Failed as failed:
        return tuple(re.sub(r"object \d+", "object n", each) for each in failed.findings)
    return ()


def catalog(writer: PdfWriter) -> Any:
    return writer.root_object


def first(writer: PdfWriter, role: str) -> Any:
    """The first structure element of a role, in the order of the objects."""
    objects: list[Any] = writer._objects
    return next(each for each in objects if isinstance(each, dict) and each.get("/S") == role)


def put(*path: str | int, value: Any) -> Change:
    """Write a value under a path from the catalog; None takes it away."""

    def change(writer: PdfWriter) -> None:
        at = catalog(writer)
        for key in path[:-1]:
            at = at[key].get_object()
        if value is None:
            del at[path[-1]]
        else:
            at[NameObject(path[-1]) if isinstance(path[-1], str) else path[-1]] = value

    return change


def on_page(number: int, key: str, value: Any) -> Change:
    """Write a value into a page, counted from 1."""
    return put("/Pages", "/Kids", number - 1, key, value=value)


def in_element(role: str, key: str, value: Any) -> Change:
    def change(writer: PdfWriter) -> None:
        if value is None:
            del first(writer, role)[key]
        else:
            first(writer, role)[NameObject(key)] = value

    return change


def in_code(old: bytes, new: bytes, page: int = 0) -> Change:
    """Replace operators of a page."""

    def change(writer: PdfWriter) -> None:
        pages: Any = writer.pages
        code = pages[page].get_contents().get_data()
        assert old in code
        stream = DecodedStreamObject()
        stream.set_data(code.replace(old, new, 1))
        pages[page][NameObject("/Contents")] = writer._add_object(stream)

    return change


def in_metadata(old: bytes, new: bytes) -> Change:
    def change(writer: PdfWriter) -> None:
        metadata = catalog(writer)["/Metadata"]
        assert old in metadata.get_data()
        metadata.set_data(metadata.get_data().replace(old, new))

    return change


def name(text: str) -> NameObject:
    return NameObject(text)


def text(written: str) -> TextStringObject:
    return TextStringObject(written)


def box(*edges: float) -> ArrayObject:
    return ArrayObject(map(FloatObject, edges))


def entries(**values: Any) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in values.items()})


def script(code: str) -> DictionaryObject:
    return entries(S=name("/JavaScript"), JS=text(code))


# --- The promises


def test_a_finished_file_keeps_every_promise() -> None:
    assert findings(sample()) == ()
    assert findings(changed()) == ()


def test_a_page_may_have_any_of_the_expected_sizes() -> None:
    assert findings(sample(), Expectation((LETTER, A4), "en", "Hidden trap bid", PARTS)) == ()


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


def with_a_page_in_no_list(writer: PdfWriter) -> None:
    pages: Any = writer.pages
    stray = writer._add_object(DictionaryObject(pages[0]))
    catalog(writer)[NameObject("/OpenAction")] = ArrayObject([stray, NameObject("/Fit")])


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


def test_an_encrypted_file_is_refused() -> None:
    pdf = changed(lambda writer: writer.encrypt("", "owner", algorithm="RC4-128"))
    with pytest.raises(preflight.Failed, match="the file is encrypted"):
        preflight.read(pdf)


def test_every_finding_is_listed() -> None:
    pdf = changed(put("/Lang", value=text("ca")), on_page(1, "/Rotate", NumberObject(90)))
    assert findings(pdf) == ("page 1: /Rotate", "/Lang is ca, not en")


# --- What only the host may know

SOURCE = Source(
    "bid.yaml",
    (
        "host:",
        "  sections:",
        "    - heading: Key",
        "      text: |",
        "        The trap lies under the left",
        "        card. Anna always **tells lies**!",
        "",
        "        1. Turn the first card over at once.",
        "        - Short.",
        "",
        "        | Player | Where the treasure is |",
        "        |--------|-----------------------|",
        "        | Anna   | below the old bridge  |",
    ),
)
KEY = Text(
    "\n".join(line[8:] for line in SOURCE.lines[4:]) + "\n", Location(SOURCE, 4, 13), first_line=5
)
SENTENCES = [
    ("The trap lies under the left card.", 5, 9),
    ("Anna always **tells lies**!", 6, 15),
    ("Turn the first card over at once.", 8, 12),
    ("Where the treasure is", 11, 20),
    ("below the old bridge", 13, 20),
]


def host(written: str) -> Text:
    return Text(written, Location(Source("key.yaml", (written,)), 1, 1))


def test_sentences_cells_and_items_of_a_key_are_the_hosts_each_with_its_place() -> None:
    found = host_only([], [KEY], [])
    assert [(str(each), each.location.line, each.location.column) for each in found] == SENTENCES


def test_what_the_players_read_too_is_not_the_hosts_alone() -> None:
    rules = [
        "Anna always tells\nlies. Turn the FIRST card over, at once",
        "Where the treas\u00adure is?",
    ]
    assert [str(each) for each in host_only(rules, [KEY], [])] == [
        "The trap lies under the left card.",
        "below the old bridge",
    ]


def test_a_secret_is_the_hosts_however_short_and_whoever_reads_it() -> None:
    assert host_only(["CTXS and 4"], [], [host("CTXS"), host("4")]) == ("CTXS", "4")


def test_a_text_that_stands_twice_counts_once() -> None:
    assert host_only([], [host("The liar is Anna."), host("the LIAR is anna")], []) == (
        "The liar is Anna.",
    )


# --- Leaks


def printed(*lines: str, **options: Any) -> bytes:
    root = Element("Document")
    canvas, file = begin(root, **options)
    with canvas.marked(root.add("P")):
        words = canvas.beginText(60, 700)
        for line in lines or ("Hello",):
            words.textLine(line)
        canvas.drawText(words)
    canvas.save()
    return file.getvalue()


def places(pdf: bytes, *sought: str, filename: str = "kit-player.pdf") -> list[str]:
    found = preflight.leaks(preflight.read(pdf), filename, [host(each) for each in sought])
    return [leak.place for leak in found]


LIAR = "The liar is certainly Anna."


def test_a_leak_names_the_hosts_text_and_the_page() -> None:
    sought = host(LIAR)
    (leak,) = preflight.leaks(preflight.read(printed(LIAR)), "kit.pdf", [sought])
    assert leak == Leak(sought, "page 1")
    assert str(leak.text.location) == "key.yaml:1:1"


def test_a_file_without_host_text_has_no_leak() -> None:
    assert places(sample(), LIAR, "CTXS") == []


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
def test_neither_lines_nor_hyphens_nor_case_hide_a_leak(lines: tuple[str, ...]) -> None:
    assert places(printed(*lines), LIAR) == ["page 1"]


@pytest.mark.parametrize(
    ("secret", "line", "leaks"),
    [
        ("CTXS", "The code is CTXS.", True),
        ("CTXS", "The code is c t x s.", True),
        ("CTXS", "The code is CT-XS", True),
        ("C T X S", "The code is CTXS", True),
        ("CTXS", "ACTXS", False),
        ("4", "Take 4 cards", True),
        ("4", "Take 14 cards", False),
        ("4", "Take 40 cards", False),
        ("4", "four_4_four", True),
        ("\u2605\u2606", "\u2605 \u2606", True),
        ("\u2605\u2606", "\u2606 \u2605", False),
    ],
)
def test_a_secret_is_found_as_a_whole_word_however_it_is_spaced(
    secret: str, line: str, leaks: bool
) -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.setFont("DejaVu", 12)
    with canvas.marked(root.add("P")):
        canvas.drawString(60, 700, line)
    canvas.save()
    assert places(file.getvalue(), secret) == (["page 1"] if leaks else [])


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
    assert places(printed(subject=LIAR), LIAR) == ["metadata", "XMP metadata"]


def test_a_leak_in_the_file_name_is_found() -> None:
    assert places(printed(), LIAR, filename="the-liar-is-certainly-anna.pdf") == ["file name"]


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
        (in_metadata(b"A tabletop kit", LIAR.encode()), "XMP metadata"),
    ],
)
def test_a_leak_is_found_wherever_a_pdf_can_hold_text(change: Change, place: str) -> None:
    assert place in places(changed(change), LIAR)


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
@given(
    st.text("abcdefghijklmnop0123456789", min_size=12, max_size=60),
    st.lists(st.sampled_from([" ", "-", "\n", "\u00ad", ", ", "."]), min_size=60, max_size=60),
)
def test_no_spacing_or_punctuation_makes_a_text_the_hosts_alone(
    letters: str, between: list[str]
) -> None:
    spaced = "".join(letter + gap for letter, gap in zip(letters, between, strict=False))
    assert host_only([spaced], [host(letters)], []) == ()
    assert host_only([spaced[::-1] + "x"], [host("y" + letters)], []) == ("y" + letters,)


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
    content = preflight.read(file.getvalue()).contents[0]
    assert content.text.strip("\n ") == f"({known}\\)".replace("\u00a0", " ").strip("\n ")
    assert content.faults == ()
