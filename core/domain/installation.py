"""An app installed in a workspace, or in a whole organisation, and what it may call with."""

from dataclasses import dataclass, field
from datetime import datetime

from core.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Where an app can be installed."""

    enterprise: str | None = None
    """Organisation (`E…`); None without Enterprise Grid."""
    team: str | None = None
    """Workspace (`T…`); None: the organisation as a whole."""

    def __post_init__(self) -> None:
        """Refuse what is nowhere."""
        if not (self.enterprise or self.team):
            raise ContractError("expected a workspace or an organisation, got neither")

    @property
    def name(self) -> str:
        """The id of the workspace, else of the organisation: unique among both."""
        return self.team or self.enterprise or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What calls are made with. Never printed."""

    access: str = field(repr=False)
    """Sent with each call."""
    refresh: str | None = field(default=None, repr=False)
    """Good for one exchange; None: the tokens do not rotate."""
    expires_at: datetime | None = None
    """When the access token ends; None: never."""

    def lasts_beyond(self, moment: datetime) -> bool:
        """Say whether the access token is still good then."""
        return self.expires_at is None or self.expires_at > moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """An app in a workspace or an organisation."""

    workspace: Workspace
    """Where it is."""
    installer: str
    """Who let it in."""
    app: str
    """Id of the app (`A…`)."""
    bot: str
    """Id of its bot (`B…`)."""
    bot_user: str
    """The user id under which it writes."""
    label: str
    """What the workspace or the organisation is called; may be empty."""
    scopes: tuple[str, ...]
    """What it may do."""
    tokens: Tokens
    """What it calls with."""
    installed_at: datetime | None = field(default=None, compare=False)
    """When it was kept; None: it is not kept yet."""
