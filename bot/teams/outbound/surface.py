"""Show that somebody is at work, within a second and until the end (platforms, 3.8, 4.2).

In a person's own chat the real steps, as lines of a stream that the reply ends; elsewhere typing,
which lapses by itself, and in a channel after some seconds a message that the reply replaces. Where
it takes long to read who is there, somebody types from before that is known.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.progress_session import Showing
from bot.teams.cards import progress_blocks
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, Transport
from bot.teams.outbound.progress_drawing import Pen
from core.domain.message import Claimed
from core.ports import Kept, Progress

DRAWN_EVERY_S = 1.0
"""Teams takes about one part of a stream a second."""
TYPING_EVERY_S = 3.5
"""Typing is shown for a few seconds."""
PLACEHOLDER_AFTER_S = 8.0
"""Who waits longer than that looks elsewhere."""
WAKES_AFTER_S = 0.3
"""A list of members that is remembered, or read quickly, costs no call more."""

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
    wakes_after_s: float = WAKES_AFTER_S
    """From the claim to typing, where it is not yet known who reads."""


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

    @asynccontextmanager
    async def waking(self, claimed: Claimed) -> AsyncGenerator[None]:
        """See `Platform.waking`. It is typed, nothing else: that may be seen by anybody."""
        group = asyncio.TaskGroup()
        await group.__aenter__()
        typing = group.create_task(self._typed(claimed))
        try:
            yield
        finally:
            typing.cancel()
            await group.__aexit__(None, None, None)

    async def _typed(self, claimed: Claimed) -> None:
        try:
            await asyncio.sleep(self._patience.wakes_after_s)
            at = await self._addresses.of(claimed.place)
            while isinstance(at, Address):
                await self._transport.post(at, progress_blocks.typing())
                await asyncio.sleep(self._patience.typing_every_s)
        except Exception as error:  # progress never fails a run
            logger.warning("nobody is seen typing: %s", type(error).__name__)


class _Showing(Showing):
    def __init__(self, pen: Pen, patience: Patience) -> None:
        super().__init__()
        self._pen = pen
        self._patience = patience

    async def steps(self) -> None:
        """See `Showing.steps`."""
        now = asyncio.get_running_loop().time
        place_at = now() + self._patience.placeholder_after_s
        await self._pen.begin()
        drawn_at = now()
        while not self.is_over:
            if self._pen.streams:
                due_at = drawn_at + self._patience.drawn_every_s if self.has_news else None
            else:
                due_at = drawn_at + self._patience.typing_every_s
                if self._pen.wants_placeholder:
                    due_at = min(due_at, place_at)
            if due_at is None or now() < due_at:
                await self.stirred(None if due_at is None else due_at - now())
                continue
            await self._due(is_late=now() >= place_at)
            drawn_at = now()

    async def clear(self) -> None:
        """See `Showing.clear`: typing lapses, and the reply takes the place of all else."""

    async def drop(self) -> None:
        """See `Showing.drop`."""
        await self._pen.drop()

    async def _due(self, *, is_late: bool) -> None:
        if self._pen.streams:
            await self._pen.draw(self.taken())
        elif is_late and self._pen.wants_placeholder:
            await self._pen.place()
        else:
            await self._pen.beat()
