"""A strict walk over the operators of a PDF, for tests: is all that is painted marked, and once?

Independent of the program: pypdf parses the content streams.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ContentStream, DictionaryObject

PAINTING = frozenset(b"f F f* B B* b b* S s sh Do Tj TJ ' \"".split()) | {b"INLINE IMAGE"}
CLOSING = {b"EMC": "mark", b"Q": "state", b"ET": "text"}
OPENING = {b"BDC": "mark", b"BMC": "mark", b"q": "state", b"BT": "text"}


def unmarked(pdf: bytes) -> list[str]:
    """Every place where a page paints something that is not marked exactly once.

    Reports painting outside an MCID or Artifact, marks inside one another, marks inside a form, and
    marks, text objects and graphics states that are unbalanced or cross each other.
    """
    faults: list[str] = []
    reader = PdfReader(BytesIO(pdf))
    seen: set[int] = set()
    for number, page in enumerate(reader.pages, start=1):
        contents = page.get_contents()
        if contents is not None:
            faults += _walk(f"page {number}", contents, page, reader, seen, form=False)
    return faults


def _walk(
    place: str,
    contents: Any,
    owner: DictionaryObject,
    reader: PdfReader,
    seen: set[int],
    form: bool,
) -> list[str]:
    faults: list[str] = []
    opened: list[tuple[str, str]] = []  # (pair, what a mark marks: "MCID 3", "Artifact", "")
    for step, (operands, operator) in enumerate(ContentStream(contents, reader).operations):
        where = f"{place}, operator {step} {operator.decode()}"
        marks = [mark for pair, mark in opened if pair == "mark" and mark]
        if operator in OPENING:
            mark = _mark(operands) if OPENING[operator] == "mark" else ""
            if mark and marks:
                faults.append(f"{where}: {mark} inside {marks[-1]}")
            if mark and form:
                faults.append(f"{where}: {mark} inside a form")
            opened.append((OPENING[operator], mark))
        elif operator in CLOSING:
            if not opened:
                faults.append(f"{where}: closes nothing")
            elif opened.pop()[0] != CLOSING[operator]:
                faults.append(f"{where}: crosses another pair")
        elif operator in PAINTING:
            if not marks and not form:
                faults.append(f"{where}: painted without a mark")
            if operator == b"Do":
                resources: Any = owner["/Resources"]
                placed = resources["/XObject"][operands[0]]
                if placed["/Subtype"] == "/Form" and id(placed) not in seen:
                    seen.add(id(placed))
                    inner = f"{place}, form {operands[0]}"
                    faults += _walk(inner, placed, placed, reader, seen, form=True)
    faults += [f"{place}: {pair} {mark} is never closed" for pair, mark in opened]
    return faults


def _mark(operands: list[Any]) -> str:
    if operands[0] == "/Artifact":
        return "Artifact"
    properties = operands[1] if len(operands) > 1 else None
    if isinstance(properties, DictionaryObject) and "/MCID" in properties:
        return f"MCID {properties['/MCID']}"
    return ""
