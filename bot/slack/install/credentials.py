"""Which token speaks for a workspace, and whether Slack still takes it.

It is that of the settings, or that of the workspace's installation.

Nothing is remembered beyond a call: what was uninstalled through one process is unknown to all
others at once, and a token that another process exchanged is the one that is found.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.call_results import Rejected, Succeeded
from bot.slack.inbound.app_events import SuspectedUninstall
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.web.calls import Slack, client_for
from core.adapters.postgres.platforms.installations import (
    PostgresDisconnections,
    PostgresInstallations,
    Refresh,
)
from core.domain.errors import ContractError, TransientError
from core.domain.installation import Installation, Workspace
from core.ports import Clock
from core.service_access.refusals import Note

EXCHANGED_BEFORE = timedelta(hours=2)
"""A token lives for 12 hours: whoever fails to exchange it has two for another try."""
REST = timedelta(minutes=1)
"""After an exchange that failed, while the token still lives."""

ENDED = frozenset({"account_inactive", "token_revoked"})
"""The app or its workspace is gone. Not `invalid_auth`: Slack says that of addresses, too, from
which calls are not allowed."""
RESTS_S = (1.0, 3.0)
"""Before each further try; together less than a stop waits for what has begun."""


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

    async def identity(self, workspace: Workspace, /) -> SlackIdentity | None:
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

    async def identities(self) -> tuple[SlackIdentity, ...]:
        """Return who we are wherever the app is installed.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def organisations(self) -> tuple[SlackIdentity, ...]:
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

    def __init__(self, identity: SlackIdentity, token: str) -> None:
        self._identity = identity
        self._token = token

    async def identity(self, workspace: Workspace, /) -> SlackIdentity | None:
        """See `Credentials.identity`."""
        return self._identity if self._identity.is_of(workspace) else None

    async def find(self, workspace: Workspace, /) -> Credential | None:
        """See `Credentials.find`."""
        identity = self._identity
        if not identity.is_of(workspace):
            return None
        return Credential(
            workspace=identity.workspace,
            token=self._token,
            app=identity.app_id,
            bot_user=identity.bot_user,
        )

    async def identities(self) -> tuple[SlackIdentity, ...]:
        """See `Credentials.identities`."""
        return (self._identity,)

    async def organisations(self) -> tuple[SlackIdentity, ...]:
        """See `Credentials.organisations`."""
        return (self._identity,) if self._identity.is_whole else ()

    async def forget(self, workspace: Workspace, /, *, token: str | None = None) -> None:
        """See `Credentials.forget`: that of the settings is theirs who set it."""


class ManyWorkspaces:
    """The tokens of installations, exchanged before they end."""

    def __init__(
        self, installations: PostgresInstallations, *, refresh: Refresh, clock: Clock
    ) -> None:
        self._installations = installations
        self._refresh = refresh
        self._clock = clock
        self._rests_until: dict[str, datetime] = {}

    async def identity(self, workspace: Workspace, /) -> SlackIdentity | None:
        """See `Credentials.identity`."""
        found = await self._installations.find(workspace)
        return None if found is None else identity_of(found)

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

    async def identities(self) -> tuple[SlackIdentity, ...]:
        """See `Credentials.identities`."""
        return tuple(map(identity_of, await self._installations.held()))

    async def organisations(self) -> tuple[SlackIdentity, ...]:
        """See `Credentials.organisations`."""
        return tuple(identity for identity in await self.identities() if identity.is_whole)

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


End = Callable[[SlackIdentity, Credential, str], Awaitable[None]]
"""Ends an installation, if it still has this token; takes Slack's word for why."""


def identity_of(installation: Installation) -> SlackIdentity:
    """Return who we are where the app was installed."""
    where = installation.workspace
    return SlackIdentity(
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


class DeadTokens:
    """Tokens that Slack no longer takes: an alarm, and what health reports.

    A token is kept although it is refused, as Slack may be mistaken: an uninstall is an event.
    Once a call is taken again, all is well.
    """

    def __init__(self, connections: PostgresDisconnections, note: Note) -> None:
        self._connections = connections
        self._note = note
        self._alarmed: set[str] = set()

    async def refused(self, identity: SlackIdentity, token: str, code: str) -> None:
        """Note that Slack does not take a token; an alarm and a record, once for each token."""
        self._note(identity.tenant, code)
        if token in self._alarmed:
            return
        self._alarmed.add(token)
        logger.error(
            "Slack no longer takes the token of %s (%s): nothing can be posted there until the app"
            " is installed again",
            identity.tenant,
            code,
        )
        try:
            await self._connections.disconnected(
                platform="slack", tenant=identity.tenant, reason=code
            )
        except TransientError:
            self._alarmed.discard(token)

    async def ended(self, identity: SlackIdentity, code: str) -> None:
        """Record that an installation was taken away.

        Raises:
            TransientError: It is not recorded.
        """
        logger.error("Slack disconnected %s: %s", identity.tenant, code)
        await self._connections.disconnected(platform="slack", tenant=identity.tenant, reason=code)

    def taken(self, identity: SlackIdentity) -> None:
        """Note that Slack takes its token."""
        self._note(identity.tenant, None)

    def gone(self, identity: SlackIdentity, code: str, *, is_held: bool) -> None:
        """Note that an installation ended; a token that is held nevertheless is of the settings."""
        self._note(identity.tenant, code if is_held else None)


class TokenProbe:
    """Asks Slack whether it takes a token, where an event leaves open what has ended.

    Never before the event was acknowledged. Only what Slack itself calls dead is ended; whatever
    can't be told stays, and its next use tells. One at a time; safe from many tasks.
    """

    def __init__(self, credentials: Credentials, end: End, *, api_url: str | None = None) -> None:
        self._credentials = credentials
        self._end = end
        self._api_url = api_url
        self._turn = asyncio.Lock()
        self._waiting: set[SuspectedUninstall] = set()

    async def settle(self, doubt: SuspectedUninstall) -> None:
        """End what is dead of that which may be meant; one that waits already does for all.

        Raises:
            TransientError: Nobody knows which installations there are.
        """
        if doubt in self._waiting:
            return
        self._waiting.add(doubt)
        async with self._turn:
            self._waiting.discard(doubt)
            organisations = await self._credentials.organisations() if not doubt.identity else ()
            meant = [doubt.identity] if doubt.identity else filter(doubt.is_about, organisations)
            for identity in meant:
                await self._settle(identity)

    async def _settle(self, identity: SlackIdentity) -> None:
        for rest_s in (*RESTS_S, None):
            try:
                if await self._is_settled(identity):
                    return
            except TransientError:
                logger.warning("the token of %s can't be tried now", identity.tenant)
            if rest_s is not None:
                await asyncio.sleep(rest_s)
        logger.warning(
            "nobody says whether the app is still in %s: its next use will", identity.tenant
        )

    async def _is_settled(self, identity: SlackIdentity) -> bool:
        """Try a token once; False: Slack does not say whether it takes it."""
        held = await self._credentials.find(identity.workspace)
        if held is None or held.workspace != identity.workspace:
            return True
        told = await Slack(client_for(held.token, api_url=self._api_url)).read("auth.test")
        if isinstance(told, Rejected) and told.code in ENDED:
            await self._end(identity, held, told.code)
        elif isinstance(told, Rejected):
            logger.warning("Slack does not take the token of %s: %s", identity.tenant, told.code)
        elif isinstance(told, Succeeded):
            logger.info("the app is still in %s: Slack takes its token", identity.tenant)
        return isinstance(told, Succeeded | Rejected)
