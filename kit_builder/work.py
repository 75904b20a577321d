"""A job -> its PDF: a pure function from texts to bytes, for any executor.

It reads no file but the program's own, and writes none, so it may run in another process or on
another machine.
"""

from __future__ import annotations

import time
from functools import lru_cache

from kit_builder import labels, layout, plan, press
from kit_builder.job import Job, Made
from kit_builder.material import Material
from kit_builder.press import Prepared


def make(job: Job) -> Made:
    """The PDF of a job.

    Raises:
        KitError: the definition, its translation, a template or the labels are faulty, something
            does not fit, or a player file shows a secret.
    """
    start = time.perf_counter()
    kit, used = _prepared(job.material)
    also: set[str] = set()
    with layout.noting(also):
        made = press.make_up(kit, job.variant)
    pdf = press.press(made)[0] if made.sides else b""
    return Made(
        pdf,
        len(made.sides),
        plan.count(made.sides, job.variant.printing),
        tuple(sorted(used | also)),
        time.perf_counter() - start,
    )


# The editions of a kit are made one after the other, and it is read once for them.
@lru_cache(maxsize=2)
def _prepared(material: Material) -> tuple[Prepared, frozenset[str]]:
    used = {labels.name(material.language)}
    with layout.noting(used):
        kit = press.prepare(material)
    if kit.activity.kit.puzzle:
        used.add(labels.name(material.language, labels.CRITERIA))
    return kit, frozenset(used)
