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
from operator import attrgetter
from typing import NamedTuple, Protocol

from reportlab.lib.rl_accel import fp_str

from kit_builder import fonts, resources
from kit_builder.errors import KitError, Location, fault
from kit_builder.fonts import Cut, Face, Glyph

REGULAR = "Andika"
BOLD = "Andika-Bold"

_FONTS = resources.folder("fonts")
_TEXT = Face(REGULAR, _FONTS / "andika/Andika-Regular.ttf")
_BOLD_TEXT = Face(BOLD, _FONTS / "andika/Andika-Bold.ttf", _TEXT)
_SYMBOLS = Face("DejaVuSans", _FONTS / "dejavu/DejaVuSans.ttf", _TEXT)
_BOLD_SYMBOLS = Face("DejaVuSans-Bold", _FONTS / "dejavu/DejaVuSans-Bold.ttf", _TEXT)

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

# Where an accent stands: combining classes of Unicode (UAX 44, table 15).
_BELOW, _ABOVE = 220, 230


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
    """Characters of one cut of a font; `code` is how a page writes them."""

    cut: Cut
    text: str
    code: str

    @property
    def font(self) -> str:
        """The name of the face."""
        return self.cut.face.name


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
    """A character that no font of the chain has, or that is never set.

    Never set are those of private use, which mean nothing to whoever copies or hears the text, and
    those of scripts that run from right to left.

    Attributes:
        character: it; a letter with its accents where no font has them as one.
    """

    def __init__(self, character: str) -> None:
        super().__init__(character)
        self.character = character

    def at(self, location: Location | None) -> KitError:
        """The user's error it is, when the character stands at or after `location`."""
        place = location.of(self.character) if location else None
        if _runs_left(self.character):
            return fault(
                place,
                f'the script of "{self.character}" runs from right to left, which cannot be'
                " printed yet",
                "write in a script that runs from left to right",
            )
        # Not one that would drive a terminal.
        drawn = f'"{self.character}" ' if unicodedata.category(self.character[0]) != "Cc" else ""
        codes = " ".join(f"U+{ord(each):04X}" for each in self.character)
        names = " + ".join(unicodedata.name(each, "unnamed") for each in self.character)
        return fault(
            place, f"no font has the character {drawn}({codes}, {names})", "use another character"
        )


def _runs_left(character: str) -> bool:
    return unicodedata.bidirectional(character[0]) in ("R", "AL")


@lru_cache(maxsize=4096)
def _glyph(character: str, bold: bool) -> Glyph:
    faces = (_BOLD_TEXT, _BOLD_SYMBOLS) if bold else (_TEXT, _SYMBOLS)
    if any(ord(character) in block for block in _SYMBOL_BLOCKS):
        faces = faces[::-1]
    glyph = faces[0].glyph(character) or faces[1].glyph(character)
    private = unicodedata.category(character) == "Co"
    if glyph is None or private or _runs_left(character):
        raise MissingGlyphError(character)
    return glyph


# The words of some hundred kits; each takes half a kilobyte.
@lru_cache(maxsize=16384)
def set_word(word: str, bold: bool) -> Word:
    """The runs of one word and its unit width.

    A letter and a combining accent become one character: nothing moves the accent to its letter.
    Where there is none, the accent must have room above or below the letter as it is.

    Raises:
        MissingGlyphError: no font has one of its characters.
    """
    letters = unicodedata.normalize("NFC", word)
    hyphens: tuple[int, ...] = ()
    if SOFT_HYPHEN in letters:
        syllables = letters.strip(SOFT_HYPHEN).split(SOFT_HYPHEN)
        hyphens = tuple(accumulate(map(len, syllables[:-1])))
        letters = "".join(syllables)
    glyphs = [_glyph(letter, bold) for letter in letters]
    if not letters.isascii():
        _check_accents(letters, glyphs)
    return _joined(letters, glyphs, hyphens)


