"""kit.yaml: where a project's activities are, how they are printed, and what is bound of them.

The settings have the names of the options of the command line, and mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit_builder import files, library, manuscript, puzzles
from kit_builder.errors import Fault, KitError, Location, Text
from kit_builder.fields import Fields
from kit_builder.printing import MOST_SETS, PLAYER

# Settings that are no text: yes or no, and whole numbers from the least to the largest.
_FLAGS = ("split", "cut-backs", "large-print", "fold")
_NUMBERS = {
    "sets": (1, MOST_SETS),
    "puzzle": (1, 9999),
    "checkers": (min(puzzles.CHECKERS), max(puzzles.CHECKERS)),
    "signature": (1, 100),
}

_PRINTING = (
    *("only", "sets", "parts", "split", "backs", "cut", "gutter", "bleed", "order", "cut-backs"),
    *("large-print", "printer", "puzzle", "puzzles", "mode", "checkers", "candidates"),
)
_FILE = re.compile(r"[\w][\w .-]*\.pdf", re.IGNORECASE)
_BOOKLET = (
    "title",
    "school",
    "date",
    "edition",
    "language",
    "paper",
    "fold",
    "signature",
    "creep",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What an option is set to, and where."""

    value: str | int | bool | Sequence[Text]
    location: Location

    def place(self, message: str) -> Location:
        """Of what a message is about: of several values, the one that it names."""
        several = () if isinstance(self.value, (str, int)) else self.value
        return next((each.location for each in several if f'"{each}"' in message), self.location)


Settings = Mapping[str, Setting]
"""By the name of the option, such as "cut-backs"."""


@dataclass(frozen=True, slots=True)
class Booklet:
    """A booklet that is to be bound with every build.

    Attributes:
        file: its name, in the folder of its edition.
        slugs: of its activities; all if empty.
        inserts: files as seen from the folder of kit.yaml, and which of their pages.
    """

    file: Text
    slugs: tuple[Text, ...]
    inserts: tuple[Text, ...]
    settings: Settings

    @property
    def name(self) -> str:
        """What tells it from others on any disk."""
        edition = self.settings.get("edition")
        return f"{edition.value if edition else PLAYER}/{self.file}".lower()


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a kit.yaml.

    Attributes:
        path: of the kit.yaml.
        activities: files and folders.
        out: the output folder.
        gallery: is wanted.
    """

    path: Path
    activities: Sequence[Path]
    out: Path
    gallery: bool
    settings: Settings
    booklets: Sequence[Booklet] = field(default=())

    @property
    def binding(self) -> Settings:
        """What its booklets have in common with its kits; the first paper is their usual one."""
        shared = {name: self.settings[name] for name in ("school",) if name in self.settings}
        papers = self.settings.get("paper")
        if papers and isinstance(papers.value, tuple):
            shared["paper"] = Setting(str(papers.value[0]), papers.location)
        return shared


def read(path: Path) -> Project:
    """The project of a kit.yaml.

    Raises:
        KitError: the file cannot be read, or all its faults in their order.
    """
    file = files.read(path)
    typed = manuscript.read(file)
    faults = list(typed.faults)
    folder = path.parent
    whole = Location(typed.source)
    if typed.root is None:
        faults.append(Fault(whole, "the file is empty", "write where the activities are"))
        raise KitError(*faults)
    root = Fields(typed.root, "project", faults, whole)
    activities = [_existing(root, folder, each) for each in root.texts("activities")]
    out = folder / (root.optional_text("out") or "build")
    if out.exists() and not out.is_dir():
        root.fault(root.where("out"), f'"{out.name}" is no folder', "write the name of a folder")
    gallery = root.word("gallery", ("yes", "no")) == "yes"
    settings = _settings(root, ("school",))
    for name, option in (("languages", "language"), ("papers", "paper")):
        if listed := root.texts(name):
            settings[option] = Setting(listed, listed[0].location)
    printing = root.inner("printing", "printing")
    if printing is not None:
        settings |= _settings(printing, _PRINTING)
        printing.close()
    booklets = tuple(map(_booklet, root.each("booklets", "booklet")))
    _compare(root, booklets)
    root.close()
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return Project(
        path,
        activities or [library.default(folder)],
        out,
        gallery,
        settings,
        booklets,
    )


def _existing(root: Fields, folder: Path, typed: Text) -> Path:
    path = folder / typed
    if typed and not path.exists():
        root.fault(
            typed.location,
            f'there is no file or folder "{typed}"',
            "write a path as seen from the folder of kit.yaml",
        )
    return path


def _settings(fields: Fields, names: Sequence[str]) -> dict[str, Setting]:
    """Those of some settings that are given."""
    found: dict[str, Setting] = {}
    for name in names:
        value: str | int | bool | None
        if name in _FLAGS:
            value = fields.word(name, ("no", "yes")) == "yes"
        elif name in _NUMBERS:
            value = fields.whole(name, *_NUMBERS[name], default=1)
        else:
            value = fields.optional_text(name)
        if name in fields and value is not None:
            found[name] = Setting(value, fields.where(name))
    return found


def _booklet(fields: Fields) -> Booklet:
    name = fields.text("file")
    if name and not _FILE.fullmatch(name):
        fields.fault(
            name.location,
            f'"{name}" is not the name of a PDF',
            "write a name such as games.pdf, without a folder: there is one for each edition",
        )
    slugs, inserts = fields.texts("activities"), fields.texts("inserts")
    return Booklet(name, slugs, inserts, _settings(fields, _BOOKLET))


def _compare(root: Fields, booklets: Sequence[Booklet]) -> None:
    """Refuses booklets that would be written over each other."""
    seen: dict[str, Booklet] = {}
    for booklet in booklets:
        if booklet.file and seen.setdefault(booklet.name, booklet) is not booklet:
            root.fault(
                booklet.file.location,
                f'another booklet is called "{seen[booklet.name].file}"',
                "write another name",
            )
