"""Which token speaks for a workspace: that of the settings, or that of its installation.

Nothing is remembered beyond a call: what was uninstalled through one process is unknown to all
others at once, and a token that another process exchanged is the one that is found.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from slack_bolt.authorization import AuthorizeResult

from bot.slack.payload import Object, maybe, maybe_object
from bot.slack.sender import Home
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Installation, Workspace
from core.ports import Clock
from core.ports.installations import Installations, Refresh

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

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """Return the credential for a workspace; None: the app is not installed there.

        Raises:
            TransientError: Nobody can say now.
        """
        ...


class OneWorkspace:
    """The token of the settings, for the workspace or the organisation that it is of."""

    def __init__(self, home: Home, token: str) -> None:
        """Take who Slack says that we are."""
        self._home = home
        self._token = token

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """See `Credentials.find`."""
        home = self._home
        is_ours = workspace.team in home.teams or (
            home.enterprise is not None and workspace.enterprise == home.enterprise
        )
        if not is_ours:
            return None
        return Credential(
            workspace=workspace, token=self._token, app=home.app_id, bot_user=home.bot_user
        )


class ManyWorkspaces:
    """The tokens of installations, exchanged before they end."""

    def __init__(self, installations: Installations, *, refresh: Refresh, clock: Clock) -> None:
        """Take where they are kept, and how they are exchanged."""
        self._installations = installations
        self._refresh = refresh
        self._clock = clock
        self._rests_until: dict[str, datetime] = {}

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


def _living(installation: Installation, now: datetime) -> Installation:
    if installation.tokens.lasts_beyond(now):
        return installation
    raise TransientError(
        f"the token of {installation.workspace.name} has ended and could not be exchanged:"
        " if this goes on, install the app there again"
    )


def workspace_of(body: Object) -> Workspace | None:
    """Return the workspace of ours in which something happened; None if nothing says.

    An event names the installations that it is for; of an interaction or a command, what is
    installed for an organisation says so.
    """
    authorizations = body.get("authorizations")
    first: Object = {}
    if isinstance(authorizations, list) and authorizations and isinstance(authorizations[0], dict):
        first = authorizations[0]
    team = maybe(body, "team_id") or maybe(maybe_object(body, "team"), "id")
    enterprise = (
        maybe(first, "enterprise_id")
        or maybe(body, "enterprise_id")
        or maybe(maybe_object(body, "enterprise"), "id")
    )
    is_whole = "true" in {str(one.get("is_enterprise_install")).lower() for one in (first, body)}
    if enterprise and (is_whole or not team):
        return Workspace(enterprise=enterprise)
    team = maybe(first, "team_id") or team
    return Workspace(enterprise=enterprise or None, team=team) if team else None


Authorize = Callable[..., Awaitable[Any]]
"""Bolt allows None, which its types do not say."""


def authorize_by(credentials: Credentials) -> Authorize:
    """Return what Bolt's `authorize` takes; where the app is not installed, it goes no further."""

    async def authorize(
        enterprise_id: str | None, team_id: str | None, context: Mapping[str, Any]
    ) -> AuthorizeResult | None:
        is_whole = context.get("is_enterprise_install") is True
        if not (enterprise_id or team_id):
            return None
        team = None if is_whole and enterprise_id else team_id
        found = await credentials.find(Workspace(enterprise=enterprise_id, team=team))
        if found is None:
            return None
        return AuthorizeResult(
            enterprise_id=found.workspace.enterprise or enterprise_id,
            team_id=team_id,
            bot_user_id=found.bot_user,
            bot_token=found.token,
        )

    return authorize
