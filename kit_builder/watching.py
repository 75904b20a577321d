"""Waits until an author saves something. The only module that knows watchfiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from stat import S_ISDIR

import watchfiles

_SUFFIXES = (".yaml", ".yml", ".j2")
# In milliseconds: an editor that saves in several steps is done after the first; after the second
# it is looked whether there is something else to watch by now.
_SETTLED = 100
_LOOK = 250


def saves(places: Callable[[], Sequence[Path]]) -> Iterator[None]:
    """Yields soon, and whenever a definition, a template or a label file may have changed.

    Nothing is missed, however long the turn takes for which it yields: it is watched meanwhile.

    Args:
        places: the files and folders to watch, whether they exist yet or not. It is asked again
            when one of the files has changed, or a folder has come, gone or been replaced.
    """
    while True:
        known = places()
        before = _state(known)
        due = True
        for changes in watchfiles.watch(
            *(path for path in known if path.is_dir()),
            watch_filter=lambda _, path: path.endswith(_SUFFIXES),
            debounce=_SETTLED,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
        ):
            if due or changes:
                due = False
                yield
            if _state(known) != before:
                break


def _state(places: Sequence[Path]) -> list[tuple[int, ...] | None]:
    """What tells whether one of them came, went or was replaced, or a file was changed."""
    return [_identity(path) for path in places]


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    if S_ISDIR(status.st_mode):  # what lies in it is watched
        return (status.st_ino,)
    return status.st_ino, status.st_size, status.st_mtime_ns
