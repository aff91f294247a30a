"""Bodies of the replies to invokes: dialogs, lines in their place, cards in place of cards."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.forms import forms as words
from bot.forms.forms import ANSWER_TITLE, ESCALATE_TITLE, REPORT_TITLE
from bot.replies.safe_text import clean, cut, line, short
from bot.teams.cards.elements import (
    CARD_TYPE,
    Card,
    attached,
    card,
    container,
    rich,
    run,
    said,
    submit,
    told,
)
from bot.teams.inbound.interaction import Interaction
from bot.teams.protocol import action_ids
from core.domain.case_rules import NOTE_LIMIT, REPLY_LIMIT
from core.domain.errors import ContractError
from core.domain.run import Json

QUESTION_LIMIT = 3_000
WRONG = 300
"""Characters of a line that says why something was not taken: it may hold an officer's name."""
CHOOSE_ONE = "Choose one"
ASK_TITLE = "Ask about policy"
FORMS = frozenset({"submit", "ask_submit"})
"""Kinds of interactions that hold what somebody typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What a form held that could not be taken."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the ids of its inputs."""
    wrong: str = ""
    """Why, and what to do; empty: nothing was sent yet."""

    def line(self) -> list[Card]:
        """Return what stands above the form."""
        if not self.wrong:
            return []
        told = line(self.wrong, limit=WRONG)
        return [rich(run(told, weight="Bolder", color="Attention"))]

    def text(self, name: str, limit: int) -> str:
        """Return what an input held, without characters that nobody sees."""
        return cut(clean(self.values.get(name, "")[: 2 * limit]), limit, "")


BLANK = Typed()


def again(interaction: Interaction, wrong: str) -> Card | None:
    """Return the dialog that was sent, as it was, with what is wrong; None: it is no form of ours.

    It holds nothing but what the request held: whoever sent it sees their own words.
    """
    try:
        target = action_ids.target_of(interaction.values)
    except ContractError:
        return None
    typed = Typed(values=interaction.values, wrong=wrong)
    match interaction.name:
        case action_ids.ESCALATE_SUBMIT:
            form = escalate_card(target.id, seen=_seen(interaction), known=target.case, typed=typed)
            return opened(ESCALATE_TITLE, form)
        case action_ids.REPORT_SUBMIT:
            return opened(REPORT_TITLE, report_card(target.id, typed=typed))
        case action_ids.CASE_ANSWER_SUBMIT:
            form = case_answer_card(target.id, seen=_seen(interaction), typed=typed)
            return opened(ANSWER_TITLE, form)
        case action_ids.ASK_SUBMIT:
            form = ask_about_card(interaction.quoted, message_id=target.id, typed=typed)
            return opened(ASK_TITLE, form)
        case _:
            return None


def _seen(interaction: Interaction) -> str:
    return interaction.values.get(action_ids.SEEN, "")


def escalate_card(
    answer_id: str, *, seen: str = "", known: int | None = None, typed: Typed = BLANK
) -> Card:
    """Return the form that hands a question to Compliance, or adds to its case by number.

    `seen` says who reads what comes of it: see `names.SEEN`.
    """
    who = {action_ids.ALONE: words.WHO_SEES_HERE, action_ids.REPORTED: words.SEEN_OF_REPORT}
    private = _toggle(action_ids.PRIVATE, "Reply to me privately", typed)
    nameless = _toggle(action_ids.ANONYMOUS, words.NOT_MY_NAME, typed)
    wishes = {action_ids.ALONE: [nameless], action_ids.REPORTED: []}
    about = [] if known is None else [said(words.with_compliance(known))]
    body = [
        *typed.line(),
        *about,
        said(who.get(seen, words.WHO_SEES)),
        _text(action_ids.NOTE, words.WHAT_TO_KNOW, NOTE_LIMIT, typed, hint=words.WHAT_HINT),
        _choices(action_ids.URGENCY, words.WHEN, words.URGENCIES, typed, initial="week"),
        *wishes.get(seen, [private, nameless]),
    ]
    data = action_ids.data_of(action_ids.ANSWER_KEY, answer_id, "" if known is None else known)
    data |= {action_ids.SEEN: seen} if seen else {}
    return card(body, [submit(action_ids.ESCALATE_SUBMIT, "Send", data)], is_wide=False)


def report_card(answer_id: str, *, typed: Typed = BLANK) -> Card:
    """Return the form that says what is wrong with an answer."""
    body = [
        *typed.line(),
        _choices(action_ids.WHY, words.WHAT_IS_WRONG, words.REASONS, typed, style="expanded"),
        _text(action_ids.DETAILS, "Details", NOTE_LIMIT, typed),
    ]
    data = action_ids.data_of(action_ids.ANSWER_KEY, answer_id)
    return card(body, [submit(action_ids.REPORT_SUBMIT, "Report", data)], is_wide=False)


