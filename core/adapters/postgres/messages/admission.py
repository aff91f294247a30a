"""Whether a question may wait with those that are there, within the transaction that stores it.

Each person has so many that wait, and all people together. Those of one person are counted under a
lock, so that of a burst no more get in; those of all are not, and batches that are stored at the
same moment may exceed that limit by what they hold.

What answers a question back, and what reports misconduct, always gets in and is not counted. A
report, and what its teller adds to it, is answered before all that waits.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.transactions import AdvisoryLock, wait_for_each
from core.adapters.postgres.queue.conversations import Thread
from core.domain.delivery import Notice
from core.domain.limits import REPORTS_AHEAD, TurnLimit, WaitingLimits, ask_again_at
from core.domain.message import InboundMessage, MessageKind

_WAITING = "state IN ('received', 'running')"
_COUNT = text(
    "SELECT n, person, clock_timestamp() AS now,"  # noqa: S608  # constants
    " (SELECT count(*) FROM (SELECT FROM citebound.inbox"
    f"   WHERE {_WAITING} AND is_counted LIMIT :most) AS waiting) AS all_waiting,"
    " (SELECT count(*) FROM citebound.inbox i"
    f"   WHERE i.asker = ANY (known.names) AND {_WAITING} AND is_counted) AS waiting,"
    " (SELECT count(*) FROM citebound.inbox i"
    f"   WHERE i.asker = ANY (known.names) AND {_WAITING} AND is_ahead) AS ahead,"
    " (SELECT t.taken[1] FROM citebound.turns t"
    "   WHERE t.kind = 'told' AND t.key = given.person) AS told_until,"
    " coalesce((SELECT t.taken FROM citebound.turns t"
    "   WHERE t.kind = 'asker' AND t.key = given.person), '{}') AS taken,"
    " last.outcome AS last_outcome, last.refusal AS last_refusal,"
    " EXISTS (SELECT FROM citebound.inbox i WHERE i.conversation_id = CAST(conversation AS uuid)"
    f"   AND i.asker = given.asker AND {_WAITING}) AS has_unanswered,"
    " EXISTS (SELECT FROM citebound.inbox i WHERE i.conversation_id = CAST(conversation AS uuid)"
    f"   AND i.asker = given.asker AND {_WAITING} AND is_ahead) AS has_report"
    " FROM unnest(:askers, :people, :conversations) WITH ORDINALITY"
    "   AS given(asker, person, conversation, n)"
    " CROSS JOIN LATERAL (SELECT array_agg(pseudonym) AS names FROM audit.identity"
    "   WHERE match_hash = decode(given.person, 'hex')) AS known"
    " LEFT JOIN LATERAL (SELECT a.outcome, a.refusal FROM citebound.questions q"
    "   JOIN citebound.answers a ON a.question_id = q.id"
    "   JOIN citebound.inbox i ON i.question_id = q.id AND i.asker = given.asker"
    "   WHERE q.conversation_id = CAST(conversation AS uuid)"
    "   ORDER BY q.asked_at DESC LIMIT 1) AS last ON true ORDER BY n"
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in ("askers", "people", "conversations"))
)
_TOLD = text(
    "INSERT INTO citebound.turns (kind, key, taken)"
    " SELECT 'told', person, array_remove(ARRAY[until], NULL)"
    " FROM unnest(CAST(:people AS text[]), CAST(:until AS timestamptz[])) AS given(person, until)"
    " ON CONFLICT (kind, key) DO UPDATE SET taken = excluded.taken"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """It is stored and answered."""

    is_counted: bool
    """False: it takes nobody's place."""
    is_ahead: bool
    """True: it is answered before what waits."""
    is_report: bool = False
    """True: it reports something, or goes on with a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """It is stored, and not answered."""

    why: Notice
    """Whose limit it is."""
    ask_again_at: datetime
    """When there is room, as far as anybody can tell; aware, UTC."""
    is_told: bool
    """True: the asker was told already, and the time that they were told is still to come."""


Admission = Admitted | Refused


@dataclass(slots=True)
class _Room:
    """What is left, as the messages of a batch take it one after the other."""

    limits: WaitingLimits
    turns: TurnLimit
    taken: Counter[str]
    ahead: Counter[str]
    told: dict[str, datetime | None]

    def admit(self, message: InboundMessage, row: Any) -> Admission:
        if message.is_report or _adds_to_report(row):
            is_ahead = row.ahead + self.ahead[row.person] < REPORTS_AHEAD
            self.ahead[row.person] += is_ahead
            return Admitted(is_counted=False, is_ahead=is_ahead, is_report=True)
        if message.kind is MessageKind.CHOICE or _answers_back(row):
            return Admitted(is_counted=False, is_ahead=False)
        why = self._full(row)
        if why is not None:
            return self._refused(row, why)
        self.taken[row.person] += 1
        if self._told_until(row) is not None:
            self.told[row.person] = None
        return Admitted(is_counted=True, is_ahead=False)

    def _full(self, row: Any) -> Notice | None:
        if row.waiting + self.taken[row.person] >= self.limits.asker:
            return Notice.TOO_MANY_OF_YOURS
        if row.all_waiting + self.taken.total() >= self.limits.all:
            return Notice.TOO_MANY
        return None

    def _refused(self, row: Any, why: Notice) -> Refused:
        at = ask_again_at(row.taken, self.turns, now=row.now, all_are_full=why is Notice.TOO_MANY)
        until = self._told_until(row)
        is_told = until is not None and until > row.now
        if not is_told:
            self.told[row.person] = at
        return Refused(why=why, ask_again_at=at, is_told=is_told)

    def _told_until(self, row: Any) -> datetime | None:
        return self.told.get(row.person, row.told_until)


async def admit(
    connection: AsyncConnection,
    given: Sequence[tuple[InboundMessage, Thread]],
    *,
    limits: WaitingLimits,
    turns: TurnLimit,
) -> list[Admission]:
    """Say of each question whether it gets in; `turns` are those of one person."""
    people = [thread.person for _, thread in given]
    await wait_for_each(connection, AdvisoryLock.COUNTING_WAITING, people)
    counted = await connection.execute(
        _COUNT,
        {
            "askers": [thread.asker for _, thread in given],
            "people": people,
            "conversations": [thread.conversation_id for _, thread in given],
            "most": limits.all,
        },
    )
    room = _Room(limits=limits, turns=turns, taken=Counter(), ahead=Counter(), told={})
    admissions = [
        room.admit(message, row) for (message, _), row in zip(given, counted.all(), strict=True)
    ]
    if room.told:
        told = {"people": list(room.told), "until": list(room.told.values())}
        await connection.execute(_TOLD, told)
    return admissions


def _adds_to_report(row: Any) -> bool:
    """Say whether this person has reported something here, and goes on."""
    was_report = row.last_outcome == "escalated" and row.last_refusal is None
    return row.has_report or (was_report and not row.has_unanswered)


def _answers_back(row: Any) -> bool:
    """Say whether the last thing that this person was told here is a question, not answered yet."""
    return row.last_outcome == "clarification" and not row.has_unanswered
