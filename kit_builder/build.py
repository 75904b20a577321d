"""Every activity through every stage, in order; faults collected, all or nothing per activity."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit_builder import activity, definition, facts, formats, preflight, resources, story, typeset
from kit_builder.activity import Activity
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.formats import Format
from kit_builder.layout import EDITIONS, HOST, PLAYER, Layouts

_SUFFIXES = (".yaml", ".yml")
_LABELS = "labels"


@dataclass(frozen=True, slots=True)
class Options:
    """How kits are printed.

    Attributes:
        editions: PLAYER, HOST or both.
    """

    paper: Format = formats.PAPERS["a4"]
    editions: Sequence[str] = EDITIONS


@dataclass(frozen=True, slots=True)
class Output:
    """A finished PDF, and where it belongs in the output folder."""

    path: Path
    pdf: bytes
    pages: int


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
    """All editions of one activity.

    Raises:
        KitError: whatever is wrong in its definition or its layouts.
    """
    read = library.read(path)
    labels = library.labels(read.kit.language)
    titles = {str(slug): library.title(slug) for slug in read.kit.related}
    outputs = []
    for edition in options.editions:
        document = library.layouts.render(read, edition, labels, titles)
        told = story.build(document, typeset.frame(options.paper, banner=edition == HOST))
        pdf = typeset.typeset(told, options.paper, labels)
        name = _file_name(read.kit.slug, edition)
        outputs.append(Output(name, pdf, _inspect(pdf, name, told, read, labels, options)))
    return Result(path, read, tuple(outputs))


def _file_name(slug: str, edition: str) -> Path:
    return Path(edition) / (f"{slug}.pdf" if edition == PLAYER else f"{slug}.{edition}.pdf")


def _inspect(
    pdf: bytes,
    name: Path,
    told: story.Story,
    read: Activity,
    labels: Mapping[str, Text],
    options: Options,
) -> int:
    """Preflight of a finished PDF.

    Returns:
        Its number of pages.

    Raises:
        KitError: a player file holds text of the host's.
        preflight.Failed: the file breaks another promise, which is a fault of the program.
    """
    finished = preflight.read(pdf)
    size = options.paper.width, options.paper.height
    parts = [part.title for part in told.parts]
    preflight.check(finished, preflight.Expectation([size], told.language, told.title, parts))
    if name.parts[0] == PLAYER:
        public = (*activity.texts(read.kit), *labels.values())
        sections, records = read.host.sections, read.host.records
        hidden = activity.texts((*sections, *records))
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
    return len(finished.pages)


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
