"""The gallery in a real browser, from a folder and from a web server."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

import pytest
import yaml
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait
from typer.testing import CliRunner

from kit_builder import cli, gallery
from kit_builder.errors import Text
from kit_builder.gallery import Entry, Link, Picture
from tests.conftest import plain

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "templates" / "labels" / "en.yaml").read_text("utf-8")
LABELS: Mapping[str, Text] = {key: plain(text) for key, text in yaml.safe_load(ENGLISH).items()}
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
WAIT = 10  # seconds
TRAPS = Entry(
    "hidden-trap-bid", "Hidden trap bid", "en", "Bluffing", "Add a card, or bid.", (3, 5), (15, 20),
    ("20 × Trap cards",), 4, 3, (Link("hidden-trap-bid.pdf", "A4"),),
)  # fmt: skip
TRAMPA = Entry(
    "hidden-trap-bid", "La trampa més amagada", "ca", "Engany", "L’aposta, o col·laboreu.", (3, 5),
    (15, 20), ("20 × Cartes",), 4, 3, (Link("hidden-trap-bid.ca.pdf", "A4"),),
)  # fmt: skip
SIGNALS = Entry(
    "outward-hand-signals", "Outward-hand signals", "en", "Talk", "Read the other’s cards.", (2, 2),
    (10, 15), ("14 × Cards",), 5, 2, (Link("outward-hand-signals.pdf", "A4"),),
)  # fmt: skip
KITS = (TRAPS, TRAMPA, SIGNALS)
ALL = [entry.title for entry in KITS]
EDITIONS = ("player", "host")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some kits of the library, their pictures, and both galleries."""
    out = tmp_path_factory.mktemp("build")
    slugs = sorted({entry.slug for entry in KITS})
    files = [str(ROOT / "activities" / f"{slug}.yaml") for slug in slugs]
    done = CliRunner().invoke(cli.app, ["build", *files, "--out", str(out)])
    assert done.exit_code == 0, done.output
    for edition, mark in zip(EDITIONS, ("", ".host"), strict=True):
        shown = [_with_pictures(entry, out / edition, mark) for entry in KITS]
        html = gallery.page(shown, edition, LABELS, "en", "Escola del Mar")
        (out / edition / "index.html").write_bytes(html)
    return out


