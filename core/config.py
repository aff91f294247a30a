"""Settings: read once from the environment, validated, frozen.

No other module reads the environment.
"""

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from core.domain.errors import ConfigError
from core.failpoints import NAMES

ENVIRONMENTS = ("development", "production")


def _setting(
    variable: str, default: Any, meaning: str, *, is_secret: bool = False
) -> Any:  # dataclass fields are typed at use
    about = {"variable": variable, "meaning": meaning, "is_secret": is_secret}
    return field(default=default, metadata=about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, with their environment variables and defaults."""

    database_url: str | None = _setting(
        "DATABASE_URL",
        None,
        "A Postgres 15+ with pgvector 0.8+; unset: the embedded one",
        is_secret=True,
    )
    """May hold a password: never printed whole."""
    home: Path = _setting(
        "CITEBOUND_HOME", Path("~/.citebound"), "Where the embedded database lives"
    )
    """A directory; `~` is expanded."""
    embedding_model: Path | None = _setting(
        "CITEBOUND_EMBEDDING_MODEL",
        None,
        "Folder with the local embedder's weights, if not installed",
    )
    """Holds `model_quantized.onnx` and `tokenizer.json`; checked by hash."""
    voyage_api_key: str | None = _setting(
        "VOYAGE_API_KEY",
        None,
        "Embeds with Voyage AI; unset: with the local embedder",
        is_secret=True,
    )
    """Never printed or logged."""
    voyage_base_url: str | None = _setting(
        "VOYAGE_BASE_URL", None, "Another address of Voyage's API; unset: the one of the key"
    )
    """Ends in `/v1`."""
    voyage_model: str = _setting(
        "CITEBOUND_VOYAGE_MODEL", "voyage-3-large", "Model that embeds, with a key"
    )
    """One of `adapters.voyage.models`."""
    rerank_model: str | None = _setting(
        "CITEBOUND_RERANK_MODEL", None, "Model that reranks hits, such as `rerank-2.5`; unset: none"
    )
    """One of `adapters.voyage.models`; needs the key."""
    voyage_timeout_s: float = _setting(
        "CITEBOUND_VOYAGE_TIMEOUT_S", 5.0, "Seconds that a question waits for Voyage, 0.5 to 60"
    )
    """Attempts together, for the vector and for the rerank each."""
    gate_threshold: float = _setting(
        "CITEBOUND_GATE_THRESHOLD",
        0.85,
        "Reported confidence from which the ontology suffices, 0 to 1",
    )
    """See `agent.stages.gate`."""
    relevance_threshold: float = _setting(
        "CITEBOUND_RELEVANCE_THRESHOLD",
        0.3,
        "Relevance below which nothing counts as found, 0 to 1",
    )
    """Calibrated relevance of the best chunk."""
    retrieval_depth: int = _setting(
        "CITEBOUND_RETRIEVAL_DEPTH", 5, "Chunks handed over when the gate asks, 3 to 8"
    )
    """Before cross-referenced neighbours."""
    max_attempts: int = _setting(
        "CITEBOUND_MAX_ATTEMPTS", 2, "Drafts of one question at most, 1 to 4"
    )
    """The first one counts."""
    deadline_s: float = _setting(
        "CITEBOUND_DEADLINE_S", 60.0, "Seconds that one question may take, 1 to 600"
    )
    """The whole run."""
    unit: str = _setting(
        "CITEBOUND_UNIT", "default", "Organisational unit written into each record"
    )
    """Officers see the records of their units."""
    environment: str = _setting(
        "CITEBOUND_ENVIRONMENT", "development", "`development` or `production`, which is stricter"
    )
    """`production` refuses what only tests may do."""
    failpoint: str | None = _setting(
        "CITEBOUND_FAILPOINT", None, "Kills the process at a step (`F1` to `F9`), to test recovery"
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
                values[item.name] = _parse(variable, raw, hints[item.name])
        return cls(**values)

    def __post_init__(self) -> None:
        """Check the ranges."""
        _check("CITEBOUND_VOYAGE_TIMEOUT_S", self.voyage_timeout_s, 0.5, 60)
        if self.voyage_base_url and not self.voyage_base_url.startswith(("https://", "http://")):
            raise ConfigError("VOYAGE_BASE_URL: expected https://.../v1")
        if self.rerank_model and not self.voyage_api_key:
            raise ConfigError("CITEBOUND_RERANK_MODEL needs VOYAGE_API_KEY: set it, or unset both")
        _check("CITEBOUND_GATE_THRESHOLD", self.gate_threshold, 0, 1)
        _check("CITEBOUND_RELEVANCE_THRESHOLD", self.relevance_threshold, 0, 1)
        _check("CITEBOUND_RETRIEVAL_DEPTH", self.retrieval_depth, 3, 8)
        _check("CITEBOUND_MAX_ATTEMPTS", self.max_attempts, 1, 4)
        _check("CITEBOUND_DEADLINE_S", self.deadline_s, 1, 600)
        if self.environment not in ENVIRONMENTS:
            raise ConfigError(f"CITEBOUND_ENVIRONMENT: expected {' or '.join(ENVIRONMENTS)}")
        if self.failpoint is not None:
            if self.failpoint not in NAMES:
                raise ConfigError(f"CITEBOUND_FAILPOINT: expected one of {', '.join(NAMES)}")
            if self.environment == "production":
                raise ConfigError("CITEBOUND_FAILPOINT kills the process: unset it in production")

    def __repr__(self) -> str:
        """Name the settings, of secrets only those that are set."""
        shown = {item.name: shown_value(self, item) for item in fields(self)}
        return f"Settings({', '.join(f'{name}={value}' for name, value in shown.items())})"


def shown_value(settings: Settings, item: "Field[Any]") -> str:
    """Return a setting's value as it may be shown: of a secret, whether it is set."""
    value = getattr(settings, item.name)
    if value is None:
        return "unset"
    return "set" if item.metadata["is_secret"] else str(value)


def _parse(variable: str, raw: str, kind: Any) -> Any:
    try:
        if kind is float:
            return float(raw)
        if kind is int:
            return int(raw)
    except ValueError as error:
        raise ConfigError(f"{variable}: expected a number, got {raw!r}") from error
    return Path(raw).expanduser() if kind in (Path, Path | None) else raw


def _check(variable: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{variable}: expected {low} to {high}, got {value}")
