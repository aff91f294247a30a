"""The twenty questions of `deploy/sql/examples.sql`, asked of a record of many questions by an
officer; what each must find is computed from what was asked.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import Any

import pytest

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.officers.query import OfficerQueries
from tests.databases import MIGRATED, copied, make_template
from tests.record_filler import Asked, at_midnight, examples, fill, questions

TEMPLATE = "citebound_officers"
TODAY = at_midnight(datetime.now(UTC))  # noqa: TID251  # `now()` of the server is what examples say
ASKED = questions(1_500, days=200, now=TODAY)
PURPOSE = "ticket 4711"

Cells = list[tuple[Any, ...]]


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """A record of 1,500 questions, filled once a run."""

    async def filled(url: str) -> None:
        engine = engine_for(url)
        await fill(engine, ASKED)
        await engine.dispose()

    make_template(server_url, TEMPLATE, fill=filled, source=MIGRATED)
    with copied(server_url, TEMPLATE) as url:
        yield url


def since(days: float) -> datetime:
    """Return the beginning of a period that ends now; no question lies between midnight and now."""
    return datetime.now(UTC) - timedelta(days=days)  # noqa: TID251  # as the server computes it


def recent(days: float, *outcomes: str) -> list[Asked]:
    return [one for one in ASKED if one.at >= since(days) and one.outcome in outcomes]


def written(at: datetime) -> str:
    """Return an instant as Postgres writes it."""
    said = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".")
    return f"{said}+00"


def rounded(value: float | Decimal, places: int) -> str:
    step = Decimal(1).scaleb(-places)
    return str(Decimal(str(value)).quantize(step, ROUND_HALF_UP))


def told_about_gifts() -> Cells:
    return [
        (written(one.at), one.asker, one.badge, one.question, one.answer)
        for one in reversed(ASKED)
        if one.at >= since(30) and one.policy == "gifts" and cites(one)
    ]


def cites(one: Asked) -> bool:
    return one.outcome == "answered" or one.kind in {"conflict", "not_sure"}


def outcomes() -> list[tuple[datetime, Asked, str, str | None]]:
    """Return each outcome with its time and badge: what was asked back leads to another one."""
    found = [(one.at, one, one.outcome, one.badge) for one in ASKED]
    found += [(later(one), one, "answered", "high") for one in ASKED if one.slot_value]
    return sorted(found, key=lambda each: each[0])


def later(one: Asked) -> datetime:
    return one.at + timedelta(minutes=1)


def outcomes_by_week() -> Cells:
    weeks = Counter(
        ((at - timedelta(days=at.weekday())).date().isoformat(), outcome)
        for at, _, outcome, _ in outcomes()
        if at >= since(7 * 12)
    )
    return [(*key, str(count)) for key, count in sorted(weeks.items())]


def badges() -> Cells:
    found = Counter(
        badge for at, _, outcome, badge in outcomes() if at >= since(90) and outcome == "answered"
    )
    return [
        (badge, str(count), rounded(100 * Decimal(count) / found.total(), 1))
        for badge, count in found.most_common()
    ]


def wrong_on_gifts() -> Cells:
    return [
        (
            written(one.at + timedelta(minutes=3)),
            one.verdict_by,
            f"Wrong {one.number}",
            one.question,
            one.answer,
        )
        for one in reversed(ASKED)
        if one.verdict_by and one.policy == "gifts" and one.badge == "medium"
    ]


def kinds() -> Cells:
    open_ones = recent(90, "refused", "escalated")
    found = Counter(one.kind or one.outcome for one in open_ones)
    handed = Counter(one.kind or one.outcome for one in open_ones if one.has_case)
    return [
        (kind, str(count), str(handed[kind]))
        for kind, count in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    ]


def topics() -> Cells:
    first = months_before(2).replace(day=1).date()
    cells: dict[tuple[Any, str, str], list[Asked]] = {}
    for one in ASKED:
        month = one.at.date().replace(day=1)
        if one.outcome in {"refused", "escalated"} and month >= first:
            cells.setdefault((month, one.unit, one.policy), []).append(one)
    rows = [
        (month, unit, policy, several)
        for (month, unit, policy), several in cells.items()
        if people(several)
    ]
    rows.sort(key=lambda row: (-row[0].toordinal(), -len(row[3]), row[1], row[2]))
    return [
        (
            month.isoformat(),
            unit,
            policy,
            str(len(several)),
            *(cell(several, outcome) for outcome in ("refused", "escalated")),
        )
        for month, unit, policy, several in rows
    ]


def people(several: list[Asked]) -> bool:
    return len({one.asker for one in several}) >= 5


def cell(several: list[Asked], outcome: str) -> str | None:
    found = [one for one in several if one.outcome == outcome]
    return str(len(found)) if people(found) else None


def months_before(count: int) -> datetime:
    """Return now less some months, as Postgres does: a day that the month lacks is its last."""
    now = datetime.now(UTC)  # noqa: TID251  # see above
    year, month = divmod(now.year * 12 + now.month - 1 - count, 12)
    for day in range(now.day, 27, -1):
        try:
            return now.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    return now.replace(year=year, month=month + 1)


def silent_sections() -> Cells:
    kinds = {"policy_silent", "not_found", "not_sure"}
    found = Counter((one.policy, one.section) for one in recent(90, "refused") if one.kind in kinds)
    ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))[:20]
    return [(*place, str(count)) for place, count in ranked]


def weakest(one: Asked) -> str:
    return min(one.features, key=lambda name: (one.features[name], name))


def unsure() -> list[Asked]:
    return [
        one
        for one in recent(30, "answered", "refused")
        if one.badge == "medium" or one.kind == "not_sure"
    ]


def to_read_first() -> Cells:
    found = [one for one in unsure() if one.calibrated is not None and one.calibrated < 0.7]
    found.sort(key=lambda one: (one.calibrated, one.at))
    return [
        (written(one.at), one.badge, str(one.calibrated), weakest(one), "1", one.question)
        for one in found[:50]
    ]


def uncertain() -> Cells:
    found = Counter(weakest(one) for one in unsure())
    ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [(name, str(count), average(name)) for name, count in ranked]


def average(name: str) -> str | None:
    known = [
        Decimal(str(one.calibrated))
        for one in unsure()
        if weakest(one) == name and one.calibrated is not None
    ]
    return rounded(sum(known, Decimal(0)) / len(known), 2) if known else None


def complained_of() -> Cells:
    shown = Counter((one.policy, one.section, one.unit) for one in ASKED if cites(one))
    negative = Counter(
        (one.policy, one.section, one.unit) for one in ASKED if one.rating == "negative"
    )
    ranked = sorted(negative.items(), key=lambda each: (-each[1], each[0]))[:20]
    return [
        (unit, policy, section, str(shown[policy, section, unit]), str(count), "0")
        for (policy, section, unit), count in ranked
    ]


def complaints() -> Cells:
    given = timedelta(minutes=2)
    return [
        (
            written(one.at + given),
            "negative",
            None,
            one.comment or None,
            one.badge,
            "true" if one.verdict_by else "false",
        )
        for one in reversed(ASKED)
        if one.rating == "negative" and one.at + given >= since(30)
    ]


OPENED = timedelta(minutes=4)


def open_cases() -> list[Asked]:
    return [one for one in ASKED if one.has_case and not one.answered_after]


def overdue() -> Cells:
    return [
        (
            str(one.number),
            written(one.at + OPENED),
            written(one.due_at),
            one.owner,
            one.question,
        )
        for one in open_cases()
        if one.due_at < since(0)
    ]


def load() -> Cells:
    found = Counter(one.owner or "nobody" for one in open_cases())
    late = Counter(one.owner or "nobody" for one in open_cases() if one.due_at < since(0))
    ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [(owner, str(count), str(late[owner])) for owner, count in ranked]


def hours() -> Cells:
    taken: dict[str, list[float]] = {}
    for one in ASKED:
        opened = one.at + OPENED
        if one.answered_after and opened >= months_before(6):
            month = opened.date().replace(day=1).isoformat()
            taken.setdefault(month, []).append(one.answered_after.total_seconds() / 3600)
    return [
        (month, str(len(each)), rounded(median(each), 1)) for month, each in sorted(taken.items())
    ]


def unposted() -> Cells:
    found = [(one.at, one.reply, one.record_id) for one in ASKED if one.reply != "posted"]
    found += [(later(one), "pending", one.uuid(4)) for one in ASKED if one.slot_value]
    rows = sorted((row for row in found if row[0] >= since(30)), reverse=True)
    return [(written(at), state, record_id) for at, state, record_id in rows]


def asked_back() -> Cells:
    found = recent(30, "clarification")
    slots = Counter(one.slot or "" for one in found)
    silent = Counter(one.slot or "" for one in found if not one.slot_value)
    ranked = sorted(slots.items(), key=lambda each: (-each[1], each[0]))
    return [(slot, str(count), str(silent[slot])) for slot, count in ranked]


def contradictions() -> Cells:
    cells: dict[tuple[str, str, str], list[Asked]] = {}
    for one in ASKED:
        if one.kind == "conflict":
            cells.setdefault((one.unit, one.policy, one.section), []).append(one)
    rows = [
        (unit, f'[{{"policy": "{policy}", "section": "{section}"}}]', several)
        for (unit, policy, section), several in cells.items()
        if not any(one.answered_after for one in several)
    ]
    rows.sort(key=lambda row: (-len(row[2]), row[2][0].at))
    return [
        (unit, sections, str(len(several)), written(several[0].at), written(several[-1].at))
        for unit, sections, several in rows
    ]


def one_person() -> Cells:
    return [
        (written(at), outcome, badge, *texts(one, at))
        for at, one, outcome, badge in outcomes()
        if one.asker == "p-1"
    ]


def texts(one: Asked, at: datetime) -> tuple[str, str]:
    return (one.question, one.answer) if at == one.at else ("Germany.", "Yes.")


EXPECTED: dict[int, Callable[[], Cells]] = {
    1: told_about_gifts,
    2: outcomes_by_week,
    3: badges,
    4: wrong_on_gifts,
    5: kinds,
    6: topics,
    7: silent_sections,
    8: to_read_first,
    9: uncertain,
    10: complained_of,
    11: complaints,
    12: overdue,
    13: load,
    14: hours,
    15: unposted,
    16: asked_back,
    17: contradictions,
    18: one_person,
}


@pytest.fixture
async def auditor(grant: Any, session: Any) -> OfficerQueries:
    """An officer of both units."""
    return OfficerQueries(session(await grant("berlin", "paris")))


async def found(queries: OfficerQueries, statement: str) -> Cells:
    return list((await queries.run(statement, purpose=PURPOSE, most_rows=100_000)).rows)


def test_there_are_twenty() -> None:
    """Each with its question in words, in one order."""
    assert list(examples()) == list(range(1, 21))
    assert all(said.endswith((".", "?")) for said, _ in examples().values())


@pytest.mark.parametrize("number", EXPECTED)
async def test_an_example_answers_its_question(auditor: OfficerQueries, number: int) -> None:
    """With what follows from what was asked; none of them finds nothing."""
    rows = await found(auditor, examples()[number][1])
    assert rows == EXPECTED[number]()
    assert rows


async def test_what_changed_and_who_read_it(auditor: OfficerQueries) -> None:
    """The grant of the officer, and each reading: that of the log itself, too."""
    ((_, actor, what, action, subject, before, after),) = await found(auditor, examples()[19][1])
    assert (actor, what, action, before) == ("root", "officer", "granted", None)
    assert subject.removeprefix("officer:").startswith("anna.")
    assert '"units": ["berlin", "paris"]' in after
    rows = await found(auditor, examples()[20][1])
    assert [(action, purpose, statement) for _, _, action, purpose, statement, _ in rows] == [
        ("query:executed", PURPOSE, examples()[number][1].strip()) for number in (20, 19)
    ]
    assert {f"officer:{officer}" for _, officer, *_ in rows} == {subject}


async def test_an_officer_sees_their_own_unit_alone(grant: Any, session: Any) -> None:
    """In rows and in sums."""
    queries = OfficerQueries(session(await grant("paris")))
    ((count,),) = await found(queries, "SELECT count(*) FROM v_answers")
    of_paris = [one for _, one, _, _ in outcomes() if one.unit == "paris"]
    assert count == str(len(of_paris))
    ((asks,),) = await found(queries, "SELECT count(DISTINCT question) FROM v_answers")
    assert asks == str(
        len({texts(one, at)[0] for at, one, _, _ in outcomes() if one.unit == "paris"})
    )
