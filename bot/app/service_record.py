"""The record of a process that serves, works or seals: its start, its settings and its end.

Recorded once it is ready: what can't even start leaves its reason in the log. A process that is
killed leaves no end.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, fields
from typing import Any

from bot.audience_config import AudienceConfig, ChannelScope, Guests, read_audience_config
from core.adapters.officers import read_officers
from core.adapters.postgres.record.services import (
    CHANNEL,
    GROUP,
    PostgresServices,
    ServiceSetting,
)
from core.config.settings import Settings, shown_value
from core.domain.errors import TransientError

logger = logging.getLogger(__name__)


@asynccontextmanager
async def recorded(
    services: PostgresServices, settings: Settings, service: str
) -> AsyncGenerator[None]:
    """Record that a service started, and at the end of the block that it stopped.

    A database that fails meanwhile is logged, and ends nothing.

    Raises:
        ConfigError: A file that the settings name can't be read.
    """
    given = await asyncio.to_thread(service_settings, settings)
    started = None
    try:
        started = await services.start(service, given)
    except TransientError:
        logger.warning("the start of the service could not be recorded", exc_info=True)
    yield
    if started is not None:
        try:
            await services.stop(service, started)
        except TransientError:
            logger.warning("the end of the service could not be recorded", exc_info=True)


def service_settings(settings: Settings) -> dict[str, ServiceSetting]:
    """Return what a service is set to, with what the files say that its settings name.

    Of people only how many there are, of secrets only that they are set.
    """
    found = {item.metadata["variable"]: _setting(settings, item) for item in fields(settings)}
    officers = read_officers(settings.officers, settings.case_channel).all
    found["CITEBOUND_OFFICERS"] = ServiceSetting(
        shown=", ".join(one.login for one in officers) or "unset",
        digest=_digest([asdict(one) for one in officers]),
    )
    for platform, path, variable in (
        ("slack", settings.slack_config, "CITEBOUND_SLACK_CONFIG"),
        ("teams", settings.teams_config, "CITEBOUND_TEAMS_CONFIG"),
    ):
        config = read_audience_config(path, variable=variable)
        found |= dict(_audiences(platform, config))
    return found


def _setting(settings: Settings, item: Any) -> ServiceSetting:
    value = str(getattr(settings, item.name))
    is_hidden = value.lstrip().startswith(("{", "[")) and not item.metadata["is_secret"]
    return ServiceSetting(
        shown=shown_value(settings, item), digest=_digest(value) if is_hidden else None
    )


def _audiences(platform: str, config: AudienceConfig) -> Iterator[tuple[str, ServiceSetting]]:
    for name, members in config.groups.items():
        setting = ServiceSetting(shown=f"{len(members)} people", digest=_digest(sorted(members)))
        yield f"{GROUP}{platform}/{name}", setting
    for name, groups in config.directory.items():
        setting = ServiceSetting(shown=", ".join(sorted(groups)))
        yield f"{GROUP}{platform}/{name} (of the platform)", setting
    if config.guests.kinds:
        yield f"{GROUP}{platform} guests", ServiceSetting(shown=_guests(config.guests))
    for channel, scope in config.channels.items():
        yield f"{CHANNEL}{platform}/{channel}", ServiceSetting(shown=_scope(scope))


def _guests(guests: Guests) -> str:
    said = [
        f"may ask: {', '.join(sorted(guests.kinds))}",
        *([f"of {', '.join(sorted(guests.groups))}"] if guests.groups else []),
        *([f"count as {', '.join(sorted(guests.count_as))}"] if guests.count_as else []),
    ]
    return "; ".join(said)


def _scope(scope: ChannelScope) -> str:
    said: Iterable[tuple[str, str]] = (
        ("audience", ", ".join(sorted(scope.audience))),
        ("jurisdiction", scope.jurisdiction or ""),
        ("tags", ", ".join(sorted(scope.tags))),
    )
    return "; ".join(f"{name} {value}" for name, value in said if value)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
