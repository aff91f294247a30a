"""Conversations in which our app is, kept in Postgres."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.platforms.references import PostgresConversationReferences
from core.domain.conversation import ConversationReference

DIRECT = ConversationReference(
    platform="teams",
    tenant="t1",
    conversation="a:1",
    person="29:anna",
    facts={"service_url": "https://smba.trafficmanager.net/", "locale": None},
)
CHANNEL = replace(DIRECT, conversation="19:c@thread.tacv2", person=None, team="19:team")


@pytest.fixture
def references(engine: AsyncEngine) -> PostgresConversationReferences:
    """References in the test's own database."""
    return PostgresConversationReferences(engine)


async def test_a_conversation_is_known_since_its_first_event(
    references: PostgresConversationReferences,
) -> None:
    """So that it is greeted once, however many events tell of it; forgotten, it is met anew."""
    since = await references.put(DIRECT)
    assert await references.put(DIRECT) == since
    moved = replace(DIRECT, facts={"service_url": "https://smba.trafficmanager.net/emea/"})
    assert await references.put(moved) == since
    kept = {"service_url": "https://smba.trafficmanager.net/emea/", "locale": None}
    assert await references.find("teams", "t1", "a:1") == replace(moved, facts=kept)
    await references.forget("teams", "t1", "a:1")
    assert await references.put(moved) > since


async def test_what_is_not_told_again_stays(references: PostgresConversationReferences) -> None:
    """Teams may say once that a channel is private, and leave it out the next time."""
    await references.put(replace(CHANNEL, facts={"kind": "private", "service_url": "a"}))
    await references.put(replace(CHANNEL, facts={"service_url": "b"}))
    found = await references.find("teams", "t1", CHANNEL.conversation)
    assert found is not None
    assert found.facts == {"kind": "private", "service_url": "b"}


async def test_a_direct_conversation_is_found_by_its_person(
    references: PostgresConversationReferences,
) -> None:
    """The newest one, in the right tenant."""
    await references.put(DIRECT)
    await references.put(replace(DIRECT, conversation="a:2"))
    found = await references.find_direct("teams", "t1", "29:anna")
    assert found is not None
    assert found.conversation == "a:2"
    assert await references.find_direct("teams", "t2", "29:anna") is None
    assert await references.find_direct("slack", "t1", "29:anna") is None
    assert await references.find("teams", "t2", "a:1") is None


async def test_any_conversation_of_a_tenant_is_found(
    references: PostgresConversationReferences,
) -> None:
    """The one told last, of this tenant alone."""
    assert await references.find_any("teams", "t1") is None
    await references.put(DIRECT)
    await references.put(replace(DIRECT, conversation="a:2"))
    found = await references.find_any("teams", "t1")
    assert found is not None
    assert found.conversation == "a:2"
    assert await references.find_any("teams", "t2") is None


async def test_an_event_without_a_person_takes_nothing_away(
    references: PostgresConversationReferences,
) -> None:
    """Some events of a direct conversation come from nobody."""
    await references.put(DIRECT)
    await references.put(replace(DIRECT, person=None, facts={}))
    assert await references.find_direct("teams", "t1", "29:anna") == DIRECT


async def test_a_team_is_forgotten_with_its_channels(
    references: PostgresConversationReferences,
) -> None:
    """And nothing else."""
    for one in (CHANNEL, replace(CHANNEL, conversation="19:d@thread.tacv2"), DIRECT):
        await references.put(one)
    assert await references.forget("teams", "t2", "19:team") == 0
    assert await references.forget("teams", "t1", "19:team") == 2
    assert await references.find("teams", "t1", CHANNEL.conversation) is None
    assert await references.forget("teams", "t1", "a:1") == 1
    assert await references.find("teams", "t1", "a:1") is None


async def test_what_did_not_change_is_not_written(
    references: PostgresConversationReferences, engine: AsyncEngine
) -> None:
    """Each message of a conversation tells the same."""
    for _ in range(3):
        await references.put(DIRECT)
    async with engine.connect() as connection:
        updated = "SELECT updated_at = created_at FROM citebound.conversation_references"
        assert (await connection.execute(text(updated))).scalar_one()
