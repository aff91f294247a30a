"""Files that cannot be ingested are refused with one line: the cause and the cure."""

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from core.domain.errors import DocumentError
from core.ingest.load import MAX_BYTES, load
from core.ingest.load.office.archive import check_archive

KEY = "x"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def pdf(*, text: str = "", secret: str | None = None) -> bytes:
    buffer = io.BytesIO()
    encryption = StandardEncryption(secret) if secret else None
    canvas = Canvas(buffer, encrypt=encryption)
    canvas.drawString(72, 700, text)
    canvas.save()
    return buffer.getvalue()


def word() -> bytes:
    buffer = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("Staff must not accept cash.")
    document.save(buffer)
    return buffer.getvalue()


def word_with(name: str, content: bytes) -> bytes:
    """A sound DOCX with one entry replaced or added."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(word())) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in source.infolist():
            if entry.filename != name:
                target.writestr(entry, source.read(entry))
        target.writestr(name, content)
    return buffer.getvalue()


def lying_bomb() -> bytes:
    """An archive whose directory declares a small entry that unpacks to 300 MB."""
    packed = word_with("word/bomb.bin", bytes(300 * 1024 * 1024))
    size = (300 * 1024 * 1024).to_bytes(4, "little")
    return packed.replace(size, (1000).to_bytes(4, "little"))


def refusal(data: bytes, name: str) -> str:
    """The refusal's message; empty if the file loads."""
    try:
        load(data, source_name=name)
    except DocumentError as refused:
        return str(refused)
    return ""


def without_words() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return buffer.getvalue()


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
DEEP = b"<x>" * 5000 + b"</x>" * 5000

REFUSALS: list[tuple[str, str, Callable[[], bytes], str]] = [
    ("empty", "a.md", lambda: b"", "empty"),
    ("too large", "a.md", lambda: b"a" * (MAX_BYTES + 1), "50 MB"),
    ("only white space", "a.md", lambda: b" \n\n", "no text"),
    ("image named pdf", "a.pdf", lambda: PNG, "PNG image"),
    ("text named pdf", "a.pdf", lambda: b"Staff must ...", "not a PDF"),
    ("text named docx", "a.docx", lambda: b"Staff must ...", "not a Word document"),
    ("unknown kind", "a.xyz", lambda: b"Staff must ...", "not read"),
    ("spreadsheet", "a.docx", without_words, "name it .xlsx"),
    ("old office file", "a.doc", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "password-protected"),
    ("corrupt pdf", "a.pdf", lambda: b"%PDF-1.7\n" + b"garbage" * 50, "corrupt"),
    ("cut pdf", "a.pdf", lambda: pdf(text="Policy")[:300], "corrupt"),
    ("pdf with password", "a.pdf", lambda: pdf(text="Policy", secret=KEY), "password"),
    ("scan", "a.pdf", pdf, "run OCR first"),
    ("cut docx", "a.docx", lambda: word()[:-200], "corrupt"),
    ("bomb", "a.docx", lambda: word_with("word/bomb.bin", bytes(300 * 1024 * 1024)), "ZIP bomb"),
    ("ratio", "a.docx", lambda: word_with("word/bomb.bin", bytes(5 * 1024 * 1024)), "ZIP bomb"),
    ("lying bomb", "a.docx", lying_bomb, "corrupt"),
    ("entities", "a.docx", lambda: word_with("word/document.xml", ENTITIES), "entities"),
    (
        "wide entities",
        "a.docx",
        lambda: word_with("word/document.xml", ENTITIES.decode().encode("utf-16")),
        "entities",
    ),
    ("deep xml", "a.docx", lambda: word_with("word/document.xml", DEEP), "nested"),
    ("broken xml", "a.docx", lambda: word_with("word/document.xml", b"<w:document"), "corrupt"),
    ("binary text", "a.txt", lambda: bytes(range(256)) * 20, "binary"),
    ("nul in text", "a.txt", lambda: b"Staff\x00must\x01ask", "binary"),
    ("undecodable", "a.txt", lambda: b"Stra\x81\x8d\x90e und mehr Text", "decoded"),
    ("cut utf-16", "a.txt", lambda: "Staff".encode("utf-16")[:-1], "decoded"),
    ("empty page", "a.html", lambda: b"<html><script>alert(1)</script></html>", "no text"),
    ("only a comment", "a.html", lambda: b"<!doctype html><!-- x -->", "content"),
]


@pytest.mark.parametrize(
    ("name", "build", "cause"),
    [pytest.param(name, build, cause, id=id_) for id_, name, build, cause in REFUSALS],
)
def test_refusal_names_cause_and_cure_in_one_line(
    name: str, build: Callable[[], bytes], cause: str
) -> None:
    with pytest.raises(DocumentError) as refused:
        load(build(), source_name=name)
    message = str(refused.value)
    assert cause in message
    assert "\n" not in message
    assert ":" in message


def test_encrypted_archive_is_refused() -> None:
    """A set encryption flag is enough; nothing is unpacked."""
    data = bytearray(word())
    data[data.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DocumentError, match="encrypted"):
        check_archive(bytes(data))


@given(
    data=st.binary(max_size=400), name=st.sampled_from(["a.pdf", "a.docx", "a.html", "a.md", "a"])
)
def test_any_bytes_load_or_are_refused(data: bytes, name: str) -> None:
    """No other exception escapes."""
    assert "\n" not in refusal(data, name)


@given(cut=st.integers(0, 2000), flip=st.integers(0, 255))
def test_damaged_pdf_loads_or_is_refused(cut: int, flip: int) -> None:
    """A changed byte anywhere in a PDF does no more harm than a refusal."""
    data = bytearray(pdf(text="Staff must not accept cash."))
    data[cut % len(data)] = flip
    assert "\n" not in refusal(bytes(data), "a.pdf")
