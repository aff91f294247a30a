"""Critic and judge: each reads the verified draft by a prompt of its own, on the small model."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import Block, Calls, ModelRequest, ToolUse
from core.adapters.anthropic.api.providers import Capabilities
from core.adapters.anthropic.dialogue import critic, judge
from core.adapters.anthropic.dialogue.blocks import data_block, text_block
from core.adapters.anthropic.dialogue.prefix import system
from core.adapters.anthropic.settings import ModelChoice
from core.agent.prompts import CRITIQUE, JUDGE, Prompt
from core.domain.answer import Critique, Draft, Judgement, NotJudged
from core.domain.errors import BudgetSpentError, ContractError, ModelUnavailableError
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.question import Question
from core.domain.run import Json

CITED = 40_000
"""Characters that are shown of what is cited, at most."""
PASSAGES = 8_000
"""Characters of passages beside it, the best of the search first: they are there for what a draft
leaves out, and two models read them."""
FINDINGS = 4_000
"""Characters of findings beside it, of those that no passage shown holds."""
PATIENCE_S = 15.0
"""Longest wait for the critic, whose silence opens nothing; a usual reply takes two seconds."""
SPENT = "the budget of model calls was spent before the judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Role:
    """Who reviews."""

    purpose: str
    prompt: Prompt
    tool: Mapping[str, Json]


_CRITIC = _Role(purpose="critique", prompt=CRITIQUE, tool=critic.TOOL)
_JUDGE = _Role(purpose="judge", prompt=JUDGE, tool=judge.TOOL)


class Reviewer:
    """Asks critic and judge; safe to ask both at once."""

    def __init__(
        self,
        calls: Calls,
        *,
        models: ModelChoice,
        capabilities: Capabilities,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Take what calls the small model, and how long the critic is waited for."""
        self._calls = calls
        self._patience_s = patience_s
        self._models = models
        self._is_cached = capabilities.prompt_caching

    async def critique(self, question: Question, evidence: Evidence, draft: Draft) -> Critique:
        """Ask the critic; without a budget, or where the model fails or dawdles, it finds nothing.

        It never approves, so nothing is lost by it, while a draft that the judge approves would be.
        """
        try:
            async with asyncio.timeout(self._patience_s):
                arguments = await self._submitted(_CRITIC, question, evidence, draft)
        except BudgetSpentError:
            return Critique(refine=False, issues=("the budget was spent before the critic",))
        except (ModelUnavailableError, ContractError) as error:
            return Critique(refine=False, issues=(f"not read by the critic: {error}",))
        except TimeoutError:
            waited = f"{self._patience_s:g} s"
            return Critique(refine=False, issues=(f"not read by the critic within {waited}",))
        return critic.critique_of(arguments)

    async def judge(
        self, question: Question, evidence: Evidence, draft: Draft
    ) -> Judgement | NotJudged:
        """Ask the judge; without a budget nothing is judged.

        Raises:
            ModelUnavailableError: The model failed.
        """
        try:
            arguments = await self._submitted(_JUDGE, question, evidence, draft)
        except BudgetSpentError:
            return NotJudged(reason=SPENT)
        return judge.judgement_of(arguments, claims=len(draft.claims))

    async def _submitted(
        self, role: _Role, question: Question, evidence: Evidence, draft: Draft
    ) -> Json:
        """Return the arguments of the one call of the tool; None if there is not exactly one."""
        name = str(role.tool["name"])
        content = [*material(question, evidence, draft), text_block(f"Call {name} now.")]
        reply = await self._calls.call(
            ModelRequest(
                purpose=role.purpose,
                prompt=role.prompt.label,
                model=self._models.review,
                max_tokens=self._models.review_tokens,
                system=system(role.prompt, is_cached=self._is_cached),
                messages=({"role": "user", "content": content},),
                tools=(role.tool,),
                effort=self._models.review_effort,
                tool_choice={"type": "tool", "name": name} if self._models.forces_tools else None,
            )
        )
        uses = [part for part in reply.parts if isinstance(part, ToolUse)]
        whole = reply.stop_reason in {"tool_use", "end_turn"}
        if not whole or len(uses) != 1 or uses[0].name != name:
            return None
        return uses[0].arguments


def material(question: Question, evidence: Evidence, draft: Draft) -> Sequence[Block]:
    """Return what critic and judge are given, as data."""
    asked: dict[str, Json] = {
        "text": question.standalone,
        "day": question.scope.as_of.isoformat(),
        "jurisdiction": question.scope.jurisdiction,
        "assume": {one.slot: one.value for one in question.assumptions},
    }
    claims: list[Json] = [
        {
            "claim": number,
            "text": claim.text,
            "cites": [{"key": one.key, "quote": one.quote} for one in claim.citations],
        }
        for number, claim in enumerate(draft.claims, start=1)
    ]
    said: dict[str, Json] = {"claims": claims}
    if draft.missing:
        said["said_to_be_missing"] = draft.missing
    return (
        data_block("question", asked),
        data_block("evidence", [_shown(item) for item in _material(evidence, draft)]),
        data_block("draft", said),
    )


def _material(evidence: Evidence, draft: Draft) -> Iterator[EvidenceItem]:
    """Yield what is cited, then passages and findings: no stretch twice, each kind bounded."""
    keys = {one.key for claim in draft.claims for one in claim.citations}
    cited = _within(CITED, [item for item in evidence.items if item.key in keys])
    rest = [item for item in evidence.items if item.key not in keys]
    passages = _within(PASSAGES, [item for item in rest if item.kind == "chunk"])
    shown = [*cited, *passages]
    findings = [item for item in rest if item.kind != "chunk"]
    yield from shown
    yield from _within(
        FINDINGS, [item for item in findings if not any(_holds(one, item) for one in shown)]
    )


def _within(most: int, items: Sequence[EvidenceItem]) -> list[EvidenceItem]:
    """Return the first items that have no more characters together; what is too long is left."""
    kept: list[EvidenceItem] = []
    for item in items:
        if len(item.text) <= most:
            most -= len(item.text)
            kept.append(item)
    return kept


def _holds(one: EvidenceItem, other: EvidenceItem) -> bool:
    return (
        one.span.version_id == other.span.version_id
        and one.span.char_start <= other.span.char_start
        and other.span.char_end <= one.span.char_end
    )


def _shown(item: EvidenceItem) -> Json:
    section = " ".join(filter(None, (item.place.number, item.place.title)))
    introduced: dict[str, Json] = {}
    if item.lead_in is not None:
        introduced = {"introduced_by": [one.text for one in item.lead_in.chain]}
    return {
        "key": item.key,
        "where": f"{item.place.policy_title}, {section}",
        "jurisdiction": item.place.jurisdiction,
        **introduced,
        "text": item.text,
    }
