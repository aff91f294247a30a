"""Settings: what is read, what is refused, what is never shown."""

import base64
from dataclasses import fields
from pathlib import Path

import pytest

from core.config.settings import Settings, shown_value
from core.domain.errors import ConfigError

OAUTH = {
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "hidden",
    "SLACK_WORKSPACES": "T1, E1",
    "CITEBOUND_TOKEN_KEY": base64.b64encode(bytes(range(32))).decode(),
    "CITEBOUND_PUBLIC_URL": "https://bot.example.com",
}
SECRETS = {"DATABASE_URL": "postgresql://me:hidden@host/db", "VOYAGE_API_KEY": "pa-hidden"}


def test_secrets_are_read_and_never_shown() -> None:
    """A password or a key is said to be set, and no more."""
    settings = Settings.from_environment(SECRETS)
    assert settings.voyage_api_key == "pa-hidden"
    shown = repr(settings) + "".join(shown_value(settings, item) for item in fields(settings))
    assert "hidden" not in shown
    assert "voyage_api_key=set" in shown


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    """As containers are given them; the newline at its end is none of it."""
    file = tmp_path / "key"
    file.write_text("pa-hidden\n")
    settings = Settings.from_environment({"VOYAGE_API_KEY_FILE": str(file)})
    assert settings.voyage_api_key == "pa-hidden"


def test_what_is_no_secret_is_not_read_from_a_file(tmp_path: Path) -> None:
    """A file of the machine must not end up in what is printed."""
    file = tmp_path / "host"
    file.write_text("192.0.2.1")
    assert Settings.from_environment({"CITEBOUND_HOST_FILE": str(file)}).host == "127.0.0.1"


@pytest.mark.parametrize(
    ("content", "more", "named"),
    [
        (None, {}, "VOYAGE_API_KEY_FILE: .* can't be read: No such file"),
        (b"", {}, "VOYAGE_API_KEY_FILE: .* is empty"),
        (b"\xff\xfe", {}, "can't be read: it is no text"),
        (b"pa-x", {"VOYAGE_API_KEY": "pa-hidden"}, "both set: unset one of them"),
    ],
)
def test_a_file_that_gives_no_secret_is_named(
    tmp_path: Path, content: bytes | None, more: dict[str, str], named: str
) -> None:
    """An empty secret would count as one that is not set."""
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=named) as refused:
        Settings.from_environment({"VOYAGE_API_KEY_FILE": str(file), **more})
    assert "pa-" not in str(refused.value)


@pytest.mark.parametrize(
    ("environment", "migrate", "migrates"),
    [
        ("development", "auto", True),
        ("production", "auto", False),
        ("production", "always", True),
        ("development", "never", False),
    ],
)
def test_in_production_nothing_migrates_by_itself(
    environment: str, migrate: str, *, migrates: bool
) -> None:
    """Unless it is told to."""
    assert Settings(environment=environment, migrate=migrate).migrates is migrates


ADDRESSES = {
    "ANTHROPIC_BASE_URL": "https://proxy:hid/den@models.example/v1?key=hidden#hidden",
    "VOYAGE_BASE_URL": "https://hidden@vectors.example/v1",
    "CITEBOUND_OFFICERS": '[{"login": "ada", "name": "Hidden", "accounts": ["slack/T1/U1"]}]',
    "CITEBOUND_PRICES": '{"hidden": 1}',
}


