"""End precedents that may be told no more: a clause of theirs changed, or their time is over.

They are not told from the moment on which that is so: whoever answers reads the clauses in the
versions in force. What is done here is the record of it, and that officers hear of it. A clause
whose words and surroundings stand in a later version is bound there instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.precedents import PrecedentRows
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import OfficerStore
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.record.affected import EVERYBODYS_VERSIONS, stored_text
from core.domain.affected import ClauseChange
from core.domain.audit import Tag
from core.domain.delivery import Notice
from core.domain.json_value import Json
from core.language.spans import TextSpan
from core.ports.precedents import BoundClause, Precedent, PrecedentState
from core.replay.clauses import StoredText, change_of, stretch_of

ERASED = "erased"
"""Why a precedent is suspended whose question or answer left the record."""

_EDITION = text("SELECT max(number) FROM citebound.editions")
_DOUBTFUL = text(f"""
WITH {EVERYBODYS_VERSIONS}
SELECT p.number FROM citebound.precedents p
  JOIN citebound.cases k ON k.id = p.case_id JOIN citebound.questions q ON q.id = k.question_id
 WHERE p.state = 'approved' AND (
   p.expires_on <= :day OR p.answer = ''
   OR CASE WHEN p.is_askers THEN q.standalone ELSE p.question END = ''
   OR EXISTS (SELECT FROM citebound.precedent_clauses c WHERE c.precedent_id = p.id
                 AND c.version_id <> ALL(ARRAY(SELECT id FROM live))))
 ORDER BY p.number""")  # noqa: S608  # constants
_LIVE_OF = text(f"""
WITH {EVERYBODYS_VERSIONS}
SELECT live.id FROM live JOIN citebound.policies p ON p.id = live.policy_id
 WHERE p.key = :policy""")  # noqa: S608  # constants
_WITHDRAWN = text(
    "SELECT EXISTS (SELECT FROM citebound.withdrawals w JOIN citebound.policies p"
    " ON p.id = w.policy_id WHERE p.key = :policy AND w.edition <= :edition"
    " AND w.withdrawn_from <= :day)"
)
_BIND = text(
    "UPDATE citebound.precedent_clauses SET version_id = :version, char_start = :start,"
    " char_end = :end, quote = :quote, section = :section"
    " WHERE precedent_id = CAST(:id AS uuid) AND n = :n"
)


class PostgresSuspensions(OfficerStore):
    """See `core.ports.corrections.Comparisons`, for precedents. Safe from many processes."""

    @raises_transient
    async def compare(self, *, on_day: date) -> int:
        """Compare approved precedents with the newest edition; return how many have ended."""
        async with self._engine.connect() as connection:
            edition = await connection.scalar(_EDITION)
            if edition is None:
                return 0
            given = {"edition": edition, "day": on_day}
            numbers = (await connection.scalars(_DOUBTFUL, given)).all()
        return sum([await self._compared(number, edition, on_day) for number in numbers])

    @begun_again
    async def _compared(self, number: int, edition: int, on_day: date) -> bool:
        async with self._engine.begin() as connection:
            rows = PrecedentRows(connection, self._ledger, self._officers)
            precedent = await rows.locked(number)
            if precedent is None or precedent.state is not PrecedentState.APPROVED:
                return False
            if precedent.expires_on <= on_day:
                await self._end(rows, precedent, PrecedentState.EXPIRED, Tag.PRECEDENT_EXPIRED, {})
                return True
            why: Json = None
            changes: list[Json] = []
            if not (precedent.question and precedent.answer):
                why = ERASED
            for n, clause in enumerate(precedent.clauses, start=1):
                change = await _followed(connection, precedent, n, edition=edition, day=on_day)
                if change is not None:
                    why = why or change.value
                    changes.append(
                        {"policy": clause.policy, "section": clause.section, "change": change.value}
                    )
            if why is None:
                return False
            await self._end(
                rows,
                replace(precedent, reason=str(why)),
                PrecedentState.SUSPENDED,
                Tag.PRECEDENT_SUSPENDED,
                {"edition": edition, "why": why, "changes": changes},
            )
            return True

    async def _end(
        self,
        rows: PrecedentRows,
        precedent: Precedent,
        state: PrecedentState,
        tag: Tag,
        says: dict[str, Json],
    ) -> None:
        after = replace(precedent, state=state, record_id=self._ledger.ids.new())
        await rows.save(after)
        await rows.record(
            tag,
            after,
            actor="corpus",
            actor_kind="system",
            cause=precedent.record_id,
            says={"number": after.number, **says},
        )
        await rows.tell_officers(after, Notice.PRECEDENT_ENDED)


async def _followed(
    connection: AsyncConnection, precedent: Precedent, n: int, *, edition: int, day: date
) -> ClauseChange | None:
    """Bind a clause in the version that holds now; return what became of it if it changed."""
    clause = precedent.clauses[n - 1]
    given = {"edition": edition, "day": day, "policy": clause.policy}
    live = await connection.scalar(_LIVE_OF, given)
    if live is None:
        is_withdrawn = await connection.scalar(_WITHDRAWN, given)
        return ClauseChange.WITHDRAWN if is_withdrawn else ClauseChange.ENDED
    if live == clause.span.version_id:
        return None
    old, new = await _texts(connection, clause, live)
    span = TextSpan(char_start=clause.span.char_start, char_end=clause.span.char_end)
    change = change_of(span, old, new)
    if change is not None:
        return change
    found = stretch_of(span, old, new)
    section = new.section_at(found) if found is not None else None
    if found is None or section is None:
        return ClauseChange.CHANGED
    await connection.execute(
        _BIND,
        {
            "id": precedent.precedent_id,
            "n": n,
            "version": live,
            "start": found.char_start,
            "end": found.char_end,
            "quote": found.of(new.text),
            "section": section.name,
        },
    )
    return None


async def _texts(
    connection: AsyncConnection, clause: BoundClause, live: int
) -> Sequence[StoredText]:
    return [await stored_text(connection, one) for one in (clause.span.version_id, live)]
