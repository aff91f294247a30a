"""The forms that people fill in: what each tells, asks and offers, as data.

Slack draws a form as a modal and Teams as a dialog, with the same names of forms and fields; what
was entered comes back under the ids given here, and `entered` reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bot.forms import reports
from bot.forms.effects import TO_WRITER
from bot.forms.reasons import REASONS
from core.domain.case import Case
from core.domain.case_actions import NOTE_LIMIT, REPLY_LIMIT
from core.language.interface.texts import Text

NOTE, URGENCY, PRIVACY, WITHOUT = "note", "urgency", "privacy", "without"
WHY, DETAILS, ANSWER, QUESTION, WHERE = "why", "txt", "answer", "question", "where"
EFFECT = "effect"
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


TITLES: Mapping[str, Text] = {
    FormName.ESCALATION: Text("Ask Compliance", "Compliance fragen"),
    FormName.REPORT: Text("Report a problem", "Problem melden"),
    FormName.CASE_ANSWER: Text("Answer", "Antworten"),
}
"""Titles of forms, and of the confirmation that replaces a form once it was sent."""
URGENCIES = (("today", Text("Today", "Heute")), ("week", Text("This week", "Diese Woche")))
PLACES = (
    (DIRECT, Text("Answer me privately", "Nur mir antworten")),
    (THREAD, Text("Answer in the thread", "Im Thread antworten")),
)
REPORTED = Text(
    "Thank you. Compliance reviews this answer, and I tell you in a direct message what they find.",
    "Danke. Compliance prüft diese Antwort; das Ergebnis erhalten Sie als Direktnachricht.",
)
NOTE_LABEL = Text("Note", "Anmerkung")
CHOOSE_ONE = Text("Choose one", "Bitte wählen Sie")
_SEND = Text("Send", "Senden")
_PRIVACY = Text("Privacy", "Vertraulichkeit")
_KNOWN = Text(
    "Your question is already with Compliance as case {number}, without your name. You can add"
    " to it here.",
    "Ihre Frage liegt als Fall {number} schon bei Compliance, ohne Ihren Namen. Hier können Sie sie"
    " ergänzen.",
)
_WHAT_TO_KNOW = Text("What should they know?", "Was sollte Compliance wissen?")
_KNOW_HINT = Text("Deal, counterparty, deadline...", "Geschäft, Geschäftspartner, Frist ...")
_WHEN = Text("When do you need it?", "Bis wann brauchen Sie die Antwort?")
_REPORT = Text("Report", "Melden")
_WHAT_IS_WRONG = Text("What is wrong with the answer?", "Was stimmt an der Antwort nicht?")
_DETAILS = Text("Details", "Einzelheiten")
_ANSWER_CASE = Text("Answer case {number}", "Fall {number} beantworten")
_POST = Text("Post", "Absenden")
_GOES = Text(
    "The text is posted {to} under your name, without the AI label.",
    "Der Text geht {to}, unter Ihrem Namen und ohne KI-Kennzeichnung.",
)
_TO_ASKER = Text("to the asker", "an die fragende Person")
_TO_ASKER_ALONE = Text(
    "to the asker alone, directly,", "nur an die fragende Person, als Direktnachricht"
)
_ANSWER = Text("Answer", "Antwort")
WRITE_ANSWER = Text("Write an answer", "Schreiben Sie eine Antwort")
_PRIVATELY = Text("Send privately, not in the channel", "Vertraulich senden, nicht in den Channel")
_ASK = Text("Ask", "Fragen")
_COMES_DIRECTLY = Text(
    "You'll get the answer in our direct messages, where only you can read it.",
    "Die Antwort kommt in unsere Direktnachrichten, wo nur Sie sie lesen.",
)
_ALLOWED = Text("Is this allowed?", "Ist das erlaubt?")
_WHERE = Text("Where should the answer go?", "Wohin soll die Antwort gehen?")
_YOUR_QUESTION = Text("Your question", "Ihre Frage")
_WRITE_QUESTION = Text("Write a question", "Schreiben Sie eine Frage")


_EFFECT = Text("The answer that the asker got", "Die Antwort, die es schon gab")
_IS_FEEDBACK = Text("What you write", "Was Sie schreiben")


class SeenBy(StrEnum):
    """Who reads what Compliance replies to a question."""

    THREAD = ""
    """Everybody in the thread."""
    ASKER = "alone"
    """The asker alone: nobody else reads where it was asked."""
    ASKER_UNNAMED = "report"
    """The asker alone, whose name the officer on call is not told: it was a report."""


_PROMISES = {
    SeenBy.THREAD: Text(
        "A compliance officer will see your name, your question and the answer you got, and will"
        " reply in this thread.",
        "Compliance sieht Ihren Namen, Ihre Frage und die Antwort, die Sie erhalten haben, und"
        " antwortet in diesem Thread.",
    ),
    SeenBy.ASKER: Text(
        "A compliance officer will see your name, your question and the answer you got, and will"
        " reply to you here.",
        "Compliance sieht Ihren Namen, Ihre Frage und die Antwort, die Sie erhalten haben, und"
        " antwortet Ihnen hier.",
    ),
    SeenBy.ASKER_UNNAMED: reports.PROMISE,
}
_UNNAMED = (
    ANONYMOUS,
    Text("Do not show my name to the officer", "Meinen Namen bei Compliance nicht zeigen"),
)
_WISHES = {
    SeenBy.THREAD: (
        (
            DIRECT,
            Text(
                "Reply to me privately, not in the channel",
                "Vertraulich antworten, nicht im Channel",
            ),
        ),
        _UNNAMED,
    ),
    SeenBy.ASKER: (_UNNAMED,),
}
"""What an asker may choose; nothing where it holds anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A paragraph that we wrote."""

    text: Text
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
    label: Text
    limit: int
    """Characters."""
    least: int = 0
    """Characters; 0: it may stay empty."""
    missing: Text | None = None
    """Said where it must not stay empty; None: it may."""
    hint: Text | None = None
    """Shown while it is empty; None: nothing."""
    is_formed: bool = False
    """True: emphasis, lists, links and people are kept: see `core.cases.written`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField:
    """A field of which one option must be chosen."""

    id: str
    label: Text
    options: tuple[tuple[str, Text], ...]
    """Value and words of each."""
    initial: str = ""
    """Value of what is chosen at first; empty: nothing."""
    is_menu: bool = False
    """True: the options open on a click."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsField:
    """A field of which any options may be chosen, at first none."""

    id: str
    label: Text
    options: tuple[tuple[str, Text], ...]
    """Value and words of each."""


_WHO_NOT = TextField(id=WITHOUT, label=reports.WHO_NOT, limit=NOTE_LIMIT, hint=reports.WHO_NOT_HINT)
Field: TypeAlias = TextField | ChoiceField | OptionsField
Item: TypeAlias = Words | Quotation | Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form, ready to be drawn as a modal or dialog."""

    name: FormName
    title: Text
    submit: Text
    """The button that sends it."""
    items: tuple[Item, ...]
    """From top to bottom."""
    key: str = ""
    """The kind of thing it is about: `a` answer, `case`, `m` message; empty: none."""
    target: str = ""
    """The id of that thing; it comes back from a client and is looked up."""
    heading: Text | None = None
    """A longer title that names the case; None: `title` serves."""
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
    effect: str = ""
    """What an officer's answer makes of the earlier one: `REPLACES`, `CONFIRMS` or `ADDS`; or
    whether it is feedback, or `TELLS`."""
    without: str = ""
    """Officers who must not hear of it, as typed."""


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
        effect=values.get(EFFECT, ""),
        without=values.get(WITHOUT, "")[:NOTE_LIMIT],
    )


