"""After `verify`, beside `critique`: is this good enough?"""

from core.domain.answer import Draft, Judgement, NotJudged
from core.domain.evidence import Evidence
from core.domain.question import Question
from core.domain.run import Plan
from core.ports import Reasoner


async def judge(
    reasoner: Reasoner, question: Question, plan: Plan, evidence: Evidence, draft: Draft
) -> Judgement | NotJudged:
    """Ask the judge about a verified draft.

    Scores out of range are no judgement, and no judgement approves.
    """
    found = await reasoner.judge(question, plan, evidence, draft)
    if isinstance(found, Judgement):
        scores = (found.faithfulness, found.relevance, found.completeness)
        measured = (value for _, value in found.measures)
        if not all(0.0 <= score <= 1.0 for score in (*scores, *measured)):
            return NotJudged(reason=f"a score is outside [0, 1]: {scores}, {found.measures}")
    return found
