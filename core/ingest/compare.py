"""A file beside what is stored of its policy: is it new, is it the same policy, what is inherited.

Between reading the file (`prepare`) and publishing it (`publish`).
"""

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.domain.errors import DocumentError
from core.domain.policy import EVERYONE, PolicyMetadata
from core.ingest.prepare import KeySource, Overrides, Prepared
from core.ports import StoredVersion
from core.ports.extraction import BY_RULES, Extracted

_NAMED = 4
"""Files that a refusal names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A file and the policy that it would be."""

    name: str
    """The file as people call it."""
    given: Overrides
    """What the caller says of it."""
    key: str
    """The policy."""
    key_source: KeySource
    """Who says so."""
    begins: date | None
    """Its first day in force; None if unsaid."""
    sha256: bytes
    """Of its bytes."""


def claim_of(prepared: Prepared, *, name: str, given: Overrides) -> Claim:
    """Return what a file that was read claims to be."""
    return Claim(
        name=name,
        given=given,
        key=prepared.metadata.key,
        key_source=prepared.key_source,
        begins=prepared.metadata.effective_from,
        sha256=prepared.sha256,
    )


def find_clashes(claims: Sequence[Claim]) -> dict[int, str]:
    """Return why files are refused, by their place: cause and cure, one line."""
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for place, claim in enumerate(claims):
        by_key[claim.key].append(place)
    return {
        place: _refusal(claims[place], [claims[each] for each in places if each != place])
        for places in by_key.values()
        if not _may_stand_together([claims[place] for place in places])
        for place in places
    }


def _may_stand_together(claims: Sequence[Claim]) -> bool:
    different = list({(claim.sha256, claim.given): claim for claim in claims}.values())
    if len(different) == 1:
        return True
    days = {claim.begins for claim in different}
    return (
        all(claim.key_source is KeySource.GIVEN for claim in different)
        and len(days) == len(different)
        and None not in days
    )


