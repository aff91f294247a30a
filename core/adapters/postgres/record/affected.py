"""Find past answers that rest on what a policy no longer says, and record each once.

Stretches are compared, not answers: a policy has far fewer quoted stretches than answers. Then the
answers that quote a changed one are recorded in batches, each a short transaction that also notes
how far it came: whoever goes on after a kill repeats nothing and leaves nothing out.

An answer counts if people were shown it and it still holds: not one that was withheld or removed,
that an officer's answer replaces, or that was asked about another day; what was asked about a day
to come counts once it has come.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Integer, RowMapping, TextClause, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_rows import NOT_CONFIRMED
from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import Entry, OfficerStore, append
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.record.affected_editions import update_cards
from core.audit.documents import Event
from core.domain.affected import ClauseChange
from core.domain.audit import Tag
from core.domain.json_value import JsonObject
from core.language.spans import TextSpan
from core.replay.clauses import StoredSection, StoredText, after_change, change_of, folded

BATCH = 200
"""Answers recorded in one transaction."""
SHOWN = 400
"""Characters that are recorded of what stood in a policy, and of what stands there now."""

_EDITION = text("SELECT max(number) FROM citebound.editions")
_OPEN = text(
    "INSERT INTO citebound.comparisons (edition, on_day) VALUES (:edition, :day)"
    " ON CONFLICT DO NOTHING"
)
_IS_DONE = text(
    "SELECT finished_at IS NOT NULL FROM citebound.comparisons"
    " WHERE edition = :edition AND on_day = :day"
)
_PASSED = text(
    "SELECT passed_answer::text FROM citebound.comparisons"
    " WHERE edition = :edition AND on_day = :day"
)
_LOCK = (
    "SELECT passed_answer::text FROM citebound.comparisons"
    " WHERE edition = :edition AND on_day = :day AND finished_at IS NULL FOR UPDATE"
)
_WAITING, _LEAVING = text(_LOCK), text(f"{_LOCK} SKIP LOCKED")
"""A comparison that has begun waits for the row, which others lock only to look; one that has not
leaves the work to whoever holds it. If both left, the rest would wait for the next comparison."""
_PASS = text(
    "UPDATE citebound.comparisons SET passed_answer = CAST(:passed AS uuid),"
    " found = found + :found,"
    " finished_at = CASE WHEN :is_last THEN clock_timestamp() END"
    " WHERE edition = :edition AND on_day = :day"
)
# Who may read a policy does not matter here.
EVERYBODYS_VERSIONS = (
    "live AS MATERIALIZED (SELECT v.id, v.policy_id, v.edition_from,"
    "  coalesce(v.label, v.number::text) AS label"
    " FROM citebound.versions_in_force(:edition, :day) l"
    " JOIN citebound.policy_versions v ON v.id = l.version_id)"
)
_QUOTED = text(f"""
WITH {EVERYBODYS_VERSIONS}, quoted AS MATERIALIZED (
  SELECT DISTINCT version_id, char_start, char_end FROM citebound.citations
   WHERE version_id <> ALL(ARRAY(SELECT id FROM live)))
