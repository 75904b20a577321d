"""Activities of a library -> a booklet of their kits, ready to be written.

Every kit is made up first: then it is known which page of the booklet each of its pages is, and the
kits are set with these numbers. What is bound is checked and searched as single kits are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kit_builder import (
    activity,
    build,
    finished,
    folding,
    formats,
    inserts,
    leaks,
    makeup,
    preflight,
    signatures,
)
from kit_builder.booklet import Booklet, Kit
from kit_builder.build import MadeUp, Options, Prepared
from kit_builder.errors import Fault, KitError, Location, Source, Text, fault
from kit_builder.finished import Finished
from kit_builder.formats import Format
from kit_builder.frontmatter import Wording
from kit_builder.inserts import Insert
from kit_builder.layout import HOST, PLAYER
from kit_builder.library import Library, shown
from kit_builder.printing import PARTS, THE_KITS_OWN, Printing
from kit_builder.typeset import Numbering

_FOLDED = ("rules", "records")

Given = TypeVar("Given")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Folding:
    """How a booklet is folded: sheets of a signature, all in one if None; creep in points."""

    signature: int | None = None
    creep: float = 0


@dataclass(frozen=True, slots=True)
class Order:
    """A booklet that is wanted.

    Attributes:
        edition: PLAYER or HOST.
        paper: of its pages; of its sheets if it is folded.
        language: "" for the one in which most of its activities are written.
        title: "" for what booklets are called in its language.
        school, date: on the cover if they are not "".
        folding: None if it is not folded.
        inserts: files, and which of their pages, as in `inserts.insert`.
    """

    edition: str = PLAYER
    paper: Format = formats.PAPERS["a4"]
    language: str = ""
    title: str = ""
    school: str = ""
    date: str = ""
    folding: Folding | None = None
    inserts: Sequence[tuple[Path, str]] = ()

    @property
    def page(self) -> Format:
        """The size of a page."""
        return formats.half(self.paper) if self.folding else self.paper


@dataclass(frozen=True, slots=True)
class Bound:
    """A booklet, finished.

    Attributes:
        pages: how many it has.
        sheets: how many are to be folded; 0 if it is not.
        apart: by name: the files of what is not folded.
    """

    pdf: bytes
    pages: int
    sheets: int
    apart: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A kit of the booklet.

    Attributes:
        bound: its pages in the booklet.
        apart: its pages in a file of their own.
    """

    path: Path
    bound: MadeUp
    apart: MadeUp | None

    def kit(self, note: str) -> Kit:
        """As the booklet plans it; `note` says where the rest is."""
        made, whole = self.bound, self.apart is None
        alone = [
            whole and made.job.edition == PLAYER and side.part.name != "rules"
            for side in made.sides
        ]
        note = note.replace("{file}", self.apart.file_name) if self.apart else ""
        told = made.told
        return Kit(shown(self.path), told.title, told.language, made.job.edition, alone, note=note)


def bind(paths: Sequence[Path], order: Order) -> Bound:
    """The booklet of some activities, and what is printed apart from it.

    Raises:
        KitError: something in the activities or the inserted files is wrong, does not fit, or is
            the host's in a booklet for players.
    """
    libraries = {path.parent: Library(path.parent) for path in paths}
    known = dict(zip(paths, _each(paths, lambda path: libraries[path.parent].languages(path))))
    usual = Counter(own for own, *_ in known.values()).most_common(1)
    language = order.language or usual[0][0]
    chosen = _each(paths, lambda path: _chosen(libraries[path.parent], path, language, order))
    return _Bindery(libraries[paths[0].parent], language, chosen, order).bound()


def _each(given: Iterable[Path], make: Callable[[Path], Made]) -> list[Made]:
    """What is made of each file.

    Raises:
        KitError: the faults of all of them.
    """
    made: list[Made] = []
    faults: list[Fault] = []
    for path in given:
        try:
            made.append(make(path))
        except KitError as error:
            faults += build.located(error, path)
    if faults:
        raise KitError(*faults)
    return made


def _chosen(library: Library, path: Path, language: str, order: Order) -> _Chosen:
    own, *others = library.languages(path)
    if order.language and language not in (own, *others):
        raise KitError(build.untranslated(library.read(path), path, language))
    kit = Prepared(library, path, language if language in others else "", THE_KITS_OWN)
    if not order.folding or order.edition == HOST:
        return _Chosen(path, _made_up(kit, order.edition, order.page), None)
    folded = _FOLDED
    try:
        bound = _made_up(kit, PLAYER, order.page, folded)
    except KitError:  # a wide record needs a whole sheet
        folded = _FOLDED[:1]
        bound = _made_up(kit, PLAYER, order.page, folded)
    rest = _made_up(kit, PLAYER, order.paper, [part for part in PARTS if part not in folded])
    return _Chosen(path, bound, rest if rest.sides else None)


def _made_up(kit: Prepared, edition: str, paper: Format, parts: Sequence[str] = ()) -> MadeUp:
    (job,) = Options(Printing(parts=parts), (paper,), (edition,)).jobs()
    return build.make_up(kit, job)


class _Bindery:
    """One booklet in the making."""

    def __init__(
        self, library: Library, language: str, chosen: Sequence[_Chosen], order: Order
    ) -> None:
        self._library = library
        self._language = language
        self._labels = library.labels(language)
        self._title = order.title or self._labels["booklet-title"]
        self._chosen = chosen
        self._order = order
        self._lines: set[str] = set()  # what stands in the kits, each of which was searched

    def bound(self) -> Bound:
        """The booklet.

        Raises:
            KitError: as for `bind`.
        """
        order, labels = self._order, self._labels
        inserted = [self._inserted(path, pages) for path, pages in order.inserts]
        kits = [
            Kit(made.title, made.title, self._language, order.edition, [False] * made.pages)
            for made in inserted
        ]
        kits += [each.kit(labels["booklet-apart"]) for each in self._chosen]
        banner = labels["host-banner"] if order.edition == HOST else ""
        wording = Wording(self._title, self._language, labels, order.school, order.date, banner)
        booklet = Booklet(kits, wording, Printing(order.page))
        plan = booklet.plan
        numbered = {
            each.path: Numbering(plan.numbers(index), plan.total)
            for index, each in enumerate(self._chosen, start=len(inserted))
        }
        by_path = {each.path: each for each in self._chosen}
        pressed = _each(numbered, lambda path: self._press(by_path[path].bound, numbered[path]))
        apart = {
            each.apart.file_name: self._press(each.apart) for each in self._chosen if each.apart
        }
        pdf = booklet.bind([*(made.pdf for made in inserted), *pressed])
        starts = {str(plan.numbers(index)[0]) for index in range(len(kits))}
        self._check(pdf, order.page, booklet.sections, starts)
        if not order.folding:
            return Bound(pdf, plan.total, 0, apart)
        how = folding.Fold(
            order.paper, labels["booklet-flip"], order.folding.signature, order.folding.creep
        )
        pdf = folding.fold(pdf, how)
        long, short = sorted((order.paper.width, order.paper.height), reverse=True)
        self._check(pdf, Format("", long, short), booklet.sections, starts)
        return Bound(pdf, plan.total, -(-plan.total // signatures.PAGES), apart)
