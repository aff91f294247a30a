"""The stages before retrieval: plan the question, explore the ontology, and gate the search.

`plan` and `explore` hold what a reasoner returns to its contract. `gate` is pure: it decides
whether the ontology suffices, or documents are searched as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.request import MAX_ASKED
from core.domain.errors import ContractError
from core.domain.evidence import Finding
from core.domain.ontology import Entity, EntityKey, RelationType, Snapshot
from core.domain.question import Question
from core.domain.run import Clarification, Exploration, GateDecision, Plan
from core.ontology.fact_words import NAMING
from core.ontology.whole_rule import context_of
from core.ports import Knowledge, Reasoner, Toolbox


async def plan(
    reasoner: Reasoner, question: Question, knowledge: Knowledge
) -> Plan | Clarification:
    """Ask the reasoner for a plan, and hold it to its contract.

    Raises:
        ContractError: A clarification without a question, or with too long a one.
    """
    proposed = await reasoner.plan(question, knowledge)
    if isinstance(proposed, Clarification) and not proposed.question.strip():
        raise ContractError("a clarification must ask something")
    if isinstance(proposed, Clarification) and len(proposed.question) > MAX_ASKED:
        raise ContractError(
            f"a clarification of {len(proposed.question)} characters is no question"
        )
    return proposed


def gate(
    reported: Sequence[float | None], *, threshold: float, use_rag: bool, has_chunks: bool
) -> GateDecision:
    """Decide whether chunks are retrieved.

    The first confidence below the threshold decides, whatever follows it; without one the first of
    all does. An absent confidence counts as below the threshold.

    Args:
        reported: What was reported, in order; None where nothing was.
        threshold: Where the ontology suffices.
        use_rag: False: graph only.
        has_chunks: False: there is nothing to retrieve.
    """
    low = [score for score in reported if score is None or score < threshold]
    score = (low or [*reported, None])[0]
    if not use_rag:
        return _decision(score, threshold, retrieve=False, reason="retrieval is switched off")
    if score is not None and score >= threshold:
        return _decision(score, threshold, retrieve=False, reason="the ontology suffices")
    if not has_chunks:
        return _decision(score, threshold, retrieve=False, reason="no chunks are in scope")
    reason = "no confidence was reported" if score is None else "the ontology does not suffice"
    return _decision(score, threshold, retrieve=True, reason=reason)


def _decision(
    reported: float | None, threshold: float, *, retrieve: bool, reason: str
) -> GateDecision:
    return GateDecision(score=reported, threshold=threshold, retrieve=retrieve, reason=reason)


async def explore(
    reasoner: Reasoner, question: Question, plan: Plan, *, knowledge: Knowledge, toolbox: Toolbox
) -> Exploration:
    """Let the reasoner explore, and hold what it reports to its contract.

    Each finding gets what introduces it, and its section's exceptions and conditions come with it:
    whoever explored may have left them out.

    Raises:
        ContractError: A confidence outside [0, 1], or a finding whose entity, sentence, place or
            roles are not those of the ontology.
    """
    found = await reasoner.explore(question, plan, knowledge, toolbox)
    for reported in (found.reported_confidence, *found.later_confidences):
        if reported is not None and not 0.0 <= reported <= 1.0:
            raise ContractError(f"expected a confidence in [0, 1], got {reported!r}")
    if not found.findings:
        return found
    snapshot = await knowledge.entities(
        {finding.entity for finding in found.findings},
        at={finding.span for finding in found.findings},
        ends=NAMING,
    )
    entities = {entity.key: entity for entity in snapshot.entities}
    for finding in found.findings:
        if not _is_stated(finding, entities.get(finding.entity), snapshot) or (
            finding.roles and not set(finding.roles) <= _joined(finding.entity, entities, snapshot)
        ):
            raise ContractError(f"a finding is not in the ontology: {finding.span!r}")
    findings = tuple(
        replace(one, lead_in=snapshot.lead_ins.get(one.span)) for one in found.findings
    )
    belonging = (*found.context, *await context_of(findings, knowledge))
    context = {one.span: one for one in reversed(belonging)}
    return replace(found, findings=findings, context=tuple(reversed(context.values())))


def _is_stated(finding: Finding, entity: Entity | None, snapshot: Snapshot) -> bool:
    """Say whether the ontology says this of this entity, in these words at this place."""
    return (
        entity is not None
        and finding.span in entity.spans
        and snapshot.quotes.get(finding.span) == finding.text
        and snapshot.places.get(finding.span) == finding.place
    )


def _joined(
    key: EntityKey, entities: Mapping[EntityKey, Entity], snapshot: Snapshot
) -> frozenset[str]:
    """Return the names of the roles and jurisdictions that a relation joins to an entity."""
    ends = {
        relation.target if relation.source == key else relation.source
        for relation in snapshot.relations
        if key in {relation.source, relation.target}
        and relation.type is not RelationType.REFERENCES
    }
    return frozenset(
        name
        for end in ends
        if end in entities and entities[end].type in NAMING
        for name in (entities[end].name, *entities[end].aliases)
    )
