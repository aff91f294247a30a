"""What is stored as JSON, byte for byte: what an earlier release stored is read by all later ones.

`stored.json` holds each shape, of a value with all it can hold and of one with little. A shape that
changes on purpose is written anew by `python -m tests.unit.domain.test_stored_json`, and the change
read in the diff.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.adapters.postgres.queue.replies import reply_json, reply_of
from core.agent import search_log, trace
from core.agent.reply.answer_json import answer_json, answer_of, place_json
from core.audit.documents import event_document, outcome_document
from core.cases import precedents
from core.domain.answer import Answer
from core.domain.conversation import context_json, context_of
from core.domain.delivery import StoredReply
from core.ingest.changes import change_counts, change_json
from tests.sampled_values import called, sampled

GOLDEN = Path(__file__).with_name("stored.json")
WRITERS: dict[str, Callable[..., Any]] = {
    "answer": answer_json,
    "place": place_json,
    "reply": reply_json,
    "trace": trace.trace_json,
    "plan": trace.plan_json,
    "exploration": trace.exploration_json,
    "retrieval": trace.retrieval_json,
    "looked_up": trace.looked_json,
    "judgement": trace.judgement_json,
    "search": search_log._found_json,  # pyright: ignore[reportPrivateUsage]
    "outcome": outcome_document,
    "event": event_document,
    "precedent": precedents._says,  # pyright: ignore[reportPrivateUsage]
    "change": change_json,
    "change_counts": change_counts,
    "context": context_json,
}


def written(name: str, *, is_full: bool) -> str:
    return json.dumps(called(WRITERS[name], is_full=is_full), ensure_ascii=False, sort_keys=True)


@pytest.mark.parametrize("is_full", [True, False], ids=["full", "bare"])
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_stored_stays_as_it_was(name: str, *, is_full: bool) -> None:
    """Not one byte of what is stored changes unnoticed."""
    stored = json.loads(GOLDEN.read_text())[name][0 if is_full else 1]
    assert written(name, is_full=is_full) == stored


@pytest.mark.parametrize("is_full", [True, False], ids=["full", "bare"])
def test_what_is_stored_is_read_again(*, is_full: bool) -> None:
    """An answer, a reply and messages around a question are read as they were."""
    answer = sampled(Answer, is_full=is_full)
    places = tuple(replace(place, path=()) for place in answer.nearest)
    cited = tuple(replace(one, place=replace(one.place, path=())) for one in answer.citations)
    kept = replace(answer, nearest=places, citations=cited)
    assert answer_of(json.loads(json.dumps(answer_json(kept)))) == kept
    reply = StoredReply(
        answer=kept, groups=frozenset({"all"}), chosen="Germany" if is_full else None
    )
    assert reply_of(json.loads(json.dumps(reply_json(reply)))) == reply
    told = called(context_json, is_full=is_full)
    assert context_json(context_of(told)) == told


if __name__ == "__main__":
    shapes = {name: [written(name, is_full=full) for full in (True, False)] for name in WRITERS}
    GOLDEN.write_text(json.dumps(shapes, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