SELECT q.*, v.policy_id, p.key, v.title, coalesce(v.label, v.number::text) AS label,
       live.id AS live_id, live.label AS live_label,
       coalesce(live.edition_from, w.edition, v.edition_from) AS edition,
       w.edition IS NOT NULL AS is_withdrawn
  FROM quoted q JOIN citebound.policy_versions v ON v.id = q.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  LEFT JOIN live ON live.policy_id = v.policy_id
  LEFT JOIN LATERAL (
    SELECT max(w.edition) AS edition FROM citebound.withdrawals w
     WHERE w.policy_id = v.policy_id AND w.edition > v.edition_from AND w.edition <= :edition
       AND w.withdrawn_from <= :day) w ON true
 ORDER BY v.policy_id, q.version_id, q.char_start""")  # noqa: S608  # constants
_TEXT = text("SELECT text FROM citebound.policy_versions WHERE id = :version")
_SECTIONS = text(
    "SELECT eid, number, title, char_start, body_start, char_end FROM citebound.sections"
    " WHERE version_id = :version ORDER BY ordinal"
)
_CHANGED = (
    "WITH changed AS MATERIALIZED ("
    "  SELECT * FROM unnest(:versions, :starts, :ends, :editions)"
    "   WITH ORDINALITY AS c (version_id, char_start, char_end, edition, n))"
)
_SPANS = (
    bindparam("versions", type_=ARRAY(BigInteger)),
    bindparam("starts", type_=ARRAY(Integer)),
    bindparam("ends", type_=ARRAY(Integer)),
    bindparam("editions", type_=ARRAY(Integer)),
)
_QUOTING = text(
    f"{_CHANGED} SELECT DISTINCT q.answer_id::text AS id FROM changed"  # noqa: S608  # constants
    " JOIN citebound.citations q USING (version_id, char_start, char_end)"
    " WHERE CAST(:passed AS uuid) IS NULL OR q.answer_id > CAST(:passed AS uuid) ORDER BY id"
).bindparams(*_SPANS)
"""Ids in lower case sort as text as they do as ids."""
_IS_OR_COMES = "CAST(s.scope->>'as_of' AS date) >= CAST(s.asked_at AT TIME ZONE 'UTC' AS date)"
"""Whether an answer is of its day or a later one, which is all that earlier releases stored."""
_ANSWERS = text(f"""
{_CHANGED}
SELECT a.id::text AS answer_id, a.record_id::text, a.question_id::text, c.edition,
       audit.unit_of(a.record_id) AS unit,
       array_agg(c.n::int ORDER BY q.n) AS changes, array_agg(q.n ORDER BY q.n) AS numbers
  FROM citebound.citations q JOIN changed c USING (version_id, char_start, char_end)
  JOIN citebound.answers a ON a.id = q.answer_id
  JOIN citebound.questions s ON s.id = a.question_id
  JOIN citebound.conversations k ON k.id = s.conversation_id
 WHERE q.answer_id = ANY(CAST(:answers AS uuid[])) AND a.record_id IS NOT NULL
   AND s.text <> ''
   AND (coalesce(NOT CAST(s.scope->>'is_other_day' AS boolean), {_IS_OR_COMES})
        OR {_IS_OR_COMES} AND CAST(s.scope->>'as_of' AS date) <= :day)
   AND NOT EXISTS (SELECT FROM citebound.affected_answers x WHERE x.answer_id = a.id
                      AND (x.edition = c.edition OR x.state = 'superseded'))
   AND NOT EXISTS (SELECT FROM citebound.cases o
                    WHERE o.question_id = s.id AND o.answered_at IS NOT NULL
                      AND {NOT_CONFIRMED})
   AND (k.platform = 'console' OR EXISTS (
     SELECT FROM citebound.inbox i JOIN citebound.outbox o ON o.cause = 'message:' || i.id
      WHERE i.question_id = s.id AND o.state IN ('posted', 'uncertain') AND o.removed_at IS NULL
        AND o.reply->>'answer' IS NOT NULL AND o.reply->>'answer_id' = a.id::text))
 GROUP BY a.id, c.edition ORDER BY a.id""").bindparams(*_SPANS)  # noqa: S608  # constants
_INSERT = text(
    "INSERT INTO citebound.affected_answers"
    " (answer_id, edition, record_id, changes, quotes_stand)"
    " SELECT answer_id::uuid, edition, record_id::uuid, changes, stand"
    " FROM jsonb_to_recordset(CAST(:rows AS jsonb))"
    "  AS r (answer_id text, edition int, record_id text, changes jsonb, stand boolean)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedClause:
    """A quoted stretch that no longer stands, or whose surroundings changed."""

    version_id: int
    """The version that was quoted."""
    span: TextSpan
    """What was quoted."""
    edition: int
    """The edition that brought the change."""
    change: ClauseChange
    """What became of it."""
    says: JsonObject
    """The same as the record says it: policy, section, versions."""


class PostgresAffectedAnswers(OfficerStore):
    """Finds affected answers. Safe from many processes: one compares at a time."""

    @raises_transient
    async def compare(self, *, on_day: date) -> int:
        """Compare past answers with the newest edition, unless that was done on this day.

        Returns how many were found to be affected. What another process is at is left to it.
        """
        async with self._engine.begin() as connection:
            edition = await connection.scalar(_EDITION)
            if edition is None:
                return 0
            state = {"edition": edition, "day": on_day}
            await connection.execute(_OPEN, state)
            if await connection.scalar(_IS_DONE, state):
                return 0
        clauses = await self._changed(edition, on_day)
        passed, ids = await self._quoting(state, clauses)
        found, lock = 0, _LEAVING
        while True:
            batch, ids = ids[:BATCH], ids[BATCH:]
            count = await self._batch(
                state, clauses, batch, passed=passed, is_last=not ids, lock=lock
            )
            if count is None or not ids:
                return found + (count or 0)
            found += count
            passed, lock = batch[-1], _WAITING

    async def _quoting(
        self, state: Mapping[str, Any], clauses: Sequence[QuotedClause]
    ) -> tuple[str | None, Sequence[str]]:
        """Return how far an earlier comparison came, and the answers behind that, in order."""
        async with self._engine.connect() as connection:
            passed: str | None = await connection.scalar(_PASSED, state)
            if not clauses:
                return passed, ()
            given = {**_spans(clauses), "passed": passed}
            return passed, (await connection.scalars(_QUOTING, given)).all()

    async def _changed(self, edition: int, on_day: date) -> Sequence[QuotedClause]:
        """Return the quoted stretches that changed, policy by policy."""
        async with self._engine.connect() as connection:
            given = {"edition": edition, "day": on_day}
            rows = (await connection.execute(_QUOTED, given)).mappings().all()
            texts: dict[int, StoredText] = {}
            changed: list[QuotedClause] = []
            policy_id: int | None = None
            for row in rows:
                if row["policy_id"] != policy_id:
                    policy_id, texts = row["policy_id"], {}
                for version in (row["version_id"], row["live_id"]):
                    if version is not None and version not in texts:
                        texts[version] = await stored_text(connection, version)
                clause = await asyncio.to_thread(_clause, row, texts)
                changed += [clause] if clause else []
        return changed

    @begun_again
    async def _batch(
        self,
        state: Mapping[str, Any],
        clauses: Sequence[QuotedClause],
        answers: Sequence[str],
        *,
        passed: str | None,
        is_last: bool,
        lock: TextClause,
    ) -> int | None:
        """Record some answers, and how far that is; None: somebody else is at it, or further."""
        async with self._engine.begin() as connection:
            locked = (await connection.execute(lock, state)).one_or_none()
            if locked is None or locked.passed_answer != passed:
                return None
            given = {**_spans(clauses), **state, "answers": list(answers)}
            rows = (await connection.execute(_ANSWERS, given)).mappings().all() if answers else ()
            if rows:
                await self._record(connection, rows, clauses)
            last = answers[-1] if answers else passed
            given = {**state, "passed": last, "found": len(rows), "is_last": is_last}
            await connection.execute(_PASS, given)
            if is_last:
                # With the last batch: what officers hear can't get lost.
                await update_cards(connection, self._officers, ids=self._ledger.ids)
        return len(rows)

    async def _record(
        self,
        connection: AsyncConnection,
        rows: Sequence[RowMapping],
        clauses: Sequence[QuotedClause],
    ) -> None:
        kept: list[JsonObject] = []
        entries: list[Entry] = []
        at = await server_now(connection)
        for row in rows:
            places: list[int] = row["changes"]
            own = [clauses[n - 1] for n in places]
            stand = all(one.change.quote_stands for one in own)
            event = Event(
                tag=Tag.ANSWER_AFFECTED,
                actor="corpus",
                actor_kind="system",
                subject=row["answer_id"],
                cause=row["record_id"],
                trace_id=row["question_id"],
                says={
                    "edition": row["edition"],
                    "quotes_stand": stand,
                    "changes": [
                        {"n": n, **one.says} for n, one in zip(row["numbers"], own, strict=True)
                    ],
                },
            )
            entry = self._ledger.of(row["unit"]).entry(event, at=at, content={})
            entries.append(entry)
            kept.append(
                {
                    "answer_id": row["answer_id"],
                    "edition": row["edition"],
                    "record_id": entry.record_id,
                    "changes": [one.says for one in own],
                    "stand": stand,
                }
            )
        await append(connection, entries)
        await connection.execute(_INSERT, {"rows": json.dumps(kept)})


def _spans(clauses: Sequence[QuotedClause]) -> dict[str, list[int]]:
    return {
        "versions": [one.version_id for one in clauses],
        "starts": [one.span.char_start for one in clauses],
        "ends": [one.span.char_end for one in clauses],
        "editions": [one.edition for one in clauses],
    }


async def stored_text(connection: AsyncConnection, version: int) -> StoredText:
    """Return the text of a version with its sections."""
    given = {"version": version}
    rows = (await connection.execute(_SECTIONS, given)).mappings().all()
    return StoredText(
        text=str(await connection.scalar(_TEXT, given)),
        sections=tuple(StoredSection(**row) for row in rows),
    )


def _clause(row: RowMapping, texts: Mapping[int, StoredText]) -> QuotedClause | None:
    span = TextSpan(char_start=row["char_start"], char_end=row["char_end"])
    old, after = texts[row["version_id"]], None
    if row["live_id"] is not None:
        new = texts[row["live_id"]]
        change = change_of(span, old, new)
        after = change and after_change(span, old, new, change)
    else:
        change = ClauseChange.WITHDRAWN if row["is_withdrawn"] else ClauseChange.ENDED
    if change is None:
        return None
    section = old.section_at(span)
    return QuotedClause(
        version_id=row["version_id"],
        span=span,
        edition=row["edition"],
        change=change,
        says={
            "policy": row["key"],
            "title": row["title"],
            "section": section.name if section else None,
            "old_version": row["label"],
            "new_version": row["live_label"],
            "change": change.value,
            "before": cut(folded(span.of(old.text))),
            "after": None if after is None else cut(after),
        },
    )


def cut(text: str) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}\N{HORIZONTAL ELLIPSIS}"
