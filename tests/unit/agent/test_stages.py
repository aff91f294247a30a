"""Gate, and what plan, explore, draft and judge hold a reasoner to."""

from dataclasses import replace

import pytest

from core.agent.stages.draft import draft, gather
from core.agent.stages.explore import explore, gate, plan
from core.agent.stages.review import judge
from core.domain.answer import Branch, Citation, Claim, Draft, Judgement, NotJudged
from core.domain.errors import ContractError
from core.domain.evidence import Evidence, Finding
from core.domain.ontology import EntityKey, Snapshot
from core.domain.run import Clarification, Exploration
from core.language.lead_ins import LeadIn, introduced_units, lead_in_of
from core.language.spans import VersionId
from core.ontology.graphs.whole import WholeOntology
from core.ports import SearchRequest
from tests.factories import (
    NOT_JUDGED,
    NOTHING_KNOWN,
    cite,
    make_draft,
    make_evidence,
    make_finding,
    make_judgement,
    make_place,
    make_plan,
    make_question,
    make_scope,
    make_span,
)
from tests.fakes import (
    InMemoryCorpus,
    InMemoryOntology,
    InMemorySearch,
    NoTools,
    Policy,
    ScriptedReasoner,
)
from tests.unit.ontology.snapshots import Source, snapshot_of, texts_of

THRESHOLD = 0.85
QUESTION = make_question("May I accept cash?")
PLAN = make_plan()
GIFTS = Policy(
    key="gifts",
    title="Gifts Policy",
    text=(
        "# Gifts Policy\n\n## 1 Limits\nEmployees must not accept cash.\n\n## 2 Register\n"
        "The Compliance Officer must keep the register.\n"
    ),
)


def test_at_the_threshold_the_ontology_suffices() -> None:
    """A score at or above the threshold needs no chunks."""
    for score in (THRESHOLD, 1.0):
        decision = gate([score], threshold=THRESHOLD, use_rag=True, has_chunks=True)
        assert not decision.retrieve
        assert (decision.score, decision.threshold) == (score, THRESHOLD)


def test_below_the_threshold_chunks_are_retrieved() -> None:
    """A score below the threshold retrieves."""
    for score in (0.0, 0.8499999):
        assert gate([score], threshold=THRESHOLD, use_rag=True, has_chunks=True).retrieve


def test_no_confidence_counts_as_below() -> None:
    """A reasoner that reports nothing gets the chunks."""
    decision = gate([None], threshold=THRESHOLD, use_rag=True, has_chunks=True)
    assert decision.retrieve
    assert decision.score is None


@pytest.mark.parametrize("score", [None, 0.0, 1.0])
def test_graph_only_never_retrieves(score: float | None) -> None:
    """With retrieval switched off no score opens it."""
    assert not gate([score], threshold=THRESHOLD, use_rag=False, has_chunks=True).retrieve


def test_without_chunks_there_is_nothing_to_retrieve() -> None:
    """A corpus ingested without chunks is answered from the graph."""
    assert not gate([0.1], threshold=THRESHOLD, use_rag=True, has_chunks=False).retrieve


def test_each_decision_of_the_gate_has_its_reason() -> None:
    """Five ways through the gate, five reasons."""
    reasons = {
        gate([score], threshold=THRESHOLD, use_rag=rag, has_chunks=chunks).reason
        for score, rag, chunks in (
            (0.9, True, True),
            (0.1, True, True),
            (None, True, True),
            (0.1, False, True),
            (0.1, True, False),
        )
    }
    assert len(reasons) == 5


@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
async def test_a_clarification_must_ask(question: str) -> None:
    """A clarification without a question breaks the contract."""
    reasoner = ScriptedReasoner(
        planned=Clarification(intent="general", question=question, slot="referent")
    )
    with pytest.raises(ContractError, match="must ask"):
        await plan(reasoner, QUESTION, NOTHING_KNOWN)


