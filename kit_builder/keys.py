"""What a PDF was made of, as one key: two jobs of one key make the same bytes."""

from __future__ import annotations

import platform
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from kit_builder import __version__, files, resources
from kit_builder.job import Job
from kit_builder.variants import Variant

# What has a say in the bytes, besides the program itself.
_LIBRARIES = ("jinja2", "markdown_it_py", "pypdfium2", "pyyaml", "reportlab")


@cache
def program() -> str:
    """What tells this program from any other: its version, code, fonts and libraries."""
    package = Path(__file__).parent
    fonts = resources.folder("fonts")
    named = [__version__, platform.python_version(), zlib.ZLIB_RUNTIME_VERSION, *_libraries()]
    for path in (*sorted(package.glob("*.py")), *sorted(fonts.rglob("*.ttf"))):
        named.append(f"{path.name} {files.digest(path.read_bytes())}")
    return files.digest("\n".join(named).encode())


def _libraries() -> Iterator[str]:
    """Such as "reportlab-5.1.0.dist-info"; `importlib.metadata` takes 90 ms to tell the same."""
    for folder in filter(None, sys.path):
        for path in sorted(Path(folder).glob("*.dist-info")):
            if path.name.lower().startswith(_LIBRARIES):
                yield path.name


class Keys:
    """The keys of the jobs of one build, and what was worked out for them once."""

    def __init__(self) -> None:
        self._variants: dict[int, tuple[Variant, str]] = {}
        self._templates: dict[str, str] = {}

    def key(self, job: Job, used: Iterable[str]) -> str:
        """The key of a job that depends on the templates called `used`.

        It says nothing of how the library looks otherwise: neither which activities there are, nor
        which templates.
        """
        material = job.material
        translation = material.translation
        parts = [
            program(),
            material.definition.digest,
            translation.digest if translation else "",
            material.original,
            material.language,
            repr(material.order),
            repr(material.titles),
            self._variant(job.variant),
            "with pictures" if job.pictures else "",
        ]
        for name in used:
            if name not in self._templates:
                digests = (file.digest for file in material.templates.all(name))
                self._templates[name] = " ".join((name, *digests))
            parts.append(self._templates[name])
        return files.digest("\n".join(parts).encode())

    def _variant(self, variant: Variant) -> str:
        """In words; asked for many times of the few variants of a build."""
        known = self._variants.setdefault(id(variant), (variant, ""))
        if not known[1]:
            self._variants[id(variant)] = known = (variant, repr(variant))
        return known[1]
