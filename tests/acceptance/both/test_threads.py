"""In a thread of ours people talk to each other: we speak when we are asked, and only then.

What nobody meant for us is in no table, and a case is opened by itself only from a question that
was put to us.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.acceptance import disputed
from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

LIMIT = "What is the limit for gifts that employees accept from business partners?"
OPEN = "Can I accept gifts?"
NOT_FOR_US = (
    ("anna", "yes, will do after lunch"),
    ("ben", "I had one last year, just refuse it"),
    ("ben", "and for contractors?"),
    ("anna", "ben, can you take this one?"),
    ("anna", "thanks!"),
)


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms, with an officer and a channel for cases."""
    officers = slack.workspace.user("olga")
    desk = slack.workspace.channel("officers", officers)
    listed = [{"login": "olga", "name": "Olga", "accounts": [f"slack/T0HOME/{officers.id}"]}]
    where = f"slack/T0HOME/{desk.id}"
    async with both(
        slack, teams, microsoft, policies_database, officers=listed, channel=where
    ) as running:
        yield running


class Talk:
    """A thread in a channel, of either platform."""

    def __init__(self, run: Both, platform: str) -> None:
        self.run = run
        self.root: Any = None
        self.people: Any = run.slack.people if platform == "slack" else run.teams.people
        world: Any = run.slack.workspace if platform == "slack" else run.teams.tenant
        find = world.user if platform == "slack" else world.person
        self.who: dict[str, Any] = {name: find(name) for name in ("anna", "ben")}
        self.room: Any = world.channel("general", *self.who.values())

    async def ask(self, text: str) -> None:
        """Let Anna name us, and wait for the reply."""
        said = await self.people.mention(self.who["anna"], self.room, text, thread=self.root)
        self.root = self.root or said.message
        await self.run.quiet()

    async def say(self, who: str, text: str) -> None:
        """Let somebody write without naming us."""
        await self.people.say(self.who[who], self.room, text, thread=self.root)
        await self.run.quiet()

    async def kept(self) -> list[object]:
        """Return the words that are stored."""
        rows = await self.run.rows("SELECT text FROM citebound.inbox ORDER BY id")
        return [row["text"] for row in rows]

    async def replies(self) -> int:
        """Return how often we have spoken."""
        return len(await self.run.rows("SELECT id FROM citebound.outbox WHERE replaces IS NULL"))

    async def cases(self) -> int:
        """Return how many cases are open."""
        return len(await self.run.rows("SELECT id FROM citebound.cases"))


@pytest.mark.parametrize("platform", ["slack", "teams"])
async def test_small_talk_is_neither_answered_nor_kept(run: Both, platform: str) -> None:
    """A follow-up of the asker is, and so is the answer to our question."""
    talk = Talk(run, platform)
    await talk.ask(LIMIT)
    for who, text in NOT_FOR_US:
        await talk.say(who, text)
    assert (await talk.kept(), await talk.replies()) == ([LIMIT], 1)
    await talk.say("anna", "and for contractors?")
    await talk.ask(OPEN)
    await talk.say("ben", "as a contractor")
    await talk.say("anna", "one sec")
    await talk.say("anna", "as an employee")
    said = [LIMIT, "and for contractors?", OPEN, "as an employee"]
    assert (await talk.kept(), await talk.replies()) == (said, 4)


@pytest.mark.parametrize("platform", ["slack", "teams"])
async def test_a_case_is_opened_only_from_what_was_put_to_us(
    run: Both, platform: str, policies_database: str
) -> None:
    """Asked by name it opens one; without it, the same question is answered, and no more."""
    await disputed.publish(policies_database)
    talk = Talk(run, platform)
    await talk.ask(LIMIT)
    await talk.say("anna", disputed.QUESTION)
    assert (await talk.replies(), await talk.cases()) == (2, 0)
    await talk.ask(disputed.QUESTION)
    assert await talk.cases() == 1


@pytest.mark.parametrize("platform", ["slack", "teams"])
async def test_what_was_told_holds_until_it_is_changed(run: Both, platform: str) -> None:
    """What the asker said in the second turn is assumed in the fourth; small talk changes nothing.

    A follow-up's new condition is what it asks about; small talk opens no case.
    """
    talk = Talk(run, platform)
    for text in (
        OPEN,
        "as an employee",
        "hmm ok, got it :smile:",
        "what if it is from a journalist?",
    ):
        await talk.ask(text)
    await talk.ask("actually I'm a contractor")
    rows = await run.rows(
        "SELECT q.standalone, q.assumptions, a.outcome, a.slot FROM citebound.questions q"
        " JOIN citebound.answers a ON a.question_id = q.id ORDER BY q.asked_at, q.id"
    )
    kept: list[Any] = [row["assumptions"] for row in rows]
    assert [[one["value"] for one in held] for held in kept] == [
        [],
        ["employee"],
        ["employee"],
        ["employee"],
        ["contractor"],
    ]
    assert [row["slot"] for row in rows][2] == "question"
    assert "from a journalist?" in str(rows[3]["standalone"])
    assert rows[3]["outcome"] != "answered"
    opened = await run.rows(
        "SELECT q.text FROM citebound.cases k JOIN citebound.questions q ON q.id = k.question_id"
    )
    assert all("got it" not in str(row["text"]) for row in opened)


@pytest.mark.parametrize(
    "text", ["yes, will do after lunch", "A supplier gave me a 10 euro gift card and I kept it"]
)
async def test_a_statement_opens_no_case_in_private(run: Both, text: str) -> None:
    """Whoever tells something is asked what they would like to know."""
    anna = run.slack.workspace.user("anna")
    await run.slack.people.ask(anna, text)
    await run.quiet()
    (row,) = await run.rows(
        "SELECT reply->'answer'->>'outcome' AS outcome,"
        " (SELECT count(*) FROM citebound.cases) AS cases FROM citebound.outbox"
    )
    assert (row["cases"], row["outcome"] in {"clarification", "answered"}) == (0, True)
