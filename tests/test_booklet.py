from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import page as page_validation
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder import build, finished, formats, preflight, press, reading, templates
from kit_builder.booklet import Booklet, Kit, Plan
from kit_builder.desk import Desk
from kit_builder.errors import KitError
from kit_builder.finished import Finished
from kit_builder.frontmatter import Wording
from kit_builder.printing import Printing
from kit_builder.variants import Options
from tests.content_streams import unmarked

ACTIVITIES = Path(__file__).parent.parent / "activities"
A4 = formats.PAPERS["a4"]
SLUGS = ("follow-suit-tricks", "hidden-dice-count-calls", "match-and-shed-hands")
TITLE = "Games of class 4"
WORDING = Wording(TITLE, "en", reading.words("en", templates.read()), school="Escola Nova")


def cards_of(path: Path, edition: str, language: str) -> list[bool]:
    """Which pages of a kit are for card stock."""
    (variant,) = Options(editions=(edition,)).variants()
    kit = press.prepare(Desk(path.parent).material(path, language))
    return [side.card_stock for side in press.make_up(kit, variant).sides]


@cache
def kits(edition: str = "player", language: str = "en") -> tuple[list[Kit], list[bytes]]:
    options = Options(editions=(edition,), languages=(language,))
    made, pdfs = [], []
    for result in build.build([ACTIVITIES / f"{slug}.yaml" for slug in SLUGS], options):
        assert not result.faults
        (output,) = result.outputs
        title = finished.read(output.pdf).info["/Title"]
        alone = cards_of(ACTIVITIES / result.path.name, edition, language)
        made.append(Kit(str(result.path), str(title), language, edition, alone))
        pdfs.append(output.pdf)
    return made, pdfs


@cache
def bound() -> tuple[Booklet, bytes]:
    made, pdfs = kits()
    booklet = Booklet(made, WORDING, Printing())
    return booklet, booklet.bind(pdfs)


@cache
def read() -> Finished:
    return finished.read(bound()[1])


def text(pdf: bytes, number: int) -> str:
    document = pypdfium2.PdfDocument(pdf)
    found: str = document[number].get_textpage().get_text_range()
    return found


def picture(pdf: bytes, number: int) -> bytes:
    return bytes(pypdfium2.PdfDocument(pdf)[number].render(scale=1).buffer)


def test_a_booklet_passes_the_preflight_of_its_parts() -> None:
    booklet, _ = bound()
    size = A4.width, A4.height
    preflight.check(read(), preflight.Expectation([size], "en", TITLE, booklet.sections))


def test_a_booklet_passes_every_machine_rule_of_pdf_ua_1() -> None:
    report = page_validation.validate_pdf_bytes(bound()[1], profile="ua1")
    assert [f"{each.rule_id}: {each.message}" for each in report.failures] == []
    assert report.is_compliant


def test_all_that_is_painted_is_marked_once() -> None:
    assert unmarked(bound()[1]) == []


def test_the_same_kits_give_the_same_bytes() -> None:
    made, pdfs = kits()
    assert Booklet(made, WORDING, Printing()).bind(pdfs) == bound()[1]


def test_viewers_are_told_not_to_scale_and_how_to_turn_the_sheets() -> None:
    preferences = read().entry(read().catalog, "/ViewerPreferences")
    assert preferences["/PrintScaling"] == "/None"
    assert preferences["/Duplex"] == "/DuplexFlipLongEdge"
    assert bound()[1].startswith(b"%PDF-1.7")


def test_every_page_looks_and_reads_as_in_its_kit() -> None:
    (_, pdfs), (booklet, pdf) = kits(), bound()
    for number, place in enumerate(booklet.plan.pages, start=booklet.plan.front):
        if place is None:
            assert not text(pdf, number).strip()
            continue
        kit, page = place
        assert text(pdf, number) == text(pdfs[kit], page)
        assert picture(pdf, number) == picture(pdfs[kit], page)


