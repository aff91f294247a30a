"""The token that the bot shows to Teams' connector service, fetched when it is due.

With a client secret from Microsoft's login service; for a managed identity from Azure, on the
machine itself.
"""

import time
from collections.abc import Callable
from typing import Protocol

from aiohttp import ClientSession

from bot.teams.setup import TeamsSetup
from core.service_access.tokens import FetchedToken, TokenRequest, client_credentials

LOGIN_URL = "https://login.microsoftonline.com"
RESOURCE = "https://api.botframework.com"
MACHINE_URL = "http://169.254.169.254/metadata/identity/oauth2/token"
"""Of every virtual machine of Azure."""


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
    request = _request(setup, resource)
    return FetchedToken(session, lambda: request, now=now)


def _request(setup: TeamsSetup, resource: str) -> TokenRequest:
    if setup.password is None:
        return _of_identity(setup, resource)
    return client_credentials(
        f"{(setup.login_url or LOGIN_URL).rstrip('/')}/{setup.tenant}/oauth2/v2.0/token",
        client=setup.app_id,
        secret=setup.password,
        scope=f"{resource}/.default",
    )


def _of_identity(setup: TeamsSetup, resource: str) -> TokenRequest:
    """Ask App Service or Container Apps if they say where, else the virtual machine."""
    params = {"resource": resource, "client_id": setup.app_id}
    if setup.identity_endpoint is None:
        return TokenRequest(
            method="GET",
            url=MACHINE_URL,
            headers={"Metadata": "true"},
            params=params | {"api-version": "2018-02-01"},
        )
    return TokenRequest(
        method="GET",
        url=setup.identity_endpoint,
        headers={"X-IDENTITY-HEADER": setup.identity_header or ""},
        params=params | {"api-version": "2019-08-01"},
    )
