"""What a question is bound to is searched first, and gives way to an answer alone."""

from dataclasses import replace
from typing import Any

import pytest

from core.agent.decision_input import LIKELY, DecidedDraft, DecisionInput, Ruling, better_of
from core.agent.document_search import BESIDE, QUOTED, DocumentSearch
from core.domain.answer import Decision, Draft, RefusalKind, Verified
from core.domain.conversation import ContextMessage
from core.domain.evidence import Evidence
from core.domain.run import Budget, Plan, RunLimits
from core.retrieval.retriever import Retriever
from tests.factories import make_judgement, make_question
from tests.fakes import InMemoryCorpus, InMemorySearch, Policy
from tests.unit.agent.test_decide import GOOD

ONE = Policy(key="one", title="One", text="# One\n\n## 1 Gifts\nGifts are refused.\n")
TWO = Policy(key="two", title="Two", text="# Two\n\n## 1 Gifts\nGifts are welcome.\n")
BOUND = frozenset({"two"})


def _passages(
    search: InMemorySearch, *, is_model: bool, wants_summary: bool = False
) -> DocumentSearch:
    question = replace(
        make_question("Are gifts refused?"), bound=BOUND, wants_summary=wants_summary
    )
    return DocumentSearch(
        Retriever(search, None),
        question,
        budget=Budget(RunLimits(), started_s=0.0),
        limits=RunLimits(),
        is_model=is_model,
    )


async def test_the_first_search_is_bound_and_the_next_is_not() -> None:
    """For rules and for a model alike."""
    for is_model in (False, True):
        search = InMemorySearch(InMemoryCorpus(ONE, TWO))
        passages = _passages(search, is_model=is_model)
        found = await passages.first()
        assert {hit.place.policy_key for hit in found.result.hits} == BOUND
        await passages.again(Plan(intent="general"), None)
        assert [request.policies for request in search.requests] == [BOUND, frozenset()]


async def test_all_is_searched_for_a_model_where_nothing_bound_is_relevant() -> None:
    """Rules read what is found; a model would wait once more."""
    search = InMemorySearch(InMemoryCorpus(ONE, TWO), relevance=0.0)
    found = await _passages(search, is_model=True).first()
    assert {hit.place.policy_key for hit in found.result.hits} == {"one", "two"}
    found = await _passages(search, is_model=False).first()
    assert {hit.place.policy_key for hit in found.result.hits} == BOUND


def _beside(context: tuple[ContextMessage, ...], *, is_model: bool) -> tuple[InMemorySearch, Any]:
    """Return a search of two policies, and the passages of a question with messages around it."""
    search = InMemorySearch(InMemoryCorpus(ONE, TWO))
    passages = DocumentSearch(
        Retriever(search, None),
        replace(make_question("Who decides for the Porto office?"), context=context),
        budget=Budget(RunLimits(), started_s=0.0),
        limits=RunLimits(),
        is_model=is_model,
    )
    return search, passages


QUOTED_GIFTS = ContextMessage(text="Gifts are\nwelcome.", part="quoted")


@pytest.mark.parametrize("is_model", [False, True])
async def test_what_is_quoted_is_searched_behind_the_asker_s_own_words(*, is_model: bool) -> None:
    """At each attempt; what their own words find comes first, with what belongs to it."""
    search, passages = _beside((QUOTED_GIFTS,), is_model=is_model)
    found = await passages.first()
    own, both = (request.text for request in search.requests)
    assert (own, both) == (
        "Who decides for the Porto office?",
        "Who decides for the Porto office? Gifts are welcome.",
    )
    alone = _beside((), is_model=is_model)
    first = await alone[1].first()
    kept = len(first.result.hits)
    assert found.result.hits[:kept] == first.result.hits
    assert len(found.result.hits) <= kept + BESIDE
    await passages.again(Plan(intent="general"), None)
    assert [request.text for request in search.requests[2:]] == [own, both]


@pytest.mark.parametrize(
    "context",
    [
        (),
        (ContextMessage(text="Gifts are welcome.", part="earlier"),),
        (ContextMessage(text="Gifts are welcome.", part="root"),),
    ],
)
async def test_without_a_quote_there_is_one_search(context: tuple[ContextMessage, ...]) -> None:
    """Nobody pointed at the rest of a thread."""
    search, passages = _beside(context, is_model=False)
    await passages.first()
    assert [request.text for request in search.requests] == ["Who decides for the Porto office?"]


async def test_a_long_quote_does_not_drown_the_question() -> None:
    """So much of it is searched, whatever it holds."""
    for text in ("gift " * 1_000, "\u202e" * 1_000, "a" * 1_000, "\n" * 999 + "x"):
        quote = ContextMessage(text=text, part="quoted")
        search, passages = _beside((quote,), is_model=True)
        await passages.first()
        assert all(len(request.text) <= 40 + QUOTED for request in search.requests)


async def test_a_model_is_given_the_whole_policy_to_summarise() -> None:
    search = InMemorySearch(InMemoryCorpus(ONE, TWO))
    found = await _passages(search, is_model=True, wants_summary=True).first()
    assert (search.requests, search.sections) == ([], [("two", None)])
    assert {hit.relevance for hit in found.result.hits} == {1.0}


def _attempted(
    decision: Decision, refusal: RefusalKind | None, score: float, *, has_more: bool
) -> DecidedDraft:
    situation: DecisionInput = replace(
        GOOD,
        draft=Draft(claims=()),
        verified=Verified(claims=(), dropped=(), verdicts=()),
        judgement=make_judgement(score),
        has_more=has_more,
    )
    ruling = Ruling(decision=decision, reason="", refusal=refusal)
    return DecidedDraft(situation=situation, ruling=ruling, evidence=Evidence(items=()))


def test_what_is_close_where_it_was_asked_for_gives_way_to_an_answer_alone() -> None:
    """Something close elsewhere is better judged, and still not what was asked for."""
    close = _attempted(Decision.ESCALATE, RefusalKind.NOT_SURE, 0.3, has_more=True)
    elsewhere = _attempted(Decision.ESCALATE, RefusalKind.NOT_SURE, 0.9, has_more=False)
    answer = _attempted(Decision.FINAL, None, 0.9, has_more=False)
    likely = _attempted(Decision.ESCALATE, RefusalKind.NOT_SURE, LIKELY, has_more=True)
    nothing = _attempted(Decision.ESCALATE, RefusalKind.NOT_FOUND, 0.3, has_more=True)
    assert better_of(close, elsewhere) is close
    assert better_of(close, answer) is answer
    assert better_of(likely, answer) is likely
    assert better_of(nothing, elsewhere) is elsewhere
    assert better_of(answer, replace(close, evidence=answer.evidence)) is answer
