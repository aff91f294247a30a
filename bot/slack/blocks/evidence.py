"""The evidence of an answer, claim by claim: verbatim quotes with what stands around them.

Nothing is left out: what does not fit on a page is on the next one, and a long quote goes on in
parts that say so. Pages are turned by updating the view, since Slack lets only two be pushed.
"""

from collections.abc import Iterator, Mapping, Sequence

from bot.forms.evidence import TITLE, Around, paged, summary_of
from bot.replies.safe_text import line, pieces, shown, width
from bot.replies.sources import section_title, sources
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import BUTTON_URL as LONGEST_URL
from bot.slack.blocks.elements import (
    TEXT,
    Block,
    actions,
    button,
    context,
    header,
    plain,
    quoted,
    rich,
    said,
    section,
    words,
)
from bot.slack.blocks.modals import modal
from bot.slack.blocks.render_context import Setting
from core.domain.answer import Answer, ShownCitation, ShownClaim

PAGE_BLOCKS = 90
PAGE_TEXT = 12_000
"""Of 100 blocks and 250 kB (four bytes a character, escaped as JSON)."""


def loading_modal(answer_id: str) -> Block:
    """Return what is opened at once, while the evidence is read."""
    return _modal(answer_id, [section("Loading the evidence…")], page=None)


def evidence_modal(
    answer: Answer,
    answer_id: str,
    setting: Setting,
    *,
    around: Mapping[int, Around] | None = None,
    page: int = 0,
) -> Block:
    """Return one page of the evidence; `around` by the n of [n]."""
    pages = list(_pages(list(_claims(answer, setting, around or {}))))
    page = max(0, min(page, len(pages) - 1))
    blocks = [_verdict(answer), *(pages[page] if pages else [])]
    if len(pages) > 1:
        blocks += [context(f"Page {page + 1} of {len(pages)}"), _turning(answer_id, page, pages)]
    return _modal(answer_id, blocks, page=page if len(pages) > 1 else None)


def _modal(answer_id: str, blocks: Sequence[Block], *, page: int | None) -> Block:
    metadata = {"a": answer_id} if page is None else {"a": answer_id, "p": page}
    return modal(TITLE, blocks, callback_id=action_ids.VIEW_EVIDENCE, metadata=metadata)


def _verdict(answer: Answer) -> Block:
    summary = summary_of(answer)
    return {"type": "alert", "level": summary.level.value, "text": plain(summary.text, 200)}


def _claims(
    answer: Answer, setting: Setting, around: Mapping[int, Around]
) -> Iterator[list[Block]]:
    """Return what must stay together on a page, in order."""
    citations = {citation.number: citation for citation in answer.citations}
    for number, claim in enumerate(answer.claims, start=1):
        yield from _statement(number, claim, setting)
        for cited in claim.numbers:
            if cited in citations:
                yield from _quote(number, citations[cited], setting, around.get(cited, Around()))


def _statement(number: int, claim: ShownClaim, setting: Setting) -> Iterator[list[Block]]:
    told = line(claim.text, setting.library.hosts)
    title = header(f"{number}. {told}")
    whole = pieces(told, TEXT)
    is_cut = title["text"] != plain(f"{number}. {told}")
    rest = [rich(said(words(piece))) for piece in whole] if is_cut else []
    yield [title, *rest[:1]]
    yield from ([one] for one in rest[1:])


def _quote(
    claim: int, citation: ShownCitation, setting: Setting, around: Around
) -> Iterator[list[Block]]:
    hosts = setting.library.hosts
    parts = pieces(shown(citation.quote, hosts), TEXT) or ["-"]
    for index, part in enumerate(parts):
        is_first, is_last = index == 0, index == len(parts) - 1
        mark = f"[{citation.number}]" + (
            f" part {index + 1} of {len(parts)}" if len(parts) > 1 else ""
        )
        before = shown(around.shown_before, hosts) if is_first else ""
        after = shown(around.shown_after, hosts) if is_last else ""
        told = quoted(words(before), words(part, bold=True), words(after))
        unit = [rich(said(words(mark)), told)]
        yield [*unit, *_where(claim, citation, setting)] if is_last else unit


def _where(claim: int, citation: ShownCitation, setting: Setting) -> Iterator[Block]:
    source = next(iter(sources([citation], setting.library)))
    yield context(" · ".join(part for part in (source.title, source.about) if part))
    if source.url is not None and len(source.url) <= LONGEST_URL:
        label = f"Open {section_title(citation.place)}"
        opening = button(action_ids.OPEN_POLICY, "Open policy", str(citation.number), label=label)
        yield actions(f"open:{claim}:{citation.number}", {**opening, "url": source.url})


def _pages(units: Sequence[list[Block]]) -> Iterator[list[Block]]:
    return paged(units, size=lambda unit: width(str(unit)), most=PAGE_TEXT, items=PAGE_BLOCKS)


def _turning(answer_id: str, page: int, pages: Sequence[list[Block]]) -> Block:
    turns = [(page - 1, "Previous page"), (page + 1, "Next page")]
    return actions(
        f"pages:{page}",
        *(
            button(f"{action_ids.EVIDENCE_PAGE}:{to}", text, action_ids.value_of(answer_id, to))
            for to, text in turns
            if 0 <= to < len(pages)
        ),
    )
