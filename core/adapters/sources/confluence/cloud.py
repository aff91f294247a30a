"""A space of Confluence Cloud: pages by version 2 of its REST API, changes and restrictions by 1.

Whatever the service sends is taken for what it is named and checked: identities are digits, the
next page lies below our own site (`ServiceHttp`), and an address of a page is put together from the
site that is configured.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

from core.adapters.sources.http import DELETED, Following, ServiceHttp, ServiceReply, ServiceRules
from core.adapters.sources.json_values import object_of, objects_of, text_of
from core.domain.errors import ConfigError, ContractError, DocumentError, TransientError

A_PAGE = 250
"""Pages asked for at a time, which is the most that it gives."""
A_BATCH = 50
"""Identities in one request."""
PAGES = 4000
"""Of one listing; one that never ends would be read for ever."""
TIME_ZONES = timedelta(hours=12, minutes=10)
"""CQL takes a time for one in the time zone of the account, which it does not tell: the one that is
farthest west, and some minutes until the search knows of a change."""
_FORBIDDEN, _NOT_FOUND = 403, 404
_GROUPS = "restrictions.read.restrictions.group,restrictions.read.restrictions.user"
_OF_ONE = "restrictions.group,restrictions.user"
_WHERE = {
    "page": "pages",
    "folder": "folders",
    "whiteboard": "whiteboards",
    "database": "databases",
    "embed": "embeds",
}
"""Where each kind of content is read that may stand above a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A page, or what may stand above one."""

    id: str
    """Digits."""
    kind: str
    """Of content: `page`, `folder` and others."""
    title: str
    """As people gave it."""
    parent: tuple[str, str] | None
    """Kind and identity of what it stands below; None: it stands at the top of its space."""
    version: int
    """Number of its version; 0 for what is no page."""
    is_in_space: bool
    """True if it is there, and in this space."""
    url: str | None
    """Where it is read; None: it does not say."""


def rules_of(name: str, *, check: str) -> ServiceRules:
    """Return what is special about Confluence."""
    return ServiceRules(name=name, check=check, said=_said)


def _said(reply: ServiceReply) -> str:
    told = reply.json()
    errors = told.get("errors")
    first: Any = cast("list[Any]", errors)[0] if isinstance(errors, list) and errors else told
    named = cast("dict[str, Any]", first) if isinstance(first, dict) else {}
    said = named.get("title") or named.get("message")
    return said if isinstance(said, str) else ""


class CloudSpace:
    """Reads one space. Safe from many tasks."""

    def __init__(self, http: ServiceHttp, *, site: str, api: str, key: str) -> None:
        """Call nothing yet.

        Args:
            http: calls the API.
            site: address of the site, where people read, which ends in /wiki.
            api: where the API lies: the site itself, or below Atlassian's gateway.
            key: of the space.
        """
        self._http = http
        self._site = site.rstrip("/")
        self._api = api.rstrip("/")
        self._key = key
        self._id: str | None = None
        self.name = key

    async def id(self) -> str:
        """Return the space's identity.

        Raises:
            ConfigError: There is no such space, or we may not see it.
        """
        if self._id is None:
            told = await self._http.get_json(
                self._http.address("/api/v2/spaces", keys=self._key, limit="5")
            )
            found = [one for one in _results(told) if one.get("key") == self._key]
            if not found:
                raise ConfigError(
                    f"there is no space {self._key!r}, or the account may not see it: check the"
                    " key, and give the account permission to view the space"
                )
            self._id = _digits(found[0].get("id"))
            self.name = text_of(found[0].get("name")) or self._key
        return self._id

    async def pages(self, *, most: int | None = None) -> dict[str, Node]:
        """Return the current pages of the space by identity, in that order; `most` of them."""
        first = self._http.address(
            f"/api/v2/spaces/{await self.id()}/pages",
            status="current",
            depth="all",
            sort="id",
            limit=str(min(most or A_PAGE, A_PAGE)),
        )
        found: dict[str, Node] = {}
        async for told in self._listed(first):
            for one in _results(told):
                node = await self._node("page", one)
                found[node.id] = node
            if most is not None and len(found) >= most:
                break
        return dict(sorted(found.items(), key=lambda one: int(one[0])))

    async def changed(self, since: datetime) -> list[str]:
        """Return the pages that the search says have changed since then, and some that have not."""
        at = f"{since - TIME_ZONES:%Y-%m-%d %H:%M}"
        which = f'space = "{self._key}" and type = page and lastmodified >= "{at}"'
        cql = f"{which} order by lastmodified"
        address = self._http.address("/rest/api/content/search", cql=cql, limit="100")
        found: dict[str, None] = {}
        async for told in self._listed(address):
            found |= {_digits(one.get("id")): None for one in _results(told)}
        return sorted(found, key=int)

    async def those(self, ids: Sequence[str]) -> list[Node]:
        """Return those of some pages that are current and in the space."""
        found: list[Node] = []
        for first in range(0, len(ids), A_BATCH):
            batch = ids[first : first + A_BATCH]
            address = self._http.address(
                "/api/v2/pages", id=",".join(batch), status="current", limit=str(A_PAGE)
            )
            async for told in self._listed(address):
                found += [await self._node("page", one) for one in _results(told)]
        return [one for one in found if one.is_in_space]

    async def node(self, kind: str, item_id: str) -> Node | None:
        """Return a page, or what stands above one; None: it is not there, or not for us."""
        if kind not in _WHERE:
            return None
        address = self._http.address(f"/api/v2/{_WHERE[kind]}/{_digits(item_id)}")
        told = await self._http.find_json(address, missing={_FORBIDDEN, _NOT_FOUND})
        return None if told is None else await self._node(kind, told)

    async def body(self, item_id: str) -> tuple[str, str]:
        """Return title and text of a page, in the storage format.

        Raises:
            DocumentError: It is not there, or not for us.
        """
        address = self._http.address(
            f"/api/v2/pages/{_digits(item_id)}", **{"body-format": "storage"}
        )
        told = await self._http.find_json(address, missing={_FORBIDDEN, _NOT_FOUND})
        if told is None:
            raise DocumentError(DELETED)
        storage = object_of(object_of(told.get("body")).get("storage")).get("value")
        if not isinstance(storage, str):
            raise TransientError("Confluence gives a page without its text")
        return text_of(told.get("title")), storage

    async def space_groups(self) -> frozenset[str]:
        """Return the groups, or kinds of people, that may view the space."""
        first = self._http.address(
            f"/api/v2/spaces/{await self.id()}/permissions", limit=str(A_PAGE)
        )
        found: set[str] = set()
        async for told in self._listed(first):
            for one in _results(told):
                principal = object_of(one.get("principal"))
                operation = object_of(one.get("operation"))
                allows = (operation.get("key"), operation.get("targetType")) == ("read", "space")
                if allows and text_of(principal.get("type")).lower() not in {"", "user"}:
                    found.add(text_of(principal.get("id")))
        return frozenset(found - {""})

    async def restrictions(self, ids: Sequence[str]) -> dict[str, frozenset[str] | None]:
        """Return the groups that pages are restricted to; None: those are not restricted.

        What stands above a page restricts it as well, and is not looked at. A page that can't be
        read is left out.
        """
        found: dict[str, frozenset[str] | None] = {}
        for first in range(0, len(ids), A_BATCH):
            batch = [_digits(one) for one in ids[first : first + A_BATCH]]
            address = self._http.address(
                "/rest/api/content/search",
                cql=f"id in ({','.join(batch)})",
                limit=str(A_BATCH),
                expand=_GROUPS,
            )
            async for told in self._listed(address):
                for one in _results(told):
                    read = object_of(object_of(one.get("restrictions")).get("read"))
                    found |= _groups_of(_digits(one.get("id")), read)
            for one in batch:
                if one not in found:
                    found |= await self._restriction(one)
        return found

    async def _restriction(self, item_id: str) -> dict[str, frozenset[str] | None]:
        """Return the groups that one page or folder is restricted to; empty: can't be read."""
        address = self._http.address(
            f"/rest/api/content/{item_id}/restriction/byOperation/read", expand=_OF_ONE
        )
        told = await self._http.find_json(address, missing={_FORBIDDEN, _NOT_FOUND})
        return {} if told is None else _groups_of(item_id, told)

    async def _listed(self, first: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the answers of a listing, page by page."""
        address, pages = first, Following("Confluence")
        for _ in range(PAGES):
            told = await self._http.get_json(address)
            yield told
            following = object_of(told.get("_links")).get("next")
            if following is None:
                return
            address = pages.next(self._address_of(following))
        raise TransientError("Confluence's listing does not end")

    def _address_of(self, following: object) -> str:
        """Return the address of the next page: from the root of the site, or below the API.

        The gateway passes on what the site says, which does not know of the gateway.
        """
        if not isinstance(following, str):
            raise TransientError("Confluence gives no address of the next page")
        if not following.startswith("/") or following.startswith("//"):
            return following
        context = f"{urlsplit(self._site).path}/"
        return f"{self._api}/{following.removeprefix(context).lstrip('/')}"

    async def _node(self, kind: str, told: Mapping[str, Any]) -> Node:
        parent = told.get("parentId")
        above = text_of(told.get("parentType")).lower() or "page"
        version = object_of(told.get("version")).get("number")
        is_there = text_of(told.get("status")) == "current"
        return Node(
            id=_digits(told.get("id")),
            kind=kind,
            title=text_of(told.get("title")),
            parent=(above, _digits(parent)) if parent and above != "space" else None,
            version=version if isinstance(version, int) else 0,
            is_in_space=is_there and str(told.get("spaceId")) == await self.id(),
            url=self._url(object_of(told.get("_links")).get("webui")),
        )

    def _url(self, path: object) -> str | None:
        """Return the address of a page, which is given from the site on."""
        said = text_of(path)
        is_path = said.startswith("/") and said.isascii() and " " not in said
        return f"{self._site}{said}" if is_path else None


def _groups_of(item_id: str, read: Mapping[str, Any]) -> dict[str, frozenset[str] | None]:
    """Return whom a restriction names; empty if it can't be understood.

    A page that is restricted to single people names no group, and so nobody. A list that is longer
    than what was sent only leaves groups out.
    """
    named = object_of(read.get("restrictions"))
    groups, users = object_of(named.get("group")), object_of(named.get("user"))
    if not (isinstance(groups.get("results"), list) and isinstance(users.get("results"), list)):
        return {}
    is_free = not any(one.get("results") or one.get("size") for one in (groups, users))
    ids = {text_of(one.get("id")) or text_of(one.get("name")) for one in _results(groups)} - {""}
    return {item_id: None if is_free else frozenset(ids)}


def _results(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return objects_of(told.get("results"), service="Confluence")


def _digits(value: object) -> str:
    """Return an identity, which goes into addresses."""
    said = str(value)
    if not (said.isascii() and said.isdecimal() and len(said) <= 30):  # noqa: PLR2004
        raise ContractError(f"Confluence gives what is no identity: {said[:50]!r}")
    return said
