"""A case from its opening to its end: who sees what, what is recorded, what is refused."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from bot.replies.report_texts import ANSWER_WITH_CODE
from core.adapters.postgres.platforms.posted_answers import PostgresPostedAnswers
from core.domain.answer import Outcome, RefusalKind
from core.domain.case import CaseState, Opener, ReviewVerdict, Urgency
from core.domain.case_actions import CaseActionKind, CaseDone, CaseRefused, Refusal
from core.domain.errors import UsageError
from core.domain.feedback import FeedbackKept, Rating
from core.domain.officers import Account
from tests.casework import ADA, ASKER, GRACE, OFFICERS, OTHER, Office, fresh, office
from tests.databases import UnrecordedReader
from tests.life_history import _gaps  # pyright: ignore[reportPrivateUsage]

THREAD, ROOM, HER, ADAS = "C1", "COFF", "U1", "UA"
ANSWER = (THREAD, "Up to EUR 50.")


async def test_from_the_wish_to_the_answer(bureau: Office) -> None:
    """Card, claim, answer, old answer marked, card rewritten: each once, each recorded."""
    case_id = await bureau.opened(note="Deal X", urgency=Urgency.TODAY, permalink="https://p")
    assert await bureau.posts() == [
        ANSWER,
        (THREAD, "news:open"),
        (ROOM, "card:1 open None Deal X"),
    ]
    claimed = await bureau.desk.claim(case_id, ADA, key=fresh())
    assert isinstance(claimed, CaseDone)
    assert (claimed.case.state, claimed.case.officer) == (CaseState.CLAIMED, "Ada Lovelace")
    await bureau.deliver()
    answered = await bureau.desk.answer(case_id, ADA, key=fresh(), text="Up to EUR 35.")
    assert isinstance(answered, CaseDone)
    assert answered.case.told == "Up to EUR 35."
    await bureau.deliver()
    assert await bureau.posts() == [
        (THREAD, "superseded:Ada Lovelace / Up to EUR 50."),
        (THREAD, "news:open"),
        (ROOM, "card:1 answered Ada Lovelace Deal X"),
        (THREAD, "news:claimed"),
        (THREAD, "reply:Ada Lovelace: Up to EUR 35."),
    ]
    await bureau.desk.accept(case_id, ASKER, key=fresh())
    await bureau.deliver()
    assert (ROOM, "card:1 closed Ada Lovelace Deal X") in await bureau.posts()
    assert await bureau.tags() == [
        "case:opened",
        "case:assigned",
        "case:answered",
        "answer:superseded",
        "case:resolved",
    ]
    cards = [one.reply.case for one in bureau.life.platform.asked if one.reply.case]
    assert (cards[0].asker, cards[0].permalink, cards[0].note) == (HER, "https://p", "Deal X")
    assert cards[0].answer is not None
    told = [one.reply.officer_reply for one in bureau.life.platform.asked]
    (reply,) = [one for one in told if one]
    assert (reply.question, reply.asker) == ("May I accept a gift?", HER)


async def test_what_the_asker_hears_carries_a_piece_of_its_record(bureau: Office) -> None:
    """Id and hash of what was done: the answer, the mark at the earlier one, and each news."""
    case_id = await bureau.opened(await bureau.answered())
    await bureau.desk.claim(case_id, ADA, key=fresh())
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Up to EUR 35.")
    await bureau.deliver()
    leaves = {
        str(row["id"]): (row["tag"], row["leaf"])
        for row in await bureau.life.rows(
            "SELECT id::text, tag, encode(leaf_hash, 'hex') AS leaf FROM audit.record"
        )
    }
    told = [
        one.reply
        for one in bureau.life.platform.asked
        if one.reply.about is not None and one.reply.case is None
    ]
    tags = [leaves[reply.record_id or ""][0] for reply in told]
    assert tags == ["case:opened", "case:assigned", "case:answered", "answer:superseded"]
    assert all(leaves[reply.record_id or ""][1] == reply.leaf_hash for reply in told)
    rewritten = await bureau.life.rows(
        "SELECT doc->>'about' AS what FROM audit.record WHERE tag = 'reply:updated' ORDER BY what"
    )
    assert {row["what"] for row in rewritten} == {"card", "superseded"}


async def test_a_sole_officer_may_answer_their_own_question(bureau: Office) -> None:
    """And the record says so; of two, the other one has to."""
    asker_too = replace(OFFICERS[0], accounts=(*OFFICERS[0].accounts, ASKER))
    engine = bureau.life.engine
    pair = office(engine, officers=(asker_too, OFFICERS[1]))
    case_id = await pair.opened(await pair.answered())
    for refused in (
        await pair.desk.begin_answer(case_id, ADA, key=fresh()),
        await pair.desk.answer(case_id, ASKER, key=fresh(), text="Yes."),
        await pair.desk.claim(case_id, ADA, key=fresh(), takes_over=True),
    ):
        assert isinstance(refused, CaseRefused)
        assert refused.why is Refusal.OWN_QUESTION
    alone = office(engine, officers=(asker_too,))
    assert isinstance(await alone.desk.begin_answer(case_id, ADA, key=fresh()), CaseDone)
    done = await alone.desk.answer(case_id, ADA, key=fresh(), text="Yes.")
    assert isinstance(done, CaseDone)
    (row,) = await alone.life.rows(
        "SELECT doc->>'own_question' AS own FROM audit.record WHERE tag = 'case:answered'"
    )
    assert row["own"] == "true"


async def test_a_verdict_on_ones_own_question_is_no_label(bureau: Office) -> None:
    """It is recorded as such, and no calibration learns from it; another officer's does count."""
    asker_too = replace(OFFICERS[0], accounts=(*OFFICERS[0].accounts, ASKER))
    pair = office(bureau.life.engine, officers=(asker_too, OFFICERS[1]))
    for by, labels in ((ADA, 0), (GRACE, 1)):
        case_id = await pair.opened(await pair.answered(thread=by.person))
        judged = await pair.desk.judge(CaseActionKind.MARK_WRONG, case_id, by, key=fresh())
        assert isinstance(judged, CaseDone)
        kept = await pair.life.rows("SELECT verdict FROM citebound.verdicts")
        assert len(kept) == labels


