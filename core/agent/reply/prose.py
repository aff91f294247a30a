"""From claims to the words of an answer: paragraphs, and lists with their lead-in once.

Only the joining is ours. A claim that says a list item with its lead-in, or a table row with its
header, stands with the others of its list; where the policy lists more than is quoted, the answer
gives the count. Every claim keeps the marks of what it cites. The closest passage of a refusal is a
quotation alone: the stored text that was cited in one section, in the order of the policy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from core.agent.reply.text_blocks import BULLET
from core.domain.answer import Citation, Claim
from core.domain.ontology import SectionRef
from core.language.lead_ins import introduced_units
from core.language.modality import Modality, modality
from core.language.phrasing import (
    fits,
    heads,
    item_sentence,
    marker_style,
    opening,
    phrase,
    read_row,
    row_sentence,
    unmarked,
)
from core.language.spans import Span

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


LONGEST_PARAGRAPH = 480
"""Characters up to which claims of one policy are joined: some five lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLength:
    """How many items a list has in the policy."""

    count: int
    """Items, quoted or not."""
    is_all: bool = True
    """False: there are more, as the list goes on beyond what was read."""


@dataclass(slots=True)
class _Group:
    """Claims that are said together."""

    lead_ins: tuple[Citation, ...]
    """What introduces them, outermost first; empty: each stands by itself."""
    claims: list[Claim] = field(default_factory=list[Claim])

    @property
    def is_table(self) -> bool:
        """True if they are rows of a table."""
        return bool(self.lead_ins) and fits(
            self.lead_ins[-1].quote, self.claims[0].citations[-1].quote
        )


def lead_ins_of(claim: Claim) -> tuple[Citation, ...]:
    """Return what introduces the list item or table row that a claim says, outermost first.

    Empty if it says neither. A claim in other words than its quotes stands by itself, whatever it
    cites.
    """
    if len(claim.citations) < 2:  # noqa: PLR2004
        return ()
    *above, last = claim.citations
    if fits(above[-1].quote, last.quote):
        said = row_sentence(above[-1].quote, last.quote)
    else:
        said = item_sentence(*(one.quote for one in claim.citations))
    return tuple(above) if claim.text == said else ()


def listed_in(text: str, *, introduced_by: int, is_cut: bool) -> ListLength | None:
    """Count the items of a list in the stored text.

    Args:
        text: The policy from what introduces the list on.
        introduced_by: Characters of what introduces it.
        is_cut: True if the policy goes on after the text.

    Returns:
        None if it introduces nothing.
    """
    count, end = 0, introduced_by
    for unit in introduced_units(text):
        leads = [lead.char_start for lead in unit.lead_ins]
        is_apart = "\n\n" in text[end : unit.span.char_start].replace("\r", "")
        if 0 in leads:
            count += leads[-1] == 0
        elif count and (unit.kind != "sentence" or is_apart):
            return ListLength(count=count)
        end = unit.span.char_end
    return ListLength(count=count, is_all=not is_cut) if count else None


def stating(claim: Claim) -> tuple[Citation, ...]:
    """Return what a claim rests on: its citations without the names of a table's columns."""
    return tuple(one for one in claim.citations if not one.is_header) or claim.citations


def headed(claim: Claim) -> Iterator[tuple[Span, Citation]]:
    """Yield each row that a claim cites, with what names its columns."""
    header: Citation | None = None
    for one in claim.citations:
        if one.is_header:
            header = one
        elif header is not None and fits(header.quote, one.quote):
            yield one.span, header


