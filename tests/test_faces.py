"""A card face holds what its markup says, inside its trim, or is refused at the right place."""

from __future__ import annotations

from itertools import pairwise

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import faces, formats
from kit_builder.document import mark
from kit_builder.errors import KitError, Location, Source, Text
from kit_builder.faces import Corners, Face, Lines, Rule, Shape, TextBox
from kit_builder.units import MM
from tests.conftest import element
from tests.sample import printed

POKER = formats.card_size("poker")
NAME = 'card 3 "Trap" of deck "Cards"'
FILE = Source("game.yaml", ("a", "b", "  - {label: Llanfairpwllgwyngyll, n: 2}"))
LABEL = Text("Llanfairpwllgwyngyll", Location(FILE, 3, 13))


def read(items: str, *origins: Text, least: float = 0) -> Face:
    return faces.read(element(f'<card at="x.j2:1">{items}</card>', *origins), POKER, NAME, least)


def refusal(items: str, *origins: Text, least: float = 0) -> str:
    with pytest.raises(KitError) as caught:
        read(items, *origins, least=least)
    return str(caught.value).split("\n")[0]


def text(content: str, more: str = "", **changed: str) -> str:
    said = {"x": "5 mm", "y": "6 mm", "width": "50 mm", "height": "20 mm", "size": "20 pt"}
    written = " ".join(f'{name}="{value}"' for name, value in (said | changed).items())
    return f'<text at="x.j2:7" {written} {more}>{content}</text>'


def box(items: str, *origins: Text, least: float = 0) -> TextBox:
    (made,) = read(items, *origins, least=least).items
    assert isinstance(made, TextBox)
    return made


def words(paragraph: Lines) -> list[str]:
    return [
        " ".join("".join(run.text for run in word.runs) for word in line.words)
        for line in paragraph.lines
    ]


def marker(paragraph: Lines) -> str:
    return paragraph.marker.words[0].runs[0].text if paragraph.marker else ""


# Items


def test_x_and_y_count_from_the_upper_left_corner() -> None:
    shape, rule = read(
        '<shape name="star" x="20 mm" y="30 mm" size="10 mm" fill="striped"/>'
        '<rule x="5 mm" y="16 mm" width="53 mm"/>'
    ).items
    assert shape == Shape("star", 20 * MM, POKER.height - 30 * MM, 10 * MM, "striped")
    assert rule == Rule(5 * MM, POKER.height - 16 * MM, 53 * MM)


@pytest.mark.parametrize("written", ["", 'fill=""', 'fill="solid"'])
def test_a_shape_is_solid_unless_it_says_how_it_is_filled(written: str) -> None:
    shape = f'<shape name="star" x="20 mm" y="30 mm" size="10 mm" {written}/>'
    assert read(shape).items[0] == Shape("star", 20 * MM, POKER.height - 30 * MM, 10 * MM, "solid")


def test_corners_hold_items() -> None:
    (corners,) = read('<corners><rule x="5 mm" y="16 mm" width="5 mm"/><corners/></corners>').items
    assert corners == Corners(
        (Rule(5 * MM, POKER.height - 16 * MM, 5 * MM), Corners((), POKER.width, POKER.height)),
        POKER.width,
        POKER.height,
    )


def test_equal_markup_makes_equal_faces() -> None:
    both = [read(text("Trap")) for _ in range(2)]
    assert both[0] == both[1]
    assert hash(both[0]) == hash(both[1])
    assert both[0] != read(text("Safe"))


def test_a_text_stands_in_its_box() -> None:
    made = box(text("One two"))
    assert (made.x, made.y, made.width) == (5 * MM, 82 * MM, 50 * MM)
    (paragraph,) = made.paragraphs
    assert words(paragraph) == ["One two"]
    assert paragraph.style.size == 20


@pytest.mark.parametrize(("align", "share"), [("left", 0), ("centre", 0.5), ("right", 1)])
def test_a_text_is_aligned_as_it_says(align: str, share: float) -> None:
    assert box(text("One", f'align="{align}"')).align == share


