"""One question through the pipeline: its plan, its limits and budget, its steps and its outcome."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.domain.answer import (
    Answer,
    Clarification,
    Critique,
    Decision,
    Judgement,
    NotJudged,
    Verdict,
)
from core.domain.evidence import Context, Evidence, Finding
from core.domain.json_value import Json, JsonObject
from core.domain.limits import RunLimits
from core.domain.question import Question
from core.language.languages import Language
from core.language.spans import VersionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A telling word of the question."""

    word: str
    """Its stem."""
    weight: float
    """How telling it is, in (0, 1]: 1 for a word that no policy in scope uses."""
    surface: str = ""
    """The word as typed, in lower case."""
    is_name: bool = False
    """True for a proper name, which nothing but itself covers."""
    alternatives: frozenset[str] = frozenset()
    """Stems that mean the same in policies ("gift" for "present")."""
    defined: str = ""
    """The term whose definition names it and the word beside it ("cash equivalent", where one of
    them is a gift card); empty if none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do about a question."""

    intent: str
    """`comparison`, `definition`, `procedure`, `threshold`, `deadline`, `role`, `permission`,
    `general`,
    `precedent` (a question that an officer has answered), `report` (a sensitive report),
    `about_policies` (owner, version and the like), `about_assistant`, `small_talk` or
    `out_of_scope` (nothing that policies answer)."""
    tools: tuple[str, ...] = ()
    """Ontology tools it means to use."""
    subjects: tuple[str, ...] = ()
    """What the question is about, in its own words; two for a comparison."""
    terms: tuple[Term, ...] = ()
    """The question's telling words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool, as traced."""

    tool: str
    """Name of the tool."""
    arguments: Mapping[str, Json]
    """As given."""
    evidence: int
    """Number of spans it returned."""
    error: str | None = None
    """What was wrong with the arguments; None if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What exploring the ontology established."""

    findings: tuple[Finding, ...]
    """Facts with their spans, nearest to the question first."""
    reported_confidence: float | None
    """How completely the ontology answers, in [0, 1]; None if not reported."""
    reasoning: str = ""
    """Why that number."""
    later_confidences: tuple[float, ...] = ()
    """What was reported after the first, in order, each in [0, 1]."""
    calls: tuple[ToolCall, ...] = ()
    """In order."""
    context: tuple[Context, ...] = ()
    """What completes or limits the findings in their sections. What a reasoner was shown of it
    stands here; the rest is added when its findings are checked."""
    asked: Clarification | None = None
    """A question back that exploring led to; nothing is drafted then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What the gate said."""

    score: float | None
    """The reported confidence it saw."""
    threshold: float
    """At or above it the ontology suffices."""
    retrieve: bool
    """True if document chunks are to be retrieved."""
    reason: str
    """In one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One draft and what was decided of it."""

    decision: Decision
    """What `decide` said."""
    reason: str
    """Why."""
    verdicts: tuple[Verdict, ...]
    """The checks of the draft."""
    critique: Critique | None = None
    """The critic's reading; None if it was not asked."""
    judgement: Judgement | NotJudged | None = None
    """The judge's; None if it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetUse:
    """What a run has used of its budget."""

    steps: int = 0
    """Turns of the reasoner."""
    tool_calls: int = 0
    """Calls of tools."""
    retrieval_rounds: int = 0
    """Searches over chunks, and sections that a language model read."""
    model_calls: int = 0
    """Calls of a language model, repetitions after an error aside."""
    output_tokens: int = 0
    """Tokens that language models wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUse:
    """Tokens of one call, as its provider counted them."""

    fresh: int
    """Read, neither from the cache nor into it."""
    cache_read: int = 0
    """Read from the prompt cache."""
    cache_write: int = 0
    """Read and written to the prompt cache."""
    output: int = 0
    """Written."""


