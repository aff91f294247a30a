"""The searches of one run: for the question, and those that a model makes itself.

A model's own search is retrieval like any other, so it stands behind the gate. The tools below are
registered only where documents may be searched, and a reasoner lets a model use them only once a
low confidence, or none, has called for documents (`core.adapters.anthropic.dialogue.tool_loop`).
After a score at or above the threshold they are refused until a lower one is reported. So a run
finds passages only if its gate retrieves, and graph-only runs never see the tools.

What the tools find is evidence like the chunks of the first search: in scope, keyed, and checked
against the stored text. Each lookup is a `retrieve` step of the trace, after the gate.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from core.agent.applicability import query_of
from core.agent.conversation.asked_language import TOLD_APART, asked_language
from core.domain.evidence import RetrievedChunk
from core.domain.json_value import Json
from core.domain.question import Question
from core.domain.run import Budget, Plan, RunLimits
from core.language.content_words import stem, words
from core.language.spans import Span
from core.ontology.tools.registry import ArgumentError, Arguments, Parameter, Tool
from core.ports import Knowledge, Lookup, SearchResult
from core.retrieval.retriever import ChunkRetriever, Query, Retrieved

SEARCH_PASSAGES = "search_passages"
READ_SECTION = "read_section"
REPORTING = (
    "how to raise a concern: speak up line, hotline, ombudsperson, anonymous, no retaliation"
)
"""What is searched to name the reporting line to somebody who reports."""
DEPTH = 3
"""DocumentSearch of one search by a model: it may search by several phrasings at once."""
BESIDE = 3
"""Chunks that the words of a quoted message add at most. Of 12 questions about a quoted rule that
do not name its subject, 5 chunks hold a section of that subject for 2; with 3 more, for 11."""
QUOTED = 300
"""Characters of what is quoted that are searched."""
SECTION = 6_000
"""Characters of a section that are read at once: about four passages."""
MISSING = 8
"""Words of what is missing that are looked for at most."""
_NOUN = re.compile(r"[a-z]{4,24}")
"""What may be repeated to the asker: a word alone states nothing, and is no link or mention."""
NOTHING_NEW = "this was looked up before, see above; use other words, or answer"
NOTHING_LEFT = "nothing more can be looked up in the documents; answer from what you have"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLookup:
    """One search or section read by a model, for the trace."""

    tool: str
    """`search_passages` or `read_section`."""
    sought: str
    """The query, or the id of the section."""
    chunks: tuple[RetrievedChunk, ...]
    """What came of it."""
    searched: Retrieved | None
    """The search; None where a section was read."""


@dataclass(slots=True, eq=False)
class DocumentSearch:
    """Searches the documents of one run, within the question's scope, and remembers what was found.

    `is_model` says that a language model reads what is found, and not rules that choose among it.
    """

    retriever: ChunkRetriever
    question: Question
    _: KW_ONLY
    budget: Budget
    limits: RunLimits
    is_model: bool
    _looked: dict[tuple[str, str], PassageLookup] = field(default_factory=dict, init=False)
    _told: int = field(default=0, init=False)
    retrieved: list[Retrieved] = field(default_factory=list, init=False)
    """What was searched for the question, in order."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools by which a model looks things up itself."""
        return (
            Tool(
                name=SEARCH_PASSAGES,
                capability="passages",
                description=(
                    "Passages of the documents by words and meaning, best first. Search in the"
                    " words that a policy would use, one topic a call, several calls in one turn."
                ),
                parameters=(Parameter(name="query", description="What to find.", most=300),),
                run=self._search_passages,
            ),
            Tool(
                name=READ_SECTION,
                capability="passages",
                description="A section of a policy in full, with its subsections.",
                parameters=(
                    Parameter(
                        name="id",
                        description="Source of a finding or passage (gifts#sec_4.2); after the #"
                        " a section's number will do (gifts#4.2).",
                        most=200,
                    ),
                ),
                run=self._read_section,
            ),
        )

    @property
    def found(self) -> tuple[RetrievedChunk, ...]:
        """What a model looked up, each stretch once, in the order in which it was found."""
        found: dict[Span, RetrievedChunk] = {}
        for looked in self._looked.values():
            for chunk in looked.chunks:
                found.setdefault(chunk.span, chunk)
        return tuple(found.values())

    @property
    def looked(self) -> tuple[PassageLookup, ...]:
        """What a model looked up, in order."""
        return tuple(self._looked.values())

    def untold(self) -> tuple[PassageLookup, ...]:
        """Return what was looked up since this was called last."""
        news = self.looked[self._told :]
        self._told += len(news)
        return news

    @property
    def chunks(self) -> tuple[RetrievedChunk, ...]:
        """What was found for the question; for rules by the last search alone.

        A model has been shown what earlier searches found, and may still cite it.
        """
        given = self.retrieved if self.is_model else self.retrieved[-1:]
        return tuple(
            chunk for found in given for chunk in (*found.result.hits, *found.result.neighbours)
        )

    @property
    def best_relevance(self) -> float | None:
        """The highest relevance of a chunk found by a search; None without a search."""
        found = [chunk.relevance for one in self._searches for chunk in one.result.hits]
        return max(found, default=0.0) if self._searches else None

    @property
    def is_degraded(self) -> bool:
        """True if a search could not compare its words with the vectors of the chunks."""
        return any(found.is_degraded for found in self._searches)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What searches did without."""
        return tuple(warning for found in self._searches for warning in found.warnings)

    @property
    def took_ms(self) -> float:
        """Time in searches."""
        return sum(found.took_ms for found in self._searches)

    @property
    def _searches(self) -> list[Retrieved]:
        return [*self.retrieved, *(one.searched for one in self.looked if one.searched)]

    async def unmentioned(self, missing: str, knowledge: Knowledge) -> tuple[str, ...]:
        """Return the asker's own words that are missing, and that no policy in scope has.

        A model says what is missing, and code whether that is so: a word counts if the asker wrote
        it, no fact and no heading has it, and a search for it alone finds no chunk that does.
        """
        asked = {stem(word): word for word in words(self.question.text) if _NOUN.fullmatch(word)}
        wanted = {own: asked[own] for own in map(stem, words(missing)) if own in asked}
        if not wanted or not self.retrieved or asked_language(self.question) in TOLD_APART:
            return ()  # words of another language stand in no policy, whatever it says
        used = await knowledge.usage(wanted)
        absent: list[str] = []
        for own, word in list(wanted.items())[:MISSING]:
            if own not in used and not await self._has_word(word):
                absent.append(word)
        return tuple(absent)

    async def _has_word(self, word: str) -> bool:
        found = await self.search(word, DEPTH, neighbours=0)
        return any(hit.lexical_score > 0 for hit in found.result.hits)

    async def reporting_line(self) -> Retrieved:
        """Search for what a report needs to know."""
        return await self.search(REPORTING, 3, neighbours=0)

    async def first(self) -> Retrieved:
        """Search for the question as it stands alone, in the policies that it names first."""
        if self.is_model and self.question.wants_summary and self.question.bound:
            return await self._whole()
        query, depth = query_of(self.question), self.depth(1)
        return await self._with_quoted(await self._bound(query, depth), query, depth)

    async def _whole(self) -> Retrieved:
        """Return passages from all over the policies that are to be summarised, in text order.

        They were asked for by name, so they are relevant.
        """
        keys, scope = sorted(self.question.bound), self.question.scope
        chunks = [
            replace(chunk, relevance=1.0)
            for key in keys
            for chunk in await self.retriever.section(key, None, scope)
        ]
        most = min(self.depth(1), len(chunks))
        hits = tuple(chunks[place * len(chunks) // most] for place in range(most))
        result = SearchResult(hits=hits, neighbours=(), searched=len(chunks))
        return Retrieved(result=result, embedding_used=False, warnings=(), took_ms=0.0)

    def depth(self, number: int) -> int:
        """Return how many chunks an attempt is given, counted from 1."""
        limits = self.limits
        depth = limits.retrieval_depth if number == 1 else limits.retry_depth
        return depth if self.is_model else max(depth, limits.wide_depth)

    def is_nothing_relevant(self, found: Retrieved) -> bool:
        """Say whether a search found nothing that an answer could rest on."""
        best = max((hit.relevance for hit in found.result.hits), default=0.0)
        return best < self.limits.relevance_threshold

    async def again(self, planned: Plan, missing: str | None) -> Retrieved:
        """Search deeper, and for what was missing too: by other words, or as a model says it."""
        words = set((missing or "").split(", "))
        others = {
            other for term in planned.terms if term.word in words for other in term.alternatives
        }
        if missing and self.is_model:
            others.add(missing)
        query = " ".join([query_of(self.question), *sorted(others)])
        depth = self.depth(2)
        return await self._with_quoted(await self.search(query, depth), query, depth)

    async def _with_quoted(self, own: Retrieved, query: str, depth: int) -> Retrieved:
        """Add, behind what the asker's own words find, what a message that they quote does."""
        quoted = _quoted(self.question)
        if not quoted:
            return own
        beside = await self.search(f"{query} {quoted}", depth + BESIDE, neighbours=0)
        known = {chunk.chunk_key for chunk in (*own.result.hits, *own.result.neighbours)}
        added = [chunk for chunk in beside.result.hits if chunk.chunk_key not in known][:BESIDE]
        return replace(
            own,
            result=replace(own.result, hits=(*own.result.hits, *added)),
            warnings=tuple(dict.fromkeys((*own.warnings, *beside.warnings))),
            took_ms=own.took_ms + beside.took_ms,
            logits={**beside.logits, **own.logits},
        )

    async def _bound(self, query: str, depth: int, *, neighbours: int | None = None) -> Retrieved:
        """Search the policies to which the question is bound, else all if nothing there is found.

        Rules read what is found, and search all policies where it does not answer; a model is
        spared the wait where it is not even relevant.
        """
        bound = self.question.bound
        if bound:
            found = await self.search(query, depth, neighbours=neighbours, policies=bound)
            if not (self.is_model and self.is_nothing_relevant(found)) and found.result.hits:
                return found
        return await self.search(query, depth, neighbours=neighbours)

    async def search(
        self,
        query: str,
        depth: int,
        *,
        neighbours: int | None = None,
        policies: frozenset[str] = frozenset(),
    ) -> Retrieved:
        """Search with cross-references, unless `neighbours` says how many are wanted."""
        wanted = self.limits.neighbours if neighbours is None else neighbours
        return await self.retriever.retrieve(
            Query(query, self.question.scope, depth=depth, neighbours=wanted, policies=policies)
        )

    async def _search_passages(self, _: Lookup, arguments: Arguments) -> Mapping[str, Json]:
        query = str(arguments["query"])
        asked = SEARCH_PASSAGES, " ".join(query.casefold().split())
        self._admit(asked)
        found = await self._bound(query, DEPTH, neighbours=0)
        hits = found.result.hits
        self._looked[asked] = PassageLookup(
            tool=SEARCH_PASSAGES, sought=query, chunks=hits, searched=found
        )
        return _told(hits)

    async def _read_section(self, _: Lookup, arguments: Arguments) -> Mapping[str, Json]:
        given = str(arguments["id"])
        policy, _hash, section = (part.strip() for part in given.partition("#"))
        if not policy or not section:
            raise ArgumentError("an id names policy and section, such as gifts#sec_4.2")
        asked = READ_SECTION, f"{policy}#{section}".casefold()
        self._admit(asked)
        chunks = await self.retriever.section(policy, section, self.question.scope)
        if not chunks:
            raise ArgumentError(
                f"no section {given!r:.80} can be read; an id is the source of a finding or passage"
            )
        kept = _bounded(chunks)
        self._looked[asked] = PassageLookup(
            tool=READ_SECTION, sought=given, chunks=kept, searched=None
        )
        return _told(kept, left_out=len(chunks) - len(kept))

    def _admit(self, asked: tuple[str, str]) -> None:
        """Count a look against the budget.

        Raises:
            ArgumentError: It was made before, or none is left.
        """
        if asked in self._looked:
            raise ArgumentError(NOTHING_NEW)
        if not self.budget.may_look():
            raise ArgumentError(NOTHING_LEFT)


