"""Who somebody is, sealed for officers: HPKE (RFC 9180), to a key that no process of ours holds.

    key id (8) | encapsulated key (32) | ciphertext and tag

in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. The pseudonym is part of
HPKE's `info`: what was sealed for one does not open for another. The key id is from the key's hash,
so that a wrong key is told from a damaged value.
"""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from core.domain.errors import ConfigError, IntegrityError
from core.domain.officers import Account

KEY_ID_BYTES = 8
_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
_FIELDS = {"platform", "tenant", "person"}


class SealingKey:
    """The public half, which every process has that meets people."""

    def __init__(self, key: X25519PublicKey) -> None:
        self._key = key

    @classmethod
    def from_text(cls, text: str) -> "SealingKey":
        """Read a key as `text` writes it.

        Raises:
            ConfigError: It is none.
        """
        try:
            return cls(X25519PublicKey.from_public_bytes(base64.b64decode(text, validate=True)))
        except ValueError as error:
            raise ConfigError("expected a public key, as `identity-key` prints it") from error

    @property
    def text(self) -> str:
        """Return the key in base64: 32 bytes."""
        return base64.b64encode(self._key.public_bytes_raw()).decode()

    @property
    def key_id(self) -> bytes:
        """Return what values that are sealed to it begin with."""
        raw = self._key.public_bytes_raw()
        return hashlib.sha256(b"citebound identity key\0" + raw).digest()[:KEY_ID_BYTES]

    def seal(self, person: Account, *, pseudonym: str) -> bytes:
        """Encrypt who a pseudonym stands for."""
        plain = {"platform": person.platform, "tenant": person.tenant, "person": person.person}
        sealed = _SUITE.encrypt(json.dumps(plain).encode(), self._key, _info(pseudonym))
        return self.key_id + sealed


class IdentityKey:
    """The private half, which officers keep where no process of ours runs."""

    def __init__(self, key: X25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def generate(cls) -> "IdentityKey":
        """Return a new key."""
        return cls(X25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, pem: bytes) -> "IdentityKey":
        """Read a key of X25519 in PKCS #8, as `to_pem` and `openssl genpkey` write it.

        Raises:
            ConfigError: It is none.
        """
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError) as error:
            raise ConfigError("the identity key is no private key in PEM") from error
        if not isinstance(key, X25519PrivateKey):
            raise ConfigError("the identity key is not one of X25519")
        return cls(key)

    def to_pem(self) -> bytes:
        """Return the key to be kept, in PKCS #8 without a password."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def public(self) -> SealingKey:
        """Return the public half."""
        return SealingKey(self._key.public_key())

    def open(self, sealed: bytes, *, pseudonym: str) -> Account:
        """Decrypt who a pseudonym stands for.

        Raises:
            ConfigError: It was sealed to another key.
            IntegrityError: It was altered, or sealed for another pseudonym.
        """
        if not sealed.startswith(self.public.key_id):
            raise ConfigError("the identity was sealed to another key than this one")
        try:
            plain = _SUITE.decrypt(sealed[KEY_ID_BYTES:], self._key, _info(pseudonym))
        except InvalidTag as error:
            raise IntegrityError(
                f"the identity of {pseudonym} was altered, or is another person's"
            ) from error
        found: dict[str, str] = json.loads(plain)
        return Account(**{name: found[name] for name in _FIELDS})


def _info(pseudonym: str) -> bytes:
    return b"citebound identity\0" + pseudonym.encode()
