"""The judge's reply: three scores, a verdict and a decision. Parsed once, or not a judgement."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.adapters.anthropic.tools import share
from core.domain.answer import Decision, Judgement, NotJudged
from core.domain.run import Json

SUBMIT_JUDGEMENT = "submit_judgement"
REASON = 400
"""Characters kept of a reason."""
_SCORES = ("faithfulness", "relevance", "completeness")
_VERDICTS = {"approve": True, "needs_review": False}
_DECISION = re.compile(r"\s*(FINAL|RETRY|CLARIFY|ESCALATE)\s*(?::(.*))?", re.IGNORECASE | re.DOTALL)

TOOL: Mapping[str, Json] = {
    "name": SUBMIT_JUDGEMENT,
    "description": "Hand in your judgement of the draft. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            **{name: {"type": "number", "description": "From 0 to 1."} for name in _SCORES},
            "verdict": {"type": "string", "enum": list(_VERDICTS)},
            "decision": {
                "type": "string",
                "description": "FINAL, or RETRY, CLARIFY or ESCALATE with a reason after a colon.",
            },
        },
        "required": [*_SCORES, "verdict", "decision"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A decision as written, with its reason."""

    decision: Decision
    """One of four words."""
    reason: str
    """What stood behind the colon; empty if nothing did."""


def token_of(text: Json) -> Token | None:
    """Read a decision by the list of what is allowed; anything else is none."""
    found = _DECISION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    reason = " ".join((found[2] or "").split())[:REASON]
    return Token(decision=Decision(found[1].upper()), reason=reason)


def judgement_of(arguments: Json) -> Judgement | NotJudged:
    """Read the arguments of `submit_judgement`; whatever is missing or off is no judgement."""
    if not isinstance(arguments, Mapping):
        return NotJudged(reason="the judge's reply was malformed")
    scores = [share(arguments.get(name)) for name in _SCORES]
    faithfulness, relevance, completeness = scores
    if faithfulness is None or relevance is None or completeness is None:
        return NotJudged(reason="a score of the judge is missing or outside [0, 1]")
    verdict = arguments.get("verdict")
    if not isinstance(verdict, str) or verdict not in _VERDICTS:
        return NotJudged(reason="the judge's verdict is none that is known")
    token = token_of(arguments.get("decision"))
    if token is None:
        return NotJudged(reason="the judge's decision is none that is known")
    return Judgement(
        faithfulness=faithfulness,
        relevance=relevance,
        completeness=completeness,
        approved=_VERDICTS[verdict],
        decision=token.decision,
        reason=token.reason,
    )
