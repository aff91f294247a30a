"""`DocumentLibrary`: one of SharePoint, and the calls of Microsoft Graph that read it.

The site is named by its address, the library by its name, a folder by its path; Graph knows them by
ids, which are looked up when the first of them is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from core.adapters.sources.http import ServiceHttp, ServiceReply
from core.adapters.sources.json_values import object_of
from core.domain.errors import ConfigError, TransientError

A_PAGE = 200
"""Items asked for at a time."""
NOT_FOUND = 404
NAMED = 10
"""Libraries that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryAddress:
    """Where a library is, as people name it."""

    site: str
    """Address of the site."""
    library: str
    """Its name, or the last part of its address; empty: the site's first."""
    folder: str
    """The part that is read; empty: all of it."""

    @property
    def site_key(self) -> str:
        """Host and path of the site, in lower case: before the ids of its groups."""
        parts = urlsplit(self.site)
        return f"{parts.hostname}{parts.path.rstrip('/')}".lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryIds:
    """The same, as Graph knows it."""

    drive: str
    """Of the library."""
    name: str
    """Of the library."""
    scope: str
    """Of the folder that is read, or of the library's root."""


class DocumentLibrary:
    """Reads one library. Safe from many tasks."""

    def __init__(self, http: ServiceHttp, address: LibraryAddress) -> None:
        self._http = http
        self._address = address
        self._ids: LibraryIds | None = None

    @property
    def address(self) -> LibraryAddress:
        """Where it is."""
        return self._address

    async def ids(self) -> LibraryIds:
        """Return what it is called by.

        Raises:
            ConfigError: There is no such site, library or folder, or we may not read it.
            TransientError: Graph fails at the moment.
        """
        if self._ids is None:
            self._ids = await self._look_up()
        return self._ids

    async def item(self, item_id: str, /) -> Mapping[str, Any] | None:
        """Return a file or folder; None: it is gone."""
        address = await self.below(item_id, "", select="id,name,parentReference,root,deleted")
        reply = await self._http.get(address, may={NOT_FOUND})
        told = reply.json()
        if reply.status == NOT_FOUND or "deleted" in told:
            return None
        if not told.get("id"):
            raise TransientError("Microsoft Graph answers with what is no item")
        return told

    async def below(self, item_id: str, path: str, **query: str) -> str:
        """Return the address of what Graph has below an item, such as `/content`."""
        drive = (await self.ids()).drive
        options = {f"${name}": value for name, value in query.items()}
        return self._http.address(
            f"/drives/{_quoted(drive)}/items/{_quoted(item_id)}{path}", **options
        )

    async def delta(self, **query: str) -> str:
        """Return the address where changes are listed, from the beginning."""
        drive = (await self.ids()).drive
        return self._http.address(f"/drives/{_quoted(drive)}/root/delta", **query)

    def has(self, address: str) -> bool:
        """Say whether an address that was kept is one of the Graph that is set up now."""
        try:
            self._http.check_address(address)
        except TransientError:
            return False
        return True

    async def get(
        self, address: str, *, may: frozenset[int] = frozenset(), prefer: str = ""
    ) -> ServiceReply:
        """See `ServiceHttp.get`; `prefer` changes what a feed of changes says."""
        return await self._http.get(address, may=may, headers={"Prefer": prefer} if prefer else {})

    async def content(self, item_id: str, /, *, is_page: bool) -> bytes:
        """Return what a file holds; see `ServiceHttp.download`."""
        address = await self.below(item_id, "/content")
        return await self._http.download(address, is_page=is_page)

    async def _look_up(self) -> LibraryIds:
        parts = urlsplit(self._address.site)
        path = quote(unquote(parts.path.rstrip("/")))
        host = quote(parts.hostname or "")
        site = await self._json(
            f"/sites/{host}:{path}" if path else f"/sites/{host}",
            missing=f"there is no site {self._address.site!r}, or we may not see it",
        )
        site_id = quote(str(site.get("id", "")), safe=",")
        drive = await self._drive(site_id)
        drive_id, folder = str(drive.get("id", "")), self._address.folder.strip("/")
        at = f"root:/{quote(folder)}" if folder else "root"
        scope = await self._json(
            f"/drives/{_quoted(drive_id)}/{at}",
            missing=f"there is no folder {folder!r} in the library {drive.get('name')!r}",
        )
        if "folder" not in scope and "root" not in scope:
            raise ConfigError(f"{folder!r} is a file: name the folder that it lies in")
        return LibraryIds(
            drive=drive_id, name=str(drive.get("name", "")), scope=str(scope.get("id", ""))
        )

    async def _drive(self, site_id: str) -> Mapping[str, Any]:
        wanted = self._address.library.casefold()
        if not wanted:
            return await self._json(
                f"/sites/{site_id}/drive", missing="the site has no document library"
            )
        address = self._http.address(f"/sites/{site_id}/drives", **{"$select": "id,name,webUrl"})
        found: list[Mapping[str, Any]] = []
        for _ in range(NAMED):
            told = await self._http.get_json(address)
            found += values_of(told)
            address = told.get("@odata.nextLink")
            if not isinstance(address, str):
                break
        for one in found:
            last = unquote(str(one.get("webUrl", "")).rstrip("/").rpartition("/")[2])
            if wanted in {str(one.get("name", "")).casefold(), last.casefold()}:
                return one
        names = ", ".join(repr(str(one.get("name", ""))) for one in found[:NAMED])
        raise ConfigError(
            f"the site has no library {self._address.library!r}; it has {names or 'none'}"
        )

    async def _json(self, path: str, *, missing: str) -> Mapping[str, Any]:
        reply = await self._http.get(self._http.address(path), may={NOT_FOUND})
        if reply.status == NOT_FOUND:
            raise ConfigError(f"{missing}: check the name, and the grant for the site")
        told = reply.json()
        if not told.get("id"):
            raise TransientError("Microsoft Graph answers with what is no item")
        return told


def values_of(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects of a page.

    Raises:
        TransientError: It is none.
    """
    values = told.get("value")
    if not isinstance(values, list):
        raise TransientError("Microsoft Graph answers with what is no list")
    return [object_of(one) for one in cast("list[Any]", values) if isinstance(one, dict)]


def _quoted(identity: str) -> str:
    """Return an id as part of a path; one of nothing but dots would lead elsewhere."""
    return quote(identity, safe="!").replace(".", "%2E")
