"""The parts of the ledger as the settings name them: key, anchors, sequencer."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from core.adapters.anchor_folder import AnchorFolder
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.sequencer import PostgresSequencer
from core.adapters.system import SystemClock
from core.audit.checkpoint import LedgerKey, PublicKey, public_keys
from core.config.settings import Settings
from core.domain.errors import ConfigError


def signing_key(settings: Settings) -> LedgerKey:
    """Read the key; make one for a deployment that has none and is not yet in production."""
    path = settings.ledger_key or settings.home.expanduser() / "ledger-key.pem"
    if settings.ledger_key is None:
        if settings.environment == "production":
            raise ConfigError(
                "CITEBOUND_LEDGER_KEY names no file: make a key that only the sealing process can"
                " read, with `openssl genpkey -algorithm ed25519 -out FILE`"
            )
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_bytes(LedgerKey.generate(settings.ledger_name).to_pem())
    try:
        return LedgerKey.from_pem(settings.ledger_name, path.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"CITEBOUND_LEDGER_KEY: {path} can't be read: {error.strerror}"
        ) from error


def anchors_of(settings: Settings) -> list[AnchorFolder]:
    """Return the folders in which checkpoints are kept."""
    named = (settings.ledger_anchors or "").split(",")
    return [AnchorFolder(Path(one.strip()).expanduser()) for one in named if one.strip()]


def trusted_keys(
    settings: Settings, anchors: Sequence[AnchorFolder], keys: Path | None
) -> list[PublicKey]:
    """Return the keys of a file; else our own, and those that stand beside the anchors."""
    if keys is not None:
        try:
            return public_keys(keys.read_text().splitlines())
        except OSError as error:
            raise ConfigError(f"--keys: {keys} can't be read: {error.strerror}") from error
    found = [key for anchor in anchors for key in anchor.signers()]
    own = settings.ledger_key or settings.home.expanduser() / "ledger-key.pem"
    if own.is_file():
        found.append(LedgerKey.from_pem(settings.ledger_name, own.read_bytes()).public)
    return list(dict.fromkeys(found))


@asynccontextmanager
async def open_sequencer(
    settings: Settings, key: LedgerKey, waits: Callable[[str], None] | None = None
) -> AsyncGenerator[PostgresSequencer]:
    """Open the database and lend what seals it; for `waits` see `open_database`."""
    async with open_engine(settings, DatabaseRole.SEQUENCER, waits=waits) as engine:
        yield PostgresSequencer(
            engine, key=key, deployment=settings.ledger_name, clock=SystemClock()
        )
