"""What Slack sends, on its way in: stored first, then acknowledged.

- Everything belongs to a workspace; of one in which the app is not installed it is dropped.
- A message is in the inbox before Slack hears 200; if it can't be, Slack hears 503 and sends it
  again. No network call comes before that.
- Interactions and commands go to `SlackDispatcher`, which commits before it acknowledges.
- Whatever else Slack sends is acknowledged: an event without a listener would come four times.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot.background_tasks import ForeignTasks
from bot.intake import NotForUs
from bot.slack.app.workspace import ConnectedWorkspace
from bot.slack.app.workspaces import Workspaces
from bot.slack.inbound.app_events import (
    Disconnected,
    Opened,
    SuspectedUninstall,
    parse_disconnected,
    suspected_uninstall,
)
from bot.slack.inbound.identity import workspace_of
from bot.slack.inbound.interaction import SlackInteraction, parse_interaction
from bot.slack.web.calls import client_for
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Workspace
from core.domain.json_value import Json

UNAVAILABLE, BROKEN = 503, 500
RATE_LIMITED = "app_rate_limited"
"""It is no event: it says that events are left out."""
ANYTHING = re.compile(".*", re.DOTALL)
CONNECTED, OPENED, DOUBTED = "citebound_connected", "citebound_opened", "citebound_doubted"
"""Keys of the context of a request."""
Body = dict[str, Json]
Next = Callable[[], Awaitable[Any]]

logger = logging.getLogger(__name__)


class EventLimits:
    """Minutes in which a workspace had more events than Slack sends: those beyond never come."""

    def __init__(self) -> None:
        self.minutes = 0

    def reached(self, body: Body) -> None:
        """Count a minute, and say whose it was: nobody there was heard until it ended."""
        self.minutes += 1
        logger.warning(
            "Slack sends no more events of %s for a minute: it had more than 30,000 in an hour",
            str(body.get("team_id") or "a workspace")[:40],
        )


def build_app(
    workspaces: Workspaces,
    tasks: ForeignTasks,
    *,
    api_url: str | None = None,
    limits: EventLimits | None = None,
) -> AsyncApp:
    """Return the Bolt app. Signatures are checked before it, sockets have none."""
    entrance = _Entrance(workspaces, limits or EventLimits())
    listeners = _Listeners(workspaces, tasks)
    app = AsyncApp(
        name="citebound",  # else Bolt looks for its caller in every module, at each start
        client=client_for(None, api_url=api_url),
        authorize=_authorize,
        before_authorize=entrance.keep_first,
        request_verification_enabled=False,
        logger=logging.getLogger("slack_bolt"),
    )
    app.event(ANYTHING)(listeners.heard)
    app.action(ANYTHING)(listeners.pressed)
    app.view_submission(ANYTHING)(listeners.pressed)
    app.view_closed(ANYTHING)(listeners.pressed)
    app.shortcut(ANYTHING)(listeners.pressed)
    app.command(ANYTHING)(listeners.pressed)
    app.error(_failed)
    return app


class _Entrance:
    """Finds out whose something is, and keeps it if it is a message."""

    def __init__(self, workspaces: Workspaces, limits: "EventLimits") -> None:
        self._workspaces = workspaces
        self._limits = limits
        self._dropped = 0

    async def keep_first(
        self, body: Body, next_: Next, context: AsyncBoltContext
    ) -> BoltResponse | None:
        """Take one request; a message goes no further."""
        if body.get("type") == RATE_LIMITED:
            self._limits.reached(body)
            return BoltResponse(status=200, body="")
        where = workspace_of(body)
        is_event = body.get("type") == "event_callback"
        if where is None:
            return BoltResponse(status=200, body="") if is_event else await next_()
        connected = await self._workspaces.find(where)
        if connected is None:
            self._drop(where.name)
            ended = parse_disconnected(body) if is_event else None
            doubt = suspected_uninstall(body, where, None) if ended else None
        elif not is_event:
            context[CONNECTED] = connected
            return await next_()
        else:
            context[CONNECTED] = connected
            doubt = await self._kept(body, where, connected, context)
        context[DOUBTED] = doubt
        is_more = doubt is not None or _held(context, OPENED) is not None
        return await next_() if is_more else BoltResponse(status=200, body="")

    async def _kept(
        self, body: Body, where: Workspace, connected: ConnectedWorkspace, context: AsyncBoltContext
    ) -> SuspectedUninstall | None:
        """Keep an event; return what is to be settled about our place there."""
        found = await connected.events.keep(body)
        if isinstance(found, Opened):
            context[OPENED] = found
        if isinstance(found, Disconnected):
            if not found.surely_ends(connected.identity, where):
                return suspected_uninstall(body, where, connected.identity)
            await self._workspaces.disconnected(connected.identity, found.reason)
        return None

    def _drop(self, name: str) -> None:
        """Count it, and say so at the first, the tenth, the hundredth."""
        self._dropped += 1
        if str(self._dropped).rstrip("0") == "1":
            logger.warning(
                "dropped %d requests of workspaces where the app is not installed, the last of %s",
                self._dropped,
                name,
            )


async def _authorize(context: AsyncBoltContext, **_: Any) -> AuthorizeResult:
    """Say who we are; no token: whoever calls Slack looks up that of the workspace."""
    connected = _connected(context)
    bot_user = None if connected is None else connected.identity.bot_user
    return AuthorizeResult(
        enterprise_id=context.enterprise_id, team_id=context.team_id, bot_user_id=bot_user
    )


class _Listeners:
    """Do what goes on after Slack was answered."""

    def __init__(self, workspaces: Workspaces, tasks: ForeignTasks) -> None:
        self._workspaces = workspaces
        self._tasks = tasks

    async def heard(self, context: AsyncBoltContext) -> None:
        connected = _connected(context)
        found = _held(context, OPENED)
        doubt = _held(context, DOUBTED)
        if isinstance(doubt, SuspectedUninstall):
            with self._tasks.held():
                await self._workspaces.settle(doubt)
        if connected is None or not isinstance(found, Opened):
            return
        with self._tasks.held():
            if found.is_outside and await connected.audience.is_colleague(found.person):
                found = replace(found, is_outside=False)
            await connected.home_tab.show(found)

    async def pressed(
        self, body: Body, ack: Callable[..., Awaitable[Any]], context: AsyncBoltContext
    ) -> None:
        connected = _connected(context)
        found = _read(body, connected)
        if connected is None or isinstance(found, NotForUs):
            await ack()
            return
        with self._tasks.held():
            if found.is_outside and await connected.audience.is_colleague(found.person):
                found = replace(found, is_outside=False)
            await connected.dispatcher.take(found, ack)


def _read(body: Body, connected: ConnectedWorkspace | None) -> SlackInteraction | NotForUs:
    if connected is None:
        return NotForUs(reason="team")
    try:
        return parse_interaction(body, connected.identity)
    except ContractError as error:
        logger.warning("an interaction can't be read: %s", error)
        return NotForUs(reason="broken")


def _connected(context: AsyncBoltContext) -> ConnectedWorkspace | None:
    found = _held(context, CONNECTED)
    return found if isinstance(found, ConnectedWorkspace) else None


def _held(context: AsyncBoltContext, key: str) -> object:
    """Read what was put into a context, of which Bolt says no types."""
    return cast("dict[str, object]", context).get(key)


async def _failed(error: Exception) -> BoltResponse:
    logger.error("Slack's request failed: %s", type(error).__name__)
    return BoltResponse(
        status=UNAVAILABLE if isinstance(error, TransientError) else BROKEN, body=""
    )
