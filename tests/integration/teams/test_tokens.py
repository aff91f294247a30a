"""Who is believed: named cases over HTTP, against the real endpoint and real signatures."""

import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import jwt
import pytest

from tests.integration.teams.served import Served, serving
from tests.servers.teams.openid import ISSUER, jwk, private_key
from tests.unit.teams.activities import APP, FOREIGN, SERVICE_URL, TENANT, Activity, message

Header = Callable[[Served], Any]
"""Returns what stands in the authorization header; None: there is none."""


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The endpoint."""
    async with serving() as running:
        yield running


def claims(**more: Any) -> Header:
    """A token with other claims; what is called is called when it is made."""

    def make(it: Served) -> str:
        stated = {key: value() if callable(value) else value for key, value in more.items()}
        return f"Bearer {it.maker.token(it.maker.claims(SERVICE_URL, **stated))}"

    return make


def headed(**headers: Any) -> Header:
    """A token with other headers; `None` takes one out."""
    return lambda it: f"Bearer {it.maker.token(it.maker.claims(SERVICE_URL), headers=headers)}"


def signed_by(number: int, bits: int = 2048) -> Header:
    """A token under another key, by the published key's id."""

    def make(it: Served) -> str:
        key = private_key(number, bits)
        return f"Bearer {it.maker.token(it.maker.claims(SERVICE_URL), key=key)}"

    return make


def with_algorithm(algorithm: str, key: Any) -> Header:
    """A token under another algorithm."""

    def make(it: Served) -> str:
        token = it.maker.token(it.maker.claims(SERVICE_URL), algorithm=algorithm, key=key)
        return f"Bearer {token}"

    return make


def raw(header: Any, payload: Any, signature: str | None = None) -> Header:
    """A token put together by hand, with the signature of a good one or any other."""

    def make(it: Served) -> str:
        good = it.maker.token(it.maker.claims(SERVICE_URL))
        parts = [b64(header), b64(payload), good.split(".")[2] if signature is None else signature]
        return f"Bearer {'.'.join(parts)}"

    return make


def b64(value: Any) -> str:
    held = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(held).rstrip(b"=").decode()


def bent(change: Callable[[str], str]) -> Header:
    """A good token, changed as text."""
    return lambda it: f"Bearer {change(it.maker.token(it.maker.claims(SERVICE_URL)))}"


def rewritten(token: str) -> str:
    """Change the last bit of the text, which says nothing: 256 bytes end within a character."""
    order = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return token[:-1] + order[order.index(token[-1]) ^ 1]


def confused(it: Served) -> str:
    """HS256, with the public key as the secret."""
    return f"Bearer {it.maker.confused(it.maker.claims(SERVICE_URL))}"


def published(**more: Any) -> Header:
    """A token under a second key, which is published with other words."""

    def make(it: Served) -> str:
        it.openid.keys.append(jwk("second", private_key(7)) | more)
        stated = it.maker.claims(SERVICE_URL)
        token = it.maker.token(stated, key=private_key(7), headers={"kid": "second"})
        return f"Bearer {token}"

    return make


def weak(it: Served) -> str:
    """A token under a key that is published and too short."""
    it.openid.keys.append(jwk("weak", private_key(8, 1024)))
    head, body = b64({"alg": "RS256", "kid": "weak"}), b64(it.maker.claims(SERVICE_URL))
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415

    mark = private_key(8, 1024).sign(f"{head}.{body}".encode(), PKCS1v15(), SHA256())
    return f"Bearer {head}.{body}.{b64(mark)}"


def now(offset: float) -> Callable[[], int]:
    """Seconds from when the token is made."""
    return lambda: int(time.time() + offset)


