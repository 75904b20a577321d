"""An activity through the layouts: Jinja templates that write markup.

The only module that knows Jinja. A template of the user's own comes before the one of the same
name that travels with the program, so any layout, macro or card face can be replaced, and a new
card face is one new file.

A player layout is handed the `Kit` and nothing else: a host field is not blank there, it does not
exist, and to name it is an error.
"""

from __future__ import annotations

import html
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.nodes import EvalContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from kit_builder import activity, document, prose
from kit_builder.activity import Activity, Deck, Kit, PrintedCard
from kit_builder.document import Element
from kit_builder.errors import KitError, Location, Source, Text, fault
from kit_builder.files import File
from kit_builder.printing import HOST, ClassSet
from kit_builder.templates import Templates
from kit_builder.units import MM

_SUFFIX = ".xml.j2"
_FACES = "cards"
_FACE_FIELDS = re.compile(r"\{#-?\s*fields:([^#]*?)-?#\}")
# What every face is handed besides its fields.
_FACE_NAMES = ("copy", "copies", "owner", "language", "class_set", "puzzle", "width", "height", "t")
# Not a tag whose name a template is still writing, such as <h{{ level }}>.
_START_TAG = re.compile(r"<([A-Za-z][\w-]*)(?=[\s/>])")
_CARD = re.compile(r"<card[\s>]")
_BLANK = re.compile(r"\{(\w+)\}")

# Fields of an activity need no check each time they are named, which is a third of Jinja's time.
_FIELDS: Mapping[type, Collection[str]] = {
    each: frozenset(field.name for field in fields(each))
    for each in vars(activity).values()
    if isinstance(each, type) and is_dataclass(each) and each is not Location
}

# The author's texts of the document being rendered, in the order the templates named them.
_origins: ContextVar[list[Text]] = ContextVar("origins")

# The names of the templates that were used since somebody began to note them.
_used: ContextVar[set[str]] = ContextVar("used")


@contextmanager
def noting(used: set[str]) -> Iterator[None]:
    """Adds to `used` the name of every template that is used meanwhile."""
    token = _used.set(used)
    try:
        yield
    finally:
        _used.reset(token)


class _Places(Extension):
    """Writes into every element of a template the line it stands in."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type == "data":
                path = stream.filename or stream.name or ""
                yield Token(token.lineno, "data", self._placed(token.value, token.lineno, path))
            else:
                yield token

    def _placed(self, markup: str, line: int, path: str) -> str:
        def place(tag: re.Match[str]) -> str:
            number = line + markup.count("\n", 0, tag.start())
            return f'<{tag[1]} {document.PLACE_ATTRIBUTE}="{escape(path)}:{number}"'

        return _START_TAG.sub(place, markup)


class _Loader(jinja2.BaseLoader):
    """Hands Jinja the templates, as UTF-8 with or without a byte order mark."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        file = self._templates.find(template)
        if file is None:
            raise jinja2.TemplateNotFound(template)
        return _text(file), file.shown, lambda: True


def _text(file: File) -> str:
    try:
        return file.raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise fault(
            _place(file, error.object.count(b"\n", 0, error.start) + 1),
            f"the byte {error.object[error.start]:02X} is not UTF-8",
            "save the file again with the encoding UTF-8",
        ) from None


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja without a way out: not even from a place in the author's file to the file's text."""

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        return attr != "source" and super().is_safe_attribute(obj, attr, value)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field of an activity at once; anything else only after Jinja has found it safe."""
        if attribute in _FIELDS.get(type(obj), ()):
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def get_template(self, name: Any, *arguments: Any, **values: Any) -> jinja2.Template:
        """A template, noted as used."""
        _used.get(set()).add(str(name))
        return super().get_template(name, *arguments, **values)


def _place(file: File, line: int) -> Location:
    text = file.raw.decode("utf-8-sig", "replace")
    return Location(Source(file.shown, tuple(text.split("\n"))), line)


def _mark(text: Text, markup: str) -> str:
    origins = _origins.get()
    origins.append(text)
    return document.mark(markup, len(origins) - 1)


def _mark_markup(text: Text) -> str:
    return _mark(text, html.escape(text))


@jinja2.pass_eval_context
def _finalize(context: EvalContext, value: object) -> object:
    if value is None:
        raise jinja2.TemplateRuntimeError("a value is printed that this activity does not have")
    if isinstance(value, Text) and value:
        # Jinja escapes it, but where a template tells it not to.
        return _mark(value, str(value)) if context.autoescape else _mark_markup(value)
    return value


def _markdown(text: object) -> Markup:
    if not isinstance(text, Text):
        str(text)  # raises what is wrong with a name that does not exist
        raise jinja2.TemplateRuntimeError("markdown takes a text of the activity as it is")
    return prose.markup(text, _mark_markup)


class Faces(Mapping[str, Mapping[str, bool]]):
    """Every card face: its name -> its fields -> whether a card must give it.

    A face says its fields in a comment on top: `{# fields: suit, rank, show-copy? #}`. In the
    template a hyphen in a name is an underscore. To look up a face

    Raises:
        KitError: if it does not say its fields, or not so that they can be named.
    """

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates.names(_FACES, _SUFFIX))

    def __len__(self) -> int:
        return len(self._templates.names(_FACES, _SUFFIX))

    def __contains__(self, face: object) -> bool:
        return self._templates.find(_template_of(str(face))) is not None

    def __getitem__(self, face: str) -> Mapping[str, bool]:
        file = self._templates.find(_template_of(face))
        if file is None:
            raise KeyError(face)
        _used.get(set()).add(_template_of(face))
        return _fields(file)