def test_a_text_in_the_middle_has_as_much_room_above_as_below() -> None:
    top, middle = box(text("One", 'valign="top"')), box(text("One", 'valign="middle"'))
    assert top.y == 82 * MM
    assert middle.y == pytest.approx(82 * MM - (20 * MM - middle.paragraphs[0].foot) / 2)


@pytest.mark.parametrize(("bold", "font"), [("yes", "Andika-Bold"), ("no", "Andika")])
def test_a_text_is_bold_if_it_says_so(bold: str, font: str) -> None:
    (paragraph,) = box(text("One", f'bold="{bold}"')).paragraphs
    assert paragraph.lines[0].words[0].runs[0].font == font


def test_an_empty_text_takes_no_harm() -> None:
    assert words(box(text("")).paragraphs[0]) == [""]


def test_paragraphs_and_lists_stand_below_each_other() -> None:
    made = box(
        text(
            "<h2>Score</h2><p>Add:</p><ul><li><p>one</p><p>more</p>"
            '<ol start="9"><li><p>two</p></li><li><p>three</p></li></ol></li></ul><p>End</p>',
            height="60 mm",
            size="12 pt",
        )
    )
    assert [(marker(each), *words(each)) for each in made.paragraphs] == [
        ("", "Score"),
        ("", "Add:"),
        ("•", "one"),
        ("", "more"),
        ("9.", "two"),
        ("10.", "three"),
        ("", "End"),
    ]
    indents = [round(each.indent / 12, 2) for each in made.paragraphs]
    assert indents == [0, 0, 1.3, 1.3, 2.6, 2.6, 0]
    assert made.paragraphs[0].lines[0].words[0].runs[0].font == "Andika-Bold"
    gaps = [round((below.top - above.foot) / 12, 2) for above, below in pairwise(made.paragraphs)]
    assert gaps == [0.4, 0.15, 0.4, 0.15, 0.15, 0.4]


def test_the_lines_of_an_item_end_at_the_edge_of_the_box() -> None:
    (paragraph,) = box(text(f"<ul><li><p>{'word ' * 10}</p></li></ul>", height="80 mm")).paragraphs
    widest = max(line.width for line in paragraph.lines) * 20
    assert 50 * MM - 60 < paragraph.indent + widest <= 50 * MM


# Text that does not fit


def test_a_text_shrinks_until_it_fits_but_no_further() -> None:
    made = box(text("Every player takes four cards", floor="10 pt", height="15 mm"))
    (paragraph,) = made.paragraphs
    assert 10 < paragraph.style.size < 20
    assert paragraph.foot <= 15 * MM
    larger = (paragraph.style.size + 0.5) * 1.25 * len(paragraph.lines)
    assert larger > 15 * MM


def test_a_text_without_a_floor_does_not_shrink() -> None:
    assert box(text("One")).paragraphs[0].style.size == 20
    assert " at 20 pt; " in refusal(text("One two three four five six seven", height="10 mm"))


def test_a_text_that_is_too_high_at_its_floor_is_refused() -> None:
    story = Text("One two three four five six seven eight nine", Location(FILE, 2, 1))
    told = refusal(text(mark(str(story), 0), height="10 mm", floor="16 pt"), story)
    assert told == (
        'game.yaml:2:1: the text is 11.17 mm too high for card 3 "Trap" of deck "Cards" at 16 pt; '
        "shorten it, or choose a larger card size"
    )


def test_a_word_that_is_too_wide_at_its_floor_is_refused_where_it_stands() -> None:
    told = refusal(text(mark(str(LABEL), 0), floor="14 pt", width="30 mm"), LABEL)
    assert told == (
        'game.yaml:3:13: "Llanfairpwllgwyngyll" is 16.83 mm too wide for '
        'card 3 "Trap" of deck "Cards" at 14 pt; shorten the word, or make two words of it'
    )


def test_a_word_too_wide_shrinks_before_it_is_refused() -> None:
    (paragraph,) = box(text("Llanfairpwllgwyngyll", floor="8 pt")).paragraphs
    assert 8 < paragraph.style.size < 20
    assert len(paragraph.lines) == 1


def test_no_text_is_smaller_than_large_print_allows() -> None:
    assert box(text("One", size="10 pt"), least=16).paragraphs[0].style.size == 16
    told = refusal(text("Every player takes four", height="12 mm", floor="9 pt"), least=16)
    assert " at 16 pt; " in told


