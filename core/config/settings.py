"""Settings: read once from the environment, validated, frozen.

No other module reads the environment.
"""

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from core.config.setting_checks import (
    check,
    check_key,
    check_secret,
    check_url,
    check_word,
    parse,
    redacted,
    setting,
)
from core.config.teams import TeamsSettings
from core.domain.errors import ConfigError
from core.failpoints import NAMES

ENVIRONMENTS = ("development", "production")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TeamsSettings):
    """All settings, with their environment variables and defaults."""

    database_url: str | None = setting(
        "DATABASE_URL",
        None,
        "A Postgres 15+ with pgvector 0.8+; unset: the embedded one",
        is_secret=True,
    )
    """May hold a password: never printed whole."""
    home: Path = setting(
        "CITEBOUND_HOME", Path("~/.citebound"), "Where the embedded database lives"
    )
    """A directory; `~` is expanded."""
    embedding_model: Path | None = setting(
        "CITEBOUND_EMBEDDING_MODEL",
        None,
        "Folder with the local embedder's weights, if not installed",
    )
    """Holds `model_quantized.onnx` and `tokenizer.json`; checked by hash."""
    reader_model: Path | None = setting(
        "CITEBOUND_READER_MODEL", None, "Folder of another reader than the shipped one, or `none`"
    )
    """Holds `model.onnx` and `tokenizer.json`; see `core.models`."""
    voyage_api_key: str | None = setting(
        "VOYAGE_API_KEY",
        None,
        "Embeds with Voyage AI; unset: with the local embedder",
        is_secret=True,
    )
    """Never printed or logged."""
    voyage_base_url: str | None = setting(
        "VOYAGE_BASE_URL", None, "Another address of Voyage's API; unset: the one of the key"
    )
    """Ends in `/v1`."""
    voyage_model: str = setting(
        "CITEBOUND_VOYAGE_MODEL", "voyage-3-large", "Model that embeds, with a key"
    )
    """One of `adapters.voyage.models`."""
    rerank_model: str | None = setting(
        "CITEBOUND_RERANK_MODEL", None, "Model that reranks hits, such as `rerank-2.5`; unset: none"
    )
    """One of `adapters.voyage.models`; needs the key."""
    voyage_timeout_s: float = setting(
        "CITEBOUND_VOYAGE_TIMEOUT_S", 5.0, "Seconds that a question waits for Voyage, 0.5 to 60"
    )
    """Attempts together, for the vector and for the rerank each."""
    reasoner: str = setting(
        "CITEBOUND_REASONER",
        "auto",
        "`auto`: Claude where there is access to it; `extractive`: never call a model",
    )
    """See `uses_model`."""
    provider: str = setting(
        "CITEBOUND_PROVIDER", "anthropic", "Who serves Claude: `anthropic`, `bedrock` or `vertex`"
    )
    """See `adapters.anthropic.providers`."""
    anthropic_api_key: str | None = setting(
        "ANTHROPIC_API_KEY",
        None,
        "Lets Claude reason; unset: answers are quoted by rules",
        is_secret=True,
    )
    """Never printed or logged."""
    anthropic_base_url: str | None = setting(
        "ANTHROPIC_BASE_URL", None, "Another address that speaks the Messages API, of any provider"
    )
    """Without `/v1/messages`."""
    model: str = setting("CITEBOUND_MODEL", "claude-sonnet-5-5", "Model that reasons")
    """As the provider names it."""
    small_model: str = setting(
        "CITEBOUND_SMALL_MODEL", "claude-haiku-5-5", "Model that criticises, judges and extracts"
    )
    """As the provider names it."""
    citations: str = setting(
        "CITEBOUND_CITATIONS",
        "auto",
        "`native`, `markers` where the provider has no citations, `auto`: by the model's name",
    )
    """How drafts cite."""
    model_calls: int = setting(
        "CITEBOUND_MODEL_CALLS", 8, "Model calls of one question at most, 1 to 32"
    )
    """Repetitions after an error are not counted."""
    output_tokens: int = setting(
        "CITEBOUND_OUTPUT_TOKENS",
        16_000,
        "Tokens that models may write for one question, 500 to 100000",
    )
    """All calls together, thinking included."""
    model_silence_s: float = setting(
        "CITEBOUND_MODEL_SILENCE_S",
        20.0,
        "Seconds without a byte that end a model call, 0.1 to 120",
    )
    """The question's deadline holds besides."""
    prices: str | None = setting(
        "CITEBOUND_PRICES", None, "Prices of tokens: JSON or a file; unset: Anthropic's list prices"
    )
    """See `adapters.anthropic.prices`."""
    daily_budget_usd: float | None = setting(
        "CITEBOUND_DAILY_BUDGET_USD",
        None,
        "USD that models may cost for questions in a day of UTC, 0.01 to 1000000; unset: no limit",
    )
    """Of all processes together; over it the rules answer. Each model needs a price."""
    extract_in_flight: int = setting(
        "CITEBOUND_EXTRACT_IN_FLIGHT", 4, "Sections that Claude reads at a time, 1 to 32"
    )
    """`ingest --extract claude`."""
    extract_per_minute: int = setting(
        "CITEBOUND_EXTRACT_PER_MINUTE", 50, "Sections sent to Claude in a minute, 1 to 10000"
    )
    """`ingest --extract claude`; repetitions after an error are not counted."""
    aws_region: str | None = setting("AWS_REGION", None, "Region of Bedrock")
    """Needed there."""
    bedrock_token: str | None = setting(
        "AWS_BEARER_TOKEN_BEDROCK",
        None,
        "Key of Bedrock; unset: the AWS credentials that boto3 finds",
        is_secret=True,
    )
    """Never printed or logged."""
    vertex_project: str | None = setting(
        "ANTHROPIC_VERTEX_PROJECT_ID", None, "Google Cloud project of Vertex AI"
    )
    """Needed there."""
    vertex_region: str = setting("CLOUD_ML_REGION", "global", "Region of Vertex AI")
    """`global`, `us`, `eu` or one of Google's regions."""
    gate_threshold: float = setting(
        "CITEBOUND_GATE_THRESHOLD",
        0.85,
        "Reported confidence from which the ontology suffices, 0 to 1",
    )
    """See `agent.stages.gate`."""
    relevance_threshold: float = setting(
        "CITEBOUND_RELEVANCE_THRESHOLD",
        0.3,
        "Relevance below which nothing counts as found, 0 to 1",
    )
    """Calibrated relevance of the best chunk."""
    retrieval_depth: int = setting(
        "CITEBOUND_RETRIEVAL_DEPTH", 5, "Chunks handed over when the gate asks, 3 to 8"
    )
    """Before cross-referenced neighbours."""
    max_attempts: int = setting(
        "CITEBOUND_MAX_ATTEMPTS", 2, "Drafts of one question at most, 1 to 4"
    )
    """The first one counts."""
    deadline_s: float = setting(
        "CITEBOUND_DEADLINE_S", 45.0, "Seconds that one question may take, 1 to 600"
    )
    """The whole run."""
    unit: str = setting("CITEBOUND_UNIT", "default", "Organisational unit written into each record")
    """Officers see the records of their units."""
    public_url: str | None = setting(
        "CITEBOUND_PUBLIC_URL", None, "Where Slack reaches this deployment, `https://...`"
    )
    """Without a path; needed for OAuth."""
    slack_client_id: str | None = setting(
        "SLACK_CLIENT_ID",
        None,
        "Lets several workspaces install the app by OAuth; unset: one workspace, by its token",
    )
    """Of the app's basic information."""
    slack_client_secret: str | None = setting(
        "SLACK_CLIENT_SECRET", None, "Goes with the client id", is_secret=True
    )
    """Never printed or logged."""
    slack_workspaces: str | None = setting(
        "SLACK_WORKSPACES",
        None,
        "Ids of the workspaces (`T...`) and organisations (`E...`) that may install the app",
    )
    """Separated by commas; needed for OAuth. See `installable`."""
    token_key: str | None = setting(
        "CITEBOUND_TOKEN_KEY",
        None,
        "Encrypts the tokens of installations: 32 bytes in base64",
        is_secret=True,
    )
    """Needed for OAuth. Never printed or logged."""
    token_key_old: str | None = setting(
        "CITEBOUND_TOKEN_KEY_OLD",
        None,
        "The key before, while it is changed: what it encrypted is encrypted anew at the start",
        is_secret=True,
    )
    """Never printed or logged."""
    slack_bot_token: str | None = setting(
        "SLACK_BOT_TOKEN", None, "Bot token of the one workspace, `xoxb-...`", is_secret=True
    )
    """Never printed or logged. See `bot.slack.setup`."""
    slack_signing_secret: str | None = setting(
        "SLACK_SIGNING_SECRET", None, "Tells Slack's requests from anybody's", is_secret=True
    )
    """Needed over HTTP. Never printed or logged."""
    slack_signing_secret_previous: str | None = setting(
        "SLACK_SIGNING_SECRET_PREVIOUS",
        None,
        "The signing secret before, while it is changed",
        is_secret=True,
    )
    """Never printed or logged."""
    slack_app_token: str | None = setting(
        "SLACK_APP_TOKEN",
        None,
        "App-level token, `xapp-...`: Socket Mode, where there is no signing secret",
        is_secret=True,
    )
    """Never printed or logged."""
    slack_api_url: str | None = setting(
        "SLACK_API_URL", None, "Another address of Slack's Web API, for tests"
    )
    """Ends in `/api/`; refused in production."""
    slack_config: Path | None = setting(
        "CITEBOUND_SLACK_CONFIG", None, "File with groups of people and scopes of channels, TOML"
    )
    """See `bot.audience_config`."""
    host: str = setting("CITEBOUND_HOST", "127.0.0.1", "Address on which `serve` listens")
    """`0.0.0.0`: every one."""
    port: int = setting("CITEBOUND_PORT", 8080, "Port on which `serve` listens; 0: any free one")
    """HTTP; whatever stands before it does TLS."""
    operations_host: str = setting(
        "CITEBOUND_OPERATIONS_HOST",
        "127.0.0.1",
        "Address on which `serve` answers `/livez`, `/readyz` and `/metrics`",
    )
    """Not one that the outside reaches: whoever reaches it is told."""
    operations_port: int = setting(
        "CITEBOUND_OPERATIONS_PORT",
        8081,
        "Port for that; 0: any free one, each process on one machine needs its own",
    )
    """HTTP."""
    officers: str | None = setting(
        "CITEBOUND_OFFICERS", None, "Who answers cases: JSON or a file; unset: nobody"
    )
    """See `adapters.officers`."""
    case_channel: str | None = setting(
        "CITEBOUND_CASE_CHANNEL",
        None,
        "Officers' private channel (`slack/T1/C7`); unset: directly to those on call",
    )
    """See `adapters.officers`."""
    environment: str = setting(
        "CITEBOUND_ENVIRONMENT", "development", "`development` or `production`, which is stricter"
    )
    """`production` refuses what only tests may do."""
    failpoint: str | None = setting(
        "CITEBOUND_FAILPOINT",
        None,
        "Kills the process at a step (`F1` to `F9`, `F12`), to test recovery",
    )
    """See `core.failpoints`; refused in production."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Read and validate the settings.

        Raises:
            ConfigError: A value can't be read or is out of range; the message names the variable.
        """
        given = os.environ if environment is None else environment
        hints = get_type_hints(cls)
        values: dict[str, Any] = {}
        for item in fields(cls):
            variable: str = item.metadata["variable"]
            raw = given.get(variable, "").strip()
            if raw:
                values[item.name] = parse(variable, raw, hints[item.name])
        return cls(**values)

    def __post_init__(self) -> None:
        """Check the ranges."""
        check("CITEBOUND_VOYAGE_TIMEOUT_S", self.voyage_timeout_s, 0.5, 60)
        check_secret("VOYAGE_API_KEY", self.voyage_api_key)
        check_url("VOYAGE_BASE_URL", self.voyage_base_url)
        if self.rerank_model and not self.voyage_api_key:
            raise ConfigError("CITEBOUND_RERANK_MODEL needs VOYAGE_API_KEY: set it, or unset both")
        _check_model_use(self)
        check_word("CITEBOUND_REASONER", self.reasoner, "auto", "extractive")
        check_word("CITEBOUND_PROVIDER", self.provider, "anthropic", "bedrock", "vertex")
        check_word("CITEBOUND_CITATIONS", self.citations, "auto", "native", "markers")
        check_secret("ANTHROPIC_API_KEY", self.anthropic_api_key)
        check_secret("AWS_BEARER_TOKEN_BEDROCK", self.bedrock_token)
        check_url("ANTHROPIC_BASE_URL", self.anthropic_base_url)
        check_url("CITEBOUND_PUBLIC_URL", self.public_url)
        check_key("CITEBOUND_TOKEN_KEY", self.token_key)
        check_key("CITEBOUND_TOKEN_KEY_OLD", self.token_key_old)
        _check_oauth(self)
        check("CITEBOUND_GATE_THRESHOLD", self.gate_threshold, 0, 1)
        check("CITEBOUND_RELEVANCE_THRESHOLD", self.relevance_threshold, 0, 1)
        check("CITEBOUND_RETRIEVAL_DEPTH", self.retrieval_depth, 3, 8)
        check("CITEBOUND_MAX_ATTEMPTS", self.max_attempts, 1, 4)
        check("CITEBOUND_DEADLINE_S", self.deadline_s, 1, 600)
        for variable, value in _slack_secrets(self).items():
            check_secret(variable, value)
        check_url("SLACK_API_URL", self.slack_api_url)
        self.check_teams()
        self.check_turns()
        check("CITEBOUND_PORT", self.port, 0, 65_535)
        check("CITEBOUND_OPERATIONS_PORT", self.operations_port, 0, 65_535)
        if self.environment not in ENVIRONMENTS:
            raise ConfigError(f"CITEBOUND_ENVIRONMENT: expected {' or '.join(ENVIRONMENTS)}")
        if self.failpoint is not None:
            if self.failpoint not in NAMES:
                raise ConfigError(f"CITEBOUND_FAILPOINT: expected one of {', '.join(NAMES)}")
            if self.environment == "production":
                raise ConfigError("CITEBOUND_FAILPOINT kills the process: unset it in production")

    @property
    def uses_model(self) -> bool:
        """True if a language model is to reason: there is access to one, and it is not off."""
        has_access = self.provider != "anthropic" or self.anthropic_api_key is not None
        return has_access and self.reasoner != "extractive"

    @property
    def installable(self) -> frozenset[str]:
        """Ids of workspaces and organisations that may install the app."""
        words = (self.slack_workspaces or "").split(",")
        return frozenset(word.strip() for word in words if word.strip())

    def __repr__(self) -> str:
        """Name the settings, of secrets only those that are set."""
        shown = {item.name: shown_value(self, item) for item in fields(self)}
        return f"Settings({', '.join(f'{name}={value}' for name, value in shown.items())})"


