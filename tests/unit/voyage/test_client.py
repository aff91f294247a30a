"""What is tried again, for how long, and what is said of it."""

import asyncio
import logging
import time

import pytest

from core.adapters.voyage import client as client_module
from core.adapters.voyage.client import Timeouts, VoyageAccess, VoyageClient
from core.domain.errors import CiteboundError, ConfigError, ContractError, TransientError
from tests.servers.voyage import (
    KEY,
    Answer,
    VoyageServer,
    body,
    break_off,
    drop,
    good,
    hang,
    status,
)

PATIENT = Timeouts(deadline_s=20.0, attempt_s=10.0)


async def embed(client: VoyageClient, timeouts: Timeouts = PATIENT) -> object:
    reply = await client.embed(
        timeouts=timeouts, input=["a"], model="voyage-3-large", input_type="query"
    )
    return reply["data"]


@pytest.mark.parametrize(
    "failing",
    [
        *(status(code) for code in (408, 429, 500, 502, 503, 504, 529)),
        body("<html>", status=500),
        body("{}", status=520),
        drop(),
        break_off(),
    ],
)
async def test_what_may_pass_is_tried_again(
    server: VoyageServer, client: VoyageClient, pauses: list[float], failing: Answer
) -> None:
    """Growing pauses, and the reply of the third attempt."""
    server.script = [failing, failing, good()]
    assert await embed(client)
    assert pauses == [0.25, 0.5]


@pytest.mark.parametrize(
    ("failing", "kind", "words"),
    [
        (status(400, "Model x\nis not supported"), ContractError, r"\(400\): Model x is not supp"),
        (status(401), ConfigError, r"refused the key \(401\): check VOYAGE_API_KEY"),
        (status(403), ConfigError, r"refused the key \(403\)"),
        (status(404), ConfigError, r"not at this address \(404\): check VOYAGE_BASE_URL"),
        (status(422), ContractError, r"refused the request \(422\)"),
        (body("gone", status=410), ContractError, r"refused the request \(410\)"),
        (body("", status=302, Location="http://127.0.0.1:9/"), ConfigError, r"\(302\)"),
    ],
)
async def test_what_will_not_pass_is_not_repeated(
    server: VoyageServer,
    client: VoyageClient,
    failing: Answer,
    kind: type[CiteboundError],
    words: str,
) -> None:
    """One attempt, one line that says what to do."""
    server.script = [failing]
    with pytest.raises(kind, match=words) as raised:
        await embed(client)
    assert "\n" not in str(raised.value)


async def test_retry_after_is_obeyed(
    server: VoyageServer, client: VoyageClient, pauses: list[float]
) -> None:
    """The service knows better than we do how long its limit lasts."""
    server.script = [status(429, Retry_After="7"), good()]
    await embed(client)
    assert pauses == [7.0]


async def test_retry_after_beyond_the_deadline_is_a_failure(
    server: VoyageServer, client: VoyageClient, pauses: list[float]
) -> None:
    """Nobody waits an hour."""
    server.script = [status(429, "Slow down.", Retry_After="3600")]
    with pytest.raises(TransientError, match=r"rate limit is reached \(429\): Slow down."):
        await embed(client)
    assert pauses == []


async def test_a_hanging_service_is_left(server: VoyageServer, client: VoyageClient) -> None:
    """An attempt ends at its time, and all of them at the deadline."""
    server.always = hang()
    started_s = time.monotonic()
    with pytest.raises(TransientError, match="did not answer in time"):
        await embed(client, Timeouts(deadline_s=0.4, attempt_s=0.2))
    assert time.monotonic() - started_s < 5


async def test_a_slow_attempt_leaves_time_for_another(
    server: VoyageServer, client: VoyageClient
) -> None:
    """The second one answers."""
    await asyncio.to_thread(client_module.load_sdk)
    server.script = [hang(), good()]
    assert await embed(client, Timeouts(deadline_s=10.0, attempt_s=0.3))


async def test_nobody_listens(pauses: list[float]) -> None:
    """A refused connection is tried again, and then named."""

    async def note(seconds: float) -> None:
        pauses.append(seconds)

    access = VoyageAccess(api_key=KEY, base_url="http://127.0.0.1:9/v1")
    client = VoyageClient(access, sleep=note)
    with pytest.raises(TransientError, match=r"the connection to Voyage failed \(6 attempts\)"):
        await embed(client)
    await client.aclose()
    assert len(pauses) == 5
    assert all(0 < pause <= 8 for pause in pauses)


async def test_a_cancelled_call_ends_at_once(server: VoyageServer, client: VoyageClient) -> None:
    """The run's deadline cuts through, and is not taken for a failed attempt."""
    server.script = [hang()]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await embed(client)
    assert len(server.asked) == 1


async def test_the_key_stands_nowhere(
    server: VoyageServer, client: VoyageClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in what is raised, logged or shown, even if the service repeats it."""
    caplog.set_level(logging.DEBUG)
    server.script = [status(400, f"The key {KEY} is odd.")]
    with pytest.raises(ContractError, match=r"The key \*\*\* is odd") as raised:
        await embed(client)
    shown = repr(raised.value) + repr(VoyageAccess(api_key=KEY)) + caplog.text
    assert KEY not in shown


async def test_nothing_is_printed_or_logged_of_the_text(
    server: VoyageServer,
    client: VoyageClient,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The SDK would print where a reply breaks off, and log what it sends."""
    caplog.set_level(logging.DEBUG)
    server.script = [break_off(), good()]
    await embed(client)
    assert capsys.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name == "voyage"]


async def test_connections_are_kept(server: VoyageServer, client: VoyageClient) -> None:
    """The second call needs no new connection; closing twice is allowed."""
    server.script = [good(), good()]
    await embed(client)
    await embed(client)
    await client.aclose()
    await client.aclose()
    assert len(server.asked) == 2


async def test_after_a_failure_questions_do_not_wait_again(
    server: VoyageServer, client: VoyageClient
) -> None:
    """One question waited in vain; the next ones go on without, documents try for themselves."""
    question = Timeouts(deadline_s=0.4, attempt_s=0.4, cooldown_s=30.0)
    server.script = [hang(), good()]
    with pytest.raises(TransientError, match="did not answer in time"):
        await embed(client, question)
    with pytest.raises(TransientError, match="failed a moment ago; asked again in 30 s"):
        await embed(client, question)
    assert await embed(client)


async def test_whether_the_key_is_taken_is_noted(server: VoyageServer) -> None:
    """A refusal with its status, and the success that ends it; other failures say nothing."""
    noted: list[tuple[str, str | None]] = []
    access = VoyageAccess(api_key=KEY, base_url=server.base_url)
    client = VoyageClient(access, note=lambda name, cause: noted.append((name, cause)))
    server.script = [status(401), status(404), status(403), good()]
    for _ in range(3):
        with pytest.raises(ConfigError):
            await embed(client)
    await embed(client)
    await client.aclose()
    assert noted == [("voyage", "401"), ("voyage", "403"), ("voyage", None)]
