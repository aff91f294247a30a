"""Messages, and the streams that some of them are."""

from dataclasses import dataclass, field
from typing import Literal

from tests.servers.slack.wire import Json


@dataclass(slots=True, kw_only=True)
class Stream:
    """The streaming state of a message."""

    mode: Literal["text", "chunks"]
    task_display_mode: str = "timeline"
    started_at: float
    touched_at: float
    state: Literal["open", "stopped", "expired", "stopped_by_user"] = "open"
    tasks: dict[str, Json] = field(default_factory=dict[str, Json])
    plan_title: str = ""
    block_count: int = 0
    chunks: list[Json] = field(default_factory=list[Json])


@dataclass(slots=True, kw_only=True)
class Message:
    """One message of a channel."""

    channel: str
    ts: str
    user: str
    text: str = ""
    team: str
    bot_id: str | None = None
    app_id: str | None = None
    subtype: str | None = None
    thread_ts: str | None = None
    blocks: list[Json] = field(default_factory=list[Json])
    attachments: list[Json] = field(default_factory=list[Json])
    metadata: Json | None = None
    edited: Json | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    stream: Stream | None = None
    deleted: bool = False
    sent: Json = field(default_factory=dict)
    """How it was to be read: `parse`, `link_names`, `unfurl_links`, `unfurl_media`."""
    history: list[Json] = field(default_factory=list[Json])
    """What it said before each change."""

    @property
    def root(self) -> str:
        """The `ts` of the thread that it is in or would begin."""
        return self.thread_ts or self.ts

    @property
    def is_streaming(self) -> bool:
        """Still open, as far as the last call saw."""
        return self.stream is not None and self.stream.state == "open"

    def shown(self) -> Json:
        """Return the message object."""
        told: Json = {"type": "message", "user": self.user, "text": self.text, "ts": self.ts}
        told["team"] = self.team
        extra: Json = {
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "subtype": self.subtype,
            "thread_ts": self.thread_ts,
            "blocks": self.blocks,
            "attachments": self.attachments,
            "edited": self.edited,
        }
        told |= {key: value for key, value in extra.items() if value}
        if self.reactions:
            told["reactions"] = [
                {"name": name, "users": users, "count": len(users)}
                for name, users in self.reactions.items()
            ]
        return told | ({"streaming_state": "in_progress"} if self.is_streaming else {})


@dataclass(slots=True, kw_only=True)
class Ephemeral:
    """A message that one person sees, and that no method finds again."""

    channel: str
    ts: str
    user: str
    """Who sees it."""
    text: str = ""
    thread_ts: str | None = None
    blocks: list[Json] = field(default_factory=list[Json])
    attachments: list[Json] = field(default_factory=list[Json])
    sent: Json = field(default_factory=dict)
    deleted: bool = False
