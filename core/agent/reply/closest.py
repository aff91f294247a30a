"""The closest passage: what is quoted where something was found that may answer the question.

It states nothing in words of ours or of a model: one claim, whose text is the stored text of what
was cited in one section, in the order of the policy.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from core.domain.answer import Citation, Claim
from core.domain.ontology import SectionRef
from core.language.phrasing import heads, marker_style, opening, phrase, unmarked
from core.language.spans import Span
from core.language.table_rows import read_row

CLAIMS = 2
"""Claims of a draft whose quotes are shown."""
_ADJACENT = 3
"""Characters between two quotes from which on something is left out between them."""


def closest_passage(claims: Sequence[Claim], places: Mapping[Span, SectionRef]) -> Claim:
    """Quote what the first of verified claims rest on, of the section of the very first.

    A list item keeps its lead-in and a table row its header, as far as the claims cite them.

    Args:
        claims: At least one, the best first.
        places: Where each quote stands.
    """
    home = _section(claims[0].citations[-1], places)
    cited = [
        [one for one in claim.citations if _section(one, places) == home]
        for claim in claims
        if _section(claim.citations[-1], places) == home
    ][:CLAIMS]
    quotes = {one.span: one for some in cited for one in some}
    in_order = sorted(quotes.values(), key=lambda one: (one.span.char_start, -one.span.char_end))
    outermost = tuple(_outermost(in_order))
    return Claim(text=f"“{_quotation(outermost)}”", citations=outermost)


def _section(citation: Citation, places: Mapping[Span, SectionRef]) -> tuple[int, str]:
    return citation.span.version_id, places[citation.span].eid


def _outermost(citations: Sequence[Citation]) -> Iterator[Citation]:
    """Yield each stretch once: nothing that lies within another one."""
    end = -1
    for citation in citations:
        if citation.span.char_end > end:
            end = citation.span.char_end
            yield citation


def _quotation(citations: Sequence[Citation]) -> str:
    """Join quotes to one text; what is left out between two of them is marked."""
    parts: list[str] = [unmarked(citations[0].quote)]
    header: str | None = None
    for before, citation in pairwise(citations):
        if _is_row(before.quote) and _is_row(citation.quote):
            if header is None:
                header, parts[-1] = before.quote, read_row(before.quote, citation.quote)
            else:
                parts[-1] += f". {read_row(header, citation.quote)}"
            continue
        header = None
        if heads(before.quote) and marker_style(before.quote) != marker_style(citation.quote):
            parts[-1] = opening(before.quote)
        is_next = citation.span.char_start - before.span.char_end < _ADJACENT
        parts += [*([] if is_next else ["…"]), unmarked(citation.quote)]
    kept = [part for part in parts if part]
    return " ".join([*kept[:-1], *map(phrase, kept[-1:])])


def _is_row(quote: str) -> bool:
    return " | " in quote
