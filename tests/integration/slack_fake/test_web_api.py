"""The fake's Web API, called by the real client: what it does and what it refuses."""

import re
from contextlib import nullcontext
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError

from tests.servers.slack import FakeSlack
from tests.servers.slack.app import SlackClient
from tests.servers.slack.wire import Json

ANSWER: Json = {"event_type": "answer", "event_payload": {"outbox": "o1", "leaf": "9f"}}
RICH: Json = {
    "type": "rich_text",
    "elements": [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": "<!channel> & all"}]}
    ],
}


async def refused(call: Any) -> str:
    """Return the error that a call ends in."""
    with pytest.raises(SlackApiError) as caught:
        await call
    found = re.search(r"'error': '(\w+)'", str(caught.value))
    return found[1] if found else str(caught.value)


async def test_a_posted_message_stands_in_its_thread_and_is_found_by_its_metadata(
    slack: FakeSlack, client: SlackClient
) -> None:
    """As it is sought after an ambiguous post: `include_all_metadata` shows whose it is."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    question = slack.people.write(anna, room, "May I?")
    posted = await client.chat_postMessage(
        channel=room.id, thread_ts=question.ts, text="Yes.", blocks=[RICH], metadata=ANSWER
    )
    found = await client.conversations_replies(
        channel=room.id, ts=question.ts, include_all_metadata=True
    )
    assert [one["ts"] for one in found["messages"]] == [question.ts, posted["ts"]]
    assert found["messages"][1]["metadata"] == ANSWER
    plain = await client.conversations_replies(channel=room.id, ts=question.ts)
    assert "metadata" not in plain["messages"][1]
    assert slack.checks.one_answer(question).text == "Yes."
    slack.checks.nothing_outside(question)


async def test_an_update_by_text_takes_the_blocks_and_an_empty_metadata_removes_it(
    slack: FakeSlack, client: SlackClient
) -> None:
    """What is not named stays, but for blocks beside a new text."""
    room = slack.workspace.channel("general")
    ts = (await client.chat_postMessage(channel=room.id, text="a", blocks=[RICH], metadata=ANSWER))[
        "ts"
    ]
    message = slack.workspace.find(room.id, ts)
    await client.chat_update(channel=room.id, ts=ts, text="b", blocks=[RICH])
    assert message.blocks
    assert message.metadata == ANSWER
    assert message.edited is None
    await client.chat_update(channel=room.id, ts=ts, text="c", metadata={})
    assert (message.blocks, message.metadata, message.text) == ([], None, "c")
    assert message.edited is not None


@pytest.mark.parametrize(
    ("text", "method", "error"),
    [
        ("x" * 40_001, "post", "msg_too_long"),
        ("x" * 40_000, "post", None),
        ("x" * 4_001, "update", "msg_too_long"),
        ("x" * 4_000, "update", None),
        ("", "post", "no_text"),
    ],
)
async def test_lengths_of_text(
    slack: FakeSlack, client: SlackClient, text: str, method: str, error: str | None
) -> None:
    """40,000 characters in a post, 4,000 in an update, one at least."""
    room = slack.workspace.channel("general")
    first = await client.chat_postMessage(channel=room.id, text="first")
    call = (
        client.chat_postMessage(channel=room.id, text=text)
        if method == "post"
        else client.chat_update(channel=room.id, ts=first["ts"], text=text)
    )
    if error is None:
        await call
    else:
        with nullcontext() if text else pytest.warns(UserWarning, match="text"):
            assert await refused(call) == error


async def test_places_in_which_the_app_may_not_write(slack: FakeSlack, client: SlackClient) -> None:
    """Each has its own error, and a private one does not exist."""
    workspace = slack.workspace
    slack.limits.on = False
    places = {
        workspace.channel("open", with_bot=False).id: "not_in_channel",
        workspace.channel("hidden", kind="group", with_bot=False).id: "channel_not_found",
        workspace.channel("old", is_archived=True).id: "is_archived",
        workspace.channel("news", refuses="restricted_action").id: "restricted_action",
        "C404": "channel_not_found",
    }
    for place, error in places.items():
        assert await refused(client.chat_postMessage(channel=place, text="a")) == error


async def test_a_reply_names_the_root_of_its_thread(slack: FakeSlack, client: SlackClient) -> None:
    """The `ts` of a reply, or what is no `ts`, is no thread."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    root = slack.people.write(anna, room, "root")
    reply = slack.people.write(anna, room, "reply", thread=root)
    for ts, error in ((reply.ts, "cannot_reply_to_message"), ("0", "invalid_thread_ts")):
        call = client.chat_postMessage(channel=room.id, text="a", thread_ts=ts)
        assert await refused(call) == error


