"""Whatever stands in a folder of activities, it becomes whole PDFs or faults at their places."""

from __future__ import annotations

import errno
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit_builder import build, finished, formats, library, reading, run, store, templates
from kit_builder.errors import Fault, KitError
from kit_builder.printing import ClassSet, Printing
from kit_builder.variants import Options
from tests.measured import Measured

ROOT = Path(__file__).parent.parent
CLUB = Path("activities")
SECRET = "The quokka holds all four clues."

FIELDS = {
    "title": "title: Game",
    "language": "language: en",
    "category": "category: Tests",
    "summary": "summary: A game.",
    "players": "players: 2-3",
    "minutes": "minutes: 5",
    "practises": "practises: Patience.",
    "observe": "observe: Whether it is fun.",
    "rules": "rules:\n  - {heading: Play, text: Play it.}",
    "decks": "decks:\n  - name: Deck\n    face: symbol\n"
    "    cards: [{shape: circle, label: Safe}]\n    total: 1",
    "host": f"host:\n  sections: [{{heading: Key, text: {SECRET}}}]",
}


def kit(**fields: str) -> str:
    """An activity file with some fields written otherwise, or added."""
    return "\n".join((FIELDS | fields).values()) + "\n"


def deck(*lines: str) -> str:
    """A deck of one card with some lines more, from the third line on."""
    return FIELDS["decks"].replace(
        "    cards", "\n".join((*(f"    {each}" for each in lines), "")) + "    cards"
    )


def cards(*labels: str) -> str:
    listed = ", ".join(f"{{shape: circle, label: {label}}}" for label in labels)
    return (
        f"decks:\n  - name: Deck\n    face: symbol\n    cards: [{listed}]\n    total: {len(labels)}"
    )


