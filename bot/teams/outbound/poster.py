"""Post a reply in its conversation; one attempt, and nothing raised.

    the end of its stream, or an update of its placeholder -> a message in the thread

No bot can look for what it posted: after an ambiguous post only what *replaces* something is
repeated; the rest stays uncertain, and a line below says so.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial

from bot.call_results import (
    NOT_SENT_REST_S,
    CallResult,
    RateLimited,
    Rejected,
    Uncertain,
    before_posting,
    found_by_updating,
    post_result,
)
from bot.teams.cards import progress_blocks
from bot.teams.cards.render import SHAPES, TeamsMessage
from bot.teams.connector.addresses import Addresses, Found
from bot.teams.connector.connector import Address, Transport, say
from bot.teams.connector.http_client import (
    BAD_REQUEST,
    FORBIDDEN,
    NOT_FOUND,
    NOT_HERE,
    TOO_LARGE,
    UNAUTHORISED,
)
from bot.teams.protocol.payload import maybe, words
from core.domain.delivery import (
    CanNotTell,
    ContentRefused,
    Delivery,
    FindResult,
    NotFound,
    Notice,
    Permanent,
    Posted,
    PostResult,
    RetryAfter,
)
from core.domain.json_value import Json
from core.failpoints import failpoint

UPDATE_REST_S = 2.0
"""Until an update that a gateway lost is repeated; it may be, as it replaces."""
LONGER_AT_RANDOM = 0.25
"""By what part of it a wait is longer at most, so that many do not come back at once."""
GATEWAYS = frozenset({502, 504})
LAST_SEQUENCE = 100_000
"""Of the one part that streams the answer: later than all that informed, of whichever process."""
PART_EVERY_S = 1.0
"""Teams takes about one part of a stream a second: an end that comes at once is refused, and so it
would be each time."""
PART_ATTEMPTS = 3
LONGEST_REST_S = 5.0
"""A longer rest is the outbox's: the reply's lease should not be kept for it."""
CANCELED = "canceled_by_user"
MOST_ATTEMPTS = 3
"""After which how it works is not shown once more, where nobody knows whether it arrived."""
_STREAM = "ContentStreamNotAllowed"

logger = logging.getLogger(__name__)


Render = Callable[[Delivery], TeamsMessage]
"""Makes the activity of a reply, in the delivery's shape."""


