"""A note is taken only as it was signed, by a key that is trusted; keys never show."""

import base64
import string

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from core.audit.checkpoint import Checkpoint, LedgerKey, PublicKey, opened, public_keys
from core.domain.errors import ConfigError, ContractError

KEY = LedgerKey.generate("ledger.example")
CHECKPOINT = Checkpoint(origin="ledger.example/audit/1", size=17, root=bytes(range(32)))
AT = 1_790_000_000
NOTE = KEY.sign(CHECKPOINT, at=AT)


def test_a_note_says_what_was_signed() -> None:
    sealed = opened(NOTE, [LedgerKey.generate("other").public, KEY.public])
    assert sealed.checkpoint == CHECKPOINT
    assert (sealed.signed_at, sealed.signers) == (AT, (KEY.public,))
    body, _, signatures = NOTE.partition("\n\n")
    root = base64.b64encode(bytes(range(32))).decode()
    assert body.split("\n") == ["ledger.example/audit/1", "17", root, ""][:3]
    assert all(line.startswith("— ledger.example ") for line in signatures.splitlines())


@given(st.integers(0, len(NOTE) - 1), st.sampled_from(string.printable))
def test_a_note_with_one_letter_changed_is_refused(place: int, letter: str) -> None:
    forged = NOTE[:place] + letter + NOTE[place + 1 :]
    if forged == NOTE:
        return
    try:
        sealed = opened(forged, [KEY.public])
    except ContractError:
        return
    # Bits of base64 that say nothing, and white space at its end, may differ.
    assert (sealed.checkpoint, sealed.signed_at) == (CHECKPOINT, AT)


@pytest.mark.parametrize("cut", [0, 1])
def test_both_signatures_are_needed(cut: int) -> None:
    body, _, signatures = NOTE.partition("\n\n")
    kept = signatures.splitlines(keepends=True)[cut]
    with pytest.raises(ContractError, match="no trusted key"):
        opened(f"{body}\n\n{kept}", [KEY.public])


def test_a_strangers_note_is_refused() -> None:
    stranger = LedgerKey.generate("ledger.example")
    with pytest.raises(ContractError, match="no trusted key"):
        opened(stranger.sign(CHECKPOINT, at=AT), [KEY.public])
    # The id in the line is not what is trusted: a key is.
    posing = PublicKey(KEY.public.name, stranger.public.key)
    forged = NOTE.replace(
        base64.b64encode(KEY.public.id(1))[:4].decode(), base64.b64encode(posing.id(1))[:4].decode()
    )
    with pytest.raises(ContractError):
        opened(forged, [posing])


@given(st.text(max_size=300))
def test_any_text_is_refused_cleanly(text: str) -> None:
    with pytest.raises(ContractError):
        opened(text, [KEY.public])


def test_keys_are_read_as_they_are_written() -> None:
    assert public_keys(["# ours", "", KEY.public.text()]) == [KEY.public]
    assert LedgerKey.from_pem("ledger.example", KEY.to_pem()).public == KEY.public
    other = PublicKey("another", KEY.public.key)
    for line in ("x", "a+b+c", f"another{KEY.public.text()}", f"{other.text()}AA"):
        with pytest.raises(ConfigError, match="no public key"):
            public_keys([line])


def test_what_is_no_key_is_refused_and_not_shown() -> None:
    rsa = generate_private_key(65_537, 2_048).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    for pem in (b"", b"secret-words", rsa):
        with pytest.raises(ConfigError) as refused:
            LedgerKey.from_pem("x", pem)
        assert pem == b"" or pem.decode()[:12] not in str(refused.value)
    assert "PRIVATE" not in repr(KEY)
    with pytest.raises(ConfigError):
        LedgerKey.generate("two words")
