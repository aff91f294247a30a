"""A local server that speaks Voyage's API, by script or without end."""

import asyncio
import base64
import struct
import zlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.in_thread import serving

DIMENSIONS = 1024
KEY = "pa-key-of-the-tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request, as it came."""

    path: str
    body: dict[str, Any]
    authorization: str


Answer = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]
"""What the server does with one request."""


def words_vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Return how often each word occurs: texts with common words are near each other."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        vector[zlib.crc32(word.strip(".,;:?!").encode()[:6]) % dimensions] += 1.0
    vector[0] += 0.1
    length = sum(value * value for value in vector) ** 0.5
    return [value / length for value in vector]


def encoded(vector: Sequence[float]) -> str:
    """Return a vector as the API sends it when asked for base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def embeddings(*vectors: Sequence[float], **changed: Any) -> dict[str, Any]:
    """Return the body of a good reply with these vectors."""
    data = [
        {"object": "embedding", "embedding": encoded(vector), "index": index}
        for index, vector in enumerate(vectors)
    ]
    return {"object": "list", "data": data, "model": "m", "usage": {"total_tokens": 1}} | changed


async def _good(_request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    if "documents" in body:
        wanted = set(body["query"].lower().split())
        shares = [
            len(wanted & set(text.lower().split())) / len(wanted) for text in body["documents"]
        ]
        ranked = sorted(enumerate(shares), key=lambda one: -one[1])
        data = [{"index": index, "relevance_score": share} for index, share in ranked]
        return web.json_response({"object": "list", "data": data, "usage": {"total_tokens": 1}})
    return web.json_response(embeddings(*(words_vector(text) for text in body["input"])))


def good() -> Answer:
    """Answer as the service would."""
    return _good


def body(content: Any, *, status: int = 200, **headers: str) -> Answer:
    """Answer with this body: JSON, or a string as it is."""

    async def answer(_request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(content, str):
            return web.Response(text=content, status=status, headers=sent)
        return web.json_response(content, status=status, headers=sent)

    return answer


def status(code: int, detail: str = "no", **headers: str) -> Answer:
    """Answer with an error as the service words it."""
    return body({"detail": detail}, status=code, **headers)


def hang(seconds: float = 30.0) -> Answer:
    """Answer after the caller has given up."""

    async def answer(request: web.Request, given: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await _good(request, given)

    return answer


def drop() -> Answer:
    """Close the connection without a reply."""

    async def answer(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    return answer


def break_off() -> Answer:
    """Close the connection in the middle of a reply."""

    async def answer(request: web.Request, _body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"object": "li')
        assert request.transport is not None
        request.transport.close()
        return response

    return answer


@dataclass
class VoyageServer:
    """Runs in a thread of its own. What was asked without a script fails the test at its end."""

    base_url: str = ""
    script: list[Answer] = field(default_factory=list[Answer])
    always: Answer | None = None
    """Answers once the script has been read; None: nothing may be asked then."""
    asked: list[Asked] = field(default_factory=list[Asked])
    unscripted: list[Asked] = field(default_factory=list[Asked])
    busiest: int = 0
    """Most requests at the same time."""
    _busy: int = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        given: dict[str, Any] = await request.json()
        asked = Asked(
            path=request.path, body=given, authorization=request.headers.get("Authorization", "")
        )
        self.asked.append(asked)
        answer = self.script.pop(0) if self.script else self.always
        if answer is None:
            self.unscripted.append(asked)
            return web.json_response({"detail": "nothing was scripted"}, status=400)
        self._busy += 1
        self.busiest = max(self.busiest, self._busy)
        try:
            return await answer(request, given)
        finally:
            self._busy -= 1

    def inputs(self) -> list[list[str]]:
        """Return the texts of each request to embed."""
        return [asked.body["input"] for asked in self.asked if "input" in asked.body]


@contextmanager
def voyage_server() -> Generator[VoyageServer]:
    """Run a server, and fail if it was asked what no script foresaw."""
    server = VoyageServer()
    application = web.Application(client_max_size=64 * 1024 * 1024)
    application.router.add_post("/v1/{what}", server.handle)
    with serving(application) as address:
        server.base_url = f"{address}/v1"
        yield server
    assert not server.unscripted, f"asked without a script: {server.unscripted}"
    assert not server.script, f"{len(server.script)} scripted answers were not asked for"
