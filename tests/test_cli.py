"""The console command: what is typed, what is answered, and what is left when it is stopped."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.core import TyperGroup

from kit_builder import cli, formats, story
from kit_builder.printing import BACKS, CUTS, ORDERS, PARTS

ROOT = Path(__file__).parent.parent
PROGRAM = [sys.executable, "-c", "from kit_builder.cli import main; main()"]
KIT = """\
title: Game
language: en
category: Tests
summary: A game.
players: 2-3
minutes: 5
practises: Patience.
observe: Whether it is fun.
rules:
  - heading: Play
    text: Play it.
decks:
  - name: Deck
    face: symbol
    back: {pattern: waves}
    cards: [{shape: circle, label: Safe, copies: 3}, {shape: cross, label: Trap}]
    total: 4
records:
  - {title: Log, columns: [Round, Score], rows: 3}
host:
  sections: [{heading: Key, text: The quokka holds all four clues.}]
"""


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one activity, which is the current folder, and a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("KIT_BUILDER_SECRET", raising=False)
    add("game", KIT)
    return tmp_path


def add(name: str, text: str | bytes) -> Path:
    path = Path("activities", f"{name}.yaml")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(monkeypatch, capsys)


class Typed:
    """Types a command and reads the answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._monkeypatch.setattr(sys, "argv", ["kit-builder", *arguments])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        code = stopped.value.code
        assert code is None or isinstance(code, int)
        return Answer(code or 0, *self._capsys.readouterr())


