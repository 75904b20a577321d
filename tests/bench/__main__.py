"""`python -m tests.bench 1000` measures everything and prints it. It is no test: it ends with 0."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import traceback
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from kit_builder import __version__, crew
from tests.bench.figures import table
from tests.bench.measures import MEASURES, Size

_LEAST = 10  # activities: below, nothing is worth its digits


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, and prints each measurement as soon as it is done."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("activities", type=int, nargs="?", default=1000, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the same as JSON")
    names = [measure.__name__ for measure in MEASURES]
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    given = parser.parse_args(arguments)
    if given.activities < _LEAST:
        parser.error(f"N is {given.activities}; write {_LEAST} or more")
    machine = {
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": crew.cores(),
        "load": round(os.getloadavg()[0], 1),  # of other work, before this began
        "rl_accel": find_spec("_rl_accel") is not None,  # ReportLab's compiled functions
        "activities": given.activities,
        "date": time.strftime("%Y-%m-%d"),
    }
    print(" · ".join(f"{name}: {value}" for name, value in machine.items()), flush=True)
    done = []
    for measure in MEASURES:
        if measure.__name__ not in given.only:
            continue
        try:
            measured = measure(Size(given.activities))
        except Exception:  # the others are measured all the same
            print(f"\n{measure.__name__}: not measured\n{traceback.format_exc()}", flush=True)
            continue
        print(f"\n{measured}", flush=True)
        done.append(measured)
    figures = [figure for measured in done for figure in measured.figures if figure.wanted]
    if figures:
        rows = [figure.row for figure in figures]
        print(f"\nAll in all\n\n{table(('figure', 'measured', 'wanted', ''), rows)}")
    if given.json:
        facts = {"machine": machine, "measured": [measured.facts for measured in done]}
        given.json.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
