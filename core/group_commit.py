"""Write together what comes while something is being written: a group commit.

Alone, an item is written at once. Under load, what one transaction costs is shared by all that came
during the one before it, so that the cost of an item falls as the load grows.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Generic, TypeVar

WRITERS = 2
"""One waits for the disk while the other prepares; and a lock that one waits for stops not all."""
MOST = 64
"""Items of one batch."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, eq=False)
class _Held(Generic[_Item, _Result]):
    item: _Item
    key: Hashable
    future: "asyncio.Future[_Result]"


@dataclass(eq=False)
class GroupCommit(Generic[_Item, _Result]):
    """Gathers items, and writes them in batches. For one event loop; safe from many of its tasks.

    Items of one key are written in the order in which they came, never two in one batch.
    """

    write: Callable[[Sequence[_Item]], Awaitable[Sequence[_Result]]]
    """Writes all of a batch or, if it raises, nothing; results in the same order."""
    _: KW_ONLY
    key: Callable[[_Item], Hashable]
    writers: int = WRITERS
    most: int = MOST
    _waiting: deque[_Held[_Item, _Result]] = field(default_factory=deque, init=False)
    _busy: set[Hashable] = field(default_factory=set, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    async def put(self, item: _Item) -> _Result:
        """Write an item, and return its result.

        Whoever is cancelled does not know whether it was written.

        Raises:
            Exception: What `write` raised for this item alone.
        """
        held = _Held(item, self.key(item), asyncio.get_running_loop().create_future())
        self._waiting.append(held)
        self._begin()
        return await held.future

    def _begin(self) -> None:
        while len(self._tasks) < self.writers:
            batch = self._take()
            if not batch:
                return
            # Whoever waits may be cancelled; what is being written for others goes on.
            task = asyncio.create_task(self._write_all(batch))  # noqa: TID251  # it ends by itself
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._begin()

    def _take(self) -> list[_Held[_Item, _Result]]:
        """Take the oldest whose keys nobody writes; nobody waits any more for those cancelled."""
        batch: list[_Held[_Item, _Result]] = []
        left: deque[_Held[_Item, _Result]] = deque()
        passed: set[Hashable] = set()
        for held in self._waiting:
            if held.future.done():
                continue
            if len(batch) == self.most or held.key in self._busy or held.key in passed:
                left.append(held)
                passed.add(held.key)
                continue
            batch.append(held)
            self._busy.add(held.key)
        self._waiting = left
        return batch

    async def _write_all(self, batch: Sequence[_Held[_Item, _Result]]) -> None:
        try:
            if len(batch) == 1 or not await self._written(batch):
                for held in batch:
                    await self._alone(held)
        finally:
            self._busy.difference_update(held.key for held in batch)
            for held in batch:
                held.future.cancel()

    async def _written(self, batch: Sequence[_Held[_Item, _Result]]) -> bool:
        """Write a batch; False: one of it stands in the way of all."""
        try:
            results = await self.write([held.item for held in batch])
        except Exception:  # each hears its own, alone
            return False
        for held, result in zip(batch, results, strict=True):
            if not held.future.done():
                held.future.set_result(result)
        return True

    async def _alone(self, held: _Held[_Item, _Result]) -> None:
        if held.future.done():
            return
        try:
            (result,) = await self.write([held.item])
        except Exception as error:  # it is the caller's
            if not held.future.done():
                held.future.set_exception(error)
        else:
            if not held.future.done():
                held.future.set_result(result)
