"""The Web API over HTTP: who calls, whether they may, what goes wrong, what is done."""

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable

from aiohttp import web

from tests.servers.slack.arguments import Arguments, read_arguments
from tests.servers.slack.faults import Fault, Faults
from tests.servers.slack.journal import Entry, Journal
from tests.servers.slack.limits import Limits
from tests.servers.slack.methods import METHODS
from tests.servers.slack.methods.call import Call
from tests.servers.slack.scopes import RULES
from tests.servers.slack.wire import Json, RateLimitedError, RefusedError
from tests.servers.slack.workspace import Token, Workspace


class WebApi:
    """Answers `POST` and `GET` of `/api/{method}`."""

    def __init__(
        self,
        workspace: Workspace,
        faults: Faults,
        limits: Limits,
        journal: Journal,
        echo: Callable[[str, str, str], Awaitable[None]],
    ):
        self._workspace = workspace
        self._faults = faults
        self._limits = limits
        self._journal = journal
        self._echo = echo
        """Told of each call that was done: method, channel, `ts`."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        method = request.match_info["method"]
        entry = Entry(
            method=method,
            at=self._workspace.clock.now(),
            user_agent=request.headers.get("User-Agent", ""),
        )
        self._journal.entries.append(entry)
        fault = self._faults.take(method) or Fault()
        await asyncio.sleep(fault.delay_s)
        try:
            entry.args = await read_arguments(request)
        except RefusedError as error:
            return self._refuse(entry, error)
        fault = self._faults.of_channel(method, entry.args.get("channel")) or fault
        if fault.drop_before:
            entry.outcome = "dropped"
            return _cut(request)
        if fault.status is not None:
            entry.outcome = str(fault.status)
            return _plain(fault)
        return await self._answer(request, entry, fault)

    async def _answer(self, request: web.Request, entry: Entry, fault: Fault) -> web.StreamResponse:
        try:
            if fault.error:
                raise RefusedError(fault.error)  # noqa: TRY301
            entry.result = self._do(request, entry)
        except RefusedError as error:
            return self._refuse(entry, error)
        except RateLimitedError as error:
            entry.outcome = "ratelimited"
            return web.json_response(
                {"ok": False, "error": "ratelimited"},
                status=429,
                headers={"Retry-After": str(error.retry_after_s)},
            )
        entry.was_done, entry.outcome = True, "ok"
        channel, ts = entry.result.get("channel"), entry.result.get("ts")
        if isinstance(channel, str) and isinstance(ts, str):
            await self._echo(entry.method, channel, ts)
        await asyncio.sleep(fault.delay_answer_s)
        if fault.drop_after:
            entry.outcome = "dropped after"
            return _cut(request)
        if fault.garble:
            entry.outcome = "garbled"
            return web.Response(text='{"ok": tr', content_type="application/json")
        held = self._workspace.keys.tokens.get(entry.token)
        told = {"x-oauth-scopes": ",".join(sorted(held.scopes))} if held else {}
        return web.json_response(entry.result, headers=told)

    def _do(self, request: web.Request, entry: Entry) -> Json:
        method = entry.method
        if method not in METHODS or method in self._faults.absent:
            raise RefusedError("unknown_method", req_method=method)
        rule = RULES[method]
        arguments = Arguments(dict(entry.args))
        token = self._token(request, arguments, entry) if rule.of != "none" else None
        if token and (rule.of == "app") != (token.kind == "app"):
            raise RefusedError("not_allowed_token_type")
        if rule.of == "none":
            _client_of(request, arguments)
        self._limits.check(method, arguments.text("channel"))
        base_url = f"http://{request.host}"
        call = Call(workspace=self._workspace, arguments=arguments, token=token, base_url=base_url)
        call.need_scope(*rule.scopes)
        result = METHODS[method](call)
        entry.ignored = frozenset(entry.args) - arguments.read - {"token", "team_id"}
        return result

    def _token(self, request: web.Request, arguments: Arguments, entry: Entry) -> Token:
        value = request.headers.get("Authorization", "").removeprefix("Bearer ")
        entry.token = value or arguments.text("token")
        if not entry.token:
            raise RefusedError("not_authed")
        token = self._workspace.keys.tokens.get(entry.token)
        if token is None:
            raise RefusedError("invalid_auth")
        if token.dead:
            raise RefusedError(token.dead)
        if token.expires_at is not None and token.expires_at <= self._workspace.clock.now():
            raise RefusedError("token_expired")
        return token

    def _refuse(self, entry: Entry, error: RefusedError) -> web.Response:
        entry.outcome, entry.result = error.error, error.body()
        status = self._faults.absent.get(entry.method, 200)
        return web.json_response(error.body(), status=status)


def _client_of(request: web.Request, arguments: Arguments) -> None:
    """Read a client's id and secret from the header, if they are there."""
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Basic":
        return
    try:
        client, _, key = base64.b64decode(value).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return
    arguments.given |= {"client_id": client, "client_secret": key}


def _plain(fault: Fault) -> web.Response:
    headers, status = dict(fault.headers), fault.status or 500
    if isinstance(fault.body, str):
        return web.Response(text=fault.body, status=status, headers=headers)
    return web.json_response(fault.body, status=status, headers=headers)


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
