"""Turn one file into what is stored of it, apart from its facts: load, describe, split, cut.

`read_content` parses the file, and runs in a process of its own (`sandbox`). What the caller states
about the policy takes precedence over what the document says of itself.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from pathlib import PurePath
from typing import Literal

from core.domain.policy import (
    NEVER,
    Chunk,
    LoadedDocument,
    PolicyMetadata,
    Section,
    last_day_before,
)
from core.ingest.chunk import cut_chunks
from core.ingest.load import load
from core.ingest.metadata import NOTHING, shown
from core.ingest.sections import split_sections
from core.ingest.stated.standing import Standing, sections_in_force, standing_of
from core.ingest.titles import document_title

_VERSION_SUFFIX = re.compile(
    r"(?<![-_ .])[-_ .]++v(?:er(?:sion)?)?[-_ ]?\d++(?:[._-]\d++)*+$", re.IGNORECASE
)
_KEY_BREAK = re.compile(r"[^\w]+|_+")


class KeySource(StrEnum):
    """How it is known which policy a file is."""

    GIVEN = "as given"
    DOCUMENT = "by its policy id"
    NAME = "by its file name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What the caller states about a policy; None: what the document says counts.

    `NOTHING` takes a value away.
    """

    key: str | None = None
    """See `PolicyMetadata.key`."""
    title: str | None = None
    """See `PolicyMetadata.title`."""
    label: str | None = None
    """See `PolicyMetadata.label`."""
    owner: str | None = None
    """See `PolicyMetadata.owner`."""
    jurisdiction: str | None = None
    """See `PolicyMetadata.jurisdiction`."""
    audience: frozenset[str] | None = None
    """See `PolicyMetadata.audience`."""
    tags: frozenset[str] | None = None
    """See `PolicyMetadata.tags`."""
    effective_from: date | None = None
    """See `PolicyMetadata.effective_from`."""
    effective_until: date | None = None
    """See `PolicyMetadata.effective_until`."""
    upload_id: str | None = None
    """See `PolicyMetadata.upload_id`."""
    url: str | None = None
    """See `PolicyMetadata.url`."""
    sensitivity: str | None = None
    """See `PolicyMetadata.sensitivity`."""
    review_by: date | Literal[""] | None = None
    """See `PolicyMetadata.review_by`."""
    verified_by: str | None = None
    """See `PolicyMetadata.verified_by`."""
    key_prefix: str | None = None
    """Prefix of a key that is taken from the document or its name ("de": "de-gifts"), so that equal
    names in different folders are different policies."""

    def agree_with(self, metadata: PolicyMetadata) -> bool:
        """Return whether `metadata` already holds everything that is stated here."""
        stated = {name: getattr(self, name) for name in _STATED}
        return all(
            (None if value == NOTHING else value) == getattr(metadata, name)
            for name, value in stated.items()
            if value is not None
        )


_STATED = tuple(field.name for field in fields(Overrides) if field.name != "key_prefix")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a file, whichever policy it is."""

    document: LoadedDocument
    """Its text."""
    sections: tuple[Section, ...]
    """Its sections, in text order."""
    chunks: tuple[Chunk, ...]
    """Its chunks; empty if they were not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One file, read and cut."""

    source_name: str
    """The file's name without directories."""
    metadata: PolicyMetadata
    """As given, else as the document states, else from the file's name."""
    key_source: KeySource
    """Which of them its key is from."""
    document: LoadedDocument
    """Its text."""
    sections: tuple[Section, ...]
    """Its sections, in text order."""
    chunks: tuple[Chunk, ...]
    """Its chunks; empty if they were not asked for."""
    sha256: bytes
    """Hash of the file's bytes; 32 bytes."""
    standing: Standing | None = None
    """What it says of not being in force; None: nothing, or the caller says since when it is."""


NOTHING_GIVEN = Overrides()


def read_content(data: bytes, *, source_name: str, with_chunks: bool) -> Content:
    """Parse a policy file.

    Args:
        data: the file.
        source_name: its name; directories are ignored.
        with_chunks: False for a policy that is answered from its facts alone (`--no-rag`).

    Raises:
        DocumentError: see `load`.
    """
    name = PurePath(source_name)
    document = load(data, source_name=name.name)
    sections = split_sections(document)
    read = sections_in_force(document, sections)
    if out := len(sections) - len(read):
        note = (
            f"left out {out} section{'s' if out > 1 else ''} whose heading says that it is not in"
            " force: take that out of the heading if it is"
        )
        document = replace(document, notes=(*document.notes, note))
    chunks = cut_chunks(document, read, source_stem=name.stem) if with_chunks else ()
    return Content(document=document, sections=sections, chunks=chunks)


def prepared_from(
    content: Content, data: bytes, *, source_name: str, given: Overrides = NOTHING_GIVEN
) -> Prepared:
    """Add the policy's key and metadata to the content of its file.

    Args:
        content: what the file holds.
        data: the file.
        source_name: its name; directories are ignored.
        given: what the caller says of the policy.
    """
    name = PurePath(source_name)
    metadata, key_source = _metadata(content.document, stem=name.stem, given=given)
    document = content.document
    said = document.metadata.get("status", "")
    standing = standing_of(said) if said and given.effective_from is None else None
    if standing is not None:
        metadata = _not_in_force(metadata, standing)
    denied = _denied(document, metadata, given=given)
    unused = [one for one in document.unused if not _is_given(one.field, given)]
    document = replace(document, notes=(*document.notes, *denied), unused=tuple(unused))
    return Prepared(
        source_name=name.name,
        metadata=metadata,
        key_source=key_source,
        document=document,
        sections=content.sections,
        chunks=content.chunks,
        sha256=hashlib.sha256(data).digest(),
        standing=standing,
    )


