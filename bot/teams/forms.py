"""Dialogs with something to send: to Compliance, about a problem, from an officer, a question.

The ids of inputs are those of `names`: under them stands in the data what was entered.
"""

from collections.abc import Iterable

from bot.replies import form_words as words
from bot.replies.text import short
from bot.teams import names
from bot.teams.elements import Card, card, container, said, submit, told
from core.domain.casework import NOTE_LIMIT, REPLY_LIMIT
from core.domain.run import Json

QUESTION_LIMIT = 3_000
CHOOSE_ONE = "Choose one"
ESCALATE_TITLE, REPORT_TITLE, ASK_TITLE = "Ask Compliance", "Report a problem", "Ask about policy"


def escalate_card(answer_id: str, *, known: int | None = None) -> Card:
    """Return the form that hands a question to Compliance, or adds to its case by number."""
    about = [] if known is None else [said(words.with_compliance(known))]
    body = [
        *about,
        said(words.WHO_SEES),
        _text(names.NOTE, words.WHAT_TO_KNOW, NOTE_LIMIT, hint=words.WHAT_HINT),
        _choices(names.URGENCY, words.WHEN, words.URGENCIES, initial="week"),
        _toggle(names.PRIVATE, "Reply to me privately"),
        _toggle(names.ANONYMOUS, words.NOT_MY_NAME),
    ]
    data = names.data_of(names.ANSWER_KEY, answer_id)
    return card(body, [submit(names.ESCALATE_SUBMIT, "Send", data)], is_wide=False)


def report_card(answer_id: str) -> Card:
    """Return the form that says what is wrong with an answer."""
    body = [
        _choices(names.WHY, words.WHAT_IS_WRONG, words.REASONS, style="expanded"),
        _text(names.DETAILS, "Details", NOTE_LIMIT),
    ]
    data = names.data_of(names.ANSWER_KEY, answer_id)
    return card(body, [submit(names.REPORT_SUBMIT, "Report", data)], is_wide=False)


def case_answer_card(case_id: str) -> Card:
    """Return the form in which an officer answers."""
    body = [
        said(words.UNDER_YOUR_NAME),
        _text(names.ANSWER, "Answer", REPLY_LIMIT, missing="Write an answer"),
        _toggle(names.PRIVATE, "Send privately, not in the channel"),
    ]
    data = names.data_of(names.CASE_KEY, case_id)
    return card(body, [submit(names.CASE_ANSWER_SUBMIT, "Post", data)], is_wide=False)


def ask_about_card(message: str, *, message_id: str) -> Card:
    """Return the form of the message extension, which quotes the message."""
    quoted = told(short(message, words.QUOTED, mark="… [shortened]")) or [said("-")]
    where = (
        (names.DIRECT, words.ANSWER_ME_PRIVATELY),
        (names.THREAD, words.ANSWER_IN_THREAD),
    )
    body = [
        container(quoted, style="emphasis"),
        _text(
            names.QUESTION,
            words.YOUR_QUESTION,
            QUESTION_LIMIT,
            hint="Is this allowed?",
            missing="Write a question",
        ),
        _choices(names.WHERE, words.WHERE_TO, where, initial=names.DIRECT, style="expanded"),
    ]
    data = names.data_of(names.MESSAGE_KEY, message_id)
    return card(body, [submit(names.ASK_SUBMIT, "Ask", data)], is_wide=False)


def _text(name: str, label: str, limit: int, *, hint: str = "", missing: str = "") -> Card:
    made: Card = {
        "type": "Input.Text",
        "id": name,
        "label": label,
        "isMultiline": True,
        "maxLength": limit,
    }
    if hint:
        made["placeholder"] = hint
    return made | ({"isRequired": True, "errorMessage": missing} if missing else {})


def _choices(
    name: str,
    label: str,
    choices: Iterable[tuple[str, str]],
    *,
    initial: str = "",
    style: str = "compact",
) -> Card:
    listed: list[Json] = [{"title": title, "value": value} for value, title in choices]
    made: Card = {
        "type": "Input.ChoiceSet",
        "id": name,
        "label": label,
        "style": style,
        "isRequired": True,
        "errorMessage": CHOOSE_ONE,
        "choices": listed,
    }
    return made | ({"value": initial} if initial else {})


def _toggle(name: str, title: str) -> Card:
    return {
        "type": "Input.Toggle",
        "id": name,
        "title": title,
        "wrap": True,
        "value": names.OFF,
        "valueOn": names.ON,
        "valueOff": names.OFF,
    }
