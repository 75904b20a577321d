"""A run: activities built into an output folder, whole files only, and what is gone removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from kit_builder import build, exhibits, files, library, volumes
from kit_builder.build import Output, Result
from kit_builder.errors import Fault, KitError
from kit_builder.job import picture_name
from kit_builder.printing import EDITIONS, HOST, PLAYER
from kit_builder.store import Record, Store
from kit_builder.variants import Options
from kit_builder.volumes import Volume


class Report(Protocol):
    """Whoever tells the user what becomes of a run."""

    def done(self, result: Result) -> None:
        """An activity is built and written; or it is faulty, and what was there stays."""

    def bound(self, name: str, pages: int | None) -> None:
        """A booklet is bound; or it is up to date, and has no number of pages."""

    def failed(self, faults: Sequence[Fault]) -> None:
        """Something else than an activity is faulty."""

    def stale(self, name: str) -> None:
        """A PDF is out of date, because its activity is faulty."""

    def removed(self, name: str) -> None:
        """A PDF is gone, because its activity is."""

    def kept(self, name: str) -> None:
        """A PDF of an activity that is gone was changed by somebody, and stays."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is built, and how.

    Attributes:
        paths: of the activities.
        folders: in which nothing but these activities is.
        force: what is up to date is made again.
        gallery: there is a page of pictures for each edition.
        volumes: booklets that are bound of it; None if those that there are shall stay.
        lock: makes a host's PDF unreadable without a password; None leaves it as it is.
    """

    paths: Sequence[Path]
    folders: Sequence[Path]
    options: Options
    force: bool = False
    gallery: bool = True
    volumes: Sequence[Volume] | None = None
    lock: Callable[[bytes], bytes] | None = None

    @property
    def pictures(self) -> Sequence[str]:
        """The editions that pictures are made of: none of a key that is locked."""
        if not self.gallery:
            return ()
        return (PLAYER,) if self.lock else EDITIONS


def run(
    order: Run,
    store: Store,
    report: Report,
    executor: Executor | None = None,
    *,
    few: int = 0,
    ahead: int = 0,
) -> None:
    """Builds, and writes each activity as soon as it is made, all of its files or none.

    Args:
        order: what is wanted.
        store: where it goes.
        report: is told.
        executor: as for `build.build`.
        few: as for `build.build`.
        ahead: as for `build.build`.

    Raises:
        KitError: a folder or file that is to be written, cannot be.
    """
    if order.force:
        store.forget()
    elif order.lock:
        store.forget(HOST)
    results = build.build(
        order.paths,
        order.options,
        executor,
        store=store,
        pictures=order.pictures,
        few=few,
        ahead=ahead,
    )
    faulty: set[Path] = set()
    for result in results:
        told = result
        try:
            store.keep(each.record for each in _all(result) if each.made is None)
            store.put(_contents(result, order.lock))
        except KitError as error:
            names = tuple(each.record.name for each in result.outputs if each.made)
            told = Result(result.path, faults=error.faults, missed=names)
        report.done(told)
        if told.faults:
            faulty.add(result.path)
            for record in store.of(files.shown(result.path)):
                if told.missed is None or record.name in told.missed:
                    report.stale(record.name)
    _bind(order, store, report, faulty)
    _tell_removed(report, *store.sweep(order.folders))
    if order.gallery and order.paths:
        shelf = library.templates_of(order.paths[0].parent)
        try:
            exhibits.refresh(store, shelf, order.options.printing.school)
        except KitError as error:
            report.failed(error.faults)
    else:
        exhibits.remove(store)


def _bind(order: Run, store: Store, report: Report, faulty: set[Path]) -> None:
    """Binds the booklets, but for those with a faulty activity, and removes others of before."""
    if order.volumes is None:
        return
    for volume in order.volumes:
        if volume.order.edition not in order.options.editions:
            continue
        if faulty.isdisjoint(volume.paths):
            locked = order.lock if volume.order.edition == HOST else None
            try:
                report.bound(volume.name, volumes.bind(volume, store, locked))
                continue
            except KitError as error:
                report.failed(error.faults)
        if any(each.name == volume.name for each in volumes.records(store)):
            report.stale(volume.name)
    wanted = {volume.name for volume in order.volumes}
    for record in volumes.records(store):
        if record.name not in wanted:
            _tell_removed(report, *store.drop(record.name))


def _tell_removed(report: Report, removed: Sequence[str], kept: Sequence[str]) -> None:
    for name in removed:
        report.removed(name)
    for name in kept:
        report.kept(name)


def _all(result: Result) -> Sequence[Output]:
    return *result.outputs, *result.empty


def _contents(
    result: Result, lock: Callable[[bytes], bytes] | None
) -> Iterator[tuple[Record, Mapping[str, bytes]]]:
    """What was made anew of an activity, as it is to be written."""
    for output in _all(result):
        if output.made is None:
            continue
        record, pdf = output.record, output.pdf
        if lock and pdf and output.edition == HOST:
            # Every lock differs, and a key that knew the password would help to guess it.
            record, pdf = replace(record, key=""), lock(pdf)
        contents = {record.name: pdf} if pdf else {}
        for picture in output.made.pictures:
            contents[picture_name(record.name, picture.kind)] = picture.png
        yield record, contents
