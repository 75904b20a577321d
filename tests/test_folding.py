from __future__ import annotations

from functools import cache
from io import BytesIO

import page as page_validation
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder import finished, formats, preflight, reading, templates
from kit_builder.booklet import Booklet, Kit
from kit_builder.errors import KitError
from kit_builder.folding import Fold, fold
from kit_builder.formats import Format
from kit_builder.frontmatter import Wording
from kit_builder.printing import Printing
from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import draw_word, set_word
from kit_builder.units import INCH, MM
from tests.content_streams import unmarked

A4, A5 = formats.PAPERS["a4"], formats.PAPERS["a5"]
HALF_LETTER = Format("half-letter", 5.5 * INCH, 8.5 * INCH)
FLIP = "two-sided, flip on short edge"


@cache
def kit(pages: int, paper: Format = A5) -> bytes:
    """Pages that say their numbers, a ruler of 100 mm on each, and one element over all pages."""
    file, root = BytesIO(), Element("Document")
    part = root.add("Part", title="Rules")
    whole = part.add("P")
    size = paper.width, paper.height
    canvas = TaggedCanvas(file, size, root, language="en", title="A")
    for number in range(pages):
        if not number:
            canvas.outline("Rules")
        with canvas.marked(whole):
            draw_word(canvas, set_word(f"leaf {number} (/MCID 7)", False), 12, 50, 200)
        with canvas.marked(part.add("P")):
            draw_word(canvas, set_word("more", False), 12, 50, 100)
        canvas.line(20, 50, 20 + 100 * MM, 50)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


@cache
def booklet(pages: int, paper: Format = A5) -> bytes:
    wording = Wording("Games", "en", reading.words("en", templates.read()))
    made = Booklet([Kit("a", "A", "en", "player", [False] * pages)], wording, Printing(paper))
    return made.bind([kit(pages, paper)])


@cache
def folded() -> bytes:
    return fold(booklet(7), Fold(A4, FLIP, creep=0.1 * MM))


def halves(pdf: bytes, number: int) -> tuple[str, str]:
    sheet = pypdfium2.PdfDocument(pdf)[number]
    text = sheet.get_textpage()
    width, height = sheet.get_size()
    left = text.get_text_bounded(0, 0, width / 2 - 5, height)
    return left, text.get_text_bounded(width / 2 + 5, 0, width, height)


def test_sheets_pass_the_preflight() -> None:
    expected = preflight.Expectation([(A4.height, A4.width)], "en", "Games", ["Contents", "A"])
    preflight.check(finished.read(folded()), expected)


def test_sheets_pass_every_machine_rule_of_pdf_ua_1() -> None:
    report = page_validation.validate_pdf_bytes(folded(), profile="ua1")
    assert [f"{each.rule_id}: {each.message}" for each in report.failures] == []
    assert unmarked(folded()) == []


def test_a_folded_booklet_of_eleven_pages_reads_in_order() -> None:
    document = pypdfium2.PdfDocument(folded())
    assert len(document) == 6
    leaves: list[str] = [""] * 12
    for sheet in range(3):
        (last, first), (second, before) = (
            halves(folded(), 2 * sheet),
            halves(folded(), 2 * sheet + 1),
        )
        # The front's right half is turned over with the back's left half behind it.
        leaves[2 * sheet], leaves[2 * sheet + 1] = first, second
        leaves[10 - 2 * sheet], leaves[11 - 2 * sheet] = before, last
    assert "Games" in leaves[0]
    assert "Contents" in leaves[2]
    for number in range(7):
        assert f"leaf {number} " in leaves[4 + number]
    assert not leaves[1].strip() and not leaves[3].strip() and not leaves[11].strip()


def test_what_the_sheets_are_tagged_as_reads_in_the_order_of_the_pages() -> None:
    found = finished.read(folded())
    texts = [
        text
        for element in found.elements
        for page, mcid in element.content
        for inside, text in found.contents[page].pieces
        if inside == mcid and "leaf" in text
    ]
    assert [text.split()[1] for text in texts] == [str(number) for number in range(7)]


