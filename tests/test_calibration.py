"""The test sheet as physics: turned over, misprinted by a known offset, and read against the light.

All positions are measured in the content streams of the finished PDF, all numbers are read from
the places on the page where a teacher reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from pypdf.generic import ContentStream

from kit_builder import calibration, definition, files, finished, formats, preflight, printers
from kit_builder.errors import KitError, Text
from kit_builder.formats import CARD_SIZES, PAPERS, Format
from kit_builder.grids import Box
from kit_builder.imposition import Placement, gang
from kit_builder.printers import Flip, Profile
from kit_builder.units import INCH, MM
from tests.content_streams import unmarked

LABELS = definition.labels(
    files.read(Path(__file__).parent.parent / "templates" / "labels" / "en.yaml")
)
FLIPS: tuple[Flip, Flip] = ("long-edge", "short-edge")
# Upright papers, and one that lies on its side.
SHEETS = [PAPERS["a4"], PAPERS["letter"], PAPERS["legal"], formats.paper("420 x 297 mm")]
EXACT = 0.01 * MM
OFFSETS = st.integers(-20, 20)

each_sheet = pytest.mark.parametrize("paper", SHEETS, ids=lambda each: str(each.name))
each_flip = pytest.mark.parametrize("flip", FLIPS)


@dataclass(frozen=True)
class Side:
    """What is painted on one side: strokes as (x1, y1, x2, y2, weight), filled boxes, and words."""

    strokes: tuple[tuple[float, float, float, float, float], ...]
    bars: tuple[Box, ...]
    words: tuple[tuple[str, Box], ...]

    def words_in(self, box: Box) -> list[tuple[str, Box]]:
        """The words that lie in a box."""
        return [each for each in self.words if box.joined(each[1]) == box]


@dataclass(frozen=True)
class Gate:
    """A gap between two bars of a scale; `low` and `high` are how far the bars reach along it."""

    first: Box
    second: Box
    number: str
    number_box: Box

    @property
    def gap(self) -> tuple[float, float]:
        level = self.first.top < self.second.bottom + EXACT
        if level:
            return self.first.top, self.second.bottom
        return self.first.right, self.second.left

    @property
    def along(self) -> tuple[float, float]:
        if self.first.top < self.second.bottom + EXACT:
            return self.first.left, self.first.right
        return self.first.bottom, self.first.top

    @property
    def middle(self) -> float:
        return sum(self.gap) / 2


@cache
def sheet(paper: Format, flip: Flip) -> bytes:
    return calibration.sheet(paper, LABELS, Profile(flip=flip))


@cache
def sides(paper: Format, flip: Flip) -> tuple[Side, Side]:
    pdf = sheet(paper, flip)
    reader = PdfReader(BytesIO(pdf))
    with pypdfium2.PdfDocument(pdf) as document:
        front, back = (
            _side(ContentStream(page.get_contents(), reader).operations, drawn.get_textpage())
            for page, drawn in zip(reader.pages, document, strict=True)
        )
    return front, back


def _side(operations: Any, text: Any) -> Side:
    strokes, bars = [], []
    weight, start, end, box = 1.0, (0.0, 0.0), (0.0, 0.0), None
    for operands, operator in operations:
        if operator == b"cm":
            assert [float(each) for each in operands] == [1, 0, 0, 1, 0, 0]
        elif operator == b"w":
            weight = float(operands[0])
        elif operator == b"m":
            start = float(operands[0]), float(operands[1])
        elif operator == b"l":
            end = float(operands[0]), float(operands[1])
        elif operator == b"S":
            strokes.append((*start, *end, weight))
        elif operator == b"re":
            x, y, width, height = map(float, operands)
            box = Box(x, y, x + width, y + height)
        elif operator in (b"f", b"f*"):
            assert box is not None
            bars.append(box)
    return Side(tuple(strokes), tuple(bars), tuple(_words(text)))


def _words(text: Any) -> Iterator[tuple[str, Box]]:
    """Letters that follow each other on one base line, and what their ink covers."""
    word, ink, end = "", Box(0, 0, 0, 0), (0.0, 0.0)
    for index in range(text.count_chars()):
        letter = text.get_text_range(index, 1)
        box = Box(*text.get_charbox(index))
        left, bottom, right, _ = text.get_charbox(index, loose=True)
        follows = word and (left, bottom) == pytest.approx(end, abs=0.1)
        if word and not (follows and letter.strip()):
            yield word, ink
            word = ""
        if letter.strip():
            ink = ink.joined(box) if word else box
            word, end = word + letter, (right, bottom)
    if word:
        yield word, ink


def long_lines(front: Side) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The upright and the level line of the front, each (x1, y1, x2, y2, weight)."""
    found = [line for line in front.strokes if abs(line[4] - 0.25 * MM) < EXACT]
    (upright,) = (line for line in found if line[0] == line[2])
    (level,) = (line for line in found if line[1] == line[3])
    assert len(found) == 2
    return upright, level


