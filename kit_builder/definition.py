"""An activity's YAML file as an `Activity`: the schema, with every fault placed.

The words of YAML are read in `manuscript`; here stands which fields there are, and what they mean.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_uppercase

from kit_builder import decklist, drawing, manuscript
from kit_builder.activity import (
    Activity,
    Boxes,
    Column,
    ComputedTable,
    Cutout,
    HostKey,
    Kit,
    Record,
    Section,
    Step,
)
from kit_builder.catalogue import Catalogue, Fact
from kit_builder.drawing import Drawn
from kit_builder.errors import Fault, KitError, Location, Text, halves
from kit_builder.facts import Percent
from kit_builder.fields import Fields
from kit_builder.files import File
from kit_builder.formats import suggestion
from kit_builder.manuscript import Items, Node, Pairs
from kit_builder.printing import THE_KITS_OWN, PuzzleOrder
from kit_builder.translation import Translation

PIECES = ("dice", "stand", "screen", "strip")
NUMBERINGS = ("no", "yes", "letters", "everywhere")

_MOST_ROWS = 400
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def read(
    file: File,
    catalogue: Catalogue,
    translation: Translation | None = None,
    order: PuzzleOrder = THE_KITS_OWN,
) -> Activity:
    """The activity that is defined in a file.

    Args:
        file: its definition.
        catalogue: of what it may name.
        translation: of its texts; every text must have one.
        order: of the puzzle, where the activity has one.

    Raises:
        KitError: all faults of the file, in its order; then those of the translation.
    """
    root, faults = _root(file, "activity", translation)
    slug = _slug(file, root)
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


def labels(file: File) -> Mapping[str, Text]:
    """The fixed words of one language: a file of nothing but `name: text` lines.

    Raises:
        KitError: all faults of the file, in its order.
    """
    root, faults = _root(file, "label file")
    texts = {str(name): root.text(name) for name in root.rest()}
    if faults:
        raise KitError(*manuscript.in_order(faults))
    return texts


def language(file: File) -> str:
    """The language of the activity in a file; "" if the file does not say it clearly.

    Raises:
        KitError: the file's layout cannot be understood.
    """
    root = manuscript.read(file).root
    pairs = root.pairs if isinstance(root, Pairs) else ()
    said = next((value for name, value in pairs if name == "language"), "")
    return said if isinstance(said, str) else ""


def _root(
    file: File, thing: str, translation: Translation | None = None
) -> tuple[Fields, list[Fault]]:
    typed = manuscript.read(file)
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


def _slug(file: File, root: Fields) -> str:
    if not _SLUG.fullmatch(file.stem):
        plain = unicodedata.normalize("NFKD", file.stem.removesuffix(".yaml").casefold())
        better = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip("-")
        root.fault(
            root.location,
            f'the file name "{file.name}" is not made of small letters a-z, digits and hyphens',
            f'call it "{better or "hidden-trap-bid"}.yaml"',
        )
    return file.stem


def _kit(
    root: Fields, slug: str, catalogue: Catalogue, order: PuzzleOrder
) -> tuple[Kit, Drawn, Catalogue]:
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
    drawn = drawing.read(root, catalogue, order)
    catalogue = _in_language(language, catalogue, drawn.facts)
    rules = _sections(root, "rules", catalogue)
    decks = tuple(
        decklist.read(deck, blocks, catalogue, drawn.cards) for deck in root.each("decks", "deck")
    )
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
            instead = suggestion(other, others) if others else "remove it"
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
        what, instead = halves(error)
        table.fault(name.location, f'the fact "{name}": {what}', instead)
        return None


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


def _records(parent: Fields, drawn: Drawn) -> tuple[Record, ...]:
    return tuple(_record(record, drawn) for record in parent.each("records", "record"))


def _record(record: Fields, drawn: Drawn) -> Record:
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


def _columns(record: Fields, node: Node, drawn: Drawn) -> Iterator[Column]:
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
