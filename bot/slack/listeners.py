"""What Slack sends, on its way in: kept first, then acknowledged (platforms, 2.2).

- A message is in the inbox, with the job that answers it, before Slack hears 200; if it can't be,
  Slack hears 503 and sends it again. No network call comes before that.
- Interactions and commands go to `Presses`, which commits before it acknowledges.
- Whatever else Slack sends is acknowledged: an event without a listener would come four times.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bot.intake import Intake
from bot.slack.calls import Slack, client_for
from bot.slack.interaction import NotOurs, parse_interaction
from bot.slack.opened import Opened
from bot.slack.parse import Disconnected, NotForUs, Overheard, parse
from bot.slack.pressing import Presses
from bot.slack.sender import Home
from core.domain.errors import ContractError, TransientError
from core.domain.message import Ignored, InboundMessage
from core.domain.run import Json
from core.ports import ConversationStore

UNAVAILABLE, BROKEN = 503, 500
ANYTHING = re.compile(".*", re.DOTALL)
Body = dict[str, Json]
Next = Callable[[], Awaitable[Any]]

OnOpened = Callable[[Opened], Awaitable[None]]
"""Shows what somebody sees who opens us."""

logger = logging.getLogger(__name__)


class Keeper:
    """Keeps the messages of Slack's events. Safe from many tasks."""

    def __init__(self, intake: Intake, conversations: ConversationStore, home: Home) -> None:
        """Take where messages are kept, who knows our threads, and who we are."""
        self._intake = intake
        self._conversations = conversations
        self._home = home

    async def keep(self, body: Body) -> Opened | None:
        """Store what an event tells; return what is only to be looked at.

        Raises:
            TransientError: It may not be stored: Slack must send it again.
        """
        try:
            found = parse(body, self._home)
        except ContractError as error:
            logger.warning("an event of Slack's can't be read: %s", error)
            return None
        match found:
            case InboundMessage() | Ignored():
                await self._intake.accept(found)
            case Overheard():
                if await self._conversations.find(found.message.place) is not None:
                    await self._intake.accept(found.message)
            case NotForUs():
                logger.debug("an event is not for us: %s", found.reason)
            case Disconnected():
                logger.error("Slack disconnected a workspace: %s", found.reason)
            case Opened():
                return found
        return None


def build_app(
    slack: Slack, home: Home, keeper: Keeper, presses: Presses, on_opened: OnOpened
) -> AsyncApp:
    """Return the Bolt app. Signatures are checked before it, sockets have none."""

    async def keep_first(body: Body, next_: Next) -> BoltResponse | None:
        if body.get("type") != "event_callback":
            return await next_()
        opened = await keeper.keep(body)
        if opened is None:
            return BoltResponse(status=200, body="")
        return await next_()

    async def authorize(**_: Any) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=home.enterprise,
            team_id=min(home.teams),
            bot_user_id=home.bot_user,
            bot_token=slack.client.token,
        )

    app = AsyncApp(
        client=client_for(None, api_url=slack.client.base_url),
        authorize=authorize,
        before_authorize=keep_first,
        request_verification_enabled=False,
        logger=logging.getLogger("slack_bolt"),
    )
    _listen(app, home, presses, on_opened)
    return app


def _listen(app: AsyncApp, home: Home, presses: Presses, on_opened: OnOpened) -> None:
    async def opened(body: Body) -> None:
        found = parse(body, home)
        if isinstance(found, Opened):
            await on_opened(found)

    async def pressed(body: Body, ack: Callable[..., Awaitable[Any]]) -> None:
        try:
            found = parse_interaction(body, home)
        except ContractError as error:
            logger.warning("an interaction can't be read: %s", error)
            found = NotOurs(reason="broken")
        if isinstance(found, NotOurs):
            await ack()
        else:
            await presses.take(found, ack)

    async def failed(error: Exception) -> BoltResponse:
        logger.error("Slack's request failed: %s", type(error).__name__)
        return BoltResponse(
            status=UNAVAILABLE if isinstance(error, TransientError) else BROKEN, body=""
        )

    app.event(ANYTHING)(opened)
    app.action(ANYTHING)(pressed)
    app.view_submission(ANYTHING)(pressed)
    app.view_closed(ANYTHING)(pressed)
    app.shortcut(ANYTHING)(pressed)
    app.command(ANYTHING)(pressed)
    app.error(failed)
