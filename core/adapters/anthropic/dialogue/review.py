"""Critic and judge: each reviews the verified draft with its own prompt, on the small model."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import Block, Calls, ModelRequest, ToolUse
from core.adapters.anthropic.api.providers import Capabilities, ModelChoice
from core.adapters.anthropic.dialogue.dialogue import data_block, system, text_block
from core.adapters.anthropic.dialogue.tools import share
from core.agent.prompts import RELEASED, Prompt, Prompts
from core.domain.answer import (
    ClaimJudgement,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    Support,
)
from core.domain.errors import BudgetSpentError, ContractError, ModelUnavailableError
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.json_value import Json
from core.domain.question import Question

SUBMIT_CRITIQUE = "submit_critique"
MALFORMED = Critique(refine=False, issues=("the critic's reply was malformed",))
"""Requests nothing, but appears in the record."""
ISSUES = 8
"""Issues kept, at most."""
ISSUE = 400
"""Characters kept of an issue."""
CRITIC_TOOL: Mapping[str, Json] = {
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
SUBMIT_JUDGEMENT = "submit_judgement"
REASON = 400
"""Characters kept of a reason."""
WORDS = 200
"""Characters kept of the words that a claim's sources do not cover."""
_SUPPORTS = frozenset(Support)
_SCORES = ("faithfulness", "relevance", "completeness")
_VERDICTS = {"approve": True, "needs_review": False}
_DECISION = re.compile(r"\s*(FINAL|RETRY|CLARIFY|ESCALATE)\s*(?::(.*))?", re.IGNORECASE | re.DOTALL)
JUDGE_TOOL: Mapping[str, Json] = {
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
CITED = 40_000
"""Characters of cited evidence shown, at most."""
PASSAGES = 8_000
"""Characters of other passages, best first: they show what a draft leaves out, and two models read
them."""
FINDINGS = 4_000
"""Characters of other findings that are not in a passage shown."""
CRITIC_TIMEOUT_S = 15.0
"""Timeout of the critic, which never approves anything; a reply usually takes two seconds."""
SPENT = "the budget of model calls was spent before the judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Role:
    """A reviewer."""

    purpose: str
    prompt: Prompt
    tool: Mapping[str, Json]


class Reviewer:
    """Calls critic and judge on the small model; both may be called at once."""

    def __init__(
        self,
        calls: Calls,
        *,
        models: ModelChoice,
        capabilities: Capabilities,
        prompts: Prompts = RELEASED,
        critic_timeout_s: float = CRITIC_TIMEOUT_S,
    ) -> None:
        self._calls = calls
        self._critic = _Role(purpose="critique", prompt=prompts.critique, tool=CRITIC_TOOL)
        self._judge = _Role(purpose="judge", prompt=prompts.judge, tool=JUDGE_TOOL)
        self._critic_timeout_s = critic_timeout_s
        self._models = models
        self._is_cached = capabilities.prompt_caching

    async def critique(self, question: Question, evidence: Evidence, draft: Draft) -> Critique:
        """Call the critic; if the budget is spent, or the model fails or is slow, it finds nothing.

        The critic never approves, so its failure must not discard a draft that the judge approves.
        """
        try:
            async with asyncio.timeout(self._critic_timeout_s):
                arguments = await self._submitted(self._critic, question, evidence, draft)
        except BudgetSpentError:
            return Critique(refine=False, issues=("the budget was spent before the critic",))
        except (ModelUnavailableError, ContractError) as error:
            return Critique(refine=False, issues=(f"not read by the critic: {error}",))
        except TimeoutError:
            waited = f"{self._critic_timeout_s:g} s"
            return Critique(refine=False, issues=(f"not read by the critic within {waited}",))
        return critique_of(arguments)

    async def judge(
        self, question: Question, evidence: Evidence, draft: Draft
    ) -> Judgement | NotJudged:
        """Call the judge; if the budget is spent, nothing is judged.

        Raises:
            ModelUnavailableError: The model failed.
        """
        try:
            arguments = await self._submitted(self._judge, question, evidence, draft)
        except BudgetSpentError:
            return NotJudged(reason=SPENT)
        return judgement_of(arguments, claims=len(draft.claims))

    async def _submitted(
        self, role: _Role, question: Question, evidence: Evidence, draft: Draft
    ) -> Json:
        """Return the arguments of the tool call; None unless there is exactly one."""
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
    """Return the input of critic and judge, as data."""
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
    """Yield cited evidence, then passages and findings: no text twice, each kind limited."""
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
    """Return the first items that fit into a number of characters; items that don't are skipped."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A decision as written, with its reason."""

    decision: Decision
    """One of four words."""
    reason: str
    """The text after the colon; may be empty."""


def token_of(text: Json) -> Token | None:
    """Parse a decision; None unless it is one of the allowed words."""
    found = _DECISION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    reason = " ".join((found[2] or "").split())[:REASON]
    return Token(decision=Decision(found[1].upper()), reason=reason)


def judgement_of(arguments: Json, *, claims: int) -> Judgement | NotJudged:
    """Parse the arguments of `submit_judgement`; incomplete or wrong ones are no judgement.

    Args:
        arguments: As the model wrote them.
        claims: Number of claims of the draft.
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
    """Return a verdict for each claim, or None unless there is exactly one for each."""
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
