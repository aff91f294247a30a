"""What only a person can answer goes to Compliance by itself, without name and place."""

import pytest
from sqlalchemy import text

from core.agent.wording import ASK_A_PERSON, NOT_PASSED_ON
from core.cases.rules import PASSED_ON_AT_MOST
from core.domain.answer import Outcome, RefusalKind
from core.domain.case import Opener
from core.domain.case_actions import CaseDone, CaseRefused, Refusal
from tests.casework import ADA, ASKER, OTHER, Office, fresh, office

THREAD, ROOM, HER, ADAS = "C1", "COFF", "U1", "UA"
WORDS = f"I couldn't find a passage that reliably answers this. {ASK_A_PERSON.en}"
PASSED_ON = (
    "I couldn't find a passage that reliably answers this. I have sent it to Compliance as case 1,"
    " in your words but without your name. Only you will get the reply, in our direct messages."
)


async def passed_on(bureau: Office, **more: object) -> str:
    """Ask what only a person can answer, post all of it, and return the answer's id."""
    given = {"refusal": RefusalKind.NOT_FOUND, "words": WORDS} | more
    answer_id = await bureau.answered(outcome=Outcome.ESCALATED, **given)  # pyright: ignore[reportArgumentType]
    await bureau.deliver()
    return answer_id


async def test_what_only_a_person_can_answer_is_passed_on(bureau: Office) -> None:
    """Case, card, record and the words of the reply, with the answer itself; nobody is named."""
    answer_id = await passed_on(bureau)
    assert await bureau.posts() == [(THREAD, PASSED_ON), (ROOM, "card:1 open None ")]
    assert await bureau.tags() == ["case:opened"]
    (card,) = [one.reply.case for one in bureau.life.platform.asked if one.reply.case]
    assert (card.asker, card.asker_name, card.permalink) == (None, None, None)
    assert card.answer is not None
    (posted,) = [one.reply.answer for one in bureau.life.platform.asked if one.reply.answer]
    assert posted.case_number == 1
    (kept,) = await bureau.life.rows(
        "SELECT a.text, c.body FROM citebound.answers a"
        " JOIN audit.record r ON r.subject = a.id::text AND r.tag = 'question:escalated'"
        " JOIN audit.content c ON c.record_id = r.id"
        " AND c.field = 'answer'"
    )
    assert tuple(kept.values()) == (PASSED_ON, PASSED_ON)
    (opened,) = await bureau.life.rows(
        "SELECT r.doc->'actor' AS actor, r.doc->>'opener' AS opener, a.subject::text AS answer"
        " FROM audit.record r JOIN audit.record a ON a.id = (r.doc->>'cause')::uuid"
        " WHERE r.tag = 'case:opened'"
    )
    assert opened == {
        "actor": {"kind": "system", "ref": "pipeline"},
        "opener": "pipeline",
        "answer": answer_id,
    }


async def test_its_answer_goes_to_the_asker_alone(bureau: Office) -> None:
    """A thread would tell the officers who asked; what was said there is marked."""
    await passed_on(bureau)
    cases = await bureau.desk.queue(ADA)
    assert not isinstance(cases, CaseRefused)
    await bureau.desk.answer(cases[0].case_id, ADA, key=fresh(), text="Yes.")
    await bureau.deliver()
    assert await bureau.posts() == [
        (THREAD, f"superseded:Ada Lovelace / {PASSED_ON}"),
        (ROOM, "card:1 answered Ada Lovelace "),
        (HER, "reply:Ada Lovelace: Yes."),
    ]


@pytest.mark.parametrize(
    ("claim", "urgency"),
    [
        ("A loss must be reported to the service desk within 1 hour.", "today"),
        ("A loss must be reported to the service desk within 30 days.", "week"),
    ],
)
async def test_a_case_about_what_can_not_wait_is_due_today(
    bureau: Office, claim: str, urgency: str
) -> None:
    """A duty of an hour is no matter of a week, whatever its asker chose."""
    answer_id = await bureau.answered("What now?")
    async with bureau.life.engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO citebound.claims (answer_id, n, text, citations)"
                " VALUES (CAST(:answer AS uuid), 9, :claim, '{}')"
            ),
            {"answer": answer_id, "claim": claim},
        )
    await bureau.opened(answer_id)
    (case,) = await bureau.life.rows(
        "SELECT urgency, extract(day FROM due_at - opened_at)::int AS days FROM citebound.cases"
    )
    assert case == {"urgency": urgency, "days": 1 if urgency == "today" else 7}


async def test_two_policies_that_disagree_are_passed_on(bureau: Office) -> None:
    """A contradiction is Compliance's to settle."""
    answer_id = await bureau.answered(outcome=Outcome.REFUSED, refusal=RefusalKind.CONFLICT)
    assert await bureau.desk.about(answer_id, ASKER) is not None


@pytest.mark.parametrize(
    ("outcome", "refusal", "question"),
    [
        (Outcome.ESCALATED, None, "My boss takes bribes."),
        (Outcome.ESCALATED, RefusalKind.NOT_FOUND, "My manager takes bribes from a supplier."),
        (Outcome.ESCALATED, RefusalKind.NOT_FOUND, "My colleague got the contract somehow."),
        (Outcome.REFUSED, RefusalKind.POLICY_SILENT, "May I park here?"),
        (Outcome.ANSWERED, None, "May I accept a gift?"),
        (Outcome.FAILED, None, "May I accept a gift?"),
        (Outcome.CLARIFICATION, None, "May I?"),
    ],
    ids=["report", "reads like a report", "is about a person", "silent", "answer", "failed", "?"],
)
async def test_all_else_is_passed_on_by_nobody_but_its_asker(
    bureau: Office, outcome: Outcome, refusal: RefusalKind | None, question: str
) -> None:
    """A report above all: who tells of somebody decides whether Compliance hears of it."""
    answer_id = await bureau.answered(question, outcome, refusal=refusal, words=WORDS)
    assert await bureau.posts() == [(THREAD, WORDS)]
    assert await bureau.tags() == []
    assert await bureau.desk.about(answer_id, ASKER) is None


