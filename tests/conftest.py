"""What several tests build their cases from: an author's text, and markup that is parsed."""

from __future__ import annotations

from kit_builder import document
from kit_builder.document import Element
from kit_builder.errors import Location, Source, Text

PATH = "activities/game.yaml"


def block(text: str, before: int = 1) -> Text:
    """A literal block text as it stands in a file, indented by 2, `before` lines down."""
    lines = [*["# above"] * (before - 1), "text: |", *(f"  {line}" for line in text.split("\n"))]
    return Text(text, Location(Source(PATH, tuple(lines)), before, 7), before + 1)


def plain(text: str) -> Text:
    """A text that stands alone on the first line of a file."""
    return Text(text, Location(Source(PATH, (text,)), 1, 1))


def element(markup: str, *origins: Text) -> Element:
    """The element of a piece of markup."""
    return document.parse(markup, "layout.xml.j2", origins)
