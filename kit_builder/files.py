"""Files as they were read: what messages call them, and their bytes."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from kit_builder.errors import KitError, Location, Source, fault


@dataclass(frozen=True)
class File:
    """A file that was read; everything made of it depends on this value alone.

    Attributes:
        shown: its path in messages.
        raw: its bytes.
    """

    shown: str
    raw: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """Without its folder, such as "hidden-trap-bid.yaml"."""
        return os.path.basename(self.shown)

    @property
    def stem(self) -> str:
        """Its name without the last suffix."""
        return os.path.splitext(self.name)[0]

    @cached_property
    def digest(self) -> str:
        """What tells its bytes from all others."""
        return digest(self.raw)


def digest(raw: bytes) -> str:
    """What tells bytes from all others: BLAKE2b (RFC 7693) of 16 bytes, in hexadecimal."""
    return blake2b(raw, digest_size=16).hexdigest()


def read(path: Path) -> File:
    """A file of the disk.

    Raises:
        KitError: it cannot be read.
    """
    try:
        return File(shown(path), path.read_bytes())
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise fault(
            Location(Source(shown(path))),
            f"the file cannot be read ({reason})",
            "check its name and folder",
        ) from None


def shown(path: Path) -> str:
    """A path as messages name it: from the current folder where it is inside, as users type it."""
    # Of thousands of files, `Path` would take longer than reading them.
    absolute, here = os.path.abspath(path), os.getcwd()
    if absolute == here:
        return "."
    return absolute.removeprefix(os.path.join(here, ""))


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What a writer that was killed leaves behind, such as ".game.pdf.4711.part".
_PART = re.compile(r"\.[^/]+\.\d+\.part")


def write(contents: Mapping[Path, bytes]) -> None:
    """Writes files beside their places first and then renames them: never half a file.

    Raises:
        KitError: the disk is full, a folder cannot be written, or the like.
    """
    parts: list[tuple[Path, Path]] = []
    path = Path()
    try:
        try:
            for path, raw in contents.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f".{path.name}.{os.getpid()}.part")
                parts.append((part, path))
                part.write_bytes(raw)
            for _, path in parts:  # what would stop a rename, stops all of them
                if os.path.isdir(path):
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            while parts:
                part, path = parts[0]
                part.replace(path)
                del parts[0]
        finally:
            for part, _ in parts:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> KitError:
    """The user's error that it is when a file of the output cannot be written."""
    first = "free space" if error.errno in _FULL else "close it if it is open"
    return fault(
        Location(Source(shown(path))),
        f"cannot be written ({(error.strerror or 'unknown reason').lower()})",
        f"{first}, or choose another --out",
    )


def clear_parts(folder: Path) -> None:
    """Removes what a writer that was killed left in a folder and those in it, as far as it may."""
    for parent, _, names in os.walk(folder):
        for name in filter(_PART.fullmatch, names):
            with suppress(OSError):
                Path(parent, name).unlink()
