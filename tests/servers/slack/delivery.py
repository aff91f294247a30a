"""Sending to the app: signed, awaited for 3 s, and sent again on Slack's schedule.

After a failure Slack delivers an event again at once, after 1 minute and after 5 minutes, with
the number and the reason of the retry in two headers; `X-Slack-No-Retry: 1` in an answer that is
no success ends it. Interactions and commands are sent once.
"""

import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Literal
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.servers.slack.sockets import Sockets
from tests.servers.slack.wire import Json, is_object
from tests.servers.slack.workspace import Workspace

RETRY_AFTER_S = (0.0, 60.0, 300.0)
"""Virtual seconds before each retry."""
Kind = Literal["events_api", "interactive", "slash_commands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time that something was sent."""

    at: float
    """Virtual time."""
    retry: int
    status: int | None
    """None: no answer in time, or no connection."""
    fault: str
    """`""`, `http_timeout`, `connection_failed`, `http_error`, or `timeout` on a socket."""
    text: str = ""
    no_retry: bool = False


@dataclass(slots=True, kw_only=True)
class Delivery:
    """Something sent to the app, and what became of it."""

    kind: Kind
    body: Json
    attempts: list[Attempt] = field(default_factory=list[Attempt])

    @property
    def acknowledged(self) -> bool:
        """The last attempt was answered 2xx."""
        return bool(self.attempts) and not self.attempts[-1].fault

    @property
    def status(self) -> int | None:
        """What the last attempt was answered."""
        return self.attempts[-1].status if self.attempts else None

    @property
    def answer(self) -> Json:
        """The JSON of the last answer, or nothing."""
        try:
            told: Any = json.loads(self.attempts[-1].text) if self.attempts else {}
        except ValueError:
            return {}
        return told if is_object(told) else {}


@dataclass(slots=True, kw_only=True)
class Sender:
    """Sends over HTTP where the app has an address, else over its sockets."""

    workspace: Workspace
    sockets: Sockets
    app_url: str = ""
    ack_timeout_s: float = 3.0
    """Our seconds; Slack waits three."""
    session: ClientSession | None = None
    deliveries: list[Delivery] = field(default_factory=list[Delivery])

    def sign(
        self, body: bytes, *, secret: str | None = None, timestamp: float | None = None
    ) -> dict[str, str]:
        """Return the headers of a body: v0 of HMAC-SHA256 over version, time and raw bytes."""
        moment = str(int(time.time() if timestamp is None else timestamp))
        key = (secret or self.workspace.app.signing_secret).encode()
        mark = hmac.new(key, f"v0:{moment}:".encode() + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": moment, "X-Slack-Signature": f"v0={mark}"}

    async def deliver(self, envelope: Json, *, retries: int = 3) -> Delivery:
        """Send an event until it is acknowledged, at most 1 + `retries` times."""
        delivery = Delivery(kind="events_api", body=envelope)
        self.deliveries.append(delivery)
        reason = ""
        for retry in range(retries + 1):
            if retry:
                await self.workspace.clock.sleep(RETRY_AFTER_S[retry - 1])
            attempt = await self._event(envelope, retry, reason)
            delivery.attempts.append(attempt)
            reason = attempt.fault
            if not reason or attempt.no_retry:
                break
        return delivery

    async def interact(self, payload: Json) -> Delivery:
        """Send an interaction."""
        delivery = Delivery(kind="interactive", body=payload)
        return await self._once(delivery, urlencode({"payload": json.dumps(payload)}))

    async def command(self, fields: dict[str, str]) -> Delivery:
        """Send a slash command."""
        delivery = Delivery(kind="slash_commands", body=dict(fields))
        return await self._once(delivery, urlencode(fields))

    async def raw(self, body: bytes, headers: dict[str, str]) -> Attempt:
        """Send any bytes with any headers."""
        return await self._post(body, headers, retry=0)

    async def _once(self, delivery: Delivery, form: str) -> Delivery:
        self.deliveries.append(delivery)
        if self.app_url:
            body = form.encode()
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            attempt = await self._post(body, self.sign(body) | kind, retry=0)
        else:
            attempt = await self._over_socket(delivery.kind, delivery.body, 0, "")
        delivery.attempts.append(attempt)
        return delivery

    async def _event(self, envelope: Json, retry: int, reason: str) -> Attempt:
        if not self.app_url:
            return await self._over_socket("events_api", envelope, retry, reason)
        body = json.dumps(envelope, ensure_ascii=False).encode()
        headers = self.sign(body) | {"Content-Type": "application/json"}
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": reason}
        return await self._post(body, headers, retry=retry)

    async def _post(self, body: bytes, headers: dict[str, str], *, retry: int) -> Attempt:
        at, session = self.workspace.clock.now(), self.session
        headers = {"User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)"} | headers
        assert session is not None
        timeout = ClientTimeout(total=self.ack_timeout_s)
        try:
            async with session.post(
                self.app_url,
                data=BytesIO(body),
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                text = await response.text(errors="replace")
                fault = "" if response.status < 300 else "http_error"
                no_retry = response.headers.get("X-Slack-No-Retry") == "1"
                return Attempt(
                    at=at,
                    retry=retry,
                    status=response.status,
                    fault=fault,
                    text=text,
                    no_retry=no_retry,
                )
        except TimeoutError:
            return Attempt(at=at, retry=retry, status=None, fault="http_timeout")
        except (ClientError, OSError):
            return Attempt(at=at, retry=retry, status=None, fault="connection_failed")

    async def _over_socket(self, kind: Kind, body: Json, retry: int, reason: str) -> Attempt:
        at = self.workspace.clock.now()
        heard = await self.sockets.send(
            kind,
            body,
            ack_timeout_s=self.ack_timeout_s,
            retry=retry,
            reason=reason,
            answerable=kind != "events_api",
        )
        if heard is None:
            return Attempt(at=at, retry=retry, status=None, fault="timeout")
        text = json.dumps(heard.payload) if heard.payload else ""
        return Attempt(at=at, retry=retry, status=200, fault="", text=text)
