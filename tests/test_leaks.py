"""What only the host may know is told from what the players read, and is found where it leaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kit_builder import leaks
from kit_builder.errors import Location, Source, Text
from kit_builder.leaks import Leak, host_only

SOURCE = Source(
    "bid.yaml",
    (
        "host:",
        "  sections:",
        "    - heading: Key",
        "      text: |",
        "        The trap lies under the left",
        "        card. Anna always **tells lies**!",
        "",
        "        1. Turn the first card over at once.",
        "        - Short.",
        "",
        "        | Player | Where the treasure is |",
        "        |--------|-----------------------|",
        "        | Anna   | below the old bridge  |",
    ),
)
KEY = Text(
    "\n".join(line[8:] for line in SOURCE.lines[4:]) + "\n", Location(SOURCE, 4, 13), first_line=5
)
SENTENCES = [
    ("The trap lies under the left card.", 5, 9),
    ("Anna always **tells lies**!", 6, 15),
    ("Turn the first card over at once.", 8, 12),
    ("Where the treasure is", 11, 20),
    ("below the old bridge", 13, 20),
]


def host(written: str) -> Text:
    return Text(written, Location(Source("key.yaml", (written,)), 1, 1))


def test_sentences_cells_and_items_of_a_key_are_the_hosts_each_with_its_place() -> None:
    found = host_only([], [KEY], [])
    assert [(str(each), each.location.line, each.location.column) for each in found] == SENTENCES


def test_what_the_players_read_too_is_not_the_hosts_alone() -> None:
    rules = [
        "Anna always tells\nlies. Turn the FIRST card over, at once",
        "Where the treas\u00adure is?",
    ]
    assert [str(each) for each in host_only(rules, [KEY], [])] == [
        "The trap lies under the left card.",
        "below the old bridge",
    ]


def test_a_secret_is_the_hosts_however_short_and_whoever_reads_it() -> None:
    assert host_only(["CTXS and 4"], [], [host("CTXS"), host("4")]) == ("CTXS", "4")


def test_a_text_that_stands_twice_counts_once() -> None:
    assert host_only([], [host("The liar is Anna."), host("the LIAR is anna")], []) == (
        "The liar is Anna.",
    )


LIAR = "The liar is certainly Anna."


def places(shown: str, sought: str) -> list[str]:
    return [leak.place for leak in leaks.find([host(sought)], {"page 1": [shown]})]


def test_a_leak_names_the_hosts_text_and_the_place() -> None:
    sought = host(LIAR)
    shown = {"page 1": ["Rules"], "page 2": ["Anna", LIAR], "outline": ["Rules"]}
    (leak,) = leaks.find([sought], shown)
    assert leak == Leak(sought, "page 2")
    assert str(leak.text.location) == "key.yaml:1:1"


def test_every_leak_is_found_in_each_place_where_it_stands() -> None:
    found = leaks.find([host(LIAR), host("CTXS")], {"page 1": [LIAR], "link": ["CTXS", LIAR]})
    assert [(str(leak.text), leak.place) for leak in found] == [
        (LIAR, "page 1"),
        ("CTXS", "link"),
        (LIAR, "link"),
    ]


def test_two_texts_of_a_place_do_not_make_one() -> None:
    assert leaks.find([host(LIAR)], {"outline": ["The liar is", "certainly Anna."]}) == ()


def test_a_leak_in_a_file_name_is_found() -> None:
    assert places("the-liar-is-certainly-anna.pdf", LIAR) == ["page 1"]


@pytest.mark.parametrize(
    "lines",
    [
        ("THE LIAR IS CERTAINLY ANNA",),
        ("the liar is", "certainly Anna."),
        ("the liar is cer-", "tainly Anna."),
        ("the liar is cer\u00adtainly Anna.",),
        ("The\u00a0liar \u201cis\u201d: certainly   Anna\u2026",),
    ],
)
def test_neither_lines_nor_hyphens_nor_case_hide_a_leak(lines: tuple[str, ...]) -> None:
    assert places("\n".join(lines), LIAR) == ["page 1"]


@pytest.mark.parametrize(
    ("secret", "line", "found"),
    [
        ("CTXS", "The code is CTXS.", True),
        ("CTXS", "The code is c t x s.", True),
        ("CTXS", "The code is CT-XS", True),
        ("C T X S", "The code is CTXS", True),
        ("CTXS", "ACTXS", False),
        ("4", "Take 4 cards", True),
        ("4", "Take 14 cards", False),
        ("4", "Take 40 cards", False),
        ("4", "four_4_four", True),
        ("\u2605\u2606", "\u2605 \u2606", True),
        ("\u2605\u2606", "\u2606 \u2605", False),
    ],
)
def test_a_secret_is_found_as_a_whole_word_however_it_is_spaced(
    secret: str, line: str, found: bool
) -> None:
    assert places(line, secret) == (["page 1"] if found else [])


def test_single_letters_in_lines_of_their_own_are_no_word_unless_the_secret_is_spaced() -> None:
    assert places("C\nT\nX\nS", "CTXS") == []
    assert places("C\nT\nX\nS", "C T X S") == ["page 1"]


@given(
    st.text("abcdefghijklmnop0123456789", min_size=12, max_size=60),
    st.lists(st.sampled_from([" ", "-", "\n", "\u00ad", ", ", "."]), min_size=60, max_size=60),
)
def test_no_spacing_or_punctuation_makes_a_text_the_hosts_alone(
    letters: str, between: list[str]
) -> None:
    spaced = "".join(letter + gap for letter, gap in zip(letters, between, strict=False))
    assert host_only([spaced], [host(letters)], []) == ()
    assert host_only([spaced[::-1] + "x"], [host("y" + letters)], []) == ("y" + letters,)


@pytest.mark.parametrize("shown", ["ΣΟΦΟΣ", "ΣΟΦΌΣ", "σοφός", "σοφο\u0301ς", "Σοφος"])
def test_a_greek_secret_is_found_in_capitals_without_their_accents(shown: str) -> None:
    assert places(f"Ο {shown} λέει", "Σοφός") == ["page 1"]
    assert places(f"Ο {shown} λέει πάντα αλήθεια.", "Ο Σοφός λέει πάντα αλήθεια.") == ["page 1"]


def test_in_other_scripts_an_accent_makes_another_word() -> None:
    assert places("Nandu", "Ñandú") == []


def plainly_squeezed(text: str) -> str:
    """The letters and digits of a text, whatever their case and form; Greek ones plain."""
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    letters = (normalize("NFD", each)[0] if "Ά" <= each <= "\u1fff" else each for each in folded)
    return re.sub(r"[\W_]+", "", "".join(letters))


# Letters that change their form or their neighbours, and white space of all kinds.
TRICKY = (
    "aA1\xdf\u0130\u0301\u0308\u0345\u03a3\u1e9b\u1100\u1161\u2167\ufb03"
    " \n\x1c\x85\xa0\xad\xb4\u2003_-"
)
WORDS = st.text(TRICKY, max_size=24) | st.text(max_size=24)
CHANGES = (
    str,
    str.upper,
    str.casefold,
    " ".join,
    "".join,
    lambda text: normalize("NFD", text),
    lambda text: normalize("NFKC", text),
    lambda text: text[1:],
)


@example("\u1100\u1161" * 12, " ".join, "", "")
@example("e\u0301" * 12, " ".join, "", "")
@example("\xe9" * 12, lambda text: normalize("NFD", text), "e", "\u0301")
@given(WORDS, st.sampled_from(CHANGES), WORDS, WORDS)
def test_texts_are_compared_letter_by_letter_whatever_their_case_and_form(
    sought: str, change: Callable[[str], str], before: str, after: str
) -> None:
    key, shown = plainly_squeezed(sought), f"{before}{change(sought)}{after}"
    if len(key) >= 12:
        assert bool(places(shown, sought)) == (key in plainly_squeezed(shown))
        assert bool(host_only([shown], [], [host(sought)]))


@given(WORDS, st.sampled_from(CHANGES))
def test_what_the_players_read_in_any_form_is_not_the_hosts_alone(
    text: str, change: Callable[[str], str]
) -> None:
    known = plainly_squeezed(change(text))
    for each in host_only([change(text)], [host(text)], []):
        assert plainly_squeezed(each) not in known
