"""A question in Teams is answered where it was asked, from the policies, whichever client calls."""

import json

import pytest
from sqlalchemy import text

from bot.replies.answer import UNREAD
from core.adapters.postgres.engine.database import engine_for
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams, Message
from tests.teams_product import Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
SLOW = (
    "CREATE FUNCTION citebound.wait_a_little() RETURNS trigger LANGUAGE plpgsql"
    " AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$",
    "CREATE TRIGGER wait_a_little BEFORE INSERT ON citebound.inbox"
    " FOR EACH ROW EXECUTE FUNCTION citebound.wait_a_little()",
)
"""Longer than Slack waits."""


def shown(message: Message) -> str:
    """Return all that a message holds, as text."""
    return json.dumps(message.activity, ensure_ascii=False)


async def test_a_mention_is_answered_in_its_thread(teams: FakeTeams, served: Product) -> None:
    """Once: badge, citations, sources and buttons; typing before, nothing elsewhere."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    said = await teams.people.mention(anna, room, QUESTION)
    assert said.delivery.status == 200
    answer = await served.answer_to(said.message)
    assert answer.root == said.message.id
    assert "confidence" in answer.text
    assert "Gifts and Hospitality Policy" in shown(answer)
    assert answer.citations
    assert "AIGeneratedContent" not in shown(answer)  # no model wrote it
    assert all(f'"do": "{name}"' in shown(answer) for name in ("evidence", "escalate", "report"))
    assert teams.checks.typing_in(said.message) >= 1
    teams.checks.nothing_outside(said.message)
    teams.checks.nothing_twice()
    teams.checks.nothing_refused()
    rows = await served.rows("SELECT state, remote_id FROM citebound.outbox")
    assert rows == [{"state": "posted", "remote_id": answer.id}]
    kept = await served.rows("SELECT conversation, facts FROM citebound.conversation_references")
    assert [row["conversation"] for row in kept] == [room.id]


async def test_a_repeated_delivery_is_answered_once(teams: FakeTeams, served: Product) -> None:
    """The service sends again what it believes lost."""
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    said = await teams.people.mention(anna, room, QUESTION)
    again = await teams.sender.again(said.delivery)
    assert again.status == 200
    await served.answer_to(said.message)


async def test_a_chat_streams_its_steps_and_then_the_answer(
    teams: FakeTeams, served: Product
) -> None:
    """Informative, streaming, final: one message at the end, with all that belongs to it."""
    anna = teams.tenant.person("anna")
    said = await teams.people.say(anna, teams.tenant.personal(anna), QUESTION)
    answer = await served.answer_to(said.message)
    assert answer.stream is not None
    assert answer.stream.state == "done"
    assert answer.stream.informative
    assert answer.stream.overlaps == 0
    assert answer.stream.text == answer.text
    assert answer.activity["channelData"]["streamType"] == "final"
    assert answer.citations
    teams.checks.no_open_streams()
    teams.checks.nothing_refused(but=["TooManyRequests"])


async def test_a_group_chat_is_answered_once(teams: FakeTeams, served: Product) -> None:
    """Without a stream, which groups do not have."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    group = teams.tenant.group_chat("lunch", anna, ben)
    said = await teams.people.mention(anna, group, QUESTION)
    answer = await served.answer_to(said.message)
    assert answer.stream is None
    assert teams.checks.typing_in(said.message) >= 1
    teams.checks.nothing_refused()


@pytest.mark.parametrize("where", ["channel", "own chat"])
async def test_a_slow_list_of_members_is_not_silence(
    teams: FakeTeams, served: Product, where: str
) -> None:
    """Somebody types while Teams takes five seconds to say who reads; then it is answered."""
    anna = teams.tenant.person("anna")
    room, own = teams.tenant.channel("general", anna), teams.tenant.personal(anna)
    teams.faults.next("members", faults.slow(5.0))
    if where == "channel":
        said = await teams.people.mention(anna, room, QUESTION)
    else:
        said = await teams.people.say(anna, own, QUESTION)
    await teams.until(lambda: teams.checks.typing_in(said.message) >= 1)
    (asked,) = teams.journal.of("members")
    assert not asked.was_done
    await served.answer_to(said.message)
    assert asked.was_done
    teams.checks.nothing_refused(but=["TooManyRequests"])


async def test_what_is_not_signed_is_not_kept(teams: FakeTeams, served: Product) -> None:
    """Nothing is written, nothing is said."""
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    teams.sender.sign = lambda _: {}
    said = await teams.people.mention(anna, room, QUESTION)
    assert said.delivery.status == 401
    assert await served.rows("SELECT 1 FROM citebound.inbox") == []
    assert await served.rows("SELECT 1 FROM citebound.conversation_references") == []


async def test_a_reply_says_that_an_attachment_was_not_read(
    teams: FakeTeams, served: Product
) -> None:
    """Whether or not anything was asked besides; of other questions nothing is said."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    file = {"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "a.pdf"}
    told: list[bool] = []
    for words, files in ((QUESTION, [file]), ("", [file]), (QUESTION, [])):
        said = await teams.people.say(anna, own, words, attachments=files)
        told.append(UNREAD.en in (await served.answer_to(said.message)).text)
    assert told == [True, True, False]


async def test_a_message_that_takes_long_to_keep_is_kept(
    teams: FakeTeams, served: Product, policies_database: str
) -> None:
    """Teams waits longer than Slack does, and may never send again what was refused."""
    engine = engine_for(policies_database, pooled=False)
    try:
        async with engine.begin() as connection:
            for statement in SLOW:
                await connection.execute(text(statement))
    finally:
        await engine.dispose()
    anna = teams.tenant.person("anna")
    said = await teams.people.say(anna, teams.tenant.personal(anna), QUESTION)
    assert said.delivery.status == 200
    await served.answer_to(said.message)
