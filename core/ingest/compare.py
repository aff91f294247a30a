"""Compare a file with what is stored of its policy, and with the other files of the same run.

Is it new, is it the same policy, what does it inherit. After `prepare`, before `publish`.
"""

import asyncio
import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from core.domain.errors import DocumentError
from core.domain.policy import EVERYONE, NEVER, PolicyMetadata, last_day_before
from core.ingest.metadata import NOTHING, shown
from core.ingest.prepare import KeySource, Overrides, Prepared
from core.ports import StoredVersion
from core.ports.corpus import SourceAudience
from core.ports.extraction import BY_RULES, Extracted

_NAMED = 4
"""Files named in a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """Where a file lies, and how it came to be read."""

    path: str
    """Absolute path."""
    place: str
    """Its path from the ingested folder on, that folder included ("policies/de/gifts.md"): the same
    in two copies of the folder."""
    is_named: bool
    """True if somebody named this file; False if it was found in a folder."""
    readers: SourceAudience | None = None
    """Whom its source lets read it; None: its source does not say."""
    source: str | None = None
    """The source whose document it is; None: it is a file of this machine."""


def find_same(
    prepared: Prepared,
    stored: list[StoredVersion],
    *,
    given: Overrides,
    with_chunks: bool,
    is_named: bool,
    on_day: date,
) -> StoredVersion | None:
    """Return the stored version to which the file adds nothing; None: the file is to be stored.

    It is compared with the version that began last by the day on which the file would take effect.
    So an earlier version in a folder of versions stays as it is, and a text that was replaced is in
    force again once it is ingested again. A withdrawn policy comes back if its file is named, or,
    if it was withdrawn because its file was gone, once the file is there again.
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


def _latest(stored: Sequence[StoredVersion], day: date) -> StoredVersion | None:
    """Return the version that took effect last by a day, whether it has expired by then or not."""
    begun = [one for one in stored if one.withdrawal is None and _begin(one) <= day]
    return max(begun, key=lambda one: (_begin(one), one.number), default=None)


def _begin(version: StoredVersion) -> date:
    return version.metadata.effective_from or date.min


_KEPT = ("owner", "jurisdiction", "url", "sensitivity")
"""Fields that are taken from the newest version."""
_OF_ONE_TEXT = ("review_by", "verified_by")
"""Fields that are said of one text, and hold for no other."""


def inherit(prepared: Prepared, stored: list[StoredVersion], *, given: Overrides) -> PolicyMetadata:
    """Take what neither caller nor document states from the newest version.

    Above all, an audience is never widened because nobody stated it, and no class of sensitivity is
    lost. Who verified a text, and when it is due for review, is said of that text alone, and taken
    from the newest version of the same file. A document that says that it holds everywhere does so.

    Args:
        prepared: what the caller and the document state.
        stored: the policy's versions, the newest last.
        given: what the caller states; what it takes away (`NOTHING`) is not inherited.
    """
    found = prepared.metadata
    if not stored:
        return found
    newest = stored[-1].metadata
    of_text = next(
        (one.metadata for one in reversed(stored) if one.sha256 == prepared.sha256), None
    )
    known = {name: getattr(newest, name) for name in _KEPT}
    known |= {name: getattr(of_text, name) for name in _OF_ONE_TEXT} if of_text else {}
    unsaid = {
        name: value
        for name, value in known.items()
        if getattr(found, name) is None
        and getattr(given, name) is None
        and prepared.document.metadata.get(name) != NOTHING
    }
    return dataclasses.replace(
        found,
        audience=found.audience
        if given.audience is not None or found.audience != frozenset({EVERYONE})
        else newest.audience,
        tags=found.tags if given.tags is not None else found.tags or newest.tags,
        **unsaid,
    )


def ended_now(prepared: Prepared, stored: Sequence[StoredVersion], on_day: date) -> Prepared:
    """Return a file that says that its policy was withdrawn, and not when, as withdrawn today.

    Otherwise the version before it would stay in force. Where there is none, it never was.
    """
    standing = prepared.standing
    if standing is None or not standing.is_ended or _latest(stored, on_day) is None:
        return prepared
    if prepared.metadata.effective_from != NEVER:
        return prepared
    ended = dataclasses.replace(prepared.metadata, effective_from=None, effective_until=on_day)
    return dataclasses.replace(prepared, metadata=ended)


