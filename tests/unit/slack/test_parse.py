"""Every row of the routing table, with the events that Slack would send."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.intake import NotForUs
from bot.slack.inbound.app_events import Disconnected
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import Overheard, Parsed, parse
from bot.slack.inbound.payload import instant
from core.domain.errors import ContractError
from core.domain.message import Ignored, InboundMessage, MessageKind
from tests.properties import examples
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json


class Scene:
    """One person, one channel, and how we read what is sent."""

    def __init__(self, slack: FakeSlack, home: SlackIdentity):
        self.slack = slack
        self.home = home
        self.anna = slack.workspace.user("anna")
        self.room = slack.workspace.channel("general", self.anna)
        self.bot = f"<@{home.bot_user}>"

    def parse(self, event: Json, **more: Any) -> Parsed:
        """Read an event in a good envelope."""
        return parse(self.slack.events.envelope(event, **more), self.home)

    def written(self, text: str, channel: Channel | None = None, **more: Any) -> Message:
        """Let Anna write."""
        person: User = more.pop("by", self.anna)
        return self.slack.people.write(person, channel or self.room, text, **more)

    def all(self, message: Message) -> list[Parsed]:
        """Read every event that Slack would send of a message."""
        return [self.parse(event) for event in self.slack.people.events_of(message)]


@pytest.fixture
def scene(slack: FakeSlack, home: SlackIdentity) -> Scene:
    """A channel with one person and us."""
    return Scene(slack, home)


def test_both_events_of_a_mention_are_one_message(scene: Scene) -> None:
    """Either suffices, by one message key; its thread begins with itself."""
    asked = scene.written(f"{scene.bot} May I take a <https://a.test|gift> &lt; 50?")
    mention, twin = scene.all(asked)
    assert isinstance(mention, InboundMessage)
    assert isinstance(twin, InboundMessage)
    assert (twin.message_key, twin.place) == (mention.message_key, mention.place)
    assert twin.dedupe_key != mention.dedupe_key
    assert mention.text == "May I take a gift < 50?"
    assert mention.person == scene.anna.id
    assert mention.message_key == f"slack:T0HOME:{scene.room.id}:{asked.ts}"
    assert mention.dedupe_key.startswith("slack:A0CITEBOUND:Ev0")
    place = mention.place
    assert (place.platform, place.tenant, place.channel) == ("slack", "T0HOME", scene.room.id)
    assert (place.thread, place.mode) == (asked.ts, "channel")
    assert mention.raw["is_outside"] is False
    assert asked.text not in str(mention.raw)


def test_a_mention_in_a_thread_stays_there(scene: Scene) -> None:
    """The thread is the root's."""
    root = scene.written("hello")
    (mention, _) = scene.all(scene.written(f"{scene.bot} and this?", thread=root))
    assert isinstance(mention, InboundMessage)
    assert (mention.place.thread, mention.place.mode) == (root.ts, "thread")


def test_a_follow_up_counts_if_the_thread_is_ours(scene: Scene) -> None:
    """Which only the tables know."""
    root = scene.written(f"{scene.bot} May I?")
    (found,) = scene.all(scene.written("And my wife?", thread=root))
    assert isinstance(found, Overheard)
    assert isinstance(found.message, InboundMessage)
    assert (found.message.text, found.message.place.thread) == ("And my wife?", root.ts)


def test_any_other_message_of_a_channel_is_nothing(scene: Scene) -> None:
    """It is not kept."""
    assert scene.all(scene.written("lunch?")) == [NotForUs(reason="channel")]


def test_direct_messages_are_messages(scene: Scene) -> None:
    """With or without our name, in or outside a thread."""
    direct = scene.slack.workspace.direct(scene.anna)
    root = scene.written("May I?", direct)
    for message, thread in ((root, root.ts), (scene.written("So?", direct, thread=root), root.ts)):
        (found,) = scene.all(message)
        assert isinstance(found, InboundMessage)
        assert (found.place.mode, found.place.thread) == ("direct", thread)
    (named,) = scene.all(scene.written(f"{scene.bot} May I?", direct))
    assert isinstance(named, InboundMessage)


