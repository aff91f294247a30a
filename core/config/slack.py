"""Settings of Slack: one workspace by its token, or several that install the app by OAuth."""

from dataclasses import dataclass
from pathlib import Path

from core.config.setting import is_address, is_key, is_token_key, setting
from core.domain.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class SlackSettings:
    """How Slack is reached, and which workspaces are served."""

    slack_bot_token: str | None = setting(
        "SLACK_BOT_TOKEN",
        None,
        "Bot token of the one workspace, `xoxb-...`",
        is_secret=True,
        check=is_key,
    )
    """Never printed or logged. See `bot.slack.setup`."""
    slack_signing_secret: str | None = setting(
        "SLACK_SIGNING_SECRET",
        None,
        "Authenticates Slack's requests",
        is_secret=True,
        check=is_key,
    )
    """Needed over HTTP. Never printed or logged."""
    slack_signing_secret_previous: str | None = setting(
        "SLACK_SIGNING_SECRET_PREVIOUS",
        None,
        "The previous signing secret, during a change",
        is_secret=True,
        check=is_key,
    )
    slack_app_token: str | None = setting(
        "SLACK_APP_TOKEN",
        None,
        "App-level token, `xapp-...`: Socket Mode, where there is no signing secret",
        is_secret=True,
        check=is_key,
    )
    slack_client_id: str | None = setting(
        "SLACK_CLIENT_ID",
        None,
        "Lets several workspaces install the app by OAuth; unset: one workspace, with its bot"
        " token",
    )
    slack_client_secret: str | None = setting(
        "SLACK_CLIENT_SECRET", None, "Goes with the client id", is_secret=True
    )
    slack_workspaces: str | None = setting(
        "SLACK_WORKSPACES",
        None,
        "Ids of the workspaces (`T...`) and organisations (`E...`) that may install the app",
    )
    """Separated by commas; needed for OAuth. See `installable`."""
    public_url: str | None = setting(
        "CITEBOUND_PUBLIC_URL",
        None,
        "Where Slack reaches this deployment, `https://...`",
        check=is_address,
    )
    """Without a path; needed for OAuth."""
    token_key: str | None = setting(
        "CITEBOUND_TOKEN_KEY",
        None,
        "Encrypts the tokens of installations: 32 bytes in base64",
        is_secret=True,
        check=is_token_key,
    )
    token_key_old: str | None = setting(
        "CITEBOUND_TOKEN_KEY_OLD",
        None,
        "The previous key, during a change: tokens encrypted with it are re-encrypted at startup",
        is_secret=True,
        check=is_token_key,
    )
    slack_config: Path | None = setting(
        "CITEBOUND_SLACK_CONFIG", None, "File with groups of people and scopes of channels, TOML"
    )
    """See `bot.audience_config`."""
    slack_api_url: str | None = setting(
        "SLACK_API_URL", None, "Another address of Slack's Web API, for tests", check=is_address
    )
    """Ends in `/api/`; refused in production."""

    @property
    def installable(self) -> frozenset[str]:
        """Ids of workspaces and organisations that may install the app."""
        words = (self.slack_workspaces or "").split(",")
        return frozenset(word.strip() for word in words if word.strip())

    def check_oauth(self) -> None:
        """Refuse an app that anybody may install, or whose tokens would be stored in the clear.

        Raises:
            ConfigError: Something is missing, or is no id.
        """
        needed = {
            "SLACK_CLIENT_SECRET": self.slack_client_secret,
            "SLACK_WORKSPACES": self.installable,
            "CITEBOUND_TOKEN_KEY": self.token_key,
            "CITEBOUND_PUBLIC_URL": self.public_url,
        }
        missing = [variable for variable, value in needed.items() if not value]
        if self.slack_client_id and missing:
            raise ConfigError(f"SLACK_CLIENT_ID needs {', '.join(missing)}: set it, or unset all")
        if self.slack_client_secret and not self.slack_client_id:
            raise ConfigError("SLACK_CLIENT_SECRET needs SLACK_CLIENT_ID: set it, or unset both")
        if any(one[0] not in "TE" for one in self.installable):
            raise ConfigError("SLACK_WORKSPACES: expected ids that begin with T or E, and commas")
