"""Timestamps of checkpoints by an authority (RFC 3161): a third party says when a note existed.

The authority answers with a signed token, which the ledger keeps (`ledger:anchored`). Whoever has
the database and the key can make notes anew, but no token of a day that is over.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from cryptography.x509 import Certificate, load_pem_x509_certificates
from rfc3161_client import (
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from core.audit.anchors import Receipts
from core.domain.errors import ConfigError, ContractError, TransientError

PACE_S = 3_600.0
ANSWERED_WITHIN_S = 20.0
LARGEST = 65_536
"""Bytes of a token with all its certificates."""
QUERY, REPLY = "application/timestamp-query", "application/timestamp-reply"
GATEWAY = 500
"""From this status on a server may do better later."""


def read_roots(path: Path) -> tuple[Certificate, ...]:
    """Return the certificates that are trusted to stand behind an authority, from a file in PEM.

    Raises:
        ConfigError: It can't be read, or holds none.
    """
    try:
        return tuple(dict.fromkeys(load_pem_x509_certificates(path.read_bytes())))
    except OSError as error:
        raise ConfigError(
            f"CITEBOUND_LEDGER_TSA_ROOTS: {path} can't be read: {error.strerror}"
        ) from error
    except ValueError as error:
        raise ConfigError(
            f"CITEBOUND_LEDGER_TSA_ROOTS: {path} holds no certificates in PEM"
        ) from error


@dataclass(frozen=True, slots=True)
class TimestampAnchor:
    """See `core.audit.anchors.Anchor`."""

    url: str
    roots: tuple[Certificate, ...]
    """Trusted to stand behind the authority."""
    receipts: Receipts
    kind: str = "tsa"
    pace_s: float = PACE_S

    @property
    def name(self) -> str:
        """See `Anchor.name`."""
        address = urlsplit(self.url)
        host = address.netloc.rpartition("@")[2]
        return f"tsa:{address.scheme}://{host}{address.path}"

    async def newest(self) -> str | None:
        """See `Anchor.newest`."""
        return await self.receipts.newest(self.name)

    async def publish(self, note: str, /) -> None:
        """See `Anchor.publish`: what the authority answers is checked before it is kept."""
        request = TimestampRequestBuilder().data(note.encode()).build()
        token = await self._asked(request.as_bytes())
        builder = VerifierBuilder.from_request(request)
        await asyncio.to_thread(_checked, builder, self.roots, token, note)
        await self.receipts.keep(self.name, note, token=token)

    async def _asked(self, query: bytes) -> bytes:
        limit = aiohttp.ClientTimeout(total=ANSWERED_WITHIN_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=limit, trust_env=True) as session,
                session.post(
                    self.url, data=query, headers={"Content-Type": QUERY}, allow_redirects=False
                ) as response,
            ):
                if response.status >= GATEWAY:
                    raise TransientError(f"{self.name} answered {response.status}")
                if response.status != 200 or response.content_type != REPLY:  # noqa: PLR2004
                    raise ContractError(f"{self.name} answered {response.status}, and no token")
                return await _read(response)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise TransientError(f"{self.name} can't be reached: {type(error).__name__}") from error


async def _read(response: aiohttp.ClientResponse) -> bytes:
    token = bytearray()
    async for part in response.content.iter_chunked(LARGEST):
        token += part
        if len(token) > LARGEST:
            raise ContractError(f"the answer of a timestamp authority has over {LARGEST} bytes")
    return bytes(token)


def stamped_at(token: bytes, note: str, roots: Sequence[Certificate]) -> datetime:
    """Return when an authority saw a note, aware: its token is checked without a network.

    Raises:
        ContractError: The token is not for this note, or not by an authority behind these roots.
    """
    return _checked(VerifierBuilder(), roots, token, note).tst_info.gen_time


def _checked(
    builder: VerifierBuilder, roots: Sequence[Certificate], token: bytes, note: str
) -> TimeStampResponse:
    for root in roots:
        builder = builder.add_root_certificate(root)
    try:
        response = decode_timestamp_response(token)
        builder.build().verify_message(response, note.encode())
    except (VerificationError, ValueError) as error:
        raise ContractError(f"no timestamp of this checkpoint: {error}") from error
    return response
