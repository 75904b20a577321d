"""What an activity is: how its cards are printed and counted, and which texts are in it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import activity, formats
from kit_builder.activity import Card, ComputedTable, Cutout, Deck, HostKey, Kit, Range, Section
from kit_builder.desk import Desk
from kit_builder.errors import Text
from tests.conftest import plain

LIBRARY = Path(__file__).parent.parent / "activities"
PLACE = plain("x").location
TEXT = plain("Trap")


def deck(*copies: int, blocks: int = 0) -> Deck:
    cards = tuple(Card({"label": plain(f"card {kind}")}, n, PLACE) for kind, n in enumerate(copies))
    return Deck(TEXT, formats.card_size("poker"), TEXT, blocks, cards, PLACE)


@pytest.mark.parametrize(("span", "shown"), [(Range(3, 5), "3–5"), (Range(4, 4), "4")])
def test_a_range_is_shown_as_people_write_it(span: Range, shown: str) -> None:
    assert str(span) == shown


def test_a_common_deck_is_printed_once_kind_by_kind() -> None:
    printed = [
        (str(card.fields["label"]), card.copy, card.copies, card.owner, card.number)
        for card in deck(2, 1).printed()
    ]
    assert printed == [("card 0", 1, 2, 0, 1), ("card 0", 2, 2, 0, 2), ("card 1", 1, 1, 0, 3)]


def test_a_deck_for_each_player_is_printed_block_by_block() -> None:
    printed = [(card.owner, card.copy, card.number) for card in deck(2, 1, blocks=2).printed()]
    assert printed == [(1, 1, 1), (1, 2, 2), (1, 1, 3), (2, 1, 4), (2, 2, 5), (2, 1, 6)]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 4))
def test_as_many_cards_are_printed_as_are_counted(copies: list[int], blocks: int) -> None:
    made = deck(*copies, blocks=blocks)
    printed = list(made.printed())
    assert len(printed) == made.count == sum(copies) * max(1, blocks)
    assert [card.number for card in printed] == list(range(1, made.count + 1))
    assert {card.owner for card in printed} == set(range(1, blocks + 1) if blocks else (0,))
    assert all(1 <= card.copy <= card.copies for card in printed)


@pytest.fixture(scope="module")
def kit() -> Kit:
    path = LIBRARY / "hidden-trap-bid.yaml"
    return Desk(LIBRARY).read(path).kit


def test_a_kit_counts_all_its_pieces(kit: Kit) -> None:
    dice = Cutout(plain("dice"), plain("Dice"), 12, (), PLACE)
    assert replace(kit, decks=(deck(3, 1, blocks=5),), cutouts=(dice,)).pieces == 32
    assert replace(kit, decks=(), cutouts=()).pieces == 0


def test_every_text_of_a_value_is_found_in_its_order() -> None:
    table = ComputedTable((("", "A1"), ("B1", "✓")), PLACE)
    host = HostKey((Section(plain("Key"), plain("A lies."), table),), (), (plain("CTXS"),), None)
    found = list(activity.texts(host))
    assert found == ["Key", "A lies.", "", "A1", "B1", "✓", "CTXS"]
    assert all(isinstance(text, Text) for text in found)


def test_a_card_gives_the_texts_of_its_fields() -> None:
    assert list(activity.texts(deck(1, 1))) == ["Trap", "Trap", "card 0", "card 1"]


def test_a_kit_holds_no_host_field(kit: Kit) -> None:
    assert not {"host", "sections", "secrets"} & {each.name for each in fields(Kit)}
    assert not any(isinstance(getattr(kit, each.name), HostKey) for each in fields(Kit))


def test_values_are_frozen(kit: Kit) -> None:
    with pytest.raises(FrozenInstanceError):
        kit.slug = "other"  # type: ignore[misc]
