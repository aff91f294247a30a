"""What officers do about cases and answers ends where their units and audiences do."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.actions.affected import AffectedActions
from bot.actions.cases import OfficerActions
from bot.actions.press import Press, Redraw, Say
from bot.replies.notices import OTHER_UNIT
from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.transactions import connected
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.case import Case
from core.domain.case_actions import CaseDone, CaseRefused, Refusal
from core.domain.errors import UsageError
from core.domain.officers import Account
from core.ports.precedents import ClauseName, Proposal
from evals.measuring.commands.questions import read_corpus, whole_scope
from evals.measuring.drafting.by_rules import Wanted, drafts_by_rules
from tests.casework import ASKER, fresh
from tests.integration.roles.reach import BY_LOGIN, WORDS, World, markers, world
from tests.officer_console import Visitor

MARK = "[restricted: audience finance]"
FINANCE = {word for unit in ("berlin", "munich") for word in markers(unit, "treasury", of=WORDS)}


@pytest.fixture
async def two_units(
    database_url: str, engine: AsyncEngine, local_embedder: LocalEmbedder, tmp_path: Path
) -> AsyncIterator[World]:
    """See `world`."""
    async with world(database_url, engine, local_embedder, tmp_path) as made:
        yield made


def chat(login: str) -> Account:
    """Return the account by which an officer writes in the officers' channel."""
    return BY_LOGIN[login].accounts[0]


def press(login: str, target: str, *, choice: str = "") -> Press:
    """Return a press of an officer in chat."""
    who = chat(login)
    return Press(who=who, listed=who, is_outside=False, key=fresh(), target=target, choice=choice)


async def visitor(two_units: World, login: str) -> Visitor:
    """Return a browser in which an officer is signed in."""
    return await two_units.console.signed_in(chat(login))


async def column(engine: AsyncEngine, query: str) -> list[str]:
    """Return a column of a table, as text."""
    async with engine.connect() as connection:
        return [str(value) for value in await connection.scalars(text(query))]


async def answer_of(engine: AsyncEngine, case: str) -> str:
    """Return the id of the answer that a case is about."""
    query = (
        "SELECT a.id FROM citebound.answers a JOIN citebound.cases k USING (question_id)"
        " WHERE k.id = CAST(:case AS uuid)"
    )
    async with engine.connect() as connection:
        return str(await connection.scalar(text(query), {"case": case}))


async def grant(engine: AsyncEngine, change: str) -> None:
    """Change what officers were granted."""
    async with engine.begin() as connection:
        await connection.execute(text(f"UPDATE audit.officer SET {change}"))  # noqa: S608  # ours


async def test_a_card_says_what_all_officers_read(two_units: World, engine: AsyncEngine) -> None:
    """In the channel one without an audience reads along: a card is blank there for everybody."""
    desk = two_units.offices["berlin"]
    await two_units.console.service.affected_editions.update_cards()
    await desk.deliver()
    cards = [one.reply for one in desk.life.platform.asked if one.reply.is_card]
    shown = str([(card.case, card.affected) for card in cards])
    assert not {word for word in FINANCE if word in shown}
    assert MARK in shown
    for word in ("berlin claim of gifts", "EUR 571", "EUR 581", "berlin question of treasury"):
        assert word in shown
    await grant(engine, "audiences = '{finance}'")
    case = two_units.cases["berlin", "treasury"]
    seen = await desk.desk.show(case, chat("plain"))
    assert isinstance(seen, Case)
    assert seen.answer is not None
    assert seen.answer.claims[0].text == "berlin claim of treasury"
    await desk.desk.close(case, chat("whole"), key=fresh())
    await desk.deliver()
    newest = [one.reply.case for one in desk.life.platform.asked if one.reply.is_card][-1]
    assert "berlin claim of treasury" in str(newest)
    assert "berlin officer on treasury" in str(newest)


async def test_what_chat_shows_of_a_press_is_what_all_officers_read(two_units: World) -> None:
    """Others read along where a card is redrawn; in the console an officer is alone."""
    desk, case = two_units.offices["berlin"].desk, two_units.cases["berlin", "treasury"]
    for seen, is_blank in (
        (await desk.show(case, chat("whole")), True),
        (await desk.show(case, BY_LOGIN["whole"].at_console), False),
        (await desk.show(case, BY_LOGIN["plain"].at_console), True),
    ):
        assert isinstance(seen, Case)
        assert bool({word for word in FINANCE if word in str(seen)}) is not is_blank
    outcome = await OfficerActions(desk).close(press("whole", case))
    assert isinstance(outcome, Redraw)
    assert not {word for word in FINANCE if word in str(outcome.now)}


