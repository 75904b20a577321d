"""Every code of a font is mapped to its character, and is read back as that."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import tounicode
from tests import cmaps


@given(st.lists(st.characters(exclude_categories=["Cs"]), max_size=255))
def test_every_code_is_mapped_to_its_character_and_code_0_to_none(characters: list[str]) -> None:
    cmap = cmaps.write("Font", [0, *map(ord, characters)])
    pairs = re.findall(r"<(..)> <(....+)>$", cmap, re.MULTILINE)
    expected = {code: each for code, each in enumerate(characters, 1) if each != "\0"}
    assert {
        int(code, 16): bytes.fromhex(text).decode("utf-16-be") for code, text in pairs
    } == expected
    assert all(int(count) <= 100 for count in re.findall(r"(\d+) beginbfchar", cmap))


@given(st.lists(st.characters(exclude_categories=["Cs"]), max_size=255))
def test_what_is_written_is_read_back(characters: list[str]) -> None:
    cmap = cmaps.write("Font", [0, *map(ord, characters)]).encode()
    expected = {code: each for code, each in enumerate(characters, 1) if each != "\0"}
    assert tounicode.read(cmap) == expected


RANGES = b"""
2 beginbfrange
<01> <03> <0041>
<0d> <0E> [<00660069> <D83CDCA1>]
endbfrange
1 beginbfchar
<05>\t<00e90301>
endbfchar
"""


def test_ranges_are_read_too() -> None:
    texts = {1: "A", 2: "B", 3: "C", 5: "\xe9\u0301", 13: "fi", 14: "\U0001f0a1"}
    assert tounicode.read(RANGES) == texts
    assert tounicode.read(RANGES.replace(b"<0", b"<000"), 2) == {}
    assert tounicode.read(b"1 beginbfrange <0141> <0142> <03B1> endbfrange", 2) == {
        0x141: "\u03b1",
        0x142: "\u03b2",
    }


def test_codes_of_another_length_and_what_is_no_pair_are_left_out() -> None:
    long = b"1 beginbfchar\n<0001> <0041>\nendbfchar\n"
    assert tounicode.read(long + b"<02> <0042>\n") == {}
    assert tounicode.read(long + b"1 beginbfchar <02> <0042> <03> endbfchar\n") == {2: "B"}
    assert tounicode.read(long, 2) == {1: "A"}


@pytest.mark.parametrize(
    ("ranges", "width"),
    [
        (b"1 begincodespacerange <00> <FF> endcodespacerange", 1),
        (b"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange", 2),
        (b"2 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange", 0),
        (b"", 0),
    ],
)
def test_a_map_says_how_long_its_codes_are(ranges: bytes, width: int) -> None:
    assert tounicode.width(ranges) == width
