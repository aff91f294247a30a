"""Days and times as code writes them, in the languages of the interface.

Dates of policies stay as they are quoted, and those beside a source are ISO in every language.
"""

from datetime import date, datetime, tzinfo

from core.language.interface.texts import Text

_MONTHS = (
    Text("January", "Januar"),
    Text("February", "Februar"),
    Text("March", "März"),
    Text("April", "April"),
    Text("May", "Mai"),
    Text("June", "Juni"),
    Text("July", "Juli"),
    Text("August", "August"),
    Text("September", "September"),
    Text("October", "Oktober"),
    Text("November", "November"),
    Text("December", "Dezember"),
)
_DAYS = (
    Text("Monday", "Montag"),
    Text("Tuesday", "Dienstag"),
    Text("Wednesday", "Mittwoch"),
    Text("Thursday", "Donnerstag"),
    Text("Friday", "Freitag"),
    Text("Saturday", "Samstag"),
    Text("Sunday", "Sonntag"),
)


def long_day(day: date) -> Text:
    """Return a day in full: "5 January 2026", "5. Januar 2026"."""
    made = Text("{day} {month} {year}", "{day}. {month} {year}")
    return made.format(day=day.day, month=_MONTHS[day.month - 1], year=day.year)


def long_weekday(day: date) -> Text:
    """Return a day in full with its weekday: "Monday, 5 January 2026"."""
    made = Text("{name}, {day}", "{name}, dem {day}")
    return made.format(name=_DAYS[day.weekday()], day=long_day(day))


def time_of_day(at: datetime, zone: tzinfo) -> Text:
    """Return a time of day with its zone: "13:00 CET", "13:00 Uhr (CET)"."""
    local = at.astimezone(zone)
    clock, named = local.strftime("%H:%M"), _zone(local)
    return Text("{clock} {zone}", "{clock} Uhr ({zone})").format(clock=clock, zone=named)


def day_and_time(at: datetime, zone: tzinfo) -> Text:
    """Return a day and a time with its zone, unambiguous in any country."""
    local = at.astimezone(zone)
    made = Text("{name} {day} {clock} {zone}", "{name}, {german}, {clock} Uhr ({zone})")
    named = _DAYS[local.weekday()]
    return made.format(
        name=Text(named.en[:3], named.de[:2]),
        day=local.strftime("%Y-%m-%d"),
        german=local.strftime("%d.%m.%Y"),
        clock=local.strftime("%H:%M"),
        zone=_zone(local),
    )


def _zone(local: datetime) -> str:
    name = local.tzname() or "UTC"
    return f"UTC{name}" if name[0] in "+-" else name
