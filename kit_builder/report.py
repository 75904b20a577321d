"""What is said of a run: while it goes on, and when it is done."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import typer

from kit_builder.build import Output, Result
from kit_builder.errors import Fault
from kit_builder.job import Count
from kit_builder.printing import EDITIONS

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def counted(number: int, noun: str) -> str:
    """Such as "1 page", "1,200 pages" or "2 activities"."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"


def pages(result: Result) -> str:
    """What an activity has for whom: "player 12 pages, host 4 pages"."""
    found = {
        edition: sum(output.pages for output in result.outputs if output.edition == edition)
        for edition in EDITIONS
    }
    told = [f"{each} {counted(number, 'page')}" for each, number in found.items() if number]
    return ", ".join(told) or "nothing to print"


class Report:
    """Says what becomes of a run in lines; on a terminal a bar below them shows how far it is.

    Args:
        folder: what the output folder is called.
        total: how many activities there are.
        faults: where those of the run are added.
        quiet: nothing is said but what is wrong.
    """

    def __init__(self, folder: str, total: int, faults: list[Fault], quiet: bool = False) -> None:
        self._folder = folder
        self._total = total
        self._faults = faults
        self._quiet = quiet
        self._outputs: list[Output] = []
        self._bound: list[tuple[str, int | None]] = []
        self._stale: list[str] = []
        self._removed: list[str] = []
        self._kept: list[str] = []
        self._began = time.monotonic()
        self._bar: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Report:
        if not self._quiet and self._total > 1 and sys.stderr.isatty():
            self._bar = _bar(self._total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar[0].stop()

    def done(self, result: Result) -> None:
        """An activity is built and written; or it is faulty, and what was there stays."""
        self._faults += result.faults
        self._outputs += result.outputs
        if any(output.made for output in (*result.outputs, *result.empty)):
            self._say(f"{result.slug}: {pages(result)}")
        if self._bar:
            progress, task = self._bar
            progress.update(task, advance=1, faults=counted(len(self._faults), "fault"))

    def bound(self, name: str, pages: int | None) -> None:
        """A booklet is bound; or it is up to date, and has no number of pages."""
        self._bound.append((name, pages))
        if pages is not None:
            self._say(f"{self._folder}/{name}: {counted(pages, 'page')}")

    def failed(self, faults: Iterable[Fault]) -> None:
        """Something else than an activity is faulty."""
        self._faults += faults

    def stale(self, name: str) -> None:
        """A PDF is out of date, because its activity is faulty."""
        self._stale.append(name)

    def removed(self, name: str) -> None:
        """A PDF is gone, because its activity is."""
        self._removed.append(name)
        if name.endswith(".pdf"):
            self._say(f"removed: {self._folder}/{name}")

    def kept(self, name: str) -> None:
        """A PDF of an activity that is gone was changed by somebody, and stays."""
        self._kept.append(name)
        self._say(f"kept, because it was changed: {self._folder}/{name}")

    def sum_up(self) -> None:
        """Says what there is now."""
        made = sum(output.made is not None for output in self._outputs)
        made += sum(pages is not None for _, pages in self._bound)
        total = len(self._outputs) + len(self._bound)
        told = f"{counted(total, 'PDF')} in {self._folder}"
        if current := total - made:
            told += f": {made:,} made, {current:,} up to date" if made else ", all up to date"
        if total:
            self._say(told)
        for name in self._stale:
            typer.echo(f"out of date: {self._folder}/{name}", err=True)

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(line, flush=True)  # what `typer.echo` writes, the bar does not make room for

    def as_json(self) -> str:
        """Everything, as JSON: outputs, what is out of date, removed or kept, faults, seconds."""
        return json.dumps(
            {
                "folder": self._folder,
                "outputs": [_told(output) for output in self._outputs],
                "booklets": [{"path": name, "made": bool(pages)} for name, pages in self._bound],
                "out_of_date": self._stale,
                "removed": self._removed,
                "kept": self._kept,
                "faults": [_placed(each) for each in _once(self._faults)],
                "seconds": round(time.monotonic() - self._began, 3),
            },
            ensure_ascii=False,
            indent=2,
        )


def _bar(total: int) -> tuple[Progress, TaskID]:
    # Imported here, because it takes as long as the rest of a command that only says something.
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("activities, {task.fields[faults]},"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left"),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )
    task = bar.add_task("", total=total, faults=counted(0, "fault"))
    bar.start()
    return bar, task


def _told(output: Output) -> dict[str, Any]:
    count: Count = output.count
    return {
        "path": str(output.path),
        "edition": output.edition,
        "made": output.made is not None,
        "pages": output.pages,
        "sheets": {"paper": count.paper, "card": count.card},
        "cards": count.cards,
        "cuts": count.cuts,
        "seconds": round(output.made.seconds, 3) if output.made else 0,
    }


def _once(faults: Iterable[Fault]) -> list[Fault]:
    """A fault of a template or a label file is one, however many activities use it."""
    return list(dict.fromkeys(faults))


def _placed(each: Fault) -> dict[str, Any]:
    place = each.location
    return {
        "path": place.source.path if place else None,
        "line": place.line or None if place else None,
        "column": place.column or None if place else None,
        "what": each.what,
        "instead": each.instead,
    }


def echo_faults(faults: Iterable[Fault]) -> None:
    """Says what is wrong, each with its place, and how much in all."""
    told = _once(faults)
    for each in told:
        typer.echo(f"{each}\n", err=True)
    if told:
        typer.echo(counted(len(told), "fault"), err=True)
