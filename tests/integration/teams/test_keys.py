"""Microsoft's keys rotate, lag, lie and die; who is believed follows, and nothing stands still."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.teams.auth.signing_keys import (
    GOOD_FOR_S,
    LONGEST_DOCUMENT,
    MOST_KEYS,
    REFETCH_S,
    REFETCHES,
    Missing,
    SigningKey,
    SigningKeys,
    signing_keys,
)
from tests.integration.teams.served import Served, serving
from tests.servers.teams.openid import OpenId, jwk, openid, private_key
from tests.unit.teams.activities import message


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        return self.at


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
def clock() -> Clock:
    """Time."""
    return Clock()


@pytest.fixture
def keys(server: OpenId, session: ClientSession, clock: Clock) -> SigningKeys:
    """Keys that were never read."""
    return SigningKeys(session, server.url, now=clock)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The endpoint."""
    async with serving() as running:
        yield running


async def sent(served: Served) -> int:
    activity = message(id=str(time.monotonic_ns()))
    return await served.post(json.dumps(activity).encode(), served.signed())


async def test_a_new_key_is_believed_at_once(served: Served) -> None:
    """And the old one no more, once it is gone from the set."""
    assert await sent(served) == 200
    old = served.signed()
    served.openid.rotate()
    began = time.monotonic()
    assert await sent(served) == 200
    assert time.monotonic() - began < REFETCH_S / 2  # it waits for no later reading
    assert await served.post(json.dumps(message(id="9")).encode(), old) == 401


async def test_made_up_keys_that_come_at_once_share_their_readings(
    keys: SigningKeys, server: OpenId
) -> None:
    """However many they are: the first one's, and one that began after all had asked."""
    await keys.refresh()
    reads = server.reads
    asked = [keys.find(f"made-up-{number}") for number in range(200)]
    assert [one async for one in _all(asked)] == [Missing.UNKNOWN] * 200
    assert server.reads == reads + 2


async def test_made_up_keys_cost_five_readings_a_minute(
    keys: SigningKeys, server: OpenId, clock: Clock
) -> None:
    """One after the other, for an hour; beyond that nobody says that a key is unknown."""
    await keys.refresh()
    reads = server.reads
    told = [await keys.find(f"made-up-{number}") for number in range(50)]
    assert told == [Missing.UNKNOWN] * REFETCHES + [Missing.UNREAD] * (50 - REFETCHES)
    assert server.reads == reads + REFETCHES
    for number in range(3_600):
        clock.at += 1.0
        await keys.find(f"made-up-again-{number}")
    assert server.reads - reads - REFETCHES == 3_600 / REFETCH_S


async def test_a_made_up_key_does_not_hold_off_a_rotation(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forged tokens spend every reading; the new key is told to come again, never refused."""
    assert await sent(served) == 200
    forged = [
        await served.post(b"{}", {"Authorization": f"Bearer {_forged(served, number)}"})
        for number in range(REFETCHES + 3)
    ]
    assert forged == [401] * REFETCHES + [503] * 3
    served.openid.rotate()
    assert await sent(served) == 503
    monkeypatch.setattr("bot.teams.auth.signing_keys.REFETCH_S", 1e-6)  # it has passed
    assert await sent(served) == 200


def _forged(served: Served, number: int) -> str:
    kid = {"kid": f"made-up-{number}"}
    return served.maker.token(served.maker.claims("x"), headers=kid)


async def test_a_key_that_is_asked_for_while_the_service_fails_is_not_unknown(
    served: Served,
) -> None:
    """Old keys are still believed; a new one's token is to come again, and then counts."""
    assert await sent(served) == 200
    old = served.signed()
    served.openid.rotate()
    served.openid.status = 503
    assert await sent(served) == 503
    assert await served.post(json.dumps(message(id="9")).encode(), old) == 200
    served.openid.recover()
    assert await sent(served) == 200


async def test_a_key_is_read_anew_for_who_came_during_a_reading(
    keys: SigningKeys, server: OpenId
) -> None:
    """A reading that had begun before may be older than the key."""
    await keys.refresh()
    server.delay_s = 0.2
    reads = server.reads
    async with asyncio.TaskGroup() as group:
        first = group.create_task(keys.find("made-up"))
        while server.reads == reads:  # noqa: ASYNC110  # a service over HTTP
            await asyncio.sleep(0.01)
        late = [group.create_task(keys.find(f"made-up-{number}")) for number in range(20)]
    assert {one.result() for one in (first, *late)} == {Missing.UNKNOWN}
    assert server.reads == reads + 2


async def test_asking_at_once_shares_one_reading(keys: SigningKeys, server: OpenId) -> None:
    """Whoever waits gets what the first one got."""
    server.delay_s = 0.2
    async with asyncio.TaskGroup() as group:
        found = [group.create_task(keys.find(server.kid)) for _ in range(50)]
    assert all(isinstance(one.result(), SigningKey) for one in found)
    assert server.reads == 1


async def _all(asked: list[Any]) -> AsyncIterator[Any]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in asked]
    for task in tasks:
        yield task.result()


async def test_known_keys_do_not_wait_for_a_slow_service(served: Served) -> None:
    """Only a token under a key that is not known waits, and holds up nobody."""
    served.openid.delay_s = 30.0
    unknown = served.maker.token(served.maker.claims("x"), headers={"kid": "unknown"})
    async with asyncio.TaskGroup() as group:
        slow = group.create_task(served.post(b"{}", {"Authorization": f"Bearer {unknown}"}))
        await asyncio.sleep(0.1)
        for _ in range(5):
            assert await sent(served) == 200
        assert not slow.done()
    assert slow.result() == 503


