"""Which failures may pass, what is to be checked for the others, and what no message says."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.adapters.anthropic.api.failures import Names, RefusedError, RetryableModelError, refusal
from core.domain.errors import ModelUnavailableError

NAMES = Names(provider="Anthropic", access="ANTHROPIC_API_KEY", address="ANTHROPIC_BASE_URL")
KEY = "sk-ant-secret"


def failed(
    status: int, kind: str | None = None, *, code: str | None = None, **headers: str
) -> ModelUnavailableError:
    error = {"type": kind, "message": f"no, {KEY}\nis wrong", "details": {"error_code": code}}
    return refusal(
        status,
        {"type": "error", "error": error} if kind else "<html>",
        {name.replace("_", "-"): value for name, value in headers.items()},
        names=NAMES,
        secrets=(KEY,),
        now=datetime(2026, 11, 20, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (408, None),
        (409, None),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (502, None),
        (503, None),
        (504, "timeout_error"),
        (529, "overloaded_error"),
        (200, "overloaded_error"),
        (200, "api_error"),
        (200, "rate_limit_error"),
        (200, "timeout_error"),
        (200, "throttlingException"),
        (200, "something_new"),
        (200, None),
    ],
)
def test_these_may_pass(status: int, kind: str | None) -> None:
    """Also within a stream, where the status says nothing and the type all."""
    assert isinstance(failed(status, kind), RetryableModelError)


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (400, "invalid_request_error", "refused the request"),
        (413, None, "refused the request"),
        (401, "authentication_error", "check ANTHROPIC_API_KEY"),
        (403, "permission_error", "check ANTHROPIC_API_KEY, CITEBOUND_MODEL"),
        (404, "not_found_error", "check CITEBOUND_MODEL, CITEBOUND_SMALL_MODEL, ANTHROPIC_BASE"),
        (402, "billing_error", "no credit"),
        (307, None, "check ANTHROPIC_BASE_URL"),
        (200, "invalid_request_error", "refused the request"),
        (200, "authentication_error", "check ANTHROPIC_API_KEY"),
        (200, "permission_error", "does not permit"),
        (200, "not_found_error", "no such model"),
        (200, "billing_error", "no credit"),
        (500, "invalid_request_error", "refused the request"),
    ],
)
def test_these_will_not_pass(status: int, kind: str | None, says: str) -> None:
    """The message says what to check."""
    error = failed(status, kind)
    assert isinstance(error, RefusedError)
    assert says in str(error)


def test_a_spent_limit_is_not_waited_for() -> None:
    """It comes as 429, yet no pause of seconds cures it."""
    assert isinstance(
        failed(429, "rate_limit_error", code="enforced_spend_limit_reached"), RefusedError
    )
    assert isinstance(
        failed(429, "rate_limit_error", code="ramp_limit_exceeded"), RetryableModelError
    )


def test_the_service_may_forbid_to_try_again() -> None:
    """Its word goes before the status."""
    assert isinstance(failed(529, "overloaded_error", x_should_retry="false"), RefusedError)


def test_the_wish_to_wait_is_handed_on() -> None:
    """Whether it is in time is for others to say."""
    error = failed(429, "rate_limit_error", retry_after="17")
    assert isinstance(error, RetryableModelError)
    assert error.after_s == 17


@example(status=429, body={"error": {"details": {"error_code": {}}}})
@given(
    status=st.integers(200, 599),
    body=st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: (
            st.dictionaries(
                st.sampled_from(["error", "type", "message", "details", "error_code"]), inner
            )
            | st.lists(inner)
        ),
    ),
)
def test_any_body_gives_one_line_without_the_key(status: int, body: object) -> None:
    """Whatever comes back, it is an error of ours that can be shown."""
    error = refusal(
        status, body, {}, names=NAMES, secrets=(KEY,), now=datetime(2026, 11, 20, tzinfo=UTC)
    )
    assert KEY not in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 400


def test_the_key_is_taken_out_of_what_the_service_says() -> None:
    """Even if the service repeats it."""
    assert str(failed(400, "invalid_request_error")).endswith(": no, *** is wrong")