async def test_without_officers_it_is_said_how_to_reach_a_person(bureau: Office) -> None:
    """Nobody would hear of it: the old words, and no case."""
    nobody = office(bureau.life.engine, officers=(), room=None)
    await passed_on(nobody)
    assert await nobody.posts() == [(THREAD, WORDS)]
    assert await nobody.tags() == []


async def test_the_asker_adds_note_and_name_to_it(bureau: Office) -> None:
    """Once, to the same case: from then on it is theirs, and its reply comes to the thread."""
    answer_id = await passed_on(bureau)
    about = await bureau.desk.about(answer_id, ASKER)
    assert about is not None
    assert about.may_be_added_to
    for note, is_new in (("Deal X", True), ("Deal Y", False)):
        done = await bureau.desk.open(
            answer_id, ASKER, key=fresh(), note=note, permalink="https://p", asker_name="Una"
        )
        assert isinstance(done, CaseDone)
        assert (done.is_new, done.case.number, done.case.is_private) == (is_new, 1, False)
    await bureau.deliver()
    assert await bureau.posts() == [(THREAD, PASSED_ON), (ROOM, "card:1 open None Deal X")]
    assert await bureau.tags() == ["case:opened", "case:noted"]
    card = bureau.life.platform.asked[-1].reply.case
    assert card is not None
    assert (card.asker, card.asker_name, card.permalink) == (HER, "Una", "https://p")


async def test_a_note_without_a_name_names_nobody(bureau: Office) -> None:
    """What was opened without a name stays without."""
    answer_id = await passed_on(bureau)
    await bureau.desk.open(
        answer_id, ASKER, key=fresh(), note="Deal X", permalink="https://p", is_anonymous=True
    )
    await bureau.deliver()
    card = bureau.life.platform.asked[-1].reply.case
    assert card is not None
    assert (card.note, card.asker, card.permalink) == ("Deal X", None, None)


async def test_a_note_that_tells_of_somebody_goes_to_who_is_on_call(bureau: Office) -> None:
    """The channel's card hides what the case holds from then on."""
    answer_id = await passed_on(bureau)
    note = "My manager takes bribes from a supplier."
    await bureau.desk.open(answer_id, ASKER, key=fresh(), note=note)
    await bureau.deliver()
    assert (ADAS, f"card:1 open None {note}") in await bureau.posts()
    cards = [one for one in bureau.life.platform.asked if one.reply.case]
    assert all(one.reply.case.is_sensitive for one in cards[1:] if one.reply.case)


async def test_nobody_else_adds_to_it(bureau: Office) -> None:
    """Neither a colleague, nor an officer, nor a press that shows no form."""
    answer_id = await passed_on(bureau)
    refused = await bureau.desk.open(answer_id, OTHER, key=fresh(), note="x")
    assert refused == CaseRefused(why=Refusal.NOT_ASKER)
    for who, opener in ((ADA, Opener.ASKER), (ASKER, Opener.PIPELINE)):
        done = await bureau.desk.open(answer_id, who, key=fresh(), note="x", opener=opener)
        assert isinstance(done, CaseDone)
        assert not done.is_new
    assert await bureau.tags() == ["case:opened", "case:refused"]
    assert len(await bureau.life.rows("SELECT FROM citebound.cases WHERE note = ''")) == 1


async def test_one_person_does_not_fill_the_officers_desk(bureau: Office) -> None:
    """Of one day so many are passed on; then the asker is told, and may send each by hand."""
    for _ in range(PASSED_ON_AT_MOST):
        await passed_on(bureau)
    beyond = await passed_on(bureau)
    (*_, last) = [words for where, words in await bureau.posts() if where == THREAD]
    assert last == WORDS.replace(ASK_A_PERSON.en, f"{NOT_PASSED_ON.en} {ASK_A_PERSON.en}")
    assert await bureau.desk.about(beyond, ASKER) is None
    other = await passed_on(bureau, person="U2")
    assert await bureau.desk.about(other, OTHER) is not None
    done = await bureau.desk.open(beyond, ASKER, key=fresh(), note="Deal X")
    assert isinstance(done, CaseDone)
    assert done.is_new
    assert done.case.number == PASSED_ON_AT_MOST + 2


async def test_on_the_next_day_questions_are_passed_on_again(bureau: Office) -> None:
    """What was passed on longer ago does not count, nor what its asker has taken over."""
    first = await passed_on(bureau)
    for _ in range(PASSED_ON_AT_MOST - 1):
        await passed_on(bureau)
    await bureau.desk.open(first, ASKER, key=fresh(), note="Deal X")
    assert await bureau.desk.about(await passed_on(bureau), ASKER) is not None
    assert await bureau.desk.about(await passed_on(bureau), ASKER) is None
    async with bureau.life.engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.cases SET opened_at = opened_at - interval '25 hours'")
        )
    assert await bureau.desk.about(await passed_on(bureau), ASKER) is not None
