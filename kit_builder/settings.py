"""Options, from the command line and from kit.yaml together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from kit_builder import formats, library, options, resources
from kit_builder.errors import Location, fault
from kit_builder.library import PROJECT
from kit_builder.run import Run
from kit_builder.variants import Options
from kit_builder.volumes import Volume

if TYPE_CHECKING:
    from kit_builder.project import Booklet, Project, Settings

_LIKE = 0.8  # how like a slug a name must be, to be looked for among the activities

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
    def settings(self) -> Settings:
        """Those of the project."""
        return self.project.settings if self.project else {}

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
        folders = [path if path.is_dir() else path.parent for path in self.named]
        templates = [each / "templates" for path in folders for each in (path, path.parent)]
        mine = self.project.path if self.project else Path(PROJECT)
        return [*folders, *templates, resources.folder("templates"), mine]

    def run(self, wanted: Options, *, gallery: bool, **chosen: Any) -> Run:
        """A run of everything in it; other values are as in `Run`.

        Raises:
            KitError: as for `paths`; or a setting of a booklet is wrong.
        """
        return Run(
            self.paths(),
            [path for path in self.named if path.is_dir()],
            wanted,
            gallery=gallery and (self.project is None or self.project.gallery),
            volumes=self._volumes(),
            **chosen,
        )

    def _volumes(self) -> list[Volume] | None:
        """The booklets of the project, if all of it is named."""
        if self.project is None or self.named is not self.project.activities:
            return None
        return [self._volume(booklet) for booklet in self.project.booklets]

    def _volume(self, booklet: Booklet) -> Volume:
        known = {path.stem: path for path in self.paths()}
        for slug in booklet.slugs:
            if slug not in known:
                instead = formats.suggestion(slug, known)
                raise fault(slug.location, f'there is no activity "{slug}"', instead)
        own = {name: self.settings[name] for name in ("school",) if name in self.settings}
        return Volume(
            booklet.file,
            applied(options.bound, {}, {**own, **booklet.settings}),
            [known[slug] for slug in booklet.slugs] or list(known.values()),
            booklet.location,
        )


def scope(files: Sequence[Path] | None) -> Scope:
    """What is named on the command line.

    A folder with a kit.yaml, or that file itself, stands for all of its project; a kit.yaml right
    here counts for whatever is named. An activity may be named by its slug alone.

    Raises:
        KitError: the kit.yaml is faulty.
    """
    if files and len(files) == 1:
        (path,) = files
        inside = path if path.name == PROJECT else path / PROJECT
        if inside.is_file():
            project = _read(inside)
            return Scope(project.activities, project)
    here = Path(PROJECT)
    known = _read(here) if here.is_file() else None
    usual = known.activities if known else [library.default(Path())]
    return Scope([_meant(path, usual) for path in files] if files else usual, known)


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
        settings: of kit.yaml.

    Raises:
        KitError: a setting is wrong; or as `choose`.
        typer.BadParameter: as `choose`, about an option of the command line.
    """
    values = dict(given)
    places: dict[str, Location] = {}
    for name in inspect.signature(choose).parameters:
        option = name.strip("_").replace("_", "-")
        if option in settings and not values.get(name):
            values[name] = settings[option].value
            places[f"--{option}"] = settings[option].location
    try:
        return choose(**values)
    except typer.BadParameter as error:
        if error.param_hint not in places:
            raise
        what, _, instead = error.message.partition("; ")
        raise fault(places[str(error.param_hint)], what, instead) from None
