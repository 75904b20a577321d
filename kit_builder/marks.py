"""Marks: the cut lines and folds of a sheet, and its imprint of check rulers and caption.

Where the imprint stands is pure arithmetic (`imprint`); drawing comes after it. Lengths in points,
origin at the lower left of the page. Nothing drawn here is content: in a tagged PDF the caller
encloses all of it in an artifact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from kit_builder.formats import UNPRINTABLE_MARGIN
from kit_builder.imposition import RULER_ROOM, SMALLEST_RULER_ROOM, Box, Line, Sheet
from kit_builder.units import INCH, MM, in_mm

Setting = Callable[[str], Sequence[tuple[str, str]]]
"""Splits a text into (font, text) runs; every font is registered."""

# Thin enough to leave no sliver of ink on a card, thick enough for inkjet printers; grey that
# survives a photocopier and shows on black as well.
STROKE = 0.15 * MM
CUT_GREY = 0.4
DASHES = (3 * MM, 1.5 * MM)
FOLD_DASHES = (4 * MM, 1.2 * MM, 0.4 * MM, 1.2 * MM)

_AIR = 0.3 * MM
_RULER_HEIGHT = RULER_ROOM - _AIR
_SHORT_TICK = 0.6
_LABEL_SIZE, _SMALLEST_LABEL = 6.0, 4.5
_GOOD_CAPTION, _SMALLEST_CAPTION = 8.0, 6.0
_CAPTION_AIR = 1 * MM
_GAP = 2.0  # between the texts at start and end of the caption, in parts of the font size

# Parts of the font size that a letter reaches above and below the base line: figures, and any
# letter with an accent or a tail.
_FIGURE_HEIGHT = 0.75
_ASCENT, _DESCENT = 1.0, 0.25

_Edge = Literal["bottom", "right", "top", "left"]


# A sum of lengths may miss the exact measure by rounding.
_ROUNDING = 1e-6


class Scale(NamedTuple):
    """How a ruler is divided: each division has a tick, every so many a long one."""

    label: str
    length: float
    divisions: int
    every: int


METRIC = Scale("100 mm", 100 * MM, 10, 5)
INCHES = Scale("4 in", 4 * INCH, 8, 4)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A text on one line.

    Attributes:
        runs: the fonts and characters.
        x, y: where its base line starts.
        turn: 0, or 90 if it runs upwards.
        box: what it covers.
    """

    runs: tuple[tuple[str, str], ...]
    x: float
    y: float
    size: float
    turn: int
    box: Box


@dataclass(frozen=True, slots=True)
class Ruler:
    """A check ruler: its length is that of `base`, between the middles of the outer ticks.

    Attributes:
        label: beside its end; None where the band is too narrow for a legible one.
        box: what its lines cover.
    """

    base: Line
    ticks: tuple[Line, ...]
    label: TextLine | None
    box: Box


