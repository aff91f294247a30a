"""An answer as JSON, as it is shown and stored, and from its JSON again, for rendering."""

from collections.abc import Mapping
from typing import Any

from core.domain.answer import Answer, Confidence, ShownCitation, ShownClaim, ToldPrecedent
from core.domain.codec import json_of, value_of
from core.domain.json_value import JsonObject
from core.domain.ontology import SectionRef
from core.domain.policy import AnswerSource
from core.language.spans import Span

_ANSWER = (
    "outcome answer=text claims citations confidence refusal nearest_sections=nearest slot options"
    " assumptions notes case=case_number~ language~ private=is_private? precedent? sources?"
)
_CLAIM = "text citations=numbers rendering?"
_CITATION = "n=number key quote span.version_id span.char_start span.char_end effective_from"
_HEADER = "header?"
_SPAN = "version_id char_start char_end"
_CONFIDENCE = "badge calibrated reported is_calibrated is_on_samples~ calibration~"
_PLACE = (
    "policy=policy_key title=policy_title version=version_label jurisdiction section=number"
    " section_title=title eid page"
)
_SOURCE = "policy=policy_key title file=file_name url owner sensitivity review_by verified_by"
PRECEDENT = "id=precedent_id number approved_on"


def answer_json(answer: Answer) -> JsonObject:
    """Return an answer with its claims and quotes, as it is shown and stored."""
    confidence, precedent = answer.confidence, answer.precedent
    return json_of(
        answer,
        _ANSWER,
        claims=[json_of(claim, _CLAIM) for claim in answer.claims],
        citations=[_citation_json(citation) for citation in answer.citations],
        confidence=json_of(confidence, _CONFIDENCE, features=dict(confidence.features)),
        nearest_sections=[place_json(place) for place in answer.nearest],
        precedent=precedent and json_of(precedent, PRECEDENT),
        sources=[json_of(source, _SOURCE) for source in answer.sources],
    )


def _citation_json(citation: ShownCitation) -> JsonObject:
    return {
        **json_of(citation, _CITATION),
        **place_json(citation.place),
        **json_of(citation, _HEADER),
    }


def place_json(place: SectionRef) -> JsonObject:
    """Return where a span lies, as people say it."""
    return json_of(place, _PLACE)


def answer_of(stored: Mapping[str, Any]) -> Answer:
    """Return the answer, of earlier releases as well, which left out what they did not know.

    Headings above a section are not stored: its `path` is empty.
    """
    precedent, confidence = stored.get("precedent"), stored["confidence"]
    return value_of(
        Answer,
        stored,
        _ANSWER,
        claims=tuple(value_of(ShownClaim, claim, _CLAIM) for claim in stored["claims"]),
        citations=tuple(map(_citation, stored["citations"])),
        confidence=value_of(
            Confidence, confidence, _CONFIDENCE, features=tuple(confidence["features"].items())
        ),
        nearest=tuple(map(_place, stored["nearest_sections"])),
        precedent=value_of(ToldPrecedent, precedent, PRECEDENT) if precedent else None,
        sources=tuple(value_of(AnswerSource, one, _SOURCE) for one in stored.get("sources", ())),
    )


def _citation(stored: Mapping[str, Any]) -> ShownCitation:
    span, place = value_of(Span, stored, _SPAN), _place(stored)
    return value_of(ShownCitation, stored, f"{_CITATION} {_HEADER}", span=span, place=place)


def _place(stored: Mapping[str, Any]) -> SectionRef:
    return value_of(SectionRef, stored, _PLACE)
