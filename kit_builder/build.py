"""Every activity through every stage, in order; faults collected, all or nothing per activity."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kit_builder import (
    activity,
    definition,
    facts,
    formats,
    makeup,
    patterns,
    preflight,
    resources,
    story,
    typeset,
)
from kit_builder.activity import Activity
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.formats import Format
from kit_builder.decks import EVERYTHING, Orders
from kit_builder.layout import EDITIONS, HOST, PLAYER, Layouts
from kit_builder.printing import PARTS, Printing

_SUFFIXES = (".yaml", ".yml")
_LABELS = "labels"
CARDS: tuple[str, ...] = ("cards",)


@dataclass(frozen=True, slots=True)
class Job:
    """One PDF of every activity: an edition, printed in one way.

    Attributes:
        marks: what tells its file name from those of other ways to print, such as "letter".
    """

    edition: str
    printing: Printing
    marks: tuple[str, ...] = ()
    orders: Orders = EVERYTHING

    def file_name(self, slug: str) -> str:
        """Such as "pass-and-pick-shapes.letter.pdf"."""
        host = (HOST,) if self.edition == HOST else ()
        return ".".join((slug, *self.marks, *host, "pdf"))


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be built of every activity.

    Attributes:
        editions: PLAYER, HOST or both.
        papers: each makes PDFs of its own.
        split: one PDF for each part of the player edition.
        printing: how; its paper does not count.
    """

    printing: Printing = Printing()
    papers: Sequence[Format] = (formats.PAPERS["a4"],)
    editions: Sequence[str] = EDITIONS
    split: bool = False

    def jobs(self) -> Iterator[Job]:
        """Every PDF that is wanted of an activity."""
        for paper in self.papers:
            printing = replace(self.printing, paper=paper)
            marks: tuple[str, ...] = ()
            if len(self.papers) > 1:
                marks += (paper.name.lower().replace(" ", ""),)
            if printing.large:
                marks += ("large",)
            if PLAYER in self.editions:
                yield from _player_jobs(printing, marks, self.split)
            if HOST in self.editions and not printing.cards:
                plain = Printing(paper, large=printing.large, profile=printing.profile)
                yield Job(HOST, plain, marks)


def _player_jobs(printing: Printing, marks: tuple[str, ...], split: bool) -> Iterator[Job]:
    """The player files of one way to print: one, or one a part, or fronts and backs apart."""
    if printing.sets:
        first, last = printing.sets[0].letter.lower(), printing.sets[-1].letter.lower()
        marks += (f"set-{first}" if first == last else f"sets-{first}-{last}",)
    if printing.cards:
        marks += ("reprint",)
    parts = tuple(printing.parts) or (CARDS if printing.cards else ())
    chosen: list[tuple[str, ...]] = [(part,) for part in parts or PARTS] if split else [parts]
    for each in chosen:
        named = (*marks, "-".join(each)) if split or (each and not printing.cards) else marks
        orders = Orders(
            parts=each,
            cards=printing.cards,
            backs=printing.backs != "none",
            cut=printing.cut,
            gutter=printing.gutter,
            bleed=printing.bleed,
        )
        if printing.backs != "separate":
            yield Job(PLAYER, printing, named, orders)
            continue
        yield Job(PLAYER, printing, (*named, "fronts"), replace(orders, only="fronts"))
        if not each or "cards" in each:
            only = replace(orders, parts=CARDS, pages=False, only="backs")
            yield Job(PLAYER, printing, (*named, "backs"), only)


@dataclass(frozen=True, slots=True)
class Output:
    """A finished PDF, where it belongs in the output folder, and what stands on its pages."""

    path: Path
    pdf: bytes
    sides: tuple[makeup.Side, ...]
    printing: Printing

    @property
    def edition(self) -> str:
        """PLAYER or HOST."""
        return self.path.parts[0]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one activity file: its outputs, or its faults."""

    path: Path
    activity: Activity | None
    outputs: tuple[Output, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(slots=True)
class Library:
    """A folder of activities, and the templates and labels beside it.

    A `templates/` folder that lies in it comes before the program's own; so does one beside it
    where the folder itself is called `activities`.
    """

    folder: Path
    layouts: Layouts = field(init=False)
    catalogue: definition.Catalogue = field(init=False)
    _own: Path | None = field(init=False)

    def __post_init__(self) -> None:
        beside = [self.folder / "templates"]
        if self.folder.resolve().name == "activities":
            beside.append(self.folder / ".." / "templates")
        self._own = next((each.resolve() for each in beside if each.is_dir()), None)
        self.layouts = Layouts(self._own)
        self.catalogue = definition.Catalogue(
            faces=self.layouts.faces(),
            languages=sorted({path.stem for path in self._label_files()}),
            slugs=[path.stem for path in definitions_in(self.folder)],
            patterns=list(patterns.PATTERNS),
            facts=facts.FACTS,
        )

    def _label_files(self) -> Iterator[Path]:
        for folder in (resources.folder("templates"), self._own):
            if folder is not None:
                yield from sorted((folder / _LABELS).glob("*.yaml"))

    def read(self, path: Path) -> Activity:
        """The activity of a file in the folder.

        Raises:
            KitError: it is faulty.
        """
        return definition.read(path, shown(path), self.catalogue)

    def labels(self, language: str) -> Mapping[str, Text]:
        """The words of the tool in a language: the program's, those of the user over them.

        Raises:
            KitError: a label file is faulty.
        """
        found: dict[str, Text] = {}
        for path in self._label_files():
            if path.stem == language:
                found |= definition.labels(path, shown(path))
        return found

    def title(self, slug: str) -> str:
        """The title of an activity of the library; its slug where its file is faulty."""
        for path in definitions_in(self.folder):
            if path.stem == slug:
                try:
                    return self.read(path).kit.title
                except KitError:
                    break
        return slug


def shown(path: Path) -> str:
    """A path as messages name it: from the current folder where it is inside, as users type it."""
    absolute = Path(os.path.normpath(path.absolute()))
    here = Path.cwd()
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(absolute)


def definitions_in(folder: Path) -> list[Path]:
    """The activity files in a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.is_file())


