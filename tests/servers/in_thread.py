"""A server for tests, on a loop and in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue

from aiohttp import web

_STARTS_WITHIN_S = 10


@contextmanager
def serving(application: web.Application, *, handler_cancellation: bool = False) -> Generator[str]:
    """Serve on a free port of the loopback, and give the address, such as `http://127.0.0.1:5000`.

    What still runs at the end is cancelled and waited for: a task that outlived its loop would be
    reported in whichever test comes next.

    Args:
        application: What to serve.
        handler_cancellation: True: a request that the client gives up is cancelled.
    """
    started: SimpleQueue[tuple[str, Callable[[], object]]] = SimpleQueue()

    async def serve() -> None:
        runner = web.AppRunner(
            application, shutdown_timeout=0.1, handler_cancellation=handler_cancellation
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        stops = asyncio.Event()
        stop = partial(asyncio.get_running_loop().call_soon_threadsafe, stops.set)
        started.put((f"http://127.0.0.1:{runner.addresses[0][1]}", stop))
        await stops.wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    address, stop = started.get(timeout=_STARTS_WITHIN_S)
    try:
        yield address
    finally:
        stop()
        thread.join(_STARTS_WITHIN_S)
    assert not thread.is_alive(), "the server did not end"
