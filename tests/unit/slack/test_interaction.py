"""Presses, submits, shortcuts and commands, as Slack would send them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.intake import NotForUs
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.interaction import SlackInteraction, parse_interaction
from core.domain.errors import ContractError
from tests.properties import examples
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Ephemeral
from tests.servers.slack.wire import Json
from tests.servers.slack.workspace import View


def plain(text: str) -> Json:
    """Return a text object."""
    return {"type": "plain_text", "text": text}


BUTTON: Json = {"type": "button", "action_id": "evidence_open", "value": "ans_1"}
MENU: Json = {"type": "static_select", "action_id": "pick"}
BLOCKS: list[Json] = [{"type": "actions", "block_id": "b1", "elements": [BUTTON, MENU]}]
INPUTS: list[Json] = [
    {"type": "input", "block_id": name, "element": {"type": kind, "action_id": "v"}}
    for name, kind in (
        ("note", "plain_text_input"),
        ("urg", "static_select"),
        ("vis", "checkboxes"),
    )
]


def read(payload: Json, home: SlackIdentity) -> SlackInteraction:
    """Read an interaction that is ours."""
    found = parse_interaction(payload, home)
    assert isinstance(found, SlackInteraction)
    return found


async def test_a_press_tells_what_where_and_who(slack: FakeSlack, home: SlackIdentity) -> None:
    """Of a message in a thread, and of one that a person alone sees."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    root = slack.people.write(anna, room, "May I?")
    message = slack.people.write(anna, room, "Yes.", thread=root, blocks=BLOCKS)
    delivery = await slack.presses.click(anna, message, "evidence_open")
    found = read(delivery.body, home)
    assert (found.kind, found.name, found.value) == ("press", "evidence_open", "ans_1")
    assert (found.channel, found.message_ts, found.thread_ts) == (room.id, message.ts, root.ts)
    assert (found.person, found.team, found.is_outside) == (anna.id, "T0HOME", False)
    action_ts = delivery.body["actions"][0]["action_ts"]
    assert found.dedupe_key == f"slack:T0HOME:action:{action_ts}:evidence_open"
    assert found.trigger
    assert found.response_url
    assert not found.is_ephemeral
    shown = Ephemeral(channel=room.id, ts="1.000001", user=anna.id, blocks=BLOCKS)
    option = {"text": plain("a"), "value": "clr_1|0"}
    delivery = await slack.presses.click(anna, shown, "pick", selected_option=option)
    found = read(delivery.body, home)
    assert (found.is_ephemeral, found.value) == (True, "clr_1|0")


async def test_a_submit_holds_its_inputs(slack: FakeSlack, home: SlackIdentity) -> None:
    """By block; several choices together; and the metadata that we gave it."""
    anna = slack.workspace.user("anna")
    content: Json = {"type": "modal", "callback_id": "escalate_submit", "blocks": INPUTS}
    content |= {"title": plain("Ask"), "private_metadata": '{"a":"ans_1"}', "notify_on_close": True}
    view = View(id="V1", content=content, user=anna.id, hash="h1", root_id="V1")
    values: dict[str, Json] = {
        "note": {"value": "urgent"},
        "urg": {"selected_option": {"value": "today"}},
        "vis": {"selected_options": [{"value": "dm"}, {"value": "anon"}]},
    }
    found = read((await slack.presses.submit(anna, view, values)).body, home)
    assert (found.kind, found.name, found.view) == ("submit", "escalate_submit", "V1")
    assert found.values == {"note": "urgent", "urg": "today", "vis": "dm,anon"}
    assert (found.context, found.view_hash) == ('{"a":"ans_1"}', "h1")
    assert found.dedupe_key == "slack:T0HOME:view:V1"
    assert (found.channel, found.message_ts) == (None, None)
    closed = await slack.presses.close(anna, view)
    assert closed is not None
    assert read(closed.body, home).kind == "close"


async def test_shortcuts_and_commands(slack: FakeSlack, home: SlackIdentity) -> None:
    """A command's words are read like a message's."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    found = read((await slack.presses.shortcut(anna, "ask_global")).body, home)
    assert (found.kind, found.name, found.channel) == ("shortcut", "ask_global", None)
    message = slack.people.write(anna, room, "a rumour")
    delivery = await slack.presses.message_action(anna, message, "ask_about_message")
    found = read(delivery.body, home)
    assert (found.kind, found.message_ts) == ("message_shortcut", message.ts)
    delivery = await slack.presses.command(anna, room, "gifts &gt; 50?")
    found = read(delivery.body, home)
    assert (found.kind, found.name, found.value) == ("command", "/policy", "gifts > 50?")
    assert found.dedupe_key == f"slack:T0HOME:command:{found.trigger}"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"api_app_id": "A0OTHER"}, "app"),
        ({"team": {"id": "T0OTHER"}}, "team"),
        ({"team": None}, "team"),
        ({"type": "block_suggestion"}, "kind"),
    ],
)
async def test_what_is_not_ours(
    slack: FakeSlack, home: SlackIdentity, changed: Json, reason: str
) -> None:
    """Another app's, another workspace's, or of a kind that we do not use."""
    anna = slack.workspace.user("anna")
    payload = (await slack.presses.shortcut(anna, "ask_global")).body | changed
    assert parse_interaction(payload, home) == NotForUs(reason=reason)


async def test_an_outsiders_press_is_told(slack: FakeSlack, home: SlackIdentity) -> None:
    """By the team of the person."""
    otto = slack.workspace.outsider("otto")
    found = read((await slack.presses.shortcut(otto, "ask_global")).body, home)
    assert found.is_outside


@pytest.mark.parametrize(
    "changed",
    [{"user": None}, {"actions": []}, {"actions": None}, {"actions": [{"action_id": "a"}]}],
)
async def test_a_broken_press_is_a_broken_word(
    slack: FakeSlack, home: SlackIdentity, changed: dict[str, Any]
) -> None:
    """Not a crash."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    message = slack.people.write(anna, room, "Yes.", blocks=BLOCKS)
    payload = (await slack.presses.click(anna, message, "evidence_open")).body | changed
    with pytest.raises(ContractError):
        parse_interaction(payload, home)


ANY = st.recursive(
    st.none() | st.booleans() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "values", "state", "action_id", "value"]), inner)
    ),
    max_leaves=8,
)


@examples(200)
@given(
    payload=st.dictionaries(
        st.sampled_from(
            ["user", "view", "container", "message", "channel", "actions", "state", "enterprise"]
        ),
        ANY,
    ),
    kind=st.sampled_from(["block_actions", "view_submission", "shortcut", "command"]),
)
def test_whatever_comes_is_read_or_is_a_broken_word(payload: Json, kind: str) -> None:
    """Nothing but `ContractError` escapes."""
    home = SlackIdentity(app_id="A1", bot_user="UBOT", teams=frozenset({"T1"}))
    ours: Json = {"type": kind, "api_app_id": "A1", "team": {"id": "T1"}, "team_id": "T1"}
    try:
        parse_interaction(payload | ours | ({"command": "/x"} if kind == "command" else {}), home)
    except ContractError:
        return
