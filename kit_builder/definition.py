"""An activity's YAML file as an `Activity`: the schema, with every fault placed.

The words of YAML are read in `manuscript`; here stands which fields there are, and what they mean.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from string import ascii_uppercase

from kit_builder import briefing, criteria, formats, manuscript, puzzles, units
from kit_builder.activity import (
    NO_BACK,
    Activity,
    Back,
    Boxes,
    Card,
    Column,
    ComputedTable,
    Cutout,
    Deck,
    HostKey,
    Kit,
    Puzzle,
    PuzzleKey,
    Record,
    Section,
    Step,
)
from kit_builder.errors import Fault, KitError, Location, Text
from kit_builder.facts import Percent
from kit_builder.fields import Fields, instead_of
from kit_builder.formats import Format
from kit_builder.manuscript import Items, Node, Pairs
from kit_builder.printing import CUTS, THE_KITS_OWN, PuzzleOrder
from kit_builder.translation import Translation

Fact = Callable[[Mapping[str, Text | tuple[Text, ...]]], tuple[tuple[str, ...], ...]]

PIECES = ("dice", "stand", "screen", "strip")
PUZZLES = ("code-and-checkers", "secret-code")
NUMBERINGS = ("no", "yes", "letters", "everywhere")

_MOST_COPIES = 999
_MOST_COMBINATIONS = 1000  # of one short form; a deck of more is a slip of the keyboard
_MOST_ROWS = 400
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the names in an activity may refer to.

    Attributes:
        faces: the card faces, each with its fields and whether a card must have them.
        languages: those that labels exist in.
        slugs: of all activities of the library.
        patterns: of backs, by name.
        labels: the words of the program, by language.
        criteria: the wording of the criteria of code and checkers, by language.
        facts: what computes a table, by name; raises ValueError("what; what to write instead").
    """

    faces: Mapping[str, Mapping[str, bool]]
    languages: Collection[str]
    slugs: Collection[str]
    patterns: Collection[str]
    labels: Callable[[str], Mapping[str, Text]]
    criteria: Callable[[str], Mapping[str, Text]]
    facts: Mapping[str, Fact]


def read(
    path: Path,
    shown: str,
    catalogue: Catalogue,
    translation: Translation | None = None,
    order: PuzzleOrder = THE_KITS_OWN,
) -> Activity:
    """The activity that is defined in the file at `path`, called `shown` in messages.

    Args:
        path: of the file.
        shown: its path in messages.
        catalogue: of what it may name.
        translation: of its texts; every text must have one.
        order: of the puzzle, where the activity has one.

    Raises:
        KitError: all faults of the file, in its order; then those of the translation.
    """
    root, faults = _root(path, shown, "activity", translation)
    slug = _slug(path, root)
    kit, drawn, catalogue = _kit(root, slug, catalogue, order)
    host_fields = root.inner("host", "host", required=True)
    host = HostKey((), (), (), None)
    if host_fields is not None:
        host = HostKey(
            _sections(host_fields, "sections", catalogue),
            _records(host_fields, drawn),
            (*host_fields.texts("secrets"), *drawn.secrets),
            drawn.key,
        )
        host_fields.close()
    root.close()
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return Activity(kit, host)


def labels(path: Path, shown: str) -> Mapping[str, Text]:
    """The fixed words of one language: a file of nothing but `name: text` lines.

    Raises:
        KitError: all faults of the file, in its order.
    """
    root, faults = _root(path, shown, "label file")
    texts = {str(name): root.text(name) for name in root.rest()}
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return texts


def language(path: Path, shown: str) -> str:
    """The language of the activity at `path`; "" if the file does not say it clearly.

    Raises:
        KitError: the file's layout cannot be understood.
    """
    root = manuscript.read(path, shown).root
    pairs = root.pairs if isinstance(root, Pairs) else ()
    said = next((value for name, value in pairs if name == "language"), "")
    return said if isinstance(said, str) else ""


def _root(
    path: Path, shown: str, thing: str, translation: Translation | None = None
) -> tuple[Fields, list[Fault]]:
    typed = manuscript.read(path, shown)
    faults = list(typed.faults)
    whole = Location(typed.source)
    root = typed.root
    if root is None:
        faults.append(Fault(whole, "the file is empty", f"write the fields of the {thing}"))
        raise KitError(*manuscript.in_order(faults))
    if translation is not None:
        faults += translation.faults(root)
        root = translation.of(root)
    return Fields(root, thing, faults, whole), faults


