"""The documents say what the program does, the commands exist, and a wheel holds all it needs."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from importlib.metadata import packages_distributions
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from kit_builder import (
    __version__,
    activity,
    build,
    cli,
    definition,
    document,
    faces,
    formats,
    library,
    makeup,
    options,
    patterns,
    printers,
    project,
    puzzles,
    settings,
    shapes,
    story,
    templates,
)
from kit_builder import pieces as cut_pieces
from kit_builder.desk import Desk
from kit_builder.errors import KitError
from kit_builder.files import File
from kit_builder.layout import Layouts
from kit_builder.printing import BACKS, CUTS, ORDERS, PARTS, Orders, Printing
from kit_builder.variants import Options

ROOT = Path(__file__).parent.parent
TRANSLATION = re.compile(r".+\.[a-z]{2,3}\.yaml")
FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROJECT = (".ci", ".github", "activities", "docs", "kit_builder", "templates", "tests")


def text_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def fences(path: str, language: str) -> Iterator[tuple[str, str]]:
    """The examples of a document: the file name behind the language, if any, and what they hold."""
    for found in FENCE.finditer(text_of(path)):
        if found[1] == language:
            yield found[2], found[3]


def fields_of(text: str) -> dict[str, str]:
    """The lines of each field at the left edge."""
    starts = list(re.finditer(r"^([a-z]+):", text, re.MULTILINE))
    ends = [*(each.start() for each in starts[1:]), len(text)]
    return {
        each[1]: text[each.start() : end].rstrip() + "\n"
        for each, end in zip(starts, ends, strict=True)
    }


def examples() -> list[str]:
    """Each example of the authoring guide as a whole file: parts stand in the smallest one."""
    written = [
        each for each in fences("docs/authoring.md", "yaml") if not TRANSLATION.match(each[0])
    ]
    whole = [text for name, text in written if name]
    smallest = fields_of(whole[0])
    return whole + ["".join((smallest | fields_of(text)).values()) for _, text in written[1:]]


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the guide's examples, beside the activities they are related to."""
    folder = tmp_path_factory.mktemp("guide") / "activities"
    folder.mkdir()
    for path in (ROOT / "activities").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    for letter, text in zip(ascii_lowercase, examples(), strict=False):
        (folder / f"example-{letter}.yaml").write_text(text, "utf-8")
    return folder


def test_every_example_of_the_guide_makes_its_kit(guide: Path) -> None:
    paths = sorted(guide.glob("example-*.yaml"))
    results = list(build.build(paths, Options()))
    assert [str(fault) for each in results for fault in each.faults] == []
    assert len(paths) == len(examples())


def test_the_translation_shown_translates_the_smallest_activity(tmp_path: Path) -> None:
    shown = {name: text for name, text in fences("docs/authoring.md", "yaml") if name}
    assert [name for name in shown if TRANSLATION.match(name)] == [list(shown)[1]]
    for name, text in shown.items():
        (tmp_path / name).write_text(text, "utf-8")
    (result,) = build.build(library.find([tmp_path]), Options())
    assert [str(fault) for fault in result.faults] == []
    assert [output.path.name for output in result.outputs] == [
        "odd-or-even.pdf",
        "odd-or-even.host.pdf",
        "odd-or-even.ca.pdf",
        "odd-or-even.ca.host.pdf",
    ]


UNKNOWN_FIELD = re.compile(
    r'the (.+) has no field "zzz(\d+)"; (?:did you mean .*\? )?its fields are (.*)'
)
UNKNOWN_ARGUMENT = re.compile(r'the (fact ".+"): this fact has no "zzz(\d+)"; write only (.*)')


def with_unknown_fields(value: object, seen: list[set[str]]) -> Any:
    """A copy in which every group of fields has one more, numbered `zzz`."""
    if isinstance(value, dict):
        seen.append(set(value))
        own = {f"zzz{len(seen) - 1}": "x"}
        return {key: with_unknown_fields(inner, seen) for key, inner in value.items()} | own
    return [with_unknown_fields(each, seen) for each in value] if isinstance(value, list) else value


