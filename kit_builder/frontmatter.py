"""Front matter: the cover and the contents of a booklet, set like the pages of a kit.

Lengths in points, origin at the lower left corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

from kit_builder import banner, makeup, marks
from kit_builder.errors import Text, fault, halves
from kit_builder.grids import Box
from kit_builder.marks import CUT_GREY
from kit_builder.markup import set_label
from kit_builder.printing import Printing
from kit_builder.structure import Element
from kit_builder.tagging import Duplex, TaggedCanvas
from kit_builder.typography import (
    LARGE,
    NORMAL,
    RULE,
    Line,
    Span,
    Style,
    TooWideError,
    break_lines,
    draw_lines,
    words,
)
from kit_builder.units import MM, in_mm

_SEPARATOR = " · "
_HEIGHT = 0.3  # of the cover's title, from the top of its text, in parts of its height
_RULE = 1.6 * MM
_GAP = 4 * MM
_ENTRY_GAP = 3 * MM
_NUMBER = "0000"


@dataclass(frozen=True, slots=True)
class Wording:
    """What the front matter says.

    Attributes:
        language: a language tag.
        school, date: on the cover if they are not "".
        banner: the words in the heavy frame of a host booklet's pages; "" for players.
        words: the labels "contents", "page" and "print-at".
    """

    title: str
    language: str
    words: Mapping[str, Text]
    school: str = ""
    date: str = ""
    banner: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the contents.

    Attributes:
        note: what stands below it, such as what of it is printed apart; or "".
    """

    title: str
    note: str = ""


class Target(NamedTuple):
    """Where the contents lead to an entry: a page of the front matter, from 0, and a box there."""

    page: int
    box: Box


class _Set(NamedTuple):
    """An entry in lines."""

    title: tuple[Line, ...]
    note: tuple[Line, ...]
    height: float


