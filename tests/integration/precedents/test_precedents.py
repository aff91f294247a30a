"""An officer's answer that a second officer approved is told to others, word for word."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from core.adapters.postgres.cases.precedents import PrecedentRows
from core.domain.errors import UsageError
from core.domain.officers import Officer
from core.ports.precedents import PrecedentState
from tests.integration.precedents.conftest import ADA, GIFTS, GRACE, QUESTION, WORDS, Desk, readers
from tests.integration.replay.conftest import recorded

OTHER = "May a team share a hamper from a customer?"
HEADING = "Answered by Compliance, approved on "
NOTICES = [f"notice:precedent_{what}" for what in ("proposed", "ended")]


async def is_told(desk: Desk, words: str = QUESTION, **more: Any) -> bool:
    """Ask at the terminal, and say whether the precedent is told."""
    return HEADING in (await desk.ask(words, **more)).answer.text


async def test_the_main_path(desk: Desk) -> None:
    """Proposed, approved, and told at the terminal and in chat, verbatim, with its clause."""
    proposed = await desk.propose()
    assert not await is_told(desk)
    approved = await desk.service.precedent_desk.approve(proposed.number, GRACE)
    assert approved.state is PrecedentState.APPROVED

    reply = await desk.ask("  may my team keep a hamper that a customer sent to all of us")
    day = f"{desk.today:%-d %B %Y}"
    assert reply.answer.text == f"{HEADING}{day}\n\n{WORDS} [1]"
    assert reply.answer.confidence.badge is None
    (cited,) = reply.answer.citations
    assert (cited.place.policy_key, cited.place.number) == ("gifts", "2.1")
    assert cited.quote == approved.clauses[0].quote
    assert cited.quote in GIFTS
    assert WORDS in await desk.ask_in_chat(event="again", thread="other", person="U2")

    tags = [(one["tag"], one["actor"]) for one in await desk.records()]
    assert tags == [
        ("precedent:proposed", "ada"),
        ("precedent:approved", "grace"),
        ("precedent:applied", "pipeline"),
        ("precedent:applied", "pipeline"),
    ]
    (first, *_) = await desk.rows(
        "SELECT doc FROM audit.record WHERE tag = 'question:answered'"
        " AND doc->'precedent'->>'number' IS NOT NULL"
    )
    assert first["doc"]["precedent"]["id"] == approved.precedent_id
    row = await desk.view()
    assert (row["state"], row["told"], row["approved_by"]) == ("approved", 2, "grace")
    assert row["question"] is None
    assert row["answer"] == WORDS


async def test_nobody_decides_on_their_own(desk: Desk) -> None:
    """Neither who answered the case nor who proposed it, and nor does the database let them."""
    proposed = await desk.propose(by=GRACE)
    for officer in (ADA, GRACE):
        for deed in (
            desk.service.precedent_desk.approve(proposed.number, officer),
            desk.service.precedent_desk.refuse(proposed.number, officer, reason="no"),
        ):
            with pytest.raises(UsageError, match="another officer decides"):
                await deed
        with pytest.raises(DBAPIError, match="precedents_officers_check"):
            await desk.rows(
                "UPDATE citebound.precedents SET state = 'approved', approved_at = now(),"
                " decided_by = :login RETURNING id",
                login=officer.login,
            )
    assert not await is_told(desk)


async def test_two_approvals_at_once(desk: Desk) -> None:
    """One of them approves; it is recorded once."""
    proposed = await desk.propose()
    third = Officer(login="joan", name="Joan Clarke")

    async def approve(by: Officer) -> str:
        try:
            return (await desk.service.precedent_desk.approve(proposed.number, by)).state.value
        except UsageError as error:
            return str(error)

    async with asyncio.TaskGroup() as group:
        both = [group.create_task(approve(one)) for one in (GRACE, third)]
    told = sorted(one.result() for one in both)
    assert told == ["approved", f"precedent {proposed.number} is approved already"]
    assert len(await desk.records("precedent:approved")) == 1


async def test_killed_in_the_middle(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no record has not happened, and can be done again."""
    proposed = await desk.propose()
    record = PrecedentRows.record

    async def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PrecedentRows, "record", dies)
    for deed in (
        desk.propose(question=f"{QUESTION} Ours?"),
        desk.service.precedent_desk.approve(proposed.number, GRACE),
    ):
        with pytest.raises(KeyboardInterrupt):
            await deed
    monkeypatch.setattr(PrecedentRows, "record", record)
    assert len(await desk.service.precedent_desk.all()) == 1
    assert not await is_told(desk)
    await desk.service.precedent_desk.approve(proposed.number, GRACE)
    assert await is_told(desk)


