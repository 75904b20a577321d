"""Every character has a font or is refused, and lines are broken where they should be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markupsafe import escape
from pypdf import PdfReader
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.platypus import Paragraph

from kit_builder import document, prose, typography
from kit_builder.document import Element
from kit_builder.errors import KitError, Text
from kit_builder.markup import spans
from kit_builder.tagging import TaggedCanvas
from kit_builder.typography import (
    BOLD,
    LARGE,
    NORMAL,
    REGULAR,
    SPACE,
    Line,
    Span,
    Style,
    TooWideError,
    Word,
    break_lines,
    draw_lines,
    set_word,
    words,
)
from tests import sample
from tests.conftest import block

LIBRARY = Path(__file__).parent.parent / "activities"
SIZE = 13.0
SHAPES = "○●□■△▲☆★✗✓→←↑↓♠♥♦♣⚀⚁⚂⚃⚄⚅"
SAMPLES = {
    "signs": "×½⅓¼−±÷≤≥≠∞√°€£…–—“”‘’„«»•·",
    "Catalan": "paral·lel l·l Ŀl ŀl ço àéèíïóòúü",
    "Vietnamese": "Tiếng Việt ữợằẵặẫậễệỗộ ơưđ",
    "Polish": "Zażółć gęślą jaźń",
    "Greek": "Παίξε ξανά άέήίόύώ ϊϋ",
    "Cyrillic": "Играйте снова ёйъыэ їєґ љњћђџ",
    "others": "ßæœøåþðžčřůőűğışțțŋ",
}


def word(text: str, bold: bool = False) -> Word:
    return set_word(text, bold)


def written(word: Word) -> list[tuple[str, str]]:
    """Its runs: the font and the text of each."""
    return [(run.font, run.text) for run in word.runs]


def shown(word: Word) -> str:
    return "".join(run.text for run in word.runs)


def broken(text: str, measure: float, size: float = SIZE, bold: bool = False) -> list[str]:
    lines = break_lines(words([Span(text, bold)]), measure, size)
    return [" ".join(map(shown, line.words)) for line in lines]


# Fonts


@pytest.mark.parametrize("text", [SHAPES, *SAMPLES.values()], ids=["shapes", *SAMPLES])
@pytest.mark.parametrize("bold", [False, True])
def test_each_character_is_set_in_a_font_that_has_it(text: str, bold: bool) -> None:
    for each in text.split():
        for run in word(each, bold).runs:
            glyphs = pdfmetrics.getFont(run.font).face.charToGlyph
            assert all(ord(character) in glyphs for character in run.text)
            assert ("Bold" in run.font) is bold


@pytest.mark.parametrize("bold", [False, True])
def test_all_shapes_are_of_one_font(bold: bool) -> None:
    name = "DejaVuSans-Bold" if bold else "DejaVuSans"
    assert {run.font for run in word(SHAPES, bold).runs} == {name}


@pytest.mark.parametrize("text", ["Παίξε", "Играйте", "Tiếng", "paral·lel", "−1", "½", "3×4", "≥5"])
def test_a_word_is_of_one_font(text: str) -> None:
    assert len({run.font for run in word(text).runs}) == 1


def test_a_shape_inside_a_word_changes_the_font_for_itself_only() -> None:
    assert written(word("A★2")) == [(REGULAR, "A"), ("DejaVuSans", "★"), (REGULAR, "2")]


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("漢", "U+6F22, CJK UNIFIED IDEOGRAPH-6F22"),
        ("\U0001f9ff", "U+1F9FF, NAZAR AMULET"),
        ("\ue123", "U+E123, unnamed"),
        ("\uf1df", "U+F1DF, unnamed"),  # Andika has it, and copied it would be nothing
    ],
)
def test_a_character_without_a_font_is_refused_at_its_place(character: str, name: str) -> None:
    text = block(f"First.\n\nThen a **bold {character}** one.", before=5)
    origins: list[Text] = []
    with pytest.raises(KitError) as caught:
        for paragraph in paragraphs(text, origins):
            words(spans(paragraph))
    (found,) = caught.value.faults
    assert str(found.location) == "activities/game.yaml:8:17"
    assert found.what == f'no font has the character "{character}" ({name})'


@pytest.mark.parametrize("character", ["\x1b", "\n", "\x85"])
def test_a_control_character_is_named_but_not_sent_to_a_terminal(character: str) -> None:
    told = str(typography.MissingGlyphError(character).at(None))
    codes = f"(U+{ord(character):04X}, unnamed)"
    assert told == f"no font has the character {codes}; use another character"


@pytest.mark.parametrize("text", ["שלום", "العربية", "a\ufefb"])
@pytest.mark.parametrize("bold", [False, True])
def test_a_script_that_runs_from_right_to_left_is_refused(text: str, bold: bool) -> None:
    with pytest.raises(KitError, match="runs from right to left, which cannot be printed yet"):
        words([Span(text, bold)])


def test_the_last_of_several_lines_of_a_paragraph_is_named() -> None:
    text = block("- One\n- Two\n  three\n  four ☂ 漢\n- five", before=3)
    with pytest.raises(KitError) as caught:
        for paragraph in paragraphs(text, []):
            words(spans(paragraph))
    assert str(caught.value).split("\n") == [
        "activities/game.yaml:7:12: no font has the character "
        '"漢" (U+6F22, CJK UNIFIED IDEOGRAPH-6F22); use another character',
        "    7 |     four ☂ 漢",
        "                   ^",
    ]


def test_a_character_is_refused_even_where_no_place_is_known() -> None:
    with pytest.raises(KitError, match="no font has the character"):
        words([Span("漢", False)])


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5))
def test_each_character_is_set_or_refused(text: str) -> None:
    assume(text.strip(typography.SOFT_HYPHEN))
    try:
        made = word(text)
    except typography.MissingGlyphError as missing:
        assert missing.character in unicodedata.normalize("NFC", text)
    else:
        wanted = unicodedata.normalize("NFC", text).replace(typography.SOFT_HYPHEN, "")
        assert shown(made) == wanted
        for run in made.runs:
            glyphs = pdfmetrics.getFont(run.font).face.charToGlyph
            assert all(ord(character) in glyphs for character in run.text)


# Words


def test_words_end_at_spaces() -> None:
    assert [shown(each) for each in words([Span(" One two  three ", False)]) if each] == [
        "One",
        "two",
        "three",
    ]


def test_a_comma_stays_with_the_bold_word_before_it() -> None:
    spoken = [Span("Say ", False), Span("raise", True), Span(", or pass.", False)]
    assert [shown(each) for each in words(spoken) if each] == ["Say", "raise,", "or", "pass."]
    glued = words(spoken)[1]
    assert glued is not None
    assert [run.font for run in glued.runs] == [BOLD, REGULAR]
    assert glued.width == pytest.approx(word("raise", True).width + word(",").width)


def test_spans_with_a_space_between_them_are_two_words() -> None:
    for left, right in (("a ", "b"), ("a", " b"), ("a ", " b"), ("a\n", "b")):
        both = words([Span(left, True), Span(right, False)])
        assert [shown(each) for each in both if each] == ["a", "b"]


def test_a_forced_break_is_no_word() -> None:
    assert [each and shown(each) for each in words([Span("a\nb", False)])] == ["a", None, "b"]
    assert broken("a\n\nb", 100) == ["a", "", "b"]


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2007"])
def test_a_line_never_ends_at_a_no_break_space(space: str) -> None:
    (only,) = words([Span(f"10{space}points", False)])
    assert only is not None
    assert only.width > word("10").width + word("points").width
    assert broken(f"about 10{space}points", only.width * SIZE + 1) == ["about", f"10{space}points"]


def test_an_accent_is_joined_to_its_letter() -> None:
    assert word("e\u0301te\u0301") == word("été")
    assert word("q\u0303").width == pytest.approx(word("q").width)


# By the letters that have no accent of their own: it is set, above or below or through them.
@pytest.mark.parametrize(
    "text", ["x\u0301", "а\u0301 ю\u0301", "n\u0324\u0301", "o\u0338", "\u0301"]
)
@pytest.mark.parametrize("bold", [False, True])
def test_an_accent_that_has_room_is_set_at_its_letter(text: str, bold: bool) -> None:
    for each in text.split():
        assert shown(word(each, bold)) == unicodedata.normalize("NFC", each)


@pytest.mark.parametrize(
    "text",
    ["Е\u0301", "T\u0303", "i\u0307", "j\u0301", "l\u0303", "ỗ\u0301", "y\u0331", "♥\u0301"],
)
@pytest.mark.parametrize("bold", [False, True])
def test_an_accent_that_would_run_into_its_letter_is_refused(text: str, bold: bool) -> None:
    codes = " ".join(f"U+{ord(each):04X}" for each in text)
    with pytest.raises(KitError, match=re.escape(f'no font has the character "{text}" ({codes}, ')):
        words([Span(f"a{text}b", bold)])


def test_the_width_of_a_word_is_that_of_its_glyphs() -> None:
    made = word("A★é")
    assert made.width == pytest.approx(
        pdfmetrics.stringWidth("A", REGULAR, 1)
        + pdfmetrics.stringWidth("★", "DejaVuSans", 1)
        + pdfmetrics.stringWidth("é", REGULAR, 1)
    )


def test_a_space_is_as_wide_in_both_weights() -> None:
    assert pdfmetrics.stringWidth(" ", BOLD, 1) == SPACE


# Soft hyphens


LONG = "Donau\u00addampf\u00adschiff\u00adfahrt"


def test_an_unused_soft_hyphen_is_not_there() -> None:
    assert broken(LONG, 200) == ["Donaudampfschifffahrt"]
    assert word(LONG).width == word("Donaudampfschifffahrt").width


def test_a_word_is_divided_at_the_last_soft_hyphen_that_helps() -> None:
    assert broken(f"die {LONG}", 70) == ["die Donau-", "dampf-", "schifffahrt"]
    assert broken(f"die {LONG}", 110) == ["die Donaudampf-", "schifffahrt"]


def test_a_line_ends_at_a_space_where_no_syllable_fits_behind_it() -> None:
    measure = word("dampf-").width * SIZE + 1
    assert broken("Das damp\u00adfen", measure) == ["Das", "damp-", "fen"]


def test_a_hyphen_must_fit_as_well() -> None:
    head = word("Spiel").width * SIZE
    assert broken("Spiel\u00adzug", head + word("-").width * SIZE) == ["Spiel-", "zug"]
    with pytest.raises(TooWideError):
        broken("Spiel\u00adzug", head)


@pytest.mark.parametrize("text", ["\u00ad", "\u00ad\u00ad", "\u00ada", "a\u00ad", "a\u00ad\u00adb"])
def test_a_soft_hyphen_that_divides_nothing_does_no_harm(text: str) -> None:
    letters = text.replace("\u00ad", "")
    assert broken(text, 100) == [letters]


def test_a_word_can_be_divided_after_a_bold_part() -> None:
    made = words([Span("Spiel", True), Span("plan\u00adung", False)])
    (first, last) = break_lines(
        made, (word("Spiel", True).width + word("plan-").width) * SIZE, SIZE
    )
    assert written(first.words[0]) == [(BOLD, "Spiel"), (REGULAR, "plan-")]
    assert shown(last.words[0]) == "ung"


def test_a_divided_word_of_symbols_keeps_its_fonts() -> None:
    lines = break_lines(words([Span("★★\u00ad★★", False)]), word("★★-").width * SIZE, SIZE)
    assert [shown(line.words[0]) for line in lines] == ["★★-", "★★"]


def test_a_word_of_very_many_syllables_is_divided() -> None:
    assert broken("\u00ad".join(["ab"] * 400), 30) == ["ab-"] * 398 + ["abab"]


# Lines


def test_an_empty_text_is_one_empty_line() -> None:
    assert break_lines([], 100, SIZE) == [Line((), 0.0)]


def test_a_word_too_wide_for_its_line_is_refused_with_its_excess() -> None:
    measure = word("incredible").width * SIZE - 2.5
    with pytest.raises(TooWideError) as caught:
        broken("an incredible thing", measure)
    assert caught.value.word == "incredible"
    assert caught.value.excess == pytest.approx(2.5, abs=1e-4)


def test_a_word_that_exactly_fills_its_line_fits() -> None:
    both = (word("one").width + SPACE + word("two").width) * SIZE
    assert broken("one two three", both) == ["one two", "three"]
    assert broken("one two three", both - 0.01) == ["one", "two", "three"]


TEXTS = st.lists(
    st.text(st.sampled_from("abcmWi.,★→é\u00a0\u00ad"), min_size=1, max_size=9).filter(
        lambda text: text.strip("\u00ad")
    ),
    min_size=1,
    max_size=25,
).map(" ".join)


@given(TEXTS, st.floats(5, 400), st.booleans())
@example("a b", 5, False)
def test_no_line_is_wider_than_its_measure(text: str, measure: float, bold: bool) -> None:
    paragraph = words([Span(text, bold)])
    try:
        lines = break_lines(paragraph, measure, SIZE)
    except TooWideError:
        syllables = [
            syllable + ("-" if more else "")
            for each in text.split(" ")
            for *heads, last in [each.strip("\u00ad").split("\u00ad")]
            for syllable, more in [*((head, True) for head in heads), (last, False)]
        ]
        assert max(word(each, bold).width for each in syllables) * SIZE > measure
        return
    for line in lines:
        assert line.width * SIZE <= measure + 1e-4
        total = sum(each.width for each in line.words) + SPACE * (len(line.words) - 1)
        assert line.width == pytest.approx(total)
    joined = " ".join(" ".join(map(shown, line.words)) for line in lines)
    assert joined.replace("- ", "") == unicodedata.normalize("NFC", text.replace("\u00ad", ""))


@given(TEXTS.map(lambda text: text.replace("\u00ad", "")), st.floats(120, 400))
def test_each_line_holds_as_many_words_as_fit(text: str, measure: float) -> None:
    lines = break_lines(words([Span(text, False)]), measure, SIZE)
    for line, below in pairwise(lines):
        assert (line.width + SPACE + below.words[0].width) * SIZE > measure


# The same lines as ReportLab


def paragraphs(text: Text, origins: list[Text]) -> Iterator[Element]:
    """The paragraphs of a Markdown text as elements."""

    def mark(piece: Text) -> str:
        origins.append(piece)
        return document.mark(str(escape(str(piece))), len(origins) - 1)

    root = document.parse(f"<r>{prose.markup(text, mark)!s}</r>", "layout", origins)
    waiting = [root]
    while waiting:
        for child in waiting.pop(0).elements():
            if child.tag in ("p", "td", "th"):
                yield child
            else:
                waiting.append(child)


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


@cache
def library() -> list[list[Span]]:
    """The paragraphs of every text of every activity and every translation."""
    found = []
    for path in sorted(LIBRARY.glob("*.yaml")):
        for text in texts(yaml.load(path.read_text("utf-8"), yaml.CBaseLoader)):
            found += [list(spans(each)) for each in paragraphs(block(text), [])]
    return found


def reportlab_lines(paragraph: list[Span], measure: float) -> list[str]:
    """The lines of ReportLab's own paragraph of the same words in the same fonts."""
    marked = []
    for each in words(paragraph):
        assert each is not None
        marked.append(
            "".join(f'<font name="{run.font}">{escape(run.text)}</font>' for run in each.runs)
        )
    style = ParagraphStyle(
        "", fontName=REGULAR, fontSize=SIZE, leading=17, spaceShrinkage=0, splitLongWords=0
    )
    made = Paragraph(f'<font name="{REGULAR}"> </font>'.join(marked), style)
    made.wrap(measure, 10_000)
    lines = []
    for line in made.blPara.lines:
        pieces = getattr(line, "words", None)
        parts = line[1] if pieces is None else [piece.text for piece in pieces]
        lines.append(" ".join((" " if pieces is None else "").join(parts).split(" ")).strip(" "))
    return lines


