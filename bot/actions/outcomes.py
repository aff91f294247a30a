"""What a surface is to do about a press: each platform carries these out in its own way.

Texts are the product's own words and hold no markup; whatever else is shown is data, which a
platform's renderer draws. All of it is committed before it is returned.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from bot.replies.evidence import Around
from core.domain.answer import Answer
from core.domain.case import Case


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
class Notice:
    """A line in place of the form that was to be opened."""

    title: str
    """Of the form."""
    words: str
    """The line."""


Form: TypeAlias = EscalationForm | ReportForm | Case | EvidencePage | Notice
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