@dataclass(frozen=True, slots=True)
class TeamsPoster:
    """See `core.ports.Poster`."""

    shapes = SHAPES

    transport: Transport
    """One of the two."""
    addresses: Addresses
    """Where conversations are."""
    _: KW_ONLY
    render: Render
    """Makes a shape of a reply."""
    part_every_s: float = PART_EVERY_S
    """Seconds between two parts of a stream."""
    chance: Callable[[], float] = random.random
    """A number in [0, 1), different each time."""

    async def post(self, delivery: Delivery, /) -> PostResult:
        """See `Poster.post`."""
        result = await self._post(delivery, self.render(delivery))
        failpoint("F8")
        return result

    async def find(self, delivery: Delivery, /) -> FindResult:
        """See `Poster.find`."""
        shown = self.render(delivery)
        if _is_for_asker_alone(delivery, shown) or _may_be_repeated(delivery):
            # Nobody can look for it; to show it twice harms nobody.
            return NotFound()
        if delivery.is_direct:
            return CanNotTell()
        at = await self.addresses.of(delivery.place)
        if not isinstance(at, Address):
            return found_by_updating(self._result(at), otherwise=CanNotTell())
        replaced = await self._replace(delivery, at, shown.activity)
        if replaced is None:
            return CanNotTell()
        return found_by_updating(replaced, otherwise=NotFound())

    async def _post(self, delivery: Delivery, shown: TeamsMessage) -> PostResult:
        if delivery.is_direct:
            own = await self.addresses.direct(delivery.place, delivery.person)
            return await self._send(own, shown.activity)
        at = await self.addresses.of(delivery.place)
        if not isinstance(at, Address):
            return self._result(at)
        if _is_for_asker_alone(delivery, shown):
            return await self._to_asker(delivery, at, shown.activity)
        replaced = await self._replace(delivery, at, shown.activity)
        return await self._send(at, shown.activity) if replaced is None else replaced

    async def _send(self, at: Found, activity: dict[str, Json]) -> PostResult:
        if not isinstance(at, Address):
            return before_posting(self._result(at))
        return self._result(await say(self.transport, at, activity))

    async def _replace(
        self, delivery: Delivery, at: Address, activity: dict[str, Json]
    ) -> PostResult | None:
        """Let the reply take the place of what stands; None: nothing does, or it is gone."""
        if delivery.replaces is not None:
            return await self._update(at, delivery.replaces, activity)
        if delivery.progress_id is None:
            return None
        if delivery.place.mode == "direct":
            return await self._end(at, delivery.progress_id, activity)
        return await self._update(at, delivery.progress_id, activity)

    async def _update(
        self, at: Address, message: str, activity: dict[str, Json]
    ) -> PostResult | None:
        told = await self.transport.update(at, message, activity)
        if isinstance(told, Rejected) and told.status == NOT_FOUND:
            return None
        if isinstance(told, Uncertain) and told.status in GATEWAYS:
            return self._later(UPDATE_REST_S)
        result = self._result(told)
        return Posted(remote_id=message) if isinstance(result, Posted) else result

    async def _end(self, at: Address, stream: str, activity: dict[str, Json]) -> PostResult | None:
        """End a stream with the reply; None: it must be posted by itself.

        A stream that is over already, for its age or since it was ended before, is an ordinary
        message, which can be updated.
        """
        if words(activity, "text"):
            # What it answers shows again at the end, which alone counts.
            whole = progress_blocks.streaming(activity, sequence=LAST_SEQUENCE, stream_id=stream)
            await self._part(at, whole)
            await asyncio.sleep(self.part_every_s)
        told = await self._part(at, progress_blocks.final(activity, stream_id=stream))
        if not isinstance(told, Rejected) or told.status not in {FORBIDDEN, NOT_FOUND}:
            result = self._result(told)
            return Posted(remote_id=stream) if isinstance(result, Posted) else result
        if told.code == _STREAM and "cancel" in told.message.lower():
            return Permanent(code=CANCELED, is_unwanted=True)
        if told.code == _STREAM and "size" in told.message.lower():
            return ContentRefused(code=told.code)
        updated = await self._update(at, stream, activity)
        return None if isinstance(updated, Permanent) else updated

    async def _part(self, at: Address, part: dict[str, Json]) -> CallResult:
        """Send a part of a stream; again, where Teams took none so soon after the one before.

        Were all of it sent again, the text would come twice under one number, out of order.
        """
        told = await self.transport.post(at, part)
        for _ in range(PART_ATTEMPTS - 1):
            if not isinstance(told, RateLimited) or told.after_s > LONGEST_REST_S:
                break
            await asyncio.sleep(max(self.part_every_s, told.after_s))
            told = await self.transport.post(at, part)
        return told

    async def _to_asker(
        self, delivery: Delivery, at: Address, activity: dict[str, Json]
    ) -> PostResult:
        """Show it to the asker alone; where Teams cannot, in their own chat."""
        if delivery.replaces is not None:
            told = await self.transport.update(at, delivery.replaces, activity, is_targeted=True)
        else:
            if delivery.progress_id is not None:
                await self.transport.delete(at, delivery.progress_id)
            alone = {**activity, "recipient": {"id": delivery.person}}
            told = await self.transport.post(at, alone, is_targeted=True)
        if not (isinstance(told, Rejected) and told.status in NOT_HERE):
            return self._result(told)
        own = await self.addresses.direct(delivery.place, delivery.person)
        return await self._send(own, activity)

    def _result(self, result: CallResult) -> PostResult:
        meant = post_result(result, id_of=partial(maybe, key="id"), rejected=_rejected)
        return self._later(meant.after_s) if isinstance(meant, RetryAfter) else meant

    def _later(self, seconds: float) -> RetryAfter:
        """Return a wait, a little longer at random."""
        return RetryAfter(after_s=seconds * (1.0 + LONGER_AT_RANDOM * self.chance()))


def _rejected(rejected: Rejected) -> PostResult:
    if rejected.status == UNAUTHORISED:
        logger.error("Teams does not take the bot's token")
        return RetryAfter(after_s=NOT_SENT_REST_S)
    if rejected.status in {BAD_REQUEST, TOO_LARGE}:
        logger.error("Teams does not take a shape of ours: %s", rejected.code)
        return ContentRefused(code=rejected.code)
    return Permanent(code=rejected.code)


def _is_for_asker_alone(delivery: Delivery, shown: TeamsMessage) -> bool:
    is_public = not delivery.is_direct and delivery.place.mode != "direct"
    return is_public and (shown.is_for_asker_alone or delivery.is_whispered)


def _may_be_repeated(delivery: Delivery) -> bool:
    """Say whether to post it again is better than to say that it may be above."""
    return delivery.reply.notice is Notice.HOW_IT_WORKS and delivery.attempt < MOST_ATTEMPTS
