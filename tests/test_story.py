"""Markup becomes blocks and a structure tree, or is refused at the place that must be changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import story, structure
from kit_builder.decks import Cards
from kit_builder.document import mark
from kit_builder.errors import KitError, Location, Source, Text
from kit_builder.flowables import (
    Block,
    BoxRow,
    Panel,
    Paragraph,
    PieceRow,
    Tick,
    WriteIn,
)
from kit_builder.story import Flow, Frame, Story
from kit_builder.tables import (
    CELL_PADDING,
    Record,
    Table,
)
from kit_builder.typography import LARGE, NORMAL, Line
from kit_builder.units import MM
from tests.conftest import element

FRAME = Frame(measure=142 * MM, width=166 * MM, pieces=188 * MM, height=260 * MM)
FILE = Source("game.yaml", ("title: Game", "rules: |", "  Play a Llanfairpwllgwyngyllgogery card"))
PLAY = Text("Play a Llanfairpwllgwyngyllgogery card", Location(FILE, 3, 3))


def build(body: str, *origins: Text, frame: Frame = FRAME) -> Story:
    """The story of a part that begins with a heading, in line 2 of its layout."""
    part = f'<part at="x.j2:2" name="rules" title="Rules"><h1>Game</h1>{body}</part>'
    document = f'<document at="x.j2:1" title="Game" language="en">{part}</document>'
    return story.build([element(document, *origins)], frame)


def blocks(body: str, *origins: Text, frame: Frame = FRAME) -> list[Block]:
    """The blocks of a part but for its heading."""
    (part,) = build(body, *origins, frame=frame).parts
    (flow,) = part.contents
    assert isinstance(flow, Flow)
    return list(flow.blocks[1:])


def tree(node: structure.Element) -> str:
    """A structure tree as text: `L(LI(Lbl LBody(P)))`."""
    inside = " ".join(map(tree, node.children))
    return f"{node.role}({inside})" if inside else node.role


def structured(body: str) -> str:
    """The structure of a part but for its heading."""
    whole = tree(build(body).root)
    return whole.removeprefix("Document(Part(H1").removesuffix("))").strip()


def refusal(body: str, *origins: Text, frame: Frame = FRAME) -> str:
    with pytest.raises(KitError) as caught:
        build(body, *origins, frame=frame)
    return str(caught.value).split("\n")[0]


def words(lines: tuple[Line, ...]) -> str:
    return " / ".join(
        " ".join("".join(run.text for run in word.runs) for word in line.words) for line in lines
    )


def said(block: Block) -> str:
    assert isinstance(block, Paragraph)
    marker = f"{words((block.marker[0],))} " if block.marker else ""
    return marker + words(block.lines)


# Documents and parts


def test_a_document_tells_its_title_language_and_parts() -> None:
    made = story.build(
        [
            element(
                '<document title="Game" language="en" banner="HOST KEY">'
                '<part name="rules" title="Rules"><h1>a</h1></part>'
                '<part name="key" title="Key"><h1>b</h1></part></document>'
            )
        ],
        FRAME,
    )
    assert (made.title, made.language, made.banner) == ("Game", "en", "HOST KEY")
    assert [(part.name, part.title) for part in made.parts] == [("rules", "Rules"), ("key", "Key")]
    assert tree(made.root) == "Document(Part(H1) Part(H1))"


def test_a_part_without_contents_is_left_out() -> None:
    made = story.build(
        [
            element(
                '<document title="Game" language="en"><part name="cards" title="Cards"><cards/>'
                '<write-ins/><box-groups/></part><part name="key" title="Key"><h1>b</h1></part>'
                "</document>"
            )
        ],
        FRAME,
    )
    assert [part.name for part in made.parts] == ["key"]
    assert tree(made.root) == "Document(Part(H1))"


def test_cards_stand_between_the_blocks_around_them() -> None:
    card = '<cards><deck name="d" size="poker"><card name="c" alt="A card"/></deck></cards>'
    (part,) = build(f"<p>before</p>{card}<p>after</p>").parts
    before, cards, after = part.contents
    assert isinstance(before, Flow)
    assert isinstance(cards, Cards)
    assert isinstance(after, Flow)
    assert len(cards.cards) == 1
    assert [said(block) for block in (*before.blocks, *after.blocks)] == ["Game", "before", "after"]
    assert structured(f"<p>before</p>{card}<p>after</p>") == "P Figure P"


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ('<html at="x.j2:1"/>', "1: there is no element <html> here; write one of document"),
        ('<document at="x.j2:1"/>', '1: <document> lacks the attribute "title"; '),
        (
            '<document at="x.j2:1" title="a" language="en"><p at="x.j2:2">a</p></document>',
            "2: there is no element <p> here; write one of part",
        ),
        (
            '<document at="x.j2:1" title="a" language="en">words</document>',
            '1: text "words" stands directly in <document>; ',
        ),
        (
            '<document at="x.j2:1" title="a" language="en"><part at="x.j2:2" name="a"/></document>',
            '2: <part> lacks the attribute "title"; ',
        ),
    ],
)
def test_a_document_that_is_none_is_refused(document: str, told: str) -> None:
    with pytest.raises(KitError) as caught:
        story.build([element(document)], FRAME)
    assert str(caught.value).startswith(f"x.j2:{told}")


# Text


def test_headings_have_levels_and_stay_with_what_follows() -> None:
    made = blocks("<h2>b</h2><h3>c</h3><title>d</title>")
    assert [said(block) for block in made] == ["b", "c", "d"]
    assert all(block.keep_with_next for block in made)
    assert structured("<h2>b</h2><h3>c</h3><title>d</title>") == "H2 H3 H1"
    styles = [block.style for block in made if isinstance(block, Paragraph)]
    assert styles == [NORMAL.h2, NORMAL.h3, NORMAL.title]


def test_a_paragraph_is_set_in_the_measure() -> None:
    (made,) = blocks("<p>" + "word " * 60 + "</p>")
    assert isinstance(made, Paragraph)
    assert len(made.lines) > 3
    assert max(line.width for line in made.lines) * NORMAL.p.size <= 142 * MM


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("<p>Then go on.</p>", False),
        ("<p>Do this:</p>", True),
        ("<lead>Cut out.</lead>", True),
        ("<small>Note</small>", False),
        ("<facts>2 players</facts>", False),
        ("<p>Chances.</p><table><tr><td>1</td></tr><tr><td>2</td></tr></table>", True),
    ],
)
def test_a_text_that_leads_on_stays_with_what_it_leads_to(body: str, kept: bool) -> None:
    made, *_ = blocks(body)
    assert made.keep_with_next is kept


def test_an_empty_paragraph_is_left_out() -> None:
    assert blocks("<p></p><p> \n </p>") == []
    assert structured("<p></p>") == ""


def test_large_print_is_set_in_larger_styles() -> None:
    large = Frame(FRAME.measure, FRAME.width, FRAME.pieces, FRAME.height, LARGE)
    (made,) = blocks("<p>a</p>", frame=large)
    assert isinstance(made, Paragraph)
    assert made.style.size >= 18


def test_items_have_bullets_or_numbers() -> None:
    body = (
        "<ul><li><p>a</p><p>more</p></li><li><p>b</p>"
        '<ol start="9"><li><p>c</p></li><li><p>d</p></li></ol></li></ul>'
    )
    made = blocks(body)
    assert [said(block) for block in made] == ["• a", "more", "• b", "9. c", "10. d"]
    indents = [round(block.indent / MM) for block in made if isinstance(block, Paragraph)]
    assert indents == [7, 7, 7, 14, 14]
    assert structured(body) == (
        "L(LI(Lbl LBody(P P)) LI(Lbl LBody(P L(LI(Lbl LBody(P)) LI(Lbl LBody(P))))))"
    )


def test_what_follows_a_list_stands_apart_from_its_last_item() -> None:
    made = blocks(
        "<ul><li><p>a</p></li><li><p>b</p><ol><li><p>c</p></li></ol></li><li><p>d</p></li></ul>"
        "<p>e</p>"
    )
    within, apart = NORMAL.item.after, NORMAL.p.after
    assert [each.after for each in made[:4]] == [within, within, within, apart]
    assert within < apart


def test_a_list_says_how_it_is_numbered() -> None:
    made = build("<ol><li><p>a</p></li></ol><ul><li><p>a</p></li></ul>")
    lists = [node.numbering for node in made.root.walk() if node.role == "L"]
    assert lists == ["Decimal", "Disc"]


# Tables


TABLE = (
    "<table{}><tr><td>Bid</td><td>Legal</td></tr><tr><td>3</td><td>yes</td></tr>"
    "<tr><td>4</td><td></td></tr></table>"
)


def test_a_table_has_a_header_and_rows() -> None:
    (made,) = blocks(TABLE.format(""))
    assert isinstance(made, Table)
    assert [[words(cell.lines) for cell in row] for row in made.rows] == [
        ["Bid", "Legal"],
        ["3", "yes"],
        ["4", ""],
    ]
    assert structured(TABLE.format("")) == "Table(THead(TR(TH TH)) TBody(TR(TD TD) TR(TD TD)))"
    assert made.rows[0][0].lines[0].words[0].runs[0].font == "Andika-Bold"


def test_a_table_may_have_headers_of_rows() -> None:
    made = build(TABLE.format(' row-headers="yes"'))
    assert tree(made.root).endswith("Table(THead(TR(TH TH)) TBody(TR(TH TD) TR(TH TD)))))")
    assert [node.scope for node in made.root.walk() if node.role == "TH"] == [
        "Column",
        "Column",
        "Row",
        "Row",
    ]


@given(
    st.lists(st.lists(st.text("abc ", max_size=60), min_size=3, max_size=3), min_size=2, max_size=5)
)
def test_a_table_fits_its_room_and_no_cell_sticks_out(rows: list[list[str]]) -> None:
    cells = ("".join(f"<td>{cell.strip()[:40]}</td>" for cell in row) for row in rows)
    (made,) = blocks("<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>")
    assert isinstance(made, Table)
    assert sum(made.widths) <= FRAME.width + 1e-6
    for row in made.rows:
        for cell, width in zip(row, made.widths, strict=True):
            widest = max(line.width for line in cell.lines) * made.style.size
            assert widest <= width - CELL_PADDING + 1e-4


# Records


def test_a_record_fills_the_width_by_its_shares() -> None:
    body = (
        '<record rows="3" numbered="no"><column width="1">Turn</column>'
        '<column width="3">Player</column></record>'
    )
    (made,) = blocks(body)
    assert isinstance(made, Record)
    assert made.widths == pytest.approx((FRAME.width / 4, FRAME.width * 3 / 4))
    assert len(made.rows) == 3
    assert structured(body) == ("Table(THead(TR(TH TH)) TBody(TR(TD TD) TR(TD TD) TR(TD TD)))")


def test_a_record_is_numbered_in_its_first_column() -> None:
    body = (
        '<record rows="2" numbered="yes"><column width="1">Turn</column>'
        '<column width="3">Player</column></record>'
    )
    (made,) = blocks(body)
    assert isinstance(made, Record)
    assert [[words(cell.lines) for cell in row] for row in made.rows] == [["1", ""], ["2", ""]]
    assert structured(body).endswith("TBody(TR(TH TD) TR(TH TD)))")


def test_a_long_word_makes_its_column_wider() -> None:
    (made,) = blocks(
        '<record rows="2" numbered="no"><column width="1">Bemerkungen</column>'
        '<column width="40">b</column></record>'
    )
    assert isinstance(made, Record)
    assert made.widths[0] > FRAME.width / 41
    assert [words(cell.lines) for cell in made.header] == ["Bemerkungen", "b"]


# Boxes, lines and ticks


def boxes(label: str, count: int) -> str:
    return f'<boxes count="{count}" alt="{count} boxes">{label}</boxes>'


def test_as_many_boxes_share_a_row_as_there_is_room_for() -> None:
    body = f"<box-groups>{boxes('Clues', 3)}{boxes('Lives', 3)}{boxes('Points', 5)}</box-groups>"
    made = blocks(body)
    rows = [block.groups for block in made if isinstance(block, BoxRow)]
    assert [[group.count for group in row] for row in rows] == [[3, 3], [5]]
    assert structured(body) == "P Figure P Figure P Figure"


def test_short_write_in_lines_share_a_row() -> None:
    long = "The rule that we think is the right one:"
    body = "".join(f"<write-in>{each}</write-in>" for each in ("Names:", "Date:", long, "Set:"))
    made = blocks(f"<write-ins>{body}</write-ins>")
    rows = [block.labels for block in made if isinstance(block, WriteIn)]
    assert [[words((line,)) for line, _ in row] for row in rows] == [
        ["Names:", "Date:"],
        [long],
        ["Set:"],
    ]


def test_a_tick_has_a_box_and_words() -> None:
    (made,) = blocks('<tick alt="Box to tick">Last card drawn</tick>')
    assert isinstance(made, Tick)
    assert words(made.lines) == "Last card drawn"
    assert structured('<tick alt="Box to tick">Last card drawn</tick>') == "Figure P"


def test_a_panel_holds_blocks_of_its_own_width() -> None:
    body = "<panel><h2>Set</h2><write-ins><write-in>Set:</write-in></write-ins></panel>"
    (made,) = blocks(body)
    assert isinstance(made, Panel)
    assert made.width == FRAME.measure
    inside = made.blocks[1]
    assert isinstance(inside, WriteIn)
    assert inside.width < made.width
    assert structured(body) == "Sect(H2 P)"


# Pieces


def test_pieces_stand_beside_each_other_with_their_words() -> None:
    body = '<pieces name="Dice">' + '<dice alt="a die"/>' * 3 + "</pieces>"
    made = blocks(body)
    assert all(isinstance(block, PieceRow) for block in made)
    count = sum(len(block.pieces) for block in made if isinstance(block, PieceRow))
    assert count == 3
    assert structured(body) == "Figure Figure Figure"


def test_the_label_of_a_strip_that_is_too_wide_is_refused_where_it_stands() -> None:
    label = Text("Bidirectional", Location(FILE, 1, 8))
    step = f'<step shape="star">{mark("Bidirectional", 0)}</step>'
    told = refusal(f'<pieces name="Strip"><strip alt="a">{step * 9}</strip></pieces>', label)
    assert told.startswith('game.yaml:1:8: "Bidirectional" is ')
    assert " mm too wide at 12 pt; shorten it" in told


# What is refused


def record(column: str, title: str = "a", rows: str = "3") -> str:
    """A record of one column that says `column`, in line 8."""
    inside = f'<column at="x.j2:8" {column}>{title}</column>'
    return f'<record at="x.j2:7" rows="{rows}" numbered="no">{inside}</record>'


LONG = "w" * 99


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("words", '2: text "words" stands directly in <part>; '),
        ('<pp at="x.j2:7">a</pp>', '7: there is no element <pp> here; did you mean "p"?'),
        ('<p at="x.j2:7" align="left">a</p>', '7: <p> has no attribute "align"; leave it out'),
        ('<h2 at="x.j2:7" id="1">a</h2>', '7: <h2> has no attribute "id"; leave it out'),
        ('<p at="x.j2:7">a<i at="x.j2:8">b</i></p>', "8: there is no element <i> here; "),
        ('<p at="x.j2:7">漢</p>', '7: no font has the character "漢"'),
        ('<ul at="x.j2:7"><p at="x.j2:8">a</p></ul>', "8: there is no element <p> here; "),
        ('<ul><li at="x.j2:7"></li></ul>', "7: a list item without text; write its text"),
        ('<ul><li at="x.j2:7">a</li></ul>', '7: text "a" stands directly in <li>; '),
        ('<ol at="x.j2:7" start="x"><li><p>a</p></li></ol>', '7: "x" is not a whole number; '),
        (
            f'<table at="x.j2:7"><tr>{"<td>Wordwordword</td>" * 9}</tr>'
            f"<tr>{'<td>a</td>' * 9}</tr></table>",
            "7: the columns are too wide for the page; ",
        ),
        ('<record at="x.j2:7" numbered="no"/>', '7: <record> lacks the attribute "rows"; '),
        (record('width="1"', rows="x"), '7: "x" is not a whole number; '),
        (record(""), '8: <column> lacks the attribute "width"; '),
        (record('width="0"'), '8: "0" is not a number above 0; '),
        (record('width="1"', LONG), "8: the columns are too wide for the page; "),
        ('<box-groups><boxes at="x.j2:7" count="3"/></box-groups>', "7: <boxes> lacks the"),
        (
            '<box-groups><boxes at="x.j2:7" count="-3" alt="a"/></box-groups>',
            '7: "-3" is not a whole number; ',
        ),
        (
            '<box-groups><boxes at="x.j2:7" count="30" alt="a">Clues</boxes></box-groups>',
            "7: this label and its 30 boxes are ",
        ),
        (
            f'<write-ins><write-in at="x.j2:7">{"long " * 40}</write-in></write-ins>',
            "7: no room is left to write: the words take more than 126 mm; use fewer words",
        ),
        ('<tick at="x.j2:7">a</tick>', '7: <tick> lacks the attribute "alt"; '),
        ('<tick at="x.j2:7" alt="">a</tick>', '7: <tick> lacks the attribute "alt"; '),
        (f'<tick at="x.j2:7" alt="a">{LONG}</tick>', f'7: "{LONG}" is '),
        ('<panel><cards at="x.j2:7"/></panel>', "7: there is no element <cards> here; "),
        (
            f'<panel at="x.j2:7">{"<p>a</p>" * 60}</panel>',
            "7: this <panel> is 246.36 mm too high for a page; make it shorter, or make two of it",
        ),
        (
            '<pieces name="a"><die at="x.j2:7"/></pieces>',
            "7: there is no element <die> here; ",
        ),
        ('<pieces name="a"><dice at="x.j2:7"/></pieces>', '7: <dice> lacks the attribute "alt"; '),
        (
            '<pieces name="a"><strip alt="a"><step at="x.j2:7" shape="strr"/></strip></pieces>',
            '7: unknown shape "strr"; did you mean "star"?',
        ),
    ],
)
def test_what_is_wrong_is_placed_at_its_line(body: str, told: str) -> None:
    assert refusal(body).startswith(f"x.j2:{told}")


@pytest.mark.parametrize(
    ("body", "room"),
    [
        ("<h2>{}</h2>", "the text column at 16 pt"),
        ("<table><tr><td>a</td></tr><tr><td>{}</td></tr></table>", ""),
        ("<ul><li><p>{}</p></li></ul>", "the text column at 13 pt"),
        ("<tick alt='a'>{}</tick>", "the text column at 13 pt"),
        ("<write-ins><write-in>{}</write-in></write-ins>", "the text column at 13 pt"),
    ],
)
def test_a_word_too_wide_is_refused_in_the_authors_file(body: str, room: str) -> None:
    narrow = Frame(60 * MM, 60 * MM, 60 * MM, FRAME.height)
    told = refusal(body.format(mark(str(PLAY), 0)), PLAY, frame=narrow)
    if room:
        assert told.startswith('game.yaml:3:10: "Llanfairpwllgwyngyllgogery" is ')
        assert f" mm too wide for {room}; " in told
    else:
        assert told.startswith("game.yaml:3:3: ") or told.startswith("x.j2:2: the columns are")


def test_a_value_of_the_authors_is_refused_in_the_authors_file() -> None:
    count = Text("many", Location(FILE, 2, 8))
    body = f'<box-groups><boxes count="{mark("many", 0)}" alt="a">b</boxes></box-groups>'
    assert refusal(body, count) == 'game.yaml:2:8: "many" is not a whole number; write digits only'


def test_a_paragraph_of_many_pages_is_not_too_high() -> None:
    (made,) = blocks("<p>" + "word " * 3000 + "</p>")
    assert made.height > FRAME.height


# What a template may get wrong in the structure


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<ul at="x.j2:7"/>', "7: <ul> is empty; put <li> into it"),
        ('<table at="x.j2:7"/>', "7: <table> is empty; put <tr> into it"),
        ('<table><tr at="x.j2:7"/></table>', "7: <tr> is empty; "),
        ('<table><row at="x.j2:7"/></table>', "7: there is no element <row> here; "),
        ('<table><tr><p at="x.j2:7"/></tr></table>', "7: there is no element <p> here; "),
        (
            '<table at="x.j2:7"><tr><td>a</td></tr></table>',
            "7: a table without rows, or with rows that differ; ",
        ),
        (
            '<table at="x.j2:7"><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>',
            "7: a table without rows, or with rows that differ; ",
        ),
        ('<record at="x.j2:7" rows="3" numbered="no"/>', "7: <record> is empty; "),
        (record('width="1"', rows="0"), '7: "0" is not from 1 to 1000; '),
        (
            '<record at="x.j2:7" rows="3" numbered="no"><p at="x.j2:8"/></record>',
            "8: there is no element <p> here; write one of column",
        ),
        (
            '<box-groups><boxes at="x.j2:7" count="0" alt="a">b</boxes></box-groups>',
            '7: "0" is not from 1 to 1000; ',
        ),
        ('<box-groups><p at="x.j2:7"/></box-groups>', "7: there is no element <p> here; "),
        ('<write-ins><p at="x.j2:7"/></write-ins>', "7: there is no element <p> here; "),
        (
            '<write-ins><write-in at="x.j2:7" x="1">a</write-in></write-ins>',
            '7: <write-in> has no attribute "x"; ',
        ),
        ('<panel at="x.j2:7"/>', "7: <panel> is empty; "),
        ('<pieces name="a"><strip at="x.j2:7" alt="a"/></pieces>', "7: <strip> is empty; "),
        (
            '<pieces name="a"><strip alt="a"><p at="x.j2:7"/></strip></pieces>',
            "7: there is no element <p> here; write one of step",
        ),
        (
            f'<pieces name="a"><stand at="x.j2:7" alt="a" up="{LONG}" back="b" glue="c"/></pieces>',
            f'7: "{LONG}" is ',
        ),
    ],
)
def test_what_cannot_be_structured_is_placed_at_its_line(body: str, told: str) -> None:
    assert refusal(body).startswith(f"x.j2:{told}")


def test_all_faults_of_a_document_are_told_at_once() -> None:
    body = f'<p at="x.j2:7">漢</p><p>a</p><ul><li at="x.j2:8"/></ul><tick at="x.j2:9">{LONG}</tick>'
    with pytest.raises(KitError) as caught:
        build(body)
    assert [str(each.location) for each in caught.value.faults] == [
        "x.j2:7",
        "x.j2:8",
        "x.j2:9",
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<h3 at="x.j2:7">a</h3>', "7: <h3> skips a level of headings; write <h2>, or one"),
        ('<ul><li at="x.j2:7" x="1"><p>a</p></li></ul>', '7: <li> has no attribute "x"; '),
        (
            '<table><tr><td at="x.j2:7" colspan="2">a</td></tr></table>',
            '7: <td> has no attribute "colspan"; ',
        ),
        (
            '<table at="x.j2:7" row-headers="true"><tr><td>a</td></tr></table>',
            '7: "true" is neither yes nor no; ',
        ),
        (
            '<table at="x.j2:7"><tr><td>a</td></tr><tr><td>b</td></tr><tr><td>c</td></tr>'
            f"<tr><td>{'<br/>d' * 80}</td></tr></table>",
            "7: this <table> is ",
        ),
    ],
)
def test_what_cannot_stand_like_this_is_placed_at_its_line(body: str, told: str) -> None:
    assert refusal(body).startswith(f"x.j2:{told}")


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("Go 漢", '1:11: no font has the character "漢"'),
        ("Go ★", '1:11: "★" cannot stand on a piece to cut out; write letters and figures'),
    ],
)
def test_a_piece_shows_no_blank_for_a_character(label: str, told: str) -> None:
    origin = Text(label, Location(Source("game.yaml", (f"label: {label}",)), 1, 8))
    step = f'<step shape="star">{mark(label, 0)}</step>'
    body = f'<pieces name="a"><strip alt="a">{step}</strip></pieces>'
    assert refusal(body, origin).startswith(f"game.yaml:{told}")


def test_a_cell_is_as_wide_as_its_widest_line() -> None:
    (made,) = blocks("<table><tr><td>a<br/>longer</td></tr><tr><td>b</td></tr></table>")
    assert isinstance(made, Table)
    assert words(made.rows[0][0].lines) == "a / longer"


@pytest.mark.parametrize(("title", "part"), [("漢", "Rules"), ("Game", "漢")])
def test_a_title_without_a_font_is_refused_before_any_page_shows_it(title: str, part: str) -> None:
    inside = f'<part name="rules" title="{part}"><h1>a</h1></part>'
    made = element(f'<document title="{title}" language="en">{inside}</document>')
    with pytest.raises(KitError, match='no font has the character "漢"'):
        story.build([made], FRAME)
