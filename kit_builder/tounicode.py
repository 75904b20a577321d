"""ToUnicode CMaps of fonts, read (ISO 32000-1, 9.10.3)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

_HEX = rb"<([0-9A-Fa-f]+)>"
_UTF_16 = rb"<((?:[0-9A-Fa-f]{4})+)>"
_SECTION = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_PAIR = re.compile(_HEX + rb"\s*" + _UTF_16)
_RANGE = re.compile(_HEX + rb"\s*" + _HEX + rb"\s*(?:" + _UTF_16 + rb"|\[([^\]]*)\])")
_TEXT = re.compile(_UTF_16)
_CODES = re.compile(rb"begincodespacerange(.*?)endcodespacerange", re.DOTALL)
_EDGES = re.compile(_HEX + rb"\s*" + _HEX)


@lru_cache(maxsize=256)  # the same cuts of fonts come back in every kit
def read(cmap: bytes, width: int = 1) -> Mapping[int, str]:
    """Code -> text of a CMap, of the codes of `width` bytes; what it maps otherwise is left out."""
    texts: dict[int, str] = {}
    for kind, section in _SECTION.findall(cmap):
        if kind == b"char":
            for code, text in _PAIR.findall(section):
                if len(code) == 2 * width:
                    texts[int(code, 16)] = _text(text)
            continue
        for first, last, text, listed in _RANGE.findall(section):
            if len(first) == len(last) == 2 * width:
                codes = range(int(first, 16), int(last, 16) + 1)
                texts.update(zip(codes, _following(text, listed), strict=False))
    return MappingProxyType(texts)


def _following(first: bytes, listed: bytes) -> Iterator[str]:
    """The texts of the codes of a range: those listed, or the first and what follows it."""
    if not first:
        yield from map(_text, _TEXT.findall(listed))
        return
    text = _text(first)
    for point in range(ord(text[-1]), sys.maxunicode + 1):
        yield text[:-1] + chr(point)


def _text(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "replace")


@lru_cache(maxsize=256)
def width(cmap: bytes) -> int:
    """How many bytes each code of a CMap has; 0 if codes differ in that."""
    lengths = {
        len(edge)
        for ranges in _CODES.findall(cmap)
        for pair in _EDGES.findall(ranges)
        for edge in pair
    }
    return lengths.pop() // 2 if len(lengths) == 1 else 0
