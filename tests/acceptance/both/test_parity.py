"""The same questions in Slack, in Teams and to the service itself have the same answers.

What is stored to be shown is the same in every field: outcome, claims, citations with span and
quote, badge, words. What is shown holds all of it: each claim with its marks, each quote with where
it stands.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.replies.answer import badge_of
from bot.replies.context import Library
from bot.replies.notices import ask_privately
from bot.replies.sections import section_title
from bot.replies.sources import sources
from bot.slack.outbound.timings import SlackTimings
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.request import AskRequest
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.answer import Answer
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from tests.acceptance import disputed
from tests.both_products import Both, both
from tests.databases import logins
from tests.factories import never_sure
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Ephemeral
from tests.servers.slack.posts import Message as SlackMessage
from tests.servers.teams import FakeTeams
from tests.servers.teams import Message as TeamsMessage
from tests.servers.teams.openid import OpenId
from tests.shown_words import in_slack, in_slack_text, in_teams, squeezed

BUTTON = "(the first option)"
"""Stands for pressing it."""
MORE = disputed.POLICIES | {
    "devices.md": (
        "# Devices Policy\n\n## 1 Loss\n\nThe loss or theft of a device must be reported to the"
        " service desk within 1 hour, so that it can be wiped remotely.\n"
    ),
}
LIMIT = "What is the limit for gifts that employees accept from business partners?"
CONVERSATIONS: dict[str, tuple[str, ...]] = {
    "answered: none": (LIMIT,),
    "answered: none, a follow-up": (LIMIT, "and for contractors?"),
    "clarification: none, answered by a button": ("Can I accept gifts?", BUTTON),
    "clarification: none, answered in words": ("Can I accept gifts?", "as an employee"),
    "refused: not_found": ("How many days of parental leave do I get?",),
    "refused: out_of_scope": ("What colour is the office carpet?",),
    "refused: conflict": (disputed.QUESTION,),
    "refused: not_sure": (LIMIT,),
    "escalated: not_found, what can't wait": ("my laptop was stolen on the train what now",),
    "escalated: none": ("My manager takes bribes from a supplier. What should I do?",),
    "answered: none, two sections": (
        "Within how many working days must employees disclose a conflict of interest?",
    ),
}
"""Outcome and refusal of the first answer, and what is said."""


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms, with two policies that contradict each other."""
    async with bootstrap(Settings(**logins(policies_database))) as service:
        for name, text in MORE.items():
            await service.ingestor.ingest(
                text.encode(), source_name=name, given=Overrides(), with_chunks=True
            )
    posted = SlackTimings(draw_after_s=60.0)
    async with both(slack, teams, microsoft, policies_database, timings=posted) as running:
        yield running


async def stored(run: Both) -> Answer:
    """Return the answer that was stored last."""
    await run.quiet()
    rows = await run.rows(
        "SELECT reply FROM citebound.outbox WHERE replaces IS NULL ORDER BY id DESC LIMIT 1"
    )
    reply: Any = rows[0]["reply"]
    return answer_of(reply["answer"])


async def in_slack_itself(run: Both, texts: tuple[str, ...]) -> list[Answer]:
    """Hold a conversation in a channel of Slack; what is shown is looked at as it comes."""
    anna = run.slack.workspace.user("anna")
    room = run.slack.workspace.channel("general", anna)
    root: SlackMessage | None = None
    answers: list[Answer] = []
    for text in texts:
        if text == BUTTON:
            await run.slack.presses.click(anna, run.slack.checks.by_app()[-1], "clarify:0")
        else:
            said = await run.slack.people.mention(anna, room, text, thread=root)
            root = root or said.message
        answers.append(await stored(run))
        seen = run.slack.checks.seen_by(anna.id)
        is_shown_in_slack(seen[-1] if seen else run.slack.checks.by_app()[-1], answers[-1])
    run.slack.checks.nothing_refused()
    return answers


