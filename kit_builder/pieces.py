"""Markup of pieces to cut out -> the pieces, each with its alternative text.

`PIECES` is their vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kit_builder import cutouts, shapes
from kit_builder.document import Element
from kit_builder.errors import KitError, Text, fault
from kit_builder.flowables import Piece
from kit_builder.markup import attributes, children, converted, one_of
from kit_builder.typography import BOLD, Span, words


def _dice(element: Element, _least: float) -> tuple[str, Piece]:
    return attributes(element, "alt")["alt"], cutouts.DiceNet()


def _screen(element: Element, _least: float) -> tuple[str, Piece]:
    return attributes(element, "alt")["alt"], cutouts.Screen()


def _stand(element: Element, least: float) -> tuple[str, Piece]:
    said = attributes(element, "alt", "up", "back", "glue")
    labels = [_one_font(said[key]) for key in ("up", "back", "glue")]
    up, back, glue = labels
    try:
        return said["alt"], cutouts.Stand((up, back, glue), BOLD, least)
    except cutouts.OversetError as error:
        raise _overset(error, labels) from None


def _strip(element: Element, least: float) -> tuple[str, Piece]:
    alt = attributes(element, "alt")["alt"]
    steps = []
    for step in children(element, "step"):
        shape = attributes(step, "shape")["shape"]
        steps.append((_one_font(step.text), converted(shape, one_of(shapes.SHAPES, "shape"))))
    try:
        return alt, cutouts.Strip(tuple(steps), BOLD, least)
    except cutouts.OversetError as error:
        labels = [text for text, _ in steps]
        raise _overset(error, labels) from None


def _one_font(label: Text) -> Text:
    """A label of a piece, all of which is set in one font.

    Raises:
        KitError: that font lacks one of its characters.
    """
    for word in words([Span(label, True)]):
        for run in word.runs if word else ():
            if run.font != BOLD:
                raise fault(
                    label.location.of(run.text[0]),
                    f'"{run.text[0]}" cannot stand on a piece to cut out',
                    "write letters and figures there",
                )
    return label


def _overset(error: cutouts.OversetError, labels: Sequence[Text]) -> KitError:
    place = next(text.location for text in labels if text == error.label)
    instead = "shorten it" if len(error.label) > 3 else "make two pieces of it"
    return fault(place, str(error), instead)


PIECES: Mapping[str, Callable[[Element, float], tuple[str, Piece]]] = {
    "dice": _dice,
    "screen": _screen,
    "stand": _stand,
    "strip": _strip,
}
"""The pieces to cut out that may stand in `<pieces>`: each with its alternative text."""
