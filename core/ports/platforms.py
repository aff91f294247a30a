"""Where the Slack app is installed, if it was installed by OAuth. Safe from many processes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.domain.conversation import ConversationReference
from core.domain.installation import Installation, Tokens, Workspace


class References(Protocol):
    """References, by conversation. What is stored was checked; whoever uses it checks it again."""

    async def put(self, reference: ConversationReference, /) -> datetime:
        """Keep a reference in place of the earlier one; return since when we know of it, UTC.

        A fact that it does not name stays as it was.
        """
        ...

    async def find(
        self, platform: str, tenant: str, conversation: str, /
    ) -> ConversationReference | None:
        """Return the reference of a conversation; None: we were never there, or are no more."""
        ...

    async def find_direct(
        self, platform: str, tenant: str, person: str, /
    ) -> ConversationReference | None:
        """Return the newest direct conversation with a person; None: there is none.

        Who is named by the directory is found, too, where the facts hold that id as `aad`.
        """
        ...

    async def find_any(self, platform: str, tenant: str, /) -> ConversationReference | None:
        """Return the conversation of a tenant that was told last; None: we are in none."""
        ...

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        """Forget a conversation, or all of a team with this id, and say how many there were."""
        ...


Refresh = Callable[[Installation], Awaitable[Tokens]]
"""Exchanges a refresh token, which is good for one exchange. Raises `TransientError` if Slack could
not be asked, `ContractError` if it refused."""


class Installations(Protocol):
    """Installations with their tokens, which are encrypted wherever they are kept.

    Nothing is remembered: whatever one process deletes, the next call of any other misses.
    """

    async def save(self, installation: Installation, /) -> None:
        """Keep an installation, in place of all earlier ones of its workspace."""
        ...

    async def find(self, workspace: Workspace, /) -> Installation | None:
        """Return the installation of a workspace, else that of its organisation, else None.

        Raises:
            ConfigError: It was encrypted with a key that is not set.
            IntegrityError: It was altered, or belongs to another row.
        """
        ...

    async def renew(
        self, workspace: Workspace, /, *, due_by: datetime, refresh: Refresh
    ) -> Installation | None:
        """Return the installation with tokens that last beyond an instant.

        They are refreshed if need be, by one caller at a time: who waited gets what the first one
        got. What `refresh` raises leaves the old tokens in place.

        Raises:
            TransientError: Also if another process refreshes them for too long.
        """
        ...

    async def held(self) -> tuple[Installation, ...]:
        """Return all installations; see `find`."""
        ...

    async def delete(self, workspace: Workspace, /, *, token: str | None = None) -> int:
        """Forget what is installed in exactly this workspace, and say how many were forgotten.

        Args:
            workspace: where.
            token: only what calls with this one; None: whatever it calls with. So what was
                installed anew meanwhile stays.
        """
        ...

    async def reseal(self) -> int:
        """Encrypt with the current key what an older one encrypted, and say how many there were.

        Raises:
            ConfigError: Something was encrypted with a key that is not set.
        """
        ...


class OAuthStates(Protocol):
    """The one-time words by which a browser that comes back from Slack is known again."""

    async def issue(self) -> str:
        """Return a new state, good once and for some minutes."""
        ...

    async def consume(self, state: str, /) -> bool:
        """Use up a state: True for exactly one caller, and False once it has expired."""
        ...


class Connections(Protocol):
    """The record of which workspaces we are cut off from."""

    async def disconnected(self, *, platform: str, tenant: str, reason: str) -> None:
        """Record that a workspace took the app away, or its token.

        Args:
            platform: see `Place.platform`.
            tenant: see `Place.tenant`.
            reason: the platform's word for it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthStores:
    """What an installation by OAuth is kept in."""

    installations: Installations
    """The installations."""
    states: OAuthStates
    """Those that are under way."""
