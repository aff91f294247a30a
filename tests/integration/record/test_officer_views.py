"""The views for officers: the documented columns, and rows for each way a question can end."""

import copy
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from core.adapters.system import UuidSource
from core.agent.request import Reply
from core.audit.canonical import canonical, instant, leaf_hash

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
Change = Callable[..., Coroutine[Any, Any, None]]

ANSWERED = "May employees accept gifts, and up to what value?"
REFUSED = "How many days of parental leave do I get?"
CLARIFICATION = "Can I accept gifts?"
ESCALATED = "My manager asked me to bribe an official, and I want to report him."

COLUMNS = {
    "v_answers": "record_id at unit conversation asker platform mode outcome question answer badge"
    " calibrated reported edition model prompts assumptions citations feedback review latency_ms"
    " cost_usd identifying sealed",
    "v_open_cases": "case_id number unit opened_at due_at overdue state owner reason urgency"
    " question record_id last_event last_at",
    "v_refusals": "record_id at unit kind question nearest_sections escalated",
    "v_low_confidence": "record_id at unit outcome badge calibrated weakest_feature dropped_claims"
    " question",
    "v_citations_by_section": "policy version section unit answers last_at negative_feedback"
    " superseded",
    "v_feedback": "record_id at unit asker rating reason comment badge reviewed counts",
    "v_feedback_counts": "record_id unit positive negative last_at",
    "v_reviews": "record_id at unit officer verdict reason outcome badge calibrated question answer"
    " citations",
    "v_unanswered_topics": "month unit entity questions refusals escalations",
    "v_clarifications": "record_id at unit conversation asker question slot reply outcome"
    " next_record_id state",
    "v_conflicts": "sections unit questions found_at last_at resolved_by resolved_at",
    "v_changes": "record_id at unit actor what action subject before after item release",
    "v_replies": "record_id unit recorded_at state posted_at leaf_prefix updated_at",
    "v_ledger_health": "generation size sealed_at unsealed oldest_unsealed_at anchors verified",
    "v_holds": "hold_id placed_at unit owner scope reason released_at released_by",
    "v_requests": "request_id at unit officer what record_id scope reason basis state decided_by"
    " decided_at done_at",
    "v_access_log": "log_id at unit officer action purpose statement views record_id",
}


async def append(rows: Rows, change: Change, **changes: Any) -> str:
    """Add a record like the newest one but for some keys, as a later version may write it."""
    (newest,) = await rows("SELECT doc FROM audit.record ORDER BY at DESC LIMIT 1")
    document = copy.deepcopy(newest["doc"]) | {
        "id": UuidSource().new(),
        "at": instant(datetime.now(UTC)),  # noqa: TID251  # the server compares it with its own
        "seq": newest["doc"]["seq"] + 1,
    }
    for key, value in changes.items():
        document[key] = document[key] | value if isinstance(value, dict) else value
    data = canonical(document)
    await change(
        "INSERT INTO audit.record (canonical, leaf_hash) VALUES (:data, :leaf)",
        data=data,
        leaf=leaf_hash(data),
    )
    return document["id"]


@pytest.mark.parametrize("view", COLUMNS)
async def test_a_view_is_commented_and_has_the_documented_columns(rows: Rows, view: str) -> None:
    """Names in order, a comment on the view, and the reader's own rights."""
    found = await rows(
        "SELECT a.attname FROM pg_attribute a WHERE a.attrelid = CAST(:view AS regclass)"
        " AND a.attnum > 0 ORDER BY a.attnum",
        view=f"audit.{view}",
    )
    assert [row["attname"] for row in found] == COLUMNS[view].split()
    (about,) = await rows(
        "SELECT obj_description(oid) AS comment, reloptions FROM pg_class"
        " WHERE oid = CAST(:view AS regclass)",
        view=f"audit.{view}",
    )
    assert about["comment"].endswith(".")
    assert len(about["comment"]) > 30
    assert set(about["reloptions"]) >= {"security_invoker=true", "security_barrier=true"}


async def test_each_column_that_officers_see_has_a_comment(rows: Rows) -> None:
    """Of every view of the record, also of one that a later release adds."""
    found = await rows(
        "SELECT c.oid::regclass::text AS view, attname, col_description(attrelid, attnum) AS said"
        " FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid"
        " WHERE relkind = 'v' AND relnamespace = 'audit'::regnamespace AND attnum > 0"
    )
    assert {row["view"].removeprefix("audit.") for row in found} >= COLUMNS.keys()
    assert [row for row in found if not (row["said"] or "").endswith(".")] == []


