"""Facts about the policies themselves, and the sentences that say them.

A statement about a policy is one of these sentences or none: `verify` makes them anew from what is
stored and compares, word for word.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from core.domain.policy import PolicyMetadata, last_day_before
from core.language.jurisdictions import country_name
from core.language.spans import Span, VersionId

NAMED = 8
"""Sections that a sentence about a change names at most, of each kind."""
_LONGEST = 160
"""Characters of a title, an owner or a heading that are said."""
_OFFICE = re.compile(
    r"\b(?:head|officer|director|manager|counsel|treasurer|chief|president|lead|board|committee"
    r"|team|department|office|desk|secretary|controller|c[a-z]o)\b",
    re.IGNORECASE,
)
"""An owner that takes an article: an office, and neither a name nor a field ("Finance")."""
_LABELLED = re.compile(r"\A(?:version|v\.?|revision|rev\.?)\s*(?=\d)", re.IGNORECASE)


class FactKind(StrEnum):
    """What can be asked of a policy itself."""

    OWNER = "owner"
    VERSION = "version"
    CHANGE = "change"
    PLACE = "place"
    SUMMARY = "summary"
    LISTING = "listing"
    APPLYING = "applying"


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
    moved: tuple[tuple[str, str], ...] = ()
    """Sections with the same words under another number or heading, as it was and as it is:
    neither added nor removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFacts:
    """What is known of the version of a policy that is in force."""

    version_id: VersionId
    """The version."""
    metadata: PolicyMetadata
    """Title, version label, owner, country, audience and days in force."""
    source_name: str
    """Name of the file it was read from."""
    changed_on: date
    """When its text was first published."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyExcerpt:
    """The beginning of a section, from which a summary is quoted."""

    number: str | None
    """The section's number as printed; None if it has none."""
    title: str
    """Its heading, without the number."""
    path: tuple[str, ...]
    """Headings from the outermost to this one."""
    span: Span
    """Where the text lies: the section's body, or the beginning of it."""
    text: str
    """The stored text at the span."""


def statements(facts: PolicyFacts) -> Mapping[FactKind, tuple[str, ...]]:
    """Return what can be said of a policy, by what is asked; nothing where nothing is stored."""
    said = {
        FactKind.OWNER: _owner(facts),
        FactKind.VERSION: _version(facts),
        FactKind.CHANGE: (*_version(facts), *_change(facts)),
        FactKind.PLACE: (
            f"The text of {_named(facts)} that is in force here comes from the file"
            f" {_short(facts.source_name)}.",
        ),
        FactKind.LISTING: (_listed(facts),),
    }
    return {kind: sentences for kind, sentences in said.items() if sentences}


def _owner(facts: PolicyFacts) -> tuple[str, ...]:
    owner = _short(facts.metadata.owner or "")
    if not owner:
        return ()
    article = "the " if _OFFICE.search(owner) and not owner.lower().startswith("the ") else ""
    return (f"{_named(facts)} is owned by {article}{owner}.",)


def _version(facts: PolicyFacts) -> tuple[str, ...]:
    metadata = facts.metadata
    label = _label(metadata.label)
    if not label and metadata.effective_from is None:
        return ()
    which = f"Version {label} of {_named(facts)}" if label else _named(facts)
    since, last = metadata.effective_from, last_day_before(metadata.effective_until)
    begins = f"has been in force since {_day(since)}" if since else "is in force"
    ends = f" and holds until {_day(last)}" if last else ""
    return (f"{which} {begins}{ends}.",)


def _change(facts: PolicyFacts) -> tuple[str, ...]:
    name, before = _named(facts), _label(facts.before)
    published = f"The present text of {name} was published here on {_day(facts.changed_on)}"
    if facts.changes is None or not before:
        return (f"{published}; there is no earlier version here to compare it with.",)
    told = [
        f"{words} {_several(sections, but=facts.metadata.title)}"
        for words, sections in (
            ("it has other words in", facts.changes.changed),
            (
                "new in it is" if len(facts.changes.added) == 1 else "new in it are",
                facts.changes.added,
            ),
            ("it no longer has", facts.changes.removed),
            (
                "under another number or heading it has",
                tuple(now for _, now in facts.changes.moved),
            ),
        )
        if sections
    ]
    differs = "; ".join(told) or "no section of it has other words"
    return (
        f"{published}, in place of version {before}.",
        f"Compared with version {before} of {name}, {differs}.",
    )


def _listed(facts: PolicyFacts) -> str:
    label, country = _label(facts.metadata.label), facts.metadata.jurisdiction
    known = [f"version {label}" if label else "", country_name(country) if country else ""]
    about = ", ".join(one for one in known if one)
    title = _short(facts.metadata.title)
    return f"{title} ({about})" if about else title


def _named(facts: PolicyFacts) -> str:
    return f"\u201c{_short(facts.metadata.title)}\u201d"


def _label(label: str | None) -> str:
    return _LABELLED.sub("", _short(label or ""))


def _several(sections: Sequence[str], *, but: str) -> str:
    """Return the names of sections; what stands before all headings goes by the policy's title."""
    named = [
        "its opening lines"
        if _short(one).casefold() == _short(but).casefold()
        else f"\u201c{_short(one)}\u201d"
        for one in sections[:NAMED]
    ]
    rest = len(sections) - len(named)
    if rest:
        return f"{', '.join(named)} and {rest} more"
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _short(text: str) -> str:
    """Return foreign text on one line, cut where it is longer than any title is."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}\u2026"
