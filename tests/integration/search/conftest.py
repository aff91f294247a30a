"""A small corpus for search: policies of a few sections, published the product's way."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from math import sqrt

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.domain.ontology import Extraction
from core.domain.policy import EVERYONE, LoadedDocument, PolicyMetadata, Section
from core.ingest.chunk import cut_chunks
from core.ontology.extract.references import find_references
from core.ports import EmbeddingSpace, Publication, Published, Vector
from tests.databases import corpus_store

SPACE = EmbeddingSpace(
    provider="test", model="letters", dimensions=26, revision="1", fusion_weight=0.5
)
Publish = Callable[..., Awaitable[Published]]


def letters(text: str) -> Vector:
    """Return how often each letter occurs, as a unit vector."""
    counts = [1 + text.lower().count(chr(97 + n)) for n in range(26)]
    norm = sqrt(sum(count * count for count in counts))
    return tuple(count / norm for count in counts)


def publication(
    key: str,
    parts: Sequence[tuple[str, str, str]],
    *,
    audience: frozenset[str],
    jurisdiction: str | None = None,
) -> Publication:
    """Build a publication from (number, title, text) of each section."""
    text = ""
    sections: list[Section] = []
    for ordinal, (number, title, body) in enumerate(parts):
        start, heading = len(text), f"{number} {title}\n"
        text += heading + (f"{body}\n" if body else "")
        parent = next((s for s in reversed(sections) if number.startswith(f"{s.number}.")), None)
        sections.append(
            Section(
                eid=f"{parent.eid}__sec_{number}" if parent else f"sec_{number}",
                number=number,
                title=title,
                path=(*(parent.path if parent else ()), f"{number} {title}"),
                level=parent.level + 1 if parent else 1,
                ordinal=ordinal,
                char_start=start,
                body_start=start + len(heading),
                char_end=len(text),
                page=None,
            )
        )
    document = LoadedDocument(text=text, media_type="text/plain")
    return Publication(
        metadata=PolicyMetadata(
            key=key, title=f"{key.title()} Policy", audience=audience, jurisdiction=jurisdiction
        ),
        source_name=f"{key}.txt",
        original=text.encode(),
        document=document,
        sections=tuple(sections),
        chunks=cut_chunks(document, sections, source_stem=key),
        extraction=Extraction(
            entities=(), relations=(), references=find_references(text, sections)
        ),
    )


@pytest.fixture
def space() -> EmbeddingSpace:
    """The space of `letters`."""
    return SPACE


@pytest.fixture
def embed() -> Callable[[str], Vector]:
    """The embedding of that space."""
    return letters


@pytest.fixture
def publish(engine: AsyncEngine) -> Publish:
    """Publish (number, title, text) triples as a policy, with vectors."""
    store = corpus_store(engine)

    async def run(
        key: str,
        parts: Sequence[tuple[str, str, str]],
        *,
        audience: frozenset[str] = frozenset({EVERYONE}),
        jurisdiction: str | None = None,
        on_day: date = date(2026, 1, 1),
        embedded: bool = True,
    ) -> Published:
        ready = publication(key, parts, audience=audience, jurisdiction=jurisdiction)
        texts = [chunk.text for chunk in ready.chunks]
        missing = await store.missing_embeddings(texts, SPACE) if embedded else []
        stored = await store.versions_of(key)
        return await store.publish(
            ready,
            after=stored[-1].version_id if stored else None,
            space=SPACE if embedded else None,
            vectors={texts[index]: letters(texts[index]) for index in missing},
            on_day=on_day,
        )

    return run
