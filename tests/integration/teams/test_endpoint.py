"""Activities over HTTP: kept before they are acknowledged; invokes through the real adapter."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.teams.actions.dispatch import FAILED, OUTDATED
from bot.teams.auth.token_verifier import InboundVerifier, UnsafeAnonymous, is_loopback
from bot.teams.protocol.action_ids import CASE_REFRESH
from bot.teams.protocol.identity import ServiceUrls, TeamsIdentity, identity_of
from bot.teams.setup import teams_setup
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import ContractError, TransientError
from core.domain.message import Ignored, InboundMessage, MessageKind
from tests.integration.teams.served import Served, serving
from tests.unit.teams.activities import (
    ANNA,
    APP,
    BOT,
    CHANNEL,
    HOME,
    OTHER_BOT,
    REPLY,
    ROOT,
    SERVICE_URL,
    TEAM,
    TENANT,
    Activity,
    mentioned,
    message,
)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The endpoint."""
    async with serving() as running:
        yield running


async def send(served: Served, activity: Activity, **headers: str) -> int:
    signed = served.signed(activity) | headers
    return await served.post(json.dumps(activity).encode(), signed)


async def invoke(served: Served, name: str, value: Any, **more: Any) -> tuple[int, Any]:
    activity = message("", scope="channel", type="invoke", name=name, value=value, id="f:1")
    activity |= {"replyToId": REPLY} | more
    status, text = await served.posted(json.dumps(activity).encode(), served.signed(activity))
    return status, json.loads(text) if text else None


async def test_a_message_is_kept_with_how_to_answer_it(served: Served) -> None:
    """The reference first: an answer must not find nothing."""
    assert await send(served, mentioned("May I?", scope="channel")) == 200
    (kept,) = served.kept.messages
    assert isinstance(kept, InboundMessage)
    assert (kept.text, kept.place.thread) == ("May I?", ROOT)
    (reference,) = served.kept.references
    assert (reference.conversation, reference.team) == (CHANNEL, TEAM)


async def test_a_repeated_delivery_is_kept_once(served: Served) -> None:
    """It is acknowledged all the same; and a reference that did not change is not written."""
    assert [await send(served, message()) for _ in range(3)] == [200] * 3
    assert (len(served.kept.messages), len(served.kept.references)) == (1, 1)


async def test_without_the_database_teams_is_to_send_again(served: Served) -> None:
    """No 200 without a row."""
    served.kept.is_away = True
    assert await send(served, message()) == 503
    served.kept.is_away = False
    assert await send(served, message()) == 200
    assert len(served.kept.messages) == 1


async def test_a_follow_up_is_kept_in_our_threads_alone(served: Served) -> None:
    """Of whoever asked there; all else that consent lets us hear is dropped, with its reference."""
    reply = message("And my wife?", scope="channel", id=REPLY)
    assert await send(served, reply) == 200
    assert (served.kept.messages, served.kept.references) == ([], [])
    served.kept.ours.add(
        Place(platform="teams", tenant=TENANT, channel=CHANNEL, thread=ROOT, mode="thread")
    )
    assert await send(served, reply) == 200
    assert served.kept.messages == []
    served.kept.asker = ANNA
    assert await send(served, reply) == 200
    assert len(served.kept.messages) == 1


async def test_an_edit_a_delete_and_a_bot_are_kept(served: Served) -> None:
    """As what they are."""
    for activity in (
        message(type="messageUpdate"),
        message("", type="messageDelete"),
        message() | {"from": {"id": OTHER_BOT}},
    ):
        assert await send(served, activity) == 200
    edit, gone, beep = served.kept.messages
    assert isinstance(edit, InboundMessage)
    assert isinstance(gone, InboundMessage)
    assert (edit.kind, gone.kind) == (MessageKind.EDITED, MessageKind.DELETED)
    assert isinstance(beep, Ignored)


async def test_an_installation_is_greeted_once(served: Served) -> None:
    """It is told twice, and again with each upgrade."""
    added = message("", scope="channel", type="conversationUpdate", membersAdded=[{"id": BOT}])
    installed = message("", scope="channel", type="installationUpdate", action="add")
    for activity in (added, installed, installed):
        assert await send(served, activity) == 200
    (greeting,) = served.kept.messages
    assert isinstance(greeting, InboundMessage)
    assert greeting.kind is MessageKind.HELP
    assert (greeting.place.channel, greeting.place.thread) == (CHANNEL, CHANNEL)
    gone = message("", scope="channel", type="installationUpdate", action="remove")
    assert await send(served, gone) == 200
    assert served.kept.forgotten == [TEAM, CHANNEL]


async def test_other_members_are_no_greeting(served: Served) -> None:
    """But what is remembered of the conversation is forgotten."""
    joined = message("", scope="channel", type="conversationUpdate", membersAdded=[{"id": ANNA}])
    assert await send(served, joined) == 200
    assert served.kept.messages == []
    assert [one.conversation for one in served.kept.changed] == [CHANNEL]


