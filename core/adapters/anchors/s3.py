"""Anchors in a bucket of S3, or of a service that speaks its protocol, under Object Lock.

Each note is an object of its own, locked in compliance mode: until its day nobody can change or
remove it, the account's root user included. Credentials, region and endpoint come from where boto3
finds them (`AWS_...`). A later version of an object, or a marker that it was deleted, hides a note
but does not remove it: all versions are read.

    <prefix>/notes/2026-01-31/000001-000000000000017.note
    <prefix>/keys/1f0c2a9b.key
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from typing import Any

from core.audit.checkpoint import ED25519, PublicKey, checkpoint_of, public_keys
from core.domain.errors import ConfigError, TransientError
from core.ports import Clock
from core.time_zones import day_in

PACE_S = 60.0
CONNECT_WITHIN_S = 5
READ_WITHIN_S = 10
ATTEMPTS = 2
READERS = 16
"""Objects that are fetched at a time: each waits for the network."""
LARGEST = 16_384
"""Bytes of an object that may be a note or a key."""
ACCESS = frozenset({"AccessDenied", "InvalidAccessKeyId", "NoSuchBucket", "InvalidRequest"})
"""Codes of S3 for what no repetition mends."""


@dataclass(frozen=True, slots=True)
class S3Anchor:
    """See `core.audit.anchors.ReadableAnchor`."""

    bucket: str
    prefix: str
    """Begins each key; empty: none."""
    retention_days: int
    """How long a note is locked."""
    clock: Clock
    kind: str = "s3"
    pace_s: float = PACE_S
    _clients: list[Any] = field(default_factory=list[Any], repr=False)

    @property
    def name(self) -> str:
        """See `Anchor.name`."""
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    async def publish(self, note: str, /) -> None:
        """See `Anchor.publish`."""
        generation, size = checkpoint_of(note).position
        day = day_in(self.clock.now(), UTC).isoformat()
        key = self._key(f"notes/{day}/{generation:06}-{size:015}.note")
        async with self._reached():
            await asyncio.to_thread(self._put, key, note)

    async def newest(self) -> str | None:
        """See `Anchor.newest`: of the last day that has one."""
        async with self._reached():
            return await asyncio.to_thread(self._newest)

    async def notes(self) -> list[str]:
        """See `ReadableAnchor.notes`."""
        async with self._reached():
            return await asyncio.to_thread(self._all, self._key("notes/"))

    async def signers(self) -> list[PublicKey]:
        """See `ReadableAnchor.signers`."""
        async with self._reached():
            lines = await asyncio.to_thread(self._all, self._key("keys/"))
        return public_keys(line for text in lines for line in text.splitlines())

    async def keep_key(self, key: PublicKey, /) -> None:
        """See `ReadableAnchor.keep_key`."""
        if key not in await self.signers():
            async with self._reached():
                name = self._key(f"keys/{key.id(ED25519).hex()}.key")
                await asyncio.to_thread(self._put, name, f"{key.line()}\n")

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    def _put(self, key: str, text: str) -> None:
        self._client().put_object(
            Bucket=self.bucket,
            Key=key,
            Body=text.encode(),
            ContentType="text/plain; charset=utf-8",
            ChecksumAlgorithm="SHA256",
            ObjectLockMode="COMPLIANCE",
            ObjectLockRetainUntilDate=self.clock.now() + timedelta(days=self.retention_days),
        )

    def _newest(self) -> str | None:
        notes = self._key("notes/")
        pages = self._pages("list_objects_v2", Prefix=notes, Delimiter="/")
        days = [one["Prefix"] for page in pages for one in page.get("CommonPrefixes", ())]
        if not days:
            return None
        pages = self._pages("list_objects_v2", Prefix=max(days))
        keys = [one["Key"] for page in pages for one in page.get("Contents", ())]
        return self._get(max(keys), None) if keys else None

    def _all(self, prefix: str) -> list[str]:
        pages = self._pages("list_object_versions", Prefix=prefix)
        versions: list[tuple[str, str]] = [
            (str(one["Key"]), str(one["VersionId"]))
            for page in pages
            for one in page.get("Versions", ())
            if one["Size"] <= LARGEST
        ]
        versions.sort()
        with ThreadPoolExecutor(READERS) as pool:
            return list(
                pool.map(self._get, [key for key, _ in versions], [id_ for _, id_ in versions])
            )

    def _get(self, key: str, version: str | None) -> str:
        which = {"VersionId": version} if version else {}
        found = self._client().get_object(Bucket=self.bucket, Key=key, **which)
        return found["Body"].read(LARGEST).decode(errors="replace")

    def _pages(self, operation: str, **words: str) -> Iterator[dict[str, Any]]:
        return iter(self._client().get_paginator(operation).paginate(Bucket=self.bucket, **words))

    def _client(self) -> Any:
        if not self._clients:
            self._clients.append(_client())
        return self._clients[0]

    @asynccontextmanager
    async def _reached(self) -> AsyncGenerator[None]:
        errors = _errors()
        try:
            yield
        except errors.ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", "unknown"))
            problem = f"the anchor {self.name} refused: {code}"
            if code in ACCESS:
                raise ConfigError(
                    f"{problem}; it needs a bucket with Object Lock, and leave to put, list and get"
                ) from error
            raise TransientError(problem) from error
        except (errors.BotoCoreError, OSError) as error:
            raise TransientError(
                f"the anchor {self.name} can't be reached: {type(error).__name__}"
            ) from error


def check_boto3() -> None:
    """Refuse an anchor whose library is not installed.

    Raises:
        ConfigError: It is not.
    """
    _errors()


def _errors() -> Any:
    try:
        return importlib.import_module("botocore.exceptions")
    except ImportError as error:
        raise ConfigError(
            "an anchor in S3 needs boto3: install citebound[s3], or take the image that has it"
        ) from error


def _client() -> Any:
    boto3, config = importlib.import_module("boto3"), importlib.import_module("botocore.config")
    return boto3.client(
        "s3",
        config=config.Config(
            connect_timeout=CONNECT_WITHIN_S,
            read_timeout=READ_WITHIN_S,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
            max_pool_connections=READERS,
        ),
    )
