"""Policies as if sections were not there, and labelled questions asked of them."""

from datetime import date

from core.agent.rehearsal import SPARE, WithoutSections, is_in, without_sections
from core.retrieval.retriever import Query, Retriever
from evals.measuring.labelled import rehearse_labelled
from tests.factories import make_judgement, make_place, make_scope
from tests.fakes import InMemoryCorpus, InMemoryOntology, InMemorySearch, ScriptedReasoner
from tests.unit.agent.test_service import make_service
from tests.unit.agent.world import CASH, GIFTS, REGISTER, REPORTING, TRUE, says

LIMITS = frozenset({("gifts", "1")})


def test_a_section_is_named_by_number_or_title() -> None:
    """Numbered sections go by number, others by title; the policy must be the same."""
    assert is_in(make_place(number="1"), LIMITS)
    assert not is_in(make_place(number="1.1"), LIMITS)
    assert not is_in(make_place(number="1", policy="travel"), LIMITS)
    assert is_in(make_place("Scope", number=None), frozenset({("gifts", "scope")}))
    assert is_in(make_place(number="Annex A"), frozenset({("gifts", "annex a")}))


async def test_removed_sections_are_not_found() -> None:
    """What is removed is replaced by the next best, up to the depth asked for."""
    search = InMemorySearch(InMemoryCorpus(GIFTS, REPORTING))
    plain = Retriever(search, None)
    found = await WithoutSections(plain, LIMITS).retrieve(
        Query("May I accept cash?", make_scope(), depth=2, neighbours=0)
    )
    assert [hit.place.policy_key for hit in found.result.hits] == ["gifts", "speak-up"]
    assert all(CASH not in hit.text for hit in found.result.hits)
    assert search.requests[0].limit == 2 + SPARE


def test_removed_sections_are_not_known() -> None:
    """The ontology keeps what other sections say, and only that."""
    whole = InMemoryOntology(InMemoryCorpus(GIFTS)).of(make_scope())
    left = without_sections(whole, LIMITS)
    assert CASH in whole.quotes.values()
    assert CASH not in left.quotes.values()
    assert REGISTER in left.quotes.values()
    assert not any(place.number == "1" for place in left.places.values())
    known = {entity.key for entity in left.entities}
    assert all(one.source in known and one.target in known for one in left.relations)
    assert all(span in left.quotes for entity in left.entities for span in entity.spans)
    assert without_sections(whole, frozenset()) == whole


async def test_a_labelled_question_keeps_its_scope_and_thread() -> None:
    """Day, country, groups and earlier turns of a label reach the run; nothing is recorded."""
    service = make_service(
        ScriptedReasoner(drafts=[says((REGISTER, REGISTER))], judgements=[make_judgement()])
    )
    run = await rehearse_labelled(
        service.answering,
        question="and for contractors?",
        thread=({"question": "May employees accept cash?", "outcome": "answered"},),
        scope={"jurisdiction": "DE", "groups": ["legal"], "as_of": "2025-05-01"},
        without=LIMITS,
        today=date(2026, 1, 1),
    )
    scope = run.question.scope
    assert (scope.jurisdiction, scope.as_of) == ("DE", date(2025, 5, 1))
    assert scope.groups == {"legal", "everyone"}
    assert run.question.standalone == "May contractors accept cash?"
    assert all(CASH not in item.text for item in run.evidence.items)
    assert service.log.runs == []


async def test_a_label_without_a_day_is_of_today() -> None:
    """Without a day of its own a label counts for today."""
    service = make_service(ScriptedReasoner(drafts=[TRUE], judgements=[make_judgement()]))
    today = date(2026, 3, 1)
    run = await rehearse_labelled(
        service.answering,
        question="May I accept cash?",
        thread=(),
        scope={},
        without=frozenset(),
        today=today,
    )
    assert (run.question.scope.as_of, run.question.scope.jurisdiction) == (today, None)


async def test_a_turn_without_an_outcome_is_asked() -> None:
    """What follows rests on what the first question really got: outcome, words and offers."""
    service = make_service(
        ScriptedReasoner(
            drafts=[TRUE, says((REGISTER, REGISTER))],
            judgements=[make_judgement(), make_judgement()],
        )
    )
    run = await rehearse_labelled(
        service.answering,
        question="and for contractors?",
        thread=({"question": "May employees accept cash?"},),
        scope={"groups": ["legal"]},
        without=frozenset(),
        today=date(2026, 3, 1),
    )
    (turn,) = run.question.history
    assert (turn.question, turn.outcome) == ("May employees accept cash?", "answered")
    assert CASH in turn.answer
    assert turn.groups == {"legal", "everyone"}
    assert run.question.standalone == "May contractors accept cash?"
    assert service.log.runs == []
