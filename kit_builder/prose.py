"""Markdown in an author's text -> markup. The only module that knows markdown-it.

Allowed are paragraphs, lists, **bold**, _emphasis_ and tables, and a backslash that makes text of
the mark after it, or a new line of a line's end. Everything else is text, so that "5*3*2", "AT&T",
"<b>", "1986. A year" and "_____" print as they were typed. A heading, a picture, a link, a code
block, a list item without text and a table whose rows differ are errors: they would print as a
riddle, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from kit_builder.errors import Text, fault

_MARKDOWN = MarkdownIt("zero").enable(["list", "table", "emphasis", "escape", "newline"])

# Markdown reads more than its users mean. A backslash keeps it text: a single asterisk (5*3*2), a
# power (2**3), a plus as a bullet (+ 3 = 5), a year as the number of a list item (1986. A year),
# and what looks like a second mark of an item (- 3. May).
_LITERAL_ASTERISKS = re.compile(r"(?<![*\\])\*(?!\*)|(?<=\d)\*\*(?=\d)")
_BULLET_ASTERISK = re.compile(r"^(\s*)\* ")
_MARK = r"\s*(?:-|\d{1,9}[.)])\s+"
_NO_BULLET = re.compile(rf"^({_MARK}|\s*(?=\+))(?=[-+](\s|$))")
_NO_NUMBER = re.compile(rf"^(\s*\d{{3,}}|{_MARK}\d+)(?=[.)](\s|$))")

# A row of dashes that is left over as text: the table has not as many columns as its header.
_DASHES = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?)?\s*")
_CELL_END = re.compile(r"(?<!\\)\|")

_REFUSED = (
    (
        re.compile(r"^ {0,3}#{1,6} "),
        "a Markdown heading inside a text",
        'start a new section: "- heading: ..."',
    ),
    (re.compile(r"^ {0,3}(```|~~~)"), "a Markdown code block", "write the text without it"),
    (re.compile(r"!\[[^\]]*\]\("), "a Markdown picture", "describe it in words"),
    (re.compile(r"\[[^\]]*\]\([^)]*\)"), "a Markdown link", "write the address out as text"),
)

_TAGS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "table": "table",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "strong": "b",
    "em": "em",
}
_DROPPED = {"thead", "tbody"}


def markup(text: Text, mark: Callable[[Text], str]) -> Markup:
    """The markup of a Markdown text; `mark` makes a piece of text into marked, escaped markup.

    Raises:
        KitError: the text holds what does not print; see the module.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for pattern, what, instead in _REFUSED:
            if pattern.search(line):
                raise fault(text.line(number), f"{what} does not print", instead)
    tokens = _MARKDOWN.parse("\n".join(map(_keep_literal, lines)))
    return Markup("".join(_blocks(tokens, text, mark)))


def _keep_literal(line: str) -> str:
    if bullet := _BULLET_ASTERISK.match(line):
        line = f"{bullet[1]}- {line[bullet.end() :]}"
    line = _LITERAL_ASTERISKS.sub(lambda found: found[0].replace("*", "\\*"), line)
    line = _NO_BULLET.sub(lambda before: f"{before[0]}\\", line)
    return _NO_NUMBER.sub(lambda before: f"{before[0]}\\", line)


def _blocks(tokens: list[Token], text: Text, mark: Callable[[Text], str]) -> Iterable[str]:
    _check(tokens, text)
    for token in tokens:
        if token.type == "inline":
            first = token.map[0] if token.map else 0
            yield from _inline(token.children or [], text, first, mark)
            continue
        name, _, edge = token.type.rpartition("_")
        if name in _DROPPED:
            continue
        tag = _TAGS[name]
        if edge == "close":
            yield f"</{tag}>"
        else:
            start = token.attrGet("start")
            yield f"<{tag}>" if start is None else f'<{tag} start="{start}">'


def _check(tokens: list[Token], text: Text) -> None:
    """Refuses what markdown-it would drop or leave empty.

    Raises:
        KitError: a list item without text, or a table without rows or with rows that differ.
    """
    columns = 0
    place = text.location
    for token, following in pairwise(tokens):
        place = text.line(token.map[0]) if token.map else place
        match token.type, following.type:
            case "list_item_open", "list_item_close":
                instead = "write its text, or \\ before its mark"
                raise fault(place, "a list item without text", instead)
            case "thead_open", _:
                columns = 0
            case "th_open", _:
                columns += 1
            case "thead_close", "table_close":
                raise fault(place, "a table without rows", "write a row below the row of dashes")
            case "tr_open", "td_open" if token.map:
                cells = _cells(text.split("\n")[token.map[0]])
                if cells != columns:
                    raise fault(
                        place,
                        "this row of a table has not as many cells as its header: "
                        f"{cells}, not {columns}",
                        "write | between cells, \\| for a bar, and a blank line below the table",
                    )


def _cells(row: str) -> int:
    """How many cells a row of a table has; a bar at either end ends none."""
    row = row.strip()
    bars = len(_CELL_END.findall(row))
    return bars + 1 - row.startswith("|") - bool(_CELL_END.search(row, len(row) - 1))


def _inline(
    tokens: list[Token], text: Text, line: int, mark: Callable[[Text], str]
) -> Iterable[str]:
    for token in tokens:
        if token.type in ("text", "text_special"):
            if _DASHES.fullmatch(token.content):
                raise fault(
                    text.line(line),
                    "this row of dashes does not make a table of the line above it",
                    "write --- once for each column of the header, with | between them",
                )
            if token.content:
                yield mark(Text(token.content, text.line(line)))
        elif token.type in ("softbreak", "hardbreak"):
            line += 1
            yield " " if token.type == "softbreak" else "<br/>"
        else:
            name, _, edge = token.type.rpartition("_")
            yield f"</{_TAGS[name]}>" if edge == "close" else f"<{_TAGS[name]}>"