def run(*arguments: str, **environment: str) -> Answer:
    """The same in a process of its own."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def written(folder: str = "build") -> list[str]:
    """The PDFs in the output folder."""
    return sorted(str(path.relative_to(folder)) for path in Path(folder).glob("*/*.pdf"))


# --- Help ----------------------------------------------------------------------------------------


def commands() -> dict[
    tuple[str, ...], Sequence[typer.core.TyperArgument | typer.core.TyperOption]
]:
    """Every command with its parameters."""
    found = {}
    waiting: list[tuple[tuple[str, ...], object]] = [((), typer.main.get_command(cli.app))]
    while waiting:
        name, command = waiting.pop()
        if isinstance(command, TyperGroup):
            waiting += [((*name, each), inner) for each, inner in command.commands.items()]
        else:
            found[name] = command.params  # type: ignore[attr-defined]
    return found


COMMANDS = commands()


@pytest.mark.parametrize("asked", [(), ("--help",), ("-h",)])
def test_the_program_alone_shows_what_it_can_do(typed: Typed, asked: tuple[str, ...]) -> None:
    answer = typed(*asked)
    told = answer.out + answer.err
    listed = {name[0] for name in COMMANDS}
    assert listed <= set(re.findall(r"^  (\w+) ", told, re.MULTILINE))
    assert "..." not in told.replace("[ARGS]...", "")


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_explains_every_option_with_its_default(
    typed: Typed, name: tuple[str, ...]
) -> None:
    answer = typed(*name, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert len(answer.out.splitlines()) <= 64
    for option in COMMANDS[name]:
        if option.opts[0].startswith("--") and option.opts[0] != "--help":
            assert option.opts[0] in answer.out
            assert option.help
            if option.default not in (None, False):
                assert f"[default:{option.default}" in "".join(answer.out.split())


def test_the_help_names_every_word_an_option_takes(typed: Typed) -> None:
    told = " ".join(typed("build", "--help").out.split())
    for word in (*PARTS, *BACKS, *CUTS, *ORDERS, *(each.name for each in formats.PAPERS.values())):
        assert re.search(rf"\b{word}\b", told)


def test_a_narrow_terminal_gets_the_same_words() -> None:
    narrow, wide = run("build", "--help", COLUMNS="20"), run("build", "--help", COLUMNS="200")
    assert narrow.out != wide.out
    assert "".join(narrow.out.split()) == "".join(wide.out.split())
    assert "\x1b" not in wide.out


# --- Wrong command lines -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("bild", "No such command 'bild'. Did you mean 'build'?"),
        ("build --foo", "No such option: --foo"),
        ("build --out", "Option '--out' requires an argument."),
        ("check --out x", "No such option: --out"),
        ("build --paper a6", '--paper: unknown paper "a6"; write one of a3, a4, '),
        ("build --paper 210x297", '--paper: "210x297" is not a size; write width x height'),
        ("build --paper 60x60mm", '--paper: "60x60mm" is too small or too large; write sides from'),
        ("build --paper 9x9m", '--paper: "9x9m" is not a size; '),
        ("build --paper 100000x100000mm", '--paper: "100000x100000mm" is too small or too large; '),
        ("build --only nobody", '--only: there is no "nobody"; write one of player, host'),
        ("build --sets 0", "'--sets': this is too small; write 1 or more"),
        ("build --sets 27", "'--sets': this is too large; write 26 or less"),
        ("build --sets 2 --set Z", '--set: there is no set "Z"; write a letter from A to B'),
        ("build --set AA", '--set: there is no set "AA"; write a letter from A to Z'),
        ("build --set é", '--set: there is no set "é"; write a letter from A to Z'),
        ("build --set=", '--set: there is no set ""; write a letter from A to Z'),
        (
            "build --parts zz",
            '--parts: there is no "zz"; write one of rules, cards, records, label',
        ),
        ("build --parts=", "--parts: nothing is named; write a list such as rules"),
        ("build --cards=,", "--cards: nothing is named; write a list such as R2,B1"),
        ("build --cards Safe --parts cards", "--cards: they are of one part; leave out --parts"),
        ("build --backs zz", '--backs: there is no "zz"; write one of none, long-edge, '),
        ("build --backs lomg-edge", '--backs: there is no "lomg-edge"; did you mean "long-edge"?'),
        ("build --cut zz", '--cut: there is no "zz"; write one of shared, '),
        ("build --order zz", '--order: there is no "zz"; write one of rows, stack'),
        ("build --cut=", '--cut: there is no ""; write one of shared, '),
        ("build --gutter 4 --cut gutter", '--gutter: "4" is not a length; write a number and a '),
        ("build --gutter -4mm --cut gutter", '--gutter: "-4mm" is not from 0 to 20 mm; write '),
        ("build --gutter 1m --cut gutter", '--gutter: "1m" is not a length; '),
        ("build --gutter 4mm", "--gutter: cards must lie apart; add --cut gutter"),
        ("build --gutter 4mm --cut dashed", "--gutter: cards must lie apart; add --cut gutter"),
        ("build --bleed 2mm", "--bleed: cards must lie apart; add --cut gutter"),
        ("build --bleed 2mm --cut shared", "--bleed: cards must lie apart; add --cut gutter"),
        (
            "build --bleed 2mm --cut none",
            "--bleed: it would cover the next card; write --gutter 4mm or more",
        ),
        (
            "build --bleed 2mm --cut gutter --gutter 1mm",
            "--bleed: it would cover the next card; write --gutter 4mm or more",
        ),
        (
            "build --gutter 0mm --cut gutter",
            "--gutter: no space is left between cards; write 4mm, or --cut shared",
        ),
        ("build --puzzles 3-1", '--puzzles: "3-1" is not a range; write one such as 1-20'),
        ("build --puzzle 1 --puzzles 2", "--puzzles: they are more than one puzzle; leave out "),
        ("calibrate --flip up", '--flip: unknown edge "up"; write long-edge or short-edge'),
        ("printer save x --margin 5", '--margin: "5" is not a number with a unit; write a length'),
    ],
)
def test_a_wrong_command_line_is_one_line(typed: Typed, line: str, told: str) -> None:
    answer = typed(*line.split())
    assert answer.code == 2
    assert answer.out == ""
    assert re.sub("^Invalid value for ", "", answer.err).startswith(told)
    assert answer.err.count("\n") == 1
    assert not Path("build").exists()


@pytest.mark.parametrize(
    "options",
    ["--parts rules", "--cards Safe", "--split", "--sets 2", "--set C"],
)
def test_what_only_players_have_is_refused_for_the_host(typed: Typed, options: str) -> None:
    answer = typed("build", "--only", "host", *options.split())
    option = options.split()[0]
    assert answer == (
        2,
        "",
        f"Invalid value for {option}: the host key has none of this; leave out --only host\n",
    )


@pytest.mark.parametrize("printer", ["unknown", "../x", "con", ""])
def test_an_unknown_printer_is_one_fault(typed: Typed, printer: str) -> None:
    answer = typed("build", "--printer", printer)
    assert (answer.code, answer.out) == (1, "")
    fault, rest = answer.err.split("\n", 1)
    assert f'"{printer}"' in fault
    assert "; " in fault
    assert rest == "\n1 fault\n"


# --- What is built -------------------------------------------------------------------------------


def test_a_build_says_what_it_wrote(typed: Typed) -> None:
    assert typed("build") == (0, "game: player 4 pages, host 2 pages\n2 PDFs in build\n", "")
    assert written() == ["host/game.host.pdf", "player/game.pdf"]


def test_words_of_options_may_be_typed_in_capitals(typed: Typed) -> None:
    line = "--parts RULES --backs LONG-EDGE --cut Gutter --order Stack --only Player --set c"
    assert typed("build", *line.split(), "--paper", "LETTER").code == 0
    assert written() == ["player/game.set-c.rules.pdf"]


def test_equal_papers_are_one(typed: Typed) -> None:
    papers = ["a4", "A4", "210 x 297 mm"]
    assert typed("build", *(part for each in papers for part in ("--paper", each))).code == 0
    assert written() == ["host/game.host.pdf", "player/game.pdf"]


def test_parts_named_twice_or_in_another_order_are_the_same_file(typed: Typed) -> None:
    for parts in ("cards,rules", "rules, cards,rules"):
        typed("build", "--only", "player", "--parts", parts)
    assert written() == ["player/game.rules-cards.pdf"]


def test_a_part_that_a_kit_has_not_is_no_fault(typed: Typed) -> None:
    add("bare", re.sub(r"decks:.*(?=host:)", "", KIT, flags=re.DOTALL))
    answer = typed("build", "activities/bare.yaml", "--parts", "cards", "--only", "player")
    assert answer == (0, "bare: nothing to print\n", "")


def test_an_activity_named_in_several_ways_is_built_once(typed: Typed, club: Path) -> None:
    path = "activities/game.yaml"
    answer = typed("build", path, "activities", f"./{path}", str(club / path), "activities/")
    assert answer.out.count("game: ") == 1


def test_paths_may_have_spaces_and_letters_of_any_language(typed: Typed, club: Path) -> None:
    folder = club / "my ñ käthe"
    folder.mkdir()
    (folder / "game.yaml").write_text(KIT, "utf-8")
    answer = typed("build", "my ñ käthe", "--out", "out ö")
    assert answer.out.endswith("2 PDFs in out ö\n")
    (folder / "game.yaml").write_text(KIT.replace("title", "titel"), "utf-8")
    assert typed("build", str(folder)).err.startswith("my ñ käthe/game.yaml:1:1: ")


def test_a_path_outside_the_current_folder_is_shown_whole(
    typed: Typed, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add("game", KIT.replace("title", "titel"))
    (club / "elsewhere").mkdir()
    monkeypatch.chdir(club / "elsewhere")
    assert typed("check", "../activities").err.startswith(f"{club}/activities/game.yaml:1:1: ")


def test_the_plan_of_a_build_is_what_it_prints(typed: Typed) -> None:
    plan = json.loads(typed("plan", "--json", "--only", "player").out)
    assert plan["activities"] == {"game": plan["total"]}
    assert (plan["total"]["pages"], plan["total"]["cards"]) == (4, 4)
    assert not Path("build").exists()


def test_a_check_writes_nothing(typed: Typed) -> None:
    assert typed("check").out == "game: no faults, player 4 pages, host 2 pages\n"
    assert [path.name for path in Path().iterdir()] == ["activities"]


# --- Faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["build", "check", "plan", "list"])
def test_a_faulty_activity_does_not_stop_the_others(typed: Typed, command: str) -> None:
    add("a-faulty", KIT.replace("total: 4", "total: 5").replace("minutes: 5", "minutes: no"))
    answer = typed(command)
    assert answer.code == 1
    assert "game" in answer.out
    assert "a-faulty" not in answer.out
    assert re.fullmatch(
        r"activities/a-faulty\.yaml:6:10: .+; .+\n    6 \| minutes: no\n +\^\n\n"
        r"activities/a-faulty\.yaml:17:12: .+; .+\n   17 \|     total: 5\n +\^\n\n"
        r"2 faults\n",
        answer.err,
    )


def test_a_fault_leaves_what_was_built_before(typed: Typed) -> None:
    typed("build")
    before = {name: Path("build", name).read_bytes() for name in written()}
    add("game", KIT.replace("Safe", "W" * 50))
    assert typed("build").code == 1
    assert {name: Path("build", name).read_bytes() for name in written()} == before


def test_a_kit_that_cannot_be_written_does_not_stop_the_others(typed: Typed) -> None:
    add("other", KIT)
    Path("build/player/game.pdf").mkdir(parents=True)
    answer = typed("build")
    assert answer.code == 1
    assert answer.out == "other: player 4 pages, host 2 pages\n2 PDFs in build\n"
    assert answer.err.startswith("build/player/game.pdf: cannot be written (is a directory); ")


def test_a_fault_of_the_program_is_not_dressed_as_the_users(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(story, "build", fail)
    with pytest.raises(ZeroDivisionError):
        typed("build")


KEPT = ["No", "10:30", "012", "1.10", "1_000", "0x1F", ".inf", "1e3", "2024-01-02", "~", "null",
        "Card#3", "= x", "“Clue”", "‘No’", "3–5", "5 % off"]  # fmt: skip


def test_what_yaml_would_change_in_silence_is_kept_as_typed(typed: Typed) -> None:
    for number, text in enumerate(KEPT):
        add(f"kept-{number:02}", KIT.replace("title: Game", f"title: {text}"))
    answer = typed("list", *(f"activities/kept-{number:02}.yaml" for number in range(len(KEPT))))
    assert answer.code == 0
    titles = [re.split(r"  +", line)[1] for line in answer.out.splitlines()[1:]]
    assert titles == KEPT


@pytest.mark.parametrize(
    ("typed_in", "told"),
    [
        ("x", "this is no whole number; write one such as 4"),
        ("1.5", "this is no whole number; write one such as 4"),
        ("0", "this is too small; write 1 or more"),
        ("99", "this is too large; write 26 or less"),
    ],
)
def test_a_wrong_number_is_told_in_plain_words(typed: Typed, typed_in: str, told: str) -> None:
    add("game", KIT)
    answer = typed("build", "--sets", typed_in)
    assert answer == (2, "", f"Invalid value for '--sets': {told}\n")


def test_the_list_of_printers_says_so_while_there_is_none(typed: Typed) -> None:
    assert typed("printer", "list") == (
        0,
        "no printer is saved yet; see kit-builder printer save --help\n",
        "",
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("title: Card #3", '1:13: everything from this "#" on would be lost; put the text in quo'),
        ("title: #3", '1:8: everything from this "#" on would be lost; '),
        ("on: Game", '1:1: the activity has no field "on"; '),
        ("titel: Game", '1:1: the activity has no field "titel"; did you mean "title"? '),
        ("title: &note text", '1:8: a text cannot begin with "&"; put it in quotes: "&note text"'),
        ("title: >3", '1:8: a text cannot begin with ">"; '),
        ("title: {x}", "1:8: the brackets have a special meaning; put the text in quotes: "),
        ("title: A\ntitle: B", '2:1: the field "title" stands twice, in lines 1 and 2; keep one'),
        ("\u00a0title: Game", "1:1: an invisible character (no-break space, U+00A0) stands where"),
        ("title\u200b: Game", "1:6: an invisible character (zero width space, U+200B) stands he"),
        ("title：Game", "1:6: "),
        ("title: Game\n---", "2:1: three dashes alone begin a second document; "),
        ("\ttitle: Game", "1:1: a Tab stands here; use the space bar"),
        ("title:\tGame", "1:7: a Tab stands here; use the space bar"),
        ("title: Example: play R2", '1:15: the text contains ": "; put quotes around the whole '),
        ("title:Game", "1:6: no space follows this colon; type a space after it"),
        ("title: @home", '1:8: a text cannot begin with "@"; put it in quotes: "@home"'),
        ("title: `x`", '1:8: a text cannot begin with "`"; '),
        ("title: %50", '1:8: a text cannot begin with "%"; '),
        ("title: *note", '1:8: a text cannot begin with "*"; '),
        ("title: !x", '1:8: a text cannot begin with "!"; '),
        ("title: ? x", '1:8: a text cannot begin with "?"; '),
        ("title: - x", '1:8: a text cannot begin with "-"; '),
        ("title: 'player's card'", "1:16: the quote mark before this ended the text too early; "),
        ('title: "C:\\new"', "1:11: a backslash in double quotes changes the letter after it; "),
        ("title: [a", '1:8: this "[" is not closed; '),
        ("title: [a] b", '1:8: a text cannot begin with "["; '),
        ("title: |\n    a\n  b", "3:3: this line starts further left than the text it belongs to"),
        ("title: Game\ndef", '2:1: this line is not "field: text"; '),
        ("title: a\x07b", "1:9: an invisible character (control character, U+0007) stands here; "),
        ("title: “Clue: x”", '1:8: "“" is not the quote mark of the keyboard; '),
        ("<<: x\ntitle: Game", '1:1: "<<" would copy fields from elsewhere; '),
        ("title: " + "[" * 60 + "]" * 60, "1:28: lists and fields lie more than 20 deep in one "),
        ("title:", '1:7: "title" is empty; '),
    ],
)
def test_what_yaml_would_lose_or_refuse_is_explained(typed: Typed, line: str, fault: str) -> None:
    add("game", KIT.replace("title: Game", line))
    answer = typed("list")
    assert answer.code == 1
    assert f"activities/game.yaml:{fault}" in answer.err


# --- Terminals, pipes and signals ----------------------------------------------------------------


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "cp1252", "C"],
)
def test_a_terminal_without_a_letter_still_gets_the_message(environment: dict[str, str]) -> None:
    add("game", KIT.replace("title: Game", "title: Smile ☺ Ж"))
    add("other", KIT.replace("title: Game", "titel: Smile ☺ Ж"))
    done = subprocess.run(
        [*PROGRAM, "list"],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
    )
    assert done.returncode == 1
    assert b"game  Smile " in done.stdout
    assert done.stderr.startswith(b"activities/other.yaml:1:1: the activity has no field")
    assert done.stderr.replace(b"\r", b"").endswith(b"\n1 fault\n")


def test_a_reader_that_has_heard_enough_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "list"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_report_that_finds_no_space_says_so(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cli, "_print_table", full)
    assert typed("list") == (1, "", "the report cannot be written; free space on the disk\n")


@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_a_build_that_is_stopped_leaves_whole_files_only(name: str) -> None:
    for number in range(20):
        add(f"kit-{number:02}", KIT.replace("copies: 3", "copies: 99").replace("4\n", "100\n", 1))
    building = subprocess.Popen(
        [*PROGRAM, "build"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert building.stdout is not None
    assert building.stdout.readline() == "game: player 4 pages, host 2 pages\n"
    building.send_signal(getattr(signal, name))
    _, errors = building.communicate()
    if name == "SIGINT":
        assert building.returncode == 130
        assert errors == "stopped; every PDF that was written is whole\n"
        assert not list(Path("build").rglob("*.part"))
    pdfs = list(Path("build").rglob("*.pdf"))
    assert 2 <= len(pdfs) < 42
    assert all(path.read_bytes().rstrip().endswith(b"%%EOF") for path in pdfs)


def test_a_question_that_is_not_answered_stops_the_program() -> None:
    answer = run("build", "--secret", PYTHONWARNINGS="ignore")
    assert answer.code == 130
    assert answer.err.endswith("stopped; every PDF that was written is whole\n")
    assert "Traceback" not in answer.err


def test_a_secret_is_asked_for_and_never_an_argument(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answered(question: str, **_: object) -> str:
        asked.append(question)
        return "words"

    monkeypatch.setattr(typer, "prompt", answered)
    assert typed("check", "--secret", "activities/game.yaml").code == 0
    assert asked == ["Secret words"]
    assert typed("check", "activities/game.yaml").code == 0
    assert asked == ["Secret words"]