def total_tokens(tokens: Iterable[TokenUse]) -> TokenUse:
    """Return the sum of the tokens of several calls."""
    calls = list(tokens)
    return TokenUse(
        fresh=sum(call.fresh for call in calls),
        cache_read=sum(call.cache_read for call in calls),
        cache_write=sum(call.cache_write for call in calls),
        output=sum(call.output for call in calls),
    )


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum of costs in US dollars; None if one of them is not known."""
    every = list(costs)
    known = [cost for cost in every if cost is not None]
    return math.fsum(known) if len(known) == len(every) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a language model, as recorded."""

    purpose: str
    """`answer`, `critique`, `judge`, `extract`."""
    model: str
    """The provider's name of the model."""
    prompt: str
    """Name and version of the prompt (`answer/1`)."""
    request_hash: str
    """SHA-256 of the canonical request, in hex."""
    tokens: TokenUse
    """What it read and wrote; 0 where the call failed."""
    cost_usd: float | None
    """What it cost; None if the price of the model is not known. 0 for a repetition from the
    record."""
    attempts: int
    """Requests sent, repetitions after an error among them; 0 if it was served from the record."""
    started_s: float
    """When it began, in seconds of the monotonic clock."""
    ended_s: float
    """When it ended, by the same clock."""
    error: str | None = None
    """What went wrong in the end; None if there is a reply."""
    response_hash: str | None = None
    """SHA-256 of the canonical reply, in hex; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage as it ran, for the trace."""

    stage: str
    """`plan`, `explore`, `gate`, `retrieve`, `draft`, `verify`, `critique`, `judge`, `decide`."""
    detail: Mapping[str, Json]
    """What it did, as JSON."""
    took_ms: float
    """How long it took."""
    ended_s: float
    """When it ended, in seconds of the monotonic clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetup:
    """What a run was given beside its question: without it nobody could replay the run."""

    limits: "RunLimits"
    """Bounds and thresholds."""
    use_rag: bool
    """False: graph only."""
    is_unread: bool
    """See `Surroundings.is_unread`."""
    are_groups_unread: bool = False
    """See `Readers.are_groups_unread`."""
    models: Mapping[str, str | None]
    """Name and revision of each local model by its part (`reader`, `guard`, `vectors`); None: there
    was none."""
    calibrations: Mapping[str, Json]
    """The calibrations in force (`rules`, `models`), with coefficients and thresholds."""
    language: Language = Language.ENGLISH
    """See `Question.language`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything about one answered message: what `record` stores."""

    question: Question
    """What was asked."""
    answer: Answer
    """What is shown."""
    edition: int
    """The edition the answer rests on."""
    reasoner: str
    """Name and version of the reasoner (`extractive/1`)."""
    plan: Plan | Clarification
    """What was planned."""
    exploration: Exploration | None
    """None if the run ended before exploring."""
    gate: GateDecision | None
    """None if the run ended before the gate."""
    evidence: Evidence
    """What the draft could cite."""
    used_rag: bool
    """True if chunks were retrieved."""
    chunks_used: tuple[str, ...]
    """Ids of the chunks among the evidence."""
    entities: tuple[str, ...]
    """Names of the entities the answer refers to."""
    attempts: tuple[Attempt, ...]
    """Drafts and decisions, in order."""
    budget: BudgetUse
    """What was used."""
    steps: tuple[Step, ...]
    """Stages in order."""
    retrieval_time_ms: float
    """Time in search."""
    generation_time_ms: float
    """Time in language models."""
    total_time_ms: float
    """From the question to the answer."""
    versions: tuple[VersionId, ...] = ()
    """Policy versions the evidence comes from."""
    model_calls: tuple[ModelCall, ...] = ()
    """Calls of language models, in the order in which they began."""
    warnings: tuple[str, ...] = field(default_factory=tuple)
    """What was degraded ("no embedder: lexical search alone")."""
    setup: RunSetup | None = None
    """What it was given; None: nothing was asked, and the message closed with a fixed reply."""
    searches: tuple[JsonObject, ...] = ()
    """Its searches with what they found; see `core.agent.search_log`."""


class Budget:
    """What one run has used; never overdrawn.

    Whoever is about to spend asks first, and is refused rather than stopped by an exception.
    `started_s` is when the run began, in seconds of the monotonic clock.
    """

    def __init__(self, limits: RunLimits, *, started_s: float = 0.0) -> None:
        self._limits = limits
        self._use = BudgetUse()
        self._looks = 0
        self._deadline_s = started_s + limits.deadline_s

    @property
    def use(self) -> BudgetUse:
        """What was used so far."""
        return self._use

    @property
    def deadline_s(self) -> float:
        """When the run must have ended, in seconds of the monotonic clock."""
        return self._deadline_s

    @property
    def tokens_left(self) -> int:
        """Tokens that language models may still write; 0 or more."""
        return max(0, self._limits.output_tokens - self._use.output_tokens)

    @property
    def model_calls_left(self) -> int:
        """Calls of a language model that may still be made; 0 or more."""
        return max(0, self._limits.model_calls - self._use.model_calls)

    def may_step(self) -> bool:
        """Count one more turn of the reasoner, unless all are used."""
        if self._use.steps >= self._limits.steps:
            return False
        self._use = replace(self._use, steps=self._use.steps + 1)
        return True

    def tools(self, calls: int) -> None:
        """Count tool calls; the toolbox bounds them."""
        self._use = replace(self._use, tool_calls=self._use.tool_calls + calls)

    def may_retrieve(self) -> bool:
        """Count one more search for the question, unless there was one for each attempt allowed."""
        if self._use.retrieval_rounds - self._looks >= self._limits.max_attempts:
            return False
        self._use = replace(self._use, retrieval_rounds=self._use.retrieval_rounds + 1)
        return True

    @property
    def looks_left(self) -> int:
        """Passages that a language model may still look up; 0 or more."""
        return max(0, self._limits.looks - self._looks)

    def may_look(self) -> bool:
        """Count one more look of a language model into the documents, unless all are used."""
        if not self.looks_left:
            return False
        self._looks += 1
        self._use = replace(self._use, retrieval_rounds=self._use.retrieval_rounds + 1)
        return True

    def may_call_model(self) -> bool:
        """Count one more call of a language model, unless calls or tokens are used up."""
        if self._use.model_calls >= self._limits.model_calls or not self.tokens_left:
            return False
        self._use = replace(self._use, model_calls=self._use.model_calls + 1)
        return True

    def wrote(self, tokens: int) -> None:
        """Count tokens that a language model wrote."""
        self._use = replace(self._use, output_tokens=self._use.output_tokens + tokens)
