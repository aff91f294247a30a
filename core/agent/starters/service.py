"""The questions of this deployment to begin with: chosen when something changed, and offered."""

import json
import logging
from collections.abc import Sequence

from core.agent.starters.choice import StarterChoice
from core.ports import Clock
from core.ports.starters import Starter, StarterSet, StarterStore

READ_FOR_S = 30.0
"""How long what was read is offered before it is read again."""

logger = logging.getLogger(__name__)


class StarterService:
    """Offers starters, and chooses them anew. Safe from many tasks and processes."""

    def __init__(
        self,
        store: StarterStore,
        choice: StarterChoice,
        *,
        clock: Clock,
        named: Sequence[str],
        made_by: Sequence[str],
    ) -> None:
        """`named` are those of the settings; `made_by` is all else a choice rests on."""
        self._store = store
        self._choice = choice
        self._clock = clock
        self._named = named
        self._wanted = json.dumps([list(named), list(made_by)])
        self._read: StarterSet | None = None
        self._read_until_s = float("-inf")

    @property
    def known(self) -> StarterSet | None:
        """What was read last, however long ago; None: nothing yet."""
        return self._read

    async def current(self) -> StarterSet:
        """Return what is offered, as of some seconds ago.

        Raises:
            TransientError: The database failed.
        """
        now_s = self._clock.monotonic_s()
        if self._read is None or now_s >= self._read_until_s:
            self._read = await self._store.current()
            self._read_until_s = now_s + READ_FOR_S
        return self._read

    async def find(self, starter_id: str) -> Starter | None:
        """Return the starter of a button; None: there never was such a one.

        Raises:
            TransientError: The database failed.
        """
        return await self._store.find(starter_id)

    async def refresh(self, *, is_urgent: bool = False) -> StarterSet:
        """Choose anew if the policies, the settings or the release changed; return what is offered.

        Args:
            is_urgent: True for a command, which doesn't wait until a publication has settled.

        Raises:
            TransientError: The database failed. Somebody else chooses after some minutes.
        """
        basis = await self._store.due(self._wanted, is_urgent=is_urgent)
        if basis is not None:
            chosen = await self._choice.choose(on_day=self._clock.today(), named=self._named)
            self._warn(chosen)
            kept = await self._store.keep(basis, chosen)
            logger.info("%d starters were chosen for edition %s", len(chosen), kept.edition or 0)
        self._read_until_s = float("-inf")
        return await self.current()

    def _warn(self, chosen: Sequence[Starter]) -> None:
        for number, one in enumerate(chosen, start=1):
            if one.policy_key is None and one.badge is None:
                logger.warning(
                    "question %d of CITEBOUND_STARTERS is offered, but not answered with High or"
                    " Medium confidence",
                    number,
                )
