"""Every activity through every stage, in order; faults collected, all or nothing per activity."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kit_builder import (
    activity,
    calibration,
    finished,
    formats,
    leaks,
    makeup,
    preflight,
    story,
    typeset,
)
from kit_builder.activity import Activity
from kit_builder.decks import EVERYTHING, Only, Orders
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.finished import Finished
from kit_builder.formats import Format
from kit_builder.layout import EDITIONS, HOST, PLAYER
from kit_builder.library import Library, labels_in, shown
from kit_builder.printers import Profile
from kit_builder.printing import PARTS, THE_KITS_OWN, Printing, PuzzleOrder

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_SEPARATE: tuple[Only, ...] = ("pages", "fronts", "backs")


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

    def file_name(self, slug: str, mark: str = "") -> str:
        """Such as "pass-and-pick-shapes.ca.letter.pdf"."""
        host = HOST if self.edition == HOST else ""
        return ".".join(filter(None, (slug, mark, *self.marks, host, "pdf")))


@dataclass(frozen=True, slots=True)
class Options:
    """What is to be built of every activity.

    Attributes:
        editions: PLAYER, HOST or both.
        papers: each makes PDFs of its own.
        split: one PDF for each part of the player edition.
        languages: those wanted; all that an activity has if empty.
        puzzles: those wanted of an activity that has one.
        printing: how; its paper does not count.
    """

    printing: Printing = Printing()
    papers: Sequence[Format] = (formats.PAPERS["a4"],)
    editions: Sequence[str] = EDITIONS
    split: bool = False
    languages: Sequence[str] = ()
    puzzles: Sequence[PuzzleOrder] = (THE_KITS_OWN,)

    def jobs(self) -> Iterator[Job]:
        """Every PDF that is wanted of an activity."""
        for paper in dict.fromkeys(self.papers):
            printing = replace(self.printing, paper=paper)
            marks: tuple[str, ...] = ()
            if len(set(self.papers)) > 1:
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
    parts = tuple(part for part in PARTS if part in printing.parts)
    if printing.cards:
        marks += ("reprint",)
        chosen: list[tuple[str, ...]] = [("cards",)]
    elif split:
        chosen = [(part,) for part in parts or PARTS]
    else:
        chosen = [() if parts == PARTS else parts]
    for each in chosen:
        named = marks if printing.cards or not each else (*marks, "-".join(each))
        orders = Orders(
            parts=each,
            cards=printing.cards,
            only="cards" if printing.cards else None,
            backs=printing.backs != "none",
            cut=printing.cut,
            gutter=printing.gutter,
            bleed=printing.bleed,
        )
        if printing.backs != "separate" or (each and "cards" not in each):
            yield Job(PLAYER, printing, named, orders)
            continue
        for only in _SEPARATE[1:] if printing.cards else _SEPARATE:
            yield Job(PLAYER, printing, (*named, only), replace(orders, only=only))


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
            yield Result(path, None, faults=located(error, path))


def located(error: KitError, path: Path) -> tuple[Fault, ...]:
    """The faults of an activity file; those without a place are of the whole file."""
    whole = Location(Source(shown(path)))
    return tuple(replace(each, location=each.location or whole) for each in error.faults)


def _kit(path: Path, library: Library, options: Options) -> Result:
    """All PDFs of one activity: every language, paper and edition.

    Raises:
        KitError: whatever is wrong in its definition, its translations or its layouts.
    """
    own, *others = library.languages(path)
    original = library.read(path)
    wanted = list(dict.fromkeys(options.languages or (own, *others)))
    absent = [language for language in wanted if language not in (own, *others)]
    faults = [untranslated(original, path, language) for language in absent]
    outputs: list[Output] = []
    for language in wanted:
        if language in absent:
            continue
        mark = "" if language == own else language
        for order in options.puzzles if original.kit.puzzle else (THE_KITS_OWN,):
            try:
                kit = Prepared(library, path, mark, order)
            except KitError as error:
                faults += _new(error.faults, faults)
                continue
            for job in options.jobs():
                try:
                    made = make_up(kit, job)
                    if made.sides:
                        outputs.append(_output(made))
                except KitError as error:
                    faults += _new(error.faults, faults)
    if faults:
        raise KitError(*faults)
    return Result(path, original, tuple(outputs))


def untranslated(read: Activity, path: Path, language: str) -> Fault:
    """The fault of wanting an activity in a language in which it is not written."""
    return Fault(
        read.kit.language.location,
        f'there is no "{language}" translation of this activity',
        f"write {path.stem}.{language}.yaml, or leave out --language",
    )


def _new(faults: Iterable[Fault], told: Sequence[Fault]) -> list[Fault]:
    """The faults not told yet: what is too wide on one paper is too wide on the next as well."""
    places = {each.location for each in told if each.location and each.location.column}
    return [each for each in faults if each not in told and each.location not in places]


class Prepared:
    """An activity in one language, with one puzzle if it has any, and all its layouts need.

    Attributes:
        mark: what tells its files from the usual ones: a language, a puzzle; or "".

    Raises:
        KitError: the definition, the translation or the labels are faulty.
    """

    def __init__(self, library: Library, path: Path, language: str, order: PuzzleOrder) -> None:
        self.mark = ".".join(filter(None, (language, order.mark)))
        self.layouts = library.layouts
        self.activity = library.read(path, language, order)
        self.labels = library.labels(self.activity.kit.language)
        related = map(str, self.activity.kit.related)
        self.titles = {slug: library.title(slug, self.activity.kit.language) for slug in related}


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A job of a kit, made up: what will stand on each side; nothing where it has nothing."""

    kit: Prepared
    job: Job
    told: story.Story
    sides: tuple[makeup.Side, ...]

    @property
    def file_name(self) -> str:
        """Of its PDF."""
        return self.job.file_name(self.kit.activity.kit.slug, self.kit.mark)


