"""Facts about the policies themselves: owner, version, last change, and whom they are for."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.domain.policy import PolicyMetadata, Span, VersionId
from core.domain.question import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionChanges:
    """How a version differs from the one before it, section by section.

    Each section is named by its number and heading; white space alone is no change.
    """

    added: tuple[str, ...]
    """Sections that the earlier version does not have, in text order."""
    changed: tuple[str, ...]
    """Sections of both with other words, in text order."""
    removed: tuple[str, ...]
    """Sections that only the earlier version has, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFacts:
    """What is known of the version of a policy that is in force."""

    version_id: VersionId
    """The version."""
    metadata: PolicyMetadata
    """Title, version label, owner, country, audience and days in force."""
    source_name: str
    """Name of the file it was read from."""
    changed_at: datetime
    """When its text was first published, aware, UTC."""
    before: str | None
    """Label of the version before, or its number if it has none; None: there is none that the
    scope may read."""
    changes: SectionChanges | None
    """How it differs from that version; None without one."""
    heading: Span
    """Its first section's heading: what a statement about the policy can cite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applies:
    """Where a policy says that it, or a rule of it, holds for somebody."""

    policy_key: str
    """The policy."""
    title: str
    """Its title."""
    is_whole: bool
    """True if the policy as a whole applies; False: one of its rules does."""
    span: Span
    """Where it says so."""


class AboutPolicies(Protocol):
    """Reads facts about policies, in scope like all that is read for a question."""

    async def facts(self, keys: Collection[str], scope: Scope, /) -> tuple[PolicyFacts, ...]:
        """Return the policies of these keys that are in force in the scope, by key."""
        ...

    async def applying_to(self, role: str, scope: Scope, /) -> tuple[Applies, ...]:
        """Return the policies that apply to a role, by its name: whole ones first, each once."""
        ...
