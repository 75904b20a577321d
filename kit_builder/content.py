"""A content stream, read: which texts it shows, in which order, and for which marks.

Works on the bytes of the stream alone; who has the file says what its fonts and forms are.
Standard: ISO 32000-1 (PDF 1.7), sections 7.8, 9.4 and 14.6.
"""

from __future__ import annotations

import re
from codecs import charmap_decode, utf_16_be_decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kit_builder import cos

UNKNOWN = "\uffff"
"""Stands for what has no text: no character has this code (Unicode, section 23.7)."""


class Font:
    """A font.

    Attributes:
        name: its own.
    """

    def __init__(self, name: str, characters: Mapping[int, str], width: int = 1) -> None:
        """Name a font.

        Args:
            name: its own.
            characters: code -> text.
            width: bytes of a code, 1 or 2.
        """
        self.name = name
        self._characters = _Characters(characters)
        self._width = width

    def decode(self, string: bytes) -> str:
        """The text of a string, with `UNKNOWN` for each code without one."""
        try:
            if self._width == 1:
                return charmap_decode(string, "strict", self._characters)[0]
            # The codes of two bytes, looked up as if they were characters, at a tenth of the time.
            text = utf_16_be_decode(string, "strict", True)[0].translate(self._characters)
            if UNKNOWN not in text:
                return text
        except UnicodeDecodeError:
            pass
        # Half a code, or two that together look like one character.
        whole = len(string) - len(string) % self._width
        codes = (string[start : start + self._width] for start in range(0, whole, self._width))
        texts = (self._characters[int.from_bytes(code, "big")] for code in codes)
        return "".join(texts) + UNKNOWN * (len(string) != whole)


class _Characters(dict[int, str]):
    def __missing__(self, code: int) -> str:
        return UNKNOWN


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


# Operators that show no text, and change neither font nor mark (table 51).
_GRAPHICS = frozenset(
    b"b B b* B* BX c cm CS cs d d0 d1 DP EX f F f* G g gs h i J j k K l m M MP n re RG rg ri s S SC"
    b" sc SCN scn sh Tc TL Tr Ts Tw Tz v w W W* y".split()
)
# Operators that show text, with what separates it from the text before.
_SHOW = {b"Tj": "", b"TJ": "", b"'": " ", b'"': " "}
_REGULAR = r"[^\0\s()<>\[\]{}/%]"
_END = rf"(?!{_REGULAR})"
_OPERANDS = r"[0-9.+\-\0\s\[\]]++|<<|>>|%[^\r\n]*+"
# At most one string or name with at most one operator, after what stands before them: numbers,
# graphics, where a text begins, goes on and ends, its font. So there are as few tokens as texts.
_TOKEN = re.compile(
    rf"""
    (?: {_OPERANDS}
      | (?:[mlcvyhnSsfFgGkKwJjMdi]|re|cm|W\*?|[Bbf]\*|[Bb]|rg|RG|T[Lcrswz]){_END}
      | (BT){_END} | (T[dDm*]){_END} | ET{_END}
      | (/{_REGULAR}*+)\s++[0-9.+-]++\s++Tf{_END}
    )*
    (?: \(([^()\\]*+)\)
      | ({cos.STRING.decode()}|<[0-9A-Fa-f\s]*+>|[(<])
      | (?:/{_REGULAR}*+\s*+<<\s*+)?+/MCID\s++([0-9]++)
      | (/{_REGULAR}*+)
    )?
    (?:{_OPERANDS})*+
    ( BI\s.*?\sEI(?!\S) | {_REGULAR}++ | [)>{{}}] | (?=[(</]) | \Z )
    """.encode(),
    re.VERBOSE | re.DOTALL,
)
# An inline image whose bytes are written in hexadecimal: none of them can be an operator.
_PLAIN_IMAGE = re.compile(
    rb"BI\s(?:%b|(?![IE][DI]\s)[^()])*+ID\s[0-9A-Fa-f\s]*+>\s*+EI" % cos.STRING, re.DOTALL
)


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
    texts: list[str] = []  # of the piece that is not ended yet
    mcids: list[int] = []
    faults: list[str] = []
    marks: list[int | None] = [None]
    fonts: dict[bytes, Font | None] = {}
    current: Font | None = None
    saved: list[Font | None] = []
    strings: list[bytes] = []
    mcid: int | None = None

    def end_piece() -> None:
        if texts:
            pieces.append((marks[-1], "".join(texts)))
            texts.clear()

    for begun, moved, face, plain, string, number, name, operator in _TOKEN.findall(code):
        if begun:
            texts.append("\n")
        if moved:
            texts.append(" ")
        if face:
            if face not in fonts:
                fonts[face] = font(cos.name(face))
            current = fonts[face]
        if plain:
            strings.append(plain)
        elif string:
            strings.append(cos.string(string))
        elif number:
            mcid = int(number)
        if not operator:
            continue
        operands, strings = strings, []
        if operator in _SHOW:
            texts.append(_SHOW[operator])
            if current is None:
                faults.append("text without a font")
            else:
                for each in operands:
                    text = current.decode(each)
                    if UNKNOWN in text:
                        faults.append(f"a character that {current.name} lacks")
                        text = text.replace(UNKNOWN, "")
                    texts.append(text)
        elif operator == b"EMC":
            end_piece()
            if len(marks) > 1:
                marks.pop()
        elif operator == b"BDC" or operator == b"BMC":
            texts += (f"\n{cos.text_string(each)}\n" for each in operands)
            end_piece()
            marks.append(marks[-1] if mcid is None else mcid)
            if mcid is not None:
                mcids.append(mcid)
        elif operator == b"q":
            saved.append(current)
        elif operator == b"Q":
            current = saved.pop() if saved else current
        elif operator == b"Do":
            placed = form(cos.name(name))
            texts.append(f"\n{placed.text}\n")
            faults += placed.faults
        elif operator.startswith(b"BI") and operator.endswith(b"EI"):
            if not _PLAIN_IMAGE.fullmatch(operator):
                faults.append("an inline image")
        elif operator not in _GRAPHICS:
            faults.append(f"{operator.decode('latin-1')}, which is no operator")
        mcid = None
    end_piece()
    return Content(pieces, mcids, tuple(dict.fromkeys(faults)))