@pytest.mark.parametrize("names_app", [True, False])
def test_in_a_group_message_both_twins_are_one(scene: Scene, names_app: bool) -> None:
    """So that nothing is lost if Slack sends one of them only."""
    scene.slack.workspace.knobs.names_app_in_mpim = names_app
    group = scene.slack.workspace.channel("three", scene.anna, kind="mpim")
    found = scene.all(scene.written(f"{scene.bot} May I?", group))
    assert len(found) == (2 if names_app else 1)
    assert len({one.message_key for one in found if isinstance(one, InboundMessage)}) == 1
    assert len({one.dedupe_key for one in found if isinstance(one, InboundMessage)}) == len(found)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"bot_id": "B0OTHER", "app_id": "A0OTHER", "subtype": "bot_message"}, "bot"),
        ({"bot_id": "B0OTHER"}, "bot"),
        ({"app_id": "A0OTHER"}, "app"),
        ({"subtype": "channel_topic"}, "subtype"),
        ({"user": "USLACKBOT"}, "bot"),
        ({"user": "", "subtype": None}, "subtype"),
    ],
)
def test_what_no_person_wrote_is_ignored_where_it_is_addressed_to_us(
    scene: Scene, fields: Json, reason: str
) -> None:
    """By mention or in the direct message; elsewhere it is nothing."""
    person = User(id=fields.get("user", scene.anna.id), name="x", team_id="T0HOME")
    fields = {key: value for key, value in fields.items() if key != "user"} | {"by": person}
    (mention, twin) = scene.all(scene.written(f"{scene.bot} beep", **fields))
    assert isinstance(mention, Ignored)
    assert mention.reason == reason
    assert twin == NotForUs(reason="twin")
    direct = scene.slack.workspace.direct(scene.anna)
    (found,) = scene.all(scene.written("beep", direct, **fields))
    assert isinstance(found, Ignored)
    assert scene.all(scene.written("beep", **fields)) == [NotForUs(reason="channel")]


def test_a_workflow_is_ignored(scene: Scene) -> None:
    """It is told by its profile."""
    event = scene.slack.events.app_mention(scene.written(f"{scene.bot} x", bot_id="B0FLOW"))
    found = scene.parse(event | {"bot_profile": {"is_workflow_bot": True}})
    assert isinstance(found, Ignored)
    assert found.reason == "workflow"


def test_what_we_write_ourselves_is_nothing(scene: Scene) -> None:
    """New, changed or deleted."""
    bot = scene.slack.workspace.users[scene.home.bot_user]
    direct = scene.slack.workspace.direct(scene.anna)
    own = scene.written("Yes.", direct, by=bot, app_id=scene.home.app_id, bot_id="B0BOT")
    events = scene.slack.events
    before = own.shown()
    own.edited = {"user": bot.id, "ts": own.ts}
    for event in (events.message(own), events.changed(own, before), events.gone(own)):
        assert scene.parse(event) == NotForUs(reason="own")


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_a_question_with_a_file_is_a_question(scene: Scene, subtype: str) -> None:
    """These subtypes are people's own words."""
    direct = scene.slack.workspace.direct(scene.anna)
    (found,) = scene.all(scene.written("Is this allowed?", direct, subtype=subtype))
    assert isinstance(found, InboundMessage)


def test_an_edit_names_what_it_changes(scene: Scene) -> None:
    """A key of its own for each edit; the words are the new ones."""
    asked = scene.written(f"{scene.bot} May I?")
    (mention, _) = scene.all(asked)
    before = asked.shown()
    asked.text, asked.edited = f"{scene.bot} May we?", {"user": asked.user, "ts": "1800000000.5"}
    found = scene.parse(scene.slack.events.changed(asked, before))
    assert isinstance(found, InboundMessage)
    assert isinstance(mention, InboundMessage)
    assert (found.kind, found.text) == (MessageKind.EDITED, "May we?")
    assert found.target_key == mention.message_key
    assert found.message_key == f"{mention.message_key}:edited:1800000000.5"
    assert found.place == mention.place
    assert found.sent_at == datetime(2027, 1, 15, 8, 0, 0, 500_000, tzinfo=UTC)


def test_an_edit_by_a_bot_is_nothing(scene: Scene) -> None:
    """What it wrote was never kept."""
    message = scene.written("beep", bot_id="B0OTHER")
    before = message.shown()
    message.edited = {"user": "U0OTHER", "ts": "1800000000.5"}
    assert scene.parse(scene.slack.events.changed(message, before)) == NotForUs(reason="bot")