@cache
def gates(paper: Format, flip: Flip) -> tuple[tuple[Gate, ...], tuple[Gate, ...]]:
    """The gates of back-x and of back-y, with the number that stands beside each."""
    _, back = sides(paper, flip)
    upright, level = [], []
    for first, second in pairwise(back.bars):
        if abs(second.left - first.right - 0.75 * MM) < EXACT and first.bottom == second.bottom:
            row = Box(second.right, first.bottom, second.right + 9 * MM, first.top)
            ((number, box),) = back.words_in(row)
            upright.append(Gate(first, second, number, box))
        elif abs(second.bottom - first.top - 0.75 * MM) < EXACT and first.left == second.left:
            middle, reach = (first.left + first.right) / 2, 3.9 * MM
            column = Box(
                middle - reach, first.bottom - 3.2 * MM, middle + reach, second.top + 3.2 * MM
            )
            ((number, box),) = (
                (word, box)
                for word, box in back.words_in(column)
                if abs((box.left + box.right) / 2 - middle) < 0.5 * MM
            )
            level.append(Gate(first, second, number, box))
    return tuple(upright), tuple(level)


def turns_upright(paper: Format, flip: Flip) -> bool:
    """Whether the sheet is turned over around its upright axis."""
    return (paper.width <= paper.height) == (flip == "long-edge")


def through_the_paper(
    line: tuple[float, ...], paper: Format, flip: Flip
) -> tuple[float, float, float, float]:
    """Where a line of the front is seen from the back."""
    x1, y1, x2, y2 = line[:4]
    if turns_upright(paper, flip):
        return paper.width - x2, y1, paper.width - x1, y2
    return x1, paper.height - y2, x2, paper.height - y1


def typed(number: str) -> float:
    """A number of the sheet as the command line takes it, in points."""
    return printers.offset(f"{number}mm")


def readings(
    found: tuple[Gate, ...], line: float, shift: float
) -> Iterator[tuple[Gate, float, float]]:
    """The gates of a back misprinted by `shift` and how much white is on either side of a line."""
    for gate in found:
        low, high = (edge + shift for edge in gate.gap)
        yield gate, line - 0.125 * MM - low, high - line - 0.125 * MM


def read_off(paper: Format, flip: Flip, shift: tuple[float, float]) -> tuple[str, str]:
    """The numbers that a back misprinted to the right and up by `shift` shows against the light."""
    upright, level = (
        through_the_paper(each, paper, flip) for each in long_lines(sides(paper, flip)[0])
    )
    across, down = gates(paper, flip)
    results = []
    for scale, line, reach, aside, other in (
        (across, upright[0], (upright[1], upright[3]), shift[0], shift[1]),
        (down, level[1], (level[0], level[2]), shift[1], shift[0]),
    ):
        white = [
            gate
            for gate, before, after in readings(scale, line, aside)
            if min(before, after) > 0.2 * MM and abs(before - after) < EXACT
        ]
        (gate,) = white  # one, and only one
        low, high = (edge + other for edge in gate.along)
        assert reach[0] < low
        assert high < reach[1]
        results.append(gate.number)
    return results[0], results[1]


@each_sheet
@each_flip
def test_a_scale_has_41_gates_from_minus_5_to_5_mm(paper: Format, flip: Flip) -> None:
    expected = [step / 4 for step in range(-20, 21)]
    for scale in gates(paper, flip):
        assert [typed(gate.number) / MM for gate in scale] == pytest.approx(expected)
        assert [gate.number[:1] == "−" for gate in scale] == [each < 0 for each in expected]


@each_sheet
@each_flip
def test_gates_lie_where_their_numbers_say_to_a_hundredth_of_a_millimetre(
    paper: Format, flip: Flip
) -> None:
    upright, level = (
        through_the_paper(each, paper, flip) for each in long_lines(sides(paper, flip)[0])
    )
    for scale, zero in zip(gates(paper, flip), (upright[0], level[1]), strict=True):
        for gate in scale:
            assert gate.middle - zero == pytest.approx(typed(gate.number), abs=EXACT)


