"""Show that somebody is at work: a status within a second, then the real steps (platforms, 2.5).

At the end the status is cleared, whatever happened. What this Slack lacks is not tried again.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.showing import Showing
from bot.slack.calls import Slack
from bot.slack.drawing import Pen
from bot.slack.sockets import SILENT_S
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
    silent_s: float = SILENT_S
    """After which a socket that hears nothing is opened anew."""


class SlackSurface:
    """See `core.ports.Surface`."""

    def __init__(self, slack: Slack, *, team: str, patience: Patience | None = None) -> None:
        """Take where to show it, and the workspace for messages that do not name one."""
        self._slack = slack
        self._team = team
        self._patience = patience or Patience()

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        return _Showing(Pen(self._slack, claimed, kept, team=self._team), self._patience)


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