def find(named: Iterable[Path]) -> list[Path]:
    """The activity files that files and folders name, each once, in the order named.

    Raises:
        KitError: there is no such file or folder, a folder without activities, or two activities
            of one name.
    """
    found: dict[Path, Path] = {}
    faults = []
    for path in named:
        if path.is_dir():
            inside = definitions_in(path)
            if not inside:
                faults.append(
                    _absent(path, "the folder holds no activity", "put .yaml files into it")
                )
            found |= {each.resolve(): each for each in inside}
        elif path.is_file():
            found[path.resolve()] = path
        else:
            faults.append(_absent(path, "there is no such file or folder", "check the name"))
    slugs: dict[str, Path] = {}
    for path in found.values():
        other = slugs.setdefault(path.stem, path)
        if other is not path:
            what = f"{shown(other)} makes PDFs of the same name"
            faults.append(_absent(path, what, "rename one of the two files"))
    if faults:
        raise KitError(*faults)
    return list(found.values())


def _absent(path: Path, what: str, instead: str) -> Fault:
    return Fault(Location(Source(shown(path))), what, instead)


def read(paths: Iterable[Path]) -> Iterator[Result]:
    """The activities of files, without their kits."""
    yield from _each(paths, lambda path, library: Result(path, library.read(path)))


def build(paths: Iterable[Path], options: Options) -> Iterator[Result]:
    """The kits of activity files, one after the other; a faulty one does not stop the others."""
    yield from _each(paths, lambda path, library: _kit(path, library, options))


def _each(paths: Iterable[Path], make: Callable[[Path, Library], Result]) -> Iterator[Result]:
    libraries: dict[Path, Library] = {}
    for path in paths:
        try:
            if path.parent not in libraries:
                libraries[path.parent] = Library(path.parent)
            yield make(path, libraries[path.parent])
        except KitError as error:
            yield Result(path, None, faults=error.faults)


def _kit(path: Path, library: Library, options: Options) -> Result:
    """All editions of one activity, on all papers.

    Raises:
        KitError: whatever is wrong in its definition or its layouts.
    """
    read = library.read(path)
    labels = library.labels(read.kit.language)
    titles = {str(slug): library.title(slug) for slug in read.kit.related}
    outputs = []
    for job in options.jobs():
        documents = [
            library.layouts.render(read, job.edition, labels, titles, class_set)
            for class_set in job.printing.sets or (None,)
        ]
        host = job.edition == HOST
        frame = makeup.frame(job.printing, banner=host)
        told = story.build(documents, frame, job.orders)
        sides = makeup.make_up(told, job.printing)
        if not sides:
            continue
        pdf = typeset.typeset(told, sides, job.printing, labels)
        name = Path(job.edition) / job.file_name(read.kit.slug)
        finished = _inspect(pdf, told, job.printing)
        if not host:
            _refuse_leaks(finished, name, read, labels)
        outputs.append(Output(name, pdf, tuple(sides), job.printing))
    return Result(path, read, tuple(outputs))


def _inspect(pdf: bytes, told: story.Story, printing: Printing) -> preflight.Finished:
    """Preflight of a finished PDF.

    Raises:
        preflight.Failed: the file breaks a promise, which is a fault of the program.
    """
    finished = preflight.read(pdf)
    size = printing.paper.width, printing.paper.height
    titles = dict.fromkeys(part.class_set or part.title for part in told.parts)
    expected = preflight.Expectation([size], told.language, told.title, list(titles))
    preflight.check(finished, expected)
    return finished


def _refuse_leaks(
    finished: preflight.Finished, name: Path, read: Activity, labels: Mapping[str, Text]
) -> None:
    """Raises:
    KitError: a player file holds text of the host's.
    """
    public = (*activity.texts(read.kit), *labels.values())
    hidden = activity.texts((*read.host.sections, *read.host.records))
    secret = preflight.host_only(public, hidden, read.host.secrets)
    leaked = preflight.leaks(finished, name.name, secret)
    if leaked:
        raise KitError(
            *(
                Fault(
                    leak.text.location,
                    f'the player file shows "{leak.text}" of the host\'s ({leak.place})',
                    "take it out of the player layout or the players' texts",
                )
                for leak in leaked
            )
        )


def write(outputs: Iterable[Output], folder: Path) -> None:
    """Writes finished PDFs, each beside its place first and then renamed: never half a file.

    Raises:
        KitError: the disk is full, the folder cannot be written, or the like.
    """
    for output in outputs:
        path = folder / output.path
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(output.pdf)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            place = Location(Source(shown(path)))
            raise fault(
                place, f"cannot be written: {error.strerror}", "free space, or choose another --out"
            ) from None
