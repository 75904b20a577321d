"""Named shapes, drawn as exact paths in black on white, for card faces and cut-outs.

A shape is told by its outline and its fill, never by a colour, and is no glyph that a font may
lack. All shapes of one size look equally big: their ink when solid is the same, or as near as a
pointed shape comes without leaving its square, and their centre of mass lies on the point they
are drawn at. Inside, coordinates are shares of the size, from the centre, x right and y up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import acos, atan2, ceil, cos, degrees, dist, radians, sin, sqrt, tan

from reportlab.lib.rl_accel import fp_str
from reportlab.pdfgen.canvas import Canvas

from kit_builder import formats

Point = tuple[float, float]
# A line to its one point, or a Bézier curve: two control points and the end.
Segment = tuple[Point, ...]

FILLS = ("solid", "outline", "striped")

# The line runs around every fill, so that all fills of a shape have the same silhouette.
_LINE = 0.065
# The area of a circle 0.82 across: smaller, and round shapes shrink beside the triangle and the
# star, which their square holds down; larger, and they outgrow them.
_INK = 0.53
# At a size of 8 mm a stripe is 0.36 mm and its gap 0.76 mm, which a photocopier keeps apart.
_STRIPE = 0.045
_PITCH = 0.14
_STRIPES = range(-5, 6)
# Degrees. A stripe along the edge of a shape reads as a thicker line: this is far from every edge.
_SLOPE = 22


@dataclass(frozen=True, slots=True)
class Outline:
    """A closed path: where it starts, and the segments that lead back there."""

    start: Point
    segments: tuple[Segment, ...]

    def polygon(self, pieces: int = 24) -> list[Point]:
        """The points along the path, each curve cut into `pieces` lines; the start comes last."""
        points: list[Point] = []
        begin = self.start
        for segment in self.segments:
            points.extend(_along(begin, segment, pieces))
            begin = segment[-1]
        return points

    def moved(self, right: float, up: float, scale: float) -> Outline:
        """The path moved, then enlarged about the origin."""

        def move(point: Point) -> Point:
            return (point[0] + right) * scale, (point[1] + up) * scale

        return Outline(move(self.start), tuple(tuple(map(move, each)) for each in self.segments))

    def turned(self) -> Outline:
        """The path turned a quarter to the left about the origin."""

        def turn(point: Point) -> Point:
            return -point[1], point[0]

        return Outline(turn(self.start), tuple(tuple(map(turn, each)) for each in self.segments))


def _along(begin: Point, segment: Segment, pieces: int) -> Iterator[Point]:
    if len(segment) == 1:
        yield segment[0]
        return
    for piece in range(1, pieces + 1):
        t = piece / pieces
        weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
        x, y = (
            sum(w * c for w, c in zip(weights, line, strict=True))
            for line in zip(begin, *segment, strict=True)
        )
        yield x, y


def _balanced(shape: Outline) -> Outline:
    """The shape with its centre of mass at the origin, as big as all the others look."""
    points = shape.polygon()
    area = perimeter = moment_x = moment_y = 0.0
    for (x0, y0), (x1, y1) in zip([points[-1], *points[:-1]], points, strict=True):
        cross = x0 * y1 - x1 * y0
        area += cross / 2
        moment_x += (x0 + x1) * cross / 6
        moment_y += (y0 + y1) * cross / 6
        perimeter += dist((x0, y0), (x1, y1))
    right, up = -moment_x / area, -moment_y / area
    reach = max(max(abs(x + right), abs(y + up)) for x, y in points)
    area = abs(area)
    # Solved for the scale: ink = area x scale² + perimeter x scale x the outer half of the line.
    band = perimeter * _LINE / 2
    equal = (sqrt(band**2 + 4 * area * _INK) - band) / (2 * area)
    return shape.moved(right, up, min(equal, (0.5 - _LINE / 2) / reach))


def _symmetric(start: Point, half: list[Segment]) -> Outline:
    """The shape whose right half leads from the top of its axis, x = 0, down to the bottom."""
    begins = [start, *(segment[-1] for segment in half[:-1])]
    mirrored = [
        tuple((-x, y) for x, y in (*reversed(segment[:-1]), begin))
        for begin, segment in zip(begins, half, strict=True)
    ]
    return _balanced(Outline(start, (*half, *reversed(mirrored))))


def _polar(centre: Point, radius: float, bearing: float) -> Point:
    """The point `radius` away from the centre, `bearing` degrees counter-clockwise of right."""
    angle = radians(bearing)
    return centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)


def _arc(centre: Point, radius: float, begin: float, end: float) -> list[Segment]:
    """Part of a circle, clockwise from bearing `begin` down to `end`, as curves up to a quarter."""
    count = ceil((begin - end) / 90)
    step = (begin - end) / count
    handle = 4 / 3 * tan(radians(step) / 4) * radius
    curves: list[Segment] = []
    for number in range(count):
        start = begin - number * step
        stop = start - step
        near, far = _polar(centre, radius, start), _polar(centre, radius, stop)
        curves.append((_polar(near, handle, start - 90), _polar(far, handle, stop + 90), far))
    return curves


def _lines(*points: Point) -> list[Segment]:
    return [(point,) for point in points]


def _star() -> list[Segment]:
    radii = (1.0, 0.47)
    return _lines(*(_polar((0, 0), radii[tip % 2], 90 - 36 * tip) for tip in range(1, 6)))


def _cross() -> tuple[Point, list[Segment]]:
    arm, half = 0.8, 0.21
    tip = (arm - half, arm + half), (arm + half, arm - half)
    foot = (arm + half, half - arm), (arm - half, -half - arm)
    return (0, 2 * half), _lines(*tip, (2 * half, 0), *foot, (0, -2 * half))


def _plus() -> list[Segment]:
    half = 0.34
    tip = (half, 1), (half, half), (1, half)
    return _lines(*tip, (1, -half), (half, -half), (half, -1), (0, -1))


def _hexagon() -> tuple[Point, list[Segment]]:
    top = sqrt(3) / 2
    return (0, top), _lines((0.5, top), (1, 0), (0.5, -top), (0, -top))


def _heart() -> tuple[Point, list[Segment]]:
    centre, radius = (0.47, 0.42), 0.52
    cleft = (0, centre[1] + sqrt(radius**2 - centre[0] ** 2))
    lobe = _arc(centre, radius, degrees(atan2(cleft[1] - centre[1], -centre[0])), -22)
    side = (_polar(lobe[-1][-1], 0.42, -112), (0.14, -0.83), (0.0, -1.0))
    return cleft, [*lobe, side]


def _stem(neck: Point) -> list[Segment]:
    """Of spade and club: from the neck below the leaves, down and out to the foot."""
    foot = -0.98
    return [((neck[0], neck[1] - 0.3), (0.26, foot + 0.02), (0.44, foot)), ((0, foot),)]


def _spade() -> list[Segment]:
    centre, radius, shoulder = (0.43, -0.2), 0.43, 24
    lobe = _arc(centre, radius, shoulder, -139)
    joint = _polar(centre, radius, shoulder)
    side = ((0.12, 0.72), _polar(joint, 0.36, shoulder + 90), joint)
    return [side, *lobe, *_stem(lobe[-1][-1])]


def _club() -> tuple[Point, list[Segment]]:
    top, right, radius = (0.0, 0.5), (0.49, -0.2), 0.44
    bearing = degrees(atan2(right[1] - top[1], right[0] - top[0]))
    # Two equal circles cross this far off the line between their centres, seen from a centre.
    off = degrees(acos(dist(top, right) / 2 / radius))
    leaf = _arc(right, radius, bearing + 180 - off, -146)
    return (0, top[1] + radius), [
        *_arc(top, radius, 90, bearing + off),
        *leaf,
        *_stem(leaf[-1][-1]),
    ]


_ARROW = _symmetric((0, 1), _lines((0.9, 0.02), (0.34, 0.02), (0.34, -0.94), (0, -0.94)))

SHAPES: Mapping[str, Outline] = {
    "circle": _symmetric((0, 1), _arc((0, 0), 1, 90, -90)),
    "triangle": _symmetric((0, 1), _lines(_polar((0, 0), 1, -30), (0, -0.5))),
    "square": _symmetric((0, 1), _lines((1, 1), (1, -1), (0, -1))),
    "star": _symmetric((0, 1), _star()),
    "cross": _symmetric(*_cross()),
    "plus": _symmetric((0, 1), _plus()),
    "diamond": _symmetric((0, 1), _lines((0.78, 0), (0, -1))),
    "hexagon": _symmetric(*_hexagon()),
    "heart": _symmetric(*_heart()),
    "spade": _symmetric((0, 1), _spade()),
    "club": _symmetric(*_club()),
    "arrow-left": _ARROW.turned(),
    "arrow-right": _ARROW.turned().turned().turned(),
    "arrow-up": _ARROW,
    "arrow-down": _ARROW.turned().turned(),
}


def outline(name: str) -> Outline:
    """The path of the shape called `name`, as shares of its size.

    Raises:
        ValueError: there is no such shape.
    """
    if name not in SHAPES:
        raise ValueError(f'unknown shape "{name}"; {formats.suggestion(name, SHAPES)}')
    return SHAPES[name]


def draw(canvas: Canvas, name: str, x: float, y: float, size: float, fill: str = "solid") -> None:
    """Draw a shape with its centre at x, y within a square of side `size`, all in points.

    "solid" is black; "outline" is white with a black line, as thick as the size asks;
    "striped" is an outline with stripes that rise to the right and always cross the centre.

    Raises:
        ValueError: there is no such shape, or no such fill.
    """
    if fill not in FILLS:
        raise ValueError(f'unknown fill "{fill}"; {formats.suggestion(fill, FILLS)}')
    operators = _operators(name, fill)
    canvas.addLiteral(f"q {fp_str(size, 0, 0, size, x, y)} cm {operators} Q")


@cache
def _operators(name: str, fill: str) -> str:
    """What paints a shape of size 1 around the origin (ISO 32000-1, 8.5)."""
    shape = outline(name)
    steps = (f"{_numbers(*each)} {'l' if len(each) == 1 else 'c'}" for each in shape.segments)
    path = f"{_numbers(shape.start)} m {' '.join(steps)} h"
    painted = f"{0 if fill == 'solid' else 1} g 0 G {_LINE} w 1 j {path} B*"
    if fill != "striped":
        return painted
    lean, rise = cos(radians(_SLOPE)), sin(radians(_SLOPE))
    turned = f"{fp_str(lean, rise, -rise, lean, 0, 0)} cm"
    heights = [number * _PITCH for number in _STRIPES]
    stripes = " ".join(f"{_numbers((-1, y))} m {_numbers((1, y))} l S" for y in heights)
    return f"{painted} {path} W* n {_STRIPE} w {turned} {stripes}"


def _numbers(*points: Point) -> str:
    written: str = fp_str(*(length for point in points for length in point))
    return written
