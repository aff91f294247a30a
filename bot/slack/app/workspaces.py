"""The workspaces that we serve, and the ports of the platform by workspace.

A workspace is wired when something first happens there. Who we are in it is looked up each time, in
our own database: an installation that was taken away, or made anew, counts at once, also if another
process heard of it. Only the wiring is kept, and it is dropped when it no longer fits. Tokens are
not kept: each call looks its own up.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from bot.slack.app.workspace import ConnectedWorkspace
from bot.slack.blocks.render import SHAPES
from bot.slack.inbound.app_events import SuspectedUninstall
from bot.slack.inbound.identity import ORGANISATION, SlackIdentity
from bot.slack.install.credentials import Credential, Credentials, DeadTokens, TokenProbe
from bot.slack.web.calls import NOT_INSTALLED, Slack, client_for
from core.adapters.postgres.platforms.installations import PostgresDisconnections
from core.domain.conversation import Place, Surroundings
from core.domain.delivery import (
    CanNotTell,
    Delivery,
    FindResult,
    NoReaders,
    Permanent,
    PostResult,
    Readers,
)
from core.domain.errors import TransientError
from core.domain.installation import Workspace
from core.domain.message import Claimed
from core.language.languages import Language
from core.ports import Kept, Platform, Progress, Progressed
from core.ports.messages import as_carried, by_locale
from core.service_access.refusals import Note, unnoted


class Workspaces:
    """Finds the workspace in which something happened. Safe from many tasks."""

    def __init__(
        self,
        credentials: Credentials,
        connect: Callable[[SlackIdentity, Slack], ConnectedWorkspace],
        connections: PostgresDisconnections,
        *,
        note: Note = unnoted,
        api_url: str | None = None,
    ) -> None:
        """Take what tells of workspaces; `note` is told by their tenants."""
        self._credentials = credentials
        self._connect = connect
        self._refusals = DeadTokens(connections, note)
        self._doubts = TokenProbe(credentials, self._end, api_url=api_url)
        self._api_url = api_url
        self._wired: dict[str, ConnectedWorkspace] = {}

    async def find(self, where: Workspace) -> ConnectedWorkspace | None:
        """Return the workspace; None: the app is not installed there.

        Raises:
            TransientError: Nobody can say now.
        """
        identity = await self._credentials.identity(where)
        if identity is None:
            return None
        wired = self._wired.get(identity.tenant)
        if wired is None or wired.identity != identity:
            wired = self._wired[identity.tenant] = self._connect(identity, self._slack(identity))
            self._refusals.taken(identity)
        return wired

    async def of_tenant(self, tenant: str) -> ConnectedWorkspace | None:
        """Return the workspace of a place; see `find`."""
        is_whole = tenant.startswith(ORGANISATION)
        return await self.find(Workspace(enterprise=tenant) if is_whole else Workspace(team=tenant))

    async def disconnected(
        self, identity: SlackIdentity, reason: str, *, token: str | None = None
    ) -> None:
        """Record that an installation was taken away, then forget its token.

        Args:
            identity: the installation.
            reason: Slack's word for why.
            token: only if it still has this one; None: whichever it has.

        Raises:
            TransientError: The token may still be there: Slack must say so again.
        """
        await self._refusals.ended(identity, reason)
        await self._credentials.forget(identity.workspace, token=token)
        self._refusals.gone(identity, reason, is_held=await self._is_held(identity))
        self._wired.pop(identity.tenant, None)

    async def settle(self, doubt: SuspectedUninstall) -> None:
        """See `TokenProbe.settle`."""
        await self._doubts.settle(doubt)

    async def _end(self, identity: SlackIdentity, held: Credential, code: str) -> None:
        await self.disconnected(identity, code, token=held.token)

    async def _is_held(self, identity: SlackIdentity) -> bool:
        """Say whether an installation has its token, as far as can be told."""
        try:
            return await self._credentials.identity(identity.workspace) == identity
        except TransientError:
            return True

    def _slack(self, identity: SlackIdentity) -> Slack:
        """Return what calls Slack in one workspace, with the token that it has at that moment."""

        async def token() -> str | None:
            found = await self._credentials.find(identity.workspace)
            return None if found is None else found.token

        async def on_dead(refused: str, code: str) -> None:
            if await self._is_held(identity):
                await self._refusals.refused(identity, refused, code)

        def on_taken() -> None:
            self._refusals.taken(identity)

        client = client_for(None, api_url=self._api_url)
        return Slack(client, token=token, on_dead=on_dead, on_taken=on_taken)


Pick = Callable[[ConnectedWorkspace], Platform]


def by_tenant(workspaces: Workspaces, pick: Pick) -> Platform:
    """Return a platform that is the picked one of each workspace."""

    async def around(claimed: Claimed, /) -> Surroundings:
        found = await workspaces.of_tenant(claimed.place.tenant)
        return await (as_carried if found is None else pick(found).around)(claimed)

    async def language(place: Place, person: str, locale: str | None) -> Language:
        try:
            found = await workspaces.of_tenant(place.tenant)
        except TransientError:
            found = None
        spoken = by_locale if found is None else pick(found).language
        return await spoken(place, person, locale)

    surface = _Surface(workspaces, pick)
    return Platform(
        audience=_Audience(workspaces, pick),
        surface=surface,
        poster=_Poster(workspaces, pick),
        around=around,
        language=language,
        waking=surface.waking,
    )


class _Audience:
    """See `core.ports.Audience`; where we are not installed, nobody reads."""

    def __init__(self, workspaces: Workspaces, pick: Pick) -> None:
        self._workspaces = workspaces
        self._pick = pick

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `Audience.readers`."""
        found = await self._workspaces.of_tenant(place.tenant)
        if found is None:
            return NoReaders(may_read_direct=False, reason=NOT_INSTALLED)
        return await self._pick(found).audience.readers(place, person, is_direct=is_direct)


