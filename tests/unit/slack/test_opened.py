"""Who opens us, in the words of newer and older installations."""

import pytest

from bot.intake import NotForUs
from bot.slack.inbound.app_events import Opened
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import parse
from core.domain.errors import ContractError
from tests.servers.slack import FakeSlack
from tests.servers.slack.wire import Json

LOOKING: Json = {"entities": [{"type": "slack#/types/channel_id", "value": "C1"}]}


def read(slack: FakeSlack, home: SlackIdentity, event: Json) -> Opened:
    """Read an event in a good envelope."""
    found = parse(slack.events.envelope(event), home)
    assert isinstance(found, Opened)
    return found


@pytest.mark.parametrize("tab", ["home", "messages"])
def test_tabs(slack: FakeSlack, home: SlackIdentity, tab: str) -> None:
    """Home and the agent's own; no other."""
    anna = slack.workspace.user("anna")
    found = read(slack, home, slack.events.home_opened(anna, tab))
    assert (found.what, found.person, found.channel) == (tab, anna.id, "D0ANNA")
    assert (found.thread_ts, found.looking_at, found.is_outside) == (None, None, False)
    other = slack.events.envelope(slack.events.home_opened(anna, "about"))
    assert parse(other, home) == NotForUs(reason="event")


CONTEXTS: list[tuple[Json, str | None]] = [
    (LOOKING, "C1"),
    ({}, None),
    ({"entities": [1, {}]}, None),
]


@pytest.mark.parametrize(("context", "channel"), CONTEXTS)
def test_what_somebody_looks_at(
    slack: FakeSlack, home: SlackIdentity, context: Json, channel: str | None
) -> None:
    """A channel, or nothing."""
    anna = slack.workspace.user("anna")
    found = read(slack, home, slack.events.context_changed(anna, context))
    assert (found.what, found.looking_at) == ("context", channel)


def test_older_installations(slack: FakeSlack, home: SlackIdentity) -> None:
    """Their threads have a root and a context of their own."""
    anna = slack.workspace.user("anna")
    context = {"channel_id": "C2", "team_id": "T0HOME"}
    found = read(slack, home, slack.events.thread_started(anna, "1.1", context))
    assert (found.what, found.thread_ts, found.looking_at) == ("thread", "1.1", "C2")
    changed = slack.events.thread_context_changed(anna, "1.1", {})
    found = read(slack, home, changed)
    assert (found.what, found.thread_ts, found.looking_at) == ("context", "1.1", None)
    with pytest.raises(ContractError):
        parse(slack.events.envelope({"type": "assistant_thread_started"}), home)


def test_revoked_tokens_of_people_are_none_of_ours(slack: FakeSlack, home: SlackIdentity) -> None:
    """We hold the bot's alone."""
    told: Json = {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}}
    assert parse(slack.events.envelope(told), home) == NotForUs(reason="event")
