"""Past questions are asked again at night; what contradicts itself reaches officers, once."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.consistency import ConsistencyWatch, why_not
from core.agent.request import AskRequest
from core.agent.service import Answering
from core.config.settings import Settings
from core.domain.answer import Answer
from core.domain.run import Run
from core.replay.consistency import CheckCounts
from tests.fakes import FixedClock
from tests.integration.record.conftest import POLICY as GIFTS
from tests.integration.replay.conftest import Ask, Office, Publish

LIMIT = "May employees accept a gift worth EUR 40?"
REWORDED = "May employees accept a gift that is worth EUR 40?"
NIGHT = datetime(2030, 1, 5, 2, 30, tzinfo=UTC)


@dataclass
class Altered:
    """What answers, with other words for some questions: a product that has changed."""

    answering: Answering
    instead: dict[str, Any]

    async def rehearse(self, request: AskRequest, **more: Any) -> Run:
        """Answer; see `instead`."""
        run = await self.answering.rehearse(request, **more)
        change = self.instead.get(request.text)
        return run if change is None else replace(run, answer=change(run.answer))


class NightClock(FixedClock):
    """It is always the same moment of a night."""

    def __init__(self, at: datetime) -> None:
        super().__init__()
        self._at = at

    def now(self) -> datetime:
        return self._at


def lowered(answer: Answer) -> Answer:
    """An answer that states another limit."""
    cited = [replace(one, quote=one.quote.replace("EUR 50", "EUR 30")) for one in answer.citations]
    return replace(answer, citations=tuple(cited), text=answer.text.replace("EUR 50", "EUR 30"))


def watch(office: Office, *, instead: dict[str, Any] | None = None, **settings: Any) -> Any:
    """The watch of one process, at night."""
    service = office.service

    @asynccontextmanager
    async def comparing() -> AsyncGenerator[Altered]:
        async with service.comparing() as answering:
            yield Altered(answering, instead or {})

    return ConsistencyWatch(
        service.consistency,
        comparing=comparing,
        corpus=service.corpus,
        embedder=service.models.measured,
        clock=NightClock(settings.pop("at", NIGHT)),
        settings=replace(service.settings, **settings),
        pause_s=0.0,
    )


async def rows_but_checks(office: Office) -> dict[str, int]:
    """How much there is of what people would notice."""
    tables = ("questions", "answers", "conversations", "cases", "outbox", "model_calls")
    found = {
        one: (await office.rows(f"SELECT count(*) AS n FROM citebound.{one}"))[0]["n"]  # noqa: S608
        for one in tables
    }
    return {**found, "records": len(await office.rows("SELECT id FROM audit.record"))}


async def test_what_is_told_the_same_reaches_nobody(office: Office, ask: Ask) -> None:
    """It is recorded that it was looked, once a night, by one process; nothing else is."""
    await ask(LIMIT)
    await ask(REWORDED, thread="ben")
    before = await rows_but_checks(office)
    assert await watch(office).once() == 0
    assert await watch(office).once() is None, "another process finds it done"
    after = await rows_but_checks(office)
    assert {name for name in after if after[name] != before[name]} == {"records"}
    (record,) = await office.tags("consistency:checked")
    assert (record["doc"]["asked"], record["doc"]["found"]) == (2, 0)
    assert record["doc"]["pairs"] == 2


async def test_another_number_reaches_officers_once(office: Office, ask: Ask) -> None:
    """The same question, then and now; the next night tells it to nobody again."""
    await ask(LIMIT)
    assert await watch(office, instead={LIMIT: lowered}).once() == 1
    await office.deliver()
    assert len([one for one in await office.posts() if "contradict" in one]) == 1
    (record,) = await office.tags("contradiction:found")
    doc = record["doc"]
    assert (doc["kind"], doc["policy"]) == ("number", "gifts")
    assert (doc["then"], doc["now"], doc["other"]) == ("EUR 50", "EUR 30", None)

    later = NIGHT.replace(day=6)
    assert await watch(office, instead={LIMIT: lowered}, at=later).once() == 0
    await office.deliver()
    assert len([one for one in await office.posts() if "contradict" in one]) == 1


async def test_two_wordings_are_held_against_each_other(office: Office, ask: Ask) -> None:
    """A question that is near enough is asked for the other's asker; the pair is kept once."""
    await ask(LIMIT)
    await ask(REWORDED, thread="ben")
    found = await watch(office, instead={REWORDED: lowered}).once()
    kinds = {record["doc"]["other"] is None for record in await office.tags("contradiction:found")}
    assert found == 2
    assert kinds == {True, False}


