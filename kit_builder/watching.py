"""Waits until an author saves something. The only module that knows watchfiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import watchfiles

_SUFFIXES = (".yaml", ".yml", ".j2")
# In milliseconds: an editor that saves in several steps is done after the first; after the second
# it is looked whether there is something else to watch by now.
_SETTLED = 100
_LOOK = 1000


def saves(places: Callable[[], Sequence[Path]]) -> Iterator[None]:
    """Yields at once, and whenever a definition, a template or a label file may have changed.

    Nothing is missed, however long the turn takes for which it yields.

    Args:
        places: the files and folders to watch, whether they exist yet or not.
    """
    yield
    while True:
        known = places()
        before = _state(known)
        folders = [path for path in known if path.is_dir()]
        for changes in watchfiles.watch(
            *folders,
            watch_filter=lambda _, path: path.endswith(_SUFFIXES),
            debounce=_SETTLED,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
        ):
            if _state(places()) != before:
                break
            if changes:
                yield
        # What changed before the new folders are watched is seen in this turn.
        yield


def _state(places: Sequence[Path]) -> list[tuple[Path, bool, int]]:
    """Which of them exist, and of files when they were changed."""
    state = []
    for path in places:
        try:
            status = path.stat()
        except OSError:
            continue
        state.append((path, path.is_dir(), 0 if path.is_dir() else status.st_mtime_ns))
    return state
