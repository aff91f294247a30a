"""What the server compares by itself, with its built-in functions and from the hashed bytes alone.

Columns, citations and texts with the records; records with each other; posts with their records.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import RowMapping, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.horizon import horizon_holder
from core.audit.canonical import canonical_document
from core.audit.timeline import age_s
from core.audit.verification import CLOCKS_DIFFER_S, ProblemClass, ProblemLog

COMPARED = 10_000
"""Problems that one comparison returns at most."""
SETTLED_WITHIN_H = 24
"""Hours until a message has its outcome, and an outcome its reply: an answer that is a day late is
given up."""

_SAID = "convert_from(canonical, 'UTF8')::jsonb"
_LATER = (
    "(:start = 0 OR NOT EXISTS"
    " (SELECT FROM ONLY audit.leaf WHERE leaf.record_id = record.id AND leaf.idx < :start))"
)
"""Records from a place in the tree on, those without one among them."""
# The bytes are parsed and taken apart once a row; everything else is compared with that. Their hash
# is compared where the tree is built.
_COLUMNS = text(f"""
SELECT record.id::text AS record
  FROM ONLY audit.record, CAST({_SAID} AS jsonb) AS parsed,
       jsonb_to_record(CASE jsonb_typeof(parsed) WHEN 'object' THEN parsed END) AS said(
         id text, tag text, at timestamptz, unit text, actor jsonb, subject text, conversation text,
         seq text, outcome text, confidence jsonb)
 WHERE (doc IS DISTINCT FROM parsed
    OR (record.id::text, record.tag, record.at, record.unit, record.actor, record.subject,
        record.conversation::text, record.seq::text, record.outcome, record.badge,
        record.calibrated)
       IS DISTINCT FROM
       (said.id, said.tag, said.at, said.unit, said.actor->>'ref', said.subject, said.conversation,
        said.seq, said.outcome, said.confidence->>'badge',
        (said.confidence->>'calibrated')::numeric))
   AND {_LATER}
 LIMIT :most
""")  # noqa: S608  # constants
_CITATIONS = text(f"""
SELECT DISTINCT coalesce(told.record_id, kept.record_id)::text AS record
  FROM (SELECT id AS record_id, (c->>'n')::integer AS n, c->>'policy' AS policy,
               c->>'version' AS version, c->>'section' AS section,
               (c->>'char_start')::integer AS char_start, (c->>'char_end')::integer AS char_end,
               decode(c->>'quote_hash', 'hex') AS quote_hash
          FROM ONLY audit.record,
               jsonb_array_elements(coalesce(doc->'citations', '[]')) AS c
         WHERE {_LATER}) AS told
  FULL JOIN (SELECT * FROM ONLY audit.citation
              WHERE :start = 0 OR NOT EXISTS (SELECT FROM ONLY audit.leaf
                WHERE leaf.record_id = citation.record_id AND leaf.idx < :start)) AS kept
    ON kept.record_id = told.record_id AND kept.n = told.n
 WHERE (told.policy, told.version, told.section, told.char_start, told.char_end, told.quote_hash)
       IS DISTINCT FROM
       (kept.policy, kept.version, kept.section, kept.char_start, kept.char_end, kept.quote_hash)
 LIMIT :most
""")  # noqa: S608  # constants
_CONTENTS = text(f"""
WITH erased AS MATERIALIZED (
  SELECT gone.key::uuid AS record_id, named.field, bool_or(leaf.idx IS NOT NULL) AS is_sealed
    FROM ONLY audit.record LEFT JOIN ONLY audit.leaf ON leaf.record_id = record.id,
         jsonb_each(doc->'erased') AS gone, jsonb_array_elements_text(gone.value) AS named (field)
   WHERE tag IN ('content:erased', 'retention:applied')
     AND (leaf.idx IS NOT NULL OR record.xid < pg_snapshot_xmax(pg_current_snapshot()))
   GROUP BY 1, 2)
SELECT coalesce(told.id, kept.record_id)::text AS record,
       coalesce(told.field, kept.field) AS field,
       told.id IS NULL AS is_unknown, kept.record_id IS NULL AS is_missing,
       coalesce(gone.is_sealed, false) AS is_erased,
       coalesce(NOT gone.is_sealed, false) AS is_pending
  FROM (SELECT id, promised.key AS field, promised.value AS digest
          FROM ONLY audit.record, jsonb_each_text(doc->'content') AS promised
         WHERE {_LATER}) AS told
  FULL JOIN (SELECT * FROM audit.content_digests() AS digests
              WHERE :start = 0 OR NOT EXISTS (SELECT FROM ONLY audit.leaf
                WHERE leaf.record_id = digests.record_id AND leaf.idx < :start)) AS kept
    ON kept.record_id = told.id AND kept.field = told.field
  LEFT JOIN erased AS gone ON gone.record_id = told.id AND gone.field = told.field
 WHERE told.id IS NULL OR (kept.record_id IS NULL) <> coalesce(gone.is_sealed, false)
    OR kept.record_id IS NOT NULL AND told.digest IS DISTINCT FROM kept.digest
 LIMIT :most
