"""A pipeline with a fallback: what its language model cannot finish is answered without one."""

import logging
from dataclasses import replace
from typing import Protocol

from core.agent.conversation.misconduct import speaks_of_somebody
from core.agent.request import Task
from core.agent.wording import DAY_BUDGET_SPENT, MODEL_UNAVAILABLE
from core.domain.errors import CiteboundError, DayBudgetSpentError, raised_at
from core.domain.run import ModelCall, Run

logger = logging.getLogger(__name__)


class AbandonedError(CiteboundError):
    """The language model could not finish this run; holds the cause and the calls made so far."""

    def __init__(self, *, cause: Exception, model_calls: tuple[ModelCall, ...]) -> None:
        super().__init__(str(cause) or type(cause).__name__)
        self.cause = cause
        self.model_calls = model_calls


class Runs(Protocol):
    """What answers a question; see `core.agent.pipeline.Pipeline`."""

    async def run(self, task: Task) -> Run:
        """See `Pipeline.run`."""
        ...


class Fallback:
    """Runs a pipeline, and once a second one where the first could not finish."""

    def __init__(self, first: Runs, second: Runs | None) -> None:
        self._first = first
        self._second = second

    async def run(self, task: Task) -> Run:
        """Answer one question; what may be about a person goes to no model.

        The reply of the fallback says that it is one, and its run holds what the abandoned one
        cost.

        Raises:
            CiteboundError: As `Pipeline.run`; `AbandonedError` only without a fallback.
        """
        told = (task.question.text, *(one.text for one in task.question.context))
        if self._second is not None and any(map(speaks_of_somebody, told)):
            return await self._second.run(task)
        try:
            return await self._first.run(task)
        except AbandonedError as error:
            if self._second is None:
                raise
            logger.warning(
                "the language model could not answer question %s: %s at %s",
                task.question.question_id,
                type(error.cause).__name__,  # what it says may hold words of the question
                raised_at(error.cause),
            )
            is_spent = isinstance(error.cause, DayBudgetSpentError)
            note = DAY_BUDGET_SPENT if is_spent else MODEL_UNAVAILABLE
            return await self._second.run(
                replace(
                    task,
                    notes=(*task.notes, note.of(task.question.language)),
                    warnings=(*task.warnings, f"answered without a language model: {error}"),
                    model_calls=error.model_calls,
                )
            )
