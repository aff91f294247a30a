"""Who may do what to a case, and what a case is made of."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from core.cases.rules import (
    Change,
    changed,
    decide,
    goes_to_compliance,
    is_superseded,
    may_add,
    new_case,
    news_for_asker,
    why_not_opened,
    with_note,
)
from core.domain.answer import Answer, Outcome, RefusalKind
from core.domain.case import CaseState, NewCase, Opener, ReviewVerdict, StoredCase, Urgency
from core.domain.case_actions import ASKERS_OWN, CaseAction, CaseActionKind, Opening, Refusal
from core.domain.delivery import CasePart
from core.domain.officers import Account, Officers
from tests.factories import NOW
from tests.unit.cases.world import (
    ADA,
    ANSWERED,
    ASKER,
    ESCALATED,
    GRACE,
    OFFICERS,
    OTHER,
    REPORTED,
    asked,
    pipeline_case,
    run,
)

REPORT = "My manager takes bribes from a supplier."
OPEN, CLAIMED, DONE, CLOSED = CaseState
CLAIM, ANSWER, ACKNOWLEDGE, MESSAGE, CLOSE, *_MARKS, ACCEPT, ASK_AGAIN = CaseActionKind
MARK_WRONG, MARK_PARTLY, MARK_RIGHT = _MARKS


def action(kind: CaseActionKind, by: Account = ADA, **more: Any) -> CaseAction:
    """Return an action, by an officer if the list says so."""
    return CaseAction(kind=kind, case_id="k1", by=by, officer=OFFICERS.find(by), key="k", **more)


def opening(by: Account = ASKER, **more: Any) -> Opening:
    """Return a wish for a case."""
    return Opening(answer_id="a1", by=by, officer=OFFICERS.find(by), key="k", **more)


def made(answer: Answer = ANSWERED, question: str = "May I accept a gift?", **more: Any) -> NewCase:
    """Return the case of an answer, as its asker opens it."""
    about = asked(answer, question)
    return new_case(about, opening(**more), case_id="k1", number=1, record_id="r2", now=NOW)


def case(state: CaseState, owner: str | None = None) -> StoredCase:
    """Return the case of an answer."""
    return pipeline_case(state=state, owner=owner, answer=ANSWERED)


ADAS = Change(state=CLAIMED, owner=OFFICERS.find(ADA))
ANSWERS = Change(state=DONE, owner=OFFICERS.find(ADA))
CLOSES = Change(state=CLOSED)


@pytest.mark.parametrize(
    ("state", "owner", "claim", "answer", "close"),
    [
        (OPEN, None, ADAS, ANSWERS, CLOSES),
        (CLAIMED, "ada", None, ANSWERS, CLOSES),
        (CLAIMED, "grace", Refusal.CLAIMED, Refusal.CLAIMED, Refusal.CLAIMED),
        (DONE, "ada", Refusal.ANSWERED, Refusal.ANSWERED, CLOSES),
        (DONE, "grace", Refusal.ANSWERED, Refusal.ANSWERED, CLOSES),
        (CLOSED, "ada", Refusal.CLOSED, Refusal.CLOSED, None),
        (CLOSED, None, Refusal.CLOSED, Refusal.CLOSED, None),
    ],
)
def test_what_an_officer_may(
    state: CaseState, owner: str | None, claim: object, answer: object, close: object
) -> None:
    """None: it is so already."""
    about = case(state, owner)
    assert [decide(about, action(kind)) for kind in (CLAIM, ANSWER, CLOSE)] == [
        claim,
        answer,
        close,
    ]


def test_a_case_is_taken_over_on_purpose() -> None:
    """By a claim alone: an answer never overrides another officer."""
    about = case(CLAIMED, "grace")
    assert decide(about, action(CLAIM, takes_over=True)) == ADAS
    assert decide(about, action(ANSWER, takes_over=True)) is Refusal.CLAIMED


@pytest.mark.parametrize("kind", [CLAIM, ANSWER])
def test_nobody_answers_what_they_asked_themselves(kind: CaseActionKind) -> None:
    """Unless nobody else is an officer; by whichever account they asked."""
    asked_by_her = replace(case(OPEN), account=ADA)
    assert decide(asked_by_her, action(kind)) is Refusal.OWN_QUESTION
    assert decide(asked_by_her, action(kind, takes_over=True)) is Refusal.OWN_QUESTION
    assert isinstance(decide(asked_by_her, action(kind, GRACE)), Change)
    assert isinstance(decide(asked_by_her, action(kind, is_sole_officer=True)), Change)
    at_console = replace(
        action(kind), by=Account(platform="officer", tenant="console", person="ada")
    )
    assert decide(asked_by_her, at_console) is Refusal.OWN_QUESTION


@pytest.mark.parametrize(
    ("state", "accept", "ask_again"),
    [
        (OPEN, Refusal.NOT_ANSWERED, None),
        (CLAIMED, Refusal.NOT_ANSWERED, None),
        (DONE, Change(state=CLOSED), Change(state=CLAIMED)),
        (CLOSED, None, Refusal.CLOSED),
    ],
)
def test_what_the_asker_may(state: CaseState, accept: object, ask_again: object) -> None:
    """Only once an officer has answered."""
    about = case(state, "ada")
    assert decide(about, action(ACCEPT, ASKER)) == accept
    assert decide(about, action(ASK_AGAIN, ASKER)) == ask_again


@pytest.mark.parametrize(("kind", "state"), [*product(CaseActionKind, CaseState)])
def test_nobody_else_may_anything(kind: CaseActionKind, state: CaseState) -> None:
    """Whatever state it is in: neither a colleague, nor an asker as officer, nor the reverse."""
    is_askers = kind in ASKERS_OWN
    why = Refusal.NOT_ASKER if is_askers else Refusal.NOT_OFFICER
    elsewhere = replace(ASKER, tenant="T2")
    for who in (OTHER, elsewhere, ADA if is_askers else ASKER):
        assert decide(case(state, "ada"), action(kind, who)) is why


def test_only_an_answer_is_marked_wrong() -> None:
    """Once, and the state of its case stays."""
    about = case(CLOSED)
    assert decide(about, action(MARK_WRONG)) == CLOSES
    assert decide(replace(about, verdict=ReviewVerdict.WRONG), action(MARK_WRONG)) is None
    assert decide(replace(about, verdict=ReviewVerdict.WRONG), action(MARK_RIGHT)) == CLOSES
    assert decide(about, action(MARK_PARTLY)) == CLOSES
    for answer in (ESCALATED, None):
        nothing = replace(about, answer=answer)
        assert decide(nothing, action(MARK_WRONG)) is Refusal.NOTHING_TO_MARK


def test_an_action_changes_what_it_says() -> None:
    """Owner, times and mark; what it does not touch stays."""
    later = NOW + timedelta(hours=1)
    about = case(OPEN)
    claimed = changed(about, action(CLAIM), ADAS, now=later)
    assert claimed == replace(about, state=CLAIMED, owner="ada", owner_name="Ada", claimed_at=later)
    answered = changed(claimed, action(ANSWER), ANSWERS, now=later + timedelta(hours=1))
    assert answered.claimed_at == later
    assert answered.answered_at == later + timedelta(hours=1)
    again = changed(answered, action(ASK_AGAIN, ASKER), Change(state=CLAIMED), now=later)
    assert (again.owner, again.owner_name, again.is_wrong) == ("ada", "Ada", False)
    assert changed(again, action(MARK_WRONG), Change(state=CLAIMED), now=later).is_wrong


def test_the_asker_hears_of_a_claim_and_of_a_close_without_an_answer() -> None:
    """Of nothing else: an answer speaks for itself."""
    about = case(CLOSED)
    told = {kind: news_for_asker(about, action(kind)) for kind in CaseActionKind}
    assert {kind: (news.what, news.state) for kind, news in told.items() if news} == {
        CLAIM: (CasePart.NEWS, CLAIMED),
        CLOSE: (CasePart.NEWS, CLOSED),
        ACKNOWLEDGE: (CasePart.ACKNOWLEDGED, None),
    }
    assert news_for_asker(replace(about, answered_at=NOW), action(CLOSE)) is None


@pytest.mark.parametrize(
    ("answer", "expected"), [(ANSWERED, True), (ESCALATED, True), (REPORTED, False), (None, False)]
)
def test_an_officers_answer_replaces_what_was_shown(answer: Answer | None, expected: bool) -> None:
    """Nothing at the reply to a report ever hints at a case."""
    assert is_superseded(replace(case(OPEN), answer=answer)) is expected


@pytest.mark.parametrize(
    ("answer", "by", "why"),
    [
        (ANSWERED, ASKER, None),
        (ANSWERED, ADA, None),
        (ANSWERED, OTHER, Refusal.NOT_ASKER),
        (REPORTED, ASKER, None),
        (REPORTED, ADA, Refusal.NOT_ASKER),
        (replace(ANSWERED, outcome=Outcome.CLARIFICATION), ASKER, Refusal.NO_CASE),
        (replace(ANSWERED, outcome=Outcome.IGNORED), ASKER, Refusal.NO_CASE),
        (replace(ANSWERED, outcome=Outcome.CLARIFICATION), OTHER, Refusal.NOT_ASKER),
    ],
)
def test_who_may_open_a_case(answer: Answer, by: Account, why: Refusal | None) -> None:
    """Its asker, and an officer unless it was a report."""
    assert why_not_opened(asked(answer), opening(by)) is why


@pytest.mark.parametrize("told", ["question", "standalone", "note"])
def test_what_tells_of_somebody_is_kept_out_of_channels(told: str) -> None:
    """The question, what its thread adds, and the note, each by itself."""
    about = asked()
    if told != "note":
        about = replace(about, **{told: REPORT})
    note = REPORT if told == "note" else ""
    new = new_case(about, opening(note=note), case_id="k", number=1, record_id="r", now=NOW)
    assert (new.is_sensitive, new.is_private) == (True, True)
    assert new.opener is (Opener.ASKER if told == "note" else Opener.PIPELINE)
    assert not made().is_sensitive


def test_a_case_names_nobody_whose_idea_it_was_not() -> None:
    """What an officer takes up, and a report, whatever the form said."""
    assert made().opener is Opener.ASKER
    assert made(by=ADA).opener is Opener.OFFICER
    assert made(REPORTED).opener is Opener.PIPELINE
    assert made(question=REPORT).opener is Opener.PIPELINE


@pytest.mark.parametrize(
    ("claim", "urgency", "days"),
    [("Report a loss to the service desk within 1 hour.", Urgency.TODAY, 1), ("", Urgency.WEEK, 7)],
)
def test_what_can_not_wait_is_due_today(claim: str, urgency: Urgency, days: int) -> None:
    """Whatever its asker chose."""
    about = replace(asked(), claims=(claim,))
    new = new_case(about, opening(), case_id="k", number=1, record_id="r", now=NOW)
    assert (new.urgency, new.due_at) == (urgency, NOW + timedelta(days=days))


def test_a_note_makes_a_case_its_askers() -> None:
    """Name and place are shown from then on; it is due no later, and no less private."""
    before = pipeline_case(due_at=NOW + timedelta(days=2), is_private=True)
    after = with_note(before, opening(note="Deal X", permalink="https://p"), now=NOW)
    assert (after.opener, after.note, after.permalink) == (Opener.ASKER, "Deal X", "https://p")
    assert (after.due_at, after.is_private, after.is_sensitive) == (before.due_at, True, False)
    urgent = with_note(before, opening(urgency=Urgency.TODAY), now=NOW)
    assert urgent.due_at == NOW + timedelta(days=1)
    told = with_note(pipeline_case(), opening(note=REPORT), now=NOW)
    assert (told.is_sensitive, told.is_private) == (True, True)


@pytest.mark.parametrize(
    ("by", "more", "opener", "expected"),
    [
        (ASKER, {}, Opener.ASKER, True),
        (ASKER, {}, Opener.PIPELINE, False),
        (OTHER, {}, Opener.ASKER, False),
        (ADA, {}, Opener.ASKER, False),
        (ASKER, {"opener": Opener.ASKER}, Opener.ASKER, False),
        (ASKER, {"is_sensitive": True}, Opener.ASKER, False),
        (ASKER, {"state": CaseState.ANSWERED}, Opener.ASKER, False),
    ],
)
def test_only_the_asker_adds_a_note_and_once(
    by: Account, more: dict[str, Any], opener: Opener, expected: bool
) -> None:
    """To a case that we opened, while it waits."""
    assert may_add(asked(ESCALATED), pipeline_case(**more), opening(by, opener=opener)) is expected


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        (ESCALATED, "May I accept a gift?", True),
        (replace(ESCALATED, outcome=Outcome.REFUSED, refusal=RefusalKind.CONFLICT), "May I?", True),
        (ANSWERED, "May I accept a gift?", False),
        (replace(ESCALATED, outcome=Outcome.FAILED), "May I accept a gift?", False),
        (REPORTED, "May I accept a gift?", False),
        (ESCALATED, REPORT, False),
        (ESCALATED, "My colleague got the contract somehow.", False),
        (ESCALATED, "I'll be late tomorrow.", False),
    ],
)
def test_what_only_a_person_can_answer_goes_to_compliance(
    answer: Answer, question: str, expected: bool
) -> None:
    """Neither an answer, nor a statement, nor what may tell of somebody."""
    assert goes_to_compliance(run(answer, question), OFFICERS) is expected


def test_nothing_goes_to_compliance_where_nobody_hears_of_it() -> None:
    """Nor what did not name us, nor what tells of somebody by what was said before it."""
    escalated = run(ESCALATED)
    assert not goes_to_compliance(escalated, Officers())
    for more in ({"is_addressed": False}, {"standalone": f"{REPORT} May I accept a gift?"}):
        question = replace(escalated.question, **more)
        assert not goes_to_compliance(replace(escalated, question=question), OFFICERS)


def test_another_officers_name_is_no_claim() -> None:
    """Officers are told apart by login."""
    assert decide(case(CLAIMED, "grace"), action(CLOSE, GRACE)) == CLOSES
