"""What an operator sees of the life of a message: spans, takeovers, slots and connections."""

import asyncio
from dataclasses import dataclass, field
from typing import cast

from sqlalchemy import text

from bot.app.gauges import Gauges
from bot.metrics import Meter
from bot.traces import TraceSpan, current_trace, exporting, trace_id, traced
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.pool import KEPT, OVERFLOW, connection_use
from core.adapters.postgres.health import PostgresHealth
from core.bootstrap import Service
from core.domain.delivery import Delivery
from core.domain.message import Accepted, Claimed
from core.ports.operations import ConnectionUse, SlotUse
from core.service_access.refusals import Refusals
from tests.life import Deployment, message

LET_GO = "UPDATE citebound.{} SET lease_until = now() - interval '1 s'"
"""What the end of a lease comes to."""


@dataclass
class Kept:
    """Keeps spans."""

    spans: list[TraceSpan] = field(default_factory=list[TraceSpan])

    def export(self, span: TraceSpan, /) -> None:
        """See `SpanExporter.export`."""
        self.spans.append(span)


async def let_go(deployment: Deployment, table: str) -> None:
    """Let all leases end."""
    async with deployment.engine.begin() as connection:
        await connection.execute(text(LET_GO.format(table)))


async def test_a_question_has_one_trace_also_if_it_is_taken_over(deployment: Deployment) -> None:
    """The message, each attempt to answer and the post, in the trace of its question."""
    kept = Kept()
    with exporting(kept):
        accepted = await deployment.intake.accept(message("a gift"))
        assert isinstance(accepted, Accepted)
        thread = accepted.conversation_id
        assert isinstance(await deployment.backlog.claim(thread), Claimed)  # and is killed
        await let_go(deployment, "inbox")
        await deployment.worker.answer(thread)
        await deployment.deliverer.deliver(thread)
    assert [one.name for one in kept.spans] == ["message", "answer", "post"]
    (question_id,) = {one.question_id for one in kept.spans}
    (asked,) = await deployment.rows("SELECT question_id::text AS id FROM citebound.inbox")
    assert (question_id, trace_id(question_id)) == (asked["id"], str(asked["id"]).replace("-", ""))
    root, answer, post = kept.spans
    assert (root.is_root, answer.is_root, post.is_root) == (True, False, False)
    assert (answer.attributes["attempt"], answer.attributes["is_taken_over"]) == (2, True)
    assert answer.attributes["outcome"] == "clarification"
    assert post.attributes["step"] == "settle"
    stages = [one.name for one in answer.parts]
    assert stages == ["readers", "surroundings", "prepare", "plan", "record"]
    ends = [moment for one in answer.parts for moment in (one.began_s, one.ended_s)]
    assert ends == sorted(ends)
    assert root.ended_s <= answer.began_s <= ends[0]
    assert ends[-1] <= answer.ended_s <= post.began_s


async def test_what_breaks_is_named_in_its_span(deployment: Deployment) -> None:
    """By the type of the error alone: what it says may be the question."""
    kept = Kept()
    accepted = await deployment.intake.accept(message("a gift"))
    assert isinstance(accepted, Accepted)
    async with deployment.engine.begin() as connection:
        refuse = "ALTER TABLE citebound.questions ADD CONSTRAINT x CHECK (text = '')"
        await connection.execute(text(refuse))
    with exporting(kept):
        await deployment.worker.answer(accepted.conversation_id)
    (answer,) = kept.spans
    assert answer.error == "TransientError"
    assert "a gift" not in str((answer.attributes, answer.parts))


def test_without_an_exporter_there_is_no_trace() -> None:
    """And nothing is kept of what was measured."""
    question_id = "01890000-0000-7000-8000-000000000001"
    with traced(question_id, "answer"):
        assert current_trace() is None
    with exporting(Kept()), traced(question_id, "answer"):
        assert current_trace() == "01890000000070008000000000000001"


