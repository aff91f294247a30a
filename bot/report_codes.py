"""A case code that somebody types is answered to them alone, and its message is stored nowhere.

So it passes neither inbox nor outbox, which keep who wrote what: what is added is committed with
its case, then the answer is posted; where it can't be, the platform delivers the message again.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo

from bot.replies.report_texts import code_lines, code_posts
from core.cases.case_codes import code_in
from core.cases.returning import ReportStatus, ReturningWriters
from core.domain.conversation import ContextMessage, Place
from core.domain.delivery import Ambiguous, Delivery, Notice, RetryAfter, StoredReply
from core.domain.errors import TransientError
from core.domain.message import InboundMessage
from core.domain.officers import Account
from core.language.languages import Language
from core.ports import Poster

REMEMBERED = 1_000
"""Messages of which a process remembers, in memory alone, that it answered them: Slack tells of a
mention twice."""
LanguageAt = Callable[[Place, str, str | None], Awaitable[Language]]
"""See `core.ports.Platform.language`."""


def without_codes(messages: Sequence[ContextMessage]) -> tuple[ContextMessage, ...]:
    """Return what was written around a question, but for codes, and what was typed with them."""
    return tuple(message for message in messages if code_in(message.text) is None)


async def holds_none(_: InboundMessage) -> bool:
    """Take no message for one that holds a code."""
    return False


class CodeAnswers:
    """Answers codes on one platform. Safe from many tasks."""

    def __init__(
        self, writers: ReturningWriters, poster: Poster, *, language: LanguageAt, zone: tzinfo
    ) -> None:
        self._writers = writers
        self._poster = poster
        self._language = language
        self._zone = zone
        self._answered: deque[str] = deque(maxlen=REMEMBERED)

    async def __call__(self, message: InboundMessage) -> bool:
        """Answer a code; False: the message holds none.

        Raises:
            TransientError: It was not answered: the platform must send it again.
        """
        typed = code_in(message.text)
        if typed is None:
            return False
        place, person = message.place, message.person
        who = Account(platform=place.platform, tenant=place.tenant, person=person)
        key = message.message_key or message.dedupe_key
        if key in self._answered:
            return True
        self._answered.append(key)
        try:
            await self._answer(message, await self._writers.use(typed, who, key=key))
        except BaseException:
            self._answered.remove(key)
            raise
        return True

    async def _answer(self, message: InboundMessage, status: ReportStatus | None) -> None:
        place, person = message.place, message.person
        locale = message.raw.get("locale")
        language = await self._language(place, person, locale if isinstance(locale, str) else None)
        is_alone = place.mode == "direct"
        lines = code_lines(status, language, self._zone, is_alone=is_alone)
        for told in code_posts(lines):
            reply = StoredReply(notice=Notice.CASE_CODE, subject=told, language=language)
            result = await self._poster.post(
                Delivery(  # no row of it is kept, and no platform refuses its plainest shape
                    reply=reply,
                    place=place,
                    person=person,
                    is_direct=not is_alone,
                    shape=self._poster.shapes - 1,
                )
            )
            if isinstance(result, RetryAfter | Ambiguous):
                raise TransientError("the answer to a case code could not be posted")
