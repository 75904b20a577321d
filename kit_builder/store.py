"""The output folder: what is in it, what it was made of, and that no two builds write it at once.

Its manifest is a file of JSON lines, of which the last about a name counts. A line is added when
the files that it speaks of are in their places: whoever is killed leaves a manifest that is true.
A line that was being written then, or was damaged later, is ignored, because files are removed by
what the manifest says: each line begins with a digest of the rest of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from kit_builder import files
from kit_builder.files import digest
from kit_builder.material import Outline, Sources
from kit_builder.printing import EDITIONS

_FOLDER = ".kit-builder"
_MANIFEST = "manifest.jsonl"
# A manifest of another format is not read, and everything is made again.
_HEADER = '{"format":1}'
_BEFORE = 36  # characters before the rest of a line: its digest, and what JSON needs


class Stamp(NamedTuple):
    """How a file was when it was written.

    Attributes:
        digest: of its bytes.
        size: in bytes.
        changed: in nanoseconds, as the disk counts them.
    """

    digest: str
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class Record:
    """What the manifest says of a job.

    Attributes:
        name: of its PDF, from the output folder.
        sources: the files of the activity; in the manifest, from the output folder.
        key: of all that it was made of; "" if it is to be made again every time.
        used: the names of the templates among that.
        facts: what reports and galleries tell of it.
        files: the PDF and what belongs to it, by name; none where there is nothing to print.
    """

    name: str
    sources: tuple[str, ...]
    key: str
    used: tuple[str, ...]
    facts: Mapping[str, Any]
    files: Mapping[str, Stamp] = field(default_factory=dict)


class Store:
    """An output folder that nobody else builds in; made by `opened`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / _FOLDER / _MANIFEST
        self._records: dict[str, Record] = {}
        self._names: dict[str, str] = {}  # of files, by what messages call them
        self._outlines: dict[str, tuple[str, Outline]] = {}
        self._changed = not self._read()

    # What is known

    def outline(self, sources: Sources) -> Outline | None:
        """The outline of an activity, if its files are still the same."""
        known = self._outlines.get(self._name(sources.definition.shown))
        return known[1] if known and known[0] == sources.digest else None

    def last_outline(self, sources: Sources) -> Outline | None:
        """The outline of an activity when it could last be read."""
        known = self._outlines.get(self._name(sources.definition.shown))
        return known[1] if known else None

    def record(self, name: str) -> Record | None:
        """What is known of a PDF."""
        return self._records.get(name)

    def records(self) -> list[Record]:
        """All of them, by name."""
        return [self._records[name] for name in sorted(self._records)]

    def of(self, shown: str) -> list[Record]:
        """The PDFs of the activity whose definition messages call `shown`, where they exist."""
        return self._by_source.get(self._name(shown), [])

    @cached_property
    def _by_source(self) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
        for each in self.records():
            if each.sources and any((self.folder / name).is_file() for name in each.files):
                found.setdefault(each.sources[0], []).append(each)
        return found

    def is_intact(self, record: Record) -> bool:
        """Whether all files of a record are as they were written."""
        return all(self._is_intact(name, stamp) for name, stamp in record.files.items())

    def _is_intact(self, name: str, stamp: Stamp) -> bool:
        path = os.path.join(self.folder, name)
        try:
            status = os.lstat(path)
            if (status.st_size, status.st_mtime_ns) == (stamp.size, stamp.changed):
                return True
            # Copied, or put back from a backup.
            return not os.path.islink(path) and digest(Path(path).read_bytes()) == stamp.digest
        except OSError:
            return False

    # What is written

    def forget(self, folder: str = "") -> None:
        """All in a folder is to be made again; what is whose is still known."""
        for name, record in self._records.items():
            if name.startswith(folder):
                self._records[name] = replace(record, key="")

    def keep(self, records: Iterable[Record]) -> None:
        """Records are up to date, even if their sources are called otherwise than they were."""
        for record in map(self._named, records):
            if record != self._records[record.name]:
                self._records[record.name] = record
                self._changed = True

    def note(self, sources: Sources, outline: Outline) -> None:
        """Remembers an outline; it gets into the manifest at the end."""
        name = self._name(sources.definition.shown)
        self._outlines[name] = sources.digest, outline
        self._changed = True

    def put(self, made: Iterable[tuple[Record, Mapping[str, bytes]]]) -> None:
        """Writes the files of records, all or none, and then the records.

        Raises:
            KitError: the disk is full, a folder cannot be written, or the like.
        """
        written = list(made)
        if not written:
            return
        every = {name: raw for _, contents in written for name, raw in contents.items()}
        files.write({self.folder / name: raw for name, raw in every.items()})
        lines = []
        for record, contents in written:
            self._clear(record.name, contents)
            stamps = {name: self._stamp(name, raw) for name, raw in contents.items()}
            stamped = replace(self._named(record), files=stamps)
            self._records[record.name] = stamped
            lines.append(_record_line(stamped))
        self._append(lines)

    def drop(self, name: str) -> tuple[list[str], list[str]]:
        """Removes a record, if there is one, and its files, but for those that somebody changed.

        Returns:
            The names of those that were removed, and of those that were not.

        Raises:
            KitError: a file cannot be removed.
        """
        removed: list[str] = []
        kept: list[str] = []
        record = self._records.get(name)
        for each, stamp in record.files.items() if record else ():
            if self._is_intact(each, stamp):
                self._remove(each)
                removed.append(each)
            elif os.path.lexists(self.folder / each):
                kept.append(each)
        if record:
            del self._records[name]
            self._changed = True
        return removed, kept

    def _clear(self, name: str, but: Collection[str]) -> None:
        """Removes the files of a record that are of no use any more, if nobody changed them."""
        known = self._records.get(name)
        for each, stamp in known.files.items() if known else ():
            if each not in but and self._is_intact(each, stamp):
                self._remove(each)

    def _remove(self, name: str) -> None:
        path = self.folder / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise files.unwritable(path, error) from None

    def sweep(self, folders: Iterable[Path]) -> tuple[list[str], list[str]]:
        """Removes the files of activities that are not in `folders` any more.

        Returns:
            The names of those that were removed, and of those that were not because somebody
            changed them since they were written.

        Raises:
            KitError: a file cannot be removed.
        """
        swept = {os.path.realpath(folder) for folder in folders}
        removed: list[str] = []
        kept: list[str] = []
        for record in self.records():
            if any(self._is_gone(source, swept) for source in record.sources):
                gone, changed = self.drop(record.name)
                removed += gone
                kept += changed
        return removed, kept

    def _is_gone(self, source: str, folders: set[str]) -> bool:
        path = self.folder / source
        return os.path.realpath(path.parent) in folders and not path.exists()

    def _stamp(self, name: str, raw: bytes) -> Stamp:
        path = self.folder / name
        try:
            status = path.stat()
        except OSError as error:  # somebody removed it at once
            raise files.unwritable(path, error) from None
        return Stamp(digest(raw), status.st_size, status.st_mtime_ns)

    def _named(self, record: Record) -> Record:
        """A record whose sources are called as in the manifest."""
        return replace(record, sources=tuple(map(self._name, record.sources)))

    def _name(self, shown: str) -> str:
        """A path from the output folder, so that both may be moved together."""
        if shown not in self._names:
            try:
                name = os.path.relpath(shown, self.folder)
            except ValueError:  # on another drive of Windows
                name = os.path.abspath(shown)
            self._names[shown] = name.replace(os.sep, "/")
        return self._names[shown]

    # The manifest

    def _read(self) -> bool:
        """Learns what the manifest says.

        Returns:
            Whether it is there, ours and whole.
        """
        try:
            if self._path.is_symlink():  # nothing is ever written through a link
                return False
            header, *lines = self._path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return False
        if header != _HEADER:
            return False
        learned = [self._learn(line) for line in lines[:-1]]
        return all(learned) and lines[-1:] == [""]

    def _learn(self, line: str) -> bool:
        """Whether it is whole."""
        entries = _entries(line)
        if "record" in entries:
            record = _record(entries)
            if all(map(_is_inside, (record.name, *record.files))):
                self._records[record.name] = record
        elif "outline" in entries:
            self._outlines[entries["outline"]] = entries["digest"], _outline(entries)
        return bool(entries)

    def _append(self, lines: Sequence[str]) -> None:
        self._changed = True
        if not self._path.exists():  # somebody removed the folder
            self.save()
            return
        try:
            with self._path.open("a", encoding="utf-8") as manifest:
                manifest.writelines(lines)
        except OSError as error:
            raise files.unwritable(self._path, error) from None

    def save(self) -> None:
        """Writes the manifest anew, without the lines that count no more, if there are any.

        Raises:
            KitError: it cannot be written.
        """
        if not self._changed:
            return
        lines = [f"{_HEADER}\n"]
        lines += map(_record_line, self.records())
        lines += (
            _outline_line(name, *self._outlines[name])
            for name in sorted(self._outlines)
            if (self.folder / name).is_file()
        )
        files.write({self._path: "".join(lines).encode()})
        self._changed = False