class _Surface:
    """See `core.ports.Surface`."""

    def __init__(self, workspaces: Workspaces, pick: Pick) -> None:
        self._workspaces = workspaces
        self._pick = pick

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """See `Surface.showing`."""
        return self._showing(claimed, kept)

    @asynccontextmanager
    async def waking(self, claimed: Claimed) -> AsyncGenerator[None]:
        """See `Platform.waking`."""
        try:
            found = await self._workspaces.of_tenant(claimed.place.tenant)
        except TransientError:
            found = None
        async with nullcontext() if found is None else self._pick(found).waking(claimed):
            yield

    @asynccontextmanager
    async def _showing(self, claimed: Claimed, kept: Kept) -> AsyncGenerator[Progress]:
        found = await self._workspaces.of_tenant(claimed.place.tenant)
        if found is None:
            yield _Unseen()
            return
        async with self._pick(found).surface.showing(claimed, kept) as progress:
            yield progress


class _Unseen:
    """See `core.ports.Progress`; nobody sees it."""

    def report(self, progressed: Progressed, /) -> None:
        """See `Progress.report`."""


class _Poster:
    """See `core.ports.Poster`; where we are not installed, nothing can be posted for good."""

    shapes = SHAPES

    def __init__(self, workspaces: Workspaces, pick: Pick) -> None:
        self._workspaces = workspaces
        self._pick = pick

    async def post(self, delivery: Delivery, /) -> PostResult:
        """See `Poster.post`."""
        found = await self._workspaces.of_tenant(delivery.place.tenant)
        if found is None:
            return Permanent(code=NOT_INSTALLED)
        return await self._pick(found).poster.post(delivery)

    async def find(self, delivery: Delivery, /) -> FindResult:
        """See `Poster.find`."""
        found = await self._workspaces.of_tenant(delivery.place.tenant)
        if found is None:
            return CanNotTell()
        return await self._pick(found).poster.find(delivery)
