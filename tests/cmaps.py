"""ToUnicode CMaps for the fonts of ReportLab's that tests draw in.

ReportLab's own are wrong: they map code 0, the missing glyph, to U+0000 (PDF/UA-1, 7.21.7 forbids
that), write code points above U+FFFF as five hexadecimal digits instead of UTF-16, and put more
than the 100 pairs of Adobe Technical Note 5014 into one block.
"""

from __future__ import annotations

from collections.abc import Sequence

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
