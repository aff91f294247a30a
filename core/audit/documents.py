"""The documents of the record, with personal text replaced by commitments.

An outcome record holds the whole run; an event record holds what else happened to a message or a
reply.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime

from core.audit.canonical import Commitment, instant
from core.domain.answer import Answer, Judgement, ShownCitation
from core.domain.audit import OUTCOME_TAGS, Tag
from core.domain.json_value import Json
from core.domain.policy import AnswerSource
from core.domain.run import ModelCall, Run, RunSetup

FORMAT = 1
"""Version of the document; a changed meaning is a new one."""
RELEASE = "0.1.0"
"""The release that wrote the record."""


def quote_hash(quote: str) -> bytes:
    """Return SHA-256 of a quoted text."""
    return hashlib.sha256(quote.encode()).digest()


def outcome_document(
    run: Run,
    *,
    record_id: str,
    answer_id: str,
    at: datetime,
    seq: int,
    unit: str,
    commitments: Sequence[Commitment],
    cause: str | None = None,
) -> dict[str, Json]:
    """Return the document that closes a question. Absent is null, never 0; times are in ms.

    Reasons of checks, critics and decisions may repeat what was asked: they stand in the trace,
    which can be erased.
    """
    question, answer = run.question, run.answer
    last = run.attempts[-1] if run.attempts else None
    return {
        "v": FORMAT,
        "id": record_id,
        "tag": OUTCOME_TAGS[answer.outcome].value,
        "at": instant(at),
        "unit": unit,
        "actor": {"kind": "asker", "ref": question.asker},
        "conversation": question.conversation_id,
        "seq": seq,
        "subject": answer_id,
        "cause": cause,
        "release": RELEASE,
        "trace_id": question.question_id,
        "question": _question(run),
        "run": _run(run),
        "model_calls": [_model_call(call) for call in run.model_calls],
        "retrieved": retrieved(run),
        "claims": [
            {"claim": index, "citations": list(claim.numbers)}
            for index, claim in enumerate(answer.claims)
        ],
        "citations": [_citation(citation) for citation in answer.citations],
        "verdicts": [
            {
                "claim": verdict.claim,
                "check": verdict.check.value,
                "passed": verdict.passed,
            }
            for attempt in run.attempts
            for verdict in attempt.verdicts
        ],
        "critique": {"refine": last.critique.refine} if last and last.critique else None,
        "judgement": _judgement(last.judgement if last else None),
        "decisions": [
            {"attempt": number, "decision": attempt.decision.value}
            for number, attempt in enumerate(run.attempts, start=1)
        ],
        "sources": [_source(one) for one in answer.sources],
        "precedent": _precedent(answer),
        "outcome": answer.outcome.value,
        "refusal": {
            "kind": answer.refusal.value if answer.refusal else None,
            "nearest_sections": [
                {"policy": place.policy_key, "section": place.number or place.title}
                for place in answer.nearest
            ],
        },
        "thresholds": {"gate": run.gate.threshold if run.gate else None},
        "confidence": {
            "reported": answer.confidence.reported,
            "calibrated": answer.confidence.calibrated,
            "badge": answer.confidence.badge.value if answer.confidence.badge else None,
            "features": dict(answer.confidence.features),
            "calibration": answer.confidence.calibration,
        },
        "assumptions": [
            {"slot": assumption.slot, "source": assumption.source}
            for assumption in question.assumptions
        ],
        "content": {commitment.field: commitment.digest() for commitment in commitments},
    }


def _source(source: AnswerSource) -> dict[str, Json]:
    """Return what is kept of a policy that was cited or named: no person's name."""
    return {
        "policy": source.policy_key,
        "url": source.url,
        "sensitivity": source.sensitivity,
        "review_by": source.review_by.isoformat() if source.review_by else None,
    }


def _precedent(answer: Answer) -> dict[str, Json] | None:
    told = answer.precedent
    if told is None:
        return None
    return {
        "id": told.precedent_id,
        "number": told.number,
        "approved_on": told.approved_on.isoformat(),
    }


def _question(run: Run) -> dict[str, Json]:
    question = run.question
    return {
        "id": question.question_id,
        "platform": question.place.platform,
        "mode": question.place.mode,
        "entities": list(run.entities),
        "groups": sorted(question.scope.groups),
        "tags": sorted(question.scope.tags),
        "jurisdiction": question.scope.jurisdiction,
        "as_of": question.scope.as_of.isoformat(),
        "is_other_day": question.scope.is_other_day,
        "is_addressed": question.is_addressed,
        "turns": [turn.answer_id for turn in question.history],
    }


