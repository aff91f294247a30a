"""The card below an answer: sources that open on a click, and what can be done."""

from collections.abc import Iterator

from bot.replies.badge import head_of
from bot.replies.closest import ANSWERS_IT
from bot.replies.form_texts import asks_compliance
from bot.replies.quote_budget import QUOTES
from bot.replies.text import line, short
from bot.replies.text_reply import CUT
from bot.teams.cards.elements import Card, card, collapsed, dialog, execute, rich, run, small, told
from bot.teams.cards.limits import CARD_BYTES, size
from bot.teams.cards.render_context import Setting
from bot.teams.cards.sources import source_items
from bot.teams.protocol import action_ids
from core.domain.answer import Answer, Outcome

_ROOMS = (QUOTES, 2_000, 800, 0)
"""Characters that quotes may take, tried in turn until the card is small enough."""
WHOLE, WHOLE_LINES, MOST_OPTIONS = 3_000, 30, 10
"""Characters and lines of an answer's words in a dialog, and options of a clarification."""
UNDER_EVIDENCE = "The sources are under “Show evidence”."


def answer_card(answer: Answer, ours: str, setting: Setting) -> Card | None:
    """Return the card, at most 28 kB; None: there is nothing to show or to do."""
    if not ours and not answer.citations:
        return None
    deeds = list(_deeds(answer, ours, setting)) if ours else []
    for quotes in _ROOMS:
        made = card(_sources(answer, ours, setting, quotes=quotes), deeds)
        if size(made) <= CARD_BYTES:
            return made
    return card([small(UNDER_EVIDENCE)], deeds)


def whole_card(answer: Answer, setting: Setting) -> Card:
    """Return all of an answer, for a dialog; at most 28 kB."""
    head = head_of(answer)
    made = card([])
    for quotes in _ROOMS:
        words = short(answer.text, WHOLE, setting.library.hosts, mark=CUT)
        body = [
            *([rich(run(head.words, weight="Bolder"))] if head else []),
            *told(words, lines=WHOLE_LINES),
            *(rich(run(f"• {line(one, limit=200)}")) for one in answer.options[:MOST_OPTIONS]),
            *source_items(answer.citations, setting.library, quotes=quotes),
        ]
        made = card(body, is_wide=False)
        if size(made) <= CARD_BYTES:
            break
    return made


def _sources(answer: Answer, ours: str, setting: Setting, *, quotes: int) -> list[Card]:
    if not answer.citations or answer.is_closest:  # the text says where a closest passage stands
        return []
    items = source_items(answer.citations, setting.library, quotes=quotes)
    return collapsed(f"Sources ({len(answer.citations)})", f"src:{ours}", items)


def _deeds(answer: Answer, ours: str, setting: Setting) -> Iterator[Card]:
    data = action_ids.data_of(action_ids.ANSWER_KEY, ours)
    evidence = dialog(action_ids.EVIDENCE, "Show evidence", data)
    is_answered = answer.outcome is Outcome.ANSWERED
    if answer.is_closest:
        yield execute(action_ids.ANSWERS, ANSWERS_IT, data)
        yield dialog(action_ids.ESCALATE, asks_compliance(answer), data)
        yield evidence
        return
    if answer.citations:
        yield evidence
    is_main = not is_answered and answer.case_number is None
    style = {"style": "positive"} if is_main else {}
    yield dialog(action_ids.ESCALATE, asks_compliance(answer), data, **style)
    if not is_answered:
        return
    yield dialog(action_ids.REPORT, "Report a problem", data)
    if setting.may_share:
        yield execute(action_ids.SHARE, "Share in channel", data)
    if setting.asker:
        yield execute(action_ids.REMOVE, "Remove this answer", data, mode="secondary")
