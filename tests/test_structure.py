"""A structure tree that cannot be, or breaks a rule of nesting, is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_builder import structure
from kit_builder.structure import Attributes, Element


@pytest.mark.parametrize(
    ("role", "attributes", "message"),
    [
        ("Card", {}, "Card is no standard structure type"),
        ("Figure", {}, "a Figure needs alt"),
        ("Figure", {"alt": " "}, "a Figure needs alt"),
        ("TH", {}, "TH with scope None"),
        ("TD", {"scope": "Row"}, "TD with scope Row"),
        ("P", {"numbering": "Decimal"}, "P with numbering Decimal"),
        ("P", {"bbox": (0, 0, 1, 1)}, "P with numbering None, bbox"),
    ],
)
def test_an_element_that_cannot_be_is_refused(
    role: str, attributes: Attributes, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Element("Document").add(role, **attributes)


def built(path: str) -> Element:
    """A tree from roles: "Part(H1 P)"; every element without children has content, except "x-"."""
    root = Element("Document")
    at = root
    for sign, word in re.findall(r"([()])|([\w-]+)", path):
        if word:
            role = word.removesuffix("-")
            added = at.add(role, scope="Row") if role == "TH" else at.add(role)
            if not word.endswith("-"):
                added.content.append((0, 0))
        elif sign == "(":
            at = at.children[-1]
        else:
            assert at.parent is not None
            at = at.parent
    return root


@pytest.mark.parametrize(
    "path",
    [
        "Part(H1 P H2 P H1)",
        "L(Caption LI(Lbl LBody) LI(LBody(L(LI(LBody)))))",
        "Table(Caption THead(TR(TH TH)) TBody(TR(TH TD-)))",
        "Table(TR(TD-(Table(TR(TD TD)))) TR(TD))",
    ],
)
def test_a_sound_tree_passes(path: str) -> None:
    structure.check(built(path))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("P(TR(TD))", "TR cannot stand in P"),
        ("Table(P)", "P cannot stand in Table"),
        ("LI(LBody)", "LI cannot stand in Document"),
        ("L(P)", "P cannot stand in L"),
        ("Table(TR(LBody))", "LBody cannot stand in TR"),
        ("H2", "the heading before it is of level 0"),
        ("H1 H2 H4", "the heading before it is of level 2"),
        ("Table(THead(TR(TH)))", "THead"),
        ("Table(THead(TR(TH)) THead(TR(TH)) TBody(TR(TH)))", "THead, THead, TBody"),
        ("Table(TBody(TR(TH TD) TR(TH)))", "rows of 1, 2 cells"),
        ("P-", "Document > P: empty"),
        ("Part-", "Document > Part: empty"),
    ],
)
def test_a_tree_that_breaks_a_rule_is_refused(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        structure.check(built(path))
    assert str(caught.value).count("\n") == 0


def test_the_root_is_a_document() -> None:
    with pytest.raises(ValueError, match="the root is Sect"):
        structure.check(built("Sect(P)").children[0])


@given(st.recursive(st.just([]), st.lists, max_leaves=30))
def test_walking_a_tree_meets_each_element_once_in_reading_order(shape: list[Any]) -> None:
    def grow(element: Element, shape: list[Any]) -> None:
        made.append(element)
        for below in shape:
            grow(element.add("Sect"), below)

    root = Element("Document")
    made: list[Element] = []
    grow(root, shape)
    assert list(root.walk()) == made
    assert all(child.parent is each for each in made for child in each.children)
