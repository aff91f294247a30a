"""The evidence of an answer as the card of a dialog, a page at a time."""

from collections.abc import Iterator
from functools import partial
from typing import assert_never

from bot.forms.evidence import (
    PIECE,
    RECORD,
    BadgeGrounds,
    ClaimHeading,
    EvidenceItem,
    EvidenceView,
    Level,
    QuotePart,
    page_of,
    summary_of,
)
from bot.replies.context import Library
from bot.replies.safe_text import pieces
from bot.teams.cards.elements import (
    Card,
    card,
    container,
    paragraph,
    rich_text,
    size,
    small_print,
    submit_button,
    text_lines,
    text_run,
)
from bot.teams.protocol.action_ids import ANSWER_KEY, EVIDENCE_PAGE, data_of
from core.language.languages import Language

PAGE_BYTES, PAGE_ITEMS = 22_000, 60
LINES = 60
"""Of the 28 kB of a card; links and buttons take the rest."""
_STYLES = {Level.ALL: "good", Level.PARTLY: "warning", Level.NOTHING: "accent"}


def evidence_card(evidence: EvidenceView, library: Library) -> Card:
    """Return the page to show."""
    page = page_of(
        evidence,
        library,
        draw=partial(_drawn, language=evidence.language),
        size=lambda unit: size(list(unit)),
        most=PAGE_BYTES,
        items=PAGE_ITEMS,
    )
    summary, ours = summary_of(evidence.answer, evidence.language), evidence.answer_id
    verdict = paragraph(summary.text, weight="Bolder")
    above = container([verdict], style=_STYLES[summary.level], bleed=True)
    turning = (
        submit_button(EVIDENCE_PAGE, title, data_of(ANSWER_KEY, ours, to))
        for to, title in page.turns()
    )
    below = [small_print(page.label)] if page.label else []
    return card([above, *page.items, *below], turning, is_wide=False)


def _drawn(item: EvidenceItem, *, language: Language) -> Iterator[list[Card]]:
    match item:
        case ClaimHeading():
            return _heading(item)
        case QuotePart():
            return _quote(item)
        case BadgeGrounds():
            return _grounds(item, language)
        case _:
            assert_never(item)


def _heading(claim: ClaimHeading) -> Iterator[list[Card]]:
    for index, piece in enumerate(pieces(claim.text, PIECE) or ["-"]):
        first = f"{claim.number}. " if index == 0 else ""
        told = rich_text(text_run(f"{first}{piece}", weight="Bolder"), separator=index == 0)
        yield [told, *([small_print(claim.note)] if claim.note and index == 0 else [])]


def _quote(quote: QuotePart) -> Iterator[list[Card]]:
    before = text_lines(quote.before, isSubtle=True)
    after = text_lines(quote.after, isSubtle=True)
    begins, ends = "“" if quote.is_first else "", "”" if quote.is_last else ""
    text = text_lines(f"{begins}{quote.text}{ends}", lines=LINES, weight="Bolder")
    unit, source = [container([*before, *text, *after], style="emphasis")], quote.source
    if source is None:
        unit.append(small_print(quote.mark))
    else:
        title = text_run(source.title, url=source.url)
        unit.append(rich_text(text_run(f"{quote.mark} "), title, spacing="Small"))
        unit += [small_print(source.about)] if source.about else []
    yield unit


def _grounds(told: BadgeGrounds, language: Language) -> Iterator[list[Card]]:
    """Return what stands behind the badge, and the record in letters that can be copied."""
    made = [rich_text(text_run(one, size="Small", isSubtle=True)) for one in told.lines]
    if told.record:
        record = text_run(told.record, size="Small", fontType="Monospace")
        named = text_run(RECORD.of(language), size="Small", isSubtle=True)
        made += [rich_text(named), rich_text(record)]
    yield [container(made, separator=True, spacing="Medium")]
