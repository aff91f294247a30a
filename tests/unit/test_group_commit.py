"""What comes while something is being written is written together."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.group_commit import GroupCommit


class Disk:
    """Writes when it is let, and refuses batches that hold a bad item."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.free = asyncio.Event()

    async def write(self, items: Sequence[str]) -> list[str]:
        self.batches.append(list(items))
        await self.free.wait()
        if any("bad" in item for item in items):
            raise ValueError(items[0])
        return [item.upper() for item in items]


def gathering(disk: Disk, **limits: int) -> GroupCommit[str, str]:
    """Items of one first letter are of one key."""
    return GroupCommit(disk.write, key=lambda item: item[0], **limits)


async def test_items_wait_for_a_writer_and_are_written_together() -> None:
    """The first alone, at once; those that came meanwhile in one batch, each with its result."""
    disk = Disk()
    together = gathering(disk, writers=1)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(together.put(item)) for item in ("a", "b", "c", "d")]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert disk.batches == [["a"]]
        disk.free.set()
    assert disk.batches == [["a"], ["b", "c", "d"]]
    assert [task.result() for task in tasks] == ["A", "B", "C", "D"]


async def test_one_bad_item_fails_alone() -> None:
    """The others of its batch are written, each by itself."""
    disk = Disk()
    together = gathering(disk, writers=1)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(together.put("a"))
        tasks = [group.create_task(together.put(item)) for item in ("b", "c")]
        bad = group.create_task(_refused(together, "d-bad"))
        await asyncio.sleep(0)
        disk.free.set()
    assert [first.result(), *(task.result() for task in tasks)] == ["A", "B", "C"]
    assert bad.result() == "d-bad"


async def _refused(together: GroupCommit[str, str], item: str) -> str:
    with pytest.raises(ValueError, match=item) as told:
        await together.put(item)
    return str(told.value)


async def test_whoever_gives_up_waiting_is_not_written() -> None:
    """And whoever gives up while being written does not end it for the others."""
    disk = Disk()
    together = gathering(disk, writers=1)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(together.put("a"))
        second = group.create_task(together.put("b"))
        third = group.create_task(together.put("c"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.sleep(0)
        disk.free.set()
    assert third.result() == "C"
    assert disk.batches == [["a"], ["c"]]


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=30),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_items_of_a_key_keep_their_order(keys: list[str], writers: int, most: int) -> None:
    """Each is written once, in order of its key, never two of a key in one batch."""
    items = [f"{key}{n}" for n, key in enumerate(keys)]

    async def run() -> Disk:
        disk = Disk()
        disk.free.set()
        together = gathering(disk, writers=writers, most=most)
        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(together.put(item))
        return disk

    batches = asyncio.run(run()).batches
    for key in "abc":
        written = [item for batch in batches for item in batch if item[0] == key]
        assert written == [item for item in items if item[0] == key]
    for batch in batches:
        assert len(batch) <= most
        assert len({item[0] for item in batch}) == len(batch)
