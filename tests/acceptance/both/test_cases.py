"""A question asked on one platform is answered by an officer on the other, in its own thread.

One process serves both. Whoever asked reads all of it where they asked; whoever answers works where
the officers' channel is.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.slack.office import pressable, typed
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import (
    ONLY_ASKER,
    QUESTION,
    dialog,
    fetch,
    id_of,
    shown,
    submit,
)
from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.slack.posts import Message as Card
from tests.servers.slack.workspace import View
from tests.servers.teams import Conversation, FakeTeams, Message, Person
from tests.servers.teams.openid import OpenId
from tests.servers.teams.wire import Json
from tests.unit.teams.reading import words_of

ANSWER = "Yes, if it is worth less than EUR 75."
REPORT = "My manager takes bribes from a supplier. What should I do?"


def cards(teams: FakeTeams, desk: Conversation) -> list[Message]:
    """Return the cards in the officers' channel of Teams."""
    return [one for one in teams.tenant.by_bot() if one.conversation == desk.id and one.cards]


def slack_cards(slack: FakeSlack, channel: str) -> list[Card]:
    """Return the cards in a channel of Slack."""
    found = [one for one in slack.checks.by_app() if one.channel == channel]
    return [one for one in found if one.text.startswith("Case ")]


async def form_of(slack: FakeSlack, user: User, on: Card, action: str) -> View:
    """Press what opens a form in Slack, and return the form."""
    before = {view.id for view in slack.presses.views_of(user)}

    def opened() -> list[View]:
        return [one for one in slack.presses.views_of(user) if one.id not in before]

    await slack.presses.click(user, on, action)
    await slack.until(lambda: bool(opened()), timeout_s=15)
    return opened()[-1]


async def recorded(run: Both) -> list[object]:
    """Return what was recorded of cases, in order."""
    rows = await run.rows("SELECT tag FROM audit.record WHERE tag LIKE 'case:%' ORDER BY at, seq")
    return [row["tag"] for row in rows]


