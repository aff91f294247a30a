"""What every modal has in common: titles, metadata, inputs, and the answers to a submit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from bot.forms.forms import (
    ANSWER_IN_THREAD,
    ANSWER_ME_PRIVATELY,
    ESCALATE_TITLE,
    IN_PRIVATE,
    NOT_MY_NAME,
    QUOTED,
    REASONS,
    REPORT_TITLE,
    SEEN_OF_REPORT,
    UNDER_YOUR_NAME,
    UNDER_YOUR_NAME_ALONE,
    URGENCIES,
    WHAT_HINT,
    WHAT_IS_WRONG,
    WHAT_TO_KNOW,
    WHEN,
    WHERE_TO,
    WHO_SEES,
    WHO_SEES_HERE,
    YOUR_QUESTION,
    with_compliance,
)
from bot.replies.safe_text import cut, line, short
from bot.slack.blocks.action_ids import (
    VIEW_ASK,
    VIEW_CASE_ANSWER,
    VIEW_DONE,
    VIEW_ESCALATE,
    VIEW_REPORT,
)
from bot.slack.blocks.elements import (
    BUTTON,
    TEXT,
    VIEW_TITLE,
    Block,
    plain,
    quoted,
    rich,
    said,
    section,
    words,
)
from core.domain.case import Case
from core.domain.context import carried
from core.domain.errors import ContractError
from core.domain.run import Json

INPUT = 3_000
"""Characters that Slack lets somebody type into one input."""
METADATA = 3_000


def modal(
    title: str,
    blocks: Sequence[Block],
    *,
    callback_id: str,
    metadata: Mapping[str, Json] | None = None,
    submit: str | None = None,
) -> Block:
    """Return a modal; `metadata` are ids, which come back from a client and prove nothing."""
    made: Block = {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title, VIEW_TITLE),
        "close": plain("Cancel" if submit else "Close", VIEW_TITLE),
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


def message_modal(title: str, text: str) -> Block:
    """Return a modal that says one thing."""
    return modal(line(title), [section(short(text, TEXT))], callback_id=VIEW_DONE)


def updated(view: Block) -> Block:
    """Return the answer to a submit that shows another view in place of it."""
    return {"response_action": "update", "view": view}


def errors(wrong: Mapping[str, str]) -> Block:
    """Return the answer to a submit with wrong fields, by their `block_id`."""
    return {
        "response_action": "errors",
        "errors": {block_id: cut(text, 150) for block_id, text in wrong.items()},
    }


def asked(block_id: str, label: str, element: Block, *, is_optional: bool = False) -> Block:
    """Return an input; its element is called `v`."""
    made: Block = {
        "type": "input",
        "block_id": block_id,
        "label": plain(label, 200),
        "element": {**element, "action_id": "v"},
    }
    if is_optional:
        made["optional"] = True
    return made


def typed_in(
    *, limit: int = INPUT, least: int = 0, hint: str | None = None, initial: str = ""
) -> Block:
    """Return an element for several lines of text."""
    made: Block = {"type": "plain_text_input", "multiline": True, "max_length": min(limit, INPUT)}
    if least:
        made["min_length"] = least
    if hint:
        made["placeholder"] = plain(hint, 150)
    if initial:
        made["initial_value"] = cut(initial, min(limit, INPUT))
    return made


def options(choices: Iterable[tuple[str, str]]) -> list[Json]:
    """Return options of a menu, by their value and words."""
    return [{"text": plain(text, BUTTON), "value": value} for value, text in choices]


NOTE, URGENCY, PRIVACY = "note", "urg", "vis"
WHY, DETAILS, ANSWER, QUESTION, WHERE = "why", "txt", "answer", "question", "where"
"""Ids of inputs: by them `Interaction.values` holds what was entered."""
DIRECT, ANONYMOUS, THREAD = "dm", "anon", "thread"
_DIRECTLY = (DIRECT, "Reply to me privately (DM), not in the channel")


def escalate_modal(
    answer_id: str, *, is_report: bool = False, is_own: bool = False, known: int | None = None
) -> Block:
    """Return the form that hands a question to Compliance.

    Args:
        answer_id: what the asker got.
        is_report: the question was one: nobody is told who asked, and no channel of it.
        is_own: it was asked where nobody else reads.
        known: number of its case, which was opened without the asker; None: there is none yet.
    """
    urgency = options(URGENCIES)
    anonymously = (ANONYMOUS, NOT_MY_NAME)
    privacy = options([anonymously] if is_own else [_DIRECTLY, anonymously])
    asking = asked(PRIVACY, "Privacy", _checkboxes(privacy), is_optional=True)
    return modal(
        ESCALATE_TITLE,
        [
            *([] if known is None else [section(with_compliance(known))]),
            section(SEEN_OF_REPORT if is_report else WHO_SEES_HERE if is_own else WHO_SEES),
            asked(
                NOTE,
                WHAT_TO_KNOW,
                typed_in(limit=2_000, hint=WHAT_HINT),
                is_optional=True,
            ),
            asked(URGENCY, WHEN, _select(urgency, urgency[-1])),
            *([] if is_report else [asking]),
        ],
        callback_id=VIEW_ESCALATE,
        metadata={"a": answer_id},
        submit="Send",
    )


def report_modal(answer_id: str) -> Block:
    """Return the form that says what is wrong with an answer."""
    return modal(
        REPORT_TITLE,
        [
            asked(WHY, WHAT_IS_WRONG, _radio(options(REASONS))),
            asked(DETAILS, "Details", typed_in(limit=2_000), is_optional=True),
        ],
        callback_id=VIEW_REPORT,
        metadata={"a": answer_id},
        submit="Report",
    )


def case_answer_modal(case: Case) -> Block:
    """Return the form in which an officer answers; it quotes the question and its note."""
    privately = options([(DIRECT, "Send privately (DM), not in the channel")])
    question = short(case.question, QUOTED, mark="… [shortened]")
    note = [said(words("Note: ", bold=True), words(short(case.note, QUOTED)))] if case.note else []
    where = asked(PRIVACY, "Privacy", _checkboxes(privately), is_optional=True)
    return modal(
        f"Answer case {case.number}",
        [
            rich(quoted(words(question)), *note),
            section(UNDER_YOUR_NAME_ALONE if case.is_private else UNDER_YOUR_NAME),
            asked(ANSWER, "Answer", typed_in(least=1)),
            *([] if case.is_private else [where]),
        ],
        callback_id=VIEW_CASE_ANSWER,
        metadata={"case": case.case_id},
        submit="Post",
    )


def ask_modal() -> Block:
    """Return the form of the global shortcut and of Home."""
    return modal(
        "Ask a policy question",
        [
            asked(QUESTION, YOUR_QUESTION, typed_in(least=3)),
            section(IN_PRIVATE),
        ],
        callback_id=VIEW_ASK,
        submit="Ask",
    )


def ask_about_modal(
    message: str, *, channel: str, ts: str, thread_ts: str | None, is_own: bool = False
) -> Block:
    """Return the form of the shortcut on a message, which it quotes and carries."""
    where = options([(DIRECT, ANSWER_ME_PRIVATELY), (THREAD, ANSWER_IN_THREAD)])
    place: dict[str, Json] = {"c": channel, "ts": ts, "t": thread_ts, "o": "own" if is_own else ""}
    place["m"] = carried(message)
    told = short(message, QUOTED, mark="… [shortened]")
    return modal(
        "Ask about a message",
        [
            rich(quoted(words(told))),
            asked(QUESTION, YOUR_QUESTION, typed_in(least=3, hint="Is this allowed?")),
            asked(WHERE, WHERE_TO, _radio(where, where[0])),
        ],
        callback_id=VIEW_ASK,
        metadata=place,
        submit="Ask",
    )


def _select(choices: list[Json], initial: Json) -> Block:
    return {"type": "static_select", "options": choices, "initial_option": initial}


def _radio(choices: list[Json], initial: Json = None) -> Block:
    made: Block = {"type": "radio_buttons", "options": choices}
    return {**made, "initial_option": initial} if initial else made


def _checkboxes(choices: list[Json]) -> Block:
    return {"type": "checkboxes", "options": choices}
