"""What officers and askers read of cases in blocks, and officers of affected answers."""

from collections.abc import Iterator
from dataclasses import replace

from bot.forms.affected_view import NOW, PAGE, AffectedView, affected_view, without_console
from bot.forms.case_view import (
    ASKED_BY,
    EARLIER,
    EARLIER_WAS,
    GOT,
    HIDDEN,
    NO_ANSWER,
    NOTE,
    NOTED,
    OPEN_THREAD,
    QUESTION,
    REPLY,
    TOLD,
    WHERE_ASKED,
    CaseView,
    case_view,
    noted,
)
from bot.replies import case_texts
from bot.replies.answer import officer_badge, superseded_badge
from bot.replies.buttons import ACCEPT, ASK_AGAIN, reminder_buttons
from bot.replies.case_texts import instead_text
from bot.replies.context import RenderContext
from bot.replies.notices import AUTOMATED
from bot.replies.safe_text import CUT, line, permalink_or_none, short, width
from bot.slack.blocks import action_ids
from bot.slack.blocks.answer import source_blocks
from bot.slack.blocks.elements import (
    Block,
    actions,
    bullet_list,
    button,
    collapsed,
    header,
    mrkdwn,
    paragraph,
    press_button,
    quotation,
    rich_text,
    section,
    small,
    small_mrkdwn,
    with_id,
    words,
)
from bot.slack.blocks.mrkdwn import (
    LIMIT,
    answer_text,
    badge_words,
    escaped,
    link,
    mention,
    moment,
    within,
)
from bot.slack.blocks.written import written_elements, written_text
from core.cases.written import plain
from core.domain.affected import AffectedEdition
from core.domain.answer import Answer
from core.domain.case import (
    Case,
    CaseNews,
    CaseReminder,
    CaseState,
    OfficerReply,
    SupersededAnswer,
)
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

EARLIER_SOURCES = 4
"""Of an earlier answer: a container holds ten blocks."""


def case_blocks(case: Case, context: RenderContext) -> list[Block]:
    """Return the officers' card."""
    view = _view(case, context)
    if view.is_hidden:
        return [header(view.title), section(HIDDEN.of(context.language))]
    blocks = [
        header(view.title),
        rich_text(*_asked(case, context)),
        mrkdwn("  ·  ".join(_about(case, view, context.language))),
    ]
    if case.answer is not None:
        got = _earlier(GOT, case.answer, context)
        blocks.append(with_id(got, f"case_src:{case.case_id}"))
    if view.buttons:
        buttons = (press_button(one, case.case_id, context.language) for one in view.buttons)
        blocks.append(actions(f"case:{case.case_id}", *buttons))
    return [*blocks, small_mrkdwn(view.opened)]


def case_text(case: Case, context: RenderContext) -> str:
    """Return the card as mrkdwn."""
    view = _view(case, context)
    if view.is_hidden:
        return f"{view.title}\n{HIDDEN.of(context.language)}"
    language = context.language
    asked = " ".join(within(case.question, QUESTION, language).split())
    answered = within(plain(case.told), 1_000, language) if case.told else ""
    told = [f"{TOLD.of(language)}: {answered}"] if case.told else []
    about = "  ·  ".join(_about(case, view, language))
    return "\n".join([view.title, f"> {asked}", about, *told])


def _view(case: Case, context: RenderContext) -> CaseView:
    return case_view(
        case,
        is_public=context.is_public,
        moment=moment,
        literal=escaped,
        language=context.language,
    )


def affected_blocks(affected: AffectedEdition, context: RenderContext) -> list[Block]:
    """Return the officers' card of an edition that affects past answers."""
    language = context.language
    view = affected_view(affected, language)
    parts: list[Json] = []
    for clause in view.clauses:
        parts.append(paragraph(words(clause.head, bold=True)))
        if clause.before:
            parts.append(quotation(words(clause.before)))
        if clause.after:
            parts.append(paragraph(words(f"{NOW.of(language)}: ", bold=True), words(clause.after)))
    if view.left_out:
        parts.append(paragraph(words(view.left_out)))
    page = context.library.page(PAGE.format(edition=affected.edition))
    buttons = list(_affected_buttons(affected, view, page, language))
    return [
        header(view.title),
        rich_text(*parts),
        rich_text(bullet_list(words(one) for one in view.states)),
        *([actions(f"affected:{affected.edition}", *buttons)] if buttons else []),
        *([] if page else [small(without_console(affected).of(language))]),
    ]


def affected_text(affected: AffectedEdition, context: RenderContext) -> str:
    """Return the same as mrkdwn, without what stood there."""
    view = affected_view(affected, context.language)
    lines = [view.title, *(f"• {one.head}" for one in view.clauses), view.left_out, *view.states]
    return "\n".join(escaped(one) for one in lines if one)


def _affected_buttons(
    affected: AffectedEdition, view: AffectedView, page: str | None, language: Language
) -> Iterator[Block]:
    if view.button is not None:
        shown = action_ids.value_of(str(affected.edition), affected.total)
        yield press_button(view.button, shown, language)
    if page is not None:
        opening = button(action_ids.OPEN_CONSOLE, view.link_text, str(affected.edition))
        yield {**opening, "url": page}


