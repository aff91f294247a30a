"""One call as a method sees it, and what every method asks first."""

import re
from dataclasses import dataclass

from tests.servers.slack.arguments import Arguments
from tests.servers.slack.places import SCOPE_OF, Channel
from tests.servers.slack.wire import Json, RefusedError
from tests.servers.slack.workspace import Token, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The workspace, what was sent, and by whom."""

    workspace: Workspace
    arguments: Arguments
    token: Token | None
    base_url: str
    """Of this server: `http://127.0.0.1:1234`."""

    def need_scope(self, *scopes: str) -> None:
        """Ask for one of some scopes.

        Raises:
            RefusedError: `missing_scope`.
        """
        held = self.token.scopes if self.token else frozenset[str]()
        if scopes and not held & set(scopes):
            provided = ",".join(sorted(held))
            raise RefusedError("missing_scope", needed=scopes[0], provided=provided)

    def channel(self, name: str = "channel") -> Channel:
        """Return the channel that was named; a private one exists only for its members.

        Raises:
            RefusedError: `channel_not_found`.
        """
        found = self.workspace.channels.get(self.arguments.text(name))
        if found is None:
            raise RefusedError("channel_not_found")
        if found.kind != "channel" and self.workspace.app.bot_user not in found.members:
            raise RefusedError("channel_not_found")
        return found

    def readable(self, what: str, name: str = "channel") -> Channel:
        """Return a channel whose `history` or properties (`read`) the token may read.

        Raises:
            RefusedError: `missing_scope`, `channel_not_found`, `not_in_channel`.
        """
        channel = self.channel(name)
        self.need_scope(f"{SCOPE_OF[channel.kind]}:{what}")
        if what == "history" and self.workspace.app.bot_user not in channel.members:
            raise RefusedError("not_in_channel")
        return channel

    def writable(self, name: str = "channel") -> Channel:
        """Return a channel in which the app may post.

        Raises:
            RefusedError: `channel_not_found`, `not_in_channel`, `is_archived`, or what the
                channel `refuses` with.
        """
        channel = self.channel(name)
        public = self.token is not None and "chat:write.public" in self.token.scopes
        if self.workspace.app.bot_user not in channel.members and not public:
            raise RefusedError("not_in_channel")
        if channel.is_archived:
            raise RefusedError("is_archived")
        if channel.refuses:
            raise RefusedError(channel.refuses)
        return channel

    def thread(self, channel: Channel) -> str | None:
        """Return the thread that a message will stand in.

        None where no thread is named, and where the one that is named is gone: Slack then puts
        the message into the channel and says `ok`; only `thread_ts` is missing from its answer
        (slack-go/slack, issue 1571). A root that was deleted after a reply stays a thread. The
        `ts` of a reply is refused here, which Slack but advises against.

        Raises:
            RefusedError: `invalid_thread_ts`, `cannot_reply_to_message`.
        """
        ts = self.arguments.text("thread_ts")
        if not ts:
            return None
        if not re.fullmatch(r"\d+\.\d{6}", ts):
            raise RefusedError("invalid_thread_ts", f"{ts} is not a valid thread_ts")
        root = self.workspace.peek(channel.id, ts)
        if root and root.thread_ts not in {None, root.ts}:
            raise RefusedError("cannot_reply_to_message")
        return ts if self.workspace.thread(channel.id, ts) else None

    def page(self, found: list[Json], *, most: int, default: int) -> tuple[list[Json], str]:
        """Return a page of results and the cursor of the next, `""` after the last."""
        size = min(max(self.arguments.number("limit", default), 1), most)
        cursor = self.arguments.text("cursor")
        if cursor and not cursor.startswith("next:"):
            raise RefusedError("invalid_cursor")
        start = int(cursor.removeprefix("next:") or 0)
        following = f"next:{start + size}" if start + size < len(found) else ""
        return found[start : start + size], following
