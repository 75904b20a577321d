"""The decks of an activity's file: their cards written out, and every count checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from kit_builder import formats, units
from kit_builder.activity import NO_BACK, Back, Card, Deck
from kit_builder.catalogue import Catalogue
from kit_builder.errors import Text, halves
from kit_builder.fields import Fields
from kit_builder.formats import Format
from kit_builder.printing import CUTS

_MOST_COPIES = 999
_MOST_COMBINATIONS = 1000  # of one short form; a deck of more is a slip of the keyboard


def read(deck: Fields, players: int | None, catalogue: Catalogue, drawn: Sequence[Card]) -> Deck:
    """A deck of an activity.

    Args:
        deck: its fields; the caller closes them.
        players: the greatest number of them; None where that is not known.
        catalogue: of what it may name.
        drawn: the cards of the activity's puzzle.
    """
    before = deck.faults
    name = deck.text("name")
    size = _size(deck)
    face = deck.choice("face", catalogue.faces)
    per = deck.optional_text("per")
    if per is not None and per != "player":
        deck.fault(per.location, f'"per" is "{per}"', "write per: player, or remove the field")
    thing = f'card with the face "{face}"' if face in catalogue.faces else "card"
    back = _back(deck, catalogue)
    known = catalogue.faces.get(face)
    if known is not None and back.face:
        on_back = catalogue.faces.get(back.face, {})
        thing = f'card with the face "{face}" and the back "{back.face}"'
        known = {
            field: bool(known.get(field) or on_back.get(field)) for field in (*known, *on_back)
        }
    if drawn and deck.node("cards", required=False) == "puzzle":
        entries = [drawn]
        total = len(drawn)
    else:
        entries = [tuple(_cards(card, known)) for card in deck.each("cards", thing, required=True)]
        total = deck.whole("total", 1, 9999)
    cut, gutter, bleed = _cutting(deck)
    blocks = 0 if per is None else players or 0
    made = Deck(
        name,
        size,
        face,
        blocks,
        tuple(card for entry in entries for card in entry),
        deck.location,
        back,
        cut,
        gutter,
        bleed,
    )
    sums = [sum(card.copies for card in entry) for entry in entries]
    counted = per is None or players is not None
    if deck.faults == before and "total" in deck and counted and total != made.count:
        _wrong_total(deck, total, made, sums)
    return made


def _cutting(deck: Fields) -> tuple[str, float, float]:
    """How the cards of a deck are cut apart, their gutter and their bleed."""
    cut = deck.optional_choice("cut", CUTS) or "shared"
    before = deck.faults
    gutter, bleed = (deck.length(name, formats.WIDEST_GUTTER) for name in ("gutter", "bleed"))
    usual = cut == "gutter" and "gutter" not in deck
    if deck.faults > before:
        pass
    elif gutter and cut in ("shared", "dashed"):
        deck.fault(
            deck.where("gutter"),
            "cards with a gutter share no cut line",
            "write cut: gutter, or remove the gutter",
        )
    elif cut == "gutter" and not gutter and not usual:
        deck.fault(
            deck.where("gutter"), "no space is left between the cards", "write gutter: 4 mm or so"
        )
    elif 2 * bleed > gutter and not usual:
        deck.fault(
            deck.where("bleed"),
            f"a bleed of {units.in_mm(bleed)} mm covers the neighbouring card",
            f"write cut: gutter and gutter: {units.in_mm(2 * bleed)} mm",
        )
    return cut, gutter, bleed


def _back(deck: Fields, catalogue: Catalogue) -> Back:
    """What stands on the backs: none, or one of a pattern, a text and a face."""
    typed = deck.node("back", required=False)
    if typed is None or typed == "none":
        return NO_BACK
    back = deck.part(typed, 'back (or write "back: none")')
    pattern = back.optional_choice("pattern", catalogue.patterns)
    text = back.optional_text("text")
    face = back.optional_choice("face", catalogue.faces)
    back.close()
    said = [each for each in (pattern, text, face) if each is not None]
    if len(said) != 1 and back.sound:
        deck.fault(
            said[1].location if said else back.location,
            "a back shows one thing only" if said else "this back shows nothing",
            "write one of pattern, text and face",
        )
    return Back(pattern or "", text or "", face or "")


def _wrong_total(deck: Fields, total: int, made: Deck, sums: list[int]) -> None:
    how = " + ".join(map(str, sums[:8])) + (" + ..." if len(sums) > 8 else "")
    if made.blocks:
        how = f"({how})" if len(sums) > 1 else how
        how = f": {how} x {made.blocks} players"
    else:
        how = f": {how}" if len(sums) > 1 else ""
    cards = "card" if made.count == 1 else "cards"
    deck.fault(
        deck.where("total"),
        f'"total" is {total}, but the list makes {made.count} {cards}{how}',
        f"write total: {made.count}, or correct the cards",
    )


def _size(deck: Fields) -> Format:
    """The size of a deck's cards; a name that was typed remembers where."""
    typed = deck.optional_text("size")
    if typed:
        try:
            found = formats.card_size(typed)
        except ValueError as error:
            deck.fault(typed.location, *halves(error))
        else:
            return replace(found, name=Text(found.name, typed.location))
    return formats.CARD_SIZES["poker"]


def _cards(card: Fields, known: Mapping[str, bool] | None) -> Iterator[Card]:
    """The cards of one entry of a deck's list: one, or one for each combination of `for`.

    Args:
        card: the entry.
        known: the fields of the deck's face; None if there is no such face.
    """
    varied = _varied(card, known)
    if known is None:
        known = dict.fromkeys((str(name) for name in card.rest() if name != "copies"), True)
    fixed: dict[str, Text] = {}
    for name, required in known.items():
        if name in varied:
            if card.node(name, required=False) is not None:
                card.fault(
                    card.where(name),
                    f'"{name}" stands in "for" and beside it',
                    "remove one of them",
                )
        elif required:
            fixed[name] = card.text(name)
        elif (text := card.optional_text(name)) is not None:
            fixed[name] = text
    copies = card.whole("copies", 1, _MOST_COPIES, default=1)
    for combination in product(*varied.values()):
        yield Card(dict(zip(varied, combination, strict=True)) | fixed, copies, card.location)


def _varied(card: Fields, known: Mapping[str, bool] | None) -> dict[str, tuple[Text, ...]]:
    """The values that each field in `for` takes in turn; empty without a short form."""
    short_form = card.inner("for", "short form")
    if short_form is None:
        return {}
    if not short_form.sound:
        return {name: () for name in known or () if name not in card}
    varied: dict[str, tuple[Text, ...]] = {}
    for name in short_form.rest():
        if known is not None and name not in known:
            short_form.fault(
                name.location, f'the face has no field "{name}"', formats.suggestion(name, known)
            )
        if isinstance(short_form.node(name), Text):
            typed = short_form.text(name)
            instead = "write a list such as [A, B], or a range such as 1-4"
            values = short_form.as_range(typed, name, 0, 9999, instead) if typed.strip() else None
            varied[name] = tuple(
                Text(str(number), typed.location)
                for number in (range(values.low, values.high + 1) if values else ())
            )
        else:
            varied[name] = short_form.texts(name)
    count = prod(map(len, varied.values()))
    if count > _MOST_COMBINATIONS:
        short_form.fault(
            short_form.location,
            f'"for" makes {count:,} cards',
            f"write lists that make at most {_MOST_COMBINATIONS:,}",
        )
        return {name: values[:1] for name, values in varied.items()}
    return varied
