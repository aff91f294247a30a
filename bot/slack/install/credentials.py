"""Which token speaks for a workspace: that of the settings, or that of its installation.

Nothing is remembered beyond a call: what was uninstalled through one process is unknown to all
others at once, and a token that another process exchanged is the one that is found.
"""

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.slack.inbound.identity import Home
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Installation, Workspace
from core.ports import Clock
from core.ports.platforms import Installations, Refresh

EXCHANGED_BEFORE = timedelta(hours=2)
"""A token lives for 12 hours: whoever fails to exchange it has two for another try."""
REST = timedelta(minutes=1)
"""After an exchange that failed, while the token still lives."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """Who we are in a workspace, and what we call it with."""

    workspace: Workspace
    """Where the app is installed: the workspace, or its organisation."""
    token: str = field(repr=False)
    """Of the bot."""
    app: str
    """Id of the app."""
    bot_user: str
    """The user id under which we write."""


class Credentials(Protocol):
    """Tells them by workspace."""

    async def home(self, workspace: Workspace, /) -> Home | None:
        """Return who we are in a workspace; None: the app is not installed there.

        Slack is not called: whatever comes in is kept before that.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """Return the credential for a workspace; None: the app is not installed there.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def homes(self) -> tuple[Home, ...]:
        """Return who we are wherever the app is installed.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def organisations(self) -> tuple[Home, ...]:
        """Return who we are in each organisation for which the app is installed as a whole.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def forget(self, workspace: Workspace, /, *, token: str | None = None) -> None:
        """Delete the tokens of exactly this workspace: Slack takes them no longer.

        Args:
            workspace: where.
            token: only if it is still this one; None: whichever it is.
        """
        ...


class OneWorkspace:
    """The token of the settings, for the workspace or the organisation that it is of."""

    def __init__(self, home: Home, token: str) -> None:
        """Take who Slack says that we are."""
        self._home = home
        self._token = token

    async def home(self, workspace: Workspace, /) -> Home | None:
        """See `Credentials.home`."""
        return self._home if self._home.is_of(workspace) else None

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """See `Credentials.find`."""
        home = self._home
        if not home.is_of(workspace):
            return None
        return Credential(
            workspace=home.workspace, token=self._token, app=home.app_id, bot_user=home.bot_user
        )

    async def homes(self) -> tuple[Home, ...]:
        """See `Credentials.homes`."""
        return (self._home,)

    async def organisations(self) -> tuple[Home, ...]:
        """See `Credentials.organisations`."""
        return (self._home,) if self._home.is_whole else ()

    async def forget(self, workspace: Workspace, /, *, token: str | None = None) -> None:
        """See `Credentials.forget`: that of the settings is theirs who set it."""


class ManyWorkspaces:
    """The tokens of installations, exchanged before they end."""

    def __init__(self, installations: Installations, *, refresh: Refresh, clock: Clock) -> None:
        """Take where they are kept, and how they are exchanged."""
        self._installations = installations
        self._refresh = refresh
        self._clock = clock
        self._rests_until: dict[str, datetime] = {}

    async def home(self, workspace: Workspace, /) -> Home | None:
        """See `Credentials.home`."""
        found = await self._installations.find(workspace)
        return None if found is None else home_of(found)

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """See `Credentials.find`."""
        found = await self.installation(workspace)
        if found is None:
            return None
        return Credential(
            workspace=found.workspace,
            token=found.tokens.access,
            app=found.app,
            bot_user=found.bot_user,
        )

    async def homes(self) -> tuple[Home, ...]:
        """See `Credentials.homes`."""
        return tuple(map(home_of, await self._installations.held()))

    async def organisations(self) -> tuple[Home, ...]:
        """See `Credentials.organisations`."""
        return tuple(home for home in await self.homes() if home.is_whole)

    async def forget(self, workspace: Workspace, /, *, token: str | None = None) -> None:
        """See `Credentials.forget`."""
        await self._installations.delete(workspace, token=token)

    async def installation(self, workspace: Workspace, /) -> Installation | None:
        """Return the installation with a token that lives.

        Raises:
            TransientError: Its token has ended, and no other could be had.
        """
        now = self._clock.now()
        found = await self._installations.find(workspace)
        if found is None or found.tokens.lasts_beyond(now + EXCHANGED_BEFORE):
            return found
        if self._rests_until.get(workspace.name, now) > now:
            return _living(found, now)
        try:
            return await self._installations.renew(
                workspace, due_by=now + EXCHANGED_BEFORE, refresh=self._refresh
            )
        except (TransientError, ContractError) as error:
            self._rests_until[workspace.name] = now + REST
            logger.error("the token of %s could not be exchanged: %s", workspace.name, error)  # noqa: TRY400  # where it was raised says nothing
            return _living(found, now)


def home_of(installation: Installation) -> Home:
    """Return who we are where the app was installed."""
    where = installation.workspace
    return Home(
        app_id=installation.app,
        bot_user=installation.bot_user,
        teams=frozenset({where.team} if where.team else ()),
        enterprise=where.enterprise,
        is_whole=where.team is None,
        installed_at=installation.installed_at,
    )


def _living(installation: Installation, now: datetime) -> Installation:
    if installation.tokens.lasts_beyond(now):
        return installation
    raise TransientError(
        f"the token of {installation.workspace.name} has ended and could not be exchanged:"
        " if this goes on, install the app there again"
    )
