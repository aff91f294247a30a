"""The clauses that a precedent rests on, and whom it may be told to because of them. Pure."""

import re
from collections.abc import Sequence

from core.domain.errors import UsageError
from core.domain.policy import EVERYONE
from core.language.spans import Span
from core.ports.precedents import (
    CLAUSE_LIMIT,
    AnsweredCase,
    BoundClause,
    ClauseName,
    PrecedentScope,
    Proposal,
    SectionText,
)


def clause_name(typed: str) -> ClauseName:
    """Read how an officer names a clause.

    Raises:
        UsageError: It names none.
    """
    place, colon, words = typed.strip().partition(": ")
    policy, _, section = place.partition("/")
    if not policy.strip() or not section.strip() or (colon and not words.strip()):
        raise UsageError(
            f"expected a clause like gifts/2.1, or gifts/2.1: words of it, got {typed!r}"
        )
    return ClauseName(policy=policy.strip(), section=section.strip(), words=words.strip())


def bound(section: SectionText, name: ClauseName) -> BoundClause:
    """Return the stretch of a section that a clause names, word for word as it is stored.

    Raises:
        UsageError: The words are not in it, or it is too long to be one clause.
    """
    words = r"\s+".join(map(re.escape, name.words.split())) or r"\S(?:.*\S)?"
    found = re.search(words, section.text, re.DOTALL)
    if found is None:
        raise UsageError(f"{name.policy}/{name.section}: these words do not stand there")
    if len(found.group()) > CLAUSE_LIMIT:
        raise UsageError(
            f"{name.policy}/{name.section} has {len(found.group())} characters: name the words of"
            f" it that count, {CLAUSE_LIMIT} at most, as in {name.policy}/{name.section}: WORDS"
        )
    start = section.char_start + found.start()
    return BoundClause(
        span=Span(
            version_id=section.version_id, char_start=start, char_end=start + len(found.group())
        ),
        quote=found.group(),
        policy=section.policy,
        version=section.version,
        section=section.section,
        audience=section.audience,
        jurisdiction=section.jurisdiction,
    )


def scope_of(
    proposal: Proposal, case: AnsweredCase, clauses: Sequence[BoundClause]
) -> PrecedentScope:
    """Return whom a precedent is for: as it was proposed, and never wider than its clauses.

    Raises:
        UsageError: Nobody may read all its clauses, or not all whom it was proposed for.
    """
    restricted = [one for one in clauses if EVERYONE not in one.audience]
    common = (
        frozenset[str].intersection(*(one.audience for one in restricted))
        if restricted
        else (frozenset({EVERYONE}))
    )
    groups = proposal.groups or common
    for one in restricted:
        if not groups or not groups <= one.audience:
            readers = ", ".join(sorted(one.audience)) or "nobody"
            raise UsageError(
                f"{one.policy} is for {readers} alone: name groups of these as those whom the"
                " precedent is for"
            )
    own = {one.jurisdiction for one in clauses} - {None}
    asked = {case.jurisdiction} - {None}
    given = proposal.jurisdictions
    wanted = given if given is not None else frozenset(filter(None, asked or own))
    for code in own:
        if not wanted or wanted - {code}:
            raise UsageError(
                f"a clause holds in {code} alone: the precedent can't be for other countries"
            )
    return PrecedentScope(groups=groups, jurisdictions=wanted)
