"""Calls of Voyage's API through its SDK: one exchange, its retries, and what a failure means.

May pass: 408, 429, 5xx, no answer in time, a dropped connection. These are retried after growing,
random pauses, or after `Retry-After` if that is in time; attempts and pauses together stay within
the caller's deadline. Will not pass: a refused key or address (the operator's to correct), a
refused request, a reply that can't be read. Messages are one line; the service's own words are cut
short, and the key is in none of them.

The SDK (voyageai 0.5) opens a connection for every call unless it is given a session; prints and
then raises a foreign error where a reply breaks off; takes statuses that it does not know for
success; and drops `Retry-After`. It takes its session from a context variable: `_Exchange` stands
there for one call, reads the whole reply, and remembers status and headers. It also starts a
process to name the machine, and takes half a second to load. Both happen in a thread, at the first
call.
"""

import asyncio
import importlib
import logging
import platform
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from core.backoff import Backoff, Retries, RetryableError, retry_after_s
from core.domain.errors import (
    CiteboundError,
    ConfigError,
    ContractError,
    CredentialError,
    TransientError,
)
from core.service_access.proxy import proxy_for
from core.service_access.refusals import Note, unnoted

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

BACKOFF = Backoff(attempts=6, first_s=0.25, longest_s=8.0, shortest_attempt_s=0.0)
COOLDOWN_S = 30.0
SHOWN = 200
"""Characters of the service's own words in a message."""
_RANDOM = random.SystemRandom()


class RefusedRequestError(ContractError):
    """Voyage refused the request itself: sending less at once may help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoyageAccess:
    """Whom to call, and as whom."""

    api_key: str = field(repr=False)
    """The key: in no message, log or repr."""
    base_url: str | None = None
    """Another host that speaks the same API; None: the one the key belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a call may take."""

    deadline_s: float
    """All attempts and pauses together."""
    attempt_s: float
    """One attempt."""
    cooldown_s: float = 0.0
    """After a failure that may pass, calls fail at once for so long: it is enough that one question
    waited in vain. 0: each call tries for itself."""


def question_timeouts(timeout_s: float) -> Timeouts:
    """Return the timeouts of a question: half the time an attempt, so that there can be two."""
    return Timeouts(deadline_s=timeout_s, attempt_s=timeout_s / 2, cooldown_s=COOLDOWN_S)


class VoyageClient:
    """Calls the API. Safe from many tasks of one event loop; close it at the end.

    Nothing connects and nothing is loaded before the first call. `share` is a random number in
    [0, 1): pauses differ, so that callers do not move in step.
    """

    def __init__(
        self,
        access: VoyageAccess,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        share: Callable[[], float] = _RANDOM.random,
        note: Note = unnoted,
    ) -> None:
        self._access = access
        self._note = note
        self._base_url = access.base_url.rstrip("/") if access.base_url else None
        self._sleep = sleep
        self._share = share
        self._session: ClientSession | None = None
        self._cools_until_s = 0.0

    async def embed(self, *, timeouts: Timeouts, **parameters: Any) -> Mapping[str, Any]:
        """Return the reply of the embeddings endpoint, as it came.

        The SDK's client would drop the index of each vector, and run models of its own.

        Raises:
            TransientError: It failed for as long as there was time; later it may not.
            ConfigError: The key or the address was refused.
            ContractError: The request was refused, or the reply is not one.
        """
        return await self._call("Embedding", timeouts, parameters)

    async def rerank(self, *, timeouts: Timeouts, **parameters: Any) -> Mapping[str, Any]:
        """Return the reply of the rerank endpoint, as it came.

        Raises:
            CiteboundError: See `embed`.
        """
        return await self._call("Reranking", timeouts, parameters)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(
        self, resource: str, timeouts: Timeouts, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        cools_s = self._cools_until_s - loop.time() if timeouts.cooldown_s else 0.0
        if cools_s > 0:
            raise TransientError(f"Voyage failed a moment ago; asked again in {cools_s:.0f} s")
        try:
            reply = await self._retried(resource, timeouts, parameters)
        except CredentialError as error:
            self._note("voyage", error.cause)
            raise
        except TransientError:
            self._cools_until_s = loop.time() + timeouts.cooldown_s
            raise
        self._note("voyage", None)
        return reply

    async def _retried(
        self, resource: str, timeouts: Timeouts, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        ends_s = loop.time() + timeouts.deadline_s
        sdk = await asyncio.to_thread(load_sdk)
        made = 0

        async def attempt(number: int, left_s: float) -> Mapping[str, Any]:
            nonlocal made
            made = number
            async with _limited(min(left_s, timeouts.attempt_s)):
                return await self._attempt(sdk, resource, parameters)

        retries = Retries(
            backoff=BACKOFF, monotonic_s=loop.time, sleep=self._sleep, share=self._share
        )
        try:
            return await retries.run(attempt, ends_s=ends_s)
        except RetryableError as failed:
            raise TransientError(
                f"{failed} ({made} attempts)" if made > 1 else str(failed)
            ) from failed

    async def _attempt(
        self, sdk: Any, resource: str, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        if self._session is None:
            self._session = _new_session()
        exchange = _Exchange(self._session)
        before = sdk.aiosession.set(exchange)
        try:
            reply = await getattr(sdk, resource).acreate(
                api_key=self._access.api_key, base_url=self._base_url, **parameters
            )
        except Exception as error:
            raise self._failure(error, exchange) from error
        finally:
            sdk.aiosession.reset(before)
        if exchange.status != HTTPStatus.OK:
            raise self._failure(None, exchange)
        if not isinstance(reply, Mapping):
            raise ContractError("Voyage's reply is not an object")
        return reply  # pyright: ignore[reportUnknownVariableType]

    def _failure(self, error: Exception | None, exchange: "_Exchange") -> CiteboundError:
        """Return ours for a failed exchange; without an error the SDK took it for a success."""
        status = exchange.status
        if status is None:
            return _unanswered(error)
        said = _said(error, self._access.api_key)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            now = datetime.fromtimestamp(time.time(), UTC)
            return RetryableError(
                f"Voyage's rate limit is reached (429){said}",
                after_s=retry_after_s(exchange.headers, now=now),
            )
        if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return RetryableError(f"Voyage failed ({status})")
        if status >= HTTPStatus.MULTIPLE_CHOICES:
            return _refused(status, said)
        return ContractError(f"Voyage's reply can't be read ({type(error).__name__})")


@asynccontextmanager
async def _limited(seconds: float) -> AsyncGenerator[None]:
    """Turn an attempt that takes too long into one that failed."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            yield
    except TimeoutError as error:
        raise RetryableError("Voyage did not answer in time") from error


