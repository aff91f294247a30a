"""Replies that were shown, found again by the id that their buttons carry."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.domain.answer import Answer
from core.domain.conversation import Place
from core.domain.delivery import StoredReply
from core.domain.officers import Account, Officer
from core.language.spans import Span, VersionId


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedAnswer:
    """One reply, with who asked what, and where."""

    reply: StoredReply
    """As it was stored to be shown."""
    place: Place
    """Where it was asked."""
    person: str
    """The platform's id of the asker."""
    question: str
    """As typed."""
    is_followed: bool
    """True if something was asked in the conversation since."""
    is_expired: bool = False
    """True if it is so old that a new conversation would begin in its place."""
    is_removed: bool = False
    """True if it was taken away."""
    is_superseded: bool = False
    """True if an officer's answer holds instead."""
    asked_from: str | None = None
    """The channel from which it was asked, where the reply went elsewhere; None if nowhere else."""
    is_whispered: bool = False
    """True: the platform showed the question to nobody else."""
    shared_in: frozenset[str] = frozenset()
    """Channels in which its asker has shared it."""

    @property
    def is_settled(self) -> bool:
        """True if nothing can be done to it any more."""
        return self.is_removed or self.is_superseded


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBack:
    """A question back to an asker, who has not answered it."""

    question: str
    """What the asker wanted to know, as typed."""
    asked: Answer
    """What they were asked."""
    place: Place
    """Where."""
    message_id: str | None
    """The platform's id of what asks; None if it did not tell."""


class CopyState(StrEnum):
    """How far an answer has come that is shown to a channel."""

    ON_ITS_WAY = "on_its_way"
    SHOWN = "shown"
    NOT_SHOWN = "not_shown"
    """It is not posted any more: its channel has changed, or the platform refuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCopy:
    """An answer as it is shown to a channel in which it was not asked."""

    state: CopyState
    """How far it has come."""
    message_id: str | None
    """The platform's id of it; None if it is not there, or the platform did not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteContext:
    """What stands in the policy around a span."""

    before: str
    """Up to it."""
    after: str
    """From its end."""


class PostedAnswers(Protocol):
    """Looks up what buttons stand for. Safe from many processes."""

    async def find(self, answer_id: str, /, *, platform: str, tenant: str) -> PostedAnswer | None:
        """Return the reply with this answer; None: there is none in this workspace."""
        ...

    async def answer_in(
        self, message: str | None, /, *, platform: str, tenant: str, channel: str, person: str
    ) -> str | None:
        """Return the answer that a message of ours shows to somebody; None: it shows none.

        Without a message: the latest answer to this person in the channel.
        """
        ...

    async def asked_back(self, who: Account, /) -> tuple[AskedBack, ...]:
        """Return what a person was asked within three days and has not answered, the newest first.

        At most 50.
        """
        ...

    async def shared_copy(
        self, answer_id: str, by: Account, /, *, channel: str
    ) -> SharedCopy | None:
        """Return what became of an answer that was shared in a channel; None: it was not."""
        ...

    async def audiences(
        self, versions: Collection[VersionId], /
    ) -> Mapping[VersionId, tuple[frozenset[str], ...]]:
        """Return for each version who may read it now: somebody of each of its sets of groups."""
        ...

    async def around(
        self, spans: Sequence[Span], /, *, characters: int
    ) -> Mapping[Span, QuoteContext]:
        """Return what stands around spans, as many characters on each side.

        Whoever asks has checked who may read them.
        """
        ...


class PostedAnswerActions(Protocol):
    """What people do to an answer that they see; each stands in one transaction with its record.

    Whoever calls has checked who may.
    """

    async def remove(self, answer_id: str, by: Account, /, *, officer: Officer | None) -> bool:
        """Take an answer away wherever it stands; False: there is none, or it was before."""
        ...

    async def share(
        self, answer_id: str, by: Account, /, *, channel: str, groups: frozenset[str]
    ) -> bool:
        """Show an answer in a channel, once; False: it was before, or there is none.

        `groups` are those that everybody in the channel must have: checked again when it is posted.
        """
        ...
