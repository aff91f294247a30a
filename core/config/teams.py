"""Settings of Microsoft Teams.

`APP_TYPE`, `APP_ID`, `APP_PASSWORD`, `APP_TENANTID` are the names that Azure's own guides use.
What belongs together is checked by `bot.teams.setup`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.config.setting import is_address, is_key, one_of, setting
from core.domain.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """Where one of Microsoft's clouds has its services."""

    login: str
    """Issues tokens to us."""
    resource: str
    """The bot's tokens are for it, and it issues those that come with activities."""
    keys: str
    """Metadata of the keys that sign these."""
    graph: str
    """Microsoft Graph."""
    host: str
    """Takes replies; empty: not published."""


_US_LOGIN = "https://login.microsoftonline.us"
_METADATA = "v1/.well-known/openidconfiguration"
_US_KEYS = f"https://login.botframework.azure.us/{_METADATA}"
CLOUDS: Mapping[str, Cloud] = {
    "public": Cloud(
        login="https://login.microsoftonline.com",
        resource="https://api.botframework.com",
        keys=f"https://login.botframework.com/{_METADATA}",
        graph="https://graph.microsoft.com",
        host="smba.trafficmanager.net",
    ),
    "usgov": Cloud(
        login=_US_LOGIN,
        resource="https://api.botframework.us",
        keys=_US_KEYS,
        graph="https://graph.microsoft.us",
        host="smba.infra.gov.teams.microsoft.us",
    ),
    "usgovdod": Cloud(
        login=_US_LOGIN,
        resource="https://api.botframework.us",
        keys=_US_KEYS,
        graph="https://dod-graph.microsoft.us",
        host="smba.infra.dod.teams.microsoft.us",
    ),
    "china": Cloud(
        login="https://login.partner.microsoftonline.cn",
        resource="https://api.botframework.azure.cn",
        keys=f"https://login.botframework.azure.cn/{_METADATA}",
        graph="https://microsoftgraph.chinacloudapi.cn",
        host="",
    ),
}
"""Microsoft's clouds (learn.microsoft.com, "Configure bots for national clouds")."""


@dataclass(frozen=True, kw_only=True)
class TeamsSettings:
    """How Teams is reached, and which registration is used."""

    app_id: str | None = setting(
        "APP_ID", None, "Teams: client id of the bot's registration; unset: no Teams"
    )
    """A GUID, of the Azure bot."""
    app_type: str = setting(
        "APP_TYPE",
        "SingleTenant",
        "Teams: `SingleTenant` (with a secret) or `UserAssignedMSI`",
        check=one_of("SingleTenant", "UserAssignedMSI"),
    )
    """New bots for several tenants cannot be registered any more."""
    app_password: str | None = setting(
        "APP_PASSWORD",
        None,
        "Teams: client secret of the registration",
        is_secret=True,
        check=is_key,
    )
    """Needed by `SingleTenant`. Never printed or logged."""
    app_tenant: str | None = setting(
        "APP_TENANTID", None, "Teams: id of the tenant in which the bot is registered and used"
    )
    teams_transport: str = setting(
        "CITEBOUND_TEAMS_TRANSPORT",
        "botbuilder",
        "How Teams is called: `botbuilder` (Microsoft's SDK, without support since 2025-12-31) or"
        " `rest` (its REST interface, without the SDK)",
        check=one_of("botbuilder", "rest"),
    )
    """Both pass the same tests."""
    teams_cloud: str = setting(
        "CITEBOUND_TEAMS_CLOUD",
        "public",
        "Microsoft's cloud, for Teams and SharePoint: `public`, `usgov` (GCC High), `usgovdod` or"
        " `china`",
        check=one_of(*CLOUDS),
    )
    """Decides who issues tokens, whose tokens are believed, and where Graph and Teams are."""
    teams_service_hosts: str | None = setting(
        "CITEBOUND_TEAMS_SERVICE_HOSTS",
        None,
        "Hosts to which the bot's token may be sent, by commas; unset: that of the cloud",
    )
    """Names of hosts, without scheme or path."""
    teams_config: Path | None = setting(
        "CITEBOUND_TEAMS_CONFIG",
        None,
        "File with groups of people and scopes of channels of Teams, TOML",
    )
    """See `bot.audience_config`."""
    graph_url: str | None = setting(
        "CITEBOUND_GRAPH_URL",
        None,
        "Another Microsoft Graph than that of the cloud, for tests",
        check=is_address,
    )
    """Without a path. Refused in production, unless it is the cloud's."""
    identity_endpoint: str | None = setting(
        "IDENTITY_ENDPOINT",
        None,
        "Where Azure issues managed identity tokens; unset: the address for virtual machines",
        check=is_address,
    )
    """Set by App Service and Container Apps themselves."""
    identity_header: str | None = setting(
        "IDENTITY_HEADER", None, "Goes with it; set by Azure", is_secret=True, check=is_key
    )
    allow_anonymous: str | None = setting(
        "ALLOW_ANONYMOUS",
        None,
        "`1`: Teams without any authentication, on a loopback address, for the Agents Playground",
        check=one_of("0", "1"),
    )
    """Refused in production."""
    teams_login_url: str | None = setting(
        "CITEBOUND_TEAMS_LOGIN_URL",
        None,
        "Another service that issues the bot's tokens, for tests",
        check=is_address,
    )
    """Refused in production."""
    teams_openid_url: str | None = setting(
        "CITEBOUND_TEAMS_OPENID_URL",
        None,
        "Another address of the metadata whose keys sign what Teams sends, for tests",
        check=is_address,
    )
    """Refused in production."""

    @property
    def cloud(self) -> Cloud:
        """Microsoft's cloud."""
        return CLOUDS[self.teams_cloud]

    @property
    def graph(self) -> str:
        """Where Microsoft Graph is asked, without a path."""
        return (self.graph_url or self.cloud.graph).rstrip("/")

    def require_graph(self) -> None:
        """Refuse a Graph that is not the cloud's.

        Raises:
            ConfigError: It is another one.
        """
        if self.graph != self.cloud.graph:
            raise ConfigError(
                "CITEBOUND_GRAPH_URL gets a token: unset it in production; CITEBOUND_TEAMS_CLOUD"
                " chooses among Microsoft's clouds"
            )
