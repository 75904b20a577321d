"""An activity through the layouts: Jinja templates that write markup.

The only module that knows Jinja. A template is looked up in the `templates/` folder beside the
user's activities first, then in the one that travels with the program, so any layout, macro or
card face can be replaced, and a new card face is one new file.

A player layout is handed the `Kit` and nothing else: a host field is not blank there, it does not
exist, and to name it is an error.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import jinja2
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from kit_builder import document, prose, resources
from kit_builder.activity import Activity, Deck, Kit, PrintedCard
from kit_builder.document import Element
from kit_builder.errors import KitError, Location, Source, Text, fault
from kit_builder.printing import ClassSet
from kit_builder.units import MM

PLAYER = "player"
HOST = "host"
EDITIONS = (PLAYER, HOST)

_SUFFIX = ".xml.j2"
_FACES = "cards/"
_FACE_FIELDS = re.compile(r"\{#-?\s*fields:([^#]*?)-?#\}")
# What every face is handed besides its fields.
_FACE_NAMES = ("copy", "copies", "owner", "language", "class_set", "puzzle", "width", "height", "t")
# Not a tag whose name a template is still writing, such as <h{{ level }}>.
_START_TAG = re.compile(r"<([A-Za-z][\w-]*)(?=[\s/>])")
_BLANK = re.compile(r"\{(\w+)\}")

# The author's texts of the document being rendered, in the order the templates named them.
_origins: ContextVar[list[Text]] = ContextVar("origins")


class _Places(Extension):
    """Writes into every element of a template the line it stands in."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type == "data":
                path = _shown(stream.filename or stream.name or "")
                yield Token(token.lineno, "data", self._placed(token.value, token.lineno, path))
            else:
                yield token

    def _placed(self, markup: str, line: int, path: str) -> str:
        def place(tag: re.Match[str]) -> str:
            number = line + markup.count("\n", 0, tag.start())
            return f'<{tag[1]} {document.PLACE_ATTRIBUTE}="{escape(path)}:{number}"'

        return _START_TAG.sub(place, markup)


class _Folders(jinja2.FileSystemLoader):
    """Reads templates, as UTF-8 with or without a byte order mark."""

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        try:
            return super().get_source(environment, template)
        except UnicodeDecodeError as error:
            paths = (Path(folder, template) for folder in self.searchpath)
            path = next(path for path in paths if path.is_file())
            raise fault(
                _place(str(path), error.object.count(b"\n", 0, error.start) + 1),
                f"the byte {error.object[error.start]:02X} is not UTF-8",
                "save the file again with the encoding UTF-8",
            ) from None


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja without a way out: not even from a place in the author's file to the file's text."""

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        return attr != "source" and super().is_safe_attribute(obj, attr, value)


def _shown(filename: str) -> str:
    """A template's path as people write it: from the folder they are in, where it is inside."""
    path = Path(filename)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else filename


def _place(filename: str, line: int) -> Location:
    path = Path(filename)
    text = path.read_text("utf-8-sig", "replace") if path.is_file() else ""
    return Location(Source(_shown(filename), tuple(text.split("\n"))), line)


def _mark(text: Text) -> str:
    origins = _origins.get()
    origins.append(text)
    return document.mark(str(escape(str(text))), len(origins) - 1)


def _finalize(value: object) -> object:
    if value is None:
        raise jinja2.TemplateRuntimeError("a value is printed that this activity does not have")
    return Markup(_mark(value)) if isinstance(value, Text) and value else value


def _markdown(text: object) -> Markup:
    if not isinstance(text, Text):
        str(text)  # raises what is wrong with a name that does not exist
        raise jinja2.TemplateRuntimeError("markdown takes a text of the activity as it is")
    return prose.markup(text, _mark)


