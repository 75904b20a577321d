"""Whoever writes sees at once what comes of it, whatever their editor does when it saves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit_builder import watching
from tests.small_kits import deck, write

ROOT = Path(__file__).parent.parent
FOLDER = Path("activities")
# In seconds: only a program that hangs takes so long.
GUARD = 120


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two activities of which one names the other, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    add("traps")
    add("pause", related=["traps"])
    return tmp_path


def add(slug: str, **fields: object) -> Path:
    face = {"face": "symbol", "cards": [{"shape": "circle", "label": "Safe"}]}
    title = f"Game of {slug}"
    made = write(Path("aside"), deck(1, **face), **{"slug": slug, "title": title} | fields)  # type: ignore[arg-type]
    FOLDER.mkdir(exist_ok=True)
    return made.replace(FOLDER / made.name)


class Watch:
    """`kit-builder watch` in a process of its own, and what it says."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from kit_builder.cli import main; main()", "watch", *arguments],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # as a shell starts it: Ctrl-C goes to all of its processes
        )
        self._guard = threading.Timer(GUARD, self._kill)
        self._guard.start()

    def until(self, wanted: str) -> list[str]:
        """The lines of all turns up to the one that says what is wanted, a regular expression."""
        said: list[str] = []
        assert self.process.stdout
        for line in self.process.stdout:
            said.append(line.rstrip("\n"))
            if line.startswith("watching; ") and any(re.match(wanted, each) for each in said):
                return said
        raise AssertionError(f"it ended before it said {wanted!r}:\n" + "\n".join(said))

    def stop(self) -> tuple[int, str]:
        """Presses Ctrl-C; returns the exit code and what is said then."""
        os.killpg(self.process.pid, signal.SIGINT)
        assert self.process.stdout
        rest = self.process.stdout.read()
        return self.process.wait(), rest

    def _kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        self._guard.cancel()
        if self.process.poll() is None:
            self._kill()
        assert self.process.stdout
        self.process.stdout.close()
        self.process.wait()


@pytest.fixture
def watch() -> Iterator[Callable[..., Watch]]:
    begun: list[Watch] = []

    def begin(*arguments: str) -> Watch:
        begun.append(Watch(*arguments))
        return begun[-1]

    yield begin
    for each in begun:
        each.end()


def test_only_what_changed_is_built_again_until_ctrl_c(watch: Callable[..., Watch]) -> None:
    watched = watch()
    said = watched.until("4 PDFs in build$")
    assert [line.split(":")[0] for line in said[:2]] == ["pause", "traps"]
    add("traps", summary="Another one.")
    said = watched.until("traps: ")
    assert [line for line in said if line.startswith("pause: ")] == []
    assert "4 PDFs in build: 2 made, 2 up to date" in said
    add("dice")
    said = watched.until("dice: ")
    assert "6 PDFs in build: 2 made, 4 up to date" in said
    assert watched.stop() == (130, "stopped; every PDF that was written is whole\n")


