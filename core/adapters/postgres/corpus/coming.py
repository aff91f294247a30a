"""What will stand in place of a quote once a version begins that is published already."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.adapters.postgres.record.affected import cut, stored_text
from core.domain.affected import ClauseChange
from core.domain.policy import ComingText
from core.domain.question import Scope
from core.language.spans import Span, TextSpan
from core.replay.clauses import StoredText, after_change, change_of

_DAYS = 30
"""How far ahead is looked."""
# Whoever may read the version on its day is asked of `live_versions` then.
_BEGIN = text(
    "SELECT DISTINCT n.effective_from FROM citebound.policy_versions o"
    " JOIN citebound.policy_versions n USING (policy_id) WHERE o.id = ANY(:versions)"
    " AND n.effective_from > :day AND n.effective_from <= :last ORDER BY 1"
)
_NEXT = text(
    "SELECT o.id AS old_id, n.id, n.title, coalesce(n.label, n.number::text) AS label"  # noqa: S608
    f" FROM {LIVE} live JOIN citebound.policy_versions n ON n.id = live.version_id"
    " JOIN citebound.policy_versions o USING (policy_id)"
    " WHERE o.id = ANY(:versions) AND n.id <> o.id AND n.effective_from = :day"
)


async def coming_texts(
    connection: AsyncConnection, spans: Sequence[Span], scope: Scope
) -> list[ComingText]:
    """Return what changes next of what is quoted: of each version its first quote that does."""
    waiting = {span.version_id for span in spans}
    last = scope.as_of + timedelta(days=_DAYS)
    given = {"versions": sorted(waiting), "day": scope.as_of, "last": last}
    found: list[ComingText] = []
    for day in (await connection.scalars(_BEGIN, given)).all():
        given = {**scope_parameters(replace(scope, as_of=day)), "day": day}
        rows = await connection.execute(_NEXT, {**given, "versions": sorted(waiting)})
        for row in rows.all():
            old, new = [await stored_text(connection, one) for one in (row.old_id, row.id)]
            places = [span for span in spans if span.version_id == row.old_id]
            said = [await asyncio.to_thread(_says, place, old, new) for place in places]
            says = next((words for words in said if words is not None), None)
            if says is not None:
                waiting.discard(row.old_id)
                coming = ComingText(title=row.title, label=row.label, begins=day, says=cut(says))
                found.append(coming)
    return found


def _says(place: Span, old: StoredText, new: StoredText) -> str | None:
    """Return what will stand in place of a quote, or "" if nothing will; None: the quote will."""
    span = TextSpan(char_start=place.char_start, char_end=place.char_end)
    quote, change = span.of(old.text), change_of(span, old, new)
    if change is None:
        return None
    says = _row(quote, new.text) or after_change(span, old, new, change) or ""
    if change is ClauseChange.AMENDED and says in {"", quote}:
        return None
    return says if says in new.folded_text else ""


def _row(quote: str, text: str) -> str | None:
    """Return the one row of a text that begins as a row that is quoted; None: there is none."""
    first, mark, _ = quote.partition(" | ")
    rows = [line for line in text.splitlines() if mark and line.startswith(f"{first} | ")]
    return rows[0] if len(rows) == 1 else None
