"""Each message ends in one outcome, whatever happens while it is answered."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy import NullPool, text
from sqlalchemy.ext.asyncio import create_async_engine

from core.adapters.postgres.queue.work_queue import SLOTS
from core.agent.request import MAX_QUESTION, NO_PROGRESS
from core.domain.delivery import NoReaders
from core.domain.errors import OvertakenError, TransientError
from core.domain.message import Accepted, Claimed, MessageKind, Waiting
from core.ports import Kept, Progress
from tests.life import Deployment, SilentSurface, deploy, message
from tests.life_history import broken_promises


async def accepted(deployment: Deployment, words: str, **more: str) -> str:
    """Accept a message and return its conversation."""
    result = await deployment.intake.accept(message(words, **more))  # pyright: ignore[reportArgumentType]
    assert isinstance(result, Accepted)
    return result.conversation_id


async def states(deployment: Deployment) -> list[tuple[object, ...]]:
    """Return state, outcome and attempt of each message."""
    rows = await deployment.rows(
        "SELECT state, outcome, attempt FROM citebound.inbox WHERE kind = 'message' ORDER BY id"
    )
    return [tuple(row.values()) for row in rows]


async def answers(deployment: Deployment) -> list[object]:
    """Return the text of each queued reply."""
    rows = await deployment.rows(
        "SELECT coalesce(reply->'answer'->>'answer', reply->>'notice') AS told"
        " FROM citebound.outbox ORDER BY id"
    )
    return [row["told"] for row in rows]


async def test_messages_of_a_thread_are_answered_in_order(deployment: Deployment) -> None:
    """Eight at a time, over several threads, with one record and one post each."""
    for n in range(24):
        await deployment.intake.accept(message(f"m{n}", thread=str(n % 4)))
    async with deployment.working():
        await deployment.quiet()
    assert await broken_promises(deployment, accepted=24) == []
    (place, *_) = await deployment.rows("SELECT * FROM citebound.conversations ORDER BY thread")
    history = await deployment.conversations.history(str(place["id"]))
    assert [turn.answer for turn in history] == [f"You said: m{n}" for n in range(0, 24, 4)]


async def test_what_a_table_refuses_is_not_logged(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    """Postgres quotes the row, question and all: the logs do not."""
    thread = await accepted(deployment, "a gift")
    await change(deployment, "ALTER TABLE citebound.questions ADD CONSTRAINT x CHECK (text = '')")
    await deployment.worker.answer(thread)
    assert "message 1, attempt 1: TransientError at audit.py:" in caplog.text
    assert "a gift" not in caplog.text


async def test_a_message_is_given_back_once_the_database_is_there_again(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failover nobody waits for the leases of what failed meanwhile."""
    thread = await accepted(deployment, "a gift")
    await change(deployment, "ALTER TABLE citebound.questions ADD CONSTRAINT x CHECK (text = '')")
    release, failures = deployment.backlog.release, [TransientError(), TransientError()]

    async def fail_first(claimed: Claimed, /, *, after_s: float, counted: bool) -> None:
        if failures:
            raise failures.pop()
        await release(claimed, after_s=after_s, counted=counted)

    monkeypatch.setattr(deployment.backlog, "release", fail_first)
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("received", None, 1)]
    assert failures == []


