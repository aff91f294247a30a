"""What is drawn of one run: lines in a stream, typing, a placeholder where it takes long.

The id of what the reply replaces is kept at once, also for after a crash. If the run was recorded
first, its reply does not know the message: it goes.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.progress_session import Showing
from bot.replies.notices import STOPPED
from bot.teams.cards import progress_blocks
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.calls import Outcome, Refused, Told
from bot.teams.connector.connector import Address, Transport
from bot.teams.protocol.conversations import scope_of
from bot.teams.protocol.payload import maybe
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.domain.run import Json
from core.ports import Kept, Progress, Progressed

ATTEMPT = 1_000
"""Numbers of parts that one attempt has: the next one goes on later than it can have come."""


class Pen:
    """Draws for one claimed message; one call at a time."""

    def __init__(
        self, transport: Transport, addresses: Addresses, claimed: Claimed, kept: Kept
    ) -> None:
        """Take the message, and who keeps the id of what shows its progress."""
        self._transport = transport
        self._addresses = addresses
        self._claimed = claimed
        self._kept = kept
        self._at: Address | None = None
        self._shown = claimed.progress_id
        self._sequence = ATTEMPT * (claimed.attempt - 1)
        self._scope = scope_of(claimed.place)
        self._may_stand = claimed.progress_id is not None or not claimed.follows_unposted
        self.streams = self._scope == "personal" and self._may_stand
        """True: each step is a line of a stream; else typing is shown."""

    @property
    def wants_placeholder(self) -> bool:
        """True: a message should stand where the answer will, if that takes long.

        Not where nobody else is to know that somebody asked.
        """
        is_seen = self._claimed.raw.get("is_targeted") is not True
        return self._scope == "channel" and is_seen and self._shown is None and self._may_stand

    async def begin(self) -> None:
        """Give the first sign of life."""
        at = await self._addresses.of(self._claimed.place)
        self._at = at if isinstance(at, Address) else None
        if self.streams:
            await self._line(None)
        if not self.streams:
            await self.beat()

    async def draw(self, steps: Sequence[Progressed]) -> None:
        """Show the last of these steps in the stream."""
        if steps and self.streams:
            await self._line(steps[-1])

    async def beat(self) -> None:
        """Show typing, for some seconds."""
        await self._say(progress_blocks.typing())

    async def place(self) -> None:
        """Put a message where the answer will stand."""
        told = await self._say(progress_blocks.placeholder())
        if isinstance(told, Told) and maybe(told.body, "id"):
            await self._keep(maybe(told.body, "id"))

    async def drop(self) -> None:
        """Say that nobody goes on with it: a stream ends, a placeholder goes."""
        if self._at is None or self._shown is None:
            return
        if self._scope == "personal":
            await self._end(self._shown)
        else:
            await self._transport.delete(self._at, self._shown)

    async def _line(self, step: Progressed | None) -> None:
        self._sequence += 1
        told = await self._say(
            progress_blocks.informative(step, sequence=self._sequence, stream_id=self._shown)
        )
        if isinstance(told, Told) and self._shown is None:
            if maybe(told.body, "id"):
                await self._keep(maybe(told.body, "id"))
            else:
                self.streams = False
        # A refused stream is over or not to be had; a lost first part leaves none to go on with.
        if isinstance(told, Refused) or self._shown is None:
            self.streams = False

    async def _say(self, activity: dict[str, Json]) -> Outcome | None:
        if self._at is None:
            return None
        return await self._transport.post(self._at, activity)

    async def _keep(self, message: str) -> None:
        try:
            await self._kept(message)
        except OvertakenError:
            self.streams = False
            if self._at is not None:
                if self._scope == "personal":
                    await self._end(message)
                await self._transport.delete(self._at, message)
            raise
        self._shown = message

    async def _end(self, stream: str) -> None:
        if self._at is not None:
            stopped: dict[str, Json] = {"type": "message", "text": STOPPED}
            await self._transport.post(self._at, progress_blocks.final(stopped, stream_id=stream))


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
