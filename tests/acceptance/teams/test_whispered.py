"""A slash command in a channel: nobody else sees the question, nor anything that follows."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.teams.office import Office, office
from tests.acceptance.teams.test_pressing import OPEN, QUESTION, dialog, fetch, id_of, submit
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams, Message, Person
from tests.servers.teams.openid import OpenId
from tests.unit.teams.reading import words_of

PRIVATE = {"dm": "false"}
REFUSED = {"error": {"code": "BadRequest", "message": "no targeted messages here"}}


@pytest.fixture
async def bureau(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(teams, microsoft, policies_database) as running:
        yield running


async def whispered(bureau: Office, words: str) -> None:
    """Let Anna ask in the room by a slash command."""
    ours = {"id": bureau.teams.tenant.bot_id, "name": "Citebound", "isTargeted": True}
    said = await bureau.teams.people.say(bureau.anna, bureau.room, words, recipient=ours)
    said.message.only_for = bureau.anna.id
    assert said.delivery.status == 200
    await bureau.served.quiet()


def seen_by(bureau: Office, person: Person) -> list[Message]:
    """Return what the app shows somebody in the room."""
    ours = bureau.teams.tenant.bot_id
    return [one for one in bureau.teams.checks.seen_by(person, bureau.room) if one.by == ours]


@pytest.mark.parametrize("words", ["help", f"/ask {QUESTION}"])
async def test_the_reply_is_seen_by_who_asked(bureau: Office, words: str) -> None:
    """By nobody else in the channel."""
    await whispered(bureau, words)
    (reply,) = seen_by(bureau, bureau.anna)
    assert reply.only_for == bureau.anna.id
    assert seen_by(bureau, bureau.ben) == []


async def test_where_nobody_can_be_told_alone_the_reply_comes_directly(bureau: Office) -> None:
    """As it does for a report."""
    bureau.teams.faults.next("post", faults.status(403, REFUSED))
    await whispered(bureau, "help")
    assert seen_by(bureau, bureau.anna) == []
    (reply,) = bureau.own(bureau.anna)
    assert "Compliance Assistant" in reply.activity["summary"]


async def test_an_option_is_answered_to_who_pressed(bureau: Office) -> None:
    """The clarification shows what was chosen, to nobody else."""
    await whispered(bureau, f"/ask {OPEN}")
    (card,) = seen_by(bureau, bureau.anna)
    data = {"do": "clarify", "c": id_of(card, "c"), "o": "0"}
    assert (await bureau.teams.people.submit(bureau.anna, card, data)).status == 200
    await bureau.served.quiet()
    await bureau.teams.until(lambda: bool(card.history))
    assert [one.only_for for one in seen_by(bureau, bureau.anna)] == [bureau.anna.id] * 2
    assert seen_by(bureau, bureau.ben) == []


async def test_compliance_answers_who_asked(bureau: Office) -> None:
    """In their own chat; what was shown in the channel says so, to them alone."""
    await whispered(bureau, f"/ask {QUESTION}")
    (answer,) = seen_by(bureau, bureau.anna)
    opened = await fetch(bureau.teams, bureau.anna, answer, "escalate", id_of(answer))
    assert "will reply to you here" in dialog(opened)
    told = await submit(
        bureau.teams, bureau.anna, answer, "escalate_submit", id_of(answer), **PRIVATE
    )
    assert "Only you will get the reply" in dialog(told)
    await bureau.served.quiet()
    (card,) = bureau.cards()
    await bureau.answer(bureau.olga, card, "Up to EUR 35.")
    assert seen_by(bureau, bureau.ben) == []
    assert [one.id for one in seen_by(bureau, bureau.anna)] == [answer.id]
    assert "Superseded by Compliance" in words_of(answer.text)
    assert any("Up to EUR 35." in one.text for one in bureau.own(bureau.anna))
