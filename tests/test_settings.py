"""A kit.yaml says what options say; what is wrong in it is told at its place, and harms nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as sizes
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from kit_builder import cli, options, project, settings
from kit_builder.errors import KitError
from kit_builder.printing import EDITIONS
from kit_builder.variants import Options
from tests.measured import Measured
from tests.small_kits import deck, write

KIT = Path("kit.yaml")


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two activities, which is the current folder, and a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("KIT_BUILDER_SECRET", raising=False)
    write(Path("activities"), deck(2), slug="traps", title="Trap bid")
    write(Path("activities"), deck(2), slug="pause", title="The pause", related=["traps"])
    return tmp_path


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, arguments)


def build(*arguments: str) -> Result:
    return typed("build", "--jobs", "1", *arguments)


def faults(result: Result) -> list[str]:
    """The first line of each fault, and nothing else said about them."""
    assert result.exit_code == 1
    lines = [line for line in result.stderr.splitlines() if line.startswith(str(KIT))]
    told = f"{len(lines)} fault{'s' if len(lines) > 1 else ''}"
    assert result.stderr.splitlines()[-1] == told
    return lines


def written(folder: str = "build") -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.pdf"))


def chosen(text: str, **given: Any) -> Options:
    """What kit.yaml and options of the command line choose together."""
    KIT.write_text(text, "utf-8")
    return settings.scope(None).chosen(options.chosen, given)


# --- Faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": the file is empty; write where the activities are"),
        ("outt: x", ':1:1: the project has no field "outt"; did you mean "out"? its fields are '),
        ("- out: x", ":1:1: a list stands where the fields of the project belong; "),
        ("activities: traps", ':1:13: "activities" must be a list; '),
        ("activities: []", ':1:13: the list "activities" is empty; '),
        (
            "activities: [activities, more]",
            ':1:26: there is no file or folder "more"; '
            "write a path as seen from the folder of kit.yaml",
        ),
        ("activities: [kit.yaml]", ": this file tells of a project, and is no activity; name it "),
        ("out:", ':1:5: "out" is empty; '),
        ("out: kit.yaml", ':1:6: "kit.yaml" is no folder; write the name of a folder'),
        ("gallery: maybe", ':1:10: "gallery" is "maybe"; write yes or no'),
        ("school: {a: b}", ":1:9: the brackets have a special meaning; "),
        ("languages: ca", ':1:12: "languages" must be a list; '),
        ("papers: [A4, A99]", ':1:14: unknown paper "A99"; write one of a3, '),
        ("papers: [9x9m]", ':1:10: "9x9m" is not a size; '),
        ("printing: yes", ":1:11: the fields of the printing belong here; "),
        ("printing: {set: C}", ':1:12: the printing has no field "set"; did you mean "sets"? '),
        ("printing: {secret: x}", ':1:12: the printing has no field "secret"; '),
        ("printing: {sets: 99}", ':1:18: "sets" is "99"; write a whole number from 1 to 26'),
        ("printing: {puzzle: 0}", ':1:20: "puzzle" is "0"; write a whole number from 1 to 9999'),
        ("printing: {checkers: 3}", ':1:22: "checkers" is "3"; write a whole number from 4 to 6'),
        ("printing: {split: 1}", ':1:19: "split" is "1"; write no or yes'),
        ("printing: {backs: long}", ':1:19: there is no "long"; did you mean "long-edge"?'),
        ("printing: {only: all}", ':1:18: there is no "all"; write one of player, host'),
        ("printing: {parts: 'rules, x'}", ':1:19: there is no "x"; write one of rules, cards, '),
        ("printing: {gutter: 4mm}", ":1:20: cards must lie apart; add cut: gutter"),
        (
            "printing: {cut: gutter, gutter: 0mm}",
            ":1:33: no space is left between cards; write 4mm, or cut: shared",
        ),
        (
            "printing: {puzzle: 3, puzzles: 1-4}",
            ":1:32: they are more than one puzzle; leave out puzzle",
        ),
        (
            "printing: {only: host, sets: 3}",
            ":1:30: the host key has none of this; leave out only: host",
        ),
        (
            "printing: {printer: nope}",
            ':1:21: there is no printer "nope"; measure and save it first',
        ),
        ("booklets: {file: x.pdf}", ':1:11: "booklets" must be a list; '),
        ("booklets: [{title: Games}]", ':1:12: the booklet has no "file"; add "file: ..."'),
        ("booklets: [{file: x.pdf, pages: 2}]", ':1:26: the booklet has no field "pages"; '),
        (
            "booklets: [{file: sub/x.pdf}]",
            ':1:19: "sub/x.pdf" is not the name of a PDF; write a name such as games.pdf, ',
        ),
        (
            "booklets: [{file: x.pdf}, {file: X.PDF, edition: player}]",
            ':1:34: another booklet is called "x.pdf"; write another name',
        ),
        (
            "booklets: [{file: traps.large.pdf}]",
            ":1:19: this is the name of a PDF of traps.yaml; write another name",
        ),
        (
            "booklets: [{file: x.pdf, activities: [trap]}]",
            ':1:39: there is no activity "trap"; did you mean "traps"?',
        ),
        (
            "booklets: [{file: x.pdf, inserts: ['plan.pdf:1-2']}]",
            ':1:36: there is no file "plan.pdf:1-2"; write a path as seen from the folder of ',
        ),
        ("booklets: [{file: x.pdf, edition: hots}]", ':1:35: there is no "hots"; did you mean '),
        ("booklets: [{file: x.pdf, paper: A99}]", ':1:33: unknown paper "A99"; write one of a3, '),
        (
            "booklets: [{file: x.pdf, signature: 3}]",
            ":1:37: only a folded booklet has it; add fold: yes",
        ),
        (
            "booklets: [{file: x.pdf, fold: yes, paper: A5}]",
            ":1:44: A5 is too small to fold; write A4 or Letter",
        ),
        (
            "booklets: [{file: x.pdf, fold: yes, creep: 9mm}]",
            ':1:44: "9mm" is not from 0 to 1 mm; write 0.1mm or so',
        ),
    ],
)
@pytest.mark.parametrize("command", [("build", "--jobs", "1"), ("check",)], ids=["build", "check"])
def test_a_fault_is_told_at_its_place(command: tuple[str, ...], text: str, told: str) -> None:
    KIT.write_text(text, "utf-8")
    (line,) = faults(typed(*command))
    assert line.startswith(f"kit.yaml{told}")
    assert not Path("build").exists()


def test_a_faulty_file_harms_nothing_that_is_built() -> None:
    build()
    before = {path: path.read_bytes() for path in Path("build").rglob("*.*") if path.is_file()}
    KIT.write_text("gallery: no\nbooklets: [{file: x.pdf, paper: A99}]", "utf-8")
    assert len(faults(build())) == 1
    assert before == {path: path.read_bytes() for path in before}


def test_all_faults_of_a_kind_are_told_at_once_from_the_first_line_to_the_last() -> None:
    KIT.write_text("gallery: maybe\nschol: x\nprinting: {sets: 0}", "utf-8")
    assert [line.split(":")[1] for line in faults(build())] == ["1", "2", "3"]
    KIT.write_text(
        "printing:\n  puzzle: 3\n  puzzles: 1-4\n  printer: nope\n  gutter: 4mm\n  cut: zz", "utf-8"
    )
    # What a gutter needs is not known as long as the way of cutting is not.
    assert [line.split(":")[1] for line in faults(build())] == ["3", "4", "6"]
    booklets = ["{file: x.pdf, activities: [zz], inserts: [no.pdf]}", "{file: y.pdf, paper: A99}"]
    KIT.write_text("booklets:\n" + "".join(f"  - {each}\n" for each in booklets), "utf-8")
    assert [line.split(":")[1] for line in faults(build())] == ["2", "2", "3"]


def test_a_file_that_cannot_be_read_is_a_fault_of_it() -> None:
    KIT.write_bytes(b"school: \xff\n")
    (line,) = faults(build())
    assert line.startswith("kit.yaml:1:9: ")
    KIT.write_text("school: [Hill", "utf-8")
    (line,) = faults(build())
    assert line.startswith('kit.yaml:1:14: a comma or "]" is missing here; ')


def test_faults_are_told_as_json_too() -> None:
    KIT.write_text("printing: {backs: long}", "utf-8")
    result = build("--json")
    assert (result.exit_code, result.stderr) == (1, "")
    (fault,) = json.loads(result.stdout)["faults"]
    assert (fault["path"], fault["line"], fault["column"]) == ("kit.yaml", 1, 19)


def test_a_wrong_command_line_is_no_fault_of_the_file() -> None:
    KIT.write_text("printing: {backs: long-edge}", "utf-8")
    result = build("--cut", "zz")
    assert result.exit_code == 2
    assert "--cut" in result.stderr
    assert "kit.yaml" not in result.stderr


# --- Where it counts -----------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["club", "club/", "club/kit.yaml"])
def test_a_folder_or_the_file_itself_stands_for_its_project(named: str, club: Path) -> None:
    for name in ("one", "two"):
        write(club / "club" / name, deck(1), slug=name)
    text = "activities: [one, two/two.yaml]\nout: made\npapers: [A5]\n"
    (club / "club" / "kit.yaml").write_text(text, "utf-8")
    assert build(named, "--only", "player").exit_code == 0
    assert written("club/made") == ["player/one.pdf", "player/two.pdf"]
    assert not Path("build").exists()


def test_a_file_right_here_counts_for_whatever_is_named() -> None:
    KIT.write_text("out: made\nprinting: {only: player}", "utf-8")
    assert build("pause").exit_code == 0
    assert written("made") == ["player/pause.pdf"]


@pytest.mark.parametrize("name", ["kit.yml", "kit.yaml.txt"])
@pytest.mark.parametrize("folder", [".", "club"])
def test_a_file_of_nearly_its_name_is_not_passed_over(folder: str, name: str, club: Path) -> None:
    write(club / folder / "activities", deck(1), slug="alone")
    (club / folder / name).write_text("out: made", "utf-8")
    result = build(*(() if folder == "." else (folder,)))
    path = str(Path(folder) / name)
    told = f"{path}: the file of a project has another name; call it kit.yaml\n\n1 fault\n"
    assert (result.exit_code, result.stderr) == (1, told)
    (club / folder / "kit.yaml").write_text("out: made", "utf-8")
    assert build(*(() if folder == "." else (folder,))).exit_code == 0


def test_a_file_elsewhere_does_not_count(club: Path) -> None:
    (club / "activities" / "kit.yaml").write_text("out: made", "utf-8")
    assert build("activities/pause.yaml", "activities/traps.yaml").exit_code == 0
    assert len(written()) == 4


def test_activities_lie_where_the_file_says_or_in_their_folder_or_beside_it(club: Path) -> None:
    KIT.write_text("school: Hill", "utf-8")
    assert [line.split()[0] for line in typed("list").stdout.splitlines()[1:]] == ["pause", "traps"]
    write(club / "bare", deck(1), slug="alone")
    (club / "bare" / "kit.yaml").write_text("school: Hill", "utf-8")
    assert [line.split()[0] for line in typed("list", "bare").stdout.splitlines()[1:]] == ["alone"]


# --- What it says --------------------------------------------------------------------------------


def test_the_command_line_wins() -> None:
    text = "papers: [Letter]\nlanguages: [ca, en]\nschool: Hill\nprinting: {sets: 8, backs: fold}\n"
    assert chosen(text).languages == ["ca", "en"]
    assert chosen(text) == options.chosen(
        ["Letter"], ["ca", "en"], sets=8, backs="fold", school="Hill"
    )
    given: dict[str, Any] = {
        "paper": ["A5"],
        "language": ["eu"],
        "sets": 2,
        "backs": "none",
        "school": "Lake",
    }
    assert chosen(text, **given) == options.chosen(**given)
    assert chosen(text, school="").printing.school == ""


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("{sets: 8, parts: rules, split: yes}", {"only": "host"}),
        ("{only: host}", {"sets": 8}),
        ("{only: host}", {"cards": "N1"}),
        ("{parts: rules}", {"cards": "N1"}),
        ("{puzzles: 1-4}", {"puzzle": 2}),
        ("{puzzle: 2}", {"puzzles_": "1-4"}),
        ("{cut: gutter, gutter: 6mm, bleed: 2mm}", {"cut": "shared"}),
    ],
)
def test_settings_that_do_not_go_with_an_option_are_set_aside(
    text: str, given: dict[str, Any]
) -> None:
    assert chosen(f"printing: {text}", **given) == options.chosen(**given)


def test_players_only_stays_when_sets_are_asked_for() -> None:
    assert chosen("printing: {only: player}", sets=8) == options.chosen(only="player", sets=8)


SAID: Mapping[str, st.SearchStrategy[Any]] = {
    "only": st.sampled_from([*EDITIONS, "Host"]),
    "sets": st.integers(1, 26),
    "parts": st.sampled_from(["rules", "cards,rules", "records, label"]),
    "split": st.booleans(),
    "backs": st.sampled_from(["none", "long-edge", "FOLD"]),
    "cut": st.sampled_from(["shared", "gutter", "none"]),
    "gutter": st.sampled_from(["0mm", "4 mm", "1cm"]),
    "bleed": st.sampled_from(["1mm", "3mm"]),
    "order": st.sampled_from(["rows", "stack"]),
    "cut-backs": st.booleans(),
    "large-print": st.booleans(),
    "puzzle": st.integers(1, 9999),
    "puzzles": st.sampled_from(["1-3", "7"]),
    "mode": st.sampled_from(["classic", "extreme"]),
    "checkers": st.integers(4, 6),
    "candidates": st.sampled_from(["3-8", "5"]),
}


@sizes(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries({}, optional=SAID))
def test_settings_choose_what_the_options_of_their_names_choose(said: dict[str, Any]) -> None:
    words = {True: "yes", False: "no"}
    written = {
        name: words[each] if isinstance(each, bool) else str(each) for name, each in said.items()
    }
    as_options = {
        {"puzzles": "puzzles_"}.get(name, name.replace("-", "_")): each
        for name, each in said.items()
    }
    text = yaml.safe_dump({"out": "build", "printing": written} if written else {"out": "build"})
    try:
        expected = options.chosen(**as_options)
    except typer.BadParameter:
        with pytest.raises(KitError):
            chosen(text)
    else:
        assert chosen(text) == expected


def test_every_field_of_printing_is_an_option_of_build() -> None:
    KIT.write_text("printing: {zzz: 1}", "utf-8")
    with pytest.raises(KitError) as caught:
        project.read(KIT)
    (fault,) = caught.value.faults
    fields = fault.instead.removeprefix("its fields are ").split(", ")
    command = typer.main.get_command(cli.app).commands["build"]  # type: ignore[attr-defined]
    assert {f"--{each}" for each in fields} < {
        option for parameter in command.params for option in parameter.opts
    }


def test_the_school_stands_on_every_page() -> None:
    KIT.write_text("school: Hill School", "utf-8")
    build("pause")
    for name in written():
        for page in Measured(Path("build", name).read_bytes()).pages:
            assert "Hill School" in page.text


def test_a_booklet_typed_has_the_school_and_the_paper_of_the_project() -> None:
    KIT.write_text("school: Hill\npapers: [Letter, A4]\nlanguages: [ca, en]", "utf-8")
    asked = settings.scope(None)
    assert asked.chosen(options.bound, {}) == options.bound(school="Hill", paper="Letter")
    given: dict[str, Any] = {"paper": "A4", "school": "Lake", "language": "en"}
    assert asked.chosen(options.bound, given) == options.bound(**given)


def test_secret_words_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(text: str, **_: object) -> str:
        asked.append(text)
        return "quokka"

    monkeypatch.setattr(typer, "prompt", ask)
    options.secret_words.cache_clear()
    try:
        told = [options.chosen(secret=True).puzzles[0].secret for _ in range(2)]
    finally:
        options.secret_words.cache_clear()
    assert (told, asked) == (["quokka", "quokka"], ["Secret words"])
