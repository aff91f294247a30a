"""After `retrieve`, before `verify`: the reasoner proposes claims."""

from core.agent.limits import MAX_ASKED
from core.domain.answer import Draft
from core.domain.errors import ContractError
from core.domain.evidence import Evidence
from core.domain.question import Question
from core.domain.run import Attempt, Plan
from core.ports import Reasoner

CHOICE = 2
"""Options that make a choice."""


async def draft(
    reasoner: Reasoner,
    question: Question,
    plan: Plan,
    evidence: Evidence,
    *,
    previous: Attempt | None = None,
) -> Draft:
    """Ask for a draft; without evidence there is nothing to draft from.

    Args:
        reasoner: Who drafts.
        question: What was asked.
        plan: What was planned.
        evidence: What may be cited.
        previous: The attempt to be bettered; None for the first.

    Raises:
        ContractError: A branch that asks nothing, too much, or offers no choice; a question back
            beside claims.
    """
    if not evidence.items:
        return Draft(claims=(), missing="no evidence")
    proposed = await reasoner.draft(question, plan, evidence, previous=previous)
    branch = proposed.branch
    if branch is not None and not (
        branch.question.strip()
        and len(branch.question) <= MAX_ASKED
        and len(branch.options) >= CHOICE
    ):
        raise ContractError(f"a branch must ask for one of several values: {branch!r:.200}")
    if proposed.asked is not None and (proposed.claims or len(proposed.asked.question) > MAX_ASKED):
        raise ContractError("a question back stands alone, and is short")
    return proposed
