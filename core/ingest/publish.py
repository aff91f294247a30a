"""Ingest one file: prepare, compare with what is stored, embed what is new, publish."""

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from core.domain.errors import ConfigError, OvertakenError
from core.domain.policy import PolicyMetadata
from core.ingest.compare import (
    KeyClaim,
    SourceFile,
    check_dates,
    ended_now,
    expiry_note,
    find_same,
    inherit,
    is_followed,
    is_other_there,
    model_facts_note,
    refuse_other_policy,
    revision_notes,
    should_replace_facts,
    standing_notes,
    unchanged_notes,
)
from core.ingest.languages import language_note
from core.ingest.new_vectors import WatchEmbedding, embed_new
from core.ingest.prepare import NOTHING_GIVEN, Overrides, Prepared, with_metadata
from core.ingest.stated.standing import sections_in_force
from core.ports import (
    Clock,
    CorpusStore,
    Embedder,
    Publication,
    Published,
    StoredVersion,
    Unchanged,
)
from core.ports.corpus import IngestRunId
from core.ports.extraction import (
    BY_RULES,
    Extracted,
    Extractor,
    ReadingReport,
    SourceDocument,
)
from core.ports.search import ServingEmbedder

MAX_ATTEMPTS = 3
"""Attempts, if other ingestions of the same policy commit first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """The result of ingesting one file."""

    source_name: str
    """File name."""
    metadata: PolicyMetadata
    """As stored."""
    result: Published | Unchanged
    """A new version, or nothing to do."""
    sections: int
    """Sections found."""
    notes: tuple[str, ...]
    """What whoever ingests it should do, one line each: cause and cure."""
    left_out: tuple[str, ...] = ()
    """See `LoadedDocument.left_out`."""
    reading: ReadingReport | None = None
    """What a model extracted; None if none was asked."""
    expiry_note: str | None = None
    """The one of the notes that says that no version is in force; None: one is."""

    def before(self, to_come: Sequence[KeyClaim]) -> "Ingested":
        """Return the same without that note, if the files to come hold the next version."""
        kept = tuple(note for note in self.notes if note != self.expiry_note)
        is_over = not is_followed(self.metadata, to_come)
        return self if is_over else dataclasses.replace(self, notes=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """What ingesting a file would do."""

    metadata: PolicyMetadata
    """As it would be stored."""
    document: SourceDocument
    """The input of the extraction."""
    chunks: int
    """Chunks it is cut into."""
    is_first: bool
    """True if the policy is not known yet."""
    is_stored: bool
    """True if the same file is stored already."""
    may_be_read: bool
    """False if it is stored and not the newest version any more: its facts stay then."""


class FileReader(Protocol):
    """Parses files; the implementation in use is `core.ingest.sandbox.SandboxedReader`."""

    async def prepare(
        self, data: bytes, *, source_name: str, given: Overrides, with_chunks: bool
    ) -> Prepared:
        """Read a policy file; see `core.ingest.prepare.prepare`.

        Raises:
            DocumentError: The file can't be read.
        """
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Ingestor:
    """Ingests files one at a time; each is stored whole or not at all.

    Chunks are embedded in the serving space; without an embedder they are found by words alone.
    """

    reader: FileReader
    store: CorpusStore
    embedder: ServingEmbedder | None
    extractor: Extractor
    clock: Clock
    run: IngestRunId | None = None
    """Tells of what is published; None: whoever ingests does, or nobody."""
    watch_embedding: WatchEmbedding | None = None
    """Told how many chunks of the current file have vectors, of how many; None: nobody is."""

    def reading_by(self, extractor: Extractor) -> "Ingestor":
        """Return the same with another extractor."""
        return replace(self, extractor=extractor)

    def told_by(self, run: IngestRunId) -> "Ingestor":
        """Return the same, whose publications a run tells of once it has ended."""
        return replace(self, run=run)

    async def prepare(
        self, data: bytes, *, source_name: str, given: Overrides, with_chunks: bool
    ) -> Prepared:
        """Read a file, without looking at what is stored.

        Raises:
            DocumentError: See `ingest`.
        """
        return await self.reader.prepare(
            data, source_name=source_name, given=given, with_chunks=with_chunks
        )

    async def preview(
        self,
        prepared: Prepared,
        *,
        given: Overrides,
        with_chunks: bool,
        file: SourceFile | None = None,
    ) -> Previewed:
        """Return what `ingest` would do, and store nothing.

        Raises:
            DocumentError: See `ingest`.
            TransientError: The database failed.
        """
        stored = await self.store.versions_of(prepared.metadata.key)
        same = self._find_same(prepared, stored, given=given, with_chunks=with_chunks, file=file)
        metadata = same.metadata if same else inherit(prepared, stored, given=given)
        if same is None and stored and file:
            there = await is_other_there(stored[-1], file)
            refuse_other_policy(prepared, stored[-1], file, is_other_there=there)
        return Previewed(
            metadata=metadata,
            document=_source(dataclasses.replace(prepared, metadata=metadata)),
            chunks=len(prepared.chunks),
            is_first=not stored,
            is_stored=same is not None,
            may_be_read=same is None or _may_be_reread(same, stored),
        )

    async def ingest(
        self,
        data: bytes,
        *,
        source_name: str,
        given: Overrides,
        with_chunks: bool,
        file: SourceFile | None = None,
        prepared: Prepared | None = None,
    ) -> Ingested:
        """Store one file as the newest version of its policy.

        A file that adds nothing (see `find_same`) changes nothing, unless the extractor may find
        more facts than are stored: these are published as a new edition of the version, if it is
        the policy's newest. What neither the caller nor the document states is taken over from what
        is stored (see `inherit`), even from what is published meanwhile.

        Args:
            data: the file.
            source_name: its name.
            given: what the caller states about the policy.
            with_chunks: False for facts alone.
            file: its path; None: not to be stored.
            prepared: the result of `prepare` for the same file; None: it is prepared here.

        Raises:
            DocumentError: The file can't be ingested; the message is one line for people.
            TransientError: The database or the embedder failed; nothing was stored.
            ConfigError: No embedder is available for the serving space.
        """
        if prepared is None:
            prepared = await self.prepare(
                data, source_name=source_name, given=given, with_chunks=with_chunks
            )
        for _ in range(MAX_ATTEMPTS - 1):
            with suppress(OvertakenError):
                return await self._store_once(
                    prepared, data, given=given, with_chunks=with_chunks, file=file
                )
        return await self._store_once(
            prepared, data, given=given, with_chunks=with_chunks, file=file
        )

    async def _store_once(
        self,
        prepared: Prepared,
        data: bytes,
        *,
        given: Overrides,
        with_chunks: bool,
        file: SourceFile | None,
    ) -> Ingested:
        """Compare with what is stored now, and publish only if that is still the newest state."""
        stored = await self.store.versions_of(prepared.metadata.key)
        same = self._find_same(prepared, stored, given=given, with_chunks=with_chunks, file=file)
        if same is None:
            return await self._store_new(prepared, data, stored, given=given, file=file)
        prepared = with_metadata(prepared, same.metadata)
        if file and same.read_from != file.path:
            await self.store.note_file(prepared.metadata.key, file.path)
        unchanged = Unchanged(version_id=same.version_id)
        if not (self.extractor.rereads and _may_be_reread(same, stored)):
            said = unchanged_notes(same, stored, given=given, on_day=self._today())
            return _ingested(prepared, unchanged, None, *said)
        extracted = await self.extractor.extract(_source(prepared))
        if not should_replace_facts(extracted, same):
            return _ingested(prepared, unchanged, extracted.report)
        published = await self._publish(prepared, data, extracted, stored=stored, replaces=same)
        return _ingested(prepared, published, extracted.report, *model_facts_note(extracted, same))

    async def reread(self, key: str) -> Ingested | None:
        """Read the stored file of a policy's newest version again, with this release.

        Where it is read as it is stored, only that is noted; else the version is published anew in
        its place, and earlier editions keep what they stated. None: it was withdrawn, or a model
        has read it and this extractor does not ask one.

        Raises:
            DocumentError: This release does not read the file.
            TransientError: The database or the embedder failed; nothing was stored.
        """
        stored = await self.store.versions_of(key)
        same = stored[-1]
        is_by_model = same.facts_by not in {None, BY_RULES}
        if same.withdrawal is not None or (is_by_model and not self.extractor.rereads):
            return None
        before = await self.store.document(same.version_id)
        prepared = await self.prepare(
            before.original,
            source_name=before.source_name,
            given=NOTHING_GIVEN,
            with_chunks=same.has_chunks,
        )
        prepared = with_metadata(prepared, same.metadata)
        extracted = await self.extractor.extract(_source(prepared))
        now = (prepared.document.text, prepared.sections, prepared.chunks)
        is_read_alike = now == (before.text, before.sections, before.chunks)
        if is_read_alike and not should_replace_facts(extracted, same):
            await self.store.note_reading(same.version_id)
            return _ingested(prepared, Unchanged(version_id=same.version_id), extracted.report)
        published = await self._publish(
            prepared, before.original, extracted, stored=stored, replaces=same
        )
        return _ingested(prepared, published, extracted.report)

    async def _store_new(
        self,
        prepared: Prepared,
        data: bytes,
        stored: list[StoredVersion],
        *,
        given: Overrides,
        file: SourceFile | None,
    ) -> Ingested:
        """Publish a new version, unless the file is probably another policy."""
        newest = stored[-1] if stored else None
        has_other = await is_other_there(newest, file)
        if newest and file:
            refuse_other_policy(prepared, newest, file, is_other_there=has_other)
        prepared = ended_now(prepared, stored, self._today())
        prepared = with_metadata(prepared, inherit(prepared, stored, given=given))
        check_dates(prepared.metadata)
        extracted = await self.extractor.extract(_source(prepared))
        published = await self._publish(prepared, data, extracted, stored=stored, file=file)
        said = model_facts_note(extracted, newest)
        today = self._today()
        said += revision_notes(prepared, stored, file, is_other_there=has_other, on_day=today)
        ended = expiry_note(prepared.metadata, stored, today)
        done = _ingested(prepared, published, extracted.report, *said, *filter(None, [ended]))
        return dataclasses.replace(done, expiry_note=ended)

    def _find_same(
        self,
        prepared: Prepared,
        stored: list[StoredVersion],
        *,
        given: Overrides,
        with_chunks: bool,
        file: SourceFile | None,
    ) -> StoredVersion | None:
        return find_same(
            prepared,
            stored,
            given=given,
            with_chunks=with_chunks,
            is_named=file is None or file.is_named,
            on_day=self._today(),
        )

    async def _publish(
        self,
        prepared: Prepared,
        data: bytes,
        extracted: Extracted,
        *,
        stored: list[StoredVersion],
        replaces: StoredVersion | None = None,
        file: SourceFile | None = None,
    ) -> Published:
        newest = stored[-1] if stored else None
        withdrawal = newest.withdrawal if newest else None
        embedder = await self._serving() if prepared.chunks else None
        vectors = await embed_new(
            [chunk.text for chunk in prepared.chunks],
            store=self.store,
            embedder=embedder,
            watch=self.watch_embedding,
        )
        return await self.store.publish(
            Publication(
                metadata=prepared.metadata,
                source_name=prepared.source_name,
                original=data,
                document=prepared.document,
                sections=prepared.sections,
                chunks=prepared.chunks,
                extraction=extracted.extraction,
                facts_by=extracted.by,
                replaces=replaces.version_id if replaces else None,
                revives=withdrawal.edition if withdrawal else None,
                read_from=file.path if file else None,
                readers=file.readers if file else None,
                run=self.run,
                source=file.source if file else None,
            ),
            after=newest.version_id if newest else None,
            space=embedder.space if embedder else None,
            vectors=vectors,
            on_day=self._today(),
        )

    async def _serving(self) -> Embedder | None:
        """Return the embedder of the serving space; None: no chunk has a vector or can get one.

        Raises:
            ConfigError: A space serves for which there is no embedder: without vectors, new chunks
                would be found less often than old ones, and nobody would notice.
        """
        if self.embedder is None:
            return None
        serving = await self.embedder.serving()
        if serving.embedder is None and serving.space is not None:
            raise ConfigError(f"new chunks can't be embedded: {serving.problem}")
        return serving.embedder

    def _today(self) -> date:
        return self.clock.today()


def _source(prepared: Prepared) -> SourceDocument:
    """Return the input of the extraction."""
    return SourceDocument(
        text=prepared.document.text,
        sections=tuple(sections_in_force(prepared.document, prepared.sections)),
        policy_key=prepared.metadata.key,
        title=prepared.metadata.title,
        jurisdiction=prepared.metadata.jurisdiction,
    )


def _ingested(
    prepared: Prepared, result: Published | Unchanged, reading: ReadingReport | None, *notes: str
) -> Ingested:
    # A model that reads rules says by itself how many it found, in whatever language.
    language = language_note(prepared.document.text, prepared.sections) if reading is None else ""
    return Ingested(
        source_name=prepared.source_name,
        metadata=prepared.metadata,
        result=result,
        sections=len(prepared.sections),
        notes=(
            *standing_notes(prepared),
            *prepared.document.notes,
            *([language] if language else ()),
            *notes,
        ),
        left_out=prepared.document.left_out,
        reading=reading,
    )


def _may_be_reread(same: StoredVersion, stored: list[StoredVersion]) -> bool:
    return same is stored[-1] and same.withdrawal is None
