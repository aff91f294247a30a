"""Stand-ins for the outside: policies in memory, a clock that stands, a reasoner by script."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeVar

from core.domain.answer import Critique, Draft, Judgement, NotJudged, Outcome
from core.domain.conversation import Place
from core.domain.evidence import Evidence, RetrievedChunk
from core.domain.json_value import Json
from core.domain.message import Speakers
from core.domain.ontology import SectionRef, Snapshot
from core.domain.policy import EVERYONE, ChunkKey, PolicyMetadata, PolicyVersion
from core.domain.question import Question, Scope, Turn
from core.domain.run import Attempt, Clarification, Exploration, ModelCall, Plan, Run, ToolCall
from core.language.content_words import content_words
from core.language.spans import Span, VersionId
from core.ontology.graphs.whole import WholeOntology
from core.ports import (
    Clock,
    Completion,
    EmbeddingSpace,
    Knowledge,
    Publication,
    Published,
    RecordReceipt,
    RunContext,
    SearchRequest,
    SearchResult,
    StoredVersion,
    Toolbox,
    Vector,
)
from tests.factories import NOW
from tests.unit.ontology.markdown import sections_of
from tests.unit.ontology.snapshots import Source, snapshot_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One policy in Markdown. Those that not everyone may read stand last in a library."""

    key: str
    title: str
    text: str
    groups: frozenset[str] = frozenset({EVERYONE})
    jurisdiction: str | None = None


class InMemoryCorpus:
    """The policies by version id (their place, from 1), read in scope as the database does."""

    def __init__(self, *policies: Policy, edition: int | None = 1, chunked: bool = True) -> None:
        self.policies = dict(enumerate(policies, start=1))
        self.edition = edition
        self.chunked = chunked

    def may_read(self, version: int, scope: Scope) -> bool:
        policy = self.policies.get(version)
        return policy is not None and bool(policy.groups & scope.groups)

    async def versions(self, scope: Scope, /) -> list[PolicyVersion]:
        return [
            PolicyVersion(
                version_id=VersionId(number),
                metadata=PolicyMetadata(
                    key=policy.key,
                    title=policy.title,
                    jurisdiction=policy.jurisdiction,
                    effective_from=date(2025, 1, 1),
                ),
                edition=1,
                source_name=f"{policy.key}.md",
            )
            for number, policy in self.policies.items()
            if self.may_read(number, scope)
        ]

    async def current_edition(self) -> int | None:
        return self.edition

    async def read_spans(self, spans: Sequence[Span], scope: Scope, /) -> dict[Span, str]:
        return {
            span: self.policies[span.version_id].text[span.char_start : span.char_end]
            for span in spans
            if self.may_read(span.version_id, scope)
            and span.char_end <= len(self.policies[span.version_id].text)
        }

    async def altered(self, quotes: Mapping[Span, str], /) -> frozenset[VersionId]:
        return frozenset()

    async def has_chunks(self, scope: Scope, /) -> bool:
        return self.chunked and any(self.may_read(number, scope) for number in self.policies)

    async def places(self, spans: Sequence[Span], /) -> dict[Span, SectionRef]:
        return {span: self.place(span) for span in spans}

    def place(self, span: Span) -> SectionRef:
        policy = self.policies[span.version_id]
        sections = sections_of(policy.text)
        own = [one for one in sections if one.char_start <= span.char_start][-1]
        return SectionRef(
            policy_key=policy.key,
            policy_title=policy.title,
            version_label=None,
            jurisdiction=policy.jurisdiction,
            eid=own.eid,
            number=own.number,
            title=own.title,
            page=None,
            path=own.path,
        )

    async def versions_of(self, key: str, /) -> list[StoredVersion]:
        raise NotImplementedError(key)

    async def note_file(self, key: str, path: str, /) -> None:
        raise NotImplementedError(key, path)

    async def missing_embeddings(self, texts: Sequence[str], space: EmbeddingSpace, /) -> list[int]:
        raise NotImplementedError(texts, space)

    async def publish(
        self,
        publication: Publication,
        /,
        *,
        after: VersionId | None,
        space: EmbeddingSpace | None,
        vectors: Mapping[str, Vector],
        on_day: date,
    ) -> Published:
        raise NotImplementedError(publication, after, space, vectors, on_day)


