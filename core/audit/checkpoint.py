"""Checkpoints of the ledger: size and root of its tree, signed.

A checkpoint is a C2SP signed note (c2sp.org/signed-note, c2sp.org/tlog-checkpoint): the origin, the
size and the root in base64, one a line; then a blank line and a signature a line. The ledger's key
signs each note twice: plainly (Ed25519), and with the time as a cosignature
(c2sp.org/tlog-cosignature), so that a checkpoint can't be dated back.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from core.audit.merkle import HASH_BYTES
from core.domain.errors import ConfigError, ContractError

ED25519 = 0x01
"""Type of a plain signature."""
COSIGNATURE = 0x04
"""Type of a signature with a time."""
ID_BYTES = 4
TIME_BYTES = 8
SIGNATURE_BYTES = 64
NAME = re.compile(r"[^\s+]{1,200}")
"""A name of a key or a log has neither spaces nor a plus sign."""
SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
Position = tuple[int, int]
"""A checkpoint of one ledger: its generation and its size."""
UNTIL = re.compile(r"until=([1-9][0-9]{0,8})/(0|[1-9][0-9]{0,18})")


class RetiredKeyError(ContractError):
    """A note is signed by a key that had been retired: whoever had it signs on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What is signed: the state of one ledger."""

    origin: str
    """Which ledger."""
    size: int
    """Records in its tree."""
    root: bytes
    """32 bytes."""

    def body(self) -> str:
        """Return the signed text."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @property
    def position(self) -> Position:
        """Return its generation, 0 if its origin names none, and its size."""
        generation = self.origin.rpartition("/")[2]
        is_number = generation.isascii() and generation.isdecimal()
        return (int(generation) if is_number else 0, self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedCheckpoint:
    """A checkpoint whose signatures were checked."""

    checkpoint: Checkpoint
    signed_at: int
    """Seconds since 1970, UTC, by the cosignature."""
    signers: "tuple[PublicKey, ...]"
    """The trusted keys that signed, in the order of their lines; the last signs what follows."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that notes are checked with, and its name."""

    name: str
    key: bytes
    """32 bytes of Ed25519."""
    until: Position | None = None
    """The last checkpoint that its signature counts for; None: it is in use."""

    def id(self, kind: int) -> bytes:
        """Return the first four bytes of `SHA-256(name || 0x0A || kind || key)`."""
        named = self.name.encode() + b"\n" + bytes([kind]) + self.key
        return hashlib.sha256(named).digest()[:ID_BYTES]

    def text(self) -> str:
        """Return it as C2SP writes it: `name+id+base64(0x01 || key)`."""
        key = base64.b64encode(bytes([ED25519]) + self.key).decode()
        return f"{self.name}+{self.id(ED25519).hex()}+{key}"

    def line(self) -> str:
        """Return it as `public_keys` reads it: with `until=generation/size` once retired."""
        return f"{self.text()} until={self.until[0]}/{self.until[1]}" if self.until else self.text()

    def retired(self, until: Position) -> "PublicKey":
        """Return it as it counts once another key has taken over."""
        return replace(self, until=min(self.until, until) if self.until else until)


class LedgerKey:
    """The ledger's private key. Neither `repr` nor an error shows it."""

    def __init__(self, name: str, key: Ed25519PrivateKey) -> None:
        if not NAME.fullmatch(name):
            raise ConfigError(f"a key can't be named {name!r}: neither spaces nor a plus sign")
        self._key = key
        self.public = PublicKey(name, key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls, name: str) -> "LedgerKey":
        """Return a new key."""
        return cls(name, Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, name: str, pem: bytes) -> "LedgerKey":
        """Read a key of Ed25519 in PKCS #8, as `to_pem` and `openssl genpkey` write it.

        Raises:
            ConfigError: It is none.
        """
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError) as error:
            raise ConfigError("the ledger's key is no private key in PEM") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigError("the ledger's key is not one of Ed25519")
        return cls(name, key)

    def to_pem(self) -> bytes:
        """Return the key to be kept, in PKCS #8 without a password."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, checkpoint: Checkpoint, *, at: int) -> str:
        """Return the note of a checkpoint, signed and dated.

        Args:
            checkpoint: What is signed.
            at: Seconds since 1970, UTC.
        """
        return signed_note(checkpoint, [self], at=at)

    def lines(self, body: str, *, at: int) -> str:
        """Return both signatures of a text, as the lines of a note."""
        plain = self._key.sign(body.encode())
        dated = at.to_bytes(TIME_BYTES) + self._key.sign(_dated(body, at))
        return _line(self.public.name, self.public.id(ED25519) + plain) + _line(
            self.public.name, self.public.id(COSIGNATURE) + dated
        )


def signed_note(checkpoint: Checkpoint, keys: Sequence[LedgerKey], *, at: int) -> str:
    """Return the note of a checkpoint by several keys, of which the last signs what follows."""
    body = checkpoint.body()
    return f"{body}\n{''.join(key.lines(body, at=at) for key in keys)}"


def public_keys(lines: Iterable[str]) -> list[PublicKey]:
    """Read keys as `PublicKey.line` writes them, one a line; blank lines and `#` are passed over.

    Raises:
        ConfigError: A line is none.
    """
    return merged(
        _read_key(line.strip()) for line in lines if line.strip() and not line.startswith("#")
    )


def merged(keys: Iterable[PublicKey]) -> list[PublicKey]:
    """Return each key once: where one says that it was retired, it was."""
    found: dict[tuple[str, bytes], PublicKey] = {}
    for key in keys:
        known = found.get((key.name, key.key), key)
        found[key.name, key.key] = known.retired(key.until) if key.until else known
    return list(found.values())


def _read_key(line: str) -> PublicKey:
    written, _, end = line.partition(" ")
    name, _, rest = written.partition("+")
    key_id, _, encoded = rest.partition("+")
    raw, until = _decoded(encoded), UNTIL.fullmatch(end)
    key = PublicKey(name, raw[1:]) if raw else None
    is_sound = raw is not None and len(raw) == 1 + HASH_BYTES and raw[0] == ED25519
    is_sound = is_sound and (until is not None or not end)
    if key is None or not is_sound or key_id != key.id(ED25519).hex():
        raise ConfigError(f"no public key of a ledger: {line[:80]!r}")
    return key if until is None else key.retired((int(until[1]), int(until[2])))


def opened(note: str, keys: Iterable[PublicKey]) -> SealedCheckpoint:
    """Check a note by the keys that are trusted, and return what it says.

    Raises:
        ContractError: It is malformed; a trusted key's signature is false; or no trusted key
            signed and dated it, or only one that was retired before.
    """
    body, separator, signatures = note.partition("\n\n")
    if not separator:
        raise ContractError("the note has no signatures")
    checkpoint = _parsed(body + "\n")
    told = _signatures(signatures)
    found = {
        key: at for key in merged(keys) if (at := _signed_at(checkpoint, key, told)) is not None
    }
    if not found:
        raise ContractError("no trusted key signed the note")
    places = list(told)
    signers = sorted(found, key=lambda key: places.index((key.name, key.id(ED25519))))
    counted = [key for key in signers if key.until is None or checkpoint.position <= key.until]
    if not counted:
        key, until = signers[-1], signers[-1].until or (0, 0)
        raise RetiredKeyError(
            f"the note is signed by {key.name!r}, key {key.id(ED25519).hex()}, which was retired at"
            f" {until[0]}/{until[1]}"
        )
    return SealedCheckpoint(
        checkpoint=checkpoint, signed_at=found[counted[-1]], signers=tuple(signers)
    )


def is_signed_last(note: str, key: PublicKey) -> bool:
    """Say whether a key signed a note, and no other one after it."""
    try:
        opened(note, [key])
    except ContractError:
        return False
    signatures = _signatures(note.partition("\n\n")[2])
    return list(signatures)[-1] == (key.name, key.id(COSIGNATURE))


def _signed_at(
    checkpoint: Checkpoint, key: PublicKey, told: Mapping[tuple[str, bytes], bytes]
) -> int | None:
    """Return when a key signed; None: it did not, or not both ways."""
    plain = told.get((key.name, key.id(ED25519)))
    dated = told.get((key.name, key.id(COSIGNATURE)))
    if plain is None or dated is None or len(dated) <= TIME_BYTES:
        return None
    at = int.from_bytes(dated[:TIME_BYTES])
    body = checkpoint.body()
    if not is_signature(key.key, plain, body.encode()) or not is_signature(
        key.key, dated[TIME_BYTES:], _dated(body, at)
    ):
        raise ContractError(f"the note's signature by {key.name!r} is false")
    return at


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Say whether a signature by a public key of Ed25519 holds."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def checkpoint_of(note: str) -> Checkpoint:
    """Return what a note says, whoever signed it.

    Raises:
        ContractError: It is malformed.
    """
    return _parsed(note.partition("\n\n")[0] + "\n")


def signed_at(note: str) -> int | None:
    """Return when the last signer dated a note, unchecked; None: nobody did.

    Raises:
        ContractError: It is malformed.
    """
    dated = [
        raw for raw in _signatures(note.partition("\n\n")[2]).values() if len(raw) > SIGNATURE_BYTES
    ]
    return int.from_bytes(dated[-1][:TIME_BYTES]) if dated else None


def _parsed(body: str) -> Checkpoint:
    lines = body.split("\n")
    if len(lines) != 4 or lines[-1] or not NAME.fullmatch(lines[0]):  # noqa: PLR2004
        raise ContractError("the note holds no checkpoint")
    origin, size, encoded, _ = lines
    root = _decoded(encoded)
    if root is None or len(root) != HASH_BYTES or not SIZE.fullmatch(size):
        raise ContractError("the note holds no checkpoint")
    return Checkpoint(origin=origin, size=int(size), root=root)


def _signatures(text: str) -> Mapping[tuple[str, bytes], bytes]:
    told: dict[tuple[str, bytes], bytes] = {}
    for line in text.splitlines():
        dash, _, rest = line.partition(" ")
        name, _, encoded = rest.partition(" ")
        raw = _decoded(encoded)
        if dash != "—" or raw is None or len(raw) <= ID_BYTES:
            raise ContractError("the note has a malformed signature")
        told[name, raw[:ID_BYTES]] = raw[ID_BYTES:]
    return told


def _line(name: str, signed: bytes) -> str:
    return f"— {name} {base64.b64encode(signed).decode()}\n"


def _dated(body: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{body}".encode()


def _decoded(encoded: str) -> bytes | None:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
