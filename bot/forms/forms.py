"""The forms that people fill in: what each tells, asks and offers, as data.

Slack draws a form as a modal and Teams as a dialog, with the same names of forms and fields; what
was entered comes back under the ids given here, and `entered` reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.domain.case import Case
from core.domain.case_actions import NOTE_LIMIT, REPLY_LIMIT

NOTE, URGENCY, PRIVACY = "note", "urgency", "privacy"
WHY, DETAILS, ANSWER, QUESTION, WHERE = "why", "txt", "answer", "question", "where"
"""Ids of fields."""
DIRECT, THREAD, ANONYMOUS = "dm", "thread", "anon"
"""Values of `WHERE` and of `PRIVACY`."""
TICKED = "true"
"""What a field of its own holds for an option that is chosen."""
QUESTION_LIMIT = 3_000
"""Characters of a question, as many as one Slack input takes."""
QUOTED = 2_000
"""Characters of a message that a form quotes."""


class FormName(StrEnum):
    """The name under which a form is sent."""

    ESCALATION = "escalate_submit"
    REPORT = "report_submit"
    CASE_ANSWER = "case_answer_submit"
    QUESTION = "ask_submit"


TITLES: Mapping[str, str] = {
    FormName.ESCALATION: "Ask Compliance",
    FormName.REPORT: "Report a problem",
    FormName.CASE_ANSWER: "Answer",
}
"""Titles of forms, and of the confirmation that replaces a form once it was sent."""
REASONS = (
    ("wrong", "The answer contradicts the policy"),
    ("stale", "The source is out of date"),
    ("incomplete", "It missed an exception"),
    ("citation", "The citation does not support it"),
    ("other", "Other"),
)
"""Reasons for a report: value and words."""
URGENCIES = (("today", "Today"), ("week", "This week"))
PLACES = ((DIRECT, "Answer me privately"), (THREAD, "Answer in the thread"))
REPORTED = "Thank you. Compliance reviews this answer; your report is recorded."


class SeenBy(StrEnum):
    """Who reads what Compliance replies to a question."""

    THREAD = ""
    """Everybody in the thread."""
    ASKER = "alone"
    """The asker alone: nobody else reads where it was asked."""
    ASKER_UNNAMED = "report"
    """The asker alone, whose name the officer on call is not told: it was a report."""


_PROMISES = {
    SeenBy.THREAD: (
        "A compliance officer will see your name, your question and the answer you got, and"
        " replies in this thread."
    ),
    SeenBy.ASKER: (
        "A compliance officer will see your name, your question and the answer you got, and"
        " replies to you here."
    ),
    SeenBy.ASKER_UNNAMED: (
        "The compliance officer on call will see what you wrote and what you add here. Your name is"
        " not shown, nothing of it stands in a channel, and the reply comes to you alone."
    ),
}
_UNNAMED = (ANONYMOUS, "Do not show my name to the officer")
_WISHES = {
    SeenBy.THREAD: ((DIRECT, "Reply to me privately, not in the channel"), _UNNAMED),
    SeenBy.ASKER: (_UNNAMED,),
}
"""What an asker may choose; nothing where it holds anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A paragraph that we wrote."""

    text: str
    """Not empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """What somebody wrote, quoted so that the form can be read by itself."""

    text: str
    """Foreign, and of any length."""
    note: str = ""
    """What its author added; empty if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField:
    """A field for several lines."""

    id: str
    label: str
    limit: int
    """Characters."""
    least: int = 0
    """Characters; 0: it may stay empty."""
    missing: str = ""
    """Said where it must not stay empty."""
    hint: str = ""
    """Shown while it is empty."""
    is_formed: bool = False
    """True: emphasis, lists, links and people are kept: see `core.cases.written`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField:
    """A field of which one option must be chosen."""

    id: str
    label: str
    options: tuple[tuple[str, str], ...]
    """Value and words of each."""
    initial: str = ""
    """Value of what is chosen at first; empty: nothing."""
    is_menu: bool = False
    """True: the options open on a click."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsField:
    """A field of which any options may be chosen, at first none."""

    id: str
    label: str
    options: tuple[tuple[str, str], ...]
    """Value and words of each."""


Field: TypeAlias = TextField | ChoiceField | OptionsField
Item: TypeAlias = Words | Quotation | Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form, ready to be drawn as a modal or dialog."""

    name: FormName
    title: str
    submit: str
    """The button that sends it."""
    items: tuple[Item, ...]
    """From top to bottom."""
    key: str = ""
    """The kind of thing it is about: `a` answer, `case`, `m` message; empty: none."""
    target: str = ""
    """The id of that thing; it comes back from a client and is looked up."""
    heading: str = ""
    """A longer title that names the case; empty: `title` serves."""
    seen_by: SeenBy = SeenBy.THREAD
    """Who the form says will read the reply."""
    known: int | None = None
    """Number of the case to which it adds; None: there is none yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What a form held: texts as typed, choices as whatever a client sent."""

    text: str = ""
    """A note to Compliance, the details of a report or thumb, an officer's answer."""
    is_formed: bool = False
    """True: the text is written as `core.cases.written` reads it; False: as somebody typed it."""
    reason: str = ""
    """What is wrong with an answer: see `Reason`."""
    urgency: str = ""
    """When a reply is needed: see `Urgency`."""
    is_private: bool = False
    """True: the reply is to go to the asker alone."""
    is_anonymous: bool = False
    """True: the officer is to see no name."""


