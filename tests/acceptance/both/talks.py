"""A conversation in Slack and one in Teams, held in the same words and with the same presses.

What is pressed is named by what its button says, so it must say the same on both.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tests.both_products import Both
from tests.parity import Shown, page, slack_shows, teams_shows
from tests.servers.slack.posts import Ephemeral
from tests.servers.slack.posts import Message as SlackMessage
from tests.servers.slack.workspace import View
from tests.servers.teams import Message as TeamsMessage
from tests.servers.teams.people import Said
from tests.servers.teams.sender import Delivery

_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}\b")
_CASE = re.compile(r"\b[Cc]ase \d+")
_THUMBS = {"Helpful": "like", "Not helpful": "dislike"}
LOADING = "Loading the evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Somebody writes."""

    text: str
    who: str = "anna"
    named: bool = True
    """False: in a thread, without naming us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Somebody presses a button of the newest message that has it."""

    button: str
    who: str = "anna"
    form: dict[str, str] | None = None
    """What is written into the form that opens; None: none opens, or it is only looked at."""
    told_in: frozenset[str] = frozenset({"slack", "teams"})
    """Where whoever presses is told something, or something opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Anna changes what she wrote first."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Anna takes back what she wrote first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Officer:
    """An officer works on the newest case; see `CaseService`."""

    does: str
    words: str = ""


Step = Say | Press | Edit | Delete | Officer


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a person has in front of them after a step."""

    messages: tuple[Shown, ...]
    """All that we say where they talk to us, and to them directly, in order."""
    told: Shown | None
    """What the one who pressed was told, or what opened; None: nothing."""


class Talk(ABC):
    """One conversation on one platform, with people and a room of its own."""

    platform: str

    def __init__(self, run: Both, key: str, *, is_direct: bool, kind: str) -> None:
        self.run = run
        self.is_direct = is_direct
        self.who: dict[str, Any] = {}
        for name in ("anna", "ben"):
            self.who[name] = self.person(f"{name}{key}", kind if name == "anna" else "staff")
        self.room: Any = self.place(f"room{key}")
        self.first: Any = None
        """What Anna wrote first."""

    @abstractmethod
    def person(self, name: str, kind: str) -> Any:
        """Add somebody: `staff`, `guest` or `stranger`."""

    @abstractmethod
    def place(self, name: str) -> Any:
        """Add the channel where all of them are."""

    @abstractmethod
    async def say(self, step: Say) -> None:
        """Write."""

    @abstractmethod
    async def press(self, step: Press) -> Shown | None:
        """Press; return what is told to that person alone."""

    @abstractmethod
    async def edit(self, text: str) -> None:
        """Change the first message."""

    @abstractmethod
    async def delete(self) -> None:
        """Delete the first message."""

    @abstractmethod
    def messages(self) -> tuple[Shown, ...]:
        """Return what Anna sees of us."""

    async def do(self, step: Step) -> Shown | None:
        """Take a step; return what whoever pressed is told."""
        if isinstance(step, Press):
            return self.alike(await self.press(step))
        if isinstance(step, Say):
            await self.say(step)
        elif isinstance(step, Edit):
            await self.edit(step.text)
        elif isinstance(step, Delete):
            await self.delete()
        return None

    def alike(self, shown: Shown | None) -> Shown | None:
        """Return the same without what differs from one conversation to the next."""
        if shown is None:
            return None
        people = {self.called(one): name for name, one in self.who.items()}

        def told(phrase: str) -> str:
            for called, name in people.items():
                phrase = phrase.replace(called, name)
            return _ID.sub("ID", _CASE.sub("Case N", phrase))

        return replace(
            shown,
            says=frozenset(map(told, shown.says)),
            offers=tuple(map(told, shown.offers)),
        )

    @abstractmethod
    def called(self, person: Any) -> str:
        """Return how messages name somebody."""

    def seen(self) -> tuple[Shown, ...]:
        """Return what Anna sees of us, without what differs from one conversation to the next."""
        return tuple(one for one in map(self.alike, self.messages()) if one is not None)


