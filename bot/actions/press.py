"""One press or one form that was sent, as every platform tells it: who, where, and about what."""

from dataclasses import dataclass, field

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
