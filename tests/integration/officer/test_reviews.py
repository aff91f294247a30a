"""Officers judge answers that were drawn by lot, in the browser."""

from collections.abc import Callable

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.confidence.sampling import chance, draw
from core.domain.answer import Badge
from core.domain.feedback import Rating, Reason
from tests.casework import ASKER, OTHER, Office, fresh, office
from tests.life import PLATFORM_TABLES
from tests.officer_console import Console, Visitor

REVIEWS = "/officer/reviews"


async def asked(engine: AsyncEngine, *, until: Callable[[str], bool]) -> tuple[Office, str, str]:
    """Answer questions until an answer is drawn, or not; return its id and its record."""
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))
    desk = office(engine)
    while True:
        answer_id = await desk.answered("May I accept <b>cash</b>?")
        if until(answer_id):
            break
    (row,) = await desk.life.rows(
        "SELECT record_id::text AS id FROM citebound.answers WHERE id::text = :id", id=answer_id
    )
    return desk, answer_id, str(row["id"])


def is_drawn(answer_id: str) -> bool:
    return chance(answer_id, Badge.HIGH) is not None


async def test_a_drawn_answer_waits_for_a_verdict(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """It is listed until somebody judges it on its record's page; the verdict is recorded."""
    desk, answer_id, record_id = await asked(engine, until=is_drawn)
    _, page = await ada.get(REVIEWS)
    assert f"/officer/records/{record_id}#review" in page
    assert "&lt;b&gt;cash" in page
    assert "0 of 200" in page
    assert "calibrated on sample policies, not on yours" in page
    form = await ada.fields(f"/officer/records/{record_id}")
    given = form | {"verdict": "partly", "reason": "It misses <i>hospitality</i>."}
    for _ in range(2):  # a form that is sent again changes nothing
        assert (await ada.post(f"{REVIEWS}/{answer_id}", given))[0] == 303
    _, page = await ada.get(REVIEWS)
    assert record_id not in page
    assert await desk.tags("answer:reviewed") == ["answer:reviewed"]
    (row,) = await desk.life.rows("SELECT officer, verdict, chance FROM citebound.verdicts")
    assert tuple(row.values()) == ("ada", "partly", 0.05)
    _, page = await ada.get(f"/officer/records/{record_id}")
    assert "It misses &lt;i&gt;hospitality" in page
    assert ": partly" in page


async def test_what_is_not_drawn_is_not_listed(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """The list is the sample alone, as the draw of code and of SQL agree."""
    _, answer_id, record_id = await asked(engine, until=lambda one: not is_drawn(one))
    assert draw(answer_id) >= 0.05
    _, page = await ada.get(REVIEWS)
    assert record_id not in page


@pytest.mark.parametrize(
    ("path", "change", "status"),
    [
        ("nothing", {}, 404),
        ("00000000-0000-0000-0000-000000000000", {}, 404),
        (None, {"verdict": "great"}, 400),
        (None, {"key": "short"}, 400),
        (None, {"csrf": "forged"}, 403),
    ],
)
async def test_a_forged_form_is_refused(  # noqa: PLR0917  # fixtures and cases
    console: Console,
    ada: Visitor,
    engine: AsyncEngine,
    path: str | None,
    change: dict[str, str],
    status: int,
) -> None:
    """Nothing is kept of it."""
    desk, answer_id, record_id = await asked(engine, until=lambda _: True)
    form = await ada.fields(f"/officer/records/{record_id}") | {"verdict": "right"} | change
    assert (await ada.post(f"{REVIEWS}/{path or answer_id}", form))[0] == status
    assert await desk.life.rows("SELECT FROM citebound.verdicts") == []
    assert await desk.tags("answer:reviewed") == []


async def test_a_reported_answer_is_listed_until_it_is_judged(
    console: Console, ada: Visitor, engine: AsyncEngine
) -> None:
    """Whether or not it was drawn, with the reason and what was said."""
    desk, answer_id, record_id = await asked(engine, until=lambda one: not is_drawn(one))
    await desk.feedback.give(
        answer_id,
        OTHER,
        key=fresh(),
        rating=Rating.NEGATIVE,
        reason=Reason.UNANSWERED,
        comment="It is about <b>gifts</b>.",
    )
    await desk.feedback.give(answer_id, ASKER, key=fresh(), rating=Rating.NEGATIVE)
    _, page = await ada.get(REVIEWS)
    assert "1 reported" in page
    assert f"/officer/records/{record_id}#review" in page
    assert "It is about &lt;b&gt;gifts&lt;/b&gt;." in page
    assert "It does not answer my question" in page
    form = await ada.fields(f"/officer/records/{record_id}") | {"verdict": "right", "reason": ""}
    assert (await ada.post(f"{REVIEWS}/{answer_id}", form))[0] == 303
    assert record_id not in (await ada.get(REVIEWS))[1]
