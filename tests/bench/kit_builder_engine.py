"""Kit Builder as one of the engines: an author's text -> both PDFs, with every promise kept.

`prep` writes a kit as an author would, and is not timed; `make` does all that a build does for each
activity: outline, reading, layout, type, preflight, the search for the host's texts. What a build
does once, such as reading the templates, is done in `setup`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby

from kit_builder import reading, templates, work
from kit_builder.files import File
from kit_builder.job import Job
from kit_builder.material import Material, Sources
from kit_builder.variants import Options
from tests.bench.kits import Kit, Run, Section

_SHAPES = {"○": "circle", "✕": "cross", "△": "triangle", "□": "square"}


_templates = cache(templates.read)


def setup() -> None:
    """Reads the templates."""
    _templates()


def prep(kit: Kit) -> str:
    """The definition of a kit."""
    record, cards = kit["record"], kit["cards"]
    rows = [
        [*row[:-1], " ".join(f"□ {name}" for name in row[-1].split())] for row in record["rows"]
    ]
    lines = [
        f"title: {kit['title']}",
        "language: ca",
        "category: Joc",
        "summary: Un joc de cartes.",
        "players: 3",
        "minutes: 15",
        "practises: Comptar.",
        "observe: Compta?",
        "rules:",
        *_sections(kit["sections"], "  "),
        "  - heading: Full",
        "    text: |",
        *(f"      | {' | '.join(row)} |" for row in (record["columns"], ["---"] * 4, *rows)),
        "decks:",
        "  - name: Cartes",
        "    face: symbol",
        "    cards:",
        *(
            f"      - {{shape: {_SHAPES[card['sym']]}, letter: {card['rank']!r}, "
            f"label: {card['cap']}, copies: {len(list(copies))}}}"
            for card, copies in groupby(cards)
        ),
        f"    total: {len(cards)}",
        "host:",
        "  sections:",
        *_sections(kit["host"], "    "),
    ]
    return "\n".join([*lines, ""])


def make(text: str) -> tuple[bytes, bytes]:
    """Both PDFs of a definition."""
    definition = File("kit.yaml", text.encode())
    known = reading.outline(Sources(definition))
    language = known.language
    material = Material(_templates(), (definition.stem,), definition, language, language)
    player, host = (work.make(Job(material, each)).pdf for each in Options().variants())
    return player, host


def _sections(sections: list[Section], indent: str) -> Iterator[str]:
    for section in sections:
        yield f"{indent}- heading: {section['heading']}"
        yield f"{indent}  text: |"
        for paragraph in section["paras"]:
            yield f"{indent}    {''.join(map(_markdown, paragraph))}"
            yield ""


def _markdown(run: Run) -> str:
    return f"**{run['t']}**" if run["b"] else run["t"]
