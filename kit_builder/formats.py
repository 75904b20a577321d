"""Papers and card sizes by name: their trim, in points.

Cards stand upright in their names: width first. Sizes are what makers of card stock and print
houses use; "bridge" and "mini" differ by up to 1 mm between makers, so the mm are always printed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from kit_builder import units
from kit_builder.units import INCH, MM


@dataclass(frozen=True, slots=True)
class Format:
    """A named trim size. Lengths in points; `inches` says which ruler its users read."""

    name: str
    width: float
    height: float
    inches: bool = False

    @property
    def dimensions(self) -> str:
        """Width x height in mm, as printed in footers and written in error messages."""
        return f"{units.in_mm(self.width)} x {units.in_mm(self.height)} mm"


def _by_name(*formats: Format) -> Mapping[str, Format]:
    return {each.name.lower(): each for each in formats}


# A sizes: ISO 216. Letter, Legal, Tabloid: ANSI/ASME Y14.1.
PAPERS = _by_name(
    Format("A3", 297 * MM, 420 * MM),
    Format("A4", 210 * MM, 297 * MM),
    Format("A5", 148 * MM, 210 * MM),
    Format("Letter", 8.5 * INCH, 11 * INCH, inches=True),
    Format("Legal", 8.5 * INCH, 14 * INCH, inches=True),
    Format("Tabloid", 11 * INCH, 17 * INCH, inches=True),
)

CARD_SIZES = _by_name(
    Format("poker", 63 * MM, 88 * MM),
    Format("poker-us", 2.5 * INCH, 3.5 * INCH),
    Format("bridge", 57 * MM, 89 * MM),
    Format("tarot", 70 * MM, 120 * MM),
    Format("jumbo", 89 * MM, 127 * MM),
    Format("mini", 44.5 * MM, 63.5 * MM),
    Format("mini-euro", 44 * MM, 68 * MM),
    Format("euro", 59 * MM, 92 * MM),
    Format("square-70", 70 * MM, 70 * MM),
    Format("square-50", 50 * MM, 50 * MM),
    Format("business", 85 * MM, 55 * MM),
    Format("A7", 74 * MM, 105 * MM),
    Format("A8", 52 * MM, 74 * MM),
)

# Between two cards that are cut apart by crop marks; more than the widest is a slip.
GUTTER = 4 * MM
WIDEST_GUTTER = 20 * MM

# Nothing is drawn nearer to the edge of the paper. Of 590 office printers' descriptions 99.5 %
# print up to 5 mm from the edge.
UNPRINTABLE_MARGIN = 5 * MM


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known name an author is likely to have meant, or None."""
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.strip().lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None


def suggestion(word: str, known: Collection[str]) -> str:
    """What to write instead of an unknown name: the nearest known one, else all of them."""
    near = nearest(word, known)
    return f'did you mean "{near}"?' if near else f"write one of {', '.join(known)}"


def _find(text: str, known: Mapping[str, Format], kind: str, example: str) -> Format:
    name = text.strip().lower()
    if name in known:
        return known[name]
    if name[:1].isdigit():
        width, height = units.size(text)
        made = Format("", width, height, inches=name.endswith("in"))
        return Format(made.dimensions, width, height, made.inches)
    advice = suggestion(name, known)
    if not advice.endswith("?"):
        advice += f', or a size such as "{example}"'
    raise ValueError(f'unknown {kind} "{text}"; {advice}')


def paper(text: str) -> Format:
    """The paper called `text` ("a4", "Letter") or measured by it ("200 x 250 mm").

    Raises:
        ValueError: no such name, and not a size either.
    """
    return _find(text, PAPERS, "paper", "210 x 297 mm")


def card_size(text: str) -> Format:
    """The card size called `text` ("poker") or measured by it ("63 x 88 mm").

    Raises:
        ValueError: no such name, and not a size either.
    """
    return _find(text, CARD_SIZES, "card size", "63 x 88 mm")


def half(paper: Format) -> Format:
    """The upright page of which two lie beside each other on a sheet: A5 on A4."""
    width, height = max(paper.width, paper.height) / 2, min(paper.width, paper.height)
    for each in PAPERS.values():  # ISO 216 rounds half of 297 mm to 148 mm
        if 0 <= width - each.width < 1 * MM and 0 <= height - each.height < 1 * MM:
            return each
    made = Format("", width, height, paper.inches)
    name = f"half {paper.name}" if paper in PAPERS.values() else made.dimensions
    return Format(name, width, height, paper.inches)


# Large print wants cards that are larger both ways, by about as much as the type.
_LARGER = 1.25


def larger(card: Format) -> Format:
    """The next larger card size: the smallest one with a name, else the same shape enlarged."""
    bigger = [
        each
        for each in CARD_SIZES.values()
        if each.width >= _LARGER * card.width and each.height >= _LARGER * card.height
    ]
    if bigger:
        return min(bigger, key=lambda each: each.width * each.height)
    made = Format("", _LARGER * card.width, _LARGER * card.height, card.inches)
    return Format(made.dimensions, made.width, made.height, made.inches)
