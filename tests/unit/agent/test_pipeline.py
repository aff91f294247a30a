"""One question through all stages, with a reasoner by script."""

from dataclasses import asdict, replace

import pytest

from core.agent.document_search import REPORTING as REPORTING_QUERY
from core.agent.languages_wording import ENGLISH
from core.agent.request import Reply
from core.agent.trace import reply_json, trace_json
from core.domain.answer import Badge, Branch, Decision, Draft, Outcome, RefusalKind
from core.domain.errors import TransientError
from core.domain.evidence import Evidence
from core.domain.question import Assumption, Turn
from core.domain.run import Budget, Clarification, Exploration, Plan, Run, RunLimits, Term
from core.ports import RecordReceipt, SearchRequest, SearchResult
from tests.factories import (
    NOT_JUDGED,
    make_finding,
    make_judgement,
    make_plan,
    make_scope,
)
from tests.fakes import InMemoryOntology, ScriptedReasoner
from tests.unit.agent.world import (
    CASH,
    GIFTS,
    LIMIT,
    REGISTER,
    TRUE,
    World,
    claim_of,
    make_world,
    says,
)

GOOD = make_judgement()
POOR = make_judgement(0.4, approved=False, decision=Decision.RETRY, reason="too little")
ASKS = Clarification(intent="general", question="Which gift?", slot="referent", options=("a", "b"))
ASKED = Turn(question="May I?", outcome="clarification", answer="Which gift?", slot="referent")


def _exploring(world: World, *texts: str, reported: float | None) -> Exploration:
    snapshot = InMemoryOntology(world.corpus).of(make_scope())
    return Exploration(
        findings=tuple(make_finding(snapshot, text) for text in texts),
        reported_confidence=reported,
    )


async def test_a_good_draft_is_answered() -> None:
    """FINAL: the claim is shown with its stored quote, its place, its date and a badge."""
    run = await make_world().run(ScriptedReasoner(drafts=[TRUE], judgements=[GOOD]))
    answer = run.answer
    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, f"Not allowed. [1]\n\n{CASH} [1]")
    (citation,) = answer.citations
    assert (citation.number, citation.quote, citation.effective_from) == (1, CASH, "2025-01-01")
    assert (citation.place.policy_key, citation.place.number) == ("gifts", "1")
    assert answer.confidence.badge is Badge.HIGH
    assert [attempt.decision for attempt in run.attempts] == [Decision.FINAL]
    assert [step.stage for step in run.steps] == (
        ["plan", "explore", "gate", "retrieve", "draft", "verify", "critique", "judge", "decide"]
    )
    assert (run.used_rag, run.budget.retrieval_rounds) == (True, 1)
    assert "gifts_chunk_0001" in run.chunks_used
    assert run.versions == (1, 2)


async def test_claims_share_the_number_of_a_shared_span() -> None:
    """Each quoted span has one number, in order of first use."""
    drafted = says((CASH, CASH), (LIMIT, LIMIT), ("Cash is not accepted.", CASH))
    run = await make_world().run(ScriptedReasoner(drafts=[drafted], judgements=[GOOD]))
    assert [claim.numbers for claim in run.answer.claims] == [(1,), (2,), (1,)]
    assert [citation.quote for citation in run.answer.citations] == [CASH, LIMIT]


async def test_an_open_gate_answers_from_the_ontology_alone() -> None:
    """At the threshold nothing is searched, and findings are cited."""
    world = make_world()
    explored = _exploring(world, "accept cash", reported=0.9)
    reasoner = ScriptedReasoner(drafts=[TRUE], judgements=[GOOD], explored=explored)
    run = await world.run(reasoner)
    assert run.answer.outcome is Outcome.ANSWERED
    assert (run.used_rag, run.chunks_used, world.search.requests) == (False, (), [])
    assert run.entities
    assert run.answer.confidence.reported == 0.9


@pytest.mark.parametrize("planned", [make_plan(), make_plan("report"), ASKS])
@pytest.mark.parametrize("reported", [None, 0.1, 0.9])
async def test_graph_only_never_searches(
    planned: Plan | Clarification, reported: float | None
) -> None:
    """With retrieval switched off, no outcome makes a search."""
    world = make_world()
    explored = _exploring(world, "accept cash", reported=reported)
    run = await world.run(
        ScriptedReasoner(drafts=[TRUE], judgements=[POOR], explored=explored, planned=planned),
        use_rag=False,
    )
    assert (world.search.requests, run.used_rag, run.budget.retrieval_rounds) == ([], False, 0)


async def test_a_retry_with_a_higher_score_replaces_the_draft() -> None:
    """The second draft is shown if the judge's score rises."""
    reasoner = ScriptedReasoner(
        drafts=[TRUE, says((REGISTER, REGISTER))], judgements=[POOR, make_judgement(0.8)]
    )
    run = await make_world().run(reasoner)
    assert run.answer.text == f"{REGISTER} [1]"
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.FINAL]


