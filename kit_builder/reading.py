"""Material -> activities: in outline, and as a whole, in any of its languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kit_builder import definition, facts, labels, manuscript, patterns, templates, translation
from kit_builder.activity import Activity
from kit_builder.catalogue import Catalogue
from kit_builder.errors import KitError, Text
from kit_builder.files import File
from kit_builder.layout import Layouts
from kit_builder.manuscript import Items, Node, Pairs
from kit_builder.material import Material, Outline, Sources
from kit_builder.templates import CRITERIA, Templates

# A build has one set of templates, and few languages.
layouts = lru_cache(maxsize=4)(Layouts)
words = lru_cache(maxsize=64)(labels.read)


def read(material: Material) -> Activity:
    """The activity.

    Raises:
        KitError: its definition is faulty, or its translation is.
    """
    translated = None
    if material.translation is not None:
        translated = translation.read(material.translation, material.original, material.language)
    known = catalogue(material.templates, material.slugs)
    return definition.read(material.definition, known, translated, material.order)


def labels_of(material: Material) -> Mapping[str, Text]:
    """The words of the tool in the language of the kit.

    Raises:
        KitError: a label file is faulty, or there is none in this language.
    """
    return words(material.language, material.templates)


def usual_labels(material: Material) -> Mapping[str, Text]:
    """The words of the tool as the program has them; a library's in a language of its own."""
    program = Templates(material.templates.program)
    usual = program.find(templates.words(material.language)) is not None
    return words(material.language, program) if usual else labels_of(material)


def catalogue(templates: Templates, slugs: tuple[str, ...]) -> Catalogue:
    """What the definitions of a library may refer to."""
    return Catalogue(
        faces=layouts(templates).faces,
        languages=labels.languages(templates),
        slugs=slugs,
        patterns=list(patterns.PATTERNS),
        labels=lambda language: words(language, templates),
        criteria=lambda language: words(language, templates, CRITERIA),
        facts=facts.FACTS,
    )


def outline(sources: Sources) -> Outline:
    """The outline of an activity; in a translation that cannot be read it has no title.

    Raises:
        KitError: the layout of the definition cannot be understood.
    """
    fields = _fields(manuscript.read(sources.definition).root)
    language, title = _text(fields.get("language")), _text(fields.get("title"))
    titles = {language: title}
    for code, file in sources.translations:
        titles.setdefault(code, _translated(title, file, language, code))
    related = fields.get("related")
    slugs = related.items if isinstance(related, Items) else ()
    return Outline(language, titles, tuple(map(_text, slugs)), "puzzle" in fields)


def _translated(title: str, file: File, original: str, language: str) -> str:
    try:
        texts = _fields(manuscript.read(file).root).get("texts")
    except KitError:  # whoever reads the activity in this language is told
        return ""
    for pair in texts.items if isinstance(texts, Items) else ():
        found = _fields(pair)
        if found.get(original) == title:
            return _text(found.get(language))
    return ""


def _fields(node: Node | None) -> dict[str, Node]:
    return {str(name): value for name, value in node.pairs} if isinstance(node, Pairs) else {}


def _text(node: Node | None) -> str:
    return str(node) if isinstance(node, Text) else ""
