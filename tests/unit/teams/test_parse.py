"""Each kind of activity, and what it is to us."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.intake import NotForUs
from bot.teams.inbound.interaction import TeamsInteraction, parse_invoke
from bot.teams.inbound.membership_events import Changed, Met, Parted
from bot.teams.inbound.parse import Overheard, parse
from core.domain.errors import ContractError
from core.domain.message import Ignored, InboundMessage, MessageKind
from tests.properties import examples
from tests.unit.teams.activities import (
    AAD,
    ANNA,
    BOT,
    CHANNEL,
    CHAT,
    DIRECT,
    FOREIGN,
    HOME,
    OTHER_BOT,
    REPLY,
    ROOT,
    SERVICE_URL,
    TEAM,
    TENANT,
    Activity,
    mention,
    mentioned,
    message,
)


def read(activity: Activity) -> InboundMessage:
    found = parse(activity, HOME)
    assert isinstance(found, InboundMessage)
    return found


def test_a_direct_message_is_a_message() -> None:
    """With all that answering it needs, and no name."""
    found = read(message("May I take a gift &lt; 50?"))
    key = f"teams:{DIRECT}:{ROOT}"
    assert (found.dedupe_key, found.message_key, found.target_key) == (key, key, None)
    assert (found.kind, found.text) == (MessageKind.MESSAGE, "May I take a gift < 50?")
    assert (found.person, found.place.mode) == (ANNA, "direct")
    assert found.sent_at == datetime(2026, 11, 20, 9, 0, 0, 123456, tzinfo=UTC)
    assert found.raw == {
        "service_url": SERVICE_URL,
        "conversation": DIRECT,
        "scope": "personal",
        "activity": ROOT,
        "bot": BOT,
        "aad": AAD,
        "team": "",
        "channel_type": "",
        "locale": "en-GB",
        "time_zone": "",
        "is_targeted": False,
        "has_file": False,
        "is_outside": False,
    }


@pytest.mark.parametrize(
    ("scope", "channel", "thread"), [("groupChat", CHAT, CHAT), ("channel", CHANNEL, ROOT)]
)
def test_a_mention_is_a_message(scope: str, channel: str, thread: str) -> None:
    """Without our name, in the thread in which it was written."""
    found = read(mentioned("May I?", scope=scope))
    assert found.text == "May I?"
    assert (found.place.channel, found.place.thread) == (channel, thread)


def test_a_mention_in_a_thread_stays_there() -> None:
    """The thread is the root's; the key is the message's own."""
    found = read(mentioned("And this?", scope="channel", id=REPLY))
    assert (found.place.thread, found.place.mode) == (ROOT, "thread")
    assert found.dedupe_key == f"teams:{CHANNEL};messageid={ROOT}:{REPLY}"


def test_a_follow_up_counts_if_the_thread_is_ours() -> None:
    """Which only the tables know."""
    found = parse(message("And my wife?", scope="channel", id=REPLY), HOME)
    assert isinstance(found, Overheard)
    assert isinstance(found.message, InboundMessage)
    assert (found.message.text, found.message.place.thread) == ("And my wife?", ROOT)


def test_what_is_not_addressed_to_us_is_nothing() -> None:
    """A message that begins a thread, and names somebody else or nobody."""
    assert parse(message("lunch?", scope="channel"), HOME) == NotForUs(reason="channel")
    named = message("<at>Citebound</at>?", scope="channel", entities=[mention("29:ben")])
    assert parse(named, HOME) == NotForUs(reason="channel")


def test_what_is_said_in_a_chat_of_several_is_overheard() -> None:
    """Intake keeps it only if it answers what that person was asked back."""
    found = parse(message("lunch?", scope="groupChat"), HOME)
    assert isinstance(found, Overheard)
    assert found.is_chat


def test_a_slash_command_is_addressed_to_us() -> None:
    """And is answered so that nobody else sees it."""
    activity = message("/ask May I?", scope="channel")
    activity["recipient"]["isTargeted"] = True
    found = read(activity)
    assert (found.text, found.raw["is_targeted"]) == ("May I?", True)


@pytest.mark.parametrize("text", ["ask May I?", "Ask May I?", "/ask  May I?"])
def test_a_command_is_no_part_of_its_question(text: str) -> None:
    """However it was chosen."""
    assert read(message(text)).text == "May I?"


@pytest.mark.parametrize("text", ["asking for a friend: may I?", "task May I?"])
def test_a_question_may_begin_like_a_command(text: str) -> None:
    """Only the word itself is one."""
    assert read(message(text)).text == text


@pytest.mark.parametrize("text", ["", "help", "/help", "Help", "<at>Citebound</at>"])
@pytest.mark.parametrize("scope", ["personal", "channel"])
def test_help_is_asked_for_by_name_or_by_saying_nothing(text: str, scope: str) -> None:
    """It is no question."""
    html = {"contentType": "text/html", "content": "<div></div>"}
    found = read(mentioned(text, scope=scope, attachments=[html]))
    assert (found.kind, found.person, found.text) == (MessageKind.HELP, ANNA, "")
    assert found.raw["is_targeted"] is False
    assert found.dedupe_key == found.message_key


@pytest.mark.parametrize("text", ["Hello!", "hi", "What can you do?", "How does this work ?"])
def test_who_begins_with_a_greeting_is_told_how_it_works(text: str) -> None:
    """And who asks that, too; a question behind a greeting is one."""
    assert read(message(text)).kind is MessageKind.HELP
    assert read(message(f"{text} May I take a gift?")).kind is MessageKind.MESSAGE


def test_a_file_without_words_is_no_call_for_help() -> None:
    """It is answered as a question without words, and the reply says that it was not read."""
    card = {"contentType": "application/vnd.microsoft.teams.file.download.info"}
    found = read(message("", attachments=[card]))
    assert (found.kind, found.text, found.raw["has_file"]) == (MessageKind.MESSAGE, "", True)


@pytest.mark.parametrize("kind", ["text/html", "messageReference", "forwardedMessageReference"])
def test_a_quoted_message_is_no_file(kind: str) -> None:
    """Nor are the words themselves, which come as HTML once more."""
    assert read(message("May I?", attachments=[{"contentType": kind}])).raw["has_file"] is False
    assert read(message("help", attachments=[{"contentType": kind}])).kind is MessageKind.HELP


@pytest.mark.parametrize("sender", [{"id": OTHER_BOT}, {"id": "x", "role": "bot"}])
def test_bots_are_ignored_where_they_address_us(sender: dict[str, str]) -> None:
    """Elsewhere they are nothing."""
    found = parse(mentioned("beep", scope="channel") | {"from": sender}, HOME)
    assert isinstance(found, Ignored)
    assert (found.reason, found.person) == ("bot", sender["id"])
    silent = message("beep", scope="channel") | {"from": sender}
    assert parse(silent, HOME) == NotForUs(reason="bot")
    edit = message("beep") | {"from": sender, "type": "messageUpdate"}
    assert parse(edit, HOME) == NotForUs(reason="bot")


@pytest.mark.parametrize("kind", ["message", "messageUpdate", "messageDelete"])
def test_what_we_write_ourselves_is_nothing(kind: str) -> None:
    """New, changed or deleted."""
    activity = message("Yes.", type=kind) | {"from": {"id": BOT}}
    assert parse(activity, HOME) == NotForUs(reason="own")


def test_an_edit_names_what_it_changes() -> None:
    """It has the message's own id, so that its instant makes the key."""
    edit = mentioned("May we?", scope="channel", type="messageUpdate")
    edit["timestamp"] = "2026-11-20T09:05:00Z"
    found, asked = read(edit), read(mentioned("May I?", scope="channel"))
    assert (found.kind, found.text) == (MessageKind.EDITED, "May we?")
    assert found.target_key == asked.message_key
    key = f"{asked.dedupe_key}:messageUpdate:2026-11-20T09:05:00Z"
    assert (found.dedupe_key, found.message_key) == (key, key)
    assert found.place == asked.place


