"""Show that somebody is at work: a status within a second, then the real steps (platforms, 2.5).

At the end the status is cleared, whatever happened. What this Slack lacks is not tried again. Where
it takes long to find out who reads a channel, the status stands from before that is known, and the
asker is told, alone, that a direct message is answered sooner.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.progress_session import Showing
from bot.replies.notices import WRITE_DIRECTLY
from bot.slack.blocks import progress_blocks
from bot.slack.outbound.progress_drawing import Pen
from bot.slack.web.calls import Slack
from core.domain.errors import BusyError
from core.domain.message import Claimed
from core.ports import Kept, Progress

REFRESHED_EVERY_S = 90.0
"""Slack takes a status away after two minutes."""
DRAWN_AFTER_S = 0.6
"""A run that is over by then shows its status alone: one call less, and nothing flickers."""
DRAWN_EVERY_S = 1.0
"""Slack takes some 100 additions to streams a minute, of all runs together."""
BEATS_EVERY_S = 15.0
"""A stream that is quiet for half a minute dies."""
WAKES_AFTER_S = 0.3
"""Who reads is mostly known, or told, sooner: then the status comes with the work itself."""
POINTS_AFTER_S = 10.0
"""Who has waited so long only for us to know who reads may rather ask directly."""
SILENT_S = 40.0
"""So many pings without an answer: nobody is there."""
MOST_AWAITED = 4_096
"""Messages of which it is remembered since when they wait."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long is waited, where a test may not wait as long."""

    refreshed_every_s: float = REFRESHED_EVERY_S
    """Between two settings of the status."""
    draw_after_s: float = DRAWN_AFTER_S
    """From the claim to the first task."""
    drawn_every_s: float = DRAWN_EVERY_S
    """Between two additions to the tasks, at least."""
    beats_every_s: float = BEATS_EVERY_S
    """Between two signs of a stream."""
    wakes_after_s: float = WAKES_AFTER_S
    """From the claim to the status, where it is not yet known who reads."""
    points_after_s: float = POINTS_AFTER_S
    """From the first claim to the line that points to a direct message."""
    silent_s: float = SILENT_S
    """After which a socket that hears nothing is opened anew."""


@dataclass(slots=True, kw_only=True)
class _Awaited:
    """A message of which it is not yet known who reads, over all attempts of this process."""

    point_at: float
    """When its asker is pointed to a direct message, by the loop's clock."""
    shown_at: float | None = None
    """When the status was set; None: not yet."""
    is_pointed: bool = False
    """True once the asker was."""


class SlackSurface:
    """See `core.ports.Surface`."""

    def __init__(self, slack: Slack, *, team: str, patience: Patience | None = None) -> None:
        """Take where to show it, and the workspace for messages that do not name one."""
        self._slack = slack
        self._team = team
        self._patience = patience or Patience()
        self._awaited: dict[int, _Awaited] = {}
        """By message: those of which it is not yet known who reads."""

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        return _Showing(Pen(self._slack, claimed, kept, team=self._team), self._patience)

    @asynccontextmanager
    async def waking(self, claimed: Claimed) -> AsyncGenerator[None]:
        """See `Platform.waking`. What is said holds nothing that anybody may not read.

        Where Slack puts the look-up off, the status stands until the next attempt, and whoever
        would wait too long for that one is told at once.
        """
        now = asyncio.get_running_loop().time
        first = _Awaited(point_at=now() + self._patience.points_after_s)
        awaited = self._awaited.setdefault(claimed.message_id, first)
        if len(self._awaited) > MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        is_over, group = asyncio.Event(), asyncio.TaskGroup()
        await group.__aenter__()
        group.create_task(self._waken(claimed, awaited, is_over))
        is_put_off_by = None
        try:
            yield
            self._awaited.pop(claimed.message_id, None)
        except BusyError as error:
            is_put_off_by = error.after_s
            raise
        finally:
            is_over.set()
            await group.__aexit__(None, None, None)
            if is_put_off_by is not None:
                await self._show(claimed, awaited)
                if now() + is_put_off_by >= awaited.point_at:
                    await self._point(claimed, awaited)

    async def _waken(self, claimed: Claimed, awaited: _Awaited, is_over: asyncio.Event) -> None:
        now = asyncio.get_running_loop().time
        try:
            if not await _comes(is_over, self._patience.wakes_after_s):
                await self._show(claimed, awaited)
                if not await _comes(is_over, awaited.point_at - now()):
                    await self._point(claimed, awaited)
        except Exception as error:  # progress never fails a run
            logger.warning("it is not shown that somebody is at work: %s", type(error).__name__)

    async def _show(self, claimed: Claimed, awaited: _Awaited) -> None:
        """Set the status, if it does not stand."""
        now = asyncio.get_running_loop().time
        if awaited.shown_at is not None and now() - awaited.shown_at < REFRESHED_EVERY_S:
            return
        awaited.shown_at = now()
        await self._slack.write(
            "assistant.threads.setStatus",
            channel_id=claimed.place.channel,
            thread_ts=claimed.place.thread,
            status=progress_blocks.BEFORE,
            loading_messages=list(progress_blocks.LOADING),
        )

    async def _point(self, claimed: Claimed, awaited: _Awaited) -> None:
        """Tell the asker once, and alone, that a direct message is answered sooner."""
        place = claimed.place
        if place.mode == "direct" or awaited.is_pointed:
            return
        awaited.is_pointed = True
        await self._slack.write(
            "chat.postEphemeral",
            channel=place.channel,
            user=claimed.person,
            thread_ts=place.thread,
            text=WRITE_DIRECTLY,
        )


async def _comes(event: asyncio.Event, within_s: float) -> bool:
    """Wait for an event; False if it does not come in time."""
    try:
        async with asyncio.timeout(max(0.0, within_s)):
            await event.wait()
    except TimeoutError:
        return False
    return True


class _Showing(Showing):
    def __init__(self, pen: Pen, patience: Patience) -> None:
        super().__init__()
        self._pen = pen
        self._patience = patience

    async def steps(self) -> None:
        """See `Showing.steps`."""
        now = asyncio.get_running_loop().time
        await self._pen.begin()
        refresh_at = now() + self._patience.refreshed_every_s
        draw_at = now() + (self._patience.draw_after_s if self._pen.has_status else 0)
        drawn_at = now()
        while not self.is_over:
            if now() >= refresh_at:
                await self._pen.refresh()
                refresh_at = now() + self._patience.refreshed_every_s
            if now() >= draw_at:
                await self._pen.draw(self.taken())
                drawn_at = now()
                draw_at = drawn_at + self._patience.beats_every_s
            await self.stirred(min(refresh_at, draw_at) - now())
            if self.has_news and self._pen.is_drawing:
                draw_at = min(draw_at, drawn_at + self._patience.drawn_every_s)
        if self._pen.is_drawing:
            await self._pen.finish(self.taken())

    async def clear(self) -> None:
        """See `Showing.clear`."""
        await self._pen.clear()

    async def drop(self) -> None:
        """See `Showing.drop`."""
        await self._pen.drop()
