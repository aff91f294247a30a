"""Sign-in by OpenID Connect: the authorization code flow with PKCE, state and nonce.

The provider is the one of the settings: its discovery document has to name it, and its token has to
be signed by one of its keys, for us, for this attempt. Who somebody is, the claim `sub` says: a
mail address or a name may be given to somebody else one day.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, cast
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout
from authlib.common.security import generate_token
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from core.config.console import is_private_address
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError
from core.ports import Clock

CALLBACK = "/officer/oidc/callback"
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Of a key pair alone: what a shared secret signs, or nothing, whoever has it could have signed."""
LEEWAY_S = 60
WITHIN_S = 10.0
LARGEST = 256 * 1024
"""Bytes of an answer of the provider's."""
KEPT_S = 3_600.0
"""How long the provider's description and keys are believed."""
LETTERS = 48
"""Of a random value: RFC 7636 asks for 43 to 128."""
OK = 200


class SignInFailedError(Exception):
    """The provider's answer does not prove who it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAttempt:
    """A sign-in that has begun."""

    url: str
    """Where the browser goes."""
    kept: str
    """What the browser keeps until it is back: state, nonce and the verifier of PKCE."""


_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_UNUSABLE = (ConfigError, KeyError, TypeError, AttributeError, JoseError, ValueError)
"""Raised by a description that lacks an address, or names one that is read by everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    described: Mapping[str, Any]
    keys: KeySet
    read_s: float


class OidcProvider:
    """One provider; `session` calls it."""

    def __init__(self, settings: Settings, session: ClientSession, *, clock: Clock) -> None:
        self._issuer = settings.oidc_issuer or ""
        self._client_id = settings.oidc_client_id or ""
        self._secret = settings.oidc_client_secret or ""
        self._back = f"{(settings.console_url or '').rstrip('/')}{CALLBACK}"
        self._session = session
        self._clock = clock
        self._provider: _Provider | None = None

    async def begin(self) -> SignInAttempt:
        """Begin a sign-in.

        Raises:
            TransientError: The provider does not answer.
        """
        state, nonce, verifier = (generate_token(LETTERS) for _ in range(3))
        provider = await self._found()
        client = OAuth2Client(
            None,
            client_id=self._client_id,
            scope="openid",
            redirect_uri=self._back,
            code_challenge_method="S256",
        )
        url, _ = client.create_authorization_url(
            provider.described["authorization_endpoint"],
            state=state,
            code_verifier=verifier,
            nonce=nonce,
        )
        return SignInAttempt(url=url, kept=f"{state}.{nonce}.{verifier}")

    async def subject(self, kept: str, answer: Mapping[str, str]) -> str:
        """Return who the provider says has signed in.

        Raises:
            SignInFailedError: It says nothing that holds, or nothing to this browser.
            TransientError: The provider does not answer.
        """
        state, _, rest = kept.partition(".")
        nonce, _, verifier = rest.partition(".")
        told = answer.get("state", "")
        if not verifier or not compare_digest(state.encode(), told.encode()):
            raise SignInFailedError
        provider = await self._found()
        if answer.get("iss", self._issuer) != self._issuer or not answer.get("code"):
            raise SignInFailedError
        tokens = await self._tokens(provider, answer["code"], verifier)
        return await self._verified(provider, tokens, nonce)

    async def _verified(self, provider: _Provider, tokens: Mapping[str, Any], nonce: str) -> str:
        written = tokens.get("id_token")
        if not isinstance(written, str):
            raise SignInFailedError
        try:
            try:
                token = jwt.decode(written, provider.keys, algorithms=ALGORITHMS)
            except (JoseError, ValueError):
                # Its keys may have been exchanged since they were read.
                provider = await self._read()
                token = jwt.decode(written, provider.keys, algorithms=ALGORITHMS)
            claims = CodeIDToken(
                token.claims,
                token.header,
                {
                    "iss": {"essential": True, "value": self._issuer},
                    "aud": {"essential": True, "value": self._client_id},
                    "sub": {"essential": True},
                },
                {
                    "nonce": nonce,
                    "client_id": self._client_id,
                    "access_token": tokens.get("access_token"),
                },
            )
            claims.validate(now=int(self._clock.now().timestamp()), leeway=LEEWAY_S)
        except (JoseError, ValueError, TypeError) as error:
            raise SignInFailedError from error
        return str(claims["sub"])

    async def _tokens(self, provider: _Provider, code: str, verifier: str) -> Mapping[str, Any]:
        endpoint = provider.described["token_endpoint"]
        methods = provider.described.get("token_endpoint_auth_methods_supported")
        is_by_header = not methods or "client_secret_basic" in methods
        body = urlencode(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self._back,
                "code_verifier": verifier,
            }
        )
        way = "client_secret_basic" if is_by_header else "client_secret_post"
        auth: Any = ClientAuth(self._client_id, self._secret, way)
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        uri, headers, body = auth.prepare("POST", endpoint, headers, body)
        status, told = await self._call("POST", uri, headers=headers, data=body)
        if status != OK:
            raise SignInFailedError
        return told

    async def _found(self) -> _Provider:
        held = self._provider
        is_fresh = held is not None and self._clock.monotonic_s() - held.read_s < KEPT_S
        return held if held is not None and is_fresh else await self._read()

    async def _read(self) -> _Provider:
        """Read its description and keys (OpenID Connect Discovery 1.0, sections 4.1 and 4.3)."""
        address = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        _, described = await self._call("GET", address)
        if described.get("issuer") != self._issuer:
            raise TransientError("the OpenID Connect provider names itself otherwise")
        try:
            for name in _ENDPOINTS:
                is_private_address(name, described[name])
            _, keys = await self._call("GET", described["jwks_uri"])
            known = {**keys, "keys": [one for one in keys["keys"] if one.get("kty") != "oct"]}
            self._provider = _Provider(
                described=described,
                keys=KeySet.import_key_set(known),  # pyright: ignore[reportArgumentType]  # as read
                read_s=self._clock.monotonic_s(),
            )
        except _UNUSABLE as error:
            raise TransientError("the OpenID Connect provider's description is no good") from error
        return self._provider

    async def _call(self, method: str, url: str, **more: Any) -> tuple[int, dict[str, Any]]:
        try:
            async with self._session.request(method, url, allow_redirects=False, **more) as told:
                read = bytearray()
                async for part in told.content.iter_chunked(LARGEST):
                    read += part
                    if len(read) > LARGEST:
                        raise ValueError  # noqa: TRY301  # the same as no JSON
                body: object = json.loads(read)
                status = told.status
        except (ClientError, TimeoutError, OSError, ValueError) as error:
            raise TransientError("the OpenID Connect provider does not answer") from error
        if not isinstance(body, dict):
            raise TransientError("the OpenID Connect provider does not answer as agreed")
        return status, cast("dict[str, Any]", body)


@asynccontextmanager
async def open_provider(settings: Settings, *, clock: Clock) -> AsyncGenerator[OidcProvider | None]:
    """Lend the provider of the settings until the block ends; None: there is none."""
    if settings.oidc_issuer is None:
        yield None
        return
    async with ClientSession(timeout=ClientTimeout(total=WITHIN_S)) as session:
        yield OidcProvider(settings, session, clock=clock)