def of_length(length: int) -> Header:
    """A good token whose header has exactly so many characters."""

    def make(it: Served) -> str:
        for more in range(4):
            for filled in range(length):
                stated = it.maker.claims(SERVICE_URL, more="x" * filled)
                size = len("Bearer ..") + len(b64(stated)) + len(b64(b"x" * 256))
                head = {"alg": "RS256", "kid": it.openid.kid, "typ": "x" * more}
                size += len(b64(head))
                if size == length:
                    return unchecked(it, head, more="x" * filled)
                if size > length:
                    break
        raise AssertionError(length)

    return make


@dataclass(frozen=True)
class Case:
    """One request and its answer."""

    status: int
    header: Header = field(default_factory=claims)
    activity: Callable[[Activity], Any] = lambda held: held
    """Bends the activity, or returns the bytes of the body."""


def without(key: str) -> Callable[[Activity], Activity]:
    return lambda held: {name: value for name, value in held.items() if name != key}


def conversation(**more: Any) -> Callable[[Activity], Activity]:
    return lambda held: held | {"conversation": held["conversation"] | more}


def tenant(stated: Any, data: Any) -> Callable[[Activity], Activity]:
    """State tenants in the conversation and in the channel's data; None: not at all."""

    def make(held: Activity) -> Activity:
        place = {key: value for key, value in held["conversation"].items() if key != "tenantId"}
        place |= {} if stated is None else {"tenantId": stated}
        told: Any = {} if data is None else {"tenant": {"id": data}}
        return held | {"conversation": place, "channelData": told}

    return make


OTHER_URL = "https://smba.trafficmanager.net/amer/"
EVIL = "https://evil.example/"
EMULATOR = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"

