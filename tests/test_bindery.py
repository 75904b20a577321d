"""Booklets as a teacher orders them: what is typed, and what is in the files that come of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import page as page_validation
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner, Result

from kit_builder import arguments, binding, cli, finished, formats, preflight
from tests.content_streams import unmarked
from tests.sample import FONT
from tests.small_kits import deck, write

ACTIVITIES = Path(__file__).parent.parent / "activities"
SLUGS = ("follow-suit-tricks", "hidden-trap-bid")
TITLES = ("Follow-suit tricks", "Hidden trap bid")
PARTS = ("Rules", "Cards", "Records", "Label")
A4 = formats.PAPERS["a4"]
SECRET = "KIT_BUILDER_PASSWORD"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.app, ["booklet", *map(str, arguments)])


@cache
def bound(*arguments: str, slugs: tuple[str, ...] = SLUGS) -> dict[str, bytes]:
    """The files that come of a command, by name; the booklet is called "booklet.pdf"."""
    with TemporaryDirectory() as folder:
        paths = [ACTIVITIES / f"{slug}.yaml" for slug in slugs]
        result = run(*paths, *arguments, "--out", Path(folder) / "booklet.pdf")
        assert result.exit_code == 0, result.output
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def plain() -> bytes:
    return bound("--title", "Games", "--school", "Escola Nova")["booklet.pdf"]


def folded() -> bytes:
    return bound("--fold", "--creep", "0.1 mm", "--signature", "2")["booklet.pdf"]


def texts(pdf: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]


def marks(pdf: bytes) -> list[tuple[int, str, int]]:
    """Depth, title and page, from 1, of each bookmark."""
    document = pypdfium2.PdfDocument(pdf)
    return [
        (each.level, each.get_title(), each.get_dest().get_index() + 1)
        for each in document.get_toc()
    ]


def own_pages(path: Path, *said: str, size: tuple[float, float] = (300, 400)) -> Path:
    """A PDF of somebody else's, with one page for each text."""
    canvas = Canvas(str(path), pagesize=size, initialFontName=FONT)
    for text in said:
        canvas.setFont(FONT, 12)
        canvas.drawString(40, 200, text)
        canvas.showPage()
    canvas.save()
    return path


def game(folder: Path, slug: str, **fields: Any) -> Path:
    return write(folder, deck(2), slug=slug, title=f"Game {slug}", **fields)


def test_each_page_has_its_number_in_the_booklet() -> None:
    pages = texts(plain())
    for number, text in enumerate(pages, start=1):
        found = re.findall(r"Page (\d+) of (\d+)", text)
        assert found == ([(str(number), str(len(pages)))] if text.strip() else [])


def test_each_activity_starts_on_the_right_hand_page_that_the_contents_name() -> None:
    found = finished.read(plain())
    pages = texts(plain())
    starts = [int(re.search(rf"{title}\s+(\d+)", pages[2])[1]) for title in TITLES]  # type: ignore[index]
    for title, start in zip(TITLES, starts, strict=True):
        assert start % 2 == 1
        assert pages[start - 1].startswith(title)
    links = [found.resolved(each) for each in found.entry(found.pages[2], "/Annots")]
    leads = [found.pages.index(found.resolved(link["/Dest"][0])) + 1 for link in links]
    assert leads == starts


def test_bookmarks_are_activities_and_their_parts() -> None:
    titles = [(depth, title) for depth, title, _ in marks(plain())]
    parts = [(1, part) for part in PARTS]
    assert titles == [(0, "Contents"), (0, TITLES[0]), *parts, (0, TITLES[1]), *parts]


def test_what_merging_drops_is_there_again() -> None:
    found = finished.read(plain())
    sections = ["Contents", *TITLES]
    preflight.check(found, preflight.Expectation([(A4.width, A4.height)], "en", "Games", sections))
    preferences = found.entry(found.catalog, "/ViewerPreferences")
    assert (preferences["/PrintScaling"], preferences["/Duplex"]) == (
        "/None",
        "/DuplexFlipLongEdge",
    )
    assert found.labels == [str(number + 1) for number in range(len(found.pages))]
    assert unmarked(plain()) == []


