"""After `plan`, before `gate`: establish findings in the ontology."""

from core.domain.errors import ContractError
from core.domain.ontology import Snapshot
from core.domain.question import Question
from core.domain.run import Exploration, Plan
from core.ports import Reasoner, Toolbox


async def explore(
    reasoner: Reasoner, question: Question, plan: Plan, *, snapshot: Snapshot, toolbox: Toolbox
) -> Exploration:
    """Let the reasoner explore, and hold what it reports to its contract.

    Raises:
        ContractError: A confidence outside [0, 1], or a finding that is not in the ontology.
    """
    found = await reasoner.explore(question, plan, snapshot, toolbox)
    reported = found.reported_confidence
    if reported is not None and not 0.0 <= reported <= 1.0:
        raise ContractError(f"expected a confidence in [0, 1], got {reported!r}")
    for finding in found.findings:
        if snapshot.quotes.get(finding.span) != finding.text:
            raise ContractError(f"a finding is not in the ontology: {finding.span!r}")
    return found
