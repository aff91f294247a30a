"""A calibration is in force once somebody activates it, which is recorded; labels carry no text."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from uuid import uuid4  # noqa: TID251  # ids of clicks

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.cases.reviews import PostgresReviews
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.calibrations import FittedCalibration, PostgresCalibrations
from core.adapters.system import SystemClock, UuidSource
from core.confidence.calibration import SHIPPED, Calibration
from core.confidence.drift import MOVED, spread_of
from core.confidence.label import LabelSource
from core.confidence.sampling import chance
from core.domain.answer import Badge, Outcome, RefusalKind
from core.domain.case import ReviewVerdict
from core.domain.errors import UsageError
from core.domain.feedback import Rating
from tests.casework import ASKER, OFFICERS, PSEUDONYMS, Office, fresh, office
from tests.factories import NOW
from tests.life import prepare

OWN = Calibration(
    name="own/1", intercept=-1.0, weights={"answers_odds": 3.0}, is_measured=True, data_hash="ab"
)


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The test's own database."""
    engine = engine_for(database_url)
    await prepare(engine)
    yield engine
    await engine.dispose()


@pytest.fixture
def ledger() -> Ledger:
    """The record of one unit."""
    return Ledger(clock=SystemClock(), ids=UuidSource(), unit="all", pseudonyms=PSEUDONYMS)


def fitted(calibration: Calibration = OWN) -> FittedCalibration:
    return FittedCalibration(
        calibration=calibration,
        of_models=False,
        fitted_at=NOW,
        labels={"verdict": 240},
        figures={"all": {"ece": 0.03}},
        spreads={"answers_odds": spread_of([0.2, 0.4, 0.6, 0.8] * 30)},
    )


async def test_to_fit_changes_nothing_and_to_activate_is_recorded(
    engine: AsyncEngine, ledger: Ledger
) -> None:
    """Stored, then in force for the rules alone, then back to the release's; both with reasons."""
    store = PostgresCalibrations(engine, ledger=ledger)
    await store.keep(fitted())
    assert await store.active() == SHIPPED
    await store.activate(OWN, of_models=False, is_shipped=False, reason="240 labels")
    assert await store.active() == replace(SHIPPED, rules=OWN)
    await store.activate(SHIPPED.rules, of_models=False, is_shipped=True, reason="back")
    assert await store.active() == SHIPPED
    async with engine.connect() as connection:
        rows = (
            await connection.execute(
                text(
                    "SELECT r.actor, r.doc->'before'->>'name' AS before,"
                    " r.doc->'after'->>'name' AS after, c.body FROM audit.record r"
                    " JOIN audit.content c ON c.record_id = r.id AND c.field = 'reason'"
                    " WHERE r.tag = 'calibration:activated' ORDER BY r.at"
                )
            )
        ).all()
    assert [tuple(row) for row in rows] == [
        ("console", SHIPPED.rules.name, "own/1", "240 labels"),
        ("console", "own/1", SHIPPED.rules.name, "back"),
    ]


async def test_a_name_stands_for_one_calibration(engine: AsyncEngine, ledger: Ledger) -> None:
    """A second one of the same name is refused, and the first stays."""
    store = PostgresCalibrations(engine, ledger=ledger)
    await store.keep(fitted())
    with pytest.raises(UsageError, match="choose another name"):
        await store.keep(fitted(replace(OWN, intercept=0.0)))
    (kept,) = await store.stored()
    assert kept == fitted()


async def drawn(bureau: Office, *, outcome: Outcome, refusal: RefusalKind | None = None) -> str:
    """Let answers be given until one is in the sample; return its id."""
    while True:
        answer_id = await bureau.answered("May I?", outcome, refusal=refusal)
        if chance(answer_id, Badge.HIGH) is not None:
            return answer_id


