"""Officers put a calibration in force in the browser, and read which answers contradict."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.record.calibrations import FittedCalibration
from core.confidence.calibration import SHIPPED, Calibration
from core.confidence.drift import spread_of
from core.replay.consistency import CheckCounts, FoundContradiction, PastAnswer
from core.replay.contradiction import AnswerContradiction, ContradictionKind
from evals.measuring.probabilities import Scored, summary
from tests.factories import NOW
from tests.integration.officer.conftest import QUESTION, ask
from tests.officer_console import Console, Visitor

PAGE, CONSISTENCY = "/officer/calibration", "/officer/consistency"
OWN = Calibration(
    name="own/1", intercept=-1.0, weights={"answers_odds": 3.0}, is_measured=True, data_hash="ab"
)
SCORED = [Scored(probability=n / 240, is_right=n % 5 != 0) for n in range(240)]


def fitted(name: str = "own/1", *, of_models: bool = False) -> FittedCalibration:
    return FittedCalibration(
        calibration=replace(OWN, name=name),
        of_models=of_models,
        fitted_at=NOW,
        labels={"verdict": 200, "press": 40},
        figures={"all": summary(SCORED), "verdict": summary(SCORED[:50])},
        spreads={"answers_odds": spread_of([0.2, 0.4, 0.6, 0.8] * 30)},
    )


async def form(ada: Visitor, **given: str) -> dict[str, str]:
    """The hidden fields of the page, with others."""
    fields = await ada.fields(PAGE)
    return {
        "csrf": fields["csrf"],
        "of": "rules",
        "name": "own/1",
        "seen": SHIPPED.rules.name,
        "reason": "240 labels, ECE .03",
        **given,
    }


async def records(engine: AsyncEngine) -> list[Mapping[str, Any]]:
    """The recorded activations."""
    query = text(
        "SELECT r.actor, r.doc, c.body AS reason FROM audit.record r JOIN audit.content c"
        " ON c.record_id = r.id WHERE r.tag = 'calibration:activated' ORDER BY r.at"
    )
    async with engine.begin() as connection:
        return [dict(row) for row in (await connection.execute(query)).mappings()]


async def test_figures_are_shown_before_one_is_put_in_force(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Thresholds, errors, what is guaranteed, bins; then it holds, and can be taken back."""
    store = console.service.calibrations
    await store.keep(fitted())
    _, page = await ada.get(PAGE)
    assert "In force: <bdi>rules" in page or SHIPPED.rules.name in page
    for shown in ("own/1", "ECE", "Brier", "AUROC", "Said to be right", "0 of 200 labels"):
        assert shown in page
    status, _ = await ada.post(PAGE, await form(ada))
    assert status == 303
    assert (await store.active()).rules.name == "own/1"
    (record,) = await records(engine)
    assert (record["actor"], record["doc"]["actor"]["kind"]) == ("ada", "officer")
    assert record["reason"] == "240 labels, ECE .03"
    assert record["doc"]["before"]["name"] == SHIPPED.rules.name
    assert record["doc"]["after"]["name"] == "own/1"

    back = await form(ada, name=SHIPPED.rules.name, seen="own/1", reason="worse in August")
    assert (await ada.post(PAGE, back))[0] == 303
    assert (await store.active()).rules.name == SHIPPED.rules.name


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"reason": "  "}, 409, "give a reason"),
        ({"name": "own/9"}, 409, "no such calibration"),
        ({"name": "own/models"}, 409, "no such calibration"),
        ({"seen": "own/0"}, 409, "came into force meanwhile"),
        ({"of": "everything"}, 400, ""),
        ({"csrf": "forged"}, 403, ""),
    ],
)
async def test_nothing_comes_into_force_otherwise(  # noqa: PLR0917  # fixtures
    console: Console,
    ada: Visitor,
    engine: AsyncEngine,
    given: dict[str, str],
    status: int,
    says: str,
) -> None:
    """Without a reason, a form of ours, or the sight of what is in force."""
    await console.service.calibrations.keep(fitted())
    await console.service.calibrations.keep(fitted("own/models", of_models=True))
    found, page = await ada.post(PAGE, await form(ada, **given))
    assert (found, says in page) == (status, True)
    assert not await records(engine)


async def test_who_was_not_granted_decides_nothing(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """An officer of the settings alone, whom no operator has granted units."""
    await console.service.calibrations.keep(fitted())
    sent = await form(ada)
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM audit.officer"))
    await ada.post(PAGE, sent)
    assert ada.headers.get("Location") != PAGE
    assert not await records(engine)
    assert (await console.service.calibrations.active()).rules.name == SHIPPED.rules.name


async def test_contradictions_are_listed_with_their_questions(
    console: Console, ada: Visitor
) -> None:
    """Each leads to its record; what people or policies wrote is text."""
    reply = await ask(console.service)
    other = await ask(console.service, "May <b>staff</b> accept gifts?", asker="p-18")
    store, day = console.service.consistency, date(2030, 1, 5)
    assert "Nothing found" in (await ada.get(CONSISTENCY))[1]
    await store.claim(day)
    first, second = (
        PastAnswer(
            answer_id=one.receipt.answer_id,
            record_id=one.receipt.record_id,
            text="",
            groups=frozenset(),
            jurisdiction=None,
            tags=frozenset(),
            edition=1,
            versions=frozenset(),
            told={},
        )
        for one in (reply, other)
    )
    differs = AnswerContradiction(
        kind=ContradictionKind.NUMBER, policy="gifts", then="EUR 50", now="<i>EUR 30"
    )
    found = FoundContradiction(answer=first, other=second, contradiction=differs)
    assert await store.keep(day, found)
    turned = FoundContradiction(answer=second, other=first, contradiction=differs)
    assert not await store.keep(day, turned), "the same pair from its other side"
    assert await store.finish(day, CheckCounts(asked=20, pairs=3)) == 1
    _, page = await ada.get(CONSISTENCY)
    assert QUESTION in page
    assert "&lt;b&gt;staff" in page
    assert "&lt;i&gt;EUR 30" in page
    assert f"/officer/records/{first.record_id}" in page
    assert f"/officer/records/{second.record_id}" in page
    assert "<td>20</td><td>3</td><td>1</td>" in page
