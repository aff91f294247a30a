"""What both ways to call Teams must do: one suite, over HTTP."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.call_results import NotSent, RateLimited, Rejected, Succeeded, Uncertain
from bot.teams.auth.credentials import token_for
from bot.teams.connector.connector import Address, Transport
from bot.teams.connector.http_client import FOREIGN_HOST, ConnectorHttp
from core.domain.json_value import Json
from tests.integration.teams.conftest import Scene, on_loopback, setup_of
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams

CITATION: dict[str, Json] = {
    "@type": "Claim",
    "position": 1,
    "appearance": {
        "@type": "DigitalDocument",
        "name": "Gifts §3.2 (v4)",
        "url": "https://policies.example.com/gifts#s3.2",
        "abstract": "Any gift above USD 100 requires approval.",
        "keywords": ["v4"],
        "encodingFormat": "application/vnd.microsoft.card.adaptive",
        "text": "{}",
    },
}
ROOT: dict[str, Json] = {
    "type": "https://schema.org/Message",
    "@type": "Message",
    "@context": "https://schema.org",
    "@id": "",
    "additionalType": ["AIGeneratedContent"],
    "citation": [CITATION],
}
CARD: dict[str, Json] = {
    "type": "AdaptiveCard",
    "version": "1.5",
    "msteams": {"width": "Full"},
    "body": [{"type": "TextBlock", "text": "Ünï", "wrap": True}],
    "actions": [
        {"type": "Action.Submit", "title": "Go", "data": {"msteams": {"type": "task/fetch"}}}
    ],
}
ANSWER: dict[str, Json] = {
    "type": "message",
    "textFormat": "markdown",
    "text": "✅ **High** · Yes [1]. \U0001f9fe",
    "entities": [ROOT],
    "channelData": {"feedbackLoop": {"type": "default"}},
    "attachments": [
        {"contentType": "application/vnd.microsoft.card.adaptive", "content": CARD},
    ],
}


def said(text: str, **more: Json) -> dict[str, Json]:
    return {"type": "message", "text": text, **more}


def part(text: str, kind: str, **state: Json) -> dict[str, Json]:
    told: dict[str, Json] = {"streamType": kind, **state}
    return {
        "type": "message" if kind == "final" else "typing",
        "text": text,
        "entities": [{"type": "streaminfo", **told}],
        "channelData": told,
    }


def id_of(outcome: object) -> str:
    assert isinstance(outcome, Succeeded), outcome
    assert isinstance(outcome.body["id"], str)
    return outcome.body["id"]


async def test_a_reply_lands_in_its_thread_whole(scene: Scene) -> None:
    """Entities, card, suggested fields: what was rendered is what Teams gets, to the last key."""
    sent = await scene.transport.post(scene.thread, ANSWER)
    answer = scene.teams.checks.one_answer(scene.question)
    assert answer.id == id_of(sent)
    assert {key: answer.activity[key] for key in ANSWER} == ANSWER
    assert answer.citations[0]["appearance"]["abstract"].startswith("Any gift")
    scene.teams.checks.nothing_outside(scene.question)


async def test_a_reply_to_a_message_is_in_the_thread_of_it(scene: Scene) -> None:
    """The channel's own id and the message replied to do as well."""
    await scene.transport.post(scene.at(scene.room), said("Yes"), reply_to=scene.question.id)
    assert scene.teams.checks.one_answer(scene.question).text == "Yes"
    assert scene.teams.journal.methods()[-1] == "reply"


async def test_suggested_actions_survive(scene: Scene) -> None:
    """In a personal chat, where alone they are shown."""
    actions: Json = {
        "to": [scene.anna.id],
        "actions": [{"type": "imBack", "title": "And cash?", "value": "And cash?"}],
    }
    await scene.transport.post(scene.at(scene.chat), said("Yes", suggestedActions=actions))
    assert scene.teams.tenant.by_bot()[0].activity["suggestedActions"] == actions


