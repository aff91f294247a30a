"""Files of Google Drive, by version 3 of its REST API.

Whatever the service sends is taken for what it is named and checked: an identity goes into
addresses, so it is one of letters and digits, and a file's own address is put together from it.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.adapters.sources.http import Following, ServiceHttp, ServiceReply, ServiceRules
from core.adapters.sources.json_values import object_of, objects_of, text_of
from core.domain.errors import ConfigError, ContractError, DocumentError, TransientError
from core.domain.policy import MediaType

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
OF_GOOGLE = "application/vnd.google-apps."
"""How the types of files begin that Google's own editors make."""
EDITORS = {
    f"{OF_GOOGLE}document": ("document", ".docx"),
    f"{OF_GOOGLE}spreadsheet": ("spreadsheets", ".xlsx"),
    f"{OF_GOOGLE}presentation": ("presentation", ".pptx"),
}
"""Their files that are read: where they are opened, and what Google makes of them."""
A_PAGE = 1000
"""Files or changes asked for at a time, which is the most that it gives."""
FOLDERS = 30
"""In one query."""
PAGES = 2000
"""Of one listing; one that never ends would be read for ever."""
_BAD, _FORBIDDEN, _NOT_FOUND, _GONE = 400, 403, 404, 410
_FIELDS = (
    "id,name,mimeType,parents,driveId,trashed,modifiedTime,md5Checksum,size,permissionIds,"
    "capabilities(canDownload)"
)
_TOO_FAST = frozenset(["rateLimitExceeded", "userRateLimitExceeded"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveFile:
    """A file or folder."""

    id: str
    """Letters, digits, hyphens and underscores."""
    name: str
    """As people gave it."""
    kind: str
    """Media type, or one of Google's own."""
    parents: tuple[str, ...]
    """Folders that it lies in; those that we may not see are not told."""
    drive: str | None
    """The shared drive that it lies in; None: none."""
    is_there: bool
    """False: it, or a folder above it, is in the bin."""
    version: str
    """Changes with its content."""
    size: int
    """Bytes; 0 where it is not told."""
    may_download: bool
    """False: its owner switched that off for us."""
    sharing: frozenset[str] | None
    """Identities of the permissions that hold for it; None: they are not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveChange:
    """That something of a file, folder or shared drive changed."""

    id: str
    """Of the file; empty for a shared drive."""
    file: DriveFile | None
    """As it is now; None: it was deleted, or we may see it no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """To whom a file is shared, by one permission."""

    id: str
    """Of the permission; of one person, group or domain it is the same on every file."""
    kind: str
    """`user`, `group`, `domain` or `anyone`."""
    name: str
    """Address of the person or group, or name of the domain, in lower case; empty for anyone."""
    is_by_link: bool
    """True: for those alone who have the link; it is not found by searching."""


def rules_of(name: str, *, check: str) -> ServiceRules:
    """Return what is special about Google Drive: a pace that is exceeded may be a refusal."""
    return ServiceRules(
        name=name,
        check=check,
        is_throttling=lambda reply: reason_of(reply) in _TOO_FAST,
        said=lambda reply: text_of(object_of(reply.json().get("error")).get("message")),
    )


def reason_of(reply: ServiceReply) -> str:
    """Return the service's word for a failure; empty: none."""
    errors = object_of(reply.json().get("error")).get("errors")
    listed = objects_of(errors, service="Google Drive") if isinstance(errors, list) else []
    return text_of(listed[0].get("reason")) if listed else ""


class DriveFiles:
    """Reads files and what changes. Safe from many tasks."""

    def __init__(self, http: ServiceHttp) -> None:
        self._http = http

    async def file(self, item_id: str) -> DriveFile | None:
        """Return a file or folder; None: it is not there, or not for us."""
        address = self._address(f"/files/{_identity(item_id)}", fields=_FIELDS)
        told = await self._http.find_json(address, missing={_NOT_FOUND, _FORBIDDEN})
        return None if told is None else _file(told)

    async def root(self, item_id: str) -> DriveFile:
        """Return the folder that is followed.

        Raises:
            ConfigError: It is no folder that we may see.
        """
        found = await self.file(item_id)
        if found is None or found.kind != FOLDER or not found.is_there:
            raise ConfigError(
                f"there is no folder {item_id!r}, or the service account may not see it: share it"
                " with the account's address"
            )
        return found

    async def within(
        self, folders: Sequence[str], *, drive: str | None, folders_only: bool = False
    ) -> list[DriveFile]:
        """Return what lies directly in some folders."""
        found: list[DriveFile] = []
        for first in range(0, len(folders), FOLDERS):
            parents = " or ".join(f"'{one}' in parents" for one in folders[first : first + FOLDERS])
            which = f" and mimeType = '{FOLDER}'" if folders_only else ""
            params = {
                "q": f"({parents}) and trashed = false{which}",
                "pageSize": str(A_PAGE),
                "fields": f"nextPageToken,incompleteSearch,files({_FIELDS})",
                "includeItemsFromAllDrives": "true",
                **({"corpora": "drive", "driveId": drive} if drive else {}),
            }
            async for told in self._listed("/files", params):
                if told.get("incompleteSearch"):
                    raise TransientError("Google Drive could not list everything")
                found += [
                    _file(one) for one in objects_of(told.get("files"), service="Google Drive")
                ]
        return found

    async def now(self, *, drive: str | None) -> str:
        """Return the token of changes that are to come."""
        address = self._address("/changes/startPageToken", **({"driveId": drive} if drive else {}))
        return _token(await self._http.get_json(address), "startPageToken")

    async def changes(
        self, since: str, *, drive: str | None
    ) -> tuple[list[DriveChange], str] | None:
        """Return what changed since a token, each file once, and the next token.

        None: the token is known no more.
        """
        fields = f"changeType,fileId,removed,file({_FIELDS})"
        params = {
            "pageSize": str(A_PAGE),
            "includeRemoved": "true",
            "includeItemsFromAllDrives": "true",
            "fields": f"nextPageToken,newStartPageToken,changes({fields})",
            **({"driveId": drive} if drive else {}),
        }
        address = self._address("/changes", **params, pageToken=since)
        first = await self._http.find_json(address, missing={_BAD, _NOT_FOUND, _GONE})
        if first is None:
            return None
        found: dict[str, DriveChange] = {}
        told: dict[str, Any] = {}
        async for told in self._listed("/changes", params, first=first):
            for one in objects_of(told.get("changes"), service="Google Drive"):
                change = _change(one)
                found[change.id] = change
        return list(found.values()), _token(told, "newStartPageToken")

    async def content(self, file: str, *, made: MediaType | None, is_page: bool) -> bytes:
        """Return the content of a file; one of Google's own editors as what Google makes of it.

        Raises:
            DocumentError: It can't be had.
        """
        if made is not None:
            address = self._address(f"/files/{_identity(file)}/export", mimeType=made)
        else:
            address = self._address(f"/files/{_identity(file)}", alt="media")
        return await self._http.download(address, is_page=is_page)

    async def sharing(self, item_id: str) -> list[Sharing]:
        """Return to whom a file is shared.

        Raises:
            DocumentError: We may not read that.
        """
        path = f"/files/{_identity(item_id)}/permissions"
        fields = "nextPageToken,permissions(id,type,emailAddress,domain,allowFileDiscovery,view)"
        params = {"pageSize": "100", "fields": fields}
        address = self._address(path, **params)
        first = await self._http.find_json(address, missing={_FORBIDDEN, _NOT_FOUND})
        if first is None:
            raise DocumentError(
                "who it is shared with can't be read: make the service account an editor of the"
                " folder, or a content manager of the shared drive"
            )
        found: list[Sharing] = []
        async for told in self._listed(path, params, first=first):
            found += [
                Sharing(
                    id=text_of(one.get("id")),
                    kind=text_of(one.get("type")),
                    name=(text_of(one.get("emailAddress")) or text_of(one.get("domain"))).lower(),
                    is_by_link=one.get("allowFileDiscovery") is not True,
                )
                for one in objects_of(told.get("permissions"), service="Google Drive")
                if not one.get("view")
            ]
        return found

    def _address(self, path: str, **params: str) -> str:
        return self._http.address(path, **{"supportsAllDrives": "true", **params})

    async def _listed(
        self, path: str, params: Mapping[str, str], *, first: dict[str, Any] | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the answers of a listing, page by page."""
        told = first or await self._http.get_json(self._address(path, **params))
        pages = Following("Google Drive")
        for _ in range(PAGES):
            yield told
            if not told.get("nextPageToken"):
                return
            page = pages.next(_token(told, "nextPageToken"))
            told = await self._http.get_json(self._address(path, **params, pageToken=page))
        raise TransientError("Google Drive's listing does not end")


def _file(told: Mapping[str, Any]) -> DriveFile:
    parents, sharing = told.get("parents"), told.get("permissionIds")
    size = text_of(told.get("size"))
    return DriveFile(
        id=_identity(told.get("id")),
        name=text_of(told.get("name")),
        kind=text_of(told.get("mimeType")),
        parents=tuple(map(_identity, cast("list[Any]", parents)))
        if isinstance(parents, list)
        else (),
        drive=text_of(told.get("driveId")) or None,
        is_there=told.get("trashed") is False,
        version=":".join(text_of(told.get(name)) for name in ("modifiedTime", "md5Checksum")),
        size=int(size) if size.isascii() and size.isdecimal() else 0,
        may_download=object_of(told.get("capabilities")).get("canDownload") is not False,
        sharing=frozenset(map(str, cast("list[Any]", sharing)))
        if isinstance(sharing, list)
        else None,
    )


def _change(told: Mapping[str, Any]) -> DriveChange:
    is_gone = told.get("removed") is True or not isinstance(told.get("file"), dict)
    if told.get("changeType") == "drive":
        return DriveChange(id="", file=None)
    return DriveChange(
        id=_identity(told.get("fileId")),
        file=None if is_gone else _file(object_of(told.get("file"))),
    )


def _token(told: Mapping[str, Any], name: str) -> str:
    found = text_of(told.get(name))
    if not found:
        raise TransientError(f"Google Drive gives no {name}")
    return found


def _identity(value: object) -> str:
    """Return an identity, which goes into addresses and queries."""
    said = value if isinstance(value, str) else ""
    plain = said.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(said) <= 200):  # noqa: PLR2004
        raise ContractError(f"Google Drive gives what is no identity: {said[:50]!r}")
    return said
