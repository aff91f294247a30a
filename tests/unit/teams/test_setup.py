"""The settings of Teams: what suffices, what is refused and how, what is never shown."""

import pytest

from bot.teams.setup import teams_setup
from core.config.settings import Settings
from core.domain.errors import ConfigError

APP = "AAAAAAAA-0000-4000-8000-000000000001"
TENANT = "11111111-2222-4333-8444-555555555555"
SECRET = "".join(("hid", "den"))
GIVEN = {"APP_ID": APP, "APP_PASSWORD": SECRET, "APP_TENANTID": TENANT}
IDENTITY = {"APP_TYPE": "UserAssignedMSI", "APP_ID": APP, "APP_TENANTID": TENANT}
PRODUCTION = {"CITEBOUND_ENVIRONMENT": "production"}


def settings(*given: dict[str, str], without: str = "") -> Settings:
    merged = {name: value for one in given for name, value in one.items() if name != without}
    return Settings.from_environment(merged)


def test_without_settings_teams_is_off() -> None:
    """Slack alone needs none of them."""
    assert teams_setup(settings({"CITEBOUND_TEAMS_TRANSPORT": "rest"})) is None


def test_a_secret_suffices() -> None:
    """It is read, and never shown."""
    setup = teams_setup(settings(GIVEN, PRODUCTION))
    assert setup is not None
    assert (setup.app_id, setup.tenant, setup.password) == (APP.lower(), TENANT, SECRET)
    assert setup.hosts == {"smba.trafficmanager.net"}
    assert not setup.is_anonymous
    assert not setup.allows_loopback
    assert SECRET not in repr(setup)


def test_a_managed_identity_needs_no_secret() -> None:
    """Azure's own variables say where its tokens come from."""
    where = {"IDENTITY_ENDPOINT": "http://127.0.0.1/msi", "IDENTITY_HEADER": SECRET}
    setup = teams_setup(settings(IDENTITY, where, PRODUCTION))
    assert setup is not None
    assert setup.password is None
    assert setup.identity_header == SECRET
    assert SECRET not in repr(setup)


def test_sovereign_clouds_have_hosts_of_their_own() -> None:
    """By commas, in any case."""
    given = {"CITEBOUND_TEAMS_SERVICE_HOSTS": "SMBA.infra.gov.teams.microsoft.us, b.example.com"}
    setup = teams_setup(settings(GIVEN, given))
    assert setup is not None
    assert setup.hosts == {"smba.infra.gov.teams.microsoft.us", "b.example.com"}


def test_nobody_is_authenticated_only_where_that_is_said() -> None:
    """For the Agents Playground, on this machine."""
    setup = teams_setup(settings({"ALLOW_ANONYMOUS": "1"}))
    assert setup is not None
    assert setup.is_anonymous
    assert setup.allows_loopback
    assert setup.hosts == frozenset()


@pytest.mark.parametrize("missing", sorted(GIVEN))
def test_what_is_missing_is_named(missing: str) -> None:
    """An app without its secret or tenant could not tell whose requests are Teams'."""
    with pytest.raises(ConfigError, match=f"^Teams needs {missing}: ") as refused:
        teams_setup(settings(GIVEN, without=missing))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"APP_ID": "my-bot"}, "APP_ID: expected a GUID"),
        ({"APP_TENANTID": "contoso.com"}, "APP_TENANTID: expected a GUID"),
        ({"APP_TYPE": "UserAssignedMSI"}, "APP_PASSWORD: a managed identity has none"),
        ({"ALLOW_ANONYMOUS": "1"}, "ALLOW_ANONYMOUS and APP_ID are mutually exclusive"),
        ({"CITEBOUND_TEAMS_SERVICE_HOSTS": ","}, "SERVICE_HOSTS: expected names of hosts"),
        ({"CITEBOUND_TEAMS_SERVICE_HOSTS": "https://a.com"}, "got 'https://a.com'"),
        ({"CITEBOUND_TEAMS_SERVICE_HOSTS": "a.com b/c"}, "got 'b/c'"),
        ({"CITEBOUND_TEAMS_SERVICE_HOSTS": "127.0.0.1:80"}, "got '127.0.0.1:80'"),
        ({"CITEBOUND_TEAMS_SERVICE_HOSTS": "localhost"}, "got 'localhost'"),
        (PRODUCTION | {"CITEBOUND_TEAMS_LOGIN_URL": "https://a"}, "CITEBOUND_TEAMS_LOGIN_URL"),
        (PRODUCTION | {"CITEBOUND_TEAMS_OPENID_URL": "https://a"}, "CITEBOUND_TEAMS_OPENID_URL"),
    ],
)
def test_what_can_not_be_is_named(given: dict[str, str], named: str) -> None:
    """One line, and no secret in it."""
    with pytest.raises(ConfigError, match=named) as refused:
        teams_setup(settings(GIVEN, given))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (PRODUCTION, "unset it in production"),
        ({"CITEBOUND_HOST": "0.0.0.0"}, "CITEBOUND_HOST to a loopback address"),  # noqa: S104
        ({"CITEBOUND_HOST": "bot.example.com"}, "set CITEBOUND_HOST to a loopback address"),
    ],
)
def test_anybody_is_let_in_on_this_machine_only(given: dict[str, str], named: str) -> None:
    """A port that others reach must not be open to everybody."""
    with pytest.raises(ConfigError, match=named):
        teams_setup(settings({"ALLOW_ANONYMOUS": "1"}, given))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("APP_TYPE", "MultiTenant"),
        ("APP_PASSWORD", "two words"),
        ("CITEBOUND_TEAMS_TRANSPORT", "grpc"),
        ("ALLOW_ANONYMOUS", "yes"),
        ("CITEBOUND_TEAMS_LOGIN_URL", "login.example.com"),
    ],
)
def test_a_value_that_cannot_be_is_refused_at_once(variable: str, value: str) -> None:
    """Whatever else is set."""
    with pytest.raises(ConfigError, match=f"^{variable}: "):
        settings({variable: value})
