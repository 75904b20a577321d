"""Every activity of the library, both editions, on A4 and on Letter: what is in the finished files.

The definitions are read here once more, plainly, and compared with what stands on the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import page as page_validation
import pypdfium2
import pytest
import yaml

from kit_builder import build, formats
from kit_builder.activity import Activity, Deck, PrintedCard, Record
from kit_builder.desk import Desk
from kit_builder.formats import Format
from kit_builder.printing import HOST, PLAYER
from kit_builder.variants import Options
from tests import content_streams
from tests.measured import MM, Measured, Node, Page

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "activities"
FILES = sorted(FOLDER.glob("*.yaml"))
ORIGINALS = [path for path in FILES if "." not in path.stem]
A4, LETTER = formats.PAPERS["a4"], formats.PAPERS["letter"]
PAPERS = (A4, LETTER)

HUNDRED, FOUR_INCHES = 100.0, 101.6
MARGIN = 5.0
DOTS_PER_MM = 100 / 25.4

Key = tuple[str, str, str]


@dataclass
class Kit:
    """One finished PDF, the activity it was made from, and what was written, read plainly.

    Attributes:
        written: the activity's file, in the language of the PDF.
        words: the labels of that language.
    """

    activity: Activity
    written: dict[str, Any]
    words: dict[str, str]
    paper: Format
    path: Path
    pdf: bytes

    @cached_property
    def measured(self) -> Measured:
        return Measured(self.pdf)

    @cached_property
    def tree(self) -> Node:
        return self.measured.structure()

    @cached_property
    def copied(self) -> list[str]:
        """The text of each page as a viewer copies it out, with single spaces."""
        with pypdfium2.PdfDocument(self.pdf) as document:
            return [flat(page.get_textpage().get_text_range()) for page in document]

    @property
    def host(self) -> bool:
        return self.path.parts[0] == HOST

    def part(self, name: str) -> Node:
        (found,) = (node for node in self.tree.of("Part") if node.title == self.words[name])
        return found


def flat(text: str) -> str:
    """The text with single spaces; a no-break space is one too."""
    return " ".join(text.split())


def plain(path: Path) -> Any:
    """What stands in a YAML file; every value is a text."""
    return yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)


def exchanged(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: exchanged(inner, texts) for key, inner in value.items()}
    if isinstance(value, list):
        return [exchanged(inner, texts) for inner in value]
    return texts.get(value, value)


def read_plainly(name: str) -> dict[str, Any]:
    """The fields of an activity: "hidden-trap-bid", or "hidden-trap-bid.ca" for a translation."""
    slug, _, language = name.partition(".")
    original: dict[str, Any] = plain(FOLDER / f"{slug}.yaml")
    if not language:
        return original
    pairs = plain(FOLDER / f"{name}.yaml")["texts"]
    texts = {pair[original["language"]]: pair[language] for pair in pairs}
    translated: dict[str, Any] = exchanged(original, texts)
    return translated | {"language": language}


# Translations are looked at on one paper.
KEYS: list[Key] = [
    (path.stem, edition, paper.name)
    for path in FILES
    for edition in (PLAYER, HOST)
    for paper in (PAPERS if path in ORIGINALS else PAPERS[:1])
]


@pytest.fixture(scope="session")
def library() -> dict[Key, Kit]:
    """Every PDF of the library, each made once."""
    kits: dict[Key, Kit] = {}
    shelf = Desk(FOLDER)
    for result in build.build(ORIGINALS, Options(papers=PAPERS)):
        assert [str(fault) for fault in result.faults] == []
        for output in result.outputs:
            mark = output.path.name.split(".")[1]
            translated = (FOLDER / f"{result.path.stem}.{mark}.yaml").is_file()
            name = f"{result.path.stem}.{mark}" if translated else result.path.stem
            written, paper = read_plainly(name), output.job.variant.printing.paper
            kits[name, output.edition, paper.name] = Kit(
                shelf.read(result.path, mark if translated else ""),
                written,
                plain(ROOT / "templates" / "labels" / f"{written['language']}.yaml"),
                paper,
                Path(output.path),
                output.pdf,
            )
    return kits


def of_each(*editions: str) -> pytest.MarkDecorator:
    chosen = [key for key in KEYS if key[1] in editions]
    return pytest.mark.parametrize("key", chosen, ids="-".join)


of_every_file = of_each(PLAYER, HOST)
of_player_files = of_each(PLAYER)
of_host_files = of_each(HOST)


# --- The files ---------------------------------------------------------------------------------


def test_the_library_has_a_player_and_a_host_file_of_every_activity_on_each_paper(
    library: dict[Key, Kit],
) -> None:
    assert len(library) == 2 * len(PAPERS) * len(FILES)
    for (name, edition, paper), kit in library.items():
        host = "host." if edition == HOST else ""
        assert str(kit.path).startswith(f"{edition}/{name}.")
        assert str(kit.path).endswith(f".{paper.lower()}.{host}pdf")


def test_another_process_place_and_clock_make_the_same_bytes(
    library: dict[Key, Kit], tmp_path: Path
) -> None:
    surroundings = [("0", "UTC", ROOT), ("4711", "Pacific/Kiritimati", tmp_path)]
    running = []
    for number, (seed, zone, folder) in enumerate(surroundings):
        out = tmp_path / f"out-{number}"
        command = [sys.executable, "-c", "from kit_builder.cli import main; main()", "build"]
        options = ["--paper", "a4", "--out", str(out)]
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "PYTHONPATH": str(ROOT),
            "LC_ALL": "C",
        }
        activities = os.path.relpath(ROOT / "activities", folder)
        process = subprocess.Popen(
            [*command, activities, *options],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        running.append((process, out))
    wanted = {
        kit.path.with_name(kit.path.name.replace(".a4.", ".")): kit.pdf
        for kit in library.values()
        if kit.paper is A4
    }
    for process, out in running:
        said, _ = process.communicate()
        assert process.returncode == 0, said.decode()
        made = {path.relative_to(out): path.read_bytes() for path in out.rglob("*.pdf")}
        assert made == wanted


# --- What a viewer, a printer and a reader need --------------------------------------------------


@of_every_file
def test_all_boxes_of_a_page_are_the_paper(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    paper = {"A4": (210, 297), "Letter": (215.9, 279.4)}[kit.paper.name]
    for page in kit.measured.reader.pages:
        for box in (page.mediabox, page.cropbox, page.trimbox):
            edges = [float(edge) / MM for edge in box]
            assert edges == pytest.approx([0, 0, *paper], abs=0.01)


@of_every_file
def test_a_viewer_is_told_title_language_scaling_and_bookmarks(
    library: dict[Key, Kit], key: Key
) -> None:
    kit = library[key]
    reader, catalog = kit.measured.reader, kit.measured.catalog
    title = kit.written["title"] + (f": {kit.words['key']}" if kit.host else "")
    assert reader.metadata is not None
    assert reader.metadata.title == title
    assert f">{title}</rdf:li>" in catalog["/Metadata"].get_data().decode()
    assert catalog["/Lang"] == kit.written["language"]
    assert catalog["/ViewerPreferences"]["/PrintScaling"] == "/None"
    assert catalog["/ViewerPreferences"]["/DisplayDocTitle"]
    parts = ["key", "rules"] if kit.host else ["rules", "cards", "records", "label"]
    bookmarks = [(0, kit.words[part]) for part in parts]
    found = kit.measured.bookmarks
    assert [each for each in found if each in bookmarks] == bookmarks
    assert found[0] == bookmarks[0]
    numbers = [str(page.number) for page in kit.measured.pages]
    assert reader.page_labels == numbers


@of_every_file
def test_bookmarks_lead_to_the_first_page_of_their_part(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    parts = {node.title: node for node in kit.tree.of("Part")}
    for item in kit.measured.reader.outline:
        assert not isinstance(item, list)
        first = min(page for node in parts[str(item.title)].walk() for page in node.pages)
        assert kit.measured.reader.get_destination_page_number(item) == first - 1


@of_every_file
def test_every_font_is_embedded_and_says_its_characters(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    fonts = {
        str(name): font
        for page in kit.measured.reader.pages
        for name, font in page["/Resources"]["/Font"].items()  # type: ignore[index]
    }
    assert fonts
    for font in fonts.values():
        assert "/FontFile2" in font["/DescendantFonts"][0]["/FontDescriptor"]
        assert "/ToUnicode" in font


@of_every_file
def test_everything_painted_is_marked_once(library: dict[Key, Kit], key: Key) -> None:
    assert content_streams.unmarked(library[key].pdf) == []


@of_every_file
def test_the_file_is_valid_pdf_ua(library: dict[Key, Kit], key: Key) -> None:
    report = page_validation.validate_pdf_bytes(library[key].pdf, profile="ua1")
    assert [str(failure) for failure in report.failures] == []
    assert report.is_compliant


# --- What stands on every page -------------------------------------------------------------------


@of_every_file
def test_every_page_has_rulers_across_and_down(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    lengths = [HUNDRED, FOUR_INCHES] if kit.paper.inches else [HUNDRED]
    for page in kit.measured.pages:
        for lines in (page.levels, page.uprights):
            found = [line.length for line in lines if line.mcid is None]
            for length in lengths:
                assert any(each == pytest.approx(length, abs=0.01) for each in found)
        assert page.text.count("100 mm") >= 1


@of_every_file
def test_every_page_says_its_paper_and_how_to_print_it(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    for number, copied in enumerate(kit.copied, 1):
        page = kit.words["page"].format(page=number, pages=len(kit.copied))
        scale = flat(kit.words["print-at"])
        assert "100 %" in scale
        assert copied.count(f"{page} · {kit.paper.name} · {scale}") == 1
        assert copied.count(kit.written["title"]) >= 1


@of_every_file
def test_nothing_is_drawn_within_5_mm_of_the_edge(library: dict[Key, Kit], key: Key) -> None:
    band = int(MARGIN * DOTS_PER_MM)
    with pypdfium2.PdfDocument(library[key].pdf) as document:
        for page in document:
            picture = page.render(scale=DOTS_PER_MM / MM, grayscale=True).to_pil()
            width, height = picture.size
            for edge in (
                (0, 0, width, band),
                (0, height - band, width, height),
                (0, 0, band, height),
                (width - band, 0, width, height),
            ):
                assert picture.crop(edge).getextrema() == (255, 255)
            assert picture.getextrema() == (0, 255)


def marked(page: Page) -> Iterator[tuple[int, float]]:
    """The MCID and the height of everything that is content of a page."""
    for writing in page.writings:
        if writing.mcid is not None:
            yield writing.mcid, writing.place[1]
    for stroke in page.strokes:
        if stroke.mcid is not None:
            yield stroke.mcid, min(stroke.y1, stroke.y2)
    for rectangle in page.rectangles:
        if rectangle.mcid is not None:
            yield rectangle.mcid, rectangle.box.bottom
    for form in page.forms:
        if form.mcid is not None:
            yield form.mcid, form.box.bottom


@of_every_file
def test_no_page_is_empty_and_none_ends_with_a_heading(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    headings = {text.strip() for text in (node.text for node in kit.tree.of("H1", "H2", "H3"))}
    assert headings
    for page in kit.measured.pages:
        texts = {
            mcid: "".join(each.text for each in page.writings if each.mcid == mcid).strip()
            for mcid, _ in marked(page)
        }
        lowest = min(marked(page), key=lambda each: each[1], default=None)
        assert lowest is not None, f"page {page.number} is empty"
        assert texts[lowest[0]] not in headings


# --- The author's texts --------------------------------------------------------------------------

MARKER = re.compile(r"^(?:- |\d+\. )")


def blocks(markdown: str) -> Iterator[str]:
    """Each paragraph and list item of a text on one line, without its marks; no tables."""
    waiting: list[str] = []
    for line in (*markdown.split("\n"), ""):
        words = line.strip()
        if waiting and (not words or MARKER.match(words)):
            yield " ".join(waiting)
            waiting = []
        if words and not words.startswith("|"):
            waiting.append(MARKER.sub("", words, count=1).replace("**", ""))


def cells(markdown: str) -> Iterator[str]:
    """Each cell of the tables of a text."""
    for line in markdown.split("\n"):
        row = line.strip().replace("**", "")
        if row.startswith("|") and set(row) - set("|-: "):
            yield from map(str.strip, row.strip("|").split("|"))


def stands(words: str, pages: list[str]) -> bool:
    """Whether the words stand on one page, or go on from one page to the next."""
    words = flat(words)
    if any(words in page for page in pages):
        return True
    gaps = [gap.start() for gap in re.finditer(" ", words)]
    return any(
        words[:gap] in page and words[gap + 1 :] in following
        for page, following in pairwise(pages)
        for gap in gaps
    )


def sections(kit: Kit) -> list[dict[str, Any]]:
    """The sections whose texts stand in a file."""
    key: list[dict[str, Any]] = kit.written["host"]["sections"] if kit.host else []
    return [*key, *kit.written["rules"]]


@of_every_file
def test_every_sentence_can_be_copied_out_with_its_spaces_and_symbols(
    library: dict[Key, Kit], key: Key
) -> None:
    kit = library[key]
    written = [kit.written["summary"]]
    for section in sections(kit):
        written += [section["heading"], *blocks(section.get("text", ""))]
    if not kit.host:
        written += [kit.written["practises"], kit.written["observe"]]
        written += [record["note"] for record in kit.written.get("records", []) if "note" in record]
    assert len(written) > 10
    assert [words for words in written if not stands(words, kit.copied)] == []


@of_every_file
def test_every_cell_of_every_table_is_there(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    written = [cell for section in sections(kit) for cell in cells(section.get("text", ""))]
    computed = [
        cell
        for section in (*kit.activity.kit.rules, *(kit.activity.host.sections if kit.host else ()))
        if section.table
        for row in section.table.rows
        for cell in row
    ]
    assert bool(computed) == any("table" in section for section in sections(kit))
    found = Counter(flat(node.text) for node in kit.tree.of("TH", "TD"))
    missing = Counter(map(flat, written + computed)) - found
    assert not missing


def runs(texts: list[str], length: int) -> set[tuple[str, ...]]:
    """Every run of words in the texts that says something: half of its words are of letters."""
    found = set()
    for text in texts:
        words = re.findall(r"\w+", text.lower())
        for start in range(len(words) - length + 1):
            run = tuple(words[start : start + length])
            if sum(word.isalpha() and len(word) > 1 for word in run) > length / 2:
                found.add(run)
    return found


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts_in(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts_in(inner)]
    return [value]


def everything_said(kit: Kit) -> list[str]:
    """Every text anywhere in a file: pages, alternative texts, titles, bookmarks, metadata."""
    reader = kit.measured.reader
    nodes = list(kit.tree.walk())
    return [
        *kit.copied,
        *(text for node in nodes for text in (node.text, node.alt, node.title)),
        *(title for _, title in kit.measured.bookmarks),
        *map(str, (reader.metadata or {}).values()),
        kit.measured.catalog["/Metadata"].get_data().decode(),
        str(kit.path),
    ]


RUN = 5


def host_runs_in(kit: Kit, said: list[str]) -> set[tuple[str, ...]]:
    """What of the host's texts, and of theirs alone, stands in these."""
    players = {"cutouts": [], **kit.written}
    del players["host"]
    labels = kit.words.values()
    steps = [step["label"] for each in players["cutouts"] for step in each.get("steps", [])]
    public = runs([*texts_in(players), *labels, " ".join(steps)], RUN)
    return (runs(texts_in(kit.written["host"]), RUN) - public) & runs(said, RUN)


