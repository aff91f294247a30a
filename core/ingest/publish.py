"""One file into the corpus.

Prepare -> compare with what is stored -> embed what is new -> publish.
"""

import dataclasses
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from core.domain.errors import ConfigError, DocumentError, OvertakenError
from core.domain.policy import EVERYONE, PolicyMetadata, VersionId
from core.ingest.prepare import Overrides, Prepared
from core.ports import (
    Clock,
    CorpusStore,
    Embedder,
    Publication,
    Published,
    StoredVersion,
    Unchanged,
    Vector,
)
from core.ports.extraction import (
    BY_RULES,
    Extracted,
    Extractor,
    ReadingReport,
    SourceDocument,
)
from core.ports.spaces import ServingEmbedder

MAX_ATTEMPTS = 3
"""Readings of what is stored, if other ingestions of the policy are faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of one file."""

    source_name: str
    """File name."""
    metadata: PolicyMetadata
    """As stored."""
    result: Published | Unchanged
    """A new version, or nothing to do."""
    sections: int
    """Sections found."""
    notes: tuple[str, ...]
    """What was normalised away, and what else should be known."""
    reading: ReadingReport | None = None
    """What a model read of it; None if none was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """What ingesting a file would do."""

    metadata: PolicyMetadata
    """As it would be stored."""
    document: SourceDocument
    """What facts would be read from."""
    chunks: int
    """Chunks it is cut into."""
    is_first: bool
    """True if the policy is not known yet."""
    is_stored: bool
    """True if the same file is stored already."""
    may_be_read: bool
    """True unless it is stored and no longer the newest version: then its facts stay."""


class FileReader(Protocol):
    """Takes files apart; the product's is `core.ingest.confined.ConfinedReader`."""

    async def prepare(
        self, data: bytes, *, source_name: str, given: Overrides, with_chunks: bool
    ) -> Prepared:
        """Read a policy file; see `core.ingest.prepare.prepare`.

        Raises:
            DocumentError: The file can't be read.
        """
        ...


class Ingestor:
    """Takes files one after the other; each is stored whole or not at all."""

    def __init__(
        self,
        *,
        reader: FileReader,
        store: CorpusStore,
        embedder: ServingEmbedder | None,
        extractor: Extractor,
        clock: Clock,
    ) -> None:
        """Chunks are embedded in the space that serves; without an embedder only words count."""
        self._reader = reader
        self._store = store
        self._embedder = embedder
        self._extractor = extractor
        self._clock = clock

    def reading_by(self, extractor: Extractor) -> "Ingestor":
        """Return the same with another reader of facts."""
        return Ingestor(
            reader=self._reader,
            store=self._store,
            embedder=self._embedder,
            extractor=extractor,
            clock=self._clock,
        )

    async def preview(
        self, data: bytes, *, source_name: str, given: Overrides, with_chunks: bool
    ) -> Previewed:
        """Say what `ingest` would do, and store nothing.

        Raises:
            DocumentError: See `ingest`.
            TransientError: The database failed.
        """
        prepared = await self._reader.prepare(
            data, source_name=source_name, given=given, with_chunks=with_chunks
        )
        stored = await self._store.versions_of(prepared.metadata.key)
        same = _find_same(prepared, stored, given=given, with_chunks=with_chunks)
        metadata = same.metadata if same else _inherit(prepared.metadata, stored, given=given)
        return Previewed(
            metadata=metadata,
            document=_source(dataclasses.replace(prepared, metadata=metadata)),
            chunks=len(prepared.chunks),
            is_first=not stored,
            is_stored=same is not None,
            may_be_read=same is None or same is stored[-1],
        )

    async def ingest(
        self, data: bytes, *, source_name: str, given: Overrides, with_chunks: bool
    ) -> Ingested:
        """Store one file as the newest version of its policy.

        The same bytes with nothing else said of them are a no-op; unless the extractor may find
        more in them than what is stored, which is then published as a new edition of the version,
        if it is the policy's newest. What neither the caller nor the
        document says
        (audience, jurisdiction, tags, owner) is taken over from the policy's newest version, also
        from one that is published meanwhile.

        Raises:
            DocumentError: The file can't be ingested; the message is one line for people.
            TransientError: The database or the embedder failed; nothing was stored.
            ConfigError: Nothing embeds in the space that serves.
        """
        prepared = await self._reader.prepare(
            data, source_name=source_name, given=given, with_chunks=with_chunks
        )
        for _ in range(MAX_ATTEMPTS - 1):
            with suppress(OvertakenError):
                return await self._store_once(prepared, data, given=given, with_chunks=with_chunks)
        return await self._store_once(prepared, data, given=given, with_chunks=with_chunks)

    async def _store_once(
        self, prepared: Prepared, data: bytes, *, given: Overrides, with_chunks: bool
    ) -> Ingested:
        """Compare with what is stored now, and publish on top of that or not at all."""
        stored = await self._store.versions_of(prepared.metadata.key)
        same = _find_same(prepared, stored, given=given, with_chunks=with_chunks)
        metadata = same.metadata if same else _inherit(prepared.metadata, stored, given=given)
        prepared = dataclasses.replace(prepared, metadata=metadata)
        if same is None:
            _refuse_backward(metadata)
        elif not (self._extractor.rereads and same is stored[-1]):
            return _ingested(prepared, Unchanged(version_id=same.version_id), None)
        extracted = await self._extractor.extract(_source(prepared))
        if same is not None and not _says_more(extracted, same):
            return _ingested(prepared, Unchanged(version_id=same.version_id), extracted.report)
        newest = stored[-1] if stored else None
        published = await self._publish(
            prepared,
            data,
            extracted,
            after=newest.version_id if newest else None,
            replaces=same.version_id if same else None,
        )
        return _ingested(prepared, published, extracted.report, *_loss(extracted, newest))

    async def _publish(
        self,
        prepared: Prepared,
        data: bytes,
        extracted: Extracted,
        *,
        after: VersionId | None,
        replaces: VersionId | None,
    ) -> Published:
        embedder = await self._serving() if prepared.chunks else None
        vectors = await self._embed([chunk.text for chunk in prepared.chunks], embedder)
        return await self._store.publish(
            Publication(
                metadata=prepared.metadata,
                source_name=prepared.source_name,
                original=data,
                document=prepared.document,
                sections=prepared.sections,
                chunks=prepared.chunks,
                extraction=extracted.extraction,
                facts_by=extracted.by,
                replaces=replaces,
            ),
            after=after,
            space=embedder.space if embedder else None,
            vectors=vectors,
            on_day=self._today(),
        )

    async def _serving(self) -> Embedder | None:
        """Return what embeds in the serving space; None: nothing was ever embedded, and can't be.

        Raises:
            ConfigError: A space serves that nothing embeds in: without vectors, new chunks would be
                found less often than old ones, and nobody would know.
        """
        if self._embedder is None:
            return None
        serving = await self._embedder.serving()
        if serving.embedder is None and serving.space is not None:
            raise ConfigError(f"new chunks can't be embedded: {serving.problem}")
        return serving.embedder

    async def _embed(self, texts: list[str], embedder: Embedder | None) -> dict[str, Vector]:
        if embedder is None:
            return {}
        missing = await self._store.missing_embeddings(texts, embedder.space)
        new = [texts[index] for index in missing]
        vectors = await embedder.embed_documents(new) if new else []
        return dict(zip(new, vectors, strict=True))

    def _today(self) -> date:
        return self._clock.now().date()


