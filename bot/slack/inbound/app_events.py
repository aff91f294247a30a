"""Somebody opened us, or looks at something else now: nothing to answer, but perhaps to show.

Newer installations (agent view) send `app_home_opened` and `app_context_changed`, older ones
`assistant_thread_started` and `assistant_thread_context_changed`; both mean the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.json_fields import Object, maybe_object, need_object
from bot.slack.inbound.payload import maybe, need
from core.domain.run import Json

What: TypeAlias = Literal["home", "messages", "thread", "context"]
EVENTS = frozenset(
    {
        "app_home_opened",
        "app_context_changed",
        "assistant_thread_started",
        "assistant_thread_context_changed",
    }
)
_TABS: Mapping[str, What] = {"home": "home", "messages": "messages"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One look at us."""

    what: What
    """`home`: the Home tab; `messages`: the agent's tab; `thread`: a thread of an older
    installation; `context`: the person turned to something else."""
    tenant: str
    """See `Home.tenant`."""
    team: str
    """Our workspace."""
    person: str
    """Who looks."""
    is_outside: bool
    """True: somebody of another company, or nobody knows."""
    channel: str
    """The conversation with the person."""
    thread_ts: str | None = None
    """The thread; None outside of older installations."""
    looking_at: str | None = None
    """Channel that the person has before them; None if unknown. It grants nothing."""


def parse_opened(event: Object, *, team: str, tenant: str, is_outside: bool) -> Opened | None:
    """Return who looks at what; None for a tab that shows nothing of ours.

    Raises:
        ContractError: It lacks what Slack promises.
    """
    if maybe(event, "type").startswith("assistant_thread"):
        thread = need_object(event, "assistant_thread")
        return Opened(
            what="thread" if maybe(event, "type").endswith("started") else "context",
            tenant=tenant,
            team=team,
            person=need(thread, "user_id"),
            is_outside=is_outside,
            channel=need(thread, "channel_id"),
            thread_ts=need(thread, "thread_ts"),
            looking_at=_channel(maybe_object(thread, "context")),
        )
    is_home = event.get("type") == "app_home_opened"
    what = _TABS.get(maybe(event, "tab")) if is_home else "context"
    if what is None:
        return None
    return Opened(
        what=what,
        tenant=tenant,
        team=team,
        person=need(event, "user"),
        is_outside=is_outside,
        channel=need(event, "channel"),
        looking_at=_channel(maybe_object(event, "context")),
    )


def _channel(context: Object) -> str | None:
    """Return the channel of a context: by its key, or the first among its entities."""
    entities: Json = context.get("entities")
    found = [maybe(context, "channel_id")]
    if isinstance(entities, list):
        found += [maybe(one, "value") for one in entities if isinstance(one, Mapping)]
    return next((one for one in found if one.startswith(("C", "G", "D"))), None)
