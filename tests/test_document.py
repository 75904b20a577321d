"""Markup is read with the place of every element and every text, and broken markup is placed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from kit_builder import document
from kit_builder.document import Element
from kit_builder.errors import KitError, Location, Source, Text
from tests.conftest import element, plain

FILE = Source("game.yaml", ("title: One", "summary: Two", "text: Three"))
ORIGINS = tuple(
    Text(word, Location(FILE, line, 8)) for line, word in enumerate(("One", "Two", "Three"), 1)
)


def marked(number: int, text: str | None = None) -> str:
    return document.mark(str(escape(ORIGINS[number] if text is None else text)), number)


def refusal(markup: str) -> str:
    with pytest.raises(KitError) as caught:
        document.parse(markup, "layout.xml.j2", ORIGINS)
    return str(caught.value)


def test_an_element_has_a_tag_attributes_and_children() -> None:
    made = element('<a b="1 &amp; 2"><c/>text<d>&lt;more&gt;</d></a>')
    assert made.tag == "a"
    assert made.attributes == {"b": "1 & 2"}
    assert [child if isinstance(child, Text) else child.tag for child in made.children] == [
        "c",
        "text",
        "d",
    ]
    assert made.text == "text<more>"


def test_an_element_has_the_place_it_was_written_in() -> None:
    made = element('<a at="t/x.xml.j2:3"><b at="t/m.xml.j2:12"/><c/></a>')
    first, second = made.elements()
    assert str(made.location) == "t/x.xml.j2:3"
    assert str(first.location) == "t/m.xml.j2:12"
    assert str(second.location) == "t/m.xml.j2:12"
    assert document.PLACE_ATTRIBUTE not in made.attributes


def test_a_windows_path_is_a_place() -> None:
    assert str(element('<a at="C:\\kits\\x.xml.j2:3"/>').location) == "C:\\kits\\x.xml.j2:3"


@pytest.mark.parametrize("place", ["", "3", "x", "x:", "x:y"])
def test_a_place_that_a_template_wrote_itself_does_no_harm(place: str) -> None:
    assert str(element(f'<a at="{place}"/>').location) == "layout.xml.j2"


def test_each_text_has_the_place_of_its_origin() -> None:
    made = element(f'<a at="x.j2:7">Say {marked(0)} or {marked(2)}!</a>', *ORIGINS)
    assert [(str(child), str(child.location)) for child in made.children] == [
        ("Say ", "x.j2:7"),
        ("One", "game.yaml:1:8"),
        (" or ", "x.j2:7"),
        ("Three", "game.yaml:3:8"),
        ("!", "x.j2:7"),
    ]
    assert str(made.text) == "Say One or Three!"
    assert str(made.text.location) == "x.j2:7"


def test_the_text_after_an_element_has_the_place_of_the_element_around_it() -> None:
    made = element(f'<a at="x.j2:1">{marked(0)}<b at="x.j2:2">in</b>after</a>', *ORIGINS)
    assert [str(piece.location) for piece in made.children] == ["game.yaml:1:8", "x.j2:2", "x.j2:1"]


def test_a_text_is_placed_at_its_first_piece_that_is_seen() -> None:
    made = element(f'<a at="x.j2:1">\n  <b>{marked(1)}</b> {marked(2)}\n</a>', *ORIGINS)
    assert made.text == "Two Three"
    assert str(made.text.location) == "game.yaml:2:8"


def test_an_element_without_text_is_placed_itself() -> None:
    made = element('<a at="x.j2:4"> <b/> </a>')
    assert made.text == ""
    assert str(made.text.location) == "x.j2:4"


def test_an_attribute_has_the_place_of_its_first_origin() -> None:
    made = element(
        f'<a at="x.j2:7" alt="Card {marked(1)}, {marked(0)}" name="{marked(2)}" size="1"/>',
        *ORIGINS,
    )
    assert {name: (str(text), str(text.location)) for name, text in made.attributes.items()} == {
        "alt": ("Card Two, One", "game.yaml:2:8"),
        "name": ("Three", "game.yaml:3:8"),
        "size": ("1", "x.j2:7"),
    }


def test_a_mark_inside_a_mark_is_of_the_inner_origin() -> None:
    inside = document.mark(f"Card {marked(1)} here", 0)
    made = element(f"<a>{inside}</a>", *ORIGINS)
    assert [(str(child), str(child.location)) for child in made.children] == [
        ("Card ", "game.yaml:1:8"),
        ("Two", "game.yaml:2:8"),
        (" here", "game.yaml:1:8"),
    ]


@pytest.mark.parametrize("size", [1000, 32_768, 100_000])
def test_no_mark_of_a_long_text_is_lost(size: int) -> None:
    long = "x&<" * size
    made = element(f"<a><b>{marked(1, long)}</b>{marked(0)}</a>", *ORIGINS)
    (first,) = (child for child in made.children if isinstance(child, Element))
    assert [(str(child), str(child.location)) for child in first.children] == [
        (long, "game.yaml:2:8")
    ]
    assert str(made.children[-1].location) == "game.yaml:1:8"


def test_very_many_short_texts_keep_their_places() -> None:
    made = element("<a>" + "".join(marked(n % 3) for n in range(9000)) + "</a>", *ORIGINS)
    lines = [child.location.line for child in made.children]
    assert lines == [1, 2, 3] * 3000


def test_the_white_space_between_elements_only_lays_out() -> None:
    made = element("<a>\n  <b/>\n  <c/>\n</a>")
    assert [each.tag for each in made.elements()] == ["b", "c"]


def test_the_space_between_two_words_in_bold_is_kept() -> None:
    assert element("<p><b>Ana</b> <b>Ben</b></p>").text == "Ana Ben"


def test_text_between_elements_is_refused_at_its_place() -> None:
    made = element(f'<part at="x.j2:2"><p/>{marked(1)}</part>', *ORIGINS)
    with pytest.raises(KitError) as caught:
        list(made.elements())
    assert str(caught.value).split("\n")[0] == (
        'game.yaml:2:8: text "Two" stands directly in <part>; '
        "put it into an element that holds text, such as <p>"
    )


def test_a_long_text_between_elements_is_told_in_part() -> None:
    with pytest.raises(KitError, match=f'text "{"y" * 40}" stands'):
        list(element(f"<a>{'y' * 90}</a>").elements())


ADVICE = "; close every element, and write &lt; for < and &amp; for &"


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ('<a at="x.j2:5"/><b at="x.j2:6"/>', "junk after document element"),
        ('<a at="x.j2:1"><b at="x.j2:5">', "no element found"),
        ('<a at="x.j2:1"><b at="x.j2:5"></a>', "mismatched tag"),
        ('<a at="x.j2:5">&nbsp;</a>', "undefined entity"),
        ('<a at="x.j2:5">AT&T</a>', "not well-formed (invalid token)"),
        ('<a at="x.j2:5">1 < 2</a>', "not well-formed (invalid token)"),
        ('<a at="x.j2:5">\x0b</a>', "not well-formed (invalid token)"),
        ('<a at="x.j2:5">\x00</a>', "not well-formed (invalid token)"),
        ('<a at="x.j2:5"><b c="1" c="2"/></a>', "duplicate attribute"),
    ],
)
def test_broken_markup_is_placed_at_the_last_element_before_it(markup: str, reason: str) -> None:
    told = f"x.j2:5: the markup is broken at or after this element: {reason}{ADVICE}"
    assert refusal(markup) == told


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("", "no element found"),
        ("  \n", "no element found"),
        ("only text", "syntax error"),
        ("<a>\ud83d</a>", "half a character"),
    ],
)
def test_what_is_no_markup_at_all_is_placed_in_the_layout(markup: str, reason: str) -> None:
    what = f"the markup is broken at or after this element: {reason}"
    assert refusal(markup) == f"layout.xml.j2: {what}{ADVICE}"


@pytest.mark.parametrize("cut", [slice(4), slice(1, None), slice(2, None), slice(None, None, -1)])
def test_a_mark_that_a_filter_cut_is_refused(cut: slice) -> None:
    piece = (marked(1) + marked(2))[cut]
    for markup in (f'<a at="x.j2:6">{piece}</a>', f'<a at="x.j2:6" b="{piece}"/>'):
        assert refusal(markup) == (
            "x.j2:6: a filter cuts through markup in or after this element; "
            "apply it to a text of the activity, not to what a macro or another filter made"
        )


def test_a_mark_survives_a_filter_that_keeps_it_whole() -> None:
    made = element(f"<a>{(marked(1) + marked(2)).upper()}</a>", *ORIGINS)
    assert [str(child) for child in made.children] == ["TWO", "THREE"]
    assert str(made.text.location) == "game.yaml:2:8"


def test_a_mark_of_no_origin_is_refused() -> None:
    assert "a filter cuts through markup" in refusal(f"<a>{document.mark('x', 3)}</a>")


XML = st.characters(
    exclude_categories=["Cs"],
    exclude_characters="".join(map(chr, (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)))
    + "\r\ufdd0\ufdd1\ufdd2",
)


@given(st.lists(st.text(XML, min_size=1), min_size=1, max_size=6))
def test_any_text_comes_out_as_it_went_in(texts: list[str]) -> None:
    origins = [Text(text, Location(FILE, n)) for n, text in enumerate(texts)]
    markup = "".join(
        f"<p>{document.mark(str(escape(text)), n)}</p>" for n, text in enumerate(texts)
    )
    root = document.parse(f"<r>{markup}</r>", "layout.xml.j2", origins)
    read = [child for each in root.elements() for child in each.children]
    assert read == texts
    assert [text.location for text in read] == [text.location for text in origins]


@given(st.text(XML))
def test_any_attribute_comes_out_with_its_white_space_folded_only(text: str) -> None:
    markup = f'<a b="{document.mark(str(escape(text)), 0)}"/>'
    made = document.parse(markup, "layout.xml.j2", [plain(text)])
    assert made.attributes["b"] == re.sub("[\t\n]", " ", text)
