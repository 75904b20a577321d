"""A printer profile is what was saved, and a file edited by hand is checked at path:line:column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit_builder import formats, printers
from kit_builder.errors import KitError
from kit_builder.printers import NONE, Profile
from kit_builder.units import MM

OFFICE = Profile("office", "short-edge", 1.25 * MM, -0.5 * MM, 4.2 * MM, 1.002, 0.998)


def written(folder: Path, text: str | bytes, name: str = "office") -> Path:
    path = folder / f"{name}.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaint(folder: Path, name: str = "office") -> list[str]:
    """What is said of each fault, without the folder and without the drawn line."""
    with pytest.raises(KitError) as caught:
        printers.load(name, folder)
    return [
        str(each).split("\n")[0].replace(f"{folder}/", "").replace(f"{folder}\\", "")
        for each in caught.value.faults
    ]


@settings(max_examples=50, deadline=None)
@given(
    name=st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{3,20}_", fullmatch=True),
    flip=st.sampled_from(["long-edge", "short-edge"]),
    offsets=st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)),
    margin=st.integers(300, 2500),
    scales=st.tuples(st.integers(9500, 10500), st.integers(9500, 10500)),
)
def test_a_profile_is_loaded_as_it_was_saved(
    name: str,
    flip: printers.Flip,
    offsets: tuple[int, int],
    margin: int,
    scales: tuple[int, int],
) -> None:
    back_x, back_y, free = (each / 100 * MM for each in (*offsets, margin))
    saved = Profile(name, flip, back_x, back_y, free, scales[0] / 10000, scales[1] / 10000)
    with TemporaryDirectory() as folder:
        printers.save(saved, Path(folder))
        loaded = printers.load(name, Path(folder))
    assert (loaded.name, loaded.flip) == (name, flip)
    assert (loaded.scale_x, loaded.scale_y) == (saved.scale_x, saved.scale_y)
    lengths = (loaded.back_x, loaded.back_y, loaded.margin)
    assert lengths == pytest.approx((back_x, back_y, free), abs=0.001 * MM)


def test_the_file_is_plain_and_says_what_its_settings_mean(tmp_path: Path) -> None:
    path = printers.save(OFFICE, tmp_path)
    assert path == tmp_path / "office.toml"
    lines = path.read_text("utf-8").split("\n")
    assert [line for line in lines if line and not line.startswith("#")] == [
        'flip = "short-edge"',
        'back-x = "1.25 mm"',
        'back-y = "-0.5 mm"',
        'margin = "4.2 mm"',
        "scale-x = 1.002",
        "scale-y = 0.998",
    ]
    assert all(len(line) <= 100 for line in lines)
    assert sum(line.startswith("#") for line in lines) == 5


def test_saving_replaces_the_profile_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "printers"
    printers.save(OFFICE, folder)
    printers.save(replace(OFFICE, back_x=0), folder)
    assert printers.load("office", folder).back_x == 0
    assert [path.name for path in folder.iterdir()] == ["office.toml"]


def test_a_failed_save_leaves_the_old_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = printers.save(OFFICE, tmp_path)
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(
        KitError, match=r"office\.toml: cannot be written: No space left on device;"
    ):
        printers.save(replace(OFFICE, back_x=0), tmp_path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["office.toml"]


def test_a_folder_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    place = tmp_path / "printers"
    place.write_text("")
    with pytest.raises(KitError, match=r"office\.toml: cannot be written: .+; free space, or"):
        printers.save(OFFICE, place)
    with pytest.raises(KitError, match=r"printers: the folder of printers cannot be read: .+; "):
        printers.names(place)


def test_profiles_are_kept_in_the_users_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path)
    assert printers.names() == ()
    assert printers.save(OFFICE) == tmp_path / "printers" / "office.toml"
    assert printers.names() == ("office",)
    assert printers.load("office").flip == "short-edge"


def test_names_are_those_of_profiles_in_order(tmp_path: Path) -> None:
    for name in ("b", "Room-2", "a_1"):
        printers.save(replace(OFFICE, name=name), tmp_path)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ".office.toml.12.part").write_text("")
    assert printers.names(tmp_path) == ("Room-2", "a_1", "b")


def test_what_a_file_leaves_out_is_as_without_a_profile(tmp_path: Path) -> None:
    written(tmp_path, "\ufeff# nothing yet\r\nscale-x = 1\r\n")
    assert printers.load("office", tmp_path) == replace(NONE, name="office")


def test_without_a_profile_nothing_is_corrected() -> None:
    assert Profile("", "long-edge", 0, 0, formats.UNPRINTABLE_MARGIN, 1, 1) == NONE


def test_an_unknown_printer_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    assert complaint(tmp_path, "staff") == [
        'there is no printer "staff"; measure and save it first'
    ]
    for name in ("room", "office"):
        printers.save(replace(OFFICE, name=name), tmp_path)
    assert complaint(tmp_path, "staff") == [
        'there is no printer "staff"; write one of office, room'
    ]


@pytest.mark.parametrize(
    "name",
    ["", "..", "../office", "a/b", "a\\b", "C:x", ".hidden", "-x", "a.b", "é", "a\n", "x" * 65],
)
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    message = "cannot be the name of a printer; write at most 64 letters a-z, digits, hyphens"
    with pytest.raises(KitError, match=message):
        printers.save(replace(OFFICE, name=name), tmp_path / "inner")
    with pytest.raises(KitError, match=message):
        printers.load(name, tmp_path / "inner")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["con", "PRN", "lpt1"])
def test_a_device_of_windows_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(KitError, match=f"is a device of Windows .*; write {name}-printer"):
        printers.save(replace(OFFICE, name=name), tmp_path)


MISTAKES = {
    'backx = "1 mm"': 'office.toml:1:1: there is no setting "backx"; did you mean "back-x"?',
    '# a\n\n  "margins" = "5 mm"': (
        'office.toml:3:4: there is no setting "margins"; did you mean "margin"?'
    ),
    "[printer]\nscale-x = 1": (
        'office.toml:1:2: there is no setting "printer"; write one of'
        " flip, back-x, back-y, margin, scale-x, scale-y"
    ),
    "back-x = 1.5": (
        'office.toml:1:10: back-x has no unit; write it in quotes, such as back-x = "1.5 mm"'
    ),
    'back-x = "1.5"': (
        'office.toml:1:10: "1.5" is not a number with a unit; write a length from -10 mm to 10 mm'
    ),
    'back-y = "-10.1 mm"': (
        'office.toml:1:10: "-10.1 mm" is out of range; write a length from -10 mm to 10 mm'
    ),
    'margin = "2.9 mm"': (
        'office.toml:1:10: "2.9 mm" is out of range; write a length from 3 mm to 25 mm'
    ),
    'margin = "1 in"': (
        'office.toml:1:10: "1 in" is out of range; write a length from 3 mm to 25 mm'
    ),
    "margin = true": (
        'office.toml:1:10: margin is no text; write it in quotes, such as margin = "5 mm"'
    ),
    'flip = "longedge"': (
        'office.toml:1:8: unknown edge "longedge"; write long-edge or short-edge'
    ),
    "flip = 1": 'office.toml:1:8: flip is no text; write it in quotes, such as flip = "long-edge"',
    "scale-x = 99.5": (
        'office.toml:1:11: "99.5" is out of range;'
        " write 100 divided by the measured mm, from 0.95 to 1.05"
    ),
    "scale-y = nan": (
        'office.toml:1:11: "nan" is out of range;'
        " write 100 divided by the measured mm, from 0.95 to 1.05"
    ),
    'scale-y = "1.01"': (
        "office.toml:1:11: scale-y is not a number; write it without quotes,"
        " such as scale-y = 0.998"
    ),
    "scale-x = true": (
        "office.toml:1:11: scale-x is not a number; write it without quotes,"
        " such as scale-x = 1.002"
    ),
    'flip = "long-edge"\nback-x = 1.5 mm\n': (
        "office.toml:2:14: this is not TOML (expected newline or end of document after a"
        " statement); write each setting on a line of its own, such as"
        ' back-x = "1.5 mm"'
    ),
    'margin = "5 mm"\nmargin = "6 mm"\n': (
        "office.toml:2:16: this setting is there already; delete one of the two"
    ),
    'margin = "5 mm\n': (
        "office.toml:1:15: this is not TOML (illegal character '\\n'); write each setting on a"
        ' line of its own, such as back-x = "1.5 mm"'
    ),
    "margin": (
        "office.toml:1: this is not TOML (expected '=' after a key in a key/value pair); write"
        ' each setting on a line of its own, such as back-x = "1.5 mm"'
    ),
    "margin = " + "9" * 5000: "office.toml: this is not TOML (exceeds the limit",
    "margin = " + "[" * 5000: "office.toml: this is not TOML (",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: repr(text[:30]))
def test_a_mistake_in_a_file_is_named_at_its_place_with_what_to_write(
    tmp_path: Path, text: str
) -> None:
    written(tmp_path, text)
    (said,) = complaint(tmp_path)
    assert said.startswith(MISTAKES[text])
    assert "; " in said


def test_a_file_that_is_not_utf_8_is_named_at_the_byte(tmp_path: Path) -> None:
    written(tmp_path, b"# ok\n# B\xfcro\n")
    (said,) = complaint(tmp_path)
    assert said.startswith('office.toml:2:4: the byte FC (probably "ü") is not UTF-8; save')


def test_all_mistakes_of_a_file_are_told_in_its_order(tmp_path: Path) -> None:
    written(tmp_path, 'scale-x = 2\nsize = 1\nmargin = "2 mm"\nflip = ""\n')
    lines = [said.split(":")[1] for said in complaint(tmp_path)]
    assert lines == ["1", "2", "3", "4"]


def test_numbers_are_understood_as_the_test_sheet_prints_them() -> None:
    assert printers.offset("−1.25mm") == pytest.approx(-1.25 * MM)
    assert printers.offset(" +0.5 mm ") == pytest.approx(0.5 * MM)
    assert printers.offset("-10 mm") == pytest.approx(-10 * MM)
    assert printers.margin("3mm") == pytest.approx(3 * MM)
    assert printers.scale("0.95") == 0.95
    assert (printers.flip("long-edge"), printers.flip("short-edge")) == ("long-edge", "short-edge")
