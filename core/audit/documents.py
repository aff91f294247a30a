"""The documents of the record, with personal text replaced by commitments.

An outcome record holds the whole run; an event record holds what else happened to a message or a
reply.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime

from core.audit.canonical import Commitment, instant
from core.domain.answer import Judgement, ShownCitation
from core.domain.audit import OUTCOME_TAGS, Tag
from core.domain.codec import json_of
from core.domain.json_value import Json
from core.domain.run import ModelCall, Run

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
            json_of(verdict, "claim check passed")
            for attempt in run.attempts
            for verdict in attempt.verdicts
        ],
        "critique": {"refine": last.critique.refine} if last and last.critique else None,
        "judgement": _judgement(last.judgement if last else None),
        "decisions": [
            {"attempt": number, "decision": attempt.decision.value}
            for number, attempt in enumerate(run.attempts, start=1)
        ],
        # No person's name.
        "sources": [
            json_of(source, "policy=policy_key url sensitivity review_by")
            for source in answer.sources
        ],
        "precedent": answer.precedent
        and json_of(answer.precedent, "id=precedent_id number approved_on"),
        "outcome": answer.outcome.value,
        "refusal": {
            "kind": answer.refusal.value if answer.refusal else None,
            "nearest_sections": [
                {"policy": place.policy_key, "section": place.number or place.title}
                for place in answer.nearest
            ],
        },
        "thresholds": {"gate": run.gate.threshold if run.gate else None},
        "confidence": json_of(
            answer.confidence,
            "reported calibrated badge features calibration",
            features=dict(answer.confidence.features),
        ),
        "assumptions": [json_of(assumption, "slot source") for assumption in question.assumptions],
        "content": {commitment.field: commitment.digest() for commitment in commitments},
    }


def _question(run: Run) -> dict[str, Json]:
    question = run.question
    return json_of(
        question,
        "id=question_id place.platform place.mode entities scope.groups scope.tags"
        " scope.jurisdiction scope.as_of scope.is_other_day is_addressed",
        entities=run.entities,
        turns=[turn.answer_id for turn in question.history],
    )


def retrieved(run: Run) -> dict[str, Json]:
    """Return what a draft could cite, as it is recorded."""
    items = run.evidence.items
    held = [[item.key, item.kind, *astuple(item.span), item.text, item.place.eid] for item in items]
    return {
        "chunks": list(run.chunks_used),
        "findings": [
            json_of(item.span, "version=version_id char_start char_end")
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
    return json_of(
        call,
        "purpose model prompt tokens_in tokens_cached=tokens.cache_read tokens_out=tokens.output"
        " cost attempts ms is_failed",
        tokens_in=tokens.fresh + tokens.cache_read + tokens.cache_write,
        cost=None if call.cost_usd is None else round(call.cost_usd * 1_000_000),
        ms=round((call.ended_s - call.started_s) * 1_000),
        is_failed=call.error is not None,
    )


def _run(run: Run) -> dict[str, Json]:
    return json_of(
        run,
        "attempts reasoner edition used_rag budget retrieving_ms=retrieval_time_ms"
        " generating_ms=generation_time_ms total_ms=total_time_ms versions warnings setup",
        attempts=len(run.attempts),
        # What follows the colon is an error's own words, and stands in the trace.
        warnings=[warning.partition(":")[0] for warning in run.warnings],
    )


def _citation(citation: ShownCitation) -> Mapping[str, Json]:
    return json_of(
        citation,
        "n=number key policy=place.policy_key version=place.version_label section place.page"
        " span.char_start span.char_end quote_hash",
        section=citation.place.number or citation.place.title,
        quote_hash=quote_hash(citation.quote),
    )


def _judgement(judgement: object) -> Json:
    if not isinstance(judgement, Judgement):
        return None
    return json_of(
        judgement,
        "faithfulness relevance completeness verdict token=decision",
        verdict="approve" if judgement.approved else "needs_review",
    )


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
        **json_of(event, "tag conversation seq subject cause trace_id"),
        "v": FORMAT,
        "id": record_id,
        "at": instant(at),
        "unit": unit,
        "actor": {"kind": event.actor_kind, "ref": event.actor},
        "release": RELEASE,
        "content": {commitment.field: commitment.digest() for commitment in commitments},
    }
