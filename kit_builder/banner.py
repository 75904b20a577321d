"""The mark of the host's pages: a heavy frame, with words in white on black in its head.

Nobody takes such a page for one of the players'. Lengths in points, origin at the lower left.
"""

from __future__ import annotations

from kit_builder.grids import Box
from kit_builder.markup import set_label
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import Style, draw_lines
from kit_builder.units import MM

BANNER_DEPTH = 8 * MM

_WORDS = Style(16, BANNER_DEPTH, bold=True)
_FRAME = 1.6 * MM
_GAP = 4 * MM


def draw(canvas: TaggedCanvas, words: str, text: Box) -> Box:
    """Draws the frame around the room for text, and the words in its head.

    Returns:
        The frame's outer edge.

    Raises:
        KitError: no font has one of the characters.
    """
    left, bottom, right, top = text.grown(_GAP)
    outer = Box(left, bottom, right, top + BANNER_DEPTH)
    canvas.setLineWidth(_FRAME)
    canvas.rect(left, bottom, right - left, outer.top - bottom)
    canvas.rect(left, top, right - left, BANNER_DEPTH, fill=1)
    canvas.setFillGray(1)
    line = set_label(words, _WORDS)
    draw_lines(canvas, [line], _WORDS, left, outer.top, measure=right - left, align=0.5)
    canvas.setFillGray(0)
    return outer
