"""Forms as modals, and what every modal has in common: titles, metadata, answers to a submit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never, cast

from bot.forms.forms import (
    NOTE_LABEL,
    PRIVACY,
    QUOTED,
    URGENCY,
    ChoiceField,
    Field,
    Form,
    Item,
    OptionsField,
    Quotation,
    TextField,
    Words,
    question_about_form,
)
from bot.replies.buttons import CLOSE
from bot.replies.safe_text import CUT, cut, line, short
from bot.slack.blocks.action_ids import VIEW_DONE
from bot.slack.blocks.elements import (
    BUTTON,
    TEXT,
    VIEW_TITLE,
    Block,
    paragraph,
    plain,
    quotation,
    rich_text,
    section,
    words,
)
from core.domain.conversation import carried
from core.domain.errors import ContractError
from core.domain.json_value import Json
from core.language.interface.texts import Text
from core.language.languages import Language

ABOUT = Text("Ask about a message", "Zu Nachricht fragen")
_CANCEL = Text("Cancel", "Abbrechen")
INPUT = 3_000
"""Characters that Slack lets somebody type into one input."""
METADATA = 3_000
_BLOCK_IDS = {URGENCY: "urg", PRIVACY: "vis"}
"""Of fields whose blocks are called otherwise."""
_FIELDS = {block_id: field for field, block_id in _BLOCK_IDS.items()}


def form_modal(
    form: Form,
    metadata: Mapping[str, Json] | None = None,
    *,
    language: Language = Language.ENGLISH,
) -> Block:
    """Return a form as a modal; `metadata` by default the id of what it is about."""
    return modal(
        (form.heading or form.title).of(language),
        [_block(item, language) for item in form.items],
        callback_id=form.name.value,
        metadata=metadata or ({form.key: form.target} if form.key else None),
        submit=form.submit.of(language),
        language=language,
    )


def question_about_modal(
    message: str,
    *,
    channel: str,
    ts: str,
    thread_ts: str | None,
    is_own: bool = False,
    language: Language = Language.ENGLISH,
) -> Block:
    """Return the form of the shortcut on a message, which it quotes and carries."""
    place: dict[str, Json] = {"c": channel, "ts": ts, "t": thread_ts, "o": "own" if is_own else ""}
    place["m"] = carried(message)
    return form_modal(question_about_form(message, title=ABOUT), place, language=language)


def message_modal(title: Text, text: Text, language: Language = Language.ENGLISH) -> Block:
    """Return a modal that says one thing."""
    told = [section(short(text.of(language), TEXT))]
    return modal(line(title.of(language)), told, callback_id=VIEW_DONE, language=language)


def modal(
    title: str,
    blocks: Sequence[Block],
    *,
    callback_id: str,
    metadata: Mapping[str, Json] | None = None,
    submit: str | None = None,
    language: Language,
) -> Block:
    """Return a modal; `metadata` are ids, which come back from a client and prove nothing."""
    made: Block = {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title, VIEW_TITLE),
        "close": plain((_CANCEL if submit else CLOSE.text).of(language), VIEW_TITLE),
        "blocks": list(blocks),
    }
    if submit:
        made["submit"] = plain(submit, VIEW_TITLE)
    if metadata:
        made["private_metadata"] = json.dumps(metadata, separators=(",", ":"))[:METADATA]
    return made


def ids_in(context: str) -> dict[str, str]:
    """Read the ids that a modal of ours carried; a client may have changed them.

    Raises:
        ContractError: It is none of ours.
    """
    try:
        told = json.loads(context)
    except ValueError as error:
        raise ContractError("expected the metadata of a form as we wrote it") from error
    if not isinstance(told, dict):
        raise ContractError("expected the metadata of a form as we wrote it")
    ids = cast("dict[str, Json]", told)
    return {key: value for key, value in ids.items() if isinstance(value, str)}


def fields_in(values: Mapping[str, str]) -> dict[str, str]:
    """Return what a submitted modal held by the ids of its fields, not of its blocks."""
    return {_FIELDS.get(block_id, block_id): held for block_id, held in values.items()}


def updated(view: Block) -> Block:
    """Return the answer to a submit that shows another view in place of it."""
    return {"response_action": "update", "view": view}


def errors(wrong: Mapping[str, Text], language: Language) -> Block:
    """Return the answer to a submit with wrong fields, by their ids."""
    return {
        "response_action": "errors",
        "errors": {block_id: cut(text.of(language), 150) for block_id, text in wrong.items()},
    }


def _block(item: Item, language: Language) -> Block:
    match item:
        case Words():
            return section(item.text.of(language))
        case Quotation():
            told = words(short(item.text, QUOTED, mark=CUT.of(language)))
            note = paragraph(
                words(f"{NOTE_LABEL.of(language)}: ", bold=True), words(short(item.note, QUOTED))
            )
            return rich_text(quotation(told), *([note] if item.note else []))
        case _:
            return _input(item, language)


def _input(field: Field, language: Language) -> Block:
    """Return an input; its element is called `v`."""
    is_optional = isinstance(field, OptionsField) or (
        isinstance(field, TextField) and not field.least
    )
    made: Block = {
        "type": "input",
        "block_id": _BLOCK_IDS.get(field.id, field.id),
        "label": plain(field.label.of(language), 200),
        "element": {**_element(field, language), "action_id": "v"},
    }
    return {**made, "optional": True} if is_optional else made


def _element(field: Field, language: Language) -> Block:
    match field:
        case TextField(is_formed=True):
            hint: Block = {"placeholder": plain(field.hint.of(language), 150)} if field.hint else {}
            return {"type": "rich_text_input", **hint}
        case TextField():
            limit = min(field.limit, INPUT)
            made: Block = {"type": "plain_text_input", "multiline": True, "max_length": limit}
            made |= {"min_length": field.least} if field.least else {}
            return made | (
                {"placeholder": plain(field.hint.of(language), 150)} if field.hint else {}
            )
        case ChoiceField():
            kind = "static_select" if field.is_menu else "radio_buttons"
            offered = _options(field.options, language)
            chosen = _options((one for one in field.options if one[0] == field.initial), language)
            first: Block = {"initial_option": chosen[0]} if chosen else {}
            return {"type": kind, "options": offered, **first}
        case OptionsField():
            return {"type": "checkboxes", "options": _options(field.options, language)}
        case _:
            assert_never(field)


def _options(choices: Iterable[tuple[str, Text]], language: Language) -> list[Json]:
    return [{"text": plain(text.of(language), BUTTON), "value": value} for value, text in choices]
