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
7. support: the claim is about what it cites, and does not lean on a claim before it that is dropped
  ("You must do so at once").

A list item or table row is held together with what introduces it, cited or not; a claim that is no
more than such an item says nothing by itself. A part of a sentence is held as the whole sentence:
"employees may" and "accept cash", cited apart, may have a "not" between them.

What is said of a policy itself (owner, version, last change) cites its heading and is held against
what is stored of the policy: it passes 3 to 7 if it is, word for word, a sentence that this bears
out, and fails them otherwise.

A claim longer than an answer may be fails all of them unread.
"""

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.answer import BY_CODE, Check, Citation, Claim, Draft, Verdict, Verified
from core.domain.errors import ContractError
from core.domain.evidence import Evidence, EvidenceItem, is_within
from core.domain.question import Question
from core.grounding.polarity import stands_in
from core.grounding.support import (
    Grounds,
    guard_probability,
    guard_texts,
    only_quotes,
    ungrounded,
)
from core.language.content_words import families
from core.language.jurisdictions import country_name, jurisdictions_in
from core.language.lead_ins import units_of
from core.language.modality import LIST_ITEM
from core.language.sentences import sentences_around
from core.language.spans import Span, TextSpan
from core.ports import CorpusReader, Knowledge, Reader

logger = logging.getLogger(__name__)

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
    metadata: Mapping[Span, Collection[str]]


async def check_draft(
    draft: Draft,
    evidence: Evidence,
    *,
    question: Question,
    foreign: Collection[str],
    corpus: CorpusReader,
    knowledge: Knowledge,
    guard: Reader | None,
) -> Verified:
    """Check every claim of a draft against what is stored now, in the question's scope.

    Args:
        draft: The claims.
        evidence: What they may cite.
        question: What was asked, and where.
        foreign: As for `verify`.
        corpus: Reads the cited spans.
        knowledge: Knows the names of roles.
        guard: See `supports`.
    """
    spans = {citation.span for claim in draft.claims for citation in claim.citations}
    stored = await corpus.read_spans(sorted(spans), question.scope)
    return verify(
        draft,
        evidence,
        stored=stored,
        role_names=await knowledge.role_names("\n".join(one.text for one in draft.claims)),
        foreign=foreign,
        asked=f"{question.text}\n{question.standalone}",
        guard=await supports(draft, evidence, stored=stored, guard=guard),
    )


def verify(
    draft: Draft,
    evidence: Evidence,
    *,
    stored: Mapping[Span, str],
    role_names: Sequence[str],
    foreign: Collection[str] = (),
    asked: str = "",
    guard: Mapping[int, float] | None = None,
    metadata: Mapping[Span, Collection[str]] | None = None,
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
        guard: Probabilities, by the place of a claim in the draft, that what it cites bears it out,
            as a reader of statements gave them; None without one.
        metadata: By the span of a policy's heading, the sentences that what is stored of the policy
            bears out; None: none are known, and no claim about a policy itself passes.
    """
    known = _Known(
        evidence=evidence,
        stored=stored,
        role_names=role_names,
        foreign=foreign,
        asked=asked,
        metadata=metadata or {},
    )
    verdicts: list[Verdict] = []
    kept: list[Claim] = []
    dropped: list[Claim] = []
    for index, claim in enumerate(draft.claims):
        found = list(_check(index, claim, known, support=(guard or {}).get(index)))
        if dropped and dropped[-1] is draft.claims[index - 1] and leans(claim.text):
            found = [_leaning(one) for one in found]
        verdicts += found
        (kept if all(verdict.passed for verdict in found) else dropped).append(claim)
    return Verified(claims=tuple(kept), dropped=tuple(dropped), verdicts=tuple(verdicts))


