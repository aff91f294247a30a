"""What is drawn of one run: lines in a stream, typing, a placeholder where it takes long.

The id of what the reply replaces is kept at once, also for after a crash. If the run was recorded
first, its reply does not know the message: it goes.
"""

from collections.abc import Sequence

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
from core.ports import Kept, Progressed

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
