"""After `verify`, beside `critique`: is this good enough, and which claim is not covered?"""

from core.domain.answer import Check, Draft, Judgement, NotJudged, Support, Verdict, Verified
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


def without_unsupported(verified: Verified, judged: Judgement | NotJudged) -> Verified:
    """Return what is left once claims are dropped that the judge finds unsupported.

    Its verdict is one more check of each claim that it read: what code has dropped stays dropped,
    and a judge that gave no verdicts drops nothing.
    """
    if isinstance(judged, NotJudged) or not judged.claims:
        return verified
    failed = {verdict.claim for verdict in verified.verdicts if not verdict.passed}
    total = len(verified.claims) + len(verified.dropped)
    read = [index for index in range(total) if index not in failed]
    verdicts = [
        Verdict(
            claim=index,
            check=Check.JUDGED,
            passed=one.support is not Support.NOT,
            reason=f"not in the cited text, by the judge: {one.words}" if one.words else "",
        )
        for index, one in zip(read, judged.claims, strict=True)
    ]
    unsupported = {verdict.claim for verdict in verdicts if not verdict.passed}
    pairs = list(zip(read, verified.claims, strict=True))
    return Verified(
        claims=tuple(claim for index, claim in pairs if index not in unsupported),
        dropped=(
            *verified.dropped,
            *(claim for index, claim in pairs if index in unsupported),
        ),
        verdicts=(*verified.verdicts, *verdicts),
    )
