"""What the names in an activity may refer to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from kit_builder.errors import Text

Fact = Callable[[Mapping[str, Text | tuple[Text, ...]]], tuple[tuple[str, ...], ...]]


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
