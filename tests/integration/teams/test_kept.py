"""People write in a Teams of our own; the endpoint keeps it in Postgres before it says 200."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.intake import Intake
from bot.teams.actions.dispatch import TeamsDispatcher
from bot.teams.app.endpoint import TeamsEndpoint
from bot.teams.app.event_intake import TeamsEventIntake
from bot.teams.auth.signing_keys import signing_keys
from bot.teams.auth.token_verifier import InboundVerifier
from bot.teams.protocol.conversations import NAME, read_reference
from bot.teams.protocol.identity import TeamsIdentity, identity_of
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from tests.databases import logins
from tests.integration.teams.conftest import setup_of
from tests.integration.teams.served import Kept, listening
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId, openid


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The inbound side, as the product has it."""

    teams: FakeTeams
    openid: OpenId
    service: Service
    engine: AsyncEngine
    home: TeamsIdentity
    kept: Kept

    async def rows(self, query: str) -> list[dict[str, Any]]:
        """Read from the database."""
        async with self.engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(text(query))).mappings()]

    async def run(self, statement: str) -> None:
        """Change the database."""
        async with self.engine.begin() as connection:
            await connection.execute(text(statement))

    @property
    def calls(self) -> int:
        """How often anybody was called over the network."""
        return self.openid.reads + len(self.teams.journal.entries)


@pytest.fixture
async def deployed(
    teams: FakeTeams, database_url: str, engine: AsyncEngine
) -> AsyncIterator[Deployment]:
    """Teams, keys, the endpoint, Postgres."""
    home, kept, presses = identity_of(setup_of(teams)), Kept(), TeamsDispatcher()
    presses.add("clarify", kept.press)
    async with (
        openid() as server,
        signing_keys(server.url) as keys,
        bootstrap(Settings(**logins(database_url))) as service,
    ):
        keeper = TeamsEventIntake(
            Intake(service.inbox),
            service.conversations,
            service.references,
            home,
            officers=service.officers,
            presses=presses,
            forget=kept.changed.append,
        )
        endpoint = TeamsEndpoint(InboundVerifier(keys, home), keeper, presses, identity=home)
        async with listening(endpoint) as url:
            teams.app_url = url
            teams.sender.sign = server.maker(teams.tenant.app_id).headers
            yield Deployment(
                teams=teams,
                openid=server,
                service=service,
                engine=engine,
                home=home,
                kept=kept,
            )


GREETED = "SELECT count(*) AS greeted FROM citebound.outbox WHERE reply->>'notice' = 'how_it_works'"
INBOX = "SELECT kind, text, person, mode, state FROM citebound.inbox ORDER BY id"