async def test_records_are_whole_and_name_the_case(bureau: Office) -> None:
    """Numbers without gaps, hashes that agree, text in the content alone."""
    answer_id = await bureau.answered()
    case_id = await bureau.opened(answer_id, note="Deal X")
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Up to EUR 35.")
    await bureau.desk.claim(case_id, OTHER, key=fresh())
    await bureau.deliver()
    numbers = await bureau.life.rows(
        "SELECT conversation::text AS thread, seq FROM audit.record ORDER BY conversation, seq"
    )
    assert _gaps(numbers) == []
    reader = UnrecordedReader(bureau.life.engine)
    rows = await bureau.life.rows("SELECT id::text, canonical FROM audit.record")
    for row in rows:
        record = await reader.show(str(row["id"]))
        assert record is not None
        assert record.is_intact
        assert b"Deal X" not in bytes(row["canonical"])  # pyright: ignore[reportArgumentType]
        assert b"EUR 35" not in bytes(row["canonical"])  # pyright: ignore[reportArgumentType]
    kept = await bureau.life.rows(
        "SELECT r.tag, c.field, c.body FROM audit.content c JOIN audit.record r"
        " ON r.id = c.record_id WHERE r.tag LIKE 'case:%' ORDER BY r.seq"
    )
    assert [tuple(row.values()) for row in kept] == [
        ("case:opened", "note", "Deal X"),
        ("case:answered", "reply", "Up to EUR 35."),
    ]


async def test_twenty_clicks_open_one_case(bureau: Office) -> None:
    """Of one person or several deliveries: one case, one card, one record."""
    answer_id = await bureau.answered()
    async with asyncio.TaskGroup() as group:
        opening = [
            group.create_task(bureau.desk.open(answer_id, ASKER, key=f"k{n % 3}"))
            for n in range(20)
        ]
    done = [task.result() for task in opening]
    assert len({one.case.case_id for one in done if isinstance(one, CaseDone)}) == 1
    assert sum(isinstance(one, CaseDone) and one.is_new for one in done) == 1
    await bureau.deliver()
    assert await bureau.posts() == [ANSWER, (THREAD, "news:open"), (ROOM, "card:1 open None ")]
    assert await bureau.tags() == ["case:opened"]


