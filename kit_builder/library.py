"""A folder of activities, and what lies beside it: translations and templates."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from kit_builder import files, templates
from kit_builder.errors import Fault, KitError, Location, Source
from kit_builder.files import File, shown
from kit_builder.material import Material, Outline, Sources
from kit_builder.printing import THE_KITS_OWN, PuzzleOrder
from kit_builder.templates import Templates

# Settings of a folder, and no activity.
PROJECT = "kit.yaml"

# Of activities and their translations.
SUFFIXES = (".yaml", ".yml")
_MISSPELT = 0.8  # how like another a name must be to be taken for it
# "follow-suit-tricks.ca.yaml" translates "follow-suit-tricks.yaml".
_TRANSLATION = re.compile(r"(?P<slug>.+)\.(?P<language>[a-z]{2,3})")


@dataclass(frozen=True, slots=True)
class _Listing:
    """The YAML files of a folder.

    Attributes:
        definitions: of activities, by name.
        translations: of each slug, by language.
    """

    definitions: list[Path]
    translations: dict[str, dict[str, Path]]

    def orphans(self) -> list[Fault]:
        """The translations that translate nothing."""
        slugs = {path.stem for path in self.definitions}
        return [
            _absent(path, f'there is no "{slug}" to translate', "rename or remove the file")
            for slug, languages in self.translations.items()
            for path in languages.values()
            if slug not in slugs
        ]


def _list(folder: Path) -> _Listing:
    """The YAML files in a folder.

    Raises:
        KitError: the folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            names = sorted(each.name for each in entries if _is_yaml(each.name) and each.is_file())
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        told = _absent(folder, f"the folder cannot be read ({reason})", "allow reading it")
        raise KitError(told) from None
    definitions: list[Path] = []
    translations: dict[str, dict[str, Path]] = {}
    for path in map(folder.joinpath, names):
        if of := _TRANSLATION.fullmatch(path.stem):
            translations.setdefault(of["slug"], {})[of["language"]] = path
        else:
            definitions.append(path)
    return _Listing(definitions, translations)


def _is_yaml(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) and name != PROJECT


class Library:
    """A folder of activities.

    Args:
        folder: of the activities.
        read: reads an outline, at most once of each activity.

    Attributes:
        paths: of its activities, by name.
        slugs: of its activities, in the same order.

    Raises:
        KitError: the folder or a template cannot be read.
    """

    def __init__(self, folder: Path, read: Callable[[Sources], Outline]) -> None:
        self.templates = templates_of(folder)
        self._listing = _list(folder)
        self.paths = self._listing.definitions
        self._by_slug = {path.stem: path for path in self.paths}
        self.slugs = tuple(self._by_slug)
        self._read = read
        self._outlines: dict[str, Outline] = {}

    def sources(self, path: Path) -> Sources:
        """What the activity of a file in the folder is written in.

        Raises:
            KitError: a file cannot be read.
        """
        translations = sorted(self._listing.translations.get(path.stem, {}).items())
        return Sources(
            files.read(path),
            tuple((language, files.read(each)) for language, each in translations),
        )

    def outline(self, sources: Sources) -> Outline:
        """The outline of an activity of the folder.

        Raises:
            KitError: the layout of its definition cannot be understood.
        """
        if sources.slug not in self._outlines:
            self._outlines[sources.slug] = self._read(sources)
        return self._outlines[sources.slug]

    def material(
        self, sources: Sources, language: str = "", order: PuzzleOrder = THE_KITS_OWN
    ) -> Material:
        """What a kit is made of, in a language of its activity; "" for its own.

        Raises:
            KitError: the layout of the definition cannot be understood.
        """
        known = self.outline(sources)
        language = language or known.language
        return Material(
            self.templates,
            self.slugs,
            sources.definition,
            known.language,
            language,
            None if language == known.language else sources.translation(language),
            order,
            tuple((slug, self._title(slug, language)) for slug in known.related),
        )

    def _title(self, slug: str, language: str) -> str:
        """The title of a related activity; the slug where its file cannot be read."""
        path = self._by_slug.get(slug)
        if path is None:  # a fault of the activity that names it
            return slug
        try:
            known = self._outlines.get(slug) or self.outline(self.sources(path))
        except KitError:  # it is that file that must be mended
            return slug
        return known.title(language) or slug


