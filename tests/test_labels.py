"""The fixed words of every language are complete, typeset as that language does it, and fit."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from kit_builder import calibration, cutouts, definition
from kit_builder.errors import Text
from kit_builder.files import File
from kit_builder.formats import PAPERS
from kit_builder.printers import FLIPS, Flip, Profile
from kit_builder.typography import BOLD, LARGE, Span, break_lines, set_word, words
from kit_builder.units import MM

FILES = sorted((Path(__file__).parent.parent / "templates" / "labels").glob("*.yaml"))
LABELS: Mapping[str, Mapping[str, Text]] = {
    path.stem: definition.labels(File(path.name, path.read_bytes())) for path in FILES
}
ENGLISH = LABELS["en"]

NO_BREAK = "\N{NO-BREAK SPACE}"
# Opening and closing quotation marks, with what stands between them and the words.
QUOTES = {
    "ca": ("«", "»"),
    "de": ("„", "“"),
    "en": ("“", "”"),
    "es": ("«", "»"),
    "eu": ("«", "»"),
    "fr": (f"«{NO_BREAK}", f"{NO_BREAK}»"),
}
ALL_QUOTES = "\"'«»“”„‘‚‹›"
# In Basque the sign comes first.
HUNDRED_PER_CENT = {
    "ca": f"100{NO_BREAK}%",
    "de": f"100{NO_BREAK}%",
    "en": "100 %",
    "es": f"100{NO_BREAK}%",
    "eu": f"%{NO_BREAK}100",
    "fr": f"100{NO_BREAK}%",
}
MARK = re.compile(r"\{\w*\}")
CHECKED = re.compile(
    r"(?P<checked>[^;]+)(; found in print: (?P<found>[^;]+))?(; ask first: (?P<first>[^;]+))?"
)

each_language = pytest.mark.parametrize("language", LABELS)


def printed(language: str) -> dict[str, Text]:
    """The labels of a language that are set on a page."""
    return {key: text for key, text in LABELS[language].items() if key != "checked"}


@each_language
def test_a_language_has_the_labels_of_english_in_their_order(language: str) -> None:
    assert list(LABELS[language]) == list(ENGLISH)


@each_language
def test_a_label_has_the_placeholders_of_english(language: str) -> None:
    found = {key: Counter(MARK.findall(text)) for key, text in LABELS[language].items()}
    assert found == {key: Counter(MARK.findall(text)) for key, text in ENGLISH.items()}


@each_language
def test_no_label_is_empty_or_has_stray_spaces(language: str) -> None:
    for key, text in LABELS[language].items():
        assert text.strip(), key
        assert text == text.strip() and "  " not in text, key


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_letter_and_its_accent_are_one_character(path: Path) -> None:
    assert unicodedata.is_normalized("NFC", path.read_text("utf-8"))


@each_language
def test_quotation_marks_are_those_of_the_language(language: str) -> None:
    opening, closing = QUOTES[language]
    for key, text in printed(language).items():
        without = re.sub(rf"{opening}[^{ALL_QUOTES}\s][^{ALL_QUOTES}]*?{closing}", "", text)
        assert not set(ALL_QUOTES) & set(without), f"{key}: {text}"
    quoted = {key for key, text in printed(language).items() if opening in text}
    assert quoted == {key for key, text in printed("en").items() if "“" in text}


def test_french_has_a_no_break_space_before_high_punctuation() -> None:
    for key, text in printed("fr").items():
        assert not re.search(rf"[^{NO_BREAK}][:;!?](?:\s|$)", text), f"{key}: {text}"


@each_language
def test_per_cent_is_written_as_in_the_language(language: str) -> None:
    with_sign = {key for key, text in printed(language).items() if "%" in text}
    assert with_sign == {key for key, text in printed("en").items() if "%" in text}
    for key in with_sign:
        written = LABELS[language][key].replace("{n}", "100")
        assert HUNDRED_PER_CENT[language] in written, key


@pytest.mark.parametrize("language", [each for each in LABELS if each != "en"])
def test_no_label_was_left_in_english(language: str) -> None:
    sentences = {
        key
        for key, text in printed("en").items()
        if len(re.findall(r"[^\W\d_]{3,}", MARK.sub("", text))) > 1
    }
    assert [key for key in sentences if LABELS[language][key] == ENGLISH[key]] == []


@each_language
@pytest.mark.parametrize("bold", [False, True])
def test_the_fonts_have_every_letter(language: str, bold: bool) -> None:
    for text in printed(language).values():
        for word in text.split():
            assert set_word(word, bold).width > 0


@each_language
def test_a_file_says_which_labels_a_speaker_has_checked(language: str) -> None:
    said = CHECKED.fullmatch(LABELS[language]["checked"])
    assert said is not None
    parts = [said["checked"], said["found"], said["first"]]
    for part in parts[said["checked"] in ("all", "none") :]:
        for name in part.split(", ") if part else ():
            assert any(fnmatchcase(key, name) for key in printed("en")), name


def test_english_is_checked() -> None:
    assert ENGLISH["checked"] == "all"


@each_language
def test_the_words_on_a_card_fit_on_one_line(language: str) -> None:
    for key, size, room in (("owner", 11, 28 * MM), ("copy", 10, 28 * MM)):
        text = MARK.sub("8", LABELS[language][key])
        assert len(break_lines(words([Span(text, False)]), room, size)) == 1, key


@each_language
def test_the_words_on_a_card_stand_fit_in_large_print_too(language: str) -> None:
    labels = LABELS[language]
    cutouts.Stand((labels["fold-up"], labels["fold-back"], labels["glue"]), BOLD, LARGE.least)


@each_language
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("flip", FLIPS)
def test_the_printer_test_sheet_has_room_for_its_words(
    language: str, paper: str, flip: Flip
) -> None:
    profile = Profile(flip=flip)
    pdf = calibration.sheet(PAPERS[paper], LABELS[language], profile, language=language)
    assert pdf.startswith(b"%PDF")
