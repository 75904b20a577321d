"""Fonts, the fallback from one to the next per character, paragraph styles, and line breaking.

Sizes and widths in points. A "unit width" is a width at a font size of 1 point.
A character that no font of the chain has is an error, never a blank.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from kit_builder import resources
from kit_builder.errors import KitError, Location, Text, fault

REGULAR = "Andika"
BOLD = "Andika-Bold"
_SYMBOLS = {REGULAR: "DejaVu", BOLD: "DejaVu-Bold"}
_FILES = {
    REGULAR: "andika/Andika-Regular.ttf",
    BOLD: "andika/Andika-Bold.ttf",
    "DejaVu": "dejavu/DejaVuSans.ttf",
    "DejaVu-Bold": "dejavu/DejaVuSans-Bold.ttf",
}

# Arrows, technical, box and geometric shapes, dingbats, suits and dice come from the symbol font
# even where the text font has a few of them: Andika's tick and DejaVu's cross differ in weight.
_SYMBOL_BLOCKS = (range(0x2190, 0x2400), range(0x2500, 0x27C0), range(0x2900, 0x2C00))

# Weight of a rule, and the height of capitals in ems: it centres them in a line.
RULE = 0.6
CAPITALS = 0.7

NO_BREAK_SPACES = "\u00a0\u202f\u2007"
SOFT_HYPHEN = "\u00ad"


def _register() -> None:
    fonts = resources.folder("fonts")
    for name, path in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, str(fonts / path)))


_register()


@dataclass(frozen=True, slots=True)
class Style:
    """How a paragraph is set: left aligned, ragged right.

    Attributes:
        before, after: space above and below; of two that meet, the larger one counts.
        keep_with_next: never the last thing on a page.
    """

    size: float
    leading: float
    bold: bool = False
    before: float = 0
    after: float = 0
    keep_with_next: bool = False

    def at(self, size: float) -> Style:
        """The same style at another size, its leading in proportion."""
        return replace(self, size=size, leading=self.leading * size / self.size)


BODY = Style(13, 17.5, after=6)
SMALL = Style(12, 15.5, after=3)
FACTS = Style(13, 17.5, bold=True, after=8)
TITLE = Style(26, 32, bold=True, after=2, keep_with_next=True)
PART = Style(20, 26, bold=True, before=12, after=6, keep_with_next=True)
HEADING = Style(16, 21, bold=True, before=11, after=4, keep_with_next=True)
SUBHEADING = Style(13, 17, bold=True, before=9, after=3, keep_with_next=True)


class Run(NamedTuple):
    """Characters of one font."""

    font: str
    text: str


class Word(NamedTuple):
    """What stands between two places where a line may break; `width` is a unit width."""

    runs: tuple[Run, ...]
    width: float


class Span(NamedTuple):
    """A stretch of a paragraph in one weight."""

    text: str
    bold: bool


class MissingGlyphError(LookupError):
    """A character that no font of the chain has."""

    def __init__(self, character: str) -> None:
        super().__init__(character)
        self.character = character

    def at(self, location: Location | None) -> KitError:
        """The user's error it is, when the character stands at or after `location`."""
        name = unicodedata.name(self.character, "unnamed")
        return fault(
            location.of(self.character) if location else None,
            f'no font has the character "{self.character}" (U+{ord(self.character):04X}, {name})',
            "use another character",
        )


@lru_cache(maxsize=4096)
def _font_of(character: str, text_font: str) -> str:
    code = ord(character)
    symbols = _SYMBOLS[text_font]
    chain = (text_font, symbols)
    if any(code in block for block in _SYMBOL_BLOCKS):
        chain = (symbols, text_font)
    for name in chain:
        if code in pdfmetrics.getFont(name).face.charToGlyph:
            return name
    raise MissingGlyphError(character)


