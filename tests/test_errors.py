"""A text knows where it was written, and a fault is drawn there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from tests.conftest import block

FILE = Source("a.yaml", ("title: One", "text: |", "  Add ★ here", "", "\tTwo ★"))


@pytest.mark.parametrize(
    ("line", "column", "shown"), [(0, 0, "a.yaml"), (3, 0, "a.yaml:3"), (3, 7, "a.yaml:3:7")]
)
def test_a_location_is_shown_as_far_as_it_is_known(line: int, column: int, shown: str) -> None:
    assert str(Location(FILE, line, column)) == shown


def test_a_character_is_found_at_or_after_a_place() -> None:
    assert str(Location(FILE, 1, 1).of("★")) == "a.yaml:3:7"
    assert str(Location(FILE, 3, 7).of("★")) == "a.yaml:3:7"
    assert str(Location(FILE, 3, 8).of("★")) == "a.yaml:5:6"
    assert str(Location(FILE).of("★")) == "a.yaml:3:7"
    assert str(Location(FILE, 1).of("t")) == "a.yaml:1:1"
    assert str(Location(FILE, 1, 2).of("t")) == "a.yaml:1:3"
    assert str(Location(FILE, 1, 4).of("t")) == "a.yaml:2:1"


def test_a_character_that_is_written_in_another_way_leaves_the_place() -> None:
    assert Location(FILE, 2, 7).of("☆") == Location(FILE, 2, 7)
    assert Location(Source("unread.yaml"), 4, 2).of("a") == Location(Source("unread.yaml"), 4, 2)


def test_a_text_is_its_words_and_a_place() -> None:
    text = Text("One", Location(FILE, 1, 8))
    assert text == "One"
    assert hash(text) == hash("One")
    assert str(text.line(5)) == "a.yaml:1:8"


def test_each_line_of_a_block_text_has_its_place() -> None:
    text = block("One\n  two\n\nthree", before=4)
    places = [str(text.line(offset)) for offset in range(4)]
    assert places == [f"activities/game.yaml:{place}" for place in ("5:3", "6:5", "7:3", "8:3")]


def test_a_line_beyond_the_file_is_still_a_place() -> None:
    assert str(Text("x", Location(FILE, 2, 7), 3).line(90)) == "a.yaml:93:1"


def test_a_fault_is_drawn_with_its_line_and_a_caret() -> None:
    assert str(Fault(Location(FILE, 3, 7), "it is wrong", "write it right")) == (
        "a.yaml:3:7: it is wrong; write it right\n    3 |   Add ★ here\n              ^"
    )


def test_a_caret_stands_below_its_character_after_a_tab() -> None:
    drawn = str(Fault(Location(FILE, 5, 6), "a", "b")).split("\n")
    assert drawn[1:] == ["    5 | \tTwo ★", "        \t    ^"]


@pytest.mark.parametrize(
    ("location", "drawn"),
    [
        (None, "a; b"),
        (Location(FILE), "a.yaml: a; b"),
        (Location(FILE, 1), "a.yaml:1: a; b\n    1 | title: One"),
        (Location(FILE, 4, 1), "a.yaml:4:1: a; b"),
        (Location(FILE, 99, 1), "a.yaml:99:1: a; b"),
    ],
)
def test_a_fault_without_a_line_is_drawn_without_one(location: Location, drawn: str) -> None:
    assert str(Fault(location, "a", "b")) == drawn


@given(st.text("ab \t", max_size=400), st.integers(0, 500))
def test_a_long_line_is_drawn_around_its_caret(line: str, column: int) -> None:
    drawn = str(Fault(Location(Source("a.yaml", (line,)), 1, column), "a", "b")).split("\n")
    if not line.strip():
        assert len(drawn) == 1
        return
    assert len(drawn[1]) <= len("    1 | ……") + 90
    if 0 < column <= len(line.rstrip()):
        assert drawn[2][-1] == "^"
        assert drawn[1][len(drawn[2]) - 1] == line[column - 1]


def test_an_error_draws_all_its_faults_in_order() -> None:
    error = KitError(Fault(None, "one", "two"), Fault(Location(FILE, 9), "three", "four"))
    assert str(error) == "one; two\na.yaml:9: three; four"
    assert len(error.faults) == 2


def test_a_single_fault_makes_an_error() -> None:
    assert fault(None, "one", "two").faults == (Fault(None, "one", "two"),)