class FrontMatter:
    """Cover and contents, in lines; `pages` of them are printed by `pdf`.

    Raises:
        KitError: a character that no font has, or a word that is wider than a page.
    """

    def __init__(self, wording: Wording, entries: Sequence[Entry], printing: Printing) -> None:
        self._wording = wording
        self._printing = printing
        self._styles = LARGE if printing.large else NORMAL
        self._box = makeup.text_box(printing, banner=bool(wording.banner))
        self._measure = self._box.right - self._box.left
        self._cover = [
            (_lines(text, self._measure, style), style)
            for text, style in (
                (wording.title, _larger(self._styles.title)),
                (wording.school, self._styles.h1),
                (wording.date, self._styles.h2),
            )
            if text
        ]
        self._head = _lines(wording.words["contents"], self._measure, self._styles.title)
        self._contents = list(self._filled([self._entry(each) for each in entries]))

    @property
    def pages(self) -> int:
        """The cover, its blank back, and the contents."""
        return 2 + len(self._contents)

    def _entry(self, entry: Entry) -> _Set:
        style, small = self._styles.p, self._styles.small
        room = self._measure - set_label(_NUMBER, style).width * style.size
        title = _lines(entry.title, room, style)
        note = _lines(entry.note, room, small) if entry.note else ()
        height = len(title) * style.leading + len(note) * small.leading + _ENTRY_GAP
        return _Set(title, note, height)

    def _filled(self, entries: Sequence[_Set]) -> Iterator[list[_Set]]:
        """The entries of each page, the heading above the first ones."""
        style = self._styles.title
        room = self._box.top - self._box.bottom
        left = room - len(self._head) * style.leading - _GAP
        page: list[_Set] = []
        for entry in entries:
            if page and entry.height > left:
                yield page
                page, left = [], room
            page.append(entry)
            left -= entry.height
        yield page

    def pdf(
        self, numbers: Sequence[int], total: int, duplex: Duplex
    ) -> tuple[bytes, tuple[Target, ...]]:
        """The front matter as a finished PDF, and where each entry stands in it.

        Args:
            numbers: the page on which each entry starts, from 1.
            total: how many pages the booklet has.
            duplex: what a print dialogue is to preselect.

        Raises:
            KitError: the paper has no room for the imprint.
        """
        file = BytesIO()
        paper = self._printing.paper
        root = Element("Document")
        wording = self._wording
        canvas = TaggedCanvas(
            file,
            (paper.width, paper.height),
            root,
            language=wording.language,
            title=wording.title,
            duplex=duplex,
        )
        self._draw_cover(canvas, root.add("Part", title=wording.title))
        self._end(canvas, 1, total)
        canvas.showPage()
        contents = root.add("Part", title=wording.words["contents"])
        targets: list[Target] = []
        with_heading = True
        waiting = iter(numbers)
        for number, page in enumerate(self._contents, start=3):
            top = self._box.top
            if with_heading:
                with canvas.marked(contents.add("H1")):
                    draw_lines(canvas, self._head, self._styles.title, self._box.left, top)
                top -= len(self._head) * self._styles.title.leading + _GAP
                listed = contents.add("TOC")
                with_heading = False
            for entry in page:
                self._draw_entry(canvas, listed, entry, top, next(waiting))
                box = Box(self._box.left, top - entry.height + _ENTRY_GAP, self._box.right, top)
                targets.append(Target(number - 1, box))
                top -= entry.height
            self._end(canvas, number, total)
        canvas.save()
        return file.getvalue(), tuple(targets)

    def _draw_cover(self, canvas: TaggedCanvas, part: Element) -> None:
        top = self._box.top - _HEIGHT * (self._box.top - self._box.bottom)
        for number, (lines, style) in enumerate(self._cover):
            with canvas.marked(part.add("P" if number else "H1")):
                draw_lines(canvas, lines, style, self._box.left, top)
            top -= len(lines) * style.leading + _GAP
            if not number:
                canvas.rect(self._box.left, top, self._measure, _RULE, stroke=0, fill=1)
                top -= 2 * _GAP

    def _draw_entry(
        self, canvas: TaggedCanvas, listed: Element, entry: _Set, top: float, page: int
    ) -> None:
        """Title and page number as the link they are, and the note below."""
        style, left = self._styles.p, self._box.left
        item = listed.add("TOCI")
        link = item.add("Reference").add("Link")
        with canvas.marked(link):
            draw_lines(canvas, entry.title, style, left, top)
        top -= (len(entry.title) - 1) * style.leading
        with canvas.marked(link):
            number = [set_label(str(page), style)]
            draw_lines(canvas, number, style, left, top, measure=self._measure, align=1)
        bottom = top - entry.height + _ENTRY_GAP / 2 + (len(entry.title) - 1) * style.leading
        canvas.setLineWidth(RULE)  # leads the eye from the title to its number
        canvas.setStrokeGray(CUT_GREY)
        canvas.line(left, bottom, left + self._measure, bottom)
        canvas.setStrokeGray(0)
        if entry.note:
            with canvas.marked(item.add("P")):
                draw_lines(canvas, entry.note, self._styles.small, left, top - style.leading)

    def _end(self, canvas: TaggedCanvas, number: int, total: int) -> None:
        """The frame of a host page, the imprint, and the next page."""
        edge = (
            banner.draw(canvas, self._wording.banner, self._box)
            if self._wording.banner
            else self._box
        )
        paper, labels = self._printing.paper, self._wording.words
        page = labels["page"].replace("{page}", str(number)).replace("{pages}", str(total))
        try:
            imprint = marks.imprint(
                paper.width,
                paper.height,
                edge,
                self._wording.title,
                _SEPARATOR.join((page, paper.name, labels["print-at"])),
                inches=paper.inches,
                size=self._styles.imprint.size,
                smallest=self._styles.least_imprint,
                margin=self._printing.margin,
            )
        except ValueError as error:
            raise fault(None, *halves(error)) from None
        marks.draw_imprint(canvas, imprint)
        canvas.showPage()


def _larger(style: Style) -> Style:
    return Style(1.3 * style.size, 1.3 * style.leading, style.bold)


def _lines(text: str, measure: float, style: Style) -> tuple[Line, ...]:
    try:
        return tuple(break_lines(words([Span(text, style.bold)]), measure, style.size))
    except TooWideError as error:
        raise fault(
            getattr(text, "location", None),
            f'"{error.word}" is {in_mm(error.excess)} mm too wide for the page'
            f" at {style.size:g} pt",
            "shorten the word, or make two words of it",
        ) from None
