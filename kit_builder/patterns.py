"""All-over patterns for the backs of cards: black on white, the same on every card.

The period divides the pitch of the cards, and a motif looks the same upside down. So the pattern
runs on across the cuts, a back that is printed some mm beside its face shows no seam, and no card
is known by its back or by the way it is held.

Between a third and a half of the area is black, evenly spread: enough to hide the face of a card on
thin paper, while a photocopier keeps lines and gaps apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, cos, floor, pi, sin, sqrt

from reportlab.pdfgen.canvas import Canvas

from kit_builder import formats
from kit_builder.units import MM

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A motif, repeated across and up without end.

    Attributes:
        width, height: the period in mm; fitted to the cards, it may grow or shrink by a quarter.
        motif: operators that paint in black (PDF 32000-1, 8.5), lengths in mm from the motif's
            centre, within one period to each side. No line and no gap is narrower than 0.45 mm:
            0.3 mm when the motif has shrunk by a quarter. What touches the next motif overlaps it:
            between edges that only meet, a viewer would show a hairline of white.
    """

    width: float
    height: float
    motif: str


def _numbers(*points: Point) -> str:
    return " ".join(f"{x:.3f} {y:.3f}" for x, y in points)


def _polygon(*corners: Point) -> str:
    first, *others = map(_numbers, corners)
    return f"{first} m {' l '.join(others)} l h"


def _curves(start: Point, *curves: tuple[Point, Point, Point]) -> str:
    return " ".join([f"{_numbers(start)} m", *(f"{_numbers(*curve)} c" for curve in curves)])


def _diamond(centre: Point, reach_x: float, reach_y: float) -> str:
    x, y = centre
    return _polygon((x + reach_x, y), (x, y + reach_y), (x - reach_x, y), (x, y - reach_y))


def _star(centre: Point, radius: float, waist: float) -> str:
    """A star of eight points; `waist` is the inner radius as a share of the outer one."""
    radii = (radius, radius * waist)
    return _polygon(
        *(
            (centre[0] + radii[n % 2] * cos(n * pi / 8), centre[1] + radii[n % 2] * sin(n * pi / 8))
            for n in range(16)
        )
    )


def _dot(centre: Point, radius: float) -> str:
    # Sixteen corners: at a radius of 0.5 mm they stand in for a circle to 0.01 mm.
    return _star(centre, radius, 1)


def _petal(begin: Point, end: Point) -> str:
    (x, y), across, up = begin, end[0] - begin[0], end[1] - begin[1]

    def control(along: float, aside: float) -> Point:
        return x + along * across - aside * up, y + along * up + aside * across

    return _curves(
        begin,
        (control(0.275, 0.3), control(0.725, 0.3), end),
        (control(0.725, -0.3), control(0.275, -0.3), begin),
    )


def _lattice() -> Pattern:
    """A trellis of crossing lines, a diamond in each of its meshes."""
    right, top, line = 3.15, 4.4, 0.6
    return Pattern(
        2 * right,
        2 * top,
        f"2 J {line} w {_numbers((-right, -top))} m {_numbers((right, top))} l"
        f" {_numbers((-right, top))} m {_numbers((right, -top))} l S"
        f" {_diamond((right, 0), 1.45, 2.02)} {_diamond((0, top), 1.45, 2.02)} f",
    )


def _waves() -> Pattern:
    """Level waves, broad and narrow by turns."""
    half, rise, swing = 6.3, 2.2, 1.25
    # These make a curve that lies within 1 % of a sine.
    reach, height = 0.42 * half, 4 / 3 * swing

    def wave(y: float, line: float) -> str:
        path = _curves(
            (-half, y),
            ((reach - half, y - height), (-reach, y - height), (0, y)),
            ((reach, y + height), (half - reach, y + height), (half, y)),
        )
        return f"{line} w {path} S"

    return Pattern(2 * half, 2 * rise, f"1 J {wave(0, 1.15)} {wave(rise, 0.55)}")


def _weave() -> Pattern:
    """A basket of level and upright strands, three by three."""
    block, strand, gap = 4.2, 0.75, 0.65
    length = block - gap
    level = [(-length / 2, y - strand / 2, length, strand) for y in (-block / 3, 0, block / 3)]
    upright = [(y, x, height, width) for x, y, width, height in level]
    places = (
        (0.0, 0.0, level),
        (block, block, level),
        (block, 0.0, upright),
        (0.0, block, upright),
    )
    rectangles = [
        f"{_numbers((right + x, up + y), (width, height))} re"
        for right, up, strands in places
        for x, y, width, height in strands
    ]
    return Pattern(2 * block, 2 * block, f"{' '.join(rectangles)} f")


