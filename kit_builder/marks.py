"""Marks: the cut lines and folds of a sheet, and its imprint of check rulers and caption.

Where the imprint stands is pure arithmetic (`imprint`); drawing comes after it. Lengths in points,
origin at the lower left of the page. Nothing drawn here is content: in a tagged PDF the caller
encloses all of it in an artifact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

from kit_builder.formats import UNPRINTABLE_MARGIN
from kit_builder.grids import (
    CAPTION_LINE,
    GOOD_CAPTION,
    ROUNDING,
    RULER_ROOM,
    SMALLEST_CAPTION,
    SMALLEST_RULER_ROOM,
    Box,
)
from kit_builder.imposition import Line, Sheet
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import MissingGlyphError, Word, draw_word, set_word
from kit_builder.units import INCH, MM, in_mm

_Texts = tuple[Word, Word]

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
_CAPTION_AIR = 1 * MM
_CAPTION_STEP = 0.5  # between the font sizes that are tried
_GAP = 2.0  # between the two texts of a caption, in parts of the font size

# Parts of the font size that a letter reaches above the base line: figures, and any letter with an
# accent.
_FIGURE_HEIGHT = 0.75
_ASCENT = 1.0

_Edge = Literal["bottom", "right", "top", "left"]

# The edges at which the two texts of a caption may stand, the best first: close together or as head
# and foot of the page, turned both, turned one; and each time the first text before the second.
_PLACES: Sequence[tuple[_Edge, _Edge]] = (
    *(("bottom", "bottom"), ("top", "top"), ("top", "bottom")),
    *(("right", "right"), ("left", "left"), ("left", "right")),
    *(("top", "right"), ("top", "left"), ("left", "bottom"), ("right", "bottom")),
    *(("bottom", "right"), ("bottom", "left"), ("left", "top"), ("right", "top")),
)


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
        word: what it says, set like one word.
        x, y: where its base line starts.
        turn: 0, or 90 if it runs upwards.
        box: what it covers.
    """

    word: Word
    x: float
    y: float
    size: float
    turn: int
    box: Box

    @property
    def kept(self) -> Box:
        """Where no other text may be: its box, and a gap before its start and after its end."""
        left, bottom, right, top = self.box
        gap = _GAP * self.size
        across, up = (0, gap) if self.turn else (gap, 0)
        return Box(left - across, bottom - up, right + across, top + up)


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

    @property
    def boxes(self) -> tuple[Box, ...]:
        """What its lines cover, and what its label does."""
        return (self.box, self.label.box) if self.label else (self.box,)


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
        margin: what stays free at each edge of the paper.
        start: where the band begins, inwards from the edge.
        depth: how deep the band is from there.
    """

    edge: _Edge
    length: float
    across: float
    margin: float
    start: float
    depth: float

    @property
    def level(self) -> bool:
        return self.edge in ("bottom", "top")

    @property
    def rises(self) -> bool:
        """Whether text in it has its foot on the outer side."""
        return self.edge in ("bottom", "right")

    def span(self, box: Box) -> tuple[float, float]:
        """From where to where the box reaches along the edge."""
        return (box.left, box.right) if self.level else (box.bottom, box.top)

    def point(self, along: float, inwards: float) -> tuple[float, float]:
        other = inwards if self.edge in ("bottom", "left") else self.across - inwards
        return (along, other) if self.level else (other, along)

    def line(self, along: float, inwards: float, to_along: float, to_inwards: float) -> Line:
        return Line(*self.point(along, inwards), *self.point(to_along, to_inwards))

    def box(self, along: float, inwards: float, to_along: float, to_inwards: float) -> Box:
        x1, y1, x2, y2 = self.line(along, inwards, to_along, to_inwards)
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))

    def text(
        self,
        word: Word,
        size: float,
        along: float,
        inwards: float,
        extent: tuple[float, float],
    ) -> TextLine:
        """A text whose lower left corner, or upper left one, is at this place.

        Args:
            word: what it says.
            size: of the font.
            along: where it starts.
            inwards: its outer side.
            extent: the parts of the size that it reaches above and below its base line.
        """
        above, below = (part * size for part in extent)
        base = inwards + (below if self.rises else above)
        x, y = self.point(along, base)
        box = self.box(along, inwards, along + word.width * size, inwards + above + below)
        turn = 0 if self.level else 90
        return TextLine(word, x, y, size, turn, box)

    def holds(self, scale: Scale) -> bool:
        """Whether a ruler fits in."""
        deep = self.depth > SMALLEST_RULER_ROOM - ROUNDING
        return deep and self.length > scale.length + 2 * self.margin

    @lru_cache(maxsize=64)  # noqa: B019  # the pages of a kit have the same: a twentieth of its time
    def ruler(self, scale: Scale) -> Ruler:
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
        word = _set(scale.label)
        size = min(_LABEL_SIZE, (self.depth - 1.5 * STROKE) / _FIGURE_HEIGHT)
        beside = high + _CAPTION_AIR
        label = None
        if size >= _SMALLEST_LABEL and beside + word.width * size < self.length - self.margin:
            lift = max(STROKE / 2, (height - size * _FIGURE_HEIGHT) / 2)
            label = self.text(word, size, beside, edge + lift, (_FIGURE_HEIGHT, 0))
        return Ruler(
            self.line(low, edge + STROKE / 2, high, edge + STROKE / 2),
            ticks,
            label,
            self.box(low - STROKE / 2, edge, high + STROKE / 2, edge + height),
        )

    def inside_ruler(self) -> _Band:
        """The part of the band that a ruler leaves."""
        taken = min(RULER_ROOM, self.depth)
        return replace(self, start=self.start + taken, depth=self.depth - taken)

    def has_room(self, lines: int, size: float) -> bool:
        """Whether so many lines of a caption are not too deep."""
        return lines * CAPTION_LINE * size < self.depth + ROUNDING

    def caption(self, word: Word, size: float, along: float, line: int, lines: int) -> TextLine:
        """A text on one of so many lines, counted from 0 as one reads, that start here."""
        leading = CAPTION_LINE * size
        air = max(0, min(_CAPTION_AIR, (self.depth - lines * leading) / 2))
        below = lines - 1 - line if self.rises else line
        inwards = self.start + air + below * leading
        return self.text(word, size, along, inwards, (_ASCENT, CAPTION_LINE - _ASCENT))


def _set(text: str) -> Word:
    """A text on one line.

    Raises:
        KitError: no font has one of its characters.
    """
    try:
        return set_word(text, False)
    except MissingGlyphError as missing:
        raise missing.at(None) from None


def imprint(
    width: float,
    height: float,
    block: Box,
    left: str,
    right: str,
    *,
    occupied: Box | None = None,
    inches: bool = False,
    size: float = GOOD_CAPTION,
    smallest: float = SMALLEST_CAPTION,
    margin: float = UNPRINTABLE_MARGIN,
) -> Imprint:
    """Check rulers across and down, nearest the edges of the paper, and a caption.

    The caption has the largest size for which there is room. At that size it stands in one line
    below the block; else in two lines there, above the block, with its first text above and its
    second one below, or running upwards at one or both sides; else with one text upright.

    It is for text pages and the fronts of sheets: a back has none.

    Args:
        width: of the page.
        height: of the page.
        block: what the caption is aligned with, such as the cards, or the frame of a text page.
        left: the caption's text at its start.
        right: the caption's text at its end.
        occupied: what must stay clear; the block if not given.
        inches: rulers of 4 inches as well, at the opposite edges, where the caption leaves room.
        size: of the caption's font.
        smallest: the size to which the caption may shrink where it would not fit.
        margin: what stays free at each edge of the paper.

    Raises:
        KitError: no font has one of the characters.
        ValueError: no band is deep or long enough for a ruler, or for the caption.
    """
    clear = occupied or block
    bands: dict[_Edge, _Band] = {
        "bottom": _Band("bottom", width, height, margin, margin, clear.bottom - margin),
        "top": _Band("top", width, height, margin, margin, height - clear.top - margin),
        "right": _Band("right", height, width, margin, margin, width - clear.right - margin),
        "left": _Band("left", height, width, margin, margin, clear.left - margin),
    }
    across = _scales(bands["bottom"], bands["top"], inches)
    down = _scales(bands["right"], bands["left"], inches)
    texts = _set(left), _set(right)
    areas = block, Box(0, 0, width, height).grown(-margin)
    choices = [one | other for one, other in product(across, down)]
    for scales in sorted(choices, key=len, reverse=True):
        rulers = tuple(bands[edge].ruler(scale) for edge, scale in scales.items())
        free = bands | {edge: bands[edge].inside_ruler() for edge in scales}
        captions = _captions(free, rulers, texts, areas, _sizes(size, smallest))
        if captions:
            return Imprint(rulers, captions)
    raise ValueError(
        f'the caption "{left} {right}" does not fit into a margin'
        "; shorten it, or leave more room around the print"
    )


def _scales(usual: _Band, opposite: _Band, inches: bool) -> list[dict[_Edge, Scale]]:
    """Which rulers may stand at two opposite edges, the best choice first.

    Raises:
        ValueError: neither band holds a metric one.
    """
    metric: list[dict[_Edge, Scale]] = []
    both: list[dict[_Edge, Scale]] = []
    for one, other in ((usual, opposite), (opposite, usual)):
        if one.holds(METRIC):
            metric.append({one.edge: METRIC})
            if inches and other.holds(INCHES):
                both.append({one.edge: METRIC, other.edge: INCHES})
    if not metric:
        raise ValueError(
            f"no margin between the print and the {usual.edge} or {opposite.edge} edge holds a"
            f" check ruler of {METRIC.label}"
            f"; leave {in_mm(usual.margin + SMALLEST_RULER_ROOM)} mm free there"
        )
    return both + metric


def _sizes(wanted: float, smallest: float) -> Iterator[float]:
    """The font sizes to be tried, the largest first."""
    while wanted > smallest:
        yield wanted
        wanted -= _CAPTION_STEP
    yield smallest


def _captions(
    bands: Mapping[_Edge, _Band],
    rulers: Iterable[Ruler],
    texts: _Texts,
    areas: tuple[Box, Box],
    sizes: Iterable[float],
) -> tuple[TextLine, TextLine] | None:
    """The two texts of the caption at the first size, and there the best place, that is free."""
    taken = [box for ruler in rulers for box in ruler.boxes]
    printable = areas[1].grown(ROUNDING)

    def is_free(left: TextLine, right: TextLine) -> bool:
        return (
            printable.joined(left.box).joined(right.box) == printable
            and not left.kept.overlaps(right.box)
            and not any(box.overlaps(text.box) for box in taken for text in (left, right))
        )

    for size in sizes:
        for one, other in _PLACES:
            for pair in _positions(bands[one], bands[other], texts, areas, size):
                if is_free(*pair):
                    return pair
    return None


def _positions(
    first: _Band, second: _Band, texts: _Texts, areas: tuple[Box, Box], size: float
) -> Iterator[tuple[TextLine, TextLine]]:
    """Where in two bands, or in one on one line or on two, the texts may stand, the best first.

    They are aligned with the block or, if they are too long, with the printable area.
    """
    left, right = texts
    for lines in (1, 2) if first is second else (1,):
        if not (first.has_room(lines, size) and second.has_room(lines, size)):
            return
        for area in areas:
            start, _ = first.span(area)
            low, high = second.span(area)
            ends = high - right.width * size
            for along in (ends, low) if lines == 1 else (low, ends):
                yield (
                    first.caption(left, size, start, 0, lines),
                    second.caption(right, size, along, lines - 1, lines),
                )


def draw(canvas: TaggedCanvas, sheet: Sheet) -> None:
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


def draw_imprint(canvas: TaggedCanvas, each: Imprint) -> None:
    """Draws rulers and caption in black."""
    canvas.saveState()
    canvas.setLineWidth(STROKE)
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    _draw_lines(canvas, [line for ruler in each.rulers for line in (ruler.base, *ruler.ticks)])
    for ruler in each.rulers:
        if ruler.label:
            _draw_text(canvas, ruler.label)
    for caption in each.captions:
        _draw_text(canvas, caption)
    canvas.restoreState()


def _draw_lines(canvas: TaggedCanvas, lines: Iterable[Line]) -> None:
    canvas.lines(list(lines))


def _draw_text(canvas: TaggedCanvas, line: TextLine) -> None:
    if not line.turn:
        draw_word(canvas, line.word, line.size, line.x, line.y)
        return
    canvas.saveState()
    canvas.transform(0, 1, -1, 0, line.x, line.y)
    draw_word(canvas, line.word, line.size, 0, 0)
    canvas.restoreState()
