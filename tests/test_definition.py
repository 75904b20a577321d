"""An author's file becomes an Activity as it was typed, or every fault is named at its place."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder import definition, files
from kit_builder.activity import Activity, Range
from kit_builder.catalogue import Catalogue
from kit_builder.errors import KitError, Location, Text
from kit_builder.files import File

HERE = Path(__file__).parent
BAD = sorted((HERE / "bad").glob("*.yaml"))


def crossed(arguments: Mapping[str, Text | tuple[Text, ...]]) -> tuple[tuple[str, ...], ...]:
    if "letters" not in arguments:
        raise ValueError('no "letters"; write letters: [A, B]')
    if arguments.get("ranks") != "1-4":
        raise ValueError("other ranks than 1-4; write ranks: 1-4")
    return (("", *arguments["letters"]),)


CATALOGUE = Catalogue(
    faces={
        "symbol": {"shape": True, "label": True, "letter": False, "fill": False},
        "text": {"title": True, "text": True},
    },
    languages=("de", "en"),
    slugs=("follow-suit-tricks", "hidden-trap-bid", "related-to-itself"),
    patterns=("lattice", "waves"),
    labels=lambda language: {},
    criteria=lambda language: {},
    facts={"matching-cards": crossed},
)

SAMPLE = """\
# Ein Spiel über das Wägen; Notizen sind erlaubt.
title: "Größe: \\"zählt\\""
language: de  # mit Notiz
category: 'Bluff''n'
summary: Une carte\u00a0! cachée,
  auf zwei Zeilen.
players: 3\u20135
minutes: 15
practises: 012
observe: No
rules:
  - heading: Vorberei\u0308ten
    text: |  # Notiz

      Mische die **Karten**.

        - eingerückt
      # kein Kommentar
  - heading: Tabelle
    table: {fact: matching-cards, letters: [Ä, B], ranks: 1-4}
    text: >
      Eins
      zwei
decks:
  - name: Größen
    size: mini
    face: symbol
    per: player
    cards:
      - {shape: circle, label: Grün, copies: 3}
      - for: {letter: [Ä, B], label: 1-2}
        shape: star
    total: 35
  - name: Wörter
    face: text
    cards:
      - title: 10:30
        text: |2-
            Eins
           zwei
    total: 1
cutouts:
  - {piece: dice, name: Würfel, count: 12}
  - piece: strip
    name: Pfeile
    steps:
      - {label: Runde 1, shape: arrow-left}
sheet:
  title: Blatt
  boxes: [{label: Hinweise, count: 3}, {label: Karten}]
  lines: [Wer zuerst?, Oberste Karte]
  ticks: ['"Letzte" Karte']
records:
  - title: Runden
    columns: [Zug, {title: "Spieler, Aktion", width: 2.5}, Rest]
    rows: 16
    numbered: Yes
    note: Spieler:innen schreiben.
related: [follow-suit-tricks]
host:
  sections:
    - heading: Lösung
      text: fünf
  records:
    - {title: Geheim, columns: [A], rows: 1}
  secrets: [CTXS, =, ~, 1e3]