async def test_each_outcome_is_a_row(ask: Ask, rows: Rows) -> None:
    """As they were shown, whatever the outcome; the words of a report are kept from officers."""
    replies = [
        await ask(question, thread=question)
        for question in (ANSWERED, REFUSED, CLARIFICATION, ESCALATED)
    ]
    answers = await rows("SELECT * FROM audit.v_answers ORDER BY at")
    for row, reply in zip(answers, replies, strict=True):
        answer = reply.answer
        assert str(row["record_id"]) == reply.receipt.record_id
        words = "" if answer.is_report else reply.run.question.text
        assert (row["question"], row["answer"]) == (words, answer.text)
        assert (row["outcome"], row["asker"]) == (answer.outcome.value, "p-17")
        assert (row["unit"], row["platform"], row["mode"]) == ("berlin", "console", "console")
        assert (row["edition"], row["model"]) == (1, reply.run.reasoner)
        assert len(row["citations"]) == len(answer.citations)
        assert row["latency_ms"] > 0
        assert row["feedback"] is None
        if answer.confidence.calibrated is None:
            assert row["calibrated"] is None
        else:
            assert float(row["calibrated"]) == pytest.approx(answer.confidence.calibrated, abs=1e-6)
    assert [row["badge"] is None for row in answers] == [False, True, True, True]


async def test_refusals_say_why_and_what_is_near(ask: Ask, rows: Rows) -> None:
    """Refused and escalated questions alone, with their kind."""
    for question in (ANSWERED, REFUSED, CLARIFICATION, ESCALATED):
        await ask(question, thread=question)
    found = await rows("SELECT * FROM audit.v_refusals ORDER BY at")
    assert [(row["question"], row["kind"], row["escalated"]) for row in found] == [
        (REFUSED, "not_found", False),
        ("", "escalated", True),
    ]
    assert all(near["policy"] == "gifts" for near in found[0]["nearest_sections"])
    assert found[0]["nearest_sections"]


async def test_low_confidence_says_where_to_look(ask: Ask, rows: Rows, change: Change) -> None:
    """Answers below High, with the weakest feature and the number of dropped claims."""
    await ask(ANSWERED)
    assert await rows("SELECT * FROM audit.v_low_confidence") == []
    failed = {"check": "numbers", "passed": False, "reason": "60"}
    record_id = await append(
        rows,
        change,
        confidence={"badge": "medium", "calibrated": 0.7, "features": {"b": 0.9, "a": 0.25}},
        verdicts=[
            {"claim": 0, "check": "quote", "passed": True, "reason": ""},
            {"claim": 1} | failed,
            {"claim": 1, "check": "names", "passed": False, "reason": "x"},
            {"claim": 2} | failed,
        ],
    )
    (row,) = await rows("SELECT * FROM audit.v_low_confidence")
    assert str(row["record_id"]) == record_id
    assert (row["badge"], float(row["calibrated"])) == ("medium", 0.7)
    assert (row["weakest_feature"], row["dropped_claims"]) == ("a", 2)


async def test_sections_are_counted_once_a_record(ask: Ask, rows: Rows, change: Change) -> None:
    """How many answers show a section, and how many of those were found wanting."""
    for _ in range(2):
        await ask(ANSWERED)
    for rating in ("negative", "positive"):
        await append(rows, change, tag="feedback:given", citations=[], outcome=None, rating=rating)
    found = await rows("SELECT * FROM audit.v_citations_by_section")
    assert {row["policy"] for row in found} == {"gifts"}
    row = next(one for one in found if one["section"] == "2.1")
    assert row["answers"] == 2
    assert row["negative_feedback"] == 1
    answers = await rows("SELECT feedback FROM audit.v_answers ORDER BY at")
    assert [answer["feedback"] for answer in answers] == [None, ["negative", "positive"]]


async def test_an_erased_text_is_null(ask: Ask, rows: Rows, change: Change) -> None:
    """The row stays when its personal text is gone."""
    await ask(ANSWERED)
    await change(
        "ALTER TABLE audit.content DISABLE TRIGGER refuse_change", "DELETE FROM audit.content"
    )
    (row,) = await rows("SELECT question, answer, outcome FROM audit.v_answers")
    assert tuple(row.values()) == (None, None, "answered")