async def test_a_clarification_is_short() -> None:
    """100 kB are no question back."""
    asks = Clarification(intent="general", question="Which? " * 15_000, slot="referent")
    with pytest.raises(ContractError, match="is no question"):
        await plan(ScriptedReasoner(planned=asks), QUESTION, NOTHING_KNOWN)


async def test_a_plan_is_passed_on() -> None:
    """A plan, and a clarification that asks, are taken as they are."""
    asks = Clarification(intent="general", question="Which gift?", slot="referent")
    for proposed in (PLAN, asks):
        assert await plan(ScriptedReasoner(planned=proposed), QUESTION, NOTHING_KNOWN) is proposed


def _snapshot() -> Snapshot:
    return InMemoryOntology(InMemoryCorpus(GIFTS)).of(make_scope())


async def _explored(*findings: Finding, reported: float | None = 0.5) -> Exploration:
    explored = Exploration(findings=findings, reported_confidence=reported)
    reasoner = ScriptedReasoner(explored=explored)
    return await explore(
        reasoner, QUESTION, PLAN, knowledge=WholeOntology(_snapshot()), toolbox=NoTools()
    )


@pytest.mark.parametrize("reported", [None, 0.0, 0.5, 1.0])
async def test_a_reported_confidence_is_a_probability(reported: float | None) -> None:
    """A number in [0, 1] is taken, and so is none."""
    assert (await _explored(reported=reported)).reported_confidence == reported


@pytest.mark.parametrize("reported", [-0.01, 1.01, float("nan"), float("inf")])
async def test_a_confidence_out_of_range_is_refused(reported: float) -> None:
    """A number outside [0, 1] breaks the contract."""
    with pytest.raises(ContractError, match="confidence"):
        await _explored(reported=reported)


async def test_a_fact_of_the_ontology_is_a_finding() -> None:
    """A finding with its stored sentence, place and joined roles is taken."""
    finding = make_finding(_snapshot(), "keep the register")
    named = replace(finding, roles=("Compliance Officer",))
    assert (await _explored(finding, named)).findings == (finding, named)


_CASH = make_finding(_snapshot(), "accept cash")


@pytest.mark.parametrize(
    "finding",
    [
        replace(_CASH, text="Employees may accept cash."),
        replace(_CASH, span=make_span(0, 4)),
        replace(_CASH, span=make_span(0, 4, version=9), text="# Gi"),
        replace(_CASH, entity=EntityKey("obligation:gifts:000000000000")),
        replace(_CASH, entity=make_finding(_snapshot(), "keep the register").entity),
        replace(_CASH, place=replace(_CASH.place, title="Cash is welcome")),
        replace(_CASH, roles=("Chief Wizard",)),
        replace(_CASH, roles=("Compliance Officer",)),
    ],
    ids=[
        "text",
        "span",
        "version",
        "entity",
        "another entity",
        "place",
        "invented role",
        "role of another fact",
    ],
)
async def test_an_invented_finding_is_refused(finding: Finding) -> None:
    """What the ontology does not say, of that entity, at that place, is no finding."""
    with pytest.raises(ContractError, match="not in the ontology"):
        await _explored(_CASH, finding)


async def test_without_evidence_nothing_is_drafted() -> None:
    """The reasoner is not asked for a draft that could cite nothing."""
    reasoner = ScriptedReasoner()
    found = await draft(reasoner, QUESTION, PLAN, Evidence(items=()))
    assert (found.claims, found.missing, reasoner.asked) == ((), "no evidence", [])


@pytest.mark.parametrize(
    ("question", "options"),
    [("", ("a", "b")), ("Where?", ()), ("Where?", ("a",)), ("Where? " * 15_000, ("a", "b"))],
)
async def test_a_branch_is_a_choice(question: str, options: tuple[str, ...]) -> None:
    """A branch without a question or a choice breaks the contract."""
    branch = Branch(slot="jurisdiction", question=question, options=options)
    reasoner = ScriptedReasoner(drafts=[lambda _: replace(DRAFT, branch=branch)])
    with pytest.raises(ContractError, match="one of several values"):
        await draft(reasoner, QUESTION, PLAN, EVIDENCE)


