"""The local server is strict: what the API refuses it refuses, and what no script foresaw fails."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.servers.anthropic import AnthropicServer, anthropic_server, by_model, replay
from tests.servers.anthropic_rules import RefusedError, check
from tests.servers.anthropic_steps import reply, tool_use


def turn(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def text(words: str = "May I?", **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words} | fields


def result(**fields: Any) -> dict[str, Any]:
    return {"type": "search_result", "source": "s", "title": "t", "content": [text()], **fields}


MARK: dict[str, Any] = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "find", "input_schema": {"type": "object"}}
USE: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "find", "input": {}}
DONE = {"type": "tool_result", "tool_use_id": "a", "content": [text(), result()]}
GOOD: dict[str, Any] = {
    "model": "claude-haiku-5-5",
    "max_tokens": 100,
    "system": [text(**MARK)],
    "messages": [turn("user", text(), result()), turn("assistant", USE), turn("user", DONE)],
    "tools": [TOOL],
    "tool_choice": {"type": "any"},
    "output_config": {"effort": "low"},
    "stream": True,
}


def test_a_good_request_passes() -> None:
    """Everything that this program sends is known."""
    check(GOOD)


BAD: list[tuple[str, dict[str, Any]]] = [
    ("temperature", {"temperature": 0.2}),
    ("max_tokens", {"max_tokens": 0}),
    ("max_tokens", {"max_tokens": None}),
    ("messages", {"messages": []}),
    ("alternate", {"messages": [turn("assistant", text())]}),
    ("alternate", {"messages": [turn("user", text()), turn("user", text())]}),
    ("prefill", {"messages": [turn("user", text()), turn("assistant", text())]}),
    ("non-empty", {"messages": [turn("user", text(" "))]}),
    ("non-empty", {"messages": [turn("user")]}),
    ("Extra", {"messages": [turn("user", text(score=1))]}),
    ("tag", {"messages": [turn("user", {"type": "finding"})]}),
    ("tag", {"messages": [turn("user", {"text": "no type"})]}),
    (
        "without `tool_result`",
        {"messages": [turn("user", text()), turn("assistant", USE), turn("user", text())]},
    ),
    (
        "first",
        {"messages": [turn("user", text()), turn("assistant", USE), turn("user", text(), DONE)]},
    ),
    (
        "single",
        {"messages": [turn("user", text()), turn("assistant", USE), turn("user", DONE, DONE)]},
    ),
    (
        "unique",
        {"messages": [turn("user", text()), turn("assistant", USE, USE), turn("user", DONE)]},
    ),
    ("unexpected `tool_use_id`", {"messages": [turn("user", DONE)]}),
    ("dictionary", {"messages": [turn("user", text()), turn("assistant", USE | {"input": "x"})]}),
    (
        "on all search results",
        {"messages": [turn("user", result(citations={"enabled": True}), result())]},
    ),
    ("not permitted", {"messages": [turn("user", result(content=[result()]))]}),
    ("maximum of 4", {"system": [text(**MARK)] * 5}),
    ("ephemeral", {"system": [text(cache_control={"type": "for ever"})]}),
    ("unique", {"tools": [TOOL, TOOL]}),
    ("should be 'object'", {"tools": [{"name": "find", "input_schema": {"type": "array"}}]}),
    ("anyOf", {"tools": [{"name": "find", "input_schema": {"type": "object", "anyOf": []}}]}),
    ("Extra", {"tools": [TOOL | {"parameters": {}}]}),
    ("not found in provided tools", {"tool_choice": {"type": "tool", "name": "lose"}}),
    ("malformed", {"tool_choice": "any"}),
    ("while providing tools", {"tools": []}),
    ("not supported on this model", {"model": "claude-sonnet-5-5"}),
]


@pytest.mark.parametrize(("says", "changed"), BAD, ids=lambda one: str(one)[:60])
def test_what_the_api_refuses_is_refused(says: str, changed: dict[str, Any]) -> None:
    """Each rule stands for a mistake that would else be found in production."""
    with pytest.raises(RefusedError, match=says):
        check(GOOD | changed)


def ask(server: AnthropicServer, body: Any = None, key: str | None = None) -> httpx2.Response:
    return httpx2.post(
        f"{server.url}/v1/messages",
        json=(GOOD if body is None else body) | {"stream": False},
        headers={"x-api-key": key or server.key},
    )


def test_a_request_without_a_script_fails_the_test() -> None:
    """Nothing is answered by chance."""
    with (
        pytest.raises(AssertionError, match="asked without a script"),
        anthropic_server() as server,
    ):
        assert ask(server).status_code == 400


def test_a_script_that_is_not_used_fails_the_test() -> None:
    """A test that asks less than it foresaw tests something else."""
    with pytest.raises(AssertionError, match="never asked for"), anthropic_server([reply("x")]):
        pass


def test_a_refused_request_fails_the_test_unless_it_is_meant() -> None:
    """The message names the rule."""
    bad = GOOD | {"max_tokens": 0}
    with pytest.raises(AssertionError, match="max_tokens"), anthropic_server() as server:
        assert ask(server, bad).status_code == 400
    with anthropic_server(refusals=True) as server:
        assert ask(server, bad).json()["error"]["type"] == "invalid_request_error"


def test_a_failing_test_is_told_what_was_not_scripted() -> None:
    """The first cause stays, and the server's word stands below it."""

    def failing() -> None:
        with anthropic_server() as server:
            ask(server)
            raise ValueError("first")

    with pytest.raises(ValueError, match="first") as caught:
        failing()
    assert "asked without a script" in caught.value.__notes__[0]


def test_keys_and_models_are_checked() -> None:
    """As the API does: 401 and 404."""
    with anthropic_server() as server:
        assert ask(server, key="wrong").status_code == 401
        assert ask(server, GOOD | {"model": "claude-next"}).status_code == 404


def test_models_have_scripts_of_their_own() -> None:
    """Calls that run together do not race for steps."""
    scripts = by_model({"claude-haiku-5-5": [reply("small")], "claude-opus-5": [reply("big")]})
    with anthropic_server(scripts) as server:
        assert ask(server, GOOD | {"model": "claude-opus-5"}).json()["content"][0]["text"] == "big"
        assert ask(server).json()["content"][0]["text"] == "small"


def test_a_recorded_run_is_replayed(tmp_path: Path) -> None:
    """By the hash of each request, in any order; another request fails the test."""
    path = tmp_path / "run.json"
    other = GOOD | {"max_tokens": 7}
    with anthropic_server([reply("one"), reply(tool_use("find", {"q": 1}))]) as server:
        first, second = ask(server).json(), ask(server, other).json()
        server.record(path)
    with anthropic_server(replay(path)) as server:
        assert ask(server, other).json()["content"] == second["content"]
        assert ask(server).json()["content"] == first["content"]
    with (
        pytest.raises(AssertionError, match=r"not recorded in run\.json"),
        anthropic_server(replay(path)) as server,
    ):
        ask(server, GOOD | {"max_tokens": 8})
