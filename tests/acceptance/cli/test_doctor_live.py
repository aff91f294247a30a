"""`citebound doctor` with Claude: what is set up, and with `--live` whether it answers."""

import json
from typing import Any

import pytest

from tests.acceptance.cli.conftest import Run
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import Step, failure, reply, thinking
from tests.servers.voyage import KEY as VOYAGE_KEY
from tests.servers.voyage import good, status, voyage_server

KEY = "sk-ant-key-of-the-tests"


def findings(out: str) -> dict[str, Any]:
    return {item["subject"]: item for item in json.loads(out)["findings"]}


def test_without_a_key_nothing_is_called(citebound: Run) -> None:
    """And it says what a key would change."""
    found = findings(citebound("doctor", "--live", "--json").out)
    assert "ANTHROPIC_API_KEY lets Claude reason" in found["reasoner"]["found"]
    assert found["providers"]["found"] == "no provider is set up: nothing was called"


def test_with_a_key_it_says_who_reasons_and_calls_nobody(citebound: Run) -> None:
    """The key itself is nowhere."""
    done = citebound("doctor", "--json", ANTHROPIC_API_KEY=KEY)
    assert findings(done.out)["reasoner"]["found"] == (
        "claude-sonnet-5-5 and claude-haiku-5-5 by Anthropic, native citations; not called"
    )
    assert findings(done.out)["ANTHROPIC_API_KEY"]["found"] == "set (environment)"
    assert KEY not in done.out + done.err


def test_a_key_may_be_there_and_the_model_off(citebound: Run) -> None:
    """One setting switches it off, also for the live check."""
    done = citebound(
        "doctor", "--live", "--json", ANTHROPIC_API_KEY=KEY, CITEBOUND_REASONER="extractive"
    )
    assert "CITEBOUND_REASONER says so" in findings(done.out)["reasoner"]["found"]
    assert "providers" in findings(done.out)


def test_what_a_provider_lacks_is_named(citebound: Run) -> None:
    """One line, and code 3."""
    done = citebound("doctor", CITEBOUND_PROVIDER="bedrock")
    assert done.code == 3
    assert "CITEBOUND_PROVIDER=bedrock needs AWS_REGION" in done.out


def test_live_calls_each_provider_once(citebound: Run) -> None:
    """Both models of Claude, and Voyage: a request each, and what they took."""
    with (
        voyage_server() as voyage,
        anthropic_server([reply(thinking("hm"), "Yes."), reply("Yes.")]) as claude,
    ):
        voyage.always = good()
        done = citebound(
            "doctor",
            "--live",
            "--json",
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=claude.url,
            VOYAGE_API_KEY=VOYAGE_KEY,
            VOYAGE_BASE_URL=voyage.base_url,
        )
    assert done.code == 0
    said = findings(done.out)["Claude, called"]["found"]
    assert "claude-sonnet-5-5 answered in" in said
    assert "claude-haiku-5-5 answered in" in said
    assert "voyage-3-large answered" in findings(done.out)["Voyage, called"]["found"]
    assert [body["model"] for body in claude.bodies] == ["claude-sonnet-5-5", "claude-haiku-5-5"]
    assert max(body["max_tokens"] for body in claude.bodies) < 500


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([failure(401, "authentication_error")], "refused the key (401): check ANTHROPIC_API_KEY"),
        ([failure(404, "not_found_error")], "check CITEBOUND_MODEL"),
        ([failure(429, "rate_limit_error", retry_after=99)], "rate_limit_error"),
        ([reply("Yes."), failure(403, "permission_error")], "does not permit"),
    ],
)
def test_live_names_the_cause(citebound: Run, steps: list[Step], says: str) -> None:
    """A bad key, an unknown model, a limit: code 3, one line, and no key."""
    with anthropic_server(steps) as claude:
        done = citebound("doctor", "--live", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=claude.url)
    assert done.code == 3
    assert says in " ".join(done.out.split())
    assert KEY not in done.out + done.err


def test_one_provider_may_fail_and_the_other_work(citebound: Run) -> None:
    """Each is said for itself."""
    with voyage_server() as voyage:
        voyage.always = status(401)
        done = citebound(
            "doctor", "--live", "--json", VOYAGE_API_KEY=VOYAGE_KEY, VOYAGE_BASE_URL=voyage.base_url
        )
    assert findings(done.out)["Voyage, called"]["health"] == "broken"
    assert "Claude, called" not in findings(done.out)


def test_no_network_is_said_so(citebound: Run) -> None:
    """Nobody listens there."""
    done = citebound(
        "doctor", "--live", ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="http://127.0.0.1:1"
    )
    assert done.code == 3
    assert "the connection to Anthropic failed" in done.out