def make_up(kit: Prepared, job: Job) -> MadeUp:
    """What stands on the sides of a job.

    Raises:
        KitError: a layout is faulty, or something does not fit.
    """
    documents = [
        kit.layouts.render(kit.activity, job.edition, kit.labels, kit.titles, class_set)
        for class_set in job.printing.sets or (None,)
    ]
    frame = makeup.frame(job.printing, banner=job.edition == HOST)
    told = story.build(documents, frame, job.orders)
    return MadeUp(kit, job, told, tuple(makeup.make_up(told, job.printing)))


def press(made: MadeUp, numbering: typeset.Numbering | None = None) -> tuple[bytes, Finished]:
    """The PDF of what was made up, and the same taken apart.

    Raises:
        KitError: something does not fit, or a player file shows a secret.
    """
    kit, job = made.kit, made.job
    pdf = typeset.typeset(made.told, made.sides, job.printing, kit.labels, numbering)
    file = _inspect(pdf, made.told, job.printing)
    if job.edition != HOST:
        read = kit.activity
        public = (*activity.texts(read.kit), *kit.labels.values())
        secret = leaks.host_only(public, hidden(read), read.host.secrets)
        texts = without_numbers(file.texts, kit.labels)
        refuse(
            leaks.find(secret, {"file name": [made.file_name], **texts}),
            "file",
            "take it out of the player layout or the players' texts",
        )
    return pdf, file


def _output(made: MadeUp) -> Output:
    pdf, _ = press(made)
    return Output(Path(made.job.edition) / made.file_name, pdf, made.sides, made.job.printing)


def _inspect(pdf: bytes, told: story.Story, printing: Printing) -> Finished:
    """Preflight of a finished PDF.

    Raises:
        preflight.Failed: the file breaks a promise, which is a fault of the program.
    """
    file = finished.read(pdf)
    size = printing.paper.width, printing.paper.height
    titles = dict.fromkeys(part.class_set or part.title for part in told.parts)
    expected = preflight.Expectation([size], told.language, told.title, list(titles))
    preflight.check(file, expected)
    return file


def hidden(read: Activity) -> tuple[Text, ...]:
    """The texts of an activity that its host alone reads."""
    return tuple(activity.texts((*read.host.sections, *read.host.records)))


def without_numbers(
    texts: Mapping[str, Sequence[str]], labels: Mapping[str, Text]
) -> dict[str, list[str]]:
    """Texts by place without "Page 3 of 245": that 245 is also a code gives nothing away."""
    phrase = re.escape(labels["page"])
    for name in ("page", "pages"):
        phrase = phrase.replace(re.escape(f"{{{name}}}"), r"\d+")
    numbered = re.compile(phrase)
    return {place: [numbered.sub("", each) for each in held] for place, held in texts.items()}


def refuse(leaked: Sequence[leaks.Leak], what: str, instead: str) -> None:
    """Refuses a player file or booklet that shows the host's texts.

    Raises:
        KitError: it does.
    """
    if leaked:
        raise KitError(
            *(
                Fault(
                    leak.text.location,
                    f'the player {what} shows "{leak.text}" of the host\'s ({leak.place})',
                    instead,
                )
                for leak in leaked
            )
        )


def calibrate(paper: Format, language: str, profile: Profile, path: Path) -> None:
    """Writes the test sheet of a printer.

    Raises:
        KitError: there are no labels in the language, the paper is too small, or the file cannot
            be written.
    """
    labels = labels_in(language)
    pdf = calibration.sheet(paper, labels, profile, language=language)
    parts = [labels["calibrate-front"], labels["calibrate-back"]]
    preflight.check(
        finished.read(pdf),
        preflight.Expectation(
            [(paper.width, paper.height)], language, labels["calibrate-title"], parts
        ),
    )
    write_files({path: pdf})


def write(outputs: Iterable[Output], folder: Path) -> None:
    """Writes the finished PDFs of an activity into the output folder: all of them, or none.

    Raises:
        KitError: the disk is full, the folder cannot be written, or the like.
    """
    write_files({folder / output.path: output.pdf for output in outputs})


def write_files(files: Mapping[Path, bytes]) -> None:
    """Writes files beside their places first and then renames them: never half a file.

    Raises:
        KitError: the disk is full, a folder cannot be written, or the like.
    """
    parts: dict[Path, Path] = {}
    path = Path()
    try:
        try:
            for path, pdf in files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f".{path.name}.{os.getpid()}.part")
                parts[part] = path
                part.write_bytes(pdf)
            for part, path in parts.items():
                part.replace(path)
        finally:
            for part in parts:
                part.unlink(missing_ok=True)
    except OSError as error:
        first = "free space" if error.errno in _FULL else "close it if it is open"
        raise fault(
            Location(Source(shown(path))),
            f"cannot be written ({(error.strerror or 'unknown reason').lower()})",
            f"{first}, or choose another --out",
        ) from None
