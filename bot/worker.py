"""Answer the messages of a conversation, one after the other.

    claim -> readers -> run, no transaction open -> record, reply and message settled in one

What breaks within a run is its outcome: recorded as failed, with an apology (`Answering.ask`).
Whatever else goes wrong, the row stays and is begun again, by this process or another: the attempt
is counted before any work, so that a message which kills its worker counts too. After the last
attempt it is given up, with an apology.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import date

from bot.metrics import Meter
from bot.report_codes import without_codes
from bot.traces import STAGES, TraceSpan, add_stages, traced
from core.agent.conversation.understanding import clean
from core.agent.reply import compose
from core.agent.reply.source_facts import TEXT_ALTERED
from core.agent.request import MAX_QUESTION, NO_PROGRESS, AskRequest
from core.agent.service import Answering
from core.domain.answer import Answer
from core.domain.delivery import GROUPS_UNREAD, NoReaders, Readers
from core.domain.errors import BusyError, OvertakenError, StarvedError, TransientError, raised_at
from core.domain.limits import ANSWERED_AT_A_TIME, RunLimits
from core.domain.message import OVERHEARD, Claimed
from core.domain.run import ModelCall
from core.failpoints import failpoint
from core.language.interface.texts import spoken
from core.language.languages import Language
from core.leases import RENEWED_EVERY_S, renewed
from core.ports import (
    Backlog,
    Clock,
    Completion,
    Kept,
    Platform,
    Progress,
    Progressed,
)

MAX_ATTEMPTS = 5
BACK_OFF_S = (2.0, 8.0, 30.0, 60.0)
"""After the first attempt, the second, ..."""
JITTER = 0.2
PATIENT_FOR_S = 3_600.0
"""Of a message: how long a platform that asks us to wait is waited for, without an attempt."""
READERS_WITHIN_S = 600.0
"""Of a message: how long it may take to find out who reads the place, while the platform asks to
wait. Then the asker is asked to write directly, where one person is to be known."""
WRITE_ATTEMPTS = 20
"""Of a write without which others wait for a lease: by then it has ended."""
LONGEST_REST_S = 120.0
"""Before a platform that asks us to wait is asked again, whatever it asks for."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long is waited, where a test may not wait as long."""

    back_off_s: tuple[float, ...] = BACK_OFF_S
    """After each failed attempt; the last one holds for all further ones."""
    renewed_every_s: float = RENEWED_EVERY_S
    """Between two renewals of a lease."""
    insists_every_s: float = 1.0
    """Between two attempts of a write to a database that fails."""


