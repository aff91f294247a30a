"""Who may press what, where one check alone decides it: each is read anew at the press."""

from pathlib import Path

import pytest

from tests.acceptance.slack import treasury
from tests.acceptance.teams.test_pressing import (
    NOT_READABLE,
    OPEN,
    QUESTION,
    asked,
    dialog,
    fetch,
    id_of,
    submit,
)
from tests.servers.teams import FakeTeams, Message, Person
from tests.servers.teams.openid import OpenId
from tests.servers.teams.tenant import OTHER
from tests.servers.teams.wire import Json
from tests.teams_product import Product, product


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is where is looked up at each press."""
    monkeypatch.setattr("bot.teams.outbound.audience.AGAIN_S", 0.0)


async def sees_nothing(teams: FakeTeams, served: Product, person: Person, answer: Message) -> None:
    """Assert that all that shows or judges an answer is refused to somebody."""
    ours = id_of(answer)
    for do in ("evidence", "report", "show"):
        told = dialog(await fetch(teams, person, answer, do, ours))
        assert NOT_READABLE in told, do
        assert "EUR 75" not in told
    turned = await submit(teams, person, answer, "evidence_page", ours, o="1")
    assert NOT_READABLE in dialog(turned)
    sent = await submit(teams, person, answer, "report_submit", ours, why="stale", txt="x")
    assert NOT_READABLE in dialog(sent)
    assert (await teams.people.rate(person, answer, "dislike")).text == "{}"
    assert await served.rows("SELECT 1 FROM citebound.feedback") == []


async def test_who_left_sees_nothing_more(teams: FakeTeams, served: Product) -> None:
    """Of a channel in which they were when it was answered."""
    _, ben, room, answer = await asked(served, teams)
    assert "EUR 75" in dialog(await fetch(teams, ben, answer, "evidence", id_of(answer)))
    room.members.remove(ben)
    await sees_nothing(teams, served, ben, answer)


async def test_a_guest_sees_nothing(teams: FakeTeams, served: Product) -> None:
    """Though they are in the channel."""
    _, _, room, answer = await asked(served, teams)
    guest = teams.tenant.person("guest", user_role="guest")
    room.members.append(guest)
    await sees_nothing(teams, served, guest, answer)


async def test_somebody_of_another_company_sees_and_asks_nothing(
    teams: FakeTeams, served: Product
) -> None:
    """The request says so; whatever the list of members says, nothing is done."""
    anna, _, room, answer = await asked(served, teams)
    card = await served.answer_to((await teams.people.mention(anna, room, OPEN)).message)
    outside: Json = anna.account() | {"tenantId": OTHER}
    ours = id_of(answer)

    async def refused(name: str, on: Message, value: Json) -> str:
        good = await teams.people.invoke(room.members[1], on, name, value)
        told = await teams.sender.send(
            good.activity | {"from": outside, "id": f"f:{teams.tenant.new_id()}"}
        )
        assert told.status == 200
        return told.text

    for do in ("evidence", "escalate", "report", "show"):
        assert NOT_READABLE in await refused("task/fetch", answer, {"data": {"do": do, "a": ours}})
    for verb, data, on in (
        ("remove", {"a": ours}, answer),
        ("clarify", {"c": id_of(card, "c"), "o": "0"}, card),
    ):
        action: Json = {"action": {"type": "Action.Execute", "verb": verb, "data": data}}
        assert NOT_READABLE in await refused("adaptiveCard/action", on, action)
    about: Json = {"commandId": "askAboutMessage", "messagePayload": {"id": answer.id}}
    assert "from this company" in await refused("composeExtension/fetchTask", answer, about)
    sent = {"do": "ask_submit", "m": answer.id, "question": QUESTION, "where": "dm"}
    value = about | {"data": sent}
    assert "from this company" in await refused("composeExtension/submitAction", answer, value)
    kept = await served.rows("SELECT person FROM citebound.inbox ORDER BY id")
    assert [row["person"] for row in kept].count(anna.id) == 2
    assert await served.rows("SELECT 1 FROM citebound.cases") == []


async def test_who_lost_the_right_to_a_policy_sees_no_evidence_of_it(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, tmp_path: Path
) -> None:
    """Not even of an answer of their own."""
    anna = teams.tenant.person("anna")
    await treasury.publish(policies_database)
    rights = tmp_path / "teams.toml"
    rights.write_text(f'[groups]\nfinance = ["{anna.aad}"]\n')
    own = teams.tenant.personal(anna)
    async with product(teams, microsoft, policies_database, teams_config=rights) as served:
        said = await teams.people.say(anna, own, treasury.QUESTION)
        answer = await served.answer_to(said.message)
        ours = id_of(answer)
        assert treasury.SAYS in dialog(await fetch(teams, anna, answer, "evidence", ours))
    rights.write_text("[groups]\nfinance = []\n")
    async with product(teams, microsoft, policies_database, teams_config=rights):
        told = dialog(await fetch(teams, anna, answer, "evidence", ours))
        assert NOT_READABLE in told
        assert treasury.SAYS not in told


async def test_a_question_about_a_message_is_answered_there_to_its_members(
    teams: FakeTeams, served: Product
) -> None:
    """Somebody who is not in the channel gets nothing shown there."""
    ben, eve = teams.tenant.person("ben"), teams.tenant.person("eve")
    room = teams.tenant.channel("general", ben)
    said = await teams.people.mention(ben, room, QUESTION)
    await served.answer_to(said.message)
    value: Json = {
        "commandId": "askAboutMessage",
        "messagePayload": {"id": said.message.id},
        "data": {"do": "ask_submit", "m": said.message.id, "question": QUESTION, "where": "thread"},
    }
    told = await teams.people.invoke(eve, said.message, "composeExtension/submitAction", value)
    assert "I can't answer there" in told.text
    await served.quiet()
    kept = await served.rows("SELECT person FROM citebound.inbox")
    assert [row["person"] for row in kept] == [ben.id]
