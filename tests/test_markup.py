"""What an element says is understood, or refused at the place where it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import markup
from kit_builder.document import Element, mark
from kit_builder.errors import KitError, Location, Source, Text
from kit_builder.typography import Style
from tests.conftest import element

STYLE = Style(12, 15)
FILE = Source("game.yaml", ("title: One", "text: |", "  Go to Llanfairpwll today"))
TITLE = Text("One", Location(FILE, 1, 8))
TEXT = Text("Go to Llanfairpwll today", Location(FILE, 2, 7), 3)


def refusal(error: pytest.ExceptionInfo[KitError]) -> str:
    return str(error.value).split("\n")[0]


# Attributes


def said(written: str, *names: str) -> dict[str, str]:
    return dict(markup.attributes(element(f'<tick at="x.j2:4" {written}/>'), *names))


def test_known_attributes_are_told() -> None:
    assert said('alt="Box" rows="3"', "alt", "rows?", "width?") == {"alt": "Box", "rows": "3"}


@pytest.mark.parametrize(
    ("written", "names", "told"),
    [
        ('rose="3"', ("rows",), 'has no attribute "rose"; did you mean "rows"?'),
        ('a="3"', ("rows", "alt?"), 'has no attribute "a"; write one of rows, alt'),
        ('a="3"', (), 'has no attribute "a"; leave it out'),
        ("", ("rows",), 'lacks the attribute "rows"; write rows="..."'),
        ('alt=" "', ("alt",), 'lacks the attribute "alt"; write alt="..."'),
        ('alt=""', ("alt?",), 'lacks the attribute "alt"; write alt="..."'),
    ],
)
def test_attributes_that_are_not_as_they_should_be_are_refused(
    written: str, names: tuple[str, ...], told: str
) -> None:
    with pytest.raises(KitError) as caught:
        said(written, *names)
    assert refusal(caught) == f"x.j2:4: <tick> {told}"


def test_a_value_from_the_authors_file_is_refused_there() -> None:
    made = element(f'<a at="x.j2:4" rows="{mark("One", 0)}"/>', TITLE)
    with pytest.raises(KitError) as caught:
        markup.converted(made.attributes["rows"], markup.whole_number)
    assert str(caught.value) == (
        'game.yaml:1:8: "One" is not a whole number; write digits only\n'
        "    1 | title: One\n               ^"
    )


def test_a_value_from_the_template_is_refused_there() -> None:
    with pytest.raises(KitError) as caught:
        markup.converted(element('<a at="x.j2:4" rows="x"/>').attributes["rows"], markup.positive)
    assert str(caught.value) == 'x.j2:4: "x" is not a number above 0; write one, such as 1.5'


def test_an_unknown_element_is_refused_with_the_nearest_one() -> None:
    told = str(markup.unknown(element('<boxs at="x.j2:9"/>'), {"boxes": 1, "tick": 1}))
    assert told == 'x.j2:9: there is no element <boxs> here; did you mean "boxes"?'


# What an element holds


def test_children_of_the_right_kind_are_told() -> None:
    found = markup.children(element("<tr>\n <td/> <th/>\n</tr>"), "td", "th")
    assert [each.tag for each in found] == ["td", "th"]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('<tr at="x.j2:2"/>', "x.j2:2: <tr> is empty; put <td> into it"),
        (
            '<tr at="x.j2:2"><td/><li at="x.j2:3"/></tr>',
            "x.j2:3: there is no element <li> here; write one of td, th",
        ),
        (
            '<tr at="x.j2:2"><td/>words</tr>',
            'x.j2:2: text "words" stands directly in <tr>; '
            "put it into an element that holds text, such as <p>",
        ),
    ],
)
def test_other_children_are_refused(written: str, told: str) -> None:
    with pytest.raises(KitError) as caught:
        markup.children(element(written), "td", "th")
    assert refusal(caught) == told


# Conversions


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("16", 16), ("007", 7)])
def test_digits_are_a_whole_number(text: str, number: int) -> None:
    assert markup.whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "1.0", "1 000", "ten", "²", "1e3"])
def test_anything_else_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match=f'"{text}" is not a whole number; write digits only'):
        markup.whole_number(text)


@pytest.mark.parametrize("text", ["0", "-1", "", "x", "inf", "nan", "0.0", "1,5"])
def test_a_share_is_a_number_above_0(text: str) -> None:
    assert markup.positive("1.5") == 1.5
    with pytest.raises(ValueError, match="is not a number above 0; write one, such as"):
        markup.positive(text)


@pytest.mark.parametrize("text", ["0 mm", "-3 mm", "-0.0 mm"])
def test_a_side_is_a_length_above_0(text: str) -> None:
    assert markup.side("12 pt") == 12
    with pytest.raises(ValueError, match="is not a length above 0; write one, such as"):
        markup.side(text)


@pytest.mark.parametrize("text", ["", "true", "Yes", "1", "on"])
def test_only_yes_and_no_are_yes_and_no(text: str) -> None:
    assert markup.yes_or_no("yes") is True
    assert markup.yes_or_no("no") is False
    with pytest.raises(ValueError, match=f'"{text}" is neither yes nor no; write one of the two'):
        markup.yes_or_no(text)


def test_only_known_words_pass() -> None:
    check = markup.one_of(("left", "right"), "align")
    assert check("left") == "left"
    with pytest.raises(ValueError, match='unknown align "rigth"; did you mean "right"'):
        check("rigth")
    with pytest.raises(ValueError, match='unknown align "x"; write one of left, right'):
        check("x")


# Text


def told(made: Element) -> list[tuple[str, bool]]:
    return [(str(text), bold) for text, bold in markup.spans(made)]


def test_white_space_is_folded_and_a_break_is_kept() -> None:
    made = element("<p>\n  One\t two\n  <br/>three\u00a0 four </p>")
    assert told(made) == [
        (" One two ", False),
        ("\n", False),
        ("three\u00a0 four ", False),
    ]


def test_bold_text_and_emphasis_are_bold() -> None:
    made = element("<p>a <b>b <em>c</em></b><em>d</em></p>")
    assert told(made) == [("a ", False), ("b ", True), ("c", True), ("d", True)]
    assert [bold for _, bold in markup.spans(made, True)] == [True] * 4


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ('<p at="x.j2:1"><i at="x.j2:2">a</i></p>', "there is no element <i> here"),
        ('<p at="x.j2:1"><p at="x.j2:2">a</p></p>', "there is no element <p> here"),
        ('<p at="x.j2:1"><b at="x.j2:2" c="1">a</b></p>', '<b> has no attribute "c"'),
    ],
)
def test_other_elements_in_a_text_are_refused(written: str, what: str) -> None:
    with pytest.raises(KitError) as caught:
        list(markup.spans(element(written)))
    assert refusal(caught).startswith(f"x.j2:2: {what}; ")


def test_every_span_knows_its_place() -> None:
    made = element(f'<p at="x.j2:4">Say <b>{mark("One", 0)}</b></p>', TITLE)
    places = [text.location for text, _ in markup.spans(made) if isinstance(text, Text)]
    assert list(map(str, places)) == ["x.j2:4", "game.yaml:1:8"]


def test_a_text_is_set_in_lines() -> None:
    lines = markup.set_lines(element("<p>one <b>two</b> three</p>"), 50, STYLE, "its column")
    assert [[run.text for word in line.words for run in word.runs] for line in lines] == [
        ["one", "two"],
        ["three"],
    ]


def test_a_style_in_bold_sets_all_in_bold() -> None:
    (line,) = markup.set_lines(element("<p>one</p>"), 90, Style(12, 15, bold=True), "its column")
    assert line.words[0].runs[0].font == "Andika-Bold"


def test_a_word_too_wide_is_refused_where_it_stands() -> None:
    made = element(f'<td at="x.j2:4">{mark(str(TEXT), 0)}</td>', TEXT)
    with pytest.raises(KitError) as caught:
        markup.set_lines(made, 60, STYLE, "its column")
    assert str(caught.value) == (
        'game.yaml:3:9: "Llanfairpwll" is 1.95 mm too wide for its column at 12 pt; '
        "shorten the word, or make two words of it\n"
        "    3 |   Go to Llanfairpwll today\n"
        "                ^"
    )


def test_a_word_too_wide_is_refused_at_the_piece_of_text_it_stands_in() -> None:
    made = element(f"<td>{mark('One', 0)} of <b>{mark(str(TEXT), 1)}</b></td>", TITLE, TEXT)
    with pytest.raises(KitError) as caught:
        markup.set_lines(made, 60, STYLE, "its column")
    assert refusal(caught).startswith('game.yaml:3:9: "Llanfairpwll" is ')


def test_a_label_is_one_line_as_wide_as_it_is() -> None:
    line = markup.set_label("one two", STYLE)
    assert len(line.words) == 2
    with pytest.raises(KitError, match="no font has the character"):
        markup.set_label(Text("漢", Location(FILE, 1, 8)), STYLE)


@given(st.text("ab \n\t\u00a0", max_size=30))
def test_no_white_space_is_left_but_single_spaces(text: str) -> None:
    folded = "".join(span for span, _ in told(element(f"<p>{text}</p>")))
    assert "  " not in folded
    assert not {"\n", "\t"} & set(folded)
    assert folded.replace(" ", "") == text.translate(dict.fromkeys(map(ord, " \n\t")))
