"""What arrived from chat, as every platform says it, and how far it has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from core.domain.conversation import ContextMessage, Place
from core.domain.json_value import Json

EDITED_WITHIN = timedelta(hours=1)
"""Of a message that we know nothing of: an edit so soon may have overtaken it. Platforms deliver
again for some minutes."""
OVERHEARD = "is_overheard"
"""Key of `InboundMessage.raw`: True of a follow-up that does not name us. It opens no case."""


class MessageKind(StrEnum):
    """What somebody did."""

    MESSAGE = "message"
    """Wrote something to be answered: a message, a command, a modal."""
    CHOICE = "choice"
    """Pressed an option of a clarification: answered as if its words had been written."""
    EDITED = "edited"
    """Changed a message that may already have been answered."""
    DELETED = "deleted"
    """Took a message back."""
    HELP = "help"
    """Asked how it works, or let us in: that is shown, and nothing is answered."""
    SIGN_IN = "sign_in"
    """Asked, in a direct message, to be let into the officers' console."""
    STOP = "stop"
    """Asked for silence: what is being answered for this person here is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """One message addressed to us, parsed, not yet stored."""

    place: Place
    """Where it was written, and where its reply goes."""
    dedupe_key: str
    """Identity of the delivery: the same for a repeated one (`slack:A1:Ev1`)."""
    message_key: str | None = None
    """Identity of what was written, if the platform tells it twice under different deliveries
    (`slack:T1:C1:1700.1`); None if it can't."""
    target_key: str | None = None
    """`message_key` of the message that was edited or deleted; None for other kinds."""
    kind: MessageKind = MessageKind.MESSAGE
    """What was done."""
    person: str
    """The platform's id of who did it: kept for delivery, never in the record."""
    text: str = ""
    """As typed, without the bot's mention; of a choice its words; empty for a delete or a stop."""
    sent_at: datetime
    """When the platform says it was written, aware, UTC."""
    raw: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """The payload, as far as rendering a reply or a dispute may need it."""
    context: tuple[ContextMessage, ...] = ()
    """What came with it of others' words: quoted, or asked about."""
    answers: str | None = None
    """Of a choice: the answer whose question back it is an option of; None for other kinds."""
    as_original: "InboundMessage | None" = None
    """Of an edit: its message as it reads now, to be kept in its place where the edit came first;
    None: it is not addressed to us, or is too old to be on its way still."""
    is_report: bool = False
    """True: it reports misconduct, as far as rules tell. It is never refused, and comes first."""

    def overheard(self) -> "InboundMessage":
        """Return the same, with the remark that we were not named: see `OVERHEARD`."""
        return replace(self, raw={**self.raw, OVERHEARD: True})

    def ignored(self, reason: str) -> "Ignored":
        """Return what is kept of it if it is not answered; see `Ignored.reason`."""
        return Ignored(
            place=self.place,
            dedupe_key=self.dedupe_key,
            person=self.person,
            sent_at=self.sent_at,
            reason=reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Addressed to us and not answered: recorded with its reason, and no reply."""

    place: Place
    """Where it was written."""
    dedupe_key: str
    """See `InboundMessage.dedupe_key`."""
    person: str
    """See `InboundMessage.person`."""
    sent_at: datetime
    """See `InboundMessage.sent_at`."""
    reason: str
    """Why, in a word (`bot`, `workflow`, `subtype`): never text of the message."""


OFFICER_SPEAKS, TAKEN_OVER = "officer", "taken_over"
"""Reasons of `Ignored`: an officer answers in the thread; then nobody speaks to us any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speakers:
    """Who speaks in a conversation."""

    first: str
    """The platform's id of who began it; empty if nobody did."""
    asker: str
    """The platform's id of who asked us last; empty if nobody did."""
    is_asked_back: bool
    """True: that question was answered with one of ours, which is open."""
    is_taken_over: bool
    """True: an officer has spoken, and nobody has addressed us since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """Stored, with all that will answer it: it may be acknowledged."""

    message_id: int
    """Row of the inbox; rows of a conversation are answered in its order."""
    conversation_id: str
    """The conversation."""
    question_id: str | None = None
    """See `Claimed.question_id`; None if it asks nothing: an edit, a stop, what is ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Nothing was stored, and nothing is missing: it may be acknowledged."""

    reason: str
    """`repeated`; `unknown_target`: an edit or a delete of a message that we never kept; `settled`:
    an option of a question back that was answered before."""


CODE_ANSWERED = Seen(reason="case_code")
"""It held the code of a report, and was answered."""
UNKNOWN_TARGET, SETTLED = Seen(reason="unknown_target"), Seen(reason="settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A message that this worker answers, while it keeps renewing its lease."""

    message_id: int
    """Row of the inbox."""
    conversation_id: str
    """The conversation."""
    question_id: str
    """UUIDv7, the same for each attempt, so that no model call is made twice."""
    record_id: str | None
    """The record `message:received`; None if there is none."""
    place: Place
    """Where the reply goes."""
    person: str
    """The platform's id of the asker."""
    asker: str
    """The asker's pseudonym."""
    text: str
    """The newest text: that of the last edit."""
    waited_s: float
    """Seconds since it was stored, by the clock of the database."""
    attempt: int
    """How many workers have begun it, this one included."""
    token: str
    """Proof of the lease: whoever took over has another one."""
    edition: int | None
    """State of the corpus at the first attempt; None while nothing was ever published."""
    as_of: date
    """The day of the first attempt."""
    progress_id: str | None
    """The platform's id of the message that shows progress; None if there is none."""
    raw: Mapping[str, Json]
    """See `InboundMessage.raw`."""
    context: tuple[ContextMessage, ...] = ()
    """See `InboundMessage.context`."""
    follows_unposted: bool = False
    """True: an earlier reply of the conversation is not posted yet, and nothing should stand above
    it."""
    is_taken_over: bool = False
    """True: whoever had it before let the lease end, as a process does that was killed."""

    @property
    def locale(self) -> str | None:
        """What the asker's client speaks (`de-AT`); None: it did not tell."""
        told = self.raw.get("locale")
        return told if isinstance(told, str) and told else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The oldest row is not free: look again then."""

    until: datetime
    """Aware, UTC: when its lease ends, or its next attempt is due."""