def _with_pictures(entry: Entry, folder: Path, mark: str) -> Entry:
    name = entry.files[0].name.replace(".pdf", f"{mark}.pdf")
    first, cards = gallery.pictures((folder / name).read_bytes(), (0, 2))
    (folder / f"{name}.page.png").write_bytes(first.png)
    (folder / f"{name}.cards.png").write_bytes(cards.png)
    return replace(
        entry,
        files=(Link(name, "A4"),),
        pictures=(
            Picture(f"{name}.page.png", first.width, first.height, "page"),
            Picture(f"{name}.cards.png", cards.width, cards.height, "cards"),
        ),
    )


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="session", params=["folder", "web server"])
def base(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """Where the output folder is."""
    if request.param == "folder":
        yield folder.as_uri()
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver") or ""))
    yield driver
    driver.quit()


class Gallery:
    """One of the two pages, as somebody sees it and uses it."""

    def __init__(self, chromium: webdriver.Chrome, base: str) -> None:
        self.chromium = chromium
        self.base = base
        self.media()
        self.size(1200, 900)

    def open(self, view: str = "", edition: str = "player") -> Gallery:
        self.chromium.get("about:blank")  # else another view of the same page is no new load
        self.chromium.get(f"{self.base}/{edition}/index.html{view}")
        return self

    def command(self, name: str, **arguments: Any) -> Any:
        """A command of the Chrome DevTools protocol."""
        return self.chromium.execute_cdp_cmd(name, arguments)

    def run(self, code: str, *arguments: Any) -> Any:
        """The value of a function body in the page."""
        return self.chromium.execute_script(code, *arguments)

    def size(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media="", features=features)

    def find(self, selector: str) -> WebElement:
        return self.chromium.find_element(By.CSS_SELECTOR, selector)

    def field(self, name: str) -> WebElement:
        return self.find(f"[name={name}]")

    def write(self, name: str, text: str) -> None:
        self.field(name).clear()
        self.field(name).send_keys(text)

    @property
    def titles(self) -> list[str]:
        """Of the kits that can be seen."""
        titles: list[str] = self.run(
            """return Array.from(document.querySelectorAll(".kit h2"))
                .filter((each) => each.checkVisibility()).map((each) => each.innerText)"""
        )
        return titles

    @property
    def count(self) -> str:
        return self.find("[role=status]").text

    @property
    def view(self) -> str:
        """What the address says behind #."""
        return unquote(urlsplit(self.chromium.current_url).fragment)

    def wait_for(self, count: str, view: str | None = None) -> None:
        WebDriverWait(self.chromium, WAIT).until(
            lambda _: self.count == count and view in (None, self.view)
        )

    def roles(self) -> list[tuple[str, str]]:
        """Role and name of each thing that a screen reader tells, in its order."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        return [
            (each["role"]["value"], each.get("name", {}).get("value", ""))
            for each in nodes
            if not each["ignored"]
        ]


def logged(chromium: webdriver.Chrome, kind: str) -> list[str]:
    """What was logged since this was asked last."""
    entries = chromium.get_log(kind)  # type: ignore[no-untyped-call]
    return [each["message"] for each in entries]


@pytest.fixture
def page(chromium: webdriver.Chrome, base: str) -> Iterator[Gallery]:
    """A gallery that logs no error and asks for nothing outside."""
    logged(chromium, "browser")
    logged(chromium, "performance")
    yield Gallery(chromium, base)
    # A PDF that was opened has no icon, and Chromium asks the server for one.
    assert [each for each in logged(chromium, "browser") if "/favicon.ico" not in each] == []
    events = [json.loads(each)["message"] for each in logged(chromium, "performance")]
    asked = {
        each["params"]["request"]["url"]
        for each in events
        if each["method"] == "Network.requestWillBeSent"
    }
    own = ("about:", "data:", "chrome-extension:", "chrome:", f"{base}/")
    assert [url for url in asked if not url.startswith(own)] == []


def test_it_shows_all_kits_first(page: Gallery) -> None:
    page.open()
    assert page.titles == ALL
    assert page.count == "3 of 3 kits"
    assert not page.find(".none").is_displayed()


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("players", "2", [SIGNALS]),
        ("players", "3", [TRAPS, TRAMPA]),
        ("players", "5", [TRAPS, TRAMPA]),
        ("players", "6", []),
        ("minutes", "14", []),
        ("minutes", "15", [SIGNALS]),
        ("minutes", "20", [TRAPS, TRAMPA, SIGNALS]),
        ("words", "TRAP", [TRAPS]),
        ("words", "mes collaboreu", [TRAMPA]),
        ("words", "Més  l'aposta", [TRAMPA]),
        ("words", "cards talk", [SIGNALS]),
        ("words", "bluffing talk", []),
        ("words", "english", []),
    ],
)
def test_a_filter_shows_the_kits_that_fit_and_counts_them(
    page: Gallery, name: str, text: str, shown: list[Entry]
) -> None:
    page.open()
    page.write(name, text)
    assert page.titles == [entry.title for entry in shown]
    assert page.count == f"{len(shown)} of 3 kits"
    assert page.find(".none").is_displayed() == (not shown)


def test_a_language_shows_the_kits_written_in_it(page: Gallery) -> None:
    page.open()
    choice = Select(page.field("language"))
    assert [each.text for each in choice.options] == ["All languages", "Català", "English"]
    choice.select_by_visible_text("Català")
    page.wait_for("1 of 3 kits")
    assert page.titles == [TRAMPA.title]
    assert page.count == "1 of 3 kits"


def test_filters_add_up_and_show_all_takes_them_away(page: Gallery) -> None:
    page.open()
    page.write("players", "3")
    page.write("minutes", "20")
    Select(page.field("language")).select_by_value("en")
    page.wait_for("1 of 3 kits")
    page.write("words", "bid card")
    assert page.titles == [TRAPS.title]
    assert page.view == "players=3&minutes=20&language=en&words=bid+card"
    page.find("button").click()
    assert page.titles == ALL
    assert page.count == "3 of 3 kits"
    assert page.view == ""
    assert [page.field(name).get_property("value") for name in ("players", "words")] == ["", ""]
    assert page.chromium.switch_to.active_element == page.find("button")


def test_an_empty_view_says_what_to_do(page: Gallery) -> None:
    page.open("#words=zebra")
    assert page.titles == []
    assert page.find(".none").text == LABELS["gallery-none"]


def test_an_address_restores_its_view(page: Gallery) -> None:
    page.open("#players=4&language=ca&words=m%C3%A9s")
    assert page.titles == [TRAMPA.title]
    assert page.field("players").get_property("value") == "4"
    assert Select(page.field("language")).first_selected_option.text == "Català"
    assert page.field("words").get_property("value") == "més"


@pytest.mark.parametrize("view", ["#players=x&language=xx&minutes=", "#kit", "#%"])
def test_an_address_without_sense_shows_all(page: Gallery, view: str) -> None:
    page.open(view)
    assert page.titles == ALL
    assert Select(page.field("language")).first_selected_option.text == "All languages"


def test_back_and_forward_lead_through_the_views(page: Gallery) -> None:
    page.open()
    page.write("words", "signals")
    page.write("players", "2")
    page.find("button").click()
    back, forward = page.chromium.back, page.chromium.forward
    for move, view, count in (
        (back, "players=2&words=signals", "1 of 3 kits"),
        (back, "words=signals", "1 of 3 kits"),
        (back, "", "3 of 3 kits"),
        (forward, "words=signals", "1 of 3 kits"),
    ):
        move()
        page.wait_for(count, view)
    assert page.field("words").get_property("value") == "signals"
    assert page.field("players").get_property("value") == ""


def test_everything_is_reached_by_the_keyboard_in_the_order_it_is_read(page: Gallery) -> None:
    page.open()
    page.run("document.body.tabIndex = -1; document.body.focus()")
    seen = []
    for _ in range(8):
        page.chromium.switch_to.active_element.send_keys(Keys.TAB)
        focused = page.chromium.switch_to.active_element
        seen.append(focused.get_attribute("name") or focused.text)
        style = "const s = getComputedStyle(arguments[0]); return [s.outlineStyle, s.outlineWidth]"
        assert page.run(style, focused) == ["solid", "3px"]
    link = "Open PDF · A4"
    assert seen == [
        "players", "minutes", "language", "words", "Show all", link, link, link,
    ]  # fmt: skip


def test_hidden_kits_are_no_stop_on_the_way(page: Gallery) -> None:
    page.open("#players=2")
    page.find("button").send_keys(Keys.TAB)
    focused = page.chromium.switch_to.active_element
    assert SIGNALS.files[0].name in str(focused.get_attribute("href"))


@pytest.mark.parametrize("way", ["enter", "click on the picture"])
def test_a_kit_opens_its_pdf(page: Gallery, way: str) -> None:
    page.open("#players=2")
    name = SIGNALS.files[0].name
    link = page.find(f"a[href='{name}']")
    if way == "enter":
        link.send_keys(Keys.ENTER)
    else:
        picture = page.find("[data-slug=outward-hand-signals] img")
        webdriver.ActionChains(page.chromium).move_to_element(picture).click().perform()
    WebDriverWait(page.chromium, WAIT).until(
        lambda driver: driver.current_url == f"{page.base}/player/{name}"
    )
    page.chromium.back()
    page.wait_for("1 of 3 kits")


def test_every_link_and_picture_is_there(page: Gallery) -> None:
    for edition in EDITIONS:
        page.open(edition=edition)
        links = page.chromium.find_elements(By.CSS_SELECTOR, "a")
        assert len(links) == len(KITS)
        for link in links:
            with urlopen(str(link.get_property("href"))) as answer:
                assert answer.headers.get_content_type() == "application/pdf"
                assert answer.read(5) == b"%PDF-"
        for image in page.chromium.find_elements(By.CSS_SELECTOR, "img"):
            page.run("arguments[0].scrollIntoView()", image)
            page.run("return arguments[0].decode()", image)
            assert image.get_property("naturalWidth") == gallery.WIDTH


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 600, 1200, 2000])
def test_nothing_sticks_out_on_any_screen(page: Gallery, width: int, scheme: str) -> None:
    page.size(width, 700)
    page.media(scheme)
    for edition in EDITIONS:
        page.open(edition=edition)
        assert page.run("return document.documentElement.scrollWidth") <= width
        sticking = """return Array.from(document.querySelectorAll("body *")).filter(
            (each) => each.getBoundingClientRect().right > innerWidth).length"""
        assert page.run(sticking) == 0
    page.size(1200, 900)


CONTRASTS = """
const light = (colour) => {
  const part = (each) => (each <= .04045 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4);
  const [red, green, blue] = colour.match(/[\\d.]+/g).map((each) => part(each / 255));
  return .2126 * red + .7152 * green + .0722 * blue;
};
const behind = (each) => {
  const colour = getComputedStyle(each).backgroundColor;
  return colour === "rgba(0, 0, 0, 0)" ? behind(each.parentElement) : colour;
};
return Array.from(document.querySelectorAll("body *:not(script)"))
  .filter((each) => each.checkVisibility() && each.textContent.trim())
  .map((each) => {
    const [a, b] = [light(getComputedStyle(each).color), light(behind(each))];
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  });
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_lies_behind_it(page: Gallery, scheme: str) -> None:
    page.media(scheme)
    for edition in EDITIONS:
        page.open(edition=edition)
        contrasts = page.run(CONTRASTS)
        assert len(contrasts) > 30
        assert min(contrasts) >= 7  # WCAG 2.2, 1.4.6
    dark = (
        page.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    )
    assert dark == (scheme == "dark")


def test_nothing_moves_while_the_page_loads(page: Gallery) -> None:
    page.open("#players=2")
    shift = """const done = arguments[0];
        new PerformanceObserver((list) => done(list.getEntries().map((each) => each.value)))
            .observe({type: "layout-shift", buffered: true});
        requestAnimationFrame(() => requestAnimationFrame(() => done([])));"""
    assert page.chromium.execute_async_script(shift) == []


def test_a_screen_reader_is_told_what_everything_is(page: Gallery) -> None:
    page.open()
    roles = page.roles()
    for role, name in (
        ("RootWebArea", "Kits to print · Escola del Mar"),
        ("heading", "Kits to print"),
        ("search", "Find a kit"),
        ("spinbutton", "Number of players"),
        ("spinbutton", "Minutes at most"),
        ("combobox", "Language"),
        ("searchbox", "Words"),
        ("button", "Show all"),
        ("image", "First page: Hidden trap bid"),
        ("image", "First sheet of cards: La trampa més amagada"),
        ("heading", "Outward-hand signals"),
        ("link", "Open PDF · A4, Hidden trap bid"),
    ):
        assert roles.count((role, name)) == 1, (role, name)
    told = [role for role, _ in roles]
    assert [told.count(each) for each in ("banner", "main", "status")] == [1, 1, 1]
    assert told.index("search") < told.index("main")
    assert page.find("[role=status]").get_attribute("aria-live") in (None, "polite")
    page.open("#players=2")
    assert ("heading", "Hidden trap bid") not in page.roles()


def test_without_javascript_everything_is_shown_and_no_filter(page: Gallery) -> None:
    page.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open("#players=2")
        assert page.titles == ALL
        assert not page.find("form").is_displayed()
    finally:
        page.command("Emulation.setScriptExecutionDisabled", value=False)


def test_the_players_page_says_nothing_of_the_hosts(page: Gallery) -> None:
    page.open()
    assert "host" not in page.chromium.page_source.lower()


def test_the_hosts_page_says_so_wherever_it_is_scrolled(page: Gallery) -> None:
    page.open(edition="host")
    banner = page.find(".banner")
    assert banner.text.startswith("HOST KEY")
    for place in ("0", "document.body.scrollHeight"):
        page.run(f"scrollTo(0, {place})")
        assert page.run("return arguments[0].getBoundingClientRect().top", banner) == 0
    frame = (
        "const s = getComputedStyle(document.body); return [s.borderLeftWidth, s.borderLeftColor]"
    )
    assert page.run(frame) == ["16px", "rgb(0, 0, 0)"]


def test_paper_gets_the_kits_that_are_shown_and_no_filter(page: Gallery) -> None:
    page.open("#players=2")
    page.command("Emulation.setEmulatedMedia", media="print", features=[])
    assert page.titles == [SIGNALS.title]
    assert not page.find("form").is_displayed()
    assert (
        page.run(
            "return getComputedStyle(arguments[0], '::before').content",
            page.find(f"a[href='{SIGNALS.files[0].name}']"),
        )
        != "none"
    )
