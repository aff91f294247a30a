"""An answer from its JSON: what `report.answer_json` wrote, read again for rendering."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.domain.answer import (
    Answer,
    Badge,
    Confidence,
    Outcome,
    RefusalKind,
    ShownCitation,
    ShownClaim,
    ToldPrecedent,
)
from core.domain.json_value import Json, JsonObject
from core.domain.ontology import SectionRef
from core.domain.policy import AnswerSource
from core.language.spans import Span, VersionId


def answer_json(answer: Answer) -> JsonObject:
    """Return an answer with its claims and quotes, as it is shown and stored."""
    confidence, precedent = answer.confidence, answer.precedent
    return {
        "outcome": answer.outcome.value,
        "answer": answer.text,
        "claims": [
            {
                "text": claim.text,
                "citations": list(claim.numbers),
                **({"rendering": claim.rendering} if claim.rendering else {}),
            }
            for claim in answer.claims
        ],
        "citations": [_citation_json(citation) for citation in answer.citations],
        "confidence": {
            "badge": _value(confidence.badge),
            "calibrated": confidence.calibrated,
            "reported": confidence.reported,
            "is_calibrated": confidence.is_calibrated,
            "is_on_samples": confidence.is_on_samples,
            "calibration": confidence.calibration,
            "features": dict(confidence.features),
        },
        "refusal": _value(answer.refusal),
        "nearest_sections": [place_json(place) for place in answer.nearest],
        "slot": answer.slot,
        "options": list(answer.options),
        "assumptions": list(answer.assumptions),
        "notes": list(answer.notes),
        "case": answer.case_number,
        "language": answer.language,
        **({"private": True} if answer.is_private else {}),
        **({"precedent": _precedent_json(precedent)} if precedent else {}),
        **({"sources": [source_json(one) for one in answer.sources]} if answer.sources else {}),
    }


def source_json(source: AnswerSource) -> JsonObject:
    """Return what is known of a policy beside its text."""
    return {
        "policy": source.policy_key,
        "title": source.title,
        "file": source.file_name,
        "url": source.url,
        "owner": source.owner,
        "sensitivity": source.sensitivity,
        "review_by": source.review_by.isoformat() if source.review_by else None,
        "verified_by": source.verified_by,
    }


def _source(stored: Mapping[str, Any]) -> AnswerSource:
    review_by = stored["review_by"]
    return AnswerSource(
        policy_key=stored["policy"],
        title=stored["title"],
        file_name=stored["file"],
        url=stored["url"],
        owner=stored["owner"],
        sensitivity=stored["sensitivity"],
        review_by=date.fromisoformat(review_by) if review_by else None,
        verified_by=stored["verified_by"],
    )


def _precedent_json(told: ToldPrecedent) -> JsonObject:
    return {
        "id": told.precedent_id,
        "number": told.number,
        "approved_on": told.approved_on.isoformat(),
    }


def _precedent(stored: Mapping[str, Any]) -> ToldPrecedent:
    return ToldPrecedent(
        precedent_id=stored["id"],
        number=stored["number"],
        approved_on=date.fromisoformat(stored["approved_on"]),
    )


def place_json(place: SectionRef) -> JsonObject:
    """Return where a span lies, as people say it."""
    return {
        "policy": place.policy_key,
        "title": place.policy_title,
        "version": place.version_label,
        "jurisdiction": place.jurisdiction,
        "section": place.number,
        "section_title": place.title,
        "eid": place.eid,
        "page": place.page,
    }


def answer_of(stored: Mapping[str, Any]) -> Answer:
    """Return the answer. Headings above a section are not stored: its `path` is empty."""
    confidence = stored["confidence"]
    return Answer(
        outcome=Outcome(stored["outcome"]),
        text=stored["answer"],
        claims=tuple(
            ShownClaim(
                text=claim["text"],
                numbers=tuple(claim["citations"]),
                rendering=claim.get("rendering", ""),
            )
            for claim in stored["claims"]
        ),
        citations=tuple(_citation(citation) for citation in stored["citations"]),
        confidence=Confidence(
            reported=confidence["reported"],
            calibrated=confidence["calibrated"],
            badge=None if confidence["badge"] is None else Badge(confidence["badge"]),
            is_calibrated=confidence["is_calibrated"],
            features=tuple(confidence["features"].items()),
            # An earlier release stored neither.
            is_on_samples=confidence.get("is_on_samples", False),
            calibration=confidence.get("calibration"),
        ),
        refusal=None if stored["refusal"] is None else RefusalKind(stored["refusal"]),
        nearest=tuple(_place(place) for place in stored["nearest_sections"]),
        slot=stored["slot"],
        options=tuple(stored["options"]),
        assumptions=tuple(stored["assumptions"]),
        notes=tuple(stored["notes"]),
        case_number=stored.get("case"),
        is_private=stored.get("private", False),
        language=stored.get("language", "en"),  # an earlier release stored none
        precedent=_precedent(stored["precedent"]) if "precedent" in stored else None,
        sources=tuple(map(_source, stored.get("sources", ()))),
    )


def _citation(stored: Mapping[str, Any]) -> ShownCitation:
    return ShownCitation(
        number=stored["n"],
        key=stored["key"],
        span=Span(
            version_id=VersionId(stored["version_id"]),
            char_start=stored["char_start"],
            char_end=stored["char_end"],
        ),
        quote=stored["quote"],
        place=_place(stored),
        effective_from=stored["effective_from"],
        header=stored.get("header"),
    )


def _place(stored: Mapping[str, Any]) -> SectionRef:
    return SectionRef(
        policy_key=stored["policy"],
        policy_title=stored["title"],
        version_label=stored["version"],
        jurisdiction=stored["jurisdiction"],
        eid=stored["eid"],
        number=stored["section"],
        title=stored["section_title"],
        page=stored["page"],
    )


def _citation_json(citation: ShownCitation) -> JsonObject:
    return {
        "n": citation.number,
        "key": citation.key,
        "quote": citation.quote,
        "version_id": citation.span.version_id,
        "char_start": citation.span.char_start,
        "char_end": citation.span.char_end,
        "effective_from": citation.effective_from,
        **place_json(citation.place),
        **({"header": citation.header} if citation.header else {}),
    }


def _value(member: object) -> Json:
    return None if member is None else str(member)
