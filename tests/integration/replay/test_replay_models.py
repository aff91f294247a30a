"""Runs of a language model are replayed from their recorded calls; nothing is sent."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.agent.request import AskRequest
from core.agent.wording import MODEL_UNAVAILABLE
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from core.replay.recorded import ReplayImpossibleError
from core.replay.replay import Replay
from tests.databases import logins
from tests.integration.replay.conftest import GIFTS, recorded
from tests.servers.anthropic import anthropic_server, by
from tests.servers.anthropic_steps import failure, reply, stalled, tool_use
from tests.unit.anthropic.scripted import Body, answers, criticised, judged, reported

SILENCE_S, PATIENCE_S = 0.5, 30.0
"""Until a model counts as silent: soon where it is, and never on a busy machine where it is not."""
CASH = "Employees must not accept cash or vouchers in any amount."
LOOKS_UP = tool_use("search_entities", {"query": "cash"})
PASSAGES = tool_use("search_passages", {"query": "cash and vouchers"})
Script = Sequence[Any]


def _kind(body: Body) -> str:
    names = {tool["name"] for tool in body["tools"]}
    if "submit_critique" in names:
        return "critique"
    return "judge" if "submit_judgement" in names else "answer"


async def _asked_and_replayed(
    database_url: str,
    embedder: LocalEmbedder,
    answer: Script,
    *,
    judge: Script = (),
    meanwhile: Callable[[Service], Any] | None = None,
) -> tuple[Replay, str]:
    """Ask with a scripted model, publish another edition, and replay without any server."""
    steps = {"answer": [*answer], "judge": [*judge] or [judged()], "critique": [criticised()]}
    with anthropic_server(by(_kind, steps), leftovers=True) as server:
        settings = Settings(
            **logins(database_url),
            anthropic_api_key=server.key,
            anthropic_base_url=server.url,
            model_silence_s=SILENCE_S if answer is SCRIPTS["silent"] else PATIENCE_S,
        )
        async with bootstrap(settings, embedder=embedder) as service:
            await _publish(service, GIFTS)
            request = AskRequest(text="May I accept cash as a gift?", place=Place(thread="anna"))
            asked = await service.answering.ask(request)
    # Without a key: what is replayed calls nobody.
    async with bootstrap(Settings(**logins(database_url)), embedder=embedder) as service:
        await _publish(service, GIFTS.replace("EUR 50", "EUR 80"))
        if meanwhile is not None:
            await meanwhile(service)
        found = await recorded(service, asked.receipt.record_id)
        return await service.replayer.replay(found), asked.answer.outcome.value


async def _publish(service: Service, policy: str) -> None:
    await service.ingestor.ingest(
        policy.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
    )


SCRIPTS: dict[str, Script] = {
    "ontology": [answers(CASH, also=[reported(0.95)])],
    "documents": [reply(LOOKS_UP, reported(0.4)), answers(CASH)],
    "own search": [reply(reported(0.4)), reply(PASSAGES), answers(CASH)],
    "invented": [reply("Cash is fine.")] * 4,
    "refused": [failure(400, "invalid_request_error")],
    "silent": [stalled(), stalled(), stalled()],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_identical(database_url: str, local_embedder: LocalEmbedder, script: Script) -> None:
    """Whatever the model did, and where the rules answered instead."""
    found, _ = await _asked_and_replayed(database_url, local_embedder, script)
    assert found.difference is None, found.difference
    is_fallback = MODEL_UNAVAILABLE.en in found.question.answer["notes"]
    assert is_fallback is (script[0] in (*SCRIPTS["refused"], *SCRIPTS["silent"]))


async def test_a_second_attempt(database_url: str, local_embedder: LocalEmbedder) -> None:
    """A judge who wants another draft is asked twice here, too."""
    found, _ = await _asked_and_replayed(
        database_url,
        local_embedder,
        [answers(CASH, also=[reported(0.4)]), answers(CASH), answers(CASH)],
        judge=[judged(0.4, verdict="needs_review", decision="RETRY: more"), judged()],
    )
    assert found.difference is None, found.difference
    assert len(found.question.trace["attempts"]) == 2


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM citebound.model_calls WHERE purpose = 'judge'", "is gone"),
        (
            "UPDATE citebound.model_calls SET response = jsonb_set(response, '{id}', '\"x\"')",
            "not the recorded one",
        ),
    ],
)
async def test_a_reply_that_is_not_the_recorded_one_ends_it(
    database_url: str,
    local_embedder: LocalEmbedder,
    engine: AsyncEngine,
    statement: str,
    says: str,
) -> None:
    """It was deleted, or changed."""

    async def change(_: Service) -> None:
        async with engine.begin() as connection:
            await connection.execute(text(statement))

    with pytest.raises(ReplayImpossibleError, match=says):
        await _asked_and_replayed(
            database_url, local_embedder, SCRIPTS["ontology"], meanwhile=change
        )