async def test_whom_it_is_for(desk: Desk) -> None:
    """Another audience, another country, an unknown one: not told, and nobody can widen it."""
    await desk.publish(
        GIFTS.replace("Gifts", "Hospitality"), "hospitality.md", audience=frozenset({"sales"})
    )
    for wider in (frozenset({"everyone"}), frozenset({"sales", "finance"})):
        with pytest.raises(UsageError, match="for sales alone"):
            await desk.propose(clauses=("gifts/2.1", "hospitality/2.1"), groups=wider)
    found = await desk.approved(
        clauses=("gifts/2.1", "hospitality/2.1"), jurisdictions=frozenset({"DE"})
    )
    assert found.scope.groups == {"sales"}

    sales = frozenset({"sales"})
    assert await is_told(desk, groups=sales, jurisdiction="DE")
    assert not await is_told(desk, jurisdiction="DE")
    assert not await is_told(desk, groups=sales, jurisdiction="FR")
    assert not await is_told(desk, groups=sales)
    desk.audience.told = readers("everyone", "sales", country="DE")
    assert HEADING in await desk.ask_in_chat(event="2", thread="2")
    desk.audience.told = readers("everyone", country="DE")
    assert HEADING not in await desk.ask_in_chat(event="3", thread="3")


async def test_narrower_than_its_clauses(desk: Desk) -> None:
    """It can be for fewer people than may read what it rests on."""
    await desk.approved(groups=frozenset({"sales"}))
    assert not await is_told(desk)
    assert await is_told(desk, groups=frozenset({"sales"}))


async def test_a_similar_question_is_offered(desk: Desk) -> None:
    """The other question is quoted beside the usual reply, with none of the officer's words."""
    await desk.publish(
        GIFTS.replace("Gifts", "Hospitality"), "hospitality.md", audience=frozenset({"sales"})
    )
    await desk.approved(question=OTHER, clauses=("hospitality/2.1",))
    sales = frozenset({"sales"})
    near = OTHER.replace("May a", "Can a")

    async def notes(words: str, groups: frozenset[str] = sales, **more: Any) -> list[str]:
        reply = await desk.ask(words, groups=groups, **more)
        assert WORDS not in reply.answer.text
        return [note for note in reply.answer.notes if OTHER in note]

    (note,) = await notes(near)
    assert note.startswith(f"Compliance answered a similar question: \u201c{OTHER}\u201d")
    assert await notes(near, groups=frozenset()) == []
    assert await notes(near.replace("a hamper", "2 hampers")) == []
    assert await notes(near.replace("Can", "Can't")) == []
    assert await notes(near.replace("customer", "customer in Italy")) == []
    assert await notes("Who decides what becomes of a gift from a customer to a team?") == []
    reply = await desk.ask(near, groups=sales, thread="replayed")
    question = await recorded(desk.service, reply.receipt.record_id)
    assert (await desk.service.replayer.replay(question)).difference is None
    await desk.publish(
        GIFTS.replace("Gifts", "Hospitality").replace("EUR 50 per", "EUR 30 per"),
        "hospitality.md",
        audience=frozenset({"sales"}),
    )
    assert await notes(near) == []