class Layouts:
    """The templates of one library.

    Args:
        own: the user's template folder; it need not exist.
    """

    def __init__(self, own: Path | None = None) -> None:
        folders = [own] if own is not None and own.is_dir() else []
        self._loader = _Folders([*folders, resources.folder("templates")], encoding="utf-8-sig")
        self._environment = _Sandbox(
            loader=self._loader,
            extensions=[_Places],
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            finalize=_finalize,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["markdown"] = _markdown

    def faces(self) -> Mapping[str, Mapping[str, bool]]:
        """Every card face: its name -> its fields -> whether a card must give it.

        A face says its fields in a comment on top: `{# fields: suit, rank, show-copy? #}`. In the
        template a hyphen in a name is an underscore.

        Raises:
            KitError: a face does not say its fields, or not so that they can be named.
        """
        found: dict[str, Mapping[str, bool]] = {}
        for name in self._environment.list_templates():
            if name.startswith(_FACES) and name.endswith(_SUFFIX):
                found[name.removeprefix(_FACES).removesuffix(_SUFFIX)] = self._face_fields(name)
        return found

    def _face_fields(self, name: str) -> Mapping[str, bool]:
        source, filename, _ = self._loader.get_source(self._environment, name)
        said = _FACE_FIELDS.match(source)
        if said is None:
            raise fault(
                _place(filename, 1),
                "the card face does not say which fields it prints",
                "start the file with a line such as {# fields: label, note? #}",
            )
        written = [field.strip() for field in said[1].split(",") if field.strip()]
        fields = {field.removesuffix("?"): not field.endswith("?") for field in written}
        for field in fields:
            if field in _FACE_NAMES or not field.replace("-", "_").isidentifier():
                raise fault(
                    _place(filename, 1),
                    f'a card face cannot have a field "{field}"',
                    f"choose another word than {', '.join(_FACE_NAMES)}, without spaces",
                )
        return fields

    def render(
        self,
        activity: Activity,
        edition: str,
        labels: Mapping[str, Text],
        titles: Mapping[str, str],
        class_set: ClassSet | None = None,
    ) -> Element:
        """The document of one edition of an activity.

        Args:
            activity: what to print.
            edition: PLAYER or HOST.
            labels: the words of the tool in the activity's language.
            titles: of the activities it may link to, by slug.
            class_set: which of several sets of the kit it is.

        Raises:
            KitError: a template is wrong, or names something that does not exist for it.
        """
        kit = activity.kit
        origins: list[Text] = []
        token = _origins.set(origins)
        try:
            names: dict[str, Any] = {
                "kit": kit,
                "t": _Labels(labels),
                "face": self._face(kit, labels, class_set),
                "class_set": class_set,
                "titles": titles,
            }
            if edition == HOST:
                names["host"] = activity.host
            markup = self._run(edition + _SUFFIX, names)
            filename = self._environment.get_template(edition + _SUFFIX).filename
            return document.parse(markup, _shown(filename or edition), origins)
        finally:
            _origins.reset(token)

    def _face(
        self, kit: Kit, labels: Mapping[str, Text], class_set: ClassSet | None
    ) -> Callable[[Deck, PrintedCard, str], Markup]:
        faces = self.faces()

        def face(deck: Deck, card: PrintedCard, name: str) -> Markup:
            """One side of a card: the markup of the face called `name`."""
            if name not in faces:
                raise jinja2.UndefinedError(f'there is no card face "{name}"')
            given = dict.fromkeys(faces[name], Text("", deck.location)) | dict(card.fields)
            names: dict[str, Any] = {name.replace("-", "_"): text for name, text in given.items()}
            names |= {"copy": card.copy, "copies": card.copies, "owner": card.owner}
            names |= {"t": _Labels(labels), "language": kit.language, "class_set": class_set}
            names |= {
                "puzzle": kit.puzzle,
                "width": deck.size.width / MM,
                "height": deck.size.height / MM,
            }
            template = f"{_FACES}{name}{_SUFFIX}"
            made = self._run(template, names)
            path = self._environment.get_template(template).filename or template
            root = document.parse(made, _shown(path), _origins.get())
            if root.tag != "card":
                raise fault(
                    root.location, f"a card face is a <card>, not a <{root.tag}>", "write it"
                )
            return Markup(made)

        return face

    def _run(self, template: str, names: Mapping[str, Any]) -> str:
        try:
            return self._environment.get_template(template).render(names)
        except jinja2.TemplateSyntaxError as error:
            place = _place(error.filename or error.name or template, error.lineno)
            raise fault(place, (error.message or "").rstrip("."), "correct the template") from None
        except jinja2.TemplateNotFound as error:
            raise fault(
                _raised_at(error, template),
                f'there is no template "{error.name}"',
                "write the name of a file in templates/",
            ) from None
        except Exception as error:
            place = _raised_at(error, template)
            if isinstance(error, jinja2.UndefinedError):
                raise fault(place, *_undefined(error.message or "", template)) from None
            if isinstance(error, KitError) or not _is_the_templates(error):
                raise
            what = f"the template fails here: {str(error).rstrip('.')}"
            raise fault(place, what, "correct it") from None


def _raised_at(error: Exception, template: str) -> Location:
    """The template line an error was raised in: the innermost frame that is a template."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(_SUFFIX):
            return _place(frame.filename, frame.lineno or 0)
    return Location(Source(template))


def _is_the_templates(error: Exception) -> bool:
    """Whether a template did something impossible (1 / 0), rather than the program.

    It may have been done deep inside Jinja or Python, but not in the program's own code.
    """
    if isinstance(error, jinja2.TemplateError):
        return True
    own = Path(__file__).parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(_SUFFIX):
            return True
        if Path(frame.filename).is_relative_to(own):
            return False
    return False


def _undefined(message: str, template: str) -> tuple[str, str]:
    if "'host'" in message and not template.startswith(HOST):
        return (
            "host fields do not exist in a player layout",
            "use them in templates/host.xml.j2 only",
        )
    return message, "write a name that exists; the guide to templates lists them"


class _Labels:
    """The words of the tool, called by key from a template: `t("copy", n=2)`."""

    def __init__(self, labels: Mapping[str, Text]) -> None:
        self._labels = labels

    def __call__(self, key: str, **values: object) -> Text:
        if key not in self._labels:
            raise jinja2.UndefinedError(f'there is no label "{key}"')

        def value(blank: re.Match[str]) -> str:
            if blank[1] not in values:
                raise jinja2.UndefinedError(
                    f'the label "{key}" is called without a value for {blank[0]}'
                )
            given = values[blank[1]]
            return given.unescape() if isinstance(given, Markup) else str(given)

        text = self._labels[key]
        # What the author wrote into it is what can be mended where it does not fit.
        written = next((each for each in values.values() if isinstance(each, Text)), text)
        return Text(_BLANK.sub(value, text), written.location)
