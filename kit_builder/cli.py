"""Arguments in, report out, exit code: 0 all is well, 1 the user's files, 2 the command line.

Annotations are evaluated here, because Typer makes the command line from them.
"""

import errno
import functools
import inspect
import io
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from kit_builder import (
    __version__,
    arguments,
    build,
    crew,
    files,
    options,
    printers,
    run,
    settings,
    store,
    units,
)
from kit_builder.binding import Order
from kit_builder.errors import Fault, KitError
from kit_builder.files import shown
from kit_builder.job import Count
from kit_builder.printing import HOST, PLAYER
from kit_builder.report import Report, counted, echo_faults, pages
from kit_builder.settings import Scope
from kit_builder.variants import Options

Choice = TypeVar("Choice")
Asked = Callable[[], tuple[Scope, Choice]]
"""Tells what a command is about, and what is chosen of it, as kit.yaml is when it is asked."""

_STOPPED = 128 + signal.SIGINT

# For so many activities, times the processes, jobs wait: none of them is ever out of work.
_AHEAD = 4
# So many jobs take less time than starting processes.
_FEW = 6

app = typer.Typer(
    help="Turns YAML activity definitions into printable tabletop kits.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _with(choose: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the files that it is about and the options of `choose`, before its own.

    It gets a question, for the scope that is named and what is chosen of it, and a list to add
    faults to.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        files_ = inspect.Parameter(
            "files",
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=options.Files,
        )
        shared = inspect.signature(choose).parameters
        own = list(inspect.signature(command).parameters.values())[2:]
        parameters = [files_, *shared.values(), *own]

        @functools.wraps(command)
        def run(**values: Any) -> None:
            with _faults() as faults:
                named = values.pop("files")
                given = {name: values.pop(name) for name in shared}

                def ask() -> tuple[Scope, Any]:
                    scope = settings.scope(named)
                    return scope, scope.chosen(choose, given)

                command(ask, faults, **values)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


@contextmanager
def _faults() -> Iterator[list[Fault]]:
    """Collects faults, prints them when all is done, and ends with exit code 1 if there are any."""
    faults: list[Fault] = []
    try:
        yield faults
    except KitError as error:
        faults += error.faults
    echo_faults(faults)
    if faults:
        raise typer.Exit(1)


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
@_with(options.chosen)
def _build(
    ask: Asked[Options],
    faults: list[Fault],
    out: options.Out = None,
    force: Annotated[
        bool, typer.Option("--force", help="Make everything again, even what is up to date.")
    ] = False,
    no_gallery: options.NoGallery = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Processes that work at once.  [default: one for each core]",
            show_default=False,
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a Dask cluster: the address of its scheduler, such as tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help=f"Lock the host's PDFs. {arguments.ASKED}")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what is wrong.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say everything as JSON, when all is done.")
    ] = False,
) -> None:
    """Build the kits: PDFs for the players and for the host."""
    if dask is not None and jobs:
        raise arguments.wrong("--jobs", "the cluster has its own; leave out --dask or --jobs")
    with _told_as_json(faults, as_json) as told:
        scope, wanted = ask()
        folder = out or scope.out
        word = arguments.password(password)
        if word and HOST not in wanted.editions:
            raise arguments.wrong("--password", "it locks the host's PDFs; leave out --only player")
        order = scope.run(
            wanted, force=force, gallery=not no_gallery, lock=_lock(word) if word else None
        )
        report = Report(shown(folder), len(order.paths), faults, quiet or as_json)
        told.append(report)
        waiting = f"waiting: another build is in {shown(folder)}"
        with (
            store.opened(folder, lambda: typer.echo(waiting, err=True)) as opened,
            _executor(jobs, dask) as (executor, size, few),
            report,
        ):
            run.run(order, opened, report, executor, few=few, ahead=_AHEAD * size)
        if not as_json:
            report.sum_up()


@contextmanager
def _told_as_json(faults: list[Fault], asked: bool) -> Iterator[list[Report]]:
    """Whatever becomes of it, the report that is appended is told as JSON if that is asked for."""
    reports: list[Report] = []
    if not asked:
        yield reports
        return
    try:
        yield reports
    except KitError as error:
        faults += error.faults
    report = reports[0] if reports else Report("", 0, faults)
    typer.echo(report.as_json())
    if faults:
        raise typer.Exit(1)


@contextmanager
def _executor(jobs: int | None, dask: str | None) -> Iterator[tuple[Executor | None, int, int]]:
    """Who makes the jobs, how many at once, and how few are better made here."""
    size = jobs or crew.cores()
    if dask is not None:
        from kit_builder import cluster  # it knows Dask, which takes a second to load

        with cluster.connected(dask) as found:
            yield found, found.size, 0
    elif size == 1:
        yield None, 0, 0
    else:
        with crew.Crew(size) as found:
            yield found, size, _FEW


def _lock(word: str) -> Callable[[bytes], bytes]:
    from kit_builder import locking  # it loads pypdf, which no other build needs

    return functools.partial(locking.lock, password=word)


