"""Officers see on a card what an edition made of past answers, and approve by a press."""

import asyncio
from datetime import timedelta

import pytest

from bot.actions.affected import DECIDED, MORE_BY_NOW, NO_EDITION, AffectedActions
from bot.actions.press import Outcome, Press, Redraw, Say
from bot.replies.notices import OFFICERS_ONLY
from core.domain.affected import ClauseChange
from core.domain.delivery import NoReaders
from core.domain.officers import Account, Officer, Officers
from tests.integration.replay.conftest import LOWER, Office, Publish

MARIA = Account(platform="fake", tenant="T1", person="O1")
OTTO = Account(platform="fake", tenant="T1", person="O2")
STRANGER = Account(platform="fake", tenant="T1", person="U9")


@pytest.fixture(autouse=True)
def _two_officers(office: Office) -> None:
    """Maria and Otto."""
    known = office.service.officers
    otto = Officer(login="otto", name="Otto", accounts=(OTTO,))
    office.service.officers = Officers(all=(*known.all, otto), channel=known.channel)


async def press(
    office: Office, *, seen: object, edition: object = 2, by: Account = MARIA, key: str = "1"
) -> Outcome:
    """Press "Tell the askers"."""
    actions = AffectedActions(office.service.affected_editions, office.service.officers)
    return await actions.approve(
        Press(who=by, listed=by, is_outside=False, key=key, target=str(edition), choice=str(seen))
    )


async def found(office: Office, publish: Publish, *threads: str) -> None:
    """Let an edition affect an answer in each thread, and post the card."""
    for thread in threads:
        await office.ask(event=thread, thread=thread)
    await publish(LOWER)
    await office.corrector.once()
    await office.deliver()


async def test_a_card_says_what_changed(office: Office, publish: Publish) -> None:
    """How many answers, which clause, what it said and what it says."""
    await found(office, publish, "1", "2")
    assert await office.cards() == ["card: 2 of 2, 2 wait, 0 told"]
    edition = await office.service.affected_editions.find(2)
    assert edition is not None
    clause = edition.clauses[0]
    assert (clause.title, clause.section, clause.answers) == ("Gifts Policy", "2.1", 2)
    assert clause.change is ClauseChange.CHANGED
    assert "up to EUR 50" in (clause.before or "")
    assert "up to EUR 30" in (clause.after or "")
    (row, *_) = await office.rows("SELECT * FROM audit.v_answers_affected_by_change")
    assert (row["before"], row["after"]) == (clause.before, clause.after)


async def test_a_press_approves_and_the_card_follows(office: Office, publish: Publish) -> None:
    """At once, and again once all are told; the record names the officer who pressed."""
    await found(office, publish, "1", "2")
    assert isinstance(await press(office, seen=2, by=OTTO), Redraw)
    await office.deliver()
    assert await office.cards() == ["card: 2 of 2, 0 wait, 0 told"]
    await office.due()
    await office.corrector.once()
    await office.deliver()
    assert await office.cards() == ["card: 2 of 2, 0 wait, 2 told"]
    superseded = await office.tags("answer:superseded")
    assert [one["actor"] for one in superseded] == ["otto", "otto"]


async def test_only_officers_approve(office: Office, publish: Publish) -> None:
    """Whoever else reads the channel; nor somebody of another company."""
    await found(office, publish, "1")
    assert await press(office, seen=1, by=STRANGER) == Say(words=OFFICERS_ONLY)
    actions = AffectedActions(office.service.affected_editions, office.service.officers)
    outside = Press(who=MARIA, listed=MARIA, is_outside=True, key="1", target="2", choice="1")
    assert await actions.approve(outside) == Say(words=OFFICERS_ONLY)
    assert await office.states() == ["found"]


