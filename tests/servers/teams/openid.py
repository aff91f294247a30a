"""Microsoft's keys, and tokens signed with them: an OpenID server that rotates, lags, lies, dies.

async with openid() as server:
    maker = server.maker(app_id="…")
    teams.sender.sign = maker.headers             # Activity -> headers with a good token
    settings = {"CITEBOUND_TEAMS_OPENID_URL": server.url}
    server.rotate()                               # another key signs; the old one is gone
    server.delay_s = 9; server.status = 503; server.body = b"{"
"""

import asyncio
import base64
import hmac
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.servers.teams.wire import Json

ISSUER = "https://api.botframework.com"
METADATA, KEYS = "/v1/.well-known/openidconfiguration", "/v1/.well-known/keys"


@cache
def private_key(number: int, bits: int = 2048) -> RSAPrivateKey:
    """Return one of a few keys: making one takes a tenth of a second."""
    del number
    return generate_private_key(public_exponent=65537, key_size=bits)


def jwk(kid: str, key: RSAPrivateKey, **more: Any) -> Json:
    """Return the public half as it is published."""
    numbers = key.public_key().public_numbers()
    held: Json = {
        "kty": "RSA",
        "use": "sig",
        "kid": kid,
        "x5t": kid,
        "n": _number(numbers.n),
        "e": _number(numbers.e),
        "endorsements": ["msteams", "directline"],
    }
    return held | more


def _number(value: int) -> str:
    return _text(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _text(held: bytes) -> str:
    return base64.urlsafe_b64encode(held).rstrip(b"=").decode()


@dataclass(slots=True, kw_only=True)
class Maker:
    """Makes tokens for one bot."""

    server: "OpenId"
    app_id: str

    def claims(self, service_url: str, **more: Any) -> Json:
        """Return what a good token states; `None` takes a claim out."""
        now = int(time.time())
        held: Json = {
            "iss": ISSUER,
            "aud": self.app_id,
            "serviceurl": service_url,
            "nbf": now - 300,
            "exp": now + 3600,
        }
        return {key: value for key, value in (held | more).items() if value is not None}

    def token(
        self,
        claims: Json,
        *,
        key: Any = None,
        algorithm: str = "RS256",
        headers: Json | None = None,
    ) -> str:
        """Sign claims; headers that are `None` are taken out."""
        held: Json = {"kid": self.server.kid, "x5t": self.server.kid} | (headers or {})
        given = {name: value for name, value in held.items() if value is not None}
        signing = key if key is not None else self.server.key
        return jwt.encode(claims, signing, algorithm=algorithm, headers=given)

    def confused(self, claims: Json) -> str:
        """Sign claims by HS256, with the public key as the secret, which PyJWT would not do."""
        public = self.server.key.public_key()
        secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        head = {"alg": "HS256", "typ": "JWT", "kid": self.server.kid}
        signed = ".".join(_text(json.dumps(part).encode()) for part in (head, claims))
        return f"{signed}.{_text(hmac.digest(secret, signed.encode(), 'sha256'))}"

    def headers(self, activity: Json) -> dict[str, str]:
        """Return the header under which Teams would send an activity."""
        token = self.token(self.claims(activity.get("serviceUrl", "")))
        return {"Authorization": f"Bearer {token}"}


@dataclass(slots=True, kw_only=True)
class OpenId:
    """The server, and the keys that it publishes."""

    base_url: str = ""
    kid: str = "key-0"
    keys: list[Json] = field(default_factory=list[Json])
    status: int = 200
    delay_s: float = 0.0
    body: bytes | None = None
    """Sent in the place of the key set."""
    metadata: Any = None
    """Sent in the place of the metadata; None: what is right."""
    reads: int = 0
    """How often the metadata was read."""
    _number: int = 0

    def __post_init__(self) -> None:
        """Publish the first key."""
        self.keys = [jwk(self.kid, self.key)]

    @property
    def url(self) -> str:
        """Where the metadata is."""
        return f"{self.base_url}{METADATA}"

    @property
    def key(self) -> RSAPrivateKey:
        """The key that signs."""
        return private_key(self._number)

    def maker(self, app_id: str) -> Maker:
        """Return who makes tokens for a bot."""
        return Maker(server=self, app_id=app_id)

    def rotate(self, *, keeps_old: bool = False) -> None:
        """Sign with another key from now on."""
        self._number += 1
        self.kid = f"key-{self._number}"
        new = jwk(self.kid, self.key)
        self.keys = [*self.keys, new] if keeps_old else [new]

    def recover(self) -> None:
        """Answer well again."""
        self.status, self.delay_s, self.body, self.metadata = 200, 0.0, None, None

    async def serve_metadata(self, _: web.Request) -> web.StreamResponse:
        """Say where the keys are."""
        self.reads += 1
        await asyncio.sleep(self.delay_s)
        right = {"issuer": ISSUER, "jwks_uri": f"{self.base_url}{KEYS}"}
        given = right if self.metadata is None else self.metadata
        return web.json_response(given, status=self.status)

    async def serve_keys(self, _: web.Request) -> web.StreamResponse:
        """Publish the keys."""
        if self.body is not None:
            return web.Response(body=self.body, content_type="application/json")
        return web.json_response({"keys": self.keys})


@asynccontextmanager
async def openid() -> AsyncGenerator[OpenId]:
    """Serve keys until the block ends."""
    server = OpenId()
    application = web.Application()
    application.router.add_get(METADATA, server.serve_metadata)
    application.router.add_get(KEYS, server.serve_keys)
    runner = web.AppRunner(application, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port: int = runner.addresses[0][1]
        server.base_url = f"http://127.0.0.1:{port}"
        yield server
    finally:
        await runner.cleanup()
