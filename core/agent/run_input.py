"""What the pipeline is built from, and what it is given of one question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.agent.ablation import WithoutSections
from core.agent.progress import UNHEARD
from core.domain.budget import Limits
from core.domain.question import Question
from core.domain.run import ModelCall
from core.ontology.tools.registry import Tool
from core.ports import Clock, CorpusStore, Knowledge, Progress, Reader, ReasonerFactory, Toolbox
from core.ports.corpus import AboutPolicies
from core.retrieval.retriever import Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the pipeline is built from."""

    reasoner: ReasonerFactory
    """Makes who proposes."""
    corpus: CorpusStore
    """Reads spans."""
    retriever: Retriever | WithoutSections
    """Searches chunks."""
    guard: Reader | None = None
    """Reads statements with what they cite; None: only code checks them."""
    clock: Clock
    """Measures."""
    limits: Limits
    """Bounds."""
    about: AboutPolicies | None = None
    """Reads facts about policies; None: questions for them go the ordinary way."""


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
    use_rag: bool = True
    """False: graph only."""
    progress: Progress = UNHEARD
    """Told what is being done, in words for people."""
    notes: tuple[str, ...] = ()
    """Said with whatever comes out."""
    warnings: tuple[str, ...] = ()
    """What was degraded before it began."""
    model_calls: tuple[ModelCall, ...] = ()
    """Calls of language models that were made for it before it began."""
