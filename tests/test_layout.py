"""Layouts: any of them can be replaced, a player layout has no host field, faults are placed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import layout, prose
from kit_builder.activity import Activity
from kit_builder.desk import Desk
from kit_builder.document import Element
from kit_builder.errors import KitError, Text
from kit_builder.printing import HOST, PLAYER
from tests.conftest import plain

GAME = """\
title: A < B & {{ kit.slug }}
language: en
category: Bluffing
summary: |
  Say {name} or {% if %}.
players: 2-4
minutes: 10
practises: Counting.
observe: Does the player count?
rules:
  - heading: Play
    text: |
      Take **one** card.

      Then go on.
decks:
  - name: Cards
    face: symbol
    cards: [{shape: circle, label: "{copy}", copies: 2}]
    total: 2
host:
  sections:
    - heading: Key
      text: The liar is Anna.
"""
OPEN = '<document title="{{ kit.title }}" language="en"><part name="rules" title="R">\n'
CLOSE = "\n</part></document>\n"
NAMES = "write a name that exists; the guide to templates lists them"
NO_HOST = "host fields do not exist in a player layout; use them in templates/host.xml.j2 only"


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one activity, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "activities").mkdir()
    (tmp_path / "activities" / "game.yaml").write_text(GAME, "utf-8")
    return tmp_path


def add(club: Path, name: str, text: str | bytes) -> None:
    path = club / "templates" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def read(club: Path) -> tuple[Desk, Activity]:
    library = Desk(club / "activities")
    return library, library.read(club / "activities" / "game.yaml")


def render(club: Path, edition: str = PLAYER) -> Element:
    library, activity = read(club)
    return library.layouts.render(activity, edition, library.labels("en"), {})


def rendered(club: Path, body: str) -> Element:
    """The part that a player layout of this body makes; it begins in line 2."""
    add(club, "player.xml.j2", f"{OPEN}{body}{CLOSE}")
    (part,) = render(club).elements()
    return part


def refusal(club: Path, body: str | None = None) -> list[str]:
    """The lines of the error of a player layout of this body."""
    with pytest.raises(KitError) as caught:
        rendered(club, body) if body is not None else render(club)
    return str(caught.value).split("\n")


# Whose template


def test_the_layouts_of_the_program_need_no_folder_of_the_users(club: Path) -> None:
    assert render(club).tag == "document"
    assert {part.attributes["name"] for part in render(club, HOST).elements()} == {"key", "rules"}


def test_a_layout_of_the_users_comes_first(club: Path) -> None:
    add(club, "player.xml.j2", '<mine at-all="1"/>')
    assert render(club).tag == "mine"
    assert render(club, HOST).tag == "document"


def test_a_macro_file_of_the_users_comes_first(club: Path) -> None:
    own = (Path(layout.__file__).parent.parent / "templates" / "macros.xml.j2").read_text("utf-8")
    add(club, "macros.xml.j2", own.replace("<facts>", "<facts>Club: ", 1))
    part = next(render(club).elements())
    assert next(each.text for each in part.elements() if each.tag == "facts").startswith("Club: ")


def test_a_card_face_of_the_users_comes_first(club: Path) -> None:
    add(club, "cards/symbol.xml.j2", "{# fields: shape, label #}<card>{{ label }}</card>")
    assert [each.text for each in elements(render(club), "card")] == ["{copy}", "{copy}"]


def test_a_new_card_face_is_one_new_file(club: Path) -> None:
    add(
        club,
        "cards/word.xml.j2",
        "{# fields: word, my-hint? #}\n<card>{{ word }}{{ my_hint }}</card>",
    )
    game = club / "activities" / "game.yaml"
    cards = GAME.replace("face: symbol", "face: word").replace(
        '[{shape: circle, label: "{copy}", copies: 2}]',
        "[{word: Bridge, my-hint: over}, {word: Sea}]",
    )
    game.write_text(cards, "utf-8")
    assert [each.text for each in elements(render(club), "card")] == ["Bridgeover", "Sea"]


def elements(root: Element, tag: str) -> list[Element]:
    found = [root] if root.tag == tag else []
    for child in root.children:
        if isinstance(child, Element):
            found += elements(child, tag)
    return found


# Fields of card faces


def fields(club: Path, text: str) -> dict[str, bool]:
    add(club, "cards/mine.xml.j2", text)
    return dict(Desk(club / "activities").layouts.faces["mine"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{# fields: a, b-c? #}", {"a": True, "b-c": False}),
        ("{#- fields:a,b?-#}\n<card/>", {"a": True, "b": False}),
        ("{# fields: a,\n   b? #}", {"a": True, "b": False}),
        ("{# fields: #}", {}),
        ("\ufeff{# fields: a #}", {"a": True}),
    ],
)
def test_a_face_says_its_fields(club: Path, text: str, said: dict[str, bool]) -> None:
    assert fields(club, text) == said


@pytest.mark.parametrize("text", ["", "<card/>", "{# a note #}{# fields: a #}", " {# fields: a #}"])
def test_a_face_must_say_its_fields(club: Path, text: str) -> None:
    with pytest.raises(KitError) as caught:
        fields(club, text)
    assert str(caught.value).split("\n")[0] == (
        "templates/cards/mine.xml.j2:1: the card face does not say which fields it prints; "
        "start the file with a line such as {# fields: label, note? #}"
    )


@pytest.mark.parametrize("name", ["copy", "width", "t", "two words", "1st", "a.b"])
def test_a_field_must_have_a_name_of_its_own(club: Path, name: str) -> None:
    with pytest.raises(
        KitError, match=f'mine.xml.j2:1: a card face cannot have a field "{name}"; '
    ):
        fields(club, f"{{# fields: label, {name}? #}}")


def test_a_field_that_a_card_leaves_out_is_an_empty_text(club: Path) -> None:
    add(club, "cards/symbol.xml.j2", "{# fields: shape, label, note? #}<card>[{{ note }}]</card>")
    assert elements(render(club), "card")[0].text == "[]"


# Places


def test_every_element_knows_the_line_of_its_template(club: Path) -> None:
    add(club, "mine.xml.j2", "\n{% macro d() %}\n<p>d</p>\n{% endmacro %}")
    part = rendered(
        club,
        '{% import "mine.xml.j2" as mine %}\n<p>a</p>\n{# a comment\nof two lines #}\n'
        '{% if true %}\n<p\n  b="1">b</p><p>c</p>\n{% endif %}\n{{ mine.d() }}',
    )
    assert [(str(each.text), str(each.location)) for each in part.elements()] == [
        ("a", "templates/player.xml.j2:3"),
        ("b", "templates/player.xml.j2:7"),
        ("c", "templates/player.xml.j2:8"),
        ("d", "templates/mine.xml.j2:3"),
    ]


def test_a_tag_may_be_written_by_the_template(club: Path) -> None:
    part = rendered(club, "{% for n in (1, 2) %}<h{{ n }}>x</h{{ n }}>{% endfor %}<br/>")
    assert [each.tag for each in part.elements()] == ["h1", "h2", "br"]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("{{ kit.title }}", "1:8"),
        ("{{ kit.title | default('none') }}", "1:8"),
        ("{% set x = kit.title %}{{ x }}", "1:8"),
        ("{% set x %}{{ kit.title }}{% endset %}{{ x }}", "1:8"),
        ("{% for each in [kit.observe] | list %}{{ each }}{% endfor %}", "9:10"),
        ("{{ kit.rules | map(attribute='heading') | first }}", "11:14"),
        ("{{ kit.observe if kit else kit.title }}", "9:10"),
    ],
)
def test_an_authors_text_knows_its_place_in_a_layout(club: Path, written: str, place: str) -> None:
    (paragraph,) = rendered(club, f"<p>{written}</p>").elements()
    assert str(paragraph.text.location) == f"activities/game.yaml:{place}"


def test_a_text_that_a_filter_made_anew_has_the_place_of_the_template(club: Path) -> None:
    (paragraph,) = rendered(club, "<p>{{ kit.observe | upper }}</p>").elements()
    assert str(paragraph.text) == "DOES THE PLAYER COUNT?"
    assert str(paragraph.text.location) == "templates/player.xml.j2:2"


def test_a_label_has_its_place_in_the_file_of_labels(club: Path) -> None:
    add(club, "labels/en.yaml", "rules: Our rules\n")
    (paragraph,) = rendered(club, '<p>{{ t("rules") }}</p>').elements()
    assert str(paragraph.text) == "Our rules"
    assert str(paragraph.text.location) == "templates/labels/en.yaml:1:8"


def test_markdown_becomes_elements_with_the_lines_of_the_author(club: Path) -> None:
    first, second = rendered(club, "{{ kit.rules[0].text | markdown }}").elements()
    assert [str(piece.location) for piece in (first.text, second.text)] == [
        "activities/game.yaml:13:7",
        "activities/game.yaml:15:7",
    ]


@pytest.mark.parametrize(
    ("start", "shown"),
    [("here", "templates/player.xml.j2:2"), ("elsewhere", "{club}/templates/player.xml.j2:2")],
)
def test_a_template_is_called_by_its_path_from_the_current_folder(
    club: Path, monkeypatch: pytest.MonkeyPatch, start: str, shown: str
) -> None:
    if start == "elsewhere":
        (club / "other").mkdir()
        monkeypatch.chdir(club / "other")
    (paragraph,) = rendered(club, "<p/>").elements()
    assert str(paragraph.location) == shown.format(club=club)


def test_a_layout_with_windows_line_ends_has_the_same_lines(club: Path) -> None:
    add(club, "player.xml.j2", "<a>\r\n{% if true %}\r\n<b/>\r\n{% endif %}\r\n<c/>\r\n</a>\r\n")
    assert [str(each.location) for each in render(club).elements()] == [
        "templates/player.xml.j2:3",
        "templates/player.xml.j2:5",
    ]
    add(club, "player.xml.j2", "<a>\r\n\r\n{{ nothing }}\r\n</a>")
    assert refusal(club)[0].startswith("templates/player.xml.j2:3: 'nothing' is undefined")


# An author's text is text


def test_an_authors_text_is_never_evaluated(club: Path) -> None:
    root = render(club)
    assert root.attributes["title"] == "A < B & {{ kit.slug }}"
    part = next(root.elements())
    assert [each.text for each in part.elements() if each.tag in ("title", "p")][:2] == [
        "A < B & {{ kit.slug }}",
        "Say {name} or {% if %}.",
    ]


def test_braces_in_a_value_of_a_label_are_text(club: Path) -> None:
    """`{copy}` is the name of a card, and of a place in the label "Card {name}, copy {copy}"."""
    assert [each.attributes["alt"] for each in elements(render(club), "card")] == [
        "Card {copy}, copy 1 of 2",
        "Card {copy}, copy 2 of 2",
    ]


@given(st.text("{}nameopy%\\<&", max_size=12))
def test_a_value_stands_in_a_label_as_it_is(value: str) -> None:
    label = layout._Labels({"card": plain("Card {name}, {copy}")})
    assert label("card", name=value, copy=3) == f"Card {value}, 3"


def test_what_a_macro_made_can_stand_in_a_label(club: Path) -> None:
    body = '{% macro m() %}{{ kit.title }}{% endmacro %}<p>{{ t("card", name=m()) }}</p>'
    (paragraph,) = rendered(club, body).elements()
    assert paragraph.text == "Card A < B & {{ kit.slug }}"


# What is wrong in a template


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "<p/>\n<p>{{ nothing }}</p>",
            f"3: 'nothing' is undefined; {NAMES}",
        ),
        (
            "{{ kit.titel }}",
            f"2: 'kit_builder.activity.Kit object' has no attribute 'titel'; {NAMES}",
        ),
        (
            "<p>\n{{ host.sections }}</p>",
            f"3: {NO_HOST}",
        ),
        (
            "{% for s in host.sections %}{% endfor %}",
            f"2: {NO_HOST}",
        ),
        (
            "{{ kit.host }}",
            f"2: {NO_HOST}",
        ),
        (
            "\n{{ t('foo') }}",
            f'3: there is no label "foo"; {NAMES}',
        ),
        (
            "{{ t('copy') }}",
            f'2: the label "copy" is called without a value for {{copy}}; {NAMES}',
        ),
        ("\n\n{{ 1 / 0 }}", "4: the template fails here: division by zero; correct it"),
        (
            "{{ kit.title + 1 }}",
            '2: the template fails here: can only concatenate str (not "int") to str; correct it',
        ),
        (
            "{{ ''.__class__ }}",
            "2: the template fails here: access to attribute '__class__' of 'str' object is unsafe;"
            " correct it",
        ),
        (
            "{{ kit.location.source.lines }}",
            "2: the template fails here: access to attribute 'source' of 'Location' object is "
            "unsafe; correct it",
        ),
        (
            "{% for n in range(10 ** 9) %}{% endfor %}",
            "2: the template fails here: Range too big. The sandbox blocks ranges larger than "
            "MAX_RANGE (100000); correct it",
        ),
        ("{{ [1, 'a'] | sum }}", "2: the template fails here: unsupported operand type"),
        ("{{ 'a' | round }}", "2: the template fails here: "),
        ("{{ t() }}", "2: the template fails here: _Labels.__call__() missing 1 required"),
        (
            "{{ kit.sheet_title }}",
            "2: the template fails here: a value is printed that this activity does not have; ",
        ),
        (
            "{{ kit.title | upper | markdown }}",
            "2: the template fails here: markdown takes a text of the activity as it is; ",
        ),
        ("{{ nothing | markdown }}", "2: 'nothing' is undefined; "),
        (
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "2: the template fails here: maximum recursion depth exceeded",
        ),
        ("{{ face(kit.decks[0]) }}", "2: the template fails here: "),
        (
            "{{ face(kit.decks[0], kit.decks[0].printed() | first, 'foo') }}",
            '2: there is no card face "foo"; ',
        ),
        ("<p/>\n{% foo %}", "3: Encountered unknown tag 'foo'"),
        ("{% if %}", "2: Expected an expression, got 'end of statement block'; "),
        ("<p/>\n{{ kit.title", "4: unexpected '/'; correct the template"),
        ("{% for x in y %}", "3: Unexpected end of template"),
        (
            "\n{% include 'none.xml.j2' %}",
            '3: there is no template "none.xml.j2"; write the name of a file in templates/',
        ),
        (
            "{% include '../../activities/game.yaml' %}",
            '2: there is no template "../../activities/game.yaml"; ',
        ),
        ("{{ 'a' | foo }}", "2: No filter named 'foo'; correct the template"),
        (
            "<p>\n<b>",
            "3: the markup is broken at or after this element: mismatched tag; close every element,"
            " and write &lt; for < and &amp; for &",
        ),
        (
            '<p>{{ "\\x0b" }}</p>',
            "2: the markup is broken at or after this element: not well-formed (invalid token); ",
        ),
    ],
)
def test_a_mistake_in_a_template_is_placed(club: Path, body: str, told: str) -> None:
    assert refusal(club, body)[0].startswith(f"templates/player.xml.j2:{told}")


def test_half_a_character_from_a_template_is_refused(club: Path) -> None:
    assert refusal(club, '{{ "\\ud83d" }}')[0].startswith(
        "templates/player.xml.j2: the markup is broken at or after this element: half a character; "
    )


def test_the_line_of_a_template_is_drawn(club: Path) -> None:
    assert refusal(club, "<p/>\n  {{ nothing }}")[1:] == ["    3 |   {{ nothing }}"]


def test_a_mistake_in_a_macro_is_placed_there(club: Path) -> None:
    add(club, "mine.xml.j2", "\n{% macro m() %}\n{{ nothing }}\n{% endmacro %}")
    body = "{% import 'mine.xml.j2' as mine %}{{ mine.m() }}"
    assert refusal(club, body)[0].startswith("templates/mine.xml.j2:3: 'nothing' is undefined; ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "{# fields: shape, label #}\n<card>{{ none_such }}</card>",
            "2: 'none_such' is undefined; ",
        ),
        ("{# fields: shape, label #}\n<card>{{ kit.title }}</card>", "2: 'kit' is undefined; "),
        (
            "{# fields: shape, label #}\n\n<card>{{ host }}</card>",
            "3: host fields do not exist in a player layout; ",
        ),
        ("{# fields: shape, label #}\n<card>{{ 1 // 0 }}</card>", "2: the template fails here: "),
        ("{# fields: shape, label #}\n{% foo %}", "2: Encountered unknown tag 'foo'"),
    ],
)
def test_a_mistake_in_a_card_face_is_placed_there(club: Path, text: str, told: str) -> None:
    add(club, "cards/symbol.xml.j2", text)
    assert refusal(club)[0].startswith(f"templates/cards/symbol.xml.j2:{told}")


BROKEN = "the markup is broken at or after this element: "


@pytest.mark.parametrize(
    ("face", "told"),
    [
        ("<p/>", "2: a card face is a <card>, not a <p>; write it"),
        ("<card>\n<p></card>", f"3: {BROKEN}mismatched tag; "),
        ("<card>\n<p>", f"3: {BROKEN}no element found; "),
        ("<card>\n</card>\n<card></card>", f"2: {BROKEN}junk after document element; "),
        ("<card>\n</card></card>", f"2: {BROKEN}not well-formed (invalid token); "),
        ("<card>\n</card></deck>", f"2: {BROKEN}not well-formed (invalid token); "),
        ("<card/>more", f"2: {BROKEN}junk after document element; "),
        ("<card>&nbsp;</card>", f"2: {BROKEN}undefined entity; "),
    ],
)
def test_what_is_not_one_card_is_refused_in_its_face(club: Path, face: str, told: str) -> None:
    add(club, "cards/symbol.xml.j2", f"{{# fields: shape, label #}}\n{face}")
    assert refusal(club)[0].startswith(f"templates/cards/symbol.xml.j2:{told}")


def test_a_broken_card_face_is_told_before_what_breaks_after_it(club: Path) -> None:
    add(club, "cards/symbol.xml.j2", "{# fields: shape, label #}\n<card>\n<p></card>")
    body = "{{ face(kit.decks[0], kit.decks[0].printed() | first, 'symbol') }}"
    assert refusal(club, f"{body}\n{{{{ nothing }}}}")[0].startswith(
        f"templates/cards/symbol.xml.j2:3: {BROKEN}mismatched tag; "
    )


def test_an_authors_text_is_escaped_where_nothing_else_is(club: Path) -> None:
    body = "{% autoescape false %}<p>{{ kit.title }}{{ '<br/>' }}</p>{% endautoescape %}"
    (paragraph,) = rendered(club, body).elements()
    assert paragraph.text == "A < B & {{ kit.slug }}"
    assert str(paragraph.text.location) == "activities/game.yaml:1:8"
    assert [each.tag for each in elements(paragraph, "br")] == ["br"]


def test_the_host_layout_may_name_host_fields(club: Path) -> None:
    add(club, "host.xml.j2", "<a>{{ host.sections[0].text }}</a>")
    assert render(club, HOST).text == "The liar is Anna."


@pytest.mark.parametrize("name", ["player.xml.j2", "cards/symbol.xml.j2", "macros.xml.j2"])
def test_a_template_that_is_no_utf_8_is_refused_at_its_line(club: Path, name: str) -> None:
    add(club, name, b"{# fields: shape, label #}\n<a>\nGr\xfc\xdfe</a>")
    assert refusal(club) == [
        f"templates/{name}:3: the byte FC is not UTF-8; "
        "save the file again with the encoding UTF-8",
        "    3 | Gr\ufffd\ufffde</a>",
    ]


def test_an_empty_template_is_refused(club: Path) -> None:
    add(club, "player.xml.j2", "")
    assert refusal(club)[0].startswith(
        "templates/player.xml.j2: the markup is broken at or after this element: no element found; "
    )


def test_a_mark_cut_by_a_filter_is_refused_in_the_template(club: Path) -> None:
    body = "{% macro m() %}{{ kit.title }}{% endmacro %}\n<p>{{ m()[:9] }}</p>"
    assert refusal(club, body)[0].startswith(
        "templates/player.xml.j2:3: a filter cuts through markup in or after this element; "
    )


def test_a_refused_markdown_is_placed_in_the_authors_file(club: Path) -> None:
    game = club / "activities" / "game.yaml"
    game.write_text(GAME.replace("Then go on.", "# Then"), "utf-8")
    assert refusal(club)[0].startswith("activities/game.yaml:15:7: a Markdown heading")


def test_a_fault_of_the_program_is_not_blamed_on_the_user(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: Text, mark: object) -> str:
        raise IndexError("a bug")

    monkeypatch.setattr(prose, "markup", broken)
    add(club, "player.xml.j2", "<a>{{ kit.observe | markdown }}</a>")
    with pytest.raises(IndexError, match="a bug"):
        render(club)


def test_one_activity_after_the_other_keeps_its_own_places(club: Path) -> None:
    other = club / "activities" / "other.yaml"
    other.write_text("# A line more.\n" + GAME, "utf-8")
    add(club, "player.xml.j2", "<a>{{ kit.observe }}</a>")
    library = Desk(club / "activities")
    for name, place in (("game", "game.yaml:9:10"), ("other", "other.yaml:10:10")) * 2:
        activity = library.read(club / "activities" / f"{name}.yaml")
        made = library.layouts.render(activity, PLAYER, {}, {})
        assert str(made.text.location) == f"activities/{place}"
