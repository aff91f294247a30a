"""Channels that must be private: those with an audience of their own, and the officers' channel.

They are looked at when a process starts and by `doctor --live`. A channel may become public later:
before each post the audience looks again, and what is not for everyone is kept from it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from bot.audience_config import Rights
from bot.doctor_check import Finding, Health, private_case_channel
from bot.slack.web.channels import Kind, Rooms
from core.domain.case_rules import Account
from core.domain.errors import ConfigError, TransientError
from core.domain.officers import Officers

PLATFORM = "slack"
LOOKED_AT_WITHIN_S = 20.0
"""What a start waits for Slack; what it has not told by then is told at the first use."""
MAKE_PRIVATE = "make it private in Slack, or take its audience from the file"
OFFICERS_ALONE = (
    "let CITEBOUND_CASE_CHANNEL name a private channel of this workspace, to which the app is"
    " invited; until then cards go directly to an officer on call"
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One workspace or organisation in which the app is installed."""

    tenant: str
    """See `Place.tenant`."""
    bot_user: str
    """The user id under which the app is a member."""
    rooms: Rooms
    """Its channels."""


async def require_private(sites: Sequence[Site], rights: Rights, officers: Officers) -> None:
    """Look at the channels at a start; what can't be told now is a warning.

    Raises:
        ConfigError: A channel that has an audience is public.
    """
    try:
        async with asyncio.timeout(LOOKED_AT_WITHIN_S):
            for channel in _with_audience(rights):
                kind = await _kind_in(sites, channel)
                if kind is Kind.PUBLIC:
                    raise ConfigError(
                        f"CITEBOUND_SLACK_CONFIG: channels.{channel}.audience: that channel is"
                        f" public, so anybody may join and read it: {MAKE_PRIVATE}"
                    )
                if kind is not Kind.PRIVATE:
                    logger.warning(
                        "CITEBOUND_SLACK_CONFIG: channel %s: %s", channel, _why_unclear(kind)
                    )
            found = await _case_channel(sites, officers)
    except TimeoutError:
        logger.warning("Slack does not say in time which channels are private")
        return
    if found is not None and found.health is Health.BROKEN:
        logger.error("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)
    elif found is not None and found.health is Health.DOUBTFUL:
        logger.warning("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)


async def findings(
    sites: Sequence[Site], rights: Rights, officers: Officers
) -> AsyncGenerator[Finding]:
    """Look at the channels for `doctor --live`."""
    for channel in _with_audience(rights):
        kind = await _kind_in(sites, channel)
        subject = f"Slack, channel {channel}"
        if kind is Kind.PRIVATE:
            found = "private: its audience counts"
            yield Finding(subject=subject, health=Health.FINE, found=found)
        elif kind is Kind.PUBLIC:
            found = "public: its audience does not count, and nothing starts with it"
            yield Finding(subject=subject, health=Health.BROKEN, found=found, cure=MAKE_PRIVATE)
        else:
            cure = "invite the app to it, or correct its id in CITEBOUND_SLACK_CONFIG"
            found = _why_unclear(kind)
            yield Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    case_channel = await _case_channel(sites, officers)
    if case_channel is not None:
        yield case_channel


def _with_audience(rights: Rights) -> list[str]:
    return sorted(channel for channel, scope in rights.channels.items() if scope.audience)


async def _kind_in(sites: Sequence[Site], channel: str) -> Kind | None:
    """Return who reads a channel, of whichever workspace it is; None: not all could be asked."""
    is_told = bool(sites)
    for site in sites:
        try:
            kind = await site.rooms.kind_of(channel)
        except TransientError:
            is_told = False
            continue
        if kind is not Kind.UNKNOWN:
            return kind
    return Kind.UNKNOWN if is_told else None


def _why_unclear(kind: Kind | None) -> str:
    match kind:
        case Kind.SHARED:
            return "shared with another company: nothing is answered there"
        case Kind.UNKNOWN:
            return "Slack does not show it to the app: nothing is answered there"
        case _:
            return "Slack could not be asked: it is looked at before each answer"


async def _case_channel(sites: Sequence[Site], officers: Officers) -> Finding | None:
    """Look at the officers' channel; None: there is none in Slack."""
    channel, subject = officers.channel, "Slack, case channel"
    if channel is None or channel.platform != PLATFORM:
        return None
    site = next((one for one in sites if one.tenant == channel.tenant), None)
    if site is None:
        found = f"the app is not installed in {channel.tenant}"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    try:
        room = await site.rooms.of(channel.person, kept_s=0.0)
    except TransientError:
        found, cure = "Slack could not be asked", "it is looked at before each card"
        return Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    if room.kind is not Kind.PRIVATE:
        found = f"{channel.person} is not private ({room.kind}): whoever reads it is no officer"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    members = sorted(room.members - {site.bot_user})
    strange = [one for one in members if officers.find(_account(site, one)) is None]
    return private_case_channel(subject, members=len(members), strange=strange)


def _account(site: Site, person: str) -> Account:
    return Account(platform=PLATFORM, tenant=site.tenant, person=person)