async def test_an_update_takes_the_place_of_a_message(scene: Scene) -> None:
    """A placeholder becomes the answer, with all that belongs to it."""
    sent = id_of(await scene.transport.post(scene.thread, said("Checking…")))
    updated = await scene.transport.update(scene.thread, sent, ANSWER)
    assert isinstance(updated, Succeeded)
    answer = scene.teams.checks.one_answer(scene.question)
    assert answer.activity["entities"] == ANSWER["entities"]
    assert len(answer.history) == 1


async def test_what_is_deleted_is_seen_by_nobody(scene: Scene) -> None:
    """It stands no more."""
    sent = id_of(await scene.transport.post(scene.thread, said("Oops")))
    assert isinstance(await scene.transport.delete(scene.thread, sent), Succeeded)
    scene.teams.checks.no_answer(scene.question)


async def test_a_persons_own_chat_is_made(scene: Scene) -> None:
    """By either id; a message sent there is seen by that person alone."""
    for person in (scene.ben.id, scene.ben.aad):
        told = await scene.transport.create(
            scene.teams.service_url,
            {
                "isGroup": False,
                "bot": {"id": scene.teams.tenant.bot_id},
                "members": [{"id": person}],
                "tenantId": scene.teams.tenant.id,
                "channelData": {"tenant": {"id": scene.teams.tenant.id}},
            },
        )
        at = Address(service_url=scene.teams.service_url, conversation=id_of(told))
        await scene.transport.post(at, said("For you"))
    chat = scene.teams.tenant.personal(scene.ben)
    assert [one.text for one in scene.teams.checks.seen_by(scene.ben, chat)] == ["For you"] * 2
    assert scene.teams.checks.seen_by(scene.anna, chat) == []


async def test_a_new_thread_begins_with_its_card(scene: Scene) -> None:
    """In a channel, with all keys; its id is told."""
    told = await scene.transport.create(
        scene.teams.service_url,
        {
            "isGroup": True,
            "channelData": {"channel": {"id": scene.room.id}},
            "activity": ANSWER,
        },
    )
    assert isinstance(told, Succeeded)
    (root,) = scene.teams.tenant.by_bot()
    assert told.body["activityId"] == root.id
    assert told.body["id"] == f"{scene.room.id};messageid={root.id}"
    assert root.activity["entities"] == ANSWER["entities"]


async def test_a_stream_ends_in_the_answer(scene: Scene) -> None:
    """Its first part tells the id by which the others go on; one message is left."""
    chat, transport = scene.at(scene.chat), scene.transport
    first = await transport.post(chat, part("Searching…", "informative", streamSequence=1))
    stream = id_of(first)
    for sequence, kind, text in ((2, "informative", "Reading…"), (3, "streaming", "Yes [1].")):
        going = part(text, kind, streamId=stream, streamSequence=sequence)
        assert await transport.post(chat, going) == Succeeded(body={})
        scene.teams.clock.advance(2)
    last = part("Yes [1].", "final", streamId=stream)
    entities = last["entities"]
    assert isinstance(entities, list)
    last["entities"] = [*entities, ROOT]
    assert await transport.post(chat, last) == Succeeded(body={})
    (answer,) = scene.teams.tenant.by_bot()
    assert (answer.id, answer.text) == (stream, "Yes [1].")
    assert answer.citations[0]["position"] == 1
    assert answer.stream is not None
    assert answer.stream.informative == ["Searching…", "Reading…"]


async def test_what_is_targeted_is_seen_by_one(scene: Scene) -> None:
    """Also when it is updated; and it can be taken back."""
    to: Json = {"id": scene.anna.id}
    sent = id_of(
        await scene.transport.post(scene.thread, said("Psst", recipient=to), is_targeted=True)
    )
    checks = scene.teams.checks
    assert [one.id for one in checks.seen_by(scene.ben, scene.room)] == [scene.question.id]
    assert [one.text for one in checks.seen_by(scene.anna, scene.room)] == ["May I?", "Psst"]
    updated = await scene.transport.update(scene.thread, sent, said("Well"), is_targeted=True)
    assert isinstance(updated, Succeeded)
    assert checks.seen_by(scene.anna, scene.room)[-1].text == "Well"
    gone = await scene.transport.delete(scene.thread, sent, is_targeted=True)
    assert isinstance(gone, Succeeded)
    assert len(checks.seen_by(scene.anna, scene.room)) == 1


