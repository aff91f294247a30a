"""The critic's reply: refine or not, and why. Parsed once, or refused."""

from collections.abc import Mapping

from core.domain.answer import Critique
from core.domain.run import Json

SUBMIT_CRITIQUE = "submit_critique"
MALFORMED = Critique(refine=False, issues=("the critic's reply was malformed",))
"""Asks for nothing, and is seen in the record."""
ISSUES = 8
"""Issues kept, at most."""
ISSUE = 400
"""Characters kept of one."""

TOOL: Mapping[str, Json] = {
    "name": SUBMIT_CRITIQUE,
    "description": "Hand in your reading of the draft. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            "refine": {
                "type": "boolean",
                "description": "True if writing the draft again would mend what you found.",
            },
            "issues": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What you found, a sentence each.",
            },
        },
        "required": ["refine", "issues"],
        "additionalProperties": False,
    },
}


def critique_of(arguments: Json) -> Critique:
    """Read the arguments of `submit_critique`."""
    if not isinstance(arguments, Mapping):
        return MALFORMED
    refine, issues = arguments.get("refine"), arguments.get("issues")
    if not isinstance(refine, bool) or not isinstance(issues, list | tuple):
        return MALFORMED
    if not all(isinstance(issue, str) for issue in issues):
        return MALFORMED
    said = [" ".join(str(issue).split())[:ISSUE] for issue in issues[:ISSUES]]
    return Critique(refine=refine, issues=tuple(filter(None, said)))
