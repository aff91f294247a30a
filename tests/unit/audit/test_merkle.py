"""The tree is that of RFC 6962, whatever its size, and a proof shows one leaf and no other."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.audit.merkle import EMPTY, Frontier, Tree, root_by_proof, root_of
from core.domain.errors import ContractError

EIGHT = [
    bytes.fromhex(data)
    for data in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""Leaves that implementations of Certificate Transparency test with."""
ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}

LEAVES = st.lists(st.binary(min_size=32, max_size=32), max_size=70)


def leaf(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + by_definition(leaves[:k]) + by_definition(leaves[k:])).digest()


@pytest.mark.parametrize(("size", "root"), ROOTS.items())
def test_known_roots(size: int, root: str) -> None:
    assert root_of(leaf(data) for data in EIGHT[:size]).hex() == root


@given(LEAVES)
def test_the_root_is_that_of_the_definition(leaves: list[bytes]) -> None:
    assert root_of(leaves) == by_definition(leaves)
    assert Tree(leaves).root() == by_definition(leaves)
    assert root_of([]) == EMPTY


@given(LEAVES, st.integers(0, 70))
def test_a_tree_grows_on_from_its_frontier(leaves: list[bytes], at: int) -> None:
    first = Frontier()
    for one in leaves[:at]:
        first.add(one)
    later = Frontier(first.size, list(first.subtrees))
    for one in leaves[at:]:
        later.add(one)
    assert later.root() == by_definition(leaves)


@given(LEAVES.filter(bool), st.data())
def test_a_proof_shows_its_leaf_alone(leaves: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    proof = Tree(leaves).proof(index)
    root = by_definition(leaves)
    assert root_by_proof(index, len(leaves), leaves[index], proof) == root
    other = data.draw(st.binary(min_size=32, max_size=32).filter(lambda one: one != leaves[index]))
    assert root_by_proof(index, len(leaves), other, proof) != root
    assert root_by_proof(index, len(leaves), leaves[index], [*proof, other]) is None
    if proof:
        assert root_by_proof(index, len(leaves), leaves[index], proof[:-1]) is None
        n = data.draw(st.integers(0, len(proof) - 1))
        forged = [*proof[:n], other, *proof[n + 1 :]]
        if forged != proof:
            assert root_by_proof(index, len(leaves), leaves[index], forged) != root


@pytest.mark.parametrize(
    ("size", "subtrees"), [(3, [EMPTY]), (-1, []), (1, [b"short"]), (0, [EMPTY])]
)
def test_a_frontier_of_another_size_is_refused(size: int, subtrees: list[bytes]) -> None:
    with pytest.raises(ContractError):
        Frontier(size, subtrees)


def test_a_leaf_that_is_not_there_has_no_proof() -> None:
    with pytest.raises(ContractError):
        Tree([EMPTY]).proof(1)
    assert root_by_proof(1, 1, EMPTY, []) is None
