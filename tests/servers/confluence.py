"""A local server that speaks Confluence Cloud's REST API: spaces, pages, search, restrictions."""

import base64
import re
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from tests.servers.in_thread import serving

ACCOUNT = "reader@example.com"
TOKEN = "token-of-the-tests"  # noqa: S105
CLOUD = "0f4d3c2b-1a09-4f8e-9d7c-6b5a4f3e2d1c"
AUTHORIZATION = "Basic " + base64.b64encode(f"{ACCOUNT}:{TOKEN}".encode()).decode()
_CHANGED = re.compile(
    r'space = "(?P<space>[^"]+)" and type = page and lastmodified >= "(?P<at>[^"]+)"'
    r" order by lastmodified"
)
_THOSE = re.compile(r"id in \((?P<ids>[0-9,]+)\)")


@dataclass(slots=True, kw_only=True)
class Page:
    """A page, or a folder."""

    id: str
    title: str
    space: str = "7"
    parent: str | None = None
    kind: str = "page"
    storage: str = "<p>Employees must ask first.</p>"
    version: int = 1
    status: str = "current"
    changed_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    groups: Sequence[str] = ()
    """That it is restricted to; empty, as `people`: it is not."""
    people: Sequence[str] = ()
    is_hidden: bool = False
    """True: our account may not see it."""