async def test_verdicts_and_presses_are_labels(engine: AsyncEngine, ledger: Ledger) -> None:
    """The last verdict counts, weighted by how likely the answer was drawn; none holds a text."""
    bureau, store = office(engine), PostgresCalibrations(engine, ledger=ledger)
    reviews = PostgresReviews(engine, ledger=ledger)
    answer_id = await drawn(bureau, outcome=Outcome.REFUSED, refusal=RefusalKind.NOT_SURE)
    given = partial(reviews.give, answer_id, officer=OFFICERS[0], reason="It says why.")
    key = fresh()
    for _ in range(2):
        assert await given(verdict=ReviewVerdict.RIGHT, key=key)
    assert await given(verdict=ReviewVerdict.PARTLY, key=fresh())
    (label,) = await store.labels(of_models=True)
    assert (label.is_right, label.weight, label.source) == (False, 20.0, LabelSource.VERDICT)
    await bureau.feedback.give(answer_id, ASKER, key=fresh(), rating=Rating.POSITIVE)
    await bureau.life.rows(
        "UPDATE citebound.answers SET trace = '{\"confidence_features\": {}}' RETURNING id"
    )
    found = {one.source: one.is_right for one in await store.labels(of_models=True)}
    assert found == {LabelSource.VERDICT: False, LabelSource.PRESS: True}
    assert await store.count_labels() == 2
    assert await store.labels(of_models=False) == []
    assert await bureau.tags("answer:reviewed") == ["answer:reviewed"] * 2
    rows = await bureau.life.rows("SELECT verdicts::text AS row FROM citebound.verdicts")
    assert not any("It says why" in str(row["row"]) for row in rows)


async def test_what_was_not_drawn_is_no_label(engine: AsyncEngine, ledger: Ledger) -> None:
    """A verdict on an answer that the plan did not choose is recorded, and biases nothing."""
    bureau = office(engine)
    while True:
        answer_id = await bureau.answered("May I?", Outcome.ANSWERED)
        if chance(answer_id, Badge.HIGH) is None:
            break
    reviews = PostgresReviews(engine, ledger=ledger)
    assert await reviews.give(
        answer_id, officer=OFFICERS[0], verdict=ReviewVerdict.WRONG, reason="", key=fresh()
    )
    store = PostgresCalibrations(engine, ledger=ledger)
    assert [await store.labels(of_models=one) for one in (False, True)] == [[], []]
    assert await bureau.tags("answer:reviewed") == ["answer:reviewed"]


async def test_nobody_judges_what_they_asked(engine: AsyncEngine, ledger: Ledger) -> None:
    """An officer who asked, by whichever of their accounts, leaves the verdict to another."""
    bureau, reviews = office(engine), PostgresReviews(engine, ledger=ledger)
    asked_it = replace(OFFICERS[0], accounts=(*OFFICERS[0].accounts, ASKER))
    answer_id = await bureau.answered("May I?", Outcome.ANSWERED)
    with pytest.raises(UsageError, match="another officer"):
        await reviews.give(
            answer_id, officer=asked_it, verdict=ReviewVerdict.RIGHT, reason="", key=fresh()
        )
    assert await bureau.tags("answer:reviewed") == []
    assert await reviews.give(
        answer_id, officer=OFFICERS[0], verdict=ReviewVerdict.RIGHT, reason="", key=fresh()
    )


async def test_what_there_is_nothing_to_judge_about(engine: AsyncEngine, ledger: Ledger) -> None:
    """A refusal, and an id of nothing, take no verdict and leave no record."""
    bureau, reviews = office(engine), PostgresReviews(engine, ledger=ledger)
    refused = await bureau.answered("May I?", Outcome.REFUSED, refusal=RefusalKind.NOT_FOUND)
    for answer_id in (refused, str(uuid4())):
        assert not await reviews.give(
            answer_id, officer=OFFICERS[0], verdict=ReviewVerdict.RIGHT, reason="", key=fresh()
        )
    assert await bureau.tags("answer:reviewed") == []


async def test_drift_is_told_of_what_was_fitted_here(
    engine: AsyncEngine, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the release's calibration nothing is known; of few answers nothing is said."""
    store = PostgresCalibrations(engine, ledger=ledger)
    assert await store.drift(of_models=True, most=1_000) == {}
    await store.keep(replace(fitted(), of_models=True))
    await store.activate(OWN, of_models=True, is_shipped=False, reason="labels")
    assert await store.drift(of_models=True, most=1_000) is None
    monkeypatch.setattr("core.confidence.drift.LEAST", 6)
    bureau = office(engine)
    for _ in range(6):
        await bureau.answered("May I?", Outcome.ANSWERED)
    features = '{"confidence_features": {"answers_odds": 0.99}}'
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.answers SET trace = CAST(:trace AS jsonb)"), {"trace": features}
        )
    found = await store.drift(of_models=True, most=100)
    assert found is not None
    assert found["answers_odds"] > MOVED


async def test_an_activation_needs_its_calibration(engine: AsyncEngine, ledger: Ledger) -> None:
    """What was never fitted can't come into force."""
    store = PostgresCalibrations(engine, ledger=ledger)
    with pytest.raises(UsageError, match="no calibration 'own/1' here"):
        await store.activate(OWN, of_models=False, is_shipped=False, reason="x")
    assert await store.active() == SHIPPED
