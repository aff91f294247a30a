"""Compare past answers with the policies, and give those again that an officer approved.

compare -> an officer approves -> readers -> run, no transaction open -> record, reply, mark in one

Who reads the place is established anew, as for any question, and again before anything is posted.
An answer that is the same today is confirmed in the record, and nobody hears of it. Officers are
also told here of what policies need them for: a review, or what an interrupted ingestion changed.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from core.agent.reply import compose
from core.agent.reply.answer_json import answer_json
from core.agent.request import AskRequest
from core.agent.service import Answering
from core.cases.opening import AnswerRecorder
from core.domain.delivery import NoReaders, Readers
from core.domain.errors import OvertakenError, TransientError, raised_at
from core.domain.policy import EVERYONE
from core.domain.question import Turn
from core.ports import Clock, ConversationStore, Platform
from core.ports.corpus import IngestRuns
from core.ports.corrections import AffectedEditions, Comparisons, Correction, Corrections
from core.replay.today import changes_between

LOOKS_EVERY_S = 60.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrector:
    """Compares and corrects. Safe from many processes."""

    comparisons: Comparisons
    suspensions: Comparisons | None = None
    """None: there are no precedents."""
    reviews: Comparisons | None = None
    """None: nobody is told of policies that are past their review."""
    ingestions: IngestRuns | None = None
    """None: nobody is told what interrupted ingestions have changed."""
    corrections: Corrections
    editions: AffectedEditions
    conversations: ConversationStore
    answering: Answering
    recorder: AnswerRecorder
    platforms: Mapping[str, Platform]
    """By the name that a place gives them."""
    clock: Clock
    looks_every_s: float = LOOKS_EVERY_S

    async def run(self) -> None:
        """Look again and again, until it is cancelled."""
        while True:
            try:
                await self.once()
            except TransientError:
                logger.warning("past answers are compared later: the database failed")
            except Exception as error:
                logger.error(  # noqa: TRY400  # what it says may hold what was asked
                    "past answers are not compared: %s at %s",
                    type(error).__name__,
                    raised_at(error),
                )
            await asyncio.sleep(self.looks_every_s)

    async def once(self) -> None:
        """Compare if there is something new, correct what is due, and show officers how far it is.

        Raises:
            TransientError: The database failed.
        """
        today = self.clock.today()
        if self.suspensions is not None and (ended := await self.suspensions.compare(on_day=today)):
            logger.info("%d precedents are told no more", ended)
        if self.reviews is not None and (overdue := await self.reviews.compare(on_day=today)):
            logger.info("officers are told of %d policies that are past their review", overdue)
        found = await self.comparisons.compare(on_day=today)
        if found:
            logger.info("%d past answers rest on what has changed", found)
        while (correction := await self.corrections.claim()) is not None:
            await self._attempt(correction)
        await self.editions.update_cards()
        if self.ingestions is not None and (changed := await self.ingestions.tell_of_interrupted()):
            logger.info("officers are told of %d policies of interrupted ingestions", changed)

    async def _attempt(self, correction: Correction) -> None:
        try:
            await self._correct(correction)
        except OvertakenError:
            await self.corrections.drop(correction)
        except Exception as error:
            logger.error(  # noqa: TRY400  # as above
                "answer %s, attempt %d: %s at %s",
                correction.answer_id,
                correction.attempt,
                type(error).__name__,
                raised_at(error),
            )
            await self.corrections.put_off(correction)

    async def _correct(self, correction: Correction) -> None:
        readers, is_direct = await self._readers(correction)
        if isinstance(readers, NoReaders):
            await self.corrections.drop(correction)
            return
        history = await self.conversations.history(correction.conversation_id)
        request, earlier = _asked_again(correction, readers, history)
        run = await self.answering.rehearse(request, history=earlier)
        if changes_between(correction.given, answer_json(run.answer)).is_same:
            await self.corrections.confirm(correction)
            return
        question = replace(run.question, conversation_id=correction.conversation_id)
        answer = compose.with_first_note(run.answer, correction.note)
        await self.recorder.correct(
            replace(run, question=question, answer=answer),
            replace(correction, is_direct=is_direct),
        )

    async def _readers(self, correction: Correction) -> tuple[Readers | NoReaders, bool]:
        """Find out who reads: where strangers do now, the asker alone if they may."""
        platform = self.platforms.get(correction.place.platform)
        if platform is None:
            return NoReaders(may_read_direct=False, reason="no_platform"), False
        ask = platform.audience.readers
        is_direct = correction.is_direct
        found = await ask(correction.place, correction.person, is_direct=is_direct)
        if isinstance(found, NoReaders) and found.may_read_direct and not is_direct:
            return await ask(correction.place, correction.person, is_direct=True), True
        return found, is_direct


def _asked_again(
    correction: Correction, readers: Readers, history: tuple[Turn, ...]
) -> tuple[AskRequest, tuple[Turn, ...]]:
    """Return the question as of today, for those who could read then and can now, with its turns.

    A turn so long ago that it is not read back any more is asked as it stands alone.
    """
    is_known = any(turn.answer_id == correction.answer_id for turn in history)
    earlier = takewhile(lambda turn: turn.answer_id != correction.answer_id, history)
    request = AskRequest(
        text=correction.text if is_known else correction.standalone,
        place=correction.place,
        asker=correction.asker,
        groups=correction.groups & (readers.groups | {EVERYONE}),
        jurisdiction=correction.jurisdiction,
        tags=correction.tags,
        context=correction.context,
        question_id=correction.question_id,
        language=correction.language,
    )
    return request, tuple(earlier) if is_known else ()