class SlackTalk(Talk):
    """In Slack."""

    platform = "slack"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._told = set[str]()

    def person(self, name: str, kind: str) -> Any:
        space = self.run.slack.workspace
        if kind == "stranger":
            return space.user(name, team_id="T0OTHER", is_stranger=True)
        return space.user(name, is_restricted=kind == "guest")

    def place(self, name: str) -> Any:
        is_shared = any(one.is_stranger for one in self.who.values())
        return self.run.slack.workspace.channel(name, *self.who.values(), is_ext_shared=is_shared)

    def called(self, person: Any) -> str:
        return str(person.id)

    async def say(self, step: Say) -> None:
        people, person = self.run.slack.people, self.who[step.who]
        root = self.first.message if self.first else None
        if self.is_direct:
            said = await people.ask(person, step.text, thread=root)
        elif step.named:
            said = await people.mention(person, self.room, step.text, thread=root)
        else:
            said = await people.say(person, self.room, step.text, thread=root)
        self.first = self.first or said

    async def edit(self, text: str) -> None:
        named = "" if self.is_direct else f"<@{self.run.slack.workspace.app.bot_user}> "
        await self.run.slack.people.edit(self.first.message, named + text)

    async def delete(self) -> None:
        await self.run.slack.people.delete(self.first.message)

    def _all(self) -> list[SlackMessage | Ephemeral]:
        space, anna = self.run.slack.workspace, self.who["anna"]
        places = {self.room.id, space.direct(anna).id}
        alone = self.run.slack.checks.seen_by(anna.id)
        found = [*self.run.slack.checks.by_app(), *alone]
        return sorted((one for one in found if one.channel in places), key=lambda one: one.ts)

    def messages(self) -> tuple[Shown, ...]:
        return tuple(
            slack_shows(one.blocks, one.text) for one in self._all() if one.ts not in self._told
        )

    async def press(self, step: Press) -> Shown | None:
        slack, person = self.run.slack, self.who[step.who]
        on, action = self._button(step.button)
        before = {one.id for one in slack.presses.views_of(person)}
        whispers = {one.ts for one in slack.checks.seen_by(person.id)}
        more: dict[str, Any] = {}
        if step.button in _THUMBS:
            more["positive"] = _THUMBS[step.button] == "like"
        await slack.presses.click(person, on, action, **more)
        if self.platform not in step.told_in:
            return None

        def views() -> list[View]:
            found = [one for one in slack.presses.views_of(person) if one.id not in before]
            return [one for one in found if LOADING not in str(one.content)]

        def alone() -> list[Ephemeral]:
            return [one for one in slack.checks.seen_by(person.id) if one.ts not in whispers]

        await slack.until(lambda: bool(views() or alone()), timeout_s=15)
        if not views():
            self._told.add(alone()[0].ts)
            return slack_shows(alone()[0].blocks, alone()[0].text)
        view = views()[0]
        if step.form is not None:
            values = {key: {"value": text} for key, text in step.form.items()}
            await slack.presses.submit(person, view, values)
        view.is_open = False
        submit = [view.content["submit"]] if view.content.get("submit") else []
        buttons = {"type": "actions", "elements": [{"text": one} for one in submit]}
        return slack_shows([*view.content["blocks"], buttons])

    def _button(self, label: str) -> tuple[SlackMessage | Ephemeral, str]:
        for message in reversed(self._all()):
            for row in message.blocks:
                for one in row.get("elements", ()):
                    if "action_id" not in one:
                        continue
                    only = slack_shows([{"type": "actions", "elements": [one]}])
                    if _named(label, only.offers):
                        return message, one["action_id"]
        raise AssertionError(f"nothing says {label!r}: {[one.offers for one in self.messages()]}")


class TeamsTalk(Talk):
    """In Teams."""

    platform = "teams"
    first: Said | None

    def person(self, name: str, kind: str) -> Any:
        if kind == "stranger":
            return self.run.teams.tenant.person(name, tenant_id="99999999-0000-4000-8000-1")
        role = "guest" if kind == "guest" else "user"
        return self.run.teams.tenant.person(name, user_role=role)

    def place(self, name: str) -> Any:
        return self.run.teams.tenant.channel(name, *self.who.values())

    def called(self, person: Any) -> str:
        return person.name

    async def say(self, step: Say) -> None:
        people, person = self.run.teams.people, self.who[step.who]
        root = self.first.message if self.first else None
        if self.is_direct:
            said = await people.say(person, self.run.teams.tenant.personal(person), step.text)
        elif step.named:
            said = await people.mention(person, self.room, step.text, thread=root)
        else:
            said = await people.say(person, self.room, step.text, thread=root)
        self.first = self.first or said

    async def edit(self, text: str) -> None:
        assert self.first is not None
        named = "" if self.is_direct else f"<at>{self.run.teams.people.bot_name}</at> "
        await self.run.teams.people.edit(self.first, named + text)

    async def delete(self) -> None:
        assert self.first is not None
        await self.run.teams.people.delete(self.first)

    def _all(self) -> list[TeamsMessage]:
        tenant, anna = self.run.teams.tenant, self.who["anna"]
        places = {self.room.id, tenant.personal(anna).id}
        return [
            one
            for one in tenant.by_bot()
            if one.conversation in places and one.only_for in {None, anna.id}
        ]

    def messages(self) -> tuple[Shown, ...]:
        return tuple(teams_shows(one.activity) for one in self._all())

    async def press(self, step: Press) -> Shown | None:
        people, person = self.run.teams.people, self.who[step.who]
        if step.button in _THUMBS:
            rated = [one for one in self._all() if one.activity.get("channelData")]
            await people.rate(person, rated[-1], _THUMBS[step.button])
            return None
        on, button = self._button(step.button)
        if button["type"] == "imBack":
            await people.say(person, self.run.teams.tenant.personal(person), button["value"])
            return None
        if button["type"] == "Action.Execute":
            told = await people.execute(person, on, button["verb"], button["data"])
            return _answered(told)
        opened = await people.invoke(person, on, "task/fetch", {"data": button["data"]})
        if step.form is None:
            return _answered(opened)
        do = f"{button['data']['do']}_submit"
        sent = {**button["data"], "do": do, **step.form}
        return _answered(await people.invoke(person, on, "task/submit", {"data": sent}))

    def _button(self, label: str) -> tuple[TeamsMessage, Any]:
        for message in reversed(self._all()):
            suggested: Any = message.activity.get("suggestedActions") or {}
            buttons = [one for card in message.cards for one in card.get("actions", ())]
            for one in [*buttons, *suggested.get("actions", ())]:
                if _named(label, [one["title"]]):
                    return message, one
        raise AssertionError(f"nothing says {label!r}: {[one.offers for one in self.messages()]}")


def _named(label: str, offers: Iterable[str]) -> bool:
    return label in {_CASE.sub("case N", one) for one in offers}


def _answered(told: Delivery) -> Shown | None:
    """Return what an invoke is answered with: a line, or a dialog; a card drawn anew is none."""
    answer: Any = told.answer
    value = answer.get("task", answer).get("value")
    if isinstance(value, str):
        return teams_shows({"textFormat": "plain", "text": value})
    if isinstance(value, dict) and "card" in value:
        return teams_shows(page(value["card"]["content"]))
    return None
