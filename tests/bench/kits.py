"""The work that every engine is given: kits of plain texts, each different, the same on every run.

A kit is 600 words of rules in 5 sections, 18 cards of 63 x 88 mm (9 single ones, and 3 of 3
copies), a record of 20 rows with boxes to tick, and a host key of 300 words. Lengths in points.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TypedDict

from kit_builder.formats import PAPERS
from kit_builder.units import MM

A4 = PAPERS["a4"]
CARD_WIDTH, CARD_HEIGHT = 63 * MM, 88 * MM
ACROSS = 3  # cards beside each other, and rows of them below each other, on a sheet

# Of a card: its corners and its middle. Distances are those of the corner from the trim.
RANK_SIZE, SMALL_SHAPE = 22.0, 8 * MM
LABEL_SIZE, LARGE_SHAPE = 20.0, 38 * MM
CORNER = 4 * MM

COLUMNS = (20 * MM, 66 * MM, 30 * MM, 50 * MM)
ROW = 11 * MM
TICK = 9.0

SYMBOLS = "○✕△□"
_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_LABELS = ("Força", "Aigua", "Café", "Vent", "Foc", "Llum", "Ombra", "Pèsol", "Mussol", "Riu")
_HEADINGS = ("Preparació", "Com es juga", "Puntuació", "Final de la partida", "Variants")
_HOST_HEADINGS = ("Solucions", "Temps", "Què cal mirar")

# Real texts have letters beyond ASCII, and signs between their words.
_ONSETS = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "pr", "tr", "ç", "ll")
_VOWELS = tuple("aaaaeeeeeiiiiooouuàéïó")
_CODAS = ("", "", "n", "r", "s", "l", "nt")
_SIGNS = ("3×4", "½", "€2", "“això”", "l’altra", "–", "12", "§7")
_KNOWN = 4000  # words that somebody who writes a library uses


class Run(TypedDict):
    """A stretch of a paragraph, bold or not. Runs meet at spaces."""

    b: bool
    t: str


class Section(TypedDict):
    """A heading and its paragraphs."""

    heading: str
    paras: list[list[Run]]


class Card(TypedDict):
    """A card: the rank in its corners, one of SYMBOLS, and the caption below."""

    rank: str
    sym: str
    cap: str


class Record(TypedDict):
    """A table; the last cell of a row names the boxes to tick in it."""

    columns: list[str]
    rows: list[list[str]]


class Kit(TypedDict):
    """Everything that is to be printed; equal cards follow each other."""

    id: str
    title: str
    sections: list[Section]
    cards: list[Card]
    record: Record
    host: list[Section]


@dataclass(frozen=True, slots=True)
class Type:
    """How running text is set.

    Attributes:
        name: in tables.
        side: the margin to the left of it.
        measure: its greatest width.
        head, foot: the margins above and below.
    """

    name: str
    body: float
    leading: float
    heading: float
    title: float
    side: float
    measure: float
    head: float
    foot: float


# As small as office documents are set; and as Kit Builder sets everything.
SMALL = Type("9 pt", 9, 11.5, 12, 18, 18 * MM, 174 * MM, 18 * MM, 18 * MM)
CLEAR = Type("13 pt", 13, 17.55, 20, 26, 22 * MM, 142 * MM, 14 * MM, 17 * MM)


def kit(number: int, *, sections: int = 5, cards: int = 18) -> Kit:
    """The kit of a number; a smaller one with fewer sections and cards."""
    chance = random.Random(number)
    single, triple = chance.sample(SYMBOLS, 2)
    deck = [_card(rank, single, chance) for rank in chance.sample(_RANKS, 9)]
    for rank in chance.sample(_RANKS, 3):
        deck += [_card(rank, triple, chance)] * 3
    rows = [
        [str(row), " ".join(_words(chance, 2)), "", "A B C"]
        for row in range(1, 21)
    ]  # fmt: skip
    return {
        "id": f"kit-{number:05}",
        "title": f"Joc {number} – {' '.join(_words(chance, 2))}",
        "sections": [_section(heading, chance, 60) for heading in _HEADINGS[:sections]],
        "cards": deck[:cards],
        "record": {"columns": ["Ronda", "Equip", "Punts", "Fet?"], "rows": rows},
        "host": [_section(heading, chance, 50) for heading in _HOST_HEADINGS],
    }


def words(sections: list[Section]) -> Iterator[str]:
    """The words of sections, one by one, without their headings."""
    for section in sections:
        for paragraph in section["paras"]:
            for run in paragraph:
                yield from run["t"].split()


def cut_lines() -> list[tuple[float, float, float, float]]:
    """The cut lines of a sheet of cards: x, y of both ends, origin at the lower left corner."""
    left, bottom = block_origin()
    right, top = left + ACROSS * CARD_WIDTH, bottom + ACROSS * CARD_HEIGHT
    beyond = 5 * MM
    down = [left + column * CARD_WIDTH for column in range(ACROSS + 1)]
    across = [bottom + row * CARD_HEIGHT for row in range(ACROSS + 1)]
    return [(x, bottom - beyond, x, top + beyond) for x in down] + [
        (left - beyond, y, right + beyond, y) for y in across
    ]


def block_origin() -> tuple[float, float]:
    """The lower left corner of the cards, which stand in the middle of the sheet."""
    return (A4.width - ACROSS * CARD_WIDTH) / 2, (A4.height - ACROSS * CARD_HEIGHT) / 2


def _card(rank: str, symbol: str, chance: random.Random) -> Card:
    return {"rank": rank, "sym": symbol, "cap": chance.choice(_LABELS)}


def _section(heading: str, chance: random.Random, length: int) -> Section:
    return {"heading": heading, "paras": [_paragraph(chance, length) for _ in range(2)]}


def _paragraph(chance: random.Random, length: int) -> list[Run]:
    """Sentences of so many words in all, with two words in bold at two places."""
    text = _words(chance, length)
    for place in range(4, length - 4, 9):
        text[place] = chance.choice(_SIGNS)
    start = 0
    while start < length:
        end = min(start + chance.randint(8, 15), length)
        end = length if length - end < 4 else end
        text[start] = text[start].capitalize()
        text[end - 1] += "."
        start = end
    runs: list[Run] = []
    done = 0
    for bold in (chance.randrange(2, length // 2 - 2), chance.randrange(length // 2, length - 4)):
        runs.append({"b": False, "t": " ".join(["", *text[done:bold], ""][not done :])})
        runs.append({"b": True, "t": " ".join(text[bold : bold + 2])})
        done = bold + 2
    runs.append({"b": False, "t": " ".join(["", *text[done:]])})
    return runs


def _words(chance: random.Random, count: int) -> list[str]:
    """Words as they come in a language: the n-th most frequent one n times less than the first."""
    vocabulary, weights = _vocabulary()
    return chance.choices(vocabulary, cum_weights=weights, k=count)


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """All words, short ones first, and how often any up to each of them comes."""
    chance = random.Random(0)
    known: dict[str, None] = {}
    while len(known) < _KNOWN:
        syllables = 1 + (len(known) > 40) + (len(known) > 800)
        known["".join(map(chance.choice, (_ONSETS, _VOWELS, _CODAS) * syllables))] = None
    return list(known), list(accumulate(1 / place for place in range(1, _KNOWN + 1)))
