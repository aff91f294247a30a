"""Who serves Claude: Anthropic, Amazon Bedrock, Google Vertex AI, or whatever speaks as they do.

Whatever the SDK would read from the environment by itself is given to it, from the settings. What
Bedrock and Vertex take from elsewhere is how their clouds know who asks: boto3's credential chain
and Google's application default credentials.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from core.adapters.anthropic.api.failures import Names
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.domain.run import TokenUse

MILLION = 1_000_000
_KINDS = ("input", "cache_write", "cache_read", "output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """USD per million tokens."""

    input: float
    """Read fresh."""
    cache_write: float
    """Read and written to the cache."""
    cache_read: float
    """Read from the cache."""
    output: float
    """Written."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return what these tokens cost."""
        parts = (
            self.input * tokens.fresh,
            self.cache_write * tokens.cache_write,
            self.cache_read * tokens.cache_read,
            self.output * tokens.output,
        )
        return math.fsum(parts) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one family of models costs."""

    rates: Rates
    """Of usual prompts."""
    above_tokens: int | None = None
    """Prompts with more tokens than this have other rates; None: all have the same."""
    rates_above: Rates | None = None
    """Those; None: as usual."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return what one call costs."""
        read = tokens.fresh + tokens.cache_read + tokens.cache_write
        if self.above_tokens is not None and self.rates_above and read > self.above_tokens:
            return self.rates_above.cost_usd(tokens)
        return self.rates.cost_usd(tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by how a model's name begins."""

    by_prefix: Mapping[str, Price]
    """Names in full or in part."""

    def cost_usd(self, model: str, tokens: TokenUse) -> float | None:
        """Return what one call cost; None if the price of the model is not known."""
        fitting = [prefix for prefix in self.by_prefix if model.startswith(prefix)]
        return self.by_prefix[max(fitting, key=len)].cost_usd(tokens) if fitting else None


PUBLISHED = Prices(
    {
        "claude-sonnet-5-5": Price(
            rates=Rates(input=2.0, cache_write=2.5, cache_read=0.2, output=10.0)
        ),
        "claude-haiku-5-5": Price(
            rates=Rates(input=0.1, cache_write=0.125, cache_read=0.01, output=0.5),
            above_tokens=100_000,
            rates_above=Rates(input=0.5, cache_write=0.625, cache_read=0.05, output=2.5),
        ),
    }
)
"""List prices of Anthropic's API for the models that are used unless others are set."""

UNKNOWN = Prices({})
"""No price is known."""


def prices_from(setting: str | None, *, known: Prices = PUBLISHED) -> Prices:
    """Return the known prices with those of the setting in front of them.

    Args:
        setting: JSON, or the path of a file with JSON; None: nothing is set. Blocks on the file.
        known: What holds without a setting.

    Raises:
        ConfigError: It is none of them; the message names the variable.
    """
    if setting is None:
        return known
    try:
        written = setting if setting.startswith("{") else Path(setting).expanduser().read_text()
        table = json.loads(written)
        return Prices({**known.by_prefix, **{name: _price(one) for name, one in table.items()}})
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        problem = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        raise ConfigError(
            'CITEBOUND_PRICES: expected {"model": {"input": ..., "cache_write": ...,'
            f' "cache_read": ..., "output": ...}}}} or a file with it, got {problem}'
        ) from error


def _price(given: Any) -> Price:
    above = given.get("above")
    return Price(
        rates=_rates(given),
        above_tokens=int(above["tokens"]) if above else None,
        rates_above=_rates(above) if above else None,
    )


def _rates(given: Any) -> Rates:
    values = cast("Mapping[str, Any]", given)
    if unknown := set(values) - {*_KINDS, "above", "tokens"}:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}")
    rates = [float(values[kind]) for kind in _KINDS]
    if not all(math.isfinite(rate) and rate >= 0 for rate in rates):
        raise ValueError("a price is a number from 0")
    return Rates(**dict(zip(_KINDS, rates, strict=True)))


ANTHROPIC_URL = "https://api.anthropic.com"
_VERTEX_URLS = {
    "global": "https://aiplatform.googleapis.com/v1",
    "us": "https://aiplatform.us.rep.googleapis.com/v1",
    "eu": "https://aiplatform.eu.rep.googleapis.com/v1",
}


class ProviderKind(StrEnum):
    """Who serves the model."""

    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    VERTEX = "vertex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a provider can do with the configured model."""

    native_citations: bool
    """It cites blocks of search results by itself; False: by markers in the text."""
    prompt_caching: bool
    """It keeps what is marked with `cache_control`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Whom to call, and as whom."""

    kind: ProviderKind
    """Who."""
    names: Names
    """What to check when it fails."""
    capabilities: Capabilities
    """What it can do."""
    published: Prices
    """What it is known to charge."""
    secrets: tuple[str, ...] = field(repr=False)
    """In no message, log or repr."""
    make: Callable[[Any, Mapping[str, Any]], Any] = field(repr=False)
    """Takes the SDK's module and options common to all, and returns its client. Blocks."""


