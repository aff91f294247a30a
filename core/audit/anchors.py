"""What an anchor is: a place outside the database in which checkpoints of the ledger are kept.

Who can change the database and holds the key can write everything anew, but not what an anchor
has. A checkpoint covers all before it, so that one which an anchor missed is covered by the next.
"""

from dataclasses import dataclass
from typing import Protocol

from core.audit.checkpoint import Position, PublicKey


class Anchor(Protocol):
    """One place. Its methods raise nothing but what is named."""

    @property
    def name(self) -> str:
        """As the settings name it, without credentials."""
        ...

    @property
    def kind(self) -> str:
        """`folder`, `s3`, `tsa` or `channel`."""
        ...

    @property
    def pace_s(self) -> float:
        """Seconds between two checkpoints at least; 0: it gets each."""
        ...

    async def publish(self, note: str, /) -> None:
        """Keep a note; it is kept when this returns.

        Raises:
            TransientError: It is not kept, and may be later.
            ConfigError: It can't be kept as things are set up.
            ContractError: The service answered what it should not.
        """
        ...

    async def newest(self) -> str | None:
        """Return the note that was kept last; None where there is none.

        Raises:
            TransientError, ConfigError: It can't be read.
        """
        ...


class ReadableAnchor(Anchor, Protocol):
    """An anchor that hands out what it keeps, so that a verification can compare it."""

    async def notes(self) -> list[str]:
        """Return all notes, oldest first; none where nothing was anchored.

        Raises:
            TransientError, ConfigError: They can't be read.
        """
        ...

    async def signers(self) -> list[PublicKey]:
        """Return the keys that signed the notes.

        Raises:
            TransientError, ConfigError: They can't be read.
        """
        ...

    async def keep_key(self, key: PublicKey, /) -> None:
        """Keep a key that signs, or that was retired; nothing where it stands there already.

        Raises:
            TransientError, ConfigError: It is not kept.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a service handed out for a note, and the ledger keeps."""

    target: str
    """Name of the anchor."""
    note: str | None
    """The checkpoint that it was handed out for; None: the database does not have it."""
    position: Position
    """Which checkpoint."""
    token: bytes | None
    """As the service wrote it; None: it hands out none."""
    record_id: str
    """The record that keeps it."""


class Receipts(Protocol):
    """Keeps in the ledger itself what anchors hand out: a later checkpoint covers it."""

    async def newest(self, target: str, /) -> str | None:
        """Return the note for which an anchor handed out its last receipt; None: for none."""
        ...

    async def keep(self, target: str, note: str, /, *, token: bytes | None) -> None:
        """Record that an anchor has a note (`ledger:anchored`)."""
        ...
