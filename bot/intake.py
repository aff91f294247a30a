"""Store a message before it is acknowledged: one transaction, then the platform may be told.

Whatever fails is raised: the surface answers 5xx, and the platform delivers again. A repeated
delivery is a no-op, however often it comes and whatever its headers say.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from bot.small_talk import THANKS, is_only_thanks
from core.agent.conversation.misconduct import is_report
from core.agent.conversation.understanding import clean
from core.agent.request import MAX_QUESTION
from core.domain.context import bounded
from core.domain.errors import TransientError
from core.domain.message import Accepted, Ignored, InboundMessage, Seen
from core.domain.run import Json
from core.failpoints import failpoint
from core.ports import Inbox

PUT_WITHIN_S = 2.5
"""Slack waits 3 s: an answer later than this is lost anyway."""

logger = logging.getLogger(__name__)


class Intake:
    """Accepts messages. Safe from many tasks."""

    def __init__(self, inbox: Inbox, *, put_within_s: float = PUT_WITHIN_S) -> None:
        """Take where messages are kept."""
        self._inbox = inbox
        self._put_within_s = put_within_s

    async def accept(self, message: InboundMessage | Ignored, /) -> Accepted | Seen:
        """Store a message with its record and the job that answers it.

        Raises:
            TransientError: Nothing was stored, or nobody knows: answer 503, so that it comes again.
        """
        failpoint("F1")
        if is_only_thanks(message):
            message = message.ignored(THANKS)
        elif isinstance(message, InboundMessage):
            message = replace(message, is_report=is_report(clean(message.text)[:MAX_QUESTION]))
        try:
            async with asyncio.timeout(self._put_within_s):
                result = await self._inbox.put(_storable(message))
        except TimeoutError as error:
            raise TransientError("the database took too long to store a message") from error
        failpoint("F3")
        if isinstance(result, Seen):
            logger.info("a message was not stored: %s", result.reason)
        return result


def _storable(message: InboundMessage | Ignored) -> InboundMessage | Ignored:
    """Return the message without what Postgres can't keep: else it would come again for ever."""
    if isinstance(message, Ignored):
        return message
    raw = cast("Mapping[str, Json]", _clean(message.raw))
    context = tuple(replace(one, text=_text(one.text)) for one in message.context)
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
