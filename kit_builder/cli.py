"""Arguments in, report out, exit code: 0 all is well, 1 the user's files, 2 the command line.

Annotations are evaluated here, because Typer makes the command line from them.
"""

import errno
import functools
import inspect
import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, TypeVar

import typer

from kit_builder import __version__, build, formats, library, plan, printers, puzzles, units
from kit_builder.activity import Activity
from kit_builder.errors import Fault, KitError
from kit_builder.formats import Format
from kit_builder.layout import EDITIONS, HOST
from kit_builder.printing import (
    BACKS,
    CUTS,
    MOST_SETS,
    ORDERS,
    PARTS,
    ClassSet,
    Cut,
    Printing,
    PuzzleOrder,
)
from kit_builder.units import MM

_DEFAULT_FOLDER = Path("activities")

# A side holds a ruler of 100 mm between margins; PDF readers stop at 14 400 points, which are
# 5 080 mm (PDF 32000-1, annex C.2).
_LEAST_PAPER = 110 * MM
_LARGEST_PAPER = 5000 * MM

_SECRET = "KIT_BUILDER_SECRET"

_STOPPED = 128 + signal.SIGINT

Word = TypeVar("Word")
Value = TypeVar("Value")

app = typer.Typer(
    help="Turns YAML activity definitions into printable tabletop kits.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _wrong(option: str, message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint=option)


def _parsed(convert: Callable[[str], Value], text: str, option: str) -> Value:
    try:
        return convert(text)
    except ValueError as error:
        raise _wrong(option, str(error)) from None


def _paper(text: str) -> Format:
    made = _parsed(formats.paper, text, "--paper")
    sides = sorted((made.width, made.height))
    if sides[0] < _LEAST_PAPER or sides[1] > _LARGEST_PAPER:
        least, largest = units.in_mm(_LEAST_PAPER), units.in_mm(_LARGEST_PAPER)
        raise _wrong(
            "--paper",
            f'"{text}" is too small or too large; write sides from {least} to {largest} mm',
        )
    return made


def _length(text: str, option: str) -> float:
    """A distance between cards, or around them."""
    length = _parsed(units.length, text, option)
    if not 0 <= length <= formats.WIDEST_GUTTER:
        raise _wrong(
            option,
            f'"{text}" is not from 0 to {units.in_mm(formats.WIDEST_GUTTER)} mm; write 4mm or so',
        )
    return length


def _listed(text: str, option: str, example: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise _wrong(option, f"nothing is named; write a list such as {example}")
    return items


def _parts(text: str) -> list[str]:
    asked = [_one_of(part.lower(), PARTS, "--parts") for part in _listed(text, "--parts", PARTS[0])]
    return [part for part in PARTS if part in asked]


def _class_set(text: str, sets: int) -> ClassSet:
    letter = text.strip().upper()
    if len(letter) != 1 or letter not in ascii_uppercase[:sets]:
        raise _wrong(
            "--set",
            f'there is no set "{text}"; write a letter from A to {ascii_uppercase[sets - 1]}',
        )
    return ClassSet(ascii_uppercase.index(letter) + 1)


def _one_of(word: str, known: tuple[Word, ...], option: str) -> Word:
    for each in known:
        if each == word.strip().lower():
            return each
    advice = formats.suggestion(word, dict.fromkeys(map(str, known)))
    raise _wrong(option, f'there is no "{word}"; {advice}')


def _cutting(
    cut: str | None, gutter: str | None, bleed: str | None
) -> tuple[Cut | None, float | None, float | None]:
    """The way of cutting, the gutter and the bleed, which must go together."""
    way = None if cut is None else _one_of(cut, CUTS, "--cut")
    between = None if gutter is None else _length(gutter, "--gutter")
    beyond = None if bleed is None else _length(bleed, "--bleed")
    if (between or beyond) and way not in ("gutter", "none"):
        raise _wrong("--gutter" if between else "--bleed", "cards must lie apart; add --cut gutter")
    if way == "gutter" and between == 0:
        raise _wrong("--gutter", "no space is left between cards; write 4mm, or --cut shared")
    if beyond and 2 * beyond > (between or 0) and (between or way == "none"):
        raise _wrong(
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


def _named(files: list[Path] | None) -> list[Path]:
    """What is named; an activity of the library may be named by its slug alone."""
    if not files:
        return [_DEFAULT_FOLDER]
    named = []
    for path in files:
        inside = _DEFAULT_FOLDER / f"{path}.yaml"
        named.append(inside if inside.is_file() and not path.exists() else path)
    return named


def _options(
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
) -> tuple[list[Path], build.Options]:
    """The options of build, check and plan."""
    editions = EDITIONS if only is None else (_one_of(only, EDITIONS, "--only"),)
    if cards is not None and parts is not None:
        raise _wrong("--cards", "they are of one part; leave out --parts")
    of_players = {
        "--sets": sets,
        "--set": set_,
        "--parts": parts,
        "--split": split,
        "--cards": cards,
    }
    for option, given in of_players.items():
        if editions == (HOST,) and given not in (None, False):
            raise _wrong(option, "the host key has none of this; leave out --only host")
    if set_ is None:
        class_sets = [ClassSet(number) for number in range(1, (sets or 0) + 1)]
    else:
        class_sets = [_class_set(set_, sets or MOST_SETS)]
    way, between, beyond = _cutting(cut, gutter, bleed)
    printing = Printing(
        sets=class_sets,
        parts=() if parts is None else _parts(parts),
        cards=() if cards is None else _listed(cards, "--cards", "R2,B1"),
        backs=_one_of(backs, BACKS, "--backs"),
        cut=way,
        gutter=between,
        bleed=beyond,
        order=_one_of(order, ORDERS, "--order"),
        large=large_print,
        profile=printers.NONE if printer is None else printers.load(printer),
    )
    flip = printing.profile.flip
    if printer is not None and printing.backs in printers.FLIPS and printing.backs != flip:
        raise _wrong(
            "--backs", f'printer "{printer}" turns paper over the {flip}; write --backs {flip}'
        )
    if puzzle is not None and puzzles_ is not None:
        raise _wrong("--puzzles", "they are more than one puzzle; leave out --puzzle")
    words = os.environ.get(_SECRET, "")
    if secret:
        words = typer.prompt("Secret words", hide_input=True)
    orders = [
        PuzzleOrder(
            number,
            None if mode is None else _one_of(mode, tuple(puzzles.MODES), "--mode"),
            checkers,
            None if candidates is None else _range(candidates, "--candidates"),
            words,
        )
        for number in ([puzzle] if puzzles_ is None else _range(puzzles_, "--puzzles"))
    ]
    papers: dict[str, Format] = {}
    for each in map(_paper, paper or ["A4"]):
        papers.setdefault(each.dimensions, each)
    return _named(files), build.Options(
        printing, list(papers.values()), editions, split, language or (), orders
    )


def _range(text: str, option: str) -> range:
    """A range of whole numbers from 1, such as 3-8, or one number."""
    match = re.fullmatch(r"([0-9]{1,4})(?:\s*[-\u2013]\s*([0-9]{1,4}))?", text.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise _wrong(option, f'"{text}" is not a range; write one such as 1-20')
    return range(first, last + 1)


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of `_options` before its own; it gets what they return."""
    shared = inspect.signature(_options).parameters
    own = inspect.signature(command).parameters
    parameters = [*shared.values(), *list(own.values())[2:]]

    @functools.wraps(command)
    def run(**values: object) -> None:
        with _faults() as faults:
            chosen = _options(**{name: values.pop(name) for name in shared})  # type: ignore[arg-type]
            command(build.build(library.find(chosen[0]), chosen[1]), faults, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


@contextmanager
def _faults() -> Iterator[list[Fault]]:
    """Collects faults, prints them when all is done, and ends with exit code 1 if there are any."""
    faults: list[Fault] = []
    try:
        yield faults
    except KitError as error:
        faults += error.faults
    for each in faults:
        typer.echo(f"{each}\n", err=True)
    if faults:
        typer.echo(_counted(len(faults), "fault"), err=True)
        raise typer.Exit(1)


def _sound(
    results: Iterable[build.Result], faults: list[Fault]
) -> Iterator[tuple[build.Result, Activity]]:
    """The results without faults; the faults of the others are added to `faults`."""
    for result in results:
        faults += result.faults
        if result.activity is not None:
            yield result, result.activity


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pages(result: build.Result) -> str:
    pages = {
        edition: sum(len(output.sides) for output in result.outputs if output.edition == edition)
        for edition in EDITIONS
    }
    told = [f"{each} {_counted(number, 'page')}" for each, number in pages.items() if number]
    return ", ".join(told) or "nothing to print"


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"kit-builder {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


@app.command("build")
@_with_options
def _build(
    results: Iterable[build.Result],
    faults: list[Fault],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the PDFs go.")] = Path("build"),
) -> None:
    """Build the kits: PDFs for the players and for the host."""
    written = 0
    for result, activity in _sound(results, faults):
        try:
            build.write(result.outputs, out)
        except KitError as error:
            faults += error.faults
            continue
        written += len(result.outputs)
        typer.echo(f"{activity.kit.slug}: {_pages(result)}")
    if written:
        typer.echo(f"{_counted(written, 'PDF')} in {library.shown(out)}")


@app.command("check")
@_with_options
def _check(results: Iterable[build.Result], faults: list[Fault]) -> None:
    """Check activities: everything that build does, except writing."""
    for result, activity in _sound(results, faults):
        typer.echo(f"{activity.kit.slug}: no faults, {_pages(result)}")


@app.command("plan")
@_with_options
def _plan(
    results: Iterable[build.Result],
    faults: list[Fault],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON instead of a table.")] = False,
) -> None:
    """Say what a build would need: pages, sheets, cards, cuts."""
    needs = {
        activity.kit.slug: plan.count(result.outputs)
        for result, activity in _sound(results, faults)
    }
    total = sum(needs.values(), plan.Count())
    if as_json:
        rows = {"activities": {slug: asdict(count) for slug, count in needs.items()}}
        typer.echo(json.dumps(rows | {"total": asdict(total)}, indent=2))
        return
    table: list[tuple[str, ...]] = [
        ("activity", "pages", "sheets of paper", "sheets of card", "cards", "cuts")
    ]
    for name, count in (*needs.items(), ("total", total)):
        table.append((name, *map(str, astuple(count))))
    _print_table(table)


@app.command("calibrate")
def _calibrate(
    paper: Annotated[str, typer.Option(metavar="NAME", help="The paper to measure with.")] = "A4",
    flip: Annotated[
        str, typer.Option(metavar="EDGE", help=f"How it turns paper: {', '.join(printers.FLIPS)}.")
    ] = printers.NONE.flip,
    language: Annotated[str, typer.Option(metavar="CODE", help="Of the instructions.")] = "en",
    out: Annotated[Path, typer.Option(metavar="FILE", help="The PDF to write.")] = Path(
        "calibrate.pdf"
    ),
) -> None:
    """Make a test sheet that shows what your printer does wrong."""
    with _faults():
        profile = printers.Profile(flip=_parsed(printers.flip, flip, "--flip"))
        build.calibrate(_paper(paper), language, profile, out)
        typer.echo(library.shown(out))


_printer = typer.Typer(help="Save what a printer does wrong, once measured.", no_args_is_help=True)
app.add_typer(_printer, name="printer")


@_printer.command("save")
def _save(
    name: Annotated[str, typer.Argument(help="What to call the printer.")],
    back_x: Annotated[
        str, typer.Option(metavar="LENGTH", help="How far backs must move to the right.")
    ] = "0mm",
    back_y: Annotated[
        str, typer.Option(metavar="LENGTH", help="How far backs must move up.")
    ] = "0mm",
    flip: Annotated[
        str, typer.Option(metavar="EDGE", help=f"How it turns paper: {', '.join(printers.FLIPS)}.")
    ] = printers.NONE.flip,
    margin: Annotated[
        str, typer.Option(metavar="LENGTH", help="What it cannot print at the edges.")
    ] = f"{units.in_mm(printers.NONE.margin)}mm",
    scale_x: Annotated[
        str, typer.Option(metavar="FACTOR", help="100 over the mm measured across.")
    ] = "1",
    scale_y: Annotated[
        str, typer.Option(metavar="FACTOR", help="100 over the mm measured down.")
    ] = "1",
) -> None:
    """Save the figures read off a test sheet, for --printer NAME."""
    with _faults():
        profile = printers.Profile(
            name,
            _parsed(printers.flip, flip, "--flip"),
            _parsed(printers.offset, back_x, "--back-x"),
            _parsed(printers.offset, back_y, "--back-y"),
            _parsed(printers.margin, margin, "--margin"),
            _parsed(printers.scale, scale_x, "--scale-x"),
            _parsed(printers.scale, scale_y, "--scale-y"),
        )
        typer.echo(f"saved in {printers.save(profile)}")


@_printer.command("list")
def _printers() -> None:
    """List the saved printers."""
    table: list[tuple[str, ...]] = [
        ("printer", "flip", "back right", "back up", "margin", "scale across", "scale down")
    ]
    with _faults() as faults:
        for name in printers.names():
            try:
                each = printers.load(name)
            except KitError as error:
                faults += error.faults
                continue
            lengths = (each.back_x, each.back_y, each.margin)
            told = (f"{units.in_mm(length)} mm" for length in lengths)
            table.append((name, each.flip, *told, f"{each.scale_x:g}", f"{each.scale_y:g}"))
        _print_table(table)


@app.command("list")
def _list(files: Files = None) -> None:
    """List activities: title, language, players, minutes, pieces."""
    table = [("slug", "title", "language", "players", "minutes", "pieces")]
    with _faults() as faults:
        found = build.read(library.find(_named(files)))
        for _, activity in _sound(found, faults):
            kit = activity.kit
            players, minutes, pieces = str(kit.players), str(kit.minutes), str(kit.pieces)
            table.append((kit.slug, kit.title, kit.language, players, minutes, pieces))
        _print_table(table)


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    """Columns of figures are set to the right, the others to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numeric = [all(cell.isdigit() for cell in column[1:]) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        typer.echo("  ".join(cells).rstrip())


def main() -> None:
    """The console command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A title may have a letter that the terminal has not: it is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        typer.echo(error.format_message(), err=True)
        code = error.exit_code
    except typer.Abort:  # at a prompt
        code = _STOPPED
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        typer.echo("the report cannot be written; free space on the disk", err=True)
        code = 1
    if code == _STOPPED:
        typer.echo("stopped; every PDF that was written is whole", err=True)
    sys.exit(code)