def test_the_guide_shows_every_field_the_reader_accepts(guide: Path) -> None:
    catalogue = Desk(guide).catalogue
    accepted: defaultdict[str, set[str]] = defaultdict(set)
    shown: defaultdict[str, set[str]] = defaultdict(set)
    for text in examples():
        seen: list[set[str]] = []
        probe = guide / "probe.yaml"
        typed = yaml.load(text, Loader=yaml.BaseLoader)
        probe.write_text(yaml.safe_dump(with_unknown_fields(typed, seen)), "utf-8")
        with pytest.raises(KitError) as caught:
            definition.read(File("probe.yaml", probe.read_bytes()), catalogue)
        probe.unlink()
        for fault in caught.value.faults:
            message = f"{fault.what}; {fault.instead}"
            if found := UNKNOWN_FIELD.match(message) or UNKNOWN_ARGUMENT.match(message):
                # The short form is one for all faces, and `fact` is what brought us here.
                accepted[found[1]] |= set(found[3].split(", ")) - {"for", "fact"}
                shown[found[1]] |= seen[int(found[2])]
    for thing in accepted:
        missing = accepted[thing] - shown[thing]
        assert not missing, f"docs/authoring.md shows no {missing} of the {thing}"
    assert {f'card with the face "{face}"' for face in Layouts(templates.read()).faces} <= set(
        accepted
    )
    assert {f'fact "{name}"' for name in catalogue.facts} <= set(accepted)


def test_the_guide_names_every_shape_size_pattern_piece_and_language() -> None:
    guide = text_of("docs/authoring.md")
    names = [*shapes.SHAPES, *shapes.FILLS, *definition.PIECES, *patterns.PATTERNS, *CUTS]
    names += [each.name for each in formats.CARD_SIZES.values()]
    names += Desk(ROOT / "activities").catalogue.languages
    assert [name for name in names if f"`{name}`" not in guide] == []
    for size in formats.CARD_SIZES.values():
        assert f"| `{size.name}` | {size.dimensions.removesuffix(' mm')} |" in guide


def commands(within: Any) -> Iterator[Any]:
    """Every command in another one."""
    for each in getattr(within, "commands", {}).values():
        yield each
        yield from commands(each)


def test_the_printing_and_the_building_guide_explain_every_option() -> None:
    guide = text_of("docs/printing.md") + text_of("docs/building.md")
    options = {
        option
        for command in commands(typer.main.get_command(cli.app))
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and option != "--help"
    }
    assert {each for each in options if not re.search(rf"`{each}[ `]", guide)} == set()
    words = [
        *PARTS,
        *puzzles.MODES,
        *printers.FLIPS,
        *(each.name for each in formats.PAPERS.values()),
    ]
    words += [f"--cut {each}" for each in CUTS] + [f"--order {each}" for each in ORDERS]
    assert [each for each in [*words, *BACKS] if f"`{each}`" not in guide] == []


def kit_yaml(folder: Path) -> tuple[Path, str]:
    """The kit.yaml of the building guide, beside all that it names."""
    (folder / "activities").mkdir()
    for path in (ROOT / "activities").iterdir():
        (folder / "activities" / path.name).write_bytes(path.read_bytes())
    ((name, smallest), *_) = fences("docs/authoring.md", "yaml")
    (folder / "more").mkdir()
    (folder / "more" / name).write_text(smallest, "utf-8")
    (folder / "plan.pdf").write_bytes(b"%PDF")
    ((name, text),) = fences("docs/building.md", "yaml")
    (folder / name).write_text(text, "utf-8")
    return folder / name, text


def test_the_kit_yaml_shown_is_that_of_a_project(tmp_path: Path) -> None:
    path, text = kit_yaml(tmp_path)
    read = project.read(path)
    assert (read.out, read.gallery) == (tmp_path / "build", True)
    scope = settings.scope([tmp_path])
    wanted = scope.chosen(options.chosen, {})
    assert wanted == options.chosen(
        ["A4", "Letter"], ["ca", "en"], sets=8, backs="long-edge", school="Hill School"
    )
    volumes = scope.run(wanted, gallery=True).volumes
    assert volumes
    assert [each.name for each in volumes] == ["player/rainy-days.pdf", "host/keys.pdf"]
    assert set(yaml.load(text, Loader=yaml.BaseLoader)) == fields_known(path)["project"]


