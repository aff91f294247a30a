"""What officers and askers read of cases in Teams, and officers of affected answers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from bot.forms.affected_view import (
    NOW,
    PAGE,
    AffectedView,
    affected_view,
    without_console,
)
from bot.forms.case_view import (
    ASKED_BY,
    EARLIER,
    EARLIER_WAS,
    GOT,
    HIDDEN,
    NO_ANSWER,
    NOTE,
    NOTED,
    QUESTION,
    REPLY,
    TOLD,
    WHERE_ASKED,
    CaseView,
    case_view,
    noted,
)
from bot.replies.answer import officer_badge, superseded_badge
from bot.replies.buttons import ACCEPT, ASK_AGAIN, Emphasis, reminder_buttons
from bot.replies.case_texts import instead_text, reminder_text
from bot.replies.context import RenderContext
from bot.replies.notices import AUTOMATED, day_text
from bot.replies.safe_text import CUT, line, permalink_or_none, short
from bot.replies.sources import QUOTES
from bot.replies.text_reply import PlainText
from bot.teams.cards.answer import source_items
from bot.teams.cards.elements import (
    LONGEST_URL,
    Card,
    card,
    collapsed,
    container,
    dated_run,
    fitting,
    link_button,
    paragraph,
    press_button,
    rich_text,
    small_print,
    text_lines,
    text_run,
)
from bot.teams.cards.markdown import escaped, moment, run_text
from bot.teams.protocol import action_ids
from core.cases.written import plain
from core.domain.affected import AffectedEdition
from core.domain.answer import Answer
from core.domain.case import Case, CaseReminder, OfficerReply, SupersededAnswer
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

TO_THREAD = Text("Open the thread", "Thread öffnen")
REFRESHED = 60
"""People for whom a card is kept fresh: Teams takes no more."""
_SIZES = ((QUOTES, REPLY), (1_000, 1_500), (0, 800), (0, 200))
"""Characters that quotes and longer texts may take, tried in turn until the card fits."""


def case_card(case: Case, context: RenderContext) -> Card:
    """Return the officers' card; times on it are those of each reader's zone."""
    language = context.language
    view = case_view(
        case,
        is_public=context.is_public,
        moment=moment,
        literal=run_text,
        language=language,
    )
    title = paragraph(view.title, weight="Bolder", size="Medium", style="heading")
    if view.is_hidden:
        return card([title, paragraph(HIDDEN.of(language))])
    buttons, refresh = list(_buttons(case, view, language)), _refresh(case, context)

    def made(sizes: tuple[int, int]) -> Card:
        return card([title, *_body(case, view, context, sizes)], buttons) | refresh

    return fitting(_SIZES, made)


def case_text(case: Case, context: RenderContext) -> str:
    """Return the card as text without markup."""
    language = context.language
    in_zone = partial(day_text, language=language, zone=context.zone)
    view = case_view(case, is_public=context.is_public, moment=in_zone, language=language)
    if view.is_hidden:
        return f"{view.title}\n{HIDDEN.of(language)}"
    cut = CUT.of(language)
    told = short(plain(case.told), 1_000, mark=cut) if case.told else ""
    answered = [f"{TOLD.of(language)}: {told}"] if case.told else []
    asked = " ".join(short(case.question, QUESTION, mark=cut).split())
    return "\n".join([view.title, asked, " · ".join(_facts(case, view, language)), *answered])


def reminder_card(reminder: CaseReminder, language: Language) -> Card:
    """Return a line for officers that a case is due, with what they can do."""
    named = replace(reminder, officer=run_text(reminder.officer)) if reminder.officer else reminder
    told = reminder_text(named, language, due=moment(reminder.due_at))
    data = action_ids.data_of(action_ids.CASE_KEY, reminder.case_id)
    buttons = [press_button(one, data, language) for one in reminder_buttons(reminder)]
    return card([rich_text(dated_run(told))], buttons)


def affected_card(affected: AffectedEdition, context: RenderContext) -> Card:
    """Return the officers' card of an edition that affects past answers."""
    language = context.language
    view = affected_view(affected, language)
    body = [paragraph(view.title, weight="Bolder", size="Medium", style="heading")]
    for clause in view.clauses:
        body.append(rich_text(text_run(clause.head, weight="Bolder")))
        if clause.before:
            body.append(container(text_lines(clause.before), style="emphasis"))
        if clause.after:
            now = text_run(f"{NOW.of(language)}: ", weight="Bolder")
            body.append(rich_text(now, text_run(clause.after), spacing="Small"))
    page = context.library.page(PAGE.format(edition=affected.edition))
    more = (view.left_out, *view.states, "" if page else without_console(affected).of(language))
    body += [rich_text(text_run("• "), text_run(one), spacing="Small") for one in more if one]
    return card(body, _affected_buttons(affected, view, page, language))


def affected_text(affected: AffectedEdition, language: Language) -> str:
    """Return the same as text without markup, without what stood there."""
    view = affected_view(affected, language)
    lines = [view.title, *(one.head for one in view.clauses), view.left_out, *view.states]
    return "\n".join(one for one in lines if one)


def _affected_buttons(
    affected: AffectedEdition, view: AffectedView, page: str | None, language: Language
) -> Iterator[Card]:
    if view.button is not None:
        edition = str(affected.edition)
        data = action_ids.data_of(action_ids.EDITION_KEY, edition, affected.total)
        yield press_button(view.button, data, language)
    if page is not None:
        yield link_button(view.link_text, page)


