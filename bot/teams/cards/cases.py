"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Iterator, Mapping

from bot.replies.answer import head_of, officers_head
from bot.replies.notices import (
    AUTOMATED,
    CUT,
    HIDDEN,
    NOTE,
    QUESTION,
    REPLY,
    SUPERSEDED,
    case_facts,
    case_title,
    instead_text,
    opened_line,
)
from bot.replies.safe_text import is_permalink, line, short
from bot.replies.sources import QUOTES
from bot.replies.text_reply import PlainText
from bot.teams.cards.answer import source_items
from bot.teams.cards.elements import (
    LONGEST_URL,
    Card,
    card,
    collapsed,
    container,
    dialog,
    execute,
    opening,
    rich,
    run,
    said,
    small,
    told,
)
from bot.teams.cards.limits import CARD_BYTES, REFRESHED, size
from bot.teams.cards.markdown import escaped
from bot.teams.cards.render_context import Setting
from bot.teams.protocol import action_ids
from core.domain.case import Case, CaseState, OfficerReply, Superseded
from core.domain.json_value import Json


def officer_text(
    reply: OfficerReply, text: PlainText, *, mention: Mapping[str, object] | None = None
) -> str:
    """Return a person's answer: name, question, words; no percentage, no label of a machine."""
    markup = text.markup
    called = f" · {mention['text']}" if mention else ""
    lines = [
        markup.badge(officers_head(reply.officer)) + called,
        markup.quote + text.within(" ".join(short(reply.question, QUESTION).split()), QUESTION),
        text.within(reply.text, 2 * REPLY),
        _where(reply, text),
        markup.small(f"Case {reply.number}"),
    ]
    return "\n\n".join(one for one in lines if one)


def officer_card(reply: OfficerReply) -> Card:
    """Return what the asker may say to it."""
    data = action_ids.data_of(action_ids.CASE_KEY, reply.case_id)
    accept = execute(action_ids.CASE_ACCEPT, "That answers it", data, style="positive")
    return card([], [accept, execute(action_ids.CASE_AGAIN, "Ask again", data)])


def mention_of(reply: OfficerReply, setting: Setting) -> Card | None:
    """Return the mention of the asker, the only one that we make; None: nobody is named."""
    name = line(setting.asker_name, limit=80)
    if not reply.asker or reply.asker != setting.asker or not name:
        return None
    shown = f"<at>{escaped(name)}</at>"
    return {
        "type": "mention",
        "text": shown,
        "mentioned": {"id": reply.asker, "name": name},
    }


def superseded_text(old: Superseded, text: PlainText) -> str:
    """Return what replaces an answer that a person has answered anew."""
    officer = line(old.officer, limit=80)
    by = f" · {text.within(officer, 200)}" if old.officer.strip() else ""
    first = f"👤 {text.markup.strong(SUPERSEDED)}{by}"
    return f"{first}\n\n{instead_text(old)}\n\n{text.markup.small(f'Case {old.number}')}"


def superseded_with_answer(old: Superseded, text: PlainText) -> str:
    """Return the same with the earlier answer: it stays to be read."""
    earlier = text.answer(old.answer, reference=AUTOMATED)
    return f"{superseded_text(old, text)}\n\nThe earlier answer was:\n\n{earlier}"


def superseded_card(old: Superseded, setting: Setting) -> Card:
    """Return the earlier answer, opened by a click."""
    made = card([])
    for quotes, words in _ROOMS:
        shown = short(old.answer.text, words, setting.library.hosts, mark=CUT)
        sources = source_items(old.answer.citations, setting.library, quotes=quotes)
        items = [*(told(shown) or [small("-")]), *sources]
        made = card(collapsed("The earlier answer", f"old:{old.number}", items))
        if size(made) <= CARD_BYTES:
            break
    return made


def _where(reply: OfficerReply, text: PlainText) -> str:
    """Return a link to where it was asked; nothing if that is unknown."""
    if reply.permalink is None or not is_permalink(reply.permalink):
        return ""
    return text.markup.link(reply.permalink, "Where you asked")


