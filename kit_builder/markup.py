"""Reading the elements of a layout: their attributes, and their text in lines.

Whatever is wrong in them is said at the place it was written: a template's line, or the line of
the author's file that a text came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from kit_builder import formats, units
from kit_builder.document import Element
from kit_builder.errors import KitError, Text, fault, halves
from kit_builder.typography import Line, Span, Style, TooWideError, break_lines, words

_WHITE = re.compile(r"[ \t\r\n]+")
_FOLDS = re.compile(r"[\t\r\n]|  ")
_BOLD = ("b", "em")
_INLINE = dict.fromkeys((*_BOLD, "br"))

Value = TypeVar("Value")

# Of rows or boxes; a layout that asks for more has slipped.
MOST = 1000


def attributes(element: Element, *names: str) -> Mapping[str, Text]:
    """The attributes of an element, all of which are known; one that ends in "?" may be missing.

    Raises:
        KitError: an unknown attribute, a missing one, or an empty "alt".
    """
    known, said = _known(names), element.attributes
    for name in said:
        if name not in known:
            raise fault(
                element.location,
                f'<{element.tag}> has no attribute "{name}"',
                formats.suggestion(name, known) if known else "leave it out",
            )
    for name, needed in known.items():
        lacking = needed if name not in said else name == "alt" and not said[name].strip()
        if lacking:
            raise fault(
                element.location,
                f'<{element.tag}> lacks the attribute "{name}"',
                f'write {name}="..."',
            )
    return said


@lru_cache(maxsize=128)
def _known(names: tuple[str, ...]) -> Mapping[str, bool]:
    """The names of attributes, and whether each is needed."""
    return {name.rstrip("?"): not name.endswith("?") for name in names}


def children(element: Element, *tags: str) -> list[Element]:
    """The elements in an element: all of them are `tags`, and there is at least one.

    Raises:
        KitError: another element, text between them, or nothing.
    """
    found = list(element.elements())
    for child in found:
        if child.tag not in tags:
            raise unknown(child, dict.fromkeys(tags))
    if not found:
        raise fault(element.location, f"<{element.tag}> is empty", f"put <{tags[0]}> into it")
    return found


def unknown(element: Element, known: Mapping[str, object]) -> KitError:
    """The fault that an element is none of those known here."""
    return fault(
        element.location,
        f"there is no element <{element.tag}> here",
        formats.suggestion(element.tag, known),
    )


def converted(text: Text, convert: Callable[[str], Value]) -> Value:
    """An attribute's value.

    Raises:
        KitError: `convert` raised ValueError("what is wrong; what to write instead").
    """
    try:
        return convert(text)
    except ValueError as error:
        raise fault(text.location, *halves(error)) from None


def whole_number(text: str) -> int:
    """A whole number.

    Raises:
        ValueError: anything but digits.
    """
    if not text.isdecimal():
        raise ValueError(f'"{text}" is not a whole number; write digits only')
    return int(text)


def how_many(text: str) -> int:
    """How many rows or boxes there are.

    Raises:
        ValueError: none, or more than anyone can mean.
    """
    number = whole_number(text)
    if not 1 <= number <= MOST:
        raise ValueError(f'"{text}" is not from 1 to {MOST}; write how many there are')
    return number


def positive(text: str) -> float:
    """A number above 0.

    Raises:
        ValueError: anything else.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise ValueError(f'"{text}" is not a number above 0; write one, such as 1.5')
    return number


def side(text: str) -> float:
    """A length above 0, in points.

    Raises:
        ValueError: anything else.
    """
    points = units.length(text)
    if points <= 0:
        raise ValueError(f'"{text}" is not a length above 0; write one, such as "5 mm"')
    return points


def yes_or_no(text: str) -> bool:
    """Whether it is "yes".

    Raises:
        ValueError: neither "yes" nor "no".
    """
    if text not in ("yes", "no"):
        raise ValueError(f'"{text}" is neither yes nor no; write one of the two')
    return text == "yes"


def one_of(known: Collection[str], kind: str) -> Callable[[str], str]:
    """A conversion that lets only the words of `known` pass.

    Raises:
        ValueError: the conversion does, for another word.
    """

    def check(text: str) -> str:
        if text not in known:
            raise ValueError(f'unknown {kind} "{text}"; {formats.suggestion(text, known)}')
        return text

    return check


def spans(element: Element, bold: bool = False) -> Iterator[Span]:
    """The text in an element, white space folded as in HTML.

    Raises:
        KitError: there is an element in it that is neither bold text nor a line break.
    """
    for child in element.children:
        if isinstance(child, Text):
            if _FOLDS.search(child):
                child = Text(_WHITE.sub(" ", child), child.location)
            yield Span(child, bold)
        elif child.tag in _BOLD:
            attributes(child)
            yield from spans(child, True)
        elif child.tag == "br":
            yield Span(Text("\n", child.location), bold)
        else:
            raise unknown(child, _INLINE)


def too_wide(error: TooWideError, element: Element, size: float, room: str) -> KitError:
    """The user's error it is when a word of `element` is too wide for its `room`."""
    pieces = (span.text for span in spans(element) if error.word in span.text)
    found = next((piece for piece in pieces if isinstance(piece, Text)), element.text)
    return fault(
        found.location.of(error.word),
        f'"{error.word}" is {units.in_mm(error.excess)} mm too wide for {room} at {size:g} pt',
        "shorten the word, or make two words of it",
    )


def set_lines(
    element: Element, measure: float, style: Style, room: str, bold: bool = False
) -> tuple[Line, ...]:
    """The text of an element in lines of `measure` points; `room` says what they stand in.

    Raises:
        KitError: a word is wider than the measure.
    """
    try:
        return _lines(tuple(spans(element, bold or style.bold)), measure, style.size)
    except TooWideError as error:
        raise too_wide(error, element, style.size, room) from None


def set_label(text: str, style: Style) -> Line:
    """A short text on one line of its own, as wide as it is.

    Raises:
        KitError: no font has one of its characters.
    """
    return _lines((Span(text, style.bold),), float("inf"), style.size)[0]


# The rules stand in both editions of a kit, its pages in every class set, figures everywhere.
@lru_cache(maxsize=1024)
def _lines(text: tuple[Span, ...], measure: float, size: float) -> tuple[Line, ...]:
    return tuple(break_lines(words(text), measure, size))
