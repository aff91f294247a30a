"""A press, or a form that was sent, as every platform tells it, and what a surface shows in return.

Texts of an outcome are the product's own words and hold no markup; whatever else is shown is data,
which each platform draws in its own way. What an outcome tells of is committed by then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from bot.forms.evidence import Around
from core.domain.answer import Answer
from core.domain.case import Case
from core.domain.case_rules import Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What a form held: texts as typed, choices as whatever a client sent."""

    text: str = ""
    """A note to Compliance, the details of a report or thumb, an officer's answer."""
    reason: str = ""
    """What is wrong with an answer: see `Reason`."""
    urgency: str = ""
    """When a reply is needed: see `Urgency`."""
    is_private: bool = False
    """True: the reply is to go to the asker alone."""
    is_anonymous: bool = False
    """True: the officer is to see no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What somebody pressed or sent. Nothing in it is believed: the target is looked up."""

    who: Account
    """Who did it, by the platform's own id."""
    listed: Account
    """The same person as the list of officers knows them; equal to `who` for everybody else."""
    is_outside: bool
    """True: somebody of another company, or nobody knows."""
    key: str
    """Identity of the click: the same for a repeated delivery."""
    target: str
    """Id of the answer or case, within the tenant of `who`; it came back from a client."""
    choice: str = ""
    """Which of its choices: a number, `all`, `up`, `down`; empty if there are none."""
    room: str | None = None
    """The channel in which it was pressed; None: a direct conversation, or no message at all."""
    message_id: str | None = None
    """The message with the button; None if the platform tells none."""
    entered: Entered = field(default_factory=Entered)
    """What was sent with it; blank for a button."""

    @property
    def page(self) -> int:
        """The choice as a page of a view, from 0."""
        return int(self.choice) if self.choice.isascii() and self.choice.isdecimal() else 0


class SeenBy(Enum):
    """Who reads what Compliance replies to a question."""

    THREAD = auto()
    """Everybody in the thread."""
    ASKER = auto()
    """The asker alone: nobody else reads where it was asked."""
    ASKER_UNNAMED = auto()
    """The asker alone, whose name the officer on call is not told: it was a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationForm:
    """The form that hands a question to Compliance, or adds to its case."""

    answer_id: str
    """What the asker got."""
    seen_by: SeenBy
    """What the form promises of the reply."""
    known: int | None
    """Number of its case, which was opened without the asker; None: there is none yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """The form that says what is wrong with an answer."""

    answer_id: str
    """Which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePage:
    """One page of the evidence of an answer."""

    answer: Answer
    """Whose."""
    answer_id: str
    """Its id, for the buttons that turn pages."""
    page: int
    """From 0; one that there is not stands for the last."""
    around: Mapping[int, Around] = field(default_factory=dict[int, Around])
    """What stands around each quote, by the n of [n]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormNotice:
    """A line in place of the form that was to be opened."""

    title: str
    """Of the form."""
    words: str
    """The line."""


Form: TypeAlias = EscalationForm | ReportForm | Case | EvidencePage | FormNotice
"""A case stands for the form in which an officer answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A clarification whose option was chosen: its buttons go."""

    answer: Answer
    """The question back."""
    option: str
    """The words of the option."""
    is_whispered: bool
    """True: only its asker sees the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Tell whoever pressed, and nobody else."""

    words: str
    """What."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """What was sent is not taken; a form is shown again as far as the platform can."""

    words: str
    """Why."""
    field: str | None = None
    """The input that is wrong, by its id; None: the form as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenForm:
    """Open a form, or a view of something."""

    form: Form
    """Which."""
    otherwise: str = ""
    """Said where the platform does not open it; empty: that it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redraw:
    """Show in the message with the button how things stand now."""

    now: Chosen | Case
    """What stands there; a case's message is rewritten by delivery, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """There is nothing to show: delivery rewrites the message."""


Outcome: TypeAlias = Say | FieldError | OpenForm | Redraw | Nothing