async def test_of_two_officers_one_claims(bureau: Office) -> None:
    """At the same moment, twenty times over: one has it, the other is told who."""
    case_id = await bureau.opened()
    async with asyncio.TaskGroup() as group:
        claiming = [
            group.create_task(bureau.desk.claim(case_id, (ADA, GRACE)[n % 2], key=fresh()))
            for n in range(20)
        ]
    results = [task.result() for task in claiming]
    (first,) = [one for one in results if isinstance(one, CaseDone) and one.is_new]
    refused = [one for one in results if isinstance(one, CaseRefused)]
    assert len(refused) == 10
    assert {one.why for one in refused} == {Refusal.CLAIMED}
    assert {one.case.officer for one in refused if one.case} == {first.case.officer}
    assert (await bureau.tags()).count("case:assigned") == 1
    assert (await bureau.tags()).count("case:refused") == 10


async def test_twenty_answers_are_one(bureau: Office) -> None:
    """One submit, delivered again and again, and those of others: the asker gets one answer."""
    case_id = await bureau.opened()
    async with asyncio.TaskGroup() as group:
        for n in range(20):
            officer, key = ((ADA, "submit"), (GRACE, "other"))[n % 2]
            group.create_task(bureau.desk.answer(case_id, officer, key=key, text=officer.person))
    await bureau.deliver()
    assert sum(str(body).startswith("reply:") for _, body in await bureau.posts()) == 1
    assert (await bureau.tags()).count("case:answered") == 1
    assert (await bureau.tags()).count("case:refused") == 1


async def test_a_repeated_click_is_told_what_came_of_the_first(bureau: Office) -> None:
    """Even after the case went on; and it changes nothing."""
    case_id = await bureau.opened()
    await bureau.desk.answer(case_id, ADA, key="a", text="Yes.")
    again = await bureau.desk.ask_again(case_id, ASKER, key="b")
    assert isinstance(again, CaseDone)
    assert again.case.state is CaseState.CLAIMED
    await bureau.desk.answer(case_id, ADA, key="c", text="Yes, really.")
    late = await bureau.desk.ask_again(case_id, ASKER, key="b")
    assert isinstance(late, CaseDone)
    assert (late.is_new, late.case.state) == (False, CaseState.ANSWERED)
    await bureau.deliver()
    bodies = [body for _, body in await bureau.posts()]
    assert "reply:Ada Lovelace: Yes." in bodies
    assert "reply:Ada Lovelace: Yes, really." in bodies


@pytest.mark.parametrize("deed", ["claim", "answer", "close"])
async def test_only_officers_of_our_list_work_on_a_case(bureau: Office, deed: str) -> None:
    """Whoever reads their channel; the refusal is recorded once, and shows nothing."""
    case_id = await bureau.opened()
    more = {"text": "Yes."} if deed == "answer" else {}
    for who in (OTHER, ASKER, Account(platform="fake", tenant="T2", person="UA")):
        for _ in range(2):
            result = await getattr(bureau.desk, deed)(case_id, who, key="k", **more)
            assert result == CaseRefused(why=Refusal.NOT_OFFICER)
    assert await bureau.tags() == ["case:opened", *["case:refused"] * 3]
    assert await bureau.desk.queue(OTHER) == CaseRefused(why=Refusal.NOT_OFFICER)
    assert await bureau.desk.show("1", OTHER) == CaseRefused(why=Refusal.NOT_OFFICER)


async def test_only_the_asker_accepts_or_asks_again(bureau: Office) -> None:
    """Not another person, not the officer."""
    case_id = await bureau.opened()
    early = await bureau.desk.accept(case_id, ASKER, key=fresh())
    assert isinstance(early, CaseRefused)
    assert early.why is Refusal.NOT_ANSWERED
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Yes.")
    for who in (OTHER, ADA):
        assert await bureau.desk.accept(case_id, who, key=fresh()) == CaseRefused(
            why=Refusal.NOT_ASKER
        )
        assert await bureau.desk.ask_again(case_id, who, key=fresh()) == CaseRefused(
            why=Refusal.NOT_ASKER
        )


