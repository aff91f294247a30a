"""The keys with which Microsoft signs what it sends us, kept warm.

Published as OpenID metadata, which names a key set (RFC 7517); each key says for which channels it
may sign (`endorsements`). Read with aiohttp at the start, then every hour in the background. A
token under an unknown key reads them again, at most five times a minute, since anybody can make up
keys. While that limit holds, or the service does not answer, nobody can say that a key is unknown:
it may be a minute old, and its token is to come again. No answer of the service, whatever it is,
raises anything: without keys nobody is believed.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from bot.teams.protocol.payload import is_id
from core.config.teams import CLOUDS
from core.domain.json_value import Json

METADATA_URL = CLOUDS["public"].keys
READ_WITHIN_S = 5.0
"""Both documents together."""
REFRESH_S = 3600.0
RETRY_S = 60.0
"""After a failure in the background, while there are keys that may be believed."""
COLD_RETRY_S = 2.0
"""After the first failure without such keys; then twice as long each time, up to `RETRY_S`."""
REFETCHES = 5
"""Readings for the sake of unknown keys that may follow each other at once."""
REFETCH_S = 12.0
"""Until one more is allowed: five a minute, of two small documents each."""
GOOD_FOR_S = 24 * 3600.0
"""Without a successful reading; afterwards nobody is believed. Microsoft asks to read daily."""
LONGEST_DOCUMENT = 512 * 1024
"""Bytes."""
MOST_KEYS = 100
LEAST_BITS, MOST_BITS = 2048, 8192
"""Of the modulus of an RSA key."""
LONGEST_NUMBER = 2048
"""Characters of base64: a modulus of 8192 bits has 1366."""
OK = 200
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """One key."""

    key: PyJWK
    """What a signature is checked with: RSA."""
    endorsements: frozenset[str]
    """Channels for which it may sign, such as `msteams`."""


class Missing(Enum):
    """Why a key is not returned."""

    UNKNOWN = auto()
    """The keys were read after somebody asked for it, and it is not among them."""
    UNREAD = auto()
    """Nobody can tell: the keys could not be read, or not once more so soon."""


class SigningKeys:
    """The keys, read and read again. Safe from many tasks of one loop."""

    def __init__(
        self,
        session: ClientSession,
        url: str = METADATA_URL,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check the address; `now` counts seconds that never run backwards.

        Raises:
            ValueError: The address is not https; plain http is for this machine alone.
        """
        if not _is_safe(url, above=url):
            raise ValueError("expected the address of OpenID metadata, by https")
        self._session = session
        self._url = url
        self._now = now
        self._keys: Mapping[str, SigningKey] = {}
        self._read_at: float | None = None
        self._begun = 0
        """Readings that have begun."""
        self._good = 0
        """Which of them went well, last: it answers whoever asked before it began."""
        self._readings = float(REFETCHES)
        """How many are allowed for unknown keys, as of `_counted_at`."""
        self._counted_at = now()
        self._reading = asyncio.Lock()

    @property
    def are_warm(self) -> bool:
        """True if there are keys, and they are not too old to be believed."""
        is_young = self._read_at is not None and self._now() - self._read_at < GOOD_FOR_S
        return is_young and bool(self._keys)

    async def find(self, kid: str) -> SigningKey | Missing:
        """Return a key by its id, reading anew if it is not known."""
        before = self._begun
        found = self._find(kid)
        if found is not None:
            return found
        async with self._reading:
            found = self._find(kid)
            if found is None and not self._was_read_after(before):
                if not self._may_read():
                    return Missing.UNREAD
                await self._read()
                found = self._find(kid)
            if found is None and not self._was_read_after(before):
                return Missing.UNREAD
        return found or Missing.UNKNOWN

    async def refresh(self) -> bool:
        """Read the keys, and say whether that went well."""
        async with self._reading:
            return await self._read()

    async def keep_warm(self) -> None:
        """Read the keys now and again, until cancelled."""
        is_read, cold_s = self.are_warm, COLD_RETRY_S
        while True:
            rest_s = REFRESH_S if is_read else RETRY_S
            if not self.are_warm:
                rest_s, cold_s = cold_s, min(RETRY_S, 2 * cold_s)
            await asyncio.sleep(rest_s)
            is_read = await self.refresh()
            cold_s = COLD_RETRY_S if is_read else cold_s

    def _find(self, kid: str) -> SigningKey | None:
        return self._keys.get(kid) if self.are_warm else None

    def _was_read_after(self, reading: int) -> bool:
        return self._good > reading

    def _may_read(self) -> bool:
        """Take one of the readings that unknown keys are allowed, if there is one."""
        now = self._now()
        earned = (now - self._counted_at) / REFETCH_S
        self._readings = min(float(REFETCHES), self._readings + earned)
        self._counted_at = now
        if self._readings < 1.0:
            return False
        self._readings -= 1.0
        return True

    async def _read(self) -> bool:
        """Read both documents; keep what there was if that fails."""
        self._begun += 1
        try:
            async with asyncio.timeout(READ_WITHIN_S):
                metadata = await self._document(self._url)
                keys = _keys_of(await self._document(self._where(metadata)))
        except (TimeoutError, ClientError, OSError, ValueError, RecursionError) as error:
            logger.warning("the signing keys of Teams can't be read: %s", type(error).__name__)
            return False
        if not keys:
            logger.warning("the key set of Teams holds no key that can be used")
            return False
        self._keys, self._read_at, self._good = keys, self._now(), self._begun
        return True

    def _where(self, metadata: Mapping[str, Json]) -> str:
        where = metadata.get("jwks_uri")
        if not isinstance(where, str) or not _is_safe(where, above=self._url):
            raise ValueError("the metadata names no key set, by https")
        return where

    async def _document(self, url: str) -> Mapping[str, Json]:
        """Read one document.

        Raises:
            ValueError: It is not there, too long, or no JSON object.
        """
        async with self._session.get(url, allow_redirects=False) as answer:
            if answer.status != OK:
                raise ValueError("the service has no such document")
            held = bytearray()
            async for part in answer.content.iter_any():
                held += part
                if len(held) > LONGEST_DOCUMENT:
                    raise ValueError("the document is too long")
        document: Json = json.loads(held)
        if not isinstance(document, Mapping):
            raise ValueError("the document is no JSON object")  # noqa: TRY004  # of a service
        return document


