"""Settings: read once from the environment, validated, frozen.

No other module reads the environment. Each setting stands with its check in the module of its
subject; here they are one.
"""

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, get_type_hints

from core.config.app import AppSettings
from core.config.consistency import ConsistencySettings
from core.config.console import ConsoleSettings
from core.config.deployment import DeploymentSettings
from core.config.models import ModelSettings
from core.config.retrieval import RetrievalSettings
from core.config.setting import parse, raw_secret, redacted
from core.config.slack import SlackSettings
from core.config.speak_up import SpeakUpSettings
from core.config.teams import TeamsSettings
from core.config.turns import TurnSettings
from core.domain.errors import ConfigError
from core.domain.limits import RunLimits
from core.domain.question import Deployment

PROVIDERS = {"anthropic": "Anthropic", "bedrock": "Amazon Bedrock", "vertex": "Google Vertex AI"}
"""Who serves the language model, as askers read it."""


@dataclass(frozen=True, kw_only=True)
class Settings(
    AppSettings,
    TeamsSettings,
    SlackSettings,
    ConsistencySettings,
    TurnSettings,
    SpeakUpSettings,
    RetrievalSettings,
    ModelSettings,
    ConsoleSettings,
    DeploymentSettings,
):
    """All settings, the last base's first."""

    @property
    def about_us(self) -> Deployment:
        """What is said of this deployment where somebody asks about the assistant."""
        return Deployment(
            model=PROVIDERS[self.provider] if self.uses_model else "",
            embedder="Voyage AI" if self.voyage_api_key else "",
            is_sealed=self.identity_key is not None,
            is_traced=self.traces == "with_text",
            own_text=self.about_text or "",
        )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Read and validate the settings; a secret NAME may stand in a file that NAME_FILE names.

        Raises:
            ConfigError: A value can't be read or is out of range; the message names the variable.
        """
        given = os.environ if environment is None else environment
        hints = get_type_hints(cls)
        values: dict[str, Any] = {}
        for item in fields(cls):
            variable: str = item.metadata["variable"]
            raw = given.get(variable, "").strip()
            if item.metadata["is_secret"]:
                raw = raw_secret(variable, raw, given.get(f"{variable}_FILE", "").strip())
            if raw:
                values[item.name] = parse(variable, raw, hints[item.name])
        return cls(**values)

    def __post_init__(self) -> None:
        """Check each setting by itself, then those that need each other."""
        for item in fields(self):
            value, check = getattr(self, item.name), item.metadata["check"]
            if check is not None and value is not None:
                check(item.metadata["variable"], value)
        self.check_rerank()
        self.check_oauth()
        self.check_failpoint()
        self.check_migration_url()
        self.check_provider()
        self.check_starters()

    @property
    def run_limits(self) -> RunLimits:
        """Bounds and thresholds of each question."""
        return RunLimits(
            gate_threshold=self.gate_threshold,
            relevance_threshold=self.relevance_threshold,
            retrieval_depth=self.retrieval_depth,
            max_attempts=self.max_attempts,
            model_calls=self.model_calls,
            output_tokens=self.output_tokens,
            deadline_s=self.deadline_s,
        )

    def check_console(self) -> None:
        """Refuse a console that could not read the record; other processes only link to it.

        Raises:
            ConfigError: There is no login for it.
        """
        if self.console_url and self.database_url and not self.record_url:
            raise ConfigError(
                "CITEBOUND_CONSOLE_URL needs CITEBOUND_RECORD_URL: the same database, for a login"
                " that is a member of citebound_console"
            )

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


def source_variable(source: str) -> str:
    """Return the environment variable that holds the credential of a source of policies."""
    return f"CITEBOUND_SOURCE_{source.upper().replace('-', '_')}_TOKEN"


def source_credential(source: str, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the credential of a source of policies; None: it is not set.

    Raises:
        ConfigError: The file that `..._FILE` names can't be read.
    """
    given = os.environ if environment is None else environment
    variable = source_variable(source)
    raw, file = given.get(variable, "").strip(), given.get(f"{variable}_FILE", "").strip()
    return raw_secret(variable, raw, file) or None


def inherited(*names: str) -> dict[str, str]:
    """Return those variables of the environment that are set, for a program that is run."""
    return {name: os.environ[name] for name in names if name in os.environ}