def entered(values: Mapping[str, str]) -> Entered:
    """Read a form that was sent.

    Args:
        values: by the ids of its fields. Options stand under the id of their field, joined by
            commas, or each under its own value.
    """
    chosen = {*values.get(PRIVACY, "").split(","), *(k for k, v in values.items() if v == TICKED)}
    return Entered(
        text=next((values[key] for key in (NOTE, DETAILS, ANSWER) if key in values), ""),
        reason=values.get(WHY, ""),
        urgency=values.get(URGENCY, ""),
        is_private=DIRECT in chosen,
        is_anonymous=ANONYMOUS in chosen,
    )


def escalation_form(answer_id: str, *, seen_by: SeenBy, known: int | None = None) -> Form:
    """Return the form that hands a question to Compliance, or adds to its case.

    Args:
        answer_id: what the asker got.
        seen_by: who reads the reply.
        known: number of its case, which was opened without the asker; None: there is none yet.
    """
    about = (
        f"Your question is with Compliance as case {known} already, without your name. Here you can"
        " add to it."
    )
    hint = "Deal, counterparty, deadline..."
    wishes = _WISHES.get(seen_by)
    return Form(
        name=FormName.ESCALATION,
        title=TITLES[FormName.ESCALATION],
        submit="Send",
        key="a",
        target=answer_id,
        seen_by=seen_by,
        known=known,
        items=(
            *([] if known is None else [Words(text=about)]),
            Words(text=_PROMISES[seen_by]),
            TextField(id=NOTE, label="What should they know?", limit=NOTE_LIMIT, hint=hint),
            ChoiceField(
                id=URGENCY,
                label="When do you need it?",
                options=URGENCIES,
                initial="week",
                is_menu=True,
            ),
            *([OptionsField(id=PRIVACY, label="Privacy", options=wishes)] if wishes else []),
        ),
    )


def report_form(answer_id: str) -> Form:
    """Return the form that says what is wrong with an answer."""
    return Form(
        name=FormName.REPORT,
        title=TITLES[FormName.REPORT],
        submit="Report",
        key="a",
        target=answer_id,
        items=(
            ChoiceField(id=WHY, label="What is wrong?", options=REASONS),
            TextField(id=DETAILS, label="Details", limit=NOTE_LIMIT),
        ),
    )


def case_answer_form(case_id: str, *, is_private: bool, case: Case | None = None) -> Form:
    """Return the form in which an officer answers.

    Args:
        case_id: the case.
        is_private: the reply goes to the asker alone, whatever is chosen.
        case: the case, to be quoted; None where a form that was sent is shown again.
    """
    to = "to the asker alone, directly," if is_private else "to the asker"
    privately = (DIRECT, "Send privately, not in the channel")
    return Form(
        name=FormName.CASE_ANSWER,
        title=TITLES[FormName.CASE_ANSWER],
        heading=f"Answer case {case.number}" if case else "",
        submit="Post",
        key="case",
        target=case_id,
        seen_by=SeenBy.ASKER if is_private else SeenBy.THREAD,
        items=(
            *([Quotation(text=case.question, note=case.note or "")] if case else []),
            Words(text=f"The text goes {to} under your name, without the AI label."),
            TextField(
                id=ANSWER,
                label="Answer",
                limit=REPLY_LIMIT,
                least=1,
                missing="Write an answer",
                is_formed=True,
            ),
            *(
                []
                if is_private
                else [OptionsField(id=PRIVACY, label="Privacy", options=(privately,))]
            ),
        ),
    )


def question_form(title: str) -> Form:
    """Return the form in which a question is asked, to be answered directly."""
    direct = "The answer comes in our direct messages, where you alone read it."
    items = (_question(hint=""), Words(text=direct))
    return Form(name=FormName.QUESTION, title=title, submit="Ask", items=items)


def question_about_form(message: str, *, title: str, message_id: str = "") -> Form:
    """Return the form in which a question about a message is asked, which it quotes."""
    return Form(
        name=FormName.QUESTION,
        title=title,
        submit="Ask",
        key="m",
        target=message_id,
        items=(
            Quotation(text=message),
            _question(hint="Is this allowed?"),
            ChoiceField(
                id=WHERE, label="Where should the answer go?", options=PLACES, initial=DIRECT
            ),
        ),
    )


def _question(*, hint: str) -> TextField:
    return TextField(
        id=QUESTION,
        label="Your question",
        limit=QUESTION_LIMIT,
        least=3,
        missing="Write a question",
        hint=hint,
    )
