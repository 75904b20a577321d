"""The XMP packet of a file: its title and language, who made it, and the claim of PDF/UA-1.

Standards: ISO 16684-1 (XMP); ISO 14289-1 (PDF/UA-1), section 5.
"""

from __future__ import annotations

from html import escape

from kit_builder import __version__

PRODUCER = f"Kit Builder {__version__}"


def packet(title: str, language: str) -> bytes:
    """The packet of a document; `language` is a language tag."""
    title, language = escape(title), escape(language)
    return f"""\
<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li><rdf:li
 xml:lang="{language}">{title}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>
<pdf:Producer>{PRODUCER}</pdf:Producer>
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>
""".encode()
