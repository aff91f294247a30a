"""After `verify`, beside `judge`: does the reasoning make sense?"""

from core.domain.answer import Critique, Draft
from core.domain.evidence import Evidence
from core.domain.question import Question
from core.ports import Reasoner

NOT_CRITICISED = Critique(refine=False, issues=("the budget was spent before the critic",))
"""Stands for a critic that was not asked, so that the judge could be."""


async def critique(
    reasoner: Reasoner, question: Question, evidence: Evidence, draft: Draft
) -> Critique:
    """Ask the critic about a verified draft; it neither scores nor approves."""
    return await reasoner.critique(question, evidence, draft)