def test_credentials_in_addresses_and_lists_of_people_are_not_shown() -> None:
    """What stands before the host, in a query or in JSON is nobody's who reads along."""
    settings = Settings.from_environment(ADDRESSES)
    shown = repr(settings) + "".join(shown_value(settings, item) for item in fields(settings))
    assert not any(word in shown for word in ("hid", "den@", "Hidden", "slack/T1"))
    assert "https://***@models.example/v1," in shown
    assert "JSON of 65 characters" in shown


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"CITEBOUND_RERANK_MODEL": "rerank-2.5"}, "needs VOYAGE_API_KEY"),
        ({"VOYAGE_BASE_URL": "api.example"}, "VOYAGE_BASE_URL: expected an address"),
        ({"CITEBOUND_VOYAGE_TIMEOUT_S": "0"}, "CITEBOUND_VOYAGE_TIMEOUT_S: expected 0.5 to 60"),
        ({"CITEBOUND_MIGRATION_URL": "postgresql://o@h/d"}, "needs DATABASE_URL"),
        ({"CITEBOUND_ENVIRONMENT": "test"}, "expected development or production"),
        ({"CITEBOUND_TIME_ZONE": "Mars/Base"}, "CITEBOUND_TIME_ZONE: .* got 'Mars/Base'"),
        ({"CITEBOUND_TIME_ZONE": "UTC,NZ=Auckland"}, "CITEBOUND_TIME_ZONE: .* got 'Auckland'"),
        ({"CITEBOUND_TIME_ZONE": "UTC,Asia/Tokyo"}, "CITEBOUND_TIME_ZONE: .* a country"),
        ({"CITEBOUND_TIME_ZONE": "UTC,NZ=UTC,NZ=UTC"}, "CITEBOUND_TIME_ZONE: .* a country"),
        ({"CITEBOUND_TIME_ZONE": "../" * 3_000}, "CITEBOUND_TIME_ZONE: expected"),
        ({"CITEBOUND_FAILPOINT": "F99"}, "CITEBOUND_FAILPOINT: expected one of F1, F2"),
        (
            {"CITEBOUND_FAILPOINT": "F1", "CITEBOUND_ENVIRONMENT": "production"},
            "unset it in production",
        ),
        ({"CITEBOUND_VOYAGE_TIMEOUT_S": "soon"}, "CITEBOUND_VOYAGE_TIMEOUT_S: expected a number"),
        ({"CITEBOUND_CONSOLE_URL": "http://compliance.example"}, "CITEBOUND_CONSOLE_URL: .* https"),
        ({"CITEBOUND_CONSOLE_URL": "https://host/officer"}, "CITEBOUND_CONSOLE_URL: .* alone"),
        ({"CITEBOUND_CONSOLE_URL": "https://a@host"}, "CITEBOUND_CONSOLE_URL: .* alone"),
        (
            {"CITEBOUND_CONSOLE_URL": "https://host", "CITEBOUND_OIDC_ISSUER": "https://login"},
            "needs CITEBOUND_OIDC_CLIENT_ID, CITEBOUND_OIDC_CLIENT_SECRET as well",
        ),
    ],
)
def test_what_can_not_be_is_named(environment: dict[str, str], named: str) -> None:
    """The message names the variable."""
    with pytest.raises(ConfigError, match=named):
        Settings.from_environment(environment)


def test_an_app_for_several_workspaces_names_them() -> None:
    """Nobody else can install it."""
    assert Settings.from_environment(OAUTH).installable == {"T1", "E1"}
    assert Settings().installable == frozenset()


@pytest.mark.parametrize("missing", [name for name in OAUTH if name != "SLACK_CLIENT_ID"])
def test_oauth_without_what_secures_it_is_refused(missing: str) -> None:
    """An app that anybody may install, or whose tokens would lie about, does not start."""
    given = {name: value for name, value in OAUTH.items() if name != missing}
    with pytest.raises(ConfigError, match=f"SLACK_CLIENT_ID needs {missing}"):
        Settings.from_environment(given)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"CITEBOUND_TOKEN_KEY": "c2hvcnQ="}, "CITEBOUND_TOKEN_KEY: expected 32 random bytes"),
        ({"CITEBOUND_TOKEN_KEY": "h\u00fcdden" * 8}, "CITEBOUND_TOKEN_KEY: expected 32"),
        ({"CITEBOUND_TOKEN_KEY_OLD": base64.b64encode(bytes(32)).decode()}, "_OLD: expected 32"),
        ({"SLACK_WORKSPACES": "acme"}, "begin with T or E"),
        ({"SLACK_WORKSPACES": " , "}, "needs SLACK_WORKSPACES"),
        ({"SLACK_CLIENT_ID": ""}, "SLACK_CLIENT_SECRET needs SLACK_CLIENT_ID"),
    ],
)
def test_a_setting_of_oauth_that_can_not_be_is_named(given: dict[str, str], named: str) -> None:
    """A key of zeros is a default; none is shown."""
    with pytest.raises(ConfigError, match=named) as caught:
        Settings.from_environment(OAUTH | given)
    assert "dden" not in str(caught.value)
