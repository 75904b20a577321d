"""A content stream, read: which texts it shows, in which order, and for which marks.

Works on the bytes of the stream alone; who has the file says what its fonts and forms are.
Standard: ISO 32000-1 (PDF 1.7), sections 7.8, 9.4 and 14.6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Font:
    """A font with one-byte codes.

    Attributes:
        characters: code -> text.
    """

    name: str
    characters: Mapping[int, str]

    def decode(self, string: bytes) -> tuple[str, bool]:
        """The text of a string, and whether every code of it has one."""
        texts = [self.characters.get(code, "") for code in string]
        return "".join(texts), "" not in texts


@dataclass(frozen=True, slots=True)
class Content:
    """What a content stream shows.

    Attributes:
        pieces: (MCID or None, text) in the order of drawing. A new line stands before each text
            object, a space where the text may go on elsewhere.
        mcids: each as often as it is opened.
        faults: what it must not show, each once.
    """

    pieces: Sequence[tuple[int | None, str]] = ()
    mcids: Sequence[int] = ()
    faults: Sequence[str] = ()

    @property
    def text(self) -> str:
        """All it shows."""
        return "".join(text for _, text in self.pieces)


# Numbers and the operators of paths and colours are passed over: only their end matters. The guard
# in front, of every first character, makes the search three times as fast.
_TOKEN = re.compile(
    rb"""
    (?=[(</%BTEDqQ'"])
    (?: (?P<string>\((?:[^()\\]++|\\.|\((?:[^()\\]++|\\.)*+\))*+\))
      | (?P<hexadecimal><[0-9A-Fa-f\s]*>)
      | /MCID\s+(?P<mcid>\d+)
      | (?P<name>/[^\s()<>\[\]{}/%]+)
      | (?P<comment>%[^\r\n]*)
      | (?<!\S)(?P<image>BI\s.*?\sEI)(?!\S)
      | (?<![^\s()<>\[\]])(?P<operator>T[fjJdDm*]|B(?:T|DC|MC)|EMC|Do|[qQ'"])(?![^\s()<>\[\]/%])
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_SHOW = {b"Tj", b"TJ", b"'", b'"'}
_NEW_LINE = {b"T*", b"Td", b"TD", b"Tm", b"'", b'"'}
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LINE_ENDS = {b"\n", b"\r", b"\r\n"}


def read(
    code: bytes, font: Callable[[str], Font | None], form: Callable[[str], Content]
) -> Content:
    """What a content stream shows, its forms included.

    Args:
        code: the stream.
        font: the font of a name such as "/F1+0"; None if there is none.
        form: what the form of a name such as "/card" shows; nothing if it is a picture.
    """
    pieces: list[tuple[int | None, str]] = []
    mcids: list[int] = []
    faults: list[str] = []
    marks: list[int | None] = [None]
    current: Font | None = None
    saved: list[Font | None] = []
    strings: list[bytes] = []
    name = ""
    mcid: int | None = None
    for token in _TOKEN.finditer(code):
        kind, written = token.lastgroup, token[0]
        if kind == "string":
            strings.append(_unescaped(written))
        elif kind == "hexadecimal":
            strings.append(_from_hexadecimal(written))
        elif kind == "name":
            name = written.decode("latin-1")
        elif kind == "mcid":
            mcid = int(token["mcid"])
        elif kind == "image":
            faults.append("an inline image")
        elif kind == "operator":
            if written in _NEW_LINE:
                pieces.append((marks[-1], " "))
            if written in _SHOW and current is None:
                faults.append("text without a font")
            elif written in _SHOW and current is not None:
                for string in strings:
                    text, known = current.decode(string)
                    pieces.append((marks[-1], text))
                    if not known:
                        faults.append(f"a character that {current.name} lacks")
            elif written == b"BT":
                pieces.append((marks[-1], "\n"))
            elif written == b"Tf":
                current = font(name)
            elif written == b"q":
                saved.append(current)
            elif written == b"Q" and saved:
                current = saved.pop()
            elif written in (b"BDC", b"BMC"):
                pieces += ((marks[-1], f"\n{text_string(string)}\n") for string in strings)
                marks.append(marks[-1] if mcid is None else mcid)
                if mcid is not None:
                    mcids.append(mcid)
            elif written == b"EMC" and len(marks) > 1:
                marks.pop()
            elif written == b"Do":
                placed = form(name)
                pieces.append((marks[-1], f"\n{placed.text}\n"))
                faults += placed.faults
            strings, mcid = [], None
    return Content(pieces, mcids, tuple(dict.fromkeys(faults)))


def text_string(written: bytes) -> str:
    """A text string (ISO 32000-1, 7.9.2.2)."""
    return written.decode(
        "utf-16" if written[:2] in (b"\xfe\xff", b"\xff\xfe") else "latin-1", "replace"
    )


def _unescaped(written: bytes) -> bytes:
    """The bytes of a literal string, written with its brackets (ISO 32000-1, 7.3.4.2)."""
    inner = written[1:-1]
    if b"\\" not in inner:
        return inner

    def one(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return bytes([int(match[1], 8) & 0xFF])
        return b"" if match[2] in _LINE_ENDS else _ESCAPED.get(match[2], match[2])

    return _ESCAPE.sub(one, inner)


def _from_hexadecimal(written: bytes) -> bytes:
    digits = "".join(written[1:-1].decode().split())
    return bytes.fromhex(digits + "0" * (len(digits) % 2))