@each_sheet
@each_flip
def test_the_number_read_is_the_one_that_corrects_any_offset(paper: Format, flip: Flip) -> None:
    for step in range(-20, 21):
        shift = step * 0.25 * MM, -step * 0.25 * MM
        back_x, back_y = read_off(paper, flip, shift)
        assert typed(back_x) == pytest.approx(-shift[0])
        assert typed(back_y) == pytest.approx(-shift[1])


@settings(max_examples=40, deadline=None)
@given(
    paper=st.sampled_from(SHEETS),
    flip=st.sampled_from(FLIPS),
    steps=st.tuples(OFFSETS, OFFSETS),
    count=st.integers(1, 9),
)
def test_with_the_numbers_read_the_backs_of_cards_lie_behind_their_faces(
    paper: Format, flip: Flip, steps: tuple[int, int], count: int
) -> None:
    shift = steps[0] * 0.25 * MM, steps[1] * 0.25 * MM
    back_x, back_y = map(typed, read_off(paper, flip, shift))
    pages = gang(count, CARD_SIZES["mini"], paper, backs=flip, offset=(back_x, back_y))
    for front, back in zip(pages[::2], pages[1::2], strict=True):
        behind = {each.item: printed(each, shift) for each in back.placements}
        for face in front.placements:
            seen = through_the_paper(face.box, paper, flip)
            assert behind[face.item] == pytest.approx(seen, abs=EXACT)


def printed(placement: Placement, shift: tuple[float, float]) -> Box:
    """Where a printer puts it that misplaces the back."""
    left, bottom, right, top = placement.box
    return Box(left + shift[0], bottom + shift[1], right + shift[0], top + shift[1])


@each_sheet
@each_flip
def test_in_every_other_gap_the_line_touches_a_bar(paper: Format, flip: Flip) -> None:
    upright, _ = long_lines(sides(paper, flip)[0])
    line = through_the_paper(upright, paper, flip)[0]
    for gate, before, after in readings(gates(paper, flip)[0], line, 0):
        assert (min(before, after) < EXACT) == (gate.number != "0")


@each_sheet
@each_flip
def test_bars_and_numbers_never_touch_each_other(paper: Format, flip: Flip) -> None:
    _, back = sides(paper, flip)
    bars = [
        bar for scale in gates(paper, flip) for gate in scale for bar in (gate.first, gate.second)
    ]
    assert len(bars) == 2 * 2 * 41
    words = [place for _, place in back.words]
    for one, other in combinations(bars, 2):
        assert are_apart(one, other, 0.5 * MM)
    for bar in bars:
        assert all(are_apart(bar, word, 0.2 * MM) for word in words)
    numbers = [gate.number_box for scale in gates(paper, flip) for gate in scale]
    for one, other in combinations(numbers, 2):
        assert are_apart(one, other, 0.5 * MM)


def are_apart(one: Box, other: Box, by: float) -> bool:
    return (
        one.right + by <= other.left + 0.001
        or other.right + by <= one.left + 0.001
        or one.top + by <= other.bottom + 0.001
        or other.top + by <= one.bottom + 0.001
    )


@each_sheet
@each_flip
def test_nothing_else_of_the_front_shows_through_where_a_scale_is_read(
    paper: Format, flip: Flip
) -> None:
    front, _ = sides(paper, flip)
    lines = long_lines(front)
    things = [place for _, place in front.words] + list(front.bars)
    things += [
        Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        for x1, y1, x2, y2, weight in front.strokes
        if (x1, y1, x2, y2, weight) not in lines
    ]
    for scale in gates(paper, flip):
        for gate in scale:
            read = gate.first.joined(gate.second).grown(5 * MM)
            behind = Box(*through_the_paper(read, paper, flip))
            assert all(are_apart(behind, thing, 0) for thing in things)


@each_sheet
def test_margin_steps_lie_3_to_12_mm_from_each_edge(paper: Format) -> None:
    front, _ = sides(paper, "long-edge")
    width, height = paper.width, paper.height
    bars = front.bars
    level = [bar for bar in bars if bar.right - bar.left > bar.top - bar.bottom]
    upright = [bar for bar in bars if bar not in level]
    found = [
        sorted(bar.left for bar in upright if bar.left < width / 2),
        sorted(width - bar.right for bar in upright if bar.left > width / 2),
        sorted(bar.bottom for bar in level if bar.bottom < height / 2),
        sorted(height - bar.top for bar in level if bar.bottom > height / 2),
    ]
    expected = [each * MM for each in range(3, 13)]
    for edge in found:
        assert edge == pytest.approx(expected, abs=EXACT)


