"""One run as people see it while it lasts: one task draws it, one call at a time.

So nothing in flight can come after the end. Nothing that fails here fails the run. What is drawn,
and when, is the platform's.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from types import TracebackType

from core.domain.errors import OvertakenError
from core.ports import Progress, Progressed

logger = logging.getLogger(__name__)


class ProgressSession(ABC):
    """One run, from its claim to its end: see `core.ports.Surface.showing`."""

    def __init__(self) -> None:
        """Begin nothing yet."""
        self._reported: list[Progressed] = []
        self._stir = asyncio.Event()
        self._is_over = False
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Progress:
        """Begin to draw."""
        await self._group.__aenter__()
        self._group.create_task(self._draw())
        return self

    def report(self, progressed: Progressed, /) -> None:
        """See `Progress.report`."""
        self._reported.append(progressed)
        self._stir.set()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the call in flight end; the run's own error goes on as it is."""
        self._is_over = True
        self._stir.set()
        await self._group.__aexit__(None, None, None)
        if isinstance(error, OvertakenError | asyncio.CancelledError):
            try:
                await self.drop()
            except Exception as failed:  # progress never changes how a run ends
                logger.warning("progress is not ended: %s", type(failed).__name__)

    @abstractmethod
    async def steps(self) -> None:
        """Draw what is due, until `is_over`."""

    @abstractmethod
    async def clear(self) -> None:
        """Take away what must not stay, whatever happened."""

    @abstractmethod
    async def drop(self) -> None:
        """Leave what was drawn to whoever goes on with the message."""

    @property
    def is_over(self) -> bool:
        """True once the run has ended."""
        return self._is_over

    @property
    def has_news(self) -> bool:
        """True if something was reported that is not drawn."""
        return bool(self._reported)

    def taken(self) -> list[Progressed]:
        """Return what was reported since the last time."""
        taken, self._reported = self._reported, []
        return taken

    async def stirred(self, within_s: float | None) -> None:
        """Wait until something is reported or the run is over; seconds, None: as long as it takes.

        What is not above zero is no wait.
        """
        try:
            async with asyncio.timeout(None if within_s is None else max(0.0, within_s)):
                await self._stir.wait()
        except TimeoutError:
            return
        self._stir.clear()

    async def _draw(self) -> None:
        try:
            await self.steps()
        except OvertakenError:
            logger.debug("the run ended before its progress was shown")
        except Exception as error:  # progress never fails a run
            logger.warning("progress is not shown: %s", type(error).__name__)
        finally:
            await self.clear()
