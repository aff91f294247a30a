"""Answer labelled questions for an evaluation: unrecorded, and as if sections were not there.

Leaving out the sections that answer a question shows whether a missing rule is noticed.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Protocol

from core.agent.conversation.understanding import understand
from core.agent.request import AskRequest
from core.domain.conversation import Place
from core.domain.evidence import RetrievedChunk
from core.domain.ontology import SectionRef, Snapshot
from core.domain.question import Scope, Turn
from core.domain.run import Run
from core.ports import SearchResult
from core.retrieval.retriever import ChunkRetriever, Retrieved

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

    async def retrieve(
        self,
        question_text: str,
        scope: Scope,
        *,
        depth: int,
        neighbours: int,
        policies: frozenset[str] = frozenset(),
    ) -> Retrieved:
        """See `Retriever.retrieve`."""
        found = await self._retriever.retrieve(
            question_text,
            scope,
            depth=depth + SPARE,
            neighbours=neighbours + SPARE,
            policies=policies,
        )
        return replace(
            found,
            result=SearchResult(
                hits=self._kept(found.result.hits)[:depth],
                neighbours=self._kept(found.result.neighbours)[:neighbours],
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


async def rehearse_labelled(
    answering: Rehearses,
    *,
    question: str,
    thread: tuple[Mapping[str, str], ...],
    scope: Mapping[str, Any],
    without: Sections,
    today: date,
    use_rag: bool = True,
) -> Run:
    """Answer one labelled question after the turns of its thread.

    A turn that says how it ended (`outcome`, `reply`) is taken as it is, so that a mistake there
    is not counted here as well; any other one is asked, and what follows rests on its real reply.
    """

    async def ask(text: str, history: tuple[Turn, ...]) -> Run:
        request = AskRequest(
            text=text,
            place=Place(thread="evaluation"),
            groups=frozenset(scope.get("groups", ())),
            jurisdiction=scope.get("jurisdiction"),
            as_of=date.fromisoformat(scope["as_of"]) if scope.get("as_of") else today,
            use_rag=use_rag,
        )
        return await answering.rehearse(request, history=history, without=without)

    history: tuple[Turn, ...] = ()
    for turn in thread:
        if "outcome" in turn:
            said = Turn(
                question=turn["question"],
                outcome=turn["outcome"],
                answer=turn.get("reply", ""),
                assumptions=understand(turn["question"], history).assumptions,
            )
        else:
            said = _turn_of(await ask(turn["question"], history))
        history = (*history, said)
    return await ask(question, history)


def _turn_of(run: Run) -> Turn:
    """Return what a conversation keeps of a question, as if it had been recorded."""
    question, answer = run.question, run.answer
    return Turn(
        question=question.standalone,
        outcome=answer.outcome.value,
        answer=answer.text,
        slot=answer.slot,
        options=answer.options,
        groups=question.scope.groups,
        refusal=answer.refusal.value if answer.refusal else None,
        context=question.context,
        asker=question.asker,
        assumptions=question.assumptions,
        policies=tuple(dict.fromkeys(one.place.policy_key for one in answer.citations)),
    )