async def test_the_words_of_who_asked_are_offered_to_nobody(desk: Desk) -> None:
    """They are matched, and quoted nowhere else."""
    await desk.approved()
    reply = await desk.ask(QUESTION.replace("May my", "Can my"))
    assert QUESTION not in str(reply.answer)


async def test_a_policy_of_one_country(desk: Desk) -> None:
    """A clause that holds in one country makes a precedent for that country."""
    await desk.publish(GIFTS.replace("Gifts", "Travel"), "travel.md", jurisdiction="DE")
    with pytest.raises(UsageError, match="in DE alone"):
        await desk.propose(clauses=("travel/2.1",), jurisdictions=frozenset())
    found = await desk.approved(clauses=("travel/2.1",))
    assert found.scope.jurisdictions == {"DE"}
    assert not await is_told(desk)
    assert await is_told(desk, jurisdiction="DE")


async def test_its_last_day(desk: Desk) -> None:
    """It is told up to the day before, is over then by itself, and that is recorded."""
    found = await desk.approved(expires_on=desk.today + timedelta(days=3))
    assert await is_told(desk)
    await desk.rows(
        "UPDATE citebound.precedents SET expires_on = :today RETURNING id", today=desk.today
    )
    assert not await is_told(desk)
    assert await desk.compare() == 1
    assert await desk.compare() == 0
    assert (await desk.records())[-1]["tag"] == "precedent:expired"
    assert (await desk.service.precedent_desk.show(found.number)).state is PrecedentState.EXPIRED


async def test_withdrawn_and_refused(desk: Desk) -> None:
    """A withdrawn one is told no more, a refused one never; each with its reason, for good."""
    office = desk.service.precedent_desk
    found = await desk.approved()
    assert await is_told(desk)
    with pytest.raises(UsageError, match="expected the reason"):
        await office.withdraw(found.number, ADA, reason=" ")
    await office.withdraw(found.number, ADA, reason="superseded by the new guide")
    assert not await is_told(desk)
    row = await desk.view()
    assert (row["state"], row["ended_because"]) == ("withdrawn", "superseded by the new guide")
    with pytest.raises(UsageError, match="is withdrawn already"):
        await office.withdraw(found.number, ADA, reason="again")

    second = await desk.propose()
    await office.refuse(second.number, GRACE, reason="too broad")
    with pytest.raises(UsageError, match="is refused already"):
        await office.approve(second.number, GRACE)
    assert not await is_told(desk)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("up to EUR 50 per", "up to EUR 30 per", "changed"),
        ("2.3 Contractors", "2.3 Hampers are not gifts.\n\n2.4 Contractors", "amended"),
    ],
)
async def test_a_clause_that_changed_a_moment_ago(
    desk: Desk, before: str, after: str, change: str
) -> None:
    """Not told from the publication on, before anything was compared; then officers hear of it."""
    await desk.approved()
    proposed = await desk.propose()
    assert await is_told(desk)
    await desk.publish(GIFTS.replace(before, after))

    assert not await is_told(desk)
    with pytest.raises(UsageError, match="has changed since it was proposed"):
        await desk.service.precedent_desk.approve(proposed.number, GRACE)
    assert await desk.compare() == 1
    assert not await is_told(desk)
    suspended = (await desk.records())[-1]
    assert (suspended["tag"], suspended["doc"]["why"]) == ("precedent:suspended", change)
    await desk.deliver()
    assert [one for one in await desk.posts() if one in NOTICES].count(NOTICES[1]) == 1


