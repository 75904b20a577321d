"""Finished kits -> one booklet: cover, contents, and each activity from a right-hand page on.

Nothing that the kits promise is lost: their structure trees become parts of one, their bookmarks
branches of one outline, and what the whole file says is written anew. `Plan` says which number each
page of a kit has in the booklet, so that the kits can be set with these numbers before `bind`.
Pages count from 1 in numbers and from 0 in lists; lengths in points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    NullObject,
    NumberObject,
    TextStringObject,
)

from kit_builder import packing
from kit_builder.errors import Fault, KitError, Location, Source
from kit_builder.finished import Finished
from kit_builder.frontmatter import Entry, FrontMatter, Target, Wording
from kit_builder.packing import Copy, Pool, dictionary, number_of
from kit_builder.printing import Printing
from kit_builder.tagging import Duplex

# What the whole file says, as the front matter says it.
_OF_THE_WHOLE = ("/Lang", "/MarkInfo", "/Metadata", "/PageMode", "/ViewerPreferences")
_BOXES = ("/MediaBox", "/CropBox", "/TrimBox")
_PRINT = 4  # the flag of an annotation that is printed (table 165)


@dataclass(frozen=True, slots=True)
class Kit:
    """A finished kit.

    Attributes:
        path: of its file or definition, for messages.
        language: a language tag.
        edition: as in `printing.EDITIONS`.
        alone: for each page, whether nothing may be printed on its back: it is cut up.
        duplex: its pages already are fronts and backs of the same sheets.
        note: a line below its title in the contents, or "".
    """

    path: str
    title: str
    language: str
    edition: str
    alone: Sequence[bool]
    duplex: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where every page of a booklet comes from.

    Attributes:
        front: how many pages stand before the first kit.
        pages: (kit, page of it) of every page after these, None for a blank one.
    """

    front: int
    pages: Sequence[tuple[int, int] | None]

    @property
    def total(self) -> int:
        """All pages of the booklet."""
        return self.front + len(self.pages)

    def numbers(self, kit: int) -> list[int]:
        """The number of each page of a kit in the booklet."""
        return [
            number
            for number, page in enumerate(self.pages, start=self.front + 1)
            if page and page[0] == kit
        ]


class Booklet:
    """A booklet of kits, planned; `bind` makes it.

    Attributes:
        plan: which page stands where.
        sections: the titles of the top-level bookmarks.

    Raises:
        KitError: the kits are of several editions, or there is none.
    """

    def __init__(self, kits: Sequence[Kit], wording: Wording, printing: Printing) -> None:
        _refuse_mixtures(kits)
        self._kits = kits
        self._wording = wording
        self._paper = printing.paper
        entries = [Entry(kit.title, kit.note) for kit in kits]
        self._front = FrontMatter(wording, entries, printing)
        front = self._front.pages + self._front.pages % 2
        self.plan = Plan(front, tuple(_arranged(kits)))
        self.sections = [str(wording.words["contents"]), *(kit.title for kit in kits)]
        self._duplex: Duplex = (
            "DuplexFlipShortEdge" if printing.backs == "short-edge" else "DuplexFlipLongEdge"
        )

    def bind(self, pdfs: Sequence[bytes]) -> bytes:
        """The booklet as a PDF.

        Args:
            pdfs: the kits, finished, in order.

        Raises:
            KitError: the front matter does not fit.
            ValueError: a PDF is not what was planned.
        """
        starts = [self.plan.numbers(number)[0] for number in range(len(self._kits))]
        front, targets = self._front.pdf(starts, self.plan.total, self._duplex)
        binding = _Binding(self.plan.total, (self._paper.width, self._paper.height))
        made = packing.opened(front)
        binding.add(made, list(range(len(made.pages))), self._wording.title, "")
        for number, (kit, pdf) in enumerate(zip(self._kits, pdfs, strict=True)):
            language = "" if kit.language == self._wording.language else kit.language
            places = [page - 1 for page in self.plan.numbers(number)]
            binding.add(packing.opened(pdf), places, kit.title, language)
        binding.mark(str(self._wording.words["contents"]), 2)
        for kit, start in zip(self._kits, starts, strict=True):
            binding.mark(kit.title, start - 1)
        titles = [kit.title for kit in self._kits]
        binding.link(made, targets, titles, [start - 1 for start in starts])
        return binding.finished(made)


def _refuse_mixtures(kits: Sequence[Kit]) -> None:
    if not kits:
        raise KitError(Fault(None, "a booklet without kits", "name at least one activity"))
    first = kits[0]
    mixed = [kit for kit in kits if kit.edition != first.edition]
    if mixed:
        raise KitError(
            *(
                Fault(
                    Location(Source(kit.path)),
                    f"this is the {kit.edition} edition, and the booklet is for the"
                    f" {first.edition} edition",
                    "make a booklet of each edition",
                )
                for kit in mixed
            )
        )