@pytest.mark.parametrize("pdf", [plain, folded])
def test_a_booklet_passes_every_machine_rule_of_pdf_ua_1(pdf: Any) -> None:
    report = page_validation.validate_pdf_bytes(pdf(), profile="ua1")
    assert [f"{each.rule_id}: {each.message}" for each in report.failures] == []


@pytest.mark.parametrize("arguments", [(), ("--fold",)])
def test_the_same_command_gives_the_same_bytes(arguments: tuple[str, ...]) -> None:
    first = bound(*arguments)
    bound.cache_clear()
    assert bound(*arguments) == first


def test_the_cover_says_title_school_and_date_if_they_are_given() -> None:
    cover = texts(plain())[0]
    assert "Games" in cover and "Escola Nova" in cover
    assert not re.search(r"20\d\d", cover)
    other = texts(bound("--date", "June 2031", slugs=SLUGS[:1])["booklet.pdf"])[0]
    assert "Activities" in other and "June 2031" in other


def test_a_host_booklet_says_so_on_every_page() -> None:
    pages = texts(bound("--edition", "host")["booklet.pdf"])
    assert all("HOST KEY" in text for text in pages if text.strip())
    assert not any("HOST KEY" in text for text in texts(plain()))


def test_a_booklet_is_in_the_language_of_most_activities_or_in_the_one_named() -> None:
    english = bound(slugs=("codi-i-comprovadors", *SLUGS))["booklet.pdf"]
    assert str(finished.read(english).catalog["/Lang"]) == "en"
    assert "Code and checkers" in texts(english)[2]
    catalan = bound("--language", "ca", slugs=SLUGS[:1])["booklet.pdf"]
    assert str(finished.read(catalan).catalog["/Lang"]) == "ca"
    assert "Pàgina 5 de" in texts(catalan)[4]


def test_a_language_in_which_an_activity_is_not_written_is_a_fault_of_it(tmp_path: Path) -> None:
    paths = [game(tmp_path, slug) for slug in "ab"]
    result = run(*paths, "--language", "fr", "--out", tmp_path / "x.pdf")
    assert result.exit_code == 1
    assert re.findall(r'(\w)\.yaml:\S+ there is no "fr" translation', result.output) == ["a", "b"]
    assert not (tmp_path / "x.pdf").exists()


def test_sheets_to_fold_read_in_order() -> None:
    document = pypdfium2.PdfDocument(folded())
    across = max(A4.width, A4.height)
    halves = []
    for sheet in document:
        assert sheet.get_size() == pytest.approx((A4.height, A4.width), abs=0.01)
        text = sheet.get_textpage()
        sides = (0, 0, across / 2 - 5, A4.width), (across / 2 + 5, 0, across, A4.width)
        halves.append([text.get_text_bounded(*side) for side in sides])
    leaves: list[str] = []
    for start in range(0, len(halves), 4):  # a signature of two sheets: four sides
        fronts, backs = halves[start : start + 4 : 2], halves[start + 1 : start + 4 : 2]
        # Turned over along the short edge, the left page of the back lies behind the right page
        # of the front; folded, the first sheet is the outermost one.
        pairs = list(zip(fronts, backs, strict=True))
        leaves += [text for front, back in pairs for text in (front[1], back[0])]
        leaves += [text for front, back in reversed(pairs) for text in (back[1], front[0])]
    numbers = [re.findall(r"Page (\d+) of", text) for text in leaves]
    assert len(leaves) % 4 == 0
    printed = [(place, found) for place, found in enumerate(numbers, start=1) if found]
    assert [found for _, found in printed] == [[str(place)] for place, _ in printed]
    assert len(printed) > 8


