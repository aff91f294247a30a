"""Calls to Voyage: what failed, whether to try again, and for how long.

`failures` says which failures may pass. Those are tried again with growing, random pauses, or after
the `Retry-After` of a rate limit if that is in time. Attempts and pauses together stay within the
deadline that the caller gives.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from core.adapters.voyage.failures import AgainError, failure
from core.adapters.voyage.transport import Exchange, load_sdk, new_session
from core.domain.errors import CiteboundError, ContractError, TransientError

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
