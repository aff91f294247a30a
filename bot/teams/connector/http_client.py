"""One request to Teams' connector service over HTTP: to a host of ours, with the bot's token.

One attempt of 15 s, no redirect followed, nothing logged. A connection serves one request: one that
the other side just closed would leave it open whether a post arrived, and no bot can look. (Where
it breaks, aiohttp itself sends an update or a read once more, as RFC 9110, 9.2.2 allows; no post.)
"""

import asyncio
import logging
from collections.abc import Callable

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientSession,
    DummyCookieJar,
    TCPConnector,
)
from yarl import URL

from bot.teams.auth.credentials import AppToken, TokenError
from bot.teams.connector.calls import (
    FOREIGN_HOST,
    UNAUTHORISED,
    Answer,
    NotSent,
    Refused,
    Unclear,
)

TIMEOUT_S = 15.0
"""Of all of it, the token's fetch besides."""

logger = logging.getLogger(__name__)


def open_session() -> ClientSession:
    """Return the session that an exchange and its token use; whoever opens it closes it."""
    return ClientSession(cookie_jar=DummyCookieJar(), connector=TCPConnector(force_close=True))


class Exchange:
    """Sends requests. Safe from many tasks."""

    def __init__(
        self,
        session: ClientSession,
        token: AppToken,
        allows: Callable[[str], bool],
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Take the session, the token, and where that may be sent.

        Args:
            session: see `open_session`.
            token: the bot's own.
            allows: says of the address of a service whether the token may be sent there.
            timeout_s: seconds that one request may take.
        """
        self._session = session
        self._token = token
        self._allows = allows
        self._timeout_s = timeout_s

    async def send(
        self, method: str, service_url: str, path: str, *, body: bytes | None = None
    ) -> Answer | Refused | NotSent | Unclear:
        """Send a request to a service; the body is JSON."""
        if not self._allows(service_url):
            logger.error("a reference holds the address of a host that is none of the services")
            return Refused(status=0, code=FOREIGN_HOST)
        try:
            token = await self._token.current()
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
        if isinstance(answer, Answer) and answer.status == UNAUTHORISED and token is not None:
            self._token.forget(token)
        return answer

    async def _sent(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None
    ) -> Answer | NotSent | Unclear:
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._session.request(
                    method,
                    URL(url, encoded=True),
                    headers=headers,
                    data=body,
                    allow_redirects=False,
                ) as response,
            ):
                return Answer(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=await response.read(),
                )
        except ClientConnectorError:
            return NotSent(why="no_connection")
        except TimeoutError:
            return Unclear(why="timeout")
        except (ClientError, OSError, ValueError) as error:
            return Unclear(why=type(error).__name__)
