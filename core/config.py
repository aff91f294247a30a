"""Settings: read once from the environment, validated, frozen.

No other module reads the environment.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from core.domain.errors import ConfigError


def _setting(variable: str, default: Any, meaning: str) -> Any:  # dataclass fields are typed at use
    return field(default=default, metadata={"variable": variable, "meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, with their environment variables and defaults."""

    database_url: str | None = _setting(
        "DATABASE_URL", None, "A Postgres 15+ with pgvector 0.8+; unset: the embedded one"
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
        _check("CITEBOUND_GATE_THRESHOLD", self.gate_threshold, 0, 1)
        _check("CITEBOUND_RELEVANCE_THRESHOLD", self.relevance_threshold, 0, 1)
        _check("CITEBOUND_RETRIEVAL_DEPTH", self.retrieval_depth, 3, 8)
        _check("CITEBOUND_MAX_ATTEMPTS", self.max_attempts, 1, 4)
        _check("CITEBOUND_DEADLINE_S", self.deadline_s, 1, 600)

    def __repr__(self) -> str:
        """Name the settings without the database's password."""
        known = "set" if self.database_url else None
        return f"Settings(home={str(self.home)!r}, database_url={known})"


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
