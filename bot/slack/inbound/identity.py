"""Whose app, workspace and organisation something comes from.

`team_id` of an envelope is ours even where somebody from outside writes (Slack Connect): theirs
stands in the event. What cannot be told apart is outside.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.json_fields import Object, maybe_object
from bot.slack.inbound.payload import maybe
from core.domain.installation import Workspace
from core.domain.json_value import Json

ORGANISATION = "E"
"""Ids of organisations begin with it, those of workspaces with `T`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackIdentity:
    """Who we are in Slack."""

    app_id: str
    """Ours; a payload for another app is none of our business."""
    bot_user: str
    """The user id under which we write."""
    teams: frozenset[str]
    """Workspaces in which we are installed; empty for an organisation, which has many."""
    enterprise: str | None = None
    """Our organisation (`E…`); None without Enterprise Grid."""
    is_whole: bool = False
    """True: installed for the organisation, in whichever of its workspaces."""
    installed_at: datetime | None = None
    """When; None: its token is of the settings."""

    @property
    def workspace(self) -> Workspace:
        """Where the app is installed."""
        team = None if self.is_whole else min(self.teams)
        return Workspace(enterprise=self.enterprise, team=team)

    @property
    def tenant(self) -> str:
        """What our places are kept under: the id of the installation.

        So whoever posts later finds the token that may; people and channels are unique within it.
        """
        return self.workspace.name

    def is_of(self, where: Workspace) -> bool:
        """Say whether something that happened there is for this installation."""
        if self.is_whole:
            return where.enterprise == self.enterprise
        return where.team in self.teams

    def foreign(self, body: Mapping[str, Json]) -> str | None:
        """Say what about an envelope is not ours: `app`, `team`; None: nothing."""
        if body.get("api_app_id") != self.app_id:
            return "app"
        where = workspace_of(body)
        return None if where is not None and self.is_of(where) else "team"

    def is_outside(self, body: Mapping[str, Json], event: Mapping[str, Json]) -> bool:
        """Say whether somebody of another company did this.

        An organisation's id (`E…`) that is not ours resolves to no team of ours; a shared channel
        in which nobody says whose it is proves nothing.
        """
        told = [event[key] for key in ("user_team", "source_team") if event.get(key)]
        told = told or [event[key] for key in ("team",) if event.get(key)]
        if not told:
            return body.get("is_ext_shared_channel") is not False
        return not all(self._is_ours(one) for one in told)

    def _is_ours(self, team: Json) -> bool:
        return isinstance(team, str) and (team in self.teams or team == self.enterprise)


def workspace_of(body: Object) -> Workspace | None:
    """Return the workspace of ours in which something happened; None if nothing says.

    An event names the installations that it is for; of an interaction or a command, what is
    installed for an organisation says so. Else a press is for the installation whose message or
    view it is on: who presses may be of another workspace of the organisation.
    """
    authorizations = body.get("authorizations")
    first: Object = {}
    if isinstance(authorizations, list) and authorizations and isinstance(authorizations[0], dict):
        first = authorizations[0]
    team = maybe(body, "team_id") or maybe(maybe_object(body, "team"), "id")
    enterprise = (
        maybe(first, "enterprise_id")
        or maybe(body, "enterprise_id")
        or maybe(maybe_object(body, "enterprise"), "id")
    )
    is_whole = "true" in {str(one.get("is_enterprise_install")).lower() for one in (first, body)}
    if enterprise and (is_whole or not team):
        return Workspace(enterprise=enterprise)
    team = maybe(first, "team_id") or _owner(body) or team
    if team.startswith(ORGANISATION):
        return Workspace(enterprise=team)
    return Workspace(enterprise=enterprise or None, team=team) if team else None


def _owner(body: Object) -> str:
    """Return the workspace of ours whose message or view was pressed; empty: it is nobody's."""
    view, message = maybe_object(body, "view"), maybe_object(body, "message")
    is_ours = maybe(message, "app_id") != "" and message.get("app_id") == body.get("api_app_id")
    return maybe(view, "app_installed_team_id") or (maybe(message, "team") if is_ours else "")
