"""Pieces to cut out that are not cards: a die, a card stand, a screen to hide behind, a strip.

Each is a value with a `width` and `height` and a `draw(canvas, x, y)`, x, y being the lower left
corner of its bounding box; all lengths in points. Cut along solid lines, fold along dashed ones,
and glue where the dots are. All folds of a piece go the same way, but for a line of dashes and
dots (the mountain fold of origami's Yoshizawa-Randlett notation), which is folded back.

A font is named as in `typography`: the one for running text, or its bold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import dist, sqrt

from kit_builder import shapes, units
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import BOLD, Word, draw_word, set_word
from kit_builder.units import MM

Point = tuple[float, float]

# Thin enough to leave no black sliver on the piece, thick enough to survive a photocopier.
_LINE = 0.15 * MM
_FOLD = (2 * MM, 1.2 * MM)
_FOLD_BACK = (4 * MM, 1.2 * MM, 0.6 * MM, 1.2 * MM)
_DOT = 0.5 * MM
_DOT_PITCH = 2 * MM
_DOT_MARGIN = 1.2 * MM

# UKAAF, Minimum Standards for Clear Print: no text below 12 pt.
SMALLEST = 12.0
_LARGEST = 24.0
_GAP = 3 * MM
# Andika's capitals and figures are 0.72 em high: half of it centres them on a line.
_HALF_CAPITAL = 0.36


class OversetError(ValueError):
    """A label is too wide for its place, even in the smallest type allowed.

    Attributes:
        label: the label as it was handed in.
        excess: how much too wide it is, in points.
    """

    def __init__(self, label: str, excess: float, size: float) -> None:
        super().__init__(f'"{label}" is {units.in_mm(excess)} mm too wide at {size:g} pt')
        self.label = label
        self.excess = excess


def _begin(canvas: TaggedCanvas, x: float, y: float) -> None:
    canvas.saveState()
    canvas.translate(x, y)
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    canvas.setLineWidth(_LINE)
    # Round ends close the corners where one cut meets the next.
    canvas.setLineCap(1)


def _fold(
    canvas: TaggedCanvas, begin: Point, end: Point, dashes: tuple[float, ...] = _FOLD
) -> None:
    """A fold line, its dashes fitted so that it begins and ends with a whole one."""
    period = sum(dashes)
    length = dist(begin, end)
    repeats = max(round((length - dashes[0]) / period), 1)
    fitted = length / (repeats * period + dashes[0])
    canvas.saveState()
    canvas.setLineCap(0)
    canvas.setDash([dash * fitted for dash in dashes])
    canvas.line(*begin, *end)
    canvas.restoreState()


def _glue(canvas: TaggedCanvas, length: float, depth: float, taper: float, blank: float) -> None:
    """Rows of dots on a tab that rises `depth` from the x axis, centred on the y axis.

    Its sides lean in by `taper` for each point they rise; the middle stays free for `blank`.
    """
    rows = round(depth / _DOT_PITCH)
    path = canvas.beginPath()
    for row in range(rows):
        y = (row + 0.5) * depth / rows
        reach = length / 2 - taper * y - _DOT_MARGIN
        x = row % 2 * _DOT_PITCH / 2
        while x <= reach:
            if x >= blank / 2:
                path.circle(x, y, _DOT / 2)
                if x:
                    path.circle(-x, y, _DOT / 2)
            x += _DOT_PITCH
    canvas.drawPath(path, stroke=0, fill=1)


def _set(text: str, font: str) -> Word:
    """A text in one piece."""
    return set_word(text, font == BOLD)


def _draw_centred(canvas: TaggedCanvas, word: Word, size: float, x: float, y: float) -> None:
    draw_word(canvas, word, size, x - word.width * size / 2, y)


# Where the pips of a face lie, in steps right and up from its centre.
PIPS: Mapping[int, tuple[Point, ...]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    5: ((-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)),
    6: ((-1, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (1, -1)),
}

# The net, in squares: (column, row) from the lower left, and the pips on each.
FACES: Mapping[tuple[int, int], int] = {
    (1, 2): 3,
    (0, 1): 5,
    (1, 1): 1,
    (2, 1): 2,
    (3, 1): 6,
    (1, 0): 4,
}
UP, DOWN, LEFT, RIGHT = (0, 1), (0, -1), (-1, 0), (1, 0)
# The square a glue tab hangs on, and the side of it.
TABS = (
    *((square, side) for side in (UP, DOWN) for square in ((0, 1), (2, 1), (3, 1))),
    ((3, 1), RIGHT),
)


@dataclass(frozen=True, slots=True)
class DiceNet:
    """A cube to fold with its pips outwards; opposite faces add up to 7.

    The row of four becomes the ring of the die, closed by the tab at its end. The squares above
    and below are its lids, each pressed on three tabs of the ring. Around their common corner
    1, 2 and 3 run counter-clockwise, as on dice of the West.

    Attributes:
        edge: of the cube, in points.
    """

    edge: float = 20 * MM

    @property
    def tab(self) -> float:
        """How far a tab sticks out, in points; its sides lean in by as much.

        At 45 degrees the tabs folded in around a lid touch and do not overlap.
        """
        return 0.3 * self.edge

    @property
    def width(self) -> float:
        """Four squares and a tab, in points."""
        return 4 * self.edge + self.tab

    @property
    def height(self) -> float:
        """Three squares, in points; the tabs lie beside the lids."""
        return 3 * self.edge

    def draw(self, canvas: TaggedCanvas, x: float, y: float) -> None:
        """Draw the net with the lower left corner of its bounding box at x, y."""
        _begin(canvas, x, y)
        half, step, radius = 0.5 * self.edge, 0.26 * self.edge, 0.09 * self.edge
        for (column, row), number in FACES.items():
            canvas.saveState()
            canvas.translate(column * self.edge + half, row * self.edge + half)
            for right, up in PIPS[number]:
                canvas.circle(right * step, up * step, radius, stroke=0, fill=1)
            # Each side in turn is brought to the top.
            for side in (UP, LEFT, DOWN, RIGHT):
                begin, end = (-half, half), (half, half)
                if ((column, row), side) in TABS:
                    _fold(canvas, begin, end)
                    self._draw_tab(canvas)
                elif (column + side[0], row + side[1]) not in FACES:
                    canvas.line(*begin, *end)
                elif side in (UP, RIGHT):
                    # Two squares share this fold: the other one leaves it out.
                    _fold(canvas, begin, end)
                canvas.rotate(90)
            canvas.restoreState()
        canvas.restoreState()

    def _draw_tab(self, canvas: TaggedCanvas) -> None:
        """The tab on the upper side of the square around 0, 0."""
        half, tab = self.edge / 2, self.tab
        corners = (-half, 0), (tab - half, tab), (half - tab, tab), (half, 0)
        canvas.saveState()
        canvas.translate(0, half)
        canvas.lines([(*begin, *end) for begin, end in pairwise(corners)])
        _glue(canvas, self.edge, tab, taper=1, blank=0)
        canvas.restoreState()


# The panels of a stand from its front edge on. The flap is a little shorter than the lip, so that
# it does not stand out above it when it is glued on less than exactly.
LIP, REST, STRUT, BASE, FLAP = 10 * MM, 28 * MM, 32 * MM, 24 * MM, 9 * MM


@dataclass(frozen=True, slots=True)
class Stand:
    """A paper easel for three poker cards side by side, seen from in front only.

    One sheet, printed side up, folded four times: the lip back, away from you (1); then rest,
    strut and base up towards you (2, 3, 4), which makes a closed triangle with the print inside;
    the flap is glued to the front of the lip (5). The cards stand in the groove between lip
    and rest and lean back by about 15 degrees, their weight over the middle of the base: nothing
    has to grip, so that even cards of thin copy paper stay up. From behind only backs show.

    Attributes:
        labels: the words "fold up", "fold back" and "glue" in the reader's language.
        font: they are set in.
        size: of the labels, in points.

    Raises:
        OversetError: a label with its number is wider than a third of the stand.
    """

    labels: tuple[str, str, str]
    font: str
    size: float = SMALLEST

    def __post_init__(self) -> None:
        for label in self.labels:
            excess = self._room(label) - self.width / 3
            if excess > 0:
                raise OversetError(label, excess, self.size)

    @property
    def width(self) -> float:
        """Of three poker cards but for a hair, in points."""
        return 188 * MM

    @property
    def height(self) -> float:
        """Of the sheet before folding, in points."""
        return LIP + REST + STRUT + BASE + FLAP

    @property
    def apex(self) -> Point:
        """The top of the folded triangle seen from its side: from the front foot, in points."""
        back = (REST**2 + BASE**2 - STRUT**2) / (2 * BASE)
        return back, sqrt(REST**2 - back**2)

    def _room(self, label: str) -> float:
        """The width of a numbered label and some air on both sides."""
        return (_set(f"5  {label}", self.font).width + 1) * self.size

    def draw(self, canvas: TaggedCanvas, x: float, y: float) -> None:
        """Draw the sheet with its lower left corner at x, y, the lip at its upper edge."""
        up, back, glue = self.labels
        _begin(canvas, x, y)
        canvas.rect(0, 0, self.width, self.height)
        middle = self.width / 2
        folds = FLAP + BASE + STRUT + REST, FLAP + BASE + STRUT, FLAP + BASE, FLAP
        for number, height in enumerate(folds, start=1):
            label, dashes = (back, _FOLD_BACK) if number == 1 else (up, _FOLD)
            gap = self._room(label) / 2
            _fold(canvas, (0, height), (middle - gap, height), dashes)
            _fold(canvas, (self.width, height), (middle + gap, height), dashes)
            self._write(canvas, f"{number}  {label}", middle, height)
        # On both sides of the words on the last fold.
        block = middle - self._room(up) / 2
        for centre in (block / 2, self.width - block / 2):
            self._write(canvas, f"5  {glue}", centre, FLAP / 2)
            canvas.saveState()
            canvas.translate(centre, 0)
            _glue(canvas, block, FLAP, taper=0, blank=self._room(glue))
            canvas.restoreState()
        canvas.translate(middle * 3 / 2, FLAP + BASE + 3 * MM)
        self._draw_folded(canvas)
        canvas.restoreState()

    def _write(self, canvas: TaggedCanvas, text: str, x: float, y: float) -> None:
        _draw_centred(canvas, _set(text, self.font), self.size, x, y - _HALF_CAPITAL * self.size)

    def _draw_folded(self, canvas: TaggedCanvas) -> None:
        """The finished stand from its side, and the lower half of a card in it; not to scale."""
        scale = 0.55
        right, up = self.apex[0] / REST, self.apex[1] / REST
        canvas.scale(scale, scale)
        canvas.setLineJoin(1)
        canvas.setLineWidth(0.35 * MM / scale)
        path = canvas.beginPath()
        path.moveTo(-0.4 * LIP, 0.9 * LIP)
        for corner in ((0.0, 0.0), self.apex, (BASE, 0.0), (0.0, 0.0)):
            path.lineTo(*corner)
        canvas.drawPath(path, stroke=1, fill=0)
        canvas.setLineWidth(0.8 * MM / scale)
        foot = (-0.9 * MM, 3 * MM)
        canvas.line(*foot, foot[0] + right * 44 * MM, foot[1] + up * 44 * MM)


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen to hide things behind, with two wings folded towards the player to stand on."""

    @property
    def width(self) -> float:
        """Of the sheet before folding, in points."""
        return 188 * MM

    @property
    def height(self) -> float:
        """In points: what lies a hand behind it is out of sight from across a table."""
        return 110 * MM

    @property
    def wing(self) -> float:
        """The width of each wing, in points."""
        return 44 * MM

    def draw(self, canvas: TaggedCanvas, x: float, y: float) -> None:
        """Draw the screen with its lower left corner at x, y."""
        _begin(canvas, x, y)
        canvas.rect(0, 0, self.width, self.height)
        for fold in (self.wing, self.width - self.wing):
            _fold(canvas, (fold, 0), (fold, self.height))
        canvas.restoreState()