def test_a_deleted_message_is_named() -> None:
    """Also where nobody says who took it back."""
    gone = message("", type="messageDelete")
    del gone["from"]
    found = read(gone)
    assert (found.kind, found.person, found.text) == (MessageKind.DELETED, "", "")
    assert found.target_key == read(message()).message_key


def test_a_message_that_is_restored_is_nothing() -> None:
    """It was answered before, or withdrawn: whoever wants to know asks again."""
    edit = message(type="messageUpdate")
    edit["channelData"]["eventType"] = "undeleteMessage"
    assert parse(edit, HOME) == NotForUs(reason="undeleted")


@pytest.mark.parametrize(
    "more", [{"tenantId": FOREIGN}, {"userRole": "guest"}, {"aadObjectId": None}]
)
def test_somebody_from_outside_is_told(more: dict[str, Any]) -> None:
    """The audience check decides what they hear."""
    activity = message()
    activity["from"] |= more
    assert read(activity).raw["is_outside"] is True


def test_a_button_is_no_question() -> None:
    """What it says is believed as little as any callback."""
    value = {"do": "clarify", "c": "clr_91", "o": "0"}
    found = parse(message("", scope="channel", value=value, replyToId=REPLY), HOME)
    assert isinstance(found, TeamsInteraction)
    assert (found.kind, found.name, found.message_id) == ("press", "clarify", REPLY)
    assert found.values == value
    assert found.dedupe_key == f"teams:{CHANNEL};messageid={ROOT}:{ROOT}"


