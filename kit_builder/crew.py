"""Processes beside each other that make jobs; one of them may be killed, and only its job is lost.

The pool of the standard library breaks as a whole when one of its processes dies. Here each
process is a pool of its own, and a thread waits for it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import resource_tracker
from typing import Any

# Imported once, by the process that all others are forked from.
_PRELOADED = ["kit_builder.work"]


class Crew(ThreadPoolExecutor):
    """An executor of several processes.

    A call whose process is killed raises `BrokenExecutor`; another process takes its place.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size, initializer=_shut_ears)
        # A fork of this process would inherit its threads' locks, but not its threads.
        known = multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context(
            "forkserver" if "forkserver" in known else "spawn"
        )
        if "forkserver" in known:
            self._context.set_forkserver_preload(_PRELOADED)
        self._mine = threading.local()
        self._pools: list[ProcessPoolExecutor] = []

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Has one of the processes make the call."""
        return super().submit(self._apart, call, *given, **named)

    def _apart(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        pool = getattr(self._mine, "pool", None)
        if pool is None:
            pool = self._mine.pool = ProcessPoolExecutor(
                1, mp_context=self._context, initializer=_begin
            )
            self._pools.append(pool)
        try:
            return pool.submit(call, *given, **named).result()
        except BrokenExecutor:
            self._mine.pool = None
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Waits for all calls; if something went wrong, none of them is of use any more."""
        if kind is not None:
            super().shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.kill()
        self.shutdown()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes when they have made what they are at."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.shutdown(wait, cancel_futures=cancel_futures)


def _shut_ears() -> None:
    """What is started from this thread does not hear Ctrl-C, not even before it can ignore it."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # before, because it would open them again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _begin() -> None:
    """What each process does first: it leaves Ctrl-C to the parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


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
