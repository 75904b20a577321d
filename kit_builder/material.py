"""All that a kit is made of, as values: whoever has them makes the same kit, anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kit_builder import files
from kit_builder.files import File
from kit_builder.printing import THE_KITS_OWN, PuzzleOrder
from kit_builder.templates import Templates


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that an activity is written in.

    Attributes:
        translations: by language, in the order of their codes.
    """

    definition: File
    translations: tuple[tuple[str, File], ...] = ()

    @property
    def slug(self) -> str:
        """What the activity is called in file names."""
        return self.definition.stem

    @property
    def digest(self) -> str:
        """What tells them from any others."""
        every = (self.definition, *(file for _, file in self.translations))
        named = [language for language, _ in self.translations]
        return files.digest("\n".join([*named, *(file.digest for file in every)]).encode())

    def translation(self, language: str) -> File | None:
        """The file of a language, if it is not the activity's own."""
        return dict(self.translations).get(language)


@dataclass(frozen=True, slots=True)
class Outline:
    """What other activities, and whoever plans a build, know of an activity.

    Attributes:
        language: its own; "" if its file does not say it clearly.
        titles: in its own language, then in others.
        related: slugs.
        puzzle: it has one, so that there may be several of its kits.
    """

    language: str
    titles: Mapping[str, str]
    related: tuple[str, ...]
    puzzle: bool

    @property
    def languages(self) -> tuple[str, ...]:
        """Its own, then those of its translations."""
        return tuple(self.titles)

    def title(self, language: str) -> str:
        """In a language if there is one in it, else in its own."""
        return self.titles.get(language) or self.titles.get(self.language, "")

    def mended(self, last: Outline) -> Outline:
        """The same, or, where its files are half written, what was known of them before."""
        if not (self.language and self.title(self.language)):
            return last
        titles = {each: title or last.titles.get(each, "") for each, title in self.titles.items()}
        return replace(self, titles=titles)


@dataclass(frozen=True, slots=True)
class Material:
    """An activity in one language, with one puzzle if it has any.

    Attributes:
        slugs: of all activities of its library.
        original: the language of the definition.
        translation: None in the activity's own language.
        titles: of the activities it is related to, as pairs of slug and title.
    """

    templates: Templates
    slugs: tuple[str, ...]
    definition: File
    original: str
    language: str
    translation: File | None = None
    order: PuzzleOrder = THE_KITS_OWN
    titles: tuple[tuple[str, str], ...] = ()

    @property
    def mark(self) -> str:
        """What tells its files from the usual ones: a language, a puzzle; or ""."""
        language = self.language if self.translation else ""
        return ".".join(filter(None, (language, self.order.mark)))
