"""Identities are sealed: one key opens them, for one pseudonym, unaltered."""

import base64

import pytest

from core.adapters.postgres.engine.identity_key import KEY_ID_BYTES, IdentityKey, SealingKey
from core.domain.errors import ConfigError, IntegrityError
from core.domain.officers import Account

WHO = Account(platform="slack", tenant="T1", person="U1")
KEY = b"""-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq
-----END PRIVATE KEY-----
"""
"""The private key that RFC 7748, section 6.1 names Alice's."""
PUBLIC = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
"""Her public key there."""


def test_the_keys_are_those_of_the_standard() -> None:
    """As RFC 7748 pairs them; a key that was written is read again."""
    key = IdentityKey.from_pem(KEY)
    assert key.public.text == PUBLIC
    assert IdentityKey.from_pem(key.to_pem()).public.key_id == key.public.key_id


def test_what_is_sealed_opens_for_its_pseudonym_alone() -> None:
    """Each time as other bytes, that name nobody."""
    key = IdentityKey.generate()
    sealing = SealingKey.from_text(key.public.text)
    first, second = (sealing.seal(WHO, pseudonym="p-1") for _ in range(2))
    assert first != second
    assert b"U1" not in first
    assert key.open(first, pseudonym="p-1") == WHO
    with pytest.raises(IntegrityError, match="another person"):
        key.open(first, pseudonym="p-2")
    with pytest.raises(ConfigError, match="another key"):
        IdentityKey.generate().open(first, pseudonym="p-1")


def test_no_altered_byte_opens() -> None:
    """Nor a value that was cut."""
    key = IdentityKey.generate()
    sealed = key.public.seal(WHO, pseudonym="p-1")
    for n in range(len(sealed)):
        altered = bytearray(sealed)
        altered[n] ^= 1
        with pytest.raises((ConfigError, IntegrityError)):
            key.open(bytes(altered), pseudonym="p-1")
    for length in (0, KEY_ID_BYTES, len(sealed) - 1):
        with pytest.raises((ConfigError, IntegrityError)):
            key.open(sealed[:length], pseudonym="p-1")


def test_a_value_of_an_earlier_release_opens() -> None:
    """The format stays: this one was sealed once, and is kept."""
    assert IdentityKey.from_pem(KEY).open(base64.b64decode(KEPT), pseudonym="p-1") == WHO


@pytest.mark.parametrize("pem", [b"", b"-----BEGIN", b"x" * 100])
def test_what_is_no_key_is_refused(pem: bytes) -> None:
    """Without showing it."""
    with pytest.raises(ConfigError, match="no private key in PEM"):
        IdentityKey.from_pem(pem)
    with pytest.raises(ConfigError, match="expected a public key"):
        SealingKey.from_text(pem.decode())


KEPT = (
    "NWWKTvu6FRPM/iHipwKwZ8dImZFkiDH8qL4qrjsksrmbKgAyt5omae08t5TZu5zFnYbqW+80vdMv+WHL"
    "EI4sgcRngjsLGdBtw/TPFDdf9pXojARB939JTSdXi+deWoFK6aFAtV/6fQSAsnXGXQ=="
)
