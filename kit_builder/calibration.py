"""The printer test sheet: printed once on both sides, it tells what a printer profile must say.

Its front carries steps into the unprintable margin, check rulers, and two long lines; its back two
scales behind these lines. Everything on it is read without arithmetic: the number at the mark is
the number to type. Lengths in points, origin at the lower left of the side as it is read.

A scale is a flight of gates: two bars with a gap between them, each gate 0.25 mm farther than the
one before and in a row of its own. Through the paper the line of the front shows in the middle of
one gap, and touches a bar in all others. A vernier, lines in one row at slightly different
distances, would be ambiguous: over 10 mm every line of the front meets several of the back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO
from typing import NamedTuple

from kit_builder.errors import Location, Text, fault
from kit_builder.formats import Format
from kit_builder.grids import Axis, Box
from kit_builder.markup import set_label
from kit_builder.printers import NONE, Flip, Profile
from kit_builder.structure import Element
from kit_builder.tagging import Duplex, TaggedCanvas
from kit_builder.typography import (
    CAPITALS,
    NORMAL,
    Line,
    Span,
    Style,
    TooWideError,
    break_lines,
    draw_lines,
    words,
)
from kit_builder.units import INCH, MM, in_mm

# The steps at the edges of the paper: the outer side of each cross bar is so many mm from it.
MARGINS = range(3, 13)
_MARGIN_PITCH = 6 * MM
_MARGIN_BASE = 13 * MM
_CROSS_BAR = 4.5 * MM, 0.35 * MM

# Of a line with white on both sides each part is as wide as one step: a step aside it touches.
STEP = 0.25 * MM
STEPS = 20
_WHOLE = 4  # steps make 1 mm
LINE = STEP
_GAP = 3 * STEP
_BAR = 1.2 * MM
_GATE = 3 * MM
_PITCH = 4 * MM
# A back that is 5 mm off in the other direction still lies within the line.
_REACH = 2 * STEPS * (_PITCH + STEP) + _GATE + 1 * MM

# What stays blank around a line on the front, so that nothing else shows through: behind gates,
# behind gates with their numbers at the right, and behind the whole level scale.
_CLEAR, _CLEAR_NUMBERS, _CLEAR_LEVEL = 12 * MM, 20 * MM, 16 * MM

# Text and scales stay inside of the steps.
_FRAME = 18 * MM
# A sum of lengths may miss the exact measure by rounding.
_ROUNDING = 1e-6
_AIR = 3 * MM
_MEASURE = 142 * MM

_FINE = 0.15 * MM
_RULE = 0.3 * MM
_NUMBER = Style(8, 8)
_NARROW_NUMBER = Style(7, 7)
_NAME = Style(12, 12, bold=True)
_NAME_ROOM = 6 * MM

_TICK, _MIDDLE_TICK, _LONG_TICK = 2 * MM, 3 * MM, 4 * MM
_NUMBER_ROOM = 1.8 * MM
_RULER_DEPTH = _LONG_TICK + 2 * _NUMBER_ROOM
# A ruler down has its numbers beside its marks: "100" at the left, "4" at the right.
_RULER_LEFT, _RULER_RIGHT = _LONG_TICK + 5.7 * MM, _LONG_TICK + 3 * MM
_RULER_GAP = 3 * MM
_RULER_FOOT = 12 * MM

# The example: how many times as large as the gates, and the grey of a line seen through paper.
_ENLARGED = 3
_SHOWN_THROUGH = 0.55
_EXAMPLE_PITCH, _EXAMPLE_HEIGHT = 32 * MM, 15 * MM

# What is measured, in tenths of a millimetre.
MEASURED = range(990, 1011)
_GROUPS = 3

_COMMAND = Style(13, 25)
_BLANK = "________"

_DUPLEX: Mapping[Flip, Duplex] = {
    "long-edge": "DuplexFlipLongEdge",
    "short-edge": "DuplexFlipShortEdge",
}

_Point = Callable[[float, float], tuple[float, float]]


class Ruler(NamedTuple):
    """How a ruler is divided.

    Attributes:
        every: so many divisions have a long mark and a number.
        worth: what a long mark counts for.
    """

    label: str
    unit: str
    length: float
    divisions: int
    every: int
    worth: int


METRIC = Ruler("100 mm", "mm", 100 * MM, 100, 10, 10)
INCHES = Ruler("4 in", "in", 4 * INCH, 32, 8, 1)


class _Lines(NamedTuple):
    """Where the two long lines run.

    Attributes:
        upright: the x of the upright line.
        level: the y of the level line.
        centre: the middle of the upright line, then of the level one, along it.
    """

    upright: float
    level: float
    centre: tuple[float, float]


class _Side(NamedTuple):
    """What lies where on one side of the sheet."""

    lines: _Lines
    text: Box


def sheet(
    paper: Format,
    labels: Mapping[str, Text],
    profile: Profile = NONE,
    *,
    language: str = "en",
) -> bytes:
    """The PDF of the test sheet: two pages, the front and the back of one sheet.

    It draws up to 3 mm from the edge of the paper on purpose.

    Args:
        paper: to print it on.
        labels: the words that begin with "calibrate-", and "print-at".
        profile: only its flip counts. Nothing is corrected: what is read from the sheet is what
            the profile must say, whatever it said before.
        language: of the labels.

    Raises:
        KitError: the paper is too small, or the labels are too long for it.
    """
    return _Press(paper, labels, profile.flip, language).run()


def _sides(paper: Format, flip: Flip) -> tuple[_Side, _Side]:
    """The front, and the back as it lies when the sheet is turned over."""
    axis: Axis = "y" if (paper.width <= paper.height) == (flip == "short-edge") else "x"
    frame = Box(0, 0, paper.width, paper.height).grown(-_FRAME)
    left, right = _CLEAR, _CLEAR_NUMBERS
    if axis == "x":
        left, right = right, left
    floor = frame.bottom + 2 * _CLEAR_LEVEL + _AIR
    across, down = frame.right - frame.left, frame.top - floor - 2 * _NAME_ROOM
    if min(across, down) < _REACH - _ROUNDING:
        raise fault(
            None,
            f"the printer test sheet does not fit on {paper.dimensions}",
            "print it on A4 or Letter",
        )
    front = _Lines(
        frame.right - right,
        frame.bottom + _CLEAR_LEVEL,
        ((floor + frame.top) / 2, paper.width / 2),
    )
    if axis == "x":
        back = front._replace(upright=paper.width - front.upright)
        text = Box(back.upright + _CLEAR_NUMBERS + _AIR, floor, frame.right, frame.top)
    else:
        back = _Lines(
            front.upright,
            paper.height - front.level,
            (paper.height - front.centre[0], front.centre[1]),
        )
        top = paper.height - floor
        text = Box(frame.left, frame.bottom, back.upright - _CLEAR - _AIR, top)
    rulers = _RULER_LEFT + (_RULER_RIGHT if paper.inches else 0) + _RULER_GAP
    front_text = Box(frame.left + rulers, floor, front.upright - left - _AIR, frame.top)
    return _Side(front, _measured(front_text)), _Side(back, _measured(text))


def _measured(box: Box) -> Box:
    """The box, no wider than a line of text should be."""
    return box._replace(right=min(box.right, box.left + _MEASURE))


class _Press:
    """One test sheet in the making; `_top` is where the next paragraph goes."""

    def __init__(
        self, paper: Format, labels: Mapping[str, Text], flip: Flip, language: str
    ) -> None:
        self._paper = paper
        self._labels = labels
        self._flip = flip
        self._front, self._back = _sides(paper, flip)
        self._root = Element("Document")
        self._file = BytesIO()
        self._canvas = TaggedCanvas(
            self._file,
            (paper.width, paper.height),
            self._root,
            language=language,
            title=labels["calibrate-title"],
            duplex=_DUPLEX[flip],
        )
        self._text = self._front.text
        self._top = self._text.top

    def run(self) -> bytes:
        """Draws both sides."""
        self._begin(self._front, "front")
        self._paragraph("h2", "print")
        self._paragraph("small", "print-text")
        self._paragraph("h2", "margin")
        self._paragraph("small", "margin-text")
        self._margin_steps()
        self._paragraph("h2", "scale")
        self._paragraph("small", "scale-text")
        self._rulers()
        self._table()
        self._paragraph("small", "scale-inches" if self._paper.inches else "scale-rule")
        self._paragraph("small", "lines")
        self._long_lines()
        self._canvas.showPage()
        self._begin(self._back, "back")
        self._paragraph("h2", "turn")
        self._paragraph("small", f"turn-{self._flip}")
        self._paragraph("h2", "offset")
        self._paragraph("small", "offset-text")
        self._example()
        self._paragraph("small", "offset-cut")
        self._gates()
        self._paragraph("h2", "save")
        self._paragraph("small", "save-text")
        self._command()
        self._canvas.save()
        return self._file.getvalue()

    def _begin(self, side: _Side, part: str) -> None:
        name, how = self._label(part), self._label(self._flip)
        self._canvas.outline(name)
        self._canvas.page_label(name)
        self._canvas.setStrokeGray(0)
        self._canvas.setFillGray(0)
        self._text, self._top = side.text, side.text.top
        self._set("H1", NORMAL.h1, f"{self._label('title')}: {name}", name.location)
        facts = (self._paper.name, self._labels["print-at"], how)
        self._set("P", NORMAL.facts, " · ".join(facts), how.location)

    def _label(self, key: str) -> Text:
        return self._labels[f"calibrate-{key}"]

    def _figure(self, alt: str, box: Box) -> Element:
        return self._root.add("Figure", alt=alt, bbox=box)

    # --- Text ----------------------------------------------------------------------------------

    def _paragraph(self, style: str, key: str) -> None:
        role = "H2" if style == "h2" else "P"
        self._set(role, getattr(NORMAL, style), self._label(key), self._label(key).location)

    def _set(self, role: str, style: Style, text: str, place: Location) -> None:
        """Sets a paragraph below the one before."""
        measure = self._text.right - self._text.left
        lines = _broken(Text(text, place), style, measure)
        top = self._take(style, len(lines), place)
        with self._canvas.marked(self._root.add(role)):
            draw_lines(self._canvas, lines, style, self._text.left, top)

    def _take(self, style: Style, lines: int, place: Location) -> float:
        """Room for lines of text below what is there already.

        Returns:
            The top of it.
        """
        top = self._top - (style.before if self._top < self._text.top else 0)
        bottom = top - lines * style.leading
        if bottom < self._text.bottom:
            raise fault(
                place,
                f"the words of the printer test sheet do not fit on {self._paper.name}",
                "shorten them",
            )
        self._top = bottom - style.after
        return top

    def _number(self, text: str, style: Style, x: float, y: float, align: float = 0.5) -> None:
        """A short text on one line, its capitals centred on y."""
        line = set_label(text, style)
        left = x - align * line.width * style.size
        draw_lines(self._canvas, [line], style, left, y + style.leading / 2)

    # --- The front -----------------------------------------------------------------------------

    def _margin_steps(self) -> None:
        width, height = self._paper.width, self._paper.height
        # At the sides they stand above the ruler.
        edges: tuple[tuple[float, float, _Point], ...] = (
            (0.72 * height, 1.1, lambda along, inwards: (inwards, along)),
            (width / 2, 0.8, lambda along, inwards: (along, height - inwards)),
            (0.72 * height, 1.1, lambda along, inwards: (width - inwards, along)),
            (width / 2, 0.8, lambda along, inwards: (along, inwards)),
        )
        figure = self._figure(self._label("margin-alt"), Box(0, 0, width, height))
        length, weight = _CROSS_BAR
        with self._canvas.marked(figure):
            self._canvas.setLineWidth(_FINE)
            for middle, ems, point in edges:
                start = middle - (len(MARGINS) - 1) * _MARGIN_PITCH / 2
                for number, margin in enumerate(MARGINS):
                    along, step = start + number * _MARGIN_PITCH, margin * MM
                    self._bar(
                        point(along - length / 2, step), point(along + length / 2, step + weight)
                    )
                    self._canvas.line(*point(along, step + weight), *point(along, _MARGIN_BASE))
                    number_at = point(along, _MARGIN_BASE + ems * _NUMBER.size)
                    self._number(str(margin), _NUMBER, *number_at)
                reach = middle - start + length / 2
                ends = point(middle - reach, _MARGIN_BASE), point(middle + reach, _MARGIN_BASE)
                self._canvas.line(*ends[0], *ends[1])

    def _bar(self, corner: tuple[float, float], opposite: tuple[float, float]) -> None:
        (x1, y1), (x2, y2) = corner, opposite
        left, bottom = min(x1, x2), min(y1, y2)
        self._canvas.rect(left, bottom, abs(x2 - x1), abs(y2 - y1), stroke=0, fill=1)

    def _rulers(self) -> None:
        """One across, below the text, and one down, in the room at its left."""
        scales = (METRIC, INCHES) if self._paper.inches else (METRIC,)
        lengths = " / ".join(scale.label for scale in scales)
        longest = max(scale.length for scale in scales)
        above, below = _RULER_DEPTH, _RULER_DEPTH if self._paper.inches else 0.5 * MM
        left, base = self._text.left, self._top - above - 1 * MM
        self._top = base - below - 4 * MM
        box = Box(left - 1 * MM, base - below, self._text.right, base + above)
        with self._canvas.marked(self._figure(_filled(self._label("across-alt"), lengths), box)):
            for scale, side in zip(scales, (1, -1), strict=False):
                self._ruler(scale, longest, lambda along, up: (left + along, base + up), side)
            self._number("scale-x", _NAME, self._text.right, base, align=1)
        beside = _RULER_RIGHT if self._paper.inches else 0
        x, top = self._text.left - _RULER_GAP - beside, self._text.bottom + longest + _RULER_FOOT
        box = Box(x - _RULER_LEFT, self._text.bottom, x + beside, top + 2 * MM)
        with self._canvas.marked(self._figure(_filled(self._label("down-alt"), lengths), box)):
            for scale, side in zip(scales, (1, -1), strict=False):
                self._ruler(scale, longest, lambda along, up: (x - up, top - along), side, side)
            name = self._text.bottom + _NAME.size / 2
            self._number("scale-y", _NAME, (box.left + box.right) / 2, name)

    def _ruler(
        self, scale: Ruler, longest: float, point: _Point, side: int, align: int = 0
    ) -> None:
        """A ruler from 0 along its base.

        Args:
            scale: its length and divisions.
            longest: of the rulers that share the base; the units stand beyond.
            point: places along the base, and up from it.
            side: 1 where its marks point up, or -1.
            align: 0 where its numbers are centred on the marks, 1 where they end at them, or -1.
        """
        shift = _LONG_TICK + (1 * MM if align else _NUMBER_ROOM)
        self._canvas.setLineWidth(_FINE)
        self._canvas.line(*point(0, 0), *point(scale.length, 0))
        for number in range(scale.divisions + 1):
            along = number * scale.length / scale.divisions
            tick = _TICK
            if number % scale.every == 0:
                tick = _LONG_TICK
                name = str(number // scale.every * scale.worth)
                self._number(name, _NUMBER, *point(along, side * shift), (align + 1) / 2)
            elif 2 * number % scale.every == 0:
                tick = _MIDDLE_TICK
            self._canvas.line(*point(along, 0), *point(along, side * tick))
        self._number(scale.unit, _NUMBER, *point(longest + 4 * MM, side * _MIDDLE_TICK))

    def _table(self) -> None:
        """What is measured, and the scale it gives."""
        style, header = NORMAL.small, NORMAL.header
        rows = len(MEASURED) // _GROUPS
        head = self._label("factor")
        heads, place = ("mm", head) * _GROUPS, head.location
        step = (self._text.right - self._text.left) / (2 * _GROUPS)
        _broken(Text(head.replace(" ", "\N{NO-BREAK SPACE}"), place), header, step)
        table = self._root.add("Table")
        for number in range(-1, rows):
            top = self._take(replace(style, after=0), 1, place)
            row = table.add("TR")
            measured = [MEASURED[number + group * rows] for group in range(_GROUPS)]
            cells = [
                text for tenths in measured for text in (f"{tenths / 10:.1f}", factor(tenths / 10))
            ]
            for column, text in enumerate(heads if number < 0 else cells):
                cell = row.add("TH", scope="Column") if number < 0 else row.add("TD")
                bold = number < 0 or measured[column // 2] == 1000
                each = header if bold else style
                with self._canvas.marked(cell):
                    line = set_label(text, each)
                    x = self._text.left + column * step
                    draw_lines(self._canvas, [line], each, x, top, measure=step, align=0.5)
            if number < 0:
                bottom = top - style.leading
                self._canvas.setLineWidth(_RULE)
                self._canvas.line(self._text.left, bottom, self._text.right, bottom)
        bottom = self._top
        self._canvas.setLineWidth(_FINE)
        for group in range(1, _GROUPS):
            x = self._text.left + 2 * group * step
            self._canvas.line(x, bottom, x, bottom + (rows + 1) * style.leading)
        self._top = bottom - style.leading / 2

    def _long_lines(self) -> None:
        lines = self._front.lines
        up, along = lines.centre
        half = _REACH / 2
        box = Box(along - half, lines.level, max(along + half, lines.upright), up + half)
        with self._canvas.marked(self._figure(self._label("lines-alt"), box)):
            self._canvas.setLineWidth(LINE)
            self._canvas.line(lines.upright, up - half, lines.upright, up + half)
            self._canvas.line(along - half, lines.level, along + half, lines.level)

    # --- The back ------------------------------------------------------------------------------

    def _example(self) -> None:
        """Three gates, enlarged, and how a line lies in them: wrong, right, wrong."""
        bar, gap, line = (_ENLARGED * length for length in (_BAR, _GAP, LINE))
        middle = self._text.left + _EXAMPLE_PITCH / 2
        bottom = self._top - _EXAMPLE_HEIGHT
        width = 3 * _EXAMPLE_PITCH
        box = Box(self._text.left, bottom, self._text.left + width, self._top)
        with self._canvas.marked(self._figure(self._label("example-alt"), box)):
            for number, mark in enumerate("✗✓✗"):
                x = middle + number * _EXAMPLE_PITCH
                for side in (-1, 1):
                    inner, outer = x + side * gap / 2, x + side * (gap / 2 + bar)
                    self._bar((inner, bottom + 3 * MM), (outer, self._top - 3 * MM))
                self._canvas.setFillGray(_SHOWN_THROUGH)
                at = x + (number - 1) * line
                self._bar((at - line / 2, bottom), (at + line / 2, self._top))
                self._canvas.setFillGray(0)
                number_at = x + gap / 2 + bar + 2 * MM
                self._number(mark, _NAME, number_at, (bottom + self._top) / 2, align=0)
        self._top = bottom - NORMAL.small.leading / 2

    def _gates(self) -> None:
        lines = self._back.lines
        up, along = lines.centre
        half = _REACH / 2
        alt = self._label("gates-alt")
        x, y = lines.upright, lines.level
        box = Box(x - _CLEAR, up - half, x + _CLEAR_NUMBERS, up + half + _NAME_ROOM)
        with self._canvas.marked(self._figure(_filled(alt, "back-x"), box)):
            self._number("back-x", _NAME, x, box.top - _NAME_ROOM / 2)
            for step in range(-STEPS, STEPS + 1):
                gap, row = x + step * STEP, up + step * _PITCH
                for side in (-1, 1):
                    inner, outer = gap + side * _GAP / 2, gap + side * (_GAP / 2 + _BAR)
                    self._bar((inner, row - _GATE / 2), (outer, row + _GATE / 2))
                number_at = gap + _GAP / 2 + _BAR + 0.9 * MM
                self._number(result(step), _weighted(_NUMBER, step), number_at, row, align=0)
        box = Box(along - half, y - _CLEAR, along + half, y + _CLEAR)
        with self._canvas.marked(self._figure(_filled(alt, "back-y"), box)):
            self._number("back-y", _NAME, along - half, box.top - _NAME_ROOM / 2, align=0)
            for step in range(-STEPS, STEPS + 1):
                gap, column = y + step * STEP, along + step * _PITCH
                for side in (-1, 1):
                    inner, outer = gap + side * _GAP / 2, gap + side * (_GAP / 2 + _BAR)
                    self._bar((column - _GATE / 2, inner), (column + _GATE / 2, outer))
                # A number is wider than a gate: they stand above and below in turn.
                style = _weighted(_NARROW_NUMBER, step)
                away = _GAP / 2 + _BAR + 0.8 * MM + CAPITALS * style.size / 2
                number_at = gap + (away if step % 2 == 0 else -away)
                self._number(result(step), style, column, number_at)

    def _command(self) -> None:
        """What is to be typed, with blanks to write in."""
        style = _COMMAND
        place = self._label("save-text").location
        written = (
            f"kit-builder printer save {_BLANK}{_BLANK}",
            f"--back-x {_BLANK}mm --back-y {_BLANK}mm",
            f"--flip {self._flip} --margin {_BLANK}mm",
            f"--scale-x {_BLANK} --scale-y {_BLANK}",
        )
        lines = [set_label(each, style) for each in written]
        top = self._take(style, len(lines), place)
        with self._canvas.marked(self._root.add("P").add("Code")):
            draw_lines(self._canvas, lines, style, self._text.left, top)


def _broken(text: Text, style: Style, measure: float) -> list[Line]:
    """The lines of a text.

    Raises:
        KitError: a word is too wide, or no font has one of its characters.
    """
    try:
        return break_lines(words([Span(text, style.bold)]), measure, style.size)
    except TooWideError as error:
        raise fault(
            text.location,
            f'"{error.word}" is {in_mm(error.excess)} mm too wide for the printer test sheet',
            "shorten it",
        ) from None


def factor(measured: float) -> str:
    """The scale that 100 mm which measure so many mm call for."""
    return f"{100 / measured:.3f}"


def result(step: int) -> str:
    """The number at a gate, in mm: "0", "1.25", "−0.5"."""
    sign = "\N{MINUS SIGN}" if step < 0 else ""
    return f"{sign}{in_mm(abs(step) * STEP)}"


def _weighted(style: Style, step: int) -> Style:
    """The style of a number at a gate: whole millimetres stand out."""
    return replace(style, bold=step % _WHOLE == 0)


def _filled(label: Text, value: str) -> str:
    return label.replace("{}", value)
