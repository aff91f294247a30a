"""Settings of search: what embeds, reads and reranks, and when what is found suffices."""

from dataclasses import dataclass
from pathlib import Path

from core.config.setting import is_address, is_key, setting, within
from core.domain.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class RetrievalSettings:
    """How the texts that answer are found."""

    embedding_model: Path | None = setting(
        "CITEBOUND_EMBEDDING_MODEL",
        None,
        "Folder with the local embedder's weights, if not installed",
    )
    """Holds `model_quantized.onnx` and `tokenizer.json`; checked by hash."""
    reader_model: Path | None = setting(
        "CITEBOUND_READER_MODEL", None, "Folder with a reader other than the shipped one, or `none`"
    )
    """Holds `model.onnx` and `tokenizer.json`; see `core.models`."""
    voyage_api_key: str | None = setting(
        "VOYAGE_API_KEY",
        None,
        "Embeds with Voyage AI; unset: with the local embedder",
        is_secret=True,
        check=is_key,
    )
    voyage_base_url: str | None = setting(
        "VOYAGE_BASE_URL",
        None,
        "Another address of Voyage's API; unset: the one of the key",
        check=is_address,
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
        "CITEBOUND_VOYAGE_TIMEOUT_S",
        5.0,
        "Seconds that a question waits for Voyage, 0.5 to 60",
        check=within(0.5, 60),
    )
    """Attempts together, for the vector and for the rerank each."""
    gate_threshold: float = setting(
        "CITEBOUND_GATE_THRESHOLD",
        0.85,
        "Reported confidence from which the ontology suffices, 0 to 1",
        check=within(0, 1),
    )
    """See `agent.stages.gate`."""
    relevance_threshold: float = setting(
        "CITEBOUND_RELEVANCE_THRESHOLD",
        0.3,
        "Relevance below which nothing counts as found, 0 to 1",
        check=within(0, 1),
    )
    """Calibrated relevance of the best chunk."""
    retrieval_depth: int = setting(
        "CITEBOUND_RETRIEVAL_DEPTH",
        5,
        "Chunks handed over when the gate asks, 3 to 8",
        check=within(3, 8),
    )
    """Before cross-referenced neighbours."""

    def check_rerank(self) -> None:
        """Refuse a model that reranks where there is no access to it.

        Raises:
            ConfigError: There is no key.
        """
        if self.rerank_model and not self.voyage_api_key:
            raise ConfigError("CITEBOUND_RERANK_MODEL needs VOYAGE_API_KEY: set it, or unset both")