@pytest.fixture(autouse=True)
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of activities, beside which we are."""
    monkeypatch.chdir(tmp_path)
    CLUB.mkdir()
    return tmp_path


def add(path: str, text: str | bytes) -> Path:
    made = Path(path)
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_bytes(text if isinstance(text, bytes) else text.encode())
    return made


def made(text: str, **printing: object) -> build.Result:
    """What becomes of an activity, in one language on A4."""
    path = add("activities/game.yaml", text)
    (result,) = build.build([path], Options(Printing(**printing)))  # type: ignore[arg-type]
    return result


def told(text: str, **printing: object) -> list[str]:
    """The first line of each fault of an activity."""
    return [str(fault).split("\n")[0] for fault in made(text, **printing).faults]


# --- Texts ---------------------------------------------------------------------------------------

WORD = "W" * 60
RECORD = "records:\n  - {title: %s, columns: [%s, Score], rows: 3, note: %s}"
SHEET = "sheet:\n  title: %s\n  boxes: [{label: %s, count: 2}]\n  lines: [%s]\n  ticks: [%s]"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("title", f"title: {WORD}"),
        ("summary", f"summary: {WORD}"),
        ("practises", f"practises: {WORD}"),
        ("observe", f"observe: {WORD}"),
        ("rules", f"rules:\n  - {{heading: {WORD}, text: Play.}}"),
        ("rules", f"rules:\n  - {{heading: Play, text: {WORD}}}"),
        ("decks", cards(WORD)),
        ("decks", FIELDS["decks"].replace("Deck", WORD)),
        ("decks", deck(f"back: {{text: {WORD}}}")),
        ("records", RECORD % (WORD, "Round", "Note")),
        ("records", RECORD % ("Log", WORD, "Note")),
        ("records", RECORD % ("Log", "Round", WORD)),
        ("sheet", SHEET % (WORD, "Clues", "Top", "Last")),
        ("sheet", SHEET % ("Sheet", WORD, "Top", "Last")),
        ("sheet", SHEET % ("Sheet", "Clues", WORD, "Last")),
        ("sheet", SHEET % ("Sheet", "Clues", "Top", WORD)),
        ("cutouts", f"cutouts:\n  - {{piece: dice, name: {WORD}}}"),
        (
            "cutouts",
            f"cutouts:\n  - {{piece: strip, name: Strip, steps: [{{label: {WORD}, shape: star}}]}}",
        ),
        ("host", f"host:\n  sections: [{{heading: {WORD}, text: Key.}}]"),
        ("host", f"host:\n  sections: [{{heading: Key, text: {WORD}}}]"),
        (
            "host",
            f"host:\n  sections: [{{heading: Key, text: Key.}}]\n  records:\n"
            f"    - {{title: Log, columns: [{WORD}], rows: 3}}",
        ),
    ],
)
def test_a_word_that_is_too_long_is_refused_where_it_was_written(name: str, written: str) -> None:
    text = kit(**{name: written})
    line, column = next(
        (number, each.index(WORD) + 1)
        for number, each in enumerate(text.splitlines(), 1)
        if WORD in each
    )
    faults = told(text, backs="long-edge")
    assert faults
    for fault in faults:
        assert fault.startswith(f"activities/game.yaml:{line}:{column}: ")
        assert re.search(r" too (wide|high)\b.*; ", fault)


def test_a_title_too_long_for_the_caption_is_refused_where_it_was_written() -> None:
    (fault, *_) = told(kit(title=f"title: {'word ' * 40}"))
    assert fault.startswith('activities/game.yaml:1:8: the caption "word word')
    assert "does not fit into a margin; " in fault


def test_a_strip_of_too_many_steps_is_not_to_be_spelled_shorter() -> None:
    steps = ", ".join(["{label: A, shape: star}"] * 30)
    (fault,) = told(kit(cutouts=f"cutouts:\n  - {{piece: strip, name: Strip, steps: [{steps}]}}"))
    assert fault.endswith("; make two pieces of it")


def test_all_texts_that_do_not_fit_are_told_at_once() -> None:
    text = kit(
        rules=f"rules:\n  - {{heading: Play, text: {WORD}}}\n  - {{heading: {WORD}, text: Play.}}",
        decks=cards(WORD, "Safe", f"X{WORD}"),
        host=f"host:\n  sections: [{{heading: Key, text: {WORD}}}]",
    )
    lines = [
        number for number, each in enumerate(text.splitlines(), 1) for _ in each.split(WORD)[1:]
    ]
    assert [int(fault.split(":")[1]) for fault in told(text)] == lines


def test_every_faulty_item_of_a_list_is_told() -> None:
    text = kit(
        rules=f"rules:\n  - heading: Play\n    text: |\n      - {WORD}\n      - a\n      - {WORD}"
    )
    assert [fault.split(":")[1] for fault in told(text)] == ["12", "14"]


def test_what_does_not_fit_is_told_once_for_all_copies_sets_and_papers() -> None:
    text = kit(decks=cards(WORD).replace("}]", ", copies: 9}]").replace("total: 1", "total: 9"))
    path = add("activities/game.yaml", text)
    papers = list(formats.PAPERS.values())
    printing = Printing(sets=[ClassSet(1), ClassSet(2)])
    (result,) = build.build([path], Options(printing, papers))
    assert len(result.faults) == 1


def test_every_card_that_is_not_there_is_named() -> None:
    faults = told(kit(), cards=("Safe", "Trap", "7"))
    assert faults == [
        'activities/game.yaml: there is no card "Trap"; write a number from 1 to 1, or one of Safe',
        'activities/game.yaml: there is no card "7"; write a number from 1 to 1, or one of Safe',
    ]


def test_texts_in_many_scripts_are_printed_and_others_refused_with_their_character() -> None:
    for title in ("Col·lecció", "Ελληνικά ἀρχή", "Nguyễn ằ ẵ", "Игра ё ї", "e\u0301 o\u0308"):
        assert told(kit(title=f"title: {title}")) == []
    for title, code in (("你好", "U+4F60"), ("かな", "U+304B"), ("สวัสดี", "U+0E2A")):
        assert all(code in fault for fault in told(kit(title=f"title: {title}")))
    for title in ("שלום", "مرحبا"):
        (fault,) = told(kit(title=f"title: {title}"))
        assert "runs from right to left" in fault


def test_soft_hyphens_divide_a_title_and_are_not_its_letters() -> None:
    result = made(kit(title="title: Donau\u00addampf\u00adschiff"))
    assert [output.path.name for output in result.outputs] == ["game.pdf", "game.host.pdf"]
    assert b"Donaudampfschiff" in result.outputs[0].pdf
    (fault,) = told(kit(title="title: '\u00ad'"))
    assert fault.endswith("only spaces stand between these quotes; write a text between them")


def test_what_looks_like_a_template_or_markup_is_text() -> None:
    title = "{{ kit.slug }} <b>5</b> & 100 % &amp; %s {x}"
    result = made(kit(title=f"title: '{title}'", decks=cards(f"'{title[:14]}'", "'<b>&%s'")))
    assert result.faults == ()
    words = Measured(result.outputs[0].pdf).pages[0].text.split()
    assert words[: len(title.split())] == title.split()


LETTERS = st.one_of(
    st.characters(min_codepoint=32, max_codepoint=0x24F),
    st.sampled_from("\u00ad\u00a0\u0301{}<>&%'\"|*_`#-:[]\\ \n☺αЖ✓½♠你א\t\u200b"),
)
TEXTS = st.text(LETTERS, min_size=1, max_size=12)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TEXTS, TEXTS, TEXTS)
def test_any_text_is_printed_or_refused_in_its_own_file(title: str, rule: str, label: str) -> None:
    quoted = ["'" + text.replace("'", "''") + "'" for text in (title, label)]
    lines = "\n".join(f"      {line}" for line in rule.split("\n"))
    result = made(
        kit(
            title=f"title: {quoted[0]}",
            rules=f"rules:\n  - heading: Play\n    text: |\n{lines}",
            decks=cards(quoted[1]),
        )
    )
    assert bool(result.outputs) != bool(result.faults)
    for fault in result.faults:
        assert re.match(r"activities/game\.yaml:\d+:\d+: .+; .+", str(fault))


# --- Cards ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (
            ["size: 300 x 400 mm"],
            '14:11: deck "Deck": a card of 300 x 400 mm does not fit on A4 (210 x 297 mm)',
        ),
        (["size: 5 x 5 mm"], "14:11: this <shape> reaches 8.5 mm beyond the edge of card 1"),
        (["size: 0 x 5 mm"], '14:11: "0 x 5 mm" has a side of length 0; write both sides'),
        (
            ["bleed: 2 mm"],
            "14:12: a bleed of 2 mm covers the neighbouring card; "
            "write cut: gutter and gutter: 4 mm",
        ),
        (
            ["cut: none", "bleed: 3 mm"],
            "15:12: a bleed of 3 mm covers the neighbouring card; "
            "write cut: gutter and gutter: 6 mm",
        ),
        (
            ["gutter: 4 mm"],
            "14:13: cards with a gutter share no cut line; write cut: gutter, or remove the gutter",
        ),
        (
            ["cut: gutter", "gutter: 0 mm"],
            "15:13: no space is left between the cards; write gutter: 4 mm or so",
        ),
        (
            ["cut: gutter", "gutter: 1 m"],
            '15:13: "gutter" is "1 m"; write a length such as 4 mm, at most 20 mm',
        ),
        (
            ["cut: gutter", "bleed: 999 mm"],
            '15:12: "bleed" is "999 mm"; write a length such as 4 mm, at most 20 mm',
        ),
        (["back: {}"], "14:11: this back shows nothing; write one of pattern, text and face"),
        (
            ["back: {pattern: waves, text: Hi}"],
            "14:34: a back shows one thing only; write one of pattern, text and face",
        ),
        (
            ["back: {face: text}"],
            '15:13: the card with the face "symbol" and the back "text" has no "title" and no'
            ' "text"; add "title: ..." and "text: ..."',
        ),
    ],
)
def test_cards_that_cannot_be_made_are_refused_where_they_were_asked_for(
    lines: list[str], fault: str
) -> None:
    (message,) = told(kit(decks=deck(*lines)), backs="long-edge")
    assert message.startswith(f"activities/game.yaml:{fault}")


@pytest.mark.parametrize(
    ("size", "backs"),
    [
        ("2.5 x 3.5 in", "none"),
        ("63 × 88 mm", "long-edge"),
        ("4 x 6 in", "short-edge"),
        ("mini", "fold"),
        ("190 x 260 mm", "separate"),
    ],
)
def test_cards_of_many_sizes_are_made_with_all_kinds_of_backs(size: str, backs: str) -> None:
    assert told(kit(decks=deck(f"size: {size}", "back: {text: Hi}")), backs=backs) == []


def test_a_deck_of_1000_cards_a_log_of_300_rows_and_100_dice_are_printed() -> None:
    many = "[{for: {letter: [A, B, C, D, E, F, G, H, I, J], label: 1-100}, shape: star}]"
    result = made(
        kit(
            decks=f"decks:\n  - {{name: Deck, face: symbol, cards: {many}, total: 1000}}",
            records="records:\n  - {title: Log, columns: [Round], rows: 300}",
            cutouts="cutouts:\n  - {piece: dice, name: Dice, count: 100}",
        )
    )
    assert result.faults == ()
    assert result.outputs[0].count.cards == 1000


def test_a_puzzle_that_is_wrong_is_the_only_fault_of_what_is_made_of_it() -> None:
    text = kit(
        decks="puzzle: {kind: code-and-checkers, checkers: 9}\n"
        "decks:\n  - {name: Cards, face: criteria, cards: puzzle}",
        records="records:\n  - {title: Log, columns: [Code, {each: checker}], rows: checkers}",
    )
    assert told(text) == [
        'activities/game.yaml:11:45: "checkers" is "9"; write a whole number from 4 to 6'
    ]


# --- Templates of the user's own -----------------------------------------------------------------

LAYOUT = (
    '<document title="Game" language="en"><part name="rules" title="R">'
    "<p>x</p>\n%s</part></document>"
)
CARD = '<cards><deck name="D" size="poker"><card name="A" alt="A">%s</card></deck></cards>'
WRONG = {
    "<table/>": "<table> is empty; put <tr> into it",
    "<table><tr/></table>": "<tr> is empty; put <th> into it",
    "<table><tr><td>a</td></tr></table>": "a table without rows, or with rows that differ; ",
    "<table><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>": "a table without rows, or ",
    "<table><p>a</p></table>": "there is no element <p> here; ",
    '<record rows="3"/>': "<record> is empty; put <column> into it",
    '<record rows="0"><column width="1">a</column></record>': '"0" is not from 1 to 1000; ',
    '<record rows="99999999"><column width="1">a</column></record>': '"99999999" is not from 1 ',
    '<record rows="3"><column width="nan">a</column></record>': '"nan" is not a number above 0; ',
    '<box-groups><boxes count="0" alt="x">a</boxes></box-groups>': '"0" is not from 1 to 1000; ',
    "<box-groups><p>a</p></box-groups>": "there is no element <p> here; ",
    "<write-ins><p>a</p></write-ins>": "there is no element <p> here; ",
    "<ul/>": "<ul> is empty; put <li> into it",
    "<ul><li/></ul>": "a list item without text; write its text",
    "<panel/>": "<panel> is empty; put <p> into it",
    '<pieces name="x"><strip alt="a"/></pieces>': "<strip> is empty; put <step> into it",
    '<pieces name="x"><stand alt="a" up="a" back="b" glue="' + "W" * 60 + '"/></pieces>': '"WWW',
    '<cards><deck name="D" size="poker"><back alt="a"/></deck></cards>': "<back> stands without ",
    '<part name="x" title=" "/>': "there is no element <part> here; ",
    CARD % "<zz/>": "there is no element <zz> here; ",
    "a": 'text "a" stands directly in <part>; ',
}


@pytest.mark.parametrize("markup", WRONG, ids=lambda markup: markup[:40])
def test_wrong_markup_of_an_own_layout_is_refused_at_its_line(markup: str) -> None:
    add("templates/player.xml.j2", LAYOUT % markup)
    faults = [fault for fault in told(kit()) if not fault.startswith("templates/host")]
    assert faults[0].startswith(f"templates/player.xml.j2:{2 - (markup == 'a')}: {WRONG[markup]}")


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        ("", "templates/player.xml.j2: the markup is broken at or after this element: "),
        ("{% if %}", "templates/player.xml.j2:1: Expected an expression, got "),
        ('{% include "player.xml.j2" %}', "templates/player.xml.j2:1: the template fails here: "),
        ("{{ 1 / 0 }}", "templates/player.xml.j2:1: the template fails here: division by zero"),
        ("<kit/>", "templates/player.xml.j2:1: there is no element <kit> here; "),
        (LAYOUT.replace('"Game"', '""') % "", "templates/player.xml.j2:1: the title of this <doc"),
        (
            LAYOUT.replace('"R"', '"\u00ad"') % "",
            "templates/player.xml.j2:1: the title of this <pa",
        ),
        (LAYOUT.replace('"en"', '"a b"') % "", 'templates/player.xml.j2:1: "a b" is not the code '),
        ("{{ host.sections }}", "templates/player.xml.j2:1: host fields do not exist in a player "),
    ],
)
def test_an_own_layout_that_fails_is_refused(layout: str, fault: str) -> None:
    add("templates/player.xml.j2", layout)
    assert any(each.startswith(fault) for each in told(kit()))


@pytest.mark.parametrize(
    ("face", "fault"),
    [
        ("<card", "the markup is broken at or after this element: "),
        ("", "the markup is broken at or after this element: no element found; "),
        ('<card name="A" alt="A"/><card name="A" alt="A"/>', "the markup is broken at or after "),
        ("<p>A</p>", "a card face is a <card>, not a <p>; "),
        ('{% include "cards/symbol.xml.j2" %}', "the template fails here: "),
    ],
)
def test_an_own_card_face_is_exactly_one_card(face: str, fault: str) -> None:
    add("templates/cards/symbol.xml.j2", "{# fields: shape, label #}\n" + face)
    (message,) = told(kit())
    assert re.match(r"templates/cards/symbol\.xml\.j2(:\d)?: " + re.escape(fault), message)


def test_an_own_layout_may_leave_out_what_it_does_not_need() -> None:
    add("templates/player.xml.j2", LAYOUT % "<box-groups/><write-ins/><cards/>")
    assert [output.pages for output in made(kit()).outputs] == [1, 2]


def test_own_labels_replace_some_words_and_leave_the_others() -> None:
    add("templates/labels/en.yaml", "cards: Karten\n")
    titles = finished.read(made(kit()).outputs[0].pdf).bookmarks
    assert titles == ["Rules", "Karten", "Label"]


def test_labels_of_a_new_language_are_complete() -> None:
    add("templates/labels/xx.yaml", "cards: Karten\nrules: Regeln\n")
    (fault,) = told(kit(language="language: xx"))
    assert re.fullmatch(
        r"templates/labels/xx\.yaml: it lacks (?:[a-z-]+, ){4}[a-z-]+ and \d+ more; "
        r"write all that stand in templates/labels/en\.yaml of the program",
        fault,
    )
    assert "cards" not in re.split(r"[ ,]+", fault)


# --- Secrets -------------------------------------------------------------------------------------


def test_the_hosts_text_in_an_own_label_is_refused() -> None:
    add("templates/labels/en.yaml", f"free-notice: {SECRET}\n")
    (fault,) = told(kit())
    assert f'the player file shows "{SECRET}" of the host\'s' in fault


def test_a_word_of_the_tool_that_the_host_reads_too_is_not_refused() -> None:
    add("templates/labels/en.yaml", "cards: Karten\n")
    notice = reading.words("en", templates.read())["free-notice"]
    assert made(kit(host=FIELDS["host"].replace(SECRET, f'"{notice}"'))).faults == ()


def test_the_hosts_text_in_an_own_player_layout_is_refused() -> None:
    add("templates/player.xml.j2", LAYOUT % f"<p>{SECRET}</p>")
    (fault,) = told(kit())
    assert fault == (
        f'activities/game.yaml:17:35: the player file shows "{SECRET}" of the host\'s (page 1); '
        "take it out of the player layout or the players' texts"
    )


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"rules": "rules:\n  - {heading: Play, text: It is QXZ.}"}, "page 1"),
        ({"title": "title: Game QXZ"}, "page 1"),
        ({"decks": cards("QXZ")}, "page 2"),
        ({"records": RECORD % ("Log", "QXZ", "Note")}, "page 3"),
    ],
)
def test_a_secret_is_found_wherever_it_stands(fields: dict[str, str], place: str) -> None:
    host = "host:\n  sections: [{heading: Key, text: Key.}]\n  secrets: [QXZ]"
    faults = told(kit(**fields, host=host))
    assert any(f'shows "QXZ" of the host\'s ({place})' in fault for fault in faults)


def test_a_secret_is_found_in_the_name_of_a_file() -> None:
    host = "host:\n  sections: [{heading: Key, text: Key.}]\n  secrets: [quokka]"
    path = add("activities/quokka.yaml", kit(host=host))
    (result,) = build.build([path], Options())
    assert 'shows "quokka" of the host\'s (file name)' in str(result.faults[0])


# --- Files and folders ---------------------------------------------------------------------------


def found(*paths: str) -> list[str]:
    """The faults of looking for activities."""
    with pytest.raises(KitError) as caught:
        library.find(map(Path, paths))
    return [str(fault) for fault in caught.value.faults]


def test_what_is_no_activity_is_named_with_all_others() -> None:
    add("notes/read me.txt", "")
    add("disguised/game.yaml.txt", kit())
    assert found("missing.yaml", "gone/", "notes", "disguised", "notes/read me.txt") == [
        "missing.yaml: there is no such file or folder; check the name",
        "gone: there is no such file or folder; check the name",
        "notes: the folder holds no activity; put .yaml files into it",
        "disguised: the folder holds no activity; rename game.yaml.txt to game.yaml",
        "notes/read me.txt: the name of an activity file ends in .yaml; rename it to read me.yaml",
    ]


def test_a_misspelt_file_is_told_the_nearest_name() -> None:
    add("hidden-trap.yaml", kit())
    assert found("hiden-trap.yaml") == [
        'hiden-trap.yaml: there is no such file or folder; did you mean "hidden-trap.yaml"?'
    ]


def test_two_activities_of_one_name_are_refused_and_one_named_twice_is_one() -> None:
    path, other = add("activities/game.yaml", kit()), add("club/game.yaml", kit())
    add("activities/game.yml", kit())
    assert found("activities") == [
        "activities/game.yml: activities/game.yaml makes PDFs of the same name; "
        "rename one of the two files"
    ]
    assert library.find([path, Path("activities/../activities/game.yaml"), path]) == [path]
    assert found(str(path), str(other)) == [
        "club/game.yaml: activities/game.yaml makes PDFs of the same name; "
        "rename one of the two files"
    ]


def test_a_folder_may_be_called_like_a_file_and_a_file_end_in_capitals() -> None:
    add("activities/folder.yaml/inside.yaml", kit())
    path = add("activities/game.YAML", kit())
    assert library.find([CLUB]) == [path]
    (result,) = build.build([path], Options())
    assert result.faults == ()


def test_a_folder_that_may_not_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> Iterator[os.DirEntry[str]]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    assert found("activities") == [
        "activities: the folder cannot be read (permission denied); allow reading it"
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbf" + kit().encode(),
        kit().replace("\n", "\r\n").encode(),
        kit().encode("utf-16"),
    ],
    ids=["byte order mark", "CRLF", "UTF-16"],
)
def test_the_marks_of_other_systems_make_no_difference(raw: bytes) -> None:
    usual = made(kit()).outputs
    path = add("activities/game.yaml", raw)
    (result,) = build.build([path], Options())
    assert [output.pdf for output in result.outputs] == [output.pdf for output in usual]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", ": the file is empty; "),
        (b"# only a note\n", ": the file is empty; "),
        (bytes(range(256)), ": this is not a plain text file; "),
        (b"title: Gr\xf6\xdfe", ':1:10: the byte F6 (probably "ö") is not UTF-8; '),
        (b"a" * 1_000_001, ": the file has 1,000,001 bytes; "),
    ],
)
def test_bytes_that_are_no_activity_are_refused(raw: bytes, fault: str) -> None:
    path = add("activities/game.yaml", raw)
    (result,) = build.build([path], Options())
    assert str(result.faults[0]).startswith(f"activities/game.yaml{fault}")


# --- Writing -------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_relative_to(folder / ".kit-builder")
        if path.suffix not in (".html", ".png")
    }


class Silent:
    """A report that only collects faults."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def done(self, result: build.Result) -> None:
        self.faults += result.faults

    def bound(self, name: str, pages: int | None) -> None: ...

    def failed(self, faults: Sequence[Fault]) -> None:
        self.faults += faults

    def stale(self, name: str) -> None: ...

    removed = kept = stale


