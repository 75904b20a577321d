"""What a teacher did when a YAML parser gives up: its complaint in, a placed fault out.

Knows the complaints of PyYAML's Python parser by their words, but not the library itself. The
parser often complains a line after the mistake; the fault is placed where the mistake is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kit_builder.characters import SPACES, name
from kit_builder.errors import Fault, Location

_ITEM = r" *(?:- +)*"
_GLUED = re.compile(rf"{_ITEM}[a-z][\w-]*(:)[^\s:/]")
_FOREIGN_COLON = re.compile(rf"{_ITEM}[\w-]+ *([\uff1a\ufe55\ua789])")
_FOREIGN_SPACE = re.compile(rf"{_ITEM}[\w-]+(?::([{SPACES}])|([{SPACES}]) *:)")
_VALUE = re.compile(rf"{_ITEM}(?:[^\s:#\"'][^:#]*:[ ]+)?")
_BLOCK_MARKER = re.compile(r"[|>][+-]?\s*(?:#.*)?$")
_QUOTES = ("'", '"')
_CURLY = "\u201c\u201d\u201e\u2018\u2019\u201a\xab\xbb"  # curly and angle quotes
_INDICATORS = "@`%*&!?|>-[]{},"


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the parser said.

    Attributes:
        problem: in its words.
        place: where it noticed.
        context: what it was reading; "" if it does not say.
        began: where that began.
        quoted: the opening quote mark of the last quoted text before, if there is one.
        bracket: the innermost bracket that is still open, if there is one.
    """

    problem: str
    place: Location
    context: str
    began: Location | None
    quoted: Location | None
    bracket: Location | None


def quoted(text: str) -> str:
    """The text in the quotes an author would type around it."""
    text = text.strip()
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def begins(place: Location, text: str) -> Fault:
    """The fault of a text that begins with a character YAML keeps for itself."""
    return Fault(
        place,
        f'a text cannot begin with "{text[:1]}"',
        f"put it in quotes: {quoted(text)}",
    )


def escape(place: Location) -> Fault:
    """The fault of a backslash in double quotes that does not stand before a quote or backslash."""
    return Fault(
        place,
        "a backslash in double quotes changes the letter after it",
        "use single quotes '...', or write / for \\",
    )


def lost(place: Location, text: str) -> Fault:
    """The fault of a text of which YAML would drop all from the "#" on."""
    return Fault(
        place,
        'everything from this "#" on would be lost',
        f"put the text in quotes: {quoted(text)} (a note to yourself needs two spaces before the "
        "# and one after it)",
    )


def colon(place: Location) -> Fault | None:
    """The fault of a text that begins `name:` without a proper colon and a space, if it does."""
    text, start = place.excerpt, max(place.column - 1, 0)
    if match := _FOREIGN_SPACE.match(text, start):
        group = 1 if match[1] else 2
        return Fault(
            _on(place, match.start(group)),
            f"an invisible character ({name(match[group])}) stands beside the colon",
            "delete it and press the space bar",
        )
    if match := _FOREIGN_COLON.match(text, start):
        return Fault(
            _on(place, match.start(1)),
            f'"{match[1]}" ({name(match[1])}) is not the colon of the keyboard',
            'write ":" and a space',
        )
    if match := _GLUED.match(text, start):
        return Fault(
            _on(place, match.start(1)), "no space follows this colon", "type a space after it"
        )
    return None


def explain(complaint: Complaint) -> Fault:
    """The complaint as the author's mistake."""
    for rule in (_brackets, _quotes, _beginnings, _colons, _indentation):
        found = rule(complaint)
        if found is not None:
            return found
    return Fault(
        complaint.place,
        f"this cannot be read ({complaint.problem})",
        'write "field: text", and put quotes around a text with special characters',
    )


def _on(line: Location, index: int) -> Location:
    return Location(line.source, line.line, index + 1)


def _before(place: Location) -> str:
    return place.excerpt[: place.column - 1]


def _value(place: Location) -> tuple[Location, str]:
    """Where the text of a `field: text` or `- text` line begins, and its rest of the line."""
    match = _VALUE.match(place.excerpt)
    index = match.end() if match else 0
    return _on(place, index), place.excerpt[index:]


def _brackets(complaint: Complaint) -> Fault | None:
    place, bracket = complaint.place, complaint.bracket
    if bracket is None:
        return None
    opening = bracket.excerpt[bracket.column - 1]
    closing = "]" if opening == "[" else "}"
    note = re.search(r"(?<=\s)#(?=\S)", bracket.excerpt[bracket.column :])
    if bracket.line < place.line and note is not None:
        return lost(_on(bracket, bracket.column + note.start()), "Card #3")
    if bracket.line < place.line:
        return Fault(
            bracket,
            f'this "{opening}" is not closed',
            f'write "{closing}" at its end, or put a text that begins with "{opening}" in quotes',
        )
    if "expected ','" not in complaint.problem:
        return None
    if place.excerpt[place.column - 1 :].startswith(":"):
        return Fault(
            place,
            'the text contains ": "',
            'put quotes around the whole text, such as "Example: play R2"',
        )
    if _before(place).rstrip().endswith(_QUOTES) and not place.excerpt.startswith(
        _QUOTES, place.column - 1
    ):
        return None
    return Fault(place, f'a comma or "{closing}" is missing here', "write it before this")