@pytest.mark.parametrize("kind", ["typing", "messageReaction", "event", "trace", "", None, 5, {}])
def test_anything_else_is_nothing(kind: Any) -> None:
    """It is acknowledged and forgotten."""
    assert parse(message() | {"type": kind}, HOME) == NotForUs(reason="kind")


def event(scope: str = "personal", **more: Any) -> Activity:
    """Return an event about members; Anna did it."""
    activity = message("", scope=scope, type="conversationUpdate")
    del activity["text"], activity["entities"]
    return activity | more


@pytest.mark.parametrize(
    "activity",
    [
        event(type="installationUpdate", action="add"),
        event(type="installationUpdate", action="add-upgrade"),
        event(membersAdded=[{"id": ANNA}, {"id": BOT}]),
    ],
)
def test_where_we_come_in_is_told_twice(activity: Activity) -> None:
    """Both events mean the same."""
    found = parse(activity, HOME)
    assert isinstance(found, Met)
    assert (found.person, found.is_outside) == (ANNA, False)
    assert (found.reference.conversation, found.reference.person) == (DIRECT, ANNA)


@pytest.mark.parametrize(
    "activity",
    [
        event("channel", type="installationUpdate", action="remove"),
        event("channel", type="installationUpdate", action="remove-upgrade"),
        event("channel", membersRemoved=[{"id": BOT}]),
    ],
)
def test_where_we_leave_is_forgotten(activity: Activity) -> None:
    """With the whole team."""
    assert parse(activity, HOME) == Parted(tenant=TENANT, conversation=CHANNEL, team=TEAM)
    chat = activity | {"conversation": {"id": CHAT}, "channelData": {"tenant": {"id": TENANT}}}
    assert parse(chat, HOME) == Parted(tenant=TENANT, conversation=CHAT)


@pytest.mark.parametrize(
    "activity",
    [
        event("channel", membersAdded=[{"id": ANNA}]),
        event("groupChat", membersRemoved=[{"id": ANNA}]),
    ],
)
def test_other_readers_are_told(activity: Activity) -> None:
    """What is remembered of the members is no longer true."""
    assert isinstance(parse(activity, HOME), Changed)


def test_a_channel_that_becomes_shared_has_other_readers() -> None:
    """It has no members in its event."""
    activity = event("channel")
    activity["channelData"]["eventType"] = "channelShared"
    assert isinstance(parse(activity, HOME), Changed)


@pytest.mark.parametrize(
    "activity", [event(), event(type="installationUpdate"), event(membersAdded="x")]
)
def test_an_event_that_tells_nothing(activity: Activity) -> None:
    """A renamed channel, say."""
    assert parse(activity, HOME) == NotForUs(reason="event")


def invoke(name: str, value: Any = None, *, scope: str = "personal", **more: Any) -> Activity:
    activity = message("", scope=scope, type="invoke", name=name, value=value, id="f:1")
    return activity | {"replyToId": REPLY} | more


