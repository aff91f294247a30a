"""The app was taken away, or its token: what Slack says of it, and whether that is believed.

- What names exactly an installation that we hold, and is younger than it, is believed.
- Whatever else may be meant is a doubt: Slack is asked whether it still takes the token. So nothing
  ends because of an event that came late, after the app was installed anew, or that is of one
  workspace of an organisation; and the end of an organisation is seen if only a workspace is named.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.json_fields import Object, maybe_object
from bot.slack.inbound.identity import Home
from bot.slack.inbound.payload import EPOCH, maybe
from core.domain.installation import Workspace

LATEST_S = 10**11
"""Seconds since 1970 that are still an instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """The app was taken from a workspace, or its tokens were: those we hold are to be deleted."""

    reason: str
    """`app_uninstalled` or `tokens_revoked`."""
    sent_at: datetime | None
    """When, to the second; None: Slack does not say."""

    def surely_ends(self, home: Home, where: Workspace) -> bool:
        """Say whether the installation that we hold is what was taken away there."""
        installed_at = home.installed_at and home.installed_at.replace(microsecond=0)
        is_late = installed_at and self.sent_at and self.sent_at < installed_at
        return home.workspace.name == where.name and not is_late


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Installations of which one may have ended."""

    app: str
    """Id of the app."""
    home: Home | None = None
    """The one that may be meant; None: that of an organisation."""
    enterprise: str | None = None
    """The organisation; None: nobody knows which."""

    def is_about(self, home: Home) -> bool:
        """Say whether an installation for an organisation may be meant."""
        return home.app_id == self.app and self.enterprise in (None, home.enterprise)


def parse_disconnected(body: Object) -> Disconnected | None:
    """Read that we are to forget a workspace; tokens of people are none of ours."""
    event = maybe_object(body, "event")
    reason = maybe(event, "type")
    if reason not in {"app_uninstalled", "tokens_revoked"}:
        return None
    if reason == "tokens_revoked" and not maybe_object(event, "tokens").get("bot"):
        return None
    return Disconnected(reason=reason, sent_at=_sent_at(body))


def doubt_of(body: Object, where: Workspace, home: Home | None) -> Doubt:
    """Return what an event may mean that is not believed as it stands."""
    return Doubt(app=maybe(body, "api_app_id"), home=home, enterprise=where.enterprise)


def _sent_at(body: Object) -> datetime | None:
    sent = body.get("event_time")
    if not isinstance(sent, int) or not 0 <= sent < LATEST_S:
        return None
    return EPOCH + timedelta(seconds=sent)