def test_a_half_saved_file_is_a_fault_until_it_is_whole(watch: Callable[..., Watch]) -> None:
    watched = watch()
    watched.until("4 PDFs")
    path, built = FOLDER / "traps.yaml", Path("build/player/traps.pdf")
    whole, before = path.read_text("utf-8"), built.read_bytes()
    for half in ("", whole[: len(whole) // 2], whole + "rules: [\n"):
        path.write_text(half, "utf-8")
        said = watched.until("activities/traps.yaml(:[0-9]+)*: ")
        assert "out of date: build/player/traps.pdf" in said
        assert [line for line in said if line.startswith("pause: ")] == []
        assert built.read_bytes() == before
    path.write_text(whole, "utf-8")
    watched.until("4 PDFs in build, all up to date")


def test_a_file_may_go_and_come_back_under_its_name(watch: Callable[..., Watch]) -> None:
    """As editors save that keep the file of before."""
    add("pause")
    watched = watch()
    watched.until("4 PDFs")
    path = FOLDER / "traps.yaml"
    text = path.read_text("utf-8")
    path.rename("traps.yaml~")
    said = watched.until("removed: build/player/traps.pdf")
    assert "2 PDFs in build, all up to date" in said
    fresh = FOLDER / ".traps.yaml.tmp"
    fresh.write_text(text.replace("A game", "Another game"), "utf-8")
    fresh.replace(path)
    watched.until("traps: ")
    assert Path("build/player/traps.pdf").exists()


def test_a_folder_may_go_and_come_back(watch: Callable[..., Watch]) -> None:
    watched = watch()
    watched.until("4 PDFs")
    FOLDER.rename("gone")
    watched.until("activities: there is no such file or folder")
    Path("gone").rename(FOLDER)
    watched.until("4 PDFs in build, all up to date")
    add("traps", summary="Another one.")
    watched.until("traps: ")


def test_a_kit_yaml_counts_as_soon_as_it_is_there(watch: Callable[..., Watch]) -> None:
    watched = watch()
    watched.until("4 PDFs in build")
    kit = Path("kit.yaml")
    kit.write_text("out: printed\nprinting: {only: player}", "utf-8")
    watched.until("2 PDFs in printed$")
    kit.write_text("out: printed\nprinting: {only: nobody}", "utf-8")
    watched.until(r"kit.yaml:2:18: ")
    kit.write_text("activities: [aside]\nout: printed\nprinting: {only: player}", "utf-8")
    Path("aside").rename("elsewhere")
    watched.until(r"kit.yaml:1:14: there is no file or folder")
    Path("elsewhere").rename("aside")
    kit.write_text("out: printed\nprinting: {only: player}", "utf-8")
    watched.until("2 PDFs in printed, all up to date")
    kit.unlink()
    watched.until("4 PDFs in build, all up to date")


def test_a_project_elsewhere_that_is_faulty_at_first_is_built_when_it_is_mended(
    watch: Callable[..., Watch], club: Path
) -> None:
    (club / "kit.yaml").write_text("schol: Hill", "utf-8")
    os.chdir(club.parent)
    watched = watch(club.name)
    watched.until(f"{club.name}/kit.yaml:1:1: ")
    (club / "kit.yaml").write_text("school: Hill", "utf-8")
    watched.until(f"4 PDFs in {club.name}/build")


def test_templates_count_as_soon_as_there_are_any(watch: Callable[..., Watch]) -> None:
    watched = watch()
    watched.until("4 PDFs")
    words = Path("fresh") / "labels" / "en.yaml"
    words.parent.mkdir(parents=True)
    words.write_text("rules: How to play\n", "utf-8")
    Path("fresh").rename("templates")
    watched.until("4 PDFs in build$")
    words = Path("templates") / "labels" / "en.yaml"
    words.write_text("rules: How we play\n", "utf-8")
    watched.until("4 PDFs in build$")
    words.write_text("rulez: How we play\n", "utf-8")
    said = watched.until("templates/labels/en.yaml:1:8: ")
    assert "1 fault" in said
    assert "out of date: build/player/traps.pdf" in said


def test_what_is_inserted_into_a_booklet_is_watched(watch: Callable[..., Watch]) -> None:
    watched = watch("--only", "player")
    watched.until("2 PDFs in build$")
    plan = Path("plan.pdf")
    plan.write_bytes(Path("build/player/traps.pdf").read_bytes())
    Path("kit.yaml").write_text("booklets: [{file: all.pdf, inserts: [plan.pdf]}]", "utf-8")
    watched.until("build/player/all.pdf: ")
    plan.write_bytes(Path("build/player/pause.pdf").read_bytes())
    watched.until("build/player/all.pdf: ")


def test_a_wrong_command_line_ends_it_at_once(watch: Callable[..., Watch]) -> None:
    watched = watch("--paper", "A99")
    with pytest.raises(AssertionError, match='--paper: unknown paper "A99"'):
        watched.until("never")
    assert watched.process.wait() == 2


def within_guard(saves: Iterator[None]) -> None:
    """The next turn; a test that waits for it in vain ends all the same."""
    waiting = threading.Thread(target=next, args=(saves,), daemon=True)
    waiting.start()
    waiting.join(GUARD)
    assert not waiting.is_alive()


def test_what_is_saved_while_it_builds_is_not_missed(club: Path) -> None:
    saves = watching.saves(lambda: [club / FOLDER, club / "templates", club / "kit.yaml"])
    within_guard(saves)
    saved: tuple[Callable[[], object], ...] = (
        lambda: add("traps"),
        lambda: (club / "kit.yaml").write_text("school: Hill"),
        lambda: (club / "templates").mkdir(),
        lambda: (club / "templates" / "rules.xml.j2").write_text(""),
        lambda: FOLDER.rename("gone"),
        lambda: add("traps"),
        lambda: add("dice"),
        lambda: (FOLDER.rename("before"), add("traps")),
        lambda: add("dice"),
    )
    for save in saved:
        save()
        within_guard(saves)


def test_other_files_are_no_reason_to_build(club: Path) -> None:
    saves = watching.saves(lambda: [club / FOLDER])
    within_guard(saves)
    waiting = threading.Thread(target=next, args=(saves,), daemon=True)
    waiting.start()
    for name in ("traps.yaml~", ".traps.yaml.swp", "4913", "notes.txt", "traps.pdf"):
        (FOLDER / name).write_text("")
    # A few looks later it still waits; the save that follows is what it waited for.
    waiting.join(3 * watching._LOOK / 1000)
    assert waiting.is_alive()
    add("traps")
    waiting.join(GUARD)
    assert not waiting.is_alive()
