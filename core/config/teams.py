"""Settings of Microsoft Teams.

`APP_TYPE`, `APP_ID`, `APP_PASSWORD`, `APP_TENANTID` are the names that Azure's own guides use.
What belongs together is checked by `bot.teams.setup`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.config.setting import is_address, is_key, one_of, setting

GRAPHS: Mapping[str, str] = {
    "https://graph.microsoft.com": "https://login.microsoftonline.com",
    "https://graph.microsoft.us": "https://login.microsoftonline.us",
    "https://dod-graph.microsoft.us": "https://login.microsoftonline.us",
    "https://microsoftgraph.chinacloudapi.cn": "https://login.partner.microsoftonline.cn",
}
"""Microsoft Graph in each of Microsoft's clouds, with the service that issues tokens for it."""


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
        "How Teams is called: `botbuilder` (Microsoft's SDK) or `rest` (its REST interface)",
        check=one_of("botbuilder", "rest"),
    )
    """Both pass the same tests."""
    teams_service_hosts: str = setting(
        "CITEBOUND_TEAMS_SERVICE_HOSTS",
        "smba.trafficmanager.net",
        "Hosts to which the bot's token may be sent, by commas; sovereign clouds have their own",
    )
    """Names of hosts, without scheme or path."""
    teams_config: Path | None = setting(
        "CITEBOUND_TEAMS_CONFIG",
        None,
        "File with groups of people and scopes of channels of Teams, TOML",
    )
    """See `bot.audience_config`."""
    graph_url: str = setting(
        "CITEBOUND_GRAPH_URL",
        "https://graph.microsoft.com",
        "Microsoft Graph: who is in `entra_groups`, and what sources in SharePoint hold",
        check=is_address,
    )
    """Without a path; sovereign clouds have their own. In production one of Microsoft's."""
    identity_endpoint: str | None = setting(
        "IDENTITY_ENDPOINT",
        None,
        "Where Azure gives out tokens of a managed identity; unset: on a virtual machine's address",
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
