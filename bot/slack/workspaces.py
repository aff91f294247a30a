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
from core.domain.installation import Workspace

ORGANISATION = "E"
"""Ids of organisations begin with it, those of workspaces with `T`."""

logger = logging.getLogger(__name__)


class Workspaces:
    """Finds the workspace in which something happened. Safe from many tasks."""

    def __init__(
        self,
        credentials: Credentials,
        connect: Callable[[Home, Slack], Connected],
        *,
        api_url: str | None = None,
    ) -> None:
        """Take who knows tokens, and who wires a workspace."""
        self._credentials = credentials
        self._connect = connect
        self._api_url = api_url
        self._wired: dict[str, Connected] = {}

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
        """Forget the token of an installation that was taken away.

        Raises:
            TransientError: It may still be there: Slack must say so again.
        """
        logger.error("Slack disconnected %s: %s", home.tenant, reason)
        await self._credentials.forget(home.workspace)
        self._wired.pop(home.tenant, None)

    def _slack(self, home: Home) -> Slack:
        async def token() -> str | None:
            found = await self._credentials.find(home.workspace)
            return None if found is None else found.token

        return Slack(client_for(None, api_url=self._api_url), token=token)
