"""The evidence of an answer as a modal, a page at a time.

Pages are turned by updating the view, since Slack lets only two be pushed.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import assert_never

from bot.forms.evidence import (
    LOADING,
    PIECE,
    RECORD,
    TITLE,
    BadgeGrounds,
    ClaimHeading,
    EvidenceItem,
    EvidenceView,
    QuotePart,
    page_of,
    summary_of,
)
from bot.replies.context import Library
from bot.replies.safe_text import pieces, width
from bot.replies.sections import section_title
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    BUTTON_URL,
    Block,
    actions,
    button,
    header,
    paragraph,
    plain,
    preformatted,
    quotation,
    rich_text,
    section,
    small,
    words,
)
from bot.slack.blocks.modals import modal
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

_OPEN_POLICY = Text("Open policy", "Richtlinie öffnen")
_OPEN = Text("Open {title}", "{title} öffnen")
PAGE_BLOCKS = 90
PAGE_TEXT = 12_000
"""Of 100 blocks and 250 kB (four bytes a character, escaped as JSON)."""


def loading_modal(answer_id: str, language: Language = Language.ENGLISH) -> Block:
    """Return the modal that is shown while the evidence is read."""
    return _modal([section(LOADING.of(language))], {"a": answer_id}, language)


def evidence_modal(evidence: EvidenceView, library: Library) -> Block:
    """Return the page to show."""
    page = page_of(
        evidence,
        library,
        draw=partial(_drawn, language=evidence.language),
        size=lambda unit: width(str(unit)),
        most=PAGE_TEXT,
        items=PAGE_BLOCKS,
    )
    ours, language = evidence.answer_id, evidence.language
    summary = summary_of(evidence.answer, language)
    alert: Block = {"type": "alert", "level": summary.level.value, "text": plain(summary.text, 200)}
    if not page.label:
        return _modal([alert, *page.items], {"a": ours}, language)
    turns = (
        button(f"{action_ids.EVIDENCE_PAGE}:{to}", text, action_ids.value_of(ours, to))
        for to, text in page.turns()
    )
    turning = [small(page.label), actions(f"pages:{page.index}", *turns)]
    return _modal([alert, *page.items, *turning], {"a": ours, "p": page.index}, language)


def _modal(blocks: list[Block], metadata: Mapping[str, Json], language: Language) -> Block:
    return modal(
        TITLE.of(language),
        blocks,
        callback_id=action_ids.VIEW_EVIDENCE,
        metadata=metadata,
        language=language,
    )


def _drawn(item: EvidenceItem, *, language: Language) -> Iterator[list[Block]]:
    match item:
        case ClaimHeading():
            return _heading(item)
        case QuotePart():
            return _quote(item, language)
        case BadgeGrounds():
            return _grounds(item, language)
        case _:
            assert_never(item)


def _heading(claim: ClaimHeading) -> Iterator[list[Block]]:
    """Return a heading, and the whole claim below it if the heading has no room for that."""
    told = f"{claim.number}. {claim.text}"
    title = header(told)
    is_cut = title["text"] != plain(told)
    rest = (
        [rich_text(paragraph(words(piece))) for piece in pieces(claim.text, PIECE)]
        if is_cut
        else []
    )
    noted = [small(claim.note)] if claim.note else []
    yield [title, *rest[:1], *noted]
    yield from ([one] for one in rest[1:])


def _quote(quote: QuotePart, language: Language) -> Iterator[list[Block]]:
    told = quotation(
        words(quote.before),
        words("“" if quote.is_first else ""),
        words(quote.text, bold=True),
        words("”" if quote.is_last else ""),
        words(quote.after),
    )
    yield [rich_text(told), *_where(quote, language)]


def _grounds(told: BadgeGrounds, language: Language) -> Iterator[list[Block]]:
    record = [section(RECORD.of(language)), rich_text(preformatted(words(told.record)))]
    lines = [small("\n".join(told.lines))] if told.lines else []
    yield [{"type": "divider"}, *lines, *(record if told.record else [])]


def _where(quote: QuotePart, language: Language) -> Iterator[Block]:
    source, number = quote.source, quote.cited.number
    if source is None:
        yield small(quote.mark)
        return
    yield small(" · ".join(filter(None, [f"{quote.mark} {source.title}", source.about])))
    if source.url is not None and len(source.url) <= BUTTON_URL:
        title = section_title(quote.cited.place, language)
        label = _OPEN.format(title=title).of(language)
        text = _OPEN_POLICY.of(language)
        opening = button(action_ids.OPEN_POLICY, text, str(number), label=label)
        yield actions(f"open:{quote.claim}:{number}", {**opening, "url": source.url})
