"""Post the replies of a conversation, in order, each once.

    claim -> re-check the readers -> `sending` committed -> post -> what follows from the result

A reply that may have been posted is looked for before anything is posted again. What follows from a
result is decided by plain functions; the outbox carries it out, with its record.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol, assert_never

from bot.metrics import Meter
from bot.replies.case_texts import ANSWER_CONFIRMED
from bot.replies.report_texts import ANSWER_WITH_CODE
from bot.traces import traced
from core.domain.answer import Answer
from core.domain.delivery import (
    Abandon,
    Ambiguous,
    CanNotTell,
    ContentRefused,
    Delivery,
    Doubt,
    FindResult,
    LeaveUncertain,
    NoReaders,
    NotFound,
    Notice,
    Permanent,
    Posted,
    PostResult,
    PutOff,
    QueueAgain,
    Readers,
    RetryAfter,
    Settle,
    Step,
    StoredReply,
    Withhold,
)
from core.domain.errors import BusyError, OvertakenError
from core.domain.officers import Account, NoLink, SignInLink
from core.domain.policy import EVERYONE
from core.failpoints import failpoint
from core.leases import renewed
from core.ports import Outbox, Platform

LOOKED_FOR_AFTER_S = 5.0
"""What a platform may take until a post can be found."""
LONGEST_WAIT_S = 60.0
GIVEN_UP_AFTER_S = 24 * 3600.0
"""An answer that is a day late is no answer."""
GROUPS_WITHIN_S, GROUPS_AGAIN_S = 600.0, 20.0
"""How long an answer waits for groups that can't be read, and after what time they are tried."""

logger = logging.getLogger(__name__)


class SignInLinks(Protocol):
    """Lets officers into their console."""

    async def link_for(self, *accounts: Account) -> SignInLink | NoLink:
        """Return a link for the officer who has one of these accounts, or why there is none."""
        ...


class Deliverer:
    """Posts replies. Safe from many processes."""

    def __init__(
        self,
        *,
        outbox: Outbox,
        platforms: Mapping[str, Platform],
        meter: Meter | None = None,
        links: SignInLinks | None = None,
    ) -> None:
        """`platforms` by the name that a place gives them; no `links` without a console."""
        self._links = links
        self._meter = meter or Meter()
        self._meter.count("citebound_takeovers_total", 0.0, kind="deliver")
        self._outbox = outbox
        self._platforms = platforms

    async def deliver(self, conversation_id: str) -> None:
        """Post what is due in a conversation."""
        while isinstance(found := await self._outbox.claim(conversation_id), Delivery):
            try:
                with traced(
                    found.reply.question_id,
                    "post",
                    platform=found.place.platform,
                    attempt=found.attempt,
                    is_taken_over=found.is_taken_over,
                ) as span:
                    async with renewed(lambda claimed=found: self._outbox.renew(claimed)):
                        step = await self._settle(found)
                        await self._outbox.apply(found, step)
                    span.attributes["step"] = _snake(step)
                self._count(found, step)
            except OvertakenError:
                logger.info("reply %d was taken over", found.outbox_id)
                return

    def _count(self, delivery: Delivery, step: Step) -> None:
        platform = delivery.place.platform
        self._meter.count("citebound_replies_total", platform=platform, step=_snake(step))
        if delivery.is_taken_over:
            self._meter.count("citebound_takeovers_total", kind="deliver")
        is_answer = delivery.reply.answer is not None and delivery.reply.asked is None
        if is_answer and isinstance(step, Settle) and delivery.waited_s is not None:
            self._meter.observe("citebound_question_seconds", delivery.waited_s, platform=platform)

    async def _settle(self, delivery: Delivery) -> Step:
        platform = self._platforms.get(delivery.place.platform)
        if platform is None:
            return Abandon(code="no_platform")
        if delivery.is_doubtful:
            if not delivery.is_recorded_doubt:
                return Doubt(seconds=0.0, why="interrupted")
            return after_search(delivery, await platform.poster.find(delivery))
        if delivery.reply.notice is None:
            try:
                readers = await platform.audience.readers(
                    delivery.place, delivery.person, is_direct=delivery.is_direct
                )
            except BusyError as error:
                if holds_something(delivery.reply):
                    return _limited(delivery, RetryAfter(after_s=error.after_s))
            else:
                withheld = withholding(delivery, readers)
                if withheld is not None:
                    return withheld
        return await self._post(delivery, platform)

    async def _post(self, delivery: Delivery, platform: Platform) -> Step:
        if delivery.reply.notice is Notice.SIGN_IN:
            if not (delivery.is_direct or delivery.place.mode == "direct"):
                return Abandon(code="not_direct")
            delivery = await self._with_link(delivery)
        if delivery.reply.notice is Notice.HOW_IT_WORKS:
            delivery = await _welcoming(delivery, platform)
        delivery = _confirmed(await _spoken(delivery, platform))
        await self._outbox.begin(delivery)
        result = await platform.poster.post(delivery)
        failpoint("F9")
        self._meter.count(
            "citebound_posts_total", platform=delivery.place.platform, result=_snake(result)
        )
        return after_post(delivery, result, shapes=platform.poster.shapes)

    async def _with_link(self, delivery: Delivery) -> Delivery:
        """Make the link only now: its secret is stored nowhere."""
        place = delivery.place
        ids = [delivery.person, *([delivery.directory_id.lower()] if delivery.directory_id else [])]
        accounts = [
            Account(platform=place.platform, tenant=place.tenant, person=one) for one in ids
        ]
        made = await self._links.link_for(*accounts) if self._links else NoLink.NO_CONSOLE
        return replace(delivery, reply=replace(delivery.reply, sign_in=made))


