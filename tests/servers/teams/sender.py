"""Sending activities to the bot, as the service does: once, with a token, awaited for 15 s."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.servers.teams.wire import Json, is_object

Sign = Callable[[Json], dict[str, str]]
"""Returns the headers with which an activity is sent."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """Something sent to the bot, and what became of it."""

    activity: Json
    status: int | None = None
    """None: no answer in time, or no connection."""
    text: str = ""

    @property
    def acknowledged(self) -> bool:
        """It was answered 2xx."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def answer(self) -> Json:
        """The JSON of the answer, or nothing."""
        try:
            told: Any = json.loads(self.text)
        except ValueError:
            return {}
        return told if is_object(told) else {}


@dataclass(slots=True, kw_only=True)
class Sender:
    """Sends over HTTP."""

    app_url: str = ""
    timeout_s: float = 15.0
    """Our seconds."""
    sign: Sign = field(default=lambda _: {})
    """None: no token, as in the Agents Playground."""
    session: ClientSession | None = None
    deliveries: list[Delivery] = field(default_factory=list[Delivery])
    echo: Callable[[Delivery], Awaitable[None]] | None = None
    """Told of each delivery, once it is over."""

    async def send(self, activity: Json) -> Delivery:
        """Send an activity."""
        body = json.dumps(activity, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json; charset=utf-8"} | self.sign(activity)
        return await self.raw(activity, body, headers)

    async def again(self, delivery: Delivery) -> Delivery:
        """Send once more what was sent before."""
        return await self.send(delivery.activity)

    async def raw(self, activity: Json, body: bytes, headers: dict[str, str]) -> Delivery:
        """Send any bytes with any headers."""
        delivery = Delivery(activity=activity)
        self.deliveries.append(delivery)
        assert self.session is not None
        try:
            async with self.session.post(
                self.app_url,
                data=body,
                headers=headers,
                timeout=ClientTimeout(total=self.timeout_s),
                allow_redirects=False,
            ) as response:
                delivery.status = response.status
                delivery.text = await response.text(errors="replace")
        except (ClientError, OSError, TimeoutError):
            delivery.status = None
        if self.echo is not None:
            await self.echo(delivery)
        return delivery
