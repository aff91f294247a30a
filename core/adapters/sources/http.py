"""Reading a document service over HTTP: one host, our credentials, its pace, bounded answers.

Credentials go to the service's own address and nowhere else: an address that the service sends (the
next page) is followed only if it lies there, and a redirect of a download is followed without them.
What may pass (429, 5xx, no answer) is repeated after `Retry-After` or a growing pause; a service
that asks for a longer one is left alone until the next synchronisation.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NoReturn, cast
from urllib.parse import urljoin, urlsplit

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar
from yarl import URL

from core.adapters.sources.credentials import ServiceCredentials
from core.backoff import Backoff, Retries, RetryableError, retry_after_s
from core.domain.errors import (
    BusyError,
    ConfigError,
    CredentialError,
    DocumentError,
    TransientError,
)
from core.ingest.load import MAX_BYTES
from core.service_access.proxy import proxy_for

BACKOFF = Backoff(attempts=6, first_s=1.0, longest_s=30.0, shortest_attempt_s=0.0)
WITHIN_S = 300.0
"""How long one call may take with all its repetitions."""
ATTEMPT_S = 60.0
"""Of one attempt; a download has `DOWNLOAD_S`."""
DOWNLOAD_S = 180.0
LARGEST = 16 * 1024 * 1024
"""Bytes of an answer that is no document."""
REDIRECTS = 5
SHOWN = 200
"""Characters of the service's own words in a message."""
_OK, _UNAUTHORISED, _FORBIDDEN, _NOT_FOUND, _TIMED_OUT, _TOO_MANY = 200, 401, 403, 404, 408, 429
_GONE, _REDIRECTED, _REFUSED, _BROKEN = 410, 300, 400, 500
_RANDOM = random.SystemRandom()

DELETED = "it was deleted in the meantime: the next synchronisation will handle that"
"""Said of a document that a listing had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReply:
    """What a service answered."""

    status: int
    """Of HTTP."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)
    """As it came."""
    is_cut: bool = False
    """True: it is longer than was asked for, and not read."""

    def json(self) -> dict[str, Any]:
        """Return the body, an object of JSON; empty if it is none."""
        try:
            told: Any = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRules:
    """What differs from service to service."""

    name: str
    """As messages call it."""
    check: str
    """What to check if it refuses us, as the end of a sentence."""
    a_second: float = 10.0
    """Requests in a second, over some time."""
    burst: int = 20
    """Requests that may come at once after a rest."""
    is_throttling: Callable[[ServiceReply], bool] = lambda _: False
    """Says of a refusal (403) whether it is for the pace alone."""
    said: Callable[[ServiceReply], str] = lambda _: ""
    """Returns the service's own word for a failure; empty: none."""