async def _welcoming(delivery: Delivery, platform: Platform) -> Delivery:
    """Tell guests and strangers who may not ask only that: a welcome offers what they can't use.

    Where others read it stands for them.
    """
    if not (delivery.is_direct or delivery.place.mode == "direct"):
        return delivery
    try:
        readers = await platform.audience.readers(delivery.place, delivery.person, is_direct=True)
    except BusyError:
        return delivery
    if isinstance(readers, Readers) or readers.may_read_direct:
        return delivery
    return replace(delivery, reply=replace(delivery.reply, notice=Notice.STAFF_ALONE))


async def _spoken(delivery: Delivery, platform: Platform) -> Delivery:
    """Choose the language of a reply, once: it is kept with the reply.

    What answers somebody is in their language, also where others read it; what officers read
    together is in the deployment's.
    """
    reply, place = delivery.reply, delivery.place
    if reply.language is not None:
        return delivery
    is_alone = delivery.is_direct or place.mode == "direct"
    person = "" if is_for_officers(reply) and not is_alone else delivery.person
    language = await platform.language(place, person, delivery.locale if person else None)
    return replace(delivery, reply=replace(reply, language=language))


def _confirmed(delivery: Delivery) -> Delivery:
    """Say what an officer says who confirms an answer without a word of their own.

    And to the writer of a report how to answer.
    """
    reply, told = delivery.reply, delivery.reply.officer_reply
    if told is None or reply.language is None or (told.text and not told.is_report):
        return delivery
    hint = (ANSWER_WITH_CODE if told.is_report else ANSWER_CONFIRMED).of(reply.language)
    told = replace(told, text=f"{told.text}\n\n{hint}".strip())
    return replace(delivery, reply=replace(reply, officer_reply=told))