def arranged(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return claims in the order in which they are said: those of one list come together."""
    return tuple(claim for group in _groups(claims) for claim in group.claims)


def prose(
    claims: Sequence[Claim],
    *,
    numbers: Mapping[Span, int],
    lists: Mapping[Span, ListLength] | None = None,
    titles: Mapping[Span, str] | None = None,
) -> str:
    """Return claims as text, see `core.agent.reply.text_blocks`.

    Args:
        claims: In the order of `arranged`.
        numbers: The n of [n] of each cited span.
        lists: By the span of their lead-in, lists as the policy has them; one that is not there
            is taken to be quoted whole.
        titles: Of the sections in which spans stand: what introduces the rows of a table.
    """
    lines: list[str] = []
    joined: Claim | None = None
    for group in _groups(claims):
        if len(group.claims) > 1:
            first = _introduced(group, lists or {}, titles or {})
            lines.append("\n".join(_list(first, group, numbers)))
            joined = None
            continue
        claim = group.claims[0]
        said = f"{_alone(group, lists or {}, titles or {})} {_marks(claim.citations, numbers)}"
        if joined and _belongs(claim, joined) and len(lines[-1]) + len(said) < LONGEST_PARAGRAPH:
            lines[-1] = f"{lines[-1]} {said}"
        else:
            lines.append(said)
        joined = claim
    return "\n\n".join(lines)


def _groups(claims: Sequence[Claim]) -> list[_Group]:
    """Put claims of one list together, where its first one stands, in the order of the policy."""
    groups: list[_Group] = []
    by_lead_in: dict[Span, _Group] = {}
    for claim in claims:
        lead_ins = lead_ins_of(claim)
        known = by_lead_in.get(lead_ins[-1].span) if lead_ins else None
        if known is not None:
            known.claims.append(claim)
            continue
        group = _Group(lead_ins=lead_ins, claims=[claim])
        groups.append(group)
        if lead_ins:
            by_lead_in[lead_ins[-1].span] = group
    for group in groups:
        if group.lead_ins:
            group.claims.sort(key=lambda one: one.citations[-1].span.char_start)
    return groups


def _introduced(group: _Group, lists: Mapping[Span, ListLength], titles: Mapping[Span, str]) -> str:
    """Return what stands above a list; of a table without a lead-in the title of its section."""
    above = _openings(group)
    if above:
        listed = None if group.is_table else lists.get(group.lead_ins[-1].span)
        return _with_count(" ".join(above), len(group.claims), listed)
    title = " ".join(titles.get(group.lead_ins[-1].span, "").split())
    return opening(title) if title else ""


def _list(first: str, group: _Group, numbers: Mapping[Span, int]) -> Iterator[str]:
    if first:
        yield f"{first} {_marks(group.lead_ins, numbers)}".rstrip()
    for claim in group.claims:
        item = claim.citations[-1]
        said = _unstopped(claim.text if group.is_table else phrase(item.quote))
        yield f"{BULLET}{said} {_marks([item] if first else claim.citations, numbers)}"


def _unstopped(item: str) -> str:
    """Return an item without its full stop, unless it is a whole sentence or several."""
    return item if _says_rule(item) or ". " in item else item.removesuffix(".")


def _says_rule(item: str) -> bool:
    """Say whether an item is a rule by itself, and no part of a sentence."""
    said = phrase(item)
    return said[:1].isupper() and modality(said) is not Modality.NONE


def _alone(group: _Group, lists: Mapping[Span, ListLength], titles: Mapping[Span, str]) -> str:
    """Return a claim that stands by itself.

    A part of a sentence says of how many it is one, and a row what its table is about.
    """
    claim = group.claims[0]
    if not group.lead_ins or (not group.is_table and _says_rule(claim.citations[-1].quote)):
        return claim.text
    said = _introduced(group, lists, titles)
    if not group.is_table:
        return f"{said}{claim.text[len(' '.join(_openings(group))) :]}"
    return f"{said.removesuffix(':')} \u2013 {claim.text}" if said else claim.text


def _openings(group: _Group) -> list[str]:
    return [opening(one.quote) for one in group.lead_ins[: -1 if group.is_table else None]]


def _with_count(said: str, quoted: int, listed: ListLength | None) -> str:
    """Say in what introduces a list how much of it follows, unless that is all."""
    if listed is None or (listed.is_all and listed.count <= quoted):
        return said
    more = "" if listed.is_all else "more than "
    return f"{said.removesuffix(':')} ({quoted} of {more}{listed.count} listed):"


def _marks(citations: Sequence[Citation], numbers: Mapping[Span, int]) -> str:
    """Return the marks of what claims rest on; what names columns has none."""
    found = (numbers[one.span] for one in citations if one.span in numbers)
    return "".join(f"[{number}]" for number in dict.fromkeys(found))


def _belongs(claim: Claim, before: Claim) -> bool:
    """Say whether two claims are of one policy."""
    return {one.span.version_id for one in claim.citations} == {
        one.span.version_id for one in before.citations
    }