def provider_from(settings: Settings) -> Provider:
    """Return whom the settings name.

    Raises:
        ConfigError: What it needs is not set or not installed; one line says what.
    """
    makers = {
        ProviderKind.ANTHROPIC: _anthropic,
        ProviderKind.BEDROCK: _bedrock,
        ProviderKind.VERTEX: _vertex,
    }
    return makers[ProviderKind(settings.provider)](settings)


def _anthropic(settings: Settings) -> Provider:
    key = settings.anthropic_api_key
    if not key:
        raise ConfigError("ANTHROPIC_API_KEY is not set: without it no model is called")
    url = settings.anthropic_base_url or ANTHROPIC_URL

    def make(sdk: Any, options: Mapping[str, Any]) -> Any:
        return sdk.AsyncAnthropic(api_key=key, base_url=url, **options)

    return Provider(
        kind=ProviderKind.ANTHROPIC,
        names=Names(provider="Anthropic", access="ANTHROPIC_API_KEY", address="ANTHROPIC_BASE_URL"),
        capabilities=_capabilities(settings),
        published=PUBLISHED if url == ANTHROPIC_URL else UNKNOWN,
        secrets=(key,),
        make=make,
    )


def _bedrock(settings: Settings) -> Provider:
    token, region = settings.bedrock_token, settings.aws_region
    url = settings.anthropic_base_url
    if not region:
        raise ConfigError("CITEBOUND_PROVIDER=bedrock needs AWS_REGION")
    if token is None and not _is_installed("boto3"):
        raise ConfigError(
            "CITEBOUND_PROVIDER=bedrock needs AWS_BEARER_TOKEN_BEDROCK, or boto3:"
            " pip install 'anthropic[bedrock]'"
        )

    def make(sdk: Any, options: Mapping[str, Any]) -> Any:
        client = sdk.AsyncAnthropicBedrockMantle(
            api_key=token,
            aws_region=region,
            base_url=url or f"https://bedrock-mantle.{region}.api.aws/anthropic",
            **options,
        )
        # Without a token it would take one from variables of its own.
        client.api_key, client._use_sigv4 = token, token is None  # noqa: SLF001
        return client

    return Provider(
        kind=ProviderKind.BEDROCK,
        names=Names(
            provider="Bedrock",
            access="AWS_BEARER_TOKEN_BEDROCK or the AWS credentials",
            address="AWS_REGION, ANTHROPIC_BASE_URL",
        ),
        capabilities=_capabilities(settings),
        published=UNKNOWN,
        secrets=(token,) if token else (),
        make=make,
    )


def _vertex(settings: Settings) -> Provider:
    project, region = settings.vertex_project, settings.vertex_region
    if not project:
        raise ConfigError("CITEBOUND_PROVIDER=vertex needs ANTHROPIC_VERTEX_PROJECT_ID")
    if not _is_installed("google.auth"):
        raise ConfigError(
            "CITEBOUND_PROVIDER=vertex needs google-auth: pip install 'anthropic[vertex]'"
        )
    usual = _VERTEX_URLS.get(region, f"https://{region}-aiplatform.googleapis.com/v1")

    def make(sdk: Any, options: Mapping[str, Any]) -> Any:
        return sdk.AsyncAnthropicVertex(
            project_id=project,
            region=region,
            base_url=settings.anthropic_base_url or usual,
            **options,
        )

    return Provider(
        kind=ProviderKind.VERTEX,
        names=Names(
            provider="Vertex AI",
            access="the Google credentials",
            address="CLOUD_ML_REGION, ANTHROPIC_BASE_URL",
        ),
        capabilities=_capabilities(settings),
        published=UNKNOWN,
        secrets=(),
        make=make,
    )


def _capabilities(settings: Settings) -> Capabilities:
    """Return what Claude can do everywhere; of other models nothing is known."""
    is_claude = "claude" in settings.model
    asked = settings.citations
    return Capabilities(
        native_citations=is_claude if asked == "auto" else asked == "native",
        prompt_caching=is_claude,
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


_TAKES_EFFORT = re.compile(r"claude-(?:fable|opus|sonnet|haiku)-5(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The models of one deployment."""

    answer: str
    """Reasons and writes."""
    review: str
    """Criticises and judges; small and fast."""
    answer_tokens: int = 4_096
    """Tokens of one reply of the first, thinking included, at most. Fixed, and not what is left of
    the budget: a repeated request must have the same bytes."""
    review_tokens: int = 3_000
    """The same for the second."""
    answer_effort: str | None = None
    """How much the first thinks: `low`, `medium`, `high`; None: its default."""
    review_effort: str | None = None
    """The same for the second."""
    forces_tools: bool = False
    """True: critic and judge are made to call their tool. Several models refuse a request that
    forces one, so by default they are told to; a reply without the call is no judgement."""


def usual_choice(*, answer: str, review: str) -> ModelChoice:
    """Return models with the effort that suits a question somebody waits for, where it is known.

    By default the models of the fifth generation think long before they write: what they think
    counts as what they write, and the asker waits for both. A review that thinks until its tokens
    are used up has judged nothing.
    """
    return ModelChoice(
        answer=answer,
        review=review,
        answer_effort="medium" if _TAKES_EFFORT.search(answer) else None,
        review_effort="low" if _TAKES_EFFORT.search(review) else None,
    )