async def test_what_was_left_is_counted_as_taken_over(deployment: Deployment) -> None:
    """Of messages and replies; what was given back is not."""
    accepted = await deployment.intake.accept(message("a gift"))
    assert isinstance(accepted, Accepted)
    thread = accepted.conversation_id

    async def claimed() -> Claimed:
        found = await deployment.backlog.claim(thread)
        assert isinstance(found, Claimed)
        return found

    first = await claimed()
    assert not first.is_taken_over
    await deployment.backlog.release(first, after_s=0.0, counted=True)
    assert not (await claimed()).is_taken_over
    await let_go(deployment, "inbox")
    assert (await claimed()).is_taken_over
    await let_go(deployment, "inbox")
    await deployment.worker.answer(thread)
    reply = await deployment.outbox.claim(thread)
    assert isinstance(reply, Delivery)
    assert not reply.is_taken_over
    assert reply.waited_s is not None
    assert reply.waited_s >= reply.age_s
    await let_go(deployment, "outbox")
    again = await deployment.outbox.claim(thread)
    assert isinstance(again, Delivery)
    assert again.is_taken_over


async def test_slots_tell_what_is_worked_on(deployment: Deployment) -> None:
    """Of each kind by itself."""
    assert deployment.queue.slots() == {}
    deployment.reasoner.delay_s = 30.0
    async with deployment.working():
        await deployment.intake.accept(message("a gift"))
        await deployment.until("SELECT 1 FROM paid")
        slots = deployment.queue.slots()
        assert slots == {"answer": SlotUse(busy=1, free=7), "deliver": SlotUse(busy=0, free=8)}
        deployment.reasoner.delay_s = 0.0


async def test_the_pool_tells_who_waits(database_url: str) -> None:
    """For a connection, once all are lent."""
    engine = engine_for(database_url)
    most = KEPT + OVERFLOW
    held = [await engine.connect() for _ in range(most)]
    assert connection_use(engine) == ConnectionUse(
        idle=0, in_use=most, overflow=OVERFLOW, most=most, waiting=0
    )

    async def one_more() -> None:
        async with engine.connect():
            pass

    async with asyncio.TaskGroup() as group:
        group.create_task(one_more())
        async with asyncio.timeout(60):
            while (use := connection_use(engine)) is None or use.waiting == 0:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert use.waiting == 1
        await held.pop().close()
    assert (found := connection_use(engine)) is not None
    assert found.waiting == 0
    for connection in held:
        await connection.close()
    await engine.dispose()


class Moved:
    """Calibrations whose features are no longer those of the fit."""

    async def drift(self, *, of_models: bool) -> dict[str, float]:
        assert not of_models
        return {"whole": 0.4, "lexical_rank": 0.1}


@dataclass
class Alone:
    """What the gauges read of a service."""

    health: PostgresHealth
    queue: object
    settings: object
    calibrations: object
    refusals: Refusals = field(default_factory=Refusals)


async def test_of_a_database_that_is_down_no_old_value_is_told(deployment: Deployment) -> None:
    """An age that stands still looks like one that is fine."""

    @dataclass
    class Limits:
        daily_budget_usd: float | None = 10.0

    def service(health: PostgresHealth) -> Service:
        alone = Alone(
            health=health, queue=deployment.queue, settings=Limits(), calibrations=Moved()
        )
        return cast("Service", alone)

    meter = Meter()
    await Gauges(service(PostgresHealth(deployment.engine)), [])(meter)
    assert "\ncitebound_oldest_message_seconds 0.0\n" in meter.text()
    assert "\ncitebound_database_up 1.0\n" in meter.text()
    assert "\ncitebound_oldest_unsealed_seconds " in meter.text()
    assert "\ncitebound_model_budget_usd 10.0\n" in meter.text()
    assert "\ncitebound_calibration_drift 0.4\n" in meter.text()
    gone = engine_for("postgresql://nobody@127.0.0.1:1/none")
    await Gauges(service(PostgresHealth(gone)), [])(meter)
    assert "\ncitebound_database_up 0.0\n" in meter.text()
    assert "\ncitebound_oldest_message_seconds" not in meter.text()
    await gone.dispose()
