"""What a file is, found from its bytes; the extension is only a hint among kinds of text."""

import re
from pathlib import PurePath

from core.domain.errors import DocumentError
from core.domain.policy import DOCX, ENDINGS, READABLE, MediaType

_TEXT_KINDS: dict[str, MediaType] = {
    "": "text/plain",
    **{ending: kind for ending, kind in ENDINGS.items() if kind.startswith("text/")},
}
_BINARY_EXTENSIONS: dict[str, str] = {".pdf": "a PDF", ".docx": "a Word document"}

_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG", "a PNG image", "run OCR and give the resulting PDF"),
    (b"\xff\xd8\xff", "a JPEG image", "run OCR and give the resulting PDF"),
    (b"GIF8", "a GIF image", "run OCR and give the resulting PDF"),
    (b"II*\x00", "a TIFF image", "run OCR and give the resulting PDF"),
    (b"MM\x00*", "a TIFF image", "run OCR and give the resulting PDF"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old or password-protected Office file",
        "save it as DOCX without a password",
    ),
    (b"{\\rtf", "RTF", "save it as DOCX"),
    (b"%!PS", "PostScript", "save it as PDF"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
)
_HTML_START = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_PROBE_BYTES = 1024
"""Where `%PDF-` may stand: readers accept leading bytes within the first kilobyte (ISO 32000-1,
Annex H)."""


def sniff(data: bytes, *, source_name: str) -> MediaType:
    """Say what the bytes are.

    Raises:
        DocumentError: not a kind that can be read, or not what its extension promises.
    """
    extension = PurePath(source_name).suffix.lower()
    found = _found_in_bytes(data, extension)
    if found is not None:
        return found
    if extension in _BINARY_EXTENSIONS:
        expected = _BINARY_EXTENSIONS[extension]
        raise DocumentError(f"named {extension} but not {expected}: export it again as {extension}")
    if extension not in _TEXT_KINDS:
        raise DocumentError(f"files named {extension} are not read: save it as {READABLE}")
    if _HTML_START.match(data[:_PROBE_BYTES]):
        return "text/html"
    return _TEXT_KINDS[extension]


def _found_in_bytes(data: bytes, extension: str) -> MediaType | None:
    for magic, kind, cure in _FOREIGN:
        if data.startswith(magic):
            named = f"named {extension} but is {kind}" if extension else f"is {kind}"
            raise DocumentError(f"{named}: {cure}")
    if b"%PDF-" in data[:_PROBE_BYTES]:
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if b"word/" in data:
            return DOCX
        raise DocumentError(f"a ZIP archive or other Office file: save it as {READABLE}")
    return None
