"""The bench gives the same work to all engines, and counts rightly. What it finds is no test."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfWriter
from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.bench import __main__ as bench
from tests.bench import figures, kit_builder_engine, kits, measures, profile
from tests.bench.figures import Figure, Measured
from tests.bench.floor import Floor, Piece
from tests.bench.kits import CLEAR, SMALL, Type
from tests.bench.measures import Engine, Size
from tests.bench.profile import REST, STAGES, Clocks

SECONDS = st.floats(1e-6, 1e3)


@given(st.integers(0, 100_000))
def test_a_kit_has_the_work_it_is_said_to_have(number: int) -> None:
    kit = kits.kit(number)
    assert len(kit["sections"]) == 5
    assert len(list(kits.words(kit["sections"]))) == 600
    assert len(list(kits.words(kit["host"]))) == 300
    assert [kit["cards"].count(card) for card in kit["cards"]] == [1] * 9 + [3] * 9
    assert [len(row) for row in kit["record"]["rows"]] == [4] * 20
    runs = [run for section in kit["sections"] for runs in section["paras"] for run in runs]
    assert sum(run["b"] for run in runs) == 20
    assert all(run["t"].strip() for run in runs)
    assert kits.kit(number) == kit


def test_kits_differ_in_text_and_share_a_vocabulary() -> None:
    texts = [list(kits.words(kits.kit(number)["sections"])) for number in range(100)]
    assert len({" ".join(text) for text in texts}) == 100
    known = [set(text) for text in texts]
    assert all(len(one & other) > 80 for one, other in pairwise(known))
    assert len(set().union(*known)) > 3000


@pytest.mark.parametrize("engine", [kit_builder_engine, Floor(SMALL), Floor(CLEAR)])
def test_an_engine_shows_all_of_a_kit(engine: Engine) -> None:
    kit = kits.kit(1)
    engine.setup()
    player, host = map(measures.page_texts, engine.make(engine.prep(kit)))
    assert measures.lacking([kit], [[*player, *host]]) == set()
    shown = " ".join(player).split()
    assert {word for row in kit["record"]["rows"] for word in row[1].split()} <= set(shown)
    captions = [card["cap"] for card in kit["cards"]]
    assert all(shown.count(caption) >= captions.count(caption) for caption in captions)


class Absent:
    """An engine whose library cannot be loaded."""

    def setup(self) -> None:
        raise OSError("cannot load library 'pango'\nand more that nobody reads")

    def prep(self, kit: kits.Kit) -> None: ...

    def make(self, prepared: None) -> tuple[bytes, bytes]:
        return b"", b""


def test_an_engine_that_is_not_installed_is_left_out_and_named() -> None:
    floor = Floor(SMALL)
    ready, notes = measures.installed({"canvas": floor, "other": Absent()})
    assert ready == {"canvas": floor}
    assert notes == ["other: missing (cannot load library 'pango')"]


def test_words_that_are_not_shown_are_missed() -> None:
    kit = kits.kit(1)
    rules = " ".join(kits.words(kit["sections"]))
    host = set(kits.words(kit["host"]))
    assert measures.lacking([kit], [[rules]]) == host - set(rules.split()) != set()


@pytest.mark.parametrize("kind", [SMALL, CLEAR])
def test_a_line_of_the_floor_is_as_full_as_it_can_be(kind: Type) -> None:
    floor = Floor(kind)
    floor.setup()
    runs = kits.kit(3)["sections"][0]["paras"][0]
    lines = floor.wrapped(runs)
    words = [word for line in lines for piece in line for word in piece.text.split()]
    assert words == [word for run in runs for word in run["t"].split()]

    def width(pieces: list[Piece]) -> float:
        return sum(float(stringWidth(each.text, each.font, kind.body)) for each in pieces)

    for line, below in pairwise(lines):
        first = below[0]._replace(text=" " + below[0].text.split()[0])
        assert width(line) <= kind.measure < width([*line, first])


def test_every_call_is_made_once_a_round_and_none_always_comes_first() -> None:
    made: list[tuple[str, int]] = []
    calls = {name: lambda number, name=name: made.append((name, number)) for name in "abc"}
    seconds = figures.interleaved(calls, 4)
    assert {name: len(each) for name, each in seconds.items()} == {"a": 4, "b": 4, "c": 4}
    assert [number for _, number in made] == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert "".join(name for name, _ in made) == "abcbcacababc"


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1))
def test_a_ratio_compares_each_round_with_itself(rounds: list[tuple[float, float]]) -> None:
    mine, others = zip(*rounds, strict=True)
    each = [one / other for one, other in rounds]
    assert min(each) <= figures.ratio(mine, others) <= max(each)
    assert figures.ratio([3 * other for other in others], others) == pytest.approx(3)
    assert figures.difference([other + 1 for other in others], others) == pytest.approx(1)


def test_one_slow_round_changes_neither_ratio_nor_difference() -> None:
    assert figures.ratio([2, 2, 90], [1, 1, 1]) == 2
    assert figures.difference([2, 2, 90], [1, 1, 1]) == 1


@pytest.mark.parametrize(
    ("figure", "reached", "wanted"),
    [
        (Figure("a", 2, "x", most=2), True, "at most 2 x"),
        (Figure("a", 2.01, "x", most=2), False, "at most 2 x"),
        (Figure("a", 1.8, "x", least=1.8), True, "at least 1.8 x"),
        (Figure("a", 1.7, "x", least=1.8), False, "at least 1.8 x"),
        (Figure("a", 5, "ms"), None, ""),
    ],
)
def test_a_figure_says_whether_it_is_as_wanted(
    figure: Figure, reached: bool | None, wanted: str
) -> None:
    assert figure.reached is reached
    assert figure.wanted == wanted
    assert figure.facts["reached"] is reached


def test_numbers_show_the_digits_that_count() -> None:
    assert [figures.digits(value) for value in (0.0213, 0.213, 3.456, 34.56, 345.6)] == [
        "0.021",
        "0.21",
        "3.46",
        "34.6",
        "346",
    ]


def test_a_table_has_words_to_the_left_and_numbers_to_the_right() -> None:
    drawn = figures.table(("engine", "ms", "why"), [("a canvas", "2.5", "x"), ("b", "10", "y")])
    assert drawn.splitlines() == [
        "engine     ms  why",
        "a canvas  2.5  x",
        "b          10  y",
    ]


def test_a_quick_run_measures_less_of_everything() -> None:
    quick, full = Size(100), Size(1000)
    assert (full.rounds, full.bound, full.early, full.builds) == (31, 200, 100, 1)
    assert (quick.rounds, quick.bound, quick.early, quick.builds) == (10, 20, 10, 3)
    assert Size(1).bound == 2


def test_a_kit_to_be_bound_has_five_pages(tmp_path: Path) -> None:
    (path,) = measures.write(tmp_path, [7], sections=2)
    player, _ = kit_builder_engine.make(path.read_text("utf-8"))
    assert len(measures.page_texts(player)) == 5


def test_every_object_of_a_file_is_read() -> None:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    file = BytesIO()
    writer.write(file)
    assert measures.read_all(file.getvalue()) == file.getvalue().count(b" 0 obj")


def test_a_command_that_fails_is_not_timed(tmp_path: Path) -> None:
    assert measures.run([sys.executable, "-c", "pass"], tmp_path).peak > 1e6
    with pytest.raises(RuntimeError, match="no such luck"):
        measures.run([sys.executable, "-c", "raise SystemExit('no such luck')"], tmp_path)


def test_memory_is_looked_at_after_every_few_kits() -> None:
    assert list(measures.residents(1, 2)) == [1, 2]


def test_a_stage_inside_another_counts_for_itself_only() -> None:
    clocks = Clocks(iter([0.0, 1.0, 3.0, 7.0]).__next__)
    inner = clocks.timed("inner", lambda: "made")
    with clocks.running("outer"):
        assert inner() == "made"
    assert clocks.seconds == {"outer": 1 + 4, "inner": 2}
    assert clocks.calls == {"inner": 1}


def test_the_profile_has_a_clock_at_every_stage_of_a_kit() -> None:
    kit_builder_engine.setup()
    text = kit_builder_engine.prep(kits.kit(9))
    plain = kit_builder_engine.make(text)
    with profile.clocked() as clocks, clocks.running(REST):
        kit_builder_engine.make(text.replace("Un joc de cartes.", "Un altre joc."))
    assert set(clocks.calls) == set(STAGES)
    assert clocks.calls["typeset"] == 2
    assert kit_builder_engine.make(text) == plain
    assert clocks.calls["typeset"] == 2


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thing that can be measured, and one that cannot."""

    def good(size: Size) -> Measured:
        figure = Figure("a page", 2, "x", 1.25)
        return Measured(f"{size.activities} kits", ("what", "ms"), [("a", "1")], [figure])

    def bad(size: Size) -> Measured:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(bench, "MEASURES", (bad, good))


@pytest.mark.usefixtures("measured")
def test_what_is_not_reached_or_fails_is_said_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.json"
    bench.main(["50", "--json", str(file)])
    said = capsys.readouterr().out
    assert "bad: not measured" in said
    assert "no such luck" in said
    assert "a page    2.00 x  at most 1.25 x  NOT REACHED" in said
    facts = json.loads(file.read_text("utf-8"))
    assert facts["machine"]["activities"] == 50
    (good,) = facts["measured"]
    assert good["rows"] == [["a", "1"]]
    assert good["figures"][0]["reached"] is False
