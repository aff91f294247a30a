"""The parts of the ledger as the settings name them: key, anchors, sequencer."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from core.adapters.anchors.folder import FolderAnchor
from core.adapters.anchors.s3 import S3Anchor, check_boto3
from core.adapters.anchors.timestamps import TimestampAnchor, read_roots
from core.adapters.officers import read_officers
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.receipts import ChannelAnchor, PostgresReceipts
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.postgres.record.services import PostgresServices
from core.adapters.system import SystemClock, UuidSource
from core.audit.anchors import Anchor, ReadableAnchor, Receipts
from core.audit.checkpoint import LedgerKey, PublicKey, merged, public_keys
from core.config.anchors import AnchorAddress, anchor_addresses
from core.config.settings import Settings
from core.domain.errors import ConfigError

ANCHORS = "CITEBOUND_LEDGER_ANCHORS"
PUBLIC_KEYS = "CITEBOUND_LEDGER_PUBLIC_KEYS"
FEWEST = 2
"""Anchors that can be read, in production: one can be taken over, and the other still tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLedger:
    """The ledger of one deployment, open to be sealed."""

    sequencer: PostgresSequencer
    services: PostgresServices
    records: Ledger
    """Writes events of the ledger itself."""
    anchors: tuple[Anchor, ...]
    readable: tuple[ReadableAnchor, ...]
    """Those of the anchors that hand out what they keep."""


def own_key_path(settings: Settings) -> Path:
    """Return where the private key stands."""
    return settings.ledger_key or settings.home.expanduser() / "ledger-key.pem"


def signing_key(settings: Settings) -> LedgerKey:
    """Read the key; make one for a deployment that has none and is not yet in production."""
    path = own_key_path(settings)
    if settings.ledger_key is None:
        if settings.environment == "production":
            raise ConfigError(
                "CITEBOUND_LEDGER_KEY names no file: make a key that only the sealing process can"
                " read, with `openssl genpkey -algorithm ed25519 -out FILE`"
            )
        if not path.exists():
            make_key(settings, path)
    return read_key(settings, path, named="CITEBOUND_LEDGER_KEY")


def make_key(settings: Settings, path: Path) -> None:
    """Make a key that nobody else can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(LedgerKey.generate(settings.ledger_name).to_pem())


def read_key(settings: Settings, path: Path, *, named: str) -> LedgerKey:
    """Read a private key.

    Raises:
        ConfigError: It can't be read, or is none.
    """
    try:
        return LedgerKey.from_pem(settings.ledger_name, path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{named}: {path} can't be read: {error.strerror}") from error


def check_anchors(settings: Settings) -> None:
    """Refuse to seal in production without anchors that prove anything.

    Raises:
        ConfigError: A verification can read fewer than two; or one lacks its library.
    """
    addresses = _addresses(settings)
    readable = [one for one in addresses if one.kind in {"folder", "s3"}]
    if any(one.kind == "s3" for one in addresses):
        check_boto3()
    if settings.environment != "production":
        return
    if len(readable) < FEWEST:
        raise ConfigError(
            f"{ANCHORS} names {len(readable)} folders and buckets outside the database, and"
            f" `citebound audit verify` reads no other place: production needs {FEWEST}, in"
            " different hands, for instance a folder of another host and s3://bucket/prefix"
        )


def readable_anchors(settings: Settings) -> tuple[ReadableAnchor, ...]:
    """Return the anchors that hand out what they keep."""
    found = (_readable(one) for one in _addresses(settings))
    return tuple(one for one in found if one is not None)


def keys_of_file(path: Path, *, named: str = "--keys") -> list[PublicKey]:
    """Return the keys of a file that an option or a setting names."""
    try:
        return public_keys(path.read_text().splitlines())
    except OSError as error:
        raise ConfigError(f"{named}: {path} can't be read: {error.strerror}") from error


async def trusted_keys(settings: Settings, anchors: Sequence[ReadableAnchor]) -> list[PublicKey]:
    """Return the keys that a verification trusts.

    Those that are pinned; else, outside of production, those that are known. Who writes to an
    anchor can put a key of their own beside it, but can only retire one that is pinned.
    """
    known = await known_keys(settings, anchors)
    path = settings.ledger_public_keys
    if path is None:
        return [] if settings.environment == "production" else known
    pinned = keys_of_file(path, named=PUBLIC_KEYS)
    names = {(key.name, key.key) for key in pinned}
    return merged([*pinned, *(key for key in known if (key.name, key.key) in names)])


async def known_keys(settings: Settings, anchors: Sequence[ReadableAnchor]) -> list[PublicKey]:
    """Return our own key, and those that stand beside the anchors: they prove nothing."""
    found = [key for anchor in anchors for key in await anchor.signers()]
    own = own_key_path(settings)
    if own.is_file():
        found.append(LedgerKey.from_pem(settings.ledger_name, own.read_bytes()).public)
    return merged(found)


@asynccontextmanager
async def open_ledger(
    settings: Settings, key: LedgerKey, waits: Callable[[str], None] | None = None
) -> AsyncGenerator[OpenLedger]:
    """Open the database and lend what seals it; for `waits` see `open_database`."""
    records = Ledger(clock=SystemClock(), ids=UuidSource(), unit=settings.unit)
    async with open_engine(settings, DatabaseRole.SEQUENCER, waits=waits) as engine:
        receipts = PostgresReceipts(engine, ledger=records)
        officers = read_officers(settings.officers, settings.case_channel)
        channel = ChannelAnchor(engine, officers=officers, ledger=records)
        handing_out = {one: _readable(one) for one in _addresses(settings)}
        anchors = [
            anchor or _writable(one, settings, receipts, channel)
            for one, anchor in handing_out.items()
        ]
        yield OpenLedger(
            sequencer=PostgresSequencer(engine, key=key, deployment=settings.ledger_name),
            services=PostgresServices(engine, ledger=records),
            records=records,
            anchors=tuple(anchors),
            readable=tuple(one for one in handing_out.values() if one is not None),
        )


def _addresses(settings: Settings) -> tuple[AnchorAddress, ...]:
    return anchor_addresses(ANCHORS, settings.ledger_anchors or "")


def _readable(address: AnchorAddress) -> ReadableAnchor | None:
    if address.kind == "folder":
        return FolderAnchor(Path(address.where).expanduser())
    if address.kind == "s3":
        bucket, _, prefix = address.where.partition("/")
        return S3Anchor(bucket, prefix, address.days, SystemClock())
    return None


def _writable(
    address: AnchorAddress, settings: Settings, receipts: Receipts, channel: ChannelAnchor
) -> Anchor:
    if address.kind == "tsa":
        if settings.ledger_tsa_roots is None:
            raise ConfigError(
                "CITEBOUND_LEDGER_TSA_ROOTS names no file: an anchor at a timestamp authority needs"
                " the certificate of its root"
            )
        roots = read_roots(settings.ledger_tsa_roots)
        return TimestampAnchor(address.where, roots, receipts)
    if not channel.reaches_somebody:
        raise ConfigError(
            f"{ANCHORS}: `channel` needs officers who can be reached: see CITEBOUND_OFFICERS and"
            " CITEBOUND_CASE_CHANNEL"
        )
    return channel
