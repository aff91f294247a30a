"""Claude as a grader of labelled answers, for evaluation alone.

It grades what can be compared: answers whose label has passages or facts. A reply that is not one
of the scale is no grade; a model that can't be reached gives none either.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from core.adapters.anthropic.api.api_types import Calls, ModelRequest, ToolUse
from core.adapters.anthropic.api.composition import StandaloneCalls, open_models
from core.adapters.anthropic.api.providers import Capabilities, ModelChoice, usual_choice
from core.adapters.anthropic.dialogue.dialogue import data_block, system, text_block
from core.agent.prompts import GRADE
from core.config.settings import Settings
from core.domain.answer import Answer
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.json_value import Json
from core.domain.run import ModelCall
from core.ports import Clock
from evals.measuring.grading import Grade, NotGraded
from evals.measuring.questions import LabelledQuestion

SUBMIT_GRADE = "submit_grade"
DEADLINE_S = 60.0
"""For one grade, repetitions after an error included."""
SHOWN = 8_000
"""Characters of an answer, at most."""
_WORD = 40
"""Characters of a word that is no grade, as it is told."""
TOOL: Mapping[str, Json] = {
    "name": SUBMIT_GRADE,
    "description": "Hand in your grade. Call it exactly once.",
    "input_schema": {
        "type": "object",
        "properties": {
            "grade": {"type": "string", "enum": [grade.value for grade in Grade]},
            "reason": {"type": "string", "description": "Why, in one sentence."},
        },
        "required": ["grade", "reason"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeGrader:
    """Grades answers with the small model."""

    calls: Calls
    """Calls of the Messages API."""
    models: ModelChoice
    """Which one, and how much it may write."""
    capabilities: Capabilities
    """What its provider can do."""
    made: list[ModelCall] = field(default_factory=list[ModelCall])
    """Calls that nobody has taken yet."""

    def take_calls(self) -> tuple[ModelCall, ...]:
        """Return the calls made since the last time: what grading costs."""
        taken = tuple(self.made)
        self.made.clear()
        return taken

    async def grade(self, question: LabelledQuestion, answer: Answer) -> Grade | NotGraded:
        """Grade an answer; never raises what a model or a service does."""
        name = SUBMIT_GRADE
        request = ModelRequest(
            purpose="grade",
            prompt=GRADE.label,
            model=self.models.review,
            max_tokens=self.models.review_tokens,
            system=system(GRADE, is_cached=self.capabilities.prompt_caching),
            messages=({"role": "user", "content": _material(question, answer)},),
            tools=(TOOL,),
            effort=self.models.review_effort,
            tool_choice={"type": "tool", "name": name} if self.models.forces_tools else None,
        )
        try:
            reply = await self.calls.call(request)
        except (ModelUnavailableError, ContractError) as error:
            return NotGraded(reason=str(error))
        uses = [part for part in reply.parts if isinstance(part, ToolUse)]
        if len(uses) != 1 or uses[0].name != name:
            return NotGraded(reason=f"expected one call of {name}, got {len(uses)} calls")
        return grade_of(uses[0].arguments)


@asynccontextmanager
async def open_grader(settings: Settings, *, clock: Clock) -> AsyncGenerator[ClaudeGrader]:
    """Open Claude as a grader, and close its connections at the end.

    Raises:
        ConfigError: There is no access to a model; the message says what is missing.
    """
    models = await asyncio.to_thread(open_models, settings, clock=clock, log=None)
    try:
        made: list[ModelCall] = []
        yield ClaudeGrader(
            calls=StandaloneCalls(
                models=models, clock=clock, deadline_s=DEADLINE_S, note=made.append
            ),
            made=made,
            models=usual_choice(answer=settings.model, review=settings.small_model),
            capabilities=models.capabilities,
        )
    finally:
        await models.aclose()


def grade_of(arguments: Json) -> Grade | NotGraded:
    """Read the arguments of `submit_grade`: a word of the scale, or no grade."""
    given = arguments.get("grade") if isinstance(arguments, Mapping) else None
    word = given.strip().lower() if isinstance(given, str) else None
    if word in set(Grade):
        return Grade(word)
    return NotGraded(reason=f"the grade {str(given)[:_WORD]!r} is none of {', '.join(Grade)}")


def _material(question: LabelledQuestion, answer: Answer) -> list[Json]:
    """Return what is graded, as data; where it is one passage of several, the label says so."""
    wanted: dict[str, Json] = {
        "facts": list(question.expected_facts),
        "passages": [*question.must_quote, *question.gold_quotes],
    }
    shown: dict[str, Json] = {
        "text": answer.text[:SHOWN],
        "notes": list(answer.notes),
        "quotes": [citation.quote for citation in answer.citations],
    }
    return [
        data_block("question", question.question),
        data_block("right_answer", {name: found for name, found in wanted.items() if found}),
        data_block("answer", shown),
        text_block(f"Call {SUBMIT_GRADE} now."),
    ]
