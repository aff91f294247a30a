"""Modals with something to send: to Compliance, about a problem, from an officer, a question."""

from bot.replies.form_words import (
    ANSWER_IN_THREAD,
    ANSWER_ME_PRIVATELY,
    IN_PRIVATE,
    NOT_MY_NAME,
    QUOTED,
    REASONS,
    REPORTED,
    UNDER_YOUR_NAME,
    URGENCIES,
    WHAT_HINT,
    WHAT_IS_WRONG,
    WHAT_TO_KNOW,
    WHEN,
    WHERE_TO,
    WHO_SEES,
    YOUR_QUESTION,
    failed_text,
    sent_text,
)
from bot.replies.text import short
from bot.slack.elements import Block, quoted, rich, section, words
from bot.slack.modals import asked, message_modal, modal, options, typed_in
from bot.slack.names import VIEW_ASK, VIEW_CASE_ANSWER, VIEW_ESCALATE, VIEW_REPORT
from core.domain.run import Json

NOTE, URGENCY, PRIVACY = "note", "urg", "vis"
WHY, DETAILS, ANSWER, QUESTION, WHERE = "why", "txt", "answer", "question", "where"
"""Ids of inputs: by them `Interaction.values` holds what was entered."""
DIRECT, ANONYMOUS, THREAD = "dm", "anon", "thread"
_DIRECTLY = (DIRECT, "Reply to me privately (DM), not in the channel")


def escalate_modal(answer_id: str) -> Block:
    """Return the form that hands a question to Compliance."""
    urgency = options(URGENCIES)
    privacy = options([_DIRECTLY, (ANONYMOUS, NOT_MY_NAME)])
    return modal(
        "Ask Compliance",
        [
            section(WHO_SEES),
            asked(
                NOTE,
                WHAT_TO_KNOW,
                typed_in(limit=2_000, hint=WHAT_HINT),
                is_optional=True,
            ),
            asked(URGENCY, WHEN, _select(urgency, urgency[-1])),
            asked(PRIVACY, "Privacy", _checkboxes(privacy), is_optional=True),
        ],
        callback_id=VIEW_ESCALATE,
        metadata={"a": answer_id},
        submit="Send",
    )


def report_modal(answer_id: str) -> Block:
    """Return the form that says what is wrong with an answer."""
    return modal(
        "Report a problem",
        [
            asked(WHY, WHAT_IS_WRONG, _radio(options(REASONS))),
            asked(DETAILS, "Details", typed_in(limit=2_000), is_optional=True),
        ],
        callback_id=VIEW_REPORT,
        metadata={"a": answer_id},
        submit="Report",
    )


def case_answer_modal(case_id: str, number: int) -> Block:
    """Return the form in which an officer answers."""
    privately = options([(DIRECT, "Send privately (DM), not in the channel")])
    return modal(
        f"Answer case {number}",
        [
            section(UNDER_YOUR_NAME),
            asked(ANSWER, "Answer", typed_in(least=1)),
            asked(PRIVACY, "Privacy", _checkboxes(privately), is_optional=True),
        ],
        callback_id=VIEW_CASE_ANSWER,
        metadata={"case": case_id},
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


def ask_about_modal(message: str, *, channel: str, ts: str, thread_ts: str | None) -> Block:
    """Return the form of the shortcut on a message, which it quotes."""
    where = options([(DIRECT, ANSWER_ME_PRIVATELY), (THREAD, ANSWER_IN_THREAD)])
    place: dict[str, Json] = {"c": channel, "ts": ts, "t": thread_ts}
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


def escalated_modal(number: int) -> Block:
    """Return the confirmation of a case."""
    return message_modal("Ask Compliance", sent_text(number))


def reported_modal() -> Block:
    """Return the confirmation of a report."""
    return message_modal("Report a problem", REPORTED)


def failed_modal(title: str, reference: str) -> Block:
    """Return that something went wrong, with what to name when asking about it."""
    return message_modal(title, failed_text(reference))


def _select(choices: list[Json], initial: Json) -> Block:
    return {"type": "static_select", "options": choices, "initial_option": initial}


def _radio(choices: list[Json], initial: Json = None) -> Block:
    made: Block = {"type": "radio_buttons", "options": choices}
    return {**made, "initial_option": initial} if initial else made


def _checkboxes(choices: list[Json]) -> Block:
    return {"type": "checkboxes", "options": choices}
