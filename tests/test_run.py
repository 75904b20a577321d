"""What is made again and what is not, what stays, and that nothing is ever half done."""

from __future__ import annotations

import errno
import functools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from pypdf import PdfReader

from kit_builder import build, formats, keys, library, locking, reading, run, store, work
from kit_builder.errors import Fault, KitError
from kit_builder.job import Job, Made
from kit_builder.printers import Profile
from kit_builder.printing import PLAYER, Printing
from kit_builder.run import Run
from kit_builder.variants import Options

ROOT = Path(__file__).parent.parent
OUT = Path("out")
CLUB = Path("activities")
OWN = CLUB / "templates"
PROGRAMS = ROOT / "templates"

# Jobs are values: what one came to, it comes to again.
make = functools.cache(work.make)


def kit(
    title: str, face: str = "", rule: str = "Play it.", related: Sequence[str] = ()
) -> dict[str, Any]:
    """An activity, with a deck of cards of a face if one is named."""
    fields: dict[str, Any] = {
        "title": title,
        "language": "en",
        "category": "Tests",
        "summary": "A game.",
        "players": "2-3",
        "minutes": "5",
        "practises": "Patience.",
        "observe": "Fun.",
        "rules": [{"heading": "Play", "text": rule}],
        "host": {"sections": [{"heading": "Key", "text": "The quokka holds all clues."}]},
    }
    cards = {
        "symbol": {"shape": "circle", "label": "Safe"},
        "text": {"title": "Idea", "text": "Think."},
    }
    if face:
        fields["decks"] = [{"name": "Deck", "face": face, "cards": [cards[face]], "total": "1"}]
    if related:
        fields["related"] = list(related)
    return fields


def texts(value: Any, name: str = "") -> Iterator[str]:
    """The texts of an activity that are translated."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from texts(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each, name)
    elif name in ("title", "category", "summary", "practises", "observe", "text", "heading") or (
        name in ("name", "label")
    ):
        yield value


def translated(fields: dict[str, Any], **other: str) -> dict[str, Any]:
    """Into Catalan, as somebody would who knows little of it."""
    pairs = [
        {"en": text, "ca": other.get(text, f"{text} o")} for text in dict.fromkeys(texts(fields))
    ]
    return {"language": "ca", "texts": pairs}


def add(name: str, fields: dict[str, Any]) -> None:
    (CLUB / f"{name}.yaml").write_text(yaml.safe_dump(fields, allow_unicode=True), "utf-8")


def own(name: str, more: str = "") -> None:
    """A template of the library's own: the program's, and something more at its end."""
    path = OWN / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((PROGRAMS / name).read_text("utf-8") + more, "utf-8")


class Told:
    """A report that remembers what it was told, and who made what."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.current: list[str] = []
        self.faults: list[str] = []
        self.out_of_date: list[str] = []
        self.gone: list[str] = []
        self.left: list[str] = []

    def done(self, result: build.Result) -> None:
        for output in (*result.outputs, *result.empty):
            (self.made if output.made else self.current).append(str(output.path))
        self.failed(result.faults)

    def bound(self, name: str, pages: int | None) -> None: ...

    def failed(self, faults: Sequence[Fault]) -> None:
        self.faults += [str(fault).split("\n")[0] for fault in faults]

    def stale(self, name: str) -> None:
        self.out_of_date.append(name)

    def removed(self, name: str) -> None:
        self.gone.append(name)

    def kept(self, name: str) -> None:
        self.left.append(name)


def built(
    out: Path = OUT,
    *,
    options: Options = Options(),  # noqa: B008  it is frozen
    named: Sequence[Path] = (CLUB,),
    executor: Executor | None = None,
    gallery: bool = False,
    **how: Any,
) -> Told:
    """Builds what is there, and tells what was made."""
    told = Told()
    folders = [path for path in named if path.is_dir()]
    order = Run(library.find(named), folders, options, gallery=gallery, **how)
    with store.opened(out, lambda: None) as opened:
        run.run(order, opened, told, executor)
    return told