def _check_accents(letters: str, glyphs: Sequence[Glyph]) -> None:
    """Refuses an accent that would run into its letter, as those of capitals and of "i" would.

    Raises:
        MissingGlyphError: no font has the letter with its accent.
    """
    start, below, above = 0, 0.0, 0.0
    for place, (letter, glyph) in enumerate(zip(letters, glyphs, strict=True)):
        face = glyph.cut.face
        bottom, top = (edge / face.units for edge in face.extent(face.number(ord(letter))))
        side = unicodedata.combining(letter)
        if (side == _ABOVE and bottom < above) or (side == _BELOW and top > below):
            raise MissingGlyphError(letters[start : place + 1])
        if not side:
            start, below, above = place, bottom, top
        elif side == _ABOVE:
            above = top
        elif side == _BELOW:
            below = bottom


def _joined(letters: str, glyphs: Sequence[Glyph], hyphens: tuple[int, ...] = ()) -> Word:
    """The word of these letters, each with its glyph."""
    runs: list[Run] = []
    start = 0
    for cut, group in groupby(glyphs, attrgetter("cut")):
        codes = [glyph.code for glyph in group]
        runs.append(Run(cut, letters[start : start + len(codes)], "".join(codes)))
        start += len(codes)
    return Word(tuple(runs), sum(glyph.width for glyph in glyphs), hyphens)


# Of a space in unit width, the same everywhere.
SPACE: float = _glyph(" ", False).width


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
            first, *others = line.split(" ")
            try:
                if first.strip(SOFT_HYPHEN):
                    word = set_word(first, bold)
                    last = done.pop() if open_word else None
                    done.append(word if last is None else _glued(last, word))
                    open_word = True
                if others:
                    done += [set_word(each, bold) for each in others if each.strip(SOFT_HYPHEN)]
                    open_word = bool(others[-1].strip(SOFT_HYPHEN))
            except MissingGlyphError as missing:
                raise missing.at(getattr(text, "location", None)) from None
    return done


def _glued(first: Word, second: Word) -> Word:
    """Two words with no space between them, as one."""
    length = sum(len(run.text) for run in first.runs)
    hyphens = (*first.hyphens, *(length + place for place in second.hyphens))
    return Word(first.runs + second.runs, first.width + second.width, hyphens)


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
    letters = "".join(run.text for run in word.runs)
    glyphs = [glyph for run in word.runs for glyph in map(run.cut.face.glyph, run.text) if glyph]
    divided = None
    for place in word.hyphens:
        hyphen = glyphs[place - 1].cut.face.glyph("-")
        assert hyphen is not None
        head = _joined(letters[:place] + "-", [*glyphs[:place], hyphen])
        if head.width > room:
            break
        divided = head, place
    if divided is None:
        return None
    head, place = divided
    later = tuple(each - place for each in word.hyphens if each > place)
    return head, _joined(letters[place:], glyphs[place:], later)


class Surface(Protocol):
    """What text is drawn on."""

    def font_name(self, cut: Cut) -> str:
        """The name by which a page asks for a font, "/T1"."""
        ...

    def addLiteral(self, s: str) -> None:  # noqa: N802  # ReportLab's name
        """Adds operators to the page, a byte a letter."""
        ...


def draw_lines(
    canvas: Surface,
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
    written = ["BT"]
    codes: list[str] = []
    cut = None
    size, leading = style.size, style.leading
    before, down = 0.0, top - (leading + CAPITALS * size) / 2
    for line in lines:
        if codes:
            written.append(f"({''.join(codes)}) Tj")
            codes.clear()
        left = x + align * (measure - line.width * size)
        written.append(f"{fp_str(left - before, down)} Td")
        before, down = left, -leading
        for word in line.words:
            for run in word.runs:
                if run.cut is not cut:
                    if codes:
                        written.append(f"({''.join(codes)}) Tj")
                        codes.clear()
                    cut = run.cut
                    written.append(f"{canvas.font_name(cut)} {fp_str(size)} Tf")
                codes.append(run.code)
            # The space between two words, and after the last word of a line that goes on, is real:
            # whoever copies the text out gets it.
            codes.append(fonts.SPACE)
    if last := "".join(codes[:-1]):
        written.append(f"({last}) Tj")
    written.append("ET")
    canvas.addLiteral(" ".join(written))


def draw_word(canvas: Surface, word: Word, size: float, x: float, y: float) -> None:
    """Sets a word, or anything that is set like one, with the start of its base line at x, y."""
    draw_lines(canvas, [Line((word,), word.width)], Style(size, 0), x, y + CAPITALS * size / 2)
