"""Asks Slack whether it still takes a token, where an event does not say what has ended.

Never before the event was acknowledged. Only what Slack itself calls dead is ended; whatever can't
be told stays, and its next use tells.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.slack.inbound.disconnect_events import Doubt
from bot.slack.inbound.identity import Home
from bot.slack.install.credentials import Credential, Credentials
from bot.slack.web.calls import Refused, Slack, Told, client_for
from core.domain.errors import TransientError

ENDED = frozenset({"account_inactive", "token_revoked"})
"""The app or its workspace is gone. Not `invalid_auth`: Slack says that of addresses, too, from
which calls are not allowed."""
RESTS_S = (1.0, 3.0)
"""Before each further try; together less than a stop waits for what has begun."""

End = Callable[[Home, Credential, str], Awaitable[None]]
"""Ends an installation, if it still has this token; takes Slack's word for why."""

logger = logging.getLogger(__name__)


class Doubts:
    """Settles them, one at a time. Safe from many tasks."""

    def __init__(self, credentials: Credentials, end: End, *, api_url: str | None = None) -> None:
        """Take who knows tokens, and what is done about a dead one."""
        self._credentials = credentials
        self._end = end
        self._api_url = api_url
        self._turn = asyncio.Lock()
        self._waiting: set[Doubt] = set()

    async def settle(self, doubt: Doubt) -> None:
        """End what is dead of that which may be meant; one that waits already does for all.

        Raises:
            TransientError: Nobody knows which installations there are.
        """
        if doubt in self._waiting:
            return
        self._waiting.add(doubt)
        async with self._turn:
            self._waiting.discard(doubt)
            organisations = await self._credentials.organisations() if not doubt.home else ()
            meant = [doubt.home] if doubt.home else filter(doubt.is_about, organisations)
            for home in meant:
                await self._settle(home)

    async def _settle(self, home: Home) -> None:
        for rest_s in (*RESTS_S, None):
            try:
                if await self._is_settled(home):
                    return
            except TransientError:
                logger.warning("the token of %s can't be tried now", home.tenant)
            if rest_s is not None:
                await asyncio.sleep(rest_s)
        logger.warning("nobody says whether the app is still in %s: its next use will", home.tenant)

    async def _is_settled(self, home: Home) -> bool:
        """Try a token once; False: Slack does not say whether it takes it."""
        held = await self._credentials.find(home.workspace)
        if held is None or held.workspace != home.workspace:
            return True
        told = await Slack(client_for(held.token, api_url=self._api_url)).read("auth.test")
        if isinstance(told, Refused) and told.code in ENDED:
            await self._end(home, held, told.code)
        elif isinstance(told, Refused):
            logger.warning("Slack does not take the token of %s: %s", home.tenant, told.code)
        elif isinstance(told, Told):
            logger.info("the app is still in %s: Slack takes its token", home.tenant)
        return isinstance(told, Told | Refused)
