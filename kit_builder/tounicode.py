"""ToUnicode CMaps of fonts with one-byte codes, written and read (ISO 32000-1, 9.10.3).

ReportLab's own are wrong: they map code 0, the missing glyph, to U+0000 (PDF/UA-1, 7.21.7 forbids
that), write code points above U+FFFF as five hexadecimal digits instead of UTF-16, and put more
than the 100 pairs of Adobe Technical Note 5014 into one block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PAIR = re.compile(rb"^<([0-9A-F]{2})> <((?:[0-9A-F]{4})+)>\s*$", re.MULTILINE)
_BLOCK = 100  # pairs


def write(name: str, subset: Sequence[int]) -> str:
    """The CMap of a subset font: code (its index) -> code point, 0 where there is none."""
    pairs = [
        f"<{code:02X}> <{chr(point).encode('utf-16-be').hex().upper()}>"
        for code, point in enumerate(subset)
        if point
    ]
    blocks = [pairs[start : start + _BLOCK] for start in range(0, len(pairs), _BLOCK)]
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin",
            "12 dict begin",
            "begincmap",
            f"/CIDSystemInfo << /Registry ({name}) /Ordering ({name}) /Supplement 0 >> def",
            f"/CMapName /{name} def",
            "/CMapType 2 def",
            "1 begincodespacerange",
            "<00> <FF>",
            "endcodespacerange",
            *(
                line
                for block in blocks
                for line in (f"{len(block)} beginbfchar", *block, "endbfchar")
            ),
            "endcmap",
            "CMapName currentdict /CMap defineresource pop",
            "end",
            "end",
        ]
    )


def read(cmap: bytes) -> dict[int, str]:
    """Code -> text of a CMap as `write` lays it out; a pair written otherwise is left out."""
    return {
        int(code, 16): bytes.fromhex(text.decode()).decode("utf-16-be")
        for code, text in _PAIR.findall(cmap)
    }