@asynccontextmanager
async def signing_keys(url: str = METADATA_URL) -> AsyncGenerator[SigningKeys]:
    """Return the keys, read once, however that went, and kept warm until the block ends."""
    timeout = ClientTimeout(total=READ_WITHIN_S)
    async with ClientSession(timeout=timeout) as session, asyncio.TaskGroup() as group:
        keys = SigningKeys(session, url)
        await keys.refresh()
        warming = group.create_task(keys.keep_warm())
        try:
            yield keys
        finally:
            warming.cancel()


def _is_safe(url: str, *, above: str) -> bool:
    """Say whether keys may be read there: by https, or on this machine as the document above."""
    try:
        where = urlsplit(url)
        if where.scheme == "https":
            return bool(where.hostname)
        is_local = where.scheme == "http" and where.hostname in _LOOPBACK
        return is_local and urlsplit(above).hostname in _LOOPBACK
    except ValueError:
        return False


def _keys_of(document: Mapping[str, Json]) -> dict[str, SigningKey]:
    """Return the keys of a set that can be used; what is none of them is left out."""
    given = document.get("keys")
    if not isinstance(given, Sequence) or isinstance(given, str):
        return {}
    read = (_key_of(one) for one in given[:MOST_KEYS] if isinstance(one, Mapping))
    return dict(one for one in read if one is not None)


def _key_of(given: Mapping[str, Json]) -> tuple[str, SigningKey] | None:
    kid, endorsements = given.get("kid"), given.get("endorsements")
    if not isinstance(kid, str) or not is_id(kid):
        return None
    if given.get("kty") != "RSA" or given.get("use") not in (None, "sig"):
        return None
    if not isinstance(endorsements, Sequence) or isinstance(endorsements, str):
        return None
    public = {"kty": "RSA", "n": _number(given, "n"), "e": _number(given, "e")}
    try:
        key = PyJWK(public, algorithm="RS256")
    except (PyJWTError, ValueError, TypeError):
        return None
    if not LEAST_BITS <= key.key.key_size <= MOST_BITS:
        return None
    named = frozenset(one for one in endorsements if isinstance(one, str))
    return kid, SigningKey(key=key, endorsements=named)


def _number(given: Mapping[str, Json], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) and len(value) <= LONGEST_NUMBER else ""
