"""What officers see of cases, feedback and replies in SQL, of records that the product wrote."""

from typing import Any

from core.domain.answer import Outcome, RefusalKind
from core.domain.case import Urgency
from core.domain.case_actions import CaseActionKind
from core.domain.feedback import Rating, Reason
from tests.casework import ADA, ASKER, OTHER, Office, fresh


async def rows(bureau: Office, query: str) -> list[dict[str, Any]]:
    return list(await bureau.life.rows(query))


async def test_a_case_is_open_until_it_is_answered(bureau: Office) -> None:
    """With its question and its owner; one that is reopened is open again."""
    case_id = await bureau.opened(urgency=Urgency.TODAY)
    query = (
        "SELECT case_id::text, number, overdue, state, owner, reason, urgency, question, last_event"
        " FROM audit.v_open_cases"
    )
    (row,) = await rows(bureau, query)
    assert row == {
        "case_id": case_id,
        "number": 1,
        "overdue": False,
        "state": "open",
        "owner": None,
        "reason": "answered",
        "urgency": "today",
        "question": "May I accept a gift?",
        "last_event": "case:opened",
    }
    await bureau.desk.claim(case_id, ADA, key=fresh())
    (row,) = await rows(bureau, query)
    assert (row["state"], row["owner"], row["last_event"]) == ("claimed", "ada", "case:assigned")
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Up to EUR 35.")
    assert await rows(bureau, query) == []
    await bureau.deliver()
    await bureau.desk.ask_again(case_id, ASKER, key=fresh())
    (row,) = await rows(bureau, query)
    assert row["last_event"] == "case:reopened"


async def test_what_askers_and_officers_say_of_an_answer(bureau: Office) -> None:
    """Each judgement with its comment, of one person the last counts; and an officer's verdict."""
    answer = await bureau.answered()
    for who, rating, comment in (
        (ASKER, Rating.POSITIVE, ""),
        (ASKER, Rating.NEGATIVE, "The sum is old."),
        (OTHER, Rating.POSITIVE, ""),
    ):
        reason = Reason.STALE if comment else None
        await bureau.feedback.give(
            answer, who, key=fresh(), rating=rating, reason=reason, comment=comment
        )
    case_id = await bureau.opened(answer)
    await bureau.desk.judge(
        CaseActionKind.MARK_WRONG, case_id, ADA, key=fresh(), reason="It is EUR 35 now."
    )
    told = await rows(
        bureau, "SELECT rating, reason, comment, reviewed, counts FROM audit.v_feedback ORDER BY at"
    )
    assert [tuple(row.values()) for row in told] == [
        ("positive", None, None, True, False),
        ("negative", "stale", "The sum is old.", True, True),
        ("positive", None, None, True, True),
    ]
    (count,) = await rows(bureau, "SELECT positive, negative FROM audit.v_feedback_counts")
    assert tuple(count.values()) == (1, 1)
    (review,) = await rows(
        bureau, "SELECT officer, verdict, reason, badge, question, answer FROM audit.v_reviews"
    )
    assert tuple(review.values()) == (
        "ada",
        "wrong",
        "It is EUR 35 now.",
        "high",
        "May I accept a gift?",
        "Up to EUR 50.",
    )
    (seen,) = await rows(
        bureau, "SELECT feedback, review->>'reason' AS reason FROM audit.v_answers"
    )
    assert seen == {
        "feedback": ["positive", "negative", "positive"],
        "reason": "It is EUR 35 now.",
    }


async def test_a_refusal_is_with_officers_once_somebody_asked_them(bureau: Office) -> None:
    """Whoever opened the case."""
    answer = await bureau.answered(
        outcome=Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND, words="Nothing found."
    )
    query = "SELECT kind, escalated FROM audit.v_refusals"
    assert [tuple(row.values()) for row in await rows(bureau, query)] == [("not_found", False)]
    await bureau.opened(answer)
    assert [tuple(row.values()) for row in await rows(bureau, query)] == [("not_found", True)]


async def test_a_reply_has_a_state_and_a_piece_of_its_hash(bureau: Office) -> None:
    """The piece that the platform holds, too."""
    await bureau.answered()
    query = "SELECT * FROM audit.v_replies JOIN audit.record ON id = record_id"
    (row,) = await rows(bureau, query)
    assert (row["state"], row["posted_at"] >= row["recorded_at"]) == ("posted", True)
    assert row["leaf_prefix"] == row["leaf_hash"].hex()[:16]
