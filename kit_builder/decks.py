"""Markup of decks -> cards to be ganged: each with its face, its back and its structure elements.

Cards that are printed alike (one size, one way of cutting, one back pattern) come together, so
that they fill sheets together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from kit_builder import faces, formats, patterns, structure
from kit_builder.document import Element
from kit_builder.errors import Fault, KitError, Location, Text, fault
from kit_builder.faces import Face
from kit_builder.formats import Format
from kit_builder.markup import attributes, converted, one_of, set_label, unknown
from kit_builder.printing import CUTS, Cut, Orders
from kit_builder.typography import NORMAL, Line, Style, Styles
from kit_builder.units import MM, length

STAMP = Style(8, 10)
STAMP_EDGE = 3 * MM


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a card, and its structure element."""

    face: Face
    element: structure.Element


@dataclass(frozen=True, slots=True)
class Card:
    """A card on a sheet.

    Attributes:
        face: None if only backs are made.
        back: its own back; None if it has none of its own, or if only fronts are made.
        stamp: its class set and number, printed small in the lower left corner of its face.
    """

    face: Side | None
    back: Side | None
    stamp: Line | None


@dataclass(frozen=True, slots=True)
class Make:
    """What cards must have in common to lie on one sheet.

    Attributes:
        size: the trim as it is printed.
        scale: how much larger than designed the face is printed.
        margins: left of it and below it, where the larger card is of another shape.
        pattern: of the backs; "" for none.
        backs: the backs are printed.
    """

    size: Format
    scale: float
    margins: tuple[float, float]
    cut: Cut
    gutter: float
    bleed: float
    pattern: str
    backs: bool


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards to be ganged on sheets.

    Attributes:
        pattern: the structure element of their common back pattern, if that is printed.
        deck: the name of the first one's deck.
        location: where the size of that deck was written, or its name if it has the usual size.
    """

    make: Make
    cards: tuple[Card, ...]
    pattern: structure.Element | None
    deck: str
    location: Location


def read(
    element: Element,
    node: structure.Element,
    orders: Orders,
    styles: Styles = NORMAL,
    stamp: str = "",
) -> Iterator[Cards]:
    """The cards of all decks in an element, those of one make together.

    Args:
        element: `<cards>`.
        node: the structure element of the part they stand in.
        orders: which cards, and which sides of them.
        styles: large print makes larger cards.
        stamp: the name of the class set; "" if there is none.

    Raises:
        KitError: wrong markup, texts that do not fit their cards, or no such cards as ordered.
    """
    attributes(element)
    if orders.only == "pages":
        return
    found = [(deck, card, back) for deck in element.elements() for card, back in _cards_of(deck)]
    made: dict[Make, list[Card]] = {}
    firsts: dict[Make, Element] = {}
    unmet = dict.fromkeys(orders.cards)
    faults: dict[Location | None, Fault] = {}  # one a place: copies repeat it
    same: Element | None = None
    makes: dict[bool, tuple[Make, Format]] = {}  # of the same deck's cards, with and without backs
    for number, (deck, card, back) in enumerate(found, 1):
        name = card.attributes.get("name", "")
        wanted = {str(number), str(name)} & set(orders.cards)
        if orders.cards and not wanted:
            continue
        for each in wanted:
            unmet.pop(each, None)
        if deck is not same:
            same, makes = deck, {}
        own_back = back is not None
        try:
            if own_back not in makes:
                makes[own_back] = _make(deck, orders, styles, own_back)
            make, designed = makes[own_back]
            said = f'card {number} "{name}" of deck "{deck.attributes["name"]}"'
            floor = styles.least / make.scale
            chosen = _chosen(deck)
            mark = f"{stamp} · {number}/{len(found)}" if stamp else ""
            made.setdefault(make, []).append(
                Card(
                    _face(card, designed, said, floor, chosen, node)
                    if orders.only != "backs"
                    else None,
                    _back(back, designed, said, floor, chosen, node)
                    if back and make.backs and orders.only != "fronts"
                    else None,
                    _stamp(mark, make.size, _place(deck)) if mark else None,
                )
            )
            firsts.setdefault(make, deck)
        except KitError as error:
            for told in error.faults:
                faults.setdefault(told.location, told)
    if faults or unmet:
        raise KitError(*faults.values(), *(_no_such_card(each, found) for each in unmet))
    for make, cards in made.items():
        pattern = None
        if make.pattern and orders.only != "fronts":
            pattern = node.add("Figure", alt=make.pattern)
        first = firsts[make]
        yield Cards(make, tuple(cards), pattern, first.attributes["name"], _place(first))


def _place(deck: Element) -> Location:
    """Where the size of a deck was written, or its name if it has the usual size."""
    return _chosen(deck) or deck.attributes["name"].location


def _chosen(deck: Element) -> Location | None:
    """Where the author chose the size of a deck; None if he did not."""
    size, name = deck.attributes["size"].location, deck.attributes["name"].location
    return size if size.source == name.source != deck.location.source else None


def _stamp(mark: str, size: Format, location: Location) -> Line:
    """The mark of a class set on one line.

    Raises:
        KitError: it is wider than the card.
    """
    line = set_label(mark, STAMP)
    if line.width * STAMP.size + 2 * STAMP_EDGE > size.width:
        raise fault(
            location,
            f"a card of {size.dimensions} is too narrow for the mark of its class set",
            "choose a larger card size, or print without class sets",
        )
    return line


def _no_such_card(wanted: str, found: Sequence[tuple[Element, Element, Element | None]]) -> Fault:
    names = dict.fromkeys(str(card.attributes["name"]) for _, card, _ in found)
    return Fault(
        None,
        f'there is no card "{wanted}"',
        f"write a number from 1 to {len(found)}, or one of {', '.join(names)}"
        if found
        else "this kit has no cards",
    )


def _cards_of(deck: Element) -> Iterator[tuple[Element, Element | None]]:
    """Each card of a deck with the back that stands behind it in the markup, if one does."""
    if deck.tag != "deck":
        raise unknown(deck, {"deck": None})
    waiting: Element | None = None
    for element in deck.elements():
        if element.tag == "card":
            if waiting is not None:
                yield waiting, None
            waiting = element
        elif element.tag == "back" and waiting is not None:
            yield waiting, element
            waiting = None
        elif element.tag == "back":
            raise fault(
                element.location,
                "<back> stands without a card before it",
                "put each one directly behind its <card>",
            )
        else:
            raise unknown(element, {"card": None, "back": None})
    if waiting is not None:
        yield waiting, None


def _make(deck: Element, orders: Orders, styles: Styles, own_back: bool) -> tuple[Make, Format]:
    """What a deck's cards are like, and the size their faces are designed for."""
    said = attributes(deck, "name", "size", "cut?", "gutter?", "bleed?", "pattern?")
    designed = converted(said["size"], formats.card_size)
    size = formats.larger(designed) if styles.least else designed
    scale = min(size.width / designed.width, size.height / designed.height)
    cut = orders.cut or _cut(said)
    # Cards that are to share their cut lines give up the gutter their deck asks for.
    own = {} if orders.cut in ("shared", "dashed") else said
    gutter = _length(own, "gutter") if orders.gutter is None else orders.gutter
    bleed = _length(own, "bleed") if orders.bleed is None else orders.bleed
    pattern = said.get("pattern", "")
    if pattern:
        converted(said["pattern"], one_of(patterns.PATTERNS, "pattern"))
    backs = orders.backs and (own_back or bool(pattern))
    if cut == "gutter" and not gutter:
        gutter = max(formats.GUTTER, 2 * bleed)
    margins = (size.width - scale * designed.width) / 2, (size.height - scale * designed.height) / 2
    made = Make(size, scale, margins, cut, gutter, bleed, pattern if backs else "", backs)
    return made, designed


def _cut(said: Mapping[str, Text]) -> Cut:
    if "cut" not in said:
        return "shared"
    return cast(Cut, converted(said["cut"], one_of(CUTS, "way of cutting")))


def _length(said: Mapping[str, Text], name: str) -> float:
    return converted(said[name], length) if name in said else 0


def _face(
    card: Element,
    size: Format,
    said: str,
    floor: float,
    chosen: Location | None,
    node: structure.Element,
) -> Side:
    alt = attributes(card, "name", "alt")["alt"]
    return Side(faces.read(card, size, said, floor, chosen), node.add("Figure", alt=alt))


def _back(
    back: Element,
    size: Format,
    said: str,
    floor: float,
    chosen: Location | None,
    node: structure.Element,
) -> Side:
    """A back of its own: the items in `<back>`, or the `<card>` of a face template in it."""
    spoken = [attributes(back, "alt")["alt"]]
    inside = list(back.elements())
    holder = back
    if len(inside) == 1 and inside[0].tag == "card":
        holder = inside[0]
        spoken.append(attributes(holder, "name", "alt")["alt"])
    face = faces.read(holder, size, f"the back of {said}", floor, chosen)
    return Side(face, node.add("Figure", alt=": ".join(spoken)))
