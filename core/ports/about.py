"""Facts about the policies themselves: owner, version, last change, and whom they are for."""

from collections.abc import Collection
from typing import Protocol

from core.domain.policy_facts import Applies, PolicyExcerpt, PolicyFacts
from core.domain.question import Scope


class AboutPolicies(Protocol):
    """Reads facts about policies, in scope like all that is read for a question."""

    async def facts(self, keys: Collection[str], scope: Scope, /) -> tuple[PolicyFacts, ...]:
        """Return the policies of these keys that are in force in the scope, by key."""
        ...

    async def applying_to(self, role: str, scope: Scope, /) -> tuple[Applies, ...]:
        """Return the policies that apply to a role, by its name: whole ones first, each once."""
        ...

    async def excerpts(self, key: str, scope: Scope, /) -> tuple[PolicyExcerpt, ...]:
        """Return the beginnings of a policy's sections in text order, those without text left out.

        Empty for a policy that is not in force in the scope, or that does not exist.
        """
        ...