""")  # noqa: S608  # constants
_NUMBERS = text("""
SELECT conversation::text, count(*) AS records, max(seq) AS last
  FROM ONLY audit.record WHERE seq IS NOT NULL
 GROUP BY conversation HAVING min(seq) <> 1 OR max(seq) <> count(*)
 LIMIT :most""")
_LEFT_OUT = text("""
SELECT id::text AS record FROM ONLY audit.record
 WHERE NOT EXISTS (SELECT FROM ONLY audit.leaf WHERE record_id = record.id)
   AND xid < (SELECT horizon FROM ONLY audit.checkpoint ORDER BY generation DESC, size DESC LIMIT 1)
 LIMIT :most
""")
_UNSEALED = text("""
SELECT id::text AS record, canonical, xid::text AS xid,
       pg_snapshot_xmax(pg_current_snapshot())::text AS ends
  FROM ONLY audit.record WHERE NOT EXISTS (SELECT FROM ONLY audit.leaf WHERE record_id = record.id)
 ORDER BY xid DESC LIMIT :most
""")
_CLOSINGS = text(f"""
SELECT record.id::text AS record, coalesce(closing.records, 0) AS closings
  FROM ONLY audit.record LEFT JOIN (
       SELECT doc->>'cause' AS cause, count(*) AS records
         FROM ONLY audit.record JOIN ONLY audit.tag USING (tag)
        WHERE is_outcome GROUP BY 1) AS closing
    ON closing.cause = record.id::text
 WHERE record.tag = 'message:received' AND {_LATER}
   AND (closing.records > 1 OR (closing.records IS NULL AND record.at
        < (SELECT max(at) FROM ONLY audit.record) - make_interval(hours => :hours)))
 LIMIT :most
""")  # noqa: S608  # constants
_REPLIES = text(f"""
SELECT record.id::text AS record
  FROM ONLY audit.record JOIN ONLY audit.tag USING (tag)
 WHERE is_outcome AND tag <> 'message:ignored' AND doc->>'cause' IS NOT NULL AND {_LATER}
   AND doc->>'cause' IN (SELECT id::text FROM ONLY audit.record WHERE tag = 'message:received')
   AND at < (SELECT max(at) FROM ONLY audit.record) - make_interval(hours => :hours)
   AND id::text NOT IN (SELECT doc->>'cause' FROM ONLY audit.record
        WHERE tag IN ('reply:posted', 'reply:withheld', 'reply:abandoned', 'reply:uncertain')
          AND doc->>'cause' IS NOT NULL)
 LIMIT :most
""")  # noqa: S608  # constants
_POSTED_TWICE = text("""
SELECT min(id::text) AS record, doc->>'outbox' AS outbox, count(*) AS times
  FROM ONLY audit.record
 WHERE tag IN ('reply:posted', 'reply:updated') AND doc->>'cause' IS NOT NULL
 GROUP BY doc->>'outbox', doc->>'cause' HAVING count(*) > 1
 LIMIT :most
""")
_OUTBOX = text("""
SELECT outbox.id::text AS outbox FROM ONLY citebound.outbox
 WHERE outbox.state = 'posted' AND NOT EXISTS (
       SELECT FROM ONLY audit.record
        WHERE tag IN ('reply:posted', 'reply:updated') AND doc->>'outbox' = outbox.id::text)
 LIMIT :most
