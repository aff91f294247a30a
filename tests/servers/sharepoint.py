"""A local server that speaks what Microsoft Graph says of a document library of SharePoint.

Sites, libraries, files, permissions, and the feed of changes: pages, links to go on, parents that
come along, children that don't, tokens that are too old. A download is a redirect to an address
that must get no access token.
"""

import base64
import itertools
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import jwt
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.servers.in_thread import serving

TENANT = "7a1c6f0e-52d4-4a8b-9b1e-3f1d0c2b4a59"
APP = "0d9e8c7b-6a5f-4e3d-8c2b-1a0f9e8d7c6b"
SECRET = "".join(("client", "-", "secret"))
SITE = "https://contoso.sharepoint.example/sites/Policies"
DRIVE = "b!drive-of-the-tests"


@dataclass(slots=True, kw_only=True)
class DriveEntry:
    """A file or folder."""

    entry_id: str
    name: str
    parent: str
    content: bytes | None
    """None: a folder."""
    version: int = 1
    is_deleted: bool = False
    permissions: list[dict[str, Any]] | None = None
    """None: those of the folder that it lies in."""
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    """Beside what each item says."""


@dataclass(slots=True, kw_only=True)
class RefusedAnswer:
    """How a request is answered instead of as usual, once."""

    part: str
    """Of its address."""
    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class _FeedPlace:
    """What a link of the feed stands for."""

    listed: list[str]
    """What is listed page by page; empty: the next changes."""
    start: int
    """The first that the next page lists."""
    end: int
    """Changes from here on are those to come."""


