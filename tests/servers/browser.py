"""Debian's Chromium without a window, driven by the DevTools protocol; only to look at a page.

    async with browser(need_browser()) as page:
        await page.open("http://127.0.0.1:56150/")
        await page.until("document.querySelector('textarea') !== null")
        await page.type("May I?"); await page.press_enter()
        picture = await page.screenshot()

It is never installed by a test. It sees loopback pages alone, in a profile that is thrown away.
"""

import asyncio
import base64
import os
import re
import shutil
import signal
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

from tests.servers.slack.wire import Json

ABSENT = "chromium absent"
"""How the reason of a skip begins."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)
STARTED_WITHIN_S, HOLDS_WITHIN_S, STOPPED_WITHIN_S = 60.0, 60.0, 5.0
LARGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes: a screenshot is one message."""
_LISTENING = re.compile(r"DevTools listening on (ws://127\.0\.0\.1:\d+/\S+)")


def need_browser() -> str:
    """Return the program; skip, loudly, without it."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    pytest.skip(f"{ABSENT}: install Debian's chromium to see the page (apt-get install chromium)")


class Page:
    """One page. One call at a time."""

    def __init__(self, socket: ClientWebSocketResponse):
        self._socket = socket
        self._numbers = count(1)
        self._session = ""

    async def begin(self, *, width: int, height: int, scale: float) -> None:
        """Open an empty page of so many pixels, each of `scale` pixels of a screenshot."""
        target = await self._call("Target.createTarget", url="about:blank")
        told = await self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = str(told["sessionId"])
        await self._call("Page.enable")
        await self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )

    async def resize(self, width: int, height: int) -> None:
        """Let the page have so many pixels from now on."""
        await self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def show_as(self, *, scheme: str = "light", media: str = "screen") -> None:
        """Show pages to somebody who prefers `light` or `dark`; on a `screen`, or in `print`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self._call("Emulation.setEmulatedMedia", media=media, features=features)

    async def open(self, url: str) -> None:
        """Go to an address."""
        told = await self._call("Page.navigate", url=url)
        assert not told.get("errorText"), f"the page did not open: {told}"

    async def evaluate(self, script: str) -> Any:
        """Return what an expression of JavaScript is."""
        told = await self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in told, f"{script}: {told['exceptionDetails']}"
        return told["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until an expression is true.

        Raises:
            AssertionError: It is not, with what the page says.
        """
        end = time.monotonic() + HOLDS_WITHIN_S
        # A page that is loading has no body yet.
        while not await self.evaluate(f"Boolean(document.body) && ({script})"):
            if time.monotonic() > end:
                text = await self.evaluate("document.body.innerText")
                raise AssertionError(f"it did not come true: {script}; the page: {text}")
            await asyncio.sleep(0.1)

    async def type(self, text: str) -> None:
        """Write where the cursor is."""
        await self._call("Input.insertText", text=text)

    async def press_enter(self) -> None:
        """Press the key."""
        key: Json = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        await self._call("Input.dispatchKeyEvent", type="keyDown", text="\r", **key)
        await self._call("Input.dispatchKeyEvent", type="keyUp", **key)

    async def screenshot(self, *, of: str = "") -> bytes:
        """Return what is seen, or the whole of one element (a CSS selector), as PNG."""
        more: Json = {}
        if of:
            box = "const {x, y, width, height} = document.querySelector(%r).getBoundingClientRect()"
            clip = await self.evaluate(f"{{ {box % of}; ({{x, y, width, height, scale: 1}}) }}")
            more = {"clip": clip, "captureBeyondViewport": True}
        told = await self._call("Page.captureScreenshot", format="png", **more)
        return base64.b64decode(told["data"])

    async def print(self, page: str, *, tagged: bool) -> bytes:
        """Return what the browser prints of a page given as HTML, as PDF in the page's own size."""
        await self.open("about:blank")
        frame = (await self._call("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        await self._call("Page.setDocumentContent", frameId=frame, html=page)
        told = await self._call(
            "Page.printToPDF",
            preferCSSPageSize=True,
            printBackground=True,
            generateTaggedPDF=tagged,
        )
        return base64.b64decode(told["data"])

    async def _call(self, method: str, **parameters: Any) -> Json:
        number = next(self._numbers)
        asked: Json = {"id": number, "method": method, "params": parameters}
        if self._session:
            asked["sessionId"] = self._session
        await self._socket.send_json(asked)
        async with asyncio.timeout(HOLDS_WITHIN_S):
            while True:
                told: Json = await self._socket.receive_json()
                if told.get("id") == number:
                    assert "error" not in told, f"{method}: {told.get('error')}"
                    return told["result"]


@asynccontextmanager
async def browser(
    program: str, *, width: int = 1280, height: int = 900, scale: float = 1
) -> AsyncGenerator[Page]:
    """Run it, and give one page of so many pixels; see `Page.begin`."""
    with tempfile.TemporaryDirectory(
        prefix="citebound-browser-", ignore_cleanup_errors=True
    ) as folder:
        process = await asyncio.create_subprocess_exec(
            *(program, *FLAGS, f"--user-data-dir={folder}", "about:blank"),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=PIPE,
            start_new_session=True,
        )
        try:
            url = await _listening(process)
            async with (
                ClientSession() as session,
                asyncio.TaskGroup() as group,
                session.ws_connect(url, max_msg_size=LARGEST_MESSAGE) as socket,
            ):
                drain = group.create_task(_drain(process))
                page = Page(socket)
                await page.begin(width=width, height=height, scale=scale)
                yield page
                drain.cancel()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None  # a test's own failure, as it is
        finally:
            await _stop(process)


async def _listening(process: Process) -> str:
    """Return where it takes orders."""
    heard: list[str] = []
    assert process.stderr is not None
    async with asyncio.timeout(STARTED_WITHIN_S):
        async for line in process.stderr:
            heard.append(line.decode(errors="replace"))
            found = _LISTENING.search(heard[-1])
            if found:
                return found[1]
    raise AssertionError(f"the browser did not start: {''.join(heard)}")


async def _drain(process: Process) -> None:
    assert process.stderr is not None
    while await process.stderr.readline():
        pass


async def _stop(process: Process) -> None:
    """Stop it and what it started; only those."""
    if process.returncode is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(STOPPED_WITHIN_S):
            await process.wait()
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