class Worker:
    """Answers messages. Safe from many processes."""

    def __init__(
        self,
        *,
        backlog: Backlog,
        answering: Answering,
        platforms: Mapping[str, Platform],
        clock: Clock,
        patience: Patience | None = None,
        meter: Meter | None = None,
        deadline_s: float = RunLimits().deadline_s,
    ) -> None:
        """`platforms` by the name that a place gives them; `deadline_s` is that of a question."""
        self._deadline_s = deadline_s
        self.slots = ANSWERED_AT_A_TIME
        """How many questions to answer at a time, by what the last ones have cost."""
        self._meter = meter or Meter()
        self._meter.count("citebound_takeovers_total", 0.0, kind="answer")
        self._backlog = backlog
        self._answering = answering
        self._platforms = platforms
        self._clock = clock
        self._patience = patience or Patience()

    def _weigh(self, cost_s: float) -> None:
        """Answer half as many at a time after a question that was slow, else one more.

        Additive increase and multiplicative decrease settle at what the machine gets through, also
        where several processes share it (Chiu and Jain, 1989).
        """
        is_slow = cost_s > self._deadline_s / 2
        slots = self.slots // 2 if is_slow else self.slots + 1
        self.slots = min(max(1, slots), ANSWERED_AT_A_TIME)

    async def answer(self, conversation_id: str) -> None:
        """Answer what is due in a conversation."""
        while isinstance(found := await self._backlog.claim(conversation_id), Claimed):
            failpoint("F4")
            if found.is_taken_over:
                self._meter.count("citebound_takeovers_total", kind="answer")
            with traced(
                found.question_id,
                "answer",
                {"question": found.text},
                platform=found.place.platform,
                attempt=found.attempt,
                is_taken_over=found.is_taken_over,
            ) as span:
                await self._attempt(found, span)
            failpoint("F7")

    async def _attempt(self, claimed: Claimed, span: TraceSpan) -> None:
        look = asyncio.Event()
        try:
            async with renewed(
                lambda: self._backlog.renew(claimed),
                every_s=self._patience.renewed_every_s,
                look=look,
            ):
                await self._settle(claimed, look, span)
        except OvertakenError as error:
            span.error = type(error).__name__
            logger.info("message %d was taken over", claimed.message_id)
        except asyncio.CancelledError:
            await self._backlog.release(claimed, after_s=0.0, counted=False)
            raise
        except BusyError as error:
            span.error = type(error).__name__
            is_patient = claimed.waited_s < PATIENT_FOR_S
            logger.warning("message %d waits: %s", claimed.message_id, error)
            rest_s = min(max(error.after_s, 1.0), LONGEST_REST_S)
            await self._backlog.release(claimed, after_s=rest_s, counted=not is_patient)
        except Exception as error:
            span.error = type(error).__name__
            # Name and place alone: what Postgres says of a refused row holds the row, text and all.
            logger.error(  # noqa: TRY400
                "message %d, attempt %d: %s at %s",
                claimed.message_id,
                claimed.attempt,
                type(error).__name__,
                raised_at(error),
            )
            self._meter.count("citebound_failed_attempts_total")
            if isinstance(error, StarvedError):
                self._weigh(self._deadline_s)
            await self._begun_again_later(claimed)

    async def _begun_again_later(self, claimed: Claimed) -> None:
        """Give a message back as soon as the database takes it; else others wait for its lease."""
        after_s = self._back_off_s(claimed)
        try:
            await self._insist(
                lambda: self._backlog.release(claimed, after_s=after_s, counted=True)
            )
        except TransientError:
            logger.warning("message %d is not given back: its lease ends", claimed.message_id)

    async def _insist(self, write: Callable[[], Awaitable[None]]) -> None:
        """Repeat a write to a database that fails for as long as a lease lasts.

        Raises:
            OvertakenError: It is too late: somebody else has the message, or it is settled.
            TransientError: It still fails.
        """
        for _ in range(WRITE_ATTEMPTS):
            try:
                return await write()
            except OvertakenError:
                raise
            except TransientError:
                await asyncio.sleep(self._patience.insists_every_s)
        return await write()

    def _back_off_s(self, claimed: Claimed) -> float:
        waits = self._patience.back_off_s
        wait_s = waits[min(claimed.attempt, len(waits)) - 1]
        return wait_s * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  # no secret

    async def _settle(self, claimed: Claimed, look: asyncio.Event, span: TraceSpan) -> None:
        """Answer, or say why not."""
        platform = self._platforms[claimed.place.platform]
        if claimed.attempt > MAX_ATTEMPTS:
            logger.error("message %d is given up", claimed.message_id)
            self._meter.count("citebound_given_up_total")
            language = await _language(claimed, platform)
            await self._close(claimed, compose.failed(language), cause="given_up", is_dead=True)
            return
        if await self._is_hidden(claimed):
            platform = replace(platform, surface=_Silent(), waking=nullcontext)
        began_s = self._clock.monotonic_s()
        readers = await self._readers(claimed, platform)
        span.add("readers", began_s, self._clock.monotonic_s())
        language = await _language(claimed, platform)
        if isinstance(readers, NoReaders):
            self._meter.count("citebound_denied_total", reason=readers.reason)
            await self._close(claimed, _turned_away(readers, language), cause=readers.reason)
            return
        text = clean(claimed.text)
        if not text:
            await self._close(claimed, compose.greeting(language), cause="empty")
            return
        if len(text) > MAX_QUESTION:
            await self._close(claimed, compose.too_long(MAX_QUESTION, language), cause="too_long")
            return
        await self._ask(claimed, readers, platform, look, span)

    async def _is_hidden(self, claimed: Claimed) -> bool:
        """Say whether nothing may show that a message is read: others are there to see it."""
        if claimed.place.mode == "direct":
            return False
        return await self._answering.may_be_report(_request(claimed, Readers(groups=frozenset())))

    async def _readers(self, claimed: Claimed, platform: Platform) -> Readers | NoReaders:
        """Find out who reads; of a place of which that takes too long, nobody does.

        Raises:
            BusyError: The platform asks to wait, and there is still time.
        """
        is_direct = claimed.place.mode == "direct"
        try:
            async with platform.waking(claimed):
                return await platform.audience.readers(
                    claimed.place, claimed.person, is_direct=is_direct
                )
        except BusyError:
            if is_direct or claimed.waited_s < READERS_WITHIN_S:
                raise
            return NoReaders(may_read_direct=True, reason="readers_unknown")

    async def _ask(
        self,
        claimed: Claimed,
        readers: Readers,
        platform: Platform,
        look: asyncio.Event,
        span: TraceSpan,
    ) -> None:
        async def keep(remote_id: str) -> None:
            # What nobody knows of would stand beside the answer.
            await self._insist(lambda: self._backlog.show_progress(claimed, remote_id))

        began_s = self._clock.monotonic_s()
        async with platform.surface.showing(claimed, keep) as progress:
            around = await platform.around(claimed)
            asked_s = self._clock.monotonic_s()
            span.add("surroundings", began_s, asked_s)
            reply = await self._answering.ask(
                replace(
                    _request(claimed, readers, await _language(claimed, platform)),
                    context=without_codes(around.messages),
                    is_unread=around.is_unread,
                    asked_on=self._asked_on(claimed, readers),
                ),
                progress=_Watched(progress, look),
                completion=_completion(claimed, is_dead=False),
            )
            idle_s = sum(call.ended_s - call.started_s for call in reply.run.model_calls)
            self._weigh(self._clock.monotonic_s() - asked_s - idle_s)
            add_stages(span, reply.run, asked_s=asked_s, ended_s=self._clock.monotonic_s())
        outcome = reply.answer.outcome.value
        span.attributes.update(outcome=outcome, edition=reply.run.edition)
        span.texts["answer"] = reply.answer.text
        took_s = self._clock.monotonic_s() - began_s
        for stage in span.parts:
            if stage.name in STAGES:
                stage_s = stage.ended_s - stage.began_s
                self._meter.observe("citebound_stage_seconds", stage_s, stage=stage.name)
        self._meter.observe("citebound_answer_seconds", took_s, outcome=outcome)
        self._meter.count("citebound_outcomes_total", outcome=outcome)
        is_altered = any(it.startswith(TEXT_ALTERED) for it in reply.run.warnings)
        self._meter.count("citebound_altered_texts_total", float(is_altered))
        for call in reply.run.model_calls:
            self._count_call(call)

    def _count_call(self, call: ModelCall) -> None:
        model, took_s = call.model, call.ended_s - call.started_s
        if call.attempts:
            self._meter.observe(
                "citebound_model_seconds", took_s, model=model, purpose=call.purpose
            )
        if call.error is not None:
            self._meter.count("citebound_model_errors_total", model=model)
        tokens = "citebound_model_tokens_total"
        read = call.tokens.fresh + call.tokens.cache_read + call.tokens.cache_write
        self._meter.count(tokens, read, model=model, direction="read")
        self._meter.count(tokens, call.tokens.output, model=model, direction="written")
        self._meter.count("citebound_model_cost_usd_total", call.cost_usd or 0.0, model=model)

    def _asked_on(self, claimed: Claimed, readers: Readers) -> date:
        """Return the day of the first attempt where those are who read the answer."""
        there = self._clock.today(readers.jurisdiction)
        return claimed.as_of + (there - self._clock.today())

    async def _close(
        self, claimed: Claimed, answer: Answer, *, cause: str, is_dead: bool = False
    ) -> None:
        await self._answering.close(
            _request(claimed, Readers(groups=frozenset()), spoken(answer.language)),
            answer,
            cause=cause,
            completion=_completion(claimed, is_dead=is_dead),
        )
        self._meter.count("citebound_outcomes_total", outcome=answer.outcome.value)


