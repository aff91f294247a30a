"""After `retrieve`, before `verify`: the reasoner proposes claims."""

from core.domain.answer import Draft
from core.domain.evidence import Evidence
from core.domain.question import Question
from core.domain.run import Plan
from core.ports import Reasoner


async def draft(reasoner: Reasoner, question: Question, plan: Plan, evidence: Evidence) -> Draft:
    """Ask for a draft; without evidence there is nothing to draft from."""
    if not evidence.items:
        return Draft(claims=(), missing="no evidence")
    return await reasoner.draft(question, plan, evidence)