def standing_notes(prepared: Prepared) -> tuple[str, ...]:
    """Return the note on a file that says of itself that it is not in force."""
    if prepared.standing is None:
        return ()
    end = prepared.metadata.effective_until
    from_when = f" from {end} on" if end else ""
    return (
        f"not in force{from_when}: it says {shown(prepared.standing.words)} of itself, and is not"
        " answered from; if it is in force, say since when: --effective-from DATE, or"
        " effective_from in citebound.toml",
    )


def check_dates(metadata: PolicyMetadata) -> None:
    """Check that a policy does not end before it begins.

    Raises:
        DocumentError: It does.
    """
    if (
        metadata.effective_from
        and metadata.effective_until
        and metadata.effective_until <= metadata.effective_from
    ):
        raise DocumentError(
            f"it would end ({last_day_before(metadata.effective_until)}) before it takes effect"
            f" ({metadata.effective_from}): correct --effective-from or --effective-until"
        )


async def is_other_there(newest: StoredVersion | None, file: SourceFile | None) -> bool:
    """Return whether the policy was read from another file, which still exists."""
    other = newest.read_from if newest else None
    if file is None or other is None or other == file.path:
        return False
    return await asyncio.to_thread(os.path.exists, other)


def refuse_other_policy(
    prepared: Prepared, newest: StoredVersion, file: SourceFile, *, is_other_there: bool
) -> None:
    """Refuse to revise a policy with what is probably another one.

    A file that was found in a folder, and whose key nobody gave, is refused if the file that the
    policy was read from is another one and still exists (`is_other_there`); unless both have the
    same title, and either the same "Policy ID" or the same place in two copies of a folder.

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


def revision_notes(
    prepared: Prepared,
    stored: Sequence[StoredVersion],
    file: SourceFile | None,
    *,
    is_other_there: bool,
    on_day: date,
) -> tuple[str, ...]:
    """Return the notes on a file that revises a policy; see `refuse_other_policy`."""
    if not stored:
        return ()
    newest, begin = stored[-1], prepared.metadata.effective_from or date.max
    said = [*_unheeded(begin, stored, on_day), *_relabelled(prepared, stored)]
    key, title = prepared.metadata.key, newest.metadata.title
    if title != prepared.metadata.title:
        said.append(
            f"its title was {title!r} before: if this is another policy, give it a key of its own"
            " (--key, or citebound.toml), and ingest the file of"
            f" {title!r} again"
        )
    elif file and is_other_there and not _is_next_edition(prepared, newest):
        said.append(
            f"{key!r} was read from {newest.read_from} before: if this is another policy, give it a"
            " key of its own (--key, or citebound.toml), and ingest that file again"
        )
    if newest.withdrawal is not None:
        said.append(
            f"it was withdrawn from {newest.withdrawal.since}, and is now back in force: to"
            f" withdraw it again, citebound corpus withdraw {key}"
        )
    return tuple(said)


def _unheeded(begin: date, stored: Sequence[StoredVersion], on_day: date) -> Iterator[str]:
    """Say that a version that began later than this one goes on answering."""
    holds = _latest(stored, on_day)
    if holds is not None and begin < _begin(holds):
        label = holds.metadata.label or holds.number
        yield (
            f"it is not in force: version {label}, which began later ({_begin(holds)}), still"
            f" answers; to answer from this one, add --effective-from {on_day}"
        )


def _relabelled(prepared: Prepared, stored: Sequence[StoredVersion]) -> Iterator[str]:
    """Say that an earlier text has the same label."""
    label, texts = prepared.metadata.label, {version.sha256 for version in stored}
    is_known = any(version.metadata.label == label for version in stored)
    if label is not None and is_known and prepared.sha256 not in texts:
        yield (
            f"it is another file than the one before, and still calls itself version {label}: if"
            " its words differ, give it a label of its own, so that one can tell which is cited"
        )


def _is_next_edition(prepared: Prepared, newest: StoredVersion) -> bool:
    """Return whether a file with the same title is known to be another version by its label."""
    label, before = prepared.metadata.label, newest.metadata.label
    return label is not None and before is not None and label != before


def unchanged_notes(
    same: StoredVersion, stored: list[StoredVersion], *, given: Overrides, on_day: date
) -> tuple[str, ...]:
    """Return the notes on a file that changes nothing, if it is not in force either."""
    if same.withdrawal is not None:
        return (
            f"it was withdrawn from {same.withdrawal.since} and stays withdrawn: name the file to"
            " bring it back",
        )
    begin = same.metadata.effective_from or date.min
    return () if given.effective_from else tuple(_unheeded(begin, stored, on_day))


def expiry_note(metadata: PolicyMetadata, stored: list[StoredVersion], on_day: date) -> str | None:
    """Return a note if no version of the policy is in force once the file is stored, else None."""
    until = metadata.effective_until
    if until is None or until > on_day:
        return None
    holds = _latest(stored, on_day)
    before = _begin(stored[-1]) if stored else date.min
    begin = metadata.effective_from or (before if before < until else date.min)
    if holds is not None and begin < _begin(holds):
        return None
    return (
        f"it ended on {last_day_before(until)}, and no version of {metadata.key!r} is in force:"
        " ingest its next version, or correct the day on which it ends"
    )


def model_facts_note(extracted: Extracted, newest: StoredVersion | None) -> tuple[str, ...]:
    """Return a note if the rules alone read what a model had read before."""
    before = newest.facts_by if newest else None
    if extracted.by != BY_RULES or before in {None, BY_RULES}:
        return ()
    return (
        "facts were read by rules only; those of the previous version were also read by"
        f" {before}: add --extract claude to have these read",
    )


def should_replace_facts(extracted: Extracted, stored: StoredVersion) -> bool:
    """Return whether newly extracted facts are to replace the stored ones.

    Equal facts are not; and what another model or an earlier prompt read is kept until the whole
    document was read again.
    """
    if stored.facts_hash == extracted.extraction.sha256():
        return False
    is_partial = extracted.report is not None and bool(extracted.report.unread)
    return not is_partial or stored.facts_by in {None, BY_RULES, extracted.by}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyClaim:
    """A file, and the policy key that it would be stored under."""

    name: str
    """The file, as shown to people."""
    given: Overrides
    """What the caller says of it."""
    key: str
    """The policy's key."""
    key_source: KeySource
    """Where the key is from."""
    begins: date | None
    """Its first day in force; None if not stated."""
    sha256: bytes
    """Of its bytes."""


