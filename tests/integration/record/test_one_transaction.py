"""One transaction a question: working copies and record agree, or nothing is stored."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import rfc8785
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import server_now
from core.adapters.system import SystemClock
from core.agent.reply.answer_json import answer_json
from core.agent.request import AskRequest, Reply
from core.audit.canonical import Commitment, instant
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import TransientError
from tests.databases import logins

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
Change = Callable[..., Coroutine[Any, Any, None]]

ANSWERED = "May employees accept gifts, and up to what value?"
REFUSED = "How many days of parental leave do I get?"
CLARIFICATION = "Can I accept gifts?"
ESCALATED = "My manager asked me to bribe an official, and I want to report him."
CASES = (
    (ANSWERED, "answered", "question:answered"),
    (REFUSED, "refused", "question:refused"),
    (CLARIFICATION, "clarification", "clarification:asked"),
    (ESCALATED, "escalated", "question:escalated"),
)
OF_QUESTIONS = "SELECT * FROM audit.record WHERE conversation IS NOT NULL"
"""What was ingested is recorded, too."""
STORED = (
    "citebound.conversations",
    "citebound.questions",
    "citebound.answers",
    "citebound.claims",
    "citebound.citations",
    "citebound.trace_steps",
    "audit.record",
    "audit.content",
    "audit.citation",
)


async def counts(rows: Rows) -> dict[str, int]:
    """Count what a question leaves behind."""
    return {
        name: (await rows(f"SELECT count(*) AS n FROM {name}"))[0]["n"]  # noqa: S608  # constants
        for name in (*STORED, f"({OF_QUESTIONS}) AS r")
        if name != "audit.record"
    }


@pytest.mark.parametrize(("question", "outcome", "tag"), CASES)
async def test_the_working_copies_are_the_reply(
    ask: Ask, rows: Rows, question: str, outcome: str, tag: str
) -> None:
    """Question, answer, claims, citations and steps are stored as they were shown."""
    reply = await ask(question)
    answer = reply.answer
    assert answer.outcome.value == outcome
    (asked,) = await rows("SELECT * FROM citebound.questions")
    assert (str(asked["id"]), asked["text"]) == (reply.run.question.question_id, question)
    assert str(asked["conversation_id"]) == reply.conversation_id
    (stored,) = await rows("SELECT * FROM citebound.answers")
    assert str(stored["id"]) == reply.receipt.answer_id
    assert (stored["outcome"], stored["text"], stored["edition"]) == (outcome, answer.text, 1)
    assert stored["badge"] == (answer.confidence.badge and answer.confidence.badge.value)
    assert stored["calibrated"] == answer.confidence.calibrated
    claims = await rows("SELECT n, text, citations FROM citebound.claims ORDER BY n")
    assert [(row["text"], tuple(row["citations"])) for row in claims] == [
        (claim.text, claim.numbers) for claim in answer.claims
    ]
    steps = await rows("SELECT n, stage FROM citebound.trace_steps ORDER BY n")
    assert [(row["n"], row["stage"]) for row in steps] == [
        (n, step.stage) for n, step in enumerate(reply.run.steps, start=1)
    ]
    (record,) = await rows(
        f"SELECT tag, outcome, subject, actor, unit, seq FROM ({OF_QUESTIONS}) AS r"  # noqa: S608  # constants
    )
    assert tuple(record.values()) == (tag, outcome, reply.receipt.answer_id, "p-17", "berlin", 1)


async def test_a_stored_quote_is_the_stored_text(ask: Ask, rows: Rows) -> None:
    """Quote hashes of both copies are those of the text at the cited span."""
    reply = await ask(ANSWERED)
    assert reply.answer.citations
    stored = await rows(
        "SELECT c.n, c.char_start, c.char_end, c.quote_hash, a.quote_hash AS recorded, a.policy,"
        " a.section, a.char_start AS recorded_start, a.char_end AS recorded_end,"
        " substr(v.text, c.char_start + 1, c.char_end - c.char_start) AS quote"
        " FROM citebound.citations c"
        " JOIN citebound.policy_versions v ON v.id = c.version_id"
        " JOIN audit.citation a ON a.n = c.n ORDER BY c.n"
    )
    assert [(row["n"], row["quote"]) for row in stored] == [
        (citation.number, citation.quote) for citation in reply.answer.citations
    ]
    for row, citation in zip(stored, reply.answer.citations, strict=True):
        digest = hashlib.sha256(row["quote"].encode()).digest()
        assert bytes(row["quote_hash"]) == bytes(row["recorded"]) == digest
        assert (row["policy"], row["section"]) == ("gifts", citation.place.number)
        assert (row["char_start"], row["char_end"]) == (
            row["recorded_start"],
            row["recorded_end"],
        )


@pytest.mark.parametrize("question", [case[0] for case in CASES])
async def test_the_record_is_canonical_and_hashes_to_its_leaf(
    ask: Ask, rows: Rows, question: str
) -> None:
    """RFC 8785 bytes, RFC 6962 leaf; every outcome has the same keys."""
    reply = await ask(question)
    (record,) = await rows(OF_QUESTIONS)
    data = bytes(record["canonical"])
    document = json.loads(data)
    assert rfc8785.dumps(document) == data
    assert bytes(record["leaf_hash"]) == hashlib.sha256(b"\x00" + data).digest()
    assert bytes(record["leaf_hash"]) == reply.receipt.leaf_hash
    assert str(record["id"]) == document["id"] == reply.receipt.record_id
    assert document["at"] == instant(record["at"])
    assert document == record["doc"]
    assert document.keys() >= {
        "v", "id", "tag", "at", "unit", "actor", "conversation", "seq", "subject", "cause",
        "release", "trace_id", "content", "question", "run", "model_calls", "retrieved",
        "claims", "citations", "verdicts", "critique", "judgement", "decisions", "outcome",
        "refusal", "thresholds", "confidence", "assumptions",
    }  # fmt: skip


async def test_personal_text_is_committed_to_and_not_in_the_record(ask: Ask, rows: Rows) -> None:
    """Each text hashes, with its own salt, to what the record promises; none stands in it."""
    reply = await ask(ANSWERED)
    (record,) = await rows(OF_QUESTIONS)
    parts = await rows("SELECT field, salt, body FROM audit.content")
    promised = record["doc"]["content"]
    assert promised == {
        part["field"]: Commitment(
            field=part["field"], salt=bytes(part["salt"]), body=part["body"]
        ).digest()
        for part in parts
    }
    bodies = {part["field"]: part["body"] for part in parts}
    assert bodies["question"] == ANSWERED
    assert bodies["answer"] == reply.answer.text
    assert json.loads(bodies["answer_json"]) == json.loads(json.dumps(answer_json(reply.answer)))
    assert json.loads(bodies["trace"])["question"] == ANSWERED
    assert len({bytes(part["salt"]) for part in parts}) == len(parts)
    written = bytes(record["canonical"]).decode()
    assert ANSWERED not in written
    assert "anna" not in written


@pytest.mark.parametrize("table", STORED)
async def test_what_cannot_be_recorded_is_not_stored(
    ask: Ask, rows: Rows, change: Change, table: str
) -> None:
    """Whichever table refuses a row, no table has one, and there is nothing to show."""
    before = await counts(rows)
    await change(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$",
        f"CREATE TRIGGER fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail()",
    )
    with pytest.raises(TransientError, match="not shown: the disk is full"):
        await ask(ANSWERED)
    assert await counts(rows) == before
    await change(f"DROP TRIGGER fail ON {table}")
    await ask(ANSWERED)
    (record,) = await rows(OF_QUESTIONS)
    assert record["seq"] == 1


async def test_an_unknown_tag_is_not_recorded(ask: Ask, rows: Rows, change: Change) -> None:
    """A record is of a kind that the vocabulary has, or is not."""
    await change("DELETE FROM audit.tag WHERE tag = 'question:answered'")
    with pytest.raises(TransientError):
        await ask(ANSWERED)
    assert set((await counts(rows)).values()) == {0}


class WrongClock(SystemClock):
    """An hour late."""

    def now(self) -> datetime:
        return datetime.now(UTC) - timedelta(hours=1)  # noqa: TID251  # a clock


async def test_a_process_an_hour_late_dates_by_the_server(
    service: Service, database_url: str, rows: Rows
) -> None:
    """Its own clock says nothing: records, questions and answers have the server's time."""
    late = bootstrap(
        Settings(**logins(database_url)), embedder=service.models.measured, clock=WrongClock()
    )
    async with late as other:
        await other.answering.ask(AskRequest(text=ANSWERED, place=Place(thread="anna")))
    (row,) = await rows(
        "SELECT bool_and(r.at > now() - interval '30 min') AND count(*) > 0 AS is_now,"
        " bool_and(least(q.asked_at, a.answered_at) > now() - interval '30 min'"
        "  AND q.asked_at <= a.answered_at) AS are_now"
        " FROM audit.record r, citebound.questions q, citebound.answers a"
    )
    assert (row["is_now"], row["are_now"]) == (True, True)


