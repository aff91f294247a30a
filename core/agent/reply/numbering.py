"""The claims of a reply as they are said and shown: numbered, within its size, with what they cite.

Pure.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from core.agent.reply.prose import ListLength, arranged, headed, prose, stating
from core.domain.answer import Claim, ShownCitation, ShownClaim
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyVersion
from core.domain.question import Assumption
from core.language.spans import Span, VersionId

MAX_ANSWER = 2_000
"""Characters of an answer."""


def numbered(
    claims: Sequence[Claim],
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
) -> tuple[tuple[Claim, ...], tuple[ShownClaim, ...], tuple[ShownCitation, ...]]:
    """Return the claims that fit as they are said, as they are shown, and what they cite.

    What names the columns of table rows comes last: it is cited for what rows say, by no claim.
    """
    said = arranged(_fitting(claims))
    cited = {one.span: one for claim in said for one in stating(claim)}
    headers = {
        row: header for claim in said for row, header in headed(claim) if header.span not in cited
    }
    cited |= {one.span: one for one in headers.values()}
    numbers = {span: number for number, span in enumerate(cited, start=1)}
    citations: list[ShownCitation] = []
    for span, citation in cited.items():
        begins = versions[span.version_id].metadata.effective_from
        header = headers.get(span)
        citations.append(
            ShownCitation(
                number=numbers[span],
                key=citation.key,
                span=span,
                quote=citation.quote,
                place=places[span],
                effective_from=begins.isoformat() if begins else None,
                header=numbers[header.span] if header else None,
            )
        )
    shown = tuple(
        ShownClaim(
            text=claim.text,
            numbers=tuple(dict.fromkeys(numbers[one.span] for one in stating(claim))),
        )
        for claim in said
    )
    return said, shown, tuple(citations)


def _fitting(claims: Sequence[Claim]) -> Sequence[Claim]:
    """Return the first claims that fit into an answer, at least one."""
    sizes = accumulate(len(claim.text) + 8 for claim in claims)
    return claims[: max(1, sum(size <= MAX_ANSWER for size in sizes))]


def text_of(
    claims: Sequence[Claim],
    citations: Sequence[ShownCitation],
    lists: Mapping[Span, ListLength] | None = None,
) -> str:
    """Return claims as the text of a reply."""
    headers = {one.header for one in citations}
    return prose(
        claims,
        numbers={one.span: one.number for one in citations if one.number not in headers},
        lists=lists,
        titles={one.span: one.place.title for one in citations},
    )


def unquoted(
    nearest: Sequence[SectionRef], citations: Sequence[ShownCitation]
) -> tuple[SectionRef, ...]:
    """Return the sections that nothing quotes."""
    quoted = {(one.place.policy_key, one.place.eid) for one in citations}
    return tuple(one for one in nearest if (one.policy_key, one.eid) not in quoted)


def assumed(assumptions: Sequence[Assumption]) -> tuple[str, ...]:
    """Return what was assumed, as it is printed."""
    return tuple(item.value for item in assumptions if item.slot != "referent")