async def test_the_roster_is_read_page_by_page(scene: Scene) -> None:
    """With what tells guests and strangers apart."""
    scene.teams.connector.page = 1
    scene.ben.user_role = "guest"
    first = await scene.transport.members(scene.at(scene.room))
    assert isinstance(first, Succeeded)
    page = first.body["continuationToken"]
    assert isinstance(page, str)
    second = await scene.transport.members(scene.at(scene.room), page=page)
    assert isinstance(second, Succeeded)
    assert second.body == {"members": [scene.ben.member()]}


REFUSALS: list[tuple[int, str, str]] = [
    (403, "BotNotInConversationRoster", "The bot is not part of the conversation roster."),
    (403, "MessageWritesBlocked", "Blocked"),
    (404, "ConversationNotFound", "Conversation not found."),
    (400, "BadSyntax", "Bad payload"),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: one[1])
async def test_a_refusal_is_told_with_its_code(scene: Scene, refusal: tuple[int, str, str]) -> None:
    """Nothing was posted."""
    scene.room.refuses = refusal
    told = await scene.transport.post(scene.thread, said("Yes"))
    assert told == Rejected(status=refusal[0], code=refusal[1], message=refusal[2])


async def test_what_is_too_large_is_refused(scene: Scene) -> None:
    """By its size in UTF-16."""
    told = await scene.transport.post(scene.thread, said("ä" * 60_000))
    assert isinstance(told, Rejected)
    assert (told.status, told.code) == (413, "MessageSizeTooBig")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (faults.status(429), RateLimited(after_s=5.0)),
        (faults.too_many(7), RateLimited(after_s=7.0)),
        (faults.too_many(9_000), RateLimited(after_s=600.0)),
        (faults.status(409), RateLimited(after_s=5.0)),
        (faults.status(412), RateLimited(after_s=5.0)),
        (faults.status(500, "<html>oops"), Uncertain(why="500", status=500)),
        (faults.status(502), Uncertain(why="502", status=502)),
        (faults.status(503), Uncertain(why="503", status=503)),
        (faults.status(504), Uncertain(why="504", status=504)),
        (faults.status(408), Uncertain(why="408", status=408)),
        (faults.status(403, "<html>proxy"), Rejected(status=403, code="403")),
        (faults.status(302), Rejected(status=302, code="302")),
    ],
    ids=lambda one: str(one)[:60],
)
async def test_each_status_has_its_outcome(
    scene: Scene, fault: faults.Fault, expected: object
) -> None:
    """One attempt, whatever comes of it: the caller decides."""
    scene.teams.faults.next("post", fault)
    assert await scene.transport.post(scene.thread, said("Yes")) == expected
    assert scene.teams.journal.methods().count("post") == 1


@pytest.mark.parametrize("call", ["update", "delete", "members", "create"])
async def test_nothing_is_repeated_in_secret(scene: Scene, call: str) -> None:
    """The SDK's own client would send an update four times."""
    scene.teams.faults.always(call, faults.status(503))
    transport, at = scene.transport, scene.thread
    calls: dict[str, Callable[[], Any]] = {
        "update": lambda: transport.update(at, "1", said("x")),
        "delete": lambda: transport.delete(at, "1"),
        "members": lambda: transport.members(at),
        "create": lambda: transport.create(at.service_url, {"isGroup": True}),
    }
    assert await calls[call]() == Uncertain(why="503", status=503)
    assert scene.teams.journal.methods().count(call) == 1


