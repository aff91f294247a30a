"""One request to the Messages API and its whole reply, through the SDK.

The SDK builds requests, authenticates and parses events. Not used are its retries (each would have
a new timeout, and obey any `Retry-After`), its environment (another address, credentials of a
profile, headers, tracing, logs of bodies) and its accumulation (see `stream`). It takes a second to
load and reads certificates from disk: both happen in a thread, at the first request.
"""

import asyncio
import importlib
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from core.adapters.anthropic.api.failures import (
    LateError,
    RefusedAccessError,
    RefusedError,
    RetryableModelError,
    one_line,
    refusal,
)
from core.adapters.anthropic.api.providers import Provider
from core.adapters.anthropic.api.stream import BoundedResponse, ErrorEvent, Message, assemble
from core.domain.errors import CiteboundError
from core.service_access.refusals import Note, unnoted

CONNECT_S = 5.0
"""Timeout of connecting."""
QUIET_LOGGERS = ("anthropic", "httpx2", "httpcore2")
"""Below a warning they log what is sent: text does not belong in logs."""


def load_sdk() -> Any:
    """Return the SDK's module. Blocks for about a second the first time: call it off the loop."""
    sdk: Any = importlib.import_module("anthropic")
    importlib.import_module("anthropic.resources.messages")
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    return sdk


class MessagesClient:
    """Calls one provider. Safe from many tasks of one event loop; close it at the end.

    An attempt fails after `silence_s` seconds without a byte. `now` is for a `Retry-After` with a
    date. Nothing connects and nothing is loaded before the first request.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        silence_s: float,
        now: Callable[[], datetime],
        note: Note = unnoted,
    ) -> None:
        self._provider = provider
        self._silence_s = silence_s
        self._now = now
        self._note = note
        self._opening = asyncio.Lock()
        self._sdk: Any = None
        self._client: Any = None

    async def send(self, body: Mapping[str, Any], *, limit_s: float) -> Message:
        """Send a request once, and return the whole message.

        Args:
            body: Parameters of the Messages API, without `stream`.
            limit_s: Seconds that all of it may take.

        Raises:
            LateError: The limit was reached.
            RetryableModelError: It failed in a way that may pass.
            ModelUnavailableError: It was refused: the key, the model, the request or the bill.
            ContractError: The reply is not one of the Messages API.
        """
        try:
            async with asyncio.timeout(max(0.0, limit_s)):
                message = await self._sent(body)
        except RefusedAccessError as error:
            self._note("claude", error.cause)
            raise
        except TimeoutError as error:
            name = self._provider.names.provider
            raise LateError(f"{name} did not answer within {limit_s:.1f} s") from error
        self._note("claude", None)
        return message

    async def open(self) -> None:
        """Load the SDK, which otherwise delays the first request."""
        await self._opened()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _sent(self, body: Mapping[str, Any]) -> Message:
        client = await self._opened()
        try:
            async with client.messages.with_streaming_response.create(
                **_plain(body), stream=True
            ) as response:
                return await assemble(
                    self._sdk.AsyncStream.raw_events(BoundedResponse(response.http_response))
                )
        except ErrorEvent as event:
            raise self._refusal(HTTPStatus.OK, event.body, {}) from event
        except CiteboundError:
            raise
        except Exception as error:
            raise self._translated(error) from error

    def _translated(self, error: Exception) -> CiteboundError:
        """Return our error for one of the SDK or its transport."""
        name, sdk = self._provider.names.provider, self._sdk
        if isinstance(error, sdk.APIStatusError):
            failed = cast("Any", error)
            return self._refusal(failed.status_code, failed.body, failed.response.headers)
        cause = type(error.__cause__ or error).__name__
        if isinstance(error, sdk.APITimeoutError) or cause.endswith("Timeout"):
            return RetryableModelError(f"{name} was silent for too long ({cause})")
        if isinstance(error, sdk.APIConnectionError) or _is_transport(error):
            return RetryableModelError(f"the connection to {name} failed ({cause})")
        if isinstance(error, UnicodeDecodeError):
            return RetryableModelError(f"the reply of {name} is garbled")
        return self._uncallable(error)

    def _uncallable(self, error: Exception) -> RefusedError:
        """Return our error for a failure before sending: credentials, a proxy, a package."""
        names = self._provider.names
        said = one_line(f"{type(error).__name__}: {error}", self._provider.secrets)
        failed = f"{names.provider} can't be called: check {names.access} ({said})"
        return RefusedAccessError(failed, cause=type(error).__name__)

    def _refusal(self, status: int, body: object, headers: Mapping[str, str]) -> CiteboundError:
        return refusal(
            status,
            body,
            headers,
            names=self._provider.names,
            secrets=self._provider.secrets,
            now=self._now(),
        )

    async def _opened(self) -> Any:
        async with self._opening:
            if self._client is None:
                try:
                    self._sdk, self._client = await asyncio.to_thread(self._made)
                except Exception as error:
                    raise self._uncallable(error) from error
        return self._client

    def _made(self) -> tuple[Any, Any]:
        sdk = load_sdk()
        timeout = sdk.Timeout(self._silence_s, connect=CONNECT_S)
        client = self._provider.make(
            sdk,
            {
                "timeout": timeout,
                "max_retries": 0,
                "open_telemetry": False,
                # Redirects would take key and text to another host.
                "http_client": sdk.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
            },
        )
        client._custom_headers = {}  # noqa: SLF001  # those of ANTHROPIC_CUSTOM_HEADERS
        return sdk, client


def _is_transport(error: Exception) -> bool:
    """Return whether the HTTP library failed: within a stream the SDK lets its errors through."""
    return any(kind.__module__.startswith("httpx2") for kind in type(error).__mro__)


def _plain(value: Any) -> Any:
    """Return JSON as `dict` and `list`, in its order, as the SDK wants it."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {name: _plain(one) for name, one in items}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("list[Any]", value)]
    return value
