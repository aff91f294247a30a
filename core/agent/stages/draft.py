"""After retrieval, before `verify`: evidence gets its keys, and the reasoner proposes claims."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agent.request import MAX_ASKED
from core.domain.answer import Citation, Claim, Draft
from core.domain.errors import ContractError
from core.domain.evidence import Context, Evidence, EvidenceItem, Finding, RetrievedChunk
from core.domain.question import Question
from core.domain.run import Attempt, Plan
from core.language.phrasing import fits, item_sentence, phrase, row_sentence
from core.language.spans import Span
from core.ports import Reasoner


def gather(
    findings: Sequence[Finding],
    chunks: Sequence[RetrievedChunk],
    *,
    context: Sequence[Context] = (),
) -> Evidence:
    """Key findings, what belongs to them, and chunks c1..cn; no stretch twice in one kind."""
    items: list[EvidenceItem] = []
    seen: set[Span] = set()
    for finding in findings:
        if finding.span not in seen:
            seen.add(finding.span)
            items.append(_finding(f"c{len(items) + 1}", finding))
    for one in context:
        if one.span not in seen:
            seen.add(one.span)
            items.append(_context(f"c{len(items) + 1}", one))
    return Evidence(items=tuple(items)).with_chunks(chunks)


def _finding(key: str, finding: Finding) -> EvidenceItem:
    return EvidenceItem(
        key=key,
        kind="finding",
        span=finding.span,
        text=finding.text,
        place=finding.place,
        relevance=None,
        roles=finding.roles,
        lead_in=finding.lead_in,
    )


def _context(key: str, one: Context) -> EvidenceItem:
    return EvidenceItem(
        key=key,
        kind="context",
        span=one.span,
        text=one.text,
        place=one.place,
        relevance=None,
        lead_in=one.lead_in,
    )


CHOICE = 2
"""Options that make a choice."""


async def draft(
    reasoner: Reasoner,
    question: Question,
    plan: Plan,
    evidence: Evidence,
    *,
    previous: Attempt | None = None,
) -> Draft:
    """Ask for a draft; without evidence there is nothing to draft from.

    A claim that cites a list item or table row of the evidence cites what introduces it too, and
    one in the item's own words says it: "- spa" alone may be what is paid, or what is not.

    Args:
        reasoner: Who drafts.
        question: What was asked.
        plan: What was planned.
        evidence: What may be cited.
        previous: The attempt to be bettered; None for the first.

    Raises:
        ContractError: A branch that asks nothing, too much, or offers no choice; a question back
            beside claims.
    """
    if not evidence.items:
        return Draft(claims=(), missing="no evidence")
    proposed = await reasoner.draft(question, plan, evidence, previous=previous)
    branch = proposed.branch
    if branch is not None and not (
        branch.question.strip()
        and len(branch.question) <= MAX_ASKED
        and len(branch.options) >= CHOICE
    ):
        raise ContractError(f"a branch must ask for one of several values: {branch!r:.200}")
    if proposed.asked is not None and (proposed.claims or len(proposed.asked.question) > MAX_ASKED):
        raise ContractError("a question back stands alone, and is short")
    return replace(proposed, claims=tuple(introduced(claim, evidence) for claim in proposed.claims))


def introduced(claim: Claim, evidence: Evidence) -> Claim:
    """Return a claim that cites, and where it only quotes also says, what introduces its items."""
    cited = {citation.span for citation in claim.citations}
    wanted: dict[Span, Citation] = {}
    for citation in claim.citations:
        item = evidence.get(citation.key)
        if item is not None and item.lead_in is not None and item.holds(citation.span):
            for one in item.lead_in.chain:
                header = fits(one.text, citation.quote)
                wanted[one.span] = Citation(
                    key=item.key, span=one.span, quote=one.text, is_header=header
                )
    if not wanted:
        return claim
    missing = [citation for span, citation in wanted.items() if span not in cited]
    text, said = claim.text, _folded(claim.text)
    if said in _folded(" ".join(citation.quote for citation in claim.citations)):
        quotes = [one.quote for one in wanted.values()]
        text = _under([one for one in quotes if _folded(phrase(one)) not in said], text)
    headers = {span for span, citation in wanted.items() if citation.is_header}
    given = (replace(one, is_header=one.span in headers) for one in claim.citations)
    return Claim(text=text, citations=(*missing, *given))


def _under(lead_ins: Sequence[str], text: str) -> str:
    """Return the words of an item or row behind what introduces it."""
    if not lead_ins:
        return text
    if fits(lead_ins[-1], text):
        return row_sentence(lead_ins[-1], text)
    return item_sentence(*lead_ins, text)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
