"""Channels that must be private: those with an audience of their own, and the officers' channel.

They are checked when a process starts and by `doctor --live`. A channel may become public later:
before each post the audience is read again, and what is not for everyone is kept from it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Protocol

from bot.audience_config import AudienceConfig
from bot.doctor_check import Diagnosis, Status
from core.domain.errors import ConfigError, TransientError
from core.domain.officers import Officers

CHECKED_WITHIN_S = 20.0
"""What a start waits for a platform; what it has not said by then it is asked at the first use."""
NAMED = 5
"""Members that are named where there may be many."""
IS_PRIVATE = "private: its audience counts"

logger = logging.getLogger(__name__)


class ChannelCheck(Protocol):
    """What a platform says of its channels."""

    @property
    def platform(self) -> str:
        """Name of the platform, as people write it."""
        ...

    @property
    def variable(self) -> str:
        """Names the file that gives channels an audience."""
        ...

    async def audience_channel(self, channel: str, /) -> Diagnosis:
        """Look at a channel that has an audience.

        Fine: it is private; broken: others may read it; doubtful: that can't be told now.

        Raises:
            TransientError: Nobody can say now.
        """
        ...

    async def case_channel(self, officers: Officers, /) -> Diagnosis | None:
        """Look at the officers' channel; None: it is not on this platform.

        Raises:
            TransientError: Nobody can say now.
        """
        ...


async def require_private(check: ChannelCheck, rights: AudienceConfig, officers: Officers) -> None:
    """Check the channels at a start; what can't be told now is a warning.

    Raises:
        ConfigError: A channel that has an audience is known not to be private.
    """
    try:
        async with asyncio.timeout(CHECKED_WITHIN_S):
            for channel in _with_audience(rights):
                found = await check.audience_channel(channel)
                if found.health is Status.BROKEN:
                    raise ConfigError(
                        f"{check.variable}: channels.{channel}.audience: that channel is"
                        f" {found.found}: {found.cure}"
                    )
                if found.health is not Status.FINE:
                    logger.warning("%s: channel %s: %s", check.variable, channel, found.found)
            case_channel = await check.case_channel(officers)
    except (TimeoutError, TransientError):
        logger.warning("it can't be told in time which channels of %s are private", check.platform)
        return
    if case_channel is not None and case_channel.health is not Status.FINE:
        level = logging.ERROR if case_channel.health is Status.BROKEN else logging.WARNING
        words = "CITEBOUND_CASE_CHANNEL: %s: %s"
        logger.log(level, words, case_channel.found, case_channel.cure)


async def findings(
    check: ChannelCheck, rights: AudienceConfig, officers: Officers
) -> AsyncGenerator[Diagnosis]:
    """Check the channels for `doctor --live`."""
    for channel in _with_audience(rights):
        found = await check.audience_channel(channel)
        if found.health is Status.BROKEN:
            found = replace(found, found=f"{found.found}: nothing starts with it")
        yield found
    case_channel = await check.case_channel(officers)
    if case_channel is not None:
        yield case_channel


def members_of_case_channel(subject: str, *, members: int, strange: Sequence[str]) -> Diagnosis:
    """Return what is to be said of a private channel in which every case is shown.

    Args:
        subject: What the finding is called.
        members: How many people read it.
        strange: Those of them who are no officers.
    """
    if strange:
        named = ", ".join(strange[:NAMED]) + (", …" if len(strange) > NAMED else "")
        found = f"private; {len(strange)} of its members are no officers: {named}"
        cure = "they read every card: take them out, or name them in CITEBOUND_OFFICERS"
        return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)
    found = f"private; its members are officers: {members}"
    return Diagnosis(subject=subject, health=Status.FINE, found=found)


def _with_audience(rights: AudienceConfig) -> list[str]:
    return sorted(channel for channel, scope in rights.channels.items() if scope.audience)
