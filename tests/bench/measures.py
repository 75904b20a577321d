"""What is measured, one function for each: a size -> what was found."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, Protocol

import pypdfium2
from pypdf import PdfReader

from kit_builder import build, crew, gallery
from kit_builder.booklet import Booklet, Kit
from kit_builder.desk import Desk
from kit_builder.frontmatter import Wording
from kit_builder.printing import PLAYER, Printing
from kit_builder.variants import Options
from tests.bench import kit_builder_engine, kits
from tests.bench.figures import Figure, Measured, difference, digits, interleaved, ratio
from tests.bench.floor import Floor
from tests.bench.kits import CLEAR, SMALL
from tests.bench.typst_engine import Typst
from tests.bench.weasyprint_engine import WeasyPrint

_MEGABYTE = 1e6
_FEW = 300  # so many activities, or fewer, are built often enough for a median


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: `activities` are those of the large library."""

    activities: int

    @property
    def rounds(self) -> int:
        """How often short things are timed."""
        return max(7, min(31, self.activities // 10))

    @property
    def builds(self) -> int:
        """How often the library is built."""
        return 3 if self.activities <= _FEW else 1

    @property
    def bound(self) -> int:
        """How many kits are bound into a booklet."""
        return max(2, self.activities // 5)

    @property
    def early(self) -> int:
        """After how many kits in one process memory is looked at first."""
        return max(1, self.activities // 10)


class Engine(Protocol):
    """Something that makes PDFs of a kit."""

    def setup(self) -> None:
        """Once; raises ImportError or OSError where it is not installed."""

    def prep(self, kit: kits.Kit) -> Any:
        """A kit as the engine wants it; not timed."""

    def make(self, prepared: Any) -> tuple[bytes, bytes]:
        """The PDFs of the players and of the host."""


_OURS = "Kit Builder"
_FLOOR = f"bare canvas, {SMALL.name}"
_WEASYPRINT = f"WeasyPrint, {SMALL.name}"
_ENGINES: Mapping[str, Engine] = {
    _OURS: kit_builder_engine,
    _FLOOR: Floor(SMALL),
    f"bare canvas, {CLEAR.name}": Floor(CLEAR),
    f"Typst, {SMALL.name}": Typst(SMALL),
    f"Typst, {CLEAR.name}": Typst(CLEAR),
    _WEASYPRINT: WeasyPrint(SMALL),
    f"WeasyPrint, {CLEAR.name}": WeasyPrint(CLEAR),
}


def engines(size: Size) -> Measured:
    """The whole pipeline beside the practical limit, and beside what else one could take."""
    ready, notes = installed(_ENGINES)
    work = [kits.kit(number) for number in range(size.rounds)]
    calls: dict[str, _Call] = {}
    for name, engine in ready.items():
        calls[name] = _Call(engine, [engine.prep(kit) for kit in work])
        engine.make(engine.prep(kits.kit(size.rounds)))  # what is loaded once is loaded now
    seconds = interleaved(calls, size.rounds)
    outputs = {name: _Output(call.made) for name, call in calls.items()}
    for name, output in outputs.items():
        absent = lacking(work, output.texts)
        if absent:
            notes.append(f"{name}: its PDFs lack {len(absent)} words, such as {min(absent)}")
    per_page = {
        name: [each / pages for each, pages in zip(seconds[name], output.pages, strict=True)]
        for name, output in outputs.items()
    }
    rows = [
        (
            name,
            f"{1000 * median(seconds[name]):.1f}",
            f"{median(output.pages):g}",
            f"{1000 * median(per_page[name]):.2f}",
            f"{ratio(per_page[name], per_page[_FLOOR]):.2f}",
            f"{ratio(seconds[name], seconds[_FLOOR]):.2f}",
            f"{output.words / sum(output.pages):.0f}",
            f"{100_000 * sum(seconds[name]) / output.words:.2f}",
            f"{output.size / size.rounds / 1000:.0f}",
        )
        for name, output in outputs.items()
    ]
    ours = per_page[_OURS]
    figures = [Figure("a page, of the bare canvas", ratio(ours, per_page[_FLOOR]), "x", 1.25)]
    for name, theirs in per_page.items():
        if name.startswith("WeasyPrint"):
            least = 40 if name == _WEASYPRINT else None
            figures.append(
                Figure(f"a page, faster than {name}", ratio(theirs, ours), "x", None, least)
            )
        elif name not in (_OURS, _FLOOR):
            figures.append(Figure(f"a page, of {name}", ratio(ours, theirs), "x"))
    return Measured(
        f"One kit: texts -> PDFs for players and host ({size.rounds} kits each)",
        (
            *("engine", "ms/kit", "pages", "ms/page", "x canvas/page", "x canvas/kit"),
            *("words/page", "ms/100 words", "kB/kit"),
        ),
        rows,
        figures,
        notes,
    )


def installed(engines: Mapping[str, Engine]) -> tuple[dict[str, Engine], list[str]]:
    """The engines that are there, set up, and what is to be said of the others."""
    ready, notes = {}, []
    for name, engine in engines.items():
        try:
            engine.setup()
        except (ImportError, OSError) as error:
            notes.append(f"{name}: missing ({str(error).splitlines()[0]})")
        else:
            ready[name] = engine
    return ready, notes


class _Call:
    """An engine's share of a round; what it makes is kept."""

    def __init__(self, engine: Engine, prepared: Sequence[Any]) -> None:
        self._engine = engine
        self._prepared = prepared
        self.made: dict[int, tuple[bytes, bytes]] = {}

    def __call__(self, number: int) -> None:
        self.made[number] = self._engine.make(self._prepared[number])


class _Output:
    """What an engine made of all kits.

    Attributes:
        texts: of each kit, what stands on each of its pages.
    """

    def __init__(self, made: Mapping[int, tuple[bytes, bytes]]) -> None:
        kits_made = [made[number] for number in sorted(made)]
        self.texts = [[text for pdf in pdfs for text in page_texts(pdf)] for pdfs in kits_made]
        self.size = sum(len(pdf) for pdfs in kits_made for pdf in pdfs)

    @property
    def pages(self) -> list[int]:
        """Of each kit."""
        return [len(pages) for pages in self.texts]

    @property
    def words(self) -> int:
        """Of all kits."""
        return sum(len(text.split()) for pages in self.texts for text in pages)


def page_texts(pdf: bytes) -> list[str]:
    """What stands on each page."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def lacking(work: Sequence[kits.Kit], shown: Sequence[Sequence[str]]) -> set[str]:
    """The words of rules and host keys that stand on no page of their kit."""
    absent: set[str] = set()
    for kit, pages in zip(work, shown, strict=True):
        wanted = {*kits.words(kit["sections"]), *kits.words(kit["host"])}
        absent |= wanted - {word for text in pages for word in text.split()}
    return absent


def library(size: Size) -> Measured:
    """A large library through the console command: in full, with nothing to do, on two cores."""
    cores = crew.cores()
    with _folder() as folder:
        write(folder / "activities", range(size.activities))
        full, idle, one, two = [], [], [], []
        for _ in range(size.builds):
            with _folder() as out:
                full.append(_build(folder, out))
                idle += [_build(folder, out) for _ in range(5)]
                made = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
            # On two cores that was with two processes.
            two.append(full[-1] if cores == 2 else _build_anew(folder, 2))
            one.append(_build_anew(folder, 1))
        share = 100 * median(idle) / median(full)
    rows = [
        (name, f"{median(seconds):.2f}", f"{1000 * median(seconds) / size.activities:.2f}")
        for name, seconds in (
            (f"full build, by default ({cores} cores)", full),
            ("again, nothing to do", idle),
            ("full build, --jobs 1", one),
            ("full build, --jobs 2", two),
        )
    ]
    return Measured(
        f"A library of {size.activities} activities, through the console command",
        ("command", "s", "ms/activity"),
        rows,
        (
            Figure("nothing to do, of a full build", share, "%", 2),
            Figure("two processes, faster than one", ratio(one, two), "x", least=1.8),
        ),
        [f"{len(made)} files, {sum(made) / _MEGABYTE:.0f} MB; builds timed: {size.builds}"],
    )


def memory(size: Size) -> Measured:
    """What one process keeps of the kits it has made."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned) as apart:
        found = apart.submit(residents, size.early, size.activities).result()
    last = max(found)
    grown = found[last] - found[size.early]
    return Measured(
        "Memory of one process that makes one kit after the other",
        ("kits made", "MB"),
        [(str(number), f"{held / _MEGABYTE:.1f}") for number, held in found.items()],
        (Figure(f"grown from kit {size.early} to kit {last}", grown / _MEGABYTE, "MB", 30),),
    )


def residents(step: int, kit_count: int) -> dict[int, int]:
    """Bytes held in memory after every `step` of different kits."""
    kit_builder_engine.setup()
    found = {}
    for number in range(1, kit_count + 1):
        kit_builder_engine.make(kit_builder_engine.prep(kits.kit(number)))
        if number % step == 0:
            gc.collect()
            found[number] = _resident()
    return found


def _resident() -> int:
    """Bytes of this process in memory; where that cannot be told, the most it ever had."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return _peak(resource.getrusage(resource.RUSAGE_SELF))
    return int(pages) * resource.getpagesize()


def _peak(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def start(size: Size) -> Measured:
    """A fresh process for one kit."""
    with _folder() as folder:
        write(folder, [0])
        (path,) = folder.glob("*.yaml")
        console, python = _console(), sys.executable
        commands = {
            "kit-builder build one.yaml": [console, "build", path.name, "--out"],
            "kit-builder --help": [console, "--help"],
            'python -c "import reportlab.platypus"': [python, "-c", "import reportlab.platypus"],
            "python -c pass": [python, "-c", "pass"],
        }

        def timed(command: Sequence[str]) -> Callable[[int], Ran]:
            def call(number: int) -> Ran:
                out = [f"out-{number}"] if "--out" in command else []
                return run([*command, *out], folder)

            return call

        calls = {name: timed(command) for name, command in commands.items()}
        for call in calls.values():
            call(-1)  # what is compiled once is compiled now
        built, helped, platypus, bare = interleaved(calls, min(size.rounds, 15)).values()
    return Measured(
        "A fresh process",
        ("command", "ms"),
        [
            (name, f"{1000 * median(seconds):.0f}")
            for name, seconds in zip(commands, (built, helped, platypus, bare), strict=True)
        ],
        (
            Figure("one kit, against importing reportlab.platypus", ratio(built, platypus), "x", 2),
            Figure("--help, beyond a bare interpreter", difference(helped, bare), "s", 0.2),
        ),
    )


def booklet(size: Size) -> Measured:
    """Kits of 5 pages bound into one file, against the mere reading of their files."""
    number = size.bound
    with _folder() as folder:
        paths = write(folder / "activities", range(number), sections=2)
        outputs = [
            output
            for result in build.build(paths, Options(editions=(PLAYER,)))
            for output in result.outputs
        ]
        pdfs = [output.pdf for output in outputs]
        labels = Desk(folder / "activities").labels("ca")
        plans = [
            Kit(f"{output.path}", output.path.stem, "ca", PLAYER, [False] * output.pages)
            for output in outputs
        ]

        def bind(number: int) -> bytes:
            wording = Wording("Jocs", "ca", labels)
            return Booklet(plans[:number], wording, Printing()).bind(pdfs[:number])

        def bound(_: int) -> None:
            bind(number)

        def read(_: int) -> None:
            for pdf in pdfs:
                read_all(pdf)

        binding, reading = interleaved({"bind": bound, "read": read}, 3).values()
        few = max(2, number // 4)
        share = 100 * len(bind(few)) / sum(map(len, pdfs[:few]))
        command = [_console(), "booklet", "activities", "--out", "booklet.pdf"]
        whole = run(command, folder)
        whole_size = (folder / "booklet.pdf").stat().st_size
    pages = sum(output.pages for output in outputs)
    return Measured(
        f"A booklet of {number} kits, {pages / number:g} pages each",
        ("what", "s", "MB"),
        [
            ("finished kits bound", f"{median(binding):.2f}", f"{len(bind(number)) / 1e6:.2f}"),
            ("their files read", f"{median(reading):.2f}", f"{sum(map(len, pdfs)) / 1e6:.2f}"),
            ("kit-builder booklet", f"{whole.seconds:.2f}", f"{whole_size / 1e6:.2f}"),
        ],
        (
            Figure("bound, against read", ratio(binding, reading), "x", 10),
            Figure("the command's peak of memory", whole.peak / _MEGABYTE, "MB", 500),
            Figure(f"size of {few} kits bound, of their files", share, "%", 40),
        ),
        ["The command sets every kit with its numbers, binds, checks and searches the booklet."],
    )


def read_all(pdf: bytes) -> int:
    """Reads every object of a PDF; how many there are."""
    reader = PdfReader(BytesIO(pdf))
    numbers = {number for entries in reader.xref.values() for number in entries}
    numbers.update(reader.xref_objStm)
    return sum(reader.get_object(number) is not None for number in sorted(numbers))


def pictures(size: Size) -> Measured:
    """The pictures of a kit for the gallery: the first page and a sheet of cards."""
    kit_builder_engine.setup()
    definitions = [kit_builder_engine.prep(kits.kit(number)) for number in range(size.rounds)]
    made = [kit_builder_engine.make(each)[0] for each in definitions]
    cards = len(page_texts(made[0])) - 2  # the label of the kit is last

    def kit(number: int) -> None:
        kit_builder_engine.make(definitions[number])

    def drawn(number: int) -> None:
        gallery.pictures(made[number], [0, cards])

    kit_times, picture_times = interleaved({"kit": kit, "pictures": drawn}, size.rounds).values()
    return Measured(
        "Pictures for the gallery",
        ("what", "ms"),
        [
            ("both PDFs of a kit", digits(1000 * median(kit_times))),
            ("two pictures of it", digits(1000 * median(picture_times))),
        ],
        (Figure("pictures, of the PDFs", 100 * ratio(picture_times, kit_times), "%"),),
    )


MEASURES: Sequence[Callable[[Size], Measured]] = (
    engines,
    library,
    memory,
    start,
    booklet,
    pictures,
)


def write(folder: Path, numbers: Sequence[int], *, sections: int = 5) -> list[Path]:
    """Writes the definitions of kits into a folder, each in a file of its own."""
    folder.mkdir(exist_ok=True)
    paths = []
    for number in numbers:
        kit = kits.kit(number, sections=sections)
        path = folder / f"{kit['id']}.yaml"
        path.write_text(kit_builder_engine.prep(kit), "utf-8")
        paths.append(path)
    return paths


@dataclass(frozen=True, slots=True)
class Ran:
    """How long a command took, and the most memory it held, in bytes."""

    seconds: float
    peak: int


def run(command: Sequence[str], folder: Path) -> Ran:
    """Runs a command in a folder.

    Raises:
        RuntimeError: it fails.
    """
    with TemporaryFile() as said:
        begin = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        # Unlike `wait`, this tells what the command used, and those it waited for.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {said.read().decode()[-500:]}")
    return Ran(seconds, _peak(usage))


def _build(folder: Path, out: Path, *options: str) -> float:
    """The seconds of a build."""
    command = [_console(), "build", "activities", "--out", str(out), *options]
    return run(command, folder).seconds


def _build_anew(folder: Path, jobs: int) -> float:
    with _folder() as out:
        return _build(folder, out, "--jobs", str(jobs))


def _console() -> str:
    """The console command beside this interpreter."""
    return str(Path(sys.executable).with_name("kit-builder"))


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="kit-builder-bench-") as name:
        yield Path(name)
