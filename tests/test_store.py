"""What the output folder says of itself is true, whoever was killed, edited or lied before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit_builder import store
from kit_builder.errors import KitError
from kit_builder.files import File
from kit_builder.material import Outline, Sources
from kit_builder.store import Record, Store

OUT = Path("out")
MANIFEST = OUT / ".kit-builder" / "manifest.jsonl"
LOCK = OUT / ".kit-builder" / "lock"
ACTIVITIES = Path("activities")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of activities, beside which we are."""
    monkeypatch.chdir(tmp_path)
    ACTIVITIES.mkdir()
    return tmp_path


def alone() -> None:
    raise AssertionError("another build is in the folder")


def record(slug: str, key: str = "key", folder: str = "activities") -> Record:
    """Of the player's PDF of an activity, as a build hands it over."""
    return Record(f"player/{slug}.pdf", (f"{folder}/{slug}.yaml",), key, ("a.j2",), {"pages": 1})


def write(*slugs: str, key: str = "key", raw: bytes = b"%PDF") -> None:
    """A build that makes a PDF of each activity."""
    with store.opened(OUT, alone) as opened:
        for slug in slugs:
            (ACTIVITIES / f"{slug}.yaml").touch()
            made = record(slug, key)
            opened.put([(made, {made.name: raw})])


def called(opened: Store, slug: str, source: str) -> Record:
    """The record of an activity that is up to date, and whose file is called so."""
    found = opened.record(f"player/{slug}.pdf")
    assert found is not None
    return replace(found, sources=(source,))


def known() -> dict[str, str]:
    """The key of each PDF that the manifest knows and that is as it was written."""
    opened = Store(OUT)
    return {each.name: each.key for each in opened.records() if opened.is_intact(each)}


def swept() -> tuple[list[str], list[str]]:
    with store.opened(OUT, alone) as opened:
        return opened.sweep([ACTIVITIES])


def line(entries: object) -> str:
    """A line of a manifest that looks genuine."""
    text = json.dumps(entries)
    return f'["{blake2b(text.encode(), digest_size=16).hexdigest()}",{text}]\n'


def lie(name: str, raw: bytes, source: str = "../activities/gone.yaml") -> None:
    """A manifest which says that a file was made by us, of an activity that is gone."""
    stamp = [blake2b(raw, digest_size=16).hexdigest(), len(raw), 0]
    entries = {"record": name, "sources": [source], "key": "key", "used": [], "facts": {}}
    MANIFEST.parent.mkdir(parents=True, exist_ok=True)
    MANIFEST.write_text('{"format":1}\n' + line(entries | {"files": {name: stamp}}))


# --- What is remembered --------------------------------------------------------------------------