def escalation_form(answer_id: str, *, seen_by: SeenBy, known: int | None = None) -> Form:
    """Return the form that hands a question to Compliance, or adds to its case.

    Args:
        answer_id: what the asker got.
        seen_by: who reads the reply.
        known: number of its case, which was opened without the asker; None: there is none yet.
    """
    wishes, is_report = _WISHES.get(seen_by), seen_by is SeenBy.ASKER_UNNAMED
    return Form(
        name=FormName.ESCALATION,
        title=reports.TITLE if is_report else TITLES[FormName.ESCALATION],
        submit=_SEND,
        key="a",
        target=answer_id,
        seen_by=seen_by,
        known=known,
        items=(
            *([] if known is None else [Words(text=_KNOWN.format(number=known))]),
            Words(text=_PROMISES[seen_by]),
            TextField(
                id=NOTE,
                label=reports.TO_KNOW if is_report else _WHAT_TO_KNOW,
                limit=NOTE_LIMIT,
                hint=reports.HINT if is_report else _KNOW_HINT,
            ),
            *([_WHO_NOT] if is_report else []),
            ChoiceField(
                id=URGENCY,
                label=reports.WHEN if is_report else _WHEN,
                options=URGENCIES,
                initial="week",
                is_menu=True,
            ),
            *([OptionsField(id=PRIVACY, label=_PRIVACY, options=wishes)] if wishes else []),
        ),
    )


