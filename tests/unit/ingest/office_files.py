"""Office files and e-mails made for the tests, by the libraries that others use."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from email.message import EmailMessage
from typing import Any

import openpyxl
import pptx
from pptx.util import Inches


def workbook(fill: Callable[[Any], None]) -> bytes:
    """A workbook; `fill` is given it, with one sheet, "Limits"."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Limits"
    fill(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def sheet(rows: Iterable[Sequence[object]]) -> bytes:
    """A workbook of one sheet with rows from the first on."""

    def fill(book: Any) -> None:
        for row in rows:
            book.active.append(row)

    return workbook(fill)


def presentation(fill: Callable[[Any], None]) -> bytes:
    deck = pptx.Presentation()
    fill(deck)
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def slide(deck: Any, title: str, *items: str, layout: int = 1) -> Any:
    """Add a slide with a title and a list."""
    made = deck.slides.add_slide(deck.slide_layouts[layout])
    made.shapes.title.text = title
    if items:
        made.placeholders[1].text_frame.text = "\n".join(items)
    return made


def slide_table(made: Any, rows: Sequence[Sequence[str]]) -> Any:
    size = (Inches(1), Inches(2), Inches(6), Inches(2))
    table = made.shapes.add_table(len(rows), len(rows[0]), *size).table
    for at, row in enumerate(rows):
        for place, text in enumerate(row):
            table.cell(at, place).text = text
    return table


def mail(text: str, *, html: str | None = None, files: Sequence[str] = (), **fields: str) -> bytes:
    message = EmailMessage()
    stated = {"Subject": "Desks", "From": "Facilities <desks@example.com>"}
    for name, value in {**stated, "Date": "Mon, 02 Mar 2026 09:12:00 +0100", **fields}.items():
        message[name] = value
    message.set_content(text)
    if html is not None:
        message.add_alternative(html, subtype="html")
    for name in files:
        message.add_attachment(b"x", maintype="application", subtype="pdf", filename=name)
    return message.as_bytes()


_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        *(("office", "office"), ("text", "text"), ("table", "table"), ("style", "style")),
        *(("draw", "drawing"), ("fo", "xsl-fo-compatible")),
    )
)


def open_document(body: str, *, styles: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """An OpenDocument text, as the standard has it (part 2, 3.3): its type is the first entry."""
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
        "</office:document-content>"
    )
    entries = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": content,
        "META-INF/manifest.xml": "<manifest/>",
        **(more or {}),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def message_file(texts: Mapping[int, str]) -> bytes:
    """A message of Outlook (MS-OXMSG): a compound file (MS-CFB) of text properties by their ids."""
    # Of 4,096 bytes at least, since smaller streams lie elsewhere.
    texts = {pid: text.ljust(2048) for pid, text in texts.items()}
    root = {f"__substg1.0_{pid:04X}001F": text.encode("utf-16-le") for pid, text in texts.items()}
    rows = b"".join(_property(pid, len(text) * 2 + 2) for pid, text in texts.items())
    root["__properties_version1.0"] = bytes(32) + rows
    return compound(root)


def _property(pid: int, size: int) -> bytes:
    return (
        ((pid << 16) | 0x1F).to_bytes(4, "little")
        + (6).to_bytes(4, "little")
        + size.to_bytes(8, "little")
    )


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file with streams at its root, each in sectors of its own."""
    sector, end, free = 512, 0xFFFFFFFE, 0xFFFFFFFF
    chunks: list[bytes] = []
    table: list[int] = []

    def store(data: bytes) -> int:
        first, count = len(chunks), max(1, -(-len(data) // sector))
        chunks.extend(
            data[at * sector : (at + 1) * sector].ljust(sector, b"\0") for at in range(count)
        )
        table.extend([*range(first + 1, first + count), end])
        return first

    entries: list[bytes] = []

    def entry(name: str, kind: int, *, right: int, child: int, start: int, size: int) -> None:
        raw = name.encode("utf-16-le")
        entries.append(
            raw.ljust(64, b"\0")
            + (len(raw) + 2).to_bytes(2, "little")
            + bytes([kind, 1])
            + b"".join(x.to_bytes(4, "little") for x in (free, right, child))
            + bytes(36)
            + start.to_bytes(4, "little")
            + size.to_bytes(8, "little")
        )

    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    entry("Root Entry", 5, right=free, child=1, start=end, size=0)
    for at, name in enumerate(names, start=1):
        data = streams[name].ljust(4096, b"\0")
        right = at + 1 if at < len(names) else free
        entry(name, 2, right=right, child=free, start=store(data), size=len(data))
    directory = store(b"".join(entries))
    fats = 1
    while len(chunks) + fats > fats * 128:
        fats += 1
    own = range(len(chunks), len(chunks) + fats)
    table += [0xFFFFFFFD] * fats
    fat = b"".join(x.to_bytes(4, "little") for x in table).ljust(fats * sector, b"\xff")
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + b"".join(x.to_bytes(2, "little") for x in (0x3E, 3, 0xFFFE, 9, 6))
        + bytes(6)
        + b"".join(
            x.to_bytes(4, "little")
            for x in (
                0,
                fats,
                directory,
                0,
                4096,
                end,
                0,
                end,
                0,
                *own,
            )
        )
    ).ljust(sector, b"\xff")
    return header + b"".join(chunks) + fat