def _unanswered(error: Exception | None) -> CiteboundError:
    kind = type(error).__name__
    if kind == "Timeout":
        return RetryableError("Voyage did not answer in time")
    if kind == "APIConnectionError":
        return RetryableError("the connection to Voyage failed")
    return ConfigError(f"Voyage can't be called ({kind}): check VOYAGE_BASE_URL, VOYAGE_API_KEY")


def _refused(status: int, said: str) -> CiteboundError:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        refused = f"Voyage refused the key ({status}): check VOYAGE_API_KEY"
        return CredentialError(refused, cause=str(status))
    if status == HTTPStatus.NOT_FOUND or status < HTTPStatus.BAD_REQUEST:
        return ConfigError(f"Voyage is not at this address ({status}): check VOYAGE_BASE_URL")
    return RefusedRequestError(f"Voyage refused the request ({status}){said}")


def _said(error: Exception | None, secret: str) -> str:
    """Return what the service said, in one short line without the key."""
    body = getattr(error, "json_body", None)
    detail = body.get("detail") if isinstance(body, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(detail, str) or not detail.strip():
        return ""
    return f": {' '.join(detail.replace(secret, '***').split())[:SHOWN]}"


def load_sdk() -> Any:
    """Return the SDK's module. Blocks for about 0.5 s the first time: call it off the loop."""
    sdk: Any = importlib.import_module("voyageai")
    # Below a warning it logs what is sent: text does not belong in logs.
    logging.getLogger("voyage").setLevel(logging.WARNING)
    tuple(platform.uname())  # the SDK reads it with each call; the first time starts a process
    return sdk


def _new_session() -> "ClientSession":
    """Return a session that keeps connections."""
    aiohttp: Any = importlib.import_module("aiohttp")
    session: ClientSession = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
    return session


@dataclass(slots=True, eq=False)
class _Exchange:
    """Stands in for the SDK's session during one call."""

    session: "ClientSession"
    status: int | None = field(default=None, init=False)
    """Of the reply; None: there was none."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], init=False)
    """Of the reply."""

    async def request(self, **request: Any) -> "ClientResponse":
        """Send a request and read the reply, so that the SDK finds it read.

        Redirects are not followed: the key goes to no other host.
        """
        self.status, self.headers = None, {}
        request["proxy"] = proxy_for(request["url"])
        response = await self.session.request(**request, allow_redirects=False)
        try:
            await response.read()
        except BaseException:
            response.close()
            raise
        self.status, self.headers = response.status, response.headers
        return response