class FakeSharePoint:
    """See the module. `url` stands for Graph and for the service of tokens."""

    def __init__(self) -> None:
        self.url = ""
        self.page_size = 100
        self.repeats: str | None = None
        """A file that a feed lists once more on its last page, as one that is there."""
        self.leads_to = ""
        """Where links of the feed lead, if not here."""
        self.library_names = ["Documents", "Contracts"]
        self.asked: list[str] = []
        """Addresses, without the host."""
        self.refusals: list[RefusedAnswer] = []
        self.good_tokens: set[str] = set()
        self.oldest = 0
        """Changes before this one are forgotten."""
        self.entries: dict[str, DriveEntry] = {}
        self._log: list[str] = []
        self._folders: dict[str, str] = {}
        self._feeds: dict[str, _FeedPlace] = {}
        self._numbers = itertools.count(1)
        self.entries["root"] = DriveEntry(
            entry_id="root", name="root", parent="", content=None, permissions=[]
        )

    def add(self, path: str, content: str | bytes | None = None, **more: Any) -> str:
        """Put a file, or without content a folder, with the folders that it lies in."""
        place, _, name = path.rpartition("/")
        above = self._folder(place) if place else "root"
        data = content.encode() if isinstance(content, str) else content
        found = self._new(above, name, data)
        self.entries[found].more = more
        return found

    def change(self, entry_id: str, content: str) -> None:
        """Give a file another content."""
        entry = self.entries[entry_id]
        entry.content, entry.version = content.encode(), entry.version + 1
        self._log.append(entry_id)

    def move(self, entry_id: str, *, name: str | None = None, to: str | None = None) -> None:
        """Rename or move a file or folder; of a folder, nothing is said of what lies in it."""
        entry = self.entries[entry_id]
        entry.name, entry.parent = name or entry.name, to or entry.parent
        entry.version += 1
        self._log.append(entry_id)

    def delete(self, entry_id: str, *, is_told: bool = True) -> None:
        """Delete a file, or a folder with all in it; `is_told`: the feed names these, too."""
        self.entries[entry_id].is_deleted = True
        self._log.append(entry_id)
        for one in self.entries.values():
            if one.parent == entry_id and not one.is_deleted:
                self.delete(one.entry_id, is_told=is_told)
                if not is_told:
                    self._log.remove(one.entry_id)

    def restore(self, folder_id: str) -> None:
        """Bring a folder back with all in it; the feed names the folder alone."""
        self.entries[folder_id].is_deleted = False
        self._log.append(folder_id)
        for one in self.entries.values():
            if one.parent == folder_id and one.is_deleted:
                self.restore(one.entry_id)
                self._log.remove(one.entry_id)

    def share(self, entry_id: str, *permissions: dict[str, Any]) -> None:
        """Give a file or folder permissions of its own."""
        self.entries[entry_id].permissions = list(permissions)
        self._log.append(entry_id)

    def expire_tokens(self) -> None:
        """Let no access token be good any more."""
        self.good_tokens.clear()

    def forget_changes(self) -> None:
        """Let all links of the feed be too old."""
        self.oldest = len(self._log) + 1
        self._log.append("root")

    def refuse(self, part: str, status: int, **headers: str) -> None:
        """Answer the next request of an address so."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.refusals.append(RefusedAnswer(part=part, status=status, headers=named))

    def count(self, part: str) -> int:
        """Return how often an address with this part was asked for."""
        return sum(part in one for one in self.asked)

    def _folder(self, path: str) -> str:
        """Return a folder, made where it was never made."""
        if path not in self._folders:
            place, _, name = path.rpartition("/")
            above = self._folder(place) if place else "root"
            self._folders[path] = self._child(above, name) or self._new(above, name, None)
        return self._folders[path]

    def _child(self, parent: str, name: str) -> str | None:
        for one in self.entries.values():
            if (one.parent, one.name, one.is_deleted) == (parent, name, False):
                return one.entry_id
        return None

    def _new(self, parent: str, name: str, content: bytes | None) -> str:
        entry_id = f"01ITEM{next(self._numbers):06}"
        self.entries[entry_id] = DriveEntry(
            entry_id=entry_id, name=name, parent=parent, content=content
        )
        self._log.append(entry_id)
        return entry_id

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        path = unquote(request.raw_path.partition("?")[0])
        self.asked.append(unquote(request.raw_path))
        for one in self.refusals:
            if one.part in self.asked[-1]:
                self.refusals.remove(one)
                return web.json_response(one.body, status=one.status, headers=one.headers)
        if path == f"/{TENANT}/oauth2/v2.0/token":
            return await self._token(request)
        if path.startswith("/download/"):
            if "Authorization" in request.headers:
                return web.Response(status=400, text="this address must get no access token")
            return web.Response(body=self.entries[path.rpartition("/")[2]].content)
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if sent not in self.good_tokens:
            return _error(401, "InvalidAuthenticationToken")
        return self._graph(path.removeprefix("/v1.0"), request)

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        if "client_assertion" in form:
            if not _is_signed(str(form["client_assertion"]), f"{self.url}{request.path}"):
                return web.json_response({"error": "invalid_client"}, status=401)
        elif (form.get("client_id"), form.get("client_secret")) != (APP, SECRET):
            told = {"error": "invalid_client", "error_codes": [7000215]}
            return web.json_response(told, status=401)
        token = f"token-{next(self._numbers)}"
        self.good_tokens.add(token)
        return web.json_response({"access_token": token, "expires_in": 3600})

    def _graph(self, path: str, request: web.Request) -> web.Response:
        host, _, site = SITE.removeprefix("https://").partition("/")
        drives: list[dict[str, Any]] = [
            {"id": DRIVE if number == 0 else f"b!{name}", "name": name, "webUrl": f"{SITE}/{name}"}
            for number, name in enumerate(self.library_names)
        ]
        told: dict[str, dict[str, Any]] = {
            f"/sites/{host}:/{site}": {"id": f"{host},1,2", "webUrl": SITE},
            f"/sites/{host},1,2/drive": drives[0],
            f"/sites/{host},1,2/drives": {"value": drives},
        }
        if path in told:
            return web.json_response(told[path])
        if not path.startswith(f"/drives/{DRIVE}/"):
            return _error(404, "itemNotFound")
        path = path.removeprefix(f"/drives/{DRIVE}")
        return self._delta(request) if path == "/root/delta" else self._of_drive(path)

    def _of_drive(self, path: str) -> web.Response:
        item_id, _, what = path.removeprefix("/items/").partition("/")
        if path.startswith("/root"):
            item_id, what = self._at(path.removeprefix("/root").lstrip(":/")), ""
        entry = self.entries.get(item_id)
        if entry is None or (entry.is_deleted and item_id != self.repeats):
            return _error(404, "itemNotFound")
        if what == "content":
            to = f"{self.url}/download/{item_id}?tempauth=1"
            return web.Response(status=302, headers={"Location": to})
        if what == "permissions":
            while entry.permissions is None:
                entry = self.entries[entry.parent]
            return web.json_response({"value": entry.permissions})
        return web.json_response(self._said(entry))

    def _at(self, path: str) -> str:
        above = "root"
        for name in path.split("/") if path else []:
            above = self._child(above, name) or "-"
        return above

    def _said(self, entry: DriveEntry) -> dict[str, Any]:
        """Return an item as Graph says it: a deleted one without its name."""
        parent = {"driveId": DRIVE, "id": entry.parent} if entry.parent else {"driveId": DRIVE}
        told: dict[str, Any] = {"id": entry.entry_id, "parentReference": parent}
        kind = "folder" if entry.content is None else "file"
        if entry.is_deleted:
            return told | {"deleted": {"state": "deleted"}, kind: {}}
        told |= {
            "name": entry.name,
            "eTag": f'"{{{entry.entry_id}}},{entry.version}"',
            "size": len(entry.content or b""),
            "webUrl": f"{SITE}/Documents/{quote(entry.name, errors='replace')}",
            kind: {},
        }
        if entry.entry_id == "root":
            told["root"] = {}
        return told | entry.more

    def _delta(self, request: web.Request) -> web.Response:
        token = request.query.get("token", "")
        if token == "latest":  # noqa: S105
            return self._page([], 0, len(self._log))
        if not token:
            listed = [one for one, entry in self.entries.items() if not entry.is_deleted]
            return self._page(listed, 0, len(self._log))
        given = self._feeds.get(token)
        if given is None:
            return _error(400, "invalidRequest")
        if given.end < self.oldest:
            to = f"{self.url}/v1.0/drives/{DRIVE}/root/delta"
            return _error(410, "resyncChangesApplyDifferences", Location=to)
        if given.listed:
            return self._page(given.listed, given.start, given.end)
        listed = self._with_parents(list(dict.fromkeys(self._log[given.end :])))
        return self._page(listed, 0, len(self._log))

    def _with_parents(self, changed: list[str]) -> list[str]:
        found: list[str] = []
        for one in changed:
            chain = [one]
            while parent := self.entries[chain[-1]].parent:
                chain.append(parent)
            found += [each for each in reversed(chain) if each not in found]
        return found

    def _page(self, listed: list[str], start: int, end: int) -> web.Response:
        stop = start + self.page_size
        values = [self._said(self.entries[one]) for one in listed[start:stop]]
        if self.repeats in listed and stop >= len(listed):
            values.append(self._said(replace(self.entries[self.repeats], is_deleted=False)))
        goes_on = stop < len(listed)
        token = f"feed-{next(self._numbers)}"
        self._feeds[token] = _FeedPlace(listed=listed if goes_on else [], start=stop, end=end)
        link = f"{self.leads_to or self.url}/v1.0/drives/{DRIVE}/root/delta?token={token}"
        name = "@odata.nextLink" if goes_on else "@odata.deltaLink"
        return web.json_response({"value": values, name: link})


@cache
def certificate_file() -> str:
    """Return a certificate with its private key, as an administrator has them in one file."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "reader")])
    now = datetime.fromtimestamp(0, UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(7)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=36_500))
        .sign(private, SHA256())
    )
    key = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return (key + certificate.public_bytes(Encoding.PEM)).decode()


