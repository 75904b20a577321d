"""What the options of the command line say -> values, or a refusal that names the option.

Annotations are evaluated here, because Typer makes the command line from them.
"""

import os
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from kit_builder import arguments, formats, printers, puzzles
from kit_builder.binding import Order
from kit_builder.formats import Format
from kit_builder.printing import (
    BACKS,
    CUTS,
    EDITIONS,
    HOST,
    MOST_SETS,
    ORDERS,
    PARTS,
    PLAYER,
    ClassSet,
    Printing,
    PuzzleOrder,
)
from kit_builder.variants import Options

_SECRET = "KIT_BUILDER_SECRET"


Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE or FOLDER]...",
        help="Activity files, or folders of them. Without any: those of kit.yaml, or the"
        " folder activities/.",
        show_default=False,
    ),
]


Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where the PDFs go.  [default: build]", show_default=False),
]

NoGallery = Annotated[
    bool, typer.Option("--no-gallery", help="Make no page with pictures of all kits.")
]


@cache
def secret_words() -> str:
    """Asked for once, however often `watch` builds."""
    words: str = typer.prompt("Secret words", hide_input=True)
    return words


def chosen(
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
        str | None,
        typer.Option(
            metavar="HOW",
            help=f"Backs: {', '.join(BACKS)}.  [default: {BACKS[0]}]",
            show_default=False,
        ),
    ] = None,
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
        str | None,
        typer.Option(
            metavar="HOW",
            help="rows, or stack: cut the pile, then stack the piles.  [default: rows]",
            show_default=False,
        ),
    ] = None,
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
    school: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="In the margin of every page.", show_default=False),
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
) -> Options:
    """The options of build, watch, check and plan.

    Raises:
        typer.BadParameter: an option cannot be understood, or does not go with another.
        KitError: there is no such printer, or its file is faulty.
    """
    editions = EDITIONS if only is None else (arguments.one_of(only, EDITIONS, "--only"),)
    if cards is not None and parts is not None:
        raise arguments.wrong("--cards", "they are of one part; leave out --parts")
    of_players = {
        "--sets": sets,
        "--set": set_,
        "--parts": parts,
        "--split": split,
        "--cards": cards,
    }
    for option, given in of_players.items():
        if editions == (HOST,) and given not in (None, False):
            raise arguments.wrong(option, "the host key has none of this; leave out --only host")
    if set_ is None:
        class_sets = [ClassSet(number) for number in range(1, (sets or 0) + 1)]
    else:
        class_sets = [arguments.class_set(set_, sets or MOST_SETS)]
    way, between, beyond = arguments.cutting(cut, gutter, bleed)
    printing = Printing(
        sets=class_sets,
        parts=() if parts is None else arguments.parts(parts),
        cards=() if cards is None else arguments.listed(cards, "--cards", "R2,B1"),
        backs=arguments.one_of(backs or BACKS[0], BACKS, "--backs"),
        cut=way,
        gutter=between,
        bleed=beyond,
        order=arguments.one_of(order or ORDERS[0], ORDERS, "--order"),
        cut_backs=cut_backs,
        large=large_print,
        profile=printers.NONE if printer is None else printers.load(printer),
        school=(school or "").strip(),
    )
    flip = printing.profile.flip
    if printer is not None and printing.backs in printers.FLIPS and printing.backs != flip:
        raise arguments.wrong(
            "--backs", f'printer "{printer}" turns paper over the {flip}; write --backs {flip}'
        )
    if puzzle is not None and puzzles_ is not None:
        raise arguments.wrong("--puzzles", "they are more than one puzzle; leave out --puzzle")
    words = os.environ.get(_SECRET, "")
    if secret:
        words = secret_words()
    orders = [
        PuzzleOrder(
            number,
            None if mode is None else arguments.one_of(mode, tuple(puzzles.MODES), "--mode"),
            checkers,
            None if candidates is None else arguments.span(candidates, "--candidates"),
            words,
        )
        for number in ([puzzle] if puzzles_ is None else arguments.span(puzzles_, "--puzzles"))
    ]
    papers: dict[str, Format] = {}
    for each in map(arguments.paper_called, paper or ["A4"]):
        papers.setdefault(each.dimensions, each)
    return Options(printing, list(papers.values()), editions, split, language or (), orders)


def bound(
    title: Annotated[str, typer.Option(metavar="TEXT", help="On the cover.")] = "",
    school: Annotated[str, typer.Option(metavar="TEXT", help="On the cover.")] = "",
    date: Annotated[str, typer.Option(metavar="TEXT", help="On the cover, as you write it.")] = "",
    edition: Annotated[
        str, typer.Option(metavar="EDITION", help=f"For whom: {', '.join(EDITIONS)}.")
    ] = PLAYER,
    language: Annotated[
        str,
        typer.Option(
            metavar="CODE",
            help="All in this language, such as ca.  [default: that of most activities]",
            show_default=False,
        ),
    ] = "",
    paper: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The paper to print on.  [default: A4]", show_default=False
        ),
    ] = None,
    fold: Annotated[
        bool,
        typer.Option("--fold", help="Small pages, two on a sheet, to fold and staple."),
    ] = False,
    signature: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Sheets folded into each other.  [default: all]",
            show_default=False,
        ),
    ] = None,
    creep: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="How thick a sheet is, such as 0.1mm: pages move towards the fold.",
            show_default=False,
        ),
    ] = None,
    insert: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.pdf[:PAGES]",
            help="Own pages before the first activity, such as plan.pdf or plan.pdf:1,3-5.",
            show_default=False,
        ),
    ] = None,
) -> Order:
    """The options of a booklet.

    Raises:
        typer.BadParameter: an option cannot be understood, or does not go with another.
    """
    sheet = arguments.paper_called(paper or "A4")
    return Order(
        arguments.one_of(edition, EDITIONS, "--edition"),
        sheet,
        language,
        title.strip(),
        school.strip(),
        date.strip(),
        arguments.folding(fold, signature, creep, sheet),
        [arguments.insert(each) for each in insert or ()],
    )
