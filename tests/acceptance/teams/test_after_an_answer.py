"""What becomes of messages and answers afterwards: edits, new readers, officers that speak."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.app.process import Roles
from bot.teams.cards import evidence
from tests.acceptance.teams.office import Office, office
from tests.acceptance.teams.test_pressing import (
    NOT_READABLE,
    ONLY_ASKER,
    OPEN,
    QUESTION,
    asked,
    dialog,
    fetch,
    id_of,
    shown,
    submit,
)
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams, Message
from tests.servers.teams.openid import OpenId
from tests.servers.teams.tenant import OTHER
from tests.servers.teams.wire import Json
from tests.teams_product import Product, product

SETTLED = "This has already been settled."
PARENTAL = "How many days of parental leave do I get?"


@pytest.fixture
async def bureau(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(teams, microsoft, policies_database) as running:
        yield running


@pytest.mark.parametrize("scope", ["personal", "channel"])
async def test_an_installation_is_greeted_once(
    teams: FakeTeams, served: Product, scope: str
) -> None:
    """However often and by whichever events it is told."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    place = (
        teams.tenant.personal(anna)
        if scope == "personal"
        else teams.tenant.channel("general", anna, ben)
    )
    first = await teams.people.install(anna, place)
    bot: Json = {"id": teams.tenant.bot_id}
    added: Json = {"type": "conversationUpdate", "membersAdded": [bot]}
    moment = {"id": teams.tenant.new_id()}
    assert (await teams.sender.send(first.activity | added | moment)).status == 200
    assert (await teams.sender.again(first)).status == 200
    await teams.people.install(ben, place)
    await teams.until(lambda: bool(teams.tenant.by_bot()), timeout_s=15)
    said = await teams.people.mention(anna, place, QUESTION)
    await served.quiet()
    greeted = [one for one in teams.tenant.by_bot() if "Compliance Assistant" in shown(one)]
    assert len(greeted) == 1
    assert len(teams.checks.replies(said.message)) == 1