def write(text: str, folder: str) -> list[str]:
    """The faults of building a game into a folder."""
    path = add("activities/game.yaml", text)
    report = Silent()
    with store.opened(Path(folder), lambda: None) as opened:
        run.run(run.Run([path], [], Options()), opened, report)
    return [str(fault) for fault in report.faults]


def refused(folder: str) -> str:
    try:
        (fault,) = write(kit(), folder)
    except KitError as error:
        fault = str(error)
    return fault


def test_an_output_that_cannot_be_written_is_named_and_nothing_is_lost() -> None:
    add("file", "x")
    add("out/player", "x")
    Path("taken/host/game.host.pdf").mkdir(parents=True)
    assert refused("file") == (
        "file: cannot be written (not a directory); close it if it is open, or choose another --out"
    )
    assert "out/player/game.pdf: cannot be written" in refused("out")
    assert "taken/host/game.host.pdf: cannot be written" in refused("taken")
    assert files(Path("file").parent)["file"] == b"x"
    assert files(Path("out")) == {"player": b"x"}
    assert not list(Path("taken").rglob("*.part"))


def test_a_full_disk_leaves_the_kit_of_before_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert write(kit(), "out") == []
    before = files(Path("out"))
    write_bytes = Path.write_bytes

    def run_out(path: Path, data: bytes) -> int:
        if ".host." in path.name:
            write_bytes(path, data[:1000])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", run_out)
    assert write(kit(summary="summary: Another game."), "out") == [
        "out/host/game.host.pdf: cannot be written (no space left on device); "
        "free space, or choose another --out"
    ]
    assert files(Path("out")) == before


