"""Small activities for tests, written to a folder, and the PDFs that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from kit_builder import build, formats
from kit_builder.formats import Format
from kit_builder.printing import PLAYER, ClassSet, Printing
from kit_builder.variants import Options
from tests.measured import Measured

A4, LETTER = formats.PAPERS["a4"], formats.PAPERS["letter"]

# The words stand in the upper half, so that the lower half of a card is white.
_FACE = """{{# fields: {field} #}}
<card name="{{{{ {field} }}}}" alt="{{{{ {field} }}}}">
  <text x="4 mm" y="4 mm" width="{{{{ width - 8 }}}} mm" height="8 mm" size="16 pt" floor="8 pt">
    {{{{- {field} -}}}}
  </text>
</card>
"""
FACES = {field: _FACE.format(field=field) for field in ("name", "question", "answer")}

Fields = dict[str, Any]


def deck(count: int, face: str = "name", **fields: Any) -> Fields:
    """A deck of different cards: N1, N2, N3 ..."""
    cards = [{face: f"N{number}"} for number in range(1, count + 1)]
    return {"name": "Cards", "face": face, "cards": cards, "total": str(count)} | fields


def flash_cards(count: int, **fields: Any) -> Fields:
    """Q1 on the face and A1 on the back of the first card, and so on."""
    cards = [{"question": f"Q{number}", "answer": f"A{number}"} for number in range(1, count + 1)]
    made = {"name": "Flash cards", "face": "question", "back": {"face": "answer"}}
    return made | {"cards": cards, "total": str(count)} | fields


def write(folder: Path, *decks: Fields, slug: str = "game", **fields: Any) -> Path:
    """An activity in a library of its own, with card faces that show one field."""
    faces = folder / "templates" / "cards"
    faces.mkdir(parents=True, exist_ok=True)
    for face, template in FACES.items():
        (faces / f"{face}.xml.j2").write_text(template, "utf-8")
    written: Fields = {
        "title": "Game",
        "language": "en",
        "category": "Tests",
        "summary": "A game.",
        "players": "2",
        "minutes": "5",
        "practises": "Patience.",
        "observe": "Whether it is fun.",
        "rules": [{"heading": "Play", "text": "Play with what is there."}],
        "host": {"sections": [{"heading": "Answers", "text": "Everybody wins in the end."}]},
    }
    if decks:
        written["decks"] = list(decks)
    path = folder / f"{slug}.yaml"
    path.write_text(yaml.safe_dump(written | fields, allow_unicode=True), "utf-8")
    return path


def sets(count: int) -> tuple[ClassSet, ...]:
    return tuple(ClassSet(number) for number in range(1, count + 1))


def result(
    path: Path,
    *,
    papers: Sequence[Format] = (A4,),
    editions: Sequence[str] = (PLAYER,),
    split: bool = False,
    **printing: Any,
) -> build.Result:
    options = Options(Printing(**printing), papers, editions, split, ["en"])
    (made,) = build.build([path], options)
    return made


def outputs(path: Path, **options: Any) -> dict[str, build.Output]:
    """The PDFs of an activity by name; it must be without faults. Options as for `result`."""
    made = result(path, **options)
    assert [str(fault) for fault in made.faults] == []
    return {output.path.name: output for output in made.outputs}


def measured(path: Path, **options: Any) -> Measured:
    """The only PDF of an activity."""
    (output,) = outputs(path, **options).values()
    return Measured(output.pdf)


def faults(path: Path, **options: Any) -> list[str]:
    return [str(fault).split("\n")[0] for fault in result(path, **options).faults]


def cards_only(path: Path, **options: Any) -> Measured:
    return measured(path, parts=("cards",), **options)


def texts(cards: Iterable[Any]) -> list[str]:
    return [card.text for card in cards]
