"""Time zones as settings name them, as IANA does."""

import re
from datetime import tzinfo
from zoneinfo import ZoneInfo

from core.domain.errors import ConfigError
from core.time_zones import TimeZones

_COUNTRY = re.compile(r"[A-Z]{2}(?:-[A-Z0-9]{1,3})?")


def read_time_zones(variable: str, given: str) -> TimeZones:
    """Read "Europe/Berlin,NZ=Pacific/Auckland": the deployment's zone, then those of countries.

    Raises:
        ConfigError: It can't be read; the message names the variable and the part.
    """
    home, *others = given.split(",")
    elsewhere: dict[str, tzinfo] = {}
    for part in others:
        country, _, name = (word.strip() for word in part.partition("="))
        if not _COUNTRY.fullmatch(country) or country in elsewhere:
            raise ConfigError(
                f"{variable}: expected one zone a country, such as US=America/New_York, got"
                f" {part[:100]!r}"
            )
        elsewhere[country] = time_zone(variable, name)
    return TimeZones(home=time_zone(variable, home.strip()), elsewhere=elsewhere)


def time_zone(variable: str, name: str) -> tzinfo:
    """Return a time zone by its name.

    Raises:
        ConfigError: There is none of this name.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ConfigError(
            f"{variable}: expected the name of a time zone, such as Europe/Berlin, got"
            f" {name[:100]!r}"
        ) from error
