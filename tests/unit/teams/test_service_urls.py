"""The bot's token goes to listed hosts alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.teams.protocol.identity import ServiceUrls
from core.domain.errors import ContractError

PUBLIC = ServiceUrls()
PLAYGROUND = ServiceUrls(allows_loopback=True)


@pytest.mark.parametrize(
    "url",
    [
        "https://smba.trafficmanager.net",
        "https://smba.trafficmanager.net/",
        "https://smba.trafficmanager.net:443/teams/",
        "https://smba.trafficmanager.net/emea/9c6b3e5a-7b1f-4a0e-9a1e-3f2b7c1d5e88/",
        "https://smba.trafficmanager.net/" + "a" * 268,
    ],
)
def test_a_listed_host_is_allowed(url: str) -> None:
    """By https, on its own port."""
    assert PUBLIC.allows(url)
    assert PUBLIC.need(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "smba.trafficmanager.net",
        "http://smba.trafficmanager.net/",
        "https://smba.trafficmanager.net:8443/",
        "https://smba.trafficmanager.net.evil.example/",
        "https://evil.example/smba.trafficmanager.net/",
        "https://smba.trafficmanager.net@evil.example/",
        "https://user:secret@smba.trafficmanager.net/",
        "https://smba.trafficmanager.net\\@evil.example/",
        "https://smba.trafficmanager.net#@evil.example/",
        "https://smba.trafficmanager.net?x=@evil.example/",
        "https://evilsmba.trafficmanager.net/",
        "https://x.smba.trafficmanager.net/",
        "https://smba.trafficmanager.net./",
        "https://smba.trafficmanager.net/a/../b",
        "https://smba.trafficmanager.net/\n",
        "https://smba.trafficmanager.net/a b",
        "https://SMBA.trafficmanager.net/",
        "https://smba.trafficmanag\u0435r.net/",
        "https://169.254.169.254/",
        "http://127.0.0.1:3000/",
        "http://localhost/",
        "ftp://smba.trafficmanager.net/",
        "https://smba.trafficmanager.net/" + "a" * 269,
    ],
)
def test_anything_else_is_not(url: str) -> None:
    """However much it looks like it."""
    assert PUBLIC.allows(url) is False
    with pytest.raises(ContractError):
        PUBLIC.need(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:3000/x", "http://localhost:56150/_connector"])
def test_this_machine_is_allowed_where_somebody_said_so(url: str) -> None:
    """And no other machine beside it."""
    assert PLAYGROUND.allows(url)
    assert not PLAYGROUND.allows("http://127.0.0.1.evil.example/")
    assert not PLAYGROUND.allows("http://10.0.0.1/")
    assert not PLAYGROUND.allows("https://127.0.0.1:3000/")


@pytest.mark.parametrize("host", ["", "https://a.example", "a.example:1", "a.example/x", "local"])
def test_what_is_no_host_name_is_refused(host: str) -> None:
    """Before anything listens."""
    with pytest.raises(ValueError, match="host names"):
        ServiceUrls([host])


@given(st.text(max_size=60))
def test_nobody_guesses(text: str) -> None:
    """Whatever stands around the host, another host is never allowed."""
    assert not PUBLIC.allows(f"https://{text}@evil.example/")
    assert not PUBLIC.allows(f"https://evil.example/{text}")