@each_sheet
def test_each_margin_step_has_its_number(paper: Format) -> None:
    front, _ = sides(paper, "long-edge")
    width, height = paper.width, paper.height
    for bar in front.bars:
        level = bar.right - bar.left > bar.top - bar.bottom
        x, y = (bar.left + bar.right) / 2, (bar.bottom + bar.top) / 2
        low, high = (13.2 * MM, 17.9 * MM)
        if level and y > height / 2:
            distance, low, high = height - bar.top, height - high, height - low
        elif level:
            distance = bar.bottom
        elif x > width / 2:
            distance, low, high = width - bar.right, width - high, width - low
        else:
            distance = bar.left
        aside = 2.9 * MM
        beside = (
            Box(x - aside, low, x + aside, high) if level else Box(low, y - aside, high, y + aside)
        )
        assert [word for word, _ in front.words_in(beside)] == [f"{distance / MM:.0f}"]


@each_sheet
@each_flip
def test_nothing_is_drawn_outside_the_paper_or_beyond_the_first_step(
    paper: Format, flip: Flip
) -> None:
    inner = Box(0, 0, paper.width, paper.height).grown(-3 * MM + 0.001)
    for side in sides(paper, flip):
        boxes = [*side.bars, *(place for _, place in side.words)]
        boxes += [
            Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)).grown(weight / 2)
            for x1, y1, x2, y2, weight in side.strokes
        ]
        for box in boxes:
            assert inner.joined(box) == inner


@each_sheet
def test_rulers_across_and_down_are_true_in_the_file(paper: Format) -> None:
    front, _ = sides(paper, "long-edge")
    lengths = [100 * MM, 4 * INCH] if paper.inches else [100 * MM]
    across = [x2 - x1 for x1, y1, x2, y2, _ in front.strokes if y1 == y2]
    down = [abs(y2 - y1) for x1, y1, x2, y2, _ in front.strokes if x1 == x2]
    for found in (across, down):
        for length in lengths:
            assert sum(abs(each - length) < EXACT for each in found) == 1


@each_sheet
def test_ruler_marks_stand_each_millimetre_and_each_eighth_of_an_inch(paper: Format) -> None:
    front, _ = sides(paper, "long-edge")
    (base,) = (
        line
        for line in front.strokes
        if line[1] == line[3] and abs(line[2] - line[0] - 100 * MM) < EXACT
    )
    marks = [line for line in front.strokes if line[0] == line[2] and line[1] == base[1]]
    above = sorted(line[0] for line in marks if line[3] > line[1])
    assert above == pytest.approx([base[0] + each * MM for each in range(101)], abs=EXACT)
    below = sorted(line[0] for line in marks if line[3] < line[1])
    eighths = [base[0] + each * INCH / 8 for each in range(33)] if paper.inches else []
    assert below == pytest.approx(eighths, abs=EXACT)


def test_the_table_turns_what_is_measured_into_the_scale_that_corrects_it() -> None:
    words = text_of(PAPERS["a4"], "long-edge", 0).split()
    for tenths in range(990, 1011):
        measured, scale = f"{tenths / 10:.1f}", words[words.index(f"{tenths / 10:.1f}") + 1]
        assert float(measured) * printers.scale(scale) == pytest.approx(100, abs=0.06)


def text_of(paper: Format, flip: Flip, page: int) -> str:
    with pypdfium2.PdfDocument(sheet(paper, flip)) as document:
        return str(document[page].get_textpage().get_text_range())


@each_sheet
@each_flip
def test_the_back_ends_with_the_command_to_type(paper: Format, flip: Flip) -> None:
    back = " ".join(text_of(paper, flip, 1).split())
    blank, name = "_" * 8, "_" * 16
    command = (
        f"kit-builder printer save {name} --back-x {blank}mm --back-y {blank}mm"
        f" --flip {flip} --margin {blank}mm --scale-x {blank} --scale-y {blank}"
    )
    assert command in back


@each_sheet
@each_flip
def test_the_sheet_says_its_paper_its_flip_and_100_percent(paper: Format, flip: Flip) -> None:
    for page in (0, 1):
        said = text_of(paper, flip, page)
        assert (
            f"{paper.name} · Print at 100 % · two-sided, flip on {flip.replace('-', ' ')}" in said
        )