class InMemorySearch:
    """A chunk for each section's text, ranked by common words; counts what it was asked."""

    def __init__(
        self, corpus: InMemoryCorpus, *, relevance: float = 0.8, applies_scope: bool = True
    ) -> None:
        self._corpus = corpus
        self._relevance = relevance
        self._applies_scope = applies_scope
        self.requests: list[SearchRequest] = []
        self.sections: list[tuple[str, str | None]] = []

    async def search(self, request: SearchRequest, /) -> SearchResult:
        self.requests.append(request)
        chunks = [
            chunk
            for number, policy in self._corpus.policies.items()
            if not self._applies_scope or self._corpus.may_read(number, request.scope)
            if not request.policies or policy.key in request.policies
            for chunk in self._chunks(number, content_words(request.text))
        ]
        chunks.sort(key=lambda chunk: -chunk.lexical_score)
        return SearchResult(
            hits=tuple(chunks[: request.limit]), neighbours=(), searched=len(chunks)
        )

    async def section(
        self, policy_key: str, section: str | None, scope: Scope, /
    ) -> tuple[RetrievedChunk, ...]:
        self.sections.append((policy_key, section))
        chunks = [
            replace(chunk, lexical_score=0.0, score=0.0, relevance=0.0)
            for number, policy in self._corpus.policies.items()
            if policy.key == policy_key
            and (not self._applies_scope or self._corpus.may_read(number, scope))
            for chunk in self._chunks(number, frozenset())
        ]
        named = [
            chunk.place.eid
            for chunk in chunks
            if section is None
            or section in {chunk.place.eid, chunk.place.number, chunk.place.title}
        ]
        return tuple(
            chunk
            for chunk in chunks
            if any(chunk.place.eid == eid or chunk.place.eid.startswith(f"{eid}.") for eid in named)
        )

    def _chunks(self, number: int, wanted: frozenset[str]) -> list[RetrievedChunk]:
        policy = self._corpus.policies[number]
        found: list[RetrievedChunk] = []
        for section in sections_of(policy.text):
            text = policy.text[section.body_start : section.char_end]
            if not text.strip():
                continue
            span = Span(
                version_id=VersionId(number),
                char_start=section.body_start,
                char_end=section.char_end,
            )
            common = wanted & content_words(f"{section.title} {text}")
            found.append(
                RetrievedChunk(
                    chunk_key=ChunkKey(1_000 * number + section.ordinal),
                    chunk_id=f"{policy.key}_chunk_{section.ordinal:04d}",
                    span=span,
                    text=text,
                    place=self._corpus.place(span),
                    lexical_score=len(common) / max(len(wanted), 1),
                    dense_score=None,
                    score=1.0,
                    relevance=self._relevance,
                )
            )
        return found


class InMemoryOntology:
    """The facts of the policies that a scope may read."""

    def __init__(self, corpus: InMemoryCorpus) -> None:
        self._corpus = corpus

    def of(self, scope: Scope) -> Snapshot:
        return snapshot_of(
            *(
                Source(
                    key=policy.key,
                    title=policy.title,
                    text=policy.text,
                    jurisdiction=policy.jurisdiction,
                )
                for number, policy in self._corpus.policies.items()
                if self._corpus.may_read(number, scope)
            )
        )

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        return self.of(scope)

    async def open(self, scope: Scope, /) -> Knowledge:
        return WholeOntology(self.of(scope))


@dataclass
class InMemoryConversations:
    """Conversations by thread."""

    turns: dict[str, tuple[Turn, ...]] = field(default_factory=dict[str, tuple[Turn, ...]])

    async def find(self, place: Place, /) -> str | None:
        return place.thread if place.thread in self.turns else None

    async def speakers(self, conversation_id: str, /) -> Speakers:
        return Speakers(first="", asker="", is_asked_back=False, is_taken_over=False)

    async def history(self, conversation_id: str, /) -> tuple[Turn, ...]:
        return self.turns.get(conversation_id, ())


@dataclass
class InMemoryLog:
    """Keeps runs, or fails as told."""

    failure: Exception | None = None
    refuses: Outcome | None = None
    runs: list[Run] = field(default_factory=list[Run])

    async def record(self, run: Run, /, *, completion: Completion | None = None) -> RecordReceipt:
        assert completion is None, "it has no inbox"
        if self.failure is not None:
            raise self.failure
        if run.answer.outcome is self.refuses:
            raise ValueError("this can't be written")
        self.runs.append(run)
        return RecordReceipt(
            record_id=f"record-{len(self.runs)}",
            answer_id="answer",
            leaf_hash=b"\x01" * 32,
            answer=run.answer,
        )


