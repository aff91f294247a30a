"""A workspace with officers: who is there, and how their messages read."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel
from tests.servers.slack.posts import Message
from tests.servers.slack.workspace import View
from tests.slack_product import Product, product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
OPEN_QUESTION = "Can I accept gifts?"
"""The policies know several cases: it is asked back."""
REPORT = "My manager takes bribes from a supplier. What should I do?"


@dataclass(kw_only=True)
class Office:
    """What a test holds on to."""

    slack: FakeSlack
    served: Product
    anna: User
    ben: User
    olga: User
    """The officer on call."""
    oskar: User
    """Another officer."""
    room: Channel
    """Where employees are, and officers too."""
    desk: Channel
    """The officers' own; Ben reads it, too, and is no officer."""

    async def answered(self, question: str = QUESTION) -> Message:
        """Let Anna ask in the room, and return the answer."""
        said = await self.slack.people.mention(self.anna, self.room, question)
        return await self.served.answer_to(said.message)

    async def form(self, user: User, on: Any, action: str, **more: Any) -> View:
        """Press what opens a form, and return the form."""
        before = {view.id for view in self.slack.presses.views_of(user)}
        await self.slack.presses.click(user, on, action, **more)
        await self.slack.until(lambda: bool(self._new(user, before)), timeout_s=15)
        return self._new(user, before)[-1]

    def _new(self, user: User, before: set[str]) -> list[View]:
        return [one for one in self.slack.presses.views_of(user) if one.id not in before]

    async def sent(self, answer: Message, **values: Any) -> View:
        """Let Anna ask Compliance about an answer, and return what she then sees."""
        form = await self.form(self.anna, answer, "escalate_open")
        await self.slack.presses.submit(self.anna, form, values)
        await self.served.quiet()
        return form

    async def whispered(self, user: User, *, times: int = 1) -> str:
        """Return what somebody was told alone, last."""
        seen = self.slack.checks.seen_by
        await self.slack.until(lambda: len(seen(user.id)) >= times, timeout_s=15)
        return seen(user.id)[-1].text

    def cards(self, channel: Channel | None = None) -> list[Message]:
        """Return the cards in the officers' channel, or in another one."""
        place = (channel or self.desk).id
        found = [one for one in self.slack.checks.by_app() if one.channel == place]
        return [one for one in found if one.text.startswith("Case ")]

    def direct_messages(self, user: User) -> list[Message]:
        """Return what the app wrote to somebody directly."""
        place = self.slack.workspace.direct(user).id
        return [one for one in self.slack.checks.by_app() if one.channel == place]

    def thread(self, root: Message) -> list[Message]:
        """Return all that the app wrote in a thread, in order."""
        app = self.slack.workspace.app.id
        found = self.slack.workspace.thread(root.channel, root.root)
        return [one for one in found if one.app_id == app]

    async def cases(self) -> list[tuple[object, ...]]:
        """Return number, state and owner of each case."""
        rows = await self.served.rows(
            "SELECT number, state, owner FROM citebound.cases ORDER BY number"
        )
        return [tuple(row.values()) for row in rows]

    async def tags(self, like: str) -> list[object]:
        """Return what was recorded, in order."""
        rows = await self.served.rows("SELECT tag FROM audit.record ORDER BY at, seq")
        return [row["tag"] for row in rows if fnmatch(str(row["tag"]), like)]


def shown(what: Message | View) -> str:
    """Return all that something holds, as text."""
    if isinstance(what, View):
        return json.dumps(what.content, ensure_ascii=False)
    return f"{what.text} {json.dumps(what.blocks, ensure_ascii=False)}"


def pressable(what: Message | View) -> list[str]:
    """Return what can be pressed, in order."""
    blocks: Any = what.content["blocks"] if isinstance(what, View) else what.blocks
    found = (element for block in blocks for element in block.get("elements", []))
    return [one["action_id"] for one in found if isinstance(one, dict) and "action_id" in one]


def typed(text: str) -> dict[str, str]:
    """Return what an input holds."""
    return {"value": text}


def ticked(*values: str) -> dict[str, Any]:
    """Return what checkboxes hold."""
    return {"selected_options": [{"value": one} for one in values]}


def picked(value: str) -> dict[str, Any]:
    """Return what a menu or radio buttons hold."""
    return {"selected_option": {"value": value}}


@asynccontextmanager
async def office(slack: FakeSlack, database_url: str, **more: Any) -> AsyncGenerator[Office]:
    """Run the product with two officers and their channel."""
    workspace = slack.workspace
    anna, ben, olga, oskar = map(workspace.user, ("anna", "ben", "olga", "oskar"))
    room = workspace.channel("general", anna, ben, olga)
    kind = more.pop("desk_kind", "group")
    desk = workspace.channel("officers", olga, oskar, ben, kind=kind)
    team = workspace.team_id
    officers = [
        {"login": "olga", "name": "Olga O.", "accounts": [f"slack/{team}/{olga.id}"]},
        {"login": "oskar", "name": "Oskar O.", "accounts": [f"slack/{team}/{oskar.id}"]},
    ]
    officers[0]["on_call"] = True  # pyright: ignore[reportArgumentType]  # JSON
    settings: dict[str, Any] = {
        "officers": json.dumps(officers),
        "case_channel": f"slack/{team}/{desk.id}",
    }
    async with product(slack, database_url, **(settings | more)) as served:
        yield Office(
            slack=slack,
            served=served,
            anna=anna,
            ben=ben,
            olga=olga,
            oskar=oskar,
            room=room,
            desk=desk,
        )
