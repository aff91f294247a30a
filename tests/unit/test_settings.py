"""Settings: what is read, what is refused, what is never shown."""

from dataclasses import fields

import pytest

from core.config import Settings, shown_value
from core.domain.errors import ConfigError

SECRETS = {"DATABASE_URL": "postgresql://me:hidden@host/db", "VOYAGE_API_KEY": "pa-hidden"}


def test_secrets_are_read_and_never_shown() -> None:
    """A password or a key is said to be set, and no more."""
    settings = Settings.from_environment(SECRETS)
    assert settings.voyage_api_key == "pa-hidden"
    shown = repr(settings) + "".join(shown_value(settings, item) for item in fields(settings))
    assert "hidden" not in shown
    assert "voyage_api_key=set" in shown


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"CITEBOUND_RERANK_MODEL": "rerank-2.5"}, "needs VOYAGE_API_KEY"),
        ({"VOYAGE_BASE_URL": "api.example"}, "VOYAGE_BASE_URL: expected an address"),
        ({"CITEBOUND_VOYAGE_TIMEOUT_S": "0"}, "CITEBOUND_VOYAGE_TIMEOUT_S: expected 0.5 to 60"),
        ({"CITEBOUND_ENVIRONMENT": "test"}, "expected development or production"),
        ({"CITEBOUND_FAILPOINT": "F99"}, "CITEBOUND_FAILPOINT: expected one of F1, F2"),
        (
            {"CITEBOUND_FAILPOINT": "F1", "CITEBOUND_ENVIRONMENT": "production"},
            "unset it in production",
        ),
        ({"CITEBOUND_VOYAGE_TIMEOUT_S": "soon"}, "CITEBOUND_VOYAGE_TIMEOUT_S: expected a number"),
    ],
)
def test_what_can_not_be_is_named(environment: dict[str, str], named: str) -> None:
    """The message names the variable."""
    with pytest.raises(ConfigError, match=named):
        Settings.from_environment(environment)
