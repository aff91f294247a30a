"""Officers: our list, not a channel's members; where they hear of cases; how they sign in."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.conversation import Place
from core.domain.errors import ConfigError


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Officers:
    """All officers, and their channel."""

    all: tuple[Officer, ...] = ()
    """In the order of the settings."""
    channel: Account | None = None
    """The officers' channel: its id stands for the person; None: there is none."""

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
    def on_call(self) -> tuple[Officer, ...]:
        """Who gets what must not stand in a channel: those on call, else the first who has one."""
        marked = tuple(officer for officer in self.all if officer.is_on_call)
        return marked or tuple(officer for officer in self.all if officer.accounts)[:1]

    def routes(self, *, is_sensitive: bool) -> tuple[Route, ...]:
        """Return where the card of a case goes; empty: no officer can be reached."""
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
        return tuple(
            Route(
                platform=account.platform,
                tenant=account.tenant,
                channel=None,
                person=account.person,
            )
            for officer in self.on_call
            for account in officer.accounts[:1]
        )

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
        told = " ".join(filter(None, (self.line, self.person, self.anonymous)))
        return frozenset(host.lower() for host in _HOST.findall(told))