def _snake(told: Step | PostResult) -> str:
    """Return what it is, as a word of a metric."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(told).__name__).lower()


_TO_OFFICERS = frozenset(
    {
        Notice.DAY_BUDGET_SPENT,
        Notice.CHECKPOINT,
        Notice.CONTRADICTIONS,
        Notice.PRECEDENT_PROPOSED,
        Notice.PRECEDENT_ENDED,
        Notice.REVIEW_OVERDUE,
        Notice.POLICIES_CHANGED,
        Notice.ANSWER_REPORTED,
        Notice.SOURCE_FAILS,
        Notice.SOURCE_WORKS,
    }
)


def is_for_officers(reply: StoredReply) -> bool:
    """Say whether a reply is addressed to officers, whoever asked what it is about."""
    is_card = reply.case is not None or reply.affected is not None or reply.reminder is not None
    return is_card or reply.notice in _TO_OFFICERS


def holds_something(reply: StoredReply) -> bool:
    """Say whether a reply holds what not everybody may read.

    A bare refusal does not: it is posted also while it can't be told who reads it.
    """
    if reply.notice is not None:
        return False
    answer = reply.answer
    if answer is None or reply.asked is not None:
        return True
    return bool(answer.claims or answer.nearest or answer.slot)


def withholding(delivery: Delivery, readers: Readers | NoReaders) -> Step | None:
    """Say what follows if not everybody who reads the place may read the reply; None: all may.

    Notices, apologies and bare refusals hold nothing that anybody may not read.
    """
    reply = delivery.reply
    if reply.case is not None or reply.affected is not None or reply.reminder is not None:
        return _of_card(delivery, readers)
    if reply.officer_reply is not None or reply.news is not None:
        return _of_asker(delivery, readers)
    earlier = reply.superseded.answer if reply.superseded else None
    earlier = reply.clarified.asked if reply.clarified else earlier
    if earlier is not None:
        return _of_mark(delivery, earlier, readers)
    if reply.answer is None or not holds_something(reply):
        return None
    if reply.asked is not None:
        return _of_shared(delivery, readers)
    return _of_answer(delivery, reply.answer, readers)


def _of_answer(delivery: Delivery, answer: Answer, readers: Readers | NoReaders) -> Step | None:
    if not (answer.claims or answer.nearest or answer.slot):
        return None
    if isinstance(readers, NoReaders):
        if delivery.is_direct:
            return Abandon(code=readers.reason)
        return Withhold(reason=readers.reason, to_direct=readers.may_read_direct)
    if delivery.reply.groups <= readers.groups | {EVERYONE}:
        return None
    return _of_fewer(delivery, readers)


def _of_fewer(delivery: Delivery, readers: Readers) -> Step:
    """Say what follows where not all may read it: it waits for groups that may still be told."""
    if readers.are_groups_unread and delivery.age_s < GROUPS_WITHIN_S:
        return PutOff(seconds=GROUPS_AGAIN_S)
    if delivery.is_direct:
        return Abandon(code="asker_lost_access")
    return Withhold(reason="audience_shrank", to_direct=True)


def _of_shared(delivery: Delivery, readers: Readers | NoReaders) -> Step | None:
    """Let an answer that its asker shares stand there for all, or not at all: they have it."""
    if isinstance(readers, NoReaders):
        return Abandon(code=readers.reason)
    is_readable = delivery.reply.groups <= readers.groups | {EVERYONE}
    return None if is_readable else Abandon(code="audience_shrank")


def _of_mark(delivery: Delivery, earlier: Answer, readers: Readers | NoReaders) -> Step | None:
    """Let a notice take the place of an earlier answer that may not be repeated there."""
    if delivery.replaces is None:
        return Abandon(code="nothing_to_supersede")
    step = _of_answer(delivery, earlier, readers)
    return replace(step, to_direct=False) if isinstance(step, Withhold) else step


def _of_card(delivery: Delivery, readers: Readers | NoReaders) -> Step | None:
    """Keep a card from channels that are not the officers' alone, and a report from all of them.

    And a report from officers whom it names, also where it was no report when it was queued.
    """
    case = delivery.reply.case
    if case is not None and delivery.person in case.excluded:
        return Abandon(code="named_in_report")
    if delivery.is_direct:
        return Abandon(code=readers.reason) if isinstance(readers, NoReaders) else None
    is_report = case is not None and case.is_sensitive
    if not is_report and isinstance(readers, Readers) and readers.is_private:
        return None
    logger.error(
        "card %d must not stand in CITEBOUND_CASE_CHANNEL (%s): it goes to an officer directly",
        delivery.outbox_id,
        "it is a report" if is_report else _why_not(readers),
    )
    return QueueAgain(shape=0, is_direct=True)


def _why_not(readers: Readers | NoReaders) -> str:
    return readers.reason if isinstance(readers, NoReaders) else "the channel is not private"


def _of_asker(delivery: Delivery, readers: Readers | NoReaders) -> Step | None:
    """Let what Compliance tells an asker go directly where outsiders read."""
    if not isinstance(readers, NoReaders):
        return None
    if delivery.is_direct or not readers.may_read_direct:
        return Abandon(code=readers.reason)
    return QueueAgain(shape=0, is_direct=True)


def after_post(delivery: Delivery, result: PostResult, *, shapes: int) -> Step:
    """Say what follows from a post."""
    match result:
        case Posted():
            return Settle(remote_id=result.remote_id)
        case RetryAfter():
            return _limited(delivery, result)
        case ContentRefused():
            return _plainer(delivery, result, shapes)
        case Permanent():
            return _elsewhere(delivery, result)
        case Ambiguous():
            return Doubt(seconds=LOOKED_FOR_AFTER_S, why=result.code)
        case _:
            assert_never(result)


def after_search(delivery: Delivery, result: FindResult) -> Step:
    """Say what follows from looking for a post."""
    match result:
        case Posted():
            return Settle(remote_id=result.remote_id)
        case NotFound():
            return _again(delivery)
        case CanNotTell():
            return LeaveUncertain()
        case RetryAfter():
            return PutOff(seconds=result.after_s, channel_rests=True)
        case Ambiguous():
            return _look_later(delivery, result)
        case _:
            assert_never(result)


def _limited(delivery: Delivery, result: RetryAfter) -> Step:
    if delivery.age_s > GIVEN_UP_AFTER_S:
        return Abandon(code="too_late")
    return PutOff(seconds=result.after_s, channel_rests=True)


def _plainer(delivery: Delivery, result: ContentRefused, shapes: int) -> Step:
    logger.error("reply %d: shape %d is refused", delivery.outbox_id, delivery.shape)
    if delivery.shape + 1 < shapes:
        return QueueAgain(shape=delivery.shape + 1, is_direct=delivery.is_direct)
    return Abandon(code=result.code)


def _elsewhere(delivery: Delivery, result: Permanent) -> Step:
    logger.error("reply %d can't be posted; its record says why", delivery.outbox_id)
    reply = delivery.reply
    is_card = reply.case or reply.affected or reply.reminder
    is_for_somebody = reply.answer or is_card or reply.officer_reply or reply.news
    is_unwanted = result.is_unwanted or reply.asked is not None
    if delivery.is_direct or is_for_somebody is None or is_unwanted:
        return Abandon(code=result.code)
    return QueueAgain(shape=0, is_direct=True)


def _again(delivery: Delivery) -> Step:
    if delivery.age_s > GIVEN_UP_AFTER_S:
        return Abandon(code="too_late")
    return QueueAgain(shape=delivery.shape, is_direct=delivery.is_direct)


def _look_later(delivery: Delivery, result: Ambiguous) -> Step:
    if delivery.age_s > GIVEN_UP_AFTER_S:
        return LeaveUncertain()
    seconds = min(LONGEST_WAIT_S, max(LOOKED_FOR_AFTER_S, delivery.age_s))
    return Doubt(seconds=seconds, why=result.code)