@pytest.mark.parametrize(
    ("name", "value", "kind", "called"),
    [
        ("task/fetch", {"data": {"do": "evidence", "a": "ans_1"}}, "fetch", "evidence"),
        (
            "task/submit",
            {"data": {"do": "escalate_submit", "a": "ans_1"}},
            "submit",
            "escalate_submit",
        ),
        (
            "adaptiveCard/action",
            {"action": {"type": "Action.Execute", "verb": "clarify", "data": {"a": "ans_1"}}},
            "execute",
            "clarify",
        ),
        (
            "composeExtension/fetchTask",
            {"commandId": "askAboutMessage", "data": {"a": "ans_1"}},
            "ask",
            "askAboutMessage",
        ),
        (
            "composeExtension/submitAction",
            {"commandId": "askAboutMessage", "data": {"a": "ans_1"}},
            "ask_submit",
            "askAboutMessage",
        ),
    ],
)
def test_each_invoke_is_an_interaction(name: str, value: Any, kind: str, called: str) -> None:
    """With its ids, and who did it where."""
    found = parse_invoke(invoke(name, value, scope="channel"), HOME)
    assert isinstance(found, TeamsInteraction)
    assert (found.kind, found.name, found.values["a"]) == (kind, called, "ans_1")
    assert (found.person, found.aad, found.is_outside) == (ANNA, AAD, False)
    assert found.location.place.thread == ROOT
    assert found.message_id == REPLY
    assert found.dedupe_key == f"teams:{CHANNEL};messageid={ROOT}:f:1"
    assert found.reference.service_url == SERVICE_URL


def test_inputs_are_text() -> None:
    """Whatever their type; what is no input is left out."""
    data = {"do": "x", "msteams": {"type": "task/fetch"}, "n": 1.0, "f": 1.5, "dm": True, "l": [1]}
    found = parse_invoke(invoke("task/submit", {"data": data | {"no": None, "a b": "x"}}), HOME)
    assert isinstance(found, TeamsInteraction)
    assert found.values == {"do": "x", "n": "1", "f": "1.5", "dm": "true"}


@pytest.mark.parametrize("data", [{"x": "y" * 8_001}, {str(i): "x" for i in range(41)}])
def test_no_card_of_ours_holds_that_much(data: dict[str, str]) -> None:
    """It is refused before anybody looks at it."""
    with pytest.raises(ContractError):
        parse_invoke(invoke("task/submit", {"data": data}), HOME)


@pytest.mark.parametrize(
    ("value", "values"),
    [
        (
            {
                "actionName": "feedback",
                "actionValue": {"reaction": "like", "feedback": '{"feedbackText": "good"}'},
            },
            {"reaction": "like", "feedbackText": "good"},
        ),
        ({"actionValue": {"reaction": "dislike", "feedback": "no json"}}, {"reaction": "dislike"}),
        ({"data": {"actionValue": {"reaction": "dislike"}}}, {"reaction": "dislike"}),
        ({"actionValue": {"feedback": "[" * 4_000}}, {"reaction": ""}),
        (
            {"actionValue": {"reaction": "like", "feedback": '{"reaction": "dislike"}'}},
            {"reaction": "like"},
        ),
        ("x", {"reaction": ""}),
    ],
)
def test_feedback_is_read(value: Any, values: dict[str, str]) -> None:
    """Its comment is JSON within JSON; what is not is no comment."""
    found = parse_invoke(invoke("message/submitAction", value), HOME)
    assert isinstance(found, TeamsInteraction)
    assert (found.kind, found.name, found.values) == ("feedback", "feedback", values)


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        ({"contentType": "html", "content": "<p>May <b>we</b>?</p>"}, "May we?"),
        ({"contentType": "text", "content": " May <b>we</b>? "}, "May <b>we</b>?"),
        ({}, ""),
    ],
)
def test_the_message_about_which_is_asked(body: dict[str, str], quoted: str) -> None:
    """Its words, cleaned; its id."""
    value = {"commandId": "askAboutMessage", "messagePayload": {"id": "1699", "body": body}}
    found = parse_invoke(invoke("composeExtension/fetchTask", value), HOME)
    assert isinstance(found, TeamsInteraction)
    assert (found.quoted, found.message_id) == (quoted, "1699")


def test_an_invoke_without_an_id_is_known_by_who_did_what_when() -> None:
    """A repeated one is the same."""
    value = {"data": {"do": "evidence"}}
    first = parse_invoke(invoke("task/fetch", value, id=None), HOME)
    assert isinstance(first, TeamsInteraction)
    assert first == parse_invoke(invoke("task/fetch", value, id=None), HOME)
    assert ANNA in first.dedupe_key


@pytest.mark.parametrize("name", ["signin/verifyState", "fileConsent/invoke", "", None])
def test_an_invoke_that_we_do_not_know(name: Any) -> None:
    """Is none of ours."""
    assert parse_invoke(invoke(name), HOME) == NotForUs(reason="kind")


def test_a_bot_presses_nothing() -> None:
    """Neither ours nor another."""
    activity = invoke("task/fetch") | {"from": {"id": OTHER_BOT}}
    assert parse_invoke(activity, HOME) == NotForUs(reason="own")