@pytest.mark.parametrize("second", [make_judgement(0.4), make_judgement(0.3), NOT_JUDGED])
async def test_a_retry_without_a_higher_score_replaces_nothing(second: object) -> None:
    """The first draft is settled as it stands, as the closest passage."""
    reasoner = ScriptedReasoner(
        drafts=[TRUE, says((REGISTER, REGISTER))],
        judgements=[POOR, second],  # pyright: ignore[reportArgumentType]  # one of two types
    )
    run = await make_world().run(reasoner)
    assert run.answer.is_closest
    assert [citation.quote for citation in run.answer.citations] == [CASH]
    assert reasoner.asked.count("draft") == 2


async def test_the_evidence_is_that_of_the_draft_that_counts() -> None:
    """A run that falls back on its first draft shows what that draft could cite."""
    limits = RunLimits(retrieval_depth=1, retry_depth=3, wide_depth=1)
    for judgements, items in (([POOR, NOT_JUDGED], 1), ([POOR, GOOD], 3)):
        reasoner = ScriptedReasoner(drafts=[TRUE], judgements=judgements)
        run = await make_world(limits=limits).run(reasoner)
        assert len(run.evidence.items) == len(run.chunks_used) == items


async def test_a_judged_retry_replaces_a_draft_that_was_not_judged() -> None:
    """Not judged has no score, so any judged retry is better."""
    reasoner = ScriptedReasoner(drafts=[TRUE], judgements=[NOT_JUDGED, make_judgement(0.1)])
    assert (await make_world().run(reasoner)).answer.outcome is Outcome.ANSWERED


async def test_a_rejected_first_draft_may_be_mended() -> None:
    """A draft of which nothing was left is replaced by a verified one."""
    reasoner = ScriptedReasoner(drafts=[says(("  ", CASH)), TRUE], judgements=[GOOD])
    run = await make_world().run(reasoner)
    assert run.answer.outcome is Outcome.ANSWERED
    assert reasoner.asked.count("judge") == 1


async def test_a_retry_searches_deeper_with_other_words() -> None:
    """The second search asks for more chunks and adds what the missing word may be called."""

    def lacking(evidence: Evidence) -> Draft:
        return replace(TRUE(evidence), missing="present")

    term = Term(word="present", weight=1.0, alternatives=frozenset({"gift"}))
    planned = Plan(intent="general", terms=(term,))
    world = make_world(limits=RunLimits(wide_depth=1))
    await world.run(
        ScriptedReasoner(drafts=[lacking], judgements=[POOR], planned=planned), "Presents?"
    )
    first, second = world.search.requests
    assert (first.text, second.text) == ("Presents?", "Presents? gift")
    assert (first.limit, second.limit) == (5, 8)


async def test_spent_attempts_end_in_a_refusal_with_sections() -> None:
    """A refusal names the nearest sections and a person, never a bare "I don't know"."""
    reasoner = ScriptedReasoner(drafts=[says(("  ", CASH))], judgements=[POOR])
    run = await make_world().run(reasoner)
    assert (run.answer.outcome, run.answer.refusal) == (Outcome.REFUSED, RefusalKind.NOT_FOUND)
    assert run.answer.nearest[0].number == "1"
    assert 0 < len(run.answer.nearest) <= 3
    assert "Compliance" in run.answer.text
    assert run.answer.confidence.badge is None


async def test_one_attempt_may_be_all() -> None:
    """With one attempt allowed nothing is tried again."""
    reasoner = ScriptedReasoner(drafts=[TRUE], judgements=[POOR])
    await make_world(limits=RunLimits(max_attempts=1)).run(reasoner)
    assert reasoner.asked.count("draft") == 1


@pytest.mark.parametrize(
    ("relevance", "kind"), [(0.2, RefusalKind.NOT_FOUND), (0.05, RefusalKind.OUT_OF_SCOPE)]
)
async def test_where_nothing_is_relevant_nothing_is_answered(
    relevance: float, kind: RefusalKind
) -> None:
    """Below the relevance threshold a perfect draft is refused; far below, as off topic."""
    run = await make_world(relevance=relevance).run(
        ScriptedReasoner(drafts=[TRUE], judgements=[GOOD])
    )
    assert run.answer.refusal is kind
    assert bool(run.answer.nearest) is (kind is RefusalKind.NOT_FOUND)


@pytest.mark.parametrize(("turns", "asks"), [(0, True), (1, True), (2, False), (3, False)])
async def test_at_most_two_questions_in_a_row(turns: int, *, asks: bool) -> None:
    """A third question back is not asked; the run is refused instead."""
    run = await make_world().run(ScriptedReasoner(planned=ASKS), history=(ASKED,) * turns)
    expected = Outcome.CLARIFICATION if asks else Outcome.REFUSED
    assert run.answer.outcome is expected
    assert run.steps[0].detail["need_clarification"] is True