async def supports(
    draft: Draft, evidence: Evidence, *, stored: Mapping[Span, str], guard: Reader | None
) -> dict[int, float]:
    """Return how probable a guard finds it that what a claim cites bears it out.

    By the claim's place in the draft. Nothing for a claim that `verify` drops unread, or that only
    quotes; nothing at all without a guard, or if it fails: then the checks by code are all there
    is.

    Args:
        draft: The claims.
        evidence: What they may cite.
        stored: As for `verify`.
        guard: Reads a statement as a question with what it cites as a text.
    """
    found: dict[int, float] = {}
    if guard is None:
        return found
    for index, claim in enumerate(draft.claims):
        rested = _rested(claim, evidence, stored)
        if len(claim.text) > MAX_CLAIM or not rested.texts or only_quotes(claim.text, rested.texts):
            continue
        try:
            logits = await guard.scores(claim.text, guard_texts(rested.texts, rested.headings))
        except ContractError as error:
            logger.warning("statements are checked without a guard: %s", error)
            return {}
        found[index] = guard_probability(logits)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rested:
    """What a claim rests on."""

    items: Sequence[EvidenceItem | None]
    """The evidence of each citation; None where there is none."""
    quotes: Sequence[str]
    """The stored text of each citation, in whole sentences; empty where there is none."""
    leads: Mapping[int, str]
    """What introduces a cited item, by the place of its citation."""

    @property
    def texts(self) -> list[str]:
        """All of it, an introduction before its item."""
        both = [
            one for place, quote in enumerate(self.quotes) for one in (self.leads.get(place), quote)
        ]
        return list(dict.fromkeys(text for text in both if text))

    @property
    def headings(self) -> list[str]:
        """The policy's title and the section's, of the first citation."""
        held = next((item for item in self.items if item is not None), None)
        return [] if held is None else [held.place.policy_title, held.place.title]


def _rested(claim: Claim, evidence: Evidence, stored: Mapping[Span, str]) -> _Rested:
    items = [evidence.get(citation.key) for citation in claim.citations]
    return _Rested(
        items=items,
        quotes=[
            _whole(item, citation.span, stored.get(citation.span, ""))
            for citation, item in zip(claim.citations, items, strict=True)
        ],
        leads=dict(_introductions(claim.citations, items, evidence)),
    )


def _whole(item: EvidenceItem | None, span: Span, quote: str) -> str:
    """Return a quote with the rest of the sentences that it is from, as the evidence has them."""
    if item is None or not quote or not is_within(span, item.span):
        return quote
    start = span.char_start - item.span.char_start
    end = span.char_end - item.span.char_start
    if item.text[start:end] != quote:
        return quote
    return sentences_around(item.text, start, end).of(item.text)


def _check(index: int, claim: Claim, known: _Known, *, support: float | None) -> Iterator[Verdict]:
    if len(claim.text) > MAX_CLAIM:
        reason = f"the claim has {len(claim.text)} characters; at most {MAX_CLAIM} are shown"
        for check in BY_CODE:
            yield Verdict(claim=index, check=check, passed=False, reason=reason)
        return
    rested = _rested(claim, known.evidence, known.stored)
    items, quotes, leads = rested.items, rested.quotes, rested.leads
    held = [item for item in items if item is not None]
    grounds = Grounds(
        texts=rested.texts,
        names=[name for item in held for name in _names_of(item)],
        titles=[title for item in held for title in (item.place.title, item.place.policy_title)],
        asked=known.asked,
        known_roles=known.role_names,
        support=support,
    )
    reasons: dict[Check, str | None] = {
        Check.CITED: _cited(claim, items)
        or _bare(claim.text, [quotes[place] for place in leads], list(leads.values())),
        Check.QUOTE: _quoted(claim.citations, known.stored),
        **ungrounded(claim.text, grounds),
        Check.PLACE: _placed(claim.text, items, known.foreign),
    }
    if any(item.kind == "metadata" for item in held):
        unstored = _unstored(claim, known.metadata)
        reasons |= {check: unstored for check in reasons if check not in {Check.CITED, Check.QUOTE}}
    if not items:
        reasons[Check.SUPPORT] = None
    for check in BY_CODE:
        reason = reasons[check]
        yield Verdict(claim=index, check=check, passed=reason is None, reason=reason or "")


