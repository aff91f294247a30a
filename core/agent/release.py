"""After `decide`: from a ruling to what is shown, with quotes and places from the database."""

from collections.abc import Sequence
from dataclasses import replace

from core.agent import compose
from core.agent.situation import Ruling, Situation
from core.agent.wording import PARTIAL, UNMENTIONED, WITHOUT_MODEL
from core.domain.answer import Answer, Claim, Decision, Outcome, RefusalKind
from core.domain.evidence import Finding
from core.domain.ontology import SectionRef
from core.domain.question import Question
from core.ports import CorpusStore
from core.retrieval.retriever import Retrieved

NEAREST = 3
"""Sections that a refusal names."""
OFF_TOPIC = 0.12
"""Relevance below which a question has nothing to do with the corpus."""


async def release(
    situation: Situation,
    ruling: Ruling,
    *,
    question: Question,
    corpus: CorpusStore,
    nearest: Sequence[SectionRef],
    is_modelled: bool,
    missing: str | None = None,
    duties: Sequence[Claim] = (),
) -> Answer:
    """Return the answer, the clarification or the refusal that a ruling calls for.

    Args:
        situation: What was decided on.
        ruling: What was decided.
        question: What was asked.
        corpus: Where quotes have their places.
        nearest: Sections that a refusal names.
        is_modelled: False: the answer says that no language model was called.
        missing: What an answer says that it leaves open; None: nothing.
        duties: Verified claims that a refusal shows too, since they can't wait.
    """
    asked = situation.draft.asked or situation.draft.branch
    if ruling.decision is Decision.CLARIFY and asked is not None:
        return compose.clarifying(asked, confidence=situation.confidence)
    is_conflict = ruling.refusal is RefusalKind.CONFLICT
    is_refused = ruling.decision is not Decision.FINAL and not is_conflict
    refused = refusal(
        ruling.refusal or RefusalKind.NOT_FOUND,
        nearest=nearest,
        best_relevance=situation.best_relevance,
        reported=situation.confidence.reported,
        needs_person=ruling.needs_person,
    )
    if is_refused and (not duties or refused.refusal is RefusalKind.OUT_OF_SCOPE):
        return refused
    claims = duties if is_refused else situation.verified.claims
    places = await corpus.places([one.span for claim in claims for one in claim.citations])
    versions = {version.version_id: version for version in await corpus.versions(question.scope)}
    if is_refused:
        return compose.urgent(refused, duties, places=places, versions=versions)
    without = () if is_modelled else (WITHOUT_MODEL,)
    if is_conflict:
        return compose.conflicting(
            claims,
            confidence=situation.confidence,
            places=places,
            versions=versions,
            notes=without,
        )
    return compose.answered(
        claims,
        confidence=situation.confidence,
        places=places,
        versions=versions,
        assumptions=question.assumptions,
        nearest=nearest,
        notes=(*((missing,) if missing else ()), *without),
    )


def missing_words(unmentioned: Sequence[str]) -> str:
    """Return how an answer says that it leaves something open.

    Args:
        unmentioned: The asker's own words that no policy in scope has, as code has checked.
    """
    if not unmentioned:
        return PARTIAL
    quoted = [f'"{word}"' for word in unmentioned]
    named = " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
    return UNMENTIONED.format(words=named)


def refusal(
    kind: RefusalKind,
    *,
    nearest: Sequence[SectionRef] = (),
    best_relevance: float | None = None,
    reported: float | None = None,
    needs_person: bool = False,
) -> Answer:
    """Return a refusal; where nothing found has to do with the question, it is out of scope.

    What a person should decide is escalated, unless it has nothing to do with the policies.
    """
    if kind is RefusalKind.POLICY_SILENT and best_relevance is not None:
        kind = RefusalKind.OUT_OF_SCOPE if best_relevance < OFF_TOPIC else kind
    shown = replace(compose.NO_CONFIDENCE, reported=reported)
    refused = compose.refused(kind, nearest=nearest, confidence=shown, notes=())
    if needs_person and kind is not RefusalKind.OUT_OF_SCOPE:
        return replace(refused, outcome=Outcome.ESCALATED)
    return refused


def nearest_sections(
    retrieved: Sequence[Retrieved], findings: Sequence[Finding]
) -> list[SectionRef]:
    """Name the sections nearest to a question.

    Those of chunks if any were retrieved, else those of findings; each once.
    """
    places = [hit.place for found in retrieved[:1] for hit in found.result.hits]
    places = places or [finding.place for finding in findings]
    return list(dict.fromkeys(replace(place, page=None) for place in places))[:NEAREST]