def _arranged(kits: Sequence[Kit]) -> Iterator[tuple[int, int] | None]:
    """The pages of all kits: each kit begins on a right-hand page, what is cut up has it alone."""
    for number, kit in enumerate(kits):
        made: list[tuple[int, int] | None] = []
        for page, alone in enumerate(kit.alone):
            if alone and not kit.duplex and len(made) % 2:
                made.append(None)
            made.append((number, page))
            if alone and not kit.duplex:
                made.append(None)
        if len(made) % 2 and number < len(kits) - 1:
            made.append(None)
        while made[-1] is None and number == len(kits) - 1:
            made.pop()
        yield from made


@dataclass(slots=True)
class _Mark:
    """A bookmark."""

    title: str
    page: int
    below: list[_Mark]


class _Binding:
    """A booklet in the making."""

    def __init__(self, total: int, size: tuple[float, float]) -> None:
        self._pool = pool = Pool()
        self._size = size
        self._catalog, self._tree = pool.add(), pool.add()
        self._root, self._list = pool.add(), pool.add()
        self._pages = [pool.add(self._blank(number)) for number in range(total)]
        self._kids: list[IndirectObject] = []
        self._owners: list[Any] = [ArrayObject() for _ in range(total)]
        self._marks: list[_Mark] = []
        self._branches: list[list[_Mark]] = []
        self._front: Copy | None = None

    def _blank(self, number: int) -> DictionaryObject:
        box = ArrayObject(map(FloatObject, (0, 0, *self._size)))
        page = dictionary(Type="/Page", Parent=self._list, Resources=DictionaryObject())
        page.update({NameObject(key): box for key in _BOXES})
        page.update(dictionary(StructParents=number, Tabs="/S"))
        return page

    def add(self, source: Finished, places: Sequence[int], title: str, language: str) -> None:
        """Take over a finished PDF.

        Args:
            source: its pages, structure tree and bookmarks.
            places: the page of the booklet, from 0, that each of its pages becomes.
            title: of its part of the structure tree.
            language: of that part; "" if it is the booklet's.
        """
        if len(source.pages) != len(places):
            raise ValueError(f"{title}: {len(source.pages)} pages, not {len(places)} as planned")
        copy = Copy(self._pool, source)
        self._front = self._front or copy
        top = source.catalog.raw_get("/StructTreeRoot")
        copy.instead(top.idnum, self._root)
        for page, place in zip(source.pages, places, strict=True):
            copy.instead(number_of(page), self._pages[place])
        for page, place in zip(source.pages, places, strict=True):
            self._take(copy, source, page, place)
        document = copy.value(source.entry(source.catalog, "/StructTreeRoot").raw_get("/K"))
        entries = self._pool.at(document)
        entries[NameObject("/T")] = TextStringObject(title)
        if language:
            entries[NameObject("/Lang")] = TextStringObject(language)
        self._kids.append(document)
        listed = source.entry(source.catalog, "/StructTreeRoot", "/ParentTree", "/Nums")
        owners = dict(zip(listed[::2], listed[1::2], strict=True))
        for page, place in zip(source.pages, places, strict=True):
            self._owners[place] = copy.value(source.resolved(owners[page["/StructParents"]]))
            for link in self._pool.at(self._pages[place]).get("/Annots", ()):
                key = self._pool.at(link)[NameObject("/StructParent")]
                self._pool.at(link)[NameObject("/StructParent")] = NumberObject(len(self._owners))
                self._owners.append(copy.value(owners[key]))
        self._branches.append(list(self._outline(source, places)))

    def _take(self, copy: Copy, source: Finished, page: DictionaryObject, place: int) -> None:
        """Fill a page of the booklet."""
        for key in _BOXES:
            box = [float(edge) for edge in source.entry(page, key)]
            if any(abs(a - b) > 0.01 for a, b in zip(box, (0, 0, *self._size), strict=True)):
                raise ValueError(f"page {place + 1}: {key} is {box}, not {self._size}")
        if "/Rotate" in page:
            raise ValueError(f"page {place + 1}: /Rotate; a kit has none")
        taken = self._pool.at(self._pages[place])
        for key in ("/Resources", "/Contents"):
            if key in page:
                taken[NameObject(key)] = copy.value(page.raw_get(key), shared=True)
        if "/Annots" in page:
            taken[NameObject("/Annots")] = copy.value(page["/Annots"])

    def _outline(self, source: Finished, places: Sequence[int]) -> Iterator[_Mark]:
        numbers = {number_of(page): place for page, place in zip(source.pages, places, strict=True)}

        def below(item: Any) -> Iterator[_Mark]:
            each = source.entry(item, "/First")
            while each:
                page = numbers[source.entry(each, "/Dest")[0].idnum]
                yield _Mark(str(source.entry(each, "/Title")), page, list(below(each)))
                each = source.entry(each, "/Next")

        yield from below(source.entry(source.catalog, "/Outlines"))

    def mark(self, title: str, page: int) -> None:
        """Add a bookmark above those of the next PDF that was added."""
        self._marks.append(_Mark(title, page, self._branches[len(self._marks)]))

    def link(
        self,
        front: Finished,
        targets: Sequence[Target],
        titles: Sequence[str],
        pages: Sequence[int],
    ) -> None:
        """Lead from each line of the contents to a page of the booklet (PDF/UA-1, 7.18.5)."""
        copy = self._front
        assert copy is not None
        lines = [each.number for each in front.elements if each.entries["/S"] == "/Link"]
        for line, (place, box), title, page in zip(lines, targets, titles, pages, strict=True):
            element, sheet = copy.of(line), self._pages[place]
            link = dictionary(
                Type="/Annot",
                Subtype="/Link",
                P=sheet,
                Rect=ArrayObject(FloatObject(round(edge, 4)) for edge in box),
                Border=ArrayObject([NumberObject(0)] * 3),
                F=_PRINT,
                Dest=self._destination(page),
                Contents=TextStringObject(title),
                StructParent=len(self._owners),
            )
            annotation = self._pool.add(link)
            held = self._pool.at(sheet).setdefault(NameObject("/Annots"), ArrayObject())
            held.append(annotation)
            kid = dictionary(Type="/OBJR", Obj=annotation, Pg=sheet)
            self._pool.at(element).raw_get("/K").append(kid)
            self._owners.append(element)

    def _destination(self, page: int) -> ArrayObject:
        top = FloatObject(self._size[1])
        place = NameObject("/XYZ"), NumberObject(0), top, NullObject()
        return ArrayObject([self._pages[page], *place])

    def _written_marks(self, marks: Sequence[_Mark], parent: IndirectObject) -> dict[Any, Any]:
        """The entries of a bookmark, or of the whole outline, for what is below it."""
        if not marks:
            return {}
        references = [self._pool.add() for _ in marks]
        for index, (mark, reference) in enumerate(zip(marks, references, strict=True)):
            item = dictionary(
                Title=TextStringObject(mark.title),
                Parent=parent,
                Dest=self._destination(mark.page),
            )
            if index:
                item[NameObject("/Prev")] = references[index - 1]
            if index < len(marks) - 1:
                item[NameObject("/Next")] = references[index + 1]
            item.update(self._written_marks(mark.below, reference))
            if mark.below:  # less than 0: closed
                item[NameObject("/Count")] = NumberObject(-len(mark.below))
            self._pool.put(reference, item)
        return dictionary(First=references[0], Last=references[-1], Count=len(marks))

    def finished(self, front: Finished) -> bytes:
        """The booklet; what it says of itself is as in the front matter."""
        pool, copy = self._pool, self._front
        assert copy is not None
        outline = pool.add()
        pool.put(outline, dictionary(Type="/Outlines"))
        pool.at(outline).update(self._written_marks(self._marks, outline))
        kids, count = ArrayObject(self._pages), len(self._pages)
        pool.put(self._list, dictionary(Type="/Pages", Kids=kids, Count=count))
        numbers = ArrayObject()
        for key, owners in enumerate(self._owners):
            numbers += [NumberObject(key), owners]
        pool.put(
            self._tree,
            dictionary(
                Type="/StructTreeRoot",
                K=self._root,
                ParentTree=pool.add(dictionary(Nums=numbers)),
                ParentTreeNextKey=len(self._owners),
            ),
        )
        kids = ArrayObject(self._kids)
        pool.put(self._root, dictionary(Type="/StructElem", S="/Document", P=self._tree, K=kids))
        arabic = dictionary(S="/D", St=1)
        catalog = dictionary(
            Type="/Catalog",
            Pages=self._list,
            Outlines=outline,
            StructTreeRoot=self._tree,
            PageLabels=dictionary(Nums=ArrayObject([NumberObject(0), arabic])),
        )
        for name in _OF_THE_WHOLE:
            catalog[NameObject(name)] = copy.value(front.catalog.raw_get(name))
        pool.put(self._catalog, catalog)
        return pool.packed(self._catalog, pool.add(copy.value(front.info)))
