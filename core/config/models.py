"""Settings of the language model, and of what it may take."""

from dataclasses import dataclass

from core.config.setting import is_address, is_key, one_of, setting, within


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Who reasons, and within which limits."""

    reasoner: str = setting(
        "CITEBOUND_REASONER",
        "auto",
        "`auto`: Claude if there is access to it; `extractive`: never call a model",
        check=one_of("auto", "extractive"),
    )
    """See `uses_model`."""
    provider: str = setting(
        "CITEBOUND_PROVIDER",
        "anthropic",
        "Who serves Claude: `anthropic`, `bedrock` or `vertex`",
        check=one_of("anthropic", "bedrock", "vertex"),
    )
    """See `adapters.anthropic.providers`."""
    anthropic_api_key: str | None = setting(
        "ANTHROPIC_API_KEY",
        None,
        "Lets Claude reason; unset: answers are quoted by rules",
        is_secret=True,
        check=is_key,
    )
    anthropic_base_url: str | None = setting(
        "ANTHROPIC_BASE_URL",
        None,
        "Another address that speaks the Messages API, of any provider",
        check=is_address,
    )
    """Without `/v1/messages`."""
    model: str = setting("CITEBOUND_MODEL", "claude-sonnet-5-5", "Model that reasons")
    small_model: str = setting(
        "CITEBOUND_SMALL_MODEL", "claude-haiku-5-5", "Model that criticises, judges and extracts"
    )
    prompts: str | None = setting(
        "CITEBOUND_PROMPTS",
        None,
        "Prompts in place of the release's: a file, a folder, or earlier ones (`answer/2,judge/2`)",
    )
    """See `core.agent.prompts.choice`."""
    citations: str = setting(
        "CITEBOUND_CITATIONS",
        "auto",
        "`native`, `markers` where the provider has no citations, `auto`: by the model's name",
        check=one_of("auto", "native", "markers"),
    )
    """How drafts cite."""
    prices: str | None = setting(
        "CITEBOUND_PRICES", None, "Prices of tokens: JSON or a file; unset: Anthropic's list prices"
    )
    """See `adapters.anthropic.prices`."""
    daily_budget_usd: float | None = setting(
        "CITEBOUND_DAILY_BUDGET_USD",
        None,
        "USD that models may cost for questions per day (UTC), 0.01 to 1000000; unset: no limit",
        check=within(0.01, 1_000_000),
    )
    """Of all processes together; over it the rules answer. Each model needs a price."""
    model_calls: int = setting(
        "CITEBOUND_MODEL_CALLS",
        8,
        "Model calls of one question at most, 1 to 32",
        check=within(1, 32),
    )
    """Repetitions after an error are not counted."""
    output_tokens: int = setting(
        "CITEBOUND_OUTPUT_TOKENS",
        16_000,
        "Tokens that models may write for one question, 500 to 100000",
        check=within(500, 100_000),
    )
    """All calls together, thinking included."""
    model_silence_s: float = setting(
        "CITEBOUND_MODEL_SILENCE_S",
        20.0,
        "Seconds without a byte that end a model call, 0.1 to 120",
        check=within(0.1, 120),
    )
    """The question's deadline holds besides."""
    extract_in_flight: int = setting(
        "CITEBOUND_EXTRACT_IN_FLIGHT",
        4,
        "Sections that Claude reads at a time, 1 to 32",
        check=within(1, 32),
    )
    """`ingest --extract claude`."""
    extract_per_minute: int = setting(
        "CITEBOUND_EXTRACT_PER_MINUTE",
        50,
        "Sections sent to Claude in a minute, 1 to 10000",
        check=within(1, 10_000),
    )
    """`ingest --extract claude`; repetitions after an error are not counted."""
    aws_region: str | None = setting("AWS_REGION", None, "Region of Bedrock")
    bedrock_token: str | None = setting(
        "AWS_BEARER_TOKEN_BEDROCK",
        None,
        "Key of Bedrock; unset: the AWS credentials that boto3 finds",
        is_secret=True,
        check=is_key,
    )
    vertex_project: str | None = setting(
        "ANTHROPIC_VERTEX_PROJECT_ID", None, "Google Cloud project of Vertex AI"
    )
    vertex_region: str = setting("CLOUD_ML_REGION", "global", "Region of Vertex AI")
    """`global`, `us`, `eu` or one of Google's regions."""

    @property
    def uses_model(self) -> bool:
        """True if a language model is to reason: there is access to one, and it is not off."""
        has_access = self.provider != "anthropic" or self.anthropic_api_key is not None
        return has_access and self.reasoner != "extractive"
