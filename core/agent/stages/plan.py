"""First stage, after the message was understood, before `explore`.

What to do about the question.
"""

from core.agent.limits import MAX_ASKED
from core.domain.errors import ContractError
from core.domain.question import Question
from core.domain.run import Clarification, Plan
from core.ports import Knowledge, Reasoner


async def plan(
    reasoner: Reasoner, question: Question, knowledge: Knowledge
) -> Plan | Clarification:
    """Ask the reasoner for a plan, and hold it to its contract.

    Raises:
        ContractError: A clarification without a question, or with too long a one.
    """
    proposed = await reasoner.plan(question, knowledge)
    if isinstance(proposed, Clarification) and not proposed.question.strip():
        raise ContractError("a clarification must ask something")
    if isinstance(proposed, Clarification) and len(proposed.question) > MAX_ASKED:
        raise ContractError(
            f"a clarification of {len(proposed.question)} characters is no question"
        )
    return proposed