async def test_help_is_kept_whenever_somebody_asks(served: Served) -> None:
    """It is no question; how to write there is kept before it."""
    for number in (0, 1, 1):
        assert await send(served, message("help", id=f"{number}")) == 200
    kept = [one.kind for one in served.kept.messages if isinstance(one, InboundMessage)]
    assert kept == [MessageKind.HELP] * 2
    assert served.kept.references


async def test_what_nobody_foresaw_is_sent_again(served: Served) -> None:
    """It is in the log, and no error of HTTP tells anybody of it."""
    served.kept.answer = ValueError("unforeseen")
    assert await send(served, message("help")) == 503
    served.kept.answer = None
    assert await send(served, message("help")) == 200


async def test_a_button_in_a_message_is_pressed(served: Served) -> None:
    """It is acknowledged once its handler has committed."""
    press = message("", value={"do": "clarify", "c": "clr_91", "o": "0"})
    assert await send(served, press) == 200
    served.kept.answer = TransientError()
    assert await send(served, press) == 503
    served.kept.answer = ContractError()
    assert await send(served, press) == 200
    assert [one.name for one in served.kept.pressed] == ["clarify"] * 3


@pytest.mark.parametrize("kind", ["typing", "messageReaction", "event", "handoff", None])
async def test_what_we_do_not_use_is_acknowledged(served: Served, kind: Any) -> None:
    """And forgotten."""
    assert await send(served, message(type=kind)) == 200
    assert served.kept.messages == []


CARD: dict[str, Any] = {
    "task": {"type": "continue", "value": {"title": "Evidence", "n": 1, "no": None, "l": [1, {}]}}
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task/fetch", {"data": {"do": "evidence", "a": "ans_1"}}),
        ("task/submit", {"data": {"do": "evidence", "a": "ans_1"}}),
        ("adaptiveCard/action", {"action": {"type": "Action.Execute", "verb": "clarify"}}),
        ("composeExtension/fetchTask", {"commandId": "askAboutMessage"}),
        ("composeExtension/submitAction", {"commandId": "askAboutMessage"}),
        ("message/submitAction", {"actionValue": {"reaction": "like"}}),
        ("message/fetchTask", {"data": {"actionValue": {"reaction": "like"}}}),
    ],
)
@pytest.mark.parametrize("answer", [{}, CARD])
async def test_each_invoke_is_answered_by_its_handler(
    served: Served, name: str, value: Any, answer: Any
) -> None:
    """With exactly what the handler returned: `{}` is `{}`."""
    served.kept.answer = answer
    assert await invoke(served, name, value) == (200, answer)
    (pressed,) = served.kept.pressed
    assert (pressed.person, pressed.message_id) == (ANNA, REPLY)


@pytest.mark.parametrize("name", ["signin/verifyState", "tab/fetch", "config/fetch", "x", "", None])
async def test_an_invoke_that_we_do_not_know(served: Served, name: Any) -> None:
    """Is answered as Bot Framework has it: not implemented."""
    assert await invoke(served, name, {}) == (501, {})


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        (
            "task/fetch",
            {"data": {"do": "older"}},
            {"task": {"type": "message", "value": OUTDATED.en}},
        ),
        (
            "adaptiveCard/action",
            {"action": {"verb": "older"}},
            {
                "statusCode": 200,
                "type": "application/vnd.microsoft.activity.message",
                "value": OUTDATED.en,
            },
        ),
    ],
)
async def test_a_button_of_an_older_release_says_so(
    served: Served, name: str, value: Any, shown: Any
) -> None:
    """In the form that fits, so that nobody sees an error."""
    assert await invoke(served, name, value) == (200, shown)


@pytest.mark.parametrize(
    ("error", "status", "shown"),
    [
        (ContractError("x"), 200, OUTDATED.en),
        (TransientError("x"), 503, None),
        (TimeoutError("x"), 503, None),
        (ValueError("x"), 200, FAILED.en),
        (KeyError("x"), 200, FAILED.en),
    ],
)
async def test_a_handler_that_fails_is_no_error_of_http(
    served: Served, error: Exception, status: int, shown: str | None
) -> None:
    """Only what may be pressed again unchanged is told to the service."""
    served.kept.answer = error
    body = {"task": {"type": "message", "value": shown}} if shown else {}
    assert await invoke(served, "task/fetch", {"data": {"do": "evidence"}}) == (status, body)


