"""The files of `templates/`: layouts, card faces, labels; a library's own before the program's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kit_builder import files, resources
from kit_builder.files import File

_SUFFIXES = (".j2", ".yaml")

# Kinds of words: those of the tool, and those of the criteria of code and checkers.
LABELS = "labels"
CRITERIA = "criteria"

Layer = tuple[tuple[str, File], ...]
"""Files by name, such as "cards/suit.xml.j2", in the order of their names."""


@dataclass(frozen=True)
class Templates:
    """All templates that a library may use, as they were read."""

    program: Layer
    own: Layer = ()

    @cached_property
    def _layers(self) -> tuple[dict[str, File], ...]:
        return dict(self.program), dict(self.own)

    def all(self, name: str) -> list[File]:
        """The files of one name: the program's first, then the library's own."""
        return [layer[name] for layer in self._layers if name in layer]

    def find(self, name: str) -> File | None:
        """The file that counts: the library's own, or else the program's."""
        return next(reversed(self.all(name)), None)

    def names(self, folder: str, suffix: str) -> list[str]:
        """What lies in a folder, by name, without folder and suffix."""
        every = {name for layer in self._layers for name in layer}
        return sorted(
            name.removeprefix(f"{folder}/").removesuffix(suffix)
            for name in every
            if name.startswith(f"{folder}/") and name.endswith(suffix)
        )


def read(own: Path | None = None) -> Templates:
    """The program's templates, and those in the folder `own` before them.

    Raises:
        KitError: one of them cannot be read.
    """
    return Templates(
        tuple(_layer(resources.folder("templates"))), tuple(_layer(own)) if own else ()
    )


def _layer(folder: Path) -> Iterator[tuple[str, File]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            yield path.relative_to(folder).as_posix(), files.read(path)


def words(language: str, kind: str = LABELS) -> str:
    """The name of the template that holds the words of a kind in a language."""
    return f"{kind}/{language}.yaml"
