"""Arguments in, report out, exit code: 0 all is well, 1 the user's files, 2 the command line.

Annotations are evaluated here, because Typer makes the command line from them.
"""

import errno
import functools
import inspect
import io
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated

import typer

from kit_builder import (
    __version__,
    build,
    crew,
    files,
    library,
    options,
    printers,
    report,
    run,
    store,
    units,
)
from kit_builder.binding import Order
from kit_builder.errors import Fault, KitError
from kit_builder.files import shown
from kit_builder.job import Count
from kit_builder.printing import EDITIONS, HOST, PLAYER
from kit_builder.report import Report, counted, pages
from kit_builder.run import Run
from kit_builder.variants import Options

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


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of `options.chosen` before its own; it gets what they return."""
    shared = inspect.signature(options.chosen).parameters
    own = inspect.signature(command).parameters
    parameters = [*shared.values(), *list(own.values())[2:]]

    @functools.wraps(command)
    def run(**values: object) -> None:
        with _faults() as faults:
            chosen = options.chosen(**{name: values.pop(name) for name in shared})  # type: ignore[arg-type]
            command(chosen, faults, **values)

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
    report.echo_faults(faults)
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
@_with_options
def _build(
    chosen: tuple[list[Path], Options],
    faults: list[Fault],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the PDFs go.")] = Path("build"),
    force: Annotated[
        bool, typer.Option("--force", help="Make everything again, even what is up to date.")
    ] = False,
    gallery: Annotated[
        bool,
        typer.Option(
            "--gallery/--no-gallery", help="A page with pictures of all kits beside the PDFs."
        ),
    ] = True,
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
        bool, typer.Option("--password", help=f"Lock the host's PDFs. {options.ASKED}")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say only what is wrong.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say everything as JSON, when all is done.")
    ] = False,
) -> None:
    """Build the kits: PDFs for the players and for the host."""
    named, wanted = chosen
    if dask and jobs:
        raise options.wrong("--jobs", "the cluster has its own; leave out --dask or --jobs")
    word = options.password(password)
    if word and HOST not in wanted.editions:
        raise options.wrong("--password", "it locks the host's PDFs; leave out --only player")
    with _told_as_json(faults, as_json) as told:
        order = Run(
            library.find(named),
            [path for path in named if path.is_dir()],
            wanted,
            force,
            gallery,
            lock=_lock(word) if word else None,
        )
        folder = shown(out)
        waiting = f"waiting: another build is in {folder}"
        with (
            Report(folder, len(order.paths), faults, quiet or as_json) as report,
            store.opened(out, lambda: typer.echo(waiting, err=True)) as opened,
            _executor(jobs, dask) as (executor, size, few),
        ):
            told.append(report)
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
    if dask:
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


@app.command("booklet")
def _booklet(
    named: options.Files = None,
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
    paper: Annotated[str, typer.Option(metavar="NAME", help="The paper to print on.")] = "A4",
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
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The PDF to write.  [default: build/booklet.pdf, or build/booklet.host.pdf]",
            show_default=False,
        ),
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help=f"Lock what is written. {options.ASKED}")
    ] = False,
) -> None:
    """Bind kits into one PDF: cover, contents, running page numbers."""
    whom = options.one_of(edition, EDITIONS, "--edition")
    sheet = options.paper_called(paper)
    order = Order(
        whom,
        sheet,
        language,
        title.strip(),
        school.strip(),
        date.strip(),
        options.folding(fold, signature, creep, sheet),
        [options.insert(each) for each in insert or ()],
    )
    path = out or Path("build") / ("booklet.pdf" if whom == PLAYER else "booklet.host.pdf")
    if path.resolve() in [each.resolve() for each, _ in order.inserts]:
        raise options.wrong("--out", f"{path} is inserted; write another name")
    word = options.password(password)
    with _faults():
        paths = library.find(options.named(named))
        from kit_builder import bindery  # it loads pypdf and all that sets type

        bound = bindery.bind(paths, order)
        if path.name in bound.apart:
            raise options.wrong("--out", f"{path.name} is printed apart; write another name")
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


@app.command("check")
@_with_options
def _check(chosen: tuple[list[Path], Options], faults: list[Fault]) -> None:
    """Check activities: everything that build does, except writing."""
    for result in build.build(library.find(chosen[0]), chosen[1]):
        faults += result.faults
        if not result.faults:
            typer.echo(f"{result.slug}: no faults, {pages(result)}")


@app.command("plan")
@_with_options
def _plan(
    chosen: tuple[list[Path], Options],
    faults: list[Fault],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON instead of a table.")] = False,
) -> None:
    """Say what a build would need: pages, sheets, cards, cuts."""
    needs: dict[str, Count] = {}
    for result in build.build(library.find(chosen[0]), chosen[1]):
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
        profile = printers.Profile(flip=options.parsed(printers.flip, flip, "--flip"))
        from kit_builder import press  # it loads all that sets type

        sheet = press.calibration_sheet(options.paper_called(paper), language, profile)
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
            options.parsed(printers.flip, flip, "--flip"),
            options.parsed(printers.offset, back_x, "--back-x"),
            options.parsed(printers.offset, back_y, "--back-y"),
            options.parsed(printers.margin, margin, "--margin"),
            options.parsed(printers.scale, scale_x, "--scale-x"),
            options.parsed(printers.scale, scale_y, "--scale-y"),
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
def _list(named: options.Files = None) -> None:
    """List activities: title, language, players, minutes, pieces."""
    table = [("slug", "title", "language", "players", "minutes", "pieces")]
    with _faults() as faults:
        from kit_builder.desk import Desk  # it loads all that reads activities

        for path in library.find(options.named(named)):
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
