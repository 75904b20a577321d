"""What is known of an activity while its files are half written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kit_builder.files import File
from kit_builder.material import Outline, Sources
from kit_builder.reading import outline

ORIGINAL = "title: Trap bid\nlanguage: en\nrelated: [pause]\n"
CATALAN = "language: ca\ntexts:\n  - {en: Trap bid, ca: Aposta}\n"
TITLES = st.sampled_from(["", "Trap bid", "Aposta", "Falle"])
OUTLINES = st.builds(
    Outline,
    st.sampled_from(["", "en", "ca"]),
    st.dictionaries(st.sampled_from(["", "en", "ca", "de"]), TITLES),
    st.lists(st.sampled_from(["pause", "dice"])).map(tuple),
    st.booleans(),
)


def read(original: str, catalan: str) -> Outline:
    translation = File("traps.ca.yaml", catalan.encode())
    return outline(Sources(File("traps.yaml", original.encode()), (("ca", translation),)))


LAST = read(ORIGINAL, CATALAN)


def test_a_file_without_title_or_language_is_what_it_was() -> None:
    for half in ("", "tit", "language: en\n", "title: Trap bid\n"):
        assert read(half, CATALAN).mended(LAST) == LAST


def test_a_translation_without_title_keeps_the_last_one_and_all_else_is_new() -> None:
    for half in ("", "language: ca\ntexts:\n  - {en: Trap", "language: ca\n"):
        new = read(ORIGINAL.replace("pause", "dice"), half).mended(LAST)
        assert (new.title("ca"), new.title("en")) == ("Aposta", "Trap bid")
        assert new.related == ("dice",)


def test_a_new_title_is_new_at_once() -> None:
    new = read(ORIGINAL.replace("Trap bid", "Snares"), CATALAN.replace("Trap bid", "Snares"))
    assert new.mended(LAST) == new


def test_a_translation_that_is_gone_is_gone() -> None:
    alone = outline(Sources(File("traps.yaml", ORIGINAL.encode())))
    assert alone.mended(LAST).languages == ("en",)


@given(OUTLINES, OUTLINES)
def test_nothing_that_is_written_is_replaced_and_no_title_is_lost(
    new: Outline, last: Outline
) -> None:
    mended = new.mended(last)
    assert new.mended(new) == new
    assert mended.mended(last) == mended
    if mended != last:
        for language, title in new.titles.items():
            assert mended.titles[language] == title or not title
            assert mended.titles[language] or not last.titles.get(language)
