"""The Merkle tree over the records, by RFC 6962 section 2.1 and RFC 9162 section 2.1.

The hash of a node is `SHA-256(0x01 || left || right)`, that of a leaf `SHA-256(0x00 || data)` (see
`core.audit.canonical.leaf_hash`); the tree over n leaves splits at the largest power of two below
n. Hashes are 32 bytes.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.domain.errors import ContractError

EMPTY = hashlib.sha256(b"").digest()
"""Root of the tree without leaves (RFC 6962, section 2.1)."""
HASH_BYTES = 32


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(slots=True)
class Frontier:
    """What has to be kept of a tree so that leaves can be added and its root be told.

    The roots of its perfect subtrees, largest first: one for each bit that is set in its size.

    Raises:
        ContractError: The subtrees are not those of a tree of this size.
    """

    size: int = 0
    """Leaves in the tree."""
    subtrees: list[bytes] = field(default_factory=list[bytes])
    """Hashes, largest subtree first."""

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.subtrees) != self.size.bit_count():
            raise ContractError(
                f"a tree of {self.size} leaves has not {len(self.subtrees)} perfect subtrees"
            )
        if any(len(subtree) != HASH_BYTES for subtree in self.subtrees):
            raise ContractError("a hash of the tree has not 32 bytes")

    def add(self, leaf: bytes) -> None:
        """Add the hash of the next leaf."""
        filled = self.size
        while filled & 1:
            leaf = node_hash(self.subtrees.pop(), leaf)
            filled >>= 1
        self.subtrees.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """Return the root hash."""
        if not self.subtrees:
            return EMPTY
        *larger, root = self.subtrees
        for subtree in reversed(larger):
            root = node_hash(subtree, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root of the tree over these leaf hashes."""
    frontier = Frontier()
    for leaf in leaves:
        frontier.add(leaf)
    return frontier.root()


class Tree:
    """All nodes of a tree, so that many proofs can be told: 64 bytes a leaf."""

    def __init__(self, leaves: Iterable[bytes]) -> None:
        level = list(leaves)
        self._levels = [level]
        # Each level pairs its nodes; a last one without a partner rises as it is.
        while len(level) > 1:
            paired = [node_hash(level[n], level[n + 1]) for n in range(0, len(level) - 1, 2)]
            level = paired + level[len(paired) * 2 :]
            self._levels.append(level)

    def root(self) -> bytes:
        """Return the root hash."""
        return self._levels[-1][0] if self._levels[-1] else EMPTY

    def proof(self, index: int) -> list[bytes]:
        """Return the hashes that lead from a leaf to the root (RFC 9162, section 2.1.3.1).

        Raises:
            ContractError: There is no such leaf.
        """
        if not 0 <= index < len(self._levels[0]):
            raise ContractError(f"a tree of {len(self._levels[0])} leaves has no leaf {index}")
        path: list[bytes] = []
        for level in self._levels[:-1]:
            if (index ^ 1) < len(level):
                path.append(level[index ^ 1])
            index >>= 1
        return path


def root_by_proof(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that a proof leads to (RFC 9162, section 2.1.3.2).

    None: the proof has not the length that a leaf at this place needs.
    """
    if not 0 <= index < size:
        return None
    last, node, rest = size - 1, leaf, list(proof)
    while last:
        if index & 1 or index < last:
            if not rest:
                return None
            sibling = rest.pop(0)
            node = node_hash(sibling, node) if index & 1 else node_hash(node, sibling)
        index >>= 1
        last >>= 1
    return None if rest else node
