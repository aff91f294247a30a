"""A press, or a form that was sent, as every platform tells it, and what a surface shows in return.

Texts of an outcome are the product's own words and hold no markup; whatever else is shown is data,
which each platform draws in its own way. What an outcome tells of is committed by then.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.forms.evidence import EvidenceView
from bot.forms.forms import Entered, Form
from core.domain.affected import AffectedEdition
from core.domain.case import Case
from core.domain.conversation import Place
from core.domain.delivery import Clarified
from core.domain.officers import Account
from core.language.interface.texts import Text

_OPTION, _CASE = re.compile("[0-9]{1,3}"), re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PressTarget:
    """What a button is about, as it came back from a client."""

    id: str
    """Of an answer, a case, an edition, a message or a person's Home; to be looked up."""
    choice: str = ""
    """Which of its choices: a number, `all`, `up`, `down`; empty if there are none."""

    @property
    def number(self) -> int | None:
        """The choice as the number of an option or page; None if it is none."""
        return int(self.choice) if _OPTION.fullmatch(self.choice) else None

    @property
    def case(self) -> int | None:
        """The choice as the number of a case; None if it is none."""
        return int(self.choice) if _CASE.fullmatch(self.choice) else None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FormNotice:
    """A line in place of the form that was to be opened."""

    title: Text
    """Of the form."""
    words: Text
    """The line."""


View: TypeAlias = Form | EvidenceView | FormNotice
"""What a surface opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Tell whoever pressed, and nobody else; a surface says it in their language."""

    words: Text
    """What."""
    whose: str = ""
    """The platform's id of who asked, where that is said first; empty: it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """What was sent is not taken; a form is shown again as far as the platform can."""

    words: Text
    """Why."""
    field: str | None = None
    """The input that is wrong, by its id; None: the form as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenForm:
    """Open a form, or a view of something."""

    form: View
    """Which."""
    otherwise: Text | None = None
    """Said where the platform does not open it; None: that it did not."""
    without_form: "Callable[[], Awaitable[Say]] | None" = field(default=None, compare=False)
    """Does without the form what it is for, where the platform certainly shows none; None: nothing
    can be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redraw:
    """Show in the message with the button how things stand now."""

    now: Clarified | Case | AffectedEdition
    """What stands there; delivery rewrites the message for everybody, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The message was taken away: delivery rewrites it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOn:
    """A question was asked by a press."""

    place: Place
    """Where."""
    person: str
    """The platform's id of who asked."""
    question: str
    """Its words."""
    is_shown: bool
    """True: it is shown where its answer will stand; False: nobody but its asker may see it."""


Outcome: TypeAlias = Say | FieldError | OpenForm | Redraw | Removed