_ROOMS = ((QUOTES, REPLY), (1_000, 1_500), (0, 800), (0, 200))
"""Characters that quotes and longer texts may take, tried in turn until the card fits."""


def case_card(case: Case, setting: Setting) -> Card:
    """Return the card; as it stands, for whoever sees it last."""
    if is_hidden(case, setting):
        return card([_title(case), said(HIDDEN)])
    made = card([_title(case)])
    for quotes, words in _ROOMS:
        body = list(_body(case, setting, quotes=quotes, words=words))
        made = card(body, _deeds(case)) | _refresh(case, setting)
        if size(made) <= CARD_BYTES:
            break
    return made


def case_text(case: Case, setting: Setting) -> str:
    """Return the card as text without markup."""
    if is_hidden(case, setting):
        return f"{case_title(case)}\n{HIDDEN}"
    answered = [f"Answered: {short(case.told, 1_000, mark=CUT)}"] if case.told else []
    asked = " ".join(short(case.question, QUESTION, mark=CUT).split())
    return "\n".join([case_title(case), asked, " · ".join(_facts(case)), *answered])


def is_hidden(case: Case, setting: Setting) -> bool:
    """Say whether nothing of the case may be shown here."""
    return case.is_sensitive and setting.is_public


def _title(case: Case) -> Card:
    return said(case_title(case), weight="Bolder", size="Medium", style="heading")


def _body(case: Case, setting: Setting, *, quotes: int, words: int) -> Iterator[Card]:
    yield _title(case)
    yield container(told(short(case.question, min(words, QUESTION))), style="emphasis")
    if case.note:
        yield from _labelled("Note", short(case.note, min(words, NOTE)))
    if case.told:
        yield from _labelled("Answered", short(case.told, words, mark=CUT))
    for fact in _facts(case):
        yield rich(run("• "), run(fact), spacing="Small")
    if case.answer is not None:
        text = short(case.answer.text, words, setting.library.hosts, mark=CUT)
        sources = source_items(case.answer.citations, setting.library, quotes=quotes)
        yield from collapsed(
            "What the asker got", f"case_src:{case.case_id}", [*told(text), *sources]
        )
    yield small(opened_line(case))


def _labelled(label: str, text: str) -> Iterator[Card]:
    yield rich(run(label, weight="Bolder"))
    yield from told(text)


def _facts(case: Case) -> Iterator[str]:
    head = head_of(case.answer) if case.answer else None
    yield head.words if head else "No answer was given"
    if case.asker_name:
        yield f"asked by {line(case.asker_name, limit=80)}"
    yield from case_facts(case)


def _deeds(case: Case) -> Iterator[Card]:
    data = action_ids.data_of(action_ids.CASE_KEY, case.case_id)
    if case.state is CaseState.OPEN:
        yield execute(action_ids.CASE_CLAIM, "Claim", data, style="positive")
    if case.state in {CaseState.OPEN, CaseState.CLAIMED}:
        yield dialog(action_ids.CASE_ANSWER, "Answer", data)
        if case.answer is not None and not case.is_wrong:
            yield execute(action_ids.CASE_WRONG, "Mark answer wrong", data, style="destructive")
        yield execute(action_ids.CASE_CLOSE, "Close", data)
    where = case.permalink
    if where and len(where) <= LONGEST_URL and is_permalink(where):
        yield opening("Open the thread", where)


def _refresh(case: Case, setting: Setting) -> Card:
    """Return who sees the card as it stands now, however long ago it was posted."""
    if not setting.officers:
        return {}
    asked: Card = {
        "type": "Action.Execute",
        "verb": action_ids.CASE_REFRESH,
        "data": action_ids.data_of(action_ids.CASE_KEY, case.case_id),
    }
    people = list[Json](setting.officers[:REFRESHED])
    return {"refresh": {"userIds": people, "action": asked}}