def officer_blocks(reply: OfficerReply, context: RenderContext, *, last: str) -> list[Block]:
    """Return an officer's answer: name, question, words; without a label for generated text.

    `last` names its case and its record.
    """
    question = words(short(reply.question, QUESTION))
    language = context.language
    where = _where(reply, language)
    buttons = (press_button(one, reply.case_id, language) for one in (ACCEPT, ASK_AGAIN))
    return [
        mrkdwn(_officer_line(reply, language)),
        rich_text(quotation(question), *written_elements(reply.text, context, mentions=True)),
        *([mrkdwn(where)] if where else []),
        actions(f"done:{reply.case_id}", *buttons),
        small(last),
    ]


def officer_text(reply: OfficerReply, context: RenderContext, *, last: str) -> str:
    """Return the same as mrkdwn; where it would be too long, without links."""
    language = context.language
    asked = " ".join(within(reply.question, 400, language).split())
    told = written_text(reply.text, context)
    if width(told) > REPLY:
        told = within(plain(reply.text), REPLY - 500, language)
    lines = [
        _officer_line(reply, language),
        f"> {asked}",
        told,
        _where(reply, language),
        escaped(last),
    ]
    return "\n".join(one for one in lines if one)


def superseded_blocks(old: SupersededAnswer, context: RenderContext, *, last: str) -> list[Block]:
    """Return what replaces an answer once an officer has answered; it can still be read.

    `last` names its case and its record.
    """
    language = context.language
    return [
        mrkdwn(badge_words(superseded_badge(old, language))),
        _earlier(EARLIER, old.answer, context),
        small(f"{instead_text(old, language)} · {last}"),
    ]


def superseded_text(old: SupersededAnswer, context: RenderContext, *, last: str) -> str:
    """Return the same as mrkdwn."""
    language = context.language
    first = f"{badge_words(superseded_badge(old, language))}\n{instead_text(old, language)}"
    earlier = answer_text(old.answer, context, reference=last)
    whole = f"{first}\n{EARLIER_WAS.of(language)}\n{earlier}"
    return whole if width(whole) <= LIMIT else first


def news_blocks(news: CaseNews, context: RenderContext, *, last: str) -> list[Block]:
    """Return a status line for the asker; with a time as mrkdwn: nothing else in it is foreign.

    `last` names its record.
    """
    told = news_text(news, context)
    if _is_timed(news):
        return [mrkdwn(told), small(last)]
    return [section(case_texts.news_text(news, context.language)), small(last)]


def news_text(news: CaseNews, context: RenderContext) -> str:
    """Return the same as mrkdwn."""
    language = context.language
    if news.due_at is not None and _is_timed(news):
        return case_texts.news_text(news, language, due=moment(news.due_at))
    return escaped(case_texts.news_text(news, language))


def _is_timed(news: CaseNews) -> bool:
    is_due = news.state is CaseState.OPEN or news.is_acknowledgement
    return is_due and news.due_at is not None and news.ways is None


def reminder_blocks(reminder: CaseReminder, context: RenderContext) -> list[Block]:
    """Return a line for officers that a case is due, with what they can do."""
    language, offered = context.language, reminder_buttons(reminder)
    buttons = [press_button(one, reminder.case_id, language) for one in offered]
    row = [actions(f"due:{reminder.case_id}", *buttons)] if buttons else []
    return [mrkdwn(reminder_text(reminder, context)), *row, small(AUTOMATED.of(language))]


def reminder_text(reminder: CaseReminder, context: RenderContext) -> str:
    """Return the same as mrkdwn."""
    name = replace(reminder, officer=escaped(reminder.officer)) if reminder.officer else reminder
    return case_texts.reminder_text(name, context.language, due=moment(reminder.due_at))


def _asked(case: Case, context: RenderContext) -> Iterator[Json]:
    yield quotation(words(short(case.question, QUESTION)))
    if note := noted(case, context.language):
        label = words(f"{NOTED.of(context.language)}: ", bold=True)
        yield paragraph(label, words(short(note, NOTE)))
    if case.told:
        yield paragraph(words(f"{TOLD.of(context.language)}:", bold=True))
        yield from written_elements(case.told, context, mentions=False)


def _about(case: Case, view: CaseView, language: Language) -> Iterator[str]:
    """Yield the facts of a case in mrkdwn, all of it written by code.

    Somebody of another workspace or platform is not mentioned but named.
    """
    yield badge_words(view.badge) if view.badge else NO_ANSWER.of(language)
    asker = mention(case.asker or "") or escaped(line(case.asker_name or "", limit=80))
    if asker:
        yield ASKED_BY.of(language).format(who=asker)
    if view.thread:
        yield link(view.thread, OPEN_THREAD.of(language))
    yield from view.facts


def _earlier(title: Text, answer: Answer, context: RenderContext) -> Block:
    """Return an answer that opens on a click."""
    language = context.language
    told = short(answer.text, REPLY, context.library.hosts, mark=CUT.of(language))
    sources = source_blocks(answer.quoted, context.library, language, most=EARLIER_SOURCES)
    return collapsed(title.of(language), [section(told or "-"), *sources])


def _officer_line(reply: OfficerReply, language: Language) -> str:
    asker = mention(reply.asker or "")
    return badge_words(officer_badge(reply.officer, language)) + (f"  ·  {asker}" if asker else "")


def _where(reply: OfficerReply, language: Language) -> str:
    """Return a link to where it was asked; nothing if that is unknown."""
    thread = permalink_or_none(reply.permalink)
    return link(thread, WHERE_ASKED.of(language)) if thread else ""
