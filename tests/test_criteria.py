"""The catalogue of criteria: its options exclude each other, mean what they say, and are worded."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import definition, files
from kit_builder.criteria import CODES, FAMILIES, Code

WORDINGS = Path(__file__).parent.parent / "templates" / "criteria"
LANGUAGES = ("ca", "en")

codes = st.sampled_from(CODES)

# What 141, 235, 554 and 322 meet, worked out by hand; "-" where a tie meets nothing.
MET = """
triangle-parity                 odd      even     odd      odd
square-parity                   even     odd      odd      even
circle-parity                   odd      odd      even     even
triangle-and-3                  less     less     more     equal
square-and-3                    more     equal    more     less
circle-and-3                    less     more     more     less
triangle-and-1                  1        more     more     more
square-and-1                    more     more     more     more
circle-and-1                    1        more     more     more
how-many-1                      2        0        0        0
how-many-2                      0        1        0        2
how-many-3                      0        1        0        1
how-many-4                      1        0        1        0
how-many-5                      0        1        2        0
triangle-and-square             less     less     equal    more
triangle-and-circle             equal    less     more     more
square-and-circle               more     less     more     equal
smallest                        -        triangle circle   -
largest                         square   circle   -        triangle
majority                        odd      odd      odd      even
how-many-even                   1        1        1        2
sum-parity                      even     even     even     odd
triangle-plus-square-and-6      less     less     more     less
triangle-plus-circle-and-6      less     more     more     less
square-plus-circle-and-6        less     more     more     less
sum-and-9                       less     more     more     less
sum-by-3                        0        1        2        1
repeats                         pair     none     pair     pair
order                           neither  up       neither  neither
steps-of-1                      0        1        0        0
spread                          from-3   from-3   up-to-1  up-to-1
middle-and-3                    less     equal    more     less
how-many-above-3                1        1        3        0
largest-digit                   4        5        5        up-to-3
ends-and-twice-square           less     more     less     more
"""


def met(code: Code) -> list[str]:
    """The options a code meets, one for each family."""
    return [
        next((option.id for option in family.options if option.holds(code)), "-")
        for family in FAMILIES
    ]


def wording(language: str) -> dict[str, str]:
    labels = definition.labels(files.read(WORDINGS / f"{language}.yaml"))
    return {key: str(text) for key, text in labels.items()}


def option_keys() -> list[str]:
    return [f"{family.id}.{option.id}" for family in FAMILIES for option in family.options]


def test_there_are_35_families_with_104_options_over_125_codes() -> None:
    assert len({family.id for family in FAMILIES}) == len(FAMILIES) == 35
    assert len(set(option_keys())) == len(option_keys()) == 104
    assert len(set(CODES)) == len(CODES) == 125
    assert (CODES[0], CODES[1], CODES[5], CODES[25]) == ((1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1))


def test_a_code_meets_exactly_one_option_or_none_where_a_tie_leaves_none() -> None:
    extremes: dict[str, Callable[[Code], int]] = {"smallest": min, "largest": max}
    for family in FAMILIES:
        for code in CODES:
            extreme = extremes.get(family.id)
            tie = extreme is not None and code.count(extreme(code)) > 1
            assert sum(option.holds(code) for option in family.options) == (not tie), family.id


def test_every_option_is_met_by_a_code_and_failed_by_another() -> None:
    for family in FAMILIES:
        for option in family.options:
            assert {option.holds(code) for code in CODES} == {True, False}, option.id


def test_criteria_mean_what_was_worked_out_by_hand() -> None:
    rows = [line.split() for line in MET.strip().splitlines()]
    ids, *columns = map(list, zip(*rows, strict=True))
    assert [family.id for family in FAMILIES] == ids
    assert [met(code) for code in ((1, 4, 1), (2, 3, 5), (5, 5, 4), (3, 2, 2))] == columns


@given(code=codes)
def test_criteria_that_name_no_shape_do_not_care_which_shape_has_a_digit(code: Code) -> None:
    first, second, third = code
    turned = met((third, first, second))
    for family, one, other in zip(FAMILIES, met(code), turned, strict=True):
        if family.id.startswith(("how-many", "sum", "majority", "repeats", "spread", "middle")):
            assert one == other, family.id


@given(code=codes)
def test_exchanging_two_shapes_turns_their_comparison_round(code: Code) -> None:
    first, second, third = code
    turned = {"less": "more", "equal": "equal", "more": "less"}
    place = [family.id for family in FAMILIES].index("triangle-and-square")
    assert met((second, first, third))[place] == turned[met(code)[place]]


def test_ids_are_plain_words_joined_by_hyphens() -> None:
    for key in (*option_keys(), *(family.id for family in FAMILIES)):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)?", key), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wording_has_the_keys_of_the_catalogue_in_its_order(language: str) -> None:
    expected = [
        key
        for family in FAMILIES
        for key in (family.id, *(f"{family.id}.{option.id}" for option in family.options))
    ]
    assert list(wording(language)) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_texts_are_alike_and_all_are_sentences(language: str) -> None:
    texts = wording(language)
    assert len(set(texts.values())) == len(texts)
    for key, text in texts.items():
        assert text.endswith("." if "." in key else ("?", ".")), key
        assert not set("'\"") & set(text), key
        assert not re.search(r"\b[ABC]\b", text), key


WORDS = {
    "ca": {
        "even": "parell",
        "odd": "senar",
        "less": "més petit",
        "equal": "és igual",
        "more": "més gran",
        "triangle": "El triangle",
        "square": "El quadrat",
        "circle": "El cercle",
    },
    "en": {
        "even": "even",
        "odd": "odd",
        "less": "less than",
        "equal": "equal to",
        "more": "more than",
        "triangle": "The triangle",
        "square": "The square",
        "circle": "The circle",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_option_is_worded_as_it_is_named(language: str) -> None:
    texts, words = wording(language), WORDS[language]
    for key in option_keys():
        option = key.partition(".")[2]
        assert words.get(option, "") in texts[key], key


def test_both_wordings_name_the_same_numbers_and_shapes_in_the_same_order() -> None:
    catalan, english = wording("ca"), wording("en")
    for key, text in english.items():
        told = catalan[key].replace("quadrat", "square").replace("cercle", "circle")
        found = [re.findall(r"\d|triangle|square|circle", each.lower()) for each in (text, told)]
        assert found[0] == found[1], key