async def test_what_is_of_another_workspace_is_not_there(bureau: Office) -> None:
    """An id is looked up where the click came from; one that is none changes nothing."""
    answer_id = await bureau.answered()
    elsewhere = Account(platform="fake", tenant="T2", person="U1")
    unknown = CaseRefused(why=Refusal.UNKNOWN)
    assert await bureau.desk.open(answer_id, elsewhere, key=fresh()) == unknown
    for name in ("", "1 OR 1=1", "0198c0de-0000-7000-8000-000000000000", "\x00"):
        assert await bureau.desk.open(name, ASKER, key=fresh()) == unknown
        assert await bureau.desk.claim(name, ADA, key=fresh()) == unknown
        assert await bureau.desk.show(name, ADA) == unknown


async def test_a_case_is_the_askers_wish(bureau: Office) -> None:
    """Nobody else opens it; an officer may take a question up, without naming who asked."""
    answer_id = await bureau.answered()
    refused = await bureau.desk.open(answer_id, OTHER, key=fresh())
    assert refused == CaseRefused(why=Refusal.NOT_ASKER)
    taken = await bureau.desk.open(answer_id, ADA, key=fresh(), permalink="https://p")
    assert isinstance(taken, CaseDone)
    assert (taken.case.asker, taken.case.permalink) == (None, None)
    await bureau.deliver()
    assert await bureau.posts() == [ANSWER, (ROOM, "card:1 open None ")]
    clarification = await bureau.answered("What?", Outcome.CLARIFICATION, thread="2")
    nothing = await bureau.desk.open(clarification, ASKER, key=fresh())
    assert nothing == CaseRefused(why=Refusal.NO_CASE)


@pytest.mark.parametrize(
    "wish", [{"is_anonymous": True}, {"opener": Opener.PIPELINE}], ids=["anonymous", "offered"]
)
async def test_officers_see_no_name_unless_it_was_sent(
    bureau: Office, wish: dict[str, Any]
) -> None:
    """Neither name nor place, and the answer goes to the asker alone: a thread would tell."""
    case_id = await bureau.opened(permalink="https://p", asker_name="Una", **wish)
    for case in (
        bureau.life.platform.asked[-1].reply.case,
        await bureau.desk.show(case_id, ADA),
    ):
        assert case is not None
        assert not isinstance(case, CaseRefused)
        assert (case.asker, case.asker_name, case.permalink) == (None, None, None)
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="Yes.")
    await bureau.deliver()
    assert (HER, "reply:Ada Lovelace: Yes.") in await bureau.posts()
    (mine,) = await bureau.desk.mine(ASKER)
    assert mine.permalink == "https://p"


async def test_a_report_never_stands_in_a_channel(bureau: Office) -> None:
    """To the officer on call, without a name; the answer to the asker alone, nothing is marked."""
    answer_id = await bureau.answered("My boss takes bribes.", Outcome.ESCALATED)
    case_id = await bureau.opened(answer_id, note="He did it again.", permalink="https://p")
    card = bureau.life.platform.asked[-1]
    assert card.is_direct
    assert card.reply.case is not None
    assert (card.reply.case.asker, card.reply.case.permalink) == (None, None)
    await bureau.desk.claim(case_id, ADA, key=fresh())
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="We take it up.")
    await bureau.deliver()
    assert await bureau.posts() == [
        (THREAD, "Up to EUR 50."),
        (HER, "news:open"),
        (ADAS, "card:1 answered Ada Lovelace He did it again."),
        (HER, "news:claimed"),
        (HER, f"reply:Ada Lovelace: We take it up.\n\n{ANSWER_WITH_CODE.en}"),
    ]
    assert "answer:superseded" not in await bureau.tags()
    refused = await bureau.desk.open(answer_id, GRACE, key=fresh())
    assert refused == CaseRefused(why=Refusal.NOT_ASKER)


async def test_a_note_that_tells_of_somebody_stands_in_no_channel(bureau: Office) -> None:
    """Whatever the question was."""
    await bureau.opened(note="My manager takes bribes from a supplier.")
    assert (ADAS, "card:1 open None My manager takes bribes from a supplier.") in (
        await bureau.posts()
    )
    assert not [body for channel, body in await bureau.posts() if channel == ROOM]


