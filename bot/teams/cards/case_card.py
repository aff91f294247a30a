"""The officers' card of a case: question, what the asker got, and what can be done.

Who asked and where is shown only as far as the case says so. A report is told nowhere that several
people read: there its card has a number and nothing of its content.
"""

from collections.abc import Iterator

from bot.replies.badge import head_of
from bot.replies.case_texts import (
    CUT,
    HIDDEN,
    NOTE,
    QUESTION,
    REPLY,
    case_facts,
    case_title,
    opened_line,
)
from bot.replies.permalinks import is_permalink
from bot.replies.quote_budget import QUOTES
from bot.replies.text import line, short
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
from bot.teams.cards.render_context import Setting
from bot.teams.cards.sources import source_items
from bot.teams.protocol import action_ids
from core.domain.case import Case, CaseState
from core.domain.run import Json

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
