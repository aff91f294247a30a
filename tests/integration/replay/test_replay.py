"""A recorded question is answered again, the same in every byte."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.record.calibrations import FittedCalibration
from core.agent.reply import compose
from core.agent.request import AskRequest
from core.bootstrap import Service, bootstrap
from core.confidence.calibration import SHIPPED, Calibration
from core.domain.answer import RefusalKind
from core.domain.conversation import Place
from core.replay.recorded import ReplayImpossibleError
from core.replay.replay import Replay
from tests.acceptance import disputed
from tests.factories import NOW
from tests.integration.replay.conftest import GIFTS, Ask, Publish, recorded


async def replayed(service: Service, record_id: str) -> Replay:
    """Replay a record."""
    return await service.replayer.replay(await recorded(service, record_id))


@pytest.mark.parametrize(
    "question",
    [
        "May I accept a gift worth EUR 40?",
        "When must I report a gift?",
        "How long is parental leave?",
        "May contractors accept gifts?",
        "Who owns the gifts policy?",
        "Summarise the gifts policy.",
        "Thanks!",
        "What about it?",
    ],
)
async def test_identical(service: Service, ask: Ask, publish: Publish, question: str) -> None:
    """Later editions change nothing of what is replayed."""
    reply = await ask(question)
    await publish(GIFTS.replace("EUR 50", "EUR 80").replace("2.3", "2.4"))
    await publish("# Travel\n\n## 1 Gifts\n\n1.1 Gifts on trips are reported.", "travel.md")

    found = await replayed(service, reply.receipt.record_id)

    assert found.difference is None, found.difference


async def test_by_the_calibration_of_then(service: Service, ask: Ask) -> None:
    """One comes into force for the next question; what it was given with stays its own."""
    store = service.calibrations
    own = Calibration(name="own/1", intercept=9.0, weights={}, is_measured=True)
    kept = FittedCalibration(
        calibration=own, of_models=False, fitted_at=NOW, labels={}, figures={}, spreads={}
    )
    await store.keep(kept)
    await store.activate(own, of_models=False, is_shipped=False, reason="labels")
    reply = await ask("When must I report a gift?")
    confidence = reply.answer.confidence
    assert (confidence.calibration, confidence.is_calibrated) == ("own/1", True)
    await store.activate(SHIPPED.rules, of_models=False, is_shipped=True, reason="back")
    after = (await ask("When must I report a gift?")).answer.confidence
    assert (after.calibration, after.is_on_samples) == (SHIPPED.rules.name, True)

    found = await replayed(service, reply.receipt.record_id)

    assert found.difference is None, found.difference


async def test_follow_up(service: Service, ask: Ask, publish: Publish) -> None:
    """A follow-up is understood by the turns of then."""
    await ask("May I accept a gift worth EUR 40?")
    reply = await ask("and contractors?")
    await ask("and cash?")
    await publish(GIFTS.replace("EUR 50", "EUR 80"))

    found = await replayed(service, reply.receipt.record_id)

    assert found.difference is None, found.difference


async def test_a_contradiction_and_a_report(service: Service, ask: Ask, publish: Publish) -> None:
    """What only a person can answer is replayed; of a report the record has no words to answer."""
    for name, text_of_policy in disputed.POLICIES.items():
        await publish(text_of_policy, name)
    conflict = await ask(disputed.QUESTION)
    report = await ask("My manager takes bribes from a supplier. What should I do?", thread="ben")
    await publish(disputed.POLICIES["travel.md"].replace("7 years", "10 years"), "travel.md")

    assert conflict.answer.refusal is RefusalKind.CONFLICT
    assert report.answer.is_report
    found = await replayed(service, conflict.receipt.record_id)
    assert found.difference is None, found.difference
    with pytest.raises(ReplayImpossibleError, match="keeps no words"):
        await replayed(service, report.receipt.record_id)


async def test_what_is_missing_is_named(
    service: Service, ask: Ask, engine: AsyncEngine, local_embedder: LocalEmbedder
) -> None:
    """An erased turn, another reader, a changed text: each makes it impossible, with its reason."""
    first = await ask("May I accept a gift worth EUR 40?")
    reply = await ask("and contractors?")
    settings = replace(service.settings, reader_model=Path("none"))
    async with bootstrap(settings, embedder=local_embedder) as other:
        with pytest.raises(ReplayImpossibleError, match=r"answered with \w+ local:\w+/"):
            await replayed(other, reply.receipt.record_id)
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE audit.content DISABLE TRIGGER ALL"))
        erased = {"record": first.receipt.record_id}
        query = "DELETE FROM audit.content WHERE record_id = :record AND field = 'answer_json'"
        await connection.execute(text(query), erased)
    with pytest.raises(ReplayImpossibleError, match="was erased"):
        await replayed(service, reply.receipt.record_id)
    async with engine.begin() as connection:
        query = "UPDATE audit.content SET body = 'Hello?' WHERE field = 'question'"
        await connection.execute(text(query))
    with pytest.raises(ReplayImpossibleError, match="is not intact"):
        await replayed(service, reply.receipt.record_id)


async def test_access_is_that_of_today(service: Service, ask: Ask, publish: Publish) -> None:
    """Who may not read a policy any more can't have it quoted by a replay, either."""
    reply = await ask("May I accept a gift worth EUR 40?")
    await publish(GIFTS, audience=frozenset({"board"}))

    with pytest.raises(ReplayImpossibleError, match="who may read"):
        await replayed(service, reply.receipt.record_id)


async def test_a_message_that_was_not_answered(service: Service) -> None:
    """What was closed with a fixed reply has nothing to replay."""
    closed = await service.answering.close(
        AskRequest(text="?" * 9, place=Place(thread="anna")), compose.too_long(1), cause="too_long"
    )
    with pytest.raises(ReplayImpossibleError, match=r"no answer was sought \(too_long\)"):
        await replayed(service, closed.receipt.record_id)
