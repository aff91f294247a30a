"""Answer a labelled question, unrecorded, after the turns of its thread."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.agent.conversation.understanding import understand
from core.agent.rehearsal import Rehearses, Sections
from core.agent.request import AskRequest
from core.domain.conversation import Place
from core.domain.question import Turn
from core.domain.run import Run


async def rehearse_labelled(
    answering: Rehearses,
    *,
    question: str,
    thread: tuple[Mapping[str, str], ...],
    scope: Mapping[str, Any],
    without: Sections,
    today: date,
    use_rag: bool = True,
) -> Run:
    """Answer one labelled question after the turns of its thread.

    A turn that says how it ended (`outcome`, `reply`) is taken as it is, so that a mistake there
    is not counted here as well; any other one is asked, and what follows rests on its real reply.
    """

    async def ask(text: str, history: tuple[Turn, ...]) -> Run:
        request = AskRequest(
            text=text,
            place=Place(thread="evaluation"),
            groups=frozenset(scope.get("groups", ())),
            jurisdiction=scope.get("jurisdiction"),
            as_of=date.fromisoformat(scope["as_of"]) if scope.get("as_of") else today,
            use_rag=use_rag,
        )
        return await answering.rehearse(request, history=history, without=without)

    history: tuple[Turn, ...] = ()
    for turn in thread:
        if "outcome" in turn:
            said = Turn(
                question=turn["question"],
                outcome=turn["outcome"],
                answer=turn.get("reply", ""),
                assumptions=understand(turn["question"], history).assumptions,
            )
        else:
            said = _turn_of(await ask(turn["question"], history))
        history = (*history, said)
    return await ask(question, history)


def _turn_of(run: Run) -> Turn:
    """Return what a conversation keeps of a question, as if it had been recorded."""
    question, answer = run.question, run.answer
    return Turn(
        question=question.standalone,
        outcome=answer.outcome.value,
        answer=answer.text,
        slot=answer.slot,
        options=answer.options,
        groups=question.scope.groups,
        refusal=answer.refusal.value if answer.refusal else None,
        context=question.context,
        asker=question.asker,
        assumptions=question.assumptions,
        policies=tuple(dict.fromkeys(one.place.policy_key for one in answer.citations)),
    )