def shown_value(settings: Settings, item: "Field[Any]") -> str:
    """Return a setting as it may be shown: of a secret, whether it is set; see `redacted`."""
    value = getattr(settings, item.name)
    if value is None:
        return "unset"
    return "set" if item.metadata["is_secret"] else redacted(str(value))


def _slack_secrets(settings: Settings) -> dict[str, str | None]:
    return {
        "SLACK_BOT_TOKEN": settings.slack_bot_token,
        "SLACK_SIGNING_SECRET": settings.slack_signing_secret,
        "SLACK_SIGNING_SECRET_PREVIOUS": settings.slack_signing_secret_previous,
        "SLACK_APP_TOKEN": settings.slack_app_token,
    }


def _check_model_use(settings: Settings) -> None:
    check("CITEBOUND_MODEL_CALLS", settings.model_calls, 1, 32)
    check("CITEBOUND_OUTPUT_TOKENS", settings.output_tokens, 500, 100_000)
    check("CITEBOUND_MODEL_SILENCE_S", settings.model_silence_s, 0.1, 120)
    check("CITEBOUND_EXTRACT_IN_FLIGHT", settings.extract_in_flight, 1, 32)
    check("CITEBOUND_EXTRACT_PER_MINUTE", settings.extract_per_minute, 1, 10_000)
    if settings.daily_budget_usd is not None:
        check("CITEBOUND_DAILY_BUDGET_USD", settings.daily_budget_usd, 0.01, 1_000_000)


def _check_oauth(settings: Settings) -> None:
    """Refuse an app that anybody may install, or whose tokens would lie about."""
    needed = {
        "SLACK_CLIENT_SECRET": settings.slack_client_secret,
        "SLACK_WORKSPACES": settings.installable,
        "CITEBOUND_TOKEN_KEY": settings.token_key,
        "CITEBOUND_PUBLIC_URL": settings.public_url,
    }
    missing = [variable for variable, value in needed.items() if not value]
    if settings.slack_client_id and missing:
        raise ConfigError(f"SLACK_CLIENT_ID needs {', '.join(missing)}: set it, or unset all")
    if settings.slack_client_secret and not settings.slack_client_id:
        raise ConfigError("SLACK_CLIENT_SECRET needs SLACK_CLIENT_ID: set it, or unset both")
    if any(one[0] not in "TE" for one in settings.installable):
        raise ConfigError("SLACK_WORKSPACES: expected ids that begin with T or E, and commas")