EVIDENCE = make_evidence("Employees must not accept cash.")
DRAFT = make_draft("Employees must not accept cash.", cite(EVIDENCE.items[0]))


async def _judged(judgement: Judgement | NotJudged) -> Judgement | NotJudged:
    reasoner = ScriptedReasoner(judgements=[judgement])
    return await judge(reasoner, QUESTION, PLAN, EVIDENCE, DRAFT)


@pytest.mark.parametrize("judgement", [make_judgement(0.0), make_judgement(1.0), NOT_JUDGED])
async def test_a_judgement_in_range_is_taken(judgement: Judgement | NotJudged) -> None:
    """Scores in [0, 1] are a judgement; what was not judged stays so."""
    assert await _judged(judgement) is judgement


_GOOD = make_judgement()


@pytest.mark.parametrize(
    "judgement",
    [
        replace(_GOOD, faithfulness=1.01),
        replace(_GOOD, relevance=-0.01),
        replace(_GOOD, completeness=float("nan")),
        replace(_GOOD, completeness=float("inf")),
        replace(_GOOD, measures=(("answers", 40.0),)),
        replace(_GOOD, measures=(("answers", float("nan")),)),
    ],
)
async def test_a_score_out_of_range_is_no_judgement(judgement: Judgement) -> None:
    """Any score or measure outside [0, 1] makes the draft not judged."""
    assert isinstance(await _judged(judgement), NotJudged)


async def test_evidence_is_keyed_in_order_without_repeats() -> None:
    """Findings come first, chunks after them, keyed c1..cn, no stretch twice in one kind."""
    cash, register = _CASH, make_finding(_snapshot(), "keep the register")
    found = gather([cash, register, cash], [])
    assert [(item.key, item.kind, item.text) for item in found.items] == [
        ("c1", "finding", cash.text),
        ("c2", "finding", register.text),
    ]
    assert found.get("c2") == found.items[1]
    assert found.get("c3") is None
    assert gather([], []) == Evidence(items=())


CASH = "# Cash\n\n## 1 Cash\n\nEmployees must not:\n\n- accept cash;\n- accept loans.\n"
LIST = """# Travel Policy

## 1 Expenses

The following are never reimbursed:

- minibar, pay television and spa;
- fines:
  - for parking
"""


def _listed(words: str) -> Finding:
    source = Source(key="travel", title="Travel Policy", text=LIST)
    snapshot = snapshot_of(source)
    start = LIST.index(words)
    span = make_span(start, start + len(words))
    [chain] = [
        [one.of(LIST) for one in unit.lead_ins]
        for unit in introduced_units(LIST)
        if unit.span.char_start == start
    ]
    places = [(LIST.index(text), LIST.index(text) + len(text), text) for text in chain]
    place = next(iter(snapshot.places.values()))
    lead_in = lead_in_of(span.version_id, places)
    return Finding(entity=EntityKey("role:x"), span=span, text=words, place=place, lead_in=lead_in)


async def _drafted(claim: Claim, *findings: Finding) -> Claim:
    reasoner = ScriptedReasoner(drafts=[lambda _: Draft(claims=(claim,))])
    evidence = gather(findings, [])
    drafted = await draft(reasoner, QUESTION, PLAN, evidence)
    return drafted.claims[0]


