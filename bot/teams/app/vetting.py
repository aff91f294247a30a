"""Channels that must be private: those with an audience of their own, and the officers' channel.

They are looked at when a process starts and by `doctor --live`; before each post the audience looks
again. What kind a channel is, Teams tells with what is written there, and that is kept: nothing is
known of a channel in which nobody has written to the app.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass

from bot.audience_config import Rights
from bot.doctor_check import Finding, Health, private_case_channel
from bot.teams.actions.press_identity import officers_in
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.roster import Rosters
from bot.teams.protocol.conversations import NAME
from bot.teams.protocol.reference import Reference
from core.domain.errors import ConfigError, TransientError
from core.domain.officers import Officers
from core.domain.place import Place

LOOKED_AT_WITHIN_S = 20.0
"""What a start waits for Teams."""
USE_PRIVATE = "use a private channel or a group chat, or take its audience from the file"
OFFICERS_ALONE = (
    "let CITEBOUND_CASE_CHANNEL name a private channel or a group chat, and write to the app there;"
    " until then cards go directly to an officer on call"
)
_NOT_KNOWN = "nobody has written to the app there"
_NOT_TOLD = "Teams does not say that it is private"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What is known of a tenant's conversations."""

    tenants: Collection[str]
    """Ids of the tenants that we serve."""
    addresses: Addresses
    """Where they are, and what kind."""
    rosters: Rosters
    """Who is in them."""


async def require_private(site: Site, rights: Rights, officers: Officers) -> None:
    """Look at the channels at a start; what is not known is a warning.

    Raises:
        ConfigError: A channel that has an audience is known not to be private.
    """
    try:
        async with asyncio.timeout(LOOKED_AT_WITHIN_S):
            for channel in _with_audience(rights):
                reference = await _known(site, channel)
                if reference is not None and reference.is_private:
                    continue
                if reference is not None and reference.kind is not None:
                    raise ConfigError(
                        f"CITEBOUND_TEAMS_CONFIG: channels.{channel}.audience: that channel is"
                        f" {reference.kind}, so others may come to read it: {USE_PRIVATE}"
                    )
                why = _NOT_KNOWN if reference is None else _NOT_TOLD
                logger.warning(
                    "CITEBOUND_TEAMS_CONFIG: the audience of channel %s does not count: %s",
                    channel,
                    why,
                )
            found = await _case_channel(site, officers)
    except (TimeoutError, TransientError):
        logger.warning("it can't be told in time which channels of Teams are private")
        return
    if found is not None and found.health is Health.BROKEN:
        logger.error("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)
    elif found is not None and found.health is Health.DOUBTFUL:
        logger.warning("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)


async def findings(site: Site, rights: Rights, officers: Officers) -> AsyncGenerator[Finding]:
    """Look at the channels for `doctor --live`."""
    for channel in _with_audience(rights):
        subject = f"Teams, channel {channel}"
        reference = await _known(site, channel)
        if reference is not None and reference.is_private:
            found = "private: its audience counts"
            yield Finding(subject=subject, health=Health.FINE, found=found)
        elif reference is not None and reference.kind is not None:
            found = f"{reference.kind}: its audience does not count, and nothing starts with it"
            yield Finding(subject=subject, health=Health.BROKEN, found=found, cure=USE_PRIVATE)
        else:
            why = _NOT_KNOWN if reference is None else _NOT_TOLD
            found = f"its audience does not count: {why}"
            yield Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=USE_PRIVATE)
    case_channel = await _case_channel(site, officers)
    if case_channel is not None:
        yield case_channel


def _with_audience(rights: Rights) -> list[str]:
    return sorted(channel for channel, scope in rights.channels.items() if scope.audience)


async def _known(site: Site, channel: str) -> Reference | None:
    """Return what is kept of a channel, of whichever tenant it is."""
    for tenant in sorted(site.tenants):
        found = await site.addresses.reference(_place(tenant, channel))
        if found is not None:
            return found
    return None


async def _case_channel(site: Site, officers: Officers) -> Finding | None:
    """Look at the officers' channel; None: there is none in Teams."""
    channel, subject = officers.channel, "Teams, case channel"
    if channel is None or channel.platform != NAME:
        return None
    place = _place(channel.tenant, channel.person)
    if not await site.addresses.is_private(place):
        reference = await site.addresses.reference(place)
        why = _NOT_KNOWN if reference is None else reference.kind or _NOT_TOLD
        found = f"{channel.person} is not known to be private ({why}): others may read it"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    try:
        members = (await site.rosters.of(place, kept_s=0.0)).members
    except TransientError:
        found, cure = "private; Teams could not be asked who reads it", "it is asked later"
        return Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    listed = officers_in(place, site.rosters, officers)
    strange = [one.aad or one.id for one in members if one.id not in listed]
    return private_case_channel(subject, members=len(members), strange=strange)


def _place(tenant: str, channel: str) -> Place:
    return Place(platform=NAME, tenant=tenant, channel=channel, thread=channel, mode="channel")
