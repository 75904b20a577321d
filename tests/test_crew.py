"""Processes beside each other: one may be killed, all end with their parent, and with Ctrl-C."""

from __future__ import annotations

import gc
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, wait
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

import pytest

from kit_builder import crew, store
from kit_builder.crew import Crew
from tests.test_run import afresh, files, kit

ROOT = Path(__file__).parent.parent
SLUGS = ("a", "b", "c", "d")
LONG = 60  # seconds in which whoever is waited for must be there; nobody waits so long
STOPPED = "stopped; every PDF that was written is whole\n"


# --- Calls ---------------------------------------------------------------------------------------


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def square(number: int) -> int:
    return number * number


def process(_: int) -> int:
    return os.getpid()


def fail(_: int) -> None:
    raise ZeroDivisionError("of the call")


def die_handing_over() -> None:
    """Begins to send a result of 1000 bytes."""
    (pipe,) = (each for each in gc.get_objects() if isinstance(each, Connection))
    os.write(pipe.fileno(), struct.pack("!i", 1000) + b"half")
    os.kill(os.getpid(), signal.SIGKILL)


def raises_interrupt() -> None:
    with Crew(1) as one:
        begun = one.submit(process, 0)
        begun.result()
        one.submit(signal.pause)
        one.submit(signal.pause)
        raise KeyboardInterrupt


def test_only_the_call_whose_process_is_killed_is_lost() -> None:
    with Crew(2) as both:
        calls = [both.submit(die if each in (3, 4, 11) else square, each) for each in range(12)]
        wait(calls)
    for number, call in enumerate(calls):
        if number in (3, 4, 11):
            assert isinstance(call.exception(), BrokenExecutor)
        else:
            assert call.result() == number**2


def test_a_process_may_be_killed_while_it_hands_over_what_it_made() -> None:
    with Crew(1) as one:
        with pytest.raises(BrokenExecutor):
            one.submit(die_handing_over).result(LONG)
        assert one.submit(square, 3).result() == 9


def test_an_error_of_a_call_is_its_own_and_its_process_goes_on() -> None:
    with Crew(1) as one:
        before = one.submit(process, 0).result()
        with pytest.raises(ZeroDivisionError, match="of the call") as caught:
            one.submit(fail, 0).result()
        assert 'raise ZeroDivisionError("of the call")' in caught.value.__notes__[0]
        assert one.submit(process, 0).result() == before != os.getpid()


def test_nothing_is_started_before_there_is_something_to_do() -> None:
    with Crew(2) as idle:
        assert not idle._threads


def test_what_goes_wrong_ends_calls_that_would_never_end() -> None:
    with pytest.raises(KeyboardInterrupt):
        raises_interrupt()


def test_as_many_processes_as_cores_that_may_be_used() -> None:
    assert 1 <= crew.cores() <= (os.cpu_count() or 1)


# --- The program ---------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four activities: with two editions each, too many jobs to be made without processes."""
    monkeypatch.chdir(tmp_path)
    Path("activities").mkdir()
    for slug in SLUGS:
        add(slug, slug.upper())
    return tmp_path


def add(slug: str, title: str) -> None:
    Path(f"activities/{slug}.yaml").write_text(json.dumps(kit(title), indent=1), "utf-8")


def everywhere(code: str) -> None:
    """Code that all processes of the program run before anything else."""
    Path("sitecustomize.py").write_text(code, "utf-8")


# Where `work.make` is called for an activity "b", which a test makes go wrong.
AT_B = """
import os, signal, sys
from kit_builder import work

real = work.make

def make(job):
    if job.material.definition.stem == "b" and job.variant.edition == "player":
        {happens}
    return real(job)

work.make = make
"""