async def test_what_shows_progress_too_late_is_not_insisted_on(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is recorded already: what was shown is taken away now, and not in 20 seconds."""
    thread = await accepted(deployment, "a gift")
    attempts = 0

    async def settled(_: Claimed, __: str, /) -> None:
        nonlocal attempts
        attempts += 1
        raise OvertakenError

    @asynccontextmanager
    async def showing(_: SilentSurface, __: Claimed, kept: Kept, /) -> AsyncGenerator[Progress]:
        with pytest.raises(OvertakenError):
            await kept("stream")
        yield NO_PROGRESS

    monkeypatch.setattr(deployment.backlog, "show_progress", settled)
    monkeypatch.setattr(SilentSurface, "showing", showing)
    await deployment.worker.answer(thread)
    assert attempts == 1


async def test_what_shows_progress_is_kept_once_the_database_is_there_again(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would stand beside the answer; said again, what is kept is no other one."""
    thread = await accepted(deployment, "a gift")
    keep, failures = deployment.backlog.show_progress, [TransientError(), TransientError()]
    claims: list[Claimed] = []

    async def fail_first(claimed: Claimed, remote_id: str, /) -> None:
        claims.append(claimed)
        if failures:
            raise failures.pop()
        await keep(claimed, remote_id)

    @asynccontextmanager
    async def showing(
        _: SilentSurface, claimed: Claimed, kept: Kept, /
    ) -> AsyncGenerator[Progress]:
        await kept("stream")
        yield NO_PROGRESS

    monkeypatch.setattr(deployment.backlog, "show_progress", fail_first)
    monkeypatch.setattr(SilentSurface, "showing", showing)
    await deployment.worker.answer(thread)
    (row,) = await deployment.rows("SELECT progress_id, state FROM citebound.inbox")
    assert tuple(row.values()) == ("stream", "done")
    await keep(claims[0], "stream")
    with pytest.raises(OvertakenError):
        await keep(claims[0], "another")


async def test_reply_message_and_record_are_settled_together(deployment: Deployment) -> None:
    """If the outbox refuses the reply, there is no record, and the message waits."""
    thread = await accepted(deployment, "a gift")
    await change(deployment, "ALTER TABLE citebound.outbox ADD CONSTRAINT x CHECK (part > 9)")
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("received", None, 1)]
    tags = await deployment.rows("SELECT tag FROM audit.record")
    assert [row["tag"] for row in tags] == ["message:received"]
    await change(deployment, "ALTER TABLE citebound.outbox DROP CONSTRAINT x")
    await due(deployment)
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("done", "clarification", 2)]
    paid = await deployment.rows("SELECT request, count(*) AS n FROM paid GROUP BY request")
    assert [row["n"] for row in paid] == [1, 1]


async def test_a_rerun_is_the_same_question_of_the_same_day(deployment: Deployment) -> None:
    """Identity, edition and day are those of the first attempt."""
    thread = await accepted(deployment, "a gift")
    first = await deployment.backlog.claim(thread)
    assert isinstance(first, Claimed)
    await deployment.backlog.release(first, after_s=0.0, counted=True)
    await change(deployment, "INSERT INTO citebound.editions VALUES (2, now(), 'second')")
    await change(deployment, "UPDATE citebound.inbox SET as_of = as_of - 1")
    second = await deployment.backlog.claim(thread)
    assert isinstance(second, Claimed)
    assert (second.question_id, second.edition) == (first.question_id, 1)
    assert second.as_of == first.as_of - timedelta(days=1)
    assert (first.attempt, second.attempt) == (1, 2)
    assert first.token != second.token


async def test_a_leased_message_is_not_taken(deployment: Deployment) -> None:
    """Nor is one behind it: whoever looks again waits until the lease ends."""
    thread = await accepted(deployment, "first")
    await accepted(deployment, "second")
    assert isinstance(await deployment.backlog.claim(thread), Claimed)
    waiting = await deployment.backlog.claim(thread)
    assert isinstance(waiting, Waiting)
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("running", None, 1), ("received", None, 0)]
    (lease,) = await deployment.rows(
        "SELECT lease_until FROM citebound.inbox WHERE state = 'running'"
    )
    assert lease["lease_until"] == waiting.until