async def test_a_message_is_edited_or_taken_back_before_it_is_answered(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """The new words are answered; what was taken back is not; both told twice count once."""
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    async with product(teams, microsoft, policies_database, roles=Roles(works=False)):
        edited = await teams.people.mention(anna, room, PARENTAL)
        told = await teams.people.edit(edited, f"<at>{teams.people.bot_name}</at> {QUESTION}")
        gone = await teams.people.mention(anna, room, QUESTION)
        taken = await teams.people.delete(gone)
        for one in (told, taken):
            assert (await teams.sender.again(one)).status == 200
    async with product(teams, microsoft, policies_database) as served:
        answer = await served.answer_to(edited.message)
        assert "EUR 75" in answer.text
        teams.checks.nothing_outside(edited.message)
        outcomes = await served.rows(
            "SELECT kind, outcome FROM citebound.inbox WHERE kind = 'message' ORDER BY id"
        )
        assert [row["outcome"] for row in outcomes] == ["answered", "ignored"]


async def test_an_edit_of_what_was_answered_asks_to_ask_again(
    teams: FakeTeams, served: Product
) -> None:
    """Nothing of the answer changes; it is said below."""
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    said = await teams.people.mention(anna, room, QUESTION)
    answer = await served.answer_to(said.message)
    before = answer.text
    await teams.people.edit(said, f"<at>{teams.people.bot_name}</at> {PARENTAL}")
    await served.quiet()
    assert answer.text == before
    assert "Please ask again" in teams.checks.replies(said.message)[-1].text


@pytest.mark.parametrize("transport", ["botbuilder", "rest"])
async def test_an_answer_is_withheld_where_a_guest_has_come(
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    transport: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between answer and post: a neutral line there, and the answer to the asker alone."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    monkeypatch.setattr("bot.teams.outbound.audience.AGAIN_S", 0.0)
    working = product(teams, microsoft, policies_database, teams_transport=transport)
    async with working as served:
        teams.faults.always("post", faults.too_many(1))
        said = await teams.people.mention(anna, room, QUESTION)
        tried = "SELECT 1 FROM citebound.outbox WHERE attempt > 0 AND state = 'queued'"
        async with asyncio.timeout(30):
            while not await served.rows(tried):  # noqa: ASYNC110  # the database says so
                await asyncio.sleep(0.02)
        room.members.append(teams.tenant.person("guest", user_role="guest"))
        teams.faults.heal()
        await served.quiet()
        (line,) = teams.checks.replies(said.message)
        assert "people who can read this conversation have changed" in line.text
        assert "EUR 75" not in shown(line)
        own = teams.tenant.personal(anna)
        assert "EUR 75" in teams.checks.seen_by(anna, own)[-1].text
        teams.checks.nothing_outside(said.message, personal=True)


async def test_an_answer_that_may_have_arrived_can_be_shown(
    teams: FakeTeams, served: Product
) -> None:
    """Posted, and Teams' word is lost: never posted again; a line offers it to who may read."""
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    teams.faults.always("post", faults.processed_then_reset())
    said = await teams.people.mention(anna, room, QUESTION)
    await teams.until(lambda: bool(teams.tenant.by_bot()), timeout_s=30)
    teams.faults.heal()
    await served.quiet()
    answer, line = teams.checks.replies(said.message)
    assert "EUR 75" in answer.text
    assert "Your answer may be above" in line.text
    opened = dialog(await fetch(teams, ben, line, "show", id_of(line)))
    assert "EUR 75" in opened
    assert "Gifts and Hospitality Policy" in opened
    guest = teams.tenant.person("guest", user_role="guest")
    room.members.append(guest)
    teams.clock.advance(3)
    assert NOT_READABLE in dialog(await fetch(teams, guest, line, "show", id_of(line)))


async def test_while_an_officer_speaks_the_app_is_quiet(bureau: Office) -> None:
    """In the thread, without naming us; until we are named again."""
    teams, answer = bureau.teams, await bureau.answered()
    before = len(bureau.thread(answer))
    await teams.people.say(bureau.olga, bureau.room, "I take this one.", thread=answer)
    await teams.people.say(bureau.anna, bureau.room, "and for contractors?", thread=answer)
    await bureau.served.quiet()
    assert len(bureau.thread(answer)) == before
    rows = await bureau.served.rows(
        "SELECT outcome FROM citebound.inbox WHERE kind <> 'help' ORDER BY id"
    )
    assert [row["outcome"] for row in rows] == ["answered", "ignored", "ignored"]
    await teams.people.mention(bureau.anna, bureau.room, QUESTION, thread=answer)
    await bureau.served.quiet()
    assert len(bureau.thread(answer)) == before + 1


async def test_a_superseded_answer_is_settled(bureau: Office) -> None:
    """What is pressed on it shows how it stands, and does nothing."""
    answer, card = await bureau.opened()
    ours, stale = id_of(answer), replace(answer)
    await bureau.answer(bureau.olga, card, "No.")
    for do in ("evidence", "report"):
        assert SETTLED in dialog(await fetch(bureau.teams, bureau.anna, stale, do, ours))
    removed = await bureau.teams.people.execute(bureau.anna, stale, "remove", {"a": ours})
    assert SETTLED in removed.answer["value"]
    told = dialog(await fetch(bureau.teams, bureau.anna, stale, "escalate", ours))
    assert "case 1" in told.lower()
    assert "Send" not in told
    await bureau.teams.people.rate(bureau.anna, stale, "like")
    assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []
    assert await bureau.cases() == [(1, "answered", "olga")]


async def test_a_press_from_another_tenant_does_nothing(bureau: Office) -> None:
    """Neither with that tenant's name, nor by somebody of it in ours."""
    teams = bureau.teams
    answer, card = await bureau.opened()
    data: Json = {"do": "evidence", "a": id_of(answer)}
    good = await teams.people.invoke(bureau.ben, answer, "task/fetch", {"data": data})
    assert "EUR 75" in dialog(good)
    foreign = good.activity["conversation"] | {"tenantId": OTHER}
    for change in (
        {"conversation": foreign},
        {"channelData": good.activity["channelData"] | {"tenant": {"id": OTHER}}},
    ):
        told = await teams.sender.send(good.activity | change)
        assert told.status in {401, 403}
        assert "EUR 75" not in told.text
    stranger = teams.tenant.person("stranger", tenant_id=OTHER)
    bureau.room.members.append(stranger)
    teams.clock.advance(3)
    assert "EUR 75" not in dialog(await fetch(teams, stranger, answer, "evidence", id_of(answer)))
    await bureau.execute(stranger, card, "case_claim")
    await submit(teams, stranger, answer, "escalate_submit", id_of(answer))
    assert await bureau.cases() == [(1, "open", None)]


async def test_an_older_client_presses_the_same(bureau: Office) -> None:
    """By `Action.Submit`, which comes as a message: done once, told to who pressed alone."""
    teams = bureau.teams
    answer, card = await bureau.opened()
    fallback: Json = card.cards[0]["actions"][0]["fallback"]
    assert fallback["type"] == "Action.Submit"
    refused = await teams.people.submit(bureau.ben, card, fallback["data"])
    assert refused.status == 200
    await teams.until(lambda: bool(targeted_at(bureau.ben.id, teams)), timeout_s=15)
    assert "Only compliance officers" in targeted_at(bureau.ben.id, teams)[-1]
    await teams.people.submit(bureau.olga, card, fallback["data"])
    await bureau.served.quiet()
    assert "claimed by Olga O." in shown(card)
    remove: Json = {"do": "remove", "a": id_of(answer)}
    await teams.people.submit(bureau.ben, answer, remove)
    refusal = f"anna asked this. {ONLY_ASKER}"
    await teams.until(lambda: refusal in targeted_at(bureau.ben.id, teams), timeout_s=15)
    await teams.people.submit(bureau.anna, answer, remove)
    await bureau.served.quiet()
    assert "This answer was removed" in answer.text
    for_all = [one.text for one in teams.tenant.by_bot() if one.only_for is None]
    assert refusal not in for_all


def targeted_at(person: str, teams: FakeTeams) -> list[str]:
    """Return what the app told somebody alone."""
    return [one.text for one in teams.tenant.by_bot() if one.only_for == person]


async def test_where_nobody_can_be_told_alone_a_press_is_answered_directly(
    bureau: Office,
) -> None:
    """In the own chat of who pressed: not everywhere has Teams messages for one person."""
    teams, answer = bureau.teams, await bureau.answered()
    told = {"error": {"code": "BadRequest", "message": "no targeted messages here"}}
    teams.faults.next("post", faults.status(403, told))
    await teams.people.submit(bureau.ben, answer, {"do": "remove", "a": id_of(answer)})
    await teams.until(lambda: bool(bureau.own(bureau.ben)), timeout_s=15)
    assert [one.text for one in bureau.own(bureau.ben)] == [f"anna asked this. {ONLY_ASKER}"]
    assert targeted_at(bureau.ben.id, teams) == []


async def test_an_older_client_chooses_an_option(teams: FakeTeams, served: Product) -> None:
    """The card then says what was chosen, though its client does not change it by itself."""
    anna, ben, _, card = await asked(served, teams, OPEN)
    data: Json = card.cards[0]["actions"][0]["fallback"]["data"]
    await teams.people.submit(ben, card, data)
    await teams.until(lambda: bool(targeted_at(ben.id, teams)), timeout_s=15)
    await teams.people.submit(anna, card, data)
    await served.quiet()
    await teams.until(lambda: "anna chose " in shown(card), timeout_s=15)
    kinds = await served.rows("SELECT kind FROM citebound.inbox ORDER BY id")
    assert kinds == [{"kind": "message"}, {"kind": "choice"}]


async def test_evidence_that_does_not_fit_has_pages(
    teams: FakeTeams, served: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turned by buttons, with the same check on each; every quote stands on one of them."""
    monkeypatch.setattr(evidence, "PAGE_BYTES", 2_500)
    _, ben, room, answer = await asked(served, teams)
    ours = id_of(answer)
    first = dialog(await fetch(teams, ben, answer, "evidence", ours))
    assert "Page 1 of " in first
    assert "Previous page" not in first
    pages = [first]
    while "Next page" in pages[-1]:
        to = str(len(pages))
        pages.append(dialog(await submit(teams, ben, answer, "evidence_page", ours, o=to)))
        assert f"Page {len(pages)} of " in pages[-1]
    assert len(pages) > 1
    for number in range(1, len(answer.citations) + 1):
        assert any(f"[{number}]" in page for page in pages)
    beyond = dialog(await submit(teams, ben, answer, "evidence_page", ours, o="99"))
    assert f"Page {len(pages)} of {len(pages)}" in beyond
    guest = teams.tenant.person("guest", user_role="guest")
    room.members.append(guest)
    teams.clock.advance(3)
    turned = await submit(teams, guest, answer, "evidence_page", ours, o="1")
    assert NOT_READABLE in dialog(turned)


async def test_a_client_without_dialogs_gets_them_as_cards(bureau: Office) -> None:
    """What opens a dialog comes as a message there: its card follows, to who pressed alone."""
    teams, answer = bureau.teams, await bureau.answered()
    ours = id_of(answer)

    async def pressed(do: str, **values: str) -> Message:
        before = len(alone())
        data: Json = {"do": do, "a": ours, "msteams": {"type": "task/fetch"}, **values}
        await teams.people.submit(bureau.anna, answer, data)
        await teams.until(lambda: len(alone()) > before, timeout_s=15)
        return alone()[-1]

    def alone() -> list[Message]:
        return [one for one in teams.tenant.by_bot() if one.only_for == bureau.anna.id]

    assert "EUR 75" in shown(await pressed("evidence"))
    assert "report_submit" in shown(await pressed("report"))
    assert "escalate_submit" in shown(await pressed("escalate"))
    told = await pressed("escalate_submit", note="For Acme", urgency="week")
    assert "Sent to Compliance as case 1" in told.text
    await bureau.served.quiet()
    (card,) = bureau.cards()
    assert "For Acme" in shown(card)
    teams.checks.nothing_refused()