def files(folder: Path = OUT) -> dict[str, bytes]:
    """What is in an output folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != ".kit-builder"
    }


def afresh(**how: Any) -> dict[str, bytes]:
    """What a build into an empty folder makes."""
    shutil.rmtree("fresh", ignore_errors=True)
    assert built(Path("fresh"), **how).faults == []
    return files(Path("fresh"))


A = ["player/a.pdf", "host/a.host.pdf"]
A_CA = ["player/a.ca.pdf", "host/a.ca.host.pdf"]
B = ["player/b.pdf", "host/b.host.pdf"]
C = ["player/c.pdf", "host/c.host.pdf"]
B_CA = ["player/b.ca.pdf", "host/b.ca.host.pdf"]
ALL = sorted(A + A_CA + B + C)
PLAYERS = [name for name in ALL if name.startswith("player/")]
HOSTS = [name for name in ALL if name.startswith("host/")]

KIT_A = kit("Apples", "symbol", related=["b"])
KIT_B = kit("Bears", "text")
KIT_C = kit("Cats")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three activities, of which "a" names "b" and is translated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(work, "make", make)
    set_up()
    return tmp_path


def set_up() -> None:
    CLUB.mkdir()
    add("a", KIT_A)
    add("a.ca", translated(KIT_A))
    add("b", KIT_B)
    add("c", KIT_C)


def state() -> dict[Path, tuple[int, int]]:
    """Whether files in the output folder are still the same, and not only equal."""
    found = {path: path.stat() for path in OUT.rglob("*") if path.name != "lock"}
    return {path: (status.st_ino, status.st_mtime_ns) for path, status in found.items()}


@pytest.fixture
def nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def refuse(*_: object) -> Made:
        raise AssertionError("something is read or made")

    def forbid() -> None:
        monkeypatch.setattr(work, "make", refuse)
        monkeypatch.setattr(reading, "outline", refuse)

    return forbid


# --- What is made again --------------------------------------------------------------------------


def test_what_is_up_to_date_is_neither_read_nor_made_nor_written(
    nothing_is_made: Callable[[], None],
) -> None:
    assert sorted(built(gallery=True).made) == ALL
    before = state()
    nothing_is_made()
    told = built(gallery=True)
    assert (told.made, sorted(told.current), told.faults) == ([], ALL, [])
    assert state() == before


def test_the_titles_that_an_activity_names_are_not_read_again_either(
    nothing_is_made: Callable[[], None],
) -> None:
    alone = [CLUB / "a.yaml"]
    assert sorted(built(named=alone).made) == sorted(A + A_CA)
    before = state()
    nothing_is_made()
    assert built(named=alone).made == []
    assert state() == before


Change = Callable[[], object]


@pytest.mark.parametrize(
    ("before", "change", "expected"),
    [
        (None, lambda: add("c", kit("Cats", rule="Play again.")), C),
        (None, lambda: add("b", kit("Bears", "text", rule="Play again.")), B),
        (None, lambda: add("b", kit("Badgers", "text")), A + A_CA + B),
        (None, lambda: add("a.ca", translated(KIT_A, Apples="Pomes")), A_CA),
        (None, lambda: add("b.ca", translated(KIT_B)), A_CA + B_CA),
        (None, lambda: add("d", kit("Dogs", "text")), ["player/d.pdf", "host/d.host.pdf"]),
        (None, lambda: own("cards/symbol.xml.j2", "{# mine #}"), A + A_CA),
        (None, lambda: own("cards/suit.xml.j2", "{# mine #}"), []),
        (None, lambda: own("player.xml.j2", "{# mine #}"), PLAYERS),
        (None, lambda: own("host.xml.j2", "{# mine #}"), HOSTS),
        (None, lambda: own("labels/en.yaml", "my-own: Word\n"), A + B + C),
        (None, lambda: own("labels/ca.yaml", "my-own: Word\n"), A_CA),
        (None, lambda: own("labels/fr.yaml", "my-own: Word\n"), []),
        (
            lambda: own("cards/symbol.xml.j2", "{# mine #}"),
            lambda: own("cards/symbol.xml.j2", "{# changed #}"),
            A + A_CA,
        ),
        (
            lambda: own("cards/symbol.xml.j2", "{# mine #}"),
            lambda: (OWN / "cards/symbol.xml.j2").unlink(),
            A + A_CA,
        ),
        (lambda: own("labels/ca.yaml", "my-own: Word\n"), lambda: shutil.rmtree(OWN), A_CA),
        (None, lambda: (OUT / "player/b.pdf").unlink(), ["player/b.pdf"]),
        (None, lambda: (OUT / "player/b.pdf").write_bytes(b""), ["player/b.pdf"]),
        (None, lambda: (OUT / "player/b.pdf").write_bytes(b"%PDF mine"), ["player/b.pdf"]),
        (None, lambda: shutil.copy(OUT / "player/c.pdf", OUT / "player/b.pdf"), ["player/b.pdf"]),
        (None, lambda: shutil.rmtree(OUT / "host"), HOSTS),
        (None, lambda: os.utime(OUT / "player/b.pdf", (1, 1)), []),
        (None, lambda: os.utime(CLUB / "b.yaml", (1, 1)), []),
        (None, lambda: (CLUB / "notes.txt").write_text("notes"), []),
        (None, lambda: (OUT / ".kit-builder/manifest.jsonl").unlink(), ALL),
    ],
    ids=count(),
)  # fmt: skip
def test_exactly_what_depends_on_a_change_is_made_again(
    before: Change | None, change: Change, expected: list[str]
) -> None:
    if before:
        before()
    assert built().faults == []
    change()
    told = built()
    assert (sorted(told.made), told.faults) == (sorted(expected), [])
    assert files() == afresh()
    assert built().made == []


@pytest.mark.parametrize(
    "printing",
    [
        Printing(paper=formats.PAPERS["letter"]),
        Printing(profile=Profile("Office", margin=30)),
        Printing(profile=Profile("Office", scale_x=1.01)),
    ],
    ids=["paper", "margin", "scale"],
)
def test_other_options_make_the_same_names_again(printing: Printing) -> None:
    options = Options(printing, papers=[printing.paper])
    built()
    assert sorted(built(options=options).made) == ALL
    assert files() == afresh(options=options)
    assert built(options=options).made == []
    assert sorted(built().made) == ALL


def test_other_options_with_names_of_their_own_leave_the_rest_up_to_date() -> None:
    built()
    large = Options(Printing(large=True))
    assert len(built(options=large).made) == len(ALL)
    assert (built(options=large).made, built().made) == ([], [])
    assert len(files()) == 2 * len(ALL)


def test_another_program_makes_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    built(gallery=True)
    monkeypatch.setattr(keys, "program", lambda: "another")
    assert sorted(built(gallery=True).made) == ALL
    assert built(gallery=True).made == []


def program_in(folder: Path) -> str:
    """What a copy of the program calls itself."""
    code = "from kit_builder import keys; print(keys.program())"
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)


def test_a_program_is_told_by_its_code_and_its_fonts_wherever_it_lies(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    without = shutil.ignore_patterns("__pycache__")
    for name in ("kit_builder", "templates", "fonts"):
        shutil.copytree(ROOT / name, copy / name, ignore=without)
    shutil.copytree(copy, tmp_path / "other")
    known = program_in(copy)
    assert known == program_in(tmp_path / "other")
    with (copy / "kit_builder" / "units.py").open("a") as code:
        code.write("# another\n")
    changed = program_in(copy)
    assert changed != known
    with next((copy / "fonts").rglob("*.ttf")).open("ab") as font:
        font.write(b"\0")
    assert program_in(copy) not in (changed, known)


def test_force_makes_everything_again_with_the_same_bytes() -> None:
    built()
    before = files()
    assert sorted(built(force=True).made) == ALL
    assert files() == before
    assert built().made == []


def test_a_password_locks_what_was_up_to_date_without_one() -> None:
    built()
    lock = functools.partial(locking.lock, password="hedgehog")
    for _ in range(2):
        assert sorted(built(lock=lock).made) == HOSTS
        locked = [name for name in ALL if PdfReader(OUT / name).is_encrypted]
        assert locked == HOSTS
    assert "hedgehog" not in (OUT / ".kit-builder" / "manifest.jsonl").read_text()
    assert sorted(built().made) == HOSTS
    assert files() == afresh()


def test_what_has_nothing_to_print_is_looked_at_once() -> None:
    options = Options(Printing(parts=("cards",)), editions=[PLAYER])
    assert len(built(options=options).made) == 4
    assert built(options=options).made == []
    assert [name for name in files() if name.startswith("player/c.")] == []


# --- Moving --------------------------------------------------------------------------------------


def test_a_project_that_moved_is_up_to_date(
    project: Path, monkeypatch: pytest.MonkeyPatch, nothing_is_made: Callable[[], None]
) -> None:
    built()
    (project / "moved").mkdir()
    for path in (CLUB, OUT):
        path.rename(project / "moved" / path)
    monkeypatch.chdir(project / "moved")
    nothing_is_made()
    assert (built().made, built().gone) == ([], [])


def test_an_output_folder_that_was_copied_is_up_to_date(
    nothing_is_made: Callable[[], None],
) -> None:
    built()
    (Path("far") / "away").mkdir(parents=True)
    for path in sorted(OUT.rglob("*")):
        copy = Path("far/away") / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            copy.write_bytes(path.read_bytes())
    copied = Path("far/away/out")
    assert files(copied) == files()
    told = built(copied)
    assert (told.made, told.gone) == ([], [])
    (CLUB / "c.yaml").unlink()
    assert sorted(built(copied).gone) == sorted(C)


@pytest.mark.parametrize("place", ["activities/c.yml", "club/c.yaml"])
def test_an_activity_that_is_called_otherwise_keeps_its_pdfs(place: str) -> None:
    built()
    Path(place).parent.mkdir(exist_ok=True)
    (CLUB / "c.yaml").rename(place)
    named = list(dict.fromkeys((CLUB, Path(place).parent)))
    told = built(named=named)
    assert (told.made, told.gone, told.left) == ([], [], [])
    assert sorted(files()) == ALL
    if Path(place).parent == CLUB:
        Path(place).unlink()
        assert sorted(built(named=named).gone) == sorted(C)


# --- What is gone --------------------------------------------------------------------------------


def test_the_pdfs_of_an_activity_go_with_it_and_those_of_a_translation_too() -> None:
    built(gallery=True)
    (CLUB / "c.yaml").unlink()
    (CLUB / "a.ca.yaml").unlink()
    told = built(gallery=True)
    assert {name for name in told.gone if name.endswith(".pdf")} == {*C, *A_CA}
    assert (told.made, told.left) == ([], [])
    assert files() == afresh(gallery=True)
    assert built(gallery=True).gone == []


def test_a_pdf_that_somebody_changed_stays_when_its_activity_goes() -> None:
    built()
    (OUT / "player/c.pdf").write_bytes(b"%PDF with notes")
    (CLUB / "c.yaml").unlink()
    told = built()
    assert (told.gone, told.left) == (["host/c.host.pdf"], ["player/c.pdf"])
    assert (OUT / "player/c.pdf").read_bytes() == b"%PDF with notes"


def test_what_was_not_made_by_a_build_is_nobodys_to_remove() -> None:
    built()
    (OUT / "player/mine.pdf").write_bytes(b"%PDF mine")
    (OUT / "player/d.pdf").write_bytes(b"%PDF mine too")
    (CLUB / "c.yaml").unlink()
    built()
    assert {"player/mine.pdf", "player/d.pdf"} < set(files())


def test_to_build_one_activity_removes_nothing_of_the_others() -> None:
    built()
    (CLUB / "b.yaml").unlink()
    add("a", kit("Apples", "symbol"))
    told = built(named=[CLUB / "a.yaml"])
    assert (sorted(told.made), told.gone) == (sorted(A + A_CA), [])
    assert sorted(files()) == ALL


# --- Faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoil", "mend", "named"),
    [
        (lambda: add("b", kit("Bears", rule="W" * 60)), lambda: add("b", KIT_B), B),
        (lambda: (CLUB / "b.yaml").write_text("title: ["), lambda: add("b", KIT_B), B),
        (
            lambda: add("a.ca", {"language": "ca", "texts": []}),
            lambda: add("a.ca", translated(KIT_A)),
            A_CA,
        ),
        (
            lambda: own("cards/text.xml.j2", "{% if %}"),
            lambda: shutil.rmtree(OWN),
            B,
        ),
        (lambda: (CLUB / "b.yaml").unlink(), lambda: add("b", KIT_B), A + A_CA),
    ],
    ids=["word", "file", "translation", "template", "related"],
)
def test_a_faulty_activity_keeps_its_last_good_pdfs_and_stops_no_other(
    spoil: Change, mend: Change, named: list[str]
) -> None:
    built()
    before = files()
    spoil()
    add("c", kit("Cats", rule="Another rule."))
    told = built()
    assert told.faults
    assert sorted(told.out_of_date) == sorted(named)
    assert set(C) <= set(told.made)
    after = files()
    assert {name: after[name] for name in named} == {name: before[name] for name in named}
    assert all(after[name] != before[name] for name in C)
    mend()
    told = built()
    assert (told.faults, told.out_of_date) == ([], [])
    assert files() == afresh()


def test_a_language_that_an_activity_lacks_makes_none_of_its_pdfs_out_of_date() -> None:
    built()
    add("b", KIT_B)
    told = built(options=Options(languages=["ca"]))
    assert told.faults
    assert told.out_of_date == []


def test_an_activity_that_was_never_good_has_nothing_out_of_date() -> None:
    add("b", kit("W" * 60))
    (CLUB / "a.yaml").unlink()
    (CLUB / "a.ca.yaml").unlink()
    told = built()
    assert told.faults
    assert (sorted(told.made), told.out_of_date) == (sorted(C), [])


def test_what_cannot_be_written_is_out_of_date_and_stops_no_other() -> None:
    built()
    add("b", kit("Bears", rule="Another rule."))
    add("c", kit("Cats", rule="Another rule."))
    (OUT / "host/b.host.pdf").unlink()
    (OUT / "host/b.host.pdf").mkdir()
    told = built()
    (fault,) = told.faults
    assert fault.startswith("out/host/b.host.pdf: cannot be written (is a directory); ")
    assert told.out_of_date == ["player/b.pdf"]
    assert set(told.made) == {*A, *A_CA, *C} - set(told.current)


class Loses(Executor):
    """Makes calls here, but the processes of some, by number, are killed."""

    def __init__(self, *lost: int) -> None:
        self.lost = lost
        self.calls = count(1)

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        if next(self.calls) not in self.lost:
            return build.Here().submit(call, *given, **named)
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("killed"))
        return future


def test_a_job_whose_process_was_killed_is_named_and_stops_no_other() -> None:
    outlines = 3
    told = built(executor=Loses(outlines + 5))
    assert told.faults == [
        "activities/b.yaml: the process that made player/b.pdf was killed; "
        "free memory, and build again; or build with --jobs 1"
    ]
    assert sorted(told.made) == sorted(A + A_CA + C)
    assert sorted(built().made) == sorted(B)
    assert files() == afresh()


def test_an_outline_whose_process_was_killed_is_read_here() -> None:
    assert sorted(built(executor=Loses(1, 2, 3)).made) == ALL


# --- In the middle -------------------------------------------------------------------------------

BEFORE, AFTER = "before", "after"


def to_the_next() -> None:
    """What changes between two builds: one activity, one new, one gone."""
    add("b", kit("Bears", rule="Another rule."))
    add("d", kit("Dogs"))
    for each in ("a.ca", "a", "c"):
        (CLUB / f"{each}.yaml").unlink()


def at(moment: int, happen: Callable[[], object]) -> Callable[[pytest.MonkeyPatch], None]:
    """Something happens when a build is about to change the disk for the `moment`th time."""
    passed = count(1)

    def patch(patched: pytest.MonkeyPatch) -> None:
        for name in ("mkdir", "write_bytes", "replace", "unlink", "open"):
            patched.setattr(Path, name, changing(name, getattr(Path, name)))

    def changing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def change(path: Path, *given: Any, **named: Any) -> Any:
            if OUT not in path.parents or (name == "open" and given[:1] != ("a",)):
                return real(path, *given, **named)
            if next(passed) == moment:
                if name == "write_bytes":
                    real(path, given[0][: len(given[0]) // 2])
                elif name == "open":
                    with real(path, *given, **named) as file:
                        file.write('["0123')
                happen()
            return real(path, *given, **named)

        return change

    return patch


def expected() -> dict[str, set[bytes]]:
    """What each file of the output folder may be: as it was, or as it will be."""
    may: dict[str, set[bytes]] = {}
    for folder in (BEFORE, AFTER):
        for name, raw in files(Path(folder)).items():
            may.setdefault(name, set()).add(raw)
    return may


def two_states() -> None:
    """The output folders of two builds, and what there is to do between them."""
    built(Path(BEFORE), gallery=True)
    to_the_next()
    built(Path(AFTER), gallery=True)


def begin_again() -> None:
    """The activities have changed since the output folder was written."""
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(BEFORE, OUT)


def check_whole(may: dict[str, set[bytes]], name: str, raw: bytes) -> None:
    if name.endswith("index.html"):
        assert raw.rstrip().endswith(b"</html>")
    else:
        assert raw in may[name], name


def check_next() -> None:
    """The next build puts everything right."""
    told = built(gallery=True)
    assert (told.faults, told.out_of_date) == ([], [])
    found, wanted = files(), files(Path(AFTER))
    # What was written, but not yet recorded, when the build was killed is nobody's.
    assert {name: found[name] for name in wanted} == wanted
    assert set(found) - set(wanted) <= set(told.left)
    assert not list(OUT.rglob("*.part"))
    assert built(gallery=True).made == []


def kill_at_every_moment() -> None:
    """Forks builds that are killed with signal 9, each a little later than the one before."""
    work.make = make
    set_up()
    two_states()
    may = expected()
    for moment in count(1):
        begin_again()
        child = os.fork()
        if not child:
            at(moment, lambda: os.kill(os.getpid(), signal.SIGKILL))(pytest.MonkeyPatch())
            built(gallery=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        for name, raw in files().items():
            if not name.endswith(".part"):
                check_whole(may, name, raw)
        check_next()
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            print(moment)
            return


def test_a_build_that_is_killed_at_any_moment_leaves_whole_files_and_the_next_is_right() -> None:
    Path("killed").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", "from tests import test_run; test_run.kill_at_every_moment()"],
        cwd="killed",
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 30


def fail(error: BaseException, happened: list[int]) -> None:
    happened.append(1)
    raise error


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()],
    ids=["full disk", "Ctrl-C"],
)
def test_a_build_that_fails_at_any_moment_leaves_whole_files_and_the_next_is_right(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    two_states()
    may = expected()
    happened: list[int] = []
    for moment in count(1):
        begin_again()
        happened.clear()
        with monkeypatch.context() as patched:
            at(moment, functools.partial(fail, error, happened))(patched)
            with suppress(KeyboardInterrupt, KitError):
                built(gallery=True)
        for name, raw in files().items():
            check_whole(may, name, raw)
        check_next()
        if not happened:
            break
    assert moment > 30


# --- Everywhere the same -------------------------------------------------------------------------


class Backwards(Executor):
    """Makes all calls in the end, the last one first."""

    def __init__(self) -> None:
        self.calls: list[tuple[Future[Any], Callable[..., Any], Any]] = []

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = _Late(self)
        self.calls.append((future, call, given))
        return future


class _Late(Future[Any]):
    def __init__(self, executor: Backwards) -> None:
        super().__init__()
        self.executor = executor

    def result(self, timeout: float | None = None) -> Any:
        while self.executor.calls:
            future, call, given = self.executor.calls.pop()
            future.set_result(call(*given))
        return super().result(timeout)


def test_the_order_of_the_jobs_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = afresh(gallery=True)
    monkeypatch.setattr(work, "make", make.__wrapped__)
    told = Told()
    order = Run(library.find([CLUB]), [CLUB], Options())
    with store.opened(OUT, lambda: None) as opened:
        run.run(order, opened, told, Backwards(), ahead=99)
    assert files() == usual


def test_1000_activities_that_are_up_to_date_are_only_listed(
    monkeypatch: pytest.MonkeyPatch, nothing_is_made: Callable[[], None]
) -> None:
    shelf = library.Library(CLUB, reading.outline)
    material = shelf.material(shelf.sources(CLUB / "c.yaml"))
    one = make(Job(material, next(Options().variants())))
    text = (CLUB / "c.yaml").read_text("utf-8")
    for number in range(1000):
        (CLUB / f"kit-{number}.yaml").write_text(f"{text}# {number}\n", "utf-8")
    options = Options(editions=[PLAYER])
    with monkeypatch.context() as patched:
        patched.setattr(work, "make", lambda _: one)
        assert len(built(options=options).made) == 1004
    nothing_is_made()
    told = built(options=options)
    assert (told.made, len(told.current)) == ([], 1004)


def refuse(_: Job) -> Made:
    raise KitError(Fault(None, "it is wrong", "mend it"))


def test_where_all_are_faulty_at_once_none_loses_its_last_good_pdf(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built()
    before = files()
    monkeypatch.setattr(work, "make", refuse)
    told = built(force=True)
    assert (len(told.faults), sorted(told.out_of_date)) == (3, ALL)
    assert files() == before