async def test_a_record_that_is_dated_back_is_refused(
    ask: Ask, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a process takes for the time: the server compares it with its own."""

    async def an_hour_ago(connection: AsyncConnection) -> datetime:
        return await server_now(connection) - timedelta(hours=1)

    monkeypatch.setattr("core.adapters.postgres.record.audit.server_now", an_hour_ago)
    with pytest.raises(TransientError, match="60 s off"):
        await ask(ANSWERED)
    assert set((await counts(rows)).values()) == {0}


async def test_numbers_in_a_conversation_have_no_gaps(ask: Ask, rows: Rows, change: Change) -> None:
    """Not after a failure, and not when questions of one thread come at once."""
    await ask(ANSWERED)
    await change("UPDATE audit.tag SET tag = 'x' WHERE tag = 'question:refused'")
    with pytest.raises(TransientError):
        await ask(REFUSED)
    await change("UPDATE audit.tag SET tag = 'question:refused' WHERE tag = 'x'")
    async with asyncio.TaskGroup() as group:
        for question in (ANSWERED, REFUSED, CLARIFICATION, ESCALATED):
            group.create_task(ask(question))
    await ask(REFUSED, thread="ben")
    found = await rows(f"{OF_QUESTIONS} ORDER BY conversation, seq")
    outcomes = Counter(row["conversation"] for row in found if row["outcome"])
    assert sorted(outcomes.values()) == [1, 5]
    by_conversation = Counter(row["conversation"] for row in found)
    for conversation, records in by_conversation.items():
        numbers = [row["seq"] for row in found if row["conversation"] == conversation]
        assert numbers == list(range(1, records + 1))


async def test_a_thread_opened_twice_at_once_is_one_conversation(ask: Ask, rows: Rows) -> None:
    """Of two first questions one is recorded; the other is asked again, never stored elsewhere."""
    done = await asyncio.gather(ask(ANSWERED), ask(REFUSED), return_exceptions=True)  # noqa: TID251  # keeps both results
    for each in done:
        assert isinstance(each, Reply | TransientError)
    kept = sum(isinstance(each, Reply) for each in done)
    assert kept >= 1
    found = await rows(f"{OF_QUESTIONS} ORDER BY seq")
    assert [row["seq"] for row in found] == list(range(1, kept + 1))
    assert len({row["conversation"] for row in found}) == 1


@pytest.mark.parametrize(("then", "state"), [("contractors", "answered"), (REFUSED, "expired")])
async def test_what_became_of_a_question_back_is_recorded(
    ask: Ask, rows: Rows, then: str, state: str
) -> None:
    """With the outcome that shows it, in the same conversation and without a gap."""
    asked_back = await ask(CLARIFICATION)
    reply = await ask(then)
    found = await rows(f"{OF_QUESTIONS} ORDER BY seq")
    assert [row["seq"] for row in found] == list(range(1, len(found) + 1))
    (became,) = [row for row in found if row["tag"].startswith("clarification:")][1:]
    assert became["tag"] == f"clarification:{state}"
    assert became["subject"] == asked_back.receipt.answer_id
    assert became["doc"]["cause"] == reply.receipt.record_id
    stated = [row["doc"]["source"] for row in found if row["tag"] == "assumption:stated"]
    assert stated == (["asker"] if state == "answered" else [])
    (view,) = await rows("SELECT state, next_record_id::text FROM audit.v_clarifications")
    assert tuple(view.values()) == (state, reply.receipt.record_id)
