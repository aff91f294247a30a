"""Replies that were shown, found again by the id that their buttons carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.chat import Place
from core.domain.delivery import StoredReply
from core.domain.policy import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReply:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What stands in the policy around a span."""

    before: str
    """Up to it."""
    after: str
    """From its end."""


class ShownReplies(Protocol):
    """Looks up what buttons stand for. Safe from many processes."""

    async def find(self, answer_id: str, /, *, platform: str, tenant: str) -> ShownReply | None:
        """Return the reply with this answer; None: there is none in this workspace."""
        ...

    async def around(
        self, spans: Sequence[Span], /, *, characters: int
    ) -> Mapping[Span, Surroundings]:
        """Return what stands around spans, as many characters on each side.

        Whoever asks has checked who may read them.
        """
        ...
