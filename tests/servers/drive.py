"""A local server that speaks Google Drive's REST API, and gives tokens to its service account."""

import json
import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.servers.in_thread import serving

ACCOUNT = "reader@project.iam.gserviceaccount.example"
DOCUMENT = "application/vnd.google-apps.document"
FOLDER = "application/vnd.google-apps.folder"
ROOT = "root-folder-0"
SHEET = "application/vnd.google-apps.spreadsheet"
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_QUERY = re.compile(
    r"\((?P<parents>'[\w-]+' in parents(?: or '[\w-]+' in parents)*)\) and trashed = false"
    r"(?P<folders> and mimeType = 'application/vnd\.google-apps\.folder')?"
)


@cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_file(url: str) -> str:
    """Return the key file of the service account, for a server at this address."""
    private = _key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    told = {
        "type": "service_account",
        "private_key_id": "1a2b",
        "private_key": private,
        "client_email": ACCOUNT,
        "token_uri": f"{url}/token",
    }
    return json.dumps(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file or folder."""

    id: str
    name: str
    kind: str = "text/markdown"
    parent: str = ROOT
    content: bytes = b"# Policy\n\n## 1 Rule\n\n1.1 Employees must ask first.\n"
    version: int = 1
    is_trashed: bool = False
    is_hidden: bool = False
    """True: the account may not see it."""
    shared_with: tuple[str, ...] = ("p-all",)
    """Permissions by identity."""
    size: int | None = None
    """As it is told; None: that of its content."""
    may_download: bool = True


@dataclass(slots=True, kw_only=True)
class Drive:
    """What the server holds, does and was asked."""

    files: dict[str, File] = field(default_factory=dict[str, File])
    permissions: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            "p-all": {"type": "group", "emailAddress": "All@Example.com"},
            "p-legal": {"type": "group", "emailAddress": "legal@example.com"},
            "p-ann": {"type": "user", "emailAddress": "ann@example.com"},
            "p-domain": {"type": "domain", "domain": "example.com", "allowFileDiscovery": True},
            "p-link": {"type": "domain", "domain": "example.com", "allowFileDiscovery": False},
            "p-web": {"type": "anyone", "allowFileDiscovery": True},
        }
    )
    of_file: dict[tuple[str, str], dict[str, Any]] = field(
        default_factory=dict[tuple[str, str], dict[str, Any]]
    )
    """What is different of a permission on one file."""
    log: list[str] = field(default_factory=list[str])
    """Identities of what changed, in order; empty for the shared drive itself."""
    drive: str | None = None
    """The shared drive that all of it lies in."""
    most: int = 1000
    """Of a page of any listing."""
    tells_sharing: bool = True
    """False: the account may not read with whom files are shared."""
    forgets: bool = False
    """True: tokens of changes are known no more."""
    is_incomplete: bool = False
    stalls: str = "nothing"
    """Requests for what is named so have to wait for an hour."""
    faults: list[tuple[int, str, dict[str, str]]] = field(
        default_factory=list[tuple[int, str, dict[str, str]]]
    )
    """Status, reason and headers of the next answers."""
    tokens: int = 0
    """How many were given out; the last one alone is good."""
    asked: Counter[str] = field(default_factory=Counter[str])
    """Requests by the last part of their paths."""

    def put(self, *files: File) -> None:
        """Add or replace files."""
        for one in files:
            self.files[one.id] = one
            self.log.append(one.id)

    def change(self, item_id: str, **what: Any) -> None:
        """Change a file; a new content is a new version."""
        before = self.files[item_id]
        version = before.version + ("content" in what)
        self.put(replace(before, version=version, **what))

    def remove(self, item_id: str) -> None:
        """Delete a file for good."""
        del self.files[item_id]
        self.log.append(item_id)


@contextmanager
def google_drive(drive: Drive) -> Generator[str]:
    """Serve a drive; give the address."""
    drive.files.setdefault(ROOT, File(id=ROOT, name="Policies", kind=FOLDER, parent="elsewhere-1"))
    application = web.Application(middlewares=[_guard(drive)])
    held = _Handlers(drive)
    application.add_routes(
        [
            web.post("/token", held.token),
            web.get("/drive/v3/files", held.listing),
            web.get("/drive/v3/files/{id}", held.one),
            web.get("/drive/v3/files/{id}/export", held.export),
            web.get("/drive/v3/files/{id}/permissions", held.permissions),
            web.get("/drive/v3/changes", held.changes),
            web.get("/drive/v3/changes/startPageToken", held.now),
        ]
    )
    with serving(application) as url:
        yield url


def _guard(drive: Drive) -> Any:
    @web.middleware
    async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
        if request.path == "/token":
            return await handler(request)
        drive.asked[request.path.rpartition("/")[2]] += 1
        if drive.faults:
            status, reason, headers = drive.faults.pop(0)
            return _failure(status, reason, headers)
        if request.path.endswith(drive.stalls):
            return _failure(429, "rateLimitExceeded", {"Retry-After": "3600"})
        if request.headers.get("Authorization") != f"Bearer ya29.{drive.tokens}":
            return _failure(401, "authError")
        return await handler(request)

    return guard


def _failure(status: int, reason: str, headers: dict[str, str] | None = None) -> web.Response:
    error = {
        "code": status,
        "message": f"It failed: {reason}",
        "errors": [{"domain": "global", "reason": reason, "message": reason}],
    }
    return web.json_response({"error": error}, status=status, headers=headers)


class _Handlers:
    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    async def token(self, request: web.Request) -> web.Response:
        form = await request.post()
        try:
            claims = jwt.decode(
                str(form["assertion"]),
                _key().public_key(),
                algorithms=["RS256"],
                audience=f"http://{request.host}/token",
                issuer=ACCOUNT,
            )
        except jwt.PyJWTError:
            return web.json_response({"error": "invalid_grant"}, status=400)
        assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
        assert claims["scope"] == "https://www.googleapis.com/auth/drive.readonly"
        self._drive.tokens += 1
        given = {"access_token": f"ya29.{self._drive.tokens}", "expires_in": 3599}
        return web.json_response(given | {"token_type": "Bearer"})

    async def listing(self, request: web.Request) -> web.Response:
        query = request.query
        found = _QUERY.fullmatch(query["q"])
        assert found, query["q"]
        assert query["supportsAllDrives"] == query["includeItemsFromAllDrives"] == "true"
        assert query.get("driveId") == self._drive.drive
        parents = re.findall(r"'([\w-]+)'", found["parents"])
        files = [
            self._told(one)
            for one in self._drive.files.values()
            if one.parent in parents
            and not one.is_hidden
            and not self._is_trashed(one)
            and (not found["folders"] or one.kind == FOLDER)
        ]
        return self._paged(request, "files", files, incompleteSearch=self._drive.is_incomplete)

    async def one(self, request: web.Request) -> web.StreamResponse:
        file = self._find(request)
        if file is None:
            return _failure(404, "notFound")
        if request.query.get("alt") != "media":
            return web.json_response(self._told(file))
        if not file.may_download:
            return _failure(403, "cannotDownloadFile")
        return web.Response(body=file.content, content_type=file.kind)

    async def export(self, request: web.Request) -> web.StreamResponse:
        file = self._find(request)
        if file is None:
            return _failure(404, "notFound")
        made = request.query["mimeType"]
        if (file.kind, made) not in {(DOCUMENT, WORD), (SHEET, EXCEL)}:
            return _failure(403, "fileNotExportable")
        if len(file.content) > 10 * 1024 * 1024:
            return _failure(403, "exportSizeLimitExceeded")
        return web.Response(body=file.content, content_type=made)

    async def permissions(self, request: web.Request) -> web.Response:
        file = self._find(request)
        if file is None:
            return _failure(404, "notFound")
        if not self._drive.tells_sharing:
            return _failure(403, "insufficientFilePermissions")
        told = [
            {
                "id": one,
                **self._drive.permissions[one],
                **self._drive.of_file.get((file.id, one), {}),
            }
            for one in file.shared_with
        ]
        return self._paged(request, "permissions", told)

    async def now(self, request: web.Request) -> web.Response:
        assert request.query.get("driveId") == self._drive.drive
        return web.json_response({"startPageToken": str(len(self._drive.log))})

    async def changes(self, request: web.Request) -> web.Response:
        assert request.query["includeRemoved"] == "true"
        if self._drive.forgets:
            return _failure(400, "invalid")
        first = int(request.query["pageToken"])
        page = self._drive.log[first : first + self._drive.most]
        last = first + len(page)
        is_end = last >= len(self._drive.log)
        following = {("newStartPageToken" if is_end else "nextPageToken"): str(last)}
        return web.json_response({"changes": [self._change(one) for one in page], **following})

    def _change(self, item_id: str) -> dict[str, Any]:
        if not item_id:
            return {"changeType": "drive", "driveId": self._drive.drive, "removed": False}
        file = self._drive.files.get(item_id)
        told: dict[str, Any] = {"changeType": "file", "fileId": item_id, "removed": False}
        if file is None or file.is_hidden:
            return told | {"removed": True}
        return told | {"file": self._told(file)}

    def _find(self, request: web.Request) -> File | None:
        file = self._drive.files.get(request.match_info["id"])
        return None if file is None or file.is_hidden else file

    def _is_trashed(self, file: File | None) -> bool:
        while file is not None:
            if file.is_trashed:
                return True
            file = self._drive.files.get(file.parent)
        return False

    def _told(self, file: File) -> dict[str, Any]:
        is_google = file.kind.startswith("application/vnd.google-apps.")
        size = len(file.content) if file.size is None else file.size
        shared = {"driveId": self._drive.drive} if self._drive.drive else {}
        sharing = {"permissionIds": list(file.shared_with)} if self._drive.tells_sharing else {}
        blob = {} if is_google else {"size": str(size), "md5Checksum": f"md5-{file.version}"}
        return {
            "id": file.id,
            "name": file.name,
            "mimeType": file.kind,
            "parents": [file.parent],
            "trashed": self._is_trashed(file),
            "modifiedTime": f"2026-01-01T00:00:{file.version:02}.000Z",
            "capabilities": {"canDownload": file.may_download},
            **shared,
            **sharing,
            **blob,
        }

    def _paged(
        self, request: web.Request, name: str, found: list[dict[str, Any]], **also: Any
    ) -> web.Response:
        limit = min(int(request.query.get("pageSize", "100")), self._drive.most)
        first = int(request.query.get("pageToken", "0"))
        told: dict[str, Any] = {name: found[first : first + limit], **also}
        if first + limit < len(found):
            told["nextPageToken"] = str(first + limit)
        return web.json_response(told)
