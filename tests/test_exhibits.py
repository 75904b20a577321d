"""The page of pictures shows what lies beside it, neither less nor more, and no key to players."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner, Result

from kit_builder import cli, exhibits, templates
from kit_builder.job import Count, picture_name
from kit_builder.printing import EDITIONS
from kit_builder.store import Record, opened
from tests.test_gallery import Node, Tree, kits
from tests.test_run import kit, translated

CLUB = Path("activities")
SECRET = "The quokka holds all clues."
TRAPS = kit("Trap bid", face="symbol", rule="Bid or pass.")
PAUSE = kit("The pause")


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two activities, one of them with cards and a translation."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_BUILDER_PASSWORD", raising=False)
    monkeypatch.delenv("KIT_BUILDER_SECRET", raising=False)
    CLUB.mkdir()
    add("traps", TRAPS)
    add("traps.ca", translated(TRAPS))
    add("pause", PAUSE)
    return tmp_path


def add(name: str, fields: dict[str, Any]) -> None:
    (CLUB / f"{name}.yaml").write_text(yaml.safe_dump(fields, allow_unicode=True), "utf-8")


def build(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli.app, ["build", "--jobs", "1", *arguments])
    assert result.exit_code == code, result.output
    return result


def path_of(edition: str = "player") -> Path:
    return Path("build", edition, "index.html")


def page(edition: str = "player") -> Node:
    return Tree(path_of(edition).read_text("utf-8")).open[0]


def links(shown: Node) -> list[str]:
    return [unquote(each.attributes["href"]) for each in shown.all("a")]


def pictures(shown: Node) -> list[str]:
    return [unquote(each.attributes["src"]) for each in shown.all("img")]


def shown(edition: str = "player") -> dict[tuple[str, str], list[str]]:
    """The PDFs of each kit, by its title and language."""
    return {
        (each.one("h2").text, each.attributes["data-language"]): links(each)
        for each in kits(page(edition))
    }


def sheets(title: str, edition: str = "player") -> list[int]:
    """Of plain paper and of card that a kit needs, as its page says."""
    (found,) = (each for each in kits(page(edition)) if each.one("h2").text == title)
    (line,) = re.findall(r"Sheets to print: (.*)", "\n".join(e.text for e in found.all("li")))
    return [int(number) for number in re.findall(r"\d+", line)]


def needed(*arguments: str) -> list[int]:
    """The same, as `plan` says."""
    result = CliRunner().invoke(cli.app, ["plan", "--json", *arguments])
    total = json.loads(result.stdout)["total"]
    return [total["paper"], total["card"]]


def lying(edition: str, suffix: str) -> set[str]:
    folder = Path("build", edition)
    return {each.relative_to(folder).as_posix() for each in folder.rglob(f"*{suffix}")}


def assert_whole() -> None:
    """Each PDF is linked once, and each picture is there, has the size said, and is shown once."""
    for edition in EDITIONS:
        if path_of(edition).exists():
            made = page(edition)
            assert sorted(links(made)) == sorted(lying(edition, ".pdf"))
            assert set(pictures(made)) <= lying(edition, ".png")
            assert len(pictures(made)) == len(set(pictures(made)))
            for each in made.all("img"):
                png = Path("build", edition, unquote(each.attributes["src"])).read_bytes()
                size = int(each.attributes["width"]), int(each.attributes["height"])
                assert Image.open(BytesIO(png)).size == size


def test_every_kit_has_an_entry_in_each_of_its_languages() -> None:
    build()
    assert shown() == {
        ("The pause", "en"): ["pause.pdf"],
        ("Trap bid o", "ca"): ["traps.ca.pdf"],
        ("Trap bid", "en"): ["traps.pdf"],
    }
    assert shown("host") == {
        ("The pause", "en"): ["pause.host.pdf"],
        ("Trap bid o", "ca"): ["traps.ca.host.pdf"],
        ("Trap bid", "en"): ["traps.host.pdf"],
    }
    assert sorted(pictures(page())) == [
        "pictures/pause.page.png",
        "pictures/traps.ca.cards.png",
        "pictures/traps.ca.page.png",
        "pictures/traps.cards.png",
        "pictures/traps.page.png",
    ]
    assert_whole()


@pytest.mark.parametrize(
    ("options", "files"),
    [
        ("--paper Letter --paper A4", ["traps.letter.pdf", "traps.a4.pdf"]),
        ("--paper A4 --paper Letter", ["traps.a4.pdf", "traps.letter.pdf"]),
        ("--large-print", ["traps.large.pdf"]),
        ("--sets 3", ["traps.sets-a-c.pdf"]),
        ("--split", ["traps.cards.pdf", "traps.label.pdf", "traps.rules.pdf"]),
        ("--parts rules,label", ["traps.rules-label.pdf"]),
        (
            "--backs separate",
            ["traps.fronts.pdf", "traps.pages.pdf"],
        ),
        ("--cards Safe", ["traps.reprint.pdf"]),
    ],
)
def test_an_entry_has_all_pdfs_of_a_kit_and_the_first_one_is_what_most_print(
    options: str, files: list[str]
) -> None:
    build("traps", "--language", "en", *options.split())
    assert shown() == {("Trap bid", "en"): files}
    assert pictures(page())
    assert_whole()


def test_what_is_printed_otherwise_joins_the_entry() -> None:
    build("--language", "en")
    usual = sheets("Trap bid")
    for options in (["--large-print"], ["--sets", "9"], ["--paper", "A4", "--paper", "A5"]):
        build("traps", "--language", "en", *options)
    assert shown()["Trap bid", "en"] == [
        "traps.pdf",
        "traps.a4.pdf",
        "traps.a5.pdf",
        "traps.large.pdf",
        "traps.sets-a-i.pdf",
    ]
    named = [each.text for each in page().all("a")]
    assert [each.partition(" · ")[2] for each in named if "·" in each] == [
        "A4",
        "A5",
        "large",
        "sets-a-i",
    ]
    assert sheets("Trap bid") == usual
    assert_whole()


@pytest.mark.parametrize("options", ["", "--split", "--sets 4", "--paper A4 --paper Letter"])
def test_sheets_are_counted_once(options: str) -> None:
    only = ["--language", "en", "--only", "player"]
    build("traps", *only, *options.split())
    first = options.replace(" --paper Letter", "").split()
    assert sheets("Trap bid") == needed("traps", *only, *first)


def test_each_puzzle_has_an_entry_of_its_own() -> None:
    code = {"kind": "secret-code", "symbols": ["C", "T", "S", "X"]}
    add("codes", kit("Codes") | {"puzzle": code})
    build("codes", "--puzzles", "3-4")
    assert shown() == {
        ("Codes · Puzzle 3", "en"): ["codes.puzzle-3.pdf"],
        ("Codes · Puzzle 4", "en"): ["codes.puzzle-4.pdf"],
    }
    assert_whole()


def test_names_of_any_language_are_linked() -> None:
    (CLUB / "pause.yaml").rename(CLUB / "la-pausa.yaml")
    build("--out", "build", "la-pausa", "--paper", "210 x 300 mm", "--paper", "A4")
    assert sorted(links(page())) == ["la-pausa.210x300mm.pdf", "la-pausa.a4.pdf"]
    assert_whole()


# --- Who sees what -------------------------------------------------------------------------------


def test_the_page_of_the_players_says_nothing_of_the_host() -> None:
    build()
    html = path_of().read_text("utf-8")
    for word in ("../", "host", SECRET, "observe", TRAPS["practises"]):
        assert word not in re.sub(r"(?s)<style>.*?</style>|<script>.*?</script>", "", html), word
    assert "HOST" not in html.upper().replace("LOCALHOST", "")


def test_the_page_of_the_host_leads_to_the_keys_alone() -> None:
    build()
    assert all(each.endswith(".host.pdf") for each in links(page("host")))
    assert page("host").all("section", **{"class": "banner"})


def test_for_players_only_there_is_no_page_of_the_host() -> None:
    build("--only", "player")
    assert path_of().exists()
    assert not Path("build/host").exists()


def test_locked_keys_have_no_pictures_also_none_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build()
    assert lying("host", ".png")
    monkeypatch.setenv("KIT_BUILDER_PASSWORD", "quokka")
    build("--password")
    assert lying("host", ".png") == set()
    assert pictures(page("host")) == []
    assert len(links(page("host"))) == 3
    assert pictures(page())
    assert_whole()
    build()
    assert pictures(page("host"))
    assert_whole()


# --- When it is written --------------------------------------------------------------------------


def test_a_page_that_is_up_to_date_is_not_written_again() -> None:
    build()
    before = [(path_of(each).stat().st_mtime_ns, path_of(each).stat().st_ino) for each in EDITIONS]
    build()
    build("traps")
    after = [(path_of(each).stat().st_mtime_ns, path_of(each).stat().st_ino) for each in EDITIONS]
    assert before == after


def test_a_page_that_somebody_changed_or_removed_is_written_again() -> None:
    build()
    html = path_of().read_bytes()
    path_of().write_text("mine")
    build()
    assert path_of().read_bytes() == html
    path_of().unlink()
    build("pause")
    assert path_of().read_bytes() == html


def test_a_page_is_the_same_whatever_was_built_first() -> None:
    build()
    html = path_of().read_bytes()
    for each in ("traps", "pause"):
        build(each, "--out", "again")
    assert Path("again/player/index.html").read_bytes() == html


def test_a_kit_that_is_gone_leaves_the_page() -> None:
    build()
    (CLUB / "traps.yaml").unlink()
    (CLUB / "traps.ca.yaml").unlink()
    build()
    assert list(shown()) == [("The pause", "en")]
    assert lying("player", ".png") == {"pictures/pause.page.png"}
    assert_whole()


def test_a_pdf_that_somebody_removed_leaves_the_page_until_it_is_made_again() -> None:
    build()
    build("pause", "--large-print")
    Path("build/player/pause.large.pdf").unlink()
    build()
    assert shown()["The pause", "en"] == ["pause.pdf"]
    build("pause", "--large-print")
    assert shown()["The pause", "en"] == ["pause.pdf", "pause.large.pdf"]


def test_a_changed_text_is_changed_on_the_page() -> None:
    build()
    add("pause", PAUSE | {"summary": "Be quiet."})
    build()
    (found,) = (each for each in kits(page()) if each.attributes["data-slug"] == "pause")
    assert "Be quiet." in found.text


def test_a_faulty_kit_is_shown_as_it_was() -> None:
    build()
    html = path_of().read_bytes()
    add("traps", TRAPS | {"zzz": "x"})
    build(code=1)
    assert path_of().read_bytes() == html
    assert_whole()


def test_a_page_that_nobody_wants_is_not_made_and_goes_if_it_is_there() -> None:
    build("--no-gallery", "--out", "bare")
    assert not [*Path("bare").rglob("*.html"), *Path("bare").rglob("*.png")]
    build()
    build("--no-gallery")
    assert not [*Path("build").rglob("*.html"), *Path("build").rglob("*.png")]
    build()
    Path("kit.yaml").write_text("gallery: no", "utf-8")
    build()
    assert not [*Path("build").rglob("*.html"), *Path("build").rglob("*.png")]


def test_a_page_is_in_the_language_of_most_kits_and_names_the_school() -> None:
    Path("kit.yaml").write_text("school: Escola <Nova>", "utf-8")
    build()
    assert page().one("html").attributes["lang"] == "en"
    assert page().one("p", **{"class": "school"}).text == "Escola <Nova>"
    for name in ("one", "two"):
        add(name, kit(f"El {name}") | {"language": "ca"})
    build()
    assert page().one("html").attributes["lang"] == "ca"


def test_own_words_are_on_the_page_and_a_faulty_label_file_leaves_it_as_it_was() -> None:
    words = CLUB / "templates" / "labels" / "en.yaml"
    words.parent.mkdir(parents=True)
    words.write_text("gallery-title: All our games\n", "utf-8")
    build()
    assert page().one("h1").text == "All our games"
    html = path_of().read_bytes()
    words.write_text("gallery-titel: All our games\n", "utf-8")
    result = build(code=1)
    assert result.stderr.endswith("1 fault\n")
    assert "out of date: build/player/pause.pdf\n" in result.stderr
    assert path_of().read_bytes() == html


WAYS = ["", "large", "letter", "a4.large", "sets-a-c"]
PRINTED = st.tuples(
    st.sampled_from(["a", "b", "c-d"]),
    st.sampled_from(["en", "ca"]),
    st.sampled_from(["", "puzzle-7"]),
    st.sampled_from(WAYS),
    st.sampled_from(EDITIONS),
    st.booleans(),
)


def recorded(
    slug: str, language: str, mark: str, way: str, edition: str, pictured: bool
) -> tuple[Record, dict[str, bytes]]:
    """What a build remembers of a PDF, and its files."""
    parts = (slug, "" if language == "en" else language, mark, way)
    host = "host" if edition == "host" else ""
    name = f"{edition}/{'.'.join(filter(None, (*parts, host, 'pdf')))}"
    facts = {
        "pages": 2,
        "count": {"pages": 2, "paper": len(way) + 1, "card": 0, "cards": 0, "cuts": 0},
        "slug": slug,
        "language": language,
        "translated": language != "en",
        "marks": way.split(".") if way else [],
        "way": way,
        "about": {
            "title": f"Game {slug}",
            "mark": mark,
            "category": "Tests",
            "summary": "A game.",
            "players": [2, 3],
            "minutes": [5, 5],
            "pieces": [],
        },
        "pictures": [["page", 560, 792]] if pictured else [],
    }
    files = {name: b"%PDF"} | ({picture_name(name, "page"): b"PNG"} if pictured else {})
    return Record(name, (f"activities/{slug}.yaml",), "key", (), facts), files


@settings(max_examples=60, deadline=None)
@given(st.lists(PRINTED, min_size=1, max_size=9, unique_by=lambda each: each[:5]))
def test_whatever_was_built_each_pdf_is_linked_once_from_the_page_of_its_edition(
    printed: list[tuple[str, str, str, str, str, bool]],
) -> None:
    with TemporaryDirectory() as folder, opened(Path(folder), lambda: None) as store:
        made = [recorded(*each) for each in printed]
        store.put(made)
        exhibits.refresh(store, templates.read())
        for edition in EDITIONS:
            mine = [files for record, files in made if record.name.startswith(edition)]
            path = Path(folder, edition, "index.html")
            assert path.exists() == bool(mine)
            if not mine:
                continue
            tree = Tree(path.read_text("utf-8")).open[0]
            names = [str(Path(name).relative_to(edition)) for each in mine for name in each]
            assert sorted(links(tree)) == sorted(each for each in names if each.endswith("pdf"))
            assert set(pictures(tree)) <= {each for each in names if each.endswith("png")}
            for entry in kits(tree):
                own = {Path(each).stem for each in links(entry)}
                assert all(Path(each).name.removesuffix(".page.png") in own
                           for each in pictures(entry))  # fmt: skip
            assert len(kits(tree)) == len({each[:3] for each in printed if each[4] == edition})


def test_what_a_kit_needs_is_what_its_first_pdf_needs() -> None:
    with TemporaryDirectory() as folder, opened(Path(folder), lambda: None) as store:
        printed = [("a", "en", "", way, "player", way == "letter") for way in WAYS]
        store.put([recorded(*each) for each in printed])
        exhibits.refresh(store, templates.read())
        (entry,) = kits(Tree(Path(folder, "player", "index.html").read_text("utf-8")).open[0])
        assert links(entry)[0] == "a.letter.pdf"
        assert f"{Count(paper=len('letter') + 1).paper} of plain paper" in entry.text