async def test_what_breaks_a_run_is_told_at_once(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    """One attempt, one record, one apology: it would break the next attempt, too."""
    deployment.reasoner.fails_on = "poison"
    deployment.reasoner.failure = KeyError("poison")
    await accepted(deployment, "poison")
    await accepted(deployment, "after it")
    async with deployment.working():
        await deployment.quiet()
    assert await states(deployment) == [("done", "failed", 1), ("done", "clarification", 1)]
    told = await deployment.rows("SELECT body FROM posts ORDER BY id")
    assert "please ask again" in str(told[0]["body"])
    assert told[1]["body"] == "You said: after it"
    closed = await deployment.rows("SELECT 1 FROM audit.record WHERE tag = 'question:failed'")
    assert len(closed) == 1
    assert "failed: KeyError at life.py:" in caplog.text
    assert "poison" not in caplog.text


async def test_poison_is_given_up_and_the_thread_goes_on(deployment: Deployment) -> None:
    """Five attempts, then an apology and the outcome `failed`."""
    deployment.reasoner.fails_on = "poison"
    await accepted(deployment, "poison")
    await accepted(deployment, "after it")
    async with deployment.working():
        await deployment.quiet()
    assert await states(deployment) == [("dead", "failed", 6), ("done", "clarification", 1)]
    told = await deployment.rows("SELECT body FROM posts ORDER BY id")
    assert "please ask again" in str(told[0]["body"])
    assert told[1]["body"] == "You said: after it"
    closed = await deployment.rows("SELECT 1 FROM audit.record WHERE tag = 'question:failed'")
    assert len(closed) == 1


async def change(deployment: Deployment, statement: str) -> None:
    """Run a statement as the superuser that the tests connect as."""
    async with deployment.engine.begin() as connection:
        await connection.execute(text(statement))


async def due(deployment: Deployment) -> None:
    """Let no message wait."""
    await change(deployment, "UPDATE citebound.inbox SET next_at = now()")


Act = Callable[[Deployment], Awaitable[object]]


async def _edit(deployment: Deployment) -> None:
    edit = message("new", event="e", key="m1:e", kind=MessageKind.EDITED, target="m1")
    assert isinstance(await deployment.intake.accept(edit), Accepted)


async def _delete(deployment: Deployment) -> None:
    delete = message("", event="d", key="m1:d", kind=MessageKind.DELETED, target="m1")
    assert isinstance(await deployment.intake.accept(delete), Accepted)


async def _stop(deployment: Deployment) -> None:
    stop = message("", event="s", kind=MessageKind.STOP)
    assert isinstance(await deployment.intake.accept(stop), Accepted)


@pytest.mark.parametrize("begun", [False, True])
async def test_an_edit_before_the_outcome_is_what_is_answered(
    deployment: Deployment, *, begun: bool
) -> None:
    """Also where somebody works on the old words already: they lose the lease."""
    thread = await accepted(deployment, "old", key="m1")
    await meanwhile(deployment, thread, _edit, begun=begun)
    await deployment.worker.answer(thread)
    assert await answers(deployment) == ["You said: new"]
    tags = await deployment.rows("SELECT tag FROM audit.record ORDER BY seq")
    assert [row["tag"] for row in tags] == [
        "message:received",
        "message:edited",
        "clarification:asked",
    ]


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("act", "reason"), [(_delete, "withdrawn"), (_stop, "stopped")])
async def test_what_is_taken_back_or_stopped_is_not_answered(
    deployment: Deployment, act: Act, reason: str, *, begun: bool
) -> None:
    """The outcome is `ignored`, with its reason; a stop is confirmed, and that is all."""
    thread = await accepted(deployment, "old", key="m1")
    await meanwhile(deployment, thread, act, begun=begun)
    await deployment.worker.answer(thread)
    assert [state[:2] for state in await states(deployment)] == [("done", "ignored")]
    assert await answers(deployment) == (["stopped"] if reason == "stopped" else [])
    closed = await deployment.rows(
        "SELECT doc->>'reason' AS why FROM audit.record WHERE tag = 'message:ignored'"
    )
    assert [row["why"] for row in closed] == [reason]
    numbers = await deployment.rows("SELECT seq FROM audit.record ORDER BY seq")
    assert [row["seq"] for row in numbers] == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("left", ["running", "received"])
