"""Encrypt the secrets of a row: AES-256-GCM (NIST SP 800-38D), bound to the row.

    version (1) | key id (8) | nonce (12) | ciphertext and tag

The header and the row's identity are associated data: a sealed secret that is altered, or copied
into another row, does not open. The key id is from the key's hash, so that a wrong key is told from
a damaged secret.
"""

import hashlib
import secrets
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from core.domain.errors import ConfigError, IntegrityError

VERSION = b"\x01"
KEY_ID_BYTES = 8
NONCE_BYTES = 12
"""Random: a few rotations a day stay far below 2^32 messages a key (SP 800-38D, 8.3)."""
HEADER_BYTES = len(VERSION) + KEY_ID_BYTES + NONCE_BYTES


class SecretBox:
    """Seals with one key of 32 bytes, opens with it and older ones."""

    def __init__(self, key: bytes, *, older: Sequence[bytes] = ()) -> None:
        self._keys = {_key_id(one): AESGCM(one) for one in (key, *older)}
        self._current = _key_id(key)

    def is_current(self, sealed: bytes) -> bool:
        """Return whether a secret was sealed with the current key; False: with an older one.

        Raises:
            ConfigError: It was sealed with a key that is not set.
        """
        self._key_of(sealed)
        return _sealed_by(sealed) == self._current

    def seal(self, plain: bytes, *, bound_to: bytes) -> bytes:
        """Encrypt a secret for one row."""
        header = VERSION + self._current + secrets.token_bytes(NONCE_BYTES)
        cipher = self._keys[self._current]
        return header + cipher.encrypt(header[-NONCE_BYTES:], plain, header + bound_to)

    def open(self, sealed: bytes, *, bound_to: bytes) -> bytes:
        """Decrypt what was sealed for this row.

        Raises:
            ConfigError: It was sealed with a key that is not set.
            IntegrityError: It was altered, or sealed for another row.
        """
        cipher, header = self._key_of(sealed), sealed[:HEADER_BYTES]
        try:
            return cipher.decrypt(header[-NONCE_BYTES:], sealed[HEADER_BYTES:], header + bound_to)
        except InvalidTag as error:
            raise IntegrityError("an encrypted token was altered, or is in a wrong row") from error

    def _key_of(self, sealed: bytes) -> AESGCM:
        if not sealed.startswith(VERSION) or len(sealed) < HEADER_BYTES:
            raise IntegrityError("an encrypted token is damaged")
        cipher = self._keys.get(_sealed_by(sealed))
        if cipher is None:
            raise ConfigError(
                "CITEBOUND_TOKEN_KEY is not the key that Slack's tokens were encrypted with:"
                " set that one (as CITEBOUND_TOKEN_KEY_OLD, to change it), or install the app again"
            )
        return cipher


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"citebound token key\0" + key).digest()[:KEY_ID_BYTES]


def _sealed_by(sealed: bytes) -> bytes:
    return sealed[len(VERSION) : len(VERSION) + KEY_ID_BYTES]
