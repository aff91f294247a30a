"""Channels, group and direct messages."""

from dataclasses import dataclass, field
from typing import Literal

from tests.servers.slack.wire import Json

Kind = Literal["channel", "group", "im", "mpim"]
"""Slack's own words: a public channel, a private one, a direct message, a group message."""
SCOPE_OF = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
"""How the scopes of a kind begin: `channels:history`."""
TYPE_OF = {"channel": "public_channel", "group": "private_channel", "im": "im", "mpim": "mpim"}
"""What `users.conversations` calls a kind."""


@dataclass(slots=True, kw_only=True)
class Channel:
    """A place where messages stand."""

    id: str
    name: str
    kind: Kind = "channel"
    members: list[str] = field(default_factory=list[str])
    is_archived: bool = False
    is_ext_shared: bool = False
    """Shared with another company by Slack Connect."""
    is_pending_ext_shared: bool = False
    """An invitation to another company is out."""
    is_org_shared: bool = False
    takes_streams: bool = True
    """False: `channel_type_not_supported`."""
    refuses: str = ""
    """The error of every message of the app: `restricted_action`, `messages_tab_disabled`, …"""
    connected_team_ids: list[str] = field(default_factory=list[str])

    @property
    def is_direct(self) -> bool:
        """A direct message with the app: no recipient need be named for a stream."""
        return self.kind == "im"

    def info(self, *, bot_id: str, team_id: str, with_count: bool = False) -> Json:
        """Return the conversation object."""
        told: Json = {"id": self.id, "is_archived": self.is_archived, "context_team_id": team_id}
        told |= {"is_im": self.kind == "im", "is_mpim": self.kind == "mpim"}
        told |= {"is_channel": self.kind == "channel", "is_group": self.kind == "group"}
        told |= {"is_private": self.kind != "channel", "is_org_shared": self.is_org_shared}
        told |= {"is_ext_shared": self.is_ext_shared, "is_member": bot_id in self.members}
        told |= {"is_shared": self.is_ext_shared or self.is_org_shared}
        told |= {"is_pending_ext_shared": self.is_pending_ext_shared}
        told |= {"connected_team_ids": self.connected_team_ids, "created": 1}
        if self.kind == "im":
            told["user"] = next((one for one in self.members if one != bot_id), bot_id)
        else:
            told |= {"name": self.name, "name_normalized": self.name, "creator": bot_id}
        return told | ({"num_members": len(self.members)} if with_count else {})