def test_the_output_folder_may_be_a_link_or_lie_among_the_activities() -> None:
    Path("real").mkdir()
    Path("link").symlink_to("real")
    assert write(kit(), "link") == []
    assert set(files(Path("real"))) == {"player/game.pdf", "host/game.host.pdf"}
    assert write(kit(), str(CLUB)) == []
    assert library.find([CLUB]) == [CLUB / "game.yaml"]


PROGRAM = [sys.executable, "-c", "from kit_builder.cli import main; main()"]


def started(
    *arguments: str, folder: Path | None = None, **environment: str
) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_builds_of_one_folder_at_the_same_time_make_the_same_files(club: Path) -> None:
    for number in range(3):
        add(f"activities/game-{number}.yaml", kit())
    both = [
        started("build", TZ="Asia/Tokyo", PYTHONHASHSEED="1"),
        started(
            "build",
            str(club / "activities"),
            "--out",
            str(club / "build"),
            folder=Path("/"),
            PYTHONHASHSEED="2",
        ),
    ]
    for each in both:
        _, errors = each.communicate()
        assert errors == "" or errors.startswith("waiting: another build is in ")
        assert each.returncode == 0
    results = build.build(library.find([CLUB]), Options())
    expected = {str(output.path): output.pdf for each in results for output in each.outputs}
    assert files(Path("build")) == expected


def test_a_file_that_may_not_grow_ends_in_one_fault_and_no_half_file() -> None:
    add("activities/game.yaml", kit())
    done = subprocess.run(
        [*PROGRAM, "build"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "build/player/game.pdf: cannot be written (file too large); free "
    )
    assert done.stderr.endswith("\n1 fault\n")
    assert files(Path("build")) == {}
