"""A dialog that can't be taken comes back with what was typed: through the real adapter."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.teams.actions.dispatch import FAILED, OUTDATED
from core.domain.errors import ContractError, TransientError
from tests.integration.teams.served import Served, serving
from tests.unit.teams.activities import REPLY, message

NOTE = "Since May, from Müller & Sons *Ltd*"
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "escalate_submit": (
        "Ask Compliance",
        {"a": "ans_1", "note": NOTE, "urgency": "today", "dm": "true", "anon": "false"},
    ),
    "report_submit": ("Report a problem", {"a": "ans_1", "why": "stale", "txt": NOTE}),
    "case_answer_submit": ("Answer", {"case": "case_1", "answer": NOTE, "dm": "true"}),
    "ask_submit": ("Ask about policy", {"m": "17", "question": NOTE, "where": "thread"}),
}
"""Name -> title, and what was sent."""
ERRORS = [TransientError("x"), TimeoutError("x"), ValueError("x"), KeyError("x")]


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The endpoint, with forms that do what a test says."""
    async with serving() as running:
        for name in FORMS:
            running.presses.add(name, running.kept.press)
        yield running


async def sent(served: Served, name: str, **more: str) -> tuple[int, Any]:
    """Send a form, as its client does."""
    data = {"do": name, **FORMS[name][1], **more}
    is_about = name == "ask_submit"
    value: dict[str, Any] = {"data": data}
    if is_about:
        body = {"contentType": "text", "content": "I got a watch."}
        value |= {"commandId": "askAboutMessage", "messagePayload": {"id": "17", "body": body}}
    invoked = "composeExtension/submitAction" if is_about else "task/submit"
    activity = message("", scope="channel", type="invoke", name=invoked, value=value, id="f:1")
    activity |= {"replyToId": REPLY}
    status, text = await served.posted(json.dumps(activity).encode(), served.signed(activity))
    return status, json.loads(text) if text else None


def inputs(told: Any) -> dict[str, str]:
    """Return what the inputs of a dialog hold."""
    body = told["task"]["value"]["card"]["content"]["body"]
    return {one["id"]: one["value"] for one in body if "id" in one and "value" in one}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("name", FORMS)
async def test_what_fails_comes_back_as_it_was(served: Served, name: str, error: Exception) -> None:
    """With a line that says so, above all else."""
    served.kept.answer = error
    status, told = await sent(served, name)
    title, given = FORMS[name]
    assert (status, told["task"]["type"]) == (200, "continue")
    assert told["task"]["value"]["title"] == title
    first = told["task"]["value"]["card"]["content"]["body"][0]
    assert first["inlines"][0]["text"] == FAILED.en
    assert inputs(told) == {
        key: held for key, held in given.items() if key not in {"a", "case", "m"}
    }
    (action,) = told["task"]["value"]["card"]["content"]["actions"]
    key = next(iter(given))
    assert (action["data"]["do"], action["data"][key]) == (name, given[key])


async def test_what_comes_back_can_be_sent(served: Served) -> None:
    """Its button does what the first one did."""
    served.kept.answer = TransientError("x")
    _, told = await sent(served, "escalate_submit", o="1214")
    card = told["task"]["value"]["card"]["content"]
    assert "case 1214" in json.dumps(card)
    served.kept.answer = {"task": {"type": "message", "value": "Sent."}}
    data = card["actions"][0]["data"] | inputs(told)
    _, told = await sent(served, "escalate_submit", **data)
    assert told == served.kept.answer
    first, second = served.kept.pressed
    assert dict(first.values) == dict(second.values)


async def test_the_message_is_quoted_again(served: Served) -> None:
    """About which was asked."""
    served.kept.answer = TransientError("x")
    _, told = await sent(served, "ask_submit")
    assert "I got a watch." in json.dumps(told)


async def test_what_was_never_offered_is_not_chosen(served: Served) -> None:
    """Nor does a text come back that is longer than its input takes."""
    served.kept.answer = TransientError("x")
    _, told = await sent(served, "report_submit", why="x" * 50, txt="y" * 5_000)
    assert inputs(told) == {"txt": "y" * 2_000}
    _, told = await sent(served, "escalate_submit", urgency="never", dm="maybe", o="one")
    assert (inputs(told)["urgency"], inputs(told)["dm"]) == ("week", "false")
    assert "case one" not in json.dumps(told)


async def test_what_is_no_form_of_ours_is_a_line(served: Served) -> None:
    """There is nothing to show again."""
    served.kept.answer = ContractError("x")
    status, told = await sent(served, "report_submit")
    assert (status, told) == (200, {"task": {"type": "message", "value": OUTDATED.en}})
    served.kept.answer = ValueError("x")
    status, told = await sent(served, "report_submit", case="two ids")
    assert (status, told) == (200, {"task": {"type": "message", "value": FAILED.en}})
