"""The puzzle that an activity's file asks for, drawn: what each side of the table gets of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kit_builder import briefing, criteria, puzzles
from kit_builder.activity import Card, Puzzle, PuzzleKey
from kit_builder.catalogue import Catalogue, Fact
from kit_builder.errors import Text, halves
from kit_builder.fields import Fields
from kit_builder.printing import PuzzleOrder

PUZZLES = ("code-and-checkers", "secret-code")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The puzzle of an activity; all empty where it has none."""

    puzzle: Puzzle | None = None
    cards: tuple[Card, ...] = ()
    key: PuzzleKey | None = None
    secrets: tuple[Text, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)

    @property
    def checkers(self) -> tuple[str, ...]:
        """Their letters."""
        return self.puzzle.checkers if self.puzzle else ()


def read(root: Fields, catalogue: Catalogue, order: PuzzleOrder) -> Drawn:
    """The puzzle of the field "puzzle", or what is ordered instead of it."""
    before = root.faults
    puzzle = root.inner("puzzle", "puzzle")
    if puzzle is None:
        return Drawn()
    kind = puzzle.choice("kind", PUZZLES)
    own = puzzle.whole("number", 1, 9999, default=1)
    number = order.number or own
    drawn = Drawn(Puzzle(number))
    try:
        if kind == "code-and-checkers":
            drawn = _code_and_checkers(puzzle, number, catalogue, order, root)
        elif kind == "secret-code":
            drawn = _secret_code(puzzle, number, order)
    except ValueError as error:
        if puzzle.faults == before:
            puzzle.fault(puzzle.location, *halves(error))
    puzzle.close()
    if puzzle.faults > before:
        # A stand-in, so that nothing is said about the cards, columns and tables made of it.
        drawn = Drawn(
            Puzzle(number, checkers=("A",)),
            (Card({}, 1, puzzle.location),),
            facts=dict.fromkeys(briefing.secret_code_facts(1, "", ()), lambda _: (("",),)),
        )
    return drawn


def _code_and_checkers(
    puzzle: Fields, number: int, catalogue: Catalogue, order: PuzzleOrder, root: Fields
) -> Drawn:
    """Raises ValueError for a puzzle that there is not."""
    mode = puzzle.optional_choice("mode", puzzles.MODES) or "classic"
    checkers = puzzle.whole("checkers", min(puzzles.CHECKERS), max(puzzles.CHECKERS), default=4)
    wished = puzzle.optional_range("candidates", len(criteria.CODES))
    drawn = puzzles.generate(
        number,
        order.mode or mode,
        order.checkers or checkers,
        order.candidates or (range(wished.low, wished.high + 1) if wished else None),
        order.secret,
    )
    wording = catalogue.criteria(str(root.node("language", required=False)))
    told = briefing.brief(drawn, wording, puzzle.location)
    code = Text("".join(map(str, drawn.code)), puzzle.location)
    secrets = () if code == str(number) else (code,)
    return Drawn(told.puzzle, told.cards, told.key, secrets)


def _secret_code(puzzle: Fields, number: int, order: PuzzleOrder) -> Drawn:
    symbols = "".join(puzzle.texts("symbols", required=True))
    place = puzzle.location
    codes = briefing.secret_codes(number, symbols, order.secret, place)
    facts = briefing.secret_code_facts(number, symbols, codes)
    return Drawn(Puzzle(number), secrets=tuple(codes), facts=facts)
