"""The evidence of an answer, claim by claim: verbatim quotes with what stands around them.

Nothing is left out: what does not fit on a page is on the next one, and a long quote goes on in
parts that say so.
"""

from collections.abc import Iterator, Mapping

from bot.forms.evidence import Around, Level, paged, summary_of
from bot.replies.safe_text import line, pieces, shown
from bot.replies.sources import sources
from bot.teams.cards.elements import (
    RUN,
    Card,
    card,
    container,
    rich,
    run,
    said,
    small,
    submit,
    told,
)
from bot.teams.cards.limits import size
from bot.teams.cards.render_context import Setting
from bot.teams.protocol import action_ids
from core.domain.answer import Answer, ShownCitation, ShownClaim

PAGE_BYTES, PAGE_ITEMS = 22_000, 60
LINES = 60
"""Of the 28 kB of a card; links and buttons take the rest."""
_STYLES = {Level.ALL: "good", Level.PARTLY: "warning", Level.NOTHING: "accent"}


def evidence_card(
    answer: Answer,
    answer_id: str,
    setting: Setting,
    *,
    around: Mapping[int, Around] | None = None,
    page: int = 0,
) -> Card:
    """Return one page of the evidence; `around` by the n of [n]."""
    units = list(_claims(answer, setting, around or {}))
    pages = list(paged(units, size=_bytes, most=PAGE_BYTES, items=PAGE_ITEMS))
    page = max(0, min(page, len(pages) - 1))
    body = [_summary(answer), *(pages[page] if pages else [])]
    if len(pages) > 1:
        body.append(small(f"Page {page + 1} of {len(pages)}"))
    return card(body, _turning(answer_id, page, len(pages)), is_wide=False)


def _summary(answer: Answer) -> Card:
    summary = summary_of(answer)
    text = said(summary.text, weight="Bolder")
    return container([text], style=_STYLES[summary.level], bleed=True)


def _claims(answer: Answer, setting: Setting, around: Mapping[int, Around]) -> Iterator[list[Card]]:
    """Return what must stay together on a page, in order."""
    citations = {citation.number: citation for citation in answer.citations}
    for number, claim in enumerate(answer.claims, start=1):
        yield from _statement(number, claim, setting)
        for cited in claim.numbers:
            if cited in citations:
                yield from _quote(citations[cited], setting, around.get(cited, Around()))


def _statement(number: int, claim: ShownClaim, setting: Setting) -> Iterator[list[Card]]:
    words = line(claim.text, setting.library.hosts)
    for index, piece in enumerate(pieces(words, RUN) or ["-"]):
        first = f"{number}. " if index == 0 else ""
        yield [rich(run(f"{first}{piece}", weight="Bolder"), separator=index == 0)]


def _quote(citation: ShownCitation, setting: Setting, around: Around) -> Iterator[list[Card]]:
    hosts = setting.library.hosts
    parts = pieces(shown(citation.quote, hosts), RUN) or ["-"]
    for index, part in enumerate(parts):
        more = f" part {index + 1} of {len(parts)}" if len(parts) > 1 else ""
        items = told(part, lines=LINES) or [rich(run("-"))]
        if index == 0 and around.before.strip():
            items = [*told(shown(around.shown_before, hosts), isSubtle=True), *items]
        if index == len(parts) - 1 and around.after.strip():
            items = [*items, *told(shown(around.shown_after, hosts), isSubtle=True)]
        unit = [small(f"[{citation.number}]{more}"), container(items, style="emphasis")]
        yield [*unit, *_where(citation, setting)] if index == len(parts) - 1 else unit


def _where(citation: ShownCitation, setting: Setting) -> Iterator[Card]:
    source = next(iter(sources([citation], setting.library)))
    yield rich(run(source.title, url=source.url), spacing="Small")
    if source.about:
        yield small(source.about)


def _turning(answer_id: str, page: int, pages: int) -> Iterator[Card]:
    for to, title in ((page - 1, "Previous page"), (page + 1, "Next page")):
        if 0 <= to < pages:
            data = action_ids.data_of(action_ids.ANSWER_KEY, answer_id, to)
            yield submit(action_ids.EVIDENCE_PAGE, title, data)


def _bytes(unit: list[Card]) -> int:
    return size(list(unit))
