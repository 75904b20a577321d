"""Markdown in an author's text -> markup. The only module that knows markdown-it.

Allowed are paragraphs, lists, **bold**, _emphasis_ and tables, and a backslash that makes text of
the mark after it, or a new line of a line's end. Everything else is text, so that "5*3*2", "AT&T",
"<b>", "1986. A year" and "_____" print as they were typed. A heading, a picture, a link, a code
block, a list item without text and a table whose rows differ are errors: they would print as a
riddle, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from kit_builder.errors import Text, fault

_RULES = ["list", "table", "emphasis", "escape", "newline"]
_INLINE = MarkdownIt("zero").enable(_RULES)
_BLOCKS = MarkdownIt("zero").enable(_RULES).disable(["inline", "text_join"])

# What most texts are made of is read here, ten times faster than markdown-it reads it: paragraphs
# whose lines begin with a letter and end where their last word ends, and bold words between spaces.
# Each pattern begins with a character it stands for, so that the search for it is fast.
_PLAIN_LINE = re.compile(r"(?:\*\*)?[^\W\d_][^\\_|\r\n\0]*(?<=\S)|")
_BOLD = re.compile(
    r"\*\*(?<![^ \n]\*\*)(?=[^\s*])([^*]+)"
    r"(?<=\S)\*\*(?=[ \n]|\Z|(?<=\w\*\*)[.,:;!?)])"
)
_OTHER_MARKS = ("*", "_", "\\", "|", " \n", "\n ", "\t")

# Markdown reads more than its users mean. A backslash keeps it text: a single asterisk (5*3*2), a
# power (2**3), a plus as a bullet (+ 3 = 5), a year as the number of a list item (1986. A year),
# and what looks like a second mark of an item (- 3. May).
_LITERAL_ASTERISKS = re.compile(r"\*(?:(?<![*\\]\*)(?!\*)|\*(?<=\d\*\*)(?=\d))")
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


class _Piece(NamedTuple):
    """A piece of the author's text, and the number of its line, from 0."""

    text: str
    line: int


class _RefusedError(Exception):
    """A line, from 0, that does not print."""

    def __init__(self, line: int, what: str, instead: str) -> None:
        super().__init__(line, what, instead)
        self.line, self.what, self.instead = line, what, instead


def markup(text: Text, mark: Callable[[Text], str]) -> Markup:
    """The markup of a Markdown text; `mark` makes a piece of text into marked, escaped markup.

    Raises:
        KitError: the text holds what does not print; see the module.
    """
    try:
        pieces = _read(str(text))
    except _RefusedError as refused:
        raise fault(text.line(refused.line), refused.what, refused.instead) from None
    made: list[str] = []
    line, place = -1, text.location
    for piece in pieces:
        if isinstance(piece, _Piece):
            if piece.line != line:
                line, place = piece.line, text.line(piece.line)
            piece = mark(Text(piece.text, place))
        made.append(piece)
    return Markup("".join(made))


# The rules of a kit stand in both of its editions.
@lru_cache(maxsize=256)
def _read(text: str) -> tuple[str | _Piece, ...]:
    """Tags, and between them the pieces of a text.

    Raises:
        _RefusedError: it holds what does not print.
    """
    lines = text.split("\n")
    if all(map(_PLAIN_LINE.fullmatch, lines)) and "](" not in text:
        return tuple(_paragraphs(_LITERAL_ASTERISKS.sub(_escaped, text)))
    for number, line in enumerate(lines):
        for pattern, what, instead in _REFUSED:
            if pattern.search(line):
                raise _RefusedError(number, f"{what} does not print", instead)
    tokens = _BLOCKS.parse("\n".join(map(_keep_literal, lines)))
    _check(tokens, lines)
    return tuple(_blocks(tokens))


def _keep_literal(line: str) -> str:
    if bullet := _BULLET_ASTERISK.match(line):
        line = f"{bullet[1]}- {line[bullet.end() :]}"
    line = _LITERAL_ASTERISKS.sub(_escaped, line)
    line = _NO_BULLET.sub(lambda before: f"{before[0]}\\", line)
    return _NO_NUMBER.sub(lambda before: f"{before[0]}\\", line)


def _escaped(asterisks: re.Match[str]) -> str:
    return asterisks[0].replace("*", "\\*")


def _paragraphs(text: str) -> Iterator[str | _Piece]:
    """What a text of nothing but paragraphs is made of."""
    line = 0
    for paragraph in text.split("\n\n"):
        content = paragraph.lstrip("\n")
        if content:
            yield "<p>"
            yield from _inline(content.rstrip("\n"), line + len(paragraph) - len(content))
            yield "</p>"
        line += paragraph.count("\n") + 2


def _blocks(tokens: Sequence[Token]) -> Iterator[str | _Piece]:
    for token in tokens:
        if token.type == "inline":
            yield from _inline(token.content, token.map[0] if token.map else 0)
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


def _inline(content: str, line: int) -> Iterator[str | _Piece]:
    """What the content of a paragraph is made of; its first line is `line`."""
    parts = _BOLD.split(content)
    unmarked = "".join(parts)
    if any(mark in unmarked for mark in _OTHER_MARKS):
        yield from _with_marks(_INLINE.parseInline(content)[0].children or [], line)
        return
    for number, part in enumerate(parts):
        bold = number % 2 == 1
        if bold:
            yield "<b>"
        for index, piece in enumerate(part.split("\n")):
            if index:
                line += 1
                yield " "
            if piece:
                yield _Piece(piece, line)
        if bold:
            yield "</b>"


def _with_marks(tokens: Sequence[Token], line: int) -> Iterator[str | _Piece]:
    for token in tokens:
        if token.type in ("text", "text_special"):
            if _DASHES.fullmatch(token.content):
                raise _RefusedError(
                    line,
                    "this row of dashes does not make a table of the line above it",
                    "write --- once for each column of the header, with | between them",
                )
            if token.content:
                yield _Piece(token.content, line)
        elif token.type in ("softbreak", "hardbreak"):
            line += 1
            yield " " if token.type == "softbreak" else "<br/>"
        else:
            name, _, edge = token.type.rpartition("_")
            yield f"</{_TAGS[name]}>" if edge == "close" else f"<{_TAGS[name]}>"


def _check(tokens: Sequence[Token], lines: Sequence[str]) -> None:
    """Refuses what markdown-it would drop or leave empty.

    Raises:
        _RefusedError: a list item without text, or a table without rows or with rows that differ.
    """
    columns = 0
    line = 0
    for token, following in pairwise(tokens):
        line = token.map[0] if token.map else line
        match token.type, following.type:
            case "list_item_open", "list_item_close":
                instead = "write its text, or \\ before its mark"
                raise _RefusedError(line, "a list item without text", instead)
            case "thead_open", _:
                columns = 0
            case "th_open", _:
                columns += 1
            case "thead_close", "table_close":
                raise _RefusedError(
                    line, "a table without rows", "write a row below the row of dashes"
                )
            case "tr_open", "td_open" if token.map:
                cells = _cells(lines[token.map[0]])
                if cells != columns:
                    raise _RefusedError(
                        line,
                        "this row of a table has not as many cells as its header: "
                        f"{cells}, not {columns}",
                        "write | between cells, \\| for a bar, and a blank line below the table",
                    )


def _cells(row: str) -> int:
    """How many cells a row of a table has; a bar at either end ends none."""
    row = row.strip()
    bars = len(_CELL_END.findall(row))
    return bars + 1 - row.startswith("|") - bool(_CELL_END.search(row, len(row) - 1))
