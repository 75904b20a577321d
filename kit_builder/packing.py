"""Objects -> the bytes of a PDF: numbered, equal ones stored once, packed into object streams.

pypdf's writer stores every object by itself: of a tagged kit half would be bare structure elements.
Standard: ISO 32000-1 (PDF 1.7), sections 7.5.7 and 7.5.8.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    EncodedStreamObject,
    IndirectObject,
    NameObject,
    NumberObject,
    StreamObject,
)

from kit_builder.cos import File
from kit_builder.finished import Finished

_HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_PER_STREAM = 200
_FILTERS = {"/Filter", "/DecodeParms", "/Length"}
_COMPOUND = (IndirectObject, dict, list)


class Pool:
    """The objects of a file in the making; the number of an object is its place, from 1."""

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._shared: set[int] = set()

    def add(self, made: Any = None) -> IndirectObject:
        """A reference to a new object, which may be `put` later."""
        self._objects.append(made)
        return IndirectObject(len(self._objects), 0, None)

    def put(self, reference: IndirectObject, made: Any) -> None:
        """Give a number its object."""
        self._objects[reference.idnum - 1] = made

    def share(self, reference: IndirectObject) -> None:
        """Allow that an equal object takes its place: it is no page and no element."""
        self._shared.add(reference.idnum)

    def at(self, value: Any) -> Any:
        """What a reference refers to; anything else itself."""
        return self._objects[value.idnum - 1] if isinstance(value, IndirectObject) else value

    def fonts(self) -> Iterator[DictionaryObject]:
        """The fonts among the objects."""
        for each in self._objects:
            if isinstance(each, DictionaryObject) and each.get("/Type") == "/Font":
                yield each

    def packed(self, root: IndirectObject, info: IndirectObject) -> bytes:
        """The file.

        Args:
            root: the catalog.
            info: the document information.
        """
        replaced = self._equals()
        kept = sorted(self._reached((root, info), replaced))
        numbers = {old: number for number, old in enumerate(kept, start=1)}
        for old in list(replaced):
            numbers[old] = numbers.get(replaced[old], 0)
        return _file(
            [_renumbered(self._objects[old - 1], numbers) for old in kept],
            IndirectObject(numbers[root.idnum], 0, None),
            IndirectObject(numbers[info.idnum], 0, None),
        )

    def _equals(self) -> dict[int, int]:
        """Of equal shared objects: the number of each later one -> the number of the first."""
        replaced: dict[int, int] = {}
        firsts: dict[bytes, int] = {}
        for number in self._upwards():
            made = self._objects[number - 1] = _renumbered(
                self._objects[number - 1], _Finals(replaced)
            )
            first = firsts.setdefault(sha256(_written(made)).digest(), number)
            if first != number:
                replaced[number] = first
        return replaced

    def _upwards(self) -> Iterator[int]:
        """The shared objects, each after those that it refers to."""
        seen: set[int] = set()
        waiting = [(number, False) for number in sorted(self._shared, reverse=True)]
        while waiting:
            number, ready = waiting.pop()
            if ready:
                yield number
            elif number not in seen:
                seen.add(number)
                waiting.append((number, True))
                below = (each.idnum for each in _references(self._objects[number - 1]))
                waiting += ((each, False) for each in below if each in self._shared)

    def _reached(self, roots: Iterable[IndirectObject], replaced: dict[int, int]) -> set[int]:
        reached: set[int] = set()
        waiting = [root.idnum for root in roots]
        while waiting:
            number = waiting.pop()
            number = replaced.get(number, number)
            if number not in reached:
                reached.add(number)
                waiting += (each.idnum for each in _references(self._objects[number - 1]))
        return reached


class Opened(Finished):
    """A PDF opened with pypdf: its values are pypdf's, and can be copied into a pool."""

    reference = IndirectObject

    def __init__(self, reader: PdfReader) -> None:
        self._reader = reader
        free = reader.xref_free_entry
        numbers = {
            number
            for generation, table in reader.xref.items()
            for number in table
            if number and not free.get(generation, {}).get(number)
        }
        numbers.update(reader.xref_objStm)
        objects = {number: reader.get_object(number) for number in sorted(numbers)}
        trailer = {"/Root": reader.root_object, "/Info": reader.trailer.get("/Info")}
        super().__init__(File(objects, trailer, []))

    def _listed(self) -> Iterator[tuple[int, Any]]:
        for page in self._reader.pages:
            yield number_of(page), page


def opened(pdf: bytes) -> Opened:
    """Open a finished PDF.

    Raises:
        pypdf.errors.PdfReadError: it is no well-formed PDF.
    """
    return Opened(PdfReader(BytesIO(pdf), strict=True))


class Copy:
    """What is taken over from a finished PDF into a pool: an object comes with all it refers to."""

    def __init__(self, pool: Pool, source: Finished) -> None:
        self._pool = pool
        self._source = source
        self._new: dict[int, IndirectObject] = {}
        self._waiting: list[tuple[int, bool]] = []

    def instead(self, number: int, reference: IndirectObject) -> None:
        """Use an object of the pool for one of the source."""
        self._new[number] = reference

    def of(self, number: int) -> IndirectObject:
        """The reference in the pool to an object of the source."""
        return self._new[number]

    def value(self, value: Any, *, shared: bool = False) -> Any:
        """A value of the source with its references into the pool.

        Args:
            value: of the source.
            shared: what it refers to may be stored once for several pages.
        """
        made = self._moved(value, shared)
        while self._waiting:
            number, may = self._waiting.pop()
            self._pool.put(self._new[number], self._moved(self._source.objects[number], may))
        return made

    def _moved(self, value: Any, shared: bool) -> Any:
        if isinstance(value, IndirectObject):
            if value.idnum not in self._new:
                reference = self._new[value.idnum] = self._pool.add()
                if shared:
                    self._pool.share(reference)
                self._waiting.append((value.idnum, shared))
            return self._new[value.idnum]
        return _rebuilt(value, lambda inner: self._moved(inner, shared))