def _slug(path: Path, root: Fields) -> str:
    if not _SLUG.fullmatch(path.stem):
        plain = unicodedata.normalize("NFKD", path.stem.removesuffix(".yaml").casefold())
        better = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip("-")
        root.fault(
            root.location,
            f'the file name "{path.name}" is not made of small letters a-z, digits and hyphens',
            f'call it "{better or "hidden-trap-bid"}.yaml"',
        )
    return path.stem


def _kit(
    root: Fields, slug: str, catalogue: Catalogue, order: PuzzleOrder
) -> tuple[Kit, _Drawn, Catalogue]:
    """The players' part, the puzzle, and the catalogue with its facts, in the kit's language."""
    title = root.text("title")
    language = root.choice("language", catalogue.languages)
    category = root.text("category")
    summary = root.text("summary")
    before = root.faults
    players = root.range("players", 99)
    blocks = players.high if root.faults == before and "players" in root else None
    minutes = root.range("minutes", 999)
    practises, observe = root.text("practises"), root.text("observe")
    drawn = _puzzle(root, catalogue, order)
    catalogue = _in_language(language, catalogue, drawn.facts)
    rules = _sections(root, "rules", catalogue)
    decks = tuple(_deck(deck, blocks, catalogue, drawn) for deck in root.each("decks", "deck"))
    cutouts = tuple(map(_cutout, root.each("cutouts", "cutout")))
    sheet = root.inner("sheet", "sheet")
    sheet_title: Text | None = None
    boxes: tuple[Boxes, ...] = ()
    lines: tuple[Text, ...] = ()
    ticks: tuple[Text, ...] = ()
    if sheet is not None:
        sheet_title = sheet.text("title")
        boxes = tuple(
            Boxes(box.text("label"), box.whole("count", 1, 100, default=1))
            for box in sheet.each("boxes", "row of boxes")
        )
        lines, ticks = sheet.texts("lines"), sheet.texts("ticks")
        sheet.close()
    kit = Kit(
        slug,
        title,
        language,
        category,
        summary,
        players,
        minutes,
        practises,
        observe,
        rules,
        decks,
        cutouts,
        sheet_title,
        boxes,
        lines,
        ticks,
        _records(root, drawn),
        _related(root, slug, catalogue),
        drawn.puzzle,
        root.location,
    )
    return kit, drawn, catalogue


def _related(root: Fields, slug: str, catalogue: Catalogue) -> tuple[Text, ...]:
    related = root.texts("related")
    for other in related:
        if other == slug:
            root.fault(other.location, "the activity names itself as related", "remove it")
        elif other and other not in catalogue.slugs:
            others = [each for each in catalogue.slugs if each != slug]
            instead = instead_of(other, others) if others else "remove it"
            root.fault(other.location, f'there is no activity "{other}"', instead)
    return related


def _sections(parent: Fields, name: str, catalogue: Catalogue) -> tuple[Section, ...]:
    return tuple(
        _section(section, catalogue) for section in parent.each(name, "section", required=True)
    )


def _section(section: Fields, catalogue: Catalogue) -> Section:
    heading = section.text("heading")
    table = section.inner("table", "table")
    text = section.text("text") if table is None else section.optional_text("text")
    return Section(heading, text, None if table is None else _table(table, catalogue))


def _in_language(language: str, catalogue: Catalogue, drawn: Mapping[str, Fact]) -> Catalogue:
    """The catalogue with the facts of a puzzle, and its percentages as the language writes them."""

    def say(cell: str) -> str:
        if not isinstance(cell, Percent):
            return cell
        labels = catalogue.labels(language)
        figure = cell.figure.replace(".", labels["decimal-mark"])
        return labels["percent"].replace("{n}", figure)

    def translated(fact: Fact) -> Fact:
        return lambda arguments: tuple(tuple(map(say, row)) for row in fact(arguments))

    facts = {name: translated(fact) for name, fact in {**catalogue.facts, **drawn}.items()}
    return replace(catalogue, facts=facts)


def _table(table: Fields, catalogue: Catalogue) -> ComputedTable | None:
    before = table.faults
    name = table.choice("fact", catalogue.facts)
    arguments: dict[str, Text | tuple[Text, ...]] = {}
    for argument in table.rest():
        listed = isinstance(table.node(argument, required=False), Items)
        arguments[argument] = table.texts(argument) if listed else table.text(argument)
    table.close()
    if table.faults > before or name not in catalogue.facts:
        return None
    try:
        return ComputedTable(catalogue.facts[name](arguments), table.location)
    except ValueError as error:
        what, _, instead = str(error).partition("; ")
        table.fault(name.location, f'the fact "{name}": {what}', instead)
        return None


