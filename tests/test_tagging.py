"""All that is painted is marked once, and a tagged PDF says what it must about itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import page as page_validation
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf.generic import ContentStream

from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.xmp import PRODUCER
from tests.content_streams import unmarked
from tests.sample import A4, LETTER, ROOT, TITLE, begin, opened, sample


@pytest.fixture(scope="module")
def reader() -> Any:
    return opened(sample())


def marks(page: Any) -> list[str]:
    """The marks and painting of a page in order, such as "P 0", "Artifact", "S", "EMC"."""
    found = []
    for operands, operator in ContentStream(page, None).operations:
        if operator == b"BDC":
            found.append(f"{operands[0][1:]} {operands[1]['/MCID']}")
        elif operator == b"BMC":
            found.append(operands[0][1:])
        elif operator in (b"EMC", b"q", b"Q", b"S", b"Tj", b"Do"):
            found.append(operator.decode())
    return found


def drawn(*steps: Callable[[TaggedCanvas], object]) -> list[str]:
    root = Element("Document")
    canvas, file = begin(root)
    with canvas.marked(root.add("P")):
        canvas.drawString(10, 10, "text")
    for step in steps:
        step(canvas)
    canvas.save()
    assert unmarked(file.getvalue()) == []
    (page,) = opened(file.getvalue()).pages
    return marks(page.get_contents())[3:]


# --- Marked content


def test_all_that_is_painted_is_marked_once() -> None:
    assert unmarked(sample()) == []


def test_the_walker_sees_what_is_unmarked_nested_or_unbalanced() -> None:
    def faults(code: bytes) -> list[str]:
        root = Element("Document")
        canvas, file = begin(root)
        with canvas.marked(root.add("P")):
            canvas.drawString(10, 10, "text")
        canvas._code[:] = [code.decode()]
        canvas._artifact_start = 1
        canvas.save()
        return unmarked(file.getvalue())

    assert faults(b"/Artifact BMC 0 0 1 1 re f EMC /P <</MCID 0>> BDC n EMC") == []
    assert "painted without a mark" in faults(b"0 0 1 1 re f")[0]
    assert "painted without a mark" in faults(b"/Span <</Lang (en)>> BDC 0 0 m S EMC")[0]
    assert "inside Artifact" in faults(b"/Artifact BMC /P <</MCID 0>> BDC EMC EMC")[0]
    assert "crosses" in faults(b"q /Artifact BMC Q EMC")[0]
    assert "never closed" in faults(b"/Artifact BMC")[0]
    assert "closes nothing" in faults(b"EMC")[0]


def test_what_is_not_drawn_for_an_element_is_an_artifact() -> None:
    assert drawn(lambda canvas: canvas.line(0, 0, 9, 9)) == ["Artifact", "S", "EMC"]


def test_what_paints_nothing_gets_no_mark() -> None:
    assert (
        drawn(lambda canvas: canvas.setLineWidth(2), lambda canvas: canvas.setFont("Andika", 9))
        == []
    )


def test_an_element_for_which_nothing_is_painted_stays_empty() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    row = root.add("Table").add("TR")
    blank, written = row.add("TD"), row.add("TD")
    with canvas.marked(blank):
        canvas.setFillGray(0.5)
    with canvas.marked(written):
        canvas.drawString(10, 10, "text")
    canvas.save()
    assert (blank.content, written.content) == ([], [(0, 0)])
    assert marks(opened(file.getvalue()).pages[0].get_contents()) == ["TD 0", "Tj", "EMC"]


def test_graphics_states_and_marks_never_cross() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.line(0, 0, 1, 1)
    canvas.saveState()
    canvas.line(0, 0, 2, 2)
    canvas.saveState()
    canvas.line(0, 0, 3, 3)
    canvas.restoreState()
    with canvas.marked(root.add("P")):
        canvas.drawString(0, 0, "text")
    canvas.line(0, 0, 4, 4)
    canvas.restoreState()
    canvas.line(0, 0, 5, 5)
    canvas.save()
    assert unmarked(file.getvalue()) == []
    (page,) = opened(file.getvalue()).pages
    artifact = ["Artifact", "S", "EMC"]
    assert marks(page.get_contents()) == [
        *artifact, "q", "Artifact", "S", "q", "S", "Q", "EMC",
        "P 0", "Tj", "EMC", *artifact, "Q", *artifact,
    ]  # fmt: skip


def test_a_text_object_belongs_to_where_it_is_drawn() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    text = canvas.beginText(10, 10)
    text.textLine("a line")
    with canvas.marked(root.add("P")):
        canvas.drawText(text)
    canvas.save()
    (page,) = opened(file.getvalue()).pages
    assert marks(page.get_contents()) == ["P 0", "Tj", "EMC"]


def test_a_form_defined_within_a_marked_element_leaves_the_page_whole() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.line(0, 0, 1, 1)
    with canvas.marked(root.add("Figure", alt="A card")):
        canvas.beginForm("card", 0, 0, 10, 10)
        canvas.rect(1, 1, 8, 8)
        canvas.endForm()
        canvas.doForm("card")
    canvas.save()
    assert unmarked(file.getvalue()) == []
    (page,) = opened(file.getvalue()).pages
    assert marks(page.get_contents()) == ["Artifact", "S", "EMC", "Figure 0", "Do", "EMC"]


def test_marking_inside_a_mark_or_a_form_is_refused() -> None:
    root = Element("Document")
    canvas, _ = begin(root)
    with (
        pytest.raises(RuntimeError, match="marked inside Document > P"),
        canvas.marked(root.add("P")),
        canvas.marked(root.add("H1")),
    ):
        pass
    canvas, _ = begin(root)
    canvas.beginForm("card")
    with pytest.raises(RuntimeError, match="inside a form"), canvas.marked(root.add("P")):
        pass


def test_a_page_does_not_end_inside_a_mark_or_a_form() -> None:
    root = Element("Document")
    canvas, _ = begin(root)
    with pytest.raises(RuntimeError, match="ends inside"), canvas.marked(root.add("P")):
        canvas.showPage()
    canvas, _ = begin(root)
    canvas.beginForm("card")
    with pytest.raises(RuntimeError, match="ends inside a form"):
        canvas.showPage()


def test_a_mark_ends_in_the_graphics_state_in_which_it_began() -> None:
    root = Element("Document")
    canvas, _ = begin(root)
    with (
        pytest.raises(RuntimeError, match="another page, form or graphics state"),
        canvas.marked(root.add("P")),
    ):
        canvas.saveState()


def test_nothing_is_drawn_for_an_element_that_only_groups() -> None:
    root = Element("Document")
    canvas, _ = begin(root)
    with pytest.raises(ValueError, match="nothing is drawn for a L "), canvas.marked(root.add("L")):
        pass


def test_a_form_name_that_would_lose_the_form_is_refused() -> None:
    canvas, _ = begin(Element("Document"))
    with pytest.raises(ValueError, match="form name 'sí'"):
        canvas.beginForm("sí")


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["line", "state", "save", "restore", "mark", "form", "page"]), max_size=25
    )
)
def test_any_order_of_drawing_is_marked_once(steps: list[str]) -> None:
    root = Element("Document")
    canvas, file = begin(root)
    canvas.beginForm("form", 0, 0, 9, 9)
    canvas.line(0, 0, 9, 9)
    canvas.endForm()
    for step in (*steps, "mark"):
        if step == "line":
            canvas.line(0, 0, 9, 9)
        elif step == "state":
            canvas.setLineWidth(2)
        elif step == "save":
            canvas.saveState()
        elif step == "restore" and canvas.state_stack:
            canvas.restoreState()
        elif step == "form":
            canvas.doForm("form")
        elif step in ("mark", "page"):
            with canvas.marked(root.add("P")):
                canvas.drawString(1, 1, "text")
        if step == "page":
            while canvas.state_stack:
                canvas.restoreState()
            canvas.showPage()
    while canvas.state_stack:
        canvas.restoreState()
    canvas.save()
    assert unmarked(file.getvalue()) == []


# --- The tree


def tree(element: Any) -> list[Any]:
    kids = [kid.get_object() for kid in element.get("/K", [])]
    inner = [tree(kid) for kid in kids if isinstance(kid, dict) and "/S" in kid]
    return [element["/S"], *inner]


def test_reading_order_is_that_of_the_tree_not_of_drawing(reader: Any) -> None:
    root = reader.root_object["/StructTreeRoot"]["/K"]
    rules, cards, record = tree(root)[1:]
    items = ["/LI", ["/Lbl"], ["/LBody"]]
    assert rules == ["/Part", ["/H1"], ["/P"], ["/L", items, items]]
    assert cards == ["/Part", ["/H2"], ["/Figure"], ["/Figure"]]
    row = ["/TR", ["/TH"], ["/TD"]]
    head = ["/THead", ["/TR", ["/TH"], ["/TH"]]]
    assert record == ["/Part", ["/Table", head, ["/TBody", row, row, row]]]


def test_a_paragraph_on_two_pages_is_one_element(reader: Any) -> None:
    rules = reader.root_object["/StructTreeRoot"]["/K"]["/K"][0]
    paragraph = rules["/K"][1]
    first, second = paragraph["/K"]
    assert paragraph.raw_get("/Pg") == reader.pages[0].indirect_reference
    assert first == 5
    assert second.raw_get("/Pg") == reader.pages[1].indirect_reference
    assert second["/MCID"] == 0


def test_attributes_are_written(reader: Any) -> None:
    rules, cards, record = reader.root_object["/StructTreeRoot"]["/K"]["/K"]
    figure = cards["/K"][1]
    assert rules["/T"] == "Rules"
    assert rules["/K"][2]["/A"] == {"/O": "/List", "/ListNumbering": "/Decimal"}
    assert figure["/Alt"] == "Card Safe, copy 1 of 2"
    assert [float(edge) for edge in figure["/A"]["/BBox"]] == [60, 500, 160, 640]
    table = record["/K"][0]
    column = table["/K"][0]["/K"][0]["/K"][0]
    row = table["/K"][1]["/K"][0]["/K"][0]
    assert column["/A"] == {"/O": "/Table", "/Scope": "/Column"}
    assert row["/A"] == {"/O": "/Table", "/Scope": "/Row"}


def test_an_element_may_have_a_language_of_its_own() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    with canvas.marked(root.add("P", language="ca")):
        canvas.drawString(1, 1, "col·lecció")
    canvas.save()
    document = opened(file.getvalue()).root_object["/StructTreeRoot"]["/K"]
    assert document["/K"][0]["/Lang"] == "ca"


def test_a_tree_that_breaks_a_rule_is_not_saved() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    with canvas.marked(root.add("H2")):
        canvas.drawString(1, 1, "text")
    with pytest.raises(ValueError, match="level 0"):
        canvas.save()
    assert file.getvalue() == b""


def test_drawing_for_an_element_outside_the_tree_is_refused() -> None:
    root = Element("Document")
    root.add("Part").add("Table").add("TR").add("TD")
    canvas, _ = begin(root)
    with canvas.marked(Element("P")):
        canvas.drawString(1, 1, "text")
    with pytest.raises(ValueError, match="drawn for P, which is not in the tree"):
        canvas.save()


# --- The document


def test_the_document_says_its_language_title_and_scale(reader: Any) -> None:
    catalog = reader.root_object
    assert reader.pdf_header == "%PDF-1.7"
    assert catalog["/Lang"] == "en"
    assert catalog["/ViewerPreferences"] == {"/PrintScaling": "/None", "/DisplayDocTitle": True}
    assert catalog["/MarkInfo"] == {"/Marked": True}
    assert reader.metadata == {"/Title": TITLE, "/Producer": PRODUCER}
    assert reader.xmp_metadata.dc_title == {"x-default": TITLE, "en": TITLE}


def test_duplex_is_preselected_on_request() -> None:
    root = Element("Document")
    canvas, file = begin(root, duplex="DuplexFlipLongEdge")
    with canvas.marked(root.add("P")):
        canvas.drawString(1, 1, "text")
    canvas.save()
    preferences = opened(file.getvalue()).root_object["/ViewerPreferences"]
    assert preferences["/Duplex"] == "/DuplexFlipLongEdge"


def test_bookmarks_lead_to_their_pages(reader: Any) -> None:
    rules, cards, (safe,), record = reader.outline
    assert [each.title for each in (rules, cards, safe, record)] == [
        "Rules", "Cards", "Safe", "Record",
    ]  # fmt: skip
    assert reader.get_destination_page_number(rules) == 0
    assert reader.get_destination_page_number(record) == 1


def test_a_page_without_a_label_of_its_own_has_its_number(reader: Any) -> None:
    assert reader.page_labels == ["Rules 1", "2"]


def test_every_page_has_the_boxes_of_its_own_size() -> None:
    root = Element("Document")
    canvas, file = begin(root)
    for size in (A4, LETTER, A4[::-1]):
        canvas.setPageSize(size)
        with canvas.marked(root.add("P")):
            canvas.drawString(1, 1, "text")
        canvas.showPage()
    canvas.save()
    pages = opened(file.getvalue()).pages
    assert len(pages) == 3
    for page, size in zip(pages, (A4, LETTER, A4[::-1]), strict=True):
        for box in (page.mediabox, page.cropbox, page.trimbox):
            assert [float(edge) for edge in box] == pytest.approx([0, 0, *size], abs=0.001)
        assert "/Rotate" not in page


def test_only_the_fonts_that_are_used_are_in_the_file(reader: Any) -> None:
    fonts = reader.pages[0]["/Resources"]["/Font"]
    names = {font.get_object()["/BaseFont"].partition("+")[2] for font in fonts.values()}
    assert names == {"Andika", "Andika-Bold", "DejaVuSans"}


def test_text_is_read_as_it_was_written_beyond_the_basic_plane(reader: Any) -> None:
    assert "A bid \u2605 \U0001f0a1 that goes on" in reader.pages[0].extract_text()


def test_streams_are_compressed_and_not_wrapped_in_ascii() -> None:
    pdf = sample()
    assert b"ASCII85Decode" not in pdf
    assert b"Tj" not in pdf


def test_the_file_identifier_follows_from_the_content() -> None:
    def identifier(text: str) -> Any:
        root = Element("Document")
        canvas, file = begin(root)
        with canvas.marked(root.add("P")):
            canvas.drawString(1, 1, text)
        canvas.save()
        return opened(file.getvalue()).trailer["/ID"]

    assert identifier("one") == identifier("one")
    assert identifier("one") != identifier("two")


def test_the_same_bytes_in_every_process() -> None:
    program = (
        "import hashlib; from tests.sample import sample;"
        "print(hashlib.sha256(sample()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {hashlib.sha256(sample()).hexdigest()}


def test_the_sample_passes_every_machine_rule_of_pdf_ua_1() -> None:
    report = page_validation.validate_pdf_bytes(sample(), profile="ua1")
    assert [f"{failure.rule_id}: {failure.message}" for failure in report.failures] == []
    assert report.is_compliant
    assert report.rules.total >= 100
