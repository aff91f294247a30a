"""Show that somebody is at work, within a second and until the end.

In a person's own chat the real steps, as lines of a stream that the reply ends; elsewhere typing,
which lapses by itself, and in a channel after some seconds a message that the reply replaces. The
id of what the reply replaces is kept at once, also for after a crash.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded
from bot.progress_session import ProgressSession
from bot.replies.notices import STOPPED
from bot.teams.cards import progress_blocks
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, Transport
from bot.teams.protocol.conversations import scope_of
from bot.teams.protocol.payload import maybe
from core.domain.errors import OvertakenError
from core.domain.json_value import Json
from core.domain.message import Claimed
from core.language.languages import Language
from core.ports import Kept, Progress, Progressed

SEQUENCES_PER_ATTEMPT = 1_000
"""Numbers of parts that one attempt has: the next one goes on later than it can have come."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsTimings:
    """How long is waited, in seconds; tests wait less."""

    drawn_every_s: float = 2.0
    """Between two lines of a stream, at least: Teams takes about one part a second, of which the
    answer needs two at the end. Were it less, the last one would be refused for a second or more.
    """
    typing_every_s: float = 3.5
    """Between two signs of typing, each of which is shown for a few seconds."""
    placeholder_after_s: float = 8.0
    """From the claim to the message in a channel: who waits longer than that looks elsewhere."""
    wakes_after_s: float = 0.3
    """From the claim to typing, where it is not yet known who reads; mostly it is by then."""


@dataclass(slots=True)
class _Saying:
    """Posts progress, and leaves a conversation alone for as long as Teams asks."""

    transport: Transport
    """Calls Teams."""
    _rests: dict[str, float] = field(default_factory=dict[str, float], init=False)
    """Until when, by conversation and the loop's clock."""

    def rests_until(self, at: Address | None) -> float:
        """Return from when something may be said again, by the loop's clock; long ago: now."""
        return self._rests.get(at.conversation, 0.0) if at is not None else 0.0

    async def post(self, at: Address, activity: dict[str, Json]) -> CallResult | None:
        """Post an activity; None: not now."""
        now = asyncio.get_running_loop().time
        if now() < self.rests_until(at):
            return None
        result = await self.transport.post(at, activity)
        if isinstance(result, RateLimited):
            kept = {key: until for key, until in self._rests.items() if until > now()}
            self._rests = {**kept, at.conversation: now() + result.after_s}
        return result


class TeamsSurface:
    """See `core.ports.Surface`."""

    def __init__(
        self,
        transport: Transport,
        addresses: Addresses,
        *,
        language_of: Callable[[str | None], Language] | None = None,
        timings: TeamsTimings | None = None,
    ) -> None:
        """`language_of` says which language a client's locale stands for; None: English."""
        self._language_of = language_of
        self._saying = _Saying(transport)
        self._addresses = addresses
        self._timings = timings or TeamsTimings()

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        told = self._language_of
        language = told(claimed.locale) if told else Language.ENGLISH
        return _Session(
            self._saying, self._addresses, claimed, kept, self._timings, language=language
        )

    @asynccontextmanager
    async def waking(self, claimed: Claimed) -> AsyncGenerator[None]:
        """See `Platform.waking`. Typing is shown, nothing else: anybody may see that."""
        group = asyncio.TaskGroup()
        await group.__aenter__()
        typing = group.create_task(self._type(claimed))
        try:
            yield
        finally:
            typing.cancel()
            await group.__aexit__(None, None, None)

    async def _type(self, claimed: Claimed) -> None:
        try:
            await asyncio.sleep(self._timings.wakes_after_s)
            at = await self._addresses.of(claimed.place)
            while isinstance(at, Address):
                await self._saying.post(at, progress_blocks.typing())
                rest_s = self._saying.rests_until(at) - asyncio.get_running_loop().time()
                await asyncio.sleep(max(self._timings.typing_every_s, rest_s))
        except Exception as error:  # progress never fails a run
            logger.warning("nobody is seen typing: %s", type(error).__name__)


