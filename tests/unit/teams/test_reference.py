"""Where something was written, and how to write there."""

from dataclasses import replace
from typing import Any

import pytest

from bot.teams.protocol.conversations import (
    Reference,
    conversation_of,
    location_of,
    read_reference,
    reference_of,
    scope_of,
)
from bot.teams.protocol.identity import ServiceUrls, TeamsIdentity
from core.domain.errors import ContractError
from tests.unit.teams.activities import (
    AAD,
    ANNA,
    APP,
    BOT,
    CHANNEL,
    CHAT,
    DIRECT,
    FOREIGN,
    HOME,
    OTHER_BOT,
    REPLY,
    ROOT,
    SERVICE_URL,
    TEAM,
    TENANT,
    Activity,
    message,
)


@pytest.mark.parametrize(
    ("scope", "channel", "thread", "mode"),
    [
        ("personal", DIRECT, DIRECT, "direct"),
        ("groupChat", CHAT, CHAT, "channel"),
        ("channel", CHANNEL, ROOT, "channel"),
    ],
)
def test_a_place_and_back(scope: str, channel: str, thread: str, mode: str) -> None:
    """A place names the conversation from which it was read."""
    activity = message(scope=scope)
    place = location_of(activity).place
    assert (place.platform, place.tenant) == ("teams", TENANT)
    assert (place.channel, place.thread, place.mode) == (channel, thread, mode)
    assert conversation_of(place) == activity["conversation"]["id"]
    assert scope_of(place) == scope


def test_a_reply_in_a_channel_is_in_its_thread() -> None:
    """The thread is the root's."""
    place = location_of(message(scope="channel", id=REPLY)).place
    assert (place.thread, place.mode) == (ROOT, "thread")


@pytest.mark.parametrize(
    ("more", "root"), [({}, ROOT), ({"replyToId": "16"}, "16"), ({"id": ""}, CHANNEL)]
)
def test_a_channel_without_a_thread_in_its_id(more: dict[str, str], root: str) -> None:
    """It is the thread of what it answers, else its own, else the channel's."""
    activity: Activity = message(scope="channel") | more
    activity["conversation"]["id"] = CHANNEL
    assert location_of(activity).root == root


@pytest.mark.parametrize(
    ("conversation", "scope"),
    [
        ({"conversationType": "unknown"}, "channel"),
        ({"conversationType": None, "isGroup": True}, "channel"),
    ],
)
def test_a_conversation_of_a_team_is_a_channel(conversation: dict[str, Any], scope: str) -> None:
    """Also where its type is not told, as in events of an installation."""
    activity = message(scope="channel")
    activity["conversation"] |= conversation
    assert location_of(activity).scope == scope


@pytest.mark.parametrize(("is_group", "scope"), [(True, "groupChat"), (False, "personal")])
def test_a_chat_without_a_type(is_group: bool, scope: str) -> None:
    """Is told by whether it is a group."""
    activity = message()
    activity["conversation"] = {"id": CHAT, "isGroup": is_group, "tenantId": TENANT}
    assert location_of(activity).scope == scope


@pytest.mark.parametrize(
    "conversation",
    [None, {}, {"id": ""}, {"id": 5}, {"id": ";messageid=1"}, {"id": "a b"}, {"id": "x" * 401}],
)
def test_a_conversation_without_an_id_is_a_broken_word(conversation: Any) -> None:
    """It could not be answered."""
    with pytest.raises(ContractError):
        location_of(message() | {"conversation": conversation})


def test_a_reference_is_kept_and_read_again() -> None:
    """With whose conversation it is, in their language."""
    reference = reference_of(message(), HOME)
    assert reference == Reference(
        conversation=DIRECT,
        scope="personal",
        service_url=SERVICE_URL,
        tenant=TENANT,
        bot=BOT,
        person=ANNA,
        aad=AAD,
        locale="en-GB",
    )
    assert read_reference(reference.stored(), HOME) == reference
    assert "Anna" not in str(reference.stored())


def test_a_channel_is_nobodys() -> None:
    """It belongs to its team, and holds no thread."""
    reference = reference_of(message(scope="channel"), HOME)
    assert (reference.conversation, reference.team) == (CHANNEL, TEAM)
    assert (reference.person, reference.aad, reference.locale) == (None, None, None)


def test_a_bots_conversation_is_nobodys() -> None:
    """Some events come from the bot itself."""
    assert reference_of(message() | {"from": {"id": OTHER_BOT}}, HOME).person is None


@pytest.mark.parametrize("url", ["https://evil.example/", "http://127.0.0.1:1/", "", None, 5])
def test_an_address_is_checked_before_it_is_stored(url: Any) -> None:
    """Else the token would go there one day."""
    with pytest.raises(ContractError):
        reference_of(message(serviceUrl=url), HOME)


def test_an_address_is_checked_before_it_is_used() -> None:
    """The list may have become shorter, and a row may have been altered."""
    kept = reference_of(message(), HOME).stored()
    other = TeamsIdentity(
        app_id=APP, tenants=HOME.tenants, service_urls=ServiceUrls(["other.example"])
    )
    with pytest.raises(ContractError):
        read_reference(kept, other)
    evil = {**kept.facts, "service_url": "https://evil.example/"}
    with pytest.raises(ContractError):
        read_reference(replace(kept, facts=evil), HOME)


@pytest.mark.parametrize(
    "more",
    [
        {"platform": "slack"},
        {"tenant": FOREIGN},
        {"facts": {}},
        {"facts": {"scope": "personal", "service_url": SERVICE_URL, "bot": BOT}},
    ],
)
def test_what_is_no_reference_of_ours_is_refused(more: dict[str, Any]) -> None:
    """Before anything is posted."""
    kept = replace(reference_of(message(), HOME).stored(), **more)
    with pytest.raises(ContractError):
        read_reference(kept, HOME)


@pytest.mark.parametrize(
    ("person", "is_outside"),
    [
        ({"aadObjectId": AAD}, False),
        ({"aadObjectId": AAD, "tenantId": TENANT.upper(), "role": "user"}, False),
        ({"aadObjectId": AAD, "tenantId": FOREIGN}, True),
        ({"aadObjectId": AAD, "userRole": "guest"}, True),
        ({"aadObjectId": AAD, "userRole": "Anonymous"}, True),
        ({"aadObjectId": AAD, "tenantId": 5}, True),
        ({"aadObjectId": ""}, True),
        ({}, True),
    ],
)
def test_who_is_from_outside(person: dict[str, Any], is_outside: bool) -> None:
    """Guests, other companies, and whoever is not known."""
    assert HOME.is_outside(person) is is_outside


def test_a_tenant_is_ours_by_our_list() -> None:
    """An empty list is nobody's, except where nobody proves anything."""
    nobody = TeamsIdentity(app_id=APP, tenants=frozenset())
    assert not nobody.has_tenant(TENANT)
    assert replace(nobody, is_anonymous=True).has_tenant(TENANT)
    assert not replace(HOME, is_anonymous=True).has_tenant(FOREIGN)
