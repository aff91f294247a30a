"""An OpenID Connect provider: it signs anybody in, and lies as it is told to.

async with oidc() as provider:
    settings = {"oidc_issuer": provider.issuer, "oidc_client_id": provider.client_id, ...}
    location = await provider.visit(url)      # what a browser does there; where it is led back to
    provider.claims = {"nonce": "other"}      # what its next token says instead; None leaves it out
"""

import base64
import hashlib
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from aiohttp import web

from tests.servers.teams.openid import jwk, private_key


@dataclass
class OidcServer:
    """The provider, and what it was asked."""

    issuer: str = ""
    client_id: str = "citebound-console"
    secret: str = "hidden-secret"  # noqa: S105  # of a test
    subject: str = "sub-grace"
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    algorithm: str = "RS256"
    key: Any = None
    """Signs instead of its own key."""
    described: dict[str, Any] = field(default_factory=dict[str, Any])
    """What its description says instead."""
    key_number: int = 20
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """What the token endpoint was sent."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    async def visit(self, url: str) -> str:
        """Sign in, as a person does on its page; return where the browser is led."""
        given = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert url.startswith(f"{self.issuer}/authorize?")
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = given
        return f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"

    async def describe(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
            }
            | self.described
        )

    async def keys(self, _: web.Request) -> web.Response:
        kid = f"k{self.key_number}"
        return web.json_response({"keys": [jwk(kid, private_key(self.key_number))]})

    async def token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.asked.append(form)
        asked = self.codes.pop(form.get("code", ""), None)
        sent = base64.b64encode(f"{self.client_id}:{self.secret}".encode()).decode()
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if (
            asked is None
            or request.headers.get("Authorization") != f"Basic {sent}"
            or asked["code_challenge"] != challenge
            or asked["redirect_uri"] != form.get("redirect_uri")
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response({"id_token": self.signed(asked["nonce"])}, status=self.status)

    def signed(self, nonce: str) -> str:
        """Return a token; `claims` change it."""
        now = int(time.time())
        held: dict[str, Any] = {
            "iss": self.issuer,
            "aud": self.client_id,
            "sub": self.subject,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
        } | self.claims
        key = self.key if self.key is not None else private_key(self.key_number)
        return jwt.encode(
            {name: value for name, value in held.items() if value is not None},
            key,
            algorithm=self.algorithm,
            headers={"kid": f"k{self.key_number}"},
        )


@asynccontextmanager
async def oidc() -> AsyncGenerator[OidcServer]:
    """Run it."""
    server = OidcServer()
    app = web.Application()
    app.router.add_get("/.well-known/openid-configuration", server.describe)
    app.router.add_get("/keys", server.keys)
    app.router.add_post("/token", server.token)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.issuer = f"http://{host}:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()
