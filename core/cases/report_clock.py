"""When the writer of a report hears of it, and when officers hear that this is due. Pure.

Directive (EU) 2019/1937, article 9(1): receipt is acknowledged within seven days of it; feedback
comes within three months of the acknowledgement or, if none was sent, of the end of those seven
days. An acknowledgement that comes later than that puts nothing off.

Days and months are those of the calendar where officers work, at the same time of day; a month
without such a day ends with its last.
"""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum

from core.domain.case import ESCALATED_AFTER, ReportClock, ReportDue

ACKNOWLEDGED_WITHIN_DAYS = 7
FEEDBACK_WITHIN_MONTHS = 3
REMINDED_BEFORE = {ReportDue.ACKNOWLEDGEMENT: 2, ReportDue.FEEDBACK: 14}
"""How many days before it is due officers are reminded."""


class Reminder(StrEnum):
    """What officers are told of what is due, in this order."""

    SOON = "soon"
    """It is due in some hours, or days."""
    OVERDUE = "overdue"
    """It was due."""
    ESCALATED = "escalated"
    """The same, to officers who did not have the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStep:
    """Something that officers hear at some time."""

    at: datetime
    """Aware, UTC."""
    reminder: Reminder
    """What."""
    due: ReportDue
    """Of what."""


def started(received_at: datetime, *, zone: tzinfo) -> ReportClock:
    """Return the clock of a report that was just received."""
    by = later(received_at, zone, days=ACKNOWLEDGED_WITHIN_DAYS)
    feedback_by = later(by, zone, months=FEEDBACK_WITHIN_MONTHS)
    return ReportClock(acknowledge_by=by, feedback_by=feedback_by)


def answered(clock: ReportClock, now: datetime, *, zone: tzinfo, is_feedback: bool) -> ReportClock:
    """Return the clock once an officer has acknowledged the report, or written to its writer."""
    if clock.acknowledge_by is None:
        return clock
    if clock.acknowledged_at is None:
        since = min(now, clock.acknowledge_by)
        feedback_by = later(since, zone, months=FEEDBACK_WITHIN_MONTHS)
        clock = replace(clock, acknowledged_at=now, feedback_by=feedback_by)
    return replace(clock, feedback_at=clock.feedback_at or now) if is_feedback else clock


def step_of(clock: ReportClock, *, now: datetime) -> ClockStep | None:
    """Return what officers are to hear now; None: nothing, or they have.

    Of what was missed, as while nothing ran, they hear the gravest alone.
    """
    since = clock.clocked_until
    missed = [
        step
        for due, by in clock.owed.items()
        for step in _steps(due, by)
        if step.at <= now and (since is None or step.at > since)
    ]
    return max(
        missed, key=lambda step: (list(Reminder).index(step.reminder), step.at), default=None
    )


def _steps(due: ReportDue, by: datetime) -> tuple[ClockStep, ...]:
    before = timedelta(days=REMINDED_BEFORE[due])
    moments = zip(Reminder, (by - before, by, by + ESCALATED_AFTER), strict=True)
    return tuple(ClockStep(at=at, reminder=reminder, due=due) for reminder, at in moments)


def later(moment: datetime, zone: tzinfo, *, days: int = 0, months: int = 0) -> datetime:
    """Return the same time of day some days or months later where officers work, UTC."""
    local = moment.astimezone(zone)
    years, month = divmod(local.month - 1 + months, 12)
    last = monthrange(local.year + years, month + 1)[1]
    moved = local.replace(year=local.year + years, month=month + 1, day=min(local.day, last))
    return (moved + timedelta(days=days)).astimezone(UTC)
