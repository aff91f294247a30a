"""Show that somebody is at work, within a second and until the end (platforms, 3.8, 4.2).

In a person's own chat the real steps, as lines of a stream that the reply ends; elsewhere typing,
which lapses by itself, and in a channel after some seconds a message that the reply replaces.

One task a run draws, one call at a time, so that nothing in flight can come after the end. Nothing
that fails here fails the run.
"""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType

from bot.teams.addresses import Addresses
from bot.teams.drawing import Pen
from bot.teams.transport import Transport
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.ports import Kept, Progress, Progressed

DRAWN_EVERY_S = 1.0
"""Teams takes about one part of a stream a second."""
TYPING_EVERY_S = 3.5
"""Typing is shown for a few seconds."""
PLACEHOLDER_AFTER_S = 8.0
"""Who waits longer than that looks elsewhere."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long is waited, where a test may not wait as long."""

    drawn_every_s: float = DRAWN_EVERY_S
    """Between two lines of a stream, at least."""
    typing_every_s: float = TYPING_EVERY_S
    """Between two signs of typing."""
    placeholder_after_s: float = PLACEHOLDER_AFTER_S
    """From the claim to the message in a channel."""


class TeamsSurface:
    """See `core.ports.Surface`."""

    def __init__(
        self, transport: Transport, addresses: Addresses, *, patience: Patience | None = None
    ) -> None:
        """Take how to call Teams, and where conversations are."""
        self._transport = transport
        self._addresses = addresses
        self._patience = patience or Patience()

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        return _Showing(Pen(self._transport, self._addresses, claimed, kept), self._patience)


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
        """Let the call in flight end; the run's own error goes on as it is."""
        self._is_over = True
        self._stir.set()
        await self._group.__aexit__(None, None, None)
        if isinstance(error, OvertakenError | asyncio.CancelledError):
            try:
                await self._pen.drop()
            except Exception as failed:  # progress never changes how a run ends
                logger.warning("progress is not ended: %s", type(failed).__name__)

    async def _draw(self) -> None:
        try:
            await self._steps()
        except Exception as error:  # progress never fails a run
            logger.warning("progress is not shown: %s", type(error).__name__)

    async def _steps(self) -> None:
        """Draw what is due, until the run is over."""
        now = asyncio.get_running_loop().time
        place_at = now() + self._patience.placeholder_after_s
        await self._pen.begin()
        drawn_at = now()
        while not self._is_over:
            if self._pen.streams:
                due_at = drawn_at + self._patience.drawn_every_s if self._reported else None
            else:
                due_at = drawn_at + self._patience.typing_every_s
                if self._pen.wants_placeholder:
                    due_at = min(due_at, place_at)
            if due_at is None or now() < due_at:
                await self._stirred(None if due_at is None else due_at - now())
                continue
            await self._due(is_late=now() >= place_at)
            drawn_at = now()

    async def _due(self, *, is_late: bool) -> None:
        if self._pen.streams:
            taken, self._reported = self._reported, []
            await self._pen.draw(taken)
        elif is_late and self._pen.wants_placeholder:
            await self._pen.place()
        else:
            await self._pen.beat()

    async def _stirred(self, within_s: float | None) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self._stir.wait()
        except TimeoutError:
            return
        self._stir.clear()
