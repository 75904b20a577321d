"""Blocks that stand below each other on a text page, each set at its final width.

A block is made from lines that are already broken, so its height is known and it cannot fail
later. All lengths in points; a block is drawn downwards from `top`, the y of its upper edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from kit_builder.structure import Element
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import CAPITALS, RULE, SPACE, Line, Style, draw_lines
from kit_builder.units import MM

HAIRLINE = 0.15 * MM

BOX_GAP = 10 * MM
PANEL_PADDING = 5 * MM
_BOX = 12 * MM
_TICK = 5 * MM
LABEL_GAP = 3 * MM
TICK_INDENT = _TICK + LABEL_GAP


class Block(Protocol):
    """Something a page is filled with.

    Attributes:
        before, after: space above and below; where two meet the larger counts, at the top and
            foot of a page neither.
        keep_with_next: never the last block of a page.
        stretch: how much taller the block may be made to fill its page.
    """

    @property
    def before(self) -> float: ...
    @property
    def after(self) -> float: ...
    @property
    def keep_with_next(self) -> bool: ...
    @property
    def height(self) -> float: ...
    @property
    def stretch(self) -> float: ...

    def stretched(self, extra: float) -> Block:
        """The same block, `extra` points taller (at most `stretch`)."""
        ...

    def split(self, height: float) -> tuple[Block, Block] | None:
        """The part that fits into `height` and the rest; None if nothing sensible fits."""
        ...

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        """Draws the block with its upper left corner at x, top."""
        ...


class Rigid:
    """What blocks have in common that do not stretch, and do not split unless they say how."""

    __slots__ = ()
    keep_with_next = False
    stretch = 0.0

    def stretched(self, extra: float) -> Block:
        raise AssertionError(f"{type(self).__name__} does not stretch by {extra}")

    def split(self, height: float) -> tuple[Block, Block] | None:
        return None


def draw_rules(
    canvas: TaggedCanvas, segments: Sequence[tuple[float, float, float, float]], width: float = RULE
) -> None:
    """Draws straight lines of one weight: (x1, y1, x2, y2) each."""
    canvas.setLineWidth(width)
    canvas.lines(list(segments))


@dataclass(frozen=True, slots=True)
class Paragraph(Rigid):
    """Lines of text.

    Attributes:
        indent: of the whole paragraph.
        marker: a bullet or number before the first line, in its own structure element.
    """

    lines: tuple[Line, ...]
    style: Style
    element: Element
    indent: float = 0
    marker: tuple[Line, Element] | None = None
    keep_with_next: bool = False

    @property
    def before(self) -> float:
        return self.style.before

    @property
    def after(self) -> float:
        return self.style.after

    @property
    def height(self) -> float:
        return len(self.lines) * self.style.leading

    def split(self, height: float) -> tuple[Block, Block] | None:
        """At least two lines stay on either side: no widow, no orphan."""
        fitting = min(int(height / self.style.leading + 1e-6), len(self.lines) - 2)
        if fitting < 2:
            return None
        head, tail = self.lines[:fitting], self.lines[fitting:]
        return replace(self, lines=head), replace(self, lines=tail, marker=None)

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        if self.marker:
            line, element = self.marker
            with canvas.marked(element):
                offset = (line.width + 2 * SPACE) * self.style.size
                draw_lines(canvas, [line], self.style, x + self.indent - offset, top)
        with canvas.marked(self.element):
            draw_lines(canvas, self.lines, self.style, x + self.indent, top)


@dataclass(frozen=True, slots=True)
class Boxes:
    """A label, and after it square boxes to tick or to lay counters on.

    Attributes:
        label_width: the room of the label, its gap to the boxes included.
        text, figure: the structure elements of the label and of the boxes.
    """

    label: Line
    label_width: float
    count: int
    text: Element
    figure: Element

    @property
    def width(self) -> float:
        """Of the label and its boxes."""
        return self.label_width + self.count * (_BOX + LABEL_GAP) - LABEL_GAP


@dataclass(frozen=True, slots=True)
class BoxRow(Rigid):
    """Labelled boxes beside each other."""

    groups: tuple[Boxes, ...]
    style: Style
    before: float = 4
    after: float = 8
    height: float = _BOX

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        left = x
        for group in self.groups:
            with canvas.marked(group.text):
                label_top = top - (_BOX - self.style.leading) / 2
                draw_lines(canvas, [group.label], self.style, left, label_top)
            group.figure.bbox = (left + group.label_width, top - _BOX, left + group.width, top)
            with canvas.marked(group.figure):
                canvas.setLineWidth(2 * RULE)
                for number in range(group.count):
                    edge = left + group.label_width + number * (_BOX + LABEL_GAP)
                    canvas.rect(edge, top - _BOX, _BOX, _BOX)
            left += group.width + BOX_GAP


@dataclass(frozen=True, slots=True)
class WriteIn(Rigid):
    """Labels beside each other, after each a line to write on; all of one width."""

    labels: tuple[tuple[Line, Element], ...]
    width: float
    style: Style
    before: float = 4
    after: float = 6
    height: float = 10 * MM

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        room = self.width / len(self.labels)
        foot = top - self.height + (self.style.leading - CAPITALS * self.style.size) / 2
        for number, (label, element) in enumerate(self.labels):
            left = x + number * room
            with canvas.marked(element):
                label_top = top - self.height + self.style.leading
                draw_lines(canvas, [label], self.style, left, label_top)
            start = left + label.width * self.style.size + LABEL_GAP
            draw_rules(
                canvas,
                [(start, foot, left + room - LABEL_GAP * (number + 1 < len(self.labels)), foot)],
            )


@dataclass(frozen=True, slots=True)
class Tick(Rigid):
    """A box to tick, and the words beside it."""

    lines: tuple[Line, ...]
    style: Style
    box: Element
    element: Element
    before: float = 3
    after: float = 5

    @property
    def height(self) -> float:
        return len(self.lines) * self.style.leading

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        with canvas.marked(self.box):
            canvas.setLineWidth(2 * RULE)
            canvas.rect(x, top - (self.style.leading + _TICK) / 2, _TICK, _TICK)
        with canvas.marked(self.element):
            draw_lines(canvas, self.lines, self.style, x + TICK_INDENT, top)


class Piece(Protocol):
    """A piece to cut out; its lower left corner is drawn at x, y."""

    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def draw(self, canvas: TaggedCanvas, x: float, y: float) -> None:
        """Draws the piece."""
        ...


@dataclass(frozen=True, slots=True)
class PieceRow(Rigid):
    """Pieces to cut out beside each other, each a figure.

    Attributes:
        width: of the frame the row is centred in; it may be wider than that.
    """

    pieces: tuple[tuple[Piece, Element], ...]
    gap: float
    width: float
    before: float = 8
    after: float = 8

    @property
    def height(self) -> float:
        return max(piece.height for piece, _ in self.pieces)

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        taken = sum(piece.width for piece, _ in self.pieces) + self.gap * (len(self.pieces) - 1)
        left = x + (self.width - taken) / 2
        for piece, element in self.pieces:
            element.bbox = (left, top - piece.height, left + piece.width, top)
            with canvas.marked(element):
                piece.draw(canvas, left, top - piece.height)
            left += piece.width + self.gap


@dataclass(frozen=True, slots=True)
class Panel(Rigid):
    """Blocks in a frame, to be cut out as a whole."""

    blocks: tuple[Block, ...]
    width: float
    before: float = 6
    after: float = 16

    @property
    def height(self) -> float:
        return stacked_height(self.blocks) + 2 * PANEL_PADDING

    def draw(self, canvas: TaggedCanvas, x: float, top: float) -> None:
        canvas.setLineWidth(HAIRLINE)
        canvas.rect(x, top - self.height, self.width, self.height)
        draw_stack(canvas, self.blocks, x + PANEL_PADDING, top - PANEL_PADDING)


def stacked_height(blocks: Sequence[Block], gaps: float = 1) -> float:
    """The height of blocks below each other, the space between them multiplied by `gaps`."""
    space = sum(max(upper.after, lower.before) for upper, lower in pairwise(blocks))
    return sum(block.height for block in blocks) + gaps * space


def draw_stack(canvas: TaggedCanvas, blocks: Sequence[Block], x: float, top: float) -> None:
    """Draws blocks below each other."""
    previous: Block | None = None
    for block in blocks:
        if previous is not None:
            top -= max(previous.after, block.before)
        block.draw(canvas, x, top)
        top -= block.height
        previous = block