def _template_of(face: str) -> str:
    return f"{_FACES}/{face}{_SUFFIX}"


@lru_cache(maxsize=256)
def _fields(file: File) -> Mapping[str, bool]:
    said = _FACE_FIELDS.match(_text(file))
    if said is None:
        raise fault(
            _place(file, 1),
            "the card face does not say which fields it prints",
            "start the file with a line such as {# fields: label, note? #}",
        )
    written = [field.strip() for field in said[1].split(",") if field.strip()]
    fields = {field.removesuffix("?"): not field.endswith("?") for field in written}
    for field in fields:
        if field in _FACE_NAMES or not field.replace("-", "_").isidentifier():
            raise fault(
                _place(file, 1),
                f'a card face cannot have a field "{field}"',
                f"choose another word than {', '.join(_FACE_NAMES)}, without spaces",
            )
    return fields


def _is_one_card(markup: str) -> bool:
    """Whether markup that is well-formed in a document must be a single card."""
    inside = markup.strip()
    return bool(_CARD.match(inside)) and inside.count("<card") == 1 and inside.endswith("</card>")


class Layouts:
    """The layouts and card faces among some templates."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self.faces = Faces(templates)
        self._environment = _Sandbox(
            loader=_Loader(templates),
            extensions=[_Places],
            undefined=jinja2.StrictUndefined,
            autoescape=True,
            finalize=_finalize,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            optimized=False,  # it takes a sixth longer to compile, and finds nothing to do
        )
        self._environment.filters["markdown"] = _markdown

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
        cards: list[tuple[str, str]] = []
        try:
            names: dict[str, Any] = {
                "kit": kit,
                "t": _Labels(labels),
                "face": self._face(kit, labels, class_set, cards),
                "class_set": class_set,
                "titles": titles,
            }
            if edition == HOST:
                names["host"] = activity.host
            markup = self._run(edition + _SUFFIX, names)
            return document.parse(markup, self._shown(edition + _SUFFIX), origins)
        except KitError:
            for template, card in cards:
                self._check_card(template, card)
            raise
        finally:
            _origins.reset(token)

    def _face(
        self,
        kit: Kit,
        labels: Mapping[str, Text],
        class_set: ClassSet | None,
        cards: list[tuple[str, str]],
    ) -> Callable[[Deck, PrintedCard, str], Markup]:
        faces = self.faces
        same = {
            "t": _Labels(labels),
            "language": kit.language,
            "class_set": class_set,
            "puzzle": kit.puzzle,
        }

        def face(deck: Deck, card: PrintedCard, name: str) -> Markup:
            """One side of a card: the markup of the face called `name`."""
            if name not in faces:
                raise jinja2.UndefinedError(f'there is no card face "{name}"')
            given = dict.fromkeys(faces[name], Text("", deck.location)) | dict(card.fields)
            names: dict[str, Any] = {name.replace("-", "_"): text for name, text in given.items()}
            names |= same
            names |= {"copy": card.copy, "copies": card.copies, "owner": card.owner}
            names |= {"width": deck.size.width / MM, "height": deck.size.height / MM}
            template = _template_of(name)
            made = self._run(template, names)
            # What looks like one card is read with the whole document, and only where that
            # fails once more alone, for the place of the fault.
            if not _is_one_card(made):
                self._check_card(template, made)
            cards.append((template, made))
            return Markup(made)

        return face

    def _check_card(self, template: str, markup: str) -> None:
        """Refuses what a card face made if it is no card.

        Raises:
            KitError: it is not well-formed, or its root is another element.
        """
        root = document.parse(markup, self._shown(template), _origins.get())
        if root.tag != "card":
            raise fault(root.location, f"a card face is a <card>, not a <{root.tag}>", "write it")

    def _shown(self, template: str) -> str:
        return self._environment.get_template(template).filename or template

    def _at(self, shown: str, line: int) -> Location:
        """A line of the template that messages call `shown`."""
        layers = self._templates.own + self._templates.program
        file = next((file for _, file in layers if file.shown == shown), File(shown, b""))
        return _place(file, line)

    def _run(self, template: str, names: Mapping[str, Any]) -> str:
        try:
            return self._environment.get_template(template).render(names)
        except jinja2.TemplateSyntaxError as error:
            place = self._at(error.filename or error.name or template, error.lineno)
            raise fault(place, (error.message or "").rstrip("."), "correct the template") from None
        except jinja2.TemplateNotFound as error:
            raise fault(
                self._raised_at(error, template),
                f'there is no template "{error.name}"',
                "write the name of a file in templates/",
            ) from None
        except Exception as error:
            place = self._raised_at(error, template)
            if isinstance(error, jinja2.UndefinedError):
                raise fault(place, *_undefined(error.message or "", template)) from None
            if isinstance(error, KitError) or not _is_the_templates(error):
                raise
            what = f"the template fails here: {str(error).rstrip('.')}"
            raise fault(place, what, "correct it") from None

    def _raised_at(self, error: Exception, template: str) -> Location:
        """The template line an error was raised in: the innermost frame that is a template."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename.endswith(_SUFFIX):
                return self._at(frame.filename, frame.lineno or 0)
        return Location(Source(template))


def _is_the_templates(error: Exception) -> bool:
    """Whether a template did something impossible (1 / 0), rather than the program.

    It may have been done deep inside Jinja or Python, but not in the program's own code.
    """
    if isinstance(error, (jinja2.TemplateError, RecursionError)):
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
        if "{" not in text and not values:
            return text
        # What the author wrote into it is what can be mended where it does not fit.
        written = next((each for each in values.values() if isinstance(each, Text)), text)
        return Text(_BLANK.sub(value, text), written.location)
