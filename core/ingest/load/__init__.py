"""Bytes to text: one module for each format, one type of result, one type of error.

First stage of ingestion, before `sections`. Third-party parsers are used here and nowhere else.
Nothing is fetched and no file is opened: the bytes given are all there is.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath

from core.domain.errors import DocumentError
from core.domain.policy import DOCX, ENDINGS, READABLE, LoadedDocument, MediaType
from core.ingest.metadata import SelfDescription, describe

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
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?>(?:(?><!--.*?-->)\s*+)*)<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_PROBE_BYTES = 1024
"""Where `%PDF-` may stand: readers accept leading bytes within the first kilobyte (ISO 32000-1,
Annex H)."""
MAX_BYTES = 50 * 1024 * 1024
_LOADERS: dict[MediaType, tuple[str, str]] = {
    "application/pdf": ("pdf", "load_pdf"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (
        "word.document",
        "load_docx",
    ),
    "text/markdown": ("markdown", "load_markdown"),
    "text/html": ("html", "load_html"),
    "text/plain": ("text", "load_text"),
}
"""Module and function of each kind. A parser is imported with the first file of its kind, and only
where files are parsed: all of them take a tenth of a second, at each start of two processes."""


def load(data: bytes, *, source_name: str) -> LoadedDocument:
    """Turn a file into text.

    Args:
        data: the file.
        source_name: its name; the extension tells Markdown, HTML and plain text apart.

    Returns:
        The text with exact offsets of headings, tables and pages, and what the document states
        about itself.

    Raises:
        DocumentError: the file cannot be read; its message is one line, the cause and the cure,
            without the file's name.
    """
    if not data:
        raise DocumentError("the file is empty: export it again")
    if len(data) > MAX_BYTES:
        raise DocumentError(
            f"{len(data) >> 20} MB is over the limit of 50 MB: split it or leave out images"
        )
    document = _loader(sniff(data, source_name=source_name))(data)
    if not document.text:
        raise DocumentError("there is no text in it: check that this is the right file")
    return _with_what_is_said(document)


def _loader(kind: MediaType) -> Callable[[bytes], LoadedDocument]:
    module, function = _LOADERS[kind]
    return getattr(import_module(f"{__name__}.{module}"), function)


def _with_what_is_said(document: LoadedDocument) -> LoadedDocument:
    """Merge what the text states with the document's metadata.

    Front matter is written on purpose and takes precedence over the text; file properties are often
    left over from a template and do not. What can't be used is of no interest where something else
    takes precedence anyway.
    """
    properties = SelfDescription(values=document.metadata, unused=document.unused)
    said = describe(document.text, document.tables, document.asides)
    is_front_matter = document.media_type == "text/markdown"
    first, second = (properties, said) if is_front_matter else (said, properties)
    named = {one.field for one in first.unused} - {""}
    unused = [one for one in second.unused if one.field not in {*first.values, *named}]
    return replace(
        document,
        metadata={**second.values, **first.values},
        unused=(*first.unused, *unused),
        asides=(),
    )


def sniff(data: bytes, *, source_name: str) -> MediaType:
    """Return the media type: the bytes decide; the extension only tells kinds of text apart.

    Raises:
        DocumentError: not a supported format, or not that of its extension.
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
