from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

import page as page_validation
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    RectangleObject,
    TextStringObject,
)
from reportlab.pdfgen.canvas import Canvas

from kit_builder import finished, formats, inserts, preflight, reading, templates
from kit_builder.booklet import Booklet, Kit
from kit_builder.errors import KitError
from kit_builder.frontmatter import Wording
from kit_builder.locking import lock
from kit_builder.printing import Printing
from kit_builder.units import MM
from tests.content_streams import unmarked
from tests.sample import FONT

A4 = formats.PAPERS["a4"]


def drawn(pages: int = 2, size: tuple[float, float] = (400, 500), font: str = FONT) -> bytes:
    """A file of somebody else's: a black square of 100 pt at the lower left of each page."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=size, invariant=1, initialFontName=FONT)
    for number in range(pages):
        canvas.setFont(font, 10)
        canvas.rect(0, 0, 100, 100, fill=1)
        canvas.drawString(120, 120, f"own page {number + 1}")
        canvas.bookmarkPage(f"p{number}")
        canvas.addOutlineEntry(f"Chapter {number + 1}", f"p{number}", 0)
        canvas.linkURL("https://example.org/", (0, 0, 100, 100))
        canvas.linkRect("", "p0", (100, 100, 200, 200))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def changed(pdf: bytes, change: Any) -> bytes:
    writer = PdfWriter(clone_from=BytesIO(pdf))
    change(writer)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def inserted(pdf: bytes, pages: str = "") -> inserts.Insert:
    return inserts.insert("own/seating plan.pdf", pdf, pages, A4, "en")


def dark(pdf: bytes, number: int = 0) -> tuple[int, int, int, int]:
    """The box of the black square, in points from the upper left corner."""
    image = pypdfium2.PdfDocument(pdf)[number].render(scale=1, grayscale=True).to_pil()
    width, height = image.size

    def black(box: tuple[int, int, int, int]) -> bool:
        return bool(image.crop(box).histogram()[0] > 45)

    rows = [y for y in range(height) if black((0, y, width, y + 1))]
    columns = [x for x in range(width) if black((x, 0, x + 1, height))]
    return columns[0], rows[0], columns[-1] + 1, rows[-1] + 1


def test_a_page_lies_in_the_middle_at_full_size() -> None:
    left, top, right, bottom = dark(inserted(drawn()).pdf)
    assert (right - left, bottom - top) == pytest.approx((100, 100), abs=2)
    assert left == pytest.approx((A4.width - 400) / 2, abs=2)
    assert A4.height - bottom == pytest.approx((A4.height - 500) / 2, abs=2)


@pytest.mark.parametrize(
    ("turn", "left", "bottom"), [(0, 0, 0), (90, 0, 300), (180, 300, 400), (270, 400, 0)]
)
def test_a_turned_page_is_shown_as_in_its_viewer(turn: int, left: int, bottom: int) -> None:
    pdf = changed(drawn(), lambda writer: writer.pages[0].rotate(turn))
    width, height = (400, 500) if turn % 180 == 0 else (500, 400)
    found = dark(inserted(pdf).pdf)
    assert found[0] == pytest.approx((A4.width - width) / 2 + left, abs=2)
    assert A4.height - found[3] == pytest.approx((A4.height - height) / 2 + bottom, abs=2)


def test_a_cropped_page_shows_what_its_crop_box_holds() -> None:
    def crop(writer: PdfWriter) -> None:
        writer.pages[0].cropbox = RectangleObject((50, 0, 350, 500))

    left, _, right, _ = dark(inserted(changed(drawn(), crop)).pdf)
    assert right - left == pytest.approx(50, abs=2)
    assert left == pytest.approx((A4.width - 300) / 2, abs=2)


def test_a_page_in_larger_units_is_as_large_as_it_says() -> None:
    def double(writer: PdfWriter) -> None:
        writer.pages[0][NameObject("/UserUnit")] = FloatObject(2)

    left, top, right, bottom = dark(inserted(changed(drawn(size=(250, 300)), double)).pdf)
    assert (right - left, bottom - top) == pytest.approx((200, 200), abs=2)


def test_a_page_on_its_side_is_turned() -> None:
    found = dark(inserted(drawn(size=(A4.height, A4.width))).pdf)
    assert found[2] - found[0] == pytest.approx(100, abs=2)
    assert A4.width - found[2] == pytest.approx(0, abs=2)  # its lower left corner at the right


def test_only_the_chosen_pages_are_taken() -> None:
    made = inserted(drawn(5), "2, 4-5")
    texts = [each.text for each in finished.read(made.pdf).contents]
    assert made.pages == 3
    assert [text.strip()[-1] for text in texts] == ["2", "4", "5"]


def test_links_and_bookmarks_stay() -> None:
    found = finished.read(inserted(drawn(3), "1,3").pdf)
    last = [found.resolved(each) for each in found.entry(found.pages[1], "/Annots")]
    assert [found.entry(each, "/A", "/URI") for each in last] == ["https://example.org/", None]
    assert found.pages.index(found.resolved(last[1]["/Dest"][0])) == 0
    marks = pypdfium2.PdfDocument(inserted(drawn(3), "1,3").pdf).get_toc()
    assert [(each.get_title(), each.get_dest().get_index()) for each in marks] == [
        ("Chapter 1", 0),
        ("Chapter 3", 1),
    ]
    left_out = finished.read(inserted(drawn(3), "2").pdf)
    assert len(left_out.entry(left_out.pages[0], "/Annots")) == 1


def test_a_link_that_runs_something_stays_behind() -> None:
    pdf = drawn(1).replace(b"https://example.org/", b"javascript:alert(1);")
    found = finished.read(inserted(pdf).pdf)
    assert len(found.entry(found.pages[0], "/Annots")) == 1


PIXELS = bytes(range(0, 256, 4))


@pytest.mark.parametrize(
    ("settings", "pixels"),
    [
        (b"/W 8/H 8/BPC 8/CS/G", PIXELS),
        (b"/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray", PIXELS),
        (b"/W 8/H 8/BPC 8/CS/G/F/Fl", zlib.compress(PIXELS)),
        (b"/W 8/H 8/BPC 8/CS/G/F[/AHx]", PIXELS.hex().encode() + b">"),
        (b"/W 8/H 8/BPC 1/CS[/I/G 1<0080>]", PIXELS[:8]),
        (
            b"/W 8/H 8/BPC 8/CS/G/F/Fl/DP<</Predictor 15/Columns 8>>",
            zlib.compress(b"".join(b"\1" + PIXELS[row * 8 :][:8] for row in range(8))),
        ),
    ],
)
def test_an_inline_image_is_printed_as_it_is_shown(settings: bytes, pixels: bytes) -> None:
    def add(writer: PdfWriter) -> None:
        stream = DecodedStreamObject()
        stream.set_data(b"q 160 0 0 160 0 0 cm BI%b ID %b EI Q" % (settings, pixels))
        writer.pages[0][NameObject("/Contents")] = writer._add_object(stream)

    def picture(pdf: bytes) -> list[Any]:
        image = pypdfium2.PdfDocument(pdf)[0].render(scale=1, grayscale=True).to_pil()
        centres = range(10, 160, 20)
        return [image.getpixel((x, image.height - y)) for y in centres for x in centres]

    foreign = changed(drawn(1, (A4.width, A4.height)), add)
    made = inserted(foreign).pdf
    assert len({*picture(foreign)}) > 1
    assert picture(made) == picture(foreign)
    assert [page.faults for page in finished.read(made).contents] == [()]


def test_a_field_is_printed_as_it_is_shown() -> None:
    file = BytesIO()
    canvas = Canvas(file, pagesize=(400, 500), initialFontName=FONT)
    canvas.acroForm.checkbox(name="yes", x=100, y=100, size=80, checked=True, fillColor=None)
    canvas.showPage()
    canvas.save()
    pdf = inserted(file.getvalue()).pdf
    assert "/AcroForm" not in finished.read(pdf).catalog
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=1, grayscale=True).to_pil()
    assert image.getextrema()[0] < 128


def test_a_filled_field_that_shows_nothing_is_refused() -> None:
    def add(writer: PdfWriter) -> None:
        field = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"),
                NameObject("/Subtype"): NameObject("/Widget"),
                NameObject("/FT"): NameObject("/Tx"),
                NameObject("/T"): TextStringObject("Class"),
                NameObject("/V"): TextStringObject("4 B"),
                NameObject("/F"): NumberObject(4),
                NameObject("/Rect"): ArrayObject(map(FloatObject, (0, 0, 50, 50))),
            }
        )
        page = writer.pages[0]
        page[NameObject("/Annots")] = ArrayObject([writer._add_object(field)])

    with pytest.raises(KitError, match='the field "Class" would not be printed'):
        inserted(changed(drawn(), add))


def locked() -> bytes:
    return changed(drawn(), lambda writer: writer.encrypt("secret", algorithm="AES-256"))


def without_pages() -> bytes:
    file = BytesIO()
    PdfWriter().write(file)
    return file.getvalue()


def with_hidden_layers() -> bytes:
    def hide(writer: PdfWriter) -> None:
        group = writer._add_object(DictionaryObject({NameObject("/Type"): NameObject("/OCG")}))
        usual = DictionaryObject({NameObject("/OFF"): ArrayObject([group])})
        listed = {NameObject("/OCGs"): ArrayObject([group]), NameObject("/D"): usual}
        writer.root_object[NameObject("/OCProperties")] = DictionaryObject(listed)

    return changed(drawn(), hide)


@pytest.mark.parametrize(
    ("pdf", "message"),
    [
        (b"", "seating plan.pdf: this file is empty; insert a PDF"),
        (b"Dear class", "this is no PDF, or a damaged one"),
        (drawn()[:700], "this is no PDF, or a damaged one"),
        (locked(), "locked with a password; save a copy without"),
        (without_pages(), "has no pages"),
        (with_hidden_layers(), "hidden layers"),
        (drawn(font="Helvetica"), "the font Helvetica is not in this PDF; save it with all fonts"),
        (drawn(1).replace(b"/FlateDecode", b"/FlateDecoda"), "this is no PDF, or a damaged one"),
        (drawn(size=(900, 900)), r"page 1 is 317.5 x 317.5 mm, larger than A4"),
    ],
)
def test_what_cannot_be_printed_as_it_is_shown_is_refused(pdf: bytes, message: str) -> None:
    with pytest.raises(KitError, match=message):
        inserted(pdf)


@pytest.mark.parametrize(
    ("pages", "message"),
    [("3", "no page 3: the file has 2"), ("2-1", "no page 2-1"), ("a", '"a" is no page')],
)
def test_pages_that_are_not_there_are_refused(pages: str, message: str) -> None:
    with pytest.raises(KitError, match=message):
        inserted(drawn(), pages)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 3000), st.binary(max_size=20))
def test_damage_anywhere_is_refused_or_survived(place: int, noise: bytes) -> None:
    whole = drawn(1)
    place %= len(whole)
    try:
        made = inserted(whole[:place] + noise + whole[place + len(noise) :])
    except KitError as error:
        assert "seating plan.pdf" in str(error)
    else:
        finished.read(made.pdf)


def test_a_booklet_with_inserts_keeps_its_promises() -> None:
    first = inserted(changed(drawn(), lambda writer: writer.pages[0].rotate(90)))
    kits = [Kit("own", first.title, "en", "player", [False] * first.pages)]
    wording = Wording("Games", "en", reading.words("en", templates.read()))
    booklet = Booklet(kits, wording, Printing())
    pdf = booklet.bind([first.pdf])
    assert unmarked(pdf) == []
    size = A4.width, A4.height
    expected = preflight.Expectation([size], "en", "Games", booklet.sections)
    preflight.check(finished.read(pdf), expected)
    report = page_validation.validate_pdf_bytes(pdf, profile="ua1")
    assert [f"{each.rule_id}: {each.message}" for each in report.failures] == []


def test_a_locked_file_opens_with_its_password_only() -> None:
    pdf = lock(inserted(drawn()).pdf, "Drei Würfel")
    reader = PdfReader(BytesIO(pdf))
    assert reader.is_encrypted
    assert reader.decrypt("another") == 0
    assert b"seating plan" not in pdf
    assert b"own page" not in pdf
    assert reader.decrypt("Drei Würfel") > 0
    assert reader.metadata is not None and reader.metadata.title == "seating plan"
    assert reader.root_object["/ViewerPreferences"]["/PrintScaling"] == "/None"  # type: ignore[index]
    assert "/StructTreeRoot" in reader.root_object
    encryption: Any = reader.trailer["/Encrypt"]
    assert (encryption["/V"], encryption["/R"]) == (5, 6)


def test_an_empty_password_is_refused() -> None:
    with pytest.raises(KitError, match="the password is empty"):
        lock(drawn(), "")


def test_a_sheet_of_a_third_size_is_centred() -> None:
    left, _, right, _ = dark(inserted(drawn(size=(100 * MM, 100 * MM))).pdf)
    assert right - left == pytest.approx(100, abs=2)
