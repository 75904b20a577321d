"""Processes beside each other that make jobs; one of them may be killed, and only its job is lost.

The pool of the standard library breaks as a whole when one of its processes dies, and waits for
ever if that happens while the process hands over a result. Here a thread waits for each process,
at a pipe that ends with the process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

if sys.platform == "win32":
    _CONTEXT = multiprocessing.get_context("spawn")
else:
    # A fork of this process would inherit its threads' locks, but not its threads.
    _CONTEXT = multiprocessing.get_context("forkserver")
    # Imported once, by the process that all others are forked from.
    _CONTEXT.set_forkserver_preload(["kit_builder.work"])


class Crew(ThreadPoolExecutor):
    """An executor of several processes.

    A call whose process is killed raises `BrokenExecutor`; another process takes its place.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size, initializer=_shut_ears)
        self._mine = threading.local()
        self._processes: list[_Process] = []
        self._given_up = False

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Has one of the processes make the call."""
        return super().submit(self._apart, call, *given, **named)

    def _apart(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        process: _Process | None = getattr(self._mine, "process", None)
        if process is None:
            process = self._mine.process = _Process()
            self._processes.append(process)
            if self._given_up:
                process.kill()
        try:
            return process.make(call, given, named)
        except BrokenExecutor:
            self._mine.process = None
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Waits for all calls; if something went wrong, none of them is of use any more."""
        if kind is not None:
            super().shutdown(wait=False, cancel_futures=True)
            self._given_up = True
            for process in self._processes:
                process.kill()
        self.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes when they have made what they are at."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for process in self._processes:
            process.end()


class _Process:
    """A process that makes one call at a time."""

    def __init__(self) -> None:
        self._pipe, its = _CONTEXT.Pipe()
        # A daemon ends with this process even if that was stopped before it ended the others.
        self._process = _CONTEXT.Process(target=_serve, args=(its,), daemon=True)
        self._process.start()
        its.close()  # so that the process alone holds this end

    def make(self, call: Callable[..., Any], given: Any, named: Any) -> Any:
        """What comes of a call, or raises what it raises.

        Raises:
            BrokenExecutor: the process was killed.
        """
        try:
            self._pipe.send((call, given, named))
            result, error = self._pipe.recv()
        except (EOFError, OSError):
            raise BrokenExecutor("the process was killed") from None
        if error is not None:
            raise error
        return result

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def end(self) -> None:
        """Ends it when it has made what it is at."""
        self._pipe.close()
        self._process.join()


def _shut_ears() -> None:
    """What is started from this thread does not hear Ctrl-C, not even before it can ignore it."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # before, because it would open them again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _serve(pipe: Connection) -> None:
    """What each process does: it leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            call, given, named = pipe.recv()
        except EOFError:
            return
        made: tuple[Any, Exception | None]
        try:
            made = call(*given, **named), None
        except Exception as error:
            # It loses its traceback on the way.
            error.add_note("".join(traceback.format_tb(error.__traceback__)))
            made = None, error
        pipe.send(made)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cores() -> int:
    """How many processes this one may keep busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
