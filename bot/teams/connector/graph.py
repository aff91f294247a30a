"""Microsoft Graph: who is in a group of Entra, with all groups within it.

The permission is the application permission `GroupMember.Read.All`, the least that tells. With it
Graph names members by their ids alone; where it also may read users (`User.Read.All`), accounts
that are switched off are told, and left out. The token goes to the one host that is set: pages are
followed there and nowhere else.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout
from yarl import URL

from bot.teams.auth.credentials import AppToken
from core.domain.errors import BusyError, TransientError
from core.service_access.tokens import TokenError

PAGE = 999
"""Members asked for at a time, which is the most that Graph gives."""
PAGES = 500
"""A list whose pages never end would be read for ever."""
TIMEOUT_S = 10.0
"""Of one page."""
REST_S = 30.0
"""After a 429 that does not say how long."""
DONE, UNAUTHORISED, FORBIDDEN, GONE, TOO_MANY = 200, 401, 403, 404, 429
LARGEST = 4 * 1024 * 1024
"""Bytes of a page; 999 members have some 150,000."""
PERMISSION = "the registration needs GroupMember.Read.All, with admin consent"
_USER = "#microsoft.graph.user"


class EntraGroups:
    """See `bot.audience.group_members.GroupSource`. Safe from many tasks."""

    def __init__(
        self,
        session: ClientSession,
        token: AppToken,
        *,
        url: str,
        note: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        """Take where Graph is.

        Args:
            session: sends.
            token: the app's own, for Graph.
            url: of Graph, without a path.
            note: told why Graph refuses the token; None: it takes it.
        """
        self._note = note
        self._session = session
        self._token = token
        self._url = url

    async def members(self, group: str, /) -> frozenset[str]:
        """See `GroupSource.members`: object ids, in lower case."""
        fields = "id,accountEnabled"
        page: str | None = (
            f"{self._url}/v1.0/groups/{group}/transitiveMembers?$select={fields}&$top={PAGE}"
        )
        found: set[str] = set()
        for _ in range(PAGES):
            told = await self._page(page)
            if told is None:
                return frozenset()
            members = told.get("value")
            if not isinstance(members, list):
                raise TransientError("Microsoft Graph does not list its members")
            found |= {_id(one) for one in cast("list[Any]", members)} - {""}
            page = self._next(told)
            if page is None:
                return frozenset(found)
        raise TransientError("Microsoft Graph's list of its members does not end")

    async def _page(self, page: str) -> Mapping[str, Any] | None:
        """Return a page; None: there is no such group. A token that is refused is renewed once."""
        status, told, wait_s = await self._get(page)
        if status == UNAUTHORISED:
            status, told, wait_s = await self._get(page)
        if status in {DONE, UNAUTHORISED, FORBIDDEN}:
            self._note(None if status == DONE else str(status))
        if status == DONE and told is not None:
            return told
        if status == GONE:
            return None
        if status == TOO_MANY or wait_s is not None:
            raise BusyError("Microsoft Graph asks us to wait", after_s=wait_s or REST_S)
        if status == FORBIDDEN:
            raise TransientError(f"Microsoft Graph refuses it: {PERMISSION}")
        raise TransientError(f"Microsoft Graph answers {status}")

    async def _get(self, page: str) -> tuple[int, Mapping[str, Any] | None, float | None]:
        try:
            token = await self._token.current()
        except TokenError as error:
            raise TransientError(f"there is no token for Microsoft Graph: {error}") from None
        if token is None:
            raise TransientError("without a registration Microsoft Graph tells nothing")
        try:
            async with (
                asyncio.timeout(TIMEOUT_S),
                self._session.get(
                    URL(page, encoded=True),
                    headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
                    allow_redirects=False,
                    timeout=ClientTimeout(total=TIMEOUT_S),
                ) as response,
            ):
                body = await response.content.read(LARGEST + 1)
                while len(body) <= LARGEST and not response.content.at_eof():
                    body += await response.content.read(LARGEST + 1 - len(body))
                status, headers = response.status, response.headers
        except (ClientError, OSError, TimeoutError, ValueError) as error:
            why = type(error).__name__
            raise TransientError(f"Microsoft Graph can't be reached ({why})") from None
        if status == UNAUTHORISED:
            self._token.forget(token)
        if len(body) > LARGEST:
            raise TransientError("Microsoft Graph answers more than a page")
        told = headers.get("Retry-After", "")
        wait_s = float(told) if told.isascii() and told.isdecimal() else None
        return status, _object(body), wait_s

    def _next(self, told: Mapping[str, Any]) -> str | None:
        """Return the address of the next page, which must be one of Graph's own; None: no more."""
        link = told.get("@odata.nextLink")
        if link is None:
            return None
        if not isinstance(link, str) or urlsplit(link)[:2] != urlsplit(self._url)[:2]:
            raise TransientError("Microsoft Graph leads to another host for the next page")
        return link


def _id(member: Any) -> str:
    """Return the id of a member; empty for what is no person, or one whose account is off."""
    told = cast("dict[str, Any]", member) if isinstance(member, dict) else {}
    is_user = told.get("@odata.type") == _USER and told.get("accountEnabled") is not False
    found = told.get("id")
    return found.lower() if is_user and isinstance(found, str) else ""


def _object(body: bytes) -> Mapping[str, Any] | None:
    try:
        given: Any = json.loads(body)
    except ValueError:
        return None
    return cast("dict[str, Any]", given) if isinstance(given, dict) else None
