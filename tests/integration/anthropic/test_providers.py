"""Bedrock, Vertex and other addresses: the same calls, other paths and other access."""

import subprocess
import sys
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from core.adapters.anthropic.api.api_types import TextPart
from core.adapters.anthropic.api.client import MessagesClient
from core.adapters.anthropic.api.composition import open_models
from core.adapters.anthropic.api.failures import RefusedError
from core.adapters.anthropic.api.providers import ProviderKind, provider_from
from core.adapters.system import SystemClock
from core.config.settings import Settings
from core.domain.errors import ConfigError
from tests.integration.anthropic.world import budget, models_at, request
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import failure, reply

SONNET = "anthropic.claude-sonnet-5-5"


async def test_bedrock_by_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own token goes out and no other, also where the environment has more of them."""
    monkeypatch.setenv("ANTHROPIC_AWS_API_KEY", "another")
    monkeypatch.setenv("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "http://127.0.0.1:1")
    with anthropic_server([reply("Yes.")], models=[SONNET]) as server:
        async with models_at(
            server,
            anthropic_api_key=None,
            provider="bedrock",
            aws_region="eu-central-1",
            bedrock_token=server.key,
            anthropic_base_url=f"{server.url}/anthropic",
        ) as models:
            got = await models.run("q", budget()).call(request(model=SONNET))
    assert got.parts == (TextPart(text="Yes."),)
    assert server.received[0].path == "/anthropic/v1/messages"
    assert server.received[0].headers["authorization"] == f"Bearer {server.key}"


async def test_vertex_by_googles_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is in the path, the token is Google's."""
    import anthropic.lib.vertex._client as vertex  # noqa: PLC0415

    with anthropic_server([reply("Yes.")]) as server:
        access = SimpleNamespace(expired=False, token=server.key)
        monkeypatch.setattr(vertex, "load_auth", lambda *, project_id: (access, project_id))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        monkeypatch.setattr("core.adapters.anthropic.api.providers._is_installed", lambda _: True)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        async with models_at(
            server,
            anthropic_api_key=None,
            provider="vertex",
            vertex_project="acme",
            vertex_region="europe-west1",
            anthropic_base_url=f"{server.url}/v1",
        ) as models:
            got = await models.run("q", budget()).call(request())
    assert got.parts == (TextPart(text="Yes."),)
    assert server.received[0].path == (
        "/v1/projects/acme/locations/europe-west1/publishers/anthropic/models/"
        "claude-sonnet-5-5:streamRawPredict"
    )


async def test_credentials_that_are_missing_are_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cloud's library raises is one line of ours, and not tried again."""
    import anthropic.lib.vertex._client as vertex  # noqa: PLC0415

    def no_credentials(*, project_id: str) -> None:
        raise OSError(f"no default credentials\nfor {project_id}")

    monkeypatch.setattr(vertex, "load_auth", no_credentials)
    monkeypatch.setattr("core.adapters.anthropic.api.providers._is_installed", lambda _: True)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with anthropic_server() as server:
        async with models_at(server, provider="vertex", vertex_project="acme") as models:
            with pytest.raises(RefusedError) as caught:
                await models.run("q", budget()).call(request())
    assert str(caught.value) == (
        "Vertex AI can't be called: check the Google credentials"
        " (OSError: no default credentials for acme)"
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "ANTHROPIC_API_KEY is not set"),
        ({"provider": "bedrock"}, "needs AWS_REGION"),
        ({"provider": "bedrock", "aws_region": "eu-west-1"}, "boto3"),
        ({"provider": "vertex"}, "needs ANTHROPIC_VERTEX_PROJECT_ID"),
        ({"provider": "vertex", "vertex_project": "acme"}, "google-auth"),
    ],
)
def test_what_is_missing_is_named(
    settings: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line: the variable, or what to install."""
    for module in ("boto3", "google.auth"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("core.adapters.anthropic.api.providers._is_installed", lambda _: False)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(ConfigError, match=says) as caught:
        open_models(Settings(**settings), clock=SystemClock(), log=None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "native", "caches"),
    [
        ({}, True, True),
        ({"citations": "markers"}, False, True),
        ({"model": "qwen3", "anthropic_base_url": "http://127.0.0.1:1"}, False, False),
        ({"model": "qwen3", "citations": "native"}, True, False),
        ({"provider": "bedrock", "model": SONNET}, True, True),
    ],
)
def test_capabilities_go_by_the_model(settings: dict[str, Any], native: bool, caches: bool) -> None:
    """Claude cites and caches wherever it is; of others that is not known, and one may say so."""
    given: dict[str, Any] = {"anthropic_api_key": "k", "aws_region": "r", "bedrock_token": "t"}
    found = provider_from(Settings(**given | settings)).capabilities
    assert (found.native_citations, found.prompt_caching) == (native, caches)


def test_only_the_api_of_anthropic_has_known_prices() -> None:
    """Clouds and other addresses have price lists of their own."""
    key: dict[str, Any] = {"anthropic_api_key": "k"}
    elsewhere: list[dict[str, Any]] = [
        {"anthropic_base_url": "http://127.0.0.1:1"},
        {"provider": "bedrock", "aws_region": "r", "bedrock_token": "t"},
    ]
    assert provider_from(Settings(**key)).published.by_prefix
    for settings in elsewhere:
        assert not provider_from(Settings(**key | settings)).published.by_prefix


@pytest.mark.parametrize("kind", [ProviderKind.ANTHROPIC, ProviderKind.BEDROCK])
async def test_no_key_is_ever_shown(kind: ProviderKind, caplog: pytest.LogCaptureFixture) -> None:
    """Not in settings, providers, errors with all their causes, or logs; also if it is echoed."""
    with (
        caplog.at_level("DEBUG"),
        anthropic_server(
            [failure(400, "invalid_request_error", message=f"bad: {KEY}")],
        ) as server,
    ):
        server.key = KEY
        settings = Settings(
            provider=kind.value,
            anthropic_api_key=KEY,
            anthropic_base_url=server.url,
            aws_region="r",
            bedrock_token=KEY,
        )
        provider = provider_from(settings)
        client = MessagesClient(provider, silence_s=5, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
        with pytest.raises(RefusedError) as caught:
            await client.send(request().body(), limit_s=5)
        await client.aclose()
    shown = f"{settings!r} {provider!r} {client!r} {caught.value!s} {caught.value!r}"
    logged = " ".join(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)
    assert KEY not in shown
    assert KEY not in logged
    assert str(caught.value).endswith("bad: ***")


KEY = "sk-ant-very-secret-0123456789"


def test_nothing_is_loaded_before_the_first_call() -> None:
    """The SDK takes a second: commands that need no model start without it."""

    code = (
        "import sys\n"
        "import bot.cli, core.adapters.anthropic.api.composition, bot.console.model_checks\n"
        "print([name for name in ('anthropic', 'httpx2', 'voyageai') if name in sys.modules])"
    )
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