def _rebuilt(value: Any, change: Any) -> Any:
    """A copy of a value whose parts are changed; a value without parts itself."""
    if isinstance(value, StreamObject):
        if value.get("/Subtype") != "/Image" and not _is_plain(value):
            kept = {key: each for key, each in value.items() if key not in _FILTERS}
            value = stream(value.get_data(), kept)
        copied = EncodedStreamObject() if "/Filter" in value else StreamObject()
        copied._data = value._data  # as it is filtered; pypdf has no other name for that
        for key, inner in value.items():
            if key != "/Length":
                dict.__setitem__(copied, key, change(inner))
        return copied
    if isinstance(value, dict):
        made = DictionaryObject()
        for key, inner in value.items():
            dict.__setitem__(made, key, change(inner))
        return made
    if isinstance(value, list):
        # Most arrays hold numbers only; those of widths hold hundreds.
        plain = not any(isinstance(inner, _COMPOUND) for inner in value)
        return ArrayObject(value if plain else map(change, value))
    return value


def _is_plain(found: StreamObject) -> bool:
    """Whether a stream is filtered as all of this program's are, or not at all."""
    filters = found.get("/Filter")
    return filters in (None, "/FlateDecode", ["/FlateDecode"]) and "/DecodeParms" not in found


class _Finals(dict[int, int]):
    """Old numbers -> those of the equal objects that take their places."""

    def __init__(self, replaced: dict[int, int]) -> None:
        super().__init__()
        self._replaced = replaced

    def __missing__(self, number: int) -> int:
        return self._replaced.get(number, number)


def _renumbered(value: Any, numbers: dict[int, int]) -> Any:
    if isinstance(value, IndirectObject):
        return IndirectObject(numbers[value.idnum], 0, None)
    return _rebuilt(value, lambda inner: _renumbered(inner, numbers))


def _references(value: Any) -> Iterator[IndirectObject]:
    if isinstance(value, IndirectObject):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, _COMPOUND):
                yield from _references(inner)


def _written(value: Any) -> bytes:
    file = BytesIO()
    value.write_to_stream(file)
    return file.getvalue()


def _file(objects: list[Any], root: IndirectObject, info: IndirectObject) -> bytes:
    """A file of numbered objects with a cross-reference stream."""
    file = bytearray(_HEADER)
    places: dict[int, tuple[int, int, int]] = {0: (0, 0, 65535)}
    bare: list[tuple[int, bytes]] = []
    for number, made in enumerate(objects, start=1):
        if isinstance(made, StreamObject):
            places[number] = (1, _put(file, number, _written(made)), 0)
        else:
            bare.append((number, _written(made)))
    number = len(objects)
    for start in range(0, len(bare), _PER_STREAM):
        number += 1
        batch = bare[start : start + _PER_STREAM]
        for index, (held, _) in enumerate(batch):
            places[held] = (2, number, index)
        places[number] = (1, _put(file, number, _written(_object_stream(batch))), 0)
    number += 1
    places[number] = (1, len(file), 0)
    identifier = ByteStringObject(sha256(file).digest()[:16])
    rows = b"".join(
        kind.to_bytes(1, "big") + place.to_bytes(4, "big") + rest.to_bytes(2, "big")
        for _, (kind, place, rest) in sorted(places.items())
    )
    entries = {
        "/Type": NameObject("/XRef"),
        "/Size": NumberObject(number + 1),
        "/W": ArrayObject(map(NumberObject, (1, 4, 2))),
        "/Root": root,
        "/Info": info,
        "/ID": ArrayObject([identifier, identifier]),
    }
    start = _put(file, number, _written(stream(rows, entries)))
    return bytes(file) + b"startxref\n%d\n%%%%EOF\n" % start


def _put(file: bytearray, number: int, body: bytes) -> int:
    start = len(file)
    file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    return start


def _object_stream(batch: list[tuple[int, bytes]]) -> StreamObject:
    head, body = bytearray(), bytearray()
    for number, written in batch:
        head += b"%d %d " % (number, len(body))
        body += written + b"\n"
    entries = {
        "/Type": NameObject("/ObjStm"),
        "/N": NumberObject(len(batch)),
        "/First": NumberObject(len(head)),
    }
    return stream(bytes(head + body), entries)


def stream(content: bytes, entries: dict[str, Any] | None = None) -> StreamObject:
    """A deflated stream."""
    made = EncodedStreamObject()
    made._data = zlib.compress(content, 9)
    made[NameObject("/Filter")] = NameObject("/FlateDecode")
    for key, value in (entries or {}).items():
        made[NameObject(key)] = value
    return made


def dictionary(**entries: Any) -> DictionaryObject:
    """A dictionary; a plain text is a name, a whole number a number."""
    made = DictionaryObject()
    for key, value in entries.items():
        if type(value) is str:
            value = NameObject(value)
        elif type(value) is int:
            value = NumberObject(value)
        made[NameObject(f"/{key}")] = value
    return made


def number_of(found: Any) -> int:
    """The number of an object that was read from a file.

    Raises:
        ValueError: it stands inside another object.
    """
    reference = found.indirect_reference
    if reference is None:
        raise ValueError(f"{found} is no object of its own")
    return int(reference.idnum)
