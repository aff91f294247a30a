"""What a chat platform does for us: show progress, say who reads, post."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from core.domain.context import Surroundings
from core.domain.delivery import Delivery, FindResult, NoReaders, PostResult, Readers
from core.domain.message import Claimed
from core.domain.place import Place
from core.ports.progress import Progress

Kept = Callable[[str], Awaitable[None]]
"""Keeps the platform's id of the message that shows progress; it is committed when this returns."""


class Audience(Protocol):
    """Who reads what is posted."""

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """Say what everyone who reads this place may read; `is_direct`: what the asker may.

        Whatever is not known for certain is nobody.
        """
        ...


async def as_carried(claimed: Claimed, /) -> Surroundings:
    """See `Platform.around`: what came with the message, and nothing else."""
    return Surroundings(messages=claimed.context)


class Surface(Protocol):
    """Shows that somebody is at work. Nothing that it does may fail a run."""

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """Show progress until the block ends."""
        ...


class Poster(Protocol):
    """Puts a reply where people see it. Raises nothing: what went wrong is a result."""

    @property
    def shapes(self) -> int:
        """How many shapes it knows, from the richest (0) to plain text."""
        ...

    async def post(self, delivery: Delivery, /) -> PostResult:
        """Post the reply in its shape, with the outbox id; one attempt, bounded in time."""
        ...

    async def find(self, delivery: Delivery, /) -> FindResult:
        """Look for the reply by its outbox id, or settle it by repeating what may be repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """All that one chat platform does for us."""

    audience: Audience
    """Says who reads a place."""
    surface: Surface
    """Shows progress."""
    poster: Poster
    """Posts replies."""
    around: Callable[[Claimed], Awaitable[Surroundings]] = as_carried
    """Reads what people wrote around a message, as far as its asker can see it; raises nothing."""
    waking: Callable[[Claimed], AbstractAsyncContextManager[object]] = nullcontext
    """Shows that somebody is at work while it is looked up who reads; it says nothing else, raises
    nothing, and delays nothing."""