def prepare(
    data: bytes,
    *,
    source_name: str,
    given: Overrides = NOTHING_GIVEN,
    with_chunks: bool = True,
) -> Prepared:
    """Read a policy file in this process, without limits: for trusted files.

    Raises:
        DocumentError: see `load`.
    """
    content = read_content(data, source_name=source_name, with_chunks=with_chunks)
    return prepared_from(content, data, source_name=source_name, given=given)


def with_metadata(prepared: Prepared, metadata: PolicyMetadata) -> Prepared:
    """Return a file with the metadata that is stored of it, and notes on what it states in vain.

    Args:
        prepared: the file, as it was prepared; its notes do not name yet what can't be used.
        metadata: its own, and what is known from earlier versions.
    """
    unused = prepared.document.unused
    notes = [
        one.note
        for one in unused
        if not (one.is_vague and getattr(metadata, one.field) is not None)
    ]
    document = replace(prepared.document, notes=(*prepared.document.notes, *notes), unused=())
    return replace(prepared, metadata=metadata, document=document)


def key_of(text: str) -> str:
    """Turn a policy id or a file stem into a key: lower case, hyphens, no version suffix.

    A name that a Mac stores decomposed (NFD) is the same name.
    """
    name = unicodedata.normalize("NFC", text.strip())
    return _KEY_BREAK.sub("-", _VERSION_SUFFIX.sub("", name)).strip("-").lower()


def _metadata(
    document: LoadedDocument, *, stem: str, given: Overrides
) -> tuple[PolicyMetadata, KeySource]:
    said = document.metadata
    by_document = key_of(said.get("policy_id", ""))
    key = by_document or key_of(stem) or "policy"
    found = PolicyMetadata(
        key=f"{key_of(given.key_prefix)}-{key}" if given.key_prefix else key,
        title=document_title(document) or _title_of_stem(stem),
        label=said.get("version"),
        owner=said.get("owner"),
        jurisdiction=said.get("jurisdiction") or None,
        effective_from=_date(said.get("effective_from")),
        effective_until=_date(said.get("effective_until")),
        url=said.get("url"),
        sensitivity=said.get("sensitivity"),
        review_by=_date(said.get("review_by")),
        verified_by=said.get("verified_by"),
    )
    source = KeySource.DOCUMENT if by_document else KeySource.NAME
    return _overridden(found, given), KeySource.GIVEN if given.key else source


def _not_in_force(metadata: PolicyMetadata, standing: Standing) -> PolicyMetadata:
    """Return the dates of a document that is not in force, or only until a day that it names."""
    begin, end = metadata.effective_from, standing.ended
    if end is None or (begin and end <= begin):
        return replace(metadata, effective_from=NEVER, effective_until=None)
    return replace(metadata, effective_until=min(end, metadata.effective_until or end))


def _overridden(found: PolicyMetadata, given: Overrides) -> PolicyMetadata:
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    stated = {name: getattr(given, name) for name in _STATED}
    values.update(
        {
            name: None if value == NOTHING else value
            for name, value in stated.items()
            if value is not None
        }
    )
    return PolicyMetadata(**values)


def _denied(
    document: LoadedDocument, metadata: PolicyMetadata, *, given: Overrides
) -> tuple[str, ...]:
    """Return a note on what the document says otherwise than it is given, if it does."""
    said = [
        f"{called} {shown(_as_written(name, document.metadata[name]) or 'everywhere')}"
        for name, called in _CARE.items()
        if getattr(given, name) is not None
        and name in document.metadata
        and not _is_same(name, document.metadata[name], getattr(metadata, name))
    ]
    if given.effective_from and (status := document.metadata.get("status")):
        said.append(f"status {shown(status)}")
    if not said:
        return ()
    return (f"the document says otherwise than given: {', '.join(said)}; correct either of them",)


def _as_written(name: str, said: str) -> str:
    """Return a value as people write it: an end is the last day."""
    return str(last_day_before(_date(said))) if said and name == "effective_until" else said


def _is_same(name: str, said: str, given: object) -> bool:
    if not (said and given):
        return not (said or given)
    # Two addresses that differ in a capital may be two pages.
    return said == given if name == "url" else said.casefold() == str(given).casefold()


def _is_given(field: str, given: Overrides) -> bool:
    """Return whether the caller states what a key of `LoadedDocument.metadata` says."""
    name = {"policy_id": "key", "version": "label"}.get(field, field)
    return name in _STATED and getattr(given, name) is not None


_CARE = {
    "owner": "owner",
    "url": "url",
    "sensitivity": "class",
    "review_by": "review by",
    "verified_by": "verified by",
    "jurisdiction": "holds in",
    "effective_from": "in force from",
    "effective_until": "ends",
}
"""What of a policy a document and who ingests it may say otherwise, and how a note calls it."""


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _title_of_stem(stem: str) -> str:
    name = unicodedata.normalize("NFC", stem)
    words = _KEY_BREAK.sub(" ", _VERSION_SUFFIX.sub("", name)).strip()
    return words[:1].upper() + words[1:] or stem
