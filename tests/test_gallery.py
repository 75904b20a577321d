"""The page of pictures shows every kit, needs nothing but what lies beside it, and gives no key."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import pypdfium2
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops
from reportlab.pdfgen.canvas import Canvas

from kit_builder import gallery
from kit_builder.errors import Text
from kit_builder.gallery import Entry, Link, Picture
from tests.conftest import plain
from tests.sample import sample

FILES = sorted((Path(__file__).parent.parent / "templates" / "labels").glob("*.yaml"))
LABELS: Mapping[str, Mapping[str, Text]] = {
    path.stem: {key: plain(text) for key, text in yaml.safe_load(path.read_text("utf-8")).items()}
    for path in FILES
}
TRAPS = Entry(
    "traps", "Trap bid", "en", "Bluffing", "Bid, or pass.", (3, 5), (15, 20),
    ("20 × Trap cards", "1 × Screen"), 4, 3,
    (Link("traps.pdf", "A4"), Link("traps.letter.pdf", "Letter")),
    (Picture("traps.page.png", 560, 792, "page"), Picture("traps.cards.png", 560, 725, "cards")),
)  # fmt: skip
PAUSE = Entry(
    "pause", "La pausa", "ca", "Calma", "Tothom calla.", (2, 2), (5, 5), (), 1, 0,
    (Link("pause.ca.pdf"),),
)  # fmt: skip
VOID = {"br", "img", "input", "link", "meta"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    inside: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What can be read in it, spaces as a browser shows them."""
        texts = (each if isinstance(each, str) else each.text for each in self.inside)
        return re.sub(r"[ \n]+", " ", "".join(texts)).strip()

    def all(self, tag: str = "", **attributes: str) -> list[Node]:
        return [
            each
            for each in self.walk()
            if tag in ("", each.tag) and attributes.items() <= each.attributes.items()
        ]

    def one(self, tag: str = "", **attributes: str) -> Node:
        (found,) = self.all(tag, **attributes)
        return found

    def walk(self) -> Iterator[Node]:
        for each in self.inside:
            if isinstance(each, Node):
                yield each
                yield from each.walk()