def _source(prepared: Prepared) -> SourceDocument:
    """Return what facts are read from."""
    return SourceDocument(
        text=prepared.document.text,
        sections=prepared.sections,
        policy_key=prepared.metadata.key,
        title=prepared.metadata.title,
        jurisdiction=prepared.metadata.jurisdiction,
    )


def _ingested(
    prepared: Prepared, result: Published | Unchanged, reading: ReadingReport | None, *notes: str
) -> Ingested:
    return Ingested(
        source_name=prepared.source_name,
        metadata=prepared.metadata,
        result=result,
        sections=len(prepared.sections),
        notes=(*prepared.document.notes, *notes),
        reading=reading,
    )


def _loss(extracted: Extracted, newest: StoredVersion | None) -> tuple[str, ...]:
    """Return what is to be said if the rules alone read what a model had read before."""
    before = newest.facts_by if newest else None
    if extracted.by != BY_RULES or before in {None, BY_RULES}:
        return ()
    return (f"facts are by rules alone; those of the version before were read by {before} too",)


def _says_more(extracted: Extracted, stored: StoredVersion) -> bool:
    """Say whether facts read anew are to take the place of the stored ones.

    Not those that are the same; and what another model, or an earlier prompt, read stays until all
    of it was read anew.
    """
    if stored.facts_hash == extracted.extraction.sha256():
        return False
    is_partial = extracted.report is not None and bool(extracted.report.unread)
    return not is_partial or stored.facts_by in {None, BY_RULES, extracted.by}


def _inherit(
    found: PolicyMetadata, stored: list[StoredVersion], *, given: Overrides
) -> PolicyMetadata:
    """Fill what nobody said from the newest version.

    An audience, above all, is never widened by silence.
    """
    if not stored:
        return found
    newest = stored[-1].metadata
    return dataclasses.replace(
        found,
        owner=found.owner or newest.owner,
        jurisdiction=found.jurisdiction or newest.jurisdiction,
        audience=found.audience
        if given.audience is not None or found.audience != frozenset({EVERYONE})
        else newest.audience,
        tags=found.tags if given.tags is not None else found.tags or newest.tags,
    )


def _find_same(
    prepared: Prepared, stored: list[StoredVersion], *, given: Overrides, with_chunks: bool
) -> StoredVersion | None:
    for version in reversed(stored):
        same_bytes = version.sha256 == prepared.sha256
        if (
            same_bytes
            and given.agree_with(version.metadata)
            and version.has_chunks == (with_chunks and bool(prepared.chunks))
        ):
            return version
    return None


def _refuse_backward(metadata: PolicyMetadata) -> None:
    if (
        metadata.effective_from
        and metadata.effective_until
        and metadata.effective_until <= metadata.effective_from
    ):
        raise DocumentError(
            f"it would end ({metadata.effective_until}) before it begins"
            f" ({metadata.effective_from}):"
            " correct --effective-from or --effective-until"
        )