@pytest.mark.parametrize(
    "fault", [faults.processed_then_reset(), faults.garbled()], ids=["reset", "garbled"]
)
async def test_a_lost_answer_is_unclear(scene: Scene, fault: faults.Fault) -> None:
    """It was posted, and we do not know."""
    scene.teams.faults.next("post", fault)
    told = await scene.transport.post(scene.thread, said("Yes"))
    assert isinstance(told, Uncertain)
    assert scene.teams.checks.one_answer(scene.question).text == "Yes"
    assert scene.teams.journal.methods().count("post") == 1


async def test_silence_is_unclear(
    scene: Scene, session: ClientSession, made: Callable[[ConnectorHttp], Transport]
) -> None:
    """After 15 s, here less."""
    token = token_for(setup_of(scene.teams), session)
    hasty = made(ConnectorHttp(session, token, on_loopback, timeout_s=0.05))
    scene.teams.faults.next("post", faults.slow_answer(5.0))
    told = await hasty.post(scene.thread, said("Yes"))
    assert told == Uncertain(why="timeout")


async def test_who_cannot_be_reached_did_nothing(scene: Scene) -> None:
    """It may be sent again."""
    nowhere = Address(service_url="http://127.0.0.1:9/emea/", conversation="19:x")
    assert await scene.transport.post(nowhere, said("Yes")) == NotSent(why="no_connection")


async def test_the_token_goes_to_our_services_only(
    scene: Scene, session: ClientSession, made: Callable[[ConnectorHttp], Transport]
) -> None:
    """The address is checked when it is used: nothing is sent, no token is even fetched."""
    token = token_for(setup_of(scene.teams), session)
    wary = made(ConnectorHttp(session, token, lambda _: False))
    for told in (
        await wary.post(scene.thread, said("Yes")),
        await wary.update(scene.thread, "1", said("Yes")),
        await wary.delete(scene.thread, "1"),
        await wary.members(scene.thread),
        await wary.create(scene.teams.service_url, {}),
        await wary.post(scene.thread, said("Yes"), is_targeted=True),
    ):
        assert told == Rejected(status=0, code=FOREIGN_HOST)
    assert scene.teams.journal.methods() == []


async def test_one_token_serves_many_calls(scene: Scene) -> None:
    """It is fetched once, and again when the service does not take it any more."""
    for _ in range(3):
        assert isinstance(await scene.transport.post(scene.thread, said("Yes")), Succeeded)
    assert scene.teams.journal.methods().count("token") == 1
    scene.teams.login.revoke_all()
    told = await scene.transport.post(scene.thread, said("Yes"))
    assert isinstance(told, Rejected)
    assert told.status == 401
    assert isinstance(await scene.transport.post(scene.thread, said("Yes")), Succeeded)
    assert scene.teams.journal.methods().count("token") == 2


async def test_without_a_token_nothing_is_sent(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says why, and no secret."""
    scene.teams.tenant.app_password = "".join(("an", "other"))
    assert await scene.transport.post(scene.thread, said("Yes")) == NotSent(why="no_token")
    assert scene.teams.journal.methods() == ["token"]
    assert "invalid_client (AADSTS7000215)" in caplog.text


async def test_nothing_secret_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """Not the secret, not the token, not the text, at any level."""
    caplog.set_level(logging.DEBUG)
    await scene.transport.post(scene.thread, said("a-private-text"))
    scene.teams.faults.next("post", faults.status(500))
    await scene.transport.post(scene.thread, said("a-private-text"))
    setup = setup_of(scene.teams)
    assert setup.password is not None
    told = caplog.text + repr(setup) + repr(scene.transport)
    for secret in (setup.password, *scene.teams.login.issued, "a-private-text"):
        assert secret not in told


async def test_the_wrong_audience_is_refused(scene: Scene, teams: FakeTeams) -> None:
    """The fake looks at the token: one for another service is worth nothing."""
    for one in teams.login.issued.values():
        one.audience = "https://graph.microsoft.com"
    await scene.transport.post(scene.thread, said("Yes"))
    for one in teams.login.issued.values():
        one.audience = "https://graph.microsoft.com"
    told = await scene.transport.post(scene.thread, said("Yes"))
    assert isinstance(told, Rejected)
    assert told.status == 401