def _is_signed(assertion: str, url: str) -> bool:
    """Say whether a request for a token is signed with the certificate, as Entra wants it."""
    certificate = x509.load_pem_x509_certificate(certificate_file().encode())
    thumbprint = base64.urlsafe_b64encode(certificate.fingerprint(SHA256())).decode().rstrip("=")
    if jwt.get_unverified_header(assertion).get("x5t#S256") != thumbprint:
        return False
    key = certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    claims = jwt.decode(assertion, key, algorithms=["PS256"], audience=url, issuer=APP)
    return claims["sub"] == APP and len(claims["jti"]) > 16 and claims["exp"] <= claims["nbf"] + 600


def _error(status: int, code: str, **headers: str) -> web.Response:
    return web.json_response({"error": {"code": code}}, status=status, headers=headers)


@contextmanager
def sharepoint_server() -> Generator[FakeSharePoint]:
    """Run a server with an empty library."""
    server = FakeSharePoint()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", server.answer)
    with serving(application) as server.url:
        yield server


def group(group_id: str, *, login: str | None = None, role: str = "read") -> dict[str, Any]:
    """Return the permission of a group of Entra."""
    told: dict[str, Any] = {"group": {"id": group_id, "displayName": "A group"}}
    if login:
        told["siteUser"] = {"loginName": login, "id": "9"}
    return {"id": group_id, "roles": [role], "grantedToV2": told}