def test_an_unfurled_link_is_no_edit(scene: Scene) -> None:
    """Neither of a fresh message nor of one that was edited before."""
    asked = scene.written("see <https://a.test>")
    assert scene.parse(scene.slack.events.changed(asked, asked.shown())) == NotForUs(
        reason="unchanged"
    )
    asked.edited = {"user": asked.user, "ts": "1800000000.5"}
    assert scene.parse(scene.slack.events.changed(asked, asked.shown())) == NotForUs(
        reason="unchanged"
    )


@pytest.mark.parametrize("tombstone", [False, True])
def test_a_deletion_names_what_it_takes_back(scene: Scene, tombstone: bool) -> None:
    """Also that of a root whose replies stay: it comes as a change to a tombstone."""
    asked = scene.written(f"{scene.bot} May I?")
    event = scene.slack.events.gone(asked)
    if tombstone:
        before = asked.shown()
        asked.subtype, asked.text = "tombstone", "This message was deleted."
        event = scene.slack.events.changed(asked, before)
    found = scene.parse(event)
    assert isinstance(found, InboundMessage)
    assert (found.kind, found.text, found.person) == (MessageKind.DELETED, "", scene.anna.id)
    assert found.target_key == f"slack:T0HOME:{scene.room.id}:{asked.ts}"
    assert found.message_key == f"{found.target_key}:deleted"


def test_stop_is_said_in_its_thread(scene: Scene) -> None:
    """By whoever pressed it."""
    asked = scene.written("May I?", scene.slack.workspace.direct(scene.anna))
    event = scene.slack.events.session_stopped(scene.anna, asked.channel, asked.ts, [])
    found = scene.parse(event)
    assert isinstance(found, InboundMessage)
    assert (found.kind, found.person) == (MessageKind.STOP, scene.anna.id)
    assert (found.place.thread, found.place.mode) == (asked.ts, "direct")


def test_the_end_of_an_installation(scene: Scene) -> None:
    """Both events say so, and when; odd times are none."""
    events = scene.slack.events
    for told in (events.uninstalled(), events.tokens_revoked()):
        at = {"event_time": 1_760_000_000}
        found = scene.parse(told, **at)
        assert found == Disconnected(
            reason=told["type"], sent_at=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
        )
    for odd in (None, "soon", -1, 10**18, 1.5):
        found = scene.parse(events.uninstalled(), event_time=odd)
        assert found == Disconnected(reason="app_uninstalled", sent_at=None)
    of_people = {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}}
    assert scene.parse(of_people) == NotForUs(reason="event")


def test_other_events_apps_and_teams_are_nothing(scene: Scene) -> None:
    """A well signed payload is not yet one for us."""
    events = scene.slack.events
    assert scene.parse({"type": "team_join"}) == NotForUs(reason="event")
    mention = events.app_mention(scene.written(f"{scene.bot} May I?"))
    assert scene.parse(mention, api_app_id="A0OTHER") == NotForUs(reason="app")
    elsewhere: Any = {"team_id": "T0OTHER", "authorizations": []}
    assert scene.parse(mention, **elsewhere) == NotForUs(reason="team")
    assert scene.parse(events.joined(scene.anna, scene.room.id)) == NotForUs(reason="channel")


@pytest.mark.parametrize(
    ("told", "is_shared", "is_outside"),
    [
        ({"team": "T0HOME"}, False, False),
        ({"team": "T0HOME", "user_team": "T0HOME", "source_team": "T0HOME"}, True, False),
        ({"team": "T0HOME", "user_team": "T0OTHER", "source_team": "T0OTHER"}, True, True),
        ({"team": "T0HOME", "user_team": "E0OTHER", "source_team": "T0OTHER"}, True, True),
        ({"team": "T0HOME", "user_team": "E0OTHER"}, True, True),
        ({"team": "T0HOME", "user_team": "T0HOME", "source_team": "T0OTHER"}, True, True),
        ({"team": "T0HOME", "user_team": "T0OTHER", "source_team": "T0HOME"}, True, True),
        ({"team": "T0OTHER"}, True, True),
        ({"team": None}, True, True),
        ({"team": None}, False, False),
    ],
)
def test_who_comes_from_outside(
    scene: Scene, told: Json, is_shared: bool, is_outside: bool
) -> None:
    """Their team stands in the event; what nobody says in a shared channel is outside."""
    event = scene.slack.events.app_mention(scene.written(f"{scene.bot} May I?")) | told
    found = scene.parse(event, is_ext_shared_channel=is_shared)
    assert isinstance(found, InboundMessage)
    assert (found.raw["is_outside"], found.raw["is_shared"]) == (is_outside, is_shared)