@of_player_files
def test_a_player_file_says_nothing_of_the_hosts(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    said = everything_said(kit)
    assert host_runs_in(kit, said) == set()
    assert kit.words["host-banner"] not in "\n".join(said)
    for secret in kit.written["host"].get("secrets", []):
        assert secret not in "\n".join(said)


@of_host_files
def test_what_the_host_alone_is_told_is_found_where_it_stands(
    library: dict[Key, Kit], key: Key
) -> None:
    kit = library[key]
    assert len(host_runs_in(kit, everything_said(kit))) > 50


@of_host_files
def test_every_page_of_the_key_says_so(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    assert [copied.count(kit.words["host-banner"]) for copied in kit.copied] == [1] * len(
        kit.copied
    )


# --- The printed pieces --------------------------------------------------------------------------

NAMES = {
    "suit": lambda card: card.fields["letter"] + card.fields["rank"],
    "symbol": lambda card: card.fields["label"],
    "text": lambda card: card.fields["title"],
    "criteria": lambda card: card.fields["name"],
}


def spoken(kit: Kit, deck: Deck, card: PrintedCard) -> str:
    """What a reader hears instead of a card."""
    name, words = NAMES[deck.face](card), kit.words
    if deck.face == "criteria":
        options = re.sub(r"(?m)^- ", "", card.fields["options"])
        return flat(f"{words['card'].format(name=name)}: {card.fields['question']} {options}")
    copies = {"name": name, "copy": card.copy, "copies": card.copies}
    one = words["card-copy" if card.copies > 1 else "card"].format(**copies)
    return words["card-owner"].format(card=one, owner=card.owner) if card.owner else one


@of_player_files
def test_every_card_is_printed_once_at_the_size_of_its_deck(
    library: dict[Key, Kit], key: Key
) -> None:
    kit = library[key]
    wanted: Counter[tuple[str, float, float]] = Counter()
    for deck in kit.activity.kit.decks:
        size = round(deck.size.width / MM, 2), round(deck.size.height / MM, 2)
        wanted.update((spoken(kit, deck, card), *size) for card in deck.printed())
    totals = {
        deck["name"]: int(deck["total"]) for deck in kit.written.get("decks", []) if "total" in deck
    }
    counts = {str(deck.name): deck.count for deck in kit.activity.kit.decks}
    assert counts | totals == counts
    placed = {(page.number, card.mcid): card for page in kit.measured.pages for card in page.cards}
    assert len(placed) == sum(counts.values())
    found: Counter[tuple[str, float, float]] = Counter()
    for node in kit.part("cards").of("Figure"):
        if card := placed.get(node.content[0]):
            assert len(node.content) == 1
            found[flat(node.alt), round(card.width, 2), round(card.height, 2)] += 1
    assert found == wanted


def test_a_card_shows_what_is_said_of_it(library: dict[Key, Kit]) -> None:
    kit = library["match-and-shed-hands", PLAYER, "A4"]
    figures = kit.part("cards").of("Figure")
    assert len(figures) == len(kit.measured.cards)
    for figure, card in zip(figures, kit.measured.cards, strict=True):
        name = figure.alt.removeprefix("Card ").split(",")[0]
        assert card.text.split("\n").count(name) == 2  # in two corners


@of_player_files
def test_boxes_lines_and_ticks_of_the_sheet_are_there(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    sheet = kit.written.get("sheet", {})
    nodes = kit.part("records").of("P", "Figure")
    texts = [node.text.strip() for node in nodes]
    for row in sheet.get("boxes", []):
        (place,) = (number for number, text in enumerate(texts) if text == row["label"])
        assert nodes[place + 1].role == "Figure"
        assert nodes[place + 1].rectangles == int(row["count"])
    for tick in sheet.get("ticks", []):
        (place,) = (number for number, text in enumerate(texts) if text == tick)
        assert (nodes[place - 1].role, nodes[place - 1].rectangles) == ("Figure", 1)
    for label in sheet.get("lines", []):
        (node,) = (node for node in nodes if node.text.strip() == label)
        page = kit.measured.pages[node.pages[0] - 1]
        (writing,) = (each for each in page.writings if each.text.strip() == label)
        left, foot = writing.place
        assert any(
            line.x1 > left and line.length > 30 and abs(foot - line.y1) < 1 for line in page.levels
        )


def first_cells(record: Record) -> list[str]:
    """What is printed in the first column."""
    numbers = range(1, record.rows + 1)
    if record.numbered == "letters":
        return [ascii_uppercase[number - 1] for number in numbers]
    return ["" if record.numbered == "no" else str(number) for number in numbers]


@of_every_file
def test_every_record_has_its_columns_and_rows(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    records = kit.activity.host.records if kit.host else kit.activity.kit.records
    written = (kit.written["host"] if kit.host else kit.written).get("records", [])
    part = kit.part("key" if kit.host else "records")
    tables = iter(part.of("Table"))
    for record, fields in zip(records, written, strict=True):
        assert (record.title, str(record.rows)) == (
            fields["title"],
            fields["rows"] if fields["rows"].isdigit() else str(record.rows),
        )
        columns = [str(column.title) for column in record.columns]
        named = [each if isinstance(each, str) else each.get("title") for each in fields["columns"]]
        assert [name for name in named if name and name not in columns] == []
        head, *rows = next(rows for rows in map(rows_of, tables) if texts_of(rows[0]) == columns)
        assert {(cell.role, cell.scope) for cell in head.children} == {("TH", "Column")}
        for row, first in zip(rows, first_cells(record), strict=True):
            others = first if record.numbered == "everywhere" else ""
            assert texts_of(row) == [first] + [others] * (len(columns) - 1)
            roles = [cell.role for cell in row.children]
            assert roles == ["TH" if first else "TD"] + ["TD"] * (len(columns) - 1)
        headings = [node.text.strip() for node in part.of("H1", "H2")]
        assert sum(heading.startswith(record.title) for heading in headings) == 1


def rows_of(table: Node) -> list[Node]:
    return table.of("TR")


def texts_of(row: Node) -> list[str]:
    return [cell.text.strip() for cell in row.children]


@of_player_files
def test_every_piece_to_cut_out_is_there(library: dict[Key, Kit], key: Key) -> None:
    kit = library[key]
    figures = [node for node in kit.tree.of("Figure") if node.pages]
    for cutout in kit.written.get("cutouts", []):
        count = int(cutout.get("count", "1"))
        labels = [step["label"] for step in cutout.get("steps", [])]
        for number in range(1, count + 1):
            alt = kit.words[f"{cutout['piece']}-alt"].format(
                name=cutout["name"], n=number, count=count
            )
            (figure,) = (node for node in figures if node.alt == alt)
            assert [label for label in labels if label not in figure.text] == []


@of_player_files
def test_the_label_lists_every_piece_and_the_related_activities(
    library: dict[Key, Kit], key: Key
) -> None:
    kit = library[key]
    label = kit.part("label")
    paragraphs = [node.text.strip() for node in label.of("P")]
    words, kit_of = kit.words, kit.activity.kit
    counts = [(deck.count, deck.name) for deck in kit_of.decks]
    counts += [(cutout.count, cutout.name) for cutout in kit_of.cutouts]
    pieces = [words["count-of"].format(count=count, name=name) for count, name in counts]
    pieces += [words["sheet-of"].format(name=record.title) for record in kit_of.records]
    assert [piece for piece in pieces if paragraphs.count(piece) != 1] == []
    related = []
    for slug in kit.written.get("related", []):
        name = f"{slug}.{kit.written['language']}"
        exists = (FOLDER / f"{name}.yaml").is_file()
        related.append(read_plainly(name if exists else slug)["title"])
    if related:
        assert f"{words['related']} {', '.join(related)}." in paragraphs