async def test_a_clause_that_only_moved(desk: Desk) -> None:
    """Its words and what is around them stand in the new version: it is bound there, and told."""
    found = await desk.approved()
    await desk.publish(
        GIFTS.replace("## 1 Scope", "## 1 Purpose\n\n1.1 We are fair.\n\n## 2 Scope")
        .replace("1.1 This", "2.1 This")
        .replace("## 2 Limits", "## 3 Limits")
        .replace("2.1 Employees may", "3.1 Employees may")
        .replace("2.2 Emp", "3.2 Emp")
        .replace("2.3 Con", "3.3 Con")
        .replace("## 3 Cash", "## 4 Cash")
        .replace("3.1 Employees must not", "4.1 Employees must not")
    )
    assert not await is_told(desk)
    assert await desk.compare() == 0
    reply = await desk.ask()
    (cited,) = reply.answer.citations
    assert (cited.place.version_label, cited.place.number) == (None, "3.1")
    assert cited.quote == found.clauses[0].quote


async def test_a_policy_that_was_withdrawn(desk: Desk) -> None:
    """It is told until that day and not on it."""
    await desk.approved()
    await desk.service.withdrawals.withdraw("gifts", since=desk.today, reason="replaced")
    assert not await is_told(desk)
    assert await desk.compare() == 1
    assert (await desk.records())[-1]["doc"]["why"] == "withdrawn"


async def test_the_stored_words_are_compared(desk: Desk) -> None:
    """A clause whose stored words are others than those that were approved is not told."""
    await desk.approved()
    await desk.rows(
        "UPDATE citebound.precedent_clauses SET quote = overlay(quote placing 'x' from 1)"
        " RETURNING n"
    )
    assert not await is_told(desk)


async def test_a_race_with_a_publication(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edition that comes between question and answer is noticed."""
    await desk.approved()
    published = asyncio.Event()

    async def late(*given: Any) -> Any:
        if not published.is_set():
            published.set()
            await desk.publish(GIFTS.replace("EUR 50 per", "EUR 20 per"))
        return await tellable(*given)

    tellable = desk.service.precedents.tellable
    monkeypatch.setattr(desk.service.precedents, "tellable", late)
    assert not await is_told(desk)
    assert published.is_set()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"case_number": 99}, "there is no case 99"),
        ({"clauses": ()}, "expected 1 to 10 clauses"),
        ({"clauses": ("gifts/9.9",)}, "no policy in force"),
        ({"clauses": ("nothing/2.1",)}, "no policy in force"),
        ({"clauses": ("gifts/2.1: up to EUR 5000",)}, "do not stand there"),
        ({"question": "May I keep that?"}, "does not say by itself"),
        ({"question": "Hamper? " * 60}, "at most 300 characters"),
        ({"wordings": tuple(f"May I keep hamper {n}?" for n in range(21))}, "at most 20"),
        ({"expires_on": "today"}, "a day after today"),
        ({"expires_on": "far"}, "within 730 days"),
    ],
)
async def test_what_can_not_be_proposed(desk: Desk, more: dict[str, Any], why: str) -> None:
    """One line says why, and nothing is stored."""
    days = {"today": 0, "far": 731}
    if "expires_on" in more:
        more = {"expires_on": desk.today + timedelta(days=days[more["expires_on"]])}
    with pytest.raises(UsageError, match=why):
        await desk.propose(**more)
    assert await desk.records() == []


async def test_it_is_told_to_nobody_whom_the_source_keeps_out(desk: Desk) -> None:
    """A clause that its source lets a group alone read is told to that group alone."""
    proposed = await desk.propose()
    await desk.service.precedent_desk.approve(proposed.number, GRACE)
    assert await is_told(desk)
    await desk.rows(
        "WITH edition AS (INSERT INTO citebound.editions (number, note)"
        "  SELECT max(number) + 1, 'readers' FROM citebound.editions RETURNING number)"
        " INSERT INTO citebound.policy_readers (policy_id, edition_from, audience, source)"
        " SELECT p.id, edition.number, '{finance}', 'house' FROM citebound.policies p, edition"
        "  WHERE p.key = 'gifts' RETURNING edition_from"
    )
    assert not await is_told(desk)
    assert await is_told(desk, groups=frozenset({"finance"}))
