"""The token that the bot shows to Teams' connector service, fetched when it is due.

With a client secret from Microsoft's login service; for a managed identity from Azure, on the
machine itself.
"""

import time
from collections.abc import Callable
from typing import Protocol

from aiohttp import ClientSession

from bot.teams.setup import TeamsSetup
from core.service_access.tokens import (
    FetchedToken,
    TokenRequest,
    client_credentials,
    managed_identity,
)


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
    resource: str | None = None,
    note: Callable[[str | None], None] = lambda _: None,
) -> AppToken:
    """Return where the bot's token comes from.

    Args:
        setup: by what it proves who it is.
        session: fetches the token.
        now: in seconds since 1970.
        resource: the service that the token is for; None: the connector service of the cloud.
        note: see `FetchedToken.note`.
    """
    if setup.is_anonymous:
        return NoToken()
    request = _request(setup, resource or setup.cloud.resource)
    return FetchedToken(session, lambda: request, now=now, note=note)


def _request(setup: TeamsSetup, resource: str) -> TokenRequest:
    if setup.password is None:
        return managed_identity(
            resource,
            client=setup.app_id,
            endpoint=setup.identity_endpoint,
            header=setup.identity_header,
        )
    return client_credentials(
        f"{(setup.login_url or setup.cloud.login).rstrip('/')}/{setup.tenant}/oauth2/v2.0/token",
        client=setup.app_id,
        secret=setup.password,
        scope=f"{resource}/.default",
    )
