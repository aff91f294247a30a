"""The token that the bot shows to Teams' connector service, fetched when it is due.

With a client secret from Microsoft's login service (OAuth 2.0, section 4.4: client credentials);
for a managed identity from Azure, on the machine itself. Ours and not the SDK's, whose fetch blocks
every other task. One fetch at a time; a token is kept until five minutes before its end.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.teams.setup import TeamsSetup

LOGIN_URL = "https://login.microsoftonline.com"
RESOURCE = "https://api.botframework.com"
MACHINE_URL = "http://169.254.169.254/metadata/identity/oauth2/token"
"""Of every virtual machine of Azure."""
TIMEOUT_S = 10.0
EARLY_S = 300.0
"""A token that ends sooner than this is renewed."""
SHORTEST_S = 30.0
"""A token is kept that long, whatever it says of its end."""
FINE = 200


class TokenError(Exception):
    """There is no token; the text is the service's word for why, and no secret."""


class AppToken(Protocol):
    """The bot's own token. Safe from many tasks."""

    async def current(self) -> str | None:
        """Return a token that is good for some minutes; None: none is needed.

        Raises:
            TokenError: There is none.
        """
        ...

    def forget(self, token: str, /) -> None:
        """Fetch another one next time: the service refused this."""
        ...


class NoToken:
    """For the Agents Playground, which wants none."""

    async def current(self) -> None:
        """See `AppToken.current`."""
        return

    def forget(self, token: str, /) -> None:
        """See `AppToken.forget`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    form: Mapping[str, str] | None = field(default=None, repr=False)


class FetchedToken:
    """See `AppToken`."""

    def __init__(
        self,
        session: ClientSession,
        request: _Request,
        *,
        now: Callable[[], float],
    ) -> None:
        self._session = session
        self._request = request
        self._now = now
        self._token = ""
        self._ends_at = 0.0
        self._lock = asyncio.Lock()

    async def current(self) -> str:
        """See `AppToken.current`."""
        async with self._lock:
            if not self._token or self._now() >= self._ends_at:
                await self._fetch()
            return self._token

    def forget(self, token: str, /) -> None:
        """See `AppToken.forget`."""
        if token == self._token:
            self._token = ""

    async def _fetch(self) -> None:
        asked_at = self._now()
        request = self._request
        try:
            async with self._session.request(
                request.method,
                request.url,
                headers=request.headers,
                params=request.params,
                data=request.form,
                timeout=ClientTimeout(total=TIMEOUT_S),
                allow_redirects=False,
            ) as response:
                told: Any = await response.json(content_type=None)
                status = response.status
        except (ClientError, OSError, TimeoutError, ValueError) as error:
            raise TokenError(f"no_answer ({type(error).__name__})") from None
        body = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
        token = body.get("access_token")
        if status != FINE or not isinstance(token, str) or not token:
            raise TokenError(_why(status, body))
        self._token = token
        lasts_s = _lasts_s(body, asked_at)
        self._ends_at = asked_at + max(SHORTEST_S, lasts_s - EARLY_S)


def token_for(
    setup: TeamsSetup,
    session: ClientSession,
    *,
    now: Callable[[], float] = time.time,
    resource: str = RESOURCE,
) -> AppToken:
    """Return where the bot's token comes from.

    Args:
        setup: by what it proves who it is.
        session: fetches the token.
        now: in seconds since 1970.
        resource: the service that the token is for.
    """
    if setup.is_anonymous:
        return NoToken()
    if setup.password is None:
        return FetchedToken(session, _of_identity(setup, resource), now=now)
    login_url = (setup.login_url or LOGIN_URL).rstrip("/")
    form = {
        "grant_type": "client_credentials",
        "client_id": setup.app_id,
        "client_secret": setup.password,
        "scope": f"{resource}/.default",
    }
    url = f"{login_url}/{setup.tenant}/oauth2/v2.0/token"
    return FetchedToken(session, _Request(method="POST", url=url, form=form), now=now)


def _of_identity(setup: TeamsSetup, resource: str) -> _Request:
    """Ask App Service or Container Apps if they say where, else the virtual machine."""
    params = {"resource": resource, "client_id": setup.app_id}
    if setup.identity_endpoint is None:
        return _Request(
            method="GET",
            url=MACHINE_URL,
            headers={"Metadata": "true"},
            params=params | {"api-version": "2018-02-01"},
        )
    return _Request(
        method="GET",
        url=setup.identity_endpoint,
        headers={"X-IDENTITY-HEADER": setup.identity_header or ""},
        params=params | {"api-version": "2019-08-01"},
    )


def _lasts_s(body: Mapping[str, Any], asked_at: float) -> float:
    """Return for how many seconds a token is good; App Service tells only when it ends."""
    for key, since in (("expires_in", 0.0), ("expires_on", asked_at)):
        told = str(body.get(key, ""))
        if told.isascii() and told.isdecimal():
            return float(told) - since
    return 0.0


def _why(status: int, body: Mapping[str, Any]) -> str:
    error = body.get("error")
    word = error if isinstance(error, str) and error.isprintable() else str(status)
    codes = body.get("error_codes")
    numbers = cast("list[Any]", codes) if isinstance(codes, list) else []
    told = ", ".join(f"AADSTS{one}" for one in numbers if isinstance(one, int))
    return f"{word} ({told})" if told else word
