"""A chat platform as a process runs it: one entry, whatever the platform."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from aiohttp import web

from core.bootstrap import Service
from core.ports import Platform


async def _nothing() -> None:
    """See `Chat.trouble`."""


def _none_unheard() -> int:
    """See `Chat.unheard`."""
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One chat platform, connected."""

    name: str
    """See `Place.platform`."""
    answering: Platform
    """For workers: what it says of readers may be some minutes old."""
    posting: Platform
    """For delivery: readers are looked up again."""
    routes: tuple[web.RouteDef, ...] = ()
    """What it takes over HTTP; each checks by itself who sent it."""
    listening: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """Takes until the block ends what does not come over HTTP; entered by processes that serve."""
    trouble: Callable[[], Awaitable[str | None]] = _nothing
    """Says what keeps messages from reaching us; None: nothing."""
    unheard: Callable[[], int] = _none_unheard
    """Says for how many minutes the platform has left events out since the process began."""


Connect = Callable[[Service], AbstractAsyncContextManager[Chat]]
"""Connects a platform until the block ends. Raises `ConfigError` if it can't be."""
