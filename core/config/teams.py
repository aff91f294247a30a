"""Settings of Microsoft Teams: part of `Settings`, checked with it.

`APP_TYPE`, `APP_ID`, `APP_PASSWORD`, `APP_TENANTID` are the names that Azure's own guides use.
What belongs together is checked by `bot.teams.setup`.
"""

from dataclasses import dataclass
from pathlib import Path

from core.config.setting_checks import check_secret, check_url, check_word, setting
from core.config.turns import TurnSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsSettings(TurnSettings):
    """The settings of Teams, and of turns, with their environment variables and defaults."""

    app_id: str | None = setting(
        "APP_ID", None, "Teams: client id of the bot's registration; unset: no Teams"
    )
    """A GUID, of the Azure bot."""
    app_type: str = setting(
        "APP_TYPE", "SingleTenant", "Teams: `SingleTenant` (with a secret) or `UserAssignedMSI`"
    )
    """New bots for several tenants cannot be registered any more."""
    app_password: str | None = setting(
        "APP_PASSWORD", None, "Teams: client secret of the registration", is_secret=True
    )
    """Needed by `SingleTenant`. Never printed or logged."""
    app_tenant: str | None = setting(
        "APP_TENANTID", None, "Teams: id of the tenant in which the bot is registered and used"
    )
    """A GUID."""
    teams_transport: str = setting(
        "CITEBOUND_TEAMS_TRANSPORT",
        "botbuilder",
        "How Teams is called: `botbuilder` (Microsoft's SDK) or `rest` (its REST interface)",
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
    allow_anonymous: str | None = setting(
        "ALLOW_ANONYMOUS",
        None,
        "`1`: Teams without any authentication, on a loopback address, for the Agents Playground",
    )
    """Refused in production."""
    teams_login_url: str | None = setting(
        "CITEBOUND_TEAMS_LOGIN_URL",
        None,
        "Another service that issues the bot's tokens, for tests",
    )
    """Refused in production."""
    teams_openid_url: str | None = setting(
        "CITEBOUND_TEAMS_OPENID_URL",
        None,
        "Another address of the metadata whose keys sign what Teams sends, for tests",
    )
    """Refused in production."""
    identity_endpoint: str | None = setting(
        "IDENTITY_ENDPOINT",
        None,
        "Where Azure gives out tokens of a managed identity; unset: on a virtual machine's address",
    )
    """Set by App Service and Container Apps themselves."""
    identity_header: str | None = setting(
        "IDENTITY_HEADER", None, "Goes with it; set by Azure", is_secret=True
    )
    """Never printed or logged."""

    def check_teams(self) -> None:
        """Refuse what can be no value of a setting.

        Raises:
            ConfigError: The message names the variable.
        """
        check_word("APP_TYPE", self.app_type, "SingleTenant", "UserAssignedMSI")
        check_secret("APP_PASSWORD", self.app_password)
        check_secret("IDENTITY_HEADER", self.identity_header)
        check_word("CITEBOUND_TEAMS_TRANSPORT", self.teams_transport, "botbuilder", "rest")
        check_word("ALLOW_ANONYMOUS", self.allow_anonymous or "0", "0", "1")
        check_url("CITEBOUND_TEAMS_LOGIN_URL", self.teams_login_url)
        check_url("CITEBOUND_TEAMS_OPENID_URL", self.teams_openid_url)
        check_url("IDENTITY_ENDPOINT", self.identity_endpoint)
