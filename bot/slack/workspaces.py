"""The workspaces that we serve, each wired when something first happens there.

Who we are in one is looked up each time, in our own database: an installation that was taken away,
or made anew, counts at once, also if another process heard of it. What is kept here is the wiring
alone, and it is dropped when it no longer fits. Tokens are not kept: each call looks its own up.
"""

import logging
from collections.abc import Callable

from bot.slack.calls import Slack, client_for
from bot.slack.connected import Connected
from bot.slack.credentials import Credentials
from bot.slack.sender import Home
from core.domain.errors import TransientError
from core.domain.installation import Workspace
from core.ports.installations import Connections

ORGANISATION = "E"
"""Ids of organisations begin with it, those of workspaces with `T`."""

logger = logging.getLogger(__name__)


class Workspaces:
    """Finds the workspace in which something happened. Safe from many tasks."""

    def __init__(
        self,
        credentials: Credentials,
        connect: Callable[[Home, Slack], Connected],
        connections: Connections,
        *,
        api_url: str | None = None,
    ) -> None:
        """Take who knows tokens, who wires a workspace, and who records that one is lost."""
        self._credentials = credentials
        self._connect = connect
        self._connections = connections
        self._api_url = api_url
        self._wired: dict[str, Connected] = {}
        self._dead: set[str] = set()

    async def find(self, where: Workspace) -> Connected | None:
        """Return the workspace; None: the app is not installed there.

        Raises:
            TransientError: Nobody can say now.
        """
        home = await self._credentials.home(where)
        if home is None:
            return None
        wired = self._wired.get(home.tenant)
        if wired is None or wired.home != home:
            wired = self._wired[home.tenant] = self._connect(home, self._slack(home))
        return wired

    async def of_tenant(self, tenant: str) -> Connected | None:
        """Return the workspace of a place; see `find`."""
        is_whole = tenant.startswith(ORGANISATION)
        return await self.find(Workspace(enterprise=tenant) if is_whole else Workspace(team=tenant))

    async def disconnected(self, home: Home, reason: str) -> None:
        """Record that an installation was taken away, then forget its token.

        Raises:
            TransientError: The token may still be there: Slack must say so again.
        """
        logger.error("Slack disconnected %s: %s", home.tenant, reason)
        await self._connections.disconnected(platform="slack", tenant=home.tenant, reason=reason)
        await self._credentials.forget(home.workspace)
        self._wired.pop(home.tenant, None)

    def _slack(self, home: Home) -> Slack:
        """Return what calls Slack in one workspace, with the token that it has at that moment."""

        async def token() -> str | None:
            found = await self._credentials.find(home.workspace)
            return None if found is None else found.token

        async def on_dead(refused: str, code: str) -> None:
            await self._refused(home, refused, code)

        return Slack(client_for(None, api_url=self._api_url), token=token, on_dead=on_dead)

    async def _refused(self, home: Home, refused: str, code: str) -> None:
        """Say once that Slack does not take a token; it is kept, as Slack may be mistaken.

        Whoever takes the app away says so by an event, and another token is told anew.
        """
        if refused in self._dead:
            return
        self._dead.add(refused)
        logger.error(
            "Slack no longer takes the token of %s (%s): nothing can be posted there until the app"
            " is installed again",
            home.tenant,
            code,
        )
        try:
            await self._connections.disconnected(platform="slack", tenant=home.tenant, reason=code)
        except TransientError:
            self._dead.discard(refused)
