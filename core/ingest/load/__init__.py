"""Bytes to text: one module for each format, one type of result, one type of error.

First stage of ingestion, before `sections`. Third-party parsers are used here and nowhere else.
Nothing is fetched and no file is opened: the bytes given are all there is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath

from core.domain.errors import DocumentError
from core.domain.policy import (
    DOCX,
    EML,
    ENDINGS,
    MSG,
    ODT,
    PPTX,
    READABLE,
    XLSX,
    LoadedDocument,
    MediaType,
)
from core.ingest.metadata import SelfDescription, describe
from core.ingest.stated.standing import standing_words

_TEXT_KINDS: dict[str, MediaType] = {
    "": "text/plain",
    ".eml": EML,
    **{ending: kind for ending, kind in ENDINGS.items() if kind.startswith("text/")},
}
_BINARY_KINDS: dict[MediaType, str] = {
    "application/pdf": "a PDF",
    DOCX: "a Word document",
    XLSX: "an Excel workbook",
    PPTX: "a PowerPoint presentation",
    ODT: "an OpenDocument text",
    MSG: "an Outlook message",
}
"""What is recognised by its bytes, as people call it."""
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG", "a PNG image", "run OCR and give the resulting PDF"),
    (b"\xff\xd8\xff", "a JPEG image", "run OCR and give the resulting PDF"),
    (b"GIF8", "a GIF image", "run OCR and give the resulting PDF"),
    (b"II*\x00", "a TIFF image", "run OCR and give the resulting PDF"),
    (b"MM\x00*", "a TIFF image", "run OCR and give the resulting PDF"),
    (b"{\\rtf", "RTF", "save it as DOCX"),
    (b"%!PS", "PostScript", "save it as PDF"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
)
_OLD: tuple[tuple[str, str, str], ...] = (
    ("EncryptedPackage", "an Office file with a password", "save it without one"),
    ("WordDocument", "an old Word document", "save it as DOCX"),
    ("Workbook", "an old Excel workbook", "save it as XLSX"),
    ("PowerPoint Document", "an old PowerPoint presentation", "save it as PPTX"),
    ("", "an old or password-protected Office file", "save it as DOCX without a password"),
)
"""Streams of compound files (MS-CFB), what has them, and the cure."""
_COMPOUND, _OF_MESSAGES = b"\xd0\xcf\x11\xe0", "__properties_version1.0"
_OFFICE_ENTRY = re.compile(rb"PK\x03\x04.{26}(word|xl|ppt)/", re.DOTALL)
_OFFICE: dict[bytes, MediaType] = {b"word": DOCX, b"xl": XLSX, b"ppt": PPTX}
_ODT_START = b"mimetype" + ODT.encode()
_ODT_AT = 30
"""The length of the header of a ZIP entry; of an OpenDocument file the first one is its type."""
_MAIL_START = re.compile(rb"(?:From [^\n]{1,200}\n)?[A-Za-z][!-9;-~]{0,70}:")
"""A field of a header (RFC 5322, 2.2), perhaps below the line that a mailbox has above each."""
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
    DOCX: ("word.document", "load_docx"),
    XLSX: ("office.workbook", "load_xlsx"),
    PPTX: ("office.presentation", "load_pptx"),
    ODT: ("office.open_document", "load_odt"),
    EML: ("office.mail", "load_eml"),
    MSG: ("office.mail", "load_msg"),
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
    try:
        document = _loader(sniff(data, source_name=source_name))(data)
    except RecursionError as exc:
        raise DocumentError("it is nested too deeply: flatten its lists, or simplify it") from exc
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
    metadata = {**second.values, **first.values}
    status = standing_words(document, status=metadata.pop("status", ""))
    return replace(
        document,
        metadata={**metadata, **({"status": status} if status else {})},
        unused=(*first.unused, *unused),
        asides=(),
    )


def sniff(data: bytes, *, source_name: str) -> MediaType:
    """Return the media type: the bytes decide; the extension only tells kinds of text apart.

    Raises:
        DocumentError: not a supported format, or not that of its extension.
    """
    extension = PurePath(source_name).suffix.lower()
    expected = ENDINGS.get(extension)
    found = _found_in_bytes(data, extension)
    if found is not None:
        if found != "application/pdf" and expected in _BINARY_KINDS and expected != found:
            ending = next(known for known, kind in ENDINGS.items() if kind == found)
            raise DocumentError(
                f"named {extension} but is {_BINARY_KINDS[found]}: name it {ending}"
            )
        return found
    if expected in _BINARY_KINDS:
        kind = _BINARY_KINDS[expected]
        raise DocumentError(f"named {extension} but not {kind}: export it again as {extension}")
    if extension not in _TEXT_KINDS:
        raise DocumentError(f"files named {extension} are not read: save it as {READABLE}")
    if expected == EML and not _MAIL_START.match(data):
        raise DocumentError("named .eml but not an e-mail: save the message again as .eml")
    if expected != EML and _HTML_START.match(data[:_PROBE_BYTES]):
        return "text/html"
    return _TEXT_KINDS[extension]


def _found_in_bytes(data: bytes, extension: str) -> MediaType | None:
    if data.startswith(_COMPOUND) and _OF_MESSAGES.encode("utf-16-le") in data:
        return MSG
    for magic, kind, cure in (*_FOREIGN, *_compound(data)):
        if data.startswith(magic):
            named = f"named {extension} but is {kind}" if extension else f"is {kind}"
            raise DocumentError(f"{named}: {cure}")
    if b"%PDF-" in data[:_PROBE_BYTES]:
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        entry = _OFFICE_ENTRY.search(data)
        if entry is not None:
            return _OFFICE[entry[1]]
        if data.startswith(_ODT_START, _ODT_AT):
            return ODT
        raise DocumentError(f"a ZIP archive or other Office file: save it as {READABLE}")
    return None


def _compound(data: bytes) -> Iterator[tuple[bytes, str, str]]:
    """Yield what a compound file is, the likeliest first."""
    for stream, kind, cure in _OLD if data.startswith(_COMPOUND) else ():
        if stream.encode("utf-16-le") in data:
            yield _COMPOUND, kind, cure