async def test_a_mention_is_in_the_inbox_before_it_is_acknowledged(deployed: Deployment) -> None:
    """With how to answer; and nobody was called on the way."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    calls = deployed.calls
    said = await teams.people.mention(anna, room, "May I take a gift &lt; 50?")
    assert said.delivery.acknowledged
    assert await deployed.rows(INBOX) == [
        {
            "kind": "message",
            "text": "May I take a gift < 50?",
            "person": anna.id,
            "mode": "channel",
            "state": "received",
        }
    ]
    kept = await deployed.service.references.find(NAME, teams.tenant.id, room.id)
    assert kept is not None
    assert read_reference(kept, deployed.home).service_url == teams.service_url
    assert deployed.calls == calls


async def test_what_was_sent_twice_is_kept_once(deployed: Deployment) -> None:
    """It is acknowledged twice."""
    anna = deployed.teams.tenant.person("anna")
    said = await deployed.teams.people.say(anna, deployed.teams.tenant.personal(anna), "May I?")
    assert (await deployed.teams.sender.again(said.delivery)).acknowledged
    assert len(await deployed.rows(INBOX)) == 1


async def test_threads_of_ours_are_listened_to(deployed: Deployment) -> None:
    """With consent everything is delivered; only what belongs to us is kept."""
    teams = deployed.teams
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    lunch = await teams.people.say(ben, room, "Lunch?")
    await teams.people.say(anna, room, "Yes.", thread=lunch.message)
    asked = await teams.people.mention(anna, room, "May I?")
    await teams.people.say(anna, room, "And my wife?", thread=asked.message)
    assert [row["text"] for row in await deployed.rows(INBOX)] == ["May I?", "And my wife?"]
    conversations = "SELECT DISTINCT conversation_id FROM citebound.inbox"
    assert len(await deployed.rows(conversations)) == 1


async def test_an_edit_and_a_delete_find_their_message(deployed: Deployment) -> None:
    """Which is begun anew, then withdrawn; of a message that was never kept they are nothing."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    asked = await teams.people.mention(anna, room, "May I?")
    assert (await teams.people.edit(asked, "<at>Citebound</at> May we?")).acknowledged
    first = (await deployed.rows(INBOX))[0]
    assert (first["text"], first["state"]) == ("May we?", "received")
    assert (await teams.people.delete(asked)).acknowledged
    assert (await deployed.rows(INBOX))[0]["state"] == "done"
    never = await teams.people.say(anna, room, "Lunch?")
    assert (await teams.people.edit(never, "Dinner?")).acknowledged
    assert [row["kind"] for row in await deployed.rows(INBOX)] == ["message", "edited", "deleted"]


async def test_an_installation_is_met_once_and_forgotten(deployed: Deployment) -> None:
    """Met again after it was taken away."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    for _ in range(2):
        assert (await teams.people.install(anna, room)).acknowledged
    assert await deployed.rows(GREETED) == [{"greeted": 1}]
    assert (await teams.people.uninstall(anna, room)).acknowledged
    assert await deployed.service.references.find(NAME, teams.tenant.id, room.id) is None
    assert (await teams.people.install(anna, room)).acknowledged
    assert await deployed.rows(GREETED) == [{"greeted": 2}]


async def test_a_button_and_an_invoke_are_pressed(deployed: Deployment) -> None:
    """By the same name, in a message or in an invoke."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    asked = await teams.people.say(anna, teams.tenant.personal(anna), "May I?")
    deployed.kept.answer = {"statusCode": 200, "type": "x", "value": {}}
    submitted = await teams.people.submit(anna, asked.message, {"do": "clarify", "c": "1"})
    executed = await teams.people.execute(anna, asked.message, "clarify", {"c": "1"})
    assert (submitted.status, executed.status) == (200, 200)
    assert executed.answer == deployed.kept.answer
    assert [one.kind for one in deployed.kept.pressed] == ["press", "execute"]


@pytest.mark.parametrize("table", ["inbox", "conversation_references"])
async def test_without_a_table_nothing_is_acknowledged(deployed: Deployment, table: str) -> None:
    """503 until it is back; then what is sent again is kept."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    chat = teams.tenant.personal(anna)
    await deployed.run(f"ALTER TABLE citebound.{table} RENAME TO gone")
    said = await teams.people.say(anna, chat, "May I?")
    assert said.delivery.status == 503
    await deployed.run(f"ALTER TABLE citebound.gone RENAME TO {table}")
    assert (await teams.sender.again(said.delivery)).acknowledged
    assert len(await deployed.rows(INBOX)) == 1


@pytest.mark.parametrize(
    "words", ["\x00", "\ud83d", "'; DROP TABLE citebound.inbox; --", "\u202egnorw", "x" * 70_000]
)
async def test_hostile_words_are_kept_or_cut_never_an_error(
    deployed: Deployment, words: str
) -> None:
    """What the database can't hold is taken out; else Teams would send it for ever."""
    teams = deployed.teams
    anna = teams.tenant.person("anna")
    held = words.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    said = await teams.people.say(anna, teams.tenant.personal(anna), f"May I? {held}")
    assert said.delivery.acknowledged
    assert (await deployed.rows(INBOX))[0]["text"].startswith("May I?")