def fields_known(path: Path) -> dict[str, set[str]]:
    """What the program says about the fields of a kit.yaml."""
    seen: list[set[str]] = []
    typed = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    path.write_text(yaml.safe_dump(with_unknown_fields(typed, seen)), "utf-8")
    with pytest.raises(KitError) as caught:
        project.read(path)
    told = (UNKNOWN_FIELD.match(f"{each.what}; {each.instead}") for each in caught.value.faults)
    return {found[1]: set(found[3].split(", ")) for found in told if found}


def test_the_building_guide_explains_every_field_of_a_kit_yaml(tmp_path: Path) -> None:
    known = fields_known(kit_yaml(tmp_path)[0])
    assert set(known) == {"project", "printing", "booklet"}
    tables = re.findall(
        r"^\| (Field.*?) \|.*\n\|.*\n((?:\|.*\n)+)", text_of("docs/building.md"), re.M
    )
    explained = {
        heading: set(re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (.*?) \|", rows, re.M))))
        for heading, rows in tables
    }
    assert explained["Field of `kit.yaml`"] == known["project"]
    assert explained["Field of `printing`"] == known["printing"]
    assert explained["Field of a booklet"] == known["booklet"]


def test_the_building_guide_explains_the_report_as_json(
    guide: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["build", str(guide / "example-a.yaml"), "--json", "--only", "player"]
    report = json.loads(CliRunner().invoke(cli.app, line).stdout)
    report["faults"] = json.loads(CliRunner().invoke(cli.app, [*line, "--language", "xx"]).stdout)[
        "faults"
    ]
    names = {*report, "booklets"}
    for part in ("outputs", "faults"):
        names |= {name for each in report[part] for name in each}
    names |= set(report["outputs"][0]["sheets"])
    section = (
        text_of("docs/building.md").partition("## For other programs")[2].partition("\n## ")[0]
    )
    assert {name for name in names if f"`{name}`" not in section} == set()


def texts_in_code() -> set[str]:
    """Every text of the program up to its first semicolon, its computed parts as "…"."""
    found = []
    for path in sorted((ROOT / "kit_builder").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                pieces = (
                    each.value if isinstance(each, ast.Constant) else "…" for each in node.values
                )
                found.append("".join(map(str, pieces)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return {text.partition("; ")[0] for text in found}


def fits(text: str, pattern: str) -> bool:
    """Whether a text begins like a pattern, in which "…" stands for any words."""
    return bool(re.match(".+".join(map(re.escape, pattern.split("…"))), text, re.DOTALL))


def messages(path: str) -> list[str]:
    """What the tables of messages in a document explain."""
    rows = re.findall(r"^\| Message \|.*\n\|.*\n((?:\|.*\n)+)", text_of(path), re.MULTILINE)
    return [
        line.split(" | ")[0].removeprefix("| ") for table in rows for line in table.splitlines()
    ]


def test_every_message_about_a_bad_file_is_explained() -> None:
    explained = messages("docs/authoring.md")
    drawn = re.compile(r"^.*?\.yaml(?::\d+)*: (.*)$", re.MULTILINE)
    told = {
        message
        for path in sorted((ROOT / "tests" / "bad").glob("*.txt"))
        for message in drawn.findall(path.read_text("utf-8"))
    }
    assert {each for each in told if not any(fits(each, pattern) for pattern in explained)} == set()


@pytest.mark.parametrize(
    ("path", "least"),
    [
        ("docs/authoring.md", 99),
        ("docs/templates.md", 20),
        ("docs/printing.md", 5),
        ("docs/building.md", 15),
    ],
)
def test_every_explained_message_exists(path: str, least: int) -> None:
    said = {text for text in texts_in_code() if len(re.findall(r"\w", text)) > 6}
    explained = messages(path)
    assert len(explained) >= least
    for message in explained:
        assert any(fits(text, message) or fits(message, text) for text in said), message


def test_the_message_shown_is_the_one_that_is_printed(guide: Path) -> None:
    ((_, shown),) = fences("docs/authoring.md", "text")
    number, _, line = shown.splitlines()[1].partition(" | ")
    ((name, smallest), *_) = fences("docs/authoring.md", "yaml")
    lines = smallest.splitlines()
    lines[int(number) - 1] = line
    path = guide / name
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(KitError) as caught:
        definition.read(File(f"activities/{name}", path.read_bytes()), Desk(guide).catalogue)
    path.unlink()
    assert f"{caught.value}\n" == shown


def described(markup: str) -> set[str]:
    """The attributes that the refusal of an unknown one names."""
    frame = makeup.frame(Printing(), banner=False)
    with pytest.raises(KitError) as caught:
        story.build([document.parse(markup, "layout", [])], frame, Orders(backs=True))
    fault = caught.value.faults[0]
    assert fault.what.endswith('has no attribute "zzz"')
    return set(fault.instead.removeprefix("write one of ").split(", ")) - {"leave it out"}


def frames() -> Iterator[tuple[str, str]]:
    """Every element of the vocabulary, and the markup around its start tag."""
    part = '<document title="x" language="x"><part name="x" title="x">%s</part></document>'
    pieces = part % '<pieces name="x">%s</pieces>'
    deck = part % '<cards><deck name="x" size="poker">%s</deck></cards>'
    card = deck % '<card name="x" alt="x">%s</card>'
    empty = "%s/>"
    yield "document", empty
    yield "part", f'<document title="x" language="x">{empty}</document>'
    yield "cards", part % empty
    yield "deck", part % '<cards>%s><card name="x" alt="x"/></deck></cards>'
    yield "card", deck % empty
    yield "back", deck % f'<card name="x" alt="x"/>{empty}'
    yield "column", part % f'<record rows="1">{empty}</record>'
    yield "boxes", part % f"<box-groups>{empty}</box-groups>"
    yield "step", pieces % f'<strip alt="x">{empty}</strip>'
    yield from ((tag, part % empty) for tag in story.ELEMENTS)
    yield from ((tag, pieces % empty) for tag in cut_pieces.PIECES)
    yield from ((tag, card % empty) for tag in faces.ELEMENTS)


def test_the_templates_guide_describes_every_element_and_attribute() -> None:
    rows = re.findall(r"^\| `<([\w-]+)>` \| (.*?) \|", text_of("docs/templates.md"), re.MULTILINE)
    guide = {tag: {name.rstrip("?") for name in re.findall(r"`(.+?)`", said)} for tag, said in rows}
    real = {tag: described(outer % f'<{tag} zzz="1"') for tag, outer in frames()}
    assert guide == real


def test_the_templates_guide_names_every_value_of_an_activity() -> None:
    guide = text_of("docs/templates.md")
    values = (
        activity.Kit,
        activity.HostKey,
        activity.Section,
        activity.ComputedTable,
        activity.Deck,
        activity.Back,
        activity.PrintedCard,
        activity.Boxes,
        activity.Record,
        activity.Column,
        activity.Cutout,
        activity.Step,
        activity.Range,
        activity.Puzzle,
        activity.PuzzleKey,
        activity.Checker,
        activity.Trial,
    )
    names = {each.name for value in values for each in fields(value)}
    assert {name for name in names if f"`{name}`" not in guide} == set()


def test_the_examples_of_the_templates_guide_make_a_kit(tmp_path: Path) -> None:
    folder = tmp_path / "activities"
    folder.mkdir()
    for language in ("xml", "yaml"):
        for name, text in fences("docs/templates.md", language):
            path = tmp_path / name if "/" in name else folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    results = list(build.build(library.find([folder]), Options()))
    assert [str(fault) for each in results for fault in each.faults] == []
    labels = Desk(folder).labels("en")
    assert labels["print-at"] == "Print at 100 % (actual size)"
    assert labels["rules"] == "Rules"


def spoken(path: str) -> Iterator[tuple[str, str]]:
    """The commands a document shows at a prompt, each with what it shows as their output."""
    for _, session in fences(path, "console"):
        for command in session.split("$ ")[1:]:
            line, _, output = command.partition("\n")
            yield line, output


def test_the_files_named_in_the_printing_guide_are_those_of_their_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    rows = re.findall(r"^\| `kit-builder (.+?)` \| (.*) \|$", text_of("docs/printing.md"), re.M)
    assert len(rows) > 2
    for number, (command, files) in enumerate(rows):
        out = tmp_path / str(number)
        result = CliRunner().invoke(cli.app, [*shlex.split(command), "--out", str(out)])
        assert result.exit_code == 0, result.output
        written = {f"build/{path.relative_to(out).as_posix()}" for path in out.rglob("*.pdf")}
        assert written == set(re.findall(r"`(.+?)`", files))


@pytest.mark.parametrize("path", ["README.md", "docs/authoring.md", "docs/building.md"])
def test_the_commands_shown_say_what_is_shown(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "activities"
    folder.mkdir()
    for each in (ROOT / "activities").iterdir():
        (folder / each.name).write_bytes(each.read_bytes())
    ((name, smallest), *_) = fences("docs/authoring.md", "yaml")
    if path == "README.md":
        smallest = smallest.replace("rank: 1-6", "rank: 1-8")
    commands = list(spoken(path))
    assert commands
    for command, output in commands:
        program, *arguments = command.split()
        assert program == "kit-builder"
        if f"activities/{name}" in arguments:
            (folder / name).write_text(smallest, "utf-8")
        result = CliRunner().invoke(cli.app, arguments)
        assert result.exit_code == (1 if output.endswith("1 fault\n") else 0)
        if output != "...\n":
            assert result.output == output


def test_the_readme_begins_with_the_two_commands() -> None:
    title, _, rest = text_of("README.md").partition("\n\n")
    assert title.startswith("# ")
    lines = rest.splitlines()
    assert lines[0] == "```sh"
    assert [line.split("  ")[0] for line in lines[1:3]] == ["make kits", "make test"]


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    named = [(".ci/run", r"^make (\w+)"), (".github/workflows/ci.yml", r"run: make (\w+)")]
    named += [(str(path.relative_to(ROOT)), r"(?:`|^)make ([a-z]+)") for path in DOCUMENTS]
    for path, pattern in named:
        assert set(re.findall(pattern, text_of(path), re.MULTILINE)) <= targets, path
    assert targets <= set(re.findall(r"^# make (\w+) ", text_of("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", path.read_text("utf-8"))):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        there = path.parent / name if name else path
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text("utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings]
            assert anchor in anchors, target


def test_the_changelog_begins_with_this_version() -> None:
    newest = re.search(r"^## (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_no_file_names_a_place_outside_the_project() -> None:
    foreign = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w|\bTO" + r"DO\b|\bFIX" + r"ME\b")
    files = [path for folder in PROJECT for path in (ROOT / folder).rglob("*") if path.is_file()]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    for path in files:
        with contextlib.suppress(UnicodeDecodeError):
            found = foreign.search(path.read_text("utf-8"))
            assert found is None, f"{path}: {found and found[0]}"


def test_every_library_that_is_imported_is_installed_with_the_program() -> None:
    metadata = tomllib.loads(text_of("pyproject.toml"))["project"]
    # Dask is an extra; whoever asks for it without it is told.
    named = metadata["dependencies"] + metadata["optional-dependencies"]["cluster"]
    declared = {re.split(r"[<>=\[]", each)[0].lower() for each in named}
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for path in (ROOT / "kit_builder").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    libraries = {name.partition(".")[0] for name in imported} - {"kit_builder"}
    distributions = packages_distributions()
    needed = {distributions[library][0].lower() for library in libraries - sys.stdlib_module_names}
    assert needed == declared


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the wheel of this project, unpacked as an installer does."""
    folder = tmp_path_factory.mktemp("wheel")
    made = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    done = subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(site), str(wheel)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return site


def test_a_wheel_holds_templates_fonts_and_licences(installed: Path) -> None:
    (wheel,) = installed.parent.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "fonts"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                assert f"kit_builder/{path.relative_to(ROOT).as_posix()}" in held
    licences = {name.partition(".dist-info/licenses/")[2] for name in held}
    assert {"LICENSE", "fonts/andika/LICENSE.txt", "fonts/dejavu/LICENSE.txt"} <= licences


def test_an_installed_wheel_builds_a_teachers_own_folder(installed: Path, tmp_path: Path) -> None:
    ((name, smallest), *_) = fences("docs/authoring.md", "yaml")
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / name).write_text(smallest, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(installed)}
    where = subprocess.run(
        [sys.executable, "-c", "import kit_builder; print(kit_builder.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout).is_relative_to(installed)
    built = subprocess.run(
        [str(installed / "bin" / "kit-builder"), "build", "club"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert built.stderr == ""
    assert built.returncode == 0
    made = {str(path.relative_to(tmp_path)) for path in (tmp_path / "build").rglob("*.pdf")}
    assert made == {"build/player/odd-or-even.pdf", "build/host/odd-or-even.host.pdf"}
