"""Activities of a library -> a booklet of their kits, ready to be written.

Every kit is made up first: then it is known which page of the booklet each of its pages is, and the
kits are set with these numbers. What is bound is checked and searched as single kits are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kit_builder import (
    activity,
    files,
    finished,
    folding,
    inserts,
    leaks,
    library,
    preflight,
    press,
    reading,
    signatures,
)
from kit_builder.binding import Order
from kit_builder.booklet import Booklet, Kit
from kit_builder.cos import Malformed
from kit_builder.desk import Desk
from kit_builder.errors import Fault, KitError, Location, Source, fault
from kit_builder.files import shown
from kit_builder.finished import Finished
from kit_builder.formats import Format
from kit_builder.frontmatter import Wording
from kit_builder.inserts import Insert
from kit_builder.material import Outline, Sources
from kit_builder.press import MadeUp, Prepared
from kit_builder.printing import HOST, PARTS, PLAYER, Printing
from kit_builder.typeset import Numbering
from kit_builder.variants import Options

_FOLDED = ("rules", "records")

Made = TypeVar("Made")


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

    bound: MadeUp
    apart: MadeUp | None

    def kit(self, path: Path, note: str) -> Kit:
        """As the booklet plans it; `note` says where the rest is."""
        made, whole = self.bound, self.apart is None
        alone = [
            whole and made.variant.edition == PLAYER and side.part.name != "rules"
            for side in made.sides
        ]
        note = note.replace("{file}", self.apart.file_name) if self.apart else ""
        told = made.told
        return Kit(shown(path), told.title, told.language, made.variant.edition, alone, note=note)


def bind(
    paths: Sequence[Path],
    order: Order,
    outline: Callable[[Sources], Outline] = reading.outline,
) -> Bound:
    """The booklet of some activities, and what is printed apart from it.

    Args:
        paths: of the activities.
        order: what is wanted.
        outline: reads the outline of an activity.

    Raises:
        KitError: something in the activities or the inserted files is wrong, does not fit, or is
            the host's in a booklet for players.
    """
    desks = {path.parent: Desk(path.parent, outline) for path in paths}
    known = _each(paths, lambda path: desks[path.parent].languages(path))
    usual = Counter(own for own, *_ in known.values()).most_common(1)
    language = order.language or usual[0][0]
    chosen = _each(paths, lambda path: _chosen(desks[path.parent], path, language, order))
    return _Bindery(desks[paths[0].parent], language, chosen, order).bound()


def _each(paths: Iterable[Path], make: Callable[[Path], Made]) -> dict[Path, Made]:
    """What is made of each file.

    Raises:
        KitError: the faults of all of them.
    """
    made: dict[Path, Made] = {}
    faults: list[Fault] = []
    for path in paths:
        try:
            made[path] = make(path)
        except KitError as error:
            faults += library.located(error.faults, path)
    if faults:
        raise KitError(*faults)
    return made


def _chosen(desk: Desk, path: Path, language: str, order: Order) -> _Chosen:
    own, *others = desk.languages(path)
    if order.language and language not in (own, *others):
        raise KitError(library.untranslated(files.read(path), language))
    kit = press.prepare(desk.material(path, language if language in others else ""))
    if not order.folding or order.edition == HOST:
        return _Chosen(_made_up(kit, order.edition, order.page), None)
    folded: Sequence[str] = _FOLDED
    try:
        bound = _made_up(kit, PLAYER, order.page, folded)
    except KitError:  # a wide record needs a whole sheet
        folded = _FOLDED[:1]
        bound = _made_up(kit, PLAYER, order.page, folded)
    rest = _made_up(kit, PLAYER, order.paper, [part for part in PARTS if part not in folded])
    return _Chosen(bound, rest if rest.sides else None)


def _made_up(kit: Prepared, edition: str, paper: Format, parts: Sequence[str] = ()) -> MadeUp:
    (variant,) = Options(Printing(parts=parts), (paper,), (edition,)).variants()
    return press.make_up(kit, variant)


class _Bindery:
    """One booklet in the making."""

    def __init__(
        self, desk: Desk, language: str, chosen: Mapping[Path, _Chosen], order: Order
    ) -> None:
        self._desk = desk
        self._language = language
        self._labels = desk.labels(language)
        self._title = order.title or self._labels["booklet-title"]
        self._chosen = chosen
        self._order = order
        self._searched: set[str] = set()  # the lines of the kits

    def bound(self) -> Bound:
        """The booklet.

        Raises:
            KitError: as for `bind`.
        """
        order, labels, chosen = self._order, self._labels, self._chosen
        inserted = [self._inserted(path, pages) for path, pages in order.inserts]
        kits = [
            Kit(made.title, made.title, self._language, order.edition, [False] * made.pages)
            for made in inserted
        ]
        kits += [each.kit(path, labels["booklet-apart"]) for path, each in chosen.items()]
        banner = labels["host-banner"] if order.edition == HOST else ""
        wording = Wording(self._title, self._language, labels, order.school, order.date, banner)
        booklet = Booklet(kits, wording, Printing(order.page))
        plan = booklet.plan
        places = {path: place for place, path in enumerate(chosen, start=len(inserted))}

        def pressed(path: Path) -> bytes:
            numbering = Numbering(plan.numbers(places[path]), plan.total)
            pdf, file = press.press(chosen[path].bound, numbering)
            self._searched.update(line for _, line in _lines(file))
            return pdf

        pdfs = [*(made.pdf for made in inserted), *_each(chosen, pressed).values()]
        rest = {path: each.apart for path, each in chosen.items() if each.apart}
        apart = _each(rest, lambda path: press.press(rest[path])[0])
        named = {rest[path].file_name: pdf for path, pdf in apart.items()}
        pdf = booklet.bind(pdfs)
        starts = {str(plan.numbers(place)[0]) for place in range(len(kits))}
        self._check(pdf, (order.page.width, order.page.height), booklet.sections, starts)
        if not order.folding:
            return Bound(pdf, plan.total, 0, named)
        signature, creep = order.folding.signature, order.folding.creep
        pdf = folding.fold(pdf, folding.Fold(order.paper, labels["booklet-flip"], signature, creep))
        short, long = sorted((order.paper.width, order.paper.height))
        self._check(pdf, (long, short), booklet.sections, starts)
        return Bound(pdf, plan.total, -(-plan.total // signatures.PAGES), named)

    def _inserted(self, path: Path, pages: str) -> Insert:
        """A teacher's own pages, which keep the promises of all others.

        Raises:
            KitError: they cannot be inserted, or are a host key's.
        """
        order, place = self._order, Location(Source(shown(path)))
        try:
            pdf = path.read_bytes()
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise fault(place, f"cannot be read ({reason})", "check the name") from None
        made = inserts.insert(shown(path), pdf, pages, order.page, self._language)
        file = finished.read(made.pdf)
        size = order.page.width, order.page.height
        expected = preflight.Expectation([size], self._language, made.title, file.bookmarks)
        instead = "print it to a new PDF, and insert that"
        try:
            preflight.check(file, expected)
            lines = {line for _, line in _lines(file)}
        except preflight.Failed as failed:
            told = (Fault(place, finding, instead) for finding in failed.findings)
            raise KitError(*told) from None
        except Malformed as damage:
            raise fault(place, f"this PDF cannot be searched: {damage}", instead) from None
        languages = self._desk.catalogue.languages
        banners = {self._desk.labels(language)["host-banner"] for language in languages}
        if order.edition == PLAYER and not banners.isdisjoint(lines):
            raise fault(
                place,
                "this is a host key, and the booklet is for the players",
                "insert it into a booklet with --edition host",
            )
        return made

    def _check(
        self,
        pdf: bytes,
        size: tuple[float, float],
        sections: Sequence[str],
        starts: Collection[str],
    ) -> None:
        """Preflight of the booklet, and once more the search for the host's texts.

        The page numbers in its contents, `starts`, may look like a code.

        Raises:
            preflight.Failed: the booklet breaks a promise, which is a fault of the program.
            KitError: it shows the host's texts to the players.
        """
        file = finished.read(pdf)
        expected = preflight.Expectation([size], self._language, self._title, sections)
        preflight.check(file, expected)
        if self._order.edition == HOST:
            return
        read = [each.bound.kit for each in self._chosen.values()]
        public: list[str] = []
        for kit in read:
            public += activity.texts(kit.activity.kit)
            public += reading.usual_labels(kit.material).values()
        private = [text for kit in read for text in press.hidden(kit.activity)]
        secrets = [text for kit in read for text in kit.activity.host.secrets]
        added: dict[str, list[str]] = defaultdict(list)
        for where, line in _lines(file):
            if line not in self._searched and line not in starts:
                added[where].append(line)
        found = leaks.find(leaks.host_only(public, private, ()), file.texts)
        found += leaks.find(secrets, press.without_numbers(added, self._labels))
        press.refuse(
            found, "booklet", "take it out of the title, the school, the date or the inserted file"
        )


def _lines(file: Finished) -> Iterator[tuple[str, str]]:
    """Each line of a PDF with its place, but for page labels, which are numbers."""
    for place, texts in file.texts.items():
        if place != "page label":
            yield from ((place, line.strip()) for text in texts for line in text.split("\n"))
