"""What the options of the command line say -> values, or a refusal that names the option.

Annotations are evaluated here, because Typer makes the command line from them.
"""

import os
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, TypeVar

import typer

from kit_builder import formats, printers, puzzles, units
from kit_builder.binding import Folding
from kit_builder.formats import Format
from kit_builder.printing import (
    BACKS,
    CUTS,
    EDITIONS,
    HOST,
    MOST_SETS,
    ORDERS,
    PARTS,
    ClassSet,
    Cut,
    Printing,
    PuzzleOrder,
)
from kit_builder.units import MM
from kit_builder.variants import Options

_DEFAULT_FOLDER = Path("activities")
_LIKE = 0.8  # how like a slug a name must be, to be looked for among the activities

# A side holds a ruler of 100 mm between margins; PDF readers stop at 14 400 points, which are
# 5 080 mm (PDF 32000-1, annex C.2).
_LEAST_PAPER = 110 * MM
_LARGEST_PAPER = 5000 * MM

_SECRET = "KIT_BUILDER_SECRET"
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


def _listed(text: str, option: str, example: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise wrong(option, f"nothing is named; write a list such as {example}")
    return items


def _parts(text: str) -> list[str]:
    asked = [one_of(part.lower(), PARTS, "--parts") for part in _listed(text, "--parts", PARTS[0])]
    return [part for part in PARTS if part in asked]


def _class_set(text: str, sets: int) -> ClassSet:
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


def _cutting(
    cut: str | None, gutter: str | None, bleed: str | None
) -> tuple[Cut | None, float | None, float | None]:
    """The way of cutting, the gutter and the bleed, which must go together."""
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


Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE or FOLDER]...",
        help="Activity files, or folders of them. Without any: the folder activities/.",
        show_default=False,
    ),
]


def named(files: list[Path] | None) -> list[Path]:
    """What is named; an activity of the library may be named by its slug alone."""
    if not files:
        return [_DEFAULT_FOLDER]
    found = []
    for path in files:
        slugs = [each.stem for each in _DEFAULT_FOLDER.glob("*.yaml")]
        meant = not path.exists() and get_close_matches(str(path), slugs, n=1, cutoff=_LIKE)
        found.append(_DEFAULT_FOLDER / f"{path}.yaml" if meant else path)
    return found