async def test_without_a_channel_the_card_goes_to_the_officer_on_call(bureau: Office) -> None:
    """And without officers it waits at the terminal."""
    alone = office(bureau.life.engine, room=None)
    await alone.opened()
    assert (ADAS, "card:1 open None ") in await alone.posts()
    nobody = office(bureau.life.engine, officers=(), room=None)
    answer_id = await nobody.answered(thread="2")
    await nobody.opened(answer_id)
    assert len([body for _, body in await nobody.posts() if "card" in str(body)]) == 1


async def test_hostile_text_is_kept_as_typed(bureau: Office) -> None:
    """Stored and handed on literally, whatever it looks like; only NUL and halves are gone."""
    note = "<!channel> <@U9> ' \" ; DROP TABLE cases; -- {x} %s \u202e*b* `c` https://evil.example"
    case_id = await bureau.opened(note=f"{note}\x00\ud800")
    card = bureau.life.platform.asked[-1].reply.case
    assert card is not None
    assert card.note == f"{note}?"
    await bureau.desk.answer(case_id, ADA, key=fresh(), text=note)
    await bureau.deliver()
    assert (THREAD, f"reply:Ada Lovelace: {note}") in await bureau.posts()


async def test_an_answer_is_sent_whole_or_not_at_all(bureau: Office) -> None:
    """What is empty or too long is refused before anything happens."""
    case_id = await bureau.opened()
    for words in ("", " \n", "x" * 3_001):
        with pytest.raises(UsageError):
            await bureau.desk.answer(case_id, ADA, key=fresh(), text=words)
    assert await bureau.tags() == ["case:opened"]


async def test_closing_taking_over_and_marking_wrong(bureau: Office) -> None:
    """Another's case is closed by nobody else, but may be taken over on purpose."""
    case_id = await bureau.opened()
    await bureau.desk.claim(case_id, ADA, key=fresh())
    refused = await bureau.desk.close(case_id, GRACE, key=fresh())
    assert isinstance(refused, CaseRefused)
    assert refused.why is Refusal.CLAIMED
    assert refused.case is not None
    assert refused.case.officer == "Ada Lovelace"
    await bureau.desk.claim(case_id, GRACE, key=fresh(), takes_over=True)
    marked = await bureau.desk.judge(
        CaseActionKind.MARK_WRONG, case_id, GRACE, key=fresh(), reason="Old limit"
    )
    assert isinstance(marked, CaseDone)
    assert marked.case.is_wrong
    again = await bureau.desk.judge(CaseActionKind.MARK_WRONG, case_id, ADA, key=fresh())
    assert isinstance(again, CaseDone)
    assert not again.is_new
    closed = await bureau.desk.close(case_id, GRACE, key=fresh())
    assert isinstance(closed, CaseDone)
    for late in (
        await bureau.desk.claim(case_id, ADA, key=fresh()),
        await bureau.desk.answer(case_id, ADA, key=fresh(), text="Yes."),
    ):
        assert isinstance(late, CaseRefused)
        assert late.why is Refusal.CLOSED
        assert late.case is not None
        assert late.case.state is CaseState.CLOSED
    await bureau.deliver()
    assert (THREAD, "news:closed") in await bureau.posts()
    assert [tag for tag in await bureau.tags() if tag != "case:refused"] == [
        "case:opened",
        "case:assigned",
        "case:assigned",
        "answer:reviewed",
        "case:closed",
    ]


async def test_a_refusal_can_not_be_marked_wrong(bureau: Office) -> None:
    """There is nothing that could be."""
    case_id = await bureau.opened(await bureau.answered("x?", Outcome.REFUSED))
    result = await bureau.desk.judge(CaseActionKind.MARK_WRONG, case_id, ADA, key=fresh())
    assert isinstance(result, CaseRefused)
    assert result.why is Refusal.NOTHING_TO_MARK


async def test_queues(bureau: Office) -> None:
    """Officers see what waits, the urgent first; askers their own."""
    await bureau.opened(await bureau.answered("one?", thread="1"))
    await bureau.opened(await bureau.answered("two?", thread="2"), urgency=Urgency.TODAY)
    waiting = await bureau.desk.queue(ADA)
    assert not isinstance(waiting, CaseRefused)
    assert [case.question for case in waiting] == ["two?", "one?"]
    assert [case.number for case in await bureau.desk.mine(ASKER)] == [2, 1]
    assert await bureau.desk.mine(OTHER) == ()