async def test_what_a_dead_process_showed_does_not_stay_under_what_is_taken_back(
    deployment: Deployment, left: str
) -> None:
    """It gives way to a line; while somebody works on it, they take it away themselves."""
    thread = await accepted(deployment, "old", key="m1")
    claimed = await deployment.backlog.claim(thread)
    assert isinstance(claimed, Claimed)
    await deployment.backlog.show_progress(claimed, "p1")
    if left == "running":
        await change(deployment, "UPDATE citebound.inbox SET lease_until = now() - interval '1 s'")
    else:
        await deployment.backlog.release(claimed, after_s=0.0, counted=False)
    await _delete(deployment)
    rows = await deployment.rows(
        "SELECT reply->>'notice' AS said, progress_id FROM citebound.outbox"
    )
    assert rows == [{"said": "stopped", "progress_id": "p1"}]


async def test_what_is_taken_back_while_it_is_worked_on_is_not_told(deployment: Deployment) -> None:
    """Whoever works on it hears that it is over."""
    thread = await accepted(deployment, "old", key="m1")
    claimed = await deployment.backlog.claim(thread)
    assert isinstance(claimed, Claimed)
    await deployment.backlog.show_progress(claimed, "p1")
    await _delete(deployment)
    assert await deployment.rows("SELECT 1 FROM citebound.outbox") == []


async def meanwhile(deployment: Deployment, thread: str, act: Act, *, begun: bool) -> None:
    """Do something before a message is claimed, or while its run goes on."""
    if not begun:
        await act(deployment)
        return
    async with at_work(deployment, thread):
        await act(deployment)


@asynccontextmanager
async def at_work(deployment: Deployment, thread: str) -> AsyncGenerator[None]:
    """Let a run wait within its work until the block ends; then it goes on, and all is answered."""
    deployment.reasoner.goes_on.clear()
    async with asyncio.TaskGroup() as group:
        group.create_task(deployment.worker.answer(thread))
        await deployment.until("SELECT 1 FROM paid")
        yield
        deployment.reasoner.goes_on.set()


async def test_an_edit_after_the_answer_is_told_to_ask_again(deployment: Deployment) -> None:
    """The answer stays; a delete after it changes nothing that is shown."""
    thread = await accepted(deployment, "old", key="m1")
    await deployment.worker.answer(thread)
    await _edit(deployment)
    await _delete(deployment)
    await deployment.worker.answer(thread)
    assert await answers(deployment) == ["You said: old", "edited_after_answer"]
    assert await states(deployment) == [("done", "clarification", 1)]


@pytest.mark.parametrize(
    ("words", "outcome", "told"),
    [
        ("  \u200b ", "clarification", "What would you like to know"),
        ("x" * (MAX_QUESTION + 1), "refused", "at most 8000 characters"),
    ],
)
async def test_what_can_not_be_asked_is_answered_too(
    deployment: Deployment, words: str, outcome: str, told: str
) -> None:
    """A message without words, or with too many, costs no run."""
    thread = await accepted(deployment, words, event="odd")
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("done", outcome, 1)]
    (said,) = await answers(deployment)
    assert told in str(said)
    assert await deployment.rows("SELECT 1 FROM paid") == []


@pytest.mark.parametrize("direct", [True, False])
async def test_nobody_is_answered_where_outsiders_read(
    deployment: Deployment, *, direct: bool
) -> None:
    """Whoever may ask in private is told so; to an outsider it reads as a refusal."""
    deployment.audience.told = NoReaders(may_read_direct=direct, reason="shared_channel")
    thread = await accepted(deployment, "May I accept cash?")
    await deployment.worker.answer(thread)
    assert await states(deployment) == [("done", "refused", 1)]
    (said,) = await answers(deployment)
    assert ("direct message" in str(said)) is direct
    assert await deployment.rows("SELECT 1 FROM paid") == []


