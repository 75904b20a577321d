"""The characters of a file: what no author means to type is refused, all the rest passes."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import characters
from kit_builder.files import File


def test_of_the_usual_characters_none_is_refused() -> None:
    usual = "".join(filter(characters._USUAL.match, map(chr, range(sys.maxunicode + 1))))
    assert {*"aZ09 .:-#'\"\n", "é", "ß", "Ω", "ж"} <= set(usual)
    for pattern in (characters._REFUSED, characters._SPECIAL_SPACE, characters._RIGHT_TO_LEFT):
        assert not pattern.search(usual)


@pytest.mark.parametrize("character", ["\u034f", "\u200b", "\ufffc", "\U000e0041"])
def test_what_would_print_as_nothing_is_refused_with_its_name(character: str) -> None:
    _, read, (fault,) = characters.read(File("game.yaml", f"title: a{character}b".encode()))
    assert read == "title: a b"
    assert fault.what == f"an invisible character ({characters.name(character)}) stands here"


@given(
    st.text(st.sampled_from("ab: -\n\t\x0b\u00a0\u2009\u200b\u05d0\ufdd0\ufffd–é☃")),
    st.integers(0, 3),
)
def test_a_text_passes_unchanged_or_every_fault_in_it_is_told(text: str, spaces: int) -> None:
    written = " " * spaces + text
    source, read, faults = characters.read(File("game.yaml", written.encode()))
    plain = written.replace("\r\n", "\n").replace("\r", "\n")
    assert read == characters._blank(plain)
    assert faults == characters._faults(plain, source)
    assert len(source.lines) == plain.count("\n") + 1
    if not faults:
        assert read == plain == "\n".join(source.lines)
