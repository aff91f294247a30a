"""Modals with something to send: to Compliance, about a problem, from an officer, a question."""

from bot.replies.form_texts import (
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
from bot.replies.text import short
from bot.slack.blocks.action_ids import VIEW_ASK, VIEW_CASE_ANSWER, VIEW_ESCALATE, VIEW_REPORT
from bot.slack.blocks.elements import Block, quoted, rich, said, section, words
from bot.slack.blocks.modals import asked, modal, options, typed_in
from core.domain.case import Case
from core.domain.context import carried
from core.domain.run import Json

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
