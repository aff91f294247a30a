"""When the writer of a report is owed a word: days and months where officers work."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.cases.report_clock import Reminder, answered, later, started, step_of
from core.domain.case import ReportClock, ReportDue

BERLIN, AUCKLAND = ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Auckland")
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("received", "zone", "months", "expected"),
    [
        ("2026-11-30T10:00+00:00", UTC, 3, "2027-02-28T10:00+00:00"),
        ("2027-11-30T10:00+00:00", UTC, 3, "2028-02-29T10:00+00:00"),
        ("2026-12-31T10:00+00:00", UTC, 3, "2027-03-31T10:00+00:00"),
        ("2026-08-31T10:00+00:00", UTC, 3, "2026-11-30T10:00+00:00"),
        # The same time of day, across the change of the clock.
        ("2026-10-01T08:00+00:00", BERLIN, 3, "2027-01-01T09:00+00:00"),
        # Half past two does not exist on 28 March 2027 in Berlin.
        ("2026-12-28T01:30+00:00", BERLIN, 3, "2027-03-28T01:30+00:00"),
        # Already 30 November where they work.
        ("2026-11-29T12:30+00:00", AUCKLAND, 3, "2027-02-27T12:30+00:00"),
    ],
)
def test_months_are_those_of_the_calendar(
    received: str, zone: ZoneInfo, months: int, expected: str
) -> None:
    """A month without such a day ends with its last."""
    moved = later(datetime.fromisoformat(received), zone, months=months)
    assert moved == datetime.fromisoformat(expected)


def test_seven_days_pass_at_the_same_time_of_day() -> None:
    """Across a change of the clock they are an hour longer or shorter."""
    received = datetime(2026, 10, 20, 8, tzinfo=UTC)
    assert started(received, zone=BERLIN).acknowledge_by == datetime(2026, 10, 27, 9, tzinfo=UTC)


def test_feedback_is_due_three_months_after_the_acknowledgement_or_after_seven_days() -> None:
    """One that comes late puts nothing off; a second one changes nothing."""
    clock = started(NOW, zone=UTC)
    assert clock.acknowledge_by == datetime(2026, 12, 7, 10, tzinfo=UTC)
    assert clock.feedback_by == datetime(2027, 3, 7, 10, tzinfo=UTC)
    early = answered(clock, NOW + DAY, zone=UTC, is_feedback=False)
    assert early.feedback_by == datetime(2027, 3, 1, 10, tzinfo=UTC)
    assert list(early.owed) == [ReportDue.FEEDBACK]
    late = answered(clock, NOW + 20 * DAY, zone=UTC, is_feedback=False)
    assert late.feedback_by == clock.feedback_by
    assert answered(early, NOW + 9 * DAY, zone=UTC, is_feedback=False) == early
    done = answered(clock, NOW + DAY, zone=UTC, is_feedback=True)
    assert (done.acknowledged_at, done.feedback_at, done.owed) == (NOW + DAY, NOW + DAY, {})
    assert answered(done, NOW + 9 * DAY, zone=UTC, is_feedback=True) == done


def test_a_case_that_is_no_report_has_no_clock() -> None:
    """Whatever is written."""
    none = ReportClock()
    assert answered(none, NOW, zone=UTC, is_feedback=True) == none
    assert step_of(none, now=NOW) is None


@pytest.mark.parametrize(
    ("days", "until", "expected"),
    [
        (4.9, None, None),
        (5, None, (Reminder.SOON, ReportDue.ACKNOWLEDGEMENT)),
        (6, 5, None),
        (7, 5, (Reminder.OVERDUE, ReportDue.ACKNOWLEDGEMENT)),
        (8, 7, (Reminder.ESCALATED, ReportDue.ACKNOWLEDGEMENT)),
        (60, None, (Reminder.ESCALATED, ReportDue.ACKNOWLEDGEMENT)),
        (84, 8, (Reminder.SOON, ReportDue.FEEDBACK)),
        (97, 84, (Reminder.OVERDUE, ReportDue.FEEDBACK)),
        (400, 84, (Reminder.ESCALATED, ReportDue.FEEDBACK)),
        (400, 399, None),
    ],
)
def test_officers_hear_each_thing_once_and_of_what_was_missed_the_gravest(
    days: float, until: float | None, expected: tuple[Reminder, ReportDue] | None
) -> None:
    """Nobody acknowledges anything."""
    clock = started(NOW, zone=UTC)
    told = None if until is None else NOW + until * DAY
    step = step_of(
        ReportClock(
            acknowledge_by=clock.acknowledge_by, feedback_by=clock.feedback_by, clocked_until=told
        ),
        now=NOW + days * DAY,
    )
    assert (step and (step.reminder, step.due)) == expected
