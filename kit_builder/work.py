"""A job -> its PDF: a pure function from texts to bytes, for any executor.

It reads no file but the program's own, and writes none, so it may run in another process or on
another machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from kit_builder import gallery, layout, plan, press, templates
from kit_builder.activity import Kit
from kit_builder.job import About, Job, Made, Picture
from kit_builder.makeup import Side
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
        _about(kit.activity.kit, made.told.mark),
        _pictures(pdf, made.sides) if job.pictures else (),
    )


def _about(kit: Kit, mark: str) -> About:
    decks = [f"{deck.count} × {deck.name}" for deck in kit.decks]
    cutouts = [f"{cutout.count} × {cutout.name}" for cutout in kit.cutouts]
    return About(
        str(kit.title),
        str(mark),
        str(kit.category),
        str(kit.summary),
        (kit.players.low, kit.players.high),
        (kit.minutes.low, kit.minutes.high),
        (*decks, *cutouts),
    )


def _pictures(pdf: bytes, sides: Sequence[Side]) -> tuple[Picture, ...]:
    """The first text page and the first sheet of cards, whichever there are."""
    first: dict[Literal["page", "cards"], int] = {}
    for number, side in enumerate(sides):
        if not side.blank:
            first.setdefault("cards" if side.sheet else "page", number)
    made = gallery.pictures(pdf, list(first.values())) if first else ()
    return tuple(Picture(kind, *each) for kind, each in zip(first, made, strict=True))


# The editions of a kit are made one after the other, and it is read once for them.
@lru_cache(maxsize=2)
def _prepared(material: Material) -> tuple[Prepared, frozenset[str]]:
    used = {templates.words(material.language)}
    with layout.noting(used):
        kit = press.prepare(material)
    if kit.activity.kit.puzzle:
        used.add(templates.words(material.language, templates.CRITERIA))
    return kit, frozenset(used)
