"""How a run is printed: class sets, margins, and one name for each file."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import formats
from kit_builder.formats import PAPERS
from kit_builder.printers import (
    LARGEST_MARGIN,
    LARGEST_SCALE,
    SMALLEST_MARGIN,
    SMALLEST_SCALE,
    Profile,
)
from kit_builder.printing import (
    BACKS,
    CUTS,
    EDITIONS,
    HOST,
    MOST_SETS,
    ORDERS,
    PARTS,
    PLAYER,
    ClassSet,
    Printing,
)
from kit_builder.variants import Options, Variant
from tests import small_kits

A4 = PAPERS["a4"]
HAIR = 1e-6


def test_class_sets_are_lettered_as_they_are_numbered() -> None:
    letters = [ClassSet(number).letter for number in range(1, MOST_SETS + 1)]
    assert "".join(letters) == ascii_uppercase


profiles = st.builds(
    Profile,
    st.just("office"),
    margin=st.floats(SMALLEST_MARGIN, LARGEST_MARGIN),
    scale_x=st.floats(SMALLEST_SCALE, LARGEST_SCALE),
    scale_y=st.floats(SMALLEST_SCALE, LARGEST_SCALE),
)
papers = st.sampled_from(list(PAPERS.values()))


@given(papers, profiles)
def test_a_print_that_is_scaled_stays_out_of_the_printers_margin(
    paper: formats.Format, profile: Profile
) -> None:
    margin = Printing(paper, profile=profile).margin
    assert margin >= profile.margin
    scaled = [
        side / 2 - (side / 2 - margin) * scale
        for side, scale in ((paper.width, profile.scale_x), (paper.height, profile.scale_y))
    ]
    assert min(scaled) >= profile.margin - HAIR
    # And it gives no room away: along one axis at least it is as near as it may be.
    assert min(margin, *scaled) <= profile.margin + HAIR


@given(papers, st.floats(SMALLEST_MARGIN, LARGEST_MARGIN))
def test_a_print_that_is_not_scaled_has_the_printers_margin(
    paper: formats.Format, margin: float
) -> None:
    printing = Printing(paper, profile=Profile("office", margin=margin))
    assert printing.margin == pytest.approx(margin)


# --- Names of files ------------------------------------------------------------------------------

some_sets = st.one_of(
    st.just(()),
    st.integers(1, MOST_SETS).map(small_kits.sets),
    st.integers(1, MOST_SETS).map(lambda number: (ClassSet(number),)),
)
printings: st.SearchStrategy[Printing] = st.builds(
    Printing,
    sets=some_sets,
    parts=st.lists(st.sampled_from(PARTS), max_size=5).map(tuple),
    cards=st.sampled_from([(), ("7", "12"), ("R2",)]),
    backs=st.sampled_from(BACKS),
    cut=st.sampled_from([None, *CUTS]),
    order=st.sampled_from(ORDERS),
    large=st.booleans(),
)
runs: st.SearchStrategy[Options] = st.builds(
    Options,
    printing=printings,
    papers=st.lists(
        st.sampled_from([*PAPERS.values(), formats.paper("200 x 250 mm")]), min_size=1, max_size=4
    ).map(tuple),
    editions=st.sampled_from([EDITIONS, (PLAYER,), (HOST,)]),
    split=st.booleans(),
)


def named(job: Variant) -> str:
    return f"{job.edition}/{job.file_name('game')}"


@given(runs)
def test_no_two_files_of_a_run_have_one_name(options: Options) -> None:
    jobs = list(options.variants())
    assert len({named(job) for job in jobs}) == len(jobs)


def variant(job: Variant) -> tuple[Any, ...]:
    """What of a kit stands in a file, whatever it is cut, turned over and laid out like."""
    printing, orders = job.printing, job.orders
    parts = frozenset(orders.parts or PARTS)
    sets = tuple(each.number for each in printing.sets)
    return job.edition, printing.large, sets, parts, bool(orders.cards), orders.only


@given(runs, runs)
def test_files_of_two_runs_on_one_paper_have_one_name_if_they_hold_the_same(
    one: Options, other: Options
) -> None:
    for first in one.variants():
        for second in other.variants():
            if len(set(one.papers)) == len(set(other.papers)) == 1:
                assert (named(first) == named(second)) == (variant(first) == variant(second))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["game.pdf"]),
        ({"papers": (A4, A4)}, ["game.pdf"]),
        ({"papers": (A4, PAPERS["letter"])}, ["game.a4.pdf", "game.letter.pdf"]),
        ({"large": True}, ["game.large.pdf"]),
        ({"sets": small_kits.sets(8)}, ["game.sets-a-h.pdf"]),
        ({"sets": (ClassSet(3),), "cards": ("7",)}, ["game.set-c.reprint.pdf"]),
        ({"parts": ("label", "rules", "rules")}, ["game.rules-label.pdf"]),
        ({"parts": PARTS[::-1]}, ["game.pdf"]),
        ({"split": True}, [f"game.{part}.pdf" for part in PARTS]),
        ({"backs": "separate"}, ["game.pages.pdf", "game.fronts.pdf", "game.backs.pdf"]),
        (
            {"backs": "separate", "split": True},
            [
                "game.rules.pdf",
                *(f"game.cards.{each}.pdf" for each in ("pages", "fronts", "backs")),
                "game.records.pdf",
                "game.label.pdf",
            ],
        ),
        (
            {"backs": "separate", "cards": ("7",)},
            ["game.reprint.fronts.pdf", "game.reprint.backs.pdf"],
        ),
    ],
)
def test_the_name_of_a_file_says_what_it_holds(options: dict[str, Any], names: list[str]) -> None:
    run = {name: options.pop(name) for name in ("papers", "split") if name in options}
    jobs = Options(Printing(**options), editions=(PLAYER,), **run).variants()
    assert [job.file_name("game") for job in jobs] == names
