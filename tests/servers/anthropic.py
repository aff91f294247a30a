"""A local server that speaks the Messages API, by script. No test reaches a paid one.

    with anthropic_server([reply(tool_use("get_entity", {"id": "7"})), reply("Yes.")]) as server:
        settings = Settings(anthropic_api_key=server.key, anthropic_base_url=server.url)
        ...
        assert server.bodies[1]["messages"][-1]["content"][0]["type"] == "tool_result"

It runs in a thread of its own, so it serves asynchronous tests, synchronous ones and processes. A
script is one of

    [step, step]                     one after the other (`anthropic_steps` has the steps)
    lambda body: step                a function of the request's JSON
    by_model({"claude-haiku-5-5": [critique, judgement], "claude-sonnet-5-5": [answer]})
    by(key, {...})                   the same by any key of the request, for calls that run together
    replay(Path("run.json"))         recorded replies by the hash of their request

and a function may also stand for a step in a list. At its end the test fails if a request came that
no script foresaw, if scripted steps were never asked for (`leftovers=True` allows it), or if a
request broke a rule of the API and was answered with 400 (`refusals=True` allows it).

`server.received` holds every request with headers, `server.bodies` their JSON, `server.messages`
what was answered in whole; `server.record(path)` writes what `replay` reads.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import rfc8785
from aiohttp import web
from anthropic.types import Model

from tests.servers.anthropic_rules import RefusedError, check
from tests.servers.anthropic_steps import (
    Break,
    Failure,
    Raw,
    Reply,
    Silence,
    Step,
    events,
    failure,
    message_of,
    reply,
)
from tests.servers.in_thread import serving

KEY = "sk-ant-key-of-the-tests"
MODELS = frozenset(get_args(get_args(Model)[0]))
"""Models that the server knows: those that the SDK names."""

Body = dict[str, Any]
StepFor = Callable[[Body], Step | None]
"""None: nothing was foreseen."""
Steps = Sequence[Step | StepFor]
Script = Steps | StepFor


class _InTurn:
    """Steps one after the other."""

    def __init__(self, steps: Steps) -> None:
        self.left = list(steps)

    def __call__(self, body: Body) -> Step | None:
        if not self.left:
            return None
        step = self.left.pop(0)
        return step(body) if callable(step) else step


class _Keyed:
    """Steps one after the other, for each key of its own."""

    def __init__(self, key: Callable[[Body], str], scripts: Mapping[str, Steps]) -> None:
        self._key = key
        self._scripts = {name: _InTurn(steps) for name, steps in scripts.items()}

    @property
    def left(self) -> list[Step | StepFor]:
        return [step for script in self._scripts.values() for step in script.left]

    def __call__(self, body: Body) -> Step | None:
        script = self._scripts.get(self._key(body))
        return script(body) if script else None


def by(key: Callable[[Body], str], scripts: Mapping[str, Steps]) -> _Keyed:
    """Script each kind of request of its own: `key` names the kind."""
    return _Keyed(key, scripts)


def by_model(scripts: Mapping[str, Steps]) -> _Keyed:
    """Script each model of its own."""
    return _Keyed(lambda body: body["model"], scripts)


def request_hash(body: Body) -> str:
    """Return the hash by which a reply is recorded: of the request without `stream`."""
    asked = {name: value for name, value in body.items() if name != "stream"}
    return sha256(rfc8785.dumps(asked)).hexdigest()


def replay(path: Path) -> StepFor:
    """Answer with recorded replies; a request that was not recorded fails the test.

    The file is JSON: hashes in hex, and whole messages. The hashes are those of `model_calls`, so
    that its rows (`request_hash`, `response`) are such a recording too; only a request whose
    `max_tokens` was cut to what was left of a budget is sent with another hash.
    """
    recorded: dict[str, Body] = json.loads(path.read_text(encoding="utf-8"))

    def step(body: Body) -> Step:
        message = recorded.get(request_hash(body))
        if message is None:
            raise KeyError(f"not recorded in {path.name}: {request_hash(body)}")
        return reply(
            *message["content"], stop_reason=message["stop_reason"], usage=message["usage"]
        )

    return step


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request, as it came."""

    path: str
    """Where to."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Body
    """Its JSON, `model` and `stream` among it also where a provider has them in the path."""


@dataclass
class AnthropicServer:
    """What the server heard and said. Made by `anthropic_server`."""

    script: Callable[[Body], Step | None]
    models: frozenset[str]
    key: str = KEY
    url: str = ""
    """What to set as the base URL."""
    received: list[Received] = field(default_factory=list[Received])
    messages: list[Body] = field(default_factory=list[Body])
    unscripted: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    abandoned: int = 0
    """Requests whose caller went away before the end."""
    _recorded: dict[str, Body] = field(default_factory=dict[str, Body])

    @property
    def bodies(self) -> list[Body]:
        """The JSON of each request."""
        return [one.body for one in self.received]

    def record(self, path: Path) -> None:
        """Write requests' hashes and their replies, for `replay`."""
        path.write_text(json.dumps(self._recorded, indent=1), encoding="utf-8")

    def complaints(self, *, leftovers: bool, refusals: bool) -> list[str]:
        """Return what a test must fail for."""
        left = [] if leftovers else getattr(self.script, "left", [])
        return [
            *(f"asked without a script: {one}" for one in self.unscripted),
            *([] if refusals else [f"refused with 400: {one}" for one in self.refused]),
            *(f"scripted, but never asked for: {str(one)[:200]}" for one in left),
        ]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        body = _with_path(await request.json(), request.path)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(Received(path=request.path, headers=headers, body=body))
        number = len(self.received)
        step = self._refusal(body, headers) or self._next(body)
        try:
            return await self._play(request, step, body, number)
        except (ConnectionError, asyncio.CancelledError):
            self.abandoned += 1
            raise

    def _refusal(self, body: Body, headers: Mapping[str, str]) -> Failure | None:
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if given != self.key:
            return failure(401, "authentication_error", message="invalid x-api-key")
        try:
            check({name: value for name, value in body.items() if name != "anthropic_version"})
        except RefusedError as error:
            self.refused.append(str(error))
            return failure(400, "invalid_request_error", message=str(error))
        if body["model"] not in self.models:
            return failure(404, "not_found_error", message=f"model: {body['model']}")
        return None

    def _next(self, body: Body) -> Step:
        try:
            step = self.script(body)
            why = "the script is at its end"
        except Exception as error:  # a script that fails must not hang the test
            step, why = None, repr(error)
        if step is not None:
            return step
        self.unscripted.append(f"{body['model']}, {len(body['messages'])} messages ({why})")
        return failure(400, "invalid_request_error", message="no script for this request")

    async def _play(
        self, request: web.Request, step: Step, body: Body, number: int
    ) -> web.StreamResponse:
        ids = {"request-id": f"req_{number:04d}"}
        if isinstance(step, Failure):
            error = {"type": step.error_type, "message": step.message}
            wrong = {"type": "error", "error": error, "request_id": ids["request-id"]}
            return web.json_response(wrong, status=step.status, headers=ids | dict(step.headers))
        if isinstance(step, Raw):
            return web.Response(
                text=step.body, status=step.status, content_type=step.content_type, headers=ids
            )
        if isinstance(step, Silence):
            await _fall_silent(request, drops=step.drops)
            return web.Response()
        await asyncio.sleep(step.delay_s)
        message = message_of(step, body, number)
        if step.breaks is None:
            self.messages.append(message)
            self._recorded[request_hash(body)] = message
        if not body.get("stream"):
            return web.json_response(message, headers=ids)
        return await _stream(request, step, message, ids)


