"""Requests that Slack never sent, or not now, or not so."""

import json
import time

from tests.servers.slack.delivery import Attempt, Delivery, Sender
from tests.servers.slack.wire import Json

_JSON = {"Content-Type": "application/json"}


class Attacks:
    """Sends them; a good app answers 401 and does nothing."""

    def __init__(self, sender: Sender):
        self._sender = sender

    async def forged(self, envelope: Json) -> Attempt:
        """Sign with another secret."""
        body = _body(envelope)
        headers = self._sender.sign(body, secret="".join(("an", "other"))) | _JSON
        return await self._sender.raw(body, headers)

    async def changed(self, envelope: Json, text: str) -> Attempt:
        """Sign, then change the body."""
        headers = self._sender.sign(_body(envelope)) | _JSON
        other = envelope | {"event": envelope["event"] | {"text": text}}
        return await self._sender.raw(_body(other), headers)

    async def late(self, envelope: Json, *, by_s: float = 301.0) -> Attempt:
        """Sign as of some time ago; a negative time is in the future."""
        body = _body(envelope)
        headers = self._sender.sign(body, timestamp=time.time() - by_s) | _JSON
        return await self._sender.raw(body, headers)

    async def unsigned(self, body: bytes) -> Attempt:
        """Send bytes without a signature."""
        return await self._sender.raw(body, dict(_JSON))

    async def signed(self, body: bytes, content_type: str = "application/json") -> Attempt:
        """Send any bytes, well signed: malformed JSON, a list, something deep or large."""
        headers = self._sender.sign(body) | {"Content-Type": content_type}
        return await self._sender.raw(body, headers)

    async def with_headers(self, envelope: Json, **headers: str) -> Attempt:
        """Sign, then put other headers in place: `timestamp="abc"`, `signature="v0=ß"`."""
        body = _body(envelope)
        given = self._sender.sign(body) | _JSON
        names = {"timestamp": "X-Slack-Request-Timestamp", "signature": "X-Slack-Signature"}
        given |= {names.get(name, name.replace("_", "-")): value for name, value in headers.items()}
        return await self._sender.raw(body, given)

    async def replay(self, delivery: Delivery) -> Attempt:
        """Send once more what was sent before, signed as of now."""
        body = _body(delivery.body)
        return await self._sender.raw(body, self._sender.sign(body) | _JSON)

    async def verify_url(self, challenge: str = "a-challenge") -> Attempt:
        """Ask the app to show that the address is its own (no attack)."""
        told = {"type": "url_verification", "token": "legacy", "challenge": challenge}
        return await self.signed(_body(told))


def _body(envelope: Json) -> bytes:
    return json.dumps(envelope, ensure_ascii=False).encode()
