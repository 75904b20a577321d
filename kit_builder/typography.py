"""Fonts, the fallback from one to the next per character, paragraph styles, and line breaking.

Sizes and widths in points. A "unit width" is a width at a font size of 1 point.
A character that no font of the chain has is an error, never a blank.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from kit_builder import resources
from kit_builder.errors import KitError, Location, fault

REGULAR = "Andika"
BOLD = "Andika-Bold"
_SYMBOLS = {REGULAR: "DejaVu", BOLD: "DejaVu-Bold"}
_FILES = {
    REGULAR: "andika/Andika-Regular.ttf",
    BOLD: "andika/Andika-Bold.ttf",
    "DejaVu": "dejavu/DejaVuSans.ttf",
    "DejaVu-Bold": "dejavu/DejaVuSans-Bold.ttf",
}

# The text font has some characters of these blocks, but not their neighbours: its tick and the
# symbol font's cross differ in weight, and no Greek word would be of one font. So Greek, arrows,
# technical and geometric shapes, dingbats, suits and dice are of the symbol font throughout.
_SYMBOL_BLOCKS = (
    range(0x0370, 0x0400),
    range(0x1F00, 0x2000),
    range(0x2190, 0x2200),
    range(0x2300, 0x2400),
    range(0x2500, 0x27C0),
    range(0x2900, 0x2C00),
)

# Weight of a rule, and the height of capitals in ems: it centres them in a line.
RULE = 0.6
CAPITALS = 0.7

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
    """

    size: float
    leading: float
    bold: bool = False
    before: float = 0
    after: float = 0


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of all texts of a document; the names of text styles are those of the markup.

    Attributes:
        item: a paragraph of a list.
        label: the words beside boxes.
        header: the heads of columns.
        imprint: the caption in the margin of every page; least_imprint is its smallest size.
        least: the smallest size on a card face.
    """

    title: Style
    h1: Style
    h2: Style
    h3: Style
    facts: Style
    p: Style
    lead: Style
    small: Style
    item: Style
    label: Style
    header: Style
    imprint: Style
    least_imprint: float
    least: float

    @property
    def body(self) -> Style:
        """Running text."""
        return self.p


def _styles(
    body: float, small: float, imprint: float, least_imprint: float, least: float
) -> Styles:
    text = Style(body, 1.35 * body, after=6)
    fine = Style(small, 1.3 * small, after=3)

    def heading(ratio: float, before: float, after: float) -> Style:
        size = round(ratio * body)
        return Style(size, 1.3 * size, True, before, after)

    return Styles(
        title=heading(2, 0, 2),
        h1=heading(1.55, 12, 6),
        h2=heading(1.23, 11, 4),
        h3=heading(1, 9, 3),
        facts=replace(text, bold=True, after=8),
        p=text,
        lead=text,
        small=fine,
        item=replace(text, after=3),
        label=replace(text, bold=True),
        header=replace(fine, bold=True),
        imprint=Style(imprint, 1.25 * imprint),
        least_imprint=least_imprint,
        least=least,
    )


# Clear print: 12 pt at least. Large print: 16 pt at least, 18 pt ideal, and the footer as well
# (UK Association for Accessible Formats, G003).
NORMAL = _styles(body=13, small=12, imprint=8, least_imprint=6, least=0)
LARGE = _styles(body=18, small=16, imprint=16, least_imprint=16, least=16)


class Run(NamedTuple):
    """Characters of one font."""

    font: str
    text: str


class Word(NamedTuple):
    """What stands between two spaces; `width` is a unit width.

    Attributes:
        hyphens: how many of its characters stand before each soft hyphen, which is none of them.
    """

    runs: tuple[Run, ...]
    width: float
    hyphens: tuple[int, ...] = ()


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

    A letter and a combining accent become one character: nothing moves the accent to its letter.

    Raises:
        MissingGlyphError: no font has one of its characters.
    """
    text_font = BOLD if bold else REGULAR
    syllables = unicodedata.normalize("NFC", word).strip(SOFT_HYPHEN).split(SOFT_HYPHEN)
    hyphens = tuple(accumulate(map(len, syllables[:-1])))
    glyphs = [(_font_of(character, text_font), character) for character in "".join(syllables)]
    return _joined(glyphs, hyphens)


def _joined(glyphs: Iterable[tuple[str, str]], hyphens: tuple[int, ...] = ()) -> Word:
    """The word of these pairs of font and character."""
    runs = tuple(
        Run(font, "".join(character for _, character in group))
        for font, group in groupby(glyphs, itemgetter(0))
    )
    return Word(runs, sum(stringWidth(run.text, run.font, 1) for run in runs), hyphens)


# Of a space in unit width, the same in both weights.
SPACE: float = stringWidth(" ", REGULAR, 1)


def words(spans: Iterable[Span]) -> list[Word | None]:
    """The words of a paragraph; None is a forced line break.

    A word ends at a space only, so "**bold**, text" keeps the comma with the word it follows. A
    no-break space is a character of its word.

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
                if not piece.strip(SOFT_HYPHEN):
                    continue
                try:
                    word = set_word(piece, bold)
                except MissingGlyphError as missing:
                    raise missing.at(getattr(text, "location", None)) from None
                last = done[-1] if open_word and done else None
                if last is not None:
                    length = sum(len(run.text) for run in last.runs)
                    hyphens = (*last.hyphens, *(length + place for place in word.hyphens))
                    done[-1] = Word(last.runs + word.runs, last.width + word.width, hyphens)
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

    A word that does not fit is divided at the last soft hyphen that helps.

    Raises:
        TooWideError: one word alone does not fit.
    """
    limit = measure / size + _ROUNDING
    lines: list[Line] = []
    current: list[Word] = []
    filled = 0.0
    for word in paragraph:
        if word is None:
            lines.append(Line(tuple(current), filled))
            current, filled = [], 0.0
            continue
        start = filled + SPACE if current else 0.0
        while start + word.width > limit:
            if divided := _divided(word, limit - start):
                head, word = divided
                current.append(head)
                filled = start + head.width
            elif not current:
                text = "".join(run.text for run in word.runs)
                raise TooWideError(text, (word.width - limit) * size)
            lines.append(Line(tuple(current), filled))
            current, start = [], 0.0
        current.append(word)
        filled = start + word.width
    if current or not lines:
        lines.append(Line(tuple(current), filled))
    return lines


def _divided(word: Word, room: float) -> tuple[Word, Word] | None:
    """The word in two at a soft hyphen, the first as long as fits with its hyphen, if any does."""
    if not word.hyphens:
        return None
    glyphs = [(run.font, character) for run in word.runs for character in run.text]
    divided = None
    for place in word.hyphens:
        head = _joined([*glyphs[:place], (glyphs[place - 1][0], "-")])
        if head.width > room:
            break
        divided = head, place
    if divided is None:
        return None
    head, place = divided
    later = tuple(each - place for each in word.hyphens if each > place)
    return head, _joined(glyphs[place:], later)


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
            for run in _followed(word.runs, gap):
                if run.font != font:
                    font = run.font
                    text.setFont(font, style.size)
                text.textOut(run.text)
    canvas.drawText(text)


def _followed(runs: tuple[Run, ...], gap: str) -> tuple[Run, ...]:
    """The runs of a word and the space after it, which is as wide as SPACE in a text font only."""
    *before, last = runs
    if gap and last.font not in _SYMBOLS:
        return (*runs, Run(REGULAR, gap))
    return (*before, Run(last.font, last.text + gap))