NAMES = st.text(
    st.characters(exclude_characters="/\0\\", exclude_categories=["Cc", "Cs"]), min_size=1
)
FACTS = st.dictionaries(st.text(), st.integers() | st.text())
OUTLINES = st.builds(
    Outline,
    st.text(),
    st.dictionaries(st.text(), st.text()),
    st.lists(st.text()).map(tuple),
    st.booleans(),
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(st.dictionaries(NAMES, st.tuples(st.text(), FACTS, OUTLINES), max_size=3))
def test_whatever_a_build_noted_the_next_one_knows(
    tmp_path: Path, noted: dict[str, tuple[str, dict[str, int | str], Outline]]
) -> None:
    MANIFEST.unlink(missing_ok=True)
    sources = {}
    for number, name in enumerate(noted):
        path = ACTIVITIES / f"{number}.yaml"
        path.touch()
        sources[name] = Sources(File(str(path), name.encode()))
    with store.opened(OUT, alone) as opened:
        for name, (key, facts, outline) in noted.items():
            opened.note(sources[name], outline)
            opened.put([(Record(name, (f"{name}.yaml",), key, (), facts), {})])
    again = Store(OUT)
    for name, (key, facts, outline) in noted.items():
        remembered = again.record(name)
        assert remembered is not None
        assert (remembered.key, remembered.facts) == (key, facts)
        assert again.outline(sources[name]) == outline
        changed = Sources(File(sources[name].definition.shown, b"changed"))
        assert again.outline(changed) is None


def test_the_outline_of_an_activity_is_forgotten_with_it() -> None:
    sources = Sources(File("activities/a.yaml", b""))
    (ACTIVITIES / "a.yaml").touch()
    outline = Outline("en", {"en": "A"}, (), False)
    with store.opened(OUT, alone) as opened:
        opened.note(sources, outline)
    assert Store(OUT).outline(sources) == outline
    (ACTIVITIES / "a.yaml").unlink()
    write("b")
    assert Store(OUT).outline(sources) is None


def test_a_name_that_is_not_unicode_is_remembered() -> None:
    slug = os.fsdecode(b"caf\xe9")
    write(slug)
    assert known() == {f"player/{slug}.pdf": "key"}


def test_what_changes_nothing_writes_nothing() -> None:
    write("a", "b")
    before = MANIFEST.stat()
    with store.opened(OUT, alone) as opened:
        opened.keep([called(opened, slug, f"activities/{slug}.yaml") for slug in "ab"])
        opened.put([])
        assert opened.sweep([ACTIVITIES]) == ([], [])
    after = MANIFEST.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_manifest_has_one_line_for_each_pdf_however_often_it_was_made() -> None:
    for number in range(3):
        write("a", "b", key=f"{number}")
    assert len(MANIFEST.read_text().splitlines()) == 1 + 2
    assert known() == {"player/a.pdf": "2", "player/b.pdf": "2"}


def test_folder_and_activities_may_be_moved_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a")
    (tmp_path / "moved").mkdir()
    for name in ("out", "activities"):
        Path(name).rename(tmp_path / "moved" / name)
    monkeypatch.chdir(tmp_path / "moved")
    assert known() == {"player/a.pdf": "key"}
    (ACTIVITIES / "a.yaml").unlink()
    assert swept() == (["player/a.pdf"], [])


@pytest.mark.parametrize(
    ("change", "intact"),
    [
        (lambda path: os.utime(path, (1, 1)), True),
        (lambda path: path.write_bytes(path.read_bytes()), True),
        (lambda path: path.write_bytes(b"%PDX"), False),
        (lambda path: path.write_bytes(b"%P"), False),
        (lambda path: path.write_bytes(b""), False),
        (lambda path: path.unlink(), False),
        (lambda path: (path.rename("kept"), path.symlink_to(Path("kept").absolute())), False),
        (lambda path: (path.unlink(), path.mkdir()), False),
    ],
    ids=["touched", "copied", "edited", "truncated", "emptied", "removed", "linked", "folder"],
)
def test_a_pdf_counts_only_if_it_has_the_bytes_that_were_written(
    change: object, intact: bool
) -> None:
    write("a")
    assert callable(change)
    change(OUT / "player" / "a.pdf")
    assert known() == ({"player/a.pdf": "key"} if intact else {})


# --- What is removed -----------------------------------------------------------------------------


def test_what_is_gone_is_removed_only_where_all_activities_of_its_folder_were_looked_at() -> None:
    write("a", "b")
    (ACTIVITIES / "a.yaml").unlink()
    with store.opened(OUT, alone) as opened:
        assert opened.sweep([]) == ([], [])
        assert opened.sweep([Path("elsewhere"), OUT]) == ([], [])
        assert opened.sweep([ACTIVITIES]) == (["player/a.pdf"], [])
    assert known() == {"player/b.pdf": "key"}
    assert not (OUT / "player" / "a.pdf").exists()


def test_what_somebody_changed_is_kept_and_told() -> None:
    write("a")
    (ACTIVITIES / "a.yaml").unlink()
    path = OUT / "player" / "a.pdf"
    path.write_bytes(b"%PDF with notes of mine")
    assert swept() == ([], ["player/a.pdf"])
    assert path.read_bytes() == b"%PDF with notes of mine"
    assert swept() == ([], [])


def test_a_pdf_whose_source_is_called_otherwise_now_is_not_removed() -> None:
    write("a")
    (ACTIVITIES / "a.yaml").rename("a.yml")
    with store.opened(OUT, alone) as opened:
        opened.keep([called(opened, "a", "a.yml")])
    assert swept() == ([], [])


def test_what_a_pdf_no_longer_needs_goes_with_the_next_one_unless_it_was_changed() -> None:
    made = record("a")
    extra = {"player/pictures/1.png": b"1", "player/pictures/2.png": b"2"}
    with store.opened(OUT, alone) as opened:
        opened.put([(made, {made.name: b"%PDF"} | extra)])
        (OUT / "player/pictures/2.png").write_bytes(b"mine")
        opened.put([(made, {made.name: b"%PDF"})])
    left = [path.name for path in sorted((OUT / "player/pictures").iterdir())]
    assert left == ["2.png"]


def test_out_of_date_are_only_pdfs_that_exist() -> None:
    write("a", "b")
    (OUT / "player" / "b.pdf").unlink()
    opened = Store(OUT)
    assert [each.name for each in opened.of("activities/a.yaml")] == ["player/a.pdf"]
    assert opened.of("activities/b.yaml") == []
    assert opened.of("activities/c.yaml") == []


def test_10000_pdfs_are_remembered_looked_up_and_swept() -> None:
    slugs = [f"kit-{number}" for number in range(10_000)]
    with store.opened(OUT, alone) as opened:
        opened.put([(record(slug, key=slug), {}) for slug in slugs])
    with store.opened(OUT, alone) as opened:
        for slug in slugs:
            found = opened.record(f"player/{slug}.pdf")
            assert found is not None and found.key == slug
            assert opened.of(f"activities/{slug}.yaml") == []  # it was never there
        assert opened.sweep([ACTIVITIES]) == ([], [])
        assert opened.records() == []
    assert len(MANIFEST.read_text().splitlines()) == 1


# --- Damage --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, set[str]]]:
    """A manifest that has grown, and the keys that each PDF ever had."""
    folder = tmp_path_factory.mktemp("history")
    keys: dict[str, set[str]] = {}
    with store.opened(folder, alone) as opened:
        for key in ("old", "new"):
            for slug in ("a", "b", "ñ"):
                opened.put([(record(slug, key), {})])
                keys.setdefault(f"player/{slug}.pdf", set()).add(key)
        raw = (folder / ".kit-builder" / "manifest.jsonl").read_bytes()
    assert raw.count(b"\n") == 1 + 6
    return raw, keys


def after(raw: bytes) -> dict[str, str]:
    """What is known where this is the manifest, and that the next build is not harmed by it."""
    MANIFEST.parent.mkdir(parents=True, exist_ok=True)
    MANIFEST.write_bytes(raw)
    found = {each.name: each.key for each in Store(OUT).records()}
    opening = store.opened(OUT, alone)
    with opening as opened:
        opened.put([(record("next"), {})])
        # As another build would find it if this one were killed now.
        assert {each.name: each.key for each in Store(OUT).records()} == found | {
            "player/next.pdf": "key"
        }
    return found


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(st.data())
def test_a_manifest_cut_anywhere_is_true_as_far_as_it_goes(
    history: tuple[bytes, dict[str, set[str]]], data: st.DataObject
) -> None:
    raw, keys = history
    cut = data.draw(st.integers(0, len(raw)))
    found = after(raw[:cut])
    assert len(found) == min(max(raw[:cut].count(b"\n") - 1, 0), 3)
    assert all(key in keys[name] for name, key in found.items())


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(st.data())
def test_a_manifest_damaged_anywhere_says_nothing_that_was_not_once_true(
    history: tuple[bytes, dict[str, set[str]]], data: st.DataObject
) -> None:
    raw, keys = history
    begin = data.draw(st.integers(0, len(raw) - 1))
    end = begin + data.draw(st.integers(0, 60))
    found = after(raw[:begin] + data.draw(st.binary(max_size=60)) + raw[end:])
    assert all(key in keys[name] for name, key in found.items())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"\0" * 100,
        b"[]\n",
        b'{"format":2}\n',
        b'{"format":1} ',
        b"\xff\xfe\n",
        b"[" * 9999,
    ],
    ids=str,
)
def test_a_manifest_of_another_format_is_replaced(raw: bytes) -> None:
    assert after(raw + b"\n" + line({"record": "x"}).encode()) == {}
    assert len(MANIFEST.read_text().splitlines()) == 2


