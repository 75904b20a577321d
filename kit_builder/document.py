"""The markup a layout makes: elements with attributes and text, each of which knows its place.

A layout writes XML. Two things are woven into it on the way, so that any later fault names the
line that has to be changed: every text of the author's file is enclosed in two marks that say
where it was written, and every element carries the template line it comes from. Here they are
taken out again and become the `location` of texts and elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from kit_builder.errors import KitError, Location, Source, Text, fault

# Noncharacters (Unicode 23.7): allowed in XML, refused in authors' files, so they cannot collide.
_OPEN, _NUMBER_END, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_ONE_MARK = re.compile(f"{_OPEN}([0-9]+){_NUMBER_END}([^{_OPEN}{_NUMBER_END}{_CLOSE}]+){_CLOSE}")
PLACE_ATTRIBUTE = "at"


def mark(markup: str, number: int) -> str:
    """Encloses escaped text in marks that say it is the text `number` of the origins (from 0)."""
    return f"{_OPEN}{number}{_NUMBER_END}{markup}{_CLOSE}"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the markup.

    Attributes:
        children: elements and texts in order.
        location: the line of the template it was written in.
    """

    tag: str
    attributes: Mapping[str, Text]
    children: tuple[Element | Text, ...]
    location: Location

    def elements(self) -> Iterator[Element]:
        """The child elements; the white space between them only lays out the template.

        Raises:
            KitError: there is text between them.
        """
        for child in self.children:
            if isinstance(child, Element):
                yield child
            elif child.strip():
                raise fault(
                    child.location,
                    f'text "{child.strip()[:40]}" stands directly in <{self.tag}>',
                    "put it into an element that holds text, such as <p>",
                )

    @property
    def text(self) -> Text:
        """All text in the element, at the place of its first piece."""
        pieces = list(self._pieces())
        place = next((piece.location for piece in pieces if piece.strip()), self.location)
        return Text("".join(pieces).strip(), place)

    def _pieces(self) -> Iterator[Text]:
        for child in self.children:
            if isinstance(child, Text):
                yield child
            else:
                yield from child._pieces()


class _Builder:
    """Collects expat's events into elements."""

    def __init__(self, template: Source, origins: Sequence[Text]) -> None:
        self._origins = origins
        self._sources: dict[str, Source] = {template.path: template}
        self._places: dict[str, Location] = {}
        self._open: list[tuple[str, Mapping[str, Text], list[Element | Text], Location]] = []
        self.place = Location(template)
        self.root: Element | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if written := attributes.pop(PLACE_ATTRIBUTE, ""):
            self.place = self._places.get(written) or self._template_place(written)
        place = self.place
        located = {  # no mark is ASCII
            name: Text(value, place) if value.isascii() else self._attribute(value)
            for name, value in attributes.items()
        }
        self._open.append((tag, located, [], place))

    def end(self, _tag: str) -> None:
        tag, attributes, children, place = self._open.pop()
        element = Element(tag, attributes, tuple(children), place)
        if self._open:
            self._open[-1][2].append(element)
        else:
            self.root = element

    def characters(self, data: str) -> None:
        _, _, children, place = self._open[-1]
        if data.isascii():  # such as the white space of a template
            children.append(Text(data, place))
        else:
            children += self._pieces(data, place)

    def _attribute(self, value: str) -> Text:
        place = self.place
        pieces = self._pieces(value, place)
        if len(pieces) == 1:
            return pieces[0]
        origin = next((piece.location for piece in pieces if piece.location is not place), place)
        return Text("".join(pieces), origin)

    def _pieces(self, marked: str, place: Location) -> list[Text]:
        """The pieces of a text without the marks; those that are not the author's are of `place`.

        Raises:
            KitError: a mark is broken.
        """
        one = _ONE_MARK.fullmatch(marked)
        if one and int(one[1]) < len(self._origins):
            return [Text(one[2], self._origins[int(one[1])].location)]
        before, *opened = marked.split(_OPEN)
        if _NUMBER_END in before or _CLOSE in before:
            raise self._broken_mark()
        pieces = [Text(before, place)] if before else []
        places = [place]
        for each in opened:
            number, end, rest = each.partition(_NUMBER_END)
            known = number.isdecimal() and int(number) < len(self._origins)
            if not (known and end) or _NUMBER_END in rest:
                raise self._broken_mark()
            places.append(self._origins[int(number)].location)
            inside, *beyond = rest.split(_CLOSE)
            if inside:
                pieces.append(Text(inside, places[-1]))
            for piece in beyond:
                places.pop()
                if not places:
                    raise self._broken_mark()
                if piece:
                    pieces.append(Text(piece, places[-1]))
        if len(places) > 1:
            raise self._broken_mark()
        return pieces

    def _broken_mark(self) -> KitError:
        return fault(
            self.place,
            "a filter cuts through markup in or after this element",
            "apply it to a text of the activity, not to what a macro or another filter made",
        )

    def _template_place(self, written: str) -> Location:
        path, _, line = written.rpartition(":")
        if not path or not line.isdecimal():
            return self.place
        source = self._sources.setdefault(path, Source(path))
        return self._places.setdefault(written, Location(source, int(line)))


def parse(markup: str, template: str, origins: Sequence[Text]) -> Element:
    """The root element of a rendered layout.

    Args:
        markup: what the layout made, with places woven in.
        template: the layout's name, for faults that stand before its first element.
        origins: the author's texts that `mark` numbered.

    Raises:
        KitError: the markup is not well-formed, or a mark in it is broken.
    """
    builder = _Builder(Source(template), origins)
    parser = expat.ParserCreate()
    parser.buffer_text = True  # a mark must not be cut in two, so the buffer holds any text whole
    parser.buffer_size = 4 * len(markup) + 1
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    try:
        parser.Parse(markup, True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        half = "half a character"  # a surrogate, from an escape such as "\\ud83d" in a template
        reason = expat.errors.messages[error.code] if isinstance(error, expat.ExpatError) else half
        raise fault(
            builder.place,
            f"the markup is broken at or after this element: {reason}",
            "close every element, and write &lt; for < and &amp; for &",
        ) from None
    assert builder.root is not None
    return builder.root