@dataclass(frozen=True, slots=True)
class Strip:
    """A row of framed panels, each a label above a large shape, to lay out and point at.

    Attributes:
        steps: label and shape of each panel, from left to right.
        font: the labels are set in, all in one size: the largest in which each fits its panel.
        smallest: the smallest size allowed, in points.

    Raises:
        ValueError: there are no steps, or there is no such shape.
        OversetError: a label does not fit its panel in the smallest size.
    """

    steps: tuple[tuple[str, str], ...]
    font: str
    smallest: float = SMALLEST

    def __post_init__(self) -> None:
        if not self.steps:
            raise ValueError("a strip has no steps; write one or more")
        for label, shape in self.steps:
            shapes.outline(shape)
            excess = _set(label, self.font).width * self.smallest - self._room
            if excess > 0:
                raise OversetError(label, excess, self.smallest)

    @property
    def width(self) -> float:
        """In points."""
        return 180 * MM

    @property
    def height(self) -> float:
        """In points."""
        return 60 * MM

    @property
    def panels(self) -> tuple[tuple[float, float, float, float], ...]:
        """Left, bottom, width and height of each frame, from the strip's lower left corner."""
        count = len(self.steps)
        width = (self.width - (count + 1) * _GAP) / count
        height = self.height - 2 * _GAP
        return tuple((_GAP + n * (width + _GAP), _GAP, width, height) for n in range(count))

    @property
    def _room(self) -> float:
        return self.panels[0][2] - 2 * _GAP

    @property
    def size(self) -> float:
        """The size of all labels, in points."""
        widest = max(_set(label, self.font).width for label, _ in self.steps)
        largest = max(_LARGEST, self.smallest)
        return largest if widest * largest <= self._room else self._room / widest

    def draw(self, canvas: TaggedCanvas, x: float, y: float) -> None:
        """Draw the strip with its lower left corner at x, y."""
        _begin(canvas, x, y)
        canvas.rect(0, 0, self.width, self.height)
        canvas.setLineWidth(0.35 * MM)
        for (label, shape), (left, bottom, width, height) in zip(
            self.steps, self.panels, strict=True
        ):
            canvas.roundRect(left, bottom, width, height, _GAP)
            middle = left + width / 2
            baseline = bottom + height - 1.5 * _GAP - 2 * _HALF_CAPITAL * self.size
            _draw_centred(canvas, _set(label, self.font), self.size, middle, baseline)
            # Below the descenders.
            top = baseline - 0.3 * self.size
            room = min(width, top - bottom) - 2 * _GAP
            shapes.draw(canvas, shape, middle, (bottom + top) / 2, room)
        canvas.restoreState()


Piece = DiceNet | Stand | Screen | Strip
