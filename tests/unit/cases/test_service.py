"""What presses do to cases, and the answers that open one, in transactions without a database."""

from dataclasses import replace

import pytest

from core.agent.wording import ASK_A_PERSON, NOT_PASSED_ON
from core.cases.rules import PASSED_ON_AT_MOST
from core.domain.answer import Answer
from core.domain.case import CaseState, Opener
from core.domain.case_actions import CaseDone, CaseRefused, CaseResult, Refusal
from core.domain.errors import IntegrityError, OvertakenError
from core.domain.officers import Account, Officers
from core.ports import Completion
from core.ports.cases import CaseUnit
from tests.unit.cases.world import (
    ADA,
    ANSWERED,
    ASKER,
    CHANNEL,
    ESCALATED,
    GRACE,
    OTHER,
    REPORTED,
    InMemoryCases,
    run,
)

CARD = f"card to {CHANNEL.person}"
COMPLETION = Completion(message_id=1, lease_token="t", cause="r0")  # noqa: S106  # no password


async def opened(answer: Answer = ANSWERED) -> tuple[InMemoryCases, str]:
    """Let the asker open a case; return its id, and forget what was posted of it."""
    store = InMemoryCases(answer)
    await store.service.open("a1", ASKER, key="open")
    store.rows.posts.clear()
    store.rows.tags.clear()
    return store, store.case.case_id


async def test_a_case_is_opened_once() -> None:
    """Later wishes are told of it; nothing is posted twice."""
    store = InMemoryCases()
    results = [await store.service.open("a1", ASKER, key=key) for key in ("1", "1", "2")]
    assert [result.is_new for result in results if isinstance(result, CaseDone)] == [
        True,
        False,
        False,
    ]
    assert store.rows.posts == [CARD, "news open in the thread"]
    assert store.rows.tags == ["case:opened"]


async def test_a_report_is_sent_to_those_on_call_alone() -> None:
    """No channel sees its card, and its thread hears nothing."""
    store = InMemoryCases(REPORTED)
    await store.service.open("a1", ASKER, key="1")
    assert store.rows.posts == ["card to @ada", "news open directly"]


@pytest.mark.parametrize("by", [OTHER, replace(ASKER, tenant="T2")])
async def test_who_may_not_open_a_case_learns_nothing(by: Account) -> None:
    """That is recorded, unless there is no such answer in their workspace."""
    store, _ = await opened()
    result = await store.service.open("a1", by, key="1")
    is_here = by.tenant == "T"
    why = Refusal.NOT_ASKER if is_here else Refusal.UNKNOWN
    assert result == CaseRefused(why=why)
    assert store.rows.tags == (["case:refused p-ben not_asker"] if is_here else [])


async def test_an_answer_is_sent_and_replaces_the_first() -> None:
    """To the asker, with the cards; both are recorded."""
    store, case_id = await opened()
    await store.service.answer(case_id, ADA, key="1", text="Up to EUR 35.")
    assert store.rows.posts == ["reply in the thread", "superseded", "cards"]
    assert store.rows.tags == ["case:answered", "answer:superseded"]
    assert (store.case.state, store.case.owner) == (CaseState.ANSWERED, "ada")


async def test_the_answer_to_a_report_replaces_nothing() -> None:
    """It goes to its asker alone."""
    store, case_id = await opened(REPORTED)
    await store.service.answer(case_id, ADA, key="1", text="Thank you.")
    assert store.rows.posts == ["reply directly", "cards"]
    assert store.rows.tags == ["case:answered"]


async def test_a_repeated_click_hears_what_came_of_the_first() -> None:
    """Done or refused: neither is done, posted or recorded twice."""
    store, case_id = await opened()

    async def pressed(key: str) -> CaseResult:
        return await store.service.claim(case_id, GRACE, key=key)

    await store.service.claim(case_id, ADA, key="1")
    first = await pressed("2")
    await store.service.close(case_id, ADA, key="3")
    assert await pressed("2") == CaseRefused(why=Refusal.CLAIMED, case=store.case.shown())
    assert isinstance(first, CaseRefused)
    again = await store.service.claim(case_id, ADA, key="1")
    assert again == CaseDone(case=store.case.shown(), is_new=False)
    assert store.rows.tags == ["case:assigned", "case:refused", "case:closed"]