class ServiceHttp:
    """Calls one service. Safe from many tasks, which share its pace."""

    def __init__(
        self,
        session: ClientSession,
        *,
        base: str,
        credentials: ServiceCredentials,
        rules: ServiceRules,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        share: Callable[[], float] = _RANDOM.random,
    ) -> None:
        """Call nothing yet.

        Args:
            session: see `open_session`.
            base: address under which the whole API lies; credentials are sent there alone.
            credentials: as whom.
            rules: what is special about it.
            sleep: waits for seconds.
            share: a random number in [0, 1).
        """
        self._session = session
        self._base = base.rstrip("/")
        self._credentials = credentials
        self._rules = rules
        self._sleep = sleep
        self._share = share
        self._turn = asyncio.Lock()
        self._next_at = 0.0

    def address(self, path: str, **params: str) -> str:
        """Return the address of a path below the base, which begins with a slash."""
        url = URL(f"{self._base}{path}", encoded=True)
        return str(url.update_query(params)) if params else str(url)

    async def get(
        self, address: str, *, may: Collection[int] = (), headers: Mapping[str, str] | None = None
    ) -> ServiceReply:
        """Return the answer of an address, one of `address` or of a next page.

        Args:
            address: below the base.
            may: statuses beside 2xx that are returned, too.
            headers: beside the usual.

        Raises:
            ConfigError: It refuses us.
            TransientError: It fails, asks us to wait for long, or sends what can't be read.
        """
        self.check_address(address)

        async def attempt(_: int, left_s: float) -> ServiceReply:
            within_s = min(left_s, ATTEMPT_S)
            reply = await self._authorised(address, headers or {}, within_s=within_s, most=LARGEST)
            if reply.is_cut:
                raise TransientError(f"{self._rules.name} answers more than {LARGEST >> 20} MB")
            is_wanted = reply.status // 100 == 2 or reply.status in may  # noqa: PLR2004
            if not is_wanted or self._is_passing(reply):
                self._fail(reply)
            return reply

        return await self._repeated(attempt)

    async def get_json(self, address: str) -> dict[str, Any]:
        """Return the answer of an address, an object of JSON; see `get`."""
        return self._told(await self.get(address))

    async def find_json(self, address: str, *, missing: Collection[int]) -> dict[str, Any] | None:
        """Return the same; None where the answer has one of some statuses."""
        reply = await self.get(address, may=missing)
        return None if reply.status in missing else self._told(reply)

    def _told(self, reply: ServiceReply) -> dict[str, Any]:
        told = reply.json()
        if not told:
            raise TransientError(f"{self._rules.name} answers with what is no JSON")
        return told

    async def download(
        self, address: str, *, is_page: bool = False, most: int = MAX_BYTES
    ) -> bytes:
        """Return a document; a redirect is followed without our credentials.

        Args:
            address: below the base.
            is_page: it is a page of HTML itself; anything else that comes as one is the word of a
                proxy, or of the service in trouble.
            most: bytes that are read.

        Raises:
            DocumentError: It is too large, gone, or not given to us.
            ConfigError: The service refuses us altogether.
            TransientError: The service fails.
        """
        self.check_address(address)

        async def attempt(_: int, left_s: float) -> ServiceReply:
            within_s = min(left_s, DOWNLOAD_S)
            return await self._downloaded(address, within_s=within_s, most=most)

        reply = await self._repeated(attempt)
        if reply.is_cut:
            raise DocumentError(
                f"it is over the limit of {most >> 20} MB: split it or leave out images"
            )
        if reply.status in {_NOT_FOUND, _GONE}:
            raise DocumentError(DELETED)
        if reply.status == _FORBIDDEN:
            said = _short(self._rules.said(reply)) or self._rules.check
            raise DocumentError(f"we may not read it: {said}")
        if reply.status // 100 != 2:  # noqa: PLR2004
            raise DocumentError(f"{self._rules.name} does not give it ({reply.status})")
        if not is_page and reply.headers.get("content-type", "").lower().startswith("text/html"):
            raise TransientError(f"{self._rules.name} gives a web page in place of a document")
        return reply.body

    def check_address(self, address: str) -> None:
        """Refuse an address that does not lie below the base.

        Raises:
            TransientError: The service sent it.
        """
        parts, base = urlsplit(address), urlsplit(self._base)
        is_ours = parts[:2] == base[:2] and f"{parts.path}/".startswith(f"{base.path}/")
        if not is_ours or ".." in parts.path or "\\" in address:
            raise TransientError(f"{self._rules.name} leads to another host: nothing is sent there")

    async def _repeated(
        self, attempt: Callable[[int, float], Awaitable[ServiceReply]]
    ) -> ServiceReply:
        loop = asyncio.get_running_loop()
        retries = Retries(
            backoff=BACKOFF, monotonic_s=loop.time, sleep=self._rest, share=self._share
        )
        try:
            return await retries.run(attempt, ends_s=loop.time() + WITHIN_S)
        except RetryableError as failed:
            if failed.after_s is not None:
                raise BusyError(str(failed), after_s=failed.after_s) from failed
            raise TransientError(str(failed)) from failed

    async def _rest(self, seconds: float) -> None:
        """Wait before a repetition; all other calls wait, too."""
        self._next_at = max(self._next_at, asyncio.get_running_loop().time() + seconds)
        await self._sleep(seconds)

    async def _paced(self) -> None:
        """Wait until it is our turn."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            if (wait_s := self._next_at - loop.time()) > 0:
                await self._sleep(wait_s)
            a_request_s = 1 / self._rules.a_second
            rested = loop.time() - (self._rules.burst - 1) * a_request_s
            self._next_at = max(self._next_at, rested) + a_request_s

    async def _authorised(
        self, address: str, headers: Mapping[str, str], *, within_s: float, most: int
    ) -> ServiceReply:
        """Send a request with our credentials; once more with others if these are refused."""
        sent = await self._credentials.header()
        reply = await self._sent(address, {**headers, "Authorization": sent}, within_s, most)
        if reply.status != _UNAUTHORISED or not self._credentials.forget(sent):
            return reply
        sent = await self._credentials.header()
        return await self._sent(address, {**headers, "Authorization": sent}, within_s, most)

    async def _downloaded(self, address: str, *, within_s: float, most: int) -> ServiceReply:
        reply = await self._authorised(address, {}, within_s=within_s, most=most)
        for _ in range(REDIRECTS):
            to = reply.headers.get("location", "")
            if not (_REDIRECTED <= reply.status < _REFUSED and to):
                break
            address = urljoin(address, to)
            if urlsplit(address).scheme not in {"https", urlsplit(self._base).scheme}:
                raise TransientError(f"{self._rules.name} leads to an address without encryption")
            reply = await self._sent(address, {}, within_s, most)
            if reply.status in {_UNAUTHORISED, _FORBIDDEN}:
                raise RetryableError(f"{self._rules.name} gave an address that has expired")
        if reply.status == _UNAUTHORISED or self._is_passing(reply):
            self._fail(reply)
        return reply

    async def _sent(
        self, address: str, headers: Mapping[str, str], within_s: float, most: int
    ) -> ServiceReply:
        """Send one request, and read an answer of up to `most` bytes.

        Raises:
            RetryableError: There was no answer.
        """
        await self._paced()
        try:
            async with self._session.get(
                URL(address, encoded=True),
                headers={"Accept": "application/json", **headers},
                allow_redirects=False,
                timeout=ClientTimeout(total=within_s),
                proxy=proxy_for(address),
            ) as response:
                body = await _read(response, most)
                return ServiceReply(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=body or b"",
                    is_cut=body is None,
                )
        except TimeoutError as error:
            raise RetryableError(f"{self._rules.name} did not answer in time") from error
        except (ClientError, OSError, ValueError) as error:
            why = type(error).__name__
            raise RetryableError(f"{self._rules.name} can't be reached ({why})") from error

    def _is_passing(self, reply: ServiceReply) -> bool:
        if reply.status == _FORBIDDEN:
            return self._rules.is_throttling(reply)
        return reply.status in {_TIMED_OUT, _TOO_MANY} or reply.status >= _BROKEN

    def _fail(self, reply: ServiceReply) -> NoReturn:
        """Say why an answer is of no use."""
        name = self._rules.name
        said = _short(self._rules.said(reply))
        why = f"{reply.status}: {said}" if said else f"{reply.status}"
        if self._is_passing(reply):
            now = datetime.fromtimestamp(time.time(), UTC)
            after_s = retry_after_s(reply.headers, now=now)
            busy = reply.status in {_TOO_MANY, _FORBIDDEN}
            text = f"{name} asks us to wait ({why})" if busy else f"{name} fails ({why})"
            raise RetryableError(text, after_s=after_s)
        if reply.status == _NOT_FOUND:
            raise ConfigError(f"{name} knows no such place ({why}): {self._rules.check}")
        refused = f"{name} refuses us ({why}): {self._rules.check}"
        if reply.status in {_UNAUTHORISED, _FORBIDDEN}:
            raise CredentialError(refused, cause=str(reply.status))
        raise ConfigError(refused)


class Following:
    """The addresses, or tokens, of a listing's pages: none comes twice, else it would not end."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._seen: set[str] = set()

    def next(self, page: str) -> str:
        """Return it, if it is new.

        Raises:
            TransientError: It was there before.
        """
        if page in self._seen:
            raise TransientError(f"{self._service}'s listing leads back to where it was")
        self._seen.add(page)
        return page


@asynccontextmanager
async def open_session() -> AsyncGenerator[ClientSession]:
    """Open the session of a service until the block ends; it keeps no cookies."""
    async with ClientSession(cookie_jar=DummyCookieJar()) as session:
        yield session


def is_safe(url: str) -> bool:
    """Say whether credentials may be sent to an address: encrypted, or to this machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in {"127.0.0.1", "::1"}


def _short(said: str) -> str:
    """Return the service's own words as part of a line."""
    return " ".join(said.split())[:SHOWN]


async def _read(response: ClientResponse, most: int) -> bytes | None:
    """Return the body; None: it is too long."""
    if response.status != _OK:
        most = min(most, LARGEST)
    if (response.content_length or 0) > most:
        response.close()
        return None
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        if len(body) > most:
            response.close()
            return None
    return bytes(body)