def test_a_string_that_looks_like_a_mark_is_left_as_it_is() -> None:
    whole = "".join(each.text for each in finished.read(folded()).contents)
    assert whole.count("(/MCID 7)") == 7


def test_pages_are_printed_at_full_size_and_creep_towards_the_fold() -> None:
    found = finished.read(folded())
    for number, depth in ((0, 0), (2, 1), (4, 2)):
        content = found.entry(found.pages[number], "/Contents").content.decode("latin-1")
        moves = [
            line.split()[1:7] for line in content.splitlines() if line.startswith("q 1 0 0 1 ")
        ]
        shifts = sorted(float(move[4]) for move in moves)
        right = A4.height / 2 - depth * 0.1 * MM
        assert shifts[-1] == pytest.approx(right, abs=0.001)
        if len(shifts) == 2:
            left = A4.height / 2 - A5.width + depth * 0.1 * MM
            assert shifts[0] == pytest.approx(left, abs=0.001)


def test_the_printer_is_told_to_flip_along_the_short_edge() -> None:
    found = finished.read(folded())
    preferences = found.entry(found.catalog, "/ViewerPreferences")
    assert preferences["/Duplex"] == "/DuplexFlipShortEdge"
    assert preferences["/PrintScaling"] == "/None"
    fronts = [each.text for each in found.contents[::2]]
    assert all(FLIP.split(",")[0] in text for text in fronts)


def test_labels_name_the_pages_of_each_side() -> None:
    labels = finished.read(folded()).labels
    assert labels == ["–, 1", "2, 11", "10, 3", "4, 9", "8, 5", "6, 7"]


def test_links_of_the_contents_lie_on_their_lines_and_lead_on() -> None:
    found = finished.read(folded())
    (side,) = (each for each in found.pages if "/Annots" in each)
    assert found.pages.index(side) == 2  # page 3 is on the front of the second sheet
    (link,) = map(found.resolved, found.entry(side, "/Annots"))
    assert link["/Rect"][0] > A4.height / 2
    assert found.pages.index(found.resolved(link["/Dest"][0])) == 4


def test_half_letter_folds_out_of_letter() -> None:
    letter = formats.PAPERS["letter"]
    pdf = fold(booklet(4, HALF_LETTER), Fold(letter, FLIP))
    width, height = pypdfium2.PdfDocument(pdf)[0].get_size()
    assert (width, height) == pytest.approx((letter.height, letter.width), abs=0.01)


def test_signatures_are_folded_one_by_one() -> None:
    labels = finished.read(fold(booklet(12), Fold(A4, FLIP, sheets=2))).labels
    assert labels[:4] == ["8, 1", "2, 7", "6, 3", "4, 5"]
    assert labels[4] == "16, 9"


def test_the_same_booklet_gives_the_same_sheets() -> None:
    assert fold(booklet(7), Fold(A4, FLIP, creep=0.1 * MM)) == folded()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (Fold(A5, FLIP), "do not fit on A5; use a larger --paper"),
        (Fold(A4, FLIP, creep=3 * MM), "creep by 6 mm; use a smaller --signature"),
    ],
)
def test_what_cannot_be_folded_is_refused(how: Fold, message: str) -> None:
    with pytest.raises(KitError, match=message):
        fold(booklet(7), how)


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 30), st.none() | st.integers(1, 4))
def test_every_page_is_on_a_side_once(pages: int, sheets: int | None) -> None:
    found = finished.read(fold(booklet(pages), Fold(A4, FLIP, sheets=sheets)))
    numbers = [each for label in found.labels for each in label.split(", ") if each.isdigit()]
    assert sorted(map(int, numbers)) == list(range(1, pages + 5))
    assert len(found.pages) % 2 == 0