def chosen(
    files: Files = None,
    paper: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(each.name for each in formats.PAPERS.values())}, or a size such as"
            ' "210 x 297 mm". Several make several PDFs.  [default: A4]',
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Only in this language, such as ca. Without it: in all there are.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="EDITION",
            help=f"One of the two PDFs only: {', '.join(EDITIONS)}.",
            show_default=False,
        ),
    ] = None,
    sets: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_SETS,
            metavar="N",
            help="Complete sets, marked A, B, C ...  [default: one, without a mark]",
            show_default=False,
        ),
    ] = None,
    set_: Annotated[
        str | None,
        typer.Option(
            "--set", metavar="LETTER", help="Only this class set, such as C.", show_default=False
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Only these parts of the players' PDF: {','.join(PARTS)}.",
            show_default=False,
        ),
    ] = None,
    split: Annotated[bool, typer.Option("--split", help="One PDF for each part.")] = False,
    cards: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help='Reprint only these cards: "R2, B1", or 7,12,30.',
            show_default=False,
        ),
    ] = None,
    backs: Annotated[
        str,
        typer.Option(metavar="HOW", help=f"How backs are printed: {', '.join(BACKS)}."),
    ] = "none",
    cut: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help=f"How cards are cut apart: {', '.join(CUTS)}.  [default: as each deck says]",
            show_default=False,
        ),
    ] = None,
    gutter: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Space between cards, with --cut gutter.  [default: 4mm]",
            show_default=False,
        ),
    ] = None,
    bleed: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Print patterns this far beyond the cut, such as 2mm, with --cut gutter.",
            show_default=False,
        ),
    ] = None,
    order: Annotated[
        str,
        typer.Option(metavar="HOW", help="rows, or stack: cut the pile, then stack the piles."),
    ] = "rows",
    cut_backs: Annotated[
        bool, typer.Option("--cut-backs", help="Cut lines on the backs as well.")
    ] = False,
    large_print: Annotated[
        bool, typer.Option("--large-print", help="18 pt text, larger cards, laid out anew.")
    ] = False,
    printer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Make up for what this printer does wrong; see kit-builder printer.",
            show_default=False,
        ),
    ] = None,
    puzzle: Annotated[
        int | None,
        typer.Option(min=1, max=9999, metavar="N", help="This puzzle, in kits that have one."),
    ] = None,
    puzzles_: Annotated[
        str | None,
        typer.Option(
            "--puzzles",
            metavar="RANGE",
            help="All these puzzles, such as 1-20.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help=f"Of code and checkers: {', '.join(puzzles.MODES)}.",
            show_default=False,
        ),
    ] = None,
    checkers: Annotated[
        int | None,
        typer.Option(
            min=min(puzzles.CHECKERS),
            max=max(puzzles.CHECKERS),
            metavar="N",
            help="Of code and checkers: 4, 5 or 6.",
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="RANGE",
            help="How many codes the cards leave possible, such as 3-8.",
            show_default=False,
        ),
    ] = None,
    secret: Annotated[
        bool,
        typer.Option(
            "--secret",
            help="Ask for words to mix into puzzles, so that their numbers do not give them away;"
            f" or set {_SECRET}.",
        ),
    ] = False,
) -> tuple[list[Path], Options]:
    """The options of build, check and plan."""
    editions = EDITIONS if only is None else (one_of(only, EDITIONS, "--only"),)
    if cards is not None and parts is not None:
        raise wrong("--cards", "they are of one part; leave out --parts")
    of_players = {
        "--sets": sets,
        "--set": set_,
        "--parts": parts,
        "--split": split,
        "--cards": cards,
    }
    for option, given in of_players.items():
        if editions == (HOST,) and given not in (None, False):
            raise wrong(option, "the host key has none of this; leave out --only host")
    if set_ is None:
        class_sets = [ClassSet(number) for number in range(1, (sets or 0) + 1)]
    else:
        class_sets = [_class_set(set_, sets or MOST_SETS)]
    way, between, beyond = _cutting(cut, gutter, bleed)
    printing = Printing(
        sets=class_sets,
        parts=() if parts is None else _parts(parts),
        cards=() if cards is None else _listed(cards, "--cards", "R2,B1"),
        backs=one_of(backs, BACKS, "--backs"),
        cut=way,
        gutter=between,
        bleed=beyond,
        order=one_of(order, ORDERS, "--order"),
        cut_backs=cut_backs,
        large=large_print,
        profile=printers.NONE if printer is None else printers.load(printer),
    )
    flip = printing.profile.flip
    if printer is not None and printing.backs in printers.FLIPS and printing.backs != flip:
        raise wrong(
            "--backs", f'printer "{printer}" turns paper over the {flip}; write --backs {flip}'
        )
    if puzzle is not None and puzzles_ is not None:
        raise wrong("--puzzles", "they are more than one puzzle; leave out --puzzle")
    words = os.environ.get(_SECRET, "")
    if secret:
        words = typer.prompt("Secret words", hide_input=True)
    orders = [
        PuzzleOrder(
            number,
            None if mode is None else one_of(mode, tuple(puzzles.MODES), "--mode"),
            checkers,
            None if candidates is None else _range(candidates, "--candidates"),
            words,
        )
        for number in ([puzzle] if puzzles_ is None else _range(puzzles_, "--puzzles"))
    ]
    papers: dict[str, Format] = {}
    for each in map(paper_called, paper or ["A4"]):
        papers.setdefault(each.dimensions, each)
    return named(files), Options(
        printing, list(papers.values()), editions, split, language or (), orders
    )


def _range(text: str, option: str) -> range:
    """A range of whole numbers from 1, such as 3-8, or one number."""
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


def folding(
    fold: bool, signature: int | None, creep: str | None, paper: Format
) -> Folding | None:
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