class _Session(ProgressSession):
    """The progress of one claimed message."""

    def __init__(
        self,
        saying: _Saying,
        addresses: Addresses,
        claimed: Claimed,
        kept: Kept,
        timings: TeamsTimings,
        *,
        language: Language,
    ) -> None:
        super().__init__()
        self._language = language
        self._saying = saying
        self._addresses = addresses
        self._claimed = claimed
        self._kept = kept
        self._timings = timings
        self._at: Address | None = None
        self._shown = claimed.progress_id
        self._sequence = SEQUENCES_PER_ATTEMPT * (claimed.attempt - 1)
        self._scope = scope_of(claimed.place)
        is_first = claimed.attempt == 1 and not claimed.follows_unposted
        self._may_stand = claimed.progress_id is not None or is_first
        """True: something that stays may be posted, for the reply to replace. What an attempt that
        died posted without keeping its id can't be found any more: nothing is added to it."""
        self._has_stream = self._scope == "personal" and self._may_stand
        """True: each step is a line of a stream; else typing is shown."""

    async def steps(self) -> None:
        """See `ProgressSession.steps`."""
        now = asyncio.get_running_loop().time
        placeholder_at = now() + self._timings.placeholder_after_s
        await self._begin()
        drawn_at = now()
        while not self.is_over:
            if self._has_stream:
                due_at = drawn_at + self._timings.drawn_every_s if self.has_news else None
            else:
                due_at = drawn_at + self._timings.typing_every_s
                if self._wants_placeholder:
                    due_at = min(due_at, placeholder_at)
            if due_at is not None:
                due_at = max(due_at, self._saying.rests_until(self._at))
            if due_at is None or now() < due_at:
                await self.stirred(None if due_at is None else due_at - now())
                continue
            await self._draw_due(is_late=now() >= placeholder_at)
            drawn_at = now()

    async def clear(self) -> None:
        """See `ProgressSession.clear`: typing lapses, and the reply replaces all else."""

    async def drop(self) -> None:
        """See `ProgressSession.drop`: a stream ends, a placeholder goes."""
        if self._at is None or self._shown is None:
            return
        if self._scope == "personal":
            await self._end(self._at, self._shown)
        else:
            await self._saying.transport.delete(self._at, self._shown)

    @property
    def _wants_placeholder(self) -> bool:
        """True: a message should stand where the answer will, if that takes long.

        Not where nobody else is to know that somebody asked.
        """
        is_seen = self._claimed.raw.get("is_targeted") is not True
        return self._scope == "channel" and is_seen and self._shown is None and self._may_stand

    async def _begin(self) -> None:
        """Give the first sign of life."""
        at = await self._addresses.of(self._claimed.place)
        self._at = at if isinstance(at, Address) else None
        if self._has_stream:
            await self._line(None)
        if not self._has_stream:
            await self._say(progress_blocks.typing())

    async def _draw_due(self, *, is_late: bool) -> None:
        if self._has_stream:
            steps = self.taken()
            if steps:
                await self._line(steps[-1])
        elif is_late and self._wants_placeholder:
            told = await self._say(progress_blocks.placeholder(self._language))
            self._may_stand = isinstance(told, RateLimited)  # else it may stand already
            await self._keep_told(told)
        else:
            await self._say(progress_blocks.typing())

    async def _line(self, step: Progressed | None) -> None:
        """Show a step as a line of the stream, which the first one begins."""
        self._sequence += 1
        told = await self._say(
            progress_blocks.informative(
                step, self._language, sequence=self._sequence, stream_id=self._shown
            )
        )
        if self._shown is None:
            await self._keep_told(told)
        # A refused stream is over or not to be had; a lost first part leaves none to go on with.
        if isinstance(told, Rejected) or self._shown is None:
            self._has_stream = False

    async def _say(self, activity: dict[str, Json]) -> CallResult | None:
        return None if self._at is None else await self._saying.post(self._at, activity)

    async def _keep_told(self, told: CallResult | None) -> None:
        """Keep the id of what was posted, if the service told it."""
        message = maybe(told.body, "id") if isinstance(told, Succeeded) else ""
        if not message:
            return
        try:
            await self._kept(message)
        except OvertakenError:
            # The run was recorded before: its reply does not know this message.
            self._has_stream = False
            if self._at is not None:
                if self._scope == "personal":
                    await self._end(self._at, message)
                await self._saying.transport.delete(self._at, message)
            raise
        self._shown = message

    async def _end(self, at: Address, stream: str) -> None:
        stopped: dict[str, Json] = {"type": "message", "text": STOPPED.of(self._language)}
        await self._saying.transport.post(at, progress_blocks.final(stopped, stream_id=stream))
