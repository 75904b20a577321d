"""The booklets of a project, bound with every build: each is one more output, made when it must."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from kit_builder import files, keys
from kit_builder.binding import Order
from kit_builder.errors import Location, fault
from kit_builder.library import Library, read_outline
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


def records(store: Store) -> list[Record]:
    """The booklets that are in the output folder."""
    return [each for each in store.records() if each.name.endswith(".pdf") and not each.sources]


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

    def outline(sources: Sources) -> Outline:
        # It was asked for when the kits were built; so whoever names the title of an activity that
        # is faulty by now goes on with the last one.
        return store.last_outline(sources) or read_outline(sources)

    key = "" if lock else _key(volume, outline)
    if known and known.key == key and key and store.is_intact(known):
        return None
    # Imported here, so that a build that finds everything up to date takes no time.
    from kit_builder import bindery

    bound = bindery.bind(volume.paths, volume.order, outline)
    apart = PurePosixPath(volume.name).with_suffix("")
    made = {volume.name: bound.pdf}
    made |= {str(apart / name): pdf for name, pdf in bound.apart.items()}
    if lock:
        made = {name: lock(pdf) for name, pdf in made.items()}
    store.put([(Record(volume.name, (), key, (), {}), made)])
    return bound.pages


def _key(volume: Volume, outline: Callable[[Sources], Outline]) -> str:
    """What a booklet depends on: its activities, and all templates that they may use."""
    folders = dict.fromkeys(path.parent for path in volume.paths)
    libraries = {folder: Library(folder, outline) for folder in folders}
    said = [keys.program(), repr(replace(volume.order, inserts=()))]
    for library in libraries.values():
        layers = library.templates.program + library.templates.own
        said += (f"{name} {file.digest}" for name, file in layers)
    for path in volume.paths:
        library = libraries[path.parent]
        sources = library.sources(path)
        said += (sources.slug, sources.digest)
        for language in library.outline(sources).languages:
            said.append(repr(library.material(sources, language).titles))
    for path, pages in volume.order.inserts:
        said += (path.name, pages, files.read(path).digest)
    return files.digest("\n".join(said).encode())