def test_rules_are_set_small_and_cards_follow_in_files_that_the_contents_name() -> None:
    made = bound("--fold", "--creep", "0.1 mm", "--signature", "2")
    apart = sorted(made.keys() - {"booklet.pdf"})
    # The record of the second one is too wide for a small page.
    assert apart == [
        "follow-suit-tricks.cards-label.pdf",
        "hidden-trap-bid.cards-records-label.pdf",
    ]
    contents = "".join(texts(made["booklet.pdf"]))
    for name in apart:
        assert f"Print apart, at full size: {name}" in re.sub(r"\s+", " ", contents)
        size = pypdfium2.PdfDocument(made[name])[0].get_size()
        assert size == pytest.approx((A4.width, A4.height), abs=0.01)
    found = finished.read(made["booklet.pdf"])
    assert found.entry(found.catalog, "/ViewerPreferences", "/Duplex") == "/DuplexFlipShortEdge"
    assert "two-sided, flip on short edge" in contents
    assert [title for _, title, _ in marks(made["booklet.pdf"])] == [
        *("Contents", TITLES[0], "Rules", "Records"),
        *(TITLES[1], "Rules"),
    ]


def test_letter_is_folded_to_half_letter() -> None:
    made = bound("--fold", "--paper", "Letter", slugs=SLUGS[:1])["booklet.pdf"]
    assert pypdfium2.PdfDocument(made)[0].get_size() == (792, 612)
    assert "half Letter" in "".join(texts(made))


def test_own_pages_come_before_the_activities(tmp_path: Path) -> None:
    plan = own_pages(tmp_path / "seating plan.pdf", "Window", "Door", "Board")
    out = tmp_path / "x.pdf"
    path = game(tmp_path, "a")
    result = run(path, "--insert", f"{plan}:1,3", "--out", out)
    assert result.exit_code == 0, result.output
    pages = texts(out.read_bytes())
    assert re.search(r"seating plan\s+5\s", pages[2])
    assert "Window" in pages[4] and "Board" in pages[5] and "Game a" in pages[6]
    assert "Door" not in "".join(pages)
    assert (0, "seating plan", 5) in marks(out.read_bytes())


def test_own_pages_that_do_not_fit_or_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path, out = game(tmp_path, "a"), tmp_path / "x.pdf"
    large = own_pages(tmp_path / "large.pdf", "Wall", size=(2000, 2000))
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "torn.pdf").write_bytes(large.read_bytes()[:900])
    for name, told in (
        (large, "larger than A4"),
        (tmp_path / "empty.pdf", "this file is empty"),
        (tmp_path / "torn.pdf", "this is no PDF, or a damaged one"),
        (tmp_path / "none.pdf", "cannot be read (no such file or directory)"),
        (f"{large}:7", "there is no page 7"),
    ):
        result = run(path, "--insert", name, "--out", out)
        assert (result.exit_code, told in result.output) == (1, True), result.output
    assert not out.exists()


def test_a_host_key_is_not_inserted_into_a_booklet_for_players(tmp_path: Path) -> None:
    key = tmp_path / "key.pdf"
    key.write_bytes(bound("--edition", "host")["booklet.pdf"])
    path = game(tmp_path, "a")
    refused = run(path, "--insert", key, "--out", tmp_path / "x.pdf")
    assert refused.exit_code == 1
    assert "this is a host key, and the booklet is for the players" in refused.output
    assert not (tmp_path / "x.pdf").exists()


@pytest.mark.parametrize("where", ["--title", "--school", "--insert"])
def test_a_booklet_for_players_is_searched_for_the_hosts_texts(where: str, tmp_path: Path) -> None:
    host = {
        "secrets": ["R7"],
        "sections": [{"heading": "Key", "text": "The quokka holds all four clues."}],
    }
    path, out = game(tmp_path, "a", host=host), tmp_path / "x.pdf"
    for number, text in enumerate(("the quokka holds all four clues", "it is R7")):
        if where == "--insert":
            text = str(own_pages(tmp_path / f"{number}.pdf", text))
        result = run(path, where, text, "--out", out)
        assert result.exit_code == 1
        assert "the player booklet shows" in result.output
    assert (
        run(path, where if where != "--insert" else "--title", "R 17", "--out", out).exit_code == 0
    )


