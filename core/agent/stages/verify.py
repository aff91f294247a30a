"""After `draft`, before `critique` and `judge`: hold each claim against the stored text.

Deterministic, without a model.

A claim passes if all hold, and is dropped otherwise:
1. cited: at least one citation, each key among the evidence, each span within that evidence;
2. quote: the text at the span, read from the database in the conversation's scope, is the quoted
  one;
3. numbers: every figure of the claim stands in a cited span, bounded in the same direction;
4. modality: what the claim requires, forbids or allows, the cited text does too, of the same people
  and on the same condition, and the claim does not deny it;
5. names: every role and country that the claim names stands in a cited span, belongs to the
  finding, or is the country of the cited policy;
6. place: a rule from the policy of one country is told by that country's name, unless the asker is
  known to mean it;
7. support: the claim is about what it cites.

A claim longer than an answer may be fails all of them unread.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.domain.answer import BY_CODE, Check, Citation, Claim, Draft, Verdict, Verified
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.grounding import Grounds, ungrounded
from core.domain.jurisdictions import country_name, jurisdictions_in
from core.domain.policy import Span

MAX_CLAIM = 2_000
"""Characters of a claim: a whole answer has no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a claim is held against."""

    evidence: Evidence
    stored: Mapping[Span, str]
    role_names: Sequence[str]
    foreign: Collection[str]
    asked: str


def verify(
    draft: Draft,
    evidence: Evidence,
    *,
    stored: Mapping[Span, str],
    role_names: Sequence[str],
    foreign: Collection[str] = (),
    asked: str = "",
) -> Verified:
    """Check every claim of a draft.

    Args:
        draft: The claims.
        evidence: What they may cite.
        stored: The text of each cited span as read from the database; a span that is not there is
            not in force,
            does not exist, or may not be read by everyone in the conversation.
        role_names: Names of the roles that the ontology knows.
        foreign: ISO 3166 codes of countries whose own rules may only be told by the country's
            name, since nothing says that the asker means that country.
        asked: The question: its figures are not claims about the policies.
    """
    known = _Known(
        evidence=evidence, stored=stored, role_names=role_names, foreign=foreign, asked=asked
    )
    verdicts: list[Verdict] = []
    kept: list[Claim] = []
    dropped: list[Claim] = []
    for index, claim in enumerate(draft.claims):
        found = list(_check(index, claim, known))
        verdicts += found
        (kept if all(verdict.passed for verdict in found) else dropped).append(claim)
    return Verified(claims=tuple(kept), dropped=tuple(dropped), verdicts=tuple(verdicts))


def _check(index: int, claim: Claim, known: _Known) -> Iterator[Verdict]:
    if len(claim.text) > MAX_CLAIM:
        reason = f"the claim has {len(claim.text)} characters; at most {MAX_CLAIM} are shown"
        for check in BY_CODE:
            yield Verdict(claim=index, check=check, passed=False, reason=reason)
        return
    items = [known.evidence.get(citation.key) for citation in claim.citations]
    quotes = [known.stored.get(citation.span, "") for citation in claim.citations]
    held = [item for item in items if item is not None]
    grounds = Grounds(
        texts=quotes,
        names=[name for item in held for name in _names_of(item)],
        titles=[title for item in held for title in (item.place.title, item.place.policy_title)],
        asked=known.asked,
        known_roles=known.role_names,
    )
    reasons: dict[Check, str | None] = {
        Check.CITED: _cited(claim, items),
        Check.QUOTE: _quoted(claim.citations, known.stored),
        **ungrounded(claim.text, grounds),
        Check.PLACE: _placed(claim.text, items, known.foreign),
    }
    if not items:
        reasons[Check.SUPPORT] = None
    for check in BY_CODE:
        reason = reasons[check]
        yield Verdict(claim=index, check=check, passed=reason is None, reason=reason or "")


def _names_of(item: EvidenceItem) -> Iterator[str]:
    """Yield what an item names beside its text: its roles, and the country of its policy."""
    yield from item.roles
    if item.place.jurisdiction:
        yield country_name(item.place.jurisdiction)


def _cited(claim: Claim, items: Sequence[EvidenceItem | None]) -> str | None:
    if not claim.text.strip():
        return "the claim says nothing"
    if not claim.citations:
        return "the claim cites nothing"
    for citation, item in zip(claim.citations, items, strict=True):
        if item is None:
            return f"{citation.key} is not among the evidence"
        if not item.holds(citation.span):
            return f"the span cited under {citation.key} is not within that evidence"
    return None


def _quoted(citations: Sequence[Citation], stored: Mapping[Span, str]) -> str | None:
    for citation in citations:
        text = stored.get(citation.span)
        if text is None:
            return f"{citation.key}: there is no such text in force for everyone who reads here"
        if text != citation.quote:
            return f"{citation.key}: the quote is not the stored text"
    return None


def _placed(
    text: str, items: Sequence[EvidenceItem | None], foreign: Collection[str]
) -> str | None:
    said = jurisdictions_in(text)
    unsaid = {
        item.place.jurisdiction
        for item in items
        if item is not None and item.place.jurisdiction in foreign
    } - said
    names = ", ".join(sorted(country_name(code) for code in unsaid if code))
    return f"a rule for {names} alone is told as if it held for the asker" if names else None
