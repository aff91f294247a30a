"""Whose app, workspace and organisation something comes from.

`team_id` of an envelope is ours even where somebody from outside writes (Slack Connect): theirs
stands in the event. What cannot be told apart is outside.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.run import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Who we are in Slack."""

    app_id: str
    """Ours; a payload for another app is none of our business."""
    bot_user: str
    """The user id under which we write."""
    teams: frozenset[str]
    """Workspaces in which we are installed, or that belong to our organisation."""
    enterprise: str | None = None
    """Our organisation (`E…`); None without Enterprise Grid."""

    def foreign(self, body: Mapping[str, Json]) -> str | None:
        """Say what about an envelope is not ours: `app`, `team`; None: nothing."""
        if body.get("api_app_id") != self.app_id:
            return "app"
        ours = self._is_ours(body.get("team_id")) or (
            self.enterprise is not None and body.get("enterprise_id") == self.enterprise
        )
        return None if ours else "team"

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
