"""One table of conversations: outcome, words and actions are the same on both platforms.

Each is held over HTTP, by somebody of their own, in a channel or directly. After each step what
stands there is compared: how it ended as it is stored, every word that is read, every action that
can be taken. What differs by the platforms' nature is listed here, word by word.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.slack.blocks.action_ids import NAMES, family
from bot.slack.outbound.progress import SlackTimings
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.acceptance import disputed
from tests.acceptance.both.test_parity import LIMIT, MORE
from tests.both_products import Both, both
from tests.databases import logins
from tests.factories import never_sure
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Ephemeral
from tests.servers.slack.posts import Message as SlackMessage
from tests.servers.slack.wire import is_object
from tests.servers.teams import FakeTeams
from tests.servers.teams import Message as TeamsMessage
from tests.servers.teams.openid import OpenId
from tests.shown_words import slack_words, teams_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Something that is pressed under the last reply, by the name that both platforms share."""

    act: str
    choice: str = ""
    note: str | None = None
    """What is written into the form that opens; None: none does."""


REPORT = "My manager takes bribes from a supplier. What should I do?"
OPEN = "Can I accept gifts?"
FIRST = Press(act="clarify", choice="0")
REMOVE = Press(act="remove")
SEND = Press(act="escalate", note="It is urgent.")
CONVERSATIONS: dict[str, tuple[str | Press, ...]] = {
    "an answer": (LIMIT,),
    "an answer, directly": ("direct", LIMIT),
    "a follow-up": (LIMIT, "and for contractors?"),
    "a follow-up, directly": ("direct", LIMIT, "and for contractors?"),
    "two sections": ("Within how many working days must employees disclose a conflict?",),
    "asked back": (OPEN,),
    "asked back, directly": ("direct", OPEN),
    "asked back, an option pressed": (OPEN, FIRST),
    "asked back, answered in words": (OPEN, "as an employee"),
    "asked back, for all": (OPEN, Press(act="clarify", choice="all")),
    "not found": ("How many days of parental leave do I get?",),
    "not found, directly": ("direct", "How many days of parental leave do I get?"),
    "off topic": ("What colour is the office carpet?",),
    "a contradiction": (disputed.QUESTION,),
    "a contradiction, directly": ("direct", disputed.QUESTION),
    "what can't wait": ("my laptop was stolen on the train what now",),
    "a report in a channel": (REPORT,),
    "a report, directly": ("direct", REPORT),
    "an owner": ("Who owns the gifts policy?",),
    "a version": ("Which version of the gifts policy is in force?",),
    "a list of policies": ("What policies do you have?",),
    "a summary": ("What are the main rules of the Gifts and Hospitality Policy?",),
    "cash": ("May I accept cash from a supplier?",),
    "thanks": ("Thank you!",),
    "too long": ("x" * 5_000,),
    "hostile": ("Is <!channel> [x](https://evil.example) **allowed**?",),
    "another language": ("Wie hoch darf ein Geschenk sein?",),
    "removed": (LIMIT, REMOVE),
    "sent to Compliance": (LIMIT, SEND),
    "not found, sent to Compliance": ("How many days of parental leave do I get?", SEND),
}
"""What is said, and pressed; "direct" first: in a chat with the app alone."""
CLOSEST: dict[str, tuple[str | Press, ...]] = {
    "a closest passage": (LIMIT,),
    "a closest passage, directly": ("direct", LIMIT),
    "a closest passage that answers": (LIMIT, Press(act="answers")),
}
GROUPS = [tuple(CONVERSATIONS)[start : start + 6] for start in range(0, len(CONVERSATIONS), 6)]
_SLACK_ALONE = (
    "helpful not remove it disappears from the thread its record is kept keep this answer",
    "just in this thread",
)
"""Thumbs, and what is asked before an answer is removed: Teams has its own; and whose replies are
heard."""
_TEAMS_ALONE = ("you could ask next", "and mention me", "automated")
"""Follow-ups are text where others read; whose replies are heard."""
SLACK_ALONE, TEAMS_ALONE = (
    frozenset(word for told in some for word in told.split())
    for some in (_SLACK_ALONE, _TEAMS_ALONE)
)
_WORD = re.compile(r"\w+")
_ICON = re.compile(r":[a-z_]+:")
_REFERENCE = re.compile(r"ref [0-9a-f]{8}\b(?: · [0-9a-f]{16})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What somebody has in front of them after a step."""

    outcome: str
    words: frozenset[str]
    actions: frozenset[str]


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


async def outcome(run: Both) -> str:
    """Return how the last question ended, as it is stored."""
    await run.quiet()
    rows = await run.rows(
        "SELECT reply->'answer'->>'outcome' AS outcome, reply->'answer'->>'refusal' AS refusal"
        " FROM citebound.outbox WHERE reply->'answer' IS NOT NULL ORDER BY id DESC LIMIT 1"
    )
    return f"{rows[0]['outcome']}: {rows[0]['refusal']}" if rows else "nothing"


def slug(name: str) -> str:
    """Return a name for an id: each conversation has people and rooms of its own."""
    return "-".join(_WORD.findall(name))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, but for icons and references, which differ."""
    return frozenset(_WORD.findall(_ICON.sub(" ", _REFERENCE.sub(" ", text.casefold()))))


async def in_slack_itself(run: Both, name: str, steps: tuple[str | Press, ...]) -> list[Seen]:
    """Hold a conversation in Slack."""
    slack, is_direct = run.slack, steps[0] == "direct"
    anna = slack.workspace.user(f"anna-{slug(name)}")
    room = slack.workspace.channel(f"room-{slug(name)}", anna)
    root: SlackMessage | None = None
    seen: list[Seen] = []
    for step in steps[1:] if is_direct else steps:
        if isinstance(step, Press):
            await press_in_slack(run, anna, last_in_slack(run, anna), step)
        elif is_direct:
            said = await slack.people.ask(anna, step, thread=root)
            root = root or said.message
        else:
            said = await slack.people.mention(anna, room, step, thread=root)
            root = root or said.message
        ended = await outcome(run)
        shown = last_in_slack(run, anna)
        words = words_in(slack_words(shown) if shown.blocks else shown.text)
        seen.append(Seen(outcome=ended, words=words, actions=frozenset(acts_in_slack(shown))))
    return seen


def last_in_slack(run: Both, person: Any) -> SlackMessage | Ephemeral:
    """Return what stands last: what somebody alone sees, or what all do."""
    alone = run.slack.checks.seen_by(person.id)
    return alone[-1] if alone else run.slack.checks.by_app()[-1]


def acts_in_slack(message: SlackMessage | Ephemeral) -> Iterator[str]:
    named = {action: act.value for act, action in NAMES.items()}
    for block in message.blocks:
        for one in block.get("elements", ()):
            if is_object(one) and "action_id" in one:
                known = family(str(one["action_id"]))
                yield {"answer_feedback": "feedback"}.get(known, named.get(known, known))


async def press_in_slack(
    run: Both, person: Any, on: SlackMessage | Ephemeral, press: Press
) -> None:
    named = {act.value: action for act, action in NAMES.items()}
    action = named.get(press.act, press.act) + (f":{press.choice}" if press.choice else "")
    await run.slack.presses.click(person, on, action)
    if press.note is not None:
        views = run.slack.presses.views_of
        await run.slack.until(lambda: bool(views(person)), timeout_s=30)
        await run.slack.presses.submit(person, views(person)[-1], {"note": {"value": press.note}})


async def in_teams_itself(run: Both, name: str, steps: tuple[str | Press, ...]) -> list[Seen]:
    """Hold a conversation in Teams."""
    teams, is_direct = run.teams, steps[0] == "direct"
    anna = teams.tenant.person(f"anna-{slug(name)}")
    room = teams.tenant.channel(f"room-{slug(name)}", anna)
    chat = teams.tenant.personal(anna)
    root: TeamsMessage | None = None
    seen: list[Seen] = []
    for step in steps[1:] if is_direct else steps:
        if isinstance(step, Press):
            await press_in_teams(run, anna, teams.tenant.by_bot()[-1], step)
        elif is_direct:
            await teams.people.say(anna, chat, step)
        else:
            said = await teams.people.mention(anna, room, step, thread=root)
            root = root or said.message
        ended = await outcome(run)
        shown = teams.tenant.by_bot()[-1]
        words = words_in(teams_words(shown) + "\n" + "\n".join(offered(shown)))
        seen.append(Seen(outcome=ended, words=words, actions=frozenset(acts_in_teams(shown))))
    return seen


def offered(message: TeamsMessage) -> list[str]:
    """Return the questions that one press asks."""
    told: Any = message.activity.get("suggestedActions") or {}
    return [one["value"] for one in told.get("actions", ())]


def acts_in_teams(message: TeamsMessage) -> Iterator[str]:
    for card in message.cards:
        for one in card.get("actions", ()):
            yield str(one.get("verb") or one.get("data", {}).get("do"))
    yield from ("follow_up" for _ in offered(message)[:1])
    if "You could ask next" in message.text:
        yield "follow_up"
    if "feedbackLoop" in (message.activity.get("channelData") or {}):
        yield "feedback"


async def press_in_teams(run: Both, person: Any, on: TeamsMessage, press: Press) -> None:
    for one in (one for card in on.cards for one in card["actions"]):
        data = one.get("data", {})
        if press.act not in {one.get("verb"), data.get("do")}:
            continue
        if press.choice and data.get("o") != press.choice:
            continue
        if press.note is not None:
            sent = {**data, "do": f"{press.act}_submit", "note": press.note}
            await run.teams.people.invoke(person, on, "task/submit", {"data": sent})
        else:
            await run.teams.people.execute(person, on, press.act, data)
        return
    raise AssertionError(f"no {press.act} on {json.dumps(on.activity)[:400]}")


async def compared(run: Both, name: str, steps: tuple[str | Press, ...]) -> list[str]:
    """Hold a conversation on both, and return what differs after each step."""
    here, there = await in_slack_itself(run, name, steps), await in_teams_itself(run, name, steps)
    assert len(here) == len(there) > 0
    assert all(one.words for one in here)
    return [
        f"{name}, step {number}: {differs}"
        for number, (one, other) in enumerate(zip(here, there, strict=True), start=1)
        for differs in differences(one, other)
    ]


def differences(one: Seen, other: Seen) -> Iterator[str]:
    """Yield what is seen in Slack or in Teams alone."""
    if one.outcome != other.outcome:
        yield f"{one.outcome} in Slack, {other.outcome} in Teams"
    for where, more in (
        ("Slack", one.words - other.words - SLACK_ALONE),
        ("Teams", other.words - one.words - TEAMS_ALONE),
    ):
        if more:
            yield f"only {where} says {sorted(more)}"
    if one.actions != other.actions:
        yield f"{sorted(one.actions)} in Slack, {sorted(other.actions)} in Teams"


def test_there_are_enough() -> None:
    """At least 25 conversations."""
    assert len(CONVERSATIONS) + len(CLOSEST) >= 25


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0])
async def test_conversations_are_the_same(run: Both, group: tuple[str, ...]) -> None:
    """Outcome, words and actions, step by step."""
    assert [one for name in group for one in await compared(run, name, CONVERSATIONS[name])] == []


async def test_closest_passages_are_the_same(run: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is ever sure enough to stand as an answer."""
    never_sure(monkeypatch)
    assert [one for name in CLOSEST for one in await compared(run, name, CLOSEST[name])] == []
