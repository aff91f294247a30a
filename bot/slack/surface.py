"""Show that somebody is at work: a status within a second, then the real steps (platforms, 2.5).

One task a run draws, one call at a time, so that nothing in flight can come after the end: there
the status is cleared, whatever happened. Nothing that fails here fails the run; what this Slack
lacks is not tried again.
"""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType

from bot.slack.calls import Slack
from bot.slack.drawing import Pen
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.ports import Kept, Progress, Progressed

REFRESHED_EVERY_S = 90.0
"""Slack takes a status away after two minutes."""
DRAWN_AFTER_S = 0.6
"""A run that is over by then shows its status alone: one call less, and nothing flickers."""
DRAWN_EVERY_S = 1.0
"""Slack takes some 100 additions to streams a minute, of all runs together."""
BEATS_EVERY_S = 15.0
"""A stream that is quiet for half a minute dies."""

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


class _Showing:
    """One run, from its claim to its end."""

    def __init__(self, pen: Pen, patience: Patience) -> None:
        self._pen = pen
        self._patience = patience
        self._reported: list[Progressed] = []
        self._stir = asyncio.Event()
        self._is_over = False
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Progress:
        await self._group.__aenter__()
        self._group.create_task(self._draw())
        return self

    def report(self, progressed: Progressed, /) -> None:
        """See `Progress.report`."""
        self._reported.append(progressed)
        self._stir.set()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the call in flight end, then clear; the run's own error goes on as it is."""
        self._is_over = True
        self._stir.set()
        await self._group.__aexit__(None, None, None)
        if isinstance(error, OvertakenError | asyncio.CancelledError):
            await self._pen.drop()

    async def _draw(self) -> None:
        try:
            await self._steps()
        except Exception as error:  # progress never fails a run
            logger.warning("progress is not shown: %s", type(error).__name__)
        finally:
            await self._pen.clear()

    async def _steps(self) -> None:
        """Draw what is due, until the run is over."""
        now = asyncio.get_running_loop().time
        await self._pen.begin()
        refresh_at = now() + self._patience.refreshed_every_s
        draw_at = now() + (self._patience.draw_after_s if self._pen.has_status else 0)
        drawn_at = now()
        while not self._is_over:
            if now() >= refresh_at:
                await self._pen.refresh()
                refresh_at = now() + self._patience.refreshed_every_s
            if now() >= draw_at:
                await self._pen.draw(self._taken())
                drawn_at = now()
                draw_at = drawn_at + self._patience.beats_every_s
            await self._stirred(min(refresh_at, draw_at) - now())
            if self._reported and self._pen.is_drawing:
                draw_at = min(draw_at, drawn_at + self._patience.drawn_every_s)
        if self._pen.is_drawing:
            await self._pen.finish(self._taken())

    def _taken(self) -> list[Progressed]:
        taken, self._reported = self._reported, []
        return taken

    async def _stirred(self, within_s: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, within_s)):
                await self._stir.wait()
        except TimeoutError:
            return
        self._stir.clear()
