"""Where a conversation takes place."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The key by which a thread is known again."""

    platform: str = "console"
    """`console`, `slack`, `teams`."""
    tenant: str = "local"
    """Workspace or tenant id."""
    channel: str = "console"
    """Channel id."""
    thread: str
    """Thread id; for the console an id that the asker may choose."""
    mode: str = "console"
    """`channel`, `thread`, `direct`, `console`."""
