"""What people press and fill in: buttons, modals, shortcuts, commands."""

from dataclasses import dataclass
from typing import Any

from tests.servers.slack.arguments import Arguments
from tests.servers.slack.delivery import Delivery, Sender
from tests.servers.slack.methods.call import Call
from tests.servers.slack.methods.views import new_view, replace
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.response_urls import ResponseUrls
from tests.servers.slack.wire import Json, is_object, objects
from tests.servers.slack.workspace import View, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An element that can be pressed, and the block it is in."""

    block_id: str
    element: Json


def find(blocks: list[Json], action_id: str) -> Found:
    """Return an element by its action id.

    Raises:
        AssertionError: There is none; with those that there are.
    """
    found = list(_pressable(blocks))
    for one in found:
        if one.element.get("action_id") == action_id:
            return one
    there = [one.element.get("action_id") for one in found]
    raise AssertionError(f"expected an element {action_id!r}, got {there}")


def _pressable(blocks: list[Json]) -> list[Found]:
    found: list[Found] = []
    for block in blocks:
        inner = objects(block.get("elements"))
        inner += [block[key] for key in ("accessory", "element") if is_object(block.get(key))]
        block_id = str(block.get("block_id", ""))
        found += [Found(block_id=block_id, element=one) for one in inner if "action_id" in one]
        found += _pressable(objects(block.get("child_blocks")))
    return found


class Presses:
    """Presses things in people's names."""

    def __init__(self, workspace: Workspace, sender: Sender, urls: ResponseUrls):
        self._workspace = workspace
        self._sender = sender
        self._urls = urls

    async def click(
        self, user: User, on: Message | Ephemeral | View, action_id: str, **more: Any
    ) -> Delivery:
        """Press an element of a message or view.

        `more` goes into the action: `selected_option=…` of a select; of feedback buttons
        `value=…`, or `positive=True` or `False` for the value of that button.
        """
        blocks = objects(on.content["blocks"]) if isinstance(on, View) else on.blocks
        found = find(blocks, action_id)
        element = found.element
        if "positive" in more:
            side = "positive_button" if more.pop("positive") else "negative_button"
            more |= {"value": element[side]["value"], "text": element[side]["text"]}
        action: Json = {"action_id": action_id, "block_id": found.block_id}
        action |= {key: element[key] for key in ("type", "text", "value", "url") if key in element}
        action |= {"action_ts": self._workspace.new_ts()} | more
        return await self._sender.interact(self._pressed(user, on, action))

    async def submit(
        self, user: User, view: View, values: dict[str, Json] | None = None
    ) -> Delivery:
        """Send a modal: `values` is block id -> what its element holds, `{"value": "…"}`.

        What the app answers is done: the modal closes, changes, gets another above it, or stays
        with errors.
        """
        state: Json = {}
        for block in objects(view.content["blocks"]):
            if block.get("type") == "input":
                element = block["element"]
                held = (values or {}).get(block["block_id"], self._initial(element))
                told = {"type": element["type"]} | held
                state[block["block_id"]] = {element["action_id"]: told}
        unknown = set(values or {}) - state.keys()
        assert not unknown, f"expected inputs {sorted(state)}, got {sorted(unknown)}"
        shown = self._shown(view) | {"state": {"values": state}}
        payload = self._payload(user, "view_submission") | {"view": shown}
        payload["response_urls"] = list[str]()
        delivery = await self._sender.interact(payload)
        if delivery.acknowledged:
            self._take_answer(user, view, delivery.answer)
        return delivery

    async def close(self, user: User, view: View) -> Delivery | None:
        """Close a modal; the app hears of it if it asked to."""
        view.is_open = False
        if not view.content.get("notify_on_close"):
            return None
        payload = self._payload(user, "view_closed", trigger=False)
        payload |= {"view": self._shown(view), "is_cleared": False}
        return await self._sender.interact(payload)

    async def shortcut(self, user: User, callback_id: str) -> Delivery:
        """Use a global shortcut."""
        payload = self._payload(user, "shortcut") | {"callback_id": callback_id}
        return await self._sender.interact(payload | {"action_ts": self._workspace.new_ts()})

    async def message_action(self, user: User, message: Message, callback_id: str) -> Delivery:
        """Use a shortcut on a message."""
        payload = self._payload(user, "message_action") | {"callback_id": callback_id}
        payload |= {"message": message.shown(), "message_ts": message.ts}
        payload |= {"channel": self._channel(message.channel)}
        payload["action_ts"] = self._workspace.new_ts()
        payload["response_url"] = self._urls.give(message.channel, user.id)
        return await self._sender.interact(payload)

    async def command(
        self, user: User, channel: Channel, text: str, *, command: str = "/policy"
    ) -> Delivery:
        """Use a slash command; what the app answers at once is shown to the person alone."""
        workspace = self._workspace
        fields = {"token": "legacy", "team_id": workspace.team_id, "team_domain": workspace.domain}
        fields |= {"channel_id": channel.id, "channel_name": channel.name, "user_id": user.id}
        fields |= {"user_name": user.name, "command": command, "text": text}
        fields |= {
            "api_app_id": workspace.app.id,
            "is_enterprise_install": str(workspace.knobs.is_org_install).lower(),
        }
        if workspace.enterprise_id:
            fields |= {"enterprise_id": workspace.enterprise_id, "enterprise_name": "Org"}
        fields["response_url"] = self._urls.give(channel.id, user.id)
        fields["trigger_id"] = workspace.trigger(user.id)
        delivery = await self._sender.command(fields)
        told = delivery.answer or {"text": delivery.attempts[-1].text}
        if delivery.acknowledged and (told.get("text") or told.get("blocks")):
            self._urls.show(channel.id, user.id, told)
        return delivery

    def views_of(self, user: User) -> list[View]:
        """Return the modals that somebody has open, the topmost last."""
        views = self._workspace.views.values()
        return [view for view in views if view.user == user.id and view.is_open]

    def _pressed(self, user: User, on: Message | Ephemeral | View, action: Json) -> Json:
        payload = self._payload(user, "block_actions") | {"actions": [action]}
        if isinstance(on, View):
            payload["container"] = {"type": "view", "view_id": on.id}
            return payload | {"view": self._shown(on)}
        hidden = isinstance(on, Ephemeral)
        container: Json = {"type": "message", "message_ts": on.ts, "channel_id": on.channel}
        container |= {"is_ephemeral": hidden}
        if on.thread_ts:
            container["thread_ts"] = on.thread_ts
        payload |= {"container": container, "channel": self._channel(on.channel)}
        payload["state"] = {"values": {}}
        payload["response_url"] = self._urls.give(on.channel, user.id, on)
        return payload if isinstance(on, Ephemeral) else payload | {"message": on.shown()}

    def _payload(self, user: User, kind: str, *, trigger: bool = True) -> Json:
        workspace = self._workspace
        person = {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id}
        told: Json = {"type": kind, "user": person, "api_app_id": workspace.app.id}
        team = user.team_id if workspace.knobs.names_pressers_team else workspace.team_id
        told |= {"token": "legacy", "team": {"id": team, "domain": workspace.domain}}
        enterprise = workspace.enterprise_id
        told["enterprise"] = {"id": enterprise, "name": "Org"} if enterprise else None
        told["is_enterprise_install"] = workspace.knobs.is_org_install
        return told | ({"trigger_id": workspace.trigger(user.id)} if trigger else {})

    def _channel(self, number: str) -> Json:
        channel = self._workspace.channels[number]
        name = "directmessage" if channel.kind == "im" else channel.name
        return {"id": channel.id, "name": name}

    def _shown(self, view: View) -> Json:
        workspace = self._workspace
        return view.shown(workspace.team_id, workspace.app.id, workspace.app.bot_id)

    def _initial(self, element: Json) -> Json:
        if "initial_option" in element:
            return {"selected_option": element["initial_option"]}
        if "options" in element and element["type"] == "checkboxes":
            return {"selected_options": element.get("initial_options", [])}
        return {"value": element.get("initial_value")}

    def _take_answer(self, user: User, view: View, answer: Json) -> None:
        call = Call(workspace=self._workspace, arguments=Arguments({}), token=None, base_url="")
        match answer.get("response_action"):
            case None:
                view.is_open = False
            case "clear":
                for one in self.views_of(user):
                    one.is_open = False
            case "errors":
                ids = {one.get("block_id") for one in objects(view.content["blocks"])}
                unknown = answer["errors"].keys() - ids
                assert not unknown, f"errors name blocks that are not there: {unknown}"
            case "update":
                replace(call, view, answer.get("view"), "modal")
            case "push":
                above = new_view(call, user.id, answer.get("view"), below=view)
                self._workspace.views[above.id] = above
            case other:
                raise AssertionError(f"unknown response_action {other!r}")
