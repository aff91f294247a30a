"""So many questions wait and no more; whoever is not taken is told once, and a report always is."""

import asyncio
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from core.adapters.postgres.queue.work_queue import SLOTS
from core.domain.limits import REPORTS_AHEAD, TurnLimit, TurnLimits, WaitingLimits, ask_again_at
from core.domain.message import Accepted, Claimed, MessageKind, Seen, Waiting
from tests.life import UNLIMITED, Deployment, deploy, message
from tests.turns import let_turns_come

THREE = WaitingLimits(asker=3, all=1_000)
REPORT = "My manager takes cash from hauliers."
NO_TURN = TurnLimits(
    asker=TurnLimit(times=1, within_s=600.0),
    channel=TurnLimit(times=1, within_s=600.0),
    conversation=TurnLimit(times=1, within_s=600.0),
)


async def put(deployment: Deployment, words: str, **more: str) -> str:
    """Accept a message and return its conversation."""
    given = message(words, **({"thread": words} | more))  # pyright: ignore[reportArgumentType]
    result = await deployment.intake.accept(given)
    assert isinstance(result, Accepted)
    return result.conversation_id


async def waiting(deployment: Deployment) -> list[str]:
    """Return the texts of what waits."""
    rows = await deployment.rows("SELECT text FROM citebound.inbox WHERE state = 'received'")
    return sorted(str(row["text"]) for row in rows)


async def told(deployment: Deployment) -> list[tuple[object, ...]]:
    """Return each notice, with whom it is for."""
    rows = await deployment.rows(
        "SELECT reply->>'notice', person FROM citebound.outbox"
        " WHERE reply->>'notice' IS NOT NULL ORDER BY id"
    )
    return [tuple(row.values()) for row in rows]


async def test_of_a_burst_so_many_get_in(deployment: Deployment) -> None:
    """Of two processes at once, and each message in a thread of its own; one line says so."""
    both = [deploy(deployment.engine, waiting=THREE) for _ in range(2)]
    async with asyncio.TaskGroup() as group:
        for n in range(60):
            group.create_task(put(both[n % 2], f"m{n}"))
    assert len(await waiting(deployment)) == 3
    assert await told(deployment) == [("too_many_of_yours", "U1")]
    refused = await deployment.rows(
        "SELECT i.state, i.outcome, r.doc->>'reason' AS reason, c.body = i.text AS has_words"
        " FROM citebound.inbox i JOIN audit.record r ON r.id = i.record_id"
        " JOIN audit.content c ON c.record_id = r.id AND c.field = 'message'"
        " WHERE r.tag = 'message:ignored'"
    )
    assert [tuple(row.values()) for row in refused] == 57 * [
        ("done", "ignored", "too_many_of_yours", True)
    ]


async def test_whoever_is_not_taken_is_told_when_to_ask_again(deployment: Deployment) -> None:
    """Once, until something of theirs was taken again; and the time is when their turn comes."""
    limits = TurnLimits(
        asker=TurnLimit(times=1, within_s=600.0),
        channel=UNLIMITED.channel,
        conversation=UNLIMITED.conversation,
    )
    full = deploy(deployment.engine, waiting=THREE, limits=limits)
    for n in range(4):
        await full.worker.answer(await put(full, f"m{n}"))
    for n in range(4, 9):
        await put(full, f"m{n}")
    assert await waiting(full) == ["m1", "m2", "m3"]
    notice = "too_many_of_yours"
    assert [what for what, _ in await told(full) if what != "paced"] == [notice]
    (again,) = await full.rows(
        "SELECT reply->>'again' AS at, clock_timestamp() AS now FROM citebound.outbox"
        " WHERE reply->>'notice' = :notice",
        notice=notice,
    )
    assert isinstance(again["now"], datetime)
    left = datetime.fromisoformat(str(again["at"])) - again["now"]
    assert timedelta(minutes=9) < left < timedelta(minutes=12)
    await let_turns_come(full.engine)
    async with full.working():
        await full.until("SELECT 1 FROM citebound.inbox WHERE outcome = 'clarification'"
            " HAVING count(*) = 2")  # fmt: skip
    for n in range(9, 12):
        await put(full, f"m{n}")
    left = await waiting(full)
    assert len(left) == 3
    assert left[-1] == "m9"
    assert [what for what, _ in await told(full) if what != "paced"] == 2 * [notice]


async def test_all_people_together_have_a_limit(deployment: Deployment) -> None:
    """Each is told once; what is answered makes room."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=3, all=4))
    for n in range(8):
        await put(full, f"m{n}", person=f"U{n % 4}")
    assert await waiting(full) == ["m0", "m1", "m2", "m3"]
    assert sorted(await told(full)) == [("too_many", f"U{n}") for n in range(4)]
    async with full.working():
        await full.quiet()
    await put(full, "m9", person="U9")
    assert await waiting(full) == ["m9"]


async def test_a_report_is_taken_and_answered_before_all_that_waits(
    deployment: Deployment,
) -> None:
    """Though nobody has a turn and no place is left: in its thread, and before other threads."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=3, all=3), limits=NO_TURN)
    thread = await put(full, "m0", thread="t")
    await full.worker.answer(thread)
    for n in range(1, 4):
        await put(full, f"m{n}", thread="t")
    assert isinstance(await full.backlog.claim(thread), Waiting)
    await full.worker.answer(thread)
    await put(full, REPORT, thread="t")
    async with full.working():
        await full.until("SELECT 1 FROM posts WHERE body LIKE '%send me a direct%'")
    assert await waiting(full) == ["m1", "m2", "m3"]


