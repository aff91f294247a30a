"""Labelled questions through the real service, unrecorded.

What evaluation hands to `core.evals.answers`.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.agent.conversation import understand
from core.agent.request import AskRequest
from core.agent.service import Answering
from core.domain.chat import Place
from core.domain.question import Turn
from core.domain.run import Run


async def rehearse_labelled(
    answering: Answering,
    *,
    question: str,
    thread: tuple[Mapping[str, str], ...],
    scope: Mapping[str, Any],
    without: frozenset[tuple[str, str]],
    today: date,
) -> Run:
    """Answer one labelled question."""
    request = AskRequest(
        text=question,
        place=Place(thread="evaluation"),
        groups=frozenset(scope.get("groups", ())),
        jurisdiction=scope.get("jurisdiction"),
        as_of=date.fromisoformat(scope["as_of"]) if scope.get("as_of") else today,
    )
    return await answering.rehearse(request, history=_history(thread), without=without)


def _history(thread: tuple[Mapping[str, str], ...]) -> tuple[Turn, ...]:
    """Return labelled turns with what their asker told of themselves in them."""
    history: tuple[Turn, ...] = ()
    for turn in thread:
        told = understand(turn["question"], history).assumptions
        history += (
            Turn(
                question=turn["question"],
                outcome=turn["outcome"],
                answer=turn.get("reply", ""),
                assumptions=told,
            ),
        )
    return history
