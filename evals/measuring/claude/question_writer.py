"""Claude as a writer of test questions: one request for each section, checked by code afterwards.

Policy text appears only in the user's turn, as `extraction.extractor.section_block` writes it.
"""

import json
import math
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import Calls, ModelReply, ModelRequest, ToolUse
from core.adapters.anthropic.dialogue.dialogue import system
from core.adapters.anthropic.extraction.composition import (
    NoCalls,
    may_force_tools,
    open_calls,
    pricing_of,
)
from core.adapters.anthropic.extraction.extractor import (
    CHARACTERS_A_TOKEN,
    Pricing,
    section_block,
)
from core.agent.prompts import QUESTIONS
from core.config.settings import Settings
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.json_value import Json
from core.domain.question_draft import AskedSection
from core.domain.run import TokenUse
from core.ports import Clock
from core.ports.extraction import SectionInput
from evals.measuring.drafting.by_model import (
    KINDS,
    MOST_QUESTIONS,
    NotWritten,
    Written,
    proposals_from,
)

NAME = "propose_questions"
MAX_TOKENS = 4_000
"""Of one reply, thinking included."""
_WRITTEN = 600
"""Tokens of a reply, roughly."""
TOOL: Mapping[str, Json] = {
    "name": NAME,
    "description": "Proposes questions that the section answers. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "maxItems": MOST_QUESTIONS,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string"},
                        "kind": {"type": "string", "enum": list(KINDS)},
                        "quotes": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["question", "kind", "quotes"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["questions"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeQuestionWriter:
    """Proposes questions with the small model."""

    calls: Calls
    """Calls of the Messages API."""
    model: str
    """The provider's name of the model."""
    pricing: Pricing
    """What a call costs."""

    @property
    def name(self) -> str:
        """The model with its prompt, for `QuestionDraft.made_by`."""
        return f"{self.model}/{QUESTIONS.label}"

    async def write(self, section: AskedSection, /) -> Written | NotWritten:
        """Propose questions that a section answers; never raises what a model or a service does.

        Nothing that a model said is repaired, or asked for twice.
        """
        try:
            reply = await self.calls.call(self.request(section))
        except (ModelUnavailableError, ContractError) as error:
            is_down = isinstance(error, ModelUnavailableError)
            return NotWritten(
                reason=str(error), is_down=is_down, tokens=TokenUse(fresh=0), cost_usd=0.0
            )
        cost = self.price(reply.tokens)
        try:
            proposals = proposals_from(_arguments(reply))
        except ContractError as error:
            return NotWritten(reason=str(error), is_down=False, tokens=reply.tokens, cost_usd=cost)
        return Written(proposals=proposals, tokens=reply.tokens, cost_usd=cost)

    def request(self, section: AskedSection) -> ModelRequest:
        """Return the request for a section: the same bytes whenever it is made."""
        shown = SectionInput(title=section.title, path=section.path, text=section.text)
        is_forced = may_force_tools(self.model)
        return ModelRequest(
            purpose="questions",
            prompt=QUESTIONS.label,
            model=self.model,
            max_tokens=MAX_TOKENS,
            system=system(QUESTIONS, is_cached=True),
            messages=({"role": "user", "content": [section_block(shown)]},),
            tools=(TOOL,),
            tool_choice={"type": "tool", "name": NAME} if is_forced else {"type": "auto"},
        )

    def estimate(self, section: AskedSection, /) -> TokenUse:
        """Return the tokens that a section takes, roughly: the prefix is cached."""
        prefix = len(QUESTIONS.text) + len(json.dumps(TOOL))
        return TokenUse(
            fresh=math.ceil(len(section.text) / CHARACTERS_A_TOKEN),
            cache_read=math.ceil(prefix / CHARACTERS_A_TOKEN),
            output=_WRITTEN,
        )

    def price(self, tokens: TokenUse, /) -> float | None:
        """Return the cost of tokens in US dollars; None if the price is not known."""
        return self.pricing(self.model, tokens)


@asynccontextmanager
async def open_question_writer(
    settings: Settings, *, clock: Clock
) -> AsyncGenerator[ClaudeQuestionWriter]:
    """Open Claude as a writer of questions, and close its connections at the end.

    Raises:
        ConfigError: There is no access to a model; the message says what is missing.
    """
    async with open_calls(settings, clock=clock) as calls:
        yield ClaudeQuestionWriter(
            calls=calls, model=settings.small_model, pricing=pricing_of(settings)
        )


def estimating_writer(settings: Settings) -> ClaudeQuestionWriter:
    """Return a writer that only estimates, and needs no access. Blocks on a price file."""
    return ClaudeQuestionWriter(
        calls=NoCalls(), model=settings.small_model, pricing=pricing_of(settings)
    )


def _arguments(reply: ModelReply) -> Json:
    """Return what the tool was called with.

    Raises:
        ContractError: The reply was cut off, or is not one call of the tool.
    """
    if reply.stop_reason in {"max_tokens", "refusal"}:
        raise ContractError(f"the reply ended with {reply.stop_reason}")
    uses = [part for part in reply.parts if isinstance(part, ToolUse)]
    if len(uses) != 1 or uses[0].name != NAME:
        raise ContractError(f"expected one call of {NAME}, got {len(uses)} calls")
    return uses[0].arguments
