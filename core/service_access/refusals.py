"""Credentials of ours that services refuse: one list, which readiness, metrics and `doctor` read.

Whoever calls a service notes what came of it: its word for a refusal, or that it took the
credential, which ends one. Nothing is called to find out. What processes note is kept in the
database, so that each of them and `doctor` know of all.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

Note = Callable[[str, str | None], None]
"""Takes a credential's name, and the service's word for refusing it; None: it was taken."""


SERVICES: Mapping[str, tuple[str, str]] = {
    "slack": (
        "nothing is posted there",
        "install the app again; set SLACK_BOT_TOKEN, if it is set",
    ),
    "teams": ("nothing is posted there", "make another client secret, set APP_PASSWORD, restart"),
    "graph": ("groups of Entra have nobody", "as for Teams; GroupMember.Read.All, with consent"),
    "claude": ("rules answer", "set a key or access that holds, restart: docs/claude.md"),
    "voyage": ("search goes by words", "set another VOYAGE_API_KEY, restart"),
    "source": (
        "its policies stay as they were read",
        "give it another credential: docs/sources.md",
    ),
}
"""What does not work while a service refuses, and what helps; by the first part of a credential's
name: `slack`, `slack/T024BE7LD`, `source/hr`."""


def service_of(credential: str) -> str:
    """Return the service of a credential, a key of `SERVICES`."""
    return credential.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCredential:
    """A credential that was refused when it was last used."""

    name: str
    """Of the credential."""
    cause: str
    """The service's word for why; no secret."""
    since: datetime
    """Since when."""


Exchange = Callable[[Mapping[str, str | None]], Awaitable[list[RefusedCredential]]]
"""Keeps what was noted, and returns what stands. Raises `TransientError` if the database failed."""


@dataclass(slots=True, eq=False)
class Refusals:
    """What this process has noted, and heard of others."""

    _stored: dict[str, str | None] | None = None
    _unkept: dict[str, str | None] = field(default_factory=dict[str, str | None])

    def note(self, name: str, cause: str | None, /) -> None:
        """See `Note`."""
        if self._stored is None or self._all.get(name) != cause:
            self._unkept[name] = cause

    @property
    def known(self) -> dict[str, str]:
        """Credentials that are refused, and why."""
        return {name: cause for name, cause in self._all.items() if cause is not None}

    async def exchange(self, store: Exchange) -> None:
        """Keep what is new here, and hear of the others.

        Raises:
            TransientError: The database failed; the next exchange keeps it.
        """
        given = dict(self._unkept)
        self._stored = {refusal.name: refusal.cause for refusal in await store(given)}
        for name, cause in given.items():
            if self._unkept[name] == cause:
                del self._unkept[name]

    @property
    def _all(self) -> dict[str, str | None]:
        return (self._stored or {}) | self._unkept


def unnoted(_name: str, _cause: str | None) -> None:
    """Note nothing, where nobody asks."""
