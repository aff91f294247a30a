"""Everything that the workspace knows: people, places, messages, views, tokens."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.servers.slack.clock import Clock
from tests.servers.slack.people import User, UserGroup
from tests.servers.slack.places import Channel, Kind
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json, RefusedError

BOT_SCOPES = (
    "app_mentions:read assistant:write channels:history channels:read chat:write commands "
    "groups:history groups:read im:history im:read im:write mpim:history mpim:read "
    "reactions:write usergroups:read users:read"
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
        told |= {"app_installed_team_id": team_id}
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


@dataclass(slots=True, kw_only=True)
class Keys:
    """What was given out to call us with."""

    tokens: dict[str, Token] = field(default_factory=dict[str, Token])
    refresh_tokens: dict[str, str] = field(default_factory=dict[str, str])
    """Unused refresh token -> the access token it was given with."""
    codes: set[str] = field(default_factory=set[str])
    """Unused OAuth codes."""
    used_codes: set[str] = field(default_factory=set[str])


@dataclass(slots=True, kw_only=True)
class Knobs:
    """What Slack leaves open, or does now and then."""

    is_org_install: bool = False
    """True: installed for the whole organisation; listing methods then need `team_id`."""
    names_app_in_mpim: bool = True
    """False: a mention in a group message comes as `message.mpim` alone."""
    loses_ephemerals: bool = False
    """True: what is for one person is answered `ok` and never arrives."""
    status_lingers: bool = False
    """True: a message does not take the status away."""
    echoes: bool = False
    """True: the app gets its own messages as events, before a call is answered, as in Slack."""
    names_pressers_team: bool = False
    """True: what is pressed names the workspace of who presses, as in an organisation."""
    denies_install: bool = False
    """True: whoever is asked to install the app says no."""
    only_blocks: frozenset[str] | None = None
    """Kinds of blocks that this Slack takes; None: all that there are."""
    updates_open_streams: bool = False
    """True: `chat.update` takes an open stream too, for which Slack names an error."""


class Workspace:
    """One team with its app."""

    def __init__(self, clock: Clock, *, team_id: str = "T0HOME", enterprise_id: str | None = None):
        self.clock = clock
        self.team_id = team_id
        self.enterprise_id = enterprise_id
        self.domain = "home"
        self.app = App()
        self.keys = Keys()
        self.knobs = Knobs()
        self.teams = {team_id}
        self.users: dict[str, User] = {}
        self.user_groups: dict[str, UserGroup] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: list[Message] = []
        """All, in order; `add` keeps the indexes below."""
        self._by_ts: dict[tuple[str, str], Message] = {}
        self._threads: defaultdict[tuple[str, str], list[Message]] = defaultdict(list)
        self._tops: defaultdict[str, list[Message]] = defaultdict(list)
        self.ephemerals: list[Ephemeral] = []
        self.statuses: dict[tuple[str, str], Status] = {}
        self.sessions: dict[tuple[str, str], Json] = {}
        self.prompts: dict[tuple[str, str | None], Json] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.triggers: dict[str, tuple[float, str]] = {}
        """When it was given out, and to whom."""
        self.used_triggers: set[str] = set()
        self.numbers = count(1)
        """Of ids; workspaces behind one address share them, as Slack gives each out once."""
        self._last_ts = 0
        self.bot_token = self.issue("bot", BOT_SCOPES).value
        self.app_token = self.issue("app", "connections:write").value
        bot = User(id=self.app.bot_user, name="citebound", team_id=team_id, is_bot=True)
        self.users[bot.id] = bot

    def number(self) -> int:
        """Return a number that was not used before."""
        return next(self.numbers)

    def issue(self, kind: str, scopes: str, *, lasts_s: float | None = None) -> Token:
        """Give out a token."""
        prefix = {"bot": "xoxb", "user": "xoxp", "app": "xapp-1"}[kind]
        token = Token(
            value=f"{prefix}-{self.number()}-{self.team_id}-fake",
            kind=kind,
            scopes=frozenset(scopes.split()),
            expires_at=None if lasts_s is None else self.clock.now() + lasts_s,
        )
        self.keys.tokens[token.value] = token
        return token

    def narrow(self, *scopes: str) -> None:
        """Take these scopes from the bot's token."""
        token = self.keys.tokens[self.bot_token]
        token.scopes = token.scopes - set(scopes)

    def user(self, name: str, **more: Any) -> User:
        """Add a person; `more` are the fields of `User`."""
        more.setdefault("id", f"U0{name.upper()}")
        more.setdefault("team_id", self.team_id)
        user = User(name=name, **more)
        self.users[user.id] = user
        self.teams.add(user.team_id)
        return user

    def user_group(self, group_id: str, *members: User) -> UserGroup:
        """Add a user group."""
        group = UserGroup(id=group_id, members=[one.id for one in members])
        self.user_groups[group_id] = group
        return group

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
        self._by_ts[message.channel, message.ts] = message
        self._threads[message.channel, message.root].append(message)
        if message.root == message.ts:
            self._tops[message.channel].append(message)
        if message.app_id == self.app.id and message.thread_ts and not self.knobs.status_lingers:
            self.statuses.pop((message.channel, message.thread_ts), None)
        return message

    def find(self, channel: str, ts: str) -> Message:
        """Return a message.

        Raises:
            RefusedError: `message_not_found`.
        """
        message = self.peek(channel, ts)
        if message is None or message.deleted:
            raise RefusedError("message_not_found")
        return message

    def peek(self, channel: str, ts: str) -> Message | None:
        """Return a message, also a deleted one."""
        return self._by_ts.get((channel, ts))

    def thread(self, channel: str, root: str) -> list[Message]:
        """Return what stands in a thread, its root first."""
        return [one for one in self._threads.get((channel, root), ()) if not one.deleted]

    def tops(self, channel: str) -> list[Message]:
        """Return what stands in a channel outside threads, the latest first."""
        return [one for one in reversed(self._tops[channel]) if not one.deleted]

    def show(self, ephemeral: Ephemeral) -> Ephemeral:
        """Show something to one person, if it arrives."""
        ephemeral.deleted = self.knobs.loses_ephemerals
        self.ephemerals.append(ephemeral)
        return ephemeral

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
        for token in self.keys.tokens.values():
            if token.kind != "app":
                token.dead = "account_inactive"
