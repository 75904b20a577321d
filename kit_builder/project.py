"""kit.yaml: where a project's activities are, how they are printed, and what is bound of them.

The settings have the names of the options of the command line, and mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit_builder import files, library, manuscript
from kit_builder.errors import Fault, KitError, Location, Text
from kit_builder.fields import Fields
from kit_builder.printing import MOST_SETS

# Settings that are no text: yes or no, and whole numbers with their largest.
_FLAGS = ("split", "cut-backs", "large-print", "fold")
_NUMBERS = {"sets": MOST_SETS, "puzzle": 9999, "checkers": 6, "signature": 100}

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

    value: str | int | bool | list[str]
    location: Location


Settings = Mapping[str, Setting]
"""By the name of the option, such as "cut-backs"."""


@dataclass(frozen=True, slots=True)
class Booklet:
    """A booklet that is to be bound with every build.

    Attributes:
        file: its name, in the folder of its edition.
        slugs: of its activities; all if empty.
    """

    file: str
    slugs: tuple[Text, ...]
    settings: Settings
    location: Location


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
    out = root.optional_text("out")
    gallery = root.word("gallery", ("yes", "no")) == "yes"
    settings = _settings(root, ("school",))
    for name, option in (("languages", "language"), ("papers", "paper")):
        if listed := root.texts(name):
            settings[option] = Setting([str(each) for each in listed], listed[0].location)
    printing = root.inner("printing", "printing")
    if printing is not None:
        settings |= _settings(printing, _PRINTING)
        printing.close()
    booklets = tuple(map(_booklet, root.each("booklets", "booklet")))
    root.close()
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return Project(
        path,
        activities or [library.default(folder)],
        folder / (out or "build"),
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
            value = fields.whole(name, 1, _NUMBERS[name], default=1)
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
    slugs = fields.texts("activities")
    settings = _settings(fields, _BOOKLET)
    if inserts := fields.texts("inserts"):
        settings["insert"] = Setting([str(each) for each in inserts], inserts[0].location)
    return Booklet(str(name), slugs, settings, name.location)
