"""Messages and replies between their platform and the pipeline, and what a platform does for us.

The stores are safe from many processes. Their rows are the queue: what is unfinished and due is
handed to a handler, in this process or another.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from core.domain.conversation import ConversationReference, Place, Surroundings
from core.domain.delivery import Delivery, FindResult, NoReaders, PostResult, Readers, Step
from core.domain.message import Accepted, Claimed, Ignored, InboundMessage, Seen, Waiting
from core.language.interface.texts import of_locale
from core.language.languages import Language
from core.ports.operations import SlotUse
from core.ports.reasoning import Progress

Kept = Callable[[str], Awaitable[None]]
"""Keeps the platform's id of the message that shows progress; it is committed when this returns."""


class Audience(Protocol):
    """Who reads what is posted."""

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """Say what everyone who reads this place may read; `is_direct`: what the asker may.

        Whatever is not known for certain is nobody.
        """
        ...


async def as_carried(claimed: Claimed, /) -> Surroundings:
    """See `Platform.around`: what came with the message, and nothing else."""
    return Surroundings(messages=claimed.context)


LanguageOf: TypeAlias = Callable[[Place, str, str | None], Awaitable[Language]]
"""Says in which language of the interface somebody is spoken to: where, who, and the locale that
came with what they wrote. Nobody in particular (an empty id): the deployment's language. Raises
nothing, and takes no longer than a press may wait."""


async def by_locale(_: Place, __: str, locale: str | None) -> Language:
    """See `LanguageOf`: as the locale says, else English."""
    return of_locale(locale, otherwise=Language.ENGLISH)


class Surface(Protocol):
    """Shows that somebody is at work. Nothing that it does may fail a run."""

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        """Show progress until the block ends."""
        ...


class Poster(Protocol):
    """Puts a reply where people see it. Raises nothing: what went wrong is a result."""

    @property
    def shapes(self) -> int:
        """How many shapes it knows, from the richest (0) to plain text."""
        ...

    async def post(self, delivery: Delivery, /) -> PostResult:
        """Post the reply in its shape, with the outbox id; one attempt, bounded in time."""
        ...

    async def find(self, delivery: Delivery, /) -> FindResult:
        """Look for the reply by its outbox id, or settle it by repeating what may be repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """All that one chat platform does for us."""

    audience: Audience
    """Says who reads a place."""
    surface: Surface
    """Shows progress."""
    poster: Poster
    """Posts replies."""
    around: Callable[[Claimed], Awaitable[Surroundings]] = as_carried
    """Reads what people wrote around a message, as far as its asker can see it; raises nothing."""
    language: LanguageOf = by_locale
    """In which language somebody is spoken to."""
    waking: Callable[[Claimed], AbstractAsyncContextManager[object]] = nullcontext
    """Shows that somebody is at work while it is looked up who reads; it says nothing else, raises
    nothing, and delays nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What is settled with the record of a run, or not at all: the message, and its reply."""

    message_id: int
    """The message that the run answers."""
    lease_token: str
    """Must still be its lease; else the record is refused."""
    cause: str | None
    """The record that the run follows from; None if there is none."""
    is_dead: bool = False
    """True: the message was given up."""


class Inbox(Protocol):
    """Every inbound message, stored before it is acknowledged."""

    async def put(self, message: InboundMessage | Ignored, /) -> Accepted | Seen:
        """Store a message and its record in one transaction.

        Idempotent by `dedupe_key` and `message_key`. Messages of one conversation are answered in
        the order in which `put` returned.

        Raises:
            TransientError: Nothing was stored. Answer 503, so that the platform delivers again.
        """
        ...


class Backlog(Protocol):
    """Messages that are stored and not finished."""

    async def claim(self, conversation_id: str, /) -> Claimed | Waiting | None:
        """Lease the oldest unfinished message of a conversation, and count the attempt.

        None: nothing is left to do.
        """
        ...

    async def renew(self, claimed: Claimed, /) -> None:
        """Prolong the lease.

        Raises:
            OvertakenError: It is lost: the message was edited, deleted, stopped or taken over.
        """
        ...

    async def release(self, claimed: Claimed, /, *, after_s: float, counted: bool) -> None:
        """Give the message back, to be begun again so much later; a no-op once the lease is lost.

        `counted=False` takes the attempt back: it was interrupted, it did not fail.
        """
        ...

    async def show_progress(self, claimed: Claimed, remote_id: str, /) -> None:
        """Keep the id of the message that shows progress, so that the reply can replace it.

        Raises:
            OvertakenError: The reply is queued already, without it: take that message away.
        """
        ...


class Outbox(Protocol):
    """Every reply, queued in the transaction that recorded it."""

    async def claim(self, conversation_id: str, /) -> Delivery | Waiting | None:
        """Lease the oldest unsettled reply of a conversation, once its channel may be written to.

        None: nothing is left to do.
        """
        ...

    async def renew(self, delivery: Delivery, /) -> None:
        """Prolong the lease.

        Raises:
            OvertakenError: It is lost.
        """
        ...

    async def begin(self, delivery: Delivery, /) -> None:
        """Say, before posting, that the reply may be with the platform from now on.

        Raises:
            OvertakenError: The lease is lost.
        """
        ...

    async def apply(self, delivery: Delivery, step: Step, /) -> None:
        """Do what follows from what the platform said, with its record.

        Raises:
            OvertakenError: The lease is lost.
        """
        ...


WorkKind: TypeAlias = Literal["answer", "deliver"]
"""What there is to do in a conversation."""

Handler = Callable[[str], Awaitable[None]]
"""Does what is due in the conversation with this id, and returns when nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    """What the queue calls."""

    answer: Handler
    """Answers messages."""
    deliver: Handler
    """Posts replies."""
    answers: Callable[[], int] | None = None
    """Says how many conversations to answer at a time, if fewer than there are slots for; None: as
    many as there are."""


class WorkQueue(Protocol):
    """Finds conversations in which something is due, among all unfinished rows."""

    async def run(self, handlers: Handlers, /) -> None:
        """Call the handlers until cancelled, also for what other processes left behind.

        Cancelled, it lets what has begun end, within its time for a shutdown.
        """
        ...

    def slots(self) -> Mapping[WorkKind, SlotUse]:
        """Say how many conversations of each kind this process works on, and could."""
        ...


class ConversationReferences(Protocol):
    """References, by conversation. What is stored was checked; whoever uses it checks it again."""

    async def put(self, reference: ConversationReference, /) -> datetime:
        """Keep a reference in place of the earlier one; return since when we know of it, UTC.

        A fact that it does not name stays as it was.
        """
        ...

    async def find(
        self, platform: str, tenant: str, conversation: str, /
    ) -> ConversationReference | None:
        """Return the reference of a conversation; None: we were never there, or are no more."""
        ...

    async def find_direct(
        self, platform: str, tenant: str, person: str, /
    ) -> ConversationReference | None:
        """Return the newest direct conversation with a person; None: there is none.

        Who is named by the directory is found, too, where the facts hold that id as `aad`.
        """
        ...

    async def find_any(self, platform: str, tenant: str, /) -> ConversationReference | None:
        """Return the conversation of a tenant that was told last; None: we are in none."""
        ...

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        """Forget a conversation, or all of a team with this id, and say how many there were."""
        ...