async def _asked_on(bureau: Office, *, thread: str, earlier: str) -> str:
    """Open the case of a follow-up, which stands alone with what was said before it."""
    answer_id = await bureau.answered("in Germany", thread=thread)
    async with bureau.life.engine.begin() as connection:
        await connection.execute(
            text(
                "UPDATE citebound.questions SET standalone = :standalone WHERE id ="
                " (SELECT question_id FROM citebound.answers WHERE id = CAST(:answer AS uuid))"
            ),
            {"standalone": f"{earlier} in Germany", "answer": answer_id},
        )
    await bureau.opened(answer_id)
    cases = await bureau.desk.mine(ASKER)
    return next(one.question for one in cases if one.question.endswith("in Germany"))


async def test_a_case_says_what_its_thread_adds(bureau: Office) -> None:
    """A follow-up alone tells an officer nothing."""
    await bureau.answered("May I accept gifts?", thread="1")
    asked = await _asked_on(bureau, thread="1", earlier="May I accept gifts?")
    assert asked == "May I accept gifts? in Germany"


async def test_a_case_says_nothing_of_a_report_before_it(bureau: Office) -> None:
    """Whatever the rules think of its words: it was taken for a report."""
    await bureau.answered("Something odd goes on.", Outcome.ESCALATED, thread="1")
    asked = await _asked_on(bureau, thread="1", earlier="Something odd goes on.")
    assert asked == "in Germany"


@pytest.mark.parametrize(
    "earlier", ["My manager takes bribes. What should I do?", "My boss keeps gifts at home."]
)
async def test_what_is_added_may_make_a_case_confidential(bureau: Office, earlier: str) -> None:
    """No channel sees a card whose question tells of somebody, also by what was said before."""
    await bureau.answered(earlier, thread="1")
    await _asked_on(bureau, thread="1", earlier=earlier)
    rows = await bureau.life.rows("SELECT is_sensitive FROM citebound.cases")
    assert rows == [{"is_sensitive": True}]


@pytest.mark.parametrize(
    ("text", "words"), [("", "The answer that you got is right."), ("Ask first.", "Ask first.")]
)
async def test_a_confirmed_answer_holds(bureau: Office, text: str, words: str) -> None:
    """Nothing says that it no longer does, its buttons work on, and the asker is told."""
    answer_id = await bureau.answered()
    case_id = await bureau.opened(answer_id)
    done = await bureau.desk.answer(case_id, ADA, key=fresh(), text=text, confirms=True)
    await bureau.deliver()
    assert isinstance(done, CaseDone)
    assert done.case.verdict is ReviewVerdict.RIGHT
    shown = [str(body) for _, body in await bureau.posts()]
    assert not [body for body in shown if body.startswith("superseded")]
    assert [body for body in shown if words in body]
    assert "answer:superseded" not in await bureau.tags()
    assert (await bureau.tags()).count("answer:reviewed") == 1
    kept = await bureau.feedback.give(answer_id, ASKER, key=fresh(), rating=Rating.POSITIVE)
    assert isinstance(kept, FeedbackKept)
    shown_answers = PostgresPostedAnswers(bureau.life.engine)
    found = await shown_answers.find(answer_id, platform="fake", tenant="T1")
    assert found is not None
    assert not found.is_superseded


async def test_what_an_officer_found_right_is_not_replaced(bureau: Office) -> None:
    """What they write afterwards adds to it; only an answer can be confirmed."""
    case_id = await bureau.opened()
    await bureau.desk.judge(CaseActionKind.MARK_RIGHT, case_id, ADA, key=fresh())
    await bureau.desk.answer(case_id, ADA, key=fresh(), text="And ask first.")
    assert "answer:superseded" not in await bureau.tags()
    refused = await bureau.answered(
        outcome=Outcome.ESCALATED, thread="2", refusal=RefusalKind.NOT_FOUND
    )
    case_id = await bureau.opened(refused)
    done = await bureau.desk.answer(case_id, ADA, key=fresh(), text="", confirms=True)
    assert isinstance(done, CaseRefused)
    assert done.why is Refusal.NOTHING_TO_MARK
