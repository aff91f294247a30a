"""Nobody holds a connection without sending, nor keeps those who send from their answers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import ClientSession, web

from bot.app.connections import ConnectionLimits, listening, received
from core.domain.errors import ConfigError

PATIENT = ConnectionLimits(head_within_s=60.0, request_within_s=60.0, rests_for_s=60.0)
HALF_A_HEAD = b"POST /take HTTP/1.1\r\nHost: x\r\n"
HALF_A_BODY = HALF_A_HEAD + b"Content-Length: 90\r\n\r\nhalf"
WHOLE = HALF_A_HEAD + b"Content-Length: 5\r\n\r\nwhole"
CUT_WITHIN_S = 30.0
"""Far more than any limit below, far less than those of `PATIENT`."""


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncGenerator[tuple[int, asyncio.Event]]:
    """Serve what tells the length of a body; `/slow` waits for the event."""
    goes_on = asyncio.Event()

    async def take(request: web.Request) -> web.StreamResponse:
        return web.Response(text=str(len(await request.read())))

    async def slow(request: web.Request) -> web.StreamResponse:
        await goes_on.wait()
        return await take(request)

    served = web.Application(client_max_size=100, middlewares=[received])
    served.router.add_post("/take", take)
    served.router.add_post("/slow", slow)
    where = {"host": "127.0.0.1", "port": 0, "settings": "THIS"}
    async with listening(served, limits=limits, **where) as port:  # pyright: ignore[reportArgumentType]
        yield port, goes_on


class Client:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def read(self) -> bytes:
        """Read on until what was sent is answered, or nothing more comes."""
        try:
            async with asyncio.timeout(CUT_WITHIN_S):
                return await self.reader.read(4096)
        except ConnectionResetError:
            return b""


@asynccontextmanager
async def client(port: int, *sent: bytes) -> AsyncGenerator[Client]:
    """Connect, and send that much."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for one in sent:
            writer.write(one)
            await writer.drain()
        yield Client(reader, writer)
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        ("head_within_s", b""),
        ("head_within_s", HALF_A_HEAD),
        ("request_within_s", HALF_A_BODY),
    ],
)
async def test_who_does_not_send_is_cut_off(limit: str, sent: bytes) -> None:
    """Before the first byte, within the headers, within the body."""
    async with (
        serving(replace(PATIENT, **{limit: 0.1})) as (port, _),
        client(port, sent) as slow,
    ):
        assert await slow.read() == b""


@pytest.mark.parametrize(
    ("limit", "sent"), [("head_within_s", HALF_A_HEAD), ("request_within_s", HALF_A_BODY)]
)
async def test_a_byte_now_and_then_gains_no_time(limit: str, sent: bytes) -> None:
    """The time is that of the whole, not of a pause."""
    async with (
        serving(replace(PATIENT, **{limit: 0.3})) as (port, _),
        client(port, sent) as slow,
        asyncio.timeout(CUT_WITHIN_S),
    ):
        while not slow.reader.at_eof():
            try:
                slow.writer.write(b"x")
                await slow.writer.drain()
                async with asyncio.timeout(0.02):
                    await slow.reader.read(1)
            except TimeoutError:
                continue
            except ConnectionError:
                break


async def test_a_connection_rests_for_a_while() -> None:
    """Between requests; then it is closed. A further request has the time of any other."""
    async with serving(replace(PATIENT, rests_for_s=0.2)) as (port, _), client(port, WHOLE) as one:
        assert (await one.read()).endswith(b"\r\n\r\n5")
        one.writer.write(WHOLE)
        assert (await one.read()).endswith(b"\r\n\r\n5")
        assert await one.read() == b""


async def test_half_a_further_request_is_cut_off() -> None:
    """A connection that was good for one request is trusted with no more than that."""
    async with (
        serving(replace(PATIENT, head_within_s=0.2)) as (port, _),
        client(port, WHOLE) as one,
    ):
        assert (await one.read()).endswith(b"\r\n\r\n5")
        one.writer.write(HALF_A_HEAD)
        assert await one.read() == b""


async def test_a_whole_request_is_answered_however_long_it_takes() -> None:
    """The limits are those of sending."""
    short = ConnectionLimits(head_within_s=0.05, request_within_s=0.05, rests_for_s=0.05)
    async with (
        serving(short) as (port, goes_on),
        client(port, WHOLE.replace(b"/take", b"/slow")) as one,
    ):
        await asyncio.sleep(0.3)
        goes_on.set()
        assert (await one.read()).endswith(b"\r\n\r\n5")


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD, HALF_A_BODY])
async def test_half_sent_requests_keep_nobody_from_an_answer(sent: bytes) -> None:
    """Far more than there may be: the oldest give way, and whole requests are answered."""
    async with serving(replace(PATIENT, connections=20)) as (port, _):
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
        for _, writer in held:
            writer.write(sent)
        for _ in range(50):
            async with client(port, WHOLE) as one:
                assert (await one.read()).endswith(b"\r\n\r\n5")
        await asyncio.sleep(0.1)
        alive = [reader for reader, _ in held if not _is_over(reader)]
        assert len(alive) < 20
        for _, writer in held:
            writer.close()


def _is_over(reader: asyncio.StreamReader) -> bool:
    return reader.at_eof() or reader.exception() is not None


async def test_whole_requests_do_not_give_way() -> None:
    """With as many under way as there may be, one more is refused, and those are answered."""
    slow = WHOLE.replace(b"/take", b"/slow")
    async with serving(replace(PATIENT, connections=2)) as (port, goes_on):
        async with client(port, slow) as one, client(port, slow) as two:
            await asyncio.sleep(0.1)
            async with client(port, WHOLE) as refused:
                assert await refused.read() == b""
            goes_on.set()
            for each in (one, two):
                assert (await each.read()).endswith(b"\r\n\r\n5")
        await asyncio.sleep(0.1)
        async with client(port, WHOLE) as next_one:
            assert (await next_one.read()).endswith(b"\r\n\r\n5")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (WHOLE, 200),
        (WHOLE.replace(b"/take", b"/none"), 404),
        (WHOLE.replace(b"POST", b"PUT"), 405),
        (HALF_A_HEAD + b"Content-Length: 101\r\n\r\n" + 101 * b"x", 413),
        (HALF_A_HEAD + b"Transfer-Encoding: chunked\r\n\r\nnone\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (HALF_A_HEAD + b"Content-Length: many\r\n\r\n", 400),
    ],
)
async def test_no_answer_tells_which_software_it_is(sent: bytes, status: int) -> None:
    """Nor do errors, of ours or of the HTTP library."""
    async with serving(PATIENT) as (port, _), client(port, sent) as one:
        head = (await one.read()).partition(b"\r\n\r\n")[0].lower()
    assert head.split()[1] == str(status).encode()
    assert b"server:" not in head
    assert b"aiohttp" not in head


async def test_a_taken_port_is_named_with_its_cure() -> None:
    """In one line."""
    async with serving(PATIENT) as (port, _):
        with pytest.raises(ConfigError, match=rf"127\.0\.0\.1:{port} can't be .*: set THIS"):
            async with listening(
                web.Application(), host="127.0.0.1", port=port, settings="THIS", limits=PATIENT
            ):
                pass
        async with (
            ClientSession() as session,
            session.post(f"http://127.0.0.1:{port}/take", data=b"still") as answer,
        ):
            assert await answer.text() == "5"