@pytest.mark.parametrize("measure", [150.0, 250.0, 402.5])
def test_lines_end_where_reportlab_ends_them(measure: float) -> None:
    count = 0
    for paragraph in library():
        if max(each.width for each in words(paragraph) if each) * SIZE > measure:
            continue  # a word alone, such as the name of a file
        lines = break_lines(words(paragraph), measure, SIZE)
        ours = [" ".join(map(shown, line.words)) for line in lines]
        assert ours == reportlab_lines(paragraph, measure)
        count += len(lines)
    assert count > 500


# Styles


def test_text_is_as_large_as_clear_print_asks_for() -> None:
    for styles, body, least in ((NORMAL, 12, 12), (LARGE, 18, 16)):
        assert styles.body.size >= body
        texts = [getattr(styles, each.name) for each in fields(styles)]
        named = [each for each in texts if isinstance(each, Style) and each != styles.imprint]
        assert len(named) == 11
        assert min(each.size for each in named) >= least
        assert all(1.2 <= each.leading / each.size <= 1.5 for each in named)
    assert LARGE.imprint.size >= 16


def test_headings_are_bold_and_grow_with_their_level() -> None:
    for styles in (NORMAL, LARGE):
        levels = [styles.title, styles.h1, styles.h2, styles.h3]
        assert all(each.bold for each in levels)
        assert all(upper.size > lower.size for upper, lower in pairwise(levels))
        assert styles.h3.size >= styles.p.size
        assert all(each.before > each.after for each in levels[1:])