async def test_a_press_that_fails_is_answered_in_words(served: Served) -> None:
    """Its client tries no second time; a card that is kept fresh by itself says nothing."""
    served.kept.answer = TransientError("x")
    pressed = {"action": {"type": "Action.Execute", "verb": "clarify"}}
    status, told = await invoke(served, "adaptiveCard/action", pressed)
    assert (status, told["value"]) == (200, FAILED.en)
    served.presses.add(CASE_REFRESH, served.kept.press)
    refreshed = {"action": {"type": "Action.Execute", "verb": CASE_REFRESH}}
    assert await invoke(served, "adaptiveCard/action", refreshed) == (503, {})


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"from": None}, 400),
        ({"conversation": {"tenantId": TENANT}}, 400),
        ({"deliveryMode": "expectReplies"}, 200),
        ({"timestamp": "yesterday", "entities": "x", "attachments": 5}, 200),
        ({"id": None, "timestamp": None}, 400),
        ({"callerId": "urn:botframework:x", "relatesTo": 5}, 200),
    ],
)
async def test_an_invoke_may_hold_anything(
    served: Served, more: dict[str, Any], status: int
) -> None:
    """What is not read can't break it."""
    answered, _ = await invoke(served, "task/fetch", {"data": {"do": "evidence"}}, **more)
    assert answered == status


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "image/png"])
async def test_a_body_of_another_kind_is_refused(served: Served, kind: str) -> None:
    """Even if its bytes are JSON."""
    assert await send(served, message(), **{"Content-Type": kind}) == 400


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "x"])
async def test_a_body_that_is_no_archive_is_refused(served: Served, coding: str) -> None:
    """Whatever it says that it is."""
    status = await send(served, message(), **{"Content-Encoding": coding})
    assert status in {200, 400}  # an unknown coding is none
    assert (status == 200) == bool(served.kept.messages)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_another_method_is_none_of_ours(served: Served, method: str) -> None:
    """There is one route."""
    async with served.session.request(method, served.url) as answer:
        assert answer.status == 405


PLAYGROUND = TeamsIdentity(
    app_id="",
    tenants=frozenset(),
    service_urls=ServiceUrls([], allows_loopback=True),
    is_anonymous=True,
)
LOCAL = "http://localhost:56150/_connector"


@pytest.mark.parametrize(
    ("headers", "url", "status"),
    [
        ({}, LOCAL, 200),
        ({"Origin": "https://evil.example"}, LOCAL, 401),
        ({"Host": "evil.example"}, LOCAL, 401),
        ({"Host": "127.0.0.1.evil.example:80"}, LOCAL, 401),
        ({"Content-Type": "text/plain"}, LOCAL, 400),
        ({}, SERVICE_URL, 401),
        ({}, "https://evil.example/", 401),
        ({}, None, 401),
    ],
)
async def test_without_tokens_only_this_machine_is_heard(
    headers: dict[str, str], url: Any, status: int
) -> None:
    """And never a page in its browser; nor do replies leave it."""
    async with serving(PLAYGROUND, UnsafeAnonymous(PLAYGROUND)) as served:
        body = json.dumps(message(serviceUrl=url)).encode()
        assert await served.post(body, headers) == status
        assert len(served.kept.messages) == (status == 200)
        assert await served.post(b"[]", headers) in {400, 401}


async def test_invokes_work_without_tokens_too() -> None:
    """As the playground sends them."""
    async with serving(PLAYGROUND, UnsafeAnonymous(PLAYGROUND)) as served:
        served.kept.answer = {"a": 1}
        value = {"actionValue": {"reaction": "like"}}
        activity = message(
            "", type="invoke", name="message/submitAction", value=value, serviceUrl=LOCAL
        )
        status, text = await served.posted(json.dumps(activity).encode())
        assert (status, json.loads(text)) == (200, {"a": 1})


async def test_nobody_is_believed_by_mistake(served: Served) -> None:
    """Neither check takes the other's home, nor one without an app or a tenant."""
    with pytest.raises(ValueError, match="nobody proves"):
        UnsafeAnonymous(HOME)
    for home in (
        PLAYGROUND,
        replace(HOME, is_anonymous=True),
        replace(HOME, app_id=""),
        replace(HOME, tenants=frozenset()),
    ):
        with pytest.raises(ValueError, match="app id"):
            InboundVerifier(served.keys, home)


@pytest.mark.parametrize(
    ("host", "is_it"),
    [
        ("localhost", True),
        ("LOCALHOST:3978", True),
        ("127.0.0.1:3978", True),
        ("127.1.2.3", True),
        ("[::1]:3978", True),
        ("::1", True),
        ("0.0.0.0", False),  # noqa: S104  # no address to listen on here
        ("::", False),
        ("", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.nip.io", False),
        ("[::1", True),
    ],
)
def test_which_address_is_this_machine(host: str, is_it: bool) -> None:
    """By its number or by the one name."""
    assert is_loopback(host) is is_it


def test_a_home_comes_from_the_settings() -> None:
    """One app, one tenant, and the hosts that are listed."""
    given = {"APP_ID": APP.upper(), "APP_PASSWORD": "secret-word", "APP_TENANTID": TENANT}
    setup = teams_setup(Settings.from_environment(given))
    assert setup is not None
    home = identity_of(setup)
    assert (home.app_id, home.tenants, home.is_anonymous) == (APP, HOME.tenants, False)
    assert home.service_urls.allows(SERVICE_URL)
    assert not home.service_urls.allows(LOCAL)
    anonymous = teams_setup(Settings.from_environment({"ALLOW_ANONYMOUS": "1"}))
    assert anonymous is not None
    assert identity_of(anonymous).is_anonymous
    assert identity_of(anonymous).service_urls.allows(LOCAL)
