"""A tagged PDF to look at, in which all is right, and ways to put something wrong into it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    TextStringObject,
)
from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfbase.ttfonts import TTFont

from kit_builder.formats import PAPERS
from kit_builder.structure import Element
from kit_builder.tagging import Duplex, TaggedCanvas
from tests import cmaps

ROOT = Path(__file__).parents[1]
A4 = (PAPERS["a4"].width, PAPERS["a4"].height)
LETTER = (PAPERS["letter"].width, PAPERS["letter"].height)
TITLE = "Hidden trap bid"
# What is drawn here is drawn in fonts of ReportLab's, and as a strict reader wants them.
rl_config.useA85 = 0
ttfonts.makeToUnicodeCMap = cmaps.write
# Those of ReportLab's fonts that tests draw in; of a PDF of somebody else's too.
FONT = "Andika"
for font, file in (
    (FONT, "andika/Andika-Regular.ttf"),
    ("Andika-Bold", "andika/Andika-Bold.ttf"),
    ("DejaVu", "dejavu/DejaVuSans.ttf"),
    ("DejaVuSans", "dejavu/DejaVuSans.ttf"),
    ("DejaVuSans-Bold", "dejavu/DejaVuSans-Bold.ttf"),
):
    pdfmetrics.registerFont(TTFont(font, str(ROOT / "fonts" / file)))


def begin(
    root: Element, *, title: str = TITLE, duplex: Duplex | None = None
) -> tuple[TaggedCanvas, BytesIO]:
    """An A4 canvas for the tree, and what it writes to."""
    file = BytesIO()
    canvas = TaggedCanvas(file, A4, root, language="en", title=title, duplex=duplex)
    canvas._fontname = canvas._initialFontName = FONT
    return canvas, file


def printed(size: tuple[float, float], draw: Callable[[TaggedCanvas], object]) -> bytes:
    """A page of this size in points with what is drawn on it."""
    file, root = BytesIO(), Element("Document")
    canvas = TaggedCanvas(file, size, root, language="en", title=TITLE)
    with canvas.marked(root.add("Figure", alt="All that is drawn")):
        draw(canvas)
    canvas.save()
    return file.getvalue()


def opened(pdf: bytes) -> Any:
    return PdfReader(BytesIO(pdf), strict=True)


def sample() -> bytes:
    """Two pages with headings, a split paragraph, a list, a table, a form placed twice."""
    root = Element("Document")
    rules = root.add("Part", title="Rules")
    heading = rules.add("H1")
    paragraph = rules.add("P")
    steps = rules.add("L", numbering="Decimal")
    items = [(item.add("Lbl"), item.add("LBody")) for item in (steps.add("LI"), steps.add("LI"))]
    cards = root.add("Part", title="Cards")
    cards_heading = cards.add("H2")
    figures = [cards.add("Figure", alt=f"Card Safe, copy {copy} of 2") for copy in (1, 2)]
    record = root.add("Part", title="Record").add("Table")
    header = record.add("THead").add("TR")
    columns = [header.add("TH", scope="Column") for _ in "ab"]
    body = record.add("TBody")
    rows = []
    for _ in range(3):
        row = body.add("TR")
        rows.append(row.add("TH", scope="Row"))
        row.add("TD")

    canvas, file = begin(root)
    canvas.beginForm("card-1", 0, 0, 100, 140)
    canvas.setFont("Andika-Bold", 20)
    canvas.drawString(10, 60, "Safe")
    canvas.circle(50, 100, 20)
    canvas.endForm()

    canvas.page_label("Rules 1")
    canvas.outline("Rules")
    canvas.setFont("Andika", 10)
    canvas.drawString(60, 30, "page 1 of 2, print at 100 %")
    with canvas.marked(heading):
        canvas.setFont("Andika-Bold", 24)
        canvas.drawString(60, 780, TITLE)
    canvas.setFont("Andika", 12)
    for line, (label, text) in enumerate(items):
        with canvas.marked(text):
            canvas.drawString(80, 600 - 20 * line, "Take a card")
        with canvas.marked(label):
            canvas.drawString(60, 600 - 20 * line, f"{line + 1}.")
    with canvas.marked(paragraph):
        canvas.setFont("DejaVu", 12)
        canvas.drawString(60, 700, "A bid \u2605 \U0001f0a1 that goes on")
    canvas.showPage()

    canvas.outline("Cards")
    canvas.outline("Safe", 1)
    canvas.setFont("Andika", 12)
    with canvas.marked(paragraph):
        canvas.drawString(60, 780, "over the page.")
    with canvas.marked(cards_heading):
        canvas.drawString(60, 750, "Cards")
    for column, figure in enumerate(figures):
        canvas.saveState()
        canvas.translate(60 + 110 * column, 500)
        with canvas.marked(figure):
            canvas.doForm("card-1")
        figure.bbox = (60 + 110 * column, 500, 160 + 110 * column, 640)
        canvas.rect(0, 0, 100, 140)
        canvas.restoreState()
    canvas.outline("Record")
    for column, cell in enumerate(columns):
        with canvas.marked(cell):
            canvas.drawString(60 + 100 * column, 400, f"Column {column + 1}")
    for row_number, cell in enumerate(rows):
        with canvas.marked(cell):
            canvas.drawString(60, 380 - 20 * row_number, str(row_number + 1))
        canvas.line(60, 375 - 20 * row_number, 260, 375 - 20 * row_number)
    canvas.save()
    return file.getvalue()


Change = Callable[[PdfWriter], None]


def changed(*changes: Change) -> bytes:
    """The sample, after each change."""
    writer = PdfWriter(clone_from=BytesIO(sample()))
    for change in changes:
        change(writer)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def catalog(writer: PdfWriter) -> Any:
    return writer.root_object


def first(writer: PdfWriter, role: str) -> Any:
    """The first structure element of a role, in the order of the objects."""
    objects: list[Any] = writer._objects
    return next(each for each in objects if isinstance(each, dict) and each.get("/S") == role)


def put(*path: str | int, value: Any) -> Change:
    """Write a value under a path from the catalog; None takes it away."""

    def change(writer: PdfWriter) -> None:
        at = catalog(writer)
        for key in path[:-1]:
            at = at[key].get_object()
        if value is None:
            del at[path[-1]]
        else:
            at[NameObject(path[-1]) if isinstance(path[-1], str) else path[-1]] = value

    return change


def on_page(number: int, key: str, value: Any) -> Change:
    """Write a value into a page, counted from 1."""
    return put("/Pages", "/Kids", number - 1, key, value=value)


def in_element(role: str, key: str, value: Any) -> Change:
    def change(writer: PdfWriter) -> None:
        if value is None:
            del first(writer, role)[key]
        else:
            first(writer, role)[NameObject(key)] = value

    return change


def in_code(old: bytes, new: bytes, page: int = 0) -> Change:
    """Replace operators of a page."""

    def change(writer: PdfWriter) -> None:
        pages: Any = writer.pages
        code = pages[page].get_contents().get_data()
        assert old in code
        stream = DecodedStreamObject()
        stream.set_data(code.replace(old, new, 1))
        pages[page][NameObject("/Contents")] = writer._add_object(stream)

    return change


def in_metadata(old: bytes, new: bytes) -> Change:
    def change(writer: PdfWriter) -> None:
        metadata = catalog(writer)["/Metadata"]
        assert old in metadata.get_data()
        metadata.set_data(metadata.get_data().replace(old, new))

    return change


def name(text: str) -> NameObject:
    return NameObject(text)


def text(written: str) -> TextStringObject:
    return TextStringObject(written)


def box(*edges: float) -> ArrayObject:
    return ArrayObject(map(FloatObject, edges))


def entries(**values: Any) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in values.items()})


def script(code: str) -> DictionaryObject:
    return entries(S=name("/JavaScript"), JS=text(code))


def with_a_page_in_no_list(writer: PdfWriter) -> None:
    pages: Any = writer.pages
    stray = writer._add_object(DictionaryObject(pages[0]))
    catalog(writer)[NameObject("/OpenAction")] = ArrayObject([stray, NameObject("/Fit")])
