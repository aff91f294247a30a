"""Calls to Voyage: what failed, whether to try again, and for how long.

`failures` says which failures may pass. Those are tried again with growing, random pauses, or after
the `Retry-After` of a rate limit if that is in time. Attempts and pauses together stay within the
deadline that the caller gives.
"""

import asyncio
import importlib
import logging
import math
import platform
import random
import time
import urllib.request
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.domain.errors import CiteboundError, ConfigError, ContractError, TransientError

SHOWN = 200
"""Characters of the service's own words in a message."""


class AgainError(TransientError):
    """An attempt failed in a way that may pass."""

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        """Take the cause, and how long the service asks to wait; None: it does not say."""
        super().__init__(message)
        self.after_s = after_s


class RefusedRequestError(ContractError):
    """Voyage refused the request itself: sending less at once may help."""


def failure(
    error: Exception | None, *, status: int | None, headers: Mapping[str, str], secret: str
) -> CiteboundError:
    """Return our error for an exchange that failed.

    Args:
        error: What the SDK raised; None: it took the status for success.
        status: Of the reply; None: there was none.
        headers: Of the reply.
        secret: The key, which stands in no message.
    """
    if status is None:
        return _unanswered(error)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return AgainError(
            f"Voyage's rate limit is reached (429){_said(error, secret)}",
            after_s=retry_after_s(headers.get("Retry-After")),
        )
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AgainError(f"Voyage failed ({status})")
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        return _refused(status, _said(error, secret))
    return ContractError(f"Voyage's reply can't be read ({type(error).__name__})")


def _unanswered(error: Exception | None) -> CiteboundError:
    kind = type(error).__name__
    if kind == "Timeout":
        return AgainError("Voyage did not answer in time")
    if kind == "APIConnectionError":
        return AgainError("the connection to Voyage failed")
    return ConfigError(f"Voyage can't be called ({kind}): check VOYAGE_BASE_URL, VOYAGE_API_KEY")


def _refused(status: int, said: str) -> CiteboundError:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return ConfigError(f"Voyage refused the key ({status}): check VOYAGE_API_KEY")
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


def retry_after_s(value: str | None) -> float | None:
    """Read `Retry-After` (RFC 9110, 10.2.3): seconds or a date; None if it says nothing usable."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - time.time()
    return None if math.isnan(seconds) else max(0.0, seconds)


if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession


def load_sdk() -> Any:
    """Return the SDK's module. Blocks for about 0.5 s the first time: call it off the loop."""
    sdk: Any = importlib.import_module("voyageai")
    # Below a warning it logs what is sent: text does not belong into logs.
    logging.getLogger("voyage").setLevel(logging.WARNING)
    tuple(platform.uname())  # the SDK reads it with each call; the first time starts a process
    return sdk


def new_session() -> "ClientSession":
    """Return a session that keeps connections."""
    aiohttp: Any = importlib.import_module("aiohttp")
    session: ClientSession = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
    return session


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for a URL.

    The session could look itself, but then it looks for passwords in `~/.netrc` too, and refuses
    every call for a host that it finds there.
    """
    parts = urlsplit(url)
    if not parts.hostname or urllib.request.proxy_bypass(parts.hostname):
        return None
    return urllib.request.getproxies().get(parts.scheme)


class Exchange:
    """Stands in for the SDK's session during one call."""

    def __init__(self, session: "ClientSession") -> None:
        """Take the session that keeps the connections."""
        self._session = session
        self.status: int | None = None
        """Of the reply; None: there was none."""
        self.headers: Mapping[str, str] = {}
        """Of the reply."""

    async def request(self, **request: Any) -> "ClientResponse":
        """Send a request and read the reply, so that the SDK finds it read.

        Redirects are not followed: the key goes to no other host.
        """
        self.status, self.headers = None, {}
        request["proxy"] = _proxy_for(request["url"])
        response = await self._session.request(**request, allow_redirects=False)
        try:
            await response.read()
        except BaseException:
            response.close()
            raise
        self.status, self.headers = response.status, response.headers
        return response


