"""Credentials that are refused: noted by whoever calls, known to all processes."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from core.domain.errors import TransientError
from core.service_access.refusals import Refusals, RefusedCredential


class Store:
    """What all processes know, in memory; it may be down."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.is_down = False

    async def exchange(self, noted: Mapping[str, str | None], /) -> list[RefusedCredential]:
        if self.is_down:
            raise TransientError
        for name, cause in noted.items():
            self.kept.pop(name, None)
            if cause is not None:
                self.kept[name] = cause
        since = datetime(2026, 1, 1, tzinfo=UTC)
        return [
            RefusedCredential(name=name, cause=cause, since=since)
            for name, cause in self.kept.items()
        ]


async def test_a_success_ends_a_refusal() -> None:
    """Before and after it was kept, whoever noted it."""
    store, here, there = Store(), Refusals(), Refusals()
    here.note("claude", "401")
    assert here.known == {"claude": "401"}
    here.note("claude", None)
    assert here.known == {}
    here.note("claude", "401")
    await here.exchange(store.exchange)
    await there.exchange(store.exchange)
    assert there.known == here.known == {"claude": "401"}
    there.note("claude", None)
    await there.exchange(store.exchange)
    await here.exchange(store.exchange)
    assert (here.known, store.kept) == ({}, {})
    here.note("claude", "401")
    await here.exchange(store.exchange)
    assert store.kept == {"claude": "401"}


async def test_a_process_with_a_new_key_ends_what_the_one_before_it_left() -> None:
    """Its first success counts, although it has noted no refusal itself."""
    store = Store()
    store.kept["voyage"] = "401"
    new = Refusals()
    new.note("voyage", None)
    await new.exchange(store.exchange)
    assert store.kept == {}


async def test_what_could_not_be_kept_is_kept_later() -> None:
    """It is known here meanwhile."""
    store, here = Store(), Refusals()
    store.is_down = True
    here.note("source/hr", "403")
    with pytest.raises(TransientError):
        await here.exchange(store.exchange)
    assert here.known == {"source/hr": "403"}
    store.is_down = False
    await here.exchange(store.exchange)
    assert store.kept == {"source/hr": "403"}
