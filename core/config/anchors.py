"""Where checkpoints of the ledger are kept, as CITEBOUND_LEDGER_ANCHORS names it.

/mnt/anchors                            a folder: each checkpoint
s3://bucket/prefix?days=2557            a bucket with Object Lock: one a minute
tsa:https://timestamps.example.com/tsr  a timestamp authority (RFC 3161): one an hour
channel                                 the officers' channel: one a day
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from core.domain.errors import ConfigError

LOCKED_DAYS = 2_557
"""Seven years."""
LONGEST_DAYS = 36_500
"""What S3 takes at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorAddress:
    """One anchor, as it is named."""

    kind: Literal["folder", "s3", "tsa", "channel"]
    where: str
    """The folder, the bucket with its prefix, or the authority's address; empty for `channel`."""
    days: int = LOCKED_DAYS
    """How long a checkpoint in a bucket is locked."""


def anchor_addresses(variable: str, value: str) -> tuple[AnchorAddress, ...]:
    """Read a list of anchors, parted by commas.

    Raises:
        ConfigError: One can't be read, or stands there twice.
    """
    found = tuple(_address(variable, one.strip()) for one in value.split(",") if one.strip())
    if len({(one.kind, one.where) for one in found}) < len(found):
        raise ConfigError(f"{variable}: an anchor is named twice")
    return found


def check_anchors(variable: str, value: str) -> None:
    """Refuse a list of anchors that can't be read; see `anchor_addresses`."""
    anchor_addresses(variable, value)


def _address(variable: str, written: str) -> AnchorAddress:
    if written == "channel":
        return AnchorAddress(kind="channel", where="")
    if written.startswith("tsa:"):
        where = written.removeprefix("tsa:")
        if not where.startswith(("https://", "http://")) or not urlsplit(where).hostname:
            raise ConfigError(f"{variable}: expected tsa:https://..., got {written[:60]!r}")
        return AnchorAddress(kind="tsa", where=where)
    if written.startswith("s3://"):
        return _bucket(variable, written)
    if "://" in written:
        raise ConfigError(
            f"{variable}: expected a folder, s3://bucket/prefix, tsa:https://... or channel, got"
            f" {written.partition('://')[0]!r}"
        )
    return AnchorAddress(kind="folder", where=written)


def _bucket(variable: str, written: str) -> AnchorAddress:
    address = urlsplit(written)
    given = parse_qs(address.query, keep_blank_values=True)
    days = given.pop("days", [str(LOCKED_DAYS)])[-1]
    is_number = days.isascii() and days.isdecimal() and 0 < int(days[:9]) <= LONGEST_DAYS
    if not address.netloc or given or not is_number or "@" in address.netloc:
        raise ConfigError(
            f"{variable}: expected s3://bucket/prefix, with ?days= from 1 to {LONGEST_DAYS} if at"
            f" all, got {written[:60]!r}"
        )
    where = f"{address.netloc}/{address.path.strip('/')}".rstrip("/")
    return AnchorAddress(kind="s3", where=where, days=int(days))