async def test_a_click_that_was_allowed_allows_no_other() -> None:
    """An asker who uses its key for what officers do is refused, and sees no officer's view."""
    store, case_id = await opened()
    await store.service.ask_again(case_id, ASKER, key="1")
    await store.service.answer(case_id, ADA, key="2", text="Yes.")
    assert isinstance(await store.service.accept(case_id, ASKER, key="1"), CaseDone)
    assert await store.service.claim(case_id, ASKER, key="1") == CaseRefused(
        why=Refusal.NOT_OFFICER
    )


async def test_a_case_is_read_again_once_it_is_locked() -> None:
    """Of two claims at once the second finds the first."""
    store, case_id = await opened()
    taken = replace(store.case, state=CaseState.CLAIMED, owner="grace", owner_name="Grace")
    store.at_lock = lambda: store.rows.cases.update({case_id: taken})
    result = await store.service.claim(case_id, ADA, key="1")
    assert isinstance(result, CaseRefused)
    assert result.why is Refusal.CLAIMED
    assert store.rows.posts == []


async def test_what_fails_in_the_middle_changes_nothing() -> None:
    """Neither the case, nor the record, nor what is posted."""
    store, case_id = await opened()
    before = store.case

    async def fails(unit: CaseUnit) -> None:
        await unit.rows.save(replace(before, state=CaseState.CLOSED))
        raise IntegrityError

    with pytest.raises(IntegrityError):
        await store.run(fails)
    assert store.rows.cases == {case_id: before}


async def test_an_officer_is_told_before_writing_whether_the_case_is_theirs() -> None:
    """Nothing is logged of the question; of who is no officer it is."""
    store, case_id = await opened()
    service = store.service
    assert isinstance(await service.begin_answer(case_id, ADA, key="1"), CaseDone)
    await service.claim(case_id, GRACE, key="2")
    told = await service.begin_answer(case_id, ADA, key="3")
    assert (isinstance(told, CaseRefused) and told.why) is Refusal.CLAIMED
    assert await service.begin_answer("none", ADA, key="4") == CaseRefused(why=Refusal.UNKNOWN)
    assert [kind for kind, *_ in store.rows.log] == ["open", "claim"]
    await service.begin_answer(case_id, OTHER, key="5")
    assert store.rows.log[-1] == ("answer", "p-ben", Refusal.NOT_OFFICER)


async def test_what_only_a_person_can_answer_names_its_case() -> None:
    """The answer is recorded with the number, before its case is opened, without a name."""
    store = InMemoryCases(ESCALATED)
    receipt = await store.recorder().record(run(ESCALATED), completion=COMPLETION)
    assert (receipt.answer.case_number, store.rows.answers) == (1, [receipt.answer])
    assert (store.case.number, store.case.opener) == (1, Opener.PIPELINE)
    assert store.rows.posts == ["answer", CARD]
    shown = store.case.shown()
    assert (shown.asker, shown.permalink, shown.is_private) == (None, None, True)


async def test_of_one_person_no_more_are_passed_on_than_officers_can_take() -> None:
    """The asker is told to send it, and nothing is opened."""
    store = InMemoryCases(ESCALATED)
    store.rows.passed_on = PASSED_ON_AT_MOST
    receipt = await store.recorder().record(run(ESCALATED), completion=COMPLETION)
    assert receipt.answer.text.endswith(f"{NOT_PASSED_ON.en} {ASK_A_PERSON.en}")
    assert (store.rows.cases, store.rows.posts) == ({}, ["answer"])


@pytest.mark.parametrize(
    ("answer", "completion", "officers"),
    [
        (ANSWERED, COMPLETION, True),
        (ESCALATED, replace(COMPLETION, is_dead=True), True),
        (ESCALATED, None, True),
        (ESCALATED, COMPLETION, False),
    ],
    ids=["answered", "given up", "at the terminal", "no officers"],
)
async def test_all_else_is_recorded_as_it_is(
    answer: Answer, completion: Completion | None, officers: bool
) -> None:
    """Its words are not touched, and there is no case."""
    store = InMemoryCases(answer)
    recorder = store.recorder() if officers else store.recorder(Officers())
    receipt = await recorder.record(run(answer), completion=completion)
    assert (receipt.answer, store.rows.cases) == (answer, {})


async def test_an_answer_that_was_overtaken_leaves_nothing() -> None:
    """Neither answer nor case: whoever has the lease answers."""
    store = InMemoryCases(ESCALATED)
    store.is_overtaken = True
    with pytest.raises(OvertakenError):
        await store.recorder().record(run(ESCALATED), completion=COMPLETION)
    assert (store.rows.answers, store.rows.cases, store.rows.posts) == ([], {}, [])