async def test_an_answer_in_between_allows_questions_again() -> None:
    """Only questions in a row are counted."""
    answered = replace(ASKED, outcome="answered")
    run = await make_world().run(
        ScriptedReasoner(planned=ASKS), history=(ASKED, ASKED, answered, ASKED)
    )
    assert (run.answer.outcome, run.answer.text) == (Outcome.CLARIFICATION, "Which gift?")
    assert (run.answer.slot, run.answer.options) == ("referent", ("a", "b"))
    assert (run.exploration, run.gate, run.attempts) == (None, None, ())


def _branching(evidence: Evidence) -> Draft:
    branch = Branch(slot="jurisdiction", question="Where?", options=("Germany", "France"))
    return replace(TRUE(evidence), branch=branch)


async def test_a_branch_is_asked_about() -> None:
    """A verified draft that depends on an open fact ends in a question with its options."""
    reasoner = ScriptedReasoner(drafts=[_branching], judgements=[GOOD])
    answer = (await make_world().run(reasoner)).answer
    assert (answer.outcome, answer.slot) == (Outcome.CLARIFICATION, "jurisdiction")
    assert answer.options == ("Germany", "France")
    assert answer.text.startswith("Where?")
    assert (answer.claims, answer.citations, answer.confidence.badge) == ((), (), None)


async def test_after_two_questions_the_branch_is_answered_as_it_is() -> None:
    """A third question is not asked for a branch either."""
    reasoner = ScriptedReasoner(drafts=[_branching], judgements=[GOOD])
    run = await make_world().run(reasoner, history=(ASKED, ASKED))
    assert run.answer.outcome is Outcome.ANSWERED


async def test_a_conflict_shows_both_sides() -> None:
    """Contradicting rules are refused, both quoted, neither preferred."""

    def drafted(evidence: Evidence) -> Draft:
        claims = (claim_of(evidence, CASH), claim_of(evidence, REGISTER))
        return Draft(claims=claims, is_conflict=True)

    answer = (await make_world().run(ScriptedReasoner(drafts=[drafted], judgements=[GOOD]))).answer
    assert (answer.outcome, answer.refusal) == (Outcome.REFUSED, RefusalKind.CONFLICT)
    assert [citation.quote for citation in answer.citations] == [CASH, REGISTER]
    assert len(answer.nearest) == 2


async def test_a_report_is_passed_on_unanswered() -> None:
    """A report is escalated without a draft; the reporting line is quoted to its writer alone."""
    world = make_world()
    reasoner = ScriptedReasoner(planned=make_plan("report"))
    run = await world.run(reasoner, "My boss takes cash from hauliers.")
    assert run.answer.outcome is Outcome.ESCALATED
    assert run.attempts == ()
    assert {one.place.policy_key for one in run.answer.citations} == {"speak-up"}
    assert reasoner.asked == []
    assert [request.text for request in world.search.requests] == [REPORTING_QUERY]


async def test_a_report_says_nothing_of_policies_that_are_not_searched() -> None:
    """Where nothing may be searched, the reply speaks of no policies."""
    shown = [
        (await make_world().run(ScriptedReasoner(planned=make_plan("report")), use_rag=rag)).answer
        for rag in (True, False)
    ]
    assert [bool(answer.citations) for answer in shown] == [True, False]
    assert [ENGLISH.policies_say in answer.text for answer in shown] == [True, False]
    assert all("in confidence" in answer.text for answer in shown)


async def test_assumptions_are_printed_with_the_answer() -> None:
    """What the asker stated is shown; what the question meant is not an assumption."""
    run = await make_world().run(
        ScriptedReasoner(drafts=[TRUE], judgements=[GOOD]),
        assumptions=(
            Assumption(slot="jurisdiction", value="Germany", source="asker"),
            Assumption(slot="referent", value="the gift", source="asker"),
        ),
    )
    assert run.answer.assumptions == ("Germany",)


async def test_a_model_leaves_no_note_of_its_absence() -> None:
    """Only an answer without a model says so."""
    modelled = ScriptedReasoner(drafts=[TRUE], judgements=[GOOD], is_model=True)
    assert (await make_world().run(modelled)).answer.notes == ()
    plain = replace(modelled, is_model=False, asked=[])
    assert len((await make_world().run(plain)).answer.notes) == 1


async def test_a_lost_database_is_no_answer() -> None:
    """A failing search is raised, not answered around."""

    class Broken:
        async def search(self, request: SearchRequest, /) -> SearchResult:
            raise TransientError(request.text)

    world = make_world()
    world.search.search = Broken().search
    with pytest.raises(TransientError):
        await world.run(ScriptedReasoner(drafts=[TRUE], judgements=[GOOD]))


