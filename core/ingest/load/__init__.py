"""Bytes to text: one module a format, one result, one kind of refusal.

First stage of ingestion, before `sections`. Third-party parsers are used here and nowhere else.
Nothing is fetched, no file is opened: the bytes given are all there is.
"""

from collections.abc import Callable
from dataclasses import replace

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument, MediaType
from core.ingest.load.docx import load_docx
from core.ingest.load.html import load_html
from core.ingest.load.markdown import load_markdown
from core.ingest.load.pdf import load_pdf
from core.ingest.load.sniff import sniff
from core.ingest.load.text import load_text
from core.ingest.metadata import describe

MAX_BYTES = 50 * 1024 * 1024

_LOADERS: dict[MediaType, Callable[[bytes], LoadedDocument]] = {
    "application/pdf": load_pdf,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": load_docx,
    "text/markdown": load_markdown,
    "text/html": load_html,
    "text/plain": load_text,
}


def load(data: bytes, *, source_name: str) -> LoadedDocument:
    """Turn a file into text.

    Args:
        data: the file.
        source_name: its name; the extension tells Markdown, HTML and plain text apart.

    Returns:
        The text with exact offsets of headings, tables and pages, and what the document says of
        itself.

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
    document = _LOADERS[sniff(data, source_name=source_name)](data)
    if not document.text:
        raise DocumentError("there is no text in it: check that this is the right file")
    return replace(document, metadata=_merged(document))


def _merged(document: LoadedDocument) -> dict[str, str]:
    """Front matter is written on purpose and wins.

    File properties are often left from a template and lose.
    """
    said = describe(document.text, document.tables)
    if document.media_type == "text/markdown":
        return {**said, **document.metadata}
    return {**document.metadata, **said}