def retrieved(run: Run) -> dict[str, Json]:
    """Return what a draft could cite, as it is recorded."""
    items = run.evidence.items
    held = [[item.key, item.kind, *astuple(item.span), item.text, item.place.eid] for item in items]
    return {
        "chunks": list(run.chunks_used),
        "findings": [
            {
                "version": item.span.version_id,
                "char_start": item.span.char_start,
                "char_end": item.span.char_end,
            }
            for item in items
            if item.kind == "finding"
        ],
        "evidence_hash": quote_hash(json.dumps(held, ensure_ascii=False)).hex(),
    }


def _model_call(call: ModelCall) -> dict[str, Json]:
    """Return a call without hashes, by which what was asked could be guessed: the trace has them.

    Cost in micro-USD, null where the price is not known.
    """
    tokens = call.tokens
    return {
        "purpose": call.purpose,
        "model": call.model,
        "prompt": call.prompt,
        "tokens_in": tokens.fresh + tokens.cache_read + tokens.cache_write,
        "tokens_cached": tokens.cache_read,
        "tokens_out": tokens.output,
        "cost": None if call.cost_usd is None else round(call.cost_usd * 1_000_000),
        "attempts": call.attempts,
        "ms": round((call.ended_s - call.started_s) * 1_000),
        "is_failed": call.error is not None,
    }


def _setup(setup: RunSetup) -> dict[str, Json]:
    return {
        "limits": asdict(setup.limits),
        "use_rag": setup.use_rag,
        "is_unread": setup.is_unread,
        "are_groups_unread": setup.are_groups_unread,
        "models": dict(setup.models),
        "calibrations": dict(setup.calibrations),
        "language": setup.language.value,
    }


def _run(run: Run) -> dict[str, Json]:
    return {
        "attempts": len(run.attempts),
        "reasoner": run.reasoner,
        "edition": run.edition,
        "used_rag": run.used_rag,
        "budget": asdict(run.budget),
        "retrieving_ms": run.retrieval_time_ms,
        "generating_ms": run.generation_time_ms,
        "total_ms": run.total_time_ms,
        "versions": list(run.versions),
        # What follows the colon is an error's own words, and stands in the trace.
        "warnings": [warning.partition(":")[0] for warning in run.warnings],
        "setup": _setup(run.setup) if run.setup else None,
    }


def _citation(citation: ShownCitation) -> Mapping[str, Json]:
    return {
        "n": citation.number,
        "key": citation.key,
        "policy": citation.place.policy_key,
        "version": citation.place.version_label,
        "section": citation.place.number or citation.place.title,
        "page": citation.place.page,
        "char_start": citation.span.char_start,
        "char_end": citation.span.char_end,
        "quote_hash": quote_hash(citation.quote).hex(),
    }


def _judgement(judgement: object) -> Json:
    if not isinstance(judgement, Judgement):
        return None
    return {
        "faithfulness": judgement.faithfulness,
        "relevance": judgement.relevance,
        "completeness": judgement.completeness,
        "verdict": "approve" if judgement.approved else "needs_review",
        "token": judgement.decision.value,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened."""

    tag: Tag
    """What."""
    actor: str
    """Pseudonym of the asker, or the name of a part of the system."""
    actor_kind: str
    """`asker`, `officer`, `operator` or `system`."""
    conversation: str | None = None
    """The conversation; None: it happened in none."""
    seq: int | None = None
    """Its number within the conversation; None without one."""
    subject: str | None = None
    """The question or answer it is about; None if there is none."""
    cause: str | None = None
    """The record it follows from; None if there is none."""
    trace_id: str | None = None
    """The question of the run it belongs to; None if there is none."""
    says: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Further fields by the tag: no personal text."""


def event_document(
    event: Event, *, record_id: str, at: datetime, unit: str, commitments: Sequence[Commitment]
) -> dict[str, Json]:
    """Return the document. Absent is null."""
    return {
        **event.says,
        "v": FORMAT,
        "id": record_id,
        "tag": event.tag.value,
        "at": instant(at),
        "unit": unit,
        "actor": {"kind": event.actor_kind, "ref": event.actor},
        "conversation": event.conversation,
        "seq": event.seq,
        "subject": event.subject,
        "cause": event.cause,
        "release": RELEASE,
        "trace_id": event.trace_id,
        "content": {commitment.field: commitment.digest() for commitment in commitments},
    }