async def test_a_reply_whose_root_is_gone_lands_in_the_channel(
    slack: FakeSlack, client: SlackClient
) -> None:
    """Slack says `ok`; that `thread_ts` is missing from its answer is all that tells."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    gone = slack.people.write(anna, room, "May I?")
    kept = slack.people.write(anna, room, "And I?")
    slack.people.write(anna, room, "more", thread=kept)
    gone.deleted = kept.deleted = True
    posted = await client.chat_postMessage(channel=room.id, thread_ts=gone.ts, text="Yes.")
    assert "thread_ts" not in posted["message"]
    with pytest.raises(AssertionError, match="outside the thread"):
        slack.checks.nothing_outside(gone)
    posted = await client.chat_postMessage(channel=room.id, thread_ts=kept.ts, text="Yes.")
    assert posted["message"]["thread_ts"] == kept.ts
    found = await client.conversations_replies(channel=room.id, ts=posted["ts"])
    assert [one["text"] for one in found["messages"]] == ["more", "Yes."]


async def test_an_installation_for_an_organisation_lists_team_by_team(
    slack: FakeSlack, client: SlackClient
) -> None:
    """Without `team_id` there is nothing to list."""
    slack.workspace.knobs.is_org_install = True
    assert await refused(client.users_conversations()) == "missing_argument"
    assert (await client.users_conversations(team_id="T0HOME"))["channels"] == []
    assert (await client.auth_test())["is_enterprise_install"] is True


@pytest.mark.parametrize(
    "metadata",
    [
        {"event_type": "answer"},
        {"event_type": "", "event_payload": {}},
        {"event_type": "answer", "event_payload": "text"},
        {"event_type": "answer", "event_payload": {}, "more": 1},
    ],
)
async def test_metadata_has_one_shape(
    slack: FakeSlack, client: SlackClient, metadata: Json
) -> None:
    """A type and a payload, both of the right kind."""
    room = slack.workspace.channel("general")
    call = client.chat_postMessage(channel=room.id, text="a", metadata=metadata)
    assert await refused(call) == "invalid_metadata_format"


async def test_tokens(slack: FakeSlack, client: SlackClient) -> None:
    """None, unknown, of an app, expired, revoked, of an app that is gone."""
    client.token = None
    assert await refused(client.auth_test()) == "not_authed"
    assert await refused(client.auth_test(token="xoxb-unknown")) == "invalid_auth"  # noqa: S106
    app_token = slack.workspace.app_token
    assert await refused(client.auth_test(token=app_token)) == "not_allowed_token_type"
    expiring = slack.workspace.issue("bot", "chat:write", lasts_s=60)
    assert (await client.auth_test(token=expiring.value))["user_id"] == "U0BOT"
    slack.clock.advance(61)
    assert await refused(client.auth_test(token=expiring.value)) == "token_expired"
    bot_token = slack.workspace.bot_token
    assert (await client.auth_revoke(token=bot_token, test=True))["revoked"] is False
    assert (await client.auth_revoke(token=bot_token))["revoked"] is True
    assert await refused(client.auth_test(token=bot_token)) == "token_revoked"
    slack.workspace.uninstall()
    assert await refused(client.auth_test(token=bot_token)) == "account_inactive"


async def test_a_missing_scope_is_named(slack: FakeSlack, client: SlackClient) -> None:
    """What is needed and what there is; by kind of place when reading."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    slack.workspace.narrow("reactions:write", "groups:read")
    message = slack.people.write(anna, room, "hello")
    with pytest.raises(SlackApiError) as caught:
        await client.reactions_add(channel=room.id, timestamp=message.ts, name="eyes")
    assert caught.value.response["needed"] == "reactions:write"
    assert "chat:write" in caught.value.response["provided"]
    private = slack.workspace.channel("private", anna, kind="group")
    assert await refused(client.conversations_info(channel=private.id)) == "missing_scope"
    assert (await client.conversations_info(channel=room.id))["channel"]["is_member"]


