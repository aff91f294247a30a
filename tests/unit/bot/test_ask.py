"""`citebound ask`: what its exit code says."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from bot.console.command_line import build_parser
from bot.console.commands import ask
from core.agent.service import Answering
from core.domain.run import RunLimits
from core.retrieval.retriever import Retriever
from tests.factories import make_judgement
from tests.fakes import (
    CountingIds,
    FixedClock,
    InMemoryConversations,
    InMemoryCorpus,
    InMemoryLog,
    InMemoryOntology,
    InMemorySearch,
    ScriptedReasoner,
)
from tests.unit.agent.world import GIFTS, TRUE


def _answer_from(monkeypatch: pytest.MonkeyPatch, reasoner: ScriptedReasoner) -> dict[str, Any]:
    """Let the command answer by a reasoner; return its words, parsed."""
    corpus = InMemoryCorpus(GIFTS)
    answering = Answering(
        reasoner=reasoner,
        corpus=corpus,
        ontology=InMemoryOntology(corpus),
        conversations=InMemoryConversations(turns={}),
        retriever=Retriever(InMemorySearch(corpus), None),
        log=InMemoryLog(),
        clock=FixedClock(),
        ids=CountingIds(),
        limits=RunLimits(),
    )

    @asynccontextmanager
    async def opened(_kind: object, _terminal: object) -> AsyncGenerator[SimpleNamespace]:
        yield SimpleNamespace(answering=answering, corpus=corpus)

    monkeypatch.setattr(ask, "open_service", opened)
    arguments = vars(build_parser().parse_args(["ask", "May I accept cash as a gift?"]))
    del arguments["debug"], arguments["function"]
    return arguments


def test_an_answer_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Any regular outcome is 0."""
    good = ScriptedReasoner(drafts=[TRUE], judgements=[make_judgement()])
    assert ask.ask(**_answer_from(monkeypatch, good)) == 0
    assert "[1]" in capsys.readouterr().out


@pytest.mark.parametrize("failure", [KeyError("a bug"), TimeoutError()])
def test_what_breaks_is_told_and_recorded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failure: Exception
) -> None:
    """The apology is shown, with the record; the exit code is its own."""
    arguments = _answer_from(monkeypatch, ScriptedReasoner(drafts=[failure]))
    assert ask.ask(**arguments) == ask.EXIT_FAILED == 7
    shown = capsys.readouterr().out
    assert "couldn't answer that just now" in shown
    assert "record-1" in shown