def test_what_was_killed_while_it_wrote_is_cleared_away_and_nothing_else() -> None:
    litter = [OUT / each / ".a.pdf.4711.part" for each in ("player", "host", ".kit-builder")]
    litter.append(OUT / "player" / "pictures" / ".a.page.png.4711.part")
    others = [
        OUT / "player" / each for each in (".part", "a.pdf.part", ".a.pdf.part", ".a.1.part.x")
    ]
    others.append(OUT / "mine" / ".a.pdf.4711.part")
    for path in (*litter, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (OUT / "host" / ".b.pdf.4711.part").mkdir()
    write("a")
    assert not any(path.exists() for path in litter)
    assert all(path.exists() for path in others)


# --- Lies ----------------------------------------------------------------------------------------

PRECIOUS = b"my thesis"
OUTSIDE = ["../precious", "player/../../precious", "/{here}/precious", "../out/../precious"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_manifest_that_lies_removes_nothing_outside_of_the_folder(
    project: Path, name: str
) -> None:
    Path("precious").write_bytes(PRECIOUS)
    name = name.replace("/{here}", str(project))
    OUT.mkdir()
    lie(name, PRECIOUS)
    assert swept() == ([], [])
    with store.opened(OUT, alone) as opened:
        opened.drop(name)
        opened.put([(Record(name, (), "", (), {}), {})])
    assert Path("precious").read_bytes() == PRECIOUS


@pytest.mark.parametrize("name", ["..\\..\\precious", "C:\\precious", "C:precious", "\\precious"])
def test_a_name_that_leads_outside_on_windows_is_refused_everywhere(name: str) -> None:
    lie(name, PRECIOUS)
    assert Store(OUT).records() == []


def test_a_manifest_cannot_claim_what_has_other_bytes() -> None:
    (OUT / "player").mkdir(parents=True)
    (OUT / "player" / "mine.pdf").write_bytes(PRECIOUS)
    lie("player/mine.pdf", b"%PDF")
    assert swept() == ([], ["player/mine.pdf"])
    assert (OUT / "player" / "mine.pdf").read_bytes() == PRECIOUS


@pytest.mark.parametrize("path", [MANIFEST, LOCK, OUT / "player" / "a.pdf"], ids=str)
def test_nothing_is_written_through_a_link(path: Path) -> None:
    Path("precious").write_bytes(PRECIOUS)
    path.parent.mkdir(parents=True)
    path.symlink_to(Path("precious").absolute())
    try:
        write("a", "b")
    except KitError as error:
        assert path == LOCK
        assert str(error).startswith("out: cannot be written (")
    assert Path("precious").read_bytes() == PRECIOUS


def test_the_manifest_of_another_folder_is_not_added_to() -> None:
    write("a")
    OUT.rename("other")
    before = Path("other/.kit-builder/manifest.jsonl").read_bytes()
    MANIFEST.parent.mkdir(parents=True)
    MANIFEST.symlink_to(Path("other/.kit-builder/manifest.jsonl").absolute())
    write("b")
    assert Path("other/.kit-builder/manifest.jsonl").read_bytes() == before
    assert known() == {"player/b.pdf": "key"}


def test_a_folder_of_pdfs_may_be_a_link() -> None:
    Path("elsewhere").mkdir()
    OUT.mkdir()
    (OUT / "player").symlink_to(Path("elsewhere").absolute())
    write("a")
    assert Path("elsewhere/a.pdf").read_bytes() == b"%PDF"
    assert known() == {"player/a.pdf": "key"}


# --- What is in the way --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "folder", "told"),
    [
        (OUT, False, "out: cannot be written ("),
        (OUT / ".kit-builder", False, "out: cannot be written ("),
        (LOCK, True, "out: cannot be written ("),
        (MANIFEST, True, "out/.kit-builder/manifest.jsonl: cannot be written (is a directory); "),
        (OUT / "player", False, "out/player/a.pdf: cannot be written ("),
        (OUT / "player" / "a.pdf", True, "out/player/a.pdf: cannot be written (is a directory); "),
    ],
    ids=str,
)
def test_what_stands_in_the_way_is_told_in_one_line(path: Path, folder: bool, told: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if folder:
        path.mkdir()
    else:
        path.write_bytes(PRECIOUS)
    with pytest.raises(KitError) as caught:
        write("a")
    (fault,) = caught.value.faults
    assert str(fault).startswith(told)
    assert path.is_dir() if folder else path.read_bytes() == PRECIOUS
    assert not list(Path().rglob("*.part"))


def test_a_folder_that_somebody_removes_meanwhile_is_made_again() -> None:
    with store.opened(OUT, alone) as opened:
        opened.put([(record("a"), {"player/a.pdf": b"%PDF"})])
        for path in (OUT / "player" / "a.pdf", MANIFEST, LOCK):
            path.unlink()
        for path in (OUT / "player", OUT / ".kit-builder", OUT):
            path.rmdir()
        opened.put([(record("b"), {"player/b.pdf": b"%PDF"})])
        assert known() == {"player/b.pdf": "key"}
    assert known() == {"player/b.pdf": "key"}


def refused(*_: object, **__: object) -> Iterator[None]:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("call", ["mkdir", "unlink", "stat"])
def test_a_folder_that_may_not_be_written_is_one_fault(
    monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write("a")
    (ACTIVITIES / "a.yaml").unlink()
    with store.opened(OUT, alone) as opened, monkeypatch.context() as patched:
        patched.setattr(Path, call, refused)
        with pytest.raises(KitError) as caught:
            if call == "unlink":
                opened.sweep([ACTIVITIES])
            else:
                opened.put([(record("b"), {"player/b.pdf": b"%PDF"})])
    assert "cannot be written (permission denied); " in str(caught.value)
