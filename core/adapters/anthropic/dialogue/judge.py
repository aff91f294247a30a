"""The judge's reply: a verdict on each claim, three scores, a verdict and a decision.

Parsed once, or not a judgement: also where a claim has no verdict, or two.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.adapters.anthropic.dialogue.tools import share
from core.domain.answer import ClaimJudgement, Decision, Judgement, NotJudged, Support
from core.domain.run import Json

SUBMIT_JUDGEMENT = "submit_judgement"
REASON = 400
"""Characters kept of a reason."""
WORDS = 200
"""Characters kept of what a claim's sources do not cover."""
_SUPPORTS = frozenset(Support)
_SCORES = ("faithfulness", "relevance", "completeness")
_VERDICTS = {"approve": True, "needs_review": False}
_DECISION = re.compile(r"\s*(FINAL|RETRY|CLARIFY|ESCALATE)\s*(?::(.*))?", re.IGNORECASE | re.DOTALL)

TOOL: Mapping[str, Json] = {
    "name": SUBMIT_JUDGEMENT,
    "description": "Hand in your judgement of the draft. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            "claims": {
                "type": "array",
                "description": "One verdict on each claim of the draft, in order.",
                "items": {
                    "type": "object",
                    "properties": {
                        "claim": {"type": "integer", "description": "Its number."},
                        "support": {"type": "string", "enum": [one.value for one in Support]},
                        "words": {
                            "type": "string",
                            "description": "What its sources do not cover.",
                        },
                    },
                    "required": ["claim", "support"],
                    "additionalProperties": False,
                },
            },
            **{name: {"type": "number", "description": "From 0 to 1."} for name in _SCORES},
            "verdict": {"type": "string", "enum": list(_VERDICTS)},
            "decision": {
                "type": "string",
                "description": "FINAL, or RETRY, CLARIFY or ESCALATE with a reason after a colon.",
            },
        },
        "required": ["claims", *_SCORES, "verdict", "decision"],
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


def judgement_of(arguments: Json, *, claims: int) -> Judgement | NotJudged:
    """Read the arguments of `submit_judgement`; whatever is missing or off is no judgement.

    Args:
        arguments: As the model wrote them.
        claims: How many claims it was given.
    """
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
    judged = _on_claims(arguments.get("claims"), claims)
    if judged is None:
        return NotJudged(reason="the judge did not give each claim one verdict")
    return Judgement(
        faithfulness=faithfulness,
        relevance=relevance,
        completeness=completeness,
        approved=_VERDICTS[verdict],
        decision=token.decision,
        reason=token.reason,
        claims=judged,
    )


def _on_claims(given: Json, claims: int) -> tuple[ClaimJudgement, ...] | None:
    """Return a verdict for each claim, or None if they are not one for each, in any order."""
    if isinstance(given, str) or not isinstance(given, list | tuple) or len(given) != claims:
        return None
    found: dict[int, ClaimJudgement] = {}
    for one in given:
        if not isinstance(one, Mapping):
            return None
        number, support, words = (one.get(name) for name in ("claim", "support", "words"))
        if type(number) is not int or not isinstance(support, str) or support not in _SUPPORTS:
            return None
        said = " ".join(words.split())[:WORDS] if isinstance(words, str) else ""
        found[number] = ClaimJudgement(support=Support(support), words=said)
    if set(found) != set(range(1, claims + 1)):
        return None
    return tuple(found[number] for number in sorted(found))
