"""Options, from the command line and from kit.yaml together."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from kit_builder import arguments, formats, library, options, resources
from kit_builder.errors import Fault, KitError, Location, Source, fault
from kit_builder.files import shown
from kit_builder.library import PROJECT
from kit_builder.printing import HOST
from kit_builder.run import Run
from kit_builder.variants import Options
from kit_builder.volumes import Volume

if TYPE_CHECKING:
    from kit_builder.project import Booklet, Project, Setting, Settings

_LIKE = 0.8  # how like a slug a name must be, to be looked for among the activities

_MISNAMED = ("kit.yml", "kit.yaml.txt")

# What does not go together: an option of the command line sets these settings aside.
_ASIDE = {
    "cards": ("parts",),
    "cut": ("gutter", "bleed"),
    "puzzle": ("puzzles",),
    "puzzles": ("puzzle",),
}
_OF_PLAYERS = ("sets", "set", "parts", "split", "cards")

# An option in a message, such as "add --fold" or "write --backs long-edge".
_OPTION = re.compile(r"(add )?--([a-z-]+)( (?=\w))?")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a command is about.

    Attributes:
        named: files and folders of activities.
        project: that they belong to, if they belong to one.
    """

    named: Sequence[Path]
    project: Project | None

    @property
    def out(self) -> Path:
        """The output folder, if no other is named."""
        return self.project.out if self.project else Path("build")

    def paths(self) -> list[Path]:
        """The activities.

        Raises:
            KitError: as `library.find`.
        """
        return library.find(self.named)

    def places(self) -> list[Path]:
        """The files and folders on which a build of it depends, whether they exist or not."""
        folders = [path.parent if path.suffix in library.SUFFIXES else path for path in self.named]
        templates = [each / "templates" for path in folders for each in (path, path.parent)]
        mine = [Path(PROJECT)]
        if self.project:
            mine = [self.project.path]
            for booklet in self.project.booklets:
                mine += (self._insert(self.project, each)[0] for each in booklet.inserts)
        return [*folders, *templates, resources.folder("templates"), *mine]

    def chosen(self, choose: Callable[..., Value], given: Mapping[str, Any]) -> Value:
        """What options choose, where the settings of the project stand in for others.

        Raises:
            KitError: as `applied`.
            typer.BadParameter: as `applied`.
        """
        if self.project is None:
            return applied(choose, given, {})
        own = self.project.binding if choose is options.bound else self.project.settings
        return applied(choose, given, own)

    def run(self, wanted: Options, *, gallery: bool, **chosen: Any) -> Run:
        """A run of everything in it; other values are as in `Run`.

        Raises:
            KitError: as for `paths`; or booklets cannot be as they are wanted.
        """
        paths = self.paths()
        return Run(
            paths,
            [path for path in self.named if path.is_dir()],
            wanted,
            gallery=gallery and (self.project is None or self.project.gallery),
            volumes=self._volumes(paths),
            **chosen,
        )

    def _volumes(self, paths: Sequence[Path]) -> list[Volume] | None:
        """The booklets of the project, if all of it is named."""
        if self.project is None or self.named is not self.project.activities:
            return None
        known = {path.stem: path for path in paths}
        volumes: list[Volume] = []
        faults: list[Fault] = []
        for booklet in self.project.booklets:
            try:
                volumes.append(self._volume(self.project, booklet, known))
            except KitError as error:
                faults += error.faults
        if faults:
            raise KitError(*_in_order(faults))
        return volumes

    def _volume(self, project: Project, booklet: Booklet, known: Mapping[str, Path]) -> Volume:
        faults = [
            Fault(slug.location, f'there is no activity "{slug}"', formats.suggestion(slug, known))
            for slug in booklet.slugs
            if slug not in known
        ]
        if (slug := booklet.file.partition(".")[0].lower()) in known:
            what = f"this is the name of a PDF of {known[slug].name}"
            faults.append(Fault(booklet.file.location, what, "write another name"))
        inserts = []
        for each in booklet.inserts:
            path, pages = self._insert(project, each)
            inserts.append((path, pages))
            if not path.is_file():
                faults.append(
                    Fault(
                        each.location,
                        f'there is no file "{each}"',
                        "write a path as seen from the folder of kit.yaml",
                    )
                )
        try:
            order = applied(options.bound, {}, {**project.binding, **booklet.settings})
        except KitError as error:
            faults += error.faults
        if faults:
            raise KitError(*faults)
        return Volume(
            booklet.file,
            replace(order, inserts=inserts),
            [known[slug] for slug in booklet.slugs] or list(known.values()),
            booklet.file.location,
        )

    def _insert(self, project: Project, typed: str) -> tuple[Path, str]:
        """A file to insert, and which of its pages."""
        path, pages = arguments.insert(typed)
        return project.path.parent / path, pages


