"""A library at hand, to read single activities of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kit_builder import reading
from kit_builder.activity import Activity
from kit_builder.catalogue import Catalogue
from kit_builder.errors import Text
from kit_builder.layout import Layouts
from kit_builder.library import Library
from kit_builder.material import Material, Outline, Sources
from kit_builder.printing import THE_KITS_OWN, PuzzleOrder


class Desk:
    """A folder of activities, read as they are asked for.

    Args:
        folder: of the activities.
        outline: reads the outline of one.

    Raises:
        KitError: the folder or a template cannot be read.
    """

    def __init__(
        self, folder: Path, outline: Callable[[Sources], Outline] = reading.outline
    ) -> None:
        self._library = Library(folder, outline)

    @property
    def layouts(self) -> Layouts:
        """Its templates."""
        return reading.layouts(self._library.templates)

    @property
    def catalogue(self) -> Catalogue:
        """What its activities may refer to."""
        return reading.catalogue(self._library.templates, self._library.slugs)

    def labels(self, language: str) -> Mapping[str, Text]:
        """The words of the tool in a language: the program's, those of the user over them.

        Raises:
            KitError: a label file is faulty, or there is none in this language.
        """
        return reading.words(language, self._library.templates)

    def languages(self, path: Path) -> tuple[str, ...]:
        """The languages an activity can be read in: its own, then those of its translations.

        Raises:
            KitError: a file cannot be read, or the layout of the definition is not understood.
        """
        return self._library.outline(self._library.sources(path)).languages

    def material(
        self, path: Path, language: str = "", order: PuzzleOrder = THE_KITS_OWN
    ) -> Material:
        """What the kit of a file is made of, in a language; "" for its own.

        Raises:
            KitError: as for `languages`.
        """
        return self._library.material(self._library.sources(path), language, order)

    def read(self, path: Path, language: str = "", order: PuzzleOrder = THE_KITS_OWN) -> Activity:
        """The activity of a file, in a language it exists in; "" for its own.

        Raises:
            KitError: it is faulty, or its translation is.
        """
        return reading.read(self.material(path, language, order))
