"""A file's bytes as text: its encoding, and the characters no author means to type.

Invisible characters come along when a text is pasted from a web page or a word processor. They
hide a field name or split a word, and nobody sees why. They are refused with their name and place.
A no-break space inside a line is honest typography and stays.
"""

from __future__ import annotations

import re
import unicodedata

from kit_builder.errors import Fault, Location, Source, fault
from kit_builder.files import File

LARGEST_FILE = 1_000_000  # bytes; the longest kit of the library has about 10 000

# Unicode general category Zs without the normal space.
SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029"
# Unicode general category Cf without the soft hyphen, which is honest typography, and without
# the signs of scripts that are refused as a whole; the grapheme joiner, and what a picture leaves
# behind in a pasted text.
_ZERO_WIDTH = (
    "\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\U000e0000-\U000e007f"
)
# Unicode 23.7: noncharacters are reserved for internal use.
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17)
)
_LOST = "\ufffd"
_REFUSED = re.compile(f"[\t{_CONTROLS}{_ZERO_WIDTH}{_NONCHARACTERS}{_LOST}]")
_MARGIN = re.compile(rf"^[ -]*[{SPACES}][ \-{SPACES}]*", re.MULTILINE)
# The blocks whose default Bidi_Class is R or AL (DerivedBidiClass.txt), signs for direction apart.
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff"
    "\U0001e800-\U0001efff]"
)
# Of these nothing is asked: none is refused, none is a special space, all run to the right.
_USUAL = re.compile("[\n -~\u00a1-\u034e\u0350-\u058f]+")
_SPECIAL_SPACE = re.compile(f"[{SPACES}]")
_NAMES = {"\t": "Tab", "\x0c": "form feed", "\x1b": "escape", "\x7f": "delete", "\x85": "next line"}
_SAVE = "save the file again with the encoding UTF-8 (in Notepad: File, Save as, Encoding)"


def name(character: str) -> str:
    """What to call a character in a message: "no-break space, U+00A0"."""
    other = "control character" if unicodedata.category(character) == "Cc" else "reserved code"
    called = _NAMES.get(character) or unicodedata.name(character, other).lower()
    return f"{called}, U+{ord(character):04X}"


def read(file: File) -> tuple[Source, str, list[Fault]]:
    """The text of a file with its lines ended by newlines, and the characters refused in it.

    In the text that is handed back each refused character is a space, so that every other
    character keeps its place.

    Raises:
        KitError: the file is too large, or its bytes are no text.
    """
    shown, raw = file.shown, file.raw
    whole = Location(Source(shown))
    if len(raw) > LARGEST_FILE:
        raise fault(
            whole,
            f"the file has {len(raw):,} bytes",
            f"write a file of at most {LARGEST_FILE:,} bytes",
        )
    text = _decoded(raw, shown)
    if not _suspicious(text):
        return Source(shown, tuple(text.split("\n"))), text, []
    source = Source(shown, tuple(_REFUSED.sub(_visible, text).split("\n")))
    return source, _blank(text), _faults(text, source)


def _suspicious(text: str) -> bool:
    """Whether there is anything in a text to find fault with."""
    # What is left of most files is some quotes and dashes: 0.1 ms instead of 1 ms.
    unusual = _USUAL.sub("", text)
    if _REFUSED.search(unusual) or _RIGHT_TO_LEFT.search(unusual):
        return True
    return bool(_SPECIAL_SPACE.search(unusual) and _MARGIN.search(text))


def _visible(refused: re.Match[str]) -> str:
    """A refused character as it is drawn below a message; never one that drives a terminal."""
    return "\t" if refused.group() == "\t" else _LOST


def _blank(text: str) -> str:
    without = _REFUSED.sub(" ", text)
    return without if without.isascii() else _MARGIN.sub(_as_spaces, without)


def _as_spaces(margin: re.Match[str]) -> str:
    return _SPECIAL_SPACE.sub(" ", margin.group())


def _decoded(raw: bytes, shown: str) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif b"\x00" in raw:
        raise fault(
            Location(Source(shown)),
            "this is not a plain text file",
            "copy the text from your word processor into a plain text editor and save it as UTF-8",
        )
    else:
        encoding = "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-16":
            raise fault(Location(Source(shown)), "the file is not valid UTF-16", _SAVE) from None
        # error.object is without the byte order mark, which the codec has taken off.
        valid, byte = error.object[: error.start].decode("utf-8"), error.object[error.start]
        before = _newlines(valid).split("\n")
        drawn = Source(shown, tuple(_newlines(raw.decode(encoding, "replace")).split("\n")))
        letter = bytes([byte]).decode("cp1252", "replace")
        meant = f' (probably "{letter}")' if letter.isprintable() and letter != _LOST else ""
        raise fault(
            Location(drawn, len(before), len(before[-1]) + 1),
            f"the byte {byte:02X}{meant} is not UTF-8",
            _SAVE,
        ) from None
    return _newlines(text)


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _faults(text: str, source: Source) -> list[Fault]:
    """One fault for each refused character, at its first place, with its other lines."""
    places: dict[str, list[Location]] = {}
    foreign: Location | None = None
    for number, line in enumerate(text.split("\n"), 1):
        found = [(match.group(), match.start()) for match in _REFUSED.finditer(line)]
        if not line.isascii():
            margin = _MARGIN.match(line)
            space = _SPECIAL_SPACE.search(margin.group()) if margin else None
            if space is not None:
                found.append((space.group(), space.start()))
            right_to_left = _RIGHT_TO_LEFT.search(line) if foreign is None else None
            if right_to_left is not None:
                foreign = Location(source, number, right_to_left.start() + 1)
        for character, index in found:
            places.setdefault(character, []).append(Location(source, number, index + 1))
    faults = [_refusal(character, where) for character, where in places.items()]
    if foreign is not None:
        faults.append(
            Fault(
                foreign,
                "this script runs from right to left, which cannot be printed yet",
                "write the kit in a script that runs from left to right",
            )
        )
    return faults


def _refusal(character: str, places: list[Location]) -> Fault:
    if character == "\t":
        what, instead = "a Tab stands here", "use the space bar (2 spaces for each step)"
    elif character == _LOST:
        what = 'a letter was lost here and became "\ufffd"'
        instead = "type the letter again and save the file with the encoding UTF-8"
    elif _SPECIAL_SPACE.match(character):
        what = f"an invisible character ({name(character)}) stands where a space belongs"
        instead = "delete it and press the space bar"
    else:
        what = f"an invisible character ({name(character)}) stands here"
        instead = "delete it; it usually comes from a web page or a word processor"
    lines = sorted({place.line for place in places} - {places[0].line})
    if lines:
        more = ", ".join(map(str, lines[:5])) + (" and more" if len(lines) > 5 else "")
        instead += f"; also in {'line' if len(lines) == 1 else 'lines'} {more}"
    return Fault(places[0], what, instead)