def scope(files: Sequence[Path] | None) -> Scope:
    """What is named on the command line.

    A folder with a kit.yaml, or that file itself, stands for all of its project; a kit.yaml right
    here counts for whatever is named. An activity may be named by its slug alone.

    Raises:
        KitError: the kit.yaml is faulty, or has another name.
    """
    if files and len(files) == 1:
        (path,) = files
        inside = path if path.name == PROJECT else path / PROJECT
        if inside.is_file():
            project = _read(inside)
            return Scope(project.activities, project)
        _refuse_misnamed(path)
    here = Path(PROJECT)
    _refuse_misnamed(here.parent)
    known = _read(here) if here.is_file() else None
    usual = known.activities if known else [library.default(Path())]
    return Scope([_meant(path, usual) for path in files] if files else usual, known)


def _refuse_misnamed(folder: Path) -> None:
    """Refuses a kit.yaml that would not be read, because it is called otherwise."""
    if not (folder / PROJECT).is_file():
        for path in (folder / name for name in _MISNAMED):
            if path.is_file():
                place = Location(Source(shown(path)))
                raise fault(place, "the file of a project has another name", f"call it {PROJECT}")


def _read(path: Path) -> Project:
    from kit_builder import project  # here, since it loads YAML, which few builds need

    return project.read(path)


def _meant(path: Path, folders: Sequence[Path]) -> Path:
    """A path as it is, or the file of the activity that it is the slug of, or nearly."""
    if path.exists():
        return path
    for folder in folders:
        slugs = [each.stem for each in folder.glob("*.yaml")]
        if get_close_matches(str(path), slugs, n=1, cutoff=_LIKE):
            return folder / f"{path}.yaml"
    return path


def applied(choose: Callable[..., Value], given: Mapping[str, Any], settings: Settings) -> Value:
    """What some options choose, where settings stand in for those that are not given.

    Args:
        choose: has a parameter for each option.
        given: their values.
        settings: of kit.yaml; those that do not go with what is given do not count.

    Raises:
        KitError: settings are wrong, each with its place.
        typer.BadParameter: as `choose`, about an option of the command line.
    """
    parameters = inspect.signature(choose).parameters
    names = {name.strip("_").replace("_", "-"): name for name in parameters}
    typed = {
        option: given[name]
        for option, name in names.items()
        if name in given and given[name] != parameters[name].default
    }
    used = {
        option: settings[option]
        for option in settings.keys() & names.keys() - typed.keys() - _aside(typed, settings)
    }
    faults: list[Fault] = []
    while True:
        values = {names[option]: _plain(setting) for option, setting in used.items()}
        try:
            made = choose(**{**given, **values})
        except typer.BadParameter as error:
            option = str(error.param_hint).removeprefix("--")
            if option not in used:
                raise
            what, _, instead = error.message.partition("; ")
            place = used[option].place(what)
            faults.append(Fault(place, what, _OPTION.sub(_as_setting, instead)))
        except KitError as error:  # of the printer, which is told by its name alone
            option = "printer"
            if option not in used:
                raise
            place = used[option].location
            faults += (replace(each, location=each.location or place) for each in error.faults)
        else:
            if faults:
                raise KitError(*_in_order(faults))
            return made
        # Without it, and what may depend on it, there may be other faults.
        for each in (option, *_ASIDE.get(option, ())):
            used.pop(each, None)


def _aside(typed: Mapping[str, Any], settings: Settings) -> set[str]:
    """The settings that do not go with what was typed."""
    aside = {other for option in typed for other in _ASIDE.get(option, ())}
    if _is_host(typed.get("only")):
        aside |= {*_OF_PLAYERS}
    elif "only" in settings and _is_host(settings["only"].value):
        aside |= {"only"} if typed.keys() & {*_OF_PLAYERS} else set()
    return aside


def _is_host(edition: object) -> bool:
    return str(edition).strip().lower() == HOST


def _plain(setting: Setting) -> str | int | bool | list[str]:
    """A value as the command line would have it."""
    value = setting.value
    if isinstance(value, int):
        return value
    return str(value) if isinstance(value, str) else [str(each) for each in value]


def _as_setting(option: re.Match[str]) -> str:
    """An option as it is written in kit.yaml: "add fold: yes", "write backs: long-edge"."""
    add, name, value = option.groups()
    return f"{add or ''}{name}{': ' if value else ': yes' if add else ''}"


def _in_order(faults: list[Fault]) -> list[Fault]:
    from kit_builder import manuscript  # here, since it loads YAML

    return manuscript.in_order(faults)
