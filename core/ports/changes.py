"""What became of the policies lately, as far as somebody may read them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

Became: TypeAlias = Literal["added", "revised", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChanged:
    """What an edition did to a policy."""

    edition: int
    """The edition."""
    published_at: datetime
    """When it was published, aware, UTC."""
    policy_key: str
    """The policy."""
    title: str
    """Its title, in the version that came, or went."""
    label: str | None
    """What that version calls itself; None if nothing."""
    became: Became
    """What was done."""


class PolicyChanges(Protocol):
    """Looks back over the last editions."""

    async def latest(self, groups: frozenset[str], /, *, limit: int) -> tuple[PolicyChanged, ...]:
        """Return what changed last, the newest first, of policies that these groups may read."""
        ...
