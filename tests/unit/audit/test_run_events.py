"""What a run tells beside its outcome."""

from dataclasses import replace

import pytest

from core.audit.run_events import run_events
from core.domain.answer import Answer, Outcome, RefusalKind
from core.domain.json_value import Json
from core.domain.question import UNASKED_SLOT, Assumption, Turn
from core.domain.run import Run
from tests.factories import shown_citations
from tests.unit.cases.world import ANSWERED, ESCALATED, run

GERMANY = Assumption(slot="jurisdiction", value="Germany", source="asker")
FRANCE = replace(GERMANY, value="France")
ASKED_BACK = Turn(
    question="May I accept a gift?",
    outcome="clarification",
    answer="Where do you work?",
    slot="jurisdiction",
    asker="somebody",
    answer_id="a0",
)
SMALL_TALK = replace(ASKED_BACK, slot=UNASKED_SLOT, answer_id="a1")
TOLD = replace(ASKED_BACK, outcome="answered", slot=None, assumptions=(GERMANY,), answer_id="a2")


def told(
    answer: Answer = ANSWERED, *, turns: tuple[Turn, ...] = (), says: tuple[Assumption, ...] = ()
) -> list[tuple[str, str | None, dict[str, Json]]]:
    """Return tag, subject and what is said of each event."""
    made: Run = run(answer)
    asked = replace(made.question, history=turns, assumptions=says)
    events = run_events(replace(made, question=asked), answer_id="a9", record_id="r9")
    assert all((one.cause, one.trace_id, one.seq) == ("r9", "question", None) for one in events)
    return [(one.tag.value, one.subject, dict(one.says)) for one in events]


def test_a_question_without_a_past_tells_nothing_more() -> None:
    """Its record says it all."""
    assert told() == []


@pytest.mark.parametrize("turns", [(ASKED_BACK,), (ASKED_BACK, SMALL_TALK)])
def test_a_question_back_is_answered_or_left(turns: tuple[Turn, ...]) -> None:
    """By the next message that is no small talk; the event is about the question back."""
    slot = {"slot": "jurisdiction"}
    stated = ("assumption:stated", "a9", {"slot": "jurisdiction", "source": "asker"})
    assert told(turns=turns, says=(GERMANY,)) == [("clarification:answered", "a0", slot), stated]
    assert told(turns=turns) == [("clarification:expired", "a0", slot)]
    small = replace(ANSWERED, outcome=Outcome.CLARIFICATION, slot=UNASKED_SLOT)
    assert told(small, turns=turns) == []


def test_what_was_known_from_before_is_not_stated_again() -> None:
    """What the thread or the place says is no statement of this message."""
    known = tuple(replace(GERMANY, source=source) for source in ("thread", "scope"))
    assert told(turns=(TOLD,), says=known) == []


def test_another_fact_revokes_the_earlier_one_of_the_same_asker() -> None:
    """Not one that somebody else stated; the same again revokes nothing."""
    stated = ("assumption:stated", "a9", {"slot": "jurisdiction", "source": "asker"})
    revoked = ("assumption:revoked", "a9", {"slot": "jurisdiction"})
    assert told(turns=(TOLD,), says=(FRANCE,)) == [revoked, stated]
    assert told(turns=(TOLD,), says=(GERMANY,)) == [stated]
    assert told(turns=(replace(TOLD, asker="else"),), says=(FRANCE,)) == [stated]


def test_a_conflict_names_its_sections_and_no_text() -> None:
    """Each place once."""
    cited = shown_citations("Up to EUR 50.", "Up to EUR 70.")
    conflict = replace(ESCALATED, refusal=RefusalKind.CONFLICT, citations=cited)
    ((tag, subject, says),) = told(conflict)
    assert (tag, subject) == ("conflict:found", "a9")
    assert says == {"sections": [{"policy": "gifts", "section": "1"}]}
