"""One request to Teams' connector service over HTTP: to a host of ours, with the bot's token.

One attempt of 15 s, no redirect followed, nothing logged. A connection serves one request: one that
the other side just closed would leave it open whether a post arrived, and no bot can look. (Where
it breaks, aiohttp itself sends an update or a read once more, as RFC 9110, 9.2.2 allows; no post.)
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import cast

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientSession,
    DummyCookieJar,
    TCPConnector,
)
from yarl import URL

from bot.call_results import CallResult, NotSent, RateLimited, Rejected, Succeeded, Uncertain
from bot.json_fields import Object
from bot.teams.auth.credentials import AppToken
from bot.teams.protocol.payload import words
from core.domain.json_value import Json
from core.service_access.tokens import TokenError

REST_S = 5.0
"""After a 409, 412 or 429 that does not say how long."""
LONGEST_REST_S = 600.0
"""Whatever the service says: an answer that waits longer is better tried."""
DONE, REFUSED_FROM, BROKEN = 200, 300, 500
BAD_REQUEST, UNAUTHORISED, FORBIDDEN, NOT_FOUND, TIMED_OUT = 400, 401, 403, 404, 408
CONFLICT, CHANGED, TOO_LARGE, TOO_MANY = 409, 412, 413, 429
NOT_HERE = frozenset({BAD_REQUEST, FORBIDDEN, NOT_FOUND, 405})
"""Teams has no messages for one person alone in that place."""
FOREIGN_HOST = "service_host"
"""The address is none that our token may go to: nothing was sent."""


TIMEOUT_S = 15.0
"""Of all of it, the token's fetch besides."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """An answer of the service, as it came."""

    status: int
    """Of HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names in lower case."""
    body: bytes = field(default=b"", repr=False)
    """Not yet read."""


def open_session() -> ClientSession:
    """Return the session that an exchange and its token use; whoever opens it closes it."""
    return ClientSession(cookie_jar=DummyCookieJar(), connector=TCPConnector(force_close=True))


@dataclass(frozen=True, slots=True)
class ConnectorHttp:
    """Sends requests. Safe from many tasks."""

    session: ClientSession
    """See `open_session`."""
    token: AppToken
    """The bot's own."""
    allows: Callable[[str], bool]
    """Says of the address of a service whether the token may be sent there."""
    _: KW_ONLY
    timeout_s: float = TIMEOUT_S
    """Seconds that one request may take."""

    async def send(
        self, method: str, service_url: str, path: str, *, body: bytes | None = None
    ) -> HttpResponse | Rejected | NotSent | Uncertain:
        """Send a request to a service; the body is JSON."""
        if not self.allows(service_url):
            logger.error("a reference holds the address of a host that is none of the services")
            return Rejected(status=0, code=FOREIGN_HOST)
        try:
            token = await self.token.current()
        except TokenError as error:
            logger.error("the bot has no token for Teams: %s", error)  # noqa: TRY400
            return NotSent(why="no_token")
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json; charset=utf-8"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        url = f"{service_url.rstrip('/')}/{path}"
        answer = await self._sent(method, url, headers, body)
        if isinstance(answer, HttpResponse) and answer.status == UNAUTHORISED and token is not None:
            self.token.forget(token)
        return answer

    async def _sent(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None
    ) -> HttpResponse | NotSent | Uncertain:
        try:
            async with (
                asyncio.timeout(self.timeout_s),
                self.session.request(
                    method,
                    URL(url, encoded=True),
                    headers=headers,
                    data=body,
                    allow_redirects=False,
                ) as response,
            ):
                return HttpResponse(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=await response.read(),
                )
        except ClientConnectorError:
            return NotSent(why="no_connection")
        except TimeoutError:
            return Uncertain(why="timeout")
        except (ClientError, OSError, ValueError) as error:
            return Uncertain(why=type(error).__name__)


def call_result(answer: HttpResponse) -> CallResult:
    """Read an answer."""
    status = answer.status
    if status in {CONFLICT, CHANGED, TOO_MANY}:
        return RateLimited(after_s=_rest(answer.headers))
    if status >= BROKEN or status == TIMED_OUT:
        return Uncertain(why=str(status), status=status)
    body = _object(answer.body)
    if DONE <= status < REFUSED_FROM:
        return Uncertain(why="no_json", status=status) if body is None else Succeeded(body=body)
    error = (body or {}).get("error")
    told: Object = error if isinstance(error, Mapping) else (body or {})
    return Rejected(
        status=status,
        code=words(told, "code") or words(told, "errorCode") or str(status),
        message=words(told, "message"),
    )


def _object(body: bytes) -> Object | None:
    """Read a body; an empty one is an empty object, None is none at all."""
    if not body.strip():
        return {}
    try:
        given = cast("Json", json.loads(body))
    except ValueError:
        return None
    return given if isinstance(given, Mapping) else None


def _rest(headers: Mapping[str, str]) -> float:
    told = headers.get("retry-after", "")
    digits = told.isascii() and told.isdecimal()
    return min(LONGEST_REST_S, float(told)) if digits else REST_S