def _petals() -> Pattern:
    """Circles that overlap by quarters, seen as flowers of four petals (in Japan: shippō)."""
    half = 4.45 / sqrt(2)
    near, far = 0.075 * half, 0.925 * half
    petals = [
        _petal((right * near, up * near), (right * far, up * far))
        for right in (-1, 1)
        for up in (-1, 1)
    ]
    dots = [_dot(centre, 0.5) for centre in ((half, 0.0), (0.0, half))]
    return Pattern(2 * half, 2 * half, f"{' '.join(petals + dots)} f")


def _stars() -> Pattern:
    """Stars of eight points within stars, and diamonds between them."""
    half = 3.7
    # Of two squares laid across each other.
    waist = sqrt(2 - sqrt(2))
    stars = [_star((0, 0), radius, waist) for radius in (half - 0.25, 2.65, 1.85)]
    return Pattern(
        2 * half,
        2 * half,
        f"{' '.join(stars)} {_dot((0, 0), 0.55)} {_diamond((half, half), 1.25, 1.25)} f*",
    )


PATTERNS: Mapping[str, Pattern] = {
    "lattice": _lattice(),
    "waves": _waves(),
    "weave": _weave(),
    "petals": _petals(),
    "stars": _stars(),
}


def period(pitch: float, ideal: float) -> float:
    """The part of `pitch` nearest to `ideal`, one over a whole number; the unit is theirs."""
    return pitch / max(1, round(pitch / ideal))


def draw(
    canvas: Canvas,
    name: str,
    box: tuple[float, float, float, float],
    pitch_x: float,
    pitch_y: float,
    centre: Point,
) -> None:
    """Fill a box with a pattern that is the same on each card, upright or upside down.

    A block of cards is one form, defined once in a document and placed wherever an equal block
    is drawn.

    Args:
        canvas: what to draw on.
        name: one of `PATTERNS`.
        box: left, bottom, right, top in points. Nothing is painted outside.
        pitch_x: from a card to the next one across, gutter included, in points.
        pitch_y: from a card to the next one up.
        centre: of any of the cards, in points.

    Raises:
        ValueError: there is no such pattern.
    """
    if name not in PATTERNS:
        raise ValueError(f'unknown pattern "{name}"; {formats.suggestion(name, PATTERNS)}')
    left, bottom, right, top = box
    size, middle = (right - left, top - bottom), (centre[0] - left, centre[1] - bottom)
    pitch = pitch_x, pitch_y
    # Rounded, so that blocks which differ by the last bits of a sum are one form.
    form = "-".join(["pattern", name, *(f"{each:.3f}" for each in (*size, *middle, *pitch))])
    if not canvas.hasForm(form):
        _define(canvas, form, PATTERNS[name], size, middle, pitch)
    canvas.saveState()
    canvas.translate(left, bottom)
    canvas.doForm(form)
    canvas.restoreState()


def _define(
    canvas: Canvas, form: str, pattern: Pattern, size: Point, centre: Point, pitch: Point
) -> None:
    """Define the form of a block whose lower left corner is the origin; the rest as for `draw`.

    A row of motifs is a form of its own: the file stays small, and is read in a moment.
    """
    (width, height), (x, y) = size, centre
    across, up = period(pitch[0], pattern.width * MM), period(pitch[1], pattern.height * MM)
    columns, rows = _reaching(x, across, width), _reaching(y, up, height)
    row = f"{form}-row"
    canvas.beginForm(row, 0, -up, width, up)
    # A form inherits the pen of the page (PDF 32000-1, 8.10.1).
    canvas.setDash()
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    scale = across / pattern.width, up / pattern.height
    canvas.transform(scale[0], 0, 0, scale[1], x + columns.start * across, 0)
    canvas.addLiteral(f"{pattern.motif} 1 0 0 1 {pattern.width:.6f} 0 cm\n" * len(columns))
    canvas.endForm()
    canvas.beginForm(form, 0, 0, width, height)
    for number in rows:
        canvas.saveState()
        canvas.translate(0, y + number * up)
        canvas.doForm(row)
        canvas.restoreState()
    canvas.endForm()


def _reaching(centre: float, step: float, length: float) -> range:
    """The motifs that reach into 0 to `length`, counted from the one at `centre`."""
    return range(ceil(-centre / step) - 1, floor((length - centre) / step) + 2)
