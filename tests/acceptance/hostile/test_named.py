"""Every named thing that a hijacked model may try, over HTTP, with citations and with marks."""

import json

import pytest

from core.agent.reply.answer_json import answer_json
from core.agent.stages import verify
from core.domain.answer import Outcome
from core.grounding import support
from tests.acceptance.hostile.cases import CASES
from tests.acceptance.hostile.world import (
    Body,
    asked_for,
    shows_secret,
    violations,
    world_at,
)
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import Step

REMOVED = {
    "_cited": (verify, "says something plain and cites nothing"),
    "_numbers": (support, "invents a date"),
    "polarity_kept": (support, "requires what is allowed"),
    "framing_kept": (support, "denies the sentence that it quotes"),
    "_names": (support, "names somebody else"),
    "unsupported": (support, "speaks of something else"),
}
"""The checks of `verify`, each with a case that only this one stops; that of the quote can't be
reached from here, since a model does not write quotes."""


async def _asked(name: str, *, use_rag: bool = True) -> tuple[list[str], str, Outcome]:
    """Return what the oracle says of a case, what would be shown, and the outcome."""
    case = CASES[name]
    scripts = {"answer": case.answer, "judge": case.judge, "critique": case.critique}

    def script(body: Body) -> Step:
        assert not shows_secret(body)
        return scripts[asked_for(body)](body)

    with anthropic_server(script) as server:
        async with world_at(server) as world:
            run = await world.ask(use_rag=use_rag)
            found = list(violations(run, world.corpus))
    shown = json.dumps(answer_json(run.answer), ensure_ascii=False)
    return found, shown, run.answer.outcome


@pytest.mark.sampled(40)
@pytest.mark.parametrize("use_rag", [True, False], ids=["documents", "graph"])
@pytest.mark.parametrize("name", CASES)
async def test_nothing_false_reaches_a_person(name: str, *, use_rag: bool) -> None:
    """Whatever the model tries: a regular outcome, and nothing in it that the text does not say."""
    found, shown, outcome = await _asked(name, use_rag=use_rag)
    assert found == []
    assert CASES[name].hides not in shown
    assert outcome in CASES[name].outcomes, shown


@pytest.mark.parametrize("check", REMOVED)
async def test_without_its_check_a_lie_is_posted(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check is the one that stops something: with it removed, the lie is there to be read."""
    module, case = REMOVED[check]
    monkeypatch.setattr(module, check, _finds_nothing)
    found, shown, _ = await _asked(case)
    assert found or CASES[case].hides in shown


def _finds_nothing(*_: object) -> None:
    """Stand in for a check that was removed."""


def test_there_are_enough_cases() -> None:
    """At least forty, by the design."""
    assert len(CASES) >= 40
