"""Claude as the reasoner of a run, over the ontology and the documents.

- `plan` explores with rules first, then makes the first call, which may do everything at once;
- `explore` answers tool calls as long as the model explores and the budget lasts, and stops as soon
  as documents will be retrieved: results and passages are sent together;
- `draft` takes the answer that was given, or asks for it with all evidence so far; with passages,
  the model may search once more in its own words, or ask the asker back;
- `critique`, `judge` and `translate` use other prompts on another model, without this dialogue.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import (
    ModelReply,
    ModelRequest,
    RecordedCalls,
    TextPart,
    ToolUse,
)
from core.adapters.anthropic.api.providers import Capabilities, ModelChoice
from core.adapters.anthropic.dialogue import turn_texts
from core.adapters.anthropic.dialogue.claims import (
    HOW_TO_CITE,
    cited_sentences,
    claims_of,
    closing_of,
    text_parts,
    unmarked,
)
from core.adapters.anthropic.dialogue.dialogue import Dialogue, digest, system
from core.adapters.anthropic.dialogue.review import Reviewer
from core.adapters.anthropic.dialogue.tool_loop import Answered, Explorer, NoToolbox
from core.adapters.anthropic.dialogue.tools import (
    MAKE_PLAN,
    ClarificationRequest,
    Malformed,
    Planned,
    definitions,
    parse_plan,
)
from core.adapters.anthropic.dialogue.translation import Translator
from core.adapters.anthropic.dialogue.turn_texts import Findings
from core.agent.conversation.misconduct import is_confidential
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.prompts import RELEASED, Prompts
from core.agent.request import OUT_OF_SCOPE
from core.domain.answer import Clarification, Critique, Draft, Judgement, NotJudged
from core.domain.errors import ModelUnavailableError
from core.domain.evidence import Evidence
from core.domain.json_value import Json
from core.domain.question import Question
from core.domain.run import Attempt, Exploration, ModelCall, Plan, RunLimits
from core.ports import Knowledge, RunContext, Toolbox

RESERVED = 5
"""Model calls reserved by exploring: answer, critic and judge, a redraft and its judge."""
LOOKS = 1
"""Turns in which a model with passages may search for others; the asker waits for each."""
CUT = frozenset({"max_tokens", "pause_turn", "model_context_window_exceeded"})
"""Stop reasons of an incomplete reply."""
DECLINED = "the language model declined to answer"
_NO_TOOLS: Mapping[str, Json] = {"type": "none"}


class AnthropicReasoner:
    """See `core.ports.Reasoner`."""

    def __init__(self, context: RunContext, parts: "AnthropicReasonerFactory") -> None:
        prompts, models, capabilities = parts.prompts, parts.models, parts.capabilities
        self._context = context
        self._calls = calls = parts.calls(context)
        self._models = models
        self._is_marked = not capabilities.native_citations
        self._is_cached = capabilities.prompt_caching
        self._ahead = parts.ahead
        self._prompt = prompts.answer if context.use_rag else prompts.answer_graph_only
        self._tools = definitions(context.toolbox.definitions, use_rag=context.use_rag)
        self._may_ask = context.question.asked_back < RunLimits().max_clarifications
        self._dialogue = Dialogue(is_marked=self._is_marked)
        self._findings = Findings(context.knowledge)
        self._explorer = Explorer(
            dialogue=self._dialogue,
            findings=self._findings,
            toolbox=context.toolbox,
            passages=context.passages,
            threshold=parts.threshold,
            has_chunks=context.has_chunks,
            use_rag=context.use_rag,
            may_ask=self._may_ask,
        )
        self._reviewer = Reviewer(calls, models=models, capabilities=capabilities, prompts=prompts)
        self._translator = Translator(
            calls, prompt=prompts.translate, models=models, capabilities=capabilities
        )
        self._reply: ModelReply | None = None

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """See `Reasoner.model_calls`."""
        return self._calls.made

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        """See `Reasoner.plan`."""
        if is_confidential(question):
            return Plan(intent="report")
        first = await self._ahead.plan(question, knowledge)
        guessed = first if isinstance(first, Plan) else Plan(intent=first.intent)
        if isinstance(first, Plan):
            found = await self._ahead.explore(question, first, knowledge, NoToolbox())
            self._findings.extend(found.findings)
            await self._findings.join()
            await self._findings.complete()
        self._dialogue.say(
            turn_texts.opening(
                question,
                [*self._findings.all, *self._findings.context],
                dialogue=self._dialogue,
                digest=digest(await knowledge.lookup.outline(), is_cached=self._is_cached),
                how_to_cite=HOW_TO_CITE if self._is_marked else None,
                has_nothing_else=self._context.use_rag and not self._context.has_chunks,
            )
        )
        reply = await self._ask()
        return self._planned(reply, guessed, question)

    def _planned(
        self, reply: ModelReply, guessed: Plan, question: Question
    ) -> Plan | Clarification:
        """Return the plan of the first turn: from its plan if it made one, and from its calls."""
        uses = _uses(reply)
        made = [
            parse_plan(use.arguments, known=self._known(question))
            for use in uses
            if use.name == MAKE_PLAN
        ]
        plan = next((one for one in made if not isinstance(one, Malformed)), None)
        if isinstance(plan, ClarificationRequest) and self._may_ask:
            return _clarification(plan)
        wanted = {use.name for use in uses} | set(plan.tools if isinstance(plan, Planned) else ())
        return Plan(
            intent=plan.intent if isinstance(plan, Planned) else guessed.intent,
            tools=tuple(name for name in self._context.toolbox.names if name in wanted),
            subjects=guessed.subjects,
            terms=guessed.terms,
        )

    async def explore(
        self, question: Question, plan: Plan, knowledge: Knowledge, toolbox: Toolbox, /
    ) -> Exploration:
        """See `Reasoner.explore`."""
        while self._reply is not None:
            uses, known = _uses(self._reply), self._known(question)
            answered = await self._explorer.answer(uses, known=known)
            self._dialogue.answer(answered.results)
            if self._explorer.asked or plan.intent == OUT_OF_SCOPE:
                break
            if not self._goes_on(self._reply, answered) or not self._may_go_on():
                break
            self._dialogue.say()
            await self._ask()
        reported = self._explorer.reported
        return Exploration(
            findings=self._findings.all,
            reported_confidence=reported[0].score if reported else None,
            reasoning=reported[0].reasoning if reported else "",
            later_confidences=tuple(one.score for one in reported[1:]),
            calls=toolbox.calls,
            context=self._findings.context,
            asked=_clarification(self._explorer.asked) if self._explorer.asked else None,
        )

    def _goes_on(self, reply: ModelReply, answered: Answered) -> bool:
        """Return whether the model gets another turn before the gate."""
        if self._explorer.wants_documents and self._context.has_chunks:
            return False
        if answered.explored:
            return True
        unfinished = answered.refused or (answered.planned and not self._explorer.reported)
        return bool(unfinished) and not self._has_answered(reply)

    def _may_go_on(self) -> bool:
        budget = self._context.budget
        return budget.model_calls_left > RESERVED and budget.may_step()

    async def draft(
        self,
        question: Question,
        plan: Plan,
        evidence: Evidence,
        /,
        *,
        previous: Attempt | None = None,
    ) -> Draft:
        """See `Reasoner.draft`.

        If the model is unavailable for a retry, the draft has no claims: the first one counts.
        """
        try:
            reply = await self._drafted(evidence, previous)
            if previous is None:
                reply = await self._looked_further(reply, question)
            if self._explorer.asked:
                return Draft(claims=(), asked=_clarification(self._explorer.asked))
            passages = self._context.passages
            found = passages.found if passages and self._explorer.wants_documents else ()
            return self._read(reply, question, evidence.with_chunks(found))
        except ModelUnavailableError as error:
            if previous is None:
                raise
            return Draft(claims=(), missing=str(error))

    async def _drafted(self, evidence: Evidence, previous: Attempt | None) -> ModelReply:
        chunks = [item for item in evidence.items if item.kind == "chunk"]
        new = [item for item in chunks if not self._dialogue.has_shown(item.span)]
        brings = bool(new if previous else chunks)
        if self._reply and not brings and not previous and self._has_answered(self._reply):
            return self._reply
        blocks = [turn_texts.failure(previous)] if previous else []
        if brings:
            blocks += turn_texts.passages(
                new, self._findings, self._explorer.reported, dialogue=self._dialogue
            )
        may_look = brings and not previous and self._may_look()
        words = (
            turn_texts.BETTER
            if previous
            else turn_texts.USE_BOTH
            if brings
            else turn_texts.ANSWER_NOW,
        )
        words += (turn_texts.LOOK_ONCE_MORE if may_look else turn_texts.NO_TOOLS,)
        self._dialogue.say([*blocks, turn_texts.text_block(" ".join(words))])
        return await self._ask(tool_choice=None if may_look else _NO_TOOLS)

    def _may_look(self) -> bool:
        budget = self._context.budget
        return (
            self._context.passages is not None
            and budget.looks_left > 0
            and budget.model_calls_left > RESERVED
        )

    async def _looked_further(self, reply: ModelReply, question: Question) -> ModelReply:
        """Return the answer, after the model has searched for other passages or asked back."""
        for _ in range(LOOKS):
            uses = _uses(reply)
            if not uses or self._has_answered(reply) or not self._explorer.wants_documents:
                break
            answered = await self._explorer.answer(
                uses, known=self._known(question), has_explored=True
            )
            self._dialogue.answer(answered.results)
            if self._explorer.asked:
                break
            self._dialogue.say(
                [turn_texts.text_block(f"{turn_texts.ANSWER_NOW} {turn_texts.NO_TOOLS}")]
            )
            reply = await self._ask(tool_choice=_NO_TOOLS)
        return reply

    def _read(self, reply: ModelReply, question: Question, evidence: Evidence) -> Draft:
        """Return a reply as a draft, with what its closing lines state."""
        parts = self._parts(reply)
        text = "".join(part.text for part in parts)
        closing = closing_of(text, known=self._known(question))
        found = cited_sentences(parts, length=closing.length, is_cut=reply.stop_reason in CUT)
        return Draft(
            claims=claims_of(found, locate=self._dialogue.locate, evidence=evidence),
            missing=closing.missing,
            branch=closing.branch,
            is_conflict=closing.is_conflict,
        )

    def _has_answered(self, reply: ModelReply) -> bool:
        """Return whether a reply has an answer: cited text, or a closing line."""
        parts = self._parts(reply)
        text = "".join(part.text for part in parts)
        explores = any(use.name in self._context.toolbox.names for use in _uses(reply))
        says = any(part.citations for part in parts) or closing_of(text, known=()).is_present
        return says and not explores

    def _parts(self, reply: ModelReply) -> tuple[TextPart, ...]:
        parts = text_parts(reply)
        if not self._is_marked:
            return parts
        return unmarked("".join(part.text for part in parts), self._dialogue.marks)

    def _known(self, question: Question) -> list[str]:
        return [
            question.text,
            question.standalone,
            *(finding.text for finding in self._findings.all),
        ]

    async def _ask(self, *, tool_choice: Mapping[str, Json] | None = None) -> ModelReply:
        reply = await self._calls.call(
            ModelRequest(
                purpose="answer",
                prompt=self._prompt.label,
                model=self._models.answer,
                max_tokens=self._models.answer_tokens,
                system=system(self._prompt, is_cached=self._is_cached),
                messages=self._dialogue.turns,
                tools=self._tools,
                tool_choice=tool_choice,
                effort=self._models.answer_effort,
            )
        )
        self._dialogue.hear(reply)
        self._reply = reply
        if reply.stop_reason == "refusal":
            raise ModelUnavailableError(DECLINED)
        return reply

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """See `Reasoner.critique`."""
        return await self._reviewer.critique(question, evidence, draft)

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """See `Reasoner.judge`."""
        return await self._reviewer.judge(question, evidence, draft)

    async def translate(self, texts: Sequence[str], /, *, into: str) -> Sequence[str]:
        """See `Reasoner.translate`."""
        return await self._translator.translate(texts, into=into)


def _clarification(asked: ClarificationRequest) -> Clarification:
    return Clarification(
        intent=asked.intent, question=asked.question, slot=asked.slot, options=asked.options
    )


def _uses(reply: ModelReply) -> tuple[ToolUse, ...]:
    return tuple(part for part in reply.parts if isinstance(part, ToolUse))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicReasonerFactory:
    """See `core.ports.ReasonerFactory`. Keeps nothing of a run.

    `calls` makes the calls of one run, within its budget; `ahead` explores with rules. Below the
    confidence `threshold` the gate of the pipeline asks for documents: knowing it here saves a
    turn.
    """

    is_model = True

    models: ModelChoice
    calls: Callable[[RunContext], RecordedCalls]
    capabilities: Capabilities
    ahead: ExtractiveReasoner
    threshold: float = RunLimits().gate_threshold
    prompts: Prompts = RELEASED

    @property
    def name(self) -> str:
        """See `ReasonerFactory.name`."""
        return f"{self.models.answer}/{self.prompts.answer.label.replace('/', '-')}"

    def begin(self, context: RunContext, /) -> AnthropicReasoner:
        """See `ReasonerFactory.begin`."""
        return AnthropicReasoner(context, self)
