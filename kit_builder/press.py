"""One kit through every stage, in order: material -> what stands on each side -> checked PDF."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kit_builder import (
    activity,
    calibration,
    finished,
    leaks,
    makeup,
    preflight,
    reading,
    story,
    templates,
    typeset,
)
from kit_builder.activity import Activity
from kit_builder.errors import Fault, KitError, Text
from kit_builder.finished import Finished
from kit_builder.formats import Format
from kit_builder.material import Material
from kit_builder.printers import Profile
from kit_builder.printing import HOST, Printing
from kit_builder.variants import Variant


@dataclass(frozen=True, slots=True)
class Prepared:
    """An activity that was read, and all that its layouts need."""

    material: Material
    activity: Activity

    @property
    def labels(self) -> Mapping[str, Text]:
        """The words of the tool in its language."""
        return reading.labels_of(self.material)


def prepare(material: Material) -> Prepared:
    """Reads an activity.

    Raises:
        KitError: its definition, its translation or the labels are faulty.
    """
    return Prepared(material, reading.read(material))


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A variant of a kit, made up: what will stand on each side; nothing where it has nothing."""

    kit: Prepared
    variant: Variant
    told: story.Story
    sides: tuple[makeup.Side, ...]

    @property
    def file_name(self) -> str:
        """Of its PDF."""
        return self.variant.file_name(self.kit.activity.kit.slug, self.kit.material.mark)


def make_up(kit: Prepared, variant: Variant) -> MadeUp:
    """What stands on the sides of a variant.

    Raises:
        KitError: a layout is faulty, or something does not fit.
    """
    documents = [
        reading.layouts(kit.material.templates).render(
            kit.activity, variant.edition, kit.labels, dict(kit.material.titles), class_set
        )
        for class_set in variant.printing.sets or (None,)
    ]
    frame = makeup.frame(variant.printing, banner=variant.edition == HOST)
    told = story.build(documents, frame, variant.orders)
    return MadeUp(kit, variant, told, tuple(makeup.make_up(told, variant.printing)))


def press(made: MadeUp, numbering: typeset.Numbering | None = None) -> tuple[bytes, Finished]:
    """The PDF of what was made up, and the same taken apart.

    Raises:
        KitError: something does not fit, or a player file shows a secret.
    """
    kit, variant = made.kit, made.variant
    pdf = typeset.typeset(made.told, made.sides, variant.printing, kit.labels, numbering)
    file = _inspect(pdf, made.told, variant.printing)
    if variant.edition != HOST:
        read = kit.activity
        public = (*activity.texts(read.kit), *reading.usual_labels(kit.material).values())
        secret = leaks.host_only(public, hidden(read), read.host.secrets)
        texts = without_numbers(file.texts, kit.labels)
        refuse(
            leaks.find(secret, {"file name": [made.file_name], **texts}),
            "file",
            "take it out of the player layout or the players' texts",
        )
    return pdf, file


def _inspect(pdf: bytes, told: story.Story, printing: Printing) -> Finished:
    """Preflight of a finished PDF.

    Raises:
        preflight.Failed: the file breaks a promise, which is a fault of the program.
    """
    file = finished.read(pdf)
    size = printing.paper.width, printing.paper.height
    titles = dict.fromkeys(part.class_set or part.title for part in told.parts)
    expected = preflight.Expectation([size], told.language, told.title, list(titles))
    preflight.check(file, expected)
    return file


def hidden(read: Activity) -> tuple[Text, ...]:
    """The texts of an activity that its host alone reads."""
    return tuple(activity.texts((*read.host.sections, *read.host.records)))


def without_numbers(
    texts: Mapping[str, Sequence[str]], labels: Mapping[str, Text]
) -> dict[str, list[str]]:
    """Texts by place without "Page 3 of 245": that 245 is also a code gives nothing away."""
    phrase = re.escape(labels["page"])
    for name in ("page", "pages"):
        phrase = phrase.replace(re.escape(f"{{{name}}}"), r"\d+")
    numbered = re.compile(phrase)
    return {place: [numbered.sub("", each) for each in held] for place, held in texts.items()}


def refuse(leaked: Sequence[leaks.Leak], what: str, instead: str) -> None:
    """Refuses a player file or booklet that shows the host's texts.

    Raises:
        KitError: it does.
    """
    if leaked:
        raise KitError(
            *(
                Fault(
                    leak.text.location,
                    f'the player {what} shows "{leak.text}" of the host\'s ({leak.place})',
                    instead,
                )
                for leak in leaked
            )
        )


def calibration_sheet(paper: Format, language: str, profile: Profile) -> bytes:
    """The test sheet of a printer.

    Raises:
        KitError: there are no labels in the language, or the paper is too small.
    """
    labels = reading.words(language, templates.read())
    pdf = calibration.sheet(paper, labels, profile, language=language)
    parts = [labels["calibrate-front"], labels["calibrate-back"]]
    expected = preflight.Expectation(
        [(paper.width, paper.height)], language, labels["calibrate-title"], parts
    )
    preflight.check(finished.read(pdf), expected)
    return pdf
