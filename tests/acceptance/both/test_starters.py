"""The first minute: a welcome whose buttons ask what this deployment answers, on both platforms."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.slack.manifest import manifest as slack_manifest
from bot.teams.manifest import manifest as teams_manifest
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.answer import Badge
from core.ports.starters import StarterSet
from tests.both_products import Both, both
from tests.databases import logins
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

GREETINGS = ("hello", "hi", "help", "what can you do")
STARTER = "starter:0"


@pytest.fixture
async def chosen(policies_database: str) -> StarterSet:
    """Choose starters, as a worker does after a publication."""
    async with bootstrap(Settings(**logins(policies_database))) as service:
        return await service.starters.refresh(is_urgent=True)


@pytest.fixture
async def run(
    slack: FakeSlack,
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    chosen: StarterSet,
) -> AsyncIterator[Both]:
    """The product on both platforms, with starters."""
    assert chosen.starters
    async with both(slack, teams, microsoft, policies_database) as running:
        yield running


def asked_in(blocks: Any) -> list[str]:
    """Return the questions on the buttons of blocks."""
    (row,) = [one for one in blocks if one.get("block_id") == "starters"]
    return [one["text"]["text"] for one in row["elements"]]


def on_card(activity: Any) -> list[str]:
    """Return the questions on the buttons of a card."""
    (shown,) = activity["attachments"]
    return [one["title"] for one in shown["content"].get("actions", [])]


async def test_the_same_questions_are_offered_everywhere(run: Both, chosen: StarterSet) -> None:
    """In welcomes, Home, the agent's tab, and both manifests; each of them was answered."""
    offered = [one.question for one in chosen.starters]
    assert all(one.badge in {Badge.HIGH, Badge.MEDIUM} for one in chosen.starters)
    assert len({one.policy_key for one in chosen.starters}) > 1
    slack, teams = run.slack, run.teams
    anna, ada = slack.workspace.user("anna"), teams.tenant.person("anna")
    direct = slack.workspace.direct(anna).id
    await slack.people.open_home(anna)
    await slack.until(lambda: anna.id in slack.workspace.homes, timeout_s=15)
    assert asked_in(slack.workspace.homes[anna.id].content["blocks"]) == offered
    await slack.people.open_home(anna, tab="messages")
    await slack.until(lambda: (direct, None) in slack.workspace.prompts, timeout_s=15)
    started = (await slack.people.start_thread(anna)).message.ts
    await slack.until(lambda: (direct, started) in slack.workspace.prompts, timeout_s=15)
    for thread in (None, started):
        prompts = slack.workspace.prompts[direct, thread]["prompts"]
        assert [one["message"] for one in prompts] == offered
    for words in GREETINGS:
        said = await slack.people.ask(anna, words)
        await run.quiet()
        assert asked_in(slack.checks.one_answer(said.message).blocks) == offered
        await teams.people.say(ada, teams.tenant.personal(ada), words)
        await run.quiet()
        assert on_card(teams.tenant.by_bot()[-1].activity) == offered
    made: Any = slack_manifest(address="https://a.example", starters=chosen.starters)
    prompts = made["features"]["agent_view"]["suggested_prompts"]
    assert [one["message"] for one in prompts] == offered
    app = "22222222-2222-4222-8222-222222222222"
    made = teams_manifest(app_id=app, address="https://a.example", starters=chosen.starters)
    commands = made["bots"][0]["commandLists"][0]["commands"]
    assert [one.get("prompt") for one in commands] == [*offered, None]


async def test_a_press_in_slack_asks_as_the_presser(run: Both, chosen: StarterSet) -> None:
    """In a channel by whoever presses, once each; in Home directly."""
    slack = run.slack
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    said = await slack.people.mention(anna, room, "hello")
    await run.quiet()
    welcome = slack.checks.one_answer(said.message)
    for who in (ben, ben, anna):
        assert (await slack.presses.click(who, welcome, STARTER)).acknowledged
    await run.quiet()
    rows = await run.rows(
        "SELECT person, text FROM citebound.inbox WHERE kind = 'message' ORDER BY id"
    )
    question = chosen.starters[0].question
    assert [(one["person"], one["text"]) for one in rows] == [
        (ben.id, question),
        (anna.id, question),
    ]
    outcomes = await run.rows("SELECT outcome, badge FROM citebound.answers")
    assert {one["outcome"] for one in outcomes} == {"answered"}
    await slack.people.open_home(anna)
    await slack.until(lambda: anna.id in slack.workspace.homes, timeout_s=15)
    await slack.presses.click(anna, slack.workspace.homes[anna.id], STARTER)
    await run.quiet()
    rows = await run.rows(
        "SELECT i.text, c.channel FROM citebound.inbox i"
        " JOIN citebound.conversations c ON c.id = i.conversation_id ORDER BY i.id DESC LIMIT 1"
    )
    assert rows == [{"text": question, "channel": slack.workspace.direct(anna).id}]


async def test_a_press_in_teams_asks_as_the_presser(run: Both, chosen: StarterSet) -> None:
    """In a channel by whoever presses, once each; in a chat; a strange id asks nothing."""
    teams, question = run.teams, chosen.starters[0].question
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    await teams.people.mention(anna, room, "help")
    await run.quiet()
    (welcome,) = teams.tenant.by_bot()
    data = {"s": chosen.starters[0].starter_id}
    first = await teams.people.execute(ben, welcome, "starter", data)
    assert "Asked" in json.dumps(first.answer)
    again = await teams.people.execute(ben, welcome, "starter", data)
    assert "asked before" in json.dumps(again.answer)
    strange = await teams.people.execute(anna, welcome, "starter", {"s": "x' OR 1=1"})
    assert "settled" in json.dumps(strange.answer)
    await run.quiet()
    rows = await run.rows(
        "SELECT person, text FROM citebound.inbox WHERE kind = 'message' ORDER BY id"
    )
    assert [(one["person"], one["text"]) for one in rows] == [(ben.id, question)]
    shown = json.dumps([one.activity for one in teams.tenant.by_bot()])
    assert f"asked: {question}" in shown
    outcomes = await run.rows("SELECT outcome FROM citebound.answers")
    assert [one["outcome"] for one in outcomes] == ["answered"]


async def test_an_empty_corpus_offers_nothing_and_says_so(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, database_url: str
) -> None:
    """No question that would be refused, on either platform."""
    async with both(slack, teams, microsoft, database_url) as run:
        anna, ada = slack.workspace.user("anna"), teams.tenant.person("anna")
        said = await slack.people.ask(anna, "hello")
        await teams.people.say(ada, teams.tenant.personal(ada), "hello")
        await run.quiet()
        shown = slack.checks.one_answer(said.message)
        assert "No policies have been published yet" in json.dumps(shown.blocks)
        assert not any(one.get("block_id") == "starters" for one in shown.blocks)
        (card,) = teams.tenant.by_bot()
        assert "No policies have been published yet" in json.dumps(card.activity)
        assert on_card(card.activity) == []
