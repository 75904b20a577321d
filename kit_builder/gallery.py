"""A page of pictures in which a teacher finds a kit: one HTML file beside the PDFs.

The only module that knows pypdfium2. The page is one file without a network: its style and script
stand in it, allowed by their hashes, and all it loads are the pictures beside it.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from markupsafe import Markup, escape

from kit_builder import resources
from kit_builder.errors import Text

if TYPE_CHECKING:
    import jinja2

# In pixels, a multiple of 4: on screens of two dots a CSS pixel, sharp at 280 CSS pixels.
WIDTH = 560

# A language by its own name, as whoever reads it looks for it.
_LANGUAGES = {
    "ca": "Català",
    "de": "Deutsch",
    "en": "English",
    "es": "Español",
    "eu": "Euskara",
    "fr": "Français",
}

# Of 256 greys the nearest of 16, as the upper and the lower half of a byte.
_UPPER = bytes(round(grey / 17) << 4 for grey in range(256))
_LOWER = bytes(round(grey / 17) for grey in range(256))
_COMPRESSION = 3  # against 6: 0.8 ms less for each picture, 2 kB more

# PDFium is not made for threads, which a worker of a Dask cluster has: not even with a file each.
_PDFIUM = threading.Lock()


@dataclass(frozen=True, slots=True)
class Link:
    """A PDF: its name as seen from the page, and which it is, such as "A4"; or ""."""

    name: str
    which: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a page.

    Attributes:
        name: of its file, as seen from the page.
        width, height: in pixels.
    """

    name: str
    width: int
    height: int
    kind: Literal["page", "cards"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One kit in one language, and with one puzzle if it has any, as the gallery shows it.

    Attributes:
        slug: the name of its activity, which several entries may share.
        players, minutes: the least and the most.
        pieces: what lies on the table, in words.
        paper, card: sheets to print, of plain paper and of card stock.
        files: its PDFs; the first one is what most print.
    """

    slug: str
    title: str
    language: str
    category: str
    summary: str
    players: tuple[int, int]
    minutes: tuple[int, int]
    pieces: tuple[str, ...]
    paper: int
    card: int
    files: tuple[Link, ...]
    pictures: tuple[Picture, ...] = ()


class Rendering(NamedTuple):
    """A PNG, and its size in pixels."""

    png: bytes
    width: int
    height: int


def page(
    entries: Sequence[Entry],
    edition: str,
    labels: Mapping[str, Text],
    language: str,
    school: str = "",
) -> bytes:
    """The gallery, an HTML page: the same bytes for the same entries.

    Args:
        entries: in the order in which they are shown.
        edition: "player", or "host" for a page that cannot be mistaken for the players'.
        labels: the words of the tool in `language`.
        language: of the page, not of its kits.
        school: above the heading if it is not "".
    """

    def label(key: str, **values: object) -> Markup:
        text = escape(str(labels[key]))
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", escape(value))
        return text

    languages = sorted({entry.language for entry in entries}, key=_language)
    made = _template().render(
        entries=entries, edition=edition, t=label, language=language, languages=languages,
        school=school,
    )  # fmt: skip
    return made.encode("utf-8")


def pictures(pdf: bytes, pages: Sequence[int]) -> tuple[Rendering, ...]:
    """Some pages of a PDF as pictures in 16 greys, each `WIDTH` wide; the same bytes on every run.

    Args:
        pdf: not locked by a password.
        pages: counted from 0.
    """
    with _PDFIUM:
        return tuple(_rendered(pdf, pages))


def _rendered(pdf: bytes, pages: Sequence[int]) -> Iterator[Rendering]:
    import pypdfium2  # here, since only a build needs it: no other command waits for it

    with pypdfium2.PdfDocument(pdf) as document:
        for number in pages:
            leaf = document[number]
            # pypdfium2 rounds up: half a pixel less cannot become one pixel more.
            scale = (WIDTH - 0.5) / leaf.get_width()
            bitmap = leaf.render(scale=scale, grayscale=True)
            yield Rendering(_png(bytes(bitmap.buffer)), WIDTH, bitmap.height)


def _png(greys: bytes) -> bytes:
    """Rows of `WIDTH` greys, a byte each, as a PNG of 4 bits a pixel (ISO/IEC 15948)."""
    # Two pixels into each byte, all at once.
    upper = int.from_bytes(greys[::2].translate(_UPPER), "little")
    lower = int.from_bytes(greys[1::2].translate(_LOWER), "little")
    packed = (upper | lower).to_bytes(len(greys) // 2, "little")
    row = WIDTH // 2
    rows = (b"\0" + packed[start : start + row] for start in range(0, len(packed), row))
    size = struct.pack(">II", WIDTH, len(greys) // WIDTH)
    chunks = {
        b"IHDR": size + bytes([4, 0, 0, 0, 0]),  # 4 bits, grey
        b"IDAT": zlib.compress(b"".join(rows), _COMPRESSION),  # rows as they are, no filter
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(held)) + name + held + struct.pack(">I", zlib.crc32(name + held))
        for name, held in chunks.items()
    )


@cache
def _template() -> jinja2.Template:
    import jinja2  # here, since a gallery that is up to date is not written

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.folder("templates") / "gallery"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"hash": _hash, "language": _language, "range": _range}
    return environment.get_template("index.html.j2")


def _hash(text: str) -> str:
    """How a content security policy names a style or a script (CSP 3, 2.3.1)."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _language(tag: str) -> str:
    return _LANGUAGES.get(tag, tag)


def _range(span: tuple[int, int]) -> str:
    return "–".join(str(number) for number in dict.fromkeys(span))