@app.command("watch")
@_with(options.chosen)
def _watch(
    ask: Asked[Options],
    _: list[Fault],
    out: options.Out = None,
    no_gallery: options.NoGallery = False,
) -> None:
    """Build again whenever something is saved."""
    # Here, since no other command needs them.
    from rich.console import Console

    from kit_builder import watching

    def places() -> list[Path]:
        try:
            return ask()[0].places()
        except KitError as error:  # of kit.yaml, which is told when it is built
            return [Path(each.location.source.path) for each in error.faults if each.location]

    size = crew.cores()
    with crew.Crew(size) as executor:
        for _turn in watching.saves(places):
            if sys.stdout.isatty():
                Console().clear()
            faults: list[Fault] = []
            try:
                scope, wanted = ask()
                folder = out or scope.out
                order = scope.run(wanted, gallery=not no_gallery)
                with (
                    Report(shown(folder), len(order.paths), faults) as report,
                    store.opened(folder, lambda: None) as opened,
                ):
                    run.run(order, opened, report, executor, few=_FEW, ahead=_AHEAD * size)
                report.sum_up()
            except KitError as error:
                faults += error.faults
            echo_faults(faults)
            typer.echo("watching; press Ctrl-C to stop")


@app.command("booklet")
@_with(options.bound)
def _booklet(
    ask: Asked[Order],
    _: list[Fault],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The PDF to write.  [default: build/booklet.pdf, or build/booklet.host.pdf]",
            show_default=False,
        ),
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help=f"Lock what is written. {arguments.ASKED}")
    ] = False,
) -> None:
    """Bind kits into one PDF: cover, contents, running page numbers."""
    scope, order = ask()
    path = out or Path("build") / ("booklet.pdf" if order.edition == PLAYER else "booklet.host.pdf")
    if path.resolve() in [each.resolve() for each, _ in order.inserts]:
        raise arguments.wrong("--out", f"{path} is inserted; write another name")
    word = arguments.password(password)
    paths = scope.paths()
    from kit_builder import bindery  # it loads pypdf and all that sets type

    bound = bindery.bind(paths, order)
    if path.name in bound.apart:
        raise arguments.wrong("--out", f"{path.name} is printed apart; write another name")
    made = {path: bound.pdf}
    made |= {path.with_name(name): pdf for name, pdf in bound.apart.items()}
    if word:
        made = {name: _lock(word)(pdf) for name, pdf in made.items()}
    files.write(made)
    told = [counted(len(paths), "activity"), counted(bound.pages, "page")]
    if bound.sheets:
        told.append(f"{counted(bound.sheets, 'sheet')} to fold")
    typer.echo(f"{shown(path)}: {', '.join(told)}")
    for name in bound.apart:
        typer.echo(f"{shown(path.with_name(name))}: to print apart")


def _made(paths: Sequence[Path], wanted: Options) -> Iterator[build.Result]:
    """What a build would make of activities; nothing is written."""
    with _executor(None, None) as (executor, size, few):
        yield from build.build(paths, wanted, executor, few=few, ahead=_AHEAD * size)


@app.command("check")
@_with(options.chosen)
def _check(ask: Asked[Options], faults: list[Fault]) -> None:
    """Check activities: everything that build does, except writing."""
    scope, wanted = ask()
    for result in _made(scope.run(wanted, gallery=False).paths, wanted):
        faults += result.faults
        if not result.faults:
            typer.echo(f"{result.slug}: no faults, {pages(result)}")


@app.command("plan")
@_with(options.chosen)
def _plan(
    ask: Asked[Options],
    faults: list[Fault],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON instead of a table.")] = False,
) -> None:
    """Say what a build would need: pages, sheets, cards, cuts."""
    scope, wanted = ask()
    needs: dict[str, Count] = {}
    for result in _made(scope.paths(), wanted):
        faults += result.faults
        if not result.faults:
            needs[result.slug] = sum((each.count for each in result.outputs), Count())
    total = sum(needs.values(), Count())
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
        profile = printers.Profile(flip=arguments.parsed(printers.flip, flip, "--flip"))
        from kit_builder import press  # it loads all that sets type

        sheet = press.calibration_sheet(arguments.paper_called(paper), language, profile)
        files.write({out: sheet})
        typer.echo(shown(out))


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
            arguments.parsed(printers.flip, flip, "--flip"),
            arguments.parsed(printers.offset, back_x, "--back-x"),
            arguments.parsed(printers.offset, back_y, "--back-y"),
            arguments.parsed(printers.margin, margin, "--margin"),
            arguments.parsed(printers.scale, scale_x, "--scale-x"),
            arguments.parsed(printers.scale, scale_y, "--scale-y"),
        )
        typer.echo(f"saved in {printers.save(profile)}")


@_printer.command("list")
def _printers() -> None:
    """List the saved printers."""
    table: list[tuple[str, ...]] = [
        ("printer", "flip", "back right", "back up", "margin", "scale across", "scale down")
    ]
    with _faults() as faults:
        if not printers.names():
            typer.echo("no printer is saved yet; see kit-builder printer save --help")
            return
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
def _list(files: options.Files = None) -> None:
    """List activities: title, language, players, minutes, pieces."""
    table = [("slug", "title", "language", "players", "minutes", "pieces")]
    with _faults() as faults:
        from kit_builder.desk import Desk  # it loads all that reads activities

        for path in settings.scope(files).paths():
            try:
                kit = Desk(path.parent).read(path).kit
            except KitError as error:
                faults += error.faults
                continue
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


# What Typer says of a wrong number, in the words of a programmer, and what it means.
_NUMBERS = (
    (r"Input should be a valid integer.*", "this is no whole number; write one such as 4"),
    (r"Input should be greater than or equal to (\d+)", r"this is too small; write \1 or more"),
    (r"Input should be less than or equal to (\d+)", r"this is too large; write \1 or less"),
)


def _plainly(message: str) -> str:
    for said, meant in _NUMBERS:
        message = re.sub(said, meant, message)
    return message


def main() -> None:
    """The console command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A title may have a letter that the terminal has not: it is no reason to stop.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        typer.echo(_plainly(error.format_message()), err=True)
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