async def test_reactions_count_once(slack: FakeSlack, client: SlackClient) -> None:
    """A second one of the same name is refused."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    message = slack.people.write(anna, room, "hello")
    named = {"channel": room.id, "timestamp": message.ts, "name": "eyes"}
    await client.reactions_add(**named)
    assert await refused(client.reactions_add(**named)) == "already_reacted"
    await client.reactions_remove(**named)
    assert await refused(client.reactions_remove(**named)) == "no_reaction"


async def test_who_is_where(slack: FakeSlack, client: SlackClient) -> None:
    """Guests, strangers, shared channels, page by page."""
    workspace = slack.workspace
    guest = workspace.user("gus", is_ultra_restricted=True)
    other = workspace.outsider("otto")
    people = [workspace.user(f"p{index}") for index in range(5)]
    room = workspace.channel("shared", guest, other, *people, is_ext_shared=True)
    told = (await client.users_info(user=guest.id))["user"]
    assert (told["is_restricted"], told["is_ultra_restricted"]) == (True, True)
    told = (await client.users_info(user=other.id))["user"]
    assert (told["is_stranger"], told["team_id"]) == (True, "T0OTHER")
    assert "is_restricted" not in told
    found: list[str] = []
    async for page in await client.conversations_members(channel=room.id, limit=3):
        found += page["members"]
    assert sorted(found) == sorted(room.members)
    info = await client.conversations_info(channel=room.id, include_num_members=True)
    assert (info["channel"]["is_ext_shared"], info["channel"]["num_members"]) == (True, 8)
    mine = await client.users_conversations(types="public_channel,im")
    assert [one["id"] for one in mine["channels"]] == [room.id]


async def test_direct_messages_are_opened_once(slack: FakeSlack, client: SlackClient) -> None:
    """By `conversations.open`, or by posting to a person."""
    anna = slack.workspace.user("anna")
    opened = await client.conversations_open(users=[anna.id])
    posted = await client.chat_postMessage(channel=anna.id, text="hello")
    assert posted["channel"] == opened["channel"]["id"]
    history = await client.conversations_history(channel=posted["channel"])
    assert [one["text"] for one in history["messages"]] == ["hello"]


async def test_an_ephemeral_is_for_members_and_cannot_be_updated(
    slack: FakeSlack, client: SlackClient
) -> None:
    """It stands in no history."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna)
    slack.limits.on = False
    shown = await client.chat_postEphemeral(channel=room.id, user=anna.id, text="psst")
    assert [one.text for one in slack.checks.seen_by(anna.id)] == ["psst"]
    call = client.chat_postEphemeral(channel=room.id, user=ben.id, text="psst")
    assert await refused(call) == "user_not_in_channel"
    call = client.chat_update(channel=room.id, ts=shown["message_ts"], text="x")
    assert await refused(call) == "message_not_found"
    slack.workspace.knobs.loses_ephemerals = True
    await client.chat_postEphemeral(channel=room.id, user=anna.id, text="lost")
    assert [one.text for one in slack.checks.seen_by(anna.id)] == ["psst"]
    assert (await client.conversations_history(channel=room.id))["messages"] == []


async def test_only_its_own_messages_can_the_app_change(
    slack: FakeSlack, client: SlackClient
) -> None:
    """Others' are refused, deleted ones are gone."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    theirs = slack.people.write(anna, room, "hers")
    named = {"channel": room.id, "ts": theirs.ts}
    assert await refused(client.chat_update(**named, text="x")) == "cant_update_message"
    assert await refused(client.chat_delete(**named)) == "cant_delete_message"
    own = await client.chat_postMessage(channel=room.id, text="ours")
    link = await client.chat_getPermalink(channel=room.id, message_ts=own["ts"])
    assert link["permalink"].endswith("/p" + own["ts"].replace(".", ""))
    await client.chat_delete(channel=room.id, ts=own["ts"])
    call = client.chat_update(channel=room.id, ts=own["ts"], text="x")
    assert await refused(call) == "message_not_found"


@pytest.mark.parametrize("denied", [True, False])
async def test_an_installation_comes_back_with_its_state(slack: FakeSlack, denied: bool) -> None:
    """And with a code, or with a refusal."""
    slack.workspace.knobs.denies_install = denied
    asked = {"client_id": slack.workspace.app.client_id, "state": "s 1", "scope": "chat:write"}
    asked["redirect_uri"] = "https://bot.example.com/slack/oauth"
    url = f"{slack.base_url}/oauth/v2/authorize"
    async with (
        ClientSession() as browser,
        browser.get(url, params=asked, allow_redirects=False) as answer,
    ):
        back = urlsplit(answer.headers["Location"])
    told = parse_qs(back.query)
    assert (back.netloc, told["state"]) == ("bot.example.com", ["s 1"])
    assert told.get("error") == (["access_denied"] if denied else None)
    assert set(told.get("code", [])) == slack.workspace.keys.codes


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # by slack_sdk
async def test_tokens_are_rotated_with_refresh_tokens_that_count_once(
    slack: FakeSlack, client: SlackClient
) -> None:
    """A second rotation with the same refresh token is refused; so is a code."""
    app = slack.workspace.app
    app.rotates_tokens = True
    slack.workspace.keys.codes.add("code-1")
    mine = {"client_id": app.client_id, "client_secret": app.client_secret}
    first = await client.oauth_v2_access(**mine, code="code-1")
    assert first["expires_in"] == 43_200
    assert await refused(client.oauth_v2_access(**mine, code="code-1")) == "code_already_used"
    turn = mine | {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    second = await client.oauth_v2_access(**turn)
    assert second["access_token"] != first["access_token"]
    assert await refused(client.oauth_v2_access(**turn)) == "invalid_refresh_token"
    wrong = turn | {"client_secret": "other"}
    assert await refused(client.oauth_v2_access(**wrong)) == "bad_client_secret"
    assert (await client.auth_test(token=second["access_token"]))["ok"]