async def test_a_report_is_begun_first(deployment: Deployment) -> None:
    """Of all threads that wait for a slot; then those that have waited longest."""
    slots = SLOTS["answer"]
    for n in range(slots + 4):
        await put(deployment, f"m{n}", person=f"U{n}")
    await put(deployment, REPORT, person="U99")
    deployment.reasoner.goes_on.clear()
    async with deployment.working():
        await deployment.until("SELECT 1 FROM posts WHERE body LIKE '%send me a direct%'")
        await deployment.until(
            "SELECT 1 FROM citebound.inbox WHERE state = 'running'"  # noqa: S608  # a constant
            f" HAVING count(*) = {slots}"
        )
        assert await waiting(deployment) == sorted(f"m{slots + n}" for n in range(4))
        deployment.reasoner.goes_on.set()
        await deployment.quiet()


async def test_an_edit_can_make_it_a_report(deployment: Deployment) -> None:
    """What waits as a question is answered first from then on."""
    await put(deployment, "m0", thread="t")
    await put(deployment, "m1", thread="t", key="k1")
    edit = message(REPORT, event="e", key="k1:e", kind=MessageKind.EDITED, target="k1", thread="t")
    result = await deployment.intake.accept(edit)
    assert isinstance(result, Accepted)
    claimed = await deployment.backlog.claim(result.conversation_id)
    assert isinstance(claimed, Claimed)
    assert claimed.text == REPORT


async def test_reports_by_the_hundred_do_not_keep_others_waiting(deployment: Deployment) -> None:
    """All are taken; so many of one person overtake, the others wait in line."""
    for n in range(REPORTS_AHEAD + 3):
        await put(deployment, f"{REPORT} {n}")
    rows = await deployment.rows("SELECT is_ahead, count(*) AS n FROM citebound.inbox GROUP BY 1"
        " ORDER BY 1")  # fmt: skip
    assert [tuple(row.values()) for row in rows] == [(False, 3), (True, REPORTS_AHEAD)]


async def test_a_reply_to_a_question_back_takes_no_place(deployment: Deployment) -> None:
    """One to each: whoever writes on has asked something."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=1, all=1_000))
    await full.worker.answer(await put(full, "m0", thread="t"))
    await put(full, "m1", thread="other")
    await put(full, "the reply", thread="t")
    assert await waiting(full) == ["m1", "the reply"]
    await put(full, "more", thread="t")
    await put(full, "elsewhere", thread="third")
    assert await waiting(full) == ["m1", "the reply"]
    await put(full, "option", thread="t", kind=MessageKind.CHOICE)
    assert await waiting(full) == ["m1", "option", "the reply"]


async def test_a_reply_to_a_question_back_needs_no_turn_of_its_asker(
    deployment: Deployment,
) -> None:
    """Whoever was asked something is not made to wait for having answered."""
    once = TurnLimits(
        asker=TurnLimit(times=1, within_s=600.0),
        channel=UNLIMITED.channel,
        conversation=UNLIMITED.conversation,
    )
    limited = deploy(deployment.engine, limits=once)
    thread = await put(limited, "m0", thread="t")
    await limited.worker.answer(thread)
    await put(limited, "the reply", thread="t")
    assert isinstance(await limited.backlog.claim(thread), Claimed)


async def test_what_comes_again_is_not_counted_again(deployment: Deployment) -> None:
    """A platform that delivers twice takes one place, also of what was not taken."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=1, all=1_000))
    for words in ("m0", "m1"):
        await put(full, words)
        assert isinstance(await full.intake.accept(message(words, thread=words)), Seen)
    assert await told(full) == [("too_many_of_yours", "U1")]


@pytest.mark.parametrize("state", ["received", "running"])
async def test_what_is_taken_back_makes_room(deployment: Deployment, state: str) -> None:
    """As does what is stopped or answered."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=1, all=1_000))
    thread = await put(full, "m0", key="k0")
    if state == "running":
        assert isinstance(await full.backlog.claim(thread), Claimed)
    await put(full, "m1")
    gone = message("", event="d", key="k0:d", kind=MessageKind.DELETED, target="k0", thread="m0")
    assert isinstance(await full.intake.accept(gone), Accepted)
    await put(full, "m2")
    rows = await full.rows("SELECT text FROM citebound.inbox WHERE state = 'received'")
    assert [row["text"] for row in rows] == ["m2"]


def test_the_time_is_that_of_the_next_turn() -> None:
    """14:03:20, ten minutes after the only turn; rounded up, and a minute to be answered."""
    limit = TurnLimit(times=1, within_s=600.0)
    taken = datetime.fromisoformat("2026-11-22T13:53:20+00:00")
    now = datetime.fromisoformat("2026-11-22T13:55:00+00:00")
    again = ask_again_at([taken], limit, now=now, all_are_full=False)
    assert again.isoformat() == "2026-11-22T14:05:00+00:00"
    again = ask_again_at([], limit, now=now, all_are_full=False)
    assert again.isoformat() == "2026-11-22T13:57:00+00:00"
    again = ask_again_at([taken], limit, now=now, all_are_full=True)
    assert again.isoformat() == "2026-11-22T14:07:00+00:00"


async def test_limits_hold_while_tables_are_locked_by_turn(deployment: Deployment) -> None:
    """Two people who write to each other's threads at once wait for nobody for ever."""
    full = deploy(deployment.engine, waiting=WaitingLimits(asker=20, all=1_000))
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for n in range(40):
            where = {"thread": str(n % 5), "person": f"U{n % 3}"}
            group.create_task(put(full, f"m{n}", **where))
    assert len(await waiting(full)) == 40
    async with deployment.engine.connect() as connection:
        ended = await connection.scalar(text("SELECT deadlocks FROM pg_stat_database"
            " WHERE datname = current_database()"))  # fmt: skip
    assert ended == 0
