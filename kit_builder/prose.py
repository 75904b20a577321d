"""Markdown in an author's text -> markup. The only module that knows markdown-it.

Allowed are paragraphs, lists, **bold**, _emphasis_ and tables. Everything else is text, so that
"5*3*2", "AT&T", "<b>", "1986. A year" and "_____" print as they were typed. A heading, a picture,
a link or a code block is an error: it would print as a riddle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from kit_builder.errors import Text, fault

_MARKDOWN = MarkdownIt("zero").enable(["list", "table", "emphasis", "escape", "newline"])

# Markdown reads more than its users mean. A backslash keeps it text: a single asterisk (5*3*2),
# a plus as a bullet (+ 3 = 5), a year as the number of a list item (1986. A year).
_LONE_ASTERISK = re.compile(r"(?<![*\\])\*(?!\*)")
_BULLET_ASTERISK = re.compile(r"^(\s*)\* ")
_PLUS = re.compile(r"^(\s*)\+(?=\s)")
_YEAR = re.compile(r"^(\s*\d{3,})(?=[.)]\s)")

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
        KitError: the text holds a heading, a code block, a picture or a link.
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
    line = _LONE_ASTERISK.sub(r"\\*", line)
    line = _PLUS.sub(r"\1\\+", line)
    return _YEAR.sub(lambda year: f"{year[1]}\\", line)


def _blocks(tokens: list[Token], text: Text, mark: Callable[[Text], str]) -> Iterable[str]:
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
            yield f'<{tag} start="{start}">' if start else f"<{tag}>"


def _inline(
    tokens: list[Token], text: Text, line: int, mark: Callable[[Text], str]
) -> Iterable[str]:
    for token in tokens:
        if token.type in ("text", "text_special"):
            if token.content:
                yield mark(Text(token.content, text.line(line)))
        elif token.type in ("softbreak", "hardbreak"):
            line += 1
            yield " " if token.type == "softbreak" else "<br/>"
        else:
            name, _, edge = token.type.rpartition("_")
            yield f"</{_TAGS[name]}>" if edge == "close" else f"<{_TAGS[name]}>"