def _quotes(complaint: Complaint) -> Fault | None:
    place, problem = complaint.place, complaint.problem
    if "found unexpected" in problem and complaint.began is not None:
        return Fault(
            complaint.began,
            "this quote mark is never closed",
            "write the same mark at the end of the text, or put the text in the other quotes",
        )
    if "escape" in problem:
        return escape(_on(place, place.excerpt.rfind("\\", 0, place.column)))
    if problem.startswith("expected") and _before(place).rstrip().endswith(_QUOTES):
        opened = complaint.quoted
        if opened is not None and opened.line < place.line:
            return Fault(
                opened,
                f"this quote mark is closed only in line {place.line}",
                "write the same mark at the end of the text",
            )
        example = ', such as "player\'s card"'
        if opened is not None and complaint.bracket is None:
            whole = opened.excerpt[opened.column - 1 :].strip()
            if whole[0] == whole[-1]:
                whole = whole[1:-1]
            example = f": {quoted(whole)}"
        return Fault(
            place,
            "the quote mark before this ended the text too early",
            f"put other quotes around the whole text{example}",
        )
    return None


def _beginnings(complaint: Complaint) -> Fault | None:
    place, problem = complaint.place, complaint.problem
    if complaint.context.endswith(("an alias", "an anchor", "a tag", "a block scalar")):
        place = complaint.began or place
    elif problem.startswith("expected <block end>") and _before(place).strip(" -"):
        place, rest = _value(place)
        return begins(place, rest) if rest[:1] in _INDICATORS else None
    elif "document start" in problem or complaint.context.endswith("a directive"):
        return _directive(complaint)
    elif not re.search(
        "cannot start any token|(sequence entries|mapping keys) are not|node content", problem
    ):
        return None
    text = place.excerpt[place.column - 1 :]
    return begins(place, text) if text[:1] and text[:1] in _INDICATORS else None


def _directive(complaint: Complaint) -> Fault | None:
    for number, line in enumerate(complaint.place.source.lines, 1):
        if line.startswith("%"):
            return begins(Location(complaint.place.source, number, 1), line)
    return None


def _colons(complaint: Complaint) -> Fault | None:
    place = complaint.place
    if complaint.problem.startswith("could not find expected ':'") and complaint.began is not None:
        return colon(complaint.began) or Fault(
            complaint.began,
            'this line is not "field: text"',
            "begin it with a field name and a colon; if it belongs to the text above, start it "
            "further right than the field name of that text",
        )
    if not complaint.problem.startswith("mapping values"):
        return None
    start, rest = _value(place)
    if start.column < place.column:
        if rest[:1] in _CURLY:
            return Fault(
                start,
                f'"{rest[:1]}" is not the quote mark of the keyboard',
                'put quotes from the keyboard, "...", around the whole text',
            )
        return Fault(
            place,
            'the text contains ": "',
            f"put quotes around the whole text: {quoted(rest)}",
        )
    for number in range(place.line - 1, 0, -1):
        above = Location(place.source, number)
        if above.excerpt.strip():
            return colon(above) or Fault(
                _on(place, len(place.excerpt) - len(place.excerpt.lstrip())),
                f"this line starts too far right, so it was read as part of line {number}",
                "start it exactly below the name of the field before it",
            )
    return None


def _indentation(complaint: Complaint) -> Fault | None:
    place, problem = complaint.place, complaint.problem
    if not problem.startswith("expected"):
        return None
    if _before(place).strip(" -"):
        return Fault(place, "this does not belong here", "put quotes around the whole text")
    if place.line > 1 and _on(place, 0).source.lines[place.line - 2].startswith("..."):
        return Fault(
            Location(place.source, place.line - 1, 1),
            "three dots alone end the file",
            "remove the line, or put it in quotes",
        )
    for number in range(place.line - 1, 0, -1):
        above = place.source.lines[number - 1]
        if above.strip() and len(above) - len(above.lstrip()) < place.column - 1:
            if not _BLOCK_MARKER.search(above):
                break
            return Fault(
                place,
                f"this line starts further left than the text it belongs to, below line {number}",
                "start all lines of a text exactly below its first line",
            )
    return Fault(
        place,
        "this line starts too far left or right",
        "start it exactly below the line it belongs to, with spaces",
    )
