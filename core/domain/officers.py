"""Officers: our list, not a channel's members; where they hear of cases and when; their sign-in."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from core.domain.conversation import Place
from core.domain.errors import ConfigError
from core.time_zones import day_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person as one platform knows them."""

    platform: str
    """See `Place.platform`."""
    tenant: str
    """See `Place.tenant`."""
    person: str
    """The platform's id."""

    def shares_workspace(self, other: "Account") -> bool:
        """Say whether both are accounts of one workspace."""
        return (self.platform, self.tenant) == (other.platform, other.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Officer:
    """Somebody who answers cases."""

    login: str
    """Their name in the record."""
    name: str
    """Their name as askers read it."""
    accounts: tuple[Account, ...] = ()
    """Where cards and presses reach them; the first gets what goes to the officer alone."""
    is_on_call: bool = False
    """True: gets what must not stand in a channel, or can't."""
    subject: str | None = None
    """By which the OpenID Connect provider of the console knows them; None: by nothing."""

    @property
    def at_console(self) -> Account:
        """The account by which they act in their console: no platform gives it to anybody."""
        return Account(platform="officer", tenant="console", person=self.login)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a card goes."""

    platform: str
    """See `Place.platform`."""
    tenant: str
    """See `Place.tenant`."""
    channel: str | None
    """The officers' channel; None: to the officer alone."""
    person: str
    """The officer who gets it directly, where there is no channel or it can't be used."""

    @property
    def is_direct(self) -> bool:
        """True: to the officer alone, never to a channel."""
        return self.channel is None

    def place(self, case_id: str) -> Place:
        """Return the card's conversation: it is of this case alone."""
        return Place(
            platform=self.platform,
            tenant=self.tenant,
            channel=self.channel or f"@{self.person}",
            thread=f"case:{case_id}",
            mode="channel" if self.channel else "direct",
        )


DAY_M = 24 * 60
LONGEST_CLOSURE = 60
"""Days in a row without work: a calendar with more of them is a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingCalendar:
    """When officers work: by it cases fall due. Without settings each day is a working day."""

    zone: tzinfo = UTC
    """Where they work."""
    days: frozenset[int] = frozenset(range(7))
    """Of the week, from 0, Monday."""
    opens_m: int = 0
    """When work begins, minutes from midnight."""
    closes_m: int = DAY_M
    """When it ends, later on the same day."""
    holidays: frozenset[date] = frozenset()
    """Days without work besides."""
    reminded_h: float = 4.0
    """Working hours before a case is due when officers are reminded of it."""

    def __post_init__(self) -> None:
        """Check it.

        Raises:
            ConfigError: There is no work in it, or it ends before it begins.
        """
        if not self.days or not 0 <= self.opens_m < self.closes_m <= DAY_M:
            raise ConfigError(
                "CITEBOUND_CALENDAR: expected working days, and hours that end after they begin"
            )

    def is_working_day(self, day: date) -> bool:
        """Say whether there is work on a day."""
        return day.weekday() in self.days and day not in self.holidays

    def after(self, moment: datetime, *, days: int) -> datetime:
        """Return the same time so many working days later, UTC.

        What comes outside of working hours counts from when they begin again.
        """
        local = moment.astimezone(self.zone)
        day, minute = day_in(moment, self.zone), local.hour * 60 + local.minute
        if self.is_working_day(day) and minute < self.closes_m:
            begin_m = max(minute, self.opens_m)
        else:
            day, begin_m = self._next(day), self.opens_m
        for _ in range(days):
            day = self._next(day)
        into = timedelta(seconds=local.second, microseconds=local.microsecond)
        return self._instant(day, begin_m) + (into if begin_m == minute else timedelta())

    def reminds_at(self, due_at: datetime) -> datetime:
        """Return when officers are reminded of what is due then, UTC."""
        local = due_at.astimezone(self.zone)
        day, end_m = day_in(due_at, self.zone), local.hour * 60 + local.minute
        left_m = round(self.reminded_h * 60)
        end_m = min(end_m, self.closes_m) if self.is_working_day(day) else self.opens_m
        while end_m - left_m < self.opens_m:
            left_m -= max(0, end_m - self.opens_m)
            day, end_m = self._next(day, step=-1), self.closes_m
        return self._instant(day, end_m - left_m)

    def _next(self, day: date, *, step: int = 1) -> date:
        for _ in range(LONGEST_CLOSURE):
            day += timedelta(days=step)
            if self.is_working_day(day):
                return day
        return day + timedelta(days=step)

    def _instant(self, day: date, minute: int) -> datetime:
        midnight = datetime.combine(day, time(), tzinfo=self.zone)
        return (midnight + timedelta(minutes=minute)).astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Officers:
    """All officers, their channel, and when they work."""

    all: tuple[Officer, ...] = ()
    """In the order of the settings."""
    channel: Account | None = None
    """The officers' channel: its id stands for the person; None: there is none."""
    calendar: WorkingCalendar = WorkingCalendar()
    """By it cases fall due."""

    def __post_init__(self) -> None:
        """Check the list.

        Raises:
            ConfigError: A login or a subject is named twice, or no officer is in the workspace of
                the channel.
        """
        logins = [officer.login for officer in self.all]
        subjects = [officer.subject for officer in self.all if officer.subject is not None]
        if len(logins) != len(set(logins)) or len(subjects) != len(set(subjects)):
            raise ConfigError("CITEBOUND_OFFICERS: each login and each subject may be named once")
        if self.channel is not None and self._behind(self.channel) is None:
            raise ConfigError(
                f"CITEBOUND_CASE_CHANNEL: no officer has an account in {self.channel.platform}/"
                f"{self.channel.tenant}: name one in CITEBOUND_OFFICERS"
            )

    def find(self, account: Account) -> Officer | None:
        """Return who an account belongs to; None: no officer."""
        return next(
            (one for one in self.all if account in one.accounts or account == one.at_console), None
        )

    @property
    def logins(self) -> tuple[str, ...]:
        """Return the logins of all."""
        return tuple(officer.login for officer in self.all)

    @property
    def on_call(self) -> tuple[Officer, ...]:
        """Who gets what must not stand in a channel: those on call, else the first who has one."""
        marked = tuple(officer for officer in self.all if officer.is_on_call)
        return marked or tuple(officer for officer in self.all if officer.accounts)[:1]

    def named(self, name: str) -> Officer | None:
        """Return who can be reached and is called so, by login or name; None: nobody.

        `Megan B. <megan@example.com>` is either of both.
        """
        said = name.casefold().strip()
        before, _, address = said.partition("<")
        called = {said, before.strip(), address.rstrip("> ")} - {""}
        return next(
            (
                one
                for one in self.all
                if one.accounts
                and not called.isdisjoint({one.login.casefold(), one.name.casefold()})
            ),
            None,
        )

    def route_to(self, login: str) -> Route | None:
        """Return where an officer alone is told something; None: they can't be reached."""
        found = next((one for one in self.all if one.login == login and one.accounts), None)
        if found is None:
            return None
        first = found.accounts[0]
        return Route(
            platform=first.platform, tenant=first.tenant, channel=None, person=first.person
        )

    def routes(
        self, *, is_sensitive: bool, without: frozenset[str] = frozenset()
    ) -> tuple[Route, ...]:
        """Return where the card of a case goes; empty: no officer can be reached.

        A report goes to nobody in `without`: where that leaves none of those on call, to any other.
        """
        place = self.channel
        if place is not None and not is_sensitive:
            person = self._behind(place) or ""
            return (
                Route(
                    platform=place.platform,
                    tenant=place.tenant,
                    channel=place.person,
                    person=person,
                ),
            )
        others = frozenset(officer.login for officer in self.all if officer not in self.on_call)
        return self.reached(without=without | others) or self.reached(without=without)[:1]

    def reached(self, *, without: frozenset[str]) -> tuple[Route, ...]:
        """Return where each officer is told something alone, whose login is not in `without`."""
        routes = (self.route_to(it.login) for it in self.all if it.login not in without)
        return tuple(route for route in routes if route is not None)

    def _behind(self, channel: Account) -> str | None:
        """Return the id of an officer in the workspace of a channel, best of one on call."""
        ranked = sorted(self.all, key=lambda officer: not officer.is_on_call)
        return next(
            (
                account.person
                for officer in ranked
                for account in officer.accounts
                if account.shares_workspace(channel)
            ),
            None,
        )


class NoLink(StrEnum):
    """Why somebody who asked for a link gets none."""

    NO_CONSOLE = "no_console"
    """This deployment has none."""
    NOT_OFFICER = "not_officer"
    """Only officers have access."""
    TOO_MANY = "too_many"
    """They got as many within these minutes as there may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLink:
    """A way into the console, for one person, once."""

    url: str
    """Holds a secret: it is shown to that person and stored nowhere."""
    minutes: int
    """How long it works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSession:
    """A browser in which an officer is signed in."""

    login: str
    """The officer's name in the record."""
    began_at: datetime
    """Aware, UTC."""
    ends_at: datetime
    """Aware, UTC: by then at the latest."""


_HOST = re.compile(r"(?:https?://|@)([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakUpContacts:
    """Ways to report, in the words in which askers read them; None: not told."""

    line: str | None = None
    """The speak-up line."""
    person: str | None = None
    """The ombudsperson, or whoever else takes reports."""
    anonymous: str | None = None
    """How to report without a name."""

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts of the addresses in them, lower case: links and mail addresses stay live."""
        return frozenset(host.lower() for host in _HOST.findall(" ".join(self.ways)))

    @property
    def ways(self) -> tuple[str, ...]:
        """Those that are told."""
        return tuple(filter(None, (self.line, self.person, self.anonymous)))
