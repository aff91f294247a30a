"""Buttons, modals, shortcuts and commands, with the real Bolt on the other side."""

from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.servers.slack import FakeSlack
from tests.servers.slack.app import SlackClient, listening
from tests.servers.slack.wire import Json


def plain(text: str) -> Json:
    """Return a text object."""
    return {"type": "plain_text", "text": text}


BUTTON: Json = {"type": "button", "action_id": "go", "text": plain("Go"), "value": "ans_1"}
THUMBS: Json = {
    "type": "feedback_buttons",
    "action_id": "feedback",
    "positive_button": {"text": plain("Helpful"), "value": "ans_1|up"},
    "negative_button": {"text": plain("Not helpful"), "value": "ans_1|down"},
}
BLOCKS: list[Json] = [
    {"type": "actions", "block_id": "acts", "elements": [BUTTON]},
    {"type": "context_actions", "elements": [THUMBS]},
]
NOTE: Json = {
    "type": "input",
    "block_id": "note",
    "label": plain("Note"),
    "element": {"type": "plain_text_input", "action_id": "v"},
}
MODAL: Json = {
    "type": "modal",
    "callback_id": "ask",
    "title": plain("Ask"),
    "submit": plain("Send"),
    "blocks": [NOTE],
}


async def test_a_press_opens_a_modal_and_a_submit_is_answered(
    slack: FakeSlack, client: SlackClient, app: AsyncApp
) -> None:
    """Errors keep it open, an update shows the confirmation, nothing closes it."""
    seen: list[str] = []

    @app.action("go")
    async def pressed(ack: Any, body: Json, client: SlackClient) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack()
        seen.append(body["actions"][0]["value"])
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @app.view("ask")
    async def submitted(ack: Any, view: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        note = view["state"]["values"].get("note", {}).get("v", {}).get("value")
        seen.append(str(note))
        done: Json = {"type": "modal", "title": plain("Sent"), "callback_id": "ask"}
        done["blocks"] = [{"type": "section", "text": plain("Sent.")}]
        if not note:
            await ack(response_action="errors", errors={"note": "Say something"})
        elif note == "bye":
            await ack()
        else:
            await ack(response_action="update", view=done)

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    posted = await client.chat_postMessage(channel=room.id, text="a", blocks=BLOCKS)
    message = slack.workspace.find(room.id, posted["ts"])
    async with listening(slack, app):
        pressed_at = await slack.presses.click(anna, message, "go")
        assert pressed_at.acknowledged
        await slack.journal.wait_for("views.open")
        (view,) = slack.presses.views_of(anna)
        delivery = await slack.presses.submit(anna, view)
        assert delivery.answer["response_action"] == "errors"
        assert view.is_open
        await slack.presses.submit(anna, view, {"note": {"value": "please"}})
        assert view.content["title"]["text"] == "Sent"
        await slack.presses.click(anna, message, "go")
        await slack.journal.wait_for("views.open", times=2)
        second = slack.presses.views_of(anna)[-1]
        await slack.presses.submit(anna, second, {"note": {"value": "bye"}})
        assert not second.is_open
    assert seen == ["ans_1", "None", "please", "ans_1", "bye"]


async def test_thumbs_send_the_value_of_their_side(
    slack: FakeSlack, client: SlackClient, app: AsyncApp
) -> None:
    """An element that is not there is a fault of the test."""
    seen: list[str] = []

    @app.action("feedback")
    async def thumb(ack: Any, action: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack()
        seen.append(action["value"])

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    posted = await client.chat_postMessage(channel=room.id, text="a", blocks=BLOCKS)
    message = slack.workspace.find(room.id, posted["ts"])
    async with listening(slack, app):
        await slack.presses.click(anna, message, "feedback", positive=True)
        await slack.presses.click(anna, message, "feedback", positive=False)
        with pytest.raises(AssertionError, match="expected an element 'nothing'"):
            await slack.presses.click(anna, message, "nothing")
    assert seen == ["ans_1|up", "ans_1|down"]


async def test_a_trigger_id_opens_one_view_within_three_seconds(
    slack: FakeSlack, client: SlackClient
) -> None:
    """Then it is exchanged, or expired; an unknown one is invalid."""
    anna = slack.workspace.user("anna")
    trigger = slack.workspace.trigger(anna.id)
    opened = await client.views_open(trigger_id=trigger, view=MODAL)
    late = slack.workspace.trigger(anna.id)
    slack.clock.advance(3.5)
    faults = {trigger: "exchanged_trigger_id", late: "expired_trigger_id", "x": "invalid_trigger"}
    for one, error in faults.items():
        with pytest.raises(SlackApiError, match=error):
            await client.views_open(trigger_id=one, view=MODAL)
    view = {"view_id": opened["view"]["id"], "view": MODAL}
    updated = await client.views_update(**view, hash=opened["view"]["hash"])
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_update(**view, hash=opened["view"]["hash"])
    await client.views_update(**view, hash=updated["view"]["hash"])
    for _ in range(2):
        await client.views_push(trigger_id=slack.workspace.trigger(anna.id), view=MODAL)
    with pytest.raises(SlackApiError, match="push_limit_reached"):
        await client.views_push(trigger_id=slack.workspace.trigger(anna.id), view=MODAL)
    home: Json = {"type": "home", "blocks": [{"type": "divider"}]}
    await client.views_publish(user_id=anna.id, view=home)
    assert slack.workspace.homes[anna.id].content["type"] == "home"
    with pytest.raises(SlackApiError, match="must be a home"):
        await client.views_publish(user_id=anna.id, view=MODAL)


async def test_a_command_and_its_response_url(slack: FakeSlack, app: AsyncApp) -> None:
    """What is answered is for the person alone; the address works five times in half an hour."""
    urls: list[str] = []

    @app.command("/policy")
    async def asked(ack: Any, body: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack("Checking…")
        urls.append(body["response_url"])

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    async with listening(slack, app):
        assert (await slack.presses.command(anna, room, "gifts?")).acknowledged
        assert (await slack.presses.command(anna, room, "gifts?")).acknowledged
    assert [one.text for one in slack.checks.seen_by(anna.id)] == ["Checking…"] * 2
    webhook = AsyncWebhookClient(urls[0])
    for _ in range(5):
        assert (await webhook.send(text="See your messages")).status_code == 200
    assert "used_url" in (await webhook.send(text="once more")).body
    slack.clock.advance(1801)
    assert "expired_url" in (await AsyncWebhookClient(urls[1]).send(text="late")).body
    assert slack.checks.by_app() == []


async def test_an_ephemeral_is_replaced_through_its_response_url(
    slack: FakeSlack, client: SlackClient, app: AsyncApp
) -> None:
    """The only way to change one."""

    @app.action("go")
    async def pressed(ack: Any, respond: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack()
        await respond(text="Done.", replace_original=True)

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    await client.chat_postEphemeral(channel=room.id, user=anna.id, text="a", blocks=BLOCKS)
    (shown,) = slack.checks.seen_by(anna.id)
    async with listening(slack, app):
        await slack.presses.click(anna, shown, "go")
        await slack.journal.wait_for("response_url", outcome="ok")
    assert (shown.text, shown.blocks) == ("Done.", [])


async def test_shortcuts(slack: FakeSlack, app: AsyncApp) -> None:
    """Anywhere, and on a message."""
    seen: list[str] = []

    @app.shortcut("ask_global")
    async def everywhere(ack: Any, shortcut: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack()
        seen.append(shortcut["type"])

    @app.shortcut("ask_about_message")
    async def on_message(ack: Any, shortcut: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        await ack()
        seen.append(shortcut["message"]["text"])

    anna = slack.workspace.user("anna")
    message = slack.people.write(anna, slack.workspace.channel("general", anna), "a rumour")
    async with listening(slack, app):
        await slack.presses.shortcut(anna, "ask_global")
        await slack.presses.message_action(anna, message, "ask_about_message")
    assert seen == ["shortcut", "a rumour"]