CASES: dict[str, Case] = {
    # believed
    "a good token": Case(200),
    "a scheme in lower case": Case(200, lambda it: claims()(it).replace("Bearer", "bearer")),
    "an expiry within the leeway": Case(200, claims(exp=now(-200))),
    "not yet valid within the leeway": Case(200, claims(nbf=now(200))),
    "without nbf": Case(200, claims(nbf=None)),
    "an expiry with a fraction": Case(200, claims(exp=lambda: time.time() + 3600.5)),
    "as long as it may be": Case(200, of_length(7_000)),
    "a service URL but for its slash": Case(200, claims(serviceurl=SERVICE_URL.rstrip("/"))),
    "only the conversation's tenant": Case(200, activity=tenant(TENANT, None)),
    "only the channel's tenant": Case(200, activity=tenant(None, TENANT)),
    "a tenant in capitals": Case(200, activity=tenant(TENANT.upper(), TENANT)),
    "a second published key": Case(200, published()),
    "a key without a use": Case(200, published(use=None)),
    # the header
    "no header": Case(401, lambda _: None),
    "an empty header": Case(401, lambda _: ""),
    "a scheme without a token": Case(401, lambda _: "Bearer "),
    "another scheme": Case(401, lambda it: claims()(it).replace("Bearer", "Basic")),
    "a token without a scheme": Case(401, lambda it: claims()(it).removeprefix("Bearer ")),
    "two tokens": Case(401, lambda it: f"{claims()(it)} {claims()(it)[7:]}"),
    "two headers": Case(401, lambda it: [claims()(it), claims()(it)]),
    "a good header after a bad one": Case(401, lambda it: ["Bearer x", claims()(it)]),
    "a space within": Case(401, bent(lambda token: token.replace(".", " .", 1))),
    "a comma after": Case(401, bent(lambda token: f"{token},")),
    "too long": Case(401, claims(more="x" * 5_000)),
    "a character too long": Case(401, of_length(7_001)),
    # the form
    "garbage": Case(401, lambda _: "Bearer garbage"),
    "two dots and nothing": Case(401, lambda _: "Bearer .."),
    "two parts": Case(401, bent(lambda token: token.rpartition(".")[0])),
    "four parts": Case(401, bent(lambda token: f"{token}.{token[:8]}")),
    "no signature": Case(401, bent(lambda token: f"{token.rpartition('.')[0]}.")),
    "a signature written in another way": Case(401, bent(rewritten)),
    "no payload": Case(401, bent(lambda token: "..".join(token.split(".")[::2]))),
    "a header that is no JSON": Case(401, raw(b"{", {})),
    "a header that is a list": Case(401, raw([], {})),
    "a header of deep lists": Case(401, raw(b"[" * 4_500, {})),
    "a header that is not UTF-8": Case(401, raw(b"\xff\xfe", {})),
    "a payload that is no JSON": Case(401, bent(lambda token: token.replace(".", ".e", 1))),
    "a payload of deep lists": Case(401, raw({"alg": "RS256", "kid": "key-0"}, b"[" * 4_500)),
    "a signed payload of deep lists": Case(401, lambda it: signed(it, b"[" * 4_500)),
    "a signed payload that is a list": Case(401, lambda it: signed(it, [])),
    "a signed payload that is not UTF-8": Case(401, lambda it: signed(it, b"\xff\xfe")),
    # the algorithm
    "no algorithm": Case(401, raw({"kid": "key-0"}, {"iss": ISSUER})),
    "alg none": Case(401, raw({"alg": "none", "kid": "key-0"}, {"iss": ISSUER}, "")),
    "alg None with a signature": Case(401, raw({"alg": "None", "kid": "key-0"}, {"iss": ISSUER})),
    "HS256 under a word": Case(401, with_algorithm("HS256", "x" * 64)),
    "HS256 under the public key": Case(401, confused),
    "RS384": Case(401, with_algorithm("RS384", private_key(0))),
    "PS256": Case(401, with_algorithm("PS256", private_key(0))),
    "an algorithm that is a list": Case(401, raw({"alg": ["RS256"], "kid": "key-0"}, {})),
    "critical headers": Case(401, headed(crit=["exp"], exp=1)),
    # the key
    "no kid": Case(401, headed(kid=None)),
    "an empty kid": Case(401, headed(kid="")),
    "a kid that is a number": Case(401, raw({"alg": "RS256", "kid": 5}, {})),
    "a kid that is a list": Case(401, raw({"alg": "RS256", "kid": ["key-0"]}, {})),
    "a kid that is a path": Case(401, headed(kid="../../etc/passwd")),
    "an unknown kid": Case(401, headed(kid="unknown")),
    "another key under a known kid": Case(401, signed_by(9)),
    "a key in the header": Case(401, headed(kid="own", jwk=jwk("own", private_key(9)))),
    "an address of keys in the header": Case(401, headed(kid="own", jku="https://evil.example/k")),
    "a key that may not sign for Teams": Case(401, published(endorsements=["webchat"])),
    "a key without endorsements": Case(401, published(endorsements=[])),
    "endorsements that are text": Case(401, published(endorsements="msteams")),
    "a key for encryption": Case(401, published(use="enc")),
    "a key that is too short": Case(401, weak),
    # the claims
    "an expiry at the end of the leeway": Case(401, claims(exp=now(-300))),
    "an expiry that is a list": Case(401, lambda it: unchecked(it, exp=[])),
    "an expiry that is an object": Case(401, lambda it: unchecked(it, exp={"a": 1})),
    "an expiry without end, below": Case(401, lambda it: unchecked(it, exp=float("-inf"))),
    "an expiry that is no number": Case(401, lambda it: unchecked(it, exp=float("nan"))),
    "an expiry of a thousand digits": Case(401, lambda it: unchecked(it, exp=-(10**1_000))),
    "nbf that is a list": Case(401, lambda it: unchecked(it, nbf=[])),
    "iat that is an object": Case(401, lambda it: unchecked(it, iat={})),
    "iat without end": Case(401, lambda it: unchecked(it, iat=float("inf"))),
    "an issuer that is an object": Case(401, lambda it: unchecked(it, iss={})),
    "an audience that is a number": Case(401, lambda it: unchecked(it, aud=5)),
    "expired": Case(401, claims(exp=now(-400))),
    "not yet valid": Case(401, claims(nbf=now(400))),
    "made in the future": Case(401, claims(iat=now(400))),
    "without an expiry": Case(401, claims(exp=None)),
    "an expiry as text": Case(401, claims(exp=lambda: str(now(3600)()))),
    "an expiry that is true": Case(401, claims(exp=True)),
    "an expiry that is endless": Case(401, claims(exp=float("inf"))),
    "nbf as text": Case(401, claims(nbf=lambda: str(now(-10)()))),
    "without an issuer": Case(401, claims(iss=None)),
    "the emulator's issuer": Case(401, claims(iss=EMULATOR)),
    "our tenant as the issuer": Case(401, claims(iss=f"https://sts.windows.net/{TENANT}/")),
    "an issuer with a slash": Case(401, claims(iss=f"{ISSUER}/")),
    "issuers in a list": Case(401, lambda it: unchecked(it, iss=[ISSUER])),
    "without an audience": Case(401, claims(aud=None)),
    "another bot's audience": Case(401, claims(aud=FOREIGN)),
    "an empty audience": Case(401, claims(aud="")),
    "audiences in a list": Case(401, claims(aud=[APP])),
    "ours among others": Case(401, claims(aud=[APP, FOREIGN])),
    "without a service URL": Case(401, claims(serviceurl=None)),
    "another service URL": Case(401, claims(serviceurl=OTHER_URL)),
    "a service URL that is a list": Case(401, claims(serviceurl=[SERVICE_URL])),
    "a service URL in capitals": Case(401, claims(serviceurl=SERVICE_URL.upper())),
    "a signature of other claims": Case(401, raw({"alg": "RS256", "kid": "key-0"}, {"aud": APP})),
    # the body against the token
    "no service URL in the activity": Case(401, activity=without("serviceUrl")),
    "an empty service URL": Case(401, claims(serviceurl="/"), lambda it: it | {"serviceUrl": ""}),
    "a service URL that is a number": Case(401, activity=lambda it: it | {"serviceUrl": 5}),
    "another service URL in the activity": Case(
        401, activity=lambda it: it | {"serviceUrl": OTHER_URL}
    ),
    "a host that is not listed": Case(
        401, claims(serviceurl=EVIL), lambda it: it | {"serviceUrl": EVIL}
    ),
    "a listed host without https": Case(
        401,
        claims(serviceurl="http://smba.trafficmanager.net/"),
        lambda it: it | {"serviceUrl": "http://smba.trafficmanager.net/"},
    ),
    "no channel": Case(401, activity=without("channelId")),
    "another channel": Case(401, activity=lambda it: it | {"channelId": "webchat"}),
    "the emulator's channel": Case(401, activity=lambda it: it | {"channelId": "emulator"}),
    "a channel in capitals": Case(401, activity=lambda it: it | {"channelId": "MSTeams"}),
    "a channel that is a list": Case(401, activity=lambda it: it | {"channelId": ["msteams"]}),
    # the tenant
    "a foreign tenant": Case(403, activity=tenant(FOREIGN, FOREIGN)),
    "a foreign conversation": Case(403, activity=tenant(FOREIGN, TENANT)),
    "a foreign channel": Case(403, activity=tenant(TENANT, FOREIGN)),
    "no tenant": Case(403, activity=tenant(None, None)),
    "an empty tenant": Case(403, activity=tenant("", None)),
    "a tenant that is a list": Case(403, activity=tenant([TENANT], None)),
    "a tenant that is a number beside ours": Case(403, activity=tenant(TENANT, 5)),
    "a tenant that begins like ours": Case(403, activity=tenant(TENANT[:-1], None)),
    # the body
    "an empty body": Case(400, activity=lambda _: b""),
    "no JSON": Case(400, activity=lambda _: b"{"),
    "a list": Case(400, activity=lambda _: b"[]"),
    "a word": Case(400, activity=lambda _: b'"msteams"'),
    "null": Case(400, activity=lambda _: b"null"),
    "no UTF-8": Case(400, activity=lambda _: b'{"text":"\xff"}'),
    "UTF-16": Case(400, activity=lambda held: json.dumps(held).encode("utf-16")),
    "a byte order mark": Case(
        400, activity=lambda held: b"\xef\xbb\xbf" + json.dumps(held).encode()
    ),
    "NaN": Case(400, activity=lambda _: b'{"x":NaN}'),
    "deep lists": Case(400, activity=lambda _: b"[" * 100_000),
    "a number without end": Case(400, activity=lambda _: b'{"x":' + b"9" * 5_000 + b"}"),
    "two activities": Case(400, activity=lambda held: json.dumps(held).encode() * 2),
    "too large": Case(413, activity=lambda _: b'{"x":"' + b"x" * 1_100_000 + b'"}'),
    "no sender": Case(400, activity=without("from")),
    "no conversation but its tenant": Case(400, activity=conversation(id=None)),
}