def test_each_activity_starts_on_a_right_hand_page() -> None:
    booklet, pdf = bound()
    for kit, one in enumerate(kits()[0]):
        first = booklet.plan.numbers(kit)[0]
        assert first % 2 == 1
        assert one.title in text(pdf, first - 1)


def test_nothing_is_printed_behind_what_is_cut_up() -> None:
    plan = bound()[0].plan
    for kit, one in enumerate(kits()[0]):
        for number, alone in zip(plan.numbers(kit), one.alone, strict=True):
            if alone:
                assert number % 2 == 1
                assert plan.pages[number - plan.front] is None


def test_fronts_and_backs_of_a_kit_stay_together() -> None:
    made = [Kit("a", "A", "en", "player", [False, False, True, True, True], duplex=True)] * 2
    pages = Booklet(made, WORDING, Printing()).plan.pages
    assert pages == ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), None, *((1, n) for n in range(5)))


def test_the_contents_lead_to_each_activity() -> None:
    booklet, pdf = bound()
    found = read()
    (page,) = (each for each in found.pages if "/Annots" in each)
    links = [found.resolved(each) for each in found.entry(page, "/Annots")]
    numbers = [booklet.plan.numbers(kit)[0] for kit in range(len(kits()[0]))]
    leads = [found.pages.index(found.resolved(link["/Dest"][0])) + 1 for link in links]
    assert leads == numbers
    lines = text(pdf, 2)
    for kit, number in zip(kits()[0], numbers, strict=True):
        assert re.search(rf"{re.escape(kit.title)}\s+{number}\b", lines)


def test_each_link_is_named_and_tagged() -> None:
    found = read()
    parents = found.entry(found.catalog, "/StructTreeRoot", "/ParentTree", "/Nums")
    owners = dict(zip(parents[::2], parents[1::2], strict=True))
    for page in found.pages:
        for link in map(found.resolved, page.get("/Annots", ())):
            owner = found.resolved(owners[link["/StructParent"]])
            assert owner["/S"] == "/Link"
            assert any(
                found.resolved(found.resolved(kid).get("/Obj")) is link
                for kid in owner["/K"]
                if isinstance(found.resolved(kid), dict)
            )
            assert link["/Contents"] in [kit.title for kit in kits()[0]]


def test_bookmarks_are_activities_and_below_them_parts() -> None:
    document = pypdfium2.PdfDocument(bound()[1])
    marks = [
        (each.level, each.get_title(), each.get_dest().get_index()) for each in document.get_toc()
    ]
    plan = bound()[0].plan
    expected: list[tuple[int, str, int]] = [(0, "Contents", 2)]
    for kit, (one, pdf) in enumerate(zip(*kits(), strict=True)):
        numbers = plan.numbers(kit)
        expected.append((0, one.title, numbers[0] - 1))
        expected += [
            (1, each.get_title(), numbers[each.get_dest().get_index()] - 1)
            for each in pypdfium2.PdfDocument(pdf).get_toc()
        ]
    assert marks == expected


def test_pages_are_labelled_with_their_numbers() -> None:
    assert read().labels == [str(number + 1) for number in range(bound()[0].plan.total)]


def test_the_cover_says_title_and_school_and_no_date() -> None:
    cover = text(bound()[1], 0)
    assert TITLE in cover and "Escola Nova" in cover
    made, pdfs = kits()
    dated = Booklet(made, replace(WORDING, date="June 2031"), Printing()).bind(pdfs)
    assert "June 2031" in text(dated, 0)
    assert not re.search(r"\b20\d\d\b", cover)


def test_the_structure_is_a_document_for_each_activity_in_order() -> None:
    found = read()
    root = found.elements[0]
    documents = [found.resolved(each) for each in root.entries["/K"]]
    assert {each["/S"] for each in (root.entries, *documents)} == {"/Document"}
    assert [each["/T"] for each in documents] == [TITLE, *(kit.title for kit in kits()[0])]