@lru_cache(maxsize=65536)
def set_word(word: str, bold: bool) -> Word:
    """The runs of one word and its unit width.

    Raises:
        MissingGlyphError: no font has one of its characters.
    """
    text_font = BOLD if bold else REGULAR
    runs: list[Run] = []
    for character in word:
        name = _font_of(" " if character in NO_BREAK_SPACES else character, text_font)
        if runs and runs[-1].font == name:
            runs[-1] = Run(name, runs[-1].text + character)
        else:
            runs.append(Run(name, character))
    width = sum(pdfmetrics.stringWidth(run.text, run.font, 1) for run in runs)
    return Word(tuple(runs), width)


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text set on one line.

    Raises:
        MissingGlyphError: no font has one of its characters.
    """
    return set_word(text, bold).width * size


SPACE = {False: pdfmetrics.stringWidth(" ", REGULAR, 1), True: pdfmetrics.stringWidth(" ", BOLD, 1)}


def words(spans: Iterable[Span]) -> list[Word | None]:
    """The words of a paragraph; None is a forced line break.

    A word ends at a space only, so "**bold**, text" keeps the comma with the word it follows.

    Raises:
        KitError: no font has one of its characters; the place is that of its span's text.
    """
    done: list[Word | None] = []
    open_word = False
    for text, bold in spans:
        for index, line in enumerate(text.split("\n")):
            if index:
                done.append(None)
                open_word = False
            for position, piece in enumerate(line.split(" ")):
                if position:
                    open_word = False
                if not piece:
                    continue
                try:
                    word = set_word(piece, bold)
                except MissingGlyphError as missing:
                    raise missing.at(getattr(text, "location", None)) from None
                last = done[-1] if open_word and done else None
                if last is not None:
                    done[-1] = Word(last.runs + word.runs, last.width + word.width)
                else:
                    done.append(word)
                open_word = True
    return done


class Line(NamedTuple):
    """Words set beside each other; `width` is a unit width."""

    words: tuple[Word, ...]
    width: float


class TooWideError(ValueError):
    """A word that is wider than the line it must stand in.

    Attributes:
        word: its text.
        excess: by how much it is too wide, in points.
    """

    def __init__(self, word: str, excess: float) -> None:
        super().__init__(f'"{word}" is {excess:.1f} pt too wide')
        self.word = word
        self.excess = excess


# A sum of widths may miss the exact measure by rounding.
_ROUNDING = 1e-6


def break_lines(paragraph: Sequence[Word | None], measure: float, size: float) -> list[Line]:
    """Fills lines of `measure` points one after the other, each with as many words as fit.

    Raises:
        TooWideError: one word alone does not fit.
    """
    limit = measure / size + _ROUNDING
    space = SPACE[False]
    lines: list[Line] = []
    current: list[Word] = []
    filled = 0.0
    for word in paragraph:
        if word is None:
            lines.append(Line(tuple(current), filled))
            current, filled = [], 0.0
            continue
        if word.width > limit:
            text = "".join(run.text for run in word.runs)
            raise TooWideError(text, (word.width - limit) * size)
        reach = filled + space + word.width if current else word.width
        if reach > limit:
            lines.append(Line(tuple(current), filled))
            current, reach = [], word.width
        current.append(word)
        filled = reach
    if current or not lines:
        lines.append(Line(tuple(current), filled))
    return lines


def draw_lines(
    canvas: Canvas,
    lines: Sequence[Line],
    style: Style,
    x: float,
    top: float,
    *,
    measure: float = 0,
    align: float = 0,
) -> None:
    """Sets lines below each other.

    Args:
        canvas: to draw on.
        lines: broken at `measure`.
        style: their size and leading.
        x: the left edge.
        top: the y of the upper edge of the first line.
        measure: the width to align in; needed where `align` is not 0.
        align: 0 left, 0.5 centred, 1 right.
    """
    text = canvas.beginText()
    baseline = top - (style.leading + CAPITALS * style.size) / 2
    font = ""
    for number, line in enumerate(lines):
        text.setTextOrigin(
            x + align * (measure - line.width * style.size), baseline - number * style.leading
        )
        # The space between two words, and after the last word of a line that goes on, is real:
        # whoever copies the text out gets it.
        for position, word in enumerate(line.words):
            last = position == len(line.words) - 1
            gap = "" if last and number == len(lines) - 1 else " "
            for index, run in enumerate(word.runs):
                if run.font != font:
                    font = run.font
                    text.setFont(font, style.size)
                text.textOut(run.text + (gap if index == len(word.runs) - 1 else ""))
    canvas.drawText(text)


def plain(text: str, bold: bool = False) -> tuple[Span, ...]:
    """A text without markup as the spans of a paragraph."""
    return (Span(text, bold),)


def located(spans: Iterable[Span]) -> Location | None:
    """Where the first span that knows its place was written."""
    for span in spans:
        if isinstance(span.text, Text):
            return span.text.location
    return None
