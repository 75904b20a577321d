"""`python -m tests.bench.profile`: where the time of one kit goes, stage by stage.

The kit is made as ever, with a clock around each stage. A stage inside another one counts for
itself only. The clocks cost a few hundredths of a millisecond a kit.
"""

from __future__ import annotations

import functools
import gc
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any
from unittest.mock import patch

import pypdfium2

from kit_builder import finished, leaks, makeup, plan, preflight, press, reading, story, typeset
from kit_builder.finished import Finished
from kit_builder.layout import Layouts
from tests.bench import kit_builder_engine, kits
from tests.bench.figures import table

KITS = 21

# A kit goes through them in this order.
STAGES: dict[str, list[tuple[Any, str]]] = {
    "outline": [(reading, "outline")],
    "reading": [(reading, "read")],
    "layout": [(Layouts, "render")],
    "story": [(story, "build")],
    "make-up": [(makeup, "make_up")],
    "typeset": [(typeset, "typeset")],
    "preflight: read": [
        (finished, "read"),
        *((Finished, name) for name in ("contents", "elements", "strays", "texts")),
    ],
    "preflight: check": [(preflight, "check")],
    "leak search": [(leaks, "host_only"), (leaks, "find"), (press, "without_numbers")],
    "counting": [(plan, "count")],
}
REST = "everything else"


class Clocks:
    """A clock for each stage.

    Args:
        now: the time in seconds.

    Attributes:
        seconds: of each stage since the clocks were set.
        calls: of each stage, in all.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = 0.0

    def timed(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, with the clock of the stage running meanwhile and no other."""

        @functools.wraps(call)
        def run(*given: Any, **named: Any) -> Any:
            self.calls[stage] += 1
            with self.running(stage):
                return call(*given, **named)

        return run

    @contextmanager
    def running(self, stage: str) -> Iterator[None]:
        """Lets the clock of a stage run."""
        self._turn()
        self._running.append(stage)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def _turn(self) -> None:
        """Adds the time since the last turn to the stage that is running."""
        now = self._now()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


@contextmanager
def clocked() -> Iterator[Clocks]:
    """Clocks around every stage."""
    clocks = Clocks()
    with ExitStack() as stack:
        for stage, calls in STAGES.items():
            for owner, name in calls:
                call = vars(owner)[name]
                if isinstance(call, functools.cached_property):
                    owner, name, call = call, "func", call.func
                stack.enter_context(patch.object(owner, name, clocks.timed(stage, call)))
        yield clocks


def main() -> None:
    """Prints the milliseconds of each stage."""
    kit_builder_engine.setup()
    definitions = [kit_builder_engine.prep(kits.kit(number)) for number in range(KITS + 1)]
    found: list[dict[str, float]] = []
    pages = 0
    with clocked() as clocks:
        for definition in definitions:
            gc.collect()
            clocks.seconds.clear()
            with clocks.running(REST):
                pdfs = kit_builder_engine.make(definition)
            found.append(dict(clocks.seconds))
            pages = sum(len(pypdfium2.PdfDocument(pdf)) for pdf in pdfs)
    del found[0]  # what is loaded once was loaded for it
    whole = median(sum(each.values()) for each in found)
    rows = []
    for stage in (*STAGES, REST):
        spent = median(each.get(stage, 0.0) for each in found)
        rows.append((stage, *_columns(spent, whole, pages)))
    rows.append(("in all", *_columns(whole, whole, pages)))
    print(f"One kit: {pages} pages in two PDFs, median of {KITS} kits\n")
    print(table(("stage", "ms/kit", "ms/page", "%"), rows))


def _columns(seconds: float, whole: float, pages: int) -> tuple[str, str, str]:
    milliseconds = 1000 * seconds
    return (
        f"{milliseconds:.2f}",
        f"{milliseconds / pages:.2f}",
        f"{100 * seconds / whole:.1f}",
    )


if __name__ == "__main__":
    main()
