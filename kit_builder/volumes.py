"""The booklets of a project, bound with every build: each is one more output, made when it must."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kit_builder import files, keys
from kit_builder.binding import Order
from kit_builder.errors import Location, fault
from kit_builder.library import Library
from kit_builder.material import Outline, Sources
from kit_builder.store import Record, Store


@dataclass(frozen=True, slots=True)
class Volume:
    """A booklet that is wanted, and where kit.yaml asks for it.

    Attributes:
        file: the name of its PDF, in the folder of its edition.
        paths: of its activities.
    """

    file: str
    order: Order
    paths: Sequence[Path]
    location: Location

    @property
    def name(self) -> str:
        """Of its PDF, from the output folder."""
        return f"{self.order.edition}/{self.file}"


def bind(volume: Volume, store: Store, lock: Callable[[bytes], bytes] | None) -> int | None:
    """Binds a booklet into the output folder; what is printed apart goes into a folder beside it.

    Args:
        volume: what is wanted.
        store: where it goes.
        lock: for the host's, as in a `Run`.

    Returns:
        How many pages it has; None if it is up to date.

    Raises:
        KitError: a kit has already this name; or as `bindery.bind`.
    """
    known = store.record(volume.name)
    if known and known.sources:
        raise fault(
            volume.location,
            f"{volume.name} is a kit's own PDF",
            "write another name",
        )
    key = "" if lock else _key(volume)
    if known and known.key == key and key and store.is_intact(known):
        return None
    # Imported here, so that a build that finds everything up to date takes no time.
    from kit_builder import bindery

    bound = bindery.bind(volume.paths, volume.order)
    apart = PurePosixPath(volume.name).with_suffix("")
    made = {volume.name: bound.pdf}
    made |= {str(apart / name): pdf for name, pdf in bound.apart.items()}
    if lock:
        made = {name: lock(pdf) for name, pdf in made.items()}
    store.put([(Record(volume.name, (), key, (), {}), made)])
    return bound.pages


def _key(volume: Volume) -> str:
    """What a booklet depends on: all that its activities may use, used or not."""
    folders = dict.fromkeys(path.parent for path in volume.paths)
    libraries = {folder: Library(folder, _unread) for folder in folders}
    said = [keys.program(), repr(volume.order)]
    for library in libraries.values():
        layers = library.templates.program + library.templates.own
        said += (f"{name} {file.digest}" for name, file in layers)
        said += (library.sources(path).digest for path in library.paths)
    said += (files.read(path).digest for path, _ in volume.order.inserts)
    said += map(str, volume.paths)
    return files.digest("\n".join(said).encode())


def _unread(sources: Sources) -> Outline:
    raise AssertionError("a booklet's key depends on whole files")
