"""Only Slack is believed, for five minutes, under the current or the previous secret."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.app.endpoint import SIGNATURE, TIMESTAMP, SignatureCheck

NOW = 1_700_000_000
CURRENT, PREVIOUS = "a" * 32, "b" * 32
CHECK = SignatureCheck([CURRENT, PREVIOUS])


def signed(body: bytes, *, secret: str = CURRENT, at: str = str(NOW)) -> dict[str, str]:
    mark = hmac.new(secret.encode(), f"v0:{at}:".encode() + body, hashlib.sha256).hexdigest()
    return {TIMESTAMP: at, SIGNATURE: f"v0={mark}"}


def test_slacks_own_example_fits() -> None:
    """The values of docs.slack.dev, "Verifying requests from Slack"."""
    secret = "8f742231b10e8888abcd99yyyzzz85a5"  # noqa: S105  # published as an example
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
        b"&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
        b"&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
        b"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121"
        b".803a0bc887a14d10d2c447fce8b6703c"
    )
    mark = "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    headers = {TIMESTAMP: "1531420618", SIGNATURE: f"v0={mark}"}
    assert SignatureCheck([secret])(headers, body, now=1531420618)


@pytest.mark.parametrize("secret", [CURRENT, PREVIOUS])
@pytest.mark.parametrize("age_s", [-300, 0, 300])
def test_both_secrets_are_taken_for_five_minutes(secret: str, age_s: int) -> None:
    """Also with headers in other cases, as proxies write them."""
    headers = {key.lower(): value for key, value in signed(b"{}", secret=secret).items()}
    assert CHECK(headers, b"{}", now=NOW + age_s)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {TIMESTAMP: str(NOW)},
        {SIGNATURE: signed(b"{}")[SIGNATURE]},
        signed(b"{}", secret="c" * 32),
        signed(b"{} "),
        signed(b"{}", at=str(NOW - 301)),
        signed(b"{}", at=str(NOW + 301)),
        signed(b"{}", at="abc"),
        signed(b"{}", at="-1"),
        signed(b"{}", at=f"{NOW}.5"),
        signed(b"{}", at="१७००००००००"),
        signed(b"{}", at="9" * 5000),
        signed(b"{}") | {SIGNATURE: signed(b"{}")[SIGNATURE].replace("v0=", "v1=")},
        signed(b"{}") | {SIGNATURE: signed(b"{}")[SIGNATURE].removeprefix("v0=")},
        signed(b"{}") | {SIGNATURE: signed(b"{}")[SIGNATURE][:-1]},
        signed(b"{}") | {SIGNATURE: "v0=" + "é" * 64},
        signed(b"{}") | {SIGNATURE: "v0="},
        signed(b"{}") | {TIMESTAMP: str(NOW - 1)},
    ],
)
def test_every_fault_is_a_no(headers: dict[str, str]) -> None:
    """And none an exception."""
    assert not CHECK(headers, b"{}", now=NOW)


@given(st.binary(max_size=64), st.text(max_size=80), st.text(max_size=20))
def test_nobody_guesses(body: bytes, signature: str, timestamp: str) -> None:
    """Whatever is sent, it is refused without an exception."""
    assert not CHECK({TIMESTAMP: timestamp, SIGNATURE: signature}, body, now=NOW)


@pytest.mark.parametrize("secrets", [[], [""], [CURRENT, ""]])
def test_an_empty_secret_is_refused(secrets: list[str]) -> None:
    """With it everybody could sign."""
    with pytest.raises(ValueError, match="not empty"):
        SignatureCheck(secrets)
