"""The writer of a report comes back with a code, is written to, and is owed a word in time."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from sqlalchemy import text

from bot.intake import Intake
from bot.report_codes import CodeAnswers
from core.adapters.postgres.cases.cases import PostgresCases
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.reach import for_officers
from core.adapters.system import SystemClock, UuidSource
from core.cases.case_codes import code_in, new_code
from core.cases.returning import WRONG_AT_MOST, ReportStatus, ReturningWriters
from core.domain.answer import Outcome
from core.domain.case import CaseState
from core.domain.case_actions import CaseDone, CaseRefused, Refusal
from core.domain.conversation import ContextMessage, Place
from core.domain.message import CODE_ANSWERED, MessageKind
from core.domain.officers import Account
from core.language.languages import Language
from tests.casework import ADA, ASKER, GRACE, OFFICERS, PSEUDONYMS, Office, fresh, office
from tests.integration.cases.test_reminders import CONTACTS, LaterClock, reminders
from tests.life import message

REPORT = "My manager takes bribes."
ELSEWHERE = Account(platform="fake", tenant="T9", person="U9")
GRACES, ADAS = "UG", "UA"
DAY = timedelta(days=1)


async def passed_on(bureau: Office, words: str = REPORT, **more: object) -> tuple[str, str]:
    """Report something and pass it on; return the case's id and its code."""
    answer_id = await bureau.answered(words, Outcome.ESCALATED, words="You can.", mode="direct")
    done = await bureau.desk.open(answer_id, ASKER, key=fresh(), **more)  # pyright: ignore[reportArgumentType]
    assert isinstance(done, CaseDone)
    await bureau.deliver()
    return done.case.case_id, done.code


