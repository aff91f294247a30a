"""Modals with something to send: to Compliance, about a problem, from an officer, a question."""

from bot.replies.text import short
from bot.slack.elements import Block, quoted, rich, section, words
from bot.slack.modals import asked, message_modal, modal, options, typed_in
from bot.slack.names import VIEW_ASK, VIEW_CASE_ANSWER, VIEW_ESCALATE, VIEW_REPORT
from core.domain.run import Json

NOTE, URGENCY, PRIVACY = "note", "urg", "vis"
WHY, DETAILS, ANSWER, QUESTION, WHERE = "why", "txt", "answer", "question", "where"
"""Ids of inputs: by them `Interaction.values` holds what was entered."""
DIRECT, ANONYMOUS, THREAD = "dm", "anon", "thread"
REASONS = (
    ("wrong", "The answer contradicts the policy"),
    ("stale", "The source is out of date"),
    ("incomplete", "It missed an exception"),
    ("citation", "The citation does not support it"),
    ("other", "Other"),
)
_DIRECTLY = (DIRECT, "Reply to me privately (DM), not in the channel")
_URGENCIES = (("today", "Today"), ("week", "This week"))
QUOTED = 2_000


def escalate_modal(answer_id: str) -> Block:
    """Return the form that hands a question to Compliance."""
    told = (
        "A compliance officer will see your name, your question and the answer you got, and"
        " replies in this thread."
    )
    urgency = options(_URGENCIES)
    privacy = options([_DIRECTLY, (ANONYMOUS, "Do not show my name to the officer")])
    return modal(
        "Ask Compliance",
        [
            section(told),
            asked(
                NOTE,
                "What should they know?",
                typed_in(limit=2_000, hint="Deal, counterparty, deadline..."),
                is_optional=True,
            ),
            asked(URGENCY, "When do you need it?", _select(urgency, urgency[-1])),
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
            asked(WHY, "What is wrong?", _radio(options(REASONS))),
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
            section("The text goes to the asker under your name, without the AI label."),
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
            asked(QUESTION, "Your question", typed_in(least=3)),
            section("The answer comes in our direct messages, where you alone read it."),
        ],
        callback_id=VIEW_ASK,
        submit="Ask",
    )


def ask_about_modal(message: str, *, channel: str, ts: str, thread_ts: str | None) -> Block:
    """Return the form of the shortcut on a message, which it quotes."""
    where = options([(DIRECT, "Answer me privately"), (THREAD, "Answer in the thread")])
    place: dict[str, Json] = {"c": channel, "ts": ts, "t": thread_ts}
    told = short(message, QUOTED, mark="… [shortened]")
    return modal(
        "Ask about a message",
        [
            rich(quoted(words(told))),
            asked(QUESTION, "Your question", typed_in(least=3, hint="Is this allowed?")),
            asked(WHERE, "Where should the answer go?", _radio(where, where[0])),
        ],
        callback_id=VIEW_ASK,
        metadata=place,
        submit="Ask",
    )


def escalated_modal(number: int) -> Block:
    """Return the confirmation of a case."""
    return message_modal(
        "Ask Compliance",
        f"Sent to Compliance as case {number}. The reply comes in your thread, usually within 1"
        " working day.",
    )


def reported_modal() -> Block:
    """Return the confirmation of a report."""
    return message_modal(
        "Report a problem", "Thank you. Compliance reviews this answer; your report is recorded."
    )


def failed_modal(title: str, reference: str) -> Block:
    """Return that something went wrong, with what to name when asking about it."""
    return message_modal(
        title, f"This did not work. Please try again, or ask Compliance. Reference {reference}"
    )


def _select(choices: list[Json], initial: Json) -> Block:
    return {"type": "static_select", "options": choices, "initial_option": initial}


def _radio(choices: list[Json], initial: Json = None) -> Block:
    made: Block = {"type": "radio_buttons", "options": choices}
    return {**made, "initial_option": initial} if initial else made


def _checkboxes(choices: list[Json]) -> Block:
    return {"type": "checkboxes", "options": choices}
