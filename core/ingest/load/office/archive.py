"""The ZIP archives that office files are, checked before any parser sees them.

What is checked: entries and sizes as declared, then as they really unpack, encryption, and XML that
declares entities ("billion laughs") or nests without end.
"""

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager

from lxml import etree

from core.domain.errors import DocumentError

MAX_UNPACKED_BYTES = 200 * 1024 * 1024
MAX_ENTRIES = 5_000
MAX_RATIO = 200
"""Unpacked to packed, of an entry over 1 MB. Word's XML packs at most about 60 to 1; a bomb of
zeros packs at 1000."""
MAX_DEPTH = 400
"""Nested XML elements: libxml2 itself stops at 256 unless told otherwise; Word writes below 60."""

_RATIO_MATTERS_FROM = 1024 * 1024
_PIECE = 1024 * 1024
_ENCRYPTED_FLAG = 0x1
_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_TAG = re.compile(rb"<(/?)[A-Za-z_](?:[^<>\"']|\"[^\"]*\"|'[^']*')*?(/?)>")

_BOMB = "it unpacks to far more than a document holds (ZIP bomb): save it again in its program"
_CORRUPT = "the file is corrupt: open it in its program and save it again"
_ENCRYPTED = "it is encrypted: save it without a password"
_ENTITIES = "its XML declares entities, which no office program writes: save it again in one"
_DEEP = "its XML is nested too deeply: save it again in its program"
_BREAKS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, OSError),
    *(RecursionError, NotImplementedError, etree.LxmlError, zipfile.BadZipFile, zlib.error),
)
"""What parsers raise over a damaged file."""


@contextmanager
def office_file(
    data: bytes, *, raises: type[Exception] = ValueError, is_archive: bool = True
) -> Generator[io.BytesIO]:
    """Open a file for a parser, which may fail over it as it likes and warn of what it left out.

    Args:
        data: the file.
        raises: an exception of the parser's own.
        is_archive: False for what is no ZIP archive.

    Raises:
        DocumentError: corrupt, encrypted or made to exhaust memory.
    """
    if is_archive:
        check_archive(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield io.BytesIO(data)
    except (*_BREAKS, raises) as exc:
        raise DocumentError(_CORRUPT) from exc


def check_archive(data: bytes) -> None:
    """Check that an archive is safe to unpack.

    Raises:
        DocumentError: corrupt, encrypted or made to exhaust memory.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_declared(entries)
            _check_actual(archive, entries)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as exc:
        raise DocumentError(_CORRUPT) from exc


def _check_declared(entries: list[zipfile.ZipInfo]) -> None:
    if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
        raise DocumentError(_ENCRYPTED)
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES or total > MAX_UNPACKED_BYTES:
        raise DocumentError(_BOMB)
    if len({entry.filename for entry in entries}) < len(entries):
        raise DocumentError(_CORRUPT)
    if any(_is_bomb(entry.file_size, entry.compress_size) for entry in entries):
        raise DocumentError(_BOMB)


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > _RATIO_MATTERS_FROM and unpacked > MAX_RATIO * max(1, packed)


def _check_actual(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Unpack piece by piece and count: the declared sizes may be wrong."""
    total = 0
    for entry in entries:
        is_xml = entry.filename.lower().endswith((".xml", ".rels"))
        kept: list[bytes] = []
        unpacked = 0
        with archive.open(entry) as stream:
            while piece := stream.read(_PIECE):
                unpacked += len(piece)
                total += len(piece)
                if total > MAX_UNPACKED_BYTES or _is_bomb(unpacked, entry.compress_size):
                    raise DocumentError(_BOMB)
                if is_xml:
                    kept.append(piece)
        if is_xml:
            _check_xml(b"".join(kept))


def _check_xml(xml: bytes) -> None:
    if xml.startswith(_WIDE_MARKS):
        xml = xml.decode("utf-16", errors="replace").encode()
    if _DOCTYPE.search(xml):
        raise DocumentError(_ENTITIES)
    depth = 0
    for tag in _TAG.finditer(xml):
        if tag.group(2):
            continue
        depth += -1 if tag.group(1) else 1
        if depth > MAX_DEPTH:
            raise DocumentError(_DEEP)
