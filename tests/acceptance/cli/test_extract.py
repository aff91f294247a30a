"""`citebound ingest --extract claude`: what it says, costs, keeps and refuses."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.children import watched
from tests.servers.anthropic import AnthropicServer, anthropic_server
from tests.servers.anthropic_steps import Step, failure, reply
from tests.servers.extraction import diligent, section_of

PRICES = '{"claude-": {"input": 1, "cache_write": 2, "cache_read": 0.5, "output": 4}}'
Run = Callable[..., Any]


def access(server: AnthropicServer) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": server.key,
        "ANTHROPIC_BASE_URL": server.url,
        "CITEBOUND_PRICES": PRICES,
    }


def test_cost_is_said_before_and_after_and_the_second_run_costs_nothing(
    citebound: Run, policies: Path
) -> None:
    """What is read once is not sent again."""
    with anthropic_server(diligent) as server:
        done = citebound("ingest", str(policies), "--extract", "claude", **access(server))
        assert done.code == 0
        assert "claude-haiku-5-5 reads 5 of 5 sections: about " in done.err
        assert "about USD 0." in done.err
        assert "Claude read 5 sections: " in done.out
        assert "claude-haiku-5-5 read 5 sections (0 were read before): " in done.out
        assert ", USD 0." in done.out
        assert len(server.received) == 5
        again = citebound("ingest", str(policies), "--extract", "claude", **access(server))
        assert again.code == 0
        assert "has read all 5 sections before: nothing is sent" in again.err
        assert "unchanged gifts.md" in again.out
        assert len(server.received) == 5
    asked = citebound("ask", "May employees accept gifts, and up to what value?", "--json")
    assert json.loads(asked.out)["outcome"] == "answered"


def test_a_dry_run_stores_and_sends_nothing(citebound: Run, policies: Path) -> None:
    """It needs no key; where the price is not known it says so."""
    by_rules = citebound("ingest", str(policies), "--dry-run")
    assert by_rules.code == 0
    assert "add       gifts.md: Gifts Policy; 9 sections" in by_rules.out
    assert "Claude" not in by_rules.out
    told = citebound("ingest", str(policies), "--dry-run", "--extract", "claude")
    assert "Claude would read 5 of 5 sections" in told.out
    assert "about USD 0." in told.out
    assert "nothing was stored, and nothing was sent" in told.out
    unpriced = citebound(
        "ingest",
        str(policies),
        "--dry-run",
        "--extract",
        "claude",
        "--json",
        CITEBOUND_SMALL_MODEL="my-model",
    )
    reading = json.loads(unpriced.out)["reading"]
    assert (reading["model"], reading["to_read"], reading["cost_usd"]) == ("my-model", 5, None)
    assert citebound("corpus", "list").code == 4


def test_without_a_key_it_says_so_in_one_line(citebound: Run, policies: Path) -> None:
    """Before anything is opened or stored."""
    done = citebound("ingest", str(policies), "--extract", "claude")
    assert (done.code, done.out) == (3, "")
    assert done.err == ("citebound: error: ANTHROPIC_API_KEY is not set, so no model is called\n")


def test_a_section_that_was_not_read_is_named_and_fails_the_command(
    citebound: Run, policies: Path
) -> None:
    """The file is stored with the rest, and the next run completes it."""

    def failing(body: dict[str, Any]) -> Step:
        if "cash" in section_of(body):
            return failure(400, "invalid_request_error", message="too odd")
        return diligent(body)

    with anthropic_server(failing) as server:
        done = citebound("ingest", str(policies), "--extract", "claude", **access(server))
    assert done.code == 1
    assert "added     gifts.md" in done.out
    assert "not read: 3.1: Anthropic refused the request" in done.out
    assert "1 section was not read, and has the rules' facts alone" in done.out
    with anthropic_server(diligent) as server:
        words = ("ingest", str(policies), "--extract", "claude", "--json")
        told = json.loads(citebound(*words, **access(server)).out)
        assert len(server.received) == 1
    assert told["reading"]["read"] == 1
    assert told["files"][0]["reading"]["kept"] == 4
    assert told["files"][0]["reading"]["unread"] == []


def test_interrupted_it_keeps_what_was_read(
    environment: Mapping[str, str], policies: Path, citebound: Run, tmp_path: Path
) -> None:
    """Ctrl-C stops within moments; the same command sends only the rest."""

    def slow(body: dict[str, Any]) -> Step:
        return reply("late", delay_s=60) if "cash" in section_of(body) else diligent(body)

    with (
        anthropic_server(slow, leftovers=True) as server,
        watched(
            subprocess.Popen(  # noqa: S603  # our own words
                [sys.executable, "-m", "bot", "ingest", str(policies), "--extract", "claude"],
                env={**environment, **access(server), "CITEBOUND_EXTRACT_IN_FLIGHT": "1"},
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        ) as process,
    ):
        while len(server.received) < 5:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert "4 sections were read, and are kept" in err
    assert err.endswith("what is finished is kept, and the same command goes on with the rest\n")
    with anthropic_server(diligent) as server:
        done = citebound("ingest", str(policies), "--extract", "claude", **access(server))
        assert (done.code, len(server.received)) == (0, 1)
    assert "(4 were read before)" in done.out


@pytest.mark.parametrize("words", [("--extract", "gpt"), ("--extract",)])
def test_another_reader_is_a_usage_error(
    citebound: Run, policies: Path, words: tuple[str, ...]
) -> None:
    """Rules and Claude are all there are."""
    with pytest.raises(SystemExit) as exit_:
        citebound("ingest", str(policies), *words)
    assert exit_.value.code == 2
