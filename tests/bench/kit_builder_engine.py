"""Kit Builder as one of the engines that are timed side by side on the same kit.

A kit is a dict of rules, cards, a record and a host key, all of them texts. `prep` writes it as an
author would, and is not timed; `make` takes that YAML text to both PDFs with every check on.
"""
import tempfile
from pathlib import Path

from kit_builder import build
from kit_builder.variants import Options

SHAPES = {"○": "circle", "✕": "cross", "△": "triangle", "□": "square"}


def setup():
    global FOLDER, LIBRARY
    FOLDER = Path(tempfile.mkdtemp())
    (FOLDER / "kit.yaml").write_text("", "utf-8")
    LIBRARY = None


def _markdown(runs):
    return "".join(f"**{x['t']}**" if x["b"] else x["t"] for x in runs)


def _sections(sections, indent):
    out = []
    for s in sections:
        out.append(f"{indent}- heading: {s['heading']}")
        out.append(f"{indent}  text: |")
        for p in s["paras"]:
            out.append(f"{indent}    {_markdown(p)}")
            out.append("")
    return out


def prep(kit):
    out = [f"title: {kit['title']}", "language: ca", "category: Joc", "summary: Un joc.",
           "players: 3", "minutes: 15", "practises: Comptar.", "observe: Compta?", "rules:"]
    out += _sections(kit["sections"], "  ")
    record = kit["record"]
    out += ["  - heading: Full", "    text: |"]
    out.append("      | " + " | ".join(record["columns"]) + " |")
    out.append("      |" + "---|" * len(record["columns"]))
    for row in record["rows"]:
        ticks = " ".join(f"□ {x}" for x in row[3].split())
        out.append("      | " + " | ".join([*row[:3], ticks]) + " |")
    out += ["decks:", "  - name: Cartes", "    face: symbol", "    cards:"]
    for card in kit["cards"]:
        out.append(f"      - {{shape: {SHAPES[card['sym']]}, letter: {card['rank']!r}, label: {card['cap']}}}")
    out += [f"    total: {len(kit['cards'])}", "host:", "  sections:"]
    out += _sections(kit["host"], "    ")
    return "\n".join(out) + "\n"


def make(text):
    path = FOLDER / "kit.yaml"
    path.write_text(text, "utf-8")
    (result,) = build.build([path], Options())
    assert not result.faults, result.faults
    return tuple(output.pdf for output in result.outputs)