def test_a_character_without_a_font_is_refused_where_it_stands() -> None:
    label = Text("A 漢", Location(Source("game.yaml", ("label: A 漢",)), 1, 8))
    assert refusal(text(mark(str(label), 0)), label).startswith(
        'game.yaml:1:10: no font has the character "漢"'
    )


# What is refused


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("<foo/>", "1: there is no element <foo> here; write one of text, shape, rule, corners"),
        ('<corners><txt at="x.j2:7"/></corners>', "7: there is no element <txt> here; did you"),
        ('<corners at="x.j2:7" x="1"/>', '7: <corners> has no attribute "x"; leave it out'),
        ("words", '1: text "words" stands directly in <card>; '),
        ('<rule at="x.j2:7" x="1 mm" y="1 mm"/>', '7: <rule> lacks the attribute "width"; '),
        ('<rule at="x.j2:7" x="1 mm" y="1 mm" width="3"/>', '7: "3" is not a length; '),
        (
            '<rule at="x.j2:7" x="1 mm" y="1 mm" width="0 mm"/>',
            '7: "0 mm" is not a length above 0; ',
        ),
        (
            '<shape at="x.j2:7" name="strr" x="20 mm" y="20 mm" size="9 mm"/>',
            '7: unknown shape "strr"; did you mean "star"?',
        ),
        (
            '<shape at="x.j2:7" name="star" x="20 mm" y="20 mm" size="9 mm" fill="full"/>',
            '7: unknown fill "full"; write one of solid, outline, striped',
        ),
        (
            '<shape at="x.j2:7" name="star" x="20 mm" y="20 mm" size="-9 mm"/>',
            '7: "-9 mm" is not a length above 0; ',
        ),
        (text("a", size="0 pt"), '7: "0 pt" is not a length above 0; '),
        (text("a", floor="0 pt"), '7: "0 pt" is not a length above 0; '),
        (text("a", width="-10 mm"), '7: "-10 mm" is not a length above 0; '),
        (text("a", 'align="middle"'), '7: unknown align "middle"; write one of left, '),
        (text("a", 'valign="centre"'), '7: unknown valign "centre"; write one of top, middle'),
        (text("a", 'bold="true"'), '7: "true" is neither yes nor no; '),
        (text("a", 'colour="red"'), '7: <text> has no attribute "colour"; '),
        (text('<i at="x.j2:9">a</i>'), "9: there is no element <i> here; write one of b, em, br"),
        (text('<p>a</p><i at="x.j2:9"/>'), "9: there is no element <i> here; write one of p, "),
        (text("<p>a</p>b"), '7: text "b" stands directly in <text>; '),
        (text('<ul at="x.j2:9"/>'), "9: <ul> is empty; put <li> into it"),
        (text('<ul><p at="x.j2:9"/></ul>'), "9: there is no element <p> here; write one of li"),
        (text('<ol at="x.j2:9" start="x"><li/></ol>'), '9: "x" is not a whole number; '),
        (text('<p at="x.j2:9" align="left">a</p>'), '9: <p> has no attribute "align"; '),
        (
            text('<p>a</p><table at="x.j2:9"><tr><td>b</td></tr></table>'),
            "9: a card has no room for a table; write a list",
        ),
    ],
)
def test_what_is_wrong_is_placed_at_its_line(items: str, told: str) -> None:
    assert refusal(items).startswith(f"x.j2:{told}")


def test_a_table_in_an_authors_text_is_refused_there() -> None:
    cell = Text("Result", Location(FILE, 3, 5))
    table = f"<table><tr><td>{mark('Result', 0)}</td></tr></table><p>a</p>"
    assert refusal(text(table), cell).startswith("game.yaml:3:5: a card has no room for a table; ")