async def in_teams_itself(run: Both, texts: tuple[str, ...]) -> list[Answer]:
    """Hold a conversation in a channel of Teams; what is shown is looked at as it comes."""
    anna = run.teams.tenant.person("anna")
    room = run.teams.tenant.channel("general", anna)
    root: TeamsMessage | None = None
    answers: list[Answer] = []
    for text in texts:
        if text == BUTTON:
            asked = run.teams.tenant.by_bot()[-1]
            data = asked.cards[0]["actions"][0]["data"]
            await run.teams.people.execute(anna, asked, "clarify", data)
        else:
            said = await run.teams.people.mention(anna, room, text, thread=root)
            root = root or said.message
        answers.append(await stored(run))
        is_shown_in_teams(run.teams.tenant.by_bot()[-1], answers[-1])
    run.teams.checks.nothing_refused()
    return answers


async def of_the_service(run: Both, name: str, texts: tuple[str, ...]) -> list[Answer]:
    """Ask the service itself, which knows no platform."""
    place = Place(platform="console", tenant="local", channel="c", thread=name, mode="channel")
    answers: list[Answer] = []
    for text in texts:
        words = answers[-1].options[0] if text == BUTTON else text
        reply = await run.process.service.answering.ask(AskRequest(text=words, place=place))
        answers.append(reply.answer)
    return answers


def holds_all(shown: str, answer: Answer) -> None:
    """Assert that badge, words, claims with marks, quotes and their places are shown."""
    head = badge_of(answer)
    parts = [] if head is None else [head.words]
    parts += [f"{one.text} {''.join(f'[{n}]' for n in one.numbers)}" for one in answer.claims]
    told = list(sources(answer.quoted, Library()))
    parts += [part for source in told for part in (source.policy, source.section)]
    near = () if answer.quoted else answer.nearest[:5]
    parts += [section_title(one) for one in near]
    parts += answer.options
    for part in parts:
        assert squeezed(part) in shown, f"not shown: {part!r}\n{shown}"
    for one in answer.quoted:
        # Where a claim is its own quote, it stands once as the claim and once as the source; a
        # closest passage is its own source.
        quote, body = squeezed(one.quote), squeezed(answer.text)
        least = body.count(quote) + (not answer.is_closest)
        assert shown.count(quote) >= least, f"not quoted: {one.quote!r}\n{shown}"


def is_shown_in_slack(message: SlackMessage | Ephemeral, answer: Answer) -> None:
    """Assert that blocks and text, each for itself, hold the answer; nothing of a report."""
    if answer.is_report:
        assert squeezed(ask_privately(answer)) in in_slack(message)
        assert not [one for one in answer.citations if one.quote in str(message.blocks)]
        return
    holds_all(in_slack(message), answer)
    holds_all(in_slack_text(message), answer)


def is_shown_in_teams(message: TeamsMessage, answer: Answer) -> None:
    """Assert that text and card together hold the answer, and the entity its citations."""
    if answer.is_report:
        assert squeezed(ask_privately(answer)) in in_teams(message)
        assert not [one for one in answer.citations if one.quote in str(message.activity)]
        return
    holds_all(in_teams(message), answer)
    told = [(one["position"], one["appearance"]["name"]) for one in message.citations]
    assert [number for number, _ in told] == [one.number for one in answer.quoted]
    for (_, name), citation in zip(told, answer.quoted, strict=True):
        assert name.rstrip("…").strip() in section_title(citation.place)
        (entity,) = [one for one in message.citations if one["position"] == citation.number]
        abstract = str(entity["appearance"]["abstract"]).rstrip("…").strip()
        assert squeezed(abstract) in squeezed(citation.quote)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_the_same_answer_everywhere(
    run: Both, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored alike in every field, and shown whole on both platforms."""
    if name == "refused: not_sure":  # where nothing is ever sure enough to stand as an answer
        never_sure(monkeypatch)
    texts = CONVERSATIONS[name]
    expected = await of_the_service(run, name, texts)
    first = expected[0]
    refusal = first.refusal.value if first.refusal else "none"
    assert name.partition(",")[0] == f"{first.outcome.value}: {refusal}"
    whole = [answer_json(one) for one in expected]
    assert [answer_json(one) for one in await in_slack_itself(run, texts)] == whole
    assert [answer_json(one) for one in await in_teams_itself(run, texts)] == whole