# On the page


def page(text: str, measure: float, align: float = 0) -> bytes:
    lines = break_lines(words([Span(text, False)]), measure, SIZE)

    def draw(canvas: TaggedCanvas) -> None:
        draw_lines(canvas, lines, Style(SIZE, 17), 10, 190, measure=measure, align=align)

    return sample.printed((400, 200), draw)


def test_the_words_on_a_page_can_be_copied_with_their_spaces() -> None:
    copied = PdfReader(BytesIO(page("Turn ★ over and ★★ again", 90))).pages[0].extract_text()
    assert copied.split() == ["Turn", "★", "over", "and", "★★", "again"]


def operators(pdf: bytes) -> list[str]:
    """Those that place and show text, in order."""
    contents = PdfReader(BytesIO(pdf)).pages[0].get_contents()
    assert contents is not None
    return [each.decode() for _, each in contents.operations if each[:1] == b"T"]


def test_what_is_of_one_font_in_a_line_is_shown_at_once() -> None:
    assert operators(page("Turn the card over and over again", 90)) == [
        "Td", "Tf", "Tj", "Td", "Tj", "Td", "Tj",
    ]  # fmt: skip
    assert operators(page("Two ★ ★ and", 200)) == ["Td", "Tf", "Tj", "Tf", "Tj", "Tf", "Tj"]


def test_capitals_stand_in_the_middle_of_their_line() -> None:
    with pypdfium2.PdfDocument(page("H H", 10)) as reader:
        on_page = reader[0].get_textpage()
        boxes = [on_page.get_charbox(index) for index in (0, on_page.count_chars() - 1)]
        on_page.close()
    middles = [(low + high) / 2 for _, low, _, high in boxes]
    assert middles == pytest.approx([190 - 17 / 2, 190 - 17 * 3 / 2], abs=0.3)


@pytest.mark.parametrize("align", [0.0, 0.5, 1.0])
def test_a_line_with_symbols_is_as_wide_on_the_page_as_it_was_measured(align: float) -> None:
    text = "a ★ b ★★ c"
    (line,) = break_lines(words([Span(text, False)]), 300, SIZE)
    with pypdfium2.PdfDocument(page(text, 300, align)) as reader:
        on_page = reader[0].get_textpage()
        left, _, _, _ = on_page.get_charbox(on_page.count_chars() - 1, loose=True)
        on_page.close()
    before = (line.width - word("c").width) * SIZE
    assert left == pytest.approx(
        10 + align * (300 - line.width * SIZE) + before, abs=0.2
    )  # widths are rounded to 1/1000 em
