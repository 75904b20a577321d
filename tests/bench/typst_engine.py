"""Typst, as fast as it goes: one compiler and its fonts for all kits, only the data are new.

Its PDFs are tagged, which is what Typst does by itself.
"""

from __future__ import annotations

import importlib
import json
from functools import cached_property
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

from kit_builder import resources
from tests.bench import kits
from tests.bench.kits import A4, Kit, Type

_SOURCE = Template("""
#let kit = json(bytes(sys.inputs.kit))
#set document(title: kit.title, date: none)
#set page(width: ${width}pt, height: ${height}pt, margin: (
  left: ${side}pt, right: ${right}pt, top: ${head}pt, bottom: ${foot}pt,
))
#set text(font: "Andika", size: ${body}pt, lang: "ca", hyphenate: false, top-edge: 0.8em,
  bottom-edge: -0.2em)
#set par(justify: false, leading: ${between}pt, spacing: ${between}pt + 4pt)
#show heading.where(level: 1): set text(size: ${title}pt)
#show heading.where(level: 2): set text(size: ${heading}pt)

#let sections(of) = for section in of {
  heading(level: 2, section.heading)
  for paragraph in section.paras {
    par(paragraph.map(run => if run.b { strong(run.t) } else { run.t }).join())
  }
}

#let shape(symbol, size) = {
  if symbol == "○" { circle(radius: size / 2, fill: black) }
  else if symbol == "□" { square(size: size, fill: black) }
  else if symbol == "△" { polygon(fill: black, (0pt, size), (size, size), (size / 2, 0pt)) }
  else { box(width: size, height: size, {
    place(line(start: (0pt, 0pt), end: (size, size), stroke: size / 5))
    place(line(start: (0pt, size), end: (size, 0pt), stroke: size / 5))
  }) }
}

#let corner(card) = box(width: ${small}pt, align(center, stack(
  spacing: 3pt, text(size: ${rank}pt, weight: "bold", card.rank), shape(card.sym, ${small}pt),
)))

#let face(card) = box(width: ${card_width}pt, height: ${card_height}pt, {
  place(top + left, dx: ${corner}pt, dy: ${corner}pt, corner(card))
  place(bottom + right, dx: -${corner}pt, dy: -${corner}pt, rotate(180deg, corner(card)))
  place(center + horizon, shape(card.sym, ${large}pt))
  place(center + bottom, dy: -12mm, text(size: ${label}pt, weight: "bold", card.cap))
})

#let sheet(cards) = page(margin: 0pt, {
  for (place-on, card) in cards.enumerate() {
    place(top + left,
      dx: ${left}pt + calc.rem(place-on, ${across}) * ${card_width}pt,
      dy: ${above}pt + calc.quo(place-on, ${across}) * ${card_height}pt,
      face(card))
  }
  for (x, y, to-x, to-y) in json(bytes(sys.inputs.cuts)) {
    place(top + left, line(
      start: (x * 1pt, y * 1pt), end: (to-x * 1pt, to-y * 1pt), stroke: 0.15mm))
  }
})

#let tick(name) = box(width: ${tick}pt + 22pt, {
  box(width: ${tick}pt, height: ${tick}pt, stroke: 0.5pt)
  h(3pt)
  name
})

#if sys.inputs.host == "yes" {
  heading(level: 1, kit.title)
  sections(kit.host)
} else {
  heading(level: 1, kit.title)
  sections(kit.sections)
  for cards in kit.cards.chunks(calc.pow(${across}, 2)) { sheet(cards) }
  heading(level: 1, kit.title)
  set text(size: 12pt)
  table(
    columns: (${columns}), rows: ${row}pt, inset: (x: 6pt, y: 0pt), align: left + horizon,
    stroke: 0.5pt,
    table.header(..kit.record.columns.map(strong)),
    ..kit.record.rows.map(row => (
      ..row.slice(0, -1), row.last().split(" ").map(tick).join(),
    )).flatten(),
  )
}
""")


class Typst:
    """Typst with one way to set text."""

    def __init__(self, kind: Type) -> None:
        self._type = kind

    def setup(self) -> None:
        """Starts the compiler.

        Raises:
            ImportError: Typst is not installed.
        """
        assert self._compiler

    def prep(self, kit: Kit) -> Kit:
        """The kit as it is: Typst reads JSON."""
        return kit

    def make(self, kit: Kit) -> tuple[bytes, bytes]:
        """Both PDFs."""
        inputs = {"kit": json.dumps(kit, ensure_ascii=False), "cuts": self._cuts}
        player, host = (
            self._compiler.compile(format="pdf", sys_inputs={**inputs, "host": host})
            for host in ("no", "yes")
        )
        return player, host

    @cached_property
    def _cuts(self) -> str:
        lines = [
            (x, A4.height - y, end, A4.height - y_end) for x, y, end, y_end in kits.cut_lines()
        ]
        return json.dumps(lines)

    @cached_property
    def _compiler(self) -> Any:
        typst: Any = importlib.import_module("typst")
        kind = self._type
        left, bottom = kits.block_origin()
        source = _SOURCE.substitute(
            width=A4.width,
            height=A4.height,
            side=kind.side,
            right=A4.width - kind.side - kind.measure,
            head=kind.head,
            foot=kind.foot,
            body=kind.body,
            between=kind.leading - kind.body,
            heading=kind.heading,
            title=kind.title,
            rank=kits.RANK_SIZE,
            small=kits.SMALL_SHAPE,
            label=kits.LABEL_SIZE,
            large=kits.LARGE_SHAPE,
            corner=kits.CORNER,
            across=kits.ACROSS,
            card_width=kits.CARD_WIDTH,
            card_height=kits.CARD_HEIGHT,
            left=left,
            above=bottom,
            tick=kits.TICK,
            row=kits.ROW,
            columns=", ".join(f"{width}pt" for width in kits.COLUMNS),
        )
        fonts = typst.Fonts(
            include_system_fonts=False,
            include_embedded_fonts=False,
            font_paths=[str(resources.folder("fonts") / "andika")],
        )
        # The folder is kept as long as the compiler, which reads its source from a file.
        self._folder = TemporaryDirectory()
        path = Path(self._folder.name, "kit.typ")
        path.write_text(source, "utf-8")
        return typst.Compiler(str(path), font_paths=fonts)
