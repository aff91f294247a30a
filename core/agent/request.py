"""A question on its way: what a surface asks, what the pipeline is given, and what comes back.

An `AskRequest` becomes a `Task` of the pipeline, which is built from `PipelineParts`; a surface
gets a `Reply`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from core.confidence.calibration import SHIPPED, Calibrations
from core.domain.answer import Answer
from core.domain.conversation import ContextMessage, Place
from core.domain.evidence import Evidence
from core.domain.officers import SpeakUpContacts
from core.domain.policy import EVERYONE
from core.domain.question import Question, Scope
from core.domain.run import BudgetUse, ModelCall, Plan, Run, RunLimits
from core.language.languages import Language
from core.ontology.tools.registry import Tool
from core.ports import (
    Clock,
    CorpusReader,
    Knowledge,
    Progress,
    Progressed,
    Reader,
    ReasonerFactory,
    RecordReceipt,
    Toolbox,
)
from core.ports.corpus import AboutPolicies
from core.ports.precedents import TellsPrecedents
from core.ports.text_models import AboutUs
from core.retrieval.retriever import ChunkRetriever

MAX_QUESTION = 8_000
"""Characters of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """One message to answer."""

    text: str
    """As typed."""
    place: Place
    """Where it was asked."""
    asker: str = "console"
    """Pseudonym of the asker."""
    groups: frozenset[str] = frozenset({EVERYONE})
    """Groups that every reader belongs to; `everyone` is always added."""
    jurisdiction: str | None = None
    """ISO 3166 code, if the conversation has one."""
    tags: frozenset[str] = frozenset()
    """Scope of the conversation."""
    as_of: date | None = None
    """The day whose rules count; None: that of asking."""
    asked_on: date | None = None
    """The day of the first attempt, which a repeated one has again; None: today."""
    edition: int | None = None
    """State of the corpus; None: the current one."""
    attempt: int = 1
    """How often it was begun: each time there is that much more time until the deadline."""
    use_rag: bool = True
    """False: graph only."""
    context: tuple[ContextMessage, ...] = ()
    """What people wrote around it, as far as the asker can see it."""
    is_unread: bool = False
    """See `Surroundings.is_unread`."""
    are_groups_unread: bool = False
    """See `Readers.are_groups_unread`."""
    is_addressed: bool = True
    """See `Question.is_addressed`."""
    language: Language = Language.ENGLISH
    """See `Question.language`."""
    question_id: str | None = None
    """UUIDv7 that a repeated attempt has again, so that no model call is made twice; None: a new
    one."""

    def scope(self, *, today: date, edition: int) -> Scope:
        """Return what its answer may rest on."""
        asked_on = self.asked_on or today
        as_of = self.as_of or asked_on
        return Scope(
            as_of=as_of,
            is_other_day=as_of != asked_on,
            edition=edition,
            groups=self.groups | {EVERYONE},
            jurisdiction=self.jurisdiction,
            tags=self.tags,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What to show, already recorded."""

    answer: Answer
    """The outcome."""
    run: Run
    """How it came about."""
    receipt: RecordReceipt
    """Its record."""
    conversation_id: str
    """The conversation, for the next question."""


MAX_ASKED = 500
"""Characters of a question back."""
REVIEWS = 2
"""Calls of a model that a whole review takes: the critic's and the judge's."""
OUT_OF_SCOPE = "out_of_scope"
"""The intent of a question that no policy could answer."""
ABOUT_POLICIES = "about_policies"
"""The intent of a question about the policies themselves, which no reasoner is asked."""


class _NoProgress:
    """See `core.ports.Progress`; shows nothing."""

    def report(self, progressed: Progressed, /) -> None:
        """See `Progress.report`."""


NO_PROGRESS: Progress = _NoProgress()
"""For runs that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineParts:
    """What the pipeline is built from."""

    reasoner: ReasonerFactory
    """Makes who proposes."""
    corpus: CorpusReader
    """Reads spans."""
    retriever: ChunkRetriever
    """Searches chunks."""
    guard: Reader | None = None
    """Reads statements with what they cite; None: only code checks them."""
    clock: Clock
    """Measures."""
    limits: RunLimits
    """Bounds."""
    precedents: TellsPrecedents | None = None
    """Officers' answers that may be told again; None: none are."""
    about: AboutPolicies | None = None
    """Reads facts about policies; None: questions for them go the ordinary way."""
    about_us: AboutUs = field(default_factory=AboutUs)
    """Answers what is asked about us."""
    contacts: SpeakUpContacts = field(default_factory=SpeakUpContacts)
    """Named in private to whoever reports misconduct."""


class CalibrationSource(Protocol):
    """Says which calibrations are in force."""

    async def active(self) -> Calibrations:
        """Return them, for one question.

        Raises:
            TransientError: The database failed.
        """
        ...


class ShippedCalibrations:
    """See `CalibrationSource`: those of the release, or others that are given."""

    def __init__(self, calibrations: Calibrations = SHIPPED) -> None:
        self._calibrations = calibrations

    async def active(self) -> Calibrations:
        """See `CalibrationSource.active`."""
        return self._calibrations


class OpenToolbox(Toolbox, Protocol):
    """A toolbox before its run begins."""

    def register(self, tools: Sequence[Tool], /) -> None:
        """Offer the tools of another source of knowledge too."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to take to its outcome."""

    question: Question
    """As understood in its thread, its scope pinned to an edition."""
    knowledge: Knowledge
    """The ontology of that edition and scope."""
    tools: Callable[[], OpenToolbox]
    """Makes the ontology's tools for one run."""
    calibrations: Calibrations = SHIPPED
    """Those in force."""
    use_rag: bool = True
    """False: graph only."""
    progress: Progress = NO_PROGRESS
    """Told what is being done, in words for people."""
    notes: tuple[str, ...] = ()
    """Said with whatever comes out."""
    warnings: tuple[str, ...] = ()
    """What was degraded before it began."""
    model_calls: tuple[ModelCall, ...] = ()
    """Calls of language models that were made for it before it began."""


def unanswered(
    question: Question, answer: Answer, *, edition: int, cause: str, reasoner: str
) -> Run:
    """Return the run of a message that is not put through the pipeline; `cause` says why."""
    return Run(
        question=question,
        answer=answer,
        edition=edition,
        reasoner=reasoner,
        plan=Plan(intent="general"),
        exploration=None,
        gate=None,
        evidence=Evidence(items=()),
        used_rag=False,
        chunks_used=(),
        entities=(),
        attempts=(),
        budget=BudgetUse(),
        steps=(),
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
        warnings=(cause,),
    )
