"""Filling pages with blocks: pure arithmetic on their heights.

Offsets in points count down from the top of the frame.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from kit_builder.flowables import Block, stacked_height

# A sum of heights may miss the exact measure by rounding.
_ROUNDING = 1e-6

# The usual gaps, then how small they may be to spare a page that would hold a few lines only.
_GAPS = (1, 0.85, 0.7, 0.55)


class Placed(NamedTuple):
    """A block and the offset of its upper edge."""

    block: Block
    offset: float


def copyfit(blocks: Sequence[Block], height: float) -> list[list[Placed]]:
    """Pages filled with the usual gaps; with smaller ones where that spares a page.

    Raises:
        ValueError: a block is higher than a page and cannot be split.
    """
    # With no gaps at all they would take so many pages; most take no more with the usual ones.
    fewest = ceil(sum(block.height for block in blocks) / (height + _ROUNDING))
    filled: list[list[Placed]] = []
    for gaps in _GAPS:
        pages = fill(blocks, height, gaps)
        if not filled or len(pages) < len(filled):
            filled = pages
        if len(filled) <= fewest:
            break
    return filled


def fill(blocks: Iterable[Block], height: float, gaps: float = 1) -> list[list[Placed]]:
    """Pages of at most `height`, each filled before the next.

    A block that keeps with the next one moves on with it. What can be split is split. Blocks that
    can stretch share out what is left of their page.

    Args:
        blocks: in order.
        height: of a page.
        gaps: what the space between two blocks is multiplied by.

    Raises:
        ValueError: a block is higher than a page and cannot be split.
    """
    waiting = deque(blocks)
    pages: list[list[Placed]] = []
    page: list[Block] = []
    taken = space = 0.0  # by the blocks of the page, and the usual gaps between them
    while waiting:
        block = waiting.popleft()
        own = block.height
        gap = max(page[-1].after, block.before) if page else 0.0
        used = taken + gaps * (space + gap)
        if used + own <= height + _ROUNDING:
            page.append(block)
            taken, space = taken + own, space + gap
            continue
        if parts := block.split(height - used):
            head, tail = parts
            page.append(head)
            waiting.appendleft(tail)
        else:
            waiting.appendleft(block)
            kept = len(page)
            while kept and page[kept - 1].keep_with_next:
                kept -= 1
            if kept:
                waiting.extendleft(reversed(page[kept:]))
                del page[kept:]
            elif not page:
                raise ValueError(f"{type(block).__name__} is {own} of {height} pt high")
        pages.append(_stretched(page, height, gaps))
        page, taken, space = [], 0.0, 0.0
    if page:
        pages.append(_stretched(page, height, gaps))
    return pages


def _stretched(page: Sequence[Block], height: float, gaps: float) -> list[Placed]:
    """The blocks of a page from its top down, those that can a little taller."""
    elastic = sum(block.stretch for block in page)
    share = min(1.0, (height - stacked_height(page, gaps)) / elastic) if elastic else 0
    placed: list[Placed] = []
    for block in page:
        made = block.stretched(share * block.stretch) if block.stretch else block
        if placed:
            last, offset = placed[-1]
            offset += last.height + gaps * max(last.after, made.before)
        else:
            offset = 0.0
        placed.append(Placed(made, offset))
    return placed
