"""Arguments in, report out, exit code: 0 all is well, 1 the user's files, 2 the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kit_builder import __version__, build, formats
from kit_builder.errors import Fault, KitError
from kit_builder.formats import Format
from kit_builder.layout import EDITIONS, HOST, PLAYER

_DEFAULT_FOLDER = Path("activities")

app = typer.Typer(
    help="Turns YAML activity definitions into printable tabletop kits.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Edition(StrEnum):
    """One of the two PDFs of a kit."""

    player = PLAYER
    host = HOST


def _paper(text: str) -> Format:
    try:
        return formats.paper(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE or FOLDER]...",
        help="Activity files, or folders of them. Without any: the folder activities/.",
        show_default=False,
    ),
]
Paper = Annotated[
    Format,
    typer.Option(
        parser=_paper,
        metavar="NAME",
        help=f"{', '.join(each.name for each in formats.PAPERS.values())}, or a size such as"
        ' "210 x 297 mm".',
    ),
]
Only = Annotated[
    Edition | None, typer.Option(help="Make one of the two PDFs only.", show_default=False)
]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"kit-builder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


@app.command("build")
def _build(
    files: Files = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the PDFs go.")] = Path("build"),
    paper: Paper = "a4",  # type: ignore[assignment]  # parsed by _paper
    only: Only = None,
) -> None:
    """Build the kits: for each activity a PDF for the players and one for the host."""
    written = 0
    with _faults() as faults:
        for result in _kits(files, paper, only, faults):
            build.write(result.outputs, out)
            written += len(result.outputs)
            typer.echo(f"{result.path.stem}: {_pages(result)}")
        typer.echo(f"{_counted(written, 'PDF')} in {build.shown(out)}")


@app.command("check")
def _check(files: Files = None, paper: Paper = "a4", only: Only = None) -> None:  # type: ignore[assignment]
    """Check activities: everything that build does, except writing."""
    with _faults() as faults:
        for result in _kits(files, paper, only, faults):
            typer.echo(f"{result.path.stem}: no faults, {_pages(result)}")


@app.command("list")
def _list(files: Files = None) -> None:
    """List activities: slug, title, language, players, minutes, pieces."""
    rows: list[tuple[str, ...]] = [("slug", "title", "language", "players", "minutes", "pieces")]
    with _faults() as faults:
        for result in build.read(build.find(files or [_DEFAULT_FOLDER])):
            faults += result.faults
            if result.activity:
                kit = result.activity.kit
                rows.append(
                    (
                        kit.slug,
                        kit.title,
                        kit.language,
                        str(kit.players),
                        str(kit.minutes),
                        str(kit.pieces),
                    )
                )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            typer.echo("  ".join(cells).rstrip())


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


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pages(result: build.Result) -> str:
    return ", ".join(
        f"{output.path.parent} {_counted(len(output.sides), 'page')}" for output in result.outputs
    )


def _kits(
    files: list[Path] | None, paper: Format, only: Edition | None, faults: list[Fault]
) -> Iterator[build.Result]:
    editions = (only.value,) if only else EDITIONS
    options = build.Options(papers=(paper,), editions=editions)
    for result in build.build(build.find(files or [_DEFAULT_FOLDER]), options):
        faults += result.faults
        if not result.faults:
            yield result


def main() -> None:
    """The console command."""
    app()