def claim_of(prepared: Prepared, *, name: str, given: Overrides) -> KeyClaim:
    """Return the claim of a file that was read."""
    return KeyClaim(
        name=name,
        given=given,
        key=prepared.metadata.key,
        key_source=prepared.key_source,
        begins=prepared.metadata.effective_from,
        sha256=prepared.sha256,
    )


def is_followed(metadata: PolicyMetadata, to_come: Iterable[KeyClaim]) -> bool:
    """Return whether a version of the same policy, still to be stored, begins by when it ends."""
    until = metadata.effective_until or date.min
    begins = (claim.begins or date.max for claim in to_come if claim.key == metadata.key)
    return any(begin <= until for begin in begins)


def find_key_conflicts(claims: Sequence[KeyClaim]) -> dict[int, str]:
    """Return, by index, why files of one run that share a key are refused: cause and cure."""
    by_key: defaultdict[str, list[int]] = defaultdict(list)
    for place, claim in enumerate(claims):
        by_key[claim.key].append(place)
    return {
        place: _refusal(claims[place], [claims[each] for each in places if each != place])
        for places in by_key.values()
        if not _may_stand_together([claims[place] for place in places])
        for place in places
    }


def _may_stand_together(claims: Sequence[KeyClaim]) -> bool:
    different = list({(claim.sha256, claim.given): claim for claim in claims}.values())
    if len(different) == 1:
        return True
    days = {claim.begins for claim in different}
    return (
        all(claim.key_source is KeySource.GIVEN for claim in different)
        and len(days) == len(different)
        and None not in days
    )


def _refusal(claim: KeyClaim, others: Sequence[KeyClaim]) -> str:
    named = [claim.name, *(other.name for other in others[: _NAMED - 1])]
    more = f" (and {len(others) + 1 - _NAMED} more)" if len(others) >= _NAMED else ""
    if all(each.key_source is KeySource.GIVEN for each in (claim, *others)):
        cure = "give each version its own first day (effective_from), or each policy its own key"
    else:
        cure = (
            "give each policy a key of its own in citebound.toml (key for a file, key_prefix for a"
            " folder); versions of one policy are given the same key, and effective_from each"
        )
    return (
        f"{' and '.join(named)}{more} would be one policy, {claim.key!r}"
        f" ({claim.key_source.value}): {cure}"
    )
