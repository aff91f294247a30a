"""Everything that the workspace knows: people, places, messages, views, tokens."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.servers.slack.clock import Clock
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel, Kind
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json, RefusedError

BOT_SCOPES = (
    "app_mentions:read assistant:write channels:history channels:read chat:write commands "
    "groups:history groups:read im:history im:read im:write mpim:history mpim:read "
    "reactions:write users:read"
)
"""Those of our manifest."""
BOT_EVENTS = (
    "app_home_opened app_mention app_context_changed agent_session_stopped message.channels "
    "message.groups message.im message.mpim app_uninstalled tokens_revoked"
)
"""Those of our manifest."""
STATUS_LASTS_S = 120.0
"""Slack takes a status away after two minutes without a message."""


@dataclass(slots=True, kw_only=True)
class Token:
    """A token and what it may do."""

    value: str
    kind: str = "bot"
    """`bot`, `user`, `app`."""
    scopes: frozenset[str]
    expires_at: float | None = None
    dead: str | None = None
    """`token_revoked`, `account_inactive`; None while it lives."""


@dataclass(slots=True, kw_only=True)
class Status:
    """The line under the composer of a thread."""

    text: str
    loading_messages: list[str]
    set_at: float


@dataclass(slots=True, kw_only=True)
class View:
    """A modal or Home as a person sees it."""

    id: str
    content: Json
    user: str
    hash: str
    root_id: str
    previous_id: str | None = None
    is_open: bool = True

    def shown(self, team_id: str, app_id: str, bot_id: str) -> Json:
        """Return the view object."""
        told = {"id": self.id, "team_id": team_id, "app_id": app_id, "bot_id": bot_id}
        told |= {"hash": self.hash, "root_view_id": self.root_id}
        told |= {"state": {"values": {}}, "callback_id": "", "private_metadata": ""}
        return told | {"previous_view_id": self.previous_id} | self.content


@dataclass(slots=True, kw_only=True)
class App:
    """Our app, as its manifest and its settings describe it."""

    id: str = "A0CITEBOUND"
    bot_user: str = "U0BOT"
    bot_id: str = "B0BOT"
    client_id: str = "111.222"
    client_secret: str = "".join(("client", "-", "secret"))
    signing_secret: str = "".join(("signing", "-", "secret"))
    events: set[str] = field(default_factory=lambda: set(BOT_EVENTS.split()))
    is_agent: bool = True
    """Has `agent_view`; False: installed with the older assistant view or none."""
    rotates_tokens: bool = False


class Workspace:
    """One team with its app."""

    def __init__(self, clock: Clock, *, team_id: str = "T0HOME", enterprise_id: str | None = None):
        self.clock = clock
        self.team_id = team_id
        self.enterprise_id = enterprise_id
        self.is_org_install = False
        """True: installed for the whole organisation; listing methods then need `team_id`."""
        self.names_app_in_mpim = True
        """False: a mention in a group message comes as `message.mpim` alone (undocumented)."""
        self.domain = "home"
        self.app = App()
        self.teams = {team_id}
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: list[Message] = []
        self.ephemerals: list[Ephemeral] = []
        self.statuses: dict[tuple[str, str], Status] = {}
        self.status_lingers = False
        """True: a message does not take the status away (it sometimes stays in the real Slack)."""
        self.updates_open_streams = False
        """True: `chat.update` takes an open stream too; Slack names an error for it."""
        self.sessions: dict[tuple[str, str], Json] = {}
        self.prompts: dict[tuple[str, str | None], Json] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.triggers: dict[str, tuple[float, str]] = {}
        """When it was given out, and to whom."""
        self.used_triggers: set[str] = set()
        self.tokens: dict[str, Token] = {}
        self.refresh_tokens: dict[str, str] = {}
        """Unused refresh token -> the access token it was given with."""
        self.codes: set[str] = set()
        """Unused OAuth codes."""
        self.used_codes: set[str] = set()
        self._numbers = count(1)
        self._last_ts = 0
        self.bot_token = self.issue("bot", BOT_SCOPES).value
        self.app_token = self.issue("app", "connections:write").value
        bot = User(id=self.app.bot_user, name="citebound", team_id=team_id, is_bot=True)
        self.users[bot.id] = bot

    def number(self) -> int:
        """Return a number that was not used before."""
        return next(self._numbers)

    def issue(self, kind: str, scopes: str, *, lasts_s: float | None = None) -> Token:
        """Give out a token."""
        prefix = {"bot": "xoxb", "user": "xoxp", "app": "xapp-1"}[kind]
        token = Token(
            value=f"{prefix}-{self.number()}-fake",
            kind=kind,
            scopes=frozenset(scopes.split()),
            expires_at=None if lasts_s is None else self.clock.now() + lasts_s,
        )
        self.tokens[token.value] = token
        return token

    def narrow(self, *scopes: str) -> None:
        """Take these scopes from the bot's token."""
        token = self.tokens[self.bot_token]
        token.scopes = token.scopes - set(scopes)

    def user(self, name: str, **more: Any) -> User:
        """Add a person; `more` are the fields of `User`."""
        more.setdefault("id", f"U0{name.upper()}")
        more.setdefault("team_id", self.team_id)
        user = User(name=name, **more)
        self.users[user.id] = user
        self.teams.add(user.team_id)
        return user

    def outsider(self, name: str, *, team_id: str = "T0OTHER", **more: Any) -> User:
        """Add a person of another company."""
        return self.user(name, team_id=team_id, is_stranger=True, **more)

    def channel(self, name: str, *members: User, kind: Kind = "channel", **more: Any) -> Channel:
        """Add a place with these members and, unless `with_bot=False`, our app."""
        letter = {"channel": "C", "group": "G", "im": "D", "mpim": "G"}[kind]
        with_bot: bool = more.pop("with_bot", True)
        more.setdefault("id", f"{letter}0{name.upper().replace('-', '')}")
        ids = [one.id for one in members] + ([self.app.bot_user] if with_bot else [])
        channel = Channel(name=name, kind=kind, members=ids, **more)
        self.channels[channel.id] = channel
        return channel

    def direct(self, user: User) -> Channel:
        """Return the direct message between a person and our app; made at its first use."""
        for channel in self.channels.values():
            if channel.kind == "im" and user.id in channel.members:
                return channel
        return self.channel(user.name, user, kind="im")

    def new_ts(self) -> str:
        """Return a timestamp later than any before."""
        self._last_ts = max(self._last_ts + 100, int(self.clock.now() * 1e6))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def add(self, message: Message) -> Message:
        """Keep a message; one of our app in a thread ends the thread's status."""
        self.messages.append(message)
        if message.app_id == self.app.id and message.thread_ts and not self.status_lingers:
            self.statuses.pop((message.channel, message.thread_ts), None)
        return message

    def find(self, channel: str, ts: str) -> Message:
        """Return a message.

        Raises:
            RefusedError: `message_not_found`.
        """
        for message in self.messages:
            if message.channel == channel and message.ts == ts and not message.deleted:
                return message
        raise RefusedError("message_not_found")

    def thread(self, channel: str, root: str) -> list[Message]:
        """Return what stands in a thread, its root first."""
        return [
            message
            for message in self.messages
            if message.channel == channel and message.root == root and not message.deleted
        ]

    def status(self, channel: str, thread_ts: str) -> Status | None:
        """Return the status that a thread shows now; while there is one, nobody can write there."""
        status = self.statuses.get((channel, thread_ts))
        if status and self.clock.now() - status.set_at < STATUS_LASTS_S:
            return status
        return None

    def trigger(self, user: str) -> str:
        """Give out a trigger id."""
        trigger = f"{self.number()}.fake.{user.lower()}"
        self.triggers[trigger] = (self.clock.now(), user)
        return trigger

    def uninstall(self) -> None:
        """Take the app from the workspace: its tokens die."""
        for token in self.tokens.values():
            if token.kind != "app":
                token.dead = "account_inactive"
