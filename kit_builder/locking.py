"""A password on a finished PDF: AES-256, so that a key on a shared drive stays shut.

Everything is encrypted, title and metadata too. The bytes differ each time: the file's own key is
random (ISO 32000-2, 7.6.4.3.3).
"""

from __future__ import annotations

from io import BytesIO

from pypdf import PdfReader, PdfWriter
from pypdf.errors import DependencyError

from kit_builder.errors import fault


def lock(pdf: bytes, password: str) -> bytes:
    """The same file, opened by the password alone.

    Raises:
        KitError: the password is empty, or the extra for encryption is not installed.
    """
    if not password:
        raise fault(None, "the password is empty", "type at least one character")
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf)))
    writer.pdf_header = "%PDF-1.7"
    try:
        writer.encrypt(password, algorithm="AES-256")
    except DependencyError:
        raise fault(
            None,
            "passwords need the library cryptography",
            'install it with: pip install "kit-builder[password]"',
        ) from None
    file = BytesIO()
    writer.write(file)
    return file.getvalue()
