"""Activity files -> jobs -> their PDFs; faults are collected, and no activity stops another.

The jobs may run anywhere. What is up to date is not made again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from kit_builder import library
from kit_builder.errors import Fault, KitError, Location, Source
from kit_builder.files import shown
from kit_builder.job import Count, Job, Made
from kit_builder.keys import Keys
from kit_builder.library import Library
from kit_builder.material import Outline, Sources
from kit_builder.printing import THE_KITS_OWN
from kit_builder.store import Record, Store
from kit_builder.variants import Options, Variant


@dataclass(frozen=True, slots=True)
class Output:
    """A PDF of an activity, for its place in the output folder.

    Attributes:
        made: None if what lies there is up to date.
    """

    job: Job
    record: Record
    made: Made | None

    @property
    def path(self) -> PurePosixPath:
        """In the output folder."""
        return self.job.path

    @property
    def edition(self) -> str:
        """PLAYER or HOST."""
        return self.job.variant.edition

    @property
    def pdf(self) -> bytes:
        """What was made; empty if there is nothing to print, or nothing new."""
        return self.made.pdf if self.made else b""

    @property
    def pages(self) -> int:
        """How many it has."""
        pages: int = self.record.facts["pages"]
        return pages

    @property
    def count(self) -> Count:
        """What is needed to print it and to cut it out."""
        return Count(**self.record.facts["count"])


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one activity file: its outputs, or its faults.

    Attributes:
        empty: PDFs that it has nothing for, such as of cards where it has no deck.
        missed: of a faulty one, the names of PDFs that should have been made; None if its file
            cannot be read well enough to tell.
    """

    path: Path
    outputs: tuple[Output, ...] = ()
    empty: tuple[Output, ...] = ()
    faults: tuple[Fault, ...] = ()
    missed: tuple[str, ...] | None = None

    @property
    def slug(self) -> str:
        """What the activity is called in file names."""
        return self.path.stem


class Here(Executor):
    """Makes every call at once, in this process."""

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """What became of the call."""
        future: Future[Any] = Future()
        try:
            future.set_result(call(*given, **named))
        except Exception as error:
            future.set_exception(error)
        return future


def build(
    paths: Sequence[Path],
    options: Options,
    executor: Executor | None = None,
    *,
    store: Store | None = None,
    pictures: Collection[str] = (),
    few: int = 0,
    ahead: int = 0,
) -> Iterator[Result]:
    """The kits of activity files, in their order.

    Args:
        paths: as `library.find` returns them.
        options: what is wanted of each.
        executor: runs the jobs; without one they run here.
        store: knows what is up to date already; without one everything is made.
        pictures: the editions that pictures are wanted of, as they are printed first.
        few: so many jobs, or fewer, run here; to ask others would take longer.
        ahead: for how many activities jobs are submitted before the first must be done.
    """
    given = _Build(paths, options, executor or Here(), store, pictures, few, ahead)
    yield from given.results()