def officer_text(
    reply: OfficerReply,
    text: PlainText,
    *,
    last: str,
    mention: Mapping[str, object] | None = None,
    written: str = "",
) -> str:
    """Return an officer's answer: name, question, words; without a label for generated text.

    `last` names its case and its record; `written` is the answer in its form, empty for plain text.
    """
    markup, thread = text.markup, permalink_or_none(reply.permalink)
    called = f" · {mention['text']}" if mention else ""
    lines = [
        markup.badge(officer_badge(reply.officer, text.language)) + called,
        markup.quote + text.within(" ".join(short(reply.question, QUESTION).split()), QUESTION),
        written or text.within(plain(reply.text), 2 * REPLY),
        markup.link(thread, WHERE_ASKED.of(text.language)) if thread else "",
        markup.small(markup.literal(last)),
    ]
    return "\n\n".join(one for one in lines if one)


def officer_card(reply: OfficerReply, language: Language) -> Card:
    """Return the asker's buttons below an officer's answer."""
    data = action_ids.data_of(action_ids.CASE_KEY, reply.case_id)
    accept = replace(ACCEPT, emphasis=Emphasis.MAIN)
    buttons = (press_button(one, data, language) for one in (accept, ASK_AGAIN))
    return card([], buttons)


def mention_of(reply: OfficerReply, context: RenderContext) -> Card | None:
    """Return the mention of the asker, the only one that we make; None: nobody is named."""
    name = line(context.asker_name, limit=80)
    if not reply.asker or reply.asker != context.asker or not name:
        return None
    shown = f"<at>{escaped(name)}</at>"
    return {
        "type": "mention",
        "text": shown,
        "mentioned": {"id": reply.asker, "name": name},
    }


def superseded_text(old: SupersededAnswer, text: PlainText, *, last: str) -> str:
    """Return what replaces an answer once an officer has answered; `last` names its record."""
    first = text.markup.badge(superseded_badge(old, text.language))
    small = text.markup.small(text.markup.literal(last))
    return f"{first}\n\n{instead_text(old, text.language)}\n\n{small}"


def superseded_with_answer(old: SupersededAnswer, text: PlainText, *, last: str) -> str:
    """Return the same with the earlier answer: it stays to be read."""
    language = text.language
    earlier = text.answer(old.answer, reference=AUTOMATED.of(language))
    first = superseded_text(old, text, last=last)
    return f"{first}\n\n{EARLIER_WAS.of(language)}\n\n{earlier}"


def superseded_card(old: SupersededAnswer, context: RenderContext) -> Card:
    """Return the earlier answer, opened by a click."""

    def made(sizes: tuple[int, int]) -> Card:
        items = _earlier(old.answer, context, sizes)
        return card(collapsed(EARLIER.of(context.language), f"old:{old.number or 0}", items))

    return fitting(_SIZES, made)


def _body(
    case: Case, view: CaseView, context: RenderContext, sizes: tuple[int, int]
) -> Iterator[Card]:
    _, words = sizes
    language = context.language
    yield container(text_lines(short(case.question, min(words, QUESTION))), style="emphasis")
    if note := noted(case, language):
        yield from _labelled(f"{NOTED.of(language)}: ", short(note, min(words, NOTE)))
    if case.told:
        yield rich_text(text_run(f"{TOLD.of(language)}:", weight="Bolder"))
        yield from text_lines(short(plain(case.told), words, mark=CUT.of(language)))
    for fact in _facts(case, view, language):
        yield rich_text(text_run("• "), dated_run(fact), spacing="Small")
    if case.answer is not None:
        items = _earlier(case.answer, context, sizes)
        yield from collapsed(GOT.of(language), f"case_src:{case.case_id}", items)
    yield rich_text(dated_run(view.opened, size="Small", isSubtle=True), spacing="Small")


def _labelled(label: str, text: str) -> Iterator[Card]:
    """Yield a text, with a label before its first line."""
    first, *rest = text_lines(text) or [rich_text()]
    runs = first["inlines"]
    told = runs if isinstance(runs, list) else []
    yield first | {"inlines": [text_run(label, weight="Bolder"), *told]}
    yield from rest


def _facts(case: Case, view: CaseView, language: Language) -> Iterator[str]:
    yield view.badge.words if view.badge else NO_ANSWER.of(language)
    if case.asker_name:
        yield ASKED_BY.of(language).format(who=run_text(line(case.asker_name, limit=80)))
    yield from view.facts


def _earlier(answer: Answer, context: RenderContext, sizes: tuple[int, int]) -> list[Card]:
    quotes, words = sizes
    language = context.language
    text = short(answer.text, words, context.library.hosts, mark=CUT.of(language))
    sources = source_items(answer.quoted, context.library, language, quotes=quotes)
    return [*(text_lines(text) or [small_print("-")]), *sources]


def _buttons(case: Case, view: CaseView, language: Language) -> Iterator[Card]:
    data = action_ids.data_of(action_ids.CASE_KEY, case.case_id)
    yield from (press_button(one, data, language) for one in view.buttons)
    if view.thread and len(view.thread) <= LONGEST_URL:
        yield link_button(TO_THREAD.of(language), view.thread)


def _refresh(case: Case, context: RenderContext) -> Card:
    """Keep the card fresh for officers, however long ago it was posted."""
    if not context.officers:
        return {}
    asked: Card = {
        "type": "Action.Execute",
        "verb": action_ids.CASE_REFRESH,
        "data": action_ids.data_of(action_ids.CASE_KEY, case.case_id),
    }
    people = list[Json](context.officers[:REFRESHED])
    return {"refresh": {"userIds": people, "action": asked}}
