"""A report reaches no officer whom it names."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from core.adapters.postgres.engine.reach import for_officers
from core.domain.answer import Outcome, RefusalKind
from core.domain.case_actions import CaseDone, CaseRefused, Refusal
from tests.casework import ADA, ASKER, GRACE, Office, fresh
from tests.integration.cases.test_reminders import AFTER, reminders

ROOM, GRACES = "COFF", "UG"
REPORT = "Our compliance officer Ada takes bribes from a supplier."


async def reported(bureau: Office, words: str = REPORT) -> str:
    """Report something directly, and return the answer's id."""
    return await bureau.answered(
        words, Outcome.ESCALATED, words="You can report it.", mode="direct"
    )


async def cards(bureau: Office) -> set[object]:
    """Return where cards are shown."""
    await bureau.deliver()
    return {where for where, body in await bureau.posts() if str(body).startswith("card:")}


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (REPORT, {}),
        ("My manager takes bribes.", {"note": "She shares them with ada lovelace."}),
        ("My manager takes bribes.", {"note": "Ask <@UA>, who gets half."}),
        ("My manager takes bribes.", {"without": "Lovelace"}),
    ],
    ids=["report", "note", "mention", "form"],
)
async def test_an_officer_named_in_a_report_never_hears_of_it(
    bureau: Office, words: str, more: dict[str, str]
) -> None:
    """No card, no list, no page, no claim; another officer gets it, who is not even on call."""
    case_id = await bureau.opened(await reported(bureau, words), **more)
    assert await cards(bureau) == {GRACES}
    assert await bureau.desk.queue(ADA) == ()
    assert [one.number for one in await bureau.desk.queue(GRACE)] == [1]  # pyright: ignore
    for who in (ADA, bureau.officers.all[0].at_console):
        shown = await bureau.desk.show(case_id, who)
        claimed = await bureau.desk.claim(case_id, who, key=fresh())
        for refused in (shown, claimed):
            assert isinstance(refused, CaseRefused)
            assert (refused.why, refused.case) == (Refusal.OTHER_UNIT, None)
    assert isinstance(await bureau.desk.claim(case_id, GRACE, key=fresh()), CaseDone)


async def test_what_was_reported_before_in_the_thread_names_them_too(bureau: Office) -> None:
    """The name stood in the first message, the second is passed on."""
    await reported(bureau)
    second = await bureau.answered("It was on Monday.", Outcome.ESCALATED, mode="direct")
    await bureau.opened(second)
    assert await cards(bureau) == {GRACES}


async def test_reminders_of_a_report_spare_whom_it_names(bureau: Office) -> None:
    """Whoever is told that it is due knows that there is one."""
    await bureau.opened(await reported(bureau))
    assert await reminders(bureau, later=8 * AFTER).once() == 1
    rows = await bureau.life.rows(
        "SELECT person FROM citebound.outbox WHERE cause LIKE :like", like="%:overdue"
    )
    assert [row["person"] for row in rows] == [GRACES]


async def test_a_note_that_names_the_owner_takes_the_case_from_them(bureau: Office) -> None:
    """What was passed on as a question becomes a report of the officer who has it."""
    answer_id = await bureau.answered(outcome=Outcome.ESCALATED, refusal=RefusalKind.NOT_FOUND)
    (case,) = await bureau.life.rows("SELECT id::text FROM citebound.cases")
    await bureau.desk.claim(str(case["id"]), ADA, key=fresh())
    await bureau.opened(answer_id, note="Ada Lovelace takes bribes.")
    assert await bureau.desk.queue(ADA) == ()
    waiting = next(iter(await bureau.desk.queue(GRACE)))  # pyright: ignore
    assert (waiting.officer, waiting.note) == (None, "Ada Lovelace takes bribes.")
    assert GRACES in await cards(bureau)
    shown = [str(body) for where, body in await bureau.posts() if where != GRACES]
    assert not [body for body in shown if "bribes" in body]


async def test_a_report_that_names_all_officers_is_passed_to_nobody(bureau: Office) -> None:
    """Its writer is told; nothing is stored or shown."""
    answer_id = await reported(bureau, f"{REPORT} Grace helps her.")
    refused = await bureau.desk.open(answer_id, ASKER, key=fresh())
    assert isinstance(refused, CaseRefused)
    assert refused.why is Refusal.NOBODY_LEFT
    assert await cards(bureau) == set()
    assert await bureau.tags() == ["case:refused"]


async def test_a_question_may_name_an_officer(bureau: Office) -> None:
    """It is no report: the officers' channel gets it."""
    await bureau.opened(await bureau.answered("May I give Ada Lovelace a book?"))
    assert await cards(bureau) == {ROOM}


@pytest.mark.parametrize(("login", "seen"), [("ada", 0), ("grace", 1)])
async def test_the_database_leaves_out_a_report_for_whom_it_names(
    bureau: Office, login: str, seen: int
) -> None:
    """Whatever the application asks, as long as it reads for that officer."""
    await bureau.opened(await reported(bureau))
    engine = for_officers(bureau.life.engine, [login], unit="test")
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL ROLE citebound_app"))
        assert await connection.scalar(text("SELECT count(*) FROM citebound.cases")) == seen


@pytest.mark.parametrize(("login", "seen"), [("ada", 0), ("grace", 1)])
async def test_nor_does_the_record_say_that_there_is_a_report_of_them(
    bureau: Office, login: str, seen: int
) -> None:
    """As the officer's own login reads it in SQL."""
    await bureau.opened(await reported(bureau))
    async with bureau.life.engine.connect() as connection:
        await connection.execute(text(f"CREATE ROLE {login} IN ROLE citebound_officer"))
        await connection.execute(
            text(
                "INSERT INTO audit.officer (login, units, audiences) VALUES (:login, '{*}', '{*}')"
            ),
            {"login": login},
        )
        await connection.execute(text(f"SET LOCAL SESSION AUTHORIZATION {login}"))
        cases = "SELECT count(*) FROM audit.record WHERE tag = 'case:opened'"
        assert await connection.scalar(text(cases)) == seen
        await connection.rollback()


async def test_the_words_of_a_report_that_was_not_passed_on_are_forgotten_in_time(
    bureau: Office,
) -> None:
    """After 30 days; those of a case stay."""
    await bureau.opened(await reported(bureau, "My manager takes bribes."))
    await reported(bureau, "My boss takes bribes.")
    texts = "SELECT text FROM citebound.questions WHERE text <> '' ORDER BY asked_at"
    for days, kept in ((29, 2), (31, 1)):
        await reminders(bureau, later=timedelta(days=days)).once()
        assert len(await bureau.life.rows(texts)) == kept
    assert (await bureau.life.rows(texts))[0]["text"] == "My manager takes bribes."