if TYPE_CHECKING:
    from aiohttp import ClientSession

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 8.0
_RANDOM = random.SystemRandom()
REST_S = 30.0
ATTEMPTS = 6
"""Of one call; a short deadline allows fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoyageAccess:
    """Whom to call, and as whom."""

    api_key: str = field(repr=False)
    """The key: in no message, log or repr."""
    base_url: str | None = None
    """Another host that speaks the same API; None: the one the key belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a call may take."""

    deadline_s: float
    """All attempts and pauses together."""
    attempt_s: float
    """One attempt."""
    rest_s: float = 0.0
    """After a failure that may pass, calls fail at once for so long: a question that waited in vain
    is enough. 0: each call tries for itself."""


def asking(timeout_s: float) -> Patience:
    """Return the patience of a question: half the time an attempt, so that there can be two."""
    return Patience(deadline_s=timeout_s, attempt_s=timeout_s / 2, rest_s=REST_S)


class VoyageClient:
    """Calls the API. Safe from many tasks of one event loop; close it at the end."""

    def __init__(
        self,
        access: VoyageAccess,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        share: Callable[[], float] = _RANDOM.random,
    ) -> None:
        """Take the access; nothing connects and nothing is loaded yet.

        Args:
            access: Whom to call.
            sleep: Waits for seconds.
            share: A random number in [0, 1): pauses differ, so that callers do not move in step.
        """
        self._access = access
        self._base_url = access.base_url.rstrip("/") if access.base_url else None
        self._sleep = sleep
        self._share = share
        self._session: ClientSession | None = None
        self._rests_until_s = 0.0

    async def embed(self, *, patience: Patience, **parameters: Any) -> Mapping[str, Any]:
        """Return the reply of the embeddings endpoint, as it came.

        The SDK's client would drop the index of each vector, and run models of its own.

        Raises:
            TransientError: It failed for as long as there was time; later it may not.
            ConfigError: The key or the address was refused.
            ContractError: The request was refused, or the reply is not one.
        """
        return await self._call("Embedding", patience, parameters)

    async def rerank(self, *, patience: Patience, **parameters: Any) -> Mapping[str, Any]:
        """Return the reply of the rerank endpoint, as it came.

        Raises:
            CiteboundError: See `embed`.
        """
        return await self._call("Reranking", patience, parameters)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(
        self, resource: str, patience: Patience, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        rest_s = self._rests_until_s - loop.time() if patience.rest_s else 0.0
        if rest_s > 0:
            raise TransientError(f"Voyage failed a moment ago; asked again in {rest_s:.0f} s")
        try:
            return await self._tried(resource, patience, parameters)
        except TransientError:
            self._rests_until_s = loop.time() + patience.rest_s
            raise

    async def _tried(
        self, resource: str, patience: Patience, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + patience.deadline_s
        sdk = await asyncio.to_thread(load_sdk)
        for attempt in range(1, ATTEMPTS + 1):
            left_s = ends_at - loop.time()
            try:
                async with _limited(min(left_s, patience.attempt_s)):
                    return await self._attempt(sdk, resource, parameters)
            except AgainError as failed:
                pause_s = self._pause_s(attempt) if failed.after_s is None else failed.after_s
                if attempt == ATTEMPTS or loop.time() + pause_s >= ends_at:
                    tried = f" ({attempt} attempts)" if attempt > 1 else ""
                    raise TransientError(f"{failed}{tried}") from failed
            await self._sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    def _pause_s(self, attempt: int) -> float:
        longest_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
        return longest_s * (1 + self._share()) / 2

    async def _attempt(
        self, sdk: Any, resource: str, parameters: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        if self._session is None:
            self._session = new_session()
        exchange = Exchange(self._session)
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

    def _failure(self, error: Exception | None, exchange: Exchange) -> CiteboundError:
        return failure(
            error, status=exchange.status, headers=exchange.headers, secret=self._access.api_key
        )


@asynccontextmanager
async def _limited(seconds: float) -> AsyncGenerator[None]:
    """Turn an attempt that takes too long into one that failed."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            yield
    except TimeoutError as error:
        raise AgainError("Voyage did not answer in time") from error
