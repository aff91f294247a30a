"""Who is in the workspace, and who only looks in."""

from dataclasses import dataclass, field

from tests.servers.slack.wire import Json


@dataclass(slots=True, kw_only=True)
class User:
    """A person or a bot, as `users.info` tells of them."""

    id: str
    name: str
    team_id: str
    enterprise_id: str | None = None
    is_bot: bool = False
    is_restricted: bool = False
    """A guest of several channels."""
    is_ultra_restricted: bool = False
    """A guest of one channel."""
    is_stranger: bool = False
    """From another company, seen in a shared channel only."""
    deleted: bool = False
    is_admin: bool = False
    locale: str = "en-US"
    tz: str = "Europe/Brussels"

    def info(self, *, with_locale: bool = False) -> Json:
        """Return the user object; that of a stranger says less."""
        profile = {"real_name": self.name.title(), "display_name": self.name, "team": self.team_id}
        told: Json = {"id": self.id, "team_id": self.team_id, "name": self.name, "profile": profile}
        told |= {"real_name": self.name.title(), "is_bot": self.is_bot, "deleted": self.deleted}
        told |= {"is_app_user": False, "updated": 1}
        if self.is_stranger:
            return told | {"is_stranger": True}
        told |= {"tz": self.tz, "is_admin": self.is_admin, "is_owner": False}
        told |= {"is_restricted": self.is_restricted or self.is_ultra_restricted}
        told |= {"is_ultra_restricted": self.is_ultra_restricted}
        if self.enterprise_id:
            told["enterprise_user"] = {"id": self.id, "enterprise_id": self.enterprise_id}
        return told | ({"locale": self.locale} if with_locale else {})


@dataclass(slots=True, kw_only=True)
class UserGroup:
    """A user group of the workspace."""

    id: str
    members: list[str] = field(default_factory=list[str])
    """Ids of people."""
    is_off: bool = False
    is_external: bool = False
    lists_users: bool = True
    """False: `usergroups.list` leaves them out, whatever it is asked for."""

    def info(self, team_id: str, *, with_users: bool) -> Json:
        """Return the user group object."""
        told: Json = {"id": self.id, "team_id": team_id, "is_usergroup": True}
        told |= {"name": self.id.lower(), "handle": self.id.lower(), "description": ""}
        told |= {"is_external": self.is_external, "date_delete": 1 if self.is_off else 0}
        told |= {"date_create": 1, "date_update": 1, "user_count": str(len(self.members))}
        return told | ({"users": list(self.members)} if with_users and self.lists_users else {})
