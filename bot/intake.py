"""Accept a message: decide whether it is meant for us, and store it before it is acknowledged.

Whatever fails is raised: the surface answers 5xx, and the platform delivers again. A repeated
delivery is a no-op, however often it comes and whatever its headers say.

Most of what people write in a thread of ours without naming us is meant for each other. It is
answered only if it comes from the person whom we answered last there, asks something, and speaks to
nobody else; or if it answers a question that we asked that person back. All else is dropped before
anything is stored. While an officer speaks in somebody's thread we keep quiet, until we are
addressed again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from bot.report_codes import holds_none, without_codes
from bot.small_talk import THANKS, is_only_thanks
from bot.traces import traced
from core.agent.conversation.misconduct import is_report, may_report
from core.agent.conversation.speech import asks, is_aside, speaks_to_others
from core.agent.conversation.understanding import clean
from core.agent.request import MAX_QUESTION
from core.domain.conversation import bounded
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.message import (
    CODE_ANSWERED,
    OFFICER_SPEAKS,
    TAKEN_OVER,
    UNKNOWN_TARGET,
    Accepted,
    Ignored,
    InboundMessage,
    MessageKind,
    Seen,
    Speakers,
)
from core.domain.officers import Account, Officers
from core.failpoints import failpoint
from core.ports import ConversationStore, Inbox


@dataclass(frozen=True, slots=True, kw_only=True)
class NotForUs:
    """Nothing to keep of what a platform sent: it is acknowledged, logged and forgotten."""

    reason: str
    """Why, in a word of the platform's parser: `own`, `bot`, `channel`, `team`, `kind`, ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheard:
    """Addressed to us only if its thread is ours, and then perhaps; else not to be kept."""

    message: InboundMessage | Ignored
    """What it then is."""
    names_others: bool
    """True: it mentions somebody, whom the platform tells."""
    is_chat: bool = False
    """True: of a chat with several people, where people write for many reasons: nothing but an
    answer to what we asked its writer back is for us."""


async def heard(
    found: Overheard,
    *,
    conversations: ConversationStore,
    officers: Officers,
) -> InboundMessage | Ignored | None:
    """Return what is to be kept of what was overheard; None: nothing, it is not meant for us.

    Raises:
        TransientError: The tables can't be read: the platform must send it again.
    """
    message = found.message
    known = await conversations.find(message.place)
    if known is None or (
        found.is_chat and not await _is_awaited(message, known, conversations=conversations)
    ):
        return None
    if isinstance(message, InboundMessage) and message.as_original is not None:
        original = replace(found, message=message.as_original)
        meant = await heard(original, conversations=conversations, officers=officers)
        message = replace(message, as_original=meant if isinstance(meant, InboundMessage) else None)
    if isinstance(message, Ignored) or message.kind is not MessageKind.MESSAGE:
        return message
    speakers = await conversations.speakers(known)
    if speakers.first != message.person and _is_by_officer(message, officers):
        return message.ignored(OFFICER_SPEAKS)
    if not is_meant_for_us(message, speakers, names_others=found.names_others):
        return None
    if speakers.is_taken_over:
        return message.ignored(TAKEN_OVER)
    return message.overheard()


async def _is_awaited(
    message: InboundMessage | Ignored, known: str, *, conversations: ConversationStore
) -> bool:
    """Say whether a message comes from somebody whom we asked something back."""
    if isinstance(message, Ignored) or message.kind is not MessageKind.MESSAGE:
        return False
    speakers = await conversations.speakers(known)
    return speakers.is_asked_back and speakers.asker == message.person


def _is_by_officer(message: InboundMessage, officers: Officers) -> bool:
    """Say whether an officer wrote it; in Teams our list may name people by their directory id."""
    aad = message.raw.get("aad")
    ids = {message.person, aad.lower() if isinstance(aad, str) else ""} - {""}
    place = message.place
    accounts = (Account(platform=place.platform, tenant=place.tenant, person=one) for one in ids)
    return any(officers.find(one) for one in accounts)


def is_meant_for_us(message: InboundMessage, speakers: Speakers, *, names_others: bool) -> bool:
    """Say whether a message that names us nowhere goes on with what its writer asked us."""
    if message.person != speakers.asker or names_others or speaks_to_others(message.text):
        return False
    return asks(message.text) or (speakers.is_asked_back and not is_aside(message.text))


PUT_WITHIN_S = 2.5
"""Slack waits 3 s, and then sends again: an answer later than this is lost anyway."""
PUT_WITHIN_TEAMS_S = 8.0
"""Teams waits 10 to 15 s. Nothing promises that it sends again what was refused."""

logger = logging.getLogger(__name__)


class Intake:
    """Accepts messages. Safe from many tasks."""

    def __init__(
        self,
        inbox: Inbox,
        *,
        put_within_s: float = PUT_WITHIN_S,
        answers_code: Callable[[InboundMessage], Awaitable[bool]] = holds_none,
    ) -> None:
        """`answers_code` answers what holds the code of a report, which is not stored."""
        self._inbox = inbox
        self._answers_code = answers_code
        self._put_within_s = put_within_s

    async def accept(self, message: InboundMessage | Ignored, /) -> Accepted | Seen:
        """Store a message with its record.

        An edit that comes before its message is kept in the place of that, which is a repetition
        when it comes.

        Raises:
            TransientError: Nothing was stored, or nobody knows: answer 503, so that it comes again.
        """
        result = await self._accept(message)
        original = message.as_original if isinstance(message, InboundMessage) else None
        if original is None or result != UNKNOWN_TARGET:
            return result
        kept = await self._accept(original)
        # Where the message came in between, the edit changes it like any other.
        return await self._accept(message) if isinstance(kept, Seen) else kept

    async def _accept(self, message: InboundMessage | Ignored) -> Accepted | Seen:
        failpoint("F1")
        if isinstance(message, InboundMessage) and await self._answers_code(message):
            return CODE_ANSWERED
        if is_only_thanks(message):
            message = message.ignored(THANKS)
        elif isinstance(message, InboundMessage):
            message = replace(message, is_report=is_report(clean(message.text, most=MAX_QUESTION)))
        with traced(None, "message", platform=message.place.platform) as span:
            result = await self._put(message)
            if isinstance(result, Accepted) and isinstance(message, InboundMessage):
                span.question_id, span.is_root = result.question_id or "", True
                span.attributes["mode"] = message.place.mode
                if not may_report(message.text):
                    span.texts["question"] = message.text
        failpoint("F3")
        if isinstance(result, Seen):
            logger.info("a message was not stored: %s", result.reason)
        return result

    async def _put(self, message: InboundMessage | Ignored) -> Accepted | Seen:
        try:
            async with asyncio.timeout(self._put_within_s):
                return await self._inbox.put(_storable(message))
        except TimeoutError as error:
            raise TransientError("the database took too long to store a message") from error


def _storable(message: InboundMessage | Ignored) -> InboundMessage | Ignored:
    """Return the message without what Postgres can't keep: else it would come again for ever."""
    if isinstance(message, Ignored):
        return message
    raw = cast("Mapping[str, Json]", _clean(message.raw))
    told = without_codes(message.context)
    context = tuple(replace(one, text=_text(one.text)) for one in told)
    return replace(message, text=_text(message.text), raw=raw, context=bounded(context))


def _clean(value: Json) -> Json:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {_text(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def _text(text: str) -> str:
    """Replace NUL, which a `text` column refuses, and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