@pytest.mark.parametrize(
    "broken",
    [
        {"from": None},
        {"from": {}},
        {"from": {"id": "a\x00b"}},
        {"from": {"id": "\ud800"}},
        {"conversation": {}},
        {"id": None},
        {"id": "x" * 500},
        {"timestamp": "yesterday"},
        {"timestamp": "2026-11-20T09:00:00"},
        {"timestamp": None},
        {"timestamp": "0001-01-01T00:00:00+14:00"},
        {"serviceUrl": "https://evil.example/"},
        {"channelData": {}, "conversation": {"id": DIRECT, "conversationType": "personal"}},
    ],
)
def test_a_broken_word_is_said(broken: dict[str, Any]) -> None:
    """What could not be stored or answered is refused at the door."""
    with pytest.raises(ContractError):
        parse(message() | broken, HOME)


def test_an_anonymous_home_reads_the_same() -> None:
    """The playground's tenants are its own."""
    home = replace(HOME, is_anonymous=True, tenants=frozenset())
    found = parse(message(), home)
    assert isinstance(found, InboundMessage)
    assert found.raw["is_outside"] is False


KEYS = [
    "id",
    "type",
    "name",
    "text",
    "tenantId",
    "tenant",
    "mentioned",
    "do",
    "team",
    "data",
    "action",
]
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
TYPES = [
    "message",
    "messageUpdate",
    "messageDelete",
    "conversationUpdate",
    "installationUpdate",
    "invoke",
]
NAMES = ["task/fetch", "task/submit", "adaptiveCard/action", "message/submitAction"]


@examples(400)
@given(
    kind=st.sampled_from(TYPES),
    name=st.sampled_from(NAMES),
    scope=st.sampled_from(["personal", "groupChat", "channel"]),
    bent=st.dictionaries(
        st.sampled_from([*message(), "value", "name", "membersAdded", "action", "replyToId"]),
        JSON,
        max_size=4,
    ),
)
def test_whatever_comes_is_read_or_is_a_broken_word(
    kind: str, name: str, scope: str, bent: dict[str, Any]
) -> None:
    """Nothing but `ContractError` escapes."""
    activity = message(scope=scope, type=kind, name=name, membersAdded=[{"id": BOT}]) | bent
    for read_it in (parse, parse_invoke):
        try:
            read_it(activity, HOME)
        except ContractError:
            continue


BLOCK = (
    '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="17">'
    '<strong itemprop="mri" itemid="8:orgid:b">Ben</strong>'
    '<span itemprop="time" itemid="17">9</span>'
    '<p itemprop="preview">A vendor offers me a <b>watch</b></p></blockquote>'
)
REFERENCE = '{"messageId": "17", "messagePreview": "A vendor offers me a watch"}'
ENTITY = {"type": "quotedReply", "quotedReply": {"preview": "A vendor offers me a watch"}}


@pytest.mark.parametrize(
    "more",
    [
        {"attachments": [{"contentType": "text/html", "content": f"{BLOCK}<p>OK?</p>"}]},
        {"attachments": [{"contentType": "messageReference", "content": REFERENCE}]},
        {"entities": [ENTITY]},
        {"text": f"{BLOCK}\n<p>OK?</p>"},
        {"attachments": [{"contentType": "text/html", "content": BLOCK}], "entities": [ENTITY]},
    ],
)
def test_what_a_message_quotes_stands_apart(more: dict[str, Any]) -> None:
    """However Teams tells it, once, and without who wrote it."""
    found = read(message("OK?") | more)
    assert found.text == "OK?"
    assert [(one.part, one.text) for one in found.context] == [
        ("quoted", "A vendor offers me a watch")
    ]


@pytest.mark.parametrize("content", ["[", "[1]", "{}", "[" * 9_000, None, 7])
def test_a_reference_that_is_none_quotes_nothing(content: Any) -> None:
    """It is somebody's JSON within JSON."""
    held = {"contentType": "messageReference", "content": content}
    assert read(message("OK?", attachments=[held])).context == ()


def test_quotes_are_read_in_linear_time() -> None:
    """Openings without an end, and ends without an opening."""
    for unit in (BLOCK[:80], "<blockquote ", "</blockquote>", "<strong>", BLOCK):
        began_s = time.process_time()
        held = [{"contentType": "text/html", "content": unit * 900}]
        read(message("OK?" + unit * 900, attachments=held))
        assert time.process_time() - began_s < 2.0
