"""Who serves Claude: Anthropic, Amazon Bedrock, Google Vertex AI, or whatever speaks as they do.

Whatever the SDK would read from the environment by itself is given to it, from the settings. What
Bedrock and Vertex take from elsewhere is how their clouds know who asks: boto3's credential chain
and Google's application default credentials.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from core.adapters.anthropic.api.failures import Names
from core.adapters.anthropic.api.prices import PUBLISHED, UNKNOWN, Prices
from core.config.settings import Settings
from core.domain.errors import ConfigError

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
