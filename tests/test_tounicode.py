"""Every code of a font is mapped to its character, and is read back as that."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kit_builder import tounicode


@given(st.lists(st.characters(exclude_categories=["Cs"]), max_size=255))
def test_every_code_is_mapped_to_its_character_and_code_0_to_none(characters: list[str]) -> None:
    cmap = tounicode.write("Font", [0, *map(ord, characters)])
    pairs = re.findall(r"<(..)> <(....+)>$", cmap, re.MULTILINE)
    expected = {code: each for code, each in enumerate(characters, 1) if each != "\0"}
    assert {
        int(code, 16): bytes.fromhex(text).decode("utf-16-be") for code, text in pairs
    } == expected
    assert all(int(count) <= 100 for count in re.findall(r"(\d+) beginbfchar", cmap))


@given(st.lists(st.characters(exclude_categories=["Cs"]), max_size=255))
def test_what_is_written_is_read_back(characters: list[str]) -> None:
    cmap = tounicode.write("Font", [0, *map(ord, characters)]).encode()
    expected = {code: each for code, each in enumerate(characters, 1) if each != "\0"}
    assert tounicode.read(cmap) == expected


def test_a_pair_that_is_written_otherwise_is_left_out() -> None:
    ranges = b"1 beginbfrange\n<01> <03> <0041>\nendbfrange\n"
    long = b"1 beginbfchar\n<0001> <0041>\nendbfchar\n"
    assert tounicode.read(ranges + long + b"<02> <00410042>\n") == {2: "AB"}
