"""Markdown as teachers mean it: a few marks, and all the rest is text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import escape

from kit_builder import document, prose
from kit_builder.document import Element
from kit_builder.errors import KitError, Text
from kit_builder.markup import spans
from tests.conftest import block, plain


def markup(text: str) -> str:
    """The markup of a text, whose pieces are only escaped."""
    return str(prose.markup(plain(text), lambda piece: str(escape(str(piece)))))


def places(text: Text) -> list[tuple[str, str]]:
    """Every piece of a text with its line and column."""
    found: list[tuple[str, str]] = []

    def mark(piece: Text) -> str:
        found.append((str(piece), str(piece.location).partition(":")[2]))
        return ""

    prose.markup(text, mark)
    return found


def refusal(text: str) -> str:
    with pytest.raises(KitError) as caught:
        markup_of_block(text)
    return str(caught.value).split("\n")[0].removeprefix("activities/game.yaml:")


def markup_of_block(text: str) -> None:
    prose.markup(block(text), lambda piece: str(escape(str(piece))))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("One.\nTwo.\n\nThree.", "<p>One. Two.</p><p>Three.</p>"),
        ("Say **raise** or __pass__.", "<p>Say <b>raise</b> or <b>pass</b>.</p>"),
        ("Say _raise_ now.", "<p>Say <em>raise</em> now.</p>"),
        ("**Spiel**plan", "<p><b>Spiel</b>plan</p>"),
        ("**add _one_ card**", "<p><b>add <em>one</em> card</b></p>"),
        ("- a\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        ("* a\n* b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        ("1. a\n2. b", "<ol><li><p>a</p></li><li><p>b</p></li></ol>"),
        ("1) a\n2) b", "<ol><li><p>a</p></li><li><p>b</p></li></ol>"),
        ("4. a\n5. b", '<ol start="4"><li><p>a</p></li><li><p>b</p></li></ol>'),
        ("0. a", '<ol start="0"><li><p>a</p></li></ol>'),
        ("- a\n\n  more\n- b", "<ul><li><p>a</p><p>more</p></li><li><p>b</p></li></ul>"),
        (
            "- a\n  - b\n    1. c\n- d",
            "<ul><li><p>a</p><ul><li><p>b</p><ol><li><p>c</p></li></ol></li></ul></li>"
            "<li><p>d</p></li></ul>",
        ),
        (
            "| a | b |\n|---|:-:|\n| c | **d** |",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td><b>d</b></td></tr></table>",
        ),
        (
            "a | b\n--|--\nc | \\|",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>|</td></tr></table>",
        ),
        ("one\\\ntwo", "<p>one<br/>two</p>"),
        ("one  \ntwo", "<p>one<br/>two</p>"),
        ("", ""),
    ],
)
def test_a_mark_becomes_an_element(text: str, made: str) -> None:
    assert markup(text) == made


@pytest.mark.parametrize(
    "text",
    [
        "<b>bold</b>",
        "&amp; &nbsp; &#42; AT&T",
        "{{ x }} {% if %} {# note #}",
        "50 % of 10%",
        "\"quoted\" 'too' “this” ‘that’",
        "C:\\new\\file",
        "5*3*2 = 30",
        "2 * 3 * 4",
        "2**3**4",
        "2*3",
        "*",
        "**",
        "****",
        "**a",
        "name: _____",
        "_ _ _",
        "snake_case_name",
        "+ 3 = 5",
        "+",
        "+5 and -5",
        "-5 points",
        "–5 points",
        "1986. A year",
        "2024) was",
        "1986.",
        "---",
        "===",
        "a)",
        "#1 and #two",
        "~~not~~",
        "`code`",
        "> 5",
        "[1] [x] [a][b]",
        "(see below)",
        "http://example.org/a_b",
        "10:30",
        "<!-- note -->",
        "a | b",
        "Ana\u00a0Ben 10\u202f%",
        "*note",
        "a *b* c",
    ],
)
def test_all_the_rest_is_text(text: str) -> None:
    assert markup(text) == f"<p>{escape(text)}</p>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One\n---\ntwo", "One --- two"),
        ("One\n===", "One ==="),
        ("One\n---", "One ---"),
        ("One\n    two", "One two"),
        ("    One", "One"),
        ("See\n2. below", "See 2. below"),
        ("One\n+ two", "One + two"),
        ("\\*one\\* \\_two\\_", "*one* _two_"),
        ("3\\. May", "3. May"),
        ("\\- a", "- a"),
    ],
)
def test_what_looks_like_a_mark_is_text(text: str, shown: str) -> None:
    assert markup(text) == f"<p>{shown}</p>"


@pytest.mark.parametrize("text", ["3. May", "1986. A year", "+ 3 = 5", "- 5", "12) b", "- -", "+"])
@pytest.mark.parametrize("mark", ["-", "*", "1."])
def test_a_second_mark_of_an_item_is_text(mark: str, text: str) -> None:
    tag = "ol" if mark == "1." else "ul"
    assert markup(f"{mark} {text}") == f"<{tag}><li><p>{text}</p></li></{tag}>"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Then:\n\n## Aim",
            "4:3: a Markdown heading inside a text does not print; "
            'start a new section: "- heading: ..."',
        ),
        ("a\n```\nb\n```", "3:3: a Markdown code block does not print; write the text without it"),
        ("~~~", "2:3: a Markdown code block does not print; write the text without it"),
        ("See ![a map](map.png).", "2:3: a Markdown picture does not print; describe it in words"),
        (
            "- a\n- see [here](http://example.org)",
            "3:3: a Markdown link does not print; write the address out as text",
        ),
        (
            "One:\n\n- a\n-\n- b",
            "5:3: a list item without text; write its text, or \\ before its mark",
        ),
        ("42.", "2:3: a list item without text; write its text, or \\ before its mark"),
        (
            "a\n\n| a | b |\n|---|---|\n| c | d |\n| e |",
            "7:3: this row of a table has not as many cells as its header: 1, not 2; "
            "write | between cells, \\| for a bar, and a blank line below the table",
        ),
        (
            "| a |\n|---|\n| b | c |",
            "4:3: this row of a table has not as many cells as its header: 2, not 1; "
            "write | between cells, \\| for a bar, and a blank line below the table",
        ),
        (
            "| a | b |\n|---|---|\n| c | d |\nThen go on.",
            "5:3: this row of a table has not as many cells as its header: 1, not 2; "
            "write | between cells, \\| for a bar, and a blank line below the table",
        ),
        (
            "a\n\n| b |\n|---|\n\nc",
            "4:3: a table without rows; write a row below the row of dashes",
        ),
        (
            "| a | b |\n|---|---|---|\n| c | d |",
            "3:3: this row of dashes does not make a table of the line above it; "
            "write --- once for each column of the header, with | between them",
        ),
    ],
)
def test_what_would_not_print_is_refused_at_its_place(text: str, told: str) -> None:
    assert refusal(text) == told


def test_each_piece_of_a_block_text_knows_its_line() -> None:
    text = block(
        "One\nand **two**\n\n- three\n  four\n  - five\\\n    six\n\n"
        "| a | b |\n|---|---|\n| c | d |",
        before=3,
    )
    assert places(text) == [
        ("One", "4:3"),
        ("and ", "5:3"),
        ("two", "5:3"),
        ("three", "7:3"),
        ("four", "8:5"),
        ("five", "9:5"),
        ("six", "10:7"),
        ("a", "12:3"),
        ("b", "12:3"),
        ("c", "14:3"),
        ("d", "14:3"),
    ]


def test_each_piece_of_a_plain_text_has_the_place_of_the_text() -> None:
    assert places(plain("One **two** three")) == [
        ("One ", "1:1"),
        ("two", "1:1"),
        (" three", "1:1"),
    ]


def test_words_beside_each_other_in_bold_stay_two_words() -> None:
    origins: list[Text] = []

    def mark(piece: Text) -> str:
        origins.append(piece)
        return document.mark(str(escape(str(piece))), len(origins) - 1)

    root = document.parse(f"<r>{prose.markup(plain('**Ana** **Ben**'), mark)!s}</r>", "r", origins)
    (paragraph,) = root.elements()
    assert [(span.text, span.bold) for span in spans(paragraph)] == [
        ("Ana", True),
        (" ", False),
        ("Ben", True),
    ]


def words_of(markup: str) -> str:
    def text(element: Element) -> str:
        return "".join(
            child if isinstance(child, Text) else text(child) for child in element.children
        )

    root = document.parse(f"<r>{markup}</r>", "r", [])
    return " ".join(text(each) for each in root.elements())


# No mark stands in it: no \\ _ [ ] | ` ~ and nothing at the start of a line.
UNMARKED = st.characters(
    exclude_categories=["Cc", "Cs", "Z"],
    exclude_characters="\\_[]|`~\ufdd0\ufdd1\ufdd2\ufffe\uffff",
)
TEXTS = st.lists(
    st.lists(st.text(UNMARKED, min_size=1, max_size=9), min_size=1, max_size=5).map(" ".join),
    min_size=1,
    max_size=4,
).map(lambda lines: "\n".join("x" + line.replace("**", "*") for line in lines))


@given(TEXTS)
@example("x5*3*2\nx&lt;<b>")
def test_a_text_without_marks_comes_out_unchanged(text: str) -> None:
    assert words_of(markup(text)) == text.replace("\n", " ")


@given(st.text("ab *_-+|#.)1\\\n[]<&>`", max_size=40))
def test_any_text_is_refused_or_becomes_well_formed_markup_with_all_its_letters(text: str) -> None:
    try:
        made = markup(text)
    except KitError:
        return
    kept = re.sub(r"[^ab<>&`\[\]]", "", words_of(made))
    assert kept == re.sub(r"[^ab<>&`\[\]]", "", text)


def whole(text: str) -> list[str]:
    """What markdown-it alone makes of a text: tags, and the pieces with their lines."""
    lines = [prose._keep_literal(line) for line in text.split("\n")]
    rules = ["list", "table", "emphasis", "escape", "newline"]
    made: list[str] = []
    for token in MarkdownIt("zero").enable(rules).parse("\n".join(lines)):
        if token.type != "inline":
            made += map(str, prose._blocks([token]))
            continue
        assert token.map is not None
        made += map(str, prose._with_marks(token.children or [], token.map[0]))
    return made


@given(
    st.one_of(
        st.text("ab1é*_ -.,:;()!?|#\\\n\u00a0\u0301“", max_size=30),
        st.lists(
            st.sampled_from([*"ab1é.,:;()!*-\n\n ", "**", "**", "\n\n", " **a", "b**", "c d"]),
            max_size=16,
        ).map("".join),
        TEXTS,
    )
)
@example("**One.** Two\n**three\nfour**, five\n\n\nsix (**seven**)")
def test_what_is_read_without_markdown_it_is_what_markdown_it_reads(text: str) -> None:
    try:
        made = list(map(str, prose._read(text)))
    except prose._RefusedError:
        return
    assert made == whole(text)
