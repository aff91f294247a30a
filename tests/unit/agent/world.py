"""A few policies in memory, and questions taken through the real pipeline."""

from dataclasses import dataclass, replace

from core.agent.fallback import Fallback
from core.agent.pipeline import Pipeline
from core.agent.request import PipelineParts, Task
from core.domain.answer import Citation, Claim, Draft
from core.domain.conversation import ContextMessage
from core.domain.evidence import Evidence
from core.domain.question import Assumption, Turn
from core.domain.run import Run, RunLimits
from core.language.spans import Span, VersionId
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import ReasonerFactory
from core.retrieval.retriever import Retriever
from tests.factories import make_question, make_scope
from tests.fakes import (
    Drafter,
    FixedClock,
    InMemoryCorpus,
    InMemoryOntology,
    InMemorySearch,
    Policy,
)

GIFTS = Policy(
    key="gifts",
    title="Gifts Policy",
    text=(
        "# Gifts Policy\n\n"
        "## 1 Limits\n"
        "Employees must not accept cash. Employees may accept gifts worth up to EUR 50.\n\n"
        "## 2 Register\n"
        "Every gift must be entered in the gift register within 30 days. The Compliance Officer"
        " must check the register each month.\n"
    ),
)
REPORTING = Policy(
    key="speak-up",
    title="Speak Up Policy",
    text=(
        "# Speak Up Policy\n\n## 1 How to report\n"
        "Misconduct may be reported to the Speak Up hotline.\n"
    ),
)
SECRET = Policy(
    key="investigations",
    title="Investigations Policy",
    text="# Investigations Policy\n\n## 1 Codeword\nThe codeword of gift cases is nightfall.\n",
    groups=frozenset({"legal"}),
)
CASH = "Employees must not accept cash."
LIMIT = "Employees may accept gifts worth up to EUR 50."
REGISTER = "Every gift must be entered in the gift register within 30 days."
CODEWORD = "The codeword of gift cases is nightfall."


@dataclass(kw_only=True)
class World:
    """The policies, what searches them, and the bounds of a run."""

    corpus: InMemoryCorpus
    search: InMemorySearch
    limits: RunLimits

    async def run(
        self,
        reasoner: ReasonerFactory,
        text: str = "May I accept cash as a gift?",
        *,
        fallback: ReasonerFactory | None = None,
        use_rag: bool = True,
        history: tuple[Turn, ...] = (),
        assumptions: tuple[Assumption, ...] = (),
        context: tuple[ContextMessage, ...] = (),
    ) -> Run:
        """Take a question of somebody without groups to its outcome."""
        scope = make_scope()
        knowledge = await InMemoryOntology(self.corpus).open(scope)
        parts = PipelineParts(
            reasoner=reasoner,
            corpus=self.corpus,
            retriever=Retriever(self.search, None),
            clock=FixedClock(),
            limits=self.limits,
        )
        second = Pipeline(replace(parts, reasoner=fallback)) if fallback else None
        return await Fallback(Pipeline(parts), second).run(
            Task(
                question=make_question(
                    text, scope=scope, history=history, assumptions=assumptions, context=context
                ),
                knowledge=knowledge,
                tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=self.limits.tool_calls),
                use_rag=use_rag,
            )
        )


def make_world(
    *policies: Policy,
    limits: RunLimits | None = None,
    relevance: float = 0.8,
    applies_scope: bool = True,
) -> World:
    """Build a world of the given policies, or of all."""
    corpus = InMemoryCorpus(*(policies or (GIFTS, REPORTING, SECRET)))
    return World(
        corpus=corpus,
        search=InMemorySearch(corpus, relevance=relevance, applies_scope=applies_scope),
        limits=limits or RunLimits(),
    )


def quoted(evidence: Evidence, quote: str) -> Citation:
    """Cite a text from the evidence that holds it."""
    for item in evidence.items:
        at = item.text.find(quote)
        if at >= 0:
            start = item.span.char_start + at
            span = Span(
                version_id=VersionId(item.span.version_id),
                char_start=start,
                char_end=start + len(quote),
            )
            return Citation(key=item.key, span=span, quote=quote)
    raise AssertionError(f"no evidence says {quote!r}")


def claim_of(evidence: Evidence, text: str, quote: str | None = None) -> Claim:
    """Claim something on the strength of a quote; of itself by default."""
    return Claim(text=text, citations=(quoted(evidence, quote or text),))


def says(*pairs: tuple[str, str]) -> Drafter:
    """Draft claims, each (text, quote)."""

    def drafted(evidence: Evidence) -> Draft:
        return Draft(claims=tuple(claim_of(evidence, text, quote) for text, quote in pairs))

    return drafted


TRUE = says((CASH, CASH))
"""A draft that nothing is wrong with."""