async def test_the_loop_never_waits_for_keys(served: Served) -> None:
    """The longest stop of the loop while keys are read stays far below any deadline."""
    served.openid.keys += [jwk(f"more-{number}", private_key(0)) for number in range(60)]
    served.openid.rotate(keeps_old=True)
    longest, is_over = 0.0, False

    async def watch() -> None:
        nonlocal longest
        while not is_over:
            began = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - began)

    async with asyncio.TaskGroup() as group:
        group.create_task(watch())
        assert await sent(served) == 200
        is_over = True
    assert longest < 1.0  # the goal is 50 ms; a busy machine adds its own


async def test_a_failing_service_leaves_the_keys_in_place(served: Served) -> None:
    """Known keys are believed on."""
    served.openid.status = 503
    assert await served.keys.refresh() is False
    assert await sent(served) == 200


async def test_keys_that_were_not_read_for_a_day_are_not_believed(
    keys: SigningKeys, server: OpenId, clock: Clock
) -> None:
    """A key that was withdrawn must end one day."""
    await keys.refresh()
    assert keys.are_warm
    server.status = 503
    clock.at += GOOD_FOR_S
    assert not keys.are_warm
    assert await keys.find(server.kid) is Missing.UNREAD
    server.recover()
    assert isinstance(await keys.find(server.kid), SigningKey)


BROKEN: dict[str, dict[str, Any]] = {
    "dead": {"status": 503},
    "not found": {"status": 404},
    "moved": {"status": 302},
    "no JSON": {"body": b"{"},
    "no object": {"body": b"[]"},
    "no UTF-8": {"body": b"\xff\xfe{}"},
    "no keys": {"body": b"{}"},
    "keys that are text": {"body": b'{"keys":"RSA"}'},
    "keys that are none": {
        "body": b'{"keys":[null,5,{},{"kid":"key-0"},{"kid":"key-0","kty":"EC"}]}'
    },
    "keys that are no numbers": {
        "body": b'{"keys":[{"kid":"key-0","kty":"RSA","n":"?","e":5,"endorsements":["msteams"]}]}'
    },
    "deep lists": {"body": b"[" * 100_000},
    "without end": {"body": b'{"keys":[],"x":"' + b"x" * LONGEST_DOCUMENT + b'"}'},
    "metadata without keys": {"metadata": {}},
    "metadata that is a list": {"metadata": []},
    "keys elsewhere, without https": {"metadata": {"jwks_uri": "http://192.0.2.1/keys"}},
    "keys in a file": {"metadata": {"jwks_uri": "file:///etc/passwd"}},
    "keys at no address": {"metadata": {"jwks_uri": "https://["}},
    "keys at a number": {"metadata": {"jwks_uri": 5}},
}


@pytest.mark.parametrize("name", BROKEN)
async def test_without_keys_nobody_is_believed(
    keys: SigningKeys, server: OpenId, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the service answers, nobody is told from anybody, and there is a line in the log."""
    for knob, value in BROKEN[name].items():
        setattr(server, knob, value)
    caplog.set_level(logging.WARNING, logger="bot.teams.auth.signing_keys")
    assert await keys.find(server.kid) is Missing.UNREAD
    assert not keys.are_warm
    assert len(caplog.records) == 1


async def test_without_keys_teams_is_to_send_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can be told from anybody: nothing is kept, and it is no refusal of the sender."""
    served.openid.status = 503
    with monkeypatch.context() as patch:
        patch.setattr("bot.teams.auth.signing_keys.GOOD_FOR_S", 0.0)
        assert await sent(served) == 503
        assert served.kept.messages == []
        assert await served.post(b"{}", {"Authorization": "Bearer garbage"}) == 401
    assert await sent(served) == 200


async def test_keys_are_read_again_soon_where_there_are_none(server: OpenId) -> None:
    """Without anybody who asks for one."""
    server.status = 503
    async with signing_keys(server.url) as keys, asyncio.timeout(30):
        while server.reads < 2:  # noqa: ASYNC110  # a service over HTTP
            await asyncio.sleep(0.02)
        server.recover()
        while not keys.are_warm:  # noqa: ASYNC110  # by the clock
            await asyncio.sleep(0.02)


async def test_a_start_without_the_service_comes_right_by_itself(server: OpenId) -> None:
    """The first token asks again."""
    server.status = 503
    async with signing_keys(server.url) as keys:
        assert not keys.are_warm
        server.recover()
        assert isinstance(await keys.find(server.kid), SigningKey)
        assert keys.are_warm


async def test_a_start_waits_five_seconds_for_a_slow_service_at_most(server: OpenId) -> None:
    """Then it goes on without keys."""
    server.delay_s = 60.0
    async with asyncio.timeout(30), signing_keys(server.url) as keys:
        assert not keys.are_warm


async def test_a_few_keys_are_enough(keys: SigningKeys, server: OpenId) -> None:
    """A set without end is read up to a point."""
    more = [jwk(f"more-{number}", private_key(0)) for number in range(MOST_KEYS)]
    server.keys = [*more, *server.keys]
    await keys.refresh()
    assert isinstance(await keys.find("more-0"), SigningKey)
    assert await keys.find(server.kid) is Missing.UNKNOWN


@pytest.mark.parametrize(
    "url", ["http://login.botframework.com/", "ftp://x.example/", "", "x", "https://", "https://["]
)
async def test_keys_are_read_by_https_alone(session: ClientSession, url: str) -> None:
    """Whoever could change them on their way could sign for anybody."""
    with pytest.raises(ValueError, match="https"):
        SigningKeys(session, url)