def report_form(answer_id: str) -> Form:
    """Return the form that says what is wrong with an answer."""
    return Form(
        name=FormName.REPORT,
        title=TITLES[FormName.REPORT],
        submit=_REPORT,
        key="a",
        target=answer_id,
        items=(
            ChoiceField(id=WHY, label=_WHAT_IS_WRONG, options=REASONS),
            TextField(id=DETAILS, label=_DETAILS, limit=NOTE_LIMIT),
        ),
    )


def case_answer_form(
    case_id: str,
    *,
    is_private: bool,
    case: Case | None = None,
    effects: tuple[tuple[str, Text], ...] = (),
) -> Form:
    """Return the form in which an officer answers.

    Args:
        case_id: the case.
        is_private: the reply goes to the asker alone, whatever is chosen.
        case: the case, to be quoted; None where a form that was sent is shown again.
        effects: what it may make of the earlier answer, first what is chosen at first.
    """
    first = "".join(value for value, _ in effects[:1])
    label = _IS_FEEDBACK if effects == TO_WRITER else _EFFECT
    effect = ChoiceField(id=EFFECT, label=label, options=effects, initial=first)
    to = _TO_ASKER_ALONE if is_private else _TO_ASKER
    privately = (DIRECT, _PRIVATELY)
    return Form(
        name=FormName.CASE_ANSWER,
        title=TITLES[FormName.CASE_ANSWER],
        heading=_ANSWER_CASE.format(number=case.number) if case else None,
        submit=_POST,
        key="case",
        target=case_id,
        seen_by=SeenBy.ASKER if is_private else SeenBy.THREAD,
        items=(
            *([Quotation(text=case.question, note=case.note or "")] if case else []),
            Words(text=_GOES.format(to=to)),
            *([effect] if effects else []),
            TextField(
                id=ANSWER,
                label=_ANSWER,
                limit=REPLY_LIMIT,
                least=0 if effects else 1,
                missing=WRITE_ANSWER,
                is_formed=True,
            ),
            *(
                []
                if is_private
                else [OptionsField(id=PRIVACY, label=_PRIVACY, options=(privately,))]
            ),
        ),
    )


def question_form(title: Text) -> Form:
    """Return the form in which a question is asked, to be answered directly."""
    items = (_question(hint=None), Words(text=_COMES_DIRECTLY))
    return Form(name=FormName.QUESTION, title=title, submit=_ASK, items=items)


def question_about_form(message: str, *, title: Text, message_id: str = "") -> Form:
    """Return the form in which a question about a message is asked, which it quotes."""
    return Form(
        name=FormName.QUESTION,
        title=title,
        submit=_ASK,
        key="m",
        target=message_id,
        items=(
            Quotation(text=message),
            _question(hint=_ALLOWED),
            ChoiceField(id=WHERE, label=_WHERE, options=PLACES, initial=DIRECT),
        ),
    )


def _question(*, hint: Text | None) -> TextField:
    return TextField(
        id=QUESTION,
        label=_YOUR_QUESTION,
        limit=QUESTION_LIMIT,
        least=3,
        missing=_WRITE_QUESTION,
        hint=hint,
    )
