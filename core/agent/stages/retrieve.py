"""After `gate`, before `draft`: findings and chunks become keyed evidence."""

from collections.abc import Sequence

from core.agent.ablation import WithoutSections
from core.domain.evidence import Context, Evidence, EvidenceItem, Finding, RetrievedChunk
from core.domain.question import Scope
from core.language.spans import Span
from core.retrieval.retriever import Retrieved, Retriever


async def retrieve(
    retriever: Retriever | WithoutSections, query: str, scope: Scope, *, depth: int, neighbours: int
) -> Retrieved:
    """Search the chunks in scope."""
    return await retriever.retrieve(query, scope, depth=depth, neighbours=neighbours)


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