async def test_a_list_item_is_never_told_without_what_introduces_it() -> None:
    """A claim that only quotes it says the lead-in too; one in other words cites it."""
    item = _listed("- minibar, pay television and spa;")
    own = Citation(key="c1", span=item.span, quote=item.text)
    told = await _drafted(Claim(text="minibar, pay television and spa", citations=(own,)), item)
    assert told.text == "The following are never reimbursed: minibar, pay television and spa."
    assert [one.quote for one in told.citations] == [
        "The following are never reimbursed:",
        item.text,
    ]
    worded = Claim(text="Nobody is paid for a visit to a spa.", citations=(own,))
    assert (await _drafted(worded, item)).text == worded.text
    assert len((await _drafted(worded, item)).citations) == 2


async def test_a_heading_before_an_item_is_said_once() -> None:
    """Also where the claim says it already, without its number."""
    heading, text = "5.4. Personal costs", "- Spa visits are never paid."
    span, above = make_span(40, 40 + len(text)), make_span(0, len(heading))
    place = make_place("Personal costs")
    lead_in = LeadIn(span=above, text=heading)
    item = Finding(entity=EntityKey("role:x"), span=span, text=text, place=place, lead_in=lead_in)
    own = Citation(key="c1", span=span, quote=text)
    shown = "Personal costs: Spa visits are never paid."
    assert (await _drafted(Claim(text=text, citations=(own,)), item)).text == shown
    both = (Citation(key="c1", span=above, quote=heading), own)
    assert (await _drafted(Claim(text=shown, citations=both), item)).text == shown


async def test_a_nested_item_is_told_with_the_whole_chain() -> None:
    """What introduces the list above decides what the list below means."""
    item = _listed("- for parking")
    own = Citation(key="c1", span=item.span, quote=item.text)
    told = await _drafted(Claim(text=item.text, citations=(own,)), item)
    assert told.text == "The following are never reimbursed: fines: for parking."
    assert len(told.citations) == 3


async def test_what_introduces_an_item_is_cited_under_its_key() -> None:
    """And nothing else is: neither in another version nor beside it."""
    [item] = gather([_listed("- minibar, pay television and spa;")], []).items
    assert item.lead_in is not None
    assert item.holds(item.span)
    assert item.holds(item.lead_in.span)
    assert not item.holds(replace(item.lead_in.span, version_id=VersionId(2)))
    assert not item.holds(make_span(0, 5))


async def test_a_finding_gets_what_introduces_it() -> None:
    """Whatever the reasoner says of it: it is read where the fact is."""
    source = Source(key="cash", title="Cash Policy", text=CASH)
    snapshot = snapshot_of(source)
    found = make_finding(snapshot, "accept cash")
    invented = LeadIn(span=make_span(0, 4), text="You may:")
    reasoner = ScriptedReasoner(
        explored=Exploration(findings=(replace(found, lead_in=invented),), reported_confidence=1.0)
    )
    known = WholeOntology(snapshot, texts_of(source))
    explored = await explore(reasoner, QUESTION, PLAN, knowledge=known, toolbox=NoTools())
    [finding] = explored.findings
    assert finding.lead_in is not None
    assert finding.lead_in.text == "Employees must not:"
    assert [one.text for one in explored.context] == ["- accept loans."]
    kinds = [item.kind for item in gather(explored.findings, [], context=explored.context).items]
    assert kinds == ["finding", "context"]


async def test_a_chunk_found_twice_is_given_once() -> None:
    """A neighbour that was a hit too has one key; a finding and a chunk may share a stretch."""
    corpus = InMemoryCorpus(GIFTS)
    request = SearchRequest(text="cash", embedding=None, scope=make_scope(), limit=5)
    hits = (await InMemorySearch(corpus).search(request)).hits
    again = replace(hits[0], via=hits[1].chunk_key)
    same = replace(_CASH, span=hits[0].span)
    found = gather([same], [*hits, again])
    assert [item.key for item in found.items] == ["c1", "c2", "c3"]
    assert [item.kind for item in found.items] == ["finding", "chunk", "chunk"]
    assert [item.span for item in found.items] == [same.span, *(hit.span for hit in hits)]