async def test_a_corpus_without_chunks_is_answered_from_the_graph() -> None:
    """Without chunks in the corpus nothing is searched, and findings are cited."""
    world = make_world(GIFTS)
    world.corpus.chunked = False
    explored = _exploring(world, "accept cash", reported=0.1)
    run = await world.run(ScriptedReasoner(drafts=[TRUE], judgements=[GOOD], explored=explored))
    assert run.gate is not None
    assert (run.gate.retrieve, world.search.requests) == (False, [])
    assert run.answer.outcome is Outcome.ANSWERED


def test_a_budget_is_never_overdrawn() -> None:
    """As many searches as attempts, and what was used is counted."""
    budget = Budget(RunLimits(max_attempts=2))
    assert [budget.may_retrieve() for _ in range(5)] == [True, True, False, False, False]
    assert budget.may_step()
    budget.tools(3)
    assert asdict(budget.use) == {
        "steps": 1,
        "tool_calls": 3,
        "retrieval_rounds": 2,
        "model_calls": 0,
        "output_tokens": 0,
    }


TRACE_KEYS = frozenset(
    [
        "question",
        "plan",
        "evidence_size",
        "reported_confidence",
        "used_rag",
        "rag_chunks_used",
        "attempts",
        "critic",
        "judge",
        "calibrated_confidence",
        "confidence_features",
        "badge",
        "final_state",
        "budget",
        "retrieval_time_ms",
        "generation_time_ms",
    ]
)
REPLY_KEYS = frozenset(
    [
        "answer",
        "citations",
        "referenced_entities",
        "confidence",
        "used_rag",
        "rag_chunks_used",
        "grounded",
        "refused",
        "trace",
    ]
)


async def _run(kind: str) -> Run:
    reasoners = {
        "answered": ScriptedReasoner(drafts=[TRUE], judgements=[GOOD]),
        "refused": ScriptedReasoner(drafts=[TRUE], judgements=[NOT_JUDGED]),
        "clarification": ScriptedReasoner(planned=ASKS),
        "escalated": ScriptedReasoner(planned=make_plan("report")),
    }
    return await make_world().run(reasoners[kind])


@pytest.mark.parametrize("kind", ["answered", "refused", "clarification", "escalated"])
async def test_the_trace_has_the_keys_of_its_contract(kind: str) -> None:
    """Whatever the outcome, each key of the trace contract is there."""
    trace = trace_json(await _run(kind))
    assert trace.keys() >= TRACE_KEYS
    assert trace["plan"].keys() == {
        "intent",
        "tools",
        "need_clarification",
        "clarification_question",
    }
    assert trace["budget"].keys() >= {"steps", "tool_calls", "retrieval_rounds", "model_calls"}
    assert trace["final_state"] == kind
    for attempt in trace["attempts"]:
        assert attempt.keys() >= {"decision", "reason", "verdicts"}


async def test_the_trace_of_an_answer() -> None:
    """Critic and judge are traced with what they said."""
    trace = trace_json(await _run("answered"))
    assert trace["critic"] == {"refine": False, "issues": []}
    assert trace["judge"]["verdict"] == "approve"
    assert trace["judge"].keys() >= {"faithfulness", "relevance", "completeness"}
    assert (trace["badge"], trace["used_rag"]) == ("high", True)
    assert trace["evidence_size"] == len(trace["rag_chunks_used"]) == 3


async def test_what_was_not_judged_is_traced_so() -> None:
    """No approval is written where there was none."""
    trace = trace_json(await _run("refused"))
    assert trace["judge"] == {"verdict": "not_judged", "reason": "no token"}
    assert (trace["badge"], trace["calibrated_confidence"]) == (None, None)


@pytest.mark.parametrize(
    ("kind", "grounded", "refused"),
    [
        ("answered", True, False),
        ("refused", False, True),
        ("clarification", False, False),
        ("escalated", False, True),
    ],
)
async def test_the_reply_has_the_keys_of_its_contract(
    kind: str, *, grounded: bool, refused: bool
) -> None:
    """What `ask --json` prints has its keys, and says if it is grounded or refused."""
    run = await _run(kind)
    receipt = RecordReceipt(record_id="r", answer_id="a", leaf_hash=b"\x00\xff", answer=run.answer)
    reply = Reply(answer=run.answer, run=run, receipt=receipt, conversation_id="c")
    printed = reply_json(reply)
    assert printed.keys() >= REPLY_KEYS
    assert (printed["grounded"], printed["refused"]) == (grounded, refused)
    assert (printed["leaf_hash"], printed["thread"]) == ("00ff", "thread")
    assert printed["confidence"].keys() >= {"badge", "calibrated", "reported"}