@pytest.mark.parametrize("login", ["berlin", "plain", "new", "revoked"])
async def test_a_case_of_another_unit_is_refused_in_chat(
    two_units: World, engine: AsyncEngine, login: str
) -> None:
    """With a line that says why, for each deed, and recorded.

    Whoever was granted nothing is of the unit of the process; who was revoked is of none.
    """
    is_revoked = login == "revoked"
    if login in {"new", "revoked"}:
        await grant(engine, "revoked_at = now() WHERE login = 'berlin'")
    if login == "new":
        async with engine.begin() as connection:
            await connection.execute(text("DELETE FROM audit.officer WHERE login = 'berlin'"))
    login = "plain" if login == "plain" else "berlin"
    desk, case = two_units.offices["berlin"].desk, two_units.cases["munich", "gifts"]
    actions = OfficerActions(desk)
    for deed in (
        actions.claim,
        actions.close,
        actions.mark_wrong,
        actions.begin_answer,
        actions.show,
    ):
        assert await deed(press(login, case)) == Say(words=OTHER_UNIT), deed
    answered = await desk.answer(case, chat(login), key=fresh(), text="No.")
    assert answered == CaseRefused(why=Refusal.OTHER_UNIT)
    assert "other_unit" in await column(
        engine, "SELECT doc->>'refusal' FROM audit.record WHERE tag = 'case:refused'"
    )
    own = await desk.claim(two_units.cases["berlin", "gifts"], chat(login), key=fresh())
    assert isinstance(own, CaseRefused) is is_revoked
    waiting = await desk.queue(chat(login))
    assert not isinstance(waiting, CaseRefused)
    assert all("munich" not in one.question for one in waiting)
    states = "SELECT id || state FROM citebound.cases"
    assert f"{case}open" in await column(engine, states)


async def test_an_officer_who_was_granted_nothing_works_on_cases_of_their_own_unit(
    two_units: World, engine: AsyncEngine
) -> None:
    """A deployment that never granted anything goes on as before, but for other audiences."""
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM audit.officer"))
    desk, case = two_units.offices["berlin"].desk, two_units.cases["berlin", "gifts"]
    done = await desk.claim(case, chat("berlin"), key=fresh())
    assert isinstance(done, CaseDone)
    assert "berlin claim of gifts" in str(done.case)
    seen = await desk.show(two_units.cases["berlin", "treasury"], chat("berlin"))
    assert MARK in str(seen)
    assert not {word for word in FINANCE if word in str(seen)}


async def test_a_case_of_another_unit_is_not_there_in_the_console(
    two_units: World, engine: AsyncEngine
) -> None:
    """Not to look at, and for no deed; a card of one's own unit has the form that is sent."""
    browser = await visitor(two_units, "berlin")
    own, other = (
        f"/officer/cases/{two_units.cases[unit, 'gifts']}" for unit in ("berlin", "munich")
    )
    form = await browser.fields(own) | {"answer": "No."}
    assert (await browser.get(other))[0] == 404
    for deed in ("claim", "close", "wrong", "partly", "right", "answer"):
        assert (await browser.post(f"{other}/{deed}", form))[0] == 404, deed
    assert await column(engine, "SELECT owner FROM citebound.cases WHERE owner <> 'whole'") == []
    assert (await browser.get(f"{other}/precedent"))[0] == 404
    assert (await browser.post(f"{own}/claim", form))[0] == 303


async def test_an_asker_who_is_an_officer_settles_their_own_case(two_units: World) -> None:
    """Accepting an answer is the asker's, whatever units they were granted as an officer."""
    desk, case = two_units.offices["munich"].desk, two_units.cases["munich", "treasury"]
    assert isinstance(await desk.accept(case, ASKER, key=fresh()), CaseDone)


async def test_an_answer_of_another_unit_can_not_be_reviewed(
    two_units: World, engine: AsyncEngine
) -> None:
    """By its id, which a form would hold; one's own can."""
    browser = await visitor(two_units, "berlin")
    hidden = await browser.fields("/officer/reviews") | {"verdict": "right", "key": "k" * 22}
    for unit, status in (("munich", 404), ("berlin", 303)):
        answer = await answer_of(engine, two_units.cases[unit, "gifts"])
        assert (await browser.post(f"/officer/reviews/{answer}", hidden))[0] == status
    kept = "SELECT unit FROM audit.record WHERE tag = 'answer:reviewed' AND actor = 'berlin'"
    assert await column(engine, kept) == ["berlin"]


async def test_affected_answers_of_another_unit_are_not_approved(
    two_units: World, engine: AsyncEngine
) -> None:
    """In chat none, since the card shows all; in the console one's own."""
    service = two_units.console.service
    states = (
        "SELECT unit || ' ' || state FROM citebound.affected_answers x"
        " JOIN audit.record r ON r.id = x.record_id WHERE edition = 4 ORDER BY 1"
    )
    found = await column(engine, states)
    total = str(len(found))
    actions = AffectedActions(service.affected_editions, service.officers)
    assert await actions.approve(press("berlin", "4", choice=total)) == Say(words=OTHER_UNIT)
    assert await column(engine, states) == found
    browser = await visitor(two_units, "berlin")
    form = await browser.fields("/officer/affected/4")
    assert (await browser.post("/officer/affected/4/approve", form))[0] == 303
    after = await column(engine, states)
    assert {one for one in after if one.startswith("munich")} == {"munich found"}
    assert "berlin found" not in after
    redrawn = await actions.approve(press("whole", "4", choice=total))
    assert isinstance(redrawn, Redraw)