@pytest.mark.parametrize(
    ("edition", "seen"),
    [
        ("9", "1"),
        ("0", "0"),
        ("x", "1"),
        ("2", ""),
        ("2", "-1"),
        ("2", "9" * 30),
        ("\N{ARABIC-INDIC DIGIT ONE}", "1"),
    ],
)
async def test_a_forged_button_does_nothing(
    office: Office, publish: Publish, edition: str, seen: str
) -> None:
    """What comes back from a client is looked up."""
    await found(office, publish, "1")
    assert await press(office, seen=seen, edition=edition) in (
        Say(words=NO_EDITION),
        Say(words=MORE_BY_NOW),
    )
    assert await office.states() == ["found"]


async def test_an_outdated_card_approves_nothing(office: Office, publish: Publish) -> None:
    """More were found since: a new card is posted, and the earlier one shows the same."""
    late = await office.ask(event="2", thread="2")
    of_late = f"conversation_id = '{late}' AND reply->>'answer' IS NOT NULL"
    await office.change(f"UPDATE citebound.outbox SET state = 'withheld' WHERE {of_late}")  # noqa: S608
    await found(office, publish, "1")
    assert await office.cards() == ["card: 1 of 2, 1 wait, 0 told"]
    await office.change(f"UPDATE citebound.outbox SET state = 'posted' WHERE {of_late}")  # noqa: S608
    tomorrow = office.service.clock.now().date() + timedelta(days=1)
    assert await office.service.affected.compare(on_day=tomorrow) == 1
    await office.deliver()
    assert await office.cards() == ["card: 2 of 2, 2 wait, 0 told"] * 2
    assert await press(office, seen=1) == Say(words=MORE_BY_NOW)
    assert await office.states() == ["found", "found"]
    assert isinstance(await press(office, seen=2), Redraw)
    await office.deliver()
    assert await office.cards() == ["card: 2 of 2, 0 wait, 0 told"] * 2


async def test_two_presses_at_once_and_a_repeated_one(office: Office, publish: Publish) -> None:
    """Each answer is approved once; whoever was second is told, a repetition is not."""
    await found(office, publish, "1", "2")
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(press(office, seen=2, by=by, key=by.person)) for by in (MARIA, OTTO)
        ]
    outcomes = [task.result() for task in tasks]
    assert sum(isinstance(one, Redraw) for one in outcomes) == 1
    assert sum(one == Say(words=DECIDED) for one in outcomes) == 1
    first = (MARIA, OTTO)[[isinstance(one, Redraw) for one in outcomes].index(True)]
    assert isinstance(await press(office, seen=2, by=first), Redraw)
    rows = await office.rows("SELECT DISTINCT approved_by FROM citebound.affected_answers")
    assert len(rows) == 1
    await office.due()
    await office.corrector.once()
    await office.deliver()
    assert sum("EUR 30" in post for post in await office.posts()) == 2
    assert await office.cards() == ["card: 2 of 2, 0 wait, 2 told"]


async def test_a_kill_leaves_no_card_outdated(office: Office, publish: Publish) -> None:
    """What was settled by a process that then died is shown by whoever looks next."""
    await found(office, publish, "1")
    await press(office, seen=1)
    await office.deliver()
    await office.change("UPDATE citebound.affected_answers SET state = 'confirmed'")
    await office.corrector.once()
    await office.corrector.once()
    await office.deliver()
    assert await office.cards() == ["card: 1 of 2, 0 wait, 0 told"]
    queued = await office.rows("SELECT 1 FROM citebound.outbox WHERE cause LIKE 'affected:%'")
    assert len(queued) == 3, "the card, the approval, the end"


async def test_a_card_stands_where_officers_alone_read(office: Office, publish: Publish) -> None:
    """It quotes policies: in a channel that anybody may join it is not posted."""
    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    office.audience.told = NoReaders(may_read_direct=True, reason="guest")
    await office.deliver()
    rows = await office.rows(
        "SELECT state, is_direct FROM citebound.outbox WHERE cause LIKE 'affected:%'"
    )
    assert rows == [{"state": "dead", "is_direct": True}]
    assert await office.cards() == []
