"""The print plan says what the finished PDFs are: counted here once more, on their pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kit_builder import build, cli, units
from kit_builder.job import Count
from kit_builder.printing import Printing
from kit_builder.variants import Options
from tests import small_kits
from tests.measured import Box, Measured, Page
from tests.small_kits import deck, flash_cards


def trims(page: Page, bleed: float) -> list[Box]:
    """Where the faces on a page are cut; the texts of backs begin with A."""
    return [
        Box(box.left + bleed, box.bottom + bleed, box.right - bleed, box.top - bleed)
        for box in (card.box for card in page.cards if not card.text.startswith("A"))
    ]


def counted(pdf: bytes, bleed: float = 0, cut: bool = True) -> Count:
    """What a PDF needs, from its pages alone."""
    measured = Measured(pdf)
    printed = [page for page in measured.pages if page.text or page.forms]
    starts = {
        measured.reader.get_destination_page_number(item): str(item.title)
        for item in flattened(measured.reader.outline)
    }
    part, card = "", set()
    for number in range(len(measured.pages)):
        part = starts.get(number, part)
        if part == "Cards":
            card.add(number)
    step = 2 if "Flip" in measured.duplex else 1
    fronts = [page.number - 1 for page in measured.pages[::step]]
    if not any(page.text.count("Print at") for page in measured.pages):
        fronts = []  # backs alone: nothing says how to print them
    faces = [trims(page, bleed) for page in measured.pages]
    cuts = sum(
        len({round(edge, 2) for box in boxes for edge in (box.left, box.right)})
        + len({round(edge, 2) for box in boxes for edge in (box.bottom, box.top)})
        for boxes in faces
    )
    return Count(
        pages=len(printed),
        paper=len([each for each in fronts if each not in card]),
        card=len([each for each in fronts if each in card]),
        cards=sum(map(len, faces)),
        cuts=cuts if cut else 0,
    )


def flattened(outline: Any) -> list[Any]:
    found: list[Any] = []
    for each in outline:
        found += flattened(each) if isinstance(each, list) else [each]
    return found


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "two papers": {"papers": (small_kits.A4, small_kits.LETTER)},
    "turned over": {"backs": "long-edge"},
    "folded": {"backs": "fold"},
    "apart": {"backs": "separate"},
    "class sets": {"sets": small_kits.sets(3), "backs": "short-edge"},
    "parts apart": {"split": True},
    "cards alone": {"parts": ("cards",)},
    "reprint": {"cards": ["2", "3"], "backs": "long-edge"},
    "gutter": {"cut": "gutter", "gutter": 4 * units.MM, "bleed": 2 * units.MM},
    "uncut": {"cut": "none"},
    "large": {"large": True},
    "both editions": {"editions": ("player", "host")},
}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_kits.write(
        tmp_path_factory.mktemp("plan"),
        flash_cards(11),
        deck(3, size="mini"),
        cutouts=[{"piece": "stand", "name": "Stand", "count": "1"}],
        records=[{"title": "Log", "columns": ["A", "B"], "rows": "30"}],
    )


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_the_plan_is_what_a_build_makes(game: Path, options: dict[str, Any]) -> None:
    made = small_kits.outputs(game, **options)
    assert made
    bleed = 2 if "bleed" in options else 0
    for output in made.values():
        assert output.count == counted(output.pdf, bleed, options.get("cut") != "none"), output.path


def needed(made: Mapping[str, build.Output]) -> Count:
    return sum((output.count for output in made.values()), Count())


def test_a_small_kit_counted_by_hand(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, deck(10))
    # Rules, two sheets of cards and the label. The full sheet needs 4 cuts each way, the other 2.
    made = small_kits.outputs(path)
    assert needed(made) == Count(pages=4, paper=2, card=2, cards=10, cuts=12)


def test_a_sheet_that_is_folded_first_is_cut_once_for_face_and_back(tmp_path: Path) -> None:
    path = small_kits.write(tmp_path, flash_cards(1))
    made = small_kits.outputs(path, backs="fold", parts=("cards",))
    assert needed(made) == Count(pages=1, paper=0, card=1, cards=1, cuts=4)


def test_the_command_says_it_as_json_and_as_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "activities"
    small_kits.write(folder, deck(3), slug="a-game")
    small_kits.write(folder, deck(10), slug="b-game")
    ran = CliRunner().invoke(cli.app, ["plan", str(folder), "--sets", "2", "--json"])
    assert ran.exit_code == 0
    said = json.loads(ran.stdout)
    assert list(said) == ["activities", "total"]
    assert list(said["activities"]) == ["a-game", "b-game"]
    for name, total in said["total"].items():
        assert total == sum(each[name] for each in said["activities"].values())
    options = Options(Printing(sets=small_kits.sets(2)))
    for result in build.build(sorted(folder.glob("*.yaml")), options):
        made = sum((counted(output.pdf) for output in result.outputs), Count())
        assert Count(**said["activities"][result.path.stem]) == made
    table = CliRunner().invoke(cli.app, ["plan", str(folder), "--sets", "2"]).stdout
    for name, count in (*said["activities"].items(), ("total", said["total"])):
        (line,) = (line for line in table.splitlines() if line.startswith(name))
        assert [int(figure) for figure in line.split()[1:]] == list(count.values())


def test_nothing_is_written_by_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_kits.write(tmp_path / "activities", deck(3))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert CliRunner().invoke(cli.app, ["plan", str(path)]).exit_code == 0
    assert sorted(tmp_path.rglob("*")) == before


counts = st.builds(Count, *[st.integers(0, 1000)] * 5)


@given(counts, counts, counts)
def test_counts_add_up_in_any_order(one: Count, other: Count, third: Count) -> None:
    assert one + other == other + one
    assert (one + other) + third == one + (other + third)
    assert one + Count() == one
    assert (one + other).cards == one.cards + other.cards
