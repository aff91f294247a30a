"""`FolderConnector`: a folder that this machine reads, with the manifests in it."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path

from core.domain.errors import ConfigError, DocumentError, EmptyCorpusError
from core.ingest.folder_listing import FileListing, absolute, find_sources
from core.ingest.load import MAX_BYTES
from core.ingest.prepare import NOTHING_GIVEN, Overrides
from core.sources.connector import ChangePage, ListingEnd, SourceItem

A_PAGE = 100
"""Documents of a page."""


class FolderConnector:
    """See `Connector`. A document's identity is its path; each listing is whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = absolute(folder)

    @property
    def root(self) -> Path:
        """The folder, from the root."""
        return self._folder

    async def changes(
        self,
        *,
        since: str | None,
        cursor: str | None,
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`."""
        for page in pages_of(await asyncio.to_thread(self.items)):
            yield ChangePage(items=page)
        yield ListingEnd(token=None, is_whole=True)

    @property
    def access(self) -> None:
        """See `Connector.access`. Manifests say who may read."""
        return None

    async def check(self) -> str:
        """See `Connector.check`."""
        found = await asyncio.to_thread(self.items)
        readable = sum(1 for one in found if one.problem is None)
        return f"{readable} documents can be read"

    def items(self) -> tuple[SourceItem, ...]:
        """Return the documents of the folder, by path. Blocks.

        Raises:
            ConfigError: It is not there, or a manifest has a mistake.
        """
        if not self._folder.is_dir():
            raise ConfigError(
                f"there is no folder {str(self._folder)!r}: mount it, or name another one"
            )
        try:
            listing = find_sources([self._folder], given=NOTHING_GIVEN)
        except EmptyCorpusError:
            return ()
        return (*self._readable(listing), *self._skipped(listing))

    def _readable(self, listing: FileListing) -> list[SourceItem]:
        found: dict[str, SourceItem] = {}
        for each in listing.sources:
            path = self._path(Path(each.file.path))
            found[path] = SourceItem(
                item_id=path,
                path=path,
                version=f"{_state_of(each.path)}:{_digest(each.given)}",
                given=each.given,
            )
        return list(found.values())

    def _skipped(self, listing: FileListing) -> list[SourceItem]:
        found: list[SourceItem] = []
        for each in listing.skipped:
            path = self._path(absolute(each.path))
            version = f"{_state_of(each.path)}:{each.reason}"
            found.append(SourceItem(item_id=path, path=path, version=version, problem=each.reason))
        return found

    def _path(self, path: Path) -> str:
        said = path.relative_to(self._folder).as_posix()
        return said.encode(errors="replace").decode()

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        return await asyncio.to_thread(_read, self._folder / item.path)

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        return await asyncio.to_thread((self._folder / item_id).exists)


def pages_of(items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, ...]]:
    """Yield the items, a page at a time."""
    for first in range(0, len(items), A_PAGE):
        yield tuple(items[first : first + A_PAGE])


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DocumentError(
                f"{size / 1024 / 1024:.0f} MB is over the limit of {MAX_BYTES // 1024 // 1024} MB:"
                " split it or leave out images"
            )
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(
            f"it can't be read ({error.strerror}): check its permissions"
        ) from error


def _state_of(path: Path) -> str:
    try:
        state = path.lstat() if not path.exists() else path.stat()
    except OSError:
        return "gone"
    return f"{state.st_mtime_ns}:{state.st_size}"


def _digest(given: Overrides) -> str:
    """Return what changes with anything that a manifest says."""
    said = {one.name: _text(getattr(given, one.name)) for one in fields(given)}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def _text(value: str | date | frozenset[str] | None) -> str | list[str] | None:
    if isinstance(value, frozenset):
        return sorted(value)
    return value.isoformat() if isinstance(value, date) else value