def _make(job: Job) -> Made:
    # Imported here, so that a build that finds everything up to date takes no time.
    from kit_builder import work

    return work.make(job)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done for an activity.

    Attributes:
        jobs: each with its record if it is up to date, and None if it is to be made.
        faults: that are known before.
        read: its file can be read well enough to tell which jobs there are.
    """

    path: Path
    jobs: Sequence[tuple[Job, Record | None]] = ()
    faults: Sequence[Fault] = ()
    read: bool = True


class _Build:
    """One build of some activities."""

    def __init__(
        self,
        paths: Sequence[Path],
        options: Options,
        executor: Executor,
        store: Store | None,
        pictures: Collection[str],
        few: int,
        ahead: int,
    ) -> None:
        self._paths = paths
        self._options = options
        self._variants = list(options.variants())
        self._executor = executor
        self._store = store
        self._pictures = pictures
        self._few = few
        self._ahead = ahead
        self._keys = Keys()
        self._outlines: dict[str, Future[Outline]] = {}  # by digest of the sources
        self._libraries: dict[Path, Library | KitError] = {}

    def results(self) -> Iterator[Result]:
        """What becomes of each activity."""
        sources = {path: self._sources(path) for path in self._paths}
        # All before the first kit is made: each names the titles of others.
        self._outline_all([each for each in sources.values() if isinstance(each, Sources)])
        plans = [self._plan(path, each) for path, each in sources.items()]
        submit = self._submit(sum(not known for plan in plans for _, known in plan.jobs))
        begun: deque[tuple[_Plan, list[Future[Made] | None]]] = deque()
        for plan in plans:
            begun.append(
                (plan, [None if known else submit(_make, job) for job, known in plan.jobs])
            )
            while len(begun) > self._ahead:
                yield self._finish(*begun.popleft())
        while begun:
            yield self._finish(*begun.popleft())

    def _submit(self, calls: int) -> Callable[..., Future[Any]]:
        """Who makes so many calls."""
        return (self._executor if calls > self._few else Here()).submit

    def _library(self, path: Path) -> Library:
        folder = path.parent
        if folder not in self._libraries:
            try:
                self._libraries[folder] = Library(folder, self._outline)
            except KitError as error:
                self._libraries[folder] = error
        found = self._libraries[folder]
        if isinstance(found, KitError):
            raise found
        return found

    def _sources(self, path: Path) -> Sources | KitError:
        try:
            return self._library(path).sources(path)
        except KitError as error:
            return error

    def _outline_all(self, every: Sequence[Sources]) -> None:
        """Asks for the outlines that are not known."""
        unknown = [each for each in every if not (self._store and self._store.outline(each))]
        submit = self._submit(len(unknown))
        self._outlines = {each.digest: submit(library.read_outline, each) for each in unknown}

    def _outline(self, sources: Sources) -> Outline:
        known = self._store.outline(sources) if self._store else None
        if known is None:
            last = self._store.last_outline(sources) if self._store else None
            try:
                known = self._asked_outline(sources)
            except KitError:
                if last is None:
                    raise
                # Until it is mended, whoever prints its title goes on with the last one.
                return last
            known = known.mended(last) if last else known
            if self._store:
                self._store.note(sources, known)
        return known

    def _asked_outline(self, sources: Sources) -> Outline:
        asked = self._outlines.get(sources.digest)
        try:
            return asked.result() if asked else library.read_outline(sources)
        except BrokenExecutor:  # its process was killed
            return library.read_outline(sources)

    def _plan(self, path: Path, sources: Sources | KitError) -> _Plan:
        try:
            if isinstance(sources, KitError):
                raise sources
            jobs, faults = self._jobs(path, sources)
        except KitError as error:
            return _Plan(path, faults=error.faults, read=False)
        return _Plan(path, [(job, self._known(job)) for job in jobs], faults)

    def _jobs(self, path: Path, sources: Sources) -> tuple[list[Job], list[Fault]]:
        """The jobs of an activity: every language, puzzle, paper and edition that is wanted."""
        shelf = self._library(path)
        known = shelf.outline(sources)
        wanted = dict.fromkeys(self._options.languages or known.languages)
        absent = [language for language in wanted if language not in known.languages]
        faults = [library.untranslated(sources.definition, language) for language in absent]
        jobs = [
            Job(shelf.material(sources, language, order), variant, self._has_pictures(variant))
            for language in wanted
            if language in known.languages
            for order in (self._options.puzzles if known.puzzle else (THE_KITS_OWN,))
            for variant in self._variants
        ]
        return jobs, faults

    def _has_pictures(self, variant: Variant) -> bool:
        first = next(each for each in self._variants if each.edition == variant.edition)
        return variant.edition in self._pictures and variant.way == first.way

    def _known(self, job: Job) -> Record | None:
        """The record of a job whose files are there, and up to date."""
        record = self._store.record(str(job.path)) if self._store else None
        if record is None or self._store is None:
            return None
        current = record.key == self._keys.key(job, record.used) and self._store.is_intact(record)
        return replace(record, sources=job.sources) if current else None

    def _finish(self, plan: _Plan, futures: Sequence[Future[Made] | None]) -> Result:
        faults = list(plan.faults)
        outputs: list[Output] = []
        for (job, known), future in zip(plan.jobs, futures, strict=True):
            try:
                made = future.result() if future else None
                outputs.append(Output(job, known or self._record(job, made), made))
            except KitError as error:
                faults += _new(error.faults, faults)
            except BrokenExecutor:
                faults.append(
                    Fault(
                        Location(Source(shown(plan.path))),
                        f"the process that made {job.path} was killed",
                        "free memory, and build again; or build with --jobs 1",
                    )
                )
        if faults:
            missed = tuple(str(job.path) for job, known in plan.jobs if not known)
            return Result(
                plan.path,
                faults=library.located(faults, plan.path),
                missed=missed if plan.read else None,
            )
        return Result(
            plan.path,
            tuple(each for each in outputs if each.pages),
            tuple(each for each in outputs if not each.pages),
        )

    def _record(self, job: Job, made: Made | None) -> Record:
        assert made  # what was not made has a record
        material = job.material
        facts = {
            "pages": made.pages,
            "count": asdict(made.count),
            "slug": material.definition.stem,
            "language": material.language,
            "translated": material.translation is not None,
            "marks": job.variant.marks,
            "way": job.variant.way,
            "about": asdict(made.about),
            "pictures": [(each.kind, each.width, each.height) for each in made.pictures],
        }
        return Record(
            str(job.path),
            job.sources,
            self._keys.key(job, made.used),
            made.used,
            facts,
        )


def _new(faults: Sequence[Fault], told: Sequence[Fault]) -> list[Fault]:
    """The faults not told yet: what is too wide on one paper is too wide on the next as well."""
    places = {each.location for each in told if each.location and each.location.column}
    return [each for each in faults if each not in told and each.location not in places]
