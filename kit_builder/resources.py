"""The files that travel with the program: templates and fonts.

In a wheel they lie inside the package; in a source tree they lie beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder `name` ("templates" or "fonts") that belongs to this copy of the program."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