def read_outline(sources: Sources) -> Outline:
    """The outline of an activity, as `reading.outline`.

    Raises:
        KitError: as `reading.outline`.
    """
    # Imported here, so that a build that finds everything up to date takes no time.
    from kit_builder import reading

    return reading.outline(sources)


def templates_of(folder: Path) -> Templates:
    """The templates of a folder of activities.

    A `templates/` folder that lies in it comes before the program's own; so does one beside it
    where the folder itself is called `activities`.

    Raises:
        KitError: a template cannot be read.
    """
    beside = [folder / "templates"]
    if folder.resolve().name == "activities":
        beside.append(folder / ".." / "templates")
    return templates.read(next((each.resolve() for each in beside if each.is_dir()), None))


def default(folder: Path) -> Path:
    """Where the activities of a folder are, if nobody says it: in activities/, or right there."""
    inside = folder / "activities"
    if not inside.is_dir() and folder.is_dir() and _list(folder).definitions:
        return folder
    return inside


def find(named: Iterable[Path]) -> list[Path]:
    """The activity files that files and folders name, each once, in the order named.

    Raises:
        KitError: there is no such file or folder, a folder without activities, a file of another
            kind, or two activities of one name.
    """
    found: dict[Path, Path] = {}
    faults = []
    for path in named:
        if path.is_dir():
            listing = _list(path)
            if not listing.definitions:
                disguised = next(iter(sorted(path.glob("*.yaml.txt"))), None)
                instead = "put .yaml files into it"
                if disguised is not None:
                    instead = f"rename {disguised.name} to {disguised.stem}"
                faults.append(_absent(path, "the folder holds no activity", instead))
            whole = path.resolve()
            found |= {whole / each.name: each for each in listing.definitions}
            faults += listing.orphans()
        elif path.is_file() and path.name == PROJECT:
            what = "this file tells of a project, and is no activity"
            faults.append(_absent(path, what, "name it alone, or leave it out"))
        elif path.is_file() and not _is_yaml(path.name):
            what = "the name of an activity file ends in .yaml"
            faults.append(_absent(path, what, f"rename it to {path.name.partition('.')[0]}.yaml"))
        elif path.is_file() and (of := _TRANSLATION.fullmatch(path.stem)):
            name, language = f"{of['slug']}{path.suffix}", of["language"]
            what = f"this is a translation of {name}"
            faults.append(_absent(path, what, f"name that file, and write --language {language}"))
        elif path.is_file():
            found[path.parent.resolve() / path.name] = path
        else:
            faults.append(_absent(path, "there is no such file or folder", _instead_of(path)))
    slugs: dict[str, Path] = {}
    for path in found.values():
        other = slugs.setdefault(path.stem, path)
        if other is not path:
            what = f"{shown(other)} makes PDFs of the same name"
            faults.append(_absent(path, what, "rename one of the two files"))
    if faults:
        raise KitError(*faults)
    return list(found.values())


def _instead_of(missing: Path) -> str:
    names = [each.name for each in missing.parent.glob("*")]
    near = get_close_matches(missing.name, names, n=1, cutoff=_MISSPELT)
    return f'did you mean "{near[0]}"?' if near else "check the name"


def located(faults: Sequence[Fault], path: Path) -> tuple[Fault, ...]:
    """The faults of an activity file; those without a place are of the whole file."""
    whole = Location(Source(shown(path)))
    return tuple(replace(each, location=each.location or whole) for each in faults)


def untranslated(definition: File, language: str) -> Fault:
    """The fault of wanting an activity in a language in which it is not written."""
    lines = definition.raw.decode("utf-8-sig", "replace").split("\n")
    return Fault(
        Location(Source(definition.shown, tuple(lines))).of("language:"),
        f'there is no "{language}" translation of this activity',
        f"write {definition.stem}.{language}.yaml, or ask for its other languages",
    )


def _absent(path: Path, what: str, instead: str) -> Fault:
    return Fault(Location(Source(shown(path))), what, instead)