async def test_asked_in_slack_answered_in_teams(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Claimed and answered on the card in Teams; the asker reads it in their thread in Slack."""
    olga, ben = teams.tenant.person("olga"), teams.tenant.person("ben")
    desk = teams.tenant.channel("officers", olga, ben, channel_type="private")
    tenant = teams.tenant.id
    officers: list[dict[str, Any]] = [
        {"login": "olga", "name": "Olga O.", "accounts": [f"teams/{tenant}/{olga.aad}"]}
    ]
    where = f"teams/{tenant}/{desk.id}"
    async with both(
        slack, teams, microsoft, policies_database, officers=officers, channel=where
    ) as run:
        await teams.people.install(olga, desk)
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        await run.quiet()
        answer = slack.checks.one_answer(said.message)
        form = await form_of(slack, anna, answer, "escalate_open")
        await slack.presses.submit(anna, form)
        await run.quiet()
        card = cards(teams, desk)[-1]
        assert "asked by Anna" in shown(card)
        case: Json = {"case": id_of(card, "case")}
        refused = await teams.people.execute(ben, card, "case_claim", case)
        assert refused.answer["value"] == "Only compliance officers can do this."
        claimed = await teams.people.execute(olga, card, "case_claim", case)
        assert "Olga O." in json.dumps(claimed.answer)
        opened: Json = {"do": "case_answer", **case, "msteams": {"type": "task/fetch"}}
        assert "Post" in dialog(
            await teams.people.invoke(olga, card, "task/fetch", {"data": opened})
        )
        given: Json = {"do": "case_answer_submit", **case, "answer": ANSWER, "dm": "false"}
        forged = await teams.people.invoke(ben, card, "task/submit", {"data": given})
        assert "Only compliance officers" in dialog(forged)
        told = await teams.people.invoke(olga, card, "task/submit", {"data": given})
        assert "is on its way to the asker" in dialog(told)
        await run.quiet()
        thread = slack.workspace.thread(said.message.channel, said.message.root)
        reply = next(one for one in thread if ANSWER in shown_in_slack(one))
        assert "Answered by Compliance" in reply.text
        assert "Superseded by Compliance" in shown_in_slack(answer)
        assert pressable(answer) == []
        assert "Case 1 · answered" in shown(card)
        assert ANSWER in shown(card)
        assert await recorded(run) == [
            "case:opened",
            "case:refused",
            "case:assigned",
            "case:refused",
            "case:answered",
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The product with its officer in Slack, and two people in a channel of Teams."""

    run: Both
    olga: User
    """The officer."""
    own: str
    """Her direct messages with the app."""
    desk: str
    """The officers' channel."""
    anna: Person
    ben: Person
    room: Conversation

    async def asked(self, question: str) -> tuple[Message, Message]:
        """Let Anna ask in the channel; return what she wrote, and the reply."""
        said = await self.run.teams.people.mention(self.anna, self.room, question)
        await self.run.quiet()
        (reply,) = self.run.teams.checks.replies(said.message)
        return said.message, reply

    async def sent(self, answer: Message, note: str) -> str:
        """Let Anna ask Compliance about an answer; return what she is told."""
        ours = id_of(answer)
        told = await submit(self.run.teams, self.anna, answer, "escalate_submit", ours, note=note)
        await self.run.quiet()
        return dialog(told)

    async def answered(self, card: Card, text: str) -> str:
        """Let the officer write an answer in Slack, and return what they then see."""
        form = await form_of(self.run.slack, self.olga, card, "case_answer")
        await self.run.slack.presses.submit(self.olga, form, {"answer": typed(text)})
        await self.run.quiet()
        return shown_in_slack(form)

    async def press(self, person: Person, reply: Message, verb: str) -> str:
        """Press a button below an officer's answer in Teams; return what is said to it."""
        case: Json = {"case": id_of(reply, "case")}
        told = await self.run.teams.people.execute(person, reply, verb, case)
        await self.run.quiet()
        return str(told.answer["value"])


@pytest.fixture
async def office(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Desk]:
    """See `Desk`."""
    olga = slack.workspace.user("olga")
    desk = slack.workspace.channel("officers", olga, kind="group")
    team = slack.workspace.team_id
    officers: list[dict[str, Any]] = [
        {"login": "olga", "name": "Olga O.", "accounts": [f"slack/{team}/{olga.id}"]}
    ]
    where = f"slack/{team}/{desk.id}"
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    room = teams.tenant.channel("general", anna, ben)
    async with both(
        slack, teams, microsoft, policies_database, officers=officers, channel=where
    ) as run:
        yield Desk(
            run=run,
            olga=olga,
            own=slack.workspace.direct(olga).id,
            desk=desk.id,
            anna=anna,
            ben=ben,
            room=room,
        )


async def test_asked_in_teams_answered_in_slack(office: Desk) -> None:
    """The other way round: in the asker's thread, and no word of it stands elsewhere."""
    run, teams = office.run, office.run.teams
    question, answer = await office.asked(QUESTION)
    assert "Sent to Compliance as case 1" in await office.sent(answer, "For Acme")
    (card,) = slack_cards(run.slack, office.desk)
    for words in (QUESTION, "For Acme", "asked by anna", "https://teams.microsoft.com/l/message/"):
        assert words in shown_in_slack(card)
    await run.slack.presses.click(office.olga, card, "case_claim")
    await run.quiet()
    assert "Olga O. has taken up your question" in words_of(teams.tenant.by_bot()[-1].text)
    assert "is on its way to the asker's thread" in await office.answered(card, ANSWER)
    reply = teams.tenant.by_bot()[-1]
    assert (reply.conversation, reply.root) == (office.room.id, question.id)
    assert "Answered by Compliance · Olga O." in words_of(reply.text)
    assert ANSWER in words_of(reply.text)
    mention = reply.entity("mention")
    assert mention is not None
    assert mention["mentioned"]["id"] == office.anna.id
    assert "AIGeneratedContent" not in shown(reply)
    assert "Superseded by Compliance" in answer.text
    assert '"do"' not in shown(answer)
    assert "Case 1 · answered" in shown_in_slack(card)
    teams.checks.nothing_outside(question)
    assert await recorded(run) == ["case:opened", "case:assigned", "case:answered"]


async def test_an_answer_from_slack_is_asked_again_and_accepted_in_teams(office: Desk) -> None:
    """By the asker alone; the card in Slack shows each."""
    run, teams = office.run, office.run.teams
    _, answer = await office.asked(QUESTION)
    await office.sent(answer, "")
    (card,) = slack_cards(run.slack, office.desk)
    await office.answered(card, ANSWER)
    reply = teams.tenant.by_bot()[-1]
    assert await office.press(office.ben, reply, "case_accept") == ONLY_ASKER
    assert "with Compliance again" in await office.press(office.anna, reply, "case_reopen")
    assert "Case 1 · claimed" in shown_in_slack(card)
    await office.answered(card, "No, not from Acme.")
    second = teams.tenant.by_bot()[-1]
    assert "No, not from Acme." in words_of(second.text)
    assert "Case 1 is closed" in await office.press(office.anna, second, "case_accept")
    assert "Case 1 · closed" in shown_in_slack(card)
    assert pressable(card) == []
    told = await recorded(run)
    assert told[2:] == ["case:refused", "case:reopened", "case:answered", "case:resolved"]


async def test_a_report_from_teams_is_answered_from_slack_in_private(office: Desk) -> None:
    """The officer on call gets it directly in Slack; the answer comes to the asker's own chat."""
    run, teams = office.run, office.run.teams
    _, pointer = await office.asked(REPORT)
    assert pointer.only_for == office.anna.id
    opened = dialog(await fetch(teams, office.anna, pointer, "escalate", id_of(pointer)))
    assert "in private" in opened or "name" in opened
    await office.sent(pointer, "Every month.")
    assert slack_cards(run.slack, office.desk) == []
    (card,) = slack_cards(run.slack, office.own)
    assert "Every month." in shown_in_slack(card)
    assert office.anna.name not in shown_in_slack(card)
    await office.answered(card, "We take it up.")
    own = teams.tenant.personal(office.anna)
    assert "We take it up." in words_of(teams.checks.seen_by(office.anna, own)[-1].text)
    ours = teams.tenant.bot_id
    assert not [one for one in teams.checks.seen_by(office.ben, office.room) if one.by == ours]
