"""Answer to be looked at alone: unrecorded, and if wanted as if sections were not there.

Leaving out the sections that answer a question shows whether a missing rule is noticed.
"""

from dataclasses import replace
from typing import Protocol

from core.agent.request import AskRequest
from core.domain.errors import IntegrityError
from core.domain.evidence import RetrievedChunk
from core.domain.ontology import SectionRef, Snapshot
from core.domain.question import Scope, Turn
from core.domain.run import Run
from core.ports import Completion, RecordReceipt, SearchResult
from core.retrieval.retriever import ChunkRetriever, Query, Retrieved

Sections = frozenset[tuple[str, str]]
"""Policy key, and section number (or title, where unnumbered) in lower case."""
SPARE = 16
"""Chunks searched beyond those wanted, to fill the places of those left out."""


def is_in(place: SectionRef, sections: Sections) -> bool:
    """Say whether a place is one of the sections."""
    return (place.policy_key, (place.number or place.title).lower()) in sections


class WithoutSections:
    """A retriever that never finds certain sections."""

    def __init__(self, retriever: ChunkRetriever, sections: Sections) -> None:
        self._retriever = retriever
        self._sections = sections

    async def retrieve(self, query: Query, /) -> Retrieved:
        """See `Retriever.retrieve`."""
        more = replace(query, depth=query.depth + SPARE, neighbours=query.neighbours + SPARE)
        found = await self._retriever.retrieve(more)
        return replace(
            found,
            result=SearchResult(
                hits=self._kept(found.result.hits)[: query.depth],
                neighbours=self._kept(found.result.neighbours)[: query.neighbours],
                searched=found.result.searched,
            ),
        )

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        return self._kept(await self._retriever.section(policy_key, section, scope))

    def _kept(self, chunks: tuple[RetrievedChunk, ...]) -> tuple[RetrievedChunk, ...]:
        return tuple(chunk for chunk in chunks if not is_in(chunk.place, self._sections))


def without_sections(snapshot: Snapshot, sections: Sections) -> Snapshot:
    """Return the ontology without what only these sections say."""
    hidden = {span for span, place in snapshot.places.items() if is_in(place, sections)}
    entities = tuple(
        replace(entity, spans=spans)
        for entity in snapshot.entities
        if (spans := tuple(span for span in entity.spans if span not in hidden))
    )
    known = {entity.key for entity in entities}
    relations = tuple(
        replace(relation, spans=spans)
        for relation in snapshot.relations
        if relation.source in known and relation.target in known
        if (spans := tuple(span for span in relation.spans if span not in hidden))
    )
    return replace(
        snapshot,
        entities=entities,
        relations=relations,
        quotes={span: text for span, text in snapshot.quotes.items() if span not in hidden},
        places={span: place for span, place in snapshot.places.items() if span not in hidden},
    )


class Rehearses(Protocol):
    """What answers without recording; see `core.agent.service.Answering`."""

    async def rehearse(
        self, request: AskRequest, *, history: tuple[Turn, ...] = (), without: Sections = ...
    ) -> Run:
        """See `Answering.rehearse`."""
        ...


class RecordsNothing:
    """See `core.ports.AuditLog`: refuses, whoever asks it."""

    async def record(self, run: Run, /, *, completion: Completion | None = None) -> RecordReceipt:
        """Refuse.

        Raises:
            IntegrityError: Always.
        """
        raise IntegrityError(
            f"question {run.question.question_id} was asked to compare, and may not be recorded"
        )
