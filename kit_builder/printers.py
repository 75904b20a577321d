"""Printer profiles: what a printer does wrong, measured once, so that a run can make up for it.

Each profile is a TOML file of its own in the user's configuration folder, written to be read and
corrected by hand. Lengths in points; in the files they are texts with a unit.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import platformdirs

from kit_builder import characters, files, formats, units
from kit_builder.errors import Fault, KitError, Location, Source, fault, halves
from kit_builder.formats import UNPRINTABLE_MARGIN
from kit_builder.units import MM

Flip = Literal["long-edge", "short-edge"]
FLIPS: tuple[Flip, ...] = get_args(Flip)

LARGEST_OFFSET = 10 * MM
# Hardly any printer prints nearer to the edge than 3 mm.
SMALLEST_MARGIN, LARGEST_MARGIN = 3 * MM, 25 * MM
SMALLEST_SCALE, LARGEST_SCALE = 0.95, 1.05

# A length may miss a limit by rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Profile:
    """A printer.

    Attributes:
        name: "" for a printer that nobody has measured.
        flip: the edge of the paper over which it turns the sheet.
        back_x, back_y: how far the backs must be moved to the right and up, as they are read, to
            lie behind the fronts.
        margin: what it leaves blank at each edge of the paper.
        scale_x, scale_y: by what a print is multiplied so that it comes out true to size.
    """

    name: str = ""
    flip: Flip = "long-edge"
    back_x: float = 0
    back_y: float = 0
    margin: float = UNPRINTABLE_MARGIN
    scale_x: float = 1
    scale_y: float = 1


NONE = Profile()


def flip(text: str) -> Flip:
    """An edge to turn the sheet over.

    Raises:
        ValueError: neither "long-edge" nor "short-edge".
    """
    if text == "long-edge":
        return "long-edge"
    if text == "short-edge":
        return "short-edge"
    raise ValueError(f'unknown edge "{text}"; write long-edge or short-edge')


def offset(text: str) -> float:
    """A length by which backs are moved: "1.5 mm", "-0.25mm"; also with a printed minus sign.

    Raises:
        ValueError: no length, or more than 10 mm either way.
    """
    return _within(text, -LARGEST_OFFSET, LARGEST_OFFSET)


def margin(text: str) -> float:
    """What a printer leaves blank at the edges: "5 mm".

    Raises:
        ValueError: no length, or none from 3 mm to 25 mm.
    """
    return _within(text, SMALLEST_MARGIN, LARGEST_MARGIN)


def _within(text: str, least: float, most: float) -> float:
    limits = f"write a length from {units.in_mm(least)} mm to {units.in_mm(most)} mm"
    try:
        length = units.length(text.strip().replace("\N{MINUS SIGN}", "-").removeprefix("+"))
    except ValueError:
        raise ValueError(f'"{text}" is not a number with a unit; {limits}') from None
    if not least - _ROUNDING <= length <= most + _ROUNDING:
        raise ValueError(f'"{text}" is out of range; {limits}')
    return length


def scale(text: str) -> float:
    """A factor for the size of a print: "1.002".

    Raises:
        ValueError: no number, or none from 0.95 to 1.05.
    """
    instead = f"write 100 divided by the measured mm, from {SMALLEST_SCALE} to {LARGEST_SCALE}"
    try:
        factor = float(text)
    except ValueError:
        raise ValueError(f'"{text}" is not a number; {instead}') from None
    if not SMALLEST_SCALE <= factor <= LARGEST_SCALE:
        raise ValueError(f'"{text}" is out of range; {instead}')
    return factor


# --- The files ---------------------------------------------------------------------------------


class _Field(NamedTuple):
    """A line of a profile: how its value becomes one of `Profile`, and how it may look in TOML."""

    convert: Callable[[str], object]
    example: str
    note: str = ""


_FIELDS: Mapping[str, _Field] = {
    "flip": _Field(
        flip,
        '"long-edge"',
        "The edge over which the printer turns the sheet: long-edge or short-edge.",
    ),
    "back-x": _Field(
        offset,
        '"1.5 mm"',
        "How far the backs must move to the right (x) and up (y) to lie behind the fronts.",
    ),
    "back-y": _Field(offset, '"-0.5 mm"'),
    "margin": _Field(margin, '"5 mm"', "What the printer leaves blank at the edges of the paper."),
    "scale-x": _Field(
        scale,
        "1.002",
        "100 divided by the mm that a ruler of 100 mm measures across (x) and down (y).",
    ),
    "scale-y": _Field(scale, "0.998"),
}

_SUFFIX = ".toml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# Windows takes these for devices, whatever their suffix.
_DEVICE = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)


def load(name: str, folder: Path | None = None) -> Profile:
    """The profile called `name`.

    Args:
        name: of the printer.
        folder: where the profiles are; the user's configuration folder if not given.

    Raises:
        KitError: no profile of this name, or the faults of its file in their order.
    """
    path = _path(name, folder)
    known = names(folder)
    if name not in known:
        raise fault(
            None,
            f'there is no printer "{name}"',
            f"write one of {', '.join(known)}" if known else "measure and save it first",
        )
    source, text, faults = characters.read(files.read(path))
    if faults:
        raise KitError(*faults)
    try:
        written = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_toml(source, error) from None
    found: dict[str, Any] = {}
    for key, value in written.items():
        try:
            found[key.replace("-", "_")] = _converted(key, value)
        except ValueError as error:
            faults.append(Fault(_place(source, key), *halves(error)))
    if faults:
        raise KitError(*sorted(faults, key=_line))
    return Profile(name, **found)


def save(profile: Profile, folder: Path | None = None) -> Path:
    """Writes the profile to its file: beside it first and then renamed, never half a file.

    Args:
        profile: it replaces one of the same name.
        folder: as for `load`; it is made where it does not exist.

    Returns:
        The file.

    Raises:
        KitError: the profile's name cannot be one of a file, or the file cannot be written.
    """
    path = _path(profile.name, folder)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text("\n".join((*_lines(profile), "")), "utf-8", newline="\n")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise fault(
            Location(Source(str(path))),
            f"cannot be written: {error.strerror}",
            "free space, or allow writing in this folder",
        ) from None
    return path


def names(folder: Path | None = None) -> tuple[str, ...]:
    """The names of all profiles, sorted.

    Raises:
        KitError: the folder cannot be read.
    """
    folder = folder or _folder()
    try:
        files = list(folder.iterdir()) if folder.exists() else []
    except OSError as error:
        raise fault(
            Location(Source(str(folder))),
            f"the folder of printers cannot be read: {error.strerror}",
            "make it a folder that you may read",
        ) from None
    found = (path.stem for path in files if path.suffix == _SUFFIX)
    return tuple(sorted(name for name in found if _NAME.fullmatch(name)))


def _folder() -> Path:
    return platformdirs.user_config_path("kit-builder", appauthor=False) / "printers"


def _path(name: str, folder: Path | None) -> Path:
    if not _NAME.fullmatch(name):
        raise fault(
            None,
            f'"{name}" cannot be the name of a printer',
            "write at most 64 letters a-z, digits, hyphens and underscores, such as staff-room",
        )
    if _DEVICE.fullmatch(name):
        raise fault(
            None, f'"{name}" is a device of Windows and no file name', f"write {name}-printer"
        )
    return (folder or _folder()) / f"{name}{_SUFFIX}"


def _lines(profile: Profile) -> Iterator[str]:
    """The file of a profile."""
    yield f"# The printer {profile.name}, as measured with the printer test sheet."
    for key, field in _FIELDS.items():
        if field.note:
            yield f"\n# {field.note}"
        value = getattr(profile, key.replace("-", "_"))
        if field.convert is scale:
            yield f"{key} = {round(value, 4)}"
        elif field.convert is flip:
            yield f'{key} = "{value}"'
        else:
            yield f'{key} = "{units.in_mm(value)} mm"'


def _converted(key: str, value: object) -> object:
    """A value of a file.

    Raises:
        ValueError: an unknown key; a value that is none for it.
    """
    if key not in _FIELDS:
        raise ValueError(f'there is no setting "{key}"; {formats.suggestion(key, _FIELDS)}')
    field = _FIELDS[key]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    example = f"such as {key} = {field.example}"
    if field.convert is scale:
        if not number:
            raise ValueError(f"{key} is not a number; write it without quotes, {example}")
        return field.convert(str(value))
    if isinstance(value, str):
        return field.convert(value)
    what = f"{key} has no unit" if number and field.convert is not flip else f"{key} is no text"
    raise ValueError(f"{what}; write it in quotes, {example}")


def _place(source: Source, key: str) -> Location:
    """Where the value of a known key stands, or an unknown key; tomllib does not say."""
    start = re.compile(rf"""([\s\["']*){re.escape(key)}["']?\s*(?:=\s*|(?=[.\]]))""")
    for number, line in enumerate(source.lines, 1):
        if found := start.match(line):
            column = found.end() if key in _FIELDS else found.end(1)
            return Location(source, number, column + 1)
    return Location(source)


def _line(each: Fault) -> int:
    return each.location.line if each.location else 0


_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


def _not_toml(source: Source, error: Exception) -> KitError:
    """The user's error that a file is not valid TOML, at the place that tomllib's message names."""
    found = _POSITION.search(str(error))
    if found is None:
        at = Location(source)
    elif found[1]:
        at = Location(source, int(found[1]), int(found[2]))
    else:
        written = [number for number, line in enumerate(source.lines, 1) if line.strip()]
        at = Location(source, written[-1])
    reason = _POSITION.sub("", str(error))
    if "overwrite" in reason:
        return fault(at, "this setting is there already", "delete one of the two")
    return fault(
        at,
        f"this is not TOML ({reason[:1].lower()}{reason[1:]})",
        'write each setting on a line of its own, such as back-x = "1.5 mm"',
    )
