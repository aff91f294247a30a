"""Files between two readings: all are read before the first is stored, and each is read again."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from bot.console.ingest.ingest_files import ReadFile, ingest_all, prepared_again, read_all
from core.domain.errors import DocumentError
from core.ingest.folder_listing import find_sources
from core.ingest.prepare import NOTHING_GIVEN, Prepared, prepare
from core.ingest.publish import Ingestor

OLD = b"# Gifts\n\n1.1 Staff must report gifts within 5 days.\n"
NEW = OLD.replace(b"5 days", b"9 days")


class Reading:
    """Prepares files, and remembers what it was given to store."""

    def __init__(self) -> None:
        self.stored: list[tuple[bytes, Prepared]] = []

    async def prepare(self, data: bytes, *, source_name: str, **_: Any) -> Prepared:
        """Read a file."""
        return prepare(data, source_name=source_name)

    async def ingest(self, data: bytes, *, prepared: Prepared, **_: Any) -> Any:
        """Store nothing."""
        self.stored.append((data, prepared))
        return Mock(before=Mock(return_value=None))


async def test_a_file_that_changes_between_two_readings_is_refused(tmp_path: Path) -> None:
    """What is stored of it is never the text of one state with the bytes of another."""
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(OLD.replace(b"Gifts", name.encode()))
    reading = Reading()
    ingestor = cast("Ingestor", reading)
    sources = find_sources([tmp_path], given=NOTHING_GIVEN).sources
    refused: list[str] = []
    async for done in ingest_all(ingestor, sources, with_chunks=True):
        refused += [getattr(done.result, "reason", "")]
        (tmp_path / "b.md").write_bytes(NEW)
    assert refused == ["", "it changed while it was read: ingest it again"]
    for data, prepared in reading.stored:
        assert prepared.sha256 == hashlib.sha256(data).digest()


async def test_what_was_not_kept_is_read_again(tmp_path: Path) -> None:
    """Of a folder with more text than is kept; and it must be the same by then, too."""
    (tmp_path / "a.md").write_bytes(OLD)
    ingestor = cast("Ingestor", Reading())
    sources = find_sources([tmp_path], given=NOTHING_GIVEN).sources
    (read,) = await read_all(ingestor, sources, with_chunks=True)
    assert isinstance(read, ReadFile)
    unkept = replace(read, prepared=None)
    assert await prepared_again(ingestor, unkept, OLD, with_chunks=True) == read.prepared
    with pytest.raises(DocumentError, match="changed while it was read"):
        await prepared_again(ingestor, unkept, NEW, with_chunks=True)