""")


async def compare_rows(connection: AsyncConnection, log: ProblemLog, *, start: int) -> list[str]:
    """Compare what was derived from the records, from a place in the tree on.

    Returns what can't be told yet: a text that is gone by an erasure which is not sealed.
    """
    pending = 0
    later = {"start": start}
    for row in await rows_of(connection, _COLUMNS, "columns of the records", log, **later):
        log.add(
            ProblemClass.COLUMN_ALTERED,
            "a column is not what the record's bytes say",
            record=str(row["record"]),
        )
    for row in await rows_of(connection, _CITATIONS, "citations", log, **later):
        log.add(
            ProblemClass.CITATION_ALTERED,
            "the citations are not those of the record's bytes",
            record=str(row["record"]),
        )
    for row in await rows_of(connection, _CONTENTS, "texts", log, **later):
        if row["is_pending"] and row["is_missing"]:
            pending += 1
            continue
        kind, said = _content_problem(row)
        log.add(kind, f"the text of {row['field']!r} {said}", record=str(row["record"]))
    for row in await rows_of(connection, _LEFT_OUT, "records without a leaf", log):
        log.add(
            ProblemClass.RECORD_LEFT_OUT,
            "the record is older than what was sealed, and has no place in the tree",
            record=str(row["record"]),
        )
    untold = f"{pending} texts are gone by an erasure that is not sealed yet: verify again later"
    return [untold] if pending else []


async def compare_unsealed(connection: AsyncConnection, log: ProblemLog, *, now: float) -> None:
    """Name records that can't ever be sealed, and say since when others wait, and for whom."""
    ages: dict[str, float] = {}
    for row in await rows_of(connection, _UNSEALED, "records without a leaf", log):
        record = str(row["record"])
        if int(row["xid"]) < int(row["ends"]):
            ages[record] = age_s((canonical_document(bytes(row["canonical"])) or {}).get("at"), now)
            continue
        log.add(
            ProblemClass.XID_AHEAD,
            f"the record is of transaction {row['xid']}, and the server has begun those before"
            f" {row['ends']}: it was put there by hand, and counts for nothing",
            record=record,
        )
    oldest = max(ages, key=lambda waiting: abs(ages[waiting]), default=None)
    if oldest is not None and abs(ages[oldest]) > CLOCKS_DIFFER_S:
        holder = await horizon_holder(connection) or "see whether `citebound audit seal` runs"
        said = (
            f"a record dated {ages[oldest]:.0f} s ago is not sealed, and proves nothing: {holder}"
        )
        log.add(ProblemClass.RECORD_UNSEALED, said, record=oldest)


async def compare_records(connection: AsyncConnection, log: ProblemLog, *, start: int) -> None:
    """Compare the records with each other: nothing left out, each message closed and replied to."""
    settled = {"start": start, "hours": SETTLED_WITHIN_H}
    for row in await rows_of(connection, _NUMBERS, "numbers of the records", log):
        log.add(
            ProblemClass.NUMBER_MISSING,
            f"conversation {row['conversation']} has {row['records']} records, numbered up to"
            f" {row['last']}",
        )
    for row in await rows_of(connection, _CLOSINGS, "outcomes", log, **settled):
        many = (
            f"has {row['closings']} outcomes" if row["closings"] else "has no outcome after a day"
        )
        log.add(ProblemClass.MESSAGE_NOT_CLOSED, f"the message {many}", record=str(row["record"]))
    for row in await rows_of(connection, _REPLIES, "replies", log, **settled):
        log.add(
            ProblemClass.REPLY_MISSING,
            "the outcome has had no reply for a day, without a recorded reason",
            record=str(row["record"]),
        )
    for row in await rows_of(connection, _POSTED_TWICE, "replies", log):
        log.add(
            ProblemClass.REPLY_TWICE,
            f"the reply {row['outbox']} is recorded as posted {row['times']} times",
            record=str(row["record"]),
        )


async def compare_outbox(connection: AsyncConnection, log: ProblemLog) -> str | None:
    """Compare the posts with their records; return why that can't be done, None: it was."""
    allowed = "SELECT has_column_privilege('citebound.outbox', 'state', 'SELECT')"
    if not await connection.scalar(text(allowed)):
        return "posts were not compared with their records: this role may not read the outbox"
    for row in await rows_of(connection, _OUTBOX, "posts", log):
        log.add(
            ProblemClass.REPLY_MISSING, f"the reply {row['outbox']} was posted, and has no record"
        )
    return None


def _content_problem(row: RowMapping) -> tuple[ProblemClass, str]:
    if row["is_missing"]:
        return ProblemClass.CONTENT_MISSING, "is missing"
    if row["is_erased"]:
        return ProblemClass.CONTENT_RESTORED, "was erased, and is there again"
    if row["is_unknown"]:
        return ProblemClass.CONTENT_UNKNOWN, "belongs to no record"
    return ProblemClass.CONTENT_ALTERED, "is not the one that was recorded"


async def rows_of(
    connection: AsyncConnection,
    query: TextClause,
    what: str,
    log: ProblemLog,
    **parameters: object,
) -> Sequence[RowMapping]:
    """Run one comparison; what can't even be read as it should be is a problem, too.

    Without a cursor, since Postgres spreads no cursor's query over several processes.
    """
    given: Mapping[str, Any] = {"most": COMPARED, **parameters}
    async with _guarded(connection, what, log):
        return (await connection.execute(query, given)).mappings().all()
    return ()


@asynccontextmanager
async def _guarded(connection: AsyncConnection, what: str, log: ProblemLog) -> AsyncGenerator[None]:
    try:
        async with connection.begin_nested():
            yield
    except DBAPIError as error:
        if error.connection_invalidated or error.orig is None:
            raise
        state = getattr(error.orig, "sqlstate", None)
        if state is None or not state.startswith("22"):
            raise
        log.add(ProblemClass.UNREADABLE, f"the {what} can't be read (SQLSTATE {state})")