def test_a_page_number_that_is_also_a_code_is_no_leak(tmp_path: Path) -> None:
    host = {"secrets": ["5"], "sections": [{"heading": "Key", "text": "Nothing more to say."}]}
    path = game(tmp_path, "a", host=host, minutes="30")
    result = run(path, "--out", tmp_path / "x.pdf")
    assert result.exit_code == 0, result.output
    assert "Page 5 of" in texts((tmp_path / "x.pdf").read_bytes())[4]


def test_a_password_shuts_the_booklet_and_is_never_an_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = game(tmp_path, "a"), tmp_path / "x.pdf"
    monkeypatch.setenv(SECRET, "hedgehog")
    result = run(path, "--edition", "host", "--password", "--title", "Keys", "--out", out)
    assert result.exit_code == 0, result.output
    assert "hedgehog" not in result.output
    reader = PdfReader(BytesIO(out.read_bytes()))
    assert reader.is_encrypted and not reader.decrypt("wrong")
    assert b"Keys" not in out.read_bytes()
    assert reader.decrypt("hedgehog")
    assert reader.metadata is not None and reader.metadata.title == "Keys"
    monkeypatch.delenv(SECRET)
    arguments = ["booklet", str(path), "--password", "--out", str(out)]
    asked = CliRunner().invoke(cli.app, arguments, input="vole\nvole\n")
    assert asked.exit_code == 0 and "vole" not in asked.output
    assert PdfReader(BytesIO(out.read_bytes())).decrypt("vole")


def test_a_build_locks_the_hosts_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = game(tmp_path, "a"), tmp_path / "out"
    monkeypatch.setenv(SECRET, "hedgehog")
    arguments = ["build", str(path), "--password", "--out", str(out)]
    assert CliRunner().invoke(cli.app, arguments).exit_code == 0
    locked = {each.name: PdfReader(each).is_encrypted for each in out.rglob("*.pdf")}
    assert locked == {"a.pdf": False, "a.host.pdf": True}
    refused = CliRunner().invoke(cli.app, [*arguments, "--only", "player"])
    assert refused.exit_code == 2
    assert "leave out --only player" in refused.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--signature", "4"), "add --fold"),
        (("--creep", "1mm"), "add --fold"),
        (("--fold", "--creep", "thick"), "is not a length"),
        (("--fold", "--creep", "2mm"), "is not from 0 to 1 mm"),
        (("--fold", "--paper", "A5"), "A5 is too small to fold"),
        (("--edition", "teacher"), 'there is no "teacher"'),
        (("--insert", "x.pdf", "--out", "x.pdf"), "x.pdf is inserted"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: Iterable[str], told: str) -> None:
    result = run(ACTIVITIES / f"{SLUGS[0]}.yaml", *arguments)
    assert result.exit_code == 2
    assert told in result.output


def test_the_faults_of_all_activities_are_told(tmp_path: Path) -> None:
    paths = [game(tmp_path, slug, rules=[{"heading": "Play", "text": "\u4e16"}]) for slug in "ab"]
    result = run(*paths, "--out", tmp_path / "x.pdf")
    assert result.exit_code == 1
    assert re.findall(r"(\w)\.yaml:\S+ no font has the character", result.output) == ["a", "b"]


@settings(max_examples=50)
@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=4), st.sampled_from(["C:\\x.pdf", "a:b.pdf"])
)
def test_a_file_to_insert_is_told_from_its_pages(pages: list[int], name: str) -> None:
    chosen = ",".join(map(str, pages))
    assert arguments.insert(f"{name}:{chosen}") == (Path(name), chosen)
    assert arguments.insert(name) == (Path(name), "")


def test_a_page_of_a_folded_booklet_is_half_a_sheet() -> None:
    names = {"a4": "A5", "a3": "A4", "letter": "half Letter", "tabloid": "Letter"}
    for paper, half in names.items():
        order = binding.Order(paper=formats.PAPERS[paper], folding=binding.Folding())
        assert order.page.name == half
    assert binding.Order().page is A4
    assert formats.half(formats.paper("300 x 400 mm")).dimensions == "200 x 300 mm"