@dataclass(slots=True, kw_only=True)
class Wiki:
    """What the server holds, does and was asked."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    groups: list[str] = field(default_factory=lambda: ["g-all"])
    """That may view the space 7, HR."""
    time_zone: timedelta = timedelta(hours=-12)
    """Of the account, from UTC."""
    searches_late: set[str] = field(default_factory=set[str])
    """Pages that the search does not know of yet."""
    most: int = 250
    """Of a page of any listing."""
    authorization: str = AUTHORIZATION
    cloud: str = CLOUD
    """As the site says it."""
    is_token_scoped: bool = False
    """True: the gateway alone takes it."""
    faults: list[tuple[int, dict[str, str]]] = field(
        default_factory=list[tuple[int, dict[str, str]]]
    )
    """Status and headers of the next answers."""
    tells_people: bool = True
    """False: restrictions come without the people that they name."""
    stalls: str = "nothing"
    """Requests for what is named so have to wait for an hour."""
    next_link: str | None = None
    """Where the next page is said to be."""
    asked: Counter[str] = field(default_factory=Counter[str])
    """Requests by path, with `#` for identities."""

    def add(self, *pages: Page) -> None:
        """Put pages up."""
        self.pages |= {one.id: one for one in pages}

    def write(self, item_id: str, storage: str, *, at: datetime) -> None:
        """Publish a new version of a page."""
        page = self.pages[item_id]
        page.storage, page.version, page.changed_at = storage, page.version + 1, at


@contextmanager
def confluence(wiki: Wiki) -> Generator[str]:
    """Serve a wiki; give the address of the site, with `/wiki`."""
    application = web.Application(middlewares=[_guard(wiki)])
    held = _Handlers(wiki)
    for root in ("", f"/ex/confluence/{CLOUD}"):
        application.add_routes(
            [
                web.get(f"{root}/wiki/api/v2/spaces", held.spaces),
                web.get(f"{root}/wiki/api/v2/spaces/{{id}}/pages", held.listing),
                web.get(f"{root}/wiki/api/v2/spaces/{{id}}/permissions", held.permissions),
                web.get(f"{root}/wiki/api/v2/pages", held.those),
                web.get(f"{root}/wiki/api/v2/{{kind:pages|folders}}/{{id}}", held.one),
                web.get(f"{root}/wiki/rest/api/content/search", held.search),
                web.get(
                    f"{root}/wiki/rest/api/content/{{id}}/restriction/byOperation/read",
                    held.restriction,
                ),
            ]
        )
    application.add_routes([web.get("/_edge/tenant_info", held.tenant)])
    with serving(application) as address:
        yield f"{address}/wiki"


def _guard(wiki: Wiki) -> Any:
    @web.middleware
    async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
        wiki.asked[re.sub(r"/\d+", "/#", request.path)] += 1
        if wiki.faults:
            status, headers = wiki.faults.pop(0)
            return web.json_response({"message": "as told"}, status=status, headers=headers)
        if request.path.endswith(wiki.stalls):
            return web.json_response({}, status=503, headers={"Retry-After": "3600"})
        if request.path == "/_edge/tenant_info":
            return await handler(request)
        is_gateway = request.path.startswith("/ex/")
        is_known = request.headers.get("Authorization") == wiki.authorization
        if not is_known or is_gateway != wiki.is_token_scoped:
            return web.json_response({"message": "Client must be authenticated"}, status=401)
        return await handler(request)

    return guard


class _Handlers:
    def __init__(self, wiki: Wiki) -> None:
        self._wiki = wiki

    async def tenant(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            return web.json_response({"message": "credentials sent for nothing"}, status=400)
        return web.json_response({"cloudId": self._wiki.cloud})

    async def spaces(self, request: web.Request) -> web.Response:
        found = [{"id": "7", "key": "HR", "name": "Human Resources"}]
        return _list([one for one in found if one["key"] in request.query["keys"].split(",")])

    async def listing(self, request: web.Request) -> web.Response:
        statuses = request.query.get("status", "current,archived").split(",")
        found = [
            one
            for one in self._seen()
            if one.kind == "page"
            and one.space == request.match_info["id"]
            and one.status in statuses
        ]
        return self._paged(request, [_page(one) for one in sorted(found, key=lambda p: int(p.id))])

    async def those(self, request: web.Request) -> web.Response:
        ids, status = request.query["id"].split(","), request.query["status"]
        found = [one for one in self._seen() if one.id in ids and one.status == status]
        return self._paged(request, [_page(one) for one in found])

    async def one(self, request: web.Request) -> web.Response:
        page = self._find(request)
        if page is None or f"{page.kind}s" != request.match_info["kind"]:
            return web.json_response(
                {"errors": [{"status": 404, "title": "Not Found"}]}, status=404
            )
        body = {"storage": {"value": page.storage, "representation": "storage"}}
        with_body = request.query.get("body-format") == "storage"
        return web.json_response(_page(page) | ({"body": body} if with_body else {}))

    async def permissions(self, request: web.Request) -> web.Response:
        found: list[dict[str, Any]] = []
        for number, group in enumerate(self._wiki.groups):
            for key, target in (("read", "space"), ("create", "page")):
                found.append(
                    {
                        "id": str(number),
                        "principal": {"type": "group", "id": group},
                        "operation": {"key": key, "targetType": target},
                    }
                )
        person = {"type": "user", "id": "5b10"}
        found.append({"principal": person, "operation": {"key": "read", "targetType": "space"}})
        writers = {"type": "group", "id": "g-writers"}
        found.append({"principal": writers, "operation": {"key": "create", "targetType": "page"}})
        return self._paged(request, found)

    async def search(self, request: web.Request) -> web.Response:
        cql = request.query["cql"]
        if those := _THOSE.fullmatch(cql):
            ids = those["ids"].split(",")
            found = [one for one in self._searched() if one.id in ids]
        elif changed := _CHANGED.fullmatch(cql):
            local = datetime.strptime(changed["at"], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
            since = local - self._wiki.time_zone
            found = [one for one in self._searched() if one.changed_at >= since]
        else:
            return web.json_response({"message": f"Could not parse cql : {cql}"}, status=400)
        expands = "restrictions.read.restrictions.group" in request.query.get("expand", "")
        told = [_content(one, self._restriction(one) if expands else None) for one in found]
        return self._paged(request, told, below="/wiki")

    async def restriction(self, request: web.Request) -> web.Response:
        page = self._find(request)
        if page is None:
            return web.json_response({"message": "No content found"}, status=404)
        return web.json_response(self._restriction(page))

    def _restriction(self, page: Page) -> dict[str, Any]:
        told = _restriction(page)
        if not self._wiki.tells_people:
            del told["restrictions"]["user"]
        return told

    def _find(self, request: web.Request) -> Page | None:
        page = self._wiki.pages.get(request.match_info["id"])
        return None if page is None or page.is_hidden else page

    def _seen(self) -> list[Page]:
        return [one for one in self._wiki.pages.values() if not one.is_hidden]

    def _searched(self) -> list[Page]:
        return [
            one
            for one in self._seen()
            if one.kind == "page"
            and one.status == "current"
            and one.id not in self._wiki.searches_late
        ]

    def _paged(
        self, request: web.Request, found: Sequence[dict[str, Any]], *, below: str = ""
    ) -> web.Response:
        limit = min(int(request.query.get("limit", "25")), self._wiki.most)
        first = int(base64.urlsafe_b64decode(request.query.get("cursor", "") or b"MA=="))
        links: dict[str, str] = {"base": f"http://{request.host}/wiki"}
        if first + limit < len(found):
            cursor = base64.urlsafe_b64encode(str(first + limit).encode()).decode()
            following = request.rel_url.update_query(cursor=cursor)
            if request.path.startswith("/ex/"):
                following = following.with_path(
                    following.path.removeprefix(f"/ex/confluence/{CLOUD}"), keep_query=True
                )
            links["next"] = self._wiki.next_link or str(following).removeprefix(below)
        return _list(found[first : first + limit], links)


def _list(found: Sequence[dict[str, Any]], links: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"results": list(found), "_links": links or {}})


def _page(page: Page) -> dict[str, Any]:
    return {
        "id": page.id,
        "status": page.status,
        "title": page.title,
        "spaceId": page.space,
        "parentId": page.parent and page.parent.rpartition(":")[2],
        "parentType": page.parent and (page.parent.rpartition(":")[0] or "page"),
        "ownerId": "5b10",
        "version": {"number": page.version, "createdAt": page.changed_at.isoformat()},
        "body": {},
        "_links": {"webui": f"/spaces/HR/pages/{page.id}/{page.title.replace(' ', '+')}"},
    }


def _content(page: Page, read: dict[str, Any] | None) -> dict[str, Any]:
    told = {"id": page.id, "type": "page", "status": page.status, "title": page.title}
    return told | ({"restrictions": {"read": read}} if read else {})


def _restriction(page: Page) -> dict[str, Any]:
    groups = [{"type": "group", "name": f"name of {one}", "id": one} for one in page.groups]
    people = [{"type": "known", "accountId": one} for one in page.people]
    return {
        "operation": "read",
        "restrictions": {
            "user": {"results": people, "start": 0, "limit": 100, "size": len(people)},
            "group": {"results": groups, "start": 0, "limit": 100, "size": len(groups)},
        },
    }
