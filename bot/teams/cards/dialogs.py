"""Bodies of the responses to invokes: dialogs with forms or cards, or a line or card instead.

A form that could not be taken is shown again as it was typed, with a line that says why: see
`again`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from bot.actions.press import PressTarget
from bot.forms.effects import EFFECTS, TO_WRITER
from bot.forms.forms import (
    CHOOSE_ONE,
    EFFECT,
    NOTE_LABEL,
    QUOTED,
    TICKED,
    ChoiceField,
    Form,
    FormName,
    Item,
    OptionsField,
    Quotation,
    SeenBy,
    TextField,
    Words,
    case_answer_form,
    escalation_form,
    question_about_form,
    report_form,
)
from bot.replies.safe_text import CUT, clean, cut, line, short
from bot.teams.cards.elements import (
    CARD_TYPE,
    Card,
    attached,
    card,
    container,
    paragraph,
    rich_text,
    small_print,
    submit_button,
    text_lines,
    text_run,
)
from bot.teams.inbound.interaction import TeamsInteraction
from bot.teams.protocol.action_ids import SEEN, data_of, target_of
from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

MESSAGE_TYPE = "application/vnd.microsoft.activity.message"
ERROR_TYPE = "application/vnd.microsoft.error"
NOTHING: Card = {}
"""The only response to feedback that Teams accepts."""
WRONG = 300
"""Characters of a line that says why something was not taken: it may hold an officer's name."""
ASK_TITLE = Text("Ask about policy", "Zu Richtlinien fragen")
HOW_TO_FORM = Text(
    "**bold**, _italics_, lines that begin with - or 1. for lists, [words](address) for links,"
    " @Name for somebody who reads the conversation",
    "**fett**, _kursiv_, Zeilen mit - oder 1. am Anfang für Listen, [Text](Adresse) für Links,"
    " @Name für jemanden, der die Unterhaltung liest",
)
FORMS = frozenset({"submit", "ask_submit"})
"""Kinds of interactions that hold what somebody typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What somebody typed into a form that could not be taken."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the ids of its inputs."""
    wrong: str = ""
    """Why, and what to do; empty: nothing was sent yet."""

    def text(self, name: str, limit: int) -> str:
        """Return what an input held, without invisible characters."""
        return cut(clean(self.values.get(name, "")[: 2 * limit]), limit, "")


BLANK = Typed()


def form_dialog(form: Form, typed: Typed = BLANK, *, language: Language = Language.ENGLISH) -> Card:
    """Return the reply that opens a form."""
    return opened(form.title.of(language), form_card(form, typed, language=language))


def form_card(form: Form, typed: Typed = BLANK, *, language: Language = Language.ENGLISH) -> Card:
    """Return a form as a card, with what was typed before."""
    data = data_of(form.key, form.target, "" if form.known is None else form.known)
    data |= {SEEN: form.seen_by.value} if form.seen_by else {}
    wrong = text_run(line(typed.wrong, limit=WRONG), weight="Bolder", color="Attention")
    body = [piece for item in form.items for piece in _drawn(item, typed, language)]
    above = [rich_text(wrong)] if typed.wrong else []
    submit = submit_button(form.name.value, form.submit.of(language), data)
    return card([*above, *body], [submit], is_wide=False)


def again(interaction: TeamsInteraction, wrong: Text) -> Card | None:
    """Return the dialog that was sent, as it was, with what is wrong; None: it is no form of ours.

    It holds nothing but what the request held: whoever sent it sees their own words.
    """
    try:
        form = _sent(interaction, target_of(interaction.values))
    except (ContractError, ValueError):
        return None
    language = interaction.language
    typed = Typed(values=interaction.values, wrong=wrong.of(language))
    return form_dialog(form, typed, language=language)


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
    """Return a line in place of a dialog; code wrote it."""
    return {"task": {"type": "message", "value": text}}


def replaced(card: Card) -> Card:
    """Return the card that replaces the one with the button."""
    return {"statusCode": 200, "type": CARD_TYPE, "value": card}


def whispered(text: str) -> Card:
    """Return a line for the person who pressed; the card stays."""
    return {"statusCode": 200, "type": MESSAGE_TYPE, "value": text}


def _sent(interaction: TeamsInteraction, target: PressTarget) -> Form:
    """Return the form that was sent.

    Raises:
        ValueError: It is none of ours.
    """
    sent = interaction.values.get(SEEN, "")
    seen_by = SeenBy(sent) if sent in set(SeenBy) else SeenBy.THREAD
    match FormName(interaction.name):
        case FormName.ESCALATION:
            return escalation_form(target.id, seen_by=seen_by, known=target.case)
        case FormName.REPORT:
            return report_form(target.id)
        case FormName.CASE_ANSWER:
            chosen = interaction.values.get(EFFECT, "")
            of_report = TO_WRITER if chosen in dict(TO_WRITER) else EFFECTS
            effects = of_report if EFFECT in interaction.values else ()
            is_private = seen_by is SeenBy.ASKER
            return case_answer_form(target.id, is_private=is_private, effects=effects)
        case FormName.QUESTION:
            return question_about_form(interaction.quoted, title=ASK_TITLE, message_id=target.id)


def _drawn(item: Item, typed: Typed, language: Language) -> Iterator[Card]:
    match item:
        case Words():
            yield paragraph(item.text.of(language))
        case Quotation():
            told = short(item.text, QUOTED, mark=CUT.of(language))
            quoted = text_lines(told) or [rich_text(text_run("-"))]
            yield container(quoted, style="emphasis")
            if item.note:
                note = short(item.note, QUOTED, mark=CUT.of(language)).replace("\n", " ")
                label = text_run(f"{NOTE_LABEL.of(language)}: ", weight="Bolder")
                yield rich_text(label, text_run(note), spacing="Small")
        case TextField():
            yield _text(item, typed, language)
            if item.is_formed:
                yield small_print(HOW_TO_FORM.of(language))
        case ChoiceField():
            yield _choices(item, typed, language)
        case OptionsField():
            yield from (_toggle(value, title.of(language), typed) for value, title in item.options)
        case _:
            assert_never(item)


def _text(item: TextField, typed: Typed, language: Language) -> Card:
    made: Card = {
        "type": "Input.Text",
        "id": item.id,
        "label": item.label.of(language),
        "isMultiline": True,
        "maxLength": item.limit,
    }
    if item.hint:
        made["placeholder"] = item.hint.of(language)
    if held := typed.text(item.id, item.limit):
        made["value"] = held
    if not item.least:
        return made
    missing = item.missing.of(language) if item.missing else ""
    return made | {"isRequired": True, "errorMessage": missing}


def _choices(item: ChoiceField, typed: Typed, language: Language) -> Card:
    offered: list[Json] = [
        {"title": title.of(language), "value": value} for value, title in item.options
    ]
    held = typed.values.get(item.id, "")
    chosen = held if held in dict(item.options) else item.initial
    made: Card = {
        "type": "Input.ChoiceSet",
        "id": item.id,
        "label": item.label.of(language),
        "style": "compact" if item.is_menu else "expanded",
        "isRequired": True,
        "errorMessage": CHOOSE_ONE.of(language),
        "choices": offered,
    }
    return made | ({"value": chosen} if chosen else {})


def _toggle(name: str, title: str, typed: Typed) -> Card:
    return {
        "type": "Input.Toggle",
        "id": name,
        "title": title,
        "wrap": True,
        "value": TICKED if typed.values.get(name) == TICKED else "false",
        "valueOn": TICKED,
        "valueOff": "false",
    }
