"""Limit verified claims to those that apply to the asker and to the conditions of the question.

After `verify`, for both reasoners: claims that passed it may still answer another question.

- A condition that a follow-up brings must be in what is quoted, or in a heading above it; where it
  is not, nothing is answered as if it held. Of other conditions, only those under which rules
  differ most (an official, a contractor) are noted where nothing quoted mentions them.
- A rule for one group of staff is never given as the asker's own unless they are known to belong
  to it: the bot asks, or shows the rule with the group's name before it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.agent.evidence_text import applying
from core.agent.wording import (
    AND,
    FOR_GROUP,
    FROM_ELSEWHERE,
    QUOTED_TITLE,
    UNMET,
    UNNAMED,
    WHICH_GROUP,
)
from core.domain.answer import (
    Answer,
    Badge,
    Branch,
    Claim,
    Confidence,
    Outcome,
    RefusalKind,
    Verified,
)
from core.domain.evidence import Evidence, EvidenceItem, Finding, is_within
from core.domain.question import ALL, EMPLOYMENT, Question
from core.language.conditions import Condition, ConditionKind, shares
from core.language.conditions import unmet_conditions as unmet
from core.language.jurisdictions import NAMES, country_code, jurisdictions_in, rules_of
from core.language.languages import Language
from core.language.people import GROUPS, STAFF, addressees, names_in, own_group, synonyms
from core.language.spans import Span


def foreign_countries(
    question: Question, local: frozenset[str | None], *, asked: Branch | None = None
) -> frozenset[str]:
    """Return the countries with policies of their own that the question is not known to be about.

    Known are the conversation's country, what the asker said, and what the question names, but for
    a country to which somebody goes ("Can I work from Spain?"); whoever asked for all is told all.
    A corpus whose every policy is of one country is the company's own.
    There are none for a draft that is not told, but asks for the country (`asked`): it needs its
    claims to show that the rules of countries differ.
    """
    if asked is not None and asked.slot == "jurisdiction":
        return frozenset()
    if len(local) < 2:  # noqa: PLR2004 - nowhere and somewhere, or two countries
        return frozenset()
    said = [one.value for one in question.assumptions if one.slot == "jurisdiction"]
    if ALL in said:
        return frozenset()
    known = {question.scope.jurisdiction, *map(country_code, said)}
    known |= rules_of(question.standalone)
    return frozenset(code for code in local if code and code in NAMES and code not in known)


STRICT = frozenset({"public official", "political party", "contractor", "intern", "volunteer"})
"""People for whom rules differ so much that one that does not name them is doubtful. Of 59 answered
questions about openly licensed workplace policies that name one of them, 5 have a labelled sentence
that does not."""
ENGAGED = frozenset({"contractor", "intern", "volunteer", "part-timer"})
"""Groups that one is or is not by contract: worth a question back."""
_OTHERS = frozenset({"contractor", "intern", "volunteer"})
"""Groups that nobody is who is known to be an employee."""
NAMED = 3
"""Titles that a note names at most."""
_SYNONYMS = 6
"""Other words for somebody that are searched with a question."""
_VERDICT = re.compile(
    r"^\s*(?:yes|no|not allowed|allowed|not permitted|permitted)\b[\s.,:;!-]*", re.IGNORECASE
)
"""A bare answer at the beginning of a claim."""
_OF_OTHERS = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
"""A question that asks for somebody: their duty is the answer to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicableClaims:
    """The claims that apply to the asker and to the conditions of the question."""

    verified: Verified
    """The verified claims, those for a group with its name before them."""
    unmet: tuple[Condition, ...] = ()
    """Conditions that nothing quoted speaks of."""
    branch: Branch | None = None
    """The group to ask for; None: nothing depends on it."""
    is_limited: bool = False
    """True: a claim holds for one group alone."""
    elsewhere: tuple[str, ...] = ()
    """Titles of the policies that the question names, where nothing quoted is of them."""
    unnamed: tuple[str, ...] = ()
    """What the question names of a kind of which the policies name others, and not that."""
    language: Language = Language.ENGLISH
    """Of the notes."""

    @property
    def is_beside(self) -> bool:
        """True if a follow-up asked about nothing but what is not spoken of.

        A rule that names no amount holds for any: the note says so.
        """
        return bool(self.unnamed) or any(
            one.is_new and one.kind is not ConditionKind.AMOUNT for one in self.unmet
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of conditions that nothing quoted speaks of."""
        named = dict.fromkeys(one.words for one in self.unmet if one.words)
        language = self.language
        missing = tuple(UNMET.format(condition=words).of(language) for words in named)
        missing += tuple(UNNAMED.format(name=words).of(language) for words in self.unnamed)
        if not self.elsewhere:
            return missing
        quoted = (QUOTED_TITLE.format(title=one).of(language) for one in self.elsewhere[:NAMED])
        titles = AND.of(language).join(quoted)
        return (*missing, FROM_ELSEWHERE.format(titles=titles).of(language))

    def capped(self, confidence: Confidence) -> Confidence:
        """Return the confidence, never high where something does not fit."""
        is_high = confidence.badge is Badge.HIGH
        if is_high and (self.unmet or self.is_limited or self.elsewhere):
            return replace(confidence, badge=Badge.MEDIUM)
        return confidence


def people_concerned(question: Question) -> frozenset[str]:
    """Return the people whom a question is about, as `core.language.people` names them.

    For the ranking: a rule that names them goes before one that does not.
    """
    return frozenset(
        one.name
        for one in question.conditions
        if one.name
        and one.kind in {ConditionKind.COUNTERPARTY, ConditionKind.GROUP}
        and (one.is_new or one.name in STRICT)
    )


def things_brought(question: Question) -> tuple[str, ...]:
    """Return what a follow-up brings that is nobody, no place and no amount, in its words."""
    return tuple(
        one.words for one in question.conditions if one.is_new and one.kind is ConditionKind.OTHER
    )


def query_of(question: Question) -> str:
    """Return the search query: the question, with other words for the people it is about."""
    added = [
        word
        for one in question.conditions
        if one.kind in {ConditionKind.COUNTERPARTY, ConditionKind.GROUP}
        and (one.is_new or one.name in STRICT)
        for word in synonyms(one.name)[:_SYNONYMS]
    ]
    return " ".join([question.search_text, *dict.fromkeys(added)])


def unmet_conditions(question: Question, quoted: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of a question that nothing quoted speaks of.

    Args:
        question: Its new conditions are all looked for, of the others those of `STRICT`. A country
            is missed only where another one is named: what holds everywhere holds there.
        quoted: Each quoted text under its headings.
    """
    looked_for = [one for one in question.conditions if one.is_new or one.name in STRICT]
    missing = unmet(looked_for, quoted)
    elsewhere = bool(jurisdictions_in("\n".join(quoted), with_cities=True))
    return tuple(one for one in missing if one.kind is not ConditionKind.PLACE or elsewhere)


def applicable_claims(
    question: Question, verified: Verified, evidence: Evidence
) -> ApplicableClaims:
    """Limit verified claims to those that apply to the asker and to what they ask."""
    applies = applying(question.standalone, evidence.items)
    groups = [_groups_of(claim, evidence) - groups_named(question) for claim in verified.claims]
    kept = [
        (claim, found)
        for claim, found in zip(verified.claims, groups, strict=True)
        if not _is_for_others(question, found)
        and not _is_of_another_thing(question, claim, verified.claims)
        and not _rests_on(claim, applies.others)
    ]
    wants_all = any(one.value == ALL for one in question.assumptions)
    limited = frozenset(name for _, found in kept for name in found)
    is_all_limited = bool(kept) and all(found for _, found in kept)
    claims = tuple(_named(claim, found) for claim, found in kept)
    # What holds for everybody comes before what holds for a group.
    ordered = tuple(claim for claim, (_, found) in zip(claims, kept, strict=True) if not found)
    ordered += tuple(claim for claim, (_, found) in zip(claims, kept, strict=True) if found)
    ordered = tuple(sorted(ordered, key=lambda claim: not _is_named(question, claim, evidence)))
    dropped = tuple(claim for claim in verified.claims if claim not in {one for one, _ in kept})
    return ApplicableClaims(
        verified=replace(verified, claims=ordered, dropped=(*verified.dropped, *dropped)),
        unmet=unmet_conditions(question, list(_quoted(ordered, evidence))) if ordered else (),
        branch=_which_group(limited & ENGAGED, question.language)
        if is_all_limited and not wants_all
        else None,
        is_limited=bool(limited),
        elsewhere=_elsewhere(question, ordered, evidence),
        unnamed=applies.unnamed,
        language=question.language,
    )


def within_policies(question: Question, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of the policies to which a question is bound; all if it is to none."""
    bound = question.bound
    return tuple(one for one in findings if not bound or one.place.policy_key in bound)


def _is_named(question: Question, claim: Claim, evidence: Evidence) -> bool:
    """Say whether a claim rests on a policy that the question names; of none named, each does."""
    items = [evidence.get(citation.key) for citation in claim.citations]
    titles = {item.place.policy_title for item in items if item is not None}
    return not question.named or bool(titles & set(question.named))


def _elsewhere(question: Question, claims: Sequence[Claim], evidence: Evidence) -> tuple[str, ...]:
    """Return the titles that a question names, if what is quoted is all of other policies."""
    is_named = any(_is_named(question, claim, evidence) for claim in claims)
    return () if is_named or not claims else question.named


def with_notes(answer: Answer, notes: Sequence[str]) -> Answer:
    """Return an answer or a refusal with notes; a question back, or what is off topic, has none."""
    is_refused = answer.outcome in {Outcome.REFUSED, Outcome.ESCALATED}
    is_off = answer.refusal in {RefusalKind.OUT_OF_SCOPE, RefusalKind.NOT_PERMITTED}
    fits = answer.outcome is Outcome.ANSWERED or (is_refused and not is_off)
    return replace(answer, notes=(*answer.notes, *notes)) if fits else answer


def groups_named(question: Question) -> frozenset[str]:
    """Return the groups that a question names or its asker belongs to.

    All of them where it asks for somebody: "Who approves this?" is answered by a duty of theirs.
    """
    if _OF_OTHERS.search(question.standalone):
        return GROUPS
    return names_in(question.standalone) | _known(question)


def _known(question: Question) -> frozenset[str]:
    """Return the groups that the asker is known to belong to."""
    said = [one.value for one in question.assumptions if one.slot == EMPLOYMENT]
    own = own_group(question.standalone)
    return frozenset((*(name for value in said for name in names_in(value)), own or ""))


def _is_for_others(question: Question, groups: frozenset[str]) -> bool:
    """Say whether a rule is for people of another contract than the asker is known to have."""
    return bool(groups) and groups <= _OTHERS and bool(_known(question) & {STAFF, *ENGAGED})


def _is_of_another_thing(question: Question, claim: Claim, claims: Sequence[Claim]) -> bool:
    """Say whether a list item or a table row tells of something else than a follow-up asks about.

    Only beside a quote that tells of that.
    """
    return any(
        len(claim.citations) > 1
        and not shares(said, claim.citations[-1].quote)
        and any(
            shares(said, one.citations[-1].quote, enough=1.0) for one in claims if one.citations
        )
        for said in things_brought(question)
    )


def _rests_on(claim: Claim, others: frozenset[Span]) -> bool:
    """Say whether all that a claim says stands in the rule of something else."""
    quoted = [citation.span for citation in claim.citations if not citation.is_header]
    return bool(quoted) and all(any(is_within(span, other) for other in others) for span in quoted)


def _groups_of(claim: Claim, evidence: Evidence) -> frozenset[str]:
    """Return the groups that a claim's rule is for; nobody where any of its quotes is for all."""
    found: list[frozenset[str]] = []
    lead_in = ""
    for citation in claim.citations:
        if citation.quote.rstrip().endswith(":"):
            lead_in = citation.quote
            continue
        item = evidence.get(citation.key)
        found.append(addressees(citation.quote, item.place.title if item else "", lead_in))
    return frozenset(name for one in found for name in one) if all(found) else frozenset()


def _named(claim: Claim, groups: frozenset[str]) -> Claim:
    """Return a claim with the groups that it is for before it, and no verdict of its own."""
    if not groups:
        return claim
    said = _VERDICT.sub("", claim.text) or claim.text
    return replace(claim, text=FOR_GROUP.format(groups=_listed(groups), claim=said))


def _which_group(groups: frozenset[str], language: Language) -> Branch | None:
    if not groups:
        return None
    asked = WHICH_GROUP.format(groups=_listed(groups)).of(language)
    return Branch(slot=EMPLOYMENT, question=asked, options=(*sorted(groups), STAFF))


def _listed(groups: frozenset[str]) -> str:
    names = [name if name.endswith("staff") else f"{name}s" for name in sorted(groups)]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _quoted(claims: Sequence[Claim], evidence: Evidence) -> Iterator[str]:
    """Yield each quote under its headings, an item under the sentence that introduces it."""
    for claim in claims:
        lead_in = ""
        for citation in claim.citations:
            heading = _heading(evidence.get(citation.key))
            yield "\n".join(part for part in (heading, lead_in, citation.quote) if part)
            lead_in = citation.quote if citation.quote.rstrip().endswith(":") else lead_in


def _heading(item: EvidenceItem | None) -> str:
    if item is None:
        return ""
    place = item.place
    return "\n".join(dict.fromkeys((place.policy_title, *place.path, place.title)))