def unchecked(it: Served, head: Activity | None = None, /, **more: Any) -> str:
    """Sign claims that PyJWT would not make."""
    return signed(it, {**it.maker.claims(SERVICE_URL), **more}, head)


def signed(it: Served, payload: Any, head: Activity | None = None) -> str:
    """Sign any payload."""
    parts = f"{b64(head or {'alg': 'RS256', 'kid': it.openid.kid})}.{b64(payload)}"
    algorithm = jwt.get_algorithm_by_name("RS256")
    mark: bytes = algorithm.sign(parts.encode(), it.openid.key)
    return f"Bearer {parts}.{b64(mark)}"


def test_there_are_enough() -> None:
    """The least that was asked for."""
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
async def test_each_case(served: Served, name: str) -> None:
    """Only what Teams sent is kept, and nothing is an error of ours."""
    case = CASES[name]
    held = case.activity(message())
    body = held if isinstance(held, bytes) else json.dumps(held).encode()
    given = case.header(served)
    tokens: list[str] = [given] if isinstance(given, str) else given or []
    headers = [("Content-Type", "application/json")]
    headers += [("Authorization", one) for one in tokens]
    async with served.session.post(served.url, data=BytesIO(body), headers=headers) as answer:
        assert (answer.status, await answer.text()) == (case.status, "")
    assert len(served.kept.messages) == (case.status == 200)