_LEANING = re.compile(
    r"(?:(?:this|these)\b(?!\s(?:policy|policies|code|document|rules?|section|standard)\b)"
    r"|(?:that|those|they|he|she|such|however|therefore|otherwise|thus|hence|but|and|then|also"
    r"|moreover|in\s(?:this|that|such)|if\s(?:so|not)|for\s(?:this|that)|the\ssame)\b"
    r"|(?-i:[Ii]t)\b(?!\s(?:is|was)\s(?:[\w']+\s){1,6}?(?:to|that|when|if)\b))"
    r"|[^.]{0,300}?\b(?:do|does|done)\sso\b",
    re.IGNORECASE,
)
"""Words that point to the sentence before. Of 1,299 supported statements, which all stand by
themselves, 12 do; they would go only after a sentence that is dropped."""


def leans(text: str) -> bool:
    """Say whether a sentence can't be understood without the one before it."""
    return _LEANING.match(" ".join(text.split())) is not None


def _leaning(verdict: Verdict) -> Verdict:
    if verdict.check is not Check.SUPPORT:
        return verdict
    return replace(verdict, passed=False, reason="it leans on a claim that was dropped")


def _introductions(
    citations: Sequence[Citation], items: Sequence[EvidenceItem | None], evidence: Evidence
) -> Iterator[tuple[int, str]]:
    """Yield for each cited item or row its place among the citations, and what introduces it.

    Nothing for an item whose introduction is cited, or is nowhere in the evidence.
    """
    cited = {citation.span for citation in citations}
    for place, (citation, item) in enumerate(zip(citations, items, strict=True)):
        if item is None or not (LIST_ITEM.match(citation.quote) or "|" in citation.quote):
            continue
        found = _leads(item, citation.span, evidence)
        if found and not any(is_within(span, one) for one, _ in found for span in cited):
            yield place, "\n".join(text for _, text in found)


def _leads(item: EvidenceItem, span: Span, evidence: Evidence) -> list[tuple[Span, str]]:
    """Return what introduces a cited item, as the ontology or a passage has it."""
    if item.lead_in is not None and span == item.span:
        return [(one.span, one.text) for one in item.lead_in.chain]
    for other in evidence.items:
        if not is_within(span, other.span):
            continue
        start = span.char_start - other.span.char_start
        for unit in units_of(other.text):
            if unit.lead_ins and unit.span.char_start <= start < unit.span.char_end:
                return [(_at(other, lead), lead.of(other.text)) for lead in unit.lead_ins]
    return []


def _at(item: EvidenceItem, span: TextSpan) -> Span:
    start = item.span.char_start
    return replace(item.span, char_start=start + span.char_start, char_end=start + span.char_end)


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


def _bare(text: str, quotes: Sequence[str], leads: Sequence[str]) -> str | None:
    """Say which introduction a claim lacks that is no more than a list item or row."""
    for quote, lead in zip(quotes, leads, strict=True):
        if stands_in(text, quote) and not families(text) & families(lead):
            return f"an item without what introduces it: {lead!r}"
    return None


def _quoted(citations: Sequence[Citation], stored: Mapping[Span, str]) -> str | None:
    for citation in citations:
        text = stored.get(citation.span)
        if text is None:
            return f"{citation.key}: there is no such text in force for everyone who reads here"
        if text != citation.quote:
            return f"{citation.key}: the quote is not the stored text"
    return None


def _unstored(claim: Claim, metadata: Mapping[Span, Collection[str]]) -> str | None:
    """Say whether a claim about policies themselves says what is stored of each that it cites."""
    if all(claim.text in metadata.get(citation.span, ()) for citation in claim.citations):
        return None
    return "this is not what is stored of the policy"


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