class _Silent:
    """See `core.ports.Surface`: shows nothing, where others must not notice that a report came."""

    @asynccontextmanager
    async def showing(self, claimed: Claimed, kept: Kept, /) -> AsyncGenerator[Progress]:
        """See `Surface.showing`."""
        yield NO_PROGRESS


class _Watched:
    """See `core.ports.Progress`: each stage is also a moment to see whether to go on at all."""

    def __init__(self, progress: Progress, look: asyncio.Event) -> None:
        self._progress = progress
        self._look = look

    def report(self, progressed: Progressed, /) -> None:
        self._look.set()
        self._progress.report(progressed)


async def _language(claimed: Claimed, platform: Platform) -> Language:
    return await platform.language(claimed.place, claimed.person, claimed.locale)


def _turned_away(readers: NoReaders, language: Language) -> Answer:
    if readers.may_read_direct:
        return compose.not_here(language)
    is_open = readers.reason == GROUPS_UNREAD
    return compose.not_known(language) if is_open else compose.not_permitted(language)


def _request(
    claimed: Claimed, readers: Readers, language: Language = Language.ENGLISH
) -> AskRequest:
    return AskRequest(
        text=claimed.text,
        place=claimed.place,
        asker=claimed.asker,
        groups=readers.groups,
        jurisdiction=readers.jurisdiction,
        tags=readers.tags,
        are_groups_unread=readers.are_groups_unread,
        asked_on=claimed.as_of,
        attempt=claimed.attempt,
        edition=claimed.edition,
        question_id=claimed.question_id,
        is_addressed=claimed.raw.get(OVERHEARD) is not True,
        language=language,
    )


def _completion(claimed: Claimed, *, is_dead: bool) -> Completion:
    return Completion(
        message_id=claimed.message_id,
        lease_token=claimed.token,
        cause=claimed.record_id,
        is_dead=is_dead,
    )