def case_answer_card(
    case_id: str, *, question: str = "", seen: str = "", typed: Typed = BLANK
) -> Card:
    """Return the form in which an officer answers.

    Args:
        case_id: the case.
        question: what was asked, to be quoted; empty where a form comes back to be sent again.
        seen: see `names.SEEN`.
        typed: what was typed before.
    """
    is_alone = seen == action_ids.ALONE
    asked = told(short(question, words.QUOTED, mark="… [shortened]"))
    wish = _toggle(action_ids.PRIVATE, "Send privately, not in the channel", typed)
    body = [
        *typed.line(),
        *([container(asked, style="emphasis")] if asked else []),
        said(words.UNDER_YOUR_NAME_ALONE if is_alone else words.UNDER_YOUR_NAME),
        _text(action_ids.ANSWER, "Answer", REPLY_LIMIT, typed, missing="Write an answer"),
        *([] if is_alone else [wish]),
    ]
    data = action_ids.data_of(action_ids.CASE_KEY, case_id) | (
        {action_ids.SEEN: seen} if seen else {}
    )
    return card(body, [submit(action_ids.CASE_ANSWER_SUBMIT, "Post", data)], is_wide=False)


def ask_about_card(message: str, *, message_id: str, typed: Typed = BLANK) -> Card:
    """Return the form of the message extension, which quotes the message."""
    quoted = told(short(message, words.QUOTED, mark="… [shortened]")) or [rich(run("-"))]
    where = (
        (action_ids.DIRECT, words.ANSWER_ME_PRIVATELY),
        (action_ids.THREAD, words.ANSWER_IN_THREAD),
    )
    body = [
        *typed.line(),
        container(quoted, style="emphasis"),
        _text(
            action_ids.QUESTION,
            words.YOUR_QUESTION,
            QUESTION_LIMIT,
            typed,
            hint="Is this allowed?",
            missing="Write a question",
        ),
        _choices(
            action_ids.WHERE,
            words.WHERE_TO,
            where,
            typed,
            initial=action_ids.DIRECT,
            style="expanded",
        ),
    ]
    data = action_ids.data_of(action_ids.MESSAGE_KEY, message_id)
    return card(body, [submit(action_ids.ASK_SUBMIT, "Ask", data)], is_wide=False)


def _text(
    name: str, label: str, limit: int, typed: Typed, *, hint: str = "", missing: str = ""
) -> Card:
    made: Card = {
        "type": "Input.Text",
        "id": name,
        "label": label,
        "isMultiline": True,
        "maxLength": limit,
    }
    if hint:
        made["placeholder"] = hint
    if held := typed.text(name, limit):
        made["value"] = held
    return made | ({"isRequired": True, "errorMessage": missing} if missing else {})


def _choices(
    name: str,
    label: str,
    choices: Iterable[tuple[str, str]],
    typed: Typed,
    *,
    initial: str = "",
    style: str = "compact",
) -> Card:
    offered = list(choices)
    listed: list[Json] = [{"title": title, "value": value} for value, title in offered]
    held = typed.values.get(name, "")
    chosen = held if held in {value for value, _ in offered} else initial
    made: Card = {
        "type": "Input.ChoiceSet",
        "id": name,
        "label": label,
        "style": style,
        "isRequired": True,
        "errorMessage": CHOOSE_ONE,
        "choices": listed,
    }
    return made | ({"value": chosen} if chosen else {})


def _toggle(name: str, title: str, typed: Typed) -> Card:
    return {
        "type": "Input.Toggle",
        "id": name,
        "title": title,
        "wrap": True,
        "value": action_ids.ON if typed.values.get(name) == action_ids.ON else action_ids.OFF,
        "valueOn": action_ids.ON,
        "valueOff": action_ids.OFF,
    }


MESSAGE_TYPE = "application/vnd.microsoft.activity.message"
ERROR_TYPE = "application/vnd.microsoft.error"
NOTHING: Card = {}
"""The only reply that Teams takes to feedback."""


def opened(title: str, card: Card, *, is_large: bool = False) -> Card:
    """Return a dialog, or its next page; for `task/fetch`, `task/submit` and extensions."""
    shown: Card = {
        "title": line(title, limit=60),
        "height": "large" if is_large else "medium",
        "width": "medium",
        "card": attached(card),
    }
    return {"task": {"type": "continue", "value": shown}}


def message(text: str) -> Card:
    """Return a line that takes the place of a dialog; what code wrote."""
    return {"task": {"type": "message", "value": text}}


def replaced(card: Card) -> Card:
    """Return the card that takes the place of the one that was pressed."""
    return {"statusCode": 200, "type": CARD_TYPE, "value": card}


def whispered(text: str) -> Card:
    """Return a line that only who pressed sees; the card stays."""
    return {"statusCode": 200, "type": MESSAGE_TYPE, "value": text}


def refused(text: str, *, status: int = 403) -> Card:
    """Return that a press did nothing; 403: that person may not."""
    code = "Forbidden" if status == 403 else "BadRequest"  # noqa: PLR2004
    return {"statusCode": status, "type": ERROR_TYPE, "value": {"code": code, "message": text}}
