"""The tokens that Slack no longer takes, as this process was told: an alarm, and what health tells.

A token is kept although it is refused, as Slack may be mistaken: whoever takes the app away says so
by an event. Once a call is taken again, all is well.
"""

import logging
from collections.abc import Mapping

from bot.slack.inbound.identity import Home
from core.domain.errors import TransientError
from core.ports.platforms import Connections

logger = logging.getLogger(__name__)


class Refusals:
    """Remembers which workspaces are lost. Safe from many tasks."""

    def __init__(self, connections: Connections) -> None:
        """Take who records that one is lost."""
        self._connections = connections
        self._alarmed: set[str] = set()
        self._lost: dict[str, str] = {}

    @property
    def lost(self) -> Mapping[str, str]:
        """Workspaces and organisations in which nothing can be posted -> Slack's word for why."""
        return self._lost

    async def refused(self, home: Home, token: str, code: str) -> None:
        """Note that Slack does not take a token; an alarm and a record, once for each token."""
        self._lost[home.tenant] = code
        if token in self._alarmed:
            return
        self._alarmed.add(token)
        logger.error(
            "Slack no longer takes the token of %s (%s): nothing can be posted there until the app"
            " is installed again",
            home.tenant,
            code,
        )
        try:
            await self._connections.disconnected(platform="slack", tenant=home.tenant, reason=code)
        except TransientError:
            self._alarmed.discard(token)

    async def ended(self, home: Home, code: str) -> None:
        """Record that an installation was taken away.

        Raises:
            TransientError: It is not recorded.
        """
        logger.error("Slack disconnected %s: %s", home.tenant, code)
        await self._connections.disconnected(platform="slack", tenant=home.tenant, reason=code)

    def taken(self, home: Home) -> None:
        """Note that Slack takes its token."""
        self._lost.pop(home.tenant, None)

    def gone(self, home: Home, code: str, *, is_held: bool) -> None:
        """Note that an installation ended; a token that is held nevertheless is of the settings."""
        self._lost.pop(home.tenant, None)
        if is_held:
            self._lost[home.tenant] = code
