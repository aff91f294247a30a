"""After an approval each asker is told in the thread what holds today, once."""

import asyncio

import pytest

from core.domain.delivery import NoReaders, Readers
from core.domain.errors import TransientError
from tests.acceptance import disputed
from tests.integration.replay.conftest import GIFTS, LOWER, Office, Publish, recorded


async def test_the_asker_is_told_in_the_thread(office: Office, publish: Publish) -> None:
    """Nothing before the approval; then the new answer, and a mark at the old one; all recorded."""
    conversation = await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    await office.deliver()
    (first, card) = await office.posts()
    assert "EUR 50" in first
    assert card == "card: 1 of 2, 1 wait, 0 told"

    assert await office.approve() == 1
    assert await office.approve() == 0
    await office.corrector.once()
    await office.corrector.once()
    await office.deliver()

    marked, _, told = await office.posts()
    assert marked == f"outdated: {first}"
    assert "EUR 30" in told
    (new,) = await office.rows(
        "SELECT reply, conversation_id::text AS place FROM citebound.outbox"
        " WHERE reply->'answer'->>'answer' LIKE '%EUR 30%'"
    )
    assert new["place"] == conversation
    assert "Gifts Policy, 2.1 changed since" in new["reply"]["answer"]["notes"][0]
    assert await office.states() == ["superseded"]
    (superseded,) = await office.tags("answer:superseded")
    assert superseded["actor"] == "maria"
    assert superseded["doc"]["instead"] == new["reply"]["answer_id"]
    (row,) = await office.rows("SELECT * FROM audit.v_answers_affected_by_change")
    assert (row["still_holds"], row["notified_at"] is not None) == (False, True)
    question = await recorded(office.service, new["reply"]["record_id"])
    assert (await office.service.replayer.replay(question)).difference is None


async def test_an_answer_that_holds_is_confirmed_in_silence(
    office: Office, publish: Publish
) -> None:
    """Something beside the quote changed, and the answer did not."""
    await office.ask()
    await publish(GIFTS.replace("must not accept gifts", "must not accept any gift"))
    await office.corrector.once()
    assert await office.approve() == 1
    await office.corrector.once()
    await office.deliver()

    (_, card) = await office.posts()
    assert card == "card: 1 of 2, 0 wait, 0 told"
    assert await office.states() == ["confirmed"]
    assert len(await office.tags("answer:confirmed")) == 1
    assert await office.tags("answer:superseded") == []


async def test_what_has_no_answer_any_more_is_told(office: Office) -> None:
    """The policy is withdrawn: the asker hears that nothing answers, and what changed."""
    await office.ask()
    today = office.service.clock.now().date()
    await office.service.withdrawals.withdraw("gifts", since=today, reason="replaced")
    await office.corrector.once()
    assert await office.approve(policy="gifts") == 1
    await office.corrector.once()
    await office.deliver()

    rows = await office.rows(
        "SELECT reply->'answer' AS answer FROM citebound.outbox"
        " WHERE reply->'answer'->>'outcome' = 'refused'"
    )
    assert len(rows) == 1
    assert "Gifts Policy, 2.1 changed since" in rows[0]["answer"]["notes"][0]


async def test_equal_questions_of_a_thread_are_corrected_once(
    office: Office, publish: Publish
) -> None:
    """Whoever asked twice is told once; another thread is told, too."""
    await office.ask(event="1")
    await office.ask(event="2")
    await office.ask(event="3", thread="2", person="U2")
    await publish(LOWER)
    await office.corrector.once()
    assert await office.approve() == 2
    await office.corrector.once()
    await office.deliver()
    assert sorted(await office.states()) == ["dropped", "superseded", "superseded"]
    assert sum("EUR 30" in post for post in await office.posts()) == 2


async def test_a_question_that_was_passed_on_is_replayed(office: Office, publish: Publish) -> None:
    """Its answer names the case that it became."""
    for name, policy in disputed.POLICIES.items():
        await publish(policy, name)
    await office.ask(disputed.QUESTION)
    (row,) = await office.rows("SELECT id::text FROM audit.record WHERE outcome IS NOT NULL")
    question = await recorded(office.service, row["id"])
    assert question.answer["case"] == 1
    assert (await office.service.replayer.replay(question)).difference is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE citebound.outbox SET removed_at = now()",
        "UPDATE citebound.outbox SET state = 'withheld'",
    ],
)
async def test_only_what_is_shown_counts(office: Office, publish: Publish, statement: str) -> None:
    """Removed or never shown: neither found nor, between approval and correction, corrected."""
    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    assert await office.approve() == 1
    await office.change(statement)
    await office.corrector.once()
    assert await office.states() == ["dropped"]

    await office.ask("When must I report a gift?", thread="2")
    await office.change(statement)
    await publish(LOWER.replace("within 5 working days", "within 9 working days"))
    await office.corrector.once()
    assert await office.states() == ["dropped"]


async def test_readers_are_those_of_today(office: Office, publish: Publish) -> None:
    """A guest joined: the correction goes to the asker alone. Nobody may read: it is dropped."""
    await office.ask()
    await office.ask(event="2", thread="2")
    await publish(LOWER)
    await office.corrector.once()
    await office.deliver()
    assert await office.approve() == 2
    office.audience.told = NoReaders(may_read_direct=False, reason="guest")
    (waiting, _) = await office.states()
    assert waiting == "approved"
    await office.corrector.once()
    assert await office.states() == ["dropped", "dropped"]
    assert sum("EUR 30" in post for post in await office.posts()) == 0


async def test_two_at_once_and_a_kill_tell_once(
    office: Office, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that breaks off is followed by another, and two never tell twice."""
    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    await office.approve()
    claimed = await office.service.corrections.claim()
    assert claimed is not None
    assert await office.service.corrections.claim() is None, "it is leased"
    await office.due()
    async with asyncio.TaskGroup() as group:
        group.create_task(office.corrector._attempt(claimed))  # pyright: ignore[reportPrivateUsage]
        group.create_task(office.corrector.once())
    await office.deliver()
    assert sum("EUR 30" in post for post in await office.posts()) == 1
    assert len(await office.tags("answer:superseded")) == 1


async def test_what_was_decided_meanwhile_is_left(office: Office, publish: Publish) -> None:
    """A process that took too long finds that another one confirmed it, and tells nobody."""
    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    await office.approve()
    claimed = await office.service.corrections.claim()
    assert claimed is not None
    await office.service.corrections.confirm(claimed)
    await office.corrector._attempt(claimed)  # pyright: ignore[reportPrivateUsage]
    await office.deliver()
    assert await office.states() == ["confirmed"]
    assert not any("EUR 30" in post for post in await office.posts())


async def test_who_was_forgotten_can_not_be_told(office: Office, publish: Publish) -> None:
    """Nobody knows any more where, or who: it is settled without a word."""
    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    await office.approve()
    await office.change("UPDATE citebound.inbox SET person = ''")
    assert await office.service.corrections.claim() is None
    assert await office.states() == ["dropped"]


async def test_what_breaks_is_tried_again_and_left_in_the_end(
    office: Office, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not lost, and does not go on for ever."""

    async def broken(*_: object, **__: object) -> Readers:
        raise TransientError("gone")

    await office.ask()
    await publish(LOWER)
    await office.corrector.once()
    await office.approve()
    monkeypatch.setattr(office.audience, "readers", broken)
    for _ in range(5):
        await office.corrector.once()
        await office.due()
    assert await office.states() == ["failed"]
