"""From claims to the words of an answer: paragraphs, and lists with their lead-in once.

Only the joining is ours. A claim that says a list item with its lead-in, or a table row with its
header, stands with the others of its list; where the policy lists more than is quoted, the answer
says so by count. Every claim keeps the marks of what it cites.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.answer import Citation, Claim
from core.domain.layout import BULLET
from core.domain.modality import Modality, modality
from core.domain.phrasing import (
    introduces,
    item_sentence,
    marker_style,
    opening,
    phrase,
    row_sentence,
)
from core.domain.policy import Span
from core.domain.sentences import split_sentences
from core.domain.table_rows import fits

LONGEST_PARAGRAPH = 480
"""Characters up to which claims of one policy are joined: some five lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """How many items a list has in the policy."""

    count: int
    """Items, quoted or not."""
    is_all: bool = True
    """False: there are more, as the list goes on beyond what was read."""


@dataclass(slots=True)
class _Group:
    """Claims that are said together."""

    lead_in: Citation | None
    """What introduces them; None: each stands by itself."""
    claims: list[Claim] = field(default_factory=list[Claim])


def lead_in_of(claim: Claim) -> Citation | None:
    """Return what introduces the list item or table row that a claim says; None: it says neither.

    A claim in other words than its quotes stands by itself, whatever it cites.
    """
    if len(claim.citations) != 2:  # noqa: PLR2004
        return None
    first, second = claim.citations
    if fits(first.quote, second.quote):
        return first if claim.text == row_sentence(first.quote, second.quote) else None
    is_item = introduces(first.quote) and claim.text == item_sentence(first.quote, second.quote)
    return first if is_item else None


def listed_in(text: str, item: str, *, is_cut: bool) -> Listed | None:
    """Count the items of a list in the stored text.

    Args:
        text: The policy from what introduces the list on.
        item: One of its items: the others are marked alike.
        is_cut: True if the policy goes on after the text.

    Returns:
        None if the text has no such item.
    """
    style = marker_style(item)
    units = split_sentences(text)
    count, end = 0, 0
    for unit in units[1:]:
        is_apart = "\n\n" in text[end : unit.char_start].replace("\r", "")
        said = unit.of(text)
        if style and marker_style(said) == style:
            count += 1
        elif count and not marker_style(said) and (is_apart or introduces(said)):
            return Listed(count=count)
        end = unit.char_end
    return Listed(count=count, is_all=not is_cut) if count else None


def arranged(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return claims in the order in which they are said: those of one list come together."""
    return tuple(claim for group in _groups(claims) for claim in group.claims)


def prose(
    claims: Sequence[Claim],
    *,
    numbers: Mapping[Span, int],
    lists: Mapping[Span, Listed] | None = None,
    titles: Mapping[Span, str] | None = None,
) -> str:
    """Return claims as text, see `core.domain.layout`.

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
        if group.lead_in is not None and len(group.claims) > 1:
            first = _introduced(group.lead_in, len(group.claims), lists or {}, titles or {})
            lines.append("\n".join(_list(first, group, numbers)))
            joined = None
            continue
        claim = group.claims[0]
        said = f"{_alone(claim, group.lead_in, lists or {})} {_marks(claim.citations, numbers)}"
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
        lead_in = lead_in_of(claim)
        known = by_lead_in.get(lead_in.span) if lead_in else None
        if known is not None:
            known.claims.append(claim)
            continue
        group = _Group(lead_in=lead_in, claims=[claim])
        groups.append(group)
        if lead_in is not None:
            by_lead_in[lead_in.span] = group
    for group in groups:
        if group.lead_in is not None:
            group.claims.sort(key=lambda one: one.citations[-1].span.char_start)
    return groups


def _introduced(
    lead_in: Citation, quoted: int, lists: Mapping[Span, Listed], titles: Mapping[Span, str]
) -> str:
    """Return what stands above a list: of a table the title of its section, empty without one."""
    if introduces(lead_in.quote):
        return _with_count(opening(lead_in.quote), quoted, lists.get(lead_in.span))
    title = " ".join(titles.get(lead_in.span, "").split())
    return opening(title) if title else ""


def _list(first: str, group: _Group, numbers: Mapping[Span, int]) -> Iterator[str]:
    assert group.lead_in is not None  # noqa: S101
    lead_in, is_table = group.lead_in, not introduces(group.lead_in.quote)
    if first:
        yield f"{first} {_marks([lead_in], numbers)}"
    for claim in group.claims:
        item = claim.citations[-1]
        said = _unstopped(claim.text if is_table else phrase(item.quote))
        yield f"{BULLET}{said} {_marks([item] if first else claim.citations, numbers)}"


def _unstopped(item: str) -> str:
    """Return an item without its full stop, unless it is a whole sentence or several."""
    is_whole = item[:1].isupper() and modality(item) is not Modality.NONE
    return item if is_whole or ". " in item else item.removesuffix(".")


def _alone(claim: Claim, lead_in: Citation | None, lists: Mapping[Span, Listed]) -> str:
    if lead_in is None or not introduces(lead_in.quote):
        return claim.text
    said = opening(lead_in.quote)
    return f"{_with_count(said, 1, lists.get(lead_in.span))}{claim.text[len(said) :]}"


def _with_count(said: str, quoted: int, listed: Listed | None) -> str:
    """Say in what introduces a list how much of it follows, unless that is all."""
    if listed is None or (listed.is_all and listed.count <= quoted):
        return said
    more = "" if listed.is_all else "more than "
    return f"{said.removesuffix(':')} ({quoted} of {more}{listed.count} listed):"


def _marks(citations: Sequence[Citation], numbers: Mapping[Span, int]) -> str:
    return "".join(f"[{number}]" for number in dict.fromkeys(numbers[c.span] for c in citations))


def _belongs(claim: Claim, before: Claim) -> bool:
    """Say whether two claims are of one policy."""
    return {one.span.version_id for one in claim.citations} == {
        one.span.version_id for one in before.citations
    }