def started(
    *arguments: str, stdout: int | IO[str] = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> subprocess.Popen[str]:
    """The program, as the leader of a group of processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "kit_builder", "build", "--no-gallery", *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(Path.cwd()), str(ROOT)))},
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def ended(building: subprocess.Popen[str]) -> tuple[int, str, str]:
    """What the program said; all of its processes are gone, or else its pipes were still open."""
    try:
        out, err = building.communicate(timeout=LONG)
    except subprocess.TimeoutExpired:
        os.killpg(building.pid, signal.SIGKILL)
        raise
    return building.returncode, out, err


def line(stream: IO[str] | None) -> str:
    """The first line that somebody says."""
    assert stream is not None
    assert select.select([stream], [], [], LONG)[0]
    return stream.readline()


def said(*slugs: str, made: str = "8 PDFs in build") -> str:
    return "".join(f"{slug}: player 2 pages, host 2 pages\n" for slug in slugs) + f"{made}\n"


def test_the_bytes_are_the_same_with_any_number_of_processes() -> None:
    for jobs in ("1", "2", "3"):
        done = ended(started("--out", jobs, "--jobs", jobs))
        assert done == (0, said(*SLUGS, made=f"8 PDFs in {jobs}"), "")
        assert files(Path(jobs)) == afresh()


def test_a_process_that_is_killed_is_named_and_the_rest_goes_on() -> None:
    everywhere(AT_B.format(happens="os.kill(os.getpid(), signal.SIGKILL)"))
    code, out, err = ended(started("--jobs", "2"))
    assert (code, out) == (1, said("a", "c", "d", made="6 PDFs in build"))
    assert err == (
        "activities/b.yaml: the process that made player/b.pdf was killed; "
        "free memory, and build again; or build with --jobs 1\n\n1 fault\n"
    )
    everywhere("")
    assert ended(started("--jobs", "2")) == (
        0,
        said("b", made="8 PDFs in build: 2 made, 6 up to date"),
        "",
    )


def test_ctrl_c_ends_a_build_whose_jobs_would_never_end() -> None:
    everywhere(AT_B.format(happens="signal.pause()"))
    building = started("--jobs", "2")
    assert line(building.stdout) == "a: player 2 pages, host 2 pages\n"
    os.killpg(building.pid, signal.SIGINT)
    code, _, err = ended(building)
    assert (code, err) == (130, STOPPED)
    assert set(files(Path("build"))) == {"player/a.pdf", "host/a.host.pdf"}
    everywhere("")
    assert ended(started())[0] == 0


def test_ctrl_c_while_processes_are_starting_is_not_theirs_to_hear() -> None:
    # Sent by each process to itself, before it ignores it by itself.
    everywhere(
        "import os, signal\nfrom kit_builder import crew\nreal = crew._serve\n"
        "def serve(pipe):\n    os.kill(os.getpid(), signal.SIGINT)\n    real(pipe)\n"
        "serve.__module__, serve.__qualname__ = 'kit_builder.crew', '_serve'\n"
        "crew._serve = serve\n"
    )
    assert ended(started("--jobs", "2")) == (0, said(*SLUGS), "")


def test_ctrl_c_before_anything_is_begun_is_heard() -> None:
    everywhere(
        "import typer.main\ndef interrupted(*_, **__): raise KeyboardInterrupt\n"
        "typer.main.get_command = interrupted\n"
    )
    assert ended(started()) == (130, "", "")


def test_ctrl_c_while_processes_are_ending_ends_them_all_the_same() -> None:
    everywhere(
        "from kit_builder import crew\ndef interrupted(*_, **__): raise KeyboardInterrupt\n"
        "crew.Crew.shutdown = interrupted\n"
    )
    code, _, err = ended(started("--jobs", "2"))
    assert (code, err) == (130, STOPPED)
    assert len(files(Path("build"))) == 8


@pytest.mark.parametrize("moment", [1, 6])
def test_a_build_that_is_killed_takes_its_processes_with_it_and_the_next_is_right(
    moment: int,
) -> None:
    everywhere(
        "import os, signal, itertools, pathlib\nreal = pathlib.Path.replace\n"
        "passed = itertools.count(1)\ndef replace(path, target):\n"
        f"    if target.suffix == '.pdf' and next(passed) == {moment}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(path, target)\npathlib.Path.replace = replace\n"
    )
    assert ended(started("--jobs", "2"))[0] == -signal.SIGKILL
    left = files(Path("build"))
    assert len([name for name in left if name.endswith(".pdf")]) == moment - 1
    everywhere("")
    code, out, err = ended(started("--jobs", "2"))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith("8 PDFs in build")
    assert files(Path("build")) == afresh()


def test_the_second_build_of_a_folder_says_that_it_waits() -> None:
    with store.opened(Path("build"), lambda: None):
        second = started("--jobs", "1")
        assert line(second.stderr) == "waiting: another build is in build\n"
        assert files(Path("build")) == {}
    assert ended(second) == (0, said(*SLUGS), "")


def test_a_build_that_waits_ends_with_ctrl_c() -> None:
    with store.opened(Path("build"), lambda: None):
        second = started()
        line(second.stderr)
        os.killpg(second.pid, signal.SIGINT)
        assert ended(second) == (130, "", STOPPED)


# --- What it says --------------------------------------------------------------------------------


def test_quiet_says_only_what_is_wrong() -> None:
    assert ended(started("--quiet")) == (0, "", "")
    add("b", "W" * 60)
    Path("activities/d.yaml").unlink()
    code, out, err = ended(started("--quiet"))
    assert (code, out) == (1, "")
    assert err.startswith("out of date: build/host/b.host.pdf\nout of date: build/player/b.pdf\n")
    assert re.search(r"\nactivities/b\.yaml:\d+:\d+: .+; .+\n", err)


KEYS = {"folder", "outputs", "booklets", "out_of_date", "removed", "kept", "faults", "seconds"}


def told(*arguments: str) -> tuple[int, dict[str, object]]:
    """The report of a build as JSON, which is all that it says."""
    code, out, err = ended(started("--json", *arguments))
    assert err == ""
    report = json.loads(out)
    assert set(report) == KEYS
    assert isinstance(report["seconds"], float) and report["seconds"] >= 0
    return code, report


def test_json_tells_everything_with_its_place() -> None:
    code, report = told("--jobs", "2")
    assert code == 0
    assert (report["folder"], report["faults"], report["removed"]) == ("build", [], [])
    assert isinstance(report["outputs"], list)
    assert [output["path"] for output in report["outputs"]] == [
        name for slug in SLUGS for name in (f"player/{slug}.pdf", f"host/{slug}.host.pdf")
    ]
    first = report["outputs"][0]
    assert first.pop("seconds") > 0
    assert first == {
        "path": "player/a.pdf",
        "edition": "player",
        "made": True,
        "pages": 2,
        "sheets": {"paper": 2, "card": 0},
        "cards": 0,
        "cuts": 0,
    }
    add("b", "W" * 60)
    add("c", "Cats")
    Path("activities/d.yaml").unlink()
    Path("build/player/d.pdf").write_bytes(b"%PDF mine")
    code, report = told()
    assert code == 1
    assert isinstance(report["outputs"], list) and isinstance(report["faults"], list)
    assert {output["path"]: output["made"] for output in report["outputs"]} == {
        "player/a.pdf": False,
        "host/a.host.pdf": False,
        "player/c.pdf": True,
        "host/c.host.pdf": True,
    }
    assert sorted(map(str, report["out_of_date"])) == ["host/b.host.pdf", "player/b.pdf"]  # type: ignore[call-overload]
    assert (report["removed"], report["kept"]) == (["host/d.host.pdf"], ["player/d.pdf"])
    for fault in report["faults"]:
        assert set(fault) == {"path", "line", "column", "what", "instead"}
        assert (fault["path"], fault["line"], fault["column"]) == ("activities/b.yaml", 2, 12)
        assert "W" * 60 in fault["what"]


@pytest.mark.parametrize(
    ("spoil", "arguments", "path", "folder"),
    [
        (lambda: Path("build").write_text("x"), (), "build", "build"),
        (lambda: Path("build/.kit-builder/lock").mkdir(parents=True), (), "build", "build"),
        (lambda: None, ("nowhere",), "nowhere", ""),
        (lambda: None, ("--printer", "unknown"), None, ""),
        (lambda: None, ("--dask", "nowhere"), None, "build"),
    ],
    ids=["folder", "lock", "activities", "printer", "Dask"],
)
def test_json_is_told_of_whatever_stops_a_build(
    spoil: object, arguments: tuple[str, ...], path: str | None, folder: str
) -> None:
    assert callable(spoil)
    spoil()
    code, report = told(*arguments)
    assert (code, report["folder"], report["outputs"]) == (1, folder, [])
    assert isinstance(report["faults"], list)
    (fault,) = report["faults"]
    assert set(fault) == {"path", "line", "column", "what", "instead"}
    assert (path is None or fault["path"] == path) and fault["what"] and fault["instead"]


def screen(*arguments: str, stdout: IO[str] | None = None) -> tuple[int, str, str]:
    """What a build shows on a terminal that is its stderr, and its stdout if no file is."""
    ours, its = pty.openpty()
    building = started(*arguments, stdout=its if stdout is None else stdout, stderr=its)
    os.close(its)
    shown = b"".join(chunks(ours)).decode().replace("\r\n", "\n")
    return (
        building.wait(LONG),
        shown,
        re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "\n"),
    )


def chunks(terminal: int) -> Iterator[bytes]:
    """All that is written to a terminal, until nobody has it open any more."""
    with open(terminal, "rb", buffering=0) as file:
        while True:
            try:
                chunk = file.read(4096)
            except OSError:  # Linux says so where others say that there is nothing more
                return
            if not chunk:
                return
            yield chunk


def test_a_bar_moves_on_a_terminal_and_lines_in_a_file_stay_whole() -> None:
    with Path("told.txt").open("w") as file:
        code, shown, bare = screen("--jobs", "2", stdout=file)
    assert (code, Path("told.txt").read_text()) == (0, said(*SLUGS))
    assert "4/4 activities, 0 faults" in " ".join(bare.split())
    assert "\x1b[" in shown
    assert "player 2 pages" not in shown


def test_a_terminal_shows_whole_lines_above_the_bar() -> None:
    code, _, bare = screen("--jobs", "2")
    assert code == 0
    assert set(said(*SLUGS).splitlines()) <= {line.strip() for line in bare.splitlines()}


def test_a_terminal_shows_no_bar_where_it_would_disturb() -> None:
    assert "\x1b[" not in screen("--quiet")[1]
    assert "\x1b[" not in screen("--json")[1]


def test_whoever_is_no_terminal_gets_plain_lines() -> None:
    assert "\x1b" not in "".join(map(str, ended(started())))
