"""The XMP packet says the title, the language and the producer, whatever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pypdf.generic import DecodedStreamObject
from pypdf.xmp import XmpInformation

from kit_builder import xmp


def read(packet: bytes) -> XmpInformation:
    stream = DecodedStreamObject()
    stream.set_data(packet)
    return XmpInformation(stream)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1))
def test_any_title_is_read_back_in_both_languages(title: str) -> None:
    found = read(xmp.packet(title, "ca"))
    assert found.dc_title == {"x-default": title, "ca": title}


def test_the_packet_says_who_made_the_file_and_claims_pdf_ua() -> None:
    packet = xmp.packet("Fish & <chips>", "en")
    found = read(packet)
    assert found.dc_language == ["en"]
    assert found.pdf_producer == xmp.PRODUCER
    assert b"<pdfuaid:part>1</pdfuaid:part>" in packet