class FixedClock(Clock):
    """It is always the same moment; each look at the stop watch takes a millisecond."""

    def __init__(self) -> None:
        self._looks = 0

    def now(self) -> datetime:
        return NOW

    def monotonic_s(self) -> float:
        self._looks += 1
        return self._looks / 1_000


class CountingIds:
    """id-1, id-2, ..."""

    def __init__(self) -> None:
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"id-{self._count}"


class NoTools:
    """A toolbox without tools."""

    names: tuple[str, ...] = ()
    definitions: tuple[Mapping[str, Json], ...] = ()
    calls: tuple[ToolCall, ...] = ()

    async def call(self, tool: str, arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        return {"error": f"no tool {tool!r}", "evidence": [], "stats": dict(arguments)}


_T = TypeVar("_T")
Drafter = Callable[[Evidence], Draft]
"""What to propose, given the evidence."""


@dataclass
class ScriptedReasoner:
    """Proposes what it is told: each list is read in order, its last entry again and again.

    An exception in a list is raised.
    """

    drafts: Sequence[Drafter | Exception] = ()
    judgements: Sequence[Judgement | NotJudged | Exception] = ()
    planned: Plan | Clarification = field(default_factory=lambda: Plan(intent="general"))
    explored: Exploration | Exception = field(
        default_factory=lambda: Exploration(findings=(), reported_confidence=None)
    )
    critique_given: Critique | Exception = field(default_factory=lambda: Critique(refine=False))
    translations: Mapping[str, str | Exception] = field(
        default_factory=dict[str, "str | Exception"]
    )
    name: str = "scripted/1"
    delay_s: float = 0.0
    asked: list[str] = field(default_factory=list[str])

    is_model: bool = False
    model_calls: tuple[ModelCall, ...] = ()
    contexts: list[RunContext] = field(default_factory=list[RunContext])
    bettered: list[Attempt | None] = field(default_factory=list["Attempt | None"])

    def begin(self, context: RunContext, /) -> "ScriptedReasoner":
        self.contexts.append(context)
        return self

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        self.asked.append("plan")
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        return self.planned

    async def explore(
        self, question: Question, plan: Plan, knowledge: Knowledge, toolbox: Toolbox, /
    ) -> Exploration:
        self.asked.append("explore")
        return _given(self.explored)

    async def draft(
        self,
        question: Question,
        plan: Plan,
        evidence: Evidence,
        /,
        *,
        previous: Attempt | None = None,
    ) -> Draft:
        number = self.asked.count("draft")
        self.bettered.append(previous)
        self.asked.append("draft")
        return _given(self.drafts[min(number, len(self.drafts) - 1)])(evidence)

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        self.asked.append("critique")
        return _given(self.critique_given)

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        number = self.asked.count("judge")
        self.asked.append("judge")
        return _given(self.judgements[min(number, len(self.judgements) - 1)])

    async def translate(self, texts: Sequence[str], /, *, into: str) -> Sequence[str]:
        self.asked.append(f"translate into {into}")
        return [_given(self.translations[one]) for one in texts]


def _given(value: _T | Exception) -> _T:
    if isinstance(value, Exception):
        raise value
    return value


class WaitingEmbedder:
    """Answers when it is told to; each text has one of seven directions."""

    space = EmbeddingSpace(
        provider="test",
        model="waiting",
        dimensions=7,
        revision="1",
        fusion_weight=0.5,
        is_measured=True,
    )

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        self.asked.append(tuple(texts))
        await self.goes_on.wait()
        return [await self.embed_query(text) for text in texts]

    async def embed_query(self, text: str, /) -> Vector:
        at = sum(map(ord, text)) % 7
        return tuple(float(number == at) for number in range(7))


class ScriptedReader:
    """Scores a text by the first given phrase that it holds, else low; or raises what is given."""

    name = "test:scripted-reader"

    def __init__(
        self, scores: Mapping[str, float] | None = None, *, raises: Exception | None = None
    ) -> None:
        self._scores = dict(scores or {})
        self._raises = raises
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        self.asked.append((question, tuple(texts)))
        if self._raises is not None:
            raise self._raises
        return [self._score(text) for text in texts]

    def _score(self, text: str) -> float:
        return next((score for phrase, score in self._scores.items() if phrase in text), -6.0)