@dataclass(frozen=True, slots=True)
class Imprint:
    """What stands in the margins of a page."""

    rulers: tuple[Ruler, ...]
    captions: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class _Band:
    """A free band along one edge of the paper.

    Places in it are counted along the edge, from the left or from below, and inwards from the
    edge. Text in it is upright or runs upwards, so its base line is on the outer side at the
    bottom and at the right, on the inner side at the top and at the left.

    Attributes:
        length: of the edge.
        across: the size of the paper across the edge.
        start: where printing may begin, inwards from the edge.
        depth: how deep the band is from there.
    """

    edge: _Edge
    length: float
    across: float
    start: float
    depth: float

    def point(self, along: float, inwards: float) -> tuple[float, float]:
        other = inwards if self.edge in ("bottom", "left") else self.across - inwards
        return (along, other) if self.edge in ("bottom", "top") else (other, along)

    def line(self, along: float, inwards: float, to_along: float, to_inwards: float) -> Line:
        return Line(*self.point(along, inwards), *self.point(to_along, to_inwards))

    def box(self, along: float, inwards: float, to_along: float, to_inwards: float) -> Box:
        x1, y1, x2, y2 = self.line(along, inwards, to_along, to_inwards)
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))

    def text(
        self,
        runs: Sequence[tuple[str, str]],
        size: float,
        along: float,
        inwards: float,
        extent: tuple[float, float],
    ) -> TextLine:
        """A text whose lower left corner, or upper left one, is at this place.

        Args:
            runs: the fonts and characters.
            size: of the font.
            along: where it starts.
            inwards: its outer side.
            extent: the parts of the size that it reaches above and below its base line.
        """
        above, below = (part * size for part in extent)
        base = inwards + (below if self.edge in ("bottom", "right") else above)
        x, y = self.point(along, base)
        box = self.box(along, inwards, along + _width(runs) * size, inwards + above + below)
        turn = 0 if self.edge in ("bottom", "top") else 90
        return TextLine(tuple(runs), x, y, size, turn, box)

    def holds(self, scale: Scale) -> bool:
        """Whether a ruler fits in."""
        deep = self.depth > SMALLEST_RULER_ROOM - _ROUNDING
        return deep and self.length > scale.length + 2 * self.start

    def ruler(self, scale: Scale, setting: Setting) -> Ruler:
        """A ruler at the outer side of the band, in the middle of the paper's edge."""
        height = min(_RULER_HEIGHT, self.depth - _AIR)
        low, high = (self.length - scale.length) / 2, (self.length + scale.length) / 2
        edge = self.start
        ticks = tuple(
            self.line(along, edge, along, edge + height * share)
            for along, share in (
                (
                    low + scale.length * number / scale.divisions,
                    1 if number % scale.every == 0 else _SHORT_TICK,
                )
                for number in range(scale.divisions + 1)
            )
        )
        runs = setting(scale.label)
        size = min(_LABEL_SIZE, (self.depth - 1.5 * STROKE) / _FIGURE_HEIGHT)
        beside = high + _CAPTION_AIR
        label = None
        if size >= _SMALLEST_LABEL and beside + _width(runs) * size < self.length - edge:
            lift = max(STROKE / 2, (height - size * _FIGURE_HEIGHT) / 2)
            label = self.text(runs, size, beside, edge + lift, (_FIGURE_HEIGHT, 0))
        return Ruler(
            self.line(low, edge + STROKE / 2, high, edge + STROKE / 2),
            ticks,
            label,
            self.box(low - STROKE / 2, edge, high + STROKE / 2, edge + height),
        )


def _width(runs: Iterable[tuple[str, str]]) -> float:
    """The width of a text at a font size of 1 point."""
    return float(sum(stringWidth(text, font, 1) for font, text in runs))


def imprint(
    width: float,
    height: float,
    block: Box,
    setting: Setting,
    left: str,
    right: str,
    *,
    occupied: Box | None = None,
    inches: bool = False,
    size: float = 8,
    margin: float = UNPRINTABLE_MARGIN,
) -> Imprint:
    """Check rulers across and down, nearest the edges of the paper, and a caption.

    The caption stands below the block if there is room for a good size, else above it or, running
    upwards, at its side.

    Args:
        width: of the page.
        height: of the page.
        block: what the caption is aligned with, such as the cards, or the frame of a text page.
        setting: how texts are set.
        left: the caption's text at its start.
        right: the caption's text at its end.
        occupied: what must stay clear; the block if not given.
        inches: rulers of 4 inches as well, at the opposite edges, where there is room.
        size: of the caption's font; less, but at least 6, where it would not fit.
        margin: what stays free at each edge of the paper.

    Raises:
        ValueError: no band is deep or long enough for a ruler, or for the caption.
    """
    clear = occupied or block
    bands: dict[_Edge, _Band] = {
        "bottom": _Band("bottom", width, height, margin, clear.bottom - margin),
        "top": _Band("top", width, height, margin, height - clear.top - margin),
        "right": _Band("right", height, width, margin, width - clear.right - margin),
        "left": _Band("left", height, width, margin, clear.left - margin),
    }
    rulers: dict[_Edge, Scale] = {}
    pairs: tuple[tuple[_Edge, _Edge], ...] = (("bottom", "top"), ("right", "left"))
    for pair in pairs:
        edge = next((each for each in pair if bands[each].holds(METRIC)), None)
        if edge is None:
            raise ValueError(
                f"no margin between the print and the {pair[0]} or {pair[1]} edge holds a check"
                f" ruler of {METRIC.label}; leave"
                f" {in_mm(margin + SMALLEST_RULER_ROOM)} mm free there"
            )
        rulers[edge] = METRIC
    opposite = {pair[0]: pair[1] for pair in pairs} | {pair[1]: pair[0] for pair in pairs}
    both = dict(rulers)
    if inches:
        both |= {opposite[e]: INCHES for e in rulers if bands[opposite[e]].holds(INCHES)}
    texts = setting(left), setting(right)
    captions = _caption(bands, both, texts, block, size)
    if captions is None:  # the metric rulers and the caption matter more
        both = rulers
        captions = _caption(bands, both, texts, block, size)
    if captions is None:
        raise ValueError(
            f'the caption "{left} {right}" does not fit into a margin'
            "; shorten it, or leave more room around the print"
        )
    return Imprint(
        tuple(bands[edge].ruler(scale, setting) for edge, scale in both.items()), captions
    )