def test_an_activity_in_another_language_says_so() -> None:
    (english, pdfs), (catalan, others) = kits(), kits(language="ca")
    both = Booklet([english[0], catalan[1]], WORDING, Printing()).bind([pdfs[0], others[1]])
    found = finished.read(both)
    parts = [found.resolved(each) for each in found.elements[0].entries["/K"]]
    assert [each.get("/Lang") for each in parts] == [None, None, "ca"]


def test_each_font_is_stored_once() -> None:
    objects = read().objects.values()
    programs = [each for each in objects if isinstance(each, dict) and "/Length1" in each]
    names = {
        str(each["/FontName"])
        for each in objects
        if isinstance(each, dict) and each.get("/Type") == "/FontDescriptor"
    }
    assert len(programs) == len(names) <= 4


def test_three_kits_take_little_more_than_half_of_their_files() -> None:
    # Fonts are half of a kit. The more kits, the less of a booklet they are: of fifty, 40 %.
    made, pdfs = kits()
    assert len(bound()[1]) < 0.55 * sum(map(len, pdfs))
    more, catalan = kits(language="ca")
    both = Booklet([*made, *more], WORDING, Printing()).bind([*pdfs, *catalan])
    assert len(both) < 0.4 * sum(map(len, [*pdfs, *catalan]))


def test_editions_are_never_mixed() -> None:
    player, host = kits()[0][0], kits("host")[0][0]
    with pytest.raises(KitError, match=r"this is the host edition.*make a booklet of each"):
        Booklet([player, host], WORDING, Printing())
    with pytest.raises(KitError, match="name at least one activity"):
        Booklet([], WORDING, Printing())


def test_every_page_of_a_host_booklet_says_so() -> None:
    made, pdfs = kits("host")
    banner = str(WORDING.words["host-banner"])
    booklet = Booklet(made, replace(WORDING, banner=banner), Printing())
    pdf = booklet.bind(pdfs)
    for number in range(booklet.plan.total):
        place = number - booklet.plan.front
        blank = number in (1, 3) if place < 0 else booklet.plan.pages[place] is None
        assert (banner in text(pdf, number)) != blank
    assert unmarked(pdf) == []


def test_a_kit_that_is_not_as_planned_is_refused() -> None:
    made, pdfs = kits()
    with pytest.raises(ValueError, match="as planned"):
        Booklet(made, WORDING, Printing()).bind([pdfs[1], pdfs[0], pdfs[2]])
    with pytest.raises(ValueError, match="/MediaBox"):
        Booklet(made, WORDING, Printing(formats.PAPERS["letter"])).bind(pdfs)


def test_long_contents_go_on_on_the_next_page() -> None:
    one = Kit("a", "Activity", "en", "player", [False], note="Cards: activity.cards.pdf")
    many = [replace(one, title=f"Activity {number}") for number in range(60)]
    plan = Booklet(many, WORDING, Printing()).plan
    assert plan.front > 4
    assert plan.front % 2 == 0


def test_a_title_that_does_not_fit_is_refused() -> None:
    with pytest.raises(KitError, match=r"too wide for the page.*shorten the word"):
        Booklet(kits()[0], replace(WORDING, title="Wide" * 40), Printing())


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=6))
def test_every_page_of_every_kit_stands_once_and_in_order(sizes: list[list[bool]]) -> None:
    made = [Kit("a", f"A {n}", "en", "player", alone) for n, alone in enumerate(sizes)]
    plan: Plan = Booklet(made, WORDING, Printing()).plan
    pages: list[Any] = [page for page in plan.pages if page is not None]
    assert pages == [(kit, page) for kit, alone in enumerate(sizes) for page in range(len(alone))]
    for kit, alone in enumerate(sizes):
        numbers = plan.numbers(kit)
        assert numbers[0] % 2 == 1
        assert all(number % 2 for number, cut in zip(numbers, alone, strict=True) if cut)


def test_blank_pages_are_pages() -> None:
    found = read()
    for number, place in enumerate(bound()[0].plan.pages, start=bound()[0].plan.front):
        if place is None:
            assert found.contents[number].text == ""
            assert "/StructParents" in found.pages[number]
