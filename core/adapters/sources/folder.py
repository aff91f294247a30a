"""`FolderConnector`: a folder that this machine reads, with the manifests in it."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

from core.domain.errors import ConfigError, DocumentError, TransientError
from core.ingest.folder_listing import FileListing, absolute, link_problem, list_files, read_file
from core.ingest.prepare import NOTHING_GIVEN, Overrides
from core.sources.connector import ChangePage, ListingEnd, OtherItem, SourceItem

A_PAGE = 100
"""Documents of a page."""
OTHERS_A_PAGE = 1000


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
        listed = await asyncio.to_thread(self.listed)
        for page in pages_of(listed):
            yield page
        yield ListingEnd(token=None, is_whole=listed.is_whole)

    @property
    def access(self) -> None:
        """See `Connector.access`. Manifests say who may read."""
        return None

    async def check(self) -> str:
        """See `Connector.check`."""
        found = await asyncio.to_thread(self.listed)
        readable = sum(1 for one in found.items if one.problem is None)
        return f"{readable} documents can be read"

    def listed(self) -> "ListedFolder":
        """Return what the folder holds, by path. Blocks.

        Raises:
            ConfigError: It is not there or can't be read, or a manifest has a mistake.
            TransientError: It can't be read at the moment.
        """
        try:
            return self._listed()
        except OSError as error:
            raise TransientError(
                f"the folder {str(self._folder)!r} can't be read ({error.strerror}): look at its"
                " mount"
            ) from error

    def _listed(self) -> "ListedFolder":
        if not self._folder.is_dir():
            raise ConfigError(
                f"there is no folder {str(self._folder)!r}: mount it, or name another one"
            )
        listing = list_files([self._folder], given=NOTHING_GIVEN)
        hidden = [one for one in listing.skipped if one.hides]
        for one in hidden:
            if absolute(one.path) == self._folder:
                raise ConfigError(f"the folder {str(self._folder)!r}: {one.reason}")
        return ListedFolder(
            items=(*self._readable(listing), *self._skipped(listing)),
            others=tuple(map(self._other, listing.others)),
            is_whole=not hidden,
        )

    def _other(self, path: Path) -> OtherItem:
        place = self._path(absolute(path))
        return OtherItem(item_id=place, path=place)

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
        return await asyncio.to_thread(self._read, self._folder / item.path)

    def _read(self, path: Path) -> bytes:
        if problem := link_problem(path, self._folder):
            raise DocumentError(problem)
        return read_file(path)

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        return await asyncio.to_thread((self._folder / item_id).exists)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFolder:
    """What a folder holds."""

    items: tuple[SourceItem, ...]
    """Its documents."""
    others: tuple[OtherItem, ...]
    """Files that are no policies."""
    is_whole: bool
    """False: some of its folders can't be read, and what lies in them is not known."""


def pages_of(listed: ListedFolder) -> Iterator[ChangePage]:
    """Yield what was listed, a page at a time."""
    for first in range(0, len(listed.items), A_PAGE):
        yield ChangePage(items=listed.items[first : first + A_PAGE])
    for first in range(0, len(listed.others), OTHERS_A_PAGE):
        yield ChangePage(others=listed.others[first : first + OTHERS_A_PAGE])


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