def writers(bureau: Office, *, later: timedelta = timedelta()) -> ReturningWriters:
    """Return whom writers come back to, so much later."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test", pseudonyms=PSEUDONYMS)
    store = PostgresCases(bureau.life.engine, ledger=ledger)
    clock = LaterClock(later)
    return ReturningWriters(store, officers=bureau.officers, clock=clock, contacts=CONTACTS)


async def come_back(
    bureau: Office, typed: str, *, who: Account = ELSEWHERE, later: timedelta = timedelta()
) -> ReportStatus | None:
    """Type something that holds a code."""
    found = code_in(typed)
    assert found is not None
    return await writers(bureau, later=later).use(found, who, key=fresh())


def intake(bureau: Office) -> Intake:
    """Return what takes messages of the fake platform, codes too."""

    async def english(place: Place, person: str, locale: str | None) -> Language:
        return Language.ENGLISH

    codes = CodeAnswers(writers(bureau), bureau.life.platform, language=english, zone=UTC)
    return Intake(bureau.life.inbox, put_within_s=20.0, answers_code=codes)


async def everything(bureau: Office) -> str:
    """Return all rows of all tables, as text."""
    tables = await bureau.life.rows(
        "SELECT schemaname || '.' || tablename AS name FROM pg_tables"
        " WHERE schemaname IN ('citebound', 'audit')"
    )
    rows = [
        await bureau.life.rows(f"SELECT t::text AS row FROM {table['name']} t")  # noqa: S608
        for table in tables
    ]
    return "\n".join(str(row["row"]) for table in rows for row in table)


async def told(bureau: Office, like: str) -> list[object]:
    """Return whom something of a case was queued for."""
    rows = await bureau.life.rows(
        "SELECT person FROM citebound.outbox WHERE cause LIKE :like ORDER BY person", like=like
    )
    return [row["person"] for row in rows]


@pytest.mark.parametrize("is_anonymous", [False, True])
async def test_a_code_shows_how_far_a_report_is_and_what_officers_wrote(
    bureau: Office, is_anonymous: bool
) -> None:
    """From another account, also to whoever reported without a name."""
    case_id, code = await passed_on(bureau, is_anonymous=is_anonymous)
    status = await come_back(bureau, code)
    assert status is not None
    assert (status.case.number, status.case.state, status.case.messages) == (1, CaseState.OPEN, ())
    assert status.case.clock.acknowledged_at is None
    await bureau.desk.acknowledge(case_id, ADA, key=fresh())
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Since when?", is_feedback=False)
    status = await come_back(bureau, f"Here is my code: {code.lower().replace('-', ' ')} - Monday")
    assert status is not None
    assert status.case.clock.acknowledged_at is not None
    assert status.case.clock.feedback_at is None
    assert status.case.state is CaseState.CLAIMED
    told = [(one.officer, one.text) for one in status.case.messages]
    assert told == [("Ada Lovelace", "Since when?"), (None, "Here is my code: - Monday")]
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="We look into it.")
    status = await come_back(bureau, code)
    assert status is not None
    assert status.case.clock.feedback_at is not None
    assert status.case.state is CaseState.ANSWERED


async def test_no_code_is_kept_in_a_form_that_anybody_can_read(bureau: Office) -> None:
    """Neither as it is shown nor without its dashes; and a question gets none."""
    _, code = await passed_on(bureau)
    kept = await everything(bureau)
    plain = code.replace("-", "").encode()
    for known in (code, plain.decode(), plain.hex(), hashlib.sha256(plain).hexdigest()):
        assert known not in kept
    question = await bureau.desk.open(await bureau.answered(), ASKER, key=fresh())
    assert isinstance(question, CaseDone)
    assert question.code == ""


async def test_who_comes_back_is_stored_nowhere(bureau: Office) -> None:
    """Not with what is added, in no queue and no record, by no id of a message."""
    _, code = await passed_on(bureau)
    before = len(await bureau.life.rows("SELECT id FROM citebound.inbox"))
    sent = message(f"{code} It was Monday.", event="Ev9", key="U9:1", person="U9", mode="direct")
    assert await intake(bureau).accept(sent) == CODE_ANSWERED
    kept = await everything(bureau)
    assert "It was Monday." in kept
    assert [one for one in ("U9", "Ev9") if one in kept] == []
    assert len(await bureau.life.rows("SELECT id FROM citebound.inbox")) == before
    assert (await bureau.tags())[-1] == "case:messaged"
    records = await bureau.life.rows("SELECT doc::text AS doc FROM audit.record")
    assert not [row for row in records if "Monday" in str(row["doc"])]


async def test_a_code_is_answered_in_private_wherever_it_is_typed(bureau: Office) -> None:
    """Where others read it, with the advice to use it in private; an edit is treated alike."""
    _, code = await passed_on(bureau)
    accepts = intake(bureau)
    for mode, is_direct in (("direct", False), ("channel", True), ("thread", True)):
        await accepts.accept(message(code, event=fresh(), mode=mode, person="U9"))
        posted = bureau.life.platform.asked[-1]
        assert posted.is_direct is is_direct
        assert posted.person == "U9"
        assert str(posted.reply.subject).startswith("Case 1 · open · received")
        assert ("in a direct message only" in str(posted.reply.subject)) is is_direct
    edit = message(code, event="e", kind=MessageKind.EDITED, target="k", person="U9")
    assert await accepts.accept(edit) == CODE_ANSWERED


async def test_a_message_that_comes_again_is_added_once(bureau: Office) -> None:
    """Also where two deliveries of it overtake each other; the answer is posted again."""
    _, code = await passed_on(bureau)
    sent = message(f"{code} It was Monday.", event="Ev9", key="U9:1", person="U9", mode="direct")
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(intake(bureau).accept(sent))
    status = await come_back(bureau, code)
    assert status is not None
    assert [one.text for one in status.case.messages] == ["It was Monday."]


async def test_codes_are_not_guessed(bureau: Office) -> None:
    """1,000 tries reveal nothing; whoever had too many wrong ones is not even shown a right one."""
    _, code = await passed_on(bureau)
    door = writers(bureau)
    right = code_in(code)
    assert right is not None
    assert await door.use(right, ELSEWHERE, key="1") is not None
    looked_up: list[str] = []
    run = door._store.run  # pyright: ignore[reportPrivateUsage]
    door._store.run = lambda work: (looked_up.append(""), run(work))[1]  # pyright: ignore
    for _ in range(1_000):
        wrong = code_in(new_code())
        assert wrong is not None
        assert await door.use(wrong, ELSEWHERE, key="2") is None
    assert len(looked_up) == WRONG_AT_MOST
    assert await door.use(right, ELSEWHERE, key="3") is None
    assert await door.use(right, ASKER, key="3") is not None


async def test_a_slip_is_answered_and_not_stored(bureau: Office) -> None:
    """All but a letter of a code would give it away."""
    _, code = await passed_on(bureau)
    for typed in (f"{code[:-1]}O", code[:-1], f"{code} "[:-2] + "5A"):
        assert await intake(bureau).accept(message(typed, person="U9")) == CODE_ANSWERED
        assert "I know no report" in str(bureau.life.platform.asked[-1].reply.subject)
    assert code[:-2] not in await everything(bureau)


async def test_a_code_around_a_question_is_not_kept_with_it(bureau: Office) -> None:
    """As a message that is quoted, or stands above."""
    _, code = await passed_on(bureau)
    quoted = ContextMessage(text=f"{code} It was Monday.", part="quoted")
    asked = message("May I accept a gift?", event="q", person="U9")
    await intake(bureau).accept(replace(asked, context=(quoted,)))
    assert code not in await everything(bureau)


async def test_a_new_code_replaces_the_earlier_one(bureau: Office) -> None:
    """For its writer alone, who may have lost it, or never saw it."""
    answer_id = await bureau.answered(REPORT, Outcome.ESCALATED, words="You can.", mode="direct")
    done = await bureau.desk.open(answer_id, ASKER, key=fresh())
    assert isinstance(done, CaseDone)
    for who in (ADA, Account(platform="fake", tenant="T1", person="U2"), ELSEWHERE):
        assert await bureau.desk.new_code(answer_id, who) == ""
    again = await bureau.desk.new_code(answer_id, ASKER)
    assert await come_back(bureau, done.code) is None
    assert await come_back(bureau, again) is not None


async def test_what_is_added_reaches_the_officer_and_reopens_an_answered_report(
    bureau: Office,
) -> None:
    """One notice until they write back; it is on the card, and inert."""
    case_id, code = await passed_on(bureau)
    await bureau.desk.answer(case_id, GRACE, key=fresh(), text="Closed for us.")
    await bureau.desk.close(case_id, GRACE, key=fresh())
    for words in ("No: <!channel> see https://evil.example", "And <@UA>."):
        await come_back(bureau, f"{code} {words}")
    shown = await bureau.desk.show(case_id, GRACE)
    assert not isinstance(shown, CaseRefused)
    assert shown.state is CaseState.CLAIMED
    assert [one.text for one in shown.messages if not one.officer] == [
        "No: <!channel> see https://evil.example",
        "And <@UA>.",
    ]
    assert await told(bureau, "%:written") == [GRACES]
    assert (await bureau.tags("case:reopened")).count("case:reopened") == 1
    await bureau.deliver()


async def test_an_officer_named_in_what_is_added_loses_the_report(bureau: Office) -> None:
    """And hears neither of that nor of anything later."""
    case_id, code = await passed_on(bureau)
    await bureau.desk.claim(case_id, ADA, key=fresh())
    await come_back(bureau, f"{code} Ada Lovelace shares them.")
    assert await bureau.desk.queue(ADA) == ()
    assert await told(bureau, "%:written") == [GRACES]
    refused = await bureau.desk.acknowledge(case_id, ADA, key=fresh())
    assert isinstance(refused, CaseRefused)
    assert refused.why is Refusal.OTHER_UNIT
    engine = for_officers(bureau.life.engine, ["ada"], unit="test")
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL ROLE citebound_app"))
        assert await connection.scalar(text("SELECT count(code_hash) FROM citebound.cases")) == 0


@pytest.mark.parametrize(
    ("words", "reached"),
    [
        ("I am grateful for the compliance team. It was Monday.", [ADAS]),
        ("Our compliance officer takes bribes, too.", []),
    ],
)
async def test_a_greeting_orphans_no_report_and_an_accusation_of_all_tells_whom_to_turn_to(
    bureau: Office, words: str, reached: list[str]
) -> None:
    """Officers as a whole are left out only where something is said against them."""
    _, code = await passed_on(bureau)
    status = await come_back(bureau, f"{code} {words}")
    assert status is not None
    assert await told(bureau, "%:written") == reached
    assert bool(status.ways) is not bool(reached)


async def test_deleting_a_report_erases_what_was_written_about_it(bureau: Office) -> None:
    """Both ways; the code still tells how far it is."""
    answer_id = await bureau.answered(REPORT, Outcome.ESCALATED, words="You can.", mode="direct")
    async with bureau.life.engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.inbox SET message_key = 'k1'"))
    done = await bureau.desk.open(answer_id, ASKER, key=fresh())
    assert isinstance(done, CaseDone)
    case_id = done.case.case_id
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Since when?", is_feedback=False)
    await come_back(bureau, f"{done.code} Since Monday.")
    gone = message("", event="d", kind=MessageKind.DELETED, target="k1", mode="direct")
    await bureau.life.intake.accept(gone)
    kept = await everything(bureau)
    assert [words for words in ("Since when?", "Since Monday.") if words in kept] == []
    status = await come_back(bureau, done.code)
    assert status is not None
    assert status.case.messages == ()


async def test_an_erased_report_has_no_code(bureau: Office) -> None:
    """As if there had never been one."""
    _, code = await passed_on(bureau)
    async with bureau.life.engine.begin() as connection:
        await connection.execute(
            text(
                "SELECT citebound.forget(ARRAY(SELECT id FROM citebound.questions),"
                " '{}'::uuid[], '{}'::text[])"
            )
        )
    assert await come_back(bureau, code) is None


async def test_receipt_is_acknowledged_once_by_an_explicit_act(bureau: Office) -> None:
    """Of two officers at once one does it; a claim is none; its writer is told, without words."""
    case_id, _ = await passed_on(bureau)
    await bureau.desk.claim(case_id, ADA, key=fresh())
    shown = await bureau.desk.show(case_id, ADA)
    assert not isinstance(shown, CaseRefused)
    assert shown.clock.acknowledged_at is None
    async with asyncio.TaskGroup() as group:
        done = [
            group.create_task(bureau.desk.acknowledge(case_id, who, key=fresh()))
            for who in (ADA, GRACE)
        ]
    assert sorted(one.result().is_new for one in done) == [False, True]  # pyright: ignore
    tags = await bureau.tags("case:acknowledged")
    assert tags == ["case:acknowledged"]
    await bureau.deliver()
    posts = [body for _, body in await bureau.posts() if str(body).startswith("acknowledged:")]
    assert len(posts) == 1


async def test_a_report_is_not_closed_before_feedback(bureau: Office) -> None:
    """Its writer would wait for ever; and a question is nothing to acknowledge."""
    case_id, _ = await passed_on(bureau)
    refused = await bureau.desk.close(case_id, ADA, key=fresh())
    assert isinstance(refused, CaseRefused)
    assert refused.why is Refusal.NO_FEEDBACK
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="We look into it.")
    assert isinstance(await bureau.desk.close(case_id, ADA, key=fresh()), CaseDone)
    question = await bureau.opened()
    refused = await bureau.desk.acknowledge(question, ADA, key=fresh())
    assert isinstance(refused, CaseRefused)
    assert refused.why is Refusal.NO_REPORT


async def due(bureau: Office, *, days: float) -> None:
    """Let all that is due be told, so much later; but for when an answer is expected."""
    async with bureau.life.engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.cases SET overdue_at = now()"))
    while await reminders(bureau, later=days * DAY).once():
        pass


async def test_officers_hear_before_and_when_a_word_is_due_and_others_after(
    bureau: Office,
) -> None:
    """Acknowledgement and feedback, each once; the record says of which."""
    case_id, _ = await passed_on(bureau)
    await due(bureau, days=4)
    assert await told(bureau, "%:reminder") == []
    for days in (5.5, 7.5):
        await due(bureau, days=days)
        await due(bureau, days=days)
    assert await told(bureau, "%:reminder") == [ADAS]
    assert await told(bureau, "%:overdue") == [ADAS]
    await due(bureau, days=8.5)
    assert await told(bureau, "%:escalated") == [GRACES]
    await bureau.desk.acknowledge(case_id, GRACE, key=fresh())
    await due(bureau, days=60)
    assert await told(bureau, "%:reminder") == [ADAS]
    for days in (80, 91.5):
        await due(bureau, days=days)
    assert await told(bureau, "%:reminder") == [ADAS, ADAS]
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="We look into it.")
    await due(bureau, days=200)
    assert await told(bureau, "%:overdue") == [ADAS, ADAS]
    rows = await bureau.life.rows(
        "SELECT tag, doc->>'due' AS due FROM audit.record"
        " WHERE doc->>'due' IS NOT NULL ORDER BY seq"
    )
    assert [(row["tag"], row["due"]) for row in rows] == [
        ("case:reminded", "acknowledgement"),
        ("case:overdue", "acknowledgement"),
        ("case:escalated", "acknowledgement"),
        ("case:reminded", "feedback"),
        ("case:overdue", "feedback"),
    ]


async def test_past_a_silent_officer_another_may_take_a_report_over(bureau: Office) -> None:
    """Not before; never one whom the report names."""
    case_id, _ = await passed_on(bureau)
    await bureau.desk.claim(case_id, ADA, key=fresh())
    refused = await bureau.desk.claim(case_id, GRACE, key=fresh())
    assert isinstance(refused, CaseRefused)
    await due(bureau, days=8.5)
    assert isinstance(await bureau.desk.claim(case_id, GRACE, key=fresh()), CaseDone)
    named, _ = await passed_on(bureau, "Grace Hopper takes bribes.")
    await due(bureau, days=17)
    assert await told(bureau, f"case:{named}:escalated") == []
    await bureau.deliver()
    news = [one.reply.news for one in bureau.life.platform.asked if one.reply.news]
    assert [one.number for one in news if one.ways is not None] == [2]


@pytest.mark.parametrize("listed", [OFFICERS[:1], ()], ids=["one", "none"])
async def test_where_nobody_is_left_the_writer_hears_whom_to_turn_to(
    bureau: Office, listed: Sequence[object]
) -> None:
    """The officers were removed meanwhile, or one alone does not react."""
    _, code = await passed_on(bureau)
    left = office(bureau.life.engine, officers=tuple(listed), room=None)  # pyright: ignore
    await due(left, days=8.5)
    await left.deliver()
    news = [one.reply.news for one in left.life.platform.asked if one.reply.news]
    assert [one.ways for one in news if one.ways is not None] == ["; ".join(CONTACTS.ways)]
    status = await come_back(left, code, later=8 * DAY)
    assert status is not None
    assert status.ways == CONTACTS.ways


async def test_an_officer_who_was_removed_holds_no_report(bureau: Office) -> None:
    """Another one claims it at once."""
    case_id, _ = await passed_on(bureau)
    await bureau.desk.claim(case_id, ADA, key=fresh())
    left = office(bureau.life.engine, officers=OFFICERS[1:], room=None)
    assert isinstance(await left.desk.claim(case_id, GRACE, key=fresh()), CaseDone)
