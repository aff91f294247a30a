"""Channels of Teams that must be private, as a start and `doctor --live` look at them."""

import logging
from dataclasses import replace

import pytest

from bot.audience_config import AudienceConfig, ChannelScope
from bot.doctor_check import Diagnosis, Status
from bot.private_channels import findings, require_private
from bot.teams.app.health import TeamsChannelCheck
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.roster import Rosters
from bot.teams.protocol.conversations import NAME
from core.domain.errors import ConfigError
from core.domain.json_value import Json
from core.domain.officers import Account, Officer, Officers
from tests.integration.teams.conftest import Scene
from tests.servers.slack import faults


def site_of(scene: Scene) -> TeamsChannelCheck:
    rosters = Rosters(scene.transport, scene.addresses, scene.home)
    return TeamsChannelCheck(tenants=scene.home.tenants, addresses=scene.addresses, rosters=rosters)


def with_audience(scene: Scene) -> AudienceConfig:
    return AudienceConfig(channels={scene.room.id: ChannelScope(audience=frozenset({"finance"}))})


def officers_of(scene: Scene, *people: str) -> Officers:
    """Return officers with these accounts, and the channel as theirs."""
    tenant = scene.teams.tenant.id
    return Officers(
        all=tuple(
            Officer(
                login=f"o{n}",
                name="O.",
                accounts=(Account(platform=NAME, tenant=tenant, person=one),),
            )
            for n, one in enumerate(people)
        ),
        channel=Account(platform=NAME, tenant=tenant, person=scene.room.id),
    )


def make(scene: Scene, kind: str | None) -> None:
    """Let the channel be of another kind; None: Teams has not said of which."""
    kept = scene.references.kept[scene.room.id]
    facts: dict[str, Json] = {key: told for key, told in kept.facts.items() if key != "kind"}
    facts |= {"kind": kind} if kind else {}
    scene.references.kept[scene.room.id] = replace(kept, facts=facts)


async def found(scene: Scene, rights: AudienceConfig, officers: Officers) -> Diagnosis:
    """Return the only finding."""
    (one,) = [each async for each in findings(site_of(scene), rights, officers)]
    return one


@pytest.mark.parametrize("kind", ["standard", "shared"])
async def test_an_audience_of_a_channel_that_is_not_private_is_refused(
    scene: Scene, kind: str
) -> None:
    """At a start, in one line with the cure; and by `doctor --live`."""
    make(scene, kind)
    with pytest.raises(ConfigError, match=rf"audience: that channel is {kind}.*private channel"):
        await require_private(site_of(scene), with_audience(scene), Officers())
    assert (await found(scene, with_audience(scene), Officers())).health is Status.BROKEN


async def test_an_audience_of_a_private_channel_counts(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is said at a start."""
    await require_private(site_of(scene), with_audience(scene), Officers())
    assert caplog.messages == []
    assert (await found(scene, with_audience(scene), Officers())).health is Status.FINE


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_teams_has_not_told_is_a_warning(
    scene: Scene, is_known: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The audience does not count until it has."""
    make(scene, None)
    if not is_known:
        del scene.references.kept[scene.room.id]
    await require_private(site_of(scene), with_audience(scene), Officers())
    (told,) = caplog.messages
    assert "does not count" in told
    assert (await found(scene, with_audience(scene), Officers())).health is Status.DOUBTFUL


@pytest.mark.parametrize("kind", ["standard", "shared", None])
async def test_an_officers_channel_that_is_not_private_is_an_alarm(
    scene: Scene, kind: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Cards go directly then, so that the process starts; `doctor --live` calls it broken."""
    make(scene, kind)
    officers = officers_of(scene, scene.anna.aad)
    await require_private(site_of(scene), AudienceConfig(), officers)
    (told,) = caplog.records
    assert told.levelno == logging.ERROR
    assert "is not known to be private" in told.getMessage()
    one = await found(scene, AudienceConfig(), officers)
    assert one.health is Status.BROKEN
    assert "cards go directly to an officer on call" in one.cure


async def test_members_who_are_no_officers_are_named(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """As a warning; by whichever id officers are listed, they are known."""
    await require_private(site_of(scene), AudienceConfig(), officers_of(scene, scene.anna.aad))
    (told,) = caplog.records
    assert told.levelno == logging.WARNING
    assert f"1 of its members are no officers: {scene.ben.aad}" in told.getMessage()
    all_of_them = officers_of(scene, scene.anna.aad, scene.ben.id)
    one = await found(scene, AudienceConfig(), all_of_them)
    assert (one.health, one.found) == (Status.FINE, "private; its members are officers: 2")


async def test_a_service_that_fails_keeps_nothing_from_starting(scene: Scene) -> None:
    """It is looked at before each card."""
    scene.teams.faults.always("members", faults.status(500))
    officers = officers_of(scene, scene.anna.aad)
    await require_private(site_of(scene), AudienceConfig(), officers)
    assert (await found(scene, AudienceConfig(), officers)).health is Status.DOUBTFUL


async def test_an_officers_channel_that_lost_the_app_is_broken(scene: Scene) -> None:
    """Teams tells nobody who reads it: it is not called a channel with no members."""
    not_in_it: Json = {"error": {"code": "BotNotInConversationRoster", "message": "gone"}}
    scene.teams.faults.always("members", faults.status(403, not_in_it))
    one = await found(scene, AudienceConfig(), officers_of(scene, scene.anna.aad))
    assert one.health is Status.BROKEN
    assert "the app is not, or no longer, in it" in one.found


async def test_an_officers_channel_that_is_not_known_yet_is_a_warning_before_the_playground(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """It starts after the product: what is to be done is said, and nothing is broken."""
    del scene.references.kept[scene.room.id]
    anonymous = replace(scene.home, is_anonymous=True)
    addresses = Addresses(scene.references, anonymous, scene.transport)
    check = replace(
        site_of(scene),
        addresses=addresses,
        rosters=Rosters(scene.transport, addresses, anonymous),
    )
    await require_private(check, AudienceConfig(), officers_of(scene, scene.anna.aad))
    (told,) = caplog.records
    assert told.levelno == logging.WARNING
    assert "nobody has written to the app there yet" in told.getMessage()


async def test_whether_the_app_may_post_is_tried_without_a_message(scene: Scene) -> None:
    """That somebody types is taken or refused as a message would be, and leaves nothing."""
    officers = officers_of(scene, scene.anna.aad, scene.ben.id)
    trying = replace(site_of(scene), transport=scene.transport)
    assert (await looked_at(trying, officers)).health is Status.FINE
    assert scene.teams.tenant.by_bot() == []
    blocked: Json = {"error": {"code": "MessageWritesBlocked", "message": "no"}}
    scene.teams.faults.always("post", faults.status(403, blocked))
    one = await looked_at(trying, officers)
    assert (one.health, "MessageWritesBlocked" in one.found) == (Status.BROKEN, True)


async def test_an_officers_channel_of_another_tenant_is_broken(scene: Scene) -> None:
    """Before anything is looked for there."""
    served = replace(site_of(scene), tenants=frozenset({"99999999-9999-4999-8999-999999999999"}))
    one = await looked_at(served, officers_of(scene, scene.anna.aad))
    assert (one.health, "not served" in one.found) == (Status.BROKEN, True)


async def looked_at(check: TeamsChannelCheck, officers: Officers) -> Diagnosis:
    """Return what is said of the officers' channel."""
    one = await check.case_channel(officers)
    assert one is not None
    return one
