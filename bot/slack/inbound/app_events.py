"""Events that are no messages: somebody opened us, or the app was taken away.

- Newer installations (agent view) send `app_home_opened` and `app_context_changed`, older ones
  `assistant_thread_started` and `assistant_thread_context_changed`; both mean the same.
- An uninstall that names exactly an installation that we hold, and is younger than it, is believed.
  Whatever else may be meant is a suspicion: Slack is asked whether it still takes the token. So
  nothing ends because of an event that came late, after the app was installed anew, or that is of
  one workspace of an organisation; and the end of an organisation is seen if only a workspace is
  named.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from bot.json_fields import Object, maybe_object, need_object
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import EPOCH, maybe, need
from core.domain.installation import Workspace
from core.domain.json_value import Json

LATEST_S = 10**11
"""Seconds since 1970 that are still an instant."""


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
    """See `SlackIdentity.tenant`."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """The app was taken from a workspace, or its tokens were: those we hold are to be deleted."""

    reason: str
    """`app_uninstalled` or `tokens_revoked`."""
    sent_at: datetime | None
    """When, to the second; None: Slack does not say."""

    def surely_ends(self, identity: SlackIdentity, where: Workspace) -> bool:
        """Say whether the installation that we hold is what was taken away there."""
        installed_at = identity.installed_at and identity.installed_at.replace(microsecond=0)
        is_late = installed_at and self.sent_at and self.sent_at < installed_at
        return identity.workspace.name == where.name and not is_late


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectedUninstall:
    """Installations of which one may have ended."""

    app: str
    """Id of the app."""
    identity: SlackIdentity | None = None
    """The one that may be meant; None: that of an organisation."""
    enterprise: str | None = None
    """The organisation; None: nobody knows which."""

    def is_about(self, identity: SlackIdentity) -> bool:
        """Say whether an installation for an organisation may be meant."""
        return identity.app_id == self.app and self.enterprise in (None, identity.enterprise)


def parse_disconnected(body: Object) -> Disconnected | None:
    """Read that we are to forget a workspace; tokens of people are none of ours."""
    event = maybe_object(body, "event")
    reason = maybe(event, "type")
    if reason not in {"app_uninstalled", "tokens_revoked"}:
        return None
    if reason == "tokens_revoked" and not maybe_object(event, "tokens").get("bot"):
        return None
    return Disconnected(reason=reason, sent_at=_sent_at(body))


def suspected_uninstall(
    body: Object, where: Workspace, identity: SlackIdentity | None
) -> SuspectedUninstall:
    """Return what an event may mean that is not believed as it stands."""
    return SuspectedUninstall(
        app=maybe(body, "api_app_id"), identity=identity, enterprise=where.enterprise
    )


def _sent_at(body: Object) -> datetime | None:
    sent = body.get("event_time")
    if not isinstance(sent, int) or not 0 <= sent < LATEST_S:
        return None
    return EPOCH + timedelta(seconds=sent)
