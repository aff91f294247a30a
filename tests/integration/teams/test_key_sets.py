"""Which keys of a set are used, how long a document may be, and when it is read again."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.teams.auth import signing_keys as module
from bot.teams.auth.signing_keys import METADATA_URL, Missing, SigningKey, SigningKeys
from tests.servers.teams.openid import OpenId, jwk, openid, private_key

DAY_S = 86_400
HALF_MB = 524_288


@pytest.fixture
async def server() -> AsyncIterator[OpenId]:
    """Microsoft."""
    async with openid() as running:
        yield running


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    """Asks Microsoft."""
    async with ClientSession() as running:
        yield running


@pytest.fixture
def keys(server: OpenId, session: ClientSession) -> SigningKeys:
    """Keys that were never read."""
    return SigningKeys(session, server.url, now=lambda: 1_000.0)


def published(**more: Any) -> dict[str, Any]:
    """Return a key as it is published, but for some of it; `None` takes it out."""
    held = jwk("key-0", private_key(0)) | more
    return {name: value for name, value in held.items() if value is not None}


def number(bits: int) -> str:
    """Return an odd number of so many bits: whether it is a modulus of two primes nobody asks."""
    value = (1 << (bits - 1)) + 1
    held = value.to_bytes((bits + 7) // 8, "big")
    return base64.urlsafe_b64encode(held).rstrip(b"=").decode()


def padded(characters: int) -> str:
    """Return a modulus of 2048 bits, written in so many characters: it begins with zeros."""
    right = number(2048)
    rest = characters - len(right)
    return "A" * rest + right


def test_the_keys_of_the_public_cloud_are_microsofts() -> None:
    """Whoever serves them says who may write to us."""
    assert METADATA_URL == "https://login.botframework.com/v1/.well-known/openidconfiguration"


UNUSABLE: dict[str, dict[str, Any]] = {
    "no id": {"kid": None},
    "a number for an id": {"kid": 5},
    "an empty id": {"kid": ""},
    "an id with a space": {"kid": "key 0"},
    "another kind": {"kty": "EC"},
    "no kind": {"kty": None},
    "a key to encrypt with": {"use": "enc"},
    "no endorsements": {"endorsements": None},
    "endorsements that are text": {"endorsements": "msteams"},
    "endorsements that are an object": {"endorsements": {"msteams": True}},
    "no modulus": {"n": None},
    "a modulus that is a number": {"n": 5},
    "a modulus of 2047 bits": {"n": number(2047)},
    "a modulus of 8193 bits": {"n": number(8193)},
    "a modulus written too long": {"n": padded(2052)},
    "no exponent": {"e": None},
    "an exponent of 1": {"e": "AQ"},
}


@pytest.mark.parametrize("name", UNUSABLE)
async def test_a_key_that_is_not_as_it_should_be_is_left_out(
    keys: SigningKeys, server: OpenId, name: str
) -> None:
    """Of a set that holds nothing else, nothing is believed; what stands beside it is used."""
    server.keys = [published(**UNUSABLE[name])]
    assert await keys.refresh() is False
    assert not keys.are_warm
    server.keys = [published(**UNUSABLE[name]), published(kid="good")]
    assert await keys.refresh() is True
    assert await keys.find("good") is not Missing.UNKNOWN
    assert await keys.find("key-0") is Missing.UNKNOWN


USABLE: dict[str, dict[str, Any]] = {
    "no use stated": {"use": None},
    "a modulus of 2048 bits": {"n": number(2048)},
    "a modulus of 8192 bits": {"n": number(8192)},
    "a modulus written as long as may be": {"n": padded(2048)},
    "endorsements of no known kind": {"endorsements": ["msteams", 5, None]},
}


@pytest.mark.parametrize("name", USABLE)
async def test_a_key_at_the_edge_is_used(keys: SigningKeys, server: OpenId, name: str) -> None:
    """For the channels that it names."""
    server.keys = [published(**USABLE[name])]
    assert await keys.refresh() is True
    found = await keys.find("key-0")
    assert isinstance(found, SigningKey)
    assert "msteams" in found.endorsements
    assert all(type(one) is str for one in found.endorsements)


async def test_a_hundred_keys_are_read(keys: SigningKeys, server: OpenId) -> None:
    """And not one more."""
    server.keys = [published(kid=f"key-{number}") for number in range(101)]
    await keys.refresh()
    assert await keys.find("key-99") is not Missing.UNKNOWN
    assert await keys.find("key-100") is Missing.UNKNOWN


@pytest.mark.parametrize("is_longer", [False, True])
async def test_a_document_may_be_half_a_megabyte(
    keys: SigningKeys, server: OpenId, is_longer: bool
) -> None:
    """And not a byte more."""
    server.body = json.dumps({"keys": [published()]}).encode().ljust(HALF_MB + is_longer)
    assert await keys.refresh() is not is_longer


class Network:
    """Stands for a session: documents by their addresses, which nobody serves here by https."""

    def __init__(self, documents: dict[str, Any]) -> None:
        self.read: list[str] = []
        self._documents = documents

    @asynccontextmanager
    async def get(self, url: str, *, allow_redirects: bool) -> AsyncGenerator[Any]:
        """See `ClientSession.get`."""
        assert not allow_redirects
        self.read.append(url)
        content = SimpleNamespace(iter_any=lambda: _parts(json.dumps(self._documents[url])))
        yield SimpleNamespace(status=200, content=content)


async def _parts(document: str) -> AsyncIterator[bytes]:
    yield document.encode()


@pytest.mark.parametrize(
    ("metadata", "keys_at", "is_read"),
    [
        ("https://login.example/config", "https://keys.example/", True),
        ("https://login.example/config", "http://keys.example/", False),
        ("https://login.example/config", "http://127.0.0.1:1/keys", False),
        ("https://login.example/config", "https://", False),
        ("https://login.example/config", "https://[", False),
        ("http://127.0.0.1:1/config", "http://localhost:2/keys", True),
        ("http://[::1]:1/config", "https://keys.example/", True),
        ("http://127.0.0.1:1/config", "http://keys.example/", False),
        ("http://127.0.0.1:1/config", "ftp://127.0.0.1/keys", False),
    ],
)
async def test_keys_are_read_by_https_or_on_this_machine(
    metadata: str, keys_at: str, is_read: bool
) -> None:
    """On this machine only for metadata that were read there, too."""
    network = Network({metadata: {"jwks_uri": keys_at}, keys_at: {"keys": [published()]}})
    stands: Any = network
    assert await SigningKeys(stands, metadata).refresh() is is_read
    assert network.read == [metadata, *([keys_at] if is_read else [])]


async def test_keys_are_good_for_a_day(server: OpenId, session: ClientSession) -> None:
    """To the second."""
    at = 1_000.0
    keys = SigningKeys(session, server.url, now=lambda: at)
    assert await keys.refresh()
    server.status = 503
    at = 1_000.0 + DAY_S - 1
    assert keys.are_warm
    at += 1
    assert not keys.are_warm


Deed = Callable[[OpenId], None]


def _fail(server: OpenId) -> None:
    server.status = 503


@pytest.mark.parametrize(
    ("deeds", "rests"),
    [
        ({}, [3600, 3600, 3600]),
        ({0: _fail}, [3600, 60, 60, 60]),
        ({0: _fail, 2: OpenId.recover}, [3600, 60, 60, 3600]),
        ({-1: _fail}, [2, 4, 8, 16, 32, 60, 60]),
        ({-1: _fail, 2: OpenId.recover}, [2, 4, 8, 3600, 3600]),
    ],
)
async def test_keys_are_read_every_hour_and_sooner_after_a_failure(
    keys: SigningKeys,
    server: OpenId,
    monkeypatch: pytest.MonkeyPatch,
    deeds: dict[int, Deed],
    rests: list[int],
) -> None:
    """Every minute while there are keys; without any, soon, then less and less often."""
    deeds.get(-1, OpenId.recover)(server)
    await keys.refresh()
    rested: list[float] = []

    async def rest(seconds: float) -> None:
        deeds.get(len(rested), lambda _: None)(server)
        rested.append(seconds)
        if len(rested) == len(rests):
            raise asyncio.CancelledError

    monkeypatch.setattr(module, "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": rest}))
    with pytest.raises(asyncio.CancelledError):
        await keys.keep_warm()
    assert rested == rests
