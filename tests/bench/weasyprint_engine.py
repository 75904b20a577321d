"""WeasyPrint: HTML and a style sheet, which is parsed once for all kits.

Its PDFs are not tagged, which is what WeasyPrint does by itself, and faster.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import escape
from string import Template
from typing import Any

from kit_builder import resources
from tests.bench import kits
from tests.bench.kits import A4, Card, Kit, Record, Run, Section, Type

_STYLE = Template("""
@font-face { font-family: Andika; src: url($regular) }
@font-face { font-family: Andika; font-weight: bold; src: url($bold) }
@page { size: ${width}pt ${height}pt; margin: ${head}pt 0 ${foot}pt ${side}pt }
@page cards { margin: 0 }
body { font: ${body}pt/${leading}pt Andika; margin: 0; width: ${measure}pt }
h1 { font-size: ${title}pt; line-height: 1.2; margin: 0 0 4pt }
h2 { font-size: ${heading}pt; line-height: 1.2; margin: ${heading}pt 0 4pt }
p { margin: 0 0 4pt }
.sheet { page: cards; position: relative; width: ${width}pt; height: ${height}pt;
  break-before: page; break-after: page }
.sheet > * { position: absolute }
.card { width: ${card_width}pt; height: ${card_height}pt; font-weight: bold; text-align: center }
.card > * { position: absolute }
.corner { width: ${small}pt; font-size: ${rank}pt; line-height: 1.1; top: ${corner}pt;
  left: ${corner}pt }
.down { top: auto; left: auto; bottom: ${corner}pt; right: ${corner}pt; transform: rotate(180deg) }
.corner svg { width: ${small}pt; height: ${small}pt; display: block }
.large { width: ${large}pt; height: ${large}pt; left: ${large_left}pt; top: ${large_top}pt }
.label { left: 0; right: 0; bottom: 12mm; font-size: ${label}pt; line-height: 1.2 }
.cut { border: solid black; border-width: 0.15mm 0 0 0.15mm }
table { border-collapse: collapse; font-size: 12pt; width: ${table}pt }
td, th { border: 0.5pt solid; height: ${row}pt; padding: 0 6pt; text-align: left;
  line-height: 1.2; box-sizing: border-box }
.tick { display: inline-block; width: ${tick}pt; height: ${tick}pt; border: 0.5pt solid;
  margin-right: 3pt }
""")

_SHAPES = {
    "○": '<circle cx="50" cy="50" r="50"/>',
    "□": '<rect width="100" height="100"/>',
    "△": '<path d="M0 100H100L50 0Z"/>',
    "✕": '<path d="M0 0L100 100M0 100L100 0" stroke="black" stroke-width="20"/>',
}


class WeasyPrint:
    """WeasyPrint with one way to set text."""

    def __init__(self, kind: Type) -> None:
        self._type = kind

    def setup(self) -> None:
        """Parses the style sheet.

        Raises:
            ImportError: WeasyPrint is not installed.
            OSError: Pango is not.
        """
        assert self._sheet

    def prep(self, kit: Kit) -> tuple[str, str]:
        """A kit as HTML."""
        player = "".join(
            [
                _sections(kit["title"], kit["sections"]),
                *_sheets(kit["cards"]),
                _record(kit["title"], kit["record"]),
            ]
        )
        host = _sections(kit["title"], kit["host"])
        return _page(kit["title"], player), _page(kit["title"], host)

    def make(self, pages: tuple[str, str]) -> tuple[bytes, bytes]:
        """Both PDFs."""
        sheet, fonts = self._sheet, self._fonts
        player, host = (
            self._library.HTML(string=page).write_pdf(stylesheets=[sheet], font_config=fonts)
            for page in pages
        )
        return player, host

    @cached_property
    def _library(self) -> Any:
        return importlib.import_module("weasyprint")

    @cached_property
    def _fonts(self) -> Any:
        return importlib.import_module("weasyprint.text.fonts").FontConfiguration()

    @cached_property
    def _sheet(self) -> Any:
        kind = self._type
        fonts = resources.folder("fonts") / "andika"
        style = _STYLE.substitute(
            regular=(fonts / "Andika-Regular.ttf").resolve().as_uri(),
            bold=(fonts / "Andika-Bold.ttf").resolve().as_uri(),
            width=A4.width,
            height=A4.height,
            side=kind.side,
            measure=kind.measure,
            head=kind.head,
            foot=kind.foot,
            body=kind.body,
            leading=kind.leading,
            heading=kind.heading,
            title=kind.title,
            card_width=kits.CARD_WIDTH,
            card_height=kits.CARD_HEIGHT,
            corner=kits.CORNER,
            rank=kits.RANK_SIZE,
            small=kits.SMALL_SHAPE,
            label=kits.LABEL_SIZE,
            large=kits.LARGE_SHAPE,
            large_left=(kits.CARD_WIDTH - kits.LARGE_SHAPE) / 2,
            large_top=(kits.CARD_HEIGHT - kits.LARGE_SHAPE) / 2,
            table=sum(kits.COLUMNS),
            row=kits.ROW,
            tick=kits.TICK,
        )
        return self._library.CSS(string=style, font_config=self._fonts)


def _page(title: str, body: str) -> str:
    head = f"<head><title>{escape(title)}</title></head>"
    return f"<!DOCTYPE html><html lang=ca>{head}<body>{body}</body></html>"


def _sections(title: str, sections: Sequence[Section]) -> str:
    made = [f"<h1>{escape(title)}</h1>"]
    for section in sections:
        made.append(f"<h2>{escape(section['heading'])}</h2>")
        made += (f"<p>{''.join(map(_run, paragraph))}</p>" for paragraph in section["paras"])
    return "".join(made)


def _run(run: Run) -> str:
    return f"<b>{escape(run['t'])}</b>" if run["b"] else escape(run["t"])


def _sheets(cards: Sequence[Card]) -> Iterator[str]:
    left, bottom = kits.block_origin()
    for first in range(0, len(cards), kits.ACROSS**2):
        yield "<div class=sheet>"
        for place, card in enumerate(cards[first : first + kits.ACROSS**2]):
            row, column = divmod(place, kits.ACROSS)
            x, y = left + column * kits.CARD_WIDTH, bottom + row * kits.CARD_HEIGHT
            yield f'<div class=card style="left:{x}pt;top:{y}pt">{_face(card)}</div>'
        for x, y, to_x, to_y in kits.cut_lines():
            size = f"width:{to_x - x}pt;height:{to_y - y}pt"
            yield f'<div class=cut style="left:{x}pt;top:{A4.height - to_y}pt;{size}"></div>'
        yield "</div>"


def _face(card: Card) -> str:
    def shape(name: str) -> str:
        drawn = _SHAPES[card["sym"]]
        return f'<svg class={name} viewBox="0 0 100 100">{drawn}</svg>'

    corner = escape(card["rank"]) + shape("small")
    return (
        f'<div class=corner>{corner}</div><div class="corner down">{corner}</div>'
        f"{shape('large')}<div class=label>{escape(card['cap'])}</div>"
    )


def _record(title: str, record: Record) -> str:
    made = [f"<h1>{escape(title)}</h1><table><thead><tr>"]
    for name, width in zip(record["columns"], kits.COLUMNS, strict=True):
        made.append(f'<th style="width:{width}pt">{escape(name)}</th>')
    made.append("</tr></thead>")
    for row in record["rows"]:
        cells = [escape(cell) for cell in row[:-1]]
        cells.append(" ".join(f"<span class=tick></span>{name}" for name in row[-1].split()))
        made.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return "".join([*made, "</table>"])
