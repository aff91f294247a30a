"""Starters in Postgres: chosen once for a state of the corpus, by one process, and found again."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.adapters.postgres.corpus.starters import PostgresStarters
from core.adapters.system import SystemClock
from core.domain.answer import Badge
from core.domain.question import Scope
from core.ports.starters import Starter
from tests.factories import NOW


class At(SystemClock):
    """It is always the same moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment


STARTER = Starter(
    starter_id="a1", topic="Gifts", question="Can I?", policy_key="gifts", badge=Badge.HIGH
)
WITHOUT_BADGE = Starter(starter_id="b2", topic="Gifts", question="May I?")


async def test_they_are_chosen_once_and_found_by_their_ids(engine: Any) -> None:
    """By whoever is first; what is in force stays until something changed."""
    store = PostgresStarters(engine, clock=At(NOW))
    before = await store.current()
    assert (before.edition, before.starters) == (None, ())
    basis = await store.due("release 1")
    assert basis is not None
    assert await store.due("release 1") is None
    kept = await store.keep(basis, (STARTER, WITHOUT_BADGE))
    assert kept == await store.current()
    assert kept.starters == (STARTER, WITHOUT_BADGE)
    assert await store.due("release 1", is_urgent=True) is None
    assert await store.due("release 2") is not None
    assert await store.find("b2") == WITHOUT_BADGE
    for strange in ("", "c3", "a1' OR true --", "%"):
        assert await store.find(strange) is None


async def test_a_claim_that_nobody_used_ends(engine: Any) -> None:
    """A process died in between: another one chooses after some minutes, a command at once."""
    first = PostgresStarters(engine, clock=At(NOW))
    assert await first.due("x") is not None
    assert await first.due("x", is_urgent=True) is not None
    later = PostgresStarters(engine, clock=At(NOW + timedelta(minutes=11)))
    assert await later.due("x") is not None


@pytest.mark.parametrize("scope", [Scope(as_of=NOW.date())])
async def test_an_empty_corpus_has_no_rules(engine: Any, scope: Scope) -> None:
    """Nothing can be made of it."""
    assert await PostgresStarters(engine, clock=At(NOW)).rules(scope) == ()
