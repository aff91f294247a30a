"""A question in German, where a model is there: answered in German on both platforms.

The model is a server of ours. It searches and answers in English, as the policies are written;
its translation is shown above the verified sentence.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from core.agent.languages_wording import GERMAN
from tests.both_products import Both, both
from tests.servers.anthropic import AnthropicServer, anthropic_server
from tests.servers.anthropic_steps import (
    Reply,
    at,
    cited,
    reply,
    search_results,
    supported,
    tool_use,
)
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.shown_words import in_slack, in_teams, squeezed

Body = dict[str, Any]
RULE = "Cash and cash equivalents must not be given or accepted, whatever their value."
STATED = "Cash and cash equivalents must not be accepted."
KEPT = "Bargeld und bargeldähnliche Zuwendungen dürfen nicht angenommen werden."
ASKED = "Darf ich von einem Lieferanten Bargeld annehmen?"


def _answer(body: Body) -> Reply:
    results = search_results(body)
    for number, result in enumerate(results):
        for index, block in enumerate(result["content"]):
            if RULE in block["text"]:
                return reply(cited(STATED, at(number, index)))
    score = {"score": 0.2, "reasoning": "nothing in German"}
    return reply(
        tool_use("emit_confidence", score),
        tool_use("search_passages", {"query": "cash and cash equivalents accepted"}),
    )


def _script(body: Body) -> Reply:
    """Answer as a model would."""
    tools = {tool["name"] for tool in body["tools"]}
    if "submit_critique" in tools:
        return reply(tool_use("submit_critique", {"refine": False, "issues": []}))
    if "submit_judgement" in tools:
        scores = dict.fromkeys(("faithfulness", "relevance", "completeness"), 0.95)
        given = {"claims": supported(body), "verdict": "approve", "decision": "FINAL"}
        return reply(tool_use("submit_judgement", scores | given))
    if "submit_translation" in tools:
        said = str(body["messages"])
        text = STATED if "into English" in said else KEPT
        return reply(
            tool_use("submit_translation", {"translations": [{"statement": 1, "text": text}]})
        )
    return _answer(body)


@pytest.fixture
def model() -> Iterator[AnthropicServer]:
    """A model that knows one rule."""
    with anthropic_server(_script) as server:
        yield server


@pytest.fixture
async def run(
    slack: FakeSlack,
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    model: AnthropicServer,
) -> AsyncIterator[Both]:
    """The product on both platforms, with the model."""
    async with both(
        slack,
        teams,
        microsoft,
        policies_database,
        anthropic_api_key=model.key,
        anthropic_base_url=model.url,
    ) as running:
        yield running


async def test_a_german_question_is_answered_in_german_on_both(run: Both) -> None:
    """The translation, the verified sentence below it, and that it is a translation."""
    anna = run.slack.workspace.user("anna")
    room = run.slack.workspace.channel("general", anna)
    await run.slack.people.mention(anna, room, ASKED)
    await run.quiet()
    slack = squeezed(in_slack(run.slack.checks.by_app()[-1]))
    ann = run.teams.tenant.person("anna")
    hall = run.teams.tenant.channel("general", ann)
    await run.teams.people.mention(ann, hall, ASKED)
    await run.quiet()
    teams = squeezed(in_teams(run.teams.tenant.by_bot()[-1]))
    for shown in (slack, teams):
        for words in (KEPT, STATED, GERMAN.translation, RULE):
            assert squeezed(words) in shown, shown
        assert shown.index(squeezed(KEPT)) < shown.index(squeezed(STATED))
    rows = await run.rows("SELECT purpose FROM citebound.model_calls")
    assert [row["purpose"] for row in rows].count("translate") == 4
