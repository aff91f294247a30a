"""Questions that people are offered to begin with, as they are kept for an edition."""

from dataclasses import dataclass, field
from typing import Protocol

from core.domain.answer import Badge
from core.domain.ontology import Attributes, EntityType
from core.domain.question import Scope
from core.language.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A question to begin with, in the words of somebody who asks it."""

    starter_id: str
    """What a button carries: the same for the same question; it opens nothing."""
    topic: str
    """What it is about, in few words: the policy's title, shortened."""
    question: str
    """What is asked."""
    policy_key: str | None = None
    """The policy that it was chosen from; None: the settings name it."""
    badge: Badge | None = None
    """How sure the answer was when it was checked; None: it was not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterSet:
    """What is offered."""

    edition: int | None
    """The newest edition; None: nothing has been published."""
    starters: tuple[Starter, ...]
    """In the order in which they are offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRule:
    """A rule, or a section's heading, that a question may be made of."""

    type: EntityType
    """A norm, or a section."""
    name: str
    """Of a section its heading."""
    attributes: Attributes = field(default_factory=dict[str, str])
    """See `EntityType`."""
    has_amount: bool = False
    """True: it sets a limit in money."""
    period: str = ""
    """How its deadline is compared ("within"); empty: it has none."""
    span: Span
    """Where it stands."""
    policy_key: str
    """Of its policy."""
    policy_title: str
    """Of its policy."""
    jurisdiction: str | None = None
    """ISO 3166 code of the policy; None: it holds everywhere."""


class StarterStore(Protocol):
    """Starters of a deployment. Safe from many processes."""

    async def current(self) -> StarterSet:
        """Return those that were chosen last."""
        ...

    async def find(self, starter_id: str, /) -> Starter | None:
        """Return the starter of a button, of whatever edition; None: there never was such a one."""
        ...

    async def rules(self, scope: Scope, /) -> tuple[StatedRule, ...]:
        """Return rules and headings of the policies in scope, of a large corpus some of each."""
        ...

    async def due(self, wanted: str, /, *, is_urgent: bool = False) -> str | None:
        """Return what is to be kept with the next choice; None: there is nothing to choose now.

        Whoever is told so has some minutes for it, in which nobody else is.

        Args:
            wanted: What else a choice rests on beside the corpus: the release and the settings.
            is_urgent: True: even while policies are still being published, or somebody else is at
                it.
        """
        ...

    async def keep(self, basis: str, starters: tuple[Starter, ...], /) -> StarterSet:
        """Keep what was chosen on a basis that `due` returned."""
        ...
