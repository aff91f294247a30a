"""Killed at each step by `kill -9`, started again: each question has one answer that is seen.

Nobody can look for what was posted in Teams. After a post whose answer was lost, only what takes
the place of something is repeated; elsewhere a line says, once, that the answer may be above.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.kills import LONGEST_LEASE_S, balance, quiet
from tests.servers.teams import FakeTeams, Message
from tests.servers.teams.openid import OpenId
from tests.servers.teams.people import Said
from tests.slack_processes import KILLED, Forks, Running, forks, let_pass
from tests.teams_processes import ready, start

QUESTION = "What is the limit for gifts that employees accept from business partners?"
NEXT = "Who approves gifts above the limit?"
MAYBE = "Your answer may be above"
NO_MODEL = {"anthropic_api_key": "sk-ant-none", "anthropic_base_url": "http://127.0.0.1:9"}
"""A model that does not answer: what comes then is quoted."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
async def tables(policies_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left."""
    engine = engine_for(policies_database, pooled=False)
    yield engine
    await engine.dispose()


class Stage:
    """A tenant with Anna, and the process that will be killed."""

    def __init__(self, serving: Forks, teams: FakeTeams, openid: OpenId, tables: AsyncEngine):
        self.teams = teams
        self._serving, self._openid, self.tables = serving, openid, tables
        self._url = tables.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self.anna = teams.tenant.person("anna")
        self.room = teams.tenant.channel("general", self.anna)
        self.group = teams.tenant.group_chat("lunch", self.anna)

    async def begin(self, failpoint: str) -> Running:
        """Start the process that will be killed."""
        more: dict[str, Any] = dict(NO_MODEL) if failpoint == "F5" else {}
        running = self._start(failpoint=failpoint, **more)
        await ready(running, self.teams, self._openid)
        return running

    async def ask(self, kind: str, question: str = QUESTION) -> Said:
        """Ask in the channel, the group chat or Anna's own chat."""
        people, tenant = self.teams.people, self.teams.tenant
        if kind == "personal":
            return await people.say(self.anna, tenant.personal(self.anna), question)
        place = self.room if kind == "channel" else self.group
        return await people.mention(self.anna, place, question)

    async def begin_again(self, killed: Running) -> Running:
        """Wait for the kill, let the leases of the dead end, and start anew on the same port."""
        assert await killed.ended() == KILLED
        await let_pass(self.tables, seconds=LONGEST_LEASE_S)
        running = self._start(port=killed.port)
        await ready(running, self.teams, self._openid)
        return running

    async def holds(self, said: Said) -> Message:
        """Assert one visible answer, its record, and nothing left of the work."""
        await quiet(self.tables, within_s=60.0)
        answer = self.teams.checks.one_answer(said.message)
        assert "EUR 75" in answer.text
        self._nothing_else(said)
        assert set((await balance(self.tables)).values()) == {1}
        return answer

    async def may_be_above(self, said: Said) -> None:
        """Assert the answer that was posted, one line that it may be above, and its record."""
        await quiet(self.tables, within_s=60.0)
        answer, line = self.teams.checks.replies(said.message)
        assert "EUR 75" in answer.text
        assert line.text.startswith(MAYBE)
        self._nothing_else(said)
        async with self.tables.connect() as connection:
            read = await connection.scalars(text("SELECT state FROM citebound.outbox ORDER BY id"))
            assert list(read) == ["uncertain", "posted"]
            read = await connection.scalars(
                text("SELECT count(*) FROM audit.record WHERE tag = 'reply:uncertain'")
            )
            assert read.one() == 1
        counted = await balance(self.tables)
        assert (counted["messages"], counted["answers"], counted["outcomes"]) == (1, 1, 1)

    def _nothing_else(self, said: Said) -> None:
        self.teams.checks.nothing_twice()
        self.teams.checks.nothing_outside(said.message)
        self.teams.checks.no_open_streams()

    def _start(self, **more: Any) -> Running:
        return start(self._serving, self.teams, self._openid, self._url, **more)


@pytest.fixture
def stage(serving: Forks, teams: FakeTeams, microsoft: OpenId, tables: AsyncEngine) -> Stage:
    """All that a test needs."""
    return Stage(serving, teams, microsoft, tables)


async def ended(running: Running) -> None:
    """End the process that went on."""
    running.signal(9)
    await running.ended()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("failpoint", ["F1", "F2", "F3"])
async def test_killed_before_teams_was_told(stage: Stage, failpoint: str) -> None:
    """Teams heard nothing, and sends it again: kept once, answered once."""
    running = await stage.begin(failpoint)
    said = await stage.ask("channel")
    assert said.delivery.status is None
    again = await stage.begin_again(running)
    assert (await stage.teams.sender.again(said.delivery)).status == 200
    await stage.holds(said)
    await ended(again)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("failpoint", ["F4", "F5", "F6", "F7"])
@pytest.mark.parametrize("kind", ["channel", "personal"])
async def test_killed_at_work(stage: Stage, failpoint: str, kind: str) -> None:
    """Another process takes over; a stream that the dead one began is ended with the answer."""
    running = await stage.begin(failpoint)
    said = await stage.ask(kind)
    again = await stage.begin_again(running)
    await stage.holds(said)
    await ended(again)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("failpoint", ["F8", "F9"])
async def test_killed_after_the_post_of_a_chat(stage: Stage, failpoint: str) -> None:
    """What took the place of a stream takes it once more."""
    running = await stage.begin(failpoint)
    said = await stage.ask("personal")
    again = await stage.begin_again(running)
    answer = await stage.holds(said)
    assert answer.stream is not None
    assert "update" in [one.method for one in stage.teams.journal.entries]
    await ended(again)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("failpoint", ["F8", "F9"])
async def test_killed_after_a_post_that_replaced_nothing(stage: Stage, failpoint: str) -> None:
    """Nothing is posted again; a line says so, once. A group chat never has a placeholder."""
    running = await stage.begin(failpoint)
    said = await stage.ask("group")
    again = await stage.begin_again(running)
    await stage.may_be_above(said)
    await ended(again)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("failpoint", ["F3", "F8"])
async def test_killed_before_help_was_shown(stage: Stage, failpoint: str) -> None:
    """It is kept like a question: who asked how it works is told, by whichever process."""
    running = await stage.begin(failpoint)
    said = await stage.ask("channel", "help")
    again = await stage.begin_again(running)
    if failpoint == "F3":
        assert (await stage.teams.sender.again(said.delivery)).status == 200
    await quiet(stage.tables, within_s=60.0)
    shown = stage.teams.checks.replies(said.message)
    assert len(shown) == (1 if failpoint == "F3" else 2)
    assert all("Compliance Assistant" in one.activity["summary"] for one in shown)
    await ended(again)


async def test_killed_before_a_greeting(stage: Stage) -> None:
    """Teams tells of the installation again, and it is greeted: once."""
    running = await stage.begin("F1")
    assert (await stage.teams.people.install(stage.anna, stage.room)).status is None
    again = await stage.begin_again(running)
    for _ in range(2):
        assert (await stage.teams.people.install(stage.anna, stage.room)).status == 200
    await quiet(stage.tables, within_s=60.0)
    (shown,) = stage.teams.tenant.by_bot()
    assert "Compliance Assistant" in shown.activity["summary"]
    await ended(again)


async def test_what_follows_waits_for_what_was_killed(stage: Stage) -> None:
    """Answers of a thread come in the order of its questions, though the first one's run died."""
    running = await stage.begin("F4")
    said = await stage.ask("channel")
    again = await stage.begin_again(running)
    later = await stage.teams.people.mention(stage.anna, stage.room, NEXT, thread=said.message)
    assert later.delivery.status == 200
    await quiet(stage.tables, within_s=60.0)
    answers = stage.teams.tenant.by_bot()
    assert [one.root for one in answers] == [said.message.id] * 2
    assert "EUR 75" in answers[0].text
    assert answers[1].text != answers[0].text
    async with stage.tables.connect() as connection:
        read = await connection.scalars(text("SELECT remote_id FROM citebound.outbox ORDER BY id"))
        assert list(read) == [one.id for one in answers]
    await ended(again)
