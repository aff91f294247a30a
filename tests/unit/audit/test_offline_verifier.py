"""The bundle's verifier, which shares no code with ours, comes to the same results."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from core.audit.bundle import verify
from core.audit.canonical import leaf_hash
from core.audit.checkpoint import Checkpoint, LedgerKey
from core.audit.merkle import Tree, root_by_proof
from tests.properties import examples

HASH = st.binary(min_size=32, max_size=32)


@given(st.binary(max_size=200))
def test_leaves_have_one_hash(data: bytes) -> None:
    assert verify.leaf_hash(data) == leaf_hash(data)


@given(st.lists(HASH, min_size=1, max_size=70), st.data())
def test_both_follow_a_path_to_one_root(leaves: list[bytes], data: st.DataObject) -> None:
    tree, size = Tree(leaves), len(leaves)
    index = data.draw(st.integers(0, size - 1))
    path = tree.proof(index)
    assert verify.root_of(index, size, leaves[index], path) == tree.root()
    other = data.draw(st.lists(HASH, max_size=8))
    try:
        told = verify.root_of(index, size, leaves[index], other)
    except verify.NotAsRecordedError:
        told = None
    assert told == root_by_proof(index, size, leaves[index], other)


@examples(25)
@given(HASH, st.binary(max_size=100), st.integers(0, 63), st.integers(0, 255))
def test_both_take_the_same_signatures(seed: bytes, text: bytes, place: int, flip: int) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    public = key.public_key()
    signature = bytearray(key.sign(text))
    signature[place] ^= flip
    try:
        public.verify(bytes(signature), text)
        holds = True
    except InvalidSignature:
        holds = False
    assert verify.is_signed(public.public_bytes_raw(), bytes(signature), text) == holds


def test_both_open_one_note() -> None:
    key = LedgerKey.generate("ledger.example")
    note = key.sign(Checkpoint(origin="a/audit/1", size=3, root=bytes(32)), at=1_790_000_000)
    name, raw = verify.read_key(key.public.text())
    found = verify.read_note(note, name, raw)
    verify.check_note(found, raw)
    assert (found.origin, found.size, found.root, found.at) == (
        "a/audit/1", 3, bytes(32), 1_790_000_000,
    )  # fmt: skip
