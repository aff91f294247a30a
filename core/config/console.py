"""Settings of the officers' console."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from core.config.setting import is_key, setting
from core.domain.errors import ConfigError

_ON_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def is_console_address(variable: str, value: str) -> None:
    """Refuse what is no origin, or would carry a session in the clear over a network."""
    parts = urlsplit(value)
    if parts.path.rstrip("/") or parts.query or parts.fragment or parts.username:
        raise ConfigError(f"{variable}: expected scheme and host alone, as in https://host")
    is_private_address(variable, value)


def is_private_address(variable: str, value: str) -> None:
    """Refuse what carries secrets in the clear over a network."""
    parts = urlsplit(value)
    is_local = parts.scheme == "http" and parts.hostname in _ON_THIS_MACHINE
    if not parts.hostname or not (parts.scheme == "https" or is_local):
        raise ConfigError(f"{variable}: expected https://, or http:// on this machine alone")


@dataclass(frozen=True, kw_only=True)
class ConsoleSettings:
    """Where officers find their console, and how they sign in besides by a link."""

    console_url: str | None = setting(
        "CITEBOUND_CONSOLE_URL",
        None,
        "Where officers' browsers reach `serve`, `https://...`; the console is at `/officer` there;"
        " unset: no console",
        check=is_console_address,
    )
    """Scheme, host and port."""
    oidc_issuer: str | None = setting(
        "CITEBOUND_OIDC_ISSUER",
        None,
        "OpenID Connect provider that signs officers in, as it names itself; unset: links alone",
        check=is_private_address,
    )
    """Where its discovery document is found; equal to `iss` of its tokens."""
    oidc_client_id: str | None = setting(
        "CITEBOUND_OIDC_CLIENT_ID", None, "The console's client id at that provider"
    )
    oidc_client_secret: str | None = setting(
        "CITEBOUND_OIDC_CLIENT_SECRET",
        None,
        "The console's client secret there",
        is_secret=True,
        check=is_key,
    )

    def check_provider(self) -> None:
        """Refuse a provider that could not be used.

        Raises:
            ConfigError: A part is missing.
        """
        parts = {
            "CITEBOUND_OIDC_ISSUER": self.oidc_issuer,
            "CITEBOUND_OIDC_CLIENT_ID": self.oidc_client_id,
            "CITEBOUND_OIDC_CLIENT_SECRET": self.oidc_client_secret,
        }
        missing = [variable for variable, value in parts.items() if not value]
        if missing and len(missing) < len(parts):
            raise ConfigError(f"sign-in by OpenID Connect needs {', '.join(missing)} as well")
        if self.oidc_issuer and not self.console_url:
            raise ConfigError("CITEBOUND_OIDC_ISSUER needs CITEBOUND_CONSOLE_URL")