async def test_test_questions_and_contradictions_end_where_audiences_do(
    two_units: World, engine: AsyncEngine
) -> None:
    """Neither drafts about a policy that one may not read, nor what answers said of it."""
    service = two_units.console.service
    corpus = await read_corpus(service, await whole_scope(service))
    await service.question_drafts.add(drafts_by_rules(corpus, Wanted()))
    ledger = Ledger(clock=service.clock, ids=service.ids, unit="berlin")
    answer = await answer_of(engine, two_units.cases["berlin", "treasury"])
    found = Event(
        tag=Tag.CONTRADICTION_FOUND,
        actor="worker",
        actor_kind="system",
        conversation=None,
        seq=None,
        subject=answer,
        cause=None,
        trace_id=None,
        says={"kind": "number", "policy": "treasury", "then": "EUR 371", "now": "EUR 381"},
    )
    async with engine.begin() as connection:
        await ledger.event(connection, found, content={})
    numbers = await column(engine, "SELECT number FROM citebound.question_drafts")
    pages = ["/officer/consistency", *(f"/officer/questions/{number}" for number in numbers)]
    shown: dict[str, str] = {}
    for login in ("whole", "plain"):
        browser = await visitor(two_units, login)
        shown[login] = str([await browser.get(page) for page in pages])
        shown[login] += str(await browser.get("/officer/questions"))
    assert all(word in shown["whole"] for word in ("EUR 371", "EUR 381", "for treasury"))
    assert "EUR 581" in shown["plain"]
    assert not {word for word in (*FINANCE, "for treasury") if word in shown["plain"]}


async def test_a_precedent_is_not_made_of_what_its_officer_may_not_read(
    two_units: World, engine: AsyncEngine
) -> None:
    """Neither of an answer that is withheld, nor of such a clause, nor of another unit's case."""
    service, desk = two_units.console.service, two_units.offices["berlin"].desk
    done = await desk.answer(
        two_units.cases["berlin", "gifts"], chat("whole"), key=fresh(), text="Open words."
    )
    assert isinstance(done, CaseDone)
    query = "SELECT number FROM citebound.cases WHERE id = '{}'"
    numbers = {
        place: int((await column(engine, query.format(case)))[0])
        for place, case in two_units.cases.items()
    }
    precedents = service.precedent_desk.seen_by("plain")
    for place, clause, why in (
        (("berlin", "treasury"), ClauseName(policy="gifts", section="1.1"), "there is no case"),
        (("munich", "treasury"), ClauseName(policy="gifts", section="1.1"), "there is no case"),
        (("berlin", "gifts"), ClauseName(policy="treasury", section="1.1"), "no policy in force"),
    ):
        proposal = Proposal(
            case_number=numbers[place],
            by=BY_LOGIN["plain"],
            clauses=(clause,),
            question="May we pay for gifts?",
            jurisdictions=frozenset(),
        )
        with pytest.raises(UsageError, match=why):
            await precedents.propose(proposal)
    own = replace(proposal, clauses=(ClauseName(policy="gifts", section="1.1"),))
    assert (await precedents.propose(own)).answer == "Open words."


async def test_what_nobody_may_read_is_blank_for_whoever_was_not_granted_all(
    two_units: World, engine: AsyncEngine
) -> None:
    """Where the source of a policy and its text name no group in common, nobody reads it."""
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO citebound.policy_readers (policy_id, audience, edition_from, source)"
                " SELECT id, '{hr}', 4, 'intranet' FROM citebound.policies WHERE key = 'treasury'"
            )
        )
    desk, case = two_units.offices["berlin"].desk, two_units.cases["berlin", "treasury"]
    for login in ("berlin", "broad"):
        seen = str(await desk.show(case, BY_LOGIN[login].at_console))
        assert "[restricted: audience unknown]" in seen, login
        assert not {word for word in FINANCE if word in seen}
    assert "berlin claim of treasury" in str(await desk.show(case, BY_LOGIN["whole"].at_console))


async def test_an_answer_is_of_the_unit_of_its_question(
    two_units: World, engine: AsyncEngine
) -> None:
    """Whichever process answers it."""
    berlin, munich = (two_units.offices[unit] for unit in ("berlin", "munich"))
    berlin.life.intake = munich.life.intake
    answer = await berlin.answered("Who answers?", thread="9")
    query = "SELECT unit FROM audit.record WHERE subject = '{}' AND outcome = 'answered'"
    assert await column(engine, query.format(answer)) == ["munich"]


async def test_to_read_for_officers_takes_a_transaction(two_units: World) -> None:
    """Without one nobody would be named, and all would be shown."""
    engine = two_units.console.service.case_store.engine_for("plain")
    async with connected(engine, "AUTOCOMMIT") as connection:
        with pytest.raises(RuntimeError, match="a transaction"):
            await connection.execute(text("SELECT 1"))