def test_a_shape_from_the_authors_file_is_refused_there() -> None:
    shape = Text("circel", Location(FILE, 3, 12))
    items = f'<shape name="{mark("circel", 0)}" x="20 mm" y="20 mm" size="9 mm"/>'
    assert refusal(items, shape) == 'game.yaml:3:12: unknown shape "circel"; did you mean "circle"?'


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('<rule at="x.j2:7" x="5 mm" y="9 mm" width="60 mm"/>', "<rule> reaches 2 mm"),
        ('<rule at="x.j2:7" x="5 mm" y="89 mm" width="6 mm"/>', "<rule> reaches 1 mm"),
        ('<rule at="x.j2:7" x="-1.5 mm" y="9 mm" width="6 mm"/>', "<rule> reaches 1.5 mm"),
        (
            '<shape at="x.j2:7" name="star" x="5 mm" y="9 mm" size="12 mm"/>',
            "<shape> reaches 1 mm",
        ),
        (
            '<shape at="x.j2:7" name="star" x="30 mm" y="85 mm" size="12 mm"/>',
            "<shape> reaches 3 mm",
        ),
        (text("a", y="80 mm"), "<text> reaches 12 mm"),
        (text("a", x="-2 mm"), "<text> reaches 2 mm"),
        (f"<corners>{text('a', width='60 mm')}</corners>", "<text> reaches 2 mm"),
    ],
)
def test_nothing_reaches_beyond_the_trim(items: str, told: str) -> None:
    assert refusal(items) == (
        f'x.j2:7: this {told} beyond the edge of card 3 "Trap" of deck "Cards"; '
        "move it, or choose a larger card size"
    )


def test_an_item_may_fill_the_whole_card() -> None:
    whole = text("a", x="0 mm", y="0 mm", width="63 mm", height="88 mm")
    assert read(whole + '<rule x="0 mm" y="88 mm" width="63 mm"/>').items


@given(
    st.lists(st.text("abcdefg", min_size=1, max_size=9), min_size=1, max_size=12).map(" ".join),
    st.floats(20, 60),
    st.floats(5, 60),
    st.floats(6, 24),
)
def test_a_text_fits_its_box_or_is_refused(
    content: str, width: float, height: float, floor: float
) -> None:
    sides = {"width": f"{width:.3f} mm", "height": f"{height:.3f} mm", "floor": f"{floor:.3f} pt"}
    try:
        made = box(text(content, x="0 mm", y="0 mm", size="24 pt", **sides))
    except KitError as error:
        (found,) = error.faults
        assert f" at {float(f'{floor:.3f}'):g} pt" in found.what
        return
    (paragraph,) = made.paragraphs
    assert round(floor, 3) <= paragraph.style.size <= 24
    assert paragraph.foot <= round(height, 3) * MM + 1e-6
    assert all(
        line.width * paragraph.style.size <= round(width, 3) * MM + 1e-3 for line in paragraph.lines
    )
    assert " ".join(words(paragraph)) == content


# On the sheet


def drawn(items: str) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(printed((POKER.width, POKER.height), read(items).draw))


def places(document: pypdfium2.PdfDocument) -> list[tuple[str, tuple[float, float]]]:
    """The middle of each character in mm from the upper left corner."""
    page = document[0].get_textpage()
    found = []
    for index in range(page.count_chars()):
        left, bottom, right, top = page.get_charbox(index)
        middle = (left + right) / 2 / MM, (POKER.height - (bottom + top) / 2) / MM
        if not (character := page.get_text_range(index, 1)).isspace():
            found.append((character, middle))
    page.close()
    return found


def test_a_text_is_drawn_in_its_box() -> None:
    with drawn(text("A", 'align="centre"', x="10 mm", y="20 mm", width="20 mm")) as document:
        ((_, (across, down)),) = places(document)
    assert across == pytest.approx(20, abs=0.3)
    assert 20 < down < 20 + 20 * 1.25 / MM


def test_an_item_in_the_corners_is_drawn_again_turned_about_the_middle() -> None:
    with drawn(f"<corners>{text('A')}</corners>") as document:
        (_, (left, high)), (_, (right, low)) = places(document)
    assert left + right == pytest.approx(63, abs=0.05)
    assert high + low == pytest.approx(88, abs=0.05)


def test_a_marker_stands_before_its_item() -> None:
    with drawn(text("<ul><li><p>A</p></li></ul>")) as document:
        found = dict(places(document))
    dot, letter = found["•"], found["A"]
    assert 5 < dot[0] < letter[0]
    assert dot[1] == pytest.approx(letter[1], abs=1.5)
