"""Whoever reports a problem with an answer has given officers work, and hears what they find."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.cases.reviews import PostgresReviews
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.domain.answer import Outcome
from core.domain.case import ReviewVerdict
from core.domain.case_actions import CaseActionKind
from core.domain.feedback import FeedbackKept, FeedbackRefused, Rating, Reason
from core.domain.officers import Account
from tests.casework import ADA, ASKER, OTHER, Office, fresh, office
from tests.life import PSEUDONYMS, prepare


async def reported(
    bureau: Office, answer_id: str, who: Account = ASKER, comment: str = ""
) -> FeedbackKept | FeedbackRefused:
    """Send the form that says what is wrong, and post what follows."""
    kept = await bureau.feedback.give(
        answer_id,
        who,
        key=fresh(),
        rating=Rating.NEGATIVE,
        reason=Reason.UNANSWERED,
        comment=comment,
    )
    await bureau.deliver()
    return kept


async def said(bureau: Office) -> list[tuple[object, ...]]:
    """Return which notices were posted, to whom, and what they are about."""
    rows = await bureau.life.rows(
        "SELECT reply->>'notice' AS notice, person, is_direct, reply->>'subject' AS subject"
        " FROM citebound.outbox WHERE state = 'posted' AND reply->>'notice' IS NOT NULL ORDER BY id"
    )
    return [tuple(row.values()) for row in rows]


async def reviewed(bureau: Office, answer_id: str, verdict: ReviewVerdict) -> None:
    """Let an officer judge the answer in the console."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test", pseudonyms=PSEUDONYMS)
    reviews = PostgresReviews(bureau.life.engine, ledger=ledger)
    ada = bureau.officers.all[0]
    assert await reviews.give(answer_id, officer=ada, verdict=verdict, reason="", key=fresh())
    await bureau.deliver()


async def test_a_complaint_is_work(bureau: Office) -> None:
    """Officers and whoever complained are told once; the line holds neither name nor words."""
    answer_id = await bureau.answered()
    for _ in range(2):
        kept = await reported(bureau, answer_id, comment="My boss Karl said otherwise.")
        assert isinstance(kept, FeedbackKept)
        assert kept.is_reviewed
    (taken, told) = await said(bureau)
    (row,) = await bureau.life.rows("SELECT record_id::text AS id FROM citebound.answers")
    reference = str(row["id"])[-8:]
    assert taken == ("report_taken", "U1", True, reference)
    assert told == ("answer_reported", "UA", False, f"{reference} (unanswered)")


@pytest.mark.parametrize("verdict", list(ReviewVerdict))
async def test_whoever_complained_hears_the_verdict(bureau: Office, verdict: ReviewVerdict) -> None:
    """Each of them once; a complaint after it is work anew."""
    answer_id = await bureau.answered()
    await reported(bureau, answer_id)
    await reported(bureau, answer_id, OTHER)
    for _ in range(2):
        await reviewed(bureau, answer_id, verdict)
    heard = [one[:3] for one in await said(bureau) if one[0] == f"report_{verdict.value}"]
    assert sorted(heard, key=str) == [
        (f"report_{verdict.value}", who, True) for who in ("U1", "U2")
    ]
    await reported(bureau, answer_id, OTHER)
    assert [one[:2] for one in await said(bureau)][-2:] == [
        ("report_taken", "U2"),
        ("answer_reported", "UA"),
    ]


async def test_a_verdict_on_a_case_answers_it_too(bureau: Office) -> None:
    """Officers judge the answer wherever they see it."""
    answer_id = await bureau.answered()
    case_id = await bureau.opened(answer_id)
    await reported(bureau, answer_id)
    await bureau.desk.judge(CaseActionKind.MARK_WRONG, case_id, ADA, key=fresh())
    await bureau.deliver()
    assert "report_wrong" in [one[0] for one in await said(bureau)]


async def test_a_thumb_alone_promises_nothing(bureau: Office) -> None:
    """Nor does a complaint about what officers can't judge, or where there are no officers."""
    answer_id = await bureau.answered()
    thumb = await bureau.feedback.give(answer_id, ASKER, key=fresh(), rating=Rating.NEGATIVE)
    assert thumb == FeedbackKept(is_new=True)
    back = await bureau.answered(outcome=Outcome.CLARIFICATION, thread="2")
    assert await reported(bureau, back) == FeedbackKept(is_new=True)
    assert await said(bureau) == []


async def test_without_officers_nothing_is_promised(engine: AsyncEngine) -> None:
    """The report is kept, and that is all that is said."""
    await prepare(engine)
    bureau = office(engine, officers=(), room=None)
    assert await reported(bureau, await bureau.answered()) == FeedbackKept(is_new=True)
    assert await said(bureau) == []


async def test_a_complaint_belongs_to_the_unit_of_the_answer(bureau: Office) -> None:
    """Whichever process takes it: units bound who reads its words."""
    answer_id = await bureau.answered()
    other = office(bureau.life.engine, unit="elsewhere")
    await reported(other, answer_id)
    rows = await bureau.life.rows(
        "SELECT DISTINCT unit FROM audit.record WHERE tag = 'feedback:given'"
    )
    assert [row["unit"] for row in rows] == ["test"]
