"""Which Teams settings there are, and whether they suffice.

Teams is on if a bot is named, or anonymous access for the Agents Playground; then all that it needs
must be there. Fail closed: a process that could not tell Teams' requests from anybody's does not
start. The names of the SDK's other settings (`TO_CHANNEL_FROM_BOT_*` and the like) are not read.
"""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from core.config.settings import Settings
from core.config.teams import CLOUDS, Cloud
from core.domain.errors import ConfigError

_GUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsSetup:
    """The settings of Teams, checked."""

    app_id: str
    """Client id of the bot; empty if `is_anonymous`."""
    tenant: str
    """The one tenant in which it works; empty if `is_anonymous`."""
    password: str | None = field(default=None, repr=False)
    """Client secret; None: a managed identity, or `is_anonymous`."""
    is_anonymous: bool = False
    """True: nothing is authenticated, in either direction; on a loopback address only."""
    hosts: frozenset[str] = frozenset()
    """Names of the hosts to which the token may go."""
    transport: Literal["botbuilder", "rest"] = "botbuilder"
    """How Teams is called."""
    rights: Path | None = None
    """See `bot.audience_config`."""
    login_url: str | None = None
    """Another service that issues tokens, for tests; None: the real one."""
    openid_url: str | None = None
    """Another address of keys, for tests; None: the real one."""
    cloud: Cloud = CLOUDS["public"]
    """Microsoft's cloud."""
    graph_url: str = CLOUDS["public"].graph
    """Where Microsoft Graph is asked for members of groups, without a path."""
    identity_endpoint: str | None = None
    """Where a managed identity gets its tokens; None: on a virtual machine's address."""
    identity_header: str | None = field(default=None, repr=False)
    """Goes with it."""

    @property
    def allows_loopback(self) -> bool:
        """True: services on this machine may be called too; never in production."""
        return self.is_anonymous or self.login_url is not None


def teams_setup(settings: Settings) -> TeamsSetup | None:
    """Return the setup of Teams; None if it is off.

    Raises:
        ConfigError: Something is missing or cannot be right; the message names the variable.
    """
    if settings.allow_anonymous == "1":
        return _anonymous(settings)
    if not (settings.app_id or settings.app_password or settings.app_tenant):
        return None
    app_id = _guid("APP_ID", settings.app_id, "the client id of the bot's registration")
    tenant = _guid("APP_TENANTID", settings.app_tenant, "the id of the tenant of the bot")
    if settings.app_type == "SingleTenant" and not settings.app_password:
        raise ConfigError(
            "Teams needs APP_PASSWORD: a client secret of the registration; or set APP_TYPE to"
            " UserAssignedMSI"
        )
    if settings.app_type == "UserAssignedMSI" and settings.app_password:
        raise ConfigError("APP_PASSWORD: a managed identity has none; unset it, or unset APP_TYPE")
    if settings.environment == "production":
        _real(settings)
    return TeamsSetup(
        app_id=app_id,
        tenant=tenant,
        password=settings.app_password,
        hosts=_hosts(settings),
        transport=_transport(settings),
        rights=settings.teams_config,
        cloud=settings.cloud,
        graph_url=settings.graph,
        login_url=settings.teams_login_url,
        openid_url=settings.teams_openid_url,
        identity_endpoint=settings.identity_endpoint,
        identity_header=settings.identity_header,
    )


def _anonymous(settings: Settings) -> TeamsSetup:
    if settings.environment == "production":
        raise ConfigError("ALLOW_ANONYMOUS lets anybody in: unset it in production")
    if not _is_loopback(settings.host):
        raise ConfigError(
            "ALLOW_ANONYMOUS lets anybody in: set CITEBOUND_HOST to a loopback address, or unset it"
        )
    if settings.app_id or settings.app_password:
        raise ConfigError("ALLOW_ANONYMOUS and APP_ID are mutually exclusive: unset one")
    return TeamsSetup(
        app_id="",
        tenant="",
        is_anonymous=True,
        transport=_transport(settings),
        rights=settings.teams_config,
    )


def _guid(variable: str, value: str | None, what: str) -> str:
    if not value:
        raise ConfigError(f"Teams needs {variable}: {what}")
    if not _GUID.fullmatch(value):
        raise ConfigError(f"{variable}: expected a GUID, {what}")
    return value.lower()


def _hosts(settings: Settings) -> frozenset[str]:
    told = settings.teams_service_hosts
    names = (settings.cloud.host if told is None else told).lower().replace(",", " ").split()
    wrong = [name for name in names if not _HOST.fullmatch(name)]
    if wrong or not names:
        raise ConfigError(
            "CITEBOUND_TEAMS_SERVICE_HOSTS: expected names of hosts, such as"
            f" smba.trafficmanager.net, got {' '.join(wrong)!r}"
        )
    return frozenset(names)


def _real(settings: Settings) -> None:
    """Refuse addresses that only tests have."""
    if settings.teams_login_url:
        raise ConfigError(
            "CITEBOUND_TEAMS_LOGIN_URL receives the client secret: unset it in production"
        )
    if settings.teams_openid_url:
        raise ConfigError(
            "CITEBOUND_TEAMS_OPENID_URL decides whose keys are trusted: unset it in production"
        )
    settings.require_graph()


def _transport(settings: Settings) -> Literal["botbuilder", "rest"]:
    return "rest" if settings.teams_transport == "rest" else "botbuilder"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
