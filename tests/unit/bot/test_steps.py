"""What follows from what a platform says, as far as no database is needed."""

import logging

import pytest

from bot.delivery import GIVEN_UP_AFTER_S, after_post, after_search, withholding
from core.agent.reply import compose
from core.domain.conversation import Place
from core.domain.delivery import (
    Abandon,
    Ambiguous,
    Delivery,
    Doubt,
    LeaveUncertain,
    NoReaders,
    NotFound,
    Notice,
    Permanent,
    RetryAfter,
    Step,
    StoredReply,
)
from core.domain.run import Clarification

ASKED = compose.clarifying(Clarification(intent="general", question="Where?", slot="country"))


def delivery(reply: StoredReply, *, is_direct: bool = False, age_s: float = 0.0) -> Delivery:
    """Return a claimed row."""
    return Delivery(
        outbox_id=1,
        conversation_id="c",
        cause="message:1",
        reply=reply,
        place=Place(platform="fake", thread="1"),
        person="U1",
        is_direct=is_direct,
        shape=0,
        attempt=1,
        progress_id=None,
        is_doubtful=False,
        is_recorded_doubt=False,
        age_s=age_s,
        token="t",  # noqa: S106  # a lease
    )


NOTICE = StoredReply(notice=Notice.WITHHELD)
ANSWER = StoredReply(answer=ASKED, groups=frozenset({"everyone"}))
OLD = GIVEN_UP_AFTER_S + 1


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            after_post(delivery(ANSWER, age_s=OLD), RetryAfter(after_s=1), shapes=1),
            Abandon(code="too_late"),
        ),
        (after_search(delivery(ANSWER, age_s=OLD), NotFound()), Abandon(code="too_late")),
        (after_search(delivery(ANSWER, age_s=OLD), Ambiguous(code="503")), LeaveUncertain()),
        (
            after_search(delivery(ANSWER, age_s=12), Ambiguous(code="503")),
            Doubt(seconds=12, why="503"),
        ),
        (
            after_search(delivery(ANSWER, age_s=900), Ambiguous(code="503")),
            Doubt(seconds=60, why="503"),
        ),
        (after_post(delivery(NOTICE), Permanent(code="gone"), shapes=1), Abandon(code="gone")),
    ],
)
def test_what_goes_on_too_long_ends(step: Step, expected: Step) -> None:
    """An answer that is a day late is no answer, and a notice is sent after nobody."""
    assert step == expected


@pytest.mark.parametrize(
    ("reply", "is_direct", "expected"),
    [
        (NOTICE, False, None),
        (StoredReply(answer=compose.failed()), False, None),
        (StoredReply(answer=compose.not_here()), False, None),
        (ANSWER, True, Abandon(code="outsider")),
    ],
)
def test_only_what_rests_on_policies_is_withheld(
    reply: StoredReply, *, is_direct: bool, expected: Step | None
) -> None:
    """An apology tells nobody anything; an answer to an outsider is not even sent in private."""
    nobody = NoReaders(may_read_direct=False, reason="outsider")
    assert withholding(delivery(reply, is_direct=is_direct), nobody) == expected


def test_logs_name_no_text(caplog: pytest.LogCaptureFixture) -> None:
    """Not even the platform's word, which may repeat what it was sent."""
    with caplog.at_level(logging.DEBUG):
        after_post(delivery(ANSWER), Permanent(code="gone"), shapes=1)
    assert caplog.messages == ["reply 1 can't be posted; its record says why"]
