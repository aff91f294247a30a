"""The ports of Slack for workers: each call goes to the workspace that the place is of."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from bot.slack.app.workspace import Connected
from bot.slack.app.workspaces import Workspaces
from bot.slack.blocks.render import SHAPES
from bot.slack.web.calls import NOT_INSTALLED
from core.domain.context import Surroundings
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
from core.domain.message import Claimed
from core.domain.place import Place
from core.ports import Kept, Platform, Progress, Progressed
from core.ports.messages import as_carried

Pick = Callable[[Connected], Platform]


def by_tenant(workspaces: Workspaces, pick: Pick) -> Platform:
    """Return a platform that is the picked one of each workspace."""

    async def around(claimed: Claimed, /) -> Surroundings:
        found = await workspaces.of_tenant(claimed.place.tenant)
        return await (as_carried if found is None else pick(found).around)(claimed)

    surface = _Surface(workspaces, pick)
    return Platform(
        audience=_Audience(workspaces, pick),
        surface=surface,
        poster=_Poster(workspaces, pick),
        around=around,
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