def test_in_an_organisation_keys_are_the_organisations(scene: Scene) -> None:
    """`team_id` may be that of any of its workspaces."""
    home = SlackIdentity(
        app_id=scene.home.app_id,
        bot_user=scene.home.bot_user,
        teams=frozenset(),
        enterprise="E0HOME",
        is_whole=True,
    )
    scene.slack.workspace.knobs.is_org_install = True
    scene.slack.workspace.enterprise_id = "E0HOME"
    event = scene.slack.events.app_mention(scene.written(f"{scene.bot} May I?"))
    envelope = scene.slack.events.envelope(
        event | {"user_team": "E0HOME"}, enterprise_id="E0HOME", team_id="T0SECOND"
    )
    found = parse(envelope, home)
    assert isinstance(found, InboundMessage)
    assert found.place.tenant == "E0HOME"
    assert found.raw["team"] == "T0SECOND"
    assert found.raw["is_outside"] is False


@pytest.mark.parametrize(
    "ts", ["", "1", "abc", "1.x", "-1.0", "1e9.0", "9" * 12 + ".0", "\u0661.\u0662"]
)
def test_what_is_no_timestamp(ts: str) -> None:
    """Is a broken word, not a crash."""
    with pytest.raises(ContractError):
        instant(ts)


KEYS = [
    "type",
    "subtype",
    "channel",
    "ts",
    "thread_ts",
    "user",
    "text",
    "edited",
    "bot_id",
    "app_id",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@examples(300)
@given(
    event=st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "app_mention", "agent_session_stopped"])},
        optional={
            "subtype": st.sampled_from(["message_changed", "message_deleted", "bot_message"])
            | JSON,
            "channel": st.just("C1") | JSON,
            "ts": st.just("1.1") | JSON,
            "thread_ts": st.just("1.0") | JSON,
            "user": st.just("U1") | JSON,
            "text": st.text() | JSON,
            "message": JSON,
            "previous_message": JSON,
            "event_ts": st.just("1.2") | JSON,
            "user_team": JSON,
            "bot_profile": JSON,
        },
    )
)
def test_whatever_comes_is_read_or_is_a_broken_word(event: Json) -> None:
    """Nothing but `ContractError` escapes."""
    home = SlackIdentity(app_id="A1", bot_user="UBOT", teams=frozenset({"T1"}))
    body: Json = {"api_app_id": "A1", "team_id": "T1", "event_id": "Ev1", "event": event}
    try:
        parse(body, home)
    except ContractError:
        return


def test_what_a_message_quotes_stands_apart(scene: Scene) -> None:
    """Marked lines, and messages that are shared; both are read, and are no question of theirs."""
    shared = {"is_share": True, "text": "We get <https://a.test|watches>", "author_id": "U9"}
    told = "&gt; Ben offers me\n&gt;a watch\nIs this allowed?"
    direct = scene.slack.workspace.direct(scene.anna)
    event = scene.slack.people.events_of(scene.written(told, direct))[0]
    found = scene.parse(event | {"attachments": [shared]})
    assert isinstance(found, InboundMessage)
    assert found.text == "Is this allowed?"
    assert [(one.part, one.text) for one in found.context] == [
        ("quoted", "Ben offers me\na watch"),
        ("quoted", "We get watches"),
    ]
    assert found.raw["has_file"] is False
    found = scene.parse(event | {"attachments": [shared, {"text": "a preview"}]})
    assert isinstance(found, InboundMessage)
    assert found.raw["has_file"] is True


@pytest.mark.parametrize("text", ["&gt; 50 euros?", "&gt;", "&gt;&gt;&gt; all of it"])
def test_a_message_of_nothing_but_a_quote_is_its_own(scene: Scene, text: str) -> None:
    """There would be nothing left to answer."""
    direct = scene.slack.workspace.direct(scene.anna)
    (found,) = scene.all(scene.written(text, direct))
    assert isinstance(found, InboundMessage)
    assert (bool(found.text), found.context) == (True, ())
