"""The reasoner of a run: what it may use, what its model calls cost, and its progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.answer import Critique, Draft, Judgement, NotJudged
from core.domain.evidence import Evidence, RetrievedChunk
from core.domain.json_value import Json
from core.domain.question import Question
from core.domain.run import (
    Attempt,
    Budget,
    Clarification,
    Exploration,
    ModelCall,
    Plan,
    TokenUse,
    ToolCall,
)
from core.language.interface.texts import Text
from core.ports.knowledge import Knowledge


class Toolbox(Protocol):
    """The tools of a reasoner: read-only, in scope, counted against the budget.

    Those of the ontology and, if there are documents to search, those that find passages.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The tools offered."""
        ...

    @property
    def definitions(self) -> Sequence[Mapping[str, Json]]:
        """Name, description and schema of each, as model providers take them."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        """Return the tool's JSON, with `evidence` and `stats`.

        A bad argument gives `error`, never an exception.
        """
        ...

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls so far."""
        ...


class FoundPassages(Protocol):
    """The passages that a model has found with its tools so far."""

    @property
    def found(self) -> tuple[RetrievedChunk, ...]:
        """Each passage once, in the order in which it was found; append-only."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What a reasoner may use in one run."""

    question: Question
    """The question."""
    knowledge: Knowledge
    """The ontology in scope."""
    toolbox: Toolbox
    """Its tools, for this run alone."""
    budget: Budget
    """The budget, shared with the pipeline."""
    use_rag: bool
    """False: graph only."""
    has_chunks: bool
    """True if there are chunks to retrieve; False with `use_rag` False."""
    passages: FoundPassages | None = None
    """The passages that tools found; None if the toolbox has no such tools."""


class Reasoner(Protocol):
    """Proposes; code decides. Nothing it returns reaches a person unverified.

    Belongs to one run, of which it may keep state. Beyond what the ports may raise, a reasoner
    raises `ContractError` if its model returned something unusable.
    """

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """Calls of language models so far, in the order in which they began."""
        ...

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        """Plan the run, or ask the asker for a missing fact."""
        ...

    async def explore(
        self, question: Question, plan: Plan, knowledge: Knowledge, toolbox: Toolbox, /
    ) -> Exploration:
        """Establish findings, and report how completely they answer."""
        ...

    async def draft(
        self,
        question: Question,
        plan: Plan,
        evidence: Evidence,
        /,
        *,
        previous: Attempt | None = None,
    ) -> Draft:
        """Propose claims, each citing spans of the evidence.

        `previous` is the attempt to improve on, with its verdicts and the words of critic and
        judge; None for the first.
        """
        ...

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """Review the verified draft for consistency, missing exceptions and gaps."""
        ...

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """Score the verified draft, and decide what to do with it."""
        ...

    async def translate(self, texts: Sequence[str], /, *, into: str) -> Sequence[str]:
        """Translate statements into a language, which is named in English; one text for each.

        Raises:
            ContractError: The model returned something else; rules translate nothing.
            ModelUnavailableError: It failed, or the budget is spent.
        """
        ...


class ReasonerFactory(Protocol):
    """Makes a reasoner for each run. Safe from many tasks."""

    @property
    def name(self) -> str:
        """Name and version, for the record (`extractive/1`, `claude-sonnet-5-5/answer-1`)."""
        ...

    @property
    def is_model(self) -> bool:
        """True for a language model: it is told why a draft failed, and may be unavailable."""
        ...

    def begin(self, context: RunContext, /) -> Reasoner:
        """Return the reasoner of one run. Nothing is called yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A stage has begun; the one before it is over."""

    stage: str
    """`plan`, `explore`, `retrieve`, `draft`, `verify`, `review`."""
    words: Text
    """What is being done, for people ("Searching 214 sections")."""


class Progress(Protocol):
    """A surface that shows what is being done. Must return at once, and never raises."""

    def report(self, progressed: Progressed, /) -> None:
        """Show a stage; the same stage may come again with a second draft."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """A stored reply of a language model."""

    response: Mapping[str, Json]
    """The reply, whole, as the provider's interface writes it."""
    tokens: TokenUse
    """Tokens of the call."""
    latency_ms: float
    """Its latency."""


class Spending(Protocol):
    """The limit of what language models may cost in a day."""

    async def check(self) -> None:
        """Check that the limit is not reached; if it is, notify officers once a day.

        Raises:
            DayBudgetSpentError: It is, or spending can't be read: no call may be made.
        """
        ...


class ModelCallLog(Protocol):
    """Stores replies by question and request, so that no call is paid for twice."""

    async def find(self, question_id: str, request_hash: bytes, /) -> StoredCall | None:
        """Return the reply to exactly this request within this question, if there is one."""
        ...

    async def store(
        self,
        question_id: str,
        request_hash: bytes,
        call: StoredCall,
        /,
        *,
        purpose: str,
        model: str,
        cost_usd: float | None,
        attempts: int,
    ) -> None:
        """Store a reply; it is committed when this returns.

        A second reply to the same request is dropped.
        """
        ...
