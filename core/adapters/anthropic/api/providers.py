"""Providers of Claude (Anthropic, Amazon Bedrock, Google Vertex AI), the chosen models, prices.

What the SDK would read from the environment is passed to it from the settings. Only the credentials
of the clouds come from elsewhere: boto3's credential chain and Google's application default
credentials.
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
ANTHROPIC_URL = "https://api.anthropic.com"
_VERTEX_URLS = {
    "global": "https://aiplatform.googleapis.com/v1",
    "us": "https://aiplatform.us.rep.googleapis.com/v1",
    "eu": "https://aiplatform.eu.rep.googleapis.com/v1",
}
_TAKES_EFFORT = re.compile(r"claude-(?:fable|opus|sonnet|haiku)-5(?!\d)")


class ProviderKind(StrEnum):
    """The provider of the models."""

    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    VERTEX = "vertex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a provider can do with the configured model."""

    native_citations: bool
    """It cites blocks of search results natively; False: by markers in the text."""
    prompt_caching: bool
    """It caches what is marked with `cache_control`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """USD per million tokens."""

    input: float
    """Input that is not cached."""
    cache_write: float
    """Input written to the cache."""
    cache_read: float
    """Input read from the cache."""
    output: float
    """Output."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return the cost of these tokens."""
        parts = (
            self.input * tokens.fresh,
            self.cache_write * tokens.cache_write,
            self.cache_read * tokens.cache_read,
            self.output * tokens.output,
        )
        return math.fsum(parts) / MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of one family of models."""

    rates: Rates
    """Of prompts up to `above_tokens`."""
    above_tokens: int | None = None
    """Longer prompts, in tokens, have other rates; None: all have the same."""
    rates_above: Rates | None = None
    """Rates of longer prompts; None: the same."""

    def cost_usd(self, tokens: TokenUse) -> float:
        """Return the cost of one call."""
        read = tokens.fresh + tokens.cache_read + tokens.cache_write
        if self.above_tokens is not None and self.rates_above and read > self.above_tokens:
            return self.rates_above.cost_usd(tokens)
        return self.rates.cost_usd(tokens)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by prefixes of model names."""

    by_prefix: Mapping[str, Price]
    """The longest prefix of a name counts."""

    def cost_usd(self, model: str, tokens: TokenUse) -> float | None:
        """Return the cost of one call; None if the price of the model is not known."""
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
"""List prices of Anthropic's API for the default models."""


UNKNOWN = Prices({})
"""No price is known."""


def prices_from(setting: str | None, *, known: Prices = PUBLISHED) -> Prices:
    """Return the known prices, overridden by those of the setting.

    Args:
        setting: JSON, or the path of a file with JSON; None: not set. Blocks on the file.
        known: The prices without a setting.

    Raises:
        ConfigError: It is neither; the message names the variable.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider with its credentials."""

    kind: ProviderKind
    """Which one."""
    names: Names
    """Settings to check when it fails."""
    capabilities: Capabilities
    """Its capabilities."""
    published: Prices
    """Its published prices."""
    secrets: tuple[str, ...] = field(repr=False)
    """In no message, log or repr."""
    make: Callable[[Any, Mapping[str, Any]], Any] = field(repr=False)
    """Takes the SDK's module and common options, and returns its client. Blocks."""


def provider_from(settings: Settings) -> Provider:
    """Return the provider that the settings name.

    Raises:
        ConfigError: A setting or a package is missing; one line says which.
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
        raise ConfigError("ANTHROPIC_API_KEY is not set, so no model is called")
    url = settings.anthropic_base_url or ANTHROPIC_URL

    def make(sdk: Any, options: Mapping[str, Any]) -> Any:
        return sdk.AsyncAnthropic(api_key=key, base_url=url, **options)

    return Provider(
        kind=ProviderKind.ANTHROPIC,
        names=Names(provider="Anthropic", access="ANTHROPIC_API_KEY", address="ANTHROPIC_BASE_URL"),
        capabilities=capabilities_of(settings.model, citations=settings.citations),
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
        # Without a token it would read one from the environment.
        client.api_key, client._use_sigv4 = token, token is None  # noqa: SLF001
        return client

    return Provider(
        kind=ProviderKind.BEDROCK,
        names=Names(
            provider="Bedrock",
            access="AWS_BEARER_TOKEN_BEDROCK or the AWS credentials",
            address="AWS_REGION, ANTHROPIC_BASE_URL",
        ),
        capabilities=capabilities_of(settings.model, citations=settings.citations),
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
        capabilities=capabilities_of(settings.model, citations=settings.citations),
        published=UNKNOWN,
        secrets=(),
        make=make,
    )


def capabilities_of(model: str, *, citations: str) -> Capabilities:
    """Return the capabilities of Claude, or none for other models, unless `citations` says so."""
    is_claude = "claude" in model
    return Capabilities(
        native_citations=is_claude if citations == "auto" else citations == "native",
        prompt_caching=is_claude,
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The models of one deployment."""

    answer: str
    """Reasons and writes."""
    review: str
    """Criticises and judges; small and fast."""
    answer_tokens: int = 4_096
    """Most tokens of one reply of the answering model, thinking included. Fixed, whatever is left
    of the budget: a repeated request must have the same bytes."""
    review_tokens: int = 3_000
    """The same for the reviewing model."""
    answer_effort: str | None = None
    """Effort of the answering model: `low`, `medium`, `high`; None: its default."""
    review_effort: str | None = None
    """The same for the reviewing model."""
    forces_tools: bool = False
    """True: critic and judge are forced to call their tool. Several models refuse such requests, so
    by default they are only told to; a reply without the call is no judgement."""


def usual_choice(*, answer: str, review: str) -> ModelChoice:
    """Return models with an effort that suits interactive use, if they take one.

    By default models of the fifth generation think long before they write; thinking counts as
    output, and the asker waits for it. A review that uses up its tokens thinking judges nothing.
    """
    return ModelChoice(
        answer=answer,
        review=review,
        answer_effort="medium" if _TAKES_EFFORT.search(answer) else None,
        review_effort="low" if _TAKES_EFFORT.search(review) else None,
    )