@each_sheet
@each_flip
def test_the_sheet_passes_preflight_and_preselects_its_flip(paper: Format, flip: Flip) -> None:
    file = finished.read(sheet(paper, flip))
    size = paper.width, paper.height
    preflight.check(
        file, preflight.Expectation([size], "en", "Printer test sheet", ["front", "back"])
    )
    assert unmarked(sheet(paper, flip)) == []
    expected = {"long-edge": "/DuplexFlipLongEdge", "short-edge": "/DuplexFlipShortEdge"}
    assert file.entry(file.catalog, "/ViewerPreferences", "/Duplex") == expected[flip]


def test_figures_say_what_they_show_and_where_they_are() -> None:
    file = finished.read(sheet(PAPERS["letter"], "long-edge"))
    figures = [each.entries for each in file.elements if str(each.entries["/S"]) == "/Figure"]
    alts = [str(each["/Alt"]) for each in figures]
    assert [alt.split(":")[0].split(".")[0] for alt in alts] == [
        "Steps at the four edges of the paper",
        "A ruler of 100 mm / 4 in across the page",
        "A ruler of 100 mm / 4 in down the page",
        "Two long thin lines, one upright and one level",
        "Three gaps, enlarged",
        "The scale back-x",
        "The scale back-y",
    ]
    assert not any("{" in alt for alt in alts)
    for figure in figures:
        left, bottom, right, top = map(float, file.entry(figure, "/A", "/BBox"))
        assert 0 <= left < right <= PAPERS["letter"].width + 0.001
        assert 0 <= bottom < top <= PAPERS["letter"].height + 0.001


def test_running_text_is_12_point_or_larger_and_numbers_are_7_or_8() -> None:
    reader = PdfReader(BytesIO(sheet(PAPERS["a4"], "long-edge")))
    sizes = {
        float(operands[1])
        for page in reader.pages
        for operands, operator in ContentStream(page.get_contents(), reader).operations
        if operator == b"Tf"
    }
    assert {each for each in sizes if each < 12} == {7, 8}


@each_flip
def test_the_same_sheet_has_the_same_bytes(flip: Flip) -> None:
    for paper in SHEETS:
        assert calibration.sheet(paper, LABELS, Profile(flip=flip)) == sheet(paper, flip)


def test_a_profile_corrects_nothing_on_the_sheet_that_measures() -> None:
    profile = Profile("office", "long-edge", 2 * MM, 1 * MM, 9 * MM, 1.01, 0.99)
    assert calibration.sheet(PAPERS["a4"], LABELS, profile) == sheet(PAPERS["a4"], "long-edge")


@pytest.mark.parametrize("name", ["A5", "148 x 210 mm", "297 x 210 mm", "209.9 x 400 mm"])
def test_a_paper_that_is_too_small_is_an_error_that_names_others(name: str) -> None:
    with pytest.raises(KitError, match=r"sheet does not fit on .* mm; print it on A4 or Letter"):
        calibration.sheet(formats.paper(name), LABELS)


def relabelled(key: str, text: str) -> Mapping[str, Text]:
    return {**LABELS, key: Text(text, LABELS[key].location)}


@pytest.mark.parametrize(
    ("key", "text", "what"),
    [
        ("calibrate-save-text", "word " * 300, "the words of .* do not fit on A4; shorten them"),
        ("calibrate-scale-text", "word " * 200, "the words of .* do not fit on A4; shorten them"),
        ("calibrate-margin-text", "x" * 90, r'"x+" is [\d.]+ mm too wide for .*; shorten it'),
        ("calibrate-factor", "How much to scale", r"is [\d.]+ mm too wide for .*; shorten it"),
        ("calibrate-title", "Sheet \u4e2d", "no font has the character"),
    ],
)
def test_words_that_do_not_fit_are_an_error_at_their_place(key: str, text: str, what: str) -> None:
    with pytest.raises(KitError, match=what) as caught:
        calibration.sheet(PAPERS["a4"], relabelled(key, text))
    assert str(caught.value.faults[0].location).startswith("templates/labels/en.yaml:")


@settings(max_examples=25, deadline=None)
@given(width=st.integers(210, 330), height=st.integers(245, 500), flip=st.sampled_from(FLIPS))
def test_on_any_paper_the_sheet_fits_or_is_refused(width: int, height: int, flip: Flip) -> None:
    paper = formats.paper(f"{width} x {height} mm")
    try:
        pdf = calibration.sheet(paper, LABELS, Profile(flip=flip))
    except KitError as error:
        assert height < 270
        assert "does not fit on" in str(error) or "do not fit on" in str(error)
        return
    size = paper.width, paper.height
    title = LABELS["calibrate-title"]
    preflight.check(
        finished.read(pdf), preflight.Expectation([size], "en", title, ["front", "back"])
    )
