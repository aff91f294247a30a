"""Whether Teams sent a request: its token, checked by us before anything is done.

The SDK's own check refuses rotated keys for a day, fetches keys on the event loop, admits everyone
without an app id, and skips checks when a field is missing. Every doubt is a no:

- token: RS256 under a key of Microsoft's that may sign for Teams; issuer, audience, expiry and
  service URL stated and right. Else 401.
- body: a JSON object that says what the token says. Else 400, or 401 where they differ.
- tenant: every one that is stated is one that we serve. Else 403.
- without keys nobody can be told from anybody, nor by keys that may be out of date: 503, so that
  Teams sends again. A new key of Microsoft's is never answered 401.
"""

import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias

import jwt
from jwt.exceptions import PyJWTError

from bot.json_fields import Object, maybe_object
from bot.teams.auth.signing_keys import Missing, SigningKey, SigningKeys
from bot.teams.protocol.conversations import CHANNEL_ID
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import is_id
from core.domain.json_value import Json

ALGORITHM = "RS256"
LEEWAY_S = 300.0
"""By which clocks may differ, as Microsoft's own check has it."""
LONGEST_TOKEN = 7_000
"""Characters: real ones have about 1,500. The server refuses headers beyond 8,190."""
REQUIRED = ("exp", "iss", "aud", "serviceurl")
_TOKEN = re.compile(r"[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++")
_NOT_TOKENS = (PyJWTError, ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""What PyJWT raises over what is no token."""

UNKNOWN, BROKEN, FOREIGN, UNREAD = 401, 400, 403, 503


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who sent an activity: Teams."""

    activity: Object
    """What was sent, read once."""
    claims: Mapping[str, Any]
    """What the token states; empty where nobody proves anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Nobody that we believe."""

    status: int
    """401: the token; 400: the body; 403: the tenant; 503: it can't be checked now."""
    reason: str
    """Which check failed, in a word; for our log alone."""


class Verifier(Protocol):
    """Says who sent a request."""

    async def verify(self, headers: Mapping[str, str], raw: bytes, /) -> Principal | Reject:
        """Check a request, by its headers and its body as it came; raises nothing."""
        ...


class InboundVerifier:
    """Believes the Bot Framework service, and nobody else. See `Verifier`."""

    def __init__(self, keys: SigningKeys, identity: TeamsIdentity) -> None:
        """Take Microsoft's keys, and who we are.

        Raises:
            ValueError: Without an app id or a tenant everybody would be believed.
        """
        if not identity.app_id or not identity.tenants or identity.is_anonymous:
            raise ValueError("expected an app id and a tenant to check tokens against")
        self._keys = keys
        self._identity = identity

    async def verify(self, headers: Mapping[str, str], raw: bytes, /) -> Principal | Reject:
        """See `Verifier`."""
        claims = await self._claims(headers)
        if isinstance(claims, Reject):
            return claims
        activity = read_body(raw)
        if activity is None:
            return Reject(status=BROKEN, reason="body")
        return objection(activity, claims, self._identity) or Principal(
            activity=activity, claims=claims
        )

    async def _claims(self, headers: Mapping[str, str]) -> Mapping[str, Any] | Reject:
        """Return what the token states, once its signature is checked."""
        token = _bearer(headers)
        if token is None:
            return Reject(status=UNKNOWN, reason="no_token")
        kid = _kid(token)
        if isinstance(kid, Reject):
            return kid
        key = await self._keys.find(kid)
        if isinstance(key, Missing):
            return Reject(status=UNREAD if key is Missing.UNREAD else UNKNOWN, reason="key")
        if CHANNEL_ID not in key.endorsements:
            return Reject(status=UNKNOWN, reason="endorsement")
        return self._checked(token, key)

    def _checked(self, token: str, key: SigningKey) -> Mapping[str, Any] | Reject:
        try:
            claims = jwt.decode(
                token,
                key.key,
                algorithms=[ALGORITHM],
                audience=self._identity.app_id,
                issuer=self._identity.issuer,
                leeway=LEEWAY_S,
                options={"require": list(REQUIRED), "strict_aud": True},
            )
        except _NOT_TOKENS:
            return Reject(status=UNKNOWN, reason="claims")
        # PyJWT reads instants out of text, too.
        if any(not _is_number(claims.get(name, 0)) for name in ("exp", "nbf", "iat")):
            return Reject(status=UNKNOWN, reason="claims")
        return claims


def _kid(token: str) -> str | Reject:
    """Return the id of the key under which a token says that it is signed."""
    try:
        header = jwt.get_unverified_header(token)
    except _NOT_TOKENS:
        return Reject(status=UNKNOWN, reason="token")
    if header.get("alg") != ALGORITHM or "crit" in header:
        return Reject(status=UNKNOWN, reason="algorithm")
    kid: Json = header.get("kid")
    return kid if isinstance(kid, str) and is_id(kid) else Reject(status=UNKNOWN, reason="kid")


def objection(
    activity: Object, claims: Mapping[str, Any], identity: TeamsIdentity
) -> Reject | None:
    """Say why a correctly signed activity is still refused; None admits it."""
    url, claimed = activity.get("serviceUrl"), claims.get("serviceurl")
    if activity.get("channelId") != CHANNEL_ID:
        return Reject(status=UNKNOWN, reason="channel")
    if not isinstance(url, str) or not isinstance(claimed, str):
        return Reject(status=UNKNOWN, reason="service_url")
    if not url or url.rstrip("/") != claimed.rstrip("/"):
        return Reject(status=UNKNOWN, reason="service_url")
    if not identity.service_urls.allows(url):
        return Reject(status=UNKNOWN, reason="service_host")
    if not _is_home(activity, identity):
        return Reject(status=FOREIGN, reason="tenant")
    return None


def _is_home(activity: Object, identity: TeamsIdentity) -> bool:
    """Say whether a tenant is stated, and every one that is stated is ours."""
    stated = [
        maybe_object(activity, "conversation").get("tenantId"),
        maybe_object(maybe_object(activity, "channelData"), "tenant").get("id"),
    ]
    told = [tenant for tenant in stated if tenant is not None]
    return bool(told) and all(isinstance(one, str) and identity.has_tenant(one) for one in told)


Body: TypeAlias = dict[str, Json]


def read_body(raw: bytes) -> Body | None:
    """Return a body that is a JSON object, strictly (RFC 8259); None: it is none."""
    try:
        held: Json = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return dict(held) if isinstance(held, Mapping) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _bearer(headers: Mapping[str, str]) -> str | None:
    """Return the token of the only authorization header; None if that is not what there is."""
    given = [value for name, value in headers.items() if name.lower() == "authorization"]
    if len(given) != 1 or len(given[0]) > LONGEST_TOKEN:
        return None
    scheme, _, token = given[0].partition(" ")
    return token if scheme.lower() == "bearer" and _TOKEN.fullmatch(token) else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_loopback(host: str) -> bool:
    """Say whether an address, with or without a port, is this machine alone."""
    name = host.removeprefix("[").partition("]")[0] if host.startswith("[") else host
    if name.count(":") == 1:
        name = name.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class UnsafeAnonymous:
    """Believes every program of this machine, for Microsoft's Agents Playground. See `Verifier`.

    It is switched on by an explicit setting only, together with a loopback address to listen on. A
    page in a browser could reach the port, too, but not without an `Origin`, or else under a name
    that is not this machine's: it is not believed.
    """

    def __init__(self, identity: TeamsIdentity) -> None:
        """Check that nobody is to prove anything here.

        Raises:
            ValueError: The identity is one for which tokens are checked.
        """
        if not identity.is_anonymous:
            raise ValueError("expected an identity in which nobody proves anything")
        self._identity = identity

    async def verify(self, headers: Mapping[str, str], raw: bytes, /) -> Principal | Reject:
        """See `Verifier.verify`."""
        folded = {name.lower(): value for name, value in headers.items()}
        if "origin" in folded or not is_loopback(folded.get("host", "")):
            return Reject(status=UNKNOWN, reason="browser")
        activity = read_body(raw)
        if activity is None:
            return Reject(status=BROKEN, reason="body")
        url = activity.get("serviceUrl")
        if not isinstance(url, str) or not self._identity.service_urls.allows(url):
            return Reject(status=UNKNOWN, reason="service_host")
        return Principal(activity=activity, claims={})
