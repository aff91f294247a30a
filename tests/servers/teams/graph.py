"""Microsoft Graph, as far as it tells who is in a group of Entra.

`graph.groups["6a3f…"] = Group(users={…})`: the ids of users, and other groups within. Calls are
named `graph`; `page` is how many members come at a time; `may_read_users = False` is what the
permission `GroupMember.Read.All` alone gives: ids, and nothing else of anybody.
"""

import asyncio
from dataclasses import dataclass, field
from urllib.parse import urlencode

from aiohttp import web

from tests.servers.slack.clock import Clock
from tests.servers.slack.faults import Fault, Faults
from tests.servers.slack.journal import Entry, Journal
from tests.servers.teams.login import Login
from tests.servers.teams.wire import Json, RefusedError, refused

LARGEST_PAGE = 999


@dataclass(slots=True, kw_only=True)
class Group:
    """A group of Entra."""

    users: list[str] = field(default_factory=list[str])
    """Object ids."""
    groups: list[str] = field(default_factory=list[str])
    """Ids of the groups within it."""
    devices: list[str] = field(default_factory=list[str])
    """Object ids of what is no person."""


@dataclass(slots=True)
class Graph:
    """Answers `GET /v1.0/groups/{id}/transitiveMembers`."""

    login: Login
    clock: Clock
    faults: Faults
    journal: Journal
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    is_consented: bool = True
    """False: no administrator has agreed to the permission."""
    may_read_users: bool = False
    switched_off: set[str] = field(default_factory=set[str])
    """Users whose account is off."""
    page: int = LARGEST_PAGE
    next_host: str | None = None
    """Where the next page is said to be; None: here."""

    def routes(self) -> list[web.RouteDef]:
        """Return what is served."""
        return [web.get("/v1.0/groups/{gid}/transitiveMembers", self._handle)]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        entry = Entry(method="graph", at=self.clock.now())
        entry.token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        entry.args = {"group": request.match_info["gid"], **request.query}
        self.journal.entries.append(entry)
        fault = self.faults.take("graph") or Fault()
        await asyncio.sleep(fault.delay_s)
        if fault.status is not None:
            entry.outcome = str(fault.status)
            return web.json_response(fault.body, status=fault.status, headers=dict(fault.headers))
        try:
            entry.result = self._page(request)
        except RefusedError as error:
            entry.outcome = error.code
            return web.json_response(error.body(), status=error.status)
        entry.was_done, entry.outcome = True, "ok"
        return web.json_response(entry.result)

    def _page(self, request: web.Request) -> Json:
        base_url = f"{request.scheme}://{request.host}"
        if not self.login.is_good(request.headers.get("Authorization", ""), audience=base_url):
            raise refused(401, "InvalidAuthenticationToken", "Access token has expired.")
        if not self.is_consented:
            raise refused(403, "Authorization_RequestDenied", "Insufficient privileges.")
        if request.match_info["gid"] not in self.groups:
            raise refused(404, "Request_ResourceNotFound", "It does not exist.")
        members = self._members(request.match_info["gid"], set())
        size = min(int(request.query.get("$top", "100")), self.page)
        start = int(request.query.get("$skiptoken", "0"))
        told: Json = {
            "@odata.context": f"{base_url}/v1.0/$metadata#directoryObjects",
            "value": members[start : start + size],
        }
        if start + size < len(members):
            query = dict(request.query) | {"$skiptoken": str(start + size)}
            host = self.next_host or base_url
            told["@odata.nextLink"] = f"{host}{request.path}?{urlencode(query)}"
        return told

    def _members(self, group_id: str, seen: set[str]) -> list[Json]:
        """Return all members of a group and of those within it, each once."""
        seen.add(group_id)
        group = self.groups[group_id]
        found = [self._user(one) for one in group.users]
        found += [{"@odata.type": "#microsoft.graph.device", "id": one} for one in group.devices]
        for inner in group.groups:
            if inner not in seen:
                found.append({"@odata.type": "#microsoft.graph.group", "id": inner})
                found += self._members(inner, seen)
        return list({one["id"]: one for one in found}.values())

    def _user(self, user: str) -> Json:
        enabled = user not in self.switched_off if self.may_read_users else None
        return {"@odata.type": "#microsoft.graph.user", "id": user, "accountEnabled": enabled}
