"""What became of one call to a chat platform, and what follows for a reply that it was to post.

Nothing is repeated where a call is made: no platform has a key by which it would know a second post
for the first, so whoever calls decides.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.json_fields import Object
from core.domain.delivery import (
    Ambiguous,
    CanNotTell,
    ContentRefused,
    FindResult,
    NotFound,
    Permanent,
    Posted,
    PostResult,
    RetryAfter,
)

NOT_SENT_REST_S = 10.0
"""Until a platform that could not be reached is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Succeeded:
    """The platform did it."""

    body: Object
    """Its answer; empty if it sent none."""
    scopes: tuple[str, ...] = field(default=(), compare=False)
    """What the token may do, from Slack; empty if not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The platform did not do it, or was not asked."""

    code: str
    """Its word for why."""
    status: int = 0
    """Of HTTP, from Teams; 0 if it was not asked."""
    message: str = field(default="", repr=False)
    """The platform's sentence for why: one code has several. It may hold what was sent."""
    needed_scope: str = field(default="", repr=False)
    """The scope that was missing, from Slack, if that is why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimited:
    """Too many, or not now: the platform did not do it."""

    after_s: float
    """Seconds until it may be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSent:
    """The platform was not reached, or we have no token: nothing was done."""

    why: str
    """What happened, in a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertain:
    """It may have been done."""

    why: str
    """What happened, in a word."""
    status: int = 0
    """Of HTTP; 0 if there was no answer."""


CallResult: TypeAlias = Succeeded | Rejected | RateLimited | NotSent | Uncertain


def post_result(
    result: CallResult,
    *,
    id_of: Callable[[Object], str],
    rejected: Callable[[Rejected], PostResult],
) -> PostResult:
    """Return what a call means for the reply that it was to post.

    Args:
        result: of the call.
        id_of: reads the id of the message from the platform's answer; empty if there is none.
        rejected: what a rejection means on this platform.
    """
    match result:
        case Succeeded():
            return Posted(remote_id=id_of(result.body) or None)
        case RateLimited():
            return RetryAfter(after_s=result.after_s)
        case NotSent():
            return RetryAfter(after_s=NOT_SENT_REST_S)
        case Uncertain():
            return Ambiguous(code=result.why)
        case Rejected():
            return rejected(result)


def before_posting(result: PostResult) -> PostResult:
    """Return what a call before the post itself means: to repeat it posts nothing twice."""
    return RetryAfter(after_s=1.0) if isinstance(result, Ambiguous) else result


def found_by_updating(result: PostResult, *, otherwise: NotFound | CanNotTell) -> FindResult:
    """Return what a repeated update says of a reply that may have been posted before."""
    match result:
        case Posted() | RetryAfter() | Ambiguous():
            return result
        case ContentRefused() | Permanent():
            return otherwise