def _refusal(claim: Claim, others: Sequence[Claim]) -> str:
    named = [claim.name, *(other.name for other in others[: _NAMED - 1])]
    more = f" (and {len(others) + 1 - _NAMED} more)" if len(others) >= _NAMED else ""
    if all(each.key_source is KeySource.GIVEN for each in (claim, *others)):
        cure = "give each version a first day of its own (effective_from), or each policy its key"
    else:
        cure = (
            "give each policy a key of its own in citebound.toml (key for a file, key_prefix for a"
            " folder); versions of one policy are given the same key, and effective_from each"
        )
    return (
        f"{' and '.join(named)}{more} would be one policy, {claim.key!r}"
        f" ({claim.key_source.value}): {cure}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """Where a file lies, and how it came to be read."""

    path: str
    """Absolute path."""
    place: str
    """The same from the folder that is ingested on, with its name ("policies/de/gifts.md"): equal
    in two copies of that folder."""
    is_named: bool
    """True if somebody named this file; False if it was found in a folder."""


def find_same(
    prepared: Prepared,
    stored: list[StoredVersion],
    *,
    given: Overrides,
    with_chunks: bool,
    is_named: bool,
    on_day: date,
) -> StoredVersion | None:
    """Return the stored version beside which the file says nothing new; None: it is to be stored.

    It is compared with the version that began last by the day on which it would begin itself. So an
    earlier version in a folder of versions stays what it is, and a text that was replaced holds
    again once it is ingested again. What was withdrawn comes back if its file is named, or, where
    it was withdrawn because its file was gone, with the file.
    """
    latest = _latest(stored, prepared.metadata.effective_from or on_day)
    equal = [
        version
        for version in stored
        if version.sha256 == prepared.sha256
        and given.agree_with(version.metadata)
        and version.has_chunks == (with_chunks and bool(prepared.chunks))
    ]
    if latest is not None and latest in equal:
        return latest
    withdrawn = equal[-1].withdrawal if equal else None
    if withdrawn is not None and not withdrawn.is_file_gone and not is_named:
        return equal[-1]
    return None


def _latest(stored: list[StoredVersion], day: date) -> StoredVersion | None:
    """Return the version that began last by a day, whether it is over by then or not."""
    begun = [one for one in stored if one.withdrawal is None and _begin(one) <= day]
    return max(begun, key=lambda one: (_begin(one), one.number), default=None)


def _begin(version: StoredVersion) -> date:
    return version.metadata.effective_from or date.min


def inherit(
    found: PolicyMetadata, stored: list[StoredVersion], *, given: Overrides
) -> PolicyMetadata:
    """Fill what nobody said from the newest version.

    An audience, above all, is never widened by silence.
    """
    if not stored:
        return found
    newest = stored[-1].metadata
    return dataclasses.replace(
        found,
        owner=found.owner or newest.owner,
        jurisdiction=found.jurisdiction or newest.jurisdiction,
        audience=found.audience
        if given.audience is not None or found.audience != frozenset({EVERYONE})
        else newest.audience,
        tags=found.tags if given.tags is not None else found.tags or newest.tags,
    )


def refuse_backward(metadata: PolicyMetadata) -> None:
    """Refuse an end before the beginning.

    Raises:
        DocumentError: It ends before it begins.
    """
    if (
        metadata.effective_from
        and metadata.effective_until
        and metadata.effective_until <= metadata.effective_from
    ):
        raise DocumentError(
            f"it would end ({metadata.effective_until}) before it begins"
            f" ({metadata.effective_from}):"
            " correct --effective-from or --effective-until"
        )


def refuse_another_policy(
    prepared: Prepared, newest: StoredVersion, file: SourceFile, *, is_other_there: bool
) -> None:
    """Refuse to revise a policy by what is probably another one.

    A file that was found in a folder, and whose key nobody gave, is refused if the file that the
    policy was read from is still there (`is_other_there`) and lies elsewhere; unless both have one
    title, and either one "Policy ID" or the same place in two copies of a folder.

    Raises:
        DocumentError: It is refused; the message names the other file and says how to go on.
    """
    other = newest.read_from
    if other is None or other == file.path or not is_other_there:
        return
    if file.is_named or prepared.key_source is KeySource.GIVEN:
        return
    has_one_title = newest.metadata.title == prepared.metadata.title
    is_copy = other.endswith(f"/{file.place}")
    if has_one_title and (prepared.key_source is KeySource.DOCUMENT or is_copy):
        return
    key = prepared.metadata.key
    raise DocumentError(
        f"the policy {key!r} was read from {other}, which is still there: if this is another"
        " policy, give it a key of its own in citebound.toml; if it is a new version, name the"
        f" file: citebound ingest {file.path} --key {key}"
    )


def said_of_revision(
    prepared: Prepared, newest: StoredVersion, file: SourceFile | None, *, is_other_there: bool
) -> tuple[str, ...]:
    """Return what is to be said where a file revises a policy; see `refuse_another_policy`."""
    said: list[str] = []
    key, title = prepared.metadata.key, newest.metadata.title
    if title != prepared.metadata.title:
        said.append(
            f"its title was {title!r} before: if this is another policy, give it a key of its own"
            " (--key, or citebound.toml), and ingest the file of"
            f" {title!r} again"
        )
    elif file and newest.read_from != file.path and is_other_there:
        said.append(
            f"{key!r} was read from {newest.read_from} before: if this is another policy, give it a"
            " key of its own (--key, or citebound.toml), and ingest that file again"
        )
    if newest.withdrawal is not None:
        said.append(f"it was withdrawn from {newest.withdrawal.since} on, and is back")
    return tuple(said)


def said_of_same(
    same: StoredVersion, stored: list[StoredVersion], *, given: Overrides, on_day: date
) -> tuple[str, ...]:
    """Return what is to be said where a file changes nothing, and does not hold either."""
    if same.withdrawal is not None:
        return (
            f"it was withdrawn from {same.withdrawal.since} on, and stays so: name the file to"
            " bring it back",
        )
    holds = _latest(stored, on_day)
    is_asked_for = given.effective_from is not None
    if holds is None or is_asked_for or _begin(holds) <= _begin(same):
        return ()
    return (f"a later version holds: to go back to this one, add --effective-from {on_day}",)


def said_of_end(metadata: PolicyMetadata, stored: list[StoredVersion], on_day: date) -> str | None:
    """Return what is to be said if nothing of a policy holds once the file is stored; else None."""
    until = metadata.effective_until
    if until is None or until > on_day:
        return None
    holds = _latest(stored, on_day)
    before = _begin(stored[-1]) if stored else date.min
    begin = metadata.effective_from or (before if before < until else date.min)
    if holds is not None and begin < _begin(holds):
        return None
    return f"it is over since {until}: no version of {metadata.key!r} is in force"


def loss(extracted: Extracted, newest: StoredVersion | None) -> tuple[str, ...]:
    """Return what is to be said if the rules alone read what a model had read before."""
    before = newest.facts_by if newest else None
    if extracted.by != BY_RULES or before in {None, BY_RULES}:
        return ()
    return (f"facts are by rules alone; those of the version before were read by {before} too",)


def says_more(extracted: Extracted, stored: StoredVersion) -> bool:
    """Say whether facts read anew are to take the place of the stored ones.

    Not those that are the same; and what another model, or an earlier prompt, read stays until all
    of it was read anew.
    """
    if stored.facts_hash == extracted.extraction.sha256():
        return False
    is_partial = extracted.report is not None and bool(extracted.report.unread)
    return not is_partial or stored.facts_by in {None, BY_RULES, extracted.by}
