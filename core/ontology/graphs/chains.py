"""The shortest chains between two entities, each entity once: few, short, and always the same."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

MOST = 10
"""Chains wanted."""
STEPS = 20_000
"""Steps after which the search ends with what it has, so that a dense graph can't hold it."""


def chains(
    adjacent: Mapping[str, Collection[str]], source: str, target: str, *, max_hops: int
) -> list[tuple[str, ...]]:
    """Return at most `MOST` simple paths, the shortest first, then by their names.

    Args:
        adjacent: What is joined to each entity, in either direction.
        source: The first.
        target: The last.
        max_hops: Longest path, in relations.
    """
    if source == target or source not in adjacent or target not in adjacent:
        return []
    search = _Search(adjacent, target, max_hops)
    found: list[tuple[str, ...]] = []
    for length in range(1, max_hops + 1):
        found += islice(search.paths((source,), length), MOST - len(found))
    return found


class _Search:
    """Looks for paths to one target, by way of what is near enough to it."""

    def __init__(self, adjacent: Mapping[str, Collection[str]], target: str, max_hops: int) -> None:
        self._adjacent = adjacent
        self._target = target
        self._left = STEPS
        self._away = {target: 0}
        reached = [target]
        for hops in range(1, max_hops + 1):
            ends = {end for one in reached for end in adjacent.get(one, ())}
            reached = sorted(ends - set(self._away))
            self._away |= dict.fromkeys(reached, hops)

    def paths(self, path: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
        """Yield the paths that go on from one by exactly this many relations, in order."""
        if not length:
            yield path
            return
        for end in sorted(self._adjacent.get(path[-1], ())):
            is_last = end == self._target
            if end in path or is_last != (length == 1) or self._away.get(end, length) >= length:
                continue
            self._left -= 1
            if self._left < 0:
                return
            yield from self.paths((*path, end), length - 1)
