"""The practical limit: a bare ReportLab canvas, with all text wrapped and placed beforehand.

`make` does nothing but draw. There are no tags, no rulers, no captions, and nothing is checked.
Lengths in points, origin at the lower left corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from kit_builder import resources
from kit_builder.units import MM
from tests.bench import kits
from tests.bench.kits import A4, Card, Kit, Record, Run, Section, Type

_STOCK = {"Floor": "andika/Andika-Regular.ttf", "Floor-Bold": "andika/Andika-Bold.ttf"}
_PAGE = (A4.width, A4.height)
_GAP = 4.0  # between two paragraphs
_PADDING = 6.0  # of a cell
_CELL_SIZE = 12.0


class Piece(NamedTuple):
    """Characters of one font."""

    font: str
    text: str


class Lines(NamedTuple):
    """Lines below each other; y is the baseline of the first."""

    x: float
    y: float
    size: float
    leading: float
    lines: Sequence[Sequence[Piece]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A kit, placed: what stands on each page of text, and all that is not running text."""

    title: str
    rules: Sequence[Sequence[Lines]]
    cards: Sequence[Card]
    record: Record
    host: Sequence[Sequence[Lines]]


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor with one way to set text."""

    type: Type

    @property
    def fonts(self) -> tuple[str, str]:
        """Regular and bold."""
        regular, bold = _STOCK
        return regular, bold

    def setup(self) -> None:
        """Registers the fonts; all canvases of this process leave out what ASCII costs."""
        rl_config.invariant = 1
        rl_config.useA85 = 0
        folder = resources.folder("fonts")
        for name, path in _STOCK.items():
            pdfmetrics.registerFont(TTFont(name, str(folder / path)))

    def prep(self, kit: Kit) -> Placed:
        """All that can be known before anything is drawn."""
        rules, host = (
            list(self._pages(kit["title"], sections)) for sections in (kit["sections"], kit["host"])
        )
        return Placed(kit["title"], rules, kit["cards"], kit["record"], host)

    def make(self, placed: Placed) -> tuple[bytes, bytes]:
        """Both PDFs."""
        player = BytesIO()
        canvas = self._canvas(player, placed.title)
        self._draw_texts(canvas, placed.rules)
        sheet = kits.ACROSS**2
        for first in range(0, len(placed.cards), sheet):
            self._draw_sheet(canvas, placed.cards[first : first + sheet])
            canvas.showPage()
        self._draw_record(canvas, placed.title, placed.record)
        canvas.showPage()
        canvas.save()
        host = BytesIO()
        canvas = self._canvas(host, placed.title)
        self._draw_texts(canvas, placed.host)
        canvas.save()
        return player.getvalue(), host.getvalue()

    def _canvas(self, file: BytesIO, title: str) -> Canvas:
        canvas = Canvas(file, pagesize=_PAGE, initialFontName=self.fonts[0])
        canvas.setTitle(title)
        return canvas

    def _pages(self, title: str, sections: Sequence[Section]) -> Iterator[list[Lines]]:
        """Pages filled from the top; a paragraph that does not fit goes on over the page."""
        kind, bold = self.type, self.fonts[1]
        y = A4.height - kind.head - kind.title
        page = [Lines(kind.side, y, kind.title, kind.title, [[Piece(bold, title)]])]
        for section in sections:
            heading = [[Piece(bold, section["heading"])]]
            y -= 2 * kind.heading
            if y - _GAP - 2 * kind.leading < kind.foot:
                yield page
                page, y = [], A4.height - kind.head - kind.heading
            page.append(Lines(kind.side, y, kind.heading, kind.heading, heading))
            y -= _GAP
            for paragraph in section["paras"]:
                lines = self.wrapped(paragraph)
                while lines:
                    room = int((y - kind.foot) // kind.leading)
                    if room < 1:
                        yield page
                        page, y = [], A4.height - kind.head
                        continue
                    here, lines = lines[:room], lines[room:]
                    first = y - kind.leading
                    page.append(Lines(kind.side, first, kind.body, kind.leading, here))
                    y -= len(here) * kind.leading
                y -= _GAP
        yield page

    def wrapped(self, paragraph: Sequence[Run]) -> list[list[Piece]]:
        """The lines of a paragraph, each with as many words as fit."""
        size, measure = self.type.body, self.type.measure
        space = stringWidth(" ", self.fonts[0], size)
        lines: list[list[Piece]] = [[]]
        filled = 0.0
        for run in paragraph:
            font = self.fonts[run["b"]]
            for word in run["t"].split():
                width = stringWidth(word, font, size)
                if lines[-1] and filled + space + width > measure:
                    lines.append([])
                filled = filled + space + width if lines[-1] else width
                lines[-1].append(Piece(font, word))
        return [_joined(line) for line in lines]

    def _draw_texts(self, canvas: Canvas, pages: Sequence[Sequence[Lines]]) -> None:
        for page in pages:
            for block in page:
                text = canvas.beginText(block.x, block.y)
                font = ""
                for line in block.lines:
                    for piece in line:
                        if piece.font != font:
                            font = piece.font
                            text.setFont(font, block.size, block.leading)
                        text.textOut(piece.text)
                    text.textLine()
                canvas.drawText(text)
            canvas.showPage()

    def _draw_sheet(self, canvas: Canvas, cards: Sequence[Card]) -> None:
        left, bottom = kits.block_origin()
        for place, card in enumerate(cards):
            row, column = divmod(place, kits.ACROSS)
            x = left + column * kits.CARD_WIDTH
            self._draw_card(canvas, card, x, bottom + (kits.ACROSS - 1 - row) * kits.CARD_HEIGHT)
        canvas.setLineWidth(0.15 * MM)
        canvas.lines(kits.cut_lines())

    def _draw_card(self, canvas: Canvas, card: Card, x: float, y: float) -> None:
        bold = self.fonts[1]
        corner = kits.CORNER + kits.SMALL_SHAPE / 2
        for upside_down in (False, True):
            canvas.saveState()
            if upside_down:
                canvas.translate(x + kits.CARD_WIDTH, y + kits.CARD_HEIGHT)
                canvas.rotate(180)
            else:
                canvas.translate(x, y)
            top = kits.CARD_HEIGHT - kits.CORNER - kits.RANK_SIZE
            canvas.setFont(bold, kits.RANK_SIZE)
            canvas.drawCentredString(corner, top, card["rank"])
            _draw_shape(canvas, card["sym"], corner, top - kits.SMALL_SHAPE, kits.SMALL_SHAPE)
            canvas.restoreState()
        centre, middle = x + kits.CARD_WIDTH / 2, y + kits.CARD_HEIGHT / 2
        _draw_shape(canvas, card["sym"], centre, middle, kits.LARGE_SHAPE)
        canvas.setFont(bold, kits.LABEL_SIZE)
        canvas.drawCentredString(centre, middle - 0.75 * kits.LARGE_SHAPE, card["cap"])

    def _draw_record(self, canvas: Canvas, title: str, record: Record) -> None:
        regular, bold = self.fonts
        kind = self.type
        y = A4.height - kind.head - kind.title
        canvas.setFont(bold, kind.title)
        canvas.drawString(kind.side, y, title)
        xs = [kind.side]
        for width in kits.COLUMNS:
            xs.append(xs[-1] + width)
        ys = [y - _GAP - row * kits.ROW for row in range(len(record["rows"]) + 2)]
        canvas.setLineWidth(0.5)
        canvas.grid(xs, ys)
        for row, cells in enumerate((record["columns"], *record["rows"])):
            canvas.setFont(regular if row else bold, _CELL_SIZE)
            baseline = ys[row + 1] + (kits.ROW - _CELL_SIZE) / 2 + 2
            for x, cell in zip(xs, cells[:-1] if row else cells, strict=False):
                if cell:
                    canvas.drawString(x + _PADDING, baseline, cell)
            for place, name in enumerate(cells[-1].split() if row else ()):
                x = xs[3] + _PADDING + place * (kits.TICK + 22)
                canvas.rect(x, baseline, kits.TICK, kits.TICK)
                canvas.drawString(x + kits.TICK + 3, baseline, name)


def _joined(words: Sequence[Piece]) -> list[Piece]:
    """Words of one font as one piece, each piece but the last with the space after it."""
    pieces = [
        Piece(font, " ".join(word.text for word in group))
        for font, group in groupby(words, itemgetter(0))
    ]
    return [*(Piece(each.font, each.text + " ") for each in pieces[:-1]), pieces[-1]]


def _draw_shape(canvas: Canvas, symbol: str, x: float, y: float, size: float) -> None:
    """One of kits.SYMBOLS, filled; x, y is its centre."""
    half = size / 2
    if symbol == "○":
        canvas.circle(x, y, half, stroke=0, fill=1)
    elif symbol == "□":
        canvas.rect(x - half, y - half, size, size, stroke=0, fill=1)
    elif symbol == "△":
        path = canvas.beginPath()
        path.moveTo(x - half, y - half)
        path.lineTo(x + half, y - half)
        path.lineTo(x, y + half)
        path.close()
        canvas.drawPath(path, stroke=0, fill=1)
    else:
        canvas.setLineWidth(size / 5)
        canvas.line(x - half, y - half, x + half, y + half)
        canvas.line(x - half, y + half, x + half, y - half)
