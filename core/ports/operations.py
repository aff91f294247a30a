"""What an operator is told of a process and of the database that all processes share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseState:
    """What the database holds at an instant: the same for all processes."""

    messages: int
    """Messages without an outcome."""
    oldest_message_s: float
    """Age of the oldest of them, seconds since it was stored; 0: there is none."""
    replies: int
    """Replies that are not settled."""
    oldest_reply_s: float
    """Age of the oldest of them, seconds since it was queued; 0: there is none."""
    model_cost_usd: float
    """What language models have cost for questions today, in UTC, as far as prices are known."""
    is_overspent: bool
    """True: that is as much as they may."""
    oldest_unsealed_s: float
    """Age of the oldest record that waits to be sealed, seconds; 0: there is none."""
    edition: int
    """The newest edition of the policies; 0: nothing was ever published."""
    migration: int
    """Number of the newest migration that was applied."""
    is_known_schema: bool
    """Whether this release works with that schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionUse:
    """Connections of a process to the database."""

    idle: int
    """Open, and used by nobody."""
    in_use: int
    """Lent to somebody."""
    overflow: int
    """How many are open beyond those that are kept."""
    most: int
    """How many may be open."""
    waiting: int
    """How many wait for one, or for one to be opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUse:
    """Conversations of one kind that a process works on at a time."""

    busy: int
    """Taken."""
    free: int
    """Left."""
