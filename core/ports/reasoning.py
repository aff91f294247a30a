"""Who proposes: the reasoner of one run, and what it may use."""

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
from core.ports.knowledge import Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A stage has begun; the one before it is over."""

    stage: str
    """`plan`, `explore`, `retrieve`, `draft`, `verify`, `review`."""
    words: str
    """What is being done, for people ("Searching 214 sections")."""


class Progress(Protocol):
    """A surface that shows what is being done. Must return at once, and never raises."""

    def report(self, progressed: Progressed, /) -> None:
        """Show a stage; the same stage may come again with a second draft."""
        ...


class Toolbox(Protocol):
    """The tools as a reasoner may use them, read-only, in scope, counted against the budget.

    Those of the ontology and, where there are documents to search, those that look up passages.
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
        """What was called so far."""
        ...


class FoundPassages(Protocol):
    """The passages that a model looked up by tools, as far as it has."""

    @property
    def found(self) -> tuple[RetrievedChunk, ...]:
        """Each stretch once, in the order in which it was found; only ever added to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What a reasoner is given of one run, and may use in it."""

    question: Question
    """What was asked."""
    knowledge: Knowledge
    """The ontology in scope."""
    toolbox: Toolbox
    """Its tools, for this run alone."""
    budget: Budget
    """What may be spent; shared with the pipeline."""
    use_rag: bool
    """False: graph only."""
    has_chunks: bool
    """True if there are chunks to retrieve; False with `use_rag` False."""
    passages: FoundPassages | None = None
    """What the tools for passages found; None where the toolbox has none."""


class Reasoner(Protocol):
    """Proposes; code decides. Nothing it returns reaches a person unverified.

    Belongs to one run: it may remember what it was told in it. Beyond what the ports may raise, a
    reasoner raises `ContractError` when what drives it broke its word.
    """

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """Calls of language models so far, in the order in which they began."""
        ...

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        """Say what to do, or ask for the fact without which nothing can be done."""
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

        `previous` is the attempt that is to be bettered, with its verdicts and what critic and
        judge said of it; None for the first.
        """
        ...

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """Read the verified draft for consistency, missing exceptions and gaps."""
        ...

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """Score the verified draft and say what to do with it."""
        ...


class ReasonerFactory(Protocol):
    """Makes a reasoner for each run. Safe from many tasks."""

    @property
    def name(self) -> str:
        """Name and version, for the record (`extractive/1`, `claude-sonnet-5-5/answer-1`)."""
        ...

    @property
    def is_model(self) -> bool:
        """True if a language model reasons: it is told why a draft failed, and may be down."""
        ...

    def begin(self, context: RunContext, /) -> Reasoner:
        """Return the reasoner of one run. Nothing is called yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """The reply of a language model as kept."""

    response: Mapping[str, Json]
    """The reply, whole, as the provider's interface writes it."""
    tokens: TokenUse
    """What it used when it was made."""
    latency_ms: float
    """How long it took then."""


class Spending(Protocol):
    """What language models may cost in a day."""

    async def check(self) -> None:
        """Let a call be made, unless as much is spent as may be; officers hear of it once a day.

        Raises:
            DayBudgetSpentError: It is; or it can't be read. Nothing may be called.
        """
        ...


class ModelCallLog(Protocol):
    """Replies of language models by question and request, so that none is paid for twice."""

    async def find(self, question_id: str, request_hash: bytes, /) -> StoredCall | None:
        """Return the reply to this very request within this question, if there is one."""
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
        """Keep a reply; it is committed when this returns.

        A second reply to the same request is dropped.
        """
        ...
