"""What is in the output folder -> the pages of its gallery, one for each edition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from kit_builder import files, formats, gallery, keys, templates
from kit_builder.errors import Text
from kit_builder.gallery import Entry, Link, Picture
from kit_builder.job import About, Count, picture_name
from kit_builder.printing import EDITIONS
from kit_builder.store import Record, Store
from kit_builder.templates import Templates

_PAGE = "index.html"


def refresh(store: Store, shelf: Templates, school: str = "") -> None:
    """Writes the page of each edition that there are PDFs of, if it is not up to date.

    Raises:
        KitError: it cannot be written, or a label file is faulty.
    """
    for edition in EDITIONS:
        records = [each for each in store.records() if _is_kit(each, edition, store)]
        name = f"{edition}/{_PAGE}"
        if not records:
            store.drop(name)
            continue
        language = _usual_language(records)
        words = " ".join(file.digest for file in shelf.all(templates.words(language)))
        told = (keys.program(), language, school, words, *map(_identity, records))
        key = files.digest("\n".join(told).encode())
        known = store.record(name)
        if known and known.key == key and store.is_intact(known):
            continue
        # Imported here, so that a build that finds everything up to date takes no time.
        from kit_builder import labels

        said = labels.read(language, shelf)
        made = gallery.page(list(_entries(records, said)), edition, said, language, school)
        store.put([(Record(name, (), key, (), {}), {name: made})])


def remove(store: Store) -> None:
    """Removes the pages, which nobody wants any more.

    Raises:
        KitError: they cannot be removed.
    """
    for edition in EDITIONS:
        store.drop(f"{edition}/{_PAGE}")


def _is_kit(record: Record, edition: str, store: Store) -> bool:
    """Whether it is a kit's, and its PDF is there, which somebody may have removed."""
    own = bool(record.files and record.sources) and record.name.startswith(f"{edition}/")
    return own and (store.folder / record.name).is_file()


def _identity(record: Record) -> str:
    """What its part of the page depends on."""
    return " ".join((record.name, record.key, *(stamp.digest for stamp in record.files.values())))


def _usual_language(records: Sequence[Record]) -> str:
    """The one in which most activities are written; translations count less."""
    found = Counter[str]()
    for record in records:
        found[record.facts["language"]] += 1 if record.facts["translated"] else 2
    return found.most_common(1)[0][0]


def _entries(records: Sequence[Record], words: Mapping[str, Text]) -> Iterator[Entry]:
    """The kits, each with all of its PDFs."""
    kits: dict[tuple[str, str, str], list[Record]] = {}
    # An activity before its translations.
    for record in sorted(records, key=lambda each: (each.facts["slug"], each.facts["translated"])):
        facts = record.facts
        kit = facts["slug"], facts["language"], facts["about"]["mark"]
        kits.setdefault(kit, []).append(record)
    for (slug, language, mark), every in kits.items():
        # As most print it, which is the way that there are pictures of.
        usual = min(every, key=lambda each: (not each.facts["pictures"], len(each.facts["way"])))
        whole = [each for each in every if each.facts["way"] == usual.facts["way"]]
        about = About(**whole[0].facts["about"])
        count = sum((Count(**each.facts["count"]) for each in whole), Count())
        yield Entry(
            slug,
            f"{about.title} · {mark}" if mark else about.title,
            language,
            about.category,
            about.summary,
            (about.players[0], about.players[1]),
            (about.minutes[0], about.minutes[1]),
            tuple(about.pieces),
            count.paper,
            count.card,
            tuple(
                Link(_from_page(each.name), _which(each, words))
                for each in (*whole, *(other for other in every if other not in whole))
            ),
            tuple(_pictures(whole)),
        )


def _pictures(records: Sequence[Record]) -> Iterator[Picture]:
    """One picture of each kind that there is."""
    seen = set()
    for record in records:
        for kind, width, height in record.facts["pictures"]:
            if kind not in seen:
                seen.add(kind)
                name = _from_page(picture_name(record.name, kind))
                yield Picture(name, width, height, kind)


def _which(record: Record, words: Mapping[str, Text]) -> str:
    """What tells a PDF from others of the kit, in words."""
    marks = record.facts["marks"]
    return " · ".join(str(words.get(mark) or _paper(mark) or mark) for mark in marks)


def _paper(mark: str) -> str:
    return formats.PAPERS[mark].name if mark in formats.PAPERS else ""


def _from_page(name: str) -> str:
    """A name in the output folder, as seen from the page of its edition."""
    return str(PurePosixPath(*PurePosixPath(name).parts[1:]))
