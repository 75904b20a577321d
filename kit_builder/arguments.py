"""What an option or a setting says -> a value, or a refusal that names the option."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from string import ascii_uppercase
from typing import TypeVar

import typer

from kit_builder import formats, units
from kit_builder.binding import Folding
from kit_builder.formats import Format
from kit_builder.printing import CUTS, PARTS, ClassSet, Cut
from kit_builder.units import MM

# A side holds a ruler of 100 mm between margins; PDF readers stop at 14 400 points, which are
# 5 080 mm (PDF 32000-1, annex C.2).
_LEAST_PAPER = 110 * MM
_LARGEST_PAPER = 5000 * MM

_PASSWORD = "KIT_BUILDER_PASSWORD"
ASKED = f"The password is asked for; or set {_PASSWORD}."

# Of a sheet: card stock of 300 g has 0.4 mm.
_THICKEST = 1 * MM

Word = TypeVar("Word")
Value = TypeVar("Value")


def wrong(option: str, message: str) -> typer.BadParameter:
    """The refusal of what an option says."""
    return typer.BadParameter(message, param_hint=option)


def parsed(convert: Callable[[str], Value], text: str, option: str) -> Value:
    """What an option says, converted.

    Raises:
        typer.BadParameter: `convert` refuses it.
    """
    try:
        return convert(text)
    except ValueError as error:
        raise wrong(option, str(error)) from None


def paper_called(text: str) -> Format:
    """A paper by its name or size.

    Raises:
        typer.BadParameter: there is no such paper, or no printer for it.
    """
    made = parsed(formats.paper, text, "--paper")
    sides = sorted((made.width, made.height))
    if sides[0] < _LEAST_PAPER or sides[1] > _LARGEST_PAPER:
        least, largest = units.in_mm(_LEAST_PAPER), units.in_mm(_LARGEST_PAPER)
        raise wrong(
            "--paper",
            f'"{text}" is too small or too large; write sides from {least} to {largest} mm',
        )
    return made


def _length(text: str, option: str) -> float:
    """A distance between cards, or around them."""
    length = parsed(units.length, text, option)
    if not 0 <= length <= formats.WIDEST_GUTTER:
        raise wrong(
            option,
            f'"{text}" is not from 0 to {units.in_mm(formats.WIDEST_GUTTER)} mm; write 4mm or so',
        )
    return length


def listed(text: str, option: str, example: str) -> list[str]:
    """Items between commas.

    Raises:
        typer.BadParameter: there is none.
    """
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise wrong(option, f"nothing is named; write a list such as {example}")
    return items


def parts(text: str) -> list[str]:
    """Parts of a kit, in their order.

    Raises:
        typer.BadParameter: there is no such part.
    """
    asked = [one_of(part.lower(), PARTS, "--parts") for part in listed(text, "--parts", PARTS[0])]
    return [part for part in PARTS if part in asked]


def class_set(text: str, sets: int) -> ClassSet:
    """One of so many class sets, by its letter.

    Raises:
        typer.BadParameter: it is not one of them.
    """
    letter = text.strip().upper()
    if len(letter) != 1 or letter not in ascii_uppercase[:sets]:
        raise wrong(
            "--set",
            f'there is no set "{text}"; write a letter from A to {ascii_uppercase[sets - 1]}',
        )
    return ClassSet(ascii_uppercase.index(letter) + 1)


def one_of(word: str, known: tuple[Word, ...], option: str) -> Word:
    """What an option says, if it is one of the known words.

    Raises:
        typer.BadParameter: it is none of them.
    """
    for each in known:
        if each == word.strip().lower():
            return each
    advice = formats.suggestion(word, list(map(str, known)))
    raise wrong(option, f'there is no "{word}"; {advice}')


def cutting(
    cut: str | None, gutter: str | None, bleed: str | None
) -> tuple[Cut | None, float | None, float | None]:
    """The way of cutting, the gutter and the bleed.

    Raises:
        typer.BadParameter: they do not go together.
    """
    way = None if cut is None else one_of(cut, CUTS, "--cut")
    between = None if gutter is None else _length(gutter, "--gutter")
    beyond = None if bleed is None else _length(bleed, "--bleed")
    if (between or beyond) and way not in ("gutter", "none"):
        raise wrong("--gutter" if between else "--bleed", "cards must lie apart; add --cut gutter")
    if way == "gutter" and between == 0:
        raise wrong("--gutter", "no space is left between cards; write 4mm, or --cut shared")
    if beyond and 2 * beyond > (between or 0) and (between or way == "none"):
        raise wrong(
            "--bleed",
            f"it would cover the next card; write --gutter {units.in_mm(2 * beyond)}mm or more",
        )
    return way, between, beyond


def span(text: str, option: str) -> range:
    """A range of whole numbers from 1, such as 3-8, or one number.

    Raises:
        typer.BadParameter: it is none.
    """
    match = re.fullmatch(r"([0-9]{1,4})(?:\s*[-\u2013]\s*([0-9]{1,4}))?", text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise wrong(option, f'"{text}" is not a range; write one such as 1-20')
    return range(first, last + 1)


def password(asked: bool) -> str:
    """The password from the environment, or else typed unseen; "" if none is asked for.

    It is never an argument: those stay in the history of the shell.
    """
    if not asked:
        return ""
    return os.environ.get(_PASSWORD) or typer.prompt(
        "Password", hide_input=True, confirmation_prompt=True
    )


def insert(text: str) -> tuple[Path, str]:
    """A file to insert, and which of its pages: "plan.pdf", or "plan.pdf:1,3-5"."""
    path, _, pages = text.rpartition(":")
    if path and re.fullmatch(r"[\d\s,-]+", pages):
        return Path(path), pages
    return Path(text), ""


def folding(fold: bool, signature: int | None, creep: str | None, paper: Format) -> Folding | None:
    """How a booklet is folded, if it is.

    Raises:
        typer.BadParameter: the options do not go together.
    """
    if not fold:
        for option, given in (("--signature", signature), ("--creep", creep)):
            if given is not None:
                raise wrong(option, "only a folded booklet has it; add --fold")
        return None
    if formats.half(paper).width < _LEAST_PAPER:
        raise wrong("--paper", f"{paper.name} is too small to fold; write A4 or Letter")
    thick = 0.0 if creep is None else parsed(units.length, creep, "--creep")
    if not 0 <= thick <= _THICKEST:
        most = units.in_mm(_THICKEST)
        raise wrong("--creep", f'"{creep}" is not from 0 to {most} mm; write 0.1mm or so')
    return Folding(signature, thick)