"""


def read(folder: Path, text: str | bytes, name: str = "hidden-trap-bid.yaml") -> Activity:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return definition.read(File(name, path.read_bytes()), CATALOGUE)


def told(folder: Path, text: str | bytes, name: str = "hidden-trap-bid.yaml") -> str:
    with pytest.raises(KitError) as caught:
        read(folder, text, name)
    return str(caught.value)


def texts(value: object) -> Iterator[Text]:
    if isinstance(value, Text):
        yield value
    elif isinstance(value, Mapping):
        yield from texts(tuple(value.values()))
    elif isinstance(value, tuple):
        for each in value:
            yield from texts(each)
    elif is_dataclass(value) and not isinstance(value, Location):
        for each in fields(value):
            yield from texts(getattr(value, each.name))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_each_bad_file_gives_exactly_its_message(path: Path) -> None:
    with pytest.raises(KitError) as caught:
        definition.read(File(path.name, path.read_bytes()), CATALOGUE)
    assert f"{caught.value}\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_each_message_is_the_same_without_libyaml(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    test_each_bad_file_gives_exactly_its_message(path)


def test_each_message_says_what_is_wrong_and_what_to_write() -> None:
    for path in BAD:
        with pytest.raises(KitError) as caught:
            definition.read(File(path.name, path.read_bytes()), CATALOGUE)
        for fault in caught.value.faults:
            assert fault.what and fault.instead, path
            assert fault.location is not None


def test_a_whole_activity_is_read(tmp_path: Path) -> None:
    activity = read(tmp_path, SAMPLE)
    kit, host = activity.kit, activity.host
    assert kit.slug == "hidden-trap-bid"
    assert kit.title == 'Größe: "zählt"'
    assert kit.category == "Bluff'n"
    assert kit.summary == "Une carte\u00a0! cachée, auf zwei Zeilen."
    assert (kit.players, kit.minutes) == (Range(3, 5), Range(15, 15))
    assert [section.heading for section in kit.rules] == ["Vorbere\u00eften", "Tabelle"]
    assert kit.rules[0].text == ("\nMische die **Karten**.\n\n  - eingerückt\n# kein Kommentar")
    assert kit.rules[1].text == "Eins zwei"
    assert kit.rules[1].table is not None
    assert kit.rules[1].table.rows == (("", "Ä", "B"),)
    assert [cutout.count for cutout in kit.cutouts] == [12, 1]
    assert kit.cutouts[1].steps[0].shape == "arrow-left"
    assert [(row.label, row.count) for row in kit.boxes] == [("Hinweise", 3), ("Karten", 1)]
    assert kit.ticks == ('"Letzte" Karte',)
    record = kit.records[0]
    assert [(column.title, column.width) for column in record.columns] == [
        ("Zug", 1.0),
        ("Spieler, Aktion", 2.5),
        ("Rest", 1.0),
    ]
    assert (record.rows, record.numbered, record.note) == (16, "yes", "Spieler:innen schreiben.")
    assert kit.related == ("follow-suit-tricks",)
    assert host.records[0].title == "Geheim"
    assert host.records[0].numbered == "no"


def test_the_short_form_makes_one_card_of_each_combination_first_name_outermost(
    tmp_path: Path,
) -> None:
    deck = read(tmp_path, SAMPLE).kit.decks[0]
    assert [
        tuple(card.fields[name] for name in ("letter", "label")) for card in deck.cards[1:]
    ] == [
        ("Ä", "1"),
        ("Ä", "2"),
        ("B", "1"),
        ("B", "2"),
    ]
    assert {card.fields["shape"] for card in deck.cards[1:]} == {"star"}
    assert (deck.size.name, deck.blocks, deck.count) == ("mini", 5, 35)


@pytest.mark.parametrize(
    "typed",
    [
        *("No", "Yes", "On", "off", "y", "true", "~", "null", "Null"),
        *("012", "007", "08", "1.10", "1_000", "0x1F", ".inf", "1e3", "1.0e+3", "-3", "3-5"),
        *("10:30", "1:30", "2024-01-02", "a:b", ":-)", "https://example.org"),
        *("=", "=x", "= x", "Card#3", "C:\\new", "5*3*2", "2 > 1 | 0", "it's", 'the "Clue"'),
        *("\u201cClue\u201d", "\u2018No\u2019", "co\u00adop\u00e9rer", "10\u202f%", "a - b"),
    ],
)
def test_a_plain_text_stays_what_was_typed(tmp_path: Path, typed: str) -> None:
    activity = read(
        tmp_path,
        SAMPLE.replace(
            "summary: Une carte\u00a0! cachée,\n  auf zwei Zeilen.", f"summary: {typed}"
        ),
    )
    assert activity.kit.summary == typed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("libyaml", [True, False])
def test_each_text_knows_the_place_of_its_characters(
    tmp_path: Path, encoding: str, newline: str, libyaml: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not libyaml:
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    activity = read(tmp_path, SAMPLE.replace("\n", newline).encode(encoding))
    seen = list(texts(activity))
    assert len(seen) > 55
    for text in seen:
        place = text.location
        assert place.excerpt == SAMPLE.split("\n")[place.line - 1]
        written = unicodedata.normalize("NFC", place.excerpt[place.column - 1 :])
        assert (text.first_line is None) == (written[0] != "|")
        if text.first_line is not None:
            for offset, line in enumerate(text.split("\n")):
                at = text.line(offset)
                assert at.excerpt[at.column - 1 :] == line.lstrip()
        elif written[0] in "'\"":
            assert written[1:].replace("\\", "").replace("''", "'").startswith(text)
        elif written.startswith("1-2"):
            assert text in ("1", "2")
        elif written[0] == ">":
            assert text == "Eins zwei"
        else:
            assert written.startswith(text.split(", ")[0])


def test_a_file_may_end_without_a_newline_and_start_with_three_dashes(tmp_path: Path) -> None:
    assert read(tmp_path, "---\n" + SAMPLE.rstrip("\n")) == read(tmp_path, "---\n" + SAMPLE)


def test_notes_to_oneself_are_possible(tmp_path: Path) -> None:
    noted = SAMPLE.replace("rules:\n", "rules: # the rules\n# title: old\n  #- heading: old\n")
    noted = noted.replace("    size: mini\n", "    # a note\n    size: mini  # small\n")
    noted = noted.replace("copies: 3}\n", "copies: 3} # three\n").replace(
        "Bluff''n'", "Bluff''n' # x"
    )
    assert read(tmp_path, noted).kit.decks[0].count == 35


def test_honest_typography_stays(tmp_path: Path) -> None:
    block = "      Mische die **Karten**.\n"
    typed = block + "      Attention\u00a0: 10\u202f%, «\u00a0oui\u00a0», co\u00adopérer.\n"
    text = read(tmp_path, SAMPLE.replace(block, typed)).kit.rules[0].text
    assert text is not None
    assert typed.strip().split("\n")[1].strip() in text


def test_players_may_be_unknown_while_the_total_is_checked(tmp_path: Path) -> None:
    message = told(tmp_path, SAMPLE.replace("players: 3\u20135", "players: many"))
    assert '"players" is "many"' in message
    assert "total" not in message


@pytest.mark.parametrize(
    ("name", "better"),
    [("Größe 3.yaml", "grosse-3.yaml"), ("trap.yaml.txt", "trap.yaml"), ("Ω.yaml", "hidden-")],
)
def test_a_file_name_that_is_no_slug_is_told_a_better_one(
    tmp_path: Path, name: str, better: str
) -> None:
    assert f'call it "{better}' in told(tmp_path, SAMPLE, name)


def test_a_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=r"missing\.yaml: the file cannot be read"):
        definition.read(files.read(tmp_path / "missing.yaml"), CATALOGUE)


def test_a_very_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    assert "write a file of at most 1,000,000 bytes" in told(tmp_path, SAMPLE + "#" * 1_000_000)


def test_a_tower_of_brackets_is_refused(tmp_path: Path) -> None:
    assert "20 deep" in told(tmp_path, "title: " + "[" * 100_000)


def test_labels_are_read_with_the_same_care(tmp_path: Path) -> None:
    path = tmp_path / "en.yaml"
    path.write_text('copy: "copy {n} of {m}"\nno: No\n', encoding="utf-8")
    labels = definition.labels(File("en.yaml", path.read_bytes()))
    assert labels == {"copy": "copy {n} of {m}", "no": "No"}
    assert str(labels["no"].location) == "en.yaml:2:5"
    path.write_text("copy: Card #3\ncopy: b\nno:\n", encoding="utf-8")
    with pytest.raises(KitError) as caught:
        definition.labels(File("en.yaml", path.read_bytes()))
    assert [str(fault.location) for fault in caught.value.faults] == [
        "en.yaml:1:12",
        "en.yaml:2:1",
        "en.yaml:3:4",
    ]


_PRINTABLE = st.text(
    st.characters(
        exclude_categories=("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"),
        exclude_characters="\u034f\ufffd",
        min_codepoint=32,
        max_codepoint=0x58F,
    ),
    min_size=1,
).filter(lambda text: text.strip() and not any(letter >= "\u0590" for letter in text))
_NAMES = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@settings(derandomize=True)
@given(st.dictionaries(_NAMES, _PRINTABLE, min_size=1))
def test_any_text_in_quotes_comes_back_as_typed(
    tmp_path_factory: pytest.TempPathFactory, typed: dict[str, str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "quoted.yaml"
    lines = [f"{name}: '{text.replace(chr(39), chr(39) * 2)}'" for name, text in typed.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert definition.labels(files.read(path)) == {
        name: unicodedata.normalize("NFC", text) for name, text in typed.items()
    }


@settings(derandomize=True)
@given(_PRINTABLE)
def test_a_plain_text_comes_back_whole_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, typed: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "plain.yaml"
    path.write_text(f"a: {typed}\nb: x\n", encoding="utf-8")
    try:
        read = definition.labels(files.read(path))
    except KitError:
        return
    whole = unicodedata.normalize("NFC", typed).strip(" ")
    noted = whole.split("  # ")[0].rstrip(" ")
    assert read["a"] in (whole, noted, whole[1:-1].replace("''", "'").replace('\\"', '"'))


_PIECES = [
    *"\"'#&*!|>%@`{}[],:-?\\\t\n \r\x00\u00a0\u200b\ufeff\uff1aä\u0308",
    "\n\n",
    ": ",
    " #",
    "- ",
    "---\n",
]


def mutated(number: int) -> bytes:
    """The sample with up to four slips of the keyboard; always the same for a number."""
    chance = random.Random(number)
    text = SAMPLE
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        cut = chance.choice((0, 0, 1, 1, 3, 40))
        text = text[:at] + chance.choice(["", *_PIECES]) + text[at + cut :]
    raw = bytearray(
        text.encode(chance.choice(["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"]), "replace")
    )
    if chance.random() < 0.1:
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    return bytes(raw)


def outcome(folder: Path, raw: bytes) -> str:
    try:
        return repr(read(folder, raw))
    except KitError as error:
        return str(error)


def test_a_slip_of_the_keyboard_never_breaks_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raws = [mutated(number) for number in range(300)]
    outcomes = [outcome(tmp_path, raw) for raw in raws]
    assert sum(each.startswith("hidden-trap-bid.yaml") for each in outcomes) > 150
    monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    assert [outcome(tmp_path, raw) for raw in raws[:60]] == outcomes[:60]
