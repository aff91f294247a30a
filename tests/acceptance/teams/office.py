"""A tenant with officers: who is there, and how their messages read."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.acceptance.teams.test_pressing import QUESTION, dialog, fetch, id_of, submit
from tests.servers.teams import Conversation, FakeTeams, Message, Person
from tests.servers.teams.openid import OpenId
from tests.servers.teams.sender import Delivery
from tests.servers.teams.wire import Json
from tests.teams_product import Product, product
from tests.unit.teams.reading import words_of

REPORT = "My manager takes bribes from a supplier. What should I do?"


@dataclass(kw_only=True)
class Office:
    """What a test holds on to."""

    teams: FakeTeams
    served: Product
    anna: Person
    ben: Person
    olga: Person
    """The officer on call, listed by the directory's id."""
    oskar: Person
    """Another officer, listed by Teams' own id."""
    room: Conversation
    """Where employees are, and Olga too."""
    desk: Conversation
    """The officers' own; Ben reads it, too, and is no officer."""

    async def answered(self, question: str = QUESTION) -> Message:
        """Let Anna ask in the room, and return the answer."""
        said = await self.teams.people.mention(self.anna, self.room, question)
        return await self.served.answer_to(said.message)

    async def sent(self, answer: Message, **values: str) -> str:
        """Let Anna ask Compliance about an answer; return what she is told."""
        opened = await fetch(self.teams, self.anna, answer, "escalate", id_of(answer))
        assert "Send" in dialog(opened)
        told = await submit(
            self.teams, self.anna, answer, "escalate_submit", id_of(answer), **values
        )
        await self.served.quiet()
        return dialog(told)

    async def opened(self) -> tuple[Message, Message]:
        """Let Anna ask and hand it to Compliance; return the answer and the officers' card."""
        answer = await self.answered()
        await self.sent(answer)
        (card,) = self.cards()
        return answer, card

    def cards(self, place: Conversation | None = None) -> list[Message]:
        """Return the cards in the officers' channel, or in another place."""
        found = [one for one in self.teams.tenant.by_bot() if one.cards]
        where = (place or self.desk).id
        cases = (one for one in found if "case_" in json.dumps(one.cards) or "Case " in title(one))
        return [one for one in cases if one.conversation == where]

    def own(self, person: Person) -> list[Message]:
        """Return what the app wrote to somebody directly."""
        chat = self.teams.tenant.personal(person)
        ours = self.teams.tenant.bot_id
        return [one for one in self.teams.checks.seen_by(person, chat) if one.by == ours]

    def thread(self, root: Message) -> list[str]:
        """Return all that the app shows to everybody in a thread, in order, as read."""
        place = (root.conversation, root.root)
        found = [one for one in self.teams.tenant.by_bot() if one.only_for is None]
        return [words_of(one.text) for one in found if (one.conversation, one.root) == place]

    async def execute(self, person: Person, card: Message, verb: str) -> Delivery:
        """Press a button of a case."""
        told = await self.teams.people.execute(person, card, verb, {"case": id_of(card, "case")})
        assert told.status == 200
        await self.served.quiet()
        return told

    async def begin(self, person: Person, card: Message) -> str:
        """Press what opens the form for an answer; return all that is shown."""
        data: Json = {"do": "case_answer", "case": id_of(card, "case")}
        data["msteams"] = {"type": "task/fetch"}
        return dialog(await self.teams.people.invoke(person, card, "task/fetch", {"data": data}))

    async def answer(self, person: Person, card: Message, text: str, **more: str) -> str:
        """Send the form for an answer; return what is said to it."""
        data: Json = {"do": "case_answer_submit", "case": id_of(card, "case"), "answer": text}
        told = await self.teams.people.invoke(person, card, "task/submit", {"data": data | more})
        await self.served.quiet()
        return dialog(told)

    async def cases(self) -> list[tuple[object, ...]]:
        """Return number, state and owner of each case."""
        rows = await self.served.rows(
            "SELECT number, state, owner FROM citebound.cases ORDER BY number"
        )
        return [tuple(row.values()) for row in rows]

    async def tags(self, like: str) -> list[object]:
        """Return what was recorded, in order; `%` is anything."""
        rows = await self.served.rows(
            f"SELECT tag FROM audit.record WHERE tag LIKE '{like}' ORDER BY at, seq"  # noqa: S608
        )
        return [row["tag"] for row in rows]


def title(message: Message) -> str:
    """Return the first line of a card."""
    return str(message.activity.get("summary") or "")


def pressable(message: Message) -> list[str]:
    """Return what can be pressed, in order."""
    deeds = [one for card in message.cards for one in card.get("actions", ())]
    return [str(one.get("verb") or one.get("data", {}).get("do") or "open") for one in deeds]


@asynccontextmanager
async def office(
    teams: FakeTeams, microsoft: OpenId, database_url: str, **more: Any
) -> AsyncGenerator[Office]:
    """Run the product with two officers and their channel, in which the app is."""
    tenant = teams.tenant
    anna, ben, olga, oskar = map(tenant.person, ("anna", "ben", "olga", "oskar"))
    room = tenant.channel("general", anna, ben, olga)
    desk = tenant.channel("officers", olga, oskar, ben, channel_type="private")
    officers: list[dict[str, Any]] = [
        {"login": "olga", "name": "Olga O.", "accounts": [f"teams/{tenant.id}/{olga.aad.upper()}"]},
        {"login": "oskar", "name": "Oskar O.", "accounts": [f"teams/{tenant.id}/{oskar.id}"]},
    ]
    officers[0]["on_call"] = True
    settings: dict[str, Any] = {
        "officers": json.dumps(officers),
        "case_channel": f"teams/{tenant.id}/{desk.id}",
    }
    async with product(teams, microsoft, database_url, **(settings | more)) as served:
        await teams.people.install(olga, desk)
        await teams.until(lambda: bool(tenant.by_bot()), timeout_s=15)
        yield Office(
            teams=teams,
            served=served,
            anna=anna,
            ben=ben,
            olga=olga,
            oskar=oskar,
            room=room,
            desk=desk,
        )