NO_TOKENS: dict[str, Header] = {
    "another algorithm": with_algorithm("RS384", private_key(0)),
    "no algorithm": raw({"kid": "made-up"}, {}),
    "none": raw({"alg": "none", "kid": "made-up"}, {}),
    "HS256": raw({"alg": "HS256", "kid": "made-up"}, {}),
    "critical headers": headed(kid="made-up", crit=["exp"], exp=1),
    "no kid": headed(kid=None),
    "an empty kid": headed(kid=""),
    "a kid that is a number": raw({"alg": "RS256", "kid": 5}, {}),
    "a kid with a line end": headed(kid="made\nup"),
    "a kid without end": headed(kid="x" * 3_000),
}


@pytest.mark.parametrize("name", NO_TOKENS)
async def test_what_can_be_no_token_of_theirs_costs_no_reading(served: Served, name: str) -> None:
    """The keys are read again for tokens alone that they might have signed, once a minute."""
    reads = served.openid.reads
    served.openid.rotate()
    assert await served.post(b"{}", {"Authorization": NO_TOKENS[name](served)}) == 401
    assert served.openid.reads == reads
    assert await served.post(b"{}", {"Authorization": headed(kid="made-up")(served)}) == 401
    assert served.openid.reads == reads + 1


async def test_a_header_without_end_is_refused_by_the_server(served: Served) -> None:
    """Before anything of ours reads it."""
    assert await served.post(b"{}", {"Authorization": "Bearer " + "x" * 20_000}) == 400