@contextmanager
def opened(folder: Path, waiting: Callable[[], None]) -> Iterator[Store]:
    """An output folder, for one build at a time; what an earlier one left half is removed.

    Args:
        folder: need not exist.
        waiting: called if another build is in it, before that is waited for.

    Raises:
        KitError: the folder cannot be written.
    """
    place = folder / _FOLDER
    lock = FileLock(place / "lock")
    try:
        place.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waiting()
            lock.acquire()
    except OSError as error:
        raise files.unwritable(folder, error) from None
    try:
        for each in (place, *(folder / name for name in EDITIONS)):
            files.clear_parts(each)
        store = Store(folder)
        store.save()  # so that lines are only added to one that is whole
        try:
            yield store
        finally:
            store.save()
    finally:
        lock.release()


def _is_inside(name: str) -> bool:
    """Whether a name stays in the output folder: a manifest may have been written by anyone."""
    path = PureWindowsPath(name)  # it knows both slashes, and drives
    return not path.anchor and ".." not in path.parts


def _line(entries: Mapping[str, Any]) -> str:
    # All in ASCII: the name of a file need not be Unicode.
    text = json.dumps(entries, separators=(",", ":"))
    return f'["{digest(text.encode())}",{text}]\n'


def _entries(line: str) -> dict[str, Any]:
    """The entries of a line as `_line` writes it; none if it was damaged."""
    text = line[_BEFORE:-1]
    if line != f'["{digest(text.encode())}",{text}]':
        return {}
    entries: dict[str, Any] = json.loads(text)
    return entries


def _record_line(record: Record) -> str:
    return _line(
        {
            "record": record.name,
            "sources": record.sources,
            "key": record.key,
            "used": record.used,
            "facts": record.facts,
            "files": record.files,
        }
    )


def _record(line: Mapping[str, Any]) -> Record:
    return Record(
        line["record"],
        tuple(line["sources"]),
        line["key"],
        tuple(line["used"]),
        line["facts"],
        {name: Stamp(*stamp) for name, stamp in line["files"].items()},
    )


def _outline_line(name: str, sources: str, outline: Outline) -> str:
    return _line(
        {
            "outline": name,
            "digest": sources,
            "language": outline.language,
            "titles": outline.titles,
            "related": outline.related,
            "puzzle": outline.puzzle,
        }
    )


def _outline(line: Mapping[str, Any]) -> Outline:
    return Outline(line["language"], line["titles"], tuple(line["related"]), line["puzzle"])
