"""Pages for eyes: `python -m tests.proofs build proofs` makes a PNG of every page of every PDF."""

from __future__ import annotations

import sys
from pathlib import Path

import pypdfium2

DOTS_PER_INCH = 80


def render(pdf: Path, folder: Path) -> int:
    """Writes each page of a PDF to `folder`, numbered from 1; returns how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    with pypdfium2.PdfDocument(pdf) as document:
        for number, page in enumerate(document, 1):
            picture = page.render(scale=DOTS_PER_INCH / 72, grayscale=True).to_pil()
            picture.save(folder / f"{pdf.stem}-{number:02}.png")
        return len(document)


def main(source: str, target: str) -> None:
    """Renders every PDF below the folder `source` into the folder `target`."""
    pages = sum(render(pdf, Path(target)) for pdf in sorted(Path(source).rglob("*.pdf")))
    print(f"{pages} pages in {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
