"""Whether stored policies are those that were published, by the records of their publication.

`corpus:published` commits to the text of a version, and to its sections, chunks and spans of facts.
A record can't be changed by whoever can change a text; that records are what was sealed is for
`citebound audit verify` to say. Server and database are asked for rows alone: what they hash to is
computed here.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, text

from core.audit.canonical import canonical
from core.domain.json_value import Json
from core.language.spans import Span, VersionId

STORED = text("""
SELECT v.*, p.key, json_build_array(
         (SELECT json_agg(json_build_array(s.ordinal, s.eid, s.number, s.title, s.path, s.level,
                   s.page, s.char_start, s.body_start, s.char_end) ORDER BY s.ordinal)
            FROM ONLY citebound.sections AS s WHERE s.version_id = v.id),
         (SELECT json_agg(json_build_array(c.chunk_index, c.chunk_id, s.ordinal, c.section_title,
                   c.page_number, c.char_start, c.char_end, c.text) ORDER BY c.chunk_index)
            FROM ONLY citebound.chunks AS c JOIN ONLY citebound.sections AS s ON s.id = c.section_id
           WHERE c.version_id = v.id),
         (SELECT json_agg(json_build_array(char_start, char_end) ORDER BY char_start, char_end)
            FROM ONLY citebound.provenance WHERE version_id = v.id)) AS spans
  FROM ONLY citebound.policy_versions AS v JOIN ONLY citebound.policies AS p ON p.id = v.policy_id
 WHERE v.id > :after ORDER BY v.id LIMIT :most
""")
"""Versions with all that is committed to."""
RECORDED = text(
    "SELECT canonical FROM ONLY audit.record WHERE tag IN ('corpus:published', 'policy:added',"
    " 'policy:revised', 'ontology:corrected') ORDER BY id"
)
AT_ONCE = 20
"""Versions that are read together: their texts and files may have many megabytes."""


def sha256_of(content: str | bytes) -> str:
    """Return the SHA-256 of a text in UTF-8, or of a file, in hexadecimal digits."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def digests(row: Mapping[Any, Any]) -> dict[str, str]:
    """Return what a publication commits to, of a row of `STORED`."""
    return {
        "sha256": sha256_of(bytes(row["original"])),
        "text_sha256": sha256_of(row["text"]),
        "spans_sha256": sha256_of(canonical(row["spans"])),
    }


def said_of(row: Mapping[Any, Any]) -> dict[str, Json]:
    """Return what is recorded of a version in words."""
    days = ("effective_from", "effective_until", "review_by")
    return {
        **{name: row[name] for name in _SAID},
        **{name: row[name] and row[name].isoformat() for name in days},
        "version": row["label"],
        "sha256": bytes(row["sha256"]).hex(),
        "audience": list(row["audience"]),
        "tags": list(row["tags"]),
    }


class PublishedVersions:
    """What the records of publications say of versions. One that can't be read says nothing."""

    def __init__(self, recorded: Iterable[bytes]) -> None:
        self._named: dict[int, list[Mapping[str, Json]]] = {}
        for document in recorded:
            with suppress(ValueError, AttributeError, TypeError):
                said: dict[str, Any] = json.loads(bytes(document))
                for version in said.get("versions", [said]):
                    entry = {**version, **version.get("after", {}), "edition": said.get("edition")}
                    self._named.setdefault(version.get("policy_version"), []).append(entry)

    def differing(self, version: int, stored: Mapping[str, Json]) -> list[str]:
        """Name the fields that are not as each record of a version says.

        Earlier releases recorded the hash of the file alone: what no record names differs in
        nothing. A version that no record names differs in its publication.
        """
        named = self._named.get(version)
        if named is None:
            return ["publication"]
        return [
            field
            for field, value in stored.items()
            if any(entry.get(field, value) != value for entry in named)
        ]

    def altered(self, row: Mapping[Any, Any]) -> list[str]:
        """Say what of a row of `STORED` is not what was published."""
        stored = {"policy": row["key"], "edition": row["edition_from"], **said_of(row)}
        return [
            f"{row['key']}, version {row['number']}: its {_WORDS.get(field, field)} is not what was"
            " published"
            for field in self.differing(row["id"], {**stored, **digests(row)})
        ]

    def gone(self, stored: Collection[int]) -> list[str]:
        """Say which versions were published and are not stored any more."""
        return [
            f"{entries[0].get('policy')}: version {version} was published, and is gone"
            for version, entries in self._named.items()
            if version not in stored
        ]


_SAID = ("number", "title", "jurisdiction", "facts_by", "url", "sensitivity")
_WORDS = {"sha256": "file", "text_sha256": "text", "spans_sha256": "layout of sections and chunks"}


HELD = text("""
SELECT v.id, v.text, v.edition_from,
       ARRAY(SELECT r.canonical FROM ONLY audit.record AS r
              WHERE r.subject = 'edition:' || v.edition_from AND r.tag = 'corpus:published')
         AS recorded
  FROM ONLY citebound.policy_versions AS v WHERE v.id = ANY(:versions)
""")
"""Texts of versions, with the records of the editions that they say they came with."""


def altered_quotes(connection: Connection, quotes: Mapping[Span, str]) -> frozenset[VersionId]:
    """Return the versions of which a quote is not what was published there.

    Text and quote are compared as well as text and hash: what was read a moment ago may have been
    put right since.
    """
    altered = {span.version_id for span in quotes}
    given = {"versions": list(altered)}
    for row in connection.execute(HELD, given).mappings():
        content, published = row["text"], PublishedVersions(row["recorded"])
        stored = {"edition": row["edition_from"], "text_sha256": sha256_of(content)}
        is_quoted = all(
            content[span.char_start : span.char_end] == quote
            for span, quote in quotes.items()
            if span.version_id == row["id"]
        )
        if is_quoted and not published.differing(row["id"], stored):
            altered.discard(row["id"])
    return frozenset(altered)


def altered_versions(connection: Connection) -> list[str]:
    """Hold every stored version to its record."""
    published = PublishedVersions(connection.execute(RECORDED).scalars())
    stored, altered, last = set[int](), list[str](), 0
    while rows := connection.execute(STORED, {"after": last, "most": AT_ONCE}).mappings().all():
        last = rows[-1]["id"]
        for row in rows:
            stored.add(row["id"])
            altered += published.altered(row)
    return altered + published.gone(stored)