def _caption(
    bands: Mapping[_Edge, _Band],
    rulers: Mapping[_Edge, Scale],
    texts: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]],
    block: Box,
    wanted: float,
) -> tuple[TextLine, ...] | None:
    """The caption in the first band where it is large enough, else where it is largest."""
    left, right = texts
    extent = _ASCENT + _DESCENT
    units = _width(left) + _width(right) + _GAP
    best: tuple[float, _Band, float] | None = None
    for edge in ("bottom", "top", "right", "left"):
        band = bands[edge]
        taken = min(_RULER_HEIGHT, band.depth - _AIR) + _AIR if edge in rulers else 0
        room, measure = band.depth - taken, band.length - 2 * band.start
        size = min(wanted, room / extent, measure / units)
        if size >= _SMALLEST_CAPTION - _ROUNDING and (best is None or size > best[0]):
            best = size, band, taken
            if size >= min(wanted, _GOOD_CAPTION):
                break
    if best is None:
        return None
    size, band, taken = best
    inwards = band.start + taken + min(_CAPTION_AIR, (band.depth - taken - size * extent) / 2)
    level = band.edge in ("bottom", "top")
    start, end = (block.left, block.right) if level else (block.bottom, block.top)
    if end - start < units * size:
        start, end = band.start, band.length - band.start
    places = (left, start), (right, end - _width(right) * size)
    return tuple(
        band.text(runs, size, along, inwards, (_ASCENT, _DESCENT)) for runs, along in places
    )


def draw(canvas: Canvas, sheet: Sheet) -> None:
    """Draws the sheet's cut lines, ticks or crop marks, and folds; after its cards."""
    canvas.saveState()
    canvas.setLineWidth(STROKE)
    canvas.setStrokeGray(CUT_GREY)
    _draw_lines(canvas, sheet.ticks)
    if sheet.dashed:
        canvas.setDash(list(DASHES))
    _draw_lines(canvas, sheet.cuts)
    canvas.setDash(list(FOLD_DASHES))
    _draw_lines(canvas, sheet.folds)
    canvas.restoreState()


def draw_imprint(canvas: Canvas, each: Imprint) -> None:
    """Draws rulers and caption in black."""
    canvas.saveState()
    canvas.setLineWidth(STROKE)
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    for ruler in each.rulers:
        _draw_lines(canvas, (ruler.base, *ruler.ticks))
        if ruler.label:
            _draw_text(canvas, ruler.label)
    for caption in each.captions:
        _draw_text(canvas, caption)
    canvas.restoreState()


def _draw_lines(canvas: Canvas, lines: Iterable[Line]) -> None:
    for line in lines:
        canvas.line(*line)


def _draw_text(canvas: Canvas, line: TextLine) -> None:
    text: Any = canvas.beginText()
    if line.turn:
        text.setTextTransform(0, 1, -1, 0, line.x, line.y)
    else:
        text.setTextOrigin(line.x, line.y)
    for font, characters in line.runs:
        text.setFont(font, line.size)
        text.textOut(characters)
    canvas.drawText(text)