def _deck(deck: Fields, players: int | None, catalogue: Catalogue, drawn: _Drawn) -> Deck:
    """A deck; `players` is the greatest number of them, or None where that is not known."""
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
    if drawn.cards and deck.node("cards", required=False) == "puzzle":
        entries = [drawn.cards]
        total = len(drawn.cards)
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
            what, _, instead = str(error).partition("; ")
            deck.fault(typed.location, what, instead)
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
                name.location, f'the face has no field "{name}"', instead_of(name, known)
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


def _cutout(cutout: Fields) -> Cutout:
    piece = cutout.choice("piece", PIECES)
    name = cutout.text("name")
    count = cutout.whole("count", 1, 100, default=1)
    steps: tuple[Step, ...] = ()
    if piece == "strip" or piece not in PIECES:
        steps = tuple(
            Step(step.text("label"), step.text("shape"))
            for step in cutout.each("steps", "step", required=piece == "strip")
        )
    elif cutout.node("steps", required=False) is not None:
        cutout.fault(
            cutout.where("steps"), f'"{piece}" has no steps', "remove them, or write piece: strip"
        )
    return Cutout(piece, name, count, steps, cutout.location)


def _records(parent: Fields, drawn: _Drawn) -> tuple[Record, ...]:
    return tuple(_record(record, drawn) for record in parent.each("records", "record"))


def _record(record: Fields, drawn: _Drawn) -> Record:
    title = record.text("title")
    columns = tuple(
        column
        for node in record.items("columns", required=True)
        for column in _columns(record, node, drawn)
    )
    numbered = record.word("numbered", NUMBERINGS)
    most = len(ascii_uppercase) if numbered == "letters" else _MOST_ROWS
    if drawn.checkers and record.node("rows", required=False) == "checkers":
        rows = len(drawn.checkers)
    else:
        rows = record.whole("rows", 1, most)
    return Record(title, columns, rows, numbered, record.optional_text("note"))


def _columns(record: Fields, node: Node, drawn: _Drawn) -> Iterator[Column]:
    """A column: its title alone, or its title and width; or one for each checker."""
    if not (
        isinstance(node, Pairs) and {"title", "width", "each"} & {name for name, _ in node.pairs}
    ):
        yield Column(record.as_text(node, "columns"))
        return
    column = record.part(node, "column")
    if "each" in column:
        if column.choice("each", ("checker",)) == "checker" and not drawn.checkers:
            column.fault(
                column.where("each"),
                "there are no checkers to make columns for",
                "give each column its title, or the activity a puzzle with checkers",
            )
        yield from (Column(Text(letter, column.location), 0.5) for letter in drawn.checkers)
    else:
        yield Column(column.text("title"), column.positive("width", 100, default=1.0))
        column.node("each", required=False)
    column.close()


@dataclass(frozen=True, slots=True)
class _Drawn:
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


def _puzzle(root: Fields, catalogue: Catalogue, order: PuzzleOrder) -> _Drawn:
    before = root.faults
    puzzle = root.inner("puzzle", "puzzle")
    if puzzle is None:
        return _Drawn()
    kind = puzzle.choice("kind", PUZZLES)
    own = puzzle.whole("number", 1, 9999, default=1)
    number = order.number or own
    drawn = _Drawn(Puzzle(number))
    try:
        if kind == "code-and-checkers":
            drawn = _code_and_checkers(puzzle, number, catalogue, order, root)
        elif kind == "secret-code":
            drawn = _secret_code(puzzle, number, order)
    except ValueError as error:
        if puzzle.faults == before:
            what, _, instead = str(error).partition("; ")
            puzzle.fault(puzzle.location, what, instead)
    puzzle.close()
    if puzzle.faults > before:
        # A stand-in, so that nothing is said about the cards, columns and tables made of it.
        drawn = _Drawn(
            Puzzle(number, checkers=("A",)),
            (Card({}, 1, puzzle.location),),
            facts=dict.fromkeys(briefing.secret_code_facts(1, "", ()), lambda _: (("",),)),
        )
    return drawn


def _code_and_checkers(
    puzzle: Fields, number: int, catalogue: Catalogue, order: PuzzleOrder, root: Fields
) -> _Drawn:
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
    return _Drawn(told.puzzle, told.cards, told.key, secrets)


def _secret_code(puzzle: Fields, number: int, order: PuzzleOrder) -> _Drawn:
    symbols = "".join(puzzle.texts("symbols", required=True))
    place = puzzle.location
    codes = briefing.secret_codes(number, symbols, order.secret, place)
    facts = briefing.secret_code_facts(number, symbols, codes)
    return _Drawn(Puzzle(number), secrets=tuple(codes), facts=facts)
