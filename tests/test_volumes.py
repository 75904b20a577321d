"""The booklets of a kit.yaml are bound with every build, when they must be, and only then."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from kit_builder import cli, volumes
from kit_builder.settings import scope
from kit_builder.store import opened
from tests.measured import Measured
from tests.small_kits import deck, write

FOLDER = Path("activities")
GAMES = Path("build/player/games.pdf")
SECRET = "The quokka holds all four clues."


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three activities, one of which names another, and a booklet of two of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_BUILDER_PASSWORD", raising=False)
    for slug in ("traps", "pause", "dice"):
        add(slug)
    add("pause", related=["dice"])
    wanted("{file: games.pdf, title: Games, activities: [traps, pause]}")
    return tmp_path


def add(slug: str, title: str = "", **fields: object) -> Path:
    key = {"sections": [{"heading": "Key", "text": SECRET}]}
    title = title or f"Game of {slug}"
    return write(FOLDER, deck(2), **{"slug": slug, "title": title, "host": key} | fields)  # type: ignore[arg-type]


def wanted(*booklets: str, more: str = "") -> None:
    listed = "".join(f"  - {each}\n" for each in booklets)
    text = f"gallery: no\n{more}\n" + (f"booklets:\n{listed}" if booklets else "")
    Path("kit.yaml").write_text(text, "utf-8")


def build(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["build", "--jobs", "1", *arguments])


def bound(result: Result) -> list[str]:
    """The booklets that were bound."""
    return [line.split(": ")[0] for line in result.stdout.splitlines() if line.startswith("build/")]


def written() -> set[str]:
    """What is in the output folder and belongs to no kit."""
    found = {path.relative_to("build").as_posix() for path in Path("build").rglob("*.pdf")}
    return {name for name in found if name.split("/")[1].split(".")[0] not in SLUGS}


SLUGS = ("traps", "pause", "dice")


def words(path: Path = GAMES) -> str:
    return " ".join(page.text for page in Measured(path.read_bytes()).pages)


def test_a_booklet_is_bound_with_its_kits() -> None:
    result = build()
    assert (result.exit_code, bound(result)) == (0, [str(GAMES)])
    assert result.stdout.endswith("7 PDFs in build\n")
    told = words()
    assert "Game of traps" in told
    assert "Game of pause" in told
    assert SECRET not in told
    assert written() == {"player/games.pdf"}


def test_it_is_what_the_command_binds() -> None:
    build()
    line = ["booklet", "traps", "pause", "--title", "Games", "--out", "games.pdf"]
    assert CliRunner().invoke(cli.app, line).exit_code == 0
    assert Path("games.pdf").read_bytes() == GAMES.read_bytes()


def test_what_is_up_to_date_is_not_bound_again() -> None:
    build()
    before = GAMES.read_bytes(), GAMES.stat().st_mtime_ns, GAMES.stat().st_ino
    result = build()
    assert result.stdout == "7 PDFs in build, all up to date\n"
    assert (GAMES.read_bytes(), GAMES.stat().st_mtime_ns, GAMES.stat().st_ino) == before


def test_it_does_not_matter_from_where_the_project_is_built(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build()
    monkeypatch.chdir(club.parent)
    result = build(club.name)
    assert result.stdout == f"7 PDFs in {club.name}/build, all up to date\n"


def change_activity() -> None:
    add("traps", title="Game of snares")


def change_title_named() -> None:
    add("dice", title="Game of cubes")


def change_template() -> None:
    path = FOLDER / "templates" / "cards" / "name.xml.j2"
    path.write_text(path.read_text("utf-8").replace("16 pt", "15 pt"), "utf-8")


def change_words() -> None:
    path = FOLDER / "templates" / "labels" / "en.yaml"
    path.parent.mkdir()
    path.write_text("contents: What is in it\n", "utf-8")


def change_order() -> None:
    wanted("{file: games.pdf, title: Games, activities: [pause, traps]}")


def change_title() -> None:
    wanted("{file: games.pdf, title: Rainy days, activities: [traps, pause]}")


def change_school() -> None:
    wanted(
        "{file: games.pdf, title: Games, activities: [traps, pause]}", more="school: Hill School"
    )


def damage() -> None:
    GAMES.write_bytes(b"no PDF")


def remove() -> None:
    GAMES.unlink()


@pytest.mark.parametrize(
    "change",
    [
        change_activity,
        change_title_named,
        change_template,
        change_words,
        change_order,
        change_title,
        change_school,
        damage,
        remove,
    ],
)
def test_it_is_bound_again_when_anything_that_it_is_made_of_changes(
    change: Callable[[], None],
) -> None:
    build()
    change()
    result = build()
    assert (result.exit_code, bound(result)) == (0, [str(GAMES)])
    renewed = GAMES.read_bytes()
    assert build("--force").exit_code == 0
    assert GAMES.read_bytes() == renewed


def test_it_is_left_alone_when_only_others_change() -> None:
    build()
    add("dice", summary="Something else.")
    add("fresh")
    assert bound(build()) == []


def test_a_booklet_without_a_list_holds_all_activities_also_new_ones() -> None:
    wanted("{file: games.pdf}")
    build()
    assert "Game of dice" in words()
    add("fresh", title="Game of thirst")
    assert bound(build()) == [str(GAMES)]
    assert "Game of thirst" in words()


def test_other_commands_leave_it_alone() -> None:
    build()
    before = GAMES.read_bytes()
    add("traps", title="Game of snares")
    assert bound(build("traps")) == []
    assert bound(build("activities")) == []
    assert GAMES.read_bytes() == before
    assert build("--out", "elsewhere").exit_code == 0
    assert Path("elsewhere/player/games.pdf").exists()


def test_a_faulty_activity_leaves_the_booklet_and_names_it_as_out_of_date() -> None:
    wanted("{file: games.pdf, activities: [traps, pause]}", "{file: rest.pdf, activities: [dice]}")
    build()
    before = GAMES.read_bytes()
    path = FOLDER / "traps.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("players:", "playars:"), "utf-8")
    add("dice", title="Game of cubes")
    result = build()
    assert result.exit_code == 1
    assert bound(result) == ["build/player/rest.pdf"]
    assert "out of date: build/player/games.pdf\n" in result.stderr
    assert "out of date: build/player/rest.pdf\n" not in result.stderr
    assert GAMES.read_bytes() == before
    path.write_text(text, "utf-8")
    add("dice")
    assert build().exit_code == 0


def test_a_booklet_that_cannot_be_bound_stays_as_it_was_and_stops_no_other() -> None:
    wanted("{file: games.pdf, title: Games}", "{file: rest.pdf, activities: [dice]}")
    build()
    before = GAMES.read_bytes()
    wanted(
        f"{{file: games.pdf, title: {'W' * 80}}}",
        "{file: rest.pdf, activities: [dice, pause]}",
    )
    result = build()
    assert result.exit_code == 1
    assert result.stderr.endswith("1 fault\n")
    assert "out of date: build/player/games.pdf\n" in result.stderr
    assert bound(result) == ["build/player/rest.pdf"]
    assert GAMES.read_bytes() == before


def test_while_an_activity_is_faulty_its_last_title_stays() -> None:
    build()
    path = FOLDER / "dice.yaml"
    text = path.read_text("utf-8")
    for half in (text[: text.index("title") + 3], "title: [", "", text.replace("en\n", "\tx\n")):
        path.write_text(half, "utf-8")
        result = build()
        assert result.exit_code == 1
        assert result.stdout == "5 PDFs in build, all up to date\n"
    path.write_text(text, "utf-8")
    assert build().stdout == "7 PDFs in build, all up to date\n"


def test_a_booklet_that_is_wanted_no_more_is_removed_but_not_what_somebody_changed() -> None:
    wanted("{file: games.pdf}", "{file: mine.pdf}")
    build()
    Path("build/player/mine.pdf").write_bytes(b"with my notes")
    Path("build/player/own.pdf").write_bytes(b"never ours")
    wanted()
    result = build()
    assert result.exit_code == 0
    assert "removed: build/player/games.pdf\n" in result.stdout
    assert "kept, because it was changed: build/player/mine.pdf\n" in result.stdout
    assert written() == {"player/mine.pdf", "player/own.pdf"}


def test_what_is_not_folded_lies_in_a_folder_beside_it_and_goes_with_it() -> None:
    wanted("{file: games.pdf, fold: yes, signature: 4, creep: 0.1mm, activities: [traps, pause]}")
    build()
    apart = {"player/games/traps.cards-label.pdf", "player/games/pause.cards-label.pdf"}
    assert written() == {"player/games.pdf", *apart}
    (Path("build") / min(apart)).unlink()
    assert bound(build()) == [str(GAMES)]
    assert apart < written()
    wanted("{file: games.pdf, fold: yes, activities: [traps]}")
    build()
    assert written() == {"player/games.pdf", max(apart)}
    wanted("{file: games.pdf, activities: [traps]}")
    build()
    assert written() == {"player/games.pdf"}


def test_inserts_are_looked_for_beside_the_kit_yaml(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build()
    plan = club / "papers" / "plan.pdf"
    plan.parent.mkdir()
    plan.write_bytes((club / "build" / "player" / "dice.pdf").read_bytes())
    wanted("{file: games.pdf, activities: [traps], inserts: ['papers/plan.pdf:1']}")
    monkeypatch.chdir(club.parent)
    assert build(club.name).exit_code == 0
    assert "Game of dice" in words(club / GAMES)
    plan.write_bytes((club / "build" / "player" / "pause.pdf").read_bytes())
    assert build(club.name).exit_code == 0
    assert "Game of pause" in words(club / GAMES)
    assert plan in scope([club]).places()


def test_the_hosts_booklet_is_locked_with_the_hosts_kits(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted("{file: games.pdf}", "{file: keys.pdf, edition: host}")
    keys = Path("build/host/keys.pdf")
    build()
    assert SECRET in words(keys)
    monkeypatch.setenv("KIT_BUILDER_PASSWORD", "quokka")
    result = build("--password")
    assert (result.exit_code, bound(result)) == (0, [str(keys)])
    assert pypdf.PdfReader(BytesIO(keys.read_bytes())).is_encrypted
    assert not pypdf.PdfReader(BytesIO(GAMES.read_bytes())).is_encrypted
    monkeypatch.delenv("KIT_BUILDER_PASSWORD")
    assert bound(build()) == [str(keys)]
    assert SECRET in words(keys)


def test_what_is_built_for_players_only_holds_no_booklet_of_keys() -> None:
    wanted("{file: games.pdf}", "{file: keys.pdf, edition: host}")
    assert build("--only", "player", "--out", "handout").exit_code == 0
    assert not list(Path("handout").rglob("host/*"))
    build()
    assert "removed" not in build("--only", "player").stdout
    assert Path("build/host/keys.pdf").exists()


def test_a_booklet_is_written_on_the_paper_and_in_the_name_of_its_project() -> None:
    wanted("{file: games.pdf}", more="school: Hill School\npapers: [Letter]")
    build()
    assert "Hill School" in words()
    page = Measured(GAMES.read_bytes()).pages[0]
    assert (page.width, page.height) == pytest.approx((215.9, 279.4), abs=0.01)


def test_binding_never_takes_the_name_of_a_kit_of_another_project() -> None:
    wanted("{file: dice.pdf, activities: [traps]}")
    (FOLDER / "dice.yaml").unlink()
    add("pause")
    assert build(str(write(Path("other"), deck(1), slug="dice"))).exit_code == 0
    before = Path("build/player/dice.pdf").read_bytes()
    result = build()
    assert result.exit_code == 1
    told = "kit.yaml:4:12: player/dice.pdf is a kit's own PDF; write another name"
    assert told in result.stderr
    assert "out of date" not in result.stderr
    assert Path("build/player/dice.pdf").read_bytes() == before


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(["add", "change", "break", "mend"]), min_size=1, max_size=4))
def test_whatever_happened_before_the_booklet_is_that_of_a_first_build(steps: list[str]) -> None:
    for number, step in enumerate(steps):
        slug = SLUGS[number % len(SLUGS)]
        if step == "break":
            (FOLDER / f"{slug}.yaml").write_text("title: Game of", "utf-8")
        else:
            add(f"fresh{number}" if step == "add" else slug, title=f"Game {step} {number}")
        build()
    for slug in SLUGS:
        add(slug)
    build()
    kept = GAMES.read_bytes()
    build("--out", "first")
    assert Path("first/player/games.pdf").read_bytes() == kept
    shutil.rmtree("first")


def test_booklets_are_told_from_kits_and_pages(club: Path) -> None:
    Path("kit.yaml").write_text("booklets: [{file: games.pdf}]", "utf-8")
    build()
    with opened(club / "build", lambda: None) as store:
        assert [each.name for each in volumes.records(store)] == ["player/games.pdf"]


def test_json_tells_of_booklets() -> None:
    told = json.loads(build("--json").stdout)
    assert told["booklets"] == [{"path": "player/games.pdf", "made": True}]
    told = json.loads(build("--json").stdout)
    assert told["booklets"] == [{"path": "player/games.pdf", "made": False}]