async def test_a_changed_policy_contradicts_nothing(
    office: Office, ask: Ask, publish: Publish
) -> None:
    """Its answers are found by `audit affected`."""
    await ask(LIMIT)
    await publish(GIFTS.replace("up to EUR 50", "up to EUR 30"))
    assert await watch(office).once() == 0
    assert not await office.tags("contradiction:found")


async def test_only_askers_who_may_read_a_policy_are_answered_from_it(
    office: Office, ask: Ask, publish: Publish
) -> None:
    """Another's wording is asked with the groups of who asked first."""
    await publish(GIFTS.replace("Gifts", "Board"), "board.md", audience=frozenset({"board"}))
    seen: list[frozenset[str]] = []
    await ask(LIMIT)
    await ask(REWORDED, thread="ben", groups=frozenset({"board", "everyone"}))

    def noted(answer: Answer) -> Answer:
        seen.append(frozenset(one.place.policy_key for one in answer.citations))
        return answer

    await watch(office, instead={REWORDED: noted}, consistency_sample=1).once()
    assert all("board" not in policies for policies in seen[:1]) or len(seen) == 1


async def test_erased_and_old_questions_are_left_out(office: Office, ask: Ask) -> None:
    """Nothing is asked: nothing is recorded either."""
    await ask(LIMIT)
    await office.change("UPDATE citebound.questions SET text = '', standalone = ''")
    assert await watch(office).once() == 0
    assert not await office.tags("consistency:checked")


async def test_a_process_that_died_leaves_its_lease(office: Office, ask: Ask) -> None:
    """Another one begins again once it has ended, and keeps what is known; not for ever."""
    await ask(LIMIT)
    store, day = office.service.consistency, NIGHT.date()
    assert await store.claim(day)
    assert await watch(office).once() is None
    expire = "UPDATE citebound.consistency_checks SET leased_until = now() - interval '1 s'"
    await office.change(expire)
    assert await watch(office, instead={LIMIT: lowered}).once() == 1
    assert await store.finish(day, CheckCounts(asked=1)) == 0, "it was finished"
    for day_of in (7, 8):
        for attempt in range(4):
            claimed = await store.claim(NIGHT.replace(day=day_of).date())
            assert claimed is (attempt < 3)
            await office.change(expire)


@pytest.mark.parametrize(
    ("settings", "at", "is_due"),
    [
        ({}, NIGHT, True),
        ({}, NIGHT.replace(hour=5), False),
        ({}, NIGHT.replace(hour=1), False),
        ({"consistency_hour": 23}, NIGHT.replace(hour=0), True),
        ({"consistency": "off"}, NIGHT, False),
        ({"voyage_api_key": "k"}, NIGHT, False),
    ],
)
async def test_it_is_done_at_night_and_never_for_money(
    office: Office, ask: Ask, settings: dict[str, Any], at: datetime, is_due: bool
) -> None:
    """Within three hours of the hour that is set; where it costs, only within a budget."""
    await ask(LIMIT)
    assert (await watch(office, at=at, **settings).once() is not None) is is_due


async def test_a_night_over_midnight_is_one(office: Office, ask: Ask) -> None:
    """What begins at 23 is not done again at 0."""
    await ask(LIMIT)
    late = NIGHT.replace(hour=23)
    assert await watch(office, at=late, consistency_hour=23).once() == 0
    after = NIGHT.replace(day=6, hour=0)
    assert await watch(office, at=after, consistency_hour=23).once() is None


def test_why_nothing_is_asked_is_said() -> None:
    """In words that name the setting."""
    assert why_not(Settings(reasoner="extractive")) is None
    paid = Settings(voyage_api_key="k", reasoner="extractive")
    assert "CITEBOUND_CONSISTENCY_BUDGET_USD" in str(why_not(paid))
    assert why_not(replace(paid, consistency_budget_usd=1.0)) is None