async def _stream(
    request: web.Request, step: Reply, message: Body, headers: Mapping[str, str]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream", **headers})
    await response.prepare(request)
    for sent, event in enumerate(events(message)):
        if step.breaks is not None and sent == step.breaks.after:
            return await _break(request, response, step.breaks)
        await asyncio.sleep(step.pause_s)
        await response.write(_sse(event["type"], json.dumps(event)))
    await response.write_eof()
    return response


async def _break(
    request: web.Request, response: web.StreamResponse, how: Break
) -> web.StreamResponse:
    if how.how == "error":
        error = {"type": "error", "error": {"type": how.error_type, "message": "scripted"}}
        await response.write(_sse("error", json.dumps(error)))
    elif how.how == "garbage":
        await response.write(_sse("content_block_delta", '{"type": "content_blo'))
    elif how.how != "end":
        await _fall_silent(request, drops=how.how == "drop")
        return response
    await response.write_eof()
    return response


async def _fall_silent(request: web.Request, *, drops: bool) -> None:
    if not drops:
        await asyncio.Event().wait()
    if request.transport is not None:
        request.transport.abort()


def _sse(event: str, data: str) -> bytes:
    return f"event: {event}\ndata: {data}\n\n".encode()


def _with_path(body: Body, path: str) -> Body:
    """Put into the body what Vertex has in the path."""
    name = path.rpartition("/")[2]
    model, colon, verb = name.partition(":")
    if not colon:
        return body
    return {"model": model, "stream": verb == "streamRawPredict"} | body


@contextmanager
def anthropic_server(
    script: Script = (),
    *,
    models: Sequence[str] = (),
    leftovers: bool = False,
    refusals: bool = False,
) -> Generator[AnthropicServer]:
    """Run a server on loopback, and fail at the end for what was not scripted.

    Args:
        script: See the module.
        models: Names of models known besides those of the SDK.
        leftovers: Steps may remain.
        refusals: Requests may break the rules of the API.
    """
    playing = script if callable(script) else _InTurn(script)
    server = AnthropicServer(script=playing, models=MODELS | set(models))
    application = web.Application(client_max_size=64 * 1024 * 1024)
    application.router.add_post("/{path:.*}", server.handle)
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # a cut connection is meant
    with serving(application, handler_cancellation=True) as server.url:
        try:
            yield server
        except BaseException as error:
            for complaint in server.complaints(leftovers=True, refusals=refusals):
                error.add_note(f"model server: {complaint}")
            raise
    complaints = server.complaints(leftovers=leftovers, refusals=refusals)
    assert not complaints, "model server: " + "; ".join(complaints)