async def test_a_shutdown_gives_the_message_back(deployment: Deployment) -> None:
    """Its attempt does not count, and it can be begun again at once."""
    thread = await accepted(deployment, "a gift")
    deployment.reasoner.delay_s = 30.0
    task = asyncio.ensure_future(deployment.worker.answer(thread))  # noqa: TID251  # cancelled below
    await deployment.until("SELECT 1 FROM paid")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await states(deployment) == [("received", None, 0)]
    assert isinstance(await deployment.backlog.claim(thread), Claimed)


async def test_whoever_lost_the_lease_records_nothing(deployment: Deployment) -> None:
    """A worker that was too slow finds its message taken over, and stops."""
    thread = await accepted(deployment, "a gift")
    async with at_work(deployment, thread):
        await change(
            deployment,
            "UPDATE citebound.inbox SET lease_token = gen_random_uuid(),"
            " lease_until = now() + interval '1 minute'",
        )
    assert await states(deployment) == [("running", None, 1)]
    tags = await deployment.rows("SELECT tag FROM audit.record")
    assert [row["tag"] for row in tags] == ["message:received"]


async def test_a_database_that_fails_is_an_error_of_the_claim(deployment: Deployment) -> None:
    """It is raised, and the row stays to be found again."""
    thread = await accepted(deployment, "a gift")
    await change(deployment, "ALTER TABLE citebound.inbox RENAME TO elsewhere")
    with pytest.raises(TransientError):
        await deployment.worker.answer(thread)


async def test_a_database_that_drops_connections_loses_nothing(deployment: Deployment) -> None:
    """Workers pause, and resume by themselves; whoever looks on connects anew each time."""
    quick = deploy(deployment.engine, lease_s=2.0)
    onlooker = deploy(create_async_engine(deployment.engine.url, poolclass=NullPool))
    quick.reasoner.delay_s = 0.05
    for n in range(12):
        await accepted(quick, f"m{n}", thread=str(n % 4))
    async with quick.working():
        for _ in range(3):
            await asyncio.sleep(0.3)
            await change(
                onlooker,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
        await onlooker.quiet(within_s=60.0)
    assert await broken_promises(onlooker, accepted=12) == []


async def test_a_long_run_keeps_its_message(deployment: Deployment) -> None:
    """A run may take longer than a lease: it is renewed, and nobody takes over."""
    slow = deploy(deployment.engine, lease_s=0.8)
    slow.reasoner.delay_s = 2.0
    thread = await accepted(slow, "a gift")
    async with asyncio.TaskGroup() as group:
        group.create_task(slow.worker.answer(thread))
        await slow.until("SELECT 1 FROM paid")
        for _ in range(6):
            assert isinstance(await slow.backlog.claim(thread), Waiting)
            await asyncio.sleep(0.25)
    assert await states(slow) == [("done", "clarification", 1)]


async def test_a_reply_does_not_wait_behind_questions(deployment: Deployment) -> None:
    """While as many questions as there are slots, and more, are being answered, it is posted."""
    deployment.reasoner.goes_on.clear()
    for n in range(3 * SLOTS["answer"]):
        await deployment.intake.accept(message(f"m{n}", thread=f"t{n}"))
    async with deployment.working():
        await deployment.until(
            "SELECT 1 FROM citebound.inbox WHERE state = 'running'"  # noqa: S608
            f" HAVING count(*) = {SLOTS['answer']}"
        )
        help_wanted = message("help", thread="h", kind=MessageKind.HELP)
        await deployment.intake.accept(help_wanted)
        await deployment.until("SELECT 1 FROM posts WHERE body = 'notice:how_it_works'")
        assert {state for state, _, _ in await states(deployment)} == {"received", "running"}
        deployment.reasoner.goes_on.set()
        await deployment.quiet()