class Tree(HTMLParser):
    """The elements of a page; every start tag must have its end tag."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open = [Node("")]
        self.feed(html)
        self.close()
        assert [node.tag for node in self.open] == [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        assert len(node.attributes) == len(attrs), "an attribute stands twice"
        self.open[-1].inside.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def page(*entries: Entry, edition: str = "player", language: str = "en", school: str = "") -> Node:
    html = gallery.page(entries, edition, LABELS[language], language, school)
    return Tree(html.decode("utf-8")).open[0]


def kits(root: Node) -> list[Node]:
    return root.all("li", **{"class": "kit"})


def test_every_kit_is_shown_with_what_a_teacher_chooses_by() -> None:
    traps, pause = kits(page(TRAPS, PAUSE))
    assert traps.one("h2").text == "Trap bid"
    for said in (
        "Players: 3–5 · 15–20 min",
        "Bid, or pass.",
        "Bluffing · English",
        "Pieces: 20 × Trap cards, 1 × Screen",
        "Sheets to print: 4 of plain paper, 3 of thick paper",
    ):
        assert said in traps.text
    assert "Players: 2 · 5 min" in pause.text
    assert "Calma · Català" in pause.text
    assert pause.text.count("Sheets to print: 1 of plain paper") == 1
    assert "Pieces" not in pause.text and "thick" not in pause.text


def test_each_pdf_is_a_link_that_says_which_it_is() -> None:
    traps, pause = kits(page(TRAPS, PAUSE))
    assert [(each.attributes["href"], each.text) for each in traps.all("a")] == [
        ("traps.pdf", "Open PDF · A4"),
        ("traps.letter.pdf", "Open PDF · Letter"),
    ]
    assert pause.one("a").text == "Open PDF"


def test_a_link_read_alone_says_of_which_kit_it_is() -> None:
    traps, pause = kits(page(TRAPS, PAUSE))
    for each in (*traps.all("a"), *pause.all("a")):
        assert each.attributes["aria-label"].startswith(f"{each.text}, ")
    assert traps.all("a")[0].attributes["aria-label"] == "Open PDF · A4, Trap bid"
    assert pause.one("a").attributes["aria-label"] == "Open PDF, La pausa"
    assert pause.one("a").attributes["hreflang"] == "ca"


def test_pictures_have_their_size_and_say_what_they_show() -> None:
    traps, pause = kits(page(TRAPS, PAUSE))
    first, cards = traps.all("img")
    assert first.attributes["alt"] == "First page: Trap bid"
    assert cards.attributes["alt"] == "First sheet of cards: Trap bid"
    assert (cards.attributes["width"], cards.attributes["height"]) == ("560", "725")
    assert {each.attributes["loading"] for each in (first, cards)} == {"lazy"}
    assert pause.all("img") == []


def test_words_in_another_language_say_so() -> None:
    _, pause = kits(page(TRAPS, PAUSE))
    own = {each.text for each in pause.walk() if each.attributes.get("lang") == "ca"}
    assert {"La pausa", "Tothom calla.", "Calma · Català"} <= own


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("edition", ["player", "host"])
def test_the_page_speaks_every_language_of_the_labels(edition: str, language: str) -> None:
    root = page(TRAPS, PAUSE, edition=edition, language=language)
    assert root.one("html").attributes["lang"] == language
    assert LABELS[language]["gallery-lead"] in root.one("header").text
    read = f"{root.one('body').text} {[each.attributes.get('alt') for each in root.walk()]}"
    assert not re.search(r"\{\w*\}", read.replace(root.one("script").text, ""))


@pytest.mark.parametrize("language", LABELS)
def test_a_language_is_offered_by_its_own_name(language: str) -> None:
    option = page(TRAPS, replace(PAUSE, language=language if language != "en" else "ca"))
    assert {each.text for each in option.all("option")}.isdisjoint(LABELS)


def test_only_languages_that_occur_can_be_chosen() -> None:
    options = page(TRAPS, PAUSE, TRAPS).one("select").all("option")
    assert [each.text for each in options] == ["All languages", "Català", "English"]
    assert page(TRAPS, TRAPS).all("select") == []


def test_an_unknown_language_is_named_by_its_tag() -> None:
    assert "Bluffing · gl" in page(replace(TRAPS, language="gl")).text


def test_the_school_stands_above_the_heading() -> None:
    root = page(TRAPS, school="Escola del Mar")
    assert root.one("header").text.startswith("Escola del Mar Kits to print")
    assert root.one("title").text == "Kits to print · Escola del Mar"
    assert page(TRAPS).all(**{"class": "school"}) == []


@pytest.mark.parametrize("edition", ["player", "host"])
def test_headings_and_landmarks_lead_through_the_page(edition: str) -> None:
    root = page(TRAPS, PAUSE, edition=edition)
    headings = [each.tag for each in root.walk() if re.fullmatch(r"h\d", each.tag)]
    assert headings == ["h1", "h2", "h2"]
    assert root.one("form").attributes["role"] == "search"
    assert root.one("form").attributes["aria-label"] == "Find a kit"
    for landmark in ("header", "main"):
        assert root.one(landmark).text
    for each in root.all("input") + root.all("select"):
        assert any(each in label.walk() for label in root.all("label"))


def test_without_javascript_everything_is_shown_and_no_filter() -> None:
    root = page(TRAPS, PAUSE)
    assert "hidden" in root.one("form").attributes
    assert not any("hidden" in each.attributes for each in kits(root))
    assert "hidden" in root.one("p", **{"class": "none"}).attributes


@pytest.mark.parametrize("edition", ["player", "host"])
def test_the_policy_allows_this_style_and_script_and_pictures_beside_the_page(edition: str) -> None:
    root = page(TRAPS, PAUSE, edition=edition, school="Escola")
    policy = root.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    rules = dict(each.split(" ", 1) for each in policy.split("; "))
    for tag in ("style", "script"):
        (written,) = root.one(tag).inside
        digest = hashlib.sha256(str(written).encode("utf-8")).digest()
        assert rules.pop(f"{tag}-src") == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "'self' file: data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    for each in root.walk():
        assert not any(name == "style" or name.startswith("on") for name in each.attributes)


@pytest.mark.parametrize("edition", ["player", "host"])
def test_no_robot_lists_the_page(edition: str) -> None:
    robots = page(TRAPS, edition=edition).one("meta", name="robots")
    assert robots.attributes["content"] == "noindex"


def test_the_page_asks_for_nothing_that_does_not_lie_beside_it() -> None:
    html = gallery.page([TRAPS, PAUSE], "player", LABELS["en"], "en").decode()
    html = html.replace("http%3A//www.w3.org/2000/svg", "")  # a name, not a place
    assert "//" not in re.sub(r"^ *// .*$", "", html, flags=re.MULTILINE)
    assert "url(" not in html and "@import" not in html
    root = page(TRAPS, PAUSE)
    named = {
        each.attributes[name]
        for each in root.walk()
        for name in ("href", "src", "action", "srcset")
        if name in each.attributes
    }
    files = {each.name for kit in (TRAPS, PAUSE) for each in kit.files}
    icon = root.one("link").attributes["href"]
    assert icon.startswith("data:")
    assert named == {icon} | files | {each.name for each in TRAPS.pictures}


def test_the_hosts_page_cannot_be_mistaken() -> None:
    root = page(TRAPS, edition="host")
    banner = root.one("section")
    assert banner.text == "HOST KEY For the host only. Do not show this page to the players."
    assert root.one("body").attributes == {"class": "host", "data-banner": "HOST KEY"}
    assert root.one("title").text == root.one("h1").text == "Host keys"
    (style,) = root.one("style").inside
    assert "border-width: 0 1rem 1rem" in str(style)


@pytest.mark.parametrize("language", LABELS)
def test_the_players_page_does_not_say_that_there_is_another(language: str) -> None:
    html = gallery.page([TRAPS, PAUSE], "player", LABELS[language], language).decode().lower()
    assert "host" not in html
    for key in ("host-banner", "host-warning", "gallery-host-title", "key"):
        assert LABELS[language][key].lower() not in html


def test_what_an_author_wrote_is_text_and_never_markup() -> None:
    odd = '<script>alert(1)</script> & "x" {{ 1 }} \'>'
    root = page(replace(TRAPS, title=odd, summary=odd, category=odd, pieces=(odd,), slug=odd))
    assert len(root.all("script")) == 1
    (kit,) = kits(root)
    assert kit.one("h2").text == odd
    assert kit.attributes["data-slug"] == odd
    assert kit.all("img")[0].attributes["alt"] == f"First page: {odd}"


def test_any_file_name_leads_to_its_file() -> None:
    names = ["a b#1?.pdf", "100%.pdf", "javascript:x.pdf", "català.pdf"]
    root = page(replace(TRAPS, files=tuple(Link(name) for name in names)))
    targets = [each.attributes["href"] for each in root.all("a")]
    assert [unquote(each) for each in targets] == names
    assert all(re.fullmatch(r"[\w.%-]+", each, re.ASCII) for each in targets)


WORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
SPANS = st.tuples(st.integers(1, 9), st.integers(1, 90)).map(lambda each: (min(each), max(each)))
ENTRIES = st.builds(
    Entry, WORDS, WORDS, st.sampled_from(["en", "ca", "xx"]), WORDS, WORDS, SPANS, SPANS,
    st.lists(WORDS, max_size=2).map(tuple), st.integers(0, 9), st.integers(0, 9),
    st.lists(st.builds(Link, WORDS, WORDS), min_size=1, max_size=2).map(tuple),
)  # fmt: skip


@given(st.lists(ENTRIES, max_size=4))
def test_a_page_holds_its_entries_in_their_order_and_is_always_the_same(
    entries: list[Entry],
) -> None:
    html = gallery.page(entries, "player", LABELS["en"], "en")
    assert html == gallery.page(tuple(entries), "player", dict(LABELS["en"]), "en")
    shown = kits(page(*entries))
    assert [kit.one("h2").text for kit in shown] == [entry.title for entry in entries]
    for kit, entry in zip(shown, entries, strict=True):
        assert kit.attributes["data-players"] == f"{entry.players[0]} {entry.players[1]}"
        assert kit.attributes["data-minutes"] == f"{entry.minutes[0]} {entry.minutes[1]}"
        assert {entry.title, entry.summary, entry.category} <= {
            each.text for each in kit.all() if each.attributes.get("class") == "words"
        }
        assert [unquote(each.attributes["href"]) for each in kit.all("a")] == [
            each.name for each in entry.files
        ]


def seen(png: bytes) -> Image.Image:
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.convert("L")


def paper(width: float, height: float) -> bytes:
    """A page with a black corner, grey beside it, and white paper."""
    file = BytesIO()
    canvas = Canvas(file, (width, height), invariant=True)
    canvas.rect(0, height / 2, width / 2, height / 2, stroke=0, fill=1)
    canvas.setFillGray(0.5)
    canvas.rect(width / 2, height / 2, width / 2, height / 2, stroke=0, fill=1)
    canvas.save()
    return file.getvalue()


SIDES = st.floats(150, 1300).map(lambda side: round(side, 3))


@settings(max_examples=40)
@given(SIDES, SIDES)
def test_a_picture_has_the_shape_of_the_page_and_one_width(across: float, down: float) -> None:
    (made,) = gallery.pictures(paper(across, down), [0])
    image = seen(made.png)
    assert image.size == (made.width, made.height)
    assert made.width == gallery.WIDTH
    assert abs(made.height - gallery.WIDTH * down / across) <= 1 + down / across
    upper = made.height // 4
    assert image.getpixel((140, upper)) == 0
    assert image.getpixel((420, upper)) in (119, 136)
    assert image.getpixel((280, made.height - upper)) == 255


def test_a_picture_shows_the_page_in_16_greys() -> None:
    pdf = sample()
    with pypdfium2.PdfDocument(pdf) as document:
        for number, made in enumerate(gallery.pictures(pdf, [0, 1])):
            scale = (gallery.WIDTH - 0.5) / document[number].get_width()
            full = document[number].render(scale=scale, grayscale=True).to_pil().convert("L")
            image = seen(made.png)
            _, most = ImageChops.difference(image, full).getextrema()
            assert isinstance(most, (int, float)) and most <= 8
            assert {grey % 17 for grey in image.tobytes()} == {0}
            assert made.png[24] == 4  # bits a pixel


def test_pages_are_counted_from_0_in_the_order_asked() -> None:
    pdf = sample()
    first, second = gallery.pictures(pdf, [0, 1])
    assert first != second
    assert gallery.pictures(pdf, [1, 0]) == (second, first)
    assert gallery.pictures(pdf, []) == ()


def test_no_command_waits_for_the_renderer_before_it_is_needed() -> None:
    code = "import sys, kit_builder.gallery; print('pypdfium2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
