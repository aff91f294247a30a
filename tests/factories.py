"""Small valid values; a test names only what it is about."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

import pytest

from core.agent.languages_wording import words_in
from core.agent.reply import compose
from core.domain.answer import (
    Answer,
    Badge,
    Citation,
    Claim,
    Confidence,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    ShownCitation,
)
from core.domain.conversation import ContextMessage, Place
from core.domain.evidence import Evidence, EvidenceItem, Finding
from core.domain.ontology import NORMS, SectionRef, Snapshot
from core.domain.policy import EVERYONE
from core.domain.question import Assumption, Question, Scope, Turn
from core.domain.run import Plan, Term
from core.language.languages import Language
from core.language.spans import Span, VersionId
from core.ontology.graphs.whole import WholeOntology

TODAY = date(2026, 1, 15)
NOW = datetime(2026, 1, 15, 9, 30, tzinfo=UTC)
NOTHING_KNOWN = WholeOntology(Snapshot(edition=1, entities=(), relations=(), quotes={}, places={}))
"""An ontology without facts."""


def make_scope(*groups: str, jurisdiction: str | None = None) -> Scope:
    return Scope(
        as_of=TODAY, edition=1, groups=frozenset({EVERYONE, *groups}), jurisdiction=jurisdiction
    )


def make_question(
    text: str,
    *,
    scope: Scope | None = None,
    history: tuple[Turn, ...] = (),
    assumptions: tuple[Assumption, ...] = (),
    context: tuple[ContextMessage, ...] = (),
) -> Question:
    return Question(
        question_id="question",
        conversation_id="conversation",
        place=Place(thread="thread"),
        asker="somebody",
        text=text,
        standalone=text,
        scope=scope or make_scope(),
        asked_at=NOW,
        history=history,
        assumptions=assumptions,
        context=context,
    )


def make_place(
    title: str = "Limits",
    *,
    policy: str = "gifts",
    number: str | None = "1",
    jurisdiction: str | None = None,
    path: tuple[str, ...] = (),
) -> SectionRef:
    return SectionRef(
        policy_key=policy,
        policy_title=f"{policy.title()} Policy",
        version_label=None,
        jurisdiction=jurisdiction,
        eid=f"sec_{number or title}",
        number=number,
        title=title,
        page=None,
        path=path,
    )


def make_span(start: int, end: int, *, version: int = 1) -> Span:
    return Span(version_id=VersionId(version), char_start=start, char_end=end)


def make_item(
    text: str,
    *,
    key: str = "c1",
    version: int = 1,
    start: int = 0,
    place: SectionRef | None = None,
    roles: tuple[str, ...] = (),
    relevance: float = 0.8,
    is_finding: bool = False,
) -> EvidenceItem:
    return EvidenceItem(
        key=key,
        kind="finding" if is_finding else "chunk",
        span=make_span(start, start + len(text), version=version),
        text=text,
        place=place or make_place(),
        relevance=None if is_finding else relevance,
        roles=roles,
        chunk_id=None if is_finding else f"gifts_chunk_{key}",
        lexical_score=None if is_finding else 0.5,
        dense_score=None,
    )


def make_evidence(*texts: str) -> Evidence:
    """Return one item a text, keyed c1..cn, each of a version of its own."""
    return Evidence(
        items=tuple(
            make_item(text, key=f"c{number}", version=number)
            for number, text in enumerate(texts, start=1)
        )
    )


def cite(item: EvidenceItem, quote: str | None = None) -> Citation:
    """Cite a quote where it stands in an item, or the whole item."""
    quoted = item.text if quote is None else quote
    start = item.span.char_start + item.text.index(quoted)
    return Citation(
        key=item.key,
        span=make_span(start, start + len(quoted), version=item.span.version_id),
        quote=quoted,
    )


def shown_citations(*quotes: str) -> tuple[ShownCitation, ...]:
    """Return quotes as an answer shows them, numbered from 1, all of one section."""
    return tuple(
        ShownCitation(
            number=number,
            key=f"c{number}",
            span=make_span(0, len(quote)),
            quote=quote,
            place=make_place(),
            effective_from=None,
        )
        for number, quote in enumerate(quotes, start=1)
    )


def make_draft(text: str, *citations: Citation) -> Draft:
    return Draft(claims=(Claim(text=text, citations=citations),))


def stored_text(evidence: Evidence, draft: Draft) -> Mapping[Span, str]:
    """Return what the database would hold at the spans that a draft cites."""
    stored: dict[Span, str] = {}
    for claim in draft.claims:
        for citation in claim.citations:
            for item in evidence.items:
                at = item.span
                span = citation.span
                if at.version_id == span.version_id and (
                    at.char_start <= span.char_start <= span.char_end <= at.char_end
                ):
                    start = span.char_start - at.char_start
                    stored[span] = item.text[start : start + span.char_end - span.char_start]
    return stored


def make_judgement(
    score: float = 0.9,
    *,
    approved: bool = True,
    decision: Decision = Decision.FINAL,
    answers: float | None = 0.97,
    reason: str = "",
) -> Judgement:
    return Judgement(
        faithfulness=score,
        relevance=score,
        completeness=score,
        approved=approved,
        decision=decision,
        reason=reason,
        measures=() if answers is None else (("answers", answers),),
    )


NOT_JUDGED = NotJudged(reason="no token")
NO_CONFIDENCE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)


def make_plan(intent: str = "general", words: Sequence[str] = ()) -> Plan:
    return Plan(intent=intent, terms=tuple(Term(word=word, weight=1.0) for word in words))


def make_finding(snapshot: Snapshot, text: str) -> Finding:
    """Return the norm of an ontology whose sentence holds a text."""
    for entity in snapshot.entities:
        for span in entity.spans:
            if text in snapshot.quotes[span] and entity.type in NORMS:
                return Finding(
                    entity=entity.key,
                    span=span,
                    text=snapshot.quotes[span],
                    place=snapshot.places[span],
                )
    raise AssertionError(f"no norm says {text!r}")


def never_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer be sure enough to stand as one."""

    def low(_: float, **_more: object) -> Badge:
        return Badge.LOW

    monkeypatch.setattr("core.confidence.calibration.badge_of", low)


def public_report(language: Language = Language.ENGLISH) -> Answer:
    """Return the reply to a report where others may read."""
    return compose.report_in_public(words_in(language), language)
