"""Files of one run that would be one policy: refused, unless they are said to be its versions.

The second would take the place of the first, and nobody would see what became of it. Rules:
- files are versions of one policy if the key of each is given, and each begins on a day of its own;
- the same bytes with the same things said of them are one file in two places.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.ingest.prepare import KeySource, Overrides, Prepared

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