def _quoted(question: Question) -> str:
    """Return the words that the asker points at, unless the question begins with them."""
    chosen = () if question.referent else (one for one in question.context if one.is_chosen)
    return " ".join(" ".join(message.text.split()) for message in chosen)[:QUOTED]


def _bounded(chunks: Sequence[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
    """Return the first chunks that are together no longer than may be read; one at least."""
    kept: list[RetrievedChunk] = []
    left = SECTION
    for chunk in chunks:
        left -= len(chunk.text)
        if kept and left < 0:
            break
        kept.append(chunk)
    return tuple(kept)


def _told(chunks: Sequence[RetrievedChunk], *, left_out: int = 0) -> dict[str, Json]:
    evidence: list[Json] = [
        {
            "version_id": chunk.span.version_id,
            "char_start": chunk.span.char_start,
            "char_end": chunk.span.char_end,
            "text": chunk.text,
            "policy": chunk.place.policy_title,
            "section": " ".join(filter(None, (chunk.place.number, chunk.place.title))),
        }
        for chunk in chunks
    ]
    sources = dict.fromkeys(f"{one.place.policy_key}#{one.place.eid}" for one in chunks)
    return {
        "passages_of": list(sources),
        "evidence": evidence,
        "stats": {"entities": 0, "evidence": len(evidence), "truncated": left_out},
    }
